/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemas and instances that are small and cost much (make_bombs.py): none may crash, hang or
 * take much memory, whatever comes of it. Each is asked about in several ways, in a process
 * of its own that is measured.
 *
 *     test_bombs FOLDER INDEX [ID...]
 */
#include <ferrule/schema.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "json_doc.h"
#include "rows.h"

#define SECONDS_MAX 20         /* then it hangs */
#define MB_MAX      64         /* of one process; twice that where limits are raised */
#define STACK_MAX   (1u << 20) /* bytes: a thread may have no more */
#define SPACE_MAX   (2ul << 30)
#define BUDGET_MAX  ((size_t)MB_MAX << 20)
#define CPU_MANY    50    /* milliseconds, that are counted */
#define CPU_MAX     10000 /* that fail: not slow, but without an end */

/* What is done with a bomb. The first three have to agree. */
enum way {
    QUICKLY,
    WITH_FINDINGS,
    WITH_ANNOTATIONS,
    ADAPTED,
    LINTED,
    WAYS
};
static const char *const way_names[] = {"quickly", "with findings", "with annotations", "adapted",
                                        "linted"};

struct row {
    const char *name; /* of the files; the title is for the table */
    bool raised;
    char *expected;
    const char *title;
};

/* What a process says of itself. */
struct verdict {
    fer_code code; /* FER_OK: there is an answer */
    bool valid;
    const char *stage; /* "schema", "instance", "validation": the same in parent and child */
    char message[256];
};

/* What is known of it from outside. */
struct measure {
    struct verdict verdict;
    int status;
    double cpu; /* milliseconds */
    double mb;
};

static const char *folder;
static size_t slow, runs;
static double slowest;

static bool instrumented(void)
{
    return getenv("FERRULE_INSTRUMENTED") != NULL;
}

/* ---- in the child ------------------------------------------------------------------------ */

static fer_json_limits json_limits(const struct row *row)
{
    fer_json_limits l = *fer_json_limits_message();
    if (row->raised) l.depth = l.nodes = l.members = l.size = (size_t)64 << 20;
    return l;
}

static fer_schema_limits schema_limits(const struct row *row)
{
    fer_schema_limits l = *fer_schema_limits_message();
    if (row->raised) l.depth = l.subschemas = l.refs = l.size = (size_t)64 << 20;
    return l;
}

static fer_str read_part(fer_arena *a, const struct row *row, const char *part)
{
    char path[4096];
    fer_str text;
    snprintf(path, sizeof path, "%s/%s.%s", folder, row->name, part);
    if (fer_file_read(a, path, SIZE_MAX / 4, &text, NULL)) _exit(99);
    return text;
}

/* Of a full validation, a value that was too much work is invalid with a finding that says so. */
static fer_code judge(const fer_result *r, bool *valid)
{
    size_t count;
    const fer_violation *list = fer_result_violations(r, &count);
    *valid = fer_result_valid(r);
    if (count == 1 && list->code == FER_VALIDATION_BUDGET_EXCEEDED) return list->code;
    return FER_OK;
}

static fer_code validate(fer_arena *a, const fer_schema *s, const fer_json *doc, enum way way,
                         bool *valid, fer_err *err)
{
    const fer_validate_options options = {.annotations = way == WITH_ANNOTATIONS};
    const fer_adapt_options all = {true, true, true, true};
    fer_adapted adapted = {0};
    fer_result *r = NULL;
    if (way == QUICKLY) return fer_schema_accepts(s, a, fer_json_root(doc), valid, err);
    fer_code code = way == ADAPTED ? fer_schema_adapt(a, s, doc, NULL, &all, NULL, &adapted, err)
                                   : fer_schema_validate(a, s, doc, NULL, &options, &r, err);
    return code ? code : judge(way == ADAPTED ? adapted.result : r, valid);
}

/* The schema alone: whatever may be said of it. */
static fer_code lint(fer_arena *a, fer_str text, const fer_schema_options *options, fer_err *err)
{
    fer_json *doc = NULL;
    fer_schema_problem *problems;
    size_t count;
    fer_json_limits limits = *fer_json_limits_file();
    limits.depth = options->limits->depth;
    fer_code code = fer_json_read(a, text, &limits, &doc, err);
    if (code) return code;
    return fer_schema_problems(a, doc, NULL, options, true, &problems, &count, err);
}

static void explode(const struct row *row, enum way way, struct verdict *v)
{
    fer_err err = {0};
    fer_schema *s = NULL;
    fer_json *doc = NULL;
    /* Annotations name their place: at any depth they are as long as it, and a budget ends them. */
    fer_arena *a = fer_arena_new(row->raised && way >= WITH_ANNOTATIONS ? BUDGET_MAX : 0);
    fer_json_limits of_json = json_limits(row);
    fer_schema_limits of_schema = schema_limits(row);
    const fer_schema_options options = {.assert_formats = true, .limits = &of_schema};
    fer_str text = read_part(a, row, "schema");
    v->stage = "schema";
    if (way == LINTED) v->code = lint(a, text, &options, &err);
    else v->code = fer_schema_compile(text, &options, &s, &err);
    if (!v->code && way != LINTED) {
        v->stage = "instance";
        v->code = fer_json_read(a, read_part(a, row, "instance"), &of_json, &doc, &err);
    }
    if (!v->code && way != LINTED) {
        v->stage = "validation";
        v->code = validate(a, s, doc, way, &v->valid, &err);
    }
    if (v->code) snprintf(v->message, sizeof v->message, "%.255s", err.message);
    fer_schema_unref(s);
    fer_arena_free(a);
}

static void run_child(const struct row *row, enum way way, int out)
{
    struct verdict v = {.stage = ""};
    alarm(SECONDS_MAX);
    if (!instrumented()) {
        setrlimit(RLIMIT_STACK, &(struct rlimit){STACK_MAX, STACK_MAX});
        setrlimit(RLIMIT_AS, &(struct rlimit){SPACE_MAX, SPACE_MAX});
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    explode(row, way, &v);
    if (write(out, &v, sizeof v) != (ssize_t)sizeof v) _exit(98);
    _exit(0);
}

/* ---- in the parent ------------------------------------------------------------------------ */

static struct measure measure(const struct row *row, enum way way)
{
    struct measure m = {.verdict = {.stage = "", .code = FER_INTERNAL}};
    struct rusage use = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        run_child(row, way, ends[1]);
    }
    close(ends[1]);
    if (read(ends[0], &m.verdict, sizeof m.verdict) < 0) m.verdict.code = FER_INTERNAL;
    close(ends[0]);
    while (wait4(child, &m.status, 0, &use) < 0 && errno == EINTR) continue;
    m.cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
            (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
    m.mb = (double)use.ru_maxrss / 1024;
    return m;
}

/* "valid", "invalid", "refused:Code" or "killed by ..." */
static void name_verdict(const struct measure *m, char *out, size_t size)
{
    if (WIFSIGNALED(m->status) && WTERMSIG(m->status) == SIGALRM) snprintf(out, size, "hangs");
    else if (WIFSIGNALED(m->status)) snprintf(out, size, "killed by %d", WTERMSIG(m->status));
    else if (WEXITSTATUS(m->status)) snprintf(out, size, "exit %d", WEXITSTATUS(m->status));
    else if (!m->verdict.code) snprintf(out, size, "%s", m->verdict.valid ? "valid" : "invalid");
    else snprintf(out, size, "refused:%s", fer_code_info(m->verdict.code)->name);
}

/* Whether a list such as "valid,refused" has the verdict; "refused" has all of its codes. */
static bool is_expected(const char *list, const char *verdict)
{
    size_t kind = strcspn(verdict, ":"), whole = strlen(verdict);
    while (*list) {
        size_t len = strcspn(list, ",");
        if ((len == whole || len == kind) && strncmp(list, verdict, len) == 0) return true;
        list += len + (list[len] == ',');
    }
    return false;
}

static bool ended_well(const struct measure *m)
{
    return WIFEXITED(m->status) && WEXITSTATUS(m->status) == 0;
}

/* Whether a way has to have the verdict of the others; a budget may have ended it. */
static bool is_judged(const struct row *row, enum way way)
{
    return way <= WITH_FINDINGS || (way == WITH_ANNOTATIONS && !row->raised);
}

static bool check_way(const struct row *row, const struct measure *m, enum way way)
{
    char verdict[64];
    double mb_max = row->raised ? 2 * MB_MAX : MB_MAX;
    runs++;
    name_verdict(m, verdict, sizeof verdict);
    bool right = ended_well(m) && (!is_judged(row, way) || is_expected(row->expected, verdict));
    if (!right)
        print_error("%s %s: %s (%s: %s), expected %s\n", row->name, way_names[way], verdict,
                    m->verdict.stage, m->verdict.message, row->expected);
    if (m->cpu > CPU_MANY) slow++;
    if (m->cpu > slowest) slowest = m->cpu;
    if (instrumented()) return right;
    if (m->mb > mb_max) print_error("%s %s: %.0f MB\n", row->name, way_names[way], m->mb);
    if (m->cpu > CPU_MAX) print_error("%s %s: %.0f ms\n", row->name, way_names[way], m->cpu);
    return right && m->mb <= mb_max && m->cpu <= CPU_MAX;
}

static void check(const struct row *row)
{
    char first[64], verdict[64], cpu[16 * WAYS] = "";
    struct measure m[WAYS];
    double mb = 0;
    bool right = true;
    for (int way = 0; way < WAYS; way++) {
        m[way] = measure(row, (enum way)way);
        if (m[way].mb > mb) mb = m[way].mb;
        size_t len = strlen(cpu);
        snprintf(cpu + len, sizeof cpu - len, " %7.1f", m[way].cpu);
    }
    name_verdict(&m[QUICKLY], first, sizeof first);
    print_message("# %-16s %-32s%s ms %6.1f MB  %s\n", row->name, first, cpu, mb, row->title);
    for (int way = 0; way < WAYS; way++) {
        right = check_way(row, &m[way], (enum way)way) && right;
        name_verdict(&m[way], verdict, sizeof verdict);
        if (!is_judged(row, (enum way)way) || strcmp(first, verdict) == 0) continue;
        print_error("%s: quickly %s, %s %s\n", row->name, first, way_names[way], verdict);
        right = false;
    }
    assert_true(right);
}

static void all_are_counted(void)
{
    print_message("# %zu runs, %zu of more than %d ms, the slowest of %.0f ms\n", runs, slow,
                  CPU_MANY, slowest);
    assert_true(runs > 0);
}

/* ---- the index ------------------------------------------------------------------------------ */

static bool is_named(const char *name, char **names)
{
    if (!*names) return true;
    for (; *names; names++) {
        if (strcmp(*names, name) == 0) return true;
    }
    return false;
}

/* Cuts a line at its tabs. */
static bool read_row(char *line, struct row *row)
{
    char *name = strsep(&line, "\t"), *limits = strsep(&line, "\t");
    char *expected = strsep(&line, "\t");
    if (!name || !limits || !expected || !line) return false;
    *row = (struct row){name, strcmp(limits, "raised") == 0, expected, line};
    return true;
}

int main(int argc, char **argv)
{
    fer_err err = {0};
    fer_str text;
    size_t count = 0;
    fer_arena *a = fer_arena_new(0);
    if (argc < 3 || fer_file_read(a, argv[2], 1u << 20, &text, &err)) {
        fprintf(stderr, "usage: test_bombs FOLDER INDEX [ID...]\n%s\n", err.message);
        return 2;
    }
    folder = argv[1];
    char *lines = strdup(text.ptr), *next = lines;
    struct row *rows = calloc(text.len + 1, sizeof *rows);
    if (!lines || !rows) abort();
    for (char *line; (line = strsep(&next, "\n")) != NULL;) {
        if (read_row(line, &rows[count]) && is_named(rows[count].name, argv + 3)) count++;
    }
    fer_arena_free(a);
    int failed =
        rows_run("bombs", rows, sizeof *rows, count, (rows_function *)(void (*)(void))check);
    failed += ROWS_ONE("bombs", all_are_counted);
    free(rows);
    free(lines);
    return failed;
}
