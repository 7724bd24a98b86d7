/* SPDX-License-Identifier: Apache-2.0 */
#include "embedding.h"

#include <string.h>

#include "checksum.h"
#include "embed_plugin.h"
#include "errors.h"
#include "file.h"

static fer_code open_builtin(fer_embedding *e, fer_err *err)
{
    fer_code code = fer_static_model_builtin(&e->builtin, err);
    if (code) return code;
    e->id.model = e->builtin.sum;
    e->embedder = fer_embed_static_new(&e->builtin);
    return FER_OK;
}

static fer_code open_use(fer_embedding *e, const char *path, fer_err *err)
{
    fer_str bytes;
    e->arena = fer_arena_new(0);
    if (!e->arena) return FER_OK;
    fer_code code = fer_file_read(e->arena, path, FER_EMBEDDING_SIZE, &bytes, err);
    if (!code) code = fer_use_model_open(&e->use, e->arena, bytes, err);
    if (code) return code;
    e->id.model = fer_checksum(bytes.ptr, bytes.len);
    e->embedder = fer_embed_use_new(&e->use);
    return FER_OK;
}

static void take_name(fer_embedding *e)
{
    size_t len = strlen(e->embedder->name);
    if (len >= sizeof e->id.name) len = sizeof e->id.name - 1;
    memcpy(e->id.name, e->embedder->name, len);
    e->id.dims = e->embedder->dims;
}

static void take_label(fer_embedding *e, fer_str model, size_t length)
{
    fer_str kept = fer_str_head(model, sizeof e->label.model - 1);
    if (kept.len) memcpy(e->label.model, kept.ptr, kept.len);
    e->label.length = length;
}

static fer_code identify(fer_embedding *e, fer_err *err)
{
    static const char probe[] = "createIssue_v2 opens the tickets of 12 customers, 天気 naïve";
    int8_t vector[FER_EMBED_DIMS];
    assert(e->embedder); /* or there was a failure */
    take_name(e);
    fer_code code = fer_embed_query(e->embedder, fer_str_of(probe), vector, err);
    if (!code) e->id.model = fer_checksum_mix(e->id.model, fer_checksum(vector, e->embedder->dims));
    return code;
}

fer_code fer_embedding_open(fer_embedding *e, const char *name, fer_err *err)
{
    fer_code code;
    *e = (fer_embedding){0};
    if (!name || strcmp(name, "builtin") == 0) code = open_builtin(e, err);
    else if (fer_str_starts(fer_str_of(name), "use:")) code = open_use(e, name + 4, err);
    else
        code = fer_fail(err, FER_BAD_USAGE,
                        "there is no embedder '%s'; they are builtin and use:FILE", name);
    if (!code && !e->embedder) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = identify(e, err);
    if (code) fer_embedding_close(e);
    return code;
}

/* No text is tried: a server's numbers need not be the same to the last digit each time. */
fer_code fer_embedding_open_plugin(fer_embedding *e, const fer_embed_plugin *plugin, fer_err *err)
{
    *e = (fer_embedding){.plugin = *plugin};
    fer_code code = fer_embed_plugin_new(&e->plugin, &e->embedder, err);
    if (code) return code;
    fer_str model = fer_str_of(plugin->model);
    take_name(e);
    take_label(e, model, plugin->dims);
    e->id.model = fer_checksum_mix(plugin->dims, fer_checksum(model.ptr, model.len));
    return FER_OK;
}

static fer_embedder *more_of_plugin(const fer_embedding *e)
{
    fer_embedder *made = NULL;
    return fer_embed_plugin_new(&e->plugin, &made, NULL) ? NULL : made;
}

fer_embedder *fer_embedding_more(const fer_embedding *e)
{
    if (e->plugin.name) return more_of_plugin(e);
    return e->arena ? fer_embed_use_new(&e->use) : fer_embed_static_new(&e->builtin);
}

void fer_embedding_close(fer_embedding *e)
{
    fer_embedder_free(e->embedder);
    fer_arena_free(e->arena);
    *e = (fer_embedding){0};
}
