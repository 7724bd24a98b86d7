/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frozen bytes from many documents at once. Each is taken in (intake.h), and its terms, each with
 * its level, and its record go behind those of the one before. When all are there, terms are
 * numbered, and one pass over the documents, in their order, writes postings and records to their
 * places in the bytes. Nothing is searched meanwhile, so nothing needs to grow, or be whole.
 */
#include "errors.h"
#include "intake.h"
#include "lexical.h"
#include "sys.h"

/* A document that was taken in. */
struct doc {
    uint32_t *terms; /* number << FER_LEVEL_BITS | level; NULL: there is no such document */
    uint32_t count;  /* of these; behind them is the record */
    uint32_t units;  /* of that */
};

static const uint16_t *record_of(const struct doc *doc)
{
    return (const uint16_t *)(doc->terms + doc->count);
}

#define TERMS (UINT32_C(1) << (32 - FER_LEVEL_BITS)) /* numbers of terms are below it */
static_assert(TERMS <= FER_RECORD_TERMS, "and then a record can have them");

struct fer_lexical_builder {
    fer_arena *arena;
    fer_tokeniser *tokeniser;
    struct doc *docs;          /* by number */
    size_t doc_cap, doc_first; /* room for so many, and at first */
    uint32_t numbers, count;
    size_t postings, units; /* of all */
    fer_text_memo memo;
    fer_intake intake;
};

/*
 * What a document takes of the arena, on the whole. Memory that is asked for at once is given back
 * at once, which malloc takes as a sign to keep twice as much for the next time, as long as it is
 * less than 32 MiB: all but the first builds of a process need none from the kernel, or little.
 */
#define DOC_BYTES 1536
#define SOME_DOCS 1024            /* that there is room for at first where nobody says */
#define MANY_DOCS ((size_t)20000) /* that memory is asked for at once */

/* For words, and for texts: there are some five of each for a document, fewer where these are many.
 */
#define SLOTS_LEAST 2048
#define SLOTS_MOST  32768
static uint32_t slots_for(size_t docs)
{
    uint32_t slots = SLOTS_LEAST;
    while (slots < SLOTS_MOST && slots < 16 * docs) slots *= 2;
    return slots;
}

fer_lexical_builder *fer_lexical_builder_new(size_t docs)
{
    fer_lexical_builder *b = fer_sys_malloc_zero(sizeof *b);
    if (!b) return NULL;
    b->arena = fer_arena_new(0);
    if (b->arena) fer_arena_reserve(b->arena, (docs < MANY_DOCS ? docs : MANY_DOCS) * DOC_BYTES);
    b->tokeniser = fer_tokeniser_new_plain();
    uint32_t slots = slots_for(docs);
    b->doc_first = docs && docs < FER_LEXICAL_DOCS_MAX ? docs : SOME_DOCS;
    if (b->arena && b->tokeniser && fer_text_memo_init(&b->memo, b->arena, slots)) {
        fer_intake_init_many(&b->intake, b->arena, b->tokeniser, &b->memo, slots);
        return b;
    }
    fer_lexical_builder_free(b);
    return NULL;
}

void fer_lexical_builder_free(fer_lexical_builder *b)
{
    if (!b) return;
    fer_tokeniser_free(b->tokeniser);
    fer_arena_free(b->arena);
    fer_sys_free(b);
}

/* ---- documents ------------------------------------------------------------------ */

/* Places behind those that were there are cleared. */
static bool make_room(fer_lexical_builder *b, uint32_t number)
{
    size_t cap = b->doc_cap ? b->doc_cap : b->doc_first;
    if (number < b->doc_cap) return true;
    while (cap <= number) cap *= 2;
    struct doc *docs =
        fer_arena_grow(b->arena, b->docs, b->doc_cap * sizeof *docs, cap * sizeof *docs);
    if (!docs) return false;
    memset(docs + b->doc_cap, 0, (cap - b->doc_cap) * sizeof *docs);
    b->docs = docs;
    b->doc_cap = cap;
    return true;
}

static bool keep_doc(fer_lexical_builder *b, struct doc *doc)
{
    const fer_intake *in = &b->intake;
    float against = fer_weigh_length(in->length);
    size_t record = in->record.count * sizeof(uint16_t);
    uint32_t *to = fer_arena_alloc(b->arena, in->count * sizeof *to + record);
    if (!to) return false;
    *doc = (struct doc){to, (uint32_t)in->count, (uint32_t)in->record.count};
    for (size_t i = 0; i < in->count; i++)
        to[i] = in->numbers[i] << FER_LEVEL_BITS | fer_weigh_level(in->counts[i], against);
    memcpy(to + in->count, in->record.units, record);
    b->postings += in->count;
    b->units += in->record.count;
    return true;
}

static fer_code too_much(fer_err *err)
{
    return fer_fail(err, FER_LIMIT_EXCEEDED, "too much text for one search index");
}

fer_code fer_lexical_builder_add(fer_lexical_builder *b, uint32_t number, const fer_search_doc *doc,
                                 fer_err *err)
{
    if (number >= FER_LEXICAL_DOCS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a search index holds at most %u documents",
                        FER_LEXICAL_DOCS_MAX);
    assert(number >= b->numbers || !b->docs[number].terms);
    bool done = fer_intake_read(&b->intake, doc) && make_room(b, number);
    if (done && b->intake.term_count >= TERMS) return too_much(err);
    if (!done || !keep_doc(b, &b->docs[number]))
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a document of the search index");
    b->count++;
    if (number >= b->numbers) b->numbers = number + 1;
    return FER_OK;
}

#define LINE 64 /* bytes that come from memory together */

static void fetch_list(const fer_search_doc *doc)
{
    const char *list = (const char *)doc->texts;
    for (size_t at = 0; at < doc->count * sizeof *doc->texts; at += LINE)
        __builtin_prefetch(list + at);
}

/* How they begin: of those that are longer, the processor asks for the rest. */
static void fetch_texts(const fer_search_doc *doc)
{
    for (size_t i = 0; i < doc->count; i++) {
        uintptr_t text = (uintptr_t)doc->texts[i].text.ptr; /* whatever is behind it */
        __builtin_prefetch((const void *)text);
        __builtin_prefetch((const void *)(text + LINE));
    }
}

fer_code fer_lexical_builder_add_all(fer_lexical_builder *b, uint32_t first,
                                     const fer_search_doc *docs, size_t count, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < count && !code; i++) {
        if (count - i > 2) fetch_list(&docs[i + 2]);
        if (count - i > 1) fetch_texts(&docs[i + 1]);
        code = fer_lexical_builder_add(b, first + (uint32_t)i, &docs[i], err);
    }
    return code;
}

/* ---- all of them ---------------------------------------------------------------- */

#define UNITS       ((size_t)UINT16_MAX + 1) /* that there can be in a record */
#define PLACES_NEAR 16384                    /* of terms that are in a cache near a core */

/* What is known of a term while postings are written, by its old number. */
struct place {
    uint32_t number; /* the new one */
    uint32_t at;     /* where the next posting goes: see fer_frozen_place */
};

struct turn {
    const fer_lexical_builder *b;
    uint32_t count;        /* of terms */
    fer_term_place *terms; /* by new numbers; theirs are the old ones */
    struct place *places;
    uint32_t *codes;  /* units of a record that become others, two of them; NULL: narrow */
    uint32_t nowhere; /* behind the last single term, cleared in the end */
    fer_frozen_writer w;
};

/* The text of a term: of a whole name, which may end with zeros, all bytes. */
static fer_str text_of(const fer_word *word)
{
    const char *text = (const char *)word->key.part;
    size_t len = fer_token_key_len(&word->key);
    return (fer_str){text, *text == FER_NAME_MARK ? FER_NAME_BYTES : len};
}

static bool number_terms(struct turn *t, fer_arena *a)
{
    const fer_intake *in = &t->b->intake;
    fer_term_place *to = t->terms;
    for (uint32_t i = 1; i < in->words_met.count; i++) {
        const fer_word *word = fer_words_get(&in->words_met, i);
        bool is_term = word->own != FER_NONE; /* anybody's guess: what is none is written over */
        uint32_t docs = in->marks[is_term ? word->own : 0].docs;
        *to = fer_term_place_padded(docs, text_of(word), word->own);
        to += is_term;
    }
    for (size_t i = 0; i < in->long_terms.cap; i++) {
        const struct fer_map_entry *e = &in->long_terms.entries[i];
        uint32_t number = (uint32_t)(uintptr_t)e->value - 1;
        if (e->key.ptr) *to++ = fer_term_place_of(in->marks[number].docs, e->key, number);
    }
    assert((size_t)(to - t->terms) == t->count);
    return fer_term_order(a, t->terms, t->count);
}

/* Whether numbers are one unit each, and what else stands in a record. */
static bool is_narrow(const struct turn *t)
{
    return t->count <= FER_RECORD_MARK;
}

static void place_terms(struct turn *t)
{
    for (uint32_t n = 0; n < t->count; n++)
        t->places[t->terms[n].number] = (struct place){n, fer_frozen_place(&t->w, n)};
    for (uint32_t mark = FER_RECORD_MARK; is_narrow(t) && mark < FER_RECORD_WIDE; mark++)
        t->places[mark] = (struct place){mark, 0}; /* marks stay what they are */
}

/* By what is one unit of a record now. */
static void code_units(struct turn *t)
{
    for (uint32_t unit = 0; unit < FER_RECORD_MARK; unit++) {
        uint16_t to[2] = {0, 0};
        fer_record_put(to, t->places[unit].number);
        t->codes[unit] = to[0] | (uint32_t)to[1] << 16;
    }
    for (uint32_t mark = FER_RECORD_MARK; mark < FER_RECORD_WIDE; mark++) t->codes[mark] = mark;
}

/* ---- documents, turned round ------------------------------------------------------ */

/*
 * Whether a term has runs is anybody's guess, so there is no branch: the second unit of a posting
 * that has but one goes nowhere.
 */
static void write_postings(struct turn *t, uint32_t number, const struct doc *doc)
{
    struct place *places = t->places;
    uint16_t *units = (void *)t->w.bytes;
    uint32_t run_rows = t->w.run_rows, nowhere = t->nowhere;
    for (uint32_t i = 0; i < doc->count; i++) {
        uint32_t term = doc->terms[i], posting = number << FER_LEVEL_BITS | term % FER_LEVELS;
        struct place *p = &places[term >> FER_LEVEL_BITS];
        uint32_t at = p->at, wide = p->number >= run_rows;
        units[at] = (uint16_t)posting;
        units[nowhere + ((at + 1 - nowhere) & -wide)] = (uint16_t)(posting >> 16);
        p->at = at + 1 + wide;
    }
}

/*
 * The units of a record up to `end`, with new numbers. Which of them are marks, and which become
 * two, is anybody's guess: two are written, and the second written over where it is none.
 */
static uint16_t *write_units(const struct turn *t, const uint16_t *from, const uint16_t *end,
                             uint16_t *to)
{
    while (from < end) {
        uint32_t unit = *from++;
        if (unit >= FER_RECORD_WIDE) {
            unit = (unit - FER_RECORD_WIDE) << 16 | *from++;
            to += fer_record_put(to, t->places[unit].number);
        } else {
            uint32_t code = t->codes[unit];
            to[0] = (uint16_t)code;
            to[1] = (uint16_t)(code >> 16);
            to += 1 + (to[0] >= FER_RECORD_WIDE);
        }
    }
    return to;
}

static size_t write_wide(const struct turn *t, const struct doc *doc, uint16_t *to)
{
    fer_record_reader r;
    const uint16_t *record = record_of(doc);
    fer_record_open(&r, (fer_record){record, doc->units});
    uint16_t *head =
        fer_record_put_name(to, r.name == FER_NONE ? FER_NONE : t->places[r.name].number);
    uint16_t *end = write_units(t, r.at, r.head_end, head);
    to[FER_RECORD_AT_LENGTH] = record[FER_RECORD_AT_LENGTH];
    to[FER_RECORD_AT_HEAD] = (uint16_t)(end - head);
    return (size_t)(write_units(t, r.head_end, r.end, end) - to);
}

/* Every unit becomes one. */
static size_t write_narrow(const struct turn *t, const struct doc *doc, uint16_t *to)
{
    const uint16_t *record = record_of(doc);
    const struct place *places = t->places;
    to[FER_RECORD_AT_LENGTH] = record[FER_RECORD_AT_LENGTH];
    to[FER_RECORD_AT_HEAD] = record[FER_RECORD_AT_HEAD];
    for (uint32_t i = FER_RECORD_AT_NAME; i < doc->units; i++)
        to[i] = (uint16_t)places[record[i]].number;
    return doc->units;
}

static void write_doc(struct turn *t, uint32_t number, const struct doc *doc)
{
    uint16_t *to = fer_frozen_record_place(&t->w, number);
    write_postings(t, number, doc);
    fer_frozen_end_record(&t->w, number,
                          is_narrow(t) ? write_narrow(t, doc, to) : write_wide(t, doc, to));
}

static void end_window(struct turn *t, uint32_t window)
{
    for (uint32_t n = 0; n < t->w.run_rows; n++)
        fer_frozen_end_window(&t->w, n, window,
                              t->places[t->terms[n].number].at - fer_frozen_place(&t->w, n));
}

/* Places of terms may be spread over megabytes: those of a document are asked for one before. */
static void fetch_places(const struct turn *t, const struct doc *doc)
{
    for (uint32_t i = 0; i < doc->count; i++)
        __builtin_prefetch(&t->places[doc->terms[i] >> FER_LEVEL_BITS], 1);
}

static void turn_round(struct turn *t)
{
    const fer_lexical_builder *b = t->b;
    for (uint32_t n = 0; n < b->numbers; n++) {
        if (t->count > PLACES_NEAR && n + 1 < b->numbers) fetch_places(t, &b->docs[n + 1]);
        if (b->docs[n].terms) write_doc(t, n, &b->docs[n]);
        else fer_frozen_end_record(&t->w, n, 0);
        if ((n + 1) % FER_WINDOW == 0 || n + 1 == b->numbers) end_window(t, n / FER_WINDOW);
    }
}

/* ---- all of it -------------------------------------------------------------------- */

static bool prepare(struct turn *t, fer_arena *a)
{
    size_t terms = (size_t)t->count + 1;
    size_t places = terms < UNITS ? UNITS : terms; /* one for whatever stands in a record */
    t->terms = fer_arena_alloc(a, terms * sizeof *t->terms);
    t->places = fer_arena_alloc(a, places * sizeof *t->places);
    if (!is_narrow(t)) {
        t->codes = fer_arena_alloc(a, FER_RECORD_WIDE * sizeof *t->codes);
        if (!t->codes) return false;
    }
    return t->terms && t->places && number_terms(t, a);
}

/* Where numbers need two units at times, nobody knows how often before they are written. */
static size_t most_units(const struct turn *t)
{
    return is_narrow(t) ? t->b->units : 2 * t->b->units;
}

static fer_code write_all(struct turn *t, fer_arena *a, fer_str *out, fer_err *err)
{
    fer_frozen_source source = {.numbers = t->b->numbers,
                                .docs = t->b->count,
                                .term_count = t->count,
                                .terms = t->terms,
                                .padded = true,
                                .record_units = most_units(t)};
    fer_code code = fer_frozen_begin(&t->w, a, &source, err);
    if (code) return code;
    t->nowhere = fer_frozen_place(&t->w, t->count);
    place_terms(t);
    if (t->codes) code_units(t);
    turn_round(t);
    t->w.singles[t->count - t->w.shared].posting = 0;
    *out = fer_frozen_end(&t->w);
    return FER_OK;
}

fer_code fer_lexical_builder_finish(fer_arena *a, fer_lexical_builder *b, fer_str *out,
                                    fer_err *err)
{
    struct turn t = {.b = b, .count = b->intake.term_count};
    fer_code code = FER_OUT_OF_MEMORY;
    if (b->postings >= UINT32_MAX || b->units >= UINT32_MAX / 2) code = too_much(err);
    else if (prepare(&t, b->arena)) code = write_all(&t, a, out, err);
    else fer_fail(err, code, "no memory for freezing the search index");
    return code;
}
