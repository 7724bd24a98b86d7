/* SPDX-License-Identifier: Apache-2.0 */
/* Redaction by paths: what goes, what is listed, and what is no path. */
#include "must_read.h"
#include "redact.h"
#include "rows.h"

static const struct row {
    const char *name, *paths, *json, *out, *places;
} rows[] = {
    {"nothing to hide", "", "{\"a\":[1,true,null,\"x\"]}", "{\"a\":[1,true,null,\"x\"]}", ""},
    {"a built-in name", "", "{\"token\":\"t\",\"a\":1}", "{\"token\":\"[REDACTED]\",\"a\":1}",
     "input.token"},
    {"anywhere below", "", "{\"a\":[{\"b\":{\"password\":1}}]}",
     "{\"a\":[{\"b\":{\"password\":\"[REDACTED]\"}}]}", "input.a[0].b.password"},
    {"case and dashes do not count", "", "{\"API-Key\":1,\"x_api_key\":2,\"Set-Cookie\":3}",
     "{\"API-Key\":\"[REDACTED]\",\"x_api_key\":\"[REDACTED]\",\"Set-Cookie\":\"[REDACTED]\"}",
     "input.API-Key input.x_api_key input.Set-Cookie"},
    {"a word that only begins so is none", "", "{\"tokens\":1,\"secretary\":2}",
     "{\"tokens\":1,\"secretary\":2}", ""},
    {"a whole subtree", "a", "{\"a\":{\"b\":[1]},\"c\":2}", "{\"a\":\"[REDACTED]\",\"c\":2}",
     "input.a"},
    {"a path", "a.b", "{\"a\":{\"b\":1,\"c\":2},\"b\":3}",
     "{\"a\":{\"b\":\"[REDACTED]\",\"c\":2},\"b\":3}", "input.a.b"},
    {"one level", "*.b", "{\"a\":{\"b\":1},\"b\":2,\"c\":{\"d\":{\"b\":3}}}",
     "{\"a\":{\"b\":\"[REDACTED]\"},\"b\":2,\"c\":{\"d\":{\"b\":3}}}", "input.a.b"},
    {"any level", "**.b", "{\"a\":{\"b\":1},\"b\":2}",
     "{\"a\":{\"b\":\"[REDACTED]\"},\"b\":\"[REDACTED]\"}", "input.a.b input.b"},
    {"in between", "a.**.z", "{\"a\":{\"z\":1,\"b\":{\"c\":{\"z\":2}}},\"z\":3}",
     "{\"a\":{\"z\":\"[REDACTED]\",\"b\":{\"c\":{\"z\":\"[REDACTED]\"}}},\"z\":3}",
     "input.a.z input.a.b.c.z"},
    {"each item", "items.key", "{\"items\":[{\"key\":1},{\"key\":2}]}",
     "{\"items\":[{\"key\":\"[REDACTED]\"},{\"key\":\"[REDACTED]\"}]}",
     "input.items[0].key input.items[1].key"},
    {"each item, spelled out", "items[*].key", "{\"items\":[{\"key\":1}]}",
     "{\"items\":[{\"key\":\"[REDACTED]\"}]}", "input.items[0].key"},
    {"one item", "items[1]", "{\"items\":[1,2,3]}", "{\"items\":[1,\"[REDACTED]\",3]}",
     "input.items[1]"},
    {"items.*.token", "items.*.k", "{\"items\":[{\"k\":1}]}",
     "{\"items\":[{\"k\":\"[REDACTED]\"}]}", "input.items[0].k"},
    {"an exact name", "[\"A.b\"]", "{\"A.b\":1,\"a.b\":2}", "{\"A.b\":\"[REDACTED]\",\"a.b\":2}",
     "input[key#0]"},
    {"another root", "output:a", "{\"a\":1}", "{\"a\":1}", ""},
    {"this root", "input:a", "{\"a\":1}", "{\"a\":\"[REDACTED]\"}", "input.a"},
    {"with the name of the root", "input.a", "{\"a\":1}", "{\"a\":\"[REDACTED]\"}", "input.a"},
    {"all of it", "input", "{\"a\":1}", "\"[REDACTED]\"", "input"},
    {"everything", "**", "[1]", "\"[REDACTED]\"", "input"},
    {"a key that is a secret itself is numbered", "**", "{}", "\"[REDACTED]\"", "input"},
    {"R38", "a.*", "{\"a\":{\"sk-live/odd key\":1}}",
     "{\"a\":{\"sk-live/odd key\":\"[REDACTED]\"}}", "input.a[key#0]"},
    {"numbers keep their digits", "x", "{\"n\":12345678901234567890123,\"f\":1.50}",
     "{\"n\":12345678901234567890123,\"f\":1.5}", ""},
    {"texts are escaped", "x", "{\"t\":\"a\\n\\\"b\"}", "{\"t\":\"a\\n\\\"b\"}", ""},
    {"two rules, one place", "a a", "{\"a\":1}", "{\"a\":\"[REDACTED]\"}", "input.a"},
};

static fer_code compile(fer_arena *a, const char *paths, fer_redact_rules **out, fer_err *err)
{
    fer_str list[16];
    size_t count = 0;
    for (const char *p = paths; *p;) {
        size_t len = strcspn(p, " ");
        list[count++] = (fer_str){p, len};
        p += len + (p[len] != '\0');
    }
    return fer_redact_compile(a, list, count, true, NULL, 0, out, err);
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_redact_rules *rules;
    fer_redactions places = {.arena = a};
    fer_json *doc;
    fer_buf out, text;
    fer_err err;
    fer_code code = fer_json_read(a, fer_str_of(row->json), NULL, &doc, &err);
    if (!code) code = compile(a, row->paths, &rules, &err);
    if (code) return code;
    fer_buf_init(&out, a, SIZE_MAX / 4);
    code = fer_redact_add(&out, rules, FER_ROOT_INPUT, fer_json_root(doc), &places, &err);
    if (code) return code;
    assert_str(fer_buf_view(&out), row->out);
    bool touched = fer_redact_touches(a, rules, FER_ROOT_INPUT, fer_json_root(doc));
    fer_buf_init(&text, a, SIZE_MAX / 4);
    for (size_t i = 0; i < places.count; i++) {
        if (i) fer_buf_add_char(&text, ' ');
        fer_buf_add(&text, places.list[i]);
    }
    code = fer_buf_code(&text, &err);
    if (code) return code;
    assert_str(fer_buf_view(&text), row->places);
    assert_true(touched || !places.count); /* without memory it is careful */
    return FER_OK;
}

static void run_row(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
}

static const struct bad_row {
    const char *name, *path;
} bad_rows[] = {
    {"nothing", ""},        {"a pointer", "/a/b"},      {"two dots", "a..b"},
    {"three stars", "***"}, {"an open bracket", "a[1"}, {"no number", "a[x]"},
    {"a last dot", "a."},
};

static void run_bad(const struct bad_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_redact_rules *rules;
    fer_err err;
    fer_str path = fer_str_of(row->path);
    assert_int_equal(fer_redact_compile(a, &path, 1, false, NULL, 0, &rules, &err),
                     FER_INVALID_FORMAT);
    fer_arena_free(a);
}

/* The edges of redact.list, redact.steps, redact.rules. */
static void limits(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_redact_rules *rules;
    fer_redactions places = {.arena = a};
    fer_buf b, path;
    fer_err err;
    assert_int_equal(compile(a, "", &rules, &err), FER_OK);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (int i = 0; i < FER_REDACT_LIST + 3; i++)
        fer_buf_printf(&b, "%c{\"token\":1}", i ? ',' : '[');
    fer_buf_add_char(&b, ']');
    const yyjson_val *v = must_read(a, fer_buf_view(&b), NULL);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    assert_int_equal(fer_redact_add(&b, rules, FER_ROOT_OUTPUT, v, &places, &err), FER_OK);
    assert_int_equal(places.count, FER_REDACT_LIST);
    assert_int_equal(places.more, 3);
    assert_str(places.list[99], "output[99].token");
    for (int steps = FER_REDACT_STEPS; steps <= FER_REDACT_STEPS + 1; steps++) {
        fer_buf_init(&path, a, SIZE_MAX / 4);
        for (int i = 0; i < steps; i++) fer_buf_add_text(&path, i ? ".a" : "a");
        fer_str one = fer_buf_view(&path);
        assert_int_equal(fer_redact_compile(a, &one, 1, false, NULL, 0, &rules, &err),
                         steps > FER_REDACT_STEPS ? FER_LIMIT_EXCEEDED : FER_OK);
    }
    fer_str *many = fer_arena_alloc(a, (FER_REDACT_RULES + 1) * sizeof *many);
    for (int i = 0; i <= FER_REDACT_RULES; i++) many[i] = FER_STR("a");
    assert_int_equal(fer_redact_compile(a, many, FER_REDACT_RULES, false, NULL, 0, &rules, &err),
                     FER_OK);
    assert_int_equal(
        fer_redact_compile(a, many, FER_REDACT_RULES + 1, false, NULL, 0, &rules, &err),
        FER_LIMIT_EXCEEDED);
    fer_arena_free(a);
}

/* Only the operator narrows the built-in rules. */
static void except(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_redact_rules *rules;
    fer_buf b;
    fer_err err;
    fer_str name = FER_STR("Token");
    assert_int_equal(fer_redact_compile(a, NULL, 0, true, &name, 1, &rules, &err), FER_OK);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    const yyjson_val *v = must_read(a, FER_STR("{\"token\":1,\"secret\":2}"), NULL);
    assert_int_equal(fer_redact_add(&b, rules, FER_ROOT_INPUT, v, NULL, &err), FER_OK);
    assert_str(fer_buf_view(&b), "{\"token\":1,\"secret\":\"[REDACTED]\"}");
    fer_arena_free(a);
}

int main(void)
{
    int failed = ROWS_RUN("paths", rows, run_row);
    failed += ROWS_RUN("no paths", bad_rows, run_bad);
    failed += ROWS_ONE("limits", limits);
    failed += ROWS_ONE("limits", except);
    return failed != 0;
}
