/* SPDX-License-Identifier: Apache-2.0 */
/* Two configurations side by side, for a reload that leaves alone what is the same. */
#include "config.h"

#include "map.h"

const char *const fer_config_part_names[FER_CONFIG_PARTS] = {"server", "command", "api", "catalog",
                                                             "defaults"};

/* Where the name and the text of an item stand, in the structs of each part. */
static const struct part {
    size_t list, count; /* in fer_config */
    size_t size;
    size_t name, json; /* in the item */
} parts[] = {
    [FER_CONFIG_SERVER] = {offsetof(fer_config, servers), offsetof(fer_config, server_count),
                           sizeof(fer_config_server), offsetof(fer_config_server, name),
                           offsetof(fer_config_server, json)},
    [FER_CONFIG_COMMAND] = {offsetof(fer_config, commands), offsetof(fer_config, command_count),
                            sizeof(fer_config_command), offsetof(fer_config_command, id),
                            offsetof(fer_config_command, json)},
    [FER_CONFIG_API] = {offsetof(fer_config, apis), offsetof(fer_config, api_count),
                        sizeof(fer_config_api), offsetof(fer_config_api, name),
                        offsetof(fer_config_api, json)},
};

typedef struct diff {
    fer_arena *a;
    fer_config_change *list;
    size_t count, cap;
    bool failed;
} diff;

static void add(diff *d, fer_config_change change)
{
    fer_config_change *list = fer_arena_room(d->a, d->list, d->count, &d->cap, sizeof *list);
    if (!list) {
        d->failed = true;
        return;
    }
    list[d->count++] = change;
    d->list = list;
}

static const char *item_at(const struct part *p, const fer_config *c, size_t index)
{
    const char *list;
    memcpy(&list, (const char *)c + p->list, sizeof list);
    return list + index * p->size;
}

static size_t count_of(const struct part *p, const fer_config *c)
{
    size_t count;
    memcpy(&count, (const char *)c + p->count, sizeof count);
    return count;
}

static fer_str text_at(const char *item, size_t offset)
{
    fer_str text;
    memcpy(&text, item + offset, sizeof text);
    return text;
}

/* The items of a part by name; of two with one name the last. */
static void index_part(diff *d, const struct part *p, const fer_config *c, fer_map *map)
{
    fer_map_init(map, d->a);
    for (size_t i = 0; i < count_of(p, c); i++) {
        const char *item = item_at(p, c, i);
        void **slot = fer_map_put(map, text_at(item, p->name));
        if (slot) *slot = (void *)(uintptr_t)item;
        else d->failed = true;
    }
}

static void compare_part(diff *d, fer_config_part which, const fer_config *x, const fer_config *y)
{
    const struct part *p = &parts[which];
    fer_map old, now;
    index_part(d, p, x, &old);
    index_part(d, p, y, &now);
    for (size_t i = 0; i < count_of(p, x); i++) {
        const char *item = item_at(p, x, i);
        fer_str name = text_at(item, p->name);
        if (!fer_map_get(&now, name)) add(d, (fer_config_change){which, name, item, NULL});
    }
    for (size_t i = 0; i < count_of(p, y); i++) {
        const char *item = item_at(p, y, i);
        fer_str name = text_at(item, p->name);
        const char *before = fer_map_get(&old, name);
        if (!before || !fer_str_eq(text_at(before, p->json), text_at(item, p->json)))
            add(d, (fer_config_change){which, name, before, item});
    }
}

fer_code fer_config_diff(fer_arena *a, const fer_config *before, const fer_config *after,
                         fer_config_change **out, size_t *count, fer_err *err)
{
    diff d = {.a = a};
    for (size_t i = 0; i < FER_COUNT(parts); i++)
        compare_part(&d, (fer_config_part)i, before, after);
    if (!fer_str_eq(before->catalog, after->catalog))
        add(&d, (fer_config_change){FER_CONFIG_CATALOG, FER_STR_NONE,
                                    before->catalog.len ? before : NULL,
                                    after->catalog.len ? after : NULL});
    if (!fer_str_eq(before->scalars, after->scalars))
        add(&d, (fer_config_change){FER_CONFIG_DEFAULTS, FER_STR_NONE, before, after});
    if (d.failed) return fer_arena_failed(a, err);
    *out = d.list;
    *count = d.count;
    return FER_OK;
}
