/* SPDX-License-Identifier: Apache-2.0 */
#include "keeping.h"

#include <errno.h>

#include "errors.h"
#include "gateway_parts.h"
#include "sys.h"

struct fer_keeping {
    fer_arena *arena;
    fer_gateway *gateway;
    fer_seal *seal;
    fer_ledger *ledger;
    fer_ledger_port *ledger_port;
    fer_store *store;
    fer_store_port *store_port;
};

/* ---- the keeper's functions ------------------------------------------------------------------ */

static fer_code claim(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                      fer_err *err)
{
    return fer_idem_claim_key(((fer_keeping *)context)->store_port, c, done, whom, err);
}

static fer_code finish(void *context, const fer_idem_claim *c, fer_str result, int64_t expires_ms,
                       fer_store_done *done, void *whom, fer_err *err)
{
    return fer_idem_finish(((fer_keeping *)context)->store_port, c, result, expires_ms, done, whom,
                           err);
}

static fer_code release(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                        fer_err *err)
{
    return fer_idem_release(((fer_keeping *)context)->store_port, c, done, whom, err);
}

static fer_code lose(void *context, const fer_idem_claim *c, fer_store_done *done, void *whom,
                     fer_err *err)
{
    return fer_idem_lose(((fer_keeping *)context)->store_port, c, done, whom, err);
}

static fer_code append(void *context, const fer_ledger_record *r, fer_ledger_done *done, void *whom,
                       fer_err *err)
{
    return fer_ledger_append(((fer_keeping *)context)->ledger_port, r, done, whom, err);
}

static fer_code name(void *context, fer_str tenant, const char *use, fer_str text,
                     unsigned char out[32], fer_err *err)
{
    return fer_seal_name(((fer_keeping *)context)->seal, tenant, use, text, out, err);
}

/* ---- the folder ------------------------------------------------------------------------------ */

static const char *path_in(fer_keeping *k, fer_str folder, const char *file)
{
    return fer_arena_printf(k->arena, "%.*s/%s", FER_PRI(folder), file).ptr;
}

static fer_code open_all(fer_keeping *k, fer_str folder, fer_err *err)
{
    const char *whole = fer_arena_copy(k->arena, folder).ptr, *key = path_in(k, folder, "seal.key"),
               *ledger = path_in(k, folder, "ledger"), *store = path_in(k, folder, "store.db");
    fer_ledger_recovery found;
    if (!whole || !key || !ledger || !store) return fer_arena_failed(k->arena, err);
    if (fer_sys_mkdir(whole, 0700) && errno != EEXIST)
        return fer_fail(err, FER_IO_ERROR, "%s cannot be made: %s", whole, strerror(errno));
    fer_code code = fer_seal_new(key, true, &k->seal, err);
    fer_ledger_options lo = {.folder = ledger};
    if (!code) code = fer_ledger_open(&lo, &k->ledger, &found, err);
    if (code) return code;
    fer_store_options so = {.path = store, .seal = k->seal, .epoch = found.epoch};
    code = fer_store_open(&so, &k->store, NULL, err);
    uv_loop_t *loop = fer_gateway_loop(k->gateway);
    if (!code) code = fer_ledger_attach(k->ledger, loop, &k->ledger_port, err);
    if (!code) code = fer_store_attach(k->store, loop, &k->store_port, err);
    return code;
}

fer_code fer_keeping_begin(fer_gateway *g, fer_str folder, fer_keeping **out, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_keeping *k = a ? fer_arena_alloc_zero(a, 1, sizeof *k) : NULL;
    if (!k) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    *k = (fer_keeping){.arena = a, .gateway = g};
    fer_code code = open_all(k, folder, err);
    if (code) {
        fer_keeping_end(k);
        return code;
    }
    fer_gateway_keep(g, &(fer_keeper){.context = k,
                                      .claim = claim,
                                      .finish = finish,
                                      .release = release,
                                      .lose = lose,
                                      .append = append,
                                      .name = name});
    *out = k;
    return FER_OK;
}

void fer_keeping_end(fer_keeping *k)
{
    if (!k) return;
    if (k->ledger_port) fer_ledger_detach(k->ledger_port);
    if (k->store_port) fer_store_detach(k->store_port);
    uv_run(fer_gateway_loop(k->gateway), UV_RUN_NOWAIT); /* ports are freed by the loop */
    if (k->store) fer_store_close(k->store);
    if (k->ledger) fer_ledger_close(k->ledger, NULL);
    fer_seal_free(k->seal);
    fer_arena_free(k->arena);
}
