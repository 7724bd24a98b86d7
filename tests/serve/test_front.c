/* SPDX-License-Identifier: Apache-2.0 */
/* What the transcripts do not reach: what the meta tools cost, limits, equal IDs, what ends late.
 */
#include <ferrule/schema.h>
#include <uv.h>

#include "gateway_parts.h"
#include "json_value.h"
#include "meta_tools.h"
#include "rows.h"
#include "serve_parts.h"

/* ---- a server with one tool that waits until it is told ---------------------------------------
 */

struct puppet {
    fer_runner runner;
    fer_attempt *waiting[8];
    size_t count;
};

static void puppet_call(fer_runner *r, fer_attempt *t)
{
    struct puppet *p = (struct puppet *)r;
    t->sent = true;
    p->waiting[p->count++] = t;
}
static void puppet_cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    (void)r, (void)reason;
    fer_attempt_fail(t, FER_CANCELLED, "as you like");
}
static void puppet_stop(fer_runner *r, void (*done)(fer_runner *r))
{
    done(r);
}
static void puppet_free(fer_runner *r)
{
    (void)r;
}
static const fer_runner_kind puppet_kind = {.name = "puppet",
                                            .backend = FER_BACKEND_MCP,
                                            .call = puppet_call,
                                            .cancel = puppet_cancel,
                                            .stop = puppet_stop,
                                            .free = puppet_free};

struct scene {
    fer_catalog *catalog;
    fer_gateway *gateway;
    fer_front *front;
    struct puppet puppet;
    char said[4][1024];
    int ends[4];
};
struct line {
    struct scene *scene;
    int number;
};

static void set(struct scene *s)
{
    static const char tool[] = "[{\"namespace\":\"p\",\"name\":\"wait\",\"description\":\"Waits.\","
                               "\"effect\":\"Pure\",\"inputSchema\":{\"type\":\"object\"}}]";
    fer_err err;
    memset(s, 0, sizeof *s);
    assert_int_equal(fer_catalog_new(&(fer_catalog_options){.search = true}, &s->catalog, &err),
                     FER_OK);
    assert_int_equal(
        fer_gateway_new(&(fer_gateway_options){.catalog = s->catalog}, &s->gateway, &err), FER_OK);
    s->puppet.runner = (fer_runner){.kind = &puppet_kind, .name = FER_STR("p")};
    assert_int_equal(fer_gateway_add_runner(s->gateway, &s->puppet.runner, &err), FER_OK);
    fer_batch *b = fer_batch_new();
    fer_backend place = {FER_BACKEND_MCP, FER_STR("p"), FER_STR("")};
    fer_put_options put = {.backend = &place};
    assert_int_equal(fer_batch_add(b, FER_STR("t"), fer_str_of(tool), FER_FORMAT_JSON, &put, &err),
                     FER_OK);
    assert_int_equal(fer_catalog_apply(s->catalog, b, &err), FER_OK);
    fer_batch_free(b);
    s->front = fer_front_new(
        &(fer_front_options){.gateway = s->gateway, .catalog = s->catalog, .mode = FER_SERVE_BOTH});
    assert_non_null(s->front);
}

static void strike(struct scene *s)
{
    fer_front_free(s->front);
    fer_gateway_free(s->gateway);
    fer_catalog_free(s->catalog);
}

static void on_note(void *context, fer_str message)
{
    (void)context, (void)message;
}
static void on_end(void *context, fer_str answer, int status)
{
    struct line *l = context;
    (void)status;
    snprintf(l->scene->said[l->number], sizeof l->scene->said[0], "%.*s", FER_PRI(answer));
    l->scene->ends[l->number]++;
}
static const fer_talk_events events = {on_note, on_end};

static fer_talk *say(fer_peer *p, struct line *l, const char *text)
{
    fer_talk *x = fer_talk_new(p, &events, l);
    assert_non_null(x);
    l->scene->ends[l->number] = 0;
    fer_talk_take(x, fer_str_of(text), NULL);
    return x;
}

static fer_peer *meet(struct scene *s, struct line *l)
{
    fer_peer *p = fer_peer_new(s->front, &(fer_peer_options){.context = l});
    assert_non_null(p);
    say(p, l,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}");
    return p;
}

static void answer(struct scene *s, size_t number, fer_code code)
{
    fer_attempt_end(s->puppet.waiting[number],
                    &(fer_outcome){.code = code,
                                   .phase = FER_PHASE_DEFINITE,
                                   .mcp_result = fer_str_of(number ? "{\"content\":[2]}"
                                                                   : "{\"content\":[\n1]}"),
                                   .message = FER_STR("")});
}

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}"

static void keeps_equal_ids_apart(void)
{
    struct scene s;
    set(&s);
    struct line one = {&s, 0}, two = {&s, 1};
    fer_peer *p = meet(&s, &one), *q = meet(&s, &two);
    say(p, &one, CALL);
    say(q, &two, CALL);
    assert_int_equal(s.puppet.count, 2);
    answer(&s, 1, FER_OK);
    assert_int_equal(s.ends[0], 0);
    assert_string_equal(s.said[1], "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[2]}}");
    answer(&s, 0, FER_OK);
    /* A message is one line, whatever the backend's looked like. */
    assert_string_equal(s.said[0], "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[ 1]}}");
    fer_peer_close(p);
    fer_peer_close(q);
    strike(&s);
}

static void refuses_the_same_id_twice(void)
{
    struct scene s;
    set(&s);
    struct line one = {&s, 0}, two = {&s, 1};
    fer_peer *p = meet(&s, &one);
    say(p, &one, CALL);
    say(p, &two, CALL);
    assert_non_null(strstr(s.said[1], "-32600"));
    answer(&s, 0, FER_OK);
    assert_int_equal(s.ends[0], 1);
    fer_peer_close(p);
    strike(&s);
}

static void says_nothing_after_the_end_of_a_peer(void)
{
    struct scene s;
    set(&s);
    struct line one = {&s, 0};
    fer_peer *p = meet(&s, &one);
    say(p, &one, CALL);
    fer_peer_close(p);
    assert_int_equal(s.ends[0], 0);
    assert_int_equal(fer_front_busy(s.front), 0);
    strike(&s);
}

static void lets_go_of_who_left(void)
{
    struct scene s;
    set(&s);
    struct line one = {&s, 0}, two = {&s, 1};
    fer_peer *p = meet(&s, &one);
    fer_talk *x = say(p, &one, CALL);
    fer_talk_abandon(x, false);
    assert_int_equal(fer_front_busy(s.front), 1); /* it runs on */
    answer(&s, 0, FER_OK);
    assert_int_equal(s.ends[0], 0);
    x = say(p, &two, CALL);
    fer_talk_abandon(x, true);
    assert_int_equal(fer_front_busy(s.front), 0);
    assert_int_equal(s.ends[1], 0);
    fer_peer_close(p);
    strike(&s);
}

static void holds_until_tools_are_known(void)
{
    struct scene s;
    set(&s);
    struct line one = {&s, 0}, two = {&s, 1};
    fer_peer *p = meet(&s, &one);
    fer_front_hold(s.front);
    assert_false(fer_front_is_ready(s.front));
    say(p, &one, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    say(p, &two, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    assert_int_equal(s.ends[0], 0);
    assert_int_equal(s.ends[1], 1);
    fer_front_release(s.front);
    assert_int_equal(s.ends[0], 1);
    fer_front_drain(s.front);
    say(p, &one, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
    assert_non_null(strstr(s.said[0], "shutting down"));
    fer_peer_close(p);
    strike(&s);
}

#define LISTEN                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"subscriptions/listen\",\"params\":{"              \
    "\"notifications\":{},\"_meta\":{\"" FER_MCP_META_VERSION                                      \
    "\":\"2026-07-28\",\"" FER_MCP_META_CAPABILITIES "\":{}}}}"

static void bounds_subscriptions_and_requests(void)
{
    struct scene s;
    set(&s);
    struct line one = {&s, 0}, two = {&s, 1};
    char text[512];
    fer_peer *p = meet(&s, &one);
    for (int i = 1; i <= FER_SERVE_LISTENS_MAX; i++) {
        snprintf(text, sizeof text, LISTEN, i);
        say(p, &one, text);
        assert_int_equal(s.ends[0], 0);
    }
    assert_int_equal(fer_peer_busy(p), 0); /* nobody waits for them */
    say(p, &two,
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"subscriptions/listen\",\"params\":{"
        "\"notifications\":{},\"_meta\":{\"" FER_MCP_META_VERSION
        "\":\"2026-07-28\",\"" FER_MCP_META_CAPABILITIES "\":{}}}}");
    assert_non_null(strstr(s.said[1], "serve.listens"));
    fer_front_hold(s.front);
    for (int i = FER_SERVE_LISTENS_MAX; i < FER_SERVE_ASKS_MAX; i++) {
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}",
                 100 + i);
        say(p, &one, text);
        assert_int_equal(s.ends[0], 0);
    }
    say(p, &two, "{\"jsonrpc\":\"2.0\",\"id\":\"more\",\"method\":\"tools/list\"}");
    assert_non_null(strstr(s.said[1], "serve.asks"));
    fer_peer_close(p);
    assert_int_equal(fer_front_busy(s.front), 0);
    strike(&s);
}

/* ---- the meta tools ---------------------------------------------------------------------------
 */

static void costs_no_more_than_it_may(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_meta_list(&b, fer_mcp_version_newest(true), true);
    size_t bytes = b.len + fer_meta_instructions(FER_SERVE_META).len;
    assert_true(fer_tokens_of(bytes) <= FER_META_TOKENS);
    fer_arena_free(a);
}

/* Nothing but what the schema names is taken, or given. */
static void closes(const char *text)
{
    static const char *const odd[] = {"{\"nobody\":1}", "[]", "7"};
    fer_schema *s;
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_schema_compile(fer_str_of(text), NULL, &s, &err), FER_OK);
    for (size_t i = 0; i < FER_COUNT(odd); i++) {
        fer_json *doc;
        bool valid = true;
        assert_int_equal(fer_json_read(a, fer_str_of(odd[i]), NULL, &doc, &err), FER_OK);
        assert_int_equal(fer_schema_accepts(s, a, fer_json_root(doc), &valid, &err), FER_OK);
        assert_false(valid);
    }
    fer_schema_unref(s);
    fer_arena_free(a);
}

static void has_closed_schemas(void)
{
    for (size_t i = 0; i < fer_meta_tool_count; i++) {
        closes(fer_meta_tools[i].input);
        closes(fer_meta_tools[i].output);
    }
}

int main(void)
{
    return ROWS_ONE("front", keeps_equal_ids_apart) + ROWS_ONE("front", refuses_the_same_id_twice) +
           ROWS_ONE("front", says_nothing_after_the_end_of_a_peer) +
           ROWS_ONE("front", lets_go_of_who_left) + ROWS_ONE("front", holds_until_tools_are_known) +
           ROWS_ONE("front", bounds_subscriptions_and_requests) +
           ROWS_ONE("meta", costs_no_more_than_it_may) + ROWS_ONE("meta", has_closed_schemas);
}
