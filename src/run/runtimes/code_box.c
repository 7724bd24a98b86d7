/* SPDX-License-Identifier: Apache-2.0 */
#include "code_box.h"

#include "code_stdio.h"
#include "errors.h"
#include "line_pair.h"
#include "sys.h"

#define WALL_SPARE_MS 1000 /* past the owner's own clock, which is the one that counts */

struct fer_box {
    fer_box_spec spec;
    fer_process *process; /* of one that runs bare; NULL: gone */
    fer_sandbox *sandbox; /* of one that does not */
    fer_sandbox_report report;
    fer_pair *pair; /* NULL: closed, or the lines go by `output` */
    fer_stdio_split output;
    uint64_t printed; /* bytes, of one whose output has lines in it */
    bool ended_early; /* by us, as `end` says */
    bool dropped;     /* nothing is told any more */
    bool lines_over;  /* no more lines will come */
    bool starved;     /* as there was no memory for them */
    bool exited;
    bool told; /* the end was */
    fer_job_end end;
    char why[FER_ERR_TEXT]; /* of the end */
};

void *fer_box_owner(const fer_box *b)
{
    return b->spec.owner;
}

/* ---- the end ----------------------------------------------------------------------------------
 */

static void close_pair(fer_box *b)
{
    if (b->pair) fer_pair_close(b->pair);
    b->pair = NULL;
}

/* When the program has ended and its last line was told. */
static void end_if_over(fer_box *b)
{
    if (b->dropped || b->told || !b->exited || !b->lines_over) return;
    b->told = true;
    if (b->starved && b->end.hit == FER_BOUNDS) {
        b->end.code = FER_OUT_OF_MEMORY;
        snprintf(b->why, sizeof b->why, "there was no memory for what the program was to be told");
    }
    if (b->end.code) b->end.message = fer_str_of(b->why);
    b->spec.events->end(b, &b->end);
}

/* Nothing of it is left; whoever held its lines open is gone with the rest. */
static void end_box(fer_box *b)
{
    if (!b->lines_over) {
        b->lines_over = true;
        end_if_over(b);
    }
    close_pair(b);
    b->spec.events->gone(b);
    fer_stdio_deinit(&b->output);
    fer_sys_free(b);
}

void fer_box_drop(fer_box *b, fer_process_grace grace)
{
    if (b->dropped) return;
    b->dropped = true;
    close_pair(b);
    if (b->process) fer_process_end(b->process, grace);
    if (b->sandbox) fer_sandbox_cancel(b->sandbox, grace);
}

/* ---- lines ------------------------------------------------------------------------------------
 */

/* Which layers stand is known before the first line is told, so that no result lacks it. */
static bool on_line(void *context, fer_str line)
{
    fer_box *b = context;
    if (b->sandbox) fer_sandbox_heard(b->sandbox);
    b->spec.events->line(b, line);
    return b->pair != NULL;
}

/* Told as a line that nobody can read, so that its author hears of it. */
static void on_too_long(void *context)
{
    fer_box *b = context;
    b->spec.events->line(b, FER_STR(""));
}

static void on_lines_end(void *context)
{
    fer_box *b = context;
    b->lines_over = true;
    end_if_over(b);
}

/* Nothing can be said any more, and of what it was told a part may be missing: the program sees the
 * end of its input. */
static void on_lines_lost(void *context)
{
    fer_box *b = context;
    b->starved = fer_pair_starved(b->pair);
    close_pair(b);
    on_lines_end(context);
}

static const fer_pair_events pair_events = {
    .line = on_line, .too_long = on_too_long, .end = on_lines_end, .lost = on_lines_lost};

/* What cannot be held is the end of its input, as of a pair. */
static void say_to_input(fer_box *b, fer_str line)
{
    if (fer_sandbox_write(b->sandbox, line, NULL) ||
        fer_sandbox_write(b->sandbox, FER_STR("\n"), NULL))
        fer_sandbox_close_input(b->sandbox);
}

void fer_box_say(fer_box *b, fer_str line)
{
    if (b->dropped || b->lines_over) return;
    if (b->pair) fer_pair_write(b->pair, line);
    else if (b->spec.stdio && b->sandbox) say_to_input(b, line);
}

void fer_box_pause(fer_box *b, bool paused)
{
    if (b->pair) fer_pair_pause(b->pair, paused);
    if (b->process) fer_process_pause(b->process, paused);
    if (b->sandbox) fer_sandbox_pause(b->sandbox, paused);
}

/* ---- bare -------------------------------------------------------------------------------------
 */

static void print(fer_box *b, fer_printed which, fer_str bytes)
{
    if (!b->dropped) b->spec.events->print(b, which, bytes);
}

static void on_output(fer_process *p, fer_str bytes)
{
    print(fer_process_owner(p), FER_PRINTED_OUT, bytes);
}

static void on_error_output(fer_process *p, fer_str bytes)
{
    print(fer_process_owner(p), FER_PRINTED_ERR, bytes);
}

/* The program has ended by itself or by a signal. */
static void note_exit(fer_box *b, int code, int signal)
{
    b->exited = true;
    b->end.exit_code = signal ? -1 : code;
    b->end.signal = signal;
    if (!code && !signal) return;
    b->end.code = FER_TOOL_FAILED;
    if (signal) snprintf(b->why, sizeof b->why, "the program was ended by signal %d", signal);
    else snprintf(b->why, sizeof b->why, "the program ended with exit code %d", code);
}

static void on_exit(fer_process *p, const fer_exit_state *state)
{
    fer_box *b = fer_process_owner(p);
    note_exit(b, state->code, state->signal);
    end_if_over(b);
}

static void on_gone(fer_process *p)
{
    fer_box *b = fer_process_owner(p);
    b->process = NULL;
    end_box(b);
}

static const fer_process_events process_events = {.on_output = on_output,
                                                  .on_error_output = on_error_output,
                                                  .on_exit = on_exit,
                                                  .on_gone = on_gone};

static fer_code start_bare(fer_box *b, const struct fer_sys_handed *handed, size_t count,
                           fer_err *err)
{
    fer_process_spec spec = {.program = b->spec.program,
                             .by_descriptor = b->spec.by_descriptor,
                             .descriptor = b->spec.descriptor,
                             .handed = handed,
                             .handed_count = count,
                             .argv = b->spec.argv,
                             .env = b->spec.env,
                             .no_input = true,
                             .events = &process_events,
                             .owner = b};
    return fer_process_start(b->spec.processes, &spec, &b->process, err);
}

/* ---- in a sandbox -----------------------------------------------------------------------------
 */

/* Which limit of the sandbox holds which bound. */
static const struct {
    fer_bound bound;
    fer_box_limit limit;
} limit_rows[] = {
    {FER_BOUND_CPU, FER_BOX_CPU},
    {FER_BOUND_MEMORY, FER_BOX_MEMORY},
    {FER_BOUND_PROCESSES, FER_BOX_PROCESSES},
    {FER_BOUND_DISK, FER_BOX_DISK},
    {FER_BOUND_TIME, FER_BOX_WALL},
    {FER_BOUND_OUTPUT, FER_BOX_OUTPUT},
};

static fer_bound bound_of(fer_box_limit limit)
{
    for (size_t i = 0; i < FER_COUNT(limit_rows); i++)
        if (limit_rows[i].limit == limit) return limit_rows[i].bound;
    return FER_BOUNDS;
}

static void on_ready(fer_sandbox *s)
{
    fer_box *b = fer_sandbox_owner(s);
    b->report = *fer_sandbox_report_get(s);
}

/* What both streams may have together: twice a stream's bound, and one to see that it was met. */
static uint64_t output_most(const fer_box *b)
{
    return (uint64_t)b->spec.bounds[FER_BOUND_OUTPUT] * 2 + 1;
}

static void end_early(fer_box *b, fer_code code, fer_bound hit, const char *why)
{
    if (b->ended_early) return;
    b->ended_early = true;
    b->end.code = code;
    b->end.hit = hit;
    snprintf(b->why, sizeof b->why, "%s", why);
    fer_sandbox_cancel(b->sandbox, FER_GRACE_NONE);
}

/* Where lines are among it the sandbox cannot count what is printed. */
static void print_counted(fer_box *b, fer_printed which, fer_str bytes)
{
    b->printed += bytes.len;
    if (b->spec.stdio && b->printed > output_most(b))
        end_early(b, FER_RESOURCE_LIMIT, FER_BOUND_OUTPUT,
                  "the program was ended: it printed more than it may");
    else print(b, which, bytes);
}

static void on_output_line(void *context, fer_str line)
{
    fer_box *b = context;
    if (!b->dropped && !b->ended_early) b->spec.events->line(b, line);
}

static void on_output_printed(void *context, fer_str bytes)
{
    print_counted(context, FER_PRINTED_OUT, bytes);
}

static void on_box_output(fer_sandbox *s, fer_str bytes)
{
    fer_box *b = fer_sandbox_owner(s);
    if (!b->spec.stdio) print(b, FER_PRINTED_OUT, bytes);
    else if (fer_stdio_feed(&b->output, bytes,
                            &(fer_stdio_taker){on_output_line, on_output_printed, b}))
        end_early(b, FER_OUT_OF_MEMORY, FER_BOUNDS, "out of memory for a line of the program's");
}

static void on_box_error_output(fer_sandbox *s, fer_str bytes)
{
    print_counted(fer_sandbox_owner(s), FER_PRINTED_ERR, bytes);
}

static void on_box_end(fer_sandbox *s, const fer_sandbox_end *e)
{
    fer_box *b = fer_sandbox_owner(s);
    b->report = *fer_sandbox_report_get(s);
    b->exited = true;
    if (b->spec.stdio) {
        fer_stdio_end(&b->output, &(fer_stdio_taker){on_output_line, on_output_printed, b});
        b->lines_over = true;
    }
    if (b->ended_early) {
        b->end.exit_code = -1;
    } else if (e->cause == FER_SANDBOX_EXITED || e->cause == FER_SANDBOX_SIGNALLED) {
        note_exit(b, e->code, e->signal);
    } else {
        b->end.code = e->why.code ? e->why.code : FER_CANCELLED;
        if (e->cause == FER_SANDBOX_LIMITED) b->end.hit = bound_of(e->limit);
        snprintf(b->why, sizeof b->why, "%s", e->why.message);
    }
    if (e->cause == FER_SANDBOX_NOT_STARTED) b->lines_over = true;
    end_if_over(b);
}

static void on_box_gone(fer_sandbox *s)
{
    fer_box *b = fer_sandbox_owner(s);
    b->sandbox = NULL;
    end_box(b);
}

static const fer_sandbox_events sandbox_events = {.on_ready = on_ready,
                                                  .on_output = on_box_output,
                                                  .on_error_output = on_box_error_output,
                                                  .on_end = on_box_end,
                                                  .on_gone = on_box_gone};

/* A bound as the sandbox takes it: within what it knows, and with room for what others hold. */
static uint64_t limit_for(const fer_box *b, fer_bound bound, fer_box_limit limit)
{
    const fer_box_limit_row *row = &fer_box_limit_rows[limit];
    uint64_t value = (uint64_t)b->spec.bounds[bound];
    if (bound == FER_BOUND_TIME) value = b->spec.warm ? UINT64_MAX : value + WALL_SPARE_MS;
    if (bound == FER_BOUND_OUTPUT) value = b->spec.stdio ? row->max : output_most(b);
    if (value == UINT64_MAX) return value;
    return value < row->least ? row->least : value > row->max ? row->max : value;
}

static fer_code start_sandbox(fer_box *b, const struct fer_sys_handed *handed, size_t count,
                              fer_err *err)
{
    fer_sandbox_spec spec = {.program = b->spec.program,
                             .by_descriptor = b->spec.by_descriptor,
                             .descriptor = b->spec.descriptor,
                             .argv = b->spec.argv,
                             .env = b->spec.env,
                             .handed = handed,
                             .handed_count = count,
                             .no_input = !b->spec.stdio,
                             .binds = b->spec.binds,
                             .bind_count = b->spec.bind_count,
                             .files = b->spec.files,
                             .file_count = b->spec.file_count,
                             .profile = b->spec.profile,
                             .proc = b->spec.proc,
                             .jit = b->spec.jit,
                             .allow_degraded = b->spec.allow_degraded,
                             .events = &sandbox_events,
                             .owner = b};
    for (size_t i = 0; i < FER_COUNT(limit_rows); i++)
        spec.limits[limit_rows[i].limit] = limit_for(b, limit_rows[i].bound, limit_rows[i].limit);
    return fer_sandbox_start(b->spec.sandboxes, &spec, &b->sandbox, err);
}

void fer_box_work(fer_box *b, int64_t ms)
{
    if (b->sandbox) fer_sandbox_wall(b->sandbox, (uint64_t)ms + WALL_SPARE_MS);
}

/* ---- the beginning ----------------------------------------------------------------------------
 */

static void close_ends(const int ends[4])
{
    for (int i = 0; i < 4; i++)
        if (ends[i] >= 0) fer_sys_close(ends[i]);
}

static fer_code open_lines(fer_box *b, int ends[4], fer_err *err)
{
    uv_loop_t *loop = fer_process_host_loop(b->spec.processes);
    if (fer_sys_pipe(ends) || fer_sys_pipe(ends + 2))
        return fer_fail(err, FER_RESOURCE_LIMIT, "no descriptors are left for a program");
    fer_code code = fer_pair_open(loop, ends[2], ends[1], &pair_events, b, &b->pair, err);
    if (!code) ends[1] = ends[2] = -1; /* the pair's */
    return code;
}

static fer_code start(fer_box *b, const int ends[4], fer_err *err)
{
    fer_str code = b->spec.code;
    int fd = code.ptr ? fer_sys_sealed("code", code.ptr, code.len) : -1;
    const struct fer_sys_handed handed[] = {
        {ends[0], FER_BOX_IN}, {ends[3], FER_BOX_OUT}, {fd, FER_BOX_CODE}};
    size_t count = b->spec.stdio ? 0 : FER_COUNT(handed) - (fd < 0);
    if (code.ptr && fd < 0)
        return fer_fail(err, FER_RESOURCE_LIMIT, "no descriptors are left for a program");
    fer_code failed = b->spec.sandboxes ? start_sandbox(b, handed, count, err)
                                        : start_bare(b, handed, count, err);
    if (fd >= 0) fer_sys_close(fd);
    return failed;
}

fer_code fer_box_start(const fer_box_spec *spec, fer_box **out, fer_err *err)
{
    int ends[4] = {-1, -1, -1, -1}; /* 0: it reads, 1: we write; 2: we read, 3: it writes */
    fer_box *b = fer_sys_malloc_zero(sizeof *b);
    if (!b) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    b->spec = *spec;
    b->end = (fer_job_end){.hit = FER_BOUNDS, .exit_code = -1};
    fer_stdio_init(&b->output);
    fer_code code = spec->stdio ? FER_OK : open_lines(b, ends, err);
    if (!code) code = start(b, ends, err);
    close_ends(ends);
    if (code) {
        close_pair(b);
        fer_sys_free(b);
        return code;
    }
    *out = b;
    return FER_OK;
}

/* ---- what it says of itself -------------------------------------------------------------------
 */

void fer_box_held(fer_arena *a, const fer_box *b, const char *held[FER_BOUNDS])
{
    for (int i = 0; i < FER_BOUNDS; i++) held[i] = NULL;
    for (size_t i = 0; b->spec.sandboxes && i < FER_COUNT(limit_rows); i++) {
        const fer_box_limit_state *state = &b->report.limits[limit_rows[i].limit];
        bool shared =
            limit_rows[i].bound == FER_BOUND_TIME || limit_rows[i].bound == FER_BOUND_OUTPUT;
        if (state->enforced && !shared)
            held[limit_rows[i].bound] = fer_arena_printf(a, "%s", state->by).ptr;
    }
}

static void add_layers(const fer_box *b, fer_buf *out)
{
    bool first = true;
    for (int i = 0; i < FER_LAYER_COUNT; i++) {
        const fer_layer_state *state = &b->report.layers[i];
        fer_buf_printf(out, "%s\"%s\":\"%s\"", first ? "" : ",", fer_layer_rows[i].name,
                       fer_layer_stand_names[state->stand]);
        first = false;
    }
}

void fer_box_info(const fer_box *b, fer_buf *out)
{
    if (!b->spec.sandboxes) {
        fer_buf_add_text(out,
                         "\"sandbox\":null,\"unsafe\":true,\"warning\":\"This code ran without any "
                         "sandbox, with all that the gateway's user may do.\"");
        return;
    }
    fer_buf_printf(out, "\"profile\":\"%s\",\"degraded\":%s,\"sandbox\":{",
                   fer_sandbox_profile_names[b->spec.profile],
                   b->report.degraded ? "true" : "false");
    add_layers(b, out);
    fer_buf_add_char(out, '}');
}
