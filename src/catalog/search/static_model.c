/* SPDX-License-Identifier: Apache-2.0 */
#include "static_model.h"

#include <math.h>

#include "checked.h"
#include "errors.h"

/*
 * magic 8, version 4, dims 4, words 4, slots 4, text bytes 4, zero 4, name 24, sum 8: 64 bytes.
 * Then slots x 4 (number of a word + 1, or 0), words x 4 (where its text ends), words x 2
 * (weights), words x dims (rows), text. The sum is over everything behind the header and over the
 * header with a sum of zero.
 */
enum {
    AT_VERSION = 8,
    AT_DIMS = 12,
    AT_WORDS = 16,
    AT_SLOTS = 20,
    AT_TEXT = 24,
    AT_ZERO = 28,
    AT_NAME = 32,
    AT_SUM = 56,
    HEADER = 64
};
static const char magic[8] = {'F', 'E', 'R', 'S', 'T', 'A', 'T', '\n'};

static uint32_t load32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t load64(const uint8_t *p)
{
    return load32(p) | (uint64_t)load32(p + 4) << 32;
}

static void store32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (8 * i));
}

static void store64(uint8_t *p, uint64_t v)
{
    store32(p, (uint32_t)v);
    store32(p + 4, (uint32_t)(v >> 32));
}

/* FNV-1a; against damage, not against attack. */
static uint64_t sum_of(uint64_t h, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    return h;
}

#define SUM_START UINT64_C(0xCBF29CE484222325)

/* Eight bytes at a time, for the millions of them. */
static uint64_t sum_of_file(fer_str bytes)
{
    const uint8_t *p = (const uint8_t *)bytes.ptr;
    uint64_t h = sum_of(SUM_START, p, AT_SUM);
    size_t i = HEADER;
    for (; i + 8 <= bytes.len; i += 8)
        h = (h ^ load64(p + i)) * UINT64_C(0x9E3779B97F4A7C15), h ^= h >> 29;
    return sum_of(h, p + i, bytes.len - i);
}

static uint32_t hash_of(fer_str stem)
{
    uint64_t h = sum_of(SUM_START, (const uint8_t *)stem.ptr, stem.len);
    return (uint32_t)(h ^ h >> 32);
}

/* ---- opening --------------------------------------------------------------- */

static bool size_of_file(const uint8_t *p, size_t *out)
{
    size_t words = load32(p + AT_WORDS), dims = load32(p + AT_DIMS), slots = load32(p + AT_SLOTS);
    size_t rows = 0, total = 0;
    if (!words || words > FER_MODEL_WORDS_MAX || !dims || dims % 32 || dims > FER_MODEL_DIMS_MAX)
        return false;
    if (slots <= words || slots > 8 * (size_t)FER_MODEL_WORDS_MAX || (slots & (slots - 1)))
        return false;
    return fer_mul_size(words, dims + 6, &rows) && fer_add_size(rows, HEADER + 4 * slots, &total) &&
           fer_add_size(total, load32(p + AT_TEXT), out);
}

static fer_code check_header(fer_str bytes, fer_err *err)
{
    const uint8_t *p = (const uint8_t *)bytes.ptr;
    size_t size = 0;
    if (bytes.len < HEADER || memcmp(p, magic, sizeof magic) != 0)
        return fer_fail_at(err, FER_INVALID_FORMAT, 0, "not an embedding model");
    if (load32(p + AT_VERSION) != FER_MODEL_VERSION)
        return fer_fail_at(err, FER_INVALID_FORMAT, AT_VERSION,
                           "a model of version %u; this program reads version %u",
                           load32(p + AT_VERSION), FER_MODEL_VERSION);
    if (bytes.len > FER_MODEL_BYTES_MAX || load32(p + AT_ZERO) || !size_of_file(p, &size) ||
        size != bytes.len || p[AT_SUM - 1])
        return fer_fail_at(err, FER_INVALID_FORMAT, AT_DIMS,
                           "a model whose sizes do not fit its %zu bytes", bytes.len);
    return FER_OK;
}

static fer_code check_sum(fer_str bytes, fer_err *err)
{
    if (load64((const uint8_t *)bytes.ptr + AT_SUM) == sum_of_file(bytes)) return FER_OK;
    return fer_fail_at(err, FER_INVALID_FORMAT, AT_SUM, "a damaged model: its sum is wrong");
}

static void place(fer_static_model *m, const uint8_t *p)
{
    m->dims = load32(p + AT_DIMS);
    m->words = load32(p + AT_WORDS);
    m->mask = load32(p + AT_SLOTS) - 1;
    m->sum = load64(p + AT_SUM);
    memcpy(m->name, p + AT_NAME, sizeof m->name);
    m->slots = p + HEADER;
    m->ends = m->slots + 4 * ((size_t)m->mask + 1);
    m->weights = m->ends + 4 * (size_t)m->words;
    m->rows = (const int8_t *)(m->weights + 2 * (size_t)m->words);
    m->text = (const char *)m->rows + (size_t)m->words * m->dims;
}

static uint32_t start_of(const fer_static_model *m, uint32_t word)
{
    return word ? load32(m->ends + 4 * (size_t)(word - 1)) : 0;
}

static fer_str stem_of(const fer_static_model *m, uint32_t word)
{
    uint32_t from = start_of(m, word);
    return (fer_str){m->text + from, load32(m->ends + 4 * (size_t)word) - from};
}

/* A sum can be made by anybody: numbers and places are checked one by one all the same. */
static bool places_hold(const fer_static_model *m, uint32_t text_len)
{
    uint32_t at = 0, used = 0;
    for (uint32_t w = 0; w < m->words; w++) {
        uint32_t end = load32(m->ends + 4 * (size_t)w);
        if (end <= at || end > text_len || fer_static_model_weight(m, w) > FER_MODEL_WEIGHT_MAX)
            return false;
        at = end;
    }
    for (size_t s = 0; s <= m->mask; s++) {
        uint32_t n = load32(m->slots + 4 * s);
        if (n > m->words) return false;
        used += n != 0;
    }
    return at == text_len && used == m->words; /* so an empty slot ends every search */
}

fer_code fer_static_model_open(fer_static_model *m, fer_str bytes, fer_err *err)
{
    fer_code code = check_header(bytes, err);
    if (!code) code = check_sum(bytes, err);
    if (code) return code;
    fer_static_model got;
    const uint8_t *p = (const uint8_t *)bytes.ptr;
    place(&got, p);
    if (!places_hold(&got, load32(p + AT_TEXT)))
        return fer_fail_at(err, FER_INVALID_FORMAT, HEADER, "a model whose dictionary is broken");
    *m = got;
    return FER_OK;
}

fer_code fer_static_model_open_own(fer_static_model *m, fer_str bytes, fer_err *err)
{
    fer_code code = check_header(bytes, err);
    if (!code) place(m, (const uint8_t *)bytes.ptr);
    return code;
}

/* ---- looking up -------------------------------------------------------------- */

uint32_t fer_static_model_weight(const fer_static_model *m, uint32_t word)
{
    const uint8_t *p = m->weights + 2 * (size_t)word;
    return p[0] | (uint32_t)p[1] << 8;
}

uint32_t fer_static_model_find(const fer_static_model *m, fer_str stem)
{
    for (uint32_t s = hash_of(stem) & m->mask;; s = (s + 1) & m->mask) {
        uint32_t n = load32(m->slots + 4 * (size_t)s);
        if (!n) return FER_MODEL_NONE;
        if (fer_str_eq(stem_of(m, n - 1), stem)) return n - 1;
    }
}

/* ---- writing ----------------------------------------------------------------- */

static float length_of(const float *row, uint32_t dims)
{
    float sum = 0;
    for (uint32_t i = 0; i < dims; i++) sum += row[i] * row[i];
    return sqrtf(sum);
}

/* The byte of largest size is 127, and the weight makes the row as long as it was. */
static void write_row(const float *from, uint32_t dims, float longest, int8_t *to, uint8_t *weight)
{
    float most = 0;
    for (uint32_t i = 0; i < dims; i++)
        if (fabsf(from[i]) > most) most = fabsf(from[i]);
    for (uint32_t i = 0; i < dims; i++) to[i] = most > 0 ? (int8_t)lrintf(from[i] * 127 / most) : 0;
    long w = longest > 0 ? lrintf(most / longest * FER_MODEL_WEIGHT_MAX) : 0;
    weight[0] = (uint8_t)w;
    weight[1] = (uint8_t)(w >> 8);
}

static void write_words(const fer_static_draft *d, const fer_static_model *m, uint8_t *base)
{
    uint8_t *slots = base + HEADER, *ends = slots + 4 * ((size_t)m->mask + 1);
    uint8_t *weights = ends + 4 * (size_t)d->words;
    int8_t *rows = (int8_t *)(weights + 2 * (size_t)d->words);
    char *text = (char *)rows + (size_t)d->words * d->dims;
    float longest = 0;
    uint32_t at = 0;
    for (uint32_t w = 0; w < d->words; w++) {
        float len = length_of(d->rows + (size_t)w * d->dims, d->dims);
        if (len > longest) longest = len;
    }
    for (uint32_t w = 0; w < d->words; w++) {
        uint32_t s = hash_of(d->stems[w]) & m->mask;
        while (load32(slots + 4 * (size_t)s)) s = (s + 1) & m->mask;
        store32(slots + 4 * (size_t)s, w + 1);
        memcpy(text + at, d->stems[w].ptr, d->stems[w].len);
        at += (uint32_t)d->stems[w].len;
        store32(ends + 4 * (size_t)w, at);
        write_row(d->rows + (size_t)w * d->dims, d->dims, longest, rows + (size_t)w * d->dims,
                  weights + 2 * (size_t)w);
    }
}

static void write_header(const fer_static_draft *d, uint32_t slots, uint32_t text_len, uint8_t *p)
{
    memcpy(p, magic, sizeof magic);
    store32(p + AT_VERSION, FER_MODEL_VERSION);
    store32(p + AT_DIMS, d->dims);
    store32(p + AT_WORDS, d->words);
    store32(p + AT_SLOTS, slots);
    store32(p + AT_TEXT, text_len);
    memcpy(p + AT_NAME, d->name, strnlen(d->name, AT_SUM - AT_NAME - 1));
}

fer_code fer_static_model_write(fer_arena *a, const fer_static_draft *draft, fer_str *out,
                                fer_err *err)
{
    uint8_t sizes[HEADER] = {0};
    uint32_t slots = 2;
    size_t text_len = 0, size = 0;
    fer_static_model m;
    for (uint32_t w = 0; w < draft->words; w++) text_len += draft->stems[w].len;
    while (slots < draft->words + draft->words / 2 + 1) slots *= 2;
    if (draft->words > FER_MODEL_WORDS_MAX || text_len > FER_MODEL_BYTES_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a model of %u words", draft->words);
    write_header(draft, slots, (uint32_t)text_len, sizes);
    if (!size_of_file(sizes, &size) || size > FER_MODEL_BYTES_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a model of %u words x %u", draft->words,
                        draft->dims);
    uint8_t *p = fer_arena_alloc_zero(a, size, 1);
    if (!p) return fer_arena_failed(a, err);
    memcpy(p, sizes, HEADER);
    place(&m, p);
    write_words(draft, &m, p);
    store64(p + AT_SUM, sum_of_file((fer_str){(const char *)p, size}));
    *out = (fer_str){(const char *)p, size};
    return FER_OK;
}
