/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output-tests/: what a validation says in a standard output format is itself valid
 * under a schema of the suite. That schema is asked with Ferrule, too.
 */
#include "suite.h"

#include "json_doc.h"

static const struct format {
    const char *name;
    fer_output format;
} formats[] = {
    {"flag", FER_OUTPUT_FLAG},
    {"basic", FER_OUTPUT_BASIC},
    {"detailed", FER_OUTPUT_DETAILED},
    {"list", FER_OUTPUT_LIST},
    {"hierarchical", FER_OUTPUT_HIERARCHICAL},
};

struct outputs {
    struct tally *tally;
    fer_schema_options options;
    fer_arena *scratch;
    const struct suite_file *file;
};

static const struct format *find_format(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(formats); i++) {
        if (fer_str_is(name, formats[i].name)) return &formats[i];
    }
    return NULL;
}

/* Whether an output is valid under the suite's schema for it. */
static bool is_right(const struct outputs *c, fer_str output, const yyjson_val *schema, char *why,
                     size_t size)
{
    fer_err err = {0};
    fer_schema *s = NULL;
    fer_json *doc = NULL;
    fer_result *r = NULL;
    bool right = false;
    fer_code code = fer_json_read(c->scratch, output, NULL, &doc, &err);
    if (!code) code = fer_schema_compile_value(c->file->doc, schema, &c->options, &s, &err);
    if (!code) code = fer_schema_validate(c->scratch, s, doc, NULL, NULL, &r, &err);
    if (!code) right = fer_result_valid(r);
    if (code) snprintf(why, size, "%s: %s", fer_code_info(code)->name, err.message);
    else if (!right) {
        size_t count;
        const fer_violation *v = fer_result_violations(r, &count);
        fer_str field = count ? v->field : FER_STR("");
        fer_str message = count ? v->message : FER_STR("no finding");
        snprintf(why, size, "\"%.*s\": %.*s: %.*s", FER_PRI(field), FER_PRI(message),
                 FER_PRI(output));
    }
    fer_schema_unref(s);
    return right;
}

static void run_format(const struct outputs *c, const fer_result *r, struct place at,
                       const yyjson_val *key)
{
    char why[4096], name[512];
    fer_str output;
    fer_err err = {0};
    fer_str wanted = fer_val_str(key);
    const struct format *f = find_format(wanted);
    snprintf(name, sizeof name, "%.*s (%.*s)", FER_PRI(at.test), FER_PRI(wanted));
    at.test = fer_str_of(name);
    if (!f) {
        suite_note(c->tally, &at, "an output format that is not known");
        return;
    }
    fer_code code = fer_result_output(c->scratch, r, f->format, &output, &err);
    if (code) snprintf(why, sizeof why, "%s: %s", fer_code_info(code)->name, err.message);
    bool right = !code && is_right(c, output, key + 1, why, sizeof why);
    suite_note(c->tally, &at, right ? NULL : why);
}

static void run_case(const struct outputs *c, const yyjson_val *group)
{
    const fer_validate_options options = {.annotations = true};
    fer_err err = {0};
    fer_schema *s = NULL;
    const yyjson_val *tests = fer_val_get(group, "tests");
    struct place at = {c->file->path, suite_description(group), FER_STR("")};
    if (!fer_is_arr(tests)) fail_msg("%s: a case without tests", at.path);
    if (fer_schema_compile_value(c->file->doc, fer_val_get(group, "schema"), &c->options, &s,
                                 &err)) {
        suite_note_all(c->tally, at, tests, err.message);
        return;
    }
    FER_EACH_ITEM (tests, test) {
        fer_result *r = NULL;
        const yyjson_val *wanted = fer_val_get(test, "output");
        at.test = suite_description(test);
        if (!fer_is_obj(wanted)) fail_msg("%s: a test without output", at.path);
        if (fer_schema_validate(c->scratch, s, c->file->doc, fer_val_get(test, "data"), &options,
                                &r, &err)) {
            suite_note(c->tally, &at, err.message);
            continue;
        }
        FER_EACH_MEMBER (wanted, format) {
            run_format(c, r, at, format);
        }
        fer_arena_reset(c->scratch);
    }
    fer_schema_unref(s);
}

/* The schema of all outputs, which those of the tests refer to. */
static fer_registry *output_schema(fer_arena *a, const struct section *s)
{
    size_t count;
    char folder[256];
    fer_err err = {0};
    fer_registry *r = fer_registry_new();
    assert_non_null(r);
    snprintf(folder, sizeof folder, "output-tests/%s", s->dialect_folder);
    struct suite_file *files = suite_files(a, folder, false, &count);
    for (size_t i = 0; i < count; i++) {
        const yyjson_val *id = fer_val_get(files[i].root, "$id");
        if (!fer_is_str(id)) fail_msg("%s has no $id", files[i].path);
        if (fer_registry_add(r, fer_val_str(id), files[i].text, s->dialect, &err))
            fail_msg("%s: %s", files[i].path, err.message);
    }
    return r;
}

void suite_run_output(struct tally *t)
{
    fer_arena *a = fer_arena_new(0);
    struct outputs c = {.tally = t, .scratch = fer_arena_new(0)};
    size_t count;
    struct suite_file *files = suite_files(a, t->section->folder, false, &count);
    fer_registry *registry = output_schema(a, t->section);
    assert_non_null(c.scratch);
    c.options = (fer_schema_options){.dialect = t->section->dialect, .registry = registry};
    for (size_t i = 0; i < count; i++) {
        c.file = &files[i];
        if (!fer_is_arr(files[i].root)) fail_msg("%s is not a list of cases", files[i].path);
        FER_EACH_ITEM (files[i].root, group) {
            run_case(&c, group);
        }
    }
    fer_registry_free(registry);
    fer_arena_free(c.scratch);
    fer_arena_free(a);
}
