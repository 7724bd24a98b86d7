/* SPDX-License-Identifier: Apache-2.0 */
#include "rt_process.h"

#include "code_crew.h"
#include "code_program.h"
#include "errors.h"

#define CODE_FILE "/code/main" /* the program, inside */
#define CODE_BARE "/dev/fd/5"  /* the same where there is no sandbox: FER_BOX_CODE */

extern const char fer_text_ferrule_python[];

typedef struct process {
    fer_runtime runtime;
    fer_arena *arena;
    fer_process_settings settings;
    fer_str program; /* where the interpreter is; empty: nowhere */
    fer_err missing; /* why */
    const char **argv;
    fer_sandbox_bind *binds;
    size_t bind_count;
    fer_crew crew;
} process;

/* ---- jobs -------------------------------------------------------------------------------------
 */

static fer_code start(process *r, fer_job *j, fer_hand **out, fer_err *err)
{
    const fer_sandbox_file file = {CODE_FILE, j->code};
    char deadline[FER_PROGRAM_DEADLINE];
    const char *const env[] = {fer_program_path, "LANG=C.UTF-8", "PYTHONUTF8=1", deadline, NULL};
    fer_box_spec spec = r->settings.box;
    fer_program_deadline(deadline, j->bounds[FER_BOUND_TIME]);
    spec.program = r->program.ptr;
    spec.argv = r->argv;
    spec.env = env;
    spec.proc = true;
    spec.jit = r->settings.jit;
    spec.binds = r->binds;
    spec.bind_count = r->bind_count;
    spec.files = &file;
    spec.file_count = !r->settings.python;
    spec.code = r->settings.python || spec.sandboxes ? FER_STR_NONE : j->code;
    return fer_crew_start(&r->crew, &spec, j->bounds, j, out, err);
}

/* Why it cannot be begun; FER_OK: it can. */
static fer_code refuse(const process *r, const fer_job *j, fer_err *err)
{
    fer_code code = fer_job_fits(j, "code.size", FER_CODE_SIZE, err);
    if (!code && !r->settings.python) code = fer_job_no_check(j, err);
    if (!code && !r->program.len) {
        *err = r->missing;
        code = r->missing.code;
    }
    return code;
}

static void run(fer_runtime *rt, fer_job *j)
{
    process *r = (process *)rt;
    fer_err err = {0};
    fer_hand *h;
    fer_code code = refuse(r, j, &err);
    if (!code) code = start(r, j, &h, &err);
    if (code) fer_job_fail(j, code, "%s", err.message);
    else if (r->settings.python) fer_hand_begin(h);
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
    fer_crew_info(j, b);
}

static void stop(fer_runtime *rt, void (*done)(fer_runtime *r))
{
    fer_crew_stop(&((process *)rt)->crew, done);
}

static void free_process(fer_runtime *rt)
{
    process *r = (process *)rt;
    fer_arena_free(r->arena);
}

#define KIND(named, ready)                                                                         \
    {                                                                                              \
        .name = (named), .readiness = (ready), .probe = probe, .run = run,                         \
        .cancel = fer_crew_cancel_job, .say = fer_crew_say_job, .pause = fer_crew_pause_job,       \
        .info = info, .stop = stop, .free = free_process                                           \
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
    r->argv = fer_program_argv(r->arena, s->command, count, 3);
    if (!r->argv) return false;
    if (s->python) {
        r->argv[count++] = "-I";
        r->argv[count++] = "-c";
        r->argv[count] = fer_text_ferrule_python;
    } else {
        r->argv[count] = s->box.sandboxes ? CODE_FILE : CODE_BARE;
    }
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
                       .crew = {.runtime = &r->runtime, .grace = {0, FER_CODE_GRACE_MS}}};
    }
    if (!own.ptr || !s->command_count || !make_argv(r) ||
        !fer_program_binds(a, s->binds, s->bind_count, &r->binds, &r->bind_count)) {
        fer_arena_free(a);
        return NULL;
    }
    fer_program_find(a, s->command[0], &r->program, &r->missing);
    return &r->runtime;
}
