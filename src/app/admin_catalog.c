/* SPDX-License-Identifier: Apache-2.0 */
#include "admin_catalog.h"

#include "sight.h"

static void add_text(fer_buf *b, const char *key, fer_str text)
{
    if (!text.len) return;
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, text);
}

static void add_tool(const fer_gateway *g, const fer_view *v, fer_buf *b, const fer_summary *t)
{
    fer_effect effect;
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add_quoted(b, t->id);
    add_text(b, "namespace", t->ns);
    if (fer_sight_effect(g, v, t->id, &effect))
        add_text(b, "effect", fer_str_of(fer_effect_name(effect)));
    add_text(b, "summary", t->summary.len ? t->summary : t->short_description);
    for (size_t i = 0; i < t->tags.count; i++) {
        fer_buf_add_text(b, i ? "," : ",\"tags\":[");
        fer_buf_add_quoted(b, t->tags.list[i]);
    }
    fer_buf_add_text(b, t->tags.count ? "]}" : "}");
}

void fer_admin_add_catalog(const fer_gateway *g, fer_catalog *c, fer_arena *scratch, fer_buf *b)
{
    fer_view *v = fer_catalog_view(c);
    const fer_sight operators = {.gateway = g};
    fer_filter filter = {0};
    fer_page page = {.size = FER_PAGE_MAX};
    size_t listed = 0;
    bool cut = false;
    fer_buf_printf(b, "{\"catalogVersion\":%llu,\"tools\":[",
                   (unsigned long long)fer_view_version(v));
    fer_code code = fer_sight_filter(&operators, scratch, &filter, NULL);
    while (!code) {
        fer_summary *list;
        size_t count = 0;
        code = fer_view_list(scratch, v, &filter, &page, &list, &count, &page.token, NULL);
        for (size_t i = 0; !code && i < count && !cut; i++) {
            cut = listed == FER_ADMIN_TOOLS;
            if (cut) break;
            if (listed++) fer_buf_add_char(b, ',');
            add_tool(g, v, b, &list[i]);
        }
        if (cut || !page.token.len) break;
    }
    if (code) { /* a part would pass for all */
        b->failure = code;
        b->arena_failed = code == FER_OUT_OF_MEMORY;
    }
    /* Where not all were counted, definitions of single tenants are among the others. */
    fer_buf_printf(b, "],\"total\":%zu}", cut ? fer_view_count(v) : listed);
    fer_view_unref(v);
}
