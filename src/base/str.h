/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Borrowed text: pointer and length, never a hidden NUL. Everything here is pure
 * and may be called from any thread. Knows bytes and ASCII only; Unicode is in
 * the room `text`.
 */
#ifndef FER_STR_H
#define FER_STR_H

#include <assert.h>
#include <string.h>

#include <ferrule/common.h>

#define FER_STR(literal) ((fer_str){"" literal, sizeof(literal) - 1})
#define FER_STR_NONE     ((fer_str){NULL, 0})

/* For printf: "%.*s", FER_PRI(s). What makes `s` is evaluated twice: keep it cheap. */
#define FER_PRI(s) fer_pri_len(s), fer_pri_ptr(s)
static inline int fer_pri_len(fer_str s)
{
    return (int)(s.len > 1u << 30 ? 1u << 30 : s.len);
}
static inline const char *fer_pri_ptr(fer_str s)
{
    return s.ptr ? s.ptr : "";
}

#define FER_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline fer_str fer_str_slice(fer_str s, size_t from, size_t to)
{
    return (fer_str){from ? s.ptr + from : s.ptr, to - from};
}

bool fer_str_eq(fer_str a, fer_str b);
/* Whether `a` is the NUL-terminated `b`. Of a literal the length is known here. */
static inline bool fer_str_is(fer_str a, const char *b)
{
    fer_str other = fer_str_of(b);
    return a.len == other.len && (other.len == 0 || memcmp(a.ptr, other.ptr, other.len) == 0);
}
/* Ordered as memcmp, a prefix first. */
int fer_str_cmp(fer_str a, fer_str b);
bool fer_str_starts(fer_str s, const char *prefix);
bool fer_str_ends(fer_str s, const char *suffix);
/* Equality that ignores the case of ASCII letters. */
bool fer_str_eq_nocase(fer_str a, fer_str b);
/*
 * Whether all of it is printable ASCII and nothing in it is a quote, a backslash or '<': most texts
 * are, and of those each byte is a character that stands for itself wherever it is written.
 */
bool fer_str_is_plain(fer_str s);
/* The next byte at or behind `at` that is not so, or the end. */
size_t fer_str_next_odd(fer_str s, size_t at);
/* The index of the first `c` at or after `from`, or SIZE_MAX. */
size_t fer_str_find(fer_str s, size_t from, char c);

/* Bytes of the UTF-8 sequence at `at`, 1 to 4; 0 where there is none that is whole and valid. */
size_t fer_utf8_len(fer_str s, size_t at);

/* The first `max` bytes or a little less, so that no UTF-8 sequence is cut. */
fer_str fer_str_head(fer_str s, size_t max);

static inline bool fer_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool fer_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline char fer_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The one parser for whole numbers in text: decimal digits only, no sign, no blanks. */
bool fer_parse_u64(fer_str s, uint64_t *out);

/* What a noun ends with behind a number: "1 tool", "2 tools". */
static inline const char *fer_s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
