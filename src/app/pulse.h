/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has happened lately in a gateway, in memory and bounded: calls by backend and second, how
 * long they took, the last calls and the last refusals. Told by the gateway's observer and by the
 * doorkeeper, read by the pages of the admin API. Nothing that a tool was given or gave is in it;
 * whoever called is told apart by a digest.
 *
 * Time is given, so that all of it can be tested. One thread: that of the gateway's loop.
 */
#ifndef FER_PULSE_H
#define FER_PULSE_H

#include <ferrule/gateway.h>

#include "arena.h"
#include "map.h"

#define FER_PULSE_SECONDS  60   /* that are remembered one by one */
#define FER_PULSE_RECENT   200  /* calls */
#define FER_PULSE_DENIED   100  /* refusals */
#define FER_PULSE_BACKENDS 1000 /* that are counted apart; those past it together */
#define FER_PULSE_SLOTS    6    /* of ten seconds each, of how long calls took */
#define FER_PULSE_BUCKETS  128  /* four for each doubling of a microsecond */

/* One second, or none where `second` is another one. */
typedef struct fer_pulse_beat {
    int64_t second;
    uint32_t calls, errors;
} fer_pulse_beat;

/* Of one backend, or of all. */
typedef struct fer_pulse_row {
    fer_str name;
    uint64_t calls, errors; /* ever */
    fer_code last_error;    /* of the last call that failed; FER_OK: none has */
    fer_pulse_beat beats[FER_PULSE_SECONDS];
    struct {
        int64_t slot;
        uint32_t counts[FER_PULSE_BUCKETS];
    } took[FER_PULSE_SLOTS];
} fer_pulse_row;

typedef struct fer_pulse_call {
    int64_t at; /* when it ended, ms since 1970 */
    char id[40], tool[200], backend[130], tenant[64], principal[17];
    char rule[80]; /* by which it was refused; empty: it was not */
    const char *origin;
    fer_code code;
    int64_t took_us;
    unsigned attempts;
    size_t bytes_in, bytes_out;
    bool cached;
} fer_pulse_call;

typedef struct fer_pulse_denial {
    int64_t at;
    char rule[80], method[16], path[130], address[64], tenant[64], principal[17];
} fer_pulse_denial;

typedef struct fer_pulse {
    fer_arena *arena;
    fer_map rows; /* by backend */
    fer_pulse_row all;
    fer_pulse_call *recent;
    uint64_t recent_count; /* ever: the newest is at (recent_count - 1) % FER_PULSE_RECENT */
    fer_pulse_denial *denied;
    uint64_t denied_count;
} fer_pulse;

/* NULL: no memory. */
FER_MUST_USE fer_pulse *fer_pulse_new(void);
void fer_pulse_free(fer_pulse *p);

/* A call has ended. `now` is in ms since 1970, as everywhere here. */
void fer_pulse_call_ended(fer_pulse *p, const fer_call_report *r, int64_t now);
/* Somebody was refused; texts are cut to what is kept of them, and may be empty. */
typedef struct fer_pulse_refusal {
    fer_str rule, method, path, address;
    const fer_caller *caller; /* or NULL */
} fer_pulse_refusal;
void fer_pulse_refused(fer_pulse *p, const fer_pulse_refusal *r, int64_t now);

/* The row of a backend; NULL: nobody has called it. */
const fer_pulse_row *fer_pulse_find(const fer_pulse *p, fer_str backend);
/* The `age`-th newest; NULL: there is none. */
const fer_pulse_call *fer_pulse_recent(const fer_pulse *p, size_t age);
const fer_pulse_denial *fer_pulse_denial_at(const fer_pulse *p, size_t age);

/* Calls and errors in a second before `now`; 0 is the one that is not over. */
fer_pulse_beat fer_pulse_second(const fer_pulse_row *r, int64_t now, size_t before);
/* How long calls of the last minute took at most, for a share of them (0.5, 0.99), in
 * microseconds, within a fifth; 0: there were none. */
int64_t fer_pulse_took(const fer_pulse_row *r, int64_t now, double share);

#endif
