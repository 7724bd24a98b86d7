/* SPDX-License-Identifier: Apache-2.0 */
#include "line_pair.h"

#include <errno.h>
#include <unistd.h>

#include "errors.h"
#include "str.h"
#include "sys.h"

#define PIECE 65536 /* bytes that are read at once */

struct fer_pair {
    uv_loop_t *loop;
    fer_line_split lines;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
        uv_idle_t idle; /* of a file, which is always ready */
    } in, out;
    uv_stream_t *writer; /* NULL: a file */
    int in_fd, out_fd;
    bool in_file;
    bool behind;  /* the reader of what we write is */
    bool paused;  /* by the owner */
    bool stopped; /* no more is read */
    bool lost, told, closing;
    bool starved;     /* there was no memory for what was read or to be written: why it is lost */
    unsigned handles; /* that are open */
    uv_timer_t later; /* the loss is told from the loop */
    const fer_pair_events *events;
    void *context;
    char piece[PIECE];
};

/* ---- reading --------------------------------------------------------------------------------- */

static void on_room(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
    fer_pair *p = handle->data;
    (void)size;
    *buf = uv_buf_init(p->piece, PIECE);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf);
static void on_ready(uv_idle_t *idle);

static bool is_reading(const fer_pair *p)
{
    return !p->stopped && !p->behind && !p->paused && !p->lost && !p->closing;
}

/* Reads, or does not, as things are. */
static void settle_reading(fer_pair *p)
{
    if (p->closing) return;
    if (p->in_file && is_reading(p)) uv_idle_start(&p->in.idle, on_ready);
    else if (p->in_file) uv_idle_stop(&p->in.idle);
    else if (is_reading(p)) uv_read_start(&p->in.stream, on_room, on_read);
    else uv_read_stop(&p->in.stream);
}

static void on_later(uv_timer_t *timer)
{
    fer_pair *p = timer->data;
    if (p->told || p->closing) return;
    p->told = true;
    p->events->lost(p->context);
}

static void lose(fer_pair *p)
{
    if (p->lost || p->closing) return;
    p->lost = true;
    settle_reading(p);
    uv_timer_start(&p->later, on_later, 0, 0);
}

static void starve(fer_pair *p)
{
    if (!p->lost) p->starved = true;
    lose(p);
}

bool fer_pair_starved(const fer_pair *p)
{
    return p->starved;
}

static bool take_line(void *context, fer_str line)
{
    fer_pair *p = context;
    return p->events->line(p->context, line) && !p->closing;
}

static bool take_passed(void *context, fer_str head, fer_str tail)
{
    fer_pair *p = context;
    if (p->events->passed) p->events->passed(p->context, head, tail);
    return !p->closing;
}

static void feed(fer_pair *p, size_t size)
{
    uint64_t before = p->lines.too_long;
    fer_code code = fer_line_split_feed(&p->lines, (fer_str){p->piece, size}, take_line, p);
    if (p->closing) return;
    if (code) starve(p);
    for (; !p->closing && before < p->lines.too_long; before++) p->events->too_long(p->context);
}

static void end_input(fer_pair *p)
{
    if (p->stopped) return;
    p->stopped = true;
    settle_reading(p);
    fer_line_split_end(&p->lines, take_line, p);
    if (!p->closing) p->events->end(p->context);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    fer_pair *p = stream->data;
    (void)buf;
    if (size > 0) feed(p, (size_t)size);
    else if (size < 0) end_input(p);
}

static void on_ready(uv_idle_t *idle)
{
    fer_pair *p = idle->data;
    ssize_t n = fer_sys_read(p->in_fd, p->piece, PIECE);
    if (n > 0) feed(p, (size_t)n);
    else if (n == 0 || errno != EINTR) end_input(p);
}

void fer_pair_limit(fer_pair *p, size_t max)
{
    p->lines.max = max;
}

void fer_pair_stop(fer_pair *p)
{
    p->stopped = true;
    settle_reading(p);
}

void fer_pair_pause(fer_pair *p, bool paused)
{
    if (p->paused == paused) return;
    p->paused = paused;
    settle_reading(p);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct writing {
    uv_write_t request;
    fer_pair *pair;
    size_t len;
    char text[];
} writing;

size_t fer_pair_waiting(const fer_pair *p)
{
    return p->writer ? uv_stream_get_write_queue_size(p->writer) : 0;
}

size_t fer_pair_held(const fer_pair *p)
{
    return fer_pair_waiting(p) + p->lines.cap;
}

bool fer_pair_behind(const fer_pair *p)
{
    return p->behind;
}

static void on_written(uv_write_t *request, int status)
{
    writing *w = (writing *)request;
    fer_pair *p = w->pair;
    fer_sys_free(w);
    if (p->closing) return;
    if (status) {
        lose(p);
        return;
    }
    if (p->behind && fer_pair_waiting(p) < FER_PAIR_WAITING / 2) {
        p->behind = false;
        settle_reading(p);
    }
    if (p->events->written) p->events->written(p->context);
}

static void write_file(fer_pair *p, fer_str text)
{
    while (text.len) {
        ssize_t n = fer_sys_write(p->out_fd, text.ptr, text.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            lose(p);
            return;
        }
        text = fer_str_slice(text, (size_t)n, text.len);
    }
}

/* What cannot be written at once is copied and waits. */
static void write_later(fer_pair *p, fer_str text, size_t done)
{
    size_t left = text.len + 1 - done, rest = done < text.len ? text.len - done : 0;
    writing *w = fer_sys_malloc(sizeof *w + left);
    if (!w) {
        starve(p); /* half a line cannot be taken back */
        return;
    }
    w->pair = p;
    w->len = left;
    if (rest) memcpy(w->text, text.ptr + done, rest);
    w->text[left - 1] = '\n';
    uv_buf_t buf = uv_buf_init(w->text, (unsigned)left);
    if (uv_write(&w->request, p->writer, &buf, 1, on_written)) {
        fer_sys_free(w);
        lose(p);
    } else if (fer_pair_waiting(p) >= FER_PAIR_WAITING && !p->behind) {
        p->behind = true;
        settle_reading(p);
    }
}

void fer_pair_write(fer_pair *p, fer_str line)
{
    char end = '\n';
    if (p->closing || p->lost) return;
    if (!p->writer) {
        write_file(p, line);
        write_file(p, (fer_str){&end, 1});
        return;
    }
    uv_buf_t parts[2] = {{.base = (char *)(uintptr_t)line.ptr, .len = line.len},
                         {.base = &end, .len = 1}};
    int n = fer_pair_waiting(p) ? 0 : uv_try_write(p->writer, parts, 2);
    if (n < 0 && n != UV_EAGAIN) lose(p);
    else if (n < 0 || (size_t)n < line.len + 1) write_later(p, line, n > 0 ? (size_t)n : 0);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* 0, or the error of libuv; `*file`: it is none of those that libuv waits for. */
static int open_stream(fer_pair *p, uv_handle_t *handle, int fd, bool *file)
{
    uv_handle_type type = uv_guess_handle(fd);
    int bad = 0;
    *file = false;
    if (type == UV_NAMED_PIPE || type == UV_TCP) {
        bad = uv_pipe_init(p->loop, (uv_pipe_t *)handle, 0);
        if (!bad) {
            handle->data = p;
            p->handles++;
            bad = uv_pipe_open((uv_pipe_t *)handle, fd);
        }
    } else if (type == UV_TTY) {
        bad = uv_tty_init(p->loop, (uv_tty_t *)handle, fd, 0);
        if (!bad) {
            handle->data = p;
            p->handles++;
        }
    } else {
        *file = true;
    }
    return bad;
}

static fer_code open_both(fer_pair *p, fer_err *err)
{
    bool out_file = false;
    int bad = open_stream(p, &p->in.handle, p->in_fd, &p->in_file);
    if (!bad && p->in_file) {
        bad = uv_idle_init(p->loop, &p->in.idle);
        p->in.handle.data = p;
        p->handles++;
    }
    if (!bad && p->in_fd == p->out_fd && !p->in_file) {
        p->writer = &p->in.stream;
        return FER_OK;
    }
    if (!bad) bad = open_stream(p, &p->out.handle, p->out_fd, &out_file);
    if (!bad && !out_file) p->writer = &p->out.stream;
    if (bad)
        return fer_fail(err, FER_IO_ERROR, "standard input and output cannot be used: %s",
                        uv_strerror(bad));
    return FER_OK;
}

static void on_handle_closed(uv_handle_t *handle)
{
    fer_pair *p = handle->data;
    if (--p->handles) return;
    fer_line_split_deinit(&p->lines);
    fer_sys_free(p);
}

static void close_handle(uv_handle_t *handle)
{
    if (handle->data && !uv_is_closing(handle)) uv_close(handle, on_handle_closed);
}

void fer_pair_close(fer_pair *p)
{
    p->closing = true;
    close_handle(&p->in.handle);
    close_handle(&p->out.handle);
    close_handle((uv_handle_t *)&p->later);
}

fer_code fer_pair_open(uv_loop_t *loop, int in, int out, const fer_pair_events *events,
                       void *context, fer_pair **made, fer_err *err)
{
    fer_pair *p = fer_sys_malloc(sizeof *p);
    if (!p) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(p, 0, offsetof(fer_pair, piece));
    p->loop = loop;
    p->in_fd = in;
    p->out_fd = out;
    p->events = events;
    p->context = context;
    fer_line_split_init(&p->lines, 0);
    p->lines.passed = take_passed;
    uv_timer_init(loop, &p->later);
    p->later.data = p;
    p->handles = 1;
    fer_code code = open_both(p, err);
    if (code) {
        fer_pair_close(p);
        return code;
    }
    settle_reading(p);
    *made = p;
    return FER_OK;
}
