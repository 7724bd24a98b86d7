/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tool on its way to a provider, and the rewrites that get it there.
 *
 * The life of a conversion: write the definition in the provider's shape (wire.c) -> hold it
 * against the profile -> of what was found, take what the earliest row of the table of fixes
 * is for (fixes.c) -> let it rewrite the schema at each place -> again, until nothing is
 * found, or nothing can be done: then the tool is refused. So nothing is rewritten that the
 * profile does not refuse, and a rule in a profile of the user's needs no code.
 *
 * The schema is 2020-12 all the way. Where a rewrite changes what a value looks like, it
 * leaves a mark at the node (marks.h); the marked schema is what calls come back through.
 */
#ifndef FER_REWRITE_H
#define FER_REWRITE_H

#include <ferrule/convert.h>

#include "checks.h"
#include "plot.h"
#include "profile.h"
#include "tool.h"

/* In the order of the table. */
enum fer_rewrite_id {
    FER_R01,
    FER_R02,
    FER_R03,
    FER_R04,
    FER_R05,
    FER_R06,
    FER_R07,
    FER_R08,
    FER_R09,
    FER_R10,
    FER_R11,
    FER_R12,
    FER_R13,
    FER_R14,
    FER_R15,
    FER_R16,
    FER_R17,
    FER_R18,
    FER_R19,
    FER_R20,
    FER_R21,
    FER_R22,
    FER_R23,
    FER_R24,
    FER_R25,
    FER_R26,
    FER_R27,
    FER_R28,
    FER_R29,
    FER_R30,
    FER_REWRITE_COUNT
};
extern const fer_rewrite fer_rewrite_rows[FER_REWRITE_COUNT];

struct fer_wire;

/* A round of rewriting that translates nothing: what stood before it and behind it. */
struct fer_stage {
    fer_str before, after;
    bool wider, narrower;
};

typedef struct fer_rw {
    fer_arena *arena;
    fer_tree tree;
    yyjson_mut_val *root; /* of the schema */
    const fer_tool *tool;
    const fer_profile *profile;
    const fer_plan *plan; /* of this profile alone */
    const fer_checks *checks;
    const struct fer_wire *wire;
    const fer_convert_options *options;
    fer_str name;        /* for the wire */
    fer_str description; /* for the wire */
    bool nullable;       /* the wire says `nullable`, not ["string", "null"] */
    bool rewritten;      /* the schema is no longer the original */
    bool only_same;      /* what loses anything is not done (fix_tool.c) */

    bool moved;                 /* the root has moved: pointers of this round lead elsewhere */
    const fer_finding *finding; /* that is being fixed */
    fer_str pointer;            /* of it, in the schema */
    fer_str refused;            /* ptr NULL: not yet */
    fer_rewritten *notes;
    size_t note_count, note_cap;
    struct fer_stage *stages;
    size_t stage_count, stage_cap;
} fer_rw;

/* A fix: what it does about a finding at a spot. False: nothing could be done here. */
typedef bool fer_fix(fer_rw *c, fer_spot *s);

/* Notes a rewrite at the spot at hand. `adapter` may be NULL. */
void fer_rw_note(fer_rw *c, enum fer_rewrite_id id, fer_loss loss, const char *adapter,
                 const char *format, ...) FER_PRINTF(5, 6);
/* Refuses the tool, for good. Gives false. */
bool fer_rw_refuse(fer_rw *c, const char *format, ...) FER_PRINTF(2, 3);

/* Whether the profile has an error for a rule. */
static inline bool fer_rw_refuses(const fer_rw *c, enum fer_profile_rule_id rule)
{
    return c->profile->rows[rule].on && c->profile->rows[rule].severity == FER_SEVERITY_ERROR;
}
/* Whether the profile has an error for a keyword, here or (root) at the root. */
bool fer_rw_refuses_keyword(const fer_rw *c, enum fer_slot slot);
/* Whether the keyword gets to the model: neither refused nor dropped. */
bool fer_rw_takes_keyword(const fer_rw *c, enum fer_slot slot);

/* ---- what fixes share ------------------------------------------------------------------- */

/* Adds words to the end of a node's description. */
void fer_rw_say(fer_rw *c, yyjson_mut_val *node, fer_str words);
/* Adds "name=value" to the machine-readable tail of the description (R27). */
void fer_rw_constrain(fer_rw *c, yyjson_mut_val *node, fer_str name, fer_str value);

/* The types of a node as bits of enum fer_type_bits (look.h); 0: it names none. */
unsigned fer_rw_types(const yyjson_mut_val *node);
void fer_rw_set_types(fer_rw *c, yyjson_mut_val *node, unsigned types);
/* Whether a node accepts null, as far as can be told without running it; cautious: yes. */
bool fer_rw_takes_null(fer_rw *c, const yyjson_mut_val *node, unsigned depth);
/* Makes a node accept null, too. */
void fer_rw_add_null(fer_rw *c, yyjson_mut_val *node);
/* Moves title, description and default to another node. */
void fer_rw_move_notes(fer_rw *c, yyjson_mut_val *from, yyjson_mut_val *to);

/* What two schemas have in common. */
enum fer_meet {
    FER_MEET_DONE,  /* `into` is both now */
    FER_MEET_NEVER, /* nothing is valid under both */
    FER_MEET_CANNOT /* there is no way to write it; `into` is as it was */
};
enum fer_meet fer_rw_meet(fer_rw *c, yyjson_mut_val *into, const yyjson_mut_val *other);

/* Turns a node into a string that holds JSON (R21). */
bool fer_rw_as_json(fer_rw *c, yyjson_mut_val *node, const char *why);
/* The same at a spot; where an alternative beside it takes strings, for all alternatives. */
bool fer_rw_as_json_at(fer_rw *c, fer_spot *s, const char *why);
/* Whether values of a type could be taken for another branch of the anyOf that the spot is in. */
bool fer_rw_is_beside(fer_rw *c, const fer_spot *s, unsigned type);
/* Whether two schemas have nothing in common, as far as can be seen. */
bool fer_rw_disjoint(fer_rw *c, const yyjson_mut_val *x, const yyjson_mut_val *y);

/* ---- fixes, by family ------------------------------------------------------------------- */

/* rw_basic.c */
bool fer_rw_normalise(fer_rw *c); /* R02 */
/* A schema of OpenAPI 3.0 as JSON Schema: what it was before anything else. */
void fer_rw_read_openapi(fer_rw *c);
fer_fix fer_fix_drop, fer_fix_dialect, fer_fix_boolean, fer_fix_description;
/* rw_refs.c */
fer_fix fer_fix_ref_siblings, fer_fix_ref_inline, fer_fix_recursion, fer_fix_definitions;
bool fer_rw_hoist(fer_rw *c);
/* Puts what a branch refers to in its place; references inside it stay. */
bool fer_rw_inline_one(fer_rw *c, yyjson_mut_val *node);
/* rw_merge.c */
fer_fix fer_fix_all_of;
/* rw_unions.c */
fer_fix fer_fix_const, fer_fix_one_of, fer_fix_type_list, fer_fix_any_of_siblings,
    fer_fix_root_composition, fer_fix_any_of_empty;
bool fer_rw_fold_nulls(fer_rw *c);
bool fer_rw_wrap_root(fer_rw *c); /* the whole becomes one parameter */
/* Whether branches only say which names must be there. */
bool fer_rw_only_required(const yyjson_mut_val *list);
bool fer_rw_distribute(fer_rw *c, yyjson_mut_val *node);
/* rw_objects.c */
fer_fix fer_fix_closed, fer_fix_additional, fer_fix_all_required, fer_fix_properties,
    fer_fix_required_list, fer_fix_required_min, fer_fix_required_unknown, fer_fix_properties_empty,
    fer_fix_key;
/* Names that are required become properties, as they must before an object is closed. */
void fer_rw_declare_required(fer_rw *c, yyjson_mut_val *node);
/* rw_arrays.c */
fer_fix fer_fix_tuple, fer_fix_items_missing, fer_fix_items_any_of;
/* rw_bounds.c */
fer_fix fer_fix_bounds, fer_fix_format, fer_fix_default, fer_fix_text, fer_fix_pattern,
    fer_fix_combination, fer_fix_enum_limit, fer_fix_ignored, fer_fix_unevaluated;
/* rw_types.c */
fer_fix fer_fix_type, fer_fix_root_type, fer_fix_mismatch, fer_fix_enum, fer_fix_depth;

/* The row of a fix: for which rule of profiles, in which order. */
struct fer_fix_row {
    enum fer_profile_rule_id rule;
    unsigned order; /* lower ones first */
    fer_fix *fix;
    bool even_warned; /* a warning is reason enough: what it does is exact, or only words */
};
extern const struct fer_fix_row fer_fix_rows[];
extern const size_t fer_fix_row_count;
/* The row for a finding of a profile, or NULL. */
const struct fer_fix_row *fer_fix_find(const fer_rule *rule);

/* ---- marks ------------------------------------------------------------------------------ */

/* Adds to a node's marks: an object {"op": op}, to which the caller adds. NULL: no memory. */
yyjson_mut_val *fer_rw_mark(fer_rw *c, yyjson_mut_val *node, const char *op);
/* The mark of a kind, or NULL. */
yyjson_mut_val *fer_rw_marked(const yyjson_mut_val *node, const char *op);

/* Where one branch of an anyOf is translated, each says that it was taken. */
void fer_rw_mark_branches(fer_rw *c, yyjson_mut_val *root);

/* ---- the wire --------------------------------------------------------------------------- */

/* How a provider's definition looks; wire.c has a row for each. */
typedef struct fer_wire {
    const char *name;
    const char *around; /* a key around the record, or NULL */
    const char *type;   /* the value of "type" beside it, or NULL */
    const char *schema; /* the key of the schema */
    const char *inside; /* a key inside that, or NULL */
    const char *output; /* the key of the output schema, or NULL */
    const char *list;   /* a key around the list of all definitions, or NULL */
    bool record;        /* other fields of the record stand beside */
    bool no_empty;      /* a schema without parameters is left out */
} fer_wire;
const fer_wire *fer_wire_find(fer_str name);
/* The wire of a profile: its own word for it, else the first of its shapes, else MCP's. */
const fer_wire *fer_wire_of(const fer_profile *p);
/* The definition as JSON. */
fer_code fer_wire_write(fer_rw *c, fer_str *out, fer_err *err);
/* What of the tool has no place on the wire: notes R29 and R30. */
fer_code fer_wire_note_lost(fer_rw *c, fer_err *err);

/* ---- one tool --------------------------------------------------------------------------- */

/* Converts the tool of `c`, whose fields up to `name` are set. */
fer_code fer_rw_run(fer_rw *c, fer_converted *out, fer_err *err);
/* Rewrites only what loses nothing; what is left of the findings stays. */
fer_code fer_rw_run_same(fer_rw *c, fer_err *err);
/* Names for a set of tools: names[i] for the i-th (wire_names.c). */
fer_code fer_wire_names(fer_arena *a, const fer_toolset *set, const fer_profile *p, fer_str *names,
                        fer_err *err);
void fer_rw_note_name(fer_rw *c);

/* ---- there and back --------------------------------------------------------------------- */

/* A marked schema that is ready for calls. */
typedef struct fer_passage {
    fer_schema *schema; /* of the marked schema */
    yyjson_mut_val *root;
    fer_tree tree;
} fer_passage;
fer_code fer_passage_open(fer_arena *a, fer_str marked, fer_passage *out, fer_err *err);
void fer_passage_close(fer_passage *p);
/* A value of the converted schema as the original has it (back.c). FER_CONSTRAINT_VIOLATION and
 * its like: it is not valid, or cannot be translated. */
fer_code fer_passage_back(fer_arena *a, const fer_passage *p, fer_str value, fer_str *out,
                          fer_err *err);
/* A value of the original as the converted schema has it (forth.c); ptr NULL: there is none. */
fer_code fer_passage_forth(fer_arena *a, const fer_passage *p, fer_str value, fer_str *out,
                           fer_err *err);

/* Checks what the changes say they lose; refuses the tool where it is not so (witness.c). */
fer_code fer_rw_witness(fer_rw *c, fer_str original, fer_str marked, fer_converted *out,
                        fer_err *err);

/* The sidecar (back_map.c). */
fer_code fer_map_write(fer_arena *a, const fer_profile *p, const fer_converted *tools, size_t count,
                       fer_str *out, fer_err *err);

#endif
