/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the folder of a ledger to a chain that can be added to. Only what the last writer had not
 * synced may be damaged by a crash, and that is one batch at the end of the last segment. So what
 * is behind the first bad line there is cut (and kept beside) if it can be such a tail; if lines of
 * two later batches stand behind the bad one, or the last writer had closed the ledger, somebody or
 * something else did it, and nothing is written before an operator has looked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "errors.h"
#include "json_value.h"
#include "ledger_facts.h"
#include "ledger_parts.h"
#include "ledger_scan.h"
#include "map.h"
#include "sys.h"

struct recovery {
    fer_ledger *l;
    fer_ledger_recovery *out;
    fer_err *err;
    fer_arena *arena;
    fer_arena *scratch; /* reset with each line */
    char *buffer;
    fer_segment_list segments;
    fer_line last; /* record; its texts are in: */
    char last_time[32], last_boot[FER_LINE_BOOT];
    bool any;
    bool closed; /* by shutdown, and nothing but a checkpoint since */
    bool async;  /* the last writer did not sync each batch */
    size_t breaks;
    uint64_t break_seq; /* the last good record before the first */
    fer_map begins;     /* of calls that are open: what their begins say, by seq */
    size_t unread;      /* of those */
};

/* Of a begin, as it is written. */
typedef struct begin_facts {
    uint64_t seq;
    bool read;
    fer_str tool, correlation; /* or empty */
} begin_facts;

static fer_code system_failed(struct recovery *r, const char *what, const char *name)
{
    return fer_fail(r->err, FER_IO_ERROR, "cannot %s %s: %s", what, name, strerror(errno));
}

/* ---- what records say ---------------------------------------------------------------------------
 */

static fer_code note_call(struct recovery *r, const fer_line *line)
{
    fer_facts f;
    fer_code code = fer_facts_read(r->scratch, line->body, &f, r->err);
    if (code) return code;
    fer_open_call *c = fer_call_table_find(&r->l->calls, line->tenant, f.call);
    if (line->type == FER_LEDGER_END) {
        if (c) fer_call_table_remove(&r->l->calls, c);
        return FER_OK;
    }
    if (c) return FER_OK;
    c = fer_call_table_add(&r->l->calls, line->tenant, f.call);
    if (!c) return fer_fail(r->err, FER_OUT_OF_MEMORY, "out of memory");
    c->begun = line->seq;
    c->pure = fer_str_is(f.effect, "Pure");
    return FER_OK;
}

static fer_code note(struct recovery *r, const fer_line *line)
{
    r->last = *line;
    r->any = true;
    memcpy(r->last_time, line->time.ptr, line->time.len);
    memcpy(r->last_boot, line->boot.ptr, FER_LINE_BOOT);
    r->last.time = (fer_str){r->last_time, line->time.len};
    r->last.boot = (fer_str){r->last_boot, FER_LINE_BOOT};
    if (line->type != FER_LEDGER_CHECKPOINT) r->closed = line->type == FER_LEDGER_SHUTDOWN;
    if (line->type == FER_LEDGER_OPEN_TYPE)
        r->async = memmem(line->body.ptr, line->body.len, "\"async\"", 7) != NULL;
    if (line->type != FER_LEDGER_BEGIN && line->type != FER_LEDGER_END) return FER_OK;
    fer_arena_reset(r->scratch);
    return note_call(r, line);
}

/* ---- a bad place --------------------------------------------------------------------------------
 */

static const char *const verdicts[] = {
    "is fine",
    "is not a line of a ledger",
    "was changed: its hash is another",
    "has not the next number",
    "does not follow the record before it",
    "does not follow its tenant's record before it",
    "is a checkpoint that says what is not so",
    "is a checkpoint that another key has signed",
    "needs more memory than there is",
};

static fer_code broken(struct recovery *r, const fer_segment *s, uint64_t offset,
                       fer_hash_chain_verdict v)
{
    return fer_fail(
        r->err, FER_INTEGRITY_BROKEN,
        "the ledger is broken behind record %llu: what stands at byte %llu of %s %s. "
        "Nothing is written over it; look at it (ferrule ledger verify), then accept the "
        "break if you must (ferrule ledger accept)",
        (unsigned long long)r->l->chain.seq, (unsigned long long)offset, s->name, verdicts[v]);
}

/* Whether what begins at `offset` can be the batch that a crash has torn. */
static bool can_be_torn(struct recovery *r, int fd, uint64_t offset)
{
    fer_scan s;
    fer_line line;
    fer_str text;
    uint64_t at, mono = 0;
    size_t batches = 0, checkpoints = 0;
    fer_scan_init(&s, fd, r->buffer, offset);
    while (fer_scan_skip(&s)) {
        fer_scan_result got;
        while ((got = fer_scan_next(&s, &text, &at)) == FER_SCAN_LINE) {
            /* Of lines behind a hole that zeros fill, the zeros are the start of the first. */
            while (text.len && text.ptr[0] == '\0') text = fer_str_slice(text, 1, text.len);
            if (!fer_line_read(text, &line) || !fer_line_holds(text, &line, r->l->chain.digest))
                continue;
            if (line.type == FER_LEDGER_SHUTDOWN) return false;
            checkpoints += line.type == FER_LEDGER_CHECKPOINT;
            batches += line.mono != mono;
            mono = line.mono;
        }
        if (got == FER_SCAN_FAILED) return false;
    }
    return r->async ? checkpoints <= 1 : batches <= 1;
}

/* Keeps what is cut, as far as that goes: somebody may want to look. */
static void keep_tail(struct recovery *r, int fd, uint64_t from, uint64_t size)
{
    char name[FER_SEGMENT_NAME];
    snprintf(name, sizeof name, "torn-%010llu", (unsigned long long)r->l->epoch);
    size_t want = size < FER_SCAN_BUFFER ? (size_t)size : FER_SCAN_BUFFER;
    ssize_t n = fer_sys_pread(fd, r->buffer, want, (off_t)from);
    if (n > 0) (void)fer_folder_write(r->l->folder, name, (fer_str){r->buffer, (size_t)n}, NULL);
}

/* How many bytes behind `from` are no zeros at the end of the file. */
static uint64_t tail_size(struct recovery *r, int fd, uint64_t from)
{
    uint64_t size = 0;
    for (uint64_t at = from;;) {
        ssize_t n = fer_sys_pread(fd, r->buffer, FER_SCAN_BUFFER, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return size;
        for (size_t i = (size_t)n; i > 0; i--) {
            if (r->buffer[i - 1] == '\0') continue;
            size = at + i - from;
            break;
        }
        at += (uint64_t)n;
    }
}

/*
 * What an earlier process could not sync may be in the system's memory alone, and the system may
 * think that it is on the disk. Written once more it is synced like new.
 */
static bool write_again(struct recovery *r, int fd, uint64_t end)
{
    uint64_t from = end > FER_BATCH_BYTES + FER_LINE_MAX ? end - FER_BATCH_BYTES - FER_LINE_MAX : 0;
    size_t got = 0;
    while (from + got < end) {
        ssize_t n =
            fer_sys_pread(fd, r->buffer + got, (size_t)(end - from) - got, (off_t)(from + got));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        got += (size_t)n;
    }
    return fer_write_at(fd, (fer_str){r->buffer, got}, from);
}

/* Ends a segment that nobody closed at `end`. */
static fer_code settle(struct recovery *r, const fer_segment *s, int fd, uint64_t end)
{
    uint64_t tail = tail_size(r, fd, end);
    if (tail) keep_tail(r, fd, end, tail);
    r->out->cut_bytes = tail;
    if (!write_again(r, fd, end)) return system_failed(r, "write again", s->name);
    if (fer_sys_ftruncate(fd, (off_t)end) != 0) return system_failed(r, "cut", s->name);
    return fer_sync_data(fd) ? FER_OK : system_failed(r, "sync", s->name);
}

/* ---- segments -----------------------------------------------------------------------------------
 */

/* Goes on behind a bad line because the operator said so. */
static void force(struct recovery *r, fer_str text, bool is_line, fer_scan *s)
{
    fer_line line;
    if (!r->breaks++) r->break_seq = r->l->chain.seq;
    if (is_line && fer_line_read(text, &line)) {
        fer_hash_chain_force(&r->l->chain, &line);
        note(r, &line);
    } else if (!is_line) {
        fer_scan_skip(s);
    }
}

/* Follows the chain through one segment; `*end` is where its good lines end. */
static fer_code follow(struct recovery *r, const fer_segment *s, int fd, bool is_last,
                       uint64_t *end)
{
    fer_scan scan;
    fer_str text;
    fer_line line;
    uint64_t at;
    fer_scan_init(&scan, fd, r->buffer, 0);
    for (;;) {
        fer_scan_result got = fer_scan_next(&scan, &text, &at);
        fer_hash_chain_verdict v = FER_CHAIN_FORM;
        *end = at;
        if (got == FER_SCAN_FAILED) return system_failed(r, "read", s->name);
        if (got == FER_SCAN_END && is_last && !can_be_torn(r, fd, at))
            return broken(r, s, at, FER_CHAIN_FORM);
        if (got == FER_SCAN_END) return FER_OK;
        if (got == FER_SCAN_LINE && fer_line_read(text, &line))
            v = fer_hash_chain_follow(&r->l->chain, text, &line, NULL);
        if (v == FER_CHAIN_NO_MEMORY) return fer_fail(r->err, FER_OUT_OF_MEMORY, "out of memory");
        if (v == FER_CHAIN_OK) {
            fer_code code = note(r, &line);
            if (code) return code;
            continue;
        }
        if (is_last && can_be_torn(r, fd, at)) return FER_OK;
        if (!r->l->options.accept_break) return broken(r, s, at, v);
        /* The buffer was used to look ahead. */
        fer_scan_init(&scan, fd, r->buffer, at);
        got = fer_scan_next(&scan, &text, &at);
        force(r, text, got == FER_SCAN_LINE, &scan);
        if (got == FER_SCAN_TORN && fer_scan_offset(&scan) == at) return FER_OK;
    }
}

static fer_code follow_named(struct recovery *r, const fer_segment *s, bool is_last, uint64_t *end)
{
    int fd = fer_sys_openat(r->l->folder, s->name,
                            (is_last ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0) return system_failed(r, "open", s->name);
    fer_code code = FER_OK;
    if (s->first != r->l->chain.seq + 1 && !r->l->options.accept_break)
        code = fer_fail(r->err, FER_INTEGRITY_BROKEN,
                        "the ledger has records up to %llu, and then %s: a segment is missing",
                        (unsigned long long)r->l->chain.seq, s->name);
    if (!code) code = follow(r, s, fd, is_last, end);
    if (!code && is_last && (!r->closed || tail_size(r, fd, *end))) code = settle(r, s, fd, *end);
    fer_sys_close(fd);
    return code;
}

/* Segments at the end that hold no record: a crash came right after they were made. */
static fer_code drop_empty(struct recovery *r)
{
    while (r->segments.count) {
        const fer_segment *s = &r->segments.list[r->segments.count - 1];
        int fd = fer_sys_openat(r->l->folder, s->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
        if (fd < 0) return system_failed(r, "open", s->name);
        int empty = fer_scan_is_empty(fd, 0, r->buffer);
        fer_sys_close(fd);
        if (empty < 0) return system_failed(r, "read", s->name);
        if (!empty) return FER_OK;
        if (fer_sys_unlinkat(r->l->folder, s->name) != 0)
            return system_failed(r, "take away", s->name);
        r->segments.count--;
    }
    return FER_OK;
}

/* The first record that is still there tells where the chain began, where older ones were pruned.
 */
static fer_code start_at(struct recovery *r, const fer_segment *s)
{
    fer_scan scan;
    fer_str text;
    fer_line line;
    uint64_t at;
    if (s->first == 1) return FER_OK;
    int fd = fer_sys_openat(r->l->folder, s->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0) return system_failed(r, "open", s->name);
    fer_scan_init(&scan, fd, r->buffer, 0);
    bool ok = fer_scan_next(&scan, &text, &at) == FER_SCAN_LINE && fer_line_read(text, &line) &&
              line.seq == s->first;
    fer_sys_close(fd);
    if (!ok) return broken(r, s, 0, FER_CHAIN_FORM);
    r->l->chain.seq = line.seq - 1;
    memcpy(r->l->chain.head, line.prev.ptr, FER_DIGEST_HEX);
    r->l->chain.pruned = true;
    r->l->chain.sum_known = false;
    return FER_OK;
}

static bool reset_state(fer_ledger *l)
{
    fer_hash_chain_deinit(&l->chain);
    fer_call_table_deinit(&l->calls);
    return fer_hash_chain_init(&l->chain) && fer_call_table_init(&l->calls);
}

/* Where to start: at the segment that `heads` knows, or at the first there is. */
static fer_code choose_start(struct recovery *r, size_t *from)
{
    fer_segment at;
    *from = 0;
    if (fer_heads_read(r->l, &at)) {
        for (size_t i = 0; i < r->segments.count; i++) {
            if (strcmp(r->segments.list[i].name, at.name) != 0) continue;
            r->l->chain.pruned = r->segments.list[0].first != 1;
            *from = i;
            return FER_OK;
        }
    }
    if (!reset_state(r->l)) return fer_fail(r->err, FER_OUT_OF_MEMORY, "out of memory");
    return start_at(r, &r->segments.list[0]);
}

/* ---- going on -----------------------------------------------------------------------------------
 */

static fer_code flush(struct recovery *r)
{
    if (fer_commit_flush(r->l, true)) return FER_OK;
    return fer_fail(r->err, FER_LEDGER_UNAVAILABLE, "the ledger cannot be written: %s",
                    r->l->state == FER_LEDGER_FULL ? "no space" : r->l->trouble);
}

static fer_code add(struct recovery *r, fer_ledger_type type, fer_str tenant, fer_str body)
{
    if (r->l->undo_count == FER_BATCH_RECORDS || r->l->len > FER_BATCH_BYTES) {
        fer_code code = flush(r);
        if (code) return code;
        fer_commit_start(r->l);
    }
    return fer_commit_add(r->l, type, tenant, body)
               ? FER_OK
               : fer_fail(r->err, FER_OUT_OF_MEMORY, "out of memory");
}

/* ---- what was begun
 * ------------------------------------------------------------------------------------------ */

static begin_facts *facts_of(const struct recovery *r, uint64_t seq)
{
    return fer_map_get(&r->begins, (fer_str){(const char *)&seq, sizeof seq});
}

static fer_code want_begins(struct recovery *r)
{
    fer_map_init(&r->begins, r->arena);
    for (fer_open_call *c = NULL; (c = fer_call_table_next(&r->l->calls, c));) {
        begin_facts *b = fer_arena_alloc_zero(r->arena, 1, sizeof *b);
        if (!b) return fer_arena_failed(r->arena, r->err);
        *b = (begin_facts){.seq = c->begun, .tool = FER_STR(""), .correlation = FER_STR("")};
        void **slot = fer_map_put(&r->begins, (fer_str){(const char *)&b->seq, sizeof b->seq});
        if (!slot) return fer_arena_failed(r->arena, r->err);
        *slot = b;
        r->unread++;
    }
    return FER_OK;
}

static fer_code take_begin(struct recovery *r, const fer_line *line)
{
    fer_facts f;
    begin_facts *b = line->type == FER_LEDGER_BEGIN ? facts_of(r, line->seq) : NULL;
    if (!b || b->read) return FER_OK;
    b->read = true;
    r->unread--;
    fer_arena_reset(r->scratch);
    fer_code code = fer_facts_read(r->scratch, line->body, &f, r->err);
    if (code) return code == FER_OUT_OF_MEMORY ? code : FER_OK;
    b->tool = fer_arena_copy(r->arena, f.tool);
    b->correlation = fer_arena_copy(r->arena, f.correlation);
    return b->tool.ptr && b->correlation.ptr ? FER_OK : fer_arena_failed(r->arena, r->err);
}

static bool has_begins(const struct recovery *r, size_t segment)
{
    uint64_t from = r->segments.list[segment].first;
    uint64_t end =
        segment + 1 < r->segments.count ? r->segments.list[segment + 1].first : UINT64_MAX;
    for (const fer_open_call *c = NULL; (c = fer_call_table_next(&r->l->calls, c));)
        if (c->begun >= from && c->begun < end) return true;
    return false;
}

/* The chain was followed by now: what cannot be read is not worth an end of all. */
static fer_code scan_begins(struct recovery *r, const fer_segment *s)
{
    int fd = fer_sys_openat(r->l->folder, s->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    fer_scan scan;
    fer_str text;
    fer_line line;
    uint64_t at;
    fer_code code = FER_OK;
    if (fd < 0) return FER_OK;
    fer_scan_init(&scan, fd, r->buffer, 0);
    while (!code && r->unread && fer_scan_next(&scan, &text, &at) == FER_SCAN_LINE)
        if (fer_line_read(text, &line)) code = take_begin(r, &line);
    fer_sys_close(fd);
    return code;
}

/* Calls that are open may have begun in earlier segments, which `heads` has spared the reading of;
 * after a crash these are read, from the last one on. */
static fer_code find_begins(struct recovery *r)
{
    fer_code code = want_begins(r);
    for (size_t i = r->segments.count; !code && r->unread && i-- > 0;)
        if (has_begins(r, i)) code = scan_begins(r, &r->segments.list[i]);
    return code;
}

/* The record has what a call's own end would say: who looks for ends of a tool finds it. */
static fer_str end_body(struct recovery *r, const fer_open_call *c)
{
    const begin_facts *b = facts_of(r, c->begun);
    fer_str id = fer_open_call_id(c), none = FER_STR("");
    fer_str tool = b ? b->tool : none, correlation = b ? b->correlation : none;
    fer_arena_reset(r->scratch);
    return fer_arena_printf(
        r->scratch,
        "{\"beginSeq\":%llu,\"callId\":\"%.*s\",\"code\":\"%s\"%s%.*s%s,\"recovered\":true,"
        "\"status\":\"%s\"%s%.*s%s}",
        (unsigned long long)c->begun, FER_PRI(id), c->pure ? "BackendCrashed" : "OutcomeUnknown",
        correlation.len ? ",\"correlationId\":\"" : "", FER_PRI(correlation),
        correlation.len ? "\"" : "", c->pure ? "Retryable" : "Unknown",
        tool.len ? ",\"tool\":\"" : "", FER_PRI(tool), tool.len ? "\"" : "");
}

/* Nobody knows whether a call that was sent had its effect; one without effect may be made again.
 */
static fer_code close_calls(struct recovery *r)
{
    fer_ledger *l = r->l;
    l->open_written = l->calls.count;
    for (fer_open_call *c; (c = fer_call_table_next(&l->calls, NULL));) {
        fer_str body = end_body(r, c);
        fer_code code = body.ptr ? add(r, FER_LEDGER_END, fer_open_call_tenant(c), body)
                                 : fer_arena_failed(r->scratch, r->err);
        if (code) return code;
        if (!c->pure) r->out->doubted++;
        fer_call_table_remove(&l->calls, c);
        r->out->closed++;
    }
    return FER_OK;
}

static fer_code greet(struct recovery *r)
{
    char body[256];
    fer_ledger *l = r->l;
    fer_commit_clock(l, r->any ? &r->last : NULL);
    fer_commit_start(l);
    int n = snprintf(body, sizeof body,
                     "{\"durability\":\"%s\",\"epoch\":%llu,\"key\":\"%.*s\",\"version\":\"%s\"}",
                     fer_durability_names[l->options.durability], (unsigned long long)l->epoch,
                     FER_SIGN_ID, fer_sign_key_id(l->key), FER_VERSION);
    fer_code code = add(r, FER_LEDGER_OPEN_TYPE, FER_NOBODY, (fer_str){body, (size_t)n});
    bool unclean = r->any && !r->closed;
    if (code || (!unclean && !r->breaks)) return code;
    n = snprintf(body, sizeof body, "{\"cutBytes\":%llu,\"lastSeq\":%llu}",
                 (unsigned long long)r->out->cut_bytes, (unsigned long long)r->out->last_seq);
    if (r->breaks)
        n = snprintf(
            body, sizeof body,
            "{\"acceptedBreaks\":%zu,\"behindSeq\":%llu,\"cutBytes\":%llu,\"lastSeq\":%llu}",
            r->breaks, (unsigned long long)r->break_seq, (unsigned long long)r->out->cut_bytes,
            (unsigned long long)r->out->last_seq);
    return add(r, FER_LEDGER_RECOVERED, FER_NOBODY, (fer_str){body, (size_t)n});
}

static fer_code go_on(struct recovery *r, uint64_t end)
{
    fer_ledger *l = r->l;
    const fer_segment *last = r->segments.count ? &r->segments.list[r->segments.count - 1] : NULL;
    bool ok = last && r->closed && !r->breaks && end < l->options.segment_bytes / 2
                  ? fer_segment_resume(l, last, end)
                  : fer_segment_next(l);
    if (!ok)
        return fer_fail(r->err, FER_LEDGER_UNAVAILABLE,
                        "cannot make a segment of the ledger, which takes %zu bytes at once "
                        "(ledger.segmentBytes): %s",
                        l->options.segment_bytes, strerror(errno));
    fer_code code = greet(r);
    if (!code) code = close_calls(r);
    return code ? code : flush(r);
}

static fer_code recover(struct recovery *r)
{
    fer_ledger *l = r->l;
    uint64_t end = 0;
    size_t from = 0;
    fer_code code = fer_folder_epoch(l->folder, &l->epoch, r->err);
    if (!code) code = fer_folder_list(r->arena, l->folder, &r->segments, r->err);
    if (!code) code = drop_empty(r);
    if (!code && r->segments.count) code = choose_start(r, &from);
    /* Older numbers come from a folder whose file was lost; no segment may have the number of
     * another. */
    for (size_t i = 0; !code && i < r->segments.count; i++)
        if (r->segments.list[i].epoch > l->epoch) l->epoch = r->segments.list[i].epoch;
    l->epoch++;
    for (size_t i = from; !code && i < r->segments.count; i++)
        code = follow_named(r, &r->segments.list[i], i + 1 == r->segments.count, &end);
    if (!code) code = find_begins(r);
    if (code) return code;
    r->out->epoch = l->epoch;
    r->out->last_seq = l->chain.seq;
    r->out->clean = r->closed || !r->any;
    code = fer_folder_set_epoch(l->folder, l->epoch, r->err);
    return code ? code : go_on(r, end);
}

fer_code fer_ledger_recover(fer_ledger *l, fer_ledger_recovery *out, fer_err *err)
{
    fer_ledger_recovery none = {0};
    struct recovery r = {.l = l, .out = &none, .err = err};
    r.arena = fer_arena_new(0);
    r.scratch = fer_arena_new(0);
    r.buffer = fer_sys_malloc(FER_SCAN_BUFFER);
    fer_code code = r.arena && r.scratch && r.buffer
                        ? recover(&r)
                        : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_arena_free(r.arena);
    fer_arena_free(r.scratch);
    fer_sys_free(r.buffer);
    if (!code && out) *out = none;
    return code;
}
