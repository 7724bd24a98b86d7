/* SPDX-License-Identifier: Apache-2.0 */
#include "anchor.h"

#include <stdlib.h>

#include "errors.h"
#include "file.h"

static int by_seq(const void *a, const void *b)
{
    const fer_checkpoint *x = a, *y = b;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static bool read_line(fer_str text, fer_checkpoint *out)
{
    fer_line l;
    if (fer_checkpoint_read(text, out)) return true;
    return fer_line_read(text, &l) && l.type == FER_LEDGER_CHECKPOINT &&
           fer_checkpoint_read(l.body, out);
}

fer_code fer_anchor_read(fer_arena *a, const char *path, fer_anchor_list *out, fer_err *err)
{
    fer_str text;
    fer_anchor_list list = {0};
    size_t cap = 0, number = 1;
    fer_code code = fer_file_read(a, path, FER_ANCHOR_FILE, &text, err);
    if (code) return code;
    for (size_t from = 0, end; from < text.len; from = end + 1, number++) {
        end = fer_str_find(text, from, '\n');
        if (end == SIZE_MAX) end = text.len;
        if (end == from) continue;
        fer_checkpoint *room = fer_arena_room(a, list.list, list.count, &cap, sizeof *room);
        if (!room) return fer_arena_failed(a, err);
        list.list = room;
        if (!read_line(fer_str_slice(text, from, end), &room[list.count++]))
            return fer_fail(err, FER_INVALID_FORMAT, "line %zu of %s is no checkpoint", number,
                            path);
    }
    if (list.count > 1) qsort(list.list, list.count, sizeof *list.list, by_seq);
    *out = list;
    return FER_OK;
}
