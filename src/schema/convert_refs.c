/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and references of a schema that is being converted. A reference is followed before
 * anything is written; afterwards its text is made to lead to where its target has come to
 * stand. So it does not matter which keywords were renamed, merged or wrapped on the way.
 */
#include "convert.h"

#include "errors.h"
#include "json_pointer.h"
#include "uri.h"

/* ---- names --------------------------------------------------------------- */

/* 2019-09: ^[A-Za-z][-A-Za-z0-9.:_]*$; later: ^[A-Za-z_][-A-Za-z0-9._]*$; older: anything. */
static bool is_anchor(const struct fer_rules *rules, fer_str s)
{
    bool first = rules->dialect == FER_DIALECT_2019_09;
    if (fer_rules_old(rules)) return s.len && s.ptr[0] != '/';
    for (size_t i = 0; i < s.len; i++) {
        char ch = s.ptr[i];
        bool ok = fer_is_alpha(ch) || (ch == '_' && (i || !first)) ||
                  (i && (fer_is_digit(ch) || ch == '-' || ch == '.' || (ch == ':' && first)));
        if (!ok) return false;
    }
    return s.len > 0;
}

/* What a schema is called. */
struct names {
    const yyjson_val *id; /* or NULL */
    fer_str uri;          /* its part before the fragment; ptr NULL: none */
    fer_str anchor;       /* of `$anchor`, or of the fragment; ptr NULL: none */
    fer_str dynamic;      /* likewise */
    bool recursive;
};

static fer_str text_of(const yyjson_val *schema, const char *keyword)
{
    const yyjson_val *v = fer_val_get(schema, keyword);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
}

static struct names names_of(const fer_seat *seat)
{
    const struct fer_rules *rules = seat->resource->rules;
    const yyjson_val *schema = seat->source;
    struct names n = {.id = fer_val_get(schema, rules->bit == FER_IN_4 ? "id" : "$id")};
    if (n.id) {
        n.uri = fer_val_str(n.id);
        size_t hash = fer_str_find(n.uri, 0, '#');
        if (hash != SIZE_MAX) {
            if (hash + 1 < n.uri.len) n.anchor = fer_str_slice(n.uri, hash + 1, n.uri.len);
            n.uri.len = hash;
        }
        if (!n.uri.len) n.uri = FER_STR_NONE;
    }
    if (fer_rules_old(rules)) return n;
    n.anchor = text_of(schema, "$anchor");
    if (rules->dialect == FER_DIALECT_2019_09) {
        n.recursive = seat->resource->recursive && seat->resource->root == schema;
    } else {
        n.dynamic = text_of(schema, "$dynamicAnchor");
    }
    return n;
}

static void put_text(fer_convert *c, const fer_seat *seat, const char *name, fer_str text)
{
    fer_tree_put(&c->tree, seat->value, fer_str_of(name), fer_tree_text(&c->tree, text));
}

/* Older drafts have one place for both: `$id`. Of two names one has to go. */
static void put_old_names(fer_convert *c, fer_seat *seat, const struct names *n)
{
    const char *keyword = c->to->bit == FER_IN_4 ? "id" : "$id";
    if (fer_rules_old(seat->resource->rules)) {
        if (n->id) put_text(c, seat, keyword, fer_val_str(n->id));
        if (n->id && seat->resource->rules->bit != c->to->bit &&
            (seat->resource->rules->bit | c->to->bit) & FER_IN_4) {
            fer_convert_note(c, n->id, false, "It is now called `%s`.", keyword);
        }
        seat->names[0] = n->anchor;
        return;
    }
    fer_str anchor = n->anchor.ptr ? n->anchor : n->dynamic;
    if (anchor.ptr) {
        fer_str text = fer_arena_printf(c->arena, "%.*s#%.*s", FER_PRI(n->uri), FER_PRI(anchor));
        put_text(c, seat, keyword, text);
        seat->names[0] = anchor;
        fer_convert_note(c, seat->source, false, "The anchor \"%.*s\" is now in `%s`.",
                         FER_PRI(anchor), keyword);
    } else if (n->uri.ptr) {
        put_text(c, seat, keyword, n->uri);
        if (c->to->bit == FER_IN_4) fer_convert_note(c, n->id, false, "It is now called `id`.");
    }
}

static bool as_recursive(const fer_convert *c)
{
    return c->to->dialect == FER_DIALECT_2019_09 && !c->external && !c->dynamic_below &&
           c->dynamic_names.count == 1;
}

static void put_new_names(fer_convert *c, fer_seat *seat, const struct names *n)
{
    bool in_2019 = c->to->dialect == FER_DIALECT_2019_09;
    fer_str anchor = n->anchor;
    if (n->uri.ptr) put_text(c, seat, "$id", n->uri);
    if (n->id && (seat->resource->rules->bit == FER_IN_4 || fer_val_len(n->id) != n->uri.len)) {
        fer_convert_note(c, n->id, false, "It is now said with `$id` and `$anchor`.");
    }
    if (in_2019 && !anchor.ptr) anchor = n->dynamic;
    if (anchor.ptr && is_anchor(c->to, anchor)) {
        put_text(c, seat, "$anchor", anchor);
        seat->names[0] = anchor;
    } else if (anchor.ptr) {
        fer_convert_note(c, seat->source, false,
                         "\"%.*s\" cannot be an anchor in %s: it is left out.", FER_PRI(anchor),
                         fer_dialect_name(c->to->dialect));
    }
    if (in_2019) {
        if (n->recursive || (n->dynamic.ptr && as_recursive(c))) {
            fer_tree_put(&c->tree, seat->value, FER_STR("$recursiveAnchor"),
                         fer_tree_bool(&c->tree, true));
        }
        return;
    }
    fer_str dynamic = n->recursive ? c->recursive_name : n->dynamic;
    if (!dynamic.ptr) return;
    put_text(c, seat, "$dynamicAnchor", dynamic);
    if (c->to->dialect != FER_DIALECT_V1) seat->names[1] = dynamic;
}

void fer_convert_names(fer_convert *c, fer_seat *seat)
{
    const struct fer_rules *rules = seat->resource->rules;
    bool hidden = fer_rules_old(rules) && fer_val_get(seat->source, "$ref");
    if (!seat->up || fer_val_get(seat->source, "$schema")) {
        fer_str uri = fer_str_of(fer_dialect_uri(c->to->dialect));
        /* The older ones are known with an empty fragment. */
        if (fer_rules_old(c->to)) uri = fer_arena_printf(c->arena, "%.*s#", FER_PRI(uri));
        put_text(c, seat, "$schema", uri);
    }
    if (hidden && !fer_rules_old(c->to)) return; /* it was no name */
    const struct names n = names_of(seat);
    if (fer_rules_old(c->to)) put_old_names(c, seat, &n);
    else put_new_names(c, seat, &n);
    if (hidden) seat->names[0] = FER_STR_NONE;
}

/* ---- references ---------------------------------------------------------- */

/* Whether anything stands beside a reference that it would hide. */
static bool has_beside(const fer_member *m)
{
    size_t alone = 1 + (fer_val_get(m->schema, "$schema") != NULL);
    return fer_val_len(m->schema) > alone;
}

/* The object in which a `$ref` is to stand. */
static fer_seat *ref_seat(fer_convert *c, const fer_member *m)
{
    bool wrap = fer_rules_old(c->to) && !fer_rules_old(m->rules) && has_beside(m);
    if (wrap) {
        fer_convert_note(c, m->key, false,
                         "In %s `$ref` hides what is beside it: it is now in `allOf`.",
                         fer_dialect_name(c->to->dialect));
    }
    if (wrap || m->seat->has_ref) return fer_seat_also(c, m->seat);
    m->seat->has_ref = true;
    return m->seat;
}

static void add_pending(fer_convert *c, fer_seat *seat, const char *keyword,
                        const yyjson_val *reference, const yyjson_val *target)
{
    struct fer_pending *list =
        fer_arena_room(c->arena, c->pending, c->pending_count, &c->pending_cap, sizeof *list);
    if (!seat || !list) {
        fer_convert_no_memory(c);
        return;
    }
    fer_str text = reference ? fer_val_str(reference) : FER_STR("#");
    yyjson_mut_val *value = fer_tree_text(&c->tree, text);
    fer_tree_put(&c->tree, seat->value, fer_str_of(keyword), value);
    c->pending = list;
    list[c->pending_count++] = (struct fer_pending){value, reference, target, seat};
}

void fer_convert_ref(fer_convert *c, const fer_member *m)
{
    add_pending(c, ref_seat(c, m), "$ref", m->value, NULL);
}

void fer_convert_lead_to(fer_convert *c, fer_seat *seat, const yyjson_val *target)
{
    add_pending(c, seat, "$ref", NULL, target);
}

static void lost_dynamics(fer_convert *c, const fer_member *m)
{
    fer_convert_note(c, m->key, true,
                     "%s has nothing like this `%.*s`: it leads to one schema now, whoever asks.",
                     fer_dialect_name(c->to->dialect), FER_PRI(fer_val_str(m->key)));
}

static bool has_dynamic(const fer_resource *r, fer_str name)
{
    for (const fer_anchor *a = r->dynamic; a; a = a->next) {
        if (fer_str_eq(a->name, name)) return true;
    }
    return false;
}

/* A reference that could have led to several schemas now leads to one. */
static void pin(fer_convert *c, const fer_member *m, const struct fer_dynamic_name *d, bool by_name)
{
    if (!d || d->count != 1 || c->external) {
        lost_dynamics(c, m);
    } else {
        fer_convert_note(c, m->key, false, "`%.*s` is now `$ref`: only one schema has that anchor.",
                         FER_PRI(fer_val_str(m->key)));
    }
    if (!by_name) fer_convert_ref(c, m);
    else if (d) fer_convert_lead_to(c, ref_seat(c, m), d->first);
}

static void put_dynamic(fer_convert *c, const fer_member *m, fer_str name)
{
    fer_str text = fer_arena_printf(c->arena, "#%.*s", FER_PRI(name));
    put_text(c, m->seat, "$dynamicRef", text);
    if (!fer_str_is(fer_val_str(m->key), "$dynamicRef")) {
        fer_convert_note(c, m->key, false, "`$recursiveRef` is now `$dynamicRef`.");
    }
}

static bool same_dialect(const fer_convert *c, const fer_member *m)
{
    return c->to->dialect == m->rules->dialect;
}

void fer_convert_dynamic_ref(fer_convert *c, const fer_member *m)
{
    bool by_name = m->rules->dialect == FER_DIALECT_V1;
    const fer_resource *own = m->seat->resource;
    const struct fer_lead *lead = fer_map_get(&c->leads, fer_value_key(&m->value));
    fer_str name = fer_val_str(m->value);
    if (by_name && fer_str_starts(name, "#")) name = fer_str_slice(name, 1, name.len);
    if (!by_name && lead && lead->anchor) name = lead->anchor->name;
    if (same_dialect(c, m)) {
        if (by_name) fer_seat_copy(c, m->seat, FER_STR("$dynamicRef"), m->value);
        else add_pending(c, m->seat, "$dynamicRef", m->value, NULL);
        return;
    }
    if (!by_name && lead && !lead->dynamic) { /* it never was more than that */
        fer_convert_ref(c, m);
        return;
    }
    bool own_anchor = has_dynamic(own, name) && (by_name || (lead && lead->base == own));
    bool own_root = own_anchor && (by_name || lead->value == own->root);
    if (c->to->dialect >= FER_DIALECT_2020_12 && own_anchor) {
        put_dynamic(c, m, name);
    } else if (as_recursive(c) && own_root) {
        put_text(c, m->seat, "$recursiveRef", FER_STR("#"));
        fer_convert_note(c, m->key, false, "`$dynamicRef` is now `$recursiveRef`.");
    } else {
        pin(c, m, fer_map_get(&c->dynamic_names, name), by_name);
    }
}

void fer_convert_recursive_ref(fer_convert *c, const fer_member *m)
{
    const struct fer_lead *lead = fer_map_get(&c->leads, fer_value_key(&m->value));
    bool dynamic = lead && lead->base->recursive && lead->value == lead->base->root;
    if (same_dialect(c, m)) {
        add_pending(c, m->seat, "$recursiveRef", m->value, NULL);
    } else if (!dynamic) {
        fer_convert_ref(c, m);
    } else if (!fer_rules_old(c->to) && !c->external && lead->base == m->seat->resource) {
        put_dynamic(c, m, c->recursive_name);
    } else {
        const struct fer_dynamic_name d = {c->recursive_count, lead->value};
        pin(c, m, &d, false);
    }
}

/* ---- mending ------------------------------------------------------------- */

/* Appends the way from one seat down to another; false: it is not in there. */
static bool add_way(fer_convert *c, fer_buf *b, const fer_seat *from, const fer_seat *to)
{
    size_t depth = 0;
    for (const fer_seat *at = to; at != from; at = at->up) {
        if (!at->up) return false;
        depth++;
    }
    const fer_seat **way = fer_arena_alloc_zero(c->arena, depth + 1, sizeof *way);
    if (!way) {
        fer_convert_no_memory(c);
        return false;
    }
    for (const fer_seat *at = to; at != from; at = at->up) way[--depth] = at;
    for (const fer_seat **at = way; *at; at++) {
        if ((*at)->key.ptr) fer_pointer_add(b, (*at)->key);
        else fer_buf_printf(b, "/%zu", (*at)->index);
    }
    return true;
}

static const fer_seat *seat_of(const fer_convert *c, const yyjson_val *schema)
{
    return fer_map_get(&c->seats, fer_value_key(&schema));
}

/* Whether the text leads to the seat as it is. */
static bool still_leads(fer_convert *c, const struct fer_lead *lead, const fer_seat *to,
                        fer_str fragment, fer_str way)
{
    if (lead->anchor) {
        return fer_str_eq(to->names[0], lead->anchor->name) ||
               fer_str_eq(to->names[1], lead->anchor->name);
    }
    fer_str decoded;
    if (fer_uri_decode(c->arena, fragment, &decoded)) {
        fer_convert_no_memory(c);
        return true;
    }
    return fer_str_eq(decoded, way);
}

static void set_text(fer_convert *c, const struct fer_pending *p, fer_str uri, fer_str way)
{
    fer_buf b;
    fer_buf_init(&b, c->arena, fer_json_limits_file()->size);
    fer_buf_add(&b, uri);
    if (way.len || !uri.len) fer_buf_add_char(&b, '#');
    fer_uri_add_fragment(&b, way);
    if (b.failure) fer_convert_no_memory(c);
    else yyjson_mut_set_strn(p->text, b.ptr, b.len);
}

static void mend_one(fer_convert *c, const struct fer_pending *p)
{
    const struct fer_lead *lead =
        p->reference ? fer_map_get(&c->leads, fer_value_key(&p->reference)) : NULL;
    if (p->reference && !lead) return; /* it leads elsewhere */
    const fer_seat *to = seat_of(c, lead ? lead->value : p->target);
    const fer_resource *base = lead ? lead->base : to ? p->from->resource : NULL;
    if (!to) {
        fer_convert_note(c, p->reference ? p->reference : p->target, true,
                         "\"%.*s\" leads to something that is not converted.",
                         FER_PRI(p->reference ? fer_val_str(p->reference) : FER_STR("#")));
        return;
    }
    fer_buf way;
    fer_buf_init(&way, c->arena, fer_json_limits_file()->size);
    fer_str text = lead ? fer_val_str(lead->reference) : FER_STR("#");
    size_t hash = fer_str_find(text, 0, '#');
    fer_str uri = hash == SIZE_MAX ? text : fer_str_slice(text, 0, hash);
    fer_str fragment = hash == SIZE_MAX ? FER_STR("") : fer_str_slice(text, hash + 1, text.len);
    const fer_seat *root = seat_of(c, base->root);
    bool inside = root && add_way(c, &way, root, to);
    if (!inside && !lead && !c->code) { /* in another resource, which has a URI */
        uri = to->resource->uri;
        root = seat_of(c, to->resource->root);
        inside = root && add_way(c, &way, root, to);
    }
    fer_str view = way.len ? fer_buf_view(&way) : FER_STR("");
    if (way.failure) fer_convert_no_memory(c);
    if (c->code || !inside) return;
    if (lead && still_leads(c, lead, to, fragment, view)) return;
    set_text(c, p, uri, view);
}

void fer_convert_mend(fer_convert *c)
{
    for (size_t i = 0; i < c->pending_count && !c->code; i++) mend_one(c, &c->pending[i]);
}
