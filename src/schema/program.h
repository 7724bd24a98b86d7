/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled schema: nodes (one for each subschema that can be reached) of instructions
 * (one for each keyword that asserts or applies something). References are edges, never
 * copies, so a program is no larger than its schema. Immutable once compiled.
 *
 * What an instruction does is a row of functions, fer_op, that stands in the file of its
 * keyword together with how it is compiled and how its failures are told.
 */
#ifndef FER_PROGRAM_H
#define FER_PROGRAM_H

#include "json_value.h"
#include "library.h"
#include "native.h"

struct fer_vm;
struct fer_frame;
struct fer_inst;
struct fer_node;
struct fer_unit;
struct fer_teller;
struct fer_rows;
struct fer_quick;

/* Masks over yyjson's types: which values an instruction has to do with. */
#define FER_TYPE_BIT(t) ((uint8_t)(1u << (t)))
#define FER_ON_NUMBER   ((uint8_t)(FER_TYPE_BIT(YYJSON_TYPE_NUM) | FER_TYPE_BIT(YYJSON_TYPE_RAW)))
#define FER_ON_STRING   FER_TYPE_BIT(YYJSON_TYPE_STR)
#define FER_ON_ARRAY    FER_TYPE_BIT(YYJSON_TYPE_ARR)
#define FER_ON_OBJECT   FER_TYPE_BIT(YYJSON_TYPE_OBJ)
#define FER_ON_ALL      ((uint8_t)0xFF)

typedef enum fer_step {
    FER_STEP_FAIL,  /* the value breaks the keyword */
    FER_STEP_PASS,  /* it does not */
    FER_STEP_CALL,  /* a subschema has to be asked first: vm->call */
    FER_STEP_ERROR, /* no answer: vm->code */
} fer_step;

/*
 * One kind of instruction. An assertion has `check` and looks at the value alone. An
 * applicator asks subschemas: `next` fills vm->call (FER_STEP_CALL), or gives the verdict
 * when there is nobody left to ask; `hear` is told each answer, and gives the verdict where
 * that is clear by now, or FER_STEP_CALL to go on asking.
 */
typedef struct fer_op {
    const char *name;
    uint8_t on; /* FER_ON_*: about other values the keyword says nothing */
    fer_step (*check)(struct fer_vm *vm, const struct fer_inst *i, const yyjson_val *v);
    fer_step (*next)(struct fer_vm *vm, struct fer_frame *f, const struct fer_inst *i);
    fer_step (*hear)(struct fer_vm *vm, struct fer_frame *f, const struct fer_inst *i, bool valid);
    /*
     * An applicator without frames, where only what fails is traced: asks about parts of the
     * value by fer_vm_trace. NULL: it needs a frame.
     */
    fer_step (*trace)(struct fer_vm *vm, const struct fer_inst *i, const yyjson_val *v,
                      struct fer_unit *u);
    /* Tells in words why a value failed. */
    void (*explain)(struct fer_teller *t, const struct fer_unit *u, const struct fer_inst *i);
    /* Puts it into the quick form; NULL: a check is asked as it is, all else is not quick. */
    void (*lower)(struct fer_rows *l, const struct fer_inst *i);
} fer_op;

typedef struct fer_inst {
    const fer_op *op;
    const yyjson_val *source; /* the keyword's value; its name is the key before it */
    union {
        const void *data; /* of the keyword's own making */
        const struct fer_node *node;
        struct fer_object *object;
        const yyjson_val *value;
        uint64_t count;
        uint32_t bits;
    };
} fer_inst;

typedef enum fer_verdict {
    FER_ASK,    /* its instructions tell */
    FER_ALWAYS, /* true, {} */
    FER_NEVER,  /* false */
} fer_verdict;

typedef struct fer_node {
    const fer_inst *insts;
    uint32_t count;
    uint32_t id;       /* its number in the program */
    uint32_t resource; /* number of its resource in the program */
    uint32_t edges;    /* how many instructions may call it */
    const yyjson_val *schema;
    const struct fer_quick *code; /* quick form, where the program has one */
    fer_verdict verdict;
    bool leaf;     /* only assertions */
    bool tracks;   /* has unevaluatedItems or unevaluatedProperties */
    bool straight; /* what fails in it is found without frames */
} fer_node;

/* A resource as the program sees it. */
typedef struct fer_home {
    const fer_resource *resource;
    const fer_node *root;        /* for `$recursiveRef`; NULL: not reached */
    struct fer_dynamic *dynamic; /* its dynamic anchors that somebody asks for */
    uint32_t dynamic_count;
    uint32_t id;
} fer_home;

struct fer_dynamic {
    fer_str name;
    const fer_node *node;
    struct fer_dynamic *next;
};

struct fer_registry;

struct fer_schema {
    _Atomic size_t refs;
    fer_arena *arena; /* holds all of this */
    const struct fer_registry *registry;
    fer_library library;              /* all that it was compiled from */
    const fer_json *doc;              /* of the schema that was given */
    const yyjson_val *value;          /* in it */
    const struct fer_lines_at *marks; /* places in its text (places.c); NULL: not known */
    const fer_node *root;
    fer_home **homes;
    size_t home_count;
    size_t node_count;
    size_t inst_count; /* of all nodes */
    bool scoped;       /* has `$dynamicRef` or `$recursiveRef`: the scope must be known */
    bool memo;         /* a node may be asked twice about one value */
    bool quick;        /* nodes have codes */
    size_t row_count;  /* rows of all codes */
    size_t steps;
    fer_dialect dialect;
    struct fer_native native; /* machine code of the root's quick form, where there is some */
};

/* The node that an instruction refers to by `$ref` or its like; NULL: it refers to none. */
const fer_node *fer_inst_target(const fer_inst *i);

static inline const fer_resource *fer_node_resource(const struct fer_schema *s, const fer_node *n)
{
    return s->homes[n->resource]->resource;
}

#endif
