/* SPDX-License-Identifier: Apache-2.0 */
#include "sketches.h"

#include <stdlib.h>

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

static void fill_table(const fer_sketch_query *q, size_t first, uint8_t table[16])
{
    for (unsigned bits = 0; bits < 16; bits++) {
        unsigned cost = 0;
        for (unsigned i = 0; i < 4; i++)
            cost += bits >> i & 1 ? q->set[first + i] : q->clear[first + i];
        table[bits] = (uint8_t)cost;
    }
}

void fer_sketch_ask(fer_sketch_query *q, const int8_t *vector, size_t dims)
{
    int most = 1;
    q->planes = dims / 8;
    q->far = 0;
    for (size_t i = 0; i < dims; i++) most = abs(vector[i]) > most ? abs(vector[i]) : most;
    for (size_t i = 0; i < dims; i++) {
        int cost = (abs(vector[i]) * 2 * FER_SKETCH_STEPS + most) / (2 * most);
        q->set[i] = (uint8_t)(vector[i] > 0 ? 0 : cost);
        q->clear[i] = (uint8_t)(vector[i] > 0 ? cost : 0);
        q->far += (unsigned)cost;
    }
    for (size_t i = 0; i < dims / 4; i++) fill_table(q, 4 * i, q->tables[i]);
}
