/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most words are a capital at most and small letters, and shorter than 16 bytes: these are found
 * and folded 16 bytes at once. Other ASCII is read byte by byte; the first byte past it leads to
 * the long way, which asks utf8proc for each character. All write the folded word into the reader.
 */
#include "tokens.h"

#include <utf8proc.h>

#include "unicode.h"

/* ---- characters ----------------------------------------------------------- */

enum letter {
    OTHER,
    LOWER,
    UPPER,
    DIGIT,
    WIDE
};

#define L4(x)  x, x, x, x
#define L8(x)  L4(x), L4(x)
#define L26(x) L8(x), L8(x), L8(x), x, x
static const uint8_t letters[256] = {
    [' '] = OTHER,      ['0'] = L8(DIGIT), DIGIT,    DIGIT,    ['A'] = L26(UPPER),
    ['a'] = L26(LOWER), [0x80] = L8(WIDE), L8(WIDE), L8(WIDE), L8(WIDE),
    L8(WIDE),           L8(WIDE),          L8(WIDE), L8(WIDE), L8(WIDE),
    L8(WIDE),           L8(WIDE),          L8(WIDE), L8(WIDE), L8(WIDE),
    L8(WIDE),           L8(WIDE),
};

static enum letter letter_of(unsigned char c)
{
    return (enum letter)letters[c];
}

static enum letter letter_at(const fer_token_reader *r, size_t at)
{
    return at < r->text.len ? letter_of((unsigned char)r->text.ptr[at]) : OTHER;
}

/* Scripts that are written without spaces between words. */
static const struct range {
    uint32_t first, last;
} unspaced[] = {
    {0x0E00, 0x0EFF},   /* Thai, Lao */
    {0x1000, 0x109F},   /* Myanmar */
    {0x1100, 0x11FF},   /* Hangul jamo */
    {0x1780, 0x17FF},   /* Khmer */
    {0x2E80, 0x2FDF},   /* radicals */
    {0x3005, 0x3007},   /* iteration mark, zero */
    {0x3040, 0x30FF},   /* kana */
    {0x3105, 0x318F},   /* bopomofo, jamo */
    {0x31A0, 0x31FF},   /* more of them */
    {0x3400, 0x4DBF},   /* Han, extension A */
    {0x4E00, 0x9FFF},   /* Han */
    {0xAC00, 0xD7FF},   /* Hangul */
    {0xF900, 0xFAFF},   /* Han, compatibility */
    {0xFF66, 0xFFDC},   /* half width */
    {0x20000, 0x3FFFF}, /* Han, further extensions */
};

static bool is_unspaced(uint32_t c)
{
    for (size_t i = 0; i < FER_COUNT(unspaced) && c >= unspaced[i].first; i++) {
        if (c <= unspaced[i].last) return true;
    }
    return false;
}

static bool is_word_char(uint32_t c)
{
    utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
    return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_NO);
}

/* Ends of sentences and clauses outside of ASCII, full width ones first of all. */
static fer_token_border wide_border(uint32_t c)
{
    switch (c) {
    case 0x3002: /* ideographic full stop */
    case 0xFF01:
    case 0xFF1F:
    case 0x2026:
    case 0x061F: return FER_BORDER_SENTENCE;
    case 0x3001: /* ideographic comma */
    case 0xFF0C:
    case 0xFF1A:
    case 0xFF1B:
    case 0x2013:
    case 0x2014: return FER_BORDER_CLAUSE;
    default: return FER_BORDER_NONE;
    }
}

/* ---- between words -------------------------------------------------------- */

static bool is_blank(const fer_token_reader *r, size_t at)
{
    return at >= r->text.len || r->text.ptr[at] == ' ' || r->text.ptr[at] == '\n' ||
           r->text.ptr[at] == '\t' || r->text.ptr[at] == '\r';
}

static void raise_border(fer_token_reader *r, fer_token_border border)
{
    if (border > r->border) r->border = border;
}

/* A byte that is in no word. A full stop inside of `math.sqrt` or 3.5 ends nothing. */
static void pass_byte(fer_token_reader *r)
{
    char c = r->text.ptr[r->at];
    if (c == '\n') raise_border(r, FER_BORDER_SENTENCE);
    else if ((c == '.' || c == '!' || c == '?') && is_blank(r, r->at + 1))
        raise_border(r, FER_BORDER_SENTENCE);
    else if (c == ';' || c == '(' || c == ')' || ((c == ',' || c == ':') && is_blank(r, r->at + 1)))
        raise_border(r, FER_BORDER_CLAUSE);
    if (c != ' ' && c != '\'') r->sign_len = 0;
    r->at++;
}

/* Moves to the first character of a word or sign; false at the end. */
static bool find_start(fer_token_reader *r)
{
    while (r->at < r->text.len) {
        enum letter k = letter_of((unsigned char)r->text.ptr[r->at]);
        if (k == OTHER && r->text.ptr[r->at] == ' ') {
            r->at++;
        } else if (k == WIDE) {
            size_t next = r->at;
            uint32_t c = fer_utf8_next(r->text, &next);
            if (is_word_char(c)) return true;
            raise_border(r, wide_border(c));
            r->sign_len = 0;
            r->at = next;
        } else if (k == OTHER) {
            pass_byte(r);
        } else {
            return true;
        }
    }
    return false;
}

/* ---- words ---------------------------------------------------------------- */

static void add_byte(fer_token_reader *r, char c)
{
    if (r->word_len < FER_TOKEN_MAX) r->word[r->word_len++] = c;
}

static void add_char(fer_token_reader *r, uint32_t c)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t n = utf8proc_encode_char((utf8proc_int32_t)c, bytes);
    if (n <= 0 || r->word_len + (size_t)n > FER_TOKEN_MAX) return;
    memcpy(r->word + r->word_len, bytes, (size_t)n);
    r->word_len += (size_t)n;
}

/* Scripts whose accents can go without making another word. */
static bool has_loose_accents(uint32_t c)
{
    return c < 0x0590 || (c >= 0x1E00 && c <= 0x1FFF);
}

/* A character past ASCII, folded. */
static void add_folded(fer_token_reader *r, uint32_t c)
{
    utf8proc_int32_t parts[16];
    int last = 0;
    utf8proc_ssize_t n = 0;
    if (c >= 0xFF01 && c <= 0xFF5E) { /* full width: ASCII, shifted */
        add_byte(r, fer_lower((char)(c - 0xFEE0)));
        return;
    }
    if (has_loose_accents(c))
        n = utf8proc_decompose_char((utf8proc_int32_t)c, parts, (utf8proc_ssize_t)FER_COUNT(parts),
                                    UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD |
                                        UTF8PROC_STRIPMARK | UTF8PROC_IGNORE,
                                    &last);
    if (n < 0 || n > (utf8proc_ssize_t)FER_COUNT(parts)) return;
    for (utf8proc_ssize_t i = 0; i < n; i++) add_char(r, (uint32_t)parts[i]);
    if (!has_loose_accents(c)) add_char(r, fer_unicode_lower(c));
}

/* The IDs of userIDs, the URLs of URLs: a lone s behind capitals is their plural. */
static bool is_plural_s(const fer_token_reader *r, size_t at)
{
    return r->text.ptr[at] == 's' && letter_at(r, at + 1) != LOWER && letter_at(r, at + 1) != WIDE;
}

/* Where a word in ASCII letters that starts at `at` ends, by the rules of camelCase. */
static size_t letters_end(const fer_token_reader *r, size_t at)
{
    const unsigned char *p = (const unsigned char *)r->text.ptr;
    size_t from = at, end = r->text.len;
    while (at < end && letters[p[at]] == UPPER) at++;
    if (at - from > 1 && letter_at(r, at) == LOWER) {
        if (is_plural_s(r, at)) return at + 1;
        return at - 1; /* HTTPServer: the last capital is of the next word */
    }
    while (at < end && letters[p[at]] == LOWER) at++;
    return at;
}

/* A word with characters past ASCII: these count as lower case. */
static void read_wide_word(fer_token_reader *r)
{
    while (r->at < r->text.len) {
        enum letter k = letter_at(r, r->at);
        if (k == LOWER || (k == UPPER && !r->word_len)) {
            add_byte(r, fer_lower(r->text.ptr[r->at++]));
        } else if (k == WIDE) {
            size_t next = r->at;
            uint32_t c = fer_utf8_next(r->text, &next);
            if (!is_word_char(c) || is_unspaced(c)) return;
            add_folded(r, c);
            r->at = next;
        } else {
            return;
        }
    }
}

/*
 * Which of the 16 bytes from `p` on are small letters, a bit for each, the first the lowest; and
 * the bytes with their letters made small, into `out`.
 */
#if defined(__SSE2__)
#include <emmintrin.h>
static unsigned small_letters(const char *p, char out[16])
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i high = _mm_add_epi8(block, _mm_set1_epi8((char)(127 - 'z')));
    _mm_storeu_si128((__m128i *)(void *)out, _mm_or_si128(block, _mm_set1_epi8(0x20)));
    return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(high, _mm_set1_epi8((char)(127 - 26))));
}
#else
static unsigned small_letters(const char *p, char out[16])
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 16; i++) {
        bits |= (unsigned)(letters[(unsigned char)p[i]] == LOWER) << i;
        out[i] = (char)(p[i] | 0x20);
    }
    return bits;
}
#endif

/*
 * Zeros behind the first `len` of 16 bytes. All 16 are stored at once: who reads them next, as
 * two numbers or as one, need not wait until parts of them have met.
 */
static inline void copy_padded(char to[16], const char from[16], size_t len)
{
    static const uint8_t masks[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                      255, 255, 255, 255, 255, 255, 255, 255};
#if defined(__SSE2__)
    __m128i keep = _mm_loadu_si128((const __m128i *)(const void *)(masks + 16 - len));
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_and_si128(bytes, keep));
#else
    uint64_t keep[2], part[2];
    memcpy(keep, masks + 16 - len, sizeof keep);
    memcpy(part, from, sizeof part);
    part[0] &= keep[0];
    part[1] &= keep[1];
    memcpy(to, part, sizeof part);
#endif
}

/* Sixteen bytes from `at` on that may be read; behind the text there are zeros. */
static inline const char *block_at(fer_token_reader *r, size_t at)
{
    size_t left = r->text.len - at;
    if (left >= FER_TOKEN_KEY) return r->text.ptr + at;
    memset(r->last, 0, sizeof r->last);
    memcpy(r->last, r->text.ptr + at, left);
    return r->last;
}

/*
 * A word that begins with a letter: a capital at most, small letters, and then neither more of
 * them nor a character past ASCII. Its length; 0: it is not so.
 */
static inline size_t short_word(fer_token_reader *r, size_t at, bool capital,
                                char to[FER_TOKEN_KEY])
{
    char small[FER_TOKEN_KEY];
    const char *p = block_at(r, at);
    unsigned others = ~(small_letters(p, small) >> capital); /* 1s in front: it has an end */
    size_t len = (size_t)__builtin_ctz(others) + capital;
    if (len >= FER_TOKEN_KEY || (capital && len == 1) || letters[(unsigned char)p[len]] == WIDE)
        return 0;
    copy_padded(to, small, len);
    return len;
}

/* The same as the reader's word. False: nothing has happened. */
static inline bool read_short_word(fer_token_reader *r, size_t at, bool capital)
{
    size_t len = short_word(r, at, capital, r->word);
    if (!len) return false;
    r->word_len = len;
    r->at = at + len;
    return true;
}

static void read_letters(fer_token_reader *r)
{
    const char *p = r->text.ptr + r->at;
    size_t end = letters_end(r, r->at), len = end - r->at;
    if (len > FER_TOKEN_MAX) len = FER_TOKEN_MAX;
    /* Letters alone: the bit that makes them lower case. */
    for (size_t i = 0; i < len; i++) r->word[i] = (char)(p[i] | 0x20);
    r->word_len = len;
    r->at = end;
    if (letter_at(r, r->at) == WIDE) read_wide_word(r);
}

static fer_token_kind read_word(fer_token_reader *r, enum letter first)
{
    if (first < DIGIT && read_short_word(r, r->at, first == UPPER)) return FER_TOKEN_WORD;
    memset(r->word, 0, FER_TOKEN_KEY);
    if (first == DIGIT) {
        while (letter_at(r, r->at) == DIGIT) add_byte(r, r->text.ptr[r->at++]);
        return FER_TOKEN_NUMBER;
    }
    if (first == WIDE) read_wide_word(r);
    else read_letters(r);
    return FER_TOKEN_WORD;
}

/* ---- signs ---------------------------------------------------------------- */

static bool at_sign(const fer_token_reader *r)
{
    size_t next = r->at;
    return is_unspaced(fer_utf8_next(r->text, &next));
}

/* A pair comes first, at the position of its first sign, then the second sign by itself. */
static fer_token_kind read_sign(fer_token_reader *r, fer_token *out)
{
    size_t next = r->at;
    memset(r->word, 0, FER_TOKEN_KEY);
    add_folded(r, fer_utf8_next(r->text, &next));
    if (r->sign_len) {
        char second[8];
        size_t len = r->word_len < sizeof second ? r->word_len : sizeof second;
        memcpy(second, r->word, len);
        memcpy(r->word, r->sign, r->sign_len);
        memcpy(r->word + r->sign_len, second, len);
        r->word_len = r->sign_len + len;
        r->sign_len = 0;
        out->start = r->sign_start;
        out->position = r->position - 1;
        out->end = next;
        return FER_TOKEN_PAIR;
    }
    r->sign_start = r->at;
    r->sign_len = r->word_len < sizeof r->sign ? r->word_len : sizeof r->sign;
    memcpy(r->sign, r->word, r->sign_len);
    r->at = out->end = next;
    out->position = r->position++;
    return FER_TOKEN_SIGN;
}

/* ---- the reader ----------------------------------------------------------- */

void fer_token_reader_init(fer_token_reader *r, fer_tokeniser *t, fer_str text)
{
    r->tokeniser = t;
    r->text = text;
    r->at = 0;
    r->position = 0;
    r->border = FER_BORDER_NONE;
    r->sign_start = r->sign_len = r->word_len = 0;
}

static inline bool hand_over(fer_token_reader *r, fer_token *out)
{
    out->border = r->border;
    r->border = FER_BORDER_NONE;
    out->word = out->text = (fer_str){r->word, r->word_len};
    out->use = FER_TOKEN_CONTENT;
    out->place = 0;
    return true;
}

/* Most words: short, behind a blank or an underscore at most. */
static inline bool read_quickly(fer_token_reader *r, fer_token *out)
{
    size_t at = r->at;
    if (at < r->text.len && (r->text.ptr[at] == ' ' || r->text.ptr[at] == '_')) at++;
    if (at >= r->text.len) return false;
    enum letter first = letter_of((unsigned char)r->text.ptr[at]);
    if ((first != LOWER && first != UPPER) || !read_short_word(r, at, first == UPPER)) return false;
    r->sign_len = 0;
    out->kind = FER_TOKEN_WORD;
    out->start = at;
    out->end = r->at;
    out->position = r->position++;
    return true;
}

/* On its own, so that the quick way need not save what only this one uses. */
__attribute__((noinline)) static bool read_slowly(fer_token_reader *r, fer_token *out)
{
    do {
        if (!find_start(r)) return false;
        enum letter first = letter_of((unsigned char)r->text.ptr[r->at]);
        r->word_len = 0;
        out->start = r->at;
        if (first == WIDE && at_sign(r)) {
            out->kind = read_sign(r, out);
        } else {
            r->sign_len = 0;
            out->kind = read_word(r, first);
            out->position = r->position++;
            out->end = r->at;
        }
    } while (!r->word_len); /* marks alone fold to nothing */
    return hand_over(r, out);
}

bool fer_token_next_word(fer_token_reader *r, fer_token *out)
{
    return read_quickly(r, out) ? hand_over(r, out) : read_slowly(r, out);
}

bool fer_token_next(fer_token_reader *r, fer_token *out)
{
    if (!fer_token_next_word(r, out)) return false;
    fer_token_finish(r->tokeniser, out);
    return true;
}

uint64_t fer_token_hash_long(fer_str text, const uint64_t seed[2])
{
    fer_token_key key = {{0, 0}};
    uint64_t h = 0;
    for (; text.len > FER_TOKEN_KEY; text = fer_str_slice(text, FER_TOKEN_KEY, text.len)) {
        key = fer_token_key_of(text);
        key.part[0] ^= h;
        h = fer_token_key_hash(&key, seed);
    }
    fer_token_key last = {{0, 0}};
    if (text.len) memcpy(last.part, text.ptr, text.len);
    last.part[0] ^= h;
    return fer_token_key_hash(&last, seed);
}
