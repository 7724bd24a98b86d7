/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that writes: see ledger_parts.h for the life of a record. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "errors.h"
#include "ledger_parts.h"
#include "ledger_scan.h"
#include "sys.h"

#define RETRY_MS 200  /* between two looks for space, or for a new segment */
#define ASYNC_MS 1000 /* between two syncs of a ledger that does not wait for them */
#define PATIENCE 3    /* syncs that a batch waits for one more caller */
#define FETCHED  512  /* bytes of an entry: most have fewer */

/* ---- telling ------------------------------------------------------------------------------------
 */

/*
 * What became of the call of an entry that is in the chain, or is not; under the lock. Known at
 * once, not when the caller is told: a new segment may begin before, and its `heads` says which
 * calls are open.
 */
static void note_call(fer_ledger *l, const fer_ledger_entry *e)
{
    bool begin = e->type == FER_LEDGER_BEGIN;
    if (!e->call) return;
    if (!e->code && begin) e->call->begun = e->seq;
    else if (e->code && !begin) e->call->ended = false;
    else fer_call_table_remove(&l->calls, e->call);
}

/* Under the lock. */
static void finish_locked(fer_ledger *l, fer_ledger_entry_list *done, fer_ledger_entry *e,
                          fer_code code)
{
    e->code = code;
    if (code) e->seq = 0;
    note_call(l, e);
    fer_ledger_entry_push(done, e);
}

static void finish(fer_ledger *l, fer_ledger_entry_list *done, fer_ledger_entry *e, fer_code code)
{
    pthread_mutex_lock(&l->lock);
    finish_locked(l, done, e, code);
    pthread_mutex_unlock(&l->lock);
}

/* Those of one port behind each other are told together, so that its loop is woken once. */
static void tell_all(fer_ledger *l, fer_ledger_entry_list *list)
{
    size_t size = 0;
    for (fer_ledger_entry *first = list->first, *next; first; first = next) {
        fer_ledger_entry *e = first;
        for (;; e = next) {
            size += sizeof *e + e->tenant_len + e->body_len;
            next = e->next;
            e->item.next = NULL;
            if (!next || next->outlet != first->outlet) break;
            e->item.next = &next->item;
        }
        fer_outlet_send(first->outlet, &first->item);
    }
    l->waiting -= size;
    *list = (fer_ledger_entry_list){0};
}

/* ---- space --------------------------------------------------------------------------------------
 */

static uint64_t size_of(const fer_ledger_entry *e)
{
    return (uint64_t)e->tenant_len + e->body_len + FER_LINE_EXTRA;
}

/* Whether there is room for it and for the ends of all calls that are open then. */
static bool has_room(const fer_ledger *l, const fer_ledger_entry *e)
{
    if (l->growing) return true;
    uint64_t open = l->open_written + (e->type == FER_LEDGER_BEGIN);
    if (e->type == FER_LEDGER_END && open) open--;
    uint64_t want = l->offset + l->len + size_of(e) + open * l->options.end_bytes;
    if (e->type == FER_LEDGER_END && size_of(e) <= l->options.end_bytes) return true;
    return want + FER_LEDGER_MARGIN <= l->room;
}

static bool is_no_space(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/*
 * Another segment. Without space the ledger is full until there is some; for any other reason
 * this segment goes on, longer than it was to be.
 */
static bool next_segment(fer_ledger *l)
{
    l->retry_at = fer_clock_mono() / 1000000 + RETRY_MS;
    if (!fer_segment_is_ours(l)) {
        fer_ledger_break(l, "another process has opened the ledger");
        return false;
    }
    if (fer_segment_next(l)) {
        l->prune_due = l->options.keep_ms > 0;
        int full = FER_LEDGER_FULL;
        atomic_compare_exchange_strong(&l->state, &full, FER_LEDGER_OK);
        return true;
    }
    if (l->state == FER_LEDGER_BROKEN) return false;
    if (is_no_space(errno)) {
        l->state = FER_LEDGER_FULL;
        return false;
    }
    l->growing = true;
    return true;
}

/* ---- batches ------------------------------------------------------------------------------------
 */

static bool wants_sync(const fer_ledger *l)
{
    return l->options.durability != FER_DURABLE_ASYNC;
}

static bool is_batch_full(const fer_ledger *l)
{
    return l->batch_count == FER_BATCH_RECORDS || l->len >= FER_BATCH_BYTES;
}

static bool has_many(const fer_ledger *l)
{
    return l->chain.since >= l->options.checkpoint_records;
}

/* Whether the checkpoint that is due is the last line of the batch: one write and one sync for
 * both. Callers do not wait for an anchor, and a batch is never longer than a recovery expects. */
static bool closes_with_checkpoint(const fer_ledger *l)
{
    return has_many(l) && l->batch_count && !is_batch_full(l) && !l->anchor &&
           l->state == FER_LEDGER_OK && fer_segment_is_ours(l);
}

/* Writes what was gathered; what could not be written is told so, or held: ends are not given up.
 */
static void write_batch(fer_ledger *l, fer_ledger_entry_list *done)
{
    bool ok = closes_with_checkpoint(l) ? fer_commit_flush_checked(l)
                                        : fer_commit_flush(l, wants_sync(l));
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < l->batch_count; i++) {
        fer_ledger_entry *e = l->batch[i];
        bool hold =
            !ok && l->state == FER_LEDGER_FULL && e->type == FER_LEDGER_END && !l->letting_go;
        if (hold) fer_ledger_entry_push(&l->held, e);
        else finish_locked(l, done, e, ok ? FER_OK : FER_LEDGER_UNAVAILABLE);
    }
    pthread_mutex_unlock(&l->lock);
    l->batch_count = 0;
}

static void refuse(fer_ledger *l, fer_ledger_entry_list *done, fer_ledger_entry *e)
{
    bool hold = e->type == FER_LEDGER_END && l->state == FER_LEDGER_FULL &&
                size_of(e) <= l->options.end_bytes && !l->letting_go;
    if (hold) fer_ledger_entry_push(&l->held, e);
    else finish(l, done, e, FER_LEDGER_UNAVAILABLE);
}

static void take(fer_ledger *l, fer_ledger_entry_list *done, fer_ledger_entry *e)
{
    if (l->state == FER_LEDGER_BROKEN) {
        finish(l, done, e, FER_LEDGER_UNAVAILABLE);
        return;
    }
    if (is_batch_full(l)) {
        write_batch(l, done);
        fer_commit_start(l);
    }
    if (!has_room(l, e)) {
        write_batch(l, done);
        bool late = l->state == FER_LEDGER_FULL && fer_clock_mono() / 1000000 < l->retry_at;
        if (late || !next_segment(l)) {
            refuse(l, done, e);
            fer_commit_start(l);
            return;
        }
        fer_commit_start(l);
    }
    if (l->state == FER_LEDGER_FULL && e->type != FER_LEDGER_END) {
        refuse(l, done, e);
        return;
    }
    if (!fer_commit_add(l, e->type, fer_ledger_entry_tenant(e), fer_ledger_entry_body(e))) {
        finish(l, done, e, FER_LEDGER_UNAVAILABLE);
        return;
    }
    e->seq = l->chain.seq;
    l->batch[l->batch_count++] = e;
}

/* Another processor has written it: its lines come over while the one before is hashed. */
static void fetch(const fer_ledger_entry *e)
{
    for (size_t at = 0; e && at < FETCHED; at += 64) __builtin_prefetch((const char *)e + at);
}

static void write_list(fer_ledger *l, fer_ledger_entry *first)
{
    fer_ledger_entry_list done = {0};
    if (l->state != FER_LEDGER_BROKEN) fer_commit_start(l);
    for (fer_ledger_entry *e = first, *next; e; e = next) {
        next = e->next;
        fetch(next);
        take(l, &done, e);
    }
    if (l->state != FER_LEDGER_BROKEN) write_batch(l, &done);
    /* A batch that broke the ledger has told its own; one that was never written has not. */
    for (size_t i = 0; i < l->batch_count; i++)
        finish(l, &done, l->batch[i], FER_LEDGER_UNAVAILABLE);
    l->batch_count = 0;
    tell_all(l, &done);
}

/* ---- what is due --------------------------------------------------------------------------------
 */

static void checkpoint(fer_ledger *l)
{
    /* Its space is the margin's, which a segment that grows does not need. */
    if (l->state == FER_LEDGER_OK && !fer_commit_checkpoint(l) && l->state == FER_LEDGER_OK)
        l->checkpoint_at = fer_clock_mono() / 1000000;
}

static void sync_now(fer_ledger *l, int64_t now)
{
    if (l->dirty && !fer_sync_data(l->fd))
        fer_ledger_break(l, "a sync failed: %s", strerror(errno));
    l->dirty = false;
    l->synced_at = now;
}

/* Ends that found no space: as soon as there is some. */
static void retry(fer_ledger *l, int64_t now)
{
    bool wanted = l->state == FER_LEDGER_FULL || l->growing;
    if (!wanted || now < l->retry_at) return;
    if (!next_segment(l) || !l->held.first) return;
    fer_ledger_entry *first = l->held.first;
    l->held = (fer_ledger_entry_list){0};
    write_list(l, first);
}

static void give_up_held(fer_ledger *l)
{
    fer_ledger_entry_list done = {0};
    while (l->held.first) {
        fer_ledger_entry *e = l->held.first;
        l->held.first = e->next;
        finish(l, &done, e, FER_LEDGER_UNAVAILABLE);
    }
    tell_all(l, &done);
}

static void do_due(fer_ledger *l)
{
    int64_t now = fer_clock_mono() / 1000000;
    if (l->state == FER_LEDGER_BROKEN) {
        give_up_held(l);
        return;
    }
    retry(l, now);
    if (l->letting_go) give_up_held(l);
    /* A checkpoint alone is nothing new. */
    bool old = l->chain.since > 1 && now - l->checkpoint_at >= l->options.checkpoint_ms;
    if (has_many(l) || old) checkpoint(l);
    if (l->prune_due && l->state == FER_LEDGER_OK) {
        fer_ledger_pruned ignored;
        l->prune_due = false;
        (void)fer_writer_prune(l, fer_clock_wall() - l->options.keep_ms, &ignored, NULL);
    }
    if (l->dirty && now - l->synced_at >= ASYNC_MS && l->state != FER_LEDGER_BROKEN)
        sync_now(l, now);
}

/* How long to sleep at most, in ms. */
static int64_t next_due(const fer_ledger *l)
{
    int64_t now = fer_clock_mono() / 1000000, due = 60000;
    if (l->state == FER_LEDGER_BROKEN) return due;
    if (l->chain.since > 1) due = l->checkpoint_at + l->options.checkpoint_ms - now;
    if (l->dirty && l->synced_at + ASYNC_MS - now < due) due = l->synced_at + ASYNC_MS - now;
    if ((l->state == FER_LEDGER_FULL || l->growing) && l->retry_at - now < due)
        due = l->retry_at - now;
    return due < 1 ? 1 : due;
}

/* ---- the thread ---------------------------------------------------------------------------------
 */

static void wait_until(fer_ledger *l, int64_t mono_ns)
{
    struct timespec t = {.tv_sec = mono_ns / 1000000000, .tv_nsec = mono_ns % 1000000000};
    pthread_cond_timedwait(&l->wake, &l->lock, &t);
}

/* The time by the system itself: a clock that a test has shifted would make the thread sleep or
 * spin. */
static int64_t now_ns(void)
{
    return (int64_t)uv_hrtime();
}

/*
 * Waits for records, under the lock. A batch that nobody waits for may grow for flush_ms. One that
 * somebody waits for waits for those who were told of late, who are about to ask again: as long as
 * one more has come within the time of a few syncs, and never longer than flush_ms. Else the first
 * of them would have a sync of its own and all others the next one. A caller alone does not wait,
 * but for the few batches after many callers.
 */
static void gather(fer_ledger *l)
{
    if (!l->queue.first && !l->stop && !l->prune.asked)
        wait_until(l, now_ns() + next_due(l) * 1000000);
    if (l->options.durability == FER_DURABLE_SYNC || !l->queue.first) return;
    int64_t now = now_ns(), last = now + l->options.flush_ms * 1000000, end = last;
    for (size_t met = 0; !l->stop && l->waiting < l->options.flush_bytes; now = now_ns()) {
        if ((l->waiters && l->waiters >= l->expected) || now >= last) return;
        if (l->waiters && (!met || now >= end)) {
            if (l->waiters == met) return;
            met = l->waiters;
            end = now + PATIENCE * l->sync_ns < last ? now + PATIENCE * l->sync_ns : last;
        }
        wait_until(l, end);
    }
}

/* Callers that are expected: those of the last batch, or some less than were expected before. Where
 * a group has come in two parts, the smaller one is not what the next waits for. */
static size_t expect(const fer_ledger *l)
{
    size_t fewer = l->expected - (l->expected + 3) / 4;
    return l->waiters > fewer ? l->waiters : fewer;
}

static void answer_prune(fer_ledger *l)
{
    fer_ledger_pruned result = {0};
    fer_err err = {0};
    fer_code code = fer_writer_prune(l, l->prune.before, &result, &err);
    pthread_mutex_lock(&l->lock);
    l->prune.result = result;
    l->prune.code = code;
    l->prune.err = err;
    l->prune.answered = true;
    pthread_cond_broadcast(&l->pruned);
    pthread_mutex_unlock(&l->lock);
}

static void say_goodbye(fer_ledger *l)
{
    if (l->held.first) {
        l->retry_at = 0;
        retry(l, 1);
    }
    give_up_held(l);
    if (l->state != FER_LEDGER_OK) return;
    fer_commit_start(l);
    if (!fer_commit_add(l, FER_LEDGER_SHUTDOWN, FER_NOBODY, FER_STR("{}"))) return;
    if (!fer_commit_flush(l, true)) return;
    checkpoint(l);
    if (l->state == FER_LEDGER_OK && fer_sys_ftruncate(l->fd, (off_t)l->offset) == 0)
        (void)fer_sys_fdatasync(l->fd);
}

void *fer_writer_run(void *ledger)
{
    fer_ledger *l = ledger;
    pthread_mutex_lock(&l->lock);
    while (!l->stop || l->queue.first) {
        gather(l);
        fer_ledger_entry *first = l->queue.first;
        bool prune = l->prune.asked && !l->prune.answered;
        l->queue = (fer_ledger_entry_list){0};
        l->waker = NULL;
        l->expected = expect(l);
        l->waiters = 0;
        pthread_mutex_unlock(&l->lock);
        if (first) write_list(l, first);
        if (prune) answer_prune(l);
        do_due(l);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    say_goodbye(l);
    return NULL;
}
