/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's FTS5 over the same tools, for bench_search. */
#ifndef FER_BENCH_FTS5_H
#define FER_BENCH_FTS5_H

#include <time.h>

#include "search_doc.h"

/* What this thread has worked, in nanoseconds: what others do on the machine counts less so. */
static inline int64_t worked(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * Builds an index in memory (porter stems, a column for each field, names taken apart), asks
 * the queries, their words (`content`: without stop words and filler, as Ferrule leaves them out)
 * joined by OR, ten hits by bm25, and notes what each took in microseconds. Tools per second of the
 * building; 0 where there is no SQLite.
 */
double fts5_run(const fer_search_doc *docs, size_t count, const fer_str *queries,
                size_t query_count, bool content, size_t turns, double *us);

#endif
