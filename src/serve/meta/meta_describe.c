/* SPDX-License-Identifier: Apache-2.0 */
/* Reading about a tool: describe_tool, list_tool_examples. */
#include "errors.h"
#include "meta_tools.h"
#include "tool_reply.h"

static void write_doc(fer_ask *q, fer_str id, fer_str doc)
{
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, fer_ask_arena(q), FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"id\":");
    fer_buf_add_quoted(&b, id);
    fer_buf_add_char(&b, ',');
    fer_code code = fer_meta_add_result(q, &b, doc, FER_STR(""), 0, FER_STR(""), &err);
    fer_buf_add_char(&b, '}');
    if (code) fer_reply_err(q, &err, "resolve", id);
    else fer_meta_reply(q, &b);
}

static fer_code look_up(fer_ask *q, const fer_view *v, fer_str id, fer_str *key, fer_str *shown,
                        fer_err *err)
{
    return fer_sight_look_up(&fer_ask_guest(q)->sight, fer_ask_arena(q), v, id, key, shown, err);
}

void fer_meta_describe(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_arena *a = fer_ask_arena(q);
    fer_str id = fer_meta_text(args, "id"), level_name = fer_meta_text(args, "level");
    fer_level level = FER_LEVEL_SCHEMA;
    fer_str key = FER_STR(""), found = FER_STR(""), text = FER_STR("");
    fer_err err = {0};
    (void)doc;
    fer_code code = level_name.len ? fer_level_parse(level_name, &level, &err) : FER_OK;
    fer_view *v = fer_catalog_view(fer_ask_front(q)->options.catalog);
    if (!code) code = look_up(q, v, id, &key, &found, &err);
    if (!code) code = fer_view_describe(a, v, key, level, &text, &err);
    fer_view_unref(v);
    if (code) fer_reply_err(q, &err, "resolve", id);
    else write_doc(q, found, text);
}

void fer_meta_examples(fer_ask *q, const fer_json *doc, const yyjson_val *args)
{
    fer_arena *a = fer_ask_arena(q);
    fer_str id = fer_meta_text(args, "id"), list, key = id, shown = FER_STR("");
    fer_err err = {0};
    fer_buf b;
    (void)doc;
    fer_view *v = fer_catalog_view(fer_ask_front(q)->options.catalog);
    fer_code code = look_up(q, v, id, &key, &shown, &err);
    if (!code) code = fer_view_examples(a, v, key, fer_meta_number(args, "max", 0), &list, &err);
    fer_buf_init(&b, a, FER_SERVE_MEMORY);
    fer_buf_add_text(&b, "{\"examples\":");
    if (!code) fer_buf_add(&b, list);
    fer_view_unref(v);
    fer_buf_add_char(&b, '}');
    if (code) fer_reply_err(q, &err, "resolve", id);
    else fer_meta_reply(q, &b);
}
