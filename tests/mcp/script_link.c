/* SPDX-License-Identifier: Apache-2.0 */
#include "script_link.h"

#include "faults.h"

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{},"                                           \
    "\"io.modelcontextprotocol/clientInfo\":$C}"

typedef struct script {
    fer_mcp_link link; /* first */
    fer_mcp_client *client;
    const script_options *options;
    fer_arena *arena;
    uv_loop_t loop;
    char log[1 << 16]; /* what happened and was not expected yet: lines */
    size_t log_len;
    fer_mcp_call calls[SCRIPT_CALLS];
    size_t call_count;
    fer_mcp_list lists[SCRIPT_CALLS];
    size_t list_count;
    fer_mcp_question *questions[SCRIPT_CALLS];
    size_t question_count;
    bool open, closed;
} script;

/* ---- what happened ------------------------------------------------------------------------- */

static void happen(script *s, const char *format, ...) FER_PRINTF(2, 3);
static void happen(script *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(s->log + s->log_len, sizeof s->log - s->log_len, format, args);
    va_end(args);
    s->log_len += (size_t)len;
    assert_true(s->log_len + 1 < sizeof s->log);
    s->log[s->log_len++] = '\n';
}

static void expect(script *s, const char *line)
{
    char *end = memchr(s->log, '\n', s->log_len);
    size_t len = end ? (size_t)(end - s->log) : 0;
    size_t want = strlen(line);
    bool open = line[want - 1] == '*'; /* the rest may be anything */
    if (!end || (open ? len < want - 1 : len != want) || memcmp(s->log, line, want - open) != 0)
        fail_msg("expected: %s\n  happened: %.*s", line, (int)(end ? len : 7),
                 end ? s->log : "nothing");
    s->log_len -= len + 1;
    memmove(s->log, end + 1, s->log_len);
}

/* ---- the link ------------------------------------------------------------------------------- */

static fer_code link_open(fer_mcp_link *l, fer_err *err)
{
    script *s = (script *)l;
    if (s->options->unopenable) return fer_fail(err, FER_BACKEND_UNAVAILABLE, "no such program");
    happen(s, "= open");
    s->open = true;
    return FER_OK;
}

static fer_code link_send(fer_mcp_link *l, const fer_mcp_out *m, fer_err *err)
{
    (void)err;
    if (m->name.len && m->mirrored_count) happen((script *)l, "= name %.*s", FER_PRI(m->name));
    for (size_t i = 0; i < m->mirrored_count; i++)
        happen((script *)l, "= header %.*s: %.*s", FER_PRI(m->mirrored[i].name),
               FER_PRI(m->mirrored[i].value));
    happen((script *)l, "> %.*s", FER_PRI(m->json));
    return FER_OK;
}

static void link_abandon(fer_mcp_link *l, uint64_t id)
{
    happen((script *)l, "= abandon %u", (unsigned)id);
}

static void link_pause(fer_mcp_link *l, uint64_t id, bool paused)
{
    happen((script *)l, "= %s %u", paused ? "pause" : "go", (unsigned)id);
}

static void link_close(fer_mcp_link *l, bool hurry)
{
    script *s = (script *)l;
    if (s->open) happen(s, hurry ? "= kill" : "= close");
    s->open = false;
    l->events->closed(l->context, FER_OK, "it was closed");
}

static void link_free(fer_mcp_link *l)
{
    (void)l;
}

static const fer_mcp_link_kind pipe_kind = {
    .open = link_open, .send = link_send, .close = link_close, .free = link_free};
static const fer_mcp_link_kind stream_kind = {.streams = true,
                                              .open = link_open,
                                              .send = link_send,
                                              .abandon = link_abandon,
                                              .pause = link_pause,
                                              .close = link_close,
                                              .free = link_free};

/* ---- the caller ------------------------------------------------------------------------------ */

static void call_ended(fer_mcp_call *k, const fer_mcp_outcome *o)
{
    script *s = k->context;
    fer_str value = FER_STR("-");
    if (o->result.value)
        assert_int_equal(fer_json_write(s->arena, o->result.value, false, &value, NULL), FER_OK);
    if (!o->code) {
        assert_true(o->json.len && o->definite && o->sent);
        happen(s, "= ended %d %.*s", (int)(k - s->calls), FER_PRI(k->method ? o->json : value));
        return;
    }
    happen(s, "= ended %d %s%s%s%s: %.*s%s%.*s", (int)(k - s->calls), fer_code_info(o->code)->name,
           o->sent ? " sent" : "", o->definite ? " definite" : "", o->refused ? " refused" : "",
           FER_PRI(o->message), o->details.len ? " " : "", FER_PRI(o->details));
}

static void call_news(fer_mcp_call *k, fer_str json)
{
    script *s = k->context;
    happen(s, "= news %d %.*s", (int)(k - s->calls), FER_PRI(json));
}

static void list_ended(fer_mcp_list *l, fer_code code, fer_str tools, const fer_err *err)
{
    script *s = l->context;
    if (code) happen(s, "= tools %s: %s", fer_code_info(code)->name, err->message);
    else happen(s, "= tools %.*s", FER_PRI(tools));
}

static bool asked(void *context, fer_mcp_question *q)
{
    script *s = context;
    if (!s->options->asks) return false;
    happen(s, "= asked %.*s %.*s of %d", FER_PRI(q->method), FER_PRI(q->params),
           q->call ? (int)(q->call - s->calls) : -1);
    if (s->options->at_once) fer_mcp_question_answer(q, FER_STR("{\"ok\":true}"));
    else s->questions[s->question_count++] = q;
    return true;
}

static fer_mcp_question *take_question(script *s, size_t n)
{
    fer_mcp_question *q = s->questions[n];
    assert_true(n < s->question_count);
    memmove(&s->questions[n], &s->questions[n + 1], (--s->question_count - n) * sizeof q);
    return q;
}

static void withdrawn(void *context, fer_mcp_question *q)
{
    script *s = context;
    size_t n = 0;
    while (s->questions[n] != q) n++;
    take_question(s, n);
    happen(s, "= withdrawn %.*s", FER_PRI(q->method));
}

static void changed(void *context)
{
    happen(context, "= changed");
}

static void rested(void *context)
{
    happen(context, "= rested");
}

static void closed(void *context)
{
    script *s = context;
    s->closed = true;
}

static void begin_call(script *s, const char *rest, bool listens)
{
    fer_mcp_call *k = &s->calls[s->call_count++];
    const char *blank = strchr(rest, ' ');
    size_t len = blank ? (size_t)(blank - rest) : strlen(rest);
    *k = (fer_mcp_call){.arena = s->arena, .context = s, .on_end = call_ended};
    k->tool = fer_arena_copy(s->arena, (fer_str){rest, len});
    k->args = blank ? fer_arena_copy(s->arena, fer_str_of(blank + 1)) : FER_STR("{}");
    if (s->options->tool) k->definition = fer_str_of(s->options->tool);
    if (listens) k->on_progress = call_news;
    fer_mcp_client_call(s->client, k);
}

static void begin_other(script *s, const char *rest)
{
    fer_mcp_call *k = &s->calls[s->call_count++];
    const char *blank = strchr(rest, ' ');
    size_t len = blank ? (size_t)(blank - rest) : strlen(rest);
    *k = (fer_mcp_call){.arena = s->arena, .context = s, .on_end = call_ended};
    k->method = fer_arena_copy(s->arena, (fer_str){rest, len}).ptr;
    if (blank) k->params = fer_arena_copy(s->arena, fer_str_of(blank + 1));
    k->on_progress = call_news;
    fer_mcp_client_call(s->client, k);
}

static void begin_list(script *s)
{
    fer_mcp_list *l = &s->lists[s->list_count++];
    *l = (fer_mcp_list){.arena = s->arena, .context = s, .on_end = list_ended};
    fer_mcp_client_list(s->client, l);
}

/* ---- the script --------------------------------------------------------------------------------
 */

static void fail_request(script *s, const char *rest)
{
    unsigned id = 0, code = 0;
    char flags[64] = "";
    assert_true(sscanf(rest, "%u %u %63s", &id, &code, flags) >= 2);
    fer_mcp_failure f = {.code = (fer_code)code, .message = "it broke"};
    f.sent = strstr(flags, "sent") != NULL;
    f.lost = strstr(flags, "lost") != NULL;
    f.unknown = strstr(flags, "unknown") != NULL;
    f.refused = strstr(flags, "refused") != NULL;
    s->link.events->failed(s->link.context, id, &f);
}

static void show_info(script *s)
{
    fer_mcp_info i;
    fer_mcp_client_info(s->client, &i);
    happen(s, "= info %s %s/%s noise %u late %u foreign %u refused %u logs %u running %u",
           i.version ? i.version->name : "-", i.server, i.server_version, (unsigned)i.noise,
           (unsigned)i.late, (unsigned)i.foreign, (unsigned)i.refused, (unsigned)i.logs,
           (unsigned)i.running);
}

static void on_tick(uv_timer_t *t)
{
    (void)t;
}

/* The loop turns at least once in a tick: a timer that is due before it waits must not make it
 * wait. */
static void wait_for_something(script *s)
{
    uv_timer_t tick;
    uv_timer_init(&s->loop, &tick);
    uv_timer_start(&tick, on_tick, 5, 5);
    while (!s->log_len) uv_run(&s->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&s->loop, UV_RUN_NOWAIT);
}

static void die(script *s, const char *why)
{
    s->open = false;
    s->link.events->closed(s->link.context, FER_BACKEND_CRASHED, why);
}

/* Its ends are what stands before and behind "...". */
static void too_long(script *s, fer_str text)
{
    const char *gap = strstr(text.ptr, "...");
    size_t at = (size_t)(gap - text.ptr);
    s->link.events->too_long(s->link.context, 4194304, fer_str_slice(text, 0, at),
                             fer_str_slice(text, at + 3, text.len));
}

static void act(script *s, const char *line)
{
    if (strncmp(line, "call ", 5) == 0) begin_call(s, line + 5, false);
    else if (strncmp(line, "listen ", 7) == 0) begin_call(s, line + 7, true);
    else if (strncmp(line, "ask ", 4) == 0) begin_other(s, line + 4);
    else if (strncmp(line, "answer ", 7) == 0)
        fer_mcp_question_answer(take_question(s, (size_t)(line[7] - '0')), fer_str_of(line + 9));
    else if (strncmp(line, "decline ", 8) == 0)
        fer_mcp_question_refuse(take_question(s, (size_t)(line[8] - '0')), -1, FER_STR("no"));
    else if (strncmp(line, "pause ", 6) == 0) fer_mcp_call_pause(&s->calls[line[6] - '0'], true);
    else if (strncmp(line, "go ", 3) == 0) fer_mcp_call_pause(&s->calls[line[3] - '0'], false);
    else if (strcmp(line, "list") == 0) begin_list(s);
    else if (strncmp(line, "drop ", 5) == 0)
        fer_mcp_call_drop(&s->calls[line[5] - '0'], "ClientCancelled");
    else if (strcmp(line, "connect") == 0) fer_mcp_client_connect(s->client);
    else if (strcmp(line, "stop") == 0) fer_mcp_client_close(s->client);
    else if (strncmp(line, "die ", 4) == 0) die(s, line + 4);
    else if (strncmp(line, "fail ", 5) == 0) fail_request(s, line + 5);
    else if (strcmp(line, "noise") == 0) s->link.events->noise(s->link.context);
    else if (strncmp(line, "long ", 5) == 0) too_long(s, fer_str_of(line + 5));
    else if (strcmp(line, "starved") == 0) s->link.events->starved(s->link.context);
    else if (strcmp(line, "info") == 0) show_info(s);
    else if (strcmp(line, "wait") == 0) wait_for_something(s);
    else fail_msg("no such line: %s", line);
}

static void say(script *s, const char *line)
{
    char *json = NULL;
    uint64_t stream = line[0] == '@' ? strtoull(line + 1, &json, 10) : 0;
    s->link.events->message(s->link.context, stream, fer_str_of(json ? json + 1 : line));
}

/* Blanks make it larger than what the client keeps for small ones. */
static void say_unread(script *s, const char *line)
{
    const size_t blanks = (size_t)2 << 20, len = strlen(line);
    char *text = malloc(len + blanks + 1);
    memcpy(text, line, len);
    memset(text + len, ' ', blanks);
    text[len + blanks] = '\0';
    fer_faults_begin("malloc@1+");
    say(s, text);
    fer_faults_begin(NULL);
    free(text);
}

/* Puts what `$C` and `$M` stand for. */
static fer_str fill(fer_arena *a, fer_str line)
{
    fer_buf b;
    fer_buf_init(&b, a, 1 << 20);
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != '$') fer_buf_add_char(&b, line.ptr[i]);
        else if (line.ptr[++i] == 'M') fer_buf_add(&b, fill(a, FER_STR(META)));
        else fer_buf_printf(&b, "{\"name\":\"ferrule\",\"version\":\"%s\"}", fer_version());
    }
    fer_buf_add_char(&b, '\0');
    return fer_str_slice(fer_buf_view(&b), 0, b.len - 1);
}

static void play(script *s, fer_str line)
{
    const char *text = fill(s->arena, line).ptr;
    if (text[0] == '!') act(s, text + 2);
    else if (text[0] == '<' && text[1] == '-') say_unread(s, text + 3);
    else if (text[0] == '<') say(s, text + 2);
    else expect(s, text);
}

void script_run(const char *text, const script_options *o)
{
    static const script_options none;
    script *s = calloc(1, sizeof *s);
    s->options = o ? o : &none;
    s->arena = fer_arena_new(0);
    s->link.kind = s->options->streams ? &stream_kind : &pipe_kind;
    uv_loop_init(&s->loop);
    s->client = fer_mcp_client_new(
        &s->link, &(fer_mcp_options){.loop = &s->loop,
                                     .start_ms = s->options->start_ms,
                                     .probe_ms = s->options->probe_ms,
                                     .list_ms = s->options->list_ms,
                                     .capabilities = fer_str_of(s->options->capabilities),
                                     .idle_ms = s->options->idle_ms,
                                     .changed = changed,
                                     .rested = rested,
                                     .asked = asked,
                                     .withdrawn = withdrawn,
                                     .closed = closed,
                                     .context = s});
    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        play(s, (fer_str){text, (size_t)(end - text)});
    }
    if (s->log_len) fail_msg("happened, unexpected: %.*s", (int)s->log_len, s->log);
    fer_mcp_client_close(s->client);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_true(s->closed);
    fer_mcp_client_free(s->client);
    assert_int_equal(uv_loop_close(&s->loop), 0);
    fer_arena_free(s->arena);
    free(s);
}
