/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An API of containers that is slow, at the edges of what is waited for: for an answer to a run
 * (container.wait) and to who looks for what was left (container.sweep), and of what a container
 * does not read (container.waiting).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "docker_attach.h"
#include "errors.h"
#include "rows.h"
#include "rt_container.h"

#define MS   INT64_C(1000000)
#define WAIT 300 /* milliseconds, in place of 30 s and 5 s */

/* ---- an API that takes requests and answers none ------------------------------------------------
 */

typedef struct rig {
    uv_loop_t loop;
    char folder[48], path[64];
    int listener;
    bool done;
    fer_code code;
    char why[256];
} rig;

static void open_rig(rig *r)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    *r = (rig){.folder = "/tmp/ferrule-containers-XXXXXX"};
    assert_non_null(mkdtemp(r->folder));
    snprintf(r->path, sizeof r->path, "%s/api", r->folder);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", r->path);
    r->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(r->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(r->listener, 16), 0); /* who connects waits in the kernel */
    assert_int_equal(uv_loop_init(&r->loop), 0);
}

static void close_rig(rig *r)
{
    char command[96];
    while (uv_run(&r->loop, UV_RUN_NOWAIT)) {
    }
    assert_int_equal(uv_loop_close(&r->loop), 0);
    close(r->listener);
    snprintf(command, sizeof command, "rm -r %s", r->folder);
    assert_int_equal(system(command), 0);
}

static void on_tick(uv_timer_t *t)
{
    (void)t;
}

static void until_done(rig *r, int64_t ms)
{
    int64_t end = fer_clock_mono() + ms * MS;
    uv_timer_t tick;
    uv_timer_init(&r->loop, &tick);
    uv_timer_start(&tick, on_tick, 5, 5);
    while (!r->done && fer_clock_mono() < end) uv_run(&r->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&r->loop, UV_RUN_NOWAIT);
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

static void on_end(fer_job *j, const fer_job_end *e)
{
    rig *r = j->owner;
    assert_false(r->done);
    r->done = true;
    r->code = e->code;
    snprintf(r->why, sizeof r->why, "%.*s", FER_PRI(e->message));
}
static void on_line(fer_job *j, fer_str line)
{
    (void)j, (void)line;
}
static void on_print(fer_job *j, fer_printed which, fer_str bytes)
{
    (void)j, (void)which, (void)bytes;
}

static bool stopped;
static void on_stopped(fer_runtime *rt)
{
    (void)rt;
    stopped = true;
}

/* The end waits for the sweep that is under way, and for the removal of nothing. */
static int64_t stop(rig *r, fer_runtime *rt)
{
    int64_t began = fer_clock_mono();
    stopped = false;
    rt->kind->stop(rt, on_stopped);
    while (!stopped) uv_run(&r->loop, UV_RUN_ONCE);
    rt->kind->free(rt);
    return (fer_clock_mono() - began) / MS;
}

static fer_runtime *make(const rig *r, uv_loop_t *loop, int64_t wait, int64_t sweep)
{
    static const fer_str command[] = {{"sh", 2}, {"-c", 2}};
    fer_runtime *rt = fer_container_runtime(loop, FER_STR("c"),
                                            &(fer_container_settings){.socket = fer_str_of(r->path),
                                                                      .image = FER_STR("i"),
                                                                      .command = command,
                                                                      .command_count = 2,
                                                                      .sweep = true,
                                                                      .wait_ms = wait,
                                                                      .sweep_ms = sweep});
    assert_non_null(rt);
    return rt;
}

/* container.wait: a run whose container nobody makes ends after that time, and not before. */
static void a_run(void)
{
    static const fer_job_events events = {.line = on_line, .print = on_print, .end = on_end};
    rig r;
    fer_arena *a = fer_arena_new(0);
    open_rig(&r);
    fer_runtime *rt = make(&r, &r.loop, WAIT, 50);
    fer_job j = {.arena = a, .events = &events, .owner = &r, .code = FER_STR("true")};
    int64_t began = fer_clock_mono();
    rt->kind->run(rt, &j);
    until_done(&r, 20000);
    int64_t took = (fer_clock_mono() - began) / MS;
    assert_true(r.done);
    assert_int_equal(r.code, FER_TIMEOUT);
    assert_non_null(strstr(r.why, "make a container"));
    if (took < WAIT) fail_msg("after %lld ms", (long long)took);
    stop(&r, rt);
    close_rig(&r);
    fer_arena_free(a);
}

/* container.sweep: who ends waits so long for what is looked for, and no longer. */
static void a_sweep(void)
{
    rig r;
    open_rig(&r);
    fer_runtime *rt = make(&r, &r.loop, 20000, WAIT);
    int64_t began = fer_clock_mono();
    rt->kind->begin(rt);
    stop(&r, rt);
    int64_t took = (fer_clock_mono() - began) / MS;
    if (took < WAIT || took > 10000) fail_msg("after %lld ms", (long long)took);
    close_rig(&r);
}

/* ---- what a container does not read -------------------------------------------------------------
 */

static void on_ready(void *context)
{
    ((rig *)context)->done = true;
}
static void on_refused(void *context, unsigned status, fer_str body)
{
    (void)context, (void)body;
    fail_msg("status %u", status);
}
static void on_output(void *context, fer_mux_stream stream, fer_str bytes)
{
    (void)context, (void)stream, (void)bytes;
}
static void on_attach_end(void *context, fer_code code, const char *why)
{
    rig *r = context;
    r->done = true;
    r->code = code;
    snprintf(r->why, sizeof r->why, "%s", why);
}

/* container.waiting: as much as waits at most may wait; a byte more is the end. What the kernel has
 * taken does not wait. */
static void what_waits(void)
{
    static const fer_attach_events events = {on_ready, on_refused, on_output, on_attach_end};
    static const char agreed[] =
        "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
    static char line[FER_ATTACH_WAITING];
    memset(line, 'x', sizeof line);
    for (int more = 0; more < 2; more++) {
        rig r;
        fer_attach *t;
        open_rig(&r);
        assert_int_equal(
            fer_attach_open(&r.loop, r.path, FER_STR("/attach"), &events, &r, &t, NULL), FER_OK);
        uv_run(&r.loop, UV_RUN_NOWAIT);
        int fd = accept(r.listener, NULL, NULL);
        assert_true(fd >= 0);
        assert_int_equal(send(fd, agreed, sizeof agreed - 1, MSG_NOSIGNAL), sizeof agreed - 1);
        until_done(&r, 20000);
        assert_true(r.done);
        r.done = false;
        /* One that is written in part waits whole: all of the room but for a byte is taken. */
        fer_attach_say(t, (fer_str){line, FER_ATTACH_WAITING - 2});
        assert_false(r.done);
        fer_attach_say(t, (fer_str){line, (size_t)more}); /* and the end of the line */
        assert_int_equal(r.done, more == 1);
        if (more) assert_int_equal(r.code, FER_LIMIT_EXCEEDED);
        fer_attach_close(t);
        close(fd);
        close_rig(&r);
    }
}

int main(void)
{
    return ROWS_ONE("container", a_run) + ROWS_ONE("container", a_sweep) +
           ROWS_ONE("container", what_waits);
}
