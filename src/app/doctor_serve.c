/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of whom a gateway lets in by signed tokens, and of whether one that runs has been started
 * since the section `serve` was changed. */
#include "admin.h"
#include "admin_client.h"
#include "buf.h"
#include "clock.h"
#include "doctor.h"
#include "errors.h"
#include "file.h"
#include "jwks_source.h"

/* ---- keys of issuers --------------------------------------------------------------------------
 */

#define WHERE                                                                                      \
    "An issuer says where its keys are as jwks_uri in /.well-known/openid-configuration or "       \
    "/.well-known/oauth-authorization-server below its URL."

/* As the gateway would ask: no other address than the operator's. */
static fer_code fetch(fer_arena *a, fer_str url, fer_str *out, fer_err *err)
{
    fer_net_rules *rules = fer_net_rules_new();
    fer_http_fetcher *f = NULL;
    fer_http_answer answer;
    fer_http_request r = {.url = url,
                          .deadline_ns = fer_clock_mono() + FER_JWKS_ASK_MS * INT64_C(1000000),
                          .body_max = FER_JWKS_SIZE};
    fer_code code = rules ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) fer_net_rules_close(rules);
    if (!code) code = fer_net_rules_allow_url(rules, url, err);
    if (!code) f = fer_http_fetcher_new(&(fer_http_options){.rules = rules});
    if (!code && !f) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_http_fetch(a, f, &r, &answer, err);
    if (!code && answer.head.status != 200)
        code = fer_fail(err, FER_BACKEND_UNAVAILABLE, "the answer has the status %u",
                        answer.head.status);
    if (!code) *out = answer.body;
    fer_http_fetcher_free(f);
    fer_net_rules_free(rules);
    return code;
}

/* The names of algorithms that some key is for, of those that `allowed` has; or empty. */
static fer_str algorithms(fer_arena *a, const fer_jwks *keys, uint32_t allowed)
{
    fer_buf b;
    fer_buf_init(&b, a, 4096);
    for (size_t i = 0; i < fer_jose_alg_count; i++) {
        bool fits = false;
        for (size_t k = 0; k < keys->count; k++)
            fits |= fer_jwk_fits(&keys->list[k], &fer_jose_algs[i]);
        if (!fits || !(allowed >> i & 1)) continue;
        fer_buf_printf(&b, "%s%s", b.len ? ", " : "", fer_jose_algs[i].name);
    }
    return b.len && !b.failure ? fer_buf_view(&b) : FER_STR("");
}

static void tell_keys(fer_doctor *d, const fer_config_issuer *i, fer_arena *a, const fer_jwks *keys)
{
    fer_str good = algorithms(a, keys, i->algs), all = algorithms(a, keys, ~0u);
    fer_str hint = fer_arena_printf(
        a, "Let serve.issuers.%.*s.algorithms have the one that the issuer signs with.",
        FER_PRI(i->name));
    if (!keys->count)
        fer_doctor_tell(d, FER_DOCTOR_WRONG, i->name,
                        FER_STR("It must be the issuer's set of keys (JWKS). " WHERE),
                        "nobody is let in: the set has no key to check signatures with");
    else if (good.len)
        fer_doctor_tell(d, FER_DOCTOR_OK, i->name, FER_STR(""), "%zu key%s, for %.*s", keys->count,
                        fer_s(keys->count), FER_PRI(good));
    else
        fer_doctor_tell(d, FER_DOCTOR_WRONG, i->name, hint,
                        "nobody is let in: its keys are for %.*s, and `algorithms` has none of "
                        "these",
                        FER_PRI(all));
}

static void check_issuer(fer_doctor *d, const fer_config_issuer *i)
{
    bool url = fer_jwks_is_url(i->jwks);
    fer_arena *a = fer_arena_new(0);
    fer_str text = FER_STR("");
    fer_jwks keys;
    fer_err err = {0};
    fer_str path = a ? fer_arena_copy(a, i->jwks) : FER_STR_NONE;
    if (!path.ptr) {
        d->failed = true;
        fer_arena_free(a);
        return;
    }
    if (url && d->offline) {
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, i->name, FER_STR(""),
                        "its keys were not asked for: --offline");
        fer_arena_free(a);
        return;
    }
    fer_code code =
        url ? fetch(a, path, &text, &err) : fer_file_read(a, path.ptr, FER_JWKS_SIZE, &text, &err);
    bool had = !code;
    if (!code) code = fer_jwks_read(a, text, &keys, &err);
    if (!code) tell_keys(d, i, a, &keys);
    else
        fer_doctor_tell(d, FER_DOCTOR_WRONG, i->name,
                        had ? FER_STR("It must be the issuer's set of keys (JWKS). " WHERE)
                        : url
                            ? FER_STR("Ask for it from here, by curl; proxies and firewalls are in "
                                      "between. " WHERE)
                            : FER_STR("serve.issuers.NAME.jwks is a path, counted from the "
                                      "configuration, or a URL. " WHERE),
                        "%s: %.*s: %s", url ? "nobody is let in" : "the gateway does not start",
                        FER_PRI(fer_str_head(i->jwks, 300)), err.message);
    fer_arena_free(a);
}

void fer_doctor_issuers(fer_doctor *d)
{
    const fer_config_serve *c = &d->config.serve;
    if (!d->has_config) return;
    for (size_t i = 0; i < c->issuer_count; i++) check_issuer(d, &c->issuers[i]);
    if (!c->issuer_count)
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, FER_STR(""), FER_STR(""),
                        "no issuer vouches for clients");
}

/* ---- what counts from a start on --------------------------------------------------------------
 */

static bool says(const yyjson_val *state, const char *key, const char *mark)
{
    const yyjson_val *v = fer_is_obj(state) ? fer_val_get(state, key) : NULL;
    return fer_is_str(v) && fer_str_is(fer_val_str(v), mark);
}

/* Why it answers /readyz with 503 for longer than a start takes; empty: it does not. */
static fer_str trouble(fer_doctor *d, const yyjson_val *state)
{
    const yyjson_val *ledger = fer_is_obj(state) ? fer_val_get(state, "ledger") : NULL;
    if (!says(state, "state", "unready")) return FER_STR("");
    return fer_arena_printf(d->arena, "the ledger cannot be written (%.*s)",
                            FER_PRI(fer_is_str(ledger) ? fer_val_str(ledger) : FER_STR("?")));
}

/* Whether it has this configuration; `*same`: and its `serve`, as it is now; `*unready`: why it
 * refuses calls. */
static bool has_config(fer_doctor *d, const char *socket, bool *same, fer_str *unready)
{
    char file[FER_ADMIN_MARK], serve[FER_ADMIN_MARK];
    fer_admin_client c = {.arena = d->arena, .socket = socket};
    fer_arena *a = fer_arena_new(0);
    fer_json *page = NULL;
    bool mine = false;
    fer_admin_mark_file(d->file, file);
    fer_admin_mark(d->config.serve.json, serve);
    if (a && !fer_admin_client_get(&c, a, "state", &page, NULL)) {
        mine = says(fer_json_root(page), "config", file);
        *same = says(fer_json_root(page), "serve", serve);
        *unready = trouble(d, fer_json_root(page));
    }
    fer_arena_free(a);
    return mine;
}

static void tell_unready(fer_doctor *d, fer_str why)
{
    fer_doctor_tell(d, FER_DOCTOR_WRONG, d->file,
                    FER_STR("Make space where the ledger is (state); ferrule ledger verify tells "
                            "whether it is broken. The gateway's log says when it began."),
                    "the gateway that runs with it is not ready, and refuses calls that may change "
                    "something: %.*s",
                    FER_PRI(why));
}

void fer_doctor_serve(fer_doctor *d)
{
    const char *found[FER_ADMIN_FOUND];
    size_t count = 0, mine = 0, older = 0;
    if (!d->has_config) return;
    if (fer_admin_client_find(d->arena, found, &count, NULL)) count = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = false;
        fer_str unready = FER_STR("");
        if (!has_config(d, found[i], &same, &unready)) continue;
        if (unready.len) tell_unready(d, unready);
        mine++;
        older += !same;
    }
    if (!mine)
        fer_doctor_tell(d, FER_DOCTOR_SKIPPED, d->file, FER_STR(""),
                        "no gateway of this user runs with it");
    else if (older)
        fer_doctor_tell(d, FER_DOCTOR_WARNING, d->file,
                        FER_STR("It counts from the next start on, and not by a reload: systemctl "
                                "restart, or stop and start ferrule serve."),
                        "its section `serve` has changed since a gateway with it was started");
    else
        fer_doctor_tell(d, FER_DOCTOR_OK, d->file, FER_STR(""),
                        "a gateway runs with its section `serve` as it is");
}
