/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on a loop: cancelling, pausing, connections, redirects, names; what rules do meanwhile. */
#include "http_client.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "faulty_server.h"
#include "rows.h"
#include "sse.h"

#define SAY(...)                                                                                   \
    {                                                                                              \
        FAULTY_SAY, __VA_ARGS__                                                                    \
    }
#define WAIT(ms)                                                                                   \
    {                                                                                              \
        FAULTY_WAIT, NULL, (ms)                                                                    \
    }
#define HI        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
#define MS        INT64_C(1000000)
#define X64       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X1K       X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64 X64
#define CANCEL_MS 50
#define TRIES     5

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * The resolver of this program: names in .test have these addresses, in this order, at the first
 * question and at later ones. It stands before that of the C library.
 */
static const struct {
    const char *name, *first[2], *later[2];
    unsigned stall_ms;
} names[] = {
    {"one.test", {"127.0.0.1"}, {"127.0.0.1"}, 0},
    {"inward.test", {"127.0.0.2"}, {"127.0.0.2"}, 0},
    {"mixed.test", {"127.0.0.2", "127.0.0.1"}, {"127.0.0.2", "127.0.0.1"}, 0},
    {"turns.test", {"127.0.0.1"}, {"127.0.0.2"}, 0},
    {"stall.test", {"127.0.0.1"}, {"127.0.0.1"}, 1500},
    {"nobody.test", {NULL}, {NULL}, 0},
};
static _Atomic unsigned turns_asked;

typedef int resolver(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int chain(resolver *real, const char *const *list, const char *service,
                 const struct addrinfo *hints, struct addrinfo **out)
{
    struct addrinfo *found[2] = {NULL, NULL};
    for (size_t i = 0; i < 2 && list[i]; i++) {
        int code = real(list[i], service, hints, &found[i]);
        if (code) return code;
    }
    if (!found[0]) return EAI_NONAME;
    struct addrinfo *last = found[0];
    while (last->ai_next) last = last->ai_next;
    last->ai_next = found[1];
    *out = found[0];
    return 0;
}

__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    resolver *real = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    for (size_t i = 0; node && i < FER_COUNT(names); i++) {
        if (strcmp(names[i].name, node) != 0) continue;
        usleep(names[i].stall_ms * 1000);
        bool later = strcmp(node, "turns.test") == 0 && turns_asked++ > 0;
        return chain(real, later ? names[i].later : names[i].first, service, hints, out);
    }
    return real(node, service, hints, out);
}

/* ---- a scene: server, loop, client ---------------------------------------------------------- */

typedef struct scene {
    int64_t live_before;
    faulty_server *server;
    uv_loop_t loop;
    fer_net_rules *rules;
    fer_http *client;
    unsigned ended;
} scene;

/* What became of one call. */
typedef struct trace {
    scene *scene;
    fer_http_call *call;
    unsigned status, heads, ends, pause_after, cancel_after;
    size_t body;
    fer_http_fault fault;
    fer_err err;
    bool sent;
    int64_t ended_ns;
    char seen[256];
} trace;

static void open_scene(scene *s, const struct faulty_step (*scripts)[FAULTY_STEPS], size_t count)
{
    char what[64];
    fer_err err;
    *s = (scene){.live_before = fer_faults_live(), .server = faulty_start(scripts, count)};
    s->rules = fer_net_rules_new();
    snprintf(what, sizeof what, "127.0.0.1:%u", faulty_port(s->server));
    assert_int_equal(fer_net_rules_allow(s->rules, fer_str_of(what), &err), FER_OK);
    assert_int_equal(uv_loop_init(&s->loop), 0);
    s->client = fer_http_new(&s->loop, &(fer_http_options){.rules = s->rules});
    assert_non_null(s->client);
}

static void close_scene(scene *s)
{
    fer_http_close(s->client);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&s->loop), 0);
    fer_net_rules_free(s->rules);
    faulty_stop(s->server);
    assert_int_equal(fer_faults_live(), s->live_before);
}

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    trace *t = context;
    assert_ptr_equal(t->call, call);
    t->status = head->status;
    t->heads++;
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    trace *t = context;
    for (size_t i = 0; i < piece.len && t->body + i + 1 < sizeof t->seen; i++)
        t->seen[t->body + i] = piece.ptr[i];
    t->body += piece.len;
    if (t->pause_after && t->body >= t->pause_after) fer_http_pause(call);
    if (t->cancel_after && t->body >= t->cancel_after) fer_http_cancel(call);
}

static void on_end(void *context, const fer_http_end *end)
{
    trace *t = context;
    t->ends++;
    t->fault = end->fault;
    t->err = *end->err;
    t->sent = end->sent;
    t->ended_ns = fer_clock_mono();
    t->call = NULL;
    t->scene->ended++;
}

/* "/" stands for the server by its address, "name.test" for it by that name. */
static fer_code start(scene *s, trace *t, const char *where, fer_http_request r)
{
    char url[256];
    fer_err err;
    const fer_http_events events = {on_head, on_body, on_end, t};
    if (where[0] == '/')
        snprintf(url, sizeof url, "http://127.0.0.1:%u%s", faulty_port(s->server), where);
    else snprintf(url, sizeof url, "http://%s:%u/", where, faulty_port(s->server));
    t->scene = s;
    r.url = fer_str_of(url);
    return fer_http_start(s->client, &r, &events, &t->call, &err);
}

static void run_until_ended(scene *s, unsigned count)
{
    while (s->ended < count) uv_run(&s->loop, UV_RUN_ONCE);
}

static void stop_waiting(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void run_for(scene *s, unsigned ms)
{
    uv_timer_t timer;
    bool over = false;
    uv_timer_init(&s->loop, &timer);
    timer.data = &over;
    uv_update_time(&s->loop);
    uv_timer_start(&timer, stop_waiting, ms, 0);
    while (!over) uv_run(&s->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&s->loop, UV_RUN_NOWAIT);
}

static void trace_ask(scene *s, trace *t, const char *where, fer_http_request r)
{
    unsigned before = s->ended;
    assert_int_equal(start(s, t, where, r), FER_OK);
    run_until_ended(s, before + 1);
}

/* ---- connections ---------------------------------------------------------------------------- */

static const struct faulty_step says_hi[][FAULTY_STEPS] = {{SAY(HI)}};

static void connections_are_used_again(void)
{
    scene s;
    open_scene(&s, says_hi, 1);
    for (unsigned i = 0; i < 20; i++) {
        trace t = {0};
        trace_ask(&s, &t, "/", (fer_http_request){0});
        assert_int_equal(t.status, 200);
        assert_string_equal(t.seen, "hi");
        assert_true(t.heads == 1 && t.ends == 1 && t.sent && !t.fault);
    }
    assert_int_equal(faulty_requests(s.server), 20);
    assert_int_equal(faulty_connections(s.server), 1);
    assert_int_equal(fer_http_connections(s.client), 1);
    close_scene(&s);
}

static void many_at_once(void)
{
    static trace t[200];
    scene s;
    memset(t, 0, sizeof t);
    open_scene(&s, says_hi, 1);
    for (size_t i = 0; i < FER_COUNT(t); i++)
        assert_int_equal(start(&s, &t[i], "/", (fer_http_request){0}), FER_OK);
    assert_int_equal(fer_http_live(s.client), FER_COUNT(t));
    run_until_ended(&s, FER_COUNT(t));
    for (size_t i = 0; i < FER_COUNT(t); i++) assert_true(t[i].status == 200 && !t[i].fault);
    assert_true(faulty_connections(s.server) <= FER_HTTP_HOST_CONNS);
    close_scene(&s);
}

static void as_many_calls_as_may_be(void)
{
    static trace t[FER_HTTP_CALLS_MAX + 1];
    scene s;
    memset(t, 0, sizeof t);
    open_scene(&s, says_hi, 1);
    for (size_t i = 0; i < FER_HTTP_CALLS_MAX; i++)
        assert_int_equal(start(&s, &t[i], "/", (fer_http_request){0}), FER_OK);
    assert_int_equal(start(&s, &t[FER_HTTP_CALLS_MAX], "/", (fer_http_request){0}),
                     FER_LIMIT_EXCEEDED);
    fer_http_close(s.client);
    assert_int_equal(s.ended, FER_HTTP_CALLS_MAX);
    assert_int_equal(t[0].fault, FER_HTTP_CANCELLED);
    s.client = NULL;
    close_scene(&s);
}

/* The second request meets a connection that ends: nobody knows whether it was done. */
static const struct faulty_step ends_later[][FAULTY_STEPS] = {
    {SAY(HI)}, {WAIT(30), {FAULTY_RESET}}, {SAY(HI)}};

static void what_may_have_been_done_is_not_sent_again(void)
{
    scene s;
    trace one = {0}, two = {0};
    open_scene(&s, ends_later, 3);
    trace_ask(&s, &one, "/", (fer_http_request){0});
    trace_ask(&s, &two, "/", (fer_http_request){.body = FER_STR("pay")});
    assert_int_equal(two.fault, FER_HTTP_LOST);
    assert_int_equal(two.err.code, FER_CONNECTION_LOST);
    assert_true(two.sent);
    assert_int_equal(faulty_requests(s.server), 2);
    close_scene(&s);
}

static void what_is_safe_is_sent_again(void)
{
    static const struct faulty_step closes_later[][FAULTY_STEPS] = {
        {SAY(HI)}, {WAIT(30), {FAULTY_CLOSE}}, {SAY(HI)}};
    scene s;
    trace one = {0}, two = {0};
    open_scene(&s, closes_later, 3);
    trace_ask(&s, &one, "/", (fer_http_request){0});
    trace_ask(&s, &two, "/", (fer_http_request){0});
    assert_int_equal(two.status, 200);
    assert_int_equal(faulty_requests(s.server), 3);
    close_scene(&s);
}

/* ---- cancelling ----------------------------------------------------------------------------- */

static const struct faulty_step silent[][FAULTY_STEPS] = {{WAIT(5000)}};
static const struct faulty_step flood[][FAULTY_STEPS] = {
    {SAY("HTTP/1.1 200 OK\r\n\r\n"), {FAULTY_FLOOD, X1K}}};

/* How long the end comes after the word. */
static int64_t cancel_takes(const struct faulty_step (*script)[FAULTY_STEPS], const char *where)
{
    scene s;
    trace t = {0};
    open_scene(&s, script, 1);
    fer_err err;
    assert_int_equal(fer_net_rules_allow(s.rules, FER_STR("stall.test"), &err), FER_OK);
    assert_int_equal(start(&s, &t, where, (fer_http_request){.body_max = SIZE_MAX}), FER_OK);
    run_for(&s, 60);
    int64_t from = fer_clock_mono();
    fer_http_cancel(t.call);
    fer_http_cancel(t.call);
    assert_int_equal(t.ends, 0);
    run_until_ended(&s, 1);
    assert_int_equal(t.fault, FER_HTTP_CANCELLED);
    assert_int_equal(t.err.code, FER_CANCELLED);
    int64_t took = (t.ended_ns - from) / MS;
    from = fer_clock_mono();
    close_scene(&s);
    int64_t closing = (fer_clock_mono() - from) / MS;
    return took > closing ? took : closing;
}

static const struct cancel_row {
    const char *name, *where;
    const struct faulty_step (*script)[FAULTY_STEPS];
} cancel_rows[] = {{"waiting for a head", "/", silent},
                   {"in a body without an end", "/", flood},
                   {"while a name is looked up", "stall.test", says_hi}};

static void cancelling_is_quick(const struct cancel_row *row)
{
    int64_t took = INT64_MAX;
    for (int i = 0; i < TRIES && took > CANCEL_MS; i++)
        took = cancel_takes(row->script, row->where);
    assert_true(took <= CANCEL_MS);
}

static void cancelling_before_anything(void)
{
    scene s;
    trace t = {0};
    open_scene(&s, says_hi, 1);
    assert_int_equal(start(&s, &t, "/", (fer_http_request){0}), FER_OK);
    fer_http_cancel(t.call);
    run_until_ended(&s, 1);
    assert_true(t.fault == FER_HTTP_CANCELLED && !t.sent && !t.heads);
    assert_int_equal(faulty_connections(s.server), 0);
    close_scene(&s);
}

static void cancelling_from_inside(void)
{
    scene s;
    trace t = {.cancel_after = 5000};
    open_scene(&s, flood, 1);
    trace_ask(&s, &t, "/", (fer_http_request){.body_max = SIZE_MAX});
    assert_int_equal(t.fault, FER_HTTP_CANCELLED);
    assert_true(t.sent && t.body >= 5000 && t.body < 5000 + 65536);
    close_scene(&s);
}

static void a_stalled_name_keeps_no_deadline(void)
{
    scene s;
    trace t = {0};
    fer_err err;
    open_scene(&s, says_hi, 1);
    assert_int_equal(fer_net_rules_allow(s.rules, FER_STR("stall.test"), &err), FER_OK);
    int64_t from = fer_clock_mono();
    trace_ask(&s, &t, "stall.test", (fer_http_request){.deadline_ns = from + 200 * MS});
    assert_true(t.fault == FER_HTTP_LATE && !t.sent);
    close_scene(&s);
    assert_true(fer_clock_mono() - from < 1200 * MS);
}

/* ---- pausing -------------------------------------------------------------------------------- */

/* What the server gets rid of while nobody reads is what the sockets hold, and no more. */
static void a_slow_reader_slows_the_server(void)
{
    scene s;
    trace t = {.pause_after = 100000};
    open_scene(&s, flood, 1);
    assert_int_equal(start(&s, &t, "/", (fer_http_request){.body_max = SIZE_MAX, .idle_ms = 150}),
                     FER_OK);
    run_for(&s, 400);
    size_t body = t.body, sent = faulty_flooded(s.server);
    run_for(&s, 200);
    assert_int_equal(t.body, body);
    assert_int_equal(faulty_flooded(s.server), sent);
    assert_int_equal(t.ends, 0);
    t.pause_after = 0;
    fer_http_resume(t.call);
    run_for(&s, 100);
    assert_true(t.body > body && faulty_flooded(s.server) > sent);
    fer_http_cancel(t.call);
    run_until_ended(&s, 1);
    close_scene(&s);
}

static void a_pause_does_not_stop_the_deadline(void)
{
    scene s;
    trace t = {.pause_after = 1};
    open_scene(&s, flood, 1);
    trace_ask(&s, &t, "/",
              (fer_http_request){.body_max = SIZE_MAX, .deadline_ns = fer_clock_mono() + 150 * MS});
    assert_int_equal(t.fault, FER_HTTP_LATE);
    close_scene(&s);
}

static void pausing_loses_nothing(void)
{
    static const struct faulty_step large[][FAULTY_STEPS] = {
        {SAY("HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n"), SAY(X1K, 1024)}};
    scene s;
    trace t = {.pause_after = 1};
    open_scene(&s, large, 1);
    assert_int_equal(start(&s, &t, "/", (fer_http_request){0}), FER_OK);
    while (!t.ends) {
        if (t.call) fer_http_resume(t.call);
        uv_run(&s.loop, UV_RUN_ONCE);
    }
    assert_true(!t.fault && t.body == 1048576);
    close_scene(&s);
}

/* ---- streams of events ---------------------------------------------------------------------- */

static fer_code count_event(void *context, const fer_sse_event *e, fer_err *err)
{
    (void)err;
    assert_str(e->data, "tick");
    return ++*(unsigned *)context == 1000 ? FER_CANCELLED : FER_OK;
}

typedef struct listening {
    trace trace;
    fer_sse sse;
} listening;

static void on_events(void *context, fer_http_call *call, fer_str piece)
{
    listening *l = context;
    fer_err err;
    if (fer_sse_feed(&l->sse, piece, &err)) fer_http_cancel(call);
}

static void an_endless_stream_of_events(void)
{
    static const struct faulty_step ticks[][FAULTY_STEPS] = {
        {SAY("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
         {FAULTY_FLOOD, ": ping\n\nid: 7\ndata: tick\n\n"}}};
    scene s;
    listening l = {0};
    unsigned count = 0;
    char url[64];
    fer_err err;
    open_scene(&s, ticks, 1);
    l.trace.scene = &s;
    fer_sse_init(&l.sse, 0, count_event, &count);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", faulty_port(s.server));
    const fer_http_events events = {NULL, on_events, on_end, &l};
    fer_http_request r = {.url = fer_str_of(url), .body_max = SIZE_MAX};
    assert_int_equal(fer_http_start(s.client, &r, &events, NULL, &err), FER_OK);
    run_until_ended(&s, 1);
    assert_int_equal(count, 1000);
    assert_str(fer_sse_last_id(&l.sse), "7");
    fer_sse_deinit(&l.sse);
    close_scene(&s);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static const struct name_row {
    const char *name, *host, *allow;
    fer_http_fault fault;
} name_rows[] = {
    {"N15 a name that means an address inside", "inward.test", NULL, FER_HTTP_REFUSED},
    {"a name by its address", "one.test", NULL, FER_HTTP_FINE},
    {"of two addresses the one that may be", "mixed.test", NULL, FER_HTTP_FINE},
    {"no address", "nobody.test", "nobody.test", FER_HTTP_UNRESOLVED},
};

static void run_name(const struct name_row *row)
{
    scene s;
    trace t = {0};
    fer_err err;
    open_scene(&s, says_hi, 1);
    if (row->allow)
        assert_int_equal(fer_net_rules_allow(s.rules, fer_str_of(row->allow), &err), FER_OK);
    trace_ask(&s, &t, row->host, (fer_http_request){0});
    assert_string_equal(fer_http_fault_rows[t.fault].name, fer_http_fault_rows[row->fault].name);
    assert_int_equal(t.err.code, fer_http_fault_rows[row->fault].code);
    assert_int_equal(t.sent, !row->fault);
    close_scene(&s);
}

/* N15: each client asks for the name anew; the second answer leads inside. */
static void a_name_that_changes_its_mind(void)
{
    turns_asked = 0;
    for (int i = 0; i < 2; i++) {
        scene s;
        trace t = {0};
        open_scene(&s, says_hi, 1);
        trace_ask(&s, &t, "turns.test", (fer_http_request){0});
        assert_int_equal(t.fault, i ? FER_HTTP_REFUSED : FER_HTTP_FINE);
        assert_int_equal(faulty_requests(s.server), i ? 0 : 1);
        close_scene(&s);
    }
}

static void nobody_listens(void)
{
    scene s;
    trace t = {0};
    fer_err err;
    open_scene(&s, says_hi, 1);
    assert_int_equal(fer_net_rules_allow(s.rules, FER_STR("127.0.0.3"), &err), FER_OK);
    const fer_http_events events = {NULL, NULL, on_end, &t};
    fer_http_request r = {.url = FER_STR("http://127.0.0.3:1/")};
    t.scene = &s;
    assert_int_equal(fer_http_start(s.client, &r, &events, NULL, &err), FER_OK);
    run_until_ended(&s, 1);
    assert_true(t.fault == FER_HTTP_UNCONNECTED && !t.sent);
    assert_int_equal(t.err.code, FER_BACKEND_UNAVAILABLE);
    close_scene(&s);
}

static void no_tls_there(void)
{
    static const struct faulty_step plain[][FAULTY_STEPS] = {{SAY(HI), {FAULTY_CLOSE}}};
    scene s;
    trace t = {0};
    fer_err err;
    char url[64];
    open_scene(&s, plain, 1);
    snprintf(url, sizeof url, "https://127.0.0.1:%u/", faulty_port(s.server));
    const fer_http_events events = {NULL, NULL, on_end, &t};
    fer_http_request r = {.url = fer_str_of(url)};
    t.scene = &s;
    assert_int_equal(fer_http_start(s.client, &r, &events, NULL, &err), FER_OK);
    /* The server reads the greeting as a request that does not end; it is made to close. */
    run_for(&s, 50);
    faulty_stop(s.server);
    run_until_ended(&s, 1);
    assert_int_equal(t.fault, FER_HTTP_UNTRUSTED);
    assert_false(t.sent);
    s.server = faulty_start(plain, 1);
    close_scene(&s);
}

/* N19: a proxy that the environment names is nobody. */
static void proxies_of_the_environment_are_ignored(void)
{
    scene s;
    trace t = {0};
    char proxy[64];
    static const struct faulty_step proxied[][FAULTY_STEPS] = {
        {SAY("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")}};
    faulty_server *other = faulty_start(proxied, 1);
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", faulty_port(other));
    setenv("http_proxy", proxy, 1);
    setenv("ALL_PROXY", proxy, 1);
    open_scene(&s, says_hi, 1);
    trace_ask(&s, &t, "/", (fer_http_request){0});
    assert_string_equal(t.seen, "hi");
    assert_int_equal(faulty_connections(other), 0);
    close_scene(&s);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    faulty_stop(other);
}

/* ---- redirects ------------------------------------------------------------------------------ */

static const struct redirect_row {
    const char *name;
    const char *status, *location; /* NULL: none */
    const char *method;
    unsigned hops;
    fer_http_fault fault;
    unsigned final, requests;
    const char *told; /* in the last request */
} redirect_rows[] = {
    {"off", "302", "/b", "GET", 0, FER_HTTP_FINE, 302, 1, "GET /a "},
    {"301", "301", "/b", "GET", 1, FER_HTTP_FINE, 200, 2, "GET /b "},
    {"302", "302", "/b", "GET", 1, FER_HTTP_FINE, 200, 2, "X-Key: hunter2"},
    {"303", "303", "/b", "GET", 1, FER_HTTP_FINE, 200, 2, "GET /b "},
    {"307", "307", "b?c=d", "GET", 1, FER_HTTP_FINE, 200, 2, "GET /b?c=d "},
    {"308", "308", "../b", "GET", 1, FER_HTTP_FINE, 200, 2, "GET /b "},
    {"HEAD", "308", "/b", "HEAD", 1, FER_HTTP_FINE, 200, 2, "HEAD /b "},
    {"a request with a body stays", "307", "/b", "POST", 1, FER_HTTP_FINE, 307, 1, "POST /a "},
    {"304 leads nowhere", "304", "/b", "GET", 1, FER_HTTP_FINE, 304, 1, "GET /a "},
    {"no location", "302", NULL, "GET", 1, FER_HTTP_FINE, 302, 1, "GET /a "},
    {"N11 to a private address", "302", "http://10.0.0.1/", "GET", 1, FER_HTTP_REFUSED, 0, 1,
     "/a "},
    {"N12 to metadata", "307", "http://169.254.169.254/latest/", "GET", 1, FER_HTTP_REFUSED, 0, 1,
     "/a "},
    {"N13 to another scheme", "302", "file:///etc/passwd", "GET", 1, FER_HTTP_REFUSED, 0, 1, "/a "},
    {"N13 to another spelling", "302", "http://2130706433/", "GET", 1, FER_HTTP_REFUSED, 0, 1,
     "/a "},
    {"N13 to a user", "302", "http://a:b@127.0.0.1/", "GET", 1, FER_HTTP_REFUSED, 0, 1, "/a "},
    {"N14 to a name that leads inside", "302", "http://inward.test/", "GET", 1, FER_HTTP_REFUSED, 0,
     1, "/a "},
};

static void run_redirect(const struct redirect_row *row)
{
    scene s;
    trace t = {0};
    char head[256];
    const fer_http_field key = {FER_STR("X-Key"), FER_STR("hunter2")};
    snprintf(head, sizeof head, "HTTP/1.1 %s X\r\n%s%s%sContent-Length: 0\r\n\r\n", row->status,
             row->location ? "Location: " : "", row->location ? row->location : "",
             row->location ? "\r\n" : "");
    bool has_body = strcmp(row->method, "HEAD") != 0;
    const struct faulty_step scripts[][FAULTY_STEPS] = {
        {SAY(head)}, {SAY(has_body ? HI : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")}};
    open_scene(&s, scripts, 2);
    trace_ask(
        &s, &t, "/a",
        (fer_http_request){.method = fer_str_of(row->method),
                           .fields = &key,
                           .field_count = 1,
                           .redirects = row->hops,
                           .body = strcmp(row->method, "POST") == 0 ? FER_STR("x") : FER_STR_NONE});
    assert_string_equal(fer_http_fault_rows[t.fault].name, fer_http_fault_rows[row->fault].name);
    assert_int_equal(t.status, row->final);
    assert_int_equal(t.heads, row->final ? 1 : 0);
    assert_int_equal(faulty_requests(s.server), row->requests);
    assert_true(faulty_was_told(s.server, row->told));
    close_scene(&s);
}

static void redirects_end(void)
{
    static const struct faulty_step loops[][FAULTY_STEPS] = {
        {SAY("HTTP/1.1 302 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")}};
    scene s;
    trace t = {0};
    open_scene(&s, loops, 1);
    trace_ask(&s, &t, "/", (fer_http_request){.redirects = 5});
    assert_int_equal(t.status, 302);
    assert_int_equal(faulty_requests(s.server), 6);
    close_scene(&s);
}

static void keys_stay_with_their_origin(void)
{
    char head[256];
    scene s;
    trace t = {0};
    fer_err err;
    faulty_server *other = faulty_start(says_hi, 1);
    const fer_http_field fields[] = {{FER_STR("Authorization"), FER_STR("Bearer hunter2")},
                                     {FER_STR("X-Key"), FER_STR("hunter2")},
                                     {FER_STR("Accept"), FER_STR("text/plain")}};
    snprintf(head, sizeof head,
             "HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:%u/b\r\nContent-Length: 0\r\n\r\n",
             faulty_port(other));
    const struct faulty_step scripts[][FAULTY_STEPS] = {{SAY(head)}};
    open_scene(&s, scripts, 1);
    assert_int_equal(fer_net_rules_allow(s.rules, FER_STR("127.0.0.1"), &err), FER_OK);
    trace_ask(&s, &t, "/a", (fer_http_request){.fields = fields, .field_count = 3, .redirects = 1});
    assert_int_equal(t.status, 200);
    assert_true(faulty_was_told(s.server, "hunter2"));
    assert_true(faulty_was_told(other, "Accept: text/plain"));
    assert_false(faulty_was_told(other, "hunter2"));
    close_scene(&s);
    faulty_stop(other);
}

/* ---- a machine without curl ------------------------------------------------------------------ */

static const struct library_row {
    const char *name;
    const char *plan;
    const char *told;
} library_rows[] = {
    {"no library", "library@1", "libcurl.so.4 cannot be loaded"},
    {"one without a function", "library@24", "libcurl.so.4 is older than 7.87"},
};

/* It is said where a request is made, and the next one looks again. */
static void run_library(const struct library_row *row)
{
    scene s;
    trace t = {.scene = &s};
    fer_err err = {0};
    char url[64];
    const fer_http_events events = {on_head, on_body, on_end, &t};
    open_scene(&s, says_hi, 1);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", faulty_port(s.server));
    const fer_http_request r = {.url = fer_str_of(url)};
    assert_true(fer_faults_begin(row->plan));
    assert_int_equal(fer_http_start(s.client, &r, &events, &t.call, &err), FER_BACKEND_UNAVAILABLE);
    assert_true(fer_faults_begin(NULL));
    assert_non_null(strstr(err.message, row->told));
    trace_ask(&s, &t, "/", (fer_http_request){0});
    assert_string_equal(t.seen, "hi");
    close_scene(&s);
}

int main(void)
{
    return ROWS_ONE("connections", connections_are_used_again) +
           ROWS_ONE("connections", many_at_once) +
           ROWS_ONE("connections", as_many_calls_as_may_be) +
           ROWS_ONE("connections", what_may_have_been_done_is_not_sent_again) +
           ROWS_ONE("connections", what_is_safe_is_sent_again) +
           ROWS_RUN("cancel", cancel_rows, cancelling_is_quick) +
           ROWS_ONE("cancel", cancelling_before_anything) +
           ROWS_ONE("cancel", cancelling_from_inside) +
           ROWS_ONE("cancel", a_stalled_name_keeps_no_deadline) +
           ROWS_ONE("pause", a_slow_reader_slows_the_server) +
           ROWS_ONE("pause", a_pause_does_not_stop_the_deadline) +
           ROWS_ONE("pause", pausing_loses_nothing) +
           ROWS_ONE("events", an_endless_stream_of_events) +
           ROWS_RUN("names", name_rows, run_name) +
           ROWS_ONE("rules", a_name_that_changes_its_mind) + ROWS_ONE("rules", nobody_listens) +
           ROWS_ONE("rules", no_tls_there) +
           ROWS_ONE("rules", proxies_of_the_environment_are_ignored) +
           ROWS_RUN("redirects", redirect_rows, run_redirect) +
           ROWS_ONE("redirects", redirects_end) +
           ROWS_ONE("redirects", keys_stay_with_their_origin) +
           ROWS_RUN("library", library_rows, run_library);
}
