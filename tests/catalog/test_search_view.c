/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching a catalogue: filters, pages, that changes are found at once, that a file is searched
 * as what it was written from, and searching while it changes. How well is for `ferrule eval`.
 */
#include "catalog_rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define TOOL(ns, name, text, add)                                                                  \
    "{\"namespace\":\"" ns "\",\"name\":\"" name "\",\"description\":\"" text "\"," S add "}"

static const char tools[] =
    "[" TOOL("github", "create_issue", "Create a new issue in a repository", ",\"tags\":[\"dev\"],\"category\":\"Code\"") "," TOOL(
        "github", "list_issues", "List the issues of a repository",
        ",\"effect\":\"Pure\",\"tags\":[\"dev\",\"read\"]") "," TOOL("jira", "create_issue",
                                                                     "Create a ticket",
                                                                     ",\"category\":\"code\"") "," TOOL("weather",
                                                                                                        "forecast",
                                                                                                        "Weather of the coming days at a place",
                                                                                                        ",\"effect\":\"Pure\"") "," TOOL("mail",
                                                                                                                                         "send",
                                                                                                                                         "Send an e-mail message to somebody",
                                                                                                                                         "") "]";

static const fer_catalog_options searching = {.search = true};

static fer_catalog *catalog_of(const char *text)
{
    fer_catalog *c = must_catalog(&searching);
    must_put(c, text);
    return c;
}

/* The IDs that are found, with blanks; "-" before them where they do not fit. */
static void ask(fer_arena *a, fer_catalog *c, const char *query, const fer_filter *filter,
                fer_page *page, fer_buf *out)
{
    fer_found found;
    fer_err err;
    fer_search_options options = {.filter = filter, .explain = true};
    if (fer_catalog_search(a, c, fer_str_of(query), &options, page, &found, &err))
        fail_msg("%s", err.message);
    if (!found.fits) fer_buf_add_char(out, '-');
    for (size_t i = 0; i < found.count; i++) {
        fer_buf_printf(out, "%s%.*s", i ? " " : "", FER_PRI(found.matches[i].hit.summary.id));
        assert_string_equal(found.matches[i].hit.score_type, "bm25");
        assert_true(found.matches[i].named || found.matches[i].why_count);
        if (i) assert_true(found.matches[i - 1].hit.score >= found.matches[i].hit.score);
    }
    if (page) page->token = found.next;
}

static const struct row {
    const char *name;
    const char *query;
    const char *ns, *tag, *category;
    unsigned effects;
    const char *first; /* the first that is found; NULL: nothing */
    size_t count;      /* of all; 0: not counted */
} rows[] = {
    {"words", "weather forecast for the coming days", "", "", "", 0, "weather:forecast", 0},
    {"an exact name", "send", "", "", "", 0, "mail:send", 0},
    {"a namespace", "create issue", "jira", "", "", 0, "jira:create_issue", 1},
    {"a tag", "issue", "", "read", "", 0, "github:list_issues", 1},
    {"two words of one tag", "issue", "", "dev", "", 0, NULL, 2},
    {"a category in any case", "create issue", "", "", "CODE", 0, NULL, 2},
    {"an effect", "issue", "", "", "", 1u << FER_EFFECT_PURE, "github:list_issues", 1},
    {"nothing of that namespace", "issue", "mail", "", "", 0, "", 0},
    {"words that nobody has", "zxqv", "", "", "", 0, "", 0},
    {"no words", "", "", "", "", 0, "", 0},
};

static fer_str texts[3];
static fer_texts one_text(size_t slot, const char *text)
{
    texts[slot] = fer_str_of(text);
    return (fer_texts){&texts[slot], text[0] != '\0'};
}

static void run(const struct row *row)
{
    fer_catalog *c = catalog_of(tools);
    fer_arena *a = fer_arena_new(0);
    fer_filter f = {one_text(0, row->ns), one_text(1, row->tag), one_text(2, row->category),
                    row->effects};
    fer_found found;
    fer_err err;
    fer_search_options options = {.filter = &f};
    assert_int_equal(fer_catalog_search(a, c, fer_str_of(row->query), &options, NULL, &found, &err),
                     FER_OK);
    if (row->first && !*row->first) {
        assert_int_equal(found.count, 0);
        assert_false(found.fits);
    } else {
        assert_true(found.fits && found.count > 0);
        if (row->first) assert_str(found.matches[0].hit.summary.id, row->first);
        if (row->count) assert_int_equal(found.count, row->count);
    }
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* A change is found once it is made, and what is gone is gone. */
static void incremental(void)
{
    fer_catalog *c = catalog_of(tools);
    fer_arena *a = fer_arena_new(0);
    char text[512];
    fer_buf out;
    fer_err err;
    static const struct {
        struct step step;
        const char *query, *found;
    } steps[] = {
        {{'+', "", TOOL("bank", "transfer", "Transfer money", "")},
         "transfer money",
         "bank:transfer"},
        {{'+', "", TOOL("bank", "transfer", "Wire funds abroad", "")},
         "wire funds abroad",
         "bank:transfer"},
        {{'-', "bank:transfer", ""}, "wire funds abroad", "-"},
        {{'-', "weather:forecast", ""}, "weather forecast", "-"},
        {{'+', "", TOOL("sky", "forecast", "Weather of the coming days", "")},
         "weather forecast",
         "sky:forecast"},
    };
    for (size_t i = 0; i < FER_COUNT(steps); i++) {
        fer_batch *b = fer_batch_new();
        assert_int_equal(step_add(b, &steps[i].step, &err), FER_OK);
        assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
        fer_batch_free(b);
        fer_buf_init_fixed(&out, text, sizeof text);
        ask(a, c, steps[i].query, NULL, NULL, &out);
        assert_str(fer_buf_view(&out), steps[i].found);
    }
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* What was found stays as it is, whatever becomes of the catalogue. */
static void outlives(void)
{
    fer_catalog *c = catalog_of(tools);
    fer_arena *a = fer_arena_new(0);
    fer_found found;
    fer_err err;
    assert_int_equal(fer_catalog_search(a, c, FER_STR("send"), NULL, NULL, &found, &err), FER_OK);
    must_put(c, TOOL("mail", "send", "Something else", ""));
    fer_catalog_free(c);
    assert_str(found.matches[0].hit.summary.id, "mail:send");
    assert_str(found.matches[0].hit.summary.summary, "Send an e-mail message to somebody");
    fer_arena_free(a);
}

/* A batch that is refused leaves nothing to be found, and what was there is still found. */
static void refused(void)
{
    fer_catalog *c = catalog_of(tools);
    fer_arena *a = fer_arena_new(0);
    char text[512];
    fer_buf out;
    fer_err err;
    for (int i = 0; i < 3; i++) {
        fer_batch *b = fer_batch_new();
        fer_batch_add(b, FER_STR("t"), FER_STR(TOOL("bank", "transfer", "Transfer money", "")),
                      FER_FORMAT_JSON, NULL, &err);
        fer_batch_remove(b, FER_STR("mail:send"), &err);
        fer_batch_remove(b, FER_STR("nobody"), &err);
        assert_int_equal(fer_catalog_apply(c, b, &err), FER_TOOL_NOT_FOUND);
        fer_batch_free(b);
    }
    fer_buf_init_fixed(&out, text, sizeof text);
    ask(a, c, "transfer money", NULL, NULL, &out);
    fer_buf_add_text(&out, "|");
    ask(a, c, "send an e-mail message", NULL, NULL, &out);
    assert_str(fer_buf_view(&out), "-|mail:send");
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* What is held back is not found; the old definition is. */
static void held_back(void)
{
    fer_catalog *c =
        must_catalog(&(fer_catalog_options){.search = true, .quarantine = FER_QUARANTINE_CHANGED});
    fer_arena *a = fer_arena_new(0);
    char text[512];
    fer_buf out;
    fer_err err;
    must_put(c, TOOL("a", "b", "Paint walls", ""));
    must_put(c, TOOL("a", "b", "Delete everything", ""));
    fer_buf_init_fixed(&out, text, sizeof text);
    ask(a, c, "paint walls", NULL, NULL, &out);
    fer_buf_add_text(&out, "|");
    ask(a, c, "delete everything", NULL, NULL, &out);
    fer_batch *b = fer_batch_new();
    fer_batch_approve(b, FER_STR("a:b"), &err);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
    fer_batch_free(b);
    fer_buf_add_text(&out, "|");
    ask(a, c, "delete everything", NULL, NULL, &out);
    assert_str(fer_buf_view(&out), "a:b|-|a:b");
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* ---- many -------------------------------------------------------------------------------------
 */

#define MANY 190 /* fewer than are found for one query */

static fer_str many_text(fer_arena *a, int from, int to)
{
    static const char *const words[] = {"paint", "wash", "carry", "count", "sell"};
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    fer_buf_add_char(&b, '[');
    for (int i = from; i < to; i++)
        fer_buf_printf(
            &b,
            "%s{\"namespace\":\"n%d\",\"name\":\"%s_thing_%d\",\"description\":\"%s some things\"," S
            "}",
            i > from ? "," : "", i % 3, words[i % 5], i, words[i % 5]);
    fer_buf_add_text(&b, "]");
    return fer_arena_copy(a, fer_buf_view(&b));
}

/* Every hit once, in the same order whatever the size of pages. */
static void pages(void)
{
    fer_catalog *c = must_catalog(&searching);
    fer_arena *a = fer_arena_new(0);
    must_put(c, many_text(a, 0, MANY).ptr);
    fer_str whole[2] = {FER_STR_NONE, FER_STR_NONE};
    static const size_t sizes[] = {100, 7, 1, 60}; /* two that look deep, two that do not */
    for (size_t s = 0; s < FER_COUNT(sizes); s++) {
        fer_buf all;
        fer_page page = {.size = sizes[s]};
        fer_buf_init(&all, a, 1 << 20);
        do {
            if (all.len) fer_buf_add_char(&all, ' ');
            ask(a, c, "paint things", NULL, &page, &all);
        } while (page.token.len);
        fer_str *same = &whole[sizes[s] > 10];
        if (!same->ptr) *same = fer_buf_view(&all);
        assert_true(fer_str_eq(*same, fer_buf_view(&all)));
    }
    /* A token of one query is none of another. */
    fer_page page = {.size = 5};
    fer_found found;
    fer_err err;
    assert_int_equal(fer_catalog_search(a, c, FER_STR("paint things"), NULL, &page, &found, &err),
                     FER_OK);
    page.token = found.next;
    assert_int_equal(fer_catalog_search(a, c, FER_STR("wash things"), NULL, &page, &found, &err),
                     FER_INVALID_PAGE_TOKEN);
    must_put(c, T("new"));
    assert_int_equal(fer_catalog_search(a, c, FER_STR("paint things"), NULL, &page, &found, &err),
                     FER_STALE_PAGE_TOKEN);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* Whatever way a state was reached: in memory, from a file, from a file and changed. */
static void same_from_file(void)
{
    static const char *const queries[] = {"paint things", "sell thing 44", "wash", "carry_thing_7",
                                          "nothing at all"};
    char path[] = "/tmp/ferrule-search-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    fer_arena *a = fer_arena_new(0);
    fer_catalog *once = must_catalog(&searching), *half = must_catalog(&searching), *opened, *bare;
    fer_err err;
    must_put(once, many_text(a, 0, MANY).ptr);
    must_put(half, many_text(a, 0, MANY / 2).ptr);
    must_put(half, TOOL("gone", "soon", "paint things too", ""));
    assert_int_equal(fer_catalog_save(half, path, &err), FER_OK);
    if (fer_catalog_open(path, &searching, &opened, &err)) fail_msg("%s", err.message);
    must_put(opened, many_text(a, MANY / 2, MANY).ptr);
    fer_batch *b = fer_batch_new();
    fer_batch_remove(b, FER_STR("gone:soon"), &err);
    assert_int_equal(fer_catalog_apply(opened, b, &err), FER_OK);
    fer_batch_free(b);
    /* One that was opened without an index, and one that has none. */
    assert_int_equal(fer_catalog_open(path, NULL, &bare, &err), FER_OK);
    fer_found found;
    assert_int_equal(fer_catalog_search(a, bare, FER_STR("x"), NULL, NULL, &found, &err),
                     FER_BAD_USAGE);
    fer_catalog_free(bare);
    for (size_t i = 0; i < FER_COUNT(queries); i++) {
        fer_buf x, y;
        fer_page page = {.size = 100};
        fer_buf_init(&x, a, 1 << 20);
        fer_buf_init(&y, a, 1 << 20);
        do {
            ask(a, once, queries[i], NULL, &page, &x);
            fer_buf_add_text(&x, page.token.len ? " " : "");
        } while (page.token.len);
        do {
            ask(a, opened, queries[i], NULL, &page, &y);
            fer_buf_add_text(&y, page.token.len ? " " : "");
        } while (page.token.len);
        assert_true(fer_str_eq(fer_buf_view(&x), fer_buf_view(&y)));
    }
    /* Saved again, it opens again. */
    assert_int_equal(fer_catalog_save(opened, path, &err), FER_OK);
    fer_catalog_free(opened);
    assert_int_equal(fer_catalog_open(path, &searching, &opened, &err), FER_OK);
    fer_view *v = fer_catalog_view(opened);
    assert_int_equal(fer_view_verify(v, &err), FER_OK);
    fer_view_unref(v);
    fer_catalog_free(opened);
    fer_catalog_free(once);
    fer_catalog_free(half);
    fer_arena_free(a);
    unlink(path);
}

#define CROWD 700 /* so many at once are gathered */

/* All in one batch, of which one tool is gone again; an index that is made of it. */
static fer_catalog *crowd_at_once(fer_arena *a)
{
    fer_catalog *c = must_catalog(&searching);
    fer_batch *b = fer_batch_new();
    fer_err err;
    assert_int_equal(
        fer_batch_add(b, FER_STR("t.json"), many_text(a, 0, CROWD), FER_FORMAT_JSON, NULL, &err),
        FER_OK);
    assert_int_equal(fer_batch_remove(b, FER_STR("n0:paint_thing_0"), &err), FER_OK);
    if (fer_catalog_apply(c, b, &err)) fail_msg("%s", err.message);
    fer_batch_free(b);
    return c;
}

/* The same, a few at a time; kept without an index, and opened with one. */
static fer_catalog *crowd_opened(fer_arena *a)
{
    char path[] = "/tmp/ferrule-search-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    fer_catalog *bare = must_catalog(NULL), *opened;
    fer_err err;
    for (int i = 1; i < CROWD; i += 100)
        must_put(bare, many_text(a, i, i + 100 < CROWD ? i + 100 : CROWD).ptr);
    assert_int_equal(fer_catalog_save(bare, path, &err), FER_OK);
    if (fer_catalog_open(path, &searching, &opened, &err)) fail_msg("%s", err.message);
    fer_catalog_free(bare);
    unlink(path);
    return opened;
}

static fer_catalog *crowd_slowly(fer_arena *a)
{
    fer_catalog *c = must_catalog(&searching);
    for (int i = 1; i < CROWD; i += 100)
        must_put(c, many_text(a, i, i + 100 < CROWD ? i + 100 : CROWD).ptr);
    return c;
}

/* Whether tools come at once or one by one, the same is found, also once there are more. */
static void crowds(void)
{
    static const char *const queries[] = {"paint things", "sell thing 44", "paint_thing_0",
                                          "nothing at all", "carry_thing_7"};
    fer_arena *a = fer_arena_new(0);
    fer_catalog *all[] = {crowd_slowly(a), crowd_at_once(a), crowd_opened(a)};
    for (size_t i = 0; i < 2 * FER_COUNT(queries); i++) {
        fer_buf found[FER_COUNT(all)];
        for (size_t c = 0; c < FER_COUNT(all); c++) {
            fer_page page = {.size = 100};
            fer_buf_init(&found[c], a, 1 << 20);
            ask(a, all[c], queries[i % FER_COUNT(queries)], NULL, &page, &found[c]);
            assert_true(fer_str_eq(fer_buf_view(&found[0]), fer_buf_view(&found[c])));
            if (i + 1 == FER_COUNT(queries))
                must_put(all[c], TOOL("late", "painter", "paint things too", ""));
        }
    }
    for (size_t c = 0; c < FER_COUNT(all); c++) fer_catalog_free(all[c]);
    fer_arena_free(a);
}

/* Without memory nothing has changed, and the next time it works. */
static void crowd_without_memory(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = many_text(a, 0, CROWD);
    size_t failed = 0;
    for (int at = 1; at < 40000; at += at / 4 + 1) {
        fer_catalog *c = must_catalog(&searching);
        fer_batch *b = fer_batch_new();
        fer_found found;
        fer_err err;
        char fault[32];
        assert_int_equal(fer_batch_add(b, FER_STR("t.json"), text, FER_FORMAT_JSON, NULL, &err),
                         FER_OK);
        snprintf(fault, sizeof fault, "malloc@%d", at);
        assert_true(fer_faults_begin(fault));
        fer_code code = fer_catalog_apply(c, b, &err);
        fer_faults_begin(NULL);
        failed += code != FER_OK;
        if (code) must_put(c, T("paint"));
        assert_int_equal(fer_catalog_search(a, c, FER_STR("paint"), NULL, NULL, &found, &err),
                         FER_OK);
        assert_true(code ? found.count == 1 : found.count > 1);
        fer_batch_free(b);
        fer_catalog_free(c);
    }
    assert_true(failed > 3);
    fer_arena_free(a);
}

static void limits(void)
{
    fer_catalog *c = catalog_of(tools);
    fer_arena *a = fer_arena_new(0);
    fer_found found;
    fer_err err;
    char *long_query = malloc(FER_QUERY_MAX + 1);
    memset(long_query, 'w', FER_QUERY_MAX + 1);
    assert_int_equal(
        fer_catalog_search(a, c, (fer_str){long_query, FER_QUERY_MAX}, NULL, NULL, &found, &err),
        FER_OK);
    assert_int_equal(fer_catalog_search(a, c, (fer_str){long_query, FER_QUERY_MAX + 1}, NULL, NULL,
                                        &found, &err),
                     FER_LIMIT_EXCEEDED);
    free(long_query);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* ---- threads ------------------------------------------------------------------------------------
 */

static _Atomic int done;

/* The tool is always there, under one of two definitions: no search may miss it. */
static void *search_on(void *context)
{
    fer_arena *a = fer_arena_new(0);
    while (!done) {
        fer_found found;
        fer_err err;
        if (fer_catalog_search(a, context, FER_STR("steady"), NULL, NULL, &found, &err))
            fail_msg("%s", err.message);
        for (size_t i = 0; i < found.count; i++)
            assert_true(found.matches[i].hit.summary.id.len > 0);
        fer_arena_reset(a);
    }
    fer_arena_free(a);
    return NULL;
}

static void threads(void)
{
    fer_catalog *c = must_catalog(&searching);
    pthread_t readers[3];
    for (size_t i = 0; i < FER_COUNT(readers); i++) pthread_create(&readers[i], NULL, search_on, c);
    for (int i = 0; i < 200; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "[{\"name\":\"steady\",\"description\":\"round %d\"," S
                 "},{\"name\":\"t%d\",\"description\":\"steady too\"," S "}]",
                 i, i);
        must_put(c, text);
        if (i % 3 != 2) continue;
        fer_batch *b = fer_batch_new();
        fer_err err;
        snprintf(text, sizeof text, "t%d", i - 1);
        fer_batch_remove(b, fer_str_of(text), &err);
        assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
        fer_batch_free(b);
    }
    done = 1;
    for (size_t i = 0; i < FER_COUNT(readers); i++) pthread_join(readers[i], NULL);
    fer_catalog_free(c);
}

static fer_code attempt(fer_arena *given, const void *context)
{
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_catalog *c = NULL;
    fer_err err = {0};
    fer_found found;
    fer_code code = a ? fer_catalog_new(&searching, &c, &err) : FER_OUT_OF_MEMORY;
    if (!code) code = apply_text(c, context, NULL, &err);
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
    return ROWS_RUN("search", rows, run) + ROWS_ONE("search", incremental) +
           ROWS_ONE("search", outlives) + ROWS_ONE("search", refused) +
           ROWS_ONE("search", held_back) + ROWS_ONE("search", pages) +
           ROWS_ONE("search", same_from_file) + ROWS_ONE("search", crowds) +
           ROWS_ONE("search", crowd_without_memory) + ROWS_ONE("search", limits) +
           ROWS_ONE("search", threads) + ROWS_ONE("search", torture);
}
