/* SPDX-License-Identifier: Apache-2.0 */
#include "blame.h"

#include "errors.h"
#include "json_value.h"
#include "profile.h"

/*
 * The families. In a pattern, %i is an index from 0, %I one from 1, %n the name of the tool,
 * %k a keyword, %p a path in the tool and %s one in its schema, %* anything up to what follows.
 * The first row that is found somewhere in the message counts.
 */
static const struct family {
    const char *title;
    const char *pattern;
} families[] = {
    {"Anthropic", "tools.%i.custom.%p"},
    {"Anthropic", "tools.%i.custom: %*"},
    {"Bedrock", "toolConfig.tools.%I.member.toolSpec.%p"},
    {"Bedrock", "toolConfig.tools.%i.toolSpec.%p"},
    {"Anthropic", "tools.%i.%p"},
    {"OpenAI", "Invalid schema for function '%n': In context=(%s)"},
    {"OpenAI", "Invalid schema for function '%n': %*"},
    {"OpenAI", "nvalid 'tools[%i].function.%p'"},
    {"OpenAI", "nvalid 'tools[%i].%p'"},
    {"Gemini", "Unknown name \"%k\" at '%*function_declarations[%i].%p'"},
    {"Gemini", "Unknown name \"%k\" at '%*function_declarations%i.%p'"},
    {"Gemini", "function_declarations[%i].%p"},
    {"Vertex AI", "because `%n` functionDeclaration `%p`"},
    {"Vertex AI", "`%n` functionDeclaration %*"},
    {"Mistral", "Function name was %n but must be"},
    {"VS Code", "Failed to validate tool %n: %*"},
    {"Moonshot", "At path '%s'"},
    {"LM Studio", "\"path\":[%i,\"function\",%p]"},
    {"Cursor", "Combined server and tool name%*"},
    {"Anthropic", "tools: Tool names must be unique"},
    {"Anthropic", "Schemas contains too many %*"},
    {"Anthropic", "The compiled grammar is too large%*"},
    {"Anthropic", "Schema is too complex%*"},
    {"OpenAI", "Invalid schema for response_format '%n': %*"},
    {"xgrammar", "not supported by xgrammar%*"},
    {"llama.cpp", "failed to parse grammar%*"},
};

/* What messages say, and the rule that it means; the first that is found counts. */
static const struct saying {
    const char *words;
    const char *rule;
} sayings[] = {
    {"at the top level", "root.composition"},
    {"Property keys should match", "property.key"},
    {"name: String should have at most", "name.length"},
    {"name: String should match pattern", "name.charset"},
    {"function.name': string does not match", "name.charset"},
    {"function.name': string too long", "name.length"},
    {"Must start with a letter or an underscore", "name.first-char"},
    {"but must be a-z, A-Z, 0-9", "name.charset"},
    {"Member must have length less than or equal to 64", "name.length"},
    {"Member must satisfy regular expression", "name.charset"},
    {"Combined server and tool name", "name.length"},
    {"names must be unique", "toolset.duplicate"},
    {"Duplicate function declaration", "toolset.duplicate"},
    {"too many optional parameters", "limit.optional"},
    {"union types", "limit.union"},
    {"grammar is too large", "limit.grammar"},
    {"too complex for compilation", "limit.grammar"},
    {"levels of nesting exceeds", "limit.depth"},
    {"array too long", "toolset.count"},
    {"array schema missing items", "array.items-missing"},
    {"items: missing field", "array.items-missing"},
    {"array type must have items", "array.items-missing"},
    {"object schema missing properties", "object.properties-missing"},
    {"should be non-empty for OBJECT", "object.properties-empty"},
    {"to be supplied and to be false", "object.closed"},
    {"must be explicitly set to false", "object.closed"},
    {"including every key in properties", "object.all-required"},
    {"property is not defined", "required.unknown"},
    {"Extra required key", "required.unknown"},
    {"type: \"object\"'", "root.type"},
    {"Input should be 'object'", "root.type"},
    {"input_schema.type: Field required", "root.type"},
    {"must be one of the following: object", "root.type"},
    {"cannot start list", "type.array"},
    {"cannot unmarshal array into Go struct field", "type.array"},
    {"must have a 'type' key", "type.missing"},
    {"didn't specify the schema type field", "type.missing"},
    {"type is not defined", "type.missing"},
    {"only allowed for OBJECT type", "type.keyword-mismatch"},
    {"only allowed for", "type.keyword-mismatch"},
    {"alongside any_of", "anyOf.siblings"},
    {"when using anyOf, type should be", "anyOf.parent-type"},
    {"conflicting keywords found after $ref", "ref.siblings"},
    {"$ref cannot have keywords", "ref.siblings"},
    {"must be an object", "schema.boolean"},
    {"Provide a json object", "schema.not-object"},
    {"valid dictionary", "schema.not-object"},
    {"is not a valid format", "format.unsupported"},
    {"'enum' and 'date-time' are supported", "format.unsupported"},
    {"(TYPE_STRING)", "enum.non-string"},
    {"cannot be empty", "enum.empty-string"},
    {"properties maximum, minimum", "keyword.numeric-bounds"},
    {"'minItems' values other than", "keyword.minItems"},
    {"failed to parse grammar", "pattern.invalid"},
    {"JSON schema is invalid", "schema.metaschema"},
    {"is not of type", "schema.metaschema"},
    {"is not valid under any of the given schemas", "schema.metaschema"},
    {"Invalid value at", "schema.metaschema"},
};

/* ---- patterns -------------------------------------------------------------------------- */

static bool take_number(fer_str text, size_t *at, uint64_t *out)
{
    size_t from = *at;
    while (*at < text.len && fer_is_digit(text.ptr[*at])) (*at)++;
    return *at > from && fer_parse_u64(fer_str_slice(text, from, *at), out);
}

/* The text up to the character that ends it: the pattern's next, else what ends a path. */
static fer_str take_until(fer_str text, size_t *at, char end)
{
    size_t from = *at;
    for (; *at < text.len; (*at)++) {
        char c = text.ptr[*at];
        bool colon = c == ':' && (*at + 1 == text.len || text.ptr[*at + 1] == ' ');
        if (end ? c == end : c == ' ' || c == '\n' || c == '\'' || c == '`' || colon) break;
    }
    return fer_str_slice(text, from, *at);
}

static bool take_field(char kind, char end, fer_str text, size_t *at, fer_blame *b)
{
    uint64_t number;
    switch (kind) {
    case 'i':
    case 'I':
        if (!take_number(text, at, &number) || number >= FER_TOOLS_MAX) return false;
        b->number = (size_t)number + (kind == 'i');
        return true;
    case 'n': b->name = take_until(text, at, end); return b->name.len > 0;
    case 'k': b->keyword = take_until(text, at, end); return b->keyword.len > 0;
    default:
        b->in_schema = kind == 's';
        b->path = take_until(text, at, end);
        return true;
    }
}

static bool matches_at(const char *pattern, fer_str text, size_t at, fer_blame *b)
{
    for (; *pattern; pattern++) {
        if (pattern[0] != '%') {
            if (at >= text.len || text.ptr[at++] != *pattern) return false;
            continue;
        }
        char kind = *++pattern;
        if (kind != '*') {
            if (!take_field(kind, pattern[1], text, &at, b)) return false;
            continue;
        }
        if (!pattern[1]) return true;
        for (size_t from = at; from < text.len; from++) {
            fer_blame rest = *b;
            if (!matches_at(pattern + 1, text, from, &rest)) continue;
            *b = rest;
            return true;
        }
        return false;
    }
    return true;
}

static bool find_family(const struct family *f, fer_str text, fer_blame *out)
{
    for (size_t at = 0; at < text.len; at++) {
        fer_blame b = {
            .family = f->title, .name = FER_STR(""), .path = FER_STR(""), .keyword = FER_STR("")};
        if (text.ptr[at] != f->pattern[0] && f->pattern[0] != '%') continue;
        if (!matches_at(f->pattern, text, at, &b)) continue;
        *out = b;
        return true;
    }
    return false;
}

/* ---- rules ------------------------------------------------------------------------------- */

/* The rule about a keyword, or NULL. */
static const fer_rule *rule_of_keyword(fer_str keyword)
{
    enum fer_slot slot = fer_slot_find(keyword);
    if (slot == KW_REF) return fer_profile_rule_of(FER_PR_REF_ANY);
    for (size_t i = 0; slot != KW_COUNT && i < FER_PR_COUNT; i++) {
        if (fer_profile_rules[i].keywords & FER_SLOT(slot))
            return fer_profile_rule_of((enum fer_profile_rule_id)i);
    }
    return fer_profile_rule_of(FER_PR_KEYWORD_UNLISTED);
}

/* "'allOf' is not permitted": the keyword in front of the words. */
static fer_str quoted_before(fer_str text, const char *words)
{
    const char *at = memmem(text.ptr, text.len, words, strlen(words));
    if (!at || at == text.ptr || at[-1] != '\'') return FER_STR("");
    size_t end = (size_t)(at - text.ptr) - 1, from = end;
    while (from > 0 && text.ptr[from - 1] != '\'') from--;
    return fer_str_slice(text, from, end);
}

static void find_rule(fer_str text, fer_blame *b)
{
    if (!b->keyword.len) b->keyword = quoted_before(text, " is not permitted");
    for (size_t i = 0; i < FER_COUNT(sayings) && !b->rule; i++) {
        if (memmem(text.ptr, text.len, sayings[i].words, strlen(sayings[i].words)))
            b->rule = fer_rule_find(fer_str_of(sayings[i].rule));
    }
    bool better =
        b->keyword.len && (!b->rule || b->rule == fer_profile_rule_of(FER_PR_SCHEMA_METASCHEMA));
    if (better) b->rule = rule_of_keyword(b->keyword);
}

fer_code fer_blame_read(fer_str message, fer_blame *out, fer_err *err)
{
    if (message.len > FER_BLAME_TEXT)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "blame.size: a message has at most %zu bytes",
                        FER_BLAME_TEXT);
    for (size_t i = 0; i < FER_COUNT(families); i++) {
        if (!find_family(&families[i], message, out)) continue;
        find_rule(message, out);
        return FER_OK;
    }
    return fer_fail(err, FER_UNKNOWN_SHAPE,
                    "no provider's message that is known looks like this; check the tools with "
                    "--profile instead");
}

/* ---- places --------------------------------------------------------------------------------- */

static bool is_separator(char c)
{
    return c == '.' || c == '[' || c == ']' || c == '\'' || c == '"' || c == ',' || c == ' ' ||
           c == '`';
}

/* The next step of a path: properties.a, properties[a], ('properties', 'a'). */
static fer_str next_step(fer_str path, size_t *at)
{
    while (*at < path.len && is_separator(path.ptr[*at])) (*at)++;
    size_t from = *at;
    while (*at < path.len && !is_separator(path.ptr[*at])) (*at)++;
    return fer_str_slice(path, from, *at);
}

/* Names that providers write in another way, and those that are their own. */
static bool is_wrapper(fer_str step)
{
    return fer_str_is(step, "function") || fer_str_is(step, "toolSpec") ||
           fer_str_is(step, "value") || fer_str_is(step, "member") || fer_str_is(step, "json") ||
           fer_str_is(step, "root");
}

static bool is_schema_word(fer_str step)
{
    return fer_str_is(step, "parameters") || fer_str_is(step, "input_schema") ||
           fer_str_is(step, "inputSchema") || fer_str_is(step, "parametersJsonSchema") ||
           fer_str_is(step, "parameters_json_schema");
}

/* any_of and anyOf are the same. */
static bool same_word(fer_str key, fer_str step)
{
    size_t k = 0, s = 0;
    while (s < step.len) {
        bool up = step.ptr[s] == '_' && s + 1 < step.len;
        char c = up ? step.ptr[s + 1] : step.ptr[s];
        if (k >= key.len || fer_lower(key.ptr[k]) != fer_lower(c)) return false;
        k++;
        s += up ? 2 : 1;
    }
    return k == key.len;
}

/* The n-th item, or member: proto messages number the entries of maps. */
static const yyjson_val *nth(const yyjson_val *v, uint64_t n)
{
    uint64_t i = 0;
    if (fer_is_arr(v)) {
        FER_EACH_ITEM (v, item) {
            if (i++ == n) return item;
        }
    } else if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, key) {
            if (i++ == n) return key + 1;
        }
    }
    return NULL;
}

static const yyjson_val *step_into(const yyjson_val *v, fer_str step)
{
    uint64_t n;
    const yyjson_val *key = fer_val_key(v, step);
    if (key) return key + 1;
    if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, other) {
            if (same_word(fer_val_str(other), step)) return other + 1;
        }
    }
    const yyjson_val *properties = fer_val_get(v, "properties"); /* Vertex leaves the word out */
    key = properties ? fer_val_key(properties, step) : NULL;
    if (key) return key + 1;
    return fer_parse_u64(step, &n) ? nth(v, n) : NULL;
}

static const yyjson_val *schema_of(const fer_tool *t)
{
    return t->values[FER_FIELD_INPUT_SCHEMA] ? t->values[FER_FIELD_INPUT_SCHEMA] : t->record;
}

/* As far as the path leads; *whole: to its end. */
static const yyjson_val *follow(const fer_blame *b, const fer_tool *t, bool *whole)
{
    const yyjson_val *v = b->in_schema ? schema_of(t) : t->record;
    *whole = true;
    for (size_t at = 0;;) {
        fer_str step = next_step(b->path, &at);
        if (!step.len) break;
        const yyjson_val *next =
            v == t->record && is_schema_word(step) ? schema_of(t) : step_into(v, step);
        if (!next && is_wrapper(step)) continue;
        *whole = next != NULL;
        if (!next) break;
        v = next;
    }
    const yyjson_val *named = *whole && b->keyword.len ? fer_val_key(v, b->keyword) : NULL;
    return named ? named : v;
}

/* A client's name for the tool ends in the tool's own. */
static bool ends_in(fer_str name, fer_str own)
{
    if (name.len <= own.len || !own.len) return false;
    char before = name.ptr[name.len - own.len - 1];
    return fer_str_eq(fer_str_slice(name, name.len - own.len, name.len), own) &&
           !fer_is_alpha(before) && !fer_is_digit(before);
}

fer_blame_match fer_blame_tool(const fer_blame *b, const fer_tool *tool, size_t number,
                               const yyjson_val **at)
{
    bool whole;
    fer_str own = fer_tool_name(tool);
    if (b->number && b->number != number) return FER_BLAME_NO;
    bool exact = b->name.len && fer_str_eq(b->name, own);
    if (b->name.len && !exact && !ends_in(b->name, own)) return FER_BLAME_NO;
    *at = follow(b, tool, &whole);
    if (b->number || exact) return FER_BLAME_YES;
    if (b->name.len) return FER_BLAME_MAYBE;
    return b->path.len && whole ? FER_BLAME_MAYBE : FER_BLAME_NO;
}
