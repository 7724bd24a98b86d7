/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of schemas: each holds at its value and not one further, and says its name. And what
 * is very deep costs memory, never the stack: in the verdict, findings, outputs, annotations.
 */
#include <ferrule/schema.h>

#include <stdlib.h>

#include "buf.h"
#include "json_doc.h"
#include "must_read.h"
#include "rows.h"
#include "schema_limits.h"
#include "vm.h"

#define MORE_THAN_ANY ((size_t)1 << 40)

static const fer_schema_limits all_high = {
    .size = MORE_THAN_ANY,
    .depth = MORE_THAN_ANY,
    .subschemas = MORE_THAN_ANY,
    .refs = MORE_THAN_ANY,
    .pattern = MORE_THAN_ANY,
    .repeat = MORE_THAN_ANY,
    .states = 1000000,
    .steps = MORE_THAN_ANY,
};

/* ---- schemas of a certain size -------------------------------------------------------------- */

static void times(fer_buf *b, size_t n, const char *text)
{
    while (n-- > 0) fer_buf_add_text(b, text);
}

static void by_size(fer_buf *b, size_t n)
{
    times(b, n - 4, " ");
    fer_buf_add_text(b, "true");
}

static void by_depth(fer_buf *b, size_t n)
{
    times(b, n - 1, "{\"not\":");
    fer_buf_add_text(b, "{}");
    times(b, n - 1, "}");
}

static void by_subschemas(fer_buf *b, size_t n)
{
    fer_buf_add_text(b, "{\"allOf\":[true");
    times(b, n - 2, ",{}");
    fer_buf_add_text(b, "]}");
}

static void by_refs(fer_buf *b, size_t n)
{
    fer_buf_add_text(b, "{\"$defs\":{\"a\":true},\"allOf\":[{\"$ref\":\"#/$defs/a\"}");
    times(b, n - 1, ",{\"$ref\":\"#/$defs/a\"}");
    fer_buf_add_text(b, "]}");
}

static void by_pattern(fer_buf *b, size_t n)
{
    fer_buf_add_text(b, "{\"pattern\":\"");
    times(b, n, "a");
    fer_buf_add_text(b, "\"}");
}

static void by_repeat(fer_buf *b, size_t n)
{
    fer_buf_printf(b, "{\"patternProperties\":{\"^a{%zu}\":true}}", n);
}

static void by_states(fer_buf *b, size_t n)
{
    (void)n;
    fer_buf_add_text(b, "{\"pattern\":\"^(ab|cd){20}$\"}");
}

static const struct row {
    const char *name; /* of the limit */
    void (*make)(fer_buf *b, size_t n);
    size_t limit;
} rows[] = {
    {"schema.size", by_size, 100},
    {"schema.depth", by_depth, 20},
    {"schema.subschemas", by_subschemas, 50},
    {"schema.refs", by_refs, 30},
    {"schema.pattern", by_pattern, 64},
    {"schema.repeat", by_repeat, 25},
};

static size_t *limit_of(fer_schema_limits *limits, const char *name)
{
    for (size_t i = 0; i < fer_schema_limit_row_count; i++) {
        const struct fer_schema_limit_row *row = &fer_schema_limit_rows[i];
        if (strcmp(row->name, name) == 0) {
            return (size_t *)(void *)((char *)limits + row->offset);
        }
    }
    fail_msg("no limit %s", name);
    return NULL;
}

static fer_code compile(const struct row *row, size_t limit, size_t n, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema_limits limits = all_high;
    fer_schema_options options = {.limits = &limits};
    fer_schema *s = NULL;
    fer_buf b;
    *limit_of(&limits, row->name) = limit;
    fer_buf_init(&b, a, (size_t)1 << 20);
    row->make(&b, n);
    assert_int_equal(b.failure, FER_OK);
    fer_code code = fer_schema_compile(fer_buf_view(&b), &options, &s, err);
    fer_schema_unref(s);
    fer_arena_free(a);
    return code;
}

static void run(const struct row *row)
{
    fer_err err = {0};
    assert_int_equal(compile(row, row->limit, row->limit - 1, &err), FER_OK);
    assert_int_equal(compile(row, row->limit, row->limit, &err), FER_OK);
    assert_int_equal(compile(row, row->limit, row->limit + 1, &err), FER_LIMIT_EXCEEDED);
    assert_true(err.message[0]);
    if (!strstr(err.message, "limit ")) fail_msg("%s", err.message);
}

static void every_limit_has_its_row(void)
{
    /* Those above, states and steps. */
    assert_int_equal(fer_schema_limit_row_count, FER_COUNT(rows) + 2);
    for (size_t i = 0; i < fer_schema_limit_row_count; i++) {
        const char *name = fer_schema_limit_rows[i].name;
        fer_schema_limits message = *fer_schema_limits_message(), file = *fer_schema_limits_file();
        assert_true(*limit_of(&message, name) > 0);
        assert_true(*limit_of(&message, name) <= *limit_of(&file, name));
    }
}

/* States are the automaton's own: there is one number from which on the pattern compiles. */
static void states(void)
{
    const struct row row = {"schema.states", by_states, 0};
    fer_err err = {0};
    size_t low = 0, high = 100000;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (compile(&row, middle, 0, &err)) low = middle;
        else high = middle;
    }
    assert_true(low > 10);
    assert_int_equal(compile(&row, low, 0, &err), FER_LIMIT_EXCEEDED);
    assert_int_equal(compile(&row, high, 0, &err), FER_OK);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static const struct steps {
    const char *name;
    const char *schema, *instance;
} steps_rows[] = {
    {"items", "{\"items\":{\"type\":\"integer\"}}", "[1,2,3,4,5,6,7,8]"},
    {"an item that fails", "{\"items\":{\"anyOf\":[{\"minimum\":5},{\"maximum\":2}]}}",
     "[1,7,3,8]"},
    {"members", "{\"additionalProperties\":{\"maxLength\":3}}", "{\"a\":\"x\",\"b\":\"yyy\"}"},
    {"patterns", "{\"patternProperties\":{\"a+b\":true,\"^c\":false}}", "{\"aaab\":1,\"d\":2}"},
    {"text", "{\"pattern\":\"^(a|b)*c$\"}", "\"ababababababababababababababc\""},
    {"unique", "{\"uniqueItems\":true}", "[[1],[2],[3],[4],[1]]"},
    {"a recursion", "{\"items\":{\"$ref\":\"#\"},\"type\":\"array\"}", "[[[[[]]],[]],[[],[]]]"},
    {"marks",
     "{\"allOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":{\"type\":\"null\"}}",
     "{\"a\":1,\"b\":2,\"c\":null}"},
    {"dependencies", "{\"dependentRequired\":{\"a\":[\"b\",\"c\"]}}", "{\"a\":1,\"b\":2}"},
    {"an enum", "{\"enum\":[[1,2,3],{\"a\":[1]},[1,2,4]]}", "[1,2,5]"},
    {"a format", "{\"format\":\"date\"}", "\"2026-11-16\""},
    {"a scope", "{\"$dynamicAnchor\":\"n\",\"items\":{\"$dynamicRef\":\"#n\"},\"maxItems\":2}",
     "[[],[[],[]]]"},
    {"names", "{\"propertyNames\":{\"maxLength\":1}}", "{\"a\":1,\"bb\":2}"},
    {"a multiple", "{\"multipleOf\":7}", "123456789012345678901234567890123456789"},
    {"contains", "{\"contains\":{\"const\":3},\"minContains\":2}", "[1,2,3,4,5]"},
};

static fer_code verdict(fer_arena *a, const struct steps *row, size_t limit, bool *valid,
                        bool *budget)
{
    fer_schema_limits limits = all_high;
    fer_schema_options options = {.limits = &limits, .assert_formats = true};
    fer_schema *s = NULL;
    fer_json *doc;
    fer_result *r = NULL;
    fer_err err = {0};
    size_t count;
    limits.steps = limit;
    assert_int_equal(fer_schema_compile(fer_str_of(row->schema), &options, &s, &err), FER_OK);
    assert_int_equal(fer_json_read(a, fer_str_of(row->instance), NULL, &doc, &err), FER_OK);
    fer_code code = fer_schema_accepts(s, a, fer_json_root(doc), valid, &err);
    if (code) assert_non_null(strstr(err.message, "schema.steps"));
    assert_int_equal(fer_schema_validate(a, s, doc, NULL, NULL, &r, &err), FER_OK);
    const fer_violation *v = fer_result_violations(r, &count);
    *budget = count == 1 && v->code == FER_VALIDATION_BUDGET_EXCEEDED;
    if (code) assert_true(*budget && !fer_result_valid(r));
    else if (!*budget) assert_int_equal(fer_result_valid(r), *valid);
    if (*budget) {
        for (int format = FER_OUTPUT_FLAG; format <= FER_OUTPUT_HIERARCHICAL; format++) {
            fer_str out;
            assert_int_equal(fer_result_output(a, r, (fer_output)format, &out, &err), FER_OK);
            assert_false(fer_is_true(fer_val_get(must_read(a, out, NULL), "valid")));
        }
    }
    fer_schema_unref(s);
    return code;
}

/* Up to some number there is no verdict, and from there on always the same. */
static void run_steps(const struct steps *row)
{
    fer_arena *a = fer_arena_new(0);
    bool expected, valid, budget;
    assert_int_equal(verdict(a, row, 1000000, &expected, &budget), FER_OK);
    assert_false(budget);
    size_t least = 0;
    for (size_t limit = 0; limit < 400; limit++) {
        fer_code code = verdict(a, row, limit, &valid, &budget);
        if (code) {
            assert_int_equal(code, FER_VALIDATION_BUDGET_EXCEEDED);
            assert_int_equal(least, 0);
        } else {
            if (!least) least = limit;
            assert_int_equal(valid, expected);
        }
    }
    assert_true(least > 0);
    fer_arena_free(a);
}

/* ---- depth ---------------------------------------------------------------------------------- */

/* More than a stack holds. In an instrumented build, where frames are larger and each level takes
 * ten times as long, a quarter of that. */
static size_t depth_of_rows(void)
{
    return getenv("FERRULE_INSTRUMENTED") ? 25000 : 100000;
}

static fer_str nested(fer_arena *a, size_t n, const char *open, const char *inside,
                      const char *close)
{
    fer_buf b;
    fer_buf_init(&b, a, (size_t)64 << 20);
    times(&b, n, open);
    fer_buf_add_text(&b, inside);
    times(&b, n, close);
    assert_int_equal(b.failure, FER_OK);
    return fer_buf_view(&b);
}

static const struct deep {
    const char *name;
    const char *open, *inside, *close; /* of the schema; open NULL: just inside */
    const char *value_open, *value, *value_close;
    bool valid;
} deeps[] = {
    {"a recursive schema, valid", NULL, "{\"items\":{\"$ref\":\"#\"},\"title\":\"t\"}", NULL, "[",
     "1", "]", true},
    {"a recursive schema, not valid", NULL, "{\"items\":{\"$ref\":\"#\"},\"type\":\"array\"}", NULL,
     "[", "1", "]", false},
    {"members", NULL,
     "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"additionalProperties\":false,\"type\":\"object\"}",
     NULL, "{\"a\":", "{\"b\":1}", "}", false},
    {"members, required", NULL, "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]}",
     NULL, "{\"a\":", "{}", "}", false},
    {"a dynamic reference", NULL,
     "{\"$dynamicAnchor\":\"n\",\"items\":{\"$dynamicRef\":\"#n\"},\"maxItems\":1}", NULL, "[",
     "[1,2]", "]", false},
    {"unions", NULL,
     "{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}]}", NULL, "[",
     "1", "]", false},
    {"unevaluated", NULL, "{\"allOf\":[{\"items\":{\"$ref\":\"#\"}}],\"unevaluatedItems\":false}",
     NULL, "[", "", "]", true},
    {"a deep schema", "{\"items\":", "{\"type\":\"null\"}", "}", "[", "1", "]", false},
    {"a deep schema, valid", "{\"items\":", "{\"title\":\"t\"}", "}", "[", "1", "]", true},
    {"a deep schema, a name that is long", "{\"properties\":{\"a-name-that-is-long\":",
     "{\"required\":[\"b\"]}", "}}", "{\"a-name-that-is-long\":", "{}", "}", false},
    {"all on one value", "{\"allOf\":[", "{\"type\":\"null\"}", "]}", "", "1", "", false},
    {"all on one value, required", "{\"allOf\":[", "{\"required\":[\"a\"]}", "]}", "", "{}", "",
     false},
    {"not", "{\"not\":", "{\"type\":\"null\"}", "}", "", "1", "", false},
    {"any on one value", "{\"anyOf\":[", "{\"type\":\"null\"}", "]}", "", "1", "", false},
    {"if", "{\"if\":true,\"then\":", "{\"type\":\"null\"}", "}", "", "1", "", false},
    {"a long enum value", NULL, "{\"enum\":[1]}", NULL, "[", "1", "]", false},
    {"unique", NULL, "{\"uniqueItems\":true,\"items\":{\"$ref\":\"#\"}}", NULL, "[", "1,1", "]",
     false},
    {"const", "{\"const\":", "1", "}", "", "1", "", false},
};

/* Everything that can be asked of it; what is too long for the output says so. */
static void ask_all(fer_arena *a, const struct deep *row, const fer_schema *s, const fer_json *doc,
                    bool annotations)
{
    fer_result *r = NULL;
    fer_err err = {0};
    size_t count;
    fer_validate_options options = {.annotations = annotations};
    fer_code code = fer_schema_validate(a, s, doc, NULL, &options, &r, &err);
    if (annotations && code == FER_LIMIT_EXCEEDED) return;
    if (code) fail_msg("%s", err.message);
    assert_int_equal(fer_result_valid(r), row->valid);
    const fer_violation *v = fer_result_violations(r, &count);
    assert_true(row->valid ? count == 0 : count > 0);
    for (size_t i = 0; i < count; i++) assert_true(v[i].message.len > 0);
    for (int format = FER_OUTPUT_FLAG; format <= FER_OUTPUT_HIERARCHICAL; format++) {
        fer_str out;
        code = fer_result_output(a, r, (fer_output)format, &out, &err);
        if (code) assert_int_equal(code, FER_LIMIT_EXCEEDED);
    }
}

static void run_deep(const struct deep *row)
{
    fer_json_limits json = *fer_json_limits_file();
    fer_schema_options options = {.limits = &all_high};
    fer_schema *s = NULL;
    fer_json *doc;
    fer_err err = {0};
    bool valid;
    fer_arena *a = fer_arena_new((size_t)1 << 30);
    json.depth = json.nodes = json.size = MORE_THAN_ANY;
    bool deep_schema = row->open != NULL;
    size_t most = depth_of_rows(), depth = deep_schema && row->value_open[0] == '\0' ? 0 : most;
    fer_str schema = nested(a, deep_schema ? most : 0, row->open, row->inside, row->close);
    fer_str value = nested(a, depth, row->value_open, row->value, row->value_close);
    rows_must_end(120);
    if (fer_schema_compile(schema, &options, &s, &err)) fail_msg("%s", err.message);
    if (fer_json_read(a, value, &json, &doc, &err)) fail_msg("%s", err.message);
    assert_int_equal(fer_schema_accepts(s, a, fer_json_root(doc), &valid, &err), FER_OK);
    assert_int_equal(valid, row->valid);
    ask_all(a, row, s, doc, false);
    ask_all(a, row, s, doc, true);
    rows_must_end(0);
    fer_schema_unref(s);
    fer_arena_free(a);
}

/* Two frames for each level but the last: at the limit, and past it. */
static void frames(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_json_limits json = *fer_json_limits_file();
    fer_schema_options options = {.limits = &all_high};
    fer_schema *s = NULL;
    fer_err err = {0};
    bool valid = false;
    json.depth = json.nodes = json.size = MORE_THAN_ANY;
    assert_int_equal(
        fer_schema_compile(FER_STR("{\"items\":{\"$ref\":\"#\"}}"), &options, &s, NULL), FER_OK);
    for (size_t more = 0; more < 2; more++) {
        fer_json *doc;
        fer_str value = nested(a, FER_VM_FRAMES / 2 + more, "[", "", "]");
        assert_int_equal(fer_json_read(a, value, &json, &doc, &err), FER_OK);
        fer_code code = fer_schema_accepts(s, a, fer_json_root(doc), &valid, &err);
        assert_int_equal(code, more ? FER_VALIDATION_BUDGET_EXCEEDED : FER_OK);
        fer_result *r;
        assert_int_equal(fer_schema_validate(a, s, doc, NULL, NULL, &r, &err), FER_OK);
        assert_int_equal(fer_result_valid(r), !more);
    }
    fer_schema_unref(s);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("schema limits", rows, run) +
           ROWS_ONE("schema limits", every_limit_has_its_row) + ROWS_ONE("schema limits", states) +
           ROWS_RUN("steps", steps_rows, run_steps) + ROWS_RUN("depth", deeps, run_deep) +
           ROWS_ONE("depth", frames);
}
