/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that come in, as requests, and their answers. */
#include <assert.h>
#include <stdarg.h>

#include "dispatch.h"
#include "errors.h"
#include "news.h"
#include "serve_parts.h"
#include "sys.h"

/* ---- life ------------------------------------------------------------------------------------ */

fer_talk *fer_talk_new(fer_peer *p, const fer_talk_events *events, void *context)
{
    fer_front *s = p->server;
    fer_talk *x = s->spare;
    if (x) {
        s->spare = x->next;
    } else {
        fer_arena *a = fer_arena_new(FER_SERVE_MEMORY);
        x = a ? fer_sys_malloc(sizeof *x) : NULL;
        if (!x) {
            fer_arena_free(a);
            return NULL;
        }
        x->arena = a;
    }
    fer_arena *a = x->arena;
    *x = (fer_talk){.peer = p, .arena = a, .events = events, .context = context, .status = 200};
    fer_buf_init(&x->out, a, FER_SERVE_MEMORY);
    p->exchanges++;
    return x;
}

static void finish(fer_talk *x)
{
    fer_peer *p = x->peer;
    fer_front *s = p->server;
    if (x->batch && x->out.len) fer_buf_add_char(&x->out, ']');
    fer_str answer = x->out.failure ? FER_STR("") : fer_buf_view(&x->out);
    if (x->events) x->events->end(x->context, answer, x->status);
    fer_arena_reset(x->arena);
    x->next = s->spare;
    s->spare = x;
    p->exchanges--;
    fer_peer_settle(p);
    fer_front_settle(s);
}

static void settle(fer_talk *x)
{
    if (!x->open && !x->taking) finish(x);
}

void fer_talk_discard(fer_talk *x)
{
    x->events = NULL;
    settle(x);
}

static fer_ask *next_to_cancel(const fer_talk *x)
{
    fer_ask *q = x->peer->asks;
    while (q && (q->talk != x || q->cancelled)) q = q->next;
    return q;
}

void fer_talk_abandon(fer_talk *x, bool cancel)
{
    x->events = NULL;
    /* With the last of them the exchange may be gone. */
    for (size_t left = cancel ? x->open : 0; left > 0; left--) {
        fer_ask *q = next_to_cancel(x);
        if (!q) return;
        fer_ask_cancel(q);
    }
}

fer_str fer_talk_scope(const fer_talk *x)
{
    return x->scope;
}

void fer_talk_flow(fer_talk *x, bool ready)
{
    for (fer_ask *q = x->peer->asks; q && ready; q = q->next)
        if (q->talk == x && q->call) fer_call_resume(q->call);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void begin_answer(fer_talk *x)
{
    if (!x->batch) return;
    fer_buf_add_char(&x->out, x->out.len ? ',' : '[');
}

/* What cannot be written is an error; where not even that can be, the client hears nothing. */
static void mend_answer(fer_talk *x, const fer_rpc_id *id, size_t from)
{
    if (!x->out.failure) return;
    fer_str why = FER_STR("the answer is larger than what a request may take");
    fer_buf_init(&x->out, x->arena, x->out.max);
    char *room = from ? NULL : fer_arena_alloc(x->arena, 1024);
    if (!room) return;
    fer_buf_init_fixed(&x->out, room, 1024);
    begin_answer(x);
    fer_rpc_add_error(&x->out, id, -32603, why);
}

static void link_ask(fer_peer *p, fer_ask *q)
{
    q->peer = p;
    q->next = p->asks;
    q->place = &p->asks;
    if (q->next) q->next->place = &q->next;
    p->asks = q;
    p->ask_count++;
    p->server->counts.asks++;
}

static void unlink_ask(fer_ask *q)
{
    *q->place = q->next;
    if (q->next) q->next->place = q->place;
    q->peer->ask_count--;
    q->peer->listen_count -= q->listens;
    fer_front *s = q->peer->server;
    s->counts.asks--;
    s->listens -= q->listens;
}

static void end_ask(fer_ask *q)
{
    fer_talk *x = q->talk;
    if (q->peer->questions) fer_questions_forget(q->peer, q);
    if (q->listens && q->peer->server->watches) fer_watch_remove(q->peer, q, FER_STR(""));
    unlink_ask(q);
    x->open--;
    settle(x);
}

fer_buf *fer_ask_open(fer_ask *q)
{
    fer_talk *x = q->talk;
    q->from = x->out.len;
    begin_answer(x);
    fer_rpc_open_result(&x->out, &q->id);
    return &x->out;
}

static void join_lines(const fer_buf *b, size_t from)
{
    fer_rpc_join_lines(b->ptr + from, b->len - from);
}

void fer_ask_close(fer_ask *q)
{
    fer_talk *x = q->talk;
    fer_buf_add_char(&x->out, '}');
    if (!x->out.failure) join_lines(&x->out, q->from);
    mend_answer(x, &q->id, q->from);
    end_ask(q);
}

void fer_ask_drop(fer_ask *q)
{
    end_ask(q);
}

/* What HTTP says to an error: the stateless protocol has a status for some of them. */
static int status_of(int code, bool modern)
{
    if (code == FER_RPC_PARSE_ERROR || code == FER_RPC_INVALID_REQUEST) return 400;
    if (!modern) return 200;
    if (code == FER_RPC_METHOD_NOT_FOUND) return 404;
    return code <= FER_MCP_HEADER_MISMATCH && code >= FER_MCP_UNSUPPORTED_VERSION ? 400 : 200;
}

static void add_fault(fer_talk *x, const fer_rpc_id *id, int code, fer_str data, fer_str text)
{
    size_t from = x->out.len;
    begin_answer(x);
    fer_rpc_add_error(&x->out, id, code, text);
    if (data.len && !x->out.failure) {
        x->out.len -= 2; /* into the error */
        fer_buf_add(&x->out, FER_STR(",\"data\":"));
        fer_buf_add(&x->out, data);
        fer_buf_add(&x->out, FER_STR("}}"));
    }
    mend_answer(x, id, from);
    x->peer->server->counts.refused++;
}

void fer_ask_fail(fer_ask *q, int code, fer_str data, const char *format, ...)
{
    char text[FER_ERR_TEXT];
    va_list args;
    va_start(args, format);
    size_t len = fer_format_text(text, sizeof text, format, args);
    va_end(args);
    fer_talk *x = q->talk;
    add_fault(x, &q->id, code, data, (fer_str){text, len});
    if (!x->batch && x->status == 200)
        x->status = status_of(code, q->version && q->version->modern);
    end_ask(q);
}

void fer_talk_refuse(fer_talk *x, const fer_rpc_id *id, int code, fer_str message)
{
    static const fer_rpc_id none;
    x->peer->server->counts.malformed++;
    add_fault(x, id ? id : &none, code, FER_STR(""), message);
    if (!x->batch) x->status = status_of(code, true);
}

void fer_ask_note(fer_ask *q, fer_str message)
{
    const fer_talk *x = q->talk;
    if (!q->cancelled && x->events) x->events->note(x->context, message);
}

bool fer_ask_say(fer_ask *q, fer_str message)
{
    const fer_talk *x = q->talk;
    if (q->cancelled || !x->events) return false;
    if (x->events->ask) return x->events->ask(x->context, message);
    x->events->note(x->context, message);
    return true;
}

/* The error of another: only its code may be another one here. */
void fer_ask_fail_as(fer_ask *q, fer_str error, int code)
{
    fer_talk *x = q->talk;
    fer_json *doc;
    fer_buf *b = &x->out;
    const yyjson_val *old = fer_json_read(x->arena, error, NULL, &doc, NULL)
                                ? NULL
                                : fer_val_get(fer_json_root(doc), "code");
    fer_str text = old ? fer_rpc_bytes(doc, fer_json_root(doc)) : error;
    fer_str had = old ? fer_rpc_bytes(doc, old) : FER_STR("");
    size_t from = b->len, at = old ? (size_t)(had.ptr - text.ptr) : 0;
    begin_answer(x);
    fer_buf_add_text(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    fer_rpc_add_id(b, &q->id);
    fer_buf_add_text(b, ",\"error\":");
    if (old) {
        fer_buf_add(b, fer_str_slice(text, 0, at));
        fer_buf_printf(b, "%d", code);
    }
    fer_buf_add(b, fer_str_slice(text, at + had.len, text.len));
    fer_buf_add_char(b, '}');
    if (!b->failure) join_lines(b, from);
    mend_answer(x, &q->id, from);
    q->peer->server->counts.refused++;
    if (!x->batch && x->status == 200)
        x->status = status_of(code, q->version && q->version->modern);
    end_ask(q);
}

/* ---- requests -------------------------------------------------------------------------------- */

fer_arena *fer_ask_arena(const fer_ask *q)
{
    return q->talk->arena;
}

fer_front *fer_ask_front(const fer_ask *q)
{
    return q->peer->server;
}

fer_guest *fer_ask_guest(const fer_ask *q)
{
    return q->peer->guest;
}

void fer_ask_cancel(fer_ask *q)
{
    q->cancelled = true;
    if (q->stop) q->stop(q);
    else fer_ask_drop(q);
}

fer_ask *fer_talk_ask(fer_talk *x, const fer_rpc *m)
{
    fer_peer *p = x->peer;
    fer_ask *q = fer_arena_alloc_zero(x->arena, 1, sizeof *q);
    if (!q) return NULL;
    *q = (fer_ask){.talk = x,
                   .peer = p,
                   .id = m->id,
                   .doc = m->doc,
                   .params = m->params,
                   .log_level = FER_LOG_OFF,
                   .token = FER_STR("")};
    link_ask(p, q);
    p->server->counts.requests++;
    x->open++;
    return q;
}

/* ---- a request that goes on without its exchange ----------------------------------------------
 */

/*
 * The two exchanges change their memories: what the request consists of stays where it is, and the
 * carrier's handle is good as ever, with a request in it that stands in for the one that left.
 */
fer_ask *fer_ask_move(fer_ask *q, fer_talk *to)
{
    fer_talk *from = q->talk;
    fer_peer *peer = q->peer;
    fer_arena *fresh = to->arena;
    fer_ask *other = fer_arena_alloc_zero(fresh, 1, sizeof *other);
    fer_str id = fer_arena_copy(fresh, q->id.text);
    if (!other || !id.ptr || from->batch || from->out.len) return NULL;
    to->arena = from->arena;
    from->arena = fresh;
    fer_buf_init(&from->out, from->arena, FER_SERVE_MEMORY);
    fer_buf_init(&to->out, to->arena, FER_SERVE_MEMORY);
    *other = (fer_ask){.talk = from,
                       .id = {q->id.type, id},
                       .method = q->method,
                       .version = q->version,
                       .log_level = q->log_level,
                       .token = FER_STR("")};
    to->hints = from->hints;
    from->hints = (fer_talk_hints){.http = to->hints.http};
    unlink_ask(q);
    q->talk = to;
    link_ask(to->peer, q);
    link_ask(peer, other);
    to->open++;
    return other;
}

void fer_ask_answer_as(fer_ask *q, fer_str rest, int status)
{
    fer_talk *x = q->talk;
    size_t from = x->out.len;
    begin_answer(x);
    fer_buf_add_text(&x->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    fer_rpc_add_id(&x->out, &q->id);
    fer_buf_add(&x->out, rest);
    mend_answer(x, &q->id, from);
    if (!x->batch) x->status = status;
    end_ask(q);
}

/* ---- taking ---------------------------------------------------------------------------------- */

static bool is_array(fer_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' && text.ptr[i] != '\t' && text.ptr[i] != '\r' && text.ptr[i] != '\n')
            return text.ptr[i] == '[';
    return false;
}

static void visit(void *context, const fer_rpc *m, const fer_err *err)
{
    fer_talk *x = context;
    if (m) fer_dispatch(x, m);
    else fer_talk_refuse(x, NULL, fer_rpc_fault(err->code), fer_str_of(err->message));
}

static void take_batch(fer_talk *x, fer_str text)
{
    const fer_mcp_version *v = x->peer->version;
    fer_err err = {0};
    if (!v || !v->batches) {
        fer_talk_refuse(x, NULL, FER_RPC_INVALID_REQUEST,
                        FER_STR("several messages at once are for version 2025-03-26 only"));
        return;
    }
    x->batch = true;
    fer_code code = fer_rpc_read_batch(x->arena, text, NULL, visit, x, &err);
    if (!code) return;
    x->batch = false; /* nothing of it was read: one error answers all */
    fer_talk_refuse(x, NULL, fer_rpc_fault(code), fer_str_of(err.message));
}

static void take_one(fer_talk *x, fer_str text)
{
    fer_rpc m;
    fer_err err = {0};
    fer_code code = fer_rpc_read(x->arena, text, NULL, &m, &err);
    if (!code) {
        fer_dispatch(x, &m);
        return;
    }
    fer_talk_refuse(x, &m.id, fer_rpc_fault(code), fer_str_of(err.message));
    /* It may have been an answer, which nobody is to wait for then. */
    if (code == FER_OUT_OF_MEMORY || code == FER_LIMIT_EXCEEDED) fer_questions_fail(x->peer);
}

static bool keep(fer_talk *x, fer_str *s)
{
    *s = s->len ? fer_arena_copy(x->arena, *s) : FER_STR("");
    return s->ptr != NULL;
}

static bool keep_params(fer_talk *x)
{
    fer_talk_hints *h = &x->hints;
    struct fer_head_param *own =
        h->param_count ? fer_arena_alloc_zero(x->arena, h->param_count, sizeof *own) : NULL;
    if (!h->param_count) return true;
    for (size_t i = 0; own && i < h->param_count; i++) {
        own[i] = h->params[i];
        if (!keep(x, &own[i].name) || (own[i].value.ptr && !keep(x, &own[i].value))) return false;
    }
    h->params = own;
    return own != NULL;
}

void fer_talk_take(fer_talk *x, fer_str text, const fer_talk_hints *hints)
{
    fer_str own = fer_arena_copy(x->arena, text);
    if (hints) x->hints = *hints;
    bool kept = own.ptr && keep(x, &x->hints.version) && keep(x, &x->hints.method) &&
                keep(x, &x->hints.name) && keep_params(x);
    x->taking = true;
    if (!kept) {
        fer_talk_refuse(x, NULL, -32603, FER_STR("out of memory"));
        fer_questions_fail(x->peer);
    } else if (is_array(own)) take_batch(x, own);
    else take_one(x, own);
    x->taking = false;
    settle(x);
}
