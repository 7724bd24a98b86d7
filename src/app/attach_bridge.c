/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines between a client and its gateway. Every line is looked at, and none is changed: what the
 * client asks is remembered until it is answered, so that the end of a gateway can be told to
 * whoever waits for it.
 */
#include <unistd.h>

#include "attach.h"
#include "attach_join.h"
#include "attach_lasting.h"
#include "errors.h"
#include "line_pair.h"
#include "rpc.h"
#include "sys.h"

#define LOOK_MEMORY ((size_t)256 << 20) /* bytes that reading one line may take */

/* A request that is not answered; its ID is kept as JSON. */
typedef struct asked {
    struct asked *next;
    size_t len;
    char id[];
} asked;

/* A line that is kept. */
typedef struct kept {
    size_t len;
    char text[];
} kept;

typedef struct bridge {
    fer_app *app;
    const fer_attach *at;
    bool start;
    uv_loop_t loop;
    fer_arena *arena; /* of one line */
    fer_pair *client, *gate;
    asked *asks;
    size_t ask_count;
    kept *opening;       /* initialize, as the client said it; NULL: it said none */
    fer_lasting lasting; /* what a session has beside that */
    asked *again;        /* its ID, where it was said once more and the answer is kept back */
    asked *farewell;     /* the ID of a question of our own; its answer is kept back */
    bool odd;            /* a line was passed on that is no message: it is answered, by no ID */
    bool ended;          /* the client's input */
    bool over;
    int exit;
} bridge;

/* ---- what is asked -----------------------------------------------------------------------------
 */

static asked *make_ask(fer_str id)
{
    asked *q = fer_sys_malloc(sizeof *q + id.len);
    if (!q) return NULL;
    q->next = NULL;
    q->len = id.len;
    if (id.len) memcpy(q->id, id.ptr, id.len);
    return q;
}

/* The ID as JSON; the same ID is the same text. */
static fer_str id_text(bridge *b, const fer_rpc_id *id)
{
    fer_buf text;
    if (id->type == FER_RPC_INTEGER) return id->text;
    fer_buf_init(&text, b->arena, id->text.len * 6 + 3);
    fer_buf_add_quoted(&text, id->text);
    return fer_buf_view(&text);
}

static bool is_id(const asked *q, fer_str id)
{
    return fer_str_eq((fer_str){q->id, q->len}, id);
}

static void remember(bridge *b, fer_str id)
{
    asked *q = b->ask_count < FER_ATTACH_ASKS_MAX ? make_ask(id) : NULL;
    if (!q) return; /* should the gateway end, nobody tells the client of this one */
    q->next = b->asks;
    b->asks = q;
    b->ask_count++;
}

/* False: it was not asked, or was answered. */
static bool forget(bridge *b, fer_str id)
{
    for (asked **at = &b->asks; *at; at = &(*at)->next) {
        asked *q = *at;
        if (!is_id(q, id)) continue;
        *at = q->next;
        fer_sys_free(q);
        b->ask_count--;
        return true;
    }
    return false;
}

static void answer_error(bridge *b, fer_str id, const char *message)
{
    fer_buf text;
    fer_buf_init(&text, b->arena, 4096 + id.len);
    fer_buf_add_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":");
    fer_buf_add(&text, id);
    fer_buf_add_text(&text, ",\"error\":{\"code\":-32603,\"message\":");
    fer_buf_add_quoted(&text, fer_str_of(message));
    fer_buf_add_text(&text, "}}");
    if (!text.failure) fer_pair_write(b->client, fer_buf_view(&text));
}

/* ---- the end -----------------------------------------------------------------------------------
 */

#define FAREWELL "\"ferrule-attach-end\""

/* What the gateway says to lines that are no messages has no ID to wait for. It answers in order:
 * when it has answered this, it has answered those. False: there is nothing to wait for. */
static bool ask_farewell(bridge *b)
{
    if (!b->odd || !b->gate) return b->farewell != NULL;
    b->odd = false;
    b->farewell = make_ask(FER_STR(FAREWELL));
    if (!b->farewell) return false;
    fer_pair_write(b->gate,
                   FER_STR("{\"jsonrpc\":\"2.0\",\"id\":" FAREWELL ",\"method\":\"ping\"}"));
    return true;
}

static void settle(bridge *b)
{
    bool idle = !b->asks && !fer_pair_waiting(b->client) && !(b->gate && fer_pair_waiting(b->gate));
    if (b->ended && idle && !ask_farewell(b)) b->over = true;
}

static void on_written(void *context)
{
    bridge *b = context;
    if (b->gate) fer_pair_pause(b->gate, fer_pair_behind(b->client));
    if (b->gate) fer_pair_pause(b->client, fer_pair_behind(b->gate));
    settle(b);
}

/* The gateway is gone: whoever waits is told, and the next message finds another. */
static void lose_gate(bridge *b)
{
    if (!b->gate) return;
    fer_pair_close(b->gate);
    b->gate = NULL;
    fer_sys_free(b->again);
    fer_sys_free(b->farewell);
    b->again = b->farewell = NULL;
    b->odd = false;
    while (b->asks) {
        asked *q = b->asks;
        b->asks = q->next;
        fer_arena_reset(b->arena);
        answer_error(b, (fer_str){q->id, q->len},
                     "the gateway has ended before it answered: whether this was done is not "
                     "known. The next request goes to a new one.");
        fer_sys_free(q);
    }
    b->ask_count = 0;
    fer_pair_pause(b->client, false);
    settle(b);
}

/* ---- from the gateway --------------------------------------------------------------------------
 */

/* Answers are looked for in a batch too. True: the line is for the client. */
typedef struct looking {
    bridge *bridge;
    bool back; /* it is what the client has been told before */
} looking;

static void look_at_answer(void *context, const fer_rpc *m, const fer_err *err)
{
    looking *l = context;
    bridge *b = l->bridge;
    (void)err;
    if (!m || (m->kind != FER_RPC_RESULT && m->kind != FER_RPC_ERROR)) return;
    fer_str id = id_text(b, &m->id);
    if (fer_lasting_takes(&b->lasting, m)) {
        l->back = true;
    } else if (b->farewell && is_id(b->farewell, id)) {
        l->back = true;
        fer_sys_free(b->farewell);
        b->farewell = NULL;
    } else if (b->again && is_id(b->again, id)) {
        l->back = true;
        fer_sys_free(b->again);
        b->again = NULL;
    } else {
        forget(b, id);
    }
}

/* What is not read, as it is larger than a message of a server's may be: a list is. */
static void glance_at_answer(looking *l, fer_str line)
{
    bridge *b = l->bridge;
    fer_rpc_glimpse seen;
    if (!fer_rpc_glance(line, &seen) || seen.asks || !seen.id.len) return;
    l->back = b->again && is_id(b->again, seen.id);
    if (!l->back) {
        forget(b, seen.id);
        return;
    }
    fer_sys_free(b->again);
    b->again = NULL;
}

static bool from_gate(void *context, fer_str line)
{
    bridge *b = context;
    looking l = {.bridge = b};
    bool waits = b->asks || b->again || b->farewell || b->lasting.unanswered;
    fer_arena_reset(b->arena);
    if (waits &&
        fer_rpc_read_batch(b->arena, line, fer_json_limits_answer(), look_at_answer, &l, NULL))
        glance_at_answer(&l, line);
    if (!l.back) fer_pair_write(b->client, line);
    if (b->gate) fer_pair_pause(b->gate, fer_pair_behind(b->client));
    settle(b);
    return b->gate != NULL;
}

static void gate_too_long(void *context)
{
    bridge *b = context;
    fer_app_say(b->app, "the gateway said more than %zu bytes in one line: it is passed over",
                FER_ATTACH_LINE_MAX);
}

/* Whoever waits for it hears so: by its ID, or as the only one. */
static void gate_passed(void *context, fer_str head, fer_str tail)
{
    bridge *b = context;
    fer_rpc_glimpse seen;
    fer_arena_reset(b->arena);
    if (!fer_rpc_glance_ends(head, tail, &seen) || seen.asks) return;
    bool only = !seen.id.len && b->ask_count == 1;
    fer_str id = fer_arena_copy(b->arena, only ? (fer_str){b->asks->id, b->asks->len} : seen.id);
    if (!id.len || !forget(b, id)) return;
    answer_error(b, id, "the answer is too large for a client that attaches (attach.line)");
    settle(b);
}

static void gate_ended(void *context)
{
    lose_gate(context);
}

static const fer_pair_events gate_events = {.line = from_gate,
                                            .too_long = gate_too_long,
                                            .end = gate_ended,
                                            .lost = gate_ended,
                                            .written = on_written,
                                            .passed = gate_passed};

static bool open_gate(bridge *b, int fd, fer_err *err)
{
    if (fer_pair_open(&b->loop, fd, fd, &gate_events, b, &b->gate, err)) {
        b->gate = NULL;
        return false;
    }
    fer_pair_limit(b->gate, FER_ATTACH_LINE_MAX);
    return true;
}

/* Says again what opened the session, so that the new gateway knows the client. */
static void say_again(bridge *b)
{
    fer_rpc m;
    if (!b->opening) return;
    fer_str line = {b->opening->text, b->opening->len};
    if (fer_rpc_read(b->arena, line, NULL, &m, NULL)) return;
    b->again = make_ask(id_text(b, &m.id));
    fer_pair_write(b->gate, line);
    fer_pair_write(b->gate,
                   FER_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"));
    fer_lasting_say(&b->lasting, b->arena, b->gate);
}

static bool reach_gate(bridge *b)
{
    fer_err err = {0};
    if (b->gate) return true;
    int fd = fer_attach_join(b->app, b->at, b->start, &err);
    if (fd >= 0 && open_gate(b, fd, &err)) {
        fer_app_say(b->app, "attached to another gateway");
        say_again(b);
        return true;
    }
    fer_app_say(b->app, "%s: %s", fer_code_info(err.code)->name, err.message);
    return false;
}

/* ---- from the client ---------------------------------------------------------------------------
 */

static void keep_opening(bridge *b, fer_str line)
{
    kept *k = fer_sys_malloc(sizeof *k + line.len);
    fer_sys_free(b->opening);
    b->opening = k;
    if (!k) return;
    k->len = line.len;
    memcpy(k->text, line.ptr, line.len);
}

typedef struct noting {
    bridge *bridge;
    fer_str line;
    bool reached;
} noting;

static void look_at_request(void *context, const fer_rpc *m, const fer_err *err)
{
    noting *n = context;
    bridge *b = n->bridge;
    (void)err;
    if (!m) b->odd = true;
    if (!m || m->kind != FER_RPC_REQUEST) return;
    fer_str id = id_text(b, &m->id);
    if (!n->reached) {
        answer_error(b, id,
                     "no gateway runs for this configuration: `ferrule serve` starts one, and "
                     "`--attach start` lets this program start it");
        return;
    }
    if (fer_str_is(m->method, "initialize")) keep_opening(b, n->line);
    fer_lasting_note(&b->lasting, m);
    remember(b, id);
}

static bool from_client(void *context, fer_str line)
{
    bridge *b = context;
    fer_arena_reset(b->arena);
    noting n = {.bridge = b, .line = line, .reached = reach_gate(b)};
    fer_arena_reset(b->arena);
    if (fer_rpc_read_batch(b->arena, line, NULL, look_at_request, &n, NULL)) b->odd = true;
    if (b->gate) fer_pair_write(b->gate, line);
    if (b->gate) fer_pair_pause(b->client, fer_pair_behind(b->gate));
    return true;
}

static void client_too_long(void *context)
{
    bridge *b = context;
    fer_pair_write(b->client,
                   FER_STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
                           "\"message\":\"a message has more bytes than a line may have\"}}"));
}

static void client_ended(void *context)
{
    bridge *b = context;
    b->ended = true;
    settle(b);
}

static void client_lost(void *context)
{
    ((bridge *)context)->over = true;
}

static const fer_pair_events client_events = {.line = from_client,
                                              .too_long = client_too_long,
                                              .end = client_ended,
                                              .lost = client_lost,
                                              .written = on_written};

/* ---- all ---------------------------------------------------------------------------------------
 */

static int pass_lines(bridge *b, int fd)
{
    fer_err err = {0};
    if (!open_gate(b, fd, &err) ||
        fer_pair_open(&b->loop, STDIN_FILENO, STDOUT_FILENO, &client_events, b, &b->client, &err)) {
        if (b->gate) fer_pair_close(b->gate);
        return fer_app_fail(b->app, &err);
    }
    while (!b->over) uv_run(&b->loop, UV_RUN_ONCE);
    if (b->gate) fer_pair_close(b->gate);
    fer_pair_close(b->client);
    return FER_EXIT_OK;
}

int fer_attach_run(fer_app *app, const fer_attach *at, bool start)
{
    bridge b = {.app = app, .at = at, .start = start};
    fer_err err = {0};
    int fd = fer_attach_join(app, at, start, &err), bad = -1;
    if (fd < 0) {
        if (start)
            fer_app_say(app, "%s: %s; serving in this process", fer_code_info(err.code)->name,
                        err.message);
        return -1;
    }
    b.arena = fer_arena_new(LOOK_MEMORY);
    if (!b.arena || uv_loop_init(&b.loop)) {
        fer_sys_close(fd);
        fer_arena_free(b.arena);
        return bad;
    }
    bad = pass_lines(&b, fd);
    uv_run(&b.loop, UV_RUN_DEFAULT);
    uv_loop_close(&b.loop);
    while (b.asks) {
        asked *q = b.asks;
        b.asks = q->next;
        fer_sys_free(q);
    }
    fer_lasting_deinit(&b.lasting);
    fer_sys_free(b.again);
    fer_sys_free(b.farewell);
    fer_sys_free(b.opening);
    fer_arena_free(b.arena);
    return bad;
}
