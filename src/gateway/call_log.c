/* SPDX-License-Identifier: Apache-2.0 */
#include "call_log.h"

#include <assert.h>
#include <openssl/evp.h>

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

/* The first 64 bits of a SHA-256: enough to tell callers apart, not to find out who they are. */
static void digest(fer_str name, char out[17])
{
    unsigned char whole[EVP_MAX_MD_SIZE];
    *out = '\0';
    if (!name.len || !EVP_Digest(name.ptr, name.len, whole, NULL, EVP_sha256(), NULL)) return;
    fer_trace_hex(whole, 8, out);
}

static void add_error(line *l, const fer_call_error *x)
{
    const fer_code_row *row = fer_code_info(x->code);
    if (!x->code) return;
    add_text(l, "error.code", fer_str_of(row->name));
    add_text(l, "error.class", fer_str_of(row->category));
    add(l, FER_LOG_B("isRetryable", x->retryable));
}

void fer_call_log(const fer_log *log, const fer_call_report *r)
{
    static const char *const statuses[] = {
        [FER_STATUS_OK] = "Ok", [FER_STATUS_ERROR] = "Error", [FER_STATUS_RETRYABLE] = "Retryable"};
    const fer_envelope *e = r->envelope;
    static const fer_caller nobody = {0};
    const fer_caller *who = r->caller ? r->caller : &nobody;
    char principal[17];
    line l = {.count = 0};
    if (FER_LOG_INFO > log->level) return;
    digest(who->principal, principal);
    add(&l, FER_LOG_I("eventVersion", FER_CALL_LOG_VERSION));
    /* A name that nobody has may be anything, a secret pasted in the wrong place included. */
    add_text(&l, "tool.name", e->definition.len ? e->tool_id : FER_STR("_unknown"));
    add_text(&l, "tool.version", e->resolved_version);
    add_text(&l, "origin", fer_str_of(e->origin));
    add_text(&l, "tenant", who->tenant);
    add_text(&l, "principal", fer_str_of(principal));
    add_text(&l, "agent.id", who->agent);
    add_text(&l, "correlation.id", e->correlation_id);
    add_text(&l, "causation.id", r->causation_id);
    add_text(&l, "call.id", r->call_id);
    add(&l, FER_LOG_F("duration.ms", (double)e->duration_us / 1000));
    add(&l, FER_LOG_I("attempts", e->attempts));
    add_text(&l, "status", fer_str_of(statuses[e->status]));
    add_error(&l, &e->error);
    add(&l, FER_LOG_I("bytes.in", r->bytes_in));
    add(&l, FER_LOG_I("bytes.out", r->bytes_out));
    if (r->timeout_ms) add(&l, FER_LOG_I("timeout.ms", r->timeout_ms));
    add(&l, FER_LOG_I("retry.count", e->attempts > 1 ? e->attempts - 1 : 0));
    add_text(&l, "cancel.reason", fer_str_of(e->cancelled));
    add(&l, FER_LOG_I("redactions", 0));
    fer_log_write(log, FER_LOG_INFO, e->error.code ? "tool.failed" : "tool.succeeded", l.fields);
}
