/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of the official suite with each allocation failing in turn, in the arena and in the
 * machine: compiling, the verdict, findings and outputs end with the right answer or the code of
 * the failure, and leave nothing behind.
 */
#include <ferrule/schema.h>

#include <stdlib.h>

#include "file.h"
#include "json_doc.h"
#include "rows.h"

#define WANTED   150
#define TOO_LONG 600 /* bytes of a schema: it would take long and add little */

struct row {
    const char *name;
    fer_dialect dialect;
    fer_str schema, value; /* JSON */
    bool valid;
    bool native;
};

static fer_code outputs(fer_arena *a, const fer_result *r)
{
    fer_code code = FER_OK;
    for (int format = FER_OUTPUT_FLAG; format <= FER_OUTPUT_HIERARCHICAL && !code; format++) {
        fer_str out = FER_STR_NONE;
        code = fer_result_output(a, r, (fer_output)format, &out, NULL);
        assert_true((code == FER_OK) == (out.ptr != NULL));
    }
    return code;
}

static fer_code ask(fer_arena *a, const struct row *row, const fer_schema *s)
{
    fer_json *doc;
    bool valid = !row->valid;
    fer_code code = fer_json_read(a, row->value, NULL, &doc, NULL);
    if (!code) code = fer_schema_accepts(s, a, fer_json_root(doc), &valid, NULL);
    if (code) return code;
    assert_int_equal(valid, row->valid);
    for (int notes = 0; notes < 2; notes++) {
        fer_validate_options options = {.annotations = notes};
        fer_result *r = NULL;
        code = fer_schema_validate(a, s, doc, NULL, &options, &r, NULL);
        if (code) return code;
        assert_int_equal(fer_result_valid(r), row->valid);
        code = outputs(a, r);
        if (code) return code;
    }
    return FER_OK;
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_arena *mine = a ? NULL : fer_arena_new(0);
    if (!a && !mine) return FER_OUT_OF_MEMORY;
    fer_schema_options options = {.dialect = row->dialect, .native = row->native};
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_code code = fer_schema_compile(row->schema, &options, &s, &err);
    assert_true((code == FER_OK) == (s != NULL));
    if (code) assert_int_equal(err.code, code);
    if (!code) code = ask(a ? a : mine, row, s);
    fer_schema_unref(s);
    fer_arena_free(mine);
    return code;
}

/* The arena in steps that grow: every failure is the same one by one, only slower. */
static void torture_arena(const struct row *row)
{
    for (size_t budget = 16;; budget += 16 + budget / 8) {
        fer_arena *a = fer_arena_new(budget);
        fer_code code = attempt(a, row);
        fer_arena_free(a);
        if (code == FER_OK) return;
        assert_int_equal(code, FER_LIMIT_EXCEEDED);
    }
}

static void run(const struct row *row)
{
    struct row native = *row;
    native.native = true;
    torture_arena(row);
    rows_torture_malloc(attempt, row);
    rows_torture_malloc(attempt, &native);
}

/* ---- the sample ----------------------------------------------------------------------------- */

static const struct {
    const char *folder;
    fer_dialect dialect;
} drafts[] = {
    {"draft2020-12", FER_DIALECT_2020_12}, {"draft2019-09", FER_DIALECT_2019_09},
    {"draft7", FER_DIALECT_DRAFT7},        {"draft6", FER_DIALECT_DRAFT6},
    {"draft4", FER_DIALECT_DRAFT4},        {"v1", FER_DIALECT_V1},
};

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

/* Whether it can be asked without what is registered elsewhere, and is small. */
static bool is_fit(const struct row *row)
{
    fer_schema_options options = {.dialect = row->dialect};
    fer_schema *s = NULL;
    if (row->schema.len > TOO_LONG || row->value.len > TOO_LONG) return false;
    bool fit = fer_schema_compile(row->schema, &options, &s, NULL) == FER_OK;
    fer_schema_unref(s);
    return fit;
}

/* One case of each group, the next one each time. */
static size_t take_file(fer_arena *a, fer_dialect dialect, const char *path, struct row *rows,
                        size_t count, size_t max)
{
    fer_str text;
    fer_json *doc;
    size_t turn = 0;
    if (fer_file_read(a, path, SIZE_MAX / 4, &text, NULL)) return count;
    if (fer_json_read(a, text, fer_json_limits_file(), &doc, NULL)) return count;
    FER_EACH_ITEM (fer_json_root(doc), group) {
        const yyjson_val *tests = fer_val_get(group, "tests");
        size_t index = 0, wanted = turn++ % fer_val_len(tests);
        FER_EACH_ITEM (tests, test) {
            if (index++ != wanted || count == max) continue;
            struct row *row = &rows[count];
            *row = (struct row){.dialect = dialect};
            row->name = fer_arena_copy(a, fer_val_str(fer_val_get(test, "description"))).ptr;
            row->valid = fer_is_true(fer_val_get(test, "valid"));
            if (fer_json_write(a, fer_val_get(group, "schema"), false, &row->schema, NULL))
                continue;
            if (fer_json_write(a, fer_val_get(test, "data"), false, &row->value, NULL)) continue;
            count += is_fit(row);
        }
    }
    return count;
}

static size_t take(fer_arena *a, struct row *rows, size_t max)
{
    size_t count = 0;
    for (size_t d = 0; d < FER_COUNT(drafts); d++) {
        char folder[4096];
        struct fer_file_list files;
        snprintf(folder, sizeof folder, "%s/json-schema-test-suite/tests/%s", rows_data(),
                 drafts[d].folder);
        if (fer_file_walk(a, folder, 10000, is_json, &files, NULL)) continue;
        for (size_t i = 0; i < files.count; i++) {
            if (strstr(files.paths[i].ptr, "/optional/")) continue;
            count = take_file(a, drafts[d].dialect, files.paths[i].ptr, rows, count, max);
        }
    }
    return count;
}

int main(void)
{
    enum {
        MAX = 4000
    };
    if (!*rows_data()) {
        printf("1..0 # SKIP no test data: set FERRULE_TEST_DATA\n");
        return 0;
    }
    fer_arena *a = fer_arena_new(0);
    struct row *all = calloc(MAX, sizeof *all), *sample = calloc(WANTED, sizeof *sample);
    if (!a || !all || !sample) abort();
    size_t count = take(a, all, MAX);
    for (size_t i = 0; i < WANTED && count; i++) sample[i] = all[i * count / WANTED];
    print_message("# %d of %zu cases\n", WANTED, count);
    int failed =
        rows_run("torture", sample, sizeof *sample, WANTED, (rows_function *)(void (*)(void))run);
    free(all);
    free(sample);
    fer_arena_free(a);
    return failed || !count;
}
