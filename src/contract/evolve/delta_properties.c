/* SPDX-License-Identifier: Apache-2.0 */
/* How `properties` and `required` are compared: what is added, gone, renamed, needed or not. */
#include "buf.h"
#include "delta.h"
#include "gist.h"
#include "json_number.h"
#include "near.h"

#define SAY(w, ...) fer_delta_say((w), __VA_ARGS__)

static bool is_required(const yyjson_val *schema, fer_str name)
{
    const yyjson_val *list = fer_val_get(schema, "required");
    if (!fer_is_arr(list)) return false;
    FER_EACH_ITEM (list, item)
        if (fer_is_str(item) && fer_str_eq(fer_val_str(item), name)) return true;
    return false;
}

/* The old list of required names with one more, or one less, as an edit. */
static fer_edit require(fer_walk *w, const fer_fork *f, fer_str more, fer_str less)
{
    const yyjson_val *list = fer_val_get(f->old, "required");
    fer_buf b;
    fer_buf_init(&b, w->arena, fer_json_limits_file()->size);
    fer_buf_add_char(&b, '[');
    if (fer_is_arr(list)) {
        FER_EACH_ITEM (list, item)
            if (!less.ptr || !fer_is_str(item) || !fer_str_eq(fer_val_str(item), less))
                fer_delta_put(w, &b, item);
    }
    if (more.ptr && b.len > 1) fer_buf_add_char(&b, ',');
    if (more.ptr) fer_buf_add_quoted(&b, more);
    fer_buf_add_char(&b, ']');
    w->no_memory |= b.failure != FER_OK;
    fer_edit e = {.kind = list ? FER_EDIT_REPLACE : FER_EDIT_ADD,
                  .at = list ? list : f->old,
                  .name = FER_STR("required"),
                  .json = b.failure ? FER_STR("[]") : fer_buf_view(&b)};
    return e;
}

static fer_str member(fer_walk *w, const fer_fork *f, const yyjson_val *key)
{
    return SAY(w, "%.*s.%.*s", FER_PRI(f->where), FER_PRI(fer_val_str(key)));
}

/* The property of a name is put beside the old ones. */
static fer_edit add_property(fer_walk *w, const fer_fork *f, const yyjson_val *key)
{
    const yyjson_val *map = fer_val_get(f->old, "properties");
    fer_str json = fer_delta_json(w, key + 1);
    if (fer_is_obj(map))
        return (fer_edit){.kind = FER_EDIT_ADD, .at = map, .name = fer_val_str(key), .json = json};
    fer_buf b;
    fer_buf_init(&b, w->arena, fer_json_limits_file()->size);
    fer_buf_add_char(&b, '{');
    fer_buf_add_quoted(&b, fer_val_str(key));
    fer_buf_add_char(&b, ':');
    fer_buf_add(&b, json);
    fer_buf_add_char(&b, '}');
    w->no_memory |= b.failure != FER_OK;
    return (fer_edit){.kind = FER_EDIT_ADD,
                      .at = f->old,
                      .name = FER_STR("properties"),
                      .json = b.failure ? FER_STR("{}") : fer_buf_view(&b)};
}

/* Whether the object took members that it did not know, whatever they were. */
static bool was_open(const fer_fork *f)
{
    const yyjson_val *more = fer_val_get(f->old, "additionalProperties");
    const yyjson_val *rest = fer_val_get(f->old, "unevaluatedProperties");
    return (!more || fer_is_true(more)) && (!rest || fer_is_true(rest));
}

static void property_added(fer_walk *w, const fer_fork *f, const yyjson_val *key)
{
    bool required = is_required(f->now, fer_val_str(key));
    bool defaults = fer_is_obj(key + 1) && fer_val_get(key + 1, "default");
    enum fer_kind_id kind = !required  ? FER_KIND_PROPERTY_ADDED_OPTIONAL
                            : defaults ? FER_KIND_PROPERTY_ADDED_DEFAULT
                                       : FER_KIND_PROPERTY_ADDED_REQUIRED;
    fer_str where = member(w, f, key);
    fer_delta *d = fer_delta_add(
        w, f, kind, NULL, NULL,
        SAY(w, "%.*s: new %s property", FER_PRI(where), required ? "required" : "optional"));
    if (!d) return;
    d->where = where;
    d->old_at = NULL;
    d->new_at = key;
    fer_delta_edit(w, d, add_property(w, f, key));
    if (required) fer_delta_edit(w, d, require(w, f, fer_val_str(key), FER_STR_NONE));
    /* A caller who sent a member that nobody knew did so at their own risk. */
    if (w->side == FER_SIDE_INPUT && !required && was_open(f)) fer_delta_tolerate(w, d);
}

static void property_removed(fer_walk *w, const fer_fork *f, const yyjson_val *key)
{
    fer_str name = fer_val_str(key), where = member(w, f, key);
    bool required = is_required(f->old, name);
    fer_delta *d = fer_delta_add(
        w, f, FER_KIND_PROPERTY_REMOVED, key, NULL,
        SAY(w, "%.*s: %s property is gone", FER_PRI(where), required ? "required" : "optional"));
    if (!d) return;
    d->where = where;
    d->old_at = key;
    d->new_at = NULL;
    if (required && !is_required(f->now, name))
        fer_delta_edit(w, d, require(w, f, FER_STR_NONE, name));
    /* An optional one may be missing anyhow; what takes its place is not described. */
    if (w->side == FER_SIDE_OUTPUT && !required) fer_delta_tolerate(w, d);
}

/* A property that is gone, and a new one of a similar name with the same schema. */
static const yyjson_val *renamed_to(fer_walk *w, const yyjson_val *old_map,
                                    const yyjson_val *new_map, const yyjson_val *key)
{
    fer_str name = fer_val_str(key);
    size_t most = name.len / 2 + 1;
    FER_EACH_MEMBER (new_map, other) {
        fer_str now = fer_val_str(other);
        if (fer_val_key(old_map, now) || !fer_delta_equal(w, key + 1, other + 1)) continue;
        bool inside = now.len > name.len
                          ? fer_str_ends(now, fer_arena_copy(w->arena, name).ptr) ||
                                fer_str_starts(now, fer_arena_copy(w->arena, name).ptr)
                          : false;
        if (inside || fer_near_distance(name, now, most) <= most) return other;
    }
    return NULL;
}

static void property_renamed(fer_walk *w, const fer_fork *f, const yyjson_val *key,
                             const yyjson_val *other)
{
    fer_str where = member(w, f, key);
    fer_delta *d =
        fer_delta_add(w, f, FER_KIND_PROPERTY_RENAMED, key, NULL,
                      SAY(w, "%.*s: renamed to %.*s", FER_PRI(where), FER_PRI(fer_val_str(other))));
    if (!d) return;
    d->where = where;
    d->old_at = key;
    d->new_at = other;
    d->old_object = f->old;
    d->new_object = f->now;
    fer_delta_edit(w, d, add_property(w, f, other));
    bool optional = !is_required(w->side == FER_SIDE_INPUT ? f->now : f->old,
                                 fer_val_str(w->side == FER_SIDE_INPUT ? other : key));
    /* As for one that came and one that went: what is optional is tolerated elsewhere. */
    const fer_edit *policy = &d->edits[w->side == FER_SIDE_INPUT ? 1 : 0];
    bool open = w->side == FER_SIDE_OUTPUT || was_open(f);
    if (optional && open) w->no_memory |= !fer_edits_add(w->arena, &w->policy, policy);
    if (is_required(f->old, fer_val_str(key)) || is_required(f->now, fer_val_str(other)))
        fer_delta_edit(
            w, d,
            require(w, f,
                    is_required(f->now, fer_val_str(other)) ? fer_val_str(other) : FER_STR_NONE,
                    fer_val_str(key)));
}

void fer_delta_properties(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    static const yyjson_val none = {.tag = YYJSON_TYPE_OBJ, .uni = {.ofs = sizeof(yyjson_val)}};
    const yyjson_val *old = o && fer_is_obj(o + 1) ? o + 1 : &none;
    const yyjson_val *now = n && fer_is_obj(n + 1) ? n + 1 : &none;
    const yyjson_val *taken[FER_DELTA_LIST];
    size_t count = 0;
    FER_EACH_MEMBER (old, key) {
        const yyjson_val *other = fer_val_key(now, fer_val_str(key));
        if (other) {
            fer_delta_walk(w, key + 1, other + 1, member(w, f, key));
            continue;
        }
        const yyjson_val *to = count < FER_DELTA_LIST ? renamed_to(w, old, now, key) : NULL;
        for (size_t i = 0; i < count && to; i++)
            if (taken[i] == to) to = NULL;
        if (to) property_renamed(w, f, key, taken[count++] = to);
        else property_removed(w, f, key);
    }
    FER_EACH_MEMBER (now, key) {
        bool old_one = fer_val_key(old, fer_val_str(key)) != NULL;
        for (size_t i = 0; i < count; i++) old_one |= taken[i] == key;
        if (!old_one) property_added(w, f, key);
    }
}

/* Names that belong to properties which came or went are told there. */
static bool stays(const fer_fork *f, fer_str name)
{
    const yyjson_val *old = fer_val_get(f->old, "properties");
    const yyjson_val *now = fer_val_get(f->now, "properties");
    bool before = fer_is_obj(old) && fer_val_key(old, name);
    bool after = fer_is_obj(now) && fer_val_key(now, name);
    return before == after;
}

static void each_required(fer_walk *w, const fer_fork *f, const yyjson_val *list,
                          const yyjson_val *other_schema, enum fer_kind_id kind)
{
    if (!list || !fer_is_arr(list)) return;
    bool more = kind == FER_KIND_PROPERTY_REQUIRED;
    FER_EACH_ITEM (list, item) {
        fer_str name = fer_is_str(item) ? fer_val_str(item) : FER_STR_NONE;
        if (!name.ptr || is_required(other_schema, name) || !stays(f, name)) continue;
        fer_str where = SAY(w, "%.*s.%.*s", FER_PRI(f->where), FER_PRI(name));
        fer_delta *d = fer_delta_add(
            w, f, kind, NULL, NULL,
            SAY(w, "%.*s: %s", FER_PRI(where), more ? "required now" : "no longer required"));
        if (!d) return;
        d->where = where;
        if (more) d->new_at = item;
        else d->old_at = item;
        fer_delta_edit(w, d, require(w, f, more ? name : FER_STR_NONE, more ? FER_STR_NONE : name));
    }
}

void fer_delta_required(fer_walk *w, const fer_fork *f, const yyjson_val *o, const yyjson_val *n)
{
    each_required(w, f, n ? n + 1 : NULL, f->old, FER_KIND_PROPERTY_REQUIRED);
    each_required(w, f, o ? o + 1 : NULL, f->now, FER_KIND_PROPERTY_OPTIONAL);
}
