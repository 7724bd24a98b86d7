/* SPDX-License-Identifier: Apache-2.0 */
#include "buf.h"

#include <stdarg.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "checked.h"
#include "errors.h"
#include "print.h"

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

void fer_buf_add_grown(fer_buf *b, fer_str s)
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

void fer_buf_add_repeat(fer_buf *b, char c, size_t times)
{
    char *to = times ? fer_buf_reserve(b, times) : NULL;
    if (!to) return;
    memset(to, c, times);
    b->len += times;
}

/* The same where there was no room for it and its NUL. */
FER_PRINTF(3, 0) static void print_grown(fer_buf *b, size_t len, const char *format, va_list args)
{
    char text[FER_BUF_PRINTF];
    fer_vprint(text, len + 1, format, args);
    fer_buf_add(b, (fer_str){text, len});
}

void fer_buf_printf(fer_buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = b->failure ? 0 : b->cap - b->len;
    int len = fer_vprint(room ? b->ptr + b->len : NULL, room, format, args);
    if (len < 0 || len >= FER_BUF_PRINTF) {
        if (!b->failure) b->failure = FER_LIMIT_EXCEEDED;
    } else if ((size_t)len < room) {
        b->len += (size_t)len;
    } else if (!b->failure) {
        print_grown(b, (size_t)len, format, again);
    }
    va_end(again);
    va_end(args);
}

/* Whether any of eight bytes needs an escape. */
static inline bool needs_escape(const char *eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t word;
    memcpy(&word, eight, sizeof word);
    /* The top bit of each byte that is 0 (below 0x20); wrong above such a byte only. */
    uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    uint64_t found =
        ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash);
    return (found & tops) != 0;
}

#ifdef __SSE2__
/* A bit for each of sixteen bytes that needs an escape. */
static inline unsigned escapes_in(const char *sixteen)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)sixteen);
    const __m128i fine = _mm_cmpeq_epi8(_mm_max_epu8(x, _mm_set1_epi8(0x20)), x);
    const __m128i marks =
        _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(_mm_andnot_si128(marks, fine)) ^ 0xFFFF;
}

/* Of a text of sixteen bytes or more behind `at`. */
static size_t wide_escape_at(fer_str s, size_t at)
{
    for (; s.len - at >= 16; at += 16) {
        unsigned found = escapes_in(s.ptr + at);
        if (found) return at + (unsigned)__builtin_ctz(found);
    }
    /* What is left of it, with bytes that were looked at before. */
    unsigned found = escapes_in(s.ptr + s.len - 16);
    return found ? s.len - 16 + (unsigned)__builtin_ctz(found) : s.len;
}
#endif

size_t fer_escape_at(fer_str s, size_t at)
{
#ifdef __SSE2__
    if (s.len - at >= 16) return wide_escape_at(s, at);
#endif
    size_t from = at;
    while (s.len - at >= 8 && !needs_escape(s.ptr + at)) at += 8;
    /* What is left of it, with bytes that were looked at before. */
    if (s.len - at < 8 && s.len - from >= 8 && !needs_escape(s.ptr + s.len - 8)) return s.len;
    if (s.len - from < 8 && s.len - from >= 4) {
        char eight[8];
        memcpy(eight, s.ptr + from, 4);
        memcpy(eight + 4, s.ptr + s.len - 4, 4);
        if (!needs_escape(eight)) return s.len;
    }
    for (; at < s.len; at++) {
        unsigned char c = (unsigned char)s.ptr[at];
        if (c < 0x20 || c == '"' || c == '\\') break;
    }
    return at;
}

void fer_buf_add_escaped(fer_buf *b, fer_str s)
{
    static const char hex[] = "0123456789abcdef";
    static const char shorts[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    size_t plain = 0; /* start of the run that needs no escape */
    for (size_t i = fer_escape_at(s, 0); i < s.len; i = fer_escape_at(s, plain)) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (i > plain) fer_buf_add(b, fer_str_slice(s, plain, i));
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
