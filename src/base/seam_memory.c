/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is given back to the system. */
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "seam_parts.h"

void fer_sys_put_by(const void *mapped, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)mapped + page - 1) & ~(page - 1); /* whole pages only */
    uintptr_t to = ((uintptr_t)mapped + size) & ~(page - 1);
    if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
}

void fer_sys_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
