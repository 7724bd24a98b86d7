/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of processes. Standard output is read piece by piece and stops when its owner pauses;
 * standard error is always read, into a ring; what is to be written waits in a queue of a named
 * size and for a named time, so that neither a program that floods nor one that does not read
 * holds anybody up.
 */
#include <errno.h>

#include "errors.h"
#include "process_parts.h"
#include "sys.h"

#define PIECES_AT_ONCE 4 /* before others on the loop get their turn */
#define MINUTE_MS      60000

/* ---- ends of pipes -------------------------------------------------------------------------- */

fer_code fer_pipe_open(fer_process *p, struct fer_pipe_end *e, int fd, fer_err *err)
{
    int failed = uv_poll_init(p->host->loop, &e->poll, fd);
    if (failed) {
        fer_sys_close(fd);
        return fer_fail(err, FER_RESOURCE_LIMIT, "cannot watch a pipe: %s", uv_strerror(failed));
    }
    e->fd = fd;
    e->poll.data = p;
    p->handles++;
    return FER_OK;
}

void fer_pipe_close(struct fer_pipe_end *e)
{
    if (e->fd < 0) return;
    uv_close((uv_handle_t *)&e->poll, fer_process_handle_closed);
    fer_sys_close(e->fd);
    e->fd = -1;
}

/* Bytes read; 0: the end of the stream, of whatever kind; -1: none now. */
static ssize_t read_piece(int fd, char *to, size_t size)
{
    ssize_t n;
    do n = fer_sys_read(fd, to, size);
    while (n < 0 && errno == EINTR);
    if (n >= 0) return n;
    return errno == EAGAIN ? -1 : 0;
}

/* ---- standard output ------------------------------------------------------------------------ */

static void end_output(fer_process *p)
{
    fer_pipe_close(&p->out);
    p->left = 0;
    if (p->events->on_output_end) p->events->on_output_end(p);
}

/* Reads and tells one piece: its size, or 0 where nothing more is to be read for now. */
static size_t tell_output(fer_process *p, size_t most)
{
    char *piece = p->host->piece;
    ssize_t n = read_piece(p->out.fd, piece, most < FER_PROCESS_PIECE ? most : FER_PROCESS_PIECE);
    if (n == 0) end_output(p);
    if (n <= 0) return 0;
    p->out_bytes += (uint64_t)n;
    p->left -= p->left < (size_t)n ? p->left : (size_t)n;
    if (p->events->on_output) p->events->on_output(p, (fer_str){piece, (size_t)n});
    return p->out.fd >= 0 && !p->paused ? (size_t)n : 0;
}

static void on_output(uv_poll_t *poll, int status, int events)
{
    fer_process *p = poll->data;
    (void)events;
    if (status < 0) {
        end_output(p);
    } else {
        /* A piece that is not full has emptied the pipe: asking again would only say so. */
        for (int i = 0; i < PIECES_AT_ONCE && tell_output(p, SIZE_MAX) == FER_PROCESS_PIECE; i++) {
        }
    }
    if (p->exited) fer_process_step(p);
}

/* ---- standard error ------------------------------------------------------------------------- */

static void keep_error(fer_process *p, fer_str bytes)
{
    if (!p->ring) p->ring = fer_sys_malloc(FER_PROCESS_STDERR);
    size_t at = (size_t)(p->err_bytes % FER_PROCESS_STDERR);
    p->err_bytes += bytes.len;
    if (!p->ring) return;
    size_t first = FER_PROCESS_STDERR - at < bytes.len ? FER_PROCESS_STDERR - at : bytes.len;
    memcpy(p->ring + at, bytes.ptr, first);
    memcpy(p->ring, bytes.ptr + first, bytes.len - first);
}

static void tell_line(fer_process *p)
{
    uint64_t now = uv_now(p->host->loop);
    fer_str line = {p->line, p->line_len};
    p->line_len = 0;
    if (now - p->window >= MINUTE_MS) {
        p->window = now;
        p->told = 0;
    }
    if (p->told == FER_PROCESS_LINES_TOLD) {
        p->untold++;
        return;
    }
    p->told++;
    if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
    if (p->events->on_error_line) p->events->on_error_line(p, line);
}

/* Lines are cut at the size that is told. */
static void tell_errors(fer_process *p, fer_str bytes)
{
    for (size_t at = 0; at < bytes.len;) {
        size_t end = fer_str_find(bytes, at, '\n');
        size_t to = end == SIZE_MAX ? bytes.len : end;
        size_t room = sizeof p->line - p->line_len, n = to - at < room ? to - at : room;
        if (n) memcpy(p->line + p->line_len, bytes.ptr + at, n);
        p->line_len += n;
        if (end != SIZE_MAX) tell_line(p);
        at = end == SIZE_MAX ? to : to + 1;
    }
}

static bool take_error(fer_process *p)
{
    char *piece = p->host->piece;
    ssize_t n = read_piece(p->err.fd, piece, FER_PROCESS_PIECE);
    if (n == 0) {
        fer_pipe_close(&p->err);
        if (p->line_len) tell_line(p);
    }
    if (n <= 0) return false;
    keep_error(p, (fer_str){piece, (size_t)n});
    if (p->events->on_error_output) p->events->on_error_output(p, (fer_str){piece, (size_t)n});
    tell_errors(p, (fer_str){piece, (size_t)n});
    return true;
}

static void on_error(uv_poll_t *poll, int status, int events)
{
    fer_process *p = poll->data;
    (void)events;
    if (status < 0) {
        fer_pipe_close(&p->err);
        return;
    }
    for (int i = 0; i < PIECES_AT_ONCE && take_error(p); i++) {
    }
}

fer_str fer_process_stderr(fer_arena *a, const fer_process *p, size_t max)
{
    size_t len = p->err_bytes < FER_PROCESS_STDERR ? (size_t)p->err_bytes : FER_PROCESS_STDERR;
    if (len > max) len = max;
    char *out = fer_arena_alloc(a, len + 1);
    if (!out) return FER_STR_NONE;
    if (!p->ring) len = 0;
    size_t at = (size_t)((p->err_bytes - len) % FER_PROCESS_STDERR);
    for (size_t i = 0; i < len; i++) out[i] = p->ring[(at + i) % FER_PROCESS_STDERR];
    out[len] = '\0';
    return (fer_str){out, len};
}

/* ---- standard input ------------------------------------------------------------------------- */

static void drop_first(fer_process *p)
{
    struct fer_write_block *b = p->first_block;
    p->waiting -= b->len - b->at;
    p->first_block = b->next;
    if (!b->next) p->last_block = NULL;
    fer_sys_free(b);
}

void fer_pipes_lose_input(fer_process *p)
{
    p->waiting -= p->gather_len;
    p->gather_len = 0;
    while (p->first_block) drop_first(p);
    uv_timer_stop(&p->write_timer);
    fer_pipe_close(&p->in);
}

static void tell_lost(fer_process *p, fer_input_loss why)
{
    fer_pipes_lose_input(p);
    if (p->events->on_input_lost) p->events->on_input_lost(p, why);
}

/* Bytes that the pipe took; 0: none now; -1: nobody reads it. */
static ssize_t write_some(const fer_process *p, const char *from, size_t size)
{
    ssize_t n;
    do
        n = p->host->pipe_safe ? fer_sys_write(p->in.fd, from, size)
                               : fer_sys_write_pipe(p->in.fd, from, size);
    while (n < 0 && errno == EINTR);
    if (n >= 0) return n;
    return errno == EAGAIN ? 0 : -1;
}

static void on_stuck(uv_timer_t *timer)
{
    fer_process *p = timer->data;
    tell_lost(p, FER_INPUT_STUCK);
}

/* The time of the block that waits longest. */
static void watch_first(fer_process *p)
{
    uint64_t now = uv_now(p->host->loop), end = p->first_block->since + p->write_ms;
    uv_timer_start(&p->write_timer, on_stuck, end > now ? end - now : 1, 0);
}

static void all_written(fer_process *p)
{
    uv_timer_stop(&p->write_timer);
    uv_poll_stop(&p->in.poll);
    if (p->closing_input) fer_pipe_close(&p->in);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    fer_process *p = poll->data;
    (void)events;
    while (p->first_block) {
        struct fer_write_block *b = p->first_block;
        ssize_t n = status < 0 ? -1 : write_some(p, b->bytes + b->at, b->len - b->at);
        if (n < 0) {
            tell_lost(p, FER_INPUT_CLOSED);
            return;
        }
        b->at += (size_t)n;
        p->waiting -= (size_t)n;
        if (b->at < b->len) return;
        drop_first(p);
        if (p->first_block) watch_first(p);
    }
    all_written(p);
}

static bool queue(fer_process *p, fer_str bytes)
{
    struct fer_write_block *b = fer_sys_malloc(sizeof *b + bytes.len);
    if (!b) return false;
    *b = (struct fer_write_block){.len = bytes.len, .since = uv_now(p->host->loop)};
    memcpy(b->bytes, bytes.ptr, bytes.len);
    p->waiting += bytes.len;
    if (p->last_block) {
        p->last_block->next = b;
    } else {
        p->first_block = b;
        watch_first(p);
        uv_poll_start(&p->in.poll, UV_WRITABLE, on_writable);
    }
    p->last_block = b;
    return true;
}

/* Writes what the pipe takes and queues the rest. That nobody reads it is told later, from the
 * loop. */
static bool write_now(fer_process *p, fer_str bytes)
{
    ssize_t n = p->first_block || !bytes.len ? 0 : write_some(p, bytes.ptr, bytes.len);
    if (n < 0) n = 0;
    if ((size_t)n == bytes.len || queue(p, fer_str_slice(bytes, (size_t)n, bytes.len))) return true;
    if (n > 0) fer_process_end(p, FER_GRACE_NONE); /* half a message is worse than none */
    return false;
}

void fer_pipes_flush(fer_process *p)
{
    fer_str bytes = {p->gather, p->gather_len};
    if (!bytes.len) return;
    p->waiting -= bytes.len;
    p->gather_len = 0;
    if (!write_now(p, bytes)) fer_process_end(p, FER_GRACE_NONE);
}

static void end_turn(uv_prepare_t *turn_end)
{
    fer_process_host *h = turn_end->data;
    uv_prepare_stop(turn_end);
    for (fer_process *p = h->first; p; p = p->next) fer_pipes_flush(p);
}

/* Small messages of one turn of the loop leave together: a write for each, which wakes its reader,
 * was 8 % of the processor time of a gateway with 64 clients. */
static bool gather(fer_process *p, fer_str bytes)
{
    if (p->first_block || bytes.len > FER_PROCESS_GATHER - p->gather_len) return false;
    if (!p->gather) p->gather = fer_sys_malloc(FER_PROCESS_GATHER);
    if (!p->gather) return false;
    memcpy(p->gather + p->gather_len, bytes.ptr, bytes.len);
    p->gather_len += bytes.len;
    p->waiting += bytes.len;
    uv_prepare_start(&p->host->turn_end, end_turn);
    return true;
}

fer_code fer_process_write(fer_process *p, fer_str bytes, fer_err *err)
{
    if (p->in.fd < 0 || p->closing_input)
        return fer_fail(err, FER_BACKEND_UNAVAILABLE, "the standard input of process %d is closed",
                        (int)p->pid);
    if (bytes.len > p->write_max - p->waiting)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "process.write: %zu bytes wait for process %d already, and %zu are allowed",
                        p->waiting, (int)p->pid, p->write_max);
    if (gather(p, bytes)) return FER_OK;
    fer_pipes_flush(p);
    /* Without memory for what was to leave first, the process is ended. */
    if (p->in.fd >= 0 && (gather(p, bytes) || write_now(p, bytes))) return FER_OK;
    return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

size_t fer_process_waiting(const fer_process *p)
{
    return p->waiting;
}

void fer_process_close_input(fer_process *p)
{
    fer_pipes_flush(p);
    p->closing_input = true;
    if (!p->first_block) fer_pipe_close(&p->in);
}

/* ---- all three ------------------------------------------------------------------------------ */

void fer_pipes_begin(fer_process *p)
{
    uv_poll_start(&p->out.poll, UV_READABLE, on_output);
    uv_poll_start(&p->err.poll, UV_READABLE, on_error);
}

void fer_process_pause(fer_process *p, bool paused)
{
    if (p->paused == paused || p->out.fd < 0) return;
    p->paused = paused;
    if (paused) uv_poll_stop(&p->out.poll);
    else uv_poll_start(&p->out.poll, UV_READABLE, on_output);
}

/*
 * A pipe may be held open by what the program started, which may even go on writing; what the
 * program itself wrote is in the pipe by now, and it is told to the byte.
 */
void fer_pipes_drain(fer_process *p)
{
    int left = p->out.fd >= 0 ? fer_sys_readable(p->out.fd) : 0;
    p->left = left > 0 ? (size_t)left : 0;
    while (p->left && !p->paused && tell_output(p, p->left)) {
    }
    for (int i = 0; p->err.fd >= 0 && i < PIECES_AT_ONCE && take_error(p); i++) {
    }
}

void fer_pipes_free(fer_process *p)
{
    while (p->first_block) drop_first(p);
    fer_sys_free(p->gather);
    fer_sys_free(p->ring);
    p->gather = p->ring = NULL;
}
