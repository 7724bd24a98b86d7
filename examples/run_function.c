/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function of this program as a tool: called through the gateway, its arguments checked and bound
 * to a struct, its result held against its output schema.
 *
 *     cc run_function.c $(pkg-config --cflags --libs ferrule) -o run_function
 *     ./run_function math:divide '{"x": 7, "y": 2}'
 */
#include <ferrule/ferrule.h>
#include <inttypes.h>
#include <stdio.h>

struct divide_args {
    int64_t x, y;
};
static const fer_bind_row divide_rows[] = {
    {"x", FER_BIND_INTEGER, offsetof(struct divide_args, x), true, "What is divided.", NULL,
     "{\"minimum\":0,\"maximum\":1000000}"},
    {"y", FER_BIND_INTEGER, offsetof(struct divide_args, y), false, "By what; 2 if absent.", "2",
     "{\"minimum\":0,\"maximum\":1000000}"},
};

static fer_code divide(void *context, fer_arena *a, const void *args, fer_str *result, fer_err *err)
{
    const struct divide_args *in = args;
    (void)context;
    if (!in->y) return fer_fail(err, FER_TOOL_FAILED, "nothing can be divided by 0");
    *result = fer_arena_printf(a, "{\"quotient\":%" PRId64 ",\"rest\":%" PRId64 "}", in->x / in->y,
                               in->x % in->y);
    return result->ptr ? FER_OK : FER_OUT_OF_MEMORY;
}

static const fer_builtin functions[] = {
    {.ns = "math",
     .name = "divide",
     .version = "1.0.0",
     .description = "Divides one whole number by another. Returns the quotient and the rest.",
     .rows = divide_rows,
     .row_count = sizeof divide_rows / sizeof *divide_rows,
     .args_size = sizeof(struct divide_args),
     .output_schema = "{\"type\":\"object\",\"properties\":{\"quotient\":{\"type\":\"integer\"},"
                      "\"rest\":{\"type\":\"integer\"}},\"required\":[\"quotient\",\"rest\"]}",
     .effect = FER_EFFECT_PURE,
     .run = divide},
};

int main(int argc, char **argv)
{
    fer_err err = {.code = FER_OK};
    fer_catalog *c = NULL;
    fer_gateway *g = NULL;
    fer_envelope e;
    fer_str json;
    fer_arena *a = fer_arena_new(0);
    if (argc != 3) {
        fprintf(stderr, "usage: run_function TOOL ARGUMENTS\n");
        return 2;
    }
    fer_code code = a ? fer_catalog_new(NULL, &c, &err) : FER_OUT_OF_MEMORY;
    fer_gateway_options options = {.catalog = c};
    if (!code) code = fer_gateway_new(&options, &g, &err);
    if (!code) code = fer_gateway_builtins(g, functions, 1, &err);
    /* Fails only without memory: what is wrong with the call is in the envelope. */
    if (!code)
        code = fer_gateway_ask(a, g, fer_str_of(argv[1]), fer_str_of(argv[2]), NULL, &e, &err);
    if (!code) code = fer_envelope_write(a, &e, false, &json, &err);
    if (!code) printf("%.*s\n", (int)json.len, json.ptr);
    else fprintf(stderr, "%s\n", err.message);
    int status = code ? 70 : e.status == FER_STATUS_OK ? 0 : 1;
    fer_gateway_free(g);
    fer_catalog_free(c);
    fer_arena_free(a);
    return status;
}
