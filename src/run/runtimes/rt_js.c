/* SPDX-License-Identifier: Apache-2.0 */
#include "rt_js.h"

#include "code_lines.h"
#include "errors.h"
#include "js_image.h"
#include "sys.h"

#define START_MAX (FER_CODE_SIZE * 6 + 4096) /* bytes of the line that begins a run */

typedef struct js js;

/* One program, which waits for a job, has one, or is on its way out. */
typedef struct worker {
    struct worker *next, **place;
    js *js;
    fer_box *box;
    fer_job *job; /* NULL: it is warm, or its job is over */
    bool warm;
} worker;

struct js {
    fer_runtime runtime;
    fer_arena *arena;
    fer_js_settings settings;
    int image;       /* the program, as sealed memory */
    worker *workers; /* all that are not gone */
    size_t warm;     /* of them */
    fer_err trouble; /* why the last one could not run; code FER_OK: it could */
    bool stopping;
};

static void fill(js *r);

/* ---- programs ---------------------------------------------------------------------------------
 */

static void stop_if_done(js *r)
{
    if (r->stopping && !r->workers) fer_runtime_stopped(&r->runtime);
}

static void cool(worker *w)
{
    w->js->warm -= w->warm;
    w->warm = false;
}

static void on_line(fer_box *b, fer_str line)
{
    worker *w = fer_box_owner(b);
    if (w->job) w->job->events->line(w->job, line);
}

static void on_print(fer_box *b, fer_printed which, fer_str bytes)
{
    worker *w = fer_box_owner(b);
    if (w->job) w->job->events->print(w->job, which, bytes);
}

static void on_end(fer_box *b, const fer_job_end *e)
{
    worker *w = fer_box_owner(b);
    fer_job *j = w->job;
    bool warm = w->warm;
    cool(w);
    w->job = NULL;
    if (warm)
        fer_fail(&w->js->trouble, e->code ? e->code : FER_BACKEND_CRASHED, "%.*s",
                 FER_PRI(e->message));
    if (!j) return;
    fer_job_end own = *e;
    own.message = fer_arena_copy(j->arena, e->message);
    fer_job_finish(j, &own);
}

static void on_gone(fer_box *b)
{
    worker *w = fer_box_owner(b);
    js *r = w->js;
    cool(w);
    *w->place = w->next;
    if (w->next) w->next->place = w->place;
    fer_sys_free(w);
    if (!r->trouble.code) fill(r);
    stop_if_done(r);
}

static const fer_box_events events = {on_line, on_print, on_end, on_gone};

static fer_code start_worker(js *r, const int64_t bounds[FER_BOUNDS], bool warm, worker **out,
                             fer_err *err)
{
    static const char *const argv[] = {"ferrule-js", "3", "4", NULL};
    static const char *const env[] = {NULL};
    fer_box_spec spec = r->settings.box;
    worker *w = fer_sys_malloc_zero(sizeof *w);
    if (!w) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    spec.program = argv[0];
    spec.by_descriptor = true;
    spec.descriptor = r->image;
    spec.argv = argv;
    spec.env = env;
    for (int i = 0; i < FER_BOUNDS; i++) spec.bounds[i] = bounds[i];
    spec.warm = warm;
    spec.events = &events;
    spec.owner = w;
    fer_code code = fer_box_start(&spec, &w->box, err);
    if (code) {
        fer_sys_free(w);
        return code;
    }
    w->js = r;
    w->next = r->workers;
    w->place = &r->workers;
    if (w->next) w->next->place = &w->next;
    r->workers = w;
    *out = w;
    return FER_OK;
}

/* As many are warm as shall be. */
static void fill(js *r)
{
    worker *w;
    while (!r->stopping && r->warm < r->settings.warm &&
           !start_worker(r, r->settings.bounds, true, &w, &r->trouble)) {
        w->warm = true;
        r->warm++;
    }
}

/* ---- jobs -------------------------------------------------------------------------------------
 */

/* What is warm was made with its bounds: a job with lower ones gets a program of its own. */
static bool fits(const js *r, const fer_job *j)
{
    static const fer_bound made[] = {FER_BOUND_CPU, FER_BOUND_MEMORY, FER_BOUND_PROCESSES,
                                     FER_BOUND_DISK};
    for (size_t i = 0; i < FER_COUNT(made); i++)
        if (j->bounds[made[i]] != r->settings.bounds[made[i]]) return false;
    return true;
}

static fer_code take_worker(js *r, const fer_job *j, worker **out, fer_err *err)
{
    for (worker *w = r->workers; w && fits(r, j); w = w->next) {
        if (!w->warm) continue;
        cool(w);
        fer_box_work(w->box, j->bounds[FER_BOUND_TIME]);
        *out = w;
        return FER_OK;
    }
    return start_worker(r, j->bounds, false, out, err);
}

static void say_start(worker *w, const fer_job *j)
{
    fer_buf b;
    fer_buf_init(&b, j->arena, START_MAX);
    fer_code_start(&b, j);
    if (!b.failure) fer_box_say(w->box, fer_buf_view(&b));
}

static void run(fer_runtime *rt, fer_job *j)
{
    js *r = (js *)rt;
    worker *w;
    fer_err err = {0};
    if (j->code.len > FER_CODE_SIZE) {
        fer_job_fail(j, FER_LIMIT_EXCEEDED,
                     "code.size: the program has %zu bytes, at most %zu are run", j->code.len,
                     FER_CODE_SIZE);
        return;
    }
    fer_code code = take_worker(r, j, &w, &err);
    if (code) {
        r->trouble = err;
        fer_job_fail(j, code, "%s", err.message);
        return;
    }
    w->job = j;
    j->state = w;
    say_start(w, j);
}

static void cancel(fer_runtime *rt, fer_job *j)
{
    worker *w = j->state;
    (void)rt;
    w->job = NULL;
    fer_box_drop(w->box, FER_GRACE_NONE); /* it has nothing to tidy up */
    fer_job_fail(j, FER_CANCELLED, "the code was given up");
}

static void say(fer_runtime *rt, fer_job *j, fer_str line)
{
    (void)rt;
    fer_box_say(((worker *)j->state)->box, line);
}

static void hold_back(fer_runtime *rt, fer_job *j, bool paused)
{
    (void)rt;
    fer_box_pause(((worker *)j->state)->box, paused);
}

/* ---- the kind ---------------------------------------------------------------------------------
 */

static fer_code probe(fer_runtime *rt, fer_err *err)
{
    const js *r = (const js *)rt;
    if (r->trouble.code && err) *err = r->trouble;
    return r->trouble.code;
}

/* The engine holds memory and CPU inside, too: its bound is the one that says where. */
static void info(const fer_runtime *rt, fer_job *j, fer_buf *b)
{
    (void)rt;
    fer_buf_add_text(b, "\"engine\":\"quickjs\"");
    if (!j || !j->state) return;
    const fer_box *box = ((worker *)j->state)->box;
    fer_buf_add_char(b, ',');
    fer_box_info(box, b);
    fer_box_held(j->arena, box, j->held);
}

static void stop(fer_runtime *rt, void (*done)(fer_runtime *r))
{
    js *r = (js *)rt;
    rt->on_stopped = done;
    r->stopping = true;
    for (worker *w = r->workers; w; w = w->next) {
        if (w->job) cancel(rt, w->job);
        else fer_box_drop(w->box, FER_GRACE_NONE);
    }
    stop_if_done(r);
}

static void free_js(fer_runtime *rt)
{
    js *r = (js *)rt;
    fer_sys_close(r->image);
    fer_arena_free(r->arena);
}

static const fer_runtime_kind kind = {.name = "js",
                                      .language = "javascript",
                                      .readiness = FER_READY_PROD,
                                      .one_channel = true,
                                      .probe = probe,
                                      .run = run,
                                      .cancel = cancel,
                                      .say = say,
                                      .pause = hold_back,
                                      .info = info,
                                      .stop = stop,
                                      .free = free_js};

fer_runtime *fer_js_runtime(uv_loop_t *loop, fer_str name, const fer_js_settings *s)
{
    fer_arena *a = fer_arena_new(0);
    js *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    fer_str own = r ? fer_arena_copy(a, name) : FER_STR_NONE, image = fer_js_image();
    int fd = own.ptr ? fer_sys_sealed("ferrule-js", image.ptr, image.len) : -1;
    if (fd < 0) {
        fer_arena_free(a);
        return NULL;
    }
    *r = (js){
        .runtime = {.kind = &kind, .name = own, .language = FER_STR("javascript"), .loop = loop},
        .arena = a,
        .settings = *s,
        .image = fd};
    fill(r);
    return &r->runtime;
}
