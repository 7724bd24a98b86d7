/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a durable record costs: 64 callers at once, each call a begin and an end that it waits for,
 * next to the same lines written with one sync each, and to the same lines in SQLite with one
 * commit for all that waits; and calls of an echo function through the whole gateway, with the
 * state of a command and without. Then how fast a ledger is verified. On the disk that TMPDIR
 * (default: the current folder) is on.
 *
 *     bench_ledger [calls]
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "durable_calls.h"
#include "ledger.h"
#include "ledger_line.h"
#include "ledger_verify.h"

#define CALLERS 64

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* ---- the ledger ---------------------------------------------------------------------------------
 */

struct bench {
    fer_ledger_port *port;
    size_t next, calls, ended;
    double *took;
};
struct caller {
    struct bench *bench;
    size_t number;
    bool begun;
    double began;
};

static const char payload[] =
    "\"correlationId\":\"0af7651916cd43dd8448eb211c80319c\",\"input\":{\"city\":\"Berlin\",\"unit\":\"c\","
    "\"days\":3},\"origin\":\"cli\",\"principal\":\"6f1ed002ab5595859014ebf0951522d9\",\"tool\":"
    "\"weather:forecast\",\"version\":\"1.4.0\"";

static void step(struct caller *c);

static void told(void *context, fer_code code, uint64_t seq)
{
    struct caller *c = context;
    struct bench *b = c->bench;
    (void)seq;
    if (code) exit(1);
    if (c->begun) {
        b->took[b->ended++] = now_ms() - c->began;
        if (b->next == b->calls) return;
        c->number = b->next++;
        c->began = now_ms();
    }
    c->begun = !c->begun;
    step(c);
}

static void step(struct caller *c)
{
    char body[1024];
    int n =
        snprintf(body, sizeof body, "{\"callId\":\"call-%010zu\",\"%s\":\"%s\",%s}", c->number,
                 c->begun ? "status" : "effect", c->begun ? "Ok" : "NonIdempotentWrite", payload);
    fer_ledger_record r = {
        c->begun ? FER_LEDGER_END : FER_LEDGER_BEGIN, FER_STR("acme"), {body, (size_t)n}};
    if (fer_ledger_append(c->bench->port, &r, told, c, NULL)) exit(1);
}

static void remove_folder(const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) exit(1);
}

static double cpu_ms(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void run_ledger(const char *folder, fer_durability durability, size_t calls, size_t callers)
{
    struct bench b = {.calls = calls, .took = malloc(calls * sizeof(double))};
    struct caller list[CALLERS];
    fer_ledger *l;
    fer_err err;
    uv_loop_t loop;
    fer_ledger_options o = {.folder = folder, .durability = durability};
    remove_folder(folder);
    uv_loop_init(&loop);
    if (fer_ledger_open(&o, &l, NULL, &err) || fer_ledger_attach(l, &loop, &b.port, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    double began = now_ms(), cpu = cpu_ms();
    for (size_t i = 0; i < callers; i++) {
        list[i] = (struct caller){.bench = &b, .number = b.next++, .began = now_ms()};
        step(&list[i]);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    double took = now_ms() - began;
    cpu = cpu_ms() - cpu;
    fer_ledger_detach(b.port);
    fer_ledger_close(l, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    qsort(b.took, b.ended, sizeof(double), by_value);
    printf("| ledger, %s, %zu callers | %zu | %.0f | %.0f | %.2f ms | %.2f ms | %.1f us |\n",
           fer_durability_names[durability], callers, calls, (double)calls / took * 1e3,
           2 * (double)calls / took * 1e3, b.took[b.ended / 2], b.took[b.ended * 99 / 100],
           cpu * 1e3 / (double)calls);
    free(b.took);
}

/* ---- one sync for each record
 * --------------------------------------------------------------------- */

static void run_plain(const char *path, size_t calls, bool room)
{
    char line[1024];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    off_t at = 0;
    double *took = malloc(calls * sizeof *took);
    memset(line, 'x', sizeof line);
    if (room && fallocate(fd, 0, 0, 64 << 20)) exit(1);
    double began = now_ms();
    for (size_t i = 0; i < calls; i++) {
        double start = now_ms();
        for (int k = 0; k < 2; k++) {
            if (pwrite(fd, line, 640, at) != 640 || fdatasync(fd)) exit(1);
            at += 640;
        }
        took[i] = now_ms() - start;
    }
    double all = now_ms() - began;
    qsort(took, calls, sizeof *took, by_value);
    printf("| one sync for each record%s | %zu | %.0f | %.0f | %.2f ms | %.2f ms | |\n",
           room ? ", space taken before" : "", calls, (double)calls / all * 1e3,
           2 * (double)calls / all * 1e3, took[calls / 2], took[calls * 99 / 100]);
    close(fd);
    unlink(path);
    free(took);
}

/* ---- the same lines in SQLite
 * --------------------------------------------------------------------- */

static void must(int code)
{
    if (code != SQLITE_OK && code != SQLITE_DONE) exit(1);
}

/* Batches of as many records as callers: what group commit makes of them. The chain is hashed too.
 */
static void run_sqlite(const char *path, size_t calls, size_t batch)
{
    sqlite3 *db;
    sqlite3_stmt *put;
    char text[2048], body[512], head[FER_DIGEST_HEX];
    fer_digest *d = fer_digest_new();
    unlink(path);
    memcpy(head, FER_LINE_ZERO, sizeof head);
    must(sqlite3_open(path, &db));
    must(
        sqlite3_exec(db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE r(seq INTEGER "
                     "PRIMARY KEY, line BLOB NOT NULL)",
                     NULL, NULL, NULL));
    must(sqlite3_prepare_v2(db, "INSERT INTO r VALUES(?, ?)", -1, &put, NULL));
    double began = now_ms(), cpu = cpu_ms();
    for (size_t i = 0; i < 2 * calls;) {
        must(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
        for (size_t k = 0; k < batch && i < 2 * calls; k++, i++) {
            int n = snprintf(body, sizeof body, "{\"callId\":\"call-%010zu\",%s}", i, payload);
            fer_line l = {.body = {body, (size_t)n},
                          .boot = FER_STR("5a0f1c9e-2f1d-4f52-9d8e-0f6f1f0b2c3d"),
                          .mono = i,
                          .prev = {head, sizeof head},
                          .seq = i + 1,
                          .time = FER_STR("2026-11-17T08:00:00.000Z"),
                          .tenant = FER_STR("acme"),
                          .tprev = {head, sizeof head},
                          .type = FER_LEDGER_BEGIN};
            size_t len = fer_line_write(text, &l, d);
            memcpy(head, l.hash, sizeof head);
            sqlite3_bind_int64(put, 1, (sqlite3_int64)i + 1);
            sqlite3_bind_blob(put, 2, text, (int)len, SQLITE_STATIC);
            must(sqlite3_step(put));
            sqlite3_reset(put);
        }
        must(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
    }
    double took = now_ms() - began;
    cpu = cpu_ms() - cpu;
    printf("| SQLite (WAL, FULL), commits of %zu records | %zu | %.0f | %.0f | | | %.1f us |\n",
           batch, calls, (double)calls / took * 1e3, 2 * (double)calls / took * 1e3,
           cpu * 1e3 / (double)calls);
    sqlite3_finalize(put);
    sqlite3_close(db);
    fer_digest_free(d);
    unlink(path);
    snprintf(text, sizeof text, "%s-wal", path);
    unlink(text);
    snprintf(text, sizeof text, "%s-shm", path);
    unlink(text);
}

/* ---- verify
 * --------------------------------------------------------------------------------------- */

static void run_verify(const char *folder)
{
    double best = 1e30, best_cpu = 1e30;
    fer_verify_report r = {0};
    for (int i = 0; i < 5; i++) {
        fer_arena *a = fer_arena_new(0);
        fer_err err;
        double began = now_ms(), cpu = cpu_ms();
        if (fer_ledger_verify(a, &(fer_verify_options){.folder = folder}, &r, &err) || r.flaw_count)
            exit(1);
        if (now_ms() - began < best) best = now_ms() - began;
        if (cpu_ms() - cpu < best_cpu) best_cpu = cpu_ms() - cpu;
        fer_arena_free(a);
    }
    printf(
        "\nverify: %llu records, %.1f MB in %.0f ms: %.0f MB/s (%.0f MB per second of processor time)\n",
        (unsigned long long)r.records, (double)r.bytes / 1e6, best, (double)r.bytes / 1e3 / best,
        (double)r.bytes / 1e3 / best_cpu);
}

int main(int argc, char **argv)
{
    const char *place = getenv("TMPDIR") ? getenv("TMPDIR") : ".";
    size_t calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 60000;
    char folder[256], file[300];
    snprintf(folder, sizeof folder, "%s/bench-ledger-%ld", place, (long)getpid());
    snprintf(file, sizeof file, "%s.file", folder);
    printf(
        "| | calls | calls/s | durable records/s | p50 | p99 | processor |\n|---|---|---|---|---|---|---|\n");
    run_plain(file, calls / 60, false);
    run_plain(file, calls / 60, true);
    run_sqlite(file, calls / 4, CALLERS);
    run_sqlite(file, calls / 120, 1);
    run_ledger(folder, FER_DURABLE_ASYNC, calls, CALLERS);
    run_ledger(folder, FER_DURABLE_SYNC, calls, CALLERS);
    run_ledger(folder, FER_DURABLE_GROUP, calls / 60, 1);
    run_ledger(folder, FER_DURABLE_GROUP, calls, CALLERS);
    double plain = durable_calls("gateway, nothing kept", NULL, calls, CALLERS, false);
    char state[300];
    snprintf(state, sizeof state, "%s.state", folder);
    double kept = durable_calls("gateway, begin and end durable", state, calls, CALLERS, false);
    remove_folder(state);
    durable_calls("gateway, begin and end durable", state, calls / 60, 1, false);
    remove_folder(state);
    durable_calls("gateway, the same with a key each", state, calls / 4, CALLERS, true);
    remove_folder(state);
    printf("\nadded by a durable begin and end, p50: %.2f ms\n", kept - plain);
    run_verify(folder);
    remove_folder(folder);
    return 0;
}
