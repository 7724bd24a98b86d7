/* SPDX-License-Identifier: Apache-2.0 */
/* The shared table against a plain sorted list: random changes, old states that must not change. */
#include "table.h"

#include <stdlib.h>

#include "rows.h"
#include "sys.h"

struct item {
    fer_value value;
    uint64_t made; /* which of several of one key */
    char text[16];
};

static atomic_int live;

static void drop_item(fer_value *v)
{
    live--;
    fer_sys_free(v);
}

static struct item *new_item(unsigned key, uint64_t made)
{
    struct item *it = fer_sys_malloc(sizeof *it);
    if (!it) return NULL;
    live++;
    atomic_init(&it->value.refs, 1);
    snprintf(it->text, sizeof it->text, "k%u", key);
    it->value.key = fer_str_of(it->text);
    it->value.drop = drop_item;
    it->made = made;
    return it;
}

#define KEYS 3000

/* The model: which of the items of a key is there, 0: none. */
struct model {
    uint64_t made[KEYS];
    size_t count;
};

static void model_set(struct model *m, unsigned key, uint64_t made)
{
    m->count += (made != 0) - (size_t)(m->made[key] != 0);
    m->made[key] = made;
}

static unsigned key_of(const fer_value *v)
{
    uint64_t n = 0;
    assert_true(fer_parse_u64(fer_str_slice(v->key, 1, v->key.len), &n));
    return (unsigned)n;
}

/* Everything that can be asked of a tree, against the model. */
static void same(const fer_table *t, const struct model *m)
{
    fer_str before = FER_STR_NONE;
    fer_value *const *run;
    size_t count, seen = 0;
    assert_int_equal(fer_table_count(t), m->count);
    for (size_t at = 0; (run = fer_table_run(t, at, &count)); at += count) {
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++, seen++) {
            const struct item *it = (const struct item *)(const void *)run[i];
            assert_int_equal(it->made, m->made[key_of(run[i])]);
            if (before.ptr) assert_true(fer_str_cmp(before, run[i]->key) < 0);
            before = run[i]->key;
        }
    }
    assert_int_equal(seen, m->count);
}

static void same_one(const fer_table *t, const struct model *m, unsigned key)
{
    char text[16];
    snprintf(text, sizeof text, "k%u", key);
    const struct item *it = (const struct item *)(const void *)fer_table_get(t, fer_str_of(text));
    assert_int_equal(it ? it->made : 0, m->made[key]);
    size_t rank = fer_table_rank(t, fer_str_of(text)), count;
    fer_value *const *run = fer_table_run(t, rank, &count);
    if (it) assert_ptr_equal(run[0], &it->value);
    else if (run) assert_true(fer_str_cmp(run[0]->key, fer_str_of(text)) > 0);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

static const struct row {
    const char *name;
    unsigned keys; /* that are used */
    unsigned puts; /* of ten changes */
    size_t steps;
    bool many_states; /* keep every hundredth state */
} rows[] = {
    {"one key", 1, 5, 200, true},
    {"few keys", 40, 5, 3000, true},
    {"growing", KEYS, 9, 20000, true},
    {"shrinking and growing", 1000, 5, 40000, true},
    {"mostly removing", 600, 3, 20000, false},
};

static void run(const struct row *row)
{
    enum {
        STATES = 400
    };
    static struct model models[STATES], now;
    fer_table states[STATES], t = {0};
    size_t kept = 0;
    uint64_t random = row->keys;
    memset(&now, 0, sizeof now);
    for (size_t step = 1; step <= row->steps; step++) {
        unsigned key = (unsigned)(next_random(&random) % row->keys);
        if (next_random(&random) % 10 < row->puts) {
            struct item *it = new_item(key, step);
            assert_true(fer_table_put(&t, &it->value));
            model_set(&now, key, step);
        } else {
            char text[16];
            snprintf(text, sizeof text, "k%u", key);
            assert_true(fer_table_remove(&t, fer_str_of(text)));
            model_set(&now, key, 0);
        }
        same_one(&t, &now, (unsigned)(next_random(&random) % row->keys));
        if (row->many_states && step % 100 == 0) {
            models[kept] = now;
            states[kept++] = fer_table_copy(&t);
        }
        if (step % 500 == 0) same(&t, &now);
    }
    same(&t, &now);
    for (size_t i = 0; i < kept; i++) {
        same(&states[i], &models[i]);
        fer_table_drop(&states[i]);
    }
    fer_table_drop(&t);
    assert_int_equal(live, 0);
}

static int by_key(const void *x, const void *y)
{
    return fer_str_cmp((*(fer_value *const *)x)->key, (*(fer_value *const *)y)->key);
}

/* Built in one go, then changed. */
static void built(void)
{
    static struct model m;
    static const size_t sizes[] = {0, 1, 27, 28, 29, 32, 33, 784, 785, KEYS};
    for (size_t s = 0; s < FER_COUNT(sizes); s++) {
        fer_value *list[KEYS];
        fer_table t, copy;
        memset(&m, 0, sizeof m);
        for (unsigned i = 0; i < sizes[s]; i++) {
            list[i] = &new_item(i, i + 1)->value;
            model_set(&m, i, i + 1);
        }
        qsort(list, sizes[s], sizeof *list, by_key);
        assert_true(fer_table_build(&t, list, sizes[s]));
        same(&t, &m);
        copy = fer_table_copy(&t);
        for (unsigned i = 0; i < sizes[s]; i += 2) {
            char text[16];
            snprintf(text, sizeof text, "k%u", i);
            assert_true(fer_table_remove(&t, fer_str_of(text)));
            model_set(&m, i, 0);
        }
        same(&t, &m);
        fer_table_drop(&t);
        assert_int_equal(fer_table_count(&copy), sizes[s]);
        fer_table_drop(&copy);
        assert_int_equal(live, 0);
    }
}

/* With each allocation failing in turn: what was there stays there. */
static fer_code attempt(fer_arena *given, const void *context)
{
    (void)given;
    (void)context;
    static struct model m;
    fer_table t = {0}, old = {0};
    fer_code code = FER_OK;
    memset(&m, 0, sizeof m);
    for (unsigned i = 0; i < 200 && !code; i++) {
        struct item *it = new_item(i * 7 % 200, i + 1);
        if (!it) code = FER_OUT_OF_MEMORY;
        else if (fer_table_put(&t, &it->value)) model_set(&m, i * 7 % 200, i + 1);
        else {
            fer_value_unref(&it->value);
            code = FER_OUT_OF_MEMORY;
        }
        if (i == 100) old = fer_table_copy(&t);
    }
    for (unsigned i = 0; i < 200 && !code; i += 3) {
        char text[16];
        snprintf(text, sizeof text, "k%u", i);
        if (fer_table_remove(&t, fer_str_of(text))) model_set(&m, i, 0);
        else code = FER_OUT_OF_MEMORY;
    }
    same(&t, &m);
    fer_table_drop(&t);
    fer_table_drop(&old);
    assert_int_equal(live, 0);
    return code;
}

static fer_code build_attempt(fer_arena *given, const void *context)
{
    fer_value *list[2000];
    fer_table t = {0};
    (void)given;
    (void)context;
    static struct item items[2000];
    for (unsigned i = 0; i < 2000; i++) {
        snprintf(items[i].text, sizeof items[i].text, "k%05u", i);
        atomic_init(&items[i].value.refs, 2);
        items[i].value.key = fer_str_of(items[i].text);
        list[i] = &items[i].value;
    }
    bool ok = fer_table_build(&t, list, 2000);
    if (ok) assert_int_equal(fer_table_count(&t), 2000);
    fer_table_drop(&t);
    for (unsigned i = 0; i < 2000; i++)
        assert_int_equal(atomic_load(&items[i].value.refs), ok ? 1 : 2);
    return ok ? FER_OK : FER_OUT_OF_MEMORY;
}

static void torture(void)
{
    assert_true(rows_torture_malloc(attempt, NULL) > 200);
    assert_true(rows_torture_malloc(build_attempt, NULL) > 70);
}

int main(void)
{
    return ROWS_RUN("random", rows, run) + ROWS_ONE("tree", built) + ROWS_ONE("tree", torture);
}
