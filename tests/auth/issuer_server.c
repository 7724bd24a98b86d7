/* SPDX-License-Identifier: Apache-2.0 */
#include "issuer_server.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST 65536
#define HELD    16 /* connections that are never answered */

struct issuer_server {
    int listener, held[HELD];
    size_t held_count;
    unsigned port, asked;
    pthread_t thread;
    pthread_mutex_t lock;
    const issuer_answer *rows;
    char request[REQUEST], last[REQUEST];
};

static void must(bool ok)
{
    if (!ok) abort();
}

/* A head, and as many bytes of a body as it announces. */
static bool read_request(int fd, char *to, char **body)
{
    size_t len = 0, want = 0;
    for (;;) {
        to[len] = '\0';
        char *end = strstr(to, "\r\n\r\n"),
             *length = end ? strcasestr(to, "content-length:") : NULL;
        if (end)
            want = (size_t)(end + 4 - to) +
                   (length && length < end ? (size_t)strtoul(length + 15, NULL, 10) : 0);
        *body = end ? end + 4 : NULL;
        if (end && (len >= want || len == REQUEST - 1)) return true;
        ssize_t n = recv(fd, to + len, REQUEST - 1 - len, 0);
        if (n <= 0) return false;
        len += (size_t)n;
    }
}

static void say(int fd, const char *text, size_t len)
{
    while (len) {
        ssize_t n = send(fd, text, len, MSG_NOSIGNAL);
        if (n <= 0) return;
        text += n;
        len -= (size_t)n;
    }
}

/* The text with the origin of the server in place of each @. */
static size_t fill(const issuer_server *s, const char *from, char *to, size_t size)
{
    size_t len = 0;
    for (; *from; from++) {
        int n = *from == '@' ? snprintf(to + len, size - len, "http://127.0.0.1:%u", s->port)
                             : snprintf(to + len, size - len, "%c", *from);
        must(n > 0 && (size_t)n < size - len);
        len += (size_t)n;
    }
    return len;
}

static void answer(const issuer_server *s, int fd, const issuer_answer *row)
{
    char head[8192], field[4096] = "", small[8192];
    const char *body = row->body ? row->body : "";
    size_t len = strlen(body);
    if (row->field) fill(s, row->field, field, sizeof field);
    if (len <= 4096) {
        len = fill(s, body, small, sizeof small);
        body = small;
    }
    int n = snprintf(head, sizeof head,
                     "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                     "Connection: close\r\n%s%s\r\n",
                     row->status, len, field, field[0] ? "\r\n" : "");
    say(fd, head, (size_t)n);
    say(fd, body, len);
}

static const issuer_answer *row_of(const issuer_server *s)
{
    static const issuer_answer none = {"", 404, NULL, "{}"};
    const char *path = strchr(s->request, ' ');
    size_t len = path ? strcspn(path + 1, " ?") : 0;
    for (const issuer_answer *r = s->rows; r && r->path && path; r++)
        if (strlen(r->path) == len && strncmp(r->path, path + 1, len) == 0) return r;
    return &none;
}

static void *serve(void *context)
{
    issuer_server *s = context;
    for (;;) {
        int fd = accept(s->listener, NULL, NULL);
        char *body;
        if (fd < 0) return NULL;
        if (!read_request(fd, s->request, &body)) {
            close(fd);
            continue;
        }
        pthread_mutex_lock(&s->lock);
        s->asked++;
        if (*body) memcpy(s->last, body, strlen(body) + 1);
        const issuer_answer *row = row_of(s);
        bool hold = !row->status && s->held_count < HELD;
        if (hold) s->held[s->held_count++] = fd;
        else answer(s, fd, row);
        pthread_mutex_unlock(&s->lock);
        if (!hold) close(fd);
    }
}

issuer_server *issuer_start(void)
{
    issuer_server *s = calloc(1, sizeof *s);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    must(s != NULL);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(s->listener >= 0 && bind(s->listener, (struct sockaddr *)&at, sizeof at) == 0);
    must(listen(s->listener, 64) == 0);
    must(getsockname(s->listener, (struct sockaddr *)&at, &size) == 0);
    s->port = ntohs(at.sin_port);
    must(pthread_mutex_init(&s->lock, NULL) == 0);
    must(pthread_create(&s->thread, NULL, serve, s) == 0);
    return s;
}

unsigned issuer_port(const issuer_server *s)
{
    return s->port;
}

static void close_held(issuer_server *s)
{
    while (s->held_count) close(s->held[--s->held_count]);
}

void issuer_play(issuer_server *s, const issuer_answer *rows)
{
    pthread_mutex_lock(&s->lock);
    s->rows = rows;
    close_held(s);
    pthread_mutex_unlock(&s->lock);
}

unsigned issuer_asked(issuer_server *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->asked;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void issuer_last(issuer_server *s, char *out, size_t size)
{
    pthread_mutex_lock(&s->lock);
    snprintf(out, size, "%s", s->last);
    pthread_mutex_unlock(&s->lock);
}

void issuer_stop(issuer_server *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close_held(s);
    close(s->listener);
    free(s);
}
