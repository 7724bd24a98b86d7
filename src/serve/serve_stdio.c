/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_stdio.h"

#include <errno.h>
#include <unistd.h>
#include <uv.h>

#include "errors.h"
#include "lines.h"
#include "sys.h"

#define PIECE 65536 /* bytes that are read at once */

struct fer_stdio {
    fer_front *front;
    fer_peer *peer;
    uv_loop_t *loop;
    fer_line_split lines;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
        uv_idle_t idle; /* of a file, which is always ready */
    } in, out;
    int in_fd, out_fd;
    bool in_file, out_file;
    bool paused;   /* the reader is behind */
    bool over;     /* no more input */
    bool finished; /* `ended` was or will be called */
    bool closing;
    unsigned handles; /* that are open */
    uv_timer_t later; /* `ended` is called from the loop */
    void (*ended)(void *context);
    void *context;
    char piece[PIECE];
};

/* ---- the end --------------------------------------------------------------------------------- */

static void on_later(uv_timer_t *timer)
{
    fer_stdio *t = timer->data;
    t->ended(t->context);
}

static size_t waiting(const fer_stdio *t)
{
    return t->out_file ? 0 : uv_stream_get_write_queue_size(&t->out.stream);
}

/* Everything is answered, and the answers are written. */
static void settle(fer_stdio *t)
{
    if (!t->over || t->finished || t->closing || fer_peer_busy(t->peer) || waiting(t)) return;
    t->finished = true;
    uv_timer_start(&t->later, on_later, 0, 0);
}

static void stop_reading(fer_stdio *t)
{
    if (t->in_file) uv_idle_stop(&t->in.idle);
    else uv_read_stop(&t->in.stream);
}

static void on_idle(void *context)
{
    settle(context);
}

void fer_stdio_drain(fer_stdio *t)
{
    if (t->over) return;
    t->over = true;
    stop_reading(t);
    fer_front_when_idle(t->front, on_idle, t);
}

/* Nobody reads what we say: there is nobody to work for. */
static void lose(fer_stdio *t)
{
    if (t->finished) return;
    if (!t->over) stop_reading(t);
    t->over = t->finished = true;
    uv_timer_start(&t->later, on_later, 0, 0);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct writing {
    uv_write_t request;
    fer_stdio *stdio;
    size_t len;
    char text[];
} writing;

static void read_again(fer_stdio *t);

static void on_written(uv_write_t *request, int status)
{
    writing *w = (writing *)request;
    fer_stdio *t = w->stdio;
    fer_sys_free(w);
    if (t->closing) return;
    if (status) lose(t);
    else if (t->paused && waiting(t) < FER_STDIO_WAITING / 2) read_again(t);
    settle(t);
}

static void write_file(fer_stdio *t, fer_str text)
{
    while (text.len) {
        ssize_t n = fer_sys_write(t->out_fd, text.ptr, text.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            lose(t);
            return;
        }
        text = fer_str_slice(text, (size_t)n, text.len);
    }
}

/* What cannot be written at once is copied and waits. */
static void write_later(fer_stdio *t, fer_str text, size_t done)
{
    size_t left = text.len + 1 - done, rest = done < text.len ? text.len - done : 0;
    writing *w = fer_sys_malloc(sizeof *w + left);
    if (!w) {
        lose(t); /* half a line cannot be taken back */
        return;
    }
    w->stdio = t;
    w->len = left;
    if (rest) memcpy(w->text, text.ptr + done, rest);
    w->text[left - 1] = '\n';
    uv_buf_t buf = uv_buf_init(w->text, (unsigned)left);
    if (uv_write(&w->request, &t->out.stream, &buf, 1, on_written)) {
        fer_sys_free(w);
        lose(t);
    } else if (waiting(t) >= FER_STDIO_WAITING && !t->paused && !t->over) {
        t->paused = true;
        stop_reading(t);
    }
}

static void write_line(fer_stdio *t, fer_str text)
{
    char end = '\n';
    if (t->closing || (t->finished && !t->over)) return;
    if (t->out_file) {
        write_file(t, text);
        write_file(t, (fer_str){&end, 1});
        return;
    }
    uv_buf_t parts[2] = {{.base = (char *)(uintptr_t)text.ptr, .len = text.len},
                         {.base = &end, .len = 1}};
    int n = waiting(t) ? 0 : uv_try_write(&t->out.stream, parts, 2);
    if (n < 0 && n != UV_EAGAIN) lose(t);
    else if (n < 0 || (size_t)n < text.len + 1) write_later(t, text, n > 0 ? (size_t)n : 0);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static void on_note(void *context, fer_str message)
{
    fer_stdio *t = context;
    if (!t->paused) write_line(t, message);
}

static void on_end(void *context, fer_str answer, int status)
{
    fer_stdio *t = context;
    (void)status;
    if (answer.len) write_line(t, answer);
    settle(t);
}

static const fer_talk_events events = {on_note, on_end};

static bool take_line(void *context, fer_str line)
{
    fer_stdio *t = context;
    bool blank = true;
    for (size_t i = 0; i < line.len && blank; i++)
        blank = line.ptr[i] == ' ' || line.ptr[i] == '\t';
    if (blank) return true;
    fer_talk *x = fer_talk_new(t->peer, &events, t);
    if (x) fer_talk_take(x, line, NULL);
    else lose(t);
    return !t->closing;
}

/* A line past the limit cannot be answered by its ID, which nobody has read. */
static void tell_too_long(fer_stdio *t, uint64_t before)
{
    for (; before < t->lines.too_long; before++)
        write_line(t, FER_STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
                              "\"message\":\"a message has more bytes than a line may have\"}}"));
}

static void feed(fer_stdio *t, size_t size)
{
    uint64_t before = t->lines.too_long;
    fer_code code = fer_line_split_feed(&t->lines, (fer_str){t->piece, size}, take_line, t);
    if (code) lose(t);
    else tell_too_long(t, before);
}

static void end_input(fer_stdio *t)
{
    fer_line_split_end(&t->lines, take_line, t);
    fer_stdio_drain(t);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void on_room(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
    fer_stdio *t = handle->data;
    (void)size;
    *buf = uv_buf_init(t->piece, PIECE);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    fer_stdio *t = stream->data;
    (void)buf;
    if (size > 0) feed(t, (size_t)size);
    else if (size < 0) end_input(t);
}

static void on_ready(uv_idle_t *idle)
{
    fer_stdio *t = idle->data;
    ssize_t n = fer_sys_read(t->in_fd, t->piece, PIECE);
    if (n > 0) feed(t, (size_t)n);
    else if (n == 0 || errno != EINTR) end_input(t);
}

static void read_again(fer_stdio *t)
{
    t->paused = false;
    if (t->over) return;
    if (t->in_file) uv_idle_start(&t->in.idle, on_ready);
    else uv_read_start(&t->in.stream, on_room, on_read);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void on_push(void *context, fer_str message)
{
    on_note(context, message);
}

/* 0, or the error of libuv; `*file`: it is none of those that libuv waits for. */
static int open_stream(fer_stdio *t, uv_handle_t *handle, int fd, bool *file)
{
    uv_handle_type type = uv_guess_handle(fd);
    int bad = 0;
    *file = false;
    if (type == UV_NAMED_PIPE || type == UV_TCP) {
        bad = uv_pipe_init(t->loop, (uv_pipe_t *)handle, 0);
        if (!bad) {
            handle->data = t;
            t->handles++;
            bad = uv_pipe_open((uv_pipe_t *)handle, fd);
        }
    } else if (type == UV_TTY) {
        bad = uv_tty_init(t->loop, (uv_tty_t *)handle, fd, 0);
        if (!bad) {
            handle->data = t;
            t->handles++;
        }
    } else {
        *file = true;
    }
    return bad;
}

static fer_code open_both(fer_stdio *t, fer_err *err)
{
    int bad = open_stream(t, &t->in.handle, t->in_fd, &t->in_file);
    if (!bad && t->in_file) {
        bad = uv_idle_init(t->loop, &t->in.idle);
        t->in.handle.data = t;
        t->handles++;
    }
    if (!bad) bad = open_stream(t, &t->out.handle, t->out_fd, &t->out_file);
    if (bad)
        return fer_fail(err, FER_IO_ERROR, "standard input and output cannot be used: %s",
                        uv_strerror(bad));
    return FER_OK;
}

static void on_handle_closed(uv_handle_t *handle)
{
    fer_stdio *t = handle->data;
    if (--t->handles) return;
    fer_line_split_deinit(&t->lines);
    fer_sys_free(t);
}

static void close_handle(uv_handle_t *handle)
{
    if (handle->data && !uv_is_closing(handle)) uv_close(handle, on_handle_closed);
}

void fer_stdio_close(fer_stdio *t)
{
    t->closing = true;
    if (t->peer) fer_peer_close(t->peer);
    t->peer = NULL;
    close_handle(&t->in.handle);
    close_handle(&t->out.handle);
    close_handle((uv_handle_t *)&t->later);
}

fer_code fer_stdio_open(fer_front *s, int in, int out, void (*ended)(void *context), void *context,
                        fer_stdio **made, fer_err *err)
{
    fer_stdio *t = fer_sys_malloc(sizeof *t);
    if (!t) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(t, 0, offsetof(fer_stdio, piece));
    t->front = s;
    t->loop = fer_front_loop(s);
    t->in_fd = in;
    t->out_fd = out;
    t->ended = ended;
    t->context = context;
    fer_line_split_init(&t->lines, 0);
    uv_timer_init(t->loop, &t->later);
    t->later.data = t;
    t->handles = 1;
    t->peer = fer_peer_new(s, &(fer_peer_options){.push = on_push, .context = t});
    fer_code code = t->peer ? open_both(t, err) : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) {
        fer_stdio_close(t);
        return code;
    }
    read_again(t);
    *made = t;
    return FER_OK;
}
