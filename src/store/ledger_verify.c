/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_verify.h"

#include <errno.h>
#include <fcntl.h>

#include "anchor.h"
#include "call_table.h"
#include "errors.h"
#include "hash_chain.h"
#include "ledger_facts.h"
#include "ledger_folder.h"
#include "ledger_scan.h"
#include "sys.h"

const char *const fer_flaw_names[FER_FLAW_KINDS] = {
    "form", "hash", "gap",   "chain", "tenant",    "checkpoint", "signature",
    "time", "call", "start", "torn",  "truncated", "rewritten",  "anchor"};

#define SETTLE_TRIES 20 /* looks at a line that is being written, */
#define SETTLE_MS    10 /* with so much time between two */

struct verify {
    const atomic_bool *stop; /* or NULL */
    fer_arena *arena;        /* of the result */
    fer_err *err;
    fer_verify_report *out;
    fer_flaw *flaws;
    char *buffer;
    fer_hash_chain chain;
    fer_call_table calls;
    fer_sign_key *key;
    fer_anchor_list anchors;
    size_t anchor; /* the next one to be met */
    fer_str segment;
    char boot[FER_LINE_BOOT], time[24]; /* of the record before */
    bool any;
    bool prune_told; /* a record says that the first ones were pruned */
    uint64_t first;
    char first_prev[FER_DIGEST_HEX];
    bool single;                /* an export: one tenant's chain alone */
    fer_hash_chain_tenant *own; /* of an export: that tenant, by its first good record; or NULL */
};

static fer_code no_memory(struct verify *v)
{
    return fer_fail(v->err, FER_OUT_OF_MEMORY, "out of memory");
}

static void flaw(struct verify *v, fer_flaw_kind kind, uint64_t seq, uint64_t offset,
                 const char *message)
{
    v->out->flaw_count++;
    if (v->out->told == FER_FLAWS_MAX) return;
    v->flaws[v->out->told++] = (fer_flaw){.kind = kind,
                                          .seq = seq,
                                          .segment = v->segment,
                                          .offset = offset,
                                          .message = fer_str_of(message)};
}

/* ---- one record ---------------------------------------------------------------------------------
 */

static const struct {
    fer_flaw_kind kind;
    const char *message;
} verdicts[] = {
    [FER_CHAIN_FORM] = {FER_FLAW_FORM, "what stands here is no record"},
    [FER_HASH_CHAIN_HASH] = {FER_FLAW_HASH, "the record was changed: its hash is another"},
    [FER_CHAIN_GAP] = {FER_FLAW_GAP, "the record that should stand here is not there"},
    [FER_CHAIN_PREV] = {FER_FLAW_CHAIN, "the record does not follow the one before it"},
    [FER_CHAIN_TENANT] = {FER_FLAW_TENANT, "the record does not follow its tenant's one before it"},
    [FER_CHAIN_CHECKPOINT] = {FER_FLAW_CHECKPOINT, "the checkpoint says what is not so"},
    [FER_CHAIN_SIGNATURE] = {FER_FLAW_SIGNATURE, "the checkpoint is not signed by the key"},
};

static fer_code check_call(struct verify *v, const fer_line *l, uint64_t at)
{
    fer_str call = fer_facts_call(l->body);
    if (!call.len) {
        flaw(v, FER_FLAW_CALL, l->seq, at, "the record does not say of which call it is");
        return FER_OK;
    }
    fer_open_call *c = fer_call_table_find(&v->calls, l->tenant, call);
    if (l->type == FER_LEDGER_BEGIN) {
        if (c) flaw(v, FER_FLAW_CALL, l->seq, at, "the call has begun before");
        else if (!fer_call_table_add(&v->calls, l->tenant, call)) return no_memory(v);
    } else if (c) {
        fer_call_table_remove(&v->calls, c);
    } else if (!v->chain.pruned) {
        flaw(v, FER_FLAW_CALL, l->seq, at, "the call ends and has not begun, or has ended before");
    }
    return FER_OK;
}

static void check_time(struct verify *v, const fer_line *l, uint64_t at)
{
    bool same = v->any && memcmp(v->boot, l->boot.ptr, FER_LINE_BOOT) == 0;
    if (same && memcmp(l->time.ptr, v->time, sizeof v->time) < 0)
        flaw(v, FER_FLAW_TIME, l->seq, at, "the time is before that of the record before it");
    memcpy(v->boot, l->boot.ptr, FER_LINE_BOOT);
    memcpy(v->time, l->time.ptr, sizeof v->time);
}

/* A record that says what was pruned explains a first record with the number and the hash it names.
 */
static void check_pruned(struct verify *v, const fer_line *l)
{
    static const char word[] = "\"firstSeq\":";
    const char *at = memmem(l->body.ptr, l->body.len, word, sizeof word - 1);
    if (!at) return;
    size_t from = (size_t)(at - l->body.ptr) + sizeof word - 1, to = from;
    uint64_t first = 0;
    while (to < l->body.len && fer_is_digit(l->body.ptr[to])) to++;
    if (!fer_parse_u64(fer_str_slice(l->body, from, to), &first)) return;
    /* One that was killed half-way has left some of what it named. */
    bool same = memmem(l->body.ptr, l->body.len, v->first_prev, FER_DIGEST_HEX) != NULL;
    if (first == v->first ? same : first > v->first) v->prune_told = true;
}

static void check_anchors(struct verify *v, const fer_line *l, uint64_t at)
{
    while (v->anchor < v->anchors.count && v->anchors.list[v->anchor].seq <= l->seq) {
        const fer_checkpoint *c = &v->anchors.list[v->anchor++];
        if (c->seq != l->seq) continue;
        if (memcmp(c->head, l->hash, FER_DIGEST_HEX) == 0) v->out->anchors++;
        else
            flaw(v, FER_FLAW_REWRITTEN, l->seq, at,
                 "the anchor knows another record of this number");
    }
}

static fer_code take(struct verify *v, const fer_line *l, uint64_t at)
{
    v->out->records++;
    check_time(v, l, at);
    v->any = true;
    check_anchors(v, l, at);
    if (l->type == FER_LEDGER_CHECKPOINT) {
        v->out->checkpoints++;
        v->out->signed_seq = l->seq - 1;
    }
    if (l->type == FER_LEDGER_PRUNED) check_pruned(v, l);
    bool call = l->type == FER_LEDGER_BEGIN || l->type == FER_LEDGER_END;
    return call ? check_call(v, l, at) : FER_OK;
}

/* The tenant's chain alone: numbers may have gaps, and the hash before is another tenant's. */
static fer_hash_chain_verdict follow_single(struct verify *v, fer_str text, const fer_line *l)
{
    if (!fer_line_holds(text, l, v->chain.digest)) return FER_HASH_CHAIN_HASH;
    if (l->seq <= v->chain.seq) return FER_CHAIN_GAP;
    bool first = v->own == NULL;
    if (first) v->own = fer_hash_chain_tenant_of(&v->chain, l->tenant);
    if (!v->own) return FER_CHAIN_NO_MEMORY;
    if (!fer_str_eq(l->tenant, v->own->name)) return FER_CHAIN_TENANT;
    if (memcmp(l->tprev.ptr, v->own->head, FER_DIGEST_HEX) != 0 && !first) return FER_CHAIN_TENANT;
    if (first) v->chain.pruned = memcmp(l->tprev.ptr, FER_LINE_ZERO, FER_DIGEST_HEX) != 0;
    fer_hash_chain_add(&v->chain, v->own, l);
    return FER_CHAIN_OK;
}

/* Goes on behind a record of the tenant's that was changed or stands behind a gap, so that one flaw
 * is told once: its call is noted, and nothing is held against it. What comes twice, or is another
 * tenant's, leaves the chain where it was. */
static fer_code resume_single(struct verify *v, const fer_line *l, fer_hash_chain_verdict why)
{
    fer_str call = fer_facts_call(l->body);
    if (!v->own || why == FER_CHAIN_GAP || l->seq <= v->chain.seq ||
        !fer_str_eq(l->tenant, v->own->name))
        return FER_OK;
    fer_hash_chain_add(&v->chain, v->own, l);
    v->out->records += why == FER_CHAIN_TENANT;
    fer_open_call *open = call.len ? fer_call_table_find(&v->calls, l->tenant, call) : NULL;
    if (l->type == FER_LEDGER_END && open) fer_call_table_remove(&v->calls, open);
    if (l->type == FER_LEDGER_BEGIN && call.len && !open &&
        !fer_call_table_add(&v->calls, l->tenant, call))
        return no_memory(v);
    return FER_OK;
}

static fer_code look_at(struct verify *v, fer_str text, uint64_t at)
{
    fer_line l;
    fer_hash_chain_verdict verdict = FER_CHAIN_FORM;
    bool formed = fer_line_read(text, &l);
    if (formed)
        verdict = v->single ? follow_single(v, text, &l)
                            : fer_hash_chain_follow(&v->chain, text, &l, v->key);
    if (verdict == FER_CHAIN_NO_MEMORY) return no_memory(v);
    if (verdict == FER_CHAIN_OK) return take(v, &l, at);
    flaw(v, verdicts[verdict].kind, v->single && formed ? l.seq : v->chain.seq + 1, at,
         verdicts[verdict].message);
    /* What follows is judged from what this one says of itself. A line without form says nothing.
     */
    if (v->single) return formed ? resume_single(v, &l, verdict) : FER_OK;
    if (formed) fer_hash_chain_force(&v->chain, &l);
    else v->chain.seq++;
    return FER_OK;
}

/* ---- segments -----------------------------------------------------------------------------------
 */

static fer_code unreadable(struct verify *v, fer_str name)
{
    return fer_fail(v->err, FER_IO_ERROR, "cannot read %.*s: %s", FER_PRI(name), strerror(errno));
}

/* Whether a line that another process may be writing is whole; if not, it is looked at again. */
static bool is_settled(struct verify *v, fer_str text)
{
    fer_line l;
    return fer_line_read(text, &l) && fer_line_holds(text, &l, v->chain.digest);
}

/* The end of a segment: zeros, if anything. The last one of a ledger that is written may have more.
 */
static fer_code look_behind(struct verify *v, int fd, fer_scan_result got, uint64_t at, bool live)
{
    if (live) return FER_OK;
    if (got == FER_SCAN_TORN) {
        flaw(v, FER_FLAW_TORN, v->chain.seq + 1, at, "the record is not whole");
        return FER_OK;
    }
    int empty = fer_scan_is_empty(fd, at, v->buffer);
    if (empty < 0) return unreadable(v, v->segment);
    if (!empty) flaw(v, FER_FLAW_FORM, v->chain.seq + 1, at, "bytes stand behind the last record");
    return FER_OK;
}

static fer_code look_through(struct verify *v, int fd, bool live)
{
    fer_scan s;
    fer_str text;
    uint64_t at;
    fer_scan_result got;
    int tries = SETTLE_TRIES;
    fer_scan_init(&s, fd, v->buffer, 0);
    while ((got = fer_scan_next(&s, &text, &at)) == FER_SCAN_LINE) {
        if (v->stop && atomic_load_explicit(v->stop, memory_order_relaxed))
            return fer_fail(v->err, FER_CANCELLED, "the ledger was not verified to its end");
        if (live && tries && !is_settled(v, text)) {
            tries--;
            uv_sleep(SETTLE_MS);
            fer_scan_init(&s, fd, v->buffer, at);
            continue;
        }
        tries = SETTLE_TRIES;
        fer_code code = look_at(v, text, at);
        if (code) return code;
    }
    v->out->bytes += at;
    if (got == FER_SCAN_FAILED) return unreadable(v, v->segment);
    return look_behind(v, fd, got, at, live);
}

static fer_code look_at_segment(struct verify *v, int folder, const fer_segment *s, bool is_last)
{
    v->segment = fer_str_of(s->name);
    int fd = fer_sys_openat(folder, s->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0) return unreadable(v, v->segment);
    if (s->first != v->chain.seq + 1 && v->any)
        flaw(v, FER_FLAW_GAP, v->chain.seq + 1, 0,
             "a segment is missing before this one, or is short");
    fer_code code = look_through(v, fd, is_last && v->out->written_now);
    fer_sys_close(fd);
    return code;
}

/* Where the first record does not have number 1, the chain starts with what it says of the one
 * before. */
static fer_code find_start(struct verify *v, int folder, const fer_segment *s)
{
    fer_scan scan;
    fer_str text;
    fer_line l;
    uint64_t at;
    v->out->first_seq = v->first = s->first;
    if (s->first <= 1) return FER_OK;
    int fd = fer_sys_openat(folder, s->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0) return unreadable(v, fer_str_of(s->name));
    fer_scan_init(&scan, fd, v->buffer, 0);
    v->chain.seq = s->first - 1;
    v->chain.pruned = true;
    v->chain.sum_known = false;
    if (fer_scan_next(&scan, &text, &at) == FER_SCAN_LINE && fer_line_read(text, &l)) {
        memcpy(v->chain.head, l.prev.ptr, FER_DIGEST_HEX);
        memcpy(v->first_prev, l.prev.ptr, FER_DIGEST_HEX);
    }
    fer_sys_close(fd);
    return FER_OK;
}

static void conclude(struct verify *v)
{
    v->segment = FER_STR_NONE;
    v->out->last_seq = v->chain.seq;
    memcpy(v->out->head, v->chain.head, FER_DIGEST_HEX);
    v->out->head[FER_DIGEST_HEX] = '\0';
    v->out->open_calls = v->calls.count;
    v->out->pruned = v->first > 1;
    if (v->first > 1 && !v->prune_told)
        flaw(v, FER_FLAW_START, 1, 0,
             "the first records are gone, and no record says that they were pruned");
    if (v->anchor < v->anchors.count)
        flaw(v, FER_FLAW_TRUNCATED, v->chain.seq + 1, 0,
             "the ledger ends here, and the anchor knows records behind it");
    v->out->flaws = v->flaws;
}

static fer_code look_at_folder(struct verify *v, int folder)
{
    fer_segment_list list;
    fer_code code = fer_folder_list(v->arena, folder, &list, v->err);
    if (code) return code;
    v->out->written_now = fer_folder_is_written(folder);
    v->out->segments = list.count;
    if (list.count) code = find_start(v, folder, &list.list[0]);
    for (size_t i = 0; i < list.count && !code; i++)
        code = look_at_segment(v, folder, &list.list[i], i + 1 == list.count);
    if (!code) conclude(v);
    return code;
}

/* ---- doors --------------------------------------------------------------------------------------
 */

static fer_code init(struct verify *v)
{
    *v->out = (fer_verify_report){0};
    v->buffer = fer_sys_malloc(FER_SCAN_BUFFER);
    v->flaws = fer_arena_alloc_zero(v->arena, FER_FLAWS_MAX, sizeof *v->flaws);
    bool ok = v->buffer && v->flaws && fer_hash_chain_init(&v->chain);
    return ok && fer_call_table_init(&v->calls) ? FER_OK : no_memory(v);
}

static void deinit(struct verify *v)
{
    fer_sys_free(v->buffer);
    fer_hash_chain_deinit(&v->chain);
    fer_call_table_deinit(&v->calls);
    fer_sign_key_free(v->key);
}

static fer_code read_anchor(struct verify *v, const char *path)
{
    fer_code code = fer_anchor_read(v->arena, path, &v->anchors, v->err);
    for (size_t i = 0; i < v->anchors.count && !code; i++)
        if (!fer_checkpoint_is_signed(&v->anchors.list[i], v->key))
            flaw(v, FER_FLAW_ANCHOR, v->anchors.list[i].seq, 0,
                 "a checkpoint of the anchor is not signed by the key");
    return code;
}

fer_code fer_ledger_verify(fer_arena *a, const fer_verify_options *o, fer_verify_report *out,
                           fer_err *err)
{
    struct verify v = {.arena = a, .err = err, .out = out, .stop = o->stop};
    int folder = -1;
    fer_code code = fer_folder_open(o->folder, false, &folder, err);
    if (code) return code;
    code = init(&v);
    if (!code) code = fer_folder_public(folder, o->key, &v.key, err);
    if (!code && o->anchor) code = read_anchor(&v, o->anchor);
    if (!code) code = look_at_folder(&v, folder);
    deinit(&v);
    fer_sys_close(folder);
    return code;
}

fer_code fer_export_verify(fer_arena *a, const char *path, fer_verify_report *out, fer_err *err)
{
    struct verify v = {.arena = a, .err = err, .out = out, .single = true};
    int fd = fer_sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "cannot open %s: %s", path, strerror(errno));
    fer_code code = init(&v);
    v.segment = fer_arena_copy(a, fer_str_of(path));
    if (!code) code = look_through(&v, fd, false);
    if (!code) conclude(&v);
    out->segments = 1;
    deinit(&v);
    fer_sys_close(fd);
    return code;
}
