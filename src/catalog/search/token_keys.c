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
    uint64_t starts, ends; /* of words */
    size_t size;           /* of it; what is behind that is looked at again */
    bool stops;            /* there, with a character past ASCII */
};

static inline struct block block_of(const char *p, size_t left)
{
    struct kinds k = kinds_of(p);
    uint64_t starts = starts_of(&k, p), ends = ~(k.small | k.capital | k.digit) | starts;
    struct block b = {starts, ends, left, false};
    if (left >= BLOCK) {
        b.size = BLOCK - AHEAD;
        b.ends &= UINT64_MAX >> AHEAD;
    }
    if (k.wide && lowest(k.wide) < b.size) {
        uint64_t before = (k.wide & -k.wide) - 1; /* a word that ends at it may go on */
        b = (struct block){starts & before, ends & before, lowest(k.wide), true};
    }
    return b;
}

/* Words that were taken from a text. */
struct taken {
    fer_token_key *out;
    size_t count, room;
    size_t at;   /* behind the last one, and ... */
    size_t next; /* ... where the next block begins */
};

/* False: there is no room, or the next word is not one of these. */
static inline bool take(struct taken *t, const struct block *b, const char *p)
{
    static const uint8_t keep[2 * FER_TOKEN_KEY] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                    255, 255, 255, 255, 255, 255, 255, 255};
    size_t from = t->next;
    for (uint64_t starts = b->starts; starts; starts &= starts - 1) {
        unsigned at = lowest(starts);
        uint64_t ends = b->ends >> at >> 1;
        size_t len = ends ? lowest(ends) + 1U : BLOCK;
        if (t->count == t->room) return false;
        if (len > FER_TOKEN_KEY) {
            t->next = from + at;
            return !ends && at > 0;
        }
        copy_word(&t->out[t->count++], p + at, keep + FER_TOKEN_KEY - len);
        t->at = from + at + len;
    }
    t->next = from + b->size;
    return !b->stops;
}

size_t fer_token_next_keys(fer_token_reader *r, fer_token_key *out, size_t room)
{
    struct taken t = {out, 0, room, r->at, r->at};
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
        more = take(&t, &b, p);
    }
    if (t.count) r->sign_len = 0;
    r->at = t.at;
    r->position += (uint32_t)t.count;
    return t.count;
}
