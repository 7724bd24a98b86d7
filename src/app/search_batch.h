/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule search --batch: a file of queries answered over a file of tools, for scoring. */
#ifndef FER_SEARCH_BATCH_H
#define FER_SEARCH_BATCH_H

#include "command.h"

/* Reads the options batch, catalog, out and ranker of the command. The exit code. */
int fer_search_batch(fer_app *app);

#endif
