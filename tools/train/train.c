/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule-train -o MODEL [--epochs N] [--batch N] [--least N] [--near N] [--rate X] [--heat X]
 * [--drop X]
 *     [--noise X] [--shared X] [--start WORDS] [--most N] [--size X] TOOLS.jsonl...
 *
 * A file that is named twice counts twice.
 */
#include <stdio.h>
#include <stdlib.h>

#include "errors.h"
#include "file.h"
#include "static_model.h"
#include "train.h"

static const train_options defaults = {.epochs = 15,
                                       .batch = 1024,
                                       .least = 3,
                                       .near = 4,
                                       .rate = 0.02f,
                                       .heat = 0.1f,
                                       .drop = 0.2f,
                                       .noise = 0.5f,
                                       .shared = 0.3f,
                                       .most = 60000,
                                       .size = 1};

static const struct option {
    const char *name;
    size_t at;
    bool whole; /* an unsigned, else a float */
    double least, most;
} option_rows[] = {
    {"--epochs", offsetof(train_options, epochs), true, 1, 1000},
    {"--batch", offsetof(train_options, batch), true, 4, TRAIN_BATCH_MAX},
    {"--least", offsetof(train_options, least), true, 1, 1000000},
    {"--near", offsetof(train_options, near), true, 1, 64},
    {"--plain", offsetof(train_options, plain), true, 0, 1},
    {"--rate", offsetof(train_options, rate), false, 1e-6, 10},
    {"--heat", offsetof(train_options, heat), false, 0.03, 1},
    {"--drop", offsetof(train_options, drop), false, 0, 0.9},
    {"--noise", offsetof(train_options, noise), false, 0, 0.9},
    {"--most", offsetof(train_options, most), true, 1, 1000000},
    {"--size", offsetof(train_options, size), false, 0.01, 10},
    {"--shared", offsetof(train_options, shared), false, 0, 0.9},
};

static bool set_option(train_options *o, const char *name, const char *value)
{
    for (size_t i = 0; i < FER_COUNT(option_rows); i++) {
        const struct option *row = &option_rows[i];
        char *end = NULL;
        double v = strtod(value, &end);
        if (strcmp(row->name, name) != 0) continue;
        if (*end || end == value || !(v >= row->least && v <= row->most)) return false;
        unsigned whole = (unsigned)v;
        float part = (float)v;
        memcpy((char *)o + row->at, row->whole ? (void *)&whole : (void *)&part, 4);
        return true;
    }
    return false;
}

/* Files are gathered at the front of argv. */
static bool read_options(train_options *o, int argc, char **argv, size_t *files)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') argv[(*files)++] = argv[i];
        else if (i + 1 == argc) return false;
        else if (strcmp(argv[i], "-o") == 0) o->out = argv[++i];
        else if (strcmp(argv[i], "--start") == 0) o->start = argv[++i];
        else if (!set_option(o, argv[i], argv[i + 1])) return false;
        else i++;
    }
    return o->out && *files && o->batch % 4 == 0;
}

/*
 * A few tools that followed each other in their file, and so are mostly of one server, stay
 * together: to be told from one's neighbours is harder, and what a crowd asks for.
 */
static void shuffle(train_random *r, uint32_t *order, size_t count, size_t near)
{
    for (size_t i = count / near - 1; i > 0; i--) {
        size_t j = train_below(r, (uint32_t)i + 1);
        for (size_t k = 0; k < near; k++) {
            uint32_t held = order[i * near + k];
            order[i * near + k] = order[j * near + k];
            order[j * near + k] = held;
        }
    }
}

typedef struct training {
    train_corpus *corpus;
    const train_options *options;
    train_random random;
    train_vectors vectors;
    train_bag *query, *about;
    uint32_t *order;
    size_t steps, step;
} training;

/* What does not fill a batch is left to the next epoch's order. */
static void run_epoch(training *t, unsigned epoch)
{
    const train_options *o = t->options;
    double loss = 0;
    size_t batches = 0, filled = 0;
    shuffle(&t->random, t->order, t->corpus->count, o->near);
    for (size_t i = 0; i < t->corpus->count; i++) {
        filled += train_views(t->corpus, o, &t->random, &t->corpus->docs[t->order[i]],
                              &t->query[filled], &t->about[filled]);
        if (filled < o->batch) continue;
        float left = 1 - (float)t->step++ / (float)t->steps;
        loss +=
            train_step(&t->vectors, o, o->rate * (left > 0.02f ? left : 0.02f), t->query, t->about);
        filled = 0;
        batches++;
    }
    fprintf(stderr, "epoch %u of %u: loss %.4f\n", epoch + 1, o->epochs,
            batches ? loss / (double)batches : 0);
}

static fer_code run_all(training *t, fer_err *err)
{
    fer_arena *a = t->corpus->arena;
    t->query = fer_arena_alloc_zero(a, t->options->batch, sizeof *t->query);
    t->about = fer_arena_alloc_zero(a, t->options->batch, sizeof *t->about);
    t->order = fer_arena_alloc_zero(a, t->corpus->count, sizeof *t->order);
    if (!t->query || !t->about || !t->order) return fer_arena_failed(a, err);
    t->steps = t->options->epochs * (t->corpus->count / t->options->batch) + 1;
    for (size_t i = 0; i < t->corpus->count; i++) t->order[i] = (uint32_t)i;
    fer_code code = train_vectors_init(&t->vectors, t->corpus, t->options, &t->random, err);
    for (unsigned e = 0; !code && e < t->options->epochs; e++) run_epoch(t, e);
    return code;
}

typedef struct numbered {
    fer_str stem;
    uint32_t id;
} numbered;

static int by_stem(const void *a, const void *b)
{
    return fer_str_cmp(((const numbered *)a)->stem, ((const numbered *)b)->stem);
}

static fer_code write_model(const training *t, fer_err *err)
{
    const train_corpus *c = t->corpus;
    numbered *kept = fer_arena_alloc_zero(c->arena, c->words, sizeof *kept);
    fer_str *stems = fer_arena_alloc_zero(c->arena, c->words, sizeof *stems), bytes;
    float *rows = fer_arena_alloc_zero(c->arena, c->words, TRAIN_DIMS * sizeof *rows);
    uint32_t count = 0;
    if (!kept || !stems || !rows) return fer_arena_failed(c->arena, err);
    for (size_t i = 0; i < c->words; i++)
        if (c->tools[i] || train_given_has(c, i))
            kept[count++] = (numbered){c->stems[i], (uint32_t)i};
    qsort(kept, count, sizeof *kept, by_stem);
    for (uint32_t i = 0; i < count; i++) {
        stems[i] = kept[i].stem;
        memcpy(rows + (size_t)i * TRAIN_DIMS, t->vectors.rows + (size_t)kept[i].id * TRAIN_DIMS,
               TRAIN_DIMS * sizeof *rows);
    }
    const fer_static_draft draft = {"static-128", TRAIN_DIMS, count, stems, rows};
    fer_code code = fer_static_model_write(c->arena, &draft, &bytes, err);
    if (!code) code = fer_file_replace(t->options->out, bytes, err);
    if (!code) fprintf(stderr, "%s: %u words, %zu bytes\n", t->options->out, count, bytes.len);
    return code;
}

static fer_code train(const train_options *o, train_corpus *c, char **files, size_t count,
                      fer_err *err)
{
    training t = {.corpus = c, .options = o, .random = {UINT64_C(88172645463325252)}};
    fer_code code = train_corpus_read(c, files, count, err);
    if (!code && o->start) code = train_given_read(c, o->start, o->most, err);
    if (!code) code = train_corpus_count(c, err);
    if (code) return code;
    train_corpus_trim(c, o->least);
    if (o->start) train_given_settle(c);
    fprintf(stderr, "%zu tools, %zu words; %zu lines were no JSON, %zu tools came twice\n",
            c->count, c->words, c->skipped, c->doubles);
    if (c->count < o->batch)
        return fer_fail(err, FER_INVALID_FORMAT, "fewer tools than a batch of %u", o->batch);
    code = run_all(&t, err);
    if (!code && o->start) code = train_given_map(c, t.vectors.rows, o->size, err);
    return code ? code : write_model(&t, err);
}

int main(int argc, char **argv)
{
    train_options o = defaults;
    size_t files = 0;
    fer_err err = {0};
    if (!read_options(&o, argc, argv, &files)) {
        fprintf(
            stderr,
            "usage: ferrule-train -o MODEL [--epochs N] [--batch N] [--least N] [--near N] [--rate X] "
            "[--heat X] [--drop X] [--noise X] [--shared X] [--start WORDS] [--most N] [--size X] "
            "TOOLS.jsonl...\n");
        return FER_EXIT_USAGE;
    }
    train_corpus c = {.arena = fer_arena_new((size_t)8 << 30)};
    fer_code code = c.arena ? train(&o, &c, argv, files, &err) : FER_OUT_OF_MEMORY;
    if (code) fprintf(stderr, "ferrule-train: %s\n", err.message);
    fer_arena_free(c.arena);
    return code ? FER_EXIT_SYSTEM : FER_EXIT_OK;
}
