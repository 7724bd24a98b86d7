/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of uses: that it helps its tenant and nobody else, follows tools through changes,
 * comes back from its file, keeps its limits, and that a damaged file is put aside.
 */
#include "catalog_rows.h"

#include <unistd.h>

#include "file.h"
#include "temp_files.h"

#define TOOL(ns, name, text, add)                                                                  \
    "{\"namespace\":\"" ns "\",\"name\":\"" name "\",\"description\":\"" text "\"," S add "}"

#define WORDS 24 /* queries that are taught: enough for trust */

/* Tools with descriptions that say nothing of how people ask for them. */
static const char tools[] = "[" TOOL("a", "alpha", "Handles the first kind of thing", "") "," //
    TOOL("a", "beta", "Handles the second kind of thing", "") ","                             //
    TOOL("b", "gamma", "Handles the third kind of thing", "") "]";

static fer_catalog *catalog_with(const char *uses, const char *embedder)
{
    fer_catalog *c =
        must_catalog(&(fer_catalog_options){.search = true, .uses = uses, .embedder = embedder});
    fer_err err;
    size_t left;
    must_put(c, tools);
    assert_int_equal(fer_catalog_embed(c, SIZE_MAX, &left, &err), FER_OK);
    return c;
}

static fer_code note(fer_catalog *c, const char *tenant, const char *query, const char *tool)
{
    fer_err err = {0};
    fer_code code =
        fer_catalog_note_use(c, fer_str_of(tenant), fer_str_of(query), fer_str_of(tool), &err);
    assert_true(!code == !err.message[0]);
    return code;
}

/* The same thing asked for in many ways, among other things: words that all queries have tell
 * nothing. */
static void teach(fer_catalog *c, const char *tenant, const char *tool)
{
    for (int i = 0; i < WORDS; i++) {
        char query[128];
        snprintf(query, sizeof query, "reimburse my travel expenses case%d", i);
        assert_int_equal(note(c, tenant, query, tool), FER_OK);
        snprintf(query, sizeof query, "translate sentence number%d", i);
        assert_int_equal(note(c, tenant, query, "a:alpha"), FER_OK);
    }
}

static fer_found ask(fer_arena *a, fer_catalog *c, const char *tenant, const char *query)
{
    fer_found found;
    fer_err err;
    fer_search_options options = {.tenant = fer_str_of(tenant)};
    if (fer_catalog_search(a, c, fer_str_of(query), &options, NULL, &found, &err))
        fail_msg("%s", err.message);
    return found;
}

static void assert_first(fer_catalog *c, const char *tenant, const char *first)
{
    fer_arena *a = fer_arena_new(0);
    fer_found found = ask(a, c, tenant, "reimburse travel expenses");
    if (first) {
        assert_true(found.fits && found.count);
        assert_str(found.matches[0].hit.summary.id, first);
        assert_string_equal(found.matches[0].hit.score_type, "hybrid");
        assert_true(found.matches[0].uses > 0);
    } else {
        assert_false(found.fits);
        for (size_t i = 0; i < found.count && strcmp(tenant, "acme") != 0; i++)
            assert_true(found.matches[i].uses == 0);
    }
    fer_arena_free(a);
}

static void helps(void)
{
    static const char *const embedders[] = {NULL, "builtin"};
    for (size_t i = 0; i < FER_COUNT(embedders); i++) {
        fer_catalog *c = catalog_with("", embedders[i]);
        assert_first(c, "acme", NULL);
        assert_int_equal(note(c, "acme", "reimburse travel expenses", "b:gamma"), FER_OK);
        assert_first(c, "acme", "b:gamma"); /* the very same words */
        teach(c, "acme", "b:gamma");
        assert_first(c, "acme", "b:gamma");
        assert_first(c, "other", NULL);
        assert_first(c, "", NULL);
        fer_catalog_free(c);
    }
}

/* Changed, with another version, gone and there again: what was learnt is about the tool. */
static void follows(void)
{
    static const struct {
        struct step step;
        const char *first;
    } steps[] = {
        {{'+', "", TOOL("b", "gamma", "Another description", "")}, "b:gamma"},
        {{'+', "", TOOL("b", "gamma", "And a version", ",\"version\":\"2.0.0\"")}, "b:gamma:2.0.0"},
        {{'-', "b:gamma:2.0.0", ""}, "b:gamma"},
        {{'-', "b:gamma", ""}, NULL},
        {{'+', "", TOOL("b", "gamma", "Once more", "")}, "b:gamma"},
    };
    fer_catalog *c = catalog_with("", "builtin");
    fer_err err;
    teach(c, "acme", "b:gamma");
    assert_first(c, "acme", "b:gamma");
    for (size_t i = 0; i < FER_COUNT(steps); i++) {
        fer_batch *b = fer_batch_new();
        assert_int_equal(step_add(b, &steps[i].step, &err), FER_OK);
        assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
        fer_batch_free(b);
        assert_first(c, "acme", steps[i].first);
    }
    fer_catalog_free(c);
}

static size_t count_uses(fer_catalog *c, const char *tenant)
{
    fer_arena *a = fer_arena_new(0);
    fer_use *list;
    size_t count;
    fer_err err;
    assert_int_equal(fer_catalog_uses(a, c, fer_str_of(tenant), &list, &count, &err), FER_OK);
    fer_arena_free(a);
    return count;
}

static void kept(void)
{
    const char *path = path_of("uses");
    fer_catalog *c = catalog_with(path, NULL);
    fer_err err;
    teach(c, "acme", "b:gamma");
    assert_int_equal(note(c, "o\"dd \xC3\xA9", "x\ny", "a:alpha"), FER_OK);
    assert_int_equal(fer_catalog_save_uses(c, &err), FER_OK);
    fer_catalog_free(c);
    c = catalog_with(path, NULL);
    assert_int_equal(fer_catalog_uses_problem(c).len, 0);
    assert_int_equal(count_uses(c, ""), 2 * WORDS + 1);
    assert_int_equal(count_uses(c, "o\"dd \xC3\xA9"), 1);
    assert_first(c, "acme", "b:gamma");
    /* Forgotten is forgotten. */
    assert_int_equal(fer_catalog_forget_uses(c, FER_STR("acme"), FER_STR("a:beta")), 0);
    assert_int_equal(fer_catalog_forget_uses(c, FER_STR("nobody"), FER_STR("")), 0);
    assert_int_equal(fer_catalog_forget_uses(c, FER_STR("acme"), FER_STR("b:gamma")), WORDS);
    assert_first(c, "acme", NULL);
    assert_int_equal(fer_catalog_save_uses(c, &err), FER_OK);
    fer_catalog_free(c);
    c = catalog_with(path, NULL);
    assert_int_equal(count_uses(c, ""), WORDS + 1);
    fer_catalog_free(c);
}

/* Two programs with one file: what each has noted and forgotten is in it in the end. */
static void shared(void)
{
    const char *path = path_of("uses");
    fer_err err;
    unlink(path);
    fer_catalog *one = catalog_with(path, NULL), *other = catalog_with(path, NULL);
    assert_int_equal(note(one, "acme", "first", "a:alpha"), FER_OK);
    assert_int_equal(note(one, "gone", "secret", "a:alpha"), FER_OK);
    assert_int_equal(note(other, "acme", "second", "a:beta"), FER_OK);
    assert_int_equal(fer_catalog_save_uses(one, &err), FER_OK);
    assert_int_equal(fer_catalog_save_uses(other, &err), FER_OK);
    assert_int_equal(note(one, "acme", "third", "b:gamma"), FER_OK);
    assert_int_equal(fer_catalog_save_uses(one, &err), FER_OK);
    /* One that has never seen them forgets them all the same. */
    assert_int_equal(fer_catalog_forget_uses(other, FER_STR("gone"), FER_STR("")), 0);
    assert_int_equal(fer_catalog_save_uses(other, &err), FER_OK);
    assert_int_equal(fer_catalog_forget_uses(one, FER_STR("acme"), FER_STR("a:beta")), 0);
    assert_int_equal(note(one, "acme", "fourth", "a:beta"), FER_OK);
    assert_int_equal(fer_catalog_save_uses(one, &err), FER_OK);
    assert_int_equal(fer_catalog_save_uses(other, &err), FER_OK);
    fer_catalog_free(one);
    fer_catalog_free(other);
    one = catalog_with(path, NULL);
    assert_int_equal(count_uses(one, "gone"), 0);
    assert_int_equal(count_uses(one, "acme"), 3); /* first, third, fourth */
    fer_catalog_free(one);
}

/* ---- damage ---- */

static const struct damage {
    const char *name;
    const char *text;
} damages[] = {
    {"empty", ""},
    {"no JSON", "hello\n"},
    {"another JSON", "{\"tools\":[]}\n"},
    {"a wrong sum", "{\"format\":\"ferrule-uses-1\",\"uses\":1,\"check\":\"0\"}\n{}\n"},
    {"bytes", "\x00\xFF\xFE\n\n\n"},
};

static void assert_aside(const char *path, const char *aside)
{
    fer_catalog *c = catalog_with(path, NULL);
    fer_err err;
    assert_true(fer_catalog_uses_problem(c).len > 0);
    assert_int_equal(count_uses(c, ""), 0);
    assert_true(fer_file_exists(aside) && !fer_file_exists(path));
    /* And it goes on from there. */
    assert_int_equal(note(c, "acme", "query", "a:alpha"), FER_OK);
    assert_int_equal(fer_catalog_save_uses(c, &err), FER_OK);
    fer_catalog_free(c);
    c = catalog_with(path, NULL);
    assert_int_equal(count_uses(c, ""), 1);
    fer_catalog_free(c);
    assert_int_equal(unlink(aside), 0);
}

static void damaged(const struct damage *d)
{
    size_t len = d->text[0] || strcmp(d->name, "bytes") != 0 ? strlen(d->text) : 6;
    make_file("uses", d->text, len, 0600);
    assert_aside(path_of("uses"), path_of("uses.damaged"));
}

static void damaged_everywhere(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str bytes;
    fer_err err;
    unlink(path_of("uses"));
    fer_catalog *c = catalog_with(path_of("uses"), NULL);
    assert_int_equal(note(c, "acme", "pay", "a:alpha"), FER_OK);
    assert_int_equal(fer_catalog_save_uses(c, &err), FER_OK);
    fer_catalog_free(c);
    assert_int_equal(fer_file_read(a, path_of("uses"), 1 << 20, &bytes, &err), FER_OK);
    /* All but the count in the head, which only people read. */
    const char *count = memmem(bytes.ptr, bytes.len, "\"uses\":1", 8);
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr + i >= count && bytes.ptr + i < count + 8) continue;
        fer_str copy = fer_arena_copy(a, bytes);
        ((char *)(uintptr_t)copy.ptr)[i] ^= 1;
        make_file("uses", copy.ptr, copy.len, 0600);
        assert_aside(path_of("uses"), path_of("uses.damaged"));
    }
    for (size_t len = 0; len < bytes.len; len += 7) {
        make_file("uses", bytes.ptr, len, 0600);
        assert_aside(path_of("uses"), path_of("uses.damaged"));
    }
    fer_arena_free(a);
}

/* A save that fails leaves the old file, and the memory as it is. */
static void save_faults(void)
{
    static const char *const plans[] = {"write:ENOSPC@1", "fsync@1",  "rename@1",
                                        "open@1",         "malloc@1", "malloc@2"};
    fer_err err;
    unlink(path_of("uses"));
    fer_catalog *c = catalog_with(path_of("uses"), NULL);
    assert_int_equal(note(c, "acme", "one", "a:alpha"), FER_OK);
    assert_int_equal(fer_catalog_save_uses(c, &err), FER_OK);
    assert_int_equal(note(c, "acme", "two", "a:alpha"), FER_OK);
    for (size_t i = 0; i < FER_COUNT(plans); i++) {
        assert_true(fer_faults_begin(plans[i]));
        fer_code code = fer_catalog_save_uses(c, &err);
        assert_true(fer_faults_begin(NULL));
        assert_true(code == FER_IO_ERROR || code == FER_OUT_OF_MEMORY);
        fer_catalog *again = catalog_with(path_of("uses"), NULL);
        assert_int_equal(count_uses(again, ""), 1);
        fer_catalog_free(again);
    }
    assert_int_equal(count_uses(c, ""), 2);
    fer_catalog_free(c);
}

/* ---- limits ---- */

static fer_str long_text(fer_arena *a, size_t len)
{
    char *p = fer_arena_alloc(a, len + 1);
    memset(p, 'x', len);
    p[len] = '\0';
    return (fer_str){p, len};
}

static void limits(void)
{
    fer_catalog *c = catalog_with("", NULL);
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(note(c, long_text(a, FER_TENANT_NAME).ptr, "q", "a:alpha"), FER_OK);
    assert_int_equal(note(c, long_text(a, FER_TENANT_NAME + 1).ptr, "q", "a:alpha"),
                     FER_LIMIT_EXCEEDED);
    assert_int_equal(note(c, "t", long_text(a, FER_USE_QUERY).ptr, "a:alpha"), FER_OK);
    assert_int_equal(note(c, "t", long_text(a, FER_USE_QUERY + 1).ptr, "a:alpha"),
                     FER_LIMIT_EXCEEDED);
    assert_int_equal(note(c, "", "q", "a:alpha"), FER_BAD_USAGE);
    assert_int_equal(note(c, "t", "", "a:alpha"), FER_BAD_USAGE);
    assert_int_equal(note(c, "t", "\xFF", "a:alpha"), FER_BAD_USAGE);
    assert_int_equal(note(c, "t", "q", "a:nothing"), FER_TOOL_NOT_FOUND);
    char name[32];
    for (int i = 2; i < FER_TENANTS_MAX; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(note(c, name, "q", "a:alpha"), FER_OK);
    }
    assert_int_equal(note(c, "one more", "q", "a:alpha"), FER_LIMIT_EXCEEDED);
    assert_int_equal(fer_catalog_forget_uses(c, FER_STR("n7"), FER_STR("")), 1);
    assert_int_equal(note(c, "one more", "q", "a:alpha"), FER_OK);
    assert_int_equal(count_uses(c, "n7"), 0);
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* The oldest use makes room; one that comes again is the newest. */
static void oldest(void)
{
    fer_catalog *c = catalog_with("", NULL);
    fer_arena *a = fer_arena_new(0);
    fer_use *list;
    size_t count;
    fer_err err;
    char query[32];
    for (int i = 0; i < FER_USES_MAX; i++) {
        snprintf(query, sizeof query, "query %d", i);
        assert_int_equal(note(c, "t", query, "a:alpha"), FER_OK);
    }
    assert_int_equal(note(c, "t", "query 0", "a:alpha"), FER_OK);
    assert_int_equal(count_uses(c, "t"), FER_USES_MAX);
    assert_int_equal(note(c, "t", "one more", "a:alpha"), FER_OK);
    assert_int_equal(fer_catalog_uses(a, c, FER_STR("t"), &list, &count, &err), FER_OK);
    assert_int_equal(count, FER_USES_MAX);
    assert_str(list[0].query, "query 2");
    assert_str(list[count - 2].query, "query 0");
    fer_arena_free(a);
    fer_catalog_free(c);
}

/* A catalogue that remembers nothing says so. */
static void without(void)
{
    fer_catalog *c = catalog_with(NULL, NULL);
    fer_err err;
    assert_int_equal(note(c, "t", "q", "a:alpha"), FER_BAD_USAGE);
    assert_int_equal(fer_catalog_save_uses(c, &err), FER_BAD_USAGE);
    assert_int_equal(fer_catalog_forget_uses(c, FER_STR("t"), FER_STR("")), 0);
    assert_first(c, "t", NULL);
    fer_catalog_free(c);
}

static fer_code attempt(fer_arena *given, const void *context)
{
    fer_arena *a = given ? given : fer_arena_new(0);
    fer_catalog *c = NULL;
    fer_err err = {0};
    fer_found found;
    fer_use *list;
    size_t count;
    fer_search_options options = {.tenant = FER_STR("t")};
    fer_code code =
        a ? fer_catalog_new(&(fer_catalog_options){.search = true, .uses = ""}, &c, &err)
          : FER_OUT_OF_MEMORY;
    if (!code) code = apply_text(c, context, NULL, &err);
    for (int i = 0; i < 3 && !code; i++) {
        code = fer_catalog_note_use(c, FER_STR("t"), FER_STR("pay bills"), FER_STR("a:beta"), &err);
        if (!code)
            code = fer_catalog_search(a, c, FER_STR("pay bills"), &options, NULL, &found, &err);
    }
    if (!code) code = fer_catalog_uses(a, c, FER_STR(""), &list, &count, &err);
    if (!code) assert_int_equal(count, 1);
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
    snprintf(root, sizeof root, "/tmp/ferrule-uses-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_ONE("uses", helps) + ROWS_ONE("uses", follows) + ROWS_ONE("uses", kept) +
                 ROWS_ONE("uses", shared) + ROWS_RUN("damage", damages, damaged) +
                 ROWS_ONE("damage", damaged_everywhere) + ROWS_ONE("uses", save_faults) +
                 ROWS_ONE("uses", limits) + ROWS_ONE("uses", oldest) + ROWS_ONE("uses", without) +
                 ROWS_ONE("uses", torture);
    drop(root);
    return failed;
}
