/* SPDX-License-Identifier: Apache-2.0 */
#include "docker_attach.h"

#include <stdio.h>
#include <string.h>

#include "errors.h"
#include "sys.h"

#define PIECE ((size_t)64 << 10)

struct fer_attach {
    uv_pipe_t pipe;
    uv_connect_t connect;
    const fer_attach_events *events;
    void *context;
    fer_mux mux;
    bool agreed; /* the head of the answer has come */
    bool ended, paused;
    size_t waiting; /* bytes */
    size_t head_len;
    char head[FER_ATTACH_HEAD + 1]; /* and a NUL */
    char piece[PIECE];
};

/* Bytes on their way out. */
struct sending {
    uv_write_t request;
    fer_attach *attach;
    size_t len;
    char bytes[];
};

static const fer_attach_events no_events;

static void end(fer_attach *t, fer_code code, const char *why)
{
    if (t->ended) return;
    t->ended = true;
    if (t->events->end) t->events->end(t->context, code, why);
}

/* ---- what comes -------------------------------------------------------------------------------
 */

static bool on_piece(void *context, fer_mux_stream stream, fer_str bytes)
{
    fer_attach *t = context;
    if (stream != FER_MUX_IN && t->events->output) t->events->output(t->context, stream, bytes);
    return !t->ended && t->events != &no_events;
}

static void take_stream(fer_attach *t, fer_str bytes)
{
    fer_err err = {0};
    if (bytes.len && fer_mux_feed(&t->mux, bytes, on_piece, t, &err))
        end(t, FER_INVALID_OUTPUT, err.message);
}

/* "HTTP/1.1 409 Conflict": it does not attach; what comes with the head says why. */
static void refuse(fer_attach *t, fer_str body)
{
    unsigned status = 0;
    for (size_t i = 9; i < 12 && !strncmp(t->head, "HTTP/1.1 ", 9); i++) {
        if (t->head[i] < '0' || t->head[i] > '9') break;
        status = status * 10 + (unsigned)(t->head[i] - '0');
    }
    if (t->ended) return;
    t->ended = true;
    if (t->events->refused) t->events->refused(t->context, status, body);
}

/* "HTTP/1.1 101 UPGRADED", or 200 of older ones; then fields, then an empty line. */
static void take_head(fer_attach *t, fer_str bytes)
{
    size_t room = sizeof t->head - 1 - t->head_len, n = bytes.len < room ? bytes.len : room;
    memcpy(t->head + t->head_len, bytes.ptr, n);
    size_t before = t->head_len;
    t->head_len += n;
    t->head[t->head_len] = '\0';
    const char *stop = strstr(t->head, "\r\n\r\n");
    if (!stop) {
        if (t->head_len == sizeof t->head - 1)
            end(t, FER_INVALID_OUTPUT, "the container API answers with too long a head");
        return;
    }
    size_t used = (size_t)(stop - t->head) + 4 - before;
    fer_str rest = fer_str_slice(bytes, used, bytes.len);
    t->agreed = !strncmp(t->head, "HTTP/1.1 101 ", 13) || !strncmp(t->head, "HTTP/1.1 200 ", 13);
    if (!t->agreed) {
        refuse(t, rest);
        return;
    }
    if (t->events->ready) t->events->ready(t->context);
    take_stream(t, rest);
}

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
    fer_attach *t = handle->data;
    (void)wanted;
    *out = uv_buf_init(t->piece, PIECE);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    fer_attach *t = stream->data;
    if (n > 0 && t->agreed) take_stream(t, (fer_str){buf->base, (size_t)n});
    else if (n > 0) take_head(t, (fer_str){buf->base, (size_t)n});
    else if (n == UV_EOF && t->agreed) end(t, FER_OK, "");
    else if (n < 0) end(t, FER_CONNECTION_LOST, "the connection to the container API was lost");
}

/* ---- what goes ------------------------------------------------------------------------------ */

static void on_written(uv_write_t *request, int status)
{
    struct sending *s = request->data;
    fer_attach *t = s->attach;
    t->waiting -= s->len;
    fer_sys_free(s);
    if (status < 0 && status != UV_ECANCELED)
        end(t, FER_CONNECTION_LOST, "the connection to the container API was lost");
}

/* FER_LIMIT_EXCEEDED, FER_OUT_OF_MEMORY, FER_CONNECTION_LOST: it cannot be sent. */
static fer_code send_parts(fer_attach *t, fer_str text, fer_str after)
{
    if (text.len >= FER_ATTACH_WAITING - t->waiting) return FER_LIMIT_EXCEEDED;
    struct sending *s = fer_sys_malloc(sizeof *s + text.len + after.len);
    if (!s) return FER_OUT_OF_MEMORY;
    s->attach = t;
    s->len = text.len + after.len;
    s->request.data = s;
    memcpy(s->bytes, text.ptr, text.len);
    if (after.len) memcpy(s->bytes + text.len, after.ptr, after.len);
    uv_buf_t buf = uv_buf_init(s->bytes, (unsigned)s->len);
    t->waiting += s->len;
    if (!uv_write(&s->request, (uv_stream_t *)&t->pipe, &buf, 1, on_written)) return FER_OK;
    t->waiting -= s->len;
    fer_sys_free(s);
    return FER_CONNECTION_LOST;
}

void fer_attach_say(fer_attach *t, fer_str line)
{
    if (t->ended || t->events == &no_events) return;
    fer_code code = send_parts(t, line, FER_STR("\n"));
    if (code == FER_LIMIT_EXCEEDED) end(t, code, "the container does not read what it is told");
    else if (code == FER_OUT_OF_MEMORY) end(t, code, "out of memory");
    else if (code) end(t, code, "the connection to the container API was lost");
}

/* ---- life ----------------------------------------------------------------------------------- */

static void on_connect(uv_connect_t *request, int status)
{
    fer_attach *t = request->data;
    if (t->events == &no_events) return;
    if (status < 0) end(t, FER_BACKEND_UNAVAILABLE, uv_strerror(status));
    else if (!t->paused) uv_read_start((uv_stream_t *)&t->pipe, give_room, on_read);
}

fer_code fer_attach_open(uv_loop_t *loop, const char *socket, fer_str target,
                         const fer_attach_events *events, void *context, fer_attach **out,
                         fer_err *err)
{
    char head[1024];
    fer_attach *t = fer_sys_malloc(sizeof *t);
    if (!t) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(t, 0, offsetof(fer_attach, head));
    t->events = events;
    t->context = context;
    t->pipe.data = t->connect.data = t;
    uv_pipe_init(loop, &t->pipe, 0);
    uv_pipe_connect(&t->connect, &t->pipe, socket, on_connect);
    int n = snprintf(head, sizeof head,
                     "POST %.*s HTTP/1.1\r\nHost: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
                     "Content-Length: 0\r\n\r\n",
                     FER_PRI(target));
    if (send_parts(t, (fer_str){head, (size_t)n}, FER_STR(""))) {
        fer_attach_close(t);
        return fer_fail(err, FER_CONNECTION_LOST, "the container API cannot be asked");
    }
    *out = t;
    return FER_OK;
}

void fer_attach_pause(fer_attach *t, bool paused)
{
    if (t->paused == paused || t->ended) return;
    t->paused = paused;
    if (paused) uv_read_stop((uv_stream_t *)&t->pipe);
    else uv_read_start((uv_stream_t *)&t->pipe, give_room, on_read);
}

static void on_closed(uv_handle_t *handle)
{
    fer_sys_free(handle->data);
}

void fer_attach_close(fer_attach *t)
{
    if (!t) return;
    t->events = &no_events;
    uv_close((uv_handle_t *)&t->pipe, on_closed);
}
