/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formatting next to the C library's: each conversion that is done here and some that are
 * not, with room for everything, for nothing, and for each length between.
 */
#include "rows.h"

#include <limits.h>
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "print.h"

#define SIZE 512

/* Same length, same bytes, nothing behind them, whatever the room. */
static void compare(const char *format, ...) FER_PRINTF(1, 2);
static void compare(const char *format, ...)
{
    char theirs[SIZE], ours[SIZE];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int whole = vsnprintf(NULL, 0, format, again);
    va_end(again);
    assert_in_range(whole, 0, SIZE - 3);
    for (size_t room = 0; room <= (size_t)whole + 2; room++) {
        memset(theirs, '#', SIZE);
        memset(ours, '#', SIZE);
        va_copy(again, args);
        int wanted = vsnprintf(theirs, room, format, again);
        va_end(again);
        va_copy(again, args);
        int got = fer_vprint(ours, room, format, again);
        va_end(again);
        if (got != wanted || memcmp(theirs, ours, SIZE) != 0) {
            fail_msg("%s in %zu bytes: %d, not %d", format, room, got, wanted);
        }
    }
    va_end(args);
}

static void texts(void)
{
    static const char *const words[] = {
        "", "a", "ab", "a longer text of words", "f\xC3\xBC\xC3\xA4", "100%", "%s"};
    compare("%s", "");
    compare("plain");
    compare("%%");
    compare("%% and %%%%");
    for (size_t n = 0; n < FER_COUNT(words); n++) {
        const char *s = words[n];
        compare("%s", s);
        compare("`%s`", s);
        compare("%s%s", s, s);
        compare("%s, %s and %s.", s, "between", s);
        compare("%.0s|%.1s|%.3s|%.64s", s, s, s, s);
        compare("%.s", s);
        for (int precision = -2; precision < 30; precision++) {
            compare("%.*s", precision, s);
            compare("<%.*s> %s <%.*s>", precision, s, s, precision, s);
        }
        /* Not done here. */
        compare("%10s|%-10s|%*s|%-*s", s, s, 7, s, 7, s);
        compare("%s %5.2s", s, s);
    }
}

/* A text ends at its NUL, or at the precision where there is none. */
static void bounds_of_texts(void)
{
    static const char nul_inside[] = "ab\0cd";
    static const char unended[3] = {'x', 'y', 'z'};
    compare("%.*s|", 5, nul_inside);
    compare("%.*s|", 2, nul_inside);
    compare("%.*s|", 3, unended);
    compare("%.2s|%.3s|", unended, unended);
    compare("%.*s|", 0, unended);
    for (int c = 0; c < 256; c++) compare("[%c]", c);
}

static void numbers(void)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     9,
                                     10,
                                     11,
                                     99,
                                     100,
                                     255,
                                     256,
                                     999,
                                     1000,
                                     65535,
                                     99999,
                                     100000,
                                     INT_MAX,
                                     (uint64_t)INT_MAX + 1,
                                     UINT_MAX,
                                     (uint64_t)UINT_MAX + 1,
                                     LLONG_MAX,
                                     (uint64_t)LLONG_MAX + 1,
                                     UINT64_MAX - 1,
                                     UINT64_MAX};
    uint64_t power = 1;
    for (size_t n = 0; n < FER_COUNT(edges) + 20 * 3; n++) {
        uint64_t v = n < FER_COUNT(edges) ? edges[n] : power + (uint64_t)(n % 3) - 1;
        if (n >= FER_COUNT(edges) && n % 3 == 2) power *= 10;
        compare("%d %i %u", (int)v, (int)v, (unsigned)v);
        compare("%ld %li %lu", (long)v, (long)v, (unsigned long)v);
        compare("%lld %lli %llu", (long long)v, (long long)v, (unsigned long long)v);
        compare("%zu %zd %zi", (size_t)v, (ssize_t)v, (ssize_t)v);
        compare("%lld", -(long long)(v >> 1));
        /* Not done here. */
        compare("%x %X %04X %02x %o", (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v,
                (unsigned)v);
        compare("%5u|%-5d|%05d|%+d|% d|%.3d", (unsigned)v, (int)v, (int)v, (int)v, (int)v, (int)v);
        compare("%hhu %hd %ju %tu", (unsigned char)v, (short)v, (uintmax_t)v, (size_t)v);
        compare("%zx %llx", (size_t)v, (unsigned long long)v);
    }
    compare("%d", INT_MIN);
    compare("%ld", LONG_MIN);
    compare("%lld", LLONG_MIN);
}

/* What comes before a conversion that is not done here is not written twice, nor skipped. */
static void others(void)
{
    compare("%s %zu %.3f %s", "before", (size_t)7, 1.5, "behind");
    compare("%.1f%%", 99.94);
    compare("%s=%p", "nowhere", (void *)0);
    compare("%.12s %.100000s", "twelve and more letters", "many");
    compare("%g %e %a", 0.1, 1e300, 1.0);
    compare("%Lf", 1.5L);
    compare("%-24s|%6u|%03d", "left", 42u, 7);
}

static void null_text(void)
{
    char theirs[32], ours[32];
    const char *volatile none = NULL;
    int wanted = snprintf(theirs, sizeof theirs, "<%s>", none ? none : "(null)");
    assert_int_equal(fer_print(ours, sizeof ours, "<%s>", none), wanted);
    assert_string_equal(ours, theirs);
}

/* Far more than there is room for. */
static void much(void)
{
    enum {
        PIECE = 1 << 20
    };
    char out[8], *text = malloc(PIECE + 1);
    assert_non_null(text);
    memset(text, 'a', PIECE);
    text[PIECE] = '\0';
    assert_int_equal(fer_print(out, sizeof out, "%s%s", text, text), 2 * PIECE);
    assert_string_equal(out, "aaaaaaa");
    free(text);
}

/* Into a buffer: in the room that is there, past it, and up to the maximum. */
static void into_buffers(void)
{
    for (size_t before = 0; before < 140; before++) {
        fer_arena *a = fer_arena_new(0);
        assert_non_null(a);
        fer_buf b;
        fer_buf_init(&b, a, 150);
        fer_buf_add_repeat(&b, '.', before);
        fer_buf_printf(&b, "%s-%d", "number", 42);
        assert_int_equal(fer_buf_code(&b, NULL), FER_OK);
        assert_int_equal(b.len, before + 9);
        assert_memory_equal(b.ptr + before, "number-42", 9);
        fer_buf_printf(&b, "%s", "");
        assert_int_equal(b.len, before + 9);
        fer_buf_printf(&b, "%.*s", 200, "");
        assert_int_equal(fer_buf_code(&b, NULL), FER_OK);
        fer_buf_add_repeat(&b, '.', 150 - b.len);
        fer_buf_printf(&b, "%c", 'x');
        assert_int_equal(fer_buf_code(&b, NULL), FER_LIMIT_EXCEEDED);
        assert_int_equal(b.len, 150);
        fer_arena_free(a);
    }
}

static void into_arenas(void)
{
    char text[1100];
    memset(text, 'z', sizeof text);
    for (int len = 0; len < (int)sizeof text; len++) {
        fer_arena *a = fer_arena_new(0);
        assert_non_null(a);
        fer_str s = fer_arena_printf(a, "%.*s!", len, text);
        assert_int_equal(s.len, (size_t)len + 1);
        assert_memory_equal(s.ptr, text, (size_t)len);
        assert_int_equal(s.ptr[len], '!');
        assert_int_equal(s.ptr[len + 1], '\0');
        fer_arena_free(a);
    }
}

static void digits(void)
{
    char theirs[32], ours[FER_DIGITS];
    for (uint64_t v = 1, n = 0; n < 64; n++, v = v * 2 + n % 2) {
        int len = snprintf(theirs, sizeof theirs, "%llu", (unsigned long long)v);
        assert_int_equal(fer_print_u64(ours, v), len);
        assert_memory_equal(ours, theirs, (size_t)len);
    }
    assert_int_equal(fer_print_u64(ours, UINT64_MAX), FER_DIGITS);
}

/* Pieces of all lengths, with nothing written behind them. */
static void pieces(void)
{
    char from[80], to[100];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (char)('!' + i);
    for (size_t len = 0; len <= sizeof from; len++) {
        memset(to, 0, sizeof to);
        char *end = fer_put(to + 5, (fer_str){from, len});
        assert_ptr_equal(end, to + 5 + len);
        assert_memory_equal(to + 5, from, len);
        assert_int_equal(to[4] | *end, 0);
    }
    assert_ptr_equal(fer_put(to, FER_STR_NONE), to);
}

int main(void)
{
    return ROWS_ONE("print", texts) + ROWS_ONE("print", bounds_of_texts) +
           ROWS_ONE("print", numbers) + ROWS_ONE("print", others) + ROWS_ONE("print", null_text) +
           ROWS_ONE("print", much) + ROWS_ONE("print", into_buffers) +
           ROWS_ONE("print", into_arenas) + ROWS_ONE("print", digits) + ROWS_ONE("print", pieces);
}
