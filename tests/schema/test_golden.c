/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a model is told about a call that is wrong, word by word: golden/cases.yaml has the
 * calls, golden/expected.txt the texts. `test_golden --write` writes the texts anew, for
 * somebody to read and judge.
 */
#include <ferrule/schema.h>

#include <stdlib.h>

#include "buf.h"
#include "file.h"
#include "json_doc.h"
#include "rows.h"

#define CASES    "tests/schema/golden/cases.yaml"
#define EXPECTED "tests/schema/golden/expected.txt"
#define PATHS    8

static fer_arena *arena;
static const fer_json *cases;
static fer_str expected; /* all of it */

struct row {
    const char *name;
    const yyjson_val *given;
};

static bool flag(const yyjson_val *given, const char *name)
{
    return fer_is_true(fer_val_get(given, name));
}

static fer_schema *compile(const yyjson_val *given)
{
    fer_schema_options options = {.assert_formats = flag(given, "formats"),
                                  .assert_content = flag(given, "content")};
    const yyjson_val *dialect = fer_val_get(given, "dialect");
    const yyjson_val *schema = fer_val_get(given, "schema");
    if (dialect) assert_true(fer_dialect_find(fer_val_str(dialect), &options.dialect));
    if (fer_is_str(schema)) {
        const yyjson_val *known = fer_val_get(fer_json_root(cases), "schemas");
        const yyjson_val *key = fer_val_key(known, fer_val_str(schema));
        assert_non_null(key);
        schema = key + 1;
    }
    fer_schema *s = NULL;
    fer_err err = {0};
    if (fer_schema_compile_value(cases, schema, &options, &s, &err)) fail_msg("%s", err.message);
    return s;
}

static fer_result *validate(const yyjson_val *given, const fer_schema *s)
{
    fer_str paths[PATHS], shown[PATHS];
    fer_validate_options options = {
        .hide_values = flag(given, "hide"), .redact = paths, .show = shown};
    const yyjson_val *redact = fer_val_get(given, "redact"), *max = fer_val_get(given, "max"),
                     *show = fer_val_get(given, "show");
    if (show) {
        FER_EACH_ITEM (show, item) {
            assert_true(options.show_count < PATHS);
            shown[options.show_count++] = fer_val_str(item);
        }
    }
    if (redact) {
        FER_EACH_ITEM (redact, item) {
            assert_true(options.redact_count < PATHS);
            paths[options.redact_count++] = fer_val_str(item);
        }
    }
    if (max) options.max_violations = (size_t)max->uni.u64;
    fer_result *r = NULL;
    fer_err err = {0};
    if (fer_schema_validate(arena, s, cases, fer_val_get(given, "call"), &options, &r, &err))
        fail_msg("%s", err.message);
    return r;
}

static void add_member(fer_buf *b, const char *name, fer_str text)
{
    if (text.len) fer_buf_printf(b, "     %s: %.*s\n", name, FER_PRI(text));
}

static void add_violation(fer_buf *b, const fer_violation *v)
{
    fer_buf_printf(b, "  %.*s\n", FER_PRI(v->message));
    if (v->hint.len) fer_buf_printf(b, "  %.*s\n", FER_PRI(v->hint));
    fer_buf_printf(b, "     %s at \"%.*s\" by %.*s\n", fer_code_info(v->code)->name,
                   FER_PRI(v->field), FER_PRI(v->keyword_location));
    add_member(b, "did you mean", v->did_you_mean);
    for (size_t i = 0; i < v->allowed_count; i++) {
        fer_buf_printf(b, "%s%.*s", i ? ", " : "     allowed: ", FER_PRI(v->allowed[i]));
    }
    if (v->allowed_count) fer_buf_add_char(b, '\n');
}

/* The whole of a case, as it stands in the file. */
static fer_str render(const struct row *row)
{
    fer_buf b;
    fer_str call;
    size_t count;
    fer_schema *s = compile(row->given);
    fer_result *r = validate(row->given, s);
    const fer_violation *v = fer_result_violations(r, &count);
    assert_false(fer_result_valid(r));
    assert_true(count > 0);
    assert_int_equal(fer_json_write(arena, fer_val_get(row->given, "call"), false, &call, NULL),
                     FER_OK);
    fer_buf_init(&b, arena, (size_t)1 << 20);
    fer_buf_printf(&b, "=== %s\n%.*s\n", row->name, FER_PRI(call));
    for (size_t i = 0; i < count; i++) add_violation(&b, &v[i]);
    if (fer_result_cut(r)) fer_buf_add_text(&b, "  and more\n");
    fer_buf_add_char(&b, '\n');
    assert_int_equal(b.failure, FER_OK);
    fer_schema_unref(s);
    return fer_buf_view(&b);
}

/* What must not be shown is nowhere in the text but in the call itself. */
static void no_secret(fer_str text)
{
    size_t line = fer_str_find(text, 0, '\n');
    line = fer_str_find(text, line + 1, '\n');
    fer_str told = fer_str_slice(text, line, text.len);
    assert_null(memmem(told.ptr, told.len, "s3cret", 6));
    assert_null(memmem(told.ptr, told.len, "hunter", 6));
}

static void run(const struct row *row)
{
    fer_str text = render(row);
    no_secret(text);
    if (!expected.len || !memmem(expected.ptr, expected.len, text.ptr, text.len)) {
        fail_msg("not in " EXPECTED ", which --write makes anew:\n%.*s", FER_PRI(text));
    }
}

static int write_all(const struct row *rows, size_t count)
{
    fer_buf b;
    fer_err err = {0};
    fer_buf_init(&b, arena, (size_t)4 << 20);
    for (size_t i = 0; i < count; i++) fer_buf_add(&b, render(&rows[i]));
    FILE *f = fopen(EXPECTED, "w");
    if (!f || fwrite(b.ptr, 1, b.len, f) != b.len || fclose(f)) {
        fprintf(stderr, "%s: cannot be written\n", EXPECTED);
        return 1;
    }
    (void)err;
    return 0;
}

int main(int argc, char **argv)
{
    fer_str text;
    fer_json *doc;
    fer_err err = {0};
    arena = fer_arena_new(0);
    if (!arena || fer_file_read(arena, CASES, SIZE_MAX / 4, &text, &err) ||
        fer_yaml_read(arena, text, fer_json_limits_file(), &doc, &err)) {
        printf("Bail out! %s\n", err.message);
        return 1;
    }
    cases = doc;
    const yyjson_val *list = fer_val_get(fer_json_root(doc), "cases");
    size_t count = 0;
    struct row *rows = calloc(fer_val_len(list), sizeof *rows);
    if (!rows) abort();
    FER_EACH_ITEM (list, item) {
        fer_str name = fer_arena_copy(arena, fer_val_str(fer_val_get(item, "name")));
        rows[count++] = (struct row){name.ptr, item};
    }
    int failed;
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        failed = write_all(rows, count);
    } else {
        if (fer_file_read(arena, EXPECTED, SIZE_MAX / 4, &expected, &err)) expected = FER_STR_NONE;
        failed =
            rows_run("golden", rows, sizeof *rows, count, (rows_function *)(void (*)(void))run);
    }
    free(rows);
    fer_arena_free(arena);
    return failed;
}
