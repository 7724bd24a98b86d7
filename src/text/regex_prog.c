/* SPDX-License-Identifier: Apache-2.0 */
/* Recursion here follows the tree, whose depth is bounded by FER_REGEX_NESTING. */
#include "regex_prog.h"

#include "checked.h"
#include "errors.h"

bool fer_re_holds(fer_re_assert what, fer_str text, size_t at)
{
    if (what == FER_RE_START) return at == 0;
    if (what == FER_RE_END) return at == text.len;
    /* A byte of a longer sequence is past ASCII and thus no word character. */
    uint32_t before = at > 0 ? (unsigned char)text.ptr[at - 1] : 0;
    uint32_t after = at < text.len ? (unsigned char)text.ptr[at] : 0;
    bool edge = fer_set_has(&fer_set_word, before) != fer_set_has(&fer_set_word, after);
    return edge == (what == FER_RE_EDGE);
}

/* ---- size ---------------------------------------------------------------------------------- */

static size_t sum(size_t a, size_t b)
{
    size_t out;
    return fer_add_size(a, b, &out) ? out : SIZE_MAX;
}

static size_t product(size_t a, size_t b)
{
    size_t out;
    return fer_mul_size(a, b, &out) ? out : SIZE_MAX;
}

/* What the look-arounds need by themselves goes to `apart`: they are written once only. */
struct measure {
    bool captures;
    size_t apart;
};

static size_t measure(struct measure *m, const fer_re_node *n);

/* As emit_plain_repeat and emit_capturing_repeat below. */
static size_t measure_repeat(struct measure *m, const fer_re_node *n)
{
    size_t body = measure(m, n->first), min = n->repeat.min, max = n->repeat.max;
    bool endless = max == FER_RE_NO_BOUND;
    if (!m->captures) {
        if (endless) return sum(product(min ? min : 1, body), 1);
        return sum(product(min, body), product(max - min, sum(body, 1)));
    }
    if (n->repeat.groups_to > n->repeat.groups_from) body = sum(body, 1);
    return sum(product(min, body), product(endless ? 1 : max - min, sum(body, 3)));
}

static size_t measure(struct measure *m, const fer_re_node *n)
{
    size_t total = 0, inside;
    switch (n->kind) {
    case FER_RE_SET:
    case FER_RE_ASSERT:
    case FER_RE_REFERENCE: return 1;
    case FER_RE_REPEAT: return measure_repeat(m, n);
    case FER_RE_GROUP: return sum(measure(m, n->first), m->captures ? 2 : 0);
    case FER_RE_LOOK:
        inside = measure(m, n->first);
        if (m->captures) return sum(inside, 2);
        m->apart = sum(m->apart, sum(inside, 1));
        return 1;
    case FER_RE_SEQUENCE:
    case FER_RE_CHOICE: break;
    }
    for (const fer_re_node *c = n->first; c; c = c->next) {
        total = sum(total, measure(m, c));
        if (n->kind == FER_RE_CHOICE && c->next) total = sum(total, 1);
    }
    return total;
}

size_t fer_re_prog_size(const fer_re_tree *tree)
{
    struct measure m = {.captures = tree->references};
    size_t whole = measure(&m, tree->root);
    return sum(sum(whole, m.apart), 1);
}

/* ---- writing ------------------------------------------------------------------------------- */

static uint32_t put(fer_re_prog *p, fer_re_op op, uint32_t x, uint32_t next)
{
    p->code[p->count] = (fer_re_instr){.op = (uint16_t)op, .x = x, .next = next};
    return p->count++;
}

/* The same in a direction, or with another sign. */
static uint32_t put_flag(fer_re_prog *p, fer_re_op op, bool flag, uint32_t x, uint32_t next)
{
    uint32_t at = put(p, op, x, next);
    p->code[at].flag = flag;
    return at;
}

static uint32_t put_split(fer_re_prog *p, bool lazy, uint32_t inside, uint32_t behind)
{
    return lazy ? put(p, FER_OP_SPLIT, inside, behind) : put(p, FER_OP_SPLIT, behind, inside);
}

static uint32_t emit(fer_re_prog *p, const fer_re_node *n, uint32_t next, bool back);

static uint32_t emit_choice(fer_re_prog *p, const fer_re_node *n, uint32_t next, bool back)
{
    uint32_t entry = emit(p, n->last, next, back);
    for (const fer_re_node *c = n->last->previous; c; c = c->previous) {
        uint32_t first = emit(p, c, next, back);
        entry = put(p, FER_OP_SPLIT, entry, first);
    }
    return entry;
}

/* Sets the ways out of a loop that was put before its inside was known. */
static void close_loop(fer_re_prog *p, uint32_t loop, bool lazy, uint32_t inside, uint32_t behind)
{
    p->code[loop].x = lazy ? inside : behind;
    p->code[loop].next = lazy ? behind : inside;
}

static uint32_t emit_plain_repeat(fer_re_prog *p, const fer_re_node *n, uint32_t next, bool back)
{
    uint32_t entry = next, copies = n->repeat.min;
    if (n->repeat.max == FER_RE_NO_BOUND) {
        uint32_t loop = put(p, FER_OP_SPLIT, 0, 0);
        uint32_t inside = emit(p, n->first, loop, back);
        close_loop(p, loop, n->repeat.lazy, inside, next);
        entry = copies ? inside : loop;
        copies -= copies > 0;
    } else {
        for (uint32_t i = n->repeat.min; i < n->repeat.max; i++)
            entry = put_split(p, n->repeat.lazy, emit(p, n->first, entry, back), next);
    }
    while (copies-- > 0) entry = emit(p, n->first, entry, back);
    return entry;
}

/* One turn of a loop. It forgets what the turn before captured (22.2.2.3.1 RepeatMatcher, 4). */
static uint32_t emit_turn(fer_re_prog *p, const fer_re_node *n, uint32_t next, bool back)
{
    uint32_t entry = emit(p, n->first, next, back);
    if (n->repeat.groups_to == n->repeat.groups_from) return entry;
    entry = put(p, FER_OP_CLEAR, 2 * n->repeat.groups_from, entry);
    p->code[entry].y = 2 * n->repeat.groups_to;
    return entry;
}

/* A turn beyond the least count must not match the empty text (the same, 2.b). */
static uint32_t emit_capturing_repeat(fer_re_prog *p, const fer_re_node *n, uint32_t next,
                                      bool back)
{
    uint32_t entry = next, slot = p->slots++;
    bool endless = n->repeat.max == FER_RE_NO_BOUND;
    uint32_t turns = endless ? 1 : n->repeat.max - n->repeat.min;
    for (uint32_t i = 0; i < turns; i++) {
        uint32_t loop = put(p, FER_OP_SPLIT, 0, 0);
        uint32_t moved = put(p, FER_OP_MOVED, slot, endless ? loop : entry);
        uint32_t turn = put(p, FER_OP_SAVE, slot, emit_turn(p, n, moved, back));
        close_loop(p, loop, n->repeat.lazy, turn, next);
        entry = loop;
    }
    for (uint32_t i = 0; i < n->repeat.min; i++) entry = emit_turn(p, n, entry, back);
    return entry;
}

static uint32_t emit_group(fer_re_prog *p, const fer_re_node *n, uint32_t next, bool back)
{
    if (!p->captures) return emit(p, n->first, next, back);
    uint32_t from = 2 * n->group.number, to = from + 1;
    uint32_t end = put(p, FER_OP_SAVE, back ? from : to, next);
    return put(p, FER_OP_SAVE, back ? to : from, emit(p, n->first, end, back));
}

static uint32_t emit_look(fer_re_prog *p, const fer_re_node *n, uint32_t next)
{
    if (p->captures) {
        uint32_t slots = p->slots;
        p->slots += 2;
        uint32_t end = put_flag(p, FER_OP_TRIED, n->look.negative, slots, next);
        uint32_t inside = emit(p, n->first, end, n->look.behind);
        uint32_t entry = put_flag(p, FER_OP_TRY, n->look.negative, slots, inside);
        p->code[entry].y = next;
        return entry;
    }
    assert(n->look.index < p->look_count);
    fer_re_look *look = &p->looks[n->look.index];
    if (look->start == UINT32_MAX) {
        look->behind = n->look.behind;
        look->negative = n->look.negative;
        uint32_t match = put(p, FER_OP_MATCH, 0, 0);
        look->start = emit(p, n->first, match, !n->look.behind);
    }
    return put(p, FER_OP_LOOK, n->look.index, next);
}

/* Writes what matches a node and goes on at `next`; returns where it begins. */
static uint32_t emit(fer_re_prog *p, const fer_re_node *n, uint32_t next, bool back)
{
    switch (n->kind) {
    case FER_RE_SET: return put_flag(p, FER_OP_SET, back, n->set, next);
    case FER_RE_REFERENCE: return put_flag(p, FER_OP_REFERENCE, back, n->group.number, next);
    case FER_RE_CHOICE: return emit_choice(p, n, next, back);
    case FER_RE_GROUP: return emit_group(p, n, next, back);
    case FER_RE_LOOK: return emit_look(p, n, next);
    case FER_RE_REPEAT:
        return p->captures ? emit_capturing_repeat(p, n, next, back)
                           : emit_plain_repeat(p, n, next, back);
    case FER_RE_ASSERT:
        if (n->assertion == FER_RE_EDGE || n->assertion == FER_RE_NO_EDGE) p->edges = true;
        return put(p, FER_OP_ASSERT, (uint32_t)n->assertion, next);
    case FER_RE_SEQUENCE: break;
    }
    for (const fer_re_node *c = back ? n->first : n->last; c; c = back ? c->next : c->previous)
        next = emit(p, c, next, back);
    return next;
}

/* Whether every way through a node passes a `^` before it reads. Not all such are found. */
static bool is_anchored(const fer_re_node *n)
{
    bool all = true;
    switch (n->kind) {
    case FER_RE_ASSERT: return n->assertion == FER_RE_START;
    case FER_RE_GROUP: return is_anchored(n->first);
    case FER_RE_REPEAT: return n->repeat.min > 0 && is_anchored(n->first);
    case FER_RE_CHOICE:
        for (const fer_re_node *c = n->first; c && all; c = c->next) all = is_anchored(c);
        return all;
    case FER_RE_SEQUENCE:
        for (const fer_re_node *c = n->first; c; c = c->next) {
            if (is_anchored(c)) return true;
            if (c->kind != FER_RE_ASSERT && c->kind != FER_RE_LOOK) return false;
        }
        return false;
    default: return false;
    }
}

fer_code fer_re_prog_make(fer_arena *a, const fer_re_tree *tree, size_t size, fer_re_prog *out,
                          fer_err *err)
{
    fer_re_prog p = {.captures = tree->references,
                     .anchored = is_anchored(tree->root),
                     .slots = 2 * (tree->groups + 1),
                     .sets = tree->sets,
                     .set_count = tree->set_count,
                     .look_count = tree->references ? 0 : tree->looks};
    p.code = fer_arena_alloc(a, size * sizeof *p.code);
    p.looks = p.look_count ? fer_arena_alloc(a, p.look_count * sizeof *p.looks) : NULL;
    if (!p.code || (p.look_count && !p.looks)) return fer_arena_failed(a, err);
    for (uint32_t i = 0; i < p.look_count; i++) p.looks[i] = (fer_re_look){.start = UINT32_MAX};
    p.start = emit(&p, tree->root, put(&p, FER_OP_MATCH, 0, 0), false);
    assert(p.count <= size);
    *out = p;
    return FER_OK;
}
