/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- any processor ----------------------------------------------------------- */

static bool always(void)
{
    return true;
}

static bool in_table(const uint64_t table[4], unsigned byte)
{
    return table[byte >> 6] >> (byte & 63) & 1;
}

/* Whether a name goes on behind the first 64 units; `starts` has the first unit. */
static inline bool is_long_name(unsigned count, uint64_t starts)
{
    return (count > 64) & !(starts & ~UINT64_C(1));
}

static size_t sort_head(const fer_rank_net *net, fer_rank_head *h, unsigned place,
                        fer_rank_word *words)
{
    bool wide = false;
    size_t found = 0;
    h->starts[0] = h->starts[1] = 0;
    for (unsigned i = 0; i < h->count; i++) {
        unsigned unit = h->units[i];
        bool start = unit >= FER_RECORD_MARK;
        words[found] = (fer_rank_word){(uint16_t)(place + i), (uint16_t)unit};
        found += !start && in_table(net->low, unit & 0xFF) && in_table(net->high, unit >> 5 & 0xFF);
        h->starts[i / 64] |= (uint64_t)start << i % 64;
        wide |= unit >= FER_RECORD_WIDE;
    }
    h->odd = wide || is_long_name(h->count, h->starts[0]);
    return h->odd ? 0 : found;
}

static size_t sort_plain(const fer_rank_net *net, fer_rank_head *heads, unsigned count,
                         fer_rank_word *words)
{
    size_t found = 0;
    for (unsigned i = 0; i < count; i++)
        found += sort_head(net, &heads[i], i << FER_RANK_PLACE, words + found);
    return found;
}

static void above_plain(const double *scores, size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t above = 0;
        for (size_t k = 0; k < count; k++) above += scores[k] > scores[i];
        out[i] = above;
    }
}

/* ---- AVX2 ---------------------------------------------------------------------- */

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

/* A table in both halves of two registers. */
typedef struct table {
    __m256i part[2];
} table;

AVX2 static inline table load_table(const uint64_t from[4])
{
    table t;
    for (unsigned i = 0; i < 2; i++)
        t.part[i] =
            _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i_u *)(from + (size_t)2 * i)));
    return t;
}

/* Which of 32 bytes are in a table. */
AVX2 static inline __m256i are_in(const table *t, __m256i bytes)
{
    const __m256i bits = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    __m256i row = _mm256_and_si256(_mm256_srli_epi16(bytes, 3), _mm256_set1_epi8(15));
    __m256i place = _mm256_and_si256(bytes, _mm256_set1_epi8(7));
    __m256i has = _mm256_blendv_epi8(_mm256_shuffle_epi8(t->part[0], row),
                                     _mm256_shuffle_epi8(t->part[1], row), bytes);
    __m256i bit = _mm256_shuffle_epi8(bits, place);
    return _mm256_cmpeq_epi8(_mm256_and_si256(has, bit), bit);
}

/* The lower bytes of 32 units. Packing goes by halves, and bits_of puts them in order again. */
AVX2 static inline __m256i low_bytes(__m256i one, __m256i two)
{
    const __m256i low = _mm256_set1_epi16(0xFF);
    return _mm256_packus_epi16(_mm256_and_si256(one, low), _mm256_and_si256(two, low));
}

AVX2 static inline uint64_t bits_of(__m256i bytes)
{
    return (unsigned)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xD8));
}

AVX2 static inline __m256i are_wide(__m256i units)
{
    return _mm256_cmpeq_epi16(_mm256_max_epu16(units, _mm256_set1_epi16((short)FER_RECORD_WIDE)),
                              units);
}

struct sorted {
    uint64_t caught, starts, wide;
};

AVX2 static inline void sort_32(const table *low, const table *high, const uint16_t *units,
                                unsigned at, struct sorted *s)
{
    __m256i one = _mm256_loadu_si256((const __m256i_u *)(units + at));
    __m256i two = _mm256_loadu_si256((const __m256i_u *)(units + at + 16));
    __m256i more = low_bytes(_mm256_srli_epi16(one, 5), _mm256_srli_epi16(two, 5));
    __m256i caught = _mm256_and_si256(are_in(low, low_bytes(one, two)), are_in(high, more));
    __m256i top = _mm256_packus_epi16(_mm256_srli_epi16(one, 12), _mm256_srli_epi16(two, 12));
    __m256i start = _mm256_cmpeq_epi8(top, _mm256_set1_epi8(FER_RECORD_MARK >> 12));
    s->caught |= bits_of(_mm256_andnot_si256(start, caught)) << at;
    s->starts |= bits_of(start) << at;
    s->wide |= bits_of(_mm256_packs_epi16(are_wide(one), are_wide(two))) << at;
}

/* 64 at once, of which `count` are looked at. */
AVX2 static inline struct sorted sort_64(const table *low, const table *high, const uint16_t *units,
                                         unsigned count)
{
    uint64_t those = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    struct sorted s = {0, 0, 0};
    sort_32(low, high, units, 0, &s);
    if (count > 32) sort_32(low, high, units, 32, &s);
    return (struct sorted){s.caught & those, s.starts & those, s.wide & those};
}

/* Some more steps cost less than to guess how many. */
AVX2 static inline void note(fer_rank_word *words, const uint16_t *units, unsigned place,
                             uint64_t caught)
{
    for (; caught; words += FER_RANK_STEP) {
        for (unsigned i = 0; i < FER_RANK_STEP; i++) {
            unsigned at = (unsigned)_tzcnt_u64(caught) & 63;
            words[i] = (fer_rank_word){(uint16_t)(place + at), units[at]};
            caught &= caught - 1;
        }
    }
}

AVX2 static size_t sort_avx2(const fer_rank_net *net, fer_rank_head *heads, unsigned count,
                             fer_rank_word *words)
{
    static_assert(FER_RECORD_MARK == 0xF000, "no term has four 1s in front");
    const table low = load_table(net->low), high = load_table(net->high);
    const fer_rank_word *first = words;
    for (unsigned i = 0; i < count; i++) {
        fer_rank_head *h = &heads[i];
        unsigned place = i << FER_RANK_PLACE;
        if (!h->count) continue;
        struct sorted s = sort_64(&low, &high, h->units, h->count), more = {0, 0, 0};
        if (h->count > 64) more = sort_64(&low, &high, h->units + 64, h->count - 64);
        h->starts[0] = s.starts;
        h->starts[1] = more.starts;
        h->odd = (s.wide | more.wide) != 0 || is_long_name(h->count, s.starts);
        if (h->odd) continue;
        note(words, h->units, place, s.caught);
        words += __builtin_popcountll(s.caught);
        if (h->count <= 64) continue;
        note(words, h->units + 64, place + 64, more.caught);
        words += __builtin_popcountll(more.caught);
    }
    return (size_t)(words - first);
}

/* Eight are held against all, one after the other. */
AVX2 static void above_avx2(const double *scores, size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i += FER_RANK_SCORES) {
        const __m256d low = _mm256_loadu_pd(scores + i), high = _mm256_loadu_pd(scores + i + 4);
        __m256i one = _mm256_setzero_si256(), two = one;
        for (size_t k = 0; k < count; k++) {
            __m256d other = _mm256_broadcast_sd(scores + k);
            one = _mm256_sub_epi64(one, _mm256_castpd_si256(_mm256_cmp_pd(other, low, _CMP_GT_OQ)));
            two =
                _mm256_sub_epi64(two, _mm256_castpd_si256(_mm256_cmp_pd(other, high, _CMP_GT_OQ)));
        }
        _mm256_storeu_si256((__m256i_u *)(out + i), one);
        _mm256_storeu_si256((__m256i_u *)(out + i + 4), two);
    }
}

/* ---- AVX-512 with whole bytes, 64 units at once ---------------------------------- */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,bmi,popcnt")))

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}

/* Both tables, twice each, so that who looks up a row need not clear the bit above its number; a
 * byte's bit in its row, by the same token; and the places of the lower bytes of 64 units. */
typedef struct tables {
    __m512i low, high, bits, even;
} tables;

AVX512 static inline tables load_tables(const fer_rank_net *net)
{
    const __m512i twos = _mm512_set_epi8(
        62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26, 24, 22, 20, 18,
        16, 14, 12, 10, 8, 6, 4, 2, 0, 62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34,
        32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return (tables){
        _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i_u *)net->low)),
        _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i_u *)net->high)),
        _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201)),
        _mm512_or_si512(twos, _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi8(64), 1))};
}

AVX512 static inline uint64_t are_in_512(const tables *t, __m512i rows, __m512i bytes)
{
    __m512i row = _mm512_permutexvar_epi8(_mm512_srli_epi16(bytes, 3), rows);
    return _mm512_test_epi8_mask(row, _mm512_permutexvar_epi8(bytes, t->bits));
}

AVX512 static inline uint64_t at_least(__m512i one, __m512i two, unsigned floor)
{
    const __m512i least = _mm512_set1_epi16((short)floor);
    return _mm512_cmpge_epu16_mask(one, least) | (uint64_t)_mm512_cmpge_epu16_mask(two, least)
                                                     << 32;
}

AVX512 static inline struct sorted sort_512(const tables *t, const uint16_t *units, unsigned count)
{
    const __m512i one = _mm512_loadu_si512(units), two = _mm512_loadu_si512(units + 32);
    __m512i bytes = _mm512_permutex2var_epi8(one, t->even, two);
    __m512i more =
        _mm512_permutex2var_epi8(_mm512_srli_epi16(one, 5), t->even, _mm512_srli_epi16(two, 5));
    uint64_t those = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    uint64_t starts = at_least(one, two, FER_RECORD_MARK) & those;
    uint64_t caught = are_in_512(t, t->low, bytes) & are_in_512(t, t->high, more);
    return (struct sorted){caught & those & ~starts, starts,
                           at_least(one, two, FER_RECORD_WIDE) & those};
}

/* The words that were caught are moved together, sixteen units at once. Behind the last one. */
AVX512 static inline fer_rank_word *note_512(fer_rank_word *words, const uint16_t *units,
                                             unsigned place, uint64_t caught)
{
    __m512i places =
        _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                         _mm512_set1_epi32((int)place));
    for (unsigned at = 0; at < 64; at += 16) {
        __m512i unit = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)(units + at)));
        __m512i word = _mm512_or_si512(_mm512_slli_epi32(unit, 16), places);
        __mmask16 those = (__mmask16)(caught >> at);
        _mm512_storeu_si512(words, _mm512_maskz_compress_epi32(those, word));
        words += __builtin_popcount(those);
        places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
    }
    return words;
}

AVX512 static size_t sort_avx512(const fer_rank_net *net, fer_rank_head *heads, unsigned count,
                                 fer_rank_word *words)
{
    static_assert(offsetof(fer_rank_word, what) == 2 && FER_RANK_MORE >= 16, "as they are stored");
    const tables t = load_tables(net);
    const fer_rank_word *first = words;
    for (unsigned i = 0; i < count; i++) {
        fer_rank_head *h = &heads[i];
        if (!h->count) continue;
        struct sorted s = sort_512(&t, h->units, h->count), more = {0, 0, 0};
        if (h->count > 64) more = sort_512(&t, h->units + 64, h->count - 64);
        h->starts[0] = s.starts;
        h->starts[1] = more.starts;
        h->odd = (s.wide | more.wide) != 0 || is_long_name(h->count, s.starts);
        if (h->odd) continue;
        words = note_512(words, h->units, i << FER_RANK_PLACE, s.caught);
        if (more.caught)
            words = note_512(words, h->units + 64, (i << FER_RANK_PLACE) + 64, more.caught);
    }
    return (size_t)(words - first);
}
#endif

const fer_rank_kernels fer_rank_kernel_rows[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, sort_avx512, above_avx2},
    {"avx2", has_avx2, sort_avx2, above_avx2},
#endif
    {"plain", always, sort_plain, above_plain},
};
const size_t fer_rank_kernel_count = sizeof fer_rank_kernel_rows / sizeof fer_rank_kernel_rows[0];

const fer_rank_kernels *fer_rank_kernels_here(void)
{
    const fer_rank_kernels *k = fer_rank_kernel_rows;
    while (!k->runs_here()) k++;
    return k;
}
