/* SPDX-License-Identifier: Apache-2.0 */
/* The runtimes of the section `code`, and the tool by which they are reached. */
#ifndef FER_CODE_SETUP_H
#define FER_CODE_SETUP_H

#include "station.h"

/*
 * Adds code:execute to the gateway of a station, where the configuration lets clients run code or
 * the command is about code; where not, it is taken out of the catalogue.
 */
fer_code fer_station_code(fer_station *s, const fer_config *c, fer_err *err);
/* Another configuration: runs under way keep the runtimes that they have, later ones get new ones.
 */
fer_code fer_station_recode(fer_station *s, const fer_config *now, fer_err *err);

/* Whether a runtime of the configuration could run something here: FER_OK, or why not. `found`,
 * the members of a JSON object in at most `size` bytes, says what it would run with. Starts
 * nothing.
 */
fer_code fer_code_setup_probe(const fer_config_runtime *c, char *found, size_t size, fer_err *err);

#endif
