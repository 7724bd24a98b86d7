/* SPDX-License-Identifier: Apache-2.0 */
/* Words, vectors and memory together. */
#include "hybrid.h"

#include "embed_static.h"
#include "rows.h"

static const char *const tools[][2] = {
    {"send_email", "Sends a mail to recipients."},
    {"get_weather", "Forecast of temperature and rain for a city."},
    {"list_invoices", "Lists the bills of a customer."},
    {"create_issue", "Opens a bug in a repository."},
    {"email_send", "Sends a mail to recipients."},
    {"weather", "Conditions now."},
};

typedef struct setting {
    fer_hybrid parts;
    fer_lexical *lexical;
    fer_vectors *vectors;
    fer_static_model model;
    uint64_t contents[FER_COUNT(tools)];
} setting;

static void start(setting *s)
{
    memset(s, 0, sizeof *s);
    assert_int_equal(fer_static_model_builtin(&s->model, NULL), FER_OK);
    s->lexical = fer_lexical_new();
    s->vectors = fer_vectors_new(s->model.dims);
    s->parts = (fer_hybrid){s->lexical,          s->vectors,
                            fer_searcher_new(),  fer_embed_static_new(&s->model),
                            fer_tokeniser_new(), NULL};
    assert_non_null(s->lexical);
    assert_true(s->vectors && s->parts.searcher && s->parts.embedder && s->parts.tokeniser);
    for (uint32_t i = 0; i < FER_COUNT(tools); i++) {
        const fer_search_text texts[] = {{FER_FIELD_NAME, fer_str_of(tools[i][0])},
                                         {FER_FIELD_DESCRIPTION, fer_str_of(tools[i][1])}};
        const fer_search_doc doc = {texts, 2};
        int8_t vector[FER_EMBED_DIMS];
        fer_embedder *e = s->parts.embedder;
        assert_int_equal(e->embed(e, &doc, 1, FER_EMBED_DOC, vector, NULL), FER_OK);
        assert_int_equal(fer_vectors_put(s->vectors, i, vector, NULL), FER_OK);
        assert_int_equal(fer_lexical_put(s->lexical, i, &doc, NULL), FER_OK);
        /* What a mail tool is called differs, what it says does not. */
        s->contents[i] = fer_fuse_content(s->parts.tokeniser, &(fer_search_doc){texts + 1, 1});
    }
}

static void end(setting *s)
{
    fer_lexical_free(s->lexical);
    fer_vectors_free(s->vectors);
    fer_searcher_free(s->parts.searcher);
    fer_embedder_free(s->parts.embedder);
    fer_tokeniser_free(s->parts.tokeniser);
    fer_usage_free(s->parts.usage);
}

static bool not_the_second(void *context, uint32_t number)
{
    (void)context;
    return number != 1;
}

static uint64_t content(void *context, uint32_t number)
{
    return ((const setting *)context)->contents[number];
}

static const struct row {
    const char *name, *query;
    fer_ranker ranker;
    const char *first; /* NULL: nothing is found */
    fer_score_type type;
    bool no_vectors, filtered, collapsed;
} rows[] = {
    {"words", "send a mail", FER_RANKER_BM25, "send_email", FER_SCORE_BM25, 0, 0, 0},
    {"both", "will there be rain in the city", FER_RANKER_HYBRID, "get_weather", FER_SCORE_HYBRID,
     0, 0, 0},
    {"no word in common", "hailstone blizzard", FER_RANKER_HYBRID, "get_weather",
     FER_SCORE_EMBEDDING, 0, 0, 0},
    {"no word but related ones", "snow storm humidity", FER_RANKER_HYBRID, "get_weather",
     FER_SCORE_HYBRID, 0, 0, 0},
    {"vectors alone", "forecast of rain", FER_RANKER_EMBEDDING, "get_weather", FER_SCORE_EMBEDDING,
     0, 0, 0},
    {"vectors are not there yet", "send a mail", FER_RANKER_HYBRID, "send_email", FER_SCORE_BM25, 1,
     0, 0},
    {"a query that no vector has", "qqzzxxvv", FER_RANKER_EMBEDDING, NULL, FER_SCORE_BM25, 0, 0, 0},
    {"an empty query", "", FER_RANKER_HYBRID, NULL, FER_SCORE_BM25, 0, 0, 0},
    {"filtered", "forecast of rain", FER_RANKER_HYBRID, "weather", FER_SCORE_EMBEDDING, 0, 1, 0},
    {"named", "list_invoices", FER_RANKER_HYBRID, "list_invoices", FER_SCORE_HYBRID, 0, 0, 0},
    {"twins", "send a mail", FER_RANKER_HYBRID, "send_email", FER_SCORE_HYBRID, 0, 0, 1},
};

static void run(const struct row *row)
{
    setting s;
    fer_arena *a = fer_arena_new(1 << 22);
    start(&s);
    if (row->no_vectors) s.parts.vectors = NULL;
    const fer_hybrid_query q = {.base = {.text = fer_str_of(row->query),
                                         .limit = 10,
                                         .accept = row->filtered ? not_the_second : NULL,
                                         .context = &s},
                                .ranker = row->ranker,
                                .content = row->collapsed ? content : NULL};
    fer_hybrid_hits hits;
    assert_int_equal(fer_hybrid_search(a, &s.parts, &q, &hits, NULL), FER_OK);
    assert_int_equal(hits.fused.count != 0, row->first != NULL);
    if (row->first) assert_string_equal(tools[hits.fused.list[0].number][0], row->first);
    assert_int_equal(hits.fused.type, row->type);
    for (size_t i = 0; i < hits.fused.count; i++) {
        assert_true(!row->filtered || hits.fused.list[i].number != 1);
        assert_true(!row->collapsed || hits.fused.list[i].number != 4);
        assert_true(!i || hits.fused.list[i].score <= hits.fused.list[i - 1].score);
    }
    if (row->collapsed) assert_int_equal(hits.fused.list[0].twins, 1);
    end(&s);
    fer_arena_free(a);
}

/* A query that the words of no tool answer, learned from calls. */
static void remembers(void)
{
    setting s;
    fer_arena *a = fer_arena_new(1 << 22);
    fer_hybrid_hits hits;
    const fer_hybrid_query q = {.base = {.text = FER_STR("the usual for Bob, send it"), .limit = 3},
                                .ranker = FER_RANKER_HYBRID};
    start(&s);
    s.parts.usage = fer_usage_new(0, s.model.dims);
    assert_non_null(s.parts.usage);
    assert_int_equal(fer_hybrid_search(a, &s.parts, &q, &hits, NULL), FER_OK);
    assert_int_not_equal(hits.fused.list[0].number, 2);
    for (int i = 0; i < 40; i++)
        assert_int_equal(fer_hybrid_note(a, &s.parts, FER_STR("send the usual for Bob"), 2, NULL),
                         FER_OK);
    assert_int_equal(fer_hybrid_search(a, &s.parts, &q, &hits, NULL), FER_OK);
    assert_int_equal(hits.fused.list[0].number, 2);
    assert_true(hits.fused.list[0].voted > 0);
    end(&s);
    fer_arena_free(a);
}

static const struct cut {
    const char *request, *clauses; /* joined by | */
} cuts[] = {
    {"", ""},
    {"send a mail", ""},
    {"find flights, book hotel", "find flights|book hotel"},
    {"cheap flights to Rome, hotel rooms nearby", "cheap flights to Rome|hotel rooms nearby"},
    {"read my mail and convert one euro", "read my mail|and convert one euro"},
    {"weather, Paris", ""},
    {"one two. three four. five six. seven eight. nine ten",
     "one two|three four|five six. seven eight. nine ten"},
};

/* A word that no tool has counts two tenths, any other ten. */
static void unknown_words(void)
{
    fer_lexical *ix = fer_lexical_new();
    fer_searcher *s = fer_searcher_new();
    const fer_search_text text = {FER_FIELD_DESCRIPTION, FER_STR("The weather in a city")};
    fer_hybrid_words w;
    assert_int_equal(fer_lexical_put(ix, 0, &(fer_search_doc){&text, 1}, NULL), FER_OK);
    fer_hybrid_read(&w, fer_searcher_read(s, FER_STR("weather in Petaluma, city")));
    assert_int_equal(w.count, 3);
    assert_int_equal(w.tenths[1], 10);
    fer_hybrid_weigh(&w, s, ix);
    assert_int_equal(w.tenths[0], 10);
    assert_int_equal(w.tenths[1], 2);
    assert_int_equal(w.tenths[2], 10);
    assert_true(fer_lexical_remove(ix, 0));
    fer_hybrid_weigh(&w, s, ix);
    assert_int_equal(w.tenths[0], 2);
    fer_searcher_free(s);
    fer_lexical_free(ix);
}

/* What a search found out about the words of a request is what asking the index says: a word that
 * was mended is not there, nor is one that others stand in for. */
static void searched_words(void)
{
    static const char *const requests[] = {"weather in Petaluma, city", "wether town", "cities",
                                           "forecast for the city of weathr"};
    fer_arena *a = fer_arena_new(0);
    fer_lexical *ix = fer_lexical_new();
    fer_searcher *s = fer_searcher_new();
    const fer_search_text text = {FER_FIELD_DESCRIPTION, FER_STR("The weather in a city")};
    assert_int_equal(fer_lexical_put(ix, 0, &(fer_search_doc){&text, 1}, NULL), FER_OK);
    for (size_t i = 0; i < FER_COUNT(requests); i++) {
        fer_lexical_query q = {.text = fer_str_of(requests[i]), .limit = 1};
        fer_lexical_hits hits;
        assert_int_equal(fer_lexical_search(a, ix, s, &q, &hits, NULL), FER_OK);
        const fer_wording *read = fer_searcher_wording(s);
        for (size_t w = 0; w < read->count; w++)
            assert_int_equal(fer_searcher_has(s, ix, w), fer_lexical_has(ix, read->words[w].text));
    }
    fer_searcher_free(s);
    fer_lexical_free(ix);
    fer_arena_free(a);
}

static void cut(const struct cut *row)
{
    fer_searcher *s = fer_searcher_new();
    fer_hybrid_words w;
    char text[256] = "";
    assert_non_null(s);
    fer_hybrid_read(&w, fer_searcher_read(s, fer_str_of(row->request)));
    for (size_t i = 0; i < w.clause_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", i ? "|" : "",
                 FER_PRI(w.clauses[i].text));
    assert_string_equal(text, row->clauses);
    fer_searcher_free(s);
}

static uint64_t content_of_twins(void *context, uint32_t number)
{
    (void)context;
    return number < 300 ? 0 : number;
}

/* 300 servers have the same tool, which fits best; what others there are is found all the same. */
static void twins_leave_room(void)
{
    fer_lexical *lexical = fer_lexical_new();
    fer_hybrid parts = {.lexical = lexical, .searcher = fer_searcher_new()};
    fer_arena *a = fer_arena_new(0);
    fer_hybrid_hits hits;
    for (uint32_t i = 0; i < 305; i++) {
        const fer_search_text text = {FER_FIELD_DESCRIPTION,
                                      i < 300 ? FER_STR("send mail") : FER_STR("send a card now")};
        assert_int_equal(fer_lexical_put(lexical, i, &(fer_search_doc){&text, 1}, NULL), FER_OK);
    }
    for (fer_ranker r = 0; r < FER_RANKER_COUNT; r += FER_RANKER_HYBRID) {
        const fer_hybrid_query q = {.base = {.text = FER_STR("send mail"), .limit = 4},
                                    .ranker = r,
                                    .content = content_of_twins};
        assert_int_equal(fer_hybrid_search(a, &parts, &q, &hits, NULL), FER_OK);
        assert_int_equal(hits.fused.count, 4);
        assert_int_equal(hits.fused.list[0].number, 0);
        assert_int_equal(hits.fused.list[3].number, 302);
    }
    fer_arena_free(a);
    fer_searcher_free(parts.searcher);
    fer_lexical_free(lexical);
}

static fer_code search_once(fer_arena *a, const void *context)
{
    const setting *s = context;
    const fer_hybrid_query q = {.base = {.text = FER_STR("send a mail, see the rain"), .limit = 3},
                                .ranker = FER_RANKER_HYBRID};
    fer_hybrid_hits hits = {0};
    fer_code code = fer_hybrid_search(a, &s->parts, &q, &hits, NULL);
    assert_int_equal(hits.fused.count, code ? 0 : 3);
    return code;
}

static void no_memory(void)
{
    setting s;
    start(&s);
    assert_true(rows_torture_arena(search_once, &s) > 3);
    end(&s);
}

int main(void)
{
    return ROWS_RUN("hybrid", rows, run) + ROWS_RUN("hybrid", cuts, cut) +
           ROWS_ONE("hybrid", remembers) + ROWS_ONE("hybrid", twins_leave_room) +
           ROWS_ONE("hybrid", unknown_words) + ROWS_ONE("hybrid", searched_words) +
           ROWS_ONE("hybrid", no_memory);
}
