/* SPDX-License-Identifier: Apache-2.0 */
/* Equality by value. */
#include <ferrule/json.h>

#include "json_keys.h"
#include "json_number.h"
#include "json_walk.h"

static bool scalars_equal(const yyjson_val *x, const yyjson_val *y)
{
    if (fer_is_num(x)) return fer_is_num(y) && fer_number_cmp(x, y) == 0;
    if (fer_val_type(x) != fer_val_type(y)) return false;
    if (fer_is_str(x)) return fer_str_eq(fer_val_str(x), fer_val_str(y));
    if (fer_is_bool(x)) return fer_is_true(x) == fer_is_true(y);
    return true;
}

static bool enter(struct fer_walk *w, const yyjson_val *v)
{
    const yyjson_val **keys = fer_is_obj(v) ? fer_keys_sorted(w->arena, v) : NULL;
    return (keys || fer_is_arr(v)) && fer_walk_push(w, v, keys);
}

/* False where the two differ right here; containers that may be equal are entered. */
static bool meet(struct fer_walk *wx, struct fer_walk *wy, const yyjson_val *x, const yyjson_val *y,
                 bool *no_memory)
{
    if (!fer_is_ctn(x) || !fer_is_ctn(y)) {
        return !fer_is_ctn(x) && !fer_is_ctn(y) && scalars_equal(x, y);
    }
    if (fer_val_type(x) != fer_val_type(y) || fer_val_len(x) != fer_val_len(y)) return false;
    *no_memory = !enter(wx, x) || !enter(wy, y);
    return true;
}

fer_code fer_json_equal(fer_arena *scratch, const yyjson_val *x, const yyjson_val *y, bool *equal,
                        fer_err *err)
{
    struct fer_walk wx = {.arena = scratch}, wy = {.arena = scratch};
    bool no_memory = false, same = meet(&wx, &wy, x, y, &no_memory);
    while (same && !no_memory && wx.depth > 0) {
        struct fer_walk_frame *fx = fer_walk_top(&wx), *fy = fer_walk_top(&wy);
        const yyjson_val *kx, *ky;
        if (fx->left == 0) {
            wx.depth--;
            wy.depth--;
            continue;
        }
        x = fer_walk_advance(fx, &kx);
        y = fer_walk_advance(fy, &ky);
        same = (!kx || !ky || fer_str_eq(fer_val_str(kx), fer_val_str(ky))) &&
               meet(&wx, &wy, x, y, &no_memory);
    }
    if (no_memory) return fer_arena_failed(scratch, err);
    *equal = same;
    return FER_OK;
}
