/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F20 and F21 for the command itself: `ferrule serve --stdio` as it is delivered, with an MCP
 * server behind it that counts what it does and dies now and then (teller.c), is killed at random
 * moments, and `ferrule-faults` at each write and sync; it is started again, clients ask again with
 * the same keys, and the judge looks at all of it (history.h). A sample by default; with
 * FERRULE_FAULTS=long 2,000 random kills and every point (make faults).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "json_value.h"
#include "rows.h"
#include "site.h"

static bool is_long(void)
{
    const char *word = getenv("FERRULE_FAULTS");
    return word && strcmp(word, "long") == 0;
}

/* ---- the command, running ----------------------------------------------------------------------
 */

struct talk {
    pid_t child;
    int in;
    FILE *out;
    const struct plan *plan;
    bool again;
    size_t next, open;
    struct history *history;
    int64_t began[64];
    char names[64][NAME_MAX_N];
};

static void write_config(const char *folder, bool well)
{
    char path[160];
    snprintf(path, sizeof path, "%s/ferrule.json", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(
        f,
        "{\"mcpServers\":{\"t\":{\"command\":\"%s\",\"args\":[\"%s\"%s]}},\"state\":\"%s/state\",\"ledger\":{\"segmentBytes\":1048576},"
        "\"policies\":{\"tools\":{\"*\":{\"retry\":{\"backoffMs\":1,\"maxBackoffMs\":5}},"
        "\"t:read\":{\"effect\":\"Pure\"},\"t:look\":{\"effect\":\"Pure\",\"cache\":{\"ttlMs\":60000}},"
        "\"t:put\":{\"effect\":\"IdempotentWrite\"},"
        "\"t:post\":{\"effect\":\"NonIdempotentWrite\",\"idempotency\":\"optional\"},"
        "\"t:mail\":{\"effect\":\"ExternalSideEffects\"}},"
        "\"backends\":{\"t\":{\"honoursKeys\":true,\"circuitBreaker\":{\"enabled\":false}}}}}",
        getenv("TELLER"), folder, well ? ",\"well\"" : "", folder);
    fclose(f);
}

static void become(const char *exe, const char *folder, const char *faults, int in, int out)
{
    char config[160], log[160];
    snprintf(config, sizeof config, "%s/ferrule.json", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    int err = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    for (int fd = 3; fd < 64; fd++) close(fd);
    setenv("HOME", folder, 1);
    unsetenv("XDG_CONFIG_HOME");
    if (faults) setenv("FI", faults, 1);
    execl(exe, exe, "serve", "--stdio", "--config", config, "--mode", "transparent", "--expose",
          "t:*", (char *)NULL);
    _exit(127);
}

static void start(struct talk *t, const char *exe, const char *folder, const char *faults)
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
    fflush(stdout);
    t->child = fork();
    assert_true(t->child >= 0);
    if (t->child == 0) become(exe, folder, faults, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    t->in = to[1];
    t->out = fdopen(from[0], "r");
    assert_non_null(t->out);
}

/* False: it reads no more. */
static bool say(struct talk *t, const char *line)
{
    size_t len = strlen(line);
    return write(t->in, line, len) == (ssize_t)len;
}

/* ---- what clients ask and are told --------------------------------------------------------------
 */

#define DEADLINE_MS 60000

static fer_effect effect_of(const char *tool)
{
    if (strcmp(tool, "put") == 0) return FER_EFFECT_IDEMPOTENT_WRITE;
    if (strcmp(tool, "post") == 0) return FER_EFFECT_NON_IDEMPOTENT_WRITE;
    return strcmp(tool, "mail") == 0 ? FER_EFFECT_EXTERNAL_SIDE_EFFECTS : FER_EFFECT_PURE;
}

static bool ask(struct talk *t, size_t job)
{
    const struct job *j = &t->plan->jobs[job % t->plan->job_count];
    bool cached = strcmp(j->tool, "look") == 0;
    char line[1024], meta[128] = "", *n = t->names[job];
    snprintf(n, NAME_MAX_N, "%s%zu", cached ? "look" : "", cached ? job % 4 : job);
    struct asked *a = history_asked(t->history, n);
    a->effect = effect_of(j->tool);
    a->keyed = j->keyed;
    a->deadline_ms = DEADLINE_MS;
    a->times++;
    memcpy(a->tenant, "-", 2);
    t->began[job] = fer_clock_mono();
    t->open++;
    if (j->keyed)
        snprintf(meta, sizeof meta, ",\"_meta\":{\"ferrule/idempotencyKey\":\"key-%zu\"}", job);
    snprintf(
        line, sizeof line,
        "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
        "\"arguments\":{\"n\":\"%s\",\"who\":\"-\",\"how\":\"%s\",\"password\":\"" SITE_SECRET_IN
        "\"}%s}}\n",
        job + 1, j->tool, n, j->script, meta);
    return say(t, line);
}

static bool ask_next(struct talk *t)
{
    const struct plan *p = t->plan;
    while (t->next < p->calls && t->again && !p->jobs[t->next % p->job_count].keyed) t->next++;
    return t->next >= p->calls || ask(t, t->next++);
}

/* The code that an error of ours names; the tool's own no has none. */
static fer_code code_in(const yyjson_val *result)
{
    const yyjson_val *meta = fer_val_get(result, "_meta");
    const yyjson_val *error = fer_is_obj(meta) ? fer_val_get(meta, "ferrule/error") : NULL;
    const yyjson_val *code = fer_is_obj(error) ? fer_val_get(error, "code") : NULL;
    if (!fer_is_str(code)) return FER_TOOL_FAILED;
    return fer_str_is(fer_val_str(code), "OutcomeUnknown") ? FER_OUTCOME_UNKNOWN : FER_INTERNAL;
}

static void hear(struct talk *t, fer_str line)
{
    fer_json *doc;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_json_read(a, line, NULL, &doc, NULL), FER_OK);
    const yyjson_val *root = fer_json_root(doc), *id = fer_val_get(root, "id"),
                     *result = fer_val_get(root, "result");
    if (fer_is_obj(fer_val_get(root, "error"))) fail_msg("refused: %.*s", FER_PRI(line));
    if (id && fer_is_obj(result) && id->uni.u64 > 0 && id->uni.u64 <= t->next) {
        size_t job = (size_t)id->uni.u64 - 1;
        struct told told = {.took_ms = (fer_clock_mono() - t->began[job]) / 1000000};
        memcpy(told.n, t->names[job], sizeof told.n);
        if (fer_is_true(fer_val_get(result, "isError"))) {
            told.code = code_in(result);
            told.said = told.code == FER_OUTCOME_UNKNOWN ? SAID_UNKNOWN
                        : told.code == FER_TOOL_FAILED   ? SAID_NO
                                                         : SAID_REFUSED;
            told.attempts = told.said == SAID_NO; /* an answer does not tell how many there were */
        } else {
            fer_str json;
            fer_err err;
            assert_int_equal(
                fer_json_write(a, fer_val_get(result, "structuredContent"), false, &json, &err),
                FER_OK);
            history_read_result(&told, json);
        }
        history_add_told(t->history, &told);
        t->open--;
    }
    fer_arena_free(a);
}

/* One life: everything is asked, and heard until it ends or is killed. */
static int run_life(const char *exe, const struct plan *p, const char *folder, bool again,
                    const char *faults, int64_t kill_after, struct history *h)
{
    struct talk t = {.plan = p, .again = again, .history = h};
    char *line = NULL;
    size_t room = 0;
    int status;
    int64_t begin = fer_clock_mono();
    write_config(folder, again);
    start(&t, exe, folder, faults);
    bool alive =
        say(&t, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":"
                "\"t\",\"version\":\"1\"}}}\n"
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    for (size_t i = 0; alive && i < p->at_once; i++) alive = ask_next(&t);
    setvbuf(t.out, NULL, _IONBF, 0); /* poll sees all there is */
    while (alive && t.open) {
        struct pollfd fd = {.fd = fileno(t.out), .events = POLLIN};
        int64_t rest = kill_after - (fer_clock_mono() - begin) / 1000;
        if (kill_after && rest <= 0) break;
        int ready = poll(&fd, 1, kill_after ? (int)(rest / 1000) + 1 : -1);
        if (ready == 0) break;
        ssize_t n = ready > 0 ? getline(&line, &room, t.out) : -1;
        if (n <= 0) break;
        size_t open = t.open;
        hear(&t, (fer_str){line, (size_t)n});
        if (t.open < open) alive = ask_next(&t);
    }
    if (kill_after) kill(t.child, SIGKILL);
    close(t.in);
    /* What it had said before it was killed has been said. */
    for (ssize_t n; (n = getline(&line, &room, t.out)) > 0 && line[n - 1] == '\n';)
        hear(&t, (fer_str){line, (size_t)n});
    fclose(t.out);
    free(line);
    assert_true(waitpid(t.child, &status, 0) == t.child);
    return status;
}

/* ---- judging ------------------------------------------------------------------------------------
 */

static struct {
    size_t kills, recoveries, ran, calls, told, effects, records;
} sum;

/* Servers that a killed gateway left behind end by themselves. */
static size_t left_over(const char *folder)
{
    char path[160];
    size_t left = 1;
    snprintf(path, sizeof path, "%s/pids", folder);
    for (int tries = 0; left && tries < 2000; tries++) {
        FILE *f = fopen(path, "r");
        long pid;
        left = 0;
        while (f && fscanf(f, "%ld", &pid) == 1) {
            char exe[64], name[256];
            snprintf(exe, sizeof exe, "/proc/%ld/exe", pid);
            ssize_t n = readlink(exe, name, sizeof name - 1);
            left += n > 0 && memmem(name, (size_t)n, "teller", 6) != NULL;
        }
        if (f) fclose(f);
        if (left) usleep(5000);
    }
    return left;
}

static void judge(struct history *h, const char *folder, const char *what)
{
    static const char *const secrets[] = {SITE_SECRET_IN, SITE_SECRET_OUT};
    char effects[160], ledger[160], store[160];
    size_t found[INVARIANTS];
    snprintf(effects, sizeof effects, "%s/effects", folder);
    snprintf(ledger, sizeof ledger, "%s/state/ledger", folder);
    snprintf(store, sizeof store, "%s/state/store.db", folder);
    h->recovered = true;
    h->slack_ms = 1000;
    h->after.children = left_over(folder);
    history_load(h, effects, ledger, store);
    history_scan(h, folder, secrets, FER_COUNT(secrets));
    sum.calls += h->asked_count;
    sum.told += h->told_count;
    sum.effects += h->did_count;
    sum.records += h->noted_count;
    if (!history_judge(h, found)) return;
    print_message("# %s, in %s\n", what, folder);
    fail();
}

static void kill_at(const struct plan *p, const char *faults, int64_t after, unsigned nth)
{
    const char *exe = getenv(faults ? "FERRULE_FAULTS_EXE" : "FERRULE_EXE");
    char folder[128];
    struct history *h = history_new();
    site_folder(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    int status = run_life(exe, p, folder, false, faults, after, h);
    if (WIFSIGNALED(status)) sum.kills++;
    else sum.ran++;
    if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : WEXITSTATUS(status) != 0)
        fail_msg("%s: %s: status %d, in %s", p->name, faults ? faults : "random", status, folder);
    if (nth % 4 == 0) {
        status = run_life(exe, p, folder, true, NULL, 1 + after / 2, h);
        sum.recoveries += WIFSIGNALED(status) != 0;
    }
    status = run_life(exe, p, folder, true, NULL, 0, h);
    if (status) fail_msg("%s: %s: not well: %d, in %s", p->name, faults, status, folder);
    judge(h, folder, faults ? faults : "at random");
    history_free(h);
    site_remove(folder);
}

static void say_sum(const char *name)
{
    print_message("# %s: %zu kills, %zu while recovering, %zu ran to their end; %zu calls, %zu "
                  "answers, %zu effects, %zu records: 0 lost, 0 doubled\n",
                  name, sum.kills, sum.recoveries, sum.ran, sum.calls, sum.told, sum.effects,
                  sum.records);
}

/* The plans that a client over stdio can ask for: chains and tenants are for test_gateway_kill. */
static struct plan served[8];
static size_t served_count;

static void choose_plans(void)
{
    for (size_t i = 0; i < plan_count; i++)
        if (plans[i].tenants == 1 && !strchr(plans[i].jobs[0].tool, ' '))
            served[served_count++] = plans[i];
}

/* How long a life takes, in microseconds, and how often it writes and syncs. */
static int64_t measure(const struct plan *p, uint64_t counts[2])
{
    char folder[128], path[160], line[256];
    struct history *h = history_new();
    site_folder(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    int64_t began = fer_clock_mono();
    assert_int_equal(run_life(getenv("FERRULE_FAULTS_EXE"), p, folder, false, "count", 0, h), 0);
    int64_t took = (fer_clock_mono() - began) / 1000;
    snprintf(path, sizeof path, "%s/log", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long long n;
        if (sscanf(line, "FI: write %llu", &n) == 1) counts[0] = n;
        if (sscanf(line, "FI: fsync %llu", &n) == 1) counts[1] = n;
    }
    fclose(f);
    history_free(h);
    site_remove(folder);
    return took;
}

static void kill_points(const struct plan *p)
{
    static const char *const kinds[] = {"write", "fsync"};
    uint64_t counts[2] = {0, 0};
    char faults[64];
    unsigned nth = 1;
    memset(&sum, 0, sizeof sum);
    int64_t took = measure(p, counts);
    assert_true(counts[0] > 10 && counts[1] > 3);
    for (size_t k = 0; k < 2; k++) {
        uint64_t step = is_long() ? 1 : 1 + counts[k] / 2;
        for (uint64_t n = 1 + (is_long() ? 0 : step / 2); n <= counts[k]; n += step) {
            snprintf(faults, sizeof faults, "%s:kill@%llu", kinds[k], (unsigned long long)n);
            kill_at(p, faults, nth % 4 ? 0 : took / 3, nth);
            nth++;
        }
    }
    say_sum(p->name);
}

static void random_kills(void)
{
    size_t rounds = is_long() ? 2000 : 6;
    unsigned seed = (unsigned)time(NULL);
    uint64_t counts[2];
    memset(&sum, 0, sizeof sum);
    print_message("# seed %u\n", seed);
    int64_t took = measure(&served[1], counts);
    for (size_t i = 0; i < rounds; i++)
        kill_at(&served[i % served_count], NULL, 1 + rand_r(&seed) % (took + took / 10),
                (unsigned)i);
    say_sum("ferrule serve, at random");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    choose_plans();
    return rows_run("kill points of serve", served, sizeof *served, served_count,
                    (rows_function *)(void (*)(void))kill_points) +
           ROWS_ONE("kills of serve", random_kills);
}
