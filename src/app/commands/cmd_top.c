/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule top: a live view of a gateway. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "admin_client.h"
#include "command_station.h"
#include "errors.h"
#include "top_view.h"

#define EVERY_S     1
#define EVERY_S_MAX 3600
#define WIDTH       120 /* of lines that go to no terminal */

/* One look at the gateway: three pages of one moment, nearly. */
typedef struct look {
    fer_arena *arena;
    fer_json *state, *backends, *recent;
} look;

typedef struct top {
    fer_app *app;
    fer_admin_client client;
    look now;
    fer_top_scene scene;
    char trouble[256];
    uv_loop_t loop;
    uv_tty_t in, screen;
    uv_timer_t timer;
    uv_signal_t resized, ended, interrupted;
    char keys[64]; /* of one read */
    bool over;
} top;

/* ---- looking ----------------------------------------------------------------------------------
 */

static fer_code look_at(top *t, look *out, fer_err *err)
{
    *out = (look){.arena = fer_arena_new(0)};
    if (!out->arena) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_admin_client_get(&t->client, out->arena, "state", &out->state, err);
    if (!code) code = fer_admin_client_get(&t->client, out->arena, "backends", &out->backends, err);
    if (!code) code = fer_admin_client_get(&t->client, out->arena, "recent", &out->recent, err);
    if (code) fer_arena_free(out->arena);
    return code;
}

/* What was seen last stays while the gateway is away. */
static fer_code refresh(top *t, fer_err *err)
{
    look next;
    fer_code code = look_at(t, &next, err);
    t->trouble[0] = '\0';
    if (code) {
        snprintf(t->trouble, sizeof t->trouble, "%s: %.200s", fer_code_info(code)->name,
                 err->message);
        return code;
    }
    fer_arena_free(t->now.arena);
    t->now = next;
    t->scene.state = fer_json_root(next.state);
    t->scene.backends = fer_json_root(next.backends);
    t->scene.recent = fer_json_root(next.recent);
    return FER_OK;
}

/* ---- once -------------------------------------------------------------------------------------
 */

static int print_json(top *t)
{
    const fer_json *docs[] = {t->now.state, t->now.backends, t->now.recent};
    static const char *const names[] = {"{\"state\":", ",\"backends\":", ",\"recent\":"};
    fer_str text;
    fer_err err = {0};
    for (size_t i = 0; i < FER_COUNT(docs); i++) {
        if (fer_json_write(t->now.arena, fer_json_root(docs[i]), false, &text, &err))
            return fer_app_fail(t->app, &err);
        fer_out_text(&t->app->out, names[i]);
        fer_out_add(&t->app->out, text);
    }
    fer_out_text(&t->app->out, "}\n");
    return 0;
}

static int print_once(top *t)
{
    fer_err err = {0};
    if (refresh(t, &err)) return fer_app_fail(t->app, &err);
    if (fer_app_option(t->app, "json")) return print_json(t);
    fer_top_draw(&t->app->out, &t->scene);
    return 0;
}

/* ---- live -------------------------------------------------------------------------------------
 */

static void draw(top *t)
{
    int width = 80, height = 24;
    size_t count = fer_top_count(&t->scene);
    uv_tty_get_winsize(&t->screen, &width, &height);
    t->scene.width = width > 0 ? (unsigned)width : 80;
    t->scene.height = height > 0 ? (unsigned)height : 24;
    t->scene.trouble = t->trouble;
    if (count && t->scene.chosen != SIZE_MAX && t->scene.chosen >= count)
        t->scene.chosen = count - 1;
    fer_top_draw(&t->app->out, &t->scene);
    fer_out_flush(&t->app->out);
}

static void on_tick(uv_timer_t *timer)
{
    top *t = timer->data;
    fer_err err;
    if (t->scene.paused) return;
    refresh(t, &err);
    draw(t);
}

static void on_signal(uv_signal_t *handle, int number)
{
    top *t = handle->data;
    if (number != SIGWINCH) t->over = true;
    else draw(t);
}

static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
    top *t = handle->data;
    (void)wanted;
    *out = uv_buf_init(t->keys, sizeof t->keys);
}

static void choose(top *t, int step)
{
    size_t count = fer_top_count(&t->scene), *at = &t->scene.chosen;
    if (!count) return;
    if (*at == SIZE_MAX) *at = 0;
    else if (step > 0 && *at + 1 < count) ++*at;
    else if (step < 0 && *at) --*at;
}

static void on_key(top *t, char key)
{
    switch (key) {
    case 'q':
    case 3: t->over = true; break; /* Ctrl-C */
    case 'p':
    case ' ': t->scene.paused = !t->scene.paused; break;
    case 's': t->scene.sort = (fer_top_sort)((t->scene.sort + 1) % FER_TOP_SORTS); break;
    case 'j': choose(t, 1); break;
    case 'k': choose(t, -1); break;
    case '\r':
    case '\n':
        if (t->scene.chosen == SIZE_MAX) t->scene.chosen = 0;
        t->scene.only = !t->scene.only;
        break;
    case 'r': {
        fer_err err;
        refresh(t, &err);
        break;
    }
    default: break;
    }
}

/* Arrows are ESC [ A and B; ESC alone goes back to all. */
static void on_keys(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    top *t = stream->data;
    if (n < 0) t->over = true;
    for (ssize_t i = 0; i < n; i++) {
        if (buf->base[i] == '\033' && i + 2 < n && buf->base[i + 1] == '[') {
            if (buf->base[i + 2] == 'A') choose(t, -1);
            if (buf->base[i + 2] == 'B') choose(t, 1);
            i += 2;
        } else if (buf->base[i] == '\033') {
            t->scene.only = false;
        } else {
            on_key(t, buf->base[i]);
        }
    }
    if (!t->over && n > 0) draw(t);
}

static void begin_signal(top *t, uv_signal_t *s, int number)
{
    uv_signal_init(&t->loop, s);
    s->data = t;
    uv_signal_start(s, on_signal, number);
}

static int begin_live(top *t, uint64_t every_ms)
{
    fer_err err = {0};
    int bad = uv_loop_init(&t->loop);
    if (!bad) bad = uv_tty_init(&t->loop, &t->in, STDIN_FILENO, 1);
    if (!bad) bad = uv_tty_init(&t->loop, &t->screen, STDOUT_FILENO, 0);
    if (!bad) bad = uv_tty_set_mode(&t->in, UV_TTY_MODE_RAW);
    if (bad) {
        fer_fail(&err, FER_IO_ERROR, "the terminal cannot be used: %s", uv_strerror(bad));
        return fer_app_fail(t->app, &err);
    }
    t->in.data = t->screen.data = t;
    uv_read_start((uv_stream_t *)&t->in, on_room, on_keys);
    begin_signal(t, &t->resized, SIGWINCH);
    begin_signal(t, &t->ended, SIGTERM);
    begin_signal(t, &t->interrupted, SIGINT);
    uv_timer_init(&t->loop, &t->timer);
    t->timer.data = t;
    uv_timer_start(&t->timer, on_tick, every_ms, every_ms);
    return 0;
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static int run_live(top *t, uint64_t every_ms)
{
    fer_err err = {0};
    if (refresh(t, &err)) return fer_app_fail(t->app, &err);
    int bad = begin_live(t, every_ms);
    if (bad) return bad;
    t->scene.live = true;
    fer_out_text(&t->app->out, "\033[?1049h\033[?25l\033[2J"); /* another screen, no cursor */
    draw(t);
    while (!t->over) uv_run(&t->loop, UV_RUN_ONCE);
    fer_out_text(&t->app->out, "\033[?25h\033[?1049l");
    fer_out_flush(&t->app->out);
    uv_tty_reset_mode();
    uv_walk(&t->loop, close_handle, NULL);
    uv_run(&t->loop, UV_RUN_DEFAULT);
    uv_loop_close(&t->loop);
    return 0;
}

/* ---- all --------------------------------------------------------------------------------------
 */

static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (!value || !value[0]) continue;
        return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return false;
}

int fer_run_top(fer_app *app)
{
    top t = {.app = app};
    int64_t every;
    bool once = fer_app_option(app, "once") || fer_app_option(app, "json") || !app->out.terminal ||
                !isatty(STDIN_FILENO);
    t.scene = (fer_top_scene){
        .sort = FER_TOP_BY_CALLS, .chosen = SIZE_MAX, .width = WIDTH, .utf8 = speaks_utf8()};
    const char *sort = fer_app_option(app, "sort");
    for (int i = 0; sort && i < FER_TOP_SORTS; i++)
        if (strcmp(sort, fer_top_sort_names[i]) == 0) t.scene.sort = (fer_top_sort)i;
    int bad = fer_app_number(app, "interval", 1, EVERY_S_MAX, EVERY_S, &every);
    if (bad) return bad;
    bad = fer_admin_client_open(&t.client, app);
    if (!bad) bad = once ? print_once(&t) : run_live(&t, (uint64_t)every * 1000);
    fer_arena_free(t.now.arena);
    fer_admin_client_close(&t.client);
    return bad;
}
