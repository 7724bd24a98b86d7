/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a service of systemd has to do with its manager, by the two protocols that it documents:
 * telling how it stands (sd_notify(3): a datagram to $NOTIFY_SOCKET) and taking sockets that the
 * manager listens at (sd_listen_fds(3): descriptors from 3 on, $LISTEN_FDS of them, for the process
 * $LISTEN_PID). Where there is no manager, nothing happens.
 */
#ifndef FER_SERVICE_H
#define FER_SERVICE_H

#include <ferrule/common.h>

#include "arena.h"
#include "station.h"

#define FER_SERVICE_SOCKETS 16 /* that are taken */

/* Lines such as "READY=1\nSTATUS=..."; who does not listen is not told. */
void fer_service_tell(const char *format, ...) FER_PRINTF(1, 2);
/* What is served, for systemctl status. */
void fer_service_tell_status(const fer_station *s);
/* Microseconds within which the manager wants to hear of us again; 0: it does not. */
uint64_t fer_service_watchdog_us(void);

typedef struct fer_service_socket {
    int fd;
    const char *address; /* as inet_ntop writes it; NULL: it is a Unix socket */
    uint16_t port;
    const char *path; /* of a Unix socket, with @ where it has a name and no file; else NULL */
} fer_service_socket;

/*
 * The sockets that were handed over, once: programs that are started later do not see them.
 * `*count` is 0 where there are none. FER_BAD_USAGE: one is no socket of TCP or Unix.
 */
fer_code fer_service_sockets(fer_arena *a, fer_service_socket out[FER_SERVICE_SOCKETS],
                             size_t *count, fer_err *err);

#endif
