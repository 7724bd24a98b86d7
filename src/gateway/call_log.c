/* SPDX-License-Identifier: Apache-2.0 */
#include "call_log.h"

#include <assert.h>

#include "digest.h"
#include "errors.h"
#include "trace_context.h"

#define FIELDS 32 /* of a line, its end included */

const char *const fer_call_log_keys[] = {
    "eventVersion",  "tool.name",     "tool.version", "origin",
    "tenant",        "principal",     "agent.id",     "correlation.id",
    "causation.id",  "call.id",       "duration.ms",  "queue.ms",
    "attempts",      "status",        "error.code",   "error.class",
    "isRetryable",   "cacheHit",      "replayed",     "bytes.in",
    "bytes.out",     "timeout.ms",    "retry.count",  "rate.limit.id",
    "circuit.state", "cancel.reason", "redactions",   NULL};

typedef struct line {
    struct fer_log_field fields[FIELDS];
    size_t count;
    char principal[17]; /* that a field is of */
} line;

static void add(line *l, struct fer_log_field f)
{
    assert(l->count < FIELDS - 1);
    l->fields[l->count++] = f;
}

/* What is not known is left out. */
static void add_text(line *l, const char *key, fer_str text)
{
    if (text.len) add(l, FER_LOG_S(key, fer_str_head(text, FER_CALL_LOG_TEXT)));
}

/* Enough to tell callers apart, not to find out who they are. */
void fer_call_log_digest(fer_str name, char out[17])
{
    unsigned char whole[FER_DIGEST_SIZE];
    *out = '\0';
    if (!name.len) return;
    fer_digest_text(name, whole);
    fer_trace_hex(whole, 8, out);
}

static void add_error(line *l, fer_code code)
{
    const fer_code_row *row = fer_code_info(code);
    if (!code) return;
    add_text(l, "error.code", fer_str_of(row->name));
    add_text(l, "error.class", fer_str_of(row->category));
}

static void add_caller(line *l, const fer_caller *who)
{
    fer_call_log_digest(who->principal, l->principal);
    add_text(l, "tenant", who->tenant);
    add_text(l, "principal", fer_str_of(l->principal));
    add_text(l, "agent.id", who->agent);
}

static void add_names(line *l, fer_str tool, fer_str version, const char *origin)
{
    add(l, FER_LOG_I("eventVersion", FER_CALL_LOG_VERSION));
    add_text(l, "tool.name", tool);
    add_text(l, "tool.version", version);
    add_text(l, "origin", fer_str_of(origin));
}

void fer_call_log(const fer_log *log, const fer_call_report *r)
{
    static const char *const statuses[] = {
        [FER_STATUS_OK] = "Ok", [FER_STATUS_ERROR] = "Error", [FER_STATUS_RETRYABLE] = "Retryable"};
    const fer_envelope *e = r->envelope;
    static const fer_caller nobody = {0};
    line l = {.count = 0};
    if (FER_LOG_INFO > log->level) return;
    /* A name that nobody has may be anything, a secret pasted in the wrong place included. */
    add_names(&l, e->definition.len ? e->tool_id : FER_STR("_unknown"), e->resolved_version,
              e->origin);
    add_caller(&l, r->caller ? r->caller : &nobody);
    add_text(&l, "correlation.id", e->correlation_id);
    add_text(&l, "causation.id", r->causation_id);
    add_text(&l, "call.id", r->call_id);
    add(&l, FER_LOG_F("duration.ms", (double)e->duration_us / 1000));
    if (r->queue_ms >= 0) add(&l, FER_LOG_I("queue.ms", r->queue_ms));
    add(&l, FER_LOG_I("attempts", e->attempts));
    add_text(&l, "status", fer_str_of(statuses[e->status]));
    add_error(&l, e->error.code);
    if (e->error.code) add(&l, FER_LOG_B("isRetryable", e->error.retryable));
    if (e->cache_hit) add(&l, FER_LOG_B("cacheHit", true));
    if (e->replayed) add(&l, FER_LOG_B("replayed", true));
    add(&l, FER_LOG_I("bytes.in", r->bytes_in));
    add(&l, FER_LOG_I("bytes.out", r->bytes_out));
    if (r->timeout_ms) add(&l, FER_LOG_I("timeout.ms", r->timeout_ms));
    add(&l, FER_LOG_I("retry.count", e->attempts > 1 ? e->attempts - 1 : 0));
    add_text(&l, "rate.limit.id", r->limit_id);
    add_text(&l, "circuit.state", fer_str_of(r->circuit));
    add_text(&l, "cancel.reason", fer_str_of(e->cancelled));
    add(&l, FER_LOG_I("redactions", e->redaction_count));
    fer_log_write(log, FER_LOG_INFO, e->error.code ? "tool.failed" : "tool.succeeded", l.fields);
}

void fer_call_log_late(const fer_log *log, const fer_late_report *r)
{
    line l = {.count = 0};
    if (FER_LOG_INFO > log->level) return;
    add_names(&l, r->tool_id, r->resolved_version, r->origin);
    add_caller(&l, &r->caller);
    add_text(&l, "correlation.id", r->correlation_id);
    add_text(&l, "causation.id", r->causation_id);
    add_text(&l, "call.id", r->call_id);
    add(&l, FER_LOG_I("duration.ms", r->after_ms));
    add(&l, FER_LOG_I("attempts", r->attempt));
    add_text(&l, "status", r->code ? FER_STR("Error") : FER_STR("Ok"));
    add_error(&l, r->code);
    add(&l, FER_LOG_I("bytes.out", r->size));
    add_text(&l, "cancel.reason", fer_str_of(r->cancelled));
    fer_log_write(log, FER_LOG_INFO, "tool.late", l.fields);
}
