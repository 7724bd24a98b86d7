/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include <stdatomic.h>

#include "errors.h"
#include "sys.h"

fer_registry *fer_registry_new(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_registry *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    if (!r) {
        fer_arena_free(a);
        return NULL;
    }
    r->arena = a;
    atomic_init(&r->refs, 1);
    fer_library_init(&r->library, a, NULL, fer_schema_limits_file()->subschemas);
    return r;
}

const fer_registry *fer_registry_ref(const fer_registry *r)
{
    fer_registry *mine = (fer_registry *)(uintptr_t)r; /* the count is the one thing that changes */
    if (mine) atomic_fetch_add_explicit(&mine->refs, 1, memory_order_relaxed);
    return r;
}

void fer_registry_unref(const fer_registry *r)
{
    fer_registry *mine = (fer_registry *)(uintptr_t)r;
    if (!mine || atomic_fetch_sub_explicit(&mine->refs, 1, memory_order_acq_rel) > 1) return;
    fer_arena_free(mine->arena);
}

void fer_registry_free(fer_registry *r)
{
    fer_registry_unref(r);
}

fer_code fer_registry_add(fer_registry *r, fer_str uri, fer_str text, fer_dialect dialect,
                          fer_err *err)
{
    const struct fer_rules *rules = fer_rules_of(dialect);
    if (!rules) return fer_fail(err, FER_BAD_USAGE, "There is no dialect %d.", (int)dialect);
    size_t hash = fer_str_find(uri, 0, '#');
    if (hash != SIZE_MAX) uri = fer_str_slice(uri, 0, hash);
    fer_str name = fer_arena_copy(r->arena, uri);
    fer_str copy = fer_arena_copy(r->arena, text);
    if (!name.ptr || !copy.ptr) return fer_arena_failed(r->arena, err);
    fer_json *doc;
    fer_code code = fer_json_read(r->arena, copy, fer_json_limits_file(), &doc, err);
    fer_resource *resource;
    if (code) return code;
    return fer_library_survey(&r->library, doc, fer_json_root(doc), NULL, name, rules, &resource,
                              err);
}
