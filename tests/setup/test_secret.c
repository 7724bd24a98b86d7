/* SPDX-License-Identifier: Apache-2.0 */
/* References to secrets: what they lead to, and what is refused without a word of it. */
#include "secret.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "rows.h"

static char folder[] = "/tmp/ferrule-secret-XXXXXX";

static void make_file(const char *name, const char *content, size_t size, mode_t mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(content, 1, size, file);
    fclose(file);
    chmod(path, mode);
}

static void make_all(void)
{
    char path[256];
    static char large[FER_SECRET_MAX + 1];
    assert_non_null(mkdtemp(folder));
    make_file("good", "hunter2\n", 8, 0600);
    make_file("dos", "hunter2\r\n", 9, 0440);
    make_file("open", "hunter2\n", 8, 0604);
    make_file("lines", "hunter2\nhunter3\n", 16, 0600);
    make_file("empty", "\n", 1, 0600);
    make_file("nul", "hunter2\0x", 9, 0600);
    memset(large, 'x', sizeof large);
    make_file("limit", large, FER_SECRET_MAX, 0600);
    make_file("large", large, FER_SECRET_MAX + 1, 0600);
    snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/link", folder);
    assert_int_equal(symlink("good", path), 0);
    setenv("FERRULE_TEST_SECRET", "hunter2", 1);
    setenv("FERRULE_TEST_EMPTY", "", 1);
    setenv("FERRULE_TEST_LINES", "hunter2\nx", 1);
    unsetenv("FERRULE_TEST_NO");
}

static void remove_all(void)
{
    static const char *const names[] = {"good", "dos",   "open",  "lines", "empty",
                                        "nul",  "limit", "large", "fifo",  "link"};
    char path[256];
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static const struct row {
    const char *name;
    const char *text;
    fer_code code;
    const char *expected; /* the text, or a part of the message */
} rows[] = {
    {"plain", "abc", FER_OK, "abc"},
    {"a variable", "secretref:env:FERRULE_TEST_SECRET", FER_OK, "hunter2"},
    {"behind a word", "Bearer secretref:env:FERRULE_TEST_SECRET", FER_OK, "Bearer hunter2"},
    {"inside a word", "xsecretref:env:FERRULE_TEST_SECRET", FER_OK,
     "xsecretref:env:FERRULE_TEST_SECRET"},
    {"no variable", "secretref:env:FERRULE_TEST_NO", FER_BAD_USAGE, "there is no such variable"},
    {"an empty one", "secretref:env:FERRULE_TEST_EMPTY", FER_BAD_USAGE,
     "there is no such variable"},
    {"two lines", "secretref:env:FERRULE_TEST_LINES", FER_BAD_USAGE, "one line of text"},
    {"no name", "secretref:env:", FER_BAD_USAGE, "secretref:env:NAME"},
    {"a bad name", "secretref:env:A-B", FER_BAD_USAGE, "secretref:env:NAME"},
    {"no kind", "secretref:vault:x", FER_BAD_USAGE, "secretref:file:PATH"},
    {"a file", "secretref:file:good", FER_OK, "hunter2"},
    {"a file with a carriage return", "secretref:file:dos", FER_OK, "hunter2"},
    {"a link to a file", "secretref:file:link", FER_OK, "hunter2"},
    {"no file", "secretref:file:absent", FER_IO_ERROR, "No such file"},
    {"an open file", "secretref:file:open", FER_FORBIDDEN, "everybody may read"},
    {"a folder", "secretref:file:.", FER_FORBIDDEN, "no ordinary file"},
    {"a FIFO", "secretref:file:fifo", FER_FORBIDDEN, "no ordinary file"},
    {"a device", "secretref:file:/dev/null", FER_FORBIDDEN, "no ordinary file"},
    {"lines", "secretref:file:lines", FER_BAD_USAGE, "one line of text"},
    {"an empty file", "secretref:file:empty", FER_BAD_USAGE, "not empty"},
    {"a NUL", "secretref:file:nul", FER_BAD_USAGE, "one line of text"},
    {"secret.size, over", "secretref:file:large", FER_LIMIT_EXCEEDED, "secret.size"},
};

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_str out = FER_STR_NONE;
    fer_err err = {0};
    fer_code code = fer_secret_resolve(a, fer_str_of(row->text), fer_str_of(folder), &out, &err);
    if (code == FER_OUT_OF_MEMORY || (code == FER_LIMIT_EXCEEDED && row->code != code)) return code;
    assert_int_equal(code, row->code);
    if (!code) assert_str(out, row->expected);
    if (code) assert_non_null(strstr(err.message, row->expected));
    if (code) assert_null(strstr(err.message, "hunter"));
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    if (row->code != FER_LIMIT_EXCEEDED) rows_torture_arena(attempt, row);
}

static void test_limit(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out;
    fer_err err;
    assert_int_equal(
        fer_secret_resolve(a, FER_STR("secretref:file:limit"), fer_str_of(folder), &out, &err),
        FER_OK);
    assert_int_equal(out.len, FER_SECRET_MAX);
    fer_arena_free(a);
}

static const struct look {
    const char *name;
    const char *value;
    bool looks;
} looks[] = {
    {"GITHUB_PERSONAL_ACCESS_TOKEN", "abcdefgh1", true},
    {"x-api-key", "abcdefgh1", true},
    {"clientSecret", "abcdefgh1", true},
    {"Authorization", "Bearer abcdefghij", true},
    {"ANYTHING", "ghp_abcdefghijklmnop", true},
    {"ANYTHING", "eyJhbGciOiJIUzI1NiJ9", true},
    {"TOKEN", "short", false},
    {"TOKEN_PATH", "/run/secrets/t", false},
    {"TOKEN", "<your-token-here>", false},
    {"MAX_TOKENS", "1000000000", false},
    {"HOME", "abcdefgh1", false},
    {"SECRET_URL", "https://vault/x", false},
};

static void run_look(const struct look *row)
{
    assert_int_equal(fer_secret_looks(fer_str_of(row->name), fer_str_of(row->value)), row->looks);
}

int main(void)
{
    make_all();
    int failed = ROWS_RUN("secret", rows, run) + ROWS_ONE("secret", test_limit) +
                 ROWS_RUN("looks", looks, run_look);
    remove_all();
    return failed;
}
