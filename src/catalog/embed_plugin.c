/* SPDX-License-Identifier: Apache-2.0 */
#include "embed_plugin.h"

#include <math.h>

#include "arena.h"
#include "embed_text.h"
#include "errors.h"
#include "sys.h"

/* Of the largest number of a vector, before the vector is brought to its length. */
#define SCALE (1 << 22)

typedef struct embed_plugin {
    fer_embedder face;
    const fer_embed_plugin *plugin;
    fer_arena *scratch;
    int32_t whole[FER_EMBED_DIMS];
} embed_plugin;

static fer_code texts_of(embed_plugin *p, const fer_search_doc *docs, size_t count, fer_str **out,
                         fer_err *err)
{
    fer_buf text;
    fer_str *list = fer_arena_alloc_zero(p->scratch, count, sizeof *list);
    if (!list) return fer_arena_failed(p->scratch, err);
    for (size_t i = 0; i < count; i++) {
        fer_buf_init(&text, p->scratch, SIZE_MAX / 2);
        fer_embed_text(&text, &docs[i]);
        if (text.failure) return fer_buf_code(&text, err);
        list[i] = text.len ? fer_buf_view(&text) : FER_STR("");
    }
    *out = list;
    return FER_OK;
}

static fer_code take(embed_plugin *p, const double *numbers, int8_t *out, fer_err *err)
{
    size_t dims = p->plugin->dims;
    double most = 0;
    for (size_t i = 0; i < dims; i++) {
        if (!isfinite(numbers[i]))
            return fer_fail(err, FER_INVALID_OUTPUT,
                            "the embedder %s: a vector holds what is no finite number",
                            p->plugin->name);
        if (fabs(numbers[i]) > most) most = fabs(numbers[i]);
    }
    for (size_t i = 0; i < dims; i++)
        p->whole[i] = most > 0 ? (int32_t)lrint(numbers[i] / most * SCALE) : 0;
    for (size_t i = dims; i < p->face.dims; i++) p->whole[i] = 0;
    fer_embed_unit(p->whole, p->face.dims, out);
    return FER_OK;
}

static fer_code embed(fer_embedder *e, const fer_search_doc *docs, size_t count,
                      fer_embed_side side, int8_t *out, fer_err *err)
{
    embed_plugin *p = (embed_plugin *)e;
    size_t dims = p->plugin->dims;
    fer_str *texts = NULL;
    fer_arena_reset(p->scratch);
    fer_code code = texts_of(p, docs, count, &texts, err);
    if (code) return code;
    double *numbers = fer_arena_alloc_zero(p->scratch, count * dims, sizeof *numbers);
    if (!numbers) return fer_arena_failed(p->scratch, err);
    code =
        p->plugin->embed(p->plugin->context, texts, count, side == FER_EMBED_QUERY, numbers, err);
    for (size_t i = 0; i < count && !code; i++)
        code = take(p, numbers + i * dims, out + i * e->dims, err);
    return code;
}

static void free_plugin(fer_embedder *e)
{
    embed_plugin *p = (embed_plugin *)e;
    fer_arena_free(p->scratch);
    fer_sys_free(p);
}

fer_code fer_embed_plugin_new(const fer_embed_plugin *plugin, fer_embedder **out, fer_err *err)
{
    if (!plugin->name || !plugin->embed || !plugin->dims)
        return fer_fail(err, FER_BAD_USAGE, "an embedder needs a name, dims and a function");
    if (plugin->dims > FER_EMBED_DIMS)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "vectors of %zu numbers are longer than search.dimensions, %d",
                        plugin->dims, FER_EMBED_DIMS);
    embed_plugin *p = fer_sys_malloc(sizeof *p);
    fer_arena *scratch = p ? fer_arena_new(0) : NULL;
    if (!scratch) {
        fer_sys_free(p);
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for an embedder");
    }
    *p = (embed_plugin){.face = {plugin->name, (plugin->dims + 31) / 32 * 32, embed, free_plugin},
                        .plugin = plugin,
                        .scratch = scratch};
    *out = &p->face;
    return FER_OK;
}
