/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values that outlive the process: the states of RELIABILITY 5.4, crashes, limits, the
 * seal. */
#include "store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "desk.h"
#include "digest.h"

#define DAY 86400000

struct shop {
    char folder[128], path[256], key[256];
    uv_loop_t loop;
    fer_seal *seal;
    fer_store *store;
    fer_store_port *port;
    fer_store_recovery recovery;
    fer_err err;
    fer_store_options options;
    /* the last answer, its texts copied */
    fer_store_answer answer;
    fer_arena *arena;
    size_t answers;
};

static void open_shop(struct shop *s, uint64_t epoch)
{
    s->options.path = s->path;
    s->options.seal = s->seal;
    s->options.epoch = epoch;
    fer_code code = fer_store_open(&s->options, &s->store, &s->recovery, &s->err);
    if (code) print_message("# %s\n", s->err.message);
    assert_int_equal(code, FER_OK);
    assert_int_equal(uv_loop_init(&s->loop), 0);
    assert_int_equal(fer_store_attach(s->store, &s->loop, &s->port, NULL), FER_OK);
}

static void close_shop(struct shop *s)
{
    fer_store_detach(s->port);
    fer_store_close(s->store);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&s->loop), 0);
}

static void init_shop(struct shop *s)
{
    *s = (struct shop){.arena = fer_arena_new(0)};
    desk_folder(s->folder);
    assert_int_equal(mkdir(s->folder, 0700), 0);
    desk_path(s->path, s->folder, "store.db");
    desk_path(s->key, s->folder, "store.key");
    assert_int_equal(fer_seal_new(s->key, true, &s->seal, &s->err), FER_OK);
}

static void deinit_shop(struct shop *s)
{
    fer_seal_free(s->seal);
    fer_arena_free(s->arena);
    desk_remove(s->folder);
}

static void keep(void *context, const fer_store_answer *answer)
{
    struct shop *s = context;
    s->answer = *answer;
    s->answer.found.result = fer_arena_copy(s->arena, answer->found.result);
    s->answer.found.call = fer_arena_copy(s->arena, answer->found.call);
    if (answer->value.ptr) s->answer.value = fer_arena_copy(s->arena, answer->value);
    s->answers++;
}

static fer_code wait_for(struct shop *s, fer_code submitted)
{
    if (submitted) return submitted;
    uv_run(&s->loop, UV_RUN_DEFAULT);
    return s->answer.code;
}

static fer_idem_claim claim_of(const char *key, const char *input, const char *call)
{
    fer_idem_claim c = {.tenant = FER_STR("acme"), .call = fer_str_of(call), .now_ms = 1000};
    fer_digest *d = fer_digest_new();
    fer_digest_of(d, fer_str_of(key), FER_STR_NONE, FER_STR_NONE, c.scope);
    fer_digest_of(d, fer_str_of(input), FER_STR_NONE, FER_STR_NONE, c.fingerprint);
    fer_digest_free(d);
    return c;
}

static fer_idem_verdict claim(struct shop *s, const fer_idem_claim *c)
{
    assert_int_equal(wait_for(s, fer_idem_claim_key(s->port, c, keep, s, NULL)), FER_OK);
    return s->answer.verdict;
}

static void states(void)
{
    struct shop s;
    init_shop(&s);
    open_shop(&s, 1);
    fer_idem_claim one = claim_of("k", "in", "call-1"), two = claim_of("k", "in", "call-2");
    assert_int_equal(claim(&s, &one), FER_IDEM_CLAIMED);
    /* The same key while it runs, and with another input. */
    assert_int_equal(claim(&s, &two), FER_IDEM_EXISTS);
    assert_int_equal(s.answer.found.state, FER_IDEM_PENDING);
    assert_str(s.answer.found.call, "call-1");
    fer_idem_claim other = claim_of("k", "other", "call-3");
    assert_int_equal(claim(&s, &other), FER_IDEM_EXISTS);
    assert_int_not_equal(memcmp(s.answer.found.fingerprint, other.fingerprint, FER_IDEM_HASH), 0);
    /* Only the call that has it may end it. */
    assert_int_equal(
        wait_for(&s, fer_idem_finish(s.port, &two, FER_STR("no"), DAY, keep, &s, NULL)),
        FER_CONSTRAINT_VIOLATION);
    assert_int_equal(
        wait_for(&s, fer_idem_finish(s.port, &one, FER_STR("{\"a\":1}"), DAY, keep, &s, NULL)),
        FER_OK);
    assert_int_equal(claim(&s, &two), FER_IDEM_EXISTS);
    assert_int_equal(s.answer.found.state, FER_IDEM_DONE);
    assert_str(s.answer.found.result, "{\"a\":1}");
    /* Past its time it is free again. */
    two.now_ms = DAY + 1;
    assert_int_equal(claim(&s, &two), FER_IDEM_CLAIMED);
    assert_int_equal(wait_for(&s, fer_idem_release(s.port, &two, keep, &s, NULL)), FER_OK);
    assert_int_equal(wait_for(&s, fer_idem_get(s.port, two.scope, 0, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.found.state, FER_IDEM_NONE);
    assert_int_equal(wait_for(&s, fer_idem_usage(s.port, FER_STR("acme"), keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.count, 0);
    assert_int_equal(s.answer.bytes, 0);
    close_shop(&s);
    deinit_shop(&s);
}

/* I06: a crash in each state. */
static void after_a_crash(void)
{
    struct shop s;
    int status;
    init_shop(&s);
    pid_t child = fork();
    if (child == 0) {
        open_shop(&s, 1);
        fer_idem_claim pure = claim_of("pure", "in", "c1"),
                       honoured = claim_of("honoured", "in", "c2");
        fer_idem_claim plain = claim_of("plain", "in", "c3"), done = claim_of("done", "in", "c4");
        pure.pure = honoured.honoured = true;
        claim(&s, &pure);
        claim(&s, &honoured);
        claim(&s, &plain);
        claim(&s, &done);
        wait_for(&s, fer_idem_finish(s.port, &done, FER_STR("result"), DAY, keep, &s, NULL));
        _exit(s.answer.code ? 1 : 0);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    open_shop(&s, 2);
    assert_int_equal(s.recovery.dropped, 1);
    assert_int_equal(s.recovery.again, 1);
    assert_int_equal(s.recovery.unknown, 1);
    fer_idem_claim pure = claim_of("pure", "in", "d1"), honoured = claim_of("honoured", "in", "d2");
    fer_idem_claim plain = claim_of("plain", "in", "d3"), done = claim_of("done", "in", "d4");
    fer_idem_claim changed = claim_of("honoured", "other", "d5");
    assert_int_equal(claim(&s, &pure), FER_IDEM_CLAIMED);
    assert_int_equal(claim(&s, &changed), FER_IDEM_EXISTS);
    assert_int_equal(s.answer.found.state, FER_IDEM_AGAIN);
    assert_int_equal(claim(&s, &honoured), FER_IDEM_CLAIMED);
    assert_int_equal(claim(&s, &plain), FER_IDEM_EXISTS);
    assert_int_equal(s.answer.found.state, FER_IDEM_UNKNOWN);
    assert_int_equal(claim(&s, &done), FER_IDEM_EXISTS);
    assert_str(s.answer.found.result, "result");
    /* The operator's word. */
    assert_int_equal(wait_for(&s, fer_idem_list(s.port, FER_IDEM_UNKNOWN, 10, keep, &s, NULL)),
                     FER_OK);
    assert_int_equal(s.answer.item_count, 1);
    assert_int_equal(
        wait_for(&s, fer_idem_resolve(s.port, plain.scope, false, FER_STR_NONE, 0, keep, &s, NULL)),
        FER_OK);
    assert_int_equal(claim(&s, &plain), FER_IDEM_CLAIMED);
    assert_int_equal(wait_for(&s, fer_idem_lose(s.port, &plain, keep, &s, NULL)), FER_OK);
    assert_int_equal(wait_for(&s, fer_idem_resolve(s.port, plain.scope, true, FER_STR("said"), DAY,
                                                   keep, &s, NULL)),
                     FER_OK);
    assert_int_equal(claim(&s, &plain), FER_IDEM_EXISTS);
    assert_str(s.answer.found.result, "said");
    assert_int_equal(
        wait_for(&s, fer_idem_resolve(s.port, done.scope, true, FER_STR("x"), DAY, keep, &s, NULL)),
        FER_CONSTRAINT_VIOLATION);
    close_shop(&s);
    deinit_shop(&s);
}

/* I09: what does not fit is refused; nothing is evicted. */
static void room(void)
{
    struct shop s;
    init_shop(&s);
    s.options.keys_per_tenant = 2;
    open_shop(&s, 1);
    fer_idem_claim a = claim_of("a", "", "1"), b = claim_of("b", "", "2"),
                   c = claim_of("c", "", "3");
    assert_int_equal(claim(&s, &a), FER_IDEM_CLAIMED);
    assert_int_equal(claim(&s, &b), FER_IDEM_CLAIMED);
    assert_int_equal(claim(&s, &c), FER_IDEM_NO_ROOM);
    c.tenant = FER_STR("other");
    assert_int_equal(claim(&s, &c), FER_IDEM_CLAIMED);
    assert_int_equal(wait_for(&s, fer_idem_finish(s.port, &a, FER_STR("r"), 500, keep, &s, NULL)),
                     FER_OK);
    assert_int_equal(wait_for(&s, fer_idem_expire(s.port, 400, 10, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.count, 0);
    assert_int_equal(wait_for(&s, fer_idem_expire(s.port, 501, 10, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.count, 1);
    fer_idem_claim d = claim_of("d", "", "4");
    assert_int_equal(claim(&s, &d), FER_IDEM_CLAIMED);
    close_shop(&s);
    deinit_shop(&s);
}

/* I03 in small: many claims of one key at once, one wins. */
static size_t won;
static void count_won(void *context, const fer_store_answer *answer)
{
    (void)context;
    won += answer->verdict == FER_IDEM_CLAIMED;
}

static void race(void)
{
    struct shop s;
    init_shop(&s);
    open_shop(&s, 1);
    won = 0;
    for (int i = 0; i < 1000; i++) {
        char call[16];
        snprintf(call, sizeof call, "c%d", i);
        fer_idem_claim c = claim_of("same", "in", call);
        assert_int_equal(fer_idem_claim_key(s.port, &c, count_won, &s, NULL), FER_OK);
    }
    uv_run(&s.loop, UV_RUN_DEFAULT);
    assert_int_equal(won, 1);
    close_shop(&s);
    deinit_shop(&s);
}

/* I14, I15: the file has no plain text; a changed record is UNKNOWN. */
static void sealed(void)
{
    struct shop s;
    static const char secret[] = "canary-7f3d9a2b51c8e604";
    init_shop(&s);
    open_shop(&s, 1);
    fer_idem_claim c = claim_of("k", "in", "c1");
    claim(&s, &c);
    assert_int_equal(
        wait_for(&s, fer_idem_finish(s.port, &c, fer_str_of(secret), DAY, keep, &s, NULL)), FER_OK);
    assert_int_equal(wait_for(&s, fer_registry_put(s.port, "lock", FER_STR("x"), fer_str_of(secret),
                                                   keep, &s, NULL)),
                     FER_OK);
    assert_int_equal(wait_for(&s, fer_cache_put(s.port, FER_STR("acme"), FER_STR("m"), FER_STR("x"),
                                                fer_str_of(secret), DAY, keep, &s, NULL)),
                     FER_OK);
    close_shop(&s);
    size_t size;
    struct stat st;
    assert_int_equal(stat(s.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    char *bytes = desk_bytes(s.path, &size);
    assert_null(memmem(bytes, size, "canary", 6));
    free(bytes);
    /* Another key: nothing opens, and nothing runs again. */
    unsigned char key[FER_SEAL_KEY] = {1};
    fer_seal *own = s.seal;
    assert_int_equal(fer_seal_new_key(key, &s.seal, NULL), FER_OK);
    open_shop(&s, 2);
    fer_idem_claim again = claim_of("k", "in", "c2");
    assert_int_equal(claim(&s, &again), FER_IDEM_EXISTS);
    assert_int_equal(s.answer.found.state, FER_IDEM_UNKNOWN);
    assert_true(s.answer.found.tampered);
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("acme"), FER_STR("x"), 0, keep, &s, NULL)),
        FER_OK);
    assert_null(s.answer.value.ptr);
    assert_int_equal(wait_for(&s, fer_registry_get(s.port, "lock", FER_STR("x"), keep, &s, NULL)),
                     FER_INTEGRITY_BROKEN);
    close_shop(&s);
    fer_seal_free(s.seal);
    s.seal = own;
    deinit_shop(&s);
}

static void values(void)
{
    struct shop s;
    init_shop(&s);
    open_shop(&s, 1);
    assert_int_equal(
        wait_for(&s, fer_registry_put(s.port, "lock", FER_STR("b"), FER_STR("1"), keep, &s, NULL)),
        FER_OK);
    assert_int_equal(
        wait_for(&s, fer_registry_put(s.port, "lock", FER_STR("a"), FER_STR("2"), keep, &s, NULL)),
        FER_OK);
    assert_int_equal(
        wait_for(&s, fer_registry_put(s.port, "lock", FER_STR("b"), FER_STR("3"), keep, &s, NULL)),
        FER_OK);
    assert_int_equal(wait_for(&s, fer_registry_get(s.port, "lock", FER_STR("b"), keep, &s, NULL)),
                     FER_OK);
    assert_str(s.answer.value, "3");
    assert_int_equal(
        wait_for(&s, fer_registry_list(s.port, "lock", FER_STR_NONE, 10, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.item_count, 2);
    assert_int_equal(
        wait_for(&s, fer_registry_list(s.port, "lock", FER_STR("a"), 10, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.item_count, 1);
    assert_int_equal(
        wait_for(&s, fer_registry_remove(s.port, "lock", FER_STR("b"), keep, &s, NULL)), FER_OK);
    assert_int_equal(wait_for(&s, fer_registry_get(s.port, "lock", FER_STR("b"), keep, &s, NULL)),
                     FER_OK);
    assert_null(s.answer.value.ptr);
    assert_int_equal(wait_for(&s, fer_cache_put(s.port, FER_STR("t"), FER_STR("m"), FER_STR("k"),
                                                FER_STR("v"), 100, keep, &s, NULL)),
                     FER_OK);
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("t"), FER_STR("k"), 100, keep, &s, NULL)),
        FER_OK);
    assert_str(s.answer.value, "v");
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("t"), FER_STR("k"), 101, keep, &s, NULL)),
        FER_OK);
    assert_null(s.answer.value.ptr);
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("u"), FER_STR("k"), 0, keep, &s, NULL)), FER_OK);
    assert_null(s.answer.value.ptr);
    assert_int_equal(wait_for(&s, fer_cache_purge(s.port, FER_STR("m"), keep, &s, NULL)), FER_OK);
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("t"), FER_STR("k"), 0, keep, &s, NULL)), FER_OK);
    assert_null(s.answer.value.ptr);
    close_shop(&s);
    deinit_shop(&s);
}

/* The cache keeps its bound to the byte, pushes nobody out, and lets go by mark and by time. */
static void the_cache_has_a_bound(void)
{
    struct shop s;
    init_shop(&s);
    s.options.cache_bytes = 2 * (100 + FER_SEAL_EXTRA);
    open_shop(&s, 1);
    char text[101];
    memset(text, 'x', sizeof text);
    static const struct {
        const char *key, *mark;
        size_t size;
        bool kept;
    } rows[] = {{"a", "one", 100, true},
                {"b", "two", 101, false},
                {"b", "two", 100, true},
                {"c", "one", 0, false},
                {"b", "two", 100, false /* no room for it twice */}};
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        fer_str key = fer_str_of(rows[i].key);
        assert_int_equal(wait_for(&s, fer_cache_put(s.port, FER_STR("t"), fer_str_of(rows[i].mark),
                                                    key, (fer_str){text, rows[i].size},
                                                    (int64_t)i + 10, keep, &s, NULL)),
                         FER_OK);
        assert_int_equal(wait_for(&s, fer_cache_get(s.port, FER_STR("t"), key, 0, keep, &s, NULL)),
                         FER_OK);
        if (rows[i].kept) assert_int_equal(s.answer.found.expires_ms, i + 10);
        else if (i < 4) assert_null(s.answer.value.ptr);
    }
    assert_int_equal(wait_for(&s, fer_cache_purge(s.port, FER_STR("one"), keep, &s, NULL)), FER_OK);
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("t"), FER_STR("a"), 0, keep, &s, NULL)), FER_OK);
    assert_null(s.answer.value.ptr);
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("t"), FER_STR("b"), 0, keep, &s, NULL)), FER_OK);
    assert_non_null(s.answer.value.ptr);
    assert_int_equal(wait_for(&s, fer_cache_expire(s.port, 12, 10, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.count, 0);
    assert_int_equal(wait_for(&s, fer_cache_expire(s.port, 13, 10, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.count, 1);
    /* All the room is there again. */
    s.answer = (fer_store_answer){0};
    assert_int_equal(wait_for(&s, fer_cache_put(s.port, FER_STR("t"), FER_STR("one"), FER_STR("d"),
                                                (fer_str){text, 101}, 99, keep, &s, NULL)),
                     FER_OK);
    assert_int_equal(
        wait_for(&s, fer_cache_get(s.port, FER_STR("t"), FER_STR("d"), 0, keep, &s, NULL)), FER_OK);
    assert_int_equal(s.answer.value.len, 101);
    close_shop(&s);
    deinit_shop(&s);
}

/* The queue has a bound; a file that others read, or a link, is refused. */
static void bounds(void)
{
    struct shop s;
    init_shop(&s);
    s.options.queue = 1;
    open_shop(&s, 1);
    fer_code code = FER_OK;
    for (int i = 0; i < 100000 && !code; i++)
        code = fer_idem_usage(s.port, FER_STR("t"), keep, &s, NULL);
    assert_int_equal(code, FER_CONCURRENCY_LIMITED);
    uv_run(&s.loop, UV_RUN_DEFAULT);
    close_shop(&s);
    chmod(s.path, 0644);
    assert_int_equal(fer_store_open(&s.options, &s.store, NULL, &s.err), FER_IO_ERROR);
    chmod(s.path, 0600);
    char link_name[256];
    desk_path(link_name, s.folder, "link.db");
    assert_int_equal(symlink(s.path, link_name), 0);
    s.options.path = link_name;
    assert_int_equal(fer_store_open(&s.options, &s.store, NULL, &s.err), FER_IO_ERROR);
    deinit_shop(&s);
}

/* ---- the seal
 * ------------------------------------------------------------------------------------ */

static void seals(void)
{
    unsigned char key[FER_SEAL_KEY] = {7}, one[32], two[32];
    fer_seal *s;
    fer_str closed, open;
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(fer_seal_new_key(key, &s, NULL), FER_OK);
    fer_str plain = FER_STR("some result");
    assert_int_equal(fer_seal_close(a, s, FER_STR("t"), FER_STR("about"), plain, &closed, NULL),
                     FER_OK);
    assert_int_equal(closed.len, plain.len + FER_SEAL_EXTRA);
    assert_int_equal(fer_seal_open(a, s, FER_STR("t"), FER_STR("about"), closed, &open, NULL),
                     FER_OK);
    assert_str(open, "some result");
    assert_int_equal(fer_seal_open(a, s, FER_STR("u"), FER_STR("about"), closed, &open, NULL),
                     FER_INTEGRITY_BROKEN);
    assert_int_equal(fer_seal_open(a, s, FER_STR("t"), FER_STR("other"), closed, &open, NULL),
                     FER_INTEGRITY_BROKEN);
    char *copy = malloc(closed.len);
    for (size_t i = 0; i < closed.len; i++) {
        memcpy(copy, closed.ptr, closed.len);
        copy[i] = (char)(copy[i] ^ 1);
        assert_int_equal(fer_seal_open(a, s, FER_STR("t"), FER_STR("about"),
                                       (fer_str){copy, closed.len}, &open, NULL),
                         FER_INTEGRITY_BROKEN);
        assert_int_equal(fer_seal_open(a, s, FER_STR("t"), FER_STR("about"),
                                       (fer_str){closed.ptr, i}, &open, NULL),
                         FER_INTEGRITY_BROKEN);
    }
    free(copy);
    assert_int_equal(fer_seal_close(a, s, FER_STR("t"), FER_STR_NONE, FER_STR_NONE, &closed, NULL),
                     FER_OK);
    assert_int_equal(fer_seal_open(a, s, FER_STR("t"), FER_STR_NONE, closed, &open, NULL), FER_OK);
    assert_int_equal(open.len, 0);
    assert_int_equal(fer_seal_name(s, FER_STR("t"), "downstream-key", FER_STR("k"), one, NULL),
                     FER_OK);
    assert_int_equal(fer_seal_name(s, FER_STR("u"), "downstream-key", FER_STR("k"), two, NULL),
                     FER_OK);
    assert_int_not_equal(memcmp(one, two, 32), 0);
    assert_int_equal(fer_seal_name(s, FER_STR("t"), "downstream-key", FER_STR("k"), two, NULL),
                     FER_OK);
    assert_int_equal(memcmp(one, two, 32), 0);
    assert_true(fer_faults_begin("random:ENOSYS@1"));
    assert_int_equal(fer_seal_close(a, s, FER_STR("t"), FER_STR_NONE, plain, &closed, NULL),
                     FER_IO_ERROR);
    fer_faults_begin(NULL);
    fer_seal_free(s);
    fer_arena_free(a);
}

static const struct key_row {
    const char *name, *content;
    mode_t mode;
    fer_code code;
} key_rows[] = {
    {"a key", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n", 0600, FER_OK},
    {"too short", "0011\n", 0600, FER_INVALID_FORMAT},
    {"too long", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff00\n", 0600,
     FER_INVALID_FORMAT},
    {"no digits", "zz112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n", 0600,
     FER_INVALID_FORMAT},
    {"others read it", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n", 0644,
     FER_IO_ERROR},
    {"empty", "", 0600, FER_INVALID_FORMAT},
};

static void key_file(const struct key_row *row)
{
    char path[128];
    fer_seal *s = NULL;
    desk_folder(path);
    desk_write(path, row->content, strlen(row->content));
    chmod(path, row->mode);
    assert_int_equal(fer_seal_new(path, true, &s, NULL), row->code);
    fer_seal_free(s);
    unlink(path);
    if (row->code == FER_OK) assert_int_equal(fer_seal_new(path, false, &s, NULL), FER_IO_ERROR);
}

int main(void)
{
    return ROWS_ONE("store", states) + ROWS_ONE("store", after_a_crash) + ROWS_ONE("store", room) +
           ROWS_ONE("store", race) + ROWS_ONE("store", sealed) + ROWS_ONE("store", values) +
           ROWS_ONE("store", the_cache_has_a_bound) + ROWS_ONE("store", bounds) +
           ROWS_ONE("seal", seals) + ROWS_RUN("keys", key_rows, key_file);
}
