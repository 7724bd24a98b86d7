/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule servers --watch: how servers are, as time goes on, until somebody interrupts it. The
 * configuration is read again when its file changes or SIGHUP comes; one that cannot be used is
 * told, and the old one goes on. On a terminal there is a table that is kept up to date; elsewhere
 * a line for each server that is new, changed or gone.
 */
#ifndef FER_SERVERS_WATCH_H
#define FER_SERVERS_WATCH_H

#include "command_station.h"

#define FER_WATCH_EVERY_MS 500 /* between two looks at the file and at servers */
#define FER_WATCH_AGAIN    20  /* looks after which servers that are down are asked again */
#define FER_WATCH_NEWS     8   /* sentences below the table */

/* How servers are shown. */
typedef struct fer_watch_look {
    bool (*wanted)(const fer_app *app, const fer_place_of_tools *p);
    /* One server in one line, without its end. */
    fer_str (*line)(fer_arena *a, const fer_app *app, const fer_place_of_tools *p);
    /* The line of one that is gone. */
    fer_str (*gone)(fer_arena *a, const fer_app *app, fer_str name);
    void (*table)(fer_station *s);
} fer_watch_look;

/* Returns an exit code. */
int fer_servers_watch(fer_station *s, const fer_watch_look *look);

#endif
