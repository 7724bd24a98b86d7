/* SPDX-License-Identifier: Apache-2.0 */
/* What the gateway is to those who give tokens for it: protected resource metadata (RFC 9728). */
#include "buf.h"
#include "challenge.h"
#include "errors.h"
#include "jwt_door.h"
#include "serve_setup.h"

#define WELL_KNOWN "/.well-known/oauth-protected-resource"

/* Where the path of a URL begins; its length: there is none. */
static size_t path_of(fer_str url)
{
    size_t at = fer_str_find(url, 0, ':');
    at = at == SIZE_MAX ? 0 : at + 3;
    at = fer_str_find(url, at, '/');
    return at == SIZE_MAX ? url.len : at;
}

static void add_scopes(fer_arena *a, const fer_config_serve *c, fer_str *out)
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t i = 0; i < c->issuer_count; i++)
        for (size_t k = 0; k < c->issuers[i].map.grant_count; k++) {
            if (fer_scope_has(b.len ? fer_buf_view(&b) : FER_STR(""),
                              c->issuers[i].map.grants[k].name))
                continue;
            if (b.len) fer_buf_add_char(&b, ' ');
            fer_buf_add(&b, c->issuers[i].map.grants[k].name);
        }
    *out = b.len && !b.failure ? fer_buf_view(&b) : FER_STR("");
}

fer_code fer_jwt_door_describe(fer_arena *a, const fer_config_serve *c, fer_web_options *o,
                               fer_err *err)
{
    fer_str word, list;
    fer_buf b;
    if (!c->issuer_count) return FER_OK;
    add_scopes(a, c, &o->scopes);
    size_t at = path_of(c->resource);
    fer_str origin = fer_str_slice(c->resource, 0, at),
            path = fer_str_slice(c->resource, at, c->resource.len);
    if (fer_str_is(path, "/")) path = FER_STR("");
    o->metadata_url = fer_arena_printf(a, "%.*s" WELL_KNOWN "%.*s", FER_PRI(origin), FER_PRI(path));
    o->metadata_paths[0] = fer_arena_printf(a, WELL_KNOWN "%.*s", FER_PRI(path));
    o->metadata_paths[1] = FER_STR(WELL_KNOWN);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"resource\":");
    fer_buf_add_quoted(&b, c->resource);
    fer_buf_add_text(&b, ",\"authorization_servers\":[");
    for (size_t i = 0; i < c->issuer_count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add_quoted(&b, c->issuers[i].issuer);
    }
    fer_buf_add_text(&b,
                     "],\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"Ferrule\"");
    list = o->scopes;
    for (bool first = true; fer_scope_next(&list, &word); first = false) {
        fer_buf_add_text(&b, first ? ",\"scopes_supported\":[" : ",");
        fer_buf_add_quoted(&b, word);
    }
    fer_buf_add_text(&b, o->scopes.len ? "]}" : "}");
    o->metadata = fer_buf_view(&b);
    bool good = !b.failure && o->metadata_url.ptr && o->metadata_paths[0].ptr;
    return good ? FER_OK : fer_arena_failed(a, err);
}
