/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frozen bytes from many documents at once. Each is taken in (intake.h), and its record and the
 * levels of its terms go behind those of the one before. A record has every term of its document,
 * so the levels stand in the order in which it has them for the first time, that of the whole name
 * last. When all are there, terms are numbered, and one pass over the records, in the order
 * of documents, writes records and postings to their places in the bytes. Nothing is searched
 * meanwhile, so nothing needs to grow, or be whole.
 */
#include "errors.h"
#include "intake.h"
#include "lexical.h"
#include "sys.h"
#include "term_order.h"

/* A document that was taken in. */
struct doc {
    uint16_t *record; /* NULL: there is no such document. Behind it, the levels of its terms. */
    uint32_t units, terms;
};

struct fer_lexical_builder {
    fer_arena *arena;
    fer_tokeniser *tokeniser;
    fer_terms terms;
    fer_frozen none;  /* a frozen part without terms */
    struct doc *docs; /* by number */
    size_t doc_cap;
    uint32_t numbers, count;
    size_t postings, units; /* of all */
    fer_text_memo memo;
    fer_intake intake;
};

fer_lexical_builder *fer_lexical_builder_new(void)
{
    fer_lexical_builder *b = fer_sys_malloc(sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->arena = fer_arena_new(0);
    b->tokeniser = fer_tokeniser_new();
    if (b->arena && b->tokeniser && fer_text_memo_init(&b->memo, fer_arena_seed(b->arena))) {
        fer_terms_init(&b->terms, b->arena, 0);
        fer_intake_init(&b->intake, b->arena, b->tokeniser, &b->terms, &b->none, &b->memo);
        return b;
    }
    fer_lexical_builder_free(b);
    return NULL;
}

void fer_lexical_builder_free(fer_lexical_builder *b)
{
    if (!b) return;
    fer_text_memo_deinit(&b->memo);
    fer_tokeniser_free(b->tokeniser);
    fer_arena_free(b->arena);
    fer_sys_free(b);
}

/* ---- documents ------------------------------------------------------------------ */

/* A list with room for `need` items, cleared behind those that were there. NULL: no memory. */
static void *widen(fer_arena *a, void *list, size_t *cap, size_t need, size_t size)
{
    size_t more = *cap ? *cap : 1024;
    if (need <= *cap) return list;
    while (more < need) more *= 2;
    char *wider = fer_arena_grow(a, list, *cap * size, more * size);
    if (!wider) return NULL;
    memset(wider + *cap * size, 0, (more - *cap) * size);
    *cap = more;
    return wider;
}

static bool make_room(fer_lexical_builder *b, uint32_t number)
{
    void *docs = widen(b->arena, b->docs, &b->doc_cap, (size_t)number + 1, sizeof *b->docs);
    if (docs) b->docs = docs;
    return docs != NULL;
}

static bool keep_doc(fer_lexical_builder *b, struct doc *doc)
{
    const fer_intake *in = &b->intake;
    float against = fer_weigh_length(in->length);
    size_t record = in->record.count * sizeof(uint16_t);
    uint16_t *to = fer_arena_alloc(b->arena, record + in->count + 1);
    if (!to) return false;
    *doc = (struct doc){to, (uint32_t)in->record.count, (uint32_t)in->count};
    memcpy(to, in->record.units, record);
    uint8_t *levels = (uint8_t *)(to + in->record.count);
    for (size_t i = 0; i < in->count; i++)
        levels[i] = (uint8_t)fer_weigh_level(in->counts[i], against);
    levels[in->count] = 0; /* read behind the last new term, and not used */
    b->postings += in->count;
    b->units += in->record.count;
    return true;
}

fer_code fer_lexical_builder_add(fer_lexical_builder *b, uint32_t number, const fer_search_doc *doc,
                                 fer_err *err)
{
    if (number >= FER_LEXICAL_DOCS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a search index holds at most %u documents",
                        FER_LEXICAL_DOCS_MAX);
    assert(number >= b->numbers || !b->docs[number].record);
    if (!fer_intake_read(&b->intake, doc) || !make_room(b, number) ||
        !keep_doc(b, &b->docs[number]))
        return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a document of the search index");
    b->count++;
    if (number >= b->numbers) b->numbers = number + 1;
    return FER_OK;
}

/* ---- all of them ---------------------------------------------------------------- */

#define UNITS ((size_t)UINT16_MAX + 1) /* that there can be in a record */

/* What is known of a term while postings are written, by its old number. */
struct place {
    uint32_t number; /* the new one */
    uint32_t at;     /* where the next posting goes: see fer_frozen_place */
    uint32_t step;   /* units of a posting */
    uint32_t doc;    /* that had it last, + 1 */
};

struct turn {
    const fer_lexical_builder *b;
    uint32_t count;                 /* of terms */
    struct fer_frozen_entry *terms; /* by new numbers */
    uint32_t *olds;                 /* numbers by new ones */
    struct place *places;
    uint32_t nowhere; /* behind the last single term, cleared in the end */
    fer_frozen_writer w;
};

/* Whose text it is. */
static const fer_term *term_of(const fer_str *text)
{
    return (const void *)((const char *)text - offsetof(fer_term, text));
}

#define AHEAD 12 /* terms that are on their way */

static inline void fetch_term(const fer_term_place *order, uint32_t n, uint32_t count)
{
    if (n + AHEAD < count) __builtin_prefetch(order[n + AHEAD].text);
}

static bool number_terms(struct turn *t, fer_arena *a)
{
    const fer_terms *terms = &t->b->terms;
    const struct fer_intake_mark *marks = t->b->intake.marks;
    fer_term_place *order = fer_arena_alloc(a, ((size_t)t->count + 1) * sizeof *order);
    if (!order) return false;
    for (uint32_t i = 0; i < t->count; i++)
        order[i] = fer_term_place_of(marks[i].docs, &fer_terms_get(terms, i)->text);
    if (!fer_term_order(a, order, t->count)) return false;
    for (uint32_t n = 0; n < t->count; n++) {
        fetch_term(order, n, t->count);
        const fer_term *term = term_of(order[n].text);
        t->olds[n] = term->number;
        t->terms[n] = (struct fer_frozen_entry){term->text, marks[term->number].docs};
    }
    return true;
}

static void place_terms(struct turn *t)
{
    for (uint32_t n = 0; n < t->count; n++)
        t->places[t->olds[n]] =
            (struct place){n, fer_frozen_place(&t->w, n), n < t->w.run_rows ? 1 : 2, 0};
}

/* ---- documents, turned round ------------------------------------------------------ */

/* The document that is written. */
struct writing {
    struct place *places;
    uint16_t *units;  /* of the bytes */
    uint32_t nowhere; /* among them: two that nobody reads */
    uint32_t doc;
    const uint8_t *level; /* of the next term that is new to it */
};

/*
 * A term's posting, where it has not been written. Whether a word comes again, or has runs, is
 * anybody's guess, so there are no branches: what is not wanted goes nowhere.
 */
static inline uint32_t post(struct writing *d, uint32_t old)
{
    struct place *p = &d->places[old];
    uint32_t posting = d->doc << FER_LEVEL_BITS | *d->level;
    uint32_t first = p->doc != d->doc + 1, wide = p->step >> 1;
    uint32_t low = (p->at - d->nowhere) & -first, high = low & -wide;
    d->units[d->nowhere + low] = (uint16_t)posting;
    d->units[d->nowhere + 1 + high] = (uint16_t)(posting >> 16);
    p->at += p->step & -first;
    p->doc = d->doc + 1;
    d->level += first;
    return p->number;
}

/* The units of a record up to `end`, with new numbers. */
static uint16_t *write_units(struct writing *writing, const uint16_t *from, const uint16_t *end,
                             uint16_t *to)
{
    struct writing d = *writing; /* nobody else's, so it is not read anew behind each posting */
    while (from < end) {
        uint32_t unit = *from++;
        if (unit < FER_RECORD_MARK) {
            to += fer_record_put(to, post(&d, unit));
        } else if (unit >= FER_RECORD_WIDE) {
            to += fer_record_put(to, post(&d, (unit - FER_RECORD_WIDE) << 16 | *from++));
        } else {
            *to++ = (uint16_t)unit;
        }
    }
    writing->level = d.level;
    return to;
}

static void write_doc(struct turn *t, uint32_t number, const struct doc *doc)
{
    const uint8_t *levels = (const uint8_t *)(doc->record + doc->units);
    struct writing d = {t->places, (void *)t->w.bytes, t->nowhere, number, levels};
    fer_record_reader r;
    uint16_t *to = fer_frozen_record_place(&t->w, number), *head, *end;
    uint32_t name = FER_NONE;
    fer_record_open(&r, (fer_record){doc->record, doc->units});
    if (r.name != FER_NONE) {
        d.level = levels + doc->terms - 1;
        name = post(&d, r.name);
        d.level = levels;
    }
    head = fer_record_put_name(to, name);
    end = write_units(&d, r.at, r.head_end, head);
    to[FER_RECORD_AT_LENGTH] = doc->record[FER_RECORD_AT_LENGTH];
    to[FER_RECORD_AT_HEAD] = (uint16_t)(end - head);
    end = write_units(&d, r.head_end, r.end, end);
    fer_frozen_end_record(&t->w, number, (size_t)(end - to));
}

static void end_window(struct turn *t, uint32_t window)
{
    for (uint32_t n = 0; n < t->w.run_rows; n++)
        fer_frozen_end_window(&t->w, n, window,
                              t->places[t->olds[n]].at - fer_frozen_place(&t->w, n));
}

/* Places of terms are spread over megabytes: those of a document are asked for one before. */
static void fetch_places(const struct turn *t, const struct doc *doc)
{
    for (uint32_t i = 0; i < doc->units; i++) __builtin_prefetch(&t->places[doc->record[i]], 1);
}

static void turn_round(struct turn *t)
{
    const fer_lexical_builder *b = t->b;
    for (uint32_t n = 0; n < b->numbers; n++) {
        if (n + 1 < b->numbers) fetch_places(t, &b->docs[n + 1]);
        if (b->docs[n].record) write_doc(t, n, &b->docs[n]);
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
    t->olds = fer_arena_alloc(a, terms * sizeof *t->olds);
    t->places = fer_arena_alloc(a, places * sizeof *t->places);
    return t->terms && t->olds && t->places && number_terms(t, a);
}

/* Where numbers need two units at times, nobody knows how often before they are written. */
static size_t most_units(const struct turn *t)
{
    return t->count <= FER_RECORD_MARK ? t->b->units : 2 * t->b->units;
}

static fer_code write_all(struct turn *t, fer_arena *a, fer_str *out, fer_err *err)
{
    fer_frozen_source source = {.numbers = t->b->numbers,
                                .docs = t->b->count,
                                .term_count = t->count,
                                .terms = t->terms,
                                .record_units = most_units(t)};
    fer_code code = fer_frozen_begin(&t->w, a, &source, err);
    if (code) return code;
    t->nowhere = fer_frozen_place(&t->w, t->count);
    place_terms(t);
    turn_round(t);
    t->w.singles[t->count - t->w.shared].posting = 0;
    *out = fer_frozen_end(&t->w);
    return FER_OK;
}

fer_code fer_lexical_builder_finish(fer_arena *a, fer_lexical_builder *b, fer_str *out,
                                    fer_err *err)
{
    fer_arena *scratch = fer_arena_new(0);
    struct turn t = {.b = b, .count = atomic_load(&b->terms.count)};
    fer_code code = FER_OUT_OF_MEMORY;
    if (b->postings >= UINT32_MAX || b->units >= UINT32_MAX / 2 || t.count >= FER_RECORD_TERMS)
        code = fer_fail(err, FER_LIMIT_EXCEEDED, "too much text for one search index");
    else if (scratch && prepare(&t, scratch)) code = write_all(&t, a, out, err);
    else fer_fail(err, code, "no memory for freezing the search index");
    fer_arena_free(scratch);
    return code;
}
