/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an MCP server writes, as lines. What must hold: however the bytes are cut into pieces, the
 * messages are the same; a message that is read carries its values byte for byte, and its ID reads
 * back as the same ID; and a client with calls and a list under way is told of the end of each
 * exactly once, whatever comes, its news before that; every question is answered, refused or
 * withdrawn.
 */
#include <inttypes.h>

#include "buf.h"
#include "fuzz.h"
#include "lines.h"
#include "mcp_client.h"
#include "rpc.h"

/* ---- messages -----------------------------------------------------------------------------------
 */

static void check_value(fer_arena *a, const fer_rpc *m, const yyjson_val *v)
{
    fer_json *doc;
    bool same = false;
    if (!v) return;
    HOLDS(fer_json_read(a, fer_rpc_bytes(m->doc, v), NULL, &doc, NULL) == FER_OK);
    HOLDS(fer_json_equal(a, v, fer_json_root(doc), &same, NULL) != FER_OK || same);
}

static void check_id(fer_arena *a, const fer_rpc *m)
{
    fer_buf b;
    fer_rpc again;
    fer_buf_init(&b, a, SIZE_MAX);
    fer_rpc_add_error(&b, &m->id, -1, FER_STR("x"));
    HOLDS(fer_rpc_read(a, fer_buf_view(&b), NULL, &again, NULL) == FER_OK);
    HOLDS(again.kind == FER_RPC_ERROR && again.error_code == -1);
    HOLDS(fer_rpc_id_eq(&m->id, &again.id));
}

/* A digest of the messages so far, so that two cuts can be compared. */
typedef struct reading {
    fer_arena *arena;
    uint64_t digest;
    size_t lines;
} reading;

static bool take_line(void *context, fer_str line)
{
    reading *r = context;
    fer_rpc m;
    fer_err err = {0};
    fer_code code = fer_rpc_read(r->arena, line, NULL, &m, &err);
    HOLDS(!code || err.message[0]);
    if (!code) {
        HOLDS((m.kind <= FER_RPC_NOTIFICATION) == (m.method.ptr != NULL));
        HOLDS((m.kind == FER_RPC_RESULT) == (m.result != NULL));
        HOLDS((m.kind == FER_RPC_ERROR) == (m.error != NULL));
        HOLDS(m.id.type != FER_RPC_NO_ID || m.kind == FER_RPC_NOTIFICATION ||
              m.kind == FER_RPC_ERROR);
        check_value(r->arena, &m, m.params ? m.params : m.result ? m.result : m.error);
        check_id(r->arena, &m);
    }
    r->digest = (r->digest ^ (unsigned)code ^ (code ? 0u : (unsigned)m.kind << 16) ^ line.len) *
                UINT64_C(0x9E3779B97F4A7C15);
    r->lines++;
    return true;
}

static void read_cut(fer_str text, size_t step, fer_line_taker *take, void *context)
{
    fer_line_split split;
    fer_line_split_init(&split, 0);
    for (size_t at = 0; at < text.len; at += step) {
        size_t end = text.len - at < step ? text.len : at + step;
        HOLDS(fer_line_split_feed(&split, fer_str_slice(text, at, end), take, context) == FER_OK);
    }
    fer_line_split_end(&split, take, context);
    fer_line_split_deinit(&split);
}

/* ---- a client
 * -------------------------------------------------------------------------------------- */

static fer_code link_open(fer_mcp_link *l, fer_err *err)
{
    (void)l;
    (void)err;
    return FER_OK;
}

static fer_code link_send(fer_mcp_link *l, const fer_mcp_out *m, fer_err *err)
{
    (void)l;
    (void)err;
    HOLDS(m->json.len && !memchr(m->json.ptr, '\n', m->json.len));
    return FER_OK;
}

static void link_close(fer_mcp_link *l, bool hurry)
{
    (void)hurry;
    l->events->closed(l->context, FER_OK, "closed");
}

static void link_free(fer_mcp_link *l)
{
    (void)l;
}

static const fer_mcp_link_kind link_kind = {
    .open = link_open, .send = link_send, .close = link_close, .free = link_free};

typedef struct session {
    fer_mcp_link link;
    fer_mcp_call calls[3];
    fer_mcp_list list;
    unsigned ends[4];
    fer_mcp_question *kept[4]; /* questions that wait for the end */
    bool closed;
} session;

static void on_progress(fer_mcp_call *k, fer_str json)
{
    session *s = k->context;
    HOLDS(s->ends[k - s->calls] == 0 && json.len && json.ptr[0] == '{');
}

static void on_end(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    session *s = k->context;
    HOLDS(o->code ? o->message.len > 0 || o->definite : o->json.len > 0);
    HOLDS(++s->ends[k - s->calls] == 1);
}

static void on_list(fer_mcp_list *l, fer_code code, fer_str tools, const fer_err *err)
{
    session *s = l->context;
    HOLDS(code ? err->message[0] != 0 : tools.len >= 2 && tools.ptr[0] == '[');
    HOLDS(++s->ends[3] == 1);
}

/* Some questions are refused, some answered at once, and a few wait. */
static bool on_asked(void *context, fer_mcp_question *q)
{
    session *s = context;
    HOLDS(!q->call || s->ends[q->call - s->calls] == 0);
    if (q->method.len % 4 == 0) return false;
    for (size_t i = 0; q->method.len % 4 == 2 && i < FER_COUNT(s->kept); i++)
        if (!s->kept[i]) {
            s->kept[i] = q;
            return true;
        }
    if (q->method.len % 4 == 1) fer_mcp_question_refuse(q, -1, FER_STR("no"));
    else fer_mcp_question_answer(q, FER_STR("{\"a\":1}"));
    return true;
}

static void on_withdrawn(void *context, fer_mcp_question *q)
{
    session *s = context;
    bool known = false;
    for (size_t i = 0; i < FER_COUNT(s->kept); i++)
        if (s->kept[i] == q) {
            s->kept[i] = NULL;
            known = true;
        }
    HOLDS(known);
}

static void on_closed(void *context)
{
    ((session *)context)->closed = true;
}

static bool say(void *context, fer_str line)
{
    session *s = context;
    s->link.events->message(s->link.context, 0, line);
    return true;
}

static void talk(fer_arena *a, fer_str text)
{
    session s = {.link = {.kind = &link_kind}};
    uv_loop_t loop;
    HOLDS(uv_loop_init(&loop) == 0);
    fer_mcp_client *c = fer_mcp_client_new(&s.link, &(fer_mcp_options){.loop = &loop,
                                                                       .closed = on_closed,
                                                                       .asked = on_asked,
                                                                       .withdrawn = on_withdrawn,
                                                                       .context = &s});
    HOLDS(c);
    for (size_t i = 0; i < FER_COUNT(s.calls); i++) {
        s.calls[i] = (fer_mcp_call){.arena = a, .context = &s, .on_end = on_end};
        s.calls[i].tool = FER_STR("t");
        s.calls[i].args = FER_STR("{}");
        s.calls[i].on_progress = i ? on_progress : NULL;
        fer_mcp_client_call(c, &s.calls[i]);
    }
    s.list = (fer_mcp_list){.arena = a, .context = &s, .on_end = on_list};
    fer_mcp_client_list(c, &s.list);
    read_cut(text, SIZE_MAX / 2, say, &s);
    if (text.len % 2 && s.kept[0]) {
        fer_mcp_question *q = s.kept[0];
        s.kept[0] = NULL;
        fer_mcp_question_answer(q, FER_STR("{}"));
    }
    fer_mcp_client_close(c);
    for (size_t i = 0; i < FER_COUNT(s.kept); i++) HOLDS(!s.kept[i]);
    uv_run(&loop, UV_RUN_DEFAULT);
    for (size_t i = 0; i < FER_COUNT(s.ends); i++) HOLDS(s.ends[i] == 1);
    HOLDS(s.closed);
    fer_mcp_client_free(c);
    HOLDS(uv_loop_close(&loop) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    if (size <= 1 << 16) {
        reading whole = {.arena = a}, pieces = {.arena = a};
        read_cut(text, SIZE_MAX / 2, take_line, &whole);
        read_cut(text, 1 + size % 7, take_line, &pieces);
        HOLDS(whole.lines == pieces.lines && whole.digest == pieces.digest);
        talk(a, text);
    }
    fer_arena_free(a);
    return 0;
}
