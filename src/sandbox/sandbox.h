/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sandbox: a program that is run where the kernel lets it do nothing but compute, in a room of
 * its own, with limits that are enforced or said not to be. Knows nothing of what the program is
 * for or what is said over its pipes; no network ever.
 *
 * The room is made by a small static program, the cell (cell/), which is part of this one and is
 * executed from sealed memory. Three processes stand for a sandbox: the warden, in the host's
 * namespaces, which watches memory and time; the first process of the PID namespace, which waits
 * for orphans and whose end is the end of all; and the program. The layers are rows of
 * fer_layer_rows; each holds by itself, so that what one would let through another stops.
 * Where one that is needed cannot be had the program is not started (FER_SANDBOX_VIOLATION), unless
 * `allow_degraded` says so; the report tells for each layer and each limit what stands.
 *
 * What the program finds: a read-only root with the binds and files of its spec, /work (a tmpfs of
 * its own, its folder, HOME and TMPDIR; /tmp and /dev/shm lead there), /dev with null, zero, full,
 * random and urandom, /proc with its own processes where asked for; descriptors 0, 1, 2 and those
 * that are handed over; the environment that is given and nothing else; the user of this process,
 * or nobody (65534) where that is root. It is no capability's owner, and cannot become one.
 *
 * The life of a sandbox: start -> on_ready (the program runs, the report is final) -> on_output,
 * on_error_output ... -> on_end, once, with all that it printed told -> on_gone, when no process,
 * mount, file or cgroup of it is left, after which it is freed. A sandbox that could not be made
 * has on_end without on_ready. No callback is called from within fer_sandbox_start.
 *
 * All of it belongs to the thread of the loop of its process host.
 */
#ifndef FER_SANDBOX_H
#define FER_SANDBOX_H

#include <ferrule/common.h>

#include "process.h"
#include "sandbox_layers.h"

/* ---- what is to be run ---------------------------------------------------------------------- */

/* What programs may do inside. The walls around them are the same. */
typedef enum fer_sandbox_profile {
    FER_SANDBOX_STANDARD,
    FER_SANDBOX_DEV,     /* also sockets between its own processes, and executing files of /work */
    FER_SANDBOX_HARDENED /* no /proc, no memory files, no executable memory that was written */
} fer_sandbox_profile;
extern const char *const fer_sandbox_profile_names[FER_SANDBOX_HARDENED + 1];

/* A file or folder of the host, with all below it, to be seen read-only. One that is a symbolic
 * link becomes the same link, such as /lib -> usr/lib. */
typedef struct fer_sandbox_bind {
    const char *from; /* absolute; must be reachable for the user that the program runs as */
    const char *to;   /* NULL: the same */
    bool optional;    /* where the host has none, neither has the room */
} fer_sandbox_bind;

/* A file that is put into the read-only root. */
typedef struct fer_sandbox_file {
    const char *path; /* absolute, such as /code/main.py; folders are made */
    fer_str content;
} fer_sandbox_file;

#define FER_SANDBOX_HANDED_MAX 16 /* descriptors besides the three */

typedef struct fer_sandbox fer_sandbox;
typedef struct fer_sandbox_end fer_sandbox_end;

/* What a sandbox tells its owner; each may be NULL. */
typedef struct fer_sandbox_events {
    void (*on_ready)(fer_sandbox *s);
    void (*on_output)(fer_sandbox *s, fer_str bytes);       /* within the limit `output` */
    void (*on_error_output)(fer_sandbox *s, fer_str bytes); /* within the same */
    void (*on_input_lost)(fer_sandbox *s, fer_input_loss why);
    void (*on_end)(fer_sandbox *s, const fer_sandbox_end *end);
    void (*on_gone)(fer_sandbox *s); /* the last */
} fer_sandbox_events;

typedef struct fer_sandbox_spec {
    const char *program; /* a path inside the room; or a name for messages, and `descriptor` */
    bool by_descriptor;
    int descriptor;          /* such as of fer_sys_sealed; stays the caller's */
    const char *const *argv; /* ended by NULL */
    const char *const *env;  /* "NAME=value", ended by NULL. HOME, TMPDIR, PWD are added where they
                                are not there */
    const struct fer_sys_handed *handed; /* ours -> numbers of 3 or more inside */
    size_t handed_count;
    bool no_input; /* standard input is empty: there is no pipe */
    const fer_sandbox_bind *binds;
    size_t bind_count;
    const fer_sandbox_file *files;
    size_t file_count;
    fer_sandbox_profile profile;
    bool proc; /* wants /proc, as most interpreters do; a hardened one has none */
    bool jit;  /* makes code at run time: written memory may be executed, also when hardened */
    /* By fer_box_limit; 0: as its row says. The time of the clock runs from the start, unless
     * fer_sandbox_wall says otherwise: UINT64_MAX is without end, for one that is kept warm. */
    uint64_t limits[FER_BOX_LIMIT_COUNT];
    fer_process_grace grace; /* of one whose time is over; zero: FER_GRACE_CANCEL */
    bool allow_degraded;     /* start even where layers that are needed are missing */
    uint32_t removed;        /* layers to be left out, as bits 1u << fer_layer; refused unless
                                allow_degraded. For tests, and hosts that break one */
    const fer_sandbox_events *events; /* lives as long as the sandbox */
    void *owner;
} fer_sandbox_spec;

/* ---- what became of it ---------------------------------------------------------------------- */

#define FER_SANDBOX_DETAIL 96

typedef struct fer_layer_state {
    fer_layer_stand stand;
    char detail[FER_SANDBOX_DETAIL]; /* "ABI 7", or why it is missing; may be empty */
} fer_layer_state;

typedef struct fer_box_limit_state {
    uint64_t limit;
    bool enforced;
    char by[FER_SANDBOX_DETAIL]; /* "cgroup v1, rlimit"; or why it is not enforced */
} fer_box_limit_state;

/* Plain data, whole from on_ready on. */
typedef struct fer_sandbox_report {
    fer_layer_state layers[FER_LAYER_COUNT];
    fer_box_limit_state limits[FER_BOX_LIMIT_COUNT];
    bool degraded; /* a layer that is needed does not stand */
} fer_sandbox_report;

typedef enum fer_sandbox_cause {
    FER_SANDBOX_EXITED,      /* by itself: `code` */
    FER_SANDBOX_SIGNALLED,   /* by a signal that nobody here sent: `signal` */
    FER_SANDBOX_LIMITED,     /* it met `limit` and was killed */
    FER_SANDBOX_CANCELLED,   /* fer_sandbox_cancel */
    FER_SANDBOX_NOT_STARTED, /* `why` says why */
    FER_SANDBOX_CAUSE_COUNT
} fer_sandbox_cause;
extern const char *const fer_sandbox_cause_names[FER_SANDBOX_CAUSE_COUNT];

struct fer_sandbox_end {
    fer_sandbox_cause cause;
    int code, signal;
    fer_box_limit limit;
    fer_err why; /* of one that was not started: FER_SANDBOX_VIOLATION, FER_BACKEND_UNAVAILABLE ...
                    ; of one that met a limit FER_RESOURCE_LIMIT or FER_TIMEOUT; else FER_OK */
    uint64_t cpu_ms;      /* of all its processes */
    uint64_t memory_peak; /* as far as it was seen */
    uint64_t process_peak;
    uint64_t output; /* bytes that it printed, those that were not told included */
};

/* ---- hosts and sandboxes -------------------------------------------------------------------- */

typedef struct fer_sandbox_host fer_sandbox_host;

/* Holds the cell and knows the cgroups that may be used. `processes` must outlive it. */
fer_code fer_sandbox_host_new(fer_process_host *processes, fer_sandbox_host **out, fer_err *err);
/* After all its sandboxes are gone. */
void fer_sandbox_host_free(fer_sandbox_host *h);

/*
 * Starts a program in a sandbox. Everything of `spec` but `events` and `owner` is used at once.
 * Fails at once where the spec is wrong (FER_BAD_USAGE: a limit out of its bounds, a path
 * that is not absolute, a layer that is removed without allow_degraded) or where this machine has
 * no process or descriptor left. That a layer is missing is told by on_end.
 */
fer_code fer_sandbox_start(fer_sandbox_host *h, const fer_sandbox_spec *spec, fer_sandbox **out,
                           fer_err *err);
void *fer_sandbox_owner(const fer_sandbox *s);
/* The owner is not there any more: nothing is told from now on. */
void fer_sandbox_disown(fer_sandbox *s);
const fer_sandbox_report *fer_sandbox_report_get(const fer_sandbox *s);
/* Of the warden, in our namespace. */
int fer_sandbox_pid(const fer_sandbox *s);

/* As fer_process_write, fer_process_waiting, fer_process_close_input, fer_process_pause. */
fer_code fer_sandbox_write(fer_sandbox *s, fer_str bytes, fer_err *err);
size_t fer_sandbox_waiting(const fer_sandbox *s);
void fer_sandbox_close_input(fer_sandbox *s);
void fer_sandbox_pause(fer_sandbox *s, bool paused);

/* Its program was heard by a descriptor that was handed over: it runs, which on_ready tells now
 * where it has not been told yet. */
void fer_sandbox_heard(fer_sandbox *s);

/* From now on it has so many milliseconds; UINT64_MAX: without end. */
void fer_sandbox_wall(fer_sandbox *s, uint64_t ms);
/* Ends all of it: SIGTERM to every process inside, then, after the grace, SIGKILL. */
void fer_sandbox_cancel(fer_sandbox *s, fer_process_grace grace);

/*
 * Which layers and limits this host has, by making a sandbox and looking. Blocks for some
 * milliseconds, on a loop of its own; not to be called from a thread that runs sandboxes.
 */
fer_code fer_sandbox_probe(fer_sandbox_report *out, fer_err *err);

#endif
