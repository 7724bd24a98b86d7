/* SPDX-License-Identifier: Apache-2.0 */
/* Searching while documents are put and removed: run under TSan by `make tsan`. */
#include <pthread.h>
#include <stdatomic.h>

#include "lexical.h"
#include "rows.h"

#define NUMBERS 200
#define ROUNDS  3000

static const char *const words[] = {"create", "issue",  "branch", "weather", "city", "mail",
                                    "send",   "search", "delete", "report",  "user", "file"};

struct shared {
    fer_lexical *ix;
    _Atomic bool done;
    _Atomic size_t asked;
};

static fer_code put(fer_lexical *ix, uint32_t number, uint32_t salt)
{
    char name[64], text[96];
    snprintf(name, sizeof name, "%s_%s", words[number % 12], words[(number / 12 + salt) % 12]);
    snprintf(text, sizeof text, "always %s the %s of word%u", words[salt % 12],
             words[(number + salt) % 12], salt);
    fer_search_text texts[] = {{FER_FIELD_NAME, fer_str_of(name)},
                               {FER_FIELD_DESCRIPTION, fer_str_of(text)}};
    return fer_lexical_put(ix, number, &(fer_search_doc){texts, 2}, NULL);
}

static void check_hits(const fer_lexical_hits *hits)
{
    for (size_t i = 0; i < hits->count; i++) {
        assert_true(hits->list[i].number < NUMBERS);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(hits->list[i].number, hits->list[k].number);
    }
}

static void *read_on(void *context)
{
    struct shared *s = context;
    fer_arena *a = fer_arena_new(0);
    fer_searcher *searcher = fer_searcher_new();
    for (size_t i = 0; !s->done; i++) {
        char text[64];
        fer_lexical_hits hits;
        snprintf(text, sizeof text, "always %s %s", words[i % 12], words[i / 12 % 12]);
        fer_lexical_query q = {.text = fer_str_of(text), .limit = 10, .explain = i % 7 == 0};
        assert_int_equal(fer_lexical_search(a, s->ix, searcher, &q, &hits, NULL), FER_OK);
        check_hits(&hits);
        fer_arena_reset(a);
        s->asked++;
    }
    fer_searcher_free(searcher);
    fer_arena_free(a);
    return NULL;
}

static void readers_and_a_writer(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *first = fer_lexical_new();
    fer_str frozen;
    struct shared s = {0};
    pthread_t readers[2];
    for (uint32_t n = 0; n < NUMBERS; n++) assert_int_equal(put(first, n, 0), FER_OK);
    assert_int_equal(fer_lexical_freeze(a, first, &frozen, NULL), FER_OK);
    assert_int_equal(fer_lexical_open(frozen, &s.ix, NULL), FER_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_on, &s), 0);
    for (uint32_t i = 0; i < ROUNDS || s.asked < 100; i++) {
        uint32_t n = i * 37 % NUMBERS;
        if (i % 5 == 0) fer_lexical_remove(s.ix, n);
        else assert_int_equal(put(s.ix, n, i), FER_OK);
    }
    s.done = true;
    for (size_t i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    fer_lexical_free(s.ix);
    fer_lexical_free(first);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_ONE("threads", readers_and_a_writer);
}
