/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keywords of a schema, each a row of the table at the end. What has not the form that its row
 * asks for is noted and left out, so that what comes out is a schema.
 */
#include "openapi_site.h"
#include "regex.h"

/* ---- forms --------------------------------------------------------------------------------- */

static void misfit(const fer_oa_site *s, const yyjson_val *key, const char *expected)
{
    fer_oa_note(s->d->oa, key, "\"%.*s\" is left out: it is %s, not %s", FER_PRI(fer_val_str(key)),
                fer_val_type_name(key + 1), expected);
}

static void copy(const fer_oa_site *s, const yyjson_val *key)
{
    fer_oa_key(s->b, fer_val_str(key));
    fer_oa_value(s->d->oa, s->b, key + 1);
}

static void write_text(const fer_oa_site *s, const yyjson_val *key)
{
    if (fer_is_str(key + 1)) copy(s, key);
    else misfit(s, key, "a string");
}

static void write_flag(const fer_oa_site *s, const yyjson_val *key)
{
    if (fer_is_bool(key + 1)) copy(s, key);
    else misfit(s, key, "true or false");
}

static void write_number(const fer_oa_site *s, const yyjson_val *key)
{
    if (fer_is_num(key + 1)) copy(s, key);
    else misfit(s, key, "a number");
}

static void write_positive(const fer_oa_site *s, const yyjson_val *key)
{
    const yyjson_val *v = key + 1;
    bool zero = fer_is_num(v) && ((fer_val_tag(v) == FER_TAG_UINT && !v->uni.u64) ||
                                  fer_val_tag(v) == FER_TAG_SINT ||
                                  (fer_val_tag(v) == FER_TAG_REAL && v->uni.f64 <= 0));
    if (fer_is_num(v) && !zero) copy(s, key);
    else misfit(s, key, "a number above 0");
}

static void write_count(const fer_oa_site *s, const yyjson_val *key)
{
    const yyjson_val *v = key + 1;
    if (fer_is_num(v) && fer_val_tag(v) == FER_TAG_UINT) copy(s, key);
    else misfit(s, key, "a number of things");
}

static void write_one(const fer_oa_site *s, const yyjson_val *key)
{
    fer_oa_key(s->b, fer_val_str(key));
    fer_oa_below(s, key + 1);
}

static void write_list(const fer_oa_site *s, const yyjson_val *key)
{
    if (!fer_is_arr(key + 1) || !fer_val_len(key + 1)) {
        misfit(s, key, "a list of schemas");
        return;
    }
    fer_oa_key(s->b, fer_val_str(key));
    fer_buf_add_char(s->b, '[');
    FER_EACH_ITEM (key + 1, item) {
        fer_oa_comma(s->b);
        fer_oa_below(s, item);
    }
    fer_buf_add_char(s->b, ']');
}

static void write_map(const fer_oa_site *s, const yyjson_val *key)
{
    if (!fer_is_obj(key + 1)) {
        misfit(s, key, "an object of schemas");
        return;
    }
    fer_oa_key(s->b, fer_val_str(key));
    fer_buf_add_char(s->b, '{');
    FER_EACH_MEMBER (key + 1, name) {
        fer_oa_key(s->b, fer_val_str(name));
        fer_oa_below(s, name + 1);
    }
    fer_buf_add_char(s->b, '}');
}

/* Formats of OpenAPI's own say how wide a number is, or how bytes are written. */
static const struct oa_format {
    const char *name;
    const char *written; /* members instead, for requests; NULL: nothing */
} formats[] = {
    {"binary", NULL},
    {"byte", "\"contentEncoding\":\"base64\""},
    {"double", NULL},
    {"float", NULL},
    {"int32", "\"minimum\":-2147483648,\"maximum\":2147483647"},
    {"int64", NULL},
    {"password", NULL},
};

static void write_format(const fer_oa_site *s, const yyjson_val *key)
{
    static const char *const bounds[] = {"minimum",          "maximum",         "exclusiveMinimum",
                                         "exclusiveMaximum", "contentEncoding", "enum"};
    fer_str name = fer_is_str(key + 1) ? fer_val_str(key + 1) : FER_STR_NONE;
    for (size_t i = 0; i < FER_COUNT(formats); i++) {
        if (!fer_str_is(name, formats[i].name)) continue;
        bool plain = formats[i].written && s->d->request;
        for (size_t n = 0; n < FER_COUNT(bounds); n++)
            plain = plain && !fer_val_get(s->schema, bounds[n]);
        if (!plain) return;
        fer_oa_comma(s->b);
        fer_buf_add_text(s->b, formats[i].written);
        return;
    }
    write_text(s, key);
}

/* Each pattern is looked at once, however often its schema is written. */
static bool is_pattern(fer_oa *oa, const yyjson_val *text)
{
    static const char yes = 1, no = 0;
    const fer_regex *re;
    fer_err err = {0};
    void **slot = fer_map_put(&oa->patterns, fer_val_str(text));
    if (!slot) {
        fer_oa_no_memory(oa);
        return true;
    }
    if (*slot) return *slot == &yes;
    fer_code code = fer_regex_compile(oa->a, fer_val_str(text), NULL, &re, &err);
    *slot = (void *)(uintptr_t)(code ? &no : &yes);
    if (code) fer_oa_note(oa, text, "the pattern is left out: %.400s", err.message);
    return !code;
}

static void write_pattern(const fer_oa_site *s, const yyjson_val *key)
{
    if (!fer_is_str(key + 1)) misfit(s, key, "a string");
    else if (is_pattern(s->d->oa, key + 1)) copy(s, key);
}

static void write_patterns(const fer_oa_site *s, const yyjson_val *key)
{
    if (!fer_is_obj(key + 1)) {
        misfit(s, key, "an object of schemas");
        return;
    }
    fer_oa_key(s->b, fer_val_str(key));
    fer_buf_add_char(s->b, '{');
    FER_EACH_MEMBER (key + 1, name) {
        if (!is_pattern(s->d->oa, name)) continue;
        fer_oa_key(s->b, fer_val_str(name));
        fer_oa_below(s, name + 1);
    }
    fer_buf_add_char(s->b, '}');
}

/* ---- objects ------------------------------------------------------------------------------- */

bool fer_oa_hidden(fer_oa *oa, const yyjson_val *property, bool request)
{
    const char *key = request ? "readOnly" : "writeOnly";
    if (fer_oa_flag(property, key)) return true;
    const yyjson_val *ref = fer_is_obj(property) ? fer_val_get(property, "$ref") : NULL;
    return ref && fer_oa_flag(fer_oa_target(oa, ref), key);
}

static void write_properties(const fer_oa_site *s, const yyjson_val *key)
{
    if (!fer_is_obj(key + 1)) {
        misfit(s, key, "an object of schemas");
        return;
    }
    fer_oa_key(s->b, FER_STR("properties"));
    fer_buf_add_char(s->b, '{');
    FER_EACH_MEMBER (key + 1, name) {
        if (s->d->request && fer_oa_hidden(s->d->oa, name + 1, true)) continue;
        fer_oa_key(s->b, fer_val_str(name));
        fer_oa_below(s, name + 1);
    }
    fer_buf_add_char(s->b, '}');
}

/* Whether an earlier item of the list is the same. */
static bool is_repeat(const yyjson_val *list, const yyjson_val *item)
{
    FER_EACH_ITEM (list, other) {
        if (other == item) return false;
        if (fer_is_str(other) && fer_str_eq(fer_val_str(other), fer_val_str(item))) return true;
    }
    return false;
}

/* What is not part of the message cannot be required of it. */
static void write_required(const fer_oa_site *s, const yyjson_val *key)
{
    const yyjson_val *properties = fer_val_get(s->schema, "properties");
    if (!fer_is_arr(key + 1)) {
        misfit(s, key, "a list of names");
        return;
    }
    fer_oa_key(s->b, FER_STR("required"));
    fer_buf_add_char(s->b, '[');
    FER_EACH_ITEM (key + 1, item) {
        if (!fer_is_str(item) || is_repeat(key + 1, item)) continue;
        const yyjson_val *name =
            fer_is_obj(properties) ? fer_val_key(properties, fer_val_str(item)) : NULL;
        if (name && fer_oa_hidden(s->d->oa, name + 1, s->d->request)) continue;
        fer_oa_comma(s->b);
        fer_buf_add_quoted(s->b, fer_val_str(item));
    }
    fer_buf_add_char(s->b, ']');
}

/* ---- types and values ---------------------------------------------------------------------- */

bool fer_oa_nullable(const fer_oa_site *s)
{
    return s->d->oa->v30 && fer_oa_flag(s->schema, "nullable");
}

static bool is_type(fer_str word)
{
    static const char *const words[] = {"array",  "boolean", "integer", "null",
                                        "number", "object",  "string"};
    for (size_t i = 0; i < FER_COUNT(words); i++)
        if (fer_str_is(word, words[i])) return true;
    return false;
}

static bool is_type_list(const yyjson_val *list)
{
    if (!fer_is_arr(list) || !fer_val_len(list)) return false;
    FER_EACH_ITEM (list, item)
        if (!fer_is_str(item) || !is_type(fer_val_str(item)) || is_repeat(list, item)) return false;
    return true;
}

static void write_type(const fer_oa_site *s, const yyjson_val *key)
{
    const yyjson_val *v = key + 1;
    bool word = fer_is_str(v) && is_type(fer_val_str(v));
    if (!word && !is_type_list(v)) {
        fer_oa_note(s->d->oa, v, "\"type\" is left out: this is no type of JSON Schema");
        return;
    }
    if (word && fer_oa_nullable(s)) {
        fer_oa_key(s->b, FER_STR("type"));
        fer_buf_printf(s->b, "[\"%.*s\",\"null\"]", FER_PRI(fer_val_str(v)));
        return;
    }
    copy(s, key);
}

static bool has_null(const yyjson_val *list)
{
    FER_EACH_ITEM (list, item)
        if (fer_val_is(item, YYJSON_TYPE_NULL)) return true;
    return false;
}

static void write_enum(const fer_oa_site *s, const yyjson_val *key)
{
    const yyjson_val *v = key + 1;
    if (!fer_is_arr(v)) {
        misfit(s, key, "a list of values");
        return;
    }
    fer_oa_key(s->b, FER_STR("enum"));
    fer_buf_add_char(s->b, '[');
    FER_EACH_ITEM (v, item) {
        if (fer_is_str(item) && is_repeat(v, item)) continue;
        fer_oa_comma(s->b);
        fer_oa_value(s->d->oa, s->b, item);
    }
    if (fer_oa_nullable(s) && !has_null(v)) {
        fer_oa_comma(s->b);
        fer_buf_add_text(s->b, "null");
    }
    fer_buf_add_char(s->b, ']');
}

/* 3.0 (draft-04): a flag that sharpens the bound beside it. */
static void write_exclusive(const fer_oa_site *s, const yyjson_val *key)
{
    bool low = fer_str_is(fer_val_str(key), "exclusiveMinimum");
    const yyjson_val *bound = fer_val_get(s->schema, low ? "minimum" : "maximum");
    if (!fer_is_bool(key + 1)) {
        write_number(s, key);
    } else if (fer_is_true(key + 1) && fer_is_num(bound)) {
        fer_oa_key(s->b, fer_val_str(key));
        fer_oa_value(s->d->oa, s->b, bound);
    }
}

static void write_bound(const fer_oa_site *s, const yyjson_val *key)
{
    bool low = fer_str_is(fer_val_str(key), "minimum");
    if (!fer_is_true(fer_val_get(s->schema, low ? "exclusiveMinimum" : "exclusiveMaximum")))
        write_number(s, key);
}

static void write_example(const fer_oa_site *s, const yyjson_val *key)
{
    if (fer_val_get(s->schema, "examples")) return;
    fer_oa_key(s->b, FER_STR("examples"));
    fer_buf_add_char(s->b, '[');
    fer_oa_value(s->d->oa, s->b, key + 1);
    fer_buf_add_char(s->b, ']');
}

static void write_examples(const fer_oa_site *s, const yyjson_val *key)
{
    if (fer_is_arr(key + 1)) copy(s, key);
    else misfit(s, key, "a list of values");
}

void fer_oa_description(const fer_oa_site *s, const yyjson_val *key)
{
    if (!s->about || !s->about->description.len) write_text(s, key);
}

static void write_deprecated(const fer_oa_site *s, const yyjson_val *key)
{
    if (!s->about || !s->about->deprecated) write_flag(s, key);
}

/* ---- alternatives -------------------------------------------------------------------------- */

/* Whether a value of `mapping` names the target of a reference. */
static bool maps_to(fer_str value, fer_str ref)
{
    if (fer_str_eq(value, ref)) return true;
    size_t slash = ref.len;
    while (slash > 0 && ref.ptr[slash - 1] != '/') slash--;
    return fer_str_eq(value, fer_str_slice(ref, slash, ref.len));
}

static size_t add_mapped(const fer_oa_site *s, const yyjson_val *mapping, fer_str ref)
{
    size_t count = 0;
    if (!fer_is_obj(mapping)) return 0;
    FER_EACH_MEMBER (mapping, key) {
        if (!fer_is_str(key + 1) || !maps_to(fer_val_str(key + 1), ref)) continue;
        fer_oa_comma(s->b);
        fer_buf_add_quoted(s->b, fer_val_str(key));
        count++;
    }
    return count;
}

/* Without a mapping the name of the schema is the tag, unless the schema itself says which it is.
 */
static bool names_itself(fer_oa *oa, const yyjson_val *ref, fer_str tag)
{
    const yyjson_val *target = fer_oa_target(oa, ref);
    const yyjson_val *properties = fer_is_obj(target) ? fer_val_get(target, "properties") : NULL;
    const yyjson_val *key = fer_is_obj(properties) ? fer_val_key(properties, tag) : NULL;
    if (!key || !fer_is_obj(key + 1)) return false;
    return !fer_val_get(key + 1, "enum") && !fer_val_get(key + 1, "const") &&
           !fer_val_get(key + 1, "$ref");
}

/* {"$ref": ..., "properties": {TAG: {"enum": [...]}}}: what the discriminator means, as a schema.
 */
static void write_tagged(const fer_oa_site *s, const yyjson_val *ref, const yyjson_val *about,
                         fer_str tag)
{
    fer_str text = fer_val_str(ref);
    const yyjson_val *mapping = fer_val_get(about, "mapping");
    fer_buf_add_char(s->b, '{');
    fer_oa_ref(s, ref - 1);
    size_t before = s->b->len;
    fer_oa_key(s->b, FER_STR("properties"));
    fer_buf_add_char(s->b, '{');
    fer_oa_key(s->b, tag);
    fer_buf_add_text(s->b, "{\"enum\":[");
    size_t count = add_mapped(s, mapping, text);
    if (!count && names_itself(s->d->oa, ref, tag)) {
        size_t slash = text.len;
        while (slash > 0 && text.ptr[slash - 1] != '/') slash--;
        fer_buf_add_quoted(s->b, fer_str_slice(text, slash, text.len));
        count = 1;
    }
    fer_buf_add_text(s->b, "]}}");
    if (!count && !s->b->failure) s->b->len = before; /* nothing is known of it */
    fer_buf_add_char(s->b, '}');
}

static void write_alternatives(const fer_oa_site *s, const yyjson_val *key)
{
    const yyjson_val *about = fer_val_get(s->schema, "discriminator");
    fer_str tag = fer_oa_text(about, "propertyName");
    if (!tag.len || !fer_is_arr(key + 1) || !fer_val_len(key + 1)) {
        write_list(s, key);
        return;
    }
    fer_oa_key(s->b, fer_val_str(key));
    fer_buf_add_char(s->b, '[');
    FER_EACH_ITEM (key + 1, item) {
        const yyjson_val *ref = fer_is_obj(item) ? fer_val_get(item, "$ref") : NULL;
        fer_oa_comma(s->b);
        if (fer_is_str(ref)) write_tagged(s, ref, about, tag);
        else fer_oa_below(s, item);
    }
    fer_buf_add_char(s->b, ']');
}

static void write_dependent(const fer_oa_site *s, const yyjson_val *key)
{
    bool fine = fer_is_obj(key + 1);
    if (fine) {
        FER_EACH_MEMBER (key + 1, name) {
            fine = fine && fer_is_arr(name + 1);
            if (!fine) break;
            FER_EACH_ITEM (name + 1, item)
                fine = fine && fer_is_str(item) && !is_repeat(name + 1, item);
        }
    }
    if (fine) copy(s, key);
    else misfit(s, key, "an object of lists of names");
}

static void drop(const fer_oa_site *s, const yyjson_val *key)
{
    (void)s;
    (void)key;
}

/* Names that only a whole document gives a meaning: references to them could not be kept. */
static void refuse(const fer_oa_site *s, const yyjson_val *key)
{
    fer_oa_refuse(s->d->oa, key, "\"%.*s\" in a schema is not understood",
                  FER_PRI(fer_val_str(key)));
}

/* ---- the table ----------------------------------------------------------------------------- */

/* Sorted by name. */
static const struct keyword {
    const char *name;
    void (*write)(const fer_oa_site *s, const yyjson_val *key);
} keywords[] = {
    {"$anchor", drop}, /* a reference by it is refused where it stands */
    {"$comment", drop},
    {"$defs", drop}, /* written where they are referred to */
    {"$dynamicAnchor", drop},
    {"$dynamicRef", refuse},
    {"$id", refuse},
    {"$ref", fer_oa_ref},
    {"$schema", drop},
    {"$vocabulary", drop},
    {"additionalProperties", write_one},
    {"allOf", write_list},
    {"anyOf", write_alternatives},
    {"const", copy},
    {"contains", write_one},
    {"contentEncoding", write_text},
    {"contentMediaType", write_text},
    {"contentSchema", write_one},
    {"default", copy},
    {"definitions", drop},
    {"dependentRequired", write_dependent},
    {"dependentSchemas", write_map},
    {"deprecated", write_deprecated},
    {"description", fer_oa_description},
    {"discriminator", drop}, /* anyOf and oneOf look at it */
    {"else", write_one},
    {"enum", write_enum},
    {"example", write_example},
    {"examples", write_examples},
    {"exclusiveMaximum", write_exclusive},
    {"exclusiveMinimum", write_exclusive},
    {"externalDocs", drop},
    {"format", write_format},
    {"if", write_one},
    {"items", write_one},
    {"maxContains", write_count},
    {"maxItems", write_count},
    {"maxLength", write_count},
    {"maxProperties", write_count},
    {"maximum", write_bound},
    {"minContains", write_count},
    {"minItems", write_count},
    {"minLength", write_count},
    {"minProperties", write_count},
    {"minimum", write_bound},
    {"multipleOf", write_positive},
    {"not", write_one},
    {"nullable", drop}, /* type and enum look at it */
    {"oneOf", write_alternatives},
    {"pattern", write_pattern},
    {"patternProperties", write_patterns},
    {"prefixItems", write_list},
    {"properties", write_properties},
    {"propertyNames", write_one},
    {"readOnly", write_flag},
    {"required", write_required},
    {"then", write_one},
    {"title", write_text},
    {"type", write_type},
    {"unevaluatedItems", write_one},
    {"unevaluatedProperties", write_one},
    {"uniqueItems", write_flag},
    {"writeOnly", write_flag},
    {"xml", drop},
};

static const struct keyword *keyword_of(fer_str name)
{
    size_t low = 0, high = FER_COUNT(keywords);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = fer_str_cmp(name, fer_str_of(keywords[middle].name));
        if (order == 0) return &keywords[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

void fer_oa_keyword(const fer_oa_site *s, const yyjson_val *key)
{
    fer_str name = fer_val_str(key);
    const struct keyword *row = keyword_of(name);
    if (row) row->write(s, key);
    else if (!fer_str_starts(name, "x-"))
        fer_oa_note(s->d->oa, key, "\"%.*s\" is left out: it is no keyword of a schema",
                    FER_PRI(fer_str_head(name, 100)));
}
