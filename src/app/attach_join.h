/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to the gateway of a configuration, which is started where that is asked for. */
#ifndef FER_ATTACH_JOIN_H
#define FER_ATTACH_JOIN_H

#include "attach.h"

/* A descriptor, or -1 with the reason. Waits at most FER_ATTACH_START_MS. */
int fer_attach_join(fer_app *app, const fer_attach *at, bool start, fer_err *err);

#endif
