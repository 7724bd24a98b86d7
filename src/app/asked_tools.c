/* SPDX-License-Identifier: Apache-2.0 */
#include "asked_tools.h"

#include "command_station.h"
#include "errors.h"

static fer_code take_page(fer_arena *a, const fer_view *v, const fer_summary *page, size_t count,
                          fer_asked_tools *out, size_t *cap, fer_err *err)
{
    for (size_t i = 0; i < count; i++) {
        fer_str *list = fer_arena_room(a, out->list, out->count, cap, sizeof *list);
        if (!list) return fer_arena_failed(a, err);
        out->list = list;
        fer_code code = fer_view_definition(a, v, page[i].id, &list[out->count], err);
        if (code) return code;
        out->count++;
    }
    return FER_OK;
}

static fer_code take_all(fer_arena *a, const fer_station *s, fer_asked_tools *out, fer_err *err)
{
    fer_view *v = fer_catalog_view(s->catalog);
    fer_page page = {.size = FER_PAGE_MAX};
    size_t cap = 0;
    fer_code code;
    do {
        fer_summary *list;
        size_t count = 0;
        code = fer_view_list(a, v, NULL, &page, &list, &count, &page.token, err);
        if (!code) code = take_page(a, v, list, count, out, &cap, err);
    } while (!code && page.token.len);
    fer_view_unref(v);
    return code;
}

int fer_asked_tools_get(fer_app *app, fer_arena *a, const char *id, fer_asked_tools *out)
{
    fer_station s;
    fer_err err = {0};
    *out = (fer_asked_tools){0};
    int bad = fer_app_station_for(&s, app, &(struct fer_station_wants){.looks = true});
    if (bad) return bad;
    out->file = fer_arena_copy(a, s.config.file);
    if (out->file.len) {
        fer_app_say(app,
                    "these are the tools of %.*s, whose servers are asked each time: 'state' "
                    "in it keeps what a gateway is shown",
                    FER_PRI(out->file));
        fer_station_ask(&s, fer_str_of(id));
        if (id) fer_station_remark_on(&s, fer_str_of(id), FER_BACKEND_UNAVAILABLE);
        else fer_station_remark(&s);
        if (take_all(a, &s, out, &err)) bad = fer_app_fail(app, &err);
    }
    fer_station_deinit(&s);
    return bad;
}
