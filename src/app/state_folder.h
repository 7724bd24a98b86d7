/* SPDX-License-Identifier: Apache-2.0 */
/* Which ledger, folder of state and catalogue a command is about: as it was told, or as the
 * configuration has it. */
#ifndef FER_STATE_FOLDER_H
#define FER_STATE_FOLDER_H

#include "command.h"
#include "config.h"

typedef struct fer_ledger_place {
    const char *folder;
    const char *anchor;   /* that the configuration names; or NULL */
    const char *key;      /* the file of the signing key that it names; or NULL */
    size_t segment_bytes; /* that it says; 0: nothing */
} fer_ledger_place;

/*
 * The ledger that is meant: --ledger, the state of the configuration that --config names,
 * FERRULE_LEDGER, the state of the configuration that is found, ferrule.ledger. 0, or the exit
 * code, after saying why.
 */
int fer_ledger_find(fer_app *app, fer_arena *a, fer_ledger_place *out);

/* The folder of state: --state, or the configuration's. `*config` is what was read, all 0 where
 * there was nothing to read. */
int fer_state_find(fer_app *app, fer_arena *a, fer_config *config, fer_str *out);

/*
 * The catalogue that is meant where no --catalog names one: ferrule.catalog here, else that of the
 * configuration (`catalog`, or the one in its `state`), which is said; with --config the latter
 * alone. 0, or the exit code, after saying why.
 */
int fer_catalog_find(fer_app *app, fer_arena *a, const char **out);
/* That of the configuration alone. Where it has none, or --config names none and nothing is found,
 * `*out` is NULL and nothing is said. */
int fer_catalog_configured(fer_app *app, fer_arena *a, const char **out);

#endif
