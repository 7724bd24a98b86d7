/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code for alternatives, references, `not` and `if`. */
#include "native_code.h"
#include "quick_run.h"

bool fer_native_is_branch(const fer_quick *row)
{
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_CALL:
    case FER_Q_ALL:
    case FER_Q_ANY:
    case FER_Q_ONE:
    case FER_Q_NOT:
    case FER_Q_IF: return true;
    default: return false;
    }
}

/* Asks a code, in its place or by its function. */
static void call(fer_native_code *n, const fer_quick *code)
{
    if (fer_native_is_plain(code, false)) {
        fer_native_value(n, code, n->value);
        return;
    }
    fer_x86_move(&n->x, RSI, RBX);
    fer_native_call(n, code, n->no);
}

/* ---- attempts ----------------------------------------------------------------------------------
 */

/* One that stands in its place: its no is a jump. */
static void attempt_plain(fer_native_code *n, const fer_quick *code, fer_label miss)
{
    fer_label no = n->no;
    n->no = miss;
    fer_native_value(n, code, n->value);
    n->no = no;
}

/* Any other. After a no the depth is what it was: who says no does not leave what it entered. */
static void attempt_call(fer_native_code *n, const fer_quick *code, fer_label miss)
{
    fer_x86 *x = &n->x;
    const int32_t depth = offsetof(struct fer_run, depth);
    fer_label missed = fer_x86_label(x), hit = fer_x86_label(x);
    fer_x86_push_at(x, RBP, depth);
    fer_x86_push(x, RAX); /* calls are aligned */
    fer_x86_move(x, RSI, RBX);
    fer_native_call(n, code, missed);
    fer_x86_pop(x, RAX);
    fer_x86_pop_at(x, RBP, depth);
    fer_x86_jump(x, hit);
    fer_x86_bind(x, missed);
    fer_x86_pop(x, RAX);
    fer_x86_pop_at(x, RBP, depth);
    fer_x86_jump(x, miss);
    fer_x86_bind(x, hit);
}

/* A code whose no is no failure: goes on behind after a yes, at `miss` after a no. */
static void attempt(fer_native_code *n, const fer_quick *code, fer_label miss)
{
    if (fer_native_is_plain(code, false)) attempt_plain(n, code, miss);
    else attempt_call(n, code, miss);
}

/* ---- alternatives ------------------------------------------------------------------------------
 */

static void any_of(fer_native_code *n, const fer_quick_branches *d, const fer_quick_some *some,
                   fer_label done)
{
    const uint32_t *order = d->order + some->first;
    for (uint32_t i = 0; i + 1 < some->count; i++) {
        fer_label miss = fer_x86_label(&n->x);
        attempt(n, d->codes[order[i]], miss);
        fer_x86_jump(&n->x, done);
        fer_x86_bind(&n->x, miss);
    }
    call(n, d->codes[order[some->count - 1]]);
}

/* R15 counts those that say yes. */
static void one_of(fer_native_code *n, const fer_quick_branches *d, const fer_quick_some *some)
{
    fer_x86 *x = &n->x;
    fer_x86_set(x, R15, 0);
    for (uint32_t i = 0; i < some->count; i++) {
        fer_label miss = fer_x86_label(x);
        attempt(n, d->codes[d->order[some->first + i]], miss);
        fer_x86_add64(x, R15, 1);
        fer_x86_compare32(x, R15, 2);
        fer_x86_jump_if(x, IF_EQUAL, n->no);
        fer_x86_bind(x, miss);
    }
    fer_x86_compare32(x, R15, 1);
    fer_x86_jump_if(x, IF_NOT_EQUAL, n->no);
}

/* Some of the alternatives; goes to `done`. */
static void candidates(fer_native_code *n, const fer_quick *row, const fer_quick_some *some,
                       fer_label done)
{
    const fer_quick_branches *d = row->data;
    if (!some->count) {
        fer_x86_jump(&n->x, n->no);
        return;
    }
    if (some->count == 1 || row->op == FER_Q_ANY) any_of(n, d, some, done);
    else one_of(n, d, some);
    fer_x86_jump(&n->x, done);
}

/* The tag of the object in RBX: its key in RDI; a tag tends to be the first member. */
static void find_tag(fer_native_code *n, const fer_quick_branches *d, fer_label absent)
{
    fer_x86 *x = &n->x;
    fer_label search = fer_x86_label(x), found = fer_x86_label(x);
    fer_x86_compare_at(x, 4, RBX, 1, 0);
    fer_x86_jump_if(x, IF_EQUAL, absent);
    fer_x86_address(x, RDI, RBX, 16);
    fer_x86_compare_at(x, 4, RDI, 1, (uint32_t)d->tag.len);
    fer_x86_jump_if(x, IF_NOT_EQUAL, search);
    fer_x86_load64(x, RSI, RDI, 8);
    fer_native_text(n, RSI, (fer_str){d->tag.ptr, d->tag.len}, search);
    fer_x86_jump(x, found);
    fer_x86_bind(x, search);
    fer_x86_set_address(x, RDX, &d->tag);
    fer_x86_move(x, RSI, RBX);
    fer_x86_move(x, RDI, RBP);
    fer_x86_call_c(x, (uintptr_t)fer_run_key);
    fer_x86_test64(x, RAX);
    fer_x86_jump_if(x, IF_EQUAL, absent);
    fer_x86_move(x, RDI, RAX);
    fer_x86_bind(x, found);
}

/* Alternatives that a tag tells apart. */
static void tagged(fer_native_code *n, const fer_quick *row, fer_label done)
{
    fer_x86 *x = &n->x;
    const fer_quick_branches *d = row->data;
    size_t count = d->values.count;
    fer_label absent = fer_x86_label(x), other = fer_x86_label(x);
    fer_label *labels = fer_arena_alloc(n->arena, (count + 1) * sizeof *labels);
    if (!labels) {
        x->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) labels[i] = fer_x86_label(x);
    find_tag(n, d, absent);
    fer_x86_load8(x, RAX, RDI, 16);
    fer_x86_and32(x, RAX, YYJSON_TYPE_MASK);
    fer_x86_compare32(x, RAX, YYJSON_TYPE_STR);
    fer_x86_jump_if(x, IF_NOT_EQUAL, other);
    fer_native_find(n, &d->values, (fer_at){RDI, 16}, labels, other);
    for (size_t i = 0; i < count; i++) {
        fer_x86_bind(x, labels[i]);
        candidates(n, row, &((const fer_quick_tag *)d->values.list)[i].some, done);
    }
    fer_x86_bind(x, other);
    candidates(n, row, &d->other, done);
    fer_x86_bind(x, absent);
    candidates(n, row, &d->absent, done);
}

static void alternatives(fer_native_code *n, const fer_quick *row, unsigned type)
{
    const fer_quick_branches *d = row->data;
    fer_label done = fer_x86_label(&n->x);
    bool by_tag = d->tagged && type == YYJSON_TYPE_OBJ;
    if (by_tag && fer_native_can_find(&d->values)) tagged(n, row, done);
    else if (by_tag) fer_native_row(n, row, n->value);
    else candidates(n, row, &d->by_type[type], done);
    fer_x86_bind(&n->x, done);
}

/* ---- the rest
 * ------------------------------------------------------------------------------------ */

static void none(fer_native_code *n, const fer_quick *code)
{
    fer_x86 *x = &n->x;
    fer_label miss = fer_x86_label(x);
    attempt(n, code, miss);
    fer_x86_jump(x, n->no);
    fer_x86_bind(x, miss);
    /* A no that was giving up is none. */
    fer_x86_load64(x, RAX, RBP, offsetof(struct fer_run, left));
    fer_x86_test64(x, RAX);
    fer_x86_jump_if(x, IF_NEGATIVE, n->no);
}

static void condition(fer_native_code *n, const fer_quick_codes *d)
{
    fer_x86 *x = &n->x;
    fer_label otherwise = fer_x86_label(x), done = fer_x86_label(x);
    attempt(n, d->codes[0], otherwise);
    if (d->codes[1]) call(n, d->codes[1]);
    fer_x86_jump(x, done);
    fer_x86_bind(x, otherwise);
    if (d->codes[2]) call(n, d->codes[2]);
    fer_x86_bind(x, done);
}

static void each(fer_native_code *n, const fer_quick_codes *d)
{
    for (size_t i = 0; i < d->count; i++) call(n, d->codes[i]);
}

void fer_native_branch(fer_native_code *n, const fer_quick *row, unsigned type)
{
    fer_native_enter(n, false);
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_CALL: call(n, row->code); break;
    case FER_Q_ALL: each(n, row->data); break;
    case FER_Q_NOT: none(n, row->code); break;
    case FER_Q_IF: condition(n, row->data); break;
    default: alternatives(n, row, type); break;
    }
    fer_native_leave(n);
}
