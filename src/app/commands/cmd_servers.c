/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule servers: the backends of the configuration, and how they are. */
#include <libsmartcols.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "command_station.h"
#include "errors.h"
#include "near.h"
#include "servers_watch.h"

static bool is_named(const fer_place_of_tools *p, const char *name)
{
    return fer_str_is(p->name, name) || fer_str_is(p->ns, name);
}

static bool is_wanted(const fer_app *app, const fer_place_of_tools *p)
{
    for (size_t i = 0; i < app->arg_count; i++)
        if (is_named(p, app->args[i])) return true;
    return app->arg_count == 0;
}

/* What waits for somebody comes first: a table cuts its last column. */
static void say_held(const fer_place_of_tools *p, fer_runner_status *out)
{
    char rest[sizeof out->detail];
    size_t held = fer_station_held(p->station, p->ns);
    if (!held) return;
    memcpy(rest, out->detail, sizeof rest);
    snprintf(out->detail, sizeof out->detail,
             "%zu changed definition%s held back (ferrule catalog quarantine)%s%.150s", held,
             fer_s(held), rest[0] ? "; " : "", rest);
}

static void status_of(const fer_place_of_tools *p, fer_runner_status *out)
{
    *out = (fer_runner_status){0};
    if (p->runner->kind->status) p->runner->kind->status(p->runner, out);
    if (p->code && !p->vacancy_count) snprintf(out->detail, sizeof out->detail, "%s", p->why);
    say_held(p, out);
}

/* ---- lines
 * --------------------------------------------------------------------------------------------- */

enum {
    COLUMNS = 5,
    LINE_MAX_BYTES = 1 << 22
};
static const char *const heads[COLUMNS] = {"NAME", "KIND", "HEALTH", "TOOLS", "DETAIL"};

static void add_vacancies(fer_buf *b, const fer_place_of_tools *p)
{
    for (size_t i = 0; i < p->vacancy_count; i++) {
        const fer_vacancy *v = &p->vacancies[i];
        fer_buf_add_text(b, i ? "," : ",\"vacant\":[");
        fer_buf_add_text(b, "{\"command\":");
        fer_buf_add_quoted(b, v->id);
        fer_buf_printf(b, ",\"error\":\"%s\",\"detail\":", fer_code_info(v->code)->name);
        fer_buf_add_quoted(b, v->why);
        fer_buf_add_char(b, '}');
    }
    if (p->vacancy_count) fer_buf_add_char(b, ']');
}

static fer_str json_of(fer_arena *a, const fer_place_of_tools *p)
{
    fer_runner_status now;
    fer_buf b;
    status_of(p, &now);
    fer_buf_init(&b, a, LINE_MAX_BYTES);
    fer_buf_add_text(&b, "{\"name\":");
    fer_buf_add_quoted(&b, p->name);
    fer_buf_printf(&b, ",\"kind\":\"%s\",\"health\":\"%s\",\"tools\":%zu", p->runner->kind->name,
                   fer_health_names[now.health], p->tools);
    fer_buf_printf(&b, ",\"restarts\":%llu,\"noise\":%llu", (unsigned long long)now.restarts,
                   (unsigned long long)now.noise);
    fer_buf_printf(&b, ",\"held\":%zu", fer_station_held(p->station, p->ns));
    if (p->code) fer_buf_printf(&b, ",\"error\":\"%s\"", fer_code_info(p->code)->name);
    add_vacancies(&b, p);
    fer_buf_add_text(&b, ",\"detail\":");
    fer_buf_add_quoted(&b, fer_str_of(now.detail));
    fer_buf_add_text(&b, "}");
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

/* A command that is left out of its pack has a line of its own below it. */
static void vacancy_cells(const fer_vacancy *v, fer_str out[COLUMNS])
{
    out[0] = v->id;
    out[1] = FER_STR("vacant");
    out[2] = fer_str_of(fer_code_info(v->code)->name);
    out[3] = FER_STR("1");
    out[4] = v->why;
}

static void cells_of(fer_arena *a, const fer_place_of_tools *p, fer_str out[COLUMNS])
{
    fer_runner_status now;
    bool fails = p->code && !p->vacancy_count;
    status_of(p, &now);
    out[0] = p->name;
    out[1] = fer_str_of(p->runner->kind->name);
    out[2] = fer_str_of(fails ? fer_code_info(p->code)->name : fer_health_names[now.health]);
    out[3] = fer_arena_printf(a, "%zu", p->tools);
    out[4] = fer_arena_copy(a, fer_str_of(now.detail));
}

/* Blanks for all that a terminal could obey. */
static void add_clean(fer_buf *b, fer_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        fer_buf_add_char(b, c < 0x20 || c == 0x7F ? ' ' : (char)c);
    }
}

static void add_cells(fer_buf *b, const fer_str cells[COLUMNS])
{
    for (size_t k = 0; k < COLUMNS; k++) {
        if (k) fer_buf_add_char(b, '\t');
        add_clean(b, cells[k]);
    }
}

static fer_str tabs_of(fer_arena *a, const fer_place_of_tools *p)
{
    fer_str cells[COLUMNS];
    fer_buf b;
    cells_of(a, p, cells);
    fer_buf_init(&b, a, LINE_MAX_BYTES);
    add_cells(&b, cells);
    for (size_t i = 0; i < p->vacancy_count; i++) {
        vacancy_cells(&p->vacancies[i], cells);
        fer_buf_add_char(&b, '\n');
        add_cells(&b, cells);
    }
    return b.failure ? FER_STR_NONE : fer_buf_view(&b);
}

static fer_str line_of(fer_arena *a, const fer_app *app, const fer_place_of_tools *p)
{
    return fer_app_option(app, "json") ? json_of(a, p) : tabs_of(a, p);
}

static fer_str gone_line(fer_arena *a, const fer_app *app, fer_str name)
{
    return fer_app_option(app, "json")
               ? fer_arena_printf(a, "{\"name\":\"%.*s\",\"gone\":true}", FER_PRI(name))
               : fer_arena_printf(a, "%.*s\t-\tgone\t0\t", FER_PRI(name));
}

static void write_json(fer_station *s)
{
    fer_out *o = &fer_app_of(s)->out;
    bool any = false;
    fer_out_text(o, "{\"servers\":[");
    for (size_t i = 0; i < s->place_count; i++) {
        if (!is_wanted(fer_app_of(s), s->places[i])) continue;
        fer_out_text(o, any ? ",\n" : "\n");
        fer_out_add(o, json_of(s->arena, s->places[i]));
        any = true;
    }
    fer_out_text(o, any ? "\n]}\n" : "]}\n");
}

static void write_lines(fer_station *s)
{
    for (size_t i = 0; i < s->place_count; i++) {
        if (!is_wanted(fer_app_of(s), s->places[i])) continue;
        fer_out_add(&fer_app_of(s)->out, tabs_of(s->arena, s->places[i]));
        fer_out_text(&fer_app_of(s)->out, "\n");
    }
}

/* ---- a table
 * ---------------------------------------------------------------------------------- */

static bool add_line(fer_station *s, struct libscols_table *t, const fer_str cells[COLUMNS])
{
    struct libscols_line *line = scols_table_new_line(t, NULL);
    for (size_t k = 0; line && k < COLUMNS; k++) {
        fer_str copy = fer_arena_copy(s->arena, cells[k]);
        if (!copy.ptr || scols_line_set_data(line, k, copy.ptr) != 0) return false;
    }
    return line != NULL;
}

static bool add_place(fer_station *s, struct libscols_table *t, const fer_place_of_tools *p)
{
    fer_str cells[COLUMNS];
    cells_of(s->arena, p, cells);
    bool ok = add_line(s, t, cells);
    for (size_t i = 0; ok && i < p->vacancy_count; i++) {
        vacancy_cells(&p->vacancies[i], cells);
        ok = add_line(s, t, cells);
    }
    return ok;
}

static void write_table(fer_station *s)
{
    struct libscols_table *t = scols_new_table();
    bool ok = t != NULL;
    for (size_t k = 0; ok && k < COLUMNS; k++)
        ok = scols_table_new_column(t, heads[k], k == COLUMNS - 1 ? 0.5 : 0,
                                    k == COLUMNS - 1 ? SCOLS_FL_TRUNC : 0) != NULL;
    for (size_t i = 0; ok && i < s->place_count; i++)
        if (is_wanted(fer_app_of(s), s->places[i])) ok = add_place(s, t, s->places[i]);
    fer_out_flush(&fer_app_of(s)->out);
    ok = ok && scols_print_table(t) == 0 && fflush(stdout) == 0;
    if (t) scols_unref_table(t);
    if (!ok) write_lines(s);
}

/* Whoever names what is not configured is told, before anything is asked. */
static int refuse_unknown(const fer_station *s, fer_app *app)
{
    for (size_t k = 0; k < app->arg_count; k++) {
        fer_near near;
        bool there = false;
        fer_near_init(&near, fer_str_of(app->args[k]));
        for (size_t i = 0; i < s->place_count; i++) {
            there = there || is_named(s->places[i], app->args[k]);
            fer_near_try(&near, s->places[i]->name);
        }
        if (!there)
            return fer_app_usage(app, "there is no server \"%s\"%s%.*s%s", app->args[k],
                                 near.best.ptr ? "; did you mean \"" : "", FER_PRI(near.best),
                                 near.best.ptr ? "\"?" : "");
    }
    return 0;
}

int fer_run_servers(fer_app *app)
{
    fer_station s;
    int bad = fer_app_station_for(
        &s, app,
        &(struct fer_station_wants){.looks = true,
                                    .refreshes = fer_app_option(app, "refresh") != NULL});
    if (bad) return bad;
    bad = refuse_unknown(&s, app);
    if (bad) {
        fer_station_deinit(&s);
        return bad;
    }
    if (fer_app_option(app, "watch")) {
        static const fer_watch_look look = {is_wanted, line_of, gone_line, write_table};
        bad = fer_servers_watch(&s, &look);
        fer_station_deinit(&s);
        return bad;
    }
    for (size_t i = 0; i < app->arg_count; i++)
        fer_station_ask(&s, fer_arena_printf(s.arena, "%s:x", app->args[i]));
    if (!app->arg_count) fer_station_ask(&s, FER_STR(""));
    if (!s.place_count)
        fer_app_say(app, "no server is configured: ferrule config check says which file is read");
    if (fer_app_option(app, "json")) write_json(&s);
    else if (app->out.terminal && s.place_count) write_table(&s);
    else write_lines(&s);
    for (size_t i = 0; i < s.place_count; i++)
        if (is_wanted(app, s.places[i]) && s.places[i]->code) bad = FER_EXIT_FINDINGS;
    fer_station_deinit(&s);
    return bad;
}
