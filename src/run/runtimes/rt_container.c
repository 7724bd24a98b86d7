/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a run: create -> attach -> start -> lines until its output ends -> wait -> inspect ->
 * the job's end -> remove. A job that is given up goes to the last at once; where its container is
 * being created, as soon as there is one. One request to the API at a time.
 */
#include "rt_container.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "code_lines.h"
#include "code_stdio.h"
#include "container_spec.h"
#include "container_sweep.h"
#include "docker_answer.h"
#include "docker_attach.h"
#include "errors.h"
#include "http_client.h"
#include "sys.h"

#define API        "http://docker/v1.40"
#define OF_SIGNAL  128               /* an exit code: this and the signal that ended it */
#define ANSWER_MAX ((size_t)1 << 20) /* bytes of an answer of the API */
#define START_MAX  (FER_CODE_SIZE * 6 + ((size_t)64 << 10)) /* bytes of what begins a run */

static const char *const usual_sockets[] = {"/run/podman/podman.sock", "/run/docker.sock",
                                            "/var/run/docker.sock"};

typedef struct container container;
typedef struct worker worker;
/* What is done with the answer to a request; `status` 0: there was none, and `err` says why. */
typedef void answer_taker(worker *w, unsigned status, fer_str body, const fer_err *err);

/* One request to the API. Its answer is for nobody once another is asked. */
typedef struct question {
    worker *worker;
    answer_taker *take;
    unsigned status;
    fer_buf body;
} question;

struct worker {
    worker *next, **place;
    container *container;
    fer_job *job; /* NULL: its job is over */
    fer_arena *arena;
    char id[FER_CONTAINER_ID]; /* of the container; empty: there is none yet */
    fer_attach *attach;
    fer_stdio_split output;
    bool warned; /* the API says that it does not hold every limit */
    int exit_code;
    unsigned refusals; /* of the API to remove it, as one that is just ending */
    question *current;
    bool sweeps;   /* it has no job: it removes what others left */
    fer_str *left; /* IDs of containers that are to be removed, of a sweep */
    size_t left_count;
    unsigned pending; /* questions without an answer, and callbacks that are running */
    bool over;        /* it is freed when there are none */
};

struct container {
    fer_runtime runtime;
    fer_arena *arena;
    fer_container_settings settings;
    const char *socket; /* NULL: there is none */
    fer_str mark;       /* by which its containers say whose they are; or empty */
    bool swept;         /* what others left was looked for, or is being */
    bool said_unswept;  /* that it could not be was told */
    fer_http *http;
    worker *workers; /* all whose container is not removed */
    bool stopping, stopped;
};

static void drop_if_over(worker *w);
static void forget(worker *w);
static void remove_container(worker *w);

/* ---- the API -------------------------------------------------------------------------------- */

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    question *q = context;
    (void)call;
    q->status = head->status;
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    question *q = context;
    (void)call;
    fer_buf_add(&q->body, piece);
}

static void on_answer(void *context, const fer_http_end *end)
{
    question *q = context;
    worker *w = q->worker;
    w->pending--;
    if (q != w->current) drop_if_over(w);
    else if (end->fault) q->take(w, 0, FER_STR(""), end->err);
    else q->take(w, q->status, fer_buf_view(&q->body), NULL);
}

/* The end of the runtime waits for the request of a sweep that is under way, and so does a command
 * that has run its program: not for long. */
static int64_t wait_ms(const worker *w)
{
    return w->sweeps ? w->container->settings.sweep_ms : w->container->settings.wait_ms;
}

static size_t answer_max(const worker *w)
{
    return w->sweeps ? FER_SWEEP_LIST : ANSWER_MAX;
}

static void ask(worker *w, const char *method, fer_str path, fer_str body, answer_taker *take)
{
    static const fer_http_field json[] = {{{"Content-Type", 12}, {"application/json", 16}}};
    question *q = fer_arena_alloc_zero(w->arena, 1, sizeof *q);
    const fer_http_events events = {on_head, on_body, on_answer, q};
    fer_http_request request = {.method = fer_str_of(method),
                                .url = fer_arena_printf(w->arena, API "%.*s", FER_PRI(path)),
                                .fields = json,
                                .field_count = body.ptr ? 1 : 0,
                                .body = body,
                                .deadline_ns = fer_clock_mono() + wait_ms(w) * 1000000,
                                .body_max = answer_max(w)};
    fer_err err = {0};
    fer_code code = FER_OK;
    w->current = q;
    if (!q || !request.url.ptr) code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) {
        *q = (question){.worker = w, .take = take};
        fer_buf_init(&q->body, w->arena, answer_max(w));
        code = fer_http_start(w->container->http, &request, &events, NULL, &err);
    }
    if (code) take(w, 0, FER_STR(""), &err);
    else w->pending++;
}

static fer_str of_container(worker *w, const char *verb)
{
    return fer_arena_printf(w->arena, "/containers/%s%s", w->id, verb);
}

/* The answer as JSON; NULL: it is none. */
static const yyjson_val *tree_of(worker *w, fer_str body)
{
    fer_json *doc;
    if (fer_json_read(w->arena, body, NULL, &doc, NULL)) return NULL;
    return fer_json_root(doc);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void on_removed(worker *w, unsigned status, fer_str body, const fer_err *err)
{
    bool gone = status == 204 || status == 200 || status == 404;
    bool again = status || err->code == FER_OUT_OF_MEMORY; /* else nobody is there to be asked */
    (void)body;
    if (gone || !again || ++w->refusals == FER_CONTAINER_REMOVES) forget(w);
    else remove_container(w);
}

static void remove_container(worker *w)
{
    if (w->attach) fer_attach_close(w->attach);
    w->attach = NULL;
    if (!w->id[0]) forget(w);
    else ask(w, "DELETE", of_container(w, "?force=true&v=true"), FER_STR_NONE, on_removed);
}

static void finish(worker *w, const fer_job_end *e)
{
    fer_job *j = w->job;
    w->job = NULL;
    if (j) fer_job_finish(j, e);
    remove_container(w);
}

static void give_up(worker *w, fer_code code, const char *what, unsigned status, fer_str body,
                    const fer_err *err)
{
    fer_job *j = w->job;
    fer_str said = status ? fer_answer_text(tree_of(w, body), "message") : FER_STR("");
    w->job = NULL;
    if (j && !status) fer_job_fail(j, err->code, "cannot %s: %s", what, err->message);
    else if (j)
        fer_job_fail(j, code, "cannot %s: the container API answers %u%s%.*s", what, status,
                     said.len ? ": " : "", FER_PRI(fer_str_head(said, 500)));
    remove_container(w);
}

/* How it ended, by what the API knows. */
static void on_inspected(worker *w, unsigned status, fer_str body, const fer_err *err)
{
    char text[128];
    const yyjson_val *tree = status == 200 ? tree_of(w, body) : NULL;
    const yyjson_val *state = fer_is_obj(tree) ? fer_val_get(tree, "State") : NULL;
    bool killed = fer_is_obj(state) && fer_is_true(fer_val_get(state, "OOMKilled"));
    fer_job_end e = {.hit = FER_BOUNDS, .exit_code = w->exit_code};
    (void)err;
    if (killed) {
        e.code = FER_RESOURCE_LIMIT;
        e.hit = FER_BOUND_MEMORY;
        e.message = FER_STR("the program was ended: it used more memory than it may");
    } else if (w->exit_code == OF_SIGNAL + SIGXCPU) {
        e.code = FER_RESOURCE_LIMIT;
        e.hit = FER_BOUND_CPU;
        e.signal = SIGXCPU;
        e.message = FER_STR("the program was ended: it used its CPU time up");
    } else if (w->exit_code == OF_SIGNAL + SIGKILL) { /* which of them, not every API knows */
        e.code = FER_RESOURCE_LIMIT;
        e.signal = SIGKILL;
        e.message = FER_STR("the program was killed: it used more memory or CPU time than it may");
    } else if (w->exit_code) {
        e.code = FER_TOOL_FAILED;
        snprintf(text, sizeof text, "the program ended with exit code %d", w->exit_code);
        e.message = fer_arena_copy(w->arena, fer_str_of(text));
    }
    if (w->job && e.message.ptr) e.message = fer_arena_copy(w->job->arena, e.message);
    finish(w, &e);
}

static void on_waited(worker *w, unsigned status, fer_str body, const fer_err *err)
{
    const yyjson_val *tree = status == 200 ? tree_of(w, body) : NULL;
    const yyjson_val *code = fer_is_obj(tree) ? fer_val_get(tree, "StatusCode") : NULL;
    if (!code) {
        give_up(w, FER_BACKEND_CRASHED, "learn how the container ended", status, body, err);
        return;
    }
    w->exit_code = (int)yyjson_get_sint((yyjson_val *)(uintptr_t)code);
    ask(w, "GET", of_container(w, "/json"), FER_STR_NONE, on_inspected);
}

/* ---- what it says --------------------------------------------------------------------------- */

static void on_line(void *context, fer_str line)
{
    worker *w = context;
    if (w->job) w->job->events->line(w->job, line);
}

static void on_print(void *context, fer_str bytes)
{
    worker *w = context;
    if (w->job) w->job->events->print(w->job, FER_PRINTED_OUT, bytes);
}

static void on_output(void *context, fer_mux_stream stream, fer_str bytes)
{
    worker *w = context;
    const fer_stdio_taker take = {on_line, on_print, w};
    if (!w->job) return;
    w->pending++; /* it stays until this returns */
    if (stream == FER_MUX_ERR) w->job->events->print(w->job, FER_PRINTED_ERR, bytes);
    else if (fer_stdio_feed(&w->output, bytes, &take) && w->job)
        give_up(w, FER_OUT_OF_MEMORY, "hold what the container says", 0, FER_STR(""),
                &(fer_err){.code = FER_OUT_OF_MEMORY, .message = "out of memory"});
    w->pending--;
    drop_if_over(w);
}

static void end_output(worker *w, fer_code code, const char *why)
{
    fer_err err = {.code = code};
    fer_stdio_end(&w->output, &(fer_stdio_taker){on_line, on_print, w});
    if (!w->job) return;
    if (!code) {
        ask(w, "POST", of_container(w, "/wait"), FER_STR_NONE, on_waited);
        return;
    }
    snprintf(err.message, sizeof err.message, "%s", why);
    give_up(w, code, "talk to the container", 0, FER_STR(""), &err);
}

static void on_output_end(void *context, fer_code code, const char *why)
{
    worker *w = context;
    if (!w->job) return;
    w->pending++; /* as above */
    end_output(w, code, why);
    w->pending--;
    drop_if_over(w);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static void on_started(worker *w, unsigned status, fer_str body, const fer_err *err)
{
    fer_buf b;
    fer_err why = {0};
    if (status != 204 && status != 304) {
        give_up(w, FER_BACKEND_UNAVAILABLE, "start a container", status, body, err);
        return;
    }
    if (!w->job || !w->container->settings.python) return;
    fer_buf_init(&b, w->arena, START_MAX);
    fer_code_start(&b, w->job);
    if (fer_buf_code(&b, &why)) give_up(w, why.code, "begin the program", 0, FER_STR(""), &why);
    else if (w->attach) fer_attach_say(w->attach, fer_buf_view(&b));
}

static void on_attached(void *context)
{
    worker *w = context;
    if (w->job) ask(w, "POST", of_container(w, "/start"), FER_STR_NONE, on_started);
}

static void on_refused(void *context, unsigned status, fer_str body)
{
    static const fer_err none = {.code = FER_BACKEND_UNAVAILABLE,
                                 .message = "the container API answers no HTTP"};
    worker *w = context;
    if (w->job) give_up(w, FER_BACKEND_UNAVAILABLE, "attach to the container", status, body, &none);
}

static const fer_attach_events attach_events = {on_attached, on_refused, on_output, on_output_end};

static void on_created(worker *w, unsigned status, fer_str body, const fer_err *err)
{
    const yyjson_val *tree = status == 201 ? tree_of(w, body) : NULL;
    fer_str id = fer_answer_text(tree, "Id");
    fer_err why = {0};
    if (!id.len || id.len >= FER_CONTAINER_ID) {
        give_up(w, FER_BACKEND_UNAVAILABLE, "make a container", status, body, err);
        return;
    }
    memcpy(w->id, id.ptr, id.len);
    const yyjson_val *warnings = fer_val_get(tree, "Warnings");
    w->warned = fer_is_arr(warnings) && fer_val_len(warnings) > 0;
    if (!w->job) {
        remove_container(w); /* it was given up meanwhile */
        return;
    }
    fer_str target = fer_arena_printf(
        w->arena, "/v1.40/containers/%s/attach?stream=1&stdin=1&stdout=1&stderr=1", w->id);
    fer_code code = fer_attach_open(w->container->runtime.loop, w->container->socket, target,
                                    &attach_events, w, &w->attach, &why);
    if (code) give_up(w, code, "attach to the container", 0, FER_STR(""), &why);
}

static fer_code refuse(const container *r, const fer_job *j, fer_err *err)
{
    bool python = r->settings.python;
    fer_code code = fer_job_fits(j, python ? "code.size" : "container.code",
                                 python ? FER_CODE_SIZE : FER_CONTAINER_CODE, err);
    if (!code && !python) code = fer_job_no_check(j, err);
    if (code) return code;
    return r->runtime.kind->probe((fer_runtime *)(uintptr_t)&r->runtime, err);
}

static worker *new_worker(container *r, fer_job *j)
{
    fer_arena *a = fer_arena_new(j ? START_MAX * 4 : FER_SWEEP_MEMORY);
    worker *w = a ? fer_arena_alloc_zero(a, 1, sizeof *w) : NULL;
    if (!w) {
        fer_arena_free(a);
        return NULL;
    }
    *w = (worker){.next = r->workers, .place = &r->workers, .container = r, .job = j, .arena = a};
    if (w->next) w->next->place = &w->next;
    r->workers = w;
    fer_stdio_init(&w->output);
    return w;
}

/* ---- what others left ----------------------------------------------------------------------- */

/* Removes the next one, until none is left, nobody answers or the runtime stops: then the rest is
 * for the next gateway. */
static void sweep_on(worker *w, unsigned status, fer_str body, const fer_err *err)
{
    container *r = w->container;
    (void)body;
    (void)err;
    if (!status) r->swept = false;
    if (!status || !w->left_count || r->stopping) {
        forget(w);
        return;
    }
    fer_str id = w->left[--w->left_count];
    ask(w, "DELETE", fer_arena_printf(w->arena, "/containers/%.*s?force=true&v=true", FER_PRI(id)),
        FER_STR_NONE, sweep_on);
}

static void on_listed(worker *w, unsigned status, fer_str body, const fer_err *err)
{
    container *r = w->container;
    fer_err why = {0};
    if (!status) why = *err;
    else if (status != 200)
        fer_fail(&why, FER_BACKEND_UNAVAILABLE, "the container API answers %u", status);
    else fer_sweep_find(w->arena, body, &w->left, &w->left_count, &why);
    if (why.code && !r->said_unswept) { /* once: it may be tried with every run */
        r->said_unswept = true;
        fer_sweep_log(r->settings.log, r->runtime.name, &why);
    }
    sweep_on(w, status, body, err);
}

/* Once: where the API is not there yet or does not answer, with the next run. */
static void sweep(container *r)
{
    static const char ours[] = "/containers/json?all=true&filters=%7B%22label%22%3A%5B%22ferrule%3D"
                               "code%22%5D%7D"; /* {"label":["ferrule=code"]} */
    if (r->swept || r->stopping || !r->mark.len || r->runtime.kind->probe(&r->runtime, NULL))
        return;
    worker *w = new_worker(r, NULL);
    if (!w) return;
    r->swept = w->sweeps = true;
    ask(w, "GET", fer_str_of(ours), FER_STR_NONE, on_listed);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static void begin(fer_runtime *rt)
{
    container *r = (container *)rt;
    if (r->settings.sweep) sweep(r);
}

static void run(fer_runtime *rt, fer_job *j)
{
    container *r = (container *)rt;
    fer_err err = {0};
    fer_buf spec;
    sweep(r);
    fer_code code = refuse(r, j, &err);
    worker *w = code ? NULL : new_worker(r, j);
    if (!w) {
        if (!code) code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        fer_job_fail(j, code, "%s", err.message);
        return;
    }
    j->state = w;
    fer_buf_init(&spec, w->arena, START_MAX);
    fer_container_spec_write(&spec, &r->settings, r->mark, j);
    if (fer_buf_code(&spec, &err)) give_up(w, err.code, "make a container", 0, FER_STR(""), &err);
    else ask(w, "POST", FER_STR("/containers/create"), fer_buf_view(&spec), on_created);
}

static void cancel(fer_runtime *rt, fer_job *j)
{
    worker *w = j->state;
    (void)rt;
    w->job = NULL;
    fer_job_fail(j, FER_CANCELLED, "the code was given up");
    if (w->id[0]) remove_container(w); /* else when it has been made */
}

static void say(fer_runtime *rt, fer_job *j, fer_str line)
{
    worker *w = j->state;
    (void)rt;
    if (w->attach) fer_attach_say(w->attach, line);
}

static void hold_back(fer_runtime *rt, fer_job *j, bool paused)
{
    worker *w = j->state;
    (void)rt;
    if (w->attach) fer_attach_pause(w->attach, paused);
}

/* ---- the kind ------------------------------------------------------------------------------- */

static fer_code probe(fer_runtime *rt, fer_err *err)
{
    const container *r = (const container *)rt;
    struct stat st;
    if (!r->socket)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "no API of podman or docker is at %s or %s; name its \"socket\"",
                        usual_sockets[0], usual_sockets[1]);
    if (fer_sys_stat(r->socket, &st) != 0 || !S_ISSOCK(st.st_mode))
        return fer_fail(err, FER_BACKEND_UNAVAILABLE, "no API of podman or docker is at %s",
                        r->socket);
    return FER_OK;
}

static void info(const fer_runtime *rt, fer_job *j, fer_buf *b)
{
    const container *r = (const container *)rt;
    fer_buf_add_text(b, "\"image\":");
    fer_buf_add_quoted(b, r->settings.image);
    if (!j || !j->state) return;
    const worker *w = j->state;
    if (!w->id[0]) return; /* nothing was made: nothing is held */
    j->held[FER_BOUND_DISK] = "tmpfs";
    j->held[FER_BOUND_CPU] = "rlimit, of each process";
    j->held[FER_BOUND_MEMORY] = w->warned ? NULL : "container";
    j->held[FER_BOUND_PROCESSES] = w->warned ? "rlimit" : "container";
    fer_buf_add_text(b, ",\"container\":");
    fer_buf_add_quoted(b, fer_str_of(w->id));
}

static void stop_if_done(container *r)
{
    if (!r->stopping || r->workers || r->stopped) return;
    r->stopped = true;
    fer_runtime_stopped(&r->runtime);
}

static void drop_if_over(worker *w)
{
    container *r = w->container;
    if (!w->over || w->pending) return;
    *w->place = w->next;
    if (w->next) w->next->place = w->place;
    fer_stdio_deinit(&w->output);
    fer_arena_free(w->arena);
    stop_if_done(r);
}

static void forget(worker *w)
{
    w->over = true;
    drop_if_over(w);
}

static void stop(fer_runtime *rt, void (*done)(fer_runtime *r))
{
    container *r = (container *)rt;
    rt->on_stopped = done;
    for (worker *w = r->workers, *next; w; w = next) {
        next = w->next;
        if (w->job) cancel(rt, w->job);
    }
    r->stopping = true;
    stop_if_done(r);
}

static void free_container(fer_runtime *rt)
{
    container *r = (container *)rt;
    if (r->http) fer_http_close(r->http);
    fer_arena_free(r->arena);
}

static const fer_runtime_kind kind = {.name = "container",
                                      .readiness = FER_READY_BETA,
                                      .probe = probe,
                                      .begin = begin,
                                      .run = run,
                                      .cancel = cancel,
                                      .say = say,
                                      .pause = hold_back,
                                      .info = info,
                                      .stop = stop,
                                      .free = free_container};

static const char *find_socket(fer_arena *a, fer_str named)
{
    struct stat st;
    if (named.len) return fer_arena_copy(a, named).ptr;
    for (size_t i = 0; i < FER_COUNT(usual_sockets); i++) {
        if (fer_sys_stat(usual_sockets[i], &st) == 0) return usual_sockets[i];
    }
    return NULL;
}

static bool copy_settings(container *r, const fer_container_settings *s)
{
    fer_str *command = fer_arena_alloc_zero(r->arena, s->command_count + 1, sizeof *command);
    r->settings = *s;
    r->settings.image = fer_arena_copy(r->arena, s->image);
    r->settings.command = command;
    for (size_t i = 0; command && i < s->command_count; i++) {
        command[i] = fer_arena_copy(r->arena, s->command[i]);
        if (!command[i].ptr) return false;
    }
    return command && r->settings.image.ptr;
}

fer_runtime *fer_container_runtime(uv_loop_t *loop, fer_str name, const fer_container_settings *s)
{
    fer_arena *a = fer_arena_new(0);
    container *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    fer_str own = r ? fer_arena_copy(a, name) : FER_STR_NONE;
    if (own.ptr) {
        *r = (container){.runtime = {.kind = &kind,
                                     .name = own,
                                     .language = s->python ? FER_STR("python") : FER_STR(""),
                                     .loop = loop},
                         .arena = a,
                         .mark = fer_sweep_mark(a)};
        r->socket = find_socket(a, s->socket);
        r->http =
            fer_http_new(loop, &(fer_http_options){.unix_socket = r->socket ? r->socket : ""});
    }
    if (own.ptr && r->http && copy_settings(r, s)) return &r->runtime;
    if (r && r->http) fer_http_close(r->http);
    fer_arena_free(a);
    return NULL;
}
