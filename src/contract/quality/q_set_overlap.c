/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that take the same and read the same. */
#include <stdlib.h>

#include "map.h"
#include "quality_set.h"

#define LIKE_OF   5 /* more than four of five words are the same */
#define LIKE_MIN  4
#define WORDS_MIN 6 /* words of a description that says something */

static bool holds(const fer_noted *n, uint32_t hash)
{
    size_t low = 0, high = n->word_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (n->words[middle] == hash) return true;
        if (n->words[middle] < hash) low = middle + 1;
        else high = middle;
    }
    return false;
}

/* Whether only its own description has the word, or the plural of it. */
static bool says_alone(const fer_noted *n, const fer_noted *other, fer_str word)
{
    uint32_t hash = fer_q_word_hash(word), plural = fer_q_plural_hash(word);
    return (holds(n, hash) && !holds(other, hash)) || (holds(n, plural) && !holds(other, plural));
}

/*
 * Whether a word of the name stands in its own description and not in the other's; words that
 * the name runs together ("TollFree") count as one, too, as paths have them.
 */
static bool says_difference(const fer_noted *n, const fer_noted *other)
{
    fer_name_words w;
    fer_words_split(&w, n->name);
    for (size_t i = 0; i < w.count; i++) {
        const char *from = w.list[i].ptr, *end = from;
        for (size_t k = i; k < w.count && w.list[k].ptr == end; k++) {
            end += w.list[k].len;
            if (says_alone(n, other, (fer_str){from, (size_t)(end - from)})) return true;
        }
    }
    return false;
}

/* Fetching and updating are not the same, however they are described. */
static bool act_alike(const fer_noted *x, const fer_noted *y)
{
    size_t at;
    fer_name_words w;
    fer_words_split(&w, x->name);
    enum fer_verb verb = fer_verb_of(&w, &at);
    fer_words_split(&w, y->name);
    return verb == fer_verb_of(&w, &at);
}

static bool read_alike(const fer_noted *x, const fer_noted *y)
{
    size_t both = 0, i = 0, k = 0;
    if (x->text == y->text) return true;
    if (x->cut || y->cut) return false;
    while (i < x->word_count && k < y->word_count) {
        bool same = x->words[i] == y->words[k], first = x->words[i] < y->words[k];
        both += same;
        i += same || first;
        k += same || !first;
    }
    size_t all = x->word_count + y->word_count - both;
    return both * LIKE_OF > all * LIKE_MIN && !says_difference(x, y) && !says_difference(y, x);
}

static int by_required(const void *x, const void *y)
{
    const fer_noted *a = *(fer_noted *const *)x, *b = *(fer_noted *const *)y;
    if (a->required != b->required) return a->required < b->required ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The earlier tools with the same required parameters, the nearest first. */
static void compare(fer_pass_set *p, fer_noted *const *list, size_t at)
{
    const fer_noted *n = list[at];
    if (n->word_count < WORDS_MIN) return;
    for (size_t k = at; k-- > 0 && at - k <= FER_Q_GROUP;) {
        const fer_noted *other = list[k];
        if (other->required != n->required) return;
        if (other->word_count < WORDS_MIN || fer_str_eq(other->name, n->name)) continue;
        if (!read_alike(n, other) || !act_alike(n, other)) continue;
        fer_pass_report(p, &fer_quality_rules[FER_Q_TOOL_OVERLAP], &n->at,
                        "\"%.*s\" takes and says the same as \"%.*s\" (line %u)", FER_PRI(n->name),
                        FER_PRI(other->name), other->at.place.line);
        return;
    }
}

void fer_q_set_overlap(fer_pass_set *p, fer_noted_set *s)
{
    fer_noted **list =
        p->no_memory ? NULL : fer_arena_alloc_zero(p->run->set, s->count, sizeof *list);
    if (!list) {
        p->no_memory = true;
        return;
    }
    for (size_t i = 0; i < s->count; i++) list[i] = &s->list[i];
    qsort(list, s->count, sizeof *list, by_required);
    for (size_t i = 1; i < s->count; i++) compare(p, list, i);
}
