/* SPDX-License-Identifier: Apache-2.0 */
#include "embedder_choice.h"

#include <stdio.h>

#include "errors.h"

static bool is_url(const char *name)
{
    return fer_str_starts(fer_str_of(name), "http://") ||
           fer_str_starts(fer_str_of(name), "https://");
}

fer_embedder_choice fer_embedder_choice_of(const fer_app *app)
{
    return (fer_embedder_choice){
        fer_app_option(app, "embedder"), fer_app_option(app, "embedder-model"),
        fer_app_option(app, "embedder-key"), fer_app_option(app, "embedder-dims")};
}

bool fer_embedder_is_named(const fer_app *app)
{
    const fer_embedder_choice c = fer_embedder_choice_of(app);
    return c.name || c.model || c.key || c.dims;
}

void fer_embedder_who(const fer_vector_stats *v, char out[FER_EMBEDDER_WORDS])
{
    snprintf(out, FER_EMBEDDER_WORDS, "the embedder %s%s%s, %zu numbers", v->file_embedder,
             v->file_model[0] ? ", model " : "", v->file_model, v->file_dims);
}

/* Of the same model only the length can be another one. */
static bool is_length_other(const fer_app *app, const fer_vector_stats *v)
{
    const char *model = fer_app_option(app, "embedder-model");
    return v->others && model && strcmp(model, v->file_model) == 0;
}

void fer_embedder_how(const fer_app *app, const fer_vector_stats *v, char out[FER_EMBEDDER_WORDS])
{
    const fer_str name = fer_str_of(v->file_embedder);
    size_t at = 0;
    if (fer_str_is(name, FER_EMBED_HTTP_NAME))
        at = (size_t)snprintf(out, FER_EMBEDDER_WORDS, "--embedder URL --embedder-model %s",
                              v->file_model[0] ? v->file_model : "MODEL");
    else
        snprintf(out, FER_EMBEDDER_WORDS, "--embedder %s",
                 fer_str_starts(name, "static-") ? "builtin" : "use:FILE");
    if (at && is_length_other(app, v))
        snprintf(out + at, FER_EMBEDDER_WORDS - at, " --embedder-dims %zu", v->file_dims);
}

static fer_code open_server(const fer_embedder_choice *c, fer_embed_http **out, fer_err *err)
{
    uint64_t dims = 0;
    if (c->dims && (!fer_parse_u64(fer_str_of(c->dims), &dims) || !dims))
        return fer_fail(err, FER_BAD_USAGE, "--embedder-dims is a number from 1 to %d",
                        FER_EMBED_DIMS);
    const fer_embed_http_options o = {c->name, c->model, c->key, (size_t)dims, 0};
    return fer_embed_http_new(&o, out, err);
}

fer_code fer_embedder_choice_server(const fer_embedder_choice *c, fer_embed_http **out,
                                    fer_err *err)
{
    *out = NULL;
    if (c->name && is_url(c->name)) return open_server(c, out, err);
    if (c->model || c->key || c->dims)
        return fer_fail(err, FER_BAD_USAGE,
                        "--embedder-model, --embedder-key and --embedder-dims go with a URL");
    return FER_OK;
}

fer_code fer_chosen_embedder_open(fer_chosen_embedder *e, const fer_embedder_choice *choice,
                                  fer_err *err)
{
    *e = (fer_chosen_embedder){0};
    fer_code code = fer_embedder_choice_server(choice, &e->server, err);
    if (code) return code;
    if (e->server)
        code = fer_embedding_open_plugin(&e->at_hand, fer_embed_http_plugin(e->server), err);
    else code = fer_embedding_open(&e->at_hand, choice->name, err);
    if (code) fer_chosen_embedder_close(e);
    else e->embedder = e->at_hand.embedder;
    return code;
}

void fer_chosen_embedder_close(fer_chosen_embedder *e)
{
    fer_embedding_close(&e->at_hand);
    fer_embed_http_free(e->server);
    *e = (fer_chosen_embedder){0};
}
