/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: how they are made, kept, found and asked; and what a file of them must be. */
#include "bearer_tokens.h"

#include "file.h"
#include "temp_files.h"

#define HASH  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HASH2 "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ONE                                                                                        \
    "{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH                              \
    "\", \"scopes\": [\"*\"], \"created\": 1}"
#define FILE_OF(tokens) "{\"format\": \"ferrule-tokens-1\", \"tokens\": [" tokens "]}"

/* ---- the file ------------------------------------------------------------------------------- */

static const struct row {
    const char *name, *text;
    size_t count; /* SIZE_MAX: it is refused */
} rows[] = {
    {"an empty file", "", 0},
    {"no tokens", FILE_OF(""), 0},
    {"one", FILE_OF(ONE), 1},
    {"one that ends",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a b\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"tool:x:y\", \"effect:Pure\"], \"created\": 0, \"expires\": 5}"),
     1},
    {"what its client is shown",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"scope:mail\"], \"tenant\": \"home\", \"mode\": \"both\", "
             "\"expose\": [\"files:*\"], \"created\": 0}"),
     1},
    {"a mode that is none",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"mode\": \"all\", \"created\": 0}"),
     SIZE_MAX},
    {"a tenant that a terminal obeys",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"tenant\": \"\\u001b[31m\", \"created\": 0}"),
     SIZE_MAX},
    {"an empty tenant",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"tenant\": \"\", \"created\": 0}"),
     SIZE_MAX},
    {"a pattern that is none",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"expose\": [\"\"], \"created\": 0}"),
     SIZE_MAX},
    {"two",
     FILE_OF(ONE ", {\"id\": \"ab0123456789\", \"name\": \"b\", \"sha256\": \"" HASH2
                 "\", \"scopes\": [\"namespace:n\"], \"created\": 1}"),
     2},
    {"not JSON", "{", SIZE_MAX},
    {"not an object", "[]", SIZE_MAX},
    {"no format", "{\"tokens\": []}", SIZE_MAX},
    {"another format", "{\"format\": \"x\", \"tokens\": []}", SIZE_MAX},
    {"more", "{\"format\": \"ferrule-tokens-1\", \"tokens\": [], \"x\": 1}", SIZE_MAX},
    {"a key twice", "{\"format\": \"ferrule-tokens-1\", \"tokens\": [], \"tokens\": []}", SIZE_MAX},
    {"not a list", "{\"format\": \"ferrule-tokens-1\", \"tokens\": {}}", SIZE_MAX},
    {"not a token", FILE_OF("1"), SIZE_MAX},
    {"the same twice", FILE_OF(ONE ", " ONE), SIZE_MAX},
    {"the same hash",
     FILE_OF(ONE ", {\"id\": \"ab0123456789\", \"name\": \"b\", \"sha256\": \"" HASH
                 "\", \"scopes\": [\"*\"], \"created\": 1}"),
     SIZE_MAX},
    {"an ID as a name",
     FILE_OF(ONE ", {\"id\": \"ab0123456789\", \"name\": \"0123456789ab\", \"sha256\": \"" HASH2
                 "\", \"scopes\": [\"*\"], \"created\": 1}"),
     SIZE_MAX},
    {"no name",
     FILE_OF("{\"id\": \"0123456789ab\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"created\": 1}"),
     SIZE_MAX},
    {"no scopes",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [], \"created\": 1}"),
     SIZE_MAX},
    {"a scope that is none",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"all\"], \"created\": 1}"),
     SIZE_MAX},
    {"a hash in capitals",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": "
             "\"0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef\", \"scopes\": "
             "[\"*\"], \"created\": 1}"),
     SIZE_MAX},
    {"a short hash",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"01\", "
             "\"scopes\": [\"*\"], \"created\": 1}"),
     SIZE_MAX},
    {"a name that a terminal obeys",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"\\u001b[31m\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"created\": 1}"),
     SIZE_MAX},
    {"an unknown field",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"created\": 1, \"x\": 1}"),
     SIZE_MAX},
    {"an end at 0",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"created\": 1, \"expires\": 0}"),
     SIZE_MAX},
    {"a time before 1970",
     FILE_OF("{\"id\": \"0123456789ab\", \"name\": \"a\", \"sha256\": \"" HASH
             "\", \"scopes\": [\"*\"], \"created\": -1}"),
     SIZE_MAX},
};

/* What is read is written so that it is read again. */
static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_bearers t = {0}, again = {0};
    fer_err err = {0};
    fer_str text;
    fer_code code = fer_bearers_read(a, fer_str_of(row->text), &t, &err);
    if (row->count == SIZE_MAX) {
        assert_int_not_equal(code, FER_OK);
        assert_true(err.message[0]);
    } else {
        if (code) fail_msg("%s", err.message);
        assert_int_equal(t.count, row->count);
        assert_int_equal(fer_bearers_write(a, &t, &text, &err), FER_OK);
        assert_int_equal(fer_bearers_read(a, text, &again, &err), FER_OK);
        assert_int_equal(again.count, t.count);
    }
    fer_arena_free(a);
}

static fer_code attempt(fer_arena *a, const void *row)
{
    const struct row *r = row;
    fer_arena *own = a ? NULL : fer_arena_new(0);
    fer_bearers t;
    fer_err err;
    if (!a && !own) return FER_OUT_OF_MEMORY;
    fer_code code = fer_bearers_read(a ? a : own, fer_str_of(r->text), &t, &err);
    fer_arena_free(own);
    if (r->count == SIZE_MAX && code != FER_OUT_OF_MEMORY && code != FER_LIMIT_EXCEEDED)
        return FER_OK;
    return code;
}

static void torture(const struct row *row)
{
    rows_torture_malloc(attempt, row);
}

/* ---- their life ----------------------------------------------------------------------------- */

static void life(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_bearers t = {.arena = a};
    char one[FER_BEARER_TEXT], two[FER_BEARER_TEXT];
    fer_str pure = FER_STR("effect:Pure");
    fer_err err;
    assert_int_equal(
        fer_bearers_add(&t, &(fer_bearer_wish){.name = FER_STR("laptop")}, 100, one, &err), FER_OK);
    fer_bearer_wish ends = {
        .name = FER_STR("ci"), .scopes = &pure, .scope_count = 1, .expires = 200};
    assert_int_equal(fer_bearers_add(&t, &ends, 100, two, &err), FER_OK);
    assert_true(fer_str_starts(fer_str_of(one), "fer_"));
    assert_int_equal(strlen(one), FER_BEARER_TEXT - 1);
    assert_string_not_equal(one, two);
    assert_str(fer_bearers_find(&t, fer_str_of(one), 1000)->name, "laptop");
    assert_str(t.list[0].scopes[0], "*");
    /* Neither a part nor anything like it. */
    assert_null(fer_bearers_find(&t, (fer_str){one, FER_BEARER_TEXT - 2}, 100));
    assert_null(fer_bearers_find(&t, FER_STR(""), 100));
    assert_null(fer_bearers_find(&t, FER_STR("laptop"), 100));
    assert_null(fer_bearers_find(&t, fer_str_of(t.list[0].id), 100));
    one[10] = (char)(one[10] == 'a' ? 'b' : 'a');
    assert_null(fer_bearers_find(&t, fer_str_of(one), 100));
    /* Names are taken once; what is over cannot be made. */
    assert_int_equal(fer_bearers_add(&t, &ends, 100, one, &err), FER_BAD_USAGE);
    assert_int_equal(one[0], 0);
    ends.name = FER_STR("x");
    assert_int_equal(fer_bearers_add(&t, &ends, 200, one, &err), FER_BAD_USAGE);
    assert_true(fer_bearers_remove(&t, fer_str_of(t.list[0].id)));
    assert_false(fer_bearers_remove(&t, FER_STR("laptop")));
    assert_true(fer_bearers_remove(&t, FER_STR("ci")));
    assert_int_equal(t.count, 0);
    fer_arena_free(a);
}

/* Both times are of this machine's own clock: there is no skew to forgive. */
static void f63_a_token_ends_at_its_second(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_bearers t = {.arena = a};
    char text[FER_BEARER_TEXT];
    fer_bearer_wish ends = {.name = FER_STR("ci"), .expires = 200};
    fer_err err;
    assert_int_equal(fer_bearers_add(&t, &ends, 199, text, &err), FER_OK);
    assert_non_null(fer_bearers_find(&t, fer_str_of(text), 199));
    assert_null(fer_bearers_find(&t, fer_str_of(text), 200));
    assert_null(fer_bearers_find(&t, fer_str_of(text), 201));
    /* A clock that was set back: it has not ended yet. */
    assert_non_null(fer_bearers_find(&t, fer_str_of(text), 1));
    fer_arena_free(a);
}

static void limits(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_bearers t = {.arena = a};
    char text[FER_BEARER_TEXT], name[FER_BEARER_NAME_MAX + 1];
    fer_str scopes_[FER_BEARER_SCOPES_MAX + 1];
    fer_err err;
    memset(name, 'n', sizeof name);
    fer_bearer_wish w = {.name = {name, FER_BEARER_NAME_MAX + 1}};
    assert_int_equal(fer_bearers_add(&t, &w, 1, text, &err), FER_BAD_USAGE);
    w.name.len = FER_BEARER_NAME_MAX;
    assert_int_equal(fer_bearers_add(&t, &w, 1, text, &err), FER_OK);
    for (size_t i = 0; i < FER_COUNT(scopes_); i++) scopes_[i] = FER_STR("*");
    w = (fer_bearer_wish){
        .name = FER_STR("s"), .scopes = scopes_, .scope_count = FER_BEARER_SCOPES_MAX + 1};
    assert_int_equal(fer_bearers_add(&t, &w, 1, text, &err), FER_BAD_USAGE);
    w.scope_count--;
    assert_int_equal(fer_bearers_add(&t, &w, 1, text, &err), FER_OK);
    while (t.count < FER_BEARERS_MAX) {
        w = (fer_bearer_wish){.name = {name, (size_t)snprintf(name, sizeof name, "%zu", t.count)}};
        assert_int_equal(fer_bearers_add(&t, &w, 1, text, &err), FER_OK);
    }
    w.name = FER_STR("one more");
    assert_int_equal(fer_bearers_add(&t, &w, 1, text, &err), FER_LIMIT_EXCEEDED);
    fer_arena_free(a);
}

static void on_disk(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_bearers t = {.arena = a};
    char text[FER_BEARER_TEXT], path[300];
    struct stat s;
    fer_err err;
    fer_str content;
    snprintf(root, sizeof root, "/tmp/ferrule-tokens-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/a/b/tokens.json", root);
    assert_int_equal(fer_bearers_load(a, path, &t, &err), FER_OK);
    assert_int_equal(t.count, 0);
    fer_bearer_wish w = {.name = FER_STR("laptop")};
    assert_int_equal(fer_bearers_add(&t, &w, 1, text, &err), FER_OK);
    if (fer_bearers_save(path, &t, &err)) fail_msg("%s", err.message);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(stat(path_of("a"), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    /* The token is not in it. */
    assert_int_equal(fer_file_read(a, path, 1 << 20, &content, &err), FER_OK);
    assert_null(strstr(content.ptr, text + 4));
    assert_int_equal(fer_bearers_load(a, path, &t, &err), FER_OK);
    assert_non_null(fer_bearers_find(&t, fer_str_of(text), 2));
    assert_int_equal(fer_bearers_save(path, &t, &err), FER_OK);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    /* Others may read it; a link; a folder. */
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(fer_bearers_load(a, path, &t, &err), FER_FORBIDDEN);
    assert_int_equal(symlink(path, path_of("link")), 0);
    assert_int_equal(fer_bearers_load(a, path_of("link"), &t, &err), FER_FORBIDDEN);
    assert_int_equal(fer_bearers_load(a, root, &t, &err), FER_FORBIDDEN);
    drop(root);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("tokens", rows, run) + ROWS_RUN("torture", rows, torture) +
           ROWS_ONE("tokens", life) + ROWS_ONE("tokens", f63_a_token_ends_at_its_second) +
           ROWS_ONE("tokens", limits) + ROWS_ONE("tokens", on_disk);
}
