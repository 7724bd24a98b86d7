/* SPDX-License-Identifier: Apache-2.0 */
#include "history.h"

#include <string.h>

#include "arena.h"
#include "buf.h"
#include "errors.h"
#include "sys.h"

struct fer_told *fer_told_new(const fer_event *list, size_t count, size_t most)
{
    size_t texts = 0, real = 0, n = 0, skip;
    for (size_t i = 0; i < count; i++) real += list[i].kind < FER_EVENT_UNCHANGED;
    skip = real > most ? real - most : 0;
    for (size_t i = 0, seen = 0; i < count; i++)
        if (list[i].kind < FER_EVENT_UNCHANGED && seen++ >= skip) texts += list[i].id.len;
    struct fer_told *t = fer_sys_malloc(sizeof *t + (real - skip) * sizeof *list + texts);
    if (!t) return NULL;
    char *at = (char *)(t->list + (real - skip));
    for (size_t i = 0, seen = 0; i < count; i++) {
        if (list[i].kind >= FER_EVENT_UNCHANGED || seen++ < skip) continue;
        fer_event *kept = &t->list[n++];
        *kept = list[i];
        if (kept->id.len) memcpy(at, list[i].id.ptr, list[i].id.len);
        kept->id.ptr = at;
        at += kept->id.len;
    }
    t->next = NULL;
    t->count = n;
    return t;
}

/* Whole changes go while enough are left without them; reading counts what is shown. */
void fer_history_add(fer_history *h, struct fer_told *t)
{
    if (h->last) h->last->next = t;
    else h->first = t;
    h->last = t;
    h->count += t->count;
    while (h->first != h->last && h->count - h->first->count >= FER_EVENTS_KEPT) {
        struct fer_told *old = h->first;
        h->first = old->next;
        h->count -= old->count;
        fer_sys_free(old);
    }
}

void fer_history_deinit(fer_history *h)
{
    while (h->first) {
        struct fer_told *next = h->first->next;
        fer_sys_free(h->first);
        h->first = next;
    }
    *h = (fer_history){0};
}

fer_code fer_history_since(fer_arena *a, const fer_history *h, uint64_t since, fer_event **out,
                           size_t *count, fer_err *err)
{
    size_t skip = h->count > FER_EVENTS_KEPT ? h->count - FER_EVENTS_KEPT : 0, at = 0, n = 0;
    fer_event *list = fer_arena_alloc_zero(a, h->count + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (const struct fer_told *t = h->first; t; t = t->next) {
        for (size_t i = 0; i < t->count; i++) {
            if (at++ < skip || t->list[i].version <= since) continue;
            list[n] = t->list[i];
            list[n].id = fer_arena_copy(a, t->list[i].id);
            if (!list[n++].id.ptr) return fer_arena_failed(a, err);
        }
    }
    *out = list;
    *count = n;
    return FER_OK;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

struct row {
    uint64_t version;
    uint8_t kind, verdict, zero[2];
    uint32_t len;
};
_Static_assert(sizeof(struct row) == 16, "no gaps");

fer_code fer_history_write(fer_arena *a, const fer_history *h, fer_str *out, fer_err *err)
{
    static const char zeros[8] = {0};
    fer_event *list = NULL;
    size_t count = 0;
    fer_buf b;
    fer_code code = fer_history_since(a, h, 0, &list, &count, err);
    if (code) return code;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    for (size_t i = 0; i < count; i++) {
        const fer_event *e = &list[i];
        struct row r = {
            e->version, (uint8_t)e->kind, (uint8_t)e->verdict, {0}, (uint32_t)e->id.len};
        fer_buf_add(&b, (fer_str){(const char *)&r, sizeof r});
        fer_buf_add(&b, e->id);
        fer_buf_add(&b, (fer_str){zeros, (8 - e->id.len % 8) % 8});
    }
    if (b.failure) return fer_buf_code(&b, err);
    *out = b.ptr ? fer_buf_view(&b) : FER_STR("");
    return FER_OK;
}

/* The event at the start of `*left`, which is taken off. */
static bool read_event(fer_str *left, fer_event *out)
{
    struct row r;
    if (left->len < sizeof r) return false;
    memcpy(&r, left->ptr, sizeof r);
    size_t size = sizeof r + ((size_t)r.len + 7) / 8 * 8;
    if (size > left->len || r.kind >= FER_EVENT_UNCHANGED || r.verdict > FER_VERDICT_BREAKING)
        return false;
    *out = (fer_event){.kind = (fer_event_kind)r.kind,
                       .id = {left->ptr + sizeof r, r.len},
                       .version = r.version,
                       .verdict = (fer_verdict)r.verdict};
    for (size_t i = 0; i < r.len; i++)
        if ((unsigned char)out->id.ptr[i] - 0x20u > 0x5Eu) return false;
    *left = fer_str_slice(*left, size, left->len);
    return true;
}

fer_code fer_history_read(fer_history *h, fer_str bytes, fer_err *err)
{
    fer_event *list = NULL;
    size_t count = 0, cap = 0;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    while (!code && bytes.len) {
        list = fer_arena_room(a, list, count, &cap, sizeof *list);
        if (!list) code = fer_arena_failed(a, err);
        else if (count == FER_EVENTS_KEPT || !read_event(&bytes, &list[count++]))
            code = fer_fail(err, FER_INVALID_CATALOG,
                            "not a catalogue that can be used: its list of events is damaged");
    }
    struct fer_told *t = code || !count ? NULL : fer_told_new(list, count, FER_EVENTS_KEPT);
    if (!code && count && !t) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (t) fer_history_add(h, t);
    fer_arena_free(a);
    return code;
}
