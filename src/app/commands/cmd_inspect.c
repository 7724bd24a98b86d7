/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule inspect: what an MCP server is and has, and what is wrong with its tools. */
#include "buf.h"
#include "check_setup.h"
#include "errors.h"
#include "json_value.h"
#include "meta_tools.h"
#include "remote.h"
#include "rpc.h"
#include "toolset.h"

#define PAGES_MAX 1000 /* of resources, and so of templates and prompts */

/* What servers list beside tools, each where the server says that it can. */
typedef struct kind {
    const char *name, *capability, *method, *member, *key; /* `key`: what an item is shown by */
} kind;

static const kind kinds[] = {
    {"resources", "resources", "resources/list", "resources", "uri"},
    {"resourceTemplates", "resources", "resources/templates/list", "resourceTemplates",
     "uriTemplate"},
    {"prompts", "prompts", "prompts/list", "prompts", "name"},
};

typedef struct list {
    fer_str json; /* a list of what came, byte for byte; or empty: it was not asked for */
    size_t count;
    fer_str trouble; /* why it could not be had; or empty */
} list;

typedef struct inspection {
    fer_app *app;
    fer_remote remote;
    fer_setup setup;
    fer_mcp_info info;
    fer_json *hello, *tools;
    const yyjson_val *said; /* the root of hello */
    fer_str tools_json;
    list lists[FER_COUNT(kinds)];
    fer_toolset *set;
    size_t counts[FER_SEVERITY_OFF];
    size_t unreadable;
} inspection;

/* ---- asking ------------------------------------------------------------------------------------
 */

static void add_page(fer_buf *b, list *l, const fer_json *doc, const yyjson_val *items)
{
    FER_EACH_ITEM (items, item) {
        if (l->count++) fer_buf_add_char(b, ',');
        fer_buf_add(b, fer_rpc_bytes(doc, item));
    }
}

/* One page; `*cursor` is where the next begins, or empty. */
static fer_code ask_page(inspection *n, const kind *k, fer_str *cursor, fer_buf *b, list *l,
                         fer_err *err)
{
    fer_arena *a = n->remote.arena;
    fer_mcp_outcome o = {0};
    fer_json *doc;
    fer_buf params;
    fer_buf_init(&params, a, 1 << 20);
    fer_buf_add_char(&params, '{');
    if (cursor->len) {
        fer_buf_add_text(&params, "\"cursor\":");
        fer_buf_add(&params, *cursor);
    }
    fer_buf_add_char(&params, '}');
    fer_mcp_call call = {.method = k->method, .params = fer_buf_view(&params)};
    fer_code code = fer_buf_code(&params, err);
    if (!code) code = fer_remote_call(&n->remote, &call, &o, err);
    if (!code && o.code) return fer_fail(err, o.code, "%.*s", FER_PRI(o.message));
    if (!code) code = fer_json_read(a, o.json, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *items = fer_val_get(fer_json_root(doc), k->member);
    const yyjson_val *next = fer_val_get(fer_json_root(doc), "nextCursor");
    if (!fer_is_arr(items))
        return fer_fail(err, FER_INVALID_OUTPUT, "%s: the answer has no list \"%s\"", k->method,
                        k->member);
    add_page(b, l, doc, items);
    *cursor = fer_is_str(next) ? fer_rpc_bytes(doc, next) : FER_STR("");
    return FER_OK;
}

/* A list that cannot be had is said, and the others are asked for. */
static void ask_list(inspection *n, const kind *k, list *l)
{
    fer_str cursor = FER_STR("");
    fer_err err = {0};
    fer_code code = FER_OK;
    fer_buf b;
    size_t pages = 0;
    const yyjson_val *able = fer_val_get(n->said, "capabilities");
    if (!fer_is_obj(able) || !fer_val_get(able, k->capability)) return;
    fer_buf_init(&b, n->remote.arena, FER_MCP_LIST_MAX);
    fer_buf_add_char(&b, '[');
    do {
        code = ask_page(n, k, &cursor, &b, l, &err);
        if (!code && ++pages == PAGES_MAX && cursor.len)
            code = fer_fail(&err, FER_LIMIT_EXCEEDED, "%s has more than %d pages", k->method,
                            PAGES_MAX);
    } while (!code && cursor.len);
    fer_buf_add_char(&b, ']');
    l->json = fer_buf_view(&b);
    if (code)
        l->trouble =
            fer_arena_printf(n->remote.arena, "%s: %s", fer_code_info(code)->name, err.message);
}

/* ---- the rules ----------------------------------------------------------------------------------
 */

static void on_unreadable(void *context, const fer_err *why)
{
    inspection *n = context;
    n->unreadable++;
    fer_app_say(n->app, "a tool cannot be read: %s: %s", fer_code_info(why->code)->name,
                why->message);
}

static fer_code check_tools(inspection *n, fer_err *err)
{
    size_t count;
    n->set = fer_toolset_new_checked(n->setup.checks);
    if (!n->set) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = FER_OK;
    if (fer_val_len(fer_json_root(n->tools)))
        code = fer_toolset_add_readable(n->set, FER_STR("tools/list"), n->tools_json,
                                        FER_FORMAT_JSON, on_unreadable, n, err);
    const fer_finding *all = fer_toolset_findings(n->set, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].severity < FER_SEVERITY_OFF) n->counts[all[i].severity]++;
    return code;
}

static fer_code look(inspection *n, fer_err *err)
{
    fer_arena *a = n->remote.arena;
    fer_str hello;
    fer_code code = fer_remote_tools(&n->remote, &n->tools_json, err);
    fer_remote_info(&n->remote, &n->info, &hello);
    /* A server without tools refuses the list, and may have other things. */
    if (code && hello.len && n->info.version) {
        fer_json *doc;
        if (fer_json_read(a, hello, NULL, &doc, NULL) ||
            fer_val_get(fer_val_get(fer_json_root(doc), "capabilities"), "tools"))
            return code;
        n->tools_json = FER_STR("[]");
        code = FER_OK;
    }
    if (code) return code;
    hello = fer_arena_copy(a, hello);
    if (!hello.ptr) return fer_arena_failed(a, err);
    code = fer_json_read(a, hello, fer_json_limits_file(), &n->hello, err);
    if (!code) code = fer_json_read(a, n->tools_json, fer_json_limits_file(), &n->tools, err);
    if (code) return code;
    n->said = fer_json_root(n->hello);
    for (size_t i = 0; i < FER_COUNT(kinds); i++) ask_list(n, &kinds[i], &n->lists[i]);
    return check_tools(n, err);
}

/* ---- saying -------------------------------------------------------------------------------------
 */

static fer_str text_of(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

static fer_str first_line(fer_str text)
{
    size_t end = fer_str_find(text, 0, '\n');
    return fer_str_head(end == SIZE_MAX ? text : fer_str_slice(text, 0, end), 60);
}

static void write_item(fer_out *o, fer_str name, size_t bytes, fer_str about)
{
    fer_out_text(o, "  ");
    fer_out_clean(o, name);
    for (size_t i = name.len; i < 36; i++) fer_out_text(o, " ");
    fer_out_printf(o, " %6zu  ", fer_tokens_of(bytes));
    fer_out_clean(o, first_line(about));
    fer_out_text(o, "\n");
}

static void write_items(const inspection *n, const fer_json *doc, const yyjson_val *items,
                        const char *key)
{
    FER_EACH_ITEM (items, item)
        write_item(&n->app->out, text_of(item, key), fer_rpc_bytes(doc, item).len,
                   text_of(item, "description"));
}

static void write_lists(const inspection *n)
{
    fer_out *o = &n->app->out;
    size_t count = fer_val_len(fer_json_root(n->tools));
    size_t tokens = fer_tokens_of(n->tools_json.len);
    fer_out_printf(o, "tools         %zu, %zu bytes, about %zu token%s\n", count, n->tools_json.len,
                   tokens, fer_s(tokens));
    write_items(n, n->tools, fer_json_root(n->tools), "name");
    for (size_t i = 0; i < FER_COUNT(kinds); i++) {
        const list *l = &n->lists[i];
        fer_json *doc;
        if (!l->json.len) continue;
        fer_out_printf(o, "%-13s %zu", i == 1 ? "templates" : kinds[i].name, l->count);
        if (l->trouble.len) {
            fer_out_text(o, "  ");
            fer_out_clean(o, l->trouble);
        }
        fer_out_text(o, "\n");
        if (!fer_json_read(n->remote.arena, l->json, fer_json_limits_file(), &doc, NULL))
            write_items(n, doc, fer_json_root(doc), kinds[i].key);
    }
}

static void write_capabilities(const inspection *n)
{
    const yyjson_val *able = fer_val_get(n->said, "capabilities");
    bool any = false;
    fer_out_text(&n->app->out, "capabilities  ");
    if (fer_is_obj(able))
        FER_EACH_MEMBER (able, key) {
            if (any) fer_out_text(&n->app->out, ", ");
            fer_out_clean(&n->app->out, fer_val_str(key));
            if (fer_is_obj(key + 1) && fer_is_true(fer_val_get(key + 1, "listChanged")))
                fer_out_text(&n->app->out, " (tells changes)");
            any = true;
        }
    fer_out_text(&n->app->out, any ? "\n" : "none\n");
}

static void write_findings(const inspection *n)
{
    fer_out *o = &n->app->out;
    size_t count;
    const fer_finding *all = fer_toolset_findings(n->set, &count);
    size_t errors = n->counts[FER_SEVERITY_ERROR] + n->unreadable,
           warnings = n->counts[FER_SEVERITY_WARNING], notes = n->counts[FER_SEVERITY_INFO];
    fer_out_printf(o, "findings      %zu error%s, %zu warning%s, %zu note%s\n", errors,
                   fer_s(errors), warnings, fer_s(warnings), notes, fer_s(notes));
    for (size_t i = 0; i < count; i++) {
        const fer_finding *f = &all[i];
        if (f->severity == FER_SEVERITY_INFO && !fer_app_option(n->app, "all")) continue;
        fer_out_printf(o, "  %s %s ", fer_severity_name(f->severity), f->rule->id);
        fer_out_clean(o, f->tool);
        fer_out_clean(o, f->tool_pointer);
        fer_out_text(o, ": ");
        fer_out_clean(o, f->message);
        if (f->hint.len) {
            fer_out_text(o, "; ");
            fer_out_clean(o, f->hint);
        }
        fer_out_text(o, "\n");
    }
}

static void write_text(const inspection *n)
{
    fer_out *o = &n->app->out;
    fer_str instructions = text_of(n->said, "instructions");
    fer_out_text(o, "server        ");
    fer_out_clean(o, fer_str_of(n->info.server));
    fer_out_text(o, " ");
    fer_out_clean(o, fer_str_of(n->info.server_version));
    fer_out_printf(o, "\nspeaks        %s (%s)\n", n->info.version->name,
                   n->info.version->modern ? "stateless: server/discover"
                                           : "with a session: initialize");
    write_capabilities(n);
    if (instructions.len) {
        size_t tokens = fer_tokens_of(instructions.len);
        fer_out_printf(o, "instructions  %zu byte%s, about %zu token%s: ", instructions.len,
                       fer_s(instructions.len), tokens, fer_s(tokens));
        fer_out_clean(o, first_line(instructions));
        fer_out_text(o, "\n");
    }
    if (n->info.noise)
        fer_out_printf(o, "noise         %llu line%s on its standard output %s\n",
                       (unsigned long long)n->info.noise, fer_s(n->info.noise),
                       n->info.noise == 1 ? "was no message" : "were no messages");
    if (n->info.dropped) {
        fer_out_printf(o, "dropped       %llu tool%s that may not be used: ",
                       (unsigned long long)n->info.dropped, fer_s(n->info.dropped));
        fer_out_clean(o, fer_str_of(n->info.dropped_why));
        fer_out_text(o, "\n");
    }
    write_lists(n);
    write_findings(n);
}

/* ---- as JSON ------------------------------------------------------------------------------------
 */

static void json_member(fer_out *o, const char *key, fer_str text)
{
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_json(o, text);
}

static void json_findings(const inspection *n)
{
    fer_out *o = &n->app->out;
    size_t count;
    const fer_finding *all = fer_toolset_findings(n->set, &count);
    fer_out_text(o, ",\"findings\":[");
    for (size_t i = 0; i < count; i++) {
        const fer_finding *f = &all[i];
        fer_out_printf(o, "%s{\"rule\":\"%s\",\"severity\":\"%s\"", i ? "," : "", f->rule->id,
                       fer_severity_name(f->severity));
        json_member(o, "tool", f->tool);
        json_member(o, "pointer", f->tool_pointer);
        json_member(o, "message", f->message);
        if (f->hint.len) json_member(o, "hint", f->hint);
        if (f->profile.len) json_member(o, "profile", f->profile);
        fer_out_text(o, "}");
    }
    fer_out_printf(o, "],\"errors\":%zu,\"warnings\":%zu,\"notes\":%zu",
                   n->counts[FER_SEVERITY_ERROR] + n->unreadable, n->counts[FER_SEVERITY_WARNING],
                   n->counts[FER_SEVERITY_INFO]);
}

static void write_json(const inspection *n)
{
    fer_out *o = &n->app->out;
    const yyjson_val *able = fer_val_get(n->said, "capabilities");
    fer_str instructions = text_of(n->said, "instructions");
    fer_out_text(o, "{\"server\":{\"name\":");
    fer_out_json(o, fer_str_of(n->info.server));
    json_member(o, "version", fer_str_of(n->info.server_version));
    fer_out_printf(o, "},\"protocolVersion\":\"%s\",\"era\":\"%s\",\"capabilities\":",
                   n->info.version->name, n->info.version->modern ? "modern" : "legacy");
    fer_out_add(o, able ? fer_rpc_bytes(n->hello, able) : FER_STR("{}"));
    if (instructions.len) json_member(o, "instructions", instructions);
    fer_out_text(o, ",\"tools\":");
    fer_out_add(o, n->tools_json);
    for (size_t i = 0; i < FER_COUNT(kinds); i++) {
        if (!n->lists[i].json.len) continue;
        fer_out_printf(o, ",\"%s\":", kinds[i].name);
        fer_out_add(o, n->lists[i].json);
    }
    fer_out_printf(o, ",\"cost\":{\"tools\":%zu,\"bytes\":%zu,\"tokens\":%zu}",
                   fer_val_len(fer_json_root(n->tools)), n->tools_json.len + instructions.len,
                   fer_tokens_of(n->tools_json.len + instructions.len));
    fer_out_printf(o, ",\"noise\":%llu,\"dropped\":%llu", (unsigned long long)n->info.noise,
                   (unsigned long long)n->info.dropped);
    json_findings(n);
    fer_out_text(o, "}\n");
}

static int verdict(const inspection *n)
{
    bool found = n->counts[FER_SEVERITY_ERROR] || n->unreadable ||
                 (n->counts[FER_SEVERITY_WARNING] && fer_app_option(n->app, "strict"));
    for (size_t i = 0; i < FER_COUNT(kinds); i++) found |= n->lists[i].trouble.len > 0;
    return found ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}

int fer_run_inspect(fer_app *app)
{
    inspection n = {.app = app};
    fer_err err = {0};
    if (!app->arg_count)
        return fer_app_usage(app, "which server? ferrule inspect URL, or ferrule inspect -- "
                                  "COMMAND [ARGUMENT]...");
    int bad = fer_setup_init(&n.setup, app);
    if (bad) return bad;
    bad = fer_remote_open(&n.remote, app, app->args, app->arg_count, NULL);
    if (!bad) {
        if (look(&n, &err)) {
            bad = fer_app_fail(app, &err);
            if (n.info.said[0])
                fer_app_say(app, "the last that it wrote to its standard error: %s", n.info.said);
        } else {
            if (fer_app_option(app, "json")) write_json(&n);
            else write_text(&n);
            bad = verdict(&n);
        }
        fer_toolset_free(n.set);
        fer_remote_close(&n.remote);
    }
    fer_setup_deinit(&n.setup);
    return bad;
}
