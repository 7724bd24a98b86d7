/* SPDX-License-Identifier: Apache-2.0 */
#include "rt_process.h"

#include "code_lines.h"
#include "errors.h"
#include "sys.h"

#define START_MAX (FER_CODE_SIZE * 6 + 4096) /* bytes of the line that begins a run */
#define CODE_FILE "/code/main"               /* the program, inside */
#define CODE_BARE "/dev/fd/5"                /* the same where there is no sandbox: FER_BOX_CODE */
#define ENV_ITEMS 5

extern const char fer_text_ferrule_python[];

/* Where interpreters are looked for, and what they look along themselves. */
static const char path_variable[] = "PATH=/usr/local/bin:/usr/bin:/bin";

typedef struct process process;

typedef struct worker {
    struct worker *next, **place;
    process *process;
    fer_box *box;
    fer_job *job; /* NULL: its job is over */
} worker;

struct process {
    fer_runtime runtime;
    fer_arena *arena;
    fer_process_settings settings;
    fer_str program; /* where the interpreter is; empty: nowhere */
    fer_err missing; /* why */
    const char **argv;
    fer_sandbox_bind *binds;
    size_t bind_count;
    worker *workers; /* all that are not gone */
    bool stopping;
};

/* What every interpreter finds of the system it is of. */
static const char *const system_paths[] = {"/usr",
                                           "/bin",
                                           "/sbin",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/libx32",
                                           "/etc/alternatives",
                                           "/etc/ld.so.cache",
                                           "/etc/ssl/certs",
                                           "/etc/localtime"};

/* ---- programs ---------------------------------------------------------------------------------
 */

static void stop_if_done(process *r)
{
    if (r->stopping && !r->workers) fer_runtime_stopped(&r->runtime);
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
    if (!j) return;
    w->job = NULL;
    fer_job_end own = *e;
    own.message = fer_arena_copy(j->arena, e->message);
    fer_job_finish(j, &own);
}

static void on_gone(fer_box *b)
{
    worker *w = fer_box_owner(b);
    process *r = w->process;
    *w->place = w->next;
    if (w->next) w->next->place = w->place;
    fer_sys_free(w);
    stop_if_done(r);
}

static const fer_box_events events = {on_line, on_print, on_end, on_gone};

/* ---- jobs -------------------------------------------------------------------------------------
 */

static fer_code start(process *r, fer_job *j, worker *w, fer_err *err)
{
    const fer_sandbox_file file = {CODE_FILE, j->code};
    char deadline[64];
    const char *const env[ENV_ITEMS] = {path_variable, "LANG=C.UTF-8", "PYTHONUTF8=1", deadline,
                                        NULL};
    fer_box_spec spec = r->settings.box;
    snprintf(deadline, sizeof deadline, "TOOL_DEADLINE_MS=%lld",
             (long long)j->bounds[FER_BOUND_TIME]);
    spec.program = r->program.ptr;
    spec.argv = r->argv;
    spec.env = env;
    spec.proc = true;
    spec.binds = r->binds;
    spec.bind_count = r->bind_count;
    spec.files = &file;
    spec.file_count = !r->settings.python;
    spec.code = r->settings.python || spec.sandboxes ? FER_STR_NONE : j->code;
    for (int i = 0; i < FER_BOUNDS; i++) spec.bounds[i] = j->bounds[i];
    spec.events = &events;
    spec.owner = w;
    return fer_box_start(&spec, &w->box, err);
}

static void say_start(const process *r, worker *w, const fer_job *j)
{
    fer_buf b;
    if (!r->settings.python) return;
    fer_buf_init(&b, j->arena, START_MAX);
    fer_code_start(&b, j);
    if (!b.failure) fer_box_say(w->box, fer_buf_view(&b));
}

/* Why it cannot be begun; FER_OK: it can. */
static fer_code refuse(const process *r, const fer_job *j, fer_err *err)
{
    if (j->code.len > FER_CODE_SIZE)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "code.size: the program has %zu bytes, at most %zu are run", j->code.len,
                        FER_CODE_SIZE);
    if (j->check && !r->settings.python)
        return fer_fail(err, FER_BAD_USAGE, "programs of the runtime %.*s cannot be checked",
                        FER_PRI(r->runtime.name));
    if (!r->program.len) {
        *err = r->missing;
        return r->missing.code;
    }
    return FER_OK;
}

static void run(fer_runtime *rt, fer_job *j)
{
    process *r = (process *)rt;
    fer_err err = {0};
    fer_code code = refuse(r, j, &err);
    worker *w = code ? NULL : fer_sys_malloc_zero(sizeof *w);
    if (!code && !w) code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = start(r, j, w, &err);
    if (code) {
        fer_sys_free(w);
        fer_job_fail(j, code, "%s", err.message);
        return;
    }
    *w = (worker){.next = r->workers, .place = &r->workers, .process = r, .box = w->box, .job = j};
    if (w->next) w->next->place = &w->next;
    r->workers = w;
    j->state = w;
    say_start(r, w, j);
}

static void cancel(fer_runtime *rt, fer_job *j)
{
    worker *w = j->state;
    (void)rt;
    w->job = NULL;
    fer_box_drop(w->box, (fer_process_grace){0, FER_CODE_GRACE_MS});
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

/* ---- the kinds --------------------------------------------------------------------------------
 */

static fer_code probe(fer_runtime *rt, fer_err *err)
{
    const process *r = (const process *)rt;
    if (r->missing.code && err) *err = r->missing;
    return r->missing.code;
}

static void info(const fer_runtime *rt, fer_job *j, fer_buf *b)
{
    const process *r = (const process *)rt;
    fer_buf_add_text(b, "\"program\":");
    fer_buf_add_quoted(b, r->program);
    if (!j || !j->state) return;
    const fer_box *box = ((worker *)j->state)->box;
    fer_buf_add_char(b, ',');
    fer_box_info(box, b);
    fer_box_held(j->arena, box, j->held);
}

static void stop(fer_runtime *rt, void (*done)(fer_runtime *r))
{
    process *r = (process *)rt;
    rt->on_stopped = done;
    r->stopping = true;
    for (worker *w = r->workers; w; w = w->next) {
        if (w->job) cancel(rt, w->job);
        else fer_box_drop(w->box, FER_GRACE_NONE);
    }
    stop_if_done(r);
}

static void free_process(fer_runtime *rt)
{
    process *r = (process *)rt;
    fer_arena_free(r->arena);
}

#define KIND(named, ready)                                                                         \
    {                                                                                              \
        .name = (named), .readiness = (ready), .probe = probe, .run = run, .cancel = cancel,       \
        .say = say, .pause = hold_back, .info = info, .stop = stop, .free = free_process           \
    }
static const fer_runtime_kind in_sandbox = KIND("process", FER_READY_PROD);
static const fer_runtime_kind unsafe = KIND("unsafe", FER_READY_BETA);

/* ---- the beginning ----------------------------------------------------------------------------
 */

/* The command line: the interpreter, its arguments, then the program or what begins it. */
static bool make_argv(process *r)
{
    const fer_process_settings *s = &r->settings;
    size_t count = s->command_count;
    r->argv = fer_arena_alloc_zero(r->arena, count + 5, sizeof *r->argv);
    for (size_t i = 0; r->argv && i < count; i++) {
        r->argv[i] = fer_arena_copy(r->arena, s->command[i]).ptr;
        if (!r->argv[i]) return false;
    }
    if (!r->argv) return false;
    if (s->python) {
        r->argv[count++] = "-I";
        r->argv[count++] = "-c";
        r->argv[count++] = fer_text_ferrule_python;
    } else {
        r->argv[count++] = s->box.sandboxes ? CODE_FILE : CODE_BARE;
    }
    return true;
}

static bool make_binds(process *r)
{
    const fer_process_settings *s = &r->settings;
    size_t own = FER_COUNT(system_paths), count = own + s->bind_count;
    r->binds = fer_arena_alloc_zero(r->arena, count, sizeof *r->binds);
    if (!r->binds) return false;
    for (size_t i = 0; i < own; i++)
        r->binds[i] = (fer_sandbox_bind){.from = system_paths[i], .optional = true};
    for (size_t i = 0; i < s->bind_count; i++) {
        r->binds[own + i].from = fer_arena_copy(r->arena, s->binds[i]).ptr;
        if (!r->binds[own + i].from) return false;
    }
    r->bind_count = count;
    return true;
}

fer_runtime *fer_process_runtime(uv_loop_t *loop, fer_str name, const fer_process_settings *s)
{
    fer_arena *a = fer_arena_new(0);
    process *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    fer_str own = r ? fer_arena_copy(a, name) : FER_STR_NONE;
    if (own.ptr) {
        *r = (process){.runtime = {.kind = s->box.sandboxes ? &in_sandbox : &unsafe,
                                   .name = own,
                                   .language = s->python ? FER_STR("python") : FER_STR(""),
                                   .loop = loop},
                       .arena = a,
                       .settings = *s,
                       .program = FER_STR("")};
    }
    if (!own.ptr || !s->command_count || !make_argv(r) || !make_binds(r)) {
        fer_arena_free(a);
        return NULL;
    }
    fer_process_find(a, s->command[0], fer_str_of(path_variable + sizeof "PATH=" - 1), &r->program,
                     &r->missing);
    return &r->runtime;
}
