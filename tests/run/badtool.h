/* SPDX-License-Identifier: Apache-2.0 */
/* A program that misbehaves as it is told, for tests; see badtool.c. */
#ifndef FER_BADTOOL_H
#define FER_BADTOOL_H

#include <stdbool.h>
#include <stddef.h>

/* One line into the side file: "pid nanoseconds event text". */
void note(const char *event, const char *text);
/* Writes all of it to a descriptor, whatever pieces it takes. */
void put(int fd, const char *bytes, size_t len);
void put_text(const char *text);
/* Puts `len` times the same byte. */
void put_many(int fd, char c, size_t len);
/* Waits until a signal ends it. */
void hang(void);
/* Forks twice, leaves the session and stays, with all pipes open. */
void leave_daemon(bool ignore_term, bool without_mark);
/* Children that hang, all in the same group. */
void leave_children(long count);
void crash(void);

/* Serves MCP over standard input and output, misbehaving as `how` says. */
int serve_mcp(const char *how);
/* Serves "mcp", "mcp-old", "mcp-sse" or "api" over HTTP on the loopback. */
int serve_http(const char *what, const char *how);

#endif
