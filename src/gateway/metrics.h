/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers about calls, as Prometheus reads them. Labels are the tool, where the call came from and
 * how it ended; tools past FER_METRIC_TOOLS are counted together, so that nobody can make them grow
 * without end. Made and read on the gateway's thread.
 */
#ifndef FER_METRICS_H
#define FER_METRICS_H

#include <ferrule/gateway.h>

#include "map.h"

#define FER_METRIC_TOOLS   1000 /* tools with rows of their own */
#define FER_METRIC_BUCKETS 14   /* of a histogram, the last without end included */

typedef struct fer_histogram {
    uint64_t counts[FER_METRIC_BUCKETS]; /* of each bucket alone */
    double sum;                          /* seconds */
} fer_histogram;

/* All that is known of one tool from one origin. */
typedef struct fer_metric_row {
    struct fer_metric_row *next;
    fer_str tool;
    const char *origin;
    fer_histogram total, execution;
    uint64_t by_code[64]; /* by the row of the code in the error table */
    uint64_t late[64];    /* answers that came after the end, in the same way */
} fer_metric_row;

typedef struct fer_metrics {
    fer_arena *arena;
    fer_map rows; /* by tool and origin */
    fer_metric_row *first, *last;
    size_t tools;
} fer_metrics;

void fer_metrics_init(fer_metrics *m, fer_arena *a);
/* Counts one call. `tool` is empty where none was found. Without memory nothing is counted. */
void fer_metrics_count(fer_metrics *m, fer_str tool, const char *origin, fer_code code,
                       int64_t total_us, int64_t execution_us);
/* Counts an answer that came late. */
void fer_metrics_count_late(fer_metrics *m, fer_str tool, const char *origin, fer_code code);

#endif
