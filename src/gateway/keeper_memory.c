/* SPDX-License-Identifier: Apache-2.0 */
/* Idempotency records of one process: the same states as in a store, gone when it ends. */
#include <openssl/evp.h>

#include "bag.h"
#include "errors.h"
#include "keeper.h"
#include "sys.h"

typedef struct record {
    fer_bag_node node;
    unsigned char scope[FER_IDEM_HASH], fingerprint[FER_IDEM_HASH];
    fer_idem_state state;
    char call[64];
    size_t call_len;
    int64_t created_ms, expires_ms;
    char *result;
    size_t result_len;
} record;

struct fer_memory {
    fer_bag bag;
    unsigned char secret[32];
};

fer_memory *fer_memory_new(const unsigned char secret[32])
{
    uint64_t seed[2];
    fer_memory *m = fer_sys_malloc(sizeof *m);
    if (!m) return NULL;
    memcpy(m->secret, secret, sizeof m->secret);
    memcpy(seed, secret, sizeof seed);
    fer_bag_init(&m->bag, seed);
    return m;
}

static void drop(fer_memory *m, record *r)
{
    fer_bag_remove(&m->bag, &r->node);
    fer_sys_free(r->result);
    fer_sys_free(r);
}

void fer_memory_free(fer_memory *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->bag.cap; i++)
        while (m->bag.slots[i]) drop(m, (record *)m->bag.slots[i]); /* its first member */
    fer_bag_deinit(&m->bag);
    fer_sys_free(m);
}

static record *find(const fer_memory *m, const fer_idem_claim *c)
{
    return (record *)fer_bag_find(&m->bag, (fer_str){(const char *)c->scope, FER_IDEM_HASH});
}

/* The record of that call, which is under way. */
static record *claimed(const fer_memory *m, const fer_idem_claim *c)
{
    record *r = find(m, c);
    bool mine =
        r && r->state == FER_IDEM_PENDING && fer_str_eq(c->call, (fer_str){r->call, r->call_len});
    return mine ? r : NULL;
}

static record *add(fer_memory *m, const fer_idem_claim *c)
{
    record *r = fer_sys_malloc(sizeof *r);
    if (!r) return NULL;
    *r = (record){.state = FER_IDEM_PENDING, .created_ms = c->now_ms};
    memcpy(r->scope, c->scope, sizeof r->scope);
    memcpy(r->fingerprint, c->fingerprint, sizeof r->fingerprint);
    r->call_len = c->call.len < sizeof r->call ? c->call.len : sizeof r->call;
    memcpy(r->call, c->call.ptr, r->call_len);
    if (fer_bag_add(&m->bag, &r->node, (fer_str){(const char *)r->scope, FER_IDEM_HASH})) return r;
    fer_sys_free(r);
    return NULL;
}

static void describe(const record *r, fer_idem_record *out)
{
    *out = (fer_idem_record){.state = r->state,
                             .call = {r->call, r->call_len},
                             .created_ms = r->created_ms,
                             .expires_ms = r->expires_ms,
                             .result = {r->result, r->result_len}};
    memcpy(out->fingerprint, r->fingerprint, sizeof out->fingerprint);
}

/* Records whose time is over make room. */
static void sweep(fer_memory *m, int64_t now_ms)
{
    for (size_t i = 0; i < m->bag.cap; i++) {
        for (record *r = (record *)m->bag.slots[i], *next; r; r = next) {
            next = (record *)r->node.next;
            if (r->state == FER_IDEM_DONE && r->expires_ms <= now_ms) drop(m, r);
        }
    }
}

static fer_code claim(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                      fer_err *err)
{
    fer_memory *m = context;
    fer_store_answer answer = {.verdict = FER_IDEM_CLAIMED};
    record *r = find(m, c);
    if (r && r->state == FER_IDEM_DONE && r->expires_ms <= c->now_ms) {
        drop(m, r);
        r = NULL;
    }
    if (r) {
        answer.verdict = FER_IDEM_EXISTS;
        describe(r, &answer.found);
    } else {
        if (m->bag.count >= FER_KEEP_KEYS) sweep(m, c->now_ms);
        if (m->bag.count >= FER_KEEP_KEYS) answer.verdict = FER_IDEM_NO_ROOM;
        else if (!add(m, c)) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    done(whom, &answer);
    return FER_OK;
}

static fer_code finish(void *context, const fer_idem_claim *c, fer_str result, int64_t expires_ms,
                       fer_store_done *done, void *whom, fer_err *err)
{
    fer_store_answer answer = {0};
    record *r = claimed(context, c);
    char *copy = fer_sys_malloc(result.len + 1);
    if (!copy) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (r) {
        if (result.len) memcpy(copy, result.ptr, result.len);
        r->state = FER_IDEM_DONE;
        r->result = copy;
        r->result_len = result.len;
        r->expires_ms = expires_ms;
    } else {
        fer_sys_free(copy);
        answer.code = FER_CONSTRAINT_VIOLATION;
    }
    done(whom, &answer);
    return FER_OK;
}

static fer_code release(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                        fer_err *err)
{
    record *r = claimed(context, c);
    fer_store_answer answer = {.code = r ? FER_OK : FER_CONSTRAINT_VIOLATION};
    (void)err;
    if (r) drop(context, r);
    done(whom, &answer);
    return FER_OK;
}

static fer_code lose(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                     fer_err *err)
{
    record *r = claimed(context, c);
    fer_store_answer answer = {.code = r ? FER_OK : FER_CONSTRAINT_VIOLATION};
    (void)err;
    if (r) r->state = FER_IDEM_UNKNOWN;
    done(whom, &answer);
    return FER_OK;
}

static fer_code name(void *context, fer_str tenant, const char *use, fer_str text,
                     unsigned char out[32], fer_err *err)
{
    const fer_memory *m = context;
    unsigned char inner[EVP_MAX_MD_SIZE], whole[EVP_MAX_MD_SIZE];
    char words[200];
    size_t size;
    int len = snprintf(words, sizeof words, "%s/%.*s", use, FER_PRI(tenant));
    size_t used = len < 0 ? 0 : (size_t)len < sizeof words ? (size_t)len : sizeof words - 1;
    if (!EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, m->secret, sizeof m->secret,
                   (const unsigned char *)words, used, inner, sizeof inner, &size) ||
        !EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, inner, 32, (const unsigned char *)text.ptr,
                   text.len, whole, sizeof whole, &size))
        return fer_fail(err, FER_OUT_OF_MEMORY, "HMAC-SHA-256 could not be computed");
    memcpy(out, whole, 32);
    return FER_OK;
}

void fer_memory_keeper(fer_memory *m, fer_keeper *out)
{
    *out = (fer_keeper){.context = m,
                        .claim = claim,
                        .finish = finish,
                        .release = release,
                        .lose = lose,
                        .name = name};
}
