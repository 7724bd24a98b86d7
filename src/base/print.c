/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

size_t fer_print_u64(char out[FER_DIGITS], uint64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[FER_DIGITS];
    size_t first = FER_DIGITS;
    for (; value > 9; value /= 100) memcpy(&digits[first -= 2], &pairs[value % 100 * 2], 2);
    if (value || first == FER_DIGITS) digits[--first] = (char)('0' + value);
    memcpy(out, digits + first, FER_DIGITS - first);
    return FER_DIGITS - first;
}

/* Text that is being written: what is beyond the room is counted only. */
struct sink {
    char *out;
    size_t room; /* without the NUL */
    size_t len;
};

#define SHORT 8 /* bytes up to which a call costs more than a loop */

static inline void put(struct sink *s, const char *text, size_t len)
{
    size_t free = s->len < s->room ? s->room - s->len : 0;
    size_t fits = len < free ? len : free;
    size_t at = s->len;
    s->len += len;
    if (fits >= SHORT) {
        memcpy(s->out + at, text, fits);
        return;
    }
    for (size_t i = 0; i < fits; i++) s->out[at + i] = text[i];
}

static void put_number(struct sink *s, uint64_t value, bool negative)
{
    char text[FER_DIGITS + 1];
    text[0] = '-';
    size_t len = fer_print_u64(text + 1, value);
    put(s, negative ? text : text + 1, negative ? len + 1 : len);
}

/* How wide an argument is: none, l or z, ll. All are 64 bits but the first. */
enum width {
    PLAIN,
    LONG,
    LONG_LONG,
    SIZE
};

static enum width width_of(const char **format)
{
    const char *f = *format;
    enum width w = *f == 'z' ? SIZE : *f != 'l' ? PLAIN : f[1] == 'l' ? LONG_LONG : LONG;
    *format = f + (w == PLAIN ? 0 : w == LONG_LONG ? 2 : 1);
    return w;
}

/* A precision in digits. False: it is none that a text here would have. */
static bool precision_of(const char **format, int *out)
{
    const char *f = *format;
    int value = 0;
    for (; fer_is_digit(*f); f++) {
        value = value * 10 + (*f - '0');
        if (value > 100000) return false;
    }
    *out = value;
    *format = f;
    return true;
}

/*
 * The bounds of a piece of text: up to its NUL, or the precision. NULL (which the C library
 * prints in words) is false.
 */
static bool put_text(struct sink *s, const char *text, int precision)
{
    if (!text) return false;
    if (precision < 0) {
        put(s, text, strlen(text));
        return true;
    }
    const char *end = precision ? memchr(text, '\0', (size_t)precision) : text;
    put(s, text, end ? (size_t)(end - text) : (size_t)precision);
    return true;
}

/* A list of arguments, so that it can be handed on by address on every machine. */
struct arguments {
    va_list list;
};

static void put_signed(struct sink *s, enum width width, struct arguments *a)
{
    long long v = width == PLAIN       ? va_arg(a->list, int)
                  : width == LONG      ? va_arg(a->list, long)
                  : width == LONG_LONG ? va_arg(a->list, long long)
                                       : (long long)va_arg(a->list, ssize_t);
    put_number(s, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0);
}

static void put_unsigned(struct sink *s, enum width width, struct arguments *a)
{
    unsigned long long v = width == PLAIN       ? va_arg(a->list, unsigned)
                           : width == LONG      ? va_arg(a->list, unsigned long)
                           : width == LONG_LONG ? va_arg(a->list, unsigned long long)
                                                : va_arg(a->list, size_t);
    put_number(s, v, false);
}

/* One conversion, behind its '%'. The format behind it, or NULL: it is not one of ours. */
static inline const char *convert(struct sink *s, const char *f, struct arguments *a)
{
    int precision = -1;
    if (*f == '.' && f[1] == '*') {
        precision = va_arg(a->list, int);
        f += 2;
        return *f == 's' && put_text(s, va_arg(a->list, const char *), precision) ? f + 1 : NULL;
    }
    if (*f == 's') return put_text(s, va_arg(a->list, const char *), -1) ? f + 1 : NULL;
    if (*f == '.') {
        f++;
        if (!precision_of(&f, &precision) || *f != 's') return NULL;
        return put_text(s, va_arg(a->list, const char *), precision) ? f + 1 : NULL;
    }
    enum width width = width_of(&f);
    switch (*f) {
    case 'd':
    case 'i': put_signed(s, width, a); return f + 1;
    case 'u': put_unsigned(s, width, a); return f + 1;
    case 'c':
    case '%': {
        if (width != PLAIN) return NULL;
        char c = *f == '%' ? '%' : (char)va_arg(a->list, int);
        put(s, &c, 1);
        return f + 1;
    }
    default: return NULL;
    }
}

int fer_vprint(char *out, size_t size, const char *format, va_list args)
{
    struct sink s = {.out = out, .room = size ? size - 1 : 0};
    struct arguments a;
    va_copy(a.list, args);
    for (const char *f = format; f;) {
        const char *literal = f;
        f = strchrnul(f, '%');
        put(&s, literal, (size_t)(f - literal));
        if (*f) {
            f = convert(&s, f + 1, &a);
            continue;
        }
        va_end(a.list);
        if (s.len > INT_MAX) return -1;
        if (size) out[s.len < s.room ? s.len : s.room] = '\0';
        return (int)s.len;
    }
    va_end(a.list);
    return vsnprintf(out, size, format, args);
}

int fer_print(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = fer_vprint(out, size, format, args);
    va_end(args);
    return len;
}
