/* SPDX-License-Identifier: Apache-2.0 */
/* The rows. What the columns mean is in fields.h. */
#include "fields.h"

#include "field_checks.h"

#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }
#define DAY_MS    86400000
#define COUNT_MAX 1000000000
#define MCP       .flags = FER_F_MCP
#define TEXT(k, ...)                                                                               \
    {                                                                                              \
        .key = (k), .types = FER_T_STRING, __VA_ARGS__                                             \
    }
#define BOOL(k, ...)                                                                               \
    {                                                                                              \
        .key = (k), .types = FER_T_BOOL, __VA_ARGS__                                               \
    }
#define NUMBER(k, ...)                                                                             \
    {                                                                                              \
        .key = (k), .types = FER_T_INTEGER, __VA_ARGS__                                            \
    }
#define OBJECT(k, ...)                                                                             \
    {                                                                                              \
        .key = (k), .types = FER_T_OBJECT, __VA_ARGS__                                             \
    }
#define LIST(k, ...)                                                                               \
    {                                                                                              \
        .key = (k), .types = FER_T_ARRAY, __VA_ARGS__                                              \
    }

static const fer_field annotations[] = {
    TEXT("title", .text = "name for people; the record's own title goes first"),
    BOOL("readOnlyHint", .text = "changes nothing (default false)"),
    BOOL("destructiveHint", .text = "may destroy (default true; only where not read-only)"),
    BOOL("idempotentHint",
         .text = "repeating changes nothing more (default false; only where not read-only)"),
    BOOL("openWorldHint", .text = "meets the outside world (default true)"),
    END,
};

static const char *const task_words[] = {"forbidden", "optional", "required", NULL};
static const fer_field execution[] = {
    TEXT("taskSupport", .words = task_words, .text = "whether it runs as an MCP task (2025-11-25)"),
    END,
};

static const char *const theme_words[] = {"light", "dark", NULL};
static const fer_field size_item = TEXT(NULL, .min = 1);
static const fer_field icon_members[] = {
    TEXT("src", .flags = FER_F_REQUIRED, .min = 1, .text = "https: or data: URI of the image"),
    TEXT("mimeType", .check = fer_check_media_type, .text = "media type of the image"),
    LIST("sizes", .item = &size_item, .text = "such as \"48x48\" or \"any\""),
    TEXT("theme", .words = theme_words, .text = "the background it is made for"),
    END,
};
static const fer_field icon = OBJECT(NULL, .members = icon_members);

static const char *const effect_words[] = {"Pure", "IdempotentWrite", "NonIdempotentWrite",
                                           "ExternalSideEffects", NULL};
static const char *const idempotency_words[] = {"required", "optional", "none", NULL};
static const fer_field requires_members[] = {
    BOOL("idempotencyKey", .text = "true means the same as idempotency \"required\""),
    END,
};

static const char *const retry_words[] = {"not-processed", NULL};
static const fer_field retry_on_item = TEXT(NULL, .words = retry_words);
static const fer_field retry_members[] = {
    NUMBER("maxAttempts", .min = 1, .max = 10, .text = "tries in all, the first included"),
    NUMBER("backoffMs", .min = 1, .max = DAY_MS,
           .text = "wait before the second try; doubles from try to try"),
    NUMBER("maxBackoffMs", .min = 1, .max = DAY_MS, .text = "the longest wait"),
    BOOL("jitter", .text = "spread the waits at random"),
    LIST("retryOn", .item = &retry_on_item,
         .text = "further cases in which a write may be tried again"),
    END,
};
static const fer_field rate_members[] = {
    NUMBER("requests", .flags = FER_F_REQUIRED, .min = 1, .max = COUNT_MAX,
           .text = "calls allowed"),
    NUMBER("perMs", .flags = FER_F_REQUIRED, .min = 1, .max = DAY_MS,
           .text = "in so many milliseconds"),
    NUMBER("burst", .min = 1, .max = COUNT_MAX, .text = "calls allowed at once"),
    END,
};
static const fer_field breaker_members[] = {
    NUMBER("failures", .min = 1, .max = 1000, .text = "failures in a row that open the circuit"),
    NUMBER("openMs", .min = 1, .max = DAY_MS, .text = "how long it stays open at first"),
    END,
};
static const fer_field budget_members[] = {
    NUMBER("calls", .flags = FER_F_REQUIRED, .min = 1, .max = COUNT_MAX, .text = "calls allowed"),
    NUMBER("perMs", .min = 1, .max = (uint64_t)DAY_MS * 366,
           .text = "in so many milliseconds; without it, in all"),
    END,
};
static const char *const close_words[] = {"cancel", "finish", NULL};
static const fer_field policies[] = {
    NUMBER("timeoutMs", .min = 1, .max = DAY_MS, .text = "time limit of one attempt"),
    NUMBER("deadlineMs", .min = 1, .max = DAY_MS,
           .text = "time limit of the whole call, retries included"),
    OBJECT("retry", .members = retry_members,
           .text = "repeating failed calls, as far as the effect allows"),
    OBJECT("rateLimit", .members = rate_members, .text = "calls per time"),
    NUMBER("concurrency", .min = 1, .max = 100000, .text = "calls that run at once"),
    OBJECT("circuitBreaker", .members = breaker_members, .text = "leaving a failing backend alone"),
    OBJECT("budget", .members = budget_members, .text = "calls in all"),
    TEXT("onClientClose", .words = close_words, .text = "what happens when the caller goes away"),
    END,
};
static const fer_field cache_members[] = {
    NUMBER("ttlMs", .flags = FER_F_REQUIRED, .max = DAY_MS,
           .text = "how long a result may be given again; 0: never"),
    END,
};

static const fer_field redact_item = TEXT(NULL, .min = 1, .check = fer_check_redact_path);
static const fer_field name_item = TEXT(NULL, .min = 1);
static const fer_field mode_item = TEXT(NULL, .check = fer_check_media_type);
static const fer_field scheme_value = OBJECT(NULL);
static const fer_field scopes_value = LIST(NULL, .item = &name_item);
static const fer_field requirement_item = OBJECT(NULL, .item = &scopes_value);

static const fer_field example_members[] = {
    TEXT("id", .min = 1, .text = "name of the example"),
    TEXT("title", .text = "name for people"),
    TEXT("description", .flags = FER_F_SOFT, .max = 300, .text = "what it shows"),
    OBJECT("args", .flags = FER_F_REQUIRED, .check = fer_check_example_args,
           .text =
               "arguments that the input schema accepts; at most 5 levels and 50 keys and items"),
    TEXT("resultHint", .flags = FER_F_SOFT, .max = 200, .text = "what comes back, in words"),
    END,
};
static const fer_field example = OBJECT(NULL, .members = example_members);

static const fer_field invalid_example_members[] = {
    TEXT("id", .min = 1, .text = "name of the example"),
    TEXT("description", .flags = FER_F_SOFT, .max = 300, .text = "what is wrong with it"),
    OBJECT("args", .flags = FER_F_REQUIRED, .check = fer_check_example_args,
           .text = "arguments that the input schema refuses"),
    END,
};
static const fer_field invalid_example = OBJECT(NULL, .members = invalid_example_members);

static const fer_field change_members[] = {
    TEXT("version", .flags = FER_F_REQUIRED, .check = fer_check_version,
         .text = "the version that it came with"),
    TEXT("changes", .flags = FER_F_REQUIRED, .min = 1, .text = "what changed for callers"),
    TEXT("date", .text = "when, such as 2026-11-16"),
    END,
};
static const fer_field change = OBJECT(NULL, .members = change_members);

static const fer_field suppress_members[] = {
    TEXT("rule", .flags = FER_F_REQUIRED, .min = 1,
         .text = "the rule whose findings are taken back"),
    TEXT("at", .text = "JSON Pointer in the tool: only there and below; without it, everywhere"),
    TEXT("profile", .min = 1, .text = "only for this profile"),
    TEXT("reason", .text = "why the rule does not apply; one without is a finding"),
    END,
};
static const fer_field suppression = OBJECT(NULL, .members = suppress_members);

const fer_field fer_fields[FER_FIELD_COUNT] = {
    [FER_FIELD_NAME] = TEXT("name", .flags = FER_F_REQUIRED | FER_F_MCP, .check = fer_check_name,
                            .text = "1 to 128 characters of A-Z a-z 0-9 _ . -"),
    [FER_FIELD_NAMESPACE] = TEXT("namespace", .check = fer_check_namespace,
                                 .text = "1 to 128 of the same characters; first part of the ID"),
    [FER_FIELD_VERSION] =
        TEXT("version", .check = fer_check_version,
             .text = "SemVer 2.0, with or without a leading v; part of the ID behind a namespace"),
    [FER_FIELD_TITLE] = TEXT("title", MCP, .text = "name for people"),
    [FER_FIELD_DESCRIPTION] =
        TEXT("description", MCP, .text = "what the tool does, for people and models"),
    [FER_FIELD_CATEGORY] = TEXT("category", .min = 1, .text = "one word to group tools by"),
    [FER_FIELD_TAGS] = LIST(
        "tags", .item = &(const fer_field)TEXT(NULL), .check = fer_check_tags,
        .text =
            "words to find it by: at most 20, lower case, [a-z0-9-_.], at most 64 characters each; normalised on loading"),
    [FER_FIELD_INPUT_SCHEMA] =
        OBJECT("inputSchema", .flags = FER_F_REQUIRED | FER_F_MCP, .check = fer_check_input_schema,
               .text = "JSON Schema of the arguments; its root has the type object"),
    [FER_FIELD_OUTPUT_SCHEMA] = OBJECT(
        "outputSchema", .flags = FER_F_MCP,
        .text = "JSON Schema of the structured result; without it the result is not checked"),
    [FER_FIELD_CHUNK_SCHEMA] = OBJECT(
        "chunkSchema", .text = "JSON Schema of the data of one chunk, for tools that stream"),
    [FER_FIELD_ANNOTATIONS] =
        OBJECT("annotations", MCP, .members = annotations, .text = "MCP's hints for clients"),
    [FER_FIELD_EXECUTION] =
        OBJECT("execution", MCP, .members = execution, .text = "how MCP may run it"),
    [FER_FIELD_ICONS] = LIST("icons", MCP, .item = &icon, .text = "images for people"),
    [FER_FIELD_EFFECT] =
        TEXT("effect", .words = effect_words,
             .text = "what a call changes; without it, taken from the annotations"),
    [FER_FIELD_IDEMPOTENCY] = TEXT(
        "idempotency", .words = idempotency_words,
        .text =
            "whether a call carries an idempotency key; default: required for IdempotentWrite, else none"),
    [FER_FIELD_REQUIRES] =
        OBJECT("requires", .members = requires_members, .text = "what a call must bring along"),
    [FER_FIELD_POLICIES] = OBJECT("policies", .members = policies,
                                  .text = "limits on calls; a caller may only tighten them"),
    [FER_FIELD_CACHE] =
        OBJECT("cache", .members = cache_members, .text = "reuse of results; Pure tools only"),
    [FER_FIELD_REDACT] =
        LIST("redact", .item = &redact_item,
             .text = "paths whose values appear in no log, event, trace or ledger"),
    [FER_FIELD_REQUIRED_SCOPES] = LIST("requiredScopes", .item = &name_item,
                                       .text = "scopes a caller must hold, all of them"),
    [FER_FIELD_SECURITY_SCHEMES] =
        OBJECT("securitySchemes", .item = &scheme_value,
               .text = "ways to authenticate, by name, as OpenAPI describes them"),
    [FER_FIELD_SECURITY_REQUIREMENTS] =
        LIST("securityRequirements", .item = &requirement_item,
             .text = "alternatives; each names schemes and their scopes"),
    [FER_FIELD_INPUT_MODES] =
        LIST("inputModes", .item = &mode_item, .text = "media types it takes"),
    [FER_FIELD_OUTPUT_MODES] =
        LIST("outputModes", .item = &mode_item, .text = "media types it gives"),
    [FER_FIELD_EXAMPLES] = LIST("examples", .item = &example, .text = "example calls"),
    [FER_FIELD_INVALID_EXAMPLES] =
        LIST("invalidExamples", .item = &invalid_example,
             .text = "calls that must be refused, for tests and for people"),
    [FER_FIELD_NOTES] =
        TEXT("notes", .flags = FER_F_SOFT, .max = 2000,
             .text = "more about its use, shown on request; at most 2000 characters"),
    [FER_FIELD_EXTERNAL_REFS] = LIST("externalRefs", .item = &name_item,
                                     .text = "URLs or resource IDs of further documentation"),
    [FER_FIELD_CHANGELOG] =
        LIST("changelog", .item = &change, .text = "what changed from version to version"),
    [FER_FIELD_BACKEND] =
        {.key = "backend",
         .types = FER_T_OBJECT | FER_T_ARRAY,
         .check = fer_check_backend,
         .text =
             "where it runs: mcp {serverName}, provider {providerId, toolId} or local {name}; or a list of these"},
    [FER_FIELD_SUPPRESS] = LIST("suppress", .item = &suppression,
                                .text = "findings of ferrule check that are meant to be"),
    [FER_FIELD_META] = OBJECT(
        "_meta", .flags = FER_F_MCP,
        .text = "anything; under the key ferrule, the contract fields of this table on MCP wires"),
};
