/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names. An operationId may hold anything ("repos/list-for-org"), a tool's name only
 * [A-Za-z0-9_.-]: the record keeps the operationId beside the name, so the way back is a look-up.
 */
#include <ferrule/contract.h>

#include "name_mangle.h"
#include "openapi_parts.h"

#define SUFFIX_MAX 16 /* bytes that make a name unique */

fer_str fer_oa_slug(fer_arena *a, fer_str title)
{
    fer_buf b;
    bool gap = false;
    fer_buf_init(&b, a, FER_NAME_MAX);
    for (size_t i = 0; i < title.len && b.len + 2 < FER_NAME_MAX; i++) {
        char c = fer_lower(title.ptr[i]);
        if (!fer_name_has(c)) {
            gap = b.len > 0;
            continue;
        }
        if (gap) fer_buf_add_char(&b, '-');
        fer_buf_add_char(&b, c);
        gap = false;
    }
    if (!b.len) fer_buf_add_text(&b, "api");
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

/* The name with a number behind it, until it is one that nobody has. */
static fer_str make_unique(fer_oa *oa, fer_str base)
{
    fer_str name = base;
    fer_str head = fer_str_head(base, FER_NAME_MAX - SUFFIX_MAX);
    for (unsigned n = 2; name.ptr && fer_map_get(&oa->names, name); n++)
        name = fer_arena_printf(oa->a, "%.*s_%u", FER_PRI(head), n);
    void **slot = name.ptr ? fer_map_put(&oa->names, name) : NULL;
    if (!slot) {
        fer_oa_no_memory(oa);
        return FER_STR_NONE;
    }
    *slot = oa;
    return name;
}

fer_str fer_oa_tool_name(fer_oa *oa, fer_str id, fer_str method, fer_str path)
{
    fer_str text = id;
    if (!text.len) text = fer_arena_printf(oa->a, "%.*s%.*s", FER_PRI(method), FER_PRI(path));
    if (text.ptr) text = fer_name_mangle(oa->a, text, FER_NAME_MAX);
    if (!text.ptr) {
        fer_oa_no_memory(oa);
        return FER_STR_NONE;
    }
    return make_unique(oa, text);
}
