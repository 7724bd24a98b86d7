/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to convert: all subschemas, also those that only a reference leads to, and
 * where each reference leads. A schema whose keywords do not have their forms is refused.
 */
#include "convert.h"

#include "errors.h"
#include "json_pointer.h"
#include "uri.h"

static bool push(fer_convert *c, const yyjson_val ***list, size_t *count, size_t *cap,
                 const yyjson_val *value)
{
    const yyjson_val **more = fer_arena_room(c->arena, *list, *count, cap, sizeof *more);
    if (!more) {
        fer_convert_no_memory(c);
        return false;
    }
    *list = more;
    more[(*count)++] = value;
    return true;
}

/* A schema that no keyword leads to. */
static void survey_part(fer_convert *c, const yyjson_val *value, fer_resource *inside)
{
    fer_resource *same;
    c->code = fer_library_survey(&c->compile.library, c->doc, value, inside, FER_STR(""), NULL,
                                 &same, c->err);
    if (!c->code) push(c, &c->scans, &c->scan_count, &c->scan_cap, value);
}

static bool is_ours(const fer_convert *c, const yyjson_val *value)
{
    const yyjson_val *root = fer_json_root(c->doc);
    return value >= root && value < fer_val_next(root);
}

static bool is_dynamic(const struct fer_target *target)
{
    for (const fer_anchor *a = target->resource->dynamic; target->anchor && a; a = a->next) {
        if (a->value == target->value && fer_str_eq(a->name, target->anchor->name)) return true;
    }
    return false;
}

static void follow(fer_convert *c, fer_resource *from, const yyjson_val *reference)
{
    struct fer_target target;
    bool found = fer_resolve(&c->compile, from, reference, &target);
    c->code = c->compile.code;
    if (c->code) return;
    if (!found || !is_ours(c, target.value)) {
        c->external = true;
        return;
    }
    struct fer_lead *lead = fer_arena_alloc(c->arena, sizeof *lead);
    fer_str uri = fer_uri_resolve(c->arena, from->uri, fer_val_str(reference));
    if (!lead || !uri.ptr) {
        fer_convert_no_memory(c);
        return;
    }
    size_t hash = fer_str_find(uri, 0, '#');
    if (hash != SIZE_MAX) uri.len = hash;
    *lead = (struct fer_lead){reference, target.value, target.anchor,
                              fer_library_find(&c->compile.library, uri), is_dynamic(&target)};
    void **place = fer_map_put(&c->leads, fer_value_key(&lead->reference));
    if (!place) {
        fer_convert_no_memory(c);
        return;
    }
    *place = lead;
    push(c, &c->led, &c->led_count, &c->led_cap, target.value);
    if (fer_library_spot(&c->compile.library, target.value)) return;
    push(c, &c->parts, &c->part_count, &c->part_cap, target.value);
    survey_part(c, target.value, target.resource);
}

static void note_name(fer_convert *c, fer_map *map, const yyjson_val *schema, const char *keyword)
{
    const yyjson_val *name = fer_val_get(schema, keyword);
    if (!fer_is_str(name)) return;
    void **place = fer_map_put(map, fer_val_str(name));
    if (!place) {
        fer_convert_no_memory(c);
        return;
    }
    if (!*place) {
        struct fer_dynamic_name *d = fer_arena_alloc_zero(c->arena, 1, sizeof *d);
        if (!d) {
            fer_convert_no_memory(c);
            return;
        }
        d->first = schema;
        *place = d;
    }
    ((struct fer_dynamic_name *)*place)->count++;
}

/* In older drafts `$defs` is no keyword, but many write it all the same. */
static void survey_definitions(fer_convert *c, const yyjson_val *schema, fer_resource *inside)
{
    const yyjson_val *map = fer_val_get(schema, "$defs");
    if (!fer_is_obj(map)) return;
    FER_EACH_MEMBER (map, key) {
        if (!fer_is_obj(key + 1) && !fer_is_bool(key + 1)) return;
    }
    FER_EACH_MEMBER (map, key) {
        if (c->code) return;
        if (!fer_library_spot(&c->compile.library, key + 1)) survey_part(c, key + 1, inside);
    }
}

static void look_at(fer_convert *c, const yyjson_val *schema, fer_resource *resource)
{
    static const char *const references[] = {"$ref", "$dynamicRef", "$recursiveRef"};
    const struct fer_rules *rules = resource->rules;
    for (size_t i = 0; i < FER_COUNT(references) && !c->code; i++) {
        const yyjson_val *v = fer_val_get(schema, references[i]);
        const fer_keyword *k = fer_keyword_find(rules, fer_str_of(references[i]));
        bool by_name = rules->dialect == FER_DIALECT_V1 && i == 1;
        if (!fer_is_str(v) || !k || k->slot == KW_COMMENT || by_name) continue;
        follow(c, resource, v);
    }
    if (fer_rules_old(rules)) {
        survey_definitions(c, schema, resource);
        return;
    }
    c->has_contains = c->has_contains || fer_val_get(schema, "contains");
    note_name(c, &c->anchor_names, schema, "$anchor");
    if (rules->dialect == FER_DIALECT_2019_09) {
        c->recursive_count += resource->root == schema && resource->recursive;
    } else {
        size_t before = c->dynamic_names.count;
        note_name(c, &c->dynamic_names, schema, "$dynamicAnchor");
        bool one = fer_is_str(fer_val_get(schema, "$dynamicAnchor"));
        if ((one || before != c->dynamic_names.count) && resource->root != schema) {
            c->dynamic_below = true;
        }
    }
}

/* Values lie in the order of the text, so a part of the document is a row of them. */
static void scan(fer_convert *c)
{
    const yyjson_val *root = fer_json_root(c->doc);
    size_t count = (size_t)(fer_val_next(root) - root);
    c->seen = fer_arena_alloc_zero(c->arena, count / 64 + 1, sizeof *c->seen);
    if (!c->seen) fer_convert_no_memory(c);
    while (c->scan_count && !c->code) {
        const yyjson_val *from = c->scans[--c->scan_count], *end = fer_val_next(from);
        for (const yyjson_val *v = from; v < end && !c->code; v++) {
            const struct fer_spot *spot =
                fer_is_obj(v) ? fer_library_spot(&c->compile.library, v) : NULL;
            size_t number = (size_t)(v - root);
            bool seen = c->seen[number / 64] >> (number % 64) & 1;
            if (!spot || seen) continue;
            c->seen[number / 64] |= (uint64_t)1 << (number % 64);
            look_at(c, v, spot->resource);
        }
    }
}

/* Rules for keywords may trust their forms. */
static void check_forms(fer_convert *c)
{
    fer_compile *compile = &c->compile;
    const fer_library *l = &compile->library;
    compile->failed = false;
    compile->mute = false;
    const yyjson_val *root = fer_json_root(c->doc);
    fer_root_form(compile, fer_library_spot(l, root)->resource->rules, root);
    size_t count;
    compile->doc = c->doc;
    const struct fer_spot **spots = fer_spots_in_order(compile, &count);
    for (size_t i = 0; i < count; i++) {
        const struct fer_spot *s = spots[i];
        bool ours = is_ours(c, s->value) && fer_is_obj(s->value);
        if (ours) fer_schema_forms(compile, s->resource->rules, s->value);
    }
    if (!compile->code && !fer_problems_sort(compile)) fer_compile_no_memory(compile);
    c->code = compile->code;
    if (c->code || !compile->failed) return;
    char pointer[256];
    fer_buf b;
    fer_buf_init_fixed(&b, pointer, sizeof pointer);
    fer_pointer_of(&b, root, compile->problems[0].value);
    c->code = fer_fail(c->err, compile->problems[0].code, "At \"%.*s\": %.*s",
                       FER_PRI(fer_buf_view(&b)), FER_PRI(compile->problems[0].message));
}

static void name_recursion(fer_convert *c)
{
    fer_str name = FER_STR("recursive");
    for (size_t n = 2; name.ptr && fer_map_get(&c->anchor_names, name); n++) {
        name = fer_arena_printf(c->arena, "recursive-%zu", n);
    }
    c->recursive_name = name;
    if (!name.ptr) fer_convert_no_memory(c);
}

void fer_convert_survey(fer_convert *c, fer_dialect from)
{
    const yyjson_val *root = fer_json_root(c->doc);
    fer_schema_options *options = fer_arena_alloc_zero(c->arena, 1, sizeof *options);
    fer_resource *resource;
    if (!options) {
        fer_convert_no_memory(c);
        return;
    }
    options->limits = fer_schema_limits_file();
    c->code = fer_compile_open(&c->compile, options, c->arena, c->arena, c->err);
    c->compile.mute = true; /* whether references lead anywhere is not the question */
    if (c->code) return;
    c->code = fer_library_survey(&c->compile.library, c->doc, root, NULL, FER_STR(""),
                                 fer_rules_of(from), &resource, c->err);
    if (c->code || !push(c, &c->scans, &c->scan_count, &c->scan_cap, root)) return;
    scan(c);
    if (!c->code) check_forms(c);
    if (!c->code) name_recursion(c);
}
