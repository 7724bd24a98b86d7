/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of programs: what shares one, what is given up, failures, threads. */
#include <ferrule/schema.h>
#include <pthread.h>

#include "must_read.h"

static const yyjson_val *read_schema(fer_arena *a, const char *text)
{
    return must_read(a, fer_str_of(text), NULL);
}

/* ---- keys ---------------------------------------------------------------- */

static const fer_schema_limits tight = {256 << 10, 64, 10000, 1000, 1024, 1000, 10000, 50};

static const struct key_row {
    const char *name;
    const char *one, *other;
    fer_schema_options one_options, other_options;
    bool same;
} key_rows[] = {
    {"the same text", "{\"type\":\"string\"}", "{\"type\":\"string\"}", {0}, {0}, true},
    {"another order",
     "{\"type\":\"string\",\"minLength\":1}",
     "{\"minLength\":1,\"type\":\"string\"}",
     {0},
     {0},
     true},
    {"another writing", "{\"minLength\":1}", " { \"minLength\" : 1.0 } ", {0}, {0}, true},
    {"another schema", "{\"minLength\":1}", "{\"minLength\":2}", {0}, {0}, false},
    {"true is not {}", "true", "{}", {0}, {0}, false},
    {"the default dialect is 2020-12", "{}", "{}", {0}, {.dialect = FER_DIALECT_2020_12}, true},
    {"another dialect", "{}", "{}", {0}, {.dialect = FER_DIALECT_DRAFT7}, false},
    {"formats", "{}", "{}", {0}, {.assert_formats = true}, false},
    {"formats noted", "{}", "{}", {0}, {.formats_note_only = true}, false},
    {"machine code", "{}", "{}", {0}, {.native = true}, false},
    {"content", "{}", "{}", {0}, {.assert_content = true}, false},
    {"base", "{}", "{}", {0}, {.base_uri = {"http://x/", 9}}, false},
    {"the same base",
     "{}",
     "{}",
     {.base_uri = {"http://x/", 9}},
     {.base_uri = {"http://x/", 9}},
     true},
    {"base or text",
     "{\"$comment\":\"\"}",
     "{}",
     {0},
     {.base_uri = {"{\"$comment\":\"\"}", 15}},
     false},
    {"limits", "{}", "{}", {0}, {.limits = &tight}, false},
};

static void shares(const struct key_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema_cache *c = fer_schema_cache_new(0);
    fer_schema *one, *other;
    assert_non_null(c);
    assert_int_equal(
        fer_schema_cache_get(c, read_schema(a, row->one), &row->one_options, &one, NULL), FER_OK);
    assert_int_equal(
        fer_schema_cache_get(c, read_schema(a, row->other), &row->other_options, &other, NULL),
        FER_OK);
    assert_int_equal(one == other, row->same);
    fer_cache_stats stats = fer_schema_cache_stats(c);
    assert_int_equal(stats.hits, row->same);
    assert_int_equal(stats.misses, 2 - row->same);
    assert_int_equal(stats.count, 2 - row->same);
    assert_int_equal(stats.dropped, 0);
    fer_schema_cache_free(c);
    /* What was given out outlives the cache. */
    bool valid;
    assert_int_equal(fer_schema_accepts(one, a, read_schema(a, "\"abc\""), &valid, NULL), FER_OK);
    fer_schema_unref(one);
    fer_schema_unref(other);
    fer_arena_free(a);
}

/* A registry that has grown may mean something else by the same words. */
static void registries(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema_cache *c = fer_schema_cache_new(0);
    fer_registry *r = fer_registry_new(), *other = fer_registry_new();
    fer_schema *one, *two, *three;
    fer_err err;
    const yyjson_val *schema = read_schema(a, "{\"$ref\":\"http://x/a\"}");
    fer_schema_options options = {.registry = r};
    assert_int_equal(fer_schema_cache_get(c, schema, &options, &one, &err), FER_EXTERNAL_REF);
    assert_int_equal(fer_schema_cache_stats(c).count, 0); /* failures are not kept */
    assert_int_equal(
        fer_registry_add(r, FER_STR("http://x/a"), FER_STR("{\"type\":\"null\"}"), 0, &err),
        FER_OK);
    assert_int_equal(fer_schema_cache_get(c, schema, &options, &one, &err), FER_OK);
    assert_int_equal(fer_registry_add(r, FER_STR("http://x/b"), FER_STR("true"), 0, &err), FER_OK);
    assert_int_equal(fer_schema_cache_get(c, schema, &options, &two, &err), FER_OK);
    assert_ptr_not_equal(one, two);
    options.registry = other;
    assert_int_equal(fer_schema_cache_get(c, schema, &options, &three, &err), FER_EXTERNAL_REF);
    assert_int_equal(fer_schema_cache_stats(c).misses, 4);
    fer_registry_free(r); /* the programs hold it */
    fer_registry_free(other);
    bool valid;
    assert_int_equal(fer_schema_accepts(two, a, read_schema(a, "null"), &valid, NULL), FER_OK);
    assert_true(valid);
    fer_schema_unref(one);
    fer_schema_unref(two);
    fer_schema_cache_free(c);
    fer_arena_free(a);
}

/* The options' texts and limits need not live on. */
static void owns_all(void)
{
    char base[] = "http://example.com/base/";
    fer_schema_limits limits = *fer_schema_limits_message();
    fer_schema_options options = {.base_uri = {base, strlen(base)}, .limits = &limits};
    fer_schema_cache *c = fer_schema_cache_new(0);
    fer_arena *a = fer_arena_new(0), *mine = fer_arena_new(0);
    fer_schema *s;
    assert_int_equal(
        fer_schema_cache_get(c, read_schema(a, "{\"type\":\"string\"}"), &options, &s, NULL),
        FER_OK);
    fer_arena_free(a);
    memset(base, 'x', sizeof base);
    memset(&limits, 0, sizeof limits);
    fer_result *result;
    size_t count;
    const yyjson_val *value = read_schema(mine, "1");
    assert_int_equal(fer_schema_validate(mine, s, NULL, value, NULL, &result, NULL), FER_OK);
    const fer_violation *v = fer_result_violations(result, &count);
    assert_int_equal(count, 1);
    assert_str(v->absolute_location, "http://example.com/base/#/type");
    fer_schema_unref(s);
    fer_schema_cache_free(c);
    fer_arena_free(mine);
}

/* ---- what is given up ---------------------------------------------------- */

static fer_schema *get_number(fer_schema_cache *c, int number)
{
    fer_arena *a = fer_arena_new(0);
    char text[64];
    fer_schema *s = NULL;
    snprintf(text, sizeof text, "{\"minimum\":%d}", number);
    assert_int_equal(fer_schema_cache_get(c, read_schema(a, text), NULL, &s, NULL), FER_OK);
    fer_arena_free(a);
    return s;
}

static void least_used_first(void)
{
    fer_schema_cache *c = fer_schema_cache_new(2);
    fer_schema *one = get_number(c, 1);
    fer_schema_unref(get_number(c, 2));
    fer_schema_unref(get_number(c, 1)); /* now 2 is the oldest */
    fer_schema_unref(get_number(c, 3));
    fer_cache_stats stats = fer_schema_cache_stats(c);
    assert_int_equal(stats.count, 2);
    assert_int_equal(stats.dropped, 1);
    fer_schema *again = get_number(c, 1);
    assert_ptr_equal(one, again);
    fer_schema_unref(again);
    fer_schema_unref(get_number(c, 2));
    fer_schema_unref(get_number(c, 3));
    stats = fer_schema_cache_stats(c);
    assert_int_equal(stats.hits, 2);
    assert_int_equal(stats.misses, 5);
    assert_int_equal(stats.dropped, 3);
    /* 1 is no longer in the cache, and still in use. */
    fer_arena *a = fer_arena_new(0);
    bool valid;
    assert_int_equal(fer_schema_accepts(one, a, read_schema(a, "0"), &valid, NULL), FER_OK);
    assert_false(valid);
    fer_arena_free(a);
    fer_schema_unref(one);
    fer_schema_cache_free(c);
    fer_schema_cache_free(NULL);
}

/* More programs than places: chains in buckets, one place only. */
static void many(void)
{
    fer_schema_cache *one = fer_schema_cache_new(1), *all = fer_schema_cache_new(0);
    for (int i = 0; i < 300; i++) {
        fer_schema_unref(get_number(one, i));
        fer_schema_unref(get_number(all, i));
    }
    for (int i = 0; i < 300; i++) fer_schema_unref(get_number(all, i));
    assert_int_equal(fer_schema_cache_stats(one).dropped, 299);
    assert_int_equal(fer_schema_cache_stats(one).count, 1);
    assert_int_equal(fer_schema_cache_stats(all).hits, 300);
    assert_int_equal(fer_schema_cache_stats(all).count, 300);
    fer_schema_cache_free(one);
    fer_schema_cache_free(all);
}

/* ---- failures ------------------------------------------------------------ */

static fer_code cache_attempt(fer_arena *a, const void *row)
{
    const yyjson_val *const *schemas = row;
    (void)a;
    fer_schema_cache *c = fer_schema_cache_new(1);
    if (!c) return FER_OUT_OF_MEMORY;
    fer_code code = FER_OK;
    for (size_t i = 0; i < 3 && !code; i++) {
        fer_schema *s = NULL;
        fer_err err;
        code = fer_schema_cache_get(c, schemas[i], NULL, &s, &err);
        if (code) assert_int_equal(err.code, code);
        fer_schema_unref(s);
    }
    fer_schema_cache_free(c);
    return code;
}

static void no_memory(void)
{
    fer_arena *a = fer_arena_new(0);
    const yyjson_val *schemas[3] = {
        read_schema(a, "{\"properties\":{\"a\":{\"type\":\"string\"}}}"),
        read_schema(a, "{\"minimum\":1}"), read_schema(a, "{\"minimum\":1}")};
    /* Without memory for the entry the program is given all the same. */
    assert_true(rows_torture_malloc(cache_attempt, schemas) > 5);
    fer_arena_free(a);
}

static void no_entropy(void)
{
    assert_true(fer_faults_begin("random@1+"));
    fer_schema_cache *c = fer_schema_cache_new(0);
    fer_schema_unref(get_number(c, 1));
    fer_schema_unref(get_number(c, 1));
    assert_int_equal(fer_schema_cache_stats(c).hits, 1);
    fer_schema_cache_free(c);
    fer_faults_begin(NULL);
}

static void refuses(void)
{
    fer_arena *a = fer_arena_new(0);
    fer_schema_cache *c = fer_schema_cache_new(0);
    fer_schema *s = NULL;
    fer_err err;
    assert_int_equal(fer_schema_cache_get(c, read_schema(a, "{\"type\":1}"), NULL, &s, &err),
                     FER_INVALID_SCHEMA);
    assert_null(s);
    assert_int_equal(fer_schema_cache_stats(c).count, 0);
    fer_schema_cache_free(c);
    fer_arena_free(a);
}

/* ---- threads ------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS  60
#define KINDS   12

struct asker {
    fer_schema_cache *cache;
    size_t wrong;
};

/* Each thread walks the schemas its own way; the cache holds fewer than there are. */
static void *ask(void *context)
{
    struct asker *asker = context;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < KINDS; k++) {
            fer_arena *a = fer_arena_new(0);
            fer_json *schema, *value;
            fer_schema *s;
            char text[64];
            bool valid = false;
            int number = (k * (round % 5 + 1)) % KINDS;
            snprintf(text, sizeof text, "{\"minimum\":%d}", number);
            bool ok = !fer_json_read(a, fer_str_of(text), NULL, &schema, NULL) &&
                      !fer_schema_cache_get(asker->cache, fer_json_root(schema), NULL, &s, NULL);
            if (ok) {
                char instance[16];
                snprintf(instance, sizeof instance, "%d", number - round % 2);
                ok = !fer_json_read(a, fer_str_of(instance), NULL, &value, NULL) &&
                     !fer_schema_accepts(s, a, fer_json_root(value), &valid, NULL) &&
                     valid == (round % 2 == 0);
                fer_schema_unref(s);
            }
            asker->wrong += !ok;
            fer_arena_free(a);
        }
    }
    return NULL;
}

static void threads(void)
{
    static const size_t sizes[] = {1, 5, KINDS};
    for (size_t i = 0; i < FER_COUNT(sizes); i++) {
        pthread_t ids[THREADS];
        struct asker askers[THREADS];
        fer_schema_cache *c = fer_schema_cache_new(sizes[i]);
        for (size_t t = 0; t < THREADS; t++) {
            askers[t] = (struct asker){c, 0};
            assert_int_equal(pthread_create(&ids[t], NULL, ask, &askers[t]), 0);
        }
        for (size_t t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(ids[t], NULL), 0);
            assert_int_equal(askers[t].wrong, 0);
        }
        fer_cache_stats stats = fer_schema_cache_stats(c);
        assert_int_equal(stats.count, sizes[i]);
        assert_int_equal(stats.hits + stats.misses, THREADS * ROUNDS * KINDS);
        if (sizes[i] == KINDS) assert_int_equal(stats.dropped, 0);
        fer_schema_cache_free(c);
    }
}

/* All threads miss the same schema at the same time: all succeed, one program is kept. */
struct racer {
    fer_schema_cache *cache;
    pthread_barrier_t *start;
    const yyjson_val *schema;
    fer_schema *program;
};

static void *race(void *context)
{
    struct racer *r = context;
    pthread_barrier_wait(r->start);
    if (fer_schema_cache_get(r->cache, r->schema, NULL, &r->program, NULL)) r->program = NULL;
    return NULL;
}

static void one_is_kept(void)
{
    fer_arena *a = fer_arena_new(0);
    char text[16384] = "{\"allOf\":[{}";
    for (int i = 0; i < 300; i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, ",{\"pattern\":\"^a{%d}$\"}", i);
    }
    size_t end = strlen(text);
    snprintf(text + end, sizeof text - end, "]}");
    const yyjson_val *schema = read_schema(a, text);
    for (int round = 0; round < 5; round++) {
        pthread_t ids[THREADS];
        pthread_barrier_t start;
        struct racer racers[THREADS];
        fer_schema_cache *c = fer_schema_cache_new(0);
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (size_t t = 0; t < THREADS; t++) {
            racers[t] = (struct racer){c, &start, schema, NULL};
            assert_int_equal(pthread_create(&ids[t], NULL, race, &racers[t]), 0);
        }
        for (size_t t = 0; t < THREADS; t++) assert_int_equal(pthread_join(ids[t], NULL), 0);
        for (size_t t = 0; t < THREADS; t++) {
            assert_non_null(racers[t].program);
            assert_ptr_equal(racers[t].program, racers[0].program);
        }
        for (size_t t = 0; t < THREADS; t++) fer_schema_unref(racers[t].program);
        assert_int_equal(fer_schema_cache_stats(c).count, 1);
        pthread_barrier_destroy(&start);
        fer_schema_cache_free(c);
    }
    fer_arena_free(a);
}

int main(void)
{
    return ROWS_RUN("schema cache keys", key_rows, shares) + ROWS_ONE("schema cache", registries) +
           ROWS_ONE("schema cache", owns_all) + ROWS_ONE("schema cache", least_used_first) +
           ROWS_ONE("schema cache", many) + ROWS_ONE("schema cache", no_memory) +
           ROWS_ONE("schema cache", no_entropy) + ROWS_ONE("schema cache", refuses) +
           ROWS_ONE("schema cache", threads) + ROWS_ONE("schema cache", one_is_kept);
}
