/* SPDX-License-Identifier: Apache-2.0 */
#include "fuse.h"

#include <math.h>

#include "errors.h"
#include "rank_kernels.h"

static const char *const type_names[] = {
    [FER_SCORE_BM25] = "bm25", [FER_SCORE_EMBEDDING] = "embedding", [FER_SCORE_HYBRID] = "hybrid"};

const char *fer_score_type_name(fer_score_type type)
{
    return type_names[type];
}

/* ---- gathering: an entry for each document that any ranking has ------------------------- */

typedef struct gathered {
    fer_fused *list;
    uint32_t *slots; /* place in `list` + 1, or 0 */
    size_t count, mask;
} gathered;

static fer_fused *entry_of(gathered *g, uint32_t number)
{
    size_t s = (size_t)(number * UINT32_C(0x9E3779B1)) & g->mask;
    while (g->slots[s] && g->list[g->slots[s] - 1].number != number) s = (s + 1) & g->mask;
    if (!g->slots[s]) {
        g->list[g->count] = (fer_fused){.number = number};
        g->slots[s] = (uint32_t)++g->count;
    }
    return &g->list[g->slots[s] - 1];
}

static fer_code make_room(fer_arena *a, const fer_fuse_input *in, gathered *g, fer_err *err)
{
    size_t most = in->lexical_count + in->near.count + (in->votes ? in->votes->count : 0);
    size_t slots = 16;
    while (slots < 2 * most) slots *= 2;
    g->mask = slots - 1;
    g->list = fer_arena_alloc(a, (most + 1) * sizeof *g->list);
    g->slots = fer_arena_alloc_zero(a, slots, sizeof *g->slots);
    return g->list && g->slots ? FER_OK : fer_arena_failed(a, err);
}

static double share(double part, double whole)
{
    return whole > 0 && part > 0 ? part / whole : 0;
}

static void add_lexical(gathered *g, const fer_fuse_input *in)
{
    for (size_t i = 0; i < in->lexical_count; i++) {
        fer_fused *f = entry_of(g, in->lexical[i].number);
        f->lexical = share(in->lexical[i].score, in->lexical[0].score);
        f->named = in->lexical[i].named;
    }
}

static void add_votes(gathered *g, const fer_fuse_input *in)
{
    for (size_t i = 0; in->votes && i < in->votes->count; i++) {
        const fer_vote *v = &in->votes->list[i];
        if (!in->accept || in->accept(in->context, v->number))
            entry_of(g, v->number)->voted = v->share;
    }
}

/* What only others have found is compared with the query's vector too. */
static void add_near(gathered *g, const fer_fuse_input *in)
{
    const double largest = in->near.count ? in->near.list[0].product : 0;
    for (size_t i = 0; i < in->near.count; i++)
        entry_of(g, in->near.list[i].number)->near = share(in->near.list[i].product, largest);
    for (size_t i = 0; in->near.count && in->product && i < g->count; i++) {
        fer_fused *f = &g->list[i];
        if (f->near > 0) continue;
        f->near = share(in->product(in->context, f->number), largest);
        if (f->near > 1) f->near = 1; /* sketches can miss the nearest */
    }
}

/* ---- scores and order --------------------------------------------------------------------- */

typedef struct weights {
    double lexical, near, voted, sum;
} weights;

static weights weights_of(const fer_fuse_input *in)
{
    weights w = {.lexical = in->lexical_count ? 1 : 0,
                 .near = in->near.count ? FER_FUSE_NEAR : 0,
                 .voted = in->votes && in->votes->count ? in->votes->weight : 0};
    w.sum = w.lexical + w.near + w.voted;
    return w;
}

/*
 * A named tool is above all others, and several of one name keep their order: scores of these lie
 * between NAMED and 1, those of the rest below. Order by score is what results promise.
 */
#define NAMED 0.99

static void raise_named(gathered *g)
{
    bool any = false;
    for (size_t i = 0; i < g->count; i++) any = any || g->list[i].named;
    for (size_t i = 0; any && i < g->count; i++) {
        fer_fused *f = &g->list[i];
        f->score = f->named ? NAMED + (1 - NAMED) * f->score : NAMED * f->score;
    }
}

static void score_all(gathered *g, weights w)
{
    for (size_t i = 0; i < g->count; i++) {
        fer_fused *f = &g->list[i];
        f->score = share(w.lexical * f->lexical + w.near * f->near + w.voted * f->voted, w.sum);
    }
    raise_named(g);
}

typedef struct ordering {
    const fer_fused *list;
    const fer_fuse_input *in;
    bool sorted;    /* where there are few */
    uint32_t *heap; /* places in `list`, the best on top; or in order, the next one first */
    size_t count;
} ordering;

static bool comes_first(const ordering *o, uint32_t one, uint32_t other)
{
    const fer_fused *a = &o->list[one], *b = &o->list[other];
    const fer_fuse_input *in = o->in;
    if (a->score != b->score) return a->score > b->score;
    if (a->named != b->named) return a->named;
    if (in->before && in->before(in->context, a->number, b->number)) return true;
    if (in->before && in->before(in->context, b->number, a->number)) return false;
    return a->number < b->number;
}

static void sift(const ordering *o, size_t at)
{
    uint32_t held = o->heap[at];
    for (size_t child; (child = 2 * at + 1) < o->count; at = child) {
        if (child + 1 < o->count && comes_first(o, o->heap[child + 1], o->heap[child])) child++;
        if (!comes_first(o, o->heap[child], held)) break;
        o->heap[at] = o->heap[child];
    }
    o->heap[at] = held;
}

#define FEW 64 /* that are counted against each other */
static_assert(FEW % FER_RANK_SCORES == 0, "whole registers");

/* Each is put behind as many as have more than it: hardly a branch hangs on the scores, which
 * nobody could foresee. Of those with the same score each goes in front of whom it comes before. */
static void sort_few(const ordering *o)
{
    double scores[FEW];
    uint64_t above[FEW], taken = 0;
    for (size_t i = 0; i < o->count; i++) scores[i] = o->list[i].score;
    for (size_t i = o->count; i % FER_RANK_SCORES; i++) scores[i] = -HUGE_VAL;
    fer_rank_kernels_here()->above(scores, o->count, above);
    for (size_t i = 0; i < o->count; i++) {
        size_t at = (size_t)above[i];
        while (taken >> at & 1) at++;
        taken |= UINT64_C(1) << at;
        for (; at > above[i] && comes_first(o, (uint32_t)i, o->heap[at - 1]); at--)
            o->heap[at] = o->heap[at - 1];
        o->heap[at] = (uint32_t)i;
    }
}

/* The slots are done with, and as many at least: they become the heap. */
static ordering order(gathered *g, const fer_fuse_input *in)
{
    ordering o = {g->list, in, g->count <= FEW, g->slots, g->count};
    if (o.sorted) {
        sort_few(&o);
        return o;
    }
    for (size_t i = 0; i < g->count; i++) o.heap[i] = (uint32_t)i;
    for (size_t i = g->count / 2; i-- > 0;) sift(&o, i);
    return o;
}

static uint32_t take_best(ordering *o)
{
    uint32_t best = o->heap[0];
    o->count--;
    if (o->sorted) {
        o->heap++;
        return best;
    }
    o->heap[0] = o->heap[o->count];
    if (o->count) sift(o, 0);
    return best;
}

/* Hands over the first `limit`, and of twins the first: only these are brought into order. */
static size_t keep(ordering *o, fer_fused *out, uint64_t *contents)
{
    const fer_fuse_input *in = o->in;
    size_t kept = 0;
    while (o->count && kept < in->limit) {
        const fer_fused *f = &o->list[take_best(o)];
        size_t twin = 0;
        if (in->content) {
            contents[kept] = in->content(in->context, f->number);
            while (contents[twin] != contents[kept]) twin++;
        }
        if (in->content && twin < kept) out[twin].twins++;
        else out[kept++] = *f;
    }
    return kept;
}

static fer_score_type type_of(const fer_fuse_input *in)
{
    if (!in->near.count) return FER_SCORE_BM25;
    return in->lexical_count ? FER_SCORE_HYBRID : FER_SCORE_EMBEDDING;
}

fer_code fer_fuse(fer_arena *a, const fer_fuse_input *in, fer_fused_hits *out, fer_err *err)
{
    gathered g = {0};
    fer_code code = make_room(a, in, &g, err);
    if (code) return code;
    size_t most = in->limit < g.mask ? in->limit : g.mask;
    uint64_t *contents = fer_arena_alloc(a, (most + 1) * sizeof *contents);
    fer_fused *list = fer_arena_alloc(a, (most + 1) * sizeof *list);
    if (!contents || !list) return fer_arena_failed(a, err);
    add_lexical(&g, in);
    add_votes(&g, in);
    add_near(&g, in);
    score_all(&g, weights_of(in));
    ordering o = order(&g, in);
    *out = (fer_fused_hits){list, keep(&o, list, contents), type_of(in)};
    return FER_OK;
}

uint64_t fer_fuse_content(fer_tokeniser *t, const fer_search_doc *doc)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < doc->count; i++) {
        fer_search_field field = doc->texts[i].field;
        fer_token_reader r;
        fer_token k;
        if (field != FER_FIELD_NAME && field != FER_FIELD_DESCRIPTION) continue;
        fer_token_reader_init(&r, t, doc->texts[i].text);
        for (uint64_t at = 1; fer_token_next(&r, &k);) {
            uint64_t h = UINT64_C(0xCBF29CE484222325) + field;
            if (k.use == FER_TOKEN_STOP) continue;
            for (size_t b = 0; b < k.text.len; b++)
                h = (h ^ (uint8_t)k.text.ptr[b]) * UINT64_C(0x100000001B3);
            sum += (h ^ h >> 31) * (2 * at++ + 1);
        }
    }
    return sum;
}
