/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that the command brings along: functions of its own, and examples of how such are declared.
 */
#ifndef FER_BUILTINS_H
#define FER_BUILTINS_H

#include <ferrule/gateway.h>

extern const fer_builtin fer_builtins[];
extern const size_t fer_builtin_count;

#endif
