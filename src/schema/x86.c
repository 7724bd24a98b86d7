/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings are those of the "Intel 64 and IA-32 Architectures Software Developer's Manual", 2. */
#include "x86.h"

#include <string.h>

void fer_x86_init(fer_x86 *x, fer_arena *a, size_t most)
{
    *x = (fer_x86){.arena = a, .most = most};
}

/* ---- bytes, labels and gaps --------------------------------------------------------------- */

static void byte(fer_x86 *x, unsigned value)
{
    if (x->failed) return;
    uint8_t *code = fer_arena_room(x->arena, x->code, x->len, &x->cap, 1);
    if (code) x->code = code;
    if (!code || x->len == x->most) {
        x->failed = true;
        return;
    }
    code[x->len++] = (uint8_t)value;
}

static void word32(fer_x86 *x, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) byte(x, value >> (8 * i) & 0xFF);
}

static void word64(fer_x86 *x, uint64_t value)
{
    word32(x, (uint32_t)value);
    word32(x, (uint32_t)(value >> 32));
}

fer_label fer_x86_label(fer_x86 *x)
{
    uint32_t *labels =
        fer_arena_room(x->arena, x->labels, x->label_count, &x->label_cap, sizeof *labels);
    if (!labels) {
        x->failed = true;
        return 0;
    }
    x->labels = labels;
    labels[x->label_count] = UINT32_MAX;
    return (fer_label)x->label_count++;
}

void fer_x86_bind(fer_x86 *x, fer_label label)
{
    if (!x->failed) x->labels[label] = (uint32_t)x->len;
}

static void gap(fer_x86 *x, uint32_t from, fer_label label)
{
    if (x->failed) return;
    struct fer_x86_gap *gaps =
        fer_arena_room(x->arena, x->gaps, x->gap_count, &x->gap_cap, sizeof *gaps);
    if (!gaps) {
        x->failed = true;
        return;
    }
    x->gaps = gaps;
    gaps[x->gap_count++] = (struct fer_x86_gap){(uint32_t)x->len, from, label};
    word32(x, 0);
}

/* The distance from behind itself, where it ends an instruction. */
static void relative(fer_x86 *x, fer_label label)
{
    gap(x, (uint32_t)x->len + 4, label);
}

void fer_x86_distance(fer_x86 *x, fer_label from, fer_label to)
{
    if (!x->failed) gap(x, x->labels[from], to);
}

bool fer_x86_finish(fer_x86 *x)
{
    for (size_t i = 0; i < x->gap_count && !x->failed; i++) {
        const struct fer_x86_gap *g = &x->gaps[i];
        uint32_t to = x->labels[g->label], distance = to - g->from;
        x->failed = to == UINT32_MAX;
        for (unsigned n = 0; n < 4; n++) x->code[g->at + n] = (uint8_t)(distance >> (8 * n));
    }
    return !x->failed;
}

/* ---- parts of instructions ------------------------------------------------------------------ */

#define WIDE 8u /* REX.W: 64 bits */

static void rex(fer_x86 *x, unsigned wide, unsigned reg, unsigned index, unsigned base)
{
    unsigned bits = wide | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
    if (bits) byte(x, 0x40 | bits);
}

static bool is_short(int32_t value)
{
    return value >= -128 && value <= 127;
}

/* ModRM and what follows for [base + at]. */
static void memory(fer_x86 *x, unsigned reg, fer_reg base, int32_t at)
{
    unsigned low = base & 7, mod = at == 0 && low != RBP ? 0 : is_short(at) ? 1 : 2;
    byte(x, mod << 6 | (reg & 7) << 3 | low);
    if (low == RSP) byte(x, 0x24);
    if (mod == 1) byte(x, (unsigned)at & 0xFF);
    if (mod == 2) word32(x, (uint32_t)at);
}

static void with_memory(fer_x86 *x, unsigned wide, unsigned op, unsigned reg, fer_reg base,
                        int32_t at)
{
    rex(x, wide, reg, 0, base);
    byte(x, op);
    memory(x, reg, base, at);
}

static void with_register(fer_x86 *x, unsigned wide, unsigned op, unsigned reg, fer_reg other)
{
    rex(x, wide, reg, 0, other);
    byte(x, op);
    byte(x, 0xC0 | (reg & 7) << 3 | (other & 7));
}

/* The eight operations that share their encodings (`kind`: ADD 0, AND 4, SUB 5, CMP 7). */
static void arithmetic(fer_x86 *x, unsigned wide, unsigned kind, fer_reg r, int32_t value)
{
    bool small = is_short(value);
    with_register(x, wide, small ? 0x83 : 0x81, kind, r);
    if (small) byte(x, (unsigned)value & 0xFF);
    else word32(x, (uint32_t)value);
}

/* ---- moving -------------------------------------------------------------------------------- */

void fer_x86_move(fer_x86 *x, fer_reg to, fer_reg from)
{
    with_register(x, WIDE, 0x8B, to, from);
}

void fer_x86_set(fer_x86 *x, fer_reg to, uint64_t value)
{
    bool wide = value > UINT32_MAX;
    if (value == 0) {
        with_register(x, 0, 0x33, to, to);
        return;
    }
    rex(x, wide ? WIDE : 0, 0, 0, to);
    byte(x, 0xB8 | (to & 7));
    if (wide) word64(x, value);
    else word32(x, (uint32_t)value);
}

void fer_x86_set_address(fer_x86 *x, fer_reg to, const void *p)
{
    fer_x86_set(x, to, (uintptr_t)p);
}

void fer_x86_load64(fer_x86 *x, fer_reg to, fer_reg base, int32_t at)
{
    with_memory(x, WIDE, 0x8B, to, base, at);
}

void fer_x86_load32(fer_x86 *x, fer_reg to, fer_reg base, int32_t at)
{
    with_memory(x, 0, 0x8B, to, base, at);
}

void fer_x86_load8(fer_x86 *x, fer_reg to, fer_reg base, int32_t at)
{
    rex(x, 0, to, 0, base);
    byte(x, 0x0F);
    byte(x, 0xB6);
    memory(x, to, base, at);
}

void fer_x86_store64(fer_x86 *x, fer_reg from, fer_reg base, int32_t at)
{
    with_memory(x, WIDE, 0x89, from, base, at);
}

void fer_x86_address(fer_x86 *x, fer_reg to, fer_reg base, int32_t at)
{
    with_memory(x, WIDE, 0x8D, to, base, at);
}

/* ModRM for [RIP + distance]. */
static void near_by(fer_x86 *x, unsigned reg, fer_label label)
{
    byte(x, (reg & 7) << 3 | 5);
    relative(x, label);
}

static void address_of(fer_x86 *x, fer_reg to, fer_label label)
{
    rex(x, WIDE, to, 0, 0);
    byte(x, 0x8D);
    near_by(x, to, label);
}

/* ModRM and SIB for [base + index * scale + at]; the scale by its logarithm. */
static void indexed(fer_x86 *x, unsigned op, fer_reg to, fer_reg base, fer_reg index,
                    unsigned scale, int32_t at)
{
    rex(x, WIDE, to, index, base);
    byte(x, op);
    byte(x, 2u << 6 | (to & 7) << 3 | 4);
    byte(x, scale << 6 | (index & 7) << 3 | (base & 7));
    word32(x, (uint32_t)at);
}

void fer_x86_sum(fer_x86 *x, fer_reg to, fer_reg base, fer_reg index, int32_t at)
{
    indexed(x, 0x8D, to, base, index, 0, at);
}

void fer_x86_push(fer_x86 *x, fer_reg r)
{
    rex(x, 0, 0, 0, r);
    byte(x, 0x50 | (r & 7));
}

void fer_x86_pop(fer_x86 *x, fer_reg r)
{
    rex(x, 0, 0, 0, r);
    byte(x, 0x58 | (r & 7));
}

void fer_x86_push_at(fer_x86 *x, fer_reg base, int32_t at)
{
    with_memory(x, 0, 0xFF, 6, base, at);
}

void fer_x86_pop_at(fer_x86 *x, fer_reg base, int32_t at)
{
    with_memory(x, 0, 0x8F, 0, base, at);
}

/* ---- calculating and comparing ----------------------------------------------------------------
 */

void fer_x86_add64(fer_x86 *x, fer_reg r, int32_t value)
{
    arithmetic(x, WIDE, 0, r, value);
}

void fer_x86_add_reg64(fer_x86 *x, fer_reg r, fer_reg other)
{
    with_register(x, WIDE, 0x03, r, other);
}

void fer_x86_and32(fer_x86 *x, fer_reg r, int8_t mask)
{
    arithmetic(x, 0, 4, r, mask);
}

void fer_x86_shift_right64(fer_x86 *x, fer_reg r, uint8_t bits)
{
    with_register(x, WIDE, 0xC1, 5, r);
    byte(x, bits);
}

void fer_x86_add32_to(fer_x86 *x, fer_reg base, int32_t at, int8_t value)
{
    with_memory(x, 0, 0x83, 0, base, at);
    byte(x, (uint8_t)value);
}

void fer_x86_sub64_from(fer_x86 *x, fer_reg base, int32_t at, int8_t value)
{
    with_memory(x, WIDE, 0x83, 5, base, at);
    byte(x, (uint8_t)value);
}

void fer_x86_sub_reg64_from(fer_x86 *x, fer_reg base, int32_t at, fer_reg r)
{
    with_memory(x, WIDE, 0x29, r, base, at);
}

void fer_x86_compare32(fer_x86 *x, fer_reg r, int32_t value)
{
    arithmetic(x, 0, 7, r, value);
}

void fer_x86_compare64(fer_x86 *x, fer_reg r, int32_t value)
{
    arithmetic(x, WIDE, 7, r, value);
}

void fer_x86_compare_regs64(fer_x86 *x, fer_reg r, fer_reg other)
{
    with_register(x, WIDE, 0x3B, r, other);
}

void fer_x86_compare_at(fer_x86 *x, unsigned bytes, fer_reg base, int32_t at, uint32_t value)
{
    bool small = bytes == 4 && is_short((int32_t)value);
    if (bytes == 2) byte(x, 0x66);
    with_memory(x, 0, bytes == 1 ? 0x80 : small ? 0x83 : 0x81, 7, base, at);
    for (unsigned i = 0; i < (small ? 1 : bytes); i++) byte(x, value >> (8 * i) & 0xFF);
}

void fer_x86_test8(fer_x86 *x, fer_reg r)
{
    with_register(x, 0, 0x84, r, r);
}

void fer_x86_test64(fer_x86 *x, fer_reg r)
{
    with_register(x, WIDE, 0x85, r, r);
}

void fer_x86_test_bit(fer_x86 *x, fer_reg r, fer_reg number)
{
    rex(x, 0, number, 0, r);
    byte(x, 0x0F);
    byte(x, 0xA3);
    byte(x, 0xC0 | (number & 7u) << 3 | (r & 7u));
}

/* ---- going elsewhere ----------------------------------------------------------------------------
 */

void fer_x86_jump(fer_x86 *x, fer_label label)
{
    byte(x, 0xE9);
    relative(x, label);
}

void fer_x86_jump_if(fer_x86 *x, fer_cond cond, fer_label label)
{
    byte(x, 0x0F);
    byte(x, 0x80u | cond);
    relative(x, label);
}

void fer_x86_jump_by(fer_x86 *x, fer_reg number, fer_reg scratch, fer_label table)
{
    address_of(x, scratch, table);
    indexed(x, 0x63, number, scratch, number, 2, 0); /* MOVSXD */
    fer_x86_add_reg64(x, number, scratch);
    with_register(x, 0, 0xFF, 4, number); /* JMP */
    fer_x86_bind(x, table);
}

void fer_x86_call(fer_x86 *x, fer_label label)
{
    byte(x, 0xE8);
    relative(x, label);
}

void fer_x86_call_c(fer_x86 *x, uintptr_t function)
{
    fer_x86_set(x, RAX, function);
    with_register(x, 0, 0xFF, 2, RAX);
}

void fer_x86_return(fer_x86 *x)
{
    byte(x, 0xC3);
}

void fer_x86_set_carry(fer_x86 *x, bool carry)
{
    byte(x, carry ? 0xF9 : 0xF8);
}

void fer_x86_entry(fer_x86 *x)
{
    word32(x, 0xFA1E0FF3); /* ENDBR64 */
}

/* ---- numbers -----------------------------------------------------------------------------------
 */

void fer_x86_load_double(fer_x86 *x, fer_reg base, int32_t at)
{
    byte(x, 0xF2); /* MOVSD */
    rex(x, 0, 0, 0, base);
    byte(x, 0x0F);
    byte(x, 0x10);
    memory(x, 0, base, at);
}

void fer_x86_load_integer(fer_x86 *x, fer_reg from)
{
    byte(x, 0x0F); /* XORPS: CVTSI2SD keeps the upper half, and would wait for it */
    byte(x, 0x57);
    byte(x, 0xC0);
    byte(x, 0xF2);
    rex(x, WIDE, 0, 0, from);
    byte(x, 0x0F);
    byte(x, 0x2A);
    byte(x, 0xC0u | (from & 7u));
}

void fer_x86_compare_double(fer_x86 *x, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fer_x86_set(x, RAX, bits);
    word32(x, 0x6E0F4866); /* MOVQ XMM1, RAX */
    byte(x, 0xC8);
    word32(x, 0xC12F0F66); /* COMISD XMM0, XMM1 */
}
