/* SPDX-License-Identifier: Apache-2.0 */
/* A line of progress on standard error, where that is a terminal and the work takes a while. */
#ifndef FER_PROGRESS_H
#define FER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

typedef struct fer_progress {
    const char *what; /* that is counted, such as "tools" */
    bool wanted;
    bool shown; /* a line stands on the terminal */
    int64_t next;
    size_t every; /* the clock is looked at once for so many */
} fer_progress;

void fer_progress_init(fer_progress *p, const char *what);
/* Shows the count, and how much of `size` bytes is done (0: not known); now and then only. */
void fer_progress_show(fer_progress *p, size_t count, size_t done, size_t size);
/* Before anything else is written to the terminal. */
void fer_progress_clear(fer_progress *p);

/* News of a call, {"progress", "total"?, "message"?}, as a line that the next one takes the place
 * of. False: nothing was written, as there is no terminal or no news. */
bool fer_progress_news(fer_str json);

#endif
