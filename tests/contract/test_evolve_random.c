/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of schemas that nobody wrote: schemas of this file, of real tools and of the test
 * suite, each changed at random. What is called included is never contradicted by an instance
 * that was sampled (or that the suite has for the schema); what is not has a witness that the
 * engine confirms. The same for changes of tools.
 */
#include <ferrule/evolve.h>
#include <stdlib.h>

#include "buf.h"
#include "edits.h"
#include "file.h"
#include "json_doc.h"
#include "rows.h"

static uint64_t state = 20261116;

/* FERRULE_RANDOM=n makes n times as many pairs. */
static size_t times(size_t few)
{
    uint64_t n = 1;
    const char *more = getenv("FERRULE_RANDOM");
    if (more) fer_parse_u64(fer_str_of(more), &n);
    return few * (size_t)n;
}

static size_t any(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below ? (size_t)((state >> 33) % below) : 0;
}

/* ---- changing
 * ------------------------------------------------------------------------------------ */

/* Members that are put into schemas. */
static const struct {
    const char *name, *json;
} members[] = {
    {"type", "\"string\""},
    {"type", "[\"integer\",\"null\"]"},
    {"type", "\"number\""},
    {"enum", "[1,\"a\",null]"},
    {"const", "\"a\""},
    {"minimum", "1"},
    {"maximum", "10"},
    {"exclusiveMinimum", "0.5"},
    {"multipleOf", "2"},
    {"minLength", "1"},
    {"maxLength", "3"},
    {"pattern", "\"^[a-c]+$\""},
    {"minItems", "1"},
    {"maxItems", "2"},
    {"uniqueItems", "true"},
    {"items", "{\"type\":\"string\"}"},
    {"prefixItems", "[{\"type\":\"integer\"}]"},
    {"contains", "{\"type\":\"integer\"}"},
    {"required", "[\"a\"]"},
    {"properties", "{\"a\":{\"type\":\"integer\"},\"b\":{}}"},
    {"patternProperties", "{\"^a\":{\"minLength\":1}}"},
    {"additionalProperties", "false"},
    {"additionalProperties", "{\"type\":\"integer\"}"},
    {"unevaluatedProperties", "false"},
    {"unevaluatedItems", "false"},
    {"propertyNames", "{\"maxLength\":2}"},
    {"minProperties", "1"},
    {"maxProperties", "1"},
    {"dependentRequired", "{\"a\":[\"b\"]}"},
    {"dependentSchemas", "{\"a\":{\"required\":[\"c\"]}}"},
    {"anyOf", "[{\"type\":\"string\"},{\"minimum\":3}]"},
    {"oneOf", "[{\"type\":\"string\"},{\"type\":\"array\"},{\"maxLength\":1}]"},
    {"allOf", "[{\"minLength\":2}]"},
    {"not", "{\"type\":\"null\"}"},
    {"if", "{\"type\":\"object\"}"},
    {"then", "{\"required\":[\"b\"]}"},
    {"else", "{\"type\":\"string\"}"},
    {"$ref", "\"#\""},
};
static const char *const scalars[] = {"0",     "1",    "2",     "5",    "\"string\"", "\"integer\"",
                                      "\"a\"", "true", "false", "null", "0.5",        "{}"};

/* One edit at a random place of a document. */
static fer_edit edit_any(const fer_json *doc, const yyjson_val *root)
{
    size_t count = (size_t)(fer_val_next(root) - root);
    (void)doc;
    for (size_t tries = 0; tries < 50; tries++) {
        const yyjson_val *v = root + any(count);
        size_t m = any(FER_COUNT(members));
        if (fer_is_obj(v) && !fer_val_get(v, members[m].name))
            return (fer_edit){.kind = FER_EDIT_ADD,
                              .at = v,
                              .name = fer_str_of(members[m].name),
                              .json = fer_str_of(members[m].json)};
        if (fer_is_obj(v) && fer_val_len(v) && any(2)) {
            size_t skip = any(fer_val_len(v));
            const yyjson_val *key = v + 1;
            while (skip-- > 0) key = fer_val_next(key + 1);
            return (fer_edit){.kind = FER_EDIT_REMOVE, .at = key};
        }
    }
    /* The value of a member of some object. */
    FER_EACH_MEMBER (root, key)
        if (!any(3) || !fer_is_obj(key + 1))
            return (fer_edit){.kind = FER_EDIT_REPLACE,
                              .at = key + 1,
                              .json = fer_str_of(scalars[any(FER_COUNT(scalars))])};
    return (fer_edit){
        .kind = FER_EDIT_ADD, .at = root, .name = FER_STR("minimum"), .json = FER_STR("3")};
}

static fer_str changed(fer_arena *a, const fer_json *doc, const yyjson_val *root)
{
    fer_edits edits = {0};
    fer_str text = FER_STR_NONE;
    fer_err err;
    size_t count = 1 + any(2);
    for (size_t i = 0; i < count; i++) {
        fer_edit e = edit_any(doc, root);
        assert_true(fer_edits_add(a, &edits, &e));
    }
    fer_edits_settle(&edits);
    return fer_edits_write(a, root, &edits, &text, &err) ? FER_STR_NONE : text;
}

/* ---- judging
 * --------------------------------------------------------------------------------------- */

static struct {
    size_t pairs, included, witnessed, unknown, instances, breaking;
} seen;

static bool takes(fer_arena *a, const fer_schema *s, const yyjson_val *value, bool *valid)
{
    fer_err err;
    return fer_schema_accepts(s, a, value, valid, &err) == FER_OK;
}

static void not_contradicted(fer_arena *a, const fer_schema *smaller, const fer_schema *larger,
                             const yyjson_val *value, fer_str x, fer_str y)
{
    bool small = false, large = true;
    fer_str json = FER_STR("");
    seen.instances++;
    if (!takes(a, smaller, value, &small) || !takes(a, larger, value, &large)) return;
    fer_json_write(a, value, false, &json, NULL);
    if (small && !large)
        fail_msg("%.*s is not within %.*s: %.*s", FER_PRI(x), FER_PRI(y), FER_PRI(json));
}

static void sampled(fer_arena *a, const fer_schema *from, const fer_schema *beside,
                    const fer_schema *smaller, const fer_schema *larger, fer_str x, fer_str y)
{
    fer_sample_options o = {.max = 60, .steps = 60000, .beside = beside, .near_misses = true};
    fer_specimen *list;
    size_t count;
    fer_err err;
    assert_int_equal(fer_schema_samples(a, from, &o, &list, &count, &err), FER_OK);
    for (size_t i = 0; i < count; i++) {
        fer_json *doc;
        if (fer_json_read(a, list[i].json, fer_json_limits_file(), &doc, &err))
            fail_msg("%s", err.message);
        bool valid = !list[i].valid;
        if (takes(a, from, fer_json_root(doc), &valid)) assert_int_equal(valid, list[i].valid);
        not_contradicted(a, smaller, larger, fer_json_root(doc), x, y);
    }
}

static void judge(fer_arena *a, fer_str x, fer_str y, const yyjson_val *tests)
{
    fer_schema_options o = {.limits = fer_schema_limits_file()};
    fer_schema *smaller = NULL, *larger = NULL;
    fer_included got;
    fer_json *doc;
    fer_err err;
    bool small = false, large = true;
    if (!fer_schema_compile(x, &o, &smaller, &err) && !fer_schema_compile(y, &o, &larger, &err)) {
        seen.pairs++;
        assert_int_equal(fer_schema_includes(a, larger, smaller, 100000, &got, &err), FER_OK);
        seen.included += got.verdict == FER_INCLUDED;
        seen.unknown += got.verdict == FER_INCLUSION_UNKNOWN;
        if (got.verdict == FER_INCLUDED) {
            sampled(a, smaller, larger, smaller, larger, x, y);
            sampled(a, larger, NULL, smaller, larger, x, y);
            if (tests) {
                FER_EACH_ITEM (tests, test)
                    not_contradicted(a, smaller, larger, fer_val_get(test, "data"), x, y);
            }
        }
        if (got.verdict == FER_NOT_INCLUDED) {
            seen.witnessed++;
            assert_int_equal(fer_json_read(a, got.witness, fer_json_limits_file(), &doc, &err),
                             FER_OK);
            assert_true(takes(a, smaller, fer_json_root(doc), &small) && small);
            assert_true(takes(a, larger, fer_json_root(doc), &large) && !large);
        }
    }
    fer_schema_unref(smaller);
    fer_schema_unref(larger);
}

/* A schema and changed ones, both ways. */
static void vary(const fer_json *doc, const yyjson_val *schema, const yyjson_val *tests,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fer_arena *a = fer_arena_new(0);
        fer_str same = FER_STR_NONE,
                other = fer_is_obj(schema) ? changed(a, doc, schema) : FER_STR_NONE;
        if (other.ptr && !fer_json_write(a, schema, false, &same, NULL)) {
            judge(a, same, other, tests);
            judge(a, other, same, tests);
        }
        fer_arena_free(a);
    }
}

static void report(const char *of)
{
    printf(
        "# %s: %zu pairs, %zu included, %zu with a witness, %zu unknown; %zu instances held against them\n",
        of, seen.pairs, seen.included, seen.witnessed, seen.unknown, seen.instances);
    assert_true(seen.pairs > 0);
    memset(&seen, 0, sizeof seen);
}

/* ---- where schemas come from
 * -------------------------------------------------------------------------- */

static const char *const own[] = {
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"minLength\":2},\"b\":{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"a\"],\"additionalProperties\":false}",
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[\"x\",\"y\"]}}},\"minItems\":1,\"uniqueItems\":true}",
    "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"const\":\"a\"},\"n\":{\"type\":\"number\"}}},{\"type\":\"object\",\"required\":[\"k\"],\"properties\":{\"k\":{\"const\":\"b\"}}}]}",
    "{\"$ref\":\"#/$defs/tree\",\"$defs\":{\"tree\":{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},\"kids\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/tree\"}}}}}}",
    "{\"allOf\":[{\"properties\":{\"a\":{\"maximum\":5}}},{\"properties\":{\"a\":{\"minimum\":1}}}],\"type\":\"object\",\"unevaluatedProperties\":false}",
    "{\"if\":{\"properties\":{\"a\":{\"const\":1}},\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]},\"else\":{\"maxProperties\":2},\"type\":\"object\"}",
    "{\"type\":[\"string\",\"null\",\"integer\"],\"pattern\":\"^a\",\"not\":{\"const\":\"ab\"},\"multipleOf\":3}",
    "{\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"integer\"}],\"items\":false,\"contains\":{\"const\":\"a\"}}",
    "{\"patternProperties\":{\"^x\":{\"type\":\"integer\"},\"y$\":{\"minimum\":1}},\"propertyNames\":{\"maxLength\":3},\"additionalProperties\":{\"type\":\"string\"}}",
    "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"type\":\"integer\",\"minimum\":1,\"exclusiveMinimum\":true}",
    "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":[{\"type\":\"string\"}],\"additionalItems\":{\"type\":\"null\"},\"dependencies\":{\"a\":[\"b\"]}}",
};

static void own_schemas(void)
{
    for (size_t i = 0; i < FER_COUNT(own); i++) {
        fer_arena *a = fer_arena_new(0);
        fer_json *doc;
        fer_err err;
        assert_int_equal(fer_json_read(a, fer_str_of(own[i]), NULL, &doc, &err), FER_OK);
        vary(doc, fer_json_root(doc), NULL, times(100));
        fer_arena_free(a);
    }
    report("own schemas");
}

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static bool list_files(fer_arena *a, const char *folder, struct fer_file_list *out)
{
    fer_err err;
    fer_str path = fer_arena_printf(a, "%s/%s", rows_data(), folder);
    bool there = rows_data()[0] && fer_file_is_folder(path.ptr) &&
                 !fer_file_walk(a, path.ptr, 10000, is_json, out, &err);
    if (!there) printf("# skipped: %s is not there\n", folder);
    return there;
}

static void real_tools(void)
{
    fer_arena *a = fer_arena_new(0);
    struct fer_file_list files;
    if (!list_files(a, "tools", &files)) {
        fer_arena_free(a);
        skip();
        return;
    }
    for (size_t i = 0; i < files.count; i++) {
        fer_arena *one = fer_arena_new(0);
        fer_toolset *set = fer_toolset_new();
        fer_str text;
        fer_err err;
        if (!fer_file_read(one, files.paths[i].ptr, (size_t)64 << 20, &text, &err) &&
            !fer_toolset_add(set, files.paths[i], text, FER_FORMAT_AUTO, &err)) {
            size_t count = fer_toolset_count(set);
            for (size_t n = 0; n < times(4) && count; n++) {
                const yyjson_val *schema =
                    fer_tool_field(fer_toolset_get(set, any(count)), "inputSchema");
                if (schema) vary(NULL, schema, NULL, 1);
            }
        }
        fer_toolset_free(set);
        fer_arena_free(one);
    }
    fer_arena_free(a);
    report("real tools");
}

static void suite_file(fer_str path)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text;
    fer_json *doc;
    fer_err err;
    if (!fer_file_read(a, path.ptr, 1 << 24, &text, &err) &&
        !fer_json_read(a, text, fer_json_limits_file(), &doc, &err)) {
        FER_EACH_ITEM (fer_json_root(doc), group)
            vary(doc, fer_val_get(group, "schema"), fer_val_get(group, "tests"), times(2));
    }
    fer_arena_free(a);
}

static void suite(void)
{
    static const char *const folders[] = {"json-schema-test-suite/tests/draft2020-12",
                                          "json-schema-test-suite/tests/draft7",
                                          "json-schema-test-suite/tests/draft4"};
    fer_arena *a = fer_arena_new(0);
    bool there = true;
    for (size_t f = 0; f < FER_COUNT(folders) && there; f++) {
        struct fer_file_list files;
        there = list_files(a, folders[f], &files);
        for (size_t i = 0; there && i < files.count; i++) suite_file(files.paths[i]);
    }
    fer_arena_free(a);
    if (there) report("test suite");
    else skip();
}

/* ---- tools
 * ------------------------------------------------------------------------------------------- */

static fer_schema *side_schema(fer_arena *a, const fer_tool *t, const char *field, bool open)
{
    fer_str text;
    fer_err err;
    fer_json *doc;
    fer_schema *s = NULL;
    assert_int_equal(fer_json_write(a, fer_tool_field(t, field), false, &text, &err), FER_OK);
    assert_int_equal(fer_json_read(a, text, fer_json_limits_file(), &doc, &err), FER_OK);
    if (open)
        assert_int_equal(fer_schema_open(a, doc, NULL, FER_DIALECT_DEFAULT, &text, &err), FER_OK);
    return fer_schema_compile(text, NULL, &s, &err) ? NULL : s;
}

/* Each breaking change has a witness that the schemas of the tools confirm. */
static void confirm(fer_arena *a, const fer_tool_diff *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const fer_tool_change *c = &t->changes[i];
        bool breaks = c->callers == FER_IMPACT_BREAKING || c->readers == FER_IMPACT_BREAKING;
        /* A renamed property is seen with the object closed: its witness needs no other refusal. */
        if (!breaks || !c->kind->decided || strcmp(c->kind->id, "property.renamed") == 0) continue;
        bool input = c->side == FER_SIDE_INPUT, taken = false, refused = true;
        const char *field = input ? "inputSchema" : "outputSchema";
        fer_schema *smaller = side_schema(a, input ? t->old : t->now, field, false);
        fer_schema *larger = side_schema(a, input ? t->now : t->old, field, !input);
        fer_json *doc;
        fer_err err;
        seen.breaking++;
        assert_true(c->witness.len > 0);
        assert_int_equal(fer_json_read(a, c->witness, fer_json_limits_file(), &doc, &err), FER_OK);
        if (smaller && larger) {
            assert_true(takes(a, smaller, fer_json_root(doc), &taken) && taken);
            assert_true(takes(a, larger, fer_json_root(doc), &refused) && !refused);
        }
        fer_schema_unref(smaller);
        fer_schema_unref(larger);
    }
}

static void tools(void)
{
    for (size_t i = 0; i < FER_COUNT(own) * times(20); i++) {
        fer_arena *a = fer_arena_new(0);
        fer_json *doc;
        fer_err err;
        fer_diff diff = {0};
        const char *schema = own[i % FER_COUNT(own)];
        assert_int_equal(fer_json_read(a, fer_str_of(schema), NULL, &doc, &err), FER_OK);
        fer_str other = changed(a, doc, fer_json_root(doc));
        fer_toolset *old = fer_toolset_new(), *now = fer_toolset_new();
        fer_str x = fer_arena_printf(a, "{\"name\":\"t\",\"inputSchema\":%s,\"outputSchema\":%s}",
                                     schema, schema);
        fer_str y =
            fer_arena_printf(a, "{\"name\":\"t\",\"inputSchema\":%.*s,\"outputSchema\":%.*s}",
                             FER_PRI(other), FER_PRI(other));
        assert_int_equal(fer_toolset_add(old, FER_STR("x"), x, FER_FORMAT_JSON, &err), FER_OK);
        assert_int_equal(fer_toolset_add(now, FER_STR("y"), y, FER_FORMAT_JSON, &err), FER_OK);
        fer_diff_options o = {.places = true, .steps = 100000};
        assert_int_equal(fer_toolset_diff(a, old, now, &o, &diff, &err), FER_OK);
        for (size_t t = 0; t < diff.count; t++) confirm(a, &diff.tools[t]);
        fer_toolset_free(old);
        fer_toolset_free(now);
        fer_arena_free(a);
    }
    printf("# tools: %zu breaking changes confirmed\n", seen.breaking);
    assert_true(seen.breaking > 20);
    memset(&seen, 0, sizeof seen);
}

int main(void)
{
    return ROWS_ONE("random", tools) + ROWS_ONE("random", own_schemas) +
           ROWS_ONE("random", real_tools) + ROWS_ONE("random", suite);
}
