/* SPDX-License-Identifier: Apache-2.0 */
/* One member of a text that people keep by hand: set, and taken out again. */
#include "jsonc_edit.h"

#include "errors.h"
#include "rows.h"

/* The path of all rows is servers/x; the value is {"c":"f","a":["s"]}. `after` NULL: it fails with
 * `removed`. What is taken out afterwards leaves `removed`; NULL: the text of the beginning. */
static const struct row {
    const char *name, *text, *after, *removed;
} rows[] = {
    {"an empty text", "",
     "{\n  \"servers\": {\n    \"x\": {\n      \"c\": \"f\",\n      \"a\": [\n        \"s\"\n      "
     "]\n    }\n  }\n}\n",
     "{\n  \"servers\": {\n  }\n}\n"},
    {"an empty object", "{}",
     "{\n  \"servers\": {\n    \"x\": {\n      \"c\": \"f\",\n      \"a\": [\n        \"s\"\n      "
     "]\n    }\n  }\n}",
     "{\n  \"servers\": {\n  }\n}"},
    {"only a comment", "// mine\n",
     "// mine\n{\n  \"servers\": {\n    \"x\": {\n      \"c\": \"f\",\n      \"a\": [\n        "
     "\"s\"\n      ]\n    }\n  }\n}\n",
     "// mine\n{\n  \"servers\": {\n  }\n}\n"},
    {"on one line", "{\"servers\":{\"y\":1.50},\"z\":2}",
     "{\"servers\":{\"y\":1.50, \"x\": {\"c\":\"f\",\"a\":[\"s\"]}},\"z\":2}",
     "{\"servers\":{\"y\":1.50 },\"z\":2}"},
    {"on one line, the first", "{\"servers\":{}}",
     "{\"servers\":{\"x\": {\"c\":\"f\",\"a\":[\"s\"]}}}", NULL},
    {"four blanks", "{\n    \"z\": 1,\n    \"servers\": {\n        \"y\": {}\n    }\n}\n",
     "{\n    \"z\": 1,\n    \"servers\": {\n        \"y\": {},\n        \"x\": {\n            "
     "\"c\": \"f\",\n            \"a\": [\n                \"s\"\n            ]\n        }\n    "
     "}\n}\n",
     NULL},
    {"tabs", "{\n\t\"servers\": {\n\t\t\"y\": 0\n\t}\n}",
     "{\n\t\"servers\": {\n\t\t\"y\": 0,\n\t\t\"x\": {\n\t\t\t\"c\": \"f\",\n\t\t\t\"a\": "
     "[\n\t\t\t\t\"s\"\n\t\t\t]\n\t\t}\n\t}\n}",
     NULL},
    {"comments and a last comma",
     "{\n  // of the editor\n  \"servers\": {\n    \"y\": 1, // why\n    /* end */\n  },\n}\n",
     "{\n  // of the editor\n  \"servers\": {\n    \"y\": 1, // why\n    \"x\": {\n      \"c\": "
     "\"f\",\n      \"a\": [\n        \"s\"\n      ]\n    },\n    /* end */\n  },\n}\n",
     NULL},
    {"a comment behind the last member", "{\n  \"servers\": {\n    \"y\": 1 // why\n  }\n}\n",
     "{\n  \"servers\": {\n    \"y\": 1, // why\n    \"x\": {\n      \"c\": \"f\",\n      \"a\": "
     "[\n        \"s\"\n      ]\n    }\n  }\n}\n",
     NULL},
    {"a comment in an empty object", "{\n  \"servers\": {\n    // none yet\n  }\n}\n",
     "{\n  \"servers\": {\n    // none yet\n    \"x\": {\n      \"c\": \"f\",\n      \"a\": [\n     "
     "   \"s\"\n      ]\n    }\n  }\n}\n",
     NULL},
    {"it is there, and another", "{\"servers\": {\"x\": 1, \"y\": 2}}",
     "{\"servers\": {\"x\": {\"c\":\"f\",\"a\":[\"s\"]}, \"y\": 2}}", "{\"servers\": { \"y\": 2}}"},
    {"it is the same", "{\"servers\": {\"x\": {\"a\": [\"s\"], \"c\": \"f\"}}, \"n\": 1e400}",
     "{\"servers\": {\"x\": {\"a\": [\"s\"], \"c\": \"f\"}}, \"n\": 1e400}",
     "{\"servers\": {}, \"n\": 1e400}"},
    {"lines that end in CR", "{\r\n  \"servers\": {\r\n    \"y\": 1 // r\r\n  }\r\n}\r\n",
     "{\r\n  \"servers\": {\r\n    \"y\": 1, // r\n    \"x\": {\n      \"c\": \"f\",\n      \"a\": "
     "[\n        \"s\"\n      ]\n    }\r\n  }\r\n}\r\n",
     "{\r\n  \"servers\": {\r\n    \"y\": 1 // r\n  }\r\n}\r\n"},
    {"a list in its place", "{\n  \"servers\": []\n}", NULL,
     "BadUsage 2:14 \"servers\" is an array, not an object"},
    {"no object", "[1]", NULL, "BadUsage 0:0 the text is an array, not an object"},
    {"broken", "{\n  \"a\": 1\n  \"b\": 2\n}", NULL, "InvalidJson 3:3"},
    {"a comment that is open", "{ /* ", NULL, "InvalidJson"},
    {"a key twice", "{\"a\": 1, \"a\": 2}", NULL, "DuplicateKey 1:10"},
};

static const fer_str path[] = {{"servers", 7}, {"x", 1}};

static fer_code edit(fer_arena *a, fer_str text, bool set, fer_str *out, fer_err *err)
{
    fer_splices s = {0};
    fer_code code =
        set ? fer_jsonc_set(a, text, path, 2, FER_STR("{\"c\":\"f\",\"a\":[\"s\"]}"), &s, err)
            : fer_jsonc_remove(a, text, path, 2, &s, err);
    return code ? code : fer_splices_apply(a, text, &s, out, err);
}

static fer_code attempt(fer_arena *a, const void *context)
{
    const struct row *row = context;
    fer_arena *own = a ? a : fer_arena_new(0);
    fer_str first = FER_STR_NONE, again = FER_STR_NONE, last = FER_STR_NONE;
    fer_err err = {0};
    fer_code code = edit(own, fer_str_of(row->text), true, &first, &err);
    bool refused = code == FER_OUT_OF_MEMORY || (a && code == FER_LIMIT_EXCEEDED);
    if (!refused && !row->after) {
        char said[FER_ERR_TEXT + 64];
        snprintf(said, sizeof said, "%s %u:%u %s", fer_code_info(code)->name, err.line, err.column,
                 err.message);
        assert_int_equal(strncmp(said, row->removed, strlen(row->removed)), 0);
    }
    if (!code && row->after) {
        assert_str(first, row->after);
        code = edit(own, first, true, &again, &err);
        if (!code) assert_str(again, row->after); /* once more changes nothing */
        if (!code) code = edit(own, first, false, &last, &err);
        if (!code) assert_str(last, row->removed ? row->removed : row->text);
    }
    if (!a) fer_arena_free(own);
    refused = code == FER_OUT_OF_MEMORY || (a && code == FER_LIMIT_EXCEEDED);
    return refused ? code : FER_OK;
}

static void run(const struct row *row)
{
    assert_int_equal(attempt(NULL, row), FER_OK);
    rows_torture_arena(attempt, row);
}

int main(void)
{
    return ROWS_RUN("jsonc_edit", rows, run);
}
