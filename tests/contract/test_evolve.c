/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of contracts: each kind with its verdicts, the rules of the study, versions, pairing. */
#include <ferrule/evolve.h>
#include <stdlib.h>

#include "buf.h"
#include "file.h"
#include "rows.h"

#define IN(s)      "{\"name\":\"t\",\"inputSchema\":" s "}"
#define OUT(s)     "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":" s "}"
#define OPEN(p)    "{\"type\":\"object\",\"properties\":{" p "}}"
#define CLOSED(p)  "{\"type\":\"object\",\"properties\":{" p "},\"additionalProperties\":false}"
#define NEED(p, r) "{\"type\":\"object\",\"properties\":{" p "},\"required\":[" r "]}"
#define P(name, s) "\"" name "\":" s
#define A(s)       OPEN(P("a", s))

enum {
    N = FER_IMPACT_NONE,
    C = FER_IMPACT_COMPATIBLE,
    L = FER_IMPACT_NOTICE,
    U = FER_IMPACT_UNKNOWN,
    B = FER_IMPACT_BREAKING
};

/* `rule` is the name of a row of compat-rules.tsv, or empty. */
static const struct row {
    const char *name;
    const char *rule;
    const char *kind; /* one of the changes */
    const char *old;  /* what stands for S in both an input and an output; or whole tools */
    const char *now;
    int callers; /* as an input */
    int readers; /* as an output, to a tolerant reader */
    int strict;  /* the same to a strict one */
    fer_bump input, output;
    bool whole; /* old and now are tools */
} rows[] = {
    {"tool removed", "tool removed / renamed", "tool.removed", IN("{\"type\":\"object\"}"), "[]", B,
     B, B, FER_BUMP_MAJOR, FER_BUMP_MAJOR, true},
    {"tool added", "tool added", "tool.added", "[]", IN("{\"type\":\"object\"}"), C, C, C,
     FER_BUMP_MINOR, FER_BUMP_MINOR, true},
    {"optional property, closed", "property added, optional, object closed in old",
     "property.added.optional", CLOSED(""), CLOSED(P("a", "{\"type\":\"string\"}")), C, C, B,
     FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"optional property, open", "property added, optional, object open in old",
     "property.added.optional", OPEN(""), A("{\"type\":\"string\"}"), L, C, C, FER_BUMP_MINOR,
     FER_BUMP_MINOR},
    {"required property", "property added, required, no default", "property.added.required",
     OPEN(""), NEED(P("a", "{\"type\":\"string\"}"), "\"a\""), B, C, C, FER_BUMP_MAJOR,
     FER_BUMP_MINOR},
    {"required property with default", "property added, required, with default",
     "property.added.default", OPEN(""),
     NEED(P("a", "{\"type\":\"string\",\"default\":\"x\"}"), "\"a\""), B, C, C, FER_BUMP_MAJOR,
     FER_BUMP_MINOR},
    {"optional property removed, closed", "property removed, closed", "property.removed",
     CLOSED(P("a", "{\"type\":\"string\"}")), CLOSED(""), B, L, L, FER_BUMP_MAJOR, FER_BUMP_MAJOR},
    {"required property removed, closed", "property removed, closed", "property.removed",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"],\"additionalProperties\":false}",
     CLOSED(""), B, B, B, FER_BUMP_MAJOR, FER_BUMP_MAJOR},
    {"optional property removed, open", "property removed, open", "property.removed",
     A("{\"type\":\"string\"}"), OPEN(""), L, L, L, FER_BUMP_MAJOR, FER_BUMP_MAJOR},
    {"property renamed, open", "property renamed", "property.renamed",
     OPEN(P("colour", "{\"type\":\"string\"}")), OPEN(P("color", "{\"type\":\"string\"}")), B, B, B,
     FER_BUMP_MAJOR, FER_BUMP_MAJOR},
    {"property renamed, required", "property renamed", "property.renamed",
     NEED(P("colour", "{\"type\":\"string\"}"), "\"colour\""),
     NEED(P("color", "{\"type\":\"string\"}"), "\"color\""), B, B, B, FER_BUMP_MAJOR,
     FER_BUMP_MAJOR},
    {"optional to required", "optional -> required", "property.required",
     A("{\"type\":\"string\"}"), NEED(P("a", "{\"type\":\"string\"}"), "\"a\""), B, C, C,
     FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"required to optional", "required -> optional", "property.optional",
     NEED(P("a", "{\"type\":\"string\"}"), "\"a\""), A("{\"type\":\"string\"}"), C, B, B,
     FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"integer to number", "type widened (integer->number, T->[T,null], union branch added)",
     "type.widened", A("{\"type\":\"integer\"}"), A("{\"type\":\"number\"}"), C, B, B,
     FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"nullable", "type widened (integer->number, T->[T,null], union branch added)", "type.widened",
     A("{\"type\":\"string\"}"), A("{\"type\":[\"string\",\"null\"]}"), C, B, B, FER_BUMP_MINOR,
     FER_BUMP_MAJOR},
    {"number to integer", "type narrowed", "type.narrowed", A("{\"type\":\"number\"}"),
     A("{\"type\":\"integer\"}"), B, L, L, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"string to integer", "type changed, disjoint", "type.changed", A("{\"type\":\"string\"}"),
     A("{\"type\":\"integer\"}"), B, B, B, FER_BUMP_MAJOR, FER_BUMP_MAJOR},
    {"enum value added", "enum value added", "enum.added", A("{\"enum\":[\"x\"]}"),
     A("{\"enum\":[\"x\",\"y\"]}"), C, B, B, FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"extensible enum", "", "enum.added", A("{\"enum\":[\"x\"],\"x-extensible-enum\":true}"),
     A("{\"enum\":[\"x\",\"y\"],\"x-extensible-enum\":true}"), C, L, L, FER_BUMP_MINOR,
     FER_BUMP_MINOR},
    {"enum value removed", "enum value removed", "enum.removed", A("{\"enum\":[\"x\",\"y\"]}"),
     A("{\"enum\":[\"x\"]}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"enum introduced", "enum or const introduced", "enum.introduced", A("{\"type\":\"string\"}"),
     A("{\"type\":\"string\",\"enum\":[\"x\"]}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"const introduced", "enum or const introduced", "enum.introduced", A("{\"type\":\"string\"}"),
     A("{\"type\":\"string\",\"const\":\"x\"}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"enum dropped", "enum or const removed entirely", "enum.dropped",
     A("{\"type\":\"string\",\"enum\":[\"x\"]}"), A("{\"type\":\"string\"}"), C, B, B,
     FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"minimum raised", "minimum, minLength, minItems, minProperties raised / max* lowered / set",
     "bound.tightened", A("{\"type\":\"integer\",\"minimum\":1}"),
     A("{\"type\":\"integer\",\"minimum\":2}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"maxLength set", "minimum, minLength, minItems, minProperties raised / max* lowered / set",
     "bound.tightened", A("{\"type\":\"string\"}"), A("{\"type\":\"string\",\"maxLength\":5}"), B,
     C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"maxItems lowered", "minimum, minLength, minItems, minProperties raised / max* lowered / set",
     "bound.tightened", A("{\"type\":\"array\",\"maxItems\":5}"),
     A("{\"type\":\"array\",\"maxItems\":4}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"minProperties raised",
     "minimum, minLength, minItems, minProperties raised / max* lowered / set", "bound.tightened",
     A("{\"type\":\"object\"}"), A("{\"type\":\"object\",\"minProperties\":1}"), B, C, C,
     FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"maximum removed", "bounds relaxed or removed", "bound.relaxed",
     A("{\"type\":\"number\",\"maximum\":5}"), A("{\"type\":\"number\"}"), C, B, B, FER_BUMP_MINOR,
     FER_BUMP_MAJOR},
    {"multipleOf divides", "multipleOf: new divides old", "multiple.relaxed",
     A("{\"type\":\"number\",\"multipleOf\":6}"), A("{\"type\":\"number\",\"multipleOf\":3}"), C, B,
     B, FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"multipleOf is a multiple", "", "multiple.tightened",
     A("{\"type\":\"number\",\"multipleOf\":3}"), A("{\"type\":\"number\",\"multipleOf\":6}"), B, C,
     C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"pattern added", "pattern added / changed", "pattern.added", A("{\"type\":\"string\"}"),
     A("{\"type\":\"string\",\"pattern\":\"^a\"}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"pattern widened", "", "pattern.changed", A("{\"type\":\"string\",\"pattern\":\"^a+$\"}"),
     A("{\"type\":\"string\",\"pattern\":\"^[ab]+$\"}"), C, B, B, FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"pattern that nobody can compare", "", "pattern.changed",
     A("{\"type\":\"string\",\"pattern\":\"^(?=a)[ab]$\"}"),
     A("{\"type\":\"string\",\"pattern\":\"^(?=a)a$\"}"), U, U, U, FER_BUMP_MAJOR, FER_BUMP_MAJOR},
    {"pattern removed", "pattern removed", "pattern.removed",
     A("{\"type\":\"string\",\"pattern\":\"^a\"}"), A("{\"type\":\"string\"}"), C, B, B,
     FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"format", "format added/changed/removed", "format", A("{\"type\":\"string\"}"),
     A("{\"type\":\"string\",\"format\":\"date\"}"), L, L, L, FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"opened", "additionalProperties false -> open", "additional.opened", CLOSED(""), OPEN(""), C,
     C, B, FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"closed", "additionalProperties open -> false", "additional.closed", OPEN(""), CLOSED(""), B,
     C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"unique", "uniqueItems set / contains added", "constraint.added", A("{\"type\":\"array\"}"),
     A("{\"type\":\"array\",\"uniqueItems\":true}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"contains", "uniqueItems set / contains added", "constraint.added", A("{\"type\":\"array\"}"),
     A("{\"type\":\"array\",\"contains\":{\"const\":1}}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"branch added", "anyOf/oneOf branch added", "alternative.added",
     A("{\"anyOf\":[{\"type\":\"string\"}]}"),
     A("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"), C, B, B, FER_BUMP_MINOR,
     FER_BUMP_MAJOR},
    {"overlapping branch added", "", "alternative.added", A("{\"oneOf\":[{\"type\":\"string\"}]}"),
     A("{\"oneOf\":[{\"type\":\"string\"},{\"minLength\":3}]}"), B, B, B, FER_BUMP_MAJOR,
     FER_BUMP_MAJOR},
    {"branch removed", "anyOf/oneOf branch removed", "alternative.removed",
     A("{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}"),
     A("{\"oneOf\":[{\"type\":\"string\"}]}"), B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"allOf branch added", "allOf branch, not, if/then added", "constraint.added",
     A("{\"allOf\":[{\"type\":\"string\"}]}"),
     A("{\"allOf\":[{\"type\":\"string\"},{\"minLength\":1}]}"), B, C, C, FER_BUMP_MAJOR,
     FER_BUMP_MINOR},
    {"not added", "allOf branch, not, if/then added", "constraint.added",
     A("{\"type\":\"string\"}"), A("{\"type\":\"string\",\"not\":{\"const\":\"a\"}}"), B, C, C,
     FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"if added", "allOf branch, not, if/then added", "constraint.added",
     NEED(P("a", "{}"), "\"a\""),
     "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"],\"if\":{\"properties\":{\"a\":{\"const\":1}}},\"then\":{\"required\":[\"b\"]}}",
     B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"allOf branch removed", "allOf branch removed", "constraint.removed",
     A("{\"allOf\":[{\"type\":\"string\"},{\"minLength\":1}]}"),
     A("{\"allOf\":[{\"type\":\"string\"}]}"), C, B, B, FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"prefix position added", "prefixItems position added / removed (closed)", "prefix.added",
     A("{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}"),
     A("{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"string\"}],\"items\":false}"),
     C, B, B, FER_BUMP_MINOR, FER_BUMP_MAJOR},
    {"prefix position removed", "prefixItems position added / removed (closed)", "prefix.removed",
     A("{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"string\"}],\"items\":false}"),
     A("{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}"), B, C, C,
     FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"default added", "default added / changed / removed", "default.added",
     A("{\"type\":\"string\"}"), A("{\"type\":\"string\",\"default\":\"x\"}"), L, N, N,
     FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"default changed", "default added / changed / removed", "default.changed",
     A("{\"default\":\"y\"}"), A("{\"default\":\"x\"}"), L, N, N, FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"default removed", "default added / changed / removed", "default.removed",
     A("{\"default\":\"y\"}"), A("{}"), L, N, N, FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"outputSchema added", "outputSchema added", "output.added", IN("{\"type\":\"object\"}"),
     OUT("{\"type\":\"object\"}"), N, C, C, FER_BUMP_MINOR, FER_BUMP_MINOR, true},
    {"outputSchema removed", "outputSchema removed", "output.removed", OUT("{\"type\":\"object\"}"),
     IN("{\"type\":\"object\"}"), N, B, B, FER_BUMP_MAJOR, FER_BUMP_MAJOR, true},
    {"description", "description, title, examples changed", "text", A("{\"description\":\"a\"}"),
     A("{\"description\":\"b\"}"), L, C, C, FER_BUMP_PATCH, FER_BUMP_PATCH},
    {"description of the tool", "description, title, examples changed", "text",
     "{\"name\":\"t\",\"description\":\"a\",\"inputSchema\":{}}",
     "{\"name\":\"t\",\"description\":\"b\",\"inputSchema\":{}}", L, C, C, FER_BUMP_PATCH,
     FER_BUMP_PATCH, true},
    {"no longer read-only",
     "readOnlyHint true->false, destructiveHint false->true, idempotentHint true->false",
     "hint.unsafe", "{\"name\":\"t\",\"inputSchema\":{},\"annotations\":{\"readOnlyHint\":true}}",
     "{\"name\":\"t\",\"inputSchema\":{},\"annotations\":{\"readOnlyHint\":false}}", B, N, N,
     FER_BUMP_MAJOR, FER_BUMP_MAJOR, true},
    {"destructive by default",
     "readOnlyHint true->false, destructiveHint false->true, idempotentHint true->false",
     "hint.unsafe",
     "{\"name\":\"t\",\"inputSchema\":{},\"annotations\":{\"destructiveHint\":false}}",
     "{\"name\":\"t\",\"inputSchema\":{}}", B, N, N, FER_BUMP_MAJOR, FER_BUMP_MAJOR, true},
    {"read-only now", "readOnlyHint false->true and the like", "hint.safer",
     "{\"name\":\"t\",\"inputSchema\":{},\"annotations\":{\"readOnlyHint\":false}}",
     "{\"name\":\"t\",\"inputSchema\":{},\"annotations\":{\"readOnlyHint\":true}}", C, N, N,
     FER_BUMP_MINOR, FER_BUMP_MINOR, true},
    {"open world", "openWorldHint false->true", "hint.open-world",
     "{\"name\":\"t\",\"inputSchema\":{},\"annotations\":{\"openWorldHint\":false}}",
     "{\"name\":\"t\",\"inputSchema\":{},\"annotations\":{\"openWorldHint\":true}}", L, N, N,
     FER_BUMP_MINOR, FER_BUMP_MINOR, true},
    {"dialect, same meaning", "$schema dialect changed", "dialect",
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"type\":\"object\"}",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\"}", C, C, C,
     FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"dialect, siblings of a reference", "$schema dialect changed", "dialect",
     "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"definitions\":{\"a\":{\"type\":\"object\"}},\"$ref\":\"#/definitions/a\",\"required\":[\"x\"]}",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"definitions\":{\"a\":{\"type\":\"object\"}},\"$ref\":\"#/definitions/a\",\"required\":[\"x\"]}",
     B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"header", "x-mcp-header added/removed", "header", A("{\"type\":\"string\"}"),
     A("{\"type\":\"string\",\"x-mcp-header\":\"A\"}"), L, N, N, FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"deprecated", "deprecated: true set", "deprecated", A("{}"), A("{\"deprecated\":true}"), C, C,
     C, FER_BUMP_MINOR, FER_BUMP_MINOR},
    /* not in the study */
    {"effect raised", "", "effect.raised",
     "{\"name\":\"t\",\"inputSchema\":{},\"effect\":\"Pure\"}",
     "{\"name\":\"t\",\"inputSchema\":{},\"effect\":\"ExternalSideEffects\"}", B, N, N,
     FER_BUMP_MAJOR, FER_BUMP_MAJOR, true},
    {"one more scope", "", "scope.added",
     "{\"name\":\"t\",\"inputSchema\":{},\"requiredScopes\":[\"a\"]}",
     "{\"name\":\"t\",\"inputSchema\":{},\"requiredScopes\":[\"a\",\"b\"]}", B, N, N,
     FER_BUMP_MAJOR, FER_BUMP_MAJOR, true},
    {"the first scope", "", "scope.added", "{\"name\":\"t\",\"inputSchema\":{}}",
     "{\"name\":\"t\",\"inputSchema\":{},\"requiredScopes\":[\"a\"]}", B, N, N, FER_BUMP_MAJOR,
     FER_BUMP_MAJOR, true},
    {"one scope less", "", "scope.removed",
     "{\"name\":\"t\",\"inputSchema\":{},\"requiredScopes\":[\"a\",\"b\"]}",
     "{\"name\":\"t\",\"inputSchema\":{},\"requiredScopes\":[\"b\"]}", C, N, N, FER_BUMP_MINOR,
     FER_BUMP_MINOR, true},
    {"a key is required", "", "idempotency.required",
     "{\"name\":\"t\",\"inputSchema\":{},\"idempotency\":\"optional\"}",
     "{\"name\":\"t\",\"inputSchema\":{},\"idempotency\":\"required\"}", B, N, N, FER_BUMP_MAJOR,
     FER_BUMP_MAJOR, true},
    {"a key is no longer required", "", "idempotency.relaxed",
     "{\"name\":\"t\",\"inputSchema\":{},\"idempotency\":\"required\"}",
     "{\"name\":\"t\",\"inputSchema\":{},\"idempotency\":\"optional\"}", C, N, N, FER_BUMP_MINOR,
     FER_BUMP_MINOR, true},
    {"a reference in place of its target", "", "type.widened",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"$defs\":{\"s\":{\"type\":\"string\"}}}",
     "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/s\"}},\"$defs\":{\"s\":{\"type\":\"string\"}}}",
     C, C, C, FER_BUMP_MINOR, FER_BUMP_MINOR},
    {"items narrowed", "", "bound.tightened",
     A("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"),
     A("{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":3}}"), B, C, C,
     FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"in a definition", "", "bound.tightened",
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/s\"}},\"$defs\":{\"s\":{\"type\":\"string\"}}}",
     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/s\"}},\"$defs\":{\"s\":{\"type\":\"string\",\"maxLength\":2}}}",
     B, C, C, FER_BUMP_MAJOR, FER_BUMP_MINOR},
    {"in a definition that nobody uses", "", "bound.tightened",
     "{\"$defs\":{\"s\":{\"type\":\"string\"}}}",
     "{\"$defs\":{\"s\":{\"type\":\"string\",\"maxLength\":2}}}", C, C, C, FER_BUMP_MINOR,
     FER_BUMP_MINOR},
};

static fer_toolset *set_of(const char *text)
{
    fer_err err;
    fer_toolset *set = fer_toolset_new();
    if (fer_toolset_add(set, FER_STR("t.json"), fer_str_of(text), FER_FORMAT_JSON, &err))
        fail_msg("%s: %s", text, err.message);
    return set;
}

static fer_diff diff_of(fer_arena *a, const fer_toolset *x, const fer_toolset *y, bool strict)
{
    fer_err err = {0};
    fer_diff diff = {0};
    fer_diff_options o = {.strict_reader = strict, .places = true};
    if (fer_toolset_diff(a, x, y, &o, &diff, &err)) fail_msg("%s", err.message);
    return diff;
}

static void expect(const struct row *row, const fer_diff *diff, int callers, int readers,
                   fer_bump bump)
{
    bool kind = false;
    assert_int_equal(diff->count, 1);
    const fer_tool_diff *t = &diff->tools[0];
    for (size_t i = 0; i < t->count; i++) {
        const fer_tool_change *c = &t->changes[i];
        kind |= strcmp(c->kind->id, row->kind) == 0;
        bool witness = c->kind->decided || c->kind->id[0] == 't' || c->kind->id[0] == 'o';
        bool breaks = c->callers == FER_IMPACT_BREAKING || c->readers == FER_IMPACT_BREAKING;
        if (breaks && witness && !c->witness.len) fail_msg("no witness: %.*s", FER_PRI(c->message));
        if (c->side != FER_SIDE_TOOL) assert_true(c->old_place.line || c->new_place.line);
    }
    if (!kind) fail_msg("no %s, but %s", row->kind, t->changes[0].kind->id);
    if ((int)t->callers != callers || (int)t->readers != readers || t->needed != bump)
        fail_msg("callers %s, readers %s, bump %s: %.*s %.*s", fer_impact_name(t->callers),
                 fer_impact_name(t->readers), fer_bump_name(t->needed),
                 FER_PRI(t->changes[0].message), FER_PRI(t->changes[0].witness));
}

static void compare(const struct row *row, const char *format, bool strict, int callers,
                    int readers, fer_bump bump)
{
    fer_arena *a = fer_arena_new(0);
    fer_str x = fer_arena_printf(a, "%s%s}", format, row->old),
            y = fer_arena_printf(a, "%s%s}", format, row->now);
    fer_toolset *old = set_of(row->whole ? row->old : x.ptr),
                *now = set_of(row->whole ? row->now : y.ptr);
    fer_diff diff = diff_of(a, old, now, strict);
    expect(row, &diff, callers, readers, bump);
    fer_toolset_free(old);
    fer_toolset_free(now);
    fer_arena_free(a);
}

static void run(const struct row *row)
{
    static const char in[] = "{\"name\":\"t\",\"inputSchema\":";
    static const char out[] =
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":";
    if (row->whole) {
        compare(row, in, false, row->callers, row->readers, row->input);
        compare(row, in, true, row->callers, row->strict, row->input);
        return;
    }
    compare(row, in, false, row->callers, N, row->input);
    compare(row, out, false, N, row->readers, row->output);
    compare(row, out, true, N, row->strict, row->strict >= U ? FER_BUMP_MAJOR : row->output);
}

/* ---- the study's table ------------------------------------------------------------------------
 */

static fer_str column(fer_str line, size_t number)
{
    size_t from = 0;
    for (; number > 0; number--) {
        size_t tab = fer_str_find(line, from, '\t');
        if (tab == SIZE_MAX) return FER_STR("");
        from = tab + 1;
    }
    size_t end = fer_str_find(line, from, '\t');
    return fer_str_slice(line, from, end == SIZE_MAX ? line.len : end);
}

/* A column that says one thing only must say what the row expects. */
static void agrees(const struct row *row, fer_str said, int expected)
{
    bool breaks =
        fer_str_is(said, "**B**") || fer_str_is(said, "B") || fer_str_is(said, "**B** (safety)");
    bool fine = fer_str_is(said, "ok") || fer_str_is(said, "ok (stronger promise)") ||
                fer_str_is(said, "ok / ok");
    bool warns = fer_str_starts(said, "warn");
    if ((breaks && expected != B) || (fine && expected != C && expected != L) ||
        (warns && expected != L))
        fail_msg("%s: the study says %.*s", row->name, FER_PRI(said));
}

static size_t check_line(fer_str line)
{
    size_t covered = 0;
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (!rows[i].rule[0] || !fer_str_is(column(line, 0), rows[i].rule)) continue;
        covered++;
        agrees(&rows[i], column(line, 1), rows[i].callers);
        agrees(&rows[i], column(line, 2), rows[i].readers);
    }
    return covered;
}

static void study(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str path = fer_arena_printf(a, "%s/../providers/compat-rules.tsv", rows_data()), text;
    fer_err err;
    size_t lines = 0;
    if (!rows_data()[0] || fer_file_read(a, path.ptr, 1 << 20, &text, &err)) {
        printf("# skipped: compat-rules.tsv is not there\n");
        fer_arena_free(a);
        skip();
        return;
    }
    for (size_t at = fer_str_find(text, 0, '\n') + 1; at < text.len; lines++) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_str line = fer_str_slice(text, at, end);
        if (!check_line(line)) fail_msg("no row for: %.*s", FER_PRI(column(line, 0)));
        at = end + 1;
    }
    assert_int_equal(lines, 42);
    fer_arena_free(a);
}

/* ---- versions -----------------------------------------------------------------------------------
 */

#define V(version, s)                                                                              \
    "{\"name\":\"t\",\"namespace\":\"n\",\"version\":\"" version "\",\"inputSchema\":" s "}"
#define S1 "{\"type\":\"object\",\"additionalProperties\":false}"
#define S2                                                                                         \
    "{\"type\":\"object\",\"properties\":{\"a\":{}},\"additionalProperties\":false}" /* minor */
#define S3 "{\"type\":\"object\",\"required\":[\"a\"]}"                              /* major */

static const struct version {
    const char *name;
    const char *old, *now;
    fer_bump needed, declared_bump;
    fer_declared declared;
    bool fails;
} versions[] = {
    {"right", V("1.0.0", S1), V("1.1.0", S2), FER_BUMP_MINOR, FER_BUMP_MINOR, FER_DECLARED_RIGHT,
     false},
    {"smaller", V("1.0.0", S1), V("1.0.1", S2), FER_BUMP_MINOR, FER_BUMP_PATCH,
     FER_DECLARED_SMALLER, true},
    {"none", V("1.0.0", S1), V("1.0.0", S2), FER_BUMP_MINOR, FER_BUMP_NONE, FER_DECLARED_SMALLER,
     true},
    {"larger", V("1.0.0", S1), V("2.0.0", S2), FER_BUMP_MINOR, FER_BUMP_MAJOR, FER_DECLARED_LARGER,
     false},
    {"major", V("1.0.0", S1), V("2.0.0", S3), FER_BUMP_MAJOR, FER_BUMP_MAJOR, FER_DECLARED_RIGHT,
     false},
    {"leading v", V("v1.0.0", S1), V("v2.0.0", S3), FER_BUMP_MAJOR, FER_BUMP_MAJOR,
     FER_DECLARED_RIGHT, false},
    {"before 1.0.0", V("0.1.0", S1), V("0.2.0", S3), FER_BUMP_MINOR, FER_BUMP_MINOR,
     FER_DECLARED_RIGHT, false},
    {"before 1.0.0, too small", V("0.1.0", S1), V("0.1.1", S3), FER_BUMP_MINOR, FER_BUMP_PATCH,
     FER_DECLARED_SMALLER, true},
    {"back", V("1.1.0", S1), V("1.0.0", S2), FER_BUMP_MINOR, FER_BUMP_MINOR, FER_DECLARED_BACK,
     true},
    {"after a pre-release", V("2.0.0-rc.1", S1), V("2.0.0-rc.2", S3), FER_BUMP_MAJOR,
     FER_BUMP_PATCH, FER_DECLARED_RIGHT, false},
    {"no version, breaking", IN(S1), IN(S3), FER_BUMP_MAJOR, FER_BUMP_NONE, FER_DECLARED_MISSING,
     true},
    {"no version, minor", IN(S1), IN(S2), FER_BUMP_MINOR, FER_BUMP_NONE, FER_DECLARED_MISSING,
     false},
};

static void run_version(const struct version *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *old = set_of(row->old), *now = set_of(row->now);
    fer_diff diff = diff_of(a, old, now, false);
    assert_int_equal(diff.count, 1);
    const fer_tool_diff *t = &diff.tools[0];
    assert_int_equal(t->declared, row->declared);
    assert_int_equal(t->declared_bump, row->declared_bump);
    if (row->declared != FER_DECLARED_RIGHT || row->needed != FER_BUMP_MAJOR)
        assert_int_equal(t->needed, row->needed);
    assert_int_equal(diff.fails, row->fails);
    fer_toolset_free(old);
    fer_toolset_free(now);
    fer_arena_free(a);
}

/* ---- pairing
 * -------------------------------------------------------------------------------------- */

#define T(name, s) "{\"name\":\"" name "\",\"inputSchema\":" s "}"

static const struct pairing {
    const char *name;
    const char *old, *now;
    const char *expected; /* ids and kinds */
} pairings[] = {
    {"nothing changed", "[" T("a", S1) "," T("b", S1) "]", "[" T("b", S1) "," T("a", S1) "]", ""},
    {"order of keys", T("a", "{\"type\":\"object\",\"minProperties\":1}"),
     T("a", "{\"minProperties\":1,\"type\":\"object\"}"), ""},
    {"renamed", "[" T("get_issue", S2) "]", "[" T("fetch_issue", S2) "]",
     "fetch_issue=tool.renamed "},
    {"gone and new", "[" T("a", S1) "]", "[" T("completely_other", S3) "]",
     "a=tool.removed completely_other=tool.added "},
    {"versions side by side", "[" V("1.0.0", S1) "]", "[" V("1.0.0", S1) "," V("2.0.0", S3) "]",
     "n:t=tool.added "},
    {"the higher version", "[" V("1.0.0", S1) "," V("2.0.0", S1) "]",
     "[" V("1.0.0", S1) "," V("2.1.0", S2) "]", "n:t=property.added.optional "},
};

static void run_pairing(const struct pairing *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *old = set_of(row->old), *now = set_of(row->now);
    fer_diff diff = diff_of(a, old, now, false);
    fer_buf b;
    fer_buf_init(&b, a, 4096);
    for (size_t i = 0; i < diff.count; i++)
        for (size_t c = 0; c < diff.tools[i].count; c++)
            fer_buf_printf(&b, "%.*s=%s ", FER_PRI(diff.tools[i].id),
                           diff.tools[i].changes[c].kind->id);
    assert_str(b.len ? fer_buf_view(&b) : FER_STR(""), row->expected);
    fer_toolset_free(old);
    fer_toolset_free(now);
    fer_arena_free(a);
}

/* ---- the table of kinds, and places
 * ----------------------------------------------------------------- */

static void kinds_in_order(void)
{
    size_t count;
    const fer_change_kind *k = fer_change_kinds(&count);
    for (size_t i = 1; i < count; i++) assert_true(strcmp(k[i - 1].id, k[i].id) < 0);
}

static void places(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_toolset *old = set_of(
        "[{\"name\":\"x\",\"inputSchema\":{}},\n {\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\n  \"maxProperties\":5}}]");
    fer_toolset *now = set_of(
        "[{\"name\":\"x\",\"inputSchema\":{}},\n {\"name\":\"t\",\"inputSchema\":{\n\n\"type\":\"object\",  \"maxProperties\":4}}]");
    fer_diff diff = diff_of(a, old, now, false);
    assert_int_equal(diff.count, 1);
    const fer_tool_change *c = &diff.tools[0].changes[0];
    assert_str(c->old_pointer, "/inputSchema/maxProperties");
    assert_str(c->new_pointer, "/inputSchema/maxProperties");
    assert_int_equal(c->old_place.line, 3);
    assert_int_equal(c->old_place.column, 19);
    assert_int_equal(c->new_place.line, 4);
    assert_true(c->reason.len > 0);
    fer_toolset_free(old);
    fer_toolset_free(now);
    fer_arena_free(a);
}

static fer_code attempt(fer_arena *unused, const void *context)
{
    const char *const *texts = context;
    fer_err err;
    fer_diff diff;
    (void)unused;
    fer_arena *a = fer_arena_new(0);
    fer_toolset *sets[2] = {fer_toolset_new(), fer_toolset_new()};
    fer_code code = a && sets[0] && sets[1] ? FER_OK : FER_OUT_OF_MEMORY;
    for (size_t i = 0; i < 2 && !code; i++)
        code = fer_toolset_add(sets[i], FER_STR("t"), fer_str_of(texts[i]), FER_FORMAT_JSON, &err);
    if (!code) code = fer_toolset_diff(a, sets[0], sets[1], NULL, &diff, &err);
    if (!code) assert_int_equal(diff.count, 1);
    fer_toolset_free(sets[0]);
    fer_toolset_free(sets[1]);
    fer_arena_free(a);
    return code;
}

static void torture(void)
{
    static const char *const texts[] = {
        OUT(NEED(P("a", "{\"enum\":[1,2]}"), "\"a\"")),
        OUT(NEED(P("a", "{\"enum\":[2,3],\"maximum\":3}"), "\"a\""))};
    rows_torture_malloc(attempt, texts);
}

int main(void)
{
    return ROWS_RUN("changes", rows, run) + ROWS_RUN("versions", versions, run_version) +
           ROWS_RUN("pairing", pairings, run_pairing) + ROWS_ONE("evolve", study) +
           ROWS_ONE("evolve", kinds_in_order) + ROWS_ONE("evolve", places) +
           ROWS_ONE("evolve", torture);
}
