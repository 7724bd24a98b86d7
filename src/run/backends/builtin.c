/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin.h"

#include "buf.h"
#include "errors.h"
#include "json_value.h"
#include "map.h"
#include "sys.h"

#define ARGS_MAX   (1 << 20)         /* bytes of a struct that arguments are bound to */
#define RECORD_MAX ((size_t)4 << 20) /* bytes of a record */

typedef struct pack {
    fer_runner runner;
    fer_arena *arena;
    fer_map functions; /* fer_builtin, by name */
    size_t running;
    uint64_t calls;
    bool stopping;
} pack;

/* ---- running ------------------------------------------------------------------------------- */

/* Binds, runs, and reads what came out; all of it in `a`. */
static fer_code run_function(fer_arena *a, const fer_builtin *f, const yyjson_val *args,
                             fer_json **out, fer_str *text, fer_err *err)
{
    fer_str result = FER_STR_NONE;
    fer_err why;
    void *bound = fer_arena_alloc_zero(a, 1, f->args_size ? f->args_size : 1);
    if (!bound) return fer_arena_failed(a, err);
    fer_code code = fer_bind_arguments(a, f->rows, f->row_count, args, bound, err);
    if (code) return code;
    code = f->run(f->context, a, bound, &result, err);
    if (code) return code;
    if (!result.len) result = FER_STR("null");
    *text = result;
    if (!fer_json_read(a, result, NULL, out, &why)) return FER_OK;
    return fer_fail(err, FER_INVALID_OUTPUT, "what the function gave cannot be read: %.900s",
                    why.message);
}

static void end_with(fer_attempt *t, fer_code code, const fer_json *doc, fer_str text,
                     const fer_err *err)
{
    fer_outcome o = {.code = code, .phase = fer_phase_of_answer(code)};
    if (code) {
        o.message = fer_arena_copy(t->arena, fer_str_of(err->message));
    } else {
        o.doc = doc;
        o.structured = fer_json_root(doc);
        o.structured_json = text;
    }
    fer_attempt_end(t, &o);
}

/* ---- on a thread --------------------------------------------------------------------------- */

/* One function on its way. `attempt` is NULL once its call was given up: then it has a ticket. */
typedef struct job {
    uv_work_t work;
    pack *pack;
    fer_attempt *attempt;
    uint64_t ticket;
    const fer_builtin *function;
    fer_arena *arena;
    fer_str args;
    fer_str result;
    fer_code code;
    fer_err err;
} job;

static void stop_if_done(pack *p)
{
    if (p->stopping && !p->running) fer_runner_stopped(&p->runner);
}

static void work(uv_work_t *w)
{
    job *j = w->data;
    fer_json *args, *doc = NULL;
    j->code = fer_json_read(j->arena, j->args, NULL, &args, &j->err);
    if (!j->code)
        j->code =
            run_function(j->arena, j->function, fer_json_root(args), &doc, &j->result, &j->err);
}

static void worked(uv_work_t *w, int status)
{
    job *j = w->data;
    pack *p = j->pack;
    fer_attempt *t = j->attempt;
    fer_json *doc = NULL;
    if (status && !j->code)
        j->code = fer_fail(&j->err, FER_CANCELLED, "the function was not begun");
    if (t) {
        fer_str text = j->code ? FER_STR_NONE : fer_arena_copy(t->arena, j->result);
        if (!j->code && !text.ptr) j->code = fer_arena_failed(t->arena, &j->err);
        if (!j->code) j->code = fer_json_read(t->arena, text, NULL, &doc, &j->err);
        end_with(t, j->code, doc, text, &j->err);
    } else if (!status) {
        fer_runner_tell_late_answer(&p->runner, j->ticket, j->code,
                                    j->code ? FER_STR("") : j->result);
    }
    fer_arena_free(j->arena);
    fer_sys_free(j);
    p->running--;
    stop_if_done(p);
}

static void begin_job(pack *p, fer_attempt *t, const fer_builtin *f)
{
    fer_arena *a = fer_arena_new(FER_CALL_MEMORY);
    job *j = a ? fer_sys_malloc(sizeof *j) : NULL;
    if (j) *j = (job){.pack = p, .attempt = t, .function = f, .arena = a};
    if (j) j->args = fer_arena_copy(a, t->args_json);
    if (!j || !j->args.ptr) {
        fer_arena_free(a);
        fer_sys_free(j);
        fer_attempt_fail(t, FER_OUT_OF_MEMORY, "out of memory");
        return;
    }
    j->work.data = j;
    t->state = j;
    t->sent = true;
    p->running++;
    uv_queue_work(p->runner.loop, &j->work, work, worked);
}

/* ---- the kind ------------------------------------------------------------------------------- */

static void call(fer_runner *r, fer_attempt *t)
{
    pack *p = (pack *)r;
    const fer_builtin *f = fer_map_get(&p->functions, t->tool);
    fer_json *doc = NULL;
    fer_str text = FER_STR("");
    fer_err err = {0};
    if (!f || p->stopping) {
        fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "no function of this process has that name");
        return;
    }
    p->calls++;
    if (f->blocks) {
        begin_job(p, t, f);
        return;
    }
    t->sent = true;
    fer_code code = run_function(t->arena, f, t->args, &doc, &text, &err);
    end_with(t, code, doc, text, &err);
}

static void cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    job *j = t->state;
    (void)r;
    if (uv_cancel((uv_req_t *)&j->work) == 0) t->sent = false; /* nobody had begun it */
    j->attempt = NULL;
    j->ticket = t->ticket;
    fer_attempt_fail(t, FER_CANCELLED, "the function was given up: %s", fer_cancel_names[reason]);
}

static void status(const fer_runner *r, fer_runner_status *out)
{
    const pack *p = (const pack *)r;
    *out = (fer_runner_status){.health = p->stopping ? FER_HEALTH_STOPPED : FER_HEALTH_UP,
                               .running = p->running,
                               .calls = p->calls};
    snprintf(out->detail, sizeof out->detail, "%zu function%s of this process", p->functions.count,
             fer_s(p->functions.count));
}

static void stop(fer_runner *r, void (*done)(fer_runner *r))
{
    pack *p = (pack *)r;
    r->on_stopped = done;
    p->stopping = true;
    stop_if_done(p);
}

static void free_pack(fer_runner *r)
{
    pack *p = (pack *)r;
    fer_arena_free(p->arena);
}

static const fer_runner_kind kind = {.name = "builtin",
                                     .backend = FER_BACKEND_LOCAL,
                                     .call = call,
                                     .cancel = cancel,
                                     .status = status,
                                     .stop = stop,
                                     .free = free_pack};

fer_runner *fer_builtin_runner(uv_loop_t *loop, fer_str name)
{
    fer_arena *a = fer_arena_new(0);
    pack *p = a ? fer_arena_alloc_zero(a, 1, sizeof *p) : NULL;
    if (p) p->runner = (fer_runner){.kind = &kind, .name = fer_arena_copy(a, name), .loop = loop};
    if (!p || !p->runner.name.ptr) {
        fer_arena_free(a);
        return NULL;
    }
    p->arena = a;
    fer_map_init(&p->functions, a);
    return &p->runner;
}

fer_code fer_builtin_add(fer_runner *r, const fer_builtin *f, fer_err *err)
{
    pack *p = (pack *)r;
    if (f->args_size > ARGS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "builtin.args: the struct of %s is too large",
                        f->name);
    void **slot = fer_map_put(&p->functions, fer_str_of(f->name));
    if (!slot) return fer_arena_failed(p->arena, err);
    *slot = (void *)(uintptr_t)f;
    return FER_OK;
}

/* ---- records -------------------------------------------------------------------------------- */

static void add_member(fer_buf *b, const char *key, const char *text)
{
    if (!text) return;
    fer_buf_printf(b, ",\"%s\":", key);
    fer_buf_add_quoted(b, fer_str_of(text));
}

fer_code fer_builtin_record(fer_arena *a, const fer_builtin *f, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_str schema;
    fer_code code = fer_bind_schema(a, f->rows, f->row_count, &schema, err);
    if (code) return code;
    fer_buf_init(&b, a, RECORD_MAX);
    fer_buf_add_text(&b, "{\"name\":");
    fer_buf_add_quoted(&b, fer_str_of(f->name));
    add_member(&b, "namespace", f->ns);
    add_member(&b, "version", f->version);
    add_member(&b, "title", f->title);
    add_member(&b, "description", f->description);
    add_member(&b, "effect", fer_effect_name(f->effect));
    fer_buf_add_text(&b, ",\"inputSchema\":");
    fer_buf_add(&b, schema);
    if (f->output_schema) {
        fer_buf_add_text(&b, ",\"outputSchema\":");
        fer_buf_add_text(&b, f->output_schema);
    }
    fer_buf_add_char(&b, '}');
    code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}
