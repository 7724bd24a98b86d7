/* SPDX-License-Identifier: Apache-2.0 */
/* The pass over profiles: finds the schema of a tool, looks at it, and reports. */
#include "look.h"

#include <stdarg.h>

#include "errors.h"
#include "profile_pass.h"
#include "unicode.h"
#include "words.h"

/* ---- reporting --------------------------------------------------------------------- */

bool fer_look_put(fer_look *l, enum fer_profile_rule_id rule, uint64_t mask, const yyjson_val *at,
                  fer_str pointer, fer_str message)
{
    fer_drafts *d = l->pass->drafts;
    if (!fer_drafts_put(d, fer_profile_rule_of(rule), at, pointer, message)) return false;
    struct fer_draft *draft = &d->list[d->count - 1];
    draft->profiles = mask;
    draft->profile_rule = (uint16_t)rule;
    return true;
}

/* The pointer of a path. Most are of the subschema at hand, or of one of its keywords. */
static fer_str pointer_of(fer_look *l, const fer_path *path)
{
    fer_arena *a = l->pass->drafts->arena;
    bool is_node = path == l->node, is_below = path->up && path->up == l->node && path->key.ptr;
    if (!is_node && !is_below) return fer_path_pointer(a, path);
    if (!l->node_pointer.ptr) l->node_pointer = fer_path_pointer(a, l->node);
    if (is_node || !l->node_pointer.ptr) return l->node_pointer;
    fer_buf b;
    fer_buf_init(&b, a, (size_t)64 << 10);
    fer_buf_add(&b, l->node_pointer);
    fer_pointer_add(&b, path->key);
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

void fer_look_report(fer_look *l, enum fer_profile_rule_id rule, uint64_t mask,
                     const yyjson_val *at, const fer_path *path, const char *format, ...)
{
    va_list args;
    if (!mask || l->pass->drafts->no_memory) return;
    fer_str pointer = pointer_of(l, path);
    va_start(args, format);
    fer_str message = fer_draft_text(l->pass->drafts->arena, format, args);
    va_end(args);
    fer_look_put(l, rule, mask, at, pointer, message);
}

void fer_look_exceeds(fer_look *l, enum fer_profile_rule_id rule, size_t profile, uint64_t limit,
                      uint64_t actual, const yyjson_val *at, const fer_path *path,
                      const char *format, ...)
{
    va_list args;
    if (l->pass->drafts->no_memory) return;
    va_start(args, format);
    fer_str message = fer_draft_text(l->pass->drafts->arena, format, args);
    va_end(args);
    if (fer_look_put(l, rule, (uint64_t)1 << profile, at, pointer_of(l, path), message))
        fer_drafts_bounds(l->pass->drafts, limit, actual);
}

void fer_look_limit(fer_look *l, enum fer_profile_rule_id rule, uint64_t actual,
                    const yyjson_val *at, const fer_path *path, const char *what)
{
    FER_EACH_PROFILE(l->plan->on[rule], i)
    {
        uint64_t max = fer_look_row(l, i, rule)->max;
        if (actual > max)
            fer_look_exceeds(l, rule, i, max, actual, at, path,
                             "%s: %llu, and at most %llu are allowed", what,
                             (unsigned long long)actual, (unsigned long long)max);
    }
}

/* ---- words and types ----------------------------------------------------------------- */

bool fer_words_have(const struct fer_words *words, fer_str word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (fer_str_eq(words->list[i], word)) return true;
    }
    return false;
}

fer_spelling fer_spelling_of(fer_str name)
{
    fer_spelling s = {.ascii = true, .characters = fer_utf8_count(name)};
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c < 128) s.bits[c >> 6] |= (uint64_t)1 << (c & 63);
        else s.ascii = false;
    }
    return s;
}

static unsigned type_bit(const yyjson_val *word)
{
    if (!fer_is_str(word)) return 0;
    for (unsigned i = 0; i < FER_COUNT(fer_type_names); i++) {
        if (fer_word_is(fer_val_str(word), fer_type_names[i])) return 1u << i;
    }
    return 0;
}

unsigned fer_look_types(const yyjson_val *type)
{
    unsigned bits = 0;
    if (!type || !fer_is_arr(type)) return type ? type_bit(type) : 0;
    FER_EACH_ITEM (type, word) bits |= type_bit(word);
    return bits;
}

/* ---- the schema of a tool -------------------------------------------------------------- */

/* The key of the record that holds the input schema, right or wrong; NULL: there is none. */
static const yyjson_val *schema_key(const fer_tool *t)
{
    FER_EACH_MEMBER (t->record, key) {
        if (fer_shape_field(t->shape, fer_val_str(key)) == FER_FIELD_INPUT_SCHEMA) return key;
    }
    return NULL;
}

static void look_at_schema(fer_look *l, const yyjson_val *key)
{
    const char *inside = fer_shape_info(l->pass->tool->shape)->schema_inside;
    fer_path at_key = FER_PATH_KEY(l->pass->path, fer_val_str(key)), at_inside, *path = &at_key;
    const yyjson_val *value = key + 1;
    if (inside && fer_is_obj(value) && fer_val_get(value, inside)) {
        value = fer_val_get(value, inside);
        at_inside = FER_PATH_KEY(&at_key, fer_str_of(inside));
        path = &at_inside;
    }
    l->schema = value;
    l->path = path;
    if (!fer_is_obj(value)) {
        fer_look_report(l, FER_PR_SCHEMA_NOT_OBJECT, l->plan->on[FER_PR_SCHEMA_NOT_OBJECT], value,
                        path, "the schema is %s, not an object", fer_val_type_name(value));
        return;
    }
    fer_look_schema(l);
}

static void look_at_output(fer_look *l)
{
    const yyjson_val *output = l->pass->tool->values[FER_FIELD_OUTPUT_SCHEMA];
    uint64_t mask = l->plan->on[FER_PR_OUTPUT_ROOT];
    if (!output || !mask || !fer_is_obj(output)) return;
    const yyjson_val *type = fer_val_get(output, "type");
    fer_path path = FER_PATH_KEY(l->pass->path, FER_STR("outputSchema"));
    if (!fer_is_str(type) || fer_look_types(type) != FER_IS_OBJECT)
        fer_look_report(l, FER_PR_OUTPUT_ROOT, mask, type ? type : output, &path,
                        "the root of the output schema has not the type \"object\"");
}

fer_json_size fer_look_size(fer_look *l)
{
    if (!l->size.bytes && l->schema) l->size = fer_json_size_of(l->schema);
    return l->size;
}

static void look(fer_pass_tool *p)
{
    fer_look *l = fer_arena_alloc(p->scratch, sizeof *l);
    if (!l) {
        p->drafts->no_memory = true;
        return;
    }
    l->pass = p;
    l->plan = p->run->checks->plan;
    l->schema = NULL;
    l->facts = (struct fer_facts){0};
    l->deepest = NULL;
    l->node = NULL;
    l->size = (fer_json_size){0, 0};
    l->in_all_of = l->in_items = 0;
    const yyjson_val *key = schema_key(p->tool);
    fer_look_tool(l);
    if (key) look_at_schema(l, key);
    look_at_output(l);
    fer_look_set(l);
}

static bool wanted(const fer_checks *checks)
{
    return checks && checks->plan;
}

const fer_pass fer_profiles_pass = {"profiles", wanted, look, fer_look_set_end};
