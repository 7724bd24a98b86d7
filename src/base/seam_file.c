/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>

#include "sys.h"

int fer_sys_direct(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -1;
    return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}
