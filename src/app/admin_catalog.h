/* SPDX-License-Identifier: Apache-2.0 */
/* What tools a gateway has, as the page `catalog` of the admin API tells it. `ferrule tools` writes
 * the same of a configuration that no gateway runs for, so that it shows both alike. */
#ifndef FER_ADMIN_CATALOG_H
#define FER_ADMIN_CATALOG_H

#include <ferrule/gateway.h>

#include "buf.h"

#define FER_ADMIN_TOOLS 10000 /* that are listed; of others only the number is told */

/* All tools that the operator sees, by ID: {catalogVersion, total, tools}. Runs on the thread of
 * the gateway's loop. */
void fer_admin_add_catalog(const fer_gateway *g, fer_catalog *c, fer_arena *scratch, fer_buf *b);

#endif
