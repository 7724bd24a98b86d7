/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule call: one call of a tool of an MCP server, with nothing between. */
#include <unistd.h>

#include "call_args.h"
#include "errors.h"
#include "file.h"
#include "json_value.h"
#include "near.h"
#include "progress.h"
#include "remote.h"
#include "rpc.h"
#include "show_value.h"

typedef struct call {
    fer_app *app;
    fer_remote remote;
    fer_json *tools;
    const yyjson_val *tool;
    bool progress; /* a line of it stands on the terminal */
} call;

typedef struct own_call {
    fer_mcp_call call; /* the first member */
    call *owner;
} own_call;

/* ---- the tool ---------------------------------------------------------------------------------
 */

static fer_str name_of(const yyjson_val *tool)
{
    const yyjson_val *name = fer_is_obj(tool) ? fer_val_get(tool, "name") : NULL;
    return fer_is_str(name) ? fer_val_str(name) : FER_STR("");
}

static fer_code find_tool(call *c, fer_str wanted, fer_err *err)
{
    fer_near near;
    const yyjson_val *list = fer_json_root(c->tools);
    fer_near_init(&near, wanted);
    FER_EACH_ITEM (list, tool) {
        fer_near_try(&near, name_of(tool));
        if (fer_str_eq(name_of(tool), wanted)) c->tool = tool;
    }
    if (c->tool) return FER_OK;
    if (near.best.ptr)
        return fer_fail(err, FER_TOOL_NOT_FOUND,
                        "the server has no tool \"%.*s\"; did you mean \"%.*s\"?", FER_PRI(wanted),
                        FER_PRI(near.best));
    return fer_fail(err, FER_TOOL_NOT_FOUND,
                    "the server has no tool \"%.*s\"; ferrule inspect lists those it has",
                    FER_PRI(wanted));
}

static fer_code load_tool(call *c, fer_str wanted, fer_err *err)
{
    fer_str text;
    fer_code code = fer_remote_tools(&c->remote, &text, err);
    if (!code) code = fer_json_read(c->remote.arena, text, fer_json_limits_file(), &c->tools, err);
    return code ? code : find_tool(c, wanted, err);
}

/* ---- the arguments -----------------------------------------------------------------------------
 */

static fer_code base_args(call *c, fer_str *out, fer_err *err)
{
    const char *given = fer_app_option(c->app, "args");
    *out = fer_str_of(given);
    if (!given) return FER_OK;
    if (given[0] == '@')
        return fer_file_read(c->remote.arena, given + 1, FER_ARG_FILE_MAX, out, err);
    if (strcmp(given, "-") != 0) return FER_OK;
    return fer_file_read_fd(c->remote.arena, STDIN_FILENO, "standard input", FER_ARG_FILE_MAX, out,
                            err);
}

/* Without words the object goes to the server as it was given. */
static fer_code make_args(call *c, fer_str *out, fer_err *err)
{
    fer_arena *a = c->remote.arena;
    fer_schema *schema = NULL;
    fer_json *doc;
    fer_code code = base_args(c, out, err);
    if (code) return code;
    if (c->app->arg_count > 1) {
        const yyjson_val *value = fer_val_get(c->tool, "inputSchema");
        if (value) (void)fer_schema_compile_value(NULL, value, NULL, &schema, NULL);
        code = fer_call_args(a, schema, *out, c->app->args + 1, c->app->arg_count - 1, out, err);
        fer_schema_unref(schema);
        return code;
    }
    if (!out->len) {
        *out = FER_STR("{}");
        return FER_OK;
    }
    code = fer_json_read(a, *out, NULL, &doc, err);
    if (code) return code;
    if (!fer_is_obj(fer_json_root(doc)))
        return fer_fail(err, FER_BAD_USAGE, "--args takes a JSON object, not %s",
                        fer_val_type_name(fer_json_root(doc)));
    return fer_json_write(a, fer_json_root(doc), false, out, err); /* on one line */
}

/* ---- what comes back ---------------------------------------------------------------------------
 */

static void clear_progress(call *c)
{
    if (c->progress) dprintf(STDERR_FILENO, "\r\033[K");
    c->progress = false;
}

static void on_progress(fer_mcp_call *k, fer_str json)
{
    if (fer_progress_news(json)) ((own_call *)k)->owner->progress = true;
}

static fer_showing showing_of(const fer_app *app)
{
    if (fer_app_option(app, "raw")) return FER_SHOW_RAW;
    return app->out.terminal ? FER_SHOW_TABLE : FER_SHOW_JSON;
}

static int show(call *c, const fer_mcp_outcome *o)
{
    fer_arena *a = c->remote.arena;
    fer_str value = FER_STR("");
    fer_err err = {0};
    fer_code code = FER_OK;
    bool json = fer_app_option(c->app, "json") != NULL;
    if (json) {
        fer_str whole = o->json.len ? o->json : o->error;
        fer_out_add(&c->app->out, whole);
        if (whole.len) fer_out_text(&c->app->out, "\n");
    } else if (!o->code && o->result.value) {
        code = fer_json_write(a, o->result.value, false, &value, &err);
        if (!code) code = fer_show_value(a, &c->app->out, value, showing_of(c->app), &err);
    }
    if (code) return fer_app_fail(c->app, &err);
    if (!o->code) return FER_EXIT_OK;
    fer_app_say(c->app, "%s: %.*s", fer_code_info(o->code)->name, FER_PRI(o->message));
    return fer_code_info(o->code)->exit_code;
}

static int make_call(call *c)
{
    fer_err err = {0};
    own_call own = {.call = {.on_progress = on_progress}, .owner = c};
    fer_mcp_call *k = &own.call;
    fer_mcp_outcome o = {0};
    fer_code code = load_tool(c, fer_str_of(c->app->args[0]), &err);
    if (!code) code = make_args(c, &k->args, &err);
    if (code) return fer_app_fail(c->app, &err);
    k->tool = name_of(c->tool);
    k->definition = fer_rpc_bytes(c->tools, c->tool);
    code = fer_remote_call(&c->remote, k, &o, &err);
    clear_progress(c);
    return code ? fer_app_fail(c->app, &err) : show(c, &o);
}

int fer_run_call(fer_app *app)
{
    call c = {.app = app};
    const char *server = fer_app_option(app, "server");
    if (!server)
        return fer_app_usage(app, "which server? ferrule call --server URL|COMMAND TOOL ...");
    if (!app->arg_count) return fer_app_usage(app, "which tool? ferrule inspect lists them");
    int bad = fer_remote_open(&c.remote, app, &server, 1, NULL);
    if (bad) return bad;
    bad = make_call(&c);
    fer_remote_close(&c.remote);
    return bad;
}
