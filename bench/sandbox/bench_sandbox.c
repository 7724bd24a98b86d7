/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sandbox costs: from its start until the program runs, until it has ended and until nothing
 * of it is left, with a program that does nothing, next to the same program started bare; the CPU
 * of both; and the memory of one that waits. bench_sandbox PROGRAM [RUNS [REMOVED-LAYERS]]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "sandbox.h"

struct run {
    int64_t start, ready, end, gone;
    bool waits; /* it is looked at while it waits */
    uint64_t kilobytes;
};

static void on_ready(fer_sandbox *s)
{
    struct run *r = fer_sandbox_owner(s);
    r->ready = fer_clock_mono();
}
static void on_end(fer_sandbox *s, const fer_sandbox_end *end)
{
    struct run *r = fer_sandbox_owner(s);
    r->end = fer_clock_mono();
    if (end->cause == FER_SANDBOX_NOT_STARTED) fprintf(stderr, "%s\n", end->why.message);
}
static void on_gone(fer_sandbox *s)
{
    struct run *r = fer_sandbox_owner(s);
    r->gone = fer_clock_mono();
}
static const fer_sandbox_events events = {
    .on_ready = on_ready, .on_end = on_end, .on_gone = on_gone};

static void bare_exit(fer_process *p, const fer_exit_state *state)
{
    struct run *r = fer_process_owner(p);
    (void)state;
    r->end = fer_clock_mono();
}
static void bare_gone(fer_process *p)
{
    struct run *r = fer_process_owner(p);
    r->gone = fer_clock_mono();
}
static const fer_process_events bare_events = {.on_exit = bare_exit, .on_gone = bare_gone};

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double cpu_ms(void)
{
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    const struct timeval t[] = {self.ru_utime, self.ru_stime, children.ru_utime, children.ru_stime};
    double sum = 0;
    for (size_t i = 0; i < FER_COUNT(t); i++)
        sum += (double)t[i].tv_sec * 1e3 + (double)t[i].tv_usec / 1e3;
    return sum;
}

static void print(const char *what, int64_t *times, size_t count)
{
    qsort(times, count, sizeof *times, by_number);
    printf("%-28s p50 %7.3f ms   p99 %7.3f ms\n", what, (double)times[count / 2] / 1e6,
           (double)times[count * 99 / 100] / 1e6);
}

/* Proportional memory of a process and all below it, in kilobytes; `what` is a line of smaps. */
static uint64_t memory_of(int pid, const char *what)
{
    char command[512], line[256];
    uint64_t sum = 0;
    snprintf(command, sizeof command,
             "for p in $(pstree -p %d 2>/dev/null | grep -o '([0-9]*)' | tr -d '()'); do "
             "grep '^%s:' /proc/$p/smaps_rollup; done",
             pid, what);
    FILE *f = popen(command, "r"); /* a benchmark may */
    while (f && fgets(line, sizeof line, f)) sum += strtoull(strchr(line, ':') + 1, NULL, 10);
    if (f) pclose(f);
    return sum;
}

int main(int argc, char **argv)
{
    size_t runs = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 200;
    uint32_t removed = argc > 3 ? (uint32_t)strtoull(argv[3], NULL, 0) : 0;
    static char bytes[16 << 20];
    const char *given[] = {"program", "stay", NULL}, *env[] = {NULL},
               *nothing[] = {"program", NULL};
    uv_loop_t loop;
    fer_process_host *processes;
    fer_sandbox_host *host;
    fer_err err = {0};
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (n <= 0) return 2;
    int sealed = fer_sys_sealed("program", bytes, (size_t)n);
    uv_loop_init(&loop);
    if (fer_process_host_new(&loop, NULL, &processes, &err) ||
        fer_sandbox_host_new(processes, &host, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int64_t *times[4];
    for (int i = 0; i < 4; i++) times[i] = calloc(runs, sizeof **times);
    double before = cpu_ms();
    for (size_t i = 0; i < runs; i++) {
        struct run r = {.start = fer_clock_mono()};
        fer_process *p;
        fer_process_spec spec = {.program = "program",
                                 .by_descriptor = true,
                                 .descriptor = sealed,
                                 .argv = nothing,
                                 .env = env,
                                 .no_input = true,
                                 .events = &bare_events,
                                 .owner = &r};
        if (fer_process_start(processes, &spec, &p, &err)) return 1;
        while (!r.gone) uv_run(&loop, UV_RUN_ONCE);
        times[0][i] = r.end - r.start;
    }
    double bare = cpu_ms() - before;
    print("bare, until it has ended", times[0], runs);
    printf("%-28s %11.3f ms\n", "  CPU of a run", bare / (double)runs);
    before = cpu_ms();
    for (size_t i = 0; i < runs; i++) {
        struct run r = {.start = fer_clock_mono()};
        fer_sandbox *s;
        fer_sandbox_spec spec = {.program = "program",
                                 .by_descriptor = true,
                                 .descriptor = sealed,
                                 .argv = nothing,
                                 .env = env,
                                 .no_input = true,
                                 .removed = removed,
                                 .allow_degraded = removed != 0,
                                 .events = &events,
                                 .owner = &r};
        if (fer_sandbox_start(host, &spec, &s, &err)) return 1;
        while (!r.gone) uv_run(&loop, UV_RUN_ONCE);
        times[1][i] = r.ready - r.start;
        times[2][i] = r.end - r.start;
        times[3][i] = r.gone - r.start;
    }
    double boxed = cpu_ms() - before;
    print("sandbox, until it runs", times[1], runs);
    print("  until it has ended", times[2], runs);
    print("  until nothing is left", times[3], runs);
    printf("%-28s %11.3f ms\n", "  CPU of a run", boxed / (double)runs);
    struct run r = {.start = fer_clock_mono()};
    fer_sandbox *s;
    fer_sandbox_spec spec = {.program = "program",
                             .by_descriptor = true,
                             .descriptor = sealed,
                             .argv = given,
                             .env = env,
                             .no_input = true,
                             .events = &events,
                             .owner = &r};
    if (fer_sandbox_start(host, &spec, &s, &err)) return 1;
    while (!r.ready && !r.gone) uv_run(&loop, UV_RUN_ONCE);
    usleep(100000);
    printf("%-28s %11llu kB proportional, %llu kB its own\n", "memory of an idle one",
           (unsigned long long)memory_of(fer_sandbox_pid(s), "Pss"),
           (unsigned long long)(memory_of(fer_sandbox_pid(s), "Private_Dirty") +
                                memory_of(fer_sandbox_pid(s), "Private_Clean")));
    fer_sandbox_cancel(s, FER_GRACE_NONE);
    while (!r.gone) uv_run(&loop, UV_RUN_ONCE);
    fer_sandbox_host_free(host);
    fer_process_host_free(processes);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop);
}
