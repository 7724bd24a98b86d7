/* SPDX-License-Identifier: Apache-2.0 */
#include "base64url.h"

static const char url_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (fer_is_digit(c)) return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool fer_base64url_read(fer_arena *a, fer_str text, fer_str *out)
{
    *out = FER_STR("");
    if (text.len % 4 == 1) return false;
    char *bytes = fer_arena_alloc(a, text.len / 4 * 3 + 4);
    size_t len = 0;
    uint32_t word = 0;
    unsigned bits = 0;
    if (!bytes) {
        *out = FER_STR_NONE;
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        int value = value_of(text.ptr[i]);
        if (value < 0) return false;
        word = (word << 6 | (uint32_t)value) & 0xFFFFFF;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes[len++] = (char)(word >> bits & 255);
    }
    if (word & ((1u << bits) - 1)) return false; /* another text would mean the same */
    *out = (fer_str){bytes, len};
    return true;
}

static fer_str write_with(fer_arena *a, fer_str s, const char *alphabet, bool padded)
{
    char *text = fer_arena_alloc(a, s.len / 3 * 4 + 5);
    size_t len = 0;
    if (!text) return FER_STR_NONE;
    for (size_t i = 0; i < s.len; i += 3) {
        size_t left = s.len - i;
        unsigned word = (unsigned)(unsigned char)s.ptr[i] << 16;
        if (left > 1) word |= (unsigned)(unsigned char)s.ptr[i + 1] << 8;
        if (left > 2) word |= (unsigned char)s.ptr[i + 2];
        text[len++] = alphabet[word >> 18];
        text[len++] = alphabet[word >> 12 & 63];
        if (left > 1 || padded) text[len++] = left > 1 ? alphabet[word >> 6 & 63] : '=';
        if (left > 2 || padded) text[len++] = left > 2 ? alphabet[word & 63] : '=';
    }
    text[len] = '\0';
    return (fer_str){text, len};
}

fer_str fer_base64url_write(fer_arena *a, fer_str bytes)
{
    return write_with(a, bytes, url_digits, false);
}

fer_str fer_base64_write(fer_arena *a, fer_str bytes)
{
    return write_with(a, bytes, digits, true);
}
