/* SPDX-License-Identifier: Apache-2.0 */
#include "sketches.h"

/* ---- writing ------------------------------------------------------------------ */

void fer_sketch_put(uint8_t *sketches, size_t number, const int8_t *vector, size_t dims)
{
    uint8_t *to = sketches + number / FER_SKETCH_BLOCK * FER_SKETCH_BLOCK * (dims / 8) +
                  number % FER_SKETCH_BLOCK;
    for (size_t at = 0; at < dims; at += 8, to += FER_SKETCH_BLOCK) {
        unsigned bits = 0;
        for (unsigned i = 0; i < 8; i++) bits |= (unsigned)(vector[at + i] > 0) << i;
        *to = (uint8_t)bits;
    }
}

/* ---- asking --------------------------------------------------------------------- */

/*
 * Each bit adds what it costs more where it is set to the entries with it: all of them as bytes of
 * two numbers at once. Less is no trouble, as no entry comes out below 0.
 */
static void fill_table(const uint8_t set[4], const uint8_t clear[4], uint8_t table[16])
{
    static const uint64_t with[] = {UINT64_C(0x0100010001000100), UINT64_C(0x0101000001010000),
                                    UINT64_C(0x0101010100000000)};
    const uint64_t all = UINT64_C(0x0101010101010101);
    uint64_t low = all * (unsigned)(clear[0] + clear[1] + clear[2] + clear[3]);
    for (unsigned i = 0; i < 3; i++) low += with[i] * (uint64_t)(int64_t)(set[i] - clear[i]);
    uint64_t high = low + all * (uint64_t)(int64_t)(set[3] - clear[3]);
    for (unsigned i = 0; i < 8; i++) {
        table[i] = (uint8_t)(low >> 8 * i);
        table[8 + i] = (uint8_t)(high >> 8 * i);
    }
}

static unsigned size_of(int8_t v)
{
    return (unsigned)(v < 0 ? -v : v);
}

void fer_sketch_ask(fer_sketch_query *q, const int8_t *vector, size_t dims)
{
    unsigned most = 1;
    q->planes = dims / 8;
    q->far = 0;
    for (size_t i = 0; i < dims; i++) most = size_of(vector[i]) > most ? size_of(vector[i]) : most;
    unsigned steps = (FER_SKETCH_STEPS << 16) / most; /* of 1, in 65536ths */
    for (size_t i = 0; i < dims; i++) {
        unsigned cost = (size_of(vector[i]) * steps + (1U << 15)) >> 16;
        unsigned clear = cost & (0U - (vector[i] > 0)); /* signs are not for a branch to foresee */
        q->set[i] = (uint8_t)(cost - clear);
        q->clear[i] = (uint8_t)clear;
        q->far += cost;
    }
    for (size_t i = 0; i < dims / 4; i++)
        fill_table(q->set + 4 * i, q->clear + 4 * i, q->tables[i]);
}
