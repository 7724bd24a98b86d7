/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way back from a worker's thread to a loop: the loop's thread expects items, any thread sends
 * each of them once, and the loop's thread is told of each in the order of sending. The loop is
 * kept alive while something is expected. Closed, it tells nobody any more; the memory goes when
 * the loop has closed its handle and the last expected item was sent.
 */
#ifndef FER_OUTLET_H
#define FER_OUTLET_H

#include <uv.h>

#include "str.h"

typedef struct fer_outlet fer_outlet;

typedef struct fer_outlet_item {
    struct fer_outlet_item *next;
    /* Tells whoever waits, unless `gone`, and frees the item; where it is gone, on any thread. */
    void (*tell)(struct fer_outlet_item *item, bool gone);
} fer_outlet_item;

/* The loop's thread. */
fer_code fer_outlet_new(uv_loop_t *loop, fer_outlet **out, fer_err *err);
void fer_outlet_close(fer_outlet *o);
void fer_outlet_expect(fer_outlet *o);
/* Takes an expectation back. */
void fer_outlet_forget(fer_outlet *o);

/* Any thread. An item and all that `next` of it leads to: the loop is woken once for them. */
void fer_outlet_send(fer_outlet *o, fer_outlet_item *first);

#endif
