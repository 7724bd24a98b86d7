/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a word counts: the numbers of BM25, in one place.
 *
 * A word's count in a document is the sum over fields of count times the field's weight; the
 * count is set against the document's length, weighted alike, and saturates. The length is
 * compared with a constant, not with the mean over all documents (measured: no worse), so
 * that what a document is worth does not change when others come and go: it is kept as one
 * of 32 levels. Only how rare a word is depends on the others, and is asked when searching.
 */
#ifndef FER_WEIGH_H
#define FER_WEIGH_H

#include "search_doc.h"

#define FER_LEVELS     32
#define FER_LEVEL_BITS 5

extern const float fer_weigh_fields[FER_FIELD_COUNT];
static inline float fer_weigh_field(unsigned field)
{
    return fer_weigh_fields[field];
}

/* What counts are set against in a document of a weighted length. */
float fer_weigh_length(float length);
/* What a word with a weighted count has of its worth, where counts are set against that. */
static inline float fer_weigh_share(float count, float against)
{
    return count / (count + against);
}
/* The same as a level, 0 to 31. */
static inline uint32_t fer_weigh_level(float count, float against)
{
    int level = (int)(fer_weigh_share(count, against) * FER_LEVELS);
    return level < 0 ? 0 : level >= FER_LEVELS ? FER_LEVELS - 1 : (uint32_t)level;
}
/* What a level stands for: rounded up, which favours words that are there at all (+ 0.2 nDCG). */
static inline double fer_weigh_level_share(unsigned level)
{
    return (level + 1.0) / FER_LEVELS;
}
/* How rare a word is that `df` of `docs` documents have. */
double fer_weigh_rarity(size_t docs, size_t df);

#endif
