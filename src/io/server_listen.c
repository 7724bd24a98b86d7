/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Letting clients in. Where the process has no descriptor left, accepting fails and the client
 * stays in the queue, which would wake the loop again at once, for ever. So one descriptor is kept
 * in reserve: it is given up, the client accepted and turned away, and taken again. Where even that
 * fails, accepting pauses.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/un.h>

#include "errors.h"
#include "map.h"
#include "server_parts.h"
#include "sys.h"

#define BACKLOG      511
#define ACCEPTS_ONCE 64 /* before others on the loop get their turn */

/* ---- addresses ------------------------------------------------------------------------------ */

/* Of IPv6 the half that one subscriber is given; IPv4 is mapped and counted whole. */
static fer_address counted_part(const fer_address *a)
{
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    fer_address part = *a;
    if (memcmp(a->bytes, mapped, sizeof mapped) != 0) memset(part.bytes + 8, 0, 8);
    return part;
}

static struct fer_address_count **find_count(fer_http_server *s, const fer_address *part)
{
    uint64_t hash = fer_hash(s->seed, (fer_str){(const char *)part->bytes, sizeof part->bytes});
    struct fer_address_count **at = &s->addresses[hash % FER_SERVER_BUCKETS];
    while (*at && memcmp((*at)->address.bytes, part->bytes, sizeof part->bytes) != 0)
        at = &(*at)->next;
    return at;
}

bool fer_server_count_in(fer_conn *c)
{
    fer_http_server *s = c->server;
    if (c->local) return true;
    fer_address part = counted_part(&c->peer);
    struct fer_address_count **at = find_count(s, &part);
    if (!*at) {
        *at = fer_sys_malloc(sizeof **at);
        if (!*at) return false;
        **at = (struct fer_address_count){.address = part};
    }
    if ((*at)->count == s->limits.address_max) return false;
    (*at)->count++;
    c->of_address = *at;
    return true;
}

void fer_server_count_out(fer_conn *c)
{
    struct fer_address_count *n = c->of_address;
    c->of_address = NULL;
    if (!n || --n->count) return;
    *find_count(c->server, &n->address) = n->next;
    fer_sys_free(n);
}

/* ---- accepting ------------------------------------------------------------------------------ */

/* The client is told, if it listens, and let go. */
static void turn_away(fer_http_server *s, const struct fer_listener *l, int fd)
{
    static const char answer[] = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
                                 "Connection: close\r\nContent-Length: 0\r\n\r\n";
    s->counts.turned_away++;
    if (!l->tls) {
        struct iovec part = {(void *)(uintptr_t)answer, sizeof answer - 1};
        (void)!fer_sys_recv(fd, s->piece, sizeof s->piece); /* unread bytes would reset it */
        (void)!fer_sys_send(fd, &part, 1);
        fer_sys_shutdown(fd);
    }
    fer_sys_close(fd);
}

/* Whoever has been quiet the longest makes room. */
static bool make_room(fer_http_server *s)
{
    if (s->counts.connections < s->limits.conns_max) return true;
    fer_conn *quiet = s->waits[FER_WAIT_IDLE].first;
    if (!quiet) return false;
    fer_conn_close(quiet, FER_GONE_SHUT);
    return true;
}

static void on_pause_end(uv_timer_t *timer)
{
    fer_listeners_pause(timer->data, false);
}

static void pause_accepting(fer_http_server *s)
{
    fer_listeners_pause(s, true);
    uv_timer_start(&s->pause_timer, on_pause_end, FER_SERVER_PAUSE_MS, 0);
}

static void take_reserve(fer_http_server *s)
{
    if (s->reserve < 0) s->reserve = fer_sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
}

/* There are no descriptors. False: nobody could be turned away. */
static bool use_reserve(struct fer_listener *l)
{
    fer_http_server *s = l->server;
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    if (s->reserve < 0) return false;
    fer_sys_close(s->reserve);
    s->reserve = -1;
    int fd = fer_sys_accept(l->fd, (struct sockaddr *)&from, &size);
    int error = errno;
    if (fd >= 0) turn_away(s, l, fd);
    take_reserve(s);
    return s->reserve >= 0 && (fd >= 0 || error == EAGAIN);
}

/* True: there may be more. */
static bool accept_one(struct fer_listener *l)
{
    fer_http_server *s = l->server;
    struct sockaddr_storage from = {0};
    socklen_t size = sizeof from;
    int fd = fer_sys_accept(l->fd, (struct sockaddr *)&from, &size);
    if (fd >= 0) {
        if (!make_room(s) || !fer_conn_open(l, fd, (struct sockaddr *)&from)) turn_away(s, l, fd);
        return true;
    }
    switch (errno) {
    case EAGAIN: return false;
    case EMFILE:
    case ENFILE:
        if (use_reserve(l)) return true;
        pause_accepting(s);
        return false;
    case ENOBUFS:
    case ENOMEM: pause_accepting(s); return false;
    default: return true; /* that client is gone already (accept(2)) */
    }
}

static void on_clients(uv_poll_t *poll, int status, int events)
{
    struct fer_listener *l = poll->data;
    (void)events;
    if (status < 0) {
        pause_accepting(l->server);
        return;
    }
    take_reserve(l->server);
    for (int i = 0; i < ACCEPTS_ONCE && l->fd >= 0 && accept_one(l); i++) {
    }
}

void fer_listeners_pause(fer_http_server *s, bool paused)
{
    for (unsigned i = 0; i < s->listener_count; i++) {
        struct fer_listener *l = s->listeners[i];
        if (l->fd < 0) continue;
        if (paused) uv_poll_stop(&l->poll);
        else uv_poll_start(&l->poll, UV_READABLE, on_clients);
    }
}

/* ---- where to ------------------------------------------------------------------------------- */

union place {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un local;
};

static bool is_up(const union place *at)
{
    int fd = fer_sys_connect(&at->any, sizeof at->local);
    if (fd >= 0) fer_sys_close(fd);
    /* A full queue is somebody's too. */
    return fd >= 0 || (errno != ECONNREFUSED && errno != ENOENT);
}

/* Removes a socket that nobody answers at. */
static fer_code clear_path(const union place *at, fer_err *err)
{
    const char *path = at->local.sun_path;
    struct stat was;
    if (fer_sys_lstat(path, &was)) {
        if (errno == ENOENT) return FER_OK;
        return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    }
    if (S_ISLNK(was.st_mode))
        return fer_fail(err, FER_BAD_USAGE,
                        "%s is a symbolic link; name the place of the socket itself", path);
    if (!S_ISSOCK(was.st_mode))
        return fer_fail(err, FER_BAD_USAGE, "%s is there and is not a socket; name another place",
                        path);
    if (is_up(at))
        return fer_fail(err, FER_IO_ERROR, "%s: another program listens there already", path);
    if (fer_sys_unlink(path) && errno != ENOENT)
        return fer_fail(err, FER_IO_ERROR, "%s: cannot be taken over: %s", path, strerror(errno));
    return FER_OK;
}

static fer_code local_place(const fer_listen_options *o, union place *at, socklen_t *size,
                            fer_err *err)
{
    size_t len = strlen(o->path);
    if (!len || len >= sizeof at->local.sun_path)
        return fer_fail(err, FER_BAD_USAGE,
                        "the path of a Unix socket has 1 to %zu bytes, this one has %zu",
                        sizeof at->local.sun_path - 1, len);
    at->local.sun_family = AF_UNIX;
    memcpy(at->local.sun_path, o->path, len + 1);
    *size = sizeof at->local;
    return clear_path(at, err);
}

static fer_code find_place(const fer_listen_options *o, union place *at, socklen_t *size,
                           fer_err *err)
{
    const char *address = o->address ? o->address : "127.0.0.1";
    memset(at, 0, sizeof *at);
    if (o->path) return local_place(o, at, size, err);
    if (inet_pton(AF_INET, address, &at->four.sin_addr) == 1) {
        at->four.sin_family = AF_INET;
        at->four.sin_port = htons(o->port);
        *size = sizeof at->four;
        return FER_OK;
    }
    if (inet_pton(AF_INET6, address, &at->six.sin6_addr) == 1) {
        at->six.sin6_family = AF_INET6;
        at->six.sin6_port = htons(o->port);
        *size = sizeof at->six;
        return FER_OK;
    }
    return fer_fail(err, FER_BAD_USAGE,
                    "'%s' is not an address to listen at; write 127.0.0.1, ::1 or another of this "
                    "machine's",
                    address);
}

/* The names by which a place is known if nobody gives others. */
static fer_code name_place(fer_http_server *s, const union place *at, uint16_t port, bool secure,
                           fer_err *err)
{
    char text[INET6_ADDRSTRLEN], host[INET6_ADDRSTRLEN + 10];
    fer_address address;
    if (!fer_address_of(&at->any, &address)) return FER_OK;
    fer_address_class class = fer_address_classify(&address);
    if (class == FER_ADDRESS_LOOPBACK || class == FER_ADDRESS_UNSPECIFIED) {
        fer_code code = fer_http_guard_loopback(s->own_guard, port, err);
        return code ? code : fer_http_guard_loopback_origins(s->own_guard, port, secure, err);
    }
    if (at->any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &at->four.sin_addr, text, sizeof text);
        snprintf(host, sizeof host, "%s:%u", text, port);
    } else {
        inet_ntop(AF_INET6, &at->six.sin6_addr, text, sizeof text);
        snprintf(host, sizeof host, "[%s]:%u", text, port);
    }
    return fer_http_guard_host(s->own_guard, fer_str_of(host), err);
}

/* ---- listeners ------------------------------------------------------------------------------ */

static void listener_free(struct fer_listener *l)
{
    fer_tls_context_free(l->tls);
    fer_sys_free(l->path);
    fer_sys_free(l);
}

static void listener_closed(uv_handle_t *handle)
{
    struct fer_listener *l = handle->data;
    fer_server_handle_closed(l->server);
}

/* The file of a Unix socket goes with us, unless somebody has put another in its place. */
static void remove_path(struct fer_listener *l)
{
    struct stat now;
    if (!l->path || fer_sys_lstat(l->path, &now)) return;
    if (S_ISSOCK(now.st_mode) && now.st_dev == l->dev && now.st_ino == l->ino)
        fer_sys_unlink(l->path);
}

void fer_listener_close(struct fer_listener *l)
{
    if (l->fd < 0) return;
    remove_path(l);
    uv_close((uv_handle_t *)&l->poll, listener_closed);
    fer_sys_close(l->fd);
    l->fd = -1;
}

static fer_code keep_path(struct fer_listener *l, const char *path, fer_err *err)
{
    struct stat is;
    size_t size = strlen(path) + 1;
    if (fer_sys_lstat(path, &is))
        return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    l->path = fer_sys_malloc(size);
    if (!l->path) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memcpy(l->path, path, size);
    l->dev = is.st_dev;
    l->ino = is.st_ino;
    return FER_OK;
}

/* A socket of somebody else's, whose address says by which names it is known. */
static fer_code take_socket(struct fer_listener *l, int fd, union place *at, fer_err *err)
{
    socklen_t size = sizeof *at;
    memset(at, 0, sizeof *at);
    if (fer_sys_bound(fd, &at->any, &size))
        return fer_fail(err, FER_IO_ERROR, "cannot tell the port: %s", strerror(errno));
    l->fd = fd;
    if (at->any.sa_family == AF_UNIX) return FER_OK; /* its file is its owner's to remove */
    l->port = ntohs(at->any.sa_family == AF_INET ? at->four.sin_port : at->six.sin6_port);
    return FER_OK;
}

/* The descriptor, or -1: at the place, or (where others have it) at one of the next ports. */
static int listen_near(const fer_listen_options *o, union place *at, socklen_t size)
{
    int backlog = o->backlog ? o->backlog : BACKLOG;
    int fd = fer_sys_listen(&at->any, size, backlog);
    for (unsigned i = 1; fd < 0 && errno == EADDRINUSE && i <= o->next_ports; i++) {
        if (o->path || o->port + i > UINT16_MAX) break;
        uint16_t port = htons((uint16_t)(o->port + i));
        if (at->any.sa_family == AF_INET) at->four.sin_port = port;
        else at->six.sin6_port = port;
        fd = fer_sys_listen(&at->any, size, backlog);
    }
    return fd;
}

static fer_code open_socket(struct fer_listener *l, const fer_listen_options *o, union place *at,
                            fer_err *err)
{
    socklen_t size = 0;
    if (o->given) return take_socket(l, o->fd, at, err);
    fer_code code = find_place(o, at, &size, err);
    if (code) return code;
    l->fd = listen_near(o, at, size);
    if (l->fd < 0)
        return fer_fail(err, FER_IO_ERROR, "cannot listen at %s%s%.0u: %s",
                        o->path ? o->path : (o->address ? o->address : "127.0.0.1"),
                        o->path ? "" : ":", o->path ? 0 : (unsigned)o->port,
                        errno == EADDRINUSE ? "another program listens there already"
                                            : strerror(errno));
    if (o->path) return keep_path(l, o->path, err);
    if (fer_sys_bound(l->fd, &at->any, &size))
        return fer_fail(err, FER_IO_ERROR, "cannot tell the port: %s", strerror(errno));
    l->port = ntohs(at->any.sa_family == AF_INET ? at->four.sin_port : at->six.sin6_port);
    return FER_OK;
}

static fer_code listener_open(struct fer_listener *l, const fer_listen_options *o, fer_err *err)
{
    union place at;
    fer_code code = FER_OK;
    if (!o->cert_file != !o->key_file)
        return fer_fail(err, FER_BAD_USAGE, "TLS needs both a certificate and its key");
    if (o->cert_file) code = fer_tls_context_new(o->cert_file, o->key_file, &l->tls, err);
    if (!code) code = open_socket(l, o, &at, err);
    if (!code && at.any.sa_family != AF_UNIX)
        code = name_place(l->server, &at, l->port, l->tls != NULL, err);
    if (code) return code;
    int failed = uv_poll_init(l->server->loop, &l->poll, l->fd);
    if (failed)
        return fer_fail(err, FER_IO_ERROR, "cannot watch a socket: %s", uv_strerror(failed));
    l->poll.data = l;
    return FER_OK;
}

fer_code fer_http_server_listen(fer_http_server *s, const fer_listen_options *options, fer_err *err)
{
    if (s->listener_count == FER_SERVER_LISTEN_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a server listens at no more than %d places",
                        FER_SERVER_LISTEN_MAX);
    struct fer_listener *l = fer_sys_malloc(sizeof *l);
    if (!l) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *l = (struct fer_listener){.server = s, .number = s->listener_count, .fd = -1};
    fer_code code = listener_open(l, options, err);
    if (code) {
        if (l->fd >= 0) {
            remove_path(l);
            fer_sys_close(l->fd);
        }
        listener_free(l);
        return code;
    }
    s->handles++;
    s->listeners[s->listener_count++] = l;
    uv_poll_start(&l->poll, UV_READABLE, on_clients);
    return FER_OK;
}

void fer_server_forget_listeners(fer_http_server *s)
{
    for (unsigned i = 0; i < s->listener_count; i++) listener_free(s->listeners[i]);
}

uint16_t fer_http_server_port(const fer_http_server *s, unsigned listener)
{
    return listener < s->listener_count ? s->listeners[listener]->port : 0;
}
