/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers while the catalogue changes: every view is whole. A writer keeps two tools in step and
 * their number known by the version; readers check that no view shows anything else. Meant to be
 * run under TSan; it measures nothing.
 */
#include "catalog_rows.h"

#include <pthread.h>

#define READERS 3
#define ROUNDS  300

static _Atomic int done;

/* Both definitions carry the round in which they were put. */
static void put_round(fer_catalog *c, int round)
{
    char text[512];
    snprintf(text, sizeof text,
             "[{\"name\":\"left\",\"description\":\"round %d\"," S
             "},{\"name\":\"right\",\"description\":\"round %d\"," S
             "},{\"namespace\":\"n%d\",\"name\":\"t%d\"," S "}]",
             round, round, round % 7, round);
    must_put(c, text);
}

static void remove_round(fer_catalog *c, int round)
{
    char id[64];
    fer_err err;
    fer_batch *b = fer_batch_new();
    snprintf(id, sizeof id, "n%d:t%d", round % 7, round);
    fer_batch_remove(b, fer_str_of(id), &err);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
    fer_batch_free(b);
}

static void *write_rounds(void *context)
{
    fer_catalog *c = context;
    for (int i = 1; i <= ROUNDS; i++) {
        put_round(c, i);
        if (i % 2 == 0) remove_round(c, i / 2);
    }
    done = 1;
    return NULL;
}

static void check_view(fer_arena *a, const fer_view *v)
{
    fer_summary left, right, *list;
    fer_namespace *spaces;
    fer_page page = {.size = 100};
    size_t count, n, all = 0, listed = 0;
    fer_str next, doc;
    fer_err err;
    if (fer_view_count(v) == 0) return;
    assert_int_equal(fer_view_summary(a, v, FER_STR("left"), &left, &err), FER_OK);
    assert_int_equal(fer_view_summary(a, v, FER_STR("right"), &right, &err), FER_OK);
    assert_true(fer_str_eq(left.summary, right.summary));
    assert_int_equal(fer_view_namespaces(a, v, NULL, &page, &spaces, &n, &next, &err), FER_OK);
    for (size_t i = 0; i < n; i++) all += spaces[i].tools;
    assert_int_equal(all, fer_view_count(v));
    do {
        assert_int_equal(fer_view_list(a, v, NULL, &page, &list, &count, &page.token, &err),
                         FER_OK);
        listed += count;
    } while (page.token.len);
    assert_int_equal(listed, fer_view_count(v));
    assert_int_equal(fer_view_describe(a, v, FER_STR("left"), FER_LEVEL_FULL, &doc, &err), FER_OK);
}

static void *read_on(void *context)
{
    fer_catalog *c = context;
    fer_arena *a = fer_arena_new(0);
    uint64_t last = 0;
    while (!done) {
        fer_view *v = fer_catalog_view(c);
        assert_true(fer_view_version(v) >= last);
        last = fer_view_version(v);
        check_view(a, v);
        fer_view_unref(v);
        fer_arena_reset(a);
    }
    fer_arena_free(a);
    return NULL;
}

/* Takes views and drops them, as quickly as it can: the gate has no quiet moment. */
static void *knock(void *context)
{
    while (!done) fer_view_unref(fer_catalog_view(context));
    return NULL;
}

static _Atomic uint64_t told, last_version;

static void hear(void *context, const fer_event *event)
{
    (void)context;
    if (event->version < last_version) fail_msg("versions go back");
    last_version = event->version;
    told++;
}

static void readers(void)
{
    pthread_t threads[READERS + 2];
    fer_catalog *c = must_catalog(NULL);
    uint64_t number;
    assert_int_equal(fer_catalog_subscribe(c, hear, NULL, &number, NULL), FER_OK);
    pthread_create(&threads[0], NULL, write_rounds, c);
    pthread_create(&threads[1], NULL, knock, c);
    for (size_t i = 2; i < FER_COUNT(threads); i++) pthread_create(&threads[i], NULL, read_on, c);
    for (size_t i = 0; i < FER_COUNT(threads); i++) pthread_join(threads[i], NULL);
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_version(v), ROUNDS + ROUNDS / 2);
    assert_int_equal(fer_view_count(v), 2 + ROUNDS - ROUNDS / 2);
    assert_int_equal(told, 3 * ROUNDS + ROUNDS / 2);
    fer_view_unref(v);
    fer_catalog_free(c);
}

/* Writers at once: each change is there, and each has a version of its own. */
static void *write_own(void *context)
{
    static _Atomic int next;
    int own = next++;
    for (int i = 0; i < 100; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"namespace\":\"w%d\",\"name\":\"t%d\"," S "}", own, i);
        must_put(context, text);
    }
    return NULL;
}

static void writers(void)
{
    pthread_t threads[4];
    fer_catalog *c = must_catalog(NULL);
    uint64_t number;
    told = last_version = 0;
    assert_int_equal(fer_catalog_subscribe(c, hear, NULL, &number, NULL), FER_OK);
    for (size_t i = 0; i < FER_COUNT(threads); i++) pthread_create(&threads[i], NULL, write_own, c);
    for (size_t i = 0; i < FER_COUNT(threads); i++) pthread_join(threads[i], NULL);
    fer_view *v = fer_catalog_view(c);
    assert_int_equal(fer_view_version(v), 400);
    assert_int_equal(fer_view_count(v), 400);
    assert_int_equal(told, 400);
    fer_view_unref(v);
    fer_catalog_free(c);
}

int main(void)
{
    return ROWS_ONE("threads", readers) + ROWS_ONE("threads", writers);
}
