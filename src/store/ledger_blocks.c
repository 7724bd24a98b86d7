/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the lines of a batch come to the disk. A sync is what callers wait for, and two things make
 * it short (docs/dev/tried.md has figures).
 *
 * Zeros go ahead of the lines, FER_LEDGER_AHEAD of them at once: the first write into space that
 * was only promised changes what the file system notes of the file, and a sync has to wait for
 * that note, too. And what is written goes past the system's cache, which a sync would have to
 * search. That takes whole blocks: those bytes of a block that are durable already stand in front
 * of the batch and are written again as they are, with zeros behind the last line, as everywhere
 * behind it. Where a file system wants it otherwise, or batches are not waited for, it goes the
 * ordinary way.
 */
#include <errno.h>

#include "ledger_parts.h"
#include "sys.h"

static uint64_t whole(uint64_t size)
{
    return (size + FER_LEDGER_BLOCK - 1) / FER_LEDGER_BLOCK * FER_LEDGER_BLOCK;
}

static bool is_waited_for(const fer_ledger *l)
{
    return l->options.durability != FER_DURABLE_ASYNC;
}

/* What stands in the last block before the next line. */
static bool read_front(fer_ledger *l)
{
    size_t size = (size_t)(l->offset % FER_LEDGER_BLOCK), got = 0;
    while (got < size) {
        ssize_t n =
            fer_sys_pread(l->fd, l->bytes + got, size - got, (off_t)(l->offset - size + got));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        got += (size_t)n;
    }
    l->front = size;
    return true;
}

void fer_blocks_begin(fer_ledger *l)
{
    assert(!l->len);
    l->front = 0;
    l->written = whole(l->offset);
    l->direct = is_waited_for(l) && read_front(l) && fer_sys_direct(l->fd, true) == 0;
    if (!l->direct) l->front = 0;
}

/* The file system takes no blocks: the ordinary way from here on. */
static bool leave_direct(fer_ledger *l)
{
    if (!l->direct || errno != EINVAL || fer_sys_direct(l->fd, false) != 0) return false;
    memmove(l->bytes, l->bytes + l->front, l->len);
    l->front = 0;
    l->direct = false;
    return true;
}

static bool put(fer_ledger *l, fer_str bytes, uint64_t at)
{
    return fer_write_at(l->fd, bytes, at) || (leave_direct(l) && fer_write_at(l->fd, bytes, at));
}

/* At once: each write past the cache is waited for by itself. */
static bool write_ahead(fer_ledger *l)
{
    uint64_t end = whole(l->offset + l->len), room = l->room / FER_LEDGER_BLOCK * FER_LEDGER_BLOCK;
    if (!is_waited_for(l) || l->growing || end <= l->written) return true;
    uint64_t until = end + FER_LEDGER_AHEAD < room ? end + FER_LEDGER_AHEAD : room;
    while (l->written < until) {
        uint64_t left = until - l->written;
        fer_str some = {l->zeros, left < FER_LEDGER_ZEROS ? (size_t)left : FER_LEDGER_ZEROS};
        if (!put(l, some, l->written)) return false;
        l->written += some.len;
    }
    return true;
}

static bool write_lines(fer_ledger *l)
{
    size_t size = l->front + l->len, all = (size_t)whole(size);
    if (l->direct) {
        memset(l->bytes + size, 0, all - size);
        if (fer_write_at(l->fd, (fer_str){l->bytes, all}, l->offset - l->front)) return true;
        if (!leave_direct(l)) return false;
    }
    return fer_write_at(l->fd, (fer_str){l->bytes, l->len}, l->offset);
}

bool fer_blocks_write(fer_ledger *l)
{
    return write_ahead(l) && write_lines(l);
}

void fer_blocks_pass(fer_ledger *l)
{
    size_t size = l->front + l->len;
    l->offset += l->len;
    l->len = 0;
    if (!l->direct) return;
    l->front = size % FER_LEDGER_BLOCK;
    memmove(l->bytes, l->bytes + size - l->front, l->front);
}
