/* SPDX-License-Identifier: Apache-2.0 */
/* A diff, written for people, for programs, or for a changelog. A row of diff_report.c each. */
#ifndef FER_DIFF_REPORT_H
#define FER_DIFF_REPORT_H

#include <ferrule/evolve.h>

#include "out.h"

typedef void fer_diff_writer(fer_out *o, const fer_diff *diff);
/* "text", "json", "markdown", "github", "sarif"; NULL: there is none. */
fer_diff_writer *fer_diff_writer_find(const char *name);

#endif
