/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule check --fix: rewrites in the files what profiles have against the tools, where that
 * loses nothing. The rest of a file keeps its form. At a terminal the changes are shown and
 * asked for; with --dry-run they are only shown.
 */
#ifndef FER_CHECK_FIX_H
#define FER_CHECK_FIX_H

#include "check_setup.h"
#include "inputs.h"

/* 0, or an exit code: nothing more can be done then. */
int fer_check_fix(fer_app *app, fer_inputs *in, const fer_setup *setup);

#endif
