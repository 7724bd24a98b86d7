/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_text.h"

#define REPLACEMENT "\xEF\xBF\xBD"
#define ESCAPE      0x1B

/* Code points that are left out. */
static const struct range {
    uint32_t from, to;
} hidden[] = {
    {0x00, 0x08},       /* controls, up to tab */
    {0x0B, 0x1F},       /* controls behind newline */
    {0x7F, 0x9F},       /* DEL and C1 */
    {0xAD, 0xAD},       /* soft hyphen */
    {0x200B, 0x200F},   /* zero width, directions */
    {0x2028, 0x202E},   /* separators, embeddings */
    {0x2060, 0x206F},   /* joiners, isolates */
    {0xFEFF, 0xFEFF},   /* byte order mark */
    {0xFFF9, 0xFFFB},   /* annotations */
    {0xE0000, 0xE007F}, /* tags */
};

static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < FER_COUNT(hidden); i++) {
        if (c >= hidden[i].from && c <= hidden[i].to) return true;
    }
    return false;
}

/* The code point of a valid sequence of `len` bytes. */
static uint32_t decode(const char *p, size_t len)
{
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t c = (unsigned char)p[0] & masks[len];
    for (size_t i = 1; i < len; i++) c = c << 6 | ((unsigned char)p[i] & 0x3F);
    return c;
}

/* Behind a sequence "ESC [ ... letter", "ESC ] ... BEL or ESC \" or "ESC x" that begins at `at`. */
static size_t behind_escape(fer_str s, size_t at)
{
    char kind = at + 1 < s.len ? s.ptr[at + 1] : '\0';
    at = at + 2 < s.len ? at + 2 : s.len;
    if (kind == '[') {
        while (at < s.len && !(s.ptr[at] >= '@' && s.ptr[at] <= '~')) at++;
        return at < s.len ? at + 1 : at;
    }
    if (kind != ']') return at;
    for (; at < s.len; at++) {
        if (s.ptr[at] == '\a') return at + 1;
        if (s.ptr[at] == ESCAPE) return at + 2 < s.len ? at + 2 : s.len;
    }
    return at;
}

static void add_text(fer_buf *b, fer_str s, bool clean)
{
    for (size_t at = 0; at < s.len;) {
        size_t len = fer_utf8_len(s, at);
        if (len == 0) {
            fer_buf_add_text(b, REPLACEMENT);
            at++;
        } else if (clean && s.ptr[at] == ESCAPE) {
            at = behind_escape(s, at);
        } else {
            if (!clean || !is_hidden(decode(s.ptr + at, len)))
                fer_buf_add(b, fer_str_slice(s, at, at + len));
            at += len;
        }
    }
}

void fer_text_mend(fer_buf *b, fer_str bytes)
{
    add_text(b, bytes, false);
}

void fer_text_clean(fer_buf *b, fer_str bytes)
{
    add_text(b, bytes, true);
}

fer_str fer_text_tail(fer_str s, size_t max)
{
    if (s.len <= max) return s;
    size_t from = s.len - max;
    while (from < s.len && ((unsigned char)s.ptr[from] & 0xC0) == 0x80) from++;
    return fer_str_slice(s, from, s.len);
}
