/* SPDX-License-Identifier: Apache-2.0 */
#include "pulse.h"

#include "call_log.h"

#define SLOT_S 10

/* ---- life ------------------------------------------------------------------------------------ */

fer_pulse *fer_pulse_new(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_pulse *p = a ? fer_arena_alloc_zero(a, 1, sizeof *p) : NULL;
    if (p) {
        p->arena = a;
        p->recent = fer_arena_alloc_zero(a, FER_PULSE_RECENT, sizeof *p->recent);
        p->denied = fer_arena_alloc_zero(a, FER_PULSE_DENIED, sizeof *p->denied);
        fer_map_init(&p->rows, a);
    }
    if (p && p->recent && p->denied) return p;
    fer_arena_free(a);
    return NULL;
}

void fer_pulse_free(fer_pulse *p)
{
    if (p) fer_arena_free(p->arena);
}

static void copy(char *to, size_t size, fer_str from)
{
    fer_str s = fer_str_head(from, size - 1);
    if (s.len) memcpy(to, s.ptr, s.len);
    to[s.len] = '\0';
}

/* ---- counting ---------------------------------------------------------------------------------
 */

/* Four buckets for each doubling: the two bits behind the highest say which. */
static size_t bucket_of(int64_t us)
{
    uint64_t v = us > 0 ? (uint64_t)us : 1;
    unsigned high = 63 - (unsigned)__builtin_clzll(v);
    unsigned sub = (unsigned)(high >= 2 ? v >> (high - 2) & 3 : v << (2 - high) & 3);
    size_t at = (size_t)high * 4 + sub;
    return at < FER_PULSE_BUCKETS ? at : FER_PULSE_BUCKETS - 1;
}

/* The upper end of a bucket. */
static int64_t end_of(size_t bucket)
{
    size_t high = bucket / 4, sub = bucket % 4;
    int64_t step = (int64_t)1 << high;
    return step + (step * ((int64_t)sub + 1) + 3) / 4;
}

static void count(fer_pulse_row *r, const fer_envelope *e, int64_t now)
{
    int64_t second = now / 1000, slot = second / SLOT_S;
    fer_pulse_beat *b = &r->beats[second % FER_PULSE_SECONDS];
    if (b->second != second) *b = (fer_pulse_beat){.second = second};
    r->calls++;
    b->calls++;
    if (e->error.code) {
        r->errors++;
        b->errors++;
        r->last_error = e->error.code;
    }
    size_t at = (size_t)(slot % FER_PULSE_SLOTS);
    if (r->took[at].slot != slot) {
        memset(&r->took[at], 0, sizeof r->took[at]);
        r->took[at].slot = slot;
    }
    r->took[at].counts[bucket_of(e->duration_us)]++;
}

/* Without memory it is not counted apart. */
static fer_pulse_row *row_of(fer_pulse *p, fer_str backend)
{
    if (!backend.len) return NULL;
    fer_pulse_row *r = fer_map_get(&p->rows, backend);
    if (r || p->rows.count >= FER_PULSE_BACKENDS) return r;
    fer_str name = fer_arena_copy(p->arena, backend);
    r = name.ptr ? fer_arena_alloc_zero(p->arena, 1, sizeof *r) : NULL;
    void **slot = r ? fer_map_put(&p->rows, name) : NULL;
    if (!slot) return NULL;
    r->name = name;
    *slot = r;
    return r;
}

/* By who may do what, or by a limit; arguments that break a schema are no refusal of anybody. */
static bool is_refusal(fer_str rule)
{
    return rule.len && !fer_str_starts(rule, "stage:");
}

static void remember(fer_pulse *p, const fer_call_report *r, int64_t now)
{
    const fer_envelope *e = r->envelope;
    fer_pulse_call *c = &p->recent[p->recent_count++ % FER_PULSE_RECENT];
    *c = (fer_pulse_call){.at = now,
                          .origin = e->origin,
                          .code = e->error.code,
                          .took_us = e->duration_us,
                          .attempts = e->attempts,
                          .bytes_in = r->bytes_in,
                          .bytes_out = r->bytes_out,
                          .cached = e->cache_hit || e->replayed};
    copy(c->id, sizeof c->id, r->call_id);
    /* A name that nobody has may be anything. */
    copy(c->tool, sizeof c->tool, r->tool);
    if (is_refusal(r->rule)) copy(c->rule, sizeof c->rule, r->rule);
    copy(c->backend, sizeof c->backend, e->backend.name);
    if (!r->caller) return;
    copy(c->tenant, sizeof c->tenant, r->caller->tenant);
    fer_call_log_digest(r->caller->principal, c->principal);
}

void fer_pulse_call_ended(fer_pulse *p, const fer_call_report *r, int64_t now)
{
    const fer_envelope *e = r->envelope;
    fer_pulse_row *row = row_of(p, e->backend.name);
    count(&p->all, e, now);
    if (row) count(row, e, now);
    remember(p, r, now);
    fer_pulse_refusal no = {.rule = r->rule, .method = FER_STR("call"), .caller = r->caller};
    if (is_refusal(r->rule)) fer_pulse_refused(p, &no, now);
}

void fer_pulse_refused(fer_pulse *p, const fer_pulse_refusal *r, int64_t now)
{
    fer_pulse_denial *d = &p->denied[p->denied_count++ % FER_PULSE_DENIED];
    *d = (fer_pulse_denial){.at = now};
    copy(d->rule, sizeof d->rule, r->rule);
    copy(d->method, sizeof d->method, r->method);
    copy(d->path, sizeof d->path, r->path);
    copy(d->address, sizeof d->address, r->address);
    if (!r->caller) return;
    copy(d->tenant, sizeof d->tenant, r->caller->tenant);
    fer_call_log_digest(r->caller->principal, d->principal);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

const fer_pulse_row *fer_pulse_find(const fer_pulse *p, fer_str backend)
{
    return fer_map_get(&p->rows, backend);
}

const fer_pulse_call *fer_pulse_recent(const fer_pulse *p, size_t age)
{
    if (age >= p->recent_count || age >= FER_PULSE_RECENT) return NULL;
    return &p->recent[(p->recent_count - 1 - age) % FER_PULSE_RECENT];
}

const fer_pulse_denial *fer_pulse_denial_at(const fer_pulse *p, size_t age)
{
    if (age >= p->denied_count || age >= FER_PULSE_DENIED) return NULL;
    return &p->denied[(p->denied_count - 1 - age) % FER_PULSE_DENIED];
}

fer_pulse_beat fer_pulse_second(const fer_pulse_row *r, int64_t now, size_t before)
{
    int64_t second = now / 1000 - (int64_t)before;
    fer_pulse_beat none = {.second = second};
    if (before >= FER_PULSE_SECONDS || second < 0) return none;
    const fer_pulse_beat *b = &r->beats[second % FER_PULSE_SECONDS];
    return b->second == second ? *b : none;
}

int64_t fer_pulse_took(const fer_pulse_row *r, int64_t now, double share)
{
    int64_t slot = now / 1000 / SLOT_S;
    uint64_t all = 0, so_far = 0, counts[FER_PULSE_BUCKETS] = {0};
    for (size_t i = 0; i < FER_PULSE_SLOTS; i++) {
        if (r->took[i].slot <= slot - FER_PULSE_SLOTS || r->took[i].slot > slot) continue;
        for (size_t k = 0; k < FER_PULSE_BUCKETS; k++) {
            counts[k] += r->took[i].counts[k];
            all += r->took[i].counts[k];
        }
    }
    for (size_t k = 0; all && k < FER_PULSE_BUCKETS; k++) {
        so_far += counts[k];
        if ((double)so_far >= share * (double)all) return end_of(k);
    }
    return 0;
}
