/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of results and idempotency keys: what is the same and what is not; the cache. */
#include "key_policy.h"
#include "must_read.h"
#include "policy_set.h"
#include "result_cache.h"
#include "rows.h"

/* ---- keys of results: K30, K31, K32 -------------------------------------------------------------
 */

static const struct row {
    const char *name, *one, *other;
    bool same;
} rows[] = {
    {"K31 2^53 and its neighbour", "[9007199254740992]", "[9007199254740993]", false},
    {"K31 1e400 and 1e401", "[1e400]", "[1e401]", false},
    {"K31 a tenth and a little more", "[0.1]", "[0.1000000000000000000001]", false},
    {"K31 zero and minus zero", "[0]", "[-0.0]", true},
    {"K31 one and 1.0", "[1]", "[1.0]", true},
    {"K31 1e2 and 100", "[1e2]", "[100]", true},
    {"K31 1e400 written out", "[1e400]", "[10e399]", true},
    {"K32 the order of keys", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
    {"K32 blanks", "{\"a\":[1,2]}", " { \"a\" : [ 1 , 2 ] } ", true},
    {"K32 escapes", "[\"\\u0041/\"]", "[\"A\\/\"]", true},
    {"K32 the order of items", "[1,2]", "[2,1]", false},
    {"K32 a text and a number", "[\"1\"]", "[1]", false},
    {"K32 null and nothing", "{\"a\":null}", "{}", false},
};

static fer_code key_of(fer_arena *a, fer_result_of of, const char *input, fer_result_key *out)
{
    fer_json *doc;
    fer_err err;
    fer_code code = fer_json_read(a, fer_str_of(input), NULL, &doc, &err);
    if (code) return code;
    of.input = fer_json_root(doc);
    return fer_result_key_of(a, &of, out, &err);
}

static fer_code attempt(fer_arena *a, const void *data)
{
    const struct row *row = data;
    fer_result_key x, y;
    fer_result_of of = {.tool = FER_STR("t")};
    fer_code code = key_of(a, of, row->one, &x);
    if (!code) code = key_of(a, of, row->other, &y);
    if (!code) assert_int_equal(memcmp(&x, &y, sizeof x) == 0, row->same);
    return code;
}

static void run_row(const struct row *row)
{
    fer_arena *a = fer_arena_new(0);
    assert_int_equal(attempt(a, row), FER_OK);
    fer_arena_free(a);
    rows_torture_arena(attempt, row);
}

/* K30, and that no part passes for another. K34: public is one key for all. */
static void everything_counts(void)
{
    static const fer_str s1[] = {{"a", 1}}, s2[] = {{"b", 1}};
    const fer_result_of all[] = {
        {.tool = FER_STR("t")},
        {.tool = FER_STR("u")},
        {.tool = FER_STR("t"), .tenant = FER_STR("x")},
        {.tool = FER_STR("t"), .principal = FER_STR("x")},
        {.tool = FER_STR("t"), .tenant = FER_STR("x"), .principal = FER_STR("y")},
        {.tool = FER_STR("t"), .tenant = FER_STR("xy")},
        {.tool = FER_STR("t"), .version = FER_STR("1.0.0")},
        {.tool = FER_STR("t"), .definition_hash = FER_STR("1.0.0")},
        {.tool = FER_STR("t"), .backend = FER_STR("1.0.0")},
        {.tool = FER_STR("t"), .scopes = {s1, 1}},
        {.tool = FER_STR("t"), .scopes = {s2, 1}},
        {.tool = FER_STR("t"), .is_public = true},
    };
    fer_arena *a = fer_arena_new(0);
    fer_result_key keys[FER_COUNT(all)], other;
    for (size_t i = 0; i < FER_COUNT(all); i++)
        assert_int_equal(key_of(a, all[i], "{}", &keys[i]), FER_OK);
    for (size_t i = 0; i < FER_COUNT(all); i++)
        for (size_t k = 0; k < i; k++) assert_memory_not_equal(&keys[i], &keys[k], sizeof keys[i]);
    fer_result_of open = {.tool = FER_STR("t"), .is_public = true, .tenant = FER_STR("z")};
    assert_int_equal(key_of(a, open, "{}", &other), FER_OK);
    assert_memory_equal(&other, &keys[11], sizeof other);
    fer_arena_free(a);
}

/* ---- the cache: K33, K36, K37 -------------------------------------------------------------------
 */

static const uint64_t seed[2] = {1, 2};

static void put(fer_results *r, unsigned char number, const char *tenant, size_t size,
                int64_t until)
{
    static char text[70000];
    fer_result_key k = {{number}};
    memset(text, 'x', sizeof text);
    fer_kept v = {{text, size}, FER_STR(""), until, fer_str_of(number % 2 ? "odd" : "even")};
    fer_results_keep(r, &k, fer_str_of(tenant), &v, 0);
}

static bool has(fer_results *r, unsigned char number, int64_t now)
{
    fer_result_key k = {{number}};
    return fer_results_find(r, &k, now) != NULL;
}

static void the_cache_keeps_its_bounds(void)
{
    fer_results *r = fer_results_new(100000, seed);
    put(r, 1, "b", 1000, 10);
    for (unsigned char i = 10; i < 60; i++) put(r, i, "a", 5000, 10); /* K37: a flood of a's */
    assert_true(has(r, 1, 0));
    assert_true(fer_results_bytes(r) <= 26500);
    assert_false(has(r, 10, 0));
    assert_true(has(r, 59, 0));
    assert_false(has(r, 59, 10)); /* K36: its time is over, by the clock that is given */
    put(r, 2, "b", 25000, 10);    /* more than a share */
    assert_false(has(r, 2, 0));
    put(r, 3, "c", 0, 0); /* over before it began */
    assert_false(has(r, 3, 0));
    fer_results_forget(r, FER_STR("a"));
    assert_int_equal(fer_results_count(r), 1);
    put(r, 4, "b", 10, 10);
    put(r, 6, "c", 10, 10);
    fer_results_forget_backend(r, FER_STR("even"));
    assert_false(has(r, 4, 0) || has(r, 6, 0));
    assert_true(has(r, 1, 0));
    fer_results_free(r);
}

static void the_least_used_goes_first(void)
{
    fer_results *r = fer_results_new(40000, seed); /* a share is 10,000 */
    put(r, 1, "a", 3000, 10);
    put(r, 2, "a", 3000, 10);
    assert_true(has(r, 1, 0));
    put(r, 3, "a", 4500, 10);
    assert_true(has(r, 1, 0));
    assert_false(has(r, 2, 0));
    for (char t = 'b'; t < 'z'; t++) put(r, (unsigned char)t, (char[]){t, 0}, 9000, 10);
    assert_true(fer_results_bytes(r) <= 40000);
    fer_results_free(r);
}

static fer_code fill(fer_arena *a, const void *row)
{
    (void)a, (void)row;
    fer_results *r = fer_results_new(0, seed);
    if (!r) return FER_OUT_OF_MEMORY;
    for (unsigned char i = 0; i < 40; i++) put(r, i, i % 2 ? "a" : "b", 10, 10);
    bool all = fer_results_count(r) == 40;
    fer_results_free(r);
    return all ? FER_OK : FER_OUT_OF_MEMORY;
}

static void without_memory(void)
{
    assert_true(rows_torture_malloc(fill, NULL) > 40);
}

static void what_may_be_kept(void)
{
    assert_true(fer_results_may(FER_EFFECT_PURE, 1, true, FER_RESULTS_ENTRY));
    assert_false(fer_results_may(FER_EFFECT_PURE, 1, true, FER_RESULTS_ENTRY + 1));
    assert_false(fer_results_may(FER_EFFECT_PURE, 0, true, 1));
    assert_false(fer_results_may(FER_EFFECT_PURE, 1, false, 1));
    assert_false(fer_results_may(FER_EFFECT_IDEMPOTENT_WRITE, 1, true, 1));
}

/* ---- idempotency keys: I07, I12, I16, I17, I20 --------------------------------------------------
 */

static void keys(void)
{
    char text[300];
    memset(text, 'k', sizeof text);
    assert_false(fer_key_valid(FER_STR("")));
    assert_true(fer_key_valid((fer_str){text, 1}));
    assert_true(fer_key_valid((fer_str){text, 255}));
    assert_false(fer_key_valid((fer_str){text, 256}));
    assert_true(fer_key_valid(FER_STR("!~")));
    assert_false(fer_key_valid(FER_STR("a b")));
    assert_false(fer_key_valid(FER_STR("a\x7f")));
    assert_false(fer_key_valid(FER_STR("a\n")));
    assert_false(fer_key_valid(FER_STR("\xc3\xa4")));
}

static void scopes_and_fingerprints(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err;
    unsigned char s[8][32], f[8][32];
    fer_key_of k = {.tenant = FER_STR("t"),
                    .principal = FER_STR("p"),
                    .tool = FER_STR("n:x"),
                    .major = 1,
                    .key = FER_STR("k"),
                    .input = must_read(a, FER_STR("{\"a\":1}"), NULL)};
    fer_key_of all[8];
    for (int i = 0; i < 8; i++) all[i] = k;
    all[1].tenant = FER_STR("u");
    all[2].principal = FER_STR("q");
    all[3].tool = FER_STR("n:y");
    all[4].key = FER_STR("l");
    all[5].major = 2;
    all[6].input = must_read(a, FER_STR("{\"a\":2}"), NULL);
    all[7].input = must_read(a, FER_STR(" {\"a\": 1.0}"), NULL);
    for (int i = 0; i < 8; i++)
        assert_int_equal(fer_key_hashes(a, &all[i], s[i], f[i], &err), FER_OK);
    for (int i = 1; i <= 4; i++) assert_memory_not_equal(s[0], s[i], 32);
    for (int i = 5; i <= 7; i++) assert_memory_equal(s[0], s[i], 32);
    assert_memory_equal(f[0], f[1], 32);
    assert_memory_not_equal(f[0], f[5], 32); /* I17: another major version is another call */
    assert_memory_not_equal(f[0], f[6], 32);
    assert_memory_equal(f[0], f[7], 32);
    all[2].by_tenant = all[0].by_tenant = true;
    assert_int_equal(fer_key_hashes(a, &all[0], s[0], f[0], &err), FER_OK);
    assert_int_equal(fer_key_hashes(a, &all[2], s[2], f[2], &err), FER_OK);
    assert_memory_equal(s[0], s[2], 32);
    char x[FER_KEY_STEP], y[FER_KEY_STEP], z[FER_KEY_STEP];
    assert_int_equal(fer_key_step(FER_STR("chain"), 0, x, &err), FER_OK);
    assert_int_equal(fer_key_step(FER_STR("chain"), 1, y, &err), FER_OK);
    assert_int_equal(fer_key_step(FER_STR("chain"), 0, z, &err), FER_OK);
    assert_string_not_equal(x, y);
    assert_string_equal(x, z);
    assert_true(fer_key_valid(fer_str_of(x)));
    assert_str(fer_key_tool(FER_STR("n:x:1.2.0"), FER_STR("1.2.0")), "n:x");
    assert_str(fer_key_tool(FER_STR("n:x"), FER_STR("")), "n:x");
    fer_arena_free(a);
}

static const struct decide_row {
    const char *name;
    fer_key_state state;
    bool same, reject;
    fer_key_act act;
} decide_rows[] = {
    {"nobody had it", FER_KEY_NONE, false, false, FER_KEY_RUN},
    {"I04 join", FER_KEY_HERE, true, false, FER_KEY_JOIN},
    {"I04 reject", FER_KEY_HERE, true, true, FER_KEY_BUSY},
    {"I02 another input, under way", FER_KEY_HERE, false, false, FER_KEY_CONFLICT},
    {"another process has it", FER_KEY_PENDING, true, false, FER_KEY_BUSY},
    {"I01 replay", FER_KEY_DONE, true, false, FER_KEY_REPLAY},
    {"I02 another input, done", FER_KEY_DONE, false, false, FER_KEY_CONFLICT},
    {"I06 unknown", FER_KEY_UNKNOWN, true, false, FER_KEY_DOUBT},
    {"I06 unknown, another input", FER_KEY_UNKNOWN, false, false, FER_KEY_CONFLICT},
};

static void run_decide(const struct decide_row *row)
{
    assert_int_equal(fer_key_decide(row->state, row->same, row->reject), row->act);
}

/* ---- policies: nearest first, and a record only tightens ----------------------------------------
 */

static void policies(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_policy_set *s;
    fer_tool_policy p;
    fer_scope_policy q;
    fer_err err;
    const char *json =
        "{\"tools\":{\"*\":{\"timeoutMs\":1000,\"concurrency\":5,\"retry\":{\"maxAttempts\":2}},"
        "\"n:*\":{\"concurrency\":7},\"n:x\":{\"effect\":\"Pure\",\"timeoutMs\":9000,\"redact\":[\"a.b\"]}},"
        "\"backends\":{\"*\":{\"concurrency\":3},\"good\":{\"trusted\":true}},"
        "\"tenants\":{\"big\":{\"weight\":4,\"rateLimit\":{\"requests\":5,\"perMs\":100}}},"
        "\"idempotency\":{\"ttlMs\":5,\"duplicates\":\"reject\"}}";
    const yyjson_val *record = must_read(
        a, FER_STR("{\"timeoutMs\":5000,\"concurrency\":2,\"retry\":{\"maxAttempts\":5}}"), NULL);
    assert_int_equal(fer_policy_read(a, fer_str_of(json), &s, &err), FER_OK);
    fer_policy_tool(s, FER_STR("m:y"), record, NULL, a, &p);
    assert_int_equal(p.timeout_ms, 1000); /* the record would loosen it */
    assert_int_equal(p.scope.concurrency, 2);
    assert_int_equal(p.retry.attempts, 2);
    fer_policy_tool(s, FER_STR("n:x"), record, NULL, a, &p);
    assert_int_equal(p.timeout_ms, 9000); /* the operator's word for this tool */
    assert_int_equal(p.scope.concurrency, 7);
    assert_true(p.has_effect && p.effect == FER_EFFECT_PURE);
    assert_int_equal(p.redact.count, 1);
    fer_policy_backend(s, FER_STR("good"), &q);
    assert_true(q.trusted && q.concurrency == 3);
    fer_policy_tenant(s, FER_STR("big"), &q);
    assert_true(q.weight == 4 && q.rate.requests == 5 && q.concurrency == FER_TENANT_CALLS);
    assert_int_equal(fer_policy_common_of(s)->key_ttl_ms, FER_KEY_TTL_MIN);
    assert_true(fer_policy_common_of(s)->reject_duplicates);
    assert_int_equal(
        fer_policy_read(a, FER_STR("{\"redaction\":{\"paths\":[\"a..b\"]}}"), &s, &err),
        FER_INVALID_FORMAT);
    assert_int_equal(fer_policy_read(a, FER_STR("[]"), &s, &err), FER_INVALID_FORMAT);
    fer_arena_free(a);
}

int main(void)
{
    int failed = ROWS_RUN("result keys", rows, run_row);
    failed += ROWS_ONE("result keys", everything_counts);
    failed += ROWS_ONE("cache", the_cache_keeps_its_bounds);
    failed += ROWS_ONE("cache", the_least_used_goes_first);
    failed += ROWS_ONE("cache", without_memory);
    failed += ROWS_ONE("cache", what_may_be_kept);
    failed += ROWS_ONE("keys", keys);
    failed += ROWS_ONE("keys", scopes_and_fingerprints);
    failed += ROWS_RUN("keys", decide_rows, run_decide);
    failed += ROWS_ONE("policies", policies);
    return failed != 0;
}
