/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clients of a server write: each line is said by one of two peers, in turn, or (behind a '!')
 * by one over HTTP. What must hold: each text has one end; what is answered is JSON-RPC on one
 * line; a request that was read is answered by its own ID; when the peers are gone nothing is under
 * way.
 */
#include <ferrule/gateway.h>

#include "fuzz.h"
#include "serve.h"

static fer_code give_rows(void *context, fer_arena *a, const void *args, fer_str *out, fer_err *err)
{
    (void)context, (void)a, (void)args, (void)err;
    *out = FER_STR("{\"rows\":[1,2]}");
    return FER_OK;
}

static const fer_builtin functions[] = {{.ns = "f",
                                         .name = "rows",
                                         .description = "Gives rows.",
                                         .effect = FER_EFFECT_PURE,
                                         .run = give_rows}};

typedef struct turn {
    fer_arena *arena;
    fer_str text;
    unsigned ends;
} turn;

static void check_message(void *context, const fer_rpc *m, const fer_err *err)
{
    (void)context, (void)err;
    HOLDS(m && (m->kind == FER_RPC_RESULT || m->kind == FER_RPC_ERROR));
}

static void on_note(void *context, fer_str message)
{
    turn *t = context;
    fer_rpc m;
    HOLDS(t->ends == 0 && !memchr(message.ptr, '\n', message.len));
    HOLDS(fer_rpc_read(t->arena, message, NULL, &m, NULL) == FER_OK &&
          m.kind == FER_RPC_NOTIFICATION);
}

static void on_end(void *context, fer_str answer, int status)
{
    turn *t = context;
    fer_rpc asked, m;
    HOLDS(++t->ends == 1 && status >= 200 && status < 500);
    if (!answer.len) return;
    HOLDS(!memchr(answer.ptr, '\n', answer.len) && !memchr(answer.ptr, '\r', answer.len));
    HOLDS(fer_rpc_read_batch(t->arena, answer, NULL, check_message, t, NULL) == FER_OK);
    if (fer_rpc_read(t->arena, t->text, NULL, &asked, NULL) || asked.kind != FER_RPC_REQUEST)
        return;
    HOLDS(fer_rpc_read(t->arena, answer, NULL, &m, NULL) == FER_OK &&
          fer_rpc_id_eq(&m.id, &asked.id));
}
static const fer_talk_events events = {on_note, on_end};

static void talk(fer_arena *a, fer_front *f, fer_str text)
{
    enum {
        TURNS = 64
    };
    turn turns[TURNS];
    fer_peer *peers[2];
    for (size_t i = 0; i < 2; i++)
        HOLDS((peers[i] = fer_peer_new(f, &(fer_peer_options){.context = NULL})) != NULL);
    for (size_t i = 0; i < TURNS && text.len; i++) {
        fer_str line = fuzz_until(&text, '\n');
        bool http = line.len && line.ptr[0] == '!';
        fer_talk_hints hints = {.http = true,
                                .version = FER_STR("2026-07-28"),
                                .method = FER_STR("tools/call"),
                                .name = FER_STR("search_tools")};
        if (http) line = fer_str_slice(line, 1, line.len);
        turns[i] = (turn){.arena = a, .text = line};
        fer_talk *x = fer_talk_new(peers[i & 1], &events, &turns[i]);
        HOLDS(x);
        fer_talk_take(x, line, http ? &hints : NULL);
    }
    fer_peer_close(peers[0]);
    fer_peer_close(peers[1]);
    HOLDS(fer_front_busy(f) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_catalog *c;
    fer_gateway *g;
    fer_arena *a = fuzz_arena();
    if (size <= 1 << 14) {
        HOLDS(fer_catalog_new(&(fer_catalog_options){.search = true}, &c, NULL) == FER_OK);
        HOLDS(fer_gateway_new(&(fer_gateway_options){.catalog = c}, &g, NULL) == FER_OK);
        HOLDS(fer_gateway_builtins(g, functions, FER_COUNT(functions), NULL) == FER_OK);
        fer_front *f =
            fer_front_new(&(fer_front_options){.gateway = g, .catalog = c, .mode = FER_SERVE_BOTH});
        HOLDS(f);
        talk(a, f, fuzz_text(data, size));
        fer_front_free(f);
        fer_gateway_free(g);
        fer_catalog_free(c);
    }
    fer_arena_free(a);
    return 0;
}
