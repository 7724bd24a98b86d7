/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fails below a ledger: F05-F09, F11, F13-F17, F65, K17, K18. In every row what was told as
 * durable is in the ledger afterwards, what was refused is not told as durable, and the ledger
 * opens again.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "desk.h"
#include "sys.h"

static void assert_fine(const char *folder, const char *name)
{
    struct desk d = {0};
    fer_arena *a = fer_arena_new(0);
    fer_ledger_options o = desk_options(folder);
    memcpy(d.folder, folder, strlen(folder) + 1);
    fer_code code = desk_open(&d, &o);
    if (code) print_message("# %s: %s\n", name, d.err.message);
    assert_int_equal(code, FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    fer_verify_report r = desk_verify(a, folder, NULL);
    if (r.flaw_count) print_message("# %s: %s\n", name, r.flaws[0].message.ptr);
    assert_int_equal(r.flaw_count, 0);
    assert_int_equal(r.open_calls, 0);
    fer_arena_free(a);
}

/* ---- while records are appended
 * ------------------------------------------------------------------
 */

static const struct row {
    const char *name, *plan; /* from after the opening on */
    fer_ledger_state state;  /* in the end */
    bool all;                /* every record is told as durable */
} rows[] = {
    {"nothing", NULL, FER_LEDGER_OK, true},
    {"F07 writes of one byte", "write:short=1@1+", FER_LEDGER_OK, true},
    {"F07 writes of 100 bytes", "write:short=100@1+", FER_LEDGER_OK, true},
    {"F09 a write is interrupted", "write:EINTR@1;write:EINTR@3", FER_LEDGER_OK, true},
    {"F09 a sync is interrupted", "fsync:EINTR@1;fsync:EINTR@2", FER_LEDGER_OK, true},
    {"F14 a write fails", "write:EIO@3", FER_LEDGER_BROKEN, false},
    {"F14 the first write fails", "write:EIO@1", FER_LEDGER_BROKEN, false},
    {"F14 half a write, then a failure", "write:short=50@3;write:EIO@4", FER_LEDGER_BROKEN, false},
    {"F15 K18 a sync fails once", "fsync:EIO@2", FER_LEDGER_BROKEN, false},
    {"F15 every sync fails", "fsync:EIO@1+", FER_LEDGER_BROKEN, false},
    {"F16 a new segment cannot be made", "open:EMFILE@1+", FER_LEDGER_OK, true},
    {"F16 no space can be taken, by an error", "allocate:EIO@1+", FER_LEDGER_OK, true},
    {"F16 space is not promised by this file system", "allocate:EOPNOTSUPP@1+", FER_LEDGER_OK,
     true},
    {"F16 old segments are not cut", "truncate:EIO@1+", FER_LEDGER_OK, true},
    {"F16 heads cannot be replaced", "rename:EIO@1+", FER_LEDGER_OK, true},
    {"F13 no space for a new segment, for a while", "allocate:ENOSPC@1;allocate:ENOSPC@2",
     FER_LEDGER_OK, false},
    {"F13 a begin finds no space, once", "write:ENOSPC@3", FER_LEDGER_OK, false},
    {"F13 an end finds no space, once", "write:ENOSPC@4", FER_LEDGER_OK, true},
    {"F65 syncs of 30 ms", "fsync:delay=30@1+", FER_LEDGER_OK, true},
};

/* Calls one after the other, with enough bytes for several segments. */
static void run_calls(struct desk *d, size_t calls, size_t *durable)
{
    char body[9200], call[16];
    for (size_t i = 0; i < calls; i++) {
        snprintf(call, sizeof call, "c%zu", i);
        snprintf(body, sizeof body, "{\"callId\":\"%s\",\"effect\":\"Pure\",\"x\":\"%09000d\"}",
                 call, 1);
        if (desk_put(d, FER_LEDGER_BEGIN, "acme", body) == FER_OK) {
            ++*durable;
            if (desk_end(d, "acme", call, "Ok") == FER_OK) ++*durable;
        } else {
            /* Whoever is refused tries again later. */
            usleep(5000);
        }
    }
}

static void run(const struct row *row)
{
    struct desk d = {0};
    size_t durable = 0, calls = 80;
    desk_folder(d.folder);
    fer_ledger_options o = desk_options(d.folder);
    fer_faults_begin(NULL);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_true(fer_faults_begin(row->plan));
    run_calls(&d, calls, &durable);
    /* Space comes back by itself in these plans; wait until it is noticed. */
    for (int i = 0; i < 200 && fer_ledger_state_of(d.ledger) == FER_LEDGER_FULL; i++) usleep(20000);
    assert_int_equal(fer_ledger_state_of(d.ledger), row->state);
    assert_int_equal(d.told, durable);
    if (row->all) assert_int_equal(durable, 2 * calls);
    else assert_true(durable < 2 * calls);
    if (row->state == FER_LEDGER_BROKEN) {
        /* Refused at once, and the descriptor is left alone. */
        uint64_t syncs = fer_faults_calls("fsync"), writes = fer_faults_calls("write");
        assert_int_equal(desk_begin(&d, "acme", "late", "Pure"), FER_LEDGER_UNAVAILABLE);
        assert_int_equal(desk_close(&d), FER_LEDGER_UNAVAILABLE);
        assert_int_equal(fer_faults_calls("fsync"), syncs);
        assert_int_equal(fer_faults_calls("write"), writes);
        assert_true(strlen(d.err.message) > 0);
    } else {
        assert_int_equal(desk_close(&d), FER_OK);
    }
    fer_faults_begin(NULL);
    assert_fine(d.folder, row->name);
    /* What was told is there: each begin has its call's ID once, each end too. */
    assert_true(desk_count(d.folder, "\"type\":\"begin\"") +
                    desk_count(d.folder, "\"type\":\"end\"") >=
                durable);
    desk_remove(d.folder);
}

/* ---- K17: the disk is full when a call ends
 * ------------------------------------------------------- */

static void full_at_end(void)
{
    struct desk d = {0};
    size_t durable = 0;
    char call[16];
    desk_folder(d.folder);
    fer_ledger_options o = desk_options(d.folder);
    fer_faults_begin(NULL);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    for (int i = 0; i < 20; i++) {
        snprintf(call, sizeof call, "open%d", i);
        assert_int_equal(desk_begin(&d, "acme", call, "NonIdempotentWrite"), FER_OK);
    }
    /* No space from here on: the segment fills up, then new calls are refused. */
    assert_true(fer_faults_begin("allocate:ENOSPC@1+"));
    run_calls(&d, 60, &durable);
    assert_int_equal(fer_ledger_state_of(d.ledger), FER_LEDGER_FULL);
    assert_int_equal(desk_begin(&d, "acme", "refused", "Pure"), FER_LEDGER_UNAVAILABLE);
    for (int i = 0; i < 20; i++) {
        snprintf(call, sizeof call, "open%d", i);
        assert_int_equal(desk_end(&d, "acme", call, "Ok"), FER_OK);
    }
    /* Space again. */
    fer_faults_begin(NULL);
    for (int i = 0; i < 500 && fer_ledger_state_of(d.ledger) == FER_LEDGER_FULL; i++) usleep(10000);
    assert_int_equal(fer_ledger_state_of(d.ledger), FER_LEDGER_OK);
    assert_int_equal(desk_begin(&d, "acme", "taken", "Pure"), FER_OK);
    assert_int_equal(desk_end(&d, "acme", "taken", "Ok"), FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    assert_fine(d.folder, "full");
    desk_remove(d.folder);
}

/* Writes that find no space, in the segment and then in the new one, which is empty still. */
static void space_comes_back(void)
{
    char plan[96];
    for (int n = 1; n < 9; n++) {
        struct desk d = {0};
        size_t durable = 0;
        desk_folder(d.folder);
        fer_ledger_options o = desk_options(d.folder);
        fer_faults_begin(NULL);
        assert_int_equal(desk_open(&d, &o), FER_OK);
        snprintf(plan, sizeof plan, "write:ENOSPC@%d;write:ENOSPC@%d;write:ENOSPC@%d", n, n + 1,
                 n + 2);
        assert_true(fer_faults_begin(plan));
        run_calls(&d, 24, &durable);
        for (int i = 0; i < 200 && fer_ledger_state_of(d.ledger) == FER_LEDGER_FULL; i++)
            usleep(10000);
        assert_int_equal(fer_ledger_state_of(d.ledger), FER_LEDGER_OK);
        fer_faults_begin(NULL);
        assert_int_equal(desk_begin(&d, "acme", "taken", "Pure"), FER_OK);
        assert_int_equal(desk_end(&d, "acme", "taken", "Ok"), FER_OK);
        assert_int_equal(desk_close(&d), FER_OK);
        assert_fine(d.folder, plan);
        desk_remove(d.folder);
    }
}

/* The name of a new folder is durable before anything is kept in it; later nobody asks again. */
static void folder_above(void)
{
    struct desk d = {0};
    char epoch[192];
    desk_folder(d.folder);
    fer_ledger_options o = desk_options(d.folder);
    snprintf(epoch, sizeof epoch, "%s/epoch", d.folder);
    for (int i = 0; i < 2; i++) { /* the second finds the folder of the first */
        assert_true(fer_faults_begin("fsync:EIO@1"));
        assert_int_equal(desk_open(&d, &o), FER_IO_ERROR);
        assert_non_null(strstr(d.err.message, "the folder above"));
        assert_int_equal(access(epoch, F_OK), -1);
    }
    fer_faults_begin(NULL);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    assert_true(fer_faults_begin("fsync:EIO@1"));
    assert_int_not_equal(desk_open(&d, &o), FER_OK);
    assert_null(strstr(d.err.message, "the folder above"));
    fer_faults_begin(NULL);
    assert_fine(d.folder, "folder above");
    desk_remove(d.folder);
}

/* F65: with a slow disk the queue stays within its bound, and what is beyond it is refused at once.
 */
static void queue_bound(void)
{
    struct desk d = {0};
    size_t refused = 0;
    char body[2200];
    desk_folder(d.folder);
    fer_ledger_options o = desk_options(d.folder);
    o.queue_bytes = 64 << 10;
    fer_faults_begin(NULL);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_int_equal(desk_begin(&d, "acme", "c", "Pure"), FER_OK);
    assert_true(fer_faults_begin("fsync:delay=200@1+"));
    snprintf(body, sizeof body, "{\"x\":\"%02000d\"}", 1);
    for (int i = 0; i < 200; i++) {
        fer_code code = desk_append(&d, FER_LEDGER_POLICY, "acme", body);
        assert_true(code == FER_OK || code == FER_LEDGER_UNAVAILABLE);
        refused += code != FER_OK;
        assert_true(fer_ledger_waiting(d.ledger) <= o.queue_bytes);
        if (code) assert_true(fer_ledger_pressed(d.port));
    }
    assert_true(refused > 50);
    /* An end is taken all the same. */
    assert_int_equal(
        desk_append(&d, FER_LEDGER_END, "acme", "{\"callId\":\"c\",\"status\":\"Ok\"}"), FER_OK);
    desk_wait(&d);
    assert_int_equal(d.refused, 0);
    assert_int_equal(desk_close(&d), FER_OK);
    fer_faults_begin(NULL);
    assert_fine(d.folder, "queue");
    desk_remove(d.folder);
}

/* Of the calls that may be open, those behind the half are told to wait for their records. */
static void open_bound(void)
{
    struct desk d = {0};
    char id[16];
    desk_folder(d.folder);
    fer_ledger_options o = desk_options(d.folder);
    o.segment_bytes = 256 << 10;
    o.end_bytes = 16 << 10; /* so eight have their space */
    fer_faults_begin(NULL);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    for (int i = 1; i <= 9; i++) {
        snprintf(id, sizeof id, "c%d", i);
        assert_int_equal(desk_begin(&d, "acme", id, "Pure"),
                         i <= 8 ? FER_OK : FER_LEDGER_UNAVAILABLE);
        assert_int_equal(fer_ledger_pressed(d.port), i > 4);
    }
    desk_wait(&d);
    for (int i = 1; i <= 8; i++) {
        snprintf(id, sizeof id, "c%d", i);
        assert_int_equal(desk_end(&d, "acme", id, "Ok"), FER_OK);
        desk_wait(&d);
    }
    assert_int_equal(desk_begin(&d, "acme", "c10", "Pure"), FER_OK);
    assert_false(fer_ledger_pressed(d.port));
    desk_wait(&d);
    assert_int_equal(desk_close(&d), FER_OK);
    desk_remove(d.folder);
}

/* ---- while it is opened
 * --------------------------------------------------------------------------- */

/* Every n-th call of a kind fails: the opening fails with a message or works, and the next one
 * works. */
static const struct opening {
    const char *name, *plan;
} openings[] = {
    {"F11 open", "open:EMFILE@"},
    {"F11 open, no right", "open:EACCES@"},
    {"F13 write", "write:ENOSPC@"},
    {"F14 write", "write:EIO@"},
    {"F15 sync", "fsync:EIO@"},
    {"F16 rename", "rename:EIO@"},
    {"F16 allocate", "allocate:ENOSPC@"},
    {"F16 truncate", "truncate:EIO@"},
    {"F05 reads of one byte", "read:short=1@1+"},
    {"F06 short reads", "read:short=77@1+"},
    {"F09 reads are interrupted", "read:EINTR@"},
    {"a read fails", "read:EIO@"},
    {"F17 no random bytes", "random:ENOSYS@"},
    {"no memory", "malloc@"},
    {"no lock", "lock:EIO@"},
    {"no folder", "mkdir:EACCES@"},
    {"stat", "stat:EIO@"},
    {"the folder cannot be read", "opendir:EIO@"},
};

/* A ledger that a crash has left with open calls and half a line. */
static void leave_torn(const char *folder)
{
    struct desk d = {0};
    char path[256];
    fer_ledger_options o = desk_options(folder);
    size_t size;
    memcpy(d.folder, folder, strlen(folder) + 1);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_int_equal(desk_begin(&d, "acme", "c", "Pure"), FER_OK);
    assert_int_equal(desk_begin(&d, "acme", "d", "NonIdempotentWrite"), FER_OK);
    desk_segment(path, folder, true);
    char *bytes = desk_bytes(path, &size);
    assert_int_equal(desk_close(&d), FER_OK);
    char *end = memchr(bytes, '\0', size);
    memcpy(end, "{\"body\":{\"ca", 12);
    desk_write(path, bytes, size);
    free(bytes);
}

static void open_failing(const struct opening *row)
{
    size_t failed = 0;
    for (int nth = 1; nth < 60; nth++) {
        struct desk d = {0};
        char plan[64];
        desk_folder(d.folder);
        fer_faults_begin(NULL);
        leave_torn(d.folder);
        fer_ledger_options o = desk_options(d.folder);
        int64_t live = fer_faults_live();
        if (strchr(row->plan, '+')) snprintf(plan, sizeof plan, "%s", row->plan);
        else snprintf(plan, sizeof plan, "%s%d", row->plan, nth);
        assert_true(fer_faults_begin(plan));
        fer_code code = desk_open(&d, &o);
        bool met = fer_faults_injected() > 0;
        fer_faults_begin(NULL);
        if (code) {
            failed++;
            assert_true(strlen(d.err.message) > 0);
            assert_int_equal(fer_faults_live(), live);
        } else {
            assert_int_equal(desk_close(&d), FER_OK);
        }
        assert_fine(d.folder, row->name);
        desk_remove(d.folder);
        if (!met || strchr(row->plan, '+')) break;
    }
    if (strstr(row->plan, "short") || strstr(row->plan, "EINTR")) assert_int_equal(failed, 0);
}

/* F17: a first start without random bytes makes no key, and refuses. */
static void no_random(void)
{
    struct desk d = {0};
    char path[256];
    struct stat st;
    desk_folder(d.folder);
    fer_ledger_options o = desk_options(d.folder);
    assert_true(fer_faults_begin("random:ENOSYS@1+"));
    assert_int_equal(desk_open(&d, &o), FER_IO_ERROR);
    fer_faults_begin(NULL);
    desk_path(path, d.folder, "checkpoint.key");
    assert_int_not_equal(stat(path, &st), 0);
    desk_remove(d.folder);
}

int main(void)
{
    return ROWS_RUN("faults", rows, run) + ROWS_ONE("faults", full_at_end) +
           ROWS_ONE("faults", space_comes_back) + ROWS_ONE("faults", folder_above) +
           ROWS_ONE("faults", queue_bound) + ROWS_ONE("faults", open_bound) +
           ROWS_RUN("openings", openings, open_failing) + ROWS_ONE("faults", no_random);
}
