/* SPDX-License-Identifier: Apache-2.0 */
/* Names and IDs. What the library shows of them is in <ferrule/contract.h>. Pure. */
#ifndef FER_TOOL_ID_H
#define FER_TOOL_ID_H

#include <ferrule/contract.h>

#include "str.h"

/* The first byte that may not stand in a name or namespace, or SIZE_MAX. */
size_t fer_name_bad_byte(fer_str s);

#endif
