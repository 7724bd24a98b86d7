/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"

#define EVERY_NS   200000000 /* a fifth of a second */
#define BAR        24        /* characters of the bar */
#define EVERY_MANY 256       /* the clock is looked at once for so many */

void fer_progress_init(fer_progress *p, const char *what)
{
    *p = (fer_progress){.what = what, .wanted = isatty(STDERR_FILENO), .every = EVERY_MANY};
    p->next = fer_clock_mono() + EVERY_NS;
}

/* [#########...............]  38 % */
static void write_bar(size_t done, size_t size)
{
    char bar[BAR + 1];
    double share = done < size ? (double)done / (double)size : 1;
    for (size_t i = 0; i < BAR; i++) bar[i] = (double)i < share * BAR ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "[%s] %3.0f %%  ", bar, 100 * share);
}

void fer_progress_show(fer_progress *p, size_t count, size_t done, size_t size)
{
    if (!p->wanted || (count % p->every)) return;
    int64_t now = fer_clock_mono();
    if (now < p->next) return;
    p->next = now + EVERY_NS;
    p->shown = true;
    fprintf(stderr, "\r\033[K");
    if (size) write_bar(done, size);
    fprintf(stderr, "%zu %s", count, p->what);
}

void fer_progress_clear(fer_progress *p)
{
    if (p->shown) fprintf(stderr, "\r\033[K");
    p->shown = false;
}
