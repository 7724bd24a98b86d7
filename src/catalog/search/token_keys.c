/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of plain text, 64 bytes at once: which of them are small letters, capitals and digits is
 * asked for all together, a bit for each, and where words begin and end follows from these bits by
 * a few operations. Each word is then 16 bytes from where it begins, with the bit set that makes
 * letters small, and zeros behind its end.
 */
#include "tokens.h"

#define BLOCK 64
#define AHEAD 2 /* bytes behind a place that say whether a word begins there */

/* A bit for each byte of a block, the first the lowest. */
struct kinds {
    uint64_t small, capital, digit, wide;
};

/* The same of what stands between words. */
struct marks {
    uint64_t line, stop, comma, part, blank; /* new lines; .!? ,: ;() and blanks */
};

#if defined(__SSE2__)
#include <emmintrin.h>
/* A byte plus `up` is above `floor` only where it is from a range that ends at 127 - up. */
static inline uint64_t in_range(__m128i bytes, char up, char floor)
{
    __m128i high = _mm_add_epi8(bytes, _mm_set1_epi8(up));
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(high, _mm_set1_epi8(floor)));
}

static inline struct kinds kinds_of(const char *p)
{
    struct kinds k = {0, 0, 0, 0};
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i low = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        uint64_t letters = in_range(low, 127 - 'z', 127 - 26);
        uint64_t small = in_range(bytes, 127 - 'z', 127 - 26);
        k.small |= small << i;
        k.capital |= (letters ^ small) << i;
        k.digit |= in_range(bytes, 127 - '9', 127 - 10) << i;
        k.wide |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << i;
    }
    return k;
}

static inline void copy_word(fer_token_key *to, const char *from, const uint8_t *keep)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)keep);
    bytes = _mm_and_si128(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), mask);
    _mm_storeu_si128((__m128i *)(void *)to->part, bytes);
}

static inline uint64_t bits_of(__m128i bytes)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(bytes);
}

static inline __m128i is(__m128i bytes, char c)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

static inline struct marks marks_of(const char *p)
{
    struct marks m = {0, 0, 0, 0, 0};
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + i)), line = is(c, '\n');
        __m128i stop = _mm_or_si128(is(c, '.'), _mm_or_si128(is(c, '!'), is(c, '?')));
        __m128i blank = _mm_or_si128(_mm_or_si128(is(c, ' '), is(c, '\t')), is(c, '\r'));
        __m128i bracket = is(_mm_or_si128(c, _mm_set1_epi8(1)), ')');
        m.line |= bits_of(line) << i;
        m.stop |= bits_of(stop) << i;
        m.comma |= bits_of(_mm_or_si128(is(c, ','), is(c, ':'))) << i;
        m.part |= bits_of(_mm_or_si128(is(c, ';'), bracket)) << i;
        m.blank |= bits_of(_mm_or_si128(blank, line)) << i;
    }
    return m;
}
#else
static inline struct kinds kinds_of(const char *p)
{
    struct kinds k = {0, 0, 0, 0};
    for (unsigned i = 0; i < BLOCK; i++) {
        unsigned char c = (unsigned char)p[i];
        k.small |= (uint64_t)(c >= 'a' && c <= 'z') << i;
        k.capital |= (uint64_t)(c >= 'A' && c <= 'Z') << i;
        k.digit |= (uint64_t)(c >= '0' && c <= '9') << i;
        k.wide |= (uint64_t)(c >= 0x80) << i;
    }
    return k;
}

static inline void copy_word(fer_token_key *to, const char *from, const uint8_t *keep)
{
    static const uint64_t small = UINT64_C(0x2020202020202020);
    uint64_t mask[2];
    memcpy(to->part, from, sizeof to->part);
    memcpy(mask, keep, sizeof mask);
    to->part[0] = (to->part[0] | small) & mask[0];
    to->part[1] = (to->part[1] | small) & mask[1];
}

static inline struct marks marks_of(const char *p)
{
    struct marks m = {0, 0, 0, 0, 0};
    for (unsigned i = 0; i < BLOCK; i++) {
        char c = p[i];
        m.line |= (uint64_t)(c == '\n') << i;
        m.stop |= (uint64_t)(c == '.' || c == '!' || c == '?') << i;
        m.comma |= (uint64_t)(c == ',' || c == ':') << i;
        m.part |= (uint64_t)(c == ';' || c == '(' || c == ')') << i;
        m.blank |= (uint64_t)(c == ' ' || c == '\t' || c == '\r' || c == '\n') << i;
    }
    return m;
}
#endif

static inline unsigned lowest(uint64_t bits)
{
    return (unsigned)__builtin_ctzll(bits);
}

/*
 * Where words begin in a block that begins with no half of one: where letters or digits do, at a
 * capital behind a small letter, and at the last of several capitals with a small letter behind it
 * (HTTPServer), unless that is the s of their plural (userIDs).
 */
static inline uint64_t starts_of(const struct kinds *k, const char *p)
{
    uint64_t letter = k->small | k->capital;
    uint64_t starts =
        (letter & ~(letter << 1)) | (k->digit & ~(k->digit << 1)) | (k->capital & k->small << 1);
    uint64_t more = k->small | k->wide;
    for (uint64_t last = k->capital & k->capital << 1 & k->small >> 1; last; last &= last - 1) {
        unsigned at = lowest(last);
        bool plural = p[at + 1] == 's' && !(at + 2 < BLOCK && more >> (at + 2) & 1);
        starts |= (uint64_t)!plural << at;
    }
    return starts;
}

/* What is known of a block. */
struct block {
    uint64_t starts, ends;       /* of words */
    uint64_t digit;              /* as its kinds */
    uint64_t sentences, clauses; /* that end: see pass_byte in tokens.c */
    size_t size;                 /* of it; what is behind that is looked at again */
    bool stops;                  /* there, with a character past ASCII */
};

static inline uint64_t below(size_t bit)
{
    return bit < BLOCK ? (UINT64_C(1) << bit) - 1 : UINT64_MAX;
}

static inline void find_borders(struct block *b, const char *p, size_t left)
{
    struct marks m = marks_of(p);
    uint64_t before_blank = (m.blank | ~below(left)) >> 1;
    b->sentences = m.line | (m.stop & before_blank);
    b->clauses = m.part | (m.comma & before_blank);
}

/* Of as many bytes as are left, which are not all that were looked at. */
static inline struct kinds kinds_inside(const char *p, size_t left)
{
    struct kinds k = kinds_of(p);
    uint64_t inside = below(left);
    return (struct kinds){k.small & inside, k.capital & inside, k.digit & inside, k.wide & inside};
}

static inline struct block block_of(const char *p, size_t left)
{
    struct kinds k = kinds_inside(p, left);
    uint64_t starts = starts_of(&k, p), ends = ~(k.small | k.capital | k.digit) | starts;
    struct block b = {starts, ends, k.digit, 0, 0, left, false};
    if (left >= BLOCK) {
        b.size = BLOCK - AHEAD;
        b.ends &= UINT64_MAX >> AHEAD;
    }
    if (k.wide && lowest(k.wide) < b.size) {
        uint64_t before = (k.wide & -k.wide) - 1; /* a word that ends at it may go on */
        b.starts &= before;
        b.ends = ends & before;
        b.size = lowest(k.wide);
        b.stops = true;
    }
    return b;
}

/* Words that were taken from a text. */
struct taken {
    fer_token_key *out;
    fer_token_spot *spots; /* NULL: nobody asks */
    size_t count, room;
    size_t at;               /* behind the last one, and ... */
    size_t next;             /* ... where the next block begins */
    fer_token_border border; /* between the last one and that */
};

/* The strongest border among some bytes of a block, and what was there before. */
static inline fer_token_border border_among(const struct block *b, uint64_t bytes,
                                            fer_token_border before)
{
    fer_token_border border = b->clauses & bytes ? FER_BORDER_CLAUSE : FER_BORDER_NONE;
    if (b->sentences & bytes) border = FER_BORDER_SENTENCE;
    return border > before ? border : before;
}

/* What is between words is seen once: `seen` has the bytes that were. */
static inline void note_spot(struct taken *t, const struct block *b, unsigned at, size_t len,
                             uint64_t *seen)
{
    uint64_t before = below(at);
    t->spots[t->count] = (fer_token_spot){
        .start = (uint32_t)(t->next + at),
        .len = (uint8_t)len,
        .kind = b->digit >> at & 1 ? FER_TOKEN_NUMBER : FER_TOKEN_WORD,
        .border = (uint8_t)border_among(b, before & ~*seen, t->border),
    };
    t->border = FER_BORDER_NONE;
    *seen = before;
}

static inline void leave_block(struct taken *t, const struct block *b, size_t size, uint64_t seen)
{
    if (t->spots) t->border = border_among(b, below(size) & ~seen, t->border);
    t->next += size;
}

/* False: there is no room, or the next word is not one of these. */
static inline bool take(struct taken *t, const struct block *b, const char *p)
{
    static const uint8_t keep[2 * FER_TOKEN_KEY] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                    255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t seen = 0;
    for (uint64_t starts = b->starts; starts; starts &= starts - 1) {
        unsigned at = lowest(starts);
        /* What does not end in this block is as long as that. */
        size_t len = lowest(b->ends >> at >> 1 | UINT64_C(1) << (BLOCK - 1)) + 1U;
        if (t->count == t->room) return false;
        if (len > FER_TOKEN_KEY) {
            leave_block(t, b, at, seen);
            return len == BLOCK && at > 0;
        }
        copy_word(&t->out[t->count], p + at, keep + FER_TOKEN_KEY - len);
        if (t->spots) note_spot(t, b, at, len, &seen);
        t->count++;
        t->at = t->next + at + len;
    }
    leave_block(t, b, b->size, seen);
    return !b->stops;
}

static inline size_t next_words(fer_token_reader *r, fer_token_key *out, fer_token_spot *spots,
                                size_t room)
{
    struct taken t = {out, spots, 0, room, r->at, r->at, r->border};
    char last[BLOCK + FER_TOKEN_KEY];
    for (bool more = true; more;) {
        size_t left = r->text.len - t.next;
        if (!left) {
            if (t.count < room) t.at = r->text.len; /* no word is left */
            break;
        }
        const char *p = r->text.ptr + t.next;
        if (left < sizeof last) {
            memset(last, 0, sizeof last);
            memcpy(last, p, left);
            p = last;
        }
        struct block b = block_of(p, left);
        if (spots) find_borders(&b, p, left);
        more = take(&t, &b, p);
    }
    if (t.count) r->sign_len = 0;
    r->at = t.at;
    r->position += (uint32_t)t.count;
    return t.count;
}

size_t fer_token_next_keys(fer_token_reader *r, fer_token_key *out, size_t room)
{
    return next_words(r, out, NULL, room);
}

size_t fer_token_next_spots(fer_token_reader *r, fer_token_key *out, fer_token_spot *spots,
                            size_t room)
{
    size_t count = next_words(r, out, spots, room);
    if (count) r->border = FER_BORDER_NONE;
    return count;
}
