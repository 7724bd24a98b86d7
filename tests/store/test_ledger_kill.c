/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F20, F21, F22, F66: the process is killed at its n-th write, sync, cut, rename, opening ... of
 * seven workloads, at random times, and again while it recovers; whatever was acknowledged is there
 * afterwards. A sample by default; with FERRULE_FAULTS=long every point and 2,000 random kills
 * (make faults).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workloads.h"

#define ACKS 4096

static bool is_long(void)
{
    const char *word = getenv("FERRULE_FAULTS");
    return word && strcmp(word, "long") == 0;
}

static void send_ack(void *context, const struct ack *a)
{
    if (write(*(int *)context, a, sizeof *a) != (ssize_t)sizeof *a) _exit(3);
}

/* A child that runs the workload under a plan of faults; its acks come through the pipe. */
static pid_t start(const struct workload *w, const char *folder, const char *plan, int *from)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        if (!fer_faults_begin(plan)) _exit(4);
        _exit(workload_run(w, folder, send_ack, &ends[1]) ? 0 : 5);
    }
    close(ends[1]);
    *from = ends[0];
    return child;
}

static size_t collect(pid_t child, int from, struct ack *acks, int *status)
{
    size_t count = 0;
    while (count < ACKS && read(from, &acks[count], sizeof *acks) == (ssize_t)sizeof *acks) count++;
    close(from);
    assert_true(waitpid(child, status, 0) == child);
    return count;
}

static const char *const kinds[] = {"write",    "fsync",    "open",  "rename",
                                    "truncate", "allocate", "unlink"};

/* How often the workload calls each kind. */
static void count_calls(const struct workload *w, uint64_t counts[FER_COUNT(kinds)])
{
    char folder[128];
    int from, status;
    static struct ack acks[ACKS];
    int ends[2];
    desk_folder(folder);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int null = ends[1];
        fer_faults_begin(NULL);
        bool ok = workload_run(w, folder, send_ack, &(int){open("/dev/null", 1)});
        for (size_t k = 0; k < FER_COUNT(kinds); k++) {
            uint64_t n = fer_faults_calls(kinds[k]);
            if (write(null, &n, sizeof n) != sizeof n) _exit(3);
        }
        _exit(ok ? 0 : 5);
    }
    close(ends[1]);
    for (size_t k = 0; k < FER_COUNT(kinds); k++)
        assert_int_equal(read(ends[0], &counts[k], sizeof counts[k]), sizeof counts[k]);
    close(ends[0]);
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    (void)from;
    (void)acks;
    desk_remove(folder);
}

/* F22: recovery itself is killed, then done again. */
static void recover_killed(const struct workload *w, const char *folder, unsigned nth)
{
    char plan[64];
    int status;
    snprintf(plan, sizeof plan, "%s:kill@%u", nth % 2 ? "write" : "fsync", 1 + nth / 2 % 5);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct desk d = {0};
        fer_ledger_options o = desk_options(folder);
        fer_faults_begin(plan);
        if (desk_open(&d, &o) == FER_OK) desk_close(&d);
        _exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child);
    (void)w;
}

static size_t killed, finished;

static void kill_at(const struct workload *w, const char *plan, unsigned nth)
{
    char folder[128];
    int from, status;
    static struct ack acks[ACKS];
    desk_folder(folder);
    pid_t child = start(w, folder, plan, &from);
    size_t count = collect(child, from, acks, &status);
    if (WIFSIGNALED(status)) killed++;
    else finished++;
    /* The seam killed it, or the point was never reached; nothing else ends it early. */
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    if (nth % 3 == 0) recover_killed(w, folder, nth);
    if (!workload_judge(w, folder, acks, count)) {
        print_message("# plan %s\n", plan);
        fail();
    }
    desk_remove(folder);
}

static void kill_points(const struct workload *w)
{
    uint64_t counts[FER_COUNT(kinds)];
    char plan[64];
    unsigned nth = 0;
    killed = finished = 0;
    count_calls(w, counts);
    for (size_t k = 0; k < FER_COUNT(kinds); k++) {
        uint64_t step = is_long() ? 1 : 1 + counts[k] / 6;
        for (uint64_t n = 1; n <= counts[k]; n += step) {
            snprintf(plan, sizeof plan, "%s:kill@%llu", kinds[k], (unsigned long long)n);
            kill_at(w, plan, nth++);
            if (k) continue;
            snprintf(plan, sizeof plan, "write:torn=%u@%llu", 1 + nth * 997 % 3000,
                     (unsigned long long)n);
            kill_at(w, plan, nth++);
        }
    }
    print_message("# %s: %zu kills, %zu ran to their end\n", w->name, killed, finished);
    assert_true(killed > 10);
}

/* Kills that nobody planned. */
static void random_kills(void)
{
    static struct ack acks[ACKS];
    size_t rounds = is_long() ? 2000 : 60;
    unsigned seed = (unsigned)time(NULL);
    for (size_t i = 0; i < rounds; i++) {
        const struct workload *w = &workloads[i % workload_count];
        char folder[128];
        int from, status;
        desk_folder(folder);
        pid_t child = start(w, folder, NULL, &from);
        usleep((useconds_t)(rand_r(&seed) % 30000));
        kill(child, SIGKILL);
        size_t count = collect(child, from, acks, &status);
        if (!workload_judge(w, folder, acks, count)) fail();
        desk_remove(folder);
    }
    print_message("# %zu random kills\n", rounds);
}

int main(void)
{
    return rows_run("kill points", workloads, sizeof *workloads, workload_count,
                    (rows_function *)(void (*)(void))kill_points) +
           ROWS_ONE("kills", random_kills);
}
