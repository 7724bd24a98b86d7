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
bool fer_seam_pipe_is_safe(void);
ssize_t fer_seam_write_pipe(int fd, const void *from, size_t size);
int fer_seam_readable(int fd);

void fer_seam_put_by(const void *mapped, size_t size);
void fer_seam_trim(void);

int fer_seam_listen(const struct sockaddr *at, socklen_t size, int backlog);
int fer_seam_accept(int fd, struct sockaddr *from, socklen_t *size);
int fer_seam_connect(const struct sockaddr *to, socklen_t size);
ssize_t fer_seam_send(int fd, const struct iovec *parts, size_t count);
int fer_seam_peer_user(int fd, uid_t *user);

#endif
