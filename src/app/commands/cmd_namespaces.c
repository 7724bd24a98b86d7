/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule namespaces: which there are, and how many tools each has. */
#include "errors.h"
#include "shelf.h"
#include "unicode.h"

static void write_json(fer_out *o, const fer_namespace *list, size_t count, fer_str next)
{
    fer_out_text(o, "{\"namespaces\":[");
    for (size_t i = 0; i < count; i++) {
        fer_out_text(o, i ? ",\n{\"name\":" : "\n{\"name\":");
        fer_out_json(o, list[i].name);
        fer_out_printf(o, ",\"tools\":%zu}", list[i].tools);
    }
    fer_out_text(o, count ? "\n]" : "]");
    if (next.len) {
        fer_out_text(o, ",\"nextToken\":");
        fer_out_json(o, next);
    }
    fer_out_text(o, "}\n");
}

/* Numbers to the right of a column on a terminal, behind a tab in a pipe. */
static void write_lines(fer_out *o, const fer_namespace *list, size_t count)
{
    size_t width = 0;
    for (size_t i = 0; o->terminal && i < count; i++) {
        size_t own = list[i].name.len ? fer_unicode_width(list[i].name) : 2;
        if (own > width) width = own;
    }
    for (size_t i = 0; i < count; i++) {
        fer_str name = list[i].name.len || !o->terminal ? list[i].name : FER_STR("--");
        fer_out_clean(o, name);
        for (size_t w = fer_unicode_width(name); w < width; w++) fer_out_text(o, " ");
        fer_out_printf(o, o->terminal ? "  %6zu\n" : "\t%zu\n", list[i].tools);
    }
}

/* All pages, unless one was asked for. */
static fer_code write_all(fer_shelf *s, fer_page *page, fer_err *err)
{
    bool json = fer_app_option(s->app, "json") != NULL;
    bool one = fer_app_option(s->app, "page-size") || page->token.len || json;
    fer_namespace *list;
    size_t count;
    fer_str next = FER_STR("");
    if (!one) page->size = FER_PAGE_MAX;
    do {
        fer_code code =
            fer_view_namespaces(s->arena, s->view, NULL, page, &list, &count, &next, err);
        if (code) return code;
        if (json) write_json(&s->app->out, list, count, next);
        else write_lines(&s->app->out, list, count);
        page->token = next;
    } while (!one && next.len);
    if (next.len && !json) fer_app_say(s->app, "more: --page-token %.*s", FER_PRI(next));
    return FER_OK;
}

int fer_run_namespaces(fer_app *app)
{
    fer_shelf s;
    fer_page page;
    fer_err err;
    int bad = fer_shelf_init(&s, app, &(fer_shelf_options){.configured = true});
    if (bad) return bad;
    bad = fer_shelf_page(&s, &page);
    if (!bad && write_all(&s, &page, &err)) bad = fer_app_fail(app, &err);
    if (!bad) fer_shelf_remark(&s);
    fer_shelf_deinit(&s);
    return bad;
}
