/* SPDX-License-Identifier: Apache-2.0 */
/* The reference page of the configuration, printed from its schema. */
#ifndef FER_CONFIG_PAGE_H
#define FER_CONFIG_PAGE_H

#include "command.h"

int fer_page_config(fer_app *app, const char *name);

#endif
