/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting sandboxes and saying how they ended. The warden is a process like any other to
 * process.h, which has its pipes and ends its tree; what is added here is the pipe over which it
 * tells how the layers stand, the clock, the count of what was printed, and the cgroups.
 */
#include "sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cell_image.h"
#include "errors.h"
#include "sandbox_parts.h"

#define REMOVE_FIRST_MS 2   /* between tries to remove a cgroup; doubled each time */
#define REMOVE_MAX_MS   500 /* up to this */
#define REMOVE_TRIES    40

static const fer_sandbox_events no_events;

const char *const fer_sandbox_cause_names[FER_SANDBOX_CAUSE_COUNT] = {
    "exited", "signalled", "limit", "cancelled", "not-started"};

struct fer_sandbox {
    fer_sandbox_host *host;
    fer_process *process; /* NULL: gone */
    const fer_sandbox_events *events;
    void *owner;
    uint64_t limits[FER_BOX_LIMIT_COUNT];
    fer_process_grace grace;
    uint32_t removed;
    bool allow_degraded;
    fer_cgroup cgroup;
    fer_sandbox_report report;

    /* what the warden tells */
    int status; /* -1: closed */
    uv_poll_t status_poll;
    char piece[sizeof(struct cell_record)]; /* of a record */
    size_t piece_len;

    uv_timer_t timer; /* of the clock; once it has ended, of removing cgroups */
    unsigned tries;
    unsigned handles; /* of the loop that are not closed */

    bool ready, failed, limited, cancelled;
    bool has_status; /* the program's own end was told */
    int wait_status;
    fer_sandbox_end end;
};

/* ---- what the warden tells ------------------------------------------------------------------ */

static void fail(fer_sandbox *s, fer_code code, const char *format, ...) FER_PRINTF(3, 4);
static void fail(fer_sandbox *s, fer_code code, const char *format, ...)
{
    va_list args;
    if (s->failed) return; /* the first reason counts */
    s->failed = true;
    s->end.why.code = code;
    va_start(args, format);
    fer_format_text(s->end.why.message, sizeof s->end.why.message, format, args);
    va_end(args);
}

static void take_layer(fer_sandbox *s, const struct cell_record *r)
{
    if (r->what >= FER_LAYER_COUNT || r->value < 0 || r->value > FER_STAND_REMOVED) return;
    const fer_layer_row *row = &fer_layer_rows[r->what];
    fer_layer_state *state = &s->report.layers[r->what];
    state->stand = (fer_layer_stand)r->value;
    snprintf(state->detail, sizeof state->detail, "%.*s", (int)sizeof r->text, r->text);
    if (state->stand != FER_STAND_MISSING || !row->needed || s->allow_degraded) return;
    fail(s, FER_SANDBOX_VIOLATION,
         "the layer %s of the sandbox is missing (%s); nothing was run, as that is not allowed "
         "to be degraded",
         row->name, state->detail);
}

static void take_failure(fer_sandbox *s, const struct cell_record *r)
{
    bool scarce = r->value == EAGAIN || r->value == ENOMEM || r->value == EMFILE ||
                  r->value == ENFILE || r->value == ENOSPC;
    fail(s, scarce ? FER_RESOURCE_LIMIT : FER_BACKEND_UNAVAILABLE, "the sandbox cannot %.*s",
         (int)sizeof r->text, r->text);
}

static void meet(fer_sandbox *s, fer_box_limit limit)
{
    if (s->limited || s->cancelled || s->has_status) return;
    s->limited = true;
    s->end.limit = limit;
}

/* The report is whole: how the layers stand is known, and so what holds the limits. */
static void complete_report(fer_sandbox *s)
{
    for (int i = 0; i < FER_LAYER_COUNT; i++) {
        fer_layer_stand stand = s->report.layers[i].stand;
        bool up = stand == FER_STAND_UP || stand == FER_STAND_PARTLY;
        if (fer_layer_rows[i].needed && !up) s->report.degraded = true;
    }
    fer_report_limits(&s->report, s->limits, &s->host->place, &s->cgroup,
                      s->report.layers[FER_LAYER_MOUNT].stand == FER_STAND_UP);
}

static void take_ready(fer_sandbox *s)
{
    if (s->failed || s->ready) return;
    s->ready = true;
    complete_report(s);
    if (s->events->on_ready) s->events->on_ready(s);
}

static void take_exit(fer_sandbox *s, const struct cell_record *r)
{
    s->has_status = true;
    s->wait_status = r->value;
}

static void take_usage(fer_sandbox *s, const struct cell_record *r)
{
    s->end.cpu_ms = r->cpu_ms;
    s->end.memory_peak = r->memory;
    s->end.process_peak = r->processes;
}

static void take_record(fer_sandbox *s, const struct cell_record *r)
{
    switch ((enum cell_record_kind)r->kind) {
    case CELL_LAYER: take_layer(s, r); break;
    case CELL_READY: take_ready(s); break;
    case CELL_FAILED: take_failure(s, r); break;
    case CELL_LIMIT:
        if (r->what < FER_BOX_LIMIT_COUNT) meet(s, (fer_box_limit)r->what);
        break;
    case CELL_EXIT: take_exit(s, r); break;
    case CELL_USAGE: take_usage(s, r); break;
    }
}

static void handle_closed(uv_handle_t *handle);

static void close_status(fer_sandbox *s)
{
    if (s->status < 0) return;
    uv_close((uv_handle_t *)&s->status_poll, handle_closed);
    fer_sys_close(s->status);
    s->status = -1;
}

/* Reads all records that are there. */
static void read_records(fer_sandbox *s)
{
    struct cell_record r;
    while (s->status >= 0) {
        ssize_t n = fer_sys_read(s->status, s->piece + s->piece_len, sizeof r - s->piece_len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            close_status(s);
            return;
        }
        s->piece_len += (size_t)n;
        if (s->piece_len < sizeof r) continue;
        memcpy(&r, s->piece, sizeof r);
        s->piece_len = 0;
        take_record(s, &r);
    }
}

static void on_status(uv_poll_t *poll, int status, int events)
{
    fer_sandbox *s = poll->data;
    (void)events;
    if (status < 0) close_status(s);
    else read_records(s);
}

/* ---- what it prints ------------------------------------------------------------------------- */

/* A program that prints runs, also where that has not been told yet. */
void fer_sandbox_heard(fer_sandbox *s)
{
    if (s->ready) return;
    read_records(s);
    take_ready(s);
}

/* The part of what was printed that is within the limit; past it, it is killed. A program that has
 * ended by itself meanwhile met the limit all the same: not all that it printed is told. */
static fer_str within(fer_sandbox *s, fer_str bytes)
{
    uint64_t before = s->end.output, limit = s->limits[FER_BOX_OUTPUT];
    fer_sandbox_heard(s);
    s->end.output += bytes.len;
    if (s->end.output <= limit) return bytes;
    if (!s->limited) {
        s->limited = !s->cancelled;
        s->end.limit = FER_BOX_OUTPUT;
        fer_process_end(s->process, FER_GRACE_NONE);
    }
    return fer_str_slice(bytes, 0, before < limit ? (size_t)(limit - before) : 0);
}

static void on_output(fer_process *p, fer_str bytes)
{
    fer_sandbox *s = fer_process_owner(p);
    fer_str told = within(s, bytes);
    if (told.len && s->events->on_output) s->events->on_output(s, told);
}

static void on_error_output(fer_process *p, fer_str bytes)
{
    fer_sandbox *s = fer_process_owner(p);
    fer_str told = within(s, bytes);
    if (told.len && s->events->on_error_output) s->events->on_error_output(s, told);
}

static void on_input_lost(fer_process *p, fer_input_loss why)
{
    fer_sandbox *s = fer_process_owner(p);
    if (s->events->on_input_lost) s->events->on_input_lost(s, why);
}

/* ---- its end -------------------------------------------------------------------------------- */

/* Limits that the kernel itself has held, by how the program ended. */
static void find_limit(fer_sandbox *s)
{
    int number = s->has_status && WIFSIGNALED(s->wait_status) ? WTERMSIG(s->wait_status) : 0;
    bool killed = !s->has_status || number == SIGKILL;
    if (s->limited || s->cancelled || s->failed) return;
    s->limited = true;
    if (killed && fer_cgroup_overrun(&s->host->place, &s->cgroup)) s->end.limit = FER_BOX_MEMORY;
    else if (number == SIGXCPU) s->end.limit = FER_BOX_CPU;
    else if (killed && s->end.cpu_ms >= s->limits[FER_BOX_CPU]) s->end.limit = FER_BOX_CPU;
    else if (number == SIGXFSZ) s->end.limit = FER_BOX_DISK;
    else s->limited = false;
}

static void tell_limit(fer_sandbox *s)
{
    const fer_box_limit_row *row = &fer_box_limit_rows[s->end.limit];
    s->end.cause = FER_SANDBOX_LIMITED;
    fer_fail(&s->end.why, s->end.limit == FER_BOX_WALL ? FER_TIMEOUT : FER_RESOURCE_LIMIT,
             "the program was ended: it met its limit %s, %llu%s%s %s", row->name,
             (unsigned long long)s->limits[s->end.limit], row->unit[0] ? " " : "", row->unit,
             row->text);
}

static void conclude(fer_sandbox *s)
{
    fer_sandbox_end *e = &s->end;
    if (!s->ready) complete_report(s);
    find_limit(s);
    if (!s->failed && !s->ready && !s->cancelled && !s->limited)
        fail(s, FER_BACKEND_UNAVAILABLE, "the sandbox ended before the program began");
    e->code = -1;
    if (s->has_status && WIFEXITED(s->wait_status)) e->code = WEXITSTATUS(s->wait_status);
    else e->signal = s->has_status ? WTERMSIG(s->wait_status) : SIGKILL;
    if (s->failed) e->cause = FER_SANDBOX_NOT_STARTED;
    else if (s->limited) tell_limit(s);
    else if (s->cancelled) e->cause = FER_SANDBOX_CANCELLED;
    else e->cause = e->code >= 0 ? FER_SANDBOX_EXITED : FER_SANDBOX_SIGNALLED;
}

static void on_warden_exit(fer_process *p, const fer_exit_state *state)
{
    fer_sandbox *s = fer_process_owner(p);
    (void)state;
    uv_timer_stop(&s->timer);
    read_records(s);
    conclude(s);
    if (s->events->on_end) s->events->on_end(s, &s->end);
}

static void handle_closed(uv_handle_t *handle)
{
    fer_sandbox *s = handle->data;
    if (--s->handles > 0) return;
    if (s->events->on_gone) s->events->on_gone(s);
    fer_sys_free(s);
}

/* A cgroup is busy until the kernel has done with the last of its dead. */
static void remove_cgroup(uv_timer_t *timer)
{
    fer_sandbox *s = timer->data;
    unsigned ms = (unsigned)REMOVE_FIRST_MS << (s->tries < 8 ? s->tries : 8);
    if (fer_cgroup_remove(&s->cgroup) || s->tries++ >= REMOVE_TRIES)
        uv_close((uv_handle_t *)&s->timer, handle_closed);
    else uv_timer_start(&s->timer, remove_cgroup, ms < REMOVE_MAX_MS ? ms : REMOVE_MAX_MS, 0);
}

static void let_go(fer_sandbox *s)
{
    s->process = NULL;
    uv_timer_stop(&s->timer);
    close_status(s);
    remove_cgroup(&s->timer);
}

static void on_warden_gone(fer_process *p)
{
    let_go(fer_process_owner(p));
}

static const fer_process_events process_events = {.on_output = on_output,
                                                  .on_error_output = on_error_output,
                                                  .on_input_lost = on_input_lost,
                                                  .on_exit = on_warden_exit,
                                                  .on_gone = on_warden_gone};

void fer_sandbox_cancel(fer_sandbox *s, fer_process_grace grace)
{
    if (!s->process) return;
    if (!s->limited && !s->has_status) s->cancelled = true;
    fer_process_end(s->process, grace);
}

static void on_time(uv_timer_t *timer)
{
    fer_sandbox *s = timer->data;
    meet(s, FER_BOX_WALL);
    if (s->process) fer_process_end(s->process, s->grace);
}

void fer_sandbox_wall(fer_sandbox *s, uint64_t ms)
{
    if (!s->process) return;
    s->limits[FER_BOX_WALL] = s->report.limits[FER_BOX_WALL].limit = ms;
    s->report.limits[FER_BOX_WALL].enforced = ms != UINT64_MAX;
    snprintf(s->report.limits[FER_BOX_WALL].by, sizeof s->report.limits[FER_BOX_WALL].by, "%s",
             ms == UINT64_MAX ? "nothing that holds it stands" : "timer");
    if (ms == UINT64_MAX) uv_timer_stop(&s->timer);
    else uv_timer_start(&s->timer, on_time, ms, 0);
}

/* ---- its start ------------------------------------------------------------------------------ */

static fer_sandbox *new_sandbox(fer_sandbox_host *h, const fer_sandbox_spec *spec)
{
    fer_sandbox *s = fer_sys_malloc_zero(sizeof *s);
    if (!s) return NULL;
    s->host = h;
    s->events = spec->events ? spec->events : &no_events;
    s->owner = spec->owner;
    s->status = -1;
    s->removed = spec->removed;
    s->allow_degraded = spec->allow_degraded;
    s->grace = spec->grace.input_ms || spec->grace.term_ms ? spec->grace : FER_GRACE_CANCEL;
    s->handles = 1;
    s->timer.data = s;
    uv_timer_init(fer_process_host_loop(h->processes), &s->timer);
    return s;
}

/* Where the kernel is to hold memory and processes. */
static void take_cgroups(fer_sandbox *s)
{
    const fer_cgroup_place *place = &s->host->place;
    fer_layer_state *state = &s->report.layers[FER_LAYER_CGROUP];
    if (s->removed & (1u << FER_LAYER_CGROUP)) {
        state->stand = FER_STAND_REMOVED;
        return;
    }
    fer_cgroup_make(place, s->host->made++, s->limits, &s->cgroup);
    bool all = s->cgroup.memory && s->cgroup.pids, none = !s->cgroup.memory && !s->cgroup.pids;
    state->stand = all ? FER_STAND_UP : none ? FER_STAND_MISSING : FER_STAND_PARTLY;
    if (none)
        snprintf(state->detail, sizeof state->detail, "%s",
                 place->why[0] ? place->why : "this process may not make cgroups");
    else
        snprintf(state->detail, sizeof state->detail, "v%d:%s%s", place->version,
                 s->cgroup.memory ? " memory" : "", s->cgroup.pids ? " pids" : "");
}

static fer_code open_status(fer_sandbox *s, int *theirs, fer_err *err)
{
    int ends[2];
    if (fer_sys_pipe(ends) != 0)
        return fer_fail(err, FER_RESOURCE_LIMIT, "cannot make a pipe: %s", strerror(errno));
    *theirs = ends[1];
    int failed = uv_poll_init(fer_process_host_loop(s->host->processes), &s->status_poll, ends[0]);
    if (failed) {
        fer_sys_close(ends[0]);
        return fer_fail(err, FER_RESOURCE_LIMIT, "cannot watch a pipe: %s", uv_strerror(failed));
    }
    s->status = ends[0];
    s->status_poll.data = s;
    s->handles++;
    uv_poll_start(&s->status_poll, UV_READABLE, on_status);
    return FER_OK;
}

static fer_code launch(fer_sandbox *s, const fer_sandbox_spec *spec, int status, int plan,
                       fer_err *err)
{
    static const char *const argv[] = {"ferrule-cell", NULL}, *const env[] = {NULL};
    struct fer_sys_handed handed[3 + CELL_CGROUPS + CELL_HANDED_MAX] = {{status, CELL_FD_STATUS},
                                                                        {plan, CELL_FD_PLAN}};
    size_t count = 2;
    if (spec->by_descriptor)
        handed[count++] = (struct fer_sys_handed){spec->descriptor, CELL_FD_PROGRAM};
    for (uint32_t i = 0; i < s->cgroup.count; i++)
        handed[count++] = (struct fer_sys_handed){s->cgroup.procs[i], CELL_FD_CGROUPS + (int)i};
    for (size_t i = 0; i < spec->handed_count; i++)
        handed[count++] = (struct fer_sys_handed){spec->handed[i].from, CELL_FD_HANDED + (int)i};
    fer_process_spec p = {.program = "the sandbox",
                          .by_descriptor = true,
                          .descriptor = s->host->cell,
                          .handed = handed,
                          .handed_count = count,
                          .argv = argv,
                          .env = env,
                          .no_input = spec->no_input,
                          .events = &process_events,
                          .owner = s};
    return fer_process_start(s->host->processes, &p, &s->process, err);
}

fer_code fer_sandbox_begin(fer_sandbox_host *h, const fer_sandbox_spec *spec, bool probe,
                           fer_sandbox **out, fer_err *err)
{
    uint64_t limits[FER_BOX_LIMIT_COUNT];
    int status = -1, plan = -1;
    fer_code code = fer_spec_check(spec, limits, err);
    if (code) return code;
    fer_sandbox *s = new_sandbox(h, spec);
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memcpy(s->limits, limits, sizeof limits);
    take_cgroups(s);
    code = fer_plan_write(spec, limits, &s->cgroup, probe, &plan, err);
    if (!code) code = open_status(s, &status, err);
    if (!code) code = launch(s, spec, status, plan, err);
    if (status >= 0) fer_sys_close(status);
    if (plan >= 0) fer_sys_close(plan);
    fer_cgroup_close(&s->cgroup);
    if (code) {
        s->events = &no_events;
        let_go(s);
        return code;
    }
    if (limits[FER_BOX_WALL] != UINT64_MAX)
        uv_timer_start(&s->timer, on_time, limits[FER_BOX_WALL], 0);
    *out = s;
    return FER_OK;
}

fer_code fer_sandbox_start(fer_sandbox_host *h, const fer_sandbox_spec *spec, fer_sandbox **out,
                           fer_err *err)
{
    return fer_sandbox_begin(h, spec, false, out, err);
}

/* ---- hosts ---------------------------------------------------------------------------------- */

fer_code fer_sandbox_host_new(fer_process_host *processes, fer_sandbox_host **out, fer_err *err)
{
    fer_str image = fer_cell_image();
    fer_sandbox_host *h = fer_sys_malloc_zero(sizeof *h);
    if (!h) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    h->processes = processes;
    h->cell = fer_sys_sealed("ferrule-cell", image.ptr, image.len);
    if (h->cell < 0) {
        fer_sys_free(h);
        return fer_fail(err, FER_RESOURCE_LIMIT, "the system gives no file of memory: %s",
                        strerror(errno));
    }
    fer_cgroup_find(&h->place);
    *out = h;
    return FER_OK;
}

void fer_sandbox_host_free(fer_sandbox_host *h)
{
    if (!h) return;
    fer_sys_close(h->cell);
    fer_sys_free(h);
}

/* ---- what it is ----------------------------------------------------------------------------- */

void *fer_sandbox_owner(const fer_sandbox *s)
{
    return s->owner;
}

void fer_sandbox_disown(fer_sandbox *s)
{
    s->events = &no_events;
    s->owner = NULL;
}

const fer_sandbox_report *fer_sandbox_report_get(const fer_sandbox *s)
{
    return &s->report;
}

int fer_sandbox_pid(const fer_sandbox *s)
{
    return s->process ? fer_process_pid(s->process) : 0;
}

fer_code fer_sandbox_write(fer_sandbox *s, fer_str bytes, fer_err *err)
{
    if (s->process) return fer_process_write(s->process, bytes, err);
    return fer_fail(err, FER_BACKEND_UNAVAILABLE, "the sandbox has ended");
}

size_t fer_sandbox_waiting(const fer_sandbox *s)
{
    return s->process ? fer_process_waiting(s->process) : 0;
}

void fer_sandbox_close_input(fer_sandbox *s)
{
    if (s->process) fer_process_close_input(s->process);
}

void fer_sandbox_pause(fer_sandbox *s, bool paused)
{
    if (s->process) fer_process_pause(s->process, paused);
}
