/* SPDX-License-Identifier: Apache-2.0 */
/* What a client has said that lasts, and is said again to the next gateway: all of it, as much as
 * is remembered, and what is left of it without memory. */
#include "attach_lasting.h"

#include <sys/socket.h>
#include <unistd.h>

#include "rows.h"

/* ---- a gateway that only listens --------------------------------------------------------------
 */

typedef struct rig {
    uv_loop_t loop;
    fer_pair *gate;
    int other; /* the end that the gateway has */
    fer_lasting lasting;
} rig;

static bool on_line(void *context, fer_str line)
{
    (void)context, (void)line;
    return true;
}
static void on_nothing(void *context)
{
    (void)context;
}

static fer_code open_rig(rig *r)
{
    static const fer_pair_events events = {on_line, on_nothing, on_nothing, on_nothing, NULL};
    int ends[2];
    *r = (rig){0};
    assert_int_equal(uv_loop_init(&r->loop), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    r->other = ends[1];
    fer_code code = fer_pair_open(&r->loop, ends[0], ends[0], &events, r, &r->gate, NULL);
    if (code) close(ends[0]);
    return code;
}

static void close_rig(rig *r)
{
    if (r->gate) fer_pair_close(r->gate);
    while (uv_run(&r->loop, UV_RUN_NOWAIT)) {
    }
    assert_int_equal(uv_loop_close(&r->loop), 0);
    close(r->other);
    fer_lasting_deinit(&r->lasting);
}

static fer_code note(rig *r, const char *text)
{
    fer_arena *a = fer_arena_new(0);
    fer_rpc m;
    if (!a) return FER_OUT_OF_MEMORY;
    fer_code code = fer_rpc_read(a, fer_str_of(text), NULL, &m, NULL);
    if (!code) fer_lasting_note(&r->lasting, &m);
    fer_arena_free(a);
    return code;
}

#define SUBSCRIBE(id, verb, uri)                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"resources/" verb                              \
    "\",\"params\":{\"uri\":\"" uri "\"}}"
#define LEVEL(level)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"" level \
    "\"}}"

/* ---- what is said again -----------------------------------------------------------------------
 */

static const struct row {
    const char *name;
    const char *said[6];
    const char *again[4]; /* parts of lines, in any order */
} rows[] = {
    {"nothing", {0}, {0}},
    {"a level", {LEVEL("info")}, {"\"level\":\"info\""}},
    {"the last level", {LEVEL("info"), LEVEL("debug")}, {"\"level\":\"debug\""}},
    {"what is watched",
     {SUBSCRIBE("1", "subscribe", "a:1"), SUBSCRIBE("2", "subscribe", "a:2")},
     {"\"a:1\"", "\"a:2\""}},
    {"the same twice",
     {SUBSCRIBE("1", "subscribe", "a:1"), SUBSCRIBE("2", "subscribe", "a:1")},
     {"\"a:1\""}},
    {"what is watched no more",
     {SUBSCRIBE("1", "subscribe", "a:1"), SUBSCRIBE("2", "subscribe", "a:2"),
      SUBSCRIBE("3", "unsubscribe", "a:1")},
     {"\"a:2\""}},
    {"both",
     {LEVEL("info"), SUBSCRIBE("1", "subscribe", "a:1")},
     {"\"level\":\"info\"", "\"a:1\""}},
    {"what does not last", {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"}, {0}},
    {"without params", {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\"}"}, {0}},
};

/* Whether an answer to the n-th of what was said again is kept back. */
static bool keeps_back(rig *r, size_t n)
{
    fer_arena *a = fer_arena_new(0);
    fer_rpc m;
    char text[96];
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":\"ferrule-again-%zu\",\"result\":{}}",
             n);
    assert_int_equal(fer_rpc_read(a, fer_str_of(text), NULL, &m, NULL), FER_OK);
    bool kept = fer_lasting_takes(&r->lasting, &m);
    fer_arena_free(a);
    return kept;
}

static size_t lines_in(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* Each line is one of those that are wanted; `*missing`: some are not there. */
static void check(rig *r, const struct row *row, bool *missing)
{
    char got[4096] = "";
    size_t wanted = 0, found = 0;
    ssize_t n = recv(r->other, got, sizeof got - 1, MSG_DONTWAIT);
    got[n > 0 ? n : 0] = '\0';
    for (; row->again[wanted]; wanted++) found += strstr(got, row->again[wanted]) != NULL;
    assert_int_equal(lines_in(got), found);
    assert_int_equal(r->lasting.unanswered, found);
    *missing = found < wanted;
}

static fer_code attempt(const struct row *row, const char *plan, bool *met)
{
    rig r;
    bool missing = false;
    assert_true(fer_faults_begin(plan));
    fer_code code = open_rig(&r);
    for (size_t i = 0; !code && row->said[i]; i++) code = note(&r, row->said[i]);
    fer_arena *a = code ? NULL : fer_arena_new(0);
    if (a) fer_lasting_say(&r.lasting, a, r.gate);
    *met = fer_faults_injected() > 0;
    fer_faults_begin(NULL); /* what follows is the test's own */
    if (a) {
        check(&r, row, &missing);
        for (size_t n = r.lasting.unanswered; n; n--) assert_true(keeps_back(&r, n));
        assert_false(keeps_back(&r, 1)); /* that of the client's own, from then on */
    }
    fer_arena_free(a);
    close_rig(&r);
    return code ? code : !a || missing ? FER_OUT_OF_MEMORY : FER_OK;
}

/* Nothing is said wrong for want of memory: at the most it is not said. */
static void run(const struct row *row)
{
    int64_t before = fer_faults_live();
    bool met = true;
    for (size_t n = 1; met; n++) {
        char plan[32];
        snprintf(plan, sizeof plan, "malloc@%zu", n);
        fer_code code = attempt(row, plan, &met);
        if (fer_faults_live() != before) fail_msg("%s: something is still held", plan);
        assert_int_equal(code, code && met ? FER_OUT_OF_MEMORY : FER_OK);
    }
}

/* attach.lasting */
static void as_many_as_are_remembered(void)
{
    rig r;
    char text[160];
    assert_int_equal(open_rig(&r), FER_OK);
    for (int i = 0; i <= FER_ATTACH_LASTING_MAX; i++) {
        snprintf(text, sizeof text, SUBSCRIBE("1", "subscribe", "a:%d"), i);
        assert_int_equal(note(&r, text), FER_OK);
        assert_int_equal(r.lasting.count,
                         i < FER_ATTACH_LASTING_MAX ? i + 1 : FER_ATTACH_LASTING_MAX);
    }
    snprintf(text, sizeof text, SUBSCRIBE("1", "unsubscribe", "a:%d"), 7);
    assert_int_equal(note(&r, text), FER_OK);
    assert_int_equal(r.lasting.count, FER_ATTACH_LASTING_MAX - 1);
    close_rig(&r);
}

int main(void)
{
    return ROWS_RUN("lasting", rows, run) + ROWS_ONE("lasting", as_many_as_are_remembered);
}
