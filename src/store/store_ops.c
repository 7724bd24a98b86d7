/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What requests mean, whatever the kind of store: the states of a key (RELIABILITY 5.4) and the
 * seal. Each request makes at most one change, so one that fails has changed nothing.
 */
#include "errors.h"
#include "store_parts.h"

#define OLD_BATCH 1000 /* claims of older epochs that are looked at at once */

/* What a result is sealed under: its scope and its fingerprint. */
static fer_str about(const unsigned char *scope, const unsigned char *fingerprint,
                     char out[2 * FER_IDEM_HASH])
{
    memcpy(out, scope, FER_IDEM_HASH);
    memcpy(out + FER_IDEM_HASH, fingerprint, FER_IDEM_HASH);
    return (fer_str){out, (size_t)2 * FER_IDEM_HASH};
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

static fer_code get_row(fer_store *s, fer_request *r, fer_idem_row *row, fer_err *err)
{
    return s->kind->idem_get(s->db, r->arena, r->claim.scope, row, err);
}

static bool is_expired(const fer_idem_row *row, int64_t now_ms)
{
    return row->state == FER_IDEM_DONE && row->expires_ms < now_ms;
}

/* The row as the caller sees it; a result that does not open is UNKNOWN. */
static fer_code show(fer_store *s, fer_request *r, const fer_idem_row *row, fer_err *err)
{
    char words[2 * FER_IDEM_HASH];
    fer_idem_record *to = &r->answer.found;
    *to = (fer_idem_record){.state = row->state,
                            .tenant = row->tenant,
                            .call = row->call,
                            .tool = row->tool,
                            .epoch = row->epoch,
                            .created_ms = row->created_ms,
                            .expires_ms = row->expires_ms};
    memcpy(to->fingerprint, row->fingerprint, FER_IDEM_HASH);
    if (row->state != FER_IDEM_DONE) return FER_OK;
    fer_code code =
        fer_seal_open(r->arena, s->options.seal, row->tenant,
                      about(row->scope, row->fingerprint, words), row->result, &to->result, err);
    if (code != FER_INTEGRITY_BROKEN) return code;
    to->state = FER_IDEM_UNKNOWN;
    to->tampered = true;
    return FER_OK;
}

static fer_code has_room(fer_store *s, fer_str tenant, bool *out, fer_err *err)
{
    uint64_t count, bytes;
    fer_code code = s->kind->idem_usage(s->db, tenant, &count, &bytes, err);
    *out = !code && count < s->options.keys_per_tenant && bytes < s->options.bytes_per_tenant;
    return code;
}

/* Whether the claim may have the row as it is. */
static bool is_free(const fer_idem_row *row, const fer_idem_claim *c)
{
    if (row->state == FER_IDEM_NONE || is_expired(row, c->now_ms)) return true;
    return row->state == FER_IDEM_AGAIN &&
           memcmp(row->fingerprint, c->fingerprint, FER_IDEM_HASH) == 0;
}

fer_code fer_op_claim(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row row;
    bool room = true;
    fer_idem_claim *c = &r->claim;
    fer_code code = get_row(s, r, &row, err);
    if (code) return code;
    if (!is_free(&row, c)) {
        r->answer.verdict = FER_IDEM_EXISTS;
        return show(s, r, &row, err);
    }
    if (row.state == FER_IDEM_NONE) code = has_room(s, c->tenant, &room, err);
    if (code) return code;
    if (!room) {
        r->answer.verdict = FER_IDEM_NO_ROOM;
        return FER_OK;
    }
    row = (fer_idem_row){.tenant = c->tenant,
                         .call = c->call,
                         .tool = c->tool,
                         .state = FER_IDEM_PENDING,
                         .pure = c->pure,
                         .honoured = c->honoured,
                         .epoch = s->options.epoch,
                         .created_ms = c->now_ms};
    memcpy(row.scope, c->scope, FER_IDEM_HASH);
    memcpy(row.fingerprint, c->fingerprint, FER_IDEM_HASH);
    r->answer.verdict = FER_IDEM_CLAIMED;
    return s->kind->idem_put(s->db, &row, err);
}

/* The row, if it is PENDING by the call that asks. */
static fer_code own_row(fer_store *s, fer_request *r, fer_idem_row *row, fer_err *err)
{
    fer_code code = get_row(s, r, row, err);
    if (code) return code;
    if (row->state == FER_IDEM_PENDING && fer_str_eq(row->call, r->claim.call)) return FER_OK;
    return fer_fail(err, FER_CONSTRAINT_VIOLATION, "the key is not claimed by this call");
}

static fer_code put_done(fer_store *s, fer_request *r, fer_idem_row *row, fer_err *err)
{
    char words[2 * FER_IDEM_HASH];
    row->state = FER_IDEM_DONE;
    row->expires_ms = r->when_ms;
    fer_code code =
        fer_seal_close(r->arena, s->options.seal, row->tenant,
                       about(row->scope, row->fingerprint, words), r->value, &row->result, err);
    return code ? code : s->kind->idem_put(s->db, row, err);
}

fer_code fer_op_finish(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row row;
    fer_code code = own_row(s, r, &row, err);
    return code ? code : put_done(s, r, &row, err);
}

fer_code fer_op_release(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row row;
    fer_code code = own_row(s, r, &row, err);
    return code ? code : s->kind->idem_remove(s->db, row.scope, err);
}

fer_code fer_op_lose(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row row;
    fer_code code = own_row(s, r, &row, err);
    row.state = FER_IDEM_UNKNOWN;
    return code ? code : s->kind->idem_put(s->db, &row, err);
}

fer_code fer_op_get(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row row;
    fer_code code = get_row(s, r, &row, err);
    if (!code && is_expired(&row, r->now_ms)) row = (fer_idem_row){0};
    return code ? code : show(s, r, &row, err);
}

fer_code fer_op_expire(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row *rows;
    size_t count;
    fer_code code = s->kind->idem_expired(s->db, r->arena, r->now_ms, r->max, &rows, &count, err);
    for (size_t i = 0; i < count && !code; i++) {
        code = s->kind->idem_remove(s->db, rows[i].scope, err);
        r->answer.count++;
    }
    return code;
}

fer_code fer_op_usage(fer_store *s, fer_request *r, fer_err *err)
{
    return s->kind->idem_usage(s->db, r->group, &r->answer.count, &r->answer.bytes, err);
}

fer_code fer_op_list(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row *rows;
    size_t count;
    fer_code code =
        s->kind->idem_older(s->db, r->arena, r->state, UINT64_MAX, r->max, &rows, &count, err);
    if (code) return code;
    struct fer_store_item *items = fer_arena_alloc_zero(r->arena, count, sizeof *items);
    if (!items && count) return fer_arena_failed(r->arena, err);
    for (size_t i = 0; i < count; i++) {
        memcpy(items[i].scope, rows[i].scope, FER_IDEM_HASH);
        items[i].key = rows[i].call;
        items[i].tenant = rows[i].tenant;
        items[i].tool = rows[i].tool;
        items[i].when_ms = rows[i].created_ms;
        items[i].expires_ms = rows[i].expires_ms;
    }
    r->answer.items = items;
    r->answer.item_count = count;
    return FER_OK;
}

fer_code fer_op_resolve(fer_store *s, fer_request *r, fer_err *err)
{
    fer_idem_row row;
    fer_code code = get_row(s, r, &row, err);
    if (!code) code = show(s, r, &row, err);
    if (code) return code;
    if (r->answer.found.state != FER_IDEM_UNKNOWN)
        return fer_fail(err, FER_CONSTRAINT_VIOLATION, "the outcome of this key is not unknown");
    return r->flag ? put_done(s, r, &row, err) : s->kind->idem_remove(s->db, row.scope, err);
}

/* ---- after a crash ------------------------------------------------------------------------------
 */

static fer_code settle_row(fer_store *s, fer_idem_row *row, fer_store_recovery *out, fer_err *err)
{
    if (row->pure) {
        out->dropped++;
        return s->kind->idem_remove(s->db, row->scope, err);
    }
    if (row->honoured) out->again++;
    else out->unknown++;
    row->state = row->honoured ? FER_IDEM_AGAIN : FER_IDEM_UNKNOWN;
    return s->kind->idem_put(s->db, row, err);
}

fer_code fer_store_settle(fer_store *s, fer_store_recovery *out, fer_err *err)
{
    fer_idem_row *rows;
    size_t count = OLD_BATCH;
    *out = (fer_store_recovery){0};
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    while (!code && count == OLD_BATCH) {
        fer_arena_reset(a);
        code = s->kind->begin(s->db, err);
        if (!code)
            code = s->kind->idem_older(s->db, a, FER_IDEM_PENDING, s->options.epoch, OLD_BATCH,
                                       &rows, &count, err);
        for (size_t i = 0; !code && i < count; i++) code = settle_row(s, &rows[i], out, err);
        if (!code) code = s->kind->commit(s->db, err);
        if (code) s->kind->rollback(s->db);
    }
    fer_arena_free(a);
    return code;
}

/* ---- values -------------------------------------------------------------------------------------
 */

/* Values are sealed under their names; those of the registry are nobody's in particular. */
static fer_code seal_value(fer_store *s, fer_request *r, fer_store_table t, int64_t expires,
                           fer_err *err)
{
    fer_str sealed, words = fer_arena_printf(r->arena, "%d/%.*s/%.*s", (int)t, FER_PRI(r->group),
                                             FER_PRI(r->key));
    if (!words.ptr) return fer_arena_failed(r->arena, err);
    fer_str tenant = t == FER_TABLE_CACHE ? r->group : FER_STR("-");
    fer_code code =
        fer_seal_close(r->arena, s->options.seal, tenant, words, r->value, &sealed, err);
    return code ? code
                : s->kind->value_put(s->db, t, r->group, r->key, r->mark, sealed, expires, err);
}

static fer_code open_value(fer_store *s, fer_request *r, fer_store_table t, fer_err *err)
{
    int64_t expires;
    fer_str sealed = FER_STR_NONE, words = fer_arena_printf(r->arena, "%d/%.*s/%.*s", (int)t,
                                                            FER_PRI(r->group), FER_PRI(r->key));
    if (!words.ptr) return fer_arena_failed(r->arena, err);
    fer_code code =
        s->kind->value_get(s->db, r->arena, t, r->group, r->key, &sealed, &expires, err);
    if (code || !sealed.ptr) return code;
    if (t == FER_TABLE_CACHE && expires < r->now_ms) return FER_OK;
    r->answer.found.expires_ms = expires;
    fer_str tenant = t == FER_TABLE_CACHE ? r->group : FER_STR("-");
    return fer_seal_open(r->arena, s->options.seal, tenant, words, sealed, &r->answer.value, err);
}

fer_code fer_op_put(fer_store *s, fer_request *r, fer_err *err)
{
    return seal_value(s, r, FER_TABLE_REGISTRY, 0, err);
}

fer_code fer_op_value(fer_store *s, fer_request *r, fer_err *err)
{
    return open_value(s, r, FER_TABLE_REGISTRY, err);
}

fer_code fer_op_remove(fer_store *s, fer_request *r, fer_err *err)
{
    return s->kind->value_remove(s->db, FER_TABLE_REGISTRY, r->group, r->key, err);
}

fer_code fer_op_keys(fer_store *s, fer_request *r, fer_err *err)
{
    struct fer_store_item *items = NULL;
    fer_code code = s->kind->value_list(s->db, r->arena, FER_TABLE_REGISTRY, r->group, r->key,
                                        r->max, &items, &r->answer.item_count, err);
    r->answer.items = items;
    return code;
}

fer_code fer_op_cache_put(fer_store *s, fer_request *r, fer_err *err)
{
    uint64_t count, bytes;
    fer_code code = s->kind->cache_usage(s->db, &count, &bytes, err);
    if (code) return code;
    if (bytes + r->value.len + FER_SEAL_EXTRA > s->options.cache_bytes) return FER_OK;
    return seal_value(s, r, FER_TABLE_CACHE, r->when_ms, err);
}

fer_code fer_op_cache_get(fer_store *s, fer_request *r, fer_err *err)
{
    fer_code code = open_value(s, r, FER_TABLE_CACHE, err);
    if (code != FER_INTEGRITY_BROKEN) return code;
    r->answer.value = FER_STR_NONE;
    return FER_OK;
}

fer_code fer_op_cache_purge(fer_store *s, fer_request *r, fer_err *err)
{
    return s->kind->cache_purge(s->db, r->mark, err);
}

fer_code fer_op_cache_expire(fer_store *s, fer_request *r, fer_err *err)
{
    return s->kind->cache_expire(s->db, r->now_ms, r->max, &r->answer.count, err);
}
