/* SPDX-License-Identifier: Apache-2.0 */
/* Catalogues in files: the same comes back; cut or changed at any byte, it is refused or still
 * right. */
#include "catalog_rows.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog_file.h"
#include "checksum.h"
#include "file.h"
#include "file_layout.h"
#include "temp_files.h"

#define OPT                                                                                        \
    "{\"name\":\"a\",\"description\":\"opt\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}}"
#define REQ                                                                                        \
    "{\"name\":\"a\",\"description\":\"req\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}},\"required\":[\"x\"]}}"

static const fer_catalog_options searching = {.search = true};

/* One of everything: plain, with a namespace, versions, backends, held back, documented, with
 * vectors. */
static fer_catalog *sample(void)
{
    static const struct step steps[] = {
        {'+', "",
         "[" OPT "," N("b") "," V("c", "1.0.0") "," V(
             "c",
             "2.0.0") ",{\"name\":\"d\",\"tags\":[\"x\",\"y\"],\"backend\":[{\"kind\":\"local\",\"local\":{\"name\":\"l\"}},{\"kind\":\"provider\",\"provider\":{\"providerId\":\"p\",\"toolId\":\"t\"}}]," S
                      "}]"},
        {'+', "", REQ},
        {'d', "a", "{\"summary\":\"s\",\"notes\":\"n\",\"examples\":[{\"args\":{\"x\":\"1\"}}]}"},
        {'d', "ghost", "{\"summary\":\"g\"}"}};
    fer_catalog *c = must_catalog(&(fer_catalog_options){
        .quarantine = FER_QUARANTINE_BREAKING, .search = true, .embedder = "builtin"});
    fer_err err;
    size_t left;
    for (size_t i = 0; i < FER_COUNT(steps); i++) {
        fer_batch *b = fer_batch_new();
        fer_code code = step_add(b, &steps[i], &err);
        if (!code) code = fer_catalog_apply(c, b, &err);
        if (code) fail_msg("%s", err.message);
        fer_batch_free(b);
    }
    assert_int_equal(fer_catalog_embed(c, SIZE_MAX, &left, &err), FER_OK);
    return c;
}

/* Everything that can be asked of a view, as one text; the code of the first failure. */
static fer_code ask_all(fer_arena *a, const fer_view *v, fer_buf *out, fer_err *err)
{
    static const char *const ids[] = {"a", "n:b", "n:c", "n:c:1.0.0", "d", "ghost"};
    fer_summary *list;
    fer_namespace *spaces;
    fer_backend *backends;
    fer_str *held, next, text;
    size_t count, chosen;
    fer_code code = fer_view_list(a, v, NULL, NULL, &list, &count, &next, err);
    for (size_t i = 0; i < count && !code; i++) {
        code = fer_summary_write(a, &list[i], &text, err);
        if (!code) fer_buf_add(out, text);
    }
    if (!code) code = fer_view_namespaces(a, v, NULL, NULL, &spaces, &count, &next, err);
    for (size_t i = 0; i < count && !code; i++)
        fer_buf_printf(out, "%.*s=%zu;", FER_PRI(spaces[i].name), spaces[i].tools);
    for (size_t i = 0; i < FER_COUNT(ids) && !code; i++) {
        fer_level level = i == 5 ? FER_LEVEL_SUMMARY : FER_LEVEL_FULL;
        code = fer_view_describe(a, v, fer_str_of(ids[i]), level, &text, err);
        if (!code) fer_buf_add(out, text);
    }
    if (!code)
        code = fer_view_backends(a, v, FER_STR("d"), NULL, NULL, &backends, &count, &chosen, err);
    if (!code) fer_buf_printf(out, "%zu %.*s", count, FER_PRI(backends[chosen].name));
    if (!code) code = fer_view_quarantined(a, v, NULL, &held, &count, &next, err);
    for (size_t i = 0; i < count && !code; i++) {
        code = fer_view_pending(a, v, held[i], &text, err);
        if (!code) fer_buf_add(out, text);
    }
    return code;
}

static fer_str answers(fer_arena *a, const fer_view *v)
{
    fer_buf b;
    fer_err err;
    fer_buf_init(&b, a, 1 << 20);
    if (ask_all(a, v, &b, &err)) fail_msg("%s", err.message);
    return fer_buf_view(&b);
}

static fer_str bytes_of(fer_arena *a, fer_catalog *c)
{
    fer_str bytes;
    fer_err err;
    fer_view *v = fer_catalog_view(c);
    if (fer_catalog_file_write(a, v, FER_STR(""), &bytes, &err)) fail_msg("%s", err.message);
    fer_view_unref(v);
    return bytes;
}

static void back_again(void)
{
    fer_catalog *c = sample(), *again;
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    const char *path = path_of("catalog");
    assert_int_equal(fer_catalog_save(c, path, &err), FER_OK);
    if (fer_catalog_open(path, &searching, &again, &err)) fail_msg("%s", err.message);
    fer_view *x = fer_catalog_view(c), *y = fer_catalog_view(again);
    assert_int_equal(fer_view_version(x), fer_view_version(y));
    assert_true(fer_str_eq(answers(a, x), answers(a, y)));
    assert_int_equal(fer_view_verify(y, &err), FER_OK);
    /* The same view gives the same bytes, wherever it came from. */
    assert_true(fer_str_eq(bytes_of(a, c), bytes_of(a, again)));
    fer_view_unref(x);
    fer_view_unref(y);
    fer_catalog_free(c);
    fer_catalog_free(again);
    fer_arena_free(a);
}

/* A token of before is good afterwards: key and version are in the file. */
static void token_survives(void)
{
    fer_catalog *c = sample(), *again;
    fer_arena *a = fer_arena_new(0);
    fer_summary *list;
    size_t count;
    fer_page page = {.size = 2};
    fer_err err;
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_list(a, v, NULL, &page, &list, &count, &page.token, &err), FER_OK);
    fer_view_unref(v);
    assert_int_equal(fer_catalog_save(c, path_of("catalog"), &err), FER_OK);
    assert_int_equal(fer_catalog_open(path_of("catalog"), &searching, &again, &err), FER_OK);
    v = fer_catalog_view(again);
    assert_int_equal(fer_view_list(a, v, NULL, &page, &list, &count, &page.token, &err), FER_OK);
    fer_view_unref(v);
    fer_catalog_free(c);
    fer_catalog_free(again);
    fer_arena_free(a);
}

/* What was opened can be changed, saved over its own file, and opened again. */
static void changed(void)
{
    fer_catalog *c = sample(), *again;
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    const char *path = path_of("catalog");
    for (int i = 0; i < 40; i++) {
        char text[128];
        assert_int_equal(fer_catalog_save(c, path, &err), FER_OK);
        fer_catalog_free(c);
        assert_int_equal(fer_catalog_open(path, i % 5 ? &searching : NULL, &c, &err), FER_OK);
        snprintf(text, sizeof text, "{\"name\":\"more%d\"," S "}", i);
        must_put(c, text);
        fer_batch *b = fer_batch_new();
        if (i == 5) fer_batch_approve(b, FER_STR("a"), &err);
        if (i == 6) fer_batch_remove(b, FER_STR("n:b"), &err);
        if (i > 9) fer_batch_remove(b, fer_str_of(i % 2 ? "more1" : "more2"), &err);
        fer_code code = fer_catalog_apply(c, b, &err);
        assert_true(code == FER_OK || (i > 11 && code == FER_TOOL_NOT_FOUND));
        fer_batch_free(b);
    }
    assert_int_equal(fer_catalog_save(c, path, &err), FER_OK);
    assert_int_equal(fer_catalog_open(path, &searching, &again, &err), FER_OK);
    assert_true(fer_str_eq(bytes_of(a, c), bytes_of(a, again)));
    fer_catalog_free(c);
    fer_catalog_free(again);
    fer_arena_free(a);
}

/* ---- damage
 * -------------------------------------------------------------------------------------- */

/* Opens bytes and asks everything. FER_OK: the answers were those expected. */
static fer_code try_bytes(const void *bytes, size_t size, fer_str expected)
{
    fer_err err = {0};
    fer_view *v = fer_view_new();
    fer_arena *a = fer_arena_new(0);
    fer_buf out;
    fer_buf_init(&out, a, 1 << 20);
    fer_code code = fer_catalog_file_view(bytes, size, true, v, &err);
    if (!code) code = fer_view_verify(v, &err);
    if (!code) code = ask_all(a, v, &out, &err);
    if (!code) assert_true(fer_str_eq(fer_buf_view(&out), expected));
    else assert_true(err.message[0] != '\0');
    fer_view_unref(v);
    fer_arena_free(a);
    return code;
}

/* Without verifying first: what is asked for is looked at then. */
static fer_code try_lazily(const void *bytes, size_t size, fer_str expected)
{
    fer_err err = {0};
    fer_view *v = fer_view_new();
    fer_arena *a = fer_arena_new(0);
    fer_buf out;
    fer_buf_init(&out, a, 1 << 20);
    fer_code code = fer_catalog_file_view(bytes, size, true, v, &err);
    if (!code) code = ask_all(a, v, &out, &err);
    if (!code) assert_true(fer_str_eq(fer_buf_view(&out), expected));
    fer_view_unref(v);
    fer_arena_free(a);
    return code;
}

struct bytes {
    fer_arena *arena;
    fer_str whole, expected;
    char *copy;
};

static struct bytes sample_bytes(void)
{
    struct bytes b = {.arena = fer_arena_new(0)};
    fer_catalog *c = sample();
    fer_view *v = fer_catalog_view(c);
    b.whole = bytes_of(b.arena, c);
    b.expected = answers(b.arena, v);
    b.copy = malloc(b.whole.len + 64);
    assert_non_null(b.copy);
    fer_view_unref(v);
    fer_catalog_free(c);
    return b;
}

static void bytes_free(struct bytes *b)
{
    free(b->copy);
    fer_arena_free(b->arena);
}

static void cut_everywhere(void)
{
    struct bytes b = sample_bytes();
    for (size_t size = 0; size < b.whole.len; size++) {
        char *exact = malloc(size ? size : 1); /* so that a sanitizer sees a read behind it */
        memcpy(exact, b.whole.ptr, size);
        assert_int_equal(try_bytes(exact, size, b.expected), FER_INVALID_CATALOG);
        free(exact);
    }
    memcpy(b.copy, b.whole.ptr, b.whole.len);
    memset(b.copy + b.whole.len, 0, 8);
    assert_int_equal(try_bytes(b.copy, b.whole.len + 8, b.expected), FER_INVALID_CATALOG);
    assert_int_equal(try_bytes(b.copy, b.whole.len, b.expected), FER_OK);
    bytes_free(&b);
}

static void flipped_everywhere(void)
{
    struct bytes b = sample_bytes();
    size_t right = 0;
    memcpy(b.copy, b.whole.ptr, b.whole.len);
    for (size_t i = 0; i < b.whole.len; i++) {
        static const unsigned char masks[] = {1, 0x80, 0xFF};
        for (size_t m = 0; m < sizeof masks; m++) {
            b.copy[i] = (char)((unsigned char)b.copy[i] ^ masks[m]);
            fer_code code = try_bytes(b.copy, b.whole.len, b.expected);
            assert_true(code == FER_OK || code == FER_INVALID_CATALOG);
            right += !code;
            code = try_lazily(b.copy, b.whole.len, b.expected);
            assert_true(code == FER_OK || code == FER_INVALID_CATALOG);
            b.copy[i] = b.whole.ptr[i];
        }
    }
    /* Only bytes between blocks can change unseen. */
    assert_true(right < 3 * 8 * 8);
    bytes_free(&b);
}

/* With the head's checksum made right again: what it says must be looked at, not believed. */
static void hostile_head(void)
{
    struct bytes b = sample_bytes();
    struct fer_file_head head;
    memcpy(&head, b.whole.ptr, sizeof head);
    size_t rows = 0;
    for (size_t g = 0; g < FER_FILE_GROUPS; g++) rows += (size_t)head.counts[g];
    size_t size = sizeof head + rows * sizeof(struct fer_file_row) + (size_t)head.keys_size;
    for (size_t i = 0; i < size; i++) {
        static const unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFF};
        for (size_t k = 0; k < sizeof values; k++) {
            memcpy(b.copy, b.whole.ptr, b.whole.len);
            b.copy[i] = (char)values[k];
            memcpy(&head, b.copy, sizeof head);
            head.check = 0;
            head.check = fer_checksum_mix(fer_checksum(&head, sizeof head),
                                          fer_checksum(b.copy + sizeof head, size - sizeof head));
            memcpy(b.copy, &head, sizeof head);
            fer_view *v = fer_view_new();
            fer_arena *a = fer_arena_new((size_t)64 << 20);
            fer_buf out;
            fer_err err = {0};
            fer_buf_init(&out, a, 1 << 20);
            /* Another version, stamp, key or count of a namespace is another file, not a wrong one.
             */
            if (!fer_catalog_file_view(b.copy, b.whole.len, true, v, &err))
                ask_all(a, v, &out, &err);
            fer_view_unref(v);
            fer_arena_free(a);
        }
    }
    bytes_free(&b);
}

/* With the checksums of bodies made right again: no body is trusted. */
static void hostile_bodies(void)
{
    struct bytes b = sample_bytes();
    struct fer_file_head head;
    memcpy(&head, b.whole.ptr, sizeof head);
    const struct fer_file_row *rows =
        (const struct fer_file_row *)(const void *)(b.whole.ptr + sizeof head);
    for (size_t r = 0; r < head.counts[FER_FILE_TOOLS]; r++) {
        const size_t words = sizeof(fer_body) / 4;
        for (size_t w = 0; w < words + 16; w++) {
            static const uint32_t values[] = {0, 1, 7, 0x7FFFFFFF, 0xFFFFFFFF, 0x80};
            for (size_t k = 0; k < FER_COUNT(values); k++) {
                char *body = b.copy + rows[r].at;
                memcpy(b.copy, b.whole.ptr, b.whole.len);
                memcpy(body + 4 * w, &values[k], 4);
                if (fer_body_check(body, rows[r].size)) {
                    fer_arena *a = fer_arena_new((size_t)64 << 20);
                    fer_summary s;
                    fer_backend *backends;
                    size_t count;
                    fer_body_summary(a, (const fer_body *)(const void *)body, &s, NULL);
                    fer_body_backends(a, (const fer_body *)(const void *)body, &backends, &count,
                                      NULL);
                    fer_arena_free(a);
                }
            }
        }
    }
    bytes_free(&b);
}

#define BLANKS "                                                                "
#define LONG   "{\"tools\":[" BLANKS BLANKS BLANKS BLANKS "]}"

static const struct wrong {
    const char *name;
    const char *content;
    size_t len;
    const char *says;
} wrongs[] = {
    {"nothing", "", 0, "too short"},
    {"a text", "{\"tools\":[]}", 12, "too short"},
    {"a long text", LONG, sizeof LONG - 1, "does not begin"},
};

static void wrong(const struct wrong *row)
{
    fer_catalog *c;
    fer_err err;
    make_file("wrong", row->content, row->len, 0600);
    assert_int_equal(fer_catalog_open(path_of("wrong"), NULL, &c, &err), FER_INVALID_CATALOG);
    assert_non_null(strstr(err.message, row->says));
}

static void formats(void)
{
    struct bytes b = sample_bytes();
    fer_catalog *c;
    fer_err err;
    memcpy(b.copy, b.whole.ptr, b.whole.len);
    b.copy[8] = FER_CATALOG_FORMAT + 1;
    make_file("format", b.copy, b.whole.len, 0600);
    assert_int_equal(fer_catalog_open(path_of("format"), NULL, &c, &err), FER_INVALID_CATALOG);
    assert_non_null(strstr(err.message, "format 4"));
    b.copy[8] = FER_CATALOG_FORMAT;
    b.copy[12] = 1;
    make_file("format", b.copy, b.whole.len, 0600);
    assert_int_equal(fer_catalog_open(path_of("format"), NULL, &c, &err), FER_INVALID_CATALOG);
    assert_non_null(strstr(err.message, "order of bytes"));
    assert_int_equal(fer_catalog_open(path_of("nowhere"), NULL, &c, &err), FER_IO_ERROR);
    assert_int_equal(fer_catalog_open(root, NULL, &c, &err), FER_INVALID_CATALOG);
    bytes_free(&b);
}

/* ---- failures
 * ---------------------------------------------------------------------------------------- */

static const char *const plans[] = {
    "open:EACCES@1", "open:EINTR@1", "stat@1",   "map@1",    "malloc@1", "malloc@2", "malloc@3",
    "malloc@4",      "malloc@5",     "malloc@6", "malloc@7", "malloc@8", "malloc@9+"};

static void faults(void)
{
    fer_catalog *c = sample();
    fer_err err;
    assert_int_equal(fer_catalog_save(c, path_of("catalog"), &err), FER_OK);
    fer_catalog_free(c);
    size_t open = open_descriptors();
    int64_t live = fer_faults_live();
    for (size_t i = 0; i < FER_COUNT(plans); i++) {
        assert_true(fer_faults_begin(plans[i]));
        fer_code code = fer_catalog_open(path_of("catalog"), &searching, &c, &err);
        assert_true(fer_faults_begin(NULL));
        if (strstr(plans[i], "EINTR")) assert_int_equal(code, FER_OK);
        else assert_true(code == FER_OUT_OF_MEMORY || code == FER_IO_ERROR || code == FER_OK);
        if (!code) fer_catalog_free(c);
        assert_int_equal(open_descriptors(), open);
        assert_int_equal(fer_faults_live(), live);
    }
}

/* Of two programs with one file the second is told, and nothing of the first is lost. */
static void changed_elsewhere(void)
{
    fer_catalog *one = sample(), *other, *again;
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    fer_str text;
    assert_int_equal(fer_catalog_save(one, path_of("catalog"), &err), FER_OK);
    assert_int_equal(fer_catalog_open(path_of("catalog"), &searching, &other, &err), FER_OK);
    must_put(one, T("of_one"));
    must_put(other, T("of_other"));
    assert_false(fer_catalog_is_outdated(one) || fer_catalog_is_outdated(other));
    assert_int_equal(fer_catalog_save(other, path_of("catalog"), &err), FER_OK);
    assert_true(fer_catalog_is_outdated(one));
    assert_false(fer_catalog_is_outdated(other));
    assert_int_equal(fer_catalog_save(one, path_of("catalog"), &err), FER_CATALOG_CHANGED);
    assert_int_equal(fer_catalog_save(one, path_of("catalog.copy"), &err), FER_OK);
    assert_false(fer_catalog_is_outdated(one)); /* the copy is its own now */
    assert_int_equal(fer_catalog_save(other, path_of("catalog"), &err), FER_OK);
    assert_int_equal(fer_catalog_open(path_of("catalog"), &searching, &again, &err), FER_OK);
    fer_view *v = fer_catalog_view(again);
    assert_int_equal(fer_view_describe(a, v, FER_STR("of_other"), FER_LEVEL_SUMMARY, &text, &err),
                     FER_OK);
    fer_view_unref(v);
    /* One that is gone is written again. */
    unlink(path_of("catalog"));
    assert_false(fer_catalog_is_outdated(other));
    assert_int_equal(fer_catalog_save(other, path_of("catalog"), &err), FER_OK);
    unlink(path_of("catalog.copy"));
    fer_catalog_free(one);
    fer_catalog_free(other);
    fer_catalog_free(again);
    fer_arena_free(a);
}

/* A save that fails leaves the old file. */
static void save_faults(void)
{
    static const char *const saves[] = {"write:ENOSPC@1", "fsync@1",  "rename@1",
                                        "open@1",         "malloc@1", "malloc@2"};
    fer_catalog *c = sample(), *again;
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    fer_str before, after;
    assert_int_equal(fer_catalog_save(c, path_of("catalog"), &err), FER_OK);
    assert_int_equal(fer_file_read(a, path_of("catalog"), 1 << 20, &before, &err), FER_OK);
    must_put(c, T("more"));
    for (size_t i = 0; i < FER_COUNT(saves); i++) {
        assert_true(fer_faults_begin(saves[i]));
        fer_code code = fer_catalog_save(c, path_of("catalog"), &err);
        assert_true(fer_faults_begin(NULL));
        assert_int_not_equal(code, FER_OK);
        assert_int_equal(fer_file_read(a, path_of("catalog"), 1 << 20, &after, &err), FER_OK);
        assert_true(fer_str_eq(before, after));
        assert_int_equal(fer_catalog_open(path_of("catalog"), &searching, &again, &err), FER_OK);
        fer_catalog_free(again);
    }
    fer_catalog_free(c);
    fer_arena_free(a);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-catalog-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_ONE("file", back_again) + ROWS_ONE("file", token_survives) +
                 ROWS_ONE("file", changed) + ROWS_ONE("damage", cut_everywhere) +
                 ROWS_ONE("damage", flipped_everywhere) + ROWS_ONE("damage", hostile_head) +
                 ROWS_ONE("damage", hostile_bodies) + ROWS_RUN("wrong", wrongs, wrong) +
                 ROWS_ONE("wrong", formats) + ROWS_ONE("faults", faults) +
                 ROWS_ONE("faults", save_faults) + ROWS_ONE("faults", changed_elsewhere);
    drop(root);
    return failed;
}
