/* SPDX-License-Identifier: Apache-2.0 */
#include "hybrid.h"

#include "errors.h"

enum {
    ASKED = FER_HYBRID_CLAUSES + 1,
    CLAUSE_WORDS = 2,
    WHOLE = 10,  /* tenths that a word counts, by whose root it goes into a vector ... */
    UNKNOWN = 2, /* ... and one that no document has: half as long */
};

const char *const fer_ranker_names[] = {[FER_RANKER_BM25] = "bm25",
                                        [FER_RANKER_EMBEDDING] = "embedding",
                                        [FER_RANKER_HYBRID] = "hybrid",
                                        [FER_RANKER_COUNT] = NULL};

/* ---- clauses ----------------------------------------------------------------------------- */

/* Words have zeros behind them, so that eight bytes are all of these. */
static bool joins(const fer_wording_word *t)
{
    static const char words[][8] = {"and", "then", "also"};
    bool is = false;
    for (size_t i = 0; i < FER_COUNT(words); i++) {
        uint64_t one, other;
        memcpy(&one, t->word.ptr, sizeof one);
        memcpy(&other, words[i], sizeof other);
        is |= one == other;
    }
    return is;
}

struct cut {
    fer_hybrid_words *words;
    fer_str request;
    size_t from, end, first; /* of the clause at hand: bytes, and its first stem */
};

static void close_clause(struct cut *c, size_t end)
{
    fer_hybrid_words *w = c->words;
    w->clauses[w->clause_count].text = fer_str_slice(c->request, c->from, end);
    w->clauses[w->clause_count].from = c->first;
    w->clauses[w->clause_count++].to = w->count;
    c->first = w->count;
}

/* Too little to stand alone stays with what follows it. */
void fer_hybrid_read(fer_hybrid_words *w, const fer_wording *request)
{
    w->count = w->clause_count = 0;
    struct cut c = {w, request->text, 0, 0, 0};
    for (size_t i = 0; i < request->count; i++) {
        const fer_wording_word *word = &request->words[i];
        bool border = word->border != FER_BORDER_NONE || joins(word);
        if (border && w->count - c.first >= CLAUSE_WORDS &&
            w->clause_count + 1 < FER_HYBRID_CLAUSES) {
            close_clause(&c, c.end);
            c.from = word->start;
        }
        if (word->use == FER_TOKEN_CONTENT && w->count == FER_HYBRID_WORDS) break;
        if (word->use == FER_TOKEN_CONTENT) {
            w->tenths[w->count] = WHOLE;
            w->words[w->count] = (uint16_t)i;
            w->stems[w->count++] = word->text;
        }
        c.end = word->end;
    }
    if (w->clause_count && w->count > c.first) close_clause(&c, request->text.len);
    if (w->clause_count == 1) w->clause_count = 0;
}

/* They are mostly names and places, or say what no tool here is about. */
void fer_hybrid_weigh(fer_hybrid_words *w, const fer_searcher *s, const fer_lexical *ix)
{
    for (size_t i = 0; i < w->count; i++)
        w->tenths[i] = fer_searcher_has(s, ix, w->words[i]) ? WHOLE : UNKNOWN;
}

/* ---- searching ----------------------------------------------------------------------------- */

typedef struct search {
    const fer_hybrid *parts;
    const fer_hybrid_query *query;
    size_t depth;               /* hits of each ranking that are looked at */
    bool more;                  /* one of them was that long */
    const fer_wording *request; /* NULL: it is not taken apart yet */
    fer_near_query near;
    int8_t *vectors; /* room for ASKED; NULL: not made yet */
} search;

static bool is_zero(const int8_t *v, size_t dims)
{
    for (size_t i = 0; i < dims; i++)
        if (v[i]) return false;
    return true;
}

/* The vectors that are not zero, one behind the other. */
static void keep_vectors(search *s, size_t count, size_t dims)
{
    for (size_t i = 0; i < count; i++) {
        const int8_t *from = s->vectors + i * dims;
        if (is_zero(from, dims)) continue;
        memmove(s->vectors + s->near.asked++ * dims, from, dims);
    }
}

/* Of the whole request and of its clauses, from the words that it was taken apart into. */
static void embed_here(fer_embedder *e, const fer_hybrid_words *w, int8_t *out)
{
    struct fer_embed_part parts[ASKED] = {{0, w->count}};
    for (size_t i = 0; i < w->clause_count; i++)
        parts[i + 1] = (struct fer_embed_part){w->clauses[i].from, w->clauses[i].to};
    const fer_embed_stems query = {w->stems, w->tenths, w->count, parts, 1 + w->clause_count};
    e->embed_stems(e, &query, out);
}

/* All asked for at once: an embedder may be far away. */
static fer_code embed_afar(fer_embedder *e, const fer_hybrid_words *w, fer_str text, int8_t *out,
                           fer_err *err)
{
    fer_search_text texts[ASKED];
    fer_search_doc docs[ASKED];
    for (size_t i = 0; i <= w->clause_count; i++) {
        texts[i] = (fer_search_text){FER_FIELD_DESCRIPTION, i ? w->clauses[i - 1].text : text};
        docs[i] = (fer_search_doc){&texts[i], 1};
    }
    return e->embed(e, docs, 1 + w->clause_count, FER_EMBED_QUERY, out, err);
}

static fer_code make_vectors(fer_arena *a, search *s, fer_err *err)
{
    fer_embedder *e = s->parts->embedder;
    fer_hybrid_words w;
    fer_code code = FER_OK;
    if (!s->request) s->request = fer_searcher_read(s->parts->searcher, s->query->base.text);
    fer_hybrid_read(&w, s->request);
    fer_hybrid_weigh(&w, s->parts->searcher, s->parts->lexical);
    s->vectors = fer_arena_alloc(a, (1 + w.clause_count) * e->dims);
    if (!s->vectors) return fer_arena_failed(a, err);
    if (e->embed_stems) embed_here(e, &w, s->vectors);
    else code = embed_afar(e, &w, s->request->text, s->vectors, err);
    if (!code) keep_vectors(s, 1 + w.clause_count, e->dims);
    return code;
}

/* Words alone need no more than is wanted: nothing is added up. */
static size_t first_depth(const fer_hybrid_query *q)
{
    size_t depth = q->base.limit;
    if (q->ranker != FER_RANKER_BM25 && depth < FER_FUSE_DEPTH) depth = FER_FUSE_DEPTH;
    return depth < FER_VECTORS_HITS_MAX ? depth : FER_VECTORS_HITS_MAX;
}

static fer_code search_words(fer_arena *a, search *s, fer_lexical_hits *out, fer_err *err)
{
    fer_lexical_query q = s->query->base;
    q.limit = s->depth;
    s->request = fer_searcher_wording(s->parts->searcher);
    return fer_lexical_search(a, s->parts->lexical, s->parts->searcher, &q, out, err);
}

static fer_code search_vectors(fer_arena *a, search *s, fer_near_hits *out, fer_err *err)
{
    if (!s->parts->vectors || !s->parts->embedder) return FER_OK;
    fer_code code = s->vectors ? FER_OK : make_vectors(a, s, err);
    if (code) return code;
    s->near.vectors = s->vectors;
    s->near.limit = s->depth;
    s->near.accept = s->query->base.accept;
    s->near.context = s->query->base.context;
    return fer_vectors_search(a, s->parts->vectors, &s->near, out, err);
}

/* Fusion asks its questions here; those of the caller go on to the caller. */
static int32_t product(void *context, uint32_t number)
{
    const search *s = context;
    return s->near.asked ? fer_vectors_product(s->parts->vectors, &s->near, number) : 0;
}

static bool accept(void *context, uint32_t number)
{
    const fer_lexical_query *q = &((const search *)context)->query->base;
    return !q->accept || q->accept(q->context, number);
}

static bool before(void *context, uint32_t one, uint32_t other)
{
    const fer_lexical_query *q = &((const search *)context)->query->base;
    return q->before ? q->before(q->context, one, other) : one < other;
}

static uint64_t content(void *context, uint32_t number)
{
    const fer_hybrid_query *q = ((const search *)context)->query;
    return q->content(q->base.context, number);
}

static void ask_memory(search *s, fer_votes *out)
{
    const fer_hybrid *h = s->parts;
    const fer_usage_query q = {s->query->base.text, s->near.asked ? s->vectors : NULL};
    fer_usage_votes(h->usage, h->tokeniser, &q, out);
}

static fer_code run_once(fer_arena *a, search *s, fer_hybrid_hits *out, fer_err *err)
{
    const fer_hybrid_query *query = s->query;
    fer_hybrid_hits hits = {0};
    fer_votes votes;
    fer_fuse_input in = {.limit = query->base.limit,
                         .product = product,
                         .accept = accept,
                         .before = before,
                         .content = query->content ? content : NULL,
                         .context = s};
    fer_code code = FER_OK;
    if (query->ranker != FER_RANKER_EMBEDDING) code = search_words(a, s, &hits.lexical, err);
    if (!code && query->ranker != FER_RANKER_BM25) code = search_vectors(a, s, &in.near, err);
    if (code) return code;
    if (s->parts->usage && query->ranker == FER_RANKER_HYBRID) {
        ask_memory(s, &votes);
        in.votes = &votes;
    }
    in.lexical = hits.lexical.list;
    in.lexical_count = hits.lexical.count;
    code = fer_fuse(a, &in, &hits.fused, err);
    if (code) return code;
    s->more = hits.lexical.count == s->depth || in.near.count == s->depth;
    *out = hits;
    return FER_OK;
}

/* Where twins leave fewer than are wanted, further down there may be others. */
static fer_code run(fer_arena *a, search *s, fer_hybrid_hits *out, fer_err *err)
{
    s->depth = first_depth(s->query);
    fer_code code = run_once(a, s, out, err);
    while (!code && s->query->content && out->fused.count < s->query->base.limit && s->more &&
           s->depth < FER_VECTORS_HITS_MAX) {
        s->depth = s->depth * 4 < FER_VECTORS_HITS_MAX ? s->depth * 4 : FER_VECTORS_HITS_MAX;
        code = run_once(a, s, out, err);
    }
    return code;
}

fer_code fer_hybrid_search(fer_arena *a, const fer_hybrid *h, const fer_hybrid_query *query,
                           fer_hybrid_hits *out, fer_err *err)
{
    search s = {.parts = h, .query = query};
    return run(a, &s, out, err);
}

fer_code fer_hybrid_note(fer_arena *a, const fer_hybrid *h, fer_str query, uint32_t number,
                         fer_err *err)
{
    fer_usage_found found[FER_USAGE_FOUND];
    fer_hybrid others = *h;
    const fer_hybrid_query again = {.base = {.text = query, .limit = FER_USAGE_FOUND},
                                    .ranker = FER_RANKER_HYBRID};
    search s = {.parts = &others, .query = &again};
    fer_hybrid_hits hits;
    others.usage = NULL;
    fer_code code = run(a, &s, &hits, err);
    if (code) return code;
    for (size_t i = 0; i < hits.fused.count; i++) {
        const fer_fused *f = &hits.fused.list[i];
        found[i] = (fer_usage_found){f->number, f->lexical + FER_FUSE_NEAR * f->near};
    }
    const fer_usage_query q = {query, s.near.asked ? s.vectors : NULL};
    fer_usage_note(h->usage, h->tokeniser, &q, found, hits.fused.count, number);
    return FER_OK;
}

fer_code fer_hybrid_remember(const fer_hybrid *h, fer_str query, uint32_t number, fer_err *err)
{
    int8_t vector[FER_EMBED_DIMS];
    fer_usage_query q = {query, h->embedder ? vector : NULL};
    fer_code code = h->embedder ? fer_embed_query(h->embedder, query, vector, err) : FER_OK;
    if (!code) fer_usage_note(h->usage, h->tokeniser, &q, NULL, 0, number);
    return code;
}
