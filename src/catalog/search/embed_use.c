/* SPDX-License-Identifier: Apache-2.0 */
#include "embed_use.h"

#include "embed_text.h"
#include "errors.h"
#include "sys.h"

#define SCALE (1 << 22) /* of a number of the unit vector, as a whole number */

typedef struct embed_use {
    fer_embedder face;
    const fer_use_model *model;
    fer_arena *scratch;
    float *work;
} embed_use;

static fer_code embed_one(embed_use *u, const fer_search_doc *doc, int8_t *out, fer_err *err)
{
    uint16_t pieces[FER_USE_TOKENS_MAX];
    float vector[FER_USE_DIMS];
    int32_t whole[FER_USE_DIMS] = {0};
    size_t count;
    fer_buf text;
    fer_arena_reset(u->scratch);
    fer_buf_init(&text, u->scratch, SIZE_MAX / 2);
    fer_embed_text(&text, doc);
    fer_code code = fer_buf_code(&text, err);
    if (!code)
        code = fer_use_pieces(u->model, u->scratch, fer_buf_view(&text), pieces, &count, err);
    if (code) return code;
    if (count) {
        fer_use_run(u->model, pieces, count, u->work, vector);
        /* A damaged file may make a vector of anything; what is no number counts as nothing. */
        for (size_t i = 0; i < FER_USE_DIMS; i++) {
            bool good = vector[i] >= -1 && vector[i] <= 1;
            whole[i] = good ? (int32_t)(vector[i] * SCALE) : 0;
        }
    }
    fer_embed_unit(whole, FER_USE_DIMS, out);
    return FER_OK;
}

static fer_code embed(fer_embedder *e, const fer_search_doc *docs, size_t count,
                      fer_embed_side side, int8_t *out, fer_err *err)
{
    fer_code code = FER_OK;
    (void)side;
    for (size_t i = 0; i < count && !code; i++)
        code = embed_one((embed_use *)e, &docs[i], out + i * e->dims, err);
    return code;
}

static void free_use(fer_embedder *e)
{
    embed_use *u = (embed_use *)e;
    fer_arena_free(u->scratch);
    fer_sys_free(u->work);
    fer_sys_free(u);
}

fer_embedder *fer_embed_use_new(const fer_use_model *m)
{
    embed_use *u = fer_sys_malloc(sizeof *u);
    if (!u) return NULL;
    *u = (embed_use){.face = {"use-lite", FER_USE_DIMS, embed, free_use}, .model = m};
    u->scratch = fer_arena_new(0);
    u->work = fer_sys_malloc(FER_USE_WORK * sizeof *u->work);
    if (u->scratch && u->work) return &u->face;
    free_use(&u->face);
    return NULL;
}
