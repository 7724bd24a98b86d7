/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule servers: the backends of the configuration, and how they are. */
#include <libsmartcols.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "station.h"

static bool is_wanted(const fer_app *app, const fer_place_of_tools *p)
{
    for (size_t i = 0; i < app->arg_count; i++)
        if (fer_str_is(p->name, app->args[i]) || fer_str_is(p->ns, app->args[i])) return true;
    return app->arg_count == 0;
}

static void status_of(const fer_place_of_tools *p, fer_runner_status *out)
{
    *out = (fer_runner_status){0};
    if (p->runner->kind->status) p->runner->kind->status(p->runner, out);
    if (p->code) snprintf(out->detail, sizeof out->detail, "%.*s", FER_PRI(p->why));
}

/* ---- JSON
 * --------------------------------------------------------------------------------------------- */

static void write_json(fer_station *s)
{
    fer_out *o = &s->app->out;
    bool any = false;
    fer_out_text(o, "{\"servers\":[");
    for (size_t i = 0; i < s->place_count; i++) {
        const fer_place_of_tools *p = &s->places[i];
        fer_runner_status now;
        if (!is_wanted(s->app, p)) continue;
        status_of(p, &now);
        fer_out_text(o, any ? ",\n{\"name\":" : "\n{\"name\":");
        any = true;
        fer_out_json(o, p->name);
        fer_out_printf(o, ",\"kind\":\"%s\",\"health\":\"%s\",\"tools\":%zu", p->runner->kind->name,
                       fer_health_names[now.health], p->tools);
        fer_out_printf(o, ",\"restarts\":%llu,\"noise\":%llu", (unsigned long long)now.restarts,
                       (unsigned long long)now.noise);
        if (p->code) fer_out_printf(o, ",\"error\":\"%s\"", fer_code_info(p->code)->name);
        fer_out_text(o, ",\"detail\":");
        fer_out_json(o, fer_str_of(now.detail));
        fer_out_text(o, "}");
    }
    fer_out_text(o, any ? "\n]}\n" : "]}\n");
}

/* ---- a table, or lines
 * ---------------------------------------------------------------------------------- */

enum {
    COLUMNS = 5
};
static const char *const heads[COLUMNS] = {"NAME", "KIND", "HEALTH", "TOOLS", "DETAIL"};

static void cells_of(fer_station *s, const fer_place_of_tools *p, fer_str out[COLUMNS])
{
    fer_runner_status now;
    status_of(p, &now);
    out[0] = p->name;
    out[1] = fer_str_of(p->runner->kind->name);
    out[2] = fer_str_of(p->code ? fer_code_info(p->code)->name : fer_health_names[now.health]);
    out[3] = fer_arena_printf(s->arena, "%zu", p->tools);
    out[4] = fer_arena_copy(s->arena, fer_str_of(now.detail));
}

static void write_lines(fer_station *s)
{
    fer_str cells[COLUMNS];
    for (size_t i = 0; i < s->place_count; i++) {
        if (!is_wanted(s->app, &s->places[i])) continue;
        cells_of(s, &s->places[i], cells);
        for (size_t k = 0; k < COLUMNS; k++) {
            if (k) fer_out_text(&s->app->out, "\t");
            fer_out_clean(&s->app->out, cells[k]);
        }
        fer_out_text(&s->app->out, "\n");
    }
}

static bool add_line(fer_station *s, struct libscols_table *t, const fer_place_of_tools *p)
{
    fer_str cells[COLUMNS];
    struct libscols_line *line = scols_table_new_line(t, NULL);
    cells_of(s, p, cells);
    for (size_t k = 0; line && k < COLUMNS; k++) {
        fer_str copy = fer_arena_copy(s->arena, cells[k]);
        if (!copy.ptr || scols_line_set_data(line, k, copy.ptr) != 0) return false;
    }
    return line != NULL;
}

static void write_table(fer_station *s)
{
    struct libscols_table *t = scols_new_table();
    bool ok = t != NULL;
    for (size_t k = 0; ok && k < COLUMNS; k++)
        ok = scols_table_new_column(t, heads[k], k == COLUMNS - 1 ? 0.5 : 0,
                                    k == COLUMNS - 1 ? SCOLS_FL_TRUNC : 0) != NULL;
    for (size_t i = 0; ok && i < s->place_count; i++)
        if (is_wanted(s->app, &s->places[i])) ok = add_line(s, t, &s->places[i]);
    fer_out_flush(&s->app->out);
    ok = ok && scols_print_table(t) == 0 && fflush(stdout) == 0;
    if (t) scols_unref_table(t);
    if (!ok) write_lines(s);
}

int fer_run_servers(fer_app *app)
{
    fer_station s;
    int bad = fer_station_init(&s, app);
    if (bad) return bad;
    for (size_t i = 0; i < app->arg_count; i++)
        fer_station_ask(&s, fer_arena_printf(s.arena, "%s:x", app->args[i]));
    if (!app->arg_count) fer_station_ask(&s, FER_STR(""));
    if (!s.place_count)
        fer_app_say(app, "no server is configured: ferrule config check says which file is read");
    if (fer_app_option(app, "json")) write_json(&s);
    else if (app->out.terminal && s.place_count) write_table(&s);
    else write_lines(&s);
    for (size_t i = 0; i < s.place_count; i++)
        if (is_wanted(app, &s.places[i]) && s.places[i].code) bad = FER_EXIT_FINDINGS;
    fer_station_deinit(&s);
    return bad;
}
