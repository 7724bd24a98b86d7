/* SPDX-License-Identifier: Apache-2.0 */
#include "frozen.h"

#include "checked.h"
#include "errors.h"
#include "frozen_layout.h"

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

/* Behind the first empty slot nobody is looked for. Those at the end of the table are not looked
 * at: there may be one. */
static inline bool may_have(const uint32_t *slots, uint32_t slot_count, uint32_t slot_number,
                            uint64_t hash)
{
    const uint32_t wanted = fer_frozen_hash_bits(hash, slot_number);
    for (uint32_t at = (uint32_t)hash & (slot_count - 1); slot_count - at >= SLOTS; at += SLOTS) {
        struct slots s = look_at_slots(slots + at, wanted, slot_number);
        bool there = (s.wanted & (s.empty - 1)) != 0;
        if (there | (s.empty != 0)) return there; /* mostly at once */
    }
    return true;
}

bool fer_frozen_may_have(const fer_frozen *f, uint64_t hash)
{
    return f->term_count && may_have(f->slots, f->slot_count, f->slot_number, hash);
}

#define LOT 32 /* words whose slots are on their way */

size_t fer_frozen_sift(const fer_frozen *f, const fer_token_key *words, size_t count,
                       uint16_t *places)
{
    const uint32_t *slots = f->slots, slot_count = f->slot_count, slot_number = f->slot_number;
    uint64_t hashes[LOT];
    size_t found = 0;
    for (size_t at = 0; f->term_count && at < count; at += LOT) {
        size_t lot = count - at < LOT ? count - at : LOT;
        for (size_t i = 0; i < lot; i++) {
            hashes[i] = fer_token_key_hash(&words[at + i], f->seed);
            __builtin_prefetch(&slots[hashes[i] & (slot_count - 1)]);
        }
        for (size_t i = 0; i < lot; i++) {
            places[found] = (uint16_t)(at + i);
            found += may_have(slots, slot_count, slot_number, hashes[i]);
        }
    }
    return found;
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
