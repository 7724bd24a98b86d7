/* SPDX-License-Identifier: Apache-2.0 */
#include "name_set.h"

#include "json_value.h"

#define FEW 16 /* names that are compared */

static bool put(fer_name_set *s, const yyjson_val *name)
{
    void **slot = fer_is_str(name) ? fer_map_put(&s->map, fer_val_str(name)) : NULL;
    if (slot) *slot = (void *)(uintptr_t)name;
    return slot || !fer_is_str(name);
}

bool fer_name_set_init(fer_name_set *s, fer_arena *a, const yyjson_val *names)
{
    bool good = true;
    *s = (fer_name_set){.names = fer_is_ctn(names) ? names : NULL};
    if (!s->names || fer_val_len(names) <= FEW) return true;
    s->many = true;
    fer_map_init(&s->map, a);
    if (fer_is_arr(names)) {
        FER_EACH_ITEM (names, item) good = good && put(s, item);
    } else {
        FER_EACH_MEMBER (names, key) good = good && put(s, key);
    }
    return good;
}

bool fer_name_set_has(const fer_name_set *s, fer_str name)
{
    if (s->many) return fer_map_get(&s->map, name) != NULL;
    if (!s->names) return false;
    if (fer_is_obj(s->names)) return fer_val_key(s->names, name) != NULL;
    FER_EACH_ITEM (s->names, item) {
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    }
    return false;
}
