/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools and their contracts: IDs, versions, tags, and sets of tool records with
 * everything that is wrong with them.
 *
 * A toolset takes text in any of the shapes that tools come in (a record, a list, an
 * MCP tools/list result, OpenAI, Anthropic, Gemini and Bedrock definitions; JSON,
 * JSON Lines or YAML) and gives records with one set of fields. What breaks the
 * contract is a finding, not a failure: a set with findings is still a set.
 *
 * A set belongs to one thread while texts are added; after that it may be read by
 * many. Everything a set gives out lives as long as the set.
 */
#ifndef FERRULE_CONTRACT_H
#define FERRULE_CONTRACT_H

#include <ferrule/common.h>
#include <ferrule/json.h>
#include <ferrule/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- IDs --------------------------------------------------------------------- */

#define FER_NAME_MAX 128 /* bytes of a name, and of a namespace */

/* The parts of `name`, `namespace:name` or `namespace:name:version`; absent ones are empty. */
typedef struct fer_id {
    fer_str ns;
    fer_str name;
    fer_str version; /* without a leading v */
} fer_id;

/*
 * Parses an ID; the parts borrow the text. The aliases `local::pack::tool` and
 * `mcp::server::tool` stand for `pack:tool` and `server:tool`.
 */
FER_API fer_code fer_id_parse(fer_str text, fer_id *out, fer_err *err);

/* The canonical text of an ID. */
FER_API fer_code fer_id_write(fer_arena *a, const fer_id *id, fer_str *out, fer_err *err);

/* ---- versions ------------------------------------------------------------------- */

/* SemVer 2.0.0; a leading v was taken off. */
typedef struct fer_semver {
    uint64_t major;
    uint64_t minor;
    uint64_t patch;
    fer_str pre;   /* without '-'; empty: a release */
    fer_str build; /* without '+'; has no part in precedence */
} fer_semver;

FER_API fer_code fer_semver_parse(fer_str text, fer_semver *out, fer_err *err);

/* Precedence (SemVer 11): negative, 0 or positive. */
FER_API int fer_semver_cmp(const fer_semver *x, const fer_semver *y);

/*
 * Whether a version satisfies a constraint: `= > >= < <= ^ ~`, partial versions
 * and `*`; blanks mean and, `||` means or. A pre-release satisfies only where a
 * part of the constraint names a pre-release of the same major.minor.patch.
 */
FER_API fer_code fer_semver_satisfies(const fer_semver *version, fer_str constraint, bool *out,
                                      fer_err *err);

/* ---- tags -------------------------------------------------------------------------- */

#define FER_TAG_MAX  64 /* bytes of one tag */
#define FER_TAGS_MAX 20 /* tags of one tool */

/* Normalised tags: lower case, `[a-z0-9-_.]`, no empties, no repeats, order kept. */
FER_API fer_code fer_tags_normalise(fer_arena *a, const fer_str *tags, size_t count, fer_str **out,
                                    size_t *out_count, fer_err *err);

/* ---- tools --------------------------------------------------------------------------- */

typedef struct fer_tool fer_tool;

/* What a call changes, from harmless to irreversible. */
typedef enum fer_effect {
    FER_EFFECT_PURE,
    FER_EFFECT_IDEMPOTENT_WRITE,
    FER_EFFECT_NON_IDEMPOTENT_WRITE,
    FER_EFFECT_EXTERNAL_SIDE_EFFECTS
} fer_effect;

typedef enum fer_idempotency {
    FER_IDEMPOTENCY_NONE,
    FER_IDEMPOTENCY_OPTIONAL,
    FER_IDEMPOTENCY_REQUIRED
} fer_idempotency;

typedef enum fer_backend_kind {
    FER_BACKEND_LOCAL,
    FER_BACKEND_PROVIDER,
    FER_BACKEND_MCP
} fer_backend_kind;

/* Where a tool runs. */
typedef struct fer_backend {
    fer_backend_kind kind;
    fer_str name; /* local: name; mcp: serverName; provider: providerId */
    fer_str tool; /* provider: toolId */
} fer_backend;

FER_API fer_str fer_tool_id(const fer_tool *t);
FER_API fer_str fer_tool_name(const fer_tool *t);
FER_API fer_str fer_tool_namespace(const fer_tool *t);
FER_API fer_str fer_tool_version(const fer_tool *t); /* without a leading v */
FER_API fer_str fer_tool_title(const fer_tool *t);
FER_API fer_str fer_tool_description(const fer_tool *t);
FER_API const fer_str *fer_tool_tags(const fer_tool *t, size_t *count); /* normalised */
/* Declared, or derived from the annotations (docs/reference/tool-record.md); without any,
 * FER_EFFECT_NON_IDEMPOTENT_WRITE.
 */
FER_API fer_effect fer_tool_effect(const fer_tool *t);
FER_API fer_idempotency fer_tool_idempotency(const fer_tool *t);
FER_API const fer_backend *fer_tool_backends(const fer_tool *t, size_t *count);
/* The value of a record field by its Ferrule name ("inputSchema", "policies" ...), or NULL. */
FER_API const struct yyjson_val *fer_tool_field(const fer_tool *t, const char *field);
/* The definition as it was given, unknown keys included. */
FER_API const struct yyjson_val *fer_tool_source(const fer_tool *t);
/* The shape it was given in: "ferrule", "mcp", "openai" ... */
FER_API const char *fer_tool_shape(const fer_tool *t);

FER_API const char *fer_effect_name(fer_effect effect);
FER_API const char *fer_idempotency_name(fer_idempotency idempotency);

/* SHA-256, in hex, over the canonical form of all that a model sees of the tool. */
#define FER_HASH_TEXT 65
FER_API fer_code fer_tool_definition_hash(fer_arena *scratch, const fer_tool *t,
                                          char out[FER_HASH_TEXT], fer_err *err);

/* The record in Ferrule's own form, fields in their documented order, unknown keys last. */
FER_API fer_code fer_tool_write(fer_arena *a, const fer_tool *t, bool pretty, fer_str *out,
                                fer_err *err);

/* ---- calls ------------------------------------------------------------------------------- */

/*
 * Validates the arguments of a call. A tool that is NULL or has no inputSchema is
 * FER_INVALID_SCHEMA. Values that the tool's contract redacts are not shown. `cache` holds
 * compiled schemas between calls; NULL: the schema is compiled for this one. `arguments` is in
 * `doc`, which may be NULL: then findings have no places. The result lives in `a`.
 */
FER_API fer_code fer_tool_validate_input(fer_arena *a, const fer_tool *t, fer_schema_cache *cache,
                                         const fer_json *doc, const struct yyjson_val *arguments,
                                         const fer_validate_options *options, fer_result **out,
                                         fer_err *err);
/* The same for a result. A tool without an outputSchema accepts any. */
FER_API fer_code fer_tool_validate_output(fer_arena *a, const fer_tool *t, fer_schema_cache *cache,
                                          const fer_json *doc, const struct yyjson_val *result,
                                          const fer_validate_options *options, fer_result **out,
                                          fer_err *err);

/* ---- findings --------------------------------------------------------------------------- */

typedef enum fer_severity {
    FER_SEVERITY_ERROR,
    FER_SEVERITY_WARNING,
    FER_SEVERITY_INFO,
    FER_SEVERITY_OFF /* of a rule that is not wanted; no finding has it */
} fer_severity;

/* "error", "warning", "info", "off". */
FER_API const char *fer_severity_name(fer_severity severity);
FER_API bool fer_severity_parse(fer_str name, fer_severity *out);

/* A kind of finding (docs/reference/rules.md). */
typedef struct fer_rule {
    const char *id; /* stable, such as "name.charset" */
    fer_code code;  /* its place in the error taxonomy */
    fer_severity severity;
    const char *text; /* what it demands, a sentence */
    const char *why;
    const char *fix;
} fer_rule;

/*
 * All rules, ordered by id: the first behind `before`, which is NULL at the start; NULL behind
 * the last. for (r = fer_rule_next(NULL); r; r = fer_rule_next(r))
 */
FER_API const fer_rule *fer_rule_next(const fer_rule *before);
/* The rule of an id, or NULL. */
FER_API const fer_rule *fer_rule_find(fer_str id);

typedef struct fer_finding {
    const fer_rule *rule;
    fer_severity severity; /* the rule's, unless the profile or the configuration says otherwise */
    fer_str source;        /* the name that the text was added under */
    fer_place place;       /* in that text */
    size_t length;         /* bytes to underline */
    size_t number;         /* of the tool in that text, 1-based */
    fer_str tool;          /* its ID or name, as far as known */
    fer_str pointer;       /* in the document */
    fer_str tool_pointer;  /* in the tool */
    fer_str message;       /* a sentence */
    fer_str hint;          /* what to do, or empty */
    fer_str limit;         /* what is allowed, where a number or a word says it; or empty */
    fer_str actual;        /* what there is instead, or empty */
    fer_str profile;       /* the name of the profile that demands it; empty: all tools must */
    fer_str provider_text; /* how the provider words it, as far as known; or empty */
} fer_finding;

/* ---- what is checked --------------------------------------------------------------------------
 */

/*
 * What is looked for beyond the rules of the record, and how grave it is. Set up by one thread,
 * then read by many.
 */
typedef struct fer_checks fer_checks;
FER_API FER_MUST_USE fer_checks *fer_checks_new(void);
FER_API void fer_checks_free(fer_checks *c);

/* Gives a rule another severity, FER_SEVERITY_OFF included. FER_BAD_USAGE: no such rule. */
FER_API fer_code fer_checks_severity(fer_checks *c, fer_str rule, fer_severity severity,
                                     fer_err *err);

/* Whether the rules of quality and safety are asked, as they are unless this says no. */
FER_API void fer_checks_quality(fer_checks *c, bool wanted);

/*
 * Pins definitions: `text` is a lock, as fer_lock_write makes it. A tool that has another
 * definition under the same version, or that is not in the lock, is a finding (sec.rug-pull).
 */
FER_API fer_code fer_checks_lock(fer_checks *c, fer_str text, fer_err *err);

/* What a text is written in. */
typedef enum fer_format {
    FER_FORMAT_AUTO, /* by the ending of the name, else by the text */
    FER_FORMAT_JSON,
    FER_FORMAT_JSON_LINES,
    FER_FORMAT_YAML
} fer_format;

/* ---- profiles ----------------------------------------------------------------------------------
 */

/*
 * What a provider, a client or a protocol demands of tools: dated data, built in or read from a
 * file of the same form (docs/check.md). A profile lives in the arena it was read into.
 */
typedef struct fer_profile fer_profile;

/* The built-in profiles, by name. */
FER_API size_t fer_profile_count(void);
FER_API const char *fer_profile_name_at(size_t index); /* NULL past the last */
/* One of them, by its name or an alias. */
FER_API fer_code fer_profile_find(fer_arena *a, fer_str name, const fer_profile **out,
                                  fer_err *err);
/* A profile of a JSON or YAML text, which may extend a built-in one. The text must stay. */
FER_API fer_code fer_profile_load(fer_arena *a, fer_str text, fer_format format,
                                  const fer_profile **out, fer_err *err);

typedef struct fer_profile_info {
    fer_str name;      /* as it was asked for */
    fer_str canonical; /* its own name */
    fer_str title;
    fer_str provider;
    fer_str mode;       /* "chat", "strict", "client" ... */
    fer_str date;       /* when it was looked at, such as 2026-11 */
    fer_str confidence; /* "high", "medium" or "low" */
    fer_str extends;    /* the profile that it adds to, or empty */
    const fer_str *aliases;
    size_t alias_count;
    const fer_str *sources;
    size_t source_count;
    const fer_str *notes;
    size_t note_count;
} fer_profile_info;
FER_API fer_profile_info fer_profile_about(const fer_profile *p);

/* One rule of a profile. */
typedef struct fer_profile_demand {
    const fer_rule *rule;
    fer_severity severity;
    const char *confidence; /* "high", "medium" or "low" */
    fer_str limit;          /* what it allows, in words; may be empty */
    fer_str provider_text;  /* or empty */
    fer_str note;           /* or empty */
} fer_profile_demand;
/* All rules of a profile, ordered by id; they live in `a`. */
FER_API fer_code fer_profile_demands(fer_arena *a, const fer_profile *p, fer_profile_demand **out,
                                     size_t *count, fer_err *err);

/* Has tools checked against a profile, which must stay; at most 64 at once. */
FER_API fer_code fer_checks_profile(fer_checks *c, const fer_profile *profile, fer_err *err);

/*
 * Checks a tools_json text as its platform does, and answers in its words:
 * {"message":..., "errors":{"tools_json":["Tool #1 name must match ..."]}}; `*ok` says whether
 * it was accepted, then "errors" is empty.
 */
FER_API fer_code fer_tools_json_answer(fer_arena *a, fer_str text, bool *ok, fer_str *answer,
                                       fer_err *err);

/* ---- sets ---------------------------------------------------------------------------------- */

#define FER_TOOLS_MAX 100000 /* tools in one text */

typedef struct fer_toolset fer_toolset;

FER_API FER_MUST_USE fer_toolset *fer_toolset_new(void);
/*
 * A set whose texts are checked as `checks` says; NULL: as fer_toolset_new does. Each text that is
 * added is one set of tools for all that counts over a set. `checks` must stay.
 */
FER_API FER_MUST_USE fer_toolset *fer_toolset_new_checked(const fer_checks *checks);
FER_API void fer_toolset_free(fer_toolset *set);

/*
 * Adds the tools of a text. `name` says where it came from, in findings and for its
 * ending. The text is copied as far as needed. On failure (not JSON, an unknown
 * shape, a mixture, a limit) the tools before the failure stay.
 */
FER_API fer_code fer_toolset_add(fer_toolset *set, fer_str name, fer_str text, fer_format format,
                                 fer_err *err);

FER_API size_t fer_toolset_count(const fer_toolset *set);
FER_API const fer_tool *fer_toolset_get(const fer_toolset *set, size_t index);
FER_API const fer_finding *fer_toolset_findings(const fer_toolset *set, size_t *count);
/* How many findings were taken back by a `suppress` of their tool. */
FER_API size_t fer_toolset_suppressed(const fer_toolset *set);

/*
 * The tool of an ID or alias. Without a version in the ID: the highest release that
 * satisfies `constraint` (empty: any release), or the highest pre-release where the
 * constraint names one and no release fits.
 */
FER_API fer_code fer_toolset_find(const fer_toolset *set, fer_str id, fer_str constraint,
                                  const fer_tool **out, fer_err *err);

#ifdef __cplusplus
}
#endif

#endif
