/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a station's servers have beside tools, from one run of a gateway to the next. Where the
 * configuration names no catalogue, nothing is kept. Failures are said, and end nothing.
 */
#ifndef FER_STATION_WARES_H
#define FER_STATION_WARES_H

#include "serve.h"
#include "station.h"

#define FER_STATION_WARES_MAX ((size_t)64 << 20) /* bytes of the file, for all servers together */

void fer_station_recall_wares(fer_station *s, fer_front *front);
/* Writes the file where something has changed since `*saved` (fer_front_wares_version). */
void fer_station_save_wares(fer_station *s, fer_front *front, uint64_t *saved);

#endif
