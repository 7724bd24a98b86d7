/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F23 for the whole gateway: loss of power, ledger and store of keys judged together. Everything
 * that a gateway at work does to the files of either is recorded by the seam, with what was asked,
 * done and told between; for prefixes of that record the files are made as a disk may have them
 * afterwards (tape.h), the gateway is started on them, clients ask again with the same keys, and
 * the judge looks at all of it (history.h): what the backend did before is done, on another
 * machine.
 *
 * A sample by default, more than 10,000 states with FERRULE_FAULTS=long (make faults).
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"
#include "site.h"
#include "sqlite_seam.h"
#include "tape.h"

/* ---- what happens between the changes -----------------------------------------------------------
 */

struct moment {
    enum {
        ASKED,
        TOLD,
        DID
    } kind;
    union {
        struct asked asked;
        struct told told;
        struct {
            struct did did;
            char key[80];
        };
    };
};

static struct moment done[2048]; /* effects, with their keys */
static size_t done_count;

static void add_effect(const struct moment *m)
{
    if (done_count == FER_COUNT(done)) abort();
    done[done_count++] = *m;
}

static struct moment effect_of(const char *n, const char *mark, const char *key)
{
    struct moment m = {.kind = DID};
    snprintf(m.did.n, sizeof m.did.n, "%s", n);
    snprintf(m.did.mark, sizeof m.did.mark, "%s", mark);
    snprintf(m.key, sizeof m.key, "%s", key);
    return m;
}

static bool has_done(void *context, const char *key, char mark[NAME_MAX_N])
{
    (void)context;
    for (size_t i = 0; i < done_count; i++) {
        if (strcmp(done[i].key, key) != 0) continue;
        memcpy(mark, done[i].did.mark, NAME_MAX_N);
        return true;
    }
    return false;
}

static void mark_asked(void *context, const struct asked *a)
{
    struct moment m = {.kind = ASKED, .asked = *a};
    (void)context;
    tape_mark(&m, sizeof m);
}
static void mark_told(void *context, const struct told *t)
{
    struct moment m = {.kind = TOLD, .told = *t};
    (void)context;
    tape_mark(&m, sizeof m);
}
static void mark_did(void *context, const char *n, const char *mark, const char *key)
{
    struct moment m = effect_of(n, mark, key);
    (void)context;
    add_effect(&m);
    tape_mark(&m, sizeof m);
}

/* ---- the same, for the history ------------------------------------------------------------------
 */

static void on_asked(void *context, const struct asked *a)
{
    struct asked *place = history_asked(context, a->n);
    unsigned times = place->times;
    *place = *a;
    place->times += times;
}
static void on_told(void *context, const struct told *t)
{
    history_add_told(context, t);
}
static void on_did(void *context, const char *n, const char *mark, const char *key)
{
    struct moment m = effect_of(n, mark, key);
    add_effect(&m);
    history_add_did(context, &m.did);
}

struct place { /* names of folders and files of one state */
    char folder[128], state[160], ledger[200], store[200];
};

static void name_place(struct place *p)
{
    site_folder(p->folder);
    snprintf(p->state, sizeof p->state, "%s/state", p->folder);
    snprintf(p->ledger, sizeof p->ledger, "%s/ledger", p->state);
    snprintf(p->store, sizeof p->store, "%s/store.db", p->state);
    assert_int_equal(mkdir(p->folder, 0700), 0);
}

static void record(const struct plan *p)
{
    struct place at;
    struct site_end end;
    struct site_watch watch = {NULL, mark_asked, mark_told, mark_did, has_done};
    name_place(&at);
    done_count = 0;
    tape_begin((const char *const[]){at.ledger, at.state});
    site_run(p, at.state, false, &watch, &end);
    tape_end();
    if (!end.opened) fail_msg("%s", end.why);
    site_remove(at.folder);
}

/* What was known to clients and the backend when the power went. */
static void load_marks(struct history *h, size_t prefix)
{
    done_count = 0;
    for (size_t i = 0; i < prefix; i++) {
        const struct moment *m = tape_mark_at(i);
        if (!m) continue;
        if (m->kind == ASKED) on_asked(h, &m->asked);
        if (m->kind == TOLD) on_told(h, &m->told);
        if (m->kind == DID) on_did(h, m->did.n, m->did.mark, m->key);
    }
}

static size_t states;

static bool holds(const struct plan *p, size_t prefix, enum tape_model m, bool quiet)
{
    struct place at;
    struct site_end end;
    size_t found[INVARIANTS], bad = 1;
    struct history *h = history_new();
    struct site_watch watch = {h, on_asked, on_told, on_did, has_done};
    name_place(&at);
    assert_int_equal(mkdir(at.state, 0700) | mkdir(at.ledger, 0700), 0);
    tape_lay_out(prefix, m, (const char *const[]){at.ledger, at.state});
    load_marks(h, prefix);
    site_run(p, at.state, true, &watch, &end);
    h->recovered = true;
    h->slack_ms = 100;
    h->quiet = quiet;
    h->before = end.before;
    h->after = end.after;
    history_load(h, NULL, at.ledger, at.store);
    if (end.opened) bad = history_judge(h, found);
    else if (!quiet) print_message("# it does not open: %s\n", end.why);
    states++;
    history_free(h);
    if (!bad || quiet) site_remove(at.folder);
    return !bad;
}

static void power(const struct plan *p)
{
    const char *word = getenv("FERRULE_FAULTS");
    bool all = word && strcmp(word, "long") == 0;
    size_t want = all ? 1700 : 24, each = TAPE_MODELS;
    states = 0;
    for (size_t runs = 0; states < want; runs++) {
        record(p);
        size_t step = 1 + tape_count() * each / want;
        for (size_t prefix = 1 + runs % step; prefix <= tape_count(); prefix += step)
            for (size_t i = 0; i < each; i++) {
                if (holds(p, prefix, (enum tape_model)i, false)) continue;
                print_message("# M%zu after %zu of %zu\n", i + 1, prefix, tape_count());
                fail();
            }
    }
    print_message("# %s: %zu changes and moments, %zu states\n", p->name, tape_count(), states);
}

/* The judge is not blind: a disk that lies loses what was told, and it says so. */
static void lying_disk(void)
{
    record(&plans[2]);
    tape_lie(true);
    assert_false(holds(&plans[2], tape_count(), TAPE_M1, true));
    tape_lie(false);
}

int main(void)
{
    uv_loop_t first; /* libuv opens what it shares between loops with the first one */
    if (uv_loop_init(&first) || uv_loop_close(&first)) return 2;
    sqlite_seam_begin();
    int failed = rows_run("power", plans, sizeof *plans, plan_count,
                          (rows_function *)(void (*)(void))power) +
                 ROWS_ONE("power", lying_disk);
    tape_free();
    return failed;
}
