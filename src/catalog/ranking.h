/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking the rankers for the tools of a view: which of them is asked, what they find as one list,
 * the named tool first, and of those with the same definition one.
 *
 * The life of a ranking: begin (takes a kit, and the vectors to read), run, explain, end.
 */
#ifndef FER_RANKING_H
#define FER_RANKING_H

#include "finder_parts.h"
#include "use_memory.h"

/* One tool that was found. */
typedef struct fer_ranked_tool {
    uint32_t number;
    uint32_t twin; /* the place of the first with the same definition, its own where it is that */
    double score;
    double words, meaning, uses; /* shares of the best, 0 to 1 */
    bool named;
    fer_entry *entry; /* NULL: it is none of the view's */
} fer_ranked_tool;

struct fer_known_id;

typedef struct fer_ranking {
    fer_arena *arena;
    const fer_view *view;
    fer_str query;
    const fer_search_options *options;
    fer_kit *kit;
    const fer_vectors *vectors; /* held to be read; NULL: none are */
    fer_use_loan loan;
    fer_ranker ranker; /* that is asked */
    size_t lacking;    /* tools without a vector */
    uint64_t state;    /* of what changes without a change of the view */
    struct fer_known_id *known;
    const fer_ranked_tool *only; /* that are to be explained */
    size_t only_count;
    fer_ranked_tool *list; /* what was found, the best first; then without twins */
    size_t count;
    const fer_ranked_tool *all; /* with twins */
    size_t all_count;
    const char *type; /* of the scores */
    bool fits;
} fer_ranking;

/* `uses` may be NULL. What was begun is ended, also where it failed. */
fer_code fer_ranking_begin(fer_ranking *r, fer_use_memory *uses, fer_err *err);
fer_code fer_ranking_run(fer_ranking *r, size_t limit, fer_err *err);
/* Why these were found; gives the hits of words alone, in any order. */
fer_code fer_ranking_explain(fer_ranking *r, const fer_ranked_tool *shown, size_t count,
                             fer_lexical_hits *out, fer_err *err);
void fer_ranking_end(fer_ranking *r);

/* fer_view_search with the uses of a catalogue (search_view.c). */
fer_code fer_view_search_with(fer_arena *a, const fer_view *v, fer_use_memory *uses, fer_str query,
                              const fer_search_options *options, const fer_page *page,
                              fer_found *out, fer_err *err);

#endif
