/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting programs and ending their trees.
 *
 * The program itself is waited for last: until nothing of its tree is left it stays a zombie, so
 * that its number, which is also that of its session and its group, cannot come to mean another
 * process. That it has exited is seen through a pidfd; where there are none, by asking.
 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "errors.h"
#include "process_parts.h"
#include "program_hash.h"
#include "sys.h"

#define ASK_MS         20  /* between questions whether it has exited, without a pidfd */
#define ROUND_FIRST_MS 5   /* between looks at a tree that is to end; doubled each time */
#define ROUND_MAX_MS   500 /* up to this */

static const fer_process_events no_events;

static void on_timer(uv_timer_t *timer);
static void on_exited(uv_poll_t *poll, int status, int events);

/* ---- the tree ------------------------------------------------------------------------------- */

/* A child of this process in a session that is not ours, and not started by this host. */
static bool is_orphan(const fer_process_host *h, const fer_proc *row)
{
    return row->parent == h->pid && row->session != h->session &&
           !fer_process_host_runs(h, row->pid);
}

/* One of which nothing tells whose it was: ours, where nobody else has any. */
static bool is_nobodys(const fer_process *p, const fer_proc *row)
{
    const fer_process_host *h = p->host;
    bool only = h->first == p && !p->next;
    return h->alone && h->adopts && (only || fer_proc_is_dead(row)) && !row->mark[0] &&
           is_orphan(h, row);
}

/*
 * Whether it belongs to the tree. Of a dead orphan nothing may tell that; but what it started as
 * its last act may be ours, so it is a reason to look again.
 */
static void judge(const fer_process *p, fer_proc *row)
{
    const fer_proc *before = fer_proc_table_find(&p->seen, row->pid);
    if (before && before->start != row->start) before = NULL;
    bool again = p->seen_look == p->host->looks; /* the same look: nothing is new */
    row->known = before && (again ? before->known : fer_proc_is_dead(before));
    row->fresh = again ? before && before->fresh : !before;
    row->ours = row->taken = false;
    if (row->pid == p->pid || row->start < p->start) return;
    row->ours = row->session == p->pid || strcmp(row->mark, p->mark) == 0 ||
                (before && before->ours) || is_nobodys(p, row);
    row->taken = row->ours || (fer_proc_is_dead(row) && is_orphan(p->host, row));
}

/* Takes the children of what is taken. True: there were some. */
static bool take_children(const fer_process *p, const fer_proc_table *t)
{
    bool some = false;
    for (size_t i = 0; i < t->count; i++) {
        fer_proc *row = &t->rows[i];
        const fer_proc *parent = row->taken ? NULL : fer_proc_table_find(t, row->parent);
        if (row->taken || row->pid == p->pid) continue;
        if (row->parent != p->pid && !(parent && parent->ours)) continue;
        row->taken = row->ours = some = true;
    }
    return some;
}

/* Looks for all of its tree but the program itself; they are in `seen` then, by pid. */
static void look_at_tree(fer_process *p)
{
    const fer_proc_table *t = fer_process_host_look(p->host);
    for (size_t i = 0; i < t->count; i++) judge(p, &t->rows[i]);
    while (take_children(p, t)) {
    }
    p->seen.count = 0;
    p->seen_look = p->host->looks;
    for (size_t i = 0; i < t->count; i++) {
        fer_proc *copy = t->rows[i].taken ? fer_proc_table_add(&p->seen) : NULL;
        if (copy) *copy = t->rows[i];
    }
}

/*
 * A signal to the group reaches all of it at once, so that nobody in it can fork away from it, and
 * costs little; the look for the rest of the tree comes with the next turn of the loop. Who is
 * stopped hears SIGTERM only when it goes on.
 */
static void signal_group(fer_process *p, int number)
{
    if (!p->pid) return;
    fer_sys_kill(-p->pid, -1, number);
    if (number == SIGTERM) fer_sys_kill(-p->pid, -1, SIGCONT);
    p->due = number;
}

/*
 * Who starts the next one and ends is only caught by a look between the two: where somebody new is
 * met, the looks stay close to each other.
 */
static void signal_rest(fer_process *p)
{
    look_at_tree(p);
    for (size_t i = 0; i < p->seen.count; i++) {
        const fer_proc *row = &p->seen.rows[i];
        if (fer_proc_is_dead(row) || row->group == p->pid) continue;
        fer_proc_signal(row, p->due);
        if (row->fresh) p->round_ms = ROUND_FIRST_MS;
        if (row->state == 'T') fer_proc_signal(row, SIGCONT);
    }
    p->due = 0;
}

/*
 * Whether nothing but the program, which has exited, is left; waits for those who have ended. Only
 * we can wait for orphans: so whoever is not seen because it was started during the look has a
 * parent that is seen dead, for the first time.
 */
static bool tree_is_gone(fer_process *p)
{
    bool gone = true;
    if (fer_process_host_no_orphans(p->host)) return true;
    look_at_tree(p);
    for (size_t i = 0; i < p->seen.count; i++) {
        const fer_proc *row = &p->seen.rows[i];
        bool orphan = row->parent == p->host->pid;
        if (!fer_proc_is_dead(row) || (orphan && !row->known)) gone = false;
        if (fer_proc_is_dead(row) && orphan && row->ours) fer_process_host_reap(p->host, row->pid);
    }
    return gone;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void unlink_process(fer_process *p)
{
    fer_process **at = &p->host->first;
    if (!p->linked) return;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
}

void fer_process_handle_closed(uv_handle_t *handle)
{
    fer_process *p = handle->data;
    if (--p->handles > 0 || !p->finished) return;
    unlink_process(p);
    if (p->events->on_gone) p->events->on_gone(p);
    fer_pipes_free(p);
    fer_proc_table_deinit(&p->seen);
    fer_sys_free(p);
}

static void stop_watching(fer_process *p)
{
    if (p->pidfd < 0) return;
    uv_close((uv_handle_t *)&p->exit_poll, fer_process_handle_closed);
    fer_sys_close(p->pidfd);
    p->pidfd = -1;
}

static void finish(fer_process *p)
{
    int status;
    while (p->pid && fer_sys_wait(p->pid, &status) < 0 && errno == EINTR) {
    }
    p->pid = 0;
    p->finished = true;
    fer_process_host_changed(p->host);
    fer_pipes_lose_input(p);
    fer_pipe_close(&p->out);
    fer_pipe_close(&p->err);
    stop_watching(p);
    uv_close((uv_handle_t *)&p->write_timer, fer_process_handle_closed);
    uv_close((uv_handle_t *)&p->timer, fer_process_handle_closed);
}

static void schedule(fer_process *p)
{
    uint64_t now = uv_now(p->host->loop), delay = UINT64_MAX;
    if (p->phase == FER_PROCESS_CLOSED || p->phase == FER_PROCESS_TERMED)
        delay = p->until > now ? p->until - now : 0;
    if ((p->exited || p->phase == FER_PROCESS_KILLED) && p->round_ms < delay) {
        delay = p->round_ms;
        if (p->round_ms < ROUND_MAX_MS) p->round_ms *= 2;
    }
    if (!p->exited && p->pidfd < 0 && ASK_MS < delay) delay = ASK_MS;
    if (p->due) delay = 0;
    if (delay == UINT64_MAX) uv_timer_stop(&p->timer);
    else uv_timer_start(&p->timer, on_timer, delay, 0);
}

/* Begins a phase that lasts `ms`. */
static void enter(fer_process *p, enum fer_process_phase phase, unsigned ms)
{
    p->phase = phase;
    p->until = uv_now(p->host->loop) + ms;
    p->round_ms = ROUND_FIRST_MS;
    if (phase == FER_PROCESS_KILLED) signal_group(p, SIGKILL);
    else if (phase == FER_PROCESS_TERMED) signal_group(p, SIGTERM);
    schedule(p);
}

static void tell_exit(fer_process *p)
{
    if (p->exit_told) return;
    if (p->left && p->out.fd >= 0 && !p->ending) return;
    p->exit_told = true;
    if (p->events->on_exit) p->events->on_exit(p, &p->state);
}

void fer_process_step(fer_process *p)
{
    if (p->finished || !p->exited) return;
    tell_exit(p);
    if (!p->tree_gone) p->tree_gone = tree_is_gone(p);
    if (p->tree_gone && p->exit_told) finish(p);
    else if (p->tree_gone) uv_timer_stop(&p->timer);
    else if (p->phase < FER_PROCESS_TERMED) enter(p, FER_PROCESS_TERMED, FER_PROCESS_LEFT_MS);
}

/* The program has exited if the system says so, or if somebody else in this process took it. */
static void ask(fer_process *p)
{
    int status = 0, known = fer_sys_peek(p->pid, &status);
    if (known == 0 || (known < 0 && errno != ECHILD)) return;
    p->exited = true;
    p->state = (fer_exit_state){.code = -1, .asked = p->phase >= FER_PROCESS_TERMED};
    if (known < 0) p->pid = 0;
    else if (WIFEXITED(status)) p->state.code = WEXITSTATUS(status);
    else p->state.signal = WTERMSIG(status);
    p->round_ms = ROUND_FIRST_MS;
    stop_watching(p);
    fer_pipes_lose_input(p);
    fer_pipes_drain(p);
    fer_process_step(p);
}

static void on_exited(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    ask(poll->data);
}

/* Whatever came since SIGKILL. */
static void signal_again(fer_process *p)
{
    signal_group(p, SIGKILL);
    if (p->due) signal_rest(p);
}

static void on_timer(uv_timer_t *timer)
{
    fer_process *p = timer->data;
    bool round = !p->due; /* not the rest of a signal that was sent just now */
    if (p->due) signal_rest(p);
    if (!p->exited) ask(p);
    else fer_process_step(p);
    if (p->finished || p->tree_gone) return;
    if (p->phase == FER_PROCESS_CLOSED && uv_now(p->host->loop) >= p->until)
        enter(p, FER_PROCESS_TERMED, p->term_ms);
    else if (p->phase == FER_PROCESS_TERMED && uv_now(p->host->loop) >= p->until)
        enter(p, FER_PROCESS_KILLED, 0);
    else if (p->phase == FER_PROCESS_KILLED && round) signal_again(p);
    schedule(p);
}

void fer_process_end(fer_process *p, fer_process_grace grace)
{
    static const enum fer_process_phase phases[2][2] = {{FER_PROCESS_KILLED, FER_PROCESS_TERMED},
                                                        {FER_PROCESS_CLOSED, FER_PROCESS_CLOSED}};
    enum fer_process_phase phase = phases[grace.input_ms > 0][grace.term_ms > 0];
    unsigned ms = phase == FER_PROCESS_CLOSED ? grace.input_ms : grace.term_ms;
    if (p->finished) return;
    if (!p->ending || grace.term_ms < p->term_ms) p->term_ms = grace.term_ms;
    p->ending = true;
    fer_pipes_flush(p);
    fer_pipes_lose_input(p);
    if (phase > p->phase) {
        enter(p, phase, ms);
    } else if (phase == p->phase && uv_now(p->host->loop) + ms < p->until) {
        p->until = uv_now(p->host->loop) + ms;
        schedule(p);
    }
    /* One that has exited may wait for its output to be read: not any longer. */
    if (p->exited) uv_timer_start(&p->timer, on_timer, 0, 0);
}

/* ---- the start ------------------------------------------------------------------------------ */

static fer_code start_failed(fer_err *err, const fer_process_spec *spec, const char *what,
                             int number)
{
    static const struct {
        int number;
        fer_code code;
    } rows[] = {{EAGAIN, FER_RESOURCE_LIMIT},
                {EMFILE, FER_RESOURCE_LIMIT},
                {ENFILE, FER_RESOURCE_LIMIT},
                {ENOMEM, FER_OUT_OF_MEMORY},
                {E2BIG, FER_LIMIT_EXCEEDED}};
    fer_code code = FER_BACKEND_UNAVAILABLE;
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (rows[i].number == number) code = rows[i].code;
    }
    return fer_fail(err, code, "cannot %s %s: %s", what, spec->program, strerror(number));
}

/* The ends of its pipes that the program gets; -1: none yet. */
struct child_ends {
    int in, out, err;
};

static void close_ends(const struct child_ends *c)
{
    if (c->in >= 0) fer_sys_close(c->in);
    if (c->out >= 0) fer_sys_close(c->out);
    if (c->err >= 0) fer_sys_close(c->err);
}

/* A pipe whose end number `ours` is put on the loop, and whose other end is `*theirs`. */
static fer_code make_pipe(fer_process *p, struct fer_pipe_end *e, int ours, int *theirs,
                          fer_err *err)
{
    int ends[2];
    if (fer_sys_pipe(ends) != 0)
        return fer_fail(err, FER_RESOURCE_LIMIT, "cannot make a pipe: %s", strerror(errno));
    *theirs = ends[1 - ours];
    return fer_pipe_open(p, e, ends[ours], err);
}

static fer_code make_pipes(fer_process *p, const fer_process_spec *spec, struct child_ends *c,
                           fer_err *err)
{
    fer_code code = FER_OK;
    if (!spec->no_input) code = make_pipe(p, &p->in, 1, &c->in, err);
    else c->in = fer_sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
    if (!code && c->in < 0) code = start_failed(err, spec, "open /dev/null for", errno);
    if (!code) code = make_pipe(p, &p->out, 0, &c->out, err);
    if (!code) code = make_pipe(p, &p->err, 0, &c->err, err);
    return code;
}

/* The given variables, and the mark before them: in memory of its own, to be freed. */
static char **make_env(const fer_process_spec *spec, char *mark_variable)
{
    size_t count = 0;
    while (spec->env[count]) count++;
    char **env = fer_sys_malloc((count + 2) * sizeof *env);
    if (!env) return NULL;
    env[0] = mark_variable;
    for (size_t i = 0; i <= count; i++) env[i + 1] = (char *)(uintptr_t)spec->env[i];
    return env;
}

static fer_code launch(fer_process *p, const fer_process_spec *spec, const struct child_ends *c,
                       fer_err *err)
{
    char variable[sizeof FER_PROCESS_MARK + 1 + FER_MARK_TEXT];
    unsigned char random[16];
    fer_proc self;
    if (fer_sys_random(random, sizeof random) != 0)
        return fer_fail(err, FER_RESOURCE_LIMIT, "the system gives no random numbers");
    fer_process_host_mark(p->host, random, p->mark);
    snprintf(variable, sizeof variable, "%s=%s", FER_PROCESS_MARK, p->mark);
    int program = -1;
    fer_code code =
        spec->sha256.len ? fer_program_open(spec->program, spec->sha256, &program, err) : FER_OK;
    if (code) return code;
    char **env = make_env(spec, variable);
    if (!env) {
        if (program >= 0) fer_sys_close(program);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    struct fer_sys_launch l = {.program = spec->program,
                               .by_descriptor = spec->by_descriptor || program >= 0,
                               .descriptor = spec->by_descriptor ? spec->descriptor : program,
                               .handed = spec->handed,
                               .handed_count = spec->handed_count,
                               .argv = (char *const *)(uintptr_t)spec->argv,
                               .env = env,
                               .cwd = spec->cwd,
                               .in = c->in,
                               .out = c->out,
                               .err = c->err};
    int number = fer_sys_launch(&l, &p->pid);
    fer_sys_free(env);
    if (program >= 0) fer_sys_close(program);
    if (number) return start_failed(err, spec, l.failed, number);
    p->start = fer_proc_read(p->pid, &self) ? self.start : 0;
    return FER_OK;
}

/* From here on nothing can fail: without a pidfd the timer asks. */
static void watch_exit(fer_process *p)
{
    p->pidfd = fer_sys_pidfd(p->pid);
    if (p->pidfd >= 0 && uv_poll_init(p->host->loop, &p->exit_poll, p->pidfd) != 0) {
        fer_sys_close(p->pidfd);
        p->pidfd = -1;
    }
    if (p->pidfd >= 0) {
        p->exit_poll.data = p;
        p->handles++;
        uv_poll_start(&p->exit_poll, UV_READABLE, on_exited);
    }
    schedule(p);
}

static fer_process *new_process(fer_process_host *h, const fer_process_spec *spec)
{
    fer_process *p = fer_sys_malloc(sizeof *p);
    if (!p) return NULL;
    *p = (fer_process){.host = h,
                       .events = spec->events ? spec->events : &no_events,
                       .owner = spec->owner,
                       .write_max = spec->write_max ? spec->write_max : FER_PROCESS_WRITE_MAX,
                       .write_ms = spec->write_ms ? spec->write_ms : FER_PROCESS_WRITE_MS,
                       .pidfd = -1,
                       .in.fd = -1,
                       .out.fd = -1,
                       .err.fd = -1,
                       .window = uv_now(h->loop),
                       .handles = 2};
    uv_timer_init(h->loop, &p->timer);
    uv_timer_init(h->loop, &p->write_timer);
    p->timer.data = p->write_timer.data = p;
    return p;
}

fer_code fer_process_start(fer_process_host *h, const fer_process_spec *spec, fer_process **out,
                           fer_err *err)
{
    struct child_ends c = {-1, -1, -1};
    if (!spec->by_descriptor && spec->program[0] != '/')
        return fer_fail(err, FER_BACKEND_UNAVAILABLE, "%s is not an absolute path", spec->program);
    fer_process *p = new_process(h, spec);
    if (!p) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = make_pipes(p, spec, &c, err);
    if (!code) code = launch(p, spec, &c, err);
    close_ends(&c);
    if (code) {
        p->events = &no_events;
        finish(p);
        return code;
    }
    p->next = h->first;
    h->first = p;
    p->linked = true;
    watch_exit(p);
    fer_pipes_begin(p);
    *out = p;
    return FER_OK;
}

/* ---- what it is ----------------------------------------------------------------------------- */

void *fer_process_owner(const fer_process *p)
{
    return p->owner;
}

int fer_process_pid(const fer_process *p)
{
    return (int)p->pid;
}

void fer_process_disown(fer_process *p)
{
    p->events = &no_events;
    p->owner = NULL;
}

fer_process_counts fer_process_counted(const fer_process *p)
{
    return (fer_process_counts){p->out_bytes, p->err_bytes, p->untold};
}

/* ---- finding programs ----------------------------------------------------------------------- */

static bool is_executable(const char *path)
{
    struct stat st;
    return fer_sys_stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

fer_code fer_process_find(fer_arena *a, fer_str name, fer_str path, fer_str *out, fer_err *err)
{
    if (name.len && name.ptr[0] == '/') {
        *out = fer_arena_copy(a, name);
        return out->ptr ? FER_OK : fer_arena_failed(a, err);
    }
    if (!name.len || fer_str_find(name, 0, '/') != SIZE_MAX)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                        "'%.*s' is neither an absolute path nor the name of a program",
                        FER_PRI(name));
    while (path.len) {
        size_t end = fer_str_find(path, 0, ':');
        fer_str folder = fer_str_slice(path, 0, end == SIZE_MAX ? path.len : end);
        path = end == SIZE_MAX ? FER_STR_NONE : fer_str_slice(path, end + 1, path.len);
        if (!folder.len || folder.ptr[0] != '/') continue;
        fer_str found = fer_arena_printf(a, "%.*s/%.*s", FER_PRI(folder), FER_PRI(name));
        if (!found.ptr) return fer_arena_failed(a, err);
        if (!is_executable(found.ptr)) continue;
        *out = found;
        return FER_OK;
    }
    return fer_fail(err, FER_BACKEND_UNAVAILABLE, "no program '%.*s' is in the folders of PATH",
                    FER_PRI(name));
}
