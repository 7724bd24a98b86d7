/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of quality and safety: what no specification refuses and yet makes tools fail in
 * use. The rules are rows of quality_rules.c; what finds them is in families, a file each, that
 * are asked in turn: of the tool, of each subschema in one walk over its schemas, of the tool
 * again when all has been seen, and at last of the set. Facts that several families need are
 * gathered once. Heuristics are tables of words. Pure.
 *
 * To add a rule: a row in quality_rules.c, an id here, and the check in its family.
 */
#ifndef FER_QUALITY_H
#define FER_QUALITY_H

#include "checks.h"
#include "lexicon.h"
#include "subschemas.h"
#include "verbs.h"

/* In the order of the ids. */
enum fer_quality_id {
    FER_Q_ANN_CONTRADICTION,
    FER_Q_ANN_MISSING,
    FER_Q_ANN_VERB_MISMATCH,
    FER_Q_DESC_CONSTRAINT_DRIFT,
    FER_Q_DESC_DEFAULT_UNDOCUMENTED,
    FER_Q_DESC_ECHO,
    FER_Q_DESC_LONG,
    FER_Q_DESC_MISSING,
    FER_Q_DESC_NO_RETURN,
    FER_Q_DESC_PARAM_ECHO,
    FER_Q_DESC_PARAM_MISSING,
    FER_Q_DESC_SHORT,
    FER_Q_DOC_EXAMPLES,
    FER_Q_NAME_CASE,
    FER_Q_NAME_CONFUSABLE,
    FER_Q_NAME_DUP_NORMALISED,
    FER_Q_NAME_NAMESPACE,
    FER_Q_NAME_PORTABLE,
    FER_Q_NAME_VAGUE,
    FER_Q_NAME_VERB,
    FER_Q_NULL_MEANING,
    FER_Q_OUT_ITEMS_WRAPPER,
    FER_Q_OUT_MISSING,
    FER_Q_PAGE_INPUT_NO_CURSOR,
    FER_Q_PAGE_PAIR,
    FER_Q_PAGE_SIZE_BOUNDS,
    FER_Q_PARAM_BOOL_NAME,
    FER_Q_PARAM_DEEP,
    FER_Q_PARAM_DURATION_MS,
    FER_Q_PARAM_ENUM_CASE,
    FER_Q_PARAM_ENUM_IN_PROSE,
    FER_Q_PARAM_ENUM_SIZE,
    FER_Q_PARAM_FORMAT_MISSING,
    FER_Q_PARAM_FREEFORM_OBJECT,
    FER_Q_PARAM_ID_NAME,
    FER_Q_PARAM_MANY_OPTIONAL,
    FER_Q_PARAM_MONEY_FLOAT,
    FER_Q_PARAM_ORDER_REASONING,
    FER_Q_PARAM_PATTERN_EXAMPLE,
    FER_Q_PARAM_PATTERN_UNANCHORED,
    FER_Q_PARAM_STRINGLY_JSON,
    FER_Q_PARAM_TIME_SUFFIX,
    FER_Q_PARAM_UNDESCRIBED,
    FER_Q_PARAM_UNIT,
    FER_Q_SCHEMA_DEAD,
    FER_Q_SCHEMA_DEFAULT_INVALID,
    FER_Q_SCHEMA_UNKNOWN_KEYWORD,
    FER_Q_SEC_EXEC_PARAM,
    FER_Q_SEC_HIDDEN_TEXT,
    FER_Q_SEC_IDENTITY_PARAM,
    FER_Q_SEC_INJECTION_WORDS,
    FER_Q_SEC_RUG_PULL,
    FER_Q_SEC_SECRET_PARAM,
    FER_Q_SEC_SHADOWING,
    FER_Q_SEC_X_MCP_HEADER,
    FER_Q_TOOL_COUNT,
    FER_Q_TOOL_OVERLAP,
    FER_Q_TOOL_TOKEN_COST,
    FER_Q_UNION_NO_DISCRIMINATOR,
    FER_Q_COUNT
};
extern const fer_rule fer_quality_rules[FER_Q_COUNT];

/* Types of JSON Schema, a bit each. */
enum fer_type_bits {
    FER_IS_STRING = 1,
    FER_IS_INTEGER = 2,
    FER_IS_NUMBER = 4,
    FER_IS_BOOLEAN = 8,
    FER_IS_OBJECT = 16,
    FER_IS_ARRAY = 32,
    FER_IS_NULL = 64
};

/* What rules see of the tool at hand. */
typedef struct fer_quality {
    const fer_pass_tool *pass;
    const fer_tool *tool;
    fer_str name;
    fer_name_words words; /* of the name */
    enum fer_verb verb;
    size_t verb_at;
    fer_prose description;
    bool output; /* the walk is in the outputSchema */
    /* gathered in the walk over the inputSchema, whole when the families are asked again */
    size_t properties;            /* of the root */
    size_t required;              /* of these */
    size_t ids;                   /* properties of the root that are named *Id */
    bool pages;                   /* one of them asks for a part: pageToken, limit, offset ... */
    const yyjson_val *page_token; /* its key in the input */
    const yyjson_val *next_token; /* its key in the output */
    const yyjson_val *deep;       /* the first subschema that is nested too deeply */
    fer_str deep_pointer;
    unsigned deepest;
    const yyjson_val **headers; /* values of x-mcp-header so far */
    size_t header_count, header_cap;
    size_t bytes; /* of the definition, on one line, about */
} fer_quality;

/* What rules see of one subschema. */
typedef struct fer_qnode {
    const fer_subschema *schema;
    unsigned types;       /* FER_IS_*; from anyOf and oneOf where `type` says nothing; 0: any */
    bool param;           /* it is the value of a property */
    bool required;        /* of the object it is in */
    fer_str name;         /* of the property; empty where there is none */
    fer_name_words words; /* of the name */
    fer_prose prose;      /* its description */
    unsigned nesting;     /* objects and arrays around it, itself included */
} fer_qnode;

typedef struct fer_quality_family {
    void (*tool)(fer_quality *q);
    void (*node)(fer_quality *q, const fer_qnode *n);
    void (*done)(fer_quality *q);
} fer_quality_family;

extern const fer_quality_family fer_quality_naming, fer_quality_descriptions, fer_quality_drift,
    fer_quality_hints, fer_quality_params, fer_quality_numbers, fer_quality_enums,
    fer_quality_formats, fer_quality_paging, fer_quality_unions, fer_quality_security,
    fer_quality_orders, fer_quality_header, fer_quality_hidden;

/* What is remembered of a tool for the rules of sets (quality_set.c), and those rules. */
void fer_quality_note(fer_quality *q);
void fer_quality_set(fer_pass_set *p);

/* ---- findings ------------------------------------------------------------------------------- */

/* Of the tool, at one of its fields; a field that is absent stands for the name, or all of it. */
void fer_q_tool(fer_quality *q, enum fer_quality_id rule, enum fer_field_id field,
                const char *format, ...) FER_PRINTF(4, 5);
/* Of a subschema: at one of its keywords, or (KW_COUNT) at its key, or all of it. */
void fer_q_node(fer_quality *q, const fer_qnode *n, enum fer_quality_id rule, enum fer_slot slot,
                const char *format, ...) FER_PRINTF(5, 6);
void fer_q_hint(fer_quality *q, const char *format, ...) FER_PRINTF(2, 3);

/* ---- looking --------------------------------------------------------------------------------- */

/* The last word of a property's name is in the set. */
bool fer_q_ends_in(const fer_qnode *n, const fer_word_set *set);
/* Some word of it is. */
bool fer_q_has_word(const fer_name_words *words, const fer_word_set *set);
/* The value of a keyword, or NULL. */
static inline const yyjson_val *fer_q_get(const fer_qnode *n, enum fer_slot slot)
{
    return fer_subschema_get(n->schema, slot);
}
static inline bool fer_q_any(const fer_qnode *n, uint64_t slots)
{
    return (n->schema->slots & slots) != 0;
}
/* Whether it takes values of these types and null only. */
static inline bool fer_q_only(const fer_qnode *n, unsigned types)
{
    return (n->types & types) && !(n->types & ~(types | FER_IS_NULL));
}
/* The object whose property it is. */
static inline const yyjson_val *fer_q_siblings(const fer_qnode *n)
{
    const fer_subschema *up = n->param ? n->schema->up : NULL;
    return up ? fer_subschema_get(up, KW_PROPERTIES) : NULL;
}
/* The types that a schema names, in `type` or else in its alternatives. */
unsigned fer_q_types(const yyjson_val *schema);

#endif
