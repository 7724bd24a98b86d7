/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The admin API: what a gateway is doing, as JSON, to be read and nothing else. One page is one row
 * of a table (admin_pages.c) and one definition of docs/schemas/admin.schema.json. Who may read it
 * is the operator, and whoever has the scope `admin` (scope:admin of a token, or * of one that
 * belongs to no tenant). Nothing in it is a command, an environment, an argument, a result, a
 * token, or a path of the host.
 *
 * One thread: that of the gateway's loop.
 */
#ifndef FER_ADMIN_H
#define FER_ADMIN_H

#include "buf.h"
#include "doorkeeper.h"
#include "pulse.h"
#include "serve_http.h"
#include "station.h"

#define FER_ADMIN_ROOT "/admin/v1"
#define FER_ADMIN_MAX  ((size_t)16 << 20) /* bytes of a page */
#define FER_ADMIN_MARK 17                 /* bytes of a digest, NUL included */

typedef struct fer_admin {
    fer_station *station;
    fer_front *front;
    fer_web *web;
    fer_doorkeeper *door;
    fer_pulse *pulse;
    bool *draining; /* of whoever serves */
    int64_t began;  /* ms since 1970 */
    /* Of the configuration that it was started with (fer_admin_mark): its file, and what of it
     * counts from a start on. */
    char config[FER_ADMIN_MARK], serve[FER_ADMIN_MARK];
} fer_admin;

/* A short digest of a text. */
void fer_admin_mark(fer_str text, char out[FER_ADMIN_MARK]);
/* That of the file of a configuration, wherever it is named from. */
void fer_admin_mark_file(fer_str file, char out[FER_ADMIN_MARK]);

/* Begins to watch calls; the rest of the struct is filled by the caller. */
fer_code fer_admin_init(fer_admin *a, fer_station *station, fer_err *err);
void fer_admin_deinit(fer_admin *a);

/* For fer_web_options; the context is a fer_admin. */
void fer_admin_answer(void *context, fer_guest *who, fer_exchange *x);

/* A page: its name below the root, and what writes it. */
typedef struct fer_admin_page {
    const char *name;
    const char *text; /* what it is */
    void (*write)(const fer_admin *a, fer_arena *scratch, fer_buf *b, int64_t now);
} fer_admin_page;
extern const fer_admin_page fer_admin_pages[]; /* ended by a row without name */
/* A whole page, in the arena. FER_LIMIT_EXCEEDED: it is too large (admin.page). */
fer_code fer_admin_write(const fer_admin *a, const fer_admin_page *page, fer_arena *scratch,
                         fer_str *out, fer_err *err);

#endif
