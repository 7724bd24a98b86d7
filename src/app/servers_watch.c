/* SPDX-License-Identifier: Apache-2.0 */
#include "servers_watch.h"

#include <signal.h>

#include "clock.h"
#include "errors.h"

#define NEWS_TEXT 200 /* bytes of one sentence */

typedef struct shown {
    fer_str name, line;
} shown;

typedef struct watching {
    fer_station *station;
    const fer_watch_look *look;
    bool table;       /* on a terminal */
    fer_arena *arena; /* of what is shown now */
    shown *list;
    size_t count;
    char news[FER_WATCH_NEWS][NEWS_TEXT]; /* the latest last */
    size_t news_count;
    bool fresh; /* there is news that the table does not have yet */
    size_t ticks;
    uv_fs_poll_t file;
    uv_timer_t tick;
    uv_signal_t hangup, end;
} watching;

/* ---- sentences ------------------------------------------------------------------------------- */

FER_PRINTF(2, 3) static void tell(watching *w, const char *format, ...)
{
    char now[FER_TIMESTAMP], text[NEWS_TEXT - 16];
    va_list args;
    va_start(args, format);
    fer_format_text(text, sizeof text, format, args);
    va_end(args);
    if (!w->table) {
        fer_app_say(fer_app_of(w->station), "%s", text);
        return;
    }
    if (w->news_count == FER_WATCH_NEWS) {
        memmove(w->news[0], w->news[1], sizeof w->news - NEWS_TEXT);
        w->news_count--;
    }
    fer_clock_format(fer_clock_wall(), now);
    snprintf(w->news[w->news_count++], NEWS_TEXT, "%.8s  %s", now + 11, text);
    w->fresh = true;
}

static void on_event(void *context, const fer_event *e)
{
    watching *w = context;
    tell(w, "%s %.*s%s%s", fer_event_kind_name(e->kind), FER_PRI(e->id), e->verdict ? ": " : "",
         e->verdict ? fer_verdict_name(e->verdict) : "");
}

/* ---- what is shown --------------------------------------------------------------------------- */

static const shown *find(const shown *list, size_t count, fer_str name)
{
    for (size_t i = 0; i < count; i++)
        if (fer_str_eq(list[i].name, name)) return &list[i];
    return NULL;
}

static void print_line(watching *w, fer_str line)
{
    fer_out *o = &fer_app_of(w->station)->out;
    fer_out_add(o, line);
    fer_out_text(o, "\n");
    fer_out_flush(o);
}

static void draw(watching *w)
{
    fer_out *o = &fer_app_of(w->station)->out;
    fer_out_text(o, "\033[H\033[J");
    fer_out_clean(o, w->station->config.file);
    fer_out_text(o, "\n\n");
    w->look->table(w->station);
    fer_out_text(o, "\n");
    for (size_t i = 0; i < w->news_count; i++) {
        fer_out_clean(o, fer_str_of(w->news[i]));
        fer_out_text(o, "\n");
    }
    fer_out_flush(o);
    w->fresh = false;
}

/* Takes down how all servers are; what is different from before is printed. */
static void show(watching *w)
{
    fer_station *s = w->station;
    fer_arena *a = fer_arena_new(0);
    shown *list = a ? fer_arena_alloc_zero(a, s->place_count + 1, sizeof *list) : NULL;
    size_t count = 0;
    bool changed = false;
    if (!list) {
        fer_arena_free(a);
        return; /* the next look may have memory */
    }
    for (size_t i = 0; i < s->place_count; i++) {
        const fer_place_of_tools *p = s->places[i];
        if (!w->look->wanted(fer_app_of(s), p)) continue;
        shown one = {fer_arena_copy(a, p->name), w->look->line(a, fer_app_of(s), p)};
        const shown *before = find(w->list, w->count, one.name);
        if (!one.line.ptr) continue;
        list[count++] = one;
        if (before && fer_str_eq(before->line, one.line)) continue;
        changed = true;
        if (!w->table) print_line(w, one.line);
    }
    for (size_t i = 0; i < w->count; i++) {
        if (find(list, count, w->list[i].name)) continue;
        changed = true;
        if (!w->table) print_line(w, w->look->gone(a, fer_app_of(s), w->list[i].name));
    }
    fer_arena_free(w->arena);
    w->arena = a;
    w->list = list;
    w->count = count;
    if (w->table && (changed || w->fresh)) draw(w);
}

/* ---- what happens ---------------------------------------------------------------------------- */

static void reload(watching *w)
{
    fer_reloaded done;
    fer_err err = {0};
    fer_arena *a = fer_arena_new(0);
    if (!a) return;
    if (fer_station_reload(w->station, a, &done, &err))
        tell(w, "the configuration stays as it was: %.120s", err.message);
    else if (!done.count) tell(w, "the configuration was read again; nothing in it has changed");
    for (size_t i = 0; i < done.count; i++) {
        const fer_config_change *c = &done.changes[i];
        tell(w, "%s%s%.*s: %s", fer_config_part_names[c->part], c->name.len ? " " : "",
             FER_PRI(c->name),
             !c->before ? "new"
             : c->after ? "changed"
                        : "gone");
    }
    fer_station_begin_asking(w->station);
    fer_arena_free(a);
    show(w);
}

static void on_file(uv_fs_poll_t *handle, int status, const uv_stat_t *before,
                    const uv_stat_t *after)
{
    (void)status, (void)before, (void)after; /* one that is gone is told by the reload */
    reload(handle->data);
}

static void on_hangup(uv_signal_t *handle, int number)
{
    (void)number;
    reload(handle->data);
}

static void on_end(uv_signal_t *handle, int number)
{
    watching *w = handle->data;
    (void)number;
    w->station->interrupted = true;
}

static void on_tick(uv_timer_t *handle)
{
    watching *w = handle->data;
    if (++w->ticks % FER_WATCH_AGAIN == 0) fer_station_ask_again(w->station);
    show(w);
}

static bool start(watching *w, uv_loop_t *loop)
{
    w->file.data = w->tick.data = w->hangup.data = w->end.data = w;
    uv_fs_poll_init(loop, &w->file);
    uv_timer_init(loop, &w->tick);
    uv_signal_init(loop, &w->hangup);
    uv_signal_init(loop, &w->end);
    if (uv_timer_start(&w->tick, on_tick, 0, FER_WATCH_EVERY_MS) ||
        uv_signal_start(&w->hangup, on_hangup, SIGHUP) || uv_signal_start(&w->end, on_end, SIGTERM))
        return false;
    return !w->station->config.file.len ||
           !uv_fs_poll_start(&w->file, on_file, w->station->config.file.ptr, FER_WATCH_EVERY_MS);
}

static void stop(watching *w, uv_loop_t *loop)
{
    uv_close((uv_handle_t *)&w->file, NULL);
    uv_close((uv_handle_t *)&w->tick, NULL);
    uv_close((uv_handle_t *)&w->hangup, NULL);
    uv_close((uv_handle_t *)&w->end, NULL);
    /* Until all four are closed; a look at the file may be under way. */
    for (int i = 0; i < 4; i++) uv_run(loop, UV_RUN_NOWAIT);
    uv_run(loop, UV_RUN_NOWAIT);
}

int fer_servers_watch(fer_station *s, const fer_watch_look *look)
{
    watching *w = fer_arena_alloc_zero(s->arena, 1, sizeof *w);
    uv_loop_t *loop = fer_gateway_loop(s->gateway);
    uint64_t number = 0;
    fer_err err = {0};
    if (!w) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(fer_app_of(s), &err);
    }
    w->station = s;
    w->look = look;
    w->table = fer_app_of(s)->out.terminal && !fer_app_option(fer_app_of(s), "json");
    bool heard = !fer_catalog_subscribe(s->catalog, on_event, w, &number, &err);
    bool started = start(w, loop);
    if (started) {
        fer_station_begin_asking(s);
        while (!s->interrupted && !fer_app_of(s)->out.failed) uv_run(loop, UV_RUN_ONCE);
    }
    if (heard) fer_catalog_unsubscribe(s->catalog, number);
    stop(w, loop);
    fer_arena_free(w->arena);
    return started ? FER_EXIT_OK : fer_app_usage(fer_app_of(s), "files cannot be watched here");
}
