/* SPDX-License-Identifier: Apache-2.0 */
#include "embedder_choice.h"

#include "embed_http.h"
#include "errors.h"

static bool is_url(const char *name)
{
    return fer_str_starts(fer_str_of(name), "http://") ||
           fer_str_starts(fer_str_of(name), "https://");
}

static fer_code open_server(fer_chosen_embedder *e, const fer_embedder_choice *c, fer_err *err)
{
    uint64_t dims = 0;
    if (c->dims && (!fer_parse_u64(fer_str_of(c->dims), &dims) || !dims))
        return fer_fail(err, FER_BAD_USAGE, "--embedder-dims is a number from 1 to %d",
                        FER_EMBED_DIMS);
    const fer_embed_http_options o = {c->name, c->model, c->key, (size_t)dims, 0};
    return fer_embed_http_new(&o, &e->embedder, err);
}

fer_embedder_choice fer_embedder_choice_of(const fer_app *app)
{
    return (fer_embedder_choice){
        fer_app_option(app, "embedder"), fer_app_option(app, "embedder-model"),
        fer_app_option(app, "embedder-key"), fer_app_option(app, "embedder-dims")};
}

fer_code fer_chosen_embedder_open(fer_chosen_embedder *e, const fer_embedder_choice *choice,
                                  fer_err *err)
{
    *e = (fer_chosen_embedder){0};
    if (choice->name && is_url(choice->name)) return open_server(e, choice, err);
    if (choice->model || choice->key || choice->dims)
        return fer_fail(err, FER_BAD_USAGE,
                        "--embedder-model, --embedder-key and --embedder-dims go with a URL");
    fer_code code = fer_embedding_open(&e->at_hand, choice->name, err);
    if (!code) e->embedder = e->at_hand.embedder;
    return code;
}

void fer_chosen_embedder_close(fer_chosen_embedder *e)
{
    if (!e->at_hand.embedder) fer_embedder_free(e->embedder);
    fer_embedding_close(&e->at_hand);
    *e = (fer_chosen_embedder){0};
}
