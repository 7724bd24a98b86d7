/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of embedding models. What must hold: bytes are a model or are refused with a reason; every
 * word of a model is found or not without leaving its bytes; a text embedded with it, whatever its
 * rows hold, gives the same vector twice.
 *
 * So that a changed byte is not always refused for the sum, a first byte of 's' has the sum made
 * to fit.
 */
#include <string.h>

#include "embed_static.h"
#include "fuzz.h"

enum {
    HEADER = 64,
    AT_SUM = 56
};

static void make_sum_fit(uint8_t *p, size_t size)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325), v = 0;
    size_t i = HEADER;
    for (size_t k = 0; k < AT_SUM; k++) h = (h ^ p[k]) * UINT64_C(0x100000001B3);
    for (; i + 8 <= size; i += 8) {
        memcpy(&v, p + i, 8);
        h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    for (; i < size; i++) h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    memcpy(p + AT_SUM, &h, 8);
}

static void use(const fer_static_model *m)
{
    static const char *const texts[] = {"", "send mail", "a alert zip", "word word word other"};
    int8_t one[FER_EMBED_DIMS], two[FER_EMBED_DIMS];
    fer_embedder *e = fer_embed_static_new(m);
    HOLDS(e && e->dims == m->dims && strnlen(m->name, sizeof m->name) < sizeof m->name);
    for (size_t i = 0; i < FER_COUNT(texts); i++) {
        uint32_t word = fer_static_model_find(m, fer_str_of(texts[i]));
        HOLDS(word == FER_MODEL_NONE || word < m->words);
        HOLDS(fer_embed_query(e, fer_str_of(texts[i]), one, NULL) == FER_OK);
        HOLDS(fer_embed_query(e, fer_str_of(texts[i]), two, NULL) == FER_OK);
        HOLDS(memcmp(one, two, m->dims) == 0);
        for (size_t k = 0; k < m->dims; k++) HOLDS(one[k] != INT8_MIN);
    }
    fer_embedder_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_static_model m;
    fer_err err = {0};
    uint8_t *copy = fer_arena_alloc(a, size + 1);
    HOLDS(copy);
    if (size) {
        memcpy(copy, data + 1, size - 1);
        if (data[0] == 's' && size > HEADER) make_sum_fit(copy, size - 1);
        fer_code code = fer_static_model_open(&m, fuzz_text(copy, size - 1), &err);
        if (code) HOLDS(err.code == code && err.message[0]);
        else use(&m);
    }
    fer_arena_free(a);
    return 0;
}
