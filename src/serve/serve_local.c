/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include "errors.h"
#include "serve_stdio.h"
#include "str.h"
#include "sys.h"

#define BACKLOG 64

typedef struct client {
    fer_local *local;
    fer_stdio *stdio;
    struct client *next, **place;
} client;

struct fer_local {
    fer_front *front;
    const fer_local_events *events;
    void *context;
    struct sockaddr_un at;
    int fd, lock;
    uv_poll_t poll;
    uv_timer_t later; /* the end is told from the loop */
    unsigned handles;
    client *clients;
    size_t count;
    bool draining, closing;
};

/* ---- whose it is -------------------------------------------------------------------------------
 */

bool fer_local_is_own(const char *folder)
{
    struct stat st;
    return fer_sys_lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           (st.st_mode & 077) == 0;
}

static fer_code place_of(const char *path, struct sockaddr_un *at, fer_err *err)
{
    size_t len = strlen(path);
    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!len || len >= sizeof at->sun_path)
        return fer_fail(err, FER_BAD_USAGE,
                        "the path of a Unix socket has 1 to %zu bytes, this one has %zu",
                        sizeof at->sun_path - 1, len);
    memcpy(at->sun_path, path, len + 1);
    return FER_OK;
}

int fer_local_connect(const char *path)
{
    struct sockaddr_un at;
    uid_t user;
    if (place_of(path, &at, NULL)) return -1;
    int fd = fer_sys_connect((const struct sockaddr *)&at, sizeof at);
    if (fd >= 0 && (fer_sys_peer_user(fd, &user) || user != geteuid())) {
        fer_sys_close(fd);
        return -1;
    }
    return fd;
}

/* ---- clients -----------------------------------------------------------------------------------
 */

static void on_later(uv_timer_t *timer)
{
    fer_local *l = timer->data;
    if (l->draining && !l->count && !l->closing) l->events->drained(l->context);
}

static void tell(fer_local *l)
{
    if (l->closing) return;
    if (l->events->changed) l->events->changed(l->context, l->count);
    if (l->draining && !l->count) uv_timer_start(&l->later, on_later, 0, 0);
}

static void drop(client *c)
{
    fer_local *l = c->local;
    *c->place = c->next;
    if (c->next) c->next->place = c->place;
    l->count--;
    fer_stdio_close(c->stdio);
    fer_sys_free(c);
}

static void on_ended(void *context)
{
    client *c = context;
    fer_local *l = c->local;
    drop(c);
    tell(l);
}

static void take(fer_local *l, int fd)
{
    uid_t user;
    bool good = !fer_sys_peer_user(fd, &user) && user == geteuid() &&
                l->count < FER_LOCAL_CLIENTS_MAX && !l->draining;
    client *c = good ? fer_sys_malloc(sizeof *c) : NULL;
    if (!c) {
        fer_sys_close(fd);
        return;
    }
    *c = (client){.local = l};
    if (fer_stdio_open(l->front, NULL, fd, fd, on_ended, c, &c->stdio, NULL)) {
        fer_sys_free(c); /* the descriptor went with what was opened */
        return;
    }
    c->next = l->clients;
    c->place = &l->clients;
    if (c->next) c->next->place = &c->next;
    l->clients = c;
    l->count++;
    tell(l);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    fer_local *l = poll->data;
    (void)events;
    while (status == 0) {
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        int fd = fer_sys_accept(l->fd, (struct sockaddr *)&from, &size);
        if (fd < 0) return;
        take(l, fd);
    }
}

size_t fer_local_clients(const fer_local *l)
{
    return l->count;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Who holds the lock is the gateway of this path, until it ends, however it ends. */
static fer_code take_lock(fer_local *l, bool *taken, fer_err *err)
{
    char path[sizeof l->at.sun_path + 8];
    snprintf(path, sizeof path, "%s.lock", l->at.sun_path);
    l->lock = fer_sys_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (l->lock < 0) return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    *taken = fer_sys_flock(l->lock, LOCK_EX | LOCK_NB) != 0;
    if (*taken && errno != EWOULDBLOCK)
        return fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    return FER_OK;
}

static fer_code listen_at(fer_local *l, fer_err *err)
{
    if (fer_sys_unlink(l->at.sun_path) && errno != ENOENT)
        return fer_fail(err, FER_IO_ERROR, "%s: %s", l->at.sun_path, strerror(errno));
    l->fd = fer_sys_listen((const struct sockaddr *)&l->at, sizeof l->at, BACKLOG);
    if (l->fd < 0) return fer_fail(err, FER_IO_ERROR, "%s: %s", l->at.sun_path, strerror(errno));
    uv_loop_t *loop = fer_front_loop(l->front);
    if (uv_poll_init(loop, &l->poll, l->fd))
        return fer_fail(err, FER_IO_ERROR, "%s cannot be waited for", l->at.sun_path);
    l->poll.data = l;
    l->handles++;
    uv_timer_init(loop, &l->later);
    l->later.data = l;
    l->handles++;
    uv_poll_start(&l->poll, UV_READABLE, on_ready);
    return FER_OK;
}

static void end_files(fer_local *l)
{
    if (l->fd >= 0) {
        fer_sys_unlink(l->at.sun_path); /* while the lock is held */
        fer_sys_close(l->fd);
    }
    if (l->lock >= 0) fer_sys_close(l->lock);
    l->fd = l->lock = -1;
}

static void on_closed(uv_handle_t *handle)
{
    fer_local *l = handle->data;
    if (--l->handles) return;
    end_files(l);
    fer_sys_free(l);
}

size_t fer_local_retire(fer_local *l)
{
    fer_sys_unlink(l->at.sun_path);
    on_ready(&l->poll, 0, 0);
    if (!l->draining) uv_poll_stop(&l->poll);
    return l->count;
}

void fer_local_drain(fer_local *l)
{
    if (l->draining) return;
    l->draining = true;
    uv_poll_stop(&l->poll);
    for (client *c = l->clients; c; c = c->next) fer_stdio_drain(c->stdio);
    if (!l->count) uv_timer_start(&l->later, on_later, 0, 0);
}

void fer_local_close(fer_local *l)
{
    l->closing = true;
    while (l->clients) drop(l->clients);
    if (l->handles) {
        uv_close((uv_handle_t *)&l->poll, on_closed);
        uv_close((uv_handle_t *)&l->later, on_closed);
        return;
    }
    end_files(l);
    fer_sys_free(l);
}

fer_code fer_local_open(fer_front *s, const char *path, const fer_local_events *events,
                        void *context, fer_local **out, fer_err *err)
{
    bool taken = false;
    fer_local *l = fer_sys_malloc(sizeof *l);
    *out = NULL;
    if (!l) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *l = (fer_local){.front = s, .events = events, .context = context, .fd = -1, .lock = -1};
    fer_code code = place_of(path, &l->at, err);
    if (!code) code = take_lock(l, &taken, err);
    if (!code && !taken) code = listen_at(l, err);
    if (!code && !taken) {
        *out = l;
        return FER_OK;
    }
    if (l->handles == 1) { /* the poll without its timer: nothing else can have failed */
        uv_timer_init(fer_front_loop(s), &l->later);
        l->later.data = l;
        l->handles++;
    }
    fer_local_close(l);
    return code;
}
