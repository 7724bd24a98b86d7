/* SPDX-License-Identifier: Apache-2.0 */
/* What both definitions of the seam share: calls that take more than one line (see sys.h). */
#ifndef FER_SEAM_PARTS_H
#define FER_SEAM_PARTS_H

#include "sys.h"

int fer_seam_launch(struct fer_sys_launch *l, pid_t *child);
int fer_seam_pidfd(pid_t process);
int fer_seam_kill(pid_t process, int pidfd, int signal);
int fer_seam_peek(pid_t child, int *status);
ssize_t fer_seam_write_pipe(int fd, const void *from, size_t size);

int fer_seam_listen(const struct sockaddr *at, socklen_t size, int backlog);
int fer_seam_accept(int fd, struct sockaddr *from, socklen_t *size);
int fer_seam_connect(const struct sockaddr *to, socklen_t size);
ssize_t fer_seam_send(int fd, const struct iovec *parts, size_t count);

#endif
