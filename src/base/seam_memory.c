/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is given back to the system. */
#include <link.h>
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

static int put_by_object(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size, (void)context;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
        fer_sys_put_by((const void *)(object->dlpi_addr + part->p_vaddr), part->p_memsz);
    }
    return 0;
}

void fer_sys_put_by_code(void)
{
    dl_iterate_phdr(put_by_object, NULL);
}

void fer_sys_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
