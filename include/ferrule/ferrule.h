/* SPDX-License-Identifier: Apache-2.0 */
/* All of libferrule. */
#ifndef FERRULE_FERRULE_H
#define FERRULE_FERRULE_H

#include <ferrule/catalog.h>
#include <ferrule/common.h>
#include <ferrule/contract.h>
#include <ferrule/convert.h>
#include <ferrule/evolve.h>
#include <ferrule/gateway.h>
#include <ferrule/json.h>
#include <ferrule/schema.h>
#include <ferrule/station.h>

#endif
