/* SPDX-License-Identifier: Apache-2.0 */
#include "secret_patterns.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "redact.h"

typedef enum letters {
    UPPER,  /* A-Z 0-9 */
    ALNUM,  /* and a-z */
    DASHED, /* and - _ */
    DOTTED, /* and . */
    PEM     /* everything up to the end of the block */
} letters;

/* A prefix, in which ? is any small letter, and how many letters must follow at least. */
static const struct row {
    const char *prefix;
    letters kind;
    size_t least;
    bool apart; /* no letter stands right before it */
} rows[] = {
    {"AKIA", UPPER, 16, true},          {"ASIA", UPPER, 16, true}, {"gh?_", ALNUM, 20, false},
    {"github_pat_", DASHED, 20, false}, {"sk-", DASHED, 20, true}, {"xox?-", DASHED, 10, false},
    {"AIza", DASHED, 30, false},        {"eyJ", DOTTED, 24, true}, {"-----BEGIN ", PEM, 0, false},
};
static_assert(FER_COUNT(rows) < 32, "few enough to try them all");

static bool is_letter(letters kind, char c)
{
    if (fer_is_digit(c) || (c >= 'A' && c <= 'Z')) return true;
    if (kind == UPPER) return false;
    if (c >= 'a' && c <= 'z') return true;
    if (kind == ALNUM) return false;
    return c == '-' || c == '_' || (kind == DOTTED && c == '.');
}

/* The first letters of the rows, then the second ones. */
static bool may_begin(char c)
{
    return c == 'A' || c == 'g' || c == 's' || c == 'x' || c == 'e' || c == '-';
}

/* Of what may begin something, most is over with the next byte. */
static bool may_go_on(char c, char next)
{
    switch (c) {
    case 'A': return next == 'K' || next == 'S' || next == 'I';
    case 'g': return next == 'h' || next == 'i';
    case 's': return next == 'k';
    case 'x': return next == 'o';
    case 'e': return next == 'y';
    default: return next == '-';
    }
}

#ifdef __SSE2__
static __m128i is_one_of(__m128i x, const char *list)
{
    __m128i found = _mm_setzero_si128();
    for (; *list; list++) found = _mm_or_si128(found, _mm_cmpeq_epi8(x, _mm_set1_epi8(*list)));
    return found;
}

/* A bit for each of sixteen bytes that is one of the first letters and has one of the second ones,
 * if not its own, behind it. Seventeen bytes are read. */
static unsigned candidates(const char *at)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(at + 1));
    const __m128i both = _mm_and_si128(is_one_of(x, "Agsxe-"), is_one_of(next, "KSIhikoy-"));
    return (unsigned)_mm_movemask_epi8(both);
}
#endif

/* How many bytes from `from` on begin nothing. */
static size_t count_plain(fer_str bytes, size_t from)
{
    size_t at = from;
#ifdef __SSE2__
    while (bytes.len - at > 16) {
        unsigned found = candidates(bytes.ptr + at);
        at += found ? (unsigned)__builtin_ctz(found) : 16;
        if (found && may_go_on(bytes.ptr[at], bytes.ptr[at + 1])) return at - from;
        at += found != 0;
    }
#endif
    for (; at < bytes.len; at++) {
        char c = bytes.ptr[at];
        if (may_begin(c) && (at + 1 == bytes.len || may_go_on(c, bytes.ptr[at + 1]))) break;
    }
    return at - from;
}

/* A letter right before it, unless that is one of an escape such as \n. */
static bool touches(const fer_net_stream *s)
{
    char c = s->last[1];
    return (fer_is_alpha(c) || fer_is_digit(c)) && s->last[0] != '\\';
}

/* How far the held bytes fit a row: 0 not at all, 1 so far, 2 it is one. */
static int fit(const struct row *r, const fer_net_stream *s)
{
    if (s->held[0] != r->prefix[0]) return 0;
    size_t prefix = strlen(r->prefix);
    if (r->apart && touches(s)) return 0;
    for (size_t i = 0; i < s->held_count; i++) {
        char c = s->held[i], want = i < prefix ? r->prefix[i] : '\0';
        bool good = i >= prefix   ? is_letter(r->kind, c)
                    : want == '?' ? c >= 'a' && c <= 'z'
                                  : c == want;
        if (!good) return 0;
    }
    return s->held_count >= prefix + r->least ? 2 : 1;
}

static void pass(fer_net_stream *s, fer_str bytes, fer_buf *out)
{
    fer_buf_add(out, bytes);
    s->last[0] = bytes.len > 1 ? bytes.ptr[bytes.len - 2] : s->last[1];
    s->last[1] = bytes.ptr[bytes.len - 1];
}

static void pass_first(fer_net_stream *s, fer_buf *out)
{
    pass(s, (fer_str){s->held, 1}, out);
    memmove(s->held, s->held + 1, --s->held_count);
}

static void swallow(fer_net_stream *s, int row, fer_buf *out)
{
    fer_buf_add_text(out, FER_REDACTED);
    s->hits++;
    s->held_count = 0;
    s->last[0] = s->last[1] = ']';
    s->swallowing = row;
    s->dashes = s->bars = 0;
}

/* The bytes held are a pattern, may become one, or the first of them passes. */
static void look(fer_net_stream *s, fer_buf *out)
{
    while (s->held_count) {
        bool possible = false;
        for (size_t i = 0; i < FER_COUNT(rows); i++) {
            int how = fit(&rows[i], s);
            if (how == 2) {
                swallow(s, (int)i, out);
                return;
            }
            possible |= how == 1;
        }
        if (possible && s->held_count < FER_NET_HELD) return;
        pass_first(s, out);
    }
}

/* Whether the byte still belongs to what is passed over. A PEM block ends with its fourth bar. */
static bool belongs(fer_net_stream *s, char c)
{
    const struct row *r = &rows[s->swallowing];
    if (r->kind != PEM) return is_letter(r->kind, c);
    if (s->bars == 3) return false;
    s->dashes = c == '-' ? s->dashes + 1 : 0;
    if (s->dashes == 5) {
        s->dashes = 0;
        s->bars++;
    }
    return true;
}

void fer_patterns_feed(fer_net_stream *s, fer_str bytes, fer_buf *out)
{
    for (size_t i = 0; i < bytes.len; i++) {
        char c = bytes.ptr[i];
        if (s->swallowing >= 0 && belongs(s, c)) continue;
        s->swallowing = -1;
        size_t plain = s->held_count ? 0 : count_plain(bytes, i);
        if (plain) {
            pass(s, fer_str_slice(bytes, i, i + plain), out);
            i += plain - 1;
            continue;
        }
        s->held[s->held_count++] = c;
        look(s, out);
    }
}

void fer_patterns_end(fer_net_stream *s, fer_buf *out)
{
    while (s->held_count) pass_first(s, out);
}
