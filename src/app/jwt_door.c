/* SPDX-License-Identifier: Apache-2.0 */
#include "jwt_door.h"

#include <openssl/evp.h>

#include "access.h"
#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "serve_setup.h"
#include "sys.h"

#define HASH  32
#define KNOWN 1024 /* tokens that are known again; another one takes the place */

typedef struct issuer {
    struct fer_jwt_door *door;
    const fer_config_issuer *config;
    fer_jwt_rules rules;
    fer_jwks_source *keys;
    char told[256]; /* what the log was told last of what is wrong with them; or empty */
} issuer;

/* Somebody of an issuer's. */
typedef struct vouched {
    struct vouched *next;
    unsigned char name[HASH]; /* of all that is said of it */
    const issuer *by;
    fer_guest *guest;
    int64_t until; /* seconds since 1970, leeway and all */
    int64_t used;  /* when it was last let in, fer_clock_mono */
    EVP_PKEY *key; /* that signed the last token; held */
    fer_str kid;   /* behind this struct */
} vouched;

typedef struct known_token {
    unsigned char hash[HASH];
    vouched *who; /* NULL: none */
    int64_t until;
} known_token;

struct fer_jwt_door {
    fer_front *front;
    const fer_log *log;
    fer_web *web; /* NULL: not yet */
    fer_net_rules *rules;
    fer_http *http;
    issuer *issuers;
    size_t count;
    vouched *guests;
    size_t guest_count;
    fer_arena *arena; /* of the configuration, which may be read again meanwhile */
    fer_config_serve config;
    fer_arena *scratch; /* of one token */
    known_token known[KNOWN];
};

/* ---- guests -----------------------------------------------------------------------------------
 */

static bool hash_of(fer_str text, unsigned char out[HASH])
{
    return EVP_Digest(text.ptr ? text.ptr : "", text.len, out, NULL, EVP_sha256(), NULL) == 1;
}

static void forget_tokens(fer_jwt_door *d)
{
    memset(d->known, 0, sizeof d->known);
}

static void dismiss(fer_jwt_door *d, vouched **place)
{
    vouched *v = *place;
    *place = v->next;
    d->guest_count--;
    fer_guest_end(v->guest);
    fer_guest_unref(v->guest);
    EVP_PKEY_free(v->key);
    fer_sys_free(v);
}

/* All that makes two tokens one guest, as one text. */
static bool name_of(fer_arena *a, const issuer *by, const fer_identity *who,
                    unsigned char out[HASH])
{
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_add_quoted(&b, by->config->issuer);
    fer_buf_add_quoted(&b, who->tenant);
    fer_buf_add_quoted(&b, who->principal);
    for (size_t i = 0; i < who->scope_count; i++) fer_buf_add_quoted(&b, who->scopes[i]);
    return !b.failure && hash_of(fer_buf_view(&b), out);
}

/* The principal of one issuer is nobody to another. */
static fer_guest *make_guest(fer_jwt_door *d, const issuer *by, const fer_identity *who)
{
    const fer_config_issuer *c = by->config;
    fer_caller caller = {.tenant = who->tenant,
                         .principal = fer_arena_printf(d->scratch, "%.*s#%.*s", FER_PRI(c->name),
                                                       FER_PRI(who->principal)),
                         .agent = c->name,
                         .scopes = {who->scopes, who->scope_count}};
    fer_guest_options o = {
        .caller = &caller, .expose = c->expose, .expose_count = c->expose_count, .steps_up = true};
    o.has_mode = fer_mode_of(c->mode, &o.mode);
    if (!o.has_mode && o.expose_count) {
        o.has_mode = true;
        o.mode = FER_SERVE_BOTH;
    }
    return caller.principal.ptr ? fer_guest_new(d->front, &o) : NULL;
}

/* The one that came last the longest ago goes, of those that have no session and no request. */
static bool make_room(fer_jwt_door *d)
{
    vouched **oldest = NULL;
    if (d->guest_count < FER_JWT_GUESTS_MAX) return true;
    for (vouched **place = &d->guests; *place; place = &(*place)->next)
        if (fer_guest_is_alone((*place)->guest) && (!oldest || (*place)->used < (*oldest)->used))
            oldest = place;
    if (!oldest) return false;
    dismiss(d, oldest);
    forget_tokens(d);
    return true;
}

static vouched *new_guest(fer_jwt_door *d, const issuer *by, const fer_identity *who,
                          const fer_jwt *t)
{
    vouched *v = make_room(d) ? fer_sys_malloc(sizeof *v + FER_JWT_KID) : NULL;
    if (!v) return NULL;
    *v = (vouched){.by = by, .guest = make_guest(d, by, who), .key = t->key->key};
    if (!v->guest) {
        fer_sys_free(v);
        return NULL;
    }
    EVP_PKEY_up_ref(v->key);
    v->next = d->guests;
    d->guests = v;
    d->guest_count++;
    return v;
}

/* The guest of a good token, signed by the key that signed the last one that was shown. */
static vouched *find_guest(fer_jwt_door *d, const issuer *by, const fer_identity *who,
                           const fer_jwt *t)
{
    unsigned char name[HASH];
    if (!name_of(d->scratch, by, who, name)) return NULL;
    vouched *v = d->guests;
    while (v && memcmp(v->name, name, HASH) != 0) v = v->next;
    if (!v) v = new_guest(d, by, who, t);
    if (!v) return NULL;
    memcpy(v->name, name, HASH);
    if (v->key != t->key->key) {
        EVP_PKEY_up_ref(t->key->key);
        EVP_PKEY_free(v->key);
        v->key = t->key->key;
    }
    if (t->key->kid.len) memcpy(v + 1, t->key->kid.ptr, t->key->kid.len);
    v->kid = (fer_str){(const char *)(v + 1), t->key->kid.len};
    int64_t until = t->expires + by->rules.leeway;
    if (until > v->until) v->until = until;
    return v;
}

/* ---- keys -------------------------------------------------------------------------------------
 */

static size_t count_of(const issuer *by)
{
    const fer_jwks *keys = fer_jwks_source_keys(by->keys);
    return keys ? keys->count : 0;
}

/* Once for each reason, and once when it is over. */
static void tell_keys(issuer *by)
{
    const char *why = fer_jwks_source_trouble(by->keys);
    size_t count = count_of(by);
    if (!why[0] && fer_jwks_source_keys(by->keys) && !count)
        why = "the set has no key to check signatures with: nobody is let in";
    if (strcmp(why, by->told) == 0) return;
    snprintf(by->told, sizeof by->told, "%s", why);
    if (!by->door->log) return;
    fer_log_write(by->door->log, why[0] ? FER_LOG_WARN : FER_LOG_INFO,
                  !why[0]  ? "jwks.good"
                  : !count ? "jwks.none"
                           : "jwks.kept",
                  (const struct fer_log_field[]){FER_LOG_S("issuer", by->config->name),
                                                 FER_LOG_I("keys", count),
                                                 FER_LOG_S("reason", fer_str_of(why)),
                                                 {0}});
}

bool fer_jwt_door_keys(const fer_jwt_door *d, size_t number, fer_issuer_keys *out)
{
    if (!d || number >= d->count) return false;
    const issuer *by = &d->issuers[number];
    *out = (fer_issuer_keys){by->config->name, count_of(by),
                             fer_jwks_source_trouble(by->keys)[0] != '\0'};
    return true;
}

static void on_keys(void *context, fer_jwks_source *s, const fer_jwks *old)
{
    issuer *by = context;
    fer_jwt_door *d = by->door;
    const fer_jwks *keys = old ? fer_jwks_source_keys(s) : NULL;
    if (by->keys) tell_keys(by); /* a file is read while its source is made */
    forget_tokens(d);
    for (vouched **place = &d->guests; keys && *place;) {
        const vouched *v = *place;
        fer_jwk key = {.kid = v->kid, .key = v->key};
        if (v->by == by && !fer_jwks_has(keys, &key)) dismiss(d, place);
        else place = &(*place)->next;
    }
    if (d->web) fer_web_again(d->web);
}

void fer_jwt_door_look(fer_jwt_door *d)
{
    int64_t now = fer_clock_wall() / 1000;
    for (vouched **place = &d->guests; *place;) {
        if (now < (*place)->until) {
            place = &(*place)->next;
            continue;
        }
        dismiss(d, place);
        forget_tokens(d);
    }
    for (size_t i = 0; i < d->count; i++) {
        fer_jwks_source_look(d->issuers[i].keys);
        tell_keys(&d->issuers[i]);
    }
}

/* ---- tokens -----------------------------------------------------------------------------------
 */

static issuer *issuer_of(fer_jwt_door *d, fer_str name)
{
    for (size_t i = 0; i < d->count; i++)
        if (fer_str_eq(d->issuers[i].rules.issuer, name)) return &d->issuers[i];
    return NULL;
}

/* A key that is not known may be a new one: then keys are asked for, and the request waits. */
static fer_jwt_fault check(issuer *by, fer_jwt *t, fer_stranger *no)
{
    static const fer_jwks none = {0};
    const fer_jwks *keys = fer_jwks_source_keys(by->keys);
    fer_jwt_fault fault =
        fer_jwt_check(t, &by->rules, keys ? keys : &none, fer_clock_wall() / 1000);
    if (fault == FER_JWT_UNKNOWN_KEY) no->wait = fer_jwks_source_renew(by->keys);
    return fault;
}

static fer_jwt_fault look_into(fer_jwt_door *d, fer_str token, fer_stranger *no, vouched **out,
                               int64_t *until)
{
    fer_jwt t;
    fer_identity who;
    fer_jwt_fault fault = fer_jwt_read(d->scratch, token, &t);
    issuer *by = fault ? NULL : issuer_of(d, t.issuer);
    if (!fault && !by) fault = FER_JWT_STRANGE_ISSUER;
    if (!fault) fault = check(by, &t, no);
    if (!fault) fault = fer_identity_read(d->scratch, &t, &by->config->map, &who);
    if (fault) return fault;
    no->narrow = !fer_access_opens(&(fer_texts){who.scopes, who.scope_count});
    if (no->narrow) return FER_JWT_GOOD;
    *out = find_guest(d, by, &who, &t);
    *until = t.expires + by->rules.leeway;
    return *out ? FER_JWT_GOOD : FER_JWT_NO_MEMORY;
}

fer_guest *fer_jwt_door_admit(fer_jwt_door *d, fer_str token, fer_stranger *no)
{
    unsigned char hash[HASH];
    vouched *who = NULL;
    if (!hash_of(token, hash)) return NULL;
    known_token *slot = &d->known[((size_t)hash[0] << 8 | hash[1]) % KNOWN];
    int64_t now = fer_clock_wall() / 1000, until = 0;
    if (slot->who && now < slot->until && memcmp(slot->hash, hash, HASH) == 0) {
        slot->who->used = fer_clock_mono();
        return slot->who->guest;
    }
    fer_jwt_fault fault = look_into(d, token, no, &who, &until);
    fer_arena_reset(d->scratch);
    no->reason = no->narrow ? "jwt-scope" : fer_jwt_fault_rows[fault].name;
    no->text = fer_jwt_fault_rows[fault].text;
    if (fault || !who) return NULL;
    who->used = fer_clock_mono();
    memcpy(slot->hash, hash, HASH);
    slot->who = who;
    slot->until = until;
    return who->guest;
}

/* ---- life -------------------------------------------------------------------------------------
 */

static fer_code open_issuer(fer_jwt_door *d, issuer *by, fer_err *err)
{
    const fer_config_issuer *i = by->config;
    fer_err why = {0};
    by->door = d;
    by->rules = (fer_jwt_rules){.issuer = i->issuer,
                                .audiences = i->audience_count ? i->audiences : &d->config.resource,
                                .audience_count = i->audience_count ? i->audience_count : 1,
                                .algs = i->algs,
                                .leeway = i->leeway};
    fer_code code = FER_OK;
    if (fer_jwks_is_url(i->jwks)) code = fer_net_rules_allow_url(d->rules, i->jwks, &why);
    fer_jwks_options o = {.place = i->jwks, .http = d->http, .changed = on_keys, .context = by};
    if (!code) code = fer_jwks_source_new(&o, &by->keys, &why);
    return code ? fer_fail(err, code, "serve.issuers.%.*s: %.800s", FER_PRI(i->name), why.message)
                : FER_OK;
}

fer_code fer_jwt_door_new(fer_front *front, const fer_config_serve *c, const fer_log *log,
                          fer_jwt_door **out, fer_err *err)
{
    *out = NULL;
    if (!c->issuer_count) return FER_OK;
    fer_jwt_door *d = fer_sys_malloc(sizeof *d);
    if (!d) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(d, 0, sizeof *d);
    d->front = front;
    d->log = log;
    d->arena = fer_arena_new(0);
    d->scratch = fer_arena_new(0);
    d->rules = fer_net_rules_new();
    if (d->rules) fer_net_rules_close(d->rules);
    fer_http_options asking = {.rules = d->rules};
    d->http = d->rules ? fer_http_new(fer_front_loop(front), &asking) : NULL;
    d->issuers = fer_sys_malloc(c->issuer_count * sizeof *d->issuers);
    fer_code code = d->arena && d->scratch && d->http && d->issuers
                        ? fer_config_copy_issuers(d->arena, c, &d->config, err)
                        : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; !code && i < c->issuer_count; i++) {
        d->issuers[i] = (issuer){.config = &d->config.issuers[i]};
        d->count++;
        code = open_issuer(d, &d->issuers[i], err);
    }
    if (code) fer_jwt_door_free(d);
    else *out = d;
    return code;
}

void fer_jwt_door_tell(fer_jwt_door *d, fer_web *web)
{
    d->web = web;
}

void fer_jwt_door_free(fer_jwt_door *d)
{
    if (!d) return;
    d->web = NULL;
    if (d->http) fer_http_close(d->http); /* requests for keys end now */
    while (d->guests) dismiss(d, &d->guests);
    for (size_t i = 0; i < d->count; i++) fer_jwks_source_free(d->issuers[i].keys);
    fer_sys_free(d->issuers);
    fer_net_rules_free(d->rules);
    fer_arena_free(d->scratch);
    fer_arena_free(d->arena);
    fer_sys_free(d);
}
