/* SPDX-License-Identifier: Apache-2.0 */
/* Searching a view: hits of the index as tools, page by page, with why they were found. */
#include "arena.h"
#include "buf.h"
#include "errors.h"
#include "own_id.h"
#include "page.h"
#include "ranking.h"

_Static_assert(FER_QUERY_MAX == FER_LEXICAL_QUERY_MAX, "a query is read as a whole");

/* ---- hits --------------------------------------------------------------------------------------
 */

static fer_code give_reasons(fer_arena *a, const fer_lexical_hit *hit, fer_match *out, fer_err *err)
{
    fer_why *list = fer_arena_alloc_zero(a, hit->why_count + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < hit->why_count; i++) {
        const fer_lexical_why *w = &hit->why[i];
        fer_buf fields;
        fer_buf_init(&fields, a, 256);
        for (unsigned f = 0; f < FER_FIELD_COUNT; f++) {
            if (!(w->fields & 1u << f)) continue;
            if (fields.len) fer_buf_add_text(&fields, ",");
            fer_buf_add_text(&fields, fer_search_field_name((fer_search_field)f));
        }
        if (fields.failure) return fer_buf_code(&fields, err);
        list[i] = (fer_why){w->word, w->matched, fields.ptr ? fer_buf_view(&fields) : FER_STR(""),
                            w->share};
    }
    out->why = list;
    out->why_count = hit->why_count;
    return FER_OK;
}

/* The others with the same definition. */
static fer_code tell_twins(const fer_ranking *r, uint32_t first, fer_match *out, fer_err *err)
{
    fer_str *list = NULL;
    size_t told = 0;
    for (uint32_t i = first + 1; i < r->all_count; i++) {
        if (r->all[i].twin != first || !r->all[i].entry) continue;
        if (!list) list = fer_arena_alloc_zero(r->arena, FER_TWINS_MAX, sizeof *list);
        if (!list) return fer_arena_failed(r->arena, err);
        if (told < FER_TWINS_MAX) {
            const fer_body *b;
            fer_code code = fer_entry_body(r->all[i].entry, &b, err);
            if (!code) code = fer_body_shown_id(r->arena, b, &list[told], err);
            if (code) return code;
            list[told] = fer_arena_copy(r->arena, list[told]);
            if (!list[told++].ptr) return fer_arena_failed(r->arena, err);
        }
        out->also_count++;
    }
    out->also_in = (fer_texts){list, told};
    return FER_OK;
}

static fer_code take_hit(const fer_ranking *r, const fer_ranked_tool *t, fer_match *out,
                         fer_err *err)
{
    const fer_body *b;
    fer_code code = fer_entry_body(t->entry, &b, err);
    if (code) return code;
    *out = (fer_match){.hit = {.score = t->score, .score_type = r->type},
                       .named = t->named,
                       .effect = (fer_effect)b->effect,
                       .words = t->words,
                       .meaning = t->meaning,
                       .uses = t->uses};
    code = fer_body_summary(r->arena, b, &out->hit.summary, err);
    return code ? code : tell_twins(r, t->twin, out, err);
}

/* ---- pages -------------------------------------------------------------------------------------
 */

static fer_code take_page(const fer_ranking *r, const fer_pager *p, fer_found *out, fer_err *err)
{
    size_t left = r->count > p->offset ? r->count - p->offset : 0;
    size_t count = left < p->size ? left : p->size;
    fer_match *list = fer_arena_alloc_zero(r->arena, count + 1, sizeof *list);
    if (!list) return fer_arena_failed(r->arena, err);
    for (size_t i = 0; i < count; i++) {
        fer_code code = take_hit(r, &r->list[p->offset + i], &list[i], err);
        if (code) return code;
    }
    out->matches = list;
    out->count = count;
    if (left == count) return FER_OK;
    return fer_pager_token(p, r->arena, p->offset + count, &out->next, err);
}

/* Asks again, for the hits of a page alone, why they are hits: to say so of all would cost more. */
static fer_code explain(fer_ranking *r, const fer_pager *p, fer_found *found, fer_err *err)
{
    fer_lexical_hits again;
    const fer_ranked_tool *shown = r->list + (found->count ? p->offset : 0);
    fer_code code = fer_ranking_explain(r, shown, found->count, &again, err);
    for (size_t i = 0; !code && i < again.count; i++) {
        size_t k = 0;
        while (k < found->count && shown[k].number != again.list[i].number) k++;
        if (k < found->count)
            code = give_reasons(r->arena, &again.list[i], &found->matches[k], err);
    }
    return code;
}

/*
 * How many hits are looked for: the more, the dearer, and it has a part in their order, so it is
 * the same for all pages of a request. Small pages are for those who look at the first ones.
 */
static size_t depth_of(const fer_page *page)
{
    size_t size = page && page->size ? page->size : FER_PAGE_SIZE;
    return size <= 10 ? FER_HITS_MAX / 4 : size <= 25 ? FER_HITS_MAX / 2 : FER_HITS_MAX;
}

/* ---- the search
 * ---------------------------------------------------------------------------------- */

/* A token is for one ranker, one tenant, and pages of about this size. */
static fer_code open_page(fer_ranking *r, const fer_page *page, fer_pager *out, fer_err *err)
{
    const fer_search_options *o = r->options;
    fer_str tenant = o ? o->tenant : FER_STR("");
    fer_request request = {.what = "search",
                           .query = r->query,
                           .filter = o ? o->filter : NULL,
                           .more = fer_arena_printf(r->arena, "%s %zu %d %.*s",
                                                    fer_ranker_names[r->ranker], depth_of(page),
                                                    o && o->twins, FER_PRI(tenant)),
                           .state = r->state};
    if (!request.more.ptr) return fer_arena_failed(r->arena, err);
    return fer_pager_init(out, r->arena, r->view, &request, page, err);
}

static fer_code search(fer_ranking *r, fer_use_memory *uses, const fer_page *page, fer_found *out,
                       fer_err *err)
{
    fer_pager p = {0};
    fer_code code = fer_ranking_begin(r, uses, err);
    if (!code) code = open_page(r, page, &p, err);
    if (!code) code = fer_ranking_run(r, depth_of(page), err);
    if (!code) code = take_page(r, &p, out, err);
    if (!code && r->options && r->options->explain) code = explain(r, &p, out, err);
    fer_ranking_end(r);
    out->fits = r->fits;
    out->ranker = fer_ranker_names[r->ranker];
    out->lacking = r->lacking;
    return code;
}

fer_code fer_view_search_with(fer_arena *a, const fer_view *v, fer_use_memory *uses, fer_str query,
                              const fer_search_options *options, const fer_page *page,
                              fer_found *out, fer_err *err)
{
    fer_found found = {.version = v->version, .next = FER_STR("")};
    fer_ranking r = {.arena = a, .view = v, .query = query, .options = options};
    if (!v->finder || !v->search)
        return fer_fail(err, FER_BAD_USAGE, "this catalogue was made without a search index");
    if (query.len > FER_QUERY_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "search.query: a query has at most %d bytes",
                        FER_QUERY_MAX);
    if (options && options->tenant.len > FER_TENANT_NAME)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "uses.tenant: the name of a tenant has at most %d bytes", FER_TENANT_NAME);
    fer_code code = search(&r, uses, page, &found, err);
    if (!code) *out = found;
    return code;
}

fer_code fer_view_search(fer_arena *a, const fer_view *v, fer_str query,
                         const fer_search_options *options, const fer_page *page, fer_found *out,
                         fer_err *err)
{
    return fer_view_search_with(a, v, NULL, query, options, page, out, err);
}
