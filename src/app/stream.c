/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "json_skim.h"
#include "reader.h"
#include "sys.h"

#define CHUNK ((size_t)1 << 16)

static fer_code io_failed(const fer_stream *s, const char *what, fer_err *err)
{
    const char *name = strcmp(s->path, "-") == 0 ? "standard input" : s->path;
    return fer_fail(err, FER_IO_ERROR, "cannot %s %s: %s", what, name, strerror(errno));
}

fer_code fer_stream_open(fer_stream *s, const char *path, size_t max, fer_err *err)
{
    struct stat st;
    *s = (fer_stream){.fd = STDIN_FILENO, .path = path, .max = max};
    if (strcmp(path, "-") != 0) {
        do {
            s->fd = fer_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
        } while (s->fd < 0 && errno == EINTR);
        if (s->fd < 0) return io_failed(s, "open", err);
    }
    bool regular = fer_sys_fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    if (regular) s->size = (size_t)st.st_size;
    s->arena = fer_arena_new(0);
    if (s->arena) return FER_OK;
    fer_stream_close(s);
    return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

void fer_stream_close(fer_stream *s)
{
    if (s->fd > STDIN_FILENO) fer_sys_close(s->fd);
    fer_arena_free(s->arena);
    s->fd = -1;
    s->arena = NULL;
}

/* Room for a chunk more: what was given out makes room first. */
static fer_code make_room(fer_stream *s, fer_err *err)
{
    if (s->from) {
        memmove(s->bytes, s->bytes + s->from, s->to - s->from);
        s->to -= s->from;
        s->from = 0;
    }
    if (s->cap - s->to > CHUNK) return FER_OK;
    size_t cap = s->cap ? s->cap * 2 : CHUNK * 2;
    char *bytes =
        s->cap ? fer_arena_grow(s->arena, s->bytes, s->cap, cap) : fer_arena_alloc(s->arena, cap);
    if (!bytes) return fer_arena_failed(s->arena, err);
    s->bytes = bytes;
    s->cap = cap;
    return FER_OK;
}

/* Reads some more; `ended` is set where there is none. One byte stays free for a NUL. */
static fer_code read_more(fer_stream *s, fer_err *err)
{
    if (s->to - s->from > s->max)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "json.size: the limit is %zu bytes", s->max);
    fer_code code = make_room(s, err);
    if (code) return code;
    ssize_t n;
    do {
        n = fer_sys_read(s->fd, s->bytes + s->to, s->cap - s->to - 1);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return io_failed(s, "read", err);
    s->ended = n == 0;
    s->to += (size_t)n;
    return FER_OK;
}

/* Reads until a newline is there, from `*at` on; `*at` is then its place, or the end. */
static fer_code find_end(fer_stream *s, size_t *at, fer_err *err)
{
    for (;;) {
        const char *end = s->to > s->from + *at
                              ? memchr(s->bytes + s->from + *at, '\n', s->to - s->from - *at)
                              : NULL;
        if (end) *at = (size_t)(end - s->bytes) - s->from;
        else *at = s->to - s->from;
        if (end || s->ended) return FER_OK;
        fer_code code = read_more(s, err);
        if (code) return code;
    }
}

fer_code fer_stream_line(fer_stream *s, fer_str *out, fer_err *err)
{
    size_t len = 0;
    fer_code code = find_end(s, &len, err);
    if (code) return code;
    if (s->from == s->to) {
        *out = FER_STR_NONE;
        return FER_OK;
    }
    *out = (fer_str){s->bytes + s->from, len};
    bool newline = s->from + len < s->to;
    s->from += len + newline;
    s->offset += len + newline;
    s->line++;
    return FER_OK;
}

fer_code fer_stream_rest(fer_stream *s, fer_str *out, fer_err *err)
{
    while (!s->ended) {
        fer_code code = read_more(s, err);
        if (code) return code;
    }
    s->bytes[s->to] = '\0';
    *out = (fer_str){s->bytes + s->from, s->to - s->from};
    s->offset += s->to - s->from;
    s->from = s->to;
    return FER_OK;
}

/* Whether the first line that is not blank is one whole value in brackets, and more follows. */
static fer_code looks_like_lines(fer_stream *s, bool *out, fer_err *err)
{
    size_t end = 0, at = 0;
    *out = false;
    do {
        fer_code code = find_end(s, &end, err);
        if (code) return code;
        fer_str text = {s->bytes + s->from, end};
        if (at == 0 && fer_str_starts(text, "\xEF\xBB\xBF")) at = 3;
        at = fer_skim_space(text, at);
        if (at < end) break;
        end++;
    } while (s->from + end < s->to || !s->ended);
    if (at >= end || s->from + end >= s->to) return FER_OK;
    fer_str line = {s->bytes + s->from, end};
    if (line.ptr[at] != '{' && line.ptr[at] != '[') return FER_OK;
    size_t behind = fer_skim_value(line, at);
    if (behind == SIZE_MAX || fer_skim_space(line, behind) < end) return FER_OK;
    size_t next = end + 1;
    fer_code code = find_end(s, &next, err);
    if (code) return code;
    fer_str more = {s->bytes + s->from, s->to - s->from};
    *out = fer_skim_space(more, end) < more.len;
    return FER_OK;
}

fer_code fer_stream_format(fer_stream *s, fer_format asked, fer_format *out, fer_err *err)
{
    bool lines;
    *out = asked == FER_FORMAT_AUTO ? fer_format_of_name(fer_str_of(s->path)) : asked;
    if (*out != FER_FORMAT_AUTO) return FER_OK;
    fer_code code = looks_like_lines(s, &lines, err);
    if (!code && lines) *out = FER_FORMAT_JSON_LINES;
    return code;
}
