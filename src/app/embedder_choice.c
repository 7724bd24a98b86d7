/* SPDX-License-Identifier: Apache-2.0 */
#include "embedder_choice.h"

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
