/* SPDX-License-Identifier: Apache-2.0 */
/* The index: keeping it in step with views, and the numbers of tools. */
#include "finder.h"

#include <string.h>

#include "arena.h"
#include "catalog_file.h"
#include "errors.h"
#include "finder_parts.h"
#include "sys.h"
#include "tool_content.h"
#include "vector_section.h"

/* Definitions that are put before an index is frozen again. Of 3,000, each takes 2 KB before and
 * 0.4 after. */
#define LOOSE 512

static fer_finder *new_finder(fer_vector_store *store)
{
    fer_finder *f = fer_sys_malloc(sizeof *f);
    if (!f) return NULL;
    memset(f, 0, sizeof *f);
    atomic_init(&f->refs, 1);
    f->store = fer_vector_store_ref(store);
    for (size_t i = 0; i < FER_COUNT(f->spare); i++) atomic_init(&f->spare[i], NULL);
    return f;
}

bool fer_finder_gathers(size_t puts)
{
    return puts > LOOSE;
}

fer_finder *fer_finder_new(fer_vector_store *store, size_t puts)
{
    fer_finder *f = new_finder(store);
    if (!f) return NULL;
    if (fer_finder_gathers(puts)) f->builder = fer_lexical_builder_new(puts);
    else f->lexical = fer_lexical_new();
    if (f->lexical || f->builder) return f;
    fer_finder_unref(f);
    return NULL;
}

fer_code fer_finder_settle(fer_finder *f, fer_err *err)
{
    fer_str frozen = FER_STR_NONE;
    if (!f->builder) return FER_OK;
    if (f->failed) return fer_fail(err, f->failed, "the search index could not be made");
    f->bytes = fer_arena_new(0);
    fer_code code = f->bytes ? fer_lexical_builder_finish(f->bytes, f->builder, &frozen, err)
                             : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_lexical_open(frozen, &f->lexical, err);
    if (code) return f->failed = code;
    fer_lexical_builder_free(f->builder);
    f->builder = NULL;
    return FER_OK;
}

fer_code fer_finder_open(fer_str frozen, fer_vector_store *store, fer_finder **out, fer_err *err)
{
    fer_finder *f = new_finder(store);
    if (!f) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_lexical_open(frozen, &f->lexical, err);
    if (code) {
        fer_finder_unref(f);
        return code;
    }
    *out = f;
    return FER_OK;
}

fer_finder *fer_finder_ref(fer_finder *f)
{
    if (f) atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
    return f;
}

void fer_finder_unref(fer_finder *f)
{
    if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) != 1) return;
    fer_finder_rest(f);
    fer_vector_store_unref(f->store);
    fer_lexical_free(f->lexical);
    fer_lexical_builder_free(f->builder);
    fer_arena_free(f->bytes);
    fer_sys_free(f);
}

/* ---- kits ------------------------------------------------------------------------------------ */

void fer_kit_free(fer_kit *k)
{
    if (!k) return;
    fer_searcher_free(k->searcher);
    fer_tokeniser_free(k->tokeniser);
    fer_embedder_free(k->embedder);
    fer_sys_free(k);
}

static fer_kit *new_kit(const fer_finder *f)
{
    fer_kit *k = fer_sys_malloc(sizeof *k);
    if (!k) return NULL;
    *k = (fer_kit){.searcher = fer_searcher_new(), .tokeniser = fer_tokeniser_new()};
    if (f->store) k->embedder = fer_vector_store_embedder(f->store);
    if (k->searcher && k->tokeniser && (k->embedder || !f->store)) return k;
    fer_kit_free(k);
    return NULL;
}

fer_kit *fer_kit_take(fer_finder *f)
{
    for (size_t i = 0; i < FER_COUNT(f->spare); i++) {
        fer_kit *k = atomic_exchange(&f->spare[i], NULL);
        if (k) return k;
    }
    return new_kit(f);
}

void fer_kit_give_back(fer_finder *f, fer_kit *k)
{
    for (size_t i = 0; i < FER_COUNT(f->spare); i++) {
        fer_kit *none = NULL;
        if (atomic_compare_exchange_strong(&f->spare[i], &none, k)) return;
    }
    fer_kit_free(k);
}

void fer_finder_rest(fer_finder *f)
{
    for (size_t i = 0; i < FER_COUNT(f->spare); i++)
        fer_kit_free(atomic_exchange(&f->spare[i], NULL));
}

/* Together: an embedder may be far away. */
fer_code fer_finder_embed(fer_finder *f, fer_arena *scratch, const fer_body *const *bodies,
                          size_t count, int8_t *out, fer_err *err)
{
    fer_content content;
    fer_code code = FER_OK;
    fer_search_doc *docs = fer_arena_alloc_zero(scratch, count, sizeof *docs);
    if (!docs) return fer_arena_failed(scratch, err);
    for (size_t i = 0; i < count && !code; i++) {
        code = fer_content_of(scratch, bodies[i], &content, err);
        if (!code) docs[i] = content.texts;
    }
    if (code) return code;
    fer_kit *k = fer_kit_take(f);
    if (!k) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    code = k->embedder->embed(k->embedder, docs, count, FER_EMBED_DOC, out, err);
    fer_kit_give_back(f, k);
    return code;
}

/* ---- changing ------------------------------------------------------------------------------- */

static fer_code gather(fer_finder *f, uint32_t number, const fer_search_doc *texts, fer_err *err)
{
    if (f->failed) return fer_fail(err, f->failed, "the search index could not be made");
    return f->failed = fer_lexical_builder_add(f->builder, number, texts, err);
}

fer_code fer_finder_put(fer_finder *f, uint32_t number, const fer_search_doc *texts, fer_err *err)
{
    if (f->builder) return gather(f, number, texts, err);
    fer_code code = fer_lexical_put(f->lexical, number, texts, err);
    if (!code) f->puts++;
    return code;
}

void fer_finder_remove(fer_finder *f, uint32_t number)
{
    if (f->lexical) fer_lexical_remove(f->lexical, number);
    if (f->store) fer_vector_store_remove(f->store, number);
}

fer_vector_store *fer_finder_store(const fer_finder *f)
{
    return f->store;
}

fer_code fer_finder_freeze(fer_arena *a, const fer_finder *f, fer_str *out, fer_err *err)
{
    return fer_lexical_freeze(a, f->lexical, out, err);
}

/* Freezing costs as much as all documents, so it waits for a share of them; a few never matter. */
bool fer_finder_is_loose(const fer_finder *f, size_t docs)
{
    return f->puts > LOOSE && f->puts > docs / 4;
}

fer_code fer_finder_compact(const fer_finder *f, fer_finder **out, fer_err *err)
{
    fer_str frozen = FER_STR_NONE;
    fer_finder *made = NULL;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? fer_lexical_freeze(a, f->lexical, &frozen, err)
                      : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_finder_open(frozen, f->store, &made, err);
    if (code) {
        fer_arena_free(a);
        return code;
    }
    assert(made);
    made->bytes = a;
    *out = made;
    return FER_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* An entry under its number, the higher digits first: numbers are in order. */
struct numbered {
    fer_value value;
    fer_entry *entry;
    char key[sizeof(uint32_t)];
};

static fer_str number_key(uint32_t number, char out[sizeof(uint32_t)])
{
    for (size_t i = 0; i < sizeof number; i++) out[i] = (char)(number >> (24 - 8 * i));
    return (fer_str){out, sizeof number};
}

static void drop_numbered(fer_value *v)
{
    struct numbered *n = (struct numbered *)(void *)v;
    fer_value_unref(&n->entry->value);
    fer_sys_free(n);
}

static bool put_number(fer_view *v, fer_entry *e)
{
    struct numbered *n = fer_sys_malloc(sizeof *n);
    if (!n) return false;
    atomic_init(&n->value.refs, 1);
    n->value.key = number_key(e->number, n->key);
    n->value.drop = drop_numbered;
    n->entry = e;
    fer_value_ref(&e->value);
    if (fer_table_put(&v->numbers, &n->value)) return true;
    fer_value_unref(&n->value);
    return false;
}

static fer_entry *tail_entry(const fer_view *v, uint32_t number)
{
    char key[sizeof number];
    fer_value *n = fer_table_get(&v->numbers, number_key(number, key));
    return n ? ((struct numbered *)(void *)n)->entry : NULL;
}

fer_entry *fer_view_numbered(const fer_view *v, uint32_t number)
{
    fer_entry *e = fer_catalog_file_numbered(v->file, number);
    if (!e) return tail_entry(v, number);
    /* A tool of the file may have been changed or removed since. */
    return fer_table_get(&v->tools, e->value.key) == &e->value ? e : NULL;
}

fer_str fer_view_number_id(const fer_view *v, uint32_t number)
{
    fer_entry *e = fer_catalog_file_numbered(v->file, number);
    if (!e) e = tail_entry(v, number);
    return e ? e->value.key : FER_STR("");
}

/* What was made before of the same texts is used again; otherwise it is made later. */
static fer_code reuse_vector(const fer_view *v, fer_vector_store *store, const fer_entry *e,
                             fer_err *err)
{
    const fer_vector_section *sections[] = {fer_catalog_file_vectors(v->file),
                                            fer_catalog_file_vectors(v->older)};
    const fer_entry *old = (const fer_entry *)(void *)fer_table_get(&v->tools, e->value.key);
    bool done = false;
    fer_code code = FER_OK;
    if (old && old != e && old->number != FER_NO_NUMBER && old->content == e->content)
        code = fer_vector_store_copy(store, old->number, e->number, &done, err);
    for (size_t i = 0; i < FER_COUNT(sections) && !code && !done; i++) {
        const fer_vector_section *s = sections[i];
        if (!s->count || !fer_embedding_id_same(&s->id, fer_vector_store_id(store))) continue;
        uint32_t place = fer_vector_section_find(s, e->content);
        done = place != FER_NO_VECTOR;
        if (done)
            code = fer_vector_store_put(store, e->number, fer_vector_section_row(s, place), err);
    }
    if (code || done || fer_vector_store_want(store, e->number)) return code;
    return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

fer_code fer_view_index(fer_view *v, fer_arena *scratch, fer_entry *e, fer_err *err)
{
    fer_content content;
    e->number = FER_NO_NUMBER;
    if (!v->finder) return FER_OK;
    if (v->next_number >= FER_LEXICAL_DOCS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "catalog.numbers: this catalogue was changed too often; build it anew");
    fer_code code = fer_content_of(scratch, e->body, &content, err);
    if (!code) code = fer_finder_put(v->finder, v->next_number, &content.texts, err);
    if (code) return code;
    e->number = v->next_number++;
    e->content = content.sum;
    e->twin = content.twin;
    if (!put_number(v, e)) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    return v->finder->store ? reuse_vector(v, v->finder->store, e, err) : FER_OK;
}

bool fer_view_unindex(fer_view *v, const fer_entry *e)
{
    char key[sizeof(uint32_t)];
    return e->number == FER_NO_NUMBER || fer_table_remove(&v->numbers, number_key(e->number, key));
}
