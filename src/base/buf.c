/* SPDX-License-Identifier: Apache-2.0 */
#include "buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checked.h"
#include "errors.h"

#define FIRST_CAP ((size_t)64)

void fer_buf_init(fer_buf *b, fer_arena *a, size_t max)
{
    *b = (fer_buf){.arena = a, .max = max};
}

void fer_buf_init_fixed(fer_buf *b, char *storage, size_t size)
{
    *b = (fer_buf){.ptr = storage, .cap = size, .max = size};
}

static bool make_room(fer_buf *b, size_t need)
{
    if (need > b->max || !b->arena) {
        b->failure = FER_LIMIT_EXCEEDED;
        return false;
    }
    size_t cap = b->cap ? b->cap : FIRST_CAP;
    while (cap < need && cap <= b->max / 2) cap *= 2;
    if (cap < need || cap > b->max) cap = b->max;
    char *p = fer_arena_grow(b->arena, b->ptr, b->cap, cap);
    if (!p) {
        b->failure = fer_arena_code(b->arena);
        b->arena_failed = true;
        return false;
    }
    b->ptr = p;
    b->cap = cap;
    return true;
}

char *fer_buf_reserve(fer_buf *b, size_t size)
{
    size_t need;
    if (b->failure) return NULL;
    if (!fer_add_size(b->len, size, &need)) {
        b->failure = FER_LIMIT_EXCEEDED;
        return NULL;
    }
    if (need > b->cap && !make_room(b, need)) return NULL;
    return b->ptr ? b->ptr + b->len : NULL;
}

void fer_buf_add(fer_buf *b, fer_str s)
{
    char *to = s.len ? fer_buf_reserve(b, s.len) : NULL;
    if (!to) return;
    memcpy(to, s.ptr, s.len);
    b->len += s.len;
}

void fer_buf_add_text(fer_buf *b, const char *text)
{
    fer_buf_add(b, fer_str_of(text));
}

void fer_buf_add_char(fer_buf *b, char c)
{
    fer_buf_add(b, (fer_str){&c, 1});
}

void fer_buf_add_repeat(fer_buf *b, char c, size_t times)
{
    char *to = times ? fer_buf_reserve(b, times) : NULL;
    if (!to) return;
    memset(to, c, times);
    b->len += times;
}

void fer_buf_printf(fer_buf *b, const char *format, ...)
{
    char text[FER_BUF_PRINTF];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= sizeof text) {
        if (!b->failure) b->failure = FER_LIMIT_EXCEEDED;
        return;
    }
    fer_buf_add(b, (fer_str){text, (size_t)len});
}

void fer_buf_add_escaped(fer_buf *b, fer_str s)
{
    static const char hex[] = "0123456789abcdef";
    static const char shorts[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    size_t plain = 0; /* start of the run that needs no escape */
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        fer_buf_add(b, fer_str_slice(s, plain, i));
        plain = i + 1;
        fer_buf_add_char(b, '\\');
        if (c >= 0x20) {
            fer_buf_add_char(b, (char)c);
        } else if (shorts[c]) {
            fer_buf_add_char(b, shorts[c]);
        } else {
            fer_buf_add(b, FER_STR("u00"));
            fer_buf_add_char(b, hex[c >> 4]);
            fer_buf_add_char(b, hex[c & 15]);
        }
    }
    if (s.len) fer_buf_add(b, fer_str_slice(s, plain, s.len));
}

void fer_buf_add_quoted(fer_buf *b, fer_str s)
{
    fer_buf_add_char(b, '"');
    fer_buf_add_escaped(b, s);
    fer_buf_add_char(b, '"');
}

fer_code fer_buf_code(const fer_buf *b, fer_err *err)
{
    if (!b->failure) return FER_OK;
    if (b->arena_failed) return fer_arena_failed(b->arena, err);
    return fer_fail(err, b->failure, "the text would be longer than %zu bytes", b->max);
}
