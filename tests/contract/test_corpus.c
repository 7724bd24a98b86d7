/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of real MCP servers: all load, and survive formatting unchanged. */
#include <ferrule/contract.h>

#include <stdlib.h>

#include "file.h"
#include "format.h"
#include "json_doc.h"
#include "rows.h"

/* A row is a file. */
struct row {
    const char *name;
    fer_str text;
};

static size_t total;

static fer_toolset *load(const struct row *row, fer_str text)
{
    fer_err err = {0};
    fer_toolset *set = fer_toolset_new();
    assert_non_null(set);
    if (fer_toolset_add(set, fer_str_of(row->name), text, FER_FORMAT_AUTO, &err))
        fail_msg("%u:%u: %s", err.line, err.column, err.message);
    return set;
}

/* How many tools there are, counted by reading the text as plain JSON. */
static size_t count_plainly(fer_arena *a, fer_str text)
{
    fer_json *doc;
    assert_int_equal(fer_json_read(a, text, fer_json_limits_file(), &doc, NULL), FER_OK);
    const yyjson_val *list = fer_val_get(fer_json_root(doc), "tools");
    assert_true(fer_is_arr(list));
    return fer_val_len(list);
}

/* Warnings, and what is said about schemas. */
static bool tolerated(const fer_finding *f)
{
    return f->severity == FER_SEVERITY_WARNING || strncmp(f->rule->id, "schema.", 7) == 0;
}

static void check_set(const struct row *row, const fer_toolset *set)
{
    size_t count;
    const fer_finding *findings = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < fer_toolset_count(set); i++) {
        const fer_tool *t = fer_toolset_get(set, i);
        assert_string_equal(fer_tool_shape(t), "mcp");
        assert_true(fer_tool_name(t).len > 0);
        assert_non_null(fer_tool_field(t, "inputSchema"));
    }
    for (size_t i = 0; i < count; i++) {
        const fer_finding *f = &findings[i];
        assert_true(f->place.offset < row->text.len);
        if (!tolerated(f))
            fail_msg("%s:%u:%u: %s: %.*s", row->name, f->place.line, f->place.column, f->rule->id,
                     FER_PRI(f->message));
        if (i) assert_true(findings[i - 1].number <= f->number);
    }
}

static void check_hashes(fer_arena *a, const fer_toolset *x, const fer_toolset *y)
{
    assert_int_equal(fer_toolset_count(x), fer_toolset_count(y));
    for (size_t i = 0; i < fer_toolset_count(x); i++) {
        char before[FER_HASH_TEXT], after[FER_HASH_TEXT];
        assert_int_equal(fer_tool_definition_hash(a, fer_toolset_get(x, i), before, NULL), FER_OK);
        assert_int_equal(fer_tool_definition_hash(a, fer_toolset_get(y, i), after, NULL), FER_OK);
        assert_string_equal(before, after);
    }
}

static void check(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_format read_as;
    fer_str once, twice;
    fer_toolset *set = load(row, row->text);
    assert_int_equal(fer_toolset_count(set), count_plainly(a, row->text));
    total += fer_toolset_count(set);
    check_set(row, set);
    assert_int_equal(fer_format_definitions(a, fer_str_of(row->name), row->text, FER_FORMAT_AUTO,
                                            &read_as, &once, NULL),
                     FER_OK);
    assert_int_equal(fer_format_definitions(a, fer_str_of(row->name), once, FER_FORMAT_AUTO,
                                            &read_as, &twice, NULL),
                     FER_OK);
    assert_true(fer_str_eq(once, twice));
    fer_toolset *formatted = load(row, once);
    check_hashes(a, set, formatted);
    fer_toolset_free(formatted);
    fer_toolset_free(set);
    fer_arena_free(a);
}

static void all_were_counted(void)
{
    print_message("# %zu tools\n", total);
    assert_true(total >= 1000);
}

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

int main(void)
{
    char folder[4096];
    struct fer_file_list files;
    fer_err err = {0};
    if (!*rows_data()) {
        printf("1..0 # SKIP no test data: set FERRULE_TEST_DATA\n");
        return 0;
    }
    fer_arena *a = fer_arena_new(0);
    snprintf(folder, sizeof folder, "%s/tools", rows_data());
    if (fer_file_walk(a, folder, 100000, is_json, &files, &err)) {
        printf("1..0 # SKIP %s\n", err.message);
        fer_arena_free(a);
        return 0;
    }
    struct row *rows = calloc(files.count, sizeof *rows);
    if (!rows) abort();
    for (size_t i = 0; i < files.count; i++) {
        rows[i].name = files.paths[i].ptr;
        if (fer_file_read(a, files.paths[i].ptr, SIZE_MAX / 4, &rows[i].text, &err)) {
            printf("Bail out! %s\n", err.message);
            return 1;
        }
    }
    int failed =
        rows_run("corpus", rows, sizeof *rows, files.count, (rows_function *)(void (*)(void))check);
    failed += ROWS_ONE("corpus", all_were_counted);
    free(rows);
    fer_arena_free(a);
    return failed;
}
