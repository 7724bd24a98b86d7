/* SPDX-License-Identifier: Apache-2.0 */
/* One call, from its start to its end. */
#include "clock.h"
#include "errors.h"
#include "http_parts.h"
#include "sys.h"

#define MS INT64_C(1000000) /* nanoseconds */

/* ---- its time ------------------------------------------------------------------------------- */

static void on_alarm(uv_timer_t *timer);

static void arm(fer_http_call *c)
{
    int64_t at = c->deadline_ns, left;
    if (!c->paused && c->active_ns + c->idle_ns < at) at = c->active_ns + c->idle_ns;
    left = at - fer_clock_mono();
    uv_update_time(c->client->loop);
    uv_timer_start(&c->alarm, on_alarm, left > 0 ? (uint64_t)((left + MS - 1) / MS) : 0, 0);
}

/* A large body on its way out is a sign of life, too. */
static bool has_uploaded(fer_http_call *c)
{
    curl_off_t now = 0;
    if (c->state != FER_HTTP_RUNNING ||
        c->curl->easy_getinfo(c->easy, CURLINFO_SIZE_UPLOAD_T, &now))
        return false;
    bool more = now > c->uploaded;
    c->uploaded = now;
    return more;
}

static void on_alarm(uv_timer_t *timer)
{
    fer_http_call *c = timer->data;
    int64_t now = fer_clock_mono();
    if (now >= c->deadline_ns) {
        fer_http_call_finish(c, FER_HTTP_LATE);
        return;
    }
    if (has_uploaded(c)) c->active_ns = now;
    if (!c->paused && now >= c->active_ns + c->idle_ns) fer_http_call_finish(c, FER_HTTP_IDLE);
    else arm(c);
}

/* ---- its end -------------------------------------------------------------------------------- */

static void call_free(fer_http_call *c)
{
    for (struct curl_slist *f = c->fields; f; f = f->next) /* they may hold keys */
        explicit_bzero(f->data, strlen(f->data));
    c->curl->slist_free_all(c->fields);
    fer_arena_free(c->arena);
    fer_sys_free(c);
}

static void alarm_closed(uv_handle_t *handle)
{
    fer_http_call *c = handle->data;
    fer_http *h = c->client;
    call_free(c);
    fer_http_handle_closed(h);
}

bool fer_http_sent(const fer_http_call *c)
{
    long sent = 0;
    if (c->sent || !c->easy) return c->sent;
    return !c->curl->easy_getinfo(c->easy, CURLINFO_REQUEST_SIZE, &sent) && sent > 0;
}

/* Takes it from curl; what has left by then is known. */
static void leave_curl(fer_http_call *c)
{
    if (!c->easy) return;
    c->sent = fer_http_sent(c);
    if (c->state == FER_HTTP_RUNNING) c->curl->multi_remove_handle(c->client->multi, c->easy);
    c->curl->easy_cleanup(c->easy);
    c->easy = NULL;
}

static void unlink_call(fer_http_call *c)
{
    if (c->prev) c->prev->next = c->next;
    else c->client->calls = c->next;
    if (c->next) c->next->prev = c->prev;
    c->client->live--;
}

void fer_http_call_finish(fer_http_call *c, fer_http_fault fault)
{
    if (c->cancelled) {
        c->fault = FER_HTTP_FINE;
        fault = FER_HTTP_CANCELLED;
    }
    leave_curl(c);
    c->state = FER_HTTP_ENDED;
    fer_http_end end = {fer_http_call_fail(c, fault), c->sent, &c->err};
    unlink_call(c);
    uv_close((uv_handle_t *)&c->alarm, alarm_closed);
    c->events.end(c->events.context, &end);
}

static fer_http_fault give_to_curl(fer_http_call *c)
{
    if (!c->easy && !fer_http_call_prepare(c)) return FER_HTTP_MEMORY;
    if (c->curl->multi_add_handle(c->client->multi, c->easy)) return FER_HTTP_INTERNAL;
    c->state = FER_HTTP_RUNNING;
    return FER_HTTP_FINE;
}

void fer_http_call_done(fer_http_call *c, CURLcode result)
{
    fer_http_fault fault = c->fault;
    if (!fault && result) fault = fer_http_fault_of(result, c);
    if (!fault && !c->head_done) fault = FER_HTTP_LOST;
    if (!fault && c->location.ptr && !c->cancelled) {
        leave_curl(c);
        c->state = FER_HTTP_WAITING;
        fault = fer_http_call_redirect(c);
        if (!fault) {
            fer_http_wake(c->client);
            return;
        }
    }
    fer_http_call_finish(c, fault);
}

/* ---- the tick ------------------------------------------------------------------------------- */

static void let_go_on(fer_http_call *c)
{
    c->held = false;
    c->active_ns = fer_clock_mono();
    arm(c);
    CURLcode result = c->curl->easy_pause(c->easy, CURLPAUSE_CONT);
    if (result && c->state == FER_HTTP_RUNNING) fer_http_call_done(c, result);
}

void fer_http_call_tick(fer_http_call *c)
{
    if (c->cancelled || c->fault) fer_http_call_finish(c, c->fault);
    else if (c->state == FER_HTTP_WAITING) {
        fer_http_fault fault = give_to_curl(c);
        if (fault) fer_http_call_finish(c, fault);
    } else if (c->held && !c->paused) let_go_on(c);
}

/* ---- verbs ---------------------------------------------------------------------------------- */

void fer_http_cancel(fer_http_call *c)
{
    c->cancelled = true;
    fer_http_wake(c->client);
}

void fer_http_pause(fer_http_call *c)
{
    c->paused = true;
}

void fer_http_resume(fer_http_call *c)
{
    if (!c->paused) return;
    c->paused = false;
    c->active_ns = fer_clock_mono();
    arm(c);
    if (c->held) fer_http_wake(c->client);
}

/* ---- its start ------------------------------------------------------------------------------ */

static fer_code check_request(const fer_http *h, const fer_http_request *r, fer_err *err)
{
    if (h->closing) return fer_fail(err, FER_CANCELLED, "the client is closed");
    if (h->live == FER_HTTP_CALLS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "more calls run than http.calls, %d",
                        FER_HTTP_CALLS_MAX);
    if (r->body.len > FER_HTTP_SEND_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "the request is larger than http.send, %zu bytes",
                        FER_HTTP_SEND_MAX);
    fer_code code = r->method.ptr ? fer_http_check_method(r->method, err) : FER_OK;
    return code ? code : fer_http_check_fields(r->fields, r->field_count, err);
}

/* As curl wants it: "name: value", and "name;" where the value is empty. */
static bool add_field(fer_http_call *c, const fer_http_field *f)
{
    fer_buf line;
    fer_buf_init(&line, c->arena, SIZE_MAX / 2);
    fer_buf_add(&line, f->name);
    fer_buf_add_text(&line, f->value.len ? ": " : ";");
    fer_buf_add(&line, f->value);
    fer_buf_add_char(&line, '\0');
    struct curl_slist *list = line.failure ? NULL : c->curl->slist_append(c->fields, line.ptr);
    if (line.len) explicit_bzero(line.ptr, line.len);
    if (list) c->fields = list;
    return list != NULL;
}

static bool copy_request(fer_http_call *c, const fer_http_request *r)
{
    const fer_str none = FER_STR_NONE, get = FER_STR("GET"), post = FER_STR("POST");
    c->arena = fer_arena_new(0);
    if (!c->arena) return false;
    c->url = fer_arena_copy(c->arena, r->url);
    c->method = fer_arena_copy(c->arena, r->method.ptr ? r->method : r->body.ptr ? post : get);
    c->body = r->body.ptr ? fer_arena_copy(c->arena, r->body) : none;
    if (!c->url.ptr || !c->method.ptr || (r->body.ptr && !c->body.ptr)) return false;
    for (size_t i = 0; i < r->field_count; i++)
        if (!add_field(c, &r->fields[i])) return false;
    return true;
}

static void take_limits(fer_http_call *c, const fer_http_request *r)
{
    int64_t now = fer_clock_mono();
    c->active_ns = now;
    c->deadline_ns = r->deadline_ns ? r->deadline_ns : now + FER_HTTP_TIMEOUT_MS * MS;
    c->idle_ns = (r->idle_ms ? r->idle_ms : FER_HTTP_IDLE_MS) * MS;
    c->head_max = r->head_max ? r->head_max : FER_HTTP_HEAD_MAX;
    c->body_max = r->body_max ? r->body_max : FER_HTTP_BODY_MAX;
    c->redirects = r->redirects;
}

static void link_call(fer_http *h, fer_http_call *c)
{
    uv_timer_init(h->loop, &c->alarm);
    c->alarm.data = c;
    h->handles++;
    c->next = h->calls;
    if (c->next) c->next->prev = c;
    h->calls = c;
    h->live++;
    arm(c);
    fer_http_wake(h);
}

fer_code fer_http_start(fer_http *h, const fer_http_request *request, const fer_http_events *events,
                        fer_http_call **call, fer_err *err)
{
    fer_net_target target;
    fer_code code = check_request(h, request, err);
    if (!code && h->options.unix_socket) code = fer_net_target_parse(request->url, &target, err);
    else if (!code) code = fer_net_rules_url(h->options.rules, request->url, &target, err);
    if (!code) code = fer_http_need_curl(h, err);
    if (!code && !fer_curl_agrees(&h->curl, request->url, &target))
        code = fer_fail(err, FER_BAD_USAGE, "the URL can be understood in two ways");
    if (code) return code;
    fer_http_call *c = fer_sys_malloc(sizeof *c);
    if (c) *c = (fer_http_call){.client = h, .curl = &h->curl, .events = *events, .target = target};
    if (!c || !copy_request(c, request) || !fer_http_call_prepare(c)) {
        if (c) c->curl->easy_cleanup(c->easy);
        if (c) call_free(c);
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a request");
    }
    take_limits(c, request);
    link_call(h, c);
    if (call) *call = c;
    return FER_OK;
}
