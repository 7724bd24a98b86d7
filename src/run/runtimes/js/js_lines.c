/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "js_worker.h"
#include "sys.h"

/* Nobody is there any more: there is nothing left to do. */
_Noreturn void js_leave(int code)
{
    _Exit(code);
}

void js_begin_line(js_worker *w, fer_buf *b)
{
    fer_arena_reset(w->arena);
    fer_buf_init(b, w->arena, JS_LINE_MAX);
}

/* False: the line is too long, and was not sent. */
bool js_send_line(js_worker *w, fer_buf *b)
{
    fer_buf_add_char(b, '\n');
    if (b->failure) return false;
    fer_str rest = fer_buf_view(b);
    while (rest.len) {
        ssize_t n = fer_sys_write(w->out, rest.ptr, rest.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) js_leave(3);
        rest = fer_str_slice(rest, (size_t)n, rest.len);
    }
    return true;
}

/* Waits for a line for so long, for ever where it is negative; false: time has passed. The line is
 * good until the next call. */
bool js_read_line(js_worker *w, int64_t wait_ns, fer_str *out)
{
    static const int64_t ms = 1000000;
    size_t done = 0;
    for (;;) {
        char *end = memchr(w->held + done, '\n', w->held_len - done);
        if (end) {
            *out = (fer_str){w->held, (size_t)(end - w->held)};
            return true;
        }
        done = w->held_len;
        if (w->held_len == JS_LINE_MAX) js_leave(3);
        struct pollfd p = {.fd = w->in, .events = POLLIN};
        int timeout = wait_ns < 0 ? -1 : (int)((wait_ns + ms - 1) / ms);
        int ready = poll(&p, 1, timeout);
        if (ready == 0) return false;
        if (ready < 0 && errno != EINTR) js_leave(3);
        ssize_t n = ready < 0 ? 0 : fer_sys_read(w->in, w->held + done, JS_LINE_MAX - done);
        if (n < 0 && errno == EINTR) continue;
        if (ready > 0 && n <= 0) js_leave(0); /* the gateway is gone, or wants no more */
        w->held_len += (size_t)n;
    }
}

/* The line that was read is done with. */
void js_drop_line(js_worker *w, fer_str line)
{
    size_t used = line.len + 1;
    memmove(w->held, w->held + used, w->held_len - used);
    w->held_len -= used;
}
