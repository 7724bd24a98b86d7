/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_stdio.h"

#include "errors.h"
#include "gateway_parts.h"
#include "line_pair.h"
#include "serve_parts.h"
#include "sys.h"

#define ID_MAX 128 /* bytes of an ID that a request is turned away by */

struct fer_stdio {
    fer_front *front;
    fer_peer *peer;
    fer_pair *pair;
    fer_buffers buffers; /* of the pair */
    bool over;           /* no more input */
    bool lost;           /* nobody reads what we say: there is nobody to work for */
    bool finished;       /* `ended` was called */
    bool closing;
    uv_timer_t later; /* `ended` is called from the loop, when an answer is out of its way */
    void (*ended)(void *context);
    void *context;
};

/* ---- the end --------------------------------------------------------------------------------- */

/* Everything is answered, and the answers are written. */
static void on_later(uv_timer_t *timer)
{
    fer_stdio *t = timer->data;
    bool done = t->lost || (t->over && !fer_peer_busy(t->peer) && !fer_pair_waiting(t->pair));
    if (t->finished || t->closing || !done) return;
    t->finished = true;
    t->ended(t->context);
}

static void settle(fer_stdio *t)
{
    if ((t->over || t->lost) && !t->closing) uv_timer_start(&t->later, on_later, 0, 0);
}

void fer_stdio_drain(fer_stdio *t)
{
    if (t->over) return;
    t->over = true;
    fer_pair_stop(t->pair);
    settle(t);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static void on_note(void *context, fer_str message)
{
    fer_stdio *t = context;
    if (!t->closing && !fer_pair_behind(t->pair)) fer_pair_write(t->pair, message);
}

static void on_end(void *context, fer_str answer, int status)
{
    fer_stdio *t = context;
    (void)status;
    if (answer.len && !t->closing) fer_pair_write(t->pair, answer);
    settle(t);
}

static bool on_ask(void *context, fer_str message)
{
    fer_stdio *t = context;
    if (t->closing) return false;
    fer_pair_write(t->pair, message);
    return true;
}

static const fer_talk_events events = {on_note, on_end, on_ask};

/* ---- lines ----------------------------------------------------------------------------------- */

static void on_lost(void *context)
{
    fer_stdio *t = context;
    t->lost = true;
    settle(t);
}

/* An ID that may be said again as it came. */
static bool is_plain_id(fer_str id)
{
    return id.len && id.len <= ID_MAX &&
           (id.ptr[0] == '"' || id.ptr[0] == '-' || (id.ptr[0] >= '0' && id.ptr[0] <= '9'));
}

/*
 * With most of the memory taken (FER_BYTES_HIGH) no request is begun, as over HTTP: it is answered
 * at once, by its ID, which takes none. What answers, cancels or tells something is taken.
 */
static bool is_turned_away(fer_stdio *t, fer_str line)
{
    static const char after[] =
        ",\"error\":{\"code\":-32603,\"message\":\"the server holds as many bytes as it may "
        "(gateway.bytes): come again\",\"data\":{\"code\":\"ConcurrencyLimited\",\"retryable\":true,"
        "\"retryAfterMs\":1000}}}";
    static const char before[] = "{\"jsonrpc\":\"2.0\",\"id\":";
    char text[sizeof before + ID_MAX + sizeof after];
    fer_rpc_glimpse seen;
    if (!fer_gateway_is_high(t->front->options.gateway)) return false;
    if (!fer_rpc_glance(line, &seen) || !seen.asks || !is_plain_id(seen.id)) return false;
    int len = snprintf(text, sizeof text, "%s%.*s%s", before, FER_PRI(seen.id), after);
    fer_pair_write(t->pair, (fer_str){text, (size_t)len});
    return true;
}

static bool take_line(void *context, fer_str line)
{
    fer_stdio *t = context;
    bool blank = true;
    for (size_t i = 0; i < line.len && blank; i++)
        blank = line.ptr[i] == ' ' || line.ptr[i] == '\t';
    if (blank) return true;
    if (is_turned_away(t, line)) return !t->closing;
    fer_talk *x = fer_talk_new(t->peer, &events, t);
    if (x) fer_talk_take(x, line, NULL);
    else on_lost(t);
    return !t->closing;
}

/* A line past the limit cannot be answered by its ID, which nobody has read. */
static void on_too_long(void *context)
{
    fer_stdio *t = context;
    fer_pair_write(t->pair,
                   FER_STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
                           "\"message\":\"a message has more bytes than a line may have\"}}"));
}

static void on_input_end(void *context)
{
    fer_stdio_drain(context);
}

static void on_written(void *context)
{
    settle(context);
}

static const fer_pair_events pair_events = {.line = take_line,
                                            .too_long = on_too_long,
                                            .end = on_input_end,
                                            .lost = on_lost,
                                            .written = on_written};

static size_t held(const void *context)
{
    const fer_stdio *t = context;
    return fer_pair_held(t->pair);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void on_closed(uv_handle_t *handle)
{
    fer_sys_free(handle->data);
}

void fer_stdio_close(fer_stdio *t)
{
    t->closing = true;
    if (t->peer) fer_peer_close(t->peer);
    t->peer = NULL;
    fer_gateway_uncount_buffers(&t->buffers);
    if (t->pair) fer_pair_close(t->pair);
    uv_close((uv_handle_t *)&t->later, on_closed);
}

fer_code fer_stdio_open(fer_front *s, fer_guest *who, int in, int out, void (*ended)(void *context),
                        void *context, fer_stdio **made, fer_err *err)
{
    fer_stdio *t = fer_sys_malloc(sizeof *t);
    if (!t) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *t = (fer_stdio){.front = s, .ended = ended, .context = context};
    uv_timer_init(fer_front_loop(s), &t->later);
    t->later.data = t;
    fer_code code = fer_pair_open(fer_front_loop(s), in, out, &pair_events, t, &t->pair, err);
    if (!code)
        t->peer = fer_peer_new(s, &(fer_peer_options){.push = on_note, .context = t, .guest = who});
    if (!code && !t->peer) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) {
        fer_stdio_close(t);
        return code;
    }
    t->buffers = (fer_buffers){.bytes = held, .context = t};
    fer_gateway_count_buffers(s->options.gateway, &t->buffers);
    *made = t;
    return FER_OK;
}
