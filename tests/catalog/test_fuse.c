/* SPDX-License-Identifier: Apache-2.0 */
/* Several rankings made into one. */
#include "fuse.h"

#include "rows.h"

/* Each list is "number:score ..."; "!" marks the tool that was named. */
static const struct row {
    const char *name;
    const char *lexical, *near, *votes;
    double weight; /* of votes */
    size_t limit;
    bool collapse;    /* numbers that are the same modulo 10 are twins */
    bool backwards;   /* ties: the higher number first */
    const char *want; /* "number=score in percent, +twins ..." */
    fer_score_type type;
} rows[] = {
    {"nothing", "", "", "", 0, 10, false, false, "", FER_SCORE_BM25},
    {"words alone", "3:8 1:4", "", "", 0, 10, false, false, "3=100 1=50", FER_SCORE_BM25},
    {"vectors alone", "", "3:900 1:450", "", 0, 10, false, false, "3=100 1=50",
     FER_SCORE_EMBEDDING},
    {"both", "1:10 2:5", "2:1000 3:800 1:100", "", 0, 10, false, false, "2=69 1=66 3=30",
     FER_SCORE_HYBRID},
    {"ties by number", "5:4 2:4 9:4", "", "", 0, 10, false, false, "2=100 5=100 9=100",
     FER_SCORE_BM25},
    {"ties by the caller", "5:4 2:4 9:4", "", "", 0, 10, false, true, "9=100 5=100 2=100",
     FER_SCORE_BM25},
    {"limit", "1:4 2:3 3:2 4:1", "", "", 0, 2, false, false, "1=100 2=75", FER_SCORE_BM25},
    {"no limit is none", "1:4 2:3", "", "", 0, 0, false, false, "", FER_SCORE_BM25},
    {"the named one is first", "1:4 2!:1", "1:900", "", 0, 10, false, false, "2=99 1=99",
     FER_SCORE_HYBRID},
    {"the named one is first, whatever else", "1:4 2!:0", "1:900", "", 0, 10, false, false,
     "2=99 1=99", FER_SCORE_HYBRID},
    {"named ones in the order of their words", "7!:8 2!:6 1:5", "", "", 0, 10, false, false,
     "7=100 2=100 1=62", FER_SCORE_BM25},
    {"and of both", "7!:8 2!:6 1:5", "2:900 7:90", "", 0, 10, false, false, "2=100 7=100 1=39",
     FER_SCORE_HYBRID},
    {"twins", "1:8 11:8 2:4 21:2 12:1", "", "", 0, 10, true, false, "1=100+2 2=50+1",
     FER_SCORE_BM25},
    {"twins do not use up the limit", "1:8 11:8 2:4", "", "", 0, 2, true, false, "1=100+1 2=50",
     FER_SCORE_BM25},
    {"votes", "1:10 2:5", "", "7:1 2:0.5", 4, 10, false, false, "7=80 2=50 1=20", FER_SCORE_BM25},
    {"votes without trust", "1:10 2:5", "", "7:1", 0, 10, false, false, "1=100 2=50 7=0",
     FER_SCORE_BM25},
    {"votes for what is not accepted", "1:10", "", "99:1", 4, 10, false, false, "1=20",
     FER_SCORE_BM25},
    {"products of what only words found", "4:10", "1:1000", "", 0, 10, false, false, "4=77 1=37",
     FER_SCORE_HYBRID},
};

static uint64_t content(void *context, uint32_t number)
{
    (void)context;
    return number % 10;
}

static bool backwards(void *context, uint32_t one, uint32_t other)
{
    (void)context;
    return one > other;
}

static bool below_90(void *context, uint32_t number)
{
    (void)context;
    return number < 90;
}

static int32_t product(void *context, uint32_t number)
{
    (void)context;
    return number == 4 ? 400 : -50;
}

/* Reads one "number[!]:score"; NULL at the end. */
static const char *item(const char *at, uint32_t *number, bool *named, double *score)
{
    char mark = 0;
    int used = 0;
    while (*at == ' ') at++;
    if (!*at) return NULL;
    *named = sscanf(at, "%u%c:%lf%n", number, &mark, score, &used) == 3 && mark == '!';
    if (!*named) assert_int_equal(sscanf(at, "%u:%lf%n", number, score, &used), 2);
    return at + used;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(1 << 20);
    fer_lexical_hit lexical[8] = {0};
    fer_near near[8] = {0};
    fer_votes votes = {.weight = row->weight};
    fer_fuse_input in = {.lexical = lexical,
                         .near = {near, 0},
                         .votes = &votes,
                         .limit = row->limit,
                         .product = product,
                         .accept = below_90,
                         .before = row->backwards ? backwards : NULL,
                         .content = row->collapse ? content : NULL};
    uint32_t number = 0;
    bool named = false;
    double score = 0;
    for (const char *p = row->lexical; (p = item(p, &number, &named, &score));)
        lexical[in.lexical_count++] =
            (fer_lexical_hit){.number = number, .score = score, .named = named};
    for (const char *p = row->near; (p = item(p, &number, &named, &score));)
        near[in.near.count++] = (fer_near){number, (int32_t)score};
    for (const char *p = row->votes; (p = item(p, &number, &named, &score));)
        votes.list[votes.count++] = (fer_vote){number, score};
    fer_fused_hits hits = {0};
    char text[256] = "";
    size_t len = 0;
    assert_int_equal(fer_fuse(a, &in, &hits, NULL), FER_OK);
    for (size_t i = 0; i < hits.count; i++) {
        const fer_fused *f = &hits.list[i];
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u=%.0f", i ? " " : "", f->number,
                                100 * f->score);
        if (f->twins) len += (size_t)snprintf(text + len, sizeof text - len, "+%u", f->twins);
    }
    assert_string_equal(text, row->want);
    assert_int_equal(hits.type, row->type);
    fer_arena_free(a);
}

static const struct pair {
    const char *name, *one, *other;
    bool same;
} pairs[] = {
    {"the same", "Sends a mail.", "Sends a mail.", true},
    {"case, punctuation, stop words", "Sends a mail.", "sends THE mails!", true},
    {"another word", "Sends a mail.", "Sends a letter.", false},
    {"another order", "mail to fax", "fax to mail", false},
    {"empty", "", "the", true},
};

static void contents(const struct pair *row)
{
    fer_tokeniser *t = fer_tokeniser_new();
    const fer_search_text one[] = {{FER_FIELD_NAME, FER_STR("send")},
                                   {FER_FIELD_NAMESPACE, FER_STR("here")},
                                   {FER_FIELD_DESCRIPTION, fer_str_of(row->one)}};
    const fer_search_text other[] = {{FER_FIELD_NAMESPACE, FER_STR("there")},
                                     {FER_FIELD_DESCRIPTION, fer_str_of(row->other)},
                                     {FER_FIELD_NAME, FER_STR("Send")}};
    assert_non_null(t);
    assert_int_equal(fer_fuse_content(t, &(fer_search_doc){one, 3}) ==
                         fer_fuse_content(t, &(fer_search_doc){other, 3}),
                     row->same);
    fer_tokeniser_free(t);
}

static void type_names(void)
{
    assert_string_equal(fer_score_type_name(FER_SCORE_BM25), "bm25");
    assert_string_equal(fer_score_type_name(FER_SCORE_EMBEDDING), "embedding");
    assert_string_equal(fer_score_type_name(FER_SCORE_HYBRID), "hybrid");
}

static fer_code fuse_one(fer_arena *a, const void *unused)
{
    (void)unused;
    const fer_lexical_hit hit = {.number = 3, .score = 1};
    const fer_fuse_input in = {.lexical = &hit, .lexical_count = 1, .limit = 3};
    fer_fused_hits hits = {0};
    fer_code code = fer_fuse(a, &in, &hits, NULL);
    assert_int_equal(hits.count, code ? 0 : 1);
    return code;
}

static void no_memory(void)
{
    assert_true(rows_torture_arena(fuse_one, NULL) >= 3);
}

/* One more than are counted against each other are brought into order by a heap: with many ties,
 * and a last one that has less than all others, the first of both are the same. */
static void few_are_ordered_as_many(void)
{
    enum {
        FEW = 64
    };
    fer_arena *a = fer_arena_new(0);
    uint32_t seed = 1;
    for (size_t count = 1; count <= FEW; count++) {
        fer_lexical_hit hits[FEW + 64];
        fer_near near[FEW];
        for (size_t i = 0; i < FEW + 64; i++) {
            seed = seed * 1664525 + 1013904223;
            double score = i < count ? 20 - (double)i / 8 : 1 - (double)i / 1000;
            hits[i] = (fer_lexical_hit){.number = (uint32_t)(i * 7 % 131), .score = score};
            if (i < FEW) near[i] = (fer_near){hits[i].number, (int32_t)(200 + seed % 3)};
        }
        hits[0].score = hits[1].score = 20;
        fer_fuse_input in = {
            .lexical = hits, .lexical_count = count, .near = {near, count}, .limit = count};
        near[0].product = 202;
        fer_fused_hits few = {0}, many = {0};
        assert_int_equal(fer_fuse(a, &in, &few, NULL), FER_OK);
        in.lexical_count = FEW + 64;
        assert_int_equal(fer_fuse(a, &in, &many, NULL), FER_OK);
        assert_int_equal(few.count, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(few.list[i].number, many.list[i].number);
    }
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("fuse", rows, run) + ROWS_RUN("fuse", pairs, contents) +
           ROWS_ONE("fuse", type_names) + ROWS_ONE("fuse", no_memory) +
           ROWS_ONE("fuse", few_are_ordered_as_many);
}
