/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_http.h"

#include "link_http.h"

static const fer_runner_kind kind = {.name = "mcp-http",
                                     .backend = FER_BACKEND_MCP,
                                     .list = fer_mcp_runner_list,
                                     .call = fer_mcp_runner_call,
                                     .cancel = fer_mcp_runner_cancel,
                                     .pause = fer_mcp_runner_pause,
                                     .status = fer_mcp_runner_status,
                                     .mcp = fer_mcp_runner_client,
                                     .leave = fer_mcp_runner_leave,
                                     .stop = fer_mcp_runner_stop,
                                     .free = fer_mcp_runner_free};

static const fer_http_field *copy_fields(fer_arena *a, const fer_http_field *fields, size_t count)
{
    fer_http_field *copy = fer_arena_alloc_zero(a, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i].name = fer_arena_copy(a, fields[i].name);
        copy[i].value = fer_arena_copy(a, fields[i].value);
        if (!copy[i].name.ptr || !copy[i].value.ptr) return NULL;
    }
    return copy;
}

/* Those that are open, and as many that are being closed. */
static_assert(FER_OAUTH_OWNERS >= 2 * FER_MCP_OWNERS_MAX, "each session has its tokens in use");

struct remote {
    uv_loop_t *loop;
    fer_http *http;
    fer_link_http_spec spec;
    fer_oauth_pool *tokens;
};

static fer_mcp_link *make(const void *settings, const fer_token_owner *who)
{
    const struct remote *r = settings;
    fer_link_http_spec spec = r->spec;
    if (r->tokens && fer_oauth_pool_get(r->tokens, who->tenant, who->principal, &spec.oauth, NULL))
        return NULL;
    fer_mcp_link *link = fer_link_http_new(r->loop, r->http, &spec);
    fer_oauth_unref(spec.oauth); /* the link has its own */
    return link;
}

fer_runner *fer_mcp_http_runner(uv_loop_t *loop, fer_http *http,
                                const fer_mcp_http_settings *settings)
{
    fer_arena *a = fer_arena_new(0);
    if (!a) return NULL;
    fer_link_http_spec spec = {.url = fer_arena_copy(a, settings->url),
                               .fields = copy_fields(a, settings->fields, settings->field_count),
                               .field_count = settings->field_count};
    if (!spec.url.ptr || !spec.fields) {
        fer_arena_free(a);
        return NULL;
    }
    struct remote *own = fer_arena_alloc_zero(a, 1, sizeof *own);
    if (!own) {
        fer_arena_free(a);
        return NULL;
    }
    *own = (struct remote){loop, http, spec, settings->tokens};
    return fer_mcp_runner_new(
        a, loop,
        &(fer_mcp_runner_spec){.kind = &kind,
                               .name = settings->name,
                               .make = make,
                               .settings = own,
                               .times = &settings->times,
                               .care = settings->care,
                               .share = settings->tokens ? fer_oauth_pool_share(settings->tokens)
                                                         : FER_TOKENS_SHARED});
}
