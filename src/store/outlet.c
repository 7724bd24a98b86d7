/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet.h"

#include <pthread.h>
#include <stdatomic.h>

#include "errors.h"
#include "sys.h"

/*
 * The loop is woken by a bell, not by uv_async_send: that marks its handle as busy until its write
 * has returned, while the loop, which the write has woken, spins until the mark is gone. Where
 * waking another processor is slow that was a fifteenth of all a gateway with a ledger did.
 */
struct fer_outlet {
    uv_poll_t heard;     /* by the loop */
    int bell;            /* there as long as anybody may ring it */
    size_t expected;     /* on the loop's thread */
    _Atomic size_t refs; /* the owner's, one for each item that is expected, and of who sends */
    pthread_mutex_t lock;
    fer_outlet_item *first, **last; /* under lock, as is: */
    bool closed;
};

static void unref(fer_outlet *o)
{
    if (atomic_fetch_sub(&o->refs, 1) != 1) return;
    pthread_mutex_destroy(&o->lock);
    fer_sys_close(o->bell);
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
        if (--o->expected == 0) uv_unref((uv_handle_t *)&o->heard);
        /* Who is told may close it. */
        item->tell(item, o->closed);
        unref(o);
        item = next;
    }
}

static void wake(uv_poll_t *heard, int status, int events)
{
    fer_outlet *o = heard->data;
    (void)status, (void)events;
    fer_sys_bell_hear(o->bell); /* before the look: who rings later is heard again */
    tell_all(o, take_all(o));
}

fer_code fer_outlet_new(uv_loop_t *loop, fer_outlet **out, fer_err *err)
{
    fer_outlet *o = fer_sys_malloc(sizeof *o);
    if (!o) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(o, 0, sizeof *o);
    o->refs = 1;
    o->last = &o->first;
    o->bell = fer_sys_bell();
    if (o->bell < 0 || uv_poll_init(loop, &o->heard, o->bell) != 0) {
        if (o->bell >= 0) fer_sys_close(o->bell);
        fer_sys_free(o);
        return fer_fail(err, FER_IO_ERROR, "the loop takes no more handles");
    }
    pthread_mutex_init(&o->lock, NULL);
    o->heard.data = o;
    uv_poll_start(&o->heard, UV_READABLE, wake);
    uv_unref((uv_handle_t *)&o->heard);
    *out = o;
    return FER_OK;
}

static void handle_closed(uv_handle_t *handle)
{
    unref(handle->data);
}

void fer_outlet_close(fer_outlet *o)
{
    pthread_mutex_lock(&o->lock);
    o->closed = true;
    pthread_mutex_unlock(&o->lock);
    tell_all(o, take_all(o));
    uv_close((uv_handle_t *)&o->heard, handle_closed);
}

void fer_outlet_expect(fer_outlet *o)
{
    atomic_fetch_add(&o->refs, 1);
    if (o->expected++ == 0) uv_ref((uv_handle_t *)&o->heard);
}

void fer_outlet_forget(fer_outlet *o)
{
    if (--o->expected == 0) uv_unref((uv_handle_t *)&o->heard);
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
        fer_sys_bell_ring(o->bell); /* with no lock: the loop, which runs at once, takes it */
    }
    unref(o);
}
