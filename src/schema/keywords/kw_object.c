/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties, patternProperties, additionalProperties and required, as one instruction that
 * walks the members once: a hashed look-up finds what a name stands for; `required` is a count.
 */
#include "explain.h"
#include "families.h"

/* A name that the schema knows. */
struct property {
    fer_str name;
    const fer_node *node;  /* NULL: only required */
    const yyjson_val *key; /* in `properties` */
    bool required;
};

struct pattern {
    const fer_regex *regex;
    const fer_node *node;
    const yyjson_val *key;
};

struct object {
    struct property *properties;
    size_t count;
    size_t required;
    uint32_t *table; /* number of a property + 1 by its hash; 0: empty */
    size_t mask;
    fer_map *names; /* instead of the table, where its hash is not good enough; else NULL */
    struct pattern *patterns;
    size_t pattern_count;
    const fer_node *additional;   /* NULL: anything goes */
    const yyjson_val *sources[4]; /* of the four keywords, or NULL */
};

enum {
    SOURCE_PROPERTIES,
    SOURCE_PATTERNS,
    SOURCE_ADDITIONAL,
    SOURCE_REQUIRED,
};

/* Length, first and last bytes: good enough for most. Names that crowd the table, by chance or
 * because somebody chose them so, get a map instead. */
#define CROWD 32 /* entries without a gap */

static size_t name_hash(fer_str s)
{
    uint64_t head = 0, tail = 0;
    size_t n = s.len < 8 ? s.len : 8;
    memcpy(&head, s.ptr, n);
    memcpy(&tail, s.ptr + s.len - n, n);
    uint64_t x =
        (head ^ (tail * UINT64_C(0x9E3779B97F4A7C15)) ^ s.len) * UINT64_C(0xBF58476D1CE4E5B9);
    return (size_t)(x >> 32);
}

static const struct property *find(const struct object *o, fer_str name)
{
    if (!o->count) return NULL;
    if (o->names) return fer_map_get(o->names, name);
    for (size_t i = name_hash(name) & o->mask; o->table[i]; i = (i + 1) & o->mask) {
        const struct property *p = &o->properties[o->table[i] - 1];
        if (fer_str_eq(p->name, name)) return p;
    }
    return NULL;
}

/* ---- running --------------------------------------------------------------------------- */

/*
 * The frame's state: cursor is the key of the member in hand; state counts what was asked
 * about it (0: its property, then the patterns, then additionalProperties); hits counts the
 * required names that were seen; the lowest bit of index says whether anybody knew the name,
 * the rest is the member's number.
 */
static fer_step call(fer_vm *vm, fer_frame *f, const fer_node *node, enum fer_slot keyword,
                     const yyjson_val *key)
{
    if (!fer_vm_mark(vm, f, f->index >> 1)) return FER_STEP_ERROR;
    fer_vm_call(vm, node, f->cursor + 1, keyword, 0);
    vm->call.key = key;
    vm->call.plain = !key;
    return FER_STEP_CALL;
}

/* The next one to ask about the member in hand; FER_STEP_PASS: nobody. */
static fer_step next_of_member(fer_vm *vm, fer_frame *f, const struct object *o)
{
    if (f->state == 0) {
        f->state = 1;
        const struct property *p = find(o, fer_val_str(f->cursor));
        if (p) f->hits += p->required;
        if (p && p->node) {
            f->index |= 1;
            return call(vm, f, p->node, KW_PROPERTIES, p->key);
        }
    }
    while (f->state <= o->pattern_count) {
        const struct pattern *p = &o->patterns[f->state++ - 1];
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        fer_step s = fer_vm_match(vm, p->regex, f->cursor);
        if (s == FER_STEP_ERROR) return s;
        if (s == FER_STEP_FAIL) continue;
        f->index |= 1;
        return call(vm, f, p->node, KW_PATTERN_PROPERTIES, p->key);
    }
    if (f->state++ == o->pattern_count + 1 && !(f->index & 1) && o->additional) {
        return call(vm, f, o->additional, KW_ADDITIONAL_PROPERTIES, NULL);
    }
    return FER_STEP_PASS;
}

/* The top bit of hits remembers a member that failed. */
#define FAILED UINT32_C(0x80000000)

static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct object *o = i->data;
    const yyjson_val *end = fer_val_next(f->value);
    if (!f->cursor) f->cursor = f->value + 1;
    while (f->cursor < end) {
        fer_step s = next_of_member(vm, f, o);
        if (s != FER_STEP_PASS) return s;
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        f->cursor = fer_val_next(f->cursor + 1);
        f->index = ((f->index >> 1) + 1) << 1;
        f->state = 0;
    }
    return f->hits == o->required ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step hear(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (valid) return FER_STEP_CALL;
    f->hits |= FAILED;
    return vm->trace ? FER_STEP_CALL : FER_STEP_FAIL;
}

/* ---- telling ----------------------------------------------------------------------------- */

static const fer_str *list_names(fer_teller *t, const struct object *o, size_t *count)
{
    size_t most = o->count < FER_ALLOWED_MAX ? o->count : FER_ALLOWED_MAX;
    fer_str *names = fer_arena_alloc(t->arena, most ? most * sizeof *names : 1);
    *count = 0;
    if (!names) {
        t->no_memory = true;
        return NULL;
    }
    for (size_t n = 0; n < o->count && *count < most; n++) {
        if (o->properties[n].node) names[(*count)++] = o->properties[n].name;
    }
    return names;
}

/* Names may also be told by their patterns. */
static void hint_patterns(fer_teller *t, const struct object *o, fer_violation *v)
{
    fer_buf b;
    if (!o->pattern_count || v->did_you_mean.len) return;
    fer_buf_init(&b, t->arena, 600);
    for (size_t n = 0; n < o->pattern_count && n < 5; n++) {
        fer_buf_printf(&b, "%s`%.*s`", n ? ", " : "",
                       FER_PRI(fer_str_head(fer_val_str(o->patterns[n].key), 100)));
    }
    fer_str patterns = b.ptr ? fer_buf_view(&b) : FER_STR("...");
    v->hint = v->allowed_count
                  ? fer_say(t, "%.*s Names that match %.*s are allowed, too.", FER_PRI(v->hint),
                            FER_PRI(patterns))
                  : fer_say(t, "Take it out, or rename it: names that match %.*s are allowed.",
                            FER_PRI(patterns));
}

/* A member that additionalProperties refuses altogether. */
static void tell_unknown(fer_teller *t, const fer_unit *u, const struct object *o,
                         const yyjson_val *key)
{
    fer_violation *v = fer_tell(t, u, o->sources[SOURCE_ADDITIONAL], FER_UNKNOWN_FIELD, key);
    if (!v) return;
    size_t count;
    const fer_str *names = list_names(t, o, &count);
    fer_meant meant;
    fer_meant_init(&meant, fer_val_str(key));
    for (size_t n = 0; n < o->count; n++) {
        if (!fer_meant_try(t, &meant, u->value, o->properties[n].name)) break;
    }
    fer_tell_unknown(t, v, fer_val_str(key), &meant, names, count);
    hint_patterns(t, o, v);
}

/* A member under a name that nobody knows and that is near to the one that is missing. */
static fer_str misspelt(fer_teller *t, const fer_unit *u, const struct object *o, fer_str missing)
{
    FER_EACH_MEMBER (u->value, key) {
        fer_meant meant;
        fer_meant_init(&meant, fer_val_str(key));
        if (!fer_meant_try(t, &meant, u->value, missing)) break;
        if (!fer_meant_best(&meant).len) continue;
        const struct property *p = find(o, fer_val_str(key));
        bool known = (p && p->node) || fer_property_schema(t, u, fer_val_str(key));
        if (!known) return fer_val_str(key);
    }
    return FER_STR("");
}

/* What is known of a property that is to be added: its value, its values, or its type. */
static fer_str wanted(fer_teller *t, const yyjson_val *schema)
{
    static const char *const keywords[] = {"const", "enum"};
    for (size_t n = 0; schema && n < FER_COUNT(keywords); n++) {
        const yyjson_val *value = fer_val_get(schema, keywords[n]);
        if (!value || (n && !fer_is_arr(value))) continue;
        return fer_say(t, "%s%.*s", n ? "one of " : "", FER_PRI(fer_say_json(t, value, 300)));
    }
    const yyjson_val *type = schema ? fer_val_get(schema, "type") : NULL;
    return fer_is_str(type) ? fer_val_str(type) : FER_STR("");
}

static void hint_missing(fer_teller *t, const fer_unit *u, const struct object *o, fer_violation *v,
                         fer_str name)
{
    const struct property *p = find(o, name);
    const yyjson_val *says = p && p->node && fer_is_obj(p->node->schema)
                                 ? p->node->schema
                                 : fer_property_schema(t, u, name);
    const yyjson_val *about = says ? fer_val_get(says, "description") : NULL;
    fer_str instead = misspelt(t, u, o, name);
    v->expected = wanted(t, says);
    if (instead.len) {
        v->hint = fer_say(t, "Rename `%.*s` to `%.*s`.", FER_PRI(fer_str_head(instead, 80)),
                          FER_PRI(name));
        return;
    }
    v->hint = v->expected.len
                  ? fer_say(t, "Add `%.*s` (%.*s).", FER_PRI(name), FER_PRI(v->expected))
                  : fer_say(t, "Add `%.*s`.", FER_PRI(name));
    if (fer_is_str(about)) {
        v->hint = fer_say(t, "%.*s Its description: %.*s", FER_PRI(v->hint),
                          FER_PRI(fer_str_head(fer_val_str(about), 160)));
    }
}

static void tell_missing(fer_teller *t, const fer_unit *u, const struct object *o)
{
    FER_EACH_ITEM (o->sources[SOURCE_REQUIRED], item) {
        fer_str name = fer_val_str(item);
        if (fer_tell_key(t, u->value, name)) continue;
        fer_violation *v =
            fer_tell_absent(t, u, o->sources[SOURCE_REQUIRED], FER_REQUIRED_MISSING, name);
        if (!v) return;
        v->actual = FER_STR("absent");
        v->message = fer_say(t, "%.*s is required, but is missing.", FER_PRI(fer_say_field(t, v)));
        hint_missing(t, u, o, v, name);
    }
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct object *o = i->data;
    if (o->sources[SOURCE_REQUIRED]) tell_missing(t, u, o);
    for (const fer_unit *below = u->first; below; below = below->next) {
        if (below->valid || &u->node->insts[below->by] != i) continue;
        bool refused =
            below->keyword == KW_ADDITIONAL_PROPERTIES && below->node->verdict == FER_NEVER;
        if (refused) {
            tell_unknown(t, u, o, below->value - 1);
        } else {
            fer_tell_unit(t, below);
        }
    }
}

static const fer_op object_op = {.name = "object", .next = next, .hear = hear, .explain = explain};

/* ---- compiling ------------------------------------------------------------------------------ */

/* The entries without a gap around the longest stretch of the table. */
static size_t longest_crowd(const struct object *o)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i <= o->mask + CROWD; i++) {
        run = o->table[i & o->mask] ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

/* The names of all properties so far, in a map with a hash that nobody can foresee. */
static bool use_map(fer_build *b, struct object *o)
{
    fer_map *names = fer_build_alloc(b, 1, sizeof *names);
    if (!names) return false;
    fer_map_init(names, b->c->arena);
    for (size_t n = 0; n < o->count; n++) {
        void **place = fer_map_put(names, o->properties[n].name);
        if (!place) return fer_compile_no_memory(b->c);
        *place = &o->properties[n];
    }
    o->names = names;
    return true;
}

/* The property of a name, new or not; NULL: no memory. */
static struct property *add_property(fer_build *b, struct object *o, fer_str name)
{
    size_t i = name_hash(name) & o->mask;
    void **place = NULL;
    for (size_t tries = 0; !o->names && o->table[i]; i = (i + 1) & o->mask) {
        struct property *p = &o->properties[o->table[i] - 1];
        if (fer_str_eq(p->name, name)) return p;
        if (++tries > CROWD && !use_map(b, o)) return NULL;
    }
    if (o->names) {
        place = fer_map_put(o->names, name);
        if (!place) return fer_compile_no_memory(b->c);
        struct property *known = *place;
        if (known) return known;
    }
    struct property *p = &o->properties[o->count++];
    if (place) *place = p;
    else o->table[i] = (uint32_t)o->count;
    p->name = name;
    return p;
}

static bool add_patterns(fer_build *b, struct object *o, const yyjson_val *map)
{
    o->patterns = fer_build_alloc(b, fer_val_len(map), sizeof *o->patterns);
    if (!o->patterns) return false;
    FER_EACH_MEMBER (map, key) {
        struct pattern *p = &o->patterns[o->pattern_count];
        p->regex = fer_build_regex(b, key);
        p->node = fer_build_child(b, key + 1);
        p->key = key;
        if (!p->node) return false;
        if (p->regex) o->pattern_count++;
    }
    return true;
}

static bool add_names(fer_build *b, struct object *o)
{
    const yyjson_val *properties = o->sources[SOURCE_PROPERTIES];
    const yyjson_val *required = o->sources[SOURCE_REQUIRED];
    size_t most =
        (properties ? fer_val_len(properties) : 0) + (required ? fer_val_len(required) : 0);
    size_t cap = 4;
    while (cap < most * 2) cap *= 2;
    o->mask = cap - 1;
    o->table = fer_build_alloc(b, cap, sizeof *o->table);
    o->properties = fer_build_alloc(b, most, sizeof *o->properties);
    if (!o->table || !o->properties) return false;
    if (properties) {
        FER_EACH_MEMBER (properties, key) {
            struct property *p = add_property(b, o, fer_val_str(key));
            if (!p) return false;
            p->key = key;
            p->node = fer_build_child(b, key + 1);
            if (!p->node) return false;
        }
    }
    if (required) {
        FER_EACH_ITEM (required, item) {
            struct property *p = add_property(b, o, fer_val_str(item));
            if (!p) return false;
            o->required += !p->required;
            p->required = true;
        }
    }
    return o->names || longest_crowd(o) <= CROWD || use_map(b, o);
}

void fer_compile_object(fer_build *b)
{
    struct object *o = fer_build_alloc(b, 1, sizeof *o);
    if (!o) return;
    o->sources[SOURCE_PROPERTIES] = fer_build_value(b, KW_PROPERTIES);
    o->sources[SOURCE_PATTERNS] = fer_build_value(b, KW_PATTERN_PROPERTIES);
    o->sources[SOURCE_ADDITIONAL] = fer_build_value(b, KW_ADDITIONAL_PROPERTIES);
    o->sources[SOURCE_REQUIRED] = fer_build_value(b, KW_REQUIRED);
    if (!add_names(b, o)) return;
    if (o->sources[SOURCE_PATTERNS] && !add_patterns(b, o, o->sources[SOURCE_PATTERNS])) return;
    if (o->sources[SOURCE_ADDITIONAL]) {
        o->additional = fer_build_child(b, o->sources[SOURCE_ADDITIONAL]);
    }
    static const enum fer_slot slots[] = {KW_PROPERTIES, KW_PATTERN_PROPERTIES,
                                          KW_ADDITIONAL_PROPERTIES, KW_REQUIRED};
    size_t first = 0;
    while (!o->sources[first]) first++;
    fer_build_add(b, &object_op, slots[first], FER_ON_OBJECT)->data = o;
}
