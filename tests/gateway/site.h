/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gateway at work, to be killed: the real stages, over the real ledger and store in a folder
 * (station/keeping.c), with a backend in this process that counts what it does and fails as it is
 * told. Clients ask for what a plan says, are told what came of it, and after a restart ask again
 * with the same keys. All that a judge needs is told to whoever watches (history.h).
 */
#ifndef FER_SITE_H
#define FER_SITE_H

#include "history.h"

#define SITE_SECRET_IN  "cnry-in-7f3e/A+9zQ41x"  /* in arguments, */
#define SITE_SECRET_OUT "cnry-out-2c81/B+7yR55w" /* in results */

/*
 * A call. Each letter of the script is an attempt at it, the last one is repeated: o it is done and
 * answered; x it is done and the answer is lost; l it is lost before; n the tool says no; 0 nothing
 * gets there; 1 the backend says that it did not process it.
 */
struct job {
    const char *tool; /* read, look (cached), put, post, mail; or a chain: "put post look" */
    const char *script;
    bool keyed;
};

struct plan {
    const char *name;
    const struct job *jobs;
    size_t job_count;
    size_t calls, at_once, tenants;
    bool doubled; /* each third call with a key is made by two clients at once */
};
extern const struct plan plans[];
extern const size_t plan_count;

/* Whoever watches; each is called when the thing has happened. */
struct site_watch {
    void *context;
    void (*asked)(void *context, const struct asked *a);
    void (*told)(void *context, const struct told *t);
    void (*did)(void *context, const char *n, const char *mark, const char *key);
    /* Whether the backend did a thing under that key before, and its mark. */
    bool (*has_done)(void *context, const char *key, char mark[NAME_MAX_N]);
};

struct site_end {
    bool opened;                  /* else `why` */
    struct footing before, after; /* of the whole life */
    char why[256];
};

/*
 * One life of the gateway: opens (and recovers) the state in the folder, works through the plan,
 * and ends. `again`: it asks only for what has a key, with a backend that is well.
 */
void site_run(const struct plan *p, const char *state, bool again, const struct site_watch *watch,
              struct site_end *end);

/* A folder for state below the place for tests, and what is in it. */
void site_folder(char out[128]);
void site_remove(const char *folder);

#endif
