/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making vectors step by step: what is wanted is taken off the list under the catalogue's lock,
 * its vectors are made without it, and put under it again where the tools are still served.
 */
#include <string.h>

#include "arena.h"
#include "catalog_parts.h"
#include "errors.h"
#include "finder.h"
#include "sys.h"
#include "vector_store.h"
#include "vectors_kept.h"

#define STEP 64 /* tools for which the lock is taken twice, and a server is asked once */

struct step {
    fer_catalog *catalog;
    fer_finder *finder;
    fer_vector_store *store;
    fer_arena *scratch;
    int8_t *vectors;
    fer_entry *entries[STEP]; /* held */
    uint32_t numbers[STEP];
    size_t count;
};

/* Those that were replaced or removed meanwhile are forgotten. */
static void take(struct step *s, size_t most)
{
    uint32_t numbers[STEP];
    pthread_mutex_lock(&s->catalog->lock);
    fer_view *v = fer_catalog_view(s->catalog);
    size_t count = fer_vector_store_take(s->store, numbers, most < STEP ? most : STEP);
    s->count = 0;
    for (size_t i = 0; i < count; i++) {
        fer_entry *e = fer_view_numbered(v, numbers[i]);
        if (!e) continue;
        fer_value_ref(&e->value);
        s->numbers[s->count] = numbers[i];
        s->entries[s->count++] = e;
    }
    s->catalog->embedding += s->count;
    pthread_mutex_unlock(&s->catalog->lock);
    fer_view_unref(v);
}

static fer_code make(struct step *s, fer_err *err)
{
    fer_code code = FER_OK;
    const fer_body *bodies[STEP];
    fer_arena_reset(s->scratch);
    for (size_t i = 0; i < s->count && !code; i++)
        code = fer_entry_body(s->entries[i], &bodies[i], err);
    return code ? code : fer_finder_embed(s->finder, s->scratch, bodies, s->count, s->vectors, err);
}

/* What could not be made is wanted again. */
static fer_code put(struct step *s, fer_code made, fer_err *err)
{
    fer_code code = made;
    size_t dims = (size_t)fer_vector_store_id(s->store)->dims;
    pthread_mutex_lock(&s->catalog->lock);
    fer_view *v = fer_catalog_view(s->catalog);
    for (size_t i = 0; i < s->count; i++) {
        bool served = fer_view_numbered(v, s->numbers[i]) == s->entries[i];
        if (served && !code)
            code = fer_vector_store_put(s->store, s->numbers[i], s->vectors + i * dims, err);
        if (served && code && !fer_vector_store_want(s->store, s->numbers[i]))
            code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
        fer_value_unref(&s->entries[i]->value);
    }
    s->catalog->embedding -= s->count;
    pthread_mutex_unlock(&s->catalog->lock);
    fer_view_unref(v);
    return code;
}

static fer_code embed_all(struct step *s, size_t most, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t done = 0; !code && done < most; done += s->count) {
        take(s, most - done);
        if (!s->count) break;
        code = make(s, err);
        code = put(s, code, err);
    }
    return code;
}

static size_t left_of(fer_catalog *c, const fer_vector_store *store)
{
    pthread_mutex_lock(&c->lock);
    size_t left = fer_vector_store_wanted(store) + c->embedding;
    pthread_mutex_unlock(&c->lock);
    return left;
}

fer_code fer_catalog_embed(fer_catalog *c, size_t most, size_t *left, fer_err *err)
{
    fer_view *v = fer_catalog_view(c);
    struct step s = {
        .catalog = c, .finder = v->finder, .store = v->finder ? fer_finder_store(v->finder) : NULL};
    fer_code code = FER_OK;
    if (left) *left = 0;
    if (s.store) {
        s.scratch = fer_arena_new(0);
        s.vectors = fer_sys_malloc(STEP * (size_t)fer_vector_store_id(s.store)->dims);
        code = s.scratch && s.vectors ? embed_all(&s, most, err)
                                      : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
        size_t more = left_of(c, s.store);
        if (!more) fer_finder_rest(s.finder); /* words of thousands of tools are in it */
        if (left) *left = more;
        fer_arena_free(s.scratch);
        fer_sys_free(s.vectors);
    }
    fer_view_unref(v);
    return code;
}

void fer_catalog_vectors(fer_catalog *c, fer_vector_stats *out)
{
    fer_view *v = fer_catalog_view(c);
    fer_vector_store *store = v->finder ? fer_finder_store(v->finder) : NULL;
    const fer_vector_section *kept = fer_kept_vectors(v);
    const fer_embedding_id *id = store ? fer_vector_store_id(store) : &kept->id;
    *out = (fer_vector_stats){.dims = (size_t)id->dims, .used = store != NULL};
    memcpy(out->embedder, id->name, sizeof out->embedder);
    out->others = fer_kept_vectors_others(v);
    out->stay = fer_kept_vectors_stay(v);
    out->vectors = store ? fer_vector_store_count(store) : fer_kept_vectors_count(v);
    out->left = store ? left_of(c, store) : 0;
    memcpy(out->file_embedder, kept->id.name, sizeof out->file_embedder);
    memcpy(out->file_model, kept->label.model, sizeof out->file_model);
    out->file_dims = (size_t)(kept->label.length ? kept->label.length : kept->id.dims);
    out->file_vectors = out->others ? fer_kept_vectors_count(v) : out->vectors;
    if (!kept->bytes.len) out->file_vectors = 0;
    fer_view_unref(v);
}
