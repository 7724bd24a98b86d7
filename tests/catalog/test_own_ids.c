/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that are for one owner alone: their IDs, that nobody meets them who is not asked, how
 * they are judged, and that a file keeps them. */
#include <stdlib.h>
#include <unistd.h>

#include "batch.h"
#include "catalog_rows.h"

#define MARK_A "0123456789abcdef0123456789abcdef"
#define MARK_B "00000000000000000000000000000000"
#define OWN_A  "n:a:0.0.0-own-" MARK_A
#define OWN_B  "n:a:0.0.0-own-" MARK_B

#define ONE(text) "{\"name\":\"a\",\"namespace\":\"n\",\"description\":\"" text "\"," S "}"
#define NEEDS(text, field)                                                                         \
    "{\"name\":\"a\",\"namespace\":\"n\",\"description\":\"" text                                  \
    "\",\"inputSchema\":{\"type\":\"object\",\"required\":[\"" field "\"]}}"

/* ---- IDs --------------------------------------------------------------------------------------
 */

static const struct name_row {
    const char *name, *id, *own;
} name_rows[] = {
    {"without a version", "n:a", OWN_A},
    {"with one", "n:a:1.2.0", OWN_A "+1.2.0"},
    {"with all that one may have", "n:a:1.2.0-rc.1+b.5", OWN_A "+1.2.0-rc.1.b.5"},
};

static void names(const struct name_row *row)
{
    char text[FER_OWN_ID];
    fer_id parts;
    fer_buf b;
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_own_id_write(&b, fer_str_of(row->id), FER_STR(MARK_A));
    assert_false(b.failure);
    assert_true(fer_str_is(fer_buf_view(&b), row->own));
    assert_int_equal(fer_id_parse(fer_buf_view(&b), &parts, NULL), FER_OK);
    assert_true(fer_str_is(fer_id_mark(fer_buf_view(&b)), MARK_A));
    assert_false(fer_id_is_own(fer_str_of(row->id)));
}

static const char *const no_owners[] = {
    "n:a:0.0.0-own-" MARK_A "0", "n:a:0.0.0-own-",        "n:a:0.0.0-own",
    "a:0.0.0-own-" MARK_A,       "n:a:1.0.0-own-" MARK_A, "0.0.0-own-" MARK_A,
};

static void what_is_no_owner(void)
{
    for (size_t i = 0; i < FER_COUNT(no_owners); i++)
        assert_false(fer_id_is_own(fer_str_of(no_owners[i])));
}

/* ---- how they are judged ----------------------------------------------------------------------
 */

/* One change after the other: for all (+), for A or B, removed (-), approved (!), rejected (x). */
struct change {
    char op;
    const char *text;
    const char *becomes;
};

static fer_code change(fer_catalog *c, const struct change *ch, fer_buf *out, fer_err *err)
{
    fer_batch *b = fer_batch_new();
    fer_str text = fer_str_of(ch->text);
    fer_code code = b ? FER_OK : FER_OUT_OF_MEMORY;
    if (!code && ch->op == 'A') fer_batch_for_owner(b, FER_STR(MARK_A));
    if (!code && ch->op == 'B') fer_batch_for_owner(b, FER_STR(MARK_B));
    if (!code && ch->op == '-') code = fer_batch_remove(b, text, err);
    else if (!code && ch->op == '!') code = fer_batch_approve(b, text, err);
    else if (!code && ch->op == 'x') code = fer_batch_reject(b, text, err);
    else if (!code) code = fer_batch_add(b, FER_STR("t"), text, FER_FORMAT_JSON, NULL, err);
    if (!code) code = fer_catalog_apply(c, b, err);
    if (!code) outcomes_write(b, out);
    fer_batch_free(b);
    return code;
}

static const struct judge_row {
    const char *name;
    fer_quarantine quarantine;
    struct change changes[6];
} judge_rows[] = {
    {"nothing is held back",
     FER_QUARANTINE_NONE,
     {{'+', ONE("all"), "registered n:a"},
      {'A', NEEDS("A", "x"), "registered " OWN_A},
      {'B', NEEDS("B", "y"), "registered " OWN_B},
      {'A', NEEDS("A", "z"), "updated " OWN_A " breaking"},
      {'A', NEEDS("A", "z"), "unchanged " OWN_A}}},
    {"the first that breaks what all have is held back alone, and approved",
     FER_QUARANTINE_BREAKING,
     {{'+', ONE("all"), "registered n:a"},
      {'A', NEEDS("A", "x"), "quarantined " OWN_A " breaking"},
      {'A', NEEDS("A", "x"), "unchanged " OWN_A},
      {'!', OWN_A, "approved " OWN_A},
      {'A', NEEDS("A", "x"), "unchanged " OWN_A}}},
    {"and rejected",
     FER_QUARANTINE_BREAKING,
     {{'+', ONE("all"), "registered n:a"},
      {'A', NEEDS("A", "x"), "quarantined " OWN_A " breaking"},
      {'x', OWN_A, "rejected " OWN_A},
      {'A', NEEDS("A", "x"), "quarantined " OWN_A " breaking"},
      {'-', OWN_A, "removed " OWN_A}}},
    {"the first that breaks nothing",
     FER_QUARANTINE_BREAKING,
     {{'+', NEEDS("all", "x"), "registered n:a"},
      {'A', ONE("A"), "registered " OWN_A " compatible"}}},
    {"any that is another",
     FER_QUARANTINE_CHANGED,
     {{'+', ONE("all"), "registered n:a"}, {'A', ONE("A"), "quarantined " OWN_A " compatible"}}},
    {"where all have none it is new",
     FER_QUARANTINE_CHANGED,
     {{'A', ONE("A"), "registered " OWN_A}, {'+', ONE("all"), "registered n:a"}}},
    {"the next is judged against the one before, not that of all",
     FER_QUARANTINE_BREAKING,
     {{'A', NEEDS("A", "x"), "registered " OWN_A},
      {'+', ONE("all"), "registered n:a"},
      {'A', NEEDS("other", "x"), "updated " OWN_A " compatible"},
      {'A', NEEDS("other", "y"), "quarantined " OWN_A " breaking"},
      {'A', NEEDS("other", "x"), "rejected " OWN_A}}},
    {"what all have is judged as ever",
     FER_QUARANTINE_BREAKING,
     {{'+', ONE("all"), "registered n:a"},
      {'+', NEEDS("all", "x"), "quarantined n:a breaking"},
      {'A', NEEDS("A", "y"), "quarantined " OWN_A " breaking"},
      {'!', "n:a", "approved n:a"}}},
    {"such a version is nobody's to say",
     FER_QUARANTINE_NONE,
     {{'+', "{\"name\":\"a\",\"namespace\":\"n\",\"version\":\"0.0.0-own-" MARK_A "\"," S "}",
       NULL}}},
};

static void judged(const struct judge_row *row)
{
    char text[512];
    fer_catalog *c = must_catalog(&(fer_catalog_options){.quarantine = row->quarantine});
    for (size_t i = 0; i < FER_COUNT(row->changes) && row->changes[i].op; i++) {
        fer_buf b;
        fer_err err = {0};
        fer_buf_init_fixed(&b, text, sizeof text - 1);
        fer_code code = change(c, &row->changes[i], &b, &err);
        text[b.len] = '\0';
        if (row->changes[i].becomes) assert_string_equal(text, row->changes[i].becomes);
        else assert_int_not_equal(code, FER_OK);
    }
    fer_catalog_free(c);
}

/* ---- who meets them ---------------------------------------------------------------------------
 */

static bool takes_a(const void *rule, const struct fer_body *b)
{
    (void)rule;
    return fer_str_is(fer_body_text(b, FER_TEXT_ID), OWN_A);
}

/* "ID text; ..." of all that is listed; "|" and the same of what is found. */
static const char *met(fer_catalog *c, bool by_a)
{
    static char text[512];
    fer_arena *a = fer_arena_new(0);
    fer_view *v = fer_catalog_view(c);
    fer_filter f = {.takes = takes_a, .mark = FER_STR("a")};
    fer_search_options o = {.filter = by_a ? &f : NULL, .rank = FER_RANK_BM25};
    fer_summary *list;
    fer_namespace *spaces;
    fer_found found;
    size_t count, space_count;
    fer_str next;
    fer_buf b;
    fer_buf_init_fixed(&b, text, sizeof text - 1);
    assert_int_equal(fer_view_list(a, v, o.filter, NULL, &list, &count, &next, NULL), FER_OK);
    for (size_t i = 0; i < count; i++)
        fer_buf_printf(&b, "%.*s %.*s;", FER_PRI(list[i].id), FER_PRI(list[i].summary));
    assert_int_equal(fer_view_namespaces(a, v, o.filter, NULL, &spaces, &space_count, &next, NULL),
                     FER_OK);
    for (size_t i = 0; i < space_count; i++) fer_buf_printf(&b, "%zu|", spaces[i].tools);
    assert_int_equal(fer_view_search(a, v, FER_STR("walrus"), by_a ? &o : NULL, NULL, &found, NULL),
                     FER_OK);
    for (size_t i = 0; i < found.count; i++)
        fer_buf_printf(&b, "%.*s %.*s;", FER_PRI(found.matches[i].hit.summary.id),
                       FER_PRI(found.matches[i].hit.summary.summary));
    text[b.len] = '\0';
    fer_view_unref(v);
    fer_arena_free(a);
    return text;
}

static void look(fer_catalog *c)
{
    fer_arena *a = fer_arena_new(0);
    fer_view *v = fer_catalog_view(c);
    fer_str id, text;
    fer_err err = {0};
    assert_string_equal(met(c, false), "n:a all feeds a walrus;1|n:a all feeds a walrus;");
    assert_string_equal(met(c, true), "n:a A feeds a walrus;1|n:a A feeds a walrus;");
    assert_int_equal(fer_view_resolve(a, v, FER_STR("n:a"), FER_STR(""), &id, &err), FER_OK);
    assert_true(fer_str_is(id, "n:a"));
    assert_int_equal(fer_view_resolve(a, v, FER_STR(OWN_A), FER_STR(""), &id, &err), FER_OK);
    assert_int_equal(fer_view_definition(a, v, FER_STR(OWN_A), &text, &err), FER_OK);
    assert_non_null(strstr(fer_arena_copy(a, text).ptr, "\"A feeds a walrus\""));
    assert_null(strstr(fer_arena_copy(a, text).ptr, "own-"));
    assert_int_equal(fer_view_resolve(a, v, FER_STR("n:b"), FER_STR(""), &id, &err),
                     FER_TOOL_NOT_FOUND);
    assert_null(strstr(err.message, "own-"));
    assert_int_equal(fer_view_count(v), 3);
    fer_view_unref(v);
    fer_arena_free(a);
}

/* Also when what all have is gone, whoever else has one. */
static void alone(fer_catalog *c)
{
    char text[256];
    fer_arena *a = fer_arena_new(0);
    fer_str id;
    fer_buf b;
    fer_buf_init_fixed(&b, text, sizeof text);
    assert_int_equal(change(c, &(struct change){'-', "n:a", ""}, &b, NULL), FER_OK);
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_resolve(a, v, FER_STR("n:a"), FER_STR(""), &id, NULL),
                     FER_TOOL_NOT_FOUND);
    assert_string_equal(met(c, false), "");
    assert_string_equal(met(c, true), "n:a A feeds a walrus;1|n:a A feeds a walrus;");
    fer_view_unref(v);
    fer_arena_free(a);
}

static void nobody_meets_them(void)
{
    static const struct change changes[] = {{'+', ONE("all feeds a walrus"), ""},
                                            {'A', ONE("A feeds a walrus"), ""},
                                            {'B', ONE("B feeds a walrus"), ""}};
    char path[] = "/tmp/ferrule-own-ids-XXXXXX", text[256];
    fer_catalog *c = must_catalog(&(fer_catalog_options){.search = true}), *again;
    fer_err err;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < FER_COUNT(changes); i++) {
        fer_buf b;
        fer_buf_init_fixed(&b, text, sizeof text);
        assert_int_equal(change(c, &changes[i], &b, &err), FER_OK);
    }
    look(c);
    unlink(path);
    assert_int_equal(fer_catalog_save(c, path, &err), FER_OK);
    assert_int_equal(fer_catalog_open(path, &(fer_catalog_options){.search = true}, &again, &err),
                     FER_OK);
    look(again);
    alone(again);
    fer_catalog_free(again);
    fer_catalog_free(c);
    unlink(path);
}

/* What is written about the tool is about another definition. */
static void documentation(void)
{
    char text[256];
    fer_str list;
    fer_catalog *c = must_catalog_of(ONE("all"));
    fer_arena *a = fer_arena_new(0);
    fer_batch *b = fer_batch_new();
    fer_buf out;
    fer_buf_init_fixed(&out, text, sizeof text);
    assert_int_equal(change(c, &(struct change){'A', ONE("A"), ""}, &out, NULL), FER_OK);
    assert_int_equal(fer_batch_document(b, FER_STR("n:a"), FER_STR("{\"notes\":\"canary\"}"), NULL),
                     FER_OK);
    assert_int_equal(fer_catalog_apply(c, b, NULL), FER_OK);
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_describe(a, v, FER_STR("n:a"), FER_LEVEL_FULL, &list, NULL), FER_OK);
    assert_non_null(strstr(fer_arena_copy(a, list).ptr, "canary"));
    assert_int_equal(fer_view_describe(a, v, FER_STR(OWN_A), FER_LEVEL_FULL, &list, NULL), FER_OK);
    assert_null(strstr(fer_arena_copy(a, list).ptr, "canary"));
    fer_view_unref(v);
    fer_batch_free(b);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* Thousands that have one do not slow the others down: they are passed over at once. */
static void many(void)
{
    fer_catalog *c = must_catalog_of("[" ONE("all") "," T("z") "]");
    fer_arena *a = fer_arena_new(0);
    fer_batch *b = fer_batch_new();
    fer_str id;
    must_put(c, "{\"name\":\"a\",\"namespace\":\"n\",\"version\":\"1.0.0\"," S "}");
    for (unsigned i = 0; i < 3000; i++) {
        char mark[FER_OWN_MARK + 1];
        snprintf(mark, sizeof mark, "%032x", i * 2654435761u);
        fer_batch_for_owner(b, fer_str_of(mark));
        assert_int_equal(
            fer_batch_add(b, FER_STR("t"), FER_STR(ONE("own")), FER_FORMAT_JSON, NULL, NULL),
            FER_OK);
    }
    assert_int_equal(fer_catalog_apply(c, b, NULL), FER_OK);
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_resolve(a, v, FER_STR("n:a"), FER_STR(""), &id, NULL), FER_OK);
    assert_true(fer_str_is(id, "n:a:1.0.0"));
    assert_int_equal(v->own, 3000);
    fer_view_unref(v);
    fer_batch_free(b);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* With an allocation that fails nothing is left behind. */
static fer_code without_memory(fer_arena *none, const void *row)
{
    static const struct change changes[] = {{'+', ONE("all"), ""},
                                            {'A', NEEDS("A", "x"), ""},
                                            {'!', OWN_A, ""},
                                            {'A', NEEDS("A", "y"), ""},
                                            {'-', OWN_A, ""}};
    char text[512];
    fer_catalog *c = NULL;
    fer_code code =
        fer_catalog_new(&(fer_catalog_options){.quarantine = FER_QUARANTINE_BREAKING}, &c, NULL);
    (void)none;
    (void)row;
    for (size_t i = 0; !code && i < FER_COUNT(changes); i++) {
        fer_buf b;
        fer_buf_init_fixed(&b, text, sizeof text);
        code = change(c, &changes[i], &b, NULL);
    }
    if (c) fer_catalog_free(c);
    return code;
}

static void allocations_that_fail(void)
{
    assert_true(rows_torture_malloc(without_memory, NULL) > 10);
}

int main(void)
{
    return ROWS_RUN("own_ids", name_rows, names) + ROWS_ONE("own_ids", what_is_no_owner) +
           ROWS_RUN("own_ids", judge_rows, judged) + ROWS_ONE("own_ids", nobody_meets_them) +
           ROWS_ONE("own_ids", documentation) + ROWS_ONE("own_ids", many) +
           ROWS_ONE("own_ids", allocations_that_fail);
}
