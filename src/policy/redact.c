/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a value with all paths at once. Of each path it is known which of its steps may come
 * next, as a set of bits, so that no path is tried twice at one place: the work is the size of the
 * value times the number of paths, however many ** they have.
 */
#include <inttypes.h>

#include "errors.h"
#include "json_number.h"
#include "redact_parts.h"

typedef struct walk {
    const fer_redact_rules *rules;
    fer_buf *out;
    fer_redactions *places;
    fer_arena *arena;
    fer_buf place;     /* where the walk is, as it is listed */
    uint64_t **states; /* of the paths, on each level; NULL: there are no paths */
    fer_code failure;
    bool found; /* only looking: something would be redacted */
} walk;

/* Where a child stands in its parent. */
typedef struct spot {
    fer_str key; /* ptr NULL: an item */
    uint64_t index;
} spot;

/* ---- the paths ------------------------------------------------------------------------------- */

/* A ** may stand for no level at all: what is behind it may come next, too. */
static uint64_t settle(const fer_redact_path *p, uint64_t at)
{
    for (size_t i = 0; i < p->count; i++)
        if ((at >> i & 1) && p->steps[i].kind == FER_STEP_DEEP) at |= UINT64_C(1) << (i + 1);
    return at;
}

static bool fits(const fer_redact_step *s, const spot *w)
{
    switch (s->kind) {
    case FER_STEP_NAME: return w->key.ptr && fer_redact_same(s->name, w->key);
    case FER_STEP_EXACT: return w->key.ptr && fer_str_eq(s->name, w->key);
    case FER_STEP_INDEX: return !w->key.ptr && s->index == w->index;
    case FER_STEP_ITEMS: return !w->key.ptr;
    default: return true;
    }
}

/* The steps that may come next below a child. The bit behind the last step: it is redacted. */
static uint64_t advance(const fer_redact_path *p, uint64_t at, const spot *w)
{
    uint64_t next = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!(at >> i & 1)) continue;
        const fer_redact_step *s = &p->steps[i];
        bool names = s->kind == FER_STEP_NAME || s->kind == FER_STEP_EXACT;
        if (s->kind == FER_STEP_DEEP) next |= UINT64_C(1) << i;
        else if (fits(s, w)) next |= UINT64_C(1) << (i + 1);
        else if (names && !w->key.ptr) next |= UINT64_C(1) << i; /* on each item of a list */
    }
    return settle(p, next);
}

/* The states of a level; NULL: no memory. */
static uint64_t *level(walk *k, int depth)
{
    if (!k->states[depth])
        k->states[depth] = fer_arena_alloc(k->arena, (k->rules->count + 1) * sizeof(uint64_t));
    if (!k->states[depth] && !k->failure) k->failure = fer_arena_code(k->arena);
    return k->states[depth];
}

/* Steps down to a child; true: it is redacted. */
static bool step_down(walk *k, const spot *w, int depth)
{
    const fer_redact_rules *r = k->rules;
    bool hit = w->key.ptr && fer_redact_builtin(r, w->key);
    if (!r->count) return hit;
    const uint64_t *states = k->states[depth];
    uint64_t *next = level(k, depth + 1);
    for (size_t i = 0; next && i < r->count; i++) {
        next[i] = states[i] ? advance(&r->paths[i], states[i], w) : 0;
        hit |= next[i] >> r->paths[i].count & 1;
    }
    return hit;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A key that could be mistaken for a secret itself, or for another place, is only numbered. */
static bool is_plain_key(fer_str key)
{
    if (!key.len || key.len > 64) return false;
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        if (!fer_is_alpha(c) && !fer_is_digit(c) && c != '_' && c != '-' && c != '$') return false;
    }
    return true;
}

static void add_spot(walk *k, const spot *w)
{
    if (!w->key.ptr) fer_buf_printf(&k->place, "[%" PRIu64 "]", w->index);
    else if (!is_plain_key(w->key)) fer_buf_printf(&k->place, "[key#%" PRIu64 "]", w->index);
    else {
        fer_buf_add_char(&k->place, '.');
        fer_buf_add(&k->place, w->key);
    }
}

static void list_place(walk *k)
{
    fer_redactions *p = k->places;
    if (!p) return;
    if (p->count >= FER_REDACT_LIST) {
        p->more++;
        return;
    }
    fer_str *list = fer_arena_room(p->arena, p->list, p->count, &p->cap, sizeof *list);
    fer_str text = list ? fer_arena_copy(p->arena, fer_buf_view(&k->place)) : FER_STR_NONE;
    if (list) p->list = list;
    if (!text.ptr || k->place.failure) k->failure = FER_OUT_OF_MEMORY;
    else p->list[p->count++] = text;
}

/* What stood there, so that it can be looked for elsewhere. */
static void keep_values(walk *k, const yyjson_val *v, int depth)
{
    fer_redactions *p = k->places;
    if (!p || p->value_count >= FER_REDACT_VALUES || depth > FER_REDACT_DEPTH) return;
    if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, key) keep_values(k, key + 1, depth + 1);
    } else if (fer_is_arr(v)) {
        FER_EACH_ITEM (v, item) keep_values(k, item, depth + 1);
    } else if (fer_is_str(v) && fer_val_len(v) <= FER_REDACT_VALUE) {
        fer_str *list =
            fer_arena_room(p->arena, p->values, p->value_count, &p->value_cap, sizeof *list);
        if (!list) k->failure = FER_OUT_OF_MEMORY;
        else (p->values = list)[p->value_count++] = fer_val_str(v);
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void visit(walk *k, const yyjson_val *v, int depth);

static void write_scalar(fer_buf *out, const yyjson_val *v)
{
    char text[FER_NUMBER_TEXT];
    if (fer_is_str(v)) fer_buf_add_quoted(out, fer_val_str(v));
    else if (fer_is_num(v)) fer_buf_add(out, (fer_str){text, fer_number_text(v, text)});
    else fer_buf_add_text(out, !fer_is_bool(v) ? "null" : fer_is_true(v) ? "true" : "false");
}

static void visit_child(walk *k, const yyjson_val *v, const spot *w, int depth)
{
    size_t mark = k->place.len;
    bool hit = depth < FER_REDACT_DEPTH && step_down(k, w, depth);
    if (k->failure) return;
    if (k->out) add_spot(k, w);
    if (!hit) {
        visit(k, v, depth + 1);
    } else {
        k->found = true;
        if (k->out) {
            list_place(k);
            keep_values(k, v, depth);
            fer_buf_add_text(k->out, "\"" FER_REDACTED "\"");
        }
    }
    k->place.len = mark;
}

static void visit_object(walk *k, const yyjson_val *v, int depth)
{
    uint64_t number = 0;
    FER_EACH_MEMBER (v, key) {
        spot w = {fer_val_str(key), number};
        if (k->failure || (!k->out && k->found)) return;
        if (k->out) {
            fer_buf_add_char(k->out, number ? ',' : '{');
            fer_buf_add_quoted(k->out, w.key);
            fer_buf_add_char(k->out, ':');
        }
        visit_child(k, key + 1, &w, depth);
        number++;
    }
    if (k->out) fer_buf_add_text(k->out, number ? "}" : "{}");
}

static void visit(walk *k, const yyjson_val *v, int depth)
{
    if (depth > FER_REDACT_DEPTH) {
        k->failure = FER_LIMIT_EXCEEDED;
    } else if (fer_is_obj(v)) {
        visit_object(k, v, depth);
    } else if (fer_is_arr(v)) {
        uint64_t number = 0;
        FER_EACH_ITEM (v, item) {
            if (k->failure || (!k->out && k->found)) return;
            if (k->out) fer_buf_add_char(k->out, number ? ',' : '[');
            spot w = {FER_STR_NONE, number++};
            visit_child(k, item, &w, depth);
        }
        if (k->out) fer_buf_add_text(k->out, number ? "]" : "[]");
    } else if (k->out) {
        write_scalar(k->out, v);
    }
}

/* Where all paths begin; true: the whole root is redacted. A path may also begin with the name of
 * the root, so that headers.authorization means a field of the headers themselves. */
static bool begin(walk *k, fer_redact_root root)
{
    const fer_redact_rules *r = k->rules;
    const spot w = {fer_str_of(fer_redact_roots[root]), 0};
    bool hit = false;
    if (!r->count) return false;
    k->states = fer_arena_alloc_zero(k->arena, FER_REDACT_DEPTH + 2, sizeof *k->states);
    if (!k->states) k->failure = fer_arena_code(k->arena);
    uint64_t *states = k->states ? level(k, 0) : NULL;
    for (size_t i = 0; states && i < r->count; i++) {
        const fer_redact_path *p = &r->paths[i];
        states[i] = p->root == FER_ROOT_COUNT || p->root == root ? settle(p, 1) : 0;
        if (p->root == FER_ROOT_COUNT && p->steps[0].kind == FER_STEP_NAME)
            states[i] |= advance(p, 1, &w);
        hit |= states[i] >> p->count & 1;
    }
    return hit;
}

fer_code fer_redact_add(fer_buf *out, const fer_redact_rules *r, fer_redact_root root,
                        const yyjson_val *value, fer_redactions *places, fer_err *err)
{
    walk k = {.rules = r, .out = out, .places = places, .arena = out->arena};
    fer_buf_init(&k.place, out->arena, SIZE_MAX / 4);
    fer_buf_add_text(&k.place, fer_redact_roots[root]);
    bool hit = begin(&k, root);
    if (hit) {
        list_place(&k);
        keep_values(&k, value, 0);
        fer_buf_add_text(out, "\"" FER_REDACTED "\"");
    } else if (!k.failure) {
        visit(&k, value, 0);
    }
    if (k.failure == FER_LIMIT_EXCEEDED)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "redact.depth: at most %d", FER_REDACT_DEPTH);
    if (k.failure) return fer_fail(err, k.failure, "out of memory");
    return fer_buf_code(out, err);
}

bool fer_redact_touches(fer_arena *scratch, const fer_redact_rules *r, fer_redact_root root,
                        const yyjson_val *value)
{
    walk k = {.rules = r, .arena = scratch};
    bool hit = begin(&k, root);
    if (!hit && !k.failure) visit(&k, value, 0);
    return hit || k.found || k.failure;
}
