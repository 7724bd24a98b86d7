/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of keywords (src/schema/forms.c) against the meta-schemas: for the schemas of the
 * official suite and real ones, and for thousands of mutations of them, both give one verdict.
 * The mutations are the same in every run.
 */
#include <ferrule/schema.h>

#include <stdlib.h>

#include "buf.h"
#include "compile.h"
#include "file.h"
#include "json_doc.h"
#include "json_hash.h"
#include "json_write.h"
#include "rows.h"

#define MUTATIONS 12 /* of each schema */

static uint64_t state = 88172645463325252u;
static unsigned any(size_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % below);
}

/* ---- the two verdicts ---------------------------------------------------------------------- */

struct tally {
    size_t compared, refused, skipped, different;
};

/* What forms.c says; false: cannot be asked (another dialect somewhere in the schema). */
static bool by_forms(const fer_json *doc, fer_dialect dialect, bool *ok)
{
    fer_schema_options options = {.dialect = dialect};
    fer_arena *a = fer_arena_new(0);
    fer_compile c = {.arena = a,
                     .scratch = a,
                     .options = &options,
                     .limits = fer_schema_limits_file(),
                     .doc = doc};
    fer_resource *root;
    fer_library_init(&c.library, a, NULL, 1000000);
    fer_code code = fer_library_survey(&c.library, doc, fer_json_root(doc), NULL, FER_STR(""),
                                       fer_rules_of(dialect), &root, NULL);
    bool plain = !code && root->rules == fer_rules_of(dialect);
    if (plain) fer_root_form(&c, root->rules, fer_json_root(doc));
    for (size_t i = 0; plain && i < c.library.spot_cap; i++) {
        const struct fer_spot *s = &c.library.spots[i];
        if (!s->value) continue;
        plain = s->resource->rules == root->rules;
        fer_schema_forms(&c, s->resource->rules, s->value);
    }
    *ok = !c.failed;
    fer_arena_free(a);
    return plain;
}

static fer_schema *meta_of(fer_dialect dialect)
{
    char text[200];
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_schema_options options = {.dialect = dialect, .limits = fer_schema_limits_file()};
    snprintf(text, sizeof text, "{\"$ref\":\"%s\"}", fer_dialect_uri(dialect));
    if (fer_schema_compile(fer_str_of(text), &options, &s, &err)) fail_msg("%s", err.message);
    return s;
}

/* Compiling refuses what the forms refuse; the first problem of the text may be another one. */
static void check_compile(const fer_json *doc, fer_dialect dialect, bool ok)
{
    fer_schema *s = NULL;
    fer_err err = {0};
    fer_schema_options options = {.dialect = dialect, .limits = fer_schema_limits_file()};
    fer_code code = fer_schema_compile_value(doc, NULL, &options, &s, &err);
    assert_true(ok || code == FER_INVALID_SCHEMA || code == FER_EXTERNAL_REF ||
                code == FER_UNSUPPORTED_DIALECT);
    assert_true(!code == !err.message[0]);
    fer_schema_unref(s);
}

/* A list of values that is empty, or has one twice. */
static bool is_loose_enum(fer_arena *a, const yyjson_val *list)
{
    bool twice = false;
    if (!fer_is_arr(list)) return false;
    assert_int_equal(fer_items_unique(a, list, &twice, NULL), FER_OK);
    return twice || !fer_val_len(list);
}

/*
 * Where forms.c differs on purpose. draft-04 leaves `$ref` to JSON Reference, where it is a
 * string; its meta-schema does not know it. draft-07 says in words (validation 6.1.2) that an
 * enum SHOULD have values, and each once; its meta-schema demands it, and real tools break that.
 */
static bool on_purpose(fer_arena *a, fer_dialect dialect, const yyjson_val *v)
{
    bool found = false;
    if (fer_is_obj(v)) {
        const yyjson_val *ref = fer_val_get(v, "$ref");
        found = dialect == FER_DIALECT_DRAFT4 && ref && !fer_is_str(ref);
        found |= dialect == FER_DIALECT_DRAFT7 && is_loose_enum(a, fer_val_get(v, "enum"));
        FER_EACH_MEMBER (v, key) found = found || on_purpose(a, dialect, key + 1);
    } else if (fer_is_arr(v)) {
        FER_EACH_ITEM (v, item) found = found || on_purpose(a, dialect, item);
    }
    return found;
}

static void compare(fer_arena *a, struct tally *tally, const fer_schema *meta, fer_dialect dialect,
                    fer_str text)
{
    fer_json *doc;
    bool ours, theirs;
    if (fer_json_read(a, text, fer_json_limits_file(), &doc, NULL)) {
        tally->skipped++; /* a key twice */
        return;
    }
    if (on_purpose(a, dialect, fer_json_root(doc)) || !by_forms(doc, dialect, &ours)) {
        tally->skipped++;
        return;
    }
    assert_int_equal(fer_schema_accepts(meta, a, fer_json_root(doc), &theirs, NULL), FER_OK);
    tally->compared++;
    tally->refused += !theirs;
    check_compile(doc, dialect, ours);
    if (ours == theirs) return;
    tally->different++;
    print_error("%s: forms say %s, the meta-schema %s: %.*s\n", fer_dialect_name(dialect),
                ours ? "yes" : "no", theirs ? "yes" : "no", FER_PRI(fer_str_head(text, 400)));
}

/* ---- mutations ------------------------------------------------------------------------------ */

static const char *const pool[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "1.0",
    "1.5",
    "-0.0",
    "1e400",
    "\"\"",
    "\"x\"",
    "\"#\"",
    "\"#x\"",
    "\"a#\"",
    "\"_a\"",
    "\"1a\"",
    "\"a:b\"",
    "\"string\"",
    "\"any\"",
    "[]",
    "[true]",
    "[{}]",
    "[\"a\"]",
    "[\"a\",\"a\"]",
    "[1]",
    "[1,1.0]",
    "[\"string\",\"null\"]",
    "[\"string\",\"string\"]",
    "[\"any\"]",
    "{}",
    "{\"a\":true}",
    "{\"a\":{}}",
    "{\"a\":1}",
    "{\"a\":[]}",
    "{\"a\":[\"b\"]}",
    "{\"a\":[\"b\",\"b\"]}",
    "{\"a\":[1]}",
    "{\"type\":1}",
    "{\"a\":{\"b\":{}}}",
    "{\"a\":{\"type\":\"any\"}}",
    "[{\"minimum\":\"1\"}]",
};

struct mutation {
    fer_arena *arena;
    fer_buf *b;
    size_t target; /* the value that is replaced, or gets a member more */
    size_t at;
    const char *keyword; /* of the member; NULL: replaced */
    const char *text;
};

static void write_mutated(struct mutation *m, const yyjson_val *v)
{
    static const fer_notation plain;
    bool hit = m->at++ == m->target;
    if (hit && !(m->keyword && fer_is_obj(v))) {
        fer_buf_add_text(m->b, m->text);
        return;
    }
    if (!fer_is_ctn(v)) {
        assert_int_equal(fer_write_add(m->arena, m->b, v, &plain, NULL), FER_OK);
        return;
    }
    size_t count = 0;
    fer_buf_add_char(m->b, fer_is_obj(v) ? '{' : '[');
    if (hit) fer_buf_printf(m->b, "\"%s\":%s", m->keyword, m->text);
    count += hit;
    if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, key) {
            if (count++) fer_buf_add_char(m->b, ',');
            fer_buf_add_quoted(m->b, fer_val_str(key));
            fer_buf_add_char(m->b, ':');
            write_mutated(m, key + 1);
        }
    } else {
        FER_EACH_ITEM (v, item) {
            if (count++) fer_buf_add_char(m->b, ',');
            write_mutated(m, item);
        }
    }
    fer_buf_add_char(m->b, fer_is_obj(v) ? '}' : ']');
}

static size_t count_values(const yyjson_val *v)
{
    size_t count = 1;
    if (fer_is_arr(v)) {
        FER_EACH_ITEM (v, item) count += count_values(item);
    } else if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, key) count += count_values(key + 1);
    }
    return count;
}

static void mutate_all(struct tally *tally, const fer_schema *meta, fer_dialect dialect,
                       const yyjson_val *schema, size_t times)
{
    size_t values = count_values(schema), rows;
    const fer_keyword *keywords = fer_keywords(&rows);
    for (size_t i = 0; i <= times; i++) {
        fer_arena *a = fer_arena_new(0);
        fer_buf b;
        fer_buf_init(&b, a, (size_t)64 << 20);
        struct mutation m = {.arena = a,
                             .b = &b,
                             .target = i ? any(values) : SIZE_MAX,
                             .keyword = any(2) ? keywords[any(rows)].name : NULL,
                             .text = pool[any(FER_COUNT(pool))]};
        write_mutated(&m, schema);
        assert_int_equal(b.failure, FER_OK);
        compare(a, tally, meta, dialect, fer_buf_view(&b));
        fer_arena_free(a);
    }
}

/* ---- where the schemas come from ---------------------------------------------------------------
 */

static const struct row {
    const char *name;
    fer_dialect dialect;
} rows[] = {
    {"draft4", FER_DIALECT_DRAFT4},        {"draft6", FER_DIALECT_DRAFT6},
    {"draft7", FER_DIALECT_DRAFT7},        {"draft2019-09", FER_DIALECT_2019_09},
    {"draft2020-12", FER_DIALECT_2020_12},
};

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

static void finish(const struct row *row, const struct tally *tally)
{
    print_message("# %s: %zu compared, %zu of them refused, %zu skipped, %zu different\n",
                  row->name, tally->compared, tally->refused, tally->skipped, tally->different);
    assert_int_equal(tally->different, 0);
}

static void suite(const struct row *row)
{
    char folder[4096];
    struct fer_file_list files;
    fer_arena *a = fer_arena_new(0);
    struct tally tally = {0};
    snprintf(folder, sizeof folder, "%s/json-schema-test-suite/tests/%s", rows_data(), row->name);
    assert_int_equal(fer_file_walk(a, folder, 10000, is_json, &files, NULL), FER_OK);
    fer_schema *meta = meta_of(row->dialect);
    for (size_t i = 0; i < files.count; i++) {
        fer_str text;
        fer_json *doc;
        assert_int_equal(fer_file_read(a, files.paths[i].ptr, SIZE_MAX / 4, &text, NULL), FER_OK);
        assert_int_equal(fer_json_read(a, text, fer_json_limits_file(), &doc, NULL), FER_OK);
        FER_EACH_ITEM (fer_json_root(doc), group) {
            mutate_all(&tally, meta, row->dialect, fer_val_get(group, "schema"), MUTATIONS);
        }
    }
    fer_schema_unref(meta);
    fer_arena_free(a);
    finish(row, &tally);
    assert_true(tally.compared > 2000 && tally.refused > 500);
}

/* Every keyword with every value of the pool. */
static void each_keyword(const struct row *row)
{
    size_t count;
    struct tally tally = {0};
    const fer_keyword *keywords = fer_keywords(&count);
    fer_schema *meta = meta_of(row->dialect);
    for (size_t k = 0; k < count; k++) {
        for (size_t p = 0; p < FER_COUNT(pool); p++) {
            fer_arena *a = fer_arena_new(0);
            compare(a, &tally, meta, row->dialect,
                    fer_arena_printf(a, "{\"%s\":%s}", keywords[k].name, pool[p]));
            compare(a, &tally, meta, row->dialect,
                    fer_arena_printf(a, "{\"items\":{\"%s\":%s},\"$ref\":\"#\"}", keywords[k].name,
                                     pool[p]));
            fer_arena_free(a);
        }
    }
    for (size_t p = 0; p < FER_COUNT(pool); p++) {
        fer_arena *a = fer_arena_new(0);
        compare(a, &tally, meta, row->dialect, fer_str_of(pool[p]));
        fer_arena_free(a);
    }
    fer_schema_unref(meta);
    finish(row, &tally);
}

static void real_schemas(void)
{
    char folder[4096];
    struct fer_file_list files;
    fer_arena *a = fer_arena_new(0);
    struct tally tally = {0};
    fer_schema *metas[FER_COUNT(rows)];
    for (size_t i = 0; i < FER_COUNT(rows); i++) metas[i] = meta_of(rows[i].dialect);
    snprintf(folder, sizeof folder, "%s/schemas", rows_data());
    assert_int_equal(fer_file_walk(a, folder, 100000, is_json, &files, NULL), FER_OK);
    for (size_t i = 0; i < files.count; i++) {
        fer_str text;
        fer_json *doc;
        if (!fer_str_ends(files.paths[i], "schema.json")) continue;
        if (fer_file_read(a, files.paths[i].ptr, (size_t)200 << 10, &text, NULL)) continue;
        if (fer_json_read(a, text, fer_json_limits_file(), &doc, NULL)) continue;
        for (size_t m = 0; m < FER_COUNT(rows); m++) {
            mutate_all(&tally, metas[m], rows[m].dialect, fer_json_root(doc), 30);
        }
    }
    for (size_t i = 0; i < FER_COUNT(rows); i++) fer_schema_unref(metas[i]);
    fer_arena_free(a);
    const struct row all = {"real schemas", FER_DIALECT_DEFAULT};
    finish(&all, &tally);
}

/* The name of a slot is that of the first row that fills it. */
static void names_of_slots(void)
{
    size_t count;
    const fer_keyword *keywords = fer_keywords(&count);
    for (int slot = 0; slot < KW_COUNT; slot++) {
        size_t first = 0;
        while (first < count && keywords[first].slot != (enum fer_slot)slot) first++;
        assert_true(first < count);
        assert_str(fer_slot_name((enum fer_slot)slot), keywords[first].name);
    }
}

int main(void)
{
    int failed = ROWS_RUN("each keyword", rows, each_keyword) + ROWS_ONE("forms", names_of_slots);
    if (!*rows_data()) {
        printf("1..0 # SKIP no test data: set FERRULE_TEST_DATA\n");
        return failed;
    }
    return failed + ROWS_RUN("forms", rows, suite) + ROWS_ONE("forms", real_schemas);
}
