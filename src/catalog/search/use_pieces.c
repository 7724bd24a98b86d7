/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text as word pieces, in the way of the model's own tokeniser: NFKC, a mark before each word,
 * and of all ways to cut the text the one whose scores sum up highest. A character that begins no
 * piece is unknown, and costs nothing.
 */
#include <utf8proc.h>

#include "errors.h"
#include "use_model.h"

/* The best way to get to a place in the text. */
struct way {
    double score;
    uint32_t from;
    uint32_t piece;
    bool known; /* some way was found */
};

/* The text in NFKC; ptr NULL: no memory. What is not UTF-8 is taken for empty. */
static fer_str normalised(fer_arena *a, fer_str text)
{
    const utf8proc_option_t nfkc = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text.ptr;
    utf8proc_ssize_t len = (utf8proc_ssize_t)text.len;
    utf8proc_ssize_t size = utf8proc_decompose(bytes, len, NULL, 0, nfkc);
    if (size <= 0) return FER_STR("");
    utf8proc_int32_t *points = fer_arena_alloc_zero(a, (size_t)size + 1, sizeof *points);
    if (!points) return FER_STR_NONE;
    size = utf8proc_decompose(bytes, len, points, size, nfkc);
    size = utf8proc_reencode(points, size, nfkc);
    return size < 0 ? FER_STR("") : (fer_str){(const char *)points, (size_t)size};
}

/* U+2581 stands before each word. */
static size_t put_mark(char *out)
{
    out[0] = '\xE2';
    out[1] = '\x96';
    out[2] = '\x81';
    return 3;
}

/* The text with a mark before each word; ptr NULL: no memory. */
static fer_str marked(fer_arena *a, fer_str text)
{
    fer_str plain = normalised(a, text);
    char *out = plain.ptr ? fer_arena_alloc(a, 3 * (plain.len + 1)) : NULL;
    size_t size = 0;
    if (!out) return FER_STR_NONE;
    if (!plain.len) return FER_STR("");
    size = put_mark(out);
    for (size_t i = 0; i < plain.len; i++) {
        if (plain.ptr[i] == ' ') size += put_mark(out + size);
        else out[size++] = plain.ptr[i];
    }
    return (fer_str){out, size};
}

static size_t next_character(fer_str s, size_t at)
{
    at++;
    while (at < s.len && ((unsigned char)s.ptr[at] & 0xC0) == 0x80) at++;
    return at;
}

static void offer(struct way *to, uint32_t from, uint32_t piece, double score)
{
    if (to->known && to->score != 0 && score < to->score) return;
    *to = (struct way){score, from, piece, true};
}

/* All pieces that start at a place. */
static void offer_pieces(const fer_use_model *m, fer_str text, struct way *ways, size_t from)
{
    bool some = false;
    for (size_t to = next_character(text, from); to - from <= m->longest;
         to = next_character(text, to)) {
        uint32_t piece = fer_use_piece(m, fer_str_slice(text, from, to));
        if (piece) offer(&ways[to], (uint32_t)from, piece, ways[from].score + m->scores[piece]);
        some |= piece != 0;
        if (to == text.len) break;
    }
    if (!some) offer(&ways[next_character(text, from)], (uint32_t)from, 0, ways[from].score);
}

/* The pieces of the best way, backwards, and unknown ones that follow each other as one. */
static size_t collect(const struct way *ways, size_t end, uint16_t *out)
{
    size_t count = 0;
    for (size_t at = end; at > 0; at = ways[at].from) {
        bool again = count && !out[count - 1] && !ways[at].piece;
        if (!again) out[count++] = (uint16_t)ways[at].piece;
    }
    return count;
}

fer_code fer_use_pieces(const fer_use_model *m, fer_arena *scratch, fer_str text, uint16_t *out,
                        size_t *count, fer_err *err)
{
    fer_str s = marked(scratch, fer_str_head(text, FER_USE_TEXT_MAX));
    if (!s.ptr) return fer_arena_failed(scratch, err);
    struct way *ways = fer_arena_alloc_zero(scratch, s.len + 1, sizeof *ways);
    uint16_t *all = fer_arena_alloc_zero(scratch, s.len + 1, sizeof *all);
    if (!ways || !all) return fer_arena_failed(scratch, err);
    for (size_t at = 0; at < s.len; at = next_character(s, at)) offer_pieces(m, s, ways, at);
    size_t found = collect(ways, s.len, all);
    *count = found < FER_USE_TOKENS_MAX ? found : FER_USE_TOKENS_MAX;
    for (size_t i = 0; i < *count; i++) out[i] = all[found - 1 - i];
    return FER_OK;
}
