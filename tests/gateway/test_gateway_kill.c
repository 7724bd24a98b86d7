/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F20, F21, F22 for the whole gateway: its stages, its ledger and its store of keys are killed at
 * the n-th write, sync, opening ... of either, at each effect and each answer, and at random; it is
 * started again, clients ask again with the same keys, and the judge looks at all of it
 * (history.h). A sample by default; with FERRULE_FAULTS=long every point (make faults).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rows.h"
#include "site.h"
#include "sqlite_seam.h"
#include "sys.h"

static bool is_long(void)
{
    const char *word = getenv("FERRULE_FAULTS");
    return word && strcmp(word, "long") == 0;
}

/* ---- a life in a process of its own: what it tells comes through a pipe -------------------------
 */

struct word {
    enum {
        WORD_ASKED,
        WORD_TOLD,
        WORD_END
    } kind;
    union {
        struct asked asked;
        struct told told;
        struct site_end end;
    };
};

struct life {
    int out;     /* the pipe: an answer is a call of the seam, so that it can be killed at it */
    int effects; /* a file that only grows */
};

static void say(const struct life *l, const struct word *w)
{
    if (fer_sys_write(l->out, w, sizeof *w) != (ssize_t)sizeof *w) _exit(3);
}
/* That somebody asked is known to them, whatever becomes of it: no call of the seam. */
static void on_asked(void *context, const struct asked *a)
{
    const struct life *l = context;
    struct word w = {.kind = WORD_ASKED, .asked = *a};
    if (write(l->out, &w, sizeof w) != (ssize_t)sizeof w) _exit(3);
}
static void on_told(void *context, const struct told *t)
{
    say(context, &(struct word){.kind = WORD_TOLD, .told = *t});
}
static void on_did(void *context, const char *n, const char *mark, const char *key)
{
    char line[256];
    bool dies;
    int len = snprintf(line, sizeof line, "%s %s %s\n", n, mark, key);
    fer_faults_pass("write", NULL, &dies); /* a point to be killed at; an effect is never half */
    if (write(((struct life *)context)->effects, line, (size_t)len) != len) _exit(3);
    if (dies) kill(getpid(), SIGKILL);
}
static bool has_done(void *context, const char *key, char mark[NAME_MAX_N])
{
    static char text[1 << 16];
    ssize_t len = pread(((struct life *)context)->effects, text, sizeof text - 1, 0);
    text[len > 0 ? len : 0] = '\0';
    const char *at = strstr(text, key);
    if (!at) return false;
    while (at > text && at[-1] != '\n') at--;
    return sscanf(at, "%*s %23s", mark) == 1;
}

static void live(const struct plan *p, const char *folder, bool again, const char *faults, int out)
{
    char state[160], effects[160];
    struct site_end end;
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(effects, sizeof effects, "%s/effects", folder);
    struct life l = {.out = out, .effects = open(effects, O_RDWR | O_CREAT | O_APPEND, 0600)};
    struct site_watch watch = {&l, on_asked, on_told, on_did, has_done};
    if (l.effects < 0 || !fer_faults_begin(faults)) _exit(4);
    site_run(p, state, again, &watch, &end);
    fer_faults_begin(NULL);
    struct word w = {.kind = WORD_END, .end = end};
    say(&l, &w);
    _exit(0);
}

/* Runs one life and adds what it told; the status of its process. */
static int run_life(const struct plan *p, const char *folder, bool again, const char *faults,
                    useconds_t kill_after, struct history *h, struct site_end *end)
{
    int ends[2], status;
    struct word w;
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        live(p, folder, again, faults, ends[1]);
    }
    close(ends[1]);
    if (kill_after) {
        usleep(kill_after);
        kill(child, SIGKILL);
    }
    *end = (struct site_end){0};
    while (read(ends[0], &w, sizeof w) == (ssize_t)sizeof w) {
        if (w.kind == WORD_TOLD) history_add_told(h, &w.told);
        if (w.kind == WORD_END) *end = w.end;
        if (w.kind != WORD_ASKED) continue;
        struct asked *a = history_asked(h, w.asked.n);
        unsigned times = a->times;
        *a = w.asked;
        a->times += times;
    }
    close(ends[0]);
    assert_true(waitpid(child, &status, 0) == child);
    return status;
}

/* ---- lives, one after the other ---------------------------------------------------------------
 */

static struct {
    size_t kills, ran, calls, told, effects, records, recoveries;
} sum;

static void judge(struct history *h, const char *folder, const struct site_end *end,
                  const char *what)
{
    static const char *const secrets[] = {SITE_SECRET_IN, SITE_SECRET_OUT};
    char state[160], effects[160], ledger[200], store[200];
    size_t found[INVARIANTS];
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(effects, sizeof effects, "%s/effects", folder);
    snprintf(ledger, sizeof ledger, "%s/ledger", state);
    snprintf(store, sizeof store, "%s/store.db", state);
    h->recovered = true;
    h->slack_ms = 100;
    h->before = end->before;
    h->after = end->after;
    history_load(h, effects, ledger, store);
    history_scan(h, state, secrets, FER_COUNT(secrets));
    sum.calls += h->asked_count;
    sum.told += h->told_count;
    sum.effects += h->did_count;
    sum.records += h->noted_count;
    if (!history_judge(h, found)) return;
    print_message("# %s, in %s\n", what, folder);
    fail();
}

/* Killed as planned, perhaps again while it recovers (F22), then started for good. */
static void kill_at(const struct plan *p, const char *faults, useconds_t after, unsigned nth)
{
    char folder[128], again[64];
    struct site_end end;
    struct history *h = history_new();
    site_folder(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    int status = run_life(p, folder, false, faults, after, h, &end);
    if (WIFSIGNALED(status)) sum.kills++;
    else sum.ran++;
    if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : WEXITSTATUS(status) != 0)
        fail_msg("%s: %s: status %d", p->name, faults ? faults : "random", status);
    if (nth % 3 == 0) {
        snprintf(again, sizeof again, "%s:kill@%u", nth % 2 ? "write" : "fsync", 1 + nth / 2 % 12);
        status = run_life(p, folder, true, again, 0, h, &end);
        sum.recoveries += WIFSIGNALED(status) != 0;
    }
    status = run_life(p, folder, true, NULL, 0, h, &end);
    if (status || !end.opened) fail_msg("%s: %s: not well: %s", p->name, faults, end.why);
    judge(h, folder, &end, faults ? faults : "at random");
    history_free(h);
    site_remove(folder);
}

/* How often the plan calls each kind. */
static const char *const kinds[] = {"write",    "fsync",    "open",  "rename",
                                    "truncate", "allocate", "unlink"};

static void count_calls(const struct plan *p, uint64_t counts[FER_COUNT(kinds)])
{
    char folder[128];
    int ends[2], status;
    site_folder(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char state[160], effects[160];
        struct site_end end;
        snprintf(state, sizeof state, "%s/state", folder);
        snprintf(effects, sizeof effects, "%s/effects", folder);
        struct life l = {open("/dev/null", O_WRONLY),
                         open(effects, O_RDWR | O_CREAT | O_APPEND, 0600)};
        struct site_watch watch = {&l, on_asked, on_told, on_did, has_done};
        fer_faults_begin(NULL);
        site_run(p, state, false, &watch, &end);
        for (size_t k = 0; k < FER_COUNT(kinds); k++) {
            uint64_t n = fer_faults_calls(kinds[k]);
            if (write(ends[1], &n, sizeof n) != sizeof n) _exit(3);
        }
        _exit(end.opened ? 0 : 5);
    }
    close(ends[1]);
    for (size_t k = 0; k < FER_COUNT(kinds); k++)
        assert_int_equal(read(ends[0], &counts[k], sizeof counts[k]), sizeof counts[k]);
    close(ends[0]);
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    site_remove(folder);
}

static void say_sum(const char *name)
{
    print_message("# %s: %zu kills, %zu while recovering, %zu ran to their end; %zu calls, %zu "
                  "answers, %zu effects, %zu records: 0 lost, 0 doubled\n",
                  name, sum.kills, sum.recoveries, sum.ran, sum.calls, sum.told, sum.effects,
                  sum.records);
}

static void kill_points(const struct plan *p)
{
    uint64_t counts[FER_COUNT(kinds)];
    char faults[64];
    unsigned nth = 0;
    memset(&sum, 0, sizeof sum);
    count_calls(p, counts);
    for (size_t k = 0; k < FER_COUNT(kinds); k++) {
        uint64_t step = is_long() ? 1 : 1 + counts[k] / (k < 2 ? 3 : 1);
        for (uint64_t n = 1; n <= counts[k]; n += step) {
            snprintf(faults, sizeof faults, "%s:kill@%llu", kinds[k], (unsigned long long)n);
            kill_at(p, faults, 0, nth++);
            if (k || nth % 2) continue;
            snprintf(faults, sizeof faults, "write:torn=%u@%llu", 1 + nth * 997 % 3000,
                     (unsigned long long)n);
            kill_at(p, faults, 0, nth++);
        }
    }
    say_sum(p->name);
    assert_true(sum.kills > 5);
}

/* Kills that nobody planned. */
static void random_kills(void)
{
    size_t rounds = is_long() ? 1000 : 6;
    unsigned seed = (unsigned)time(NULL);
    memset(&sum, 0, sizeof sum);
    print_message("# seed %u\n", seed);
    for (size_t i = 0; i < rounds; i++)
        kill_at(&plans[i % plan_count], NULL, 1 + (useconds_t)rand_r(&seed) % 60000, (unsigned)i);
    say_sum("at random");
}

int main(void)
{
    uv_loop_t first; /* libuv opens what it shares between loops with the first one */
    if (uv_loop_init(&first) || uv_loop_close(&first)) return 2;
    sqlite_seam_begin();
    return rows_run("kill points", plans, sizeof *plans, plan_count,
                    (rows_function *)(void (*)(void))kill_points) +
           ROWS_ONE("kills", random_kills);
}
