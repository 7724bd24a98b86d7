/* SPDX-License-Identifier: Apache-2.0 */
/* Names of lists and objects, a few and many: both ways find the same. */
#include "name_set.h"

#include "json_doc.h"
#include "rows.h"

#define TEN(x)                                                                                     \
    x "0\"," x "1\"," x "2\"," x "3\"," x "4\"," x "5\"," x "6\"," x "7\"," x "8\"," x "9\""
#define SIX(x) x "0\"," x "1\"," x "2\"," x "3\"," x "4\"," x "5\""
#define MEMBER "\":0,\""
#define TEN_MEMBERS(x)                                                                             \
    "\"" x "0" MEMBER x "1" MEMBER x "2" MEMBER x "3" MEMBER x "4" MEMBER x "5" MEMBER x           \
    "6" MEMBER x "7" MEMBER x "8" MEMBER x "9\":0"

static const struct row {
    const char *name;
    const char *text;
    const char *there, *absent;
} rows[] = {
    {"none", "[]", NULL, "a"},
    {"no list", "7", NULL, "a"},
    {"a few", "[\"a\",\"b\"]", "b", "c"},
    {"what is no name", "[1,null,[\"a\"]]", NULL, "a"},
    {"the empty name", "[\"\"]", "", "a"},
    {"sixteen", "[" TEN("\"a") "," SIX("\"b") "]", "b5", "b6"},
    {"seventeen", "[" TEN("\"a") "," SIX("\"b") ",\"c\"]", "c", "b6"},
    {"many, one of them no name", "[" TEN("\"a") "," TEN("\"b") ",7]", "b9", "7"},
    {"an object", "{\"a\":\"b\"}", "a", "b"},
    {"a large object", "{" TEN_MEMBERS("a") "," TEN_MEMBERS("b") "}", "b9", "c"},
};

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_json *doc;
    fer_name_set set;
    fer_code code = fer_json_read(a, fer_str_of(row->text), NULL, &doc, NULL);
    if (code) return code;
    if (!fer_name_set_init(&set, a, fer_json_root(doc))) return FER_OUT_OF_MEMORY;
    if (row->there) assert_true(fer_name_set_has(&set, fer_str_of(row->there)));
    assert_false(fer_name_set_has(&set, fer_str_of(row->absent)));
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
}

int main(void)
{
    return ROWS_RUN("name set", rows, run);
}
