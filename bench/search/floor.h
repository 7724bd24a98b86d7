/* SPDX-License-Identifier: Apache-2.0 */
/* The least a search by words could do, for bench_search. */
#ifndef FER_BENCH_SEARCH_FLOOR_H
#define FER_BENCH_SEARCH_FLOOR_H

#include "search_doc.h"

/*
 * Weighted BM25 and nothing else, one term after the other: a byte of impact for each posting, two
 * bytes of sum for each tool, the ten best by one look over all sums. The words of a query are
 * found beforehand and not counted; nothing is left out, no pairs of words, needs, stand-ins,
 * mistakes, names or explanations. Notes what each query took in microseconds. Postings for each
 * query, mean.
 */
double floor_run(const fer_search_doc *docs, size_t count, const fer_str *queries,
                 size_t query_count, size_t turns, double *us);

#endif
