/* SPDX-License-Identifier: Apache-2.0 */
#include "frozen.h"

#include "checked.h"
#include "errors.h"
#include "tokens.h"

/* "FERLEX" and the version of the layout; read as a number, so other byte orders do not open. */
#define MAGIC UINT64_C(0x000658454C524546)

struct header {
    uint64_t magic;
    uint64_t size; /* of everything */
    uint64_t seed[2];
    uint64_t text_size, posting_count, record_units;
    uint32_t numbers, docs, term_count, run_rows, slot_count, bit_rows;
};

/* ---- where the sections are -------------------------------------------------- */

/* The sections follow each other, each aligned to 8. */
struct layout {
    size_t terms, texts, slots, runs, bits, postings, names, record_at, records, end;
    bool fits;
};

static size_t place(struct layout *l, size_t count, size_t size)
{
    size_t at = l->end, bytes;
    l->fits = l->fits && fer_mul_size(count, size, &bytes) && fer_add_size(bytes, 7, &bytes) &&
              fer_add_size(l->end, bytes & ~(size_t)7, &l->end);
    return at;
}

static uint32_t windows_of(uint32_t numbers)
{
    return (numbers + FER_WINDOW - 1) >> FER_WINDOW_BITS;
}

/* Words of a row of bits. */
static size_t row_words(uint32_t windows)
{
    return (size_t)windows * (FER_WINDOW / 64);
}

static struct layout lay_out(const struct header *h)
{
    struct layout l = {.end = sizeof *h, .fits = true};
    size_t windows = windows_of(h->numbers), rows = h->run_rows;
    l.terms = place(&l, (size_t)h->term_count + 1, sizeof(struct fer_frozen_term));
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

/* A slot's bits that hold the number of a term, + 1; the others are of the hash. */
static uint32_t number_bits(uint32_t term_count)
{
    uint32_t bits = 1;
    while (bits < term_count) bits = bits << 1 | 1;
    return bits;
}

static uint32_t hash_bits(uint64_t hash, uint32_t number_bits)
{
    return (uint32_t)(hash >> 32) & ~number_bits;
}

/* ---- opening ------------------------------------------------------------------ */

static const char *wrong_with(fer_str bytes, const struct header *h)
{
    if (h->magic != MAGIC) return "it is of another version";
    if (h->size != bytes.len) return "it is not whole";
    if (h->numbers > FER_NUMBERS_MAX || h->docs > h->numbers) return "too many documents";
    if (h->slot_count & (h->slot_count - 1) || h->slot_count <= h->term_count)
        return "its table of terms is broken";
    if (h->run_rows > h->term_count || h->run_rows > FER_FROZEN_FLAT || h->bit_rows > h->term_count)
        return "its table of runs is broken";
    struct layout l = lay_out(h);
    return l.fits && l.end == bytes.len ? NULL : "its sections do not lie inside of it";
}

fer_code fer_frozen_open(fer_str bytes, fer_frozen *out, fer_err *err)
{
    struct header h;
    if (bytes.len < sizeof h)
        return fer_fail(err, FER_INVALID_FORMAT, "no search index: too short");
    memcpy(&h, bytes.ptr, sizeof h);
    const char *wrong = wrong_with(bytes, &h);
    if (wrong) return fer_fail(err, FER_INVALID_FORMAT, "no search index: %s", wrong);
    assert(((uintptr_t)bytes.ptr & 7) == 0);
    struct layout l = lay_out(&h);
    const void *base = bytes.ptr;
    const char *p = base;
    *out = (fer_frozen){
        .bytes = bytes.len,
        .numbers = h.numbers,
        .docs = h.docs,
        .term_count = h.term_count,
        .windows = windows_of(h.numbers),
        .run_rows = h.run_rows,
        .bit_rows = h.bit_rows,
        .slot_count = h.slot_count,
        .slot_number = number_bits(h.term_count),
        .seed = {h.seed[0], h.seed[1]},
        .text_size = h.text_size,
        .posting_count = h.posting_count,
        .record_units = h.record_units,
        .terms = (const void *)(p + l.terms),
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

fer_str fer_frozen_text(const fer_frozen *f, uint32_t term)
{
    if (term >= f->term_count) return FER_STR_NONE;
    uint32_t from = f->terms[term].text, to = f->terms[term + 1].text;
    if (from >= to || to > f->text_size) return FER_STR_NONE;
    return (fer_str){f->texts + from, to - from};
}

uint32_t fer_frozen_find(const fer_frozen *f, fer_str term)
{
    if (!f->term_count) return FER_NONE;
    uint64_t hash = fer_token_hash(term, f->seed);
    uint32_t mask = f->slot_count - 1, at = (uint32_t)hash & mask;
    uint32_t wanted = hash_bits(hash, f->slot_number), slot;
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

fer_frozen_list fer_frozen_postings(const fer_frozen *f, uint32_t term)
{
    static const fer_frozen_list nothing = {0};
    if (term >= f->term_count) return nothing;
    const struct fer_frozen_term *t = &f->terms[term];
    if (t->df == 1) return (fer_frozen_list){.df = 1, .levels = t->levels, .flat = &t->postings};
    size_t units = t->run == FER_FROZEN_FLAT ? 2 : 1;
    if (t->postings > f->posting_count || f->posting_count - t->postings < units * t->df)
        return nothing;
    const uint16_t *at = f->postings + t->postings;
    if (t->run == FER_FROZEN_FLAT) {
        if (t->postings & 1) return nothing;
        return (fer_frozen_list){.df = t->df, .levels = t->levels, .flat = (const void *)at};
    }
    if (t->run >= f->run_rows) return nothing;
    bool bits = term < f->bit_rows;
    return (fer_frozen_list){.df = t->df,
                             .levels = t->levels,
                             .bits = bits ? f->bits + term * row_words(f->windows) : NULL,
                             .runs = f->runs + (size_t)t->run * (f->windows + 1),
                             .postings = at};
}

/* ---- writing ------------------------------------------------------------------ */

struct writer {
    const fer_frozen_source *source;
    struct header h;
    struct layout l;
    char *bytes;
    struct fer_frozen_term *terms;
    uint32_t windows;
    uint32_t run;      /* the next row */
    uint32_t postings; /* the next unit */
};

/*
 * A run saves 2 bytes a posting, and costs a search as much to begin as to add up ten. Where there
 * is one window, it is only a matter of bytes.
 */
#define RUN_MEAN 64 /* postings in a window, of terms that have runs */

static bool has_runs(uint32_t df, uint32_t windows)
{
    return windows > 1 ? df >= RUN_MEAN * windows : df >= 8;
}

/*
 * Bits pay where a search would look a posting up among many; in a registry of one window it adds
 * all of them up. 16 bytes a document at most, a fraction of it in practice.
 */
#define BIT_ROWS 128
#define BITS_OF  24 /* one of so many documents has a term with bits */

static bool has_bits(uint32_t term, uint32_t df, const struct writer *w)
{
    return w->windows > 1 && term < BIT_ROWS && df > w->source->numbers / BITS_OF &&
           has_runs(df, w->windows);
}

static fer_code measure(struct writer *w, fer_err *err)
{
    const fer_frozen_source *s = w->source;
    w->windows = windows_of(s->numbers);
    w->h.slot_count = 2;
    /* Two thirds full at most: a slot's bits of the hash tell others apart without their texts. */
    while (w->h.slot_count < s->term_count * UINT64_C(3) / 2 + 1) w->h.slot_count *= 2;
    for (uint32_t t = 0; t < s->term_count; t++) {
        uint32_t df = s->terms[t].df;
        bool runs = has_runs(df, w->windows) && w->h.run_rows < FER_FROZEN_FLAT;
        w->h.text_size += s->terms[t].text.len;
        w->h.run_rows += runs;
        w->h.bit_rows += w->h.bit_rows == t && has_bits(t, df, w);
        if (df == 1) continue; /* its posting is in the term itself */
        if (!runs) w->h.posting_count += w->h.posting_count & 1;
        w->h.posting_count += runs ? df : 2 * (uint64_t)df;
    }
    w->h.record_units = s->record_at[s->numbers];
    if (w->h.text_size < UINT32_MAX && w->h.posting_count < UINT32_MAX &&
        w->h.record_units < UINT32_MAX)
        return FER_OK;
    return fer_fail(err, FER_LIMIT_EXCEEDED, "too much text for one search index");
}

#define AHEAD 12 /* terms whose texts are on their way */

/* Texts lie in the order in which they were met, which is not that of terms. */
static inline void fetch_text(const fer_frozen_source *s, uint32_t term)
{
    if (term + AHEAD < s->term_count) __builtin_prefetch(s->terms[term + AHEAD].text.ptr);
}

/* The seed comes from the words, so that the same documents make the same bytes. */
static void make_seed(struct writer *w)
{
    static const uint64_t start[2] = {1, 2};
    for (uint32_t t = 0; t < w->source->term_count; t++) {
        fetch_text(w->source, t);
        uint64_t h = fer_token_hash(w->source->terms[t].text, start);
        w->h.seed[t & 1] = w->h.seed[t & 1] * UINT64_C(0x9E3779B97F4A7C15) + h;
    }
}

static void write_terms(struct writer *w)
{
    const fer_frozen_source *s = w->source;
    uint32_t *slots = (void *)(w->bytes + w->l.slots), mask = w->h.slot_count - 1, text = 0;
    uint32_t bits = number_bits(s->term_count);
    for (uint32_t t = 0; t < s->term_count; t++) {
        fetch_text(s, t);
        fer_str word = s->terms[t].text;
        uint64_t hash = fer_token_hash(word, w->h.seed);
        uint32_t at = (uint32_t)hash & mask;
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = hash_bits(hash, bits) | (t + 1);
        memcpy(w->bytes + w->l.texts + text, word.ptr, word.len);
        w->terms[t] = (struct fer_frozen_term){text, s->terms[t].df, 0, FER_FROZEN_FLAT, 0};
        text += (uint32_t)word.len;
    }
    w->terms[s->term_count] = (struct fer_frozen_term){text, 0, 0, FER_FROZEN_FLAT, 0};
}

/* 16 bits a posting, and for each window where its own begin. */
static void write_runs(struct writer *w, const uint32_t *list, uint32_t df)
{
    uint32_t *runs = (uint32_t *)(void *)(w->bytes + w->l.runs) + (size_t)w->run * (w->windows + 1);
    uint16_t *to = (uint16_t *)(void *)(w->bytes + w->l.postings) + w->postings;
    uint32_t window = 0;
    for (uint32_t i = 0; i < df; i++) {
        uint32_t at = list[i] >> (FER_LEVEL_BITS + FER_WINDOW_BITS);
        while (window < at) runs[++window] = i;
        to[i] = (uint16_t)list[i];
    }
    while (window < w->windows) runs[++window] = df;
}

static void write_bits(const struct writer *w, uint32_t term, const uint32_t *list, uint32_t df)
{
    uint64_t *row = (uint64_t *)(void *)(w->bytes + w->l.bits) + term * row_words(w->windows);
    for (uint32_t i = 0; i < df; i++) {
        uint32_t number = list[i] >> FER_LEVEL_BITS;
        row[number / 64] |= UINT64_C(1) << number % 64;
    }
}

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

/* Of the few documents that most terms are in. */
static uint16_t top_level(const uint32_t *list, uint32_t df)
{
    uint32_t top = 0;
    for (uint32_t i = 0; i < df; i++) {
        if (list[i] % FER_LEVELS > top) top = list[i] % FER_LEVELS;
    }
    return (uint16_t)top;
}

static uint16_t levels_of(const uint32_t *list, uint32_t df)
{
    uint32_t counts[FER_LEVELS] = {0};
    if (df < FER_FROZEN_FEW_COUNT) return top_level(list, df);
    for (uint32_t i = 0; i < df; i++) counts[list[i] % FER_LEVELS]++;
    unsigned few = level_of_best(counts, FER_FROZEN_FEW_COUNT);
    unsigned more = level_of_best(counts, FER_FROZEN_MORE_COUNT);
    return (uint16_t)(level_of_best(counts, 1) | few << FER_FROZEN_FEW * FER_LEVEL_BITS |
                      more << FER_FROZEN_MORE * FER_LEVEL_BITS);
}

static void write_list(struct writer *w, uint32_t term, const uint32_t *list)
{
    struct fer_frozen_term *t = &w->terms[term];
    t->levels = levels_of(list, t->df);
    if (has_runs(t->df, w->windows) && w->run < FER_FROZEN_FLAT) {
        t->run = (uint16_t)w->run;
        t->postings = w->postings;
        write_runs(w, list, t->df);
        if (term < w->h.bit_rows) write_bits(w, term, list, t->df);
        w->run++;
        w->postings += t->df;
        return;
    }
    if (t->df == 1) {
        t->postings = list[0];
        return;
    }
    w->postings += w->postings & 1;
    t->postings = w->postings;
    if (t->df)
        memcpy(w->bytes + w->l.postings + w->postings * sizeof(uint16_t), list,
               t->df * sizeof *list);
    w->postings += 2 * t->df;
}

/* Added up in the order in which a search would (rank.c). */
static double rarity_of_name(const fer_frozen_source *s, fer_record record)
{
    fer_record_reader r;
    double sum = 0;
    fer_record_open(&r, record);
    if (fer_record_next(&r) != FER_RECORD_TEXT || r.field != FER_FIELD_NAME) return 0;
    while (fer_record_next(&r) == FER_RECORD_TERM && fer_record_in_head(&r)) {
        if (r.term < s->term_count) sum += fer_weigh_rarity(s->docs, s->terms[r.term].df);
    }
    return sum;
}

static void write_names(struct writer *w)
{
    const fer_frozen_source *s = w->source;
    double *names = (void *)(w->bytes + w->l.names);
    for (uint32_t n = 0; n < s->numbers; n++) {
        uint32_t from = s->record_at[n];
        names[n] = rarity_of_name(s, (fer_record){s->records + from, s->record_at[n + 1] - from});
    }
}

static fer_code write_all(struct writer *w)
{
    const fer_frozen_source *s = w->source;
    memcpy(w->bytes, &w->h, sizeof w->h);
    write_terms(w);
    for (uint32_t t = 0; t < s->term_count; t++) {
        const uint32_t *list = s->postings(s->context, t);
        if (!list) return FER_OUT_OF_MEMORY;
        write_list(w, t, list);
    }
    write_names(w);
    memcpy(w->bytes + w->l.record_at, s->record_at, ((size_t)s->numbers + 1) * sizeof(uint32_t));
    if (w->h.record_units)
        memcpy(w->bytes + w->l.records, s->records, w->h.record_units * sizeof(uint16_t));
    return FER_OK;
}

fer_code fer_frozen_write(fer_arena *a, const fer_frozen_source *source, fer_str *out, fer_err *err)
{
    struct writer w = {.source = source,
                       .h = {.magic = MAGIC,
                             .numbers = source->numbers,
                             .docs = source->docs,
                             .term_count = source->term_count}};
    fer_code code = measure(&w, err);
    if (code) return code;
    make_seed(&w);
    w.l = lay_out(&w.h);
    if (!w.l.fits) return fer_fail(err, FER_LIMIT_EXCEEDED, "too much text for one search index");
    w.h.size = w.l.end;
    w.bytes = fer_arena_alloc_zero(a, 1, w.l.end);
    if (!w.bytes) return fer_arena_failed(a, err);
    w.terms = (void *)(w.bytes + w.l.terms);
    code = write_all(&w);
    if (code) return fer_arena_failed(a, err);
    *out = (fer_str){w.bytes, w.l.end};
    return FER_OK;
}
