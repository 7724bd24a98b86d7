/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the log: the fields of the list and no others, and what held a call is in them. */
#include "call_log.h"

#include <stdlib.h>
#include <unistd.h>

#include "gateway_rig.h"
#include "json_value.h"
#include "rows.h"

static char lines[1 << 16];

static void log_call(void *context, const fer_call_report *r)
{
    fer_call_log(context, r);
}

static bool is_known(fer_str key)
{
    static const char *const own[] = {"ts", "level", "event"};
    for (size_t i = 0; i < FER_COUNT(own); i++)
        if (fer_str_is(key, own[i])) return true;
    for (size_t i = 0; fer_call_log_keys[i]; i++)
        if (fer_str_is(key, fer_call_log_keys[i])) return true;
    return false;
}

static void check_keys(fer_arena *a, fer_str line)
{
    fer_json *doc;
    assert_int_equal(fer_json_read(a, line, NULL, &doc, NULL), FER_OK);
    FER_EACH_MEMBER (fer_json_root(doc), key)
        if (!is_known(fer_val_str(key)))
            fail_msg("%.*s in %.*s", FER_PRI(fer_val_str(key)), FER_PRI(line));
}

/* Tools of the rig are called one after the other; what hangs is let go at the end. */
static const struct row {
    const char *name;
    const char *policies;
    const char *tools[8];
    size_t line;        /* that is looked at, from 0 */
    const char *has[4]; /* texts in it */
    const char *has_not[4];
} rows[] = {
    {"a call that nothing held",
     "{}",
     {"s:echo"},
     0,
     {"\"event\":\"tool.succeeded\"", "\"circuit.state\":\"closed\"", "\"tenant\":\"acme\""},
     {"queue.ms", "rate.limit.id"}},
    {"a tool that nobody has",
     "{}",
     {"s:nobody"},
     0,
     {"\"tool.name\":\"_unknown\""},
     {"circuit.state", "queue.ms", "nobody"}},
    {"it waited for its turn",
     "{\"backends\":{\"first\":{\"concurrency\":1}}}",
     {"s:hang", "s:echo"},
     0,
     {"\"event\":\"tool.succeeded\"", "\"queue.ms\":"},
     {"rate.limit.id"}},
    {"a rate limit",
     "{\"tenants\":{\"*\":{\"rateLimit\":{\"requests\":1,\"perMs\":3600000}}}}",
     {"s:echo", "s:echo"},
     1,
     {"\"error.code\":\"RateLimited\"", "\"rate.limit.id\":\"tenant:acme\""},
     {"queue.ms"}},
    {"a circuit that is open",
     "{\"tools\":{\"*\":{\"retry\":{\"maxAttempts\":1}}},\"backends\":{\"first\":{\"trusted\":true,"
     "\"circuitBreaker\":{\"failures\":2}}}}",
     {"s:lost", "s:lost", "s:lost"},
     2,
     {"\"error.code\":\"CircuitOpen\"", "\"circuit.state\":\"open\""},
     {"queue.ms"}},
};

static void on_done(void *context, fer_call *c, const fer_envelope *e)
{
    (void)c, (void)e;
    ++*(size_t *)context;
}

static fer_str line_at(fer_str text, size_t n)
{
    for (;; n--) {
        size_t end = fer_str_find(text, 0, '\n');
        if (end == SIZE_MAX) fail_msg("there are fewer lines");
        if (!n) return fer_str_slice(text, 0, end);
        text = fer_str_slice(text, end + 1, text.len);
    }
}

static void run(const struct row *row)
{
    rig r;
    fer_err err = {0};
    size_t done = 0, calls = 0;
    char file[] = "/tmp/ferrule-log-XXXXXX";
    fer_log log = {.fd = mkstemp(file), .level = FER_LOG_INFO};
    fer_caller who = {.tenant = FER_STR("acme"), .principal = FER_STR("somebody")};
    fer_call_options o = {.caller = &who};
    unlink(file);
    assert_int_equal(rig_make(&r, &(fer_gateway_options){.policies = fer_str_of(row->policies)}),
                     FER_OK);
    assert_int_equal(fer_gateway_observe(r.gateway, log_call, &log, &err), FER_OK);
    for (; row->tools[calls]; calls++)
        assert_int_equal(fer_gateway_call(r.gateway, fer_str_of(row->tools[calls]), FER_STR("{}"),
                                          &o, on_done, &done, NULL, &err),
                         FER_OK);
    if (r.first.waiting) fer_call_stop(r.first.waiting->call, FER_CANCEL_CLIENT_CANCELLED);
    fer_gateway_run(r.gateway);
    assert_int_equal(done, calls);
    ssize_t n = pread(log.fd, lines, sizeof lines - 1, 0);
    assert_true(n > 0);
    fer_str text = {lines, (size_t)n};
    for (size_t i = 0; i < calls; i++) check_keys(r.arena, line_at(text, i));
    fer_str line = fer_arena_copy(r.arena, line_at(text, row->line));
    for (size_t i = 0; i < 4 && row->has[i]; i++)
        if (!strstr(line.ptr, row->has[i])) fail_msg("no %s in %s", row->has[i], line.ptr);
    for (size_t i = 0; i < 4 && row->has_not[i]; i++)
        if (strstr(line.ptr, row->has_not[i])) fail_msg("%s in %s", row->has_not[i], line.ptr);
    assert_null(strstr(line.ptr, "somebody")); /* who called is a digest */
    close(log.fd);
    rig_free(&r);
}

int main(void)
{
    return ROWS_RUN("call_log", rows, run);
}
