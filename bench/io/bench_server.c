/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request costs the HTTP server: an echo of 64 bytes over connections that stay open, from
 * plain sockets in another thread. Requests a second are those of both together on this machine;
 * the processor time is that of the server's thread alone, kernel included.
 *
 *     bench_server [CLIENTS [REQUESTS]]
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../bench.h"
#include "http_server.h"

struct run {
    uv_loop_t loop;
    uv_async_t stop;
    fer_http_server *server;
    fer_http_handler handler;
    int64_t cpu_ns; /* of the server's thread */
};

static void on_request(void *context, fer_exchange *x)
{
    (void)context;
    fer_exchange_reply(x, 200, "application/json", fer_exchange_inbound(x)->body);
}

static void on_stop(uv_async_t *stop)
{
    struct run *r = stop->data;
    fer_http_server_close(r->server);
    uv_close((uv_handle_t *)stop, NULL);
}

static void *serve(void *context)
{
    struct run *r = context;
    struct timespec cpu;
    uv_run(&r->loop, UV_RUN_DEFAULT);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    r->cpu_ns = (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec;
    return NULL;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BENCH_NEEDS(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* Each client asks, then each reads its answer, and so on. */
static void ask(const int *clients, size_t count, size_t requests, uint16_t port)
{
    char text[512], answer[1024];
    int len =
        snprintf(text, sizeof text,
                 "POST /mcp HTTP/1.1\r\nHost: localhost:%u\r\nContent-Type: application/json\r\n"
                 "Accept: application/json, text/event-stream\r\nContent-Length: 64\r\n\r\n%064d",
                 port, 0);
    for (size_t done = 0; done < requests; done += count) {
        for (size_t i = 0; i < count; i++)
            BENCH_NEEDS(send(clients[i], text, (size_t)len, MSG_NOSIGNAL) == len);
        for (size_t i = 0; i < count; i++)
            BENCH_NEEDS(recv(clients[i], answer, sizeof answer, 0) > 64);
    }
}

int main(int argc, char **argv)
{
    uint64_t clients = 16, requests = 200000;
    static struct run r;
    static int sockets[1024];
    pthread_t thread;
    if (argc > 1) BENCH_NEEDS(fer_parse_u64(fer_str_of(argv[1]), &clients));
    if (argc > 2) BENCH_NEEDS(fer_parse_u64(fer_str_of(argv[2]), &requests));
    BENCH_NEEDS(clients > 0 && clients <= FER_COUNT(sockets));
    r.handler = (fer_http_handler){.request = on_request};
    BENCH_NEEDS(uv_loop_init(&r.loop) == 0 && uv_async_init(&r.loop, &r.stop, on_stop) == 0);
    r.stop.data = &r;
    r.server = fer_http_server_new(&r.loop, &r.handler, NULL, NULL);
    BENCH_NEEDS(r.server && !fer_http_server_listen(r.server, &(fer_listen_options){0}, NULL));
    uint16_t port = fer_http_server_port(r.server, 0);
    BENCH_NEEDS(pthread_create(&thread, NULL, serve, &r) == 0);
    for (size_t i = 0; i < clients; i++) sockets[i] = connect_to(port);
    int64_t start = fer_clock_mono();
    ask(sockets, (size_t)clients, (size_t)requests, port);
    double seconds = (double)(fer_clock_mono() - start) / 1e9;
    uv_async_send(&r.stop);
    pthread_join(thread, NULL);
    printf("HTTP echo of 64 bytes, %zu connections: %.0f requests/s, %.1f us of the server's "
           "processor time each\n",
           (size_t)clients, (double)requests / seconds, (double)r.cpu_ns / 1e3 / (double)requests);
    for (size_t i = 0; i < clients; i++) close(sockets[i]);
    uv_loop_close(&r.loop);
    return 0;
}
