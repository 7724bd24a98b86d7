/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What servers have beside tools, kept beside the catalogue as NAME.wares: a gateway that starts
 * again lists resources and prompts at once, and starts no server for it. As with their tools, what
 * was kept counts only for a server that is configured as it was.
 */
#include "station_wares.h"

#include "buf.h"
#include "errors.h"
#include "file.h"
#include "json_value.h"
#include "station_parts.h"

static fer_str file_of(fer_arena *a, const fer_station *s)
{
    return fer_arena_printf(a, "%s.wares", s->catalog_file);
}

static const fer_place_of_tools *place_of(const fer_station *s, fer_str ns)
{
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->part == FER_CONFIG_SERVER && fer_str_eq(s->places[i]->ns, ns))
            return s->places[i];
    return NULL;
}

static fer_code recall_all(fer_station *s, fer_front *front, const fer_json *doc, fer_err *err)
{
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *rows = fer_is_obj(root) ? fer_val_get(root, "servers") : NULL;
    fer_code code = FER_OK;
    if (!fer_is_obj(rows)) return fer_fail(err, FER_BAD_USAGE, "it is not what was written here");
    FER_EACH_MEMBER (rows, key) {
        const yyjson_val *row = key + 1;
        const fer_place_of_tools *p = place_of(s, fer_val_str(key));
        const yyjson_val *mark = fer_is_obj(row) ? fer_val_get(row, "config") : NULL;
        if (code || !p || !fer_is_str(mark) || !fer_str_eq(fer_val_str(mark), p->mark)) continue;
        code = fer_front_recall_wares(front, p->ns, doc, fer_val_get(row, "has"), err);
    }
    return code;
}

void fer_station_recall_wares(fer_station *s, fer_front *front)
{
    fer_err err = {0};
    fer_str name, text;
    fer_json *doc;
    fer_arena *a = s->catalog_file ? fer_arena_new(0) : NULL;
    if (!a) return;
    name = file_of(a, s);
    if (name.ptr && fer_file_exists(name.ptr)) {
        fer_code code = fer_file_read(a, name.ptr, FER_STATION_WARES_MAX, &text, &err);
        if (!code) code = fer_json_read(a, text, fer_json_limits_file(), &doc, &err);
        if (!code) code = recall_all(s, front, doc, &err);
        if (code)
            fer_station_say(s, "%s is not taken: %s; servers are asked for what they have",
                            name.ptr, err.message);
    }
    fer_arena_free(a);
}

/* Of one server, where anything is known. */
static void add_server(fer_buf *b, fer_front *front, const fer_place_of_tools *p, bool *any)
{
    size_t start = b->len;
    fer_buf_printf(b, "%s\"%.*s\":{\"config\":\"%.*s\",\"has\":", *any ? ",\n" : "\n",
                   FER_PRI(p->ns), FER_PRI(p->mark));
    if (!fer_front_write_wares(front, p->ns, b)) {
        b->len = start;
        return;
    }
    fer_buf_add_char(b, '}');
    *any = true;
}

static fer_code save(fer_station *s, fer_front *front, fer_arena *a, fer_err *err)
{
    fer_buf b;
    bool any = false;
    fer_str name = file_of(a, s);
    fer_buf_init(&b, a, FER_STATION_WARES_MAX);
    fer_buf_add_text(&b, "{\"servers\":{");
    for (size_t i = 0; i < s->place_count; i++)
        if (s->places[i]->part == FER_CONFIG_SERVER) add_server(&b, front, s->places[i], &any);
    fer_buf_add_text(&b, "\n}}\n");
    fer_code code = name.ptr ? fer_buf_code(&b, err) : fer_arena_failed(a, err);
    return code ? code : fer_file_replace(name.ptr, fer_buf_view(&b), err);
}

void fer_station_save_wares(fer_station *s, fer_front *front, uint64_t *saved)
{
    uint64_t now = fer_front_wares_version(front);
    fer_err err = {0};
    fer_arena *a = s->catalog_file && now != *saved ? fer_arena_new(0) : NULL;
    if (!a) return;
    *saved = now;
    if (save(s, front, a, &err))
        fer_station_say(s, "resources and prompts are not kept: %s", err.message);
    fer_arena_free(a);
}
