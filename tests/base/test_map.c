/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash map and its hash. The hashes were made by a separate SipHash in Python
 * that also gives the published SipHash-2-4 vector, and agree with CPython's own.
 */
#include "rows.h"

#include "map.h"

/* ---- SipHash-1-3 -------------------------------------------------------------------- */

/* The message is the bytes 0, 1, 2 ...; the key is the bytes 0 to 15. */
static const struct sip_row {
    const char *name;
    size_t len;
    uint64_t hash;
} sip_rows[] = {
    {"empty", 0, 0xabac0158050fc4dcu},       {"1 byte", 1, 0xc9f49bf37d57ca93u},
    {"7 bytes", 7, 0xd3927d989bb11140u},     {"8 bytes", 8, 0x369095118d299a8eu},
    {"9 bytes", 9, 0x25a48eb36c063de4u},     {"15 bytes", 15, 0xd320d86d2a519956u},
    {"16 bytes", 16, 0xcc4fdd1a7d908b66u},   {"63 bytes", 63, 0x9d199062b7bbb3a8u},
    {"255 bytes", 255, 0xf76214e3153c4a15u}, {"256 bytes", 256, 0x75b3e64e167de370u},
};

static void run_sip(const struct sip_row *row)
{
    static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    static const uint64_t other[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0909u};
    char bytes[1 + 256];
    for (size_t i = 0; i < 256; i++) bytes[1 + i] = (char)i;
    fer_str s = {bytes + 1, row->len}; /* not aligned */
    assert_true(fer_hash(key, s) == row->hash);
    assert_true(fer_hash(key, s) == fer_hash(key, s));
    assert_true(fer_hash(other, s) != row->hash);
}

static const struct hash_row {
    const char *name;
    fer_str text;
    uint64_t hash; /* under the key 0 */
} hash_rows[] = {
    {"no text", {NULL, 0}, 0xd1fba762150c532cu},
    {"empty text", {"", 0}, 0xd1fba762150c532cu},
    {"a", {"a", 1}, 0x407448d2b89b1813u},
    {"abc", {"abc", 3}, 0xc03bc3a0042630f2u},
    {"tool", {"tool", 4}, 0xf1157cc5ad1515fcu},
    {"abcdefghij", {"abcdefghij", 10}, 0xf47c264806c40ff1u},
};

static void run_hash(const struct hash_row *row)
{
    static const uint64_t key[2] = {0, 0};
    assert_true(fer_hash(key, row->text) == row->hash);
}

/* ---- keys ------------------------------------------------------------------------------ */

static const struct key_row {
    const char *name;
    fer_str key;
    fer_str missing; /* a key that is not it */
} key_rows[] = {
    {"plain", {"key", 3}, {"kex", 3}},
    {"empty", {"", 0}, {"\0", 1}},
    {"no text is the empty key", {NULL, 0}, {" ", 1}},
    {"one NUL", {"\0", 1}, {"\0\0", 2}},
    {"NUL inside", {"a\0b", 3}, {"a\0c", 3}},
    {"NUL at the end", {"a\0", 2}, {"a", 1}},
    {"a prefix of the other", {"abcdefgh", 8}, {"abcdefghi", 9}},
    {"case matters", {"Key", 3}, {"key", 3}},
    {"bytes past ASCII", {"\xFF\xFE", 2}, {"\xFF\xFF", 2}},
    {"31 bytes", {"0123456789012345678901234567890", 31}, {"0123456789012345678901234567891", 31}},
};

static fer_code attempt_key(fer_arena *a, const void *data)
{
    const struct key_row *row = data;
    int one = 1, two = 2;
    fer_map m;
    fer_map_init(&m, a);
    assert_null(fer_map_get(&m, row->key));
    void **at = fer_map_put(&m, row->key);
    if (!at) {
        assert_int_equal(m.count, 0);
        return fer_arena_code(a);
    }
    assert_null(*at);
    assert_null(fer_map_get(&m, row->key)); /* a key whose value is NULL */
    *at = &one;
    assert_ptr_equal(fer_map_get(&m, row->key), &one);
    assert_null(fer_map_get(&m, row->missing));
    assert_int_equal(m.count, 1);

    /* The same key again: the same place, its value kept until it is replaced. */
    char copy[64];
    if (row->key.len) memcpy(copy, row->key.ptr, row->key.len);
    at = fer_map_put(&m, (fer_str){copy, row->key.len});
    assert_non_null(at);
    assert_ptr_equal(*at, &one);
    *at = &two;
    assert_int_equal(m.count, 1);
    assert_ptr_equal(fer_map_get(&m, row->key), &two);

    at = fer_map_put(&m, row->missing);
    assert_non_null(at);
    assert_null(*at);
    *at = &one;
    assert_int_equal(m.count, 2);
    assert_ptr_equal(fer_map_get(&m, row->key), &two);
    assert_ptr_equal(fer_map_get(&m, row->missing), &one);
    return FER_OK;
}

static void run_key(const struct key_row *row)
{
    assert_true(rows_torture_arena(attempt_key, row) > 0);
}

/* ---- many keys ---------------------------------------------------------------------------- */

static const struct many_row {
    const char *name;
    size_t count;
    bool torture;
} many_rows[] = {
    {"11 keys", 11, true},         {"12 keys", 12, true},   {"13 keys", 13, true},
    {"25 keys", 25, true},         {"100 keys", 100, true}, {"1,000 keys", 1000, false},
    {"10,000 keys", 10000, false},
};

static char names[10000][24];

static fer_str name_of(size_t i)
{
    snprintf(names[i], sizeof names[i], "k%zu", i);
    return fer_str_of(names[i]);
}

static fer_code attempt_many(fer_arena *a, const void *data)
{
    const struct many_row *row = data;
    fer_map m;
    fer_map_init(&m, a);
    size_t put = 0;
    for (; put < row->count; put++) {
        void **at = fer_map_put(&m, name_of(put));
        if (!at) break;
        assert_null(*at);
        *at = names[put];
    }
    /* Also after a failure, what was put is there and nothing else is. */
    assert_int_equal(m.count, put);
    for (size_t i = 0; i < row->count; i++) {
        assert_ptr_equal(fer_map_get(&m, name_of(i)), i < put ? names[i] : NULL);
    }
    assert_null(fer_map_get(&m, FER_STR("k")));
    assert_null(fer_map_get(&m, FER_STR("")));
    return put == row->count ? FER_OK : fer_arena_code(a);
}

static void run_many(const struct many_row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_non_null(a);
    assert_int_equal(attempt_many(a, row), FER_OK);
    fer_arena_free(a);
    if (row->torture) assert_true(rows_torture_arena(attempt_many, row) > 0);
}

static fer_code attempt_malloc(fer_arena *none, const void *row)
{
    (void)none;
    fer_arena *a = fer_arena_new(0);
    if (!a) return FER_OUT_OF_MEMORY;
    fer_code code = attempt_many(a, row);
    fer_arena_free(a);
    return code;
}

static void malloc_torture(void)
{
    assert_true(rows_torture_malloc(attempt_malloc, &many_rows[5]) >= 3);
}

/* Every key is replaced, among them those put just before the map grows. */
static void replace_all(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_map m;
    assert_non_null(a);
    fer_map_init(&m, a);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 1000; i++) {
            void **at = fer_map_put(&m, name_of(i));
            assert_non_null(at);
            assert_ptr_equal(*at, round == 0 ? NULL : names[i] + round - 1);
            *at = names[i] + round;
        }
        assert_int_equal(m.count, 1000);
    }
    for (size_t i = 0; i < 1000; i++) assert_ptr_equal(fer_map_get(&m, name_of(i)), names[i] + 2);
    fer_arena_free(a);
}

static void seeds_differ(void)
{
    fer_arena *a = fer_arena_new(0), *b = fer_arena_new(0);
    assert_non_null(a);
    assert_non_null(b);
    assert_true(fer_hash(fer_arena_seed(a), FER_STR("x")) !=
                fer_hash(fer_arena_seed(b), FER_STR("x")));
    fer_arena_free(a);
    fer_arena_free(b);
}

int main(void)
{
    return ROWS_RUN("siphash-1-3", sip_rows, run_sip) + ROWS_RUN("hash", hash_rows, run_hash) +
           ROWS_RUN("map keys", key_rows, run_key) + ROWS_RUN("map many", many_rows, run_many) +
           ROWS_ONE("map", malloc_torture) + ROWS_ONE("map", replace_all) +
           ROWS_ONE("map", seeds_differ);
}
