/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that come after their attempt was given up (5.2.7). What is known of the last
 * FER_LATE_MAX such attempts is kept by their tickets; when a runner hears the answer, it is
 * recorded, counted and told to observers, by its size and a digest alone, and the ticket is used
 * up. Nobody gets the answer: the call has ended, or goes on with another attempt.
 */
#include "buf.h"
#include "clock.h"
#include "errors.h"
#include "gateway_parts.h"
#include "sys.h"

#define TEXT_MAX 256 /* bytes of each text that is kept */

/* One attempt; its texts are behind it. */
typedef struct departed {
    uint64_t ticket;
    int64_t when; /* fer_clock_mono */
    fer_late_report report;
    char call_id[FER_UUID_TEXT];
    char texts[];
} departed;

struct fer_gone_calls {
    departed *list[FER_LATE_MAX];
    size_t next;
};

/* ---- expecting --------------------------------------------------------------------------------
 */

enum {
    TOOL,
    VERSION,
    CORRELATION,
    CAUSATION,
    TENANT,
    PRINCIPAL,
    AGENT,
    TEXTS
};

static departed *new_departed(const fer_call *c)
{
    static const fer_caller nobody = {0};
    const fer_caller *who = c->options.caller ? c->options.caller : &nobody;
    fer_str texts[TEXTS] = {c->ready->id,
                            c->ready->version,
                            c->envelope.correlation_id,
                            c->options.causation_id,
                            who->tenant,
                            who->principal,
                            who->agent};
    size_t size = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        texts[i] = fer_str_head(texts[i], i == TOOL ? SIZE_MAX : TEXT_MAX);
        size += texts[i].len;
    }
    departed *d = fer_sys_malloc(sizeof *d + size);
    if (!d) return NULL;
    *d = (departed){.ticket = c->attempt.ticket, .when = fer_clock_mono()};
    char *at = d->texts;
    for (size_t i = 0; i < TEXTS; i++) {
        if (texts[i].len) memcpy(at, texts[i].ptr, texts[i].len);
        texts[i].ptr = at;
        at += texts[i].len;
    }
    memcpy(d->call_id, c->id, sizeof d->call_id);
    d->report = (fer_late_report){
        .tool_id = texts[TOOL],
        .resolved_version = texts[VERSION],
        .correlation_id = texts[CORRELATION],
        .causation_id = texts[CAUSATION],
        .caller = {.tenant = texts[TENANT], .principal = texts[PRINCIPAL], .agent = texts[AGENT]},
    };
    return d;
}

void fer_call_expect_late(fer_call *c)
{
    fer_gateway *g = c->gateway;
    if (!g->gone) {
        g->gone = fer_sys_malloc(sizeof *g->gone);
        if (!g->gone) return; /* without memory nothing is expected */
        memset(g->gone, 0, sizeof *g->gone);
    }
    departed *d = new_departed(c);
    if (!d) return;
    d->report.call_id = fer_str_of(d->call_id);
    d->report.origin = c->options.origin;
    d->report.cancelled = fer_cancel_names[c->cancelled];
    d->report.effect = c->effect;
    d->report.attempt = c->attempt.number;
    departed **place = &g->gone->list[g->gone->next++ % FER_LATE_MAX];
    fer_sys_free(*place);
    *place = d;
}

void fer_gone_free(struct fer_gone_calls *gone)
{
    for (size_t i = 0; gone && i < FER_LATE_MAX; i++) fer_sys_free(gone->list[i]);
    fer_sys_free(gone);
}

/* ---- noting -----------------------------------------------------------------------------------
 */

static departed *take(struct fer_gone_calls *gone, uint64_t ticket)
{
    for (size_t i = 0; gone && i < FER_LATE_MAX; i++) {
        departed *d = gone->list[i];
        if (!d || d->ticket != ticket) continue;
        gone->list[i] = NULL;
        return d;
    }
    return NULL;
}

/* Bytes that can be guessed are not known by a plain sum of theirs (5.12.8): it is keyed. */
static void add_digest(fer_buf *b, const fer_keeper *k, fer_str tenant, const fer_late *late)
{
    unsigned char name[32];
    char hex[65];
    fer_str sum = {(const char *)late->sum, sizeof late->sum};
    if (k->name(k->context, tenant, "late", sum, name, NULL)) return;
    fer_trace_hex(name, sizeof name, hex);
    fer_buf_printf(b, ",\"digest\":\"%s\"", hex);
}

static void record(fer_gateway *g, const fer_late_report *r, const fer_late *late)
{
    const fer_keeper *k = &g->keeper;
    fer_str tenant = fer_str_head(r->caller.tenant, FER_LEDGER_TENANT);
    fer_arena *a = k->append ? fer_arena_new(0) : NULL;
    fer_buf b;
    if (!a) return;
    if (!tenant.len) tenant = FER_STR("-");
    fer_buf_init(&b, a, FER_LEDGER_BODY);
    fer_buf_printf(&b, "{\"callId\":\"%.*s\",\"late\":true,\"attempt\":%u,\"code\":\"%s\"",
                   FER_PRI(r->call_id), r->attempt, fer_code_info(r->code)->name);
    fer_buf_printf(&b, ",\"effect\":\"%s\",\"cancelReason\":\"%s\",\"afterMs\":%lld,\"size\":%zu",
                   fer_effect_name(r->effect), r->cancelled, (long long)r->after_ms, r->size);
    add_digest(&b, k, tenant, late);
    fer_buf_add_text(&b, ",\"tool\":");
    fer_buf_add_quoted(&b, r->tool_id);
    fer_buf_add_text(&b, ",\"correlationId\":");
    fer_buf_add_quoted(&b, r->correlation_id);
    fer_buf_add_char(&b, '}');
    fer_ledger_record one = {FER_LEDGER_LATE, tenant, fer_buf_view(&b)};
    if (!b.failure) k->append(k->context, &one, NULL, NULL, NULL);
    fer_arena_free(a);
}

void fer_gateway_late(fer_runner *runner, uint64_t ticket, const fer_late *late)
{
    fer_gateway *g = runner->owner;
    departed *d = take(g->gone, ticket);
    if (!d) return;
    fer_late_report *r = &d->report;
    r->code = late->code;
    r->size = late->size;
    r->after_ms = (fer_clock_mono() - d->when) / 1000000;
    record(g, r, late);
    if (!g->options.uncounted) fer_metrics_count_late(&g->metrics, r->tool_id, r->origin, r->code);
    for (size_t i = 0; i < g->late_observer_count; i++)
        g->late_observers[i].tell(g->late_observers[i].context, r);
    fer_sys_free(d);
}
