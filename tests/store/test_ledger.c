/* SPDX-License-Identifier: Apache-2.0 */
/* What a ledger promises while nothing fails: K01, K02, K09-K14, K16, K19, K20, F60, F66, and
 * limits. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "desk.h"
#include "json_doc.h"
#include "ledger_limits.h"
#include "ledger_line.h"
#include "ledger_parts.h"
#include "ledger_read.h"

static void assert_whole(const char *folder, uint64_t records)
{
    fer_arena *a = fer_arena_new(0);
    fer_verify_report r = desk_verify(a, folder, NULL);
    for (size_t i = 0; i < r.told; i++)
        print_message("# %s at %llu: %s\n", fer_flaw_names[r.flaws[i].kind],
                      (unsigned long long)r.flaws[i].seq, r.flaws[i].message.ptr);
    assert_int_equal(r.flaw_count, 0);
    if (records) assert_int_equal(r.records, records);
    fer_arena_free(a);
}

static void begin_desk(struct desk *d, fer_ledger_options *o)
{
    desk_folder(d->folder);
    fer_ledger_options fresh = desk_options(d->folder);
    if (o->segment_bytes) fresh.segment_bytes = o->segment_bytes;
    if (o->end_bytes) fresh.end_bytes = o->end_bytes;
    fresh.durability = o->durability;
    fresh.checkpoint_records = o->checkpoint_records;
    fresh.checkpoint_ms = o->checkpoint_ms;
    fresh.queue_bytes = o->queue_bytes;
    *o = fresh;
    o->folder = d->folder;
    fer_code code = desk_open(d, o);
    if (code) print_message("# %s\n", d->err.message);
    assert_int_equal(code, FER_OK);
}

static void end_desk(struct desk *d)
{
    assert_int_equal(desk_close(d), FER_OK);
    assert_whole(d->folder, 0);
    desk_remove(d->folder);
}

/* open, begin, end, shutdown, checkpoint. */
static void one_call(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    begin_desk(&d, &o);
    assert_int_equal(d.recovery.epoch, 1);
    assert_true(d.recovery.clean);
    assert_int_equal(desk_begin(&d, "acme", "c1", "Pure"), FER_OK);
    assert_int_equal(desk_end(&d, "acme", "c1", "Ok"), FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    assert_whole(d.folder, 5);
    /* A ledger that was closed goes on in its segment, with another epoch. */
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_int_equal(d.recovery.epoch, 2);
    assert_true(d.recovery.clean);
    assert_int_equal(d.recovery.last_seq, 5);
    end_desk(&d);
}

/* K01 and K16 in small: the chain goes on over many segments. */
static void rotation(void)
{
    struct desk d = {0};
    fer_ledger_options o = {.end_bytes = 20000};
    char body[9000], call[16];
    begin_desk(&d, &o);
    for (int i = 0; i < 120; i++) {
        snprintf(call, sizeof call, "c%d", i);
        snprintf(body, sizeof body, "{\"callId\":\"%s\",\"effect\":\"Pure\",\"input\":\"%08000d\"}",
                 call, i);
        assert_int_equal(desk_put(&d, FER_LEDGER_BEGIN, "acme", body), FER_OK);
        assert_int_equal(desk_end(&d, "acme", call, "Ok"), FER_OK);
    }
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(desk_close(&d), FER_OK);
    fer_verify_report r = desk_verify(a, d.folder, NULL);
    assert_int_equal(r.flaw_count, 0);
    assert_true(r.segments >= 4);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    end_desk(&d);
    fer_arena_free(a);
}

/* K02, F66: one writer at a time, in this process and in another. */
static void two_writers(void)
{
    struct desk d = {0}, second = {0};
    fer_ledger_options o = {0};
    int status;
    begin_desk(&d, &o);
    assert_int_equal(desk_open(&second, &o), FER_LEDGER_UNAVAILABLE);
    assert_non_null(strstr(second.err.message, "another process"));
    pid_t child = fork();
    if (child == 0) {
        fer_ledger *l;
        _exit(fer_ledger_open(&o, &l, NULL, NULL) == FER_LEDGER_UNAVAILABLE ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    end_desk(&d);
}

/* F66: a writer was killed, and a process that it was about to start holds its lock for a moment.
 */
static void f66_a_lock_that_is_about_to_go(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    int status;
    begin_desk(&d, &o);
    assert_int_equal(desk_close(&d), FER_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fer_ledger *l;
        if (fer_ledger_open(&o, &l, NULL, NULL)) _exit(1);
        if (fork() == 0) {
            usleep(200000); /* it has what its parent had open */
            _exit(0);
        }
        _exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    end_desk(&d);
}

/* A writer that somebody has overtaken (a lock that did not hold) stops at its next checkpoint. */
static void overtaken(void)
{
    struct desk d = {0};
    fer_ledger_options o = {.checkpoint_records = 2};
    char path[256];
    begin_desk(&d, &o);
    desk_path(path, d.folder, "epoch");
    desk_write(path, "9\n", 2);
    for (int i = 0; i < 20 && fer_ledger_state_of(d.ledger) == FER_LEDGER_OK; i++)
        desk_put(&d, FER_LEDGER_POLICY, "-", "{}");
    desk_wait(&d);
    for (int i = 0; i < 500 && fer_ledger_state_of(d.ledger) == FER_LEDGER_OK; i++) usleep(10000);
    assert_int_equal(fer_ledger_state_of(d.ledger), FER_LEDGER_BROKEN);
    assert_int_equal(desk_put(&d, FER_LEDGER_POLICY, "-", "{}"), FER_LEDGER_UNAVAILABLE);
    assert_int_equal(desk_close(&d), FER_LEDGER_UNAVAILABLE);
    desk_remove(d.folder);
}

/* Of the line of a checkpoint, the first, and of the line before it. */
static void monos_at_checkpoint(const char *folder, char before[24], char at[24])
{
    char path[256];
    size_t size;
    desk_segment(path, folder, true);
    char *bytes = desk_bytes(path, &size);
    char *found = strstr(bytes, "\"type\":\"checkpoint\"");
    assert_non_null(found);
    *found = '\0';
    char *line = strrchr(bytes, '\n');
    assert_int_equal(sscanf(strstr(line, "\"mono\":"), "\"mono\":%23[0-9]", at), 1);
    *line = '\0';
    line = strrchr(bytes, '\n');
    assert_int_equal(sscanf(strstr(line, "\"mono\":"), "\"mono\":%23[0-9]", before), 1);
    free(bytes);
}

/* One that is due by its records is the last line of their batch, unless an anchor is to be told
 * of it: callers do not wait for that. */
static void checkpoint_of_a_batch(void)
{
    for (int anchored = 0; anchored < 2; anchored++) {
        struct desk d = {0};
        char anchor[256], before[24], at[24];
        desk_folder(d.folder);
        snprintf(anchor, sizeof anchor, "%.120s.anchor", d.folder);
        unlink(anchor);
        fer_ledger_options o = desk_options(d.folder);
        o.checkpoint_records = 4;
        if (anchored) o.anchor = anchor;
        assert_int_equal(desk_open(&d, &o), FER_OK);
        for (int i = 0; i < 5; i++)
            assert_int_equal(desk_append(&d, FER_LEDGER_POLICY, "a", "{}"), FER_OK);
        desk_wait(&d);
        assert_int_equal(desk_close(&d), FER_OK);
        monos_at_checkpoint(d.folder, before, at);
        assert_int_equal(strcmp(before, at) == 0, !anchored);
        assert_whole(d.folder, 0);
        desk_remove(d.folder);
        unlink(anchor);
    }
}

/* ---- what is refused ----------------------------------------------------------------------------
 */

static const char long_name[] = "0123456789012345678901234567890123456789012345678901234567890123"
                                "0123456789012345678901234567890123456789012345678901234567890123x";

static const struct refusal {
    const char *name;
    fer_ledger_type type;
    const char *tenant, *body;
    fer_code code;
} refusals[] = {
    {"a body that is no JSON", FER_LEDGER_POLICY, "t", "{", FER_INVALID_JSON},
    {"a body that is no object", FER_LEDGER_POLICY, "t", "[]", FER_INVALID_TYPE},
    {"a key twice", FER_LEDGER_POLICY, "t", "{\"a\":1,\"a\":2}", FER_DUPLICATE_KEY},
    {"a begin without a call", FER_LEDGER_BEGIN, "t", "{\"effect\":\"Pure\"}",
     FER_REQUIRED_MISSING},
    {"a begin without an effect", FER_LEDGER_BEGIN, "t", "{\"callId\":\"x\"}",
     FER_REQUIRED_MISSING},
    {"K10 an end without a begin", FER_LEDGER_END, "t", "{\"callId\":\"x\",\"status\":\"Ok\"}",
     FER_CONSTRAINT_VIOLATION},
    {"an end without a status", FER_LEDGER_END, "t", "{\"callId\":\"x\"}", FER_REQUIRED_MISSING},
    {"no tenant", FER_LEDGER_POLICY, "", "{}", FER_LIMIT_EXCEEDED},
    {"a tenant of 129 bytes", FER_LEDGER_POLICY, long_name, "{}", FER_LIMIT_EXCEEDED},
    {"a tenant of 128 bytes", FER_LEDGER_POLICY, long_name + 1, "{}", FER_OK},
    {"a tenant that is not UTF-8", FER_LEDGER_POLICY, "\xff", "{}", FER_INVALID_FORMAT},
    {"a checkpoint of somebody's own", FER_LEDGER_CHECKPOINT, "t", "{}", FER_BAD_USAGE},
    {"a shutdown of somebody's own", FER_LEDGER_SHUTDOWN, "t", "{}", FER_BAD_USAGE},
};

static void refuse(const struct refusal *row)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    begin_desk(&d, &o);
    assert_int_equal(desk_put(&d, row->type, row->tenant, row->body), row->code);
    end_desk(&d);
}

/* K13: a body of 64 KiB is taken, one byte more is not. */
static void body_limit(void)
{
    struct desk d = {0};
    fer_ledger_options o = {.segment_bytes = 1 << 20, .end_bytes = 4096};
    static char body[FER_LEDGER_BODY + 2];
    begin_desk(&d, &o);
    memset(body, 'a', sizeof body);
    memcpy(body, "{\"x\":\"", 6);
    memcpy(body + FER_LEDGER_BODY - 2, "\"}", 3);
    assert_int_equal(desk_put(&d, FER_LEDGER_POLICY, "t", body), FER_OK);
    memset(body + FER_LEDGER_BODY - 2, 'a', 3);
    memcpy(body + FER_LEDGER_BODY - 1, "\"}", 3);
    assert_int_equal(desk_put(&d, FER_LEDGER_POLICY, "t", body), FER_LIMIT_EXCEEDED);
    end_desk(&d);
}

/* Two begins of one call, two ends of one. */
static void once_each(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    begin_desk(&d, &o);
    assert_int_equal(desk_begin(&d, "a", "c", "Pure"), FER_OK);
    assert_int_equal(desk_begin(&d, "a", "c", "Pure"), FER_CONSTRAINT_VIOLATION);
    assert_int_equal(desk_begin(&d, "b", "c", "Pure"), FER_OK);
    assert_int_equal(desk_end(&d, "a", "c", "Ok"), FER_OK);
    assert_int_equal(desk_end(&d, "a", "c", "Ok"), FER_CONSTRAINT_VIOLATION);
    assert_int_equal(desk_end(&d, "b", "c", "Ok"), FER_OK);
    end_desk(&d);
}

/* ---- K12: nothing that is appended makes a line -------------------------------------------------
 */

static const struct injection {
    const char *name, *text; /* as JSON writes it */
} injections[] = {
    {"line feed", "a\\nb"},
    {"line feed and a record", "\\n{\\\"body\\\":{},\\\"seq\\\":1}\\n"},
    {"carriage return", "a\\rb"},
    {"U+2028", "a\xe2\x80\xa8z"},
    {"U+2029", "a\\u2029z"},
    {"U+0085", "a\xc2\x85z"},
    {"escape", "\\u001b[2J"},
    {"C1", "\xc2\x9b"
           "31m"},
    {"delete", "\x7f"},
    {"NUL", "a\\u0000b"},
    {"quotes and backslashes", "\\\",\\\"tenant\\\":\\\"other\\\\"},
    {"the end of a line", "\\\",\\\"v\\\":1}"},
};

static void inject(const struct injection *row)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    fer_arena *a = fer_arena_new(0);
    fer_json *doc;
    char body[512];
    begin_desk(&d, &o);
    snprintf(body, sizeof body, "{\"%s\":\"%s\",\"tool\":\"%s\"}", row->text, row->text, row->text);
    /* The tenant's name is the text itself, as a tool's caller might have chosen it. */
    char quoted[256];
    snprintf(quoted, sizeof quoted, "\"%s\"", row->text);
    assert_int_equal(fer_json_read(a, fer_str_of(quoted), NULL, &doc, NULL), FER_OK);
    fer_ledger_record r = {FER_LEDGER_POLICY, fer_val_str(fer_json_root(doc)), fer_str_of(body)};
    assert_int_equal(fer_ledger_append(d.port, &r, NULL, NULL, &d.err), FER_OK);
    desk_wait(&d);
    assert_int_equal(desk_close(&d), FER_OK);
    assert_whole(d.folder, 4);
    char path[256];
    size_t size, lines = 0;
    desk_segment(path, d.folder, true);
    char *bytes = desk_bytes(path, &size);
    for (size_t i = 0; i < size; i++) {
        lines += bytes[i] == '\n';
        assert_true(bytes[i] == '\n' || (unsigned char)bytes[i] >= 0x20);
        assert_true(bytes[i] != 0x7f);
    }
    assert_int_equal(lines, 4);
    assert_null(memmem(bytes, size, "\xe2\x80\xa8", 3));
    assert_null(memmem(bytes, size, "\xe2\x80\xa9", 3));
    assert_null(memmem(bytes, size, "\xc2\x85", 2));
    assert_null(memmem(bytes, size, "\xc2\x9b", 2));
    free(bytes);
    fer_arena_free(a);
    desk_remove(d.folder);
}

/* ---- K11: what a crash leaves open is closed by effect ------------------------------------------
 */

/* The end that is written has what the call's own would have. */
#define FOUND(code, status)                                                                        \
    "\"callId\":\"c1\",\"code\":\"" code "\",\"correlationId\":\"r-c1\",\"recovered\":true,"       \
    "\"status\":\"" status "\",\"tool\":\"t:x\"}"

static const struct crash {
    const char *name, *effect;
    bool ended;
    const char *left; /* what the next opening writes, or NULL: nothing */
    size_t more;      /* large records between, so that there are more segments */
} crashes[] = {
    {"K11 between begin and end, Pure", "Pure", false, FOUND("BackendCrashed", "Retryable"), 0},
    {"K11 between begin and end, IdempotentWrite", "IdempotentWrite", false,
     FOUND("OutcomeUnknown", "Unknown"), 0},
    {"K11 between begin and end, NonIdempotentWrite", "NonIdempotentWrite", false,
     FOUND("OutcomeUnknown", "Unknown"), 0},
    {"K11 between begin and end, ExternalSideEffects", "ExternalSideEffects", false,
     FOUND("OutcomeUnknown", "Unknown"), 0},
    {"K11 between begin and end, in another segment", "NonIdempotentWrite", false,
     FOUND("OutcomeUnknown", "Unknown"), 20},
    {"K11 between end and answer", "NonIdempotentWrite", true, NULL, 0},
};

static fer_code put_large(struct desk *d)
{
    char body[50100];
    size_t n = (size_t)snprintf(body, sizeof body, "{\"x\":\"");
    memset(body + n, 'x', 50000);
    memcpy(body + n + 50000, "\"}", 3);
    return desk_put(d, FER_LEDGER_POLICY, "acme", body);
}

static void crash(const struct crash *row)
{
    struct desk d = {0};
    char folder[128];
    int status;
    desk_folder(folder);
    memcpy(d.folder, folder, sizeof d.folder);
    fer_ledger_options o = desk_options(folder);
    pid_t child = fork();
    if (child == 0) {
        if (desk_open(&d, &o) || desk_begin(&d, "acme", "c1", row->effect)) _exit(1);
        for (size_t i = 0; i < row->more; i++)
            if (put_large(&d)) _exit(1);
        if (row->ended && desk_end(&d, "acme", "c1", "Ok")) _exit(1);
        _exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_false(d.recovery.clean);
    assert_int_equal(d.recovery.epoch, 2);
    assert_int_equal(d.recovery.closed, row->left ? 1 : 0);
    assert_int_equal(d.recovery.doubted, row->left && strcmp(row->effect, "Pure") != 0 ? 1 : 0);
    assert_int_equal(desk_close(&d), FER_OK);
    if (row->left) assert_int_equal(desk_count(folder, row->left), 1);
    assert_int_equal(desk_count(folder, "\"recovered\":true"), row->left ? 1 : 0);
    assert_int_equal(desk_count(folder, "\"type\":\"recovered\""), 1);
    fer_arena *a = fer_arena_new(0);
    fer_verify_report r = desk_verify(a, folder, NULL);
    assert_int_equal(r.flaw_count, 0);
    assert_int_equal(r.open_calls, 0);
    fer_arena_free(a);
    desk_remove(folder);
}

/* ---- F60, K14: the wall clock is set ------------------------------------------------------------
 */

static const struct jump {
    const char *name, *plan;
    size_t jumps;
} jumps[] = {
    {"as it is", NULL, 0},
    {"F60 an hour ahead", "wall:+3600s@8+", 1},
    {"K14 an hour back", "wall:-3600s@8+", 1},
    {"F60 to 1970", "wall:-1700000000s@8+", 1},
    {"F60 a leap second repeated", "wall:-1s@8+", 1},
    {"F60 back and ahead again", "wall:-3600s@8;wall:-3600s@9;wall:-3600s@10", 2},
};

static void jump(const struct jump *row)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    assert_true(fer_faults_begin(row->plan));
    begin_desk(&d, &o);
    for (int i = 0; i < 12; i++)
        assert_int_equal(desk_put(&d, FER_LEDGER_POLICY, "a", "{}"), FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    fer_faults_begin(NULL);
    assert_int_equal(desk_count(d.folder, "\"type\":\"clock_jump\""), row->jumps);
    /* verify looks at the order of times. */
    assert_whole(d.folder, 0);
    desk_remove(d.folder);
}

/* ---- K19: reading while it is written -----------------------------------------------------------
 */

static void reading_while_written(void)
{
    struct desk d = {0};
    fer_ledger_options o = {.end_bytes = 8000};
    int status;
    begin_desk(&d, &o);
    assert_int_equal(desk_put(&d, FER_LEDGER_POLICY, "a", "{}"), FER_OK);
    pid_t child = fork();
    if (child == 0) {
        /* Verifies and reads for as long as the other writes. */
        for (int i = 0; i < 12; i++) {
            fer_arena *a = fer_arena_new(0);
            fer_verify_report r = desk_verify(a, d.folder, NULL);
            fer_ledger_reader *reader;
            fer_str text;
            fer_line l;
            bool got = true;
            uint64_t last = 0;
            if (r.flaw_count) _exit(1);
            if (fer_ledger_reader_new(d.folder, &reader, NULL)) _exit(2);
            while (fer_ledger_reader_next(reader, &text, &l, &got, NULL) == FER_OK && got) {
                if (l.seq != last + 1) _exit(3);
                last = l.seq;
            }
            fer_ledger_reader_free(reader);
            fer_arena_free(a);
        }
        _exit(0);
    }
    char body[4200];
    snprintf(body, sizeof body, "{\"x\":\"%04000d\"}", 1);
    pid_t ended = 0;
    for (int n = 0; n < 600 && !(ended = waitpid(child, &status, WNOHANG)); n++) {
        for (int i = 0; i < 5; i++) desk_append(&d, FER_LEDGER_POLICY, "a", body);
        desk_wait(&d);
    }
    if (!ended) assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    end_desk(&d);
}

/* ---- K20: modes
 * ---------------------------------------------------------------------------------- */

static void modes(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    char path[256], link_name[256];
    struct stat st;
    static const char *const names[] = {"lock", "epoch", "heads", "checkpoint.key",
                                        "checkpoint.pub"};
    mode_t old = umask(0);
    begin_desk(&d, &o);
    umask(old);
    assert_int_equal(stat(d.folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        desk_path(path, d.folder, names[i]);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
    }
    desk_segment(path, d.folder, true);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(desk_close(&d), FER_OK);
    /* A link to the folder, a folder that others may write, a key that others may read. */
    snprintf(link_name, sizeof link_name, "%s.link", d.folder);
    assert_int_equal(symlink(d.folder, link_name), 0);
    fer_ledger_options linked = o;
    linked.folder = link_name;
    assert_int_equal(desk_open(&d, &linked), FER_IO_ERROR);
    assert_non_null(strstr(d.err.message, "link"));
    unlink(link_name);
    chmod(d.folder, 0770);
    assert_int_equal(desk_open(&d, &o), FER_IO_ERROR);
    chmod(d.folder, 0700);
    desk_path(path, d.folder, "checkpoint.key");
    chmod(path, 0640);
    assert_int_equal(desk_open(&d, &o), FER_IO_ERROR);
    desk_remove(d.folder);
}

/* ---- K09: an export of one tenant
 * ---------------------------------------------------------------- */

/* Writes an export with one thing done to it; what is found then. */
static void verify_spoilt(const char *path, fer_str before, fer_str middle, fer_str after,
                          fer_verify_report *out)
{
    char *text = malloc(before.len + middle.len + after.len);
    fer_arena *a = fer_arena_new(0);
    memcpy(text, before.ptr, before.len);
    if (middle.len) memcpy(text + before.len, middle.ptr, middle.len);
    memcpy(text + before.len + middle.len, after.ptr, after.len);
    desk_write(path, text, before.len + middle.len + after.len);
    assert_int_equal(fer_export_verify(a, path, out, NULL), FER_OK);
    if (out->told) out->flaws = memcpy(malloc(sizeof *out->flaws), out->flaws, sizeof *out->flaws);
    fer_arena_free(a);
    free(text);
}

static void expect_one(fer_verify_report *r, fer_flaw_kind kind, uint64_t records)
{
    assert_int_equal(r->flaw_count, 1);
    assert_int_equal(r->flaws[0].kind, kind);
    assert_int_equal(r->records, records);
    free((void *)(uintptr_t)r->flaws);
}

/* One thing that is wrong is one flaw, and what follows is looked at as before. */
static void spoilt_exports(const char *path, fer_str all, fer_str stranger)
{
    fer_verify_report r;
    fer_str lines[5];
    size_t at = 0;
    for (size_t i = 0; i < FER_COUNT(lines); i++) {
        size_t end = fer_str_find(all, at, '\n') + 1;
        lines[i] = fer_str_slice(all, at, end);
        at = end;
    }
    fer_str nothing = FER_STR(""), rest = fer_str_slice(all, at, all.len);
    for (size_t i = 1; i < FER_COUNT(lines); i++) { /* begins and ends */
        size_t from = (size_t)(lines[i].ptr - all.ptr);
        verify_spoilt(path, fer_str_slice(all, 0, from), nothing,
                      fer_str_slice(all, from + lines[i].len, all.len), &r);
        expect_one(&r, FER_FLAW_TENANT, 25);
    }
    char *changed = malloc(lines[2].len);
    memcpy(changed, lines[2].ptr, lines[2].len);
    char *word = memmem(changed, lines[2].len, "Pure", 4);
    word[0] = 'p';
    verify_spoilt(path, fer_str_slice(all, 0, lines[0].len + lines[1].len),
                  (fer_str){changed, lines[2].len},
                  fer_str_slice(all, lines[0].len + lines[1].len + lines[2].len, all.len), &r);
    expect_one(&r, FER_FLAW_HASH, 25);
    free(changed);
    verify_spoilt(path, fer_str_slice(all, 0, at), lines[1], rest, &r);
    expect_one(&r, FER_FLAW_GAP, 26);
    verify_spoilt(path, fer_str_slice(all, 0, at), stranger, rest, &r);
    expect_one(&r, FER_FLAW_TENANT, 26);
    verify_spoilt(path, fer_str_slice(all, 0, at), FER_STR("no record\n"), rest, &r);
    expect_one(&r, FER_FLAW_FORM, 26);
}

static void tenant_export(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    char path[256], call[16];
    begin_desk(&d, &o);
    for (int i = 0; i < 20; i++) {
        const char *tenant = i % 3 ? "acme" : "zeta";
        snprintf(call, sizeof call, "c%d", i);
        assert_int_equal(desk_begin(&d, tenant, call, "Pure"), FER_OK);
        assert_int_equal(desk_end(&d, tenant, call, "Ok"), FER_OK);
    }
    assert_int_equal(desk_close(&d), FER_OK);
    fer_ledger_reader *r;
    fer_str text;
    fer_line l;
    bool got = true;
    snprintf(path, sizeof path, "%.120s.export", d.folder);
    FILE *f = fopen(path, "wb");
    assert_int_equal(fer_ledger_reader_new(d.folder, &r, NULL), FER_OK);
    char stranger[2048] = "";
    while (fer_ledger_reader_next(r, &text, &l, &got, NULL) == FER_OK && got)
        if (fer_str_is(l.tenant, "acme")) fprintf(f, "%.*s\n", FER_PRI(text));
        else if (fer_str_is(l.tenant, "zeta") && l.seq > 15 && l.seq < 25)
            snprintf(stranger, sizeof stranger, "%.*s\n", FER_PRI(text));
    fclose(f);
    fer_ledger_reader_free(r);
    fer_arena *a = fer_arena_new(0);
    fer_verify_report report;
    assert_int_equal(fer_export_verify(a, path, &report, NULL), FER_OK);
    assert_int_equal(report.flaw_count, 0);
    assert_true(report.records == 26);
    size_t size;
    char *bytes = desk_bytes(path, &size);
    assert_null(memmem(bytes, size, "zeta", 4));
    spoilt_exports(path, (fer_str){bytes, size}, fer_str_of(stranger));
    free(bytes);
    unlink(path);
    fer_arena_free(a);
    desk_remove(d.folder);
}

/* Each limit at its edges. */
static void limits(void)
{
    for (size_t i = 0; i < fer_ledger_limit_row_count; i++) {
        const struct fer_ledger_limit_row *row = &fer_ledger_limit_rows[i];
        const uint64_t values[] = {row->least - 1, row->least, row->most, row->most + 1};
        for (size_t k = 0; k < FER_COUNT(values); k++) {
            fer_ledger_options from = {.folder = "x"}, to;
            char *at = (char *)&from + row->offset;
            if (values[k] == 0 || (row->is_time && values[k] > INT64_MAX)) continue;
            if (row->is_time) *(int64_t *)(void *)at = (int64_t)values[k];
            else *(size_t *)(void *)at = (size_t)values[k];
            assert_int_equal(fer_ledger_options_fill(&from, &to, NULL),
                             k == 1 || k == 2 ? FER_OK : FER_OUT_OF_RANGE);
        }
    }
}

/* Appends from two loops, told on each; nobody is told after a detach. */
static void told(void *context, fer_code code, uint64_t seq)
{
    assert_int_equal(code, FER_OK);
    assert_true(seq > 0);
    ++*(int *)context;
}

static void loops(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    uv_loop_t second;
    fer_ledger_port *port;
    int first_told = 0, second_told = 0;
    fer_ledger_record r = {FER_LEDGER_POLICY, FER_STR("a"), FER_STR("{}")};
    begin_desk(&d, &o);
    uv_loop_init(&second);
    assert_int_equal(fer_ledger_attach(d.ledger, &second, &port, NULL), FER_OK);
    usleep(20000); /* the writer sleeps by now, and the first loop, which appends first, does not
                      run */
    for (int i = 0; i < 50; i++) {
        assert_int_equal(fer_ledger_append(d.port, &r, told, &first_told, NULL), FER_OK);
        assert_int_equal(fer_ledger_append(port, &r, told, &second_told, NULL), FER_OK);
    }
    uv_run(&second, UV_RUN_DEFAULT);
    assert_int_equal(second_told, 50);
    assert_int_equal(first_told, 0);
    desk_wait(&d);
    assert_int_equal(first_told, 50);
    assert_int_equal(fer_ledger_append(port, &r, told, &second_told, NULL), FER_OK);
    fer_ledger_detach(port);
    uv_run(&second, UV_RUN_DEFAULT);
    assert_int_equal(second_told, 50);
    end_desk(&d);
    uv_loop_close(&second);
}

/* Whoever knows the form of a body says so, and what it says of its call: the same as where the
 * ledger looks itself. */
static void known(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    int count = 0;
    begin_desk(&d, &o);
    const fer_ledger_call begins = {.call = FER_STR("k"), .effect = FER_STR("Pure")};
    const fer_ledger_call ends = {.call = FER_STR("k"), .status = FER_STR("Ok")};
    fer_ledger_record begin = {FER_LEDGER_BEGIN, FER_STR("a"),
                               FER_STR("{\"callId\":\"k\",\"effect\":\"Pure\"}"), &begins};
    fer_ledger_record end = {FER_LEDGER_END, FER_STR("a"),
                             FER_STR("{\"callId\":\"k\",\"status\":\"Ok\"}"), &ends};
    assert_int_equal(fer_ledger_append(d.port, &end, told, &count, NULL), FER_CONSTRAINT_VIOLATION);
    assert_int_equal(fer_ledger_append(d.port, &begin, told, &count, NULL), FER_OK);
    assert_int_equal(fer_ledger_append(d.port, &begin, told, &count, NULL),
                     FER_CONSTRAINT_VIOLATION);
    begin.known = NULL;
    assert_int_equal(fer_ledger_append(d.port, &begin, told, &count, NULL),
                     FER_CONSTRAINT_VIOLATION);
    assert_int_equal(fer_ledger_append(d.port, &end, told, &count, NULL), FER_OK);
    end.known = &(fer_ledger_call){.call = FER_STR("k")};
    assert_int_equal(fer_ledger_append(d.port, &end, told, &count, NULL), FER_REQUIRED_MISSING);
    desk_wait(&d);
    assert_int_equal(count, 2);
    end_desk(&d); /* which verifies it */
}

/* More records than are kept to be used again, of sizes about what is kept, three times over. */
static void used_again(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    begin_desk(&d, &o);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < FER_ENTRIES_KEPT + 20; i++) {
            char body[FER_ENTRY_KEPT + 8], fill[FER_ENTRY_KEPT + 8];
            size_t len = FER_ENTRY_KEPT - 2 + i % 3 - strlen("{\"a\":\"\"}"); /* and the tenant */
            memset(fill, 'a' + (int)(i % 26), len);
            snprintf(body, sizeof body, "{\"a\":\"%.*s\"}", (int)len, fill);
            assert_int_equal(desk_append(&d, FER_LEDGER_POLICY, "a", i % 7 ? body : "{}"), FER_OK);
        }
        desk_wait(&d);
        assert_int_equal(d.told, (FER_ENTRIES_KEPT + 20) * (size_t)(round + 1));
    }
    end_desk(&d);
}

/* Who is told may give the port back: those behind it are written, and not told. */
struct leaving {
    fer_ledger_port *port;
    int told;
};

static void leave(void *context, fer_code code, uint64_t seq)
{
    struct leaving *l = context;
    (void)seq;
    assert_int_equal(code, FER_OK);
    l->told++;
    fer_ledger_detach(l->port);
}

static void leaves_when_told(void)
{
    struct desk d = {0};
    fer_ledger_options o = {0};
    struct leaving l = {0};
    uv_loop_t second;
    fer_ledger_record r = {FER_LEDGER_POLICY, FER_STR("a"), FER_STR("{\"left\":true}")};
    begin_desk(&d, &o);
    uv_loop_init(&second);
    assert_int_equal(fer_ledger_attach(d.ledger, &second, &l.port, NULL), FER_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(fer_ledger_append(l.port, &r, leave, &l, NULL), FER_OK);
    uv_run(&second, UV_RUN_DEFAULT);
    assert_int_equal(l.told, 1);
    assert_int_equal(uv_loop_close(&second), 0);
    assert_int_equal(desk_close(&d), FER_OK);
    assert_int_equal(desk_count(d.folder, "\"left\":true"), 5);
    desk_remove(d.folder);
}

/* 10,000 records over many segments are verified, each of them; a million with FERRULE_FAULTS=long,
 * which prints how long it took (bench_ledger measures it). */
static void k16_many_records_are_verified(void)
{
    struct desk d = {0};
    fer_ledger_options o = {.durability = FER_DURABLE_ASYNC, .segment_bytes = 1 << 20};
    const char *word = getenv("FERRULE_FAULTS");
    size_t calls = word && strcmp(word, "long") == 0 ? 500000 : 5000;
    char body[160];
    begin_desk(&d, &o);
    for (size_t i = 0; i < calls; i++) {
        snprintf(body, sizeof body, "{\"callId\":\"c%zu\",\"effect\":\"Pure\"}", i);
        assert_int_equal(desk_append(&d, FER_LEDGER_BEGIN, "acme", body), FER_OK);
        snprintf(body, sizeof body, "{\"callId\":\"c%zu\",\"status\":\"Ok\"}", i);
        assert_int_equal(desk_append(&d, FER_LEDGER_END, "acme", body), FER_OK);
        if (i % 50 == 0) desk_wait(&d); /* each begin reserves space for its end */
    }
    desk_wait(&d);
    assert_int_equal(desk_close(&d), FER_OK);
    fer_arena *a = fer_arena_new(0);
    int64_t began = fer_clock_mono();
    fer_verify_report r = desk_verify(a, d.folder, NULL);
    print_message("# %llu records in %zu segments verified in %lld ms\n",
                  (unsigned long long)r.records, r.segments,
                  (long long)((fer_clock_mono() - began) / 1000000));
    assert_int_equal(r.flaw_count + r.open_calls, 0);
    assert_true(r.records >= 2 * calls && r.segments > 1);
    fer_arena_free(a);
    desk_remove(d.folder);
}

int main(void)
{
    return ROWS_ONE("ledger", k16_many_records_are_verified) + ROWS_ONE("ledger", one_call) +
           ROWS_ONE("ledger", rotation) + ROWS_ONE("ledger", two_writers) +
           ROWS_ONE("ledger", f66_a_lock_that_is_about_to_go) + ROWS_ONE("ledger", overtaken) +
           ROWS_RUN("refusals", refusals, refuse) + ROWS_ONE("ledger", body_limit) +
           ROWS_ONE("ledger", once_each) + ROWS_RUN("injections", injections, inject) +
           ROWS_RUN("crashes", crashes, crash) + ROWS_RUN("clocks", jumps, jump) +
           ROWS_ONE("ledger", reading_while_written) + ROWS_ONE("ledger", modes) +
           ROWS_ONE("ledger", tenant_export) + ROWS_ONE("ledger", limits) +
           ROWS_ONE("ledger", checkpoint_of_a_batch) + ROWS_ONE("ledger", loops) +
           ROWS_ONE("ledger", known) + ROWS_ONE("ledger", used_again) +
           ROWS_ONE("ledger", leaves_when_told);
}
