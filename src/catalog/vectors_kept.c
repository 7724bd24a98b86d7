/* SPDX-License-Identifier: Apache-2.0 */
#include "vectors_kept.h"

#include <string.h>

#include "catalog_file.h"
#include "finder.h"
#include "vector_store.h"

static fer_vector_store *store_of(const fer_view *v)
{
    return v->finder ? fer_finder_store(v->finder) : NULL;
}

const fer_vector_section *fer_kept_vectors(const fer_view *v)
{
    const fer_vector_section *own = fer_catalog_file_vectors(v->file);
    return own->bytes.len ? own : fer_catalog_file_vectors(v->older);
}

bool fer_kept_vectors_others(const fer_view *v)
{
    const fer_vector_section *kept = fer_kept_vectors(v);
    const fer_vector_store *store = store_of(v);
    return store && kept->bytes.len &&
           !fer_embedding_id_same(&kept->id, fer_vector_store_id(store));
}

/* Of an embedder with one model at a time; those with several say which. */
static bool is_earlier_state(const fer_vector_section *kept, const fer_vector_store *store)
{
    const fer_embedding_id *id = fer_vector_store_id(store);
    return memcmp(kept->id.name, id->name, sizeof id->name) == 0 && !kept->label.model[0] &&
           !fer_vector_store_label(store)->model[0];
}

bool fer_kept_vectors_stay(const fer_view *v)
{
    return v->keeps && fer_kept_vectors_others(v) &&
           !is_earlier_state(fer_kept_vectors(v), store_of(v));
}

static const int8_t *find(const fer_vector_section *kept, const fer_entry *e)
{
    uint32_t place = fer_vector_section_find(kept, e->content);
    return place == FER_NO_VECTOR ? NULL : fer_vector_section_row(kept, place);
}

/* The vectors of the tools, in the store or (NULL) those that are kept; `list` may be NULL. */
static size_t gather(const fer_view *v, const fer_vector_store *store, struct fer_vector_row *list)
{
    const fer_vector_section *kept = fer_kept_vectors(v);
    fer_value *const *run;
    size_t n, count = 0;
    for (size_t at = 0; (run = fer_table_run(&v->tools, at, &n)); at += n) {
        for (size_t i = 0; i < n; i++) {
            const fer_entry *e = (const fer_entry *)(const void *)run[i];
            const int8_t *vector = store ? fer_vector_store_get(store, e->number) : find(kept, e);
            if (vector && list) list[count] = (struct fer_vector_row){e->content, vector};
            count += vector != NULL;
        }
    }
    return count;
}

size_t fer_kept_vectors_count(const fer_view *v)
{
    return fer_kept_vectors(v)->count ? gather(v, NULL, NULL) : 0;
}

/* The store whose vectors are written; NULL: those that are kept. */
static const fer_vector_store *written_of(const fer_view *v)
{
    const fer_vector_store *store = store_of(v);
    if (!store || fer_kept_vectors_stay(v)) return NULL;
    bool lacks = fer_vector_store_count(store) < fer_view_count(v);
    return lacks && fer_kept_vectors_others(v) ? NULL : store;
}

fer_code fer_kept_vectors_write(fer_arena *a, const fer_view *v, fer_str *out, fer_err *err)
{
    const fer_vector_section *kept = fer_kept_vectors(v);
    const fer_vector_store *store = written_of(v);
    *out = FER_STR("");
    if (!store && !kept->bytes.len) return FER_OK;
    struct fer_vector_row *list = fer_arena_alloc_zero(a, fer_view_count(v) + 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    size_t count = gather(v, store, list);
    /* Without any, the file says still whose it had: all texts may be new. */
    if (!count && (!kept->bytes.len || (store && fer_kept_vectors_others(v)))) return FER_OK;
    return fer_vector_section_write(a, store ? fer_vector_store_id(store) : &kept->id,
                                    store ? fer_vector_store_label(store) : &kept->label, list,
                                    count, out, err);
}
