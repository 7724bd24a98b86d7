/* SPDX-License-Identifier: Apache-2.0 */
/* Where the sections of frozen bytes are, for the files that read and write them. */
#ifndef FER_FROZEN_LAYOUT_H
#define FER_FROZEN_LAYOUT_H

#include "frozen.h"

/* "FERLEX" and the version of the layout; read as a number, so other byte orders do not open. */
#define FER_FROZEN_MAGIC UINT64_C(0x000758454C524546)

struct fer_frozen_header {
    uint64_t magic;
    uint64_t size; /* of everything */
    uint64_t seed[2];
    uint64_t text_size, posting_count, record_units;
    uint32_t numbers, docs, term_count, shared, run_rows, bit_rows, slot_count, free;
};

/* ---- where the sections are -------------------------------------------------- */

/* The sections follow each other, each aligned to 8. */
struct fer_frozen_layout {
    size_t terms, levels, singles, texts, slots, runs, bits, postings, names, record_at, records,
        end;
    bool fits;
};

static inline uint32_t fer_frozen_windows(uint32_t numbers)
{
    return (numbers + FER_WINDOW - 1) >> FER_WINDOW_BITS;
}

/* Words of a row of bits. */
static inline size_t fer_frozen_row_words(uint32_t windows)
{
    return (size_t)windows * (FER_WINDOW / 64);
}

struct fer_frozen_layout fer_frozen_lay_out(const struct fer_frozen_header *h);

/* A slot's bits that hold the number of a term, + 1; the others are of the hash. */
static inline uint32_t fer_frozen_number_bits(uint32_t term_count)
{
    uint32_t bits = 1;
    while (bits < term_count) bits = bits << 1 | 1;
    return bits;
}

static inline uint32_t fer_frozen_hash_bits(uint64_t hash, uint32_t number_bits)
{
    return (uint32_t)(hash >> 32) & ~number_bits;
}

#endif
