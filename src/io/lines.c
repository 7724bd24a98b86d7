/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include "str.h"
#include "sys.h"

#define FIRST_CAP   ((size_t)1 << 10)
#define KEPT_CAP    ((size_t)64 << 10) /* a larger place is given back once its line is told */
#define MARK        "\xEF\xBB\xBF"
#define MARK_LENGTH 3

void fer_line_split_init(fer_line_split *l, size_t max)
{
    *l = (fer_line_split){.max = max ? max : FER_LINE_MAX};
}

void fer_line_split_deinit(fer_line_split *l)
{
    fer_sys_free(l->held);
    l->held = NULL;
    l->len = l->cap = 0;
}

static void forget(fer_line_split *l)
{
    l->len = 0;
    if (l->cap > KEPT_CAP) fer_line_split_deinit(l);
}

/* The ends of a line grow by a piece of it. */
static void note_ends(fer_line_split *l, fer_str piece)
{
    fer_str first = fer_str_head(piece, FER_LINE_ENDS - l->head_len);
    if (first.len) memcpy(l->head + l->head_len, first.ptr, first.len);
    l->head_len += first.len;
    size_t taken = piece.len < FER_LINE_ENDS ? piece.len : FER_LINE_ENDS;
    size_t kept = FER_LINE_ENDS - taken;
    if (kept > l->tail_len) kept = l->tail_len;
    memmove(l->tail, l->tail + l->tail_len - kept, kept);
    if (taken) memcpy(l->tail + kept, piece.ptr + piece.len - taken, taken);
    l->tail_len = kept + taken;
}

/* What has come of a line so far is let go. */
static void pass_over(fer_line_split *l, fer_str piece)
{
    l->too_long++;
    l->head_len = l->tail_len = 0;
    note_ends(l, (fer_str){l->held, l->len});
    note_ends(l, piece);
    forget(l);
}

static bool tell_passed(const fer_line_split *l, void *context)
{
    return !l->passed ||
           l->passed(context, (fer_str){l->head, l->head_len}, (fer_str){l->tail, l->tail_len});
}

/* Room for `size` bytes in all, which is at most `max`. */
static bool make_room(fer_line_split *l, size_t size)
{
    size_t cap = l->cap ? l->cap : FIRST_CAP;
    if (size <= l->cap) return true;
    while (cap < size) cap *= 2;
    if (cap > l->max) cap = l->max;
    char *grown = fer_sys_malloc(cap);
    if (!grown) return false;
    if (l->len) memcpy(grown, l->held, l->len);
    fer_sys_free(l->held);
    l->held = grown;
    l->cap = cap;
    return true;
}

/* Keeps a piece whose line goes on. */
static fer_code hold(fer_line_split *l, fer_str piece)
{
    if (l->skipping) note_ends(l, piece);
    if (l->skipping || !piece.len) return FER_OK;
    bool fits = piece.len <= l->max - l->len;
    if (fits && make_room(l, l->len + piece.len)) {
        memcpy(l->held + l->len, piece.ptr, piece.len);
        l->len += piece.len;
        return FER_OK;
    }
    l->skipping = true;
    pass_over(l, piece);
    return fits ? FER_OUT_OF_MEMORY : FER_OK;
}

static bool tell(fer_line_split *l, fer_str line, fer_line_taker *take, void *context)
{
    if (fer_str_ends(line, "\r")) line.len--;
    if (!l->begun && fer_str_starts(line, MARK)) line = fer_str_slice(line, MARK_LENGTH, line.len);
    l->begun = true;
    l->told++;
    return take(context, line);
}

/* The end of a line that began earlier. False: enough. */
static bool finish_held(fer_line_split *l, fer_str rest, fer_line_taker *take, void *context,
                        fer_code *code)
{
    fer_code held = hold(l, rest);
    if (held) *code = held;
    if (l->skipping) {
        l->skipping = false;
        l->begun = true;
        return tell_passed(l, context);
    }
    /* The taker may deinit these lines, so a large place is no longer theirs while it reads. */
    char *large = l->cap > KEPT_CAP ? l->held : NULL;
    fer_str line = {l->held, l->len};
    l->len = 0;
    if (large) {
        l->held = NULL;
        l->cap = 0;
    }
    bool more = tell(l, line, take, context);
    fer_sys_free(large);
    return more;
}

fer_code fer_line_split_feed(fer_line_split *l, fer_str bytes, fer_line_taker *take, void *context)
{
    fer_code code = FER_OK;
    size_t at = 0, end;
    while ((end = fer_str_find(bytes, at, '\n')) != SIZE_MAX) {
        fer_str piece = fer_str_slice(bytes, at, end);
        at = end + 1;
        if (l->len || l->skipping) {
            if (!finish_held(l, piece, take, context, &code)) return code;
        } else if (piece.len > l->max) {
            pass_over(l, piece);
            l->begun = true;
            if (!tell_passed(l, context)) return code;
        } else if (!tell(l, piece, take, context)) {
            return code;
        }
    }
    fer_code held = at < bytes.len ? hold(l, fer_str_slice(bytes, at, bytes.len)) : FER_OK;
    return held ? held : code;
}

void fer_line_split_end(fer_line_split *l, fer_line_taker *take, void *context)
{
    fer_code ignored;
    if (l->len) finish_held(l, FER_STR_NONE, take, context, &ignored);
    else l->skipping = false;
}
