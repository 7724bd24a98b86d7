/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that is being written. A buffer names its maximum when it is made and
 * remembers its first failure, so that ten appends need one check at the end.
 * It grows in an arena, or fills storage of the caller's. One thread at a time.
 */
#ifndef FER_BUF_H
#define FER_BUF_H

#include "arena.h"
#include "str.h"

typedef struct fer_buf {
    fer_arena *arena; /* NULL: the storage is fixed */
    char *ptr;
    size_t len;
    size_t cap;
    size_t max;
    fer_code failure;  /* FER_OK until an append failed */
    bool arena_failed; /* it was the arena that gave no more */
} fer_buf;

void fer_buf_init(fer_buf *b, fer_arena *a, size_t max);
void fer_buf_init_fixed(fer_buf *b, char *storage, size_t size);
/* fer_buf_add where there is no room yet. */
void fer_buf_add_grown(fer_buf *b, fer_str s);

static inline void fer_buf_add(fer_buf *b, fer_str s)
{
    if (b->failure || s.len > b->cap - b->len) {
        fer_buf_add_grown(b, s);
    } else if (s.len) {
        memcpy(b->ptr + b->len, s.ptr, s.len);
        b->len += s.len;
    }
}
static inline void fer_buf_add_char(fer_buf *b, char c)
{
    if (b->failure || b->len == b->cap) fer_buf_add_grown(b, (fer_str){&c, 1});
    else b->ptr[b->len++] = c;
}
void fer_buf_add_text(fer_buf *b, const char *text);
void fer_buf_add_repeat(fer_buf *b, char c, size_t times);
/* At most FER_BUF_PRINTF - 1 bytes at once; more is a failure. */
#define FER_BUF_PRINTF 4096
void fer_buf_printf(fer_buf *b, const char *format, ...) FER_PRINTF(2, 3);
/* The first byte at or behind `at` that a JSON string has an escape for, or the end. */
size_t fer_escape_at(fer_str s, size_t at);
/* As the inside of a JSON string, or as a whole one with its quotes; bytes past ASCII stay as they
 * are. */
void fer_buf_add_escaped(fer_buf *b, fer_str s);
void fer_buf_add_quoted(fer_buf *b, fer_str s);
/* Room for `size` more bytes at the end, or NULL; what is written there is kept by adding to len.
 */
char *fer_buf_reserve(fer_buf *b, size_t size);

static inline fer_str fer_buf_view(const fer_buf *b)
{
    return (fer_str){b->ptr, b->len};
}
/* FER_OK, or the first failure, with `err` filled. */
fer_code fer_buf_code(const fer_buf *b, fer_err *err);

#endif
