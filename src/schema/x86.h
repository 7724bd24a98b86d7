/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing machine code for x86-64: the few instructions that native.c needs, labels, and the
 * distances between them. What is written lies in an arena and may be moved as a whole: it
 * refers to its own parts by distance and to everything else by address.
 *
 * Failures are remembered (`failed`), so that a page of instructions needs one check.
 */
#ifndef FER_X86_H
#define FER_X86_H

#include "arena.h"

typedef enum fer_reg {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15
} fer_reg;

/* Conditions of jumps, as the processor numbers them. */
typedef enum fer_cond {
    IF_BELOW = 0x2,
    IF_NOT_BELOW = 0x3,
    IF_EQUAL = 0x4,
    IF_NOT_EQUAL = 0x5,
    IF_ABOVE = 0x7,
    IF_NEGATIVE = 0x8,
    IF_LESS = 0xC,
    IF_GREATER = 0xF,
} fer_cond;

typedef uint32_t fer_label;

/* Four bytes that become the distance from `from` to a label. */
struct fer_x86_gap {
    uint32_t at, from;
    fer_label label;
};

typedef struct fer_x86 {
    fer_arena *arena;
    uint8_t *code;
    size_t len, cap, most; /* past `most` bytes it has failed */
    uint32_t *labels;      /* where each is; UINT32_MAX: nowhere yet */
    size_t label_count, label_cap;
    struct fer_x86_gap *gaps;
    size_t gap_count, gap_cap;
    bool failed;
} fer_x86;

void fer_x86_init(fer_x86 *x, fer_arena *a, size_t most);
/* Fills the gaps. False: no memory, too much, or a label that was never bound. */
bool fer_x86_finish(fer_x86 *x);

fer_label fer_x86_label(fer_x86 *x);
/* A label stands for the next byte. */
void fer_x86_bind(fer_x86 *x, fer_label label);
/* The distance from one label, which is bound, to another. */
void fer_x86_distance(fer_x86 *x, fer_label from, fer_label to);

/* Moving: `64` are whole registers, others the lower half, the upper becoming zero. */
void fer_x86_move(fer_x86 *x, fer_reg to, fer_reg from);
void fer_x86_set(fer_x86 *x, fer_reg to, uint64_t value);
void fer_x86_set_address(fer_x86 *x, fer_reg to, const void *p);
void fer_x86_load64(fer_x86 *x, fer_reg to, fer_reg base, int32_t at);
void fer_x86_load32(fer_x86 *x, fer_reg to, fer_reg base, int32_t at);
void fer_x86_load8(fer_x86 *x, fer_reg to, fer_reg base, int32_t at);
void fer_x86_store64(fer_x86 *x, fer_reg from, fer_reg base, int32_t at);
void fer_x86_address(fer_x86 *x, fer_reg to, fer_reg base, int32_t at);
/* to = base + index + at */
void fer_x86_sum(fer_x86 *x, fer_reg to, fer_reg base, fer_reg index, int32_t at);
void fer_x86_push(fer_x86 *x, fer_reg r);
void fer_x86_pop(fer_x86 *x, fer_reg r);
void fer_x86_push_at(fer_x86 *x, fer_reg base, int32_t at);
void fer_x86_pop_at(fer_x86 *x, fer_reg base, int32_t at);

/* Calculating. */
void fer_x86_add64(fer_x86 *x, fer_reg r, int32_t value);
void fer_x86_add_reg64(fer_x86 *x, fer_reg r, fer_reg other);
void fer_x86_and32(fer_x86 *x, fer_reg r, int8_t mask);
void fer_x86_shift_right64(fer_x86 *x, fer_reg r, uint8_t bits);
void fer_x86_add32_to(fer_x86 *x, fer_reg base, int32_t at, int8_t value);
void fer_x86_sub64_from(fer_x86 *x, fer_reg base, int32_t at, int8_t value);
void fer_x86_sub_reg64_from(fer_x86 *x, fer_reg base, int32_t at, fer_reg r);

/* Comparing. */
void fer_x86_compare32(fer_x86 *x, fer_reg r, int32_t value);
void fer_x86_compare64(fer_x86 *x, fer_reg r, int32_t value);
void fer_x86_compare_regs64(fer_x86 *x, fer_reg r, fer_reg other);
/* One, two or four bytes in memory. */
void fer_x86_compare_at(fer_x86 *x, unsigned bytes, fer_reg base, int32_t at, uint32_t value);
void fer_x86_test8(fer_x86 *x, fer_reg r);
void fer_x86_test64(fer_x86 *x, fer_reg r);
/* Carry (IF_BELOW): the bit of `r` whose number is in `number`. */
void fer_x86_test_bit(fer_x86 *x, fer_reg r, fer_reg number);

/* Going elsewhere. */
void fer_x86_jump(fer_x86 *x, fer_label label);
void fer_x86_jump_if(fer_x86 *x, fer_cond cond, fer_label label);
/* By a table of distances from itself, which has to follow: to the one with this number. */
void fer_x86_jump_by(fer_x86 *x, fer_reg number, fer_reg scratch, fer_label table);
void fer_x86_call(fer_x86 *x, fer_label label);
/* A function of C; RAX is lost, and what C does not keep. */
void fer_x86_call_c(fer_x86 *x, uintptr_t function);
void fer_x86_return(fer_x86 *x);
/* What IF_BELOW asks for. Moving, pushing and popping leave it as it is. */
void fer_x86_set_carry(fer_x86 *x, bool carry);
/* Where C may enter. */
void fer_x86_entry(fer_x86 *x);

/* Numbers, in XMM0. Comparing uses RAX and XMM1; it is below or above. */
void fer_x86_load_double(fer_x86 *x, fer_reg base, int32_t at);
void fer_x86_load_integer(fer_x86 *x, fer_reg from);
void fer_x86_compare_double(fer_x86 *x, double value);

#endif
