/* SPDX-License-Identifier: Apache-2.0 */
#include "embed_static.h"

#include <math.h>

#include "sys.h"
#include "tokens.h"
#include "vector_kernels.h"

const uint8_t fer_embed_field_weights[] = {
    [FER_FIELD_NAME] = 20,      [FER_FIELD_NAMESPACE] = 10, [FER_FIELD_TITLE] = 10,
    [FER_FIELD_TAG] = 10,       [FER_FIELD_CATEGORY] = 10,  [FER_FIELD_DESCRIPTION] = 10,
    [FER_FIELD_PARAM_NAME] = 5, [FER_FIELD_PARAM_TEXT] = 3, [FER_FIELD_PARAM_VALUE] = 3,
};
static_assert(FER_COUNT(fer_embed_field_weights) == FER_FIELD_COUNT, "a weight for each field");

typedef struct counted {
    uint32_t word;
    uint32_t tenths;
} counted;

/*
 * Stems of queries that were looked up: to find one in the dictionary takes four lines of the cache
 * that lie anywhere in megabytes, and words of queries repeat.
 */
#define KNOWN 4096 /* a power of two */
typedef struct known {
    fer_token_key stem; /* of no bytes: nobody is here */
    uint32_t word;      /* or FER_MODEL_NONE */
} known;

typedef struct embed_static {
    fer_embedder face;
    const fer_static_model *model;
    const fer_vector_kernels *run;
    fer_tokeniser *tokeniser;
    counted words[FER_EMBED_WORDS_MAX];
    uint32_t count;
    uint8_t *seen; /* by word: its place in `words` + 1, or 0 */
    known known[KNOWN];
} embed_static;

static void count_word(embed_static *s, uint32_t word, uint32_t tenths)
{
    if (s->seen[word]) {
        s->words[s->seen[word] - 1].tenths += tenths;
    } else if (s->count < FER_EMBED_WORDS_MAX) {
        s->words[s->count++] = (counted){word, tenths};
        s->seen[word] = (uint8_t)s->count;
    }
}

static void count_text(embed_static *s, fer_str text, uint32_t tenths, fer_embed_side side)
{
    const fer_token_use dropped = side == FER_EMBED_QUERY ? FER_TOKEN_FILLER : FER_TOKEN_STOP;
    fer_token_reader r;
    fer_token t;
    fer_token_reader_init(&r, s->tokeniser, text);
    while (fer_token_next(&r, &t)) {
        if (t.use >= dropped) continue;
        uint32_t word = fer_static_model_find(s->model, t.text);
        if (word != FER_MODEL_NONE) count_word(s, word, tenths);
    }
}

/*
 * A word counts by the root of how often it is there, in 16ths. 255 words of at most 65535 x 127
 * fit into 31 bits.
 */
static uint32_t factor_of(const embed_static *s, counted c)
{
    uint32_t capped = c.tenths < 2550 ? c.tenths : 2550;
    uint32_t root = (uint32_t)sqrt(capped * 25.6);
    return root * fer_static_model_weight(s->model, c.word) >> 4;
}

/* The vector of what was counted, which is then forgotten. */
static void sum_up(embed_static *s, int8_t *out)
{
    int32_t sum[FER_MODEL_DIMS_MAX];
    memset(sum, 0, s->model->dims * sizeof *sum);
    for (uint32_t i = 0; i < s->count; i++) {
        counted c = s->words[i];
        s->seen[c.word] = 0;
        s->run->add(sum, fer_static_model_row(s->model, c.word), (int32_t)factor_of(s, c),
                    s->model->dims);
    }
    s->count = 0;
    fer_embed_unit(sum, s->model->dims, out);
}

static void embed_one(embed_static *s, const fer_search_doc *doc, fer_embed_side side, int8_t *out)
{
    for (size_t i = 0; i < doc->count; i++)
        count_text(s, doc->texts[i].text, fer_embed_field_weights[doc->texts[i].field], side);
    sum_up(s, out);
}

static inline known *place_of(embed_static *s, fer_str stem)
{
    static const uint64_t seed[2] = {0x9E3779B97F4A7C15, 0xD1B54A32D192ED03};
    return &s->known[fer_token_hash(stem, seed) & (KNOWN - 1)];
}

static uint32_t find_stem(embed_static *s, fer_str stem)
{
    if (!stem.len || stem.len > FER_TOKEN_KEY) return fer_static_model_find(s->model, stem);
    fer_token_key key = fer_token_key_load(stem);
    known *k = place_of(s, stem);
    if (!fer_token_key_eq(&k->stem, &key)) *k = (known){key, fer_static_model_find(s->model, stem)};
    return k->word;
}

/* What is needed of each word is asked for while others are looked up. */
static void find_stems(embed_static *s, const fer_embed_stems *query, uint32_t *out)
{
    for (size_t i = 0; i < query->count; i++) __builtin_prefetch(place_of(s, query->stems[i]));
    for (size_t i = 0; i < query->count; i++) {
        out[i] = find_stem(s, query->stems[i]);
        if (out[i] == FER_MODEL_NONE) continue;
        const int8_t *row = fer_static_model_row(s->model, out[i]);
        for (size_t at = 0; at < s->model->dims; at += 64) __builtin_prefetch(row + at);
        __builtin_prefetch(s->seen + out[i], 1);
        fer_static_model_fetch_weight(s->model, out[i]);
    }
}

static void embed_stems(fer_embedder *e, const fer_embed_stems *query, int8_t *out)
{
    embed_static *s = (embed_static *)e;
    uint32_t words[FER_EMBED_STEMS];
    assert(query->count <= FER_EMBED_STEMS);
    find_stems(s, query, words);
    for (size_t p = 0; p < query->part_count; p++, out += e->dims) {
        for (size_t i = query->parts[p].from; i < query->parts[p].to; i++)
            if (words[i] != FER_MODEL_NONE) count_word(s, words[i], query->tenths[i]);
        sum_up(s, out);
    }
}

static fer_code embed(fer_embedder *e, const fer_search_doc *docs, size_t count,
                      fer_embed_side side, int8_t *out, fer_err *err)
{
    (void)err;
    embed_static *s = (embed_static *)e;
    for (size_t i = 0; i < count; i++) embed_one(s, &docs[i], side, out + i * e->dims);
    return FER_OK;
}

static void free_static(fer_embedder *e)
{
    embed_static *s = (embed_static *)e;
    fer_tokeniser_free(s->tokeniser);
    fer_sys_free(s->seen);
    fer_sys_free(s);
}

fer_embedder *fer_embed_static_new(const fer_static_model *m)
{
    embed_static *s = fer_sys_malloc_zero(sizeof *s);
    if (!s) return NULL;
    s->face = (fer_embedder){m->name, m->dims, embed, free_static, embed_stems};
    s->model = m;
    s->run = fer_vector_kernels_here();
    s->tokeniser = fer_tokeniser_new();
    s->seen = fer_sys_malloc(m->words);
    if (!s->tokeniser || !s->seen) {
        free_static(&s->face);
        return NULL;
    }
    memset(s->seen, 0, m->words);
    return &s->face;
}
