/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "json_doc.h"
#include "out.h"

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

/* {"progress", "total", "message"} as a line that the next one takes the place of. */
bool fer_progress_news(fer_str data)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    if (!isatty(STDERR_FILENO) || !a || fer_json_read(a, data, NULL, &doc, NULL)) {
        fer_arena_free(a);
        return false;
    }
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *at = fer_is_obj(root) ? fer_val_get(root, "progress") : NULL;
    const yyjson_val *total = fer_is_obj(root) ? fer_val_get(root, "total") : NULL;
    const yyjson_val *message = fer_is_obj(root) ? fer_val_get(root, "message") : NULL;
    fer_str one = FER_STR("?"), all = FER_STR("");
    if (at) fer_json_write(a, at, false, &one, NULL);
    if (total) fer_json_write(a, total, false, &all, NULL);
    fer_out line;
    fer_out_init(&line, STDERR_FILENO, false, true);
    fer_out_text(&line, "\r\033[K");
    fer_out_clean(&line, one);
    if (all.len) {
        fer_out_text(&line, " of ");
        fer_out_clean(&line, all);
    }
    fer_out_text(&line, "  ");
    if (fer_is_str(message)) fer_out_clean(&line, fer_str_head(fer_val_str(message), 60));
    fer_out_flush(&line);
    fer_arena_free(a);
    return true;
}
