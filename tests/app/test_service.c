/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets that a manager of services hands over, at their limit and without memory. */
#include "service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "rows.h"

#define FIRST 3 /* descriptor that is handed over */

/* What stands at the first descriptor; the others are sockets of TCP. */
enum kind {
    FOUR,
    SIX,
    NAMED,   /* a Unix socket without a file */
    PACKETS, /* of a family that nobody listens at here */
    FILE_IT_IS
};

static const struct row {
    const char *name;
    enum kind kind;
    size_t count;
    bool another; /* process is meant */
    fer_code code;
    const char *address, *path; /* of the first */
} rows[] = {
    {"none", FOUR, 0, false, FER_OK, NULL, NULL},
    {"of another process", FOUR, 1, true, FER_OK, NULL, NULL},
    {"TCP", FOUR, 1, false, FER_OK, "127.0.0.1", NULL},
    {"TCP over IPv6", SIX, 1, false, FER_OK, "::", NULL},
    {"a name", NAMED, 1, false, FER_OK, NULL, "@ferrule-test-service"},
    {"several", NAMED, 3, false, FER_OK, NULL, "@ferrule-test-service"},
    {"as many as are taken", FOUR, FER_SERVICE_SOCKETS, false, FER_OK, "127.0.0.1", NULL},
    {"one more", FOUR, FER_SERVICE_SOCKETS + 1, false, FER_LIMIT_EXCEEDED, NULL, NULL},
    {"another family", PACKETS, 1, false, FER_BAD_USAGE, NULL, NULL},
    {"no socket", FILE_IT_IS, 1, false, FER_BAD_USAGE, NULL, NULL},
};

static int open_kind(enum kind kind)
{
    static const char name[] = "\0ferrule-test-service";
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = -1;
    switch (kind) {
    case FOUR:
        fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(bind(fd, (struct sockaddr *)&four, sizeof four), 0);
        break;
    case SIX: fd = socket(AF_INET6, SOCK_STREAM, 0); break;
    case NAMED:
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        memcpy(local.sun_path, name, sizeof name - 1);
        assert_int_equal(
            bind(fd, (struct sockaddr *)&local,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof name - 1)),
            0);
        break;
    case PACKETS: fd = socket(AF_NETLINK, SOCK_RAW, 0); break;
    case FILE_IT_IS: fd = open("/dev/null", O_RDONLY); break;
    }
    return fd;
}

static void hand_over(const struct row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        int fd = open_kind(i ? FOUR : row->kind), to = FIRST + (int)i;
        if (fd < 0 && errno == EAFNOSUPPORT) skip();
        assert_true(fd >= 0);
        if (fd == to) continue;
        assert_int_equal(dup2(fd, to), to);
        close(fd);
    }
}

static fer_code attempt(fer_arena *ignored, const void *given)
{
    const struct row *row = given;
    fer_service_socket got[FER_SERVICE_SOCKETS];
    size_t count = 99;
    char text[32];
    (void)ignored;
    fer_arena *a = fer_arena_new(0);
    if (!a) return FER_OUT_OF_MEMORY;
    snprintf(text, sizeof text, "%ld", (long)getpid() + (row->another ? 1 : 0));
    setenv("LISTEN_PID", text, 1);
    snprintf(text, sizeof text, "%zu", row->count);
    setenv("LISTEN_FDS", text, 1);
    fer_code code = fer_service_sockets(a, got, &count, NULL);
    assert_null(getenv("LISTEN_FDS")); /* programs that are started later do not see them */
    if (!code) {
        assert_int_equal(count, row->another ? 0 : row->count);
        if (row->address) assert_string_equal(got[0].address, row->address);
        if (row->path) assert_string_equal(got[0].path, row->path);
        for (size_t i = 0; i < count; i++) assert_int_equal(got[i].fd, FIRST + (int)i);
    }
    fer_arena_free(a);
    return code == row->code ? FER_OK : code ? code : FER_INTERNAL;
}

static void run(const struct row *row)
{
    hand_over(row);
    rows_torture_malloc(attempt, row);
    for (size_t i = 0; i < row->count; i++) close(FIRST + (int)i);
}

int main(void)
{
    return ROWS_RUN("service", rows, run);
}
