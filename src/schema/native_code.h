/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the machine code of a schema: what native.c (functions and their frames),
 * native_value.c (what is asked of a value), native_object.c (members and items) and
 * native_branch.c (alternatives) share.
 *
 * How the code goes about it:
 *  - Each code of the quick form that looks into a value becomes a function; what looks at a value
 *    alone stands in the loop over members itself. For each type of value, the rows that concern
 *    it are known when the code is written: nothing of the quick form is read when it runs.
 *  - RBP is the run (struct fer_run), RSI the value that a function is asked about. The carry flag
 *    is its answer: set for a no. (To leave all functions at once by a jump would be shorter, but
 *    processors remember where calls return to: each return of C after such a jump is guessed
 *    wrong.)
 *  - An object of leaves is a function after C's own rules that needs no run, no frame and no
 *    stack: it takes RDI and says yes, no or unknown in EAX.
 *  - What is rare, or takes long anyway, is asked of the quick form (fer_run_row).
 */
#ifndef FER_NATIVE_CODE_H
#define FER_NATIVE_CODE_H

#include "lower.h"
#include "object.h"
#include "x86.h"

/* Where a value is: `off` bytes behind what a register holds. */
typedef struct fer_at {
    fer_reg base;
    int32_t off;
} fer_at;

#define FER_LOOKS 32 /* rows about values of one type, with those that are put in their place */

/* The rows that a value of one type has to pass. */
typedef struct fer_looks {
    bool no;    /* it is wrong whatever they say */
    bool whole; /* they are too many: the quick form is asked instead */
    unsigned count;
    unsigned work; /* that it took to find them */
    const fer_quick *rows[FER_LOOKS];
} fer_looks;

/* A row that is asked out of line, because it is needed seldom. */
struct fer_aside {
    const fer_quick *row;
    fer_at at;
    fer_label start, back, no;
};

enum fer_function_kind {
    FER_FUNCTION_LEAVES, /* an object of leaves, for C and others */
    FER_FUNCTION_WALK,   /* value in R12 until it walks; keeps R12 to R14 */
    FER_FUNCTION_FULL,   /* value in RBX; keeps RBX and R12 to R15 */
};

/* A function that is written, or will be. */
struct fer_function {
    bool leaves;      /* of what kind it is, too */
    const void *what; /* an object of leaves, or a code */
    fer_label label;
    struct fer_function *next;
};

typedef struct fer_native_code {
    fer_x86 x;
    fer_arena *arena;
    fer_map functions; /* by what they are about */
    struct fer_function *first, **last;
    /* Of the function that is being written: */
    enum fer_function_kind kind;
    fer_at value;
    fer_reg key, end, seen; /* of a walk */
    fer_label no;
    fer_label give_up; /* no, and the verdict is unknown */
    fer_label unknown; /* of an object of leaves */
    struct fer_aside *asides;
    size_t aside_count, aside_cap;
} fer_native_code;

/* Calls the function about a code, with the value in RSI; goes to `no` where that says no. */
void fer_native_call(fer_native_code *n, const fer_quick *code, fer_label no);
/* The function about an object of leaves. */
fer_label fer_native_leaves(fer_native_code *n, const fer_object *o);

/* What is asked of values of a type: references are followed, and alternatives that the type
 * settles. */
void fer_native_looks(const fer_quick *code, unsigned type, fer_looks *out);
/* Whether a code looks at the value alone, so that it can stand where it is asked; `leaves`: and
 * needs no run for that. */
bool fer_native_is_plain(const fer_quick *code, bool leaves);
/* Whether the members of an object are all leaves; fer_object.leaves remembers. */
bool fer_native_is_leaves(const fer_object *o);

/* Types that a code does not refuse at once. */
unsigned fer_native_types(const fer_quick *code);
/* Asks a code about a value: goes on behind where it is right. */
void fer_native_value(fer_native_code *n, const fer_quick *code, fer_at at);
/* Around a call of C: what a walk goes by is put on the stack where C would not keep it. */
void fer_native_keep(fer_native_code *n);
void fer_native_kept(fer_native_code *n);
/* Asks a row of the quick form. */
void fer_native_row(fer_native_code *n, const fer_quick *row, fer_at at);
/* A row that needs asking seldom: the label to jump to; it comes back behind fer_native_back. */
fer_label fer_native_aside(fer_native_code *n, const fer_quick *row, fer_at at);
void fer_native_back(fer_native_code *n);

/* Compares the text at an address in a register, of the same length, with a known one. */
void fer_native_text(fer_native_code *n, fer_reg ptr, fer_str text, fer_label other);
/* Goes to the label of the name that a string is, to `none` where it is none. Uses RAX, RSI. */
bool fer_native_can_find(const fer_names *names); /* they are not too long or too many */
void fer_native_find(fer_native_code *n, const fer_names *names, fer_at at, const fer_label *labels,
                     fer_label none);

void fer_native_object(fer_native_code *n, const fer_object *o);
void fer_native_items(fer_native_code *n, const fer_quick *code);
void fer_native_tuple(fer_native_code *n, const fer_quick_codes *d);
/* Whether a row walks over the parts of its value, in machine code. */
bool fer_native_is_walk(const fer_quick *row);
/* Steps for going into a value, `members` of which are counted, too; and out of it again. */
void fer_native_enter(fer_native_code *n, bool members);
void fer_native_leave(fer_native_code *n);

/* Alternatives, references, `not` and `if`, of values of a type. */
void fer_native_branch(fer_native_code *n, const fer_quick *row, unsigned type);
bool fer_native_is_branch(const fer_quick *row);

#endif
