/* SPDX-License-Identifier: Apache-2.0 */
/* The lexical index: what is found, in what order, and that it does not matter how it was made. */
#include "lexical.h"

#include <math.h>
#include <stdlib.h>

#include "buf.h"
#include "frozen_layout.h"
#include "rank.h"
#include "rows.h"
#include "sweep.h"

/* ---- what is found ------------------------------------------------------------------ */

static const struct tool {
    const char *ns, *name, *description, *param;
} tools[] = {
    {"github", "create_issue", "Create a new issue in a repository", "title"},
    {"github", "list_issues", "List the issues of a repository", "state"},
    {"github", "delete_branch", "Remove a branch from a repository", "branch"},
    {"weather", "getForecast", "The weather forecast for a city", "city"},
    {"weather", "current", "Weather conditions right now", "location"},
    {"mail", "send_email", "Send a message to somebody", "recipient"},
    {"math", "factorial", "Calculate the factorial of a number", "number"},
    {"search", "search", "Look something up on the web", "query"},
    {"docs", "search", "Look something up in the documentation, where search terms are many",
     "query"},
    {"geo", "place", "Where a zipcode is", "zipcode"},
    {"users", "session", "Login of a user", "user"},
    {"deploy", "rollout",
     "Starts what an operator has prepared for the machines of one region, one machine after the "
     "other, and stops where more than a few of them are ill",
     "region"},
    {"deploy", "rollout_rollout", "Rollout", "rollout"},
    {"zh", "tianqi", "\xE6\x9F\xA5\xE8\xAF\xA2\xE5\xA4\xA9\xE6\xB0\x94",
     "\xE5\x9F\x8E\xE5\xB8\x82"},
};

static fer_code put_tool(fer_lexical *ix, uint32_t number, const struct tool *t)
{
    fer_search_text texts[] = {{FER_FIELD_NAME, fer_str_of(t->name)},
                               {FER_FIELD_NAMESPACE, fer_str_of(t->ns)},
                               {FER_FIELD_DESCRIPTION, fer_str_of(t->description)},
                               {FER_FIELD_PARAM_NAME, fer_str_of(t->param)}};
    return fer_lexical_put(ix, number, &(fer_search_doc){texts, FER_COUNT(texts)}, NULL);
}

static fer_lexical *make_tools(void)
{
    fer_lexical *ix = fer_lexical_new();
    assert_non_null(ix);
    for (uint32_t i = 0; i < FER_COUNT(tools); i++)
        assert_int_equal(put_tool(ix, i, &tools[i]), FER_OK);
    return ix;
}

static const struct row {
    const char *query;
    const char *first; /* "namespace:name" of the best hit; "": none */
    bool named, fits;
} rows[] = {
    {"create an issue", "github:create_issue", false, true},
    {"create issue", "github:create_issue", true, true},
    {"CreateIssue", "github:create_issue", true, true},
    {"create_issue", "github:create_issue", true, true},
    {"what will the weather be in my city", "weather:getForecast", false, true},
    {"please get rid of the branch", "github:delete_branch", false, true},
    {"send an email to Bob", "mail:send_email", false, true},
    {"search", "search:search", true, true},
    {"factorial of 12", "math:factorial", false, true},
    {"\xE5\xA4\xA9\xE6\xB0\x94", "zh:tianqi", false, true},
    {"current", "weather:current", true, true},
    {"docs:search", "docs:search", true, true},
    {"search:search", "search:search", true, true},
    {"which zip code is this", "geo:place", false, true}, /* as one word, with another stem */
    {"log in", "users:session", false, true},
    {"a zip. code it", "", false, false},      /* not across sentences */
    {"rollout", "deploy:rollout", true, true}, /* though another has more of the word */
    {"weather:getForecast", "weather:getForecast", true, true},
    {"github:current", "weather:current", false, true},
    {"docs: search", "docs:search", false, true},
    {"nobody:search", "search:search", false, true},
    {"", "", false, false},
    {"the of and", "", false, false},
    {"xylophone", "", false, false},
    {"forcast", "weather:getForecast", false, true},
    {"forecats", "weather:getForecast", false, true},
    {"curent", "weather:current", false, true},
    {"factroial", "math:factorial", false, true},
    {"fore", "weather:getForecast", false, true},
    {"fo", "", false, false},
    {"weatherforecast", "weather:getForecast", false, true},
    {"xorecast", "", false, false},
    {"humidity tomorrow", "weather:getForecast", false, true}, /* nobody has either word */
    {"humidity right now", "weather:current", false, true},
};

static void find(const fer_lexical *ix, const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_searcher *s = fer_searcher_new();
    fer_lexical_hits hits;
    fer_lexical_query q = {.text = fer_str_of(row->query), .limit = 5};
    assert_non_null(s);
    assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
    char first[64] = "";
    if (hits.count) {
        const struct tool *t = &tools[hits.list[0].number];
        snprintf(first, sizeof first, "%s:%s", t->ns, t->name);
        assert_int_equal(hits.list[0].named, row->named);
    }
    assert_string_equal(first, row->first);
    for (size_t i = 1; i < hits.count; i++)
        assert_true(hits.list[i - 1].score >= hits.list[i].score);
    assert_int_equal(hits.fits, row->fits);
    fer_searcher_free(s);
    fer_arena_free(a);
}

/* Out of the tail, then out of frozen bytes. */
static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = make_tools(), *opened;
    fer_str frozen;
    find(ix, row);
    assert_int_equal(fer_lexical_freeze(a, ix, &frozen, NULL), FER_OK);
    assert_int_equal(fer_lexical_open(frozen, &opened, NULL), FER_OK);
    find(opened, row);
    fer_lexical_free(ix);
    fer_lexical_free(opened);
    fer_arena_free(a);
}

/* A word that stands in for one that nobody has says so. */
static void why_of_a_stand_in(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = make_tools();
    fer_searcher *s = fer_searcher_new();
    fer_lexical_hits hits;
    fer_lexical_query q = {.text = FER_STR("humidity"), .limit = 1, .explain = true};
    assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
    assert_int_equal(hits.count, 1);
    for (size_t i = 0; i < hits.list[0].why_count; i++)
        assert_string_equal(hits.list[0].why[i].word.ptr, "humidity");
    assert_true(hits.list[0].why_count > 0);
    assert_string_equal(hits.list[0].why[0].matched.ptr, "forecast");
    fer_searcher_free(s);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

static void why(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = make_tools();
    fer_searcher *s = fer_searcher_new();
    fer_lexical_hits hits;
    fer_lexical_query q = {.text = FER_STR("issues with a title"), .limit = 1, .explain = true};
    assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
    assert_int_equal(hits.count, 1);
    assert_int_equal(hits.list[0].number, 0);
    assert_int_equal(hits.list[0].why_count, 2);
    double shares = 0;
    for (size_t i = 0; i < 2; i++) {
        const fer_lexical_why *w = &hits.list[0].why[i];
        bool issue = fer_str_is(w->word, "issues");
        assert_str(w->matched, issue ? "issu" : "titl");
        assert_int_equal(w->fields, issue ? 1U << FER_FIELD_NAME | 1U << FER_FIELD_DESCRIPTION
                                          : 1U << FER_FIELD_PARAM_NAME);
        shares += w->share;
    }
    assert_true(shares > 0.5 && shares <= 1.0001);
    fer_searcher_free(s);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

static bool not_first(void *context, uint32_t number)
{
    return number != *(uint32_t *)context;
}
static bool higher_first(void *context, uint32_t one, uint32_t other)
{
    (void)context;
    return one > other;
}

static void filters(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = make_tools();
    fer_searcher *s = fer_searcher_new();
    fer_lexical_hits hits;
    uint32_t hidden = 0;
    fer_lexical_query q = {
        .text = FER_STR("create issue"), .limit = 9, .accept = not_first, .context = &hidden};
    assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
    for (size_t i = 0; i < hits.count; i++) assert_int_not_equal(hits.list[i].number, 0);
    /* The same tool twice: equal scores, in the order that is asked for. */
    assert_int_equal(put_tool(ix, 50, &tools[6]), FER_OK);
    q = (fer_lexical_query){.text = FER_STR("factorial"), .limit = 2};
    assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
    assert_int_equal(hits.list[0].number, 6);
    q.before = higher_first;
    assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
    assert_int_equal(hits.list[0].number, 50);
    assert_true(hits.list[0].score == hits.list[1].score);
    fer_searcher_free(s);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* ---- random documents --------------------------------------------------------------- */

static uint64_t seed = 1;
static uint32_t roll(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(seed >> 33) % below;
}

/* Words of which some are in most documents and most in few. */
static size_t add_words(char *out, size_t size, uint32_t count)
{
    size_t len = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = roll(1 + roll(1 + roll(600)));
        len += (size_t)snprintf(out + len, size - len, "w%c%c%cx ", 'a' + rank % 26,
                                'a' + rank / 26 % 26, 'a' + rank * 7 % 26);
    }
    return len;
}

/* A document whose fields are not in the order of records; the next one takes its place. */
static fer_search_doc random_doc(void)
{
    static char name[64], description[600], param[200];
    static fer_search_text texts[3];
    texts[0] =
        (fer_search_text){FER_FIELD_PARAM_TEXT, {param, add_words(param, sizeof param, roll(9))}};
    texts[1] =
        (fer_search_text){FER_FIELD_DESCRIPTION,
                          {description, add_words(description, sizeof description, 3 + roll(90))}};
    texts[2] = (fer_search_text){FER_FIELD_NAME, {name, add_words(name, sizeof name, 1 + roll(3))}};
    return (fer_search_doc){texts, FER_COUNT(texts)};
}

static fer_code put_random(fer_lexical *ix, uint32_t number)
{
    fer_search_doc doc = random_doc();
    return fer_lexical_put(ix, number, &doc, NULL);
}

static fer_lexical *refreeze(fer_arena *a, fer_lexical *ix)
{
    fer_str frozen;
    fer_lexical *opened;
    assert_int_equal(fer_lexical_freeze(a, ix, &frozen, NULL), FER_OK);
    fer_lexical_free(ix);
    assert_int_equal(fer_lexical_open(frozen, &opened, NULL), FER_OK);
    return opened;
}

static int by_key(const void *one, const void *other)
{
    uint64_t x = ((const fer_candidate *)one)->key, y = ((const fer_candidate *)other)->key;
    return x > y ? -1 : x < y;
}

#define PRUNED (6 * FER_SPAN) /* documents, so that the first are a sample of all */

/* Everything added up, document by document. */
static size_t add_up(const fer_lexical *ix, const fer_query *q, double scale, fer_candidate *out)
{
    static uint32_t sums[PRUNED];
    size_t count = 0;
    memset(sums, 0, sizeof sums);
    for (size_t i = 0; i < q->count; i++) {
        if (q->terms[i].weight <= 0 || q->terms[i].frozen == FER_NONE) continue;
        float step = (float)(q->terms[i].weight * scale * fer_weigh_level_share(0));
        fer_frozen_list list = fer_frozen_postings(&ix->frozen, q->terms[i].frozen);
        for (uint32_t k = 0; list.flat && k < list.df; k++)
            sums[list.flat[k] >> 5] += (uint16_t)(int)(step * (float)(list.flat[k] % 32 + 1));
        for (uint32_t w = 0; list.runs && w < ix->frozen.windows; w++) {
            fer_frozen_run run = fer_frozen_window(&list, w);
            for (uint32_t k = 0; k < run.count; k++)
                sums[w * FER_WINDOW + (run.postings[k] >> 5)] +=
                    (uint16_t)(int)(step * (float)(run.postings[k] % 32 + 1));
        }
    }
    for (uint32_t n = 0; n < ix->frozen.numbers; n++) {
        if (sums[n] && !fer_lexical_is_dead(ix, n))
            out[count++].key = (uint64_t)sums[n] << 32 | (UINT32_MAX - n);
    }
    qsort(out, count, sizeof *out, by_key);
    return count;
}

/* `steep`: nearly all that is good comes first, so what the sweep hopes for is not there. */
static void add_pruned(fer_lexical_builder *b, uint32_t number, bool steep)
{
    const fer_search_text little = {FER_FIELD_PARAM_TEXT, FER_STR("something else")};
    bool good = steep ? number < 40 || number % 200 == 0 : number % 4 == 0;
    fer_search_doc doc = good ? random_doc() : (fer_search_doc){&little, 1};
    assert_int_equal(fer_lexical_builder_add(b, number, &doc, NULL), FER_OK);
}

static fer_lexical *build_pruned(fer_arena *a, bool steep)
{
    fer_lexical_builder *b = fer_lexical_builder_new(0);
    fer_str frozen;
    fer_lexical *ix;
    for (uint32_t n = 0; n < PRUNED; n++) add_pruned(b, n, steep);
    assert_int_equal(fer_lexical_builder_finish(a, b, &frozen, NULL), FER_OK);
    assert_int_equal(fer_lexical_open(frozen, &ix, NULL), FER_OK);
    fer_lexical_builder_free(b);
    return ix;
}

static void prune(bool steep)
{
    static fer_candidate all[PRUNED];
    static fer_sweep sweep;
    static fer_wording request;
    static fer_query q;
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = build_pruned(a, steep);
    fer_tokeniser *t = fer_tokeniser_new();
    size_t hoped = 0;
    assert_true(steep || (ix->frozen.bit_rows > 0 && ix->frozen.run_rows > ix->frozen.bit_rows));
    for (uint32_t n = 0; n < PRUNED; n += 9) assert_true(fer_lexical_remove(ix, n));
    for (int round = 0; round < 400; round++) {
        char text[400];
        size_t len = add_words(text, sizeof text, 1 + roll(20));
        fer_wording_read(&request, t, (fer_str){text, len});
        fer_query_read(&q, ix, t, &request);
        sweep.room = 1 + roll(40);
        fer_sweep_run(&sweep, ix, &q);
        hoped += sweep.hoped > 0;
        size_t want = add_up(ix, &q, sweep.scale, all);
        qsort(sweep.best, sweep.count, sizeof *sweep.best, by_key);
        assert_int_equal(sweep.count, want < sweep.room ? want : sweep.room);
        for (size_t i = 0; i < sweep.count; i++) assert_true(sweep.best[i].key == all[i].key);
    }
    assert_true(steep ? hoped > 10 && hoped < 400 : hoped > 390); /* some hopes do not hold */
    fer_tokeniser_free(t);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

static void pruning_loses_nothing(void)
{
    prune(false);
    prune(true);
}

/* Heads of few units are looked at by bits, all others one unit after the other: the same comes
 * out. */
static void quick_looks_see_the_same(void)
{
    static fer_rank rank;
    static fer_wording request;
    static fer_query q;
    static fer_rank_doc quick[300], slow[300];
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    fer_tokeniser *t = fer_tokeniser_new();
    size_t more = 0, long_heads = 0, narrow = 0;
    for (uint32_t n = 0; n < 300; n++) assert_int_equal(put_random(ix, n), FER_OK);
    ix = refreeze(a, ix);
    fer_rank_init(&rank);
    for (int round = 0; round < 60; round++) {
        char text[400];
        fer_wording_read(&request, t, (fer_str){text, add_words(text, sizeof text, 2 + roll(12))});
        fer_query_read(&q, ix, t, &request);
        fer_rank_mark_part(&rank, ix, &q, false);
        narrow += rank.narrow;
        for (uint32_t n = 0; n < 300; n++) {
            fer_record record = fer_frozen_record(&ix->frozen, n);
            quick[n] = slow[n] = (fer_rank_doc){.number = n, .record = record, .worth = 1};
            long_heads += record.units[FER_RECORD_AT_HEAD] > 64;
        }
        fer_rank_docs(&rank, quick, 300 - (size_t)round);
        rank.narrow = false;
        fer_rank_docs(&rank, slow, 300 - (size_t)round);
        for (uint32_t n = 0; n < 300; n++) {
            assert_true(quick[n].worth == slow[n].worth && quick[n].named == slow[n].named);
            more += quick[n].worth > 1;
        }
    }
    assert_true(more > 100 && long_heads > 100 && narrow > 40);
    fer_tokeniser_free(t);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* Who is there is told from who is not, but for few. */
static void hardly_anybody_may_be_there(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    assert_false(fer_frozen_may_have(&ix->frozen, 1));
    for (uint32_t n = 0; n < 300; n++) assert_int_equal(put_random(ix, n), FER_OK);
    ix = refreeze(a, ix);
    const fer_frozen *f = &ix->frozen;
    for (uint32_t t = 0; t < f->term_count; t++)
        assert_true(fer_frozen_may_have(f, fer_token_hash(fer_frozen_text(f, t), f->seed)));
    size_t others = 0;
    for (uint32_t n = 0; n < 10000; n++) {
        char text[16];
        int len = snprintf(text, sizeof text, "%uz", n);
        others += fer_frozen_may_have(f, fer_token_hash((fer_str){text, (size_t)len}, f->seed));
    }
    assert_true(f->term_count > 300 && others < 1000);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* Frozen bytes where so many documents have each of three words, and no other. */
static fer_str freeze_counts(fer_arena *a, const unsigned counts[3])
{
    static const char *const words[] = {"alpha", "beta", "gamma"};
    fer_lexical_builder *b = fer_lexical_builder_new(0);
    fer_str out;
    uint32_t number = 0;
    for (size_t w = 0; w < FER_COUNT(words); w++) {
        for (unsigned i = 0; i < counts[w]; i++) {
            fer_search_text text = {FER_FIELD_DESCRIPTION, fer_str_of(words[w])};
            fer_search_doc doc = {&text, 1};
            assert_int_equal(fer_lexical_builder_add(b, number++, &doc, NULL), FER_OK);
        }
    }
    assert_int_equal(fer_lexical_builder_finish(a, b, &out, NULL), FER_OK);
    fer_lexical_builder_free(b);
    return out;
}

/* What a searcher remembers of words is of one index: another one may have the same words, in the
 * same order and the same place. */
static void another_index_is_another(void)
{
    static const unsigned counts[2][3] = {{5, 4, 2}, {6, 3, 2}};
    fer_arena *a = fer_arena_new(0);
    fer_str bytes[2] = {freeze_counts(a, counts[0]), freeze_counts(a, counts[1])};
    fer_searcher *same = fer_searcher_new();
    char *place = fer_arena_alloc(a, bytes[0].len);
    assert_int_equal(bytes[0].len, bytes[1].len);
    for (size_t i = 0; i < 4; i++) {
        fer_lexical *ix;
        fer_lexical_hits x, y;
        fer_searcher *fresh = fer_searcher_new();
        fer_lexical_query q = {.text = FER_STR("alpha beta gamma"), .limit = 10};
        memcpy(place, bytes[i % 2].ptr, bytes[i % 2].len);
        assert_int_equal(fer_lexical_open((fer_str){place, bytes[0].len}, &ix, NULL), FER_OK);
        assert_int_equal(fer_lexical_search(a, ix, same, &q, &x, NULL), FER_OK);
        assert_int_equal(fer_lexical_search(a, ix, fresh, &q, &y, NULL), FER_OK);
        assert_true(x.count == y.count && x.count > 0 && x.possible == y.possible);
        for (size_t k = 0; k < x.count; k++) assert_true(x.list[k].score == y.list[k].score);
        fer_searcher_free(fresh);
        fer_lexical_free(ix);
    }
    fer_searcher_free(same);
    fer_arena_free(a);
}

/* A word of so many letters; every third one ends with an e that its stem has. */
static size_t make_word(char *out, size_t len, size_t nth)
{
    for (size_t i = 0; i < len; i++) out[i] = "bdfgkmpvzw"[(i * (nth + 3) + len + nth) % 10];
    if (len > 4 && nth % 3 == 0) memcpy(out + len - 3, "ode", 3);
    return len;
}

/* Two words as one, of all lengths, in either part of an index. */
static void two_words_are_one_in_either_part(void)
{
    enum {
        LENS = 20
    };
    char docs[LENS * LENS][2 * LENS], asked[2 * LENS + 1];
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new(), *tail = fer_lexical_new();
    fer_searcher *s = fer_searcher_new();
    size_t found = 0;
    for (uint32_t n = 0; n < LENS * LENS; n++) {
        size_t one = make_word(docs[n], 1 + n / LENS, 1);
        size_t len = one + make_word(docs[n] + one, 1 + n % LENS, n);
        fer_search_text text = {FER_FIELD_DESCRIPTION, {docs[n], len}};
        fer_search_doc doc = {&text, 1};
        assert_int_equal(fer_lexical_put(ix, n, &doc, NULL), FER_OK);
        assert_int_equal(fer_lexical_put(tail, n, &doc, NULL), FER_OK);
    }
    ix = refreeze(a, ix);
    for (uint32_t n = 0; n < LENS * LENS; n++) {
        size_t one = 1 + n / LENS, other = 1 + n % LENS;
        fer_lexical_hits x, y;
        memcpy(asked, docs[n], one);
        asked[one] = ' ';
        memcpy(asked + one + 1, docs[n] + one, other);
        fer_lexical_query q = {.text = {asked, one + other + 1}, .limit = 3};
        assert_int_equal(fer_lexical_search(a, ix, s, &q, &x, NULL), FER_OK);
        assert_int_equal(fer_lexical_search(a, tail, s, &q, &y, NULL), FER_OK);
        assert_int_equal(x.count, y.count);
        for (size_t i = 0; i < x.count; i++)
            assert_true(x.list[i].number == y.list[i].number && x.list[i].score == y.list[i].score);
        found += x.count && x.list[0].number == n;
    }
    assert_true(found > LENS * LENS / 2);
    fer_searcher_free(s);
    fer_lexical_free(tail);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* Every row of kernels gives the numbers of the last, which is plain C. */
static void sums_are_taken_alike(void)
{
    static _Alignas(FER_SUMS_ALIGN) uint16_t sums[FER_SUMS], once[FER_SUMS];
    static uint16_t places[2][FER_SUMS + FER_SUMS_MORE], values[2][FER_SUMS + FER_SUMS_MORE];
    const fer_sum_kernels *plain = &fer_sum_kernel_rows[fer_sum_kernel_count - 1];
    static const uint32_t sizes[] = {1, 63, 64, 65, 1000, FER_SUMS - 1, FER_SUMS};
    for (size_t i = 0; i < FER_COUNT(sizes) * fer_sum_kernel_count; i++) {
        const fer_sum_kernels *run = &fer_sum_kernel_rows[i % fer_sum_kernel_count];
        uint32_t size = sizes[i / fer_sum_kernel_count], found;
        if (!run->runs_here()) continue;
        for (uint32_t n = 0; n < FER_SUMS; n++)
            sums[n] = (uint16_t)(n < size && roll(3) ? roll(32000) : 0);
        for (uint32_t floor = 1; floor <= 32000; floor += 15999) {
            assert_int_equal(run->count(sums, size, (uint16_t)floor),
                             plain->count(sums, size, (uint16_t)floor));
            memcpy(once, sums, sizeof sums);
            found = plain->take(once, size, (uint16_t)floor, places[0], values[0]);
            memcpy(once, sums, sizeof sums);
            assert_int_equal(run->take(once, size, (uint16_t)floor, places[1], values[1]), found);
            assert_memory_equal(places[0], places[1], found * sizeof places[0][0]);
            assert_memory_equal(values[0], values[1], found * sizeof values[0][0]);
            for (uint32_t n = 0; n < FER_SUMS; n++) assert_int_equal(once[n], 0);
        }
    }
}

static void gains_are_made_alike(void)
{
    const fer_sum_kernels *plain = &fer_sum_kernel_rows[fer_sum_kernel_count - 1];
    for (uint32_t i = 0; i < 20000; i++) {
        float step = i ? (float)roll(1000 * 1000) / 1000 : 0;
        uint16_t want[FER_GAINS], got[FER_GAINS];
        plain->gains(step, want);
        assert_int_equal(want[0], (int)step);
        for (size_t k = 0; k < fer_sum_kernel_count; k++) {
            if (!fer_sum_kernel_rows[k].runs_here()) continue;
            fer_sum_kernel_rows[k].gains(step, got);
            assert_memory_equal(got, want, sizeof want);
        }
    }
}

/* Units of a head at random; how many are its own. */
static unsigned fill_head(uint16_t units[FER_RANK_UNITS], unsigned count)
{
    static const uint32_t tops[] = {100, 5000, FER_RECORD_MARK, UINT16_MAX + 1};
    uint32_t top = tops[roll(FER_COUNT(tops))], rarely = 2 + roll(200);
    for (size_t i = 0; i < FER_RANK_UNITS; i++)
        units[i] = (uint16_t)(roll(rarely) ? roll(top) : FER_RECORD_MARK + roll(9));
    return roll(10) ? count : 0; /* some are not looked at */
}

/* The same of those that sort the heads of records; what is in the net is noted, and nothing of odd
 * heads. */
static void heads_are_sorted_alike(void)
{
    static uint16_t units[FER_RANK_LOT][FER_RANK_UNITS];
    static fer_rank_word words[2][FER_RANK_LOT * FER_RANK_UNITS + FER_RANK_MORE];
    const fer_rank_kernels *plain = &fer_rank_kernel_rows[fer_rank_kernel_count - 1];
    size_t odd = 0, noted = 0;
    for (unsigned round = 0; round < 400; round++) {
        fer_rank_head want[FER_RANK_LOT] = {{0}}, got[FER_RANK_LOT] = {{0}};
        fer_rank_net net = {{0}, {0}};
        unsigned count = 1 + round % FER_RANK_LOT;
        for (unsigned i = 0; i < count; i++) {
            want[i].units = got[i].units = units[i];
            want[i].count = got[i].count = fill_head(units[i], 1 + roll(FER_RANK_UNITS));
        }
        for (size_t i = roll(40); i > 0; i--)
            fer_rank_net_add(&net, units[roll(count)][roll(FER_RANK_UNITS)]);
        size_t found = plain->sort(&net, want, count, words[0]);
        for (size_t k = 0; k < fer_rank_kernel_count; k++) {
            const fer_rank_kernels *run = &fer_rank_kernel_rows[k];
            if (!run->runs_here()) continue;
            assert_int_equal(run->sort(&net, got, count, words[1]), found);
            assert_memory_equal(words[0], words[1], found * sizeof words[0][0]);
            for (unsigned i = 0; i < count; i++) {
                if (!want[i].count) continue;
                assert_memory_equal(got[i].starts, want[i].starts, sizeof want[i].starts);
                assert_int_equal(got[i].odd, want[i].odd);
            }
        }
        for (unsigned i = 0; i < count; i++) odd += want[i].odd;
        noted += found;
    }
    assert_true(odd > 100 && noted > 1000);
}

/* A term is noted by the net that it is in; marks and the halves of a term are not. */
static void nets_catch_what_is_in_them(void)
{
    const fer_rank_kernels *run = fer_rank_kernels_here();
    for (uint32_t unit = 0; unit <= UINT16_MAX; unit++) {
        uint16_t units[FER_RANK_UNITS] = {(uint16_t)unit};
        fer_rank_word words[FER_RANK_UNITS + FER_RANK_STEP];
        fer_rank_head head = {.units = units, .count = 1};
        fer_rank_net net = {{0}, {0}};
        fer_rank_net_add(&net, unit);
        assert_int_equal(run->sort(&net, &head, 1, words), unit < FER_RECORD_MARK);
        assert_int_equal(head.starts[0], unit >= FER_RECORD_MARK);
        assert_int_equal(head.odd, unit >= FER_RECORD_WIDE);
    }
}

static void scores_are_counted_alike(void)
{
    const fer_rank_kernels *plain = &fer_rank_kernel_rows[fer_rank_kernel_count - 1];
    for (size_t count = 0; count <= 64; count++) {
        double scores[64];
        uint64_t want[64], got[64];
        for (size_t i = 0; i < 64; i++) scores[i] = i < count ? roll(20) / 7.0 : -HUGE_VAL;
        plain->above(scores, count, want);
        for (size_t k = 0; k < fer_rank_kernel_count; k++) {
            if (!fer_rank_kernel_rows[k].runs_here()) continue;
            fer_rank_kernel_rows[k].above(scores, count, got);
            assert_memory_equal(got, want, count * sizeof *want);
        }
    }
}

/* Asks both the same and wants the same answers. */
static void compare(const fer_lexical *x, const fer_lexical *y)
{
    fer_arena *a = fer_arena_new(0);
    fer_searcher *s = fer_searcher_new();
    for (int round = 0; round < 50; round++) {
        char text[400];
        fer_lexical_hits one, other;
        fer_lexical_query q = {.text = {text, add_words(text, sizeof text, 1 + roll(12))},
                               .limit = 12};
        assert_int_equal(fer_lexical_search(a, x, s, &q, &one, NULL), FER_OK);
        assert_int_equal(fer_lexical_search(a, y, s, &q, &other, NULL), FER_OK);
        assert_int_equal(one.count, other.count);
        assert_true(one.possible == other.possible && one.fits == other.fits);
        for (size_t i = 0; i < one.count; i++) {
            assert_int_equal(one.list[i].number, other.list[i].number);
            assert_true(one.list[i].score == other.list[i].score);
        }
    }
    fer_searcher_free(s);
    fer_arena_free(a);
}

/* Puts, replaces and removes, freezing now and then; another index gets what is left, at once. */
static void history_does_not_matter(void)
{
    enum {
        NUMBERS = 300
    };
    static uint64_t seeds[NUMBERS];
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new(), *anew;
    for (int step = 0; step < 1500; step++) {
        uint32_t n = roll(NUMBERS);
        if (roll(4) == 0) {
            assert_int_equal(fer_lexical_remove(ix, n), seeds[n] != 0);
            seeds[n] = 0;
        } else {
            seeds[n] = seed;
            assert_int_equal(put_random(ix, n), FER_OK);
        }
        if (step % 400 == 399) ix = refreeze(a, ix);
    }
    uint64_t after = seed;
    anew = fer_lexical_new();
    for (uint32_t n = NUMBERS; n-- > 0;) {
        seed = seeds[n];
        if (seeds[n]) assert_int_equal(put_random(anew, n), FER_OK);
    }
    seed = after;
    compare(ix, anew);
    fer_str one, other;
    assert_int_equal(fer_lexical_freeze(a, ix, &one, NULL), FER_OK);
    assert_int_equal(fer_lexical_freeze(a, anew, &other, NULL), FER_OK);
    assert_true(fer_str_eq(one, other));
    fer_lexical_free(ix);
    fer_lexical_free(anew);
    fer_arena_free(a);
}

/* The bytes of the first tools, behind which there had been others. */
static fer_str freeze_after(fer_arena *a, uint32_t tools_left, uint32_t removed, bool frozen_first)
{
    fer_lexical *ix = fer_lexical_new();
    fer_str out;
    for (uint32_t n = 0; n < tools_left + removed; n++)
        assert_int_equal(put_tool(ix, n, &tools[n]), FER_OK);
    if (frozen_first) ix = refreeze(a, ix);
    for (uint32_t n = 0; n < removed; n++) assert_true(fer_lexical_remove(ix, tools_left + n));
    assert_int_equal(fer_lexical_freeze(a, ix, &out, NULL), FER_OK);
    fer_lexical_free(ix);
    return out;
}

/* Where the last ones were removed, of the tail or of the frozen part, as if they had not been. */
static void removed_last(void)
{
    fer_arena *a = fer_arena_new(0);
    for (uint32_t left = 0; left < 4; left++) {
        fer_str anew = freeze_after(a, left, 0, false);
        for (uint32_t removed = 1; removed < 4; removed++) {
            assert_true(fer_str_eq(freeze_after(a, left, removed, false), anew));
            assert_true(fer_str_eq(freeze_after(a, left, removed, true), anew));
        }
    }
    fer_arena_free(a);
}

/* Many at once make the bytes that one after the other make, whatever their order. */
static void building_is_putting(void)
{
    enum {
        NUMBERS = 5000
    };
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    fer_lexical_builder *b = fer_lexical_builder_new(0);
    fer_str one, other;
    assert_non_null(b);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        uint32_t n = i * 7 % NUMBERS;
        if (n % 11 == 3) continue;
        fer_search_doc doc = random_doc();
        assert_int_equal(fer_lexical_put(ix, n, &doc, NULL), FER_OK);
        assert_int_equal(fer_lexical_builder_add(b, n, &doc, NULL), FER_OK);
    }
    assert_int_equal(fer_lexical_freeze(a, ix, &one, NULL), FER_OK);
    assert_int_equal(fer_lexical_builder_finish(a, b, &other, NULL), FER_OK);
    assert_true(fer_str_eq(one, other));
    fer_search_doc doc = random_doc();
    assert_int_equal(fer_lexical_builder_add(b, FER_LEXICAL_DOCS_MAX, &doc, NULL),
                     FER_LIMIT_EXCEEDED);
    fer_lexical_builder_free(b);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* The nth of many words that are their own stems; every seventh is too long for a key. */
static fer_str word_number(fer_arena *a, size_t n)
{
    static const char letters[] = "bcdfghjklmnpqrtv";
    return fer_arena_printf(a, "z%c%c%c%s", letters[n / 256 % 16], letters[n / 16 % 16],
                            letters[n % 16], n % 7 == 3 ? "bcdfghjklmnpqrtvw" : "");
}

/* Texts that come again and again: short and long ones, some past what is remembered of a text,
 * some without words. */
static fer_str repeated_text(fer_arena *a, size_t n)
{
    static const char *const others[] = {"",
                                         "---",
                                         "of the",
                                         "limit",
                                         "page_size_number",
                                         "pageSizeOfNumbers",
                                         "\xE5\xA4\xA9\xE6\xB0\x94",
                                         "to"};
    fer_buf text;
    if (n < FER_COUNT(others)) return fer_str_of(others[n]);
    fer_buf_init(&text, a, 4096);
    for (size_t i = 0; i < n % 41; i++) {
        fer_buf_add(&text, word_number(a, n * 7 + i));
        fer_buf_add(&text, i % 5 ? fer_str_of(" ") : fer_str_of(" of "));
    }
    return (fer_str){text.ptr, text.len};
}

/* Where there are more terms than one unit of a record has numbers for, old and new ones differ. */
static void building_many_terms(void)
{
    enum {
        NUMBERS = 1700,
        WORDS =
            40 /* of each document: all different, then some of the first, which become frequent */
    };
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    fer_lexical_builder *b = fer_lexical_builder_new(NUMBERS);
    fer_str one, other;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        fer_buf text, param;
        fer_buf_init(&text, a, 4096);
        fer_buf_init(&param, a, 4096);
        for (uint32_t i = 0; i < WORDS; i++) fer_buf_printf(&text, "q%uk ", n * WORDS + i);
        for (uint32_t i = 0; i < WORDS; i++)
            fer_buf_printf(&param, "q%uk ", roll(2) ? roll(NUMBERS * WORDS) : n * WORDS + i);
        fer_search_text list[] = {{FER_FIELD_NAME, fer_arena_printf(a, "name_%u", n)},
                                  {FER_FIELD_DESCRIPTION, fer_buf_view(&text)},
                                  {FER_FIELD_PARAM_TEXT, fer_buf_view(&param)}};
        fer_search_doc doc = {list, FER_COUNT(list)};
        assert_int_equal(fer_lexical_put(ix, n, &doc, NULL), FER_OK);
        assert_int_equal(fer_lexical_builder_add(b, n, &doc, NULL), FER_OK);
    }
    fer_lexical_stats stats;
    fer_lexical_stat(ix, &stats);
    assert_true(stats.terms > FER_RECORD_MARK);
    assert_int_equal(fer_lexical_freeze(a, ix, &one, NULL), FER_OK);
    assert_int_equal(fer_lexical_builder_finish(a, b, &other, NULL), FER_OK);
    assert_true(fer_str_eq(one, other));
    fer_lexical_builder_free(b);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* What is remembered of texts does not change what is built, also where a document is full. */
static void building_with_repeats(void)
{
    enum {
        NUMBERS = 3000,
        TEXTS = 600,
        LARGE = 300 /* texts of every thousandth document */
    };
    static const fer_search_field fields[] = {FER_FIELD_PARAM_TEXT, FER_FIELD_TAG,
                                              FER_FIELD_PARAM_NAME, FER_FIELD_NAMESPACE};
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    fer_lexical_builder *b = fer_lexical_builder_new(0), *all = fer_lexical_builder_new(NUMBERS);
    fer_str texts[TEXTS], one, other, third;
    static fer_search_doc docs[NUMBERS];
    for (size_t i = 0; i < TEXTS; i++) texts[i] = repeated_text(a, i);
    for (uint32_t n = 0; n < NUMBERS; n++) {
        fer_search_text *list = fer_arena_alloc(a, LARGE * sizeof *list);
        fer_search_doc doc = {list, n % 1000 == 999 ? LARGE : roll(12)};
        docs[n] = doc;
        for (size_t i = 0; i < doc.count; i++)
            list[i] = (fer_search_text){fields[roll(FER_COUNT(fields))], texts[roll(TEXTS)]};
        assert_int_equal(fer_lexical_put(ix, n, &doc, NULL), FER_OK);
        assert_int_equal(fer_lexical_builder_add(b, n, &doc, NULL), FER_OK);
    }
    assert_int_equal(fer_lexical_freeze(a, ix, &one, NULL), FER_OK);
    assert_int_equal(fer_lexical_builder_finish(a, b, &other, NULL), FER_OK);
    assert_true(fer_str_eq(one, other));
    assert_int_equal(fer_lexical_builder_add_all(all, 0, docs, NUMBERS, NULL), FER_OK);
    assert_int_equal(fer_lexical_builder_finish(a, all, &third, NULL), FER_OK);
    assert_true(fer_str_eq(one, third));
    fer_lexical_builder_free(all);
    fer_lexical_builder_free(b);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* So many words of a document count, stop words not among them, and those behind them do not. */
static void full_document(void)
{
    enum {
        WORDS = 4096, /* FER_RECORD_WORDS; one less of them has room beside the name */
        BREAK = 2001  /* words of the first text */
    };
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    fer_lexical_stats stats;
    fer_buf texts[2];
    for (size_t t = 0; t < 2; t++) fer_buf_init(&texts[t], a, 1 << 20);
    for (size_t i = 0; i < WORDS; i++) {
        fer_buf *to = &texts[i >= BREAK];
        fer_buf_add(to, word_number(a, i));
        fer_buf_add(to, i % 5 ? fer_str_of(" ") : fer_str_of(" of the "));
    }
    fer_search_text list[] = {{FER_FIELD_DESCRIPTION, (fer_str){texts[0].ptr, texts[0].len}},
                              {FER_FIELD_PARAM_TEXT, (fer_str){texts[1].ptr, texts[1].len}}};
    fer_search_doc doc = {list, FER_COUNT(list)};
    assert_int_equal(fer_lexical_put(ix, 0, &doc, NULL), FER_OK);
    for (size_t i = 0; i < WORDS; i++)
        assert_int_equal(fer_lexical_has(ix, word_number(a, i)), i < WORDS - 1);
    fer_lexical_stat(ix, &stats);
    assert_int_equal(stats.terms, WORDS - 1);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

static void building_nothing(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical_builder *b = fer_lexical_builder_new(0);
    fer_lexical *ix = fer_lexical_new(), *opened;
    fer_str one, other;
    assert_int_equal(fer_lexical_builder_finish(a, b, &one, NULL), FER_OK);
    assert_int_equal(fer_lexical_freeze(a, ix, &other, NULL), FER_OK);
    assert_true(fer_str_eq(one, other));
    assert_int_equal(fer_lexical_open(one, &opened, NULL), FER_OK);
    fer_lexical_free(opened);
    fer_lexical_free(ix);
    fer_lexical_builder_free(b);
    fer_arena_free(a);
}

/* However many are asked for. */
static void hits_are_limited(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    fer_searcher *s = fer_searcher_new();
    for (uint32_t n = 0; n < FER_LEXICAL_HITS_MAX + 200; n++)
        assert_int_equal(put_tool(ix, n, &tools[0]), FER_OK);
    static const size_t limits[] = {
        0, 1, FER_LEXICAL_HITS_MAX - 1, FER_LEXICAL_HITS_MAX, FER_LEXICAL_HITS_MAX + 1, SIZE_MAX};
    for (size_t i = 0; i < FER_COUNT(limits); i++) {
        fer_lexical_hits hits;
        fer_lexical_query q = {.text = FER_STR("an issue"), .limit = limits[i]};
        assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
        assert_int_equal(hits.count,
                         limits[i] < FER_LEXICAL_HITS_MAX ? limits[i] : FER_LEXICAL_HITS_MAX);
    }
    fer_searcher_free(s);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

static void counts(void)
{
    fer_lexical *ix = make_tools();
    fer_lexical_stats stats;
    fer_lexical_stat(ix, &stats);
    assert_int_equal(stats.docs, FER_COUNT(tools));
    assert_int_equal(stats.tail, FER_COUNT(tools));
    assert_true(fer_lexical_remove(ix, 3));
    assert_false(fer_lexical_remove(ix, 3));
    assert_false(fer_lexical_remove(ix, 1000));
    fer_lexical_stat(ix, &stats);
    assert_int_equal(stats.docs, FER_COUNT(tools) - 1);
    assert_int_equal(put_tool(ix, FER_LEXICAL_DOCS_MAX, &tools[0]), FER_LIMIT_EXCEEDED);
    fer_lexical_free(ix);
}

/* ---- no memory ---------------------------------------------------------------------- */

static fer_code attempt(fer_arena *unused, const void *row)
{
    (void)unused, (void)row;
    fer_code code = FER_OUT_OF_MEMORY;
    fer_str frozen;
    fer_lexical_hits hits;
    fer_lexical_query q = {.text = FER_STR("create an issue"), .limit = 3, .explain = true};
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new(), *opened = NULL;
    fer_searcher *s = fer_searcher_new();
    if (a && ix && s) {
        code = FER_OK;
        for (uint32_t i = 0; !code && i < FER_COUNT(tools); i++) code = put_tool(ix, i, &tools[i]);
        if (!code) code = fer_lexical_freeze(a, ix, &frozen, NULL);
        if (!code) code = fer_lexical_open(frozen, &opened, NULL);
        if (!code) code = put_tool(opened, 1, &tools[2]);
        if (!code) code = fer_lexical_search(a, opened, s, &q, &hits, NULL);
        if (!code) assert_int_equal(hits.list[0].number, 0);
    }
    fer_searcher_free(s);
    fer_lexical_free(opened);
    fer_lexical_free(ix);
    fer_arena_free(a);
    return code;
}

static fer_code attempt_building(fer_arena *unused, const void *row)
{
    (void)unused, (void)row;
    fer_code code = FER_OUT_OF_MEMORY;
    fer_str frozen;
    fer_arena *a = fer_arena_new(0);
    fer_lexical_builder *b = fer_lexical_builder_new(0);
    if (a && b) {
        code = FER_OK;
        for (uint32_t i = 0; !code && i < 2000; i++) {
            seed = i + 1;
            fer_search_doc doc = random_doc();
            code = fer_lexical_builder_add(b, i, &doc, NULL);
        }
        if (!code) code = fer_lexical_builder_finish(a, b, &frozen, NULL);
    }
    fer_lexical_builder_free(b);
    fer_arena_free(a);
    return code;
}

static void no_memory(void)
{
    assert_true(rows_torture_malloc(attempt, NULL) > 5);
    assert_true(rows_torture_malloc(attempt_building, NULL) > 5);
}

/* ---- bytes that are no index --------------------------------------------------------- */

static void broken_bytes(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = make_tools(), *opened;
    fer_searcher *s = fer_searcher_new();
    fer_str frozen;
    assert_int_equal(fer_lexical_freeze(a, ix, &frozen, NULL), FER_OK);
    char *copy = fer_arena_alloc(a, frozen.len);
    for (size_t len = 0; len < frozen.len; len += 1 + len / 8) {
        memcpy(copy, frozen.ptr, len);
        assert_int_equal(fer_lexical_open((fer_str){copy, len}, &opened, NULL), FER_INVALID_FORMAT);
    }
    for (size_t at = 0; at < frozen.len; at++) {
        fer_lexical_hits hits;
        fer_lexical_query q = {.text = FER_STR("search the issues"), .limit = 9, .explain = true};
        memcpy(copy, frozen.ptr, frozen.len);
        copy[at] = (char)(copy[at] ^ (1 << roll(8)));
        if (fer_lexical_open((fer_str){copy, frozen.len}, &opened, NULL)) continue;
        assert_int_equal(fer_lexical_search(a, opened, s, &q, &hits, NULL), FER_OK);
        fer_lexical_remove(opened, 0);
        fer_lexical_free(opened);
    }
    fer_searcher_free(s);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

/* Counts in the header that are more than there can be, in bytes of the size that follows. */
static const struct header_row {
    const char *name;
    size_t wrong, most; /* where the count is, and that which it may not exceed */
} header_rows[] = {
#define AT(field) offsetof(struct fer_frozen_header, field)
    {"more shared terms than terms", AT(shared), AT(term_count)},
    {"more rows of runs than shared terms", AT(run_rows), AT(shared)},
    {"more rows of bits than of runs", AT(bit_rows), AT(run_rows)},
    {"more terms than slots", AT(term_count), AT(slot_count)},
    {"more documents than numbers", AT(docs), AT(numbers)},
};

static void broken_header(const struct header_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = make_tools(), *opened;
    fer_str frozen;
    struct fer_frozen_header h;
    uint32_t count;
    assert_int_equal(fer_lexical_freeze(a, ix, &frozen, NULL), FER_OK);
    memcpy(&h, frozen.ptr, sizeof h);
    for (uint32_t over = 0; over < 2; over++) {
        memcpy(&count, (char *)&h + row->most, sizeof count);
        count += over;
        memcpy((char *)&h + row->wrong, &count, sizeof count);
        h.size = fer_frozen_lay_out(&h).end;
        char *bytes = fer_arena_alloc_zero(a, 1, h.size);
        memcpy(bytes, &h, sizeof h);
        fer_code code = fer_lexical_open((fer_str){bytes, h.size}, &opened, NULL);
        bool may = !over && row->wrong != AT(term_count); /* one slot at least is empty */
        assert_int_equal(code, may ? FER_OK : FER_INVALID_FORMAT);
        if (!code) fer_lexical_free(opened);
    }
    fer_lexical_free(ix);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("finding", rows, run) + ROWS_ONE("finding", why) +
           ROWS_ONE("finding", why_of_a_stand_in) + ROWS_ONE("finding", filters) +
           ROWS_ONE("index", pruning_loses_nothing) + ROWS_ONE("index", quick_looks_see_the_same) +
           ROWS_ONE("index", sums_are_taken_alike) + ROWS_ONE("index", gains_are_made_alike) +
           ROWS_ONE("index", history_does_not_matter) + ROWS_ONE("index", heads_are_sorted_alike) +
           ROWS_ONE("index", nets_catch_what_is_in_them) +
           ROWS_ONE("index", hardly_anybody_may_be_there) +
           ROWS_ONE("index", another_index_is_another) +
           ROWS_ONE("finding", two_words_are_one_in_either_part) +
           ROWS_ONE("index", scores_are_counted_alike) + ROWS_ONE("index", removed_last) +
           ROWS_ONE("index", building_is_putting) + ROWS_ONE("index", building_many_terms) +
           ROWS_ONE("index", building_with_repeats) + ROWS_ONE("index", building_nothing) +
           ROWS_ONE("index", full_document) + ROWS_ONE("index", counts) +
           ROWS_ONE("index", hits_are_limited) + ROWS_ONE("index", no_memory) +
           ROWS_ONE("index", broken_bytes) + ROWS_RUN("header", header_rows, broken_header);
}
