/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <math.h>

#include "../bench.h"
#include "map.h"
#include "tokens.h"

#define BEST  10
#define BLOCK 64
#define TERMS 128 /* of a query: as many impacts fit a sum of two bytes */
#define K1    1.2
#define B     0.6

static const double weights[FER_FIELD_COUNT] = {
    [FER_FIELD_NAME] = 2,         [FER_FIELD_NAMESPACE] = 1,    [FER_FIELD_TITLE] = 1,
    [FER_FIELD_TAG] = 1,          [FER_FIELD_CATEGORY] = 1,     [FER_FIELD_DESCRIPTION] = 1,
    [FER_FIELD_PARAM_NAME] = 0.5, [FER_FIELD_PARAM_TEXT] = 0.3, [FER_FIELD_PARAM_VALUE] = 0.3};

struct posting {
    uint32_t doc;
    double count; /* weighted; then what it is worth */
};

struct term {
    struct posting *postings;
    size_t count, room;
    unsigned char *bytes; /* how far the next tool is, seven bits a byte, and its impact */
};

struct floor {
    fer_arena *arena;
    fer_map terms;
    fer_tokeniser *tokeniser;
    double *lengths; /* of the tools, in weighted words */
    size_t tools;
    uint16_t *sums;
    size_t room; /* of sums: whole blocks */
};

static struct term *term_of(struct floor *f, fer_str text, bool make)
{
    struct term *t = fer_map_get(&f->terms, text);
    if (t || !make) return t;
    fer_str copy = fer_arena_copy(f->arena, text);
    BENCH_NEEDS(copy.ptr);
    void **slot = fer_map_put(&f->terms, copy);
    BENCH_NEEDS(slot && (t = *slot = fer_arena_alloc(f->arena, sizeof *t)));
    *t = (struct term){0};
    return t;
}

static void count_word(struct term *t, uint32_t doc, double weight)
{
    if (t->count && t->postings[t->count - 1].doc == doc) {
        t->postings[t->count - 1].count += weight;
        return;
    }
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 4;
        BENCH_NEEDS(t->postings = realloc(t->postings, t->room * sizeof *t->postings));
    }
    t->postings[t->count++] = (struct posting){doc, weight};
}

static void add_tool(struct floor *f, uint32_t number, const fer_search_doc *doc)
{
    for (size_t i = 0; i < doc->count; i++) {
        fer_token_reader r;
        fer_token t;
        fer_token_reader_init(&r, f->tokeniser, doc->texts[i].text);
        while (fer_token_next(&r, &t)) {
            if (t.use == FER_TOKEN_STOP) continue;
            count_word(term_of(f, t.text, true), number, weights[doc->texts[i].field]);
            f->lengths[number] += weights[doc->texts[i].field];
        }
    }
}

/* Impacts of all postings, the largest 255, and the lists as bytes. */
static void freeze(struct floor *f)
{
    double words = 0, most = 0;
    for (size_t i = 0; i < f->tools; i++) words += f->lengths[i];
    double mean = words / (double)f->tools;
    for (size_t i = 0; i < f->terms.cap; i++) {
        struct term *t = f->terms.entries[i].value;
        if (!f->terms.entries[i].key.ptr) continue;
        double n = (double)t->count, rare = log(1 + ((double)f->tools - n + 0.5) / (n + 0.5));
        for (size_t k = 0; k < t->count; k++) {
            double c = t->postings[k].count, len = f->lengths[t->postings[k].doc] / mean;
            double worth = rare * c * (K1 + 1) / (c + K1 * (1 - B + B * len));
            t->postings[k].count = worth;
            most = fmax(most, worth);
        }
    }
    for (size_t i = 0; i < f->terms.cap; i++) {
        struct term *t = f->terms.entries[i].value;
        if (!f->terms.entries[i].key.ptr) continue;
        unsigned char *p = t->bytes = malloc(t->count * 6);
        BENCH_NEEDS(p);
        uint32_t before = 0;
        for (size_t k = 0; k < t->count; k++) {
            uint32_t step = t->postings[k].doc - before;
            for (before = t->postings[k].doc; step >= 128; step >>= 7)
                *p++ = (unsigned char)(step | 128);
            *p++ = (unsigned char)step;
            *p++ = (unsigned char)lround(1 + 254 * t->postings[k].count / most);
        }
        free(t->postings);
        t->postings = NULL;
    }
}

static size_t terms_of(struct floor *f, fer_str query, const struct term **out)
{
    fer_token_reader r;
    fer_token t;
    size_t count = 0;
    fer_token_reader_init(&r, f->tokeniser, query);
    while (count < TERMS && fer_token_next(&r, &t)) {
        const struct term *found = t.use == FER_TOKEN_CONTENT ? term_of(f, t.text, false) : NULL;
        for (size_t i = 0; found && i < count; i++)
            if (out[i] == found) found = NULL;
        if (found) out[count++] = found;
    }
    return count;
}

static void sweep(uint16_t *sums, const struct term *t)
{
    const unsigned char *p = t->bytes;
    uint32_t doc = 0;
    for (size_t i = 0; i < t->count; i++) {
        uint32_t byte = *p++, step = byte & 127;
        for (unsigned shift = 7; byte & 128; shift += 7) step |= ((byte = *p++) & 127) << shift;
        doc += step;
        sums[doc] = (uint16_t)(sums[doc] + *p++);
    }
}

struct best {
    uint32_t tools[BEST];
    uint16_t sums[BEST];
    size_t count;
};

static void take(struct best *b, uint32_t tool, uint16_t sum)
{
    size_t at = b->count < BEST ? b->count++ : BEST - 1;
    for (; at && b->sums[at - 1] < sum; at--) {
        b->sums[at] = b->sums[at - 1];
        b->tools[at] = b->tools[at - 1];
    }
    b->sums[at] = sum;
    b->tools[at] = tool;
}

/* The ten best sums, the first of equal ones. A block with nothing that comes in is passed over by
 * its largest sum, which compilers find in wide registers. */
static void choose(const uint16_t *sums, size_t count, struct best *out)
{
    for (size_t from = 0; from < count; from += BLOCK) {
        uint16_t most = 0;
        for (size_t i = 0; i < BLOCK; i++) most = sums[from + i] > most ? sums[from + i] : most;
        if (most <= out->sums[BEST - 1]) continue;
        for (size_t i = from; i < from + BLOCK; i++)
            if (sums[i] > out->sums[BEST - 1]) take(out, (uint32_t)i, sums[i]);
    }
}

static double ask(struct floor *f, const struct term *const *terms, size_t count)
{
    struct best best = {0};
    int64_t start = fer_clock_mono();
    for (size_t i = 0; i < count; i++) sweep(f->sums, terms[i]);
    choose(f->sums, f->room, &best);
    memset(f->sums, 0, f->room * sizeof *f->sums);
    int64_t took = fer_clock_mono() - start;
    BENCH_NEEDS(!best.count || best.tools[best.count - 1] < f->tools);
    return (double)took / 1e3;
}

double floor_run(const fer_search_doc *docs, size_t count, const fer_str *queries,
                 size_t query_count, size_t turns, double *us)
{
    struct floor f = {.arena = fer_arena_new(0), .tokeniser = fer_tokeniser_new(), .tools = count};
    double postings = 0;
    BENCH_NEEDS(f.arena && f.tokeniser);
    fer_map_init(&f.terms, f.arena);
    BENCH_NEEDS(f.lengths = calloc(count, sizeof *f.lengths));
    f.room = (count + BLOCK - 1) / BLOCK * BLOCK;
    BENCH_NEEDS(f.sums = calloc(f.room, sizeof *f.sums));
    for (size_t i = 0; i < count; i++) add_tool(&f, (uint32_t)i, &docs[i]);
    freeze(&f);
    for (size_t turn = 0; turn < turns; turn++) {
        for (size_t i = 0; i < query_count; i++) {
            const struct term *terms[TERMS];
            size_t found = terms_of(&f, queries[i], terms);
            for (size_t k = 0; !turn && k < found; k++) postings += (double)terms[k]->count;
            double took = ask(&f, terms, found);
            us[i] = turn && us[i] < took ? us[i] : took;
        }
    }
    for (size_t i = 0; i < f.terms.cap; i++)
        if (f.terms.entries[i].key.ptr) free(((struct term *)f.terms.entries[i].value)->bytes);
    free(f.sums);
    free(f.lengths);
    fer_tokeniser_free(f.tokeniser);
    fer_arena_free(f.arena);
    return postings / (double)query_count;
}
