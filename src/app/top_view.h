/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `ferrule top` shows: pages of the admin API as lines of a given width and number. Draws and
 * nothing else: what was fetched and which keys were pressed is given.
 */
#ifndef FER_TOP_VIEW_H
#define FER_TOP_VIEW_H

#include "json_doc.h"
#include "out.h"

typedef enum fer_top_sort {
    FER_TOP_BY_NAME,
    FER_TOP_BY_CALLS, /* in the last minute */
    FER_TOP_BY_ERRORS,
    FER_TOP_BY_P99,
    FER_TOP_SORTS
} fer_top_sort;
extern const char *const fer_top_sort_names[FER_TOP_SORTS];

typedef struct fer_top_scene {
    const yyjson_val *state, *backends, *recent; /* roots of the pages; NULL: not known */
    const char *trouble;                         /* why not, or why no longer; or empty */
    fer_top_sort sort;
    size_t chosen; /* which of the rows, as they are sorted; SIZE_MAX: none */
    bool only;     /* the chosen one alone, with its calls */
    bool paused;
    bool live; /* lines take the place of others on a terminal; else they are printed */
    bool utf8;
    unsigned width, height; /* height 0: as many as there are */
} fer_top_scene;

/* How many backends there are, and the name of the chosen one. */
size_t fer_top_count(const fer_top_scene *s);
void fer_top_draw(fer_out *o, const fer_top_scene *s);

#endif
