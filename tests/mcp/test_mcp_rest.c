/* SPDX-License-Identifier: Apache-2.0 */
/* What pages of a list say beside it, put together. */
#include "mcp_rest.h"

#include "errors.h"
#include "rows.h"

#define ROOM 66 /* bytes of each kind, in these tests */

static const struct row {
    const char *name, *pages[3];
    const char *said; /* NULL: there is no room for it */
} rows[] = {
    {"nothing", {"{\"tools\":[]}"}, ""},
    {"what is of the page and the era",
     {"{\"resultType\":\"complete\",\"ttlMs\":1,\"cacheScope\":\"public\",\"tools\":[{\"a\":1}],"
      "\"nextCursor\":\"2\"}",
      "{\"tools\":[]}"},
     ""},
    {"bytes",
     {"{\"_meta\" : { \"z\" : 1.50 ,\"a\":[1e400, -0.0]}, \"tools\":[], \"\\u0062\" : { } }"},
     "\"_meta\":{\"z\":1.50,\"a\":[1e400, -0.0]},\"\\u0062\":{ }"},
    {"nothing within _meta", {"{\"_meta\":{},\"tools\":[]}"}, "\"_meta\":{}"},
    {"a _meta that is none", {"{\"_meta\":1,\"tools\":[]}"}, ""},
    {"a _meta that is none, then one that is",
     {"{\"_meta\":1,\"tools\":[]}", "{\"_meta\":{\"a\":1},\"tools\":[]}"},
     "\"_meta\":{\"a\":1}"},
    {"two pages",
     {"{\"_meta\":{\"a\":1},\"tools\":[]}", "{\"_meta\":{\"b\":2},\"tools\":[],\"c\":3}"},
     "\"_meta\":{\"a\":1,\"b\":2},\"c\":3"},
    {"the first page counts",
     {"{\"_meta\":{\"a\":1},\"tools\":[],\"c\":1}", "{\"tools\":[],\"_meta\":{\"a\":2},\"c\":2}",
      "{\"c\":3,\"a\":4}"},
     "\"_meta\":{\"a\":1},\"c\":1,\"a\":4"},
    {"a name that is another one's escaped", {"{\"a\":1}", "{\"\\u0061\":2}"}, "\"a\":1"},
    {"all of the room",
     {"{\"a\":\"123456789012345678901234567890123456789012345678901234567890\"}"},
     "\"a\":\"123456789012345678901234567890123456789012345678901234567890\""},
    {"a byte more", {"{\"a\":\"1234567890123456789012345678901234567890123456789012345678901\"}"}},
    {"a byte more within _meta",
     {"{\"_meta\":{\"a\":\"1234567890123456789012345678901234567890123456789012345678901\"}}"}},
};

static fer_code attempt(fer_arena *a, const void *p)
{
    const struct row *row = p;
    fer_mcp_rest r;
    fer_json *doc;
    bool room = true;
    fer_mcp_rest_init(&r, a, ROOM);
    for (size_t i = 0; i < 3 && row->pages[i]; i++) {
        fer_code code = fer_json_read(a, fer_str_of(row->pages[i]), NULL, &doc, NULL);
        if (code) return code;
        room = room && fer_mcp_rest_add(&r, doc, fer_json_root(doc), "tools");
    }
    fer_str said = fer_mcp_rest_text(&r, a);
    if (row->said && (!room || !said.ptr)) return FER_LIMIT_EXCEEDED;
    assert_int_equal(room, row->said != NULL);
    if (row->said) assert_str(said, row->said);
    return FER_OK;
}

static void run(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    if (row->said) rows_torture_arena(attempt, row);
}

int main(void)
{
    return ROWS_RUN("mcp_rest", rows, run);
}
