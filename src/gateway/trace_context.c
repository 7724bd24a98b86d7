/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_context.h"

enum {
    LENGTH = 55 /* "00-" 32 "-" 16 "-" 2 */
};

static int digit(char c)
{
    return fer_is_digit(c)        ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1; /* lower case only */
}

/* False: no hex, or all of it is 0. */
static bool read_hex(const char *from, unsigned char *out, size_t count, bool zero_is_fine)
{
    unsigned any = 0;
    for (size_t i = 0; i < count; i++) {
        int high = digit(from[2 * i]), low = digit(from[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (unsigned char)(high << 4 | low);
        any |= out[i];
    }
    return any || zero_is_fine;
}

bool fer_trace_parse(fer_str s, fer_trace *out)
{
    unsigned char version;
    fer_trace t = {0};
    if (s.len < LENGTH || !read_hex(s.ptr, &version, 1, true) || version == 0xFF) return false;
    if (s.len > LENGTH && (version == 0 || s.ptr[LENGTH] != '-')) return false;
    if (s.ptr[2] != '-' || s.ptr[35] != '-' || s.ptr[52] != '-') return false;
    if (!read_hex(s.ptr + 3, t.trace, 16, false) || !read_hex(s.ptr + 36, t.parent, 8, false) ||
        !read_hex(s.ptr + 53, &t.flags, 1, true))
        return false;
    *out = t;
    return true;
}

void fer_trace_hex(const unsigned char *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

void fer_trace_write(const fer_trace *t, char out[FER_TRACEPARENT])
{
    static const unsigned char version;
    fer_trace_hex(&version, 1, out);
    out[2] = '-';
    fer_trace_hex(t->trace, 16, out + 3);
    out[35] = '-';
    fer_trace_hex(t->span, 8, out + 36);
    out[52] = '-';
    fer_trace_hex(&t->flags, 1, out + 53);
}
