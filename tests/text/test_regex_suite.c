/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions against what others wrote: the regular expressions of the JSON Schema
 * test suite, with as much of a validator as these files need, and the patterns of real
 * schemas and tools, which must all compile.
 */
#include "rows.h"

#include <stdlib.h>

#include "file.h"
#include "json_value.h"
#include "must_read.h"
#include "regex.h"

static size_t pairs, patterns, checks;

/* ---- the suite ----------------------------------------------------------------------------- */

static bool matches(fer_arena *a, fer_str pattern, fer_str text)
{
    const fer_regex *re;
    fer_err err;
    size_t steps = 1000000;
    if (fer_regex_compile(a, pattern, NULL, &re, &err))
        fail_msg("%.*s: %s", FER_PRI(pattern), err.message);
    fer_match m = fer_regex_search(re, text, &steps, a);
    assert_true(m == FER_MATCH_YES || m == FER_MATCH_NO);
    pairs++;
    return m == FER_MATCH_YES;
}

static bool is_type(const yyjson_val *v, fer_str type)
{
    unsigned tag = fer_val_tag(v);
    if (fer_str_is(type, "integer")) return tag == FER_TAG_UINT || tag == FER_TAG_SINT;
    if (fer_str_is(type, "number")) return fer_is_num(v);
    if (fer_str_is(type, "string")) return fer_is_str(v);
    if (fer_str_is(type, "boolean")) return fer_is_bool(v);
    if (fer_str_is(type, "object")) return fer_is_obj(v);
    assert_str(type, "null");
    return fer_val_is(v, YYJSON_TYPE_NULL);
}

static bool is_valid(fer_arena *a, const yyjson_val *schema, const yyjson_val *v);

static bool members_valid(fer_arena *a, const yyjson_val *schema, const yyjson_val *object)
{
    const yyjson_val *by_pattern = fer_val_get(schema, "patternProperties");
    const yyjson_val *others = fer_val_get(schema, "additionalProperties");
    bool valid = true;
    FER_EACH_MEMBER (object, key) {
        bool known = false;
        FER_EACH_MEMBER (by_pattern, pattern) {
            if (!matches(a, fer_val_str(pattern), fer_val_str(key))) continue;
            known = true;
            valid &= is_valid(a, pattern + 1, key + 1);
        }
        valid &= known || !others || fer_is_true(others);
    }
    return valid;
}

/* Only what the files below hold; another keyword fails the test. */
static bool is_valid(fer_arena *a, const yyjson_val *schema, const yyjson_val *v)
{
    bool valid = true;
    if (fer_is_bool(schema)) return fer_is_true(schema);
    FER_EACH_MEMBER (schema, keyword) {
        fer_str name = fer_val_str(keyword);
        const yyjson_val *value = keyword + 1;
        if (fer_str_is(name, "type")) {
            valid &= is_type(v, fer_val_str(value));
        } else if (fer_str_is(name, "maximum")) {
            valid &= fer_val_tag(v) != FER_TAG_UINT || v->uni.u64 <= value->uni.u64;
        } else if (fer_str_is(name, "pattern")) {
            valid &= !fer_is_str(v) || matches(a, fer_val_str(value), fer_val_str(v));
        } else if (fer_str_is(name, "patternProperties")) {
            valid &= !fer_is_obj(v) || members_valid(a, schema, v);
        } else if (fer_str_is(name, "format")) {
            assert_str(fer_val_str(value), "regex");
            checks += fer_is_str(v);
            valid &= !fer_is_str(v) || fer_regex_check(a, fer_val_str(v), NULL) == FER_OK;
        } else if (!fer_str_is(name, "$schema") && !fer_str_is(name, "additionalProperties")) {
            fail_msg("the keyword %.*s is not known here", FER_PRI(name));
        }
    }
    return valid;
}

struct file_row {
    const char *name; /* its path */
    fer_str text;
};

static void run_suite(const struct file_row *row)
{
    fer_arena *a = fer_arena_new(0);
    const yyjson_val *groups = must_read(a, row->text, fer_json_limits_file());
    FER_EACH_ITEM (groups, group) {
        FER_EACH_ITEM (fer_val_get(group, "tests"), test) {
            bool expected = fer_is_true(fer_val_get(test, "valid"));
            if (is_valid(a, fer_val_get(group, "schema"), fer_val_get(test, "data")) != expected)
                fail_msg("%s: %s: %s", row->name,
                         fer_val_str(fer_val_get(group, "description")).ptr,
                         fer_val_str(fer_val_get(test, "description")).ptr);
        }
    }
    fer_arena_free(a);
}

/* ---- real patterns ------------------------------------------------------------------------- */

/* Under the key "pattern" of a real document, but a glob. */
static const char glob[] = "**/*.*";

static void must_compile(fer_arena *a, fer_str pattern)
{
    const fer_regex *re;
    fer_err err;
    fer_code code = fer_regex_compile(a, pattern, NULL, &re, &err);
    patterns++;
    if (fer_str_is(pattern, glob)) {
        assert_int_equal(code, FER_INVALID_FORMAT);
    } else if (code) {
        fail_msg("%.*s: %s", FER_PRI(pattern), err.message);
    } else {
        assert_true(fer_regex_is_linear(re));
    }
}

/* The values of a document lie one behind the other, keys before their values. */
static void run_real(const struct file_row *row)
{
    fer_arena *a = fer_arena_new(0);
    const yyjson_val *root = must_read(a, row->text, fer_json_limits_file());
    const yyjson_val *end = fer_val_next(root);
    for (const yyjson_val *v = root; v < end; v++) {
        if (!fer_is_obj(v)) continue;
        const yyjson_val *pattern = fer_val_get(v, "pattern");
        const yyjson_val *by_pattern = fer_val_get(v, "patternProperties");
        if (fer_is_str(pattern)) must_compile(a, fer_val_str(pattern));
        if (!fer_is_obj(by_pattern)) continue;
        FER_EACH_MEMBER (by_pattern, key) must_compile(a, fer_val_str(key));
    }
    fer_arena_free(a);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool is_suite_file(fer_str name)
{
    static const char *const names[] = {"ecmascript-regex.json", "non-bmp-regex.json",
                                        "pattern.json", "patternProperties.json", "regex.json"};
    for (size_t i = 0; i < FER_COUNT(names); i++)
        if (fer_str_is(name, names[i])) return true;
    return false;
}

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static int run_folder(const char *folder, bool (*wanted)(fer_str name), rows_function *run)
{
    char path[4096];
    struct fer_file_list files;
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    snprintf(path, sizeof path, "%s/%s", rows_data(), folder);
    if (!a || fer_file_walk(a, path, 100000, wanted, &files, &err)) {
        printf("Bail out! %s\n", err.message);
        return 1;
    }
    struct file_row *rows = calloc(files.count + 1, sizeof *rows);
    if (!rows) abort();
    for (size_t i = 0; i < files.count; i++) {
        rows[i].name = files.paths[i].ptr;
        if (fer_file_read(a, files.paths[i].ptr, SIZE_MAX / 4, &rows[i].text, &err)) {
            printf("Bail out! %s\n", err.message);
            return 1;
        }
    }
    int failed = rows_run(folder, rows, sizeof *rows, files.count, run);
    free(rows);
    fer_arena_free(a);
    return failed;
}

static void all_were_seen(void)
{
    print_message("# %zu pairs and %zu checks of the suite, %zu real patterns\n", pairs, checks,
                  patterns);
    assert_true(pairs >= 500 && checks >= 60 && patterns >= 700);
}

int main(void)
{
    if (!*rows_data()) {
        printf("1..0 # SKIP no test data: set FERRULE_TEST_DATA\n");
        return 0;
    }
    rows_function *suite = (rows_function *)(void (*)(void))run_suite;
    rows_function *real = (rows_function *)(void (*)(void))run_real;
    return run_folder("json-schema-test-suite/tests", is_suite_file, suite) +
           run_folder("tools", is_json, real) + run_folder("schemas", is_json, real) +
           ROWS_ONE("regex suite", all_were_seen);
}
