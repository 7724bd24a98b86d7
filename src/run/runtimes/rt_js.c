/* SPDX-License-Identifier: Apache-2.0 */
#include "rt_js.h"

#include "code_crew.h"
#include "errors.h"
#include "js_image.h"
#include "sys.h"

typedef struct js {
    fer_runtime runtime;
    fer_arena *arena;
    fer_js_settings settings;
    int image; /* the program, as sealed memory */
    fer_crew crew;
    fer_err trouble; /* why the last one could not run; code FER_OK: it could */
} js;

/* ---- programs ---------------------------------------------------------------------------------
 */

static fer_code start(js *r, const int64_t bounds[FER_BOUNDS], fer_job *j, fer_hand **out,
                      fer_err *err)
{
    static const char *const argv[] = {"ferrule-js", "3", "4", NULL};
    static const char *const env[] = {NULL};
    fer_box_spec spec = r->settings.box;
    spec.program = argv[0];
    spec.by_descriptor = true;
    spec.descriptor = r->image;
    spec.argv = argv;
    spec.env = env;
    return fer_crew_start(&r->crew, &spec, bounds, j, out, err);
}

/* As many are warm as shall be. */
static void fill(js *r)
{
    fer_hand *h;
    while (!r->crew.stopping && r->crew.warm < r->settings.warm &&
           !start(r, r->settings.bounds, NULL, &h, &r->trouble)) {
    }
}

static void on_lost(fer_crew *c, const fer_job_end *e)
{
    js *r = (js *)c->runtime;
    fer_fail(&r->trouble, e->code ? e->code : FER_BACKEND_CRASHED, "%.*s", FER_PRI(e->message));
}

static void on_gone(fer_crew *c)
{
    js *r = (js *)c->runtime;
    if (!r->trouble.code) fill(r);
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

static void begin(fer_runtime *rt)
{
    fill((js *)rt);
}

static void run(fer_runtime *rt, fer_job *j)
{
    js *r = (js *)rt;
    fer_err err = {0};
    if (fer_job_fits(j, "code.size", FER_CODE_SIZE, &err)) {
        fer_job_fail(j, err.code, "%s", err.message);
        return;
    }
    fer_hand *h = fits(r, j) ? fer_crew_take(&r->crew, j) : NULL;
    if (!h && start(r, j->bounds, j, &h, &err)) {
        r->trouble = err;
        fer_job_fail(j, err.code, "%s", err.message);
        return;
    }
    fer_hand_begin(h);
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
    fer_crew_info(j, b);
}

static void stop(fer_runtime *rt, void (*done)(fer_runtime *r))
{
    fer_crew_stop(&((js *)rt)->crew, done);
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
                                      .begin = begin,
                                      .run = run,
                                      .cancel = fer_crew_cancel_job,
                                      .say = fer_crew_say_job,
                                      .pause = fer_crew_pause_job,
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
        .image = fd,
        /* It has nothing to tidy up: no grace. */
        .crew = {
            .runtime = &r->runtime, .grace = FER_GRACE_NONE, .lost = on_lost, .gone = on_gone}};
    return &r->runtime;
}
