/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_read.h"

#include <errno.h>
#include <fcntl.h>

#include "errors.h"
#include "ledger_folder.h"
#include "ledger_scan.h"
#include "sys.h"

#define SETTLE_TRIES 10 /* looks at a line that is being written, */
#define SETTLE_MS    10 /* with so much time between two */

struct fer_ledger_reader {
    int folder, fd;
    char *buffer;
    fer_digest *digest;
    fer_arena *arena; /* of the list */
    fer_segment_list segments;
    size_t at; /* the segment that is read */
    bool begun;
    fer_scan scan;
    uint64_t offset, bad;
    int tries;      /* at a line that may be half written */
    uint64_t ended; /* where the segment ended when it was last thought to be done */
};

fer_code fer_ledger_reader_new(const char *folder, fer_ledger_reader **out, fer_err *err)
{
    fer_ledger_reader *r = fer_sys_malloc(sizeof *r);
    if (!r) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    *r = (fer_ledger_reader){.folder = -1, .fd = -1};
    r->buffer = fer_sys_malloc(FER_SCAN_BUFFER);
    r->digest = fer_digest_new();
    r->arena = fer_arena_new(0);
    fer_code code = r->buffer && r->digest && r->arena
                        ? fer_folder_open(folder, false, &r->folder, err)
                        : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_ledger_reader_seek(r, 0, err);
    if (code) fer_ledger_reader_free(r);
    else *out = r;
    return code;
}

void fer_ledger_reader_free(fer_ledger_reader *r)
{
    if (!r) return;
    if (r->fd >= 0) fer_sys_close(r->fd);
    if (r->folder >= 0) fer_sys_close(r->folder);
    fer_arena_free(r->arena);
    fer_digest_free(r->digest);
    fer_sys_free(r->buffer);
    fer_sys_free(r);
}

static fer_code open_segment(fer_ledger_reader *r, size_t at, uint64_t offset, fer_err *err)
{
    int fd =
        fer_sys_openat(r->folder, r->segments.list[at].name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0)
        return fer_fail(err, FER_IO_ERROR, "cannot open %s: %s", r->segments.list[at].name,
                        strerror(errno));
    if (r->fd >= 0) fer_sys_close(r->fd);
    r->fd = fd;
    r->at = at;
    r->begun = true;
    r->ended = UINT64_MAX;
    fer_scan_init(&r->scan, fd, r->buffer, offset);
    return FER_OK;
}

static fer_code list_again(fer_ledger_reader *r, fer_err *err)
{
    fer_arena_reset(r->arena);
    return fer_folder_list(r->arena, r->folder, &r->segments, err);
}

fer_code fer_ledger_reader_seek(fer_ledger_reader *r, uint64_t seq, fer_err *err)
{
    fer_code code = list_again(r, err);
    if (code) return code;
    size_t at = 0;
    while (at + 1 < r->segments.count && r->segments.list[at + 1].first <= seq) at++;
    r->begun = false;
    return r->segments.count ? open_segment(r, at, 0, err) : FER_OK;
}

fer_code fer_ledger_reader_jump(fer_ledger_reader *r, uint64_t segment, uint64_t offset,
                                fer_err *err)
{
    for (size_t i = 0; i < r->segments.count; i++)
        if (r->segments.list[i].first == segment) return open_segment(r, i, offset, err);
    return fer_fail(err, FER_IO_ERROR, "the segment of record %llu is not there any more",
                    (unsigned long long)segment);
}

/* The segment behind this one; `*more` false: there is none yet. */
static fer_code next_segment(fer_ledger_reader *r, bool *more, fer_err *err)
{
    uint64_t first = r->begun ? r->segments.list[r->at].first : 0;
    fer_code code = list_again(r, err);
    *more = false;
    for (size_t i = 0; !code && i < r->segments.count; i++) {
        if (r->begun && r->segments.list[i].first <= first) {
            r->at = i;
            continue;
        }
        *more = true;
        /* What came to the end of the old one since it was read comes first. */
        if (r->begun && fer_scan_offset(&r->scan) != r->ended) {
            r->ended = fer_scan_offset(&r->scan);
            fer_scan_init(&r->scan, r->fd, r->buffer, r->ended);
            return FER_OK;
        }
        return open_segment(r, i, 0, err);
    }
    return code;
}

/*
 * Behind the last good line. A bad line is passed over, but one at the end of a ledger that is
 * being written may be half written: it is looked at a few times more. What has no line feed there
 * is looked at anew the next time.
 */
static fer_code go_on(fer_ledger_reader *r, fer_scan_result result, bool *more, fer_err *err)
{
    uint64_t stuck = r->offset;
    bool done = r->begun && (r->at + 1 < r->segments.count || !fer_folder_is_written(r->folder));
    *more = true;
    if (result == FER_SCAN_LINE && !done && r->tries < SETTLE_TRIES) {
        r->tries++;
        uv_sleep(SETTLE_MS);
        fer_scan_init(&r->scan, r->fd, r->buffer, stuck);
        return FER_OK;
    }
    r->tries = 0;
    if (result == FER_SCAN_LINE || (result == FER_SCAN_TORN && done)) {
        r->bad++;
        if (result == FER_SCAN_LINE || fer_scan_skip(&r->scan)) return FER_OK;
    }
    fer_code code = next_segment(r, more, err);
    if (!code && !*more && r->begun) fer_scan_init(&r->scan, r->fd, r->buffer, stuck);
    return code;
}

fer_code fer_ledger_reader_next(fer_ledger_reader *r, fer_str *text, fer_line *line, bool *got,
                                fer_err *err)
{
    *got = false;
    for (;;) {
        bool more;
        fer_scan_result result = FER_SCAN_END;
        if (r->begun) result = fer_scan_next(&r->scan, text, &r->offset);
        if (result == FER_SCAN_FAILED)
            return fer_fail(err, FER_IO_ERROR, "cannot read the ledger: %s", strerror(errno));
        if (result == FER_SCAN_LINE && fer_line_read(*text, line) &&
            fer_line_holds(*text, line, r->digest)) {
            r->tries = 0;
            *got = true;
            return FER_OK;
        }
        fer_code code = go_on(r, result, &more, err);
        if (code || !more) return code;
    }
}

uint64_t fer_ledger_reader_segment(const fer_ledger_reader *r)
{
    return r->begun ? r->segments.list[r->at].first : 0;
}

uint64_t fer_ledger_reader_offset(const fer_ledger_reader *r)
{
    return r->offset;
}

uint64_t fer_ledger_reader_bad(const fer_ledger_reader *r)
{
    return r->bad;
}

fer_code fer_ledger_reader_last(fer_ledger_reader *r, uint64_t *seq, fer_err *err)
{
    fer_str text;
    fer_line line;
    bool got = true;
    *seq = 0;
    fer_code code = fer_ledger_reader_seek(r, UINT64_MAX, err);
    while (!code && got) {
        code = fer_ledger_reader_next(r, &text, &line, &got, err);
        if (!code && got) *seq = line.seq;
    }
    return code;
}

/* ---- questions ----------------------------------------------------------------------------------
 */

static fer_code escape(fer_arena *a, fer_str text, fer_str *out, fer_err *err)
{
    size_t size = 6 * text.len + 1, len;
    *out = FER_STR_NONE;
    if (!text.len) return FER_OK;
    char *to = fer_arena_alloc(a, size);
    if (!to) return fer_arena_failed(a, err);
    if (!fer_line_escape(text, to, size, &len))
        return fer_fail(err, FER_INVALID_FORMAT, "no record has a text like '%.*s'", FER_PRI(text));
    *out = (fer_str){to, len};
    return FER_OK;
}

fer_code fer_question_escape(fer_arena *a, const fer_question *q, fer_question *out, fer_err *err)
{
    fer_question e = *q;
    fer_code code = escape(a, q->tenant, &e.tenant, err);
    if (!code) code = escape(a, q->tool, &e.tool, err);
    if (!code) code = escape(a, q->status, &e.status, err);
    if (!code) code = escape(a, q->correlation, &e.correlation, err);
    if (!code) code = escape(a, q->call, &e.call, err);
    if (!code) *out = e;
    return code;
}

static bool is_asked(fer_str wanted, fer_str has)
{
    return !wanted.len || (has.ptr && fer_str_eq(wanted, has));
}

/* An ID without its version means all versions of the tool. */
static bool is_tool(fer_str wanted, fer_str has)
{
    if (is_asked(wanted, has)) return true;
    return has.ptr && fer_tool_is_bare(wanted) && has.len > wanted.len &&
           has.ptr[wanted.len] == ':' && fer_str_eq(fer_str_head(has, wanted.len), wanted);
}

/* Whether a text can be in a body at all: cheaper than reading it. */
static bool may_have(fer_str body, fer_str text)
{
    return !text.len || memmem(body.ptr, body.len, text.ptr, text.len) != NULL;
}

bool fer_question_fits(const fer_question *q, const fer_line *l, fer_arena *scratch,
                       fer_facts *facts)
{
    *facts = (fer_facts){0};
    if (q->type >= 0 && (int)l->type != q->type) return false;
    if (q->tenant.len && !fer_str_eq(q->tenant, l->tenant)) return false;
    int64_t when = q->since_ms || q->until_ms ? fer_line_wall(l->time) : 0;
    if ((q->since_ms && when < q->since_ms) || (q->until_ms && when >= q->until_ms)) return false;
    if (!may_have(l->body, q->tool) || !may_have(l->body, q->status) ||
        !may_have(l->body, q->correlation) || !may_have(l->body, q->call))
        return false;
    if (fer_facts_read(scratch, l->body, facts, NULL)) return false;
    return is_tool(q->tool, facts->tool) && is_asked(q->status, facts->status) &&
           is_asked(q->correlation, facts->correlation) && is_asked(q->call, facts->call);
}
