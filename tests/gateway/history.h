/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of a history: what clients asked and were told, what the backend did, what the ledger
 * and the store of keys have afterwards. It knows nothing of how the history came about: gateways
 * that were killed, that lost their power, or that nobody disturbed are judged alike. The
 * invariants are those of the list of promises:
 *
 *     I1  a call has one begin, at most one end, behind it; after recovery exactly one
 *     I2  what is not Pure happened at most once; what was told as done has happened, what was told
 *         as not done has not
 *     I3  every answer about a call that is not Pure is in the ledger, with its outcome; a key
 * whose call had its effect is in the store, one whose result was told is DONE I4  the chain is
 * whole, and nothing in it is open I5  everybody gets what was asked for by them, and records are
 * those of its tenant I6  no secret is in any file, log or answer I7  descriptors, processes and
 * memory are as before I8  every call ends by its deadline
 *
 * A call is known by `n`, a name that its arguments, its effect, its result and its records have.
 */
#ifndef FER_HISTORY_H
#define FER_HISTORY_H

#include <ferrule/contract.h>

#include "ledger.h"
#include "store.h"

#define NAME_MAX_N 32 /* bytes of a call's name, with NUL */

struct asked {
    char n[NAME_MAX_N];
    char tenant[16];
    fer_effect effect;
    bool keyed;
    int64_t deadline_ms;
    unsigned times; /* that it was asked, over all lives of the gateway; 0: perhaps, a later step
                       of a chain */
};

enum said {
    SAID_OK,
    SAID_NO,      /* by the tool, or the backend: this time it did not happen */
    SAID_UNKNOWN, /* it may have happened */
    SAID_REFUSED  /* nothing was sent */
};

struct told {
    char n[NAME_MAX_N]; /* that was asked */
    enum said said;
    unsigned attempts;
    bool replayed;
    char got[NAME_MAX_N]; /* name and owner that the result has; of SAID_OK */
    char whose[16];
    char mark[NAME_MAX_N]; /* of the execution that the result comes from */
    int64_t took_ms;
    fer_code code; /* for those who read a complaint */
};

/* An effect, as the backend counts them. */
struct did {
    char n[NAME_MAX_N];
    char mark[NAME_MAX_N];
};

/* A record of the ledger. */
struct noted {
    fer_ledger_type type;
    uint64_t seq;
    char call[40];
    char tenant[16];
    char n[NAME_MAX_N]; /* of a begin */
    char status[16];    /* of an end, and the mark of its output */
    char mark[NAME_MAX_N];
};

struct kept {
    char call[40];
    fer_idem_state state;
};

struct footing { /* what a process holds */
    size_t descriptors, children;
    int64_t allocations;
};

struct history {
    struct asked *asked;
    size_t asked_count;
    struct told *told;
    size_t told_count;
    struct did *did;
    size_t did_count;
    struct noted *noted;
    size_t noted_count;
    struct kept *kept;
    size_t kept_count;
    size_t flaws, open; /* of the ledger, as verify has them */
    size_t secrets;     /* places where one was found */
    struct footing before, after;
    bool recovered;   /* everything that was begun has its end */
    int64_t slack_ms; /* past a deadline */
    bool quiet;       /* nothing is said about what is found */
};

#define INVARIANTS 9 /* I1 to I8; 0 is not one */

struct history *history_new(void);
void history_free(struct history *h);
/* The place of a call, which is new or was asked before. */
struct asked *history_asked(struct history *h, const char *n);
void history_add_told(struct history *h, const struct told *t);
void history_add_did(struct history *h, const struct did *d);
void history_add_noted(struct history *h, const struct noted *n);
void history_add_kept(struct history *h, const struct kept *k);

/* What a result has under "n", "who" and "mark". */
void history_read_result(struct told *t, fer_str json);

/* Reads what is left: effects (a line each: name and mark), ledger, keys. */
void history_load(struct history *h, const char *effects, const char *ledger, const char *store);
/* Counts files below a folder in which a secret stands in any form; in `h->secrets`. */
void history_scan(struct history *h, const char *folder, const char *const *secrets, size_t count);

/* Violations of each invariant; returns their sum. */
size_t history_judge(const struct history *h, size_t found[INVARIANTS]);

struct footing footing_now(void);

#endif
