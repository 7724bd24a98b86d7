/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotations/: which annotations of a keyword stand at a place of the instance. The suite
 * names the schema that gave one by its place in the document ("#/$defs/a"), whatever `$id`s
 * are on the way; ours is named by the URI of the keyword, so an `$id` is led back to its place.
 */
#include "suite.h"

#include "buf.h"
#include "json_doc.h"

#define BASE "https://ferrule.test/schema" /* of a schema without `$id` */

struct annotated {
    struct tally *tally;
    fer_arena *scratch;
    const struct suite_file *file;
    const yyjson_val *schema;
};

/* ---- compatibility ------------------------------------------------------------------- */

/* "7" at least, "<=2019" at most, "=2020" only. */
static bool one_allows(fer_str s, unsigned release)
{
    uint64_t bound;
    bool most = fer_str_starts(s, "<="), only = fer_str_starts(s, "=");
    if (!fer_parse_u64(fer_str_slice(s, most ? 2 : only ? 1 : 0, s.len), &bound))
        fail_msg("compatibility %.*s is not understood", FER_PRI(s));
    return most ? release <= bound : only ? release == bound : release >= bound;
}

bool suite_compatible(fer_str constraints, unsigned release)
{
    for (size_t from = 0; from < constraints.len;) {
        size_t to = fer_str_find(constraints, from, ',');
        if (to == SIZE_MAX) to = constraints.len;
        if (!one_allows(fer_str_slice(constraints, from, to), release)) return false;
        from = to + 1;
    }
    return true;
}

/* ---- locations ------------------------------------------------------------------------ */

static bool ends_with(fer_str s, fer_str end)
{
    return s.len >= end.len && fer_str_eq(fer_str_slice(s, s.len - end.len, s.len), end);
}

/* The place of the subschema whose `$id` ends a URI, as a pointer into `out`. */
static bool find_resource(const yyjson_val *v, fer_str uri, fer_buf *out)
{
    size_t len = out->len;
    if (!fer_is_obj(v)) return false;
    const yyjson_val *id = fer_val_get(v, "$id");
    if (fer_is_str(id) && fer_val_len(id) && ends_with(uri, fer_val_str(id))) return true;
    FER_EACH_MEMBER (v, key) {
        fer_buf_printf(out, "/%.*s", FER_PRI(fer_val_str(key)));
        if (find_resource(key + 1, uri, out)) return true;
        out->len = len;
    }
    return false;
}

/* "https://x/y#/a/title" -> "#/a", seen from the whole document. */
static fer_str schema_location(const struct annotated *c, fer_str absolute)
{
    fer_buf out;
    size_t hash = fer_str_find(absolute, 0, '#');
    fer_buf_init(&out, c->scratch, 1u << 16);
    fer_buf_add_char(&out, '#');
    if (hash == SIZE_MAX) return absolute;
    fer_str uri = fer_str_slice(absolute, 0, hash);
    if (uri.len && !fer_str_is(uri, BASE) && !find_resource(c->schema, uri, &out)) return absolute;
    size_t end = absolute.len;
    while (end > hash && absolute.ptr[end - 1] != '/') end--;
    if (end > hash) fer_buf_add(&out, fer_str_slice(absolute, hash + 1, end - 1));
    return fer_buf_view(&out);
}

/* ---- assertions ----------------------------------------------------------------------- */

static bool same_json(const struct annotated *c, fer_str json, const yyjson_val *expected)
{
    fer_json *doc;
    bool equal = false;
    if (fer_json_read(c->scratch, json, NULL, &doc, NULL)) return false;
    return !fer_json_equal(c->scratch, fer_json_root(doc), expected, &equal, NULL) && equal;
}

static bool is_about(const fer_annotation *n, const yyjson_val *assertion)
{
    return fer_str_eq(n->keyword, fer_val_str(fer_val_get(assertion, "keyword"))) &&
           fer_str_eq(n->field, fer_val_str(fer_val_get(assertion, "location")));
}

/* Every annotation of the keyword is expected, and every expected one is there. */
static bool holds(const struct annotated *c, const fer_result *r, const yyjson_val *assertion,
                  char *why, size_t size)
{
    size_t count;
    const fer_annotation *list = fer_result_annotations(r, &count);
    const yyjson_val *expected = fer_val_get(assertion, "expected");
    fer_str keyword = fer_val_str(fer_val_get(assertion, "keyword"));
    fer_str field = fer_val_str(fer_val_get(assertion, "location"));
    for (size_t i = 0; i < count; i++) {
        if (!is_about(&list[i], assertion)) continue;
        fer_str location = schema_location(c, list[i].absolute_location);
        const yyjson_val *key = fer_val_key(expected, location);
        if (key && same_json(c, list[i].json, key + 1)) continue;
        snprintf(why, size, "%.*s at \"%.*s\": not expected: %.*s: %.*s", FER_PRI(keyword),
                 FER_PRI(field), FER_PRI(location), FER_PRI(list[i].json));
        return false;
    }
    FER_EACH_MEMBER (expected, key) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++) {
            found = is_about(&list[i], assertion) &&
                    fer_str_eq(schema_location(c, list[i].absolute_location), fer_val_str(key));
        }
        if (found) continue;
        snprintf(why, size, "%.*s at \"%.*s\": not there: %.*s", FER_PRI(keyword), FER_PRI(field),
                 FER_PRI(fer_val_str(key)));
        return false;
    }
    return true;
}

static void check_test(const struct annotated *c, const fer_schema *s, const struct place *at,
                       const yyjson_val *test)
{
    const fer_validate_options options = {.annotations = true};
    char why[2048];
    fer_err err = {0};
    fer_result *r = NULL;
    const yyjson_val *instance = fer_val_get(test, "instance");
    fer_code code = fer_schema_validate(c->scratch, s, c->file->doc, instance, &options, &r, &err);
    if (code) snprintf(why, sizeof why, "%s: %s", fer_code_info(code)->name, err.message);
    bool right = !code;
    const yyjson_val *assertions = fer_val_get(test, "assertions");
    if (!fer_is_arr(assertions)) fail_msg("%s: a test without assertions", at->path);
    FER_EACH_ITEM (assertions, assertion) {
        right = right && holds(c, r, assertion, why, sizeof why);
    }
    suite_note(c->tally, at, right ? NULL : why);
    fer_arena_reset(c->scratch);
}

/* ---- cases ------------------------------------------------------------------------------ */

static fer_registry *external_schemas(fer_arena *a, const yyjson_val *schemas, fer_dialect dialect)
{
    fer_registry *r = fer_registry_new();
    assert_non_null(r);
    if (!fer_is_obj(schemas)) return r;
    FER_EACH_MEMBER (schemas, uri) {
        fer_err err = {0};
        fer_str text;
        if (fer_json_write(a, uri + 1, false, &text, &err) ||
            fer_registry_add(r, fer_val_str(uri), text, dialect, &err))
            fail_msg("%.*s: %s", FER_PRI(fer_val_str(uri)), err.message);
    }
    return r;
}

static void run_case(struct annotated *c, fer_arena *a, const yyjson_val *group)
{
    const struct section *section = c->tally->section;
    const yyjson_val *compatibility = fer_val_get(group, "compatibility");
    const yyjson_val *tests = fer_val_get(group, "tests");
    if (fer_is_str(compatibility) &&
        !suite_compatible(fer_val_str(compatibility), (unsigned)section->dialect))
        return;
    struct place at = {c->file->path, suite_description(group), FER_STR("")};
    c->schema = fer_val_get(group, "schema");
    if (!c->schema || !fer_is_arr(tests)) fail_msg("%s: a case without schema or tests", at.path);
    fer_registry *registry =
        external_schemas(a, fer_val_get(group, "externalSchemas"), section->dialect);
    const fer_schema_options options = {
        .dialect = section->dialect, .base_uri = FER_STR(BASE), .registry = registry};
    char why[2048], number[32];
    size_t n = 0;
    fer_err err = {0};
    fer_schema *s = NULL;
    fer_code code = fer_schema_compile_value(c->file->doc, c->schema, &options, &s, &err);
    if (code) snprintf(why, sizeof why, "%s: %s", fer_code_info(code)->name, err.message);
    /* Tests have no description here: they are named by their number. */
    FER_EACH_ITEM (tests, test) {
        snprintf(number, sizeof number, "test %zu", n++);
        at.test = fer_str_of(number);
        if (code) suite_note(c->tally, &at, why);
        else check_test(c, s, &at, test);
    }
    fer_schema_unref(s);
    fer_registry_free(registry);
}

void suite_run_annotations(struct tally *t)
{
    fer_arena *a = fer_arena_new(0);
    struct annotated c = {.tally = t, .scratch = fer_arena_new(0)};
    size_t count;
    struct suite_file *files = suite_files(a, t->section->folder, false, &count);
    assert_non_null(c.scratch);
    for (size_t i = 0; i < count; i++) {
        const yyjson_val *groups = fer_val_get(files[i].root, "suite");
        c.file = &files[i];
        if (!fer_is_arr(groups)) fail_msg("%s has no suite", files[i].path);
        FER_EACH_ITEM (groups, group) {
            run_case(&c, a, group);
        }
    }
    fer_arena_free(c.scratch);
    fer_arena_free(a);
}
