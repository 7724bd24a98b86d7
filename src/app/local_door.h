/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door by which `ferrule serve --stdio` of this user comes in (attach.h): every gateway that
 * serves more than one client has it. One that was started for such clients (--daemon) has no
 * other, and ends when none has been there for a while.
 */
#ifndef FER_LOCAL_DOOR_H
#define FER_LOCAL_DOOR_H

#include <uv.h>

#include "attach.h"
#include "serve_local.h"

#define FER_LOCAL_IDLE_MAX 86400 /* seconds of --idle */

typedef struct fer_local_door {
    fer_app *app;
    fer_local *local; /* NULL: it is not open */
    uv_timer_t idle;
    bool timed;   /* there is such a timer */
    bool retired; /* nobody comes any more: the last one ends it */
    int64_t idle_ms;
    void (*ended)(void *context); /* drained, or idle for long enough */
    void *context;
} fer_local_door;

/*
 * Opens it. `only`: there is no other, so that another gateway at its place is the end of this one
 * (`d->local` stays NULL); otherwise what stands against it is said, and the gateway goes without.
 * 0, or an exit code.
 */
int fer_local_door_open(fer_local_door *d, fer_front *front, const fer_attach *at, bool only);
void fer_local_door_drain(fer_local_door *d);
void fer_local_door_close(fer_local_door *d);

#endif
