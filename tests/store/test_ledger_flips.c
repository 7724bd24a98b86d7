/* SPDX-License-Identifier: Apache-2.0 */
/*
 * F24, K03-K08, K15: a ledger that somebody has been at. Every flipped bit and every cut is found,
 * and the record that it is in is named; nothing is written over a broken chain unless the operator
 * says so.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "desk.h"
#include "ledger_folder.h"
#include "ledger_line.h"

#define SEGMENTS 16

/* A ledger of three segments and its anchor, kept in memory to be put back. */
static struct original {
    char folder[128], anchor[256];
    struct {
        char path[256];
        char *bytes;
        size_t size;
    } segments[SEGMENTS];
    size_t count;
    uint64_t last_seq;
} original;

static void make(void)
{
    struct desk d = {0};
    char call[32];
    struct original *o = &original;
    desk_folder(o->folder);
    snprintf(o->anchor, sizeof o->anchor, "%.120s.anchor", o->folder);
    unlink(o->anchor);
    memcpy(d.folder, o->folder, sizeof d.folder);
    fer_ledger_options options = desk_options(o->folder);
    options.anchor = o->anchor;
    options.checkpoint_records = 300;
    options.end_bytes = 60000;
    assert_int_equal(desk_open(&d, &options), FER_OK);
    for (int i = 0; i < 700; i++) {
        snprintf(call, sizeof call, "c%d", i);
        assert_int_equal(desk_begin(&d, i % 2 ? "acme" : "zeta", call, "Pure"), FER_OK);
        assert_int_equal(desk_end(&d, i % 2 ? "acme" : "zeta", call, "Ok"), FER_OK);
    }
    assert_int_equal(desk_close(&d), FER_OK);

    fer_segment_list list;
    int fd;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_folder_open(o->folder, false, &fd, NULL), FER_OK);
    assert_int_equal(fer_folder_list(a, fd, &list, NULL), FER_OK);
    o->count = list.count;
    assert_true(list.count >= 3 && list.count <= SEGMENTS);
    for (size_t i = 0; i < list.count; i++) {
        desk_path(o->segments[i].path, o->folder, list.list[i].name);
        o->segments[i].bytes = desk_bytes(o->segments[i].path, &o->segments[i].size);
    }
    close(fd);
    fer_verify_report r = desk_verify(a, o->folder, o->anchor);
    assert_int_equal(r.flaw_count, 0);
    assert_true(r.anchors >= 4);
    o->last_seq = r.last_seq;
    fer_arena_free(a);
}

static void put_back(size_t i)
{
    desk_write(original.segments[i].path, original.segments[i].bytes, original.segments[i].size);
}

/* The number of the record that a byte of a segment belongs to. */
static uint64_t seq_at(size_t segment, size_t offset)
{
    const char *bytes = original.segments[segment].bytes,
               *end = bytes + original.segments[segment].size;
    for (const char *at = bytes; at < end;) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        fer_line l;
        assert_non_null(feed);
        assert_true(fer_line_read((fer_str){at, (size_t)(feed - at)}, &l));
        if (offset <= (size_t)(feed - bytes)) return l.seq;
        at = feed + 1;
    }
    return 0;
}

static bool is_long(void)
{
    const char *word = getenv("FERRULE_FAULTS");
    return word && strcmp(word, "long") == 0;
}

static void flips(void)
{
    size_t rounds = is_long() ? 10000 : 600;
    unsigned seed = 7;
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < rounds; i++) {
        size_t s = (size_t)rand_r(&seed) % original.count;
        size_t at = (size_t)rand_r(&seed) % original.segments[s].size;
        int fd = open(original.segments[s].path, 1);
        char c = (char)(original.segments[s].bytes[at] ^ (1 << rand_r(&seed) % 8));
        assert_int_equal(pwrite(fd, &c, 1, (off_t)at), 1);
        fer_arena_reset(a);
        fer_verify_report r = desk_verify(a, original.folder, original.anchor);
        assert_true(r.flaw_count > 0);
        if (r.flaws[0].seq != seq_at(s, at)) {
            print_message("# byte %zu of segment %zu: said %llu (%s), is %llu\n", at, s,
                          (unsigned long long)r.flaws[0].seq, fer_flaw_names[r.flaws[0].kind],
                          (unsigned long long)seq_at(s, at));
            fail();
        }
        assert_int_equal(pwrite(fd, &original.segments[s].bytes[at], 1, (off_t)at), 1);
        close(fd);
    }
    fer_arena_free(a);
    print_message("# %zu flips located\n", rounds);
}

static void cuts(void)
{
    size_t rounds = is_long() ? 10000 : 300, last = original.count - 1;
    unsigned seed = 8;
    fer_arena *a = fer_arena_new(0);
    for (size_t i = 0; i < rounds; i++) {
        size_t s = i % 2 ? last : (size_t)rand_r(&seed) % original.count;
        size_t at = (size_t)rand_r(&seed) % original.segments[s].size;
        /* The anchor's last checkpoint covers all but itself. */
        if (seq_at(s, at) == original.last_seq) continue;
        assert_int_equal(truncate(original.segments[s].path, (off_t)at), 0);
        fer_arena_reset(a);
        fer_verify_report r = desk_verify(a, original.folder, original.anchor);
        assert_true(r.flaw_count > 0);
        assert_int_equal(r.flaws[0].seq, seq_at(s, at));
        put_back(s);
    }
    fer_arena_free(a);
    print_message("# %zu cuts located\n", rounds);
}

/* ---- what somebody may do, by name --------------------------------------------------------------
 */

enum deed {
    NOTHING,
    CUT_LINE,   /* the last line of the last segment, at its border */
    SWAP_LINES, /* two lines of the second segment */
    DROP_LINE,
    SWAP_SEGMENTS,
    DROP_FIRST,
    DROP_MIDDLE,
    OTHER_KEY,    /* the public key is another */
    FORGED_CHECK, /* a checkpoint whose signature is another's */
    OTHER_ANCHOR, /* an anchor line of the same number and another head */
    JUNK_BEHIND,  /* bytes behind the last record */
};

static const struct row {
    const char *name;
    enum deed deed;
    bool anchor;
    bool found;
    fer_flaw_kind kind;
} rows[] = {
    {"as it is", NOTHING, true, false, 0},
    {"K04 the last records cut, without an anchor", CUT_LINE, false, false, 0},
    {"K04 the last records cut, with an anchor", CUT_LINE, true, true, FER_FLAW_TRUNCATED},
    {"K05 two records swapped", SWAP_LINES, false, true, FER_FLAW_GAP},
    {"K15 a record taken out", DROP_LINE, false, true, FER_FLAW_GAP},
    {"K05 two segments swapped", SWAP_SEGMENTS, false, true, FER_FLAW_GAP},
    {"K06 the first segment deleted", DROP_FIRST, false, true, FER_FLAW_START},
    {"K06 a segment in the middle deleted", DROP_MIDDLE, false, true, FER_FLAW_GAP},
    {"K08 another key", OTHER_KEY, false, true, FER_FLAW_SIGNATURE},
    {"K08 a forged checkpoint", FORGED_CHECK, false, true, FER_FLAW_HASH},
    {"K07 an anchor that knows another record", OTHER_ANCHOR, true, true, FER_FLAW_ANCHOR},
    {"bytes behind the end", JUNK_BEHIND, false, true, FER_FLAW_TORN},
};

/* The start of the n-th line. */
static char *line_at(char *bytes, size_t size, size_t n)
{
    char *at = bytes;
    while (n--) at = (char *)memchr(at, '\n', size - (size_t)(at - bytes)) + 1;
    return at;
}

static void swap_lines(size_t s, bool drop)
{
    size_t size = original.segments[s].size;
    char *copy = malloc(size), *out = malloc(size);
    memcpy(copy, original.segments[s].bytes, size);
    char *a = line_at(copy, size, 3), *b = line_at(copy, size, 4), *c = line_at(copy, size, 5);
    size_t before = (size_t)(a - copy), first = (size_t)(b - a), second = (size_t)(c - b);
    memcpy(out, copy, before);
    memcpy(out + before, b, second);
    if (!drop) memcpy(out + before + second, a, first);
    size_t head = before + second + (drop ? 0 : first), tail = size - (size_t)(c - copy);
    memcpy(out + head, c, tail);
    desk_write(original.segments[s].path, out, head + tail);
    free(copy);
    free(out);
}

static void change_file(const char *name, size_t at, char to)
{
    char path[256];
    size_t size;
    desk_path(path, original.folder, name);
    char *bytes = desk_bytes(path, &size);
    bytes[at] = bytes[at] == to ? (char)(to + 1) : to;
    desk_write(path, bytes, size);
    free(bytes);
}

static void cut_last_line(void)
{
    size_t last = original.count - 1, size = original.segments[last].size;
    const char *bytes = original.segments[last].bytes;
    /* Two records: the last checkpoint and the one before it. */
    for (int feeds = 0; size && (feeds += bytes[size - 1] == '\n') < 3;) size--;
    assert_int_equal(truncate(original.segments[last].path, (off_t)size), 0);
}

static void forge(void)
{
    size_t last = original.count - 1;
    char *copy = malloc(original.segments[last].size);
    memcpy(copy, original.segments[last].bytes, original.segments[last].size);
    char *sig = memmem(copy, original.segments[last].size, "\"sig\":\"", 7);
    assert_non_null(sig);
    sig[7] = sig[7] == 'a' ? 'b' : 'a';
    desk_write(original.segments[last].path, copy, original.segments[last].size);
    free(copy);
}

static void do_deed(enum deed deed)
{
    struct original *o = &original;
    size_t last = o->count - 1;
    if (deed == CUT_LINE) cut_last_line();
    if (deed == SWAP_LINES || deed == DROP_LINE) swap_lines(1, deed == DROP_LINE);
    if (deed == SWAP_SEGMENTS) {
        desk_write(o->segments[0].path, o->segments[1].bytes, o->segments[1].size);
        desk_write(o->segments[1].path, o->segments[0].bytes, o->segments[0].size);
    }
    if (deed == DROP_FIRST || deed == DROP_MIDDLE) unlink(o->segments[deed == DROP_MIDDLE].path);
    if (deed == FORGED_CHECK) forge();
    if (deed == JUNK_BEHIND) {
        char *copy = malloc(o->segments[last].size + 4);
        memcpy(copy, o->segments[last].bytes, o->segments[last].size);
        memcpy(copy + o->segments[last].size, "\0\0x\0", 4);
        memcpy(copy + o->segments[last].size, "junk", 4);
        desk_write(o->segments[last].path, copy, o->segments[last].size + 4);
        free(copy);
    }
}

static void run(const struct row *row)
{
    char pub[256], *key, *anchor;
    size_t key_size, anchor_size;
    fer_arena *a = fer_arena_new(0);
    desk_path(pub, original.folder, "checkpoint.pub");
    key = desk_bytes(pub, &key_size);
    anchor = desk_bytes(original.anchor, &anchor_size);
    do_deed(row->deed);
    if (row->deed == OTHER_KEY) change_file("checkpoint.pub", 3, '5');
    if (row->deed == OTHER_ANCHOR) {
        char *copy = malloc(anchor_size);
        memcpy(copy, anchor, anchor_size);
        copy[12] = copy[12] == 'a' ? 'b' : 'a';
        desk_write(original.anchor, copy, anchor_size);
        free(copy);
    }
    fer_verify_report r = desk_verify(a, original.folder, row->anchor ? original.anchor : NULL);
    desk_write(pub, key, key_size);
    desk_write(original.anchor, anchor, anchor_size);
    for (size_t i = 0; i < original.count; i++) put_back(i);
    free(key);
    free(anchor);
    assert_int_equal(r.flaw_count > 0, row->found);
    bool named = false;
    for (size_t i = 0; i < r.told; i++) named = named || r.flaws[i].kind == row->kind;
    if (row->found && !named) print_message("# said %s\n", fer_flaw_names[r.flaws[0].kind]);
    assert_true(!row->found || named);
    fer_arena_free(a);
}

/* K07: an old copy of the whole folder is put back; the anchor has seen more. */
static void rollback(void)
{
    fer_arena *a = fer_arena_new(0);
    struct desk d = {0};
    memcpy(d.folder, original.folder, sizeof d.folder);
    fer_ledger_options o = desk_options(original.folder);
    o.anchor = original.anchor;
    char path[256], *epoch;
    size_t epoch_size;
    desk_path(path, original.folder, "epoch");
    epoch = desk_bytes(path, &epoch_size);
    size_t anchor_size;
    char *anchor = desk_bytes(original.anchor, &anchor_size);
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_int_equal(desk_begin(&d, "acme", "new", "Pure"), FER_OK);
    assert_int_equal(desk_end(&d, "acme", "new", "Ok"), FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    assert_int_equal(desk_verify(a, original.folder, original.anchor).flaw_count, 0);
    for (size_t i = 0; i < original.count; i++) put_back(i);
    desk_write(path, epoch, epoch_size);
    fer_verify_report r = desk_verify(a, original.folder, original.anchor);
    assert_int_equal(r.flaw_count, 1);
    assert_int_equal(r.flaws[0].kind, FER_FLAW_TRUNCATED);
    desk_write(original.anchor, anchor, anchor_size);
    free(anchor);
    free(epoch);
    fer_arena_free(a);
}

/* F24: nothing is written over a broken chain, unless the operator accepts the break, which is
 * noted. */
static void refused(void)
{
    struct desk d = {0};
    size_t last = original.count - 1;
    memcpy(d.folder, original.folder, sizeof d.folder);
    fer_ledger_options o = desk_options(original.folder);
    int fd = open(original.segments[last].path, 1);
    assert_int_equal(pwrite(fd, "X", 1, 300), 1);
    close(fd);
    assert_int_equal(desk_open(&d, &o), FER_INTEGRITY_BROKEN);
    size_t size;
    char *now = desk_bytes(original.segments[last].path, &size);
    assert_int_equal(size, original.segments[last].size);
    free(now);
    o.accept_break = true;
    assert_int_equal(desk_open(&d, &o), FER_OK);
    assert_int_equal(desk_begin(&d, "acme", "after", "Pure"), FER_OK);
    assert_int_equal(desk_end(&d, "acme", "after", "Ok"), FER_OK);
    assert_int_equal(desk_close(&d), FER_OK);
    assert_int_equal(desk_count(original.folder, "acceptedBreaks"), 1);
    fer_arena *a = fer_arena_new(0);
    fer_verify_report r = desk_verify(a, original.folder, NULL);
    assert_true(r.flaw_count > 0 && r.flaws[0].kind <= FER_FLAW_HASH);
    fer_arena_free(a);
}

int main(void)
{

    int failed = ROWS_ONE("ledger", make) + ROWS_ONE("ledger", flips) + ROWS_ONE("ledger", cuts) +
                 ROWS_RUN("deeds", rows, run) + ROWS_ONE("ledger", rollback) +
                 ROWS_ONE("ledger", refused);
    for (size_t i = 0; i < original.count; i++) free(original.segments[i].bytes);
    unlink(original.anchor);
    desk_remove(original.folder);
    return failed;
}
