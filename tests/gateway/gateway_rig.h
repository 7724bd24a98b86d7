/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gateway with tools that do as their names say, for tests of what is around them:
 *
 *     s:echo   gives its arguments          s:steps  two steps of progress, two chunks, then a
 * result s:hang   never answers                s:wrong  gives what its schema refuses s:no     says
 * no                      s:gone   its backend is not there: nothing is sent s:lost   its backend
 * goes away after the call was sent
 *
 * Each runs at the runner "first", and at "second" where a route says so. Making one may run out of
 * memory, and says so.
 */
#ifndef FER_GATEWAY_RIG_H
#define FER_GATEWAY_RIG_H

#include <ferrule/gateway.h>

#include "gateway_parts.h"

typedef struct rig_runner {
    fer_runner runner; /* first */
    fer_attempt *waiting;
    size_t calls, stops, frees;
    bool gone; /* nothing reaches it */
} rig_runner;

typedef struct rig {
    fer_arena *arena; /* of the test */
    fer_catalog *catalog;
    fer_gateway *gateway;
    rig_runner first, second;
} rig;

fer_code rig_make(rig *r, const fer_gateway_options *options);
void rig_free(rig *r);
/* Sets up a runner that is not at its post. */
void rig_runner_init(rig_runner *p, const char *name, uv_loop_t *loop);

#endif
