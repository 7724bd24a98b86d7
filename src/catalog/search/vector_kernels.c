/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_kernels.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- any processor ----------------------------------------------------------- */

static bool always(void)
{
    return true;
}

static inline const int8_t *row_of(const int8_t *rows, const uint32_t *numbers, size_t i,
                                   size_t dims)
{
    return rows + (numbers ? numbers[i] : i) * dims;
}

static void products_plain(const int8_t *rows, const uint32_t *numbers, size_t count,
                           const int8_t *query, size_t dims, int32_t *out)
{
    for (size_t i = 0; i < count; i++) {
        const int8_t *row = row_of(rows, numbers, i, dims);
        int32_t sum = 0;
        for (size_t k = 0; k < dims; k++) sum += row[k] * query[k];
        out[i] = sum;
    }
}

/* Adds what a bit of 32 sketches costs; a loop that compilers make wide. */
static void add_bit(uint16_t *restrict sums, const uint8_t *restrict bytes, unsigned bit,
                    uint8_t set, uint8_t clear)
{
    uint8_t cost[FER_SKETCH_BLOCK];
    for (size_t i = 0; i < FER_SKETCH_BLOCK; i++)
        cost[i] = (bytes[i] & 1U << bit) != 0 ? set : clear;
    for (size_t i = 0; i < FER_SKETCH_BLOCK; i++) sums[i] = (uint16_t)(sums[i] + cost[i]);
}

/* What the sketches of a block cost. */
static void costs_plain(const uint8_t *block, const fer_sketch_query *query,
                        uint16_t sums[FER_SKETCH_BLOCK])
{
    for (size_t i = 0; i < FER_SKETCH_BLOCK; i++) sums[i] = 0;
    for (size_t p = 0; p < query->planes; p++, block += FER_SKETCH_BLOCK)
        for (unsigned i = 0; i < 8; i++)
            add_bit(sums, block, i, query->set[8 * p + i], query->clear[8 * p + i]);
}

static size_t within_plain(const uint8_t *sketches, size_t blocks, const fer_sketch_query *query,
                           unsigned most, fer_sketch_hit *out)
{
    const size_t size = query->planes * FER_SKETCH_BLOCK;
    size_t found = 0;
    for (size_t b = 0; b < blocks; b++) {
        uint16_t sums[FER_SKETCH_BLOCK];
        costs_plain(sketches + b * size, query, sums);
        for (size_t i = 0; i < FER_SKETCH_BLOCK; i++) {
            out[found] = (fer_sketch_hit){(uint16_t)(b * FER_SKETCH_BLOCK + i), sums[i]};
            found += sums[i] <= most;
        }
    }
    return found;
}

static void left_plain(const uint8_t *sketches, size_t blocks, const fer_sketch_query *query,
                       uint16_t *out)
{
    const size_t size = query->planes * FER_SKETCH_BLOCK;
    for (size_t b = 0; b < blocks; b++, out += FER_SKETCH_BLOCK) {
        costs_plain(sketches + b * size, query, out);
        for (size_t i = 0; i < FER_SKETCH_BLOCK; i++) out[i] = (uint16_t)(query->far - out[i]);
    }
}

static void add_plain(int32_t *restrict sum, const int8_t *restrict row, int32_t factor,
                      size_t dims)
{
    for (size_t i = 0; i < dims; i++) sum[i] += factor * row[i];
}

static inline uint32_t size_of(int32_t v)
{
    return v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
}

/*
 * Squares are summed as whole numbers, so that the order of the sum and the width of registers do
 * not matter: values are first brought below 2^23, whose squares fit into 64 bits FER_EMBED_DIMS
 * times. Loops of few kinds of numbers each, which compilers make wide.
 */
static inline __attribute__((always_inline)) void make_unit(const int32_t *from, size_t dims,
                                                            int8_t *out)
{
    int32_t sizes[FER_EMBED_DIMS];
    uint32_t bits = 0; /* of all sizes: the highest is that of the largest */
    int shift = 0;
    uint64_t squares = 0;
    for (size_t i = 0; i < dims; i++) bits |= size_of(from[i]);
    while (bits >> shift >= 1u << 23) shift++;
    for (size_t i = 0; i < dims; i++) sizes[i] = (int32_t)(size_of(from[i]) >> shift);
    for (size_t i = 0; i < dims; i++)
        squares += (uint64_t)(uint32_t)sizes[i] * (uint64_t)(uint32_t)sizes[i];
    double factor = squares ? FER_EMBED_UNIT / sqrt((double)squares) : 0;
    for (size_t i = 0; i < dims; i++)
        sizes[i] = (int32_t)((double)sizes[i] * factor + 0.5); /* not below 0 */
    for (size_t i = 0; i < dims; i++) {
        int32_t byte = sizes[i] > 127 ? 127 : sizes[i];
        out[i] = (int8_t)(from[i] < 0 ? -byte : byte);
    }
}

static void unit_plain(const int32_t *from, size_t dims, int8_t *out)
{
    make_unit(from, dims, out);
}

/* ---- AVX2 ---------------------------------------------------------------------- */

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,popcnt")))

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

AVX2 static inline __m256i load(const int8_t *p)
{
    return _mm256_loadu_si256((const __m256i_u *)p);
}

/* 32 products, added by fours: sizes of the query times what is left of the signs in the row. Two
 * products of 127 x 127 fit into 16 bits. */
AVX2 static inline __m256i fours(__m256i row, __m256i query, __m256i size)
{
    __m256i pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(row, query));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

AVX2 static inline int32_t across(__m256i v)
{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1));
    return _mm_cvtsi128_si32(s);
}

/* A query of 128 bytes, the size of the built-in model, in registers. */
typedef struct held {
    __m256i part[4], size[4];
} held;

AVX2 static inline held hold(const int8_t *query)
{
    held h;
    for (size_t i = 0; i < 4; i++) {
        h.part[i] = load(query + 32 * i);
        h.size[i] = _mm256_abs_epi8(h.part[i]);
    }
    return h;
}

/*
 * Whether products of a row can be added by fours in 16 bits: 127 times the four sizes of the query
 * that meet in a place of them must stay below 2^15.
 */
AVX2 static inline bool is_flat(const held *h)
{
    const __m256i ones = _mm256_set1_epi8(1), most = _mm256_set1_epi16(258);
    __m256i low = _mm256_add_epi16(_mm256_maddubs_epi16(h->size[0], ones),
                                   _mm256_maddubs_epi16(h->size[1], ones));
    __m256i high = _mm256_add_epi16(_mm256_maddubs_epi16(h->size[2], ones),
                                    _mm256_maddubs_epi16(h->size[3], ones));
    __m256i above = _mm256_cmpgt_epi16(_mm256_max_epi16(low, high), most);
    return !_mm256_movemask_epi8(above);
}

AVX2 static inline __m256i product_128(const int8_t *row, const held *h)
{
    __m256i low = _mm256_add_epi32(fours(load(row), h->part[0], h->size[0]),
                                   fours(load(row + 32), h->part[1], h->size[1]));
    __m256i high = _mm256_add_epi32(fours(load(row + 64), h->part[2], h->size[2]),
                                    fours(load(row + 96), h->part[3], h->size[3]));
    return _mm256_add_epi32(low, high);
}

AVX2 static inline __m256i pairs_of(const int8_t *row, const held *h, size_t i)
{
    return _mm256_maddubs_epi16(h->size[i], _mm256_sign_epi8(load(row + 32 * i), h->part[i]));
}

/* The same where the query is flat. */
AVX2 static inline __m256i product_flat(const int8_t *row, const held *h)
{
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i low = _mm256_add_epi16(pairs_of(row, h, 0), pairs_of(row, h, 1));
    __m256i high = _mm256_add_epi16(pairs_of(row, h, 2), pairs_of(row, h, 3));
    return _mm256_add_epi32(_mm256_madd_epi16(low, ones), _mm256_madd_epi16(high, ones));
}

AVX2 static inline __m256i flat_at(const int8_t *rows, const uint32_t *numbers, size_t i,
                                   const held *h)
{
    return product_flat(row_of(rows, numbers, i, 128), h);
}

AVX2 static inline void products_128(const int8_t *rows, const uint32_t *numbers, size_t count,
                                     const int8_t *query, int32_t *out)
{
    const held h = hold(query);
    size_t i = 0;
    if (count >= 4 && is_flat(&h))
        for (; i + 4 <= count; i += 4) {
            __m256i one =
                _mm256_hadd_epi32(flat_at(rows, numbers, i, &h), flat_at(rows, numbers, i + 1, &h));
            __m256i two = _mm256_hadd_epi32(flat_at(rows, numbers, i + 2, &h),
                                            flat_at(rows, numbers, i + 3, &h));
            __m256i all = _mm256_hadd_epi32(one, two);
            __m128i sum =
                _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
            _mm_storeu_si128((__m128i_u *)(out + i), sum);
        }
    for (; i < count; i++) out[i] = across(product_128(row_of(rows, numbers, i, 128), &h));
}

AVX2 static void products_avx2(const int8_t *rows, const uint32_t *numbers, size_t count,
                               const int8_t *query, size_t dims, int32_t *out)
{
    if (dims == 128) {
        if (numbers) products_128(rows, numbers, count, query, out);
        else products_128(rows, NULL, count, query, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const int8_t *row = row_of(rows, numbers, i, dims);
        __m256i sum = _mm256_setzero_si256();
        for (size_t k = 0; k < dims; k += 32) {
            __m256i q = load(query + k);
            sum = _mm256_add_epi32(sum, fours(load(row + k), q, _mm256_abs_epi8(q)));
        }
        out[i] = across(sum);
    }
}

/* What two bytes of a sketch cost, by fours of their bits. */
typedef struct tables {
    __m256i part[4];
} tables;

AVX2 static inline tables load_tables(const uint8_t from[4][16])
{
    tables t;
    for (size_t i = 0; i < 4; i++)
        t.part[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i_u *)from[i]));
    return t;
}

/* What a byte of each of 32 sketches costs: at most 8 x FER_SKETCH_STEPS. */
AVX2 static inline __m256i cost_of(const uint8_t *bytes, __m256i low, __m256i high)
{
    const __m256i four = _mm256_set1_epi8(15);
    __m256i v = _mm256_loadu_si256((const __m256i_u *)bytes);
    low = _mm256_shuffle_epi8(low, _mm256_and_si256(v, four));
    high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(v, 4), four));
    return _mm256_add_epi8(low, high);
}

/* Sums of 32 sketches, of which each lane has eight in `low` and the next eight in `high`. */
typedef struct sums {
    __m256i low, high;
} sums;

AVX2 static inline void add_costs(sums *s, const uint8_t *bytes, const tables *t)
{
    static_assert(16 * FER_SKETCH_STEPS <= UINT8_MAX, "two bytes cost what a byte holds");
    const __m256i none = _mm256_setzero_si256();
    __m256i both = _mm256_add_epi8(cost_of(bytes, t->part[0], t->part[1]),
                                   cost_of(bytes + FER_SKETCH_BLOCK, t->part[2], t->part[3]));
    s->low = _mm256_add_epi16(s->low, _mm256_unpacklo_epi8(both, none));
    s->high = _mm256_add_epi16(s->high, _mm256_unpackhi_epi8(both, none));
}

/* Two blocks at once: the tables are loaded for both. */
AVX2 static inline void costs_of(const uint8_t *one, const uint8_t *other,
                                 const fer_sketch_query *q, size_t planes, sums s[2])
{
    s[0].low = s[0].high = s[1].low = s[1].high = _mm256_setzero_si256();
    for (size_t p = 0; p < planes; p += 2) {
        const tables t = load_tables(&q->tables[2 * p]);
        add_costs(&s[0], one + p * FER_SKETCH_BLOCK, &t);
        add_costs(&s[1], other + p * FER_SKETCH_BLOCK, &t);
    }
}

/* A bit for each of the 32 that is at most `most`, in their order. */
AVX2 static inline uint32_t at_most(const sums *s, __m256i most)
{
    __m256i low = _mm256_cmpeq_epi16(_mm256_min_epu16(s->low, most), s->low);
    __m256i high = _mm256_cmpeq_epi16(_mm256_min_epu16(s->high, most), s->high);
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(low, high));
}

/* The hits of a block whose first place is `first`; how many. */
AVX2 static inline size_t take_hits(const sums *s, __m256i most, size_t first, fer_sketch_hit *out)
{
    uint16_t costs[2][16];
    uint32_t bits = at_most(s, most);
    size_t found = 0;
    if (!bits) return 0;
    _mm256_storeu_si256((__m256i_u *)costs[0], s->low);
    _mm256_storeu_si256((__m256i_u *)costs[1], s->high);
    for (; bits; bits &= bits - 1) {
        unsigned k = (unsigned)__builtin_ctz(bits);
        out[found++] =
            (fer_sketch_hit){(uint16_t)(first + k), costs[k / 8 % 2][k / 16 * 8 + k % 8]};
    }
    return found;
}

AVX2 static inline size_t within_planes(const uint8_t *sketches, size_t blocks,
                                        const fer_sketch_query *query, size_t planes, unsigned most,
                                        fer_sketch_hit *out)
{
    const __m256i cut = _mm256_set1_epi16((short)most);
    const size_t size = planes * FER_SKETCH_BLOCK;
    size_t found = 0;
    for (size_t b = 0; b < blocks; b += 2) {
        const uint8_t *one = sketches + b * size;
        bool more = b + 1 < blocks;
        sums s[2];
        costs_of(one, more ? one + size : one, query, planes, s);
        found += take_hits(&s[0], cut, b * FER_SKETCH_BLOCK, out + found);
        if (more) found += take_hits(&s[1], cut, (b + 1) * FER_SKETCH_BLOCK, out + found);
    }
    return found;
}

/* The size of the built-in model's vectors has a loop of its own. */
AVX2 static size_t within_avx2(const uint8_t *sketches, size_t blocks,
                               const fer_sketch_query *query, unsigned most, fer_sketch_hit *out)
{
    if (query->planes == 128 / 8) return within_planes(sketches, blocks, query, 16, most, out);
    return within_planes(sketches, blocks, query, query->planes, most, out);
}

/* Sums of a block in their order, each taken from `far`. */
AVX2 static inline void store_left(const sums *s, __m256i far, uint16_t *out)
{
    __m256i one = _mm256_permute2x128_si256(s->low, s->high, 0x20);
    __m256i two = _mm256_permute2x128_si256(s->low, s->high, 0x31);
    _mm256_storeu_si256((__m256i_u *)out, _mm256_sub_epi16(far, one));
    _mm256_storeu_si256((__m256i_u *)(out + 16), _mm256_sub_epi16(far, two));
}

AVX2 static inline void left_planes(const uint8_t *sketches, size_t blocks,
                                    const fer_sketch_query *query, size_t planes, uint16_t *out)
{
    const __m256i far = _mm256_set1_epi16((short)query->far);
    const size_t size = planes * FER_SKETCH_BLOCK;
    for (size_t b = 0; b < blocks; b += 2, out += (size_t)2 * FER_SKETCH_BLOCK) {
        const uint8_t *one = sketches + b * size;
        bool more = b + 1 < blocks;
        sums s[2];
        costs_of(one, more ? one + size : one, query, planes, s);
        store_left(&s[0], far, out);
        if (more) store_left(&s[1], far, out + FER_SKETCH_BLOCK);
    }
}

AVX2 static void left_avx2(const uint8_t *sketches, size_t blocks, const fer_sketch_query *query,
                           uint16_t *out)
{
    if (query->planes == 128 / 8) left_planes(sketches, blocks, query, 16, out);
    else left_planes(sketches, blocks, query, query->planes, out);
}

AVX2 static void add_avx2(int32_t *sum, const int8_t *row, int32_t factor, size_t dims)
{
    const __m256i times = _mm256_set1_epi32(factor);
    for (size_t i = 0; i < dims; i += 8) {
        __m256i_u *to = (__m256i_u *)(sum + i);
        __m256i eight = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i_u *)(row + i)));
        __m256i more = _mm256_mullo_epi32(eight, times);
        _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), more));
    }
}

AVX2 static void unit_avx2(const int32_t *from, size_t dims, int8_t *out)
{
    make_unit(from, dims, out);
}
#endif

const fer_vector_kernels fer_vector_kernel_rows[] = {
#if defined(__x86_64__)
    {"avx2", has_avx2, products_avx2, within_avx2, left_avx2, add_avx2, unit_avx2},
#endif
    {"plain", always, products_plain, within_plain, left_plain, add_plain, unit_plain},
};
const size_t fer_vector_kernel_count =
    sizeof fer_vector_kernel_rows / sizeof fer_vector_kernel_rows[0];

const fer_vector_kernels *fer_vector_kernels_here(void)
{
    const fer_vector_kernels *k = fer_vector_kernel_rows;
    while (!k->runs_here()) k++;
    return k;
}
