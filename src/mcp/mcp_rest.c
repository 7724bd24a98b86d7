/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp_rest.h"

#include "json_value.h"
#include "rpc.h"

#define META "_meta"

void fer_mcp_rest_init(fer_mcp_rest *r, fer_arena *a, size_t max)
{
    fer_buf_init(&r->plain, a, max);
    fer_buf_init(&r->meta, a, max);
    fer_map_init(&r->seen, a);
    r->has_meta = false;
}

/* Members of the page itself, or of the era that it was asked in. */
static bool is_of_page(fer_str key, const char *list)
{
    static const char *const own[] = {"nextCursor", "resultType", "ttlMs", "cacheScope"};
    for (size_t i = 0; i < FER_COUNT(own); i++)
        if (fer_str_is(key, own[i])) return true;
    return fer_str_is(key, list);
}

/* The first page to say it counts. `within`: the name of the object that it is in, "" for none. */
static bool add_member(fer_mcp_rest *r, fer_buf *b, const char *within, const fer_json *doc,
                       const yyjson_val *key)
{
    fer_str name = fer_arena_printf(r->seen.arena, "%s/%.*s", within, FER_PRI(fer_val_str(key)));
    void **slot = name.ptr ? fer_map_put(&r->seen, name) : NULL;
    if (!slot) return false;
    if (*slot) return true;
    *slot = r;
    if (b->len) fer_buf_add_char(b, ',');
    fer_buf_add(b, fer_rpc_bytes(doc, key));
    fer_buf_add_char(b, ':');
    fer_buf_add(b, fer_rpc_bytes(doc, key + 1));
    return !b->failure;
}

bool fer_mcp_rest_add(fer_mcp_rest *r, const fer_json *doc, const yyjson_val *result,
                      const char *list)
{
    FER_EACH_MEMBER (result, key) {
        if (fer_str_is(fer_val_str(key), META)) { /* one that is no object says nothing */
            if (!fer_is_obj(key + 1)) continue;
            r->has_meta = true;
            FER_EACH_MEMBER (key + 1, inner)
                if (!add_member(r, &r->meta, META, doc, inner)) return false;
        } else if (!is_of_page(fer_val_str(key), list)) {
            if (!add_member(r, &r->plain, "", doc, key)) return false;
        }
    }
    return true;
}

fer_str fer_mcp_rest_text(const fer_mcp_rest *r, fer_arena *a)
{
    fer_str plain = fer_buf_view(&r->plain), meta = fer_buf_view(&r->meta);
    if (!r->has_meta) return plain.len ? fer_arena_copy(a, plain) : FER_STR("");
    return fer_arena_printf(a, "\"" META "\":{%.*s}%s%.*s", FER_PRI(meta), plain.len ? "," : "",
                            FER_PRI(plain));
}
