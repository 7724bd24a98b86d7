/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch: lines that are written with one write and synced once. Until it is synced nothing of it
 * counts; where it could not be written at all (no space) the chain is put back to where it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "ledger_parts.h"
#include "sys.h"

#define JUMP_MS 500 /* of the wall clock against the monotonic one that deserve a record */

/* ---- time ---------------------------------------------------------------------------------------
 */

/*
 * Times of records never go back within a boot. A clock that is set forward is believed; one that
 * is set back is not: time goes on by the monotonic clock until the wall clock is ahead again. Both
 * are told.
 */
static int64_t tell_time(fer_ledger *l)
{
    int64_t mono = fer_clock_mono(), wall = fer_clock_wall();
    if (mono <= l->mono) mono = l->mono + 1;
    l->mono = mono;
    int64_t skew = wall - (mono / 1000000 + l->offset_ms), jump = skew - l->skew_ms;
    if (skew > 0) {
        l->offset_ms += skew;
        skew = 0;
    }
    l->skew_ms = jump > JUMP_MS || jump < -JUMP_MS ? skew : l->skew_ms;
    fer_clock_format(mono / 1000000 + l->offset_ms, l->time);
    return jump;
}

void fer_commit_clock(fer_ledger *l, const fer_line *last)
{
    int64_t wall = fer_clock_wall();
    l->mono = fer_clock_mono();
    l->offset_ms = wall - l->mono / 1000000;
    l->skew_ms = 0;
    if (!last || !fer_str_eq(last->boot, (fer_str){l->boot, FER_LINE_BOOT})) return;
    int64_t then = fer_line_wall(last->time) - (int64_t)(last->mono / 1000000);
    if (last->mono < INT64_MAX && (int64_t)last->mono > l->mono) l->mono = (int64_t)last->mono;
    if (then > l->offset_ms) {
        l->skew_ms = l->offset_ms - then;
        l->offset_ms = then;
    }
}

void fer_commit_start(fer_ledger *l)
{
    char body[96], was[32];
    memcpy(was, l->time, sizeof was);
    l->len = l->batch_count = l->undo_count = 0;
    l->before.seq = l->chain.seq;
    l->before.since = l->chain.since;
    l->before.changed = l->chain.changed;
    l->before.open_written = l->open_written;
    memcpy(l->before.head, l->chain.head, FER_DIGEST_HEX);
    int64_t jump = tell_time(l);
    if (jump <= JUMP_MS && jump >= -JUMP_MS) return;
    char wall[FER_TIMESTAMP];
    fer_clock_format(fer_clock_wall(), wall);
    int n =
        snprintf(body, sizeof body, "{\"deltaMs\":%lld,\"wall\":\"%s\"}", (long long)jump, wall);
    if (n > 0) fer_commit_add(l, FER_LEDGER_CLOCK_JUMP, FER_NOBODY, (fer_str){body, (size_t)n});
}

/* ---- lines --------------------------------------------------------------------------------------
 */

static size_t write_line(fer_ledger *l, fer_ledger_type type, const fer_hash_chain_tenant *t,
                         fer_str body, fer_line *line)
{
    *line = (fer_line){.body = body,
                       .boot = {l->boot, FER_LINE_BOOT},
                       .mono = (uint64_t)l->mono,
                       .prev = {l->chain.head, FER_DIGEST_HEX},
                       .seq = l->chain.seq + 1,
                       .time = fer_str_of(l->time),
                       .tenant = t->name,
                       .tprev = {t->head, FER_DIGEST_HEX},
                       .type = type};
    return fer_line_write(l->bytes + l->front + l->len, line, l->chain.digest);
}

bool fer_commit_add(fer_ledger *l, fer_ledger_type type, fer_str tenant, fer_str body)
{
    fer_line line;
    fer_hash_chain_tenant *t = fer_hash_chain_tenant_of(&l->chain, tenant);
    size_t n = t ? write_line(l, type, t, body, &line) : 0;
    if (!n) return false;
    struct fer_undo *u = &l->undo[l->undo_count++];
    *u = (struct fer_undo){.tenant = t, .changed = t->changed};
    memcpy(u->head, t->head, FER_DIGEST_HEX);
    l->len += n;
    if (type == FER_LEDGER_BEGIN) l->open_written++;
    if (type == FER_LEDGER_END) l->open_written--;
    fer_hash_chain_add(&l->chain, t, &line);
    return true;
}

static void put_back(fer_ledger *l)
{
    while (l->undo_count) {
        const struct fer_undo *u = &l->undo[--l->undo_count];
        memcpy(u->tenant->head, u->head, FER_DIGEST_HEX);
        u->tenant->changed = u->changed;
    }
    l->chain.seq = l->before.seq;
    l->chain.since = l->before.since;
    l->chain.changed = l->before.changed;
    l->open_written = l->before.open_written;
    memcpy(l->chain.head, l->before.head, FER_DIGEST_HEX);
    l->len = 0;
}

static bool is_no_space(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* Writes what the buffer holds; the chain is the caller's matter. */
static bool write_out(fer_ledger *l, bool sync)
{
    if (!fer_blocks_write(l)) {
        if (is_no_space(errno)) l->state = FER_LEDGER_FULL;
        else fer_ledger_break(l, "a write failed: %s", strerror(errno));
        return false;
    }
    l->dirty = true;
    uint64_t began = uv_hrtime();
    if (sync && !fer_sync_data(l->fd)) {
        fer_ledger_break(l, "a sync failed: %s", strerror(errno));
        return false;
    }
    l->sync_ns = (int64_t)(uv_hrtime() - began);
    if (sync) l->dirty = false;
    fer_blocks_pass(l);
    return true;
}

bool fer_commit_flush(fer_ledger *l, bool sync)
{
    if (l->len == 0 && !(sync && l->dirty)) return true;
    if (write_out(l, sync)) return true;
    put_back(l);
    return false;
}

/* ---- checkpoints --------------------------------------------------------------------------------
 */

/* Puts it where whoever has this folder may not reach. That this failed is told, and no more. */
static void send_anchor(fer_ledger *l, fer_str body)
{
    if (!l->anchor) return;
    char line[FER_CHECKPOINT_BODY + 1];
    memcpy(line, body.ptr, body.len);
    line[body.len] = '\n';
    fer_str text = {line, body.len + 1};
    int fd = fer_sys_open(l->anchor, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && fer_sys_write(fd, text.ptr, text.len) == (ssize_t)text.len &&
              fer_sys_fsync(fd) == 0;
    if (!ok && l->state == FER_LEDGER_OK)
        snprintf(l->trouble, sizeof l->trouble, "the anchor cannot be written: %s",
                 strerror(errno));
    if (fd >= 0) fer_sys_close(fd);
}

/* A checkpoint that is in the buffer, and in the chain once it is written. */
typedef struct checkpoint {
    fer_hash_chain_tenant *tenant;
    fer_line line;
    char sum[FER_DIGEST_HEX], body[FER_CHECKPOINT_BODY];
    size_t body_len;
} checkpoint;

/* Behind what the buffer holds. */
static bool add_checkpoint(fer_ledger *l, checkpoint *c)
{
    c->tenant = fer_hash_chain_tenant_of(&l->chain, FER_NOBODY);
    if (!c->tenant || !fer_hash_chain_sum(&l->chain, c->sum) ||
        !fer_checkpoint_write(&l->chain, l->key, c->sum, c->body, &c->body_len))
        return false;
    fer_str body = {c->body, c->body_len};
    size_t n = write_line(l, FER_LEDGER_CHECKPOINT, c->tenant, body, &c->line);
    l->len += n;
    return n > 0;
}

static void take_checkpoint(fer_ledger *l, const checkpoint *c)
{
    fer_hash_chain_checked(&l->chain, c->sum);
    fer_hash_chain_add(&l->chain, c->tenant, &c->line);
    l->checkpoint_at = l->mono / 1000000;
}

bool fer_commit_flush_checked(fer_ledger *l)
{
    checkpoint c;
    if (!add_checkpoint(l, &c)) return fer_commit_flush(l, true);
    if (!fer_commit_flush(l, true)) return false;
    take_checkpoint(l, &c);
    return true;
}

bool fer_commit_checkpoint(fer_ledger *l)
{
    checkpoint c;
    if (!fer_segment_is_ours(l)) {
        fer_ledger_break(l, "another process has opened the ledger");
        return false;
    }
    fer_commit_start(l);
    if (!fer_commit_flush(l, false) || !add_checkpoint(l, &c)) return false;
    if (!write_out(l, true)) {
        l->len = 0;
        return false;
    }
    take_checkpoint(l, &c);
    send_anchor(l, (fer_str){c.body, c.body_len});
    return true;
}
