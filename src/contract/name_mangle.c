/* SPDX-License-Identifier: Apache-2.0 */
#include "name_mangle.h"

#include "buf.h"

fer_str fer_name_mangle(fer_arena *a, fer_str text, size_t max)
{
    fer_buf b;
    bool gap = false;
    fer_buf_init(&b, a, max + 1);
    for (size_t i = 0; i < text.len && b.len < max; i++) {
        if (!fer_name_has(text.ptr[i])) {
            gap = b.len > 0;
            continue;
        }
        if (gap && b.len + 1 < max) fer_buf_add_char(&b, '_');
        fer_buf_add_char(&b, text.ptr[i]);
        gap = false;
    }
    if (!b.len) fer_buf_add_char(&b, '_');
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

/* ---- so that there is a way back ---- */

static bool is_digit_of_16(char c)
{
    return fer_is_digit(c) || (c >= 'A' && c <= 'F');
}

static bool is_escape(fer_str text, size_t at)
{
    return text.len - at >= 4 && text.ptr[at] == '-' && text.ptr[at + 1] == '.' &&
           is_digit_of_16(text.ptr[at + 2]) && is_digit_of_16(text.ptr[at + 3]);
}

fer_str fer_name_escape(fer_arena *a, fer_str text)
{
    static const char digits[] = "0123456789ABCDEF";
    fer_buf b;
    fer_buf_init(&b, a, 4 * text.len + 1);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (fer_name_has(text.ptr[i]) && !is_escape(text, i)) {
            fer_buf_add_char(&b, text.ptr[i]);
            continue;
        }
        fer_buf_add_text(&b, "-.");
        fer_buf_add_char(&b, digits[c >> 4]);
        fer_buf_add_char(&b, digits[c & 15]);
    }
    if (b.failure) return FER_STR_NONE;
    return b.ptr ? fer_buf_view(&b) : FER_STR("");
}
