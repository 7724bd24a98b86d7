/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `ferrule check` looks for: the configuration file, then the options of the command
 * line, which go before it.
 *
 * The file is --config FILE, or the first of .ferrule.yaml, .ferrule.yml, .ferrule.json and
 * ferrule.json in the current folder:
 *
 *     rules: {name.charset: warning, tags.changed: off}
 */
#ifndef FER_CHECK_SETUP_H
#define FER_CHECK_SETUP_H

#include <ferrule/contract.h>

#include "command.h"

#define FER_CONFIG_SIZE ((size_t)1 << 20) /* bytes of a configuration file */

/* 0 and what is to be checked, or an exit code. */
int fer_check_setup(fer_app *app, fer_checks **out);

#endif
