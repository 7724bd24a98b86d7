/* SPDX-License-Identifier: Apache-2.0 */
#include "sum_kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- any processor ----------------------------------------------------------- */

static bool always(void)
{
    return true;
}

static uint32_t take_plain(uint16_t *sums, uint32_t size, uint16_t floor, uint16_t *places,
                           uint16_t *values)
{
    uint32_t found = 0;
    for (uint32_t at = 0; at < size; at++) {
        if (sums[at] < floor) continue;
        places[found] = (uint16_t)at;
        values[found++] = sums[at];
    }
    memset(sums, 0, size * sizeof *sums);
    return found;
}

static uint32_t count_plain(const uint16_t *sums, uint32_t size, uint16_t floor)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < size; at++) count += sums[at] >= floor;
    return count;
}

static void gains_plain(float step, uint16_t out[FER_GAINS])
{
    for (unsigned i = 0; i < FER_GAINS; i++) out[i] = (uint16_t)(int)(step * (float)(i + 1));
}

/* ---- SSE2, which every x86-64 has ---------------------------------------------- */

#if defined(__x86_64__)
static inline __m128i eight(const uint16_t *sums, unsigned part)
{
    return _mm_load_si128((const __m128i *)(const void *)sums + part);
}

/* Which of 32 are above, a bit each. */
static inline unsigned above_32(const uint16_t *sums, __m128i under)
{
    __m128i low = _mm_packs_epi16(_mm_cmpgt_epi16(eight(sums, 0), under),
                                  _mm_cmpgt_epi16(eight(sums, 1), under));
    __m128i high = _mm_packs_epi16(_mm_cmpgt_epi16(eight(sums, 2), under),
                                   _mm_cmpgt_epi16(eight(sums, 3), under));
    return (unsigned)_mm_movemask_epi8(low) | (unsigned)_mm_movemask_epi8(high) << 16;
}

static inline uint32_t note(uint64_t bits, const uint16_t *sums, uint32_t at, uint32_t found,
                            uint16_t *places, uint16_t *values)
{
    for (; bits; bits &= bits - 1) {
        uint32_t place = at + (unsigned)__builtin_ctzll(bits);
        places[found] = (uint16_t)place;
        values[found++] = sums[place];
    }
    return found;
}

static uint32_t take_sse2(uint16_t *sums, uint32_t size, uint16_t floor, uint16_t *places,
                          uint16_t *values)
{
    const __m128i under = _mm_set1_epi16((short)(floor - 1)), none = _mm_setzero_si128();
    uint32_t found = 0;
    for (uint32_t at = 0; at < size; at += 32) {
        __m128i top = _mm_max_epi16(_mm_max_epi16(eight(sums + at, 0), eight(sums + at, 1)),
                                    _mm_max_epi16(eight(sums + at, 2), eight(sums + at, 3)));
        if (_mm_movemask_epi8(_mm_cmpgt_epi16(top, under)))
            found = note(above_32(sums + at, under), sums, at, found, places, values);
        for (unsigned part = 0; part < 4; part++)
            _mm_store_si128((__m128i *)(void *)(sums + at) + part, none);
    }
    return found;
}

static uint32_t count_sse2(const uint16_t *sums, uint32_t size, uint16_t floor)
{
    __m128i under = _mm_set1_epi16((short)(floor - 1)), count = _mm_setzero_si128();
    uint16_t counts[8];
    uint32_t all = 0;
    for (uint32_t at = 0; at < size; at += 32) {
        for (unsigned part = 0; part < 4; part++)
            count = _mm_sub_epi16(count, _mm_cmpgt_epi16(eight(sums + at, part), under));
    }
    _mm_storeu_si128((__m128i *)(void *)counts, count);
    for (unsigned i = 0; i < 8; i++) all += counts[i];
    return all;
}

/* ---- AVX2 ---------------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

AVX2 static inline __m256i sixteen(const uint16_t *sums, unsigned part)
{
    return _mm256_load_si256((const __m256i *)(const void *)sums + part);
}

/* Which of 32 are above, a bit each: packing goes by halves, which are put in order again. */
AVX2 static inline uint64_t above_avx2(const uint16_t *sums, __m256i under)
{
    __m256i both = _mm256_packs_epi16(_mm256_cmpgt_epi16(sixteen(sums, 0), under),
                                      _mm256_cmpgt_epi16(sixteen(sums, 1), under));
    return (unsigned)_mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xD8));
}

/* Whether one of 64 is above. */
AVX2 static inline bool any_above(const uint16_t *s, __m256i under)
{
    __m256i top = _mm256_max_epi16(_mm256_max_epi16(sixteen(s, 0), sixteen(s, 1)),
                                   _mm256_max_epi16(sixteen(s, 2), sixteen(s, 3)));
    return _mm256_movemask_epi8(_mm256_cmpgt_epi16(top, under)) != 0;
}

AVX2 static inline void clear_lot(uint16_t *sums)
{
    for (unsigned part = 0; part < 4; part++)
        _mm256_store_si256((__m256i *)(void *)sums + part, _mm256_setzero_si256());
}

/* First which of up to 64 lots have one, a bit each: that is not for a branch to foresee. The
 * others are cleared while they are at hand. */
AVX2 static inline uint64_t lots_above(uint16_t *sums, uint32_t lots, __m256i under)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < lots; i++) {
        uint16_t *lot = sums + (size_t)i * FER_SUMS_LOT;
        bool any = any_above(lot, under);
        const __m256i keep = _mm256_set1_epi32(-(int)any);
        for (unsigned part = 0; part < 4; part++)
            _mm256_store_si256((__m256i *)(void *)lot + part,
                               _mm256_and_si256(sixteen(lot, part), keep));
        bits |= (uint64_t)any << i;
    }
    return bits;
}

/* The places of up to 64 and their values. How many is not for a branch to foresee: some more steps
 * cost less. */
AVX2 static inline uint32_t note_avx2(uint64_t bits, const uint16_t *sums, uint32_t at,
                                      uint16_t *places, uint16_t *values)
{
    uint32_t count = (uint32_t)__builtin_popcountll(bits);
    for (; bits; places += FER_SUMS_STEP, values += FER_SUMS_STEP) {
        for (unsigned i = 0; i < FER_SUMS_STEP; i++) {
            uint32_t place = at + ((unsigned)_tzcnt_u64(bits) & 63);
            places[i] = (uint16_t)place;
            values[i] = sums[place];
            bits &= bits - 1;
        }
    }
    return count;
}

AVX2 static uint32_t take_avx2(uint16_t *sums, uint32_t size, uint16_t floor, uint16_t *places,
                               uint16_t *values)
{
    const __m256i under = _mm256_set1_epi16((short)(floor - 1));
    const uint32_t lots = (size + FER_SUMS_LOT - 1) / FER_SUMS_LOT;
    uint32_t found = 0;
    for (uint32_t first = 0; first < lots; first += 64) {
        uint32_t count = lots - first < 64 ? lots - first : 64;
        uint64_t some = lots_above(sums + (size_t)first * FER_SUMS_LOT, count, under);
        for (; some; some &= some - 1) {
            uint32_t at = (first + (unsigned)__builtin_ctzll(some)) * FER_SUMS_LOT;
            uint64_t bits = above_avx2(sums + at, under) | above_avx2(sums + at + 32, under) << 32;
            found += note_avx2(bits, sums, at, places + found, values + found);
            clear_lot(sums + at);
        }
    }
    return found;
}

AVX2 static void gains_avx2(float step, uint16_t out[FER_GAINS])
{
    const __m256 steps = _mm256_set1_ps(step), more = _mm256_set1_ps(8);
    __m256 level = _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8);
    for (unsigned i = 0; i < FER_GAINS; i += 16) {
        __m256i low = _mm256_cvttps_epi32(_mm256_mul_ps(steps, level));
        level = _mm256_add_ps(level, more);
        __m256i high = _mm256_cvttps_epi32(_mm256_mul_ps(steps, level));
        level = _mm256_add_ps(level, more);
        __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xD8);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), both);
    }
}

AVX2 static uint32_t count_avx2(const uint16_t *sums, uint32_t size, uint16_t floor)
{
    __m256i under = _mm256_set1_epi16((short)(floor - 1)), one = _mm256_setzero_si256(), two = one;
    uint16_t counts[16];
    uint32_t all = 0;
    for (uint32_t at = 0; at < size; at += 64) {
        const uint16_t *s = sums + at;
        one = _mm256_sub_epi16(one, _mm256_cmpgt_epi16(sixteen(s, 0), under));
        two = _mm256_sub_epi16(two, _mm256_cmpgt_epi16(sixteen(s, 1), under));
        one = _mm256_sub_epi16(one, _mm256_cmpgt_epi16(sixteen(s, 2), under));
        two = _mm256_sub_epi16(two, _mm256_cmpgt_epi16(sixteen(s, 3), under));
    }
    _mm256_storeu_si256((__m256i *)(void *)counts, _mm256_add_epi16(one, two));
    for (unsigned i = 0; i < 16; i++) all += counts[i];
    return all;
}

/* ---- AVX-512 with what moves 16 bits together ------------------------------------ */

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,popcnt")))

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2");
}

AVX512 static inline __m512i thirty_two(const uint16_t *sums, unsigned part)
{
    return _mm512_load_si512((const __m512i *)(const void *)sums + part);
}

/* As lots_above, of up to 64 lots. */
AVX512 static inline uint64_t lots_above_512(uint16_t *sums, uint32_t lots, __m512i under)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < lots; i++) {
        uint16_t *lot = sums + (size_t)i * FER_SUMS_LOT;
        __m512i top = _mm512_max_epi16(thirty_two(lot, 0), thirty_two(lot, 1));
        bool any = _mm512_cmpgt_epi16_mask(top, under) != 0;
        __mmask16 gone = (__mmask16)(any - 1);
        _mm512_mask_store_epi32(lot, gone, _mm512_setzero_si512());
        _mm512_mask_store_epi32(lot + 32, gone, _mm512_setzero_si512());
        bits |= (uint64_t)any << i;
    }
    return bits;
}

/* Of 32 sums; they are cleared. How many were found. */
AVX512 static inline uint32_t take_32(uint16_t *sums, uint32_t at, __m512i under, uint16_t *places,
                                      uint16_t *values)
{
    const __m512i first =
        _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13,
                         12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i some = _mm512_load_si512(sums + at);
    __mmask32 those = _mm512_cmpgt_epi16_mask(some, under);
    __m512i place = _mm512_add_epi16(first, _mm512_set1_epi16((short)at));
    _mm512_storeu_si512(places, _mm512_maskz_compress_epi16(those, place));
    _mm512_storeu_si512(values, _mm512_maskz_compress_epi16(those, some));
    _mm512_store_si512(sums + at, _mm512_setzero_si512());
    return (uint32_t)__builtin_popcount(those);
}

AVX512 static uint32_t take_avx512(uint16_t *sums, uint32_t size, uint16_t floor, uint16_t *places,
                                   uint16_t *values)
{
    const __m512i under = _mm512_set1_epi16((short)(floor - 1));
    const uint32_t lots = (size + FER_SUMS_LOT - 1) / FER_SUMS_LOT;
    uint32_t found = 0;
    for (uint32_t first = 0; first < lots; first += 64) {
        uint32_t count = lots - first < 64 ? lots - first : 64;
        uint64_t some = lots_above_512(sums + (size_t)first * FER_SUMS_LOT, count, under);
        for (; some; some &= some - 1) {
            uint32_t at = (first + (unsigned)__builtin_ctzll(some)) * FER_SUMS_LOT;
            found += take_32(sums, at, under, places + found, values + found);
            found += take_32(sums, at + 32, under, places + found, values + found);
        }
    }
    return found;
}

AVX512 static uint32_t count_avx512(const uint16_t *sums, uint32_t size, uint16_t floor)
{
    const __m512i under = _mm512_set1_epi16((short)(floor - 1));
    uint32_t one = 0, two = 0;
    for (uint32_t at = 0; at < size; at += 64) {
        one +=
            (uint32_t)__builtin_popcount(_mm512_cmpgt_epi16_mask(thirty_two(sums + at, 0), under));
        two +=
            (uint32_t)__builtin_popcount(_mm512_cmpgt_epi16_mask(thirty_two(sums + at, 1), under));
    }
    return one + two;
}
#endif

const fer_sum_kernels fer_sum_kernel_rows[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, take_avx512, gains_avx2, count_avx512},
    {"avx2", has_avx2, take_avx2, gains_avx2, count_avx2},
    {"sse2", always, take_sse2, gains_plain, count_sse2},
#endif
    {"plain", always, take_plain, gains_plain, count_plain},
};
const size_t fer_sum_kernel_count = sizeof fer_sum_kernel_rows / sizeof fer_sum_kernel_rows[0];

const fer_sum_kernels *fer_sum_kernels_here(void)
{
    const fer_sum_kernels *k = fer_sum_kernel_rows;
    while (!k->runs_here()) k++;
    return k;
}
