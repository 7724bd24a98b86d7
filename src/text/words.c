/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Bytes past ASCII are letters without case. */
static bool is_letter(char c)
{
    return fer_is_alpha(c) || (unsigned char)c >= 0x80;
}

static bool is_part(char c)
{
    return is_letter(c) || fer_is_digit(c);
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

void fer_words_split(fer_name_words *w, fer_str s)
{
    w->count = 0;
    for (size_t at = 0; at < s.len;) {
        if (!is_part(s.ptr[at])) {
            at++;
            continue;
        }
        size_t from = at++;
        if (w->count + 1 == FER_WORDS_MAX) {
            w->list[w->count++] = fer_str_slice(s, from, s.len);
            return;
        }
        while (at < s.len && is_part(s.ptr[at]) &&
               (!is_edge(s, at) || (is_upper(s.ptr[at - 1]) && is_plural(s, at))))
            at++;
        w->list[w->count++] = fer_str_slice(s, from, at);
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
