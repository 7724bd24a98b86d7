/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_events.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "str.h"
#include "sys.h"

#define MS INT64_C(1000000) /* ns */

struct fer_past_event {
    fer_past_event *next;
    uint32_t stream;
    bool answer;
    uint64_t number;
    int64_t since; /* fer_clock_mono */
    size_t len;
    char text[];
};

/* ---- keeping --------------------------------------------------------------------------------- */

static void take_out(fer_past_all *all, fer_past *p, fer_past_event *before, fer_past_event *e)
{
    if (before) before->next = e->next;
    else p->first = e->next;
    if (p->last == e) p->last = before;
    p->count--;
    p->bytes -= e->len;
    all->bytes -= e->len;
    fer_sys_free(e);
}

/* The oldest that nobody asked for, else the oldest. */
static void drop_one(fer_past_all *all, fer_past *p)
{
    fer_past_event *before = NULL, *e = p->first;
    while (e && e->answer) {
        before = e;
        e = e->next;
    }
    if (e) take_out(all, p, before, e);
    else take_out(all, p, NULL, p->first);
}

bool fer_past_put(fer_past_all *all, fer_past *p, uint32_t stream, uint64_t number, fer_str message,
                  bool answer)
{
    size_t events = all->events_max ? all->events_max : FER_HTTP_EVENTS;
    size_t bytes = all->bytes_max ? all->bytes_max : FER_HTTP_EVENT_BYTES;
    if (message.len > bytes) return false;
    while (p->count && (p->count >= events || p->bytes + message.len > bytes ||
                        all->bytes + message.len > FER_HTTP_EVENTS_ALL))
        drop_one(all, p);
    if (all->bytes + message.len > FER_HTTP_EVENTS_ALL) return false; /* others' */
    fer_past_event *e = fer_sys_malloc(sizeof *e + message.len);
    if (!e) return false;
    *e = (fer_past_event){.stream = stream,
                          .number = number,
                          .answer = answer,
                          .since = fer_clock_mono(),
                          .len = message.len};
    if (message.len) memcpy(e->text, message.ptr, message.len);
    if (p->last) p->last->next = e;
    else p->first = e;
    p->last = e;
    p->count++;
    p->bytes += e->len;
    all->bytes += e->len;
    return true;
}

bool fer_past_replay(const fer_past *p, uint32_t stream, uint64_t after,
                     bool (*show)(void *context, uint64_t number, fer_str message), void *context)
{
    bool ended = false;
    for (const fer_past_event *e = p->first; e; e = e->next) {
        if (e->stream != stream) continue;
        ended |= e->answer;
        if (e->number > after && !show(context, e->number, (fer_str){e->text, e->len})) break;
    }
    return ended;
}

bool fer_past_has(const fer_past *p, uint32_t stream)
{
    for (const fer_past_event *e = p->first; e; e = e->next)
        if (e->stream == stream) return true;
    return false;
}

void fer_past_sweep(fer_past_all *all, fer_past *p, bool everything)
{
    int64_t limit = fer_clock_mono() - (all->keep_ms > 0 ? all->keep_ms : FER_HTTP_EVENT_MS) * MS;
    while (p->first && (everything || p->first->since < limit)) take_out(all, p, NULL, p->first);
}

/* ---- IDs ------------------------------------------------------------------------------------- */

void fer_event_id_write(uint32_t stream, uint64_t number, char out[FER_EVENT_ID])
{
    snprintf(out, FER_EVENT_ID, "%u-%llu", (unsigned)stream, (unsigned long long)number);
}

/* Only as it is written: a number has no zeros in front. */
bool fer_event_id_read(fer_str text, uint32_t *stream, uint64_t *number)
{
    char again[FER_EVENT_ID];
    uint64_t first, second;
    size_t dash = fer_str_find(text, 0, '-');
    if (dash == SIZE_MAX || text.len >= FER_EVENT_ID ||
        !fer_parse_u64(fer_str_slice(text, 0, dash), &first) ||
        !fer_parse_u64(fer_str_slice(text, dash + 1, text.len), &second) || first > UINT32_MAX)
        return false;
    fer_event_id_write((uint32_t)first, second, again);
    if (!fer_str_is(text, again)) return false;
    *stream = (uint32_t)first;
    *number = second;
    return true;
}
