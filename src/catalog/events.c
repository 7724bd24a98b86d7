/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include <string.h>

#include "errors.h"
#include "sys.h"

struct fer_subscriber {
    struct fer_subscriber *next;
    uint64_t number;
    fer_listener *listener;
    void *context;
    bool running; /* it is being told */
    bool gone;    /* unsubscribed while it was running: whoever tells it frees it */
};

/* The events of one change that are to be told, and those that are kept. */
struct fer_queued {
    struct fer_queued *next;
    uint64_t before; /* listeners with lower numbers are told */
    struct fer_told *told, *kept;
};

bool fer_events_init(fer_events *e)
{
    *e = (fer_events){.next_number = 1};
    if (pthread_mutex_init(&e->lock, NULL) != 0) return false;
    if (pthread_cond_init(&e->quiet, NULL) == 0) return true;
    pthread_mutex_destroy(&e->lock);
    return false;
}

void fer_events_deinit(fer_events *e)
{
    while (e->head) {
        struct fer_queued *next = e->head->next;
        fer_events_forget(e->head);
        e->head = next;
    }
    fer_history_deinit(&e->history);
    while (e->first) {
        struct fer_subscriber *next = e->first->next;
        fer_sys_free(e->first);
        e->first = next;
    }
    pthread_cond_destroy(&e->quiet);
    pthread_mutex_destroy(&e->lock);
}

/* ---- the queue ----------------------------------------------------------------------------------
 */

struct fer_queued *fer_events_prepare(const fer_event *list, size_t count)
{
    struct fer_queued *q = fer_sys_malloc(sizeof *q);
    if (!q) return NULL;
    *q = (struct fer_queued){.told = fer_told_new(list, count, SIZE_MAX),
                             .kept = fer_told_new(list, count, FER_EVENTS_KEPT)};
    if (q->told && q->kept) return q;
    fer_events_forget(q);
    return NULL;
}

void fer_events_forget(struct fer_queued *q)
{
    fer_sys_free(q->told);
    fer_sys_free(q->kept);
    fer_sys_free(q);
}

void fer_events_queue(fer_events *e, struct fer_queued *q)
{
    pthread_mutex_lock(&e->lock);
    fer_history_add(&e->history, q->kept);
    q->kept = NULL;
    q->before = e->next_number;
    if (e->tail) e->tail->next = q;
    else e->head = q;
    e->tail = q;
    pthread_mutex_unlock(&e->lock);
}

fer_code fer_events_since(fer_arena *a, fer_events *e, uint64_t since, fer_event **out,
                          size_t *count, fer_err *err)
{
    pthread_mutex_lock(&e->lock);
    fer_code code = fer_history_since(a, &e->history, since, out, count, err);
    pthread_mutex_unlock(&e->lock);
    return code;
}

fer_code fer_events_write(fer_arena *a, fer_events *e, fer_str *out, fer_err *err)
{
    pthread_mutex_lock(&e->lock);
    fer_code code = fer_history_write(a, &e->history, out, err);
    pthread_mutex_unlock(&e->lock);
    return code;
}

/* The first listener behind a number that was there when the event happened. */
static struct fer_subscriber *next_of(const fer_events *e, uint64_t behind, uint64_t before)
{
    for (struct fer_subscriber *s = e->first; s && s->number < before; s = s->next) {
        if (s->number > behind) return s;
    }
    return NULL;
}

/* The lock is held, but not while the listener runs. */
static void tell_one(fer_events *e, struct fer_subscriber *s, const fer_event *event)
{
    s->running = true;
    pthread_mutex_unlock(&e->lock);
    s->listener(s->context, event);
    pthread_mutex_lock(&e->lock);
    s->running = false;
    if (s->gone) fer_sys_free(s);
    pthread_cond_broadcast(&e->quiet);
}

static void tell_all(fer_events *e, const struct fer_queued *q)
{
    for (size_t i = 0; i < q->told->count; i++) {
        uint64_t last = 0;
        for (struct fer_subscriber *s; (s = next_of(e, last, q->before));) {
            last = s->number;
            tell_one(e, s, &q->told->list[i]);
        }
    }
}

void fer_events_tell(fer_events *e)
{
    pthread_mutex_lock(&e->lock);
    if (!e->telling) {
        e->telling = true;
        e->teller = pthread_self();
        while (e->head) {
            struct fer_queued *q = e->head;
            e->head = q->next;
            if (!e->head) e->tail = NULL;
            tell_all(e, q);
            fer_events_forget(q);
        }
        e->telling = false;
    }
    pthread_mutex_unlock(&e->lock);
}

/* ---- listeners
 * ------------------------------------------------------------------------------------ */

static void append(fer_events *e, struct fer_subscriber *s)
{
    struct fer_subscriber **at = &e->first;
    while (*at) at = &(*at)->next;
    s->number = e->next_number++;
    *at = s;
    e->count++;
}

fer_code fer_events_subscribe(fer_events *e, fer_listener *listener, void *context,
                              uint64_t *number, fer_err *err)
{
    struct fer_subscriber *s = fer_sys_malloc(sizeof *s);
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *s = (struct fer_subscriber){.listener = listener, .context = context};
    pthread_mutex_lock(&e->lock);
    bool full = e->count == FER_LISTENERS_MAX;
    if (!full) {
        append(e, s);
        *number = s->number;
    }
    pthread_mutex_unlock(&e->lock);
    if (!full) return FER_OK;
    fer_sys_free(s);
    return fer_fail(err, FER_LIMIT_EXCEEDED,
                    "catalog.listeners: a catalogue has at most %d listeners", FER_LISTENERS_MAX);
}

/* Out of the list first, so that nobody else finds it; then it is waited for, unless it runs on
 * this very thread: then whoever is telling it frees it. */
bool fer_events_unsubscribe(fer_events *e, uint64_t number)
{
    pthread_mutex_lock(&e->lock);
    struct fer_subscriber **at = &e->first, *s;
    while (*at && (*at)->number != number) at = &(*at)->next;
    s = *at;
    if (s) {
        *at = s->next;
        e->count--;
        bool mine = s->running && pthread_equal(e->teller, pthread_self());
        if (mine) {
            s->gone = true;
        } else {
            while (s->running) pthread_cond_wait(&e->quiet, &e->lock);
            fer_sys_free(s);
        }
    }
    pthread_mutex_unlock(&e->lock);
    return s != NULL;
}
