/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_export.h"

#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "http_client.h"
#include "otlp.h"
#include "sys.h"

#define BATCH_MEMORY ((size_t)16 << 20) /* bytes that one batch may take */
#define ANSWER_MAX   ((size_t)64 << 10) /* bytes of a collector's answer */
#define PAUSE_MAX_MS 30000              /* that a collector may ask for */
#define MS           INT64_C(1000000)   /* ns */

/* Spans, written already. */
typedef struct batch {
    fer_arena *arena;
    fer_buf text;
    size_t spans;
} batch;

struct fer_trace_export {
    fer_gateway *gateway;
    fer_arena *arena; /* of the settings */
    fer_net_rules *rules;
    fer_http *http;
    fer_str url;
    fer_http_field *fields;
    size_t field_count;
    batch gathered, sending;
    uv_timer_t timer;    /* the next time to send */
    fer_http_call *call; /* under way */
    fer_arena *scratch;
    fer_buf answer;
    unsigned status, tries;
    int64_t pause_ms; /* that the collector asks for */
    bool closing;
    bool retired;           /* another one has taken its place: what it has is sent, then it goes */
    fer_trace_export *next; /* of those that are retired */
    fer_trace_stats stats;
};

/* ---- batches --------------------------------------------------------------------------------- */

static bool batch_open(batch *b)
{
    if (!b->arena) b->arena = fer_arena_new(BATCH_MEMORY);
    if (!b->arena) return false;
    if (b->spans) return true;
    fer_arena_reset(b->arena);
    fer_buf_init(&b->text, b->arena, BATCH_MEMORY);
    fer_otlp_begin(&b->text);
    return !b->text.failure;
}

/* All of a call, or nothing. */
static bool batch_add(batch *b, const fer_call_report *r)
{
    if (!batch_open(b)) return false;
    size_t before = b->text.len;
    fer_otlp_call(&b->text, r, b->spans == 0);
    if (b->text.failure) {
        b->text.failure = FER_OK;
        b->text.arena_failed = false;
        b->text.len = before;
        return false;
    }
    b->spans += fer_otlp_spans(r);
    return true;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void send_gathered(fer_trace_export *x);
static void try_again(uv_timer_t *timer);
static void leave(uv_timer_t *timer);

static void drop(fer_trace_export *x, size_t spans, const char *why)
{
    x->stats.dropped += spans;
    snprintf(x->stats.trouble, sizeof x->stats.trouble, "%.*s", (int)sizeof x->stats.trouble - 1,
             why);
}

/* OTLP 1.x: these answers, and none at all, are worth another try. */
static bool may_try_again(const fer_trace_export *x)
{
    return x->tries < FER_TRACE_TRIES && !x->closing &&
           (x->status == 0 || x->status == 429 || x->status == 502 || x->status == 503 ||
            x->status == 504);
}

static void finish(fer_trace_export *x)
{
    x->sending.spans = 0;
    x->tries = 0;
    if (x->closing) return;
    if (x->gathered.spans >= FER_TRACE_BATCH || (x->retired && x->gathered.spans)) send_gathered(x);
    else if (x->gathered.spans) uv_timer_start(&x->timer, try_again, FER_TRACE_EVERY_MS, 0);
    if (x->retired && !x->sending.spans) uv_timer_start(&x->timer, leave, 0, 0);
}

static void settle(fer_trace_export *x, const char *trouble)
{
    if (x->status / 100 == 2) {
        uint64_t refused = fer_otlp_rejected(x->scratch, fer_buf_view(&x->answer));
        if (refused > x->sending.spans) refused = x->sending.spans;
        x->stats.sent += x->sending.spans - refused;
        if (refused) drop(x, (size_t)refused, "the collector refused some spans");
        finish(x);
        return;
    }
    if (may_try_again(x)) {
        int64_t ms = x->pause_ms > 0 ? x->pause_ms : (int64_t)FER_TRACE_EVERY_MS << (x->tries - 1);
        uv_timer_start(&x->timer, try_again, (uint64_t)(ms < PAUSE_MAX_MS ? ms : PAUSE_MAX_MS), 0);
        return;
    }
    drop(x, x->sending.spans, trouble);
    finish(x);
}

static void on_head(void *context, fer_http_call *call, const fer_http_head *head)
{
    fer_trace_export *x = context;
    (void)call;
    x->status = head->status;
    x->pause_ms = fer_http_retry_after_ms(head);
}

static void on_body(void *context, fer_http_call *call, fer_str piece)
{
    fer_trace_export *x = context;
    (void)call;
    fer_buf_add(&x->answer, piece);
}

static void on_end(void *context, const fer_http_end *end)
{
    fer_trace_export *x = context;
    char text[64];
    x->call = NULL;
    snprintf(text, sizeof text, "the collector answered with status %u", x->status);
    if (end->fault) x->status = 0;
    settle(x, end->fault ? end->err->message : text);
}

static void post(fer_trace_export *x)
{
    fer_http_events events = {.head = on_head, .body = on_body, .end = on_end, .context = x};
    fer_http_request request = {.url = x->url,
                                .fields = x->fields,
                                .field_count = x->field_count,
                                .body = fer_buf_view(&x->sending.text),
                                .body_max = ANSWER_MAX};
    fer_err err = {0};
    x->tries++;
    x->status = 0;
    x->pause_ms = 0;
    fer_arena_reset(x->scratch);
    fer_buf_init(&x->answer, x->scratch, ANSWER_MAX);
    if (!fer_http_start(x->http, &request, &events, &x->call, &err)) return;
    drop(x, x->sending.spans, err.message); /* it cannot be sent as it is: no try will do */
    x->sending.spans = 0;
    x->tries = 0;
}

static void send_gathered(fer_trace_export *x)
{
    if (x->sending.spans || !x->gathered.spans) return;
    batch spare = x->sending;
    x->sending = x->gathered;
    x->gathered = spare;
    fer_otlp_end(&x->sending.text);
    if (x->sending.text.failure) {
        drop(x, x->sending.spans, "out of memory");
        x->sending.spans = 0;
        return;
    }
    post(x);
}

static void try_again(uv_timer_t *timer)
{
    fer_trace_export *x = timer->data;
    if (x->sending.spans && !x->call) post(x);
    else send_gathered(x);
    if (x->retired && !x->sending.spans) leave(timer);
}

static void on_call(void *context, const fer_call_report *r)
{
    fer_trace_export *x = ((fer_gateway *)context)->traces;
    size_t spans = fer_otlp_spans(r);
    if (!x || !r->sampled) return;
    if (x->closing || x->gathered.spans + spans > FER_TRACE_QUEUE || !batch_add(&x->gathered, r)) {
        drop(x, spans, x->closing ? "the gateway is stopping" : "too many spans are waiting");
        return;
    }
    if (x->sending.spans) return; /* its end sees to the rest */
    if (x->gathered.spans >= FER_TRACE_BATCH) send_gathered(x);
    else if (!uv_is_active((uv_handle_t *)&x->timer))
        uv_timer_start(&x->timer, try_again, FER_TRACE_EVERY_MS, 0);
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool has_type(const fer_trace_options *o)
{
    for (size_t i = 0; i < o->header_count; i++)
        if (fer_str_eq_nocase(o->headers[i].name, FER_STR("content-type"))) return true;
    return false;
}

static fer_code take_options(fer_trace_export *x, const fer_trace_options *o, fer_err *err)
{
    fer_arena *a = x->arena;
    x->url = fer_arena_copy(a, o->endpoint);
    x->fields = fer_arena_alloc_zero(a, o->header_count + 1, sizeof *x->fields);
    if (!x->url.ptr || !x->fields) return fer_arena_failed(a, err);
    for (size_t i = 0; i < o->header_count; i++) {
        fer_http_field *f = &x->fields[x->field_count++];
        f->name = fer_arena_copy(a, o->headers[i].name);
        f->value = fer_arena_copy(a, o->headers[i].value);
        if (!f->name.ptr || !f->value.ptr) return fer_arena_failed(a, err);
    }
    if (!has_type(o))
        x->fields[x->field_count++] =
            (fer_http_field){FER_STR("Content-Type"), FER_STR("application/json")};
    return FER_OK;
}

static fer_code make(fer_trace_export *x, const fer_trace_options *o, fer_err *err)
{
    uv_loop_t *loop = fer_gateway_loop(x->gateway);
    fer_code code = take_options(x, o, err);
    if (code) return code;
    x->scratch = fer_arena_new(0);
    x->rules = fer_net_rules_new();
    if (!x->scratch || !x->rules) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_net_rules_close(x->rules); /* the collector, and nobody else */
    code = fer_net_rules_allow_url(x->rules, x->url, err);
    if (code) return code;
    fer_http_options asking = {.rules = x->rules};
    x->http = fer_http_new(loop, &asking);
    return x->http ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

static void free_export(fer_trace_export *x)
{
    if (!x) return;
    fer_net_rules_free(x->rules);
    fer_arena_free(x->gathered.arena);
    fer_arena_free(x->sending.arena);
    fer_arena_free(x->scratch);
    fer_arena_free(x->arena);
}

static fer_code new_export(fer_gateway *g, const fer_trace_options *options, fer_trace_export **out,
                           fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_trace_export *x = a ? fer_arena_alloc_zero(a, 1, sizeof *x) : NULL;
    if (!x) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    x->arena = a;
    x->gateway = g;
    fer_code code = make(x, options, err);
    if (code) {
        free_export(x);
        return code;
    }
    uv_timer_init(g->loop, &x->timer); /* it keeps the loop going while spans wait */
    x->timer.data = x;
    *out = x;
    return FER_OK;
}

/* ---- another one in its place ---------------------------------------------------------------- */

static void add_stats(fer_trace_stats *to, const fer_trace_stats *s)
{
    to->sent += s->sent;
    to->dropped += s->dropped;
    if (s->trouble[0]) memcpy(to->trouble, s->trouble, sizeof to->trouble);
}

static void on_left(uv_handle_t *handle)
{
    fer_trace_export *x = handle->data, **at = &x->gateway->old_traces;
    while (*at != x) at = &(*at)->next;
    *at = x->next;
    add_stats(&x->gateway->past_traces, &x->stats);
    free_export(x);
}

/* By the timer: whoever speaks of its last request has returned. */
static void leave(uv_timer_t *timer)
{
    fer_trace_export *x = timer->data;
    if (x->closing || x->sending.spans) return;
    x->closing = true;
    fer_http_close(x->http);
    uv_close((uv_handle_t *)timer, on_left);
}

static void retire(fer_trace_export *x)
{
    x->retired = true;
    x->next = x->gateway->old_traces;
    x->gateway->old_traces = x;
    if (x->sending.spans) return; /* its end sees to the rest */
    send_gathered(x);
    if (!x->sending.spans) uv_timer_start(&x->timer, leave, 0, 0);
}

fer_code fer_gateway_export_traces(fer_gateway *g, const fer_trace_options *options, fer_err *err)
{
    fer_trace_export *made = NULL;
    fer_code code = options ? new_export(g, options, &made, err) : FER_OK;
    if (!code && made && !g->traces_told) code = fer_gateway_observe(g, on_call, g, err);
    if (code) {
        if (made) { /* only its timer knows it */
            made->next = g->old_traces;
            g->old_traces = made;
            leave(&made->timer);
        }
        return code;
    }
    g->traces_told |= made != NULL;
    if (g->traces) retire(g->traces);
    g->traces = made;
    return FER_OK;
}

static void count_in(const fer_trace_export *x, fer_trace_stats *out)
{
    add_stats(out, &x->stats);
    out->waiting += x->gathered.spans + x->sending.spans;
}

void fer_gateway_trace_stats(const fer_gateway *g, fer_trace_stats *out)
{
    *out = g->past_traces;
    if (g->traces) count_in(g->traces, out);
    for (const fer_trace_export *x = g->old_traces; x; x = x->next) count_in(x, out);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void time_is_up(uv_timer_t *timer)
{
    (void)timer;
}

static void close_export(fer_trace_export *x)
{
    if (!x || x->closing) return;
    int64_t end = fer_clock_mono() + FER_TRACE_FLUSH_MS * MS;
    x->closing = true; /* nothing is tried again from here on */
    uv_update_time(x->gateway->loop);
    uv_timer_start(&x->timer, time_is_up, FER_TRACE_FLUSH_MS, 0);
    if (x->sending.spans && !x->call) post(x);
    while (x->sending.spans || x->gathered.spans) {
        if (!x->sending.spans) send_gathered(x);
        if (!x->sending.spans) continue;
        if (fer_clock_mono() >= end) break;
        uv_run(x->gateway->loop, UV_RUN_ONCE);
    }
    if (x->gathered.spans) drop(x, x->gathered.spans, "there was no time to send them");
    x->gathered.spans = 0;
    fer_http_close(x->http);
    uv_close((uv_handle_t *)&x->timer, NULL);
}

void fer_gateway_close_traces(fer_gateway *g)
{
    close_export(g->traces);
    for (fer_trace_export *x = g->old_traces; x; x = x->next) close_export(x);
}

void fer_gateway_free_traces(fer_gateway *g)
{
    free_export(g->traces);
    while (g->old_traces) {
        fer_trace_export *x = g->old_traces;
        g->old_traces = x->next;
        free_export(x);
    }
}
