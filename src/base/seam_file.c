/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sys.h"

int fer_sys_direct(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -1;
    return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

int fer_sys_bell(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* Neither can fail: a count that is full is a bell that was rung, and one of 0 a bell that was not.
 */
void fer_sys_bell_ring(int bell)
{
    uint64_t one = 1;
    ssize_t ignored = write(bell, &one, sizeof one);
    (void)ignored;
}

void fer_sys_bell_hear(int bell)
{
    uint64_t count;
    ssize_t ignored = read(bell, &count, sizeof count);
    (void)ignored;
}
