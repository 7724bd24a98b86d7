/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of which nobody knows yet who asks: the key of their token is being asked for. They go
 * on together, as if they had just come.
 */
#include "serve_web_parts.h"
#include "sys.h"

struct fer_waiting {
    fer_web *web;
    fer_exchange *exchange;
    struct fer_waiting *next, **place;
};

static fer_exchange *leave(struct fer_waiting *p)
{
    fer_exchange *x = p->exchange;
    *p->place = p->next;
    if (p->next) p->next->place = p->place;
    p->web->waiting_count--;
    fer_sys_free(p);
    return x;
}

static void on_gone(fer_exchange *x, fer_gone why)
{
    (void)why;
    fer_exchange_end(leave(fer_exchange_owner(x)));
}

static const fer_exchange_events watch = {.gone = on_gone};

void fer_web_wait(fer_web *w, fer_exchange *x)
{
    struct fer_waiting *p =
        w->waiting_count < FER_HTTP_WAITING_MAX ? fer_sys_malloc(sizeof *p) : NULL;
    if (!p) {
        fer_web_later(x);
        return;
    }
    *p = (struct fer_waiting){.web = w, .exchange = x, .next = w->waiting, .place = &w->waiting};
    if (p->next) p->next->place = &p->next;
    w->waiting = p;
    w->waiting_count++;
    fer_exchange_watch(x, &watch, p);
}

/* Who waits anew from inside joins another list. */
void fer_web_again(fer_web *w)
{
    struct fer_waiting *list = w->waiting;
    if (!list) return;
    list->place = &list;
    w->waiting = NULL;
    while (list) {
        fer_exchange *x = leave(list);
        fer_exchange_watch(x, NULL, NULL);
        w->handler.request(w, x);
    }
}

void fer_web_wait_no_more(fer_web *w)
{
    while (w->waiting) fer_exchange_end(leave(w->waiting));
}
