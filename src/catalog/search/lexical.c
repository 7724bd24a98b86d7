/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting and removing. A document that is put gets a slot of the tail; its postings are
 * appended first and mean nothing until the slot is counted. What it replaces dies afterwards,
 * so that for a moment a search can meet both, and takes the newer one.
 */
#include "lexical.h"

#include "errors.h"
#include "lexical_parts.h"
#include "sys.h"

static fer_lexical *make(const fer_frozen *frozen, fer_err *err)
{
    fer_lexical *ix = fer_sys_malloc_zero(sizeof *ix);
    if (ix) {
        ix->frozen = *frozen;
        ix->arena = fer_arena_new(0);
        ix->tokeniser = fer_tokeniser_new_plain();
        if (ix->arena) fer_terms_init(&ix->terms, ix->arena, frozen->term_count);
        if (ix->arena && ix->tokeniser && fer_terms_relate(&ix->terms)) {
            memcpy(ix->id, fer_arena_seed(ix->arena), sizeof ix->id);
            fer_intake_init(&ix->intake, ix->arena, ix->tokeniser, &ix->terms, &ix->frozen);
            return ix;
        }
    }
    fer_lexical_free(ix);
    fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a search index");
    return NULL;
}

fer_lexical *fer_lexical_new(void)
{
    static const fer_frozen none = {0};
    return make(&none, NULL);
}

void fer_lexical_free(fer_lexical *ix)
{
    if (!ix) return;
    fer_tokeniser_free(ix->tokeniser);
    fer_arena_free(ix->arena);
    fer_sys_free(ix);
}

static bool make_dead_bits(fer_lexical *ix)
{
    size_t words = ((size_t)ix->frozen.numbers + 63) / 64;
    ix->dead = fer_arena_alloc_zero(ix->arena, words ? words : 1, sizeof *ix->dead);
    return ix->dead != NULL;
}

/* Which terms the words of related.h are. */
static bool find_related(fer_lexical *ix)
{
    uint32_t count = fer_related_count();
    ix->related = fer_arena_alloc(ix->arena, count * sizeof *ix->related);
    for (uint32_t w = 0; ix->related && w < count; w++) {
        uint32_t number = fer_frozen_find(&ix->frozen, fer_related_text(w));
        uint32_t df = number == FER_NONE ? 0 : fer_frozen_df(&ix->frozen, number);
        ix->related[w] = (struct fer_lexical_related){
            number, df, df ? fer_weigh_rarity(ix->frozen.docs, df) : 0};
    }
    return ix->related != NULL;
}

fer_code fer_lexical_open(fer_str frozen, fer_lexical **out, fer_err *err)
{
    fer_frozen f;
    fer_code code = fer_frozen_open(frozen, &f, err);
    if (code) return code;
    fer_lexical *ix = make(&f, err);
    if (!ix) return FER_OUT_OF_MEMORY;
    ix->numbers = f.numbers;
    atomic_store_explicit(&ix->docs, f.docs, memory_order_relaxed);
    if (!make_dead_bits(ix) || !find_related(ix)) {
        fer_lexical_free(ix);
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a search index");
    }
    *out = ix;
    return FER_OK;
}

/* ---- putting ------------------------------------------------------------------ */

static struct fer_tail_doc *make_slot(fer_lexical *ix, uint32_t slot)
{
    struct fer_tail_doc *old = atomic_load_explicit(&ix->tail, memory_order_relaxed);
    struct fer_tail_doc *tail = fer_arena_room(ix->arena, old, slot, &ix->tail_cap, sizeof *tail);
    if (!tail) return NULL;
    atomic_store_explicit(&ix->tail, tail, memory_order_release);
    return &tail[slot];
}

static bool make_number(fer_lexical *ix, uint32_t number)
{
    size_t cap = ix->slot_cap ? ix->slot_cap : 64;
    if (number < ix->slot_cap) return true;
    while (cap <= number) cap *= 2;
    uint32_t *slots =
        fer_arena_grow(ix->arena, ix->slots, ix->slot_cap * sizeof *slots, cap * sizeof *slots);
    if (!slots) return false;
    memset(slots + ix->slot_cap, 0, (cap - ix->slot_cap) * sizeof *slots);
    ix->slots = slots;
    ix->slot_cap = cap;
    return true;
}

static bool keep_record(fer_lexical *ix, fer_record *out)
{
    fer_record r = ix->intake.record;
    uint16_t *units = fer_arena_alloc(ix->arena, r.count * sizeof *units);
    if (!units) return false;
    memcpy(units, r.units, r.count * sizeof *units);
    *out = (fer_record){units, r.count};
    return true;
}

static bool post_all(fer_lexical *ix, uint32_t slot)
{
    const fer_intake *in = &ix->intake;
    float against = fer_weigh_length(in->length);
    for (size_t i = 0; i < in->count; i++) {
        uint32_t level = fer_weigh_level(in->counts[i], against);
        if (!fer_term_post(&ix->terms, fer_terms_get(&ix->terms, in->numbers[i]),
                           slot << FER_LEVEL_BITS | level))
            return false;
    }
    return true;
}

static void count_slot(fer_lexical *ix, uint32_t slot)
{
    for (size_t i = 0; i < ix->intake.count; i++) {
        fer_term *term = fer_terms_get(&ix->terms, ix->intake.numbers[i]);
        atomic_fetch_add_explicit(&term->df_change, 1, memory_order_relaxed);
    }
    atomic_store_explicit(&ix->tail_count, slot + 1, memory_order_release);
    atomic_fetch_add_explicit(&ix->docs, 1, memory_order_relaxed);
}

static bool put_doc(fer_lexical *ix, uint32_t number, const fer_search_doc *doc)
{
    fer_record record;
    uint32_t slot = atomic_load_explicit(&ix->tail_count, memory_order_relaxed);
    if (!fer_intake_read(&ix->intake, doc) || !make_number(ix, number) || !keep_record(ix, &record))
        return false;
    struct fer_tail_doc *place = make_slot(ix, slot);
    if (!place) return false;
    place->number = number;
    place->record = record;
    atomic_init(&place->dead, false);
    if (!post_all(ix, slot)) {
        /* Some postings say the slot's number: it is counted, dead, and never used again. */
        atomic_init(&place->dead, true);
        atomic_store_explicit(&ix->tail_count, slot + 1, memory_order_release);
        return false;
    }
    count_slot(ix, slot);
    fer_lexical_remove(ix, number);
    ix->slots[number] = slot + 1;
    if (number >= ix->numbers) ix->numbers = number + 1;
    return true;
}

fer_code fer_lexical_put(fer_lexical *ix, uint32_t number, const fer_search_doc *doc, fer_err *err)
{
    if (number >= FER_LEXICAL_DOCS_MAX ||
        atomic_load_explicit(&ix->tail_count, memory_order_relaxed) >= FER_LEXICAL_DOCS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a search index holds at most %u documents",
                        FER_LEXICAL_DOCS_MAX);
    if (put_doc(ix, number, doc)) return FER_OK;
    return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a document of the search index");
}

/* ---- removing ----------------------------------------------------------------- */

/* The term of the tail that stands for one of a record. NULL: no memory, or no such term. */
static fer_term *recorded_term(fer_lexical *ix, uint32_t number, bool frozen)
{
    if (!frozen) return fer_terms_get(&ix->terms, number);
    fer_term *term = fer_terms_of_frozen(&ix->terms, number);
    if (term) return term;
    fer_str text = fer_frozen_text(&ix->frozen, number);
    return text.len ? fer_intake_term_of(&ix->intake, text) : NULL; /* bytes may be hostile */
}

static void uncount_term(fer_lexical *ix, uint32_t number, bool frozen)
{
    fer_term *term = recorded_term(ix, number, frozen);
    if (term && fer_intake_meet(&ix->intake, term->number))
        atomic_fetch_sub_explicit(&term->df_change, 1, memory_order_relaxed);
}

/* Takes a document out of the counts of its terms. */
static void uncount(fer_lexical *ix, fer_record record, bool frozen)
{
    fer_record_reader r;
    fer_record_item item;
    fer_intake_round(&ix->intake);
    fer_record_open(&r, record);
    if (r.name != FER_NONE) uncount_term(ix, r.name, frozen);
    while ((item = fer_record_next(&r)) != FER_RECORD_END) {
        if (item == FER_RECORD_TERM) uncount_term(ix, r.term, frozen);
    }
}

static bool remove_tail(fer_lexical *ix, uint32_t number)
{
    uint32_t slot = number < ix->slot_cap ? ix->slots[number] : 0;
    if (!slot) return false;
    struct fer_tail_doc *doc = &atomic_load_explicit(&ix->tail, memory_order_relaxed)[slot - 1];
    ix->slots[number] = 0;
    atomic_store_explicit(&doc->dead, true, memory_order_release);
    uncount(ix, doc->record, false);
    return true;
}

static bool remove_frozen(fer_lexical *ix, uint32_t number)
{
    fer_record record = fer_frozen_record(&ix->frozen, number);
    if (!record.count || fer_lexical_is_dead(ix, number)) return false;
    atomic_fetch_or_explicit(&ix->dead[number / 64], UINT64_C(1) << (number % 64),
                             memory_order_relaxed);
    atomic_store_explicit(&ix->has_dead, true, memory_order_relaxed);
    uncount(ix, record, true);
    return true;
}

bool fer_lexical_remove(fer_lexical *ix, uint32_t number)
{
    if (!remove_tail(ix, number) && !remove_frozen(ix, number)) return false;
    atomic_fetch_sub_explicit(&ix->docs, 1, memory_order_relaxed);
    return true;
}

void fer_lexical_stat(const fer_lexical *ix, fer_lexical_stats *out)
{
    size_t gone = 0;
    uint32_t terms = atomic_load_explicit(&ix->terms.count, memory_order_acquire);
    *out = (fer_lexical_stats){
        .docs = atomic_load_explicit(&ix->docs, memory_order_relaxed),
        .tail = atomic_load_explicit(&ix->tail_count, memory_order_relaxed),
        .terms = ix->frozen.term_count,
        .bytes = ix->frozen.bytes + sizeof *ix + fer_arena_used(ix->arena),
    };
    for (uint32_t n = 0; ix->dead && n < ix->frozen.numbers; n++)
        gone += fer_lexical_is_dead(ix, n);
    out->frozen = ix->frozen.docs - gone;
    for (uint32_t t = 0; t < ix->frozen.term_count; t++)
        out->postings += fer_frozen_df(&ix->frozen, t);
    for (uint32_t t = 0; t < terms; t++) {
        const fer_term *term = fer_terms_get(&ix->terms, t);
        out->terms += term->frozen == FER_NONE;
        out->postings += fer_term_postings(term).count;
    }
}

bool fer_lexical_has(const fer_lexical *ix, fer_str stem)
{
    uint32_t frozen = fer_frozen_find(&ix->frozen, stem);
    const fer_term *tail = frozen == FER_NONE ? fer_terms_find(&ix->terms, stem)
                                              : fer_terms_of_frozen(&ix->terms, frozen);
    return fer_lexical_df(ix, frozen, tail) > 0;
}
