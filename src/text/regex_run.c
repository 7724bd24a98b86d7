/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thompson's simulation: the set of states that some path has reached, moved over the text
 * one code point at a time. A state costs one step a code point however many paths lead to
 * it, so the time is linear in the text.
 *
 * Look-around is linear too. Whether a look-around holds is found for every place of the
 * text in one pass before the search: a look behind by a pass over the text, a look ahead by
 * a pass of its reversed program from the end to the start. The bits of a pass are then
 * asked like any other assertion.
 */
#include "checked.h"
#include "regex_match.h"

struct run {
    const fer_re_prog *prog;
    fer_str text;
    size_t steps;
    uint32_t *reached; /* states that the last code point led to, each at least once */
    size_t reached_count;
    uint32_t *live; /* those of them and behind them that read */
    size_t live_count;
    uint32_t *stack;
    uint32_t *mark; /* the turn in which a state was last seen */
    uint32_t turn;
    unsigned char *bits; /* of each look-around, a bit for each place */
    size_t bits_size;    /* of one */
};

static bool holds(const struct run *r, const fer_re_instr *i, size_t at)
{
    if (i->op == FER_OP_ASSERT) return fer_re_holds((fer_re_assert)i->x, r->text, at);
    bool found = r->bits[i->x * r->bits_size + at / 8] >> (at % 8) & 1;
    return found != r->prog->looks[i->x].negative;
}

static void see(struct run *r, size_t *depth, uint32_t state)
{
    if (r->mark[state] == r->turn) return;
    r->mark[state] = r->turn;
    r->stack[(*depth)++] = state;
}

/* Follows what reads nothing from the states reached. True: a match ends here. */
static bool follow(struct run *r, size_t at, size_t *visited)
{
    size_t depth = 0, count = 0;
    bool match = false;
    r->turn++;
    r->live_count = 0;
    for (size_t i = 0; i < r->reached_count; i++) {
        see(r, &depth, r->reached[i]);
        while (depth > 0) {
            uint32_t state = r->stack[--depth];
            const fer_re_instr *in = &r->prog->code[state];
            count++;
            if (in->op == FER_OP_SET) {
                r->live[r->live_count++] = state;
            } else if (in->op == FER_OP_SPLIT) {
                see(r, &depth, in->next);
                see(r, &depth, in->x);
            } else if (in->op == FER_OP_MATCH) {
                match = true;
            } else if (holds(r, in, at)) {
                see(r, &depth, in->next);
            }
        }
    }
    *visited = count;
    return match;
}

/* Reads one code point with every live state. */
static void read_one(struct run *r, uint32_t c)
{
    r->reached_count = 0;
    for (size_t i = 0; i < r->live_count; i++) {
        const fer_re_instr *in = &r->prog->code[r->live[i]];
        if (fer_set_has(&r->prog->sets[in->x], c)) r->reached[r->reached_count++] = in->next;
    }
}

/*
 * One pass over the text from `start`. With `bits`, every place where a match ends gets its
 * bit and the pass goes to the end of the text; without, the first match ends it.
 */
static fer_match pass(struct run *r, uint32_t start, bool back, bool once, unsigned char *bits)
{
    size_t at = back ? r->text.len : 0, end = back ? 0 : r->text.len, visited;
    r->reached[0] = start;
    r->reached_count = 1;
    for (;;) {
        bool match = follow(r, at, &visited);
        if (visited + 1 > r->steps) return FER_MATCH_BUDGET;
        r->steps -= visited + 1;
        if (match && !bits) return FER_MATCH_YES;
        if (match) bits[at / 8] |= (unsigned char)(1u << (at % 8));
        if (at == end) return FER_MATCH_NO;
        size_t from = back ? fer_re_before(r->text, at) : at;
        size_t to = back ? at : at + fer_re_step(r->text, at);
        read_one(r, fer_re_decode(r->text.ptr + from, to - from));
        if (!once) r->reached[r->reached_count++] = start;
        if (r->reached_count == 0) return FER_MATCH_NO;
        at = back ? from : to;
    }
}

static fer_match search(struct run *r)
{
    const fer_re_prog *p = r->prog;
    for (uint32_t i = 0; i < p->look_count; i++) {
        const fer_re_look *look = &p->looks[i];
        if (look->start == UINT32_MAX) continue;
        fer_match m = pass(r, look->start, !look->behind, false, r->bits + i * r->bits_size);
        if (m != FER_MATCH_NO) return m;
    }
    return pass(r, p->start, false, p->anchored, NULL);
}

fer_match fer_re_run_search(const fer_re_prog *p, fer_str text, size_t *steps, fer_arena *scratch)
{
    size_t states = (size_t)p->count + 1, lists, bits, size;
    struct run r = {.prog = p, .text = text, .steps = *steps, .bits_size = text.len / 8 + 1};
    if (!fer_mul_size(p->look_count, r.bits_size, &bits) ||
        !fer_mul_size(4 * sizeof *r.mark, states, &lists) || !fer_add_size(lists, bits, &size))
        return FER_MATCH_NO_MEMORY;
    uint32_t *block = fer_arena_alloc(scratch, size);
    if (!block) return FER_MATCH_NO_MEMORY;
    r.reached = block;
    r.live = r.reached + states;
    r.stack = r.live + states;
    r.mark = r.stack + states;
    r.bits = (unsigned char *)(r.mark + states);
    memset(r.mark, 0, states * sizeof *r.mark + bits);
    fer_match m = search(&r);
    *steps = m == FER_MATCH_BUDGET ? 0 : r.steps;
    fer_arena_trim(scratch, block);
    return m;
}
