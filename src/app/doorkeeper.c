/* SPDX-License-Identifier: Apache-2.0 */
#include "doorkeeper.h"

#include <openssl/crypto.h>
#include <sys/stat.h>

#include "clock.h"
#include "denied.h"
#include "errors.h"
#include "map.h"
#include "pulse.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

/* One who is let in. */
struct door_guest {
    struct door_guest *next;
    char id[FER_BEARER_ID];               /* of a stored token */
    unsigned char hash[FER_BEARER_BYTES]; /* of an own one */
    uint64_t mark;                        /* of what a stored one says */
    fer_guest *guest;
};

/* ---- guests ---------------------------------------------------------------------------------- */

bool fer_mode_of(fer_str name, fer_serve_mode *out)
{
    for (int i = 0; fer_serve_modes[i]; i++) {
        if (!fer_str_is(name, fer_serve_modes[i])) continue;
        *out = (fer_serve_mode)i;
        return true;
    }
    return false;
}

static void let_go(struct door_guest *g)
{
    fer_guest_unref(g->guest);
    fer_sys_free(g);
}

static void let_all_go(struct door_guest **list)
{
    while (*list) {
        struct door_guest *g = *list;
        *list = g->next;
        let_go(g);
    }
}

/* Of all that a token says about its guest. */
static uint64_t mark_of(const fer_bearer *k)
{
    static const uint64_t seed[2] = {5, 6};
    uint64_t sum = fer_hash(seed, k->name) * 31 + fer_hash(seed, k->tenant);
    sum = sum * 31 + fer_hash(seed, k->mode);
    for (size_t i = 0; i < k->scope_count; i++) sum = sum * 31 + fer_hash(seed, k->scopes[i]);
    for (size_t i = 0; i < k->expose_count; i++) sum = sum * 37 + fer_hash(seed, k->expose[i]);
    for (size_t i = 0; i < FER_BEARER_BYTES; i++) sum = sum * 41 + k->hash[i];
    return sum;
}

static struct door_guest *make_stored(fer_doorkeeper *d, const fer_bearer *k)
{
    fer_caller who = {.tenant = k->tenant.len ? k->tenant : FER_STR(""),
                      .principal = fer_str_of(k->id),
                      .agent = k->name,
                      .scopes = {k->scopes, k->scope_count}};
    fer_guest_options o = {.caller = &who, .expose = k->expose, .expose_count = k->expose_count};
    o.has_mode = fer_mode_of(k->mode, &o.mode);
    if (!o.has_mode && o.expose_count) {
        o.has_mode = true;
        o.mode = FER_SERVE_BOTH;
    }
    struct door_guest *g = fer_sys_malloc(sizeof *g);
    if (!g) return NULL;
    *g = (struct door_guest){.mark = mark_of(k), .guest = fer_guest_new(d->front, &o)};
    memcpy(g->id, k->id, sizeof g->id);
    if (!g->guest) {
        fer_sys_free(g);
        return NULL;
    }
    g->next = d->stored;
    d->stored = g;
    return g;
}

static fer_guest *stored_guest(fer_doorkeeper *d, const fer_bearer *k)
{
    struct door_guest *g = d->stored;
    while (g && memcmp(g->id, k->id, sizeof g->id) != 0) g = g->next;
    if (!g) g = make_stored(d, k);
    return g ? g->guest : NULL;
}

/* ---- the file -------------------------------------------------------------------------------- */

static const fer_bearer *token_of(const fer_doorkeeper *d, const struct door_guest *g, int64_t now)
{
    for (size_t i = 0; i < d->list.count; i++) {
        const fer_bearer *k = &d->list.list[i];
        if (memcmp(k->id, g->id, sizeof g->id) == 0)
            return (!k->expires || now < k->expires) && mark_of(k) == g->mark ? k : NULL;
    }
    return NULL;
}

/* Those whose token is gone, has ended or says something else are over. */
static void dismiss(fer_doorkeeper *d)
{
    int64_t now = fer_clock_wall() / 1000;
    for (struct door_guest **place = &d->stored; *place;) {
        struct door_guest *g = *place;
        if (token_of(d, g, now)) {
            place = &g->next;
            continue;
        }
        *place = g->next;
        fer_guest_end(g->guest);
        let_go(g);
    }
}

static bool is_same(const fer_doorkeeper *d, const struct stat *st)
{
    return d->read && st->st_ino == d->file && st->st_size == d->size &&
           st->st_mtim.tv_sec == d->changed.tv_sec && st->st_mtim.tv_nsec == d->changed.tv_nsec;
}

/* What is wrong with the file, once for each reason: it is looked at for every request. */
static void tell_trouble(fer_doorkeeper *d, const char *event, const char *why)
{
    if (strcmp(why, d->told) == 0) return;
    snprintf(d->told, sizeof d->told, "%s", why);
    if (d->log && why[0])
        fer_log_event(d->log, FER_LOG_WARN, event, FER_LOG_S("file", fer_str_of(d->path)),
                      FER_LOG_S("reason", fer_str_of(why)));
}

/* What was read when only its owner could write it is still good: the mode alone has changed. */
static void check_mode(fer_doorkeeper *d, const struct stat *st)
{
    tell_trouble(d, "tokens.open",
                 st->st_mode & 0077
                     ? "others may read or write the file: the tokens that were read from it are "
                       "good until it changes, then none are; chmod 600 it"
                     : "");
}

/* A file that cannot be used has no tokens; one that there is no memory for is read with the next
 * look, and what was read before counts until then. True: it is another than before. */
static bool refresh(fer_doorkeeper *d)
{
    struct stat st;
    fer_err err = {0};
    fer_bearers list = {0};
    if (!d->path) return false;
    bool there = fer_sys_stat(d->path, &st) == 0;
    if (there && is_same(d, &st)) {
        check_mode(d, &st);
        return false;
    }
    if (!there && !d->read) return false;
    fer_arena *a = fer_arena_new(0);
    fer_code code = !a      ? FER_OUT_OF_MEMORY
                    : there ? fer_bearers_load(a, d->path, &list, &err)
                            : fer_fail(&err, FER_IO_ERROR, "the file is gone");
    if (code == FER_OUT_OF_MEMORY) {
        fer_arena_free(a);
        return false;
    }
    fer_arena_free(d->arena);
    d->arena = a;
    d->read = !code;
    if (code) list = (fer_bearers){0};
    d->list = list;
    tell_trouble(d, "tokens.refused", code ? err.message : "");
    if (there) {
        d->file = st.st_ino;
        d->size = st.st_size;
        d->changed = st.st_mtim;
    }
    return true;
}

/* A look at the file costs as much as half a request: it is not looked at for each. */
static bool is_due(fer_doorkeeper *d)
{
    int64_t now = fer_clock_mono();
    if (d->looked && now - d->looked < FER_DOOR_LOOK_MS * MS) return false;
    d->looked = now;
    return true;
}

fer_code fer_doorkeeper_first(fer_doorkeeper *d, char text[FER_BEARER_TEXT], fer_err *err)
{
    static const fer_bearer_wish wish = {.name = {"first", 5}, .tenant = {"", 0}, .mode = {"", 0}};
    fer_bearers list;
    int lock;
    fer_arena *a = fer_arena_new(0);
    text[0] = '\0';
    fer_code code = a ? fer_bearers_lock(d->path, &lock, err)
                      : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) {
        fer_arena_free(a);
        return code;
    }
    code = fer_bearers_load(a, d->path, &list, err);
    if (!code && !list.count) {
        code = fer_bearers_add(&list, &wish, fer_clock_wall() / 1000, text, err);
        if (!code) code = fer_bearers_save(d->path, &list, err);
    }
    fer_bearers_unlock(lock);
    fer_arena_free(a);
    return code;
}

/* ---- life ------------------------------------------------------------------------------------ */

fer_code fer_doorkeeper_init(fer_doorkeeper *d, fer_front *front, fer_gateway *gateway,
                             const fer_log *log, const char *path, fer_err *err)
{
    *d = (fer_doorkeeper){
        .front = front, .gateway = gateway, .log = log, .path = path, .arena = fer_arena_new(0)};
    d->digest = fer_digest_new();
    if (d->arena && d->digest) return FER_OK;
    fer_doorkeeper_deinit(d);
    return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

void fer_doorkeeper_deinit(fer_doorkeeper *d)
{
    let_all_go(&d->stored);
    let_all_go(&d->own);
    fer_jwt_door_free(d->jwt);
    fer_arena_free(d->arena);
    fer_digest_free(d->digest);
    *d = (fer_doorkeeper){0};
}

static bool hash_of(const fer_doorkeeper *d, fer_str token, unsigned char out[FER_BEARER_BYTES])
{
    return fer_digest_of(d->digest, token, FER_STR(""), FER_STR(""), out);
}

fer_code fer_doorkeeper_add(fer_doorkeeper *d, fer_str token, const fer_guest_options *who,
                            fer_err *err)
{
    struct door_guest *g = fer_sys_malloc(sizeof *g);
    if (!g) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *g = (struct door_guest){.guest = who ? fer_guest_new(d->front, who)
                                          : fer_guest_ref(fer_front_host(d->front))};
    if (!g->guest || !hash_of(d, token, g->hash)) {
        fer_guest_unref(g->guest);
        fer_sys_free(g);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    g->next = d->own;
    d->own = g;
    return FER_OK;
}

/* ---- asked by a web -------------------------------------------------------------------------- */

fer_guest *fer_doorkeeper_admit(void *door, fer_str token, fer_stranger *no)
{
    fer_doorkeeper *d = door;
    unsigned char hash[FER_BEARER_BYTES];
    fer_guest *found = NULL;
    if (!hash_of(d, token, hash)) return NULL;
    for (struct door_guest *g = d->own; g; g = g->next)
        if (CRYPTO_memcmp(hash, g->hash, sizeof hash) == 0) found = g->guest;
    if (is_due(d) && refresh(d)) dismiss(d);
    int64_t now = fer_clock_wall() / 1000;
    const fer_bearer *k = fer_bearers_find_hash(&d->list, hash, now);
    if (found) return found;
    bool signed_one = d->jwt && fer_jwt_looks(token);
    if (!k && !signed_one && refresh(d)) { /* it may be newer than the last look */
        dismiss(d);
        k = fer_bearers_find_hash(&d->list, hash, now);
    }
    if (k) return stored_guest(d, k);
    no->text = "the token is not good";
    return d->jwt ? fer_jwt_door_admit(d->jwt, token, no) : NULL;
}

void fer_doorkeeper_look(void *door)
{
    fer_doorkeeper *d = door;
    refresh(d);
    dismiss(d);
    if (d->jwt) fer_jwt_door_look(d->jwt);
}

static void tell_pulse(const fer_doorkeeper *d, const fer_caller *caller, const fer_inbound *in,
                       const char *why, const char *address)
{
    char rule[64];
    snprintf(rule, sizeof rule, "http.%s", why);
    fer_pulse_refusal no = {.rule = fer_str_of(rule),
                            .method = in->method,
                            .path = in->path,
                            .address = fer_str_of(address),
                            .caller = caller};
    if (d->pulse) fer_pulse_refused(d->pulse, &no, fer_clock_wall());
}

/* Whoever is turned away can ask again as often as he likes: what is written down is bounded. */
void fer_doorkeeper_denied(void *door, const fer_guest *who, const fer_inbound *in, const char *why)
{
    fer_doorkeeper *d = door;
    int64_t now = fer_clock_mono();
    const fer_caller *caller = who ? fer_guest_caller(who) : NULL;
    char address[FER_ADDRESS_TEXT] = "socket";
    if (!in->local) fer_address_format(&in->peer, address);
    tell_pulse(d, caller, in, why, address);
    if (now - d->denied_since > FER_DENIED_MS * MS) {
        d->denied_since = now;
        d->denied = 0;
    }
    if (d->denied++ >= FER_DENIED_MAX) {
        d->unsaid++;
        return;
    }
    fer_gateway_record_denied(d->gateway, &(fer_denied){.where = "http",
                                                        .why = why,
                                                        .method = in->method,
                                                        .path = in->path,
                                                        .address = fer_str_of(address),
                                                        .caller = caller,
                                                        .unsaid = d->unsaid});
    if (d->log)
        fer_log_write(d->log, FER_LOG_WARN, "access.denied",
                      (const struct fer_log_field[]){
                          FER_LOG_S("reason", fer_str_of(why)),
                          FER_LOG_S("address", fer_str_of(address)),
                          FER_LOG_S("principal", caller ? caller->principal : FER_STR("")),
                          FER_LOG_I("unsaid", d->unsaid),
                          {0}});
    d->unsaid = 0;
}
