/* SPDX-License-Identifier: Apache-2.0 */
/* R15 to R17, R27 and R28: bounds, formats, defaults; what is left to words. */
#include "look.h"
#include "rewrite.h"
#include "subschemas.h"

#define EXACT 9007199254740992.0 /* 2^53: integers below it are exact as doubles */

/* Moves a keyword to the description. */
static void to_words(fer_rw *c, yyjson_mut_val *node, fer_str key)
{
    yyjson_mut_val *value = fer_mut_find(node, key);
    fer_rw_constrain(c, node, key, fer_mut_write(&c->tree, value));
    fer_mut_drop_name(node, key);
}

/* ---- R15: numbers ----------------------------------------------------------------------- */

/* A bound of integers; `exact` is false where there is none, or doubles cannot hold it. */
struct bound {
    int64_t at;
    bool exact;
};

/* The greatest integer that is not above a number. */
static int64_t floor_of(double x)
{
    int64_t n = (int64_t)x;
    return (double)n > x ? n - 1 : n;
}

static bool is_small(const yyjson_mut_val *v)
{
    double x = fer_mut_get_num(v);
    return fer_mut_is_num(v) && x < EXACT && x > -EXACT;
}

/* Takes the tighter of what is known and another bound, where there is one. */
static void tighten(struct bound *b, bool there, int64_t at, bool low)
{
    if (!there) return;
    if (!b->exact || (low ? at > b->at : at < b->at)) b->at = at;
    b->exact = true;
}

static struct bound least_integer(const yyjson_mut_val *node)
{
    const yyjson_mut_val *min = fer_mut_get(node, "minimum"),
                         *above = fer_mut_get(node, "exclusiveMinimum");
    struct bound b = {0};
    if ((min && !is_small(min)) || (above && !is_small(above))) return b;
    tighten(&b, min, min ? -floor_of(-fer_mut_get_num(min)) : 0, true);
    tighten(&b, above, above ? floor_of(fer_mut_get_num(above)) + 1 : 0, true);
    return b;
}

static struct bound greatest_integer(const yyjson_mut_val *node)
{
    const yyjson_mut_val *max = fer_mut_get(node, "maximum"),
                         *below = fer_mut_get(node, "exclusiveMaximum");
    struct bound b = {0};
    if ((max && !is_small(max)) || (below && !is_small(below))) return b;
    tighten(&b, max, max ? floor_of(fer_mut_get_num(max)) : 0, false);
    tighten(&b, below, below ? -floor_of(-fer_mut_get_num(below)) - 1 : 0, false);
    return b;
}

static yyjson_mut_val *integer(fer_rw *c, int64_t x)
{
    return yyjson_mut_sint(c->tree.doc, x);
}

/* A range of few integers becomes an enum. */
static bool range_to_enum(fer_rw *c, yyjson_mut_val *node)
{
    static const char *const keys[] = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                                       "multipleOf"};
    struct bound from = least_integer(node), to = greatest_integer(node);
    const yyjson_mut_val *multiple = fer_mut_get(node, "multipleOf");
    unsigned types = fer_rw_types(node);
    int64_t step = multiple ? (int64_t)fer_mut_get_uint(multiple) : 1;
    bool plain = step > 0 && !fer_mut_get(node, "enum") && !fer_mut_get(node, "const");
    if ((types & ~(unsigned)FER_IS_NULL) != FER_IS_INTEGER || !from.exact || !to.exact)
        return false;
    if (!plain || to.at < from.at || to.at - from.at >= (int64_t)FER_CONVERT_ENUM * 4) return false;
    yyjson_mut_val *list = fer_tree_array(&c->tree);
    for (int64_t x = from.at; x <= to.at; x++) {
        if (x % step == 0) fer_tree_add(&c->tree, list, integer(c, x));
    }
    if (!fer_mut_len(list) || fer_mut_len(list) > FER_CONVERT_ENUM) return false;
    if (types & FER_IS_NULL) fer_tree_add(&c->tree, list, yyjson_mut_null(c->tree.doc));
    for (size_t i = 0; i < FER_COUNT(keys); i++) fer_mut_drop(node, keys[i]);
    fer_mut_set(&c->tree, node, "enum", list);
    return true;
}

/* An exclusive bound of integers becomes an inclusive one. */
static bool inclusive(fer_rw *c, yyjson_mut_val *node)
{
    unsigned types = fer_rw_types(node) & ~(unsigned)FER_IS_NULL;
    struct bound from = least_integer(node), to = greatest_integer(node);
    bool low = fer_mut_get(node, "exclusiveMinimum"), high = fer_mut_get(node, "exclusiveMaximum");
    if (types != FER_IS_INTEGER || (!low && !high) || fer_rw_refuses_keyword(c, KW_MINIMUM))
        return false;
    if ((low && !from.exact) || (high && !to.exact)) return false;
    if (low) fer_mut_set(&c->tree, node, "minimum", integer(c, from.at));
    if (high) fer_mut_set(&c->tree, node, "maximum", integer(c, to.at));
    fer_mut_drop(node, "exclusiveMinimum");
    fer_mut_drop(node, "exclusiveMaximum");
    return true;
}

/* A number without exclusive bounds: the inclusive one is the nearest that can be said. */
static bool soften(fer_rw *c, yyjson_mut_val *node, fer_str key)
{
    bool low = fer_str_is(key, "exclusiveMinimum"), high = fer_str_is(key, "exclusiveMaximum");
    const char *soft = low ? "minimum" : "maximum";
    yyjson_mut_val *value = fer_mut_find(node, key);
    if ((!low && !high) || fer_rw_refuses_keyword(c, KW_MINIMUM) || !fer_mut_is_num(value))
        return false;
    yyjson_mut_val *old = fer_mut_get(node, soft), *copy = fer_mut_copy(&c->tree, value);
    to_words(c, node, key);
    bool tighter = !old || (low ? fer_mut_get_num(copy) > fer_mut_get_num(old)
                                : fer_mut_get_num(copy) < fer_mut_get_num(old));
    if (tighter) fer_mut_set(&c->tree, node, soft, copy);
    return true;
}

/* ---- R15: lengths ----------------------------------------------------------------------- */

static bool length_to_pattern(fer_rw *c, yyjson_mut_val *node)
{
    const yyjson_mut_val *min = fer_mut_get(node, "minLength"),
                         *max = fer_mut_get(node, "maxLength");
    uint64_t least = min && fer_mut_is_uint(min) ? fer_mut_get_uint(min) : 0;
    uint64_t most = max && fer_mut_is_uint(max) ? fer_mut_get_uint(max) : 0;
    if (fer_mut_get(node, "pattern") || fer_mut_get(node, "format") ||
        !fer_rw_takes_keyword(c, KW_PATTERN))
        return false;
    if (!(fer_rw_types(node) & FER_IS_STRING) || least > FER_CONVERT_REPEAT ||
        most > FER_CONVERT_REPEAT)
        return false;
    fer_str text = max ? fer_arena_printf(c->arena, "^[\\s\\S]{%llu,%llu}$",
                                          (unsigned long long)least, (unsigned long long)most)
                       : fer_arena_printf(c->arena, "^[\\s\\S]{%llu,}$", (unsigned long long)least);
    fer_mut_drop(node, "minLength");
    fer_mut_drop(node, "maxLength");
    if (max || least) fer_mut_set(&c->tree, node, "pattern", fer_tree_text(&c->tree, text));
    return true;
}

/* minItems where only 0 and 1 are taken: 1 is better than nothing. */
static bool few_items(fer_rw *c, yyjson_mut_val *node, fer_str key)
{
    const struct fer_profile_row *row = &c->profile->rows[FER_PR_KEYWORD_MINITEMS];
    yyjson_mut_val *value = fer_mut_get(node, "minItems");
    if (!fer_str_is(key, "minItems") || !row->has_values || !(row->values & 2)) return false;
    if (!fer_mut_is_uint(value) || fer_mut_get_uint(value) < 2) return false;
    to_words(c, node, key);
    fer_mut_set(&c->tree, node, "minItems", yyjson_mut_uint(c->tree.doc, 1));
    return true;
}

bool fer_fix_bounds(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    fer_str key = s->keyword, reason = c->finding->message;
    if (!key.ptr || !fer_mut_find(node, key)) return false;
    bool length = fer_str_is(key, "minLength") || fer_str_is(key, "maxLength");
    bool items = fer_str_is(key, "minItems") || fer_str_is(key, "maxItems");
    bool exact = length ? length_to_pattern(c, node)
                        : !items && (inclusive(c, node) || range_to_enum(c, node));
    if (exact) {
        fer_rw_note(c, FER_R15, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(reason));
        return true;
    }
    if (!soften(c, node, key) && !few_items(c, node, key)) to_words(c, node, key);
    fer_rw_note(c, FER_R27, FER_LOSS_WIDER, NULL, "%.*s", FER_PRI(reason));
    return true;
}

/* Two keywords that exclude each other: the first of the pair stays. */
bool fer_fix_combination(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    const struct fer_profile_row *row = &c->profile->rows[FER_PR_KEYWORD_COMBINATION];
    for (size_t p = 0; p < row->pair_count; p++) {
        fer_str found[2] = {FER_STR_NONE, FER_STR_NONE};
        FER_EACH_MUT_MEMBER(node, key)
        {
            enum fer_slot slot = fer_slot_find(fer_mut_str(key));
            if (slot == KW_COUNT) continue;
            if (row->pairs[p][0] & FER_SLOT(slot)) found[0] = fer_mut_str(key);
            if (row->pairs[p][1] & FER_SLOT(slot)) found[1] = fer_mut_str(key);
        }
        if (!found[0].ptr || !found[1].ptr) continue;
        bool format = fer_str_is(found[0], "format");
        bool docs = format || fer_str_is(found[0], "propertyNames");
        fer_str gone = docs ? found[0] : found[1];
        to_words(c, node, gone);
        fer_rw_note(c, format ? FER_R16 : FER_R27, format ? FER_LOSS_DOCS : FER_LOSS_WIDER, NULL,
                    "%.*s", FER_PRI(c->finding->message));
        return true;
    }
    return false;
}

/* ---- R16, R17, R27 ---------------------------------------------------------------------- */

bool fer_fix_format(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    if (!fer_mut_get(node, "format")) return false;
    to_words(c, node, FER_STR("format"));
    fer_rw_note(c, FER_R16, FER_LOSS_DOCS, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

bool fer_fix_default(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s), *value = fer_mut_get(node, "default");
    if (!value) return false;
    fer_str text = fer_mut_write(&c->tree, value);
    fer_mut_drop(node, "default");
    if (!fer_mut_is_null(value))
        fer_rw_say(c, node,
                   fer_arena_printf(c->arena, "(default: %.*s)", FER_PRI(fer_str_head(text, 500))));
    fer_rw_note(c, FER_R17, FER_LOSS_DOCS, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* Keywords that change no verdict by themselves. */
static bool is_silent(fer_str key)
{
    static const char *const keys[] = {"contentEncoding", "contentMediaType", "contentSchema"};
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        if (fer_str_is(key, keys[i])) return true;
    }
    return false;
}

/* Of an object whose conditions go, the properties that only they name must stay possible. */
bool fer_fix_text(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    fer_str key = s->keyword;
    if (!key.ptr || !fer_mut_find(node, key)) return false;
    to_words(c, node, key);
    fer_rw_note(c, FER_R27, is_silent(key) ? FER_LOSS_DOCS : FER_LOSS_WIDER, NULL, "%.*s",
                FER_PRI(c->finding->message));
    return true;
}

bool fer_fix_pattern(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    if (!fer_mut_get(node, "pattern")) return false;
    to_words(c, node, FER_STR("pattern"));
    fer_rw_note(c, FER_R27, FER_LOSS_WIDER, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* Without anything beside it that evaluates members, it says what additionalProperties says. */
bool fer_fix_unevaluated(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s), *value = fer_mut_get(node, "unevaluatedProperties");
    static const char *const beside[] = {
        "anyOf", "oneOf", "allOf", "$ref", "if", "dependentSchemas", "additionalProperties"};
    bool alone = value != NULL && fer_str_is(s->keyword, "unevaluatedProperties");
    if (value && fer_mut_get(node, "allOf")) return fer_fix_all_of(c, s);
    for (size_t i = 0; i < FER_COUNT(beside); i++) alone = alone && !fer_mut_get(node, beside[i]);
    if (!alone) return fer_fix_text(c, s);
    yyjson_mut_val *copy = fer_mut_copy(&c->tree, value);
    fer_mut_drop(node, "unevaluatedProperties");
    fer_mut_set(&c->tree, node, "additionalProperties", copy);
    fer_rw_note(c, FER_R15, FER_LOSS_SAME, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}

/* ---- keywords that are not listed, or dropped without a word ---------------------------- */

static const struct {
    const char *key;
    fer_fix *fix;
} exact[] = {
    {"const", fer_fix_const},
    {"oneOf", fer_fix_one_of},
    {"allOf", fer_fix_all_of},
    {"$ref", fer_fix_ref_inline},
    {"$defs", fer_fix_definitions},
    {"definitions", fer_fix_definitions},
    {"prefixItems", fer_fix_tuple},
    {"patternProperties", fer_fix_additional},
    {"additionalProperties", fer_fix_additional},
    {"unevaluatedProperties", fer_fix_unevaluated},
    {"minLength", fer_fix_bounds},
    {"maxLength", fer_fix_bounds},
    {"minimum", fer_fix_bounds},
    {"maximum", fer_fix_bounds},
    {"exclusiveMinimum", fer_fix_bounds},
    {"exclusiveMaximum", fer_fix_bounds},
    {"multipleOf", fer_fix_bounds},
    {"minItems", fer_fix_bounds},
    {"maxItems", fer_fix_bounds},
    {"format", fer_fix_format},
    {"default", fer_fix_default},
};

/* Dropped by the provider, but harmless where it stands: words say what it meant. */
static bool tell_beside(fer_rw *c, yyjson_mut_val *node, fer_str key)
{
    yyjson_mut_val *value = fer_mut_find(node, key);
    bool closed = fer_str_is(key, "additionalProperties") && fer_mut_is_bool(value);
    if (closed || fer_slot_find(key) == KW_COUNT || key.ptr[0] == '$') return false;
    fer_str text = fer_mut_write(&c->tree, value);
    yyjson_mut_val *old = fer_mut_get(node, "description");
    size_t before = old ? fer_mut_len(old) : 0;
    if (fer_str_is(key, "default")) {
        if (fer_mut_is_null(value)) return false;
        fer_str words =
            fer_arena_printf(c->arena, "(default: %.*s)", FER_PRI(fer_str_head(text, 500)));
        if (!words.ptr) return false;
        if (old && fer_mut_is_str(old) &&
            memmem(fer_mut_str(old).ptr, fer_mut_len(old), words.ptr, words.len))
            return false;
        fer_rw_say(c, node, words);
    } else {
        fer_rw_constrain(c, node, key, text);
    }
    old = fer_mut_get(node, "description");
    if (!old || fer_mut_len(old) == before) return false;
    fer_rw_note(c, fer_str_is(key, "default") ? FER_R17 : FER_R27, FER_LOSS_DOCS, NULL, "%.*s",
                FER_PRI(c->finding->message));
    return true;
}

bool fer_fix_ignored(fer_rw *c, fer_spot *s)
{
    yyjson_mut_val *node = fer_spot_node(s);
    fer_str key = s->keyword;
    bool refused = c->finding->severity == FER_SEVERITY_ERROR;
    if (!key.ptr || !fer_mut_find(node, key)) return false;
    for (size_t i = 0; i < FER_COUNT(exact); i++) {
        bool always = i < 4; /* told in other words, the provider does enforce these */
        if (fer_str_is(key, exact[i].key) && (refused || always)) return exact[i].fix(c, s);
    }
    if (!refused) return tell_beside(c, node, key);
    if (fer_slot_find(key) == KW_COUNT || key.ptr[0] == '$' || fer_str_is(key, "examples") ||
        fer_str_is(key, "deprecated") || fer_str_is(key, "readOnly") ||
        fer_str_is(key, "writeOnly") || fer_str_is(key, "title"))
        return fer_fix_drop(c, s);
    return fer_fix_text(c, s);
}

/* ---- R28 -------------------------------------------------------------------------------- */

struct longest {
    yyjson_mut_val *node;
    size_t count;
};
static void find_longest(void *context, yyjson_mut_val *node, const fer_step *step)
{
    struct longest *l = context;
    size_t count = fer_mut_len(fer_mut_get(node, "enum"));
    (void)step;
    if (count <= l->count || fer_mut_get(node, FER_BACK)) return;
    l->node = node;
    l->count = count;
}

bool fer_fix_enum_limit(fer_rw *c, fer_spot *s)
{
    struct longest l = {0};
    yyjson_mut_val *node = fer_spot_node(s);
    if (fer_mut_get(node, "enum")) l.node = node;
    else fer_schemas_each(c->root, false, find_longest, &l);
    if (!l.node) return false;
    if (!fer_rw_types(l.node)) return fer_rw_refuse(c, "%.*s", FER_PRI(c->finding->message));
    to_words(c, l.node, FER_STR("enum"));
    fer_rw_note(c, FER_R28, FER_LOSS_WIDER, NULL, "%.*s", FER_PRI(c->finding->message));
    return true;
}
