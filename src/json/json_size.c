/* SPDX-License-Identifier: Apache-2.0 */
/* How long a value is when it is written, without writing it. */
#include "json_number.h"
#include "json_value.h"
#include "json_write.h"

/* A string without its quotes; what is not plain is written with escapes, or in several bytes. */
static fer_json_size string_size(fer_str s)
{
    fer_json_size size = {s.len, s.len};
    for (size_t i = fer_str_next_odd(s, 0); i < s.len; i = fer_str_next_odd(s, i + 1)) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool is_short = c == '"' || c == '\\' || (c >= '\b' && c <= '\r' && c != '\v');
        size_t more = is_short ? 1 : c < 0x20 ? 5 : 0; /* \n, \u001f */
        size.bytes += more;
        size.characters += more;
        size.characters -= (c & 0xC0) == 0x80;
    }
    return size;
}

static size_t scalar_len(const yyjson_val *v)
{
    char text[FER_NUMBER_TEXT];
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NULL: return sizeof "null" - 1;
    case YYJSON_TYPE_BOOL: return fer_is_true(v) ? sizeof "true" - 1 : sizeof "false" - 1;
    default: return fer_number_text(v, text);
    }
}

/* Values stand behind each other, so the tree need not be climbed. */
fer_json_size fer_json_size_of(const yyjson_val *value)
{
    fer_json_size sum = {0, 0};
    size_t plain = 0; /* bytes that are characters */
    for (const yyjson_val *v = value, *end = fer_val_next(value); v < end; v++) {
        size_t len = fer_val_len(v);
        plain += 2; /* quotes or brackets */
        if (fer_is_str(v) && fer_str_is_plain(fer_val_str(v))) {
            plain += len;
        } else if (fer_is_str(v)) {
            fer_json_size size = string_size(fer_val_str(v));
            sum.bytes += size.bytes;
            sum.characters += size.characters;
        } else if (fer_is_ctn(v)) { /* a colon for each member, commas between */
            plain += len ? (fer_is_obj(v) ? 2 * len : len) - 1 : 0;
        } else {
            plain += scalar_len(v) - 2;
        }
    }
    return (fer_json_size){sum.bytes + plain, sum.characters + plain};
}
