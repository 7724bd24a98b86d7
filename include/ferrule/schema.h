/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Schema: compiled once, then asked many times.
 *
 * A schema is compiled to a program in its own dialect (2020-12, 2019-09, draft-07,
 * draft-06, draft-04, v1). Nothing is ever fetched: what `$ref` names is in the schema,
 * built in (the meta-schemas), or registered by the caller. Compiling and validating are
 * bounded by named limits; neither can hang, overflow the stack or take memory without end.
 *
 * A program and a registry that is no longer added to are immutable and may be shared by
 * threads. What a validation finds lives in the arena that was given for it.
 */
#ifndef FERRULE_SCHEMA_H
#define FERRULE_SCHEMA_H

#include <ferrule/common.h>
#include <ferrule/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dialects -------------------------------------------------------------------- */

typedef enum fer_dialect {
    FER_DIALECT_DEFAULT = 0, /* 2020-12 */
    FER_DIALECT_DRAFT4 = 4,
    FER_DIALECT_DRAFT6 = 6,
    FER_DIALECT_DRAFT7 = 7,
    FER_DIALECT_2019_09 = 2019,
    FER_DIALECT_2020_12 = 2020,
    FER_DIALECT_V1 = 9999
} fer_dialect;

/* "2020-12", "draft-07" ... */
FER_API const char *fer_dialect_name(fer_dialect dialect);
/* The URI that `$schema` names it by. */
FER_API const char *fer_dialect_uri(fer_dialect dialect);
/* The dialect of a name ("draft-07", "draft7", "7") or of a `$schema` URI; false: none. */
FER_API bool fer_dialect_find(fer_str name, fer_dialect *out);

/* ---- limits ----------------------------------------------------------------------- */

/* How large a schema, and the work of one validation, may be (docs/reference/limits.md). */
typedef struct fer_schema_limits {
    size_t size;       /* bytes of a schema's text */
    size_t depth;      /* nested arrays and objects of its text */
    size_t subschemas; /* subschemas of one program */
    size_t refs;       /* references of one program */
    size_t pattern;    /* bytes of one regular expression */
    size_t repeat;     /* the largest count of a repetition in one */
    size_t states;     /* states of the automaton of one */
    size_t steps;      /* steps of one validation */
} fer_schema_limits;

/* Limits for schemas from anybody, and for files of the operator's own. */
FER_API const fer_schema_limits *fer_schema_limits_message(void);
FER_API const fer_schema_limits *fer_schema_limits_file(void);

/* ---- schemas that others may refer to ------------------------------------------------ */

typedef struct fer_registry fer_registry;

FER_API FER_MUST_USE fer_registry *fer_registry_new(void);
/* Programs compiled with it keep what they need; NULL is fine. */
FER_API void fer_registry_free(fer_registry *r);
/*
 * Registers a schema (JSON text, copied) under a URI, and under the `$id`s in it.
 * `dialect` is for a text without `$schema`. Not while other threads use the registry.
 */
FER_API fer_code fer_registry_add(fer_registry *r, fer_str uri, fer_str text, fer_dialect dialect,
                                  fer_err *err);

/* ---- compiling -------------------------------------------------------------------------- */

typedef struct fer_schema fer_schema;

typedef struct fer_schema_options {
    fer_dialect dialect;             /* where `$schema` says nothing */
    bool assert_formats;             /* `format` is checked, not just noted */
    bool formats_note_only;          /* `format` is never checked, even in v1 */
    bool native;                     /* verdicts by machine code, where that can be made */
    bool assert_content;             /* so are contentEncoding, contentMediaType, contentSchema */
    fer_str base_uri;                /* of a schema without `$id`; may be empty */
    const fer_registry *registry;    /* or NULL */
    const fer_schema_limits *limits; /* NULL: those for messages */
} fer_schema_options;

/*
 * Compiles a JSON text, which is copied. `options` may be NULL. Failures:
 * FER_INVALID_SCHEMA (not a schema of its dialect), FER_UNSUPPORTED_DIALECT,
 * FER_EXTERNAL_REF (a reference to something not known), FER_LIMIT_EXCEEDED, and those
 * of reading JSON; `err` has the place in the text.
 */
FER_API fer_code fer_schema_compile(fer_str text, const fer_schema_options *options,
                                    fer_schema **out, fer_err *err);
/* The same for a value of a document (NULL: its root). The document must outlive the program. */
FER_API fer_code fer_schema_compile_value(const fer_json *doc, const struct yyjson_val *value,
                                          const fer_schema_options *options, fer_schema **out,
                                          fer_err *err);
FER_API fer_schema *fer_schema_ref(fer_schema *s);
FER_API void fer_schema_unref(fer_schema *s);
FER_API fer_dialect fer_schema_dialect(const fer_schema *s);
/* Whether it has machine code: it was asked for, the processor is an x86-64, the system allows it.
 */
FER_API bool fer_schema_is_native(const fer_schema *s);

/* One thing that is wrong with a schema, or (warning) worth a look. */
typedef struct fer_schema_problem {
    fer_code code;
    bool warning;
    const char *rule;               /* stable, such as "unknown-keyword" */
    fer_str pointer;                /* in the schema that was given */
    fer_place place;                /* in its text; line 0: not known */
    const struct yyjson_val *value; /* what it is about */
    fer_str message;                /* a sentence */
    fer_str hint;                   /* what to do, or empty */
} fer_schema_problem;

/* A rule that problems name. */
typedef struct fer_schema_rule {
    const char *id;
    bool warning;     /* it keeps no schema from compiling */
    const char *text; /* what it demands, why, and how to mend it: sentences */
    const char *why;
    const char *fix;
} fer_schema_rule;
/* All of them, ordered by id. */
FER_API const fer_schema_rule *fer_schema_rules(size_t *count);
/* The rule of an id, or NULL. */
FER_API const fer_schema_rule *fer_schema_rule_find(const char *id);

/*
 * Everything that is wrong with a schema, in the order of its text: what keeps it from
 * compiling, and with `lint` what is suspicious (unknown keywords, references without
 * progress, formats that are not known ...).
 */
FER_API fer_code fer_schema_problems(fer_arena *a, const fer_json *doc,
                                     const struct yyjson_val *value,
                                     const fer_schema_options *options, bool lint,
                                     fer_schema_problem **out, size_t *count, fer_err *err);

/* ---- validating ---------------------------------------------------------------------------- */

/*
 * Whether a value is valid: the quickest way to ask. `scratch` is used on the way. Past the
 * limit of steps, the answer is FER_VALIDATION_BUDGET_EXCEEDED. Values are those of documents that
 * this library has read, here and below: a few bytes behind each text must be readable.
 */
FER_API fer_code fer_schema_accepts(const fer_schema *s, fer_arena *scratch,
                                    const struct yyjson_val *value, bool *valid, fer_err *err);

struct fer_unit;

/* One way in which a value breaks its schema. */
typedef struct fer_violation {
    fer_code code;             /* FER_REQUIRED_MISSING ... FER_VALIDATION_BUDGET_EXCEEDED */
    fer_str keyword;           /* that refused it */
    fer_str field;             /* JSON Pointer of the field in the instance */
    fer_str dotted;            /* the same as order.items[2].sku; empty: the whole value */
    fer_str keyword_location;  /* JSON Pointer through the schemas that were evaluated */
    fer_str absolute_location; /* URI of the keyword */
    fer_str expected;          /* in words; may be empty */
    fer_str actual;            /* in words or as JSON, cut; only the type where hidden */
    const fer_str *allowed;    /* values, as JSON, or names of candidates */
    size_t allowed_count;
    fer_str did_you_mean;            /* may be empty */
    fer_str message;                 /* a sentence that a model can repair from */
    fer_str hint;                    /* what to do, or empty */
    const struct yyjson_val *value;  /* in the instance: what it is about (a key, where that is) */
    const struct yyjson_val *schema; /* the keyword's value in its schema */
    fer_place place;                 /* of `value`; line 0: no document was given */
    fer_place schema_place;          /* of `schema`; line 0: not known */
    const struct fer_unit *unit;     /* Ferrule's own; lives with the result */
} fer_violation;

/* What a valid part of the schema says of a place in the instance. */
typedef struct fer_annotation {
    fer_str keyword;
    fer_str field; /* JSON Pointer in the instance */
    fer_str keyword_location;
    fer_str absolute_location;
    fer_str json; /* the annotation, as JSON */
} fer_annotation;

#define FER_VIOLATIONS_MAX 100 /* findings of one validation, unless told otherwise */

typedef struct fer_validate_options {
    size_t max_violations; /* 0: FER_VIOLATIONS_MAX */
    bool annotations;      /* collect them too */
    bool hide_values;      /* name types, never values */
    const fer_str *redact; /* paths whose values are hidden: a.b, *, **, [0] */
    size_t redact_count;
    const fer_str *show; /* with hide_values: paths whose values are shown, unless redacted */
    size_t show_count;
} fer_validate_options;

typedef struct fer_result fer_result;

/*
 * Validates a value (NULL: the root) of a document and says everything about it. A value
 * past the limit of steps is not valid, with one finding that says so.
 */
FER_API fer_code fer_schema_validate(fer_arena *a, const fer_schema *s, const fer_json *doc,
                                     const struct yyjson_val *value,
                                     const fer_validate_options *options, fer_result **out,
                                     fer_err *err);

FER_API bool fer_result_valid(const fer_result *r);
/* In the order of the instance's text. */
FER_API const fer_violation *fer_result_violations(const fer_result *r, size_t *count);
/* Whether there were more than the limit allowed. */
FER_API bool fer_result_cut(const fer_result *r);
FER_API const fer_annotation *fer_result_annotations(const fer_result *r, size_t *count);

typedef enum fer_output {
    FER_OUTPUT_FLAG,
    FER_OUTPUT_BASIC,       /* 2019-09, 2020-12 */
    FER_OUTPUT_DETAILED,    /* 2019-09, 2020-12 */
    FER_OUTPUT_LIST,        /* v1 */
    FER_OUTPUT_HIERARCHICAL /* v1 */
} fer_output;
/* The standard output formats, as JSON. Annotations are in it where they were asked for. */
FER_API fer_code fer_result_output(fer_arena *a, const fer_result *r, fer_output format,
                                   fer_str *out, fer_err *err);

/* ---- adapting an instance ---------------------------------------------------------------------
 */

typedef struct fer_adapt_options {
    bool fill_defaults;  /* absent properties take their default, from branches that matched */
    bool repair;         /* "42" -> 42, "true" -> true, one value -> list, JSON in a string */
    bool strip_unknown;  /* properties that the schema refuses are taken out */
    bool null_to_absent; /* nulls that the schema refuses are taken out */
} fer_adapt_options;

typedef struct fer_change {
    const char *op;  /* "add", "replace", "remove" (RFC 6902) */
    fer_str pointer; /* at the time of the change */
    fer_str was;     /* JSON; empty for "add" */
    fer_str value;   /* JSON; empty for "remove" */
    const char *why; /* "default", "repair", "unknown", "null" */
} fer_change;

typedef struct fer_adapted {
    const fer_json *doc; /* the changed copy, or the document given where nothing changed */
    const struct yyjson_val *value;
    const fer_change *changes;
    size_t change_count;
    fer_result *result; /* of validating it */
} fer_adapted;

/* Validates, changing a copy as the options allow; the value given is never touched. */
FER_API fer_code fer_schema_adapt(fer_arena *a, const fer_schema *s, const fer_json *doc,
                                  const struct yyjson_val *value, const fer_adapt_options *adapt,
                                  const fer_validate_options *options, fer_adapted *out,
                                  fer_err *err);

/* ---- what a schema says of its parameters -----------------------------------------------------
 */

/* One parameter of an object schema, found through `$ref`, `allOf` and nesting. */
typedef struct fer_parameter {
    fer_str name;         /* dotted: address.city; tags[] for the items of a list */
    size_t depth;         /* 0: a parameter of the whole */
    const fer_str *types; /* "string", "integer" ... ; none: any */
    size_t type_count;
    bool required;        /* of the object it is in */
    fer_str default_json; /* empty: none */
    fer_str description;  /* empty: none */
    fer_str format;       /* empty: none */
    fer_str enum_json;    /* the allowed values as a JSON array; empty: any */
} fer_parameter;

typedef struct fer_schema_info {
    const fer_parameter *parameters; /* in the order of the schema, each before what is in it */
    size_t count;
} fer_schema_info;

FER_API fer_code fer_schema_describe(fer_arena *a, const fer_schema *s, fer_schema_info *out,
                                     fer_err *err);
/* {"required":[...],"defaults":{...},"types":{...}} of the parameters of the whole. */
FER_API fer_code fer_schema_info_write(fer_arena *a, const fer_schema_info *info, fer_str *out,
                                       fer_err *err);

/* ---- bundling and converting -------------------------------------------------------------------
 */

/* The schema as one document: what it refers to elsewhere is put under `$defs`. */
FER_API fer_code fer_schema_bundle(fer_arena *a, const fer_json *doc,
                                   const fer_schema_options *options, fer_str *out, fer_err *err);

/* Something that a conversion could not keep, or changed. */
typedef struct fer_schema_change {
    fer_str pointer; /* in the schema that was given */
    bool lost;       /* the meaning changed; else only its form did */
    fer_str message;
} fer_schema_change;

/* The schema in another dialect, with everything that had to change. */
FER_API fer_code fer_schema_convert(fer_arena *a, const fer_json *doc, fer_dialect from,
                                    fer_dialect to, fer_str *out, fer_schema_change **changes,
                                    size_t *change_count, fer_err *err);

/* ---- instances of a schema, and one schema within another -------------------------------------
 */

#define FER_SAMPLES_MAX   200     /* instances of a kind, unless told otherwise */
#define FER_SAMPLE_STEPS  2000000 /* work for the instances of one schema, unless told otherwise */
#define FER_INCLUDE_STEPS 400000  /* work for one proof, and for one search of a witness */

/* An instance, and what the engine says of it. */
typedef struct fer_specimen {
    fer_str json;
    bool valid;
} fer_specimen;

typedef struct fer_sample_options {
    size_t max;               /* instances of a kind; 0: FER_SAMPLES_MAX */
    size_t steps;             /* 0: FER_SAMPLE_STEPS */
    uint64_t seed;            /* of the order; 0: the most telling first */
    bool near_misses;         /* such that break one thing, too */
    const fer_schema *beside; /* or NULL: instances that this one refuses come first */
} fer_sample_options;

/*
 * Instances at the borders of a schema: bounds, each alternative, optional members there and
 * not there. Each was judged by fer_schema_accepts' engine; the same schema and options give
 * the same instances. Valid ones come first. There may be none.
 */
FER_API fer_code fer_schema_samples(fer_arena *a, const fer_schema *s,
                                    const fer_sample_options *options, fer_specimen **out,
                                    size_t *count, fer_err *err);

typedef enum fer_inclusion {
    FER_INCLUDED,         /* proved: the larger schema accepts all that the smaller accepts */
    FER_NOT_INCLUDED,     /* there is a witness */
    FER_INCLUSION_UNKNOWN /* neither was found */
} fer_inclusion;

typedef struct fer_included {
    fer_inclusion verdict;
    fer_str witness; /* JSON that the smaller accepts and the larger does not; else empty */
} fer_included;

/* Decides whether `larger` accepts every instance that `smaller` accepts. `steps` 0:
 * FER_INCLUDE_STEPS. */
FER_API fer_code fer_schema_includes(fer_arena *a, const fer_schema *larger,
                                     const fer_schema *smaller, size_t steps, fer_included *out,
                                     fer_err *err);

/*
 * The schema as a tolerant reader takes it, as JSON: objects that are closed (additionalProperties
 * or unevaluatedProperties false) take further members, and where exactly one alternative was
 * asked for, several may fit. What is negated or a condition stays as it is.
 */
FER_API fer_code fer_schema_open(fer_arena *a, const fer_json *doc, const struct yyjson_val *value,
                                 fer_dialect dialect, fer_str *out, fer_err *err);

/* ---- a cache of programs
 * -------------------------------------------------------------------------- */

/* Programs by the content of their schema, the least used given up first. Any thread may ask. */
typedef struct fer_schema_cache fer_schema_cache;

#define FER_SCHEMA_CACHE_MAX 1000 /* programs, unless told otherwise */

FER_API FER_MUST_USE fer_schema_cache *fer_schema_cache_new(size_t max);
FER_API void fer_schema_cache_free(fer_schema_cache *cache);
/* The program of a schema (given as a value), compiled where it is not there; to be unref'd. */
FER_API fer_code fer_schema_cache_get(fer_schema_cache *cache, const struct yyjson_val *schema,
                                      const fer_schema_options *options, fer_schema **out,
                                      fer_err *err);
typedef struct fer_cache_stats {
    size_t count, hits, misses, dropped;
} fer_cache_stats;
FER_API fer_cache_stats fer_schema_cache_stats(fer_schema_cache *cache);

/* ---- a first schema from examples
 * ----------------------------------------------------------------- */

#define FER_INFER_EXAMPLES 100000 /* examples of one schema */
#define FER_INFER_DEPTH    50     /* arrays and objects inside each other in an example */
#define FER_INFER_ENUM     10     /* different strings at one place that may make an enum */
#define FER_INFER_MAP      16     /* different keys at one place that may make a map */

typedef struct fer_infer_options {
    bool no_enums;   /* strings that come again and again are just strings */
    bool no_formats; /* dates, addresses ... are just strings */
    bool open;       /* objects take properties that no example has */
} fer_infer_options;

/*
 * The narrowest plain schema (2020-12) that all examples fit: types, required where every
 * example has it, closed objects, formats that all strings follow, enums of few strings that
 * come again, maps where keys are data. The same examples in the same order give the same
 * text. That the examples are valid under it, formats included, is checked before it is given.
 */
FER_API fer_code fer_schema_infer(fer_arena *a, const struct yyjson_val *const *examples,
                                  size_t count, const fer_infer_options *options, fer_str *out,
                                  fer_err *err);

/* ---- building schemas
 * ------------------------------------------------------------------------------- */

/*
 * Small helpers that write schemas: fer_make_object(a, properties, count, NULL) and its like
 * give JSON text that fer_schema_compile takes. ptr NULL: no memory.
 */
typedef struct fer_property {
    const char *name;
    fer_str schema; /* JSON text, such as one of the helpers gives */
    bool required;
} fer_property;

typedef struct fer_describe {
    const char *title; /* any of these may be NULL */
    const char *description;
    const char *default_json;
} fer_describe;

FER_API fer_str fer_make_string(fer_arena *a, const fer_describe *about);
FER_API fer_str fer_make_pattern(fer_arena *a, const char *pattern, const fer_describe *about);
FER_API fer_str fer_make_format(fer_arena *a, const char *format, const fer_describe *about);
FER_API fer_str fer_make_enum(fer_arena *a, const char *const *values, size_t count,
                              const fer_describe *about);
FER_API fer_str fer_make_boolean(fer_arena *a, const fer_describe *about);
/* INT64_MIN and INT64_MAX are no bounds. */
FER_API fer_str fer_make_integer(fer_arena *a, int64_t min, int64_t max, const fer_describe *about);
FER_API fer_str fer_make_number(fer_arena *a, const fer_describe *about);
FER_API fer_str fer_make_array(fer_arena *a, fer_str items, const fer_describe *about);
/* Closed: other properties are refused. */
FER_API fer_str fer_make_object(fer_arena *a, const fer_property *properties, size_t count,
                                const fer_describe *about);
FER_API fer_str fer_make_nullable(fer_arena *a, fer_str schema);

/*
 * A table of parameters: the schema is generated from it, and arguments that the schema
 * accepts are bound to the fields of a struct by it.
 */
typedef enum fer_bind {
    FER_BIND_STRING,  /* fer_str */
    FER_BIND_INTEGER, /* int64_t */
    FER_BIND_NUMBER,  /* double */
    FER_BIND_BOOLEAN, /* bool */
    FER_BIND_JSON     /* const struct yyjson_val *: anything */
} fer_bind;

typedef struct fer_bind_row {
    const char *name;
    fer_bind kind;
    size_t offset; /* of the field: offsetof(struct arguments, field) */
    bool required;
    const char *description;  /* or NULL */
    const char *default_json; /* or NULL; bound where the argument is absent */
    const char *schema_json;  /* more keywords, as a JSON object: {"minimum":1}; or NULL */
} fer_bind_row;

FER_API fer_code fer_bind_schema(fer_arena *a, const fer_bind_row *rows, size_t count, fer_str *out,
                                 fer_err *err);
/*
 * Fields whose argument is absent and that have no default are left as they are; texts and
 * JSON are borrowed from the arguments. Arguments that do not fit the table fail, whether
 * they were validated or not: FER_INVALID_TYPE, FER_REQUIRED_MISSING, FER_OUT_OF_RANGE (past
 * 64 bits or a double). Then no field is written. What the table does not name is passed over.
 */
FER_API fer_code fer_bind_arguments(fer_arena *a, const fer_bind_row *rows, size_t count,
                                    const struct yyjson_val *arguments, void *into, fer_err *err);

#ifdef __cplusplus
}
#endif

#endif
