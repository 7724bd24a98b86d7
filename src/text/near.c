/* SPDX-License-Identifier: Apache-2.0 */
#include "near.h"

#define LONGEST 64

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment over three rows. */
size_t fer_near_distance(fer_str x, fer_str y, size_t max)
{
    size_t rows[3][LONGEST + 1];
    if (x.len > LONGEST || y.len > LONGEST) return max < SIZE_MAX ? max + 1 : SIZE_MAX;
    for (size_t k = 0; k <= y.len; k++) rows[0][k] = k;
    for (size_t i = 1; i <= x.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= y.len; k++) {
            char c = fer_lower(x.ptr[i - 1]), d = fer_lower(y.ptr[k - 1]);
            row[k] = least(least(above[k] + 1, row[k - 1] + 1), above[k - 1] + (c != d));
            if (i > 1 && k > 1 && c == fer_lower(y.ptr[k - 2]) && fer_lower(x.ptr[i - 2]) == d) {
                row[k] = least(row[k], above2[k - 2] + 1);
            }
        }
    }
    size_t distance = rows[x.len % 3][y.len];
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
    *n = (fer_near){.word = word, .distance = word.len / 3 + 1, .letters = letters_of(word)};
    if (n->distance > 3) n->distance = 3;
    n->distance++;
}

void fer_near_try(fer_near *n, fer_str candidate)
{
    size_t x = n->word.len, y = candidate.len;
    if ((x > y ? x - y : y - x) >= n->distance) return; /* that many edits at least */
    uint64_t letters = letters_of(candidate);
    if (strange_letters(n->letters, letters, n->distance) >= n->distance) return;
    if (strange_letters(letters, n->letters, n->distance) >= n->distance) return;
    size_t d = fer_near_distance(n->word, candidate, n->distance);
    if (d >= n->distance || d >= n->word.len) return;
    n->distance = d;
    n->best = candidate;
}
