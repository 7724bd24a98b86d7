/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a catalogue, for the files that work on all of it. */
#ifndef FER_CATALOG_PARTS_H
#define FER_CATALOG_PARTS_H

#include <pthread.h>

#include "events.h"
#include "file.h"
#include "gate.h"
#include "view.h"

struct fer_use_memory;

struct fer_catalog {
    fer_gate gate;        /* to the newest fer_view */
    pthread_mutex_t lock; /* writers come one at a time */
    fer_events events;
    fer_quarantine quarantine;
    bool lenient;
    size_t embedding;            /* tools whose vectors are being made just now; under the lock */
    struct fer_use_memory *uses; /* NULL: nothing is remembered */
    char *file;                  /* that it was opened from or saved to last; NULL: none */
    fer_file_mark mark;          /* what that was then */
};

#endif
