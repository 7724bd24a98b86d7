/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One loop over the text, written by the grammar of RFC 8259; "give up" is `return false`
 * or NULL. The zeros behind the text end every scan: no rule accepts a zero byte.
 */
#include "json_quick.h"

#include "json_keys.h"
#include "json_number.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define NOINLINE  __attribute__((noinline))
#define SIZE_MOST ((size_t)64 << 10) /* larger texts are looked at for depth first */
#define DEPTH     64

/* A container whose members are being read. */
struct open {
    size_t index;  /* of its value */
    size_t count;  /* members so far */
    uint64_t keys; /* one bit per key so far (fer_key_bit) */
    unsigned char closing;
};

struct quick {
    fer_arena *arena;
    const fer_json_limits *limits;
    yyjson_val *vals;
    size_t cap;
    size_t few; /* members that need no further look */
    bool many;  /* some object has more */
};

/* ---- strings ------------------------------------------------------------------------- */

/*
 * The first byte that is not plain: not ASCII, or a control, a quote or a backslash. With one
 * bit turned, the quote changes places with the space and only the plain ones are above it.
 */
static inline unsigned char *skip_plain(unsigned char *c)
{
#ifdef __SSE2__
    for (;; c += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)c);
        const __m128i turned = _mm_xor_si128(x, _mm_set1_epi8('"' ^ ' '));
        const __m128i above = _mm_cmpgt_epi8(turned, _mm_set1_epi8(' ')); /* signed */
        const __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
        const unsigned plain = (unsigned)_mm_movemask_epi8(_mm_andnot_si128(slash, above));
        if (plain != 0xFFFF) return c + (unsigned)__builtin_ctz(~plain);
    }
#else
    while (*c >= ' ' && *c < 0x80 && *c != '"' && *c != '\\') c++;
    return c;
#endif
}

/* Four hex digits, or a number that no four make. */
static uint32_t hex4(const unsigned char *c)
{
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned digit = (unsigned)c[i] - '0', letter = ((unsigned)c[i] | 0x20) - 'a';
        if (digit > 9 && letter > 5) return UINT32_MAX;
        if (digit > 9) digit = letter + 10;
        value = value << 4 | digit;
    }
    return value;
}

static unsigned char *put_utf8(unsigned char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (unsigned char)c;
    } else if (c < 0x800) {
        *to++ = (unsigned char)(0xC0 | c >> 6);
        *to++ = (unsigned char)(0x80 | (c & 0x3F));
    } else {
        if (c < 0x10000) {
            *to++ = (unsigned char)(0xE0 | c >> 12);
        } else {
            *to++ = (unsigned char)(0xF0 | c >> 18);
            *to++ = (unsigned char)(0x80 | (c >> 12 & 0x3F));
        }
        *to++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (unsigned char)(0x80 | (c & 0x3F));
    }
    return to;
}

/* The escape at `*from`, written to `to`. Surrogates come in pairs. */
static unsigned char *unescape(unsigned char **from, unsigned char *to)
{
    static const char bytes[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    const unsigned char *c = *from;
    if (bytes[c[1]]) {
        *from += 2;
        *to = (unsigned char)bytes[c[1]];
        return to + 1;
    }
    uint32_t value = c[1] == 'u' ? hex4(c + 2) : UINT32_MAX;
    if (value > 0xFFFF || (value & 0xFC00) == 0xDC00) return NULL;
    *from += 6;
    if ((value & 0xFC00) == 0xD800) {
        uint32_t low = c[6] == '\\' && c[7] == 'u' ? hex4(c + 8) : UINT32_MAX;
        if (low > 0xFFFF || (low & 0xFC00) != 0xDC00) return NULL;
        *from += 6;
        value = 0x10000 + ((value & 0x3FF) << 10 | (low & 0x3FF));
    }
    return put_utf8(to, value);
}

/* Length of the UTF-8 sequence of a code point past ASCII, 0 where it is none (RFC 3629). */
static size_t utf8_len(const unsigned char *c)
{
    if (c[0] < 0xC2 || c[0] > 0xF4 || (c[1] & 0xC0) != 0x80) return 0;
    if (c[0] < 0xE0) return 2;
    if ((c[2] & 0xC0) != 0x80) return 0;
    if (c[0] < 0xF0) {
        bool overlong = c[0] == 0xE0 && c[1] < 0xA0, surrogate = c[0] == 0xED && c[1] > 0x9F;
        return overlong || surrogate ? 0 : 3;
    }
    bool overlong = c[0] == 0xF0 && c[1] < 0x90, past = c[0] == 0xF4 && c[1] > 0x8F;
    return overlong || past || (c[3] & 0xC0) != 0x80 ? 0 : 4;
}

/* The rest of a string from its first byte that is not plain. */
NOINLINE static unsigned char *string_slowly(unsigned char *c, yyjson_val *v, unsigned char *start)
{
    unsigned char *to = c;
    while (*c != '"') {
        if (*c == '\\') {
            to = unescape(&c, to);
            if (!to) return NULL;
            continue;
        }
        size_t n = *c < 0x80 ? (size_t)(skip_plain(c) - c) : utf8_len(c);
        if (n == 0) return NULL;
        if (to != c) memmove(to, c, n);
        c += n;
        to += n;
    }
    *to = '\0';
    v->tag = (uint64_t)(to - start) << YYJSON_TAG_BIT | YYJSON_TYPE_STR;
    v->uni.str = (const char *)start;
    return c + 1;
}

/* `start` is behind the quote; the result is behind the closing one. */
static inline unsigned char *read_string(unsigned char *start, yyjson_val *v)
{
    unsigned char *c = skip_plain(start);
    if (*c != '"') return string_slowly(c, v, start);
    *c = '\0';
    v->tag = (uint64_t)(c - start) << YYJSON_TAG_BIT | YYJSON_TYPE_STR;
    v->uni.str = (const char *)start;
    return c + 1;
}

/* ---- numbers and words ------------------------------------------------------------------ */

static unsigned char *digits(unsigned char *c)
{
    while (fer_is_digit((char)*c)) c++;
    return c;
}

/* Any number that is not short. What 64 bits do not hold exactly is left to others. */
NOINLINE static unsigned char *number_slowly(const struct quick *q, unsigned char *start,
                                             yyjson_val *v)
{
    unsigned char *first = start + (*start == '-'), *c = digits(first);
    if (c == first || (*first == '0' && c > first + 1)) return NULL;
    if (*c == '.') {
        first = c + 1;
        c = digits(first);
        if (c == first) return NULL;
    }
    if (*c == 'e' || *c == 'E') {
        first = c + 1 + (c[1] == '+' || c[1] == '-');
        c = digits(first);
        if (c == first) return NULL;
    }
    size_t len = (size_t)(c - start);
    if (len > q->limits->number || len > FER_NUMBER_MAX) return NULL;
    v->tag = (uint64_t)len << YYJSON_TAG_BIT | YYJSON_TYPE_RAW;
    v->uni.str = (const char *)start;
    unsigned char behind = *c;
    *c = '\0'; /* as settling wants it */
    bool settled = fer_number_settle(v, q->limits->exponent);
    *c = behind;
    return settled && fer_val_type(v) != YYJSON_TYPE_RAW ? c : NULL;
}

static inline unsigned char *read_number(const struct quick *q, unsigned char *start, yyjson_val *v)
{
    unsigned char *first = start + (*start == '-'), *c = first;
    uint64_t value = 0;
    unsigned digit;
    if (*c == '0' && fer_is_digit((char)c[1])) return NULL;
    for (; (digit = (unsigned)*c - '0') <= 9; c++) value = value * 10 + digit;
    if (c == first) return NULL;
    if (*c != '.' && (*c | 0x20) != 'e' && c - first <= FER_WHOLE_CHARS) {
        fer_number_set_whole(v, first > start, value);
        return c;
    }
    if (*c == '.') {
        unsigned char *after = ++c;
        for (; (digit = (unsigned)*c - '0') <= 9; c++) value = value * 10 + digit;
        if (c > after && (*c | 0x20) != 'e' && c - first <= FER_DECIMAL_CHARS) {
            fer_number_set_decimal(v, first > start, value, (size_t)(c - after));
            return c;
        }
    }
    return number_slowly(q, start, v);
}

static inline unsigned char *read_word(unsigned char *c, yyjson_val *v)
{
    v->uni.u64 = 0;
    if (memcmp(c, "true", 4) == 0) {
        v->tag = YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE;
        return c + 4;
    }
    if (memcmp(c, "null", 4) == 0) {
        v->tag = YYJSON_TYPE_NULL;
        return c + 4;
    }
    v->tag = YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_FALSE;
    return memcmp(c, "false", 5) == 0 ? c + 5 : NULL;
}

NOINLINE static unsigned char *skip_blanks(unsigned char *c)
{
    while (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t') c++;
    return c;
}

static inline unsigned char *skip_space(unsigned char *c)
{
    return *c > ' ' ? c : skip_blanks(c);
}

/* ---- the loop --------------------------------------------------------------------------- */

/* Whether a key whose bit is taken stood before. Where there are many, a table will see to them. */
NOINLINE static bool key_twice(const yyjson_val *object, const yyjson_val *key, size_t count)
{
    return count <= FER_KEYS_FEW && fer_key_before(object, key);
}

/* The value for `v` in more memory. */
NOINLINE static yyjson_val *more_room(struct quick *q, const yyjson_val *v)
{
    size_t n = (size_t)(v - q->vals), cap = q->cap + q->cap / 2 + 2;
    yyjson_val *vals = fer_arena_grow(q->arena, q->vals, q->cap * sizeof *vals, cap * sizeof *vals);
    if (!vals) return NULL;
    q->vals = vals;
    q->cap = cap;
    return vals + n;
}

/* Gives a container its length and its end. */
static inline bool close_container(struct quick *q, const struct open *o, const yyjson_val *end)
{
    yyjson_val *v = q->vals + o->index;
    v->tag = (uint64_t)o->count << YYJSON_TAG_BIT |
             (o->closing == '}' ? YYJSON_TYPE_OBJ : YYJSON_TYPE_ARR);
    v->uni.ofs = (size_t)((const char *)end - (const char *)v);
    if (o->closing == ']' || o->count <= q->few) return true;
    q->many = true;
    return o->count <= q->limits->members;
}

/* Reads all values; the number of them, or 0. `end` is behind the text. */
static size_t read_values(struct quick *q, unsigned char *c, const unsigned char *end)
{
    struct open stack[DEPTH], *top = stack, o = {0};
    const struct open *full = stack + (q->limits->depth < DEPTH ? q->limits->depth : DEPTH);
    const size_t key_max = q->limits->key;
    yyjson_val *v = q->vals, *room = v + q->cap - 2;
    c = skip_space(c);
    for (;;) {
        if (v > room) {
            v = more_room(q, v);
            if (!v) return 0;
            room = q->vals + q->cap - 2;
        }
        o.count++;
        if (o.closing == '}') {
            const unsigned char *key = c + 1;
            if (*c != '"' || !(c = read_string(c + 1, v)) || fer_val_len(v) > key_max) return 0;
            uint64_t bit = fer_key_bit(key, fer_val_len(v));
            if (o.keys & bit && key_twice(q->vals + o.index, v, o.count)) return 0;
            o.keys |= bit;
            c = skip_space(c);
            if (*c != ':') return 0;
            c = skip_space(c + 1);
            v++;
        }
        if (*c == '"') {
            c = read_string(c + 1, v);
        } else if (*c == '{' || *c == '[') {
            if (top == full) return 0;
            *top++ = o;
            o = (struct open){(size_t)(v++ - q->vals), 0, 0, (unsigned char)(*c + 2)};
            c = skip_space(c + 1);
            if (*c != o.closing) continue;
            v--;
        } else {
            c = *c >= 'a' ? read_word(c, v) : read_number(q, c, v);
        }
        if (!c) return 0;
        v++;
        for (;; c++) {
            c = skip_space(c);
            if (top == stack) return c == end ? (size_t)(v - q->vals) : 0;
            if (*c == ',') break;
            if (*c != o.closing || !close_container(q, &o, v)) return 0;
            o = *--top;
        }
        c = skip_space(c + 1);
    }
}

static bool keys_differ(fer_arena *a, const fer_json *doc)
{
    for (const yyjson_val *v = doc->vals, *end = v + doc->count; v < end; v++) {
        const yyjson_val *twice = NULL;
        if (!fer_is_obj(v) || fer_val_len(v) <= FER_KEYS_FEW) continue;
        if (!fer_keys_unique(a, v, &twice) || twice) return false;
    }
    return true;
}

NOINLINE bool fer_json_quick(fer_arena *a, fer_json *doc, char *copy, size_t len,
                             const fer_json_limits *limits)
{
    if (len >= SIZE_MOST || len > limits->string || len > limits->nodes) return false;
    if (limits->number <= FER_WHOLE_CHARS) return false;
    struct quick q = {.arena = a, .limits = limits, .cap = len / 6 + 6};
    q.few = limits->members < FER_KEYS_FEW ? limits->members : FER_KEYS_FEW;
    q.vals = fer_arena_alloc(a, q.cap * sizeof *q.vals);
    if (!q.vals) return false;
    unsigned char *text = (unsigned char *)copy;
    doc->count = read_values(&q, text, text + len);
    doc->vals = q.vals;
    fer_arena_trim(a, q.vals + doc->count);
    return doc->count && (!q.many || keys_differ(a, doc));
}
