/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a set-up, and how to mend it: a table of checks (doctor.c), each of
 * which tells any number of results. A check looks; it changes something only where --fix asks
 * for that and it is safe: the mode of a file of secrets. One thread.
 */
#ifndef FER_DOCTOR_H
#define FER_DOCTOR_H

#include "command.h"
#include "config.h"

typedef enum fer_health_of {
    FER_DOCTOR_OK,
    FER_DOCTOR_SKIPPED, /* it does not matter here, or was not asked for */
    FER_DOCTOR_WARNING, /* it works, but should be looked at */
    FER_DOCTOR_WRONG,
    FER_DOCTOR_STATES
} fer_health_of;
extern const char *const fer_doctor_states[FER_DOCTOR_STATES]; /* "ok" ... */

/* What a check found. Texts live in the doctor's arena. */
typedef struct fer_doctor_result {
    const char *check;
    fer_health_of state;
    fer_str subject; /* a server, a file; or empty */
    fer_str message;
    fer_str hint; /* what to do; or empty */
} fer_doctor_result;

typedef struct fer_doctor {
    fer_app *app;
    fer_arena *arena;
    bool fix;     /* what is safe to mend is mended */
    bool offline; /* no server is started or asked */
    fer_config config;
    bool has_config; /* one was read, without an error */
    fer_str file;    /* that it was read from; or empty */
    const char *check;
    fer_doctor_result *results;
    size_t count, cap;
    bool failed; /* no memory */
} fer_doctor;

typedef struct fer_doctor_check {
    const char *name;
    const char *text; /* what it looks at */
    void (*run)(fer_doctor *d);
} fer_doctor_check;
extern const fer_doctor_check fer_doctor_checks[]; /* ended by a row without name */

/* Adds a result of the check that runs. */
void fer_doctor_tell(fer_doctor *d, fer_health_of state, fer_str subject, fer_str hint,
                     const char *format, ...) FER_PRINTF(5, 6);
/* Runs all checks, in their order. False: no memory. */
bool fer_doctor_run(fer_doctor *d);

/* The program of a command line, that can be run. */
fer_code fer_doctor_program(fer_doctor *d, fer_str command, fer_str path, fer_str *out,
                            fer_err *err);

/* Checks of servers, which need a station (doctor_servers.c). */
void fer_doctor_programs(fer_doctor *d);
void fer_doctor_servers(fer_doctor *d);
/* Checks of whom a gateway lets in, and whether it does as the file says (doctor_serve.c). */
void fer_doctor_issuers(fer_doctor *d);
void fer_doctor_serve(fer_doctor *d);
void fer_doctor_port(fer_doctor *d);
/* Checks of what is around (doctor_host.c). */
void fer_doctor_time(fer_doctor *d);
void fer_doctor_limits(fer_doctor *d);
void fer_doctor_systemd(fer_doctor *d);
void fer_doctor_clients(fer_doctor *d);
void fer_doctor_run_folder(fer_doctor *d);
/* The checks of sandboxes and of what runs code in them (doctor_sandbox.c). */
void fer_doctor_sandbox(fer_doctor *d);
void fer_doctor_runtimes(fer_doctor *d);
/* Checks of files that are kept (doctor_files.c). */
void fer_doctor_secrets(fer_doctor *d);
void fer_doctor_tokens(fer_doctor *d);
void fer_doctor_state(fer_doctor *d);
void fer_doctor_catalog(fer_doctor *d);

#endif
