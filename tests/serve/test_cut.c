/* SPDX-License-Identifier: Apache-2.0 */
/* Values cut to a size, and results that are kept. */
#include "cut.h"
#include "json_value.h"
#include "kept.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *json;
    const char *at;
    size_t from, size;
    const char *out;
    const char *cuts; /* AT from shown of; ... */
} rows[] = {
    {"what fits is as it came", "{\"b\": 1.0, \"a\":[1e2]}", "", 0, 100,
     "{\"b\": 1.0, \"a\":[1e2]}", ""},
    {"a list", "[1,2,3,4,5,6]", "", 0, 8, "[1,2,3]", " 0 3 6;"},
    {"the rest of it", "[1,2,3,4,5,6]", "", 3, 8, "[4,5,6]", " 3 3 6;"},
    {"past its end", "[1,2]", "", 9, 8, "[]", " 9 0 2;"},
    {"an item that is too large is cut", "[\"abcdefgh\",2]", "", 0, 8, "[\"abcd\"]",
     "/0 0 4 8; 0 1 2;"},
    {"a text", "\"abcdefgh\"", "", 0, 6, "\"abcd\"", " 0 4 8;"},
    {"the rest of the text", "\"abcdefgh\"", "", 4, 6, "\"efgh\"", " 4 4 8;"},
    {"a character is not cut", "\"a\xC3\xA9\xC3\xA9\xC3\xA9\"", "", 0, 6, "\"a\xC3\xA9\"",
     " 0 2 4;"},
    {"from a character", "\"a\xC3\xA9\xC3\xA9z\"", "", 2, 10, "\"\xC3\xA9z\"", " 2 2 4;"},
    {"an object keeps its small members", "{\"n\":1,\"list\":[1,2,3,4,5,6,7,8,9],\"z\":true}", "",
     0, 34, "{\"n\":1,\"list\":[1,2,3,4],\"z\":true}", "/list 0 4 9;"},
    {"two large members share", "{\"a\":[1,2,3,4,5,6,7,8],\"b\":[1,2,3,4,5,6,7,8]}", "", 0, 30,
     "{\"a\":[1,2,3,4],\"b\":[1,2,3,4]}", "/a 0 4 8;/b 0 4 8;"},
    {"members that do not fit", "{\"aaaaaa\":1,\"bbbbbb\":2,\"cccccc\":3}", "", 0, 24,
     "{\"aaaaaa\":1,\"bbbbbb\":2}", " 0 2 3;"},
    {"the rest of the members", "{\"aaaaaa\":1,\"bbbbbb\":2,\"cccccc\":3}", "", 2, 24,
     "{\"cccccc\":3}", " 2 1 3;"},
    {"a place below", "{\"a/b\":{\"~\":[1,2,3,4,5,6,7,8,9]}}", "", 0, 20,
     "{\"a/b\":{\"~\":[1,2,3]}}", "/a~1b/~0 0 3 9;"},
    {"a number is never cut", "123456789012345678901234567890", "", 0, 4,
     "123456789012345678901234567890", ""},
};

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_json *doc;
    fer_err err;
    fer_buf b, told;
    fer_cuts cuts = {.count = 0};
    fer_code code = fer_json_read(a, fer_str_of(row->json), NULL, &doc, &err);
    fer_buf_init(&b, a, 4096);
    if (!code)
        code = fer_cut_write(a, doc, fer_json_root(doc), fer_str_of(row->at), row->from, row->size,
                             &b, &cuts, &err);
    if (code) return code;
    assert_str(fer_buf_view(&b), row->out);
    fer_buf_init(&told, a, 4096);
    for (size_t i = 0; i < cuts.count; i++)
        fer_buf_printf(&told, "%.*s %zu %zu %zu;", FER_PRI(cuts.list[i].at), cuts.list[i].from,
                       cuts.list[i].shown, cuts.list[i].of);
    code = fer_buf_code(&told, &err);
    if (!code) assert_str(fer_buf_view(&told), row->cuts);
    return code;
}

static void run(const struct row *row)
{
    rows_torture_arena(attempt, row);
}

/* ---- kept results ---------------------------------------------------------------------------- */

static void keeps(void)
{
    fer_rests k = {0};
    char one[FER_KEPT_HANDLE], two[FER_KEPT_HANDLE];
    const int mine = 1, yours = 2;
    assert_true(fer_rest_put(&k, &mine, FER_STR("[1]"), one));
    assert_true(fer_rest_put(&k, &yours, FER_STR("[2]"), two));
    assert_string_not_equal(one, two);
    assert_int_equal(strlen(one), FER_KEPT_HANDLE - 1);
    assert_str(fer_rest_get(&k, &mine, fer_str_of(one)), "[1]");
    assert_null(fer_rest_get(&k, &yours, fer_str_of(one)).ptr);
    assert_null(fer_rest_get(&k, &mine, FER_STR("")).ptr);
    for (size_t i = 0; i < FER_KEPT_MAX - 1; i++)
        assert_true(fer_rest_put(&k, &mine, FER_STR("[]"), two));
    assert_int_equal(k.count, FER_KEPT_MAX);
    assert_null(fer_rest_get(&k, &mine, fer_str_of(one)).ptr); /* the oldest went */
    fer_rest_deinit(&k);
    assert_int_equal(k.bytes, 0);
}

static void is_bounded(void)
{
    fer_rests k = {0};
    char handle[FER_KEPT_HANDLE], last[FER_KEPT_HANDLE];
    fer_arena *a = fer_arena_new(0);
    char *half = fer_arena_alloc_zero(a, FER_KEPT_BYTES / 2 + 1, 1);
    fer_str text = {half, FER_KEPT_BYTES / 2};
    assert_true(fer_rest_put(&k, NULL, text, handle));
    assert_true(fer_rest_put(&k, NULL, text, last));
    assert_int_equal(fer_rest_get(&k, NULL, fer_str_of(handle)).len, text.len);
    assert_true(fer_rest_put(&k, NULL, FER_STR("1"), last));
    assert_null(fer_rest_get(&k, NULL, fer_str_of(handle)).ptr);
    text.len = FER_KEPT_BYTES + 1;
    assert_false(fer_rest_put(&k, NULL, text, last));
    fer_rest_deinit(&k);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("cut", rows, run) + ROWS_ONE("kept", keeps) + ROWS_ONE("kept", is_bounded);
}
