/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one program in a sandbox to its end, and keeps what was told. */
#ifndef BOX_RIG_H
#define BOX_RIG_H

#include "sandbox.h"

#define BOX_KEPT ((size_t)64 << 10) /* bytes of output that are kept */

/* All sandboxes of one test program. */
typedef struct box_rig {
    uv_loop_t loop;
    fer_process_host *processes;
    fer_sandbox_host *host;
} box_rig;

/* What one has told. */
typedef struct box_told {
    bool ready, ended, gone;
    unsigned deaf_ms; /* that nobody listens for when it is ready */
    char out[BOX_KEPT], err[BOX_KEPT];
    size_t out_len, err_len;
    uint64_t out_total; /* bytes, also those that are not kept */
    fer_sandbox_end end;
    fer_sandbox_report report;
    /* Called with each piece of output, where there is one. */
    void (*on_piece)(struct box_told *t, fer_sandbox *s);
    fer_sandbox *box;
} box_told;

void box_rig_init(box_rig *r);
void box_rig_deinit(box_rig *r);
/* Makes the events of a spec those of the rig. */
void box_events_set(fer_sandbox_spec *spec, box_told *told);
/* Runs it until nothing of it is left. The events of the spec are the rig's. */
void box_run(box_rig *r, fer_sandbox_spec *spec, box_told *told);
/* The same without asserting that it could be started. */
fer_code box_try(box_rig *r, fer_sandbox_spec *spec, box_told *told, fer_err *err);
/* Whether this host has all layers that are needed; if not, says which it lacks, and the tests are
 * skipped. */
bool box_host_has_all(void);
/* The host's programs and their libraries, read-only. */
extern const fer_sandbox_bind box_system[];
extern const size_t box_system_count;

#endif
