/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a value in at most so many bytes, cut where its structure allows: lists and texts are
 * shown up to some item or character, objects keep all their members as long as these can be shown
 * at all, small ones whole and large ones cut in turn. What was left out is told by place, so that
 * it can be asked for: JSON Pointer, how much is shown, of how much. What is shown whole has the
 * bytes that it came in. Pure.
 */
#ifndef FER_CUT_H
#define FER_CUT_H

#include <ferrule/json.h>

#include "buf.h"
#include "json_value.h"

#define FER_CUTS_MAX 20 /* places that are told */

typedef struct fer_cut {
    fer_str at;   /* JSON Pointer */
    size_t from;  /* the first item, member or character that is shown */
    size_t shown; /* how many */
    size_t of;    /* how many there are */
} fer_cut;

typedef struct fer_cuts {
    fer_cut list[FER_CUTS_MAX];
    size_t count;
    size_t more; /* places that are not told */
} fer_cuts;

/*
 * Writes `v`, which stands at `at` in its document; of a list, text or object from item, character
 * or member `from` on. About `size` bytes: what is needed to name what was left out comes on top.
 */
fer_code fer_cut_write(fer_arena *a, const fer_json *doc, const yyjson_val *v, fer_str at,
                       size_t from, size_t size, fer_buf *b, fer_cuts *cuts, fer_err *err);

#endif
