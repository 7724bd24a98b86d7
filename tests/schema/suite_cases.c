/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/: a case is a schema with instances and whether each is valid. Every instance is
 * asked about in five ways (quickly, by machine code, by the machine alone, with findings, with
 * annotations) that have to agree.
 */
#include "suite.h"
#include "vm.h"

struct cases {
    struct tally *tally;
    fer_schema_options options;
    fer_arena *scratch;
    const struct suite_file *file;
};

/* One way to ask: what went wrong is written to `why`. */
static bool asked_quickly(const struct cases *c, const fer_schema *s, const yyjson_val *data,
                          bool expected, char *why, size_t size)
{
    const char *way = fer_schema_is_native(s) ? "native" : "accepts";
    fer_err err = {0};
    bool valid = !expected;
    fer_code code = fer_schema_accepts(s, c->scratch, data, &valid, &err);
    if (code) snprintf(why, size, "%s: %s: %s", way, fer_code_info(code)->name, err.message);
    else if (valid != expected) snprintf(why, size, "%s: %s", way, valid ? "valid" : "invalid");
    return !code && valid == expected;
}

static bool asked_machine(const struct cases *c, const fer_schema *s, const yyjson_val *data,
                          bool expected, char *why, size_t size)
{
    fer_err err = {0};
    bool valid = !expected;
    fer_vm vm = {.program = s, .arena = c->scratch, .err = &err};
    fer_code code = fer_vm_run(&vm, data, &valid);
    if (code) snprintf(why, size, "machine: %s: %s", fer_code_info(code)->name, err.message);
    else if (valid != expected) snprintf(why, size, "machine: %s", valid ? "valid" : "invalid");
    return !code && valid == expected;
}

static bool asked_fully(const struct cases *c, const fer_schema *s, const yyjson_val *data,
                        bool annotations, bool expected, char *why, size_t size)
{
    const fer_validate_options options = {.annotations = annotations};
    const char *way = annotations ? "validate with annotations" : "validate";
    fer_err err = {0};
    fer_result *r = NULL;
    size_t count = 0;
    fer_code code = fer_schema_validate(c->scratch, s, c->file->doc, data, &options, &r, &err);
    if (code) {
        snprintf(why, size, "%s: %s: %s", way, fer_code_info(code)->name, err.message);
        return false;
    }
    const fer_violation *list = fer_result_violations(r, &count);
    if (fer_result_valid(r) != expected) {
        fer_str said = count ? list[0].message : FER_STR("no finding");
        snprintf(why, size, "%s: %s: %.*s", way, expected ? "invalid" : "valid", FER_PRI(said));
        return false;
    }
    bool explained = expected ? count == 0 : count > 0 && list[0].message.len > 0;
    if (!explained) snprintf(why, size, "%s: right, but with %zu findings", way, count);
    return explained;
}

static void check_test(const struct cases *c, const fer_schema *s, const fer_schema *native,
                       struct place at, const yyjson_val *test)
{
    char why[2048];
    bool expected = fer_is_true(fer_val_get(test, "valid"));
    const yyjson_val *data = fer_val_get(test, "data");
    at.test = suite_description(test);
    bool right = data && asked_quickly(c, s, data, expected, why, sizeof why) &&
                 asked_quickly(c, native, data, expected, why, sizeof why) &&
                 asked_machine(c, s, data, expected, why, sizeof why) &&
                 asked_fully(c, s, data, false, expected, why, sizeof why) &&
                 asked_fully(c, s, data, true, expected, why, sizeof why);
    suite_note(c->tally, &at, !data ? "has no data" : right ? NULL : why);
    fer_arena_reset(c->scratch);
}

static void run_case(const struct cases *c, const yyjson_val *group)
{
    char why[2048];
    fer_err err = {0};
    fer_schema *s = NULL, *native = NULL;
    fer_schema_options by_code = c->options;
    const yyjson_val *tests = fer_val_get(group, "tests");
    const yyjson_val *schema = fer_val_get(group, "schema");
    struct place at = {c->file->path, suite_description(group), FER_STR("")};
    if (!fer_is_arr(tests) || !schema) fail_msg("%s: a case without schema or tests", at.path);
    fer_code code = fer_schema_compile_value(c->file->doc, schema, &c->options, &s, &err);
    if (code) {
        snprintf(why, sizeof why, "compile: %s: %s", fer_code_info(code)->name, err.message);
        suite_note_all(c->tally, at, tests, why);
        return;
    }
    by_code.native = true;
    assert_int_equal(fer_schema_compile_value(c->file->doc, schema, &by_code, &native, NULL), 0);
    FER_EACH_ITEM (tests, test) {
        check_test(c, s, native, at, test);
    }
    fer_schema_unref(native);
    fer_schema_unref(s);
}

void suite_run_cases(struct tally *t)
{
    const struct section *section = t->section;
    fer_arena *a = fer_arena_new(0);
    struct cases c = {.tally = t, .scratch = fer_arena_new(0)};
    size_t count;
    struct suite_file *files = suite_files(a, section->folder, section->nested, &count);
    fer_registry *registry = suite_registry(a, section);
    assert_non_null(c.scratch);
    c.options = (fer_schema_options){.dialect = section->dialect, .registry = registry};
    c.options.assert_formats = section->part == PART_FORMATS;
    for (size_t i = 0; i < count; i++) {
        c.file = &files[i];
        /* The only file that has the content checked, not noted. */
        c.options.assert_content = strstr(files[i].path, "/optional/content.json") != NULL;
        /* The only one in which v1, which asserts formats, is told not to. */
        c.options.formats_note_only =
            strstr(files[i].path, "/optional/format-annotation.json") != NULL;
        if (!fer_is_arr(files[i].root)) fail_msg("%s is not a list of cases", files[i].path);
        FER_EACH_ITEM (files[i].root, group) {
            run_case(&c, group);
        }
    }
    fer_registry_free(registry);
    fer_arena_free(c.scratch);
    fer_arena_free(a);
}
