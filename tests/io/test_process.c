/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: their bytes, their end, and that nothing of their tree is left: F30-F35, F43, F46, F47
 * and F50-F56 of the list of faults, by badtool.
 */
#include "process.h"

#include <signal.h>
#include <sys/prctl.h>

#include "children.h"
#include "rows.h"
#include "sys.h"

#define SLACK_MS 3000 /* what a busy machine may add to times that are asserted */

/* When the test asks for the end. */
enum when {
    NEVER,
    AT_ONCE,   /* right after the start */
    ON_OUTPUT, /* when the first byte has come */
    ON_EXIT
};

struct ask {
    enum when when;
    fer_process_grace grace;
};

static const struct row {
    const char *name;
    const char *argv[6]; /* of badtool */
    const char *input;   /* NULL: none, and no pipe */
    struct ask ask;
    const char *out; /* NULL: whatever it is */
    int code, signal;
    const char *plan; /* of faults, or NULL */
} rows[] = {
    {"prints", {"print", "a", "b"}, NULL, {NEVER, {0}}, "ab", 0, 0},
    {"arguments are its own",
     {"argv", "", "a b", "$(id);*", "-x\n"},
     NULL,
     {NEVER, {0}},
     "[\"\",\"a b\",\"$(id);*\",\"-x\\u000a\"]",
     0,
     0},
    {"no descriptors but three", {"descriptors"}, NULL, {NEVER, {0}}, "[0,1,2]", 0, 0},
    {"reads what it is given", {"echo"}, "some text\n", {NEVER, {0}}, "some text\n", 0, 0},
    {"input of a byte at a time", {"echo"}, "text", {NEVER, {0}}, "text", 0, 0, "write:short=1@1+"},
    {"writes are put off", {"echo"}, "text", {NEVER, {0}}, "text", 0, 0, "write:EAGAIN@1"},
    {"writes are interrupted", {"echo"}, "text", {NEVER, {0}}, "text", 0, 0, "write:EINTR@1"},
    {"output of a byte at a time",
     {"print", "abc"},
     NULL,
     {NEVER, {0}},
     "abc",
     0,
     0,
     "read:short=1@1+"},
    {"reads are interrupted", {"print", "abc"}, NULL, {NEVER, {0}}, "abc", 0, 0, "read:EINTR@3"},
    {"no pidfd", {"print", "abc"}, NULL, {NEVER, {0}}, "abc", 0, 0, "pidfd:ENOSYS@1+"},
    {"F30 exits with a code", {"exit", "3"}, "x", {NEVER, {0}}, "", 3, 0},
    {"F31 crashes half-way", {"segv"}, NULL, {NEVER, {0}}, "{\"half\":", -1, SIGSEGV},
    {"F32 exits without a word", {"exit", "0"}, NULL, {NEVER, {0}}, "", 0, 0},
    {"F33 hangs", {"hang"}, NULL, {AT_ONCE, {0, 500}}, "", -1, SIGTERM},
    {"F33 hangs, killed", {"hang"}, NULL, {AT_ONCE, {0, 0}}, "", -1, SIGKILL},
    {"F33 hangs, without pidfd",
     {"hang"},
     NULL,
     {AT_ONCE, {0, 500}},
     "",
     -1,
     SIGTERM,
     "pidfd:ENOSYS@1+"},
    {"F34 hangs after half a line",
     {"partial"},
     NULL,
     {ON_OUTPUT, {0, 500}},
     "{\"half\":",
     -1,
     SIGTERM},
    {"F35 ignores SIGTERM", {"ignore-term"}, NULL, {ON_OUTPUT, {0, 100}}, "ready\n", -1, SIGKILL},
    {"ends by itself on SIGTERM", {"term"}, NULL, {ON_OUTPUT, {0, 500}}, "ready\n", 0, 0},
    {"ends with its input", {"echo"}, "", {AT_ONCE, {5000, 500}}, "", 0, 0},
    {"does not end with its input",
     {"no-read"},
     "",
     {ON_OUTPUT, {50, 500}},
     "ready\n",
     -1,
     SIGTERM},
    {"F47 never reads", {"no-read"}, "x", {ON_OUTPUT, {0, 0}}, "ready\n", -1, SIGKILL},
    {"F50 leaves a daemon with the pipes", {"daemon"}, NULL, {NEVER, {0}}, "{\"daemon\":1}", 0, 0},
    {"F50 leaves a daemon that ignores SIGTERM",
     {"daemon", "ignore"},
     NULL,
     {NEVER, {0}},
     "{\"daemon\":1}",
     0,
     0},
    {"F50 leaves a daemon without a mark",
     {"daemon", "bare"},
     NULL,
     {NEVER, {0}},
     "{\"daemon\":1}",
     0,
     0},
    {"F51 1,000 children", {"children", "1000"}, NULL, {ON_OUTPUT, {0, 500}}, "{}\n", -1, SIGTERM},
    {"F51 1,000 children, killed",
     {"children", "1000"},
     NULL,
     {ON_OUTPUT, {0, 0}},
     "{}\n",
     -1,
     SIGKILL},
    {"F51 leaves 100 children", {"children", "100", "exit"}, NULL, {NEVER, {0}}, "{}\n", 0, 0},
    {"each child starts the next", {"relay"}, NULL, {ON_EXIT, {0, 0}}, "{}\n", 0, 0},
    {"F52 is stopped", {"stop"}, NULL, {ON_OUTPUT, {0, 2000}}, "ready\n", -1, SIGTERM},
    {"F55 closes its output and lives",
     {"close-output"},
     NULL,
     {ON_OUTPUT, {0, 500}},
     "{}",
     -1,
     SIGTERM},
    {"orphans that end are waited for", {"orphan"}, "", {NEVER, {0}}, "ready\n", 0, 0},
};

/* ---- running one ---------------------------------------------------------------------------- */

struct watch {
    const struct ask *ask;
    fer_process *process;
    char out[4096];
    size_t len;
    uint64_t bytes;
    int ends, exits, gone, lost;
    fer_exit_state state;
    fer_input_loss why;
    int64_t asked, gone_at;
    size_t lines;     /* of standard error */
    fer_arena *arena; /* NULL: what is below is not taken */
    fer_str kept;     /* of standard error, when it exits */
    fer_process_counts counts;
};

static void ask_end(struct watch *w, enum when when)
{
    if (!w->ask || w->ask->when != when || w->asked) return;
    w->asked = fer_clock_mono();
    fer_process_end(w->process, w->ask->grace);
}

static void on_output(fer_process *p, fer_str bytes)
{
    struct watch *w = fer_process_owner(p);
    assert_int_equal(w->ends + w->exits + w->gone, 0);
    size_t room = sizeof w->out - w->len, n = bytes.len < room ? bytes.len : room;
    memcpy(w->out + w->len, bytes.ptr, n);
    w->len += n;
    w->bytes += bytes.len;
    ask_end(w, ON_OUTPUT);
}

static void on_output_end(fer_process *p)
{
    struct watch *w = fer_process_owner(p);
    w->ends++;
}

static void on_error_line(fer_process *p, fer_str line)
{
    struct watch *w = fer_process_owner(p);
    w->lines++;
    assert_true(line.len <= FER_PROCESS_LINE_TOLD);
}

static void on_input_lost(fer_process *p, fer_input_loss why)
{
    struct watch *w = fer_process_owner(p);
    w->lost++;
    w->why = why;
}

static void on_exit_state(fer_process *p, const fer_exit_state *state)
{
    struct watch *w = fer_process_owner(p);
    w->exits++;
    w->state = *state;
    if (w->arena) w->kept = fer_process_stderr(w->arena, p, SIZE_MAX);
    w->counts = fer_process_counted(p);
    ask_end(w, ON_EXIT);
}

static void on_gone(fer_process *p)
{
    struct watch *w = fer_process_owner(p);
    w->gone++;
    w->gone_at = fer_clock_mono();
}

static const fer_process_events events = {.on_output = on_output,
                                          .on_output_end = on_output_end,
                                          .on_error_line = on_error_line,
                                          .on_input_lost = on_input_lost,
                                          .on_exit = on_exit_state,
                                          .on_gone = on_gone};

/* A loop with its host, and what must be as before when both are gone. */
struct house {
    uv_loop_t loop;
    fer_process_host *host;
    size_t descriptors;
    int64_t live;
};

static void open_house(struct house *h)
{
    /* The first loop of a process keeps two descriptors for signals. */
    static bool warm;
    if (!warm) {
        warm = true;
        open_house(h);
        fer_process_host_free(h->host);
        uv_run(&h->loop, UV_RUN_DEFAULT);
        uv_loop_close(&h->loop);
    }
    h->descriptors = open_descriptors();
    h->live = fer_faults_live();
    assert_int_equal(uv_loop_init(&h->loop), 0);
    fer_process_host_options options = {.alone = true};
    assert_int_equal(fer_process_host_new(&h->loop, &options, &h->host, NULL), FER_OK);
}

static void close_house(struct house *h)
{
    fer_process_host_free(h->host);
    uv_run(&h->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&h->loop), 0);
    assert_no_children();
    assert_no_marks();
    assert_int_equal(open_descriptors(), h->descriptors);
    assert_int_equal(fer_faults_live(), h->live);
}

static const char *const plain_env[] = {"A=1", NULL};

static fer_code start(struct house *h, const char *const *arguments, fer_process_spec spec,
                      struct watch *w, fer_err *err)
{
    const char *argv[10] = {"badtool"};
    for (size_t i = 0; arguments[i]; i++) argv[i + 1] = arguments[i];
    if (!spec.program) spec.program = badtool();
    if (!spec.env) spec.env = plain_env;
    spec.argv = argv;
    spec.events = &events;
    spec.owner = w;
    return fer_process_start(h->host, &spec, &w->process, err);
}

static void feed(struct watch *w, const char *input)
{
    if (!input) return;
    assert_int_equal(fer_process_write(w->process, fer_str_of(input), NULL), FER_OK);
    if (!w->ask || w->ask->when == NEVER) fer_process_close_input(w->process);
}

static void run(const struct row *row)
{
    struct house h;
    struct watch w = {.ask = &row->ask};
    open_house(&h);
    assert_true(fer_faults_begin(row->plan));
    fer_process_spec spec = {.no_input = !row->input};
    assert_int_equal(start(&h, row->argv, spec, &w, NULL), FER_OK);
    feed(&w, row->input);
    ask_end(&w, AT_ONCE);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    fer_faults_begin(NULL);
    assert_int_equal(w.gone, 1);
    assert_int_equal(w.exits, 1);
    if (row->out) assert_str(((fer_str){w.out, w.len}), row->out);
    assert_int_equal(w.state.code, row->code);
    assert_int_equal(w.state.signal, row->signal);
    if (w.asked) {
        int64_t ms = (w.gone_at - w.asked) / 1000000;
        assert_true(ms <= row->ask.grace.input_ms + row->ask.grace.term_ms + 1000 + SLACK_MS);
        print_message("# gone %lld ms after it was asked\n", (long long)ms);
    }
    close_house(&h);
}

/* ---- starting ------------------------------------------------------------------------------- */

static const struct start_row {
    const char *name;
    const char *program;
    const char *cwd;
    const char *plan;
    fer_code code;
    const char *says;
} start_rows[] = {
    {"F54 is not there", "/no/such/program", NULL, NULL, FER_BACKEND_UNAVAILABLE,
     "cannot execute /no/such/program: No such file or directory"},
    {"F54 is a folder", "/tmp", NULL, NULL, FER_BACKEND_UNAVAILABLE,
     "cannot execute /tmp: Permission denied"},
    {"F54 is no program", "/etc/passwd", NULL, NULL, FER_BACKEND_UNAVAILABLE,
     "cannot execute /etc/passwd: Permission denied"},
    {"is relative", "badtool", NULL, NULL, FER_BACKEND_UNAVAILABLE,
     "badtool is not an absolute path"},
    {"no such folder", "/bin/true", "/no/such/folder", NULL, FER_BACKEND_UNAVAILABLE,
     "cannot enter the folder of /bin/true: No such file or directory"},
    {"no process left", "/bin/true", NULL, "spawn:EAGAIN@1", FER_RESOURCE_LIMIT,
     "cannot start /bin/true: Resource temporarily unavailable"},
    {"no descriptor left", "/bin/true", NULL, "pipe:EMFILE@1", FER_RESOURCE_LIMIT,
     "cannot make a pipe: Too many open files"},
    {"no descriptor left, later", "/bin/true", NULL, "pipe:EMFILE@3", FER_RESOURCE_LIMIT,
     "cannot make a pipe: Too many open files"},
    {"no memory", "/bin/true", NULL, "malloc@1", FER_OUT_OF_MEMORY, "out of memory"},
    {"no memory, later", "/bin/true", NULL, "malloc@2", FER_OUT_OF_MEMORY, "out of memory"},
    {"F17 no random numbers", "/bin/true", NULL, "random@1", FER_RESOURCE_LIMIT,
     "the system gives no random numbers"},
};

static void run_start(const struct start_row *row)
{
    struct house h;
    struct watch w = {0};
    fer_err err = {0};
    const char *none[] = {NULL};
    open_house(&h);
    assert_true(fer_faults_begin(row->plan));
    fer_process_spec spec = {.program = row->program, .cwd = row->cwd};
    assert_int_equal(start(&h, none, spec, &w, &err), row->code);
    fer_faults_begin(NULL);
    assert_string_equal(err.message, row->says);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.exits + w.gone, 0);
    close_house(&h);
}

/* The environment is what was given and the mark; the folder too. */
static void environment(void)
{
    struct house h;
    struct watch w = {0}, w2 = {0};
    const char *const mode[] = {"env", NULL}, *const cwd[] = {"cwd", NULL};
    open_house(&h);
    assert_int_equal(start(&h, mode, (fer_process_spec){0}, &w, NULL), FER_OK);
    assert_int_equal(start(&h, cwd, (fer_process_spec){.cwd = "/usr"}, &w2, NULL), FER_OK);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    w.out[w.len] = w2.out[w2.len] = '\0';
    char expected[128];
    snprintf(expected, sizeof expected, "[\"FERRULE_CHILD=%d.", (int)getpid());
    assert_int_equal(strncmp(w.out, expected, strlen(expected)), 0);
    const char *behind = strchr(w.out, ',');
    assert_non_null(behind);
    assert_string_equal(behind, ",\"A=1\"]");
    assert_true(behind - w.out > (ptrdiff_t)strlen(expected) + 32);
    assert_string_equal(w2.out, "\"/usr\"");
    close_house(&h);
}

static const struct find_row {
    const char *name;
    const char *program;
    const char *path;
    const char *found; /* NULL: it is not */
} find_rows[] = {
    {"absolute", "/any/where", "", "/any/where"},
    {"in PATH", "sh", "/no/where:/bin:/usr/bin", "/bin/sh"},
    {"relative folders are passed over", "sh", ".::bin:/usr/bin", "/usr/bin/sh"},
    {"nowhere", "no-such-program", "/bin:/usr/bin", NULL},
    {"not executable", "passwd", "/etc", NULL},
    {"a folder", "bin", "/usr", NULL},
    {"relative", "bin/sh", "/", NULL},
    {"up", "../bin/sh", "/usr", NULL},
    {"nothing", "", "/bin", NULL},
    {"no PATH", "sh", "", NULL},
};

static void run_find(const struct find_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str found;
    fer_err err;
    fer_code code =
        fer_process_find(a, fer_str_of(row->program), fer_str_of(row->path), &found, &err);
    assert_int_equal(code, row->found ? FER_OK : FER_BACKEND_UNAVAILABLE);
    if (row->found) assert_str(found, row->found);
    fer_arena_free(a);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* F47: what waits is bounded, in bytes and in time. */
static void stuck_input(void)
{
    struct house h;
    struct ask ask = {NEVER, {0, 0}};
    struct watch w = {.ask = &ask};
    fer_err err;
    static char large[1 << 20];
    const char *const mode[] = {"no-read", NULL};
    open_house(&h);
    fer_process_spec spec = {.write_max = sizeof large, .write_ms = 50};
    assert_int_equal(start(&h, mode, spec, &w, NULL), FER_OK);
    memset(large, 'x', sizeof large);
    assert_int_equal(fer_process_write(w.process, (fer_str){large, sizeof large}, NULL), FER_OK);
    size_t waiting = fer_process_waiting(w.process);
    assert_true(waiting > 0 && waiting < sizeof large);
    size_t room = sizeof large - waiting;
    assert_int_equal(fer_process_write(w.process, (fer_str){large, room + 1}, &err),
                     FER_LIMIT_EXCEEDED);
    assert_int_equal(fer_process_waiting(w.process), waiting);
    assert_int_equal(fer_process_write(w.process, (fer_str){large, room}, NULL), FER_OK);
    while (!w.lost) uv_run(&h.loop, UV_RUN_ONCE);
    assert_int_equal(w.why, FER_INPUT_STUCK);
    assert_int_equal(fer_process_waiting(w.process), 0);
    assert_int_equal(fer_process_write(w.process, FER_STR("x"), &err), FER_BACKEND_UNAVAILABLE);
    fer_process_end(w.process, FER_GRACE_NONE);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.lost, 1);
    close_house(&h);
}

/* A program that closes its input: no signal, and it is told. */
static void closed_input(void)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"close-input", NULL};
    open_house(&h);
    assert_int_equal(start(&h, mode, (fer_process_spec){0}, &w, NULL), FER_OK);
    while (!w.len) uv_run(&h.loop, UV_RUN_ONCE);
    assert_int_equal(fer_process_write(w.process, FER_STR("x"), NULL), FER_OK);
    assert_int_equal(w.lost, 0);
    while (!w.lost) uv_run(&h.loop, UV_RUN_ONCE);
    assert_int_equal(w.why, FER_INPUT_CLOSED);
    fer_process_end(w.process, FER_GRACE_NONE);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    close_house(&h);
}

/* What is written in one turn of the loop leaves together, whole and in order, however it goes on.
 */
static const struct turn_row {
    const char *name;
    size_t sizes[8]; /* of what is written; 0: no more */
    enum then {
        RUN,
        CLOSE,
        END
    } then;
} turn_rows[] = {
    {"one byte, and the loop", {1}, RUN},
    {"small ones, and the loop", {10, 20, 30, 1}, RUN},
    {"small ones, and its input is closed", {10, 20, 30, 1}, CLOSE},
    {"small ones, and it is ended", {10, 20, 30, 1}, END},
    {"as much as is gathered", {1000, FER_PROCESS_GATHER - 1000}, RUN},
    {"a byte more than is gathered", {1000, FER_PROCESS_GATHER - 1000, 1}, RUN},
    {"one that is never gathered", {FER_PROCESS_GATHER + 1}, RUN},
    {"large ones between small ones", {10, 40000, 10, FER_PROCESS_GATHER, 40000, 1}, RUN},
    {"large ones between small ones, and its input is closed", {10, 40000, 10, 50000, 1}, CLOSE},
    {"more than the pipe takes", {10, 200000, 10}, RUN},
    {"more than the pipe takes, and its input is closed", {10, 200000, 10}, CLOSE},
};

static void run_turn(const struct turn_row *row)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"echo", NULL};
    static char large[200000], expected[sizeof w.out];
    size_t total = 0;
    open_house(&h);
    assert_int_equal(start(&h, mode, (fer_process_spec){0}, &w, NULL), FER_OK);
    for (int i = 0; row->sizes[i]; i++) {
        memset(large, 'a' + i, row->sizes[i]);
        assert_int_equal(fer_process_write(w.process, (fer_str){large, row->sizes[i]}, NULL),
                         FER_OK);
        for (size_t k = 0; k < row->sizes[i] && total + k < sizeof expected; k++)
            expected[total + k] = (char)('a' + i);
        total += row->sizes[i];
    }
    while (row->then == RUN && w.bytes < total) uv_run(&h.loop, UV_RUN_ONCE);
    if (row->then == RUN) assert_int_equal(fer_process_waiting(w.process), 0);
    if (row->then == END) fer_process_end(w.process, (fer_process_grace){20000, 20000});
    else fer_process_close_input(w.process);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.bytes, total);
    assert_memory_equal(w.out, expected, w.len);
    assert_int_equal(w.state.code, 0);
    close_house(&h);
}

/* 16 MiB through both pipes at once, in order. */
static void large_echo(void)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"echo", NULL};
    static char piece[1 << 20];
    open_house(&h);
    fer_process_spec spec = {.write_max = (size_t)16 << 20};
    assert_int_equal(start(&h, mode, spec, &w, NULL), FER_OK);
    for (int i = 0; i < 16; i++) {
        memset(piece, 'a' + i, sizeof piece);
        assert_int_equal(fer_process_write(w.process, (fer_str){piece, sizeof piece}, NULL),
                         FER_OK);
    }
    fer_process_close_input(w.process);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.bytes, (uint64_t)16 << 20);
    assert_int_equal(w.state.code, 0);
    close_house(&h);
}

static void spin(struct house *h, int64_t ms)
{
    int64_t end = fer_clock_mono() + ms * 1000000;
    while (fer_clock_mono() < end) {
        uv_run(&h->loop, UV_RUN_NOWAIT);
        usleep(1000);
    }
}

/* While nobody reads, the program waits; what it left is told after it has exited. */
static void pause_and_resume(void)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"lines", "2000", NULL};
    open_house(&h);
    assert_int_equal(start(&h, mode, (fer_process_spec){0}, &w, NULL), FER_OK);
    fer_process_pause(w.process, true);
    spin(&h, 200); /* 2,000 lines fit into a pipe: it exits */
    assert_int_equal(w.bytes, 0);
    assert_int_equal(w.exits, 0);
    fer_process_pause(w.process, false);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.bytes, 18890);
    assert_int_equal(w.gone, 1);
    close_house(&h);
}

static void paused_and_ended(void)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"lines", "1000000", NULL};
    open_house(&h);
    assert_int_equal(start(&h, mode, (fer_process_spec){0}, &w, NULL), FER_OK);
    fer_process_pause(w.process, true);
    spin(&h, 50);
    assert_int_equal(w.bytes, 0);
    fer_process_end(w.process, FER_GRACE_CANCEL);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.gone, 1);
    close_house(&h);
}

/* F46: a flood on standard error is read, a ring of it kept, a few lines told. */
static void stderr_flood(void)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"stderr", "67108864", NULL};
    open_house(&h);
    w.arena = fer_arena_new(0);
    assert_int_equal(start(&h, mode, (fer_process_spec){.no_input = true}, &w, NULL), FER_OK);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.kept.len, FER_PROCESS_STDERR);
    assert_str(fer_str_slice(w.kept, w.kept.len - 15, w.kept.len), "the last words\n");
    assert_int_equal(w.counts.error, 67108864 + 15);
    assert_int_equal(w.lines, FER_PROCESS_LINES_TOLD);
    assert_int_equal(w.counts.lines_untold + w.lines, 1024 * 655 + 1);
    assert_str(((fer_str){w.out, w.len}), "{\"flooded\":true}");
    fer_arena_free(w.arena);
    close_house(&h);
}

/* F43: 64 MiB without a line's end pass through, piece by piece. */
static void long_output(void)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"long", "67108864", NULL};
    open_house(&h);
    assert_int_equal(start(&h, mode, (fer_process_spec){.no_input = true}, &w, NULL), FER_OK);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.bytes, 67108864 + 5);
    close_house(&h);
}

/* ---- many, orphans, leftovers --------------------------------------------------------------- */

/* 50 trees at once, each ended for itself: the end of one takes nothing from another. */
static void many_at_once(void)
{
    struct house h;
    static struct watch w[50];
    struct ask ask = {NEVER, {0, 0}};
    const char *const mode[] = {"children", "3", NULL};
    memset(w, 0, sizeof w);
    open_house(&h);
    for (size_t i = 0; i < FER_COUNT(w); i++) {
        w[i].ask = &ask;
        assert_int_equal(start(&h, mode, (fer_process_spec){.no_input = true}, &w[i], NULL),
                         FER_OK);
    }
    for (size_t i = 0; i < FER_COUNT(w); i++) {
        while (!w[i].len) uv_run(&h.loop, UV_RUN_ONCE);
    }
    for (size_t i = 1; i < FER_COUNT(w); i++) fer_process_end(w[i].process, FER_GRACE_CANCEL);
    for (size_t i = 1; i < FER_COUNT(w); i++) {
        while (!w[i].gone) uv_run(&h.loop, UV_RUN_ONCE);
    }
    assert_int_equal(w[0].exits, 0);
    assert_int_equal(kill(fer_process_pid(w[0].process), 0), 0);
    fer_process_end(w[0].process, FER_GRACE_CANCEL);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    close_house(&h);
}

static size_t zombies(void)
{
    fer_proc_table t = {0};
    size_t found = 0;
    assert_true(fer_proc_table_read(&t, 0, NULL, NULL));
    for (size_t i = 0; i < t.count; i++)
        found += t.rows[i].parent == getpid() && fer_proc_is_dead(&t.rows[i]);
    fer_proc_table_deinit(&t);
    return found;
}

/* An orphan that dies by itself is waited for while its server lives on. */
static void orphan_dies(void)
{
    struct house h;
    struct watch w = {0};
    const char *const mode[] = {"orphan", NULL};
    open_house(&h);
    assert_int_equal(start(&h, mode, (fer_process_spec){0}, &w, NULL), FER_OK);
    while (!w.len) uv_run(&h.loop, UV_RUN_ONCE);
    while (!zombies()) spin(&h, 10);
    for (int i = 0; i < 1000 && zombies(); i++) spin(&h, 10);
    assert_int_equal(zombies(), 0);
    assert_int_equal(w.exits, 0);
    fer_process_close_input(w.process);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.state.code, 0);
    close_house(&h);
}

/* A child of the program's own, in our session, is not taken from it. */
static void own_children_stay(void)
{
    struct house h;
    struct watch w = {0};
    int status = 0;
    const char *const mode[] = {"daemon", NULL};
    open_house(&h);
    pid_t own = fork();
    if (own == 0) {
        for (;;) pause();
    }
    assert_int_equal(start(&h, mode, (fer_process_spec){.no_input = true}, &w, NULL), FER_OK);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.gone, 1);
    assert_int_equal(kill(own, SIGUSR1), 0);
    assert_int_equal(waitpid(own, &status, 0), own);
    assert_int_equal(WTERMSIG(status), SIGUSR1);
    close_house(&h);
}

/* A whole gateway of its own: starts trees, says so, and is killed. */
static void doomed_gateway(int ready)
{
    struct house h;
    static struct watch w[20];
    const char *const daemon[] = {"daemon", "ignore", NULL}, *const hang[] = {"ignore-term", NULL};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail before it kills this one */
    uv_loop_init(&h.loop);
    fer_process_host_new(&h.loop, NULL, &h.host, NULL);
    /* Every other one leaves a daemon, which is not killed with its parents. */
    for (size_t i = 0; i < FER_COUNT(w); i++)
        start(&h, i % 2 ? hang : daemon, (fer_process_spec){.no_input = true}, &w[i], NULL);
    for (size_t i = 0; i < FER_COUNT(w); i++) {
        while (!w[i].len) uv_run(&h.loop, UV_RUN_ONCE);
    }
    if (write(ready, "x", 1) != 1) _exit(1);
    for (;;) pause();
}

static size_t count_marked(pid_t maker)
{
    fer_proc_table t = {0};
    char prefix[32];
    size_t found = 0;
    snprintf(prefix, sizeof prefix, "%d.", (int)maker);
    assert_true(fer_proc_table_read(&t, 0, NULL, NULL));
    for (size_t i = 0; i < t.count; i++)
        found +=
            strncmp(t.rows[i].mark, prefix, strlen(prefix)) == 0 && !fer_proc_is_dead(&t.rows[i]);
    fer_proc_table_deinit(&t);
    return found;
}

/* F56: its children die with it; what else is left is found and killed by the next one. */
static void killed_gateway(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t gateway = fork();
    if (gateway == 0) doomed_gateway(ready[1]);
    fer_process_sweep(); /* of earlier runs that were ended */
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(count_marked(gateway) >= 10);
    assert_int_equal(fer_process_sweep(), 0); /* it lives: nothing of it is touched */
    assert_true(count_marked(gateway) >= 10);
    kill(gateway, SIGKILL);
    waitpid(gateway, NULL, 0);
    fer_process_sweep();
    for (int i = 0; i < 500 && count_marked(gateway); i++) usleep(10000);
    assert_int_equal(count_marked(gateway), 0);
    close(ready[0]);
    close(ready[1]);
}

int main(void)
{
    return ROWS_RUN("process", rows, run) + ROWS_RUN("start", start_rows, run_start) +
           ROWS_RUN("find", find_rows, run_find) + ROWS_ONE("process", environment) +
           ROWS_ONE("process", stuck_input) + ROWS_ONE("process", closed_input) +
           ROWS_RUN("turns", turn_rows, run_turn) + ROWS_ONE("process", large_echo) +
           ROWS_ONE("process", pause_and_resume) + ROWS_ONE("process", paused_and_ended) +
           ROWS_ONE("process", stderr_flood) + ROWS_ONE("process", long_output) +
           ROWS_ONE("process", many_at_once) + ROWS_ONE("process", orphan_dies) +
           ROWS_ONE("process", own_children_stay) + ROWS_ONE("process", killed_gateway);
}
