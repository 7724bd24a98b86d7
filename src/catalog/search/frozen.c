/* SPDX-License-Identifier: Apache-2.0 */
#include "frozen.h"

#include "checked.h"
#include "errors.h"
#include "frozen_layout.h"
#include "tokens.h"

static size_t place(struct fer_frozen_layout *l, size_t count, size_t size)
{
    size_t at = l->end, bytes;
    l->fits = l->fits && fer_mul_size(count, size, &bytes) && fer_add_size(bytes, 7, &bytes) &&
              fer_add_size(l->end, bytes & ~(size_t)7, &l->end);
    return at;
}

struct fer_frozen_layout fer_frozen_lay_out(const struct fer_frozen_header *h)
{
    struct fer_frozen_layout l = {.end = sizeof *h, .fits = true};
    size_t windows = fer_frozen_windows(h->numbers), rows = h->run_rows;
    size_t singles = (size_t)h->term_count - h->shared + 1;
    l.terms = place(&l, h->shared, sizeof(struct fer_frozen_term));
    l.levels = place(&l, h->shared, sizeof(uint16_t));
    l.singles = place(&l, singles, sizeof(struct fer_frozen_single));
    l.texts = place(&l, h->text_size, 1);
    l.slots = place(&l, h->slot_count, sizeof(uint32_t));
    l.runs = place(&l, rows * (windows + 1), sizeof(uint32_t));
    l.bits = place(&l, h->bit_rows * windows, FER_WINDOW / 8);
    l.postings = place(&l, h->posting_count, sizeof(uint16_t));
    l.names = place(&l, h->numbers, sizeof(double));
    l.record_at = place(&l, (size_t)h->numbers + 1, sizeof(uint32_t));
    l.records = place(&l, h->record_units, sizeof(uint16_t));
    return l;
}

/* ---- opening ------------------------------------------------------------------ */

static const char *wrong_with(fer_str bytes, const struct fer_frozen_header *h)
{
    if (h->magic != FER_FROZEN_MAGIC) return "it is of another version";
    if (h->size != bytes.len) return "it is not whole";
    if (h->numbers > FER_NUMBERS_MAX || h->docs > h->numbers) return "too many documents";
    if (h->slot_count & (h->slot_count - 1) || h->slot_count <= h->term_count)
        return "its table of terms is broken";
    if (h->shared > h->term_count || h->run_rows > h->shared || h->bit_rows > h->run_rows)
        return "its table of runs is broken";
    struct fer_frozen_layout l = fer_frozen_lay_out(h);
    return l.fits && l.end == bytes.len ? NULL : "its sections do not lie inside of it";
}

fer_code fer_frozen_open(fer_str bytes, fer_frozen *out, fer_err *err)
{
    struct fer_frozen_header h;
    if (bytes.len < sizeof h)
        return fer_fail(err, FER_INVALID_FORMAT, "no search index: too short");
    memcpy(&h, bytes.ptr, sizeof h);
    const char *wrong = wrong_with(bytes, &h);
    if (wrong) return fer_fail(err, FER_INVALID_FORMAT, "no search index: %s", wrong);
    assert(((uintptr_t)bytes.ptr & 7) == 0);
    struct fer_frozen_layout l = fer_frozen_lay_out(&h);
    const void *base = bytes.ptr;
    const char *p = base;
    *out = (fer_frozen){
        .bytes = bytes.len,
        .numbers = h.numbers,
        .docs = h.docs,
        .term_count = h.term_count,
        .shared = h.shared,
        .windows = fer_frozen_windows(h.numbers),
        .run_rows = h.run_rows,
        .bit_rows = h.bit_rows,
        .slot_count = h.slot_count,
        .slot_number = fer_frozen_number_bits(h.term_count),
        .seed = {h.seed[0], h.seed[1]},
        .text_size = h.text_size,
        .posting_count = h.posting_count,
        .record_units = h.record_units,
        .terms = (const void *)(p + l.terms),
        .levels = (const void *)(p + l.levels),
        .singles = (const void *)(p + l.singles),
        .texts = p + l.texts,
        .slots = (const void *)(p + l.slots),
        .runs = (const void *)(p + l.runs),
        .bits = (const void *)(p + l.bits),
        .postings = (const void *)(p + l.postings),
        .names = (const void *)(p + l.names),
        .record_at = (const void *)(p + l.record_at),
        .records = (const void *)(p + l.records),
    };
    return FER_OK;
}

/* ---- reading ------------------------------------------------------------------ */

/* Where the text of a term begins, or of one behind the last. */
static inline uint32_t text_at(const fer_frozen *f, uint32_t term)
{
    return term < f->shared ? f->terms[term].text : f->singles[term - f->shared].text;
}

fer_str fer_frozen_text(const fer_frozen *f, uint32_t term)
{
    if (term >= f->term_count) return FER_STR_NONE;
    uint32_t from = text_at(f, term), to = text_at(f, term + 1);
    if (from >= to || to > f->text_size) return FER_STR_NONE;
    return (fer_str){f->texts + from, to - from};
}

/*
 * Of SLOTS slots from `at` on, a bit for each, the first the lowest: those with the bits of a hash,
 * and empty ones.
 */
#define SLOTS 8
struct slots {
    unsigned wanted, empty;
};

#if defined(__SSE2__)
#include <emmintrin.h>
static inline unsigned bits_of(__m128i low, __m128i high)
{
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(low, high), low)) & 0xFF;
}

static inline struct slots look_at_slots(const uint32_t *at, uint32_t wanted, uint32_t number)
{
    const __m128i none = _mm_setzero_si128(), those = _mm_set1_epi32((int)wanted);
    const __m128i drop = _mm_set1_epi32((int)number);
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(at + SLOTS / 2));
    return (struct slots){bits_of(_mm_cmpeq_epi32(_mm_andnot_si128(drop, low), those),
                                  _mm_cmpeq_epi32(_mm_andnot_si128(drop, high), those)),
                          bits_of(_mm_cmpeq_epi32(low, none), _mm_cmpeq_epi32(high, none))};
}
#else
static inline struct slots look_at_slots(const uint32_t *at, uint32_t wanted, uint32_t number)
{
    struct slots s = {0, 0};
    for (unsigned i = 0; i < SLOTS; i++) {
        s.wanted |= (unsigned)((at[i] & ~number) == wanted) << i;
        s.empty |= (unsigned)!at[i] << i;
    }
    return s;
}
#endif

/* Behind the first empty slot nobody is looked for. */
bool fer_frozen_may_have(const fer_frozen *f, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (f->slot_count - 1);
    if (!f->term_count) return false;
    if (f->slot_count - at < SLOTS) return true;
    struct slots s =
        look_at_slots(f->slots + at, fer_frozen_hash_bits(hash, f->slot_number), f->slot_number);
    return (s.wanted & (s.empty - 1)) != 0 || !s.empty;
}

uint32_t fer_frozen_find(const fer_frozen *f, fer_str term)
{
    if (!f->term_count) return FER_NONE;
    uint64_t hash = fer_token_hash(term, f->seed);
    uint32_t mask = f->slot_count - 1, at = (uint32_t)hash & mask;
    uint32_t wanted = fer_frozen_hash_bits(hash, f->slot_number), slot;
    /* One round at most: hostile bytes may have no empty slot. */
    for (uint32_t left = f->slot_count; left > 0 && (slot = f->slots[at]) != 0; left--) {
        if ((slot & ~f->slot_number) == wanted) {
            uint32_t number = (slot & f->slot_number) - 1;
            if (fer_str_eq(fer_frozen_text(f, number), term)) return number;
        }
        at = (at + 1) & mask;
    }
    return FER_NONE;
}

fer_record fer_frozen_record(const fer_frozen *f, uint32_t number)
{
    if (number >= f->numbers) return (fer_record){NULL, 0};
    uint32_t from = f->record_at[number], to = f->record_at[number + 1];
    if (from >= to || to > f->record_units) return (fer_record){NULL, 0};
    return (fer_record){f->records + from, to - from};
}

static fer_frozen_list single_posting(const struct fer_frozen_single *s)
{
    return (fer_frozen_list){
        .df = 1, .levels = (uint16_t)(s->posting % FER_LEVELS), .flat = &s->posting};
}

fer_frozen_list fer_frozen_postings(const fer_frozen *f, uint32_t term)
{
    static const fer_frozen_list nothing = {0};
    if (term >= f->term_count) return nothing;
    if (term >= f->shared) return single_posting(&f->singles[term - f->shared]);
    const struct fer_frozen_term *t = &f->terms[term];
    size_t units = term < f->run_rows ? 1 : 2;
    if (t->postings > f->posting_count || f->posting_count - t->postings < units * t->df)
        return nothing;
    const uint16_t *at = f->postings + t->postings;
    if (term >= f->run_rows) {
        if (t->postings & 1) return nothing;
        return (fer_frozen_list){.df = t->df, .levels = f->levels[term], .flat = (const void *)at};
    }
    bool bits = term < f->bit_rows;
    return (fer_frozen_list){.df = t->df,
                             .levels = f->levels[term],
                             .bits =
                                 bits ? f->bits + term * fer_frozen_row_words(f->windows) : NULL,
                             .runs = f->runs + (size_t)term * (f->windows + 1),
                             .postings = at};
}
