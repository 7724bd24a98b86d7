/* SPDX-License-Identifier: Apache-2.0 */
#include "code_stdio.h"

#include "str.h"

void fer_stdio_init(fer_stdio_split *s)
{
    *s = (fer_stdio_split){.within = FER_STDIO_START};
    fer_line_split_init(&s->lines, 0);
}

void fer_stdio_deinit(fer_stdio_split *s)
{
    fer_line_split_deinit(&s->lines);
}

/* What of `bytes`, which begin in something printed, is printed: up to a line of the protocol. */
static size_t printed_length(fer_str bytes)
{
    size_t at = 0;
    do {
        at = fer_str_find(bytes, at, '\n');
        if (at == SIZE_MAX) return bytes.len;
        at++;
    } while (at < bytes.len && bytes.ptr[at] != '{');
    return at;
}

static size_t line_length(fer_str bytes)
{
    size_t end = fer_str_find(bytes, 0, '\n');
    return end == SIZE_MAX ? bytes.len : end + 1;
}

static bool tell_line(void *context, fer_str line)
{
    const fer_stdio_taker *take = context;
    take->line(take->context, line);
    return true;
}

static fer_code feed_line(fer_stdio_split *s, fer_str piece, const fer_stdio_taker *take)
{
    uint64_t passed_over = s->lines.too_long;
    fer_code code = fer_line_split_feed(&s->lines, piece, tell_line, (void *)(uintptr_t)take);
    if (!code && s->lines.too_long != passed_over) take->line(take->context, FER_STR(""));
    return code;
}

fer_code fer_stdio_feed(fer_stdio_split *s, fer_str bytes, const fer_stdio_taker *take)
{
    fer_code code = FER_OK;
    while (!code && bytes.len) {
        if (s->within == FER_STDIO_START)
            s->within = bytes.ptr[0] == '{' ? FER_STDIO_LINE : FER_STDIO_PRINT;
        bool line = s->within == FER_STDIO_LINE;
        fer_str piece = fer_str_head(bytes, line ? line_length(bytes) : printed_length(bytes));
        if (piece.ptr[piece.len - 1] == '\n') s->within = FER_STDIO_START;
        bytes = fer_str_slice(bytes, piece.len, bytes.len);
        if (line) code = feed_line(s, piece, take);
        else take->print(take->context, piece);
    }
    return code;
}

void fer_stdio_end(fer_stdio_split *s, const fer_stdio_taker *take)
{
    fer_line_split_end(&s->lines, tell_line, (void *)(uintptr_t)take);
}
