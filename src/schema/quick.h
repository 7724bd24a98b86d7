/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled schema in the form in which a verdict is quickest: what lower.c makes of the
 * nodes, and quick.c runs. It says yes or no and nothing else; where it cannot (too deep, too
 * much work, too many members to mark), the machine of vm.h is asked, which can do all.
 *
 * A node is a row of instructions of 24 bytes. Each knows for which types of value it has
 * something to look at (`on`), and which of the others are right without a look (`pass`): so
 * `type` mostly costs nothing of its own.
 */
#ifndef FER_QUICK_H
#define FER_QUICK_H

#include "names.h"
#include "program.h"

enum fer_quick_op {
    FER_Q_NONE,         /* only types: `on` is empty */
    FER_Q_INTEGER,      /* a whole number, 1.0 counts */
    FER_Q_INTEGER_TEXT, /* the same, 1.0 does not (draft-04) */
    FER_Q_RANGE,        /* low, high; n: FER_RANGE_* */
    FER_Q_MULTIPLE,     /* max: of this whole number; inst: for numbers that are not whole */
    FER_Q_LENGTH,       /* min, max in code points; n: bytes that are enough for min */
    FER_Q_PATTERN,      /* data: fer_regex */
    FER_Q_TEXT,         /* the one string `name` */
    FER_Q_STRINGS,      /* data: fer_names, one of which it is */
    FER_Q_ENUM,         /* data: fer_quick_enum */
    FER_Q_CHECK,        /* inst: an assertion as the machine has it */
    FER_Q_SIZE,         /* min, max items or members */
    FER_Q_UNIQUE,       /* inst: for all but short lists of strings */
    FER_Q_FLAT,         /* object, whose members are all leaves */
    FER_Q_OBJECT,       /* object, without patterns */
    FER_Q_PATTERNS,     /* object, with some */
    FER_Q_ITEMS,        /* code: of each */
    FER_Q_TUPLE,        /* data: fer_quick_codes; the last is that of the rest, or NULL */
    FER_Q_CONTAINS,     /* data: fer_quick_contains */
    FER_Q_NAMES,        /* code: of each name */
    FER_Q_DEPENDENT,    /* data: fer_quick_dependents */
    FER_Q_CALL,         /* code: must say yes, too */
    FER_Q_ALL,          /* data: fer_quick_codes: each must */
    FER_Q_ANY,          /* data: fer_quick_branches */
    FER_Q_ONE,          /* data: fer_quick_branches */
    FER_Q_NOT,          /* code */
    FER_Q_IF,           /* data: fer_quick_codes: test, then, else; NULL: nothing to ask */
    FER_Q_TRACKED,      /* code: of the same node, while members are marked */
    FER_Q_UNEVALUATED,  /* code: of members or items without a mark */
};

/* Of FER_Q_RANGE. */
#define FER_RANGE_INTEGER 1u /* it is a whole number */

/* Where a row ends: nothing behind concerns ... */
#define FER_END_ON   1u /* ... the types in `on` */
#define FER_END_PASS 2u /* ... the types in `pass` */

typedef struct fer_quick {
    uint8_t op; /* enum fer_quick_op */
    uint8_t on;
    uint8_t pass; /* types in neither are wrong */
    uint8_t end;  /* FER_END_* */
    uint32_t n;
    union {
        const void *data;
        const struct fer_quick *code;
        const fer_node *node; /* instead of a code, while it is being lowered */
        const struct fer_object *object;
        const fer_inst *inst;
        double low;
        uint64_t min;
    };
    union {
        const fer_name *name;
        double high;
        uint64_t max;
    };
} fer_quick;

_Static_assert(sizeof(fer_quick) <= 24, "an instruction is small");

/* The values of an enum. */
typedef struct fer_quick_enum {
    fer_names strings;
    const int64_t *integers; /* in their order */
    uint32_t integer_count;
    bool null, yes, no;
    const fer_inst *inst; /* for other numbers, arrays and objects */
} fer_quick_enum;

/* Subschemas in their order. */
typedef struct fer_quick_codes {
    size_t count;
    const fer_quick *codes[];
} fer_quick_codes;

typedef struct fer_quick_contains {
    const fer_quick *code;
    uint64_t min, max;
    bool marks;
} fer_quick_contains;

/* What follows from a member: others, or a subschema of the whole object. */
typedef struct fer_quick_dependent {
    fer_name name;
    const yyjson_val *equals; /* the string that the member must be; NULL: any value */
    const fer_name *names;
    size_t count;
    const fer_quick *code; /* NULL: the names */
} fer_quick_dependent;

typedef struct fer_quick_dependents {
    size_t count;
    size_t names; /* that all of them look for */
    fer_quick_dependent list[];
} fer_quick_dependents;

/* Some of the branches, by their numbers. */
typedef struct fer_quick_some {
    uint32_t first, count; /* in fer_quick_branches.order */
} fer_quick_some;

/* A string that a tag may be, and the branches that want it to be so. */
typedef struct fer_quick_tag {
    fer_name name;
    fer_quick_some some;
} fer_quick_tag;

/*
 * Alternatives. Which of them can be right at all is told by the type of the value and, where
 * they say so, by a member of it: its tag, which each of them wants to be one of some strings.
 */
typedef struct fer_quick_branches {
    size_t count;
    const uint32_t *order;
    fer_quick_some by_type[8]; /* yyjson's types */
    bool tagged;
    fer_name tag;
    fer_names values;      /* each a fer_quick_tag */
    fer_quick_some other;  /* the tag is something else */
    fer_quick_some absent; /* there is no tag */
    const fer_quick *codes[];
} fer_quick_branches;

typedef enum fer_quick_verdict {
    FER_QUICK_NO,
    FER_QUICK_YES,
    FER_QUICK_UNKNOWN,
} fer_quick_verdict;

/* The verdict of the whole schema about a value: by machine code, where it has some. */
fer_quick_verdict fer_quick_ask(const struct fer_schema *s, fer_arena *scratch,
                                const yyjson_val *value);
/* Whether a value is refused for its type alone, which costs nothing to find out. */
static inline bool fer_quick_refuses(const fer_quick *code, const yyjson_val *value)
{
    return !((code->on | code->pass) >> fer_val_type(value) & 1);
}

/* The verdict of a code of the schema about a value. */
fer_quick_verdict fer_quick_run(const struct fer_schema *s, const fer_quick *code,
                                fer_arena *scratch, const yyjson_val *value);
/* The same where one look at the value tells, without a run; unknown where it does not. */
fer_quick_verdict fer_quick_leaf(const fer_quick *code, const yyjson_val *value);
/*
 * The same, which also tells how far it came: where the answer is no for something in a member or
 * item, `*reached` is the innermost such. Each object or array that holds it was walked in its
 * order, and the parts before were right.
 */
fer_quick_verdict fer_quick_reach(const struct fer_schema *s, const fer_quick *code,
                                  fer_arena *scratch, const yyjson_val *value,
                                  const yyjson_val **reached);

#endif
