/* SPDX-License-Identifier: Apache-2.0 */
/* Texts become vectors: what is near to what, by the built-in model. */
#include "embed_static.h"

#include <stdlib.h>

#include "rows.h"

static fer_static_model model;

static int product(const int8_t *a, const int8_t *b)
{
    int sum = 0;
    for (int i = 0; i < 128; i++) sum += a[i] * b[i];
    return sum;
}

static void embed_doc(fer_embedder *e, const char *name, const char *description, int8_t *out)
{
    const fer_search_text texts[] = {{FER_FIELD_NAME, fer_str_of(name)},
                                     {FER_FIELD_DESCRIPTION, fer_str_of(description)}};
    const fer_search_doc doc = {texts, 2};
    assert_int_equal(e->embed(e, &doc, 1, FER_EMBED_DOC, out, NULL), FER_OK);
}

/* The query is nearer to the first tool than to the second, though neither has its words. */
static const struct nearer {
    const char *query;
    const char *name, *description;
    const char *other, *other_description;
} nearers[] = {
    {"write an electronic message to a colleague", "send_email", "Sends a mail to recipients.",
     "get_weather", "Forecast of temperature and rain."},
    {"will it rain tomorrow", "get_forecast", "Weather conditions by city.", "list_invoices",
     "Lists bills of a customer."},
    {"how much is a share of this company", "stock_quote", "Price of a ticker symbol.",
     "create_issue", "Opens a bug in a repository."},
    {"remove a picture", "delete_image", "Deletes an image file.", "book_hotel",
     "Reserves a room."},
};

static void nearer(const struct nearer *row)
{
    fer_embedder *e = fer_embed_static_new(&model);
    int8_t query[128], one[128], other[128];
    assert_non_null(e);
    assert_string_equal(e->name, "static-128");
    assert_int_equal(fer_embed_query(e, fer_str_of(row->query), query, NULL), FER_OK);
    embed_doc(e, row->name, row->description, one);
    embed_doc(e, row->other, row->other_description, other);
    assert_true(product(query, one) > product(query, other));
    fer_embedder_free(e);
}

/* Two texts, and whether they have the same vector. */
static const struct same {
    const char *one, *other;
    bool same, zero;
} sames[] = {
    {"", "", true, true},
    {"the of and", "", true, true},
    {"qqqqzzzz xxyyzz", "", true, true},
    {"please help me with the weather", "weather", true, false},
    {"send email", "email send", true, false},
    {"Sending EMAILS", "send email", true, false},
    {"send email", "send email email email email", false, false},
    {"send email", "send mail", false, false},
};

static void same(const struct same *row)
{
    static const int8_t none[128];
    fer_embedder *e = fer_embed_static_new(&model);
    int8_t one[128], other[128];
    assert_non_null(e);
    assert_int_equal(fer_embed_query(e, fer_str_of(row->one), one, NULL), FER_OK);
    assert_int_equal(fer_embed_query(e, fer_str_of(row->other), other, NULL), FER_OK);
    assert_int_equal(memcmp(one, other, 128) == 0, row->same);
    assert_int_equal(memcmp(one, none, 128) == 0, row->zero);
    fer_embedder_free(e);
}

static const struct unit {
    const char *name;
    int32_t from[4];
    int8_t to[4];
} units[] = {
    {"none", {0, 0, 0, 0}, {0, 0, 0, 0}},
    {"even", {5, 5, 5, 5}, {127, 127, 127, 127}},
    {"signs", {-5, 5, -5, 5}, {-127, 127, -127, 127}},
    {"one", {1, 0, 0, 0}, {127, 0, 0, 0}}, /* longer than a byte holds */
    {"a byte holds no more", {1, 2, 2, 4}, {51, 102, 102, 127}},
    {"largest", {INT32_MAX, INT32_MIN, INT32_MAX, 0}, {127, -127, 127, 0}},
    {"smallest", {INT32_MIN, 1, 1, 1}, {-127, 0, 0, 0}},
};

static void unit(const struct unit *row)
{
    int8_t out[4];
    fer_embed_unit(row->from, 4, out);
    assert_memory_equal(out, row->to, 4);
}

/* More distinct words than are counted: no harm, and the first ones make the vector. */
static void many_words(void)
{
    fer_embedder *e = fer_embed_static_new(&model);
    char *text = malloc(1 << 20);
    size_t len = 0;
    int8_t out[2][128];
    assert_non_null(e);
    assert_non_null(text);
    for (uint32_t w = 0; w < 4000 && w < model.words; w++)
        len += (size_t)sprintf(text + len, "%c%c%c%c ", 'a' + (int)(w % 26),
                               'a' + (int)(w / 26 % 26), 'a' + (int)(w / 676), 'e');
    for (int i = 0; i < 2; i++)
        assert_int_equal(fer_embed_query(e, (fer_str){text, len}, out[i], NULL), FER_OK);
    assert_memory_equal(out[0], out[1], 128);
    free(text);
    fer_embedder_free(e);
}

static fer_code make_one(fer_arena *a, const void *row)
{
    (void)a, (void)row;
    fer_embedder *e = fer_embed_static_new(&model);
    if (!e) return FER_OUT_OF_MEMORY;
    fer_embedder_free(e);
    return FER_OK;
}

static void no_memory(void)
{
    assert_int_equal(rows_torture_malloc(make_one, NULL), 3);
    fer_embedder_free(NULL);
}

int main(void)
{
    if (fer_static_model_builtin(&model, NULL)) return 1;
    return ROWS_RUN("embed", nearers, nearer) + ROWS_RUN("embed", sames, same) +
           ROWS_RUN("embed", units, unit) + ROWS_ONE("embed", many_words) +
           ROWS_ONE("embed", no_memory);
}
