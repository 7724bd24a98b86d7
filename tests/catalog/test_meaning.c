/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors in a catalogue: made step by step, kept in its file by what they were made from, used
 * again, never those of another embedder; and the rankers that use them: filters, pages, types of
 * scores, twins, IDs as queries.
 */
#include "catalog_rows.h"

#include <unistd.h>

#include "catalog_file.h"
#include "file.h"
#include "temp_files.h"
#include "vector_section.h"

#define TOOL(ns, name, text, add)                                                                  \
    "{\"namespace\":\"" ns "\",\"name\":\"" name "\",\"description\":\"" text "\"," S add "}"

static const char tools[] = "[" TOOL("github", "create_issue", "Create a new issue in a repository",
                                     ",\"tags\":[\"dev\"],\"category\":\"Code\"") "," //
    TOOL("github", "list_issues", "List the issues of a repository",
         ",\"effect\":\"Pure\",\"tags\":[\"dev\",\"read\"]") "," //
    TOOL("weather", "forecast", "Weather of the coming days at a place",
         ",\"effect\":\"Pure\"") ","                                                      //
    TOOL("mail", "send", "Send an e-mail message to somebody", "") ","                    //
    TOOL("files", "remove", "Delete a file from the disk", ",\"category\":\"Files\"") "," //
    TOOL("db", "query", "Run a statement in a database and return its rows", "") "]";

static const fer_catalog_options meaning = {.search = true, .embedder = "builtin"};
static const fer_catalog_options words = {.search = true};

static size_t embed(fer_catalog *c, size_t most)
{
    size_t left = 0;
    fer_err err;
    if (fer_catalog_embed(c, most, &left, &err)) fail_msg("%s", err.message);
    return left;
}

static fer_catalog *ready(const char *text)
{
    fer_catalog *c = must_catalog(&meaning);
    must_put(c, text);
    assert_int_equal(embed(c, SIZE_MAX), 0);
    return c;
}

static fer_found find(fer_arena *a, fer_catalog *c, const char *query,
                      const fer_search_options *options)
{
    fer_found found;
    fer_err err;
    if (fer_catalog_search(a, c, fer_str_of(query), options, NULL, &found, &err))
        fail_msg("%s", err.message);
    for (size_t i = 1; i < found.count; i++) {
        double one = found.matches[i - 1].hit.score, other = found.matches[i].hit.score;
        assert_true(one >= other);
        if (one == other && !found.matches[i - 1].named)
            assert_true(fer_str_cmp(found.matches[i - 1].hit.summary.id,
                                    found.matches[i].hit.summary.id) < 0);
    }
    return found;
}

/* ---- rankers ------------------------------------------------------------------------------------
 */

static const struct row {
    const char *name;
    const char *query;
    fer_rank rank;
    const char *ns, *tag, *category;
    unsigned effects;
    const char *first; /* what is found first; "": nothing fits */
    const char *ranker, *type;
} rows[] = {
    {"default, with vectors", "weather at a place", FER_RANK_DEFAULT, "", "", "", 0,
     "weather:forecast", "hybrid", "hybrid"},
    {"both", "create an issue", FER_RANK_HYBRID, "", "", "", 0, "github:create_issue", "hybrid",
     "hybrid"},
    {"words alone", "create an issue", FER_RANK_BM25, "", "", "", 0, "github:create_issue", "bm25",
     "bm25"},
    {"meaning alone", "remove a file from the disk", FER_RANK_EMBEDDING, "", "", "", 0,
     "files:remove", "embedding", "embedding"},
    {"meaning, a namespace", "send a message", FER_RANK_EMBEDDING, "mail", "", "", 0, "mail:send",
     "embedding", "embedding"},
    {"meaning, a tag", "create issue", FER_RANK_EMBEDDING, "", "read", "", 0, "github:list_issues",
     "embedding", "embedding"},
    {"both, a category", "issue", FER_RANK_HYBRID, "", "", "CODE", 0, "github:create_issue",
     "hybrid", "hybrid"},
    {"both, an effect", "issue", FER_RANK_HYBRID, "", "", "", 1u << FER_EFFECT_PURE,
     "github:list_issues", "hybrid", "hybrid"},
    {"meaning, an effect", "create issue", FER_RANK_EMBEDDING, "", "", "", 1u << FER_EFFECT_PURE,
     "github:list_issues", "embedding", "embedding"},
    {"nothing, by words", "zxqv", FER_RANK_BM25, "", "", "", 0, "", "bm25", "bm25"},
    {"nothing, by meaning", "zxqv", FER_RANK_EMBEDDING, "", "", "", 0, "", "embedding", NULL},
    {"nothing, by both", "zxqv", FER_RANK_HYBRID, "", "", "", 0, "", "hybrid", NULL},
    {"an ID", "github:list_issues", FER_RANK_DEFAULT, "", "", "", 0, "github:list_issues", "hybrid",
     NULL},
    {"an ID, by words", " github:list_issues ", FER_RANK_BM25, "", "", "", 0, "github:list_issues",
     "bm25", "bm25"},
    {"an ID, by meaning", "db:query", FER_RANK_EMBEDDING, "", "", "", 0, "db:query", "embedding",
     "embedding"},
    {"an alias", "mcp::mail::send", FER_RANK_DEFAULT, "", "", "", 0, "mail:send", "hybrid", NULL},
};

static fer_str slots[3];
static fer_texts one_text(size_t slot, const char *text)
{
    slots[slot] = fer_str_of(text);
    return (fer_texts){&slots[slot], text[0] != '\0'};
}

static void run(const struct row *row)
{
    fer_catalog *c = ready(tools);
    fer_arena *a = fer_arena_new(0);
    fer_filter f = {one_text(0, row->ns), one_text(1, row->tag), one_text(2, row->category),
                    row->effects};
    fer_search_options options = {.filter = &f, .rank = row->rank, .explain = true};
    fer_found found = find(a, c, row->query, &options);
    assert_string_equal(found.ranker, row->ranker);
    assert_int_equal(found.lacking, 0);
    if (!*row->first) {
        assert_false(found.fits);
    } else {
        assert_true(found.count > 0);
        assert_str(found.matches[0].hit.summary.id, row->first);
        if (row->type) assert_string_equal(found.matches[0].hit.score_type, row->type);
    }
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* An ID that a filter leaves out is not found; what is not there is no ID. */
static void ids(void)
{
    fer_catalog *c = ready(tools);
    fer_arena *a = fer_arena_new(0);
    fer_filter f = {.namespaces = one_text(0, "mail")};
    fer_found found = find(a, c, "github:list_issues", &(fer_search_options){.filter = &f});
    for (size_t i = 0; i < found.count; i++)
        assert_str(found.matches[i].hit.summary.id, "mail:send");
    found = find(a, c, "github:list_issues", NULL);
    assert_true(found.fits && found.matches[0].named);
    found = find(a, c, "github:nothing_like_it", NULL);
    assert_false(found.count && found.matches[0].named);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* ---- making them --------------------------------------------------------------------------------
 */

static fer_vector_stats stats_of(fer_catalog *c)
{
    fer_vector_stats s;
    fer_catalog_vectors(c, &s);
    return s;
}

/* It serves at once, says what it ranks by, and changes over when nearly all have vectors. */
static void steps(void)
{
    fer_catalog *c = must_catalog(&meaning);
    fer_arena *a = fer_arena_new(0);
    must_put(c, tools);
    fer_search_options both = {.rank = FER_RANK_HYBRID}, near = {.rank = FER_RANK_EMBEDDING};
    assert_string_equal(find(a, c, "issue", NULL).ranker, "bm25");
    assert_string_equal(find(a, c, "issue", &both).ranker, "bm25");
    assert_string_equal(find(a, c, "issue", &near).ranker, "bm25");
    assert_int_equal(find(a, c, "issue", &both).lacking, 6);
    for (size_t left = 6; left > 0;) {
        assert_int_equal(stats_of(c).left, left);
        assert_int_equal(stats_of(c).vectors, 6 - left);
        left = embed(c, 1);
        assert_string_equal(find(a, c, "issue", NULL).ranker, left ? "bm25" : "hybrid");
        assert_string_equal(find(a, c, "issue", &both).ranker, "hybrid");
    }
    assert_int_equal(embed(c, 100), 0);
    assert_string_equal(stats_of(c).embedder, "static-128");
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* Only what says something else is made anew. */
static void changes(void)
{
    static const struct {
        struct step step;
        size_t left, vectors;
    } each[] = {
        {{'+', "", TOOL("mail", "send", "Send an e-mail message to somebody", "")}, 0, 6},
        {{'+', "",
          TOOL("mail", "send", "Send an e-mail message to somebody",
               ",\"backend\":[{\"kind\":\"local\",\"local\":{\"name\":\"l\"}}]")},
         0,
         6},
        {{'+', "", TOOL("mail", "send", "Send a letter", "")}, 1, 6},
        {{'-', "db:query", ""}, 0, 5},
        {{'+', "", TOOL("db", "query", "Run a statement in a database and return its rows", "")},
         1,
         6},
    };
    fer_catalog *c = ready(tools);
    fer_err err;
    for (size_t i = 0; i < FER_COUNT(each); i++) {
        fer_batch *b = fer_batch_new();
        assert_int_equal(step_add(b, &each[i].step, &err), FER_OK);
        assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
        fer_batch_free(b);
        assert_int_equal(stats_of(c).left, each[i].left);
        assert_int_equal(embed(c, SIZE_MAX), 0);
        assert_int_equal(stats_of(c).vectors, each[i].vectors);
    }
    fer_catalog_free(c);
}

/* A batch that is refused leaves no vectors and nothing to make. */
static void refused(void)
{
    fer_catalog *c = ready(tools);
    fer_err err;
    fer_batch *b = fer_batch_new();
    fer_batch_add(b, FER_STR("t"), FER_STR(TOOL("bank", "transfer", "Transfer money", "")),
                  FER_FORMAT_JSON, NULL, &err);
    fer_batch_remove(b, FER_STR("nobody"), &err);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_TOOL_NOT_FOUND);
    fer_batch_free(b);
    assert_int_equal(embed(c, SIZE_MAX), 0);
    assert_int_equal(stats_of(c).vectors, 6);
    fer_catalog_free(c);
}

/* ---- keeping them -------------------------------------------------------------------------------
 */

static fer_catalog *open_as(const fer_catalog_options *options)
{
    fer_catalog *c;
    fer_err err;
    if (fer_catalog_open(path_of("meaning"), options, &c, &err)) fail_msg("%s", err.message);
    return c;
}

static void save(fer_catalog *c)
{
    fer_err err;
    if (fer_catalog_save(c, path_of("meaning"), &err)) fail_msg("%s", err.message);
}

/* Whoever opens the file, with vectors, words, or nothing: they are there when it is saved. */
static void kept(void)
{
    static const fer_catalog_options *const ways[] = {&meaning, &words, NULL};
    fer_catalog *c = ready(tools);
    fer_arena *a = fer_arena_new(0);
    fer_found before = find(a, c, "delete documents", NULL);
    save(c);
    fer_catalog_free(c);
    for (size_t i = 0; i < FER_COUNT(ways); i++) {
        c = open_as(ways[i]);
        assert_int_equal(stats_of(c).vectors, 6);
        assert_int_equal(stats_of(c).used, i == 0);
        if (i) must_put(c, i == 1 ? TOOL("x", "one", "One", "") : TOOL("x", "two", "Two", ""));
        save(c);
        fer_catalog_free(c);
    }
    c = open_as(&meaning);
    assert_int_equal(stats_of(c).vectors, 6);
    assert_int_equal(stats_of(c).left, 2);
    fer_view *v = fer_catalog_view(c);
    fer_err err;
    assert_int_equal(fer_view_verify(v, &err), FER_OK);
    fer_view_unref(v);
    fer_found after =
        find(a, c, "delete documents", &(fer_search_options){.rank = FER_RANK_HYBRID});
    assert_true(fer_str_eq(before.matches[0].hit.summary.id, after.matches[0].hit.summary.id));
    /* And what was added without an index being open is found by words. */
    assert_str(find(a, c, "two", NULL).matches[0].hit.summary.id, "x:two");
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* Built anew, a catalogue takes over what its predecessor knows. */
static void from_older(void)
{
    fer_catalog *c = ready(tools);
    save(c);
    fer_catalog_free(c);
    const fer_catalog_options options = {
        .search = true, .embedder = "builtin", .vectors_from = path_of("meaning")};
    c = must_catalog(&options);
    must_put(c, tools);
    must_put(c, TOOL("x", "one", "One", ""));
    assert_int_equal(stats_of(c).vectors, 6);
    assert_int_equal(stats_of(c).left, 1);
    fer_catalog_free(c);
    /* One that is none is as if nobody had named it. */
    make_file("nothing", "{}", 2, 0600);
    c = must_catalog(&(fer_catalog_options){
        .search = true, .embedder = "builtin", .vectors_from = path_of("nothing")});
    fer_catalog_free(c);
}

/* Vectors of another model are not compared with ours; they are replaced once ours are made. */
static void other_embedder(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_catalog *c = ready(tools);
    fer_view *v = fer_catalog_view(c);
    fer_str bytes;
    fer_err err;
    fer_catalog_file_write(a, v, FER_STR(""), &bytes, &err);
    fer_view_unref(v);
    fer_catalog_free(c);
    char *name = memmem(bytes.ptr, bytes.len, "static-128", 10);
    assert_non_null(name);
    memcpy(name, "another-64", 10); /* a section's own bytes are verified only when asked to */
    make_file("meaning", bytes.ptr, bytes.len, 0600);
    c = open_as(&meaning);
    assert_true(stats_of(c).others);
    assert_int_equal(stats_of(c).vectors, 0);
    assert_int_equal(stats_of(c).left, 6);
    assert_string_equal(find(a, c, "issue", NULL).ranker, "bm25");
    v = fer_catalog_view(c);
    assert_int_equal(fer_view_verify(v, &err), FER_INVALID_CATALOG);
    assert_non_null(strstr(err.message, "vectors"));
    fer_view_unref(v);
    assert_int_equal(embed(c, SIZE_MAX), 0);
    save(c);
    fer_catalog_free(c);
    c = open_as(&meaning);
    assert_false(stats_of(c).others);
    assert_int_equal(stats_of(c).vectors, 6);
    fer_catalog_free(c);
    fer_arena_free(a);
}

static fer_code thirds(void *context, const fer_str *texts, size_t count, bool query, double *out,
                       fer_err *err)
{
    (void)context, (void)query, (void)err;
    for (size_t i = 0; i < 3 * count; i++) out[i] = (double)(texts[i / 3].len % 7 + i % 3 + 1);
    return FER_OK;
}

static const fer_embed_plugin far_away = {"http", "m1", 3, thirds, NULL};
static const fer_catalog_options by_far = {.search = true, .plugin = &far_away};
static const fer_catalog_options keeping = {
    .search = true, .embedder = "builtin", .keep_vectors = true};

/* Who opens a file with another's vectors, makes so many and saves; then so many stay of theirs. */
static const struct staying {
    const char *name;
    const fer_catalog_options *options;
    size_t made, stay;
} stayings[] = {
    {"words alone", &words, 0, 6},
    {"nobody searches", NULL, 0, 6},
    {"their own embedder", &by_far, SIZE_MAX, 6},
    {"another embedder", &meaning, 0, 6},
    {"another embedder, half way", &meaning, 3, 6},
    {"another embedder, all of them", &meaning, SIZE_MAX, 0},
    {"another embedder that keeps them", &keeping, SIZE_MAX, 6},
};

static void stays(const struct staying *row)
{
    fer_catalog *c = must_catalog(&by_far);
    must_put(c, tools);
    assert_int_equal(embed(c, SIZE_MAX), 0);
    save(c);
    fer_catalog_free(c);
    c = open_as(row->options);
    assert_int_equal(stats_of(c).file_vectors, 6);
    assert_int_equal(stats_of(c).stay, row->options == &keeping);
    embed(c, row->made);
    save(c);
    fer_catalog_free(c);
    c = open_as(&by_far);
    const fer_vector_stats s = stats_of(c);
    assert_int_equal(s.vectors, row->stay);
    assert_int_equal(s.left, 6 - row->stay);
    assert_string_equal(s.file_embedder, row->stay ? "http" : "static-128");
    assert_string_equal(s.file_model, row->stay ? "m1" : "");
    assert_int_equal(s.file_dims, row->stay ? 3 : 128);
    fer_catalog_free(c);
}

/* A new file beside which an older one lies: vectors of the same texts come along. */
static void stays_of_older(void)
{
    const fer_catalog_options options = {.search = true,
                                         .embedder = "builtin",
                                         .vectors_from = path_of("meaning"),
                                         .keep_vectors = true};
    stays(&stayings[2]);
    fer_catalog *c = must_catalog(&options);
    must_put(c, tools);
    must_put(c, TOOL("bank", "transfer", "Moves money, as nobody has said it", ""));
    assert_true(stats_of(c).stay);
    size_t all = stats_of(c).left, stay = stats_of(c).file_vectors;
    assert_true(stay && stay < all);
    save(c);
    fer_catalog_free(c);
    c = open_as(&by_far);
    assert_int_equal(stats_of(c).vectors, stay);
    assert_int_equal(stats_of(c).left, all - stay);
    fer_catalog_free(c);
}

/* Sizes that lie are refused, not followed. */
static void hostile_section(const fer_embedding_label *label)
{
    fer_arena *a = fer_arena_new(0);
    int8_t vector[64] = {1};
    struct fer_vector_row list[] = {{7, vector}, {3, vector}, {7, vector}};
    const fer_embedding_id id = {.name = "x", .model = 1, .dims = 64};
    const size_t bare = 56 + 2 * 72, tail = label->model[0] ? 144 : 0;
    fer_vector_section s;
    fer_str bytes;
    fer_err err;
    assert_int_equal(fer_vector_section_write(a, &id, label, list, 3, &bytes, &err), FER_OK);
    assert_int_equal(bytes.len, bare + tail);
    assert_true(fer_vector_section_open(bytes, &s));
    assert_int_equal(s.count, 2);
    assert_string_equal(s.label.model, label->model);
    assert_int_equal(s.label.length, tail ? label->length : 0);
    assert_int_equal(fer_vector_section_find(&s, 3), 0);
    assert_int_equal(fer_vector_section_find(&s, 7), 1);
    assert_int_equal(fer_vector_section_find(&s, 5), FER_NO_VECTOR);
    for (size_t i = 32; i < 56; i++) {
        for (int value = 0; value < 256; value += 5) {
            uint64_t copy[64];
            memcpy(copy, bytes.ptr, bytes.len);
            ((unsigned char *)copy)[i] = (unsigned char)value;
            bool opened = fer_vector_section_open((fer_str){(char *)copy, bytes.len}, &s);
            if (opened) assert_true(s.count * (s.id.dims + 8) + 56 + tail == bytes.len);
        }
    }
    for (size_t len = 0; len < bytes.len; len++)
        assert_int_equal(fer_vector_section_open((fer_str){bytes.ptr, len}, &s), len == bare);
    for (size_t i = bare; tail && i < bare + 8; i++) {
        uint64_t copy[64];
        memcpy(copy, bytes.ptr, bytes.len);
        ((char *)copy)[i] ^= 1;
        assert_false(fer_vector_section_open((fer_str){(char *)copy, bytes.len}, &s));
    }
    fer_arena_free(a);
}

static void hostile_sections(void)
{
    hostile_section(&(fer_embedding_label){.model = ""});
    hostile_section(&(fer_embedding_label){.model = "m1", .length = 63});
    fer_embedding_label endless = {.length = 1};
    memset(endless.model, 'm', sizeof endless.model);
    fer_arena *a = fer_arena_new(0);
    fer_vector_section s;
    fer_str bytes;
    assert_int_equal(fer_vector_section_write(a, &(fer_embedding_id){.name = "x", .dims = 32},
                                              &endless, NULL, 0, &bytes, NULL),
                     FER_OK);
    assert_false(fer_vector_section_open(bytes, &s));
    fer_arena_free(a);
}

/* A catalogue that was changed so often that its numbers are mostly holes still opens. */
static void many_changes(void)
{
    fer_catalog *c = must_catalog(&words);
    fer_arena *a = fer_arena_new(0);
    for (int i = 0; i < 9000; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"name\":\"one\",\"description\":\"round %d\"," S "}", i);
        must_put(c, text);
    }
    save(c);
    fer_catalog_free(c);
    c = open_as(&words);
    assert_str(find(a, c, "round 8999", NULL).matches[0].hit.summary.id, "one");
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* ---- twins and pages ----------------------------------------------------------------------------
 */

static fer_str twins_text(fer_arena *a, int count)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_char(&b, '[');
    for (int i = 0; i < count; i++)
        fer_buf_printf(&b, "%s" TOOL("s%03d", "paint", "Paint a wall", ""), i ? "," : "", i);
    fer_buf_add_text(&b, "," TOOL("other", "paint", "Paint a picture", "") "]");
    return fer_arena_copy(a, fer_buf_view(&b));
}

static void twins(void)
{
    static const fer_rank ranks[] = {FER_RANK_BM25, FER_RANK_EMBEDDING, FER_RANK_HYBRID};
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < FER_COUNT(ranks); i++) {
        /* At the limit all are named, past it all are counted. */
        for (int count = FER_TWINS_MAX + 1; count <= FER_TWINS_MAX + 2; count++) {
            fer_catalog *c = ready(twins_text(a, count).ptr);
            fer_search_options options = {.rank = ranks[i]};
            fer_found found = find(a, c, "paint a wall", &options);
            assert_int_equal(found.count, 2);
            bool plain = ranks[i] == FER_RANK_BM25; /* words do not tell the numbers apart */
            if (plain) assert_str(found.matches[0].hit.summary.id, "s000:paint");
            assert_int_equal(found.matches[0].also_in.count, FER_TWINS_MAX);
            assert_int_equal(found.matches[0].also_count, count - 1);
            if (plain) assert_str(found.matches[0].also_in.list[0], "s001:paint");
            assert_int_equal(found.matches[1].also_count, 0);
            options.twins = true;
            assert_int_equal(find(a, c, "paint a wall", &options).count, 20);
            fer_filter f = {.namespaces = one_text(0, "s007")};
            options = (fer_search_options){.rank = ranks[i], .filter = &f};
            found = find(a, c, "paint a wall", &options);
            assert_int_equal(found.count, 1);
            assert_int_equal(found.matches[0].also_count, 0);
            fer_catalog_free(c);
        }
    }
    fer_arena_free(a);
}

static fer_str many_text(fer_arena *a, int count)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_char(&b, '[');
    for (int i = 0; i < count; i++)
        fer_buf_printf(&b, "%s" TOOL("n%d", "thing_%d", "Paint some thing", ""), i ? "," : "",
                       i % 3, i);
    fer_buf_add_text(&b, "]");
    return fer_arena_copy(a, fer_buf_view(&b));
}

static size_t page_through(fer_arena *a, fer_catalog *c, fer_rank rank, size_t size)
{
    fer_search_options options = {.rank = rank};
    fer_page page = {.size = size};
    fer_found found;
    fer_err err;
    size_t seen = 0;
    do {
        fer_code code =
            fer_catalog_search(a, c, FER_STR("paint things"), &options, &page, &found, &err);
        if (code) fail_msg("%s", err.message);
        seen += found.count;
        page.token = found.next;
    } while (page.token.len);
    return seen;
}

/* search.hits: so many are found for one query and no more, by every ranker. */
static void hits_limit(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_catalog *c = ready(many_text(a, FER_HITS_MAX).ptr);
    for (int more = 0; more < 2; more++) {
        for (int rank = FER_RANK_BM25; rank <= FER_RANK_HYBRID; rank++) {
            assert_int_equal(page_through(a, c, (fer_rank)rank, 100), FER_HITS_MAX);
            assert_int_equal(page_through(a, c, (fer_rank)rank, 25), FER_HITS_MAX / 2);
            assert_int_equal(page_through(a, c, (fer_rank)rank, 10), FER_HITS_MAX / 4);
        }
        must_put(c, TOOL("n0", "one_more", "Paint some thing", ""));
        assert_int_equal(embed(c, SIZE_MAX), 0);
    }
    fer_catalog_free(c);
    fer_arena_free(a);
}

/* A token is good for one ranker, and for vectors as they were. */
static void tokens(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_catalog *c = ready(many_text(a, 40).ptr);
    fer_search_options both = {.rank = FER_RANK_HYBRID}, bm25 = {.rank = FER_RANK_BM25};
    fer_page page = {.size = 5}, plain = {.size = 5};
    fer_found found;
    fer_err err;
    const fer_str q = FER_STR("paint things");
    assert_int_equal(fer_catalog_search(a, c, q, &both, &page, &found, &err), FER_OK);
    page.token = found.next;
    assert_int_equal(fer_catalog_search(a, c, q, &both, &page, &found, &err), FER_OK);
    assert_int_equal(fer_catalog_search(a, c, q, &bm25, &page, &found, &err),
                     FER_INVALID_PAGE_TOKEN);
    assert_int_equal(fer_catalog_search(a, c, q, &bm25, &plain, &found, &err), FER_OK);
    plain.token = found.next;
    /* The same tools, but fewer of them have vectors than before. */
    save(c);
    fer_catalog_free(c);
    c = open_as(&(fer_catalog_options){.search = true, .embedder = "builtin"});
    assert_int_equal(fer_catalog_search(a, c, q, &both, &page, &found, &err), FER_OK);
    assert_int_equal(fer_catalog_search(a, c, q, &bm25, &plain, &found, &err), FER_OK);
    fer_catalog_free(c);
    c = must_catalog(&meaning);
    must_put(c, many_text(a, 40).ptr);
    embed(c, 38);
    page.token = FER_STR("");
    assert_int_equal(fer_catalog_search(a, c, q, &both, &page, &found, &err), FER_OK);
    page.token = found.next;
    embed(c, 1);
    assert_int_equal(fer_catalog_search(a, c, q, &both, &page, &found, &err), FER_STALE_PAGE_TOKEN);
    fer_catalog_free(c);
    fer_arena_free(a);
}

static fer_code attempt(fer_arena *given, const void *context)
{
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_catalog *c = NULL;
    fer_err err = {0};
    fer_found found;
    size_t left;
    fer_code code = a ? fer_catalog_new(&meaning, &c, &err) : FER_OUT_OF_MEMORY;
    if (!code) code = apply_text(c, context, NULL, &err);
    if (!code) code = fer_catalog_embed(c, SIZE_MAX, &left, &err);
    if (!code)
        code = fer_catalog_search(a, c, FER_STR("create issue"),
                                  &(fer_search_options){.explain = true}, NULL, &found, &err);
    if (!code) assert_true(found.count >= 2);
    fer_catalog_free(c);
    if (!given) fer_arena_free(a);
    return code;
}

static void torture(void)
{
    assert_true(rows_torture_malloc(attempt, tools) > 10);
    assert_true(rows_torture_arena(attempt, tools) > 0);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-meaning-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_RUN("meaning", rows, run) + ROWS_ONE("meaning", ids) +
                 ROWS_ONE("meaning", steps) + ROWS_ONE("meaning", changes) +
                 ROWS_ONE("meaning", refused) + ROWS_ONE("meaning", kept) +
                 ROWS_ONE("meaning", from_older) + ROWS_ONE("meaning", other_embedder) +
                 ROWS_ONE("meaning", hostile_sections) + ROWS_RUN("meaning", stayings, stays) +
                 ROWS_ONE("meaning", stays_of_older) + ROWS_ONE("meaning", many_changes) +
                 ROWS_ONE("meaning", twins) + ROWS_ONE("meaning", hits_limit) +
                 ROWS_ONE("meaning", tokens) + ROWS_ONE("meaning", torture);
    drop(root);
    return failed;
}
