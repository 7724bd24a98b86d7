/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything at once: searches by every ranker, changes, vectors made in the background, uses
 * noted, files saved and opened. Meant to be run under TSan; it measures nothing.
 */
#include "catalog_rows.h"

#include <pthread.h>

#include "temp_files.h"

#define ROUNDS 120

static _Atomic int writing = 1;

static const fer_catalog_options options = {.search = true, .embedder = "builtin", .uses = ""};

static void *search_on(void *context)
{
    fer_arena *a = fer_arena_new(0);
    for (unsigned i = 0; writing; i++) {
        fer_found found;
        fer_err err;
        fer_search_options how = {.rank = (fer_rank)(i % 4),
                                  .explain = i % 3 == 0,
                                  .tenant = i % 5 ? FER_STR("") : FER_STR("tenant")};
        if (fer_catalog_search(a, context, FER_STR("steady things"), &how, NULL, &found, &err))
            fail_msg("%s", err.message);
        for (size_t k = 0; k < found.count; k++) {
            fer_str id = found.matches[k].hit.summary.id; /* the view may be gone by now */
            assert_true(id.len && (id.ptr[0] == 's' || id.ptr[0] == 't'));
        }
        fer_arena_reset(a);
    }
    fer_arena_free(a);
    return NULL;
}

static void *embed_on(void *context)
{
    size_t left;
    fer_err err;
    while (writing)
        if (fer_catalog_embed(context, 3, &left, &err)) fail_msg("%s", err.message);
    return NULL;
}

static void *save_on(void *context)
{
    fer_vector_stats stats;
    fer_event *list;
    size_t count;
    fer_err err;
    fer_arena *a = fer_arena_new(0);
    char path[128];
    snprintf(path, sizeof path, "%s/threads", root);
    while (writing) {
        fer_catalog *again;
        if (fer_catalog_save(context, path, &err)) fail_msg("%s", err.message);
        if (fer_catalog_open(path, &options, &again, &err)) fail_msg("%s", err.message);
        fer_view *v = fer_catalog_view(again);
        if (fer_view_verify(v, &err)) fail_msg("%s", err.message);
        fer_catalog_vectors(context, &stats);
        assert_int_equal(fer_catalog_events(a, context, 0, &list, &count, NULL, &err), FER_OK);
        fer_view_unref(v);
        fer_catalog_free(again);
        fer_arena_reset(a);
    }
    fer_arena_free(a);
    return NULL;
}

static void *use_on(void *context)
{
    fer_err err;
    for (int i = 0; writing; i++) {
        char query[64];
        snprintf(query, sizeof query, "steady things %d", i % 50);
        if (fer_catalog_note_use(context, FER_STR("tenant"), fer_str_of(query), FER_STR("steady"),
                                 &err))
            fail_msg("%s", err.message);
        if (i % 64 == 63) fer_catalog_forget_uses(context, FER_STR("tenant"), FER_STR(""));
    }
    return NULL;
}

static void put_round(fer_catalog *c, int i)
{
    char text[512];
    snprintf(text, sizeof text,
             "[{\"name\":\"steady\",\"description\":\"round %d\"," S
             "},{\"name\":\"t%d\",\"description\":\"steady things too\"," S "}]",
             i, i);
    must_put(c, text);
    if (i % 3 != 2) return;
    fer_batch *b = fer_batch_new();
    fer_err err;
    snprintf(text, sizeof text, "t%d", i - 1);
    fer_batch_remove(b, fer_str_of(text), &err);
    assert_int_equal(fer_catalog_apply(c, b, &err), FER_OK);
    fer_batch_free(b);
}

static void all_at_once(void)
{
    static void *(*const others[])(void *) = {search_on, search_on, embed_on,
                                              embed_on,  save_on,   use_on};
    pthread_t threads[FER_COUNT(others)];
    fer_catalog *c = must_catalog(&options);
    fer_vector_stats stats;
    fer_err err;
    size_t left;
    put_round(c, 0);
    for (size_t i = 0; i < FER_COUNT(others); i++) pthread_create(&threads[i], NULL, others[i], c);
    for (int i = 1; i < ROUNDS; i++) put_round(c, i);
    writing = 0;
    for (size_t i = 0; i < FER_COUNT(others); i++) pthread_join(threads[i], NULL);
    assert_int_equal(fer_catalog_embed(c, SIZE_MAX, &left, &err), FER_OK);
    fer_catalog_vectors(c, &stats);
    assert_int_equal(left, 0);
    assert_int_equal(stats.vectors, 1 + ROUNDS - ROUNDS / 3);
    fer_catalog_free(c);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-threads-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_ONE("threads", all_at_once);
    drop(root);
    return failed;
}
