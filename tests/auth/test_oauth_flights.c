/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flights of an OAuth client against an authorization server of the test: what comes of each
 * while every allocation fails in turn, and the limits of a flight at their edges.
 */
#include <openssl/pem.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "errors.h"
#include "issuer_server.h"
#include "oauth_parts.h"
#include "rows.h"

#define SECONDS 30 /* that a flight may take before a test fails */
#define MS      INT64_C(1000000)

/* ---- the server -------------------------------------------------------------------------------
 */

#define RESOURCE_META                                                                              \
    "{\"resource\":\"@/mcp\",\"authorization_servers\":[\"@/as\"],\"scopes_supported\":[\"all\"]}"
#define ISSUER_META                                                                                \
    "{\"issuer\":\"@/as\",\"authorization_endpoint\":\"@/as/authorize\",\"token_endpoint\":"       \
    "\"@/as/token\",\"registration_endpoint\":\"@/as/register\",\"revocation_endpoint\":"          \
    "\"@/as/revoke\",\"code_challenge_methods_supported\":[\"S256\"],"                             \
    "\"authorization_response_iss_parameter_supported\":true}"
#define TOKEN                                                                                      \
    "{\"access_token\":\"fresh\",\"token_type\":\"Bearer\",\"expires_in\":3600,"                   \
    "\"refresh_token\":\"again\"}"
#define CHALLENGE "Bearer scope=\"notes\", resource_metadata=\"@/meta\""

/* Whoever guesses instead of asking where it was told to comes to the origin, which gives tokens,
 * too: others. */
static const issuer_answer world[] = {
    {"/mcp", 401, "WWW-Authenticate: " CHALLENGE, "{}"},
    {"/meta", 200, NULL, RESOURCE_META},
    {"/.well-known/oauth-authorization-server/as", 200, NULL, ISSUER_META},
    {"/as/register", 201, NULL, "{\"client_id\":\"registered\",\"client_secret\":\"hush\"}"},
    {"/as/token", 200, NULL, TOKEN},
    {"/as/revoke", 200, NULL, "{}"},
    {"/.well-known/oauth-authorization-server", 200, NULL,
     "{\"issuer\":\"@\",\"token_endpoint\":\"@/wrong\",\"authorization_endpoint\":\"@/wrong\","
     "\"code_challenge_methods_supported\":[\"S256\"],\"registration_endpoint\":\"@/as/register\"}"},
    {"/wrong", 200, NULL, "{\"access_token\":\"wrong\",\"token_type\":\"Bearer\"}"},
    {0},
};

static issuer_server *server;
static char resource[64], issuer[64], challenge[256], pem[1024];

/* ---- a client, and who waits for it -----------------------------------------------------------
 */

typedef struct rig {
    uv_loop_t loop;
    fer_net_rules *rules;
    fer_http *http;
    fer_vault *vault;
    char folder[64];
    fer_oauth *oauth;
    fer_oauth_waiter waiter; /* its memory is the rig's */
    bool done;
    fer_code code;
    char why[512], visited[4096];
} rig;

static rig *rig_of(fer_oauth_waiter *w)
{
    return (rig *)(void *)((char *)w - offsetof(rig, waiter));
}

static void on_done(fer_oauth_waiter *w, fer_code code, const char *why)
{
    rig *r = rig_of(w);
    assert_false(r->done);
    r->done = true;
    r->code = code;
    snprintf(r->why, sizeof r->why, "%s", why ? why : "");
}

static void on_visit(void *context, fer_str url)
{
    rig *r = context;
    snprintf(r->visited, sizeof r->visited, "%.*s", FER_PRI(url));
}

static void open_rig(rig *r)
{
    *r = (rig){.folder = "/tmp/ferrule-flights-XXXXXX"};
    assert_non_null(mkdtemp(r->folder));
    assert_int_equal(uv_loop_init(&r->loop), 0);
    r->rules = fer_net_rules_new();
    assert_int_equal(fer_net_rules_allow(r->rules, FER_STR("127.0.0.1"), NULL), FER_OK);
    r->http = fer_http_new(&r->loop, &(fer_http_options){.rules = r->rules});
    r->vault = fer_vault_new(r->folder);
    assert_true(r->http && r->vault);
    r->waiter.done = on_done;
    issuer_play(server, world);
}

static void close_rig(rig *r)
{
    char command[96];
    fer_oauth_unref(r->oauth);
    fer_http_close(r->http);
    while (uv_run(&r->loop, UV_RUN_NOWAIT)) {
    }
    assert_int_equal(uv_loop_close(&r->loop), 0);
    fer_net_rules_free(r->rules);
    fer_vault_free(r->vault);
    snprintf(command, sizeof command, "rm -r %s", r->folder);
    assert_int_equal(system(command), 0);
}

static void on_tick(uv_timer_t *t)
{
    (void)t;
}

/* The user comes back, as soon as he was asked. */
static void come_back(rig *r)
{
    char query[256], *state = strstr(r->visited, "&state=");
    if (!state) return;
    snprintf(query, sizeof query, "code=c1&state=%.43s&iss=%s", state + 7, issuer);
    r->visited[0] = '\0';
    assert_true(fer_oauth_redirected(r->oauth, fer_str_of(query)));
}

/* Turns the loop until the flight is over, or for so long. */
static void turn(rig *r, uint64_t ms)
{
    uint64_t end = uv_hrtime() / 1000000 + ms;
    uv_timer_t tick;
    uv_timer_init(&r->loop, &tick);
    uv_timer_start(&tick, on_tick, 5, 5);
    while (!r->done && uv_hrtime() / 1000000 < end) {
        uv_run(&r->loop, UV_RUN_ONCE);
        come_back(r);
    }
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&r->loop, UV_RUN_NOWAIT);
}

static void finish(rig *r)
{
    turn(r, SECONDS * 1000);
    if (!r->done) fail_msg("nobody hears how the flight ended");
}

/* A record as a login has left it: with `left` milliseconds until its token ends. */
static void keep_record(rig *r, int64_t left, int64_t life)
{
    fer_arena *a = fer_arena_new(0);
    char token_url[96];
    snprintf(token_url, sizeof token_url, "%s/token", issuer);
    fer_oauth_record one = {.resource = fer_str_of(resource),
                            .issuer = fer_str_of(issuer),
                            .token_url = fer_str_of(token_url),
                            .client_id = FER_STR("registered"),
                            .secret = FER_STR("hush"),
                            .auth = FER_CLIENT_BASIC,
                            .access = FER_STR("kept"),
                            .refresh = FER_STR("once"),
                            .scope = FER_STR("notes"),
                            .expires_ms = fer_clock_wall() + left,
                            .life_ms = life};
    fer_str text = fer_oauth_record_write(a, &one);
    assert_int_equal(fer_vault_put(r->vault, "token", fer_str_of(resource), text, NULL), FER_OK);
    fer_arena_free(a);
}

/* ---- flights without memory -------------------------------------------------------------------
 */

enum verb {
    REFUSED, /* the server has refused a request */
    LOGIN,
    WAIT,
    REVOKE,
    LOOK,   /* what is in the vault is read */
    NO_MORE /* it is taken away */
};

static const struct row {
    const char *name;
    enum verb verb;
    bool machine, key, told, user, vault, record;
    unsigned status;    /* of the refusal */
    const char *wants;  /* how its challenge begins; NULL: as that of the server */
    const char *bearer; /* what there is in the end */
    const char *form;   /* a part of the last request's */
} rows[] = {
    {"a machine", REFUSED, .machine = true, .status = 401, .bearer = "Bearer fresh",
     .form = "grant_type=client_credentials&scope=notes&resource="},
    {"a machine with a key", REFUSED, .machine = true, .key = true, .status = 401,
     .bearer = "Bearer fresh", .form = "client_assertion="},
    {"a machine that is told where", REFUSED, .machine = true, .told = true, .status = 401,
     .bearer = "Bearer fresh", .form = "grant_type=client_credentials"},
    {"a user logs in", LOGIN, .user = true, .vault = true, .bearer = "Bearer fresh",
     .form = "&code=c1&"},
    {"a user, known from before", LOGIN, .user = true, .vault = true, .record = true,
     .bearer = "Bearer fresh", .form = "&code=c1&"},
    {"a refused token is refreshed", REFUSED, .vault = true, .record = true, .status = 401,
     .bearer = "Bearer fresh", .form = "refresh_token=once"},
    {"a token that ends soon", WAIT, .vault = true, .record = true, .bearer = "Bearer fresh",
     .form = "refresh_token=once"},
    {"more scopes", REFUSED, .user = true, .vault = true, .record = true, .status = 403,
     .wants = "Bearer error=\"insufficient_scope\", scope=\"write\"", .bearer = "Bearer fresh",
     .form = "&code=c1&"},
    {"tokens are given back", REVOKE, .vault = true, .record = true, .bearer = "Bearer kept",
     .form = "token=kept&token_type_hint=access_token"},
    {"what is kept", LOOK, .vault = true, .record = true, .bearer = "Bearer kept"},
    {"what is kept no more", NO_MORE, .vault = true, .record = true, .bearer = ""},
};

static fer_code make_client(rig *r, const struct row *row, fer_err *err)
{
    char token_url[96];
    snprintf(token_url, sizeof token_url, "%s/token", issuer);
    fer_oauth_options o = {.http = r->http,
                           .resource = fer_str_of(resource),
                           .login = FER_STR("ferrule auth login notes"),
                           .machine = row->machine,
                           .vault = row->vault ? r->vault : NULL,
                           .visit = row->user ? on_visit : NULL,
                           .redirect_uri = FER_STR("http://127.0.0.1:1/back"),
                           .context = r};
    if (row->machine) o.client_id = FER_STR("robot");
    if (row->machine && !row->key) o.secret = FER_STR("hush");
    if (row->key) o.private_key = fer_str_of(pem);
    if (row->told) o.token_url = fer_str_of(token_url);
    return fer_oauth_new(&o, &r->oauth, err);
}

static fer_code begin(rig *r, const struct row *row, fer_err *err)
{
    fer_oauth_info info;
    char wants[256];
    snprintf(wants, sizeof wants, "%s, resource_metadata=\"http://127.0.0.1:%u/meta\"",
             row->wants ? row->wants : "Bearer scope=\"notes\"", issuer_port(server));
    if (row->verb == NO_MORE) {
        fer_oauth_describe(r->oauth, &info);
        return FER_OK;
    }
    fer_code code = make_client(r, row, err);
    if (code || row->verb == LOOK) return code;
    switch (row->verb) {
    case LOGIN: fer_oauth_log_in(r->oauth, &r->waiter); break;
    case WAIT: fer_oauth_wait(r->oauth, &r->waiter); break;
    case REVOKE: fer_oauth_revoke(r->oauth, &r->waiter); break;
    default:
        fer_oauth_renew(r->oauth, fer_oauth_mark(r->oauth), row->status, fer_str_of(wants),
                        &r->waiter);
    }
    finish(r);
    if (r->code) fer_fail(err, r->code, "%s", r->why);
    return r->code;
}

/* With memory again: what there is, a second after the last look. A token that is good for a while
 * is shown on where it could not be refreshed. */
static void check(rig *r, const struct row *row, bool met)
{
    char form[4096];
    fer_oauth_info info;
    if (row->verb == WAIT && met && fer_str_is(fer_oauth_bearer(r->oauth), "Bearer kept")) return;
    assert_true(fer_faults_begin("clock:+2s@1+"));
    fer_oauth_describe(r->oauth, &info);
    fer_faults_begin(NULL);
    if (row->verb != REVOKE) assert_str(fer_oauth_bearer(r->oauth), row->bearer);
    issuer_last(server, form, sizeof form);
    if (row->form && !strstr(form, row->form)) fail_msg("%s is not in %s", row->form, form);
    if (row->verb == REVOKE) assert_false(info.has_token); /* it was taken out of the vault */
}

/* Whether a fault was met. */
static bool attempt(const struct row *row, const char *plan)
{
    rig r;
    fer_err err = {0};
    open_rig(&r);
    if (row->record) keep_record(&r, row->verb == WAIT ? 30000 : 3600000, 3600000);
    if (row->verb == NO_MORE) {
        assert_int_equal(make_client(&r, row, &err), FER_OK);
        assert_true(fer_oauth_bearer(r.oauth).len > 0);
        assert_int_equal(fer_vault_remove(r.vault, "token", fer_str_of(resource), NULL), FER_OK);
    }
    assert_true(fer_faults_begin(plan));
    fer_code code = begin(&r, row, &err);
    bool met = fer_faults_injected() > 0;
    fer_faults_begin(NULL);
    bool injected = met && (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED);
    if (code && !injected) fail_msg("%s: %s: %s", plan, fer_code_info(code)->name, err.message);
    if (!code) check(&r, row, met);
    close_rig(&r);
    return met;
}

static void run(const struct row *row)
{
    int64_t before = fer_faults_live();
    size_t n = 1;
    for (;; n += getenv("FERRULE_INSTRUMENTED") ? 1 + n / 8 : 1) {
        char plan[32];
        snprintf(plan, sizeof plan, "malloc@%zu", n);
        bool met = attempt(row, plan);
        if (fer_faults_live() != before)
            fail_msg("%s: %lld allocations are still held", plan,
                     (long long)(fer_faults_live() - before));
        if (!met) break;
    }
    assert_true(n > 2);
}

/* ---- edges ------------------------------------------------------------------------------------
 */

static const struct row machine = {"a machine", REFUSED, .machine = true, .status = 401},
                        kept = {"kept", WAIT, .vault = true, .record = true};

static void refused_again(rig *r)
{
    r->done = false;
    fer_oauth_renew(r->oauth, fer_oauth_mark(r->oauth), 401, fer_str_of(challenge), &r->waiter);
    finish(r);
}

/* oauth.answer */
static void size_of_an_answer(void)
{
    static char body[FER_OAUTH_DOC + 2];
    for (size_t more = 0; more < 2; more++) {
        issuer_answer answers[FER_COUNT(world)];
        rig r;
        open_rig(&r);
        memcpy(answers, world, sizeof answers);
        memset(body, ' ', sizeof body);
        memcpy(body, TOKEN, sizeof TOKEN - 1);
        body[FER_OAUTH_DOC + more] = '\0';
        answers[4].body = body;
        issuer_play(server, answers);
        assert_int_equal(make_client(&r, &machine, NULL), FER_OK);
        refused_again(&r);
        assert_int_equal(r.code, more ? FER_LIMIT_EXCEEDED : FER_OK);
        close_rig(&r);
    }
}

/* oauth.ask: of a server that takes the request and says nothing. */
static void time_of_a_request(void)
{
    issuer_answer answers[FER_COUNT(world)];
    rig r;
    open_rig(&r);
    memcpy(answers, world, sizeof answers);
    answers[4].status = 0;
    issuer_play(server, answers);
    assert_int_equal(make_client(&r, &machine, NULL), FER_OK);
    assert_int_equal(r.oauth->options.ask_ms, FER_OAUTH_ASK_MS);
    r.oauth->options.ask_ms = 400;
    int64_t began = fer_clock_mono();
    refused_again(&r);
    int64_t took = (fer_clock_mono() - began) / MS;
    assert_int_equal(r.code, FER_TIMEOUT);
    assert_true(took >= 400);
    issuer_play(server, world);
    close_rig(&r);
}

/* oauth.pause */
static void pause_after_a_failure(void)
{
    issuer_answer answers[FER_COUNT(world)];
    rig r;
    open_rig(&r);
    memcpy(answers, world, sizeof answers);
    answers[4].status = 503;
    issuer_play(server, answers);
    assert_int_equal(make_client(&r, &machine, NULL), FER_OK);
    refused_again(&r);
    fer_code code = r.code;
    unsigned asked = issuer_asked(server);
    assert_true(code != FER_OK);
    issuer_play(server, world);
    const char *const plans[] = {NULL, "clock:+29s@1+", "clock:+31s@1+"};
    for (size_t i = 0; i < FER_COUNT(plans); i++) {
        bool again = i == 2;
        assert_true(fer_faults_begin(plans[i]));
        refused_again(&r);
        assert_int_equal(r.code, again ? FER_OK : code);
        assert_int_equal(issuer_asked(server) > asked, again);
    }
    fer_faults_begin(NULL);
    close_rig(&r);
}

/* oauth.turn: another process has the turn, and keeps it. */
static void time_of_a_turn(void)
{
    rig r;
    int turn_of_another = -1;
    open_rig(&r);
    keep_record(&r, 50000, 3600000);
    fer_vault *other = fer_vault_new(r.folder);
    assert_int_equal(
        fer_vault_try_turn(other, "token", fer_str_of(resource), &turn_of_another, NULL), FER_OK);
    assert_true(turn_of_another >= 0);
    assert_int_equal(make_client(&r, &kept, NULL), FER_OK);
    fer_oauth_wait(r.oauth, &r.waiter);
    assert_true(fer_faults_begin("clock:+29s@1+"));
    turn(&r, 200);
    assert_false(r.done);
    assert_true(fer_faults_begin("clock:+31s@1+"));
    finish(&r);
    fer_faults_begin(NULL);
    /* The token is good for a while still: the call is made with it. */
    assert_int_equal(r.code, FER_OK);
    assert_non_null(strstr(r.oauth->why, "oauth.turn"));
    assert_int_equal(r.oauth->failed, FER_BACKEND_UNAVAILABLE);
    fer_file_unlock(turn_of_another);
    fer_vault_free(other);
    close_rig(&r);
}

/* oauth.early, in milliseconds that are left of a life. */
static const struct early_row {
    const char *name;
    int64_t left, life;
    bool waits;
} early_rows[] = {
    {"a minute and more", FER_OAUTH_EARLY_MS + 1000, 3600000, false},
    {"a minute", FER_OAUTH_EARLY_MS, 3600000, true},
    {"a short life: more than a tenth", 11000, 100000, false},
    {"a short life: a tenth", 10000, 100000, true},
    {"the shortest with a minute", FER_OAUTH_EARLY_MS, 600000, true},
    {"no time is said", 59000, 0, true},
};

static void run_early(const struct early_row *row)
{
    rig r;
    open_rig(&r);
    keep_record(&r, row->left, row->life);
    assert_int_equal(make_client(&r, &kept, NULL), FER_OK);
    assert_int_equal(fer_oauth_must_wait(r.oauth), row->waits);
    close_rig(&r);
}

/* ---- all --------------------------------------------------------------------------------------
 */

static void make_key(void)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    BIO *b = BIO_new(BIO_s_mem());
    assert_true(key && b && PEM_write_bio_PrivateKey(b, key, NULL, NULL, 0, NULL, NULL));
    int len = BIO_read(b, pem, sizeof pem - 1);
    assert_true(len > 0);
    pem[len] = '\0';
    BIO_free(b);
    EVP_PKEY_free(key);
}

int main(void)
{
    server = issuer_start();
    snprintf(resource, sizeof resource, "http://127.0.0.1:%u/mcp", issuer_port(server));
    snprintf(issuer, sizeof issuer, "http://127.0.0.1:%u/as", issuer_port(server));
    snprintf(challenge, sizeof challenge,
             "Bearer scope=\"notes\", resource_metadata=\"http://127.0.0.1:%u/meta\"",
             issuer_port(server));
    make_key();
    int failed =
        ROWS_RUN("oauth.flights", rows, run) + ROWS_RUN("oauth.early", early_rows, run_early) +
        ROWS_ONE("oauth.edges", size_of_an_answer) + ROWS_ONE("oauth.edges", time_of_a_request) +
        ROWS_ONE("oauth.edges", pause_after_a_failure) + ROWS_ONE("oauth.edges", time_of_a_turn);
    issuer_stop(server);
    return failed;
}
