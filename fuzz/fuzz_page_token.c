/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tokens. What must hold: the token of the page at hand is taken and gives the next page;
 * any other text is refused, with a code of its own and a sentence that says to start again.
 */
#include <ferrule/catalog.h>

#include "fuzz.h"

static const unsigned char key[FER_CATALOG_KEY] = "fuzz";

static fer_catalog *three_tools(void)
{
    static const char tools[] = "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},"
                                "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}},"
                                "{\"name\":\"c\",\"inputSchema\":{\"type\":\"object\"}}]";
    fer_catalog *c;
    fer_err err;
    fer_batch *b = fer_batch_new();
    HOLDS(b && !fer_catalog_new(&(fer_catalog_options){.key = key}, &c, &err));
    HOLDS(!fer_batch_add(b, FER_STR("t"), fer_str_of(tools), FER_FORMAT_JSON, NULL, &err));
    HOLDS(!fer_catalog_apply(c, b, &err));
    fer_batch_free(b);
    return c;
}

static fer_code page_of(fer_arena *a, const fer_view *v, fer_str token, fer_summary **list,
                        size_t *count, fer_str *next, fer_err *err)
{
    fer_page page = {.size = 1, .token = token};
    return fer_view_list(a, v, NULL, &page, list, count, next, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_catalog *c = three_tools();
    fer_view *v = fer_catalog_view(c);
    fer_str given = fuzz_text(data, size), next, second, third;
    fer_summary *list;
    size_t count;
    fer_err err = {0};
    HOLDS(!page_of(a, v, FER_STR(""), &list, &count, &second, &err) && count == 1);
    HOLDS(!page_of(a, v, second, &list, &count, &third, &err) && fer_str_is(list[0].id, "b"));
    fer_code code = page_of(a, v, given, &list, &count, &next, &err);
    bool own = !size || fer_str_eq(given, second) || fer_str_eq(given, third);
    HOLDS(own ? !code && count == 1 : code == FER_INVALID_PAGE_TOKEN && err.message[0]);
    fer_view_unref(v);
    fer_catalog_free(c);
    fer_arena_free(a);
    return 0;
}
