/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields in bulk: each number at its bounds, each word, each redaction path; and what
 * is derived from the fields of a tool.
 */
#include <ferrule/contract.h>

#include <inttypes.h>

#include "field_checks.h"
#include "json_value.h"
#include "rows.h"

#define DAY    UINT64_C(86400000)
#define COUNTS UINT64_C(1000000000)

/* Loads {"name":"t","inputSchema":...,<before><value><after>} and gives the set. */
static fer_toolset *load(const char *before, const char *value, const char *after)
{
    char text[2048];
    fer_err err = {0};
    fer_toolset *set = fer_toolset_new();
    assert_non_null(set);
    int len =
        snprintf(text, sizeof text, "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},%s%s%s}",
                 before, value, after);
    assert_true(len > 0 && (size_t)len < sizeof text);
    fer_code code = fer_toolset_add(set, FER_STR("t.json"), (fer_str){text, (size_t)len},
                                    FER_FORMAT_AUTO, &err);
    if (code) fail_msg("%s: %s", text, err.message);
    assert_int_equal(fer_toolset_count(set), 1);
    return set;
}

/* Exactly this finding, or none where `rule` is NULL. */
static void expect(const char *before, const char *value, const char *after, const char *rule)
{
    size_t count;
    fer_toolset *set = load(before, value, after);
    const fer_finding *findings = fer_toolset_findings(set, &count);
    bool good = rule ? count == 1 && strcmp(findings[0].rule->id, rule) == 0 : count == 0;
    if (!good)
        fail_msg("%s: %zu findings, %s instead of %s", value, count,
                 count ? findings[0].rule->id : "none", rule ? rule : "none");
    fer_toolset_free(set);
}

/* ---- numbers ------------------------------------------------------------------- */

static const struct number {
    const char *name;
    const char *before;
    const char *after;
    uint64_t min, max;
} numbers[] = {
    {"timeoutMs", "\"policies\":{\"timeoutMs\":", "}", 1, DAY},
    {"deadlineMs", "\"policies\":{\"deadlineMs\":", "}", 1, DAY},
    {"concurrency", "\"policies\":{\"concurrency\":", "}", 1, 100000},
    {"retry.maxAttempts", "\"policies\":{\"retry\":{\"maxAttempts\":", "}}", 1, 10},
    {"retry.backoffMs", "\"policies\":{\"retry\":{\"backoffMs\":", "}}", 1, DAY},
    {"retry.maxBackoffMs", "\"policies\":{\"retry\":{\"maxBackoffMs\":", "}}", 1, DAY},
    {"rateLimit.requests", "\"policies\":{\"rateLimit\":{\"perMs\":1,\"requests\":", "}}", 1,
     COUNTS},
    {"rateLimit.perMs", "\"policies\":{\"rateLimit\":{\"requests\":1,\"perMs\":", "}}", 1, DAY},
    {"rateLimit.burst", "\"policies\":{\"rateLimit\":{\"requests\":1,\"perMs\":1,\"burst\":", "}}",
     1, COUNTS},
    {"circuitBreaker.failures", "\"policies\":{\"circuitBreaker\":{\"failures\":", "}}", 1, 1000},
    {"circuitBreaker.openMs", "\"policies\":{\"circuitBreaker\":{\"openMs\":", "}}", 1, DAY},
    {"budget.calls", "\"policies\":{\"budget\":{\"calls\":", "}}", 1, COUNTS},
    {"budget.perMs", "\"policies\":{\"budget\":{\"calls\":1,\"perMs\":", "}}", 1, 366 * DAY},
    {"cache.ttlMs", "\"effect\":\"Pure\",\"cache\":{\"ttlMs\":", "}", 0, DAY},
};

static void expect_number(const struct number *row, const char *format, uint64_t n,
                          const char *rule)
{
    char value[64];
    snprintf(value, sizeof value, "%" PRIu64 "%s", n, format);
    expect(row->before, value, row->after, rule);
}

static void bounds(const struct number *row)
{
    static const char *const out[] = {"-1",
                                      "0.5",
                                      "1.5",
                                      "-0.5",
                                      "1e-3",
                                      "1e400",
                                      "18446744073709551616",
                                      "99999999999999999999999999"};
    static const char *const wrong[] = {"\"1\"", "true", "[1]", "{}"};
    if (row->min) expect_number(row, "", row->min - 1, "field.range");
    expect_number(row, "", row->min, NULL);
    expect_number(row, "", row->max, NULL);
    expect_number(row, "", row->max + 1, "field.range");
    /* However it is written, a whole number is one. */
    expect_number(row, ".0", row->min, NULL);
    expect_number(row, "e0", row->max, NULL);
    expect_number(row, ".5", row->max, "field.range");
    for (size_t i = 0; i < FER_COUNT(out); i++)
        expect(row->before, out[i], row->after, "field.range");
    for (size_t i = 0; i < FER_COUNT(wrong); i++)
        expect(row->before, wrong[i], row->after, "field.type");
}

/* ---- words ----------------------------------------------------------------------- */

static const struct words {
    const char *name;
    const char *before;
    const char *after;
    const char *words[5];
} words[] = {
    {"effect",
     "\"effect\":",
     "",
     {"Pure", "IdempotentWrite", "NonIdempotentWrite", "ExternalSideEffects"}},
    {"idempotency", "\"idempotency\":", "", {"required", "optional", "none"}},
    {"taskSupport", "\"execution\":{\"taskSupport\":", "}", {"forbidden", "optional", "required"}},
    {"theme", "\"icons\":[{\"src\":\"x\",\"theme\":", "}]", {"light", "dark"}},
    {"retryOn", "\"policies\":{\"retry\":{\"retryOn\":[", "]}}", {"not-processed"}},
    {"onClientClose", "\"policies\":{\"onClientClose\":", "}", {"cancel", "finish"}},
};

static void one_of(const struct words *row)
{
    for (size_t i = 0; row->words[i]; i++) {
        char text[64];
        snprintf(text, sizeof text, "\"%s\"", row->words[i]);
        expect(row->before, text, row->after, NULL);
        snprintf(text, sizeof text, "\"%s \"", row->words[i]);
        expect(row->before, text, row->after, "field.enum");
        snprintf(text, sizeof text, "\"%sx\"", row->words[i]);
        expect(row->before, text, row->after, "field.enum");
        text[0] = '"';
        snprintf(text + 1, sizeof text - 1, "%s\"", row->words[i]);
        text[1] = (char)(text[1] ^ 0x20); /* the other case */
        expect(row->before, text, row->after, "field.enum");
    }
    expect(row->before, "\"\"", row->after, "field.enum");
    bool item = strcmp(row->name, "retryOn") == 0; /* no member that could be left out */
    expect(row->before, "null", row->after, item ? "field.type" : "field.null");
    expect(row->before, "1", row->after, "field.type");
    expect(row->before, "[]", row->after, "field.type");
}

/* ---- members of policies ------------------------------------------------------------ */

static const struct member {
    const char *name;
    const char *text;
    const char *rule;
} members[] = {
    {"policies empty", "\"policies\":{}", NULL},
    {"policies a list", "\"policies\":[]", "field.type"},
    {"policies null", "\"policies\":null", "field.null"},
    {"retry empty", "\"policies\":{\"retry\":{}}", NULL},
    {"retry a number", "\"policies\":{\"retry\":3}", "field.type"},
    {"jitter", "\"policies\":{\"retry\":{\"jitter\":true}}", NULL},
    {"jitter a number", "\"policies\":{\"retry\":{\"jitter\":0.5}}", "field.type"},
    {"jitter a string", "\"policies\":{\"retry\":{\"jitter\":\"full\"}}", "field.type"},
    {"retryOn empty", "\"policies\":{\"retry\":{\"retryOn\":[]}}", NULL},
    {"retryOn a string", "\"policies\":{\"retry\":{\"retryOn\":\"not-processed\"}}", "field.type"},
    {"rateLimit without perMs", "\"policies\":{\"rateLimit\":{\"requests\":1}}", "field.required"},
    {"rateLimit without requests", "\"policies\":{\"rateLimit\":{\"perMs\":1}}", "field.required"},
    {"budget without calls", "\"policies\":{\"budget\":{\"perMs\":1}}", "field.required"},
    {"circuitBreaker empty", "\"policies\":{\"circuitBreaker\":{}}", NULL},
    {"cache without ttlMs", "\"effect\":\"Pure\",\"cache\":{}", "field.required"},
    {"cache a number", "\"effect\":\"Pure\",\"cache\":1000", "field.type"},
    {"requires a list", "\"requires\":[]", "field.type"},
    {"requires empty", "\"requires\":{}", NULL},
    {"requires misspelt", "\"requires\":{\"idempotencykey\":true}", "field.unknown"},
    {"execution a string", "\"execution\":\"sync\"", "field.type"},
    {"securitySchemes a list", "\"securitySchemes\":[]", "field.type"},
    {"securityRequirements an object", "\"securityRequirements\":{}", "field.type"},
    {"examples an object", "\"examples\":{}", "field.type"},
    {"example a string", "\"examples\":[\"x\"]", "field.type"},
    {"externalRefs a string", "\"externalRefs\":\"https://x\"", "field.type"},
    {"inputModes a string", "\"inputModes\":\"text/plain\"", "field.type"},
    {"outputModes a number", "\"outputModes\":[1]", "field.type"},
    {"requiredScopes an object", "\"requiredScopes\":{}", "field.type"},
};

static void member(const struct member *row)
{
    expect(row->text, "", "", row->rule);
}

/* ---- redaction paths (RELIABILITY 5.13) ---------------------------------------------- */

static const struct path {
    const char *name; /* the path itself */
    bool valid;
} paths[] = {
    {"token", true},
    {"headers.authorization", true},
    {"input:token", true},
    {"output:items[*].token", true},
    {"headers:cookie", true},
    {"error:a", true},
    {"meta:a", true},
    {"stderr:**", true},
    {"*", true},
    {"**", true},
    {"**.password", true},
    {"a.*.b", true},
    {"a.**.b", true},
    {"a.**", true},
    {"items[0].x", true},
    {"items[*].x", true},
    {"items[0][1]", true},
    {"items[18446744073709551616]", true},
    {"[0]", true},
    {"[*].a", true},
    {"[\"a.b\"]", true},
    {"a[\"b.c[*]\"].d", true},
    {"a.[0]", true},
    {"x_api-key", true},
    {"a b", true},
    {"\xC3\xA4", true},
    {"a/b", true},
    {"a\\b", true},
    {"other:token", true}, /* no root, so part of the name */
    {"input:[0]", true},
    {"a.", false},
    {".a", false},
    {".", false},
    {"a..b", false},
    {"***", false},
    {"a.***", false},
    {"a*", false},
    {"*a", false},
    {"a**", false},
    {"a.b*c", false},
    {"items[", false},
    {"items[]", false},
    {"items[0", false},
    {"items]", false},
    {"items[-1]", false},
    {"items[a]", false},
    {"items[**]", false},
    {"items[ 0]", false},
    {"items[0]x", false},
    {"items[0].", false},
    {"[\"\"]", false},
    {"[\"a\"", false},
    {"[\"a]", false},
    {"[\"a\"b]", false},
    {"a\"b", false},
    {"\"a\"", false},
    {"input:", false},
    {"input:.a", false},
    {"input:a.", false},
};

static void redacts(const struct path *row)
{
    assert_int_equal(fer_redact_path_valid(fer_str_of(row->name)), row->valid);
    char value[128];
    fer_buf b;
    fer_buf_init_fixed(&b, value, sizeof value - 1);
    fer_buf_add_quoted(&b, fer_str_of(row->name));
    value[b.len] = '\0';
    expect("\"redact\":[", value, "]", row->valid ? NULL : "redact.path");
}

static void redacts_nothing_with_nul(void)
{
    assert_false(fer_redact_path_valid(FER_STR("a\0b")));
    assert_false(fer_redact_path_valid(FER_STR("[\"a\0b\"]")));
    expect("\"redact\":[", "\"a\\u0000\"", "]", "redact.path");
}

/* ---- what is derived ------------------------------------------------------------------- */

static const struct derived {
    const char *name;
    const char *text;
    const char *effect;
    const char *idempotency;
} derived[] = {
    {"nothing said", "\"title\":\"\"", "NonIdempotentWrite", "none"},
    {"read-only", "\"annotations\":{\"readOnlyHint\":true}", "Pure", "none"},
    {"idempotent by hint demands no key", "\"annotations\":{\"idempotentHint\":true}",
     "IdempotentWrite", "none"},
    {"read-only goes before idempotent",
     "\"annotations\":{\"idempotentHint\":true,\"readOnlyHint\":true}", "Pure", "none"},
    {"hints that say no", "\"annotations\":{\"idempotentHint\":false,\"readOnlyHint\":false}",
     "NonIdempotentWrite", "none"},
    {"destructive", "\"annotations\":{\"destructiveHint\":true}", "NonIdempotentWrite", "none"},
    {"a hint of the wrong type counts for nothing", "\"annotations\":{\"readOnlyHint\":\"true\"}",
     "NonIdempotentWrite", "none"},
    {"declared Pure", "\"effect\":\"Pure\"", "Pure", "none"},
    {"declared IdempotentWrite demands a key", "\"effect\":\"IdempotentWrite\"", "IdempotentWrite",
     "required"},
    {"declared NonIdempotentWrite", "\"effect\":\"NonIdempotentWrite\"", "NonIdempotentWrite",
     "none"},
    {"declared ExternalSideEffects", "\"effect\":\"ExternalSideEffects\"", "ExternalSideEffects",
     "none"},
    {"declared goes before the hints",
     "\"effect\":\"ExternalSideEffects\",\"annotations\":{\"readOnlyHint\":true}",
     "ExternalSideEffects", "none"},
    {"misspelt effect: the hints count",
     "\"effect\":\"pure\",\"annotations\":{\"readOnlyHint\":true}", "Pure", "none"},
    {"misspelt effect: the careful default", "\"effect\":\"pure\"", "NonIdempotentWrite", "none"},
    {"a misspelt effect declares nothing",
     "\"effect\":\"idempotentWrite\",\"annotations\":{\"idempotentHint\":true}", "IdempotentWrite",
     "none"},
    {"effect of the wrong type", "\"effect\":1", "NonIdempotentWrite", "none"},
    {"said required", "\"idempotency\":\"required\"", "NonIdempotentWrite", "required"},
    {"said optional", "\"idempotency\":\"optional\"", "NonIdempotentWrite", "optional"},
    {"said none goes before the effect", "\"effect\":\"IdempotentWrite\",\"idempotency\":\"none\"",
     "IdempotentWrite", "none"},
    {"required by requires", "\"requires\":{\"idempotencyKey\":true}", "NonIdempotentWrite",
     "required"},
    {"not required by requires", "\"requires\":{\"idempotencyKey\":false}", "NonIdempotentWrite",
     "none"},
    {"under _meta.ferrule", "\"_meta\":{\"ferrule\":{\"effect\":\"IdempotentWrite\"}}",
     "IdempotentWrite", "required"},
    {"the record goes before _meta",
     "\"effect\":\"Pure\",\"_meta\":{\"ferrule\":{\"effect\":\"IdempotentWrite\"}}", "Pure",
     "none"},
};

static void derives(const struct derived *row)
{
    fer_toolset *set = load(row->text, "", "");
    const fer_tool *t = fer_toolset_get(set, 0);
    assert_string_equal(fer_effect_name(fer_tool_effect(t)), row->effect);
    assert_string_equal(fer_idempotency_name(fer_tool_idempotency(t)), row->idempotency);
    fer_toolset_free(set);
}

/* All accessors, over fields of the record and those under _meta.ferrule. */
static void reads(void)
{
    size_t count;
    fer_toolset *set = load(
        "\"title\":\"\",\"annotations\":{\"title\":\"Hint\"},\"description\":\"D\",\"unknown\":1,"
        "\"policies\":7,\"_meta\":{\"ferrule\":{\"namespace\":\"n\",\"version\":\"v1.0.0\","
        "\"tags\":[\"A b\",\"a-b\",\"c\"],\"backend\":[{\"mcp\":{\"serverName\":\"s\"}},{\"bad\":1},"
        "{\"provider\":{\"providerId\":\"p\",\"toolId\":\"q\"}}],\"title\":\"not here\"}}",
        "", "");
    const fer_tool *t = fer_toolset_get(set, 0);
    assert_str(fer_tool_id(t), "n:t:1.0.0");
    assert_str(fer_tool_name(t), "t");
    assert_str(fer_tool_namespace(t), "n");
    assert_str(fer_tool_version(t), "1.0.0");
    assert_str(fer_tool_title(t), "Hint");
    assert_str(fer_tool_description(t), "D");
    const fer_str *tags = fer_tool_tags(t, &count);
    assert_int_equal(count, 2);
    assert_str(tags[0], "a-b");
    assert_str(tags[1], "c");
    const fer_backend *backends = fer_tool_backends(t, &count);
    assert_int_equal(count, 2);
    assert_int_equal(backends[0].kind, FER_BACKEND_MCP);
    assert_str(backends[0].name, "s");
    assert_int_equal(backends[1].kind, FER_BACKEND_PROVIDER);
    assert_str(backends[1].name, "p");
    assert_str(backends[1].tool, "q");
    assert_non_null(fer_tool_field(t, "inputSchema"));
    assert_null(fer_tool_field(t, "policies")); /* of the wrong type */
    assert_null(fer_tool_field(t, "unknown"));
    assert_null(fer_tool_field(t, "outputSchema"));
    assert_non_null(fer_val_get(fer_tool_source(t), "unknown"));
    assert_string_equal(fer_tool_shape(t), "ferrule");
    fer_toolset_free(set);
}

int main(void)
{
    return ROWS_RUN("number", numbers, bounds) + ROWS_RUN("words", words, one_of) +
           ROWS_RUN("member", members, member) + ROWS_RUN("redact", paths, redacts) +
           ROWS_ONE("redact", redacts_nothing_with_nul) + ROWS_RUN("derived", derived, derives) +
           ROWS_ONE("tool", reads);
}
