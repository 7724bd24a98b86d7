/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joining: connect; else, one at a time (the lock `turn`), connect again, start a gateway, and
 * connect until it listens. A gateway that finds another at its place ends well, and whoever
 * started it goes on connecting; one that fails says why in its log.
 */
#include "attach_join.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <uv.h>

#include "clock.h"
#include "errors.h"
#include "file.h"
#include "serve_local.h"
#include "sys.h"

#define LOOK_MS   10 /* between two looks */
#define ARGS_MAX  600
#define LOG_SHOWN 400 /* bytes of the log of a gateway that failed */

typedef struct joining {
    fer_app *app;
    const fer_attach *at;
    int64_t deadline;
    uv_loop_t loop;
    uv_process_t process;
    bool runs; /* what was started has not ended */
    int64_t status;
} joining;

static void on_exited(uv_process_t *process, int64_t status, int signal)
{
    joining *j = process->data;
    j->runs = false;
    j->status = signal ? 128 + signal : status;
    uv_close((uv_handle_t *)process, NULL);
}

/* ---- starting it -------------------------------------------------------------------------------
 */

typedef struct words {
    char *list[ARGS_MAX + 1];
    size_t count;
} words;

/* libuv wants them to be changeable, and changes none. */
static void add_word(words *w, const char *word)
{
    if (w->count < ARGS_MAX) w->list[w->count++] = (char *)(uintptr_t)word;
}

static void add_option(words *w, const char *option, const char *value)
{
    if (!value) return;
    add_word(w, option);
    add_word(w, value);
}

/* The command line of the gateway: what makes it the one that is looked for. */
static void write_args(const joining *j, const char *self, words *w)
{
    const char *from = fer_app_option(j->app, "from"), *value;
    add_word(w, self);
    add_word(w, "serve");
    add_word(w, "--daemon");
    add_option(w, "--from", from);
    if (!from) add_option(w, "--config", j->at->config);
    add_option(w, "--mode", fer_app_option(j->app, "mode"));
    add_option(w, "--idle", fer_app_option(j->app, "idle"));
    for (size_t i = 0; (value = fer_app_values(j->app, "expose", i)); i++)
        add_option(w, "--expose", value);
}

/* In a session of its own, so that it outlives whoever started it. */
static fer_code start(joining *j, fer_err *err)
{
    char self[PATH_MAX];
    words w = {0};
    int log = fer_sys_open(j->at->log,
                           O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (log < 0) return fer_fail(err, FER_IO_ERROR, "%s: %s", j->at->log, strerror(errno));
    uv_stdio_container_t io[3] = {
        {.flags = UV_IGNORE}, {.flags = UV_IGNORE}, {.flags = UV_INHERIT_FD}};
    io[2].data.fd = log;
    int bad = fer_sys_realpath("/proc/self/exe", self) ? 0 : UV_ENOENT;
    write_args(j, self, &w);
    uv_process_options_t o = {.exit_cb = on_exited,
                              .file = self,
                              .args = w.list,
                              .flags = UV_PROCESS_DETACHED,
                              .stdio_count = 3,
                              .stdio = io};
    if (!bad) {
        j->process.data = j;
        bad = uv_spawn(&j->loop, &j->process, &o);
        if (bad) uv_close((uv_handle_t *)&j->process, NULL);
    }
    fer_sys_close(log);
    if (bad)
        return fer_fail(err, FER_IO_ERROR, "no gateway could be started: %s", uv_strerror(bad));
    j->runs = true;
    j->status = -1;
    return FER_OK;
}

/* The last line of its log, which says why it ended. */
static fer_code it_failed(const joining *j, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = FER_STR("");
    if (a) (void)fer_file_read(a, j->at->log, (size_t)1 << 20, &text, NULL);
    while (text.len && text.ptr[text.len - 1] == '\n') text.len--;
    size_t from = text.len;
    while (from > 0 && text.ptr[from - 1] != '\n') from--;
    fer_str last = fer_str_head(fer_str_slice(text, from, text.len), LOG_SHOWN);
    fer_fail(err, FER_BACKEND_UNAVAILABLE, "the gateway ended with exit code %d: %.*s (%s)",
             (int)j->status, FER_PRI(last), j->at->log);
    fer_arena_free(a);
    return FER_BACKEND_UNAVAILABLE;
}

/* ---- waiting -----------------------------------------------------------------------------------
 */

static bool is_late(const joining *j)
{
    return fer_clock_mono() >= j->deadline;
}

static void pause_a_moment(joining *j)
{
    uv_run(&j->loop, UV_RUN_NOWAIT);
    uv_sleep(LOOK_MS);
}

/* Whose turn it is to start one; -1: others had it all the time. */
static int take_turn(joining *j)
{
    int fd = fer_sys_open(j->at->turn, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (fd >= 0 && fer_sys_flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK || is_late(j)) {
            fer_sys_close(fd);
            return -1;
        }
        pause_a_moment(j);
    }
    return fd;
}

static int start_and_join(joining *j, fer_err *err)
{
    fer_code code = FER_OK;
    int fd = fer_local_connect(j->at->path);
    while (fd < 0 && !code && !is_late(j)) {
        if (!j->runs && j->status > 0) code = it_failed(j, err);
        else if (!j->runs) code = start(j, err);
        pause_a_moment(j);
        if (!code) fd = fer_local_connect(j->at->path);
    }
    if (fd < 0 && !code)
        fer_fail(err, FER_BACKEND_UNAVAILABLE, "no gateway came up within %d ms (%s)",
                 FER_ATTACH_START_MS, j->at->log);
    return fd;
}

int fer_attach_join(fer_app *app, const fer_attach *at, bool may_start, fer_err *err)
{
    joining j = {.app = app, .at = at};
    int fd = fer_local_connect(at->path);
    if (fd >= 0) return fd;
    if (!may_start) {
        fer_fail(err, FER_BACKEND_UNAVAILABLE, "no gateway runs for this configuration");
        return -1;
    }
    if (uv_loop_init(&j.loop)) {
        fer_fail(err, FER_IO_ERROR, "the system has no loop for us");
        return -1;
    }
    j.deadline = fer_clock_mono() + FER_ATTACH_START_MS * INT64_C(1000000);
    int turn = take_turn(&j);
    if (turn >= 0) {
        fd = start_and_join(&j, err);
        fer_sys_close(turn);
    } else {
        fer_fail(err, FER_BACKEND_UNAVAILABLE, "others were starting a gateway all the time (%s)",
                 at->turn);
    }
    if (j.runs) {
        uv_close((uv_handle_t *)&j.process, NULL); /* it goes on without us */
        j.runs = false;
    }
    uv_run(&j.loop, UV_RUN_NOWAIT);
    uv_loop_close(&j.loop);
    return fd;
}
