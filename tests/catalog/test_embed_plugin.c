/* SPDX-License-Identifier: Apache-2.0 */
/* Embedders that somebody else wrote: what they give is looked at, and becomes bytes. */
#include "embed_plugin.h"

#include <math.h>

#include "catalog_rows.h"
#include "errors.h"

/* Three numbers that the row names, for each text. */
static fer_code numbers(void *context, const fer_str *texts, size_t count, bool query, double *out,
                        fer_err *err)
{
    const double *row = context;
    (void)texts, (void)query, (void)err;
    for (size_t i = 0; i < count; i++) memcpy(out + 3 * i, row, 3 * sizeof *row);
    return FER_OK;
}

static fer_code refuse(void *context, const fer_str *texts, size_t count, bool query, double *out,
                       fer_err *err)
{
    (void)context, (void)texts, (void)count, (void)query, (void)out;
    return fer_fail(err, FER_BACKEND_UNAVAILABLE, "nobody is at home");
}

static const struct plugin_row {
    const char *name;
    double given[3];
    int8_t bytes[3];
    fer_code code;
} plugin_rows[] = {
    {"one direction", {2, 0, 0}, {127, 0, 0}, FER_OK},
    {"the other way", {0, -1e-300, 0}, {0, -127, 0}, FER_OK},
    {"large numbers", {1e300, 1e300, 1e300}, {127, 127, 127}, FER_OK},
    {"length does not matter", {3, 4, 12}, {59, 78, 127}, FER_OK},
    {"nothing", {0, 0, 0}, {0, 0, 0}, FER_OK},
    {"not a number", {1, (double)NAN, 0}, {0}, FER_INVALID_OUTPUT},
    {"no end", {1, 0, (double)INFINITY}, {0}, FER_INVALID_OUTPUT},
};

static void vectors(const struct plugin_row *row)
{
    const fer_embed_plugin plugin = {"three", NULL, 3, numbers, (void *)(uintptr_t)row->given};
    fer_embedder *e = NULL;
    int8_t out[32];
    assert_int_equal(fer_embed_plugin_new(&plugin, &e, NULL), FER_OK);
    assert_non_null(e);
    assert_int_equal(e->dims, 32);
    assert_int_equal(fer_embed_query(e, FER_STR("a text"), out, NULL), row->code);
    for (size_t i = 0; i < 32 && !row->code; i++)
        assert_int_equal(out[i], i < 3 ? row->bytes[i] : 0);
    fer_embedder_free(e);
}

static const struct bad_row {
    const char *name;
    fer_embed_plugin plugin;
    fer_code code;
} bad_rows[] = {
    {"no name", {NULL, NULL, 3, numbers, NULL}, FER_BAD_USAGE},
    {"no function", {"x", NULL, 3, NULL, NULL}, FER_BAD_USAGE},
    {"no numbers", {"x", NULL, 0, numbers, NULL}, FER_BAD_USAGE},
    {"as many as there may be", {"x", NULL, FER_EMBED_DIMS, refuse, NULL}, FER_OK},
    {"one more", {"x", NULL, FER_EMBED_DIMS + 1, numbers, NULL}, FER_LIMIT_EXCEEDED},
};

static void refused(const struct bad_row *row)
{
    fer_catalog *c = NULL;
    fer_catalog_options options = {.search = true, .plugin = &row->plugin};
    assert_int_equal(fer_catalog_new(&options, &c, NULL), row->code);
    fer_catalog_free(c);
}

/* What the embedder says is said; then the vectors are still wanted. */
static void failing(void)
{
    const fer_embed_plugin plugin = {"x", "y", 3, refuse, NULL};
    fer_catalog_options options = {.search = true, .plugin = &plugin};
    fer_catalog *c = must_catalog(&options);
    fer_err err;
    size_t left = 0;
    must_put(c, "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}");
    assert_int_equal(fer_catalog_embed(c, 10, &left, &err), FER_BACKEND_UNAVAILABLE);
    assert_string_equal(err.message, "nobody is at home");
    assert_int_equal(left, 1);
    fer_catalog_free(c);
}

static fer_code make_one(fer_arena *a, const void *row)
{
    static const double given[] = {1, 2, 3};
    const fer_embed_plugin plugin = {"three", NULL, 3, numbers, (void *)(uintptr_t)given};
    fer_embedder *e = NULL;
    int8_t out[32];
    (void)a, (void)row;
    fer_code code = fer_embed_plugin_new(&plugin, &e, NULL);
    if (!code) code = fer_embed_query(e, FER_STR("a text"), out, NULL);
    fer_embedder_free(e);
    return code;
}

static void no_memory(void)
{
    assert_true(rows_torture_malloc(make_one, NULL) > 1);
}

int main(void)
{
    return ROWS_RUN("plugin", plugin_rows, vectors) + ROWS_RUN("plugin", bad_rows, refused) +
           ROWS_ONE("plugin", failing) + ROWS_ONE("plugin", no_memory);
}
