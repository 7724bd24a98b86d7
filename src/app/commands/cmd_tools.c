/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule tools: those of a gateway that runs, or of a configuration. Both come as the page
 * `catalog` of the admin API and are shown from that. */
#include <errno.h>
#include <fnmatch.h>
#include <libsmartcols.h>
#include <stdio.h>

#include "admin_catalog.h"
#include "admin_client.h"
#include "client_choice.h"
#include "command_station.h"
#include "errors.h"
#include "json_value.h"

typedef struct tools {
    fer_app *app;
    fer_arena *arena;
    fer_json *page;
    size_t shown;
    bool starved; /* memory was refused, so that something may be missing */
} tools;

/* ---- where they come from ------------------------------------------------------------------- */

static int from_gateway(tools *t)
{
    fer_admin_client c;
    fer_err err = {0};
    int bad = fer_admin_client_open(&c, t->app);
    if (!bad && fer_admin_client_get(&c, t->arena, "catalog", &t->page, &err))
        bad = fer_app_fail(t->app, &err);
    fer_admin_client_close(&c);
    return bad;
}

static fer_code read_station(tools *t, fer_station *s, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, t->arena, SIZE_MAX / 4);
    fer_admin_add_catalog(s->gateway, s->catalog, t->arena, &b);
    fer_code code = fer_buf_code(&b, err);
    return code ? code
                : fer_json_read(t->arena, fer_buf_view(&b), fer_json_limits_file(), &t->page, err);
}

static int from_configuration(tools *t)
{
    const char *files[FER_CLIENT_FILES_MAX];
    size_t count = 0;
    fer_station s;
    fer_err err = {0};
    int bad = fer_client_choose(t->app, t->arena, files, &count);
    if (!bad)
        bad = fer_app_station_for(&s, t->app,
                                  &(struct fer_station_wants){.looks = true,
                                                              .files = files,
                                                              .file_count = count,
                                                              .found = fer_client_found(t->app)});
    if (bad) return bad;
    fer_station_ask(&s, FER_STR(""));
    fer_station_remark(&s);
    if (s.config.file.len)
        fer_app_say(t->app, "these are the tools of %.*s", FER_PRI(s.config.file));
    if (read_station(t, &s, &err)) bad = fer_app_fail(t->app, &err);
    fer_station_deinit(&s);
    return bad;
}

/* Whether a gateway is to be asked: it is named, or runs and nobody named anything else. */
static int choose(tools *t, bool *gateway)
{
    const char *found[FER_ADMIN_FOUND];
    size_t count = 0;
    fer_err err = {0};
    bool named = fer_app_option(t->app, "server") || fer_app_option(t->app, "socket"),
         other = fer_app_option(t->app, "config") || fer_app_option(t->app, "from");
    if (named && other)
        return fer_app_usage(t->app, "tools are those of a gateway (--server, --socket) or of a "
                                     "configuration (--config, --from), not of both");
    *gateway = named;
    if (named || other) return 0;
    if (fer_admin_client_find(t->arena, found, &count, &err)) return fer_app_fail(t->app, &err);
    *gateway = count > 0;
    if (count > 1) return 0; /* which one is meant is asked where it is opened */
    fer_app_say(t->app, count ? "these are the tools of the gateway that runs; --config FILE asks "
                                "for those of a configuration"
                              : "no gateway of this user runs: servers are asked");
    return 0;
}

/* ---- what is shown -------------------------------------------------------------------------- */

static fer_str text_of(const yyjson_val *tool, const char *key)
{
    const yyjson_val *v = fer_val_get(tool, key);
    return v && fer_is_str(v) ? fer_val_str(v) : FER_STR("");
}

/* As it is, or without its version. */
static bool fits(tools *t, fer_str id)
{
    fer_id parts;
    bool named = !fer_id_parse(id, &parts, NULL);
    size_t end = named ? (size_t)(parts.name.ptr - id.ptr) + parts.name.len : id.len;
    fer_str whole = fer_arena_copy(t->arena, id),
            bare = fer_arena_copy(t->arena, fer_str_slice(id, 0, end));
    if (!whole.ptr || !bare.ptr) t->starved = true;
    for (size_t i = 0; !t->starved && i < t->app->arg_count; i++)
        if (fnmatch(t->app->args[i], whole.ptr, 0) == 0 ||
            fnmatch(t->app->args[i], bare.ptr, 0) == 0)
            return true;
    return !t->app->arg_count;
}

static void write_line(fer_out *o, const yyjson_val *tool)
{
    fer_out_clean(o, text_of(tool, "id"));
    fer_out_text(o, "\t");
    fer_out_clean(o, text_of(tool, "effect"));
    fer_out_text(o, "\t");
    fer_out_clean(o, text_of(tool, "summary"));
    fer_out_text(o, "\n");
}

static fer_code write_json(tools *t, const yyjson_val *tool, fer_err *err)
{
    fer_str text;
    fer_code code = fer_json_write(t->arena, tool, false, &text, err);
    if (code) return code;
    fer_out_text(&t->app->out, t->shown ? ",\n" : "\n");
    fer_out_add(&t->app->out, text);
    return FER_OK;
}

static fer_code add_row(tools *t, struct libscols_table *table, const yyjson_val *tool,
                        fer_err *err)
{
    static const char *const keys[] = {"id", "effect", "summary"};
    struct libscols_line *line = scols_table_new_line(table, NULL);
    for (size_t i = 0; line && i < FER_COUNT(keys); i++) {
        fer_str copy = fer_arena_copy(t->arena, text_of(tool, keys[i]));
        if (!copy.ptr || scols_line_set_data(line, i, copy.ptr) != 0) line = NULL;
    }
    return line ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

static struct libscols_table *new_table(void)
{
    struct libscols_table *t = scols_new_table();
    if (!t) return NULL;
    bool ok = scols_table_new_column(t, "ID", 0, 0) && scols_table_new_column(t, "EFFECT", 0, 0) &&
              scols_table_new_column(t, "SUMMARY", 0.3, SCOLS_FL_TRUNC);
    if (ok) return t;
    scols_unref_table(t);
    return NULL;
}

static void print_table(tools *t, struct libscols_table *table)
{
    fer_out *o = &t->app->out;
    fer_out_flush(o);
    if (t->shown && (scols_print_table(table) != 0 || fflush(stdout) != 0)) {
        o->failed = true;
        o->error = errno;
    }
    scols_unref_table(table);
}

static fer_code show(tools *t, fer_err *err)
{
    fer_out *o = &t->app->out;
    const yyjson_val *list = fer_val_get(fer_json_root(t->page), "tools");
    bool json = fer_app_option(t->app, "json") != NULL;
    struct libscols_table *table = o->terminal && !json ? new_table() : NULL;
    fer_code code = FER_OK;
    if (json) fer_out_text(o, "{\"tools\":[");
    if (fer_is_arr(list))
        FER_EACH_ITEM (list, tool) {
            if (code || !fer_is_obj(tool) || !fits(t, text_of(tool, "id"))) continue;
            if (json) code = write_json(t, tool, err);
            else if (table) code = add_row(t, table, tool, err);
            else write_line(o, tool);
            t->shown++;
        }
    if (json) fer_out_text(o, t->shown ? "\n]}\n" : "]}\n");
    if (table) print_table(t, table);
    return !code && t->starved ? fer_arena_failed(t->arena, err) : code;
}

/* A page has its bound: more than it lists are there. */
static void say_rest(const tools *t)
{
    const yyjson_val *total = fer_val_get(fer_json_root(t->page), "total");
    if (total && fer_val_tag(total) == FER_TAG_UINT && total->uni.u64 > FER_ADMIN_TOOLS)
        fer_app_say(t->app,
                    "admin.tools: the first %d of %llu are looked at; ferrule search finds the "
                    "others",
                    FER_ADMIN_TOOLS, (unsigned long long)total->uni.u64);
}

int fer_run_tools(fer_app *app)
{
    tools t = {.app = app, .arena = fer_arena_new(0)};
    bool gateway = false;
    fer_err err = {0};
    if (!t.arena) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(app, &err);
    }
    int bad = choose(&t, &gateway);
    if (!bad) bad = gateway ? from_gateway(&t) : from_configuration(&t);
    if (!bad && show(&t, &err)) bad = fer_app_fail(app, &err);
    if (!bad) say_rest(&t);
    if (!bad && !t.shown) {
        fer_app_say(app, "no tool fits");
        bad = FER_EXIT_FINDINGS;
    }
    fer_arena_free(t.arena);
    return bad;
}
