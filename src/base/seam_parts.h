/* SPDX-License-Identifier: Apache-2.0 */
/* What both definitions of the seam share: calls that take more than one line (see sys.h). */
#ifndef FER_SEAM_PARTS_H
#define FER_SEAM_PARTS_H

#include "sys.h"

int fer_seam_launch(struct fer_sys_launch *l, pid_t *child);
int fer_seam_pidfd(pid_t process);
int fer_seam_kill(pid_t process, int pidfd, int signal);
int fer_seam_peek(pid_t child, int *status);
int fer_seam_subreaper(int wanted);
ssize_t fer_seam_write_pipe(int fd, const void *from, size_t size);
int fer_seam_readable(int fd);

#endif
