/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program over a value. The machine keeps its own stack of frames in an arena:
 * neither the depth of the instance nor that of the schema touches the machine's stack.
 * Every step is paid from a budget, and past a number of steps each (node, value) that
 * could be asked again is remembered, so that work cannot double. With a trace it does
 * not stop at the first failure but notes all of them.
 */
#ifndef FER_VM_H
#define FER_VM_H

#include "program.h"
#include "regex.h"
#include "trace.h"

/* Which members or items of the frame's value some subschema has looked at. */
typedef struct fer_marks {
    size_t count; /* words */
    uint64_t words[];
} fer_marks;

typedef struct fer_frame {
    struct fer_frame *below;
    const fer_node *node;
    const yyjson_val *value;
    const fer_inst *at; /* the instruction that is being run */
    /* Its state, cleared when it starts. */
    const yyjson_val *cursor;
    size_t index;
    uint32_t state;
    uint32_t hits;
    /* The frame's own. */
    fer_marks *marks; /* NULL: nothing marked yet */
    struct fer_unit *unit;
    struct fer_unit *unit_mark; /* the last child before the instruction */
    uint32_t scope;             /* dynamic scope: number in vm->scopes */
    uint32_t same;              /* frames below on the same value */
    bool valid;
    bool tracks; /* somebody will ask for the marks */
    bool gives;  /* the frame below takes over the marks */
    bool busy;   /* the instruction has asked, and waits */
} fer_frame;

#define FER_VM_FRAMES 400000 /* frames of one validation */

/* One place that the dynamic scope may be at: a resource entered from another place. */
typedef struct fer_scope {
    uint32_t outer;
    uint32_t home;
    uint32_t next; /* of the same outer place */
    uint32_t first;
} fer_scope;

typedef struct fer_vm {
    const struct fer_schema *program;
    fer_arena *arena;
    fer_err *err;
    fer_code code;
    size_t steps; /* left */
    fer_frame *top;
    size_t depth;                  /* frames */
    struct fer_frame_block *block; /* that the top is in */
    bool answer;                   /* of the call that just ended */
    struct fer_call {
        const fer_node *node;
        const yyjson_val *value;
        bool in_place; /* on the frame's own value; marks are taken over */
        bool drop;     /* marks and notes are not taken over (`not`) */
        enum fer_slot keyword;
        size_t branch;         /* number of the subschema in its keyword, or */
        const yyjson_val *key; /* name of it; NULL: branch counts */
        bool plain;            /* neither: the keyword itself is the subschema */
    } call;
    fer_scope *scopes;
    size_t scope_count;
    size_t scope_cap;
    struct fer_memo *memo;
    fer_arena *own;      /* of the machine alone, gone after the run; NULL: not needed yet */
    fer_map tables;      /* keys of the large objects that were asked for one, by their address */
    const fer_map *keys; /* the last of them */
    const yyjson_val *keys_of;
    size_t spilt;              /* bytes that formats have left in the arena */
    fer_arena *brief;          /* for one instruction; NULL: not needed yet */
    struct fer_trace *trace;   /* NULL: only the verdict counts */
    bool sift;                 /* what is plainly valid is not traced */
    const yyjson_val *reached; /* how far the quick form came with all of it (fer_quick_reach) */
    const yyjson_val *doubted; /* the value to which the quick form has just said no */
    struct fer_unit *over;     /* without a frame below: the unit that asks, */
    uint8_t over_by;           /* the number of its instruction, */
    uint8_t nesting;           /* and how many there are above each other */
} fer_vm;

/* Gives back memory of its own. */
void fer_vm_close(fer_vm *vm);
/* Runs the program, then closes; *valid is set on FER_OK. */
fer_code fer_vm_run(fer_vm *vm, const yyjson_val *value, bool *valid);

/* Pays for work; false: the budget is spent, and vm->code says so. */
static inline bool fer_vm_spend(fer_vm *vm, size_t steps)
{
    if (vm->steps >= steps) {
        vm->steps -= steps;
        return true;
    }
    vm->steps = 0;
    vm->code = FER_VALIDATION_BUDGET_EXCEEDED;
    return false;
}

/* Long numbers are read digit by digit: what looking at one costs beyond a step. */
static inline size_t fer_vm_number_cost(const yyjson_val *v)
{
    return fer_val_type(v) == YYJSON_TYPE_RAW ? fer_val_len(v) / 4 : 0;
}

/* What looking at everything in a value costs: at each value, and at texts and long numbers. */
size_t fer_vm_value_cost(const yyjson_val *value);

/* For an instruction that met an end of memory. */
static inline fer_step fer_vm_no_memory(fer_vm *vm)
{
    vm->code = fer_arena_failed(vm->arena, vm->err);
    return FER_STEP_ERROR;
}

/* Asks a subschema about the frame's own value, or about a part of it. */
static inline fer_step fer_vm_call(fer_vm *vm, const fer_node *node, const yyjson_val *value,
                                   enum fer_slot keyword, size_t branch)
{
    vm->call =
        (struct fer_call){.node = node, .value = value, .keyword = keyword, .branch = branch};
    return FER_STEP_CALL;
}

/* While vm->sift: whether the quick form says yes. It ends the sifting where it gives up. */
bool fer_vm_sifts(fer_vm *vm, const struct fer_quick *code, const yyjson_val *value);

/*
 * In a straight node only one instruction walks over the parts of an array or object. Where the
 * quick form came as far as something in it, that instruction came as far.
 */
static inline const yyjson_val *fer_vm_reached(const fer_vm *vm, const yyjson_val *container)
{
    bool inside = vm->reached > container && vm->reached < fer_val_next(container);
    return inside ? vm->reached : container;
}

/* Whether the quick form has said yes to a part, or says so now. */
static inline bool fer_vm_passes(fer_vm *vm, const struct fer_quick *code, const yyjson_val *part,
                                 const yyjson_val *reached)
{
    if (reached < part) return fer_vm_sifts(vm, code, part);
    return reached >= fer_val_next(part);
}

/* Asks vm->call for an instruction of a unit (or NULL: there are too many), without a frame below.
 */
fer_step fer_vm_trace(fer_vm *vm, const fer_inst *i, struct fer_unit *u);

/* Whether all subschemas have to be asked, even when the verdict is clear. */
static inline bool fer_vm_all(const fer_vm *vm, const fer_frame *f)
{
    return vm->trace || f->tracks;
}

/* Marks a member or item; false: no memory. */
bool fer_vm_mark(fer_vm *vm, fer_frame *f, size_t index);
static inline bool fer_vm_marked(const fer_frame *f, size_t index)
{
    return f->marks && (f->marks->words[index / 64] >> (index % 64) & 1);
}

/* Whether a regular expression finds something in a string; it pays for itself. */
fer_step fer_vm_match(fer_vm *vm, const fer_regex *regex, const yyjson_val *string);

/* For fer_op.hear, where all have to agree: counts failures in hits, the first one decides. */
fer_step fer_hear_failures(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid);
/* The same, where one answer counts: keeps it in hits. */
fer_step fer_hear_answer(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid);

/* The key of an object (NULL: it has none), paid for. FER_STEP_PASS or FER_STEP_ERROR. */
fer_step fer_vm_key(fer_vm *vm, const yyjson_val *object, fer_str name, const yyjson_val **out);

/* Memory that is taken back before the next instruction that asks for some; NULL: none. */
fer_arena *fer_vm_brief(fer_vm *vm);

/*
 * The outermost resource of the frame's dynamic scope for which `found` gives a node (NULL:
 * none does), paid for. FER_STEP_PASS or FER_STEP_ERROR.
 */
fer_step fer_vm_scope_find(fer_vm *vm, const fer_frame *f,
                           const fer_node *(*found)(const fer_home *home, fer_str name),
                           fer_str name, const fer_node **out);

#endif
