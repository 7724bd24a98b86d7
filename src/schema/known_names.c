/* SPDX-License-Identifier: Apache-2.0 */
/* Names of properties: which ones a schema knows, and which one was meant by another. */
#include "explain.h"

#define NAMES_MAX FER_ALLOWED_MAX /* names of one schema that are looked at */
#define DEPTH_MAX 8               /* schemas inside each other, all on one value */
#define SAID_MAX  20              /* names in one sentence */

/* Up to a NUL, as in any other text. */
static fer_str printable(fer_str s)
{
    size_t end = fer_str_find(s, 0, '\0');
    return end == SIZE_MAX ? s : fer_str_slice(s, 0, end);
}

fer_str fer_say_names(fer_teller *t, const fer_str *names, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, t->arena, 1024);
    for (size_t n = 0; n < count && n < SAID_MAX; n++) {
        if (n) fer_buf_add(&b, FER_STR(", "));
        fer_buf_add_char(&b, '`');
        fer_buf_add(&b, printable(fer_str_head(names[n], 80)));
        fer_buf_add_char(&b, '`');
    }
    if (count > SAID_MAX) fer_buf_printf(&b, " and %zu more", count - SAID_MAX);
    t->no_memory |= b.arena_failed;
    return b.failure || !b.ptr ? FER_STR("...") : fer_buf_view(&b);
}

/* ---- which ones there are ------------------------------------------------------------------ */

static const yyjson_val *properties_of(const yyjson_val *schema)
{
    const yyjson_val *map = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    return fer_is_obj(map) ? map : NULL;
}

const yyjson_val *fer_property_schema(fer_teller *t, const fer_unit *u, fer_str name)
{
    const yyjson_val *value = u->value;
    for (; u && u->value == value; u = u->up) {
        const yyjson_val *map = properties_of(u->node->schema);
        if (!fer_tell_look(t, 1 + (map ? fer_val_len(map) / 16 : 0))) return NULL;
        const yyjson_val *key = map ? fer_val_key(map, name) : NULL;
        if (key && fer_is_obj(key + 1)) return key + 1;
    }
    return NULL;
}

static bool lists(const yyjson_val *names, fer_str name)
{
    if (!fer_is_arr(names)) return false;
    FER_EACH_ITEM (names, item) {
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    }
    return false;
}

bool fer_is_required(fer_teller *t, const fer_unit *u)
{
    const fer_unit *top = u;
    while (top->up && top->up->value == u->value) top = top->up;
    bool member = top->keyword == KW_PROPERTIES || top->keyword == KW_PATTERN_PROPERTIES ||
                  top->keyword == KW_ADDITIONAL_PROPERTIES;
    if (!member || !top->up) return false;
    const fer_unit *object = top->up;
    for (const fer_unit *o = object; o && o->value == object->value; o = o->up) {
        if (!fer_is_obj(o->node->schema)) continue;
        if (!fer_tell_look(t, 1)) return false;
        if (lists(fer_val_get(o->node->schema, "required"), fer_val_str(u->value - 1))) return true;
    }
    return false;
}

struct known {
    fer_str *names;
    size_t count;
};

static void add_known(fer_teller *t, struct known *k, const fer_node *node, size_t depth)
{
    const yyjson_val *map = properties_of(node->schema);
    if (depth == DEPTH_MAX || k->count == NAMES_MAX || !fer_tell_look(t, 1)) return;
    if (map) {
        FER_EACH_MEMBER (map, key) {
            fer_str name = fer_val_str(key);
            size_t n = 0;
            if (k->count == NAMES_MAX) break;
            while (n < k->count && !fer_str_eq(k->names[n], name)) n++;
            if (n == k->count) k->names[k->count++] = name;
        }
    }
    for (uint32_t n = 0; n < node->count; n++) {
        const fer_inst *i = &node->insts[n];
        size_t count;
        const fer_node *const *branches = fer_branches(i, &count);
        for (size_t b = 0; b < count; b++) add_known(t, k, branches[b], depth + 1);
        if (strcmp(i->op->name, "$ref") == 0) add_known(t, k, i->node, depth + 1);
    }
}

const fer_str *fer_known_names(fer_teller *t, const fer_unit *u, size_t *count)
{
    struct known k = {fer_arena_alloc(t->arena, NAMES_MAX * sizeof *k.names), 0};
    if (k.names) add_known(t, &k, u->node, 0);
    else t->no_memory = true;
    *count = k.count;
    return k.names;
}

/* ---- which one was meant -------------------------------------------------------------------- */

static bool begins_with(fer_str s, fer_str head)
{
    return s.len > head.len && fer_str_eq_nocase(fer_str_slice(s, 0, head.len), head);
}

void fer_meant_init(fer_meant *m, fer_str word)
{
    *m = (fer_meant){.word = word};
    fer_near_init(&m->near, word);
}

bool fer_meant_try(fer_teller *t, fer_meant *m, const yyjson_val *object, fer_str candidate)
{
    fer_str before = m->near.best;
    size_t distance = m->near.distance;
    if (!fer_tell_near(t, &m->near, candidate)) return false;
    bool nearer = m->near.best.ptr != before.ptr;
    /* A name that was cut short or made longer, as `lon` for `longitude`. */
    bool begun = (m->word.len >= 3 && begins_with(candidate, m->word)) ||
                 (candidate.len >= 3 && begins_with(m->word, candidate));
    if (!nearer && !begun) return true;
    if (fer_tell_key(t, object, candidate)) {
        m->near.best = before;
        m->near.distance = distance;
        return true;
    }
    if (!begun) return true;
    m->unsure |= m->begun.len > 0;
    m->begun = candidate;
    return true;
}

fer_str fer_meant_best(const fer_meant *m)
{
    if (m->near.best.len) return m->near.best;
    return m->begun.len && !m->unsure ? m->begun : FER_STR("");
}

void fer_tell_unknown(fer_teller *t, fer_violation *v, fer_str name, const fer_meant *meant,
                      const fer_str *names, size_t count)
{
    fer_str known = count ? fer_say_names(t, names, count) : FER_STR("");
    v->allowed = names;
    v->allowed_count = count;
    v->did_you_mean = fer_meant_best(meant);
    v->actual = FER_JOIN(t, name);
    v->expected = count ? FER_JOIN(t, FER_STR("one of "), known) : FER_STR("no further properties");
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" is not a known property."));
    if (v->did_you_mean.len) {
        v->hint = FER_JOIN(t, FER_STR("Did you mean `"), v->did_you_mean, FER_STR("`?"));
    } else if (count) {
        v->hint = FER_JOIN(t, FER_STR("Take it out; known are "), known, FER_STR("."));
    } else {
        v->hint = FER_STR("Take it out; no properties are allowed here.");
    }
}
