/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients for whom an issuer vouches, while each allocation fails in turn: who shows a good token
 * is let in, or not for want of memory, and is as soon as there is some; keys that are published no
 * more let nobody in, whenever that was noticed.
 */
#include "jwt_door.h"

#include <stdlib.h>
#include <unistd.h>

#include "base64url.h"
#include "clock.h"
#include "command.h"
#include "errors.h"
#include "file.h"
#include "identity.h"
#include "jwt.h"
#include "rows.h"

#define ISSUER "https://login.example"
#define US     "https://gateway.example/mcp"

/* ---- what the command line is otherwise --------------------------------------------------------
 */

const char *fer_app_option(const fer_app *app, const char *name)
{
    (void)app, (void)name;
    return NULL;
}

/* ---- an issuer --------------------------------------------------------------------------------
 */

static char folder[] = "/tmp/ferrule-door-XXXXXX", file[64];
static EVP_PKEY *keys[2];
static char tokens[2][1024]; /* of each key */

static void publish(int which)
{
    unsigned char raw[32];
    size_t len = sizeof raw;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(EVP_PKEY_get_raw_public_key(keys[which], raw, &len), 1);
    fer_str x = fer_base64url_write(a, (fer_str){(char *)raw, len});
    fer_str text = fer_arena_printf(
        a, "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k%d\",\"x\":\"%.*s\"}]}",
        which, FER_PRI(x));
    assert_int_equal(fer_file_replace(file, text, NULL), FER_OK);
    fer_arena_free(a);
}

/* Somebody's token, by one of the keys. */
static fer_str sign(fer_arena *a, int which, const char *who)
{
    fer_str token;
    fer_str claims = fer_arena_printf(a,
                                      "{\"iss\":\"" ISSUER "\",\"aud\":\"" US "\",\"sub\":\"%s\","
                                      "\"org\":\"o1\",\"scope\":\"all\",\"exp\":%lld}",
                                      who, (long long)(fer_clock_wall() / 1000 + 3600));
    fer_str kid = fer_arena_printf(a, "k%d", which);
    assert_int_equal(
        fer_jwt_write(a, fer_jose_find(FER_STR("EdDSA")), keys[which], kid, claims, &token, NULL),
        FER_OK);
    return token;
}

static void make_token(int which)
{
    fer_arena *a = fer_arena_new(0);
    snprintf(tokens[which], sizeof tokens[0], "%.*s", FER_PRI(sign(a, which, "anna")));
    fer_arena_free(a);
}

/* ---- a gateway --------------------------------------------------------------------------------
 */

typedef struct rig {
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_front *front;
    fer_jwt_door *door;
} rig;

static void open_rig(rig *r)
{
    *r = (rig){0};
    assert_int_equal(fer_catalog_new(NULL, &r->catalog, NULL), FER_OK);
    assert_int_equal(
        fer_gateway_new(&(fer_gateway_options){.catalog = r->catalog}, &r->gateway, NULL), FER_OK);
    r->front = fer_front_new(&(fer_front_options){.gateway = r->gateway, .catalog = r->catalog});
    assert_non_null(r->front);
}

static void close_rig(rig *r)
{
    fer_jwt_door_free(r->door);
    fer_front_free(r->front);
    fer_gateway_free(r->gateway);
    fer_catalog_free(r->catalog);
}

static fer_code open_door(rig *r, fer_err *err)
{
    static const fer_claim_pair tenants[] = {{{"o1", 2}, {"acme", 4}}};
    static const fer_str all[] = {{"*", 1}};
    static const fer_grant grants[] = {{.name = {"all", 3}, .scopes = all, .count = 1}};
    fer_config_issuer one = {.name = FER_STR("main"),
                             .issuer = FER_STR(ISSUER),
                             .jwks = fer_str_of(file),
                             .algs = ~0u,
                             .map = {.who_tenant = "org",
                                     .tenants = tenants,
                                     .tenant_count = 1,
                                     .who = "sub",
                                     .scopes = "scope",
                                     .grants = grants,
                                     .grant_count = 1},
                             .mode = FER_STR("")};
    fer_config_serve c = {.resource = FER_STR(US), .issuers = &one, .issuer_count = 1};
    return fer_jwt_door_new(r->front, &c, NULL, &r->door, err);
}

/* Lets somebody in; FER_OUT_OF_MEMORY, or another failure where the token was not taken. */
static fer_code admit(rig *r, int which, fer_guest **out)
{
    fer_stranger no = {0};
    *out = fer_jwt_door_admit(r->door, fer_str_of(tokens[which]), &no);
    if (!*out)
        return strcmp(no.reason, "jwt-memory") == 0 ? FER_OUT_OF_MEMORY : FER_UNAUTHENTICATED;
    const fer_caller *c = fer_guest_caller(*out);
    assert_str(c->tenant, "acme");
    assert_str(c->principal, "main#anna");
    return FER_OK;
}

/* ---- rows -------------------------------------------------------------------------------------
 */

enum scene {
    OPEN,   /* the door is made */
    COME,   /* a token is shown for the first time */
    CHANGE, /* another key is published */
};

static const struct row {
    const char *name;
    enum scene scene;
} rows[] = {{"a door is made", OPEN}, {"somebody comes", COME}, {"keys change", CHANGE}};

static fer_code play(rig *r, const struct row *row)
{
    fer_guest *who;
    if (row->scene == OPEN) return open_door(r, NULL);
    if (row->scene == COME) return admit(r, 0, &who);
    fer_jwt_door_look(r->door);
    return FER_OK;
}

/* With memory, as it should be. */
static void check(rig *r, const struct row *row)
{
    fer_guest *first, *again, *next;
    if (!r->door) assert_int_equal(open_door(r, NULL), FER_OK);
    if (row->scene == CHANGE) {
        fer_jwt_door_look(r->door);
        assert_int_equal(admit(r, 1, &next), FER_OK);
        assert_int_equal(admit(r, 0, &first), FER_UNAUTHENTICATED);
        return;
    }
    assert_int_equal(admit(r, 0, &first), FER_OK);
    assert_int_equal(admit(r, 0, &again), FER_OK);
    assert_ptr_equal(first, again);
}

static bool attempt(const struct row *row, const char *plan)
{
    rig r;
    fer_guest *who;
    publish(0);
    open_rig(&r);
    if (row->scene != OPEN) assert_int_equal(open_door(&r, NULL), FER_OK);
    if (row->scene == CHANGE) {
        assert_int_equal(admit(&r, 0, &who), FER_OK);
        publish(1);
    }
    assert_true(fer_faults_begin(plan));
    fer_code code = play(&r, row);
    bool met = fer_faults_injected() > 0;
    fer_faults_begin(NULL);
    if (code && !(met && (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED)))
        fail_msg("%s: %s", plan, fer_code_info(code)->name);
    check(&r, row);
    close_rig(&r);
    return met;
}

static void run(const struct row *row)
{
    int64_t before = fer_faults_live();
    size_t n = 1;
    for (;; n++) {
        char plan[32];
        snprintf(plan, sizeof plan, "malloc@%zu", n);
        bool met = attempt(row, plan);
        if (fer_faults_live() != before)
            fail_msg("%s: %lld allocations are still held", plan,
                     (long long)(fer_faults_live() - before));
        if (!met) break;
    }
    assert_true(n > 3);
}

/* jwt.guests: as many as there may be; for one more the one goes that came last the longest ago,
 * and nobody who has a session. */
static void number_of_guests(void)
{
    static fer_guest *all[FER_JWT_GUESTS_MAX];
    fer_stranger no = {0};
    char who[16];
    rig r;
    if (getenv("FERRULE_INSTRUMENTED")) skip(); /* four seconds, and ten times that there */
    fer_arena *a = fer_arena_new(0);
    publish(0);
    open_rig(&r);
    assert_int_equal(open_door(&r, NULL), FER_OK);
    for (int i = 0; i < FER_JWT_GUESTS_MAX; i++) {
        snprintf(who, sizeof who, "u%d", i);
        all[i] = fer_jwt_door_admit(r.door, sign(a, 0, who), &no);
        assert_non_null(all[i]);
        fer_arena_reset(a);
    }
    fer_guest_ref(all[1]); /* a session */
    assert_ptr_equal(fer_jwt_door_admit(r.door, sign(a, 0, "u0"), &no), all[0]);
    assert_non_null(fer_jwt_door_admit(r.door, sign(a, 0, "more"), &no));
    assert_false(fer_guest_is_over(all[1]));
    assert_ptr_equal(fer_jwt_door_admit(r.door, sign(a, 0, "u0"), &no), all[0]);
    assert_ptr_equal(fer_jwt_door_admit(r.door, sign(a, 0, "u3"), &no), all[3]);
    /* The third is gone: it comes again, for another. */
    for (int i = 4; i < FER_JWT_GUESTS_MAX; i++) fer_guest_ref(all[i]);
    assert_non_null(fer_jwt_door_admit(r.door, sign(a, 0, "u2"), &no));
    for (int i = 4; i < FER_JWT_GUESTS_MAX; i++)
        if (!fer_guest_is_over(all[i])) fer_guest_unref(all[i]);
    fer_guest_unref(all[1]);
    close_rig(&r);
    fer_arena_free(a);
}

int main(void)
{
    char command[64];
    if (!mkdtemp(folder)) return 1;
    snprintf(file, sizeof file, "%s/keys.json", folder);
    for (int i = 0; i < 2; i++) {
        keys[i] = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
        make_token(i);
    }
    int failed = ROWS_RUN("jwt.door", rows, run) + ROWS_ONE("jwt.door", number_of_guests);
    for (int i = 0; i < 2; i++) EVP_PKEY_free(keys[i]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return failed + (system(command) != 0);
}
