/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking many tools. Three questions, each in a process of its own, so that the peak of
 * one does not hide another's:
 *  - how long does checking 10,000 real tools take, next to plain parsing of that file?
 *  - does the memory of the check stay flat, however long the list is?
 *  - what does a toolset keep per tool?
 * The real tools are those of the test data, repeated under unique names; without the
 * data, made-up ones take their place.
 */
#include <ferrule/contract.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yyjson.h>

#include "bench.h"
#include "buf.h"
#include "file.h"
#include "json_doc.h"
#include "toolset.h"

#define REAL_TOOLS 10000
#define ROUNDS     7

/* ---- inputs ------------------------------------------------------------------------------------
 */

/*
 * Texts are written to a file and mapped, not kept in an arena: what the check itself
 * takes is then told apart from its input.
 */
struct input {
    fer_str text;
    size_t tools;
};

static fer_str map_text(fer_str text)
{
    char path[] = "/tmp/ferrule-bench-XXXXXX";
    int fd = mkstemp(path);
    BENCH_NEEDS(fd >= 0);
    unlink(path);
    BENCH_NEEDS(fer_file_write_all(fd, text));
    const char *mapped = mmap(NULL, text.len, PROT_READ, MAP_PRIVATE, fd, 0);
    BENCH_NEEDS(mapped != MAP_FAILED);
    close(fd);
    return (fer_str){mapped, text.len};
}

static void add_made_up(fer_buf *b, size_t i)
{
    fer_buf_printf(
        b,
        "%s{\"name\":\"lookup_%06zu\",\"title\":\"Look up %zu\",\"description\":\"Looks an entry up in table "
        "%zu and gives its fields; use it before changing anything.\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"key\":{\"type\":\"string\",\"description\":\"The key of the entry\"},\"limit\":"
        "{\"type\":\"integer\",\"minimum\":1,\"maximum\":%zu}},\"required\":[\"key\"],"
        "\"additionalProperties\":false},\"annotations\":{\"readOnlyHint\":true}}",
        i ? ",\n" : "", i, i, i % 97, 10 + i % 90);
}

static struct input made_up(size_t count)
{
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    BENCH_NEEDS(a);
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"tools\":[");
    for (size_t i = 0; i < count; i++) add_made_up(&b, i);
    fer_buf_add_text(&b, "]}\n");
    BENCH_NEEDS(fer_buf_code(&b, NULL) == FER_OK);
    struct input in = {map_text(fer_buf_view(&b)), count};
    fer_arena_free(a);
    return in;
}

static bool is_json(fer_str name)
{
    return fer_str_ends(name, ".json");
}

/* Every tool of the test data that has a name, as a list of their own texts. */
static size_t real_tools(fer_arena *a, const yyjson_val **tools, size_t max)
{
    char folder[1024];
    struct fer_file_list files;
    size_t count = 0;
    if (!bench_data(folder, sizeof folder, "tools")) return 0;
    BENCH_NEEDS(fer_file_walk(a, folder, 10000, is_json, &files, NULL) == FER_OK);
    for (size_t i = 0; i < files.count; i++) {
        fer_str text;
        fer_json *doc;
        BENCH_NEEDS(fer_file_read(a, files.paths[i].ptr, (size_t)64 << 20, &text, NULL) == FER_OK);
        if (fer_json_read(a, text, fer_json_limits_file(), &doc, NULL) != FER_OK) continue;
        const yyjson_val *list = fer_val_get(doc->vals, "tools");
        if (!fer_is_arr(list)) continue;
        FER_EACH_ITEM (list, tool) {
            if (count < max && fer_is_str(fer_val_get(tool, "name"))) tools[count++] = tool;
        }
    }
    return count;
}

/* The tool with a number behind its name. */
static void add_real(fer_arena *scratch, fer_buf *b, const yyjson_val *tool, size_t number)
{
    size_t members = 0;
    fer_buf_add_text(b, number ? ",\n{" : "{");
    FER_EACH_MEMBER (tool, key) {
        fer_str text;
        if (members++) fer_buf_add_char(b, ',');
        fer_buf_add_quoted(b, fer_val_str(key));
        fer_buf_add_char(b, ':');
        if (fer_str_is(fer_val_str(key), "name")) {
            fer_str name = fer_str_head(fer_val_str(key + 1), 100);
            fer_buf_printf(b, "\"%.*s_%zu\"", FER_PRI(name), number);
        } else {
            BENCH_NEEDS(fer_json_write(scratch, key + 1, false, &text, NULL) == FER_OK);
            fer_buf_add(b, text);
        }
    }
    fer_buf_add_char(b, '}');
}

static struct input real_or_made_up(size_t count)
{
    enum {
        MAX = 5000
    };
    fer_buf b;
    fer_arena *a = fer_arena_new(0);
    const yyjson_val **tools = a ? fer_arena_alloc_zero(a, MAX, sizeof *tools) : NULL;
    BENCH_NEEDS(tools);
    size_t found = real_tools(a, tools, MAX);
    if (!found) {
        printf("the test data is not there (FERRULE_TEST_DATA): made-up tools instead\n");
        fer_arena_free(a);
        return made_up(count);
    }
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_text(&b, "{\"tools\":[");
    for (size_t i = 0; i < count; i++) add_real(a, &b, tools[i % found], i);
    fer_buf_add_text(&b, "]}\n");
    BENCH_NEEDS(fer_buf_code(&b, NULL) == FER_OK);
    struct input in = {map_text(fer_buf_view(&b)), count};
    printf("%zu real tools, repeated\n", found);
    fer_arena_free(a);
    return in;
}

/* ---- memory ------------------------------------------------------------------------------------
 */

/* A line of /proc/self/status, in KiB. */
static size_t status_kb(const char *key)
{
    char line[256];
    size_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    BENCH_NEEDS(f);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)) == 0) kb = strtoul(line + strlen(key) + 1, NULL, 10);
    }
    fclose(f);
    return kb;
}

/* From here on the peak counts anew. */
static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f) return;
    fputs("5", f);
    fclose(f);
}

static void in_child(void (*run)(void))
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    BENCH_NEEDS(child >= 0);
    if (child == 0) {
        run();
        fflush(stdout);
        _exit(0);
    }
    BENCH_NEEDS(waitpid(child, &status, 0) == child && status == 0);
}

/* ---- the check, as `ferrule check -q` does it
 * ---------------------------------------------------- */

struct found {
    size_t tools;
    size_t findings;
};

static fer_code on_visit(void *context, const fer_visited *visited, fer_err *err)
{
    struct found *f = context;
    (void)err;
    f->tools += visited->tool != NULL;
    f->findings += visited->finding_count;
    return FER_OK;
}

static struct found check_with(fer_str text, bool duplicates, const fer_checks *checks)
{
    fer_reader r;
    fer_check_run run;
    fer_err err;
    struct found f = {0};
    fer_arena *a = fer_arena_new(0);
    BENCH_NEEDS(a);
    BENCH_NEEDS(fer_check_run_init(&run, a, checks));
    BENCH_NEEDS(fer_reader_init(&r, NULL, FER_STR("bench.json"), text, FER_FORMAT_AUTO, &err) ==
                FER_OK);
    BENCH_NEEDS(fer_visit(&r, FER_STR("bench.json"), duplicates ? &run : NULL, on_visit, &f,
                          &err) == FER_OK);
    BENCH_NEEDS(fer_visit_end(&run, on_visit, &f, &err) == FER_OK);
    fer_reader_deinit(&r);
    fer_check_run_deinit(&run);
    fer_arena_free(a);
    return f;
}

static struct found check(fer_str text, bool duplicates)
{
    return check_with(text, duplicates, NULL);
}

static void parse_plain(fer_str text)
{
    yyjson_doc *doc =
        yyjson_read_opts((char *)(uintptr_t)text.ptr, text.len, YYJSON_READ_NOFLAG, NULL, NULL);
    BENCH_NEEDS(doc);
    yyjson_doc_free(doc);
}

static double seconds_since(int64_t before)
{
    return (double)(fer_clock_mono() - before) / 1e9;
}

/* Every built-in profile at once. */
static fer_checks *all_profiles(fer_arena *a)
{
    fer_checks *checks = fer_checks_new();
    BENCH_NEEDS(checks);
    for (size_t i = 0; i < fer_profile_count(); i++) {
        const fer_profile *p;
        BENCH_NEEDS(fer_profile_find(a, fer_str_of(fer_profile_name_at(i)), &p, NULL) == FER_OK);
        BENCH_NEEDS(fer_checks_profile(checks, p, NULL) == FER_OK);
    }
    return checks;
}

static void speed_of_profiles(const struct input *in, double plain)
{
    double best = 0, mb = (double)in->text.len / 1e6;
    struct found f = {0};
    fer_arena *a = fer_arena_new(0);
    BENCH_NEEDS(a);
    fer_checks *checks = all_profiles(a);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t before = fer_clock_mono();
        f = check_with(in->text, true, checks);
        double s = seconds_since(before);
        if (round == 0 || s < best) best = s;
    }
    printf("  %-32s %8.1f ms %9.0f MB/s %9.0f tools/s   ratio %.2f, %zu findings of %zu profiles\n",
           "with all profiles and rules", best * 1e3, mb / best, (double)f.tools / best,
           best / plain, f.findings, fer_profile_count());
    fer_checks_free(checks);
    fer_arena_free(a);
}

static void speed(void)
{
    struct input in = real_or_made_up(REAL_TOOLS);
    double plain = 0, checked = 0, mb = (double)in.text.len / 1e6;
    struct found f = {0};
    for (int round = 0; round < ROUNDS; round++) {
        int64_t before = fer_clock_mono();
        parse_plain(in.text);
        double s = seconds_since(before);
        if (round == 0 || s < plain) plain = s;
        before = fer_clock_mono();
        f = check(in.text, true);
        s = seconds_since(before);
        if (round == 0 || s < checked) checked = s;
    }
    printf("%-34s %8zu tools %7.1f MB %8zu findings\n", "checking", f.tools, mb, f.findings);
    printf("  %-32s %8.1f ms %9.0f MB/s\n", "plain yyjson, whole file", plain * 1e3, mb / plain);
    printf("  %-32s %8.1f ms %9.0f MB/s %9.0f tools/s   ratio %.2f\n", "ferrule check",
           checked * 1e3, mb / checked, (double)f.tools / checked, checked / plain);
    speed_of_profiles(&in, plain);
}

/* ---- memory of the check and of a set
 * -------------------------------------------------------------- */

static void peak_of(const char *what, const struct input *in, bool plain, bool duplicates)
{
    /* The pages of the text are in use before and after. */
    volatile char sum = 0;
    for (size_t i = 0; i < in->text.len; i += 4096) sum = (char)(sum + in->text.ptr[i]);
    malloc_trim(0);
    reset_peak();
    size_t before = status_kb("VmRSS:");
    if (plain) parse_plain(in->text);
    else check(in->text, duplicates);
    size_t peak = status_kb("VmHWM:");
    printf("  %-34s %8zu tools %7.1f MB %10.1f MB over the text\n", what, in->tools,
           (double)in->text.len / 1e6, (double)(peak > before ? peak - before : 0) / 1024);
}

static void peak_real_check(void)
{
    struct input in = real_or_made_up(REAL_TOOLS);
    peak_of("check, real tools", &in, false, true);
}
static void peak_real_plain(void)
{
    struct input in = real_or_made_up(REAL_TOOLS);
    peak_of("plain yyjson, real tools", &in, true, false);
}
static void peak_1k(void)
{
    struct input in = made_up(1000);
    peak_of("check", &in, false, false);
}
static void peak_10k(void)
{
    struct input in = made_up(10000);
    peak_of("check", &in, false, false);
}
static void peak_100k(void)
{
    struct input in = made_up(FER_TOOLS_MAX);
    peak_of("check", &in, false, false);
}
static void peak_100k_ids(void)
{
    struct input in = made_up(FER_TOOLS_MAX);
    peak_of("check, IDs remembered", &in, false, true);
}

static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void kept(void)
{
    struct input in = made_up(FER_TOOLS_MAX);
    fer_err err;
    malloc_trim(0);
    size_t before = allocated(), rss = status_kb("VmRSS:");
    fer_toolset *set = fer_toolset_new();
    BENCH_NEEDS(set);
    int64_t start = fer_clock_mono();
    BENCH_NEEDS(fer_toolset_add(set, FER_STR("bench.json"), in.text, FER_FORMAT_AUTO, &err) ==
                FER_OK);
    double s = seconds_since(start), tools = (double)fer_toolset_count(set);
    double bytes = (double)(allocated() - before), text = (double)in.text.len / tools;
    printf(
        "  %-34s %8.0f tools %7.0f bytes kept per tool (%.1f times its %.0f bytes of text), RSS +%.0f MB, "
        "%.0f tools/s\n",
        "toolset", tools, bytes / tools, bytes / tools / text, text,
        (double)(status_kb("VmRSS:") - rss) / 1024, tools / s);
    fer_toolset_free(set);
}

int main(void)
{
    in_child(speed);
    printf("memory\n");
    in_child(peak_real_plain);
    in_child(peak_real_check);
    in_child(peak_1k);
    in_child(peak_10k);
    in_child(peak_100k);
    in_child(peak_100k_ids);
    in_child(kept);
    return 0;
}
