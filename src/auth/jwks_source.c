/* SPDX-License-Identifier: Apache-2.0 */
#include "jwks_source.h"

#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "file.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

struct fer_jwks_source {
    fer_jwks_options options;
    char *place;
    fer_arena *arena; /* of the keys; NULL: there are none */
    fer_jwks keys;
    int64_t got;   /* when, fer_clock_mono */
    int64_t asked; /* the same; 0: never */
    uint64_t count;
    fer_file_mark mark; /* of the file that was read */
    bool unread;        /* there was no memory for what is in it */
    fer_http_call *call;
    fer_arena *answer; /* of the call: what came so far */
    fer_buf body;
    unsigned status;
    char trouble[256];
};

bool fer_jwks_is_url(fer_str place)
{
    return fer_str_starts(place, "http://") || fer_str_starts(place, "https://");
}

/* ---- what there is ----------------------------------------------------------------------------
 */

/* The keys of `a` from now on; those before stay readable while others are told. */
static void take(fer_jwks_source *s, fer_arena *a, const fer_jwks *keys)
{
    fer_arena *old = s->arena;
    fer_jwks before = s->keys;
    s->arena = a;
    s->keys = *keys;
    s->got = fer_clock_mono();
    s->trouble[0] = '\0';
    if (s->options.changed) s->options.changed(s->options.context, s, old ? &before : NULL);
    fer_arena_free(old);
}

static fer_code take_text(fer_jwks_source *s, fer_str text, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_jwks keys;
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_jwks_read(a, text, &keys, err);
    if (code) fer_arena_free(a);
    else take(s, a, &keys);
    return code;
}

static void note_trouble(fer_jwks_source *s, const char *why)
{
    snprintf(s->trouble, sizeof s->trouble, "%.250s", why);
}

/* ---- a file -----------------------------------------------------------------------------------
 */

/* What could not be read for want of memory is read with the next look, or a key that is published
 * no more would be good on. */
static fer_code read_file(fer_jwks_source *s, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_str text;
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    s->mark = fer_file_mark_of(s->place);
    s->count++;
    fer_code code = fer_file_read(a, s->place, FER_JWKS_SIZE, &text, err);
    if (!code) code = take_text(s, text, err);
    s->unread = code == FER_OUT_OF_MEMORY;
    fer_arena_free(a);
    return code;
}

/* ---- a URL ------------------------------------------------------------------------------------
 */

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    (void)call;
    ((fer_jwks_source *)context)->status = head->status;
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    (void)call;
    fer_buf_add(&((fer_jwks_source *)context)->body, piece);
}

static void on_end(void *context, const fer_http_end *end)
{
    fer_jwks_source *s = context;
    fer_err err = {0};
    fer_code code = end->err->code;
    s->call = NULL;
    if (code) err = *end->err;
    else if (s->status != 200)
        code = fer_fail(&err, FER_BACKEND_UNAVAILABLE, "the answer has the status %u", s->status);
    else code = fer_buf_code(&s->body, &err);
    if (!code) code = take_text(s, fer_buf_view(&s->body), &err);
    fer_arena_free(s->answer);
    s->answer = NULL;
    if (!code) return;
    note_trouble(s, err.message);
    if (s->options.changed) s->options.changed(s->options.context, s, NULL);
}

static bool ask(fer_jwks_source *s)
{
    const fer_http_field accept = {FER_STR("Accept"), FER_STR("application/json")};
    const fer_http_events events = {on_head, on_body, on_end, s};
    int64_t now = fer_clock_mono();
    fer_err err = {0};
    fer_http_request r = {.url = fer_str_of(s->place),
                          .fields = &accept,
                          .field_count = 1,
                          .deadline_ns = now + FER_JWKS_ASK_MS * MS,
                          .body_max = FER_JWKS_SIZE};
    s->answer = fer_arena_new(0);
    if (!s->answer) return false;
    s->asked = now;
    s->count++;
    s->status = 0;
    fer_buf_init(&s->body, s->answer, FER_JWKS_SIZE);
    if (!fer_http_start(s->options.http, &r, &events, &s->call, &err)) return true;
    note_trouble(s, err.message);
    fer_arena_free(s->answer);
    s->answer = NULL;
    return false;
}

/* ---- life -------------------------------------------------------------------------------------
 */

fer_code fer_jwks_source_new(const fer_jwks_options *o, fer_jwks_source **out, fer_err *err)
{
    fer_jwks_source *s = fer_sys_malloc(sizeof *s + o->place.len + 1);
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *s = (fer_jwks_source){.options = *o, .place = (char *)(s + 1)};
    memcpy(s->place, o->place.ptr, o->place.len);
    s->place[o->place.len] = '\0';
    if (s->options.again_ms <= 0) s->options.again_ms = FER_JWKS_AGAIN_MS;
    fer_code code = FER_OK;
    if (fer_jwks_is_url(o->place)) ask(s);
    else if (!(code = read_file(s, err)) && !s->keys.count)
        code = fer_fail(err, FER_BAD_USAGE,
                        "there is no key to check signatures with (RSA, P-256, P-384, Ed25519)");
    if (code) fer_jwks_source_free(s);
    else *out = s;
    return code;
}

void fer_jwks_source_free(fer_jwks_source *s)
{
    if (!s) return;
    fer_arena_free(s->answer);
    fer_arena_free(s->arena);
    fer_sys_free(s);
}

/* ---- asked ------------------------------------------------------------------------------------
 */

const fer_jwks *fer_jwks_source_keys(fer_jwks_source *s)
{
    bool stale =
        fer_jwks_is_url(fer_str_of(s->place)) && fer_clock_mono() - s->got > FER_JWKS_STALE_MS * MS;
    return s->arena && !stale ? &s->keys : NULL;
}

bool fer_jwks_source_renew(fer_jwks_source *s)
{
    int64_t now = fer_clock_mono();
    if (s->call) return true;
    if (!fer_jwks_is_url(fer_str_of(s->place))) return false; /* the file was looked at */
    if (s->asked && now - s->asked < s->options.again_ms * MS) return false;
    return ask(s);
}

void fer_jwks_source_look(fer_jwks_source *s)
{
    fer_err err = {0};
    if (fer_jwks_is_url(fer_str_of(s->place))) {
        bool old = !s->arena || fer_clock_mono() - s->got > FER_JWKS_FRESH_MS * MS;
        if (old) fer_jwks_source_renew(s);
        return;
    }
    fer_file_mark now = fer_file_mark_of(s->place);
    if (!s->unread && fer_file_mark_eq(&now, &s->mark)) return;
    if (read_file(s, &err)) note_trouble(s, err.message);
}

const char *fer_jwks_source_trouble(const fer_jwks_source *s)
{
    return s->trouble;
}

uint64_t fer_jwks_source_asked(const fer_jwks_source *s)
{
    return s->count;
}
