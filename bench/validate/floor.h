/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor of validating: what one would write by hand in C, with the schema known, over the
 * same tree. It finds no reasons, follows no reference and knows one schema each, so an
 * engine that takes any schema can come near it, hardly pass it.
 */
#ifndef FER_BENCH_FLOOR_H
#define FER_BENCH_FLOOR_H

#include "json_value.h"

typedef bool (*bench_floor)(const yyjson_val *root);

/* The check written for the set of this name ("large/get-weather", "get-weather"), or NULL. */
bench_floor bench_floor_find(const char *set);

#endif
