/* SPDX-License-Identifier: Apache-2.0 */
#include "workloads.h"

#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "ledger_folder.h"
#include "ledger_line.h"

const struct workload workloads[] = {
    {"one by one", FER_DURABLE_GROUP, 12, 1, 60, 1, 0, 0, false},
    {"many at once", FER_DURABLE_GROUP, 120, 30, 120, 3, 0, 0, false},
    {"new segments", FER_DURABLE_GROUP, 60, 10, 9000, 2, 0, 0, false},
    {"checkpoints and tenants", FER_DURABLE_SYNC, 40, 8, 80, 9, 5, 0, false},
    {"opened again", FER_DURABLE_GROUP, 24, 4, 100, 2, 7, 3, false},
    {"pruned", FER_DURABLE_GROUP, 80, 10, 9000, 2, 0, 2, true},
    {"without waiting for syncs", FER_DURABLE_ASYNC, 80, 10, 5000, 3, 20, 0, false},
};
const size_t workload_count = FER_COUNT(workloads);

struct run;
struct one { /* call */
    struct run *run;
    uint32_t number;
    bool begun;
};

struct run {
    const struct workload *w;
    struct desk desk;
    workload_ack *ack;
    void *context;
    uint32_t next, last; /* calls of this opening */
    bool failed;
    struct one calls[512];
    char body[16384];
};

static void step(struct one *c);

static void told(void *context, fer_code code, uint64_t seq)
{
    struct one *c = context;
    struct run *r = c->run;
    if (code) {
        r->failed = true;
        return;
    }
    struct ack a = {seq, c->number, c->begun ? FER_LEDGER_END : FER_LEDGER_BEGIN};
    r->ack(r->context, &a);
    if (!c->begun) {
        c->begun = true;
        step(c);
    } else if (r->next < r->last) {
        c->number = r->next++;
        c->begun = false;
        step(c);
    }
}

/* The next record of a call. */
static void step(struct one *c)
{
    struct run *r = c->run;
    char tenant[32];
    snprintf(tenant, sizeof tenant, "tenant-%zu", c->number % r->w->tenants);
    snprintf(r->body, sizeof r->body,
             "{\"callId\":\"call-%u\",\"%s\":\"%s\",\"tool\":\"a:b\",\"input\":\"%0*d\"}",
             c->number, c->begun ? "status" : "effect",
             c->begun        ? "Ok"
             : c->number % 3 ? "NonIdempotentWrite"
                             : "Pure",
             (int)r->w->body, 7);
    fer_ledger_record record = {c->begun ? FER_LEDGER_END : FER_LEDGER_BEGIN, fer_str_of(tenant),
                                fer_str_of(r->body)};
    if (fer_ledger_append(r->desk.port, &record, told, c, NULL)) r->failed = true;
}

static fer_ledger_options options_of(const struct workload *w, const char *folder)
{
    fer_ledger_options o = desk_options(folder);
    o.durability = w->durability;
    o.checkpoint_records = w->checkpoint;
    if (w->body > 4000) o.end_bytes = 12000;
    return o;
}

static bool run_once(struct run *r, const fer_ledger_options *o)
{
    fer_ledger_pruned pruned;
    if (desk_open(&r->desk, o)) return false;
    if (r->w->prune) fer_ledger_prune(r->desk.ledger, fer_clock_wall() + 3600000, &pruned, NULL);
    for (size_t i = 0; i < r->w->at_once && r->next < r->last; i++) {
        r->calls[i] = (struct one){.run = r, .number = r->next++};
        step(&r->calls[i]);
    }
    desk_wait(&r->desk);
    return desk_close(&r->desk) == FER_OK && !r->failed;
}

bool workload_run(const struct workload *w, const char *folder, workload_ack *ack, void *context)
{
    struct run *r = calloc(1, sizeof *r);
    bool ok = r != NULL;
    fer_ledger_options o = options_of(w, folder);
    for (size_t i = 0; ok && i <= w->openings; i++) {
        r->w = w;
        r->ack = ack;
        r->context = context;
        r->last = (uint32_t)(w->calls * (i + 1) / (w->openings + 1));
        ok = run_once(r, &o);
    }
    free(r);
    return ok;
}

/* ---- the judge ----------------------------------------------------------------------------------
 */

static bool complain(const struct workload *w, const char *what, uint64_t number)
{
    print_message("# %s: %s (%llu)\n", w->name, what, (unsigned long long)number);
    return false;
}

/* Marks the acks that a line of the ledger bears out. */
static void look_for(const char *bytes, size_t size, const struct ack *acks, size_t count,
                     bool *found)
{
    const char *at = bytes, *end = bytes + size, *feed;
    while (at < end && (feed = memchr(at, '\n', (size_t)(end - at)))) {
        fer_line l;
        if (fer_line_read((fer_str){at, (size_t)(feed - at)}, &l)) {
            for (size_t i = 0; i < count; i++) {
                char id[32];
                snprintf(id, sizeof id, "\"call-%u\"", acks[i].call);
                if (acks[i].seq == l.seq && acks[i].type == l.type &&
                    memmem(l.body.ptr, l.body.len, id, strlen(id)))
                    found[i] = true;
            }
        }
        at = feed + 1;
    }
}

static bool has_all(const struct workload *w, const char *folder, const struct ack *acks,
                    size_t count)
{
    fer_segment_list list;
    int fd;
    bool ok = true, *found = calloc(count + 1, sizeof *found);
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_folder_open(folder, false, &fd, NULL), FER_OK);
    assert_int_equal(fer_folder_list(a, fd, &list, NULL), FER_OK);
    for (size_t i = 0; i < list.count; i++) {
        char path[256];
        size_t size;
        desk_path(path, folder, list.list[i].name);
        char *bytes = desk_bytes(path, &size);
        look_for(bytes, size, acks, count, found);
        free(bytes);
    }
    /* What was pruned is not missed. */
    uint64_t first = w->prune && list.count ? list.list[0].first : 0;
    for (size_t i = 0; i < count && ok; i++)
        if (!found[i] && acks[i].seq >= first)
            ok = complain(w, "an acknowledged record is lost", acks[i].seq);
    free(found);
    close(fd);
    fer_arena_free(a);
    return ok;
}

bool workload_judge(const struct workload *w, const char *folder, const struct ack *acks,
                    size_t count)
{
    struct desk d = {0};
    fer_ledger_options o = options_of(w, folder);
    fer_verify_report r;
    fer_err err;
    fer_code code = desk_open(&d, &o);
    /* More than a batch may be on its way without syncs, torn in the middle: that is said. */
    if (code == FER_INTEGRITY_BROKEN && w->durability == FER_DURABLE_ASYNC) return true;
    if (code) {
        print_message("# %s\n", d.err.message);
        return complain(w, "it does not open again", 0);
    }
    if (desk_close(&d)) return complain(w, "it does not close", 0);
    fer_arena *a = fer_arena_new(0);
    fer_verify_options v = {.folder = folder};
    bool ok = fer_ledger_verify(a, &v, &r, &err) == FER_OK;
    if (!ok) print_message("# %s\n", err.message);
    for (size_t i = 0; ok && i < r.told; i++)
        print_message("# %s at %llu: %s\n", fer_flaw_names[r.flaws[i].kind],
                      (unsigned long long)r.flaws[i].seq, r.flaws[i].message.ptr);
    if (ok && r.flaw_count) ok = complain(w, "the chain has flaws", r.flaw_count);
    if (ok && r.open_calls) ok = complain(w, "calls are still open", r.open_calls);
    fer_arena_free(a);
    return ok && has_all(w, folder, acks, count);
}
