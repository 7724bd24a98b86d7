/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `ferrule check` looks for: the configuration file, then the options of the command
 * line, which go before it.
 *
 * The file is --config FILE, or the first of .ferrule.yaml, .ferrule.yml, .ferrule.json,
 * ferrule.json, ferrule.yaml and ferrule.yml in the current folder:
 *
 *     rules: {name.charset: warning, tags.changed: off}
 *     profiles: [anthropic-strict, ./ours.json]
 */
#ifndef FER_CHECK_SETUP_H
#define FER_CHECK_SETUP_H

#include <ferrule/contract.h>

#include "arena.h"
#include "command.h"
#include "config.h"

typedef struct fer_setup {
    fer_checks *checks;
    fer_arena *arena; /* what the checks refer to: profiles */
    const fer_profile **profiles;
    size_t profile_count, profile_cap;
} fer_setup;

/* 0 and what is to be checked, or an exit code. */
int fer_setup_init(fer_setup *s, fer_app *app);
void fer_setup_deinit(fer_setup *s);

/* A profile by its name, or of a file where the name has a '/' or ends in .json, .yaml or .yml. */
fer_code fer_setup_profile(fer_arena *a, const char *name, const fer_profile **out, fer_err *err);

#endif
