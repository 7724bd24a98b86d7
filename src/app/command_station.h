/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The station of a command: the configuration that --config names, the functions that the command
 * brings along, and standard error for what an operator should know. Ctrl-C cancels the calls that
 * are under way.
 */
#ifndef FER_COMMAND_STATION_H
#define FER_COMMAND_STATION_H

#include "command.h"
#include "station.h"

/* 0, or an exit code: the failure was said. */
int fer_app_station(fer_station *s, fer_app *app);
/* The same for what a server needs: `wants` says what the options of most commands do not. */
int fer_app_station_for(fer_station *s, fer_app *app, const struct fer_station_wants *wants);
/* The command whose station it is. */
fer_app *fer_app_of(const fer_station *s);
/* Writes metrics to the file of --metrics or of the configuration. 0, or an exit code. */
int fer_app_write_metrics(fer_app *app, fer_station *s);

/* A number of an option, `otherwise` where it was not given. 0, or an exit code. */
int fer_app_number(fer_app *app, const char *option, int64_t min, int64_t max, int64_t otherwise,
                   int64_t *out);

#endif
