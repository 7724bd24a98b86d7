/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when they are needed. A file of its own, as static programs have none.
 */
#include <dlfcn.h>

#include "sys.h"

void *fer_sys_library(const char *name)
{
    return dlopen(name, RTLD_LAZY | RTLD_NODELETE);
}

void *fer_sys_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}
