/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam of the tests itself: which plans it accepts, which call then fails and
 * how, what it counts, and the plan that comes from the environment.
 */
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys.h"

/* ---- plans --------------------------------------------------------------------------- */

#define FOUR "malloc@1;malloc@2;malloc@3;malloc@4;"

static const struct plan_row {
    const char *name;
    const char *plan;
    bool good;
} plan_rows[] = {
    {"no plan", NULL, true},
    {"empty", "", true},
    {"a kind and a number", "malloc@17", true},
    {"and later", "malloc@17+", true},
    {"an errno", "read:EIO@2", true},
    {"a short write", "write:short=3@1+", true},
    {"a kill", "fsync:kill@3", true},
    {"a torn write", "write:torn=100@3", true},
    {"a torn write of nothing", "write:torn=0@3", false},
    {"a torn sync", "fsync:torn=1@3", false},
    {"a slow sync", "fsync:delay=300@1+", true},
    {"a delay of nothing said", "fsync:delay=@1", false},
    {"the wall clock", "wall:-3600s@2+", true},
    {"no space", "allocate:ENOSPC@1;truncate:EIO@1;lock:EIO@1;mkdir:EACCES@1", true},
    {"a clock ahead", "clock:+3600s@4+", true},
    {"a clock behind", "clock:-3600s@4", true},
    {"two faults", "read:EIO@2;write@1", true},
    {"two of one kind", "read:EINTR@1;read:EIO@2", true},
    {"a semicolon at the end", "malloc@1;", true},
    {"the largest number", "malloc@18446744073709551615", true},
    {"16 faults", FOUR FOUR FOUR FOUR, true},
    {"17 faults", FOUR FOUR FOUR FOUR "open@1", false},
    {"no number", "malloc@", false},
    {"no at sign", "malloc", false},
    {"the 0th", "malloc@0", false},
    {"a negative number", "malloc@-1", false},
    {"a signed number", "malloc@+1", false},
    {"a number that is none", "malloc@x", false},
    {"a number that is too large", "malloc@18446744073709551616", false},
    {"only a plus", "malloc@+", false},
    {"two pluses", "malloc@1++", false},
    {"blank before", " malloc@1", false},
    {"blank after", "malloc@1 ", false},
    {"an unknown kind", "mallok@1", false},
    {"no kind", "@1", false},
    {"another case", "Malloc@1", false},
    {"an unknown errno", "read:EWHAT@1", false},
    {"an errno in lower case", "read:eio@1", false},
    {"short by nothing", "read:short=0@1", false},
    {"short without a number", "read:short=@1", false},
    {"short with a sign", "read:short=-1@1", false},
    {"a shift without a unit", "clock:+5@1", false},
    {"a shift without a number", "clock:+s@1", false},
    {"a shift without a sign", "clock:5s@1", false},
    {"a semicolon at the front", ";malloc@1", false},
    {"two semicolons", "malloc@1;;read@1", false},
    {"a good and a bad one", "malloc@1;nothing@1", false},
    /* These do not fit a signed number of seconds. */
    {"a shift past 63 bits", "clock:+9223372036854775808s@1", false},
    {"a shift of -1 in disguise", "clock:+18446744073709551615s@1", false},
    /* These would be counted as injected and change nothing. */
    {"a short open", "open:short=1@1", false},
    {"a short allocation", "malloc:short=1@1", false},
    {"a read that is ahead of time", "read:+5s@1", false},
};

static void run_plan(const struct plan_row *row)
{
    bool good = fer_faults_begin(row->plan);
    fer_faults_begin(NULL);
    assert_int_equal(good, row->good);
}

/* ---- which calls fail ---------------------------------------------------------------------- */

static bool try_malloc(void)
{
    void *p = fer_sys_malloc(8);
    fer_sys_free(p);
    return p != NULL;
}
static bool try_open(void)
{
    int fd = fer_sys_open("/dev/null", O_RDONLY, 0);
    if (fd >= 0) close(fd);
    return fd >= 0;
}
static bool try_read(void)
{
    char c;
    int fd = open("/dev/zero", O_RDONLY);
    bool good = fer_sys_read(fd, &c, 1) == 1;
    int kept = errno;
    close(fd);
    errno = kept;
    return good;
}
static bool try_write(void)
{
    int fd = open("/dev/null", O_WRONLY);
    bool good = fer_sys_write(fd, "x", 1) == 1;
    int kept = errno;
    close(fd);
    errno = kept;
    return good;
}
static bool try_close(void)
{
    int fd = open("/dev/null", O_RDONLY);
    bool good = fer_sys_close(fd) == 0;
    int kept = errno;
    assert_int_equal(fcntl(fd, F_GETFD), -1); /* closed in any case */
    errno = kept;
    return good;
}
static bool try_stat(void)
{
    struct stat st;
    return fer_sys_stat("/", &st) == 0;
}
static bool try_lstat(void)
{
    struct stat st;
    return fer_sys_lstat("/", &st) == 0;
}
static bool try_fstat(void)
{
    struct stat st;
    return fer_sys_fstat(0, &st) == 0;
}
static bool try_opendir(void)
{
    DIR *dir = fer_sys_opendir("/");
    if (dir) fer_sys_closedir(dir);
    return dir != NULL;
}
static bool try_readdir(void)
{
    DIR *dir = opendir("/");
    bool good = fer_sys_readdir(dir) != NULL;
    int kept = errno;
    closedir(dir);
    errno = kept;
    return good;
}
static bool try_clock(void)
{
    struct timespec t;
    return fer_sys_clock(CLOCK_REALTIME, &t) == 0;
}
static bool try_random(void)
{
    char c;
    return fer_sys_random(&c, 1) == 0;
}

/* A call that somebody else makes. */
static bool try_pass(void)
{
    errno = fer_faults_pass("fsync", NULL, NULL);
    return !errno;
}

static const struct call_row {
    const char *name;
    const char *kind;
    bool (*call)(void);
    const char *plan;
    const char *pattern; /* of five calls: '.' works, 'x' fails */
    int error;
} call_rows[] = {
    {"no fault", "malloc", try_malloc, "", ".....", 0},
    {"the first", "malloc", try_malloc, "malloc@1", "x....", ENOMEM},
    {"the third", "malloc", try_malloc, "malloc@3", "..x..", ENOMEM},
    {"the third and later", "malloc", try_malloc, "malloc@3+", "..xxx", ENOMEM},
    {"all", "malloc", try_malloc, "malloc@1+", "xxxxx", ENOMEM},
    {"the first and the fourth", "malloc", try_malloc, "malloc@1;malloc@4", "x..x.", ENOMEM},
    {"one that never comes", "malloc", try_malloc, "malloc@6", ".....", 0},
    {"another kind", "malloc", try_malloc, "read@1+;write@1+", ".....", 0},
    {"open", "open", try_open, "open:EMFILE@2", ".x...", EMFILE},
    {"open, EIO by itself", "open", try_open, "open@2", ".x...", EIO},
    {"read", "read", try_read, "read:EINTR@2+", ".xxxx", EINTR},
    {"read, the first in the plan wins", "read", try_read, "read:short=1@2;read:EIO@2+", "..xxx",
     EIO},
    {"write", "write", try_write, "write:ENOSPC@5", "....x", ENOSPC},
    {"close", "close", try_close, "close:EIO@1", "x....", EIO},
    {"stat", "stat", try_stat, "stat:EACCES@1", "x....", EACCES},
    {"lstat", "stat", try_lstat, "stat:ENOENT@1", "x....", ENOENT},
    {"fstat", "stat", try_fstat, "stat:EAGAIN@1", "x....", EAGAIN},
    {"opendir", "opendir", try_opendir, "opendir:EPIPE@1", "x....", EPIPE},
    {"readdir", "readdir", try_readdir, "readdir:EISDIR@1", "x....", EISDIR},
    {"clock", "clock", try_clock, "clock:EIO@2", ".x...", EIO},
    {"random", "random", try_random, "random@1+", "xxxxx", EIO},
    {"another's call", "fsync", try_pass, "fsync:ENOSPC@2", ".x...", ENOSPC},
};

static void run_call(const struct call_row *row)
{
    char got[6] = "";
    uint64_t failed = 0;
    int errors[5] = {0};
    assert_true(fer_faults_begin(row->plan));
    assert_int_equal(fer_faults_calls(row->kind), 0);
    for (size_t i = 0; i < 5; i++) {
        errno = 0;
        bool good = row->call();
        errors[i] = errno;
        got[i] = good ? '.' : 'x';
        failed += !good;
    }
    uint64_t calls = fer_faults_calls(row->kind), injected = fer_faults_injected();
    fer_faults_begin(NULL);
    assert_string_equal(got, row->pattern);
    for (size_t i = 0; i < 5; i++) {
        if (got[i] == 'x') assert_int_equal(errors[i], row->error);
    }
    assert_int_equal(calls, 5);
    assert_true(injected >= failed);
    assert_int_equal(fer_faults_calls(row->kind), 0);
    assert_int_equal(fer_faults_injected(), 0);
}

/* ---- short reads and writes --------------------------------------------------------------------
 */

static const struct short_row {
    const char *name;
    const char *plan;
    size_t size;
    ssize_t done;
} short_rows[] = {
    {"whole", "", 10, 10},
    {"short", "read:short=3@1;write:short=3@1", 10, 3},
    {"short by one", "read:short=9@1;write:short=9@1", 10, 9},
    {"short is long enough", "read:short=10@1;write:short=10@1", 10, 10},
    {"short is longer", "read:short=99@1;write:short=99@1", 10, 10},
};

static void run_short(const struct short_row *row)
{
    char bytes[16] = "0123456789abcde";
    int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
    assert_true(fer_faults_begin(row->plan));
    ssize_t written = fer_sys_write(null, bytes, row->size);
    ssize_t got = fer_sys_read(zero, bytes, row->size);
    fer_faults_begin(NULL);
    close(zero);
    close(null);
    assert_int_equal(written, row->done);
    assert_int_equal(got, row->done);
    assert_int_equal(bytes[row->done], "0123456789abcde"[row->done]);
}

/* What happens to calls of others is for them to do; the watcher is told of what they tell. */
static struct fer_faults_op seen;
static void see(void *context, const struct fer_faults_op *op)
{
    (void)context;
    seen = *op;
}
static void calls_of_others(void)
{
    size_t size = 10;
    bool dies = true;
    fer_faults_begin("write:short=3@1;write:torn=7@2");
    assert_int_equal(fer_faults_pass("write", &size, &dies), 0);
    assert_true(size == 3 && !dies);
    size = 10;
    assert_int_equal(fer_faults_pass("write", &size, &dies), 0);
    assert_true(size == 7 && dies);
    assert_int_equal(fer_faults_pass("no such kind", &size, &dies), 0);
    assert_false(dies);
    fer_faults_begin(NULL);
    fer_faults_watch(see, NULL);
    fer_faults_tell(&(struct fer_faults_op){.kind = FER_OP_SIZE, .fd = 5, .size = 9});
    fer_faults_watch(NULL, NULL);
    fer_faults_tell(&(struct fer_faults_op){.kind = FER_OP_SYNC, .fd = 6});
    assert_true(seen.kind == FER_OP_SIZE && seen.fd == 5 && seen.size == 9);
}

static void live_counts_allocations(void)
{
    int64_t before = fer_faults_live();
    void *p = fer_sys_malloc(1), *q = fer_sys_malloc(1);
    assert_int_equal(fer_faults_live(), before + 2);
    fer_faults_begin("malloc@1"); /* does not forget what is live */
    assert_null(fer_sys_malloc(1));
    fer_faults_begin(NULL);
    assert_int_equal(fer_faults_live(), before + 2);
    fer_sys_free(p);
    fer_sys_free(q);
    fer_sys_free(NULL);
    assert_int_equal(fer_faults_live(), before);
    assert_int_equal(fer_faults_calls("no such kind"), 0);
}

/* ---- the environment
 * ------------------------------------------------------------------------------ */

static const struct env_row {
    const char *name;
    const char *plan;
    int status;       /* of a child that allocates three times: how many failed; 2: bad plan */
    const char *says; /* on its standard error */
} env_rows[] = {
    {"no plan", NULL, 10, ""},
    {"a plan", "malloc@2", 11, ""},
    {"and later", "malloc@2+", 12, ""},
    {"a bad plan", "malloc@zero", 2, "FI: cannot make sense of 'malloc@zero'\n"},
    {"count", "count", 10, "FI: malloc 3\n"},
};

/* Runs before this process has used the seam, which asks the environment once. */
static void run_env(const struct env_row *row)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int failed = 0;
        dup2(ends[1], 2);
        if (row->plan) setenv("FI", row->plan, 1);
        else unsetenv("FI");
        for (int i = 0; i < 3; i++) failed += !try_malloc();
        exit(10 + failed);
    }
    close(ends[1]);
    char said[256];
    size_t len = 0;
    for (ssize_t n; (n = read(ends[0], said + len, sizeof said - 1 - len)) > 0;) len += (size_t)n;
    said[len] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), row->status);
    assert_string_equal(said, row->says);
}

int main(void)
{
    return ROWS_RUN("faults environment", env_rows, run_env) +
           ROWS_RUN("faults plans", plan_rows, run_plan) +
           ROWS_RUN("faults calls", call_rows, run_call) +
           ROWS_RUN("faults short", short_rows, run_short) + ROWS_ONE("faults", calls_of_others) +
           ROWS_ONE("faults", live_counts_allocations);
}
