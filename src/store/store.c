/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "errors.h"
#include "store_parts.h"
#include "sys.h"

#define KEYS_PER_TENANT  100000
#define BYTES_PER_TENANT ((size_t)256 << 20)
#define QUEUE            10000
#define CACHE_BYTES      ((size_t)256 << 20)

const char *const fer_idem_states[] = {"none", "pending", "done", "unknown", "again", NULL};

/* ---- the thread ---------------------------------------------------------------------------------
 */

static void tell(fer_outlet_item *item, bool gone)
{
    fer_request *r = (fer_request *)(void *)item;
    if (r->done && !gone) r->done(r->context, &r->answer);
    fer_arena_free(r->arena);
}

static void answer_all(fer_request *first)
{
    for (fer_request *r = first, *next; r; r = next) {
        next = r->next;
        r->item.next = NULL;
        fer_outlet_send(r->outlet, &r->item);
    }
}

static void fail_all(fer_request *first, fer_code code)
{
    for (fer_request *r = first; r; r = r->next) r->answer = (fer_store_answer){.code = code};
}

/* All requests as one transaction. What one of them refuses is its answer; what the database
 * refuses is everybody's. */
static fer_code run_all(fer_store *s, fer_request *first)
{
    fer_code code = s->kind->begin(s->db, NULL);
    if (code) return code;
    for (fer_request *r = first; r; r = r->next) {
        code = r->run(s, r, NULL);
        if (code == FER_IO_ERROR || code == FER_OUT_OF_MEMORY || code == FER_RESOURCE_LIMIT) break;
        r->answer.code = code;
        code = FER_OK;
    }
    if (!code) {
        code = s->kind->commit(s->db, NULL);
        /* A sync that failed leaves in doubt what is on the disk: nothing more is written. */
        s->broken = code == FER_IO_ERROR;
    }
    if (code) s->kind->rollback(s->db);
    return code;
}

static void *work(void *store)
{
    fer_store *s = store;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->first && !s->stop) pthread_cond_wait(&s->wake, &s->lock);
        fer_request *first = s->first;
        if (!first) break;
        s->first = NULL;
        s->last = &s->first;
        s->waiting = 0;
        pthread_mutex_unlock(&s->lock);
        fer_code code = s->broken ? FER_IO_ERROR : run_all(s, first);
        if (code) fail_all(first, code);
        answer_all(first);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- open and close -----------------------------------------------------------------------------
 */

static void destroy(fer_store *s)
{
    if (s->db) s->kind->close(s->db);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    fer_sys_free(s);
}

fer_code fer_store_open(const fer_store_options *o, fer_store **out, fer_store_recovery *recovery,
                        fer_err *err)
{
    fer_store_recovery ignored;
    fer_store *s = fer_sys_malloc(sizeof *s);
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(s, 0, sizeof *s);
    s->options = *o;
    if (!s->options.keys_per_tenant) s->options.keys_per_tenant = KEYS_PER_TENANT;
    if (!s->options.bytes_per_tenant) s->options.bytes_per_tenant = BYTES_PER_TENANT;
    if (!s->options.queue) s->options.queue = QUEUE;
    if (!s->options.cache_bytes) s->options.cache_bytes = CACHE_BYTES;
    s->kind = &fer_store_sqlite;
    s->last = &s->first;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    fer_code code = s->kind->open(&s->options, &s->db, err);
    if (!code) code = fer_store_settle(s, recovery ? recovery : &ignored, err);
    if (!code && pthread_create(&s->thread, NULL, work, s) != 0)
        code = fer_fail(err, FER_IO_ERROR, "cannot start the store's thread");
    if (code) destroy(s);
    else *out = s;
    return code;
}

void fer_store_close(fer_store *s)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    destroy(s);
}

fer_code fer_store_attach(fer_store *s, uv_loop_t *loop, fer_store_port **out, fer_err *err)
{
    fer_store_port *p = fer_sys_malloc(sizeof *p);
    if (!p) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    p->store = s;
    fer_code code = fer_outlet_new(loop, &p->outlet, err);
    if (code) fer_sys_free(p);
    else *out = p;
    return code;
}

void fer_store_detach(fer_store_port *p)
{
    if (!p) return;
    fer_outlet_close(p->outlet);
    fer_sys_free(p);
}

/* ---- requests -----------------------------------------------------------------------------------
 */

/* A request with room for its own copies; NULL: no memory. */
static fer_request *new_request(fer_store_op *run)
{
    fer_arena *a = fer_arena_new(0);
    fer_request *r = a ? fer_arena_alloc_zero(a, 1, sizeof *r) : NULL;
    if (!r) {
        fer_arena_free(a);
        return NULL;
    }
    r->arena = a;
    r->run = run;
    r->item.tell = tell;
    return r;
}

static bool keep(fer_request *r, fer_str *text)
{
    if (!text->ptr) return true;
    *text = fer_arena_copy(r->arena, *text);
    return text->ptr != NULL;
}

/* Copies what it borrows and hands it over; on failure it is freed. */
static fer_code submit(fer_store_port *p, fer_request *r, fer_store_done *done, void *context,
                       fer_err *err)
{
    fer_store *s = p->store;
    if (!r) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = FER_OK;
    if (r->value.len > FER_STORE_RESULT || r->key.len > FER_STORE_KEY ||
        r->group.len > FER_STORE_KEY || r->mark.len > FER_STORE_KEY ||
        r->claim.tenant.len > FER_STORE_KEY || r->claim.call.len > FER_STORE_KEY ||
        r->claim.tool.len > FER_STORE_KEY)
        code = fer_fail(err, FER_LIMIT_EXCEEDED,
                        "store.value: a value has at most %zu bytes, a name %d", FER_STORE_RESULT,
                        FER_STORE_KEY);
    else if (!keep(r, &r->claim.tenant) || !keep(r, &r->claim.call) || !keep(r, &r->claim.tool) ||
             !keep(r, &r->group) || !keep(r, &r->key) || !keep(r, &r->mark) || !keep(r, &r->value))
        code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    r->done = done;
    r->context = context;
    r->outlet = p->outlet;
    if (!code) fer_outlet_expect(p->outlet);
    pthread_mutex_lock(&s->lock);
    bool full = !code && s->waiting >= s->options.queue;
    if (!code && !full) {
        s->waiting++;
        *s->last = r;
        s->last = &r->next;
        pthread_cond_signal(&s->wake);
    }
    pthread_mutex_unlock(&s->lock);
    if (full) {
        fer_outlet_forget(p->outlet);
        code = fer_fail(err, FER_CONCURRENCY_LIMITED, "store.queue: %zu requests wait already",
                        s->options.queue);
    }
    if (code) fer_arena_free(r->arena);
    return code;
}

static fer_request *claim_request(fer_store_op *run, const fer_idem_claim *claim)
{
    fer_request *r = new_request(run);
    if (r) r->claim = *claim;
    return r;
}

static fer_request *scope_request(fer_store_op *run, const unsigned char scope[FER_IDEM_HASH])
{
    fer_request *r = new_request(run);
    if (r) memcpy(r->claim.scope, scope, FER_IDEM_HASH);
    return r;
}

static fer_request *named_request(fer_store_op *run, fer_str group, fer_str key)
{
    fer_request *r = new_request(run);
    if (!r) return NULL;
    r->group = group;
    r->key = key;
    return r;
}

fer_code fer_idem_claim_key(fer_store_port *p, const fer_idem_claim *claim, fer_store_done *done,
                            void *context, fer_err *err)
{
    return submit(p, claim_request(fer_op_claim, claim), done, context, err);
}

fer_code fer_idem_finish(fer_store_port *p, const fer_idem_claim *claim, fer_str result,
                         int64_t expires_ms, fer_store_done *done, void *context, fer_err *err)
{
    fer_request *r = claim_request(fer_op_finish, claim);
    if (r) {
        r->value = result;
        r->when_ms = expires_ms;
    }
    return submit(p, r, done, context, err);
}

fer_code fer_idem_release(fer_store_port *p, const fer_idem_claim *claim, fer_store_done *done,
                          void *context, fer_err *err)
{
    return submit(p, claim_request(fer_op_release, claim), done, context, err);
}

fer_code fer_idem_lose(fer_store_port *p, const fer_idem_claim *claim, fer_store_done *done,
                       void *context, fer_err *err)
{
    return submit(p, claim_request(fer_op_lose, claim), done, context, err);
}

fer_code fer_idem_get(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH], int64_t now_ms,
                      fer_store_done *done, void *context, fer_err *err)
{
    fer_request *r = scope_request(fer_op_get, scope);
    if (r) r->now_ms = now_ms;
    return submit(p, r, done, context, err);
}

fer_code fer_idem_expire(fer_store_port *p, int64_t now_ms, size_t max, fer_store_done *done,
                         void *context, fer_err *err)
{
    fer_request *r = new_request(fer_op_expire);
    if (r) {
        r->now_ms = now_ms;
        r->max = max;
    }
    return submit(p, r, done, context, err);
}

fer_code fer_idem_usage(fer_store_port *p, fer_str tenant, fer_store_done *done, void *context,
                        fer_err *err)
{
    return submit(p, named_request(fer_op_usage, tenant, FER_STR_NONE), done, context, err);
}

fer_code fer_idem_list(fer_store_port *p, fer_idem_state state, size_t max, fer_store_done *done,
                       void *context, fer_err *err)
{
    fer_request *r = new_request(fer_op_list);
    if (r) {
        r->state = state;
        r->max = max;
    }
    return submit(p, r, done, context, err);
}

fer_code fer_idem_resolve(fer_store_port *p, const unsigned char scope[FER_IDEM_HASH],
                          bool was_done, fer_str result, int64_t expires_ms, fer_store_done *done,
                          void *context, fer_err *err)
{
    fer_request *r = scope_request(fer_op_resolve, scope);
    if (r) {
        r->flag = was_done;
        r->value = result;
        r->when_ms = expires_ms;
    }
    return submit(p, r, done, context, err);
}

fer_code fer_registry_put(fer_store_port *p, const char *kind, fer_str key, fer_str value,
                          fer_store_done *done, void *context, fer_err *err)
{
    fer_request *r = named_request(fer_op_put, fer_str_of(kind), key);
    if (r) r->value = value;
    return submit(p, r, done, context, err);
}

fer_code fer_registry_get(fer_store_port *p, const char *kind, fer_str key, fer_store_done *done,
                          void *context, fer_err *err)
{
    return submit(p, named_request(fer_op_value, fer_str_of(kind), key), done, context, err);
}

fer_code fer_registry_remove(fer_store_port *p, const char *kind, fer_str key, fer_store_done *done,
                             void *context, fer_err *err)
{
    return submit(p, named_request(fer_op_remove, fer_str_of(kind), key), done, context, err);
}

fer_code fer_registry_list(fer_store_port *p, const char *kind, fer_str after, size_t max,
                           fer_store_done *done, void *context, fer_err *err)
{
    fer_request *r = named_request(fer_op_keys, fer_str_of(kind), after);
    if (r) r->max = max;
    return submit(p, r, done, context, err);
}

fer_code fer_cache_put(fer_store_port *p, fer_str tenant, fer_str mark, fer_str key, fer_str value,
                       int64_t expires_ms, fer_store_done *done, void *context, fer_err *err)
{
    fer_request *r = named_request(fer_op_cache_put, tenant, key);
    if (r) {
        r->mark = mark;
        r->value = value;
        r->when_ms = expires_ms;
    }
    return submit(p, r, done, context, err);
}

fer_code fer_cache_get(fer_store_port *p, fer_str tenant, fer_str key, int64_t now_ms,
                       fer_store_done *done, void *context, fer_err *err)
{
    fer_request *r = named_request(fer_op_cache_get, tenant, key);
    if (r) r->now_ms = now_ms;
    return submit(p, r, done, context, err);
}

fer_code fer_cache_purge(fer_store_port *p, fer_str mark, fer_store_done *done, void *context,
                         fer_err *err)
{
    fer_request *r = new_request(fer_op_cache_purge);
    if (r) r->mark = mark;
    return submit(p, r, done, context, err);
}

fer_code fer_cache_expire(fer_store_port *p, int64_t now_ms, size_t max, fer_store_done *done,
                          void *context, fer_err *err)
{
    fer_request *r = new_request(fer_op_cache_expire);
    if (r) {
        r->now_ms = now_ms;
        r->max = max;
    }
    return submit(p, r, done, context, err);
}
