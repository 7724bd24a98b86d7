/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold of every conversion: nothing is wrong by its own witnesses, calls of the
 * converted schema come back and fit the original unless it was called wider, the map has the
 * records as they were, and the same input gives the same output.
 */
#ifndef FER_CONVERT_CHECKS_H
#define FER_CONVERT_CHECKS_H

#include <ferrule/convert.h>

/* Converts a set to a profile and holds the above against it; counts converted and refused. */
void convert_holds(const fer_toolset *set, const char *profile, bool twice, size_t counts[2]);
/* How much did not hold so far; each was told on standard error. */
size_t convert_wrong(void);

#endif
