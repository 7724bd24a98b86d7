/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: written and read again, and every kind of damage. */
#include "static_model.h"

#include "rows.h"

enum {
    WORDS = 5,
    DIMS = 32,
    HEADER = 64,
    SLOTS = 8
};
/* Behind the header: slots, ends, weights, rows, text. */
enum {
    AT_SLOTS = HEADER,
    AT_ENDS = AT_SLOTS + 4 * SLOTS,
    AT_WEIGHTS = AT_ENDS + 4 * WORDS,
    AT_ROWS = AT_WEIGHTS + 2 * WORDS,
    AT_TEXT = AT_ROWS + WORDS * DIMS
};

static const fer_str stems[WORDS] = {{"a", 1}, {"alert", 5}, {"mail", 4}, {"send", 4}, {"zip", 3}};

static fer_code draft_model(fer_arena *a, fer_str *out)
{
    static float rows[WORDS * DIMS];
    for (int w = 0; w < WORDS; w++)
        for (int k = 0; k < DIMS; k++)
            rows[w * DIMS + k] = (float)((w + 1) * ((w * 7 + k * 3) % 11 - 5)) / 10;
    memset(rows + 4 * DIMS, 0, DIMS * sizeof *rows); /* a word of no meaning */
    const fer_static_draft draft = {"tiny", DIMS, WORDS, stems, rows};
    return fer_static_model_write(a, &draft, out, NULL);
}

static void reads_what_was_written(void)
{
    fer_arena *a = fer_arena_new(1 << 20);
    fer_str bytes, again;
    fer_static_model m;
    assert_int_equal(draft_model(a, &bytes), FER_OK);
    assert_int_equal(draft_model(a, &again), FER_OK);
    assert_true(fer_str_eq(bytes, again));
    assert_int_equal(bytes.len, AT_TEXT + 17);
    assert_int_equal(fer_static_model_open(&m, bytes, NULL), FER_OK);
    assert_string_equal(m.name, "tiny");
    assert_int_equal(m.dims, DIMS);
    for (uint32_t w = 0; w < WORDS; w++) assert_int_equal(fer_static_model_find(&m, stems[w]), w);
    assert_int_equal(fer_static_model_find(&m, FER_STR("nothing")), FER_MODEL_NONE);
    assert_int_equal(fer_static_model_find(&m, FER_STR("")), FER_MODEL_NONE);
    assert_int_equal(fer_static_model_weight(&m, 4), 0);
    assert_int_equal(fer_static_model_row(&m, 0)[0], -127); /* the largest is 127 */
    assert_true(fer_static_model_weight(&m, 3) > fer_static_model_weight(&m, 0));
    fer_arena_free(a);
}

/* As the writer makes it: whoever damages a file can do that as well. */
static void put_sum(uint8_t *p, size_t len)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    size_t i = HEADER;
    for (size_t k = 0; k < 56; k++) h = (h ^ p[k]) * UINT64_C(0x100000001B3);
    for (; i + 8 <= len; i += 8) {
        uint64_t v;
        memcpy(&v, p + i, 8);
        h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    for (; i < len; i++) h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    memcpy(p + 56, &h, 8);
}

static const struct damage {
    const char *name;
    size_t at;
    uint32_t value; /* of 32 bits, little-endian */
    size_t cut;     /* bytes left; 0: all */
    bool summed;    /* with a sum that fits */
    const char *message;
} damages[] = {
    {"nothing at all", 0, 0, 1, false, "not an embedding model"},
    {"half a header", 8, 1, 40, false, "not an embedding model"},
    {"another magic", 0, 0x12345678, 0, true, "not an embedding model"},
    {"another version", 8, 2, 0, true, "a model of version 2; this program reads version 1"},
    {"no dims", 12, 0, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"odd dims", 12, 33, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"many dims", 12, 1024, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"no words", 16, 0, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"too many words", 16, 0xFFFFFFFF, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"more words", 16, 6, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"slots that are no power", 20, 7, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"no free slot", 20, 4, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"too many slots", 20, 1u << 31, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"more text", 24, 18, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"endless text", 24, 0xFFFFFFFF, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"something reserved", 28, 1, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"a name without end", 52, 0x41414141, 0, true, "a model whose sizes do not fit its 303 bytes"},
    {"cut", 8, 1, 302, true, "a model whose sizes do not fit its 302 bytes"},
    {"a wrong sum", 56, 0, 0, false, "a damaged model: its sum is wrong"},
    {"another row", AT_ROWS, 0, 0, false, "a damaged model: its sum is wrong"},
    {"another row and sum", AT_ROWS, 0x80808080, 0, true, NULL},
    {"a slot beyond the words", AT_SLOTS, 6, 0, true, "a model whose dictionary is broken"},
    {"a text that ends early", AT_ENDS + 4, 1, 0, true, "a model whose dictionary is broken"},
    {"a text beyond the end", AT_ENDS + 16, 18, 0, true, "a model whose dictionary is broken"},
    {"a text that ends too soon", AT_ENDS + 16, 16, 0, true, "a model whose dictionary is broken"},
    {"a weight too large", AT_WEIGHTS, 0x10001000, 0, true, "a model whose dictionary is broken"},
};

static void damaged(const struct damage *d)
{
    fer_arena *a = fer_arena_new(1 << 20);
    fer_str bytes;
    fer_static_model m = {.dims = 7};
    fer_err err = {0};
    assert_int_equal(draft_model(a, &bytes), FER_OK);
    char *copy = fer_arena_alloc(a, bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.ptr, bytes.len);
    memcpy(copy + d->at, &d->value, 4);
    size_t len = d->cut ? d->cut : bytes.len;
    if (d->summed) put_sum((uint8_t *)copy, len);
    fer_code code = fer_static_model_open(&m, (fer_str){copy, len}, &err);
    assert_int_equal(code, d->message ? FER_INVALID_FORMAT : FER_OK);
    if (d->message) assert_string_equal(err.message, d->message);
    assert_int_equal(m.dims, d->message ? 7 : DIMS);
    fer_arena_free(a);
}

/* All slots used, as only a hostile file has it: there must be an end to a search. */
static void doubled_words(void)
{
    fer_arena *a = fer_arena_new(1 << 20);
    fer_str bytes;
    fer_static_model m;
    assert_int_equal(draft_model(a, &bytes), FER_OK);
    uint8_t *copy = fer_arena_alloc(a, bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.ptr, bytes.len);
    for (size_t s = 0; s < SLOTS; s++) copy[AT_SLOTS + 4 * s] = 1;
    put_sum(copy, bytes.len);
    assert_int_equal(fer_static_model_open(&m, (fer_str){(char *)copy, bytes.len}, NULL),
                     FER_INVALID_FORMAT);
    fer_arena_free(a);
}

static void builtin_opens(void)
{
    fer_static_model m;
    assert_int_equal(fer_static_model_builtin(&m, NULL), FER_OK);
    assert_string_equal(m.name, "static-128");
    assert_int_equal(m.dims, 128);
    assert_true(m.words > 10000);
    assert_int_not_equal(fer_static_model_find(&m, FER_STR("email")), FER_MODEL_NONE);
    /* It is opened without a look at all of it: that is done here. */
    assert_int_equal(fer_static_model_open(&m, fer_static_model_builtin_bytes(), NULL), FER_OK);
}

static fer_code write_one(fer_arena *a, const void *row)
{
    fer_str bytes;
    (void)row;
    return draft_model(a, &bytes);
}

static void no_memory(void)
{
    assert_true(rows_torture_arena(write_one, NULL) > 0);
}

int main(void)
{
    return ROWS_ONE("static_model", reads_what_was_written) +
           ROWS_RUN("static_model", damages, damaged) + ROWS_ONE("static_model", doubled_words) +
           ROWS_ONE("static_model", builtin_opens) + ROWS_ONE("static_model", no_memory);
}
