/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "errors.h"
#include "sys.h"

struct fer_vector_store {
    atomic_uint refs;
    fer_embedding embedding;
    pthread_rwlock_t lock; /* of `vectors` */
    fer_vectors *vectors;
    atomic_size_t count;
    _Atomic(uint64_t) state;
    uint32_t *wanted; /* the writer's alone */
    size_t wanted_count, wanted_cap;
};

/* Readers come all the time: without this, a writer would wait for a moment without any. */
static bool init_lock(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attr;
    if (pthread_rwlockattr_init(&attr) != 0) return false;
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    bool ok = pthread_rwlock_init(lock, &attr) == 0;
    pthread_rwlockattr_destroy(&attr);
    return ok;
}

fer_code fer_vector_store_new(const char *embedder, const fer_embed_plugin *plugin,
                              fer_vector_store **out, fer_err *err)
{
    fer_vector_store *s = fer_sys_malloc(sizeof *s);
    if (!s) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    memset(s, 0, sizeof *s);
    atomic_init(&s->refs, 1);
    if (!init_lock(&s->lock)) {
        fer_sys_free(s);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    fer_code code = plugin ? fer_embedding_open_plugin(&s->embedding, plugin, err)
                           : fer_embedding_open(&s->embedding, embedder, err);
    if (!code) s->vectors = fer_vectors_new((size_t)s->embedding.id.dims);
    if (!code && !s->vectors) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) fer_vector_store_unref(s);
    else *out = s;
    return code;
}

fer_vector_store *fer_vector_store_ref(fer_vector_store *s)
{
    if (s) atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void fer_vector_store_unref(fer_vector_store *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    fer_vectors_free(s->vectors);
    fer_embedding_close(&s->embedding);
    pthread_rwlock_destroy(&s->lock);
    fer_sys_free(s->wanted);
    fer_sys_free(s);
}

const fer_embedding_id *fer_vector_store_id(const fer_vector_store *s)
{
    return &s->embedding.id;
}

const fer_embedding_label *fer_vector_store_label(const fer_vector_store *s)
{
    return &s->embedding.label;
}

fer_embedder *fer_vector_store_embedder(const fer_vector_store *s)
{
    return fer_embedding_more(&s->embedding);
}

/* ---- the writer ------------------------------------------------------------------------------ */

static void changed(fer_vector_store *s)
{
    uint64_t state =
        atomic_load_explicit(&s->state, memory_order_relaxed); /* one writer at a time */
    atomic_store_explicit(&s->count, fer_vectors_count(s->vectors), memory_order_release);
    atomic_store_explicit(&s->state, state + 1, memory_order_release);
}

fer_code fer_vector_store_put(fer_vector_store *s, uint32_t number, const int8_t *vector,
                              fer_err *err)
{
    pthread_rwlock_wrlock(&s->lock);
    fer_code code = fer_vectors_put(s->vectors, number, vector, err);
    if (!code) changed(s);
    pthread_rwlock_unlock(&s->lock);
    return code;
}

fer_code fer_vector_store_fill(fer_vector_store *s, uint32_t number, const int8_t *vector,
                               fer_err *err)
{
    fer_code code = fer_vectors_put(s->vectors, number, vector, err);
    if (!code) changed(s);
    return code;
}

fer_code fer_vector_store_copy(fer_vector_store *s, uint32_t from, uint32_t to, bool *copied,
                               fer_err *err)
{
    int8_t copy[FER_EMBED_DIMS];
    const int8_t *vector = fer_vectors_get(s->vectors, from);
    *copied = vector != NULL;
    if (!vector) return FER_OK;
    memcpy(copy, vector, (size_t)s->embedding.id.dims); /* putting may move all of them */
    return fer_vector_store_put(s, to, copy, err);
}

void fer_vector_store_remove(fer_vector_store *s, uint32_t number)
{
    if (!fer_vectors_get(s->vectors, number)) return;
    pthread_rwlock_wrlock(&s->lock);
    fer_vectors_remove(s->vectors, number);
    changed(s);
    pthread_rwlock_unlock(&s->lock);
}

bool fer_vector_store_want(fer_vector_store *s, uint32_t number)
{
    if (s->wanted_count == s->wanted_cap) {
        size_t cap = s->wanted_cap ? 2 * s->wanted_cap : 64;
        uint32_t *list = fer_sys_malloc(cap * sizeof *list);
        if (!list) return false;
        if (s->wanted_count) memcpy(list, s->wanted, s->wanted_count * sizeof *list);
        fer_sys_free(s->wanted);
        s->wanted = list;
        s->wanted_cap = cap;
    }
    s->wanted[s->wanted_count++] = number;
    return true;
}

size_t fer_vector_store_take(fer_vector_store *s, uint32_t *numbers, size_t most)
{
    size_t count = s->wanted_count < most ? s->wanted_count : most;
    for (size_t i = 0; i < count; i++) numbers[i] = s->wanted[--s->wanted_count];
    return count;
}

size_t fer_vector_store_wanted(const fer_vector_store *s)
{
    return s->wanted_count;
}

const int8_t *fer_vector_store_get(const fer_vector_store *s, uint32_t number)
{
    return fer_vectors_get(s->vectors, number);
}

/* ---- readers --------------------------------------------------------------------------------- */

const fer_vectors *fer_vector_store_read(fer_vector_store *s)
{
    pthread_rwlock_rdlock(&s->lock);
    return s->vectors;
}

void fer_vector_store_done(fer_vector_store *s)
{
    pthread_rwlock_unlock(&s->lock);
}

size_t fer_vector_store_count(const fer_vector_store *s)
{
    return atomic_load(&s->count);
}

uint64_t fer_vector_store_state(const fer_vector_store *s)
{
    return atomic_load(&s->state);
}
