/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F23: loss of power. Everything that a workload does to its files is recorded by the seam, with
 * the acknowledgements between; then, for prefixes of that record, the files are made as a disk may
 * have them afterwards (tape.h has the models), the ledger is opened, and the judge asks for what
 * was acknowledged by then.
 *
 * A sample by default, more than 10,000 states with FERRULE_FAULTS=long (make faults). A ledger
 * that does not wait for syncs promises nothing here, except that it opens again or says that it
 * is broken.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "tape.h"
#include "workloads.h"

static void note_ack(void *context, const struct ack *a)
{
    (void)context;
    tape_mark(a, sizeof *a);
}

static void record(const struct workload *w)
{
    char folder[128];
    desk_folder(folder);
    tape_begin((const char *const[]){folder, NULL});
    assert_true(workload_run(w, folder, note_ack, NULL));
    tape_end();
    desk_remove(folder);
}

static size_t states;

static bool holds(const struct workload *w, size_t prefix, enum tape_model m)
{
    static struct ack acks[4096];
    size_t count = 0;
    char folder[128];
    desk_folder(folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    tape_lay_out(prefix, m, (const char *const[]){folder, NULL});
    /* Acknowledged is what was told before the power went. */
    for (size_t i = 0; i < prefix; i++) {
        const struct ack *a = tape_mark_at(i);
        if (a) acks[count++] = *a;
    }
    if (w->durability == FER_DURABLE_ASYNC) count = 0;
    states++;
    bool ok = workload_judge(w, folder, acks, count);
    desk_remove(folder);
    return ok;
}

static void judge(const struct workload *w, size_t prefix, enum tape_model m)
{
    if (holds(w, prefix, m)) return;
    print_message("# M%d after %zu of %zu\n", m + 1, prefix, tape_count());
    fail();
}

static void power(const struct workload *w)
{
    const char *word = getenv("FERRULE_FAULTS");
    bool all = word && strcmp(word, "long") == 0;
    size_t rounds = all ? 5 : 1;
    record(w);
    states = 0;
    size_t want = all ? 1700 : 60, each = (size_t)TAPE_MODELS * rounds;
    size_t step = 1 + tape_count() * each / want;
    /* The prefixes of one run are not all: other runs are other records. */
    for (size_t runs = 0; states < want; runs++) {
        if (runs) record(w);
        for (size_t prefix = 1 + runs % step; prefix <= tape_count(); prefix += step)
            for (size_t i = 0; i < each; i++) judge(w, prefix, (enum tape_model)(i % TAPE_MODELS));
    }
    print_message("# %s: %zu operations, %zu states\n", w->name, tape_count(), states);
}

/* The judge is not blind: with a disk that lies, acknowledged records are lost, and it says so. */
static void lying_disk(void)
{
    record(&workloads[0]);
    tape_lie(true);
    assert_false(holds(&workloads[0], tape_count(), TAPE_M1));
    tape_lie(false);
}

int main(void)
{
    int failed = rows_run("power", workloads, sizeof *workloads, workload_count,
                          (rows_function *)(void (*)(void))power) +
                 ROWS_ONE("power", lying_disk);
    tape_free();
    return failed;
}
