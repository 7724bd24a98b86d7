/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains. What must hold: a document is refused with a sentence, or it can be checked and run; a
 * run ends exactly once and says how every step ended, in JSON.
 */
#include <ferrule/gateway.h>

#include "fuzz.h"

struct any {
    int64_t x;
    const struct yyjson_val *previous;
};
static const fer_bind_row rows[] = {
    {"x", FER_BIND_INTEGER, offsetof(struct any, x), false, "A number.", "1", NULL},
    {"previous", FER_BIND_JSON, offsetof(struct any, previous), false, "Anything.", NULL, NULL},
};

static fer_code give(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    const struct any *p = args;
    (void)context, (void)a;
    *out = p->x > 5 ? FER_STR("{\"n\":7,\"list\":[1,2]}") : FER_STR("{\"n\":1}");
    if (p->x >= 0) return FER_OK;
    err->code = FER_TOOL_FAILED;
    snprintf(err->message, sizeof err->message, "less than nothing");
    return FER_TOOL_FAILED;
}

static const fer_builtin function = {.ns = "t",
                                     .name = "a",
                                     .description = "Gives something.",
                                     .rows = rows,
                                     .row_count = 2,
                                     .args_size = sizeof(struct any),
                                     .output_schema = "{\"type\":\"object\",\"required\":[\"n\"]}",
                                     .run = give};

static void on_done(void *context, const fer_chain_result *r)
{
    fer_arena *a = fuzz_arena();
    fer_str text;
    fer_json *doc;
    ++*(size_t *)context;
    HOLDS(r->step_count > 0 && r->step_count <= FER_CHAIN_STEPS);
    HOLDS(!fer_chain_result_write(a, r, &text, NULL));
    HOLDS(!fer_json_read(a, text, fer_json_limits_file(), &doc, NULL));
    fer_arena_free(a);
}

static void use(const fer_chain *chain)
{
    fer_catalog *catalog;
    fer_gateway *g;
    fer_chain_remark *list;
    size_t count, done = 0;
    fer_arena *a = fuzz_arena();
    HOLDS(!fer_catalog_new(NULL, &catalog, NULL));
    HOLDS(!fer_gateway_new(&(fer_gateway_options){.catalog = catalog}, &g, NULL));
    HOLDS(!fer_gateway_builtins(g, &function, 1, NULL));
    HOLDS(!fer_gateway_check_chain(a, g, chain, &list, &count, NULL));
    HOLDS(
        !fer_gateway_chain(g, chain, FER_STR("{\"a\":[1,{\"b\":2}]}"), NULL, on_done, &done, NULL));
    fer_gateway_run(g);
    HOLDS(done == 1);
    fer_gateway_free(g);
    fer_catalog_free(catalog);
    fer_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_chain *chain;
    fer_err err = {0};
    if (fer_chain_read(fuzz_text(data, size), &chain, &err)) {
        HOLDS(err.code && err.message[0]);
        return 0;
    }
    use(chain);
    fer_chain_free(chain);
    return 0;
}
