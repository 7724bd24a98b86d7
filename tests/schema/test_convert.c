/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions between dialects: what becomes of each keyword, and that the official suite's
 * schemas keep their verdicts wherever the conversion says that nothing was lost.
 */
#include <ferrule/schema.h>

#include "buf.h"
#include "must_read.h"
#include "suite.h"

const struct known *suite_known(size_t *count)
{
    *count = 0;
    return NULL;
}

#define D4    FER_DIALECT_DRAFT4
#define D6    FER_DIALECT_DRAFT6
#define D7    FER_DIALECT_DRAFT7
#define D2019 FER_DIALECT_2019_09
#define D2020 FER_DIALECT_2020_12
#define DV1   FER_DIALECT_V1

static const struct row {
    const char *name;
    fer_dialect from, to;
    const char *schema;
    const char *converted; /* without its $schema; NULL: fails */
    const char *changes;   /* pointers, those of lost ones with "!"; separated by blanks */
    fer_code code;
} rows[] = {
#include "convert_rows.h"
};

static fer_str pointers(fer_arena *a, const fer_schema_change *changes, size_t count)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        fer_buf_printf(&b, "%s%s%.*s", i ? " " : "", changes[i].lost ? "!" : "",
                       FER_PRI(changes[i].pointer));
        assert_true(changes[i].message.len > 10);
    }
    return b.len ? fer_buf_view(&b) : FER_STR("");
}

static fer_str with_schema(fer_arena *a, const struct row *row)
{
    fer_str text = fer_str_of(row->converted);
    if (text.ptr[0] != '{') return text;
    bool old = row->to < FER_DIALECT_2019_09;
    return fer_arena_printf(a, "{\"$schema\":\"%s%s\"%s%.*s", fer_dialect_uri(row->to),
                            old ? "#" : "", text.len > 2 ? "," : "",
                            FER_PRI(fer_str_slice(text, 1, text.len)));
}

struct attempt {
    const struct row *row;
    const fer_json *doc;
    fer_str expected;
};

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct attempt *t = context;
    fer_str out = {"keep", 4};
    fer_schema_change *changes = NULL;
    size_t count = 77;
    fer_err err;
    fer_code code =
        fer_schema_convert(a, t->doc, t->row->from, t->row->to, &out, &changes, &count, &err);
    if (code) {
        assert_int_equal(err.code, code);
        assert_str(out, "keep");
        assert_int_equal(count, 77);
        return code == t->row->code ? FER_OK : code;
    }
    fer_arena *mine = fer_arena_new(0);
    if (!fer_str_eq(out, t->expected))
        fail_msg("\nexpected %.*s\n     but %.*s", FER_PRI(t->expected), FER_PRI(out));
    assert_str(pointers(mine, changes, count), t->row->changes);
    fer_arena_free(mine);
    return FER_OK;
}

static void converts(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    fer_err err;
    if (fer_json_read(a, fer_str_of(row->schema), NULL, &doc, &err)) fail_msg("%s", err.message);
    struct attempt t = {row, doc, row->converted ? with_schema(a, row) : FER_STR("")};
    fer_arena *mine = fer_arena_new(0);
    fer_code code = attempt(mine, &t);
    if (row->converted && !code) {
        fer_schema *s;
        const fer_schema_options options = {.dialect = row->to};
        /* External references are nobody's fault, and what is lost may be needed. */
        code = fer_schema_compile(t.expected, &options, &s, &err);
        if (!code) fer_schema_unref(s);
        else if (code != FER_EXTERNAL_REF && !strchr(row->changes, '!'))
            fail_msg("%s", err.message);
    } else {
        assert_int_equal(code, FER_OK);
    }
    fer_arena_free(mine);
    rows_torture_arena(attempt, &t);
    fer_arena_free(a);
}

/* ---- the official suite -------------------------------------------------- */

static const struct dialect {
    const char *folder;
    fer_dialect dialect;
} dialects[] = {{"draft4", D4},          {"draft6", D6},          {"draft7", D7},
                {"draft2019-09", D2019}, {"draft2020-12", D2020}, {"v1", DV1}};

struct tally_of {
    size_t cases, kept, tests, wrong;
};

/* 1.0 is a change of its own: where nothing else was lost, values without such numbers count. */
static bool only_integers(const fer_schema_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (changes[i].lost && !fer_str_starts(changes[i].message, "1.0 is an integer"))
            return false;
    }
    return true;
}

static bool has_point(const yyjson_val *v)
{
    for (const yyjson_val *at = v, *end = fer_val_next(v); at < end; at++) {
        if (fer_val_is(at, YYJSON_TYPE_NUM) && fer_val_tag(at) == FER_TAG_REAL) return true;
        if (fer_val_is(at, YYJSON_TYPE_RAW)) return true;
    }
    return false;
}

struct checking {
    const char *path;
    fer_str group;
    fer_dialect from, to;
    bool back;
    struct tally_of *tally;
};

/* All that is wrong is shown before the test fails. */
static void wrong(const struct checking *c, fer_str test, const char *what, fer_str text)
{
    c->tally->wrong++;
    print_error("%s: %.*s: %.*s: %s -> %s%s: %s: %.*s\n", c->path, FER_PRI(c->group), FER_PRI(test),
                fer_dialect_name(c->from), fer_dialect_name(c->to), c->back ? " and back" : "",
                what, FER_PRI(text));
}

static fer_schema *compile(const struct checking *c, fer_str text, fer_dialect dialect)
{
    fer_schema *s = NULL;
    fer_err err;
    const fer_schema_options options = {.dialect = dialect};
    if (fer_schema_compile(text, &options, &s, &err)) wrong(c, FER_STR(""), err.message, text);
    return s;
}

static void same_verdicts(const struct checking *c, fer_str text, fer_dialect dialect,
                          const yyjson_val *tests, bool any_number)
{
    fer_schema *s = compile(c, text, dialect);
    if (!s) return;
    fer_arena *a = fer_arena_new(0);
    FER_EACH_ITEM (tests, test) {
        fer_err err;
        const yyjson_val *data = fer_val_get(test, "data");
        bool valid, expected = fer_is_true(fer_val_get(test, "valid"));
        if (!any_number && has_point(data)) continue;
        fer_code code = fer_schema_accepts(s, a, data, &valid, &err);
        if (code || valid != expected) {
            wrong(c, suite_description(test), code ? err.message : "another verdict", text);
        }
        c->tally->tests++;
    }
    fer_schema_unref(s);
    fer_arena_free(a);
}

static bool has_remotes(const yyjson_val *schema)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text;
    assert_int_equal(fer_json_write(a, schema, false, &text, NULL), FER_OK);
    bool found = memmem(text.ptr, text.len, "localhost:1234", 14) != NULL;
    fer_arena_free(a);
    return found;
}

static void run_case(struct checking *c, const yyjson_val *group)
{
    const yyjson_val *schema = fer_val_get(group, "schema"), *tests = fer_val_get(group, "tests");
    if (has_remotes(schema)) return;
    fer_arena *a = fer_arena_new(0);
    fer_str text, there, back;
    fer_json *doc;
    fer_schema_change *changes;
    size_t count;
    fer_err err;
    c->group = suite_description(group);
    c->tally->cases++;
    assert_int_equal(fer_json_write(a, schema, false, &text, NULL), FER_OK);
    assert_int_equal(fer_json_read(a, text, fer_json_limits_file(), &doc, NULL), FER_OK);
    if (fer_schema_convert(a, doc, c->from, c->to, &there, &changes, &count, &err))
        fail_msg("%s: %.*s: %s", c->path, FER_PRI(c->group), err.message);
    bool kept = only_integers(changes, count);
    bool any_number = c->from != D4 && c->to != D4;
    c->back = false;
    /* Lost or not, it is a schema of the other dialect. */
    if (kept) same_verdicts(c, there, c->to, tests, any_number);
    else fer_schema_unref(compile(c, there, c->to));
    assert_int_equal(fer_json_read(a, there, fer_json_limits_file(), &doc, NULL), FER_OK);
    if (fer_schema_convert(a, doc, c->to, c->from, &back, &changes, &count, &err))
        fail_msg("%s: %.*s: back: %s", c->path, FER_PRI(c->group), err.message);
    c->back = true;
    if (kept && only_integers(changes, count)) same_verdicts(c, back, c->from, tests, any_number);
    c->tally->kept += kept;
    fer_arena_free(a);
}

static void convert_suite(const struct dialect *from)
{
    if (!*suite_root()) skip();
    for (size_t i = 0; i < FER_COUNT(dialects); i++) {
        fer_arena *a = fer_arena_new(0);
        char folder[64];
        size_t count;
        struct tally_of tally = {0};
        snprintf(folder, sizeof folder, "tests/%s", from->folder);
        struct suite_file *files = suite_files(a, folder, false, &count);
        for (size_t n = 0; n < count; n++) {
            struct checking c = {.path = files[n].path,
                                 .from = from->dialect,
                                 .to = dialects[i].dialect,
                                 .tally = &tally};
            /* Meta-schemas of one's own, and documents that are not here. */
            if (strstr(c.path, "/vocabulary.json")) continue;
            FER_EACH_ITEM (files[n].root, group) {
                run_case(&c, group);
            }
        }
        print_message("# %s -> %s: %zu cases, %zu without loss, %zu tests\n", from->folder,
                      dialects[i].folder, tally.cases, tally.kept, tally.tests);
        assert_int_equal(tally.wrong, 0);
        assert_true(tally.kept * 10 > tally.cases * 6);
        if (from->dialect == dialects[i].dialect) assert_int_equal(tally.kept, tally.cases);
        fer_arena_free(a);
    }
}

int main(void)
{
    return ROWS_RUN("convert", rows, converts) + ROWS_RUN("convert suite", dialects, convert_suite);
}
