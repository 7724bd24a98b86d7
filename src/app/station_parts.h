/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a station, for its two files. */
#ifndef FER_STATION_PARTS_H
#define FER_STATION_PARTS_H

#include "station.h"

/* Makes a runner for everything that the configuration names. */
fer_code fer_station_furnish(fer_station *s, fer_err *err);

#endif
