/* SPDX-License-Identifier: Apache-2.0 */
#include "local_command.h"

#include <ferrule/gateway.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "json_value.h"
#include "lines.h"
#include "map.h"
#include "plain_text.h"
#include "sys.h"

#define LIST_MAX ((size_t)64 << 20) /* bytes of a list of records */

/* A command that was added. */
typedef struct entry {
    const fer_local_command *command; /* NULL: it was left out */
    fer_str program;
    const char **variables; /* "NAME=value" of those it passes on and sets */
    size_t variable_count;
} entry;

typedef struct pack {
    fer_runner runner;
    fer_arena *arena;
    fer_process_host *host;
    fer_map commands; /* entry, by name */
    struct job *jobs; /* processes that are not gone */
    size_t running;   /* attempts */
    uint64_t calls;
    bool stopping;
} pack;

/* One process. `attempt` is NULL once its call was answered; `out` lives in the attempt's arena. */
typedef struct job {
    struct job *next;
    pack *pack;
    const fer_local_command *command;
    fer_attempt *attempt;
    fer_process *process;
    fer_buf out; /* as it came; of lines, the JSON of their list */
    size_t bytes;
    fer_line_split lines;
    uint64_t ticket; /* of an attempt that was cancelled; 0: it was not */
    fer_late late;   /* what came since */
    EVP_MD_CTX *sum; /* of it */
} job;

/* ---- answers -------------------------------------------------------------------------------- */

/* The attempt, which is answered now and not again. */
static fer_attempt *take_attempt(job *j)
{
    fer_attempt *t = j->attempt;
    j->attempt = NULL;
    j->pack->running--;
    return t;
}

static void fail_job(job *j, fer_code code, const char *message)
{
    fer_attempt_fail(take_attempt(j), code, "%s", message);
}

static fer_code read_value(fer_arena *a, fer_str text, fer_outcome *o, fer_err *err)
{
    fer_json_limits limits = *fer_json_limits_message();
    fer_json *doc;
    /* What is too large was refused before, in bytes. */
    limits.size = limits.string = limits.nodes = UINT32_MAX;
    fer_code code = fer_json_read(a, text, &limits, &doc, err);
    if (code) return code;
    o->doc = doc;
    o->structured = fer_json_root(doc);
    o->structured_json = text;
    return FER_OK;
}

static fer_code text_value(fer_arena *a, fer_str bytes, fer_outcome *o, fer_err *err)
{
    fer_buf mended, quoted;
    fer_buf_init(&mended, a, SIZE_MAX);
    fer_buf_init(&quoted, a, SIZE_MAX);
    fer_text_mend(&mended, bytes);
    fer_buf_add_quoted(&quoted, fer_buf_view(&mended));
    fer_code code = fer_buf_code(&mended, err);
    if (!code) code = fer_buf_code(&quoted, err);
    return code ? code : read_value(a, fer_buf_view(&quoted), o, err);
}

static bool is_blank(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!strchr(" \t\r\n", s.ptr[i]) || !s.ptr[i]) return false;
    }
    return true;
}

/* JSON, or why it is none. One that ends well without a word has not said what it did. */
static void json_value(fer_arena *a, fer_str bytes, fer_outcome *o)
{
    fer_err why;
    if (is_blank(bytes)) {
        o->code = FER_INVALID_OUTPUT;
        o->phase = FER_PHASE_AMBIGUOUS;
        o->message = FER_STR("the command printed nothing, and its result is JSON");
    } else if (read_value(a, bytes, o, &why)) {
        o->code = FER_INVALID_OUTPUT;
        o->message = fer_arena_printf(a, "the command printed no JSON: %.900s", why.message);
    }
}

static void value_of(job *j, fer_arena *a, fer_outcome *o)
{
    fer_err why = {0};
    fer_code code = fer_buf_code(&j->out, &why);
    fer_str bytes = fer_buf_view(&j->out);
    if (!code && j->command->output == FER_OUTPUT_JSON) json_value(a, bytes, o);
    if (!code && j->command->output == FER_OUTPUT_TEXT) code = text_value(a, bytes, o, &why);
    if (!code && j->command->output == FER_OUTPUT_LINES) {
        fer_buf_add_text(&j->out, j->out.len ? "]" : "[]");
        code = fer_buf_code(&j->out, &why);
        if (!code) code = read_value(a, fer_buf_view(&j->out), o, &why);
    }
    if (!code) return;
    o->code = code;
    o->message = fer_arena_copy(a, fer_str_of(why.message));
}

/* ---- exits ---------------------------------------------------------------------------------- */

static fer_code meaning_of(const fer_local_command *c, const fer_exit_state *state)
{
    if (state->code < 0) return FER_BACKEND_CRASHED;
    for (size_t i = 0; i < c->exit_count; i++) {
        if (state->code >= c->exits[i].from && state->code <= c->exits[i].to)
            return c->exits[i].code;
    }
    return state->code == 0 ? FER_OK : FER_TOOL_FAILED;
}

static fer_phase phase_of(fer_code code, const fer_exit_state *state)
{
    return state->code < 0 ? FER_PHASE_AMBIGUOUS : fer_phase_of_answer(code);
}

/* The last line that says something. */
static fer_str last_line(fer_str s)
{
    while (s.len && strchr("\n \t", s.ptr[s.len - 1])) s.len--;
    size_t from = s.len;
    while (from && s.ptr[from - 1] != '\n') from--;
    return fer_str_slice(s, from, s.len);
}

static void describe_failure(fer_arena *a, job *j, const fer_exit_state *state, fer_outcome *o)
{
    fer_buf clean, details;
    fer_str raw = fer_process_stderr(a, j->process, FER_LOCAL_STDERR + 3);
    fer_buf_init(&clean, a, SIZE_MAX);
    fer_buf_init(&details, a, SIZE_MAX);
    fer_text_clean(&clean, fer_text_tail(raw, FER_LOCAL_STDERR));
    fer_str text = fer_buf_view(&clean), line = fer_str_head(last_line(text), 500);
    fer_buf_printf(&details, state->signal ? "{\"signal\":%d" : "{\"exitCode\":%d",
                   state->signal ? state->signal : state->code);
    fer_buf_add_text(&details, ",\"stderr\":");
    fer_buf_add_quoted(&details, text);
    fer_buf_add_char(&details, '}');
    if (!fer_buf_code(&clean, NULL) && !fer_buf_code(&details, NULL))
        o->details = fer_buf_view(&details);
    o->message = fer_arena_printf(a, "the command %s %d%s%.*s",
                                  state->signal ? "was ended by signal" : "ended with exit code",
                                  state->signal ? state->signal : state->code, line.len ? ": " : "",
                                  FER_PRI(line));
}

/* ---- after a cancel ------------------------------------------------------------------------- */

static void begin_late(job *j, uint64_t ticket)
{
    j->sum = ticket ? EVP_MD_CTX_new() : NULL;
    if (j->sum && EVP_DigestInit_ex(j->sum, EVP_sha256(), NULL)) j->ticket = ticket;
}

static void take_late(job *j, fer_str bytes)
{
    if (!j->ticket) return;
    j->late.size += bytes.len;
    if (!EVP_DigestUpdate(j->sum, bytes.ptr, bytes.len)) j->ticket = 0;
}

/* One that was killed without another word has not answered. */
static void tell_late(job *j, const fer_exit_state *state)
{
    if (!j->ticket || (state->code < 0 && !j->late.size)) return;
    j->late.code = meaning_of(j->command, state);
    if (EVP_DigestFinal_ex(j->sum, j->late.sum, NULL))
        fer_runner_tell_late(&j->pack->runner, j->ticket, &j->late);
    j->ticket = 0;
}

/* ---- output --------------------------------------------------------------------------------- */

static void give_up(job *j, fer_code code, const char *message)
{
    fer_process_end(j->process, FER_GRACE_CANCEL);
    fail_job(j, code, message);
}

/* A line into the list, and to whoever listens, who may end the call. */
static bool take_line(void *context, fer_str line)
{
    job *j = context;
    fer_arena *a = j->attempt->arena;
    fer_buf mended;
    fer_buf_init(&mended, a, SIZE_MAX);
    fer_text_mend(&mended, line);
    size_t from = j->out.len + 1;
    fer_buf_add_char(&j->out, j->out.len ? ',' : '[');
    if (!fer_buf_code(&mended, NULL)) fer_buf_add_quoted(&j->out, fer_buf_view(&mended));
    if (j->out.failure || mended.failure) {
        give_up(j, FER_LIMIT_EXCEEDED,
                "the lines of the command do not fit into the call's memory");
        return false;
    }
    fer_attempt_event(j->attempt, FER_NEWS_CHUNK,
                      fer_str_slice(fer_buf_view(&j->out), from, j->out.len));
    return j->attempt != NULL;
}

static void on_output(fer_process *p, fer_str bytes)
{
    job *j = fer_process_owner(p);
    char why[128];
    if (!j->attempt) {
        take_late(j, bytes);
        return;
    }
    j->bytes += bytes.len;
    if (j->bytes > j->command->output_max) {
        snprintf(why, sizeof why, "the command printed more than %zu bytes",
                 j->command->output_max);
        give_up(j, FER_RESOURCE_LIMIT, why);
    } else if (j->command->output != FER_OUTPUT_LINES) {
        fer_buf_add(&j->out, bytes);
    } else if (fer_line_split_feed(&j->lines, bytes, take_line, j) && j->attempt) {
        give_up(j, FER_OUT_OF_MEMORY, "out of memory");
    }
}

static void on_exit_state(fer_process *p, const fer_exit_state *state)
{
    job *j = fer_process_owner(p);
    if (j->attempt && j->command->output == FER_OUTPUT_LINES)
        fer_line_split_end(&j->lines, take_line, j);
    if (!j->attempt) { /* cancelled before, or by whoever heard the last line */
        tell_late(j, state);
        return;
    }
    fer_arena *a = j->attempt->arena;
    fer_outcome o = {.code = meaning_of(j->command, state)};
    o.phase = phase_of(o.code, state);
    if (o.code) describe_failure(a, j, state, &o);
    else value_of(j, a, &o);
    fer_attempt_end(take_attempt(j), &o);
}

static void on_input_lost(fer_process *p, fer_input_loss why)
{
    job *j = fer_process_owner(p);
    if (j->attempt && why == FER_INPUT_STUCK)
        give_up(j, FER_TIMEOUT, "the command does not read its standard input");
}

static void stop_if_done(pack *k)
{
    if (k->stopping && !k->jobs) fer_runner_stopped(&k->runner);
}

static void on_gone(fer_process *p)
{
    job *j = fer_process_owner(p);
    pack *k = j->pack;
    job **at = &k->jobs;
    while (*at != j) at = &(*at)->next;
    *at = j->next;
    fer_line_split_deinit(&j->lines);
    EVP_MD_CTX_free(j->sum);
    fer_sys_free(j);
    stop_if_done(k);
}

static const fer_process_events events = {.on_output = on_output,
                                          .on_input_lost = on_input_lost,
                                          .on_exit = on_exit_state,
                                          .on_gone = on_gone};

/* ---- starting ------------------------------------------------------------------------------- */

static int64_t left_ms(const fer_attempt *t)
{
    int64_t left = (t->deadline - fer_clock_mono()) / 1000000;
    return left > 0 ? left : 0;
}

/* What Ferrule itself tells a command. One that cannot be a variable is not told. */
static bool add_own(fer_arena *a, const char **env, size_t *count, const char *name, fer_str value)
{
    if (!value.len || fer_str_find(value, 0, '\0') != SIZE_MAX) return true;
    fer_str variable = fer_arena_printf(a, "%s=%.*s", name, FER_PRI(value));
    env[(*count)++] = variable.ptr;
    return variable.ptr != NULL;
}

static const char **make_env(const entry *e, const fer_attempt *t)
{
    const struct {
        const char *name;
        fer_str value;
    } own[] = {{"TOOL_DEADLINE_MS", fer_arena_printf(t->arena, "%lld", (long long)left_ms(t))},
               {"TOOL_CALL_ID", t->call_id},
               {"TOOL_CORRELATION_ID", t->correlation_id},
               {"TOOL_IDEMPOTENCY_KEY", t->idempotency_key},
               {"TOOL_RETRY_OWNER", t->retry_owner},
               {"TOOL_ATTEMPT",
                t->retry_owner.len ? fer_arena_printf(t->arena, "%u", t->number) : FER_STR("")},
               {"TRACEPARENT", t->traceparent}};
    size_t count = e->variable_count;
    const char **env = fer_arena_alloc_zero(t->arena, count + FER_COUNT(own) + 1, sizeof *env);
    if (!env) return NULL;
    if (count) memcpy(env, e->variables, count * sizeof *env);
    for (size_t i = 0; i < FER_COUNT(own); i++) {
        if (!add_own(t->arena, env, &count, own[i].name, own[i].value)) return NULL;
    }
    return env;
}

/* What the command reads; empty: nothing. */
static fer_code make_input(const fer_local_command *c, const fer_attempt *t, fer_str *out,
                           fer_err *err)
{
    *out = FER_STR("");
    if (c->input == FER_INPUT_JSON) {
        *out = fer_arena_printf(t->arena, "%.*s\n", FER_PRI(t->args_json));
        return out->ptr ? FER_OK : fer_arena_failed(t->arena, err);
    }
    if (c->input != FER_INPUT_PLACE) return FER_OK;
    const yyjson_val *v = fer_argv_value(&c->input_place, t->args);
    if (!v && c->input_place.optional) return FER_OK;
    if (!v)
        return fer_fail(err, FER_REQUIRED_MISSING, "the command needs the argument '%.*s'",
                        FER_PRI(c->input_place.path));
    if (!fer_is_str(v)) return fer_json_write(t->arena, v, false, out, err);
    *out = fer_val_str(v);
    return FER_OK;
}

static job *new_job(pack *k, const entry *e, fer_attempt *t)
{
    job *j = fer_sys_malloc(sizeof *j);
    if (!j) return NULL;
    *j = (job){.pack = k, .command = e->command, .attempt = t};
    fer_buf_init(&j->out, t->arena, SIZE_MAX);
    fer_line_split_init(&j->lines, 0);
    return j;
}

static fer_code start_job(job *j, const entry *e, const char *const *argv, fer_str input,
                          fer_err *err)
{
    fer_attempt *t = j->attempt;
    const char *const *env = make_env(e, t);
    int64_t left = left_ms(t);
    if (!env) return fer_arena_failed(t->arena, err);
    fer_process_spec spec = {.program = e->program.ptr,
                             .sha256 = e->command->sha256,
                             .argv = argv,
                             .env = env,
                             .cwd = e->command->cwd.len ? e->command->cwd.ptr : NULL,
                             .no_input = !input.len,
                             .write_ms =
                                 left < 1 ? 1 : (unsigned)(left < INT32_MAX ? left : INT32_MAX),
                             .events = &events,
                             .owner = j};
    fer_code code = fer_process_start(j->pack->host, &spec, &j->process, err);
    if (code || !input.len) return code;
    code = fer_process_write(j->process, input, err);
    fer_process_close_input(j->process);
    return code;
}

static void begin(pack *k, const entry *e, fer_attempt *t)
{
    const char **argv = NULL;
    fer_str input = FER_STR_NONE;
    fer_err err = {0};
    fer_code code = fer_argv_expand(t->arena, &e->command->argv, t->args, &argv, &err);
    if (!code) code = make_input(e->command, t, &input, &err);
    job *j = code ? NULL : new_job(k, e, t);
    if (!code && !j) code = fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = start_job(j, e, argv, input, &err);
    if (j && j->process) {
        t->state = j;
        t->sent = true;
        k->running++;
        j->next = k->jobs;
        k->jobs = j;
        if (code) give_up(j, code, err.message);
        return;
    }
    fer_sys_free(j);
    fer_attempt_fail(t, code, "%s", err.message);
}

/* ---- the kind ------------------------------------------------------------------------------- */

static void call(fer_runner *r, fer_attempt *t)
{
    pack *k = (pack *)r;
    const entry *e = fer_map_get(&k->commands, t->tool);
    if (!e || k->stopping) {
        fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "no command of '%.*s' has that name",
                         FER_PRI(r->name));
        return;
    }
    if (!e->command) {
        fer_attempt_vacant(t, "the command ", t->tool);
        return;
    }
    k->calls++;
    begin(k, e, t);
}

static void cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    job *j = t->state;
    char why[64];
    (void)r;
    snprintf(why, sizeof why, "the command was ended: %s", fer_cancel_names[reason]);
    begin_late(j, t->ticket);
    give_up(j, FER_CANCELLED, why);
}

static void pause_reading(fer_runner *r, fer_attempt *t, bool paused)
{
    job *j = t->state;
    (void)r;
    fer_process_pause(j->process, paused);
}

static void list(fer_runner *r, fer_listing *l)
{
    const pack *k = (const pack *)r;
    fer_err err = {0};
    fer_buf b;
    fer_buf_init(&b, l->arena, LIST_MAX);
    for (size_t i = 0; i < k->commands.cap; i++) {
        const entry *e = k->commands.entries[i].key.ptr ? k->commands.entries[i].value : NULL;
        if (!e || !e->command || !e->command->tool.len) continue;
        fer_buf_add_char(&b, b.len ? ',' : '[');
        fer_buf_add(&b, e->command->tool);
    }
    fer_buf_add_text(&b, b.len ? "]" : "[]");
    fer_code code = fer_buf_code(&b, &err);
    l->on_end(l, code, code ? FER_STR_NONE : fer_buf_view(&b), &err);
}

static size_t count_left_out(const pack *k)
{
    size_t count = 0;
    for (size_t i = 0; i < k->commands.cap; i++) {
        const entry *e = k->commands.entries[i].key.ptr ? k->commands.entries[i].value : NULL;
        count += e && !e->command;
    }
    return count;
}

static void status(const fer_runner *r, fer_runner_status *out)
{
    const pack *k = (const pack *)r;
    size_t left_out = count_left_out(k), count = k->commands.count;
    bool none = left_out && left_out == count;
    *out = (fer_runner_status){.health = k->stopping ? FER_HEALTH_STOPPED
                                         : none      ? FER_HEALTH_DOWN
                                                     : FER_HEALTH_UP,
                               .running = k->running,
                               .calls = k->calls};
    int len = snprintf(out->detail, sizeof out->detail, "%zu command%s", count, fer_s(count));
    if (left_out)
        snprintf(out->detail + len, sizeof out->detail - (size_t)len, ", %zu not set up", left_out);
}

static void stop(fer_runner *r, void (*done)(fer_runner *r))
{
    pack *k = (pack *)r;
    r->on_stopped = done;
    k->stopping = true;
    for (job *j = k->jobs; j; j = j->next) {
        fer_process_end(j->process, FER_GRACE_CANCEL);
        if (j->attempt) fail_job(j, FER_CANCELLED, "the command was ended: Shutdown");
    }
    stop_if_done(k);
}

static void free_pack(fer_runner *r)
{
    pack *k = (pack *)r;
    fer_arena_free(k->arena);
}

static const fer_runner_kind kind = {.name = "command",
                                     .backend = FER_BACKEND_LOCAL,
                                     .list = list,
                                     .call = call,
                                     .cancel = cancel,
                                     .pause = pause_reading,
                                     .status = status,
                                     .stop = stop,
                                     .free = free_pack};

fer_runner *fer_local_command_runner(fer_process_host *host, fer_str name)
{
    fer_arena *a = fer_arena_new(0);
    pack *k = a ? fer_arena_alloc_zero(a, 1, sizeof *k) : NULL;
    if (k)
        k->runner = (fer_runner){
            .kind = &kind, .name = fer_arena_copy(a, name), .loop = fer_process_host_loop(host)};
    if (!k || !k->runner.name.ptr) {
        fer_arena_free(a);
        return NULL;
    }
    k->arena = a;
    k->host = host;
    fer_map_init(&k->commands, a);
    return &k->runner;
}

/* ---- adding --------------------------------------------------------------------------------- */

static bool is_set(const fer_local_command *c, fer_str name)
{
    for (size_t i = 0; i < c->set_count; i++) {
        if (fer_str_eq(c->set[i].name, name)) return true;
    }
    return false;
}

static bool add_variable(fer_arena *a, entry *e, fer_str name, fer_str value)
{
    fer_str text = fer_arena_printf(a, "%.*s=%.*s", FER_PRI(name), FER_PRI(value));
    e->variables[e->variable_count++] = text.ptr;
    return text.ptr != NULL;
}

/* What it passes on is taken from our environment as it is now; what it sets comes first. */
static bool add_variables(fer_arena *a, entry *e)
{
    const fer_local_command *c = e->command;
    e->variables = fer_arena_alloc_zero(a, c->pass_count + c->set_count + 1, sizeof *e->variables);
    bool added = e->variables != NULL;
    for (size_t i = 0; added && i < c->set_count; i++)
        added = add_variable(a, e, c->set[i].name, c->set[i].value);
    for (size_t i = 0; added && i < c->pass_count; i++) {
        fer_str name = fer_arena_copy(a, c->pass[i]);
        const char *value = name.ptr ? getenv(name.ptr) : NULL;
        if (value && !is_set(c, name)) added = add_variable(a, e, name, fer_str_of(value));
        if (!name.ptr) added = false;
    }
    return added;
}

fer_code fer_local_command_add(fer_runner *r, const fer_local_command *c, fer_str path,
                               fer_err *err)
{
    pack *k = (pack *)r;
    fer_str program = fer_argv_program(&c->argv);
    entry *e = fer_arena_alloc_zero(k->arena, 1, sizeof *e);
    if (!e) return fer_arena_failed(k->arena, err);
    e->command = c;
    fer_code code = fer_process_find(k->arena, program, path, &e->program, err);
    if (code) return code;
    void **slot = add_variables(k->arena, e) ? fer_map_put(&k->commands, c->name) : NULL;
    if (!slot) return fer_arena_failed(k->arena, err);
    *slot = e;
    return FER_OK;
}

fer_code fer_local_command_leave_out(fer_runner *r, fer_str name, fer_err *err)
{
    pack *k = (pack *)r;
    entry *e = fer_arena_alloc_zero(k->arena, 1, sizeof *e);
    void **slot = e ? fer_map_put(&k->commands, name) : NULL;
    if (!slot) return fer_arena_failed(k->arena, err);
    *slot = e;
    return FER_OK;
}
