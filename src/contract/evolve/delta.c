/* SPDX-License-Identifier: Apache-2.0 */
#include "delta.h"

#include <stdarg.h>

#include "buf.h"
#include "json_write.h"

#define SHOWN 60 /* bytes of a value in a message */

fer_str fer_delta_say(fer_walk *w, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t size = len < 0 ? 0 : (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    fer_str out = fer_arena_copy(w->arena, fer_str_head((fer_str){text, size}, size));
    w->no_memory |= !out.ptr;
    return out.ptr ? out : FER_STR("");
}

fer_str fer_delta_json(fer_walk *w, const yyjson_val *value)
{
    static const fer_notation plain;
    fer_buf b;
    fer_buf_init(&b, w->arena, fer_json_limits_file()->size);
    bool failed = fer_write_add(w->arena, &b, value, &plain, NULL) || b.failure;
    w->no_memory |= failed;
    return failed ? FER_STR("null") : fer_buf_view(&b);
}

fer_str fer_delta_show(fer_walk *w, const yyjson_val *value)
{
    fer_str json = fer_delta_json(w, value);
    if (json.len <= SHOWN) return json;
    return fer_delta_say(w, "%.*s...", FER_PRI(fer_str_head(json, SHOWN)));
}

bool fer_delta_equal(fer_walk *w, const yyjson_val *x, const yyjson_val *y)
{
    bool equal = false;
    fer_err err;
    w->no_memory |= fer_json_equal(w->arena, x, y, &equal, &err) != FER_OK;
    return equal;
}

fer_delta *fer_delta_add(fer_walk *w, const fer_fork *f, enum fer_kind_id kind,
                         const yyjson_val *old_key, const yyjson_val *new_key, fer_str message)
{
    if (w->count >= FER_DIFF_CHANGES) return NULL;
    fer_delta *list = fer_arena_room(w->arena, w->list, w->count, &w->cap, sizeof *list);
    w->no_memory |= !list;
    if (!list) return NULL;
    w->list = list;
    fer_delta *d = &list[w->count++];
    *d = (fer_delta){.kind = kind,
                     .where = f->where,
                     .message = message,
                     .old_at = old_key ? old_key + 1 : f->old,
                     .new_at = new_key ? new_key + 1 : f->now};
    if (old_key && !new_key)
        fer_delta_edit(w, d, (fer_edit){.kind = FER_EDIT_REMOVE, .at = old_key});
    else if (old_key)
        fer_delta_edit(w, d,
                       (fer_edit){.kind = FER_EDIT_REPLACE,
                                  .at = old_key + 1,
                                  .json = fer_delta_json(w, new_key + 1)});
    else if (new_key)
        fer_delta_edit(w, d,
                       (fer_edit){.kind = FER_EDIT_ADD,
                                  .at = f->old,
                                  .name = fer_val_str(new_key),
                                  .json = fer_delta_json(w, new_key + 1)});
    return d;
}

void fer_delta_edit(fer_walk *w, fer_delta *d, fer_edit edit)
{
    (void)w;
    if (d && d->edit_count < FER_DELTA_EDITS) d->edits[d->edit_count++] = edit;
}

/* A schema that became another altogether: true, false, or too deep to look into. */
static void replace(fer_walk *w, const fer_fork *f)
{
    fer_delta *d =
        fer_delta_add(w, f, FER_KIND_CONSTRAINT_CHANGED, NULL, NULL,
                      fer_delta_say(w, "%.*s: the schema is another one", FER_PRI(f->where)));
    if (!d) return;
    fer_delta_edit(
        w, d,
        (fer_edit){.kind = FER_EDIT_REPLACE, .at = f->old, .json = fer_delta_json(w, f->now)});
}

static void compare(fer_walk *w, const fer_fork *f)
{
    FER_EACH_MEMBER (f->old, key) {
        const yyjson_val *other = fer_val_key(f->now, fer_val_str(key));
        if (w->no_memory) return;
        if (other && fer_delta_equal(w, key + 1, other + 1)) continue;
        fer_delta_row_find(fer_val_str(key))(w, f, key, other);
    }
    FER_EACH_MEMBER (f->now, key) {
        if (w->no_memory || fer_val_key(f->old, fer_val_str(key))) continue;
        fer_delta_row_find(fer_val_str(key))(w, f, NULL, key);
    }
}

void fer_delta_walk(fer_walk *w, const yyjson_val *old, const yyjson_val *now, fer_str where)
{
    fer_fork f = {old, now, where};
    if (w->no_memory || fer_delta_equal(w, old, now)) return;
    if (!fer_is_obj(old) || !fer_is_obj(now) || w->depth >= FER_DELTA_DEPTH) {
        replace(w, &f);
        return;
    }
    w->depth++;
    compare(w, &f);
    w->depth--;
}

bool fer_deltas_find(fer_walk *w, const yyjson_val *old, const yyjson_val *now, fer_str where)
{
    fer_delta_walk(w, old, now, where);
    return !w->no_memory;
}
