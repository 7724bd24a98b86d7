/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas from the wild: every one of the test data compiles, what is said to be valid under it
 * is, and what is said not to be is not; the verdict alone and the findings agree.
 */
#include "rows.h"

#include <dirent.h>
#include <ferrule/contract.h>
#include <ferrule/schema.h>

#include "file.h"

struct figures {
    size_t schemas, valid, invalid;
};

static fer_schema *compile(fer_str text, bool native, const char *name)
{
    fer_schema *s;
    fer_err err;
    fer_schema_options options = {.limits = fer_schema_limits_file(), .native = native};
    if (fer_schema_compile(text, &options, &s, &err)) fail_msg("%s: %s", name, err.message);
    return s;
}

/* Each line is an instance; returns how many there were. */
static size_t check_lines(const fer_schema *s, const fer_schema *native, const char *path,
                          bool valid)
{
    fer_arena *a = fer_arena_new(0), *each = fer_arena_new(0);
    fer_str text;
    size_t count = 0;
    if (fer_file_read(a, path, (size_t)256 << 20, &text, NULL)) text = FER_STR("");
    for (size_t at = 0; at < text.len;) {
        size_t end = fer_str_find(text, at, '\n');
        if (end == SIZE_MAX) end = text.len;
        fer_str line = fer_str_slice(text, at, end);
        at = end + 1;
        if (!line.len) continue;
        fer_json *doc;
        fer_err err;
        bool accepted;
        fer_result *result;
        count++;
        if (fer_json_read(each, line, fer_json_limits_file(), &doc, &err)) {
            fail_msg("%s: %s", path, err.message);
        }
        if (fer_schema_accepts(s, each, fer_json_root(doc), &accepted, &err)) {
            fail_msg("%s:%zu: %s", path, count, err.message);
        }
        bool by_code = !valid;
        assert_int_equal(fer_schema_accepts(native, each, fer_json_root(doc), &by_code, NULL), 0);
        if (by_code != accepted) fail_msg("%s:%zu: differs by machine code", path, count);
        assert_int_equal(fer_schema_validate(each, s, doc, NULL, NULL, &result, &err), FER_OK);
        size_t found;
        const fer_violation *v = fer_result_violations(result, &found);
        if (accepted != valid) {
            fail_msg("%s:%zu: %s: %.*s", path, count, accepted ? "valid" : "invalid",
                     found ? (int)v->message.len : 0, found ? v->message.ptr : "");
        }
        assert_int_equal(fer_result_valid(result), valid);
        assert_int_equal(found == 0, valid);
        fer_arena_reset(each);
    }
    fer_arena_free(each);
    fer_arena_free(a);
    return count;
}

static void check_set(const char *folder, struct figures *figures)
{
    char path[2048];
    fer_arena *a = fer_arena_new(0);
    fer_str text;
    fer_err err;
    snprintf(path, sizeof path, "%.1500s/schema.json", folder);
    if (fer_file_read(a, path, (size_t)64 << 20, &text, &err)) fail_msg("%s", err.message);
    fer_schema *s = compile(text, false, path), *native = compile(text, true, path);
    figures->schemas++;
    snprintf(path, sizeof path, "%.1500s/instances.jsonl", folder);
    figures->valid += check_lines(s, native, path, true);
    snprintf(path, sizeof path, "%.1500s/invalid.jsonl", folder);
    figures->invalid += check_lines(s, native, path, false);
    fer_schema_unref(native);
    fer_schema_unref(s);
    fer_arena_free(a);
}

static void sets(void)
{
    static const char *const groups[] = {"toolcall", "large", "realworld"};
    struct figures figures = {0};
    char folder[1024], path[2048];
    if (!*rows_data()) {
        print_message("# no test data: real schemas are skipped\n");
        skip();
    }
    for (size_t g = 0; g < FER_COUNT(groups); g++) {
        snprintf(folder, sizeof folder, "%s/schemas/%s", rows_data(), groups[g]);
        DIR *dir = opendir(folder);
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir));) {
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%.1000s/%s", folder, e->d_name);
            check_set(path, &figures);
        }
        closedir(dir);
    }
    print_message("# %zu schemas, %zu valid instances, %zu invalid ones\n", figures.schemas,
                  figures.valid, figures.invalid);
    assert_true(figures.schemas > 40 && figures.valid > 1000 && figures.invalid > 100);
}

/* Within the limits for anybody's schemas: no tool is asked to be small for us. */
static void tools(void)
{
    char folder[1024], path[2048];
    size_t count = 0;
    if (!*rows_data()) {
        print_message("# no test data: schemas of real tools are skipped\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/tools", rows_data());
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        fer_arena *a = fer_arena_new(0);
        fer_toolset *set = fer_toolset_new();
        fer_str text;
        snprintf(path, sizeof path, "%.1000s/%s", folder, e->d_name);
        bool json = fer_str_ends(fer_str_of(e->d_name), ".json");
        if (json && !fer_file_read(a, path, (size_t)64 << 20, &text, NULL) &&
            !fer_toolset_add(set, fer_str_of(path), text, FER_FORMAT_AUTO, NULL)) {
            for (size_t i = 0; i < fer_toolset_count(set); i++) {
                static const char *const fields[] = {"inputSchema", "outputSchema"};
                for (size_t f = 0; f < FER_COUNT(fields); f++) {
                    const struct yyjson_val *v = fer_tool_field(fer_toolset_get(set, i), fields[f]);
                    fer_schema *s;
                    fer_err err;
                    if (!v) continue;
                    if (fer_schema_compile_value(NULL, v, NULL, &s, &err)) {
                        fail_msg("%s: tool %zu: %s", path, i, err.message);
                    }
                    fer_schema_unref(s);
                    count++;
                }
            }
        }
        fer_toolset_free(set);
        fer_arena_free(a);
    }
    closedir(dir);
    print_message("# %zu schemas of tools\n", count);
    assert_true(count > 2000);
}

int main(void)
{
    return ROWS_ONE("real schemas", sets) + ROWS_ONE("real schemas", tools);
}
