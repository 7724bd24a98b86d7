/* SPDX-License-Identifier: Apache-2.0 */
#include "json_canonical.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define DEPTH_MAX  32
#define KEY_MAX    1024 /* as fer_json_read allows it */
#define DIGITS_MAX 15   /* binary64 holds every number of so many, and prints it so */

typedef struct scan {
    const char *at, *end;
    size_t depth;
    struct {
        bool object;
        fer_str key; /* the latest: the next one is greater */
    } open[DEPTH_MAX];
    fer_canonical_member *out;
    size_t count, max;
    bool beyond; /* ASCII */
} scan;

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

#ifdef __SSE2__
/* How many of sixteen bytes are plain, up to the first that is not. With one bit turned, the quote
 * changes places with the space, and only plain ones and 0x7F are above it. */
static size_t count_plain(const char *at)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i turned = _mm_xor_si128(x, _mm_set1_epi8('"' ^ ' '));
    const __m128i above = _mm_cmpgt_epi8(turned, _mm_set1_epi8(' ')); /* signed */
    const __m128i other = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')),
                                       _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7F)));
    const unsigned plain = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(other, above));
    return (size_t)__builtin_ctz(~plain);
}
#endif

static inline void skip_plain(scan *s)
{
#ifdef __SSE2__
    while (s->end - s->at >= 16) {
        size_t n = count_plain(s->at);
        s->at += n;
        if (n < 16) return;
    }
#endif
    while (s->at < s->end && is_plain(*s->at)) s->at++;
}

static bool take(scan *s, char c)
{
    if (s->at == s->end || *s->at != c) return false;
    s->at++;
    return true;
}

static bool take_word(scan *s, fer_str word)
{
    if ((size_t)(s->end - s->at) < word.len || memcmp(s->at, word.ptr, word.len) != 0) return false;
    s->at += word.len;
    return true;
}

/* What stands in a string and is not plain: a short escape, or a character beyond ASCII. */
static bool take_odd(scan *s)
{
    fer_str rest = {s->at, (size_t)(s->end - s->at)};
    if (*s->at == '\\') {
        if (rest.len < 2 || !rest.ptr[1] || !strchr("\"\\bfnrt", rest.ptr[1])) return false;
        s->at += 2;
        return true;
    }
    size_t n = (unsigned char)*s->at >= 0x80 ? fer_utf8_len(rest, 0) : 0;
    s->at += n;
    s->beyond = true;
    return n > 0;
}

static bool take_string(scan *s)
{
    if (!take(s, '"')) return false;
    for (;;) {
        skip_plain(s);
        if (take(s, '"')) return true;
        if (s->at == s->end || !take_odd(s)) return false;
    }
}

static bool take_number(scan *s)
{
    bool negative = take(s, '-');
    const char *from = s->at;
    while (s->at < s->end && fer_is_digit(*s->at)) s->at++;
    size_t digits = (size_t)(s->at - from);
    if (digits == 0 || digits > DIGITS_MAX) return false;
    if (*from == '0' && (digits > 1 || negative)) return false;
    return s->at < s->end && *s->at != '.' && *s->at != 'e' && *s->at != 'E';
}

/* The key of a member and its colon; it is greater than the one before it. */
static bool take_key(scan *s, bool first)
{
    fer_str *last = &s->open[s->depth - 1].key, key;
    if (!take(s, '"')) return false;
    key.ptr = s->at;
    skip_plain(s);
    key.len = (size_t)(s->at - key.ptr);
    if (!take(s, '"') || !take(s, ':') || key.len > KEY_MAX) return false;
    if (!first) {
        size_t common = key.len < last->len ? key.len : last->len;
        /* Most differ in their first letter; all are ASCII. */
        int order = common ? *key.ptr - *last->ptr : 0;
        if (!order) order = memcmp(key.ptr, last->ptr, common);
        if (order < 0 || (order == 0 && key.len <= last->len)) return false;
    }
    *last = key;
    if (s->depth == 1 && s->count < s->max)
        s->out[s->count] = (fer_canonical_member){key, {s->at, 0}};
    return true;
}

/* The value of a member of the outermost object ends here. */
static void end_member(scan *s)
{
    if (s->depth != 1) return;
    if (s->count < s->max)
        s->out[s->count].value.len = (size_t)(s->at - s->out[s->count].value.ptr);
    s->count++;
}

/* Goes into a container that has something in it; `*inside` says whether it had. */
static bool begin(scan *s, bool object, bool *inside)
{
    s->at++;
    if (take(s, object ? '}' : ']')) return true;
    if (s->depth == DEPTH_MAX) return false;
    s->open[s->depth++].object = object;
    *inside = true;
    return !object || take_key(s, true);
}

/* A value; of a container that is not empty its beginning. */
static bool take_value(scan *s, bool *inside)
{
    *inside = false;
    switch (s->at < s->end ? *s->at : 0) {
    case '"': return take_string(s);
    case '{': return begin(s, true, inside);
    case '[': return begin(s, false, inside);
    case 't': return take_word(s, FER_STR("true"));
    case 'f': return take_word(s, FER_STR("false"));
    case 'n': return take_word(s, FER_STR("null"));
    default: return take_number(s);
    }
}

/* Leaves the containers that end here. */
static void leave(scan *s)
{
    while (s->depth && s->at < s->end && *s->at == (s->open[s->depth - 1].object ? '}' : ']')) {
        end_member(s);
        s->depth--;
        s->at++;
    }
}

static bool go_on(scan *s)
{
    end_member(s);
    return take(s, ',') && (!s->open[s->depth - 1].object || take_key(s, false));
}

static bool scan_text(scan *s, fer_str text, fer_canonical_member *out, size_t max)
{
    bool inside;
    s->at = text.ptr;
    s->end = text.ptr + text.len;
    s->depth = s->count = 0;
    s->out = out;
    s->max = max;
    s->beyond = false;
    if (text.len > FER_CANONICAL_MAX) return false;
    do {
        if (!take_value(s, &inside)) return false;
        if (inside) continue;
        leave(s);
        if (s->depth && !go_on(s)) return false;
    } while (s->depth);
    return s->at == s->end;
}

bool fer_canonical_scan(fer_str text, fer_canonical_member *out, size_t max, size_t *count)
{
    scan s; /* what is open is written when it is entered: a kilobyte need not be cleared */
    bool yes = text.len && text.ptr[0] == '{' && scan_text(&s, text, out, max);
    if (yes) *count = s.count < max ? s.count : max;
    return yes;
}

bool fer_canonical_is_plain(fer_str text)
{
    scan s;
    return scan_text(&s, text, NULL, 0) && !s.beyond;
}
