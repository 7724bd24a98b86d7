/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client of the older era has said that lasts for its session: the level of logs that it
 * wants, and resources that it watches. A gateway that takes the place of another is told it again,
 * by requests of our own whose answers are kept back. One thread.
 */
#ifndef FER_ATTACH_LASTING_H
#define FER_ATTACH_LASTING_H

#include "line_pair.h"
#include "rpc.h"

#define FER_ATTACH_LASTING_MAX 1000 /* that are remembered, as many as one client may watch */

typedef struct fer_lasting {
    struct lasting *first;
    size_t count;
    size_t unanswered; /* that were said again */
} fer_lasting;

/* A request of the client's: notes what lasts. Without memory it is not said again. */
void fer_lasting_note(fer_lasting *l, const fer_rpc *m);
/* Says all of it to a new gateway. */
void fer_lasting_say(fer_lasting *l, fer_arena *a, fer_pair *gate);
/* Whether an answer is to one of those: the client does not want it. */
bool fer_lasting_takes(fer_lasting *l, const fer_rpc *m);
void fer_lasting_deinit(fer_lasting *l);

#endif
