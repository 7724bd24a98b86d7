/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of an echo function through the whole gateway, with and without state that lasts. */
#ifndef FER_DURABLE_CALLS_H
#define FER_DURABLE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/* Prints a row; `state` NULL: nothing is kept. Returns the p50 in ms. */
double durable_calls(const char *name, const char *state, size_t calls, size_t callers, bool keyed);

#endif
