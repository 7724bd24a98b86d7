/* SPDX-License-Identifier: Apache-2.0 */
#include "rt_wasm.h"

#include <assert.h>
#include <string.h>

#include "code_crew.h"
#include "code_program.h"
#include "content.h"
#include "errors.h"

#define MODULE_FILE "/code/main.wasm" /* the module, inside */
#define OPTIONS     6                 /* of an engine, with a NULL behind them */

extern const char fer_text_ferrule_wasi[];

/* How a module begins: the magic number, then version and layer. */
static const char core_head[] = "\0asm\1\0\0", component_head[] = "\0asm\r\0\1";

typedef struct engine {
    const char *name;             /* of its program */
    const char *options[OPTIONS]; /* before the module's path */
    bool env;                     /* variables are named by --env NAME=VALUE */
    bool script;                  /* the options end in a script, which knows the path */
    bool jit;                     /* it makes machine code at run time */
    bool components;              /* it runs components, too */
} engine;

/* In the order in which they are looked for. */
static const engine engines[] = {
    {.name = "wasmtime",
     .options = {"run", "--dir", "/work"},
     .env = true,
     .jit = true,
     .components = true},
    {.name = "wasmedge", .options = {"run", "--dir", "/work:/work"}, .env = true},
    {.name = "node",
     .options = {"--no-warnings", "--input-type=module", "-e", fer_text_ferrule_wasi},
     .script = true,
     .jit = true},
};
static const engine other = {.name = "other"};

typedef struct wasm {
    fer_runtime runtime;
    fer_arena *arena;
    fer_box_spec box;
    const engine *engine;
    fer_str program; /* where the engine is; empty: nowhere */
    fer_err missing; /* why */
    const char **argv;
    size_t deadline; /* which of them says the time that a run has; 0: none */
    fer_sandbox_bind *binds;
    size_t bind_count;
    fer_crew crew;
} wasm;

/* ---- modules ----------------------------------------------------------------------------------
 */

static bool begins(fer_str bytes, const char head[static 8])
{
    return bytes.len >= 8 && memcmp(bytes.ptr, head, 8) == 0;
}

bool fer_wasm_is_module(fer_str bytes)
{
    return begins(bytes, core_head) || begins(bytes, component_head);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static_assert(FER_WASM_MODULE % 3 == 0, "a module as long as it may be has no padding");

/* Base64 as programs print it: in lines. What is too long for any module is not copied. */
static fer_code without_spaces(fer_arena *a, fer_str text, fer_str *out, fer_err *err)
{
    size_t count = 0, len = 0;
    for (size_t i = 0; i < text.len; i++) count += !is_space(text.ptr[i]);
    if (count > FER_WASM_MODULE / 3 * 4)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "wasm.module: the module has more than the %zu bytes that are run here",
                        FER_WASM_MODULE);
    char *to = fer_arena_alloc(a, count + 1);
    if (!to) return fer_arena_failed(a, err);
    for (size_t i = 0; i < text.len; i++)
        if (!is_space(text.ptr[i])) to[len++] = text.ptr[i];
    *out = (fer_str){to, len};
    return FER_OK;
}

static fer_code read_module(const wasm *r, const fer_job *j, fer_str *out, fer_err *err)
{
    fer_str text;
    fer_content_decode *decode = fer_content_find(FER_STR("base64"));
    fer_code code = without_spaces(j->arena, j->code, &text, err);
    if (code) return code;
    code = decode(j->arena, text, out);
    if (code && code != FER_INVALID_FORMAT) return fer_arena_failed(j->arena, err);
    if (code || !fer_wasm_is_module(*out))
        return fer_fail(err, FER_INVALID_FORMAT,
                        "the code of the runtime %.*s is a WebAssembly module (wasm32-wasi) in "
                        "Base64; this is none",
                        FER_PRI(r->runtime.name));
    if (!r->engine->components && begins(*out, component_head))
        return fer_fail(err, FER_INVALID_FORMAT,
                        "this is a component, and %s runs modules: build it for wasm32-wasi "
                        "(preview 1)",
                        r->engine->name);
    return FER_OK;
}

/* ---- jobs -------------------------------------------------------------------------------------
 */

static fer_code start(wasm *r, fer_job *j, fer_str module, fer_hand **out, fer_err *err)
{
    const fer_sandbox_file file = {MODULE_FILE, module};
    char deadline[FER_PROGRAM_DEADLINE];
    const char *const env[] = {fer_program_path, "LANG=C.UTF-8", deadline, NULL};
    fer_box_spec spec = r->box;
    fer_program_deadline(deadline, j->bounds[FER_BOUND_TIME]);
    if (r->deadline) r->argv[r->deadline] = deadline;
    spec.program = r->program.ptr;
    spec.argv = r->argv;
    spec.env = env;
    spec.proc = true;
    spec.jit = r->engine->jit;
    spec.stdio = true;
    spec.binds = r->binds;
    spec.bind_count = r->bind_count;
    spec.files = &file;
    spec.file_count = 1;
    fer_code code = fer_crew_start(&r->crew, &spec, j->bounds, j, out, err);
    if (r->deadline) r->argv[r->deadline] = NULL;
    return code;
}

static void run(fer_runtime *rt, fer_job *j)
{
    wasm *r = (wasm *)rt;
    fer_err err = {0};
    fer_hand *h;
    fer_str module = FER_STR("");
    fer_code code = fer_job_no_check(j, &err);
    if (!code && r->missing.code) {
        err = r->missing;
        code = err.code;
    }
    if (!code) code = read_module(r, j, &module, &err);
    if (!code) code = start(r, j, module, &h, &err);
    if (code) fer_job_fail(j, code, "%s", err.message);
}

/* ---- the kind ---------------------------------------------------------------------------------
 */

static fer_code probe(fer_runtime *rt, fer_err *err)
{
    const wasm *r = (const wasm *)rt;
    if (r->missing.code && err) *err = r->missing;
    return r->missing.code;
}

static void info(const fer_runtime *rt, fer_job *j, fer_buf *b)
{
    const wasm *r = (const wasm *)rt;
    fer_buf_printf(b, "\"engine\":\"%s\",\"program\":", r->engine->name);
    fer_buf_add_quoted(b, r->program);
    fer_crew_info(j, b);
}

static void stop(fer_runtime *rt, void (*done)(fer_runtime *r))
{
    fer_crew_stop(&((wasm *)rt)->crew, done);
}

static void free_wasm(fer_runtime *rt)
{
    wasm *r = (wasm *)rt;
    fer_arena_free(r->arena);
}

static const fer_runtime_kind kind = {.name = "wasm",
                                      .language = "wasm",
                                      .readiness = FER_READY_BETA,
                                      .probe = probe,
                                      .run = run,
                                      .cancel = fer_crew_cancel_job,
                                      .say = fer_crew_say_job,
                                      .pause = fer_crew_pause_job,
                                      .info = info,
                                      .stop = stop,
                                      .free = free_wasm};

/* ---- the beginning ----------------------------------------------------------------------------
 */

static fer_str base_name(fer_str path)
{
    size_t at = path.len;
    while (at && path.ptr[at - 1] != '/') at--;
    return fer_str_slice(path, at, path.len);
}

static const engine *engine_named(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(engines); i++)
        if (fer_str_is(name, engines[i].name)) return &engines[i];
    return &other;
}

/* The first engine that this machine has. */
static void look_for_any(wasm *r)
{
    for (size_t i = 0; i < FER_COUNT(engines); i++) {
        r->engine = &engines[i];
        fer_program_find(r->arena, fer_str_of(engines[i].name), &r->program, &r->missing);
        if (!r->missing.code) return;
    }
    r->engine = &other;
    fer_fail(&r->missing, FER_BACKEND_UNAVAILABLE,
             "no engine for WebAssembly is in " FER_PROGRAM_PATH
             ": wasmtime, wasmedge or node; or name its \"command\"");
}

static void choose_engine(wasm *r, const fer_wasm_settings *s)
{
    if (!s->engine.len && !s->command_count) {
        look_for_any(r);
        return;
    }
    r->engine = engine_named(s->engine.len ? s->engine : base_name(s->command[0]));
    fer_program_find(r->arena, s->command_count ? s->command[0] : s->engine, &r->program,
                     &r->missing);
}

/* The engine, its first arguments, its options, then the module. */
static bool make_argv(wasm *r, const fer_wasm_settings *s)
{
    const engine *e = r->engine;
    fer_str name = fer_str_of(e->name);
    size_t count = s->command_count ? s->command_count : 1;
    r->argv = fer_program_argv(r->arena, s->command_count ? s->command : &name, count, OPTIONS + 3);
    if (!r->argv) return false;
    for (size_t i = 0; e->options[i]; i++) r->argv[count++] = e->options[i];
    if (e->env) {
        r->argv[count++] = "--env";
        r->deadline = count++;
    }
    if (!e->script) r->argv[count] = MODULE_FILE;
    return true;
}

fer_runtime *fer_wasm_runtime(uv_loop_t *loop, fer_str name, const fer_wasm_settings *s)
{
    fer_arena *a = fer_arena_new(0);
    wasm *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    fer_str own = r ? fer_arena_copy(a, name) : FER_STR_NONE;
    if (own.ptr) {
        *r = (wasm){
            .runtime = {.kind = &kind, .name = own, .language = FER_STR("wasm"), .loop = loop},
            .arena = a,
            .box = s->box,
            .crew = {.runtime = &r->runtime, .grace = {0, FER_CODE_GRACE_MS}}};
        choose_engine(r, s);
    }
    if (own.ptr && make_argv(r, s) &&
        fer_program_binds(a, s->binds, s->bind_count, &r->binds, &r->bind_count))
        return &r->runtime;
    fer_arena_free(a);
    return NULL;
}
