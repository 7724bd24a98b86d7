/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking old segments away. The record that says so is durable before the first of them goes, and
 * names the hash that the oldest record left follows: the chain can still be verified from there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "errors.h"
#include "ledger_parts.h"
#include "ledger_scan.h"
#include "sys.h"

struct prune {
    fer_ledger *l;
    char *buffer;
    fer_segment_list segments;
    uint64_t oldest_open; /* begin of a call that is open; UINT64_MAX: none is */
};

/* The last line of a segment, from its end; its texts are in the buffer. */
static bool read_last(struct prune *p, const char *name, fer_line *out, uint64_t *size)
{
    struct stat st;
    fer_scan s;
    fer_str text;
    uint64_t at;
    bool found = false;
    int fd = fer_sys_openat(p->l->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0) return false;
    if (fer_sys_fstat(fd, &st) == 0) {
        uint64_t tail = (uint64_t)2 * FER_LINE_MAX;
        *size = (uint64_t)st.st_size;
        fer_scan_init(&s, fd, p->buffer, *size > tail ? *size - tail : 0);
        if (*size > tail) fer_scan_skip(&s);
        /* The tail is in the buffer as a whole, so the texts of the last line stay where they are.
         */
        while (fer_scan_next(&s, &text, &at) == FER_SCAN_LINE) found = fer_line_read(text, out);
    }
    fer_sys_close(fd);
    return found;
}

static void find_oldest_open(struct prune *p)
{
    p->oldest_open = UINT64_MAX;
    pthread_mutex_lock(&p->l->lock);
    for (const fer_open_call *c = fer_call_table_next(&p->l->calls, NULL); c;
         c = fer_call_table_next(&p->l->calls, c))
        if (c->begun && c->begun < p->oldest_open) p->oldest_open = c->begun;
    pthread_mutex_unlock(&p->l->lock);
}

/* How many segments from the first on may go, what they hold, and the hash of their last record. */
static size_t choose(struct prune *p, int64_t before_ms, fer_ledger_pruned *out,
                     char head[FER_DIGEST_HEX])
{
    size_t n = 0;
    find_oldest_open(p);
    for (; n + 1 < p->segments.count; n++) {
        const fer_segment *s = &p->segments.list[n], *next = s + 1;
        fer_line last;
        uint64_t size = 0;
        if (strcmp(s->name, p->l->segment) == 0 || p->oldest_open < next->first) break;
        if (!read_last(p, s->name, &last, &size) || last.seq + 1 != next->first) break;
        if (fer_line_wall(last.time) >= before_ms) break;
        memcpy(head, last.hash, FER_DIGEST_HEX);
        out->segments++;
        out->records += next->first - s->first;
        out->bytes += size;
        out->first_seq = next->first;
    }
    return n;
}

static fer_code note(fer_ledger *l, const fer_ledger_pruned *what, const char head[FER_DIGEST_HEX],
                     fer_err *err)
{
    char body[256];
    int n = snprintf(body, sizeof body,
                     "{\"bytes\":%llu,\"firstSeq\":%llu,\"head\":\"%.*s\","
                     "\"records\":%llu,\"segments\":%zu}",
                     (unsigned long long)what->bytes, (unsigned long long)what->first_seq,
                     FER_DIGEST_HEX, head, (unsigned long long)what->records, what->segments);
    fer_commit_start(l);
    if (!fer_commit_add(l, FER_LEDGER_PRUNED, FER_NOBODY, (fer_str){body, (size_t)n}))
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!fer_commit_flush(l, true))
        return fer_fail(err, FER_LEDGER_UNAVAILABLE, "the ledger cannot be written: %s",
                        fer_ledger_trouble(l));
    return FER_OK;
}

static fer_code run(struct prune *p, fer_arena *a, int64_t before_ms, fer_ledger_pruned *out,
                    fer_err *err)
{
    char head[FER_DIGEST_HEX];
    fer_ledger_pruned what = {0};
    fer_code code = fer_folder_list(a, p->l->folder, &p->segments, err);
    if (code) return code;
    what.first_seq = p->segments.count ? p->segments.list[0].first : 1;
    size_t n = choose(p, before_ms, &what, head);
    if (n) code = note(p->l, &what, head, err);
    for (size_t i = 0; i < n && !code; i++) {
        if (fer_sys_unlinkat(p->l->folder, p->segments.list[i].name) != 0)
            code = fer_fail(err, FER_IO_ERROR, "cannot take %s away: %s", p->segments.list[i].name,
                            strerror(errno));
    }
    if (n) (void)fer_sync_folder(p->l->folder);
    if (!code) *out = what;
    return code;
}

fer_code fer_writer_prune(fer_ledger *l, int64_t before_ms, fer_ledger_pruned *out, fer_err *err)
{
    struct prune p = {.l = l};
    if (l->state != FER_LEDGER_OK)
        return fer_fail(err, FER_LEDGER_UNAVAILABLE, "the ledger cannot be written: %s",
                        fer_ledger_trouble(l));
    fer_arena *a = fer_arena_new(0);
    p.buffer = fer_sys_malloc(FER_SCAN_BUFFER);
    fer_code code = a && p.buffer ? run(&p, a, before_ms, out, err)
                                  : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_sys_free(p.buffer);
    fer_arena_free(a);
    return code;
}
