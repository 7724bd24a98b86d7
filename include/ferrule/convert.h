/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools for a provider: their definitions in the provider's shape, with schemas that it takes,
 * and the way back for the calls that are made against them.
 *
 * A schema is rewritten only where the provider's profile refuses something (or drops it
 * without a word), by rules that each say what they lose. What they say is then checked:
 * instances of both schemas are translated and judged by the engine. An output that does not
 * pass the profile, or loses more than it says, is not given; the tool is refused with a
 * reason. The map holds what a call needs on its way back, and the records as they were.
 *
 * Pure: results live in the arena that was given, and depend on nothing but the input.
 */
#ifndef FERRULE_CONVERT_H
#define FERRULE_CONVERT_H

#include <ferrule/common.h>
#include <ferrule/contract.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what rewrites lose ----------------------------------------------------------------- */

typedef enum fer_loss {
    FER_LOSS_SAME,        /* the same calls are legal */
    FER_LOSS_DOCS,        /* only what people and models read has changed */
    FER_LOSS_ADAPTER,     /* the same calls, once they are translated back */
    FER_LOSS_NARROWER,    /* every call is legal, but some can no longer be made */
    FER_LOSS_WIDER,       /* some calls are not legal: the tool must validate, as it should */
    FER_LOSS_DESTRUCTIVE, /* something is gone for good */
    FER_LOSS_COUNT
} fer_loss;
FER_API const char *fer_loss_name(fer_loss loss); /* "same", "docs-only" ... */

/* A rewrite (docs/reference/rewrites.md). */
typedef struct fer_rewrite {
    const char *id;      /* "R09" */
    const char *title;   /* what it does */
    const char *classes; /* what it may lose: "adapter, narrower" */
    const char *rules;   /* the rules of profiles that make it needed */
    const char *text;    /* when, and what to look out for */
} fer_rewrite;
/* All rewrites, ordered by id. */
FER_API const fer_rewrite *fer_rewrites(size_t *count);
FER_API const fer_rewrite *fer_rewrite_find(fer_str id); /* or NULL */

/* One rewrite that was made. */
typedef struct fer_rewritten {
    const fer_rewrite *rule;
    fer_str pointer; /* in the tool, as it was when the rule was applied */
    fer_loss loss;
    fer_str before; /* JSON of what stood there; cut where it is long */
    fer_str after;
    fer_str reason;      /* why: what the profile has against it */
    const char *adapter; /* how a call is translated back: "drop-null" ...; or NULL */
} fer_rewritten;

/* ---- conversion ------------------------------------------------------------------------- */

#define FER_CONVERT_ROUNDS  80     /* of finding and rewriting, for one tool */
#define FER_CONVERT_VALUES  20000  /* values in one schema: what inlining may make of it */
#define FER_CONVERT_UNROLL  2      /* times that a recursive schema stands inside itself */
#define FER_CONVERT_ENUM    32     /* integers of a range that become an enum */
#define FER_CONVERT_REPEAT  99     /* the largest count in a pattern that stands for a length */
#define FER_CONVERT_SHOWN   400    /* bytes of `before` and `after` */
#define FER_CONVERT_SAMPLES 40     /* instances of each schema that are translated and judged */
#define FER_CONVERT_STEPS   200000 /* work for the instances of one schema */

typedef struct fer_convert_options {
    bool force;      /* destructive rewrites are fine */
    bool keeps_map;  /* the map will be kept: what only it holds is not lost */
    bool no_witness; /* do not check the loss by instances */
} fer_convert_options;

typedef struct fer_converted {
    const fer_tool *tool;
    fer_str name;    /* that the provider sees */
    fer_str entry;   /* the definition for the provider, JSON; empty: refused */
    fer_str refused; /* why; empty: it was not */
    const fer_rewritten *changes;
    size_t change_count;
    unsigned losses;  /* bits 1 << fer_loss of all changes */
    fer_str back;     /* the schema with marks for calls that come back; empty: none is needed */
    size_t witnesses; /* instances that were translated and judged */
    bool proved;      /* the engine proved what the instances could only show */
} fer_converted;

typedef struct fer_conversion {
    const fer_converted *tools; /* in the order of the set */
    size_t count;
    size_t refused;
    fer_str text;               /* the list of definitions, JSON */
    fer_str map;                /* the sidecar, JSON */
    const fer_finding *budgets; /* what the whole set exceeds; its tools are there all the same */
    size_t budget_count;
} fer_conversion;

/* Converts all tools of a set. Its texts need not be there any more. */
FER_API fer_code fer_toolset_convert(fer_arena *a, const fer_toolset *set,
                                     const fer_profile *profile, const fer_convert_options *options,
                                     fer_conversion *out, fer_err *err);

/* ---- fixing ------------------------------------------------------------------------------------
 */

/* A tool's input schema with what profiles have against it rewritten, where that loses nothing. */
typedef struct fer_fixed {
    fer_str schema; /* JSON; empty: there was nothing to rewrite */
    const fer_rewritten *changes;
    size_t change_count;
} fer_fixed;

/* Applies rewrites of class same for one profile after the other, to a fixpoint; those of a profile
 * are kept where all profiles together have less against the schema then. */
FER_API fer_code fer_tool_fix(fer_arena *a, const fer_tool *tool,
                              const fer_profile *const *profiles, size_t count, fer_fixed *out,
                              fer_err *err);

/* ---- the way back ---------------------------------------------------------------------------- */

#define FER_MAP_VERSION 1

/* A sidecar that was read. */
typedef struct fer_back_map fer_back_map;
FER_API fer_code fer_back_map_read(fer_arena *a, fer_str text, const fer_back_map **out,
                                   fer_err *err);

typedef struct fer_back_call {
    fer_str name; /* the tool's own name */
    fer_str id;   /* its ID */
    fer_str json; /* {"id":..., "name":..., "arguments":{...}}; id where the call had one */
    fer_str arguments;
} fer_back_call;

/*
 * Translates a call that a model made against a converted tool. It may be in any provider's
 * form: {"name","arguments"}, with arguments as an object or as JSON in a string, OpenAI's
 * {"function":...}, Anthropic's tool_use, Gemini's functionCall, Bedrock's toolUse, MCP's
 * tools/call. FER_TOOL_NOT_FOUND: the map has no such tool. Arguments that the converted schema
 * does not accept fail with what the engine has against them.
 */
FER_API fer_code fer_back_map_call(fer_arena *a, const fer_back_map *map, fer_str call,
                                   fer_back_call *out, fer_err *err);
/* The definitions as they were before the conversion, a JSON list. */
FER_API fer_code fer_back_map_records(fer_arena *a, const fer_back_map *map, fer_str *out,
                                      fer_err *err);

#ifdef __cplusplus
}
#endif

#endif
