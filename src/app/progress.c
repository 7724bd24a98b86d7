/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"

#define EVERY_NS   200000000 /* a fifth of a second */
#define EVERY_MANY 256       /* the clock is looked at once for so many */

void fer_progress_init(fer_progress *p, const char *what)
{
    *p = (fer_progress){.what = what, .wanted = isatty(STDERR_FILENO)};
    p->next = fer_clock_mono() + EVERY_NS;
}

void fer_progress_show(fer_progress *p, size_t count, size_t done, size_t size)
{
    if (!p->wanted || count % EVERY_MANY) return;
    int64_t now = fer_clock_mono();
    if (now < p->next) return;
    p->next = now + EVERY_NS;
    p->shown = true;
    fprintf(stderr, "\r\033[K%zu %s", count, p->what);
    if (size) fprintf(stderr, ", %.0f %%", 100.0 * (double)done / (double)size);
}

void fer_progress_clear(fer_progress *p)
{
    if (p->shown) fprintf(stderr, "\r\033[K");
    p->shown = false;
}
