/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backtracking, for patterns with back-references: ECMA-262 22.2.2 to the letter. What is
 * tried is a stack of places to go back to and of slots to restore; each instruction costs
 * a step, and so the budget bounds time and memory.
 */
#include "regex_match.h"

#define UNSET     SIZE_MAX
#define NO_STATE  UINT32_MAX
#define MAX_STACK ((size_t)1 << 18) /* entries; 4 MB */

/* Something to undo. */
struct entry {
    uint32_t state; /* where to go on at byte `value`; NO_STATE: restore slot to `value` */
    uint32_t slot;
    size_t value;
};

struct back {
    const fer_re_prog *prog;
    fer_str text;
    fer_arena *scratch;
    size_t steps;
    size_t *slots;
    struct entry *stack;
    size_t depth;
    size_t cap;
    fer_match trouble; /* FER_MATCH_NO: none */
};

/* ---- the stack ----------------------------------------------------------------------------- */

static void push(struct back *b, struct entry e)
{
    if (b->depth == MAX_STACK) b->trouble = FER_MATCH_BUDGET;
    if (b->trouble) return;
    struct entry *grown = fer_arena_room(b->scratch, b->stack, b->depth, &b->cap, sizeof *grown);
    if (!grown) {
        b->trouble = FER_MATCH_NO_MEMORY;
        return;
    }
    b->stack = grown;
    b->stack[b->depth++] = e;
}

static void charge(struct back *b, size_t steps)
{
    b->steps -= steps < b->steps ? steps : b->steps;
}

static void set_slot(struct back *b, uint32_t slot, size_t value)
{
    if (b->slots[slot] == value) return;
    push(b, (struct entry){NO_STATE, slot, b->slots[slot]});
    b->slots[slot] = value;
}

/* Goes back to the last choice above `floor`. False: there is none. */
static bool undo(struct back *b, size_t floor, uint32_t *state, size_t *at)
{
    while (b->depth > floor) {
        struct entry e = b->stack[--b->depth];
        if (e.state == NO_STATE) {
            b->slots[e.slot] = e.value;
        } else {
            *state = e.state;
            *at = e.value;
            return true;
        }
    }
    return false;
}

/* Forgets the choices above `floor`, but not what is to be restored. */
static void cut(struct back *b, size_t floor)
{
    size_t kept = floor;
    assert(floor <= b->depth);
    for (size_t i = floor; i < b->depth; i++) {
        if (b->stack[i].state == NO_STATE) b->stack[kept++] = b->stack[i];
    }
    b->depth = kept;
}

/* ---- instructions -------------------------------------------------------------------------- */

static bool read_one(const struct back *b, const fer_re_instr *in, size_t *at)
{
    size_t from = *at, to;
    if (in->flag) {
        if (from == 0) return false;
        to = from;
        from = fer_re_before(b->text, to);
    } else {
        if (from == b->text.len) return false;
        to = from + fer_re_step(b->text, from);
    }
    *at = in->flag ? from : to;
    return fer_set_has(&b->prog->sets[in->x], fer_re_decode(b->text.ptr + from, to - from));
}

/* A group that has captured nothing matches the empty text (22.2.2.7.2, 3). */
static bool read_reference(struct back *b, const fer_re_instr *in, size_t *at)
{
    size_t from = b->slots[2 * (size_t)in->x], to = b->slots[2 * (size_t)in->x + 1];
    if (from == UNSET || to == UNSET || from == to) return true;
    size_t len = to - from;
    if (in->flag ? *at < len : b->text.len - *at < len) return false;
    size_t start = in->flag ? *at - len : *at;
    *at = in->flag ? start : start + len;
    charge(b, len);
    return memcmp(b->text.ptr + start, b->text.ptr + from, len) == 0;
}

/* Slot x keeps the place, slot x + 1 the depth of the stack. */
static void begin_look(struct back *b, const fer_re_instr *in, size_t at)
{
    set_slot(b, in->x, at);
    push(b, (struct entry){NO_STATE, in->x + 1, b->slots[in->x + 1]});
    b->slots[in->x + 1] = b->depth;
    if (in->flag) push(b, (struct entry){in->y, 0, at});
}

/* What was looked for is there. False: it should not. */
static bool end_look(struct back *b, const fer_re_instr *in, size_t *at)
{
    size_t floor = b->slots[in->x + 1], place;
    uint32_t state;
    if (!in->flag) {
        *at = b->slots[in->x];
        cut(b, floor);
        return true;
    }
    while (undo(b, floor, &state, &place)) continue;
    return false;
}

/* One instruction. False: this way leads nowhere. */
static bool step(struct back *b, const fer_re_instr *in, size_t *at)
{
    switch ((fer_re_op)in->op) {
    case FER_OP_SET: return read_one(b, in, at);
    case FER_OP_SPLIT: push(b, (struct entry){in->x, 0, *at}); return true;
    case FER_OP_ASSERT: return fer_re_holds((fer_re_assert)in->x, b->text, *at);
    case FER_OP_SAVE: set_slot(b, in->x, *at); return true;
    case FER_OP_CLEAR:
        charge(b, in->y - in->x);
        for (uint32_t i = in->x; i < in->y; i++) set_slot(b, i, UNSET);
        return true;
    case FER_OP_MOVED: return b->slots[in->x] != *at;
    case FER_OP_REFERENCE: return read_reference(b, in, at);
    case FER_OP_TRY: begin_look(b, in, *at); return true;
    case FER_OP_TRIED: return end_look(b, in, at);
    case FER_OP_MATCH:
    case FER_OP_LOOK: break;
    }
    return true;
}

/* ---- searching ----------------------------------------------------------------------------- */

/* A match that begins at `at`. */
static fer_match match(struct back *b, size_t at)
{
    uint32_t state = b->prog->start;
    for (;;) {
        const fer_re_instr *in = &b->prog->code[state];
        if (in->op == FER_OP_MATCH) return FER_MATCH_YES;
        if (b->steps == 0) return FER_MATCH_BUDGET;
        b->steps--;
        bool on = step(b, in, &at);
        if (b->trouble) return b->trouble;
        state = in->next;
        if (!on && !undo(b, 0, &state, &at)) return FER_MATCH_NO;
    }
}

fer_match fer_re_back_search(const fer_re_prog *p, fer_str text, size_t *steps, fer_arena *scratch)
{
    struct back b = {.prog = p, .text = text, .scratch = scratch, .steps = *steps};
    b.slots = fer_arena_alloc(scratch, p->slots * sizeof *b.slots);
    if (!b.slots) return FER_MATCH_NO_MEMORY;
    for (uint32_t i = 0; i < p->slots; i++) b.slots[i] = UNSET;
    fer_match found = FER_MATCH_NO;
    for (size_t at = 0;; at += fer_re_step(text, at)) {
        found = match(&b, at); /* a match that failed has restored all slots */
        if (found != FER_MATCH_NO || at == text.len || p->anchored) break;
    }
    *steps = found == FER_MATCH_BUDGET ? 0 : b.steps;
    return found;
}
