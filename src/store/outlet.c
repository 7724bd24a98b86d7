/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet.h"

#include <pthread.h>
#include <stdatomic.h>

#include "errors.h"
#include "sys.h"

struct fer_outlet {
    uv_async_t async;
    size_t expected;     /* on the loop's thread */
    _Atomic size_t refs; /* the owner's, one for each item that is expected, and of who sends */
    pthread_mutex_t lock;
    fer_outlet_item *first, **last; /* under lock */
    /* Whoever wakes the loop holds it, and no other lock: the loop, which runs at once then, would
     * wait for it. An outlet that is not closed has a handle that is not closed. */
    pthread_mutex_t waking;
    bool closed; /* changes under both locks */
};

static void unref(fer_outlet *o)
{
    if (atomic_fetch_sub(&o->refs, 1) != 1) return;
    pthread_mutex_destroy(&o->waking);
    pthread_mutex_destroy(&o->lock);
    fer_sys_free(o);
}

static fer_outlet_item *take_all(fer_outlet *o)
{
    pthread_mutex_lock(&o->lock);
    fer_outlet_item *first = o->first;
    o->first = NULL;
    o->last = &o->first;
    pthread_mutex_unlock(&o->lock);
    return first;
}

static void tell_all(fer_outlet *o, fer_outlet_item *item)
{
    while (item) {
        fer_outlet_item *next = item->next;
        if (--o->expected == 0) uv_unref((uv_handle_t *)&o->async);
        /* Who is told may close it. */
        item->tell(item, o->closed);
        unref(o);
        item = next;
    }
}

static void wake(uv_async_t *async)
{
    fer_outlet *o = async->data;
    tell_all(o, take_all(o));
}

fer_code fer_outlet_new(uv_loop_t *loop, fer_outlet **out, fer_err *err)
{
    fer_outlet *o = fer_sys_malloc(sizeof *o);
    if (!o) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(o, 0, sizeof *o);
    o->refs = 1;
    o->last = &o->first;
    if (uv_async_init(loop, &o->async, wake) != 0) {
        fer_sys_free(o);
        return fer_fail(err, FER_IO_ERROR, "the loop takes no more handles");
    }
    pthread_mutex_init(&o->lock, NULL);
    pthread_mutex_init(&o->waking, NULL);
    o->async.data = o;
    uv_unref((uv_handle_t *)&o->async);
    *out = o;
    return FER_OK;
}

static void handle_closed(uv_handle_t *handle)
{
    unref(handle->data);
}

void fer_outlet_close(fer_outlet *o)
{
    pthread_mutex_lock(&o->waking);
    pthread_mutex_lock(&o->lock);
    o->closed = true;
    pthread_mutex_unlock(&o->lock);
    pthread_mutex_unlock(&o->waking);
    tell_all(o, take_all(o));
    uv_close((uv_handle_t *)&o->async, handle_closed);
}

void fer_outlet_expect(fer_outlet *o)
{
    atomic_fetch_add(&o->refs, 1);
    if (o->expected++ == 0) uv_ref((uv_handle_t *)&o->async);
}

void fer_outlet_forget(fer_outlet *o)
{
    if (--o->expected == 0) uv_unref((uv_handle_t *)&o->async);
    unref(o);
}

/* Puts all of a list behind those that wait. False: nobody takes them any more. */
static bool put(fer_outlet *o, fer_outlet_item *first, bool *wake)
{
    pthread_mutex_lock(&o->lock);
    bool open = !o->closed;
    *wake = open && !o->first;
    if (open) {
        *o->last = first;
        while (*o->last) o->last = &(*o->last)->next;
    }
    pthread_mutex_unlock(&o->lock);
    return open;
}

void fer_outlet_send(fer_outlet *o, fer_outlet_item *first)
{
    bool wake;
    atomic_fetch_add(&o->refs, 1); /* what is told gives its own back */
    if (!put(o, first, &wake)) {
        while (first) {
            fer_outlet_item *next = first->next;
            first->tell(first, true);
            unref(o);
            first = next;
        }
    } else if (wake) {
        pthread_mutex_lock(&o->waking);
        if (!o->closed) uv_async_send(&o->async);
        pthread_mutex_unlock(&o->waking);
    }
    unref(o);
}
