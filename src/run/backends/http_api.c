/* SPDX-License-Identifier: Apache-2.0 */
#include "http_api.h"

#include "clock.h"
#include "errors.h"
#include "http_api_parts.h"
#include "json_value.h"
#include "sys.h"

#define RECORDS_MAX ((size_t)256 << 20) /* bytes of all records of an API */
#define GRACE_NS    INT64_C(1000000000) /* past an attempt's end: the gateway's own timer is first */

/* ---- streams ------------------------------------------------------------------------------- */

static void tell_chunk(fer_asking *q, fer_str text)
{
    if (!q->attempt) return;
    fer_str chunk = fer_http_answer_chunk(&q->answer, text);
    if (chunk.ptr) fer_attempt_event(q->attempt, FER_NEWS_CHUNK, chunk);
}

static fer_code take_event(void *context, const fer_sse_event *event, fer_err *err)
{
    (void)err;
    tell_chunk(context, event->data);
    return FER_OK;
}

static bool take_line(void *context, fer_str line)
{
    if (line.len) tell_chunk(context, line);
    return true;
}

static void begin_stream(fer_asking *q)
{
    q->streams = true;
    if (q->answer.body == FER_BODY_EVENTS) fer_sse_init(&q->events, 0, take_event, q);
    else fer_line_split_init(&q->lines, 0);
}

static void end_stream(fer_asking *q)
{
    if (q->answer.body == FER_BODY_EVENTS) {
        fer_sse_deinit(&q->events);
    } else {
        fer_line_split_end(&q->lines, take_line, q);
        fer_line_split_deinit(&q->lines);
    }
}

/* ---- what comes ---------------------------------------------------------------------------- */

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    fer_asking *q = context;
    (void)call;
    fer_http_answer_head(&q->answer, head);
    fer_asking_judge(q, head);
    if (q->answer.body >= FER_BODY_EVENTS) begin_stream(q);
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    fer_asking *q = context;
    fer_err err;
    (void)call;
    if (!q->streams) fer_buf_add(&q->answer.bytes, piece);
    else if (q->answer.body == FER_BODY_LINES) fer_line_split_feed(&q->lines, piece, take_line, q);
    else if (fer_sse_feed(&q->events, piece, &err)) q->answer.bytes.failure = FER_LIMIT_EXCEEDED;
}

static void stop_if_done(fer_api *p)
{
    if (p->stopping && !p->running) fer_runner_stopped(&p->runner);
}

void fer_asking_free(fer_asking *q)
{
    fer_api *p = q->api;
    fer_http_answer_deinit(&q->answer);
    fer_oauth_unref(q->oauth);
    fer_sys_free(q->challenge);
    fer_sys_free(q);
    p->running--;
    stop_if_done(p);
}

static void on_end(void *context, const fer_http_end *end)
{
    fer_asking *q = context;
    fer_attempt *t = q->attempt;
    if (q->streams) end_stream(q);
    q->streams = false;
    q->call = NULL;
    if (end->fault == FER_HTTP_FINE && fer_asking_renews(q)) return;
    if (t) {
        t->sent = end->sent;
        t->state = NULL;
        if (end->fault == FER_HTTP_FINE) fer_http_answer_end(&q->answer, t);
        else fer_http_answer_fault(end, t);
    }
    fer_asking_free(q);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* Fields that follow a call and not its arguments. */
static void add_spare(fer_attempt *t, fer_http_request *r)
{
    fer_http_field *fields = (fer_http_field *)(uintptr_t)r->fields;
    if (t->traceparent.len)
        fields[r->field_count++] = (fer_http_field){FER_STR("traceparent"), t->traceparent};
    if (t->idempotency_key.len)
        fields[r->field_count++] = (fer_http_field){FER_STR("Idempotency-Key"), t->idempotency_key};
    fer_str number = t->retry_owner.len ? fer_arena_printf(t->arena, "%u", t->number) : FER_STR("");
    if (!number.len) return; /* or no memory: the call does not depend on it */
    fields[r->field_count++] = (fer_http_field){FER_STR("X-Retry-Owner"), t->retry_owner};
    fields[r->field_count++] = (fer_http_field){FER_STR("X-Attempt"), number};
}

static void set_times(const fer_attempt *t, fer_http_request *r)
{
    int64_t left = (t->deadline - fer_clock_mono() + GRACE_NS) / 1000000;
    r->deadline_ns = t->deadline + GRACE_NS;
    r->idle_ms = left < 1 ? 1 : left > 3600000 ? 3600000 : (uint32_t)left;
}

fer_code fer_asking_send(fer_asking *q, fer_err *err)
{
    fer_attempt *t = q->attempt;
    fer_http_request request = {0};
    fer_http_events events = {on_head, on_body, on_end, q};
    fer_http_field token;
    fer_code code = fer_http_build(t->arena, q->binding, &q->api->common, t->args, &request, err);
    if (code) return code;
    if (fer_asking_shows(q, &token))
        ((fer_http_field *)(uintptr_t)request.fields)[request.field_count++] = token;
    add_spare(t, &request);
    set_times(t, &request);
    code = fer_http_start(q->api->http, &request, &events, &q->call, err);
    if (!code) t->sent = true; /* until more is known */
    return code;
}

/* It runs from the start, so that whatever ends it counts. */
static fer_asking *new_asking(fer_api *p, fer_attempt *t, const fer_http_binding *b)
{
    fer_asking *q = fer_sys_malloc(sizeof *q);
    if (!q) return NULL;
    *q = (fer_asking){.api = p, .attempt = t, .binding = b};
    if (!fer_http_answer_init(&q->answer)) {
        fer_sys_free(q);
        return NULL;
    }
    p->running++;
    t->state = q;
    return q;
}

static void call(fer_runner *r, fer_attempt *t)
{
    fer_api *p = (fer_api *)r;
    const fer_http_binding *b = fer_map_get(&p->bindings, t->tool);
    fer_err err = {0};
    if (!b || p->stopping || !p->http) {
        fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "the API has no operation of that name");
        return;
    }
    p->calls++;
    fer_asking *q = new_asking(p, t, b);
    fer_code code =
        q ? fer_asking_begin(q, &err) : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code && !q->place) code = fer_asking_send(q, &err);
    if (!code) return;
    t->state = NULL;
    if (q) fer_asking_free(q);
    fer_attempt_fail(t, code, "%s", err.message);
}

static void cancel(fer_runner *r, fer_attempt *t, fer_cancel reason)
{
    fer_asking *q = t->state;
    (void)r;
    t->state = NULL;
    t->sent = q->call && fer_http_sent(q->call); /* one that was refused did nothing */
    q->attempt = NULL;
    if (q->call) {
        fer_http_cancel(q->call);
    } else {
        fer_asking_leave(q);
        fer_asking_free(q);
    }
    fer_attempt_fail(t, FER_CANCELLED, "the request was given up: %s", fer_cancel_names[reason]);
}

static void pause_reading(fer_runner *r, fer_attempt *t, bool paused)
{
    fer_asking *q = t->state;
    (void)r;
    if (!q || !q->call) return;
    if (paused) fer_http_pause(q->call);
    else fer_http_resume(q->call);
}

static void list(fer_runner *r, fer_listing *l)
{
    l->on_end(l, FER_OK, ((fer_api *)r)->list, NULL);
}

static void status(const fer_runner *r, fer_runner_status *out)
{
    const fer_api *p = (const fer_api *)r;
    *out = (fer_runner_status){.health = p->http ? FER_HEALTH_UP : FER_HEALTH_STOPPED,
                               .running = p->running,
                               .calls = p->calls};
    snprintf(out->detail, sizeof out->detail, "%zu operation%s%s%.200s", p->bindings.count,
             fer_s(p->bindings.count), p->host[0] ? " at " : "", p->host);
}

/* Nobody will send what waits for a token. */
static void drop_waiting(fer_api *p)
{
    while (p->waiting) {
        fer_asking *q = p->waiting;
        fer_attempt *t = q->attempt;
        fer_asking_leave(q);
        t->state = NULL;
        fer_asking_free(q);
        fer_attempt_fail(t, FER_BACKEND_UNAVAILABLE, "the API is not served any more");
    }
}

/* Closing ends every call before it returns. */
static void stop(fer_runner *r, void (*done)(fer_runner *r))
{
    fer_api *p = (fer_api *)r;
    fer_http *http = p->http;
    r->on_stopped = done;
    p->stopping = true;
    p->http = NULL;
    p->running++; /* so that the last of them does not end it from inside */
    drop_waiting(p);
    fer_http_close(http);
    p->running--;
    stop_if_done(p);
}

static void free_api(fer_runner *r)
{
    fer_api *p = (fer_api *)r;
    fer_net_rules_free(p->rules);
    fer_arena_free(p->arena);
}

static const fer_runner_kind kind = {.name = "http",
                                     .backend = FER_BACKEND_PROVIDER,
                                     .list = list,
                                     .call = call,
                                     .cancel = cancel,
                                     .pause = pause_reading,
                                     .status = status,
                                     .stop = stop,
                                     .free = free_api};

/* ---- making one ---------------------------------------------------------------------------- */

static fer_code add_record(fer_api *p, fer_str record, fer_buf *b, fer_err *err)
{
    fer_str text = fer_arena_copy(p->arena, record);
    fer_json *doc;
    if (!text.ptr) return fer_arena_failed(p->arena, err);
    fer_code code = fer_json_read(p->arena, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    fer_http_binding *binding = fer_arena_alloc_zero(p->arena, 1, sizeof *binding);
    if (!binding) return fer_arena_failed(p->arena, err);
    code = fer_http_binding_read(p->arena, fer_json_root(doc), binding, err);
    if (code) return code;
    void **slot = fer_map_put(&p->bindings, binding->tool);
    if (!slot) return fer_arena_failed(p->arena, err);
    *slot = binding;
    if (b->len > 1) fer_buf_add_char(b, ',');
    fer_buf_add(b, text);
    return FER_OK;
}

static fer_code add_records(fer_api *p, const fer_http_api_settings *s, fer_err *err)
{
    fer_buf b;
    fer_code code = FER_OK;
    fer_buf_init(&b, p->arena, RECORDS_MAX);
    fer_buf_add_char(&b, '[');
    for (size_t i = 0; i < s->record_count && !code; i++)
        code = add_record(p, s->records[i], &b, err);
    fer_buf_add_char(&b, ']');
    if (!code) code = fer_buf_code(&b, err);
    p->list = fer_buf_view(&b);
    return code;
}

static bool copy_all(fer_api *p, const fer_http_api_settings *s)
{
    fer_arena *a = p->arena;
    fer_http_field *fields = fer_arena_alloc_zero(a, s->field_count + 1, sizeof *fields);
    p->common = (fer_http_common){.base_url = fer_arena_copy(a, s->base_url),
                                  .auth = s->auth,
                                  .fields = fields,
                                  .field_count = s->field_count};
    p->common.auth.name = fer_arena_copy(a, s->auth.name);
    p->common.auth.user = fer_arena_copy(a, s->auth.user);
    p->common.auth.secret = fer_arena_copy(a, s->auth.secret);
    p->runner.name = fer_arena_copy(a, s->name);
    p->tokens = s->tokens;
    if (s->tokens) p->common.auth.kind = FER_HTTP_AUTH_OAUTH;
    if (s->tokens) p->runner.share = fer_oauth_pool_share(s->tokens);
    bool fine = fields && p->common.base_url.ptr && p->common.auth.name.ptr &&
                p->common.auth.user.ptr && p->common.auth.secret.ptr && p->runner.name.ptr;
    for (size_t i = 0; i < s->field_count && fine; i++) {
        fields[i].name = fer_arena_copy(a, s->fields[i].name);
        fields[i].value = fer_arena_copy(a, s->fields[i].value);
        fine = fields[i].name.ptr && fields[i].value.ptr;
    }
    return fine;
}

/* What the operator wrote is allowed, and nothing else; what documents name must be public. */
static fer_code make_rules(fer_api *p, const fer_http_api_settings *s, fer_err *err)
{
    fer_net_target target;
    p->rules = fer_net_rules_new();
    if (!p->rules) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!s->base_url.len) {
        if (!s->auth.kind && !s->tokens && !s->field_count) return FER_OK;
        return fer_fail(err, FER_BAD_USAGE,
                        "credentials and fields are for an API whose base URL is given");
    }
    fer_code code = fer_net_rules_allow_url(p->rules, s->base_url, err);
    if (!code) code = fer_net_target_parse(s->base_url, &target, err);
    if (code) return code;
    fer_net_rules_close(p->rules);
    memcpy(p->host, target.host, sizeof p->host);
    return FER_OK;
}

static fer_code set_up(fer_api *p, const fer_http_api_settings *s, fer_err *err)
{
    if (!copy_all(p, s)) return fer_arena_failed(p->arena, err);
    fer_map_init(&p->bindings, p->arena);
    fer_code code = add_records(p, s, err);
    if (!code) code = make_rules(p, s, err);
    if (code) return code;
    fer_http_options options = {.rules = p->rules, .ca_file = s->ca_file};
    p->http = fer_http_new(p->runner.loop, &options);
    return p->http ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

fer_code fer_http_api_runner(uv_loop_t *loop, const fer_http_api_settings *settings,
                             fer_runner **out, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_api *p = a ? fer_arena_alloc_zero(a, 1, sizeof *p) : NULL;
    fer_code code = p ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (p) {
        p->arena = a;
        p->runner = (fer_runner){.kind = &kind, .loop = loop};
        code = set_up(p, settings, err);
    }
    if (code) {
        if (p) fer_net_rules_free(p->rules);
        fer_arena_free(a);
        return code;
    }
    *out = &p->runner;
    return FER_OK;
}
