/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_scan.h"

#include <errno.h>

#include "sys.h"

static_assert(FER_SCAN_BUFFER > 2 * FER_LINE_MAX, "a line fits into the buffer");

void fer_scan_init(fer_scan *s, int fd, char *buffer, uint64_t from)
{
    *s = (fer_scan){.fd = fd, .bytes = buffer, .at = from};
}

uint64_t fer_scan_offset(const fer_scan *s)
{
    return s->at + s->from;
}

/* More bytes behind those there are: how many, 0 at the end, -1 with errno. */
static ssize_t fill(fer_scan *s)
{
    if (s->from) {
        memmove(s->bytes, s->bytes + s->from, s->end - s->from);
        s->at += s->from;
        s->end -= s->from;
        s->from = 0;
    }
    ssize_t n;
    do
        n = fer_sys_pread(s->fd, s->bytes + s->end, FER_SCAN_BUFFER - s->end,
                          (off_t)(s->at + s->end));
    while (n < 0 && errno == EINTR);
    if (n > 0) s->end += (size_t)n;
    return n;
}

fer_scan_result fer_scan_next(fer_scan *s, fer_str *line, uint64_t *offset)
{
    size_t looked = 0;
    for (;;) {
        const char *start = s->bytes + s->from;
        size_t have = s->end - s->from;
        const char *feed = have > looked ? memchr(start + looked, '\n', have - looked) : NULL;
        *offset = fer_scan_offset(s);
        if (feed && feed - start <= (ptrdiff_t)FER_LINE_MAX) {
            *line = (fer_str){start, (size_t)(feed - start)};
            s->from += line->len + 1;
            return FER_SCAN_LINE;
        }
        if (have && start[0] == '\0') return FER_SCAN_END;
        if (feed || have > FER_LINE_MAX) return FER_SCAN_TORN;
        looked = have;
        ssize_t n = fill(s);
        if (n < 0) return FER_SCAN_FAILED;
        if (n == 0) return have ? FER_SCAN_TORN : FER_SCAN_END;
    }
}

bool fer_scan_skip(fer_scan *s)
{
    for (;;) {
        const char *start = s->bytes + s->from;
        const char *feed = s->end > s->from ? memchr(start, '\n', s->end - s->from) : NULL;
        if (feed) {
            s->from += (size_t)(feed - start) + 1;
            return true;
        }
        s->from = s->end;
        if (fill(s) <= 0) return false;
    }
}

int fer_scan_is_empty(int fd, uint64_t from, char *buffer)
{
    for (;;) {
        ssize_t n = fer_sys_pread(fd, buffer, FER_SCAN_BUFFER, (off_t)from);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0 ? 1 : -1;
        if (buffer[0] || (n > 1 && memcmp(buffer, buffer + 1, (size_t)n - 1) != 0)) return 0;
        from += (uint64_t)n;
    }
}
