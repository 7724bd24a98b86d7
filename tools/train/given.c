/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of words that were learnt elsewhere, from other texts than definitions of tools. They
 * are where training starts, and what gives a row to words that too few tools have: once the
 * others are learnt, a linear map from what was given to what was learnt is fitted, and these
 * words go through it.
 *
 * A line of the file is a word and TRAIN_GIVEN whole numbers, thousandths; common words come
 * first. Words of one stem are averaged, each counting by how common it is.
 */
#include <math.h>

#include "errors.h"
#include "file.h"
#include "tokens.h"
#include "train.h"

#define D ((size_t)TRAIN_DIMS)
#define G ((size_t)TRAIN_GIVEN)

enum {
    FILE_MAX = 1 << 30,
    NUMBER_MAX = 1000000,
    STEM_MAX = 64,
    COMMON = 100, /* added to a word's place: the first few do not outweigh all others */
    TRUSTED = 20  /* tools that have a word, from which on it counts no more in the fit */
};

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct given_line {
    fer_str word;
    float numbers[TRAIN_GIVEN];
} given_line;

/* A space and a whole number; false: something else. */
static bool read_number(fer_str line, size_t *at, float *out)
{
    size_t i = *at;
    int32_t value = 0;
    if (i >= line.len || line.ptr[i++] != ' ') return false;
    bool below = i < line.len && line.ptr[i] == '-';
    i += below;
    size_t first = i;
    for (; i < line.len && fer_is_digit(line.ptr[i]) && value < NUMBER_MAX; i++)
        value = value * 10 + (line.ptr[i] - '0');
    if (i == first || value >= NUMBER_MAX) return false;
    *at = i;
    *out = (float)(below ? -value : value) / 1000;
    return true;
}

static bool read_given(fer_str line, given_line *out)
{
    size_t at = fer_str_find(line, 0, ' ');
    if (!at || at >= line.len) return false;
    out->word = fer_str_head(line, at);
    for (size_t k = 0; k < G; k++)
        if (!read_number(line, &at, &out->numbers[k])) return false;
    return at == line.len;
}

/* The stem of a text that is one word; 0: it is several, none, or says nothing. */
static size_t stem_of(fer_tokeniser *t, fer_str word, char stem[STEM_MAX])
{
    fer_token_reader r;
    fer_token token;
    size_t len = 0;
    fer_token_reader_init(&r, t, word);
    while (fer_token_next(&r, &token)) {
        if (len || token.use == FER_TOKEN_STOP || token.kind != FER_TOKEN_WORD ||
            token.text.len > STEM_MAX)
            return 0;
        len = token.text.len;
        memcpy(stem, token.text.ptr, len);
    }
    return len;
}

static bool take_given(train_corpus *c, fer_tokeniser *t, const given_line *line, size_t place)
{
    char stem[STEM_MAX];
    size_t len = stem_of(t, line->word, stem);
    if (!len) return true;
    uint32_t id = train_corpus_id(c, (fer_str){stem, len});
    if (id == UINT32_MAX) return false;
    float share = 1 / (float)(place + COMMON);
    c->given_share[id] += share;
    for (size_t k = 0; k < G; k++) c->given[id * G + k] += share * line->numbers[k];
    return true;
}

static fer_code read_lines(train_corpus *c, fer_tokeniser *t, fer_str text, size_t most,
                           fer_err *err)
{
    given_line line;
    for (size_t at = 0, place = 0; at < text.len && place < most; place++) {
        size_t end = fer_str_find(text, at, '\n');
        if (end > text.len) end = text.len;
        if (!read_given(fer_str_slice(text, at, end), &line))
            return fer_fail(err, FER_INVALID_FORMAT, "line %zu is not a word and %zu whole numbers",
                            place + 1, G);
        if (!take_given(c, t, &line, place)) return fer_arena_failed(c->arena, err);
        at = end + 1;
    }
    return FER_OK;
}

fer_code train_given_read(train_corpus *c, const char *path, size_t most, fer_err *err)
{
    fer_arena *a = fer_arena_new(FILE_MAX);
    fer_tokeniser *t = fer_tokeniser_new();
    fer_str text = FER_STR_NONE;
    size_t words = c->words + most;
    fer_code code = a && t ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "no memory");
    c->given = fer_arena_alloc_zero(c->arena, words, G * sizeof *c->given);
    c->given_share = fer_arena_alloc_zero(c->arena, words, sizeof *c->given_share);
    if (!code && (!c->given || !c->given_share)) code = fer_arena_failed(c->arena, err);
    if (!code) code = fer_file_read(a, path, FILE_MAX, &text, err);
    if (!code) code = read_lines(c, t, text, most, err);
    fer_tokeniser_free(t);
    fer_arena_free(a);
    return code;
}

bool train_given_has(const train_corpus *c, size_t word)
{
    return c->given_share && c->given_share[word] > 0;
}

/* ---- directions ------------------------------------------------------------------------- */

static void take_unit(float *row, size_t count)
{
    float squares = 1e-12f;
    for (size_t k = 0; k < count; k++) squares += row[k] * row[k];
    for (size_t k = 0; k < count; k++) row[k] /= sqrtf(squares);
}

/* What all words of the tools have in common says nothing and is taken off. */
void train_given_settle(train_corpus *c)
{
    double mean[TRAIN_GIVEN] = {0}, count = 1e-9;
    for (size_t w = 0; w < c->words; w++) {
        if (!train_given_has(c, w)) continue;
        for (size_t k = 0; k < G; k++) c->given[w * G + k] /= c->given_share[w];
        if (!c->tools[w]) continue;
        for (size_t k = 0; k < G; k++) mean[k] += (double)c->given[w * G + k];
        count++;
    }
    for (size_t w = 0; w < c->words; w++) {
        if (!train_given_has(c, w)) continue;
        for (size_t k = 0; k < G; k++) c->given[w * G + k] -= (float)(mean[k] / count);
        take_unit(c->given + w * G, G);
    }
}

/* ---- the map ---------------------------------------------------------------------------- */

typedef struct fit {
    double own[TRAIN_GIVEN][TRAIN_GIVEN]; /* the normal equations, then their triangle */
    double map[TRAIN_GIVEN][TRAIN_DIMS];  /* their right side, then the map */
    double length, count;                 /* of rows of rare words, summed */
} fit;

static double length_of(const float *row)
{
    double squares = 1e-12;
    for (size_t k = 0; k < D; k++) squares += (double)row[k] * (double)row[k];
    return sqrt(squares);
}

static void fit_word(fit *f, const float *given, const float *row, uint32_t tools)
{
    double length = length_of(row), trust = tools < TRUSTED ? tools : TRUSTED;
    if (tools < TRUSTED / 2) {
        f->length += length;
        f->count++;
    }
    for (size_t i = 0; i < G; i++) {
        double g = trust * (double)given[i];
        for (size_t j = 0; j < G; j++) f->own[i][j] += g * (double)given[j];
        for (size_t j = 0; j < D; j++) f->map[i][j] += g * (double)row[j] / length;
    }
}

/* Elimination without a choice of rows: the matrix is positive, for its diagonal was raised. */
static void solve(fit *f)
{
    for (size_t i = 0; i < G; i++) f->own[i][i] += 10;
    for (size_t i = 0; i < G; i++)
        for (size_t r = i + 1; r < G; r++) {
            double part = f->own[r][i] / f->own[i][i];
            for (size_t j = i; j < G; j++) f->own[r][j] -= part * f->own[i][j];
            for (size_t j = 0; j < D; j++) f->map[r][j] -= part * f->map[i][j];
        }
    for (size_t i = G; i-- > 0;)
        for (size_t j = 0; j < D; j++) {
            for (size_t k = i + 1; k < G; k++) f->map[i][j] -= f->own[i][k] * f->map[k][j];
            f->map[i][j] /= f->own[i][i];
        }
}

static void map_word(const fit *f, const float *given, float length, float *row)
{
    double sum[TRAIN_DIMS] = {0};
    for (size_t i = 0; i < G; i++)
        for (size_t j = 0; j < D; j++) sum[j] += (double)given[i] * f->map[i][j];
    for (size_t j = 0; j < D; j++) row[j] = (float)sum[j];
    take_unit(row, D);
    for (size_t j = 0; j < D; j++) row[j] *= length;
}

/* Words without tools are as long as rare ones that have some, times `size`. */
fer_code train_given_map(const train_corpus *c, float *rows, float size, fer_err *err)
{
    fit *f = fer_arena_alloc_zero(c->arena, 1, sizeof *f);
    if (!f) return fer_arena_failed(c->arena, err);
    for (size_t w = 0; w < c->words; w++)
        if (c->tools[w] && train_given_has(c, w))
            fit_word(f, c->given + w * G, rows + w * D, c->tools[w]);
    solve(f);
    float length = f->count > 0 ? (float)(f->length / f->count) * size : size;
    for (size_t w = 0; w < c->words; w++)
        if (!c->tools[w] && train_given_has(c, w))
            map_word(f, c->given + w * G, length, rows + w * D);
    return FER_OK;
}
