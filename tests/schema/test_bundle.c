/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bundles: their text, and that they stand for what they were made of. The official suite's
 * cases with remotes are bundled, compiled without a registry, and must give its verdicts.
 */
#include <ferrule/schema.h>

#include "must_read.h"
#include "suite.h"

const struct known *suite_known(size_t *count)
{
    *count = 0;
    return NULL;
}

struct other {
    const char *uri;
    const char *text;
    fer_dialect dialect;
};

static const struct row {
    const char *name;
    const char *schema;
    fer_dialect dialect;
    const char *base;
    struct other others[3];
    const char *bundle;          /* NULL: fails */
    const char *valid, *invalid; /* instances; NULL: none */
    fer_code code;
} rows[] = {
    {"nothing outside",
     "{\"type\":\"string\"}",
     0,
     "",
     {{0}},
     "{\"type\":\"string\"}",
     "\"\"",
     "1",
     0},
    {"true", "true", 0, "", {{0}}, "true", "1", NULL, 0},
    {"false", "false", 0, "", {{0}}, "false", NULL, "1", 0},
    {"every kind of value",
     "{\"const\":[null,true,-1,1.5,1e400,\"x\\u0000\",{\"a\":{}},[]]}",
     0,
     "",
     {{0}},
     "{\"const\":[null,true,-1,1.5,1e400,\"x\\u0000\",{\"a\":{}},[]]}",
     "[null,true,-1,1.5,1e400,\"x\\u0000\",{\"a\":{}},[]]",
     "1",
     0},
    {"not registered",
     "{\"$ref\":\"http://x/a\"}",
     0,
     "",
     {{0}},
     NULL,
     NULL,
     NULL,
     FER_EXTERNAL_REF},
    {"one outside",
     "{\"$ref\":\"http://x/a\"}",
     0,
     "",
     {{"http://x/a", "{\"type\":\"string\"}", 0}},
     "{\"$ref\":\"http://x/a\",\"$defs\":{\"http://x/a\":{\"$id\":\"http://x/a\",\"type\":\"string\"}}}",
     "\"\"",
     "1",
     0},
    {"not reached",
     "{\"$defs\":{\"a\":{\"$ref\":\"http://x/a\"}}}",
     0,
     "",
     {{"http://x/a", "{\"type\":\"string\"}", 0}},
     "{\"$defs\":{\"a\":{\"$ref\":\"http://x/a\"}}}",
     "1",
     NULL,
     0},
    {"own definitions stay",
     "{\"$ref\":\"http://x/a\",\"$defs\":{\"http://x/a\":{}}}",
     0,
     "",
     {{"http://x/a", "{\"type\":\"string\"}", 0}},
     "{\"$ref\":\"http://x/a\",\"$defs\":{\"http://x/a\":{},\"http://x/a-2\":{\"$id\":\"http://x/a\",\"type\":\"string\"}}}",
     "\"\"",
     "1",
     0},
    {"one leads to the next, in order of URI",
     "{\"items\":{\"$ref\":\"http://x/z\"}}",
     0,
     "",
     {{"http://x/z", "{\"$ref\":\"a#/$defs/n\"}", 0},
      {"http://x/a", "{\"$defs\":{\"n\":{\"type\":\"null\"}}}", 0}},
     "{\"items\":{\"$ref\":\"http://x/z\"},\"$defs\":{\"http://x/a\":{\"$id\":\"http://x/a\",\"$defs\":{"
     "\"n\":{\"type\":\"null\"}}},\"http://x/z\":{\"$id\":\"http://x/z\",\"$ref\":\"a#/$defs/n\"}}}",
     "[null]",
     "[1]",
     0},
    {"registered under another URI than its own",
     "{\"$ref\":\"http://x/file#/$defs/n\"}",
     0,
     "",
     {{"http://x/file", "{\"$id\":\"http://y/own\",\"$defs\":{\"n\":{\"type\":\"null\"}}}", 0}},
     "{\"$ref\":\"http://y/own#/$defs/n\",\"$defs\":{\"http://y/own\":{\"$id\":\"http://y/own\","
     "\"$defs\":{\"n\":{\"type\":\"null\"}}}}}",
     "null",
     "1",
     0},
    {"relative $id becomes absolute",
     "{\"$ref\":\"http://x/d/file\"}",
     0,
     "",
     {{"http://x/d/file",
       "{\"$id\":\"own\",\"properties\":{\"a\":{\"$ref\":\"own#/$defs/n\"}},"
       "\"$defs\":{\"n\":{\"type\":\"null\"}}}",
       0}},
     "{\"$ref\":\"http://x/d/own\",\"$defs\":{\"http://x/d/own\":{\"$id\":\"http://x/d/own\","
     "\"properties\":{\"a\":{\"$ref\":\"own#/$defs/n\"}},\"$defs\":{\"n\":{\"type\":\"null\"}}}}}",
     "{\"a\":null}",
     "{\"a\":1}",
     0},
    {"base URI becomes $id",
     "{\"$ref\":\"b\",\"$defs\":{\"n\":{\"type\":\"null\"}}}",
     0,
     "http://x/main",
     {{"http://x/b", "{\"$ref\":\"main#/$defs/n\"}", 0}},
     "{\"$id\":\"http://x/main\",\"$ref\":\"b\",\"$defs\":{\"n\":{\"type\":\"null\"},\"http://x/"
     "b\":{\"$id\":\"http://x/b\",\"$ref\":\"main#/$defs/n\"}}}",
     "null",
     "1",
     0},
    {"own $id under a base",
     "{\"$id\":\"m\",\"$ref\":\"b\"}",
     0,
     "http://x/d/",
     {{"http://x/d/b", "false", 0}},
     "{\"$id\":\"http://x/d/m\",\"$ref\":\"b\",\"$defs\":{\"http://x/d/b\":{\"$id\":\"http://x/d/b\","
     "\"not\":{}}}}",
     NULL,
     "1",
     0},
    {"true outside",
     "{\"$ref\":\"http://x/t\"}",
     0,
     "",
     {{"http://x/t", "true", 0}},
     "{\"$ref\":\"http://x/t\",\"$defs\":{\"http://x/t\":{\"$id\":\"http://x/t\"}}}",
     "1",
     NULL,
     0},
    {"draft-07",
     "{\"items\":{\"$ref\":\"http://x/a\"}}",
     FER_DIALECT_DRAFT7,
     "",
     {{"http://x/a", "{\"const\":1}", FER_DIALECT_DRAFT7}},
     "{\"$schema\":\"http://json-schema.org/draft-07/schema\",\"items\":{\"$ref\":\"http://x/"
     "a\"},\"definitions\":{\"http://x/a\":{\"$id\":\"http://x/a\",\"const\":1}}}",
     "[1]",
     "[2]",
     0},
    {"draft-04, and a newer one outside",
     "{\"items\":{\"$ref\":\"http://x/a\"}}",
     FER_DIALECT_DRAFT4,
     "",
     {{"http://x/a", "{\"const\":1}", FER_DIALECT_DRAFT6}},
     "{\"$schema\":\"http://json-schema.org/draft-04/schema\",\"items\":{\"$ref\":\"http://x/"
     "a\"},\"definitions\":{\"http://x/a\":{\"$schema\":\"http://json-schema.org/draft-06/"
     "schema\",\"$id\":\"http://x/a\",\"const\":1}}}",
     "[1]",
     "[2]",
     0},
    {"draft-04 outside, with an anchor",
     "{\"$ref\":\"http://x/a#root\"}",
     0,
     "",
     {{"http://x/a",
       "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"id\":\"#root\","
       "\"maximum\":1,\"exclusiveMaximum\":true}",
       0}},
     "{\"$ref\":\"http://x/a#root\",\"$defs\":{\"http://x/a\":{\"$schema\":\"http://"
     "json-schema.org/draft-04/"
     "schema#\",\"id\":\"http://x/a#root\",\"maximum\":1,\"exclusiveMaximum\":true}}}",
     "0",
     "1",
     0},
    {"$ref at the root of draft-07 hides what is beside it",
     "{\"items\":{\"$ref\":\"http://x/a\"}}",
     FER_DIALECT_DRAFT7,
     "",
     {{"http://x/a",
       "{\"$id\":\"http://hidden/\",\"type\":\"string\",\"title\":\"t\",\"x\":1,\"$ref\":\"#/"
       "definitions/n\",\"definitions\":{\"n\":{\"type\":\"null\"}}}",
       FER_DIALECT_DRAFT7}},
     "{\"$schema\":\"http://json-schema.org/draft-07/schema\",\"items\":{\"$ref\":\"http://x/"
     "a\"},\"definitions\":{\"http://x/a\":{\"$id\":\"http://x/a\",\"title\":\"t\",\"x\":1,"
     "\"allOf\":[{\"$ref\":\"#/definitions/n\"}],\"definitions\":{\"n\":{\"type\":\"null\"}}}}}",
     "[null]",
     "[\"\"]",
     0},
    {"$id beside $ref stays as it is",
     "{\"$id\":\"http://hidden/\",\"$ref\":\"#/definitions/n\",\"definitions\":{\"n\":{\"type\":"
     "\"null\"}}}",
     FER_DIALECT_DRAFT7,
     "",
     {{0}},
     "{\"$schema\":\"http://json-schema.org/draft-07/schema\",\"$id\":\"http://hidden/"
     "\",\"$ref\":\"#/definitions/n\",\"definitions\":{\"n\":{\"type\":\"null\"}}}",
     "null",
     "1",
     0},
    {"not a schema", "{\"type\":1}", 0, "", {{0}}, NULL, NULL, NULL, FER_INVALID_SCHEMA},
};

static fer_registry *registry_of(const struct row *row)
{
    fer_registry *r = fer_registry_new();
    fer_err err;
    for (size_t i = 0; i < FER_COUNT(row->others) && row->others[i].uri; i++) {
        const struct other *o = &row->others[i];
        if (fer_registry_add(r, fer_str_of(o->uri), fer_str_of(o->text), o->dialect, &err))
            fail_msg("%s", err.message);
    }
    return r;
}

static void verdict(const fer_schema *s, const char *instance, bool expected)
{
    fer_arena *a = fer_arena_new(0);
    bool valid = !expected;
    if (instance) {
        const yyjson_val *v = must_read(a, fer_str_of(instance), NULL);
        assert_int_equal(fer_schema_accepts(s, a, v, &valid, NULL), FER_OK);
        if (valid != expected) fail_msg("%s is %s", instance, valid ? "valid" : "invalid");
    }
    fer_arena_free(a);
}

struct bundling {
    const struct row *row;
    const fer_json *doc;
    fer_schema_options options;
};

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct bundling *b = context;
    fer_str out;
    fer_err err;
    fer_arena *own = a ? NULL : fer_arena_new(0);
    if (!a && !own) return FER_OUT_OF_MEMORY;
    fer_code code = fer_schema_bundle(a ? a : own, b->doc, &b->options, &out, &err);
    if (!code) assert_str(out, b->row->bundle);
    fer_arena_free(own);
    return code && code == b->row->code ? FER_OK : code;
}

static void bundles(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_err err = {0};
    fer_str out = {"keep", 4};
    fer_registry *r = registry_of(row);
    struct bundling b = {.row = row, .options = {.dialect = row->dialect, .registry = r}};
    b.options.base_uri = fer_str_of(row->base);
    assert_int_equal(fer_json_read(a, fer_str_of(row->schema), NULL, &doc, &err), FER_OK);
    b.doc = doc;
    fer_code code = fer_schema_bundle(a, doc, &b.options, &out, &err);
    assert_int_equal(code, row->code);
    if (code) {
        assert_int_equal(err.code, code);
        assert_str(out, "keep");
    } else {
        fer_schema *s;
        assert_str(out, row->bundle);
        if (fer_schema_compile(out, NULL, &s, &err)) fail_msg("%s", err.message);
        verdict(s, row->valid, true);
        verdict(s, row->invalid, false);
        fer_schema_unref(s);
    }
    rows_torture_arena(attempt, &b);
    rows_torture_malloc(attempt, &b);
    fer_registry_free(r);
    fer_arena_free(a);
}

/* The meta-schemas go in as well, with all their vocabularies. */
static void meta_schemas(void)
{
    static const fer_dialect dialects[] = {FER_DIALECT_DRAFT4,  FER_DIALECT_DRAFT6,
                                           FER_DIALECT_DRAFT7,  FER_DIALECT_2019_09,
                                           FER_DIALECT_2020_12, FER_DIALECT_V1};
    for (size_t i = 0; i < FER_COUNT(dialects); i++) {
        fer_arena *a = fer_arena_new(0);
        fer_json *doc;
        fer_schema *s;
        fer_str out;
        fer_err err;
        fer_str text = fer_arena_printf(a, "{\"$schema\":\"%s\",\"$ref\":\"%s\"}",
                                        fer_dialect_uri(dialects[i]), fer_dialect_uri(dialects[i]));
        assert_int_equal(fer_json_read(a, text, NULL, &doc, NULL), FER_OK);
        assert_int_equal(fer_schema_bundle(a, doc, NULL, &out, &err), FER_OK);
        if (!memmem(out.ptr, out.len, "minLength", 9)) fail_msg("%.*s", FER_PRI(out));
        if (fer_schema_compile(out, NULL, &s, &err)) fail_msg("%s", err.message);
        verdict(s, "{\"properties\":{\"a\":{\"type\":\"string\",\"allOf\":[{}]}}}", true);
        verdict(s, "{\"properties\":{\"a\":{\"type\":\"text\"}}}", false);
        fer_schema_unref(s);
        fer_arena_free(a);
    }
}

/* ---- the official suite -------------------------------------------------- */

static const struct section sections[] = {
    {"draft4", "draft4", FER_DIALECT_DRAFT4, PART_REQUIRED, "tests/draft4", false, NULL},
    {"draft6", "draft6", FER_DIALECT_DRAFT6, PART_REQUIRED, "tests/draft6", false, NULL},
    {"draft7", "draft7", FER_DIALECT_DRAFT7, PART_REQUIRED, "tests/draft7", false, NULL},
    {"draft2019-09", "draft2019-09", FER_DIALECT_2019_09, PART_REQUIRED, "tests/draft2019-09",
     false, NULL},
    {"draft2020-12", "draft2020-12", FER_DIALECT_2020_12, PART_REQUIRED, "tests/draft2020-12",
     false, NULL},
    {"v1", "v1", FER_DIALECT_V1, PART_REQUIRED, "tests/v1", false, NULL},
};

struct tally_of {
    size_t cases, tests, with_others;
};

/* Vocabularies are the meta-schema's, which no bundle can bring along. */
static bool has_own_meta_schema(const yyjson_val *schema)
{
    const yyjson_val *named = fer_is_obj(schema) ? fer_val_get(schema, "$schema") : NULL;
    fer_dialect dialect;
    return fer_is_str(named) && !fer_dialect_find(fer_val_str(named), &dialect);
}

static void run_case(const struct suite_file *file, const yyjson_val *group,
                     const fer_schema_options *options, struct tally_of *tally)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text, out;
    fer_json *doc;
    fer_err err = {0};
    fer_schema *s;
    fer_str what = suite_description(group);
    const yyjson_val *schema = fer_val_get(group, "schema");
    if (has_own_meta_schema(schema)) {
        fer_arena_free(a);
        return;
    }
    assert_int_equal(fer_json_write(a, schema, false, &text, NULL), FER_OK);
    assert_int_equal(fer_json_read(a, text, fer_json_limits_file(), &doc, NULL), FER_OK);
    if (fer_schema_bundle(a, doc, options, &out, &err))
        fail_msg("%s: %.*s: %s", file->path, FER_PRI(what), err.message);
    const fer_schema_options alone = {.dialect = options->dialect};
    if (fer_schema_compile(out, &alone, &s, &err))
        fail_msg("%s: %.*s: %s in %.*s", file->path, FER_PRI(what), err.message, FER_PRI(out));
    tally->cases++;
    FER_EACH_ITEM (fer_val_get(group, "tests"), test) {
        bool valid, expected = fer_is_true(fer_val_get(test, "valid"));
        fer_code code = fer_schema_accepts(s, a, fer_val_get(test, "data"), &valid, &err);
        if (code || valid != expected) {
            fail_msg("%s: %.*s: %.*s: %s", file->path, FER_PRI(what),
                     FER_PRI(suite_description(test)), code ? err.message : "another verdict");
        }
        tally->tests++;
    }
    tally->with_others += memmem(out.ptr, out.len, "localhost:1234", 14) != NULL;
    fer_schema_unref(s);
    fer_arena_free(a);
}

static void run_section(const struct section *section)
{
    if (!*suite_root()) skip();
    fer_arena *a = fer_arena_new(0);
    size_t count;
    struct tally_of tally = {0};
    struct suite_file *files = suite_files(a, section->folder, false, &count);
    fer_registry *r = suite_registry(a, section);
    const fer_schema_options options = {.dialect = section->dialect, .registry = r};
    for (size_t i = 0; i < count; i++) {
        FER_EACH_ITEM (files[i].root, group) {
            run_case(&files[i], group, &options, &tally);
        }
    }
    print_message("# bundles of %s: %zu cases (%zu with remotes), %zu tests\n", section->name,
                  tally.cases, tally.with_others, tally.tests);
    assert_true(tally.cases > 100 && tally.with_others > 5);
    fer_registry_free(r);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("bundle", rows, bundles) + ROWS_ONE("bundle", meta_schemas) +
           ROWS_RUN("bundle suite", sections, run_section);
}
