/* SPDX-License-Identifier: Apache-2.0 */
/* Equality by value, and that equal values, and only these, have one canonical form. */
#include "must_read.h"
#include "rows.h"

#include "buf.h"
#include "json_doc.h"

/* ---- equality ------------------------------------------------------------------- */

static const struct pair {
    const char *name;
    const char *x, *y;
    bool equal;
} pairs[] = {
    {"null", "null", "null", true},
    {"null and false", "null", "false", false},
    {"true and false", "true", "false", false},
    {"true and true", "true", " true", true},
    {"strings", "\"a\"", "\"\\u0061\"", true},
    {"strings of other case", "\"a\"", "\"A\"", false},
    {"a prefix", "\"a\"", "\"ab\"", false},
    {"a string and its NUL", "\"a\"", "\"a\\u0000\"", false},
    {"1 and 1.0", "1", "1.0", true},
    {"1 and \"1\"", "1", "\"1\"", false},
    {"1 and true", "1", "true", false},
    {"0 and -0.0", "0", "-0.0", true},
    {"1e400 and 10e399", "1e400", "10e399", true},
    {"1e400 and 1e401", "1e400", "1e401", false},
    {"2^53 and 2^53 + 1", "9007199254740992", "9007199254740993", false},
    {"2^53 as a decimal and 2^53 + 1", "9007199254740992.0", "9007199254740993", false},
    {"raw and string", "1e400", "\"1e400\"", false},
    {"0 and null", "0", "null", false},
    {"empty array and object", "[]", "{}", false},
    {"empty array and null", "[]", "null", false},
    {"arrays", "[1,[2,3]]", "[1.0,[2,3e0]]", true},
    {"arrays in another order", "[1,2]", "[2,1]", false},
    {"arrays of other lengths", "[1,2]", "[1,2,3]", false},
    {"arrays with a cut tail", "[[1],2]", "[[1,2]]", false},
    {"keys in another order", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
    {"one key more", "{\"a\":1}", "{\"a\":1,\"b\":2}", false},
    {"another key", "{\"a\":1}", "{\"b\":1}", false},
    {"another value", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":3}", false},
    {"values swapped", "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", false},
    {"nested, another order", "{\"a\":[{\"x\":1,\"y\":[]}],\"b\":{}}",
     "{\"b\":{},\"a\":[{\"y\":[],\"x\":1.0}]}", true},
    {"nested, one leaf differs", "{\"a\":[{\"x\":1,\"y\":[{}]}]}", "{\"a\":[{\"x\":1,\"y\":[[]]}]}",
     false},
    {"the empty key", "{\"\":1}", "{\"\":1}", true},
};

static fer_code attempt_pair(fer_arena *a, const void *data)
{
    const struct pair *row = data;
    fer_json *x, *y;
    bool equal = false, turned = false, self = false;
    fer_code code = fer_json_read(a, fer_str_of(row->x), NULL, &x, NULL);
    if (!code) code = fer_json_read(a, fer_str_of(row->y), NULL, &y, NULL);
    if (!code) code = fer_json_equal(a, fer_json_root(x), fer_json_root(y), &equal, NULL);
    if (!code) code = fer_json_equal(a, fer_json_root(y), fer_json_root(x), &turned, NULL);
    if (!code) code = fer_json_equal(a, fer_json_root(x), fer_json_root(x), &self, NULL);
    if (code) return code;
    assert_int_equal(equal, row->equal);
    assert_int_equal(turned, row->equal);
    assert_true(self);
    return FER_OK;
}

static void run_pair(const struct pair *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt_pair(a, row), FER_OK);
    /* Equal values, and only these, have one canonical form. */
    fer_str x = must_canon(a, must_read(a, fer_str_of(row->x), NULL));
    fer_str y = must_canon(a, must_read(a, fer_str_of(row->y), NULL));
    assert_int_equal(fer_str_eq(x, y), row->equal);
    fer_arena_free(a);
}

static void torture_pair(const struct pair *row)
{
    assert_true(rows_torture_arena(attempt_pair, row) > 1);
}

static fer_str many_keys(fer_arena *a, size_t count, bool backwards)
{
    fer_buf b;
    fer_buf_init(&b, a, 1u << 22);
    for (size_t i = 0; i < count; i++) {
        size_t k = backwards ? count - 1 - i : i;
        fer_buf_printf(&b, "%c\"key %zu\":[%zu]", i ? ',' : '{', k, k);
    }
    fer_buf_add_char(&b, '}');
    return fer_buf_view(&b);
}

static void many_keys_backwards(void)
{
    fer_arena *a = fer_arena_new(0);
    bool equal = false;
    const yyjson_val *x = must_read(a, many_keys(a, 5000, false), NULL);
    const yyjson_val *y = must_read(a, many_keys(a, 5000, true), NULL);
    rows_must_end(60);
    assert_int_equal(fer_json_equal(a, x, y, &equal, NULL), FER_OK);
    assert_true(equal);
    assert_true(fer_str_eq(must_canon(a, x), must_canon(a, y)));
    rows_must_end(0);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("equality", pairs, run_pair) +
           ROWS_RUN("equality, arena failing", pairs, torture_pair) +
           ROWS_ONE("equality", many_keys_backwards);
}
