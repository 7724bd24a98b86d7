/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a contract changes: what differs between two versions of tools, what that means for
 * those who call them and for those who read their results, and which version it needs.
 *
 * Callers: everything that the old inputSchema accepts, the new one must accept. Readers:
 * everything that the new outputSchema accepts, the old one must accept, where a tolerant
 * reader passes over members it does not know. Compatible means proved; breaking has a
 * witness, an instance that the engine accepts on one side and refuses on the other; what is
 * neither is unknown, and counts as breaking for the version.
 *
 * A lock holds the hashes of definitions, so that one that changes without a new version is
 * noticed. Pure; results live in the arena that was given.
 */
#ifndef FERRULE_EVOLVE_H
#define FERRULE_EVOLVE_H

#include <ferrule/common.h>
#include <ferrule/contract.h>
#include <ferrule/json.h>
#include <ferrule/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- changes ------------------------------------------------------------------------- */

typedef enum fer_bump {
    FER_BUMP_NONE,
    FER_BUMP_PATCH,
    FER_BUMP_MINOR,
    FER_BUMP_MAJOR
} fer_bump;
FER_API const char *fer_bump_name(fer_bump bump); /* "none", "patch" ... */

/* What a change means to one side. */
typedef enum fer_impact {
    FER_IMPACT_NONE,       /* it does not concern them */
    FER_IMPACT_COMPATIBLE, /* proved */
    FER_IMPACT_NOTICE,     /* compatible, but worth a look */
    FER_IMPACT_UNKNOWN,    /* neither proof nor witness was found */
    FER_IMPACT_BREAKING
} fer_impact;
FER_API const char *fer_impact_name(fer_impact impact); /* "-", "compatible" ... */

/* A kind of change (docs/reference/changes.md). */
typedef struct fer_change_kind {
    const char *id;      /* stable, such as "property.added.required" */
    const char *text;    /* what has changed */
    const char *callers; /* what it means to them, in words */
    const char *readers;
    fer_bump least;                          /* the bump it needs where nothing breaks */
    bool decided;                            /* by comparing the schemas; else by the kind alone */
    fer_impact caller_impact, reader_impact; /* where it is not decided */
    const char *level;                       /* "source", "contract" or "safety" */
} fer_change_kind;

/* All kinds, ordered by id. */
FER_API const fer_change_kind *fer_change_kinds(size_t *count);

typedef enum fer_side {
    FER_SIDE_TOOL,
    FER_SIDE_INPUT,
    FER_SIDE_OUTPUT
} fer_side;

typedef struct fer_tool_change {
    const fer_change_kind *kind;
    fer_side side;
    fer_str where;       /* in words: "input.limit"; "tool" for the whole */
    fer_str message;     /* a line for a changelog */
    fer_str old_pointer; /* in the tool's record; ptr NULL: it is not there */
    fer_str new_pointer;
    fer_place old_place; /* line 0: not known */
    fer_place new_place;
    fer_impact callers;
    fer_impact readers;
    fer_str witness; /* JSON: an instance that breaks; empty: none */
    fer_str reason;  /* why the other side refuses it; may be empty */
    fer_bump bump;
} fer_tool_change;

typedef enum fer_declared {
    FER_DECLARED_MISSING, /* one side has no version */
    FER_DECLARED_RIGHT,
    FER_DECLARED_SMALLER, /* than what is needed: an error */
    FER_DECLARED_LARGER,
    FER_DECLARED_BACK /* the new version is lower than the old one: an error */
} fer_declared;

typedef struct fer_tool_diff {
    fer_str id;          /* without version; of the new tool where there is one */
    const fer_tool *old; /* NULL: it is new */
    const fer_tool *now; /* NULL: it is gone */
    const fer_tool_change *changes;
    size_t count;
    fer_impact callers; /* the gravest of all changes */
    fer_impact readers;
    fer_bump needed;
    fer_bump declared_bump;
    fer_declared declared;
} fer_tool_diff;

typedef struct fer_diff {
    const fer_tool_diff *tools; /* those that changed, ordered by id */
    size_t count;
    size_t compared; /* tools that are on both sides */
    fer_bump needed; /* the largest */
    bool fails;      /* breaks more than some version declares, or without any version */
} fer_diff;

#define FER_DIFF_CHANGES 1000 /* of one tool */
#define FER_DIFF_DECIDED 64   /* changes of one schema that are decided one by one */

typedef struct fer_diff_options {
    bool strict_reader;  /* members that a reader does not know break it */
    bool assert_formats; /* `format` is checked */
    bool places;         /* the texts of both sets are still there: give lines and columns */
    size_t steps;        /* work for one decision; 0: FER_INCLUDE_STEPS */
} fer_diff_options;

/* What changed from one set of tools to another. Tools are paired by namespace and name. */
FER_API fer_code fer_toolset_diff(fer_arena *a, const fer_toolset *old, const fer_toolset *now,
                                  const fer_diff_options *options, fer_diff *out, fer_err *err);
/* The same for two tools; either may be NULL. */
FER_API fer_code fer_tool_compare(fer_arena *a, const fer_tool *old, const fer_tool *now,
                                  const fer_diff_options *options, fer_tool_diff *out,
                                  fer_err *err);

/* ---- locks --------------------------------------------------------------------------- */

#define FER_LOCK_VERSION 1
#define FER_LOCK_TOOLS   FER_TOOLS_MAX /* in one lock */

/* A text for a lock file: JSON, one line per tool, ordered by ID. */
FER_API fer_code fer_lock_write(fer_arena *a, const fer_toolset *set, fer_str *out, fer_err *err);

typedef enum fer_lock_state {
    FER_LOCK_CHANGED, /* another definition under the same version */
    FER_LOCK_BUMPED,  /* another definition and another version */
    FER_LOCK_NEW,     /* not in the lock */
    FER_LOCK_GONE     /* only in the lock */
} fer_lock_state;
FER_API const char *fer_lock_state_name(fer_lock_state state);

typedef struct fer_lock_entry {
    fer_lock_state state;
    fer_str id;
    fer_str old_version, new_version; /* may be empty */
    fer_str old_hash, new_hash;       /* may be empty */
    const char *parts[9];             /* fields that changed: "description", "inputSchema" ... */
    size_t part_count;
} fer_lock_entry;

/*
 * Holds tools against a lock. Everything that differs is in the list; `*broken` says whether
 * that is more than new versions. FER_INVALID_JSON and its like: the text is no lock.
 */
FER_API fer_code fer_lock_verify(fer_arena *a, fer_str lock, const fer_toolset *set,
                                 fer_lock_entry **out, size_t *count, bool *broken, fer_err *err);

#ifdef __cplusplus
}
#endif

#endif
