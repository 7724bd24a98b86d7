/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Universal Sentence Encoder lite: files that are no model, texts as pieces, and, where its weights
 * are there (FERRULE_USE_MODEL names a file of tools/make-use-model), vectors next to those of the
 * reference.
 */
#include <math.h>
#include <stdlib.h>

#include "rows.h"

#include "embed_use.h"
#include "file.h"

#define FLOATS 6975872 /* of all tensors */

/* ---- a small vocabulary --------------------------------------------------------- */

static const struct {
    const char *text;
    double score;
} words[] = {
    {"\xEF\xBF\xBD", 0},
    {"<s>", 0},
    {"</s>", 0},
    {"x1", 0},
    {"x2", 0},
    {"x3", 0},
    {"\xE2\x96\x81"
     "create",
     -5},
    {"\xE2\x96\x81", -3},
    {"c", -4},
    {"re", -4},
    {"ate", -4},
    {"\xE2\x96\x81"
     "an",
     -4},
    {"\xE2\x96\x81"
     "issue",
     -6},
    {"s", -3},
    {"fi", -5},
    {":", 0},
    {"r", -9},
    {"e", -9},
    {"a", -9},
    {"t", -9},
    {"i", -9},
    {"u", -9},
    {"n", -9},
    {"f", -9},
};

/* The bytes of a model with these words, whose tensors are all `fill`. */
static fer_str made(fer_arena *a, float fill)
{
    size_t text = 0, count = FER_COUNT(words);
    for (size_t i = 0; i < count; i++) text += strlen(words[i].text);
    size_t at = (16 + 12 * count + text + 63) / 64 * 64, size = at + (size_t)4 * FLOATS;
    char *bytes = fer_arena_alloc_zero(a, 1, size);
    assert_non_null(bytes);
    uint32_t sizes[2] = {(uint32_t)count, (uint32_t)text}, end = 0;
    memcpy(bytes, "FERUSE1", 8);
    memcpy(bytes + 8, sizes, sizeof sizes);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + 16 + 8 * i, &words[i].score, 8);
        memcpy(bytes + 16 + 12 * count + end, words[i].text, strlen(words[i].text));
        end += (uint32_t)strlen(words[i].text);
        memcpy(bytes + 16 + 8 * count + 4 * i, &end, 4);
    }
    for (size_t i = 0; i < FLOATS; i++) memcpy(bytes + at + 4 * i, &fill, 4);
    return (fer_str){bytes, size};
}

static const struct pieces_row {
    const char *name;
    const char *text;
    const char *pieces;
} pieces_rows[] = {
    {"nothing", "", ""},
    {"words", "create an issue", "6 11 12"},
    {"the parts of a word", "creates", "6 13"},
    {"unknown runs are one", "create \xE6\x97\xA5\xE6\x9C\xAC", "6 7 0"},
    {"NFKC", "\xEF\xAC\x81", "7 14"},
    {"what costs nothing", "s:", "7 13 15"},
    {"not UTF-8", "\xFF", ""},
};

static void run_pieces(const struct pieces_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_use_model m;
    uint16_t list[FER_USE_TOKENS_MAX];
    size_t count;
    char said[200] = "";
    assert_int_equal(fer_use_model_open(&m, a, made(a, 0), NULL), FER_OK);
    assert_int_equal(fer_use_pieces(&m, a, fer_str_of(row->text), list, &count, NULL), FER_OK);
    for (size_t i = 0; i < count; i++)
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s%u", i ? " " : "", list[i]);
    assert_string_equal(said, row->pieces);
    fer_arena_free(a);
}

static void test_longest(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_use_model m;
    uint16_t list[FER_USE_TOKENS_MAX];
    size_t count;
    char text[3 * FER_USE_TOKENS_MAX + 1] = "";
    assert_int_equal(fer_use_model_open(&m, a, made(a, 0), NULL), FER_OK);
    for (size_t pieces = FER_USE_TOKENS_MAX - 1; pieces <= FER_USE_TOKENS_MAX + 1; pieces++) {
        memset(text, 's', pieces - 1); /* and the mark before it */
        assert_int_equal(fer_use_pieces(&m, a, (fer_str){text, pieces - 1}, list, &count, NULL),
                         FER_OK);
        assert_int_equal(count, pieces < FER_USE_TOKENS_MAX ? pieces : FER_USE_TOKENS_MAX);
    }
    fer_arena_free(a);
}

/* ---- files that are no model ---------------------------------------------------- */

static const struct broken {
    const char *name;
    size_t at;
    uint32_t value; /* that is written there */
    size_t cut;     /* bytes from the end that are missing */
    const char *says;
} broken[] = {
    {"another start", 0, 0x12345678, 0, "does not start as one"},
    {"no pieces", 8, 0, 0, "hardly any"},
    {"too many pieces", 8, 9000, 0, "more pieces"},
    {"a huge text", 12, UINT32_MAX, 0, "more pieces"},
    {"a byte less", 16, 0, 1, "another length"},
    {"only the head", 16, 0, SIZE_MAX, "another length"},
    {"an end behind the text", 16 + 8 * FER_COUNT(words), 1 << 19, 0, "not behind its start"},
    {"a score that is none", 16 + 4 + 8, 0x7FF80000, 0, "out of range"},
};

static void run_broken(const struct broken *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_use_model m;
    fer_err err;
    fer_str bytes = made(a, 0);
    char *writable = (char *)(uintptr_t)bytes.ptr;
    memcpy(writable + row->at, &row->value, sizeof row->value);
    bytes.len = row->cut == SIZE_MAX ? 16 : bytes.len - row->cut;
    assert_int_equal(fer_use_model_open(&m, a, bytes, &err), FER_INVALID_FORMAT);
    assert_non_null(strstr(err.message, row->says));
    fer_arena_free(a);
}

/* Weights of anything make vectors of something, never a fault. */
static void test_wild_weights(void)
{
    static const float fills[] = {0, 1, -1e30f, 1e38f, INFINITY, NAN};
    fer_arena *a = fer_arena_new(0);
    int8_t vector[FER_USE_DIMS];
    for (size_t i = 0; i < FER_COUNT(fills); i++) {
        fer_use_model m;
        fer_arena_reset(a);
        assert_int_equal(fer_use_model_open(&m, a, made(a, fills[i]), NULL), FER_OK);
        fer_embedder *e = fer_embed_use_new(&m);
        assert_non_null(e);
        assert_int_equal(fer_embed_query(e, FER_STR("create an issue"), vector, NULL), FER_OK);
        fer_embedder_free(e);
    }
    fer_arena_free(a);
}

/* ---- next to the reference -------------------------------------------------------- */

static const struct reference {
    const char *name;
    const char *text;
    double first[8];
} references[] = {
    {"words",
     "create an issue",
     {-0.0404231287, -0.0582340955, 0.0002606710, 0.0561367645, 0.0262455847, 0.0212119258,
      0.0561275705, -0.0326434038}},
    {"letters of all kinds",
     "Hello, World! na\xC3\xAFve caf\xC3\xA9 \xEF\xAC\x81x \xE2\x91\xA0",
     {-0.0148490797, -0.0078042028, -0.0479748398, -0.0311127267, -0.0510395504, -0.0356450714,
      0.0214385502, -0.0493685007}},
    {"pieces that cost nothing",
     "Please   fetch  the weather: for Paris :) tomorrow",
     {-0.0610669776, 0.0254064779, -0.0451772771, -0.0118236662, 0.0015914555, 0.0622606500,
      0.0494728796, -0.0048891552}},
};

static void run_reference(const struct reference *row)
{
    const char *path = getenv("FERRULE_USE_MODEL");
    fer_arena *a = fer_arena_new(0);
    fer_use_model m;
    fer_str bytes;
    uint16_t list[FER_USE_TOKENS_MAX];
    size_t count;
    float out[FER_USE_DIMS], *work = fer_arena_alloc(a, FER_USE_WORK * sizeof *work);
    if (!path) {
        fer_arena_free(a);
        print_message("FERRULE_USE_MODEL names no model\n");
        skip();
    }
    assert_int_equal(fer_file_read(a, path, (size_t)64 << 20, &bytes, NULL), FER_OK);
    assert_int_equal(fer_use_model_open(&m, a, bytes, NULL), FER_OK);
    assert_int_equal(fer_use_pieces(&m, a, fer_str_of(row->text), list, &count, NULL), FER_OK);
    fer_use_run(&m, list, count, work, out);
    for (size_t i = 0; i < FER_COUNT(row->first); i++)
        assert_true(fabs((double)out[i] - row->first[i]) < 1e-5);
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("pieces", pieces_rows, run_pieces) + ROWS_RUN("files", broken, run_broken) +
           ROWS_ONE("pieces", test_longest) + ROWS_ONE("weights", test_wild_weights) +
           ROWS_RUN("reference", references, run_reference);
}
