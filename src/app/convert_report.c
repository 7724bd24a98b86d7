/* SPDX-License-Identifier: Apache-2.0 */
#include "convert_report.h"

#include <string.h>

/* ---- text ------------------------------------------------------------------------------- */

/* Text from a file, on one line and without what a terminal would obey. */
static void add_clean(fer_buf *b, fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        fer_buf_add_char(b, c < 0x20 || c == 0x7F ? ' ' : (char)c);
    }
}

static void text_tool(fer_buf *b, const fer_converted *t)
{
    add_clean(b, fer_tool_id(t->tool));
    if (t->refused.len) {
        fer_buf_add_text(b, ": refused: ");
        add_clean(b, t->refused);
        fer_buf_add_char(b, '\n');
        return;
    }
    fer_buf_printf(b, ": %zu change%s\n", t->change_count, fer_s(t->change_count));
    for (size_t i = 0; i < t->change_count; i++) {
        const fer_rewritten *r = &t->changes[i];
        fer_buf_printf(b, "  %s %-11s ", r->rule->id, fer_loss_name(r->loss));
        add_clean(b, r->pointer);
        fer_buf_printf(b, ": %s (", r->rule->title);
        add_clean(b, r->reason);
        fer_buf_add_text(b, ")\n");
    }
}

static void text(fer_buf *b, const fer_conversion *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->tools[i].refused.len || c->tools[i].change_count) text_tool(b, &c->tools[i]);
    }
    for (size_t i = 0; i < c->budget_count; i++) {
        fer_buf_printf(b, "the set: %s: ", c->budgets[i].rule->id);
        add_clean(b, c->budgets[i].message);
        fer_buf_add_char(b, '\n');
    }
    fer_buf_printf(b, "%zu of %zu tools converted\n", c->count - c->refused, c->count);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void member(fer_buf *b, const char *key, fer_str value)
{
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, value);
}

static void json_change(fer_buf *b, const fer_rewritten *r)
{
    fer_buf_printf(b, "{\"rule\":\"%s\"", r->rule->id);
    member(b, "pointer", r->pointer);
    member(b, "class", fer_str_of(fer_loss_name(r->loss)));
    member(b, "before", r->before);
    member(b, "after", r->after);
    member(b, "reason", r->reason);
    if (r->adapter) member(b, "adapter", fer_str_of(r->adapter));
    fer_buf_add_char(b, '}');
}

static void json_tool(fer_buf *b, const fer_converted *t)
{
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add_quoted(b, fer_tool_id(t->tool));
    member(b, "name", t->name);
    if (t->refused.len) member(b, "refused", t->refused);
    fer_buf_printf(b, ",\"witnesses\":%zu,\"proved\":%s,\"changes\":[", t->witnesses,
                   t->proved ? "true" : "false");
    for (size_t i = 0; i < t->change_count; i++) {
        if (i) fer_buf_add_char(b, ',');
        json_change(b, &t->changes[i]);
    }
    fer_buf_add_text(b, "]}");
}

static void json(fer_buf *b, const fer_conversion *c)
{
    fer_buf_printf(b, "{\"tools\":%zu,\"refused\":%zu,\"report\":[", c->count, c->refused);
    for (size_t i = 0; i < c->count; i++) {
        fer_buf_add_text(b, i ? ",\n" : "\n");
        json_tool(b, &c->tools[i]);
    }
    fer_buf_add_text(b, "],\n\"set\":[");
    for (size_t i = 0; i < c->budget_count; i++) {
        fer_buf_printf(b, "%s{\"rule\":\"%s\"", i ? "," : "", c->budgets[i].rule->id);
        member(b, "message", c->budgets[i].message);
        fer_buf_add_char(b, '}');
    }
    fer_buf_add_text(b, "]}\n");
}

fer_convert_reporter *fer_convert_reporter_find(const char *name)
{
    return strcmp(name, "json") == 0 ? json : text;
}
