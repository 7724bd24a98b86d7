/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R03 and R04: references. First, every reference leads to $defs of the root (hoisting), so
 * that what stands around them can be rewritten freely. Then they are inlined where the
 * profile has something against them; a recursive schema is unrolled and cut.
 */
#include "look.h"
#include "rewrite.h"

/* ---- hoisting --------------------------------------------------------------------------- */

struct hoist {
    fer_rw *c;
    yyjson_mut_val *original; /* the root before anything moved */
    fer_map names;            /* reference -> its new text */
    size_t count;
    bool external;
};

/* The schema of an anchor, by walking. */
struct anchor {
    fer_str name;
    yyjson_mut_val *found;
};
static void find_anchor(void *context, yyjson_mut_val *node, const fer_step *step)
{
    struct anchor *a = context;
    const yyjson_mut_val *own = fer_mut_get(node, "$anchor"),
                         *dyn = fer_mut_get(node, "$dynamicAnchor");
    (void)step;
    if ((own && fer_mut_is_str(own) && fer_str_eq(fer_mut_str(own), a->name)) ||
        (dyn && fer_mut_is_str(dyn) && fer_str_eq(fer_mut_str(dyn), a->name)))
        a->found = node;
}

static yyjson_mut_val *target_of(struct hoist *h, fer_str ref)
{
    const yyjson_mut_val *id = fer_mut_get(h->original, "$id");
    if (id && fer_mut_is_str(id) && ref.len > fer_mut_len(id) && ref.ptr[0] != '#' &&
        memcmp(ref.ptr, fer_mut_str(id).ptr, fer_mut_len(id)) == 0 &&
        ref.ptr[fer_mut_len(id)] == '#')
        ref = fer_str_slice(ref, fer_mut_len(id), ref.len);
    if (!ref.len || ref.ptr[0] != '#') return NULL;
    if (ref.len == 1 || ref.ptr[1] == '/') return fer_plot_target(h->c->arena, h->original, ref);
    struct anchor a = {fer_str_slice(ref, 1, ref.len), NULL};
    fer_schemas_each(h->original, false, find_anchor, &a);
    return a.found;
}

/* A name for a definition that is not taken. */
static fer_str free_name(struct hoist *h, yyjson_mut_val *defs, fer_str ref)
{
    size_t slash = ref.len;
    while (slash && ref.ptr[slash - 1] != '/' && ref.ptr[slash - 1] != '#') slash--;
    fer_str base = fer_str_slice(ref, slash, ref.len);
    for (size_t i = 0; i < base.len; i++) {
        char ch = base.ptr[i];
        if (!fer_is_alpha(ch) && !fer_is_digit(ch) && ch != '_' && ch != '-') base.len = i;
    }
    if (!base.len) base = FER_STR("root");
    fer_str name = fer_arena_copy(h->c->arena, base);
    for (size_t i = 2; name.ptr && fer_mut_find(defs, name); i++)
        name = fer_arena_printf(h->c->arena, "%.*s_%zu", FER_PRI(base), i);
    return name;
}

/* A definition for what a reference leads to; its new text. */
static fer_str new_home(struct hoist *h, fer_str ref, yyjson_mut_val *target)
{
    fer_tree *t = &h->c->tree;
    yyjson_mut_val *defs = fer_mut_get(h->c->root, "$defs");
    if (!defs) {
        fer_mut_set(t, h->c->root, "$defs", fer_tree_object(t));
        defs = fer_mut_get(h->c->root, "$defs");
    }
    fer_str name = free_name(h, defs, ref);
    yyjson_mut_val *copy = fer_mut_copy(t, target);
    if (!name.ptr || !copy || !defs) return FER_STR_NONE;
    fer_mut_drop(copy, "$defs");
    fer_mut_drop(copy, "$schema");
    fer_mut_drop(copy, "$id");
    fer_mut_set_name(t, defs, name, copy);
    return fer_arena_printf(h->c->arena, "#/$defs/%.*s", FER_PRI(name));
}

static bool is_home(fer_str ref)
{
    return fer_str_starts(ref, "#/$defs/") && fer_str_find(ref, 8, '/') == SIZE_MAX &&
           fer_str_find(ref, 8, '~') == SIZE_MAX && fer_str_find(ref, 8, '%') == SIZE_MAX;
}

static void hoist_one(void *context, yyjson_mut_val *node, const fer_step *step)
{
    struct hoist *h = context;
    yyjson_mut_val *ref = fer_mut_get(node, "$ref");
    (void)step;
    if (fer_mut_get(node, "$dynamicRef")) h->external = true;
    if (!ref || !fer_mut_is_str(ref) || h->c->tree.failed) return;
    fer_str text = fer_mut_str(ref), *known = fer_map_get(&h->names, text);
    if (is_home(text) && fer_plot_target(h->c->arena, h->c->root, text)) return;
    yyjson_mut_val *target = known ? NULL : target_of(h, text);
    if (!known && !target) {
        h->external = true;
        return;
    }
    if (!known) {
        known = fer_arena_alloc(h->c->arena, sizeof *known);
        void **slot = fer_map_put(&h->names, text);
        if (!known || !slot) {
            h->c->tree.failed = true;
            return;
        }
        *known = new_home(h, text, target);
        *slot = known;
        h->count++;
    }
    fer_mut_become(ref, fer_tree_text(&h->c->tree, *known));
}

bool fer_rw_hoist(fer_rw *c)
{
    struct hoist h = {.c = c};
    size_t before;
    h.original = fer_mut_copy(&c->tree, c->root);
    fer_map_init(&h.names, c->arena);
    /* What a new definition refers to moves, too. */
    do {
        before = h.count;
        if (!c->tree.failed) fer_schemas_each(c->root, false, hoist_one, &h);
    } while (h.count > before && !c->tree.failed);
    if (c->tree.failed) return false;
    if (h.external) return fer_rw_refuse(c, "a reference leads to no schema of this tool");
    if (h.count)
        fer_rw_note(c, FER_R02, FER_LOSS_SAME, NULL, "references lead to other places than $defs");
    return true;
}

/* ---- inlining --------------------------------------------------------------------------- */

struct expand {
    fer_rw *c;
    fer_str open[FER_PLOT_DEPTH]; /* references that are being inlined, outermost first */
    size_t depth;
    size_t values; /* of the whole, about */
    bool cut;      /* some recursion was cut by leaving something out */
    bool opaque;   /* or by JSON in a string */
    bool failed;
    unsigned crooked; /* oneOf, not, if around: less inside may mean more outside */
    bool bent;        /* something was cut there */
};

/* What became of a place. */
enum fate {
    FATE_DONE,
    FATE_CUT /* the recursion ends here: the one around it must do without */
};
static enum fate expand(struct expand *e, yyjson_mut_val *node);

static bool too_large(struct expand *e)
{
    if (e->values <= FER_CONVERT_VALUES) return false;
    e->failed = true;
    fer_rw_refuse(e->c, "with its references inlined, the schema has more than %d values",
                  FER_CONVERT_VALUES);
    return true;
}

/* Puts the target in the place of a reference, with what stands beside it. */
static enum fate take_target(struct expand *e, yyjson_mut_val *node, fer_str ref)
{
    fer_rw *c = e->c;
    yyjson_mut_val *target = fer_plot_target(c->arena, c->root, ref), *copy;
    size_t times = 0;
    for (size_t i = 0; i < e->depth; i++) times += fer_str_eq(e->open[i], ref);
    if (!target) {
        e->failed = true;
        fer_rw_refuse(c, "the reference %.*s leads nowhere", FER_PRI(ref));
        return FATE_DONE;
    }
    if (times >= FER_CONVERT_UNROLL || e->depth + 1 >= FER_PLOT_DEPTH) {
        e->bent = e->bent || e->crooked;
        return FATE_CUT;
    }
    copy = fer_mut_copy(&c->tree, target);
    if (!copy) return FATE_DONE;
    e->values += fer_mut_size(copy);
    if (too_large(e)) return FATE_DONE;
    fer_mut_drop(node, "$ref");
    e->open[e->depth++] = ref;
    enum fate fate = expand(e, copy);
    e->depth--;
    if (fate == FATE_CUT || e->failed) return fate;
    /* What stands here is nearer: its texts count, and come first. */
    if (!fer_mut_len(node)) {
        fer_mut_become(node, copy);
        return FATE_DONE;
    }
    static const char *const texts[] = {"title", "description", "default", "examples"};
    for (size_t i = 0; i < FER_COUNT(texts); i++) {
        if (fer_mut_get(node, texts[i])) fer_mut_drop(copy, texts[i]);
    }
    enum fer_meet met = fer_rw_meet(c, node, copy);
    if (met == FER_MEET_DONE) return FATE_DONE;
    e->failed = true;
    fer_rw_refuse(c,
                  met == FER_MEET_NEVER ? "nothing is valid under %.*s and what stands beside it"
                                        : "%.*s and what stands beside it cannot be merged",
                  FER_PRI(ref));
    return FATE_DONE;
}

static void expand_properties(struct expand *e, yyjson_mut_val *node, yyjson_mut_val *map)
{
    size_t count = fer_mut_len(map), at = 0;
    yyjson_mut_val *key = fer_mut_first_key(map);
    for (; at < count && !e->failed; at++) {
        fer_str name = fer_mut_str(key);
        yyjson_mut_val *value = key->next;
        key = value->next;
        if (expand(e, value) != FATE_CUT) continue;
        if (fer_mut_lists(fer_mut_get(node, "required"), name)) {
            e->failed = true;
            fer_rw_refuse(e->c,
                          "the required property \"%.*s\" leads back to its own schema without end",
                          FER_PRI(fer_str_head(name, 100)));
            return;
        }
        e->cut = true;
        fer_mut_drop_name(map, name);
        yyjson_mut_val *more = fer_mut_get(node, "additionalProperties");
        /* Left out of an open object, the property would take anything. */
        if (!more || !fer_mut_is_false(more))
            fer_mut_set(&e->c->tree, node, "additionalProperties",
                        fer_tree_bool(&e->c->tree, false));
    }
}

/* Branches of anyOf and oneOf that would go on for ever are left out; if all do, so is the node. */
static enum fate expand_list(struct expand *e, yyjson_mut_val *list, bool optional)
{
    size_t index = 0, count = fer_mut_len(list);
    for (size_t i = 0; i < count && !e->failed; i++) {
        yyjson_mut_val *item = yyjson_mut_arr_get(list, index);
        if (expand(e, item) != FATE_CUT) {
            index++;
            continue;
        }
        if (!optional || fer_mut_len(list) == 1) return FATE_CUT;
        e->cut = true;
        fer_mut_drop_item(list, index);
    }
    return FATE_DONE;
}

static enum fate expand_held(struct expand *e, yyjson_mut_val *node, fer_str via,
                             yyjson_mut_val *value)
{
    enum fer_holds holds = fer_holds_of(via);
    if (fer_str_is(via, "$defs") || holds == FER_HOLDS_NONE) return FATE_DONE;
    if (fer_str_is(via, "properties")) {
        expand_properties(e, node, value);
        return FATE_DONE;
    }
    if (holds == FER_HOLDS_LIST)
        return expand_list(e, value, fer_str_is(via, "anyOf") || fer_str_is(via, "oneOf"));
    if (holds == FER_HOLDS_SCHEMA) {
        if (expand(e, value) != FATE_CUT) return FATE_DONE;
        if (!fer_str_is(via, "items") && !fer_str_is(via, "additionalProperties")) return FATE_CUT;
        yyjson_mut_val *empty = fer_tree_object(&e->c->tree);
        if (empty) fer_mut_become(value, empty);
        e->opaque = true;
        fer_rw_as_json(e->c, value, "the recursion ends here");
        return FATE_DONE;
    }
    FER_EACH_MUT_MEMBER(value, key)
    {
        if (expand(e, key->next) == FATE_CUT) return FATE_CUT;
    }
    return FATE_DONE;
}

static enum fate expand(struct expand *e, yyjson_mut_val *node)
{
    yyjson_mut_val *ref = fer_mut_get(node, "$ref");
    enum fate fate = FATE_DONE;
    if (!fer_mut_is_obj(node) || e->failed || e->c->tree.failed) return FATE_DONE;
    size_t count = fer_mut_len(node);
    yyjson_mut_val *key = fer_mut_first_key(node);
    for (size_t i = 0; i < count && fate == FATE_DONE && !e->failed; i++) {
        yyjson_mut_val *value = key->next;
        fer_str via = fer_mut_str(key);
        unsigned bend = fer_str_is(via, "oneOf") || fer_str_is(via, "not") || fer_str_is(via, "if");
        e->crooked += bend;
        fate = expand_held(e, node, via, value);
        e->crooked -= bend;
        key = value->next;
    }
    if (fate == FATE_DONE && ref && !e->failed) fate = take_target(e, node, fer_mut_str(ref));
    return fate;
}

/* What inlining did; JSON in a string has said so itself, behind the first `before` notes. */
static void note_expansion(const struct expand *e, size_t before)
{
    fer_rw *c = e->c;
    bool cut = e->cut || e->bent;
    if (e->bent)
        fer_rw_note(c, FER_R04, FER_LOSS_WIDER, NULL,
                    "the recursion is cut inside oneOf, not or if");
    if (cut) fer_rw_note(c, FER_R04, FER_LOSS_NARROWER, NULL, "%.*s", FER_PRI(c->finding->message));
    else if (c->note_count == before || !e->opaque)
        fer_rw_note(c, FER_R03, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
}

static bool inline_all(fer_rw *c)
{
    struct expand e = {.c = c, .values = fer_mut_size(c->root)};
    size_t before = c->note_count;
    if (expand(&e, c->root) == FATE_CUT)
        return fer_rw_refuse(c, "the schema leads back to itself without end");
    if (e.failed || c->tree.failed) return false;
    fer_mut_drop(c->root, "$defs");
    note_expansion(&e, before);
    return true;
}

bool fer_rw_inline_one(fer_rw *c, yyjson_mut_val *node)
{
    yyjson_mut_val *ref = fer_mut_get(node, "$ref");
    yyjson_mut_val *target = ref ? fer_plot_target(c->arena, c->root, fer_mut_str(ref)) : NULL;
    if (!ref) return true;
    yyjson_mut_val *copy = target ? fer_mut_copy(&c->tree, target) : NULL;
    if (!copy) return false;
    fer_mut_drop(node, "$ref");
    if (fer_mut_size(c->root) + fer_mut_size(copy) > FER_CONVERT_VALUES)
        return fer_rw_refuse(c, "with its references inlined, the schema has more than %d values",
                             FER_CONVERT_VALUES);
    if (fer_mut_len(node)) return fer_rw_meet(c, node, copy) == FER_MEET_DONE;
    fer_mut_become(node, copy);
    return true;
}

bool fer_fix_ref_inline(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    return fer_mut_get(node, "$ref") ? inline_all(c) : false;
}

bool fer_fix_recursion(fer_rw *c, fer_spot *s)
{
    (void)s;
    return fer_mut_get(c->root, "$defs") ? inline_all(c) : false;
}

/* Definitions that nothing leads to are dropped; else the references go first. */
struct uses {
    bool any;
};
static void find_use(void *context, yyjson_mut_val *node, const fer_step *step)
{
    struct uses *u = context;
    (void)step;
    u->any |= fer_mut_get(node, "$ref") != NULL;
}

bool fer_fix_definitions(fer_rw *c, fer_spot *s)
{
    struct uses u = {false};
    yyjson_mut_val *defs = fer_mut_get(c->root, "$defs");
    (void)s;
    if (!defs) return false;
    yyjson_mut_val *kept = fer_mut_copy(&c->tree, defs);
    fer_mut_drop(c->root, "$defs");
    fer_schemas_each(c->root, false, find_use, &u);
    if (!u.any) {
        fer_rw_note(c, FER_R03, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    fer_mut_set(&c->tree, c->root, "$defs", kept);
    return inline_all(c);
}

/* ---- siblings --------------------------------------------------------------------------- */

static bool is_note(fer_str key)
{
    return fer_str_is(key, "description") || fer_str_is(key, "title") ||
           fer_str_is(key, "default") || fer_str_is(key, "examples") ||
           fer_str_is(key, "deprecated") || fer_str_is(key, "$comment") ||
           fer_str_is(key, "readOnly") || fer_str_is(key, "writeOnly");
}

bool fer_fix_ref_siblings(fer_rw *c, fer_spot *s)
{
    fer_tree *t = &c->tree;
    yyjson_mut_val *node = fer_spot_node(s), *ref = fer_mut_get(node, "$ref");
    bool notes = true;
    if (!ref || fer_mut_len(node) < 2) return false;
    FER_EACH_MUT_MEMBER(node, key)
    {
        if (!fer_str_is(fer_mut_str(key), "$ref") && !is_note(fer_mut_str(key))) notes = false;
    }
    if (!notes || fer_rw_refuses_keyword(c, KW_ANY_OF) ||
        fer_rw_refuses(c, FER_PR_ANYOF_SIBLINGS)) {
        struct expand e = {.c = c, .values = fer_mut_size(c->root)};
        size_t before = c->note_count;
        e.open[e.depth++] = FER_STR("");
        if (take_target(&e, node, fer_mut_str(ref)) == FATE_CUT || e.failed) return false;
        note_expansion(&e, before);
        return true;
    }
    yyjson_mut_val *branch = fer_tree_object(t), *list = fer_tree_array(t);
    fer_mut_set(t, branch, "$ref", fer_mut_copy(t, ref));
    fer_tree_add(t, list, branch);
    fer_mut_drop(node, "$ref");
    fer_mut_set(t, node, "anyOf", list);
    fer_rw_note(c, FER_R03, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}
