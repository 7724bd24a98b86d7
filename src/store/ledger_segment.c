/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments, and `heads`: the state of the chain when the current segment began, so that recovery
 * need not read the ledger from its first record. `heads` is lines of text,
 *
 *     ferrule-heads 1
 *     segment NAME
 *     chain SEQ HASH TENANTS-SUM SINCE PRUNED
 *     tenant HASH CHANGED NAME           those that changed last come first, as in the chain
 *     call BEGUN PURE TENANT-LEN TENANT CALL
 *     sum SHA-256 of all lines before
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "buf.h"
#include "errors.h"
#include "file.h"
#include "ledger_parts.h"
#include "sys.h"

#define HEADS_MAX ((size_t)1 << 30)

/* ---- heads --------------------------------------------------------------------------------------
 */

static void add_tenant(fer_buf *b, const fer_hash_chain_tenant *t)
{
    fer_buf_printf(b, "tenant %.*s %d ", FER_DIGEST_HEX, t->head, t->changed ? 1 : 0);
    fer_buf_add(b, t->name);
    fer_buf_add_char(b, '\n');
}

static void add_calls(fer_buf *b, fer_ledger *l)
{
    pthread_mutex_lock(&l->lock);
    for (fer_open_call *c = fer_call_table_next(&l->calls, NULL); c;
         c = fer_call_table_next(&l->calls, c)) {
        if (!c->begun) continue;
        fer_buf_printf(b, "call %llu %d %u ", (unsigned long long)c->begun, c->pure ? 1 : 0,
                       c->tenant_len);
        fer_buf_add(b, (fer_str){c->text, (size_t)c->tenant_len + c->call_len});
        fer_buf_add_char(b, '\n');
    }
    pthread_mutex_unlock(&l->lock);
}

static void add_heads(fer_buf *b, fer_ledger *l, const char *segment)
{
    const fer_hash_chain *c = &l->chain;
    fer_buf_printf(b, "ferrule-heads 1\nsegment %s\nchain %llu ", segment,
                   (unsigned long long)c->seq);
    fer_buf_add(b, (fer_str){c->head, FER_DIGEST_HEX});
    fer_buf_add_char(b, ' ');
    fer_buf_add(b, (fer_str){c->tenants_sum, FER_DIGEST_HEX});
    fer_buf_printf(b, " %llu %d\n", (unsigned long long)c->since, c->sum_known ? 0 : 1);
    for (const fer_hash_chain_tenant *t = c->changed; t; t = t->next) add_tenant(b, t);
    for (size_t i = 0; i < c->tenants.cap; i++) {
        const fer_hash_chain_tenant *t = c->tenants.entries[i].value;
        if (c->tenants.entries[i].key.ptr && t && !t->changed) add_tenant(b, t);
    }
    add_calls(b, l);
}

/* Where this fails, recovery reads more segments than it needed to: nothing else. */
void fer_heads_write(fer_ledger *l, const char *segment)
{
    unsigned char sum[FER_DIGEST_SIZE];
    char hex[FER_DIGEST_HEX];
    fer_arena *a = fer_arena_new(0);
    fer_buf b;
    if (!a) return;
    fer_buf_init(&b, a, HEADS_MAX);
    add_heads(&b, l, segment);
    if (!b.failure &&
        fer_digest_of(l->chain.digest, fer_buf_view(&b), FER_STR_NONE, FER_STR_NONE, sum)) {
        fer_digest_hex(hex, sum, sizeof sum);
        fer_buf_add_text(&b, "sum ");
        fer_buf_add(&b, (fer_str){hex, sizeof hex});
        fer_buf_add_char(&b, '\n');
        if (!b.failure) (void)fer_folder_write(l->folder, "heads", fer_buf_view(&b), NULL);
    }
    fer_arena_free(a);
}

/* The next word of a line, up to a blank. */
static fer_str word(fer_str *line)
{
    size_t end = fer_str_find(*line, 0, ' ');
    if (end == SIZE_MAX) end = line->len;
    fer_str w = fer_str_slice(*line, 0, end);
    *line = fer_str_slice(*line, end < line->len ? end + 1 : end, line->len);
    return w;
}

static bool number(fer_str *line, uint64_t *out)
{
    return fer_parse_u64(word(line), out);
}

static bool digest(fer_str *line, char out[FER_DIGEST_HEX])
{
    fer_str w = word(line);
    if (w.len != FER_DIGEST_HEX) return false;
    memcpy(out, w.ptr, w.len);
    return true;
}

static bool read_chain(fer_ledger *l, fer_str line)
{
    uint64_t unknown;
    fer_hash_chain *c = &l->chain;
    if (!number(&line, &c->seq) || !digest(&line, c->head) || !digest(&line, c->tenants_sum))
        return false;
    if (!number(&line, &c->since) || !number(&line, &unknown)) return false;
    c->sum_known = unknown == 0;
    return true;
}

/* The list of those that changed, in its order: `**last` is where the next one goes. */
static bool read_tenant(fer_ledger *l, fer_str line, fer_hash_chain_tenant ***last)
{
    char head[FER_DIGEST_HEX];
    uint64_t changed;
    if (!digest(&line, head) || !number(&line, &changed)) return false;
    fer_hash_chain_tenant *t = fer_hash_chain_tenant_of(&l->chain, line);
    if (!t) return false;
    memcpy(t->head, head, sizeof head);
    if (!changed) return true;
    t->changed = true;
    **last = t;
    *last = &t->next;
    return true;
}

static bool read_call(fer_ledger *l, fer_str line)
{
    uint64_t begun, pure, len;
    if (!number(&line, &begun) || !number(&line, &pure) || !number(&line, &len)) return false;
    if (len > line.len) return false;
    fer_open_call *c = fer_call_table_add(&l->calls, fer_str_slice(line, 0, (size_t)len),
                                          fer_str_slice(line, (size_t)len, line.len));
    if (!c) return false;
    c->begun = begun;
    c->pure = pure != 0;
    return true;
}

static bool read_lines(fer_ledger *l, fer_str text, fer_segment *at)
{
    bool segment = false, chain = false;
    fer_hash_chain_tenant **last = &l->chain.changed;
    for (size_t from = 0, end; from < text.len; from = end + 1) {
        end = fer_str_find(text, from, '\n');
        if (end == SIZE_MAX) return false;
        fer_str line = fer_str_slice(text, from, end), kind = word(&line);
        if (from == 0) {
            if (!fer_str_is(kind, "ferrule-heads") || !fer_str_is(line, "1")) return false;
        } else if (fer_str_is(kind, "segment")) {
            segment = fer_segment_parse(line, at);
        } else if (fer_str_is(kind, "chain")) {
            chain = read_chain(l, line);
            if (!chain) return false;
        } else if (!(fer_str_is(kind, "tenant") ? read_tenant(l, line, &last)
                                                : fer_str_is(kind, "call") && read_call(l, line))) {
            return false;
        }
    }
    return segment && chain && at->first == l->chain.seq + 1;
}

bool fer_heads_read(fer_ledger *l, fer_segment *at)
{
    unsigned char sum[FER_DIGEST_SIZE], told[FER_DIGEST_SIZE];
    fer_str text = FER_STR_NONE;
    fer_arena *a = fer_arena_new(0);
    bool ok = a && fer_folder_read(a, l->folder, "heads", HEADS_MAX, &text, NULL) == FER_OK;
    size_t tail = sizeof("sum \n") - 1 + FER_DIGEST_HEX;
    ok = ok && text.len > tail && text.ptr[text.len - 1] == '\n';
    if (ok) {
        fer_str last = fer_str_slice(text, text.len - tail, text.len - 1);
        text.len -= tail;
        ok = fer_str_starts(last, "sum ") &&
             fer_digest_unhex(fer_str_slice(last, 4, last.len), told, sizeof told) &&
             fer_digest_of(l->chain.digest, text, FER_STR_NONE, FER_STR_NONE, sum) &&
             memcmp(sum, told, sizeof sum) == 0 && read_lines(l, text, at);
    }
    fer_arena_free(a);
    return ok;
}

/* ---- segments -----------------------------------------------------------------------------------
 */

bool fer_segment_is_ours(const fer_ledger *l)
{
    uint64_t epoch = 0;
    /* One that cannot be read now says nothing. */
    return fer_folder_epoch(l->folder, &epoch, NULL) != FER_OK || epoch == l->epoch;
}

/* Space for all of it, by zeros where the file system cannot promise space. */
static bool make_room(int fd, uint64_t from, uint64_t size)
{
    static const char zeros[1 << 16];
    int bad;
    do bad = fer_sys_fallocate(fd, (off_t)size);
    while (bad && errno == EINTR);
    if (!bad || (errno != EOPNOTSUPP && errno != ENOSYS)) return !bad;
    for (uint64_t at = from; at < size; at += sizeof zeros) {
        size_t n = size - at < sizeof zeros ? (size_t)(size - at) : sizeof zeros;
        if (!fer_write_at(fd, (fer_str){zeros, n}, at)) return false;
    }
    return true;
}

static int create(fer_ledger *l, const char *name)
{
    int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    int fd = fer_sys_openat(l->folder, name, flags, 0600);
    /* One that an earlier attempt left holds no record. */
    if (fd < 0 && errno == EEXIST && fer_sys_unlinkat(l->folder, name) == 0)
        fd = fer_sys_openat(l->folder, name, flags, 0600);
    return fd;
}

bool fer_segment_next(fer_ledger *l)
{
    char name[FER_SEGMENT_NAME];
    fer_segment_name(name, l->epoch, l->chain.seq + 1);
    /* A segment without a record yet is good as it is, and what could not be written to it is tried
     * again: space may have come. */
    if (l->fd >= 0 && strcmp(name, l->segment) == 0) return true;
    /* What is written there may not last longer than what came before it. */
    if (l->fd >= 0 && l->dirty && !fer_sync_data(l->fd)) {
        fer_ledger_break(l, "a sync failed: %s", strerror(errno));
        return false;
    }
    l->dirty = false;
    int fd = create(l, name);
    if (fd < 0) return false;
    if (!make_room(fd, 0, l->options.segment_bytes) || fer_sys_fsync(fd) != 0 ||
        !fer_sync_folder(l->folder)) {
        int error = errno;
        fer_sys_close(fd);
        fer_sys_unlinkat(l->folder, name);
        errno = error;
        return false;
    }
    fer_heads_write(l, name);
    if (l->fd >= 0) {
        /* Readers stop at the first zero: a segment that is not cut is only longer. */
        if (fer_sys_ftruncate(l->fd, (off_t)l->offset) == 0) (void)fer_sys_fdatasync(l->fd);
        fer_sys_close(l->fd);
    }
    l->fd = fd;
    l->offset = 0;
    l->room = l->options.segment_bytes;
    l->growing = false;
    fer_blocks_begin(l);
    memcpy(l->segment, name, sizeof name);
    return true;
}

bool fer_segment_resume(fer_ledger *l, const fer_segment *s, uint64_t offset)
{
    int fd = fer_sys_openat(l->folder, s->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return false;
    if (!make_room(fd, offset, l->options.segment_bytes) || fer_sys_fsync(fd) != 0) {
        int error = errno;
        fer_sys_close(fd);
        errno = error;
        return false;
    }
    l->fd = fd;
    l->offset = offset;
    l->room = l->options.segment_bytes;
    fer_blocks_begin(l);
    memcpy(l->segment, s->name, sizeof l->segment);
    return true;
}
