/* SPDX-License-Identifier: Apache-2.0 */
#include "ranking.h"

#include "arena.h"
#include "errors.h"

#define KNOWN 512 /* IDs that are kept at hand while hits are put in order */

/* The least cosine of what fits, where words are not asked, and where they were and do not fit
 * (docs/search.md has the figures). */
#define FITTING       0.35
#define FITTING_STILL 0.55
/* The least likeness of an earlier query where words do not fit. */
#define FITTING_USE 0.5

struct fer_known_id {
    uint32_t number;
    bool set;
    fer_str id;
};

/* ---- which ranker ---------------------------------------------------------------------------- */

static bool is_vectors_ready(const fer_ranking *r, size_t have)
{
    return have && r->lacking <= fer_view_count(r->view) / 10;
}

/* Without vectors and uses there are words, and that is what it is called. */
static fer_ranker ranker_of(const fer_ranking *r, size_t have)
{
    fer_rank wanted = r->options ? r->options->rank : FER_RANK_DEFAULT;
    if (wanted == FER_RANK_BM25) return FER_RANKER_BM25;
    if (wanted == FER_RANK_EMBEDDING && have) return FER_RANKER_EMBEDDING;
    if (wanted == FER_RANK_HYBRID && have) return FER_RANKER_HYBRID;
    if (r->loan.usage || (wanted == FER_RANK_DEFAULT && is_vectors_ready(r, have)))
        return FER_RANKER_HYBRID;
    return FER_RANKER_BM25;
}

fer_code fer_ranking_begin(fer_ranking *r, fer_use_memory *uses, fer_err *err)
{
    const fer_search_options *o = r->options;
    fer_vector_store *store = r->view->finder->store;
    size_t tools = fer_view_count(r->view), have = store ? fer_vector_store_count(store) : 0;
    r->known = fer_arena_alloc_zero(r->arena, KNOWN, sizeof *r->known);
    if (!r->known) return fer_arena_failed(r->arena, err);
    r->kit = fer_kit_take(r->view->finder);
    if (!r->kit) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (o && o->tenant.len && uses) {
        fer_code code = fer_use_memory_borrow(uses, r->view, o->tenant, r->kit, &r->loan, err);
        if (code) return code;
    }
    r->lacking = tools > have ? tools - have : 0;
    r->ranker = ranker_of(r, have);
    if (r->ranker == FER_RANKER_BM25) return FER_OK;
    r->state = r->loan.state;
    if (!store) return FER_OK;
    r->vectors = fer_vector_store_read(store);
    r->state += fer_vector_store_state(store) << 32;
    return FER_OK;
}

void fer_ranking_end(fer_ranking *r)
{
    if (r->vectors) fer_vector_store_done(r->view->finder->store);
    fer_use_memory_release(&r->loan);
    if (r->kit) fer_kit_give_back(r->view->finder, r->kit);
}

/* ---- what the rankers ask ---------------------------------------------------------------------
 */

static bool accept(void *context, uint32_t number)
{
    const fer_ranking *r = context;
    const fer_body *b;
    fer_entry *e = fer_view_numbered(r->view, number);
    return e && !fer_entry_body(e, &b, NULL) &&
           fer_filter_takes(r->options ? r->options->filter : NULL, b);
}

/* The second time around, when it is known which hits are shown. */
static bool accept_only(void *context, uint32_t number)
{
    const fer_ranking *r = context;
    for (size_t i = 0; i < r->only_count; i++) {
        if (r->only[i].number == number) return true;
    }
    return false;
}

/* Hits with the same score are compared again and again: an ID is looked up once. */
static fer_str id_of(const fer_ranking *r, uint32_t number)
{
    struct fer_known_id *k = &r->known[number % KNOWN];
    if (!k->set || k->number != number)
        *k = (struct fer_known_id){number, true, fer_view_number_id(r->view, number)};
    return k->id;
}

static bool comes_before(void *context, uint32_t one, uint32_t other)
{
    const fer_ranking *r = context;
    fer_str x = id_of(r, one), y = id_of(r, other);
    int order = fer_str_cmp(x, y);
    return order ? order < 0 : one < other;
}

static bool is_filtered(const fer_ranking *r)
{
    const fer_filter *f = r->options ? r->options->filter : NULL;
    if (r->view->own) return true;
    return f &&
           (f->namespaces.count || f->tags.count || f->categories.count || f->effects || f->takes);
}

static fer_lexical_query query_of(fer_ranking *r, size_t limit)
{
    return (fer_lexical_query){.text = r->query,
                               .limit = limit,
                               .accept = is_filtered(r) ? accept : NULL,
                               .before = comes_before,
                               .context = r};
}

/* ---- asking ------------------------------------------------------------------------------------
 */

static fer_ranked_tool *room_for(fer_ranking *r, size_t count, fer_err *err)
{
    r->list = fer_arena_alloc_zero(r->arena, count + 1, sizeof *r->list); /* one may be added */
    r->count = count;
    if (!r->list) fer_arena_failed(r->arena, err);
    return r->list;
}

static fer_code ask_words(fer_ranking *r, size_t limit, fer_err *err)
{
    const fer_lexical_query q = query_of(r, limit);
    fer_lexical_hits hits;
    fer_code code =
        fer_lexical_search(r->arena, r->view->finder->lexical, r->kit->searcher, &q, &hits, err);
    if (code) return code;
    fer_ranked_tool *list = room_for(r, hits.count, err);
    if (!list) return FER_OUT_OF_MEMORY;
    double best = hits.count && hits.list[0].score > 0 ? hits.list[0].score : 1;
    for (size_t i = 0; i < hits.count; i++) {
        const fer_lexical_hit *h = &hits.list[i];
        double share = h->score / best;
        list[i] = (fer_ranked_tool){.number = h->number,
                                    .score = h->score,
                                    .words = share < 1 ? share : 1,
                                    .named = h->named};
    }
    r->type = fer_score_type_name(FER_SCORE_BM25);
    r->fits = hits.count && hits.fits;
    return FER_OK;
}

/* Whether the nearest is near at all. */
static fer_code judge_nearest(fer_ranking *r, fer_err *err)
{
    int8_t vector[FER_EMBED_DIMS];
    if (!r->count || !r->vectors) return FER_OK;
    fer_code code = fer_embed_query(r->kit->embedder, r->query, vector, err);
    const fer_near_query q = {.vectors = vector, .asked = 1};
    double unit = (double)FER_EMBED_UNIT * FER_EMBED_UNIT;
    if (!code)
        r->fits = fer_vectors_product(r->vectors, &q, r->list[0].number) >=
                  unit * (r->ranker == FER_RANKER_EMBEDDING ? FITTING : FITTING_STILL);
    return code;
}

static fer_code ask_all(fer_ranking *r, size_t limit, fer_err *err)
{
    const fer_hybrid parts = {.lexical = r->view->finder->lexical,
                              .vectors = r->vectors,
                              .searcher = r->kit->searcher,
                              .embedder = r->kit->embedder,
                              .tokeniser = r->kit->tokeniser,
                              .usage = r->loan.usage};
    const fer_hybrid_query q = {.base = query_of(r, limit), .ranker = r->ranker};
    fer_hybrid_hits hits;
    bool used = false;
    fer_code code = fer_hybrid_search(r->arena, &parts, &q, &hits, err);
    if (code) return code;
    fer_ranked_tool *list = room_for(r, hits.fused.count, err);
    if (!list) return FER_OUT_OF_MEMORY;
    for (size_t i = 0; i < hits.fused.count; i++) {
        const fer_fused *f = &hits.fused.list[i];
        list[i] = (fer_ranked_tool){.number = f->number,
                                    .score = f->score,
                                    .words = f->lexical,
                                    .meaning = f->near,
                                    .uses = f->voted,
                                    .named = f->named};
        used = used || f->voted > 0;
    }
    r->type = fer_score_type_name(used ? FER_SCORE_HYBRID : hits.fused.type);
    r->fits = r->count && (hits.lexical.fits || list[0].uses >= FITTING_USE);
    return r->fits ? FER_OK : judge_nearest(r, err);
}

/* ---- what is made of it -------------------------------------------------------------------------
 */

/* A query that is an ID means that tool; of a bare name the words know. */
static void name_first(fer_ranking *r, size_t limit)
{
    fer_entry *e = NULL;
    size_t at = 0;
    fer_str id = r->query;
    while (id.len && id.ptr[0] == ' ') id = fer_str_slice(id, 1, id.len);
    while (id.len && id.ptr[id.len - 1] == ' ') id.len--;
    if (!id.len || !memchr(id.ptr, ':', id.len)) return;
    if (fer_view_find(r->view, id, FER_STR(""), &e, NULL) || e->number == FER_NO_NUMBER) return;
    if (is_filtered(r) && !accept(r, e->number)) return;
    while (at < r->count && r->list[at].number != e->number) at++;
    fer_ranked_tool named = at < r->count ? r->list[at] : (fer_ranked_tool){.number = e->number};
    if (at == r->count && r->count < limit) r->count++;
    else if (at == r->count) at--;
    named.named = true;
    if (r->count > 1 && at && r->list[0].score > named.score) named.score = r->list[0].score;
    if (named.score <= 0) named.score = 1;
    for (; at; at--) r->list[at] = r->list[at - 1];
    r->list[0] = named;
    r->fits = true;
}

/* Where it stands for the first time among those before it. */
static uint32_t first_twin(const fer_ranked_tool *list, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (list[i].twin == i && list[i].entry && list[i].entry->twin == list[at].entry->twin)
            return i;
    }
    return at;
}

static fer_code collapse(fer_ranking *r, fer_err *err)
{
    bool all = r->options && r->options->twins;
    size_t kept = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        fer_ranked_tool *t = &r->list[i];
        t->entry = fer_view_numbered(r->view, t->number);
        t->twin = t->entry && !all ? first_twin(r->list, i) : i;
    }
    r->all = r->list;
    r->all_count = r->count;
    fer_ranked_tool *list = fer_arena_alloc_zero(r->arena, r->count + 1, sizeof *list);
    if (!list) return fer_arena_failed(r->arena, err);
    for (uint32_t i = 0; i < r->count; i++)
        if (r->all[i].entry && r->all[i].twin == i) list[kept++] = r->all[i];
    r->list = list;
    r->count = kept;
    return FER_OK;
}

fer_code fer_ranking_run(fer_ranking *r, size_t limit, fer_err *err)
{
    fer_code code =
        r->ranker == FER_RANKER_BM25 ? ask_words(r, limit, err) : ask_all(r, limit, err);
    if (code) return code;
    name_first(r, limit);
    return collapse(r, err);
}

fer_code fer_ranking_explain(fer_ranking *r, const fer_ranked_tool *shown, size_t count,
                             fer_lexical_hits *out, fer_err *err)
{
    fer_lexical_query q = query_of(r, count);
    *out = (fer_lexical_hits){0};
    if (!count || r->ranker == FER_RANKER_EMBEDDING) return FER_OK;
    r->only = shown;
    r->only_count = count;
    q.accept = accept_only;
    q.explain = true;
    return fer_lexical_search(r->arena, r->view->finder->lexical, r->kit->searcher, &q, out, err);
}
