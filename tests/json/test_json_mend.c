/* SPDX-License-Identifier: Apache-2.0 */
/* A changed value put back into its text: the rest of the text stays as it is. */
#include "rows.h"

#include "buf.h"
#include "json_mend.h"

static const struct row {
    const char *name;
    const char *text, *to, *mended;
} rows[] = {
    {"nothing changes", "{ \"a\" : 1 }", "{\"a\":1.0}", "{ \"a\" : 1 }"},
    {"a scalar", "{ \"a\" : 1 }", "{\"a\":2}", "{ \"a\" : 2 }"},
    {"the root", " 1 ", "[1]", " [1] "},
    {"other notations stay", "{\"a\":1e2,\"b\":\"\\u0041\",\"c\":1}",
     "{\"a\":100,\"b\":\"A\",\"c\":2}", "{\"a\":1e2,\"b\":\"\\u0041\",\"c\":2}"},
    {"another order is no change", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "{\"a\":1,\"b\":2}"},
    {"the first goes", "{ \"a\": 1, \"b\": 2 }", "{\"b\":2}", "{ \"b\": 2 }"},
    {"the last goes", "{ \"a\": 1, \"b\": 2 }", "{\"a\":1}", "{ \"a\": 1 }"},
    {"one in the middle goes", "{\"a\":1, \"b\":2, \"c\":3}", "{\"a\":1,\"c\":3}",
     "{\"a\":1, \"c\":3}"},
    {"all go", "{ \"a\": 1 }", "{}", "{}"},
    {"all go and others come", "{\"a\": 1}", "{\"b\":2}", "{\"b\": 2}"},
    {"both ends go", "[1, 2, 3]", "[2]", "[2]"},
    {"one comes first", "{\"b\":2}", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"},
    {"one comes last", "{ \"a\": 1 }", "{\"a\":1,\"b\":[1,2]}", "{ \"a\": 1, \"b\": [1, 2] }"},
    {"one comes and one goes", "{\"a\":1,\"x\":0,\"c\":3}", "{\"a\":1,\"b\":2,\"c\":3}",
     "{\"a\":1,\"b\":2,\"c\":3}"},
    {"the last is another", "{\"a\":1,\"x\":0}", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"},
    {"the first is another", "{\"x\":0,\"a\":1}", "{\"b\":2,\"a\":1}", "{\"b\":2,\"a\":1}"},
    {"into an empty one", "{\"a\": {}}", "{\"a\":{\"b\":1}}", "{\"a\": {\"b\": 1}}"},
    {"items", "[1,2,3,4]", "[1,3,4,5]", "[1,3,4,5]"},
    {"an item changes inside", "[{\"a\":1, \"b\":2}, 7]", "[{\"a\":1,\"b\":3},7]",
     "[{\"a\":1, \"b\":3}, 7]"},
    {"an item changes, another comes", "[ {\"a\":1}, 2 ]", "[{\"a\":5},2,3]",
     "[ {\"a\":5}, 2, 3 ]"},
    {"another type", "{\"a\": [1]}", "{\"a\":{\"b\":1}}", "{\"a\": {\"b\": 1}}"},
    {"lines: one goes", "{\n    \"a\": 1,\n    \"b\": 2\n}\n", "{\"a\":1}", "{\n    \"a\": 1\n}\n"},
    {"lines: one comes", "{\n    \"a\": 1\n}\n", "{\"a\":1,\"b\":{\"c\":[1,2],\"d\":{\"e\":0}}}",
     "{\n    \"a\": 1,\n    \"b\": {\n        \"c\": [1, 2],\n        \"d\": {\n            \"e\": 0\n        }\n    }\n}\n"},
    {"lines: arrays on many", "{\n\t\"a\": [\n\t\t1\n\t]\n}", "{\"a\":[1],\"b\":[1,2],\"c\":[]}",
     "{\n\t\"a\": [\n\t\t1\n\t],\n\t\"b\": [\n\t\t1,\n\t\t2\n\t],\n\t\"c\": []\n}"},
    {"lines: a value becomes an object", "{\n  \"a\": {\n    \"b\": true\n  }\n}",
     "{\"a\":{\"b\":{\"c\":1}}}", "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}"},
    {"lines: objects on one", "{\n  \"a\": {\"type\": \"x\"},\n  \"b\": {\"type\": \"y\"}\n}",
     "{\"a\":{\"type\":\"x\",\"enum\":[1]},\"b\":{\"type\":\"y\"}}",
     "{\n  \"a\": {\"type\": \"x\", \"enum\": [1]},\n  \"b\": {\"type\": \"y\"}\n}"},
    {"another name", "{ \"oneOf\": [ 1,2 ], \"x\": 0 }", "{\"anyOf\":[1,2],\"x\":0}",
     "{ \"anyOf\": [ 1,2 ], \"x\": 0 }"},
    {"small objects on one line", "{\n  \"a\": {\"b\": 1}\n}",
     "{\"a\":{\"b\":1},\"c\":[{\"d\":2},{\"e\":{\"f\":3}}]}",
     "{\n  \"a\": {\"b\": 1},\n  \"c\": [\n    {\"d\": 2},\n    {\n      \"e\": {\"f\": 3}\n    }\n  ]\n}"},
    {"ends of lines are kept", "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}", "{\"a\":1,\"b\":2,\"c\":3}",
     "{\r\n  \"a\": 1,\r\n  \"b\": 2,\r\n  \"c\": 3\r\n}"},
    {"ends of lines inside of what is new", "{\r\n  \"a\": 1\r\n}", "{\"a\":{\"b\":[{\"c\":{}}]}}",
     "{\r\n  \"a\": {\r\n    \"b\": [\r\n      {\r\n        \"c\": {}\r\n      }\r\n    ]\r\n  }\r\n}"},
    {"among others on one line",
     "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": {\"d\": 1, \"e\": 2}\n}",
     "{\"a\":{\"x\":1},\"b\":{\"d\":1,\"e\":2,\"f\":[{\"g\":{\"h\":1}}]}}",
     "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": {\"d\": 1, \"e\": 2, \"f\": [{\"g\": {\"h\": 1}}]}\n}"},
    {"a byte order mark", "\xEF\xBB\xBF{\"a\":1}", "{\"a\":2}", "\xEF\xBB\xBF{\"a\":2}"},
    {"an empty list stays", "[ ]", "[]", "[ ]"},
};

/* The text with the value in it made into another; it reads as that. */
static fer_code mended(fer_arena *a, fer_str text, size_t base, size_t end, fer_str value,
                       fer_str *out)
{
    fer_json *doc, *to, *again;
    fer_splices splices = {0};
    bool equal = false;
    fer_code code = fer_json_read(a, fer_str_slice(text, base, end), NULL, &doc, NULL);
    if (!code) code = fer_json_read(a, value, NULL, &to, NULL);
    if (code) return code;
    fer_mended in = {text, doc, base};
    code = fer_json_mend(a, &in, fer_json_root(doc), fer_json_root(to), &splices, NULL);
    if (!code) code = fer_splices_apply(a, text, &splices, out, NULL);
    if (code) return code;
    fer_str part = fer_str_slice(*out, base, out->len - (text.len - end));
    code = fer_json_read(a, part, NULL, &again, NULL);
    if (!code) code = fer_json_equal(a, fer_json_root(again), fer_json_root(to), &equal, NULL);
    if (!code) assert_true(equal);
    return code;
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_str text = fer_str_of(row->text), out;
    fer_code code = mended(a, text, 0, text.len, fer_str_of(row->to), &out);
    if (!code) assert_str(out, row->mended);
    return code;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
}

static void torture(const struct row *row)
{
    assert_true(rows_torture_arena(attempt, row) > 0);
}

/* A part of a text: indents are those of the whole, and nothing around it moves. */
static void test_part(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = FER_STR("[\n    {\n        \"a\": 1\n    }\n]\n"), out;
    fer_str to = FER_STR("{\"a\":1,\"b\":{\"c\":2}}");
    assert_int_equal(mended(a, text, 6, text.len - 3, to, &out), FER_OK);
    assert_str(out, "[\n    {\n        \"a\": 1,\n        \"b\": {\n            \"c\": 2\n"
                    "        }\n    }\n]\n");
    fer_arena_free(a);
}

/* Random values: whatever the two are, the mended text reads as the second. */
static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void random_value(fer_buf *b, uint32_t *state, int depth)
{
    static const char *const gaps[] = {"", " ", "\n  ", "\t"};
    uint32_t kind = next(state) % (depth > 3 ? 2 : 4), count = next(state) % 5;
    if (kind < 2) {
        fer_buf_printf(b, kind ? "%u" : "\"s%u\"", next(state) % 4);
        return;
    }
    fer_buf_add_char(b, kind == 2 ? '[' : '{');
    uint32_t key = 0;
    for (uint32_t i = 0; i < count; i++) {
        fer_buf_add_text(b, i ? "," : "");
        fer_buf_add_text(b, gaps[next(state) % 4]);
        key += 1 + next(state) % 2;
        if (kind == 3) fer_buf_printf(b, "\"k%u\":%s", key, gaps[next(state) % 4]);
        random_value(b, state, depth + 1);
        fer_buf_add_text(b, gaps[next(state) % 4]);
    }
    fer_buf_add_char(b, kind == 2 ? ']' : '}');
}

static void test_random(void)
{
    fer_arena *a = fer_arena_new(0);
    for (uint32_t seed = 1; seed <= 5000; seed++) {
        fer_buf x, y;
        fer_str out;
        uint32_t state = seed;
        fer_arena_reset(a);
        fer_buf_init(&x, a, 1 << 20);
        fer_buf_init(&y, a, 1 << 20);
        random_value(&x, &state, 0);
        random_value(&y, &state, 0);
        assert_int_equal(mended(a, fer_buf_view(&x), 0, x.len, fer_buf_view(&y), &out), FER_OK);
    }
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("mend", rows, run) + ROWS_RUN("mend torture", rows, torture) +
           ROWS_ONE("mend", test_part) + ROWS_ONE("mend", test_random);
}
