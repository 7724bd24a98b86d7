/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How cost grows with size. Each shape is measured at n, 2n, 4n and 8n, and the exponent is
 * the slope of a straight line through the logarithms: 1 is linear, 2 quadratic. What is above
 * ABOVE is marked. Instructions are counted where the machine lets us, as they are the same on
 * every run; else the quickest of many turns is taken. All of it takes less than a minute.
 */
#include <ferrule/schema.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "shapes.h"

#define SIZES   4
#define ABOVE   1.15
#define TURNS   60
#define TURN_NS 1000000.0 /* a turn takes about so long, or one round */
#define SHAPE_S 1.2       /* seconds that a shape may take before its turns end */
#define BYTES   ((size_t)256 << 20)

/* ---- what is counted ------------------------------------------------------------------------ */

/* A counter of this process's own instructions, or -1. */
static int open_counter(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* Instructions so far; without a counter, nanoseconds of this process's own. */
static double so_far(int counter)
{
    uint64_t count;
    if (counter < 0) {
        struct timespec t;
        BENCH_NEEDS(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0);
        return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
    }
    BENCH_NEEDS(read(counter, &count, sizeof count) == (ssize_t)sizeof count);
    return (double)count;
}

/* ---- one size of one shape ------------------------------------------------------------------ */

struct work {
    const struct shape *shape;
    fer_schema_options options;
    fer_str text; /* of the schema */
    fer_schema *schema;
    const fer_json *doc;
    fer_arena *arena, *scratch;
    size_t rounds; /* of a turn */
    double best;   /* cost of one round */
};

static void work_once(struct work *w)
{
    if (!w->shape->value) {
        fer_schema *schema;
        BENCH_NEEDS(!fer_schema_compile(w->text, &w->options, &schema, NULL));
        fer_schema_unref(schema);
        return;
    }
    if (w->shape->invalid) {
        fer_result *r;
        BENCH_NEEDS(!fer_schema_validate(w->scratch, w->schema, w->doc, NULL, NULL, &r, NULL));
    } else {
        bool valid;
        BENCH_NEEDS(
            !fer_schema_accepts(w->schema, w->scratch, fer_json_root(w->doc), &valid, NULL));
    }
    fer_arena_reset(w->scratch);
}

static void measure_turn(struct work *w, int counter)
{
    double from = so_far(counter);
    for (size_t n = 0; n < w->rounds; n++) work_once(w);
    double each = (so_far(counter) - from) / (double)w->rounds;
    if (each < w->best) w->best = each;
}

/* Warms up, and finds how often it takes for a turn. */
static void prepare_turns(struct work *w)
{
    double from = so_far(-1);
    work_once(w);
    double once = so_far(-1) - from + 1;
    w->rounds = once < TURN_NS ? (size_t)(TURN_NS / once) + 1 : 1;
    w->best = HUGE_VAL;
}

static fer_str written(fer_arena *a, shape_writer *write, size_t n)
{
    fer_buf b;
    fer_buf_init(&b, a, BYTES);
    write(&b, n);
    BENCH_NEEDS(!b.failure);
    return fer_buf_view(&b);
}

/* False: the schema or the value is not one, and why is in `err`. */
static bool load(struct work *w, const struct shape *shape, size_t n, fer_err *err)
{
    *w = (struct work){shape, {.limits = fer_schema_limits_file()}};
    w->arena = fer_arena_new(0);
    w->scratch = fer_arena_new(0);
    BENCH_NEEDS(w->arena && w->scratch);
    w->text = written(w->arena, shape->schema, n);
    if (fer_schema_compile(w->text, &w->options, &w->schema, err)) return false;
    if (shape->value) {
        fer_json *doc = NULL;
        bool valid;
        fer_str text = written(w->arena, shape->value, n);
        if (fer_json_read(w->arena, text, fer_json_limits_file(), &doc, err)) return false;
        if (fer_schema_accepts(w->schema, w->arena, fer_json_root(doc), &valid, err)) return false;
        BENCH_NEEDS(valid != shape->invalid);
        w->doc = doc;
    }
    prepare_turns(w);
    return true;
}

static void unload(struct work *w)
{
    fer_schema_unref(w->schema);
    fer_arena_free(w->scratch);
    fer_arena_free(w->arena);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The slope of the line of least squares through (0, log2 c0) ... (3, log2 c3). */
static double exponent(const double costs[SIZES])
{
    return (3 * (log2(costs[3]) - log2(costs[0])) + log2(costs[2]) - log2(costs[1])) / 10;
}

/* Turns of all sizes one after the other: what the machine does besides falls on all alike. */
static void take_turns(struct work works[SIZES], int counter)
{
    uint64_t from = (uint64_t)fer_clock_mono();
    for (size_t turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < SIZES; i++) measure_turn(&works[i], counter);
        if ((double)((uint64_t)fer_clock_mono() - from) > SHAPE_S * 1e9) break;
    }
}

static bool run_shape(const struct shape *shape, int counter)
{
    struct work works[SIZES];
    double costs[SIZES], slope = 0;
    size_t loaded = 0;
    fer_err err = {0};
    while (loaded < SIZES && load(&works[loaded], shape, shape->n << loaded, &err)) loaded++;
    if (loaded == SIZES) {
        take_turns(works, counter);
        for (size_t i = 0; i < SIZES; i++) costs[i] = works[i].best;
        slope = exponent(costs);
        printf("%-36s %6zu", shape->name, shape->n);
        for (size_t i = 0; i < SIZES; i++) printf(" %10.1f", costs[i] / 1000);
        printf(" %8.2f%s\n", slope, slope > ABOVE ? "  <-- above" : "");
    } else {
        printf("%-36s %6zu  %s\n", shape->name, shape->n << loaded, err.message);
    }
    fflush(stdout);
    for (size_t i = 0; i < SIZES && i <= loaded; i++) unload(&works[i]);
    return slope > ABOVE;
}

static size_t run_kind(const char *title, bool compiling, int counter, const char *only)
{
    size_t above = 0;
    const char *unit = counter < 0 ? "us" : "k inst";
    printf("\n%-36s %6s %9s %s %10s %10s %10s %8s\n", title, "n", "n", unit, "2n", "4n", "8n",
           "exponent");
    for (size_t i = 0; i < growth_shape_count; i++) {
        const struct shape *shape = &growth_shapes[i];
        if (!shape->value != compiling || (only && !strstr(shape->name, only))) continue;
        above += run_shape(shape, counter);
    }
    return above;
}

/* With an argument, only the shapes whose names contain it. */
int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    int counter = open_counter();
    printf("growth, in %s\n",
           counter < 0 ? "time (instructions cannot be counted here)" : "instructions");
    size_t above = run_kind("validating", false, counter, only);
    above += run_kind("compiling", true, counter, only);
    printf("\n%zu shapes grow with an exponent above %.2f\n", above, ABOVE);
    if (counter >= 0) close(counter);
    return 0;
}
