/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule install: the gateway as a server in the file of an MCP client. */
#include <errno.h>
#include <limits.h>

#include "backup.h"
#include "buf.h"
#include "client_files.h"
#include "command.h"
#include "errors.h"
#include "file.h"
#include "json_value.h"
#include "jsonc_edit.h"
#include "near.h"
#include "net_rules.h"
#include "sys.h"
#include "text_diff.h"
#include "toml.h"

#define CLIENT_FILE_MAX ((size_t)64 << 20) /* Claude Code keeps more in it than servers */
#define TRIES           3                  /* while the client writes its file itself */

typedef struct install {
    fer_app *app;
    fer_arena *arena;
    const fer_client *client;
    const char *file;
    fer_str name;  /* of the entry */
    fer_str entry; /* JSON; empty: it is taken out */
    bool there;    /* the file was */
    fer_str text;
    fer_splices splices;
} install;

/* ---- the entry ---------------------------------------------------------------------------------
 */

static fer_code full_path(fer_arena *a, const char *path, fer_str *out, fer_err *err)
{
    char whole[PATH_MAX];
    if (!fer_sys_realpath(path, whole))
        return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    *out = fer_arena_copy(a, fer_str_of(whole));
    return out->ptr ? FER_OK : fer_arena_failed(a, err);
}

static void add_arg(fer_buf *b, const char *option, fer_str value)
{
    if (option) {
        fer_buf_add_text(b, ",\"");
        fer_buf_add_text(b, option);
        fer_buf_add_char(b, '"');
    }
    if (!value.ptr) return;
    fer_buf_add_char(b, ',');
    fer_buf_add_quoted(b, value);
}

/* The program, by its whole path: clients of a desktop have another PATH than a shell. */
static fer_code write_program(install *n, fer_buf *b, fer_err *err)
{
    const char *value;
    fer_str self, config = FER_STR("");
    fer_code code = full_path(n->arena, "/proc/self/exe", &self, err);
    if (!code) code = fer_config_locate(n->arena, fer_app_option(n->app, "config"), &config, err);
    if (!code && config.len) code = full_path(n->arena, config.ptr, &config, err);
    if (code) return code;
    if (n->client->stdio_type) fer_buf_printf(b, "\"type\":\"%s\",", n->client->stdio_type);
    fer_buf_add_text(b, n->client->listed ? "\"command\":[" : "\"command\":");
    fer_buf_add_quoted(b, self);
    fer_buf_add_text(b, n->client->listed ? "," : ",\"args\":[");
    fer_buf_add_text(b, "\"serve\",\"--stdio\"");
    if (!fer_app_option(n->app, "alone")) fer_buf_add_text(b, ",\"--attach\",\"start\"");
    if (config.len) add_arg(b, "--config", config);
    value = fer_app_option(n->app, "mode");
    if (value) add_arg(b, "--mode", fer_str_of(value));
    for (size_t i = 0; (value = fer_app_values(n->app, "expose", i)); i++)
        add_arg(b, "--expose", fer_str_of(value));
    fer_buf_add_text(b, n->client->listed ? "],\"enabled\":true" : "]");
    return FER_OK;
}

static bool is_variable(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!(*c == '_' || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
              (c > name && *c >= '0' && *c <= '9')))
            return false;
    return name[0] != '\0';
}

/* Where the token comes from, never the token: the file may be anybody's. */
static fer_code write_token(install *n, fer_buf *b, fer_err *err)
{
    const char *variable = fer_app_option(n->app, "token-env"), *mark;
    if (fer_app_option(n->app, "no-token")) return FER_OK;
    if (!n->client->variable)
        return fer_fail(err, FER_BAD_USAGE,
                        "%s reads no variables in headers, and a token does not belong into its "
                        "file: leave out --http (the program finds the gateway by itself), or give "
                        "--no-token where the gateway asks for none",
                        n->client->title);
    variable = variable ? variable : "FERRULE_TOKEN";
    if (!is_variable(variable))
        return fer_fail(err, FER_BAD_USAGE, "--token-env takes the name of a variable, not '%s'",
                        variable);
    if (n->client->toml) {
        fer_buf_printf(b, ",\"%s\":\"%s\"", n->client->variable, variable);
        return FER_OK;
    }
    fer_buf_add_text(b, ",\"headers\":{\"Authorization\":\"Bearer ");
    for (mark = n->client->variable; *mark; mark++) {
        if (mark[0] == '%' && mark[1] == 's') {
            fer_buf_add_text(b, variable);
            mark++;
        } else {
            fer_buf_add_char(b, *mark);
        }
    }
    fer_buf_add_text(b, "\"}");
    return FER_OK;
}

static fer_code write_remote(install *n, fer_buf *b, const char *url, fer_err *err)
{
    fer_net_target target;
    fer_code code = fer_net_target_parse(fer_str_of(url), &target, err);
    if (code) return code;
    if (!n->client->url)
        return fer_fail(err, FER_BAD_USAGE,
                        "%s takes programs in its file, no URLs: leave out --http, and the program "
                        "finds the gateway that runs by itself",
                        n->client->title);
    if (n->client->http_type) fer_buf_printf(b, "\"type\":\"%s\",", n->client->http_type);
    fer_buf_printf(b, "\"%s\":", n->client->url);
    fer_buf_add_quoted(b, fer_str_of(url));
    return write_token(n, b, err);
}

static fer_code write_entry(install *n, fer_err *err)
{
    const char *url = fer_app_option(n->app, "http");
    fer_buf b;
    fer_buf_init(&b, n->arena, FER_CONFIG_SIZE);
    fer_buf_add_char(&b, '{');
    fer_code code = url ? write_remote(n, &b, url, err) : write_program(n, &b, err);
    fer_buf_add_char(&b, '}');
    n->entry = fer_buf_view(&b);
    return code ? code : fer_buf_code(&b, err);
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static bool folder_is_there(fer_arena *a, const char *path, fer_str *folder)
{
    fer_str whole = fer_str_of(path);
    size_t end = whole.len;
    while (end > 0 && whole.ptr[end - 1] != '/') end--;
    *folder =
        end ? fer_arena_copy(a, fer_str_slice(whole, 0, end > 1 ? end - 1 : 1)) : FER_STR(".");
    return folder->ptr && fer_file_is_folder(folder->ptr);
}

/* The one of the client's files that is there, else the one that it would make. */
static fer_code find_file(install *n, fer_err *err)
{
    const char *named = fer_app_option(n->app, "file");
    fer_str folder = FER_STR("");
    n->file = named;
    for (size_t i = 0; !named && i < FER_CLIENT_PATHS && n->client->paths[i]; i++) {
        const char *path = fer_client_path(n->arena, n->client->paths[i]);
        if (!path) return fer_fail(err, FER_BAD_USAGE, "there is no home: --file names the file");
        if (!n->file || (!fer_file_exists(n->file) && fer_file_exists(path))) n->file = path;
    }
    n->there = fer_file_exists(n->file);
    if (!n->there && !folder_is_there(n->arena, n->file, &folder))
        return fer_fail(err, FER_BAD_USAGE,
                        "there is no folder %.*s: is %s installed? --file names another file",
                        FER_PRI(folder), n->client->title);
    return FER_OK;
}

static fer_code read_file(install *n, fer_str *text, fer_err *err)
{
    *text = FER_STR("");
    return n->there ? fer_file_read(n->arena, n->file, CLIENT_FILE_MAX, text, err) : FER_OK;
}

/* The entry as lines of TOML: strings and lists of such are written as in JSON. */
static fer_code write_lines(install *n, fer_str *out, fer_err *err)
{
    fer_json *doc;
    fer_buf b;
    fer_buf_init(&b, n->arena, FER_CONFIG_SIZE);
    fer_code code = n->entry.len ? fer_json_read(n->arena, n->entry, NULL, &doc, err) : FER_OK;
    if (code) return code;
    if (n->entry.len) {
        FER_EACH_MEMBER (fer_json_root(doc), key) {
            fer_str value;
            code = fer_json_write(n->arena, key + 1, false, &value, err);
            if (code) return code;
            fer_buf_printf(&b, "%.*s = %.*s\n", FER_PRI(fer_val_str(key)), FER_PRI(value));
        }
    }
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, err);
}

/* As one splice, of what differs between the two texts. */
static fer_code edit_toml(install *n, fer_err *err)
{
    fer_str block, text;
    fer_err why = {0};
    n->splices = (fer_splices){0};
    fer_code code = write_lines(n, &block, err);
    if (code) return code;
    code = fer_toml_set_table(n->arena, n->text, fer_str_of(n->client->key), n->name, block, &text,
                              &why);
    if (code)
        return fer_fail(err, code, "%s:%u:%u: %.600s; nothing was written", n->file, why.line,
                        why.column, why.message);
    if (fer_str_eq(text, n->text)) return FER_OK;
    size_t from = 0, tail = 0, least = text.len < n->text.len ? text.len : n->text.len;
    while (from < least && text.ptr[from] == n->text.ptr[from]) from++;
    while (tail < least - from &&
           text.ptr[text.len - 1 - tail] == n->text.ptr[n->text.len - 1 - tail])
        tail++;
    fer_splice *one = fer_arena_alloc_zero(n->arena, 1, sizeof *one);
    if (!one) return fer_arena_failed(n->arena, err);
    *one = (fer_splice){from, n->text.len - tail, fer_str_slice(text, from, text.len - tail)};
    n->splices = (fer_splices){one, 1, 1};
    return FER_OK;
}

static fer_code edit(install *n, fer_err *err)
{
    if (n->client->toml) return edit_toml(n, err);
    fer_str path[] = {fer_str_of(n->client->key), n->name};
    fer_err why = {0};
    n->splices = (fer_splices){0};
    fer_code code = n->entry.len
                        ? fer_jsonc_set(n->arena, n->text, path, 2, n->entry, &n->splices, &why)
                        : fer_jsonc_remove(n->arena, n->text, path, 2, &n->splices, &why);
    if (!code) return FER_OK;
    return fer_fail(err, code, "%s:%u:%u: %.600s; nothing was written", n->file, why.line,
                    why.column, why.message);
}

/* ---- doing it ----------------------------------------------------------------------------------
 */

static void say_done(install *n, const char *what, fer_str backup)
{
    fer_out *o = &n->app->out;
    if (fer_app_option(n->app, "json")) {
        fer_out_printf(o, "{\"client\":\"%s\",\"file\":", n->client->name);
        fer_out_json(o, fer_str_of(n->file));
        fer_out_printf(o, ",\"name\":");
        fer_out_json(o, n->name);
        fer_out_printf(o, ",\"done\":\"%s\"", what);
        if (backup.len) {
            fer_out_text(o, ",\"backup\":");
            fer_out_json(o, backup);
        }
        if (n->entry.len) {
            fer_out_text(o, ",\"entry\":");
            fer_out_add(o, n->entry);
        }
        fer_out_text(o, "}\n");
        return;
    }
    fer_out_printf(o, "%s: \"", n->client->title);
    fer_out_clean(o, n->name);
    fer_out_printf(o, "\" %s %s\n", what, n->file);
    if (backup.len) fer_out_printf(o, "what was there before: %.*s\n", FER_PRI(backup));
}

static fer_code write_file(install *n, fer_str *backup, fer_err *err)
{
    fer_str now, text;
    fer_code code = FER_OK;
    for (unsigned i = 0; i < TRIES; i++) {
        code = fer_splices_apply(n->arena, n->text, &n->splices, &text, err);
        if (!code && !backup->len) code = fer_backup_keep(n->arena, n->file, n->text, backup, err);
        if (!code) code = read_file(n, &now, err);
        if (code) return code;
        /* Clients write their files too: what they have written meanwhile is not lost. */
        if (fer_str_eq(now, n->text)) return fer_file_replace(n->file, text, err);
        n->text = now;
        code = edit(n, err);
        if (code) return code;
    }
    return fer_fail(err, FER_IO_ERROR, "%s changes all the time: end %s, and try again", n->file,
                    n->client->title);
}

static fer_code apply(install *n, fer_err *err)
{
    fer_str backup = FER_STR(""), text;
    bool put = n->entry.len > 0;
    fer_code code = read_file(n, &n->text, err);
    if (!code) code = edit(n, err);
    if (code) return code;
    if (!n->splices.count) {
        say_done(n, put ? "is already in" : "is not in", backup);
        return FER_OK;
    }
    if (fer_app_option(n->app, "dry-run")) {
        code = fer_splices_apply(n->arena, n->text, &n->splices, &text, err);
        if (!code &&
            !fer_text_diff(n->arena, &n->app->out, fer_str_of(n->file), n->text, &n->splices))
            code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
        return code;
    }
    code = write_file(n, &backup, err);
    if (!code) say_done(n, put ? "is now in" : "is taken out of", backup);
    if (!code && put && !fer_app_option(n->app, "json"))
        fer_out_printf(&n->app->out, "start %s again, so that it reads its file\n",
                       n->client->title);
    return code;
}

/* ---- what there is -----------------------------------------------------------------------------
 */

static bool has_entry(fer_arena *a, const fer_client *c, const char *file, fer_str name)
{
    fer_str text, path[] = {fer_str_of(c->key), name}, other;
    fer_splices s = {0};
    if (c->toml)
        return !fer_file_read(a, file, CLIENT_FILE_MAX, &text, NULL) &&
               !fer_toml_set_table(a, text, path[0], name, FER_STR(""), &other, NULL) &&
               !fer_str_eq(text, other);
    return !fer_file_read(a, file, CLIENT_FILE_MAX, &text, NULL) &&
           !fer_jsonc_remove(a, text, path, 2, &s, NULL) && s.count;
}

static int list_clients(fer_app *app, fer_arena *a, fer_str name)
{
    bool json = fer_app_option(app, "json") != NULL, any = false;
    if (json) fer_out_text(&app->out, "[");
    for (const fer_client *c = fer_clients; c->name; c++) {
        fer_client_file found[FER_CLIENT_FILES_MAX];
        size_t n = fer_client_files_find(a, c->name, found), i = 0;
        while (i < n && found[i].client != c) i++;
        const char *file = i < n ? found[i].path : NULL;
        bool here = file && has_entry(a, c, file, name);
        if (!json) {
            fer_out_printf(&app->out, "%-12s %-15s %s%s\n", c->name, c->title,
                           file ? file : "no file", here ? "  (installed)" : "");
            continue;
        }
        fer_out_printf(&app->out, "%s{\"client\":\"%s\",\"title\":\"%s\",\"installed\":%s",
                       any ? "," : "", c->name, c->title, here ? "true" : "false");
        if (file) {
            fer_out_text(&app->out, ",\"file\":");
            fer_out_json(&app->out, fer_str_of(file));
        }
        fer_out_text(&app->out, "}");
        any = true;
    }
    if (json) fer_out_text(&app->out, "]\n");
    return FER_EXIT_OK;
}

static int unknown_client(fer_app *app, const char *name)
{
    fer_near near;
    fer_near_init(&near, fer_str_of(name));
    for (size_t i = 0; fer_client_names[i]; i++)
        fer_near_try(&near, fer_str_of(fer_client_names[i]));
    if (near.best.ptr)
        return fer_app_usage(app, "no client is known as '%s'; did you mean '%.*s'?", name,
                             FER_PRI(near.best));
    return fer_app_usage(app, "no client is known as '%s'; 'ferrule install' lists those that are",
                         name);
}

int fer_run_install(fer_app *app)
{
    const char *name = fer_app_option(app, "name");
    install n = {
        .app = app, .arena = fer_arena_new(0), .name = fer_str_of(name ? name : FER_CLIENT_ENTRY)};
    fer_err err = {0};
    fer_code code = n.arena ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    int bad = 0;
    if (app->arg_count > 1) bad = fer_app_usage(app, "one client at a time");
    else if (!n.name.len) bad = fer_app_usage(app, "--name takes a name");
    else if (!code && !app->arg_count) bad = list_clients(app, n.arena, n.name);
    else if (!code && !(n.client = fer_client_find(app->args[0])))
        bad = unknown_client(app, app->args[0]);
    if (n.client) {
        code = find_file(&n, &err);
        if (!code && !fer_app_option(app, "remove")) code = write_entry(&n, &err);
        if (!code) code = apply(&n, &err);
    }
    fer_arena_free(n.arena);
    return code ? fer_app_fail(app, &err) : bad;
}
