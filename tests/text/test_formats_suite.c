/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats against the JSON Schema Test Suite: every test of every draft whose schema asks
 * for a format. Says how many passed, per draft and format.
 */
#include "rows.h"

#include <dirent.h>
#include <stdlib.h>
#include <yyjson.h>

#include "formats.h"

static const struct draft_row {
    const char *name;
    const char *folder;
    unsigned draft;
    size_t files; /* at least so many, without those about patterns */
    size_t tests;
} draft_rows[] = {
    {"draft 4", "draft4/optional/format", 4, 7, 190},
    {"draft 6", "draft6/optional/format", 6, 10, 280},
    {"draft 7", "draft7/optional/format", 7, 17, 650},
    {"draft 2019-09", "draft2019-09/optional/format", 2019, 19, 700},
    {"draft 2020-12", "draft2020-12/optional/format", 2020, 19, 700},
    {"v1", "v1/format", FER_DRAFT_V1, 18, 700},
};

struct score {
    size_t passed;
    size_t total;
};

static fer_str string_of(yyjson_val *v)
{
    return (fer_str){yyjson_get_str(v), yyjson_get_len(v)};
}

/* What is no string fits, and so does what has a format that the draft does not know. */
static int check(const struct draft_row *row, fer_str format, yyjson_val *data)
{
    const fer_text_format *f = fer_text_format_find(format, row->draft);
    if (!f || !yyjson_is_str(data)) return 1;
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    int good = f->check(a, string_of(data));
    fer_arena_free(a);
    return good;
}

static void run_group(const struct draft_row *row, const char *file, yyjson_val *group,
                      struct score *score)
{
    size_t i, count;
    yyjson_val *test, *format = yyjson_obj_get(yyjson_obj_get(group, "schema"), "format");
    yyjson_val *tests = yyjson_obj_get(group, "tests");
    if (!format) fail_msg("%s: a schema without a format", file);
    /* A file named for a format that the table lacks would pass without being looked at. */
    bool unknown = strcmp(file, "unknown.json") == 0;
    const fer_text_format *f = fer_text_format_find(string_of(format), row->draft);
    if (unknown == (f != NULL)) fail_msg("%s: is the format known?", file);
    yyjson_arr_foreach(tests, i, count, test)
    {
        bool valid = yyjson_get_bool(yyjson_obj_get(test, "valid"));
        yyjson_val *data = yyjson_obj_get(test, "data");
        score->total++;
        if (check(row, string_of(format), data) == valid) {
            score->passed++;
            continue;
        }
        print_error("%s/%s: %s: %s\n", row->folder, file,
                    yyjson_get_str(yyjson_obj_get(test, "description")),
                    yyjson_is_str(data) ? yyjson_get_str(data) : "");
    }
}

static void run_file(const struct draft_row *row, const char *path, const char *file,
                     struct score *all)
{
    struct score score = {0, 0};
    size_t i, count;
    yyjson_val *group;
    yyjson_doc *doc = yyjson_read_file(path, 0, NULL, NULL);
    if (!doc) fail_msg("%s cannot be read", path);
    yyjson_arr_foreach(yyjson_doc_get_root(doc), i, count, group)
    {
        run_group(row, file, group, &score);
    }
    yyjson_doc_free(doc);
    print_message("# %-14s %-27s %zu/%zu\n", row->name, file, score.passed, score.total);
    all->passed += score.passed;
    all->total += score.total;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void run_draft(const struct draft_row *row)
{
    char folder[512], path[1024];
    char *names[64];
    size_t files = 0;
    struct score score = {0, 0};
    snprintf(folder, sizeof folder, "%s/json-schema-test-suite/tests/%s", rows_data(), row->folder);
    DIR *dir = *rows_data() ? opendir(folder) : NULL;
    if (!dir) {
        print_message("# skipped: FERRULE_TEST_DATA has no json-schema-test-suite\n");
        skip();
    }
    for (struct dirent *e; (e = readdir(dir)) != NULL && files < FER_COUNT(names);) {
        /* Patterns have tests of their own. */
        if (strstr(e->d_name, ".json") && !strstr(e->d_name, "regex"))
            names[files++] = strdup(e->d_name);
    }
    closedir(dir);
    qsort(names, files, sizeof names[0], by_name);
    for (size_t i = 0; i < files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        run_file(row, path, names[i], &score);
        free(names[i]);
    }
    print_message("# %-14s %-27s %zu/%zu\n", row->name, "all", score.passed, score.total);
    assert_int_equal(score.passed, score.total);
    assert_true(files >= row->files && score.total >= row->tests);
}

int main(void)
{
    return ROWS_RUN("formats suite", draft_rows, run_draft);
}
