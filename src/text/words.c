/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

/* clang-format off */
const unsigned char fer_word_chars[256] = {
    ['0'] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
    ['A'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
            'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
    ['a'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
            'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
#define SIXTEEN(x) x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, \
                   x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x + 14, x + 15
    [0x80] = SIXTEEN(0x80), SIXTEEN(0x90), SIXTEEN(0xA0), SIXTEEN(0xB0),
             SIXTEEN(0xC0), SIXTEEN(0xD0), SIXTEEN(0xE0), SIXTEEN(0xF0)};
/* clang-format on */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Bytes past ASCII are letters without case. */
static bool is_letter(char c)
{
    return fer_is_alpha(c) || (unsigned char)c >= 0x80;
}

/* Whether a word ends before `at`: aB, and the B of ABc. */
static bool is_edge(fer_str s, size_t at)
{
    char before = s.ptr[at - 1], here = s.ptr[at];
    if (!is_upper(here)) return false;
    if (!is_upper(before)) return true;
    return at + 1 < s.len && is_letter(s.ptr[at + 1]) && !is_upper(s.ptr[at + 1]);
}

/* IDs, URLs: a lone s behind capitals is their plural, not a word. */
static bool is_plural(fer_str s, size_t at)
{
    return at + 1 < s.len && s.ptr[at + 1] == 's' &&
           (at + 2 == s.len || !is_letter(s.ptr[at + 2]) || is_upper(s.ptr[at + 2]));
}

bool fer_words_next(fer_str s, size_t *at, fer_str *word)
{
    size_t i = *at;
    while (i < s.len && !fer_is_word_char(s.ptr[i])) i++;
    size_t from = i++;
    if (from >= s.len) return false;
    while (i < s.len && fer_is_word_char(s.ptr[i]) &&
           (!is_edge(s, i) || (is_upper(s.ptr[i - 1]) && is_plural(s, i))))
        i++;
    *word = fer_str_slice(s, from, i);
    *at = i;
    return true;
}

void fer_words_split(fer_name_words *w, fer_str s)
{
    size_t at = 0;
    w->count = 0;
    while (w->count < FER_WORDS_MAX && fer_words_next(s, &at, &w->list[w->count])) w->count++;
    if (w->count == FER_WORDS_MAX) { /* the last one holds the rest */
        fer_str *last = &w->list[FER_WORDS_MAX - 1];
        last->len = (size_t)(s.ptr + s.len - last->ptr);
    }
}

int fer_word_cmp(fer_str word, const char *lower)
{
    size_t i = 0;
    for (; i < word.len && lower[i]; i++) {
        int by = (unsigned char)fer_lower(word.ptr[i]) - (unsigned char)lower[i];
        if (by) return by;
    }
    return i < word.len ? 1 : lower[i] ? -1 : 0;
}

size_t fer_word_find(const char *const *sorted, size_t count, fer_str word)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int by = fer_word_cmp(word, sorted[middle]);
        if (by == 0) return middle;
        if (by < 0) high = middle;
        else low = middle + 1;
    }
    return SIZE_MAX;
}

bool fer_word_in(const fer_word_set *set, fer_str word)
{
    return fer_word_find(set->words, set->count, word) != SIZE_MAX;
}
