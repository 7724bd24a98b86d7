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

/* Each bit doubles the entries: those with it cost `set` instead of `clear`. */
static void fill_table(const uint8_t set[4], const uint8_t clear[4], uint8_t table[16])
{
    table[0] = (uint8_t)(clear[0] + clear[1] + clear[2] + clear[3]);
    for (unsigned i = 0; i < 4; i++) {
        uint8_t more = (uint8_t)(set[i] - clear[i]); /* may pass below 0 and back */
        for (unsigned bits = 0; bits < 1U << i; bits++)
            table[bits | 1U << i] = (uint8_t)(table[bits] + more);
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
        q->set[i] = (uint8_t)(vector[i] > 0 ? 0 : cost);
        q->clear[i] = (uint8_t)(vector[i] > 0 ? cost : 0);
        q->far += cost;
    }
    for (size_t i = 0; i < dims / 4; i++)
        fill_table(q->set + 4 * i, q->clear + 4 * i, q->tables[i]);
}
