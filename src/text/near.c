/* SPDX-License-Identifier: Apache-2.0 */
#include "near.h"

#define LONGEST 64

/*
 * Optimal string alignment with a bit for each letter of `x`: whether the column that belongs to
 * a letter of `y` goes up or down from row to row. Hyyrö, A Bit-Vector Algorithm for Computing
 * Levenshtein and Damerau Edit Distances (2003).
 */
size_t fer_near_distance(fer_str x, fer_str y, size_t max)
{
    uint64_t where[256]; /* in x a letter is; only those of the two texts are set */
    uint64_t up = UINT64_MAX, down = 0, same = 0, last = 0;
    if (x.len > LONGEST || y.len > LONGEST) return max < SIZE_MAX ? max + 1 : SIZE_MAX;
    size_t distance = x.len ? x.len : y.len;
    for (size_t k = 0; k < y.len; k++) where[(unsigned char)fer_lower(y.ptr[k])] = 0;
    for (size_t i = 0; i < x.len; i++) where[(unsigned char)fer_lower(x.ptr[i])] = 0;
    for (size_t i = 0; i < x.len; i++) {
        where[(unsigned char)fer_lower(x.ptr[i])] |= UINT64_C(1) << i;
    }
    for (size_t k = 0; k < y.len && x.len; k++) {
        uint64_t here = where[(unsigned char)fer_lower(y.ptr[k])];
        uint64_t swapped = ((~same & here) << 1) & last;
        same = (((here & up) + up) ^ up) | here | down | swapped;
        uint64_t more = down | ~(same | up), less = same & up;
        distance += more >> (x.len - 1) & 1;
        distance -= less >> (x.len - 1) & 1;
        more = more << 1 | 1;
        up = less << 1 | ~(same | more);
        down = more & same;
        last = here;
    }
    return distance > max ? max + 1 : distance;
}

/* A bit for each letter of a text, case ignored; others may share it. */
static uint64_t letters_of(fer_str s)
{
    uint64_t letters = 0;
    for (size_t i = 0; i < s.len; i++) letters |= UINT64_C(1) << (fer_lower(s.ptr[i]) & 63);
    return letters;
}

/* Letters that only one of the texts has; an edit puts at most one of them right. */
static size_t strange_letters(uint64_t letters, uint64_t others, size_t max)
{
    size_t count = 0;
    for (uint64_t left = letters & ~others; left && count < max; left &= left - 1) count++;
    return count;
}

void fer_near_init(fer_near *n, fer_str word)
{
    /* A third of the word may be wrong, and at least one letter of it. */
    *n = (fer_near){.word = word, .distance = word.len / 3 + 1};
    if (n->distance > 3) n->distance = 3;
    n->distance++;
}

void fer_near_try(fer_near *n, fer_str candidate)
{
    size_t x = n->word.len, y = candidate.len;
    if ((x > y ? x - y : y - x) >= n->distance) return; /* that many edits at least */
    uint64_t letters = letters_of(candidate);
    if (!n->letters) n->letters = letters_of(n->word);
    if (strange_letters(n->letters, letters, n->distance) >= n->distance) return;
    if (strange_letters(letters, n->letters, n->distance) >= n->distance) return;
    size_t d = fer_near_distance(n->word, candidate, n->distance);
    if (d >= n->distance || d >= n->word.len) return;
    n->distance = d;
    n->best = candidate;
}
