/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth.h"

#include "clock.h"
#include "errors.h"
#include "oauth_owners.h"
#include "oauth_parts.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

/* ---- the record -------------------------------------------------------------------------------
 */

static bool copy_text(fer_arena *a, fer_str *s)
{
    *s = s->len ? fer_arena_copy(a, *s) : FER_STR("");
    return s->ptr != NULL;
}

static bool copy_record(fer_arena *a, fer_oauth_record *r)
{
    fer_str *const all[] = {&r->resource, &r->issuer, &r->token_url, &r->client_id,
                            &r->secret,   &r->access, &r->refresh,   &r->scope};
    for (size_t i = 0; i < FER_COUNT(all); i++)
        if (!copy_text(a, all[i])) return false;
    return true;
}

/* In memory from now on. */
static fer_code set_record(fer_oauth *o, const fer_oauth_record *from, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_oauth_record r = *from;
    fer_str bearer = FER_STR_NONE;
    if (a && copy_record(a, &r)) bearer = fer_arena_printf(a, "Bearer %.*s", FER_PRI(r.access));
    if (!bearer.ptr) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    fer_arena_free(o->record_arena);
    o->record_arena = a;
    o->record = r;
    o->bearer = r.access.len ? bearer : FER_STR("");
    o->mark++;
    o->accepted = false;
    o->failed = FER_OK;
    return FER_OK;
}

fer_code fer_oauth_take(fer_oauth *o, const fer_oauth_record *r, fer_err *err)
{
    if (o->options.vault && o->flight->refreshing && fer_oauth_reread(o))
        return FER_OK; /* somebody has logged in, or out, meanwhile */
    fer_code code = set_record(o, r, err);
    if (code || !o->options.vault) return code;
    fer_str text = fer_oauth_record_write(o->flight->arena, &o->record);
    if (!text.ptr) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    code = fer_vault_put(o->options.vault, "token", o->name, text, err);
    if (!code && o->flight->logging_in)
        code = fer_oauth_owners_note(o->options.vault, o->options.resource, &o->options.owner,
                                     false, err);
    o->file = fer_vault_mark(o->options.vault, "token", o->name);
    return code;
}

/* It was taken away. */
static void forget_record(fer_oauth *o)
{
    fer_arena_free(o->record_arena);
    o->record_arena = NULL;
    o->record = (fer_oauth_record){0};
    o->bearer = FER_STR("");
    o->mark++;
}

/* What somebody else has put there, such as ferrule auth login. For want of memory it is not known
 * what that is: the next look is another try, whether or not the file changes once more. */
static void load(fer_oauth *o)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text = FER_STR_NONE;
    fer_oauth_record r;
    o->file = fer_vault_mark(o->options.vault, "token", o->name);
    fer_code code =
        a ? fer_vault_get(a, o->options.vault, "token", o->name, &text, NULL) : FER_OUT_OF_MEMORY;
    if (!code && text.ptr) {
        code = fer_oauth_record_read(a, text, &r, NULL);
        if (!code) code = set_record(o, &r, NULL);
        if (!code) o->accepted = true; /* it was good for somebody */
    } else if (!code && o->record_arena && !o->options.machine) {
        forget_record(o);
    }
    o->unread = code == FER_OUT_OF_MEMORY;
    fer_arena_free(a);
}

bool fer_oauth_reread(fer_oauth *o)
{
    fer_file_mark mark = fer_vault_mark(o->options.vault, "token", o->name);
    uint64_t before = o->mark;
    if (o->unread || !fer_file_mark_eq(&mark, &o->file)) load(o);
    return o->mark != before;
}

static void look(fer_oauth *o)
{
    int64_t now = fer_clock_mono();
    if (!o->options.vault || o->flight || (o->looked && now - o->looked < FER_OAUTH_LOOK_MS * MS))
        return;
    o->looked = now;
    fer_oauth_reread(o);
}

/* ---- life -------------------------------------------------------------------------------------
 */

static bool copy_options(fer_oauth *o)
{
    fer_oauth_options *p = &o->options;
    fer_str *const all[] = {
        &p->resource,        &p->login,     &p->client_id,    &p->issuer,        &p->secret,
        &p->private_key,     &p->scopes,    &p->metadata_url, &p->redirect_uri,  &p->owner.tenant,
        &p->owner.principal, &p->indicator, &p->token_url,    &p->authorize_url, &p->revoke_url};
    for (size_t i = 0; i < FER_COUNT(all); i++)
        if (!copy_text(o->arena, all[i])) return false;
    o->name = fer_token_name(o->arena, p->resource, &p->owner);
    return o->name.ptr != NULL;
}

fer_code fer_oauth_new(const fer_oauth_options *options, fer_oauth **out, fer_err *err)
{
    fer_oauth *o = fer_sys_malloc(sizeof *o);
    if (!o) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *o = (fer_oauth){
        .refs = 1, .options = *options, .arena = fer_arena_new(0), .bearer = FER_STR("")};
    if (o->options.ask_ms <= 0) o->options.ask_ms = FER_OAUTH_ASK_MS;
    fer_code code =
        o->arena && copy_options(o) ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code && options->private_key.len)
        code = fer_jose_private(o->arena, options->private_key, &o->alg, &o->key, err);
    if (!code && options->machine && (!options->client_id.len || (!o->key && !options->secret.len)))
        code = fer_fail(err, FER_BAD_USAGE,
                        "a machine has a client ID, and a secret or a private key (oauth.clientId, "
                        "oauth.clientSecret, oauth.privateKey)");
    if (!code && o->options.vault) load(o);
    if (!code && o->unread) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) fer_oauth_destroy(o);
    else *out = o;
    return code;
}

fer_code fer_oauth_new_for(const fer_oauth *like, const fer_token_owner *owner, fer_oauth **out,
                           fer_err *err)
{
    fer_oauth_options o = like->options;
    o.owner = *owner;
    return fer_oauth_new(&o, out, err);
}

fer_oauth *fer_oauth_ref(fer_oauth *o)
{
    if (o) o->refs++;
    return o;
}

const fer_token_owner *fer_oauth_owner(const fer_oauth *o)
{
    return &o->options.owner;
}

static void end_flight(fer_oauth *o)
{
    fer_flight *f = o->flight;
    if (!f) return;
    o->flight = NULL;
    fer_oauth_end_turn(f);
    fer_arena_free(f->arena);
}

void fer_oauth_unref(fer_oauth *o)
{
    if (o && !--o->refs) fer_oauth_destroy(o);
}

void fer_oauth_destroy(fer_oauth *o)
{
    o->closing = true;
    if (o->flight && o->flight->call) { /* its end comes here again */
        fer_http_cancel(o->flight->call);
        return;
    }
    end_flight(o);
    fer_arena_free(o->record_arena);
    fer_arena_free(o->arena);
    fer_sys_free(o);
}

/* ---- who waits --------------------------------------------------------------------------------
 */

static void join(fer_oauth *o, fer_oauth_waiter *w)
{
    w->next = o->waiters;
    w->place = &o->waiters;
    if (w->next) w->next->place = &w->next;
    o->waiters = w;
}

void fer_oauth_leave(fer_oauth_waiter *w)
{
    if (!w->place) return;
    *w->place = w->next;
    if (w->next) w->next->place = w->place;
    w->place = NULL;
}

static int64_t left_ms(const fer_oauth *o)
{
    return o->record.expires_ms ? o->record.expires_ms - fer_clock_wall() : INT64_MAX;
}

/* What to do is said with every failure of which running something is the cure. */
static void note_failure(fer_oauth *o, fer_code code, const char *why)
{
    const char *what = why ? why : "the server wants to know who asks";
    const fer_flight *f = o->flight;
    bool no_cure = code == FER_OUT_OF_MEMORY || (f && f->revoking) ||
                   (f && f->guessed && !f->issuer.issuer.len);
    fer_arena *a = o->options.visit || !o->options.login.len || no_cure ? NULL : fer_arena_new(0);
    fer_str run = a ? fer_token_command(a, o->options.login, &o->options.owner) : FER_STR_NONE;
    if (run.ptr) snprintf(o->why, sizeof o->why, "%.300s; run: %.*s", what, FER_PRI(run));
    else snprintf(o->why, sizeof o->why, "%.400s", what);
    fer_arena_free(a);
    o->failed = code;
    o->failed_at = fer_clock_mono();
}

bool fer_oauth_is_starved(const fer_flight *f)
{
    return f && fer_arena_starved(f->arena);
}

void fer_oauth_land(fer_oauth *o, fer_code code, const char *why)
{
    fer_oauth_waiter *list = o->waiters;
    char text[sizeof o->why] = "";
    if (code && fer_oauth_is_starved(o->flight)) {
        code = FER_OUT_OF_MEMORY; /* whatever came of it then */
        why = "out of memory";
    }
    if (code) note_failure(o, code, why);
    if (code) memcpy(text, o->why, sizeof text);
    bool good_still = o->flight && o->flight->early && o->record_arena && left_ms(o) > 0;
    if (good_still) code = FER_OK;
    if (o->flight && o->flight->revoking && o->options.vault)
        fer_vault_remove(o->options.vault, "token", o->name, NULL); /* in its turn */
    end_flight(o);
    o->waiters = NULL;
    if (list) list->place = &list;
    while (list) {
        fer_oauth_waiter *w = list;
        fer_oauth_leave(w);
        w->done(w, code, code ? text : NULL);
    }
}

void fer_oauth_land_kept(fer_oauth *o)
{
    if (o->bearer.len) fer_oauth_land(o, FER_OK, NULL);
    else fer_oauth_land(o, FER_UNAUTHENTICATED, "somebody has logged out meanwhile");
}

static void begin(fer_oauth *o, fer_flight_kind kind, const fer_challenge *c, fer_oauth_waiter *w)
{
    fer_arena *a = fer_arena_new(0);
    fer_flight *f = a ? fer_arena_alloc_zero(a, 1, sizeof *f) : NULL;
    if (!f) {
        fer_arena_free(a);
        w->done(w, FER_OUT_OF_MEMORY, "out of memory");
        return;
    }
    f->arena = a;
    f->turn = -1;
    o->flight = f;
    join(o, w);
    fer_oauth_begin(o, kind, c);
}

/* ---- tokens -----------------------------------------------------------------------------------
 */

fer_str fer_oauth_bearer(const fer_oauth *o)
{
    return o->bearer;
}

uint64_t fer_oauth_mark(const fer_oauth *o)
{
    return o->mark;
}

void fer_oauth_accepted(fer_oauth *o, uint64_t mark)
{
    if (mark == o->mark) o->accepted = true;
}

static bool is_paused(const fer_oauth *o)
{
    return o->failed && fer_clock_mono() - o->failed_at < FER_OAUTH_PAUSE_MS * MS;
}

/* Nothing is sent without one. An MCP server says what it wants to who has none; an API may not.
 */
static bool needs_token(const fer_oauth *o)
{
    return o->options.api || !fer_token_owner_is_nobody(&o->options.owner);
}

bool fer_oauth_must_wait(const fer_oauth *o)
{
    bool gets_one = o->flight || (o->options.api && o->options.machine && !is_paused(o));
    if (!o->record_arena) return gets_one && needs_token(o);
    int64_t early = FER_OAUTH_EARLY_MS;
    if (o->record.life_ms && o->record.life_ms / 10 < early) early = o->record.life_ms / 10;
    bool renewable = o->record.refresh.len || o->options.machine;
    if (left_ms(o) > early || !renewable) return false;
    return !is_paused(o) || left_ms(o) <= 0;
}

/* Whoever has a token of its own is nobody without it: a server that lets anybody in would take it
 * for another. */
fer_code fer_oauth_permit(fer_oauth *o, fer_err *err)
{
    const fer_token_owner *who = &o->options.owner;
    bool nobody = fer_token_owner_is_nobody(who);
    char what[256] = "there is no token for it";
    look(o);
    if (o->bearer.len || o->flight || !needs_token(o)) return FER_OK;
    if (o->options.machine && !is_paused(o)) return FER_OK; /* one is got */
    if (o->options.machine) return fer_fail(err, o->failed, "%s", o->why);
    if (!nobody)
        snprintf(what, sizeof what, "there is no token of %s%.80s for this server",
                 who->principal.len ? "this principal of the tenant " : "the tenant ",
                 who->tenant.len ? who->tenant.ptr : "-");
    note_failure(o, FER_UNAUTHENTICATED, what);
    return fer_fail(err, FER_UNAUTHENTICATED, "%s", o->why);
}

void fer_oauth_wait(fer_oauth *o, fer_oauth_waiter *w)
{
    w->place = NULL;
    if (o->flight) join(o, w);
    else if (is_paused(o)) w->done(w, o->failed, o->why);
    else begin(o, o->record.refresh.len ? FER_FLIGHT_REFRESH : FER_FLIGHT_REFUSED, NULL, w);
}

bool fer_oauth_may_mend(unsigned status, fer_str challenge)
{
    fer_challenge c;
    fer_arena *a = status == 403 ? fer_arena_new(0) : NULL;
    bool more = a && fer_challenge_read(a, challenge, &c) && c.error.ptr &&
                fer_str_is(c.error, "insufficient_scope");
    fer_arena_free(a);
    return status == 401 || more;
}

/* Why another flight would be in vain; NULL: it may not be. */
static const char *in_vain(fer_oauth *o, unsigned status, const fer_challenge *c, fer_arena *a)
{
    if (status == 401)
        return o->bearer.len && !o->accepted ? "the server refuses the token that it was just given"
                                             : NULL;
    if (!o->record_arena) return NULL;
    fer_str all = fer_scope_union(a, o->record.scope, c->scope.ptr ? c->scope : FER_STR(""));
    fer_str word, list = all;
    bool more = false;
    while (fer_scope_next(&list, &word)) more |= !fer_scope_has(o->record.scope, word);
    return more ? NULL : "the server wants scopes that were asked for already";
}

void fer_oauth_renew(fer_oauth *o, uint64_t mark, unsigned status, fer_str challenge,
                     fer_oauth_waiter *w)
{
    fer_challenge c = {0};
    fer_arena *a = fer_arena_new(0);
    w->place = NULL;
    o->looked = 0; /* somebody may have logged in just now */
    look(o);
    if (a) fer_challenge_read(a, challenge, &c);
    if (o->flight) join(o, w);
    else if (!a) w->done(w, FER_OUT_OF_MEMORY, "out of memory");
    else if (mark != o->mark && o->bearer.len) w->done(w, FER_OK, NULL); /* there is another one */
    else if (is_paused(o)) w->done(w, o->failed, o->why);
    else {
        const char *why = in_vain(o, status, &c, a);
        bool again = why && status == 401 && (o->record.refresh.len || o->options.machine) &&
                     left_ms(o) <= 0;
        if (fer_arena_starved(a)) { /* what the server wants is not known */
            w->done(w, FER_OUT_OF_MEMORY, "out of memory");
        } else if (why && !again) {
            note_failure(o, status == 403 ? FER_FORBIDDEN : FER_UNAUTHENTICATED, why);
            w->done(w, o->failed, o->why);
        } else begin(o, status == 403 ? FER_FLIGHT_STEP_UP : FER_FLIGHT_REFUSED, &c, w);
    }
    fer_arena_free(a);
}

void fer_oauth_log_in(fer_oauth *o, fer_oauth_waiter *w)
{
    w->place = NULL;
    if (o->flight) join(o, w);
    else begin(o, FER_FLIGHT_LOGIN, NULL, w);
}

void fer_oauth_revoke(fer_oauth *o, fer_oauth_waiter *w)
{
    w->place = NULL;
    if (o->bearer.len) begin(o, FER_FLIGHT_REVOKE, NULL, w);
    else w->done(w, FER_UNAUTHENTICATED, "there is no token");
}

void fer_oauth_describe(fer_oauth *o, fer_oauth_info *out)
{
    look(o);
    *out = (fer_oauth_info){.issuer = FER_STR(""), .scope = FER_STR(""), .trouble = ""};
    if (o->failed) out->trouble = o->why;
    if (!o->record_arena) return;
    out->has_token = o->bearer.len > 0;
    out->has_refresh = o->record.refresh.len > 0;
    out->issuer = o->record.issuer;
    out->scope = o->record.scope;
    out->expires_ms = o->record.expires_ms;
}
