/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frozen bytes, written: every section to its place, once. How large they are follows from the
 * terms, but for the records, which stand last for that; what can be read off postings and records,
 * once these are there, is written at the end.
 */
#include "errors.h"
#include "frozen.h"
#include "frozen_layout.h"
#include "tokens.h"

/*
 * A run saves 2 bytes a posting, and costs a search as much to begin as to add up ten. Where there
 * is one window, it is only a matter of bytes.
 */
#define RUN_MEAN  64 /* postings in a window, of terms that have runs */
#define RUN_LEAST 8

static bool has_runs(uint32_t df, uint32_t windows)
{
    return windows > 1 ? df >= RUN_MEAN * windows : df >= RUN_LEAST;
}

/*
 * Bits pay where a search would look a posting up among many; in a registry of one window it adds
 * all of them up. 16 bytes a document at most, a fraction of it in practice.
 */
#define BIT_ROWS 128
#define BITS_OF  24 /* one of so many documents has a term with bits */

static bool has_bits(uint32_t term, uint32_t df, uint32_t numbers)
{
    uint32_t windows = fer_frozen_windows(numbers);
    return windows > 1 && term < BIT_ROWS && df > numbers / BITS_OF && has_runs(df, windows);
}

/* ---- terms -------------------------------------------------------------------- */

static fer_code measure(const fer_frozen_source *s, struct fer_frozen_header *h, fer_err *err)
{
    uint32_t windows = fer_frozen_windows(s->numbers);
    h->slot_count = 2;
    /* Two thirds full at most: a slot's bits of the hash tell others apart without their texts. */
    while (h->slot_count < s->term_count * UINT64_C(3) / 2 + 1) h->slot_count *= 2;
    for (uint32_t t = 0; t < s->term_count; t++) {
        uint32_t df = fer_term_place_df(&s->terms[t]);
        h->text_size += s->terms[t].len;
        if (df < 2) continue;
        assert(h->shared == t && (!t || df <= fer_term_place_df(&s->terms[t - 1])));
        h->shared++;
        h->run_rows += has_runs(df, windows);
        h->bit_rows += h->bit_rows == t && has_bits(t, df, s->numbers);
        if (h->run_rows <= t) h->posting_count += h->posting_count & 1;
        h->posting_count += h->run_rows > t ? df : 2 * (uint64_t)df;
    }
    if (h->text_size < UINT32_MAX && h->posting_count < UINT32_MAX && h->record_units < UINT32_MAX)
        return FER_OK;
    return fer_fail(err, FER_LIMIT_EXCEEDED, "too much text for one search index");
}

#define AHEAD 12 /* terms whose texts are on their way */

/* Texts lie in the order in which they were met, which is not that of terms. */
static inline void fetch_text(const fer_frozen_source *s, uint32_t term)
{
    if (term + AHEAD < s->term_count) __builtin_prefetch(s->terms[term + AHEAD].text);
}

/*
 * A text is copied to its place, and its hash taken. Where it has zeros behind it, that is done
 * whatever its length, as lengths are anybody's guess: what is written behind it, the next one is
 * written over, and behind the last one come the slots, which are written later.
 */
static inline uint64_t put_text(const fer_frozen_source *s, fer_str text, char *to,
                                const uint64_t seed[2])
{
    if (!s->padded || text.len > FER_TOKEN_KEY) {
        memcpy(to, text.ptr, text.len);
        return fer_token_hash(text, seed);
    }
    fer_token_key key = fer_token_key_of(text);
    memcpy(to, key.part, sizeof key.part);
    return fer_token_key_hash(&key, seed);
}

/* The seed comes from the words, so that the same documents make the same bytes. */
static void write_texts(const fer_frozen_source *s, char *to, uint64_t seed[2])
{
    static const uint64_t start[2] = {1, 2};
    for (uint32_t t = 0; t < s->term_count; t++) {
        fetch_text(s, t);
        fer_str text = fer_term_place_text(&s->terms[t]);
        seed[t & 1] = seed[t & 1] * UINT64_C(0x9E3779B97F4A7C15) + put_text(s, text, to, start);
        to += text.len;
    }
}

/* Of a text among others: all that may be read of it is, and what is behind it left out. */
static inline uint64_t hash_between(fer_str text, const char *end, const uint64_t seed[2])
{
    static const uint8_t keep[2 * FER_TOKEN_KEY] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                    255, 255, 255, 255, 255, 255, 255, 255};
    if (text.len > FER_TOKEN_KEY || end - text.ptr < FER_TOKEN_KEY)
        return fer_token_hash(text, seed);
    fer_token_key key = fer_token_key_of(text), mask;
    memcpy(mask.part, keep + FER_TOKEN_KEY - text.len, sizeof mask.part);
    key.part[0] &= mask.part[0];
    key.part[1] &= mask.part[1];
    return fer_token_key_hash(&key, seed);
}

static void write_slots(const fer_frozen_source *s, const struct fer_frozen_header *h,
                        const char *texts, uint32_t *slots)
{
    uint32_t mask = h->slot_count - 1, bits = fer_frozen_number_bits(s->term_count);
    const char *end = texts + h->text_size;
    memset(slots, 0, h->slot_count * sizeof *slots);
    for (uint32_t t = 0; t < s->term_count; t++) {
        fer_str text = {texts, s->terms[t].len};
        uint64_t hash = hash_between(text, end, h->seed);
        uint32_t at = (uint32_t)hash & mask;
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = fer_frozen_hash_bits(hash, bits) | (t + 1);
        texts += text.len;
    }
}

/* Where texts and postings are; the rest of a term is known at the end. */
static void write_terms(fer_frozen_writer *w)
{
    const fer_frozen_source *s = w->source;
    uint32_t text = 0, unit = 0;
    for (uint32_t t = 0; t < s->term_count; t++) {
        uint32_t df = fer_term_place_df(&s->terms[t]);
        if (t < w->shared) {
            if (t >= w->run_rows && unit & 1) w->postings[unit++] = 0;
            w->terms[t] = (struct fer_frozen_term){text, df, unit};
            unit += t < w->run_rows ? df : 2 * df;
        } else {
            w->singles[t - w->shared] = (struct fer_frozen_single){text, 0};
        }
        text += (uint32_t)s->terms[t].len;
    }
    w->singles[s->term_count - w->shared] = (struct fer_frozen_single){text, 0};
}

/* ---- the beginning ------------------------------------------------------------ */

/* The bytes that only keep the next section aligned. */
static void clear_gaps(char *bytes, const struct fer_frozen_layout *l)
{
    const size_t ends[] = {l->levels,   l->singles, l->texts,     l->slots,   l->runs, l->bits,
                           l->postings, l->names,   l->record_at, l->records, l->end};
    for (size_t i = 0; i < FER_COUNT(ends); i++) memset(bytes + ends[i] - 8, 0, 8);
}

static void find_sections(fer_frozen_writer *w, const struct fer_frozen_layout *l)
{
    w->terms = (void *)(w->bytes + l->terms);
    w->levels = (void *)(w->bytes + l->levels);
    w->singles = (void *)(w->bytes + l->singles);
    w->runs = (void *)(w->bytes + l->runs);
    w->bits = (void *)(w->bytes + l->bits);
    w->postings = (void *)(w->bytes + l->postings);
    w->names = (void *)(w->bytes + l->names);
    w->record_at = (void *)(w->bytes + l->record_at);
    w->records = (void *)(w->bytes + l->records);
}

fer_code fer_frozen_begin(fer_frozen_writer *w, fer_arena *a, const fer_frozen_source *s,
                          fer_err *err)
{
    struct fer_frozen_header h = {.magic = FER_FROZEN_MAGIC,
                                  .numbers = s->numbers,
                                  .docs = s->docs,
                                  .term_count = s->term_count,
                                  .record_units = s->record_units};
    fer_code code = measure(s, &h, err);
    if (code) return code;
    struct fer_frozen_layout l = fer_frozen_lay_out(&h);
    if (!l.fits || l.end / sizeof(uint16_t) >= UINT32_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "too much text for one search index");
    *w = (fer_frozen_writer){.arena = a,
                             .source = s,
                             .shared = h.shared,
                             .run_rows = h.run_rows,
                             .bit_rows = h.bit_rows,
                             .windows = fer_frozen_windows(s->numbers),
                             .bytes = fer_arena_alloc(a, l.end)};
    if (!w->bytes) return fer_arena_failed(a, err);
    find_sections(w, &l);
    clear_gaps(w->bytes, &l);
    write_texts(s, w->bytes + l.texts, h.seed);
    write_slots(s, &h, w->bytes + l.texts, (void *)(w->bytes + l.slots));
    write_terms(w);
    w->record_at[0] = 0;
    memcpy(w->bytes, &h, sizeof h);
    return FER_OK;
}

/* ---- postings ----------------------------------------------------------------- */

void fer_frozen_end_window(fer_frozen_writer *w, uint32_t term, uint32_t window, uint32_t count)
{
    uint32_t *runs = w->runs + (size_t)term * (w->windows + 1);
    if (!window) runs[0] = 0;
    runs[window + 1] = count;
}

/* 16 bits a posting, and for each window where its own begin. */
static void put_runs(fer_frozen_writer *w, uint32_t term, const uint32_t *list)
{
    const struct fer_frozen_term *t = &w->terms[term];
    uint16_t *to = w->postings + t->postings;
    uint32_t i = 0;
    for (uint32_t window = 0; window < w->windows; window++) {
        for (; i < t->df && list[i] >> (FER_LEVEL_BITS + FER_WINDOW_BITS) == window; i++)
            to[i] = (uint16_t)list[i];
        fer_frozen_end_window(w, term, window, i);
    }
}

void fer_frozen_put_list(fer_frozen_writer *w, uint32_t term, const uint32_t *list)
{
    if (term >= w->shared) {
        w->singles[term - w->shared].posting = list[0];
    } else if (term < w->run_rows) {
        put_runs(w, term, list);
    } else {
        const struct fer_frozen_term *t = &w->terms[term];
        memcpy(w->postings + t->postings, list, t->df * sizeof *list);
    }
}

uint32_t fer_frozen_place(const fer_frozen_writer *w, uint32_t term)
{
    const void *at = term < w->shared ? (const void *)(w->postings + w->terms[term].postings)
                                      : &w->singles[term - w->shared].posting;
    return (uint32_t)((size_t)((const char *)at - w->bytes) / sizeof(uint16_t));
}

/* ---- levels and bits ---------------------------------------------------------- */

/* The highest level that `count` postings have at least; 0: there are not so many. */
static unsigned level_of_best(const uint32_t counts[FER_LEVELS], uint32_t count)
{
    uint32_t have = 0;
    for (unsigned level = FER_LEVELS; level-- > 0;) {
        have += counts[level];
        if (have >= count) return level;
    }
    return 0;
}

static inline uint32_t level_at(const fer_frozen_list *list, uint32_t i)
{
    return (list->flat ? list->flat[i] : list->postings[i]) % FER_LEVELS;
}

/* Of the few documents that most terms are in. */
static uint16_t top_level(const fer_frozen_list *list)
{
    uint32_t top = 0;
    for (uint32_t i = 0; i < list->df; i++) {
        uint32_t level = level_at(list, i);
        if (level > top) top = level;
    }
    return (uint16_t)top;
}

static uint16_t levels_of(const fer_frozen_list *list)
{
    uint32_t counts[FER_LEVELS] = {0};
    if (list->df < FER_FROZEN_FEW_COUNT) return top_level(list);
    for (uint32_t i = 0; i < list->df; i++) counts[level_at(list, i)]++;
    unsigned few = level_of_best(counts, FER_FROZEN_FEW_COUNT);
    unsigned more = level_of_best(counts, FER_FROZEN_MORE_COUNT);
    return (uint16_t)(level_of_best(counts, 1) | few << FER_FROZEN_FEW * FER_LEVEL_BITS |
                      more << FER_FROZEN_MORE * FER_LEVEL_BITS);
}

static void write_levels(fer_frozen_writer *w)
{
    for (uint32_t t = 0; t < w->shared; t++) {
        const uint16_t *at = w->postings + w->terms[t].postings;
        fer_frozen_list list = {.df = w->terms[t].df, .postings = at};
        if (t >= w->run_rows) list.flat = (const void *)at;
        w->levels[t] = levels_of(&list);
    }
}

static void write_bits(const fer_frozen_writer *w, uint32_t term)
{
    size_t words = fer_frozen_row_words(w->windows);
    const uint32_t *runs = w->runs + (size_t)term * (w->windows + 1);
    const uint16_t *postings = w->postings + w->terms[term].postings;
    uint64_t *row = w->bits + term * words;
    memset(row, 0, words * sizeof *row);
    for (uint32_t window = 0; window < w->windows; window++, row += FER_WINDOW / 64) {
        for (uint32_t i = runs[window]; i < runs[window + 1]; i++) {
            uint32_t number = postings[i] >> FER_LEVEL_BITS;
            row[number / 64] |= UINT64_C(1) << number % 64;
        }
    }
}

/* ---- records ------------------------------------------------------------------ */

uint16_t *fer_frozen_record_place(const fer_frozen_writer *w, uint32_t number)
{
    return w->records + w->record_at[number];
}

void fer_frozen_end_record(fer_frozen_writer *w, uint32_t number, size_t units)
{
    w->record_at[number + 1] = w->record_at[number] + (uint32_t)units;
}

/* Added up in the order in which a search would (rank.c). */
static double rarity_of_name(const fer_frozen_source *s, fer_record record)
{
    fer_record_reader r;
    double sum = 0;
    fer_record_open(&r, record);
    if (fer_record_next(&r) != FER_RECORD_TEXT || r.field != FER_FIELD_NAME) return 0;
    while (fer_record_next(&r) == FER_RECORD_TERM && fer_record_in_head(&r)) {
        if (r.term < s->term_count)
            sum += fer_weigh_rarity(s->docs, fer_term_place_df(&s->terms[r.term]));
    }
    return sum;
}

static void write_names(fer_frozen_writer *w)
{
    const fer_frozen_source *s = w->source;
    for (uint32_t n = 0; n < s->numbers; n++) {
        uint32_t from = w->record_at[n], to = w->record_at[n + 1];
        w->names[n] = rarity_of_name(s, (fer_record){w->records + from, to - from});
    }
}

/* ---- the end ------------------------------------------------------------------ */

fer_str fer_frozen_end(fer_frozen_writer *w)
{
    struct fer_frozen_header h;
    write_levels(w);
    for (uint32_t t = 0; t < w->bit_rows; t++) write_bits(w, t);
    write_names(w);
    memcpy(&h, w->bytes, sizeof h);
    h.record_units = w->record_at[w->source->numbers];
    h.size = fer_frozen_lay_out(&h).end;
    memcpy(w->bytes, &h, sizeof h);
    size_t used = (size_t)((char *)(w->records + h.record_units) - w->bytes);
    memset(w->bytes + used, 0, h.size - used);
    fer_arena_trim(w->arena, w->bytes + h.size);
    return (fer_str){w->bytes, h.size};
}
