/* SPDX-License-Identifier: Apache-2.0 */
#include "faulty_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 64
#define REQUEST 65536

struct faulty_server {
    const struct faulty_step (*scripts)[FAULTY_STEPS];
    size_t script_count;
    int listener, clients[CLIENTS];
    unsigned port, requests, connections;
    size_t flooded;
    pthread_t accepting, threads[CLIENTS];
    pthread_mutex_t lock;
    bool stopping;
    char last[REQUEST];
    bool gets; /* one of the requests was a GET */
};

struct client {
    faulty_server *server;
    int fd;
};

static void must(bool ok)
{
    if (!ok) abort();
}

/* Reads a head and as many bytes of a body as it announces; false at the end. */
static bool read_request(int fd, char *to)
{
    size_t len = 0, want = 0;
    for (;;) {
        char *end = NULL, *length;
        to[len] = '\0';
        if ((end = strstr(to, "\r\n\r\n"))) {
            length = strcasestr(to, "content-length:");
            want =
                (size_t)(end + 4 - to) + (length && length < end ? (size_t)atol(length + 15) : 0);
        }
        if (end && (len >= want || len == REQUEST - 1)) return true;
        ssize_t n = recv(fd, to + len, REQUEST - 1 - len, 0);
        if (n <= 0) return false;
        len += (size_t)n;
    }
}

static bool say(int fd, const char *text)
{
    size_t len = strlen(text);
    while (len) {
        ssize_t n = send(fd, text, len, MSG_NOSIGNAL);
        if (n <= 0) return false;
        text += n;
        len -= (size_t)n;
    }
    return true;
}

/* True once the client is gone. */
static bool wait_gone(int fd, unsigned ms)
{
    struct pollfd p = {fd, POLLIN | POLLRDHUP, 0};
    return poll(&p, 1, (int)ms) > 0;
}

static void reset(int fd)
{
    struct linger now = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

static void flood(faulty_server *s, int fd, const char *text)
{
    while (say(fd, text)) {
        pthread_mutex_lock(&s->lock);
        s->flooded += strlen(text);
        pthread_mutex_unlock(&s->lock);
    }
}

/* False where the connection is over. */
static bool run_script(faulty_server *s, int fd, const struct faulty_step *step)
{
    for (size_t i = 0; i < FAULTY_STEPS; i++, step++) {
        bool ok = true;
        switch (step->verb) {
        case FAULTY_END: return true;
        case FAULTY_SAY:
            for (unsigned n = 0; ok && n < (step->count ? step->count : 1); n++)
                ok = say(fd, step->text);
            break;
        case FAULTY_WAIT: ok = !wait_gone(fd, step->count); break;
        case FAULTY_FLOOD: flood(s, fd, step->text); return false;
        case FAULTY_CLOSE: return false;
        case FAULTY_RESET: reset(fd); return false;
        }
        if (!ok) return false;
    }
    return true;
}

static void *serve(void *context)
{
    struct client *c = context;
    faulty_server *s = c->server;
    int fd = c->fd;
    char *request = malloc(REQUEST);
    bool going = true;
    free(c);
    must(request);
    while (going && read_request(fd, request)) {
        pthread_mutex_lock(&s->lock);
        size_t script = s->requests < s->script_count ? s->requests : s->script_count - 1;
        s->requests++;
        memcpy(s->last, request, REQUEST);
        if (strncmp(request, "GET ", 4) == 0) s->gets = true;
        pthread_mutex_unlock(&s->lock);
        going = run_script(s, fd, s->scripts[script]);
    }
    free(request);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->connections; i++)
        if (s->clients[i] == fd) s->clients[i] = -1;
    pthread_mutex_unlock(&s->lock);
    close(fd);
    return NULL;
}

static void *accept_all(void *context)
{
    faulty_server *s = context;
    int fd;
    while ((fd = accept(s->listener, NULL, NULL)) >= 0) {
        struct client *c = malloc(sizeof *c);
        must(c);
        *c = (struct client){s, fd};
        pthread_mutex_lock(&s->lock);
        bool take = !s->stopping && s->connections < CLIENTS;
        if (take) {
            s->clients[s->connections] = fd;
            must(!pthread_create(&s->threads[s->connections++], NULL, serve, c));
        }
        pthread_mutex_unlock(&s->lock);
        if (!take) {
            close(fd);
            free(c);
        }
    }
    return NULL;
}

faulty_server *faulty_start(const struct faulty_step (*scripts)[FAULTY_STEPS], size_t count)
{
    faulty_server *s = calloc(1, sizeof *s);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    must(s);
    s->scripts = scripts;
    s->script_count = count;
    pthread_mutex_init(&s->lock, NULL);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(s->listener >= 0 && !bind(s->listener, (struct sockaddr *)&at, sizeof at));
    must(!listen(s->listener, 64) && !getsockname(s->listener, (struct sockaddr *)&at, &size));
    s->port = ntohs(at.sin_port);
    must(!pthread_create(&s->accepting, NULL, accept_all, s));
    return s;
}

unsigned faulty_port(const faulty_server *s)
{
    return s->port;
}

unsigned faulty_requests(faulty_server *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->requests;
    pthread_mutex_unlock(&s->lock);
    return n;
}

unsigned faulty_connections(faulty_server *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->connections;
    pthread_mutex_unlock(&s->lock);
    return n;
}

size_t faulty_flooded(faulty_server *s)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->flooded;
    pthread_mutex_unlock(&s->lock);
    return n;
}

bool faulty_was_told(faulty_server *s, const char *text)
{
    pthread_mutex_lock(&s->lock);
    bool told = strstr(s->last, text) != NULL;
    pthread_mutex_unlock(&s->lock);
    return told;
}

bool faulty_was_read(faulty_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool gets = s->gets;
    pthread_mutex_unlock(&s->lock);
    return gets;
}

void faulty_stop(faulty_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    for (size_t i = 0; i < s->connections; i++)
        if (s->clients[i] >= 0) shutdown(s->clients[i], SHUT_RDWR);
    pthread_mutex_unlock(&s->lock);
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->accepting, NULL);
    for (size_t i = 0; i < s->connections; i++) pthread_join(s->threads[i], NULL);
    close(s->listener);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
