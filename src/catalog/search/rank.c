/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

#include "weigh.h"

#define PAIR_WORTH    0.35 /* of neighbours, measured in the mean worth of the two words */
#define RELATED_WORTH 0.6  /* of a related word, measured in that of the query's */
#define NAME_WORTH    0.35 /* what is added for a name that the query holds all of ... */
#define NAME_LEAST    0.05 /* ... and where there are very many tools: more have it by chance */
#define NAME_HALF     5000 /* tools among which it is worth half of what lies between */

/* ---- marks ---------------------------------------------------------------------- */

/* A term of two units has no place in the map, nor has a mark that its bytes cannot hold. */
static inline void set_map(fer_rank *r, uint32_t number, size_t mark)
{
    bool fits = mark < (FER_RANK_ELSEWHERE & ~FER_RANK_MARKED);
    if (number < FER_RECORD_MARK)
        r->map[number] = (uint8_t)(fits ? FER_RANK_MARKED | mark : FER_RANK_ELSEWHERE);
    if (number >= FER_RECORD_MARK || !fits) r->narrow = false;
}

static fer_rank_mark *mark(fer_rank *r, uint32_t number, size_t term, unsigned likeness)
{
    if (number == FER_NONE || r->count == FER_RANK_MARKS) return NULL;
    uint16_t *bucket = &r->buckets[number % FER_COUNT(r->buckets)];
    fer_rank_mark *m = &r->marks[r->count];
    *m = (fer_rank_mark){.number = number,
                         .next = *bucket,
                         .term = (uint16_t)term,
                         .own = likeness == 0,
                         .likeness = (uint8_t)likeness,
                         .worth = -1};
    *bucket = (uint16_t)++r->count;
    set_map(r, number, r->count);
    return m;
}

void fer_rank_init(fer_rank *r)
{
    memset(r->map + FER_RECORD_MARK, FER_RANK_ELSEWHERE, sizeof r->map - FER_RECORD_MARK);
}

static void clear_marks(fer_rank *r)
{
    for (size_t i = 0; i < r->count; i++) {
        uint32_t number = r->marks[i].number;
        if (number < FER_RECORD_MARK) r->map[number] = 0;
        r->buckets[number % FER_COUNT(r->buckets)] = 0;
    }
    r->count = 0;
}

static fer_rank_mark *find_elsewhere(fer_rank *r, uint32_t number)
{
    uint16_t at = r->buckets[number % FER_COUNT(r->buckets)];
    while (at && r->marks[at - 1].number != number) at = r->marks[at - 1].next;
    return at ? &r->marks[at - 1] : NULL;
}

static inline fer_rank_mark *find_mark(fer_rank *r, uint32_t number)
{
    size_t at = number < FER_RECORD_MARK ? r->map[number] : FER_RANK_ELSEWHERE;
    if (at == FER_RANK_ELSEWHERE) return find_elsewhere(r, number);
    return at ? &r->marks[at - FER_RANK_MARKED - 1] : NULL;
}

static uint32_t number_in_part(const fer_rank *r, uint32_t frozen, const fer_term *tail)
{
    if (!r->tail) return frozen;
    return tail ? tail->number : FER_NONE;
}

static void mark_related(fer_rank *r, size_t term)
{
    uint32_t word = r->query->terms[term].related;
    if (word == FER_RELATED_NONE) return;
    size_t count;
    const fer_related_link *links = fer_related_links(word, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = FER_NONE;
        if (!r->tail) number = r->ix->related ? r->ix->related[links[i].word] : FER_NONE;
        else number = number_in_part(r, FER_NONE, fer_terms_related(&r->ix->terms, links[i].word));
        if (number != FER_NONE && !find_mark(r, number)) mark(r, number, term, links[i].likeness);
    }
}

#define NEAR_TERMS 64 /* terms whose neighbours are bits of their marks */

/* Rarities that are remembered are of so many documents. */
static void count_docs(fer_rank *r)
{
    size_t docs = atomic_load_explicit(&r->ix->docs, memory_order_relaxed);
    if (docs != r->docs) memset(r->rarities, 0, sizeof r->rarities);
    r->docs = docs;
    r->name_worth = NAME_LEAST + (NAME_WORTH - NAME_LEAST) * NAME_HALF / (NAME_HALF + (double)docs);
}

static void mark_own(fer_rank *r, const fer_query *q)
{
    uint16_t of_term[FER_QUERY_TERMS + 1] = {0}; /* marks, + 1 */
    for (size_t i = 0; i < q->count; i++) {
        fer_rank_mark *m = mark(r, number_in_part(r, q->terms[i].frozen, q->terms[i].tail), i, 0);
        of_term[i] = m ? (uint16_t)r->count : 0;
        if (m) m->rarity = q->terms[i].rarity;
    }
    for (size_t i = 0; i < q->pair_count; i++) {
        size_t first = of_term[q->pairs[i].first], second = q->pairs[i].second;
        if (first && second < NEAR_TERMS) r->marks[first - 1].behind |= UINT64_C(1) << second;
    }
}

void fer_rank_mark_part(fer_rank *r, const fer_lexical *ix, const fer_query *q, bool tail)
{
    clear_marks(r);
    r->ix = ix;
    r->query = q;
    r->tail = tail;
    r->steady = !tail && !atomic_load_explicit(&ix->terms.of_frozen, memory_order_acquire);
    r->narrow = true;
    r->stamp = 0;
    count_docs(r);
    r->names = r->steady && r->docs == ix->frozen.docs;
    mark_own(r, q);
    for (size_t i = 0; i < q->count; i++) {
        if (i != q->name) mark_related(r, i);
    }
    if (q->count > NEAR_TERMS) r->narrow = false;
}

/* ---- a document ----------------------------------------------------------------- */

struct look {
    fer_rank *rank;
    uint32_t number;
    double name_all, name_asked; /* rarity of the words of its name; of those that the query has */
    double pairs, related;
    float against; /* see fer_weigh_length */
};

/* Asked of words of names, which are much the same in all searches. */
static inline double rarity_of_df(fer_rank *r, size_t df)
{
    fer_rank_rarity *known = &r->rarities[df % FER_RANK_RARITIES];
    if (known->df != df + 1) *known = (fer_rank_rarity){df + 1, fer_weigh_rarity(r->docs, df)};
    return known->rarity;
}

static inline double rarity_of(fer_rank *r, uint32_t number)
{
    const fer_lexical *ix = r->ix;
    if (r->tail) {
        const fer_term *t = fer_terms_get(&ix->terms, number);
        return rarity_of_df(r, fer_lexical_df(ix, t->frozen, t));
    }
    if (number >= ix->frozen.term_count) return 0;
    if (r->steady) return rarity_of_df(r, fer_frozen_df(&ix->frozen, number));
    return rarity_of_df(r, fer_lexical_df(ix, number, fer_terms_of_frozen(&ix->terms, number)));
}

static inline void look_at_name(struct look *l, uint32_t number, const fer_rank_mark *m)
{
    bool own = m && m->own;
    double rarity = own ? m->rarity : rarity_of(l->rank, number);
    l->name_all += rarity;
    if (own) l->name_asked += rarity;
}

static bool are_asked(const fer_query *q, const fer_rank_mark *x, const fer_rank_mark *y)
{
    if (y->term < NEAR_TERMS) return x->behind >> y->term & 1;
    for (size_t i = 0; x->own && i < q->pair_count; i++) {
        if (q->pairs[i].first == x->term && q->pairs[i].second == y->term) return true;
    }
    return false;
}

static inline void look_at_pair(struct look *l, const fer_rank_mark *x, const fer_rank_mark *y,
                                unsigned field)
{
    const fer_query *q = l->rank->query;
    if (!x || !y->own || !are_asked(q, x, y)) return; /* nobody is behind one that is not own */
    double worth = (q->terms[x->term].weight + q->terms[y->term].weight) / 2;
    l->pairs += worth * (double)fer_weigh_share(fer_weigh_field(field), l->against);
}

/* A related word is worth no more than it is itself, nor more than the query's would be. */
static float related_worth(fer_rank *r, fer_rank_mark *m)
{
    const fer_query_term *t = &r->query->terms[m->term];
    if (m->worth >= 0) return m->worth;
    double worth = rarity_of(r, m->number);
    if (t->df && t->rarity < worth) worth = t->rarity;
    m->worth = (float)(RELATED_WORTH * m->likeness / 100 * worth * fer_query_saturate(t->count));
    return m->worth;
}

static void look_at_related(struct look *l, fer_rank_mark *m, unsigned field)
{
    double worth = (double)related_worth(l->rank, m);
    if (m->stamp != l->rank->stamp) {
        m->stamp = l->rank->stamp;
        m->count = 0;
    } else {
        l->related -= worth * (double)fer_weigh_share(m->count, l->against);
    }
    m->count += fer_weigh_field(field);
    l->related += worth * (double)fer_weigh_share(m->count, l->against);
}

/* One word of the head that is marked; `before` is the mark of the word before it, if there was. */
static inline void look_at_marked(struct look *l, fer_rank_mark *m, unsigned field,
                                  const fer_rank_mark *before)
{
    look_at_pair(l, before, m, field);
    if (!m->own) look_at_related(l, m, field);
}

/* A head that is being read. */
struct head {
    const uint16_t *at, *end;
    unsigned field;              /* FER_FIELD_COUNT: none yet */
    const fer_rank_mark *before; /* of the word that ends at `behind` */
    const uint16_t *behind;
};

/* The number of the term at the head, whose first unit is no mark. False: it is broken. */
static inline bool take_number(struct head *h, uint32_t *out)
{
    uint32_t unit = *h->at++;
    *out = unit;
    if (unit < FER_RECORD_MARK) return true;
    if (h->at == h->end) return false;
    *out = (unit - FER_RECORD_WIDE) << 16 | *h->at++;
    return true;
}

/* All words of a name are looked at. False: the head is broken here. */
static bool look_at_names(struct look *l, struct head *h)
{
    uint32_t number;
    h->before = NULL;
    while (h->at < h->end && (*h->at < FER_RECORD_MARK || *h->at >= FER_RECORD_WIDE)) {
        if (!take_number(h, &number)) return false;
        fer_rank_mark *m = find_mark(l->rank, number);
        look_at_name(l, number, m);
        if (m) look_at_marked(l, m, FER_FIELD_NAME, h->before);
        h->before = m;
    }
    h->behind = h->at;
    return true;
}

/* One unit that says something. False: the head is broken here. */
static bool look_at_unit(struct look *l, struct head *h)
{
    const uint16_t *from = h->at;
    uint32_t number;
    if (*from >= FER_RECORD_MARK && *from < FER_RECORD_WIDE) {
        h->field = *h->at++ - FER_RECORD_MARK;
        h->before = NULL;
        if (h->field == FER_FIELD_NAME) return look_at_names(l, h);
        return h->field < FER_FIELD_COUNT;
    }
    if (!take_number(h, &number)) return false;
    if (h->field >= FER_FIELD_COUNT) return true;
    fer_rank_mark *m = find_mark(l->rank, number);
    if (m) look_at_marked(l, m, h->field, h->behind == from ? h->before : NULL);
    h->before = m;
    h->behind = h->at;
    return true;
}

#define STRETCH 64 /* units that are sifted at once */

/*
 * Which units are marked, or no terms: a bit for each, the first the highest of `count`. Most words
 * of most documents are not asked for, and which are nobody can foresee: there is no branch on it.
 */
static inline uint64_t find_marked(const uint8_t *map, const uint16_t *units, size_t count)
{
    uint64_t bits = 0;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        bits = 2 * bits + (map[units[i]] >> 7);
        bits = 2 * bits + (map[units[i + 1]] >> 7);
        bits = 2 * bits + (map[units[i + 2]] >> 7);
        bits = 2 * bits + (map[units[i + 3]] >> 7);
    }
    for (; i < count; i++) bits = 2 * bits + (map[units[i]] >> 7);
    return bits;
}

/* Of words that are not of a name, those that are asked for are looked at. */
static void look_at_head(struct look *l, const fer_record_reader *r)
{
    struct head h = {.at = r->at, .end = r->head_end, .field = FER_FIELD_COUNT};
    /* The name comes first. */
    if (h.at < h.end && !look_at_unit(l, &h)) return;
    while (h.at < h.end) {
        const uint16_t *from = h.at;
        size_t left = (size_t)(h.end - from), count = left < STRETCH ? left : STRETCH;
        uint64_t bits = find_marked(l->rank->map, from, count);
        const uint16_t *last = from + count - 1;
        while (bits) {
            unsigned high = 63U - (unsigned)__builtin_clzll(bits);
            bits ^= UINT64_C(1) << high;
            if (last - high < h.at) continue; /* the second half of a term, or of a name */
            h.at = last - high;
            if (!look_at_unit(l, &h)) return;
        }
        if (h.at <= last) h.at = last + 1;
    }
}

/* ---- a document, quickly ---- */

#if defined(__SSE2__)
#include <emmintrin.h>

/* What is at each of up to 64 units of a head: a bit each, the first the lowest. */
struct units {
    uint64_t marked; /* by the map, or no term */
    uint64_t starts; /* of texts, or a term of two units */
    uint64_t wide;   /* terms of two units: the first of these */
};

static inline void sort_eight(struct units *u, const uint8_t *map, const uint16_t *units,
                              unsigned at)
{
    unsigned bits = map[units[7]] >> 7;
    for (unsigned i = 7; i-- > 0;) bits = 2 * bits + (map[units[i]] >> 7);
    __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)units);
    /* As signed numbers, units from 0x8000 on are below 0. */
    __m128i terms = _mm_subs_epu16(eight, _mm_set1_epi16((short)(FER_RECORD_MARK - 1)));
    __m128i wide = _mm_subs_epu16(eight, _mm_set1_epi16((short)(FER_RECORD_WIDE - 1)));
    __m128i none = _mm_setzero_si128();
    __m128i both = _mm_packs_epi16(_mm_cmpeq_epi16(terms, none), _mm_cmpeq_epi16(wide, none));
    unsigned others = ~(unsigned)_mm_movemask_epi8(both);
    u->marked |= (uint64_t)bits << at;
    u->starts |= (uint64_t)(others & 0xFF) << at;
    u->wide |= (uint64_t)(others >> 8 & 0xFF) << at;
}

/* The last eight may be looked at twice. */
static inline struct units sort_units(const uint8_t *map, const uint16_t *units, unsigned count)
{
    struct units u = {0, 0, 0};
    unsigned at = 0;
    for (; at + 8 <= count; at += 8) sort_eight(&u, map, units + at, at);
    if (at < count) sort_eight(&u, map, units + count - 8, count - 8);
    return u;
}

static inline const fer_rank_mark *mark_at(const fer_rank *r, uint16_t unit)
{
    return &r->marks[r->map[unit] - FER_RANK_MARKED - 1];
}

/* The words of the name, from the second unit on; `marked` ones are asked for, or related. */
static inline void look_at_short_name(struct look *l, const uint16_t *units, unsigned end,
                                      uint64_t marked)
{
    fer_rank *r = l->rank;
    for (; marked; marked &= marked - 1) {
        const fer_rank_mark *m = mark_at(r, units[__builtin_ctzll(marked)]);
        if (m->own) l->name_asked += m->rarity;
    }
    if (r->names && l->number < r->ix->frozen.numbers) {
        double known = r->ix->frozen.names[l->number];
        l->name_all = known >= l->name_asked ? known : l->name_asked;
        return;
    }
    for (unsigned i = 1; i < end; i++) {
        unsigned at = r->map[units[i]];
        bool own = at && mark_at(r, units[i])->own;
        l->name_all += own ? mark_at(r, units[i])->rarity : rarity_of(r, units[i]);
    }
}

/* A part of a head whose marks are looked at one by one. */
struct stretch {
    const uint16_t *units;
    struct units is;
    unsigned field;              /* of what stands before its first start */
    const fer_rank_mark *before; /* of the word that ends ... */
    const uint16_t *behind;      /* ... here */
};

/* The field of a unit: that of the last start before it. */
static inline unsigned field_at(const struct stretch *s, unsigned at)
{
    uint64_t starts = s->is.starts & ((UINT64_C(1) << at) - 1);
    return starts ? s->units[63U - (unsigned)__builtin_clzll(starts)] - FER_RECORD_MARK : s->field;
}

/* False: what follows is broken; bytes may be hostile. */
static inline bool look_at_stretch(struct look *l, struct stretch *s, uint64_t marks)
{
    for (; marks; marks &= marks - 1) {
        unsigned at = (unsigned)__builtin_ctzll(marks);
        const uint16_t *unit = s->units + at;
        fer_rank_mark *m = &l->rank->marks[l->rank->map[*unit] - FER_RANK_MARKED - 1];
        const fer_rank_mark *first = unit == s->behind ? s->before : NULL;
        s->before = m;
        s->behind = unit + 1;
        if (m->own && !(first && first->behind >> m->term & 1)) continue;
        unsigned field = field_at(s, at);
        if (field >= FER_FIELD_COUNT) return false;
        if (m->own) look_at_pair(l, first, m, field);
        else look_at_related(l, m, field);
    }
    return true;
}

/*
 * A head of 8 to 128 units that begins with a name, all of whose terms are one unit: nearly all.
 * Of a long one the last 64 are sorted too, and those looked at that are not among the first.
 * False: it is not so, and nothing has happened.
 */
static inline bool look_quickly(struct look *l, const fer_record_reader *r)
{
    const fer_rank *rank = l->rank;
    const uint16_t *units = r->at;
    size_t count = (size_t)(r->head_end - units);
    if (count < 8 || count > 128 || !rank->narrow || units[0] != FER_RECORD_MARK + FER_FIELD_NAME)
        return false;
    unsigned first = count < 64 ? (unsigned)count : 64;
    struct stretch s = {.units = units, .is = sort_units(rank->map, units, first)};
    struct units rest = {0, 0, 0};
    if (count > 64) rest = sort_units(rank->map, r->head_end - 64, 64);
    uint64_t others = s.is.starts & ~UINT64_C(1), marks = s.is.marked & ~s.is.starts;
    if (s.is.wide | rest.wide || (count > 64 && !others)) return false;
    unsigned name = others ? (unsigned)__builtin_ctzll(others) : first;
    look_at_short_name(l, units, name, name < 64 ? marks & ((UINT64_C(1) << name) - 1) : marks);
    if (!look_at_stretch(l, &s, marks) || count <= 64) return true;
    s.field = units[63U - (unsigned)__builtin_clzll(others)] - FER_RECORD_MARK;
    s.units = r->head_end - 64;
    s.is = rest;
    look_at_stretch(l, &s, rest.marked & ~rest.starts & ~UINT64_C(0) << (128 - count));
    return true;
}
#else
static inline bool look_quickly(struct look *l, const fer_record_reader *r)
{
    (void)l, (void)r;
    return false;
}
#endif

/* ---- names ---------------------------------------------------------------------- */

/* Whether the words of the document's namespace are those that the query has in front. */
static bool has_space(const fer_rank *rank, fer_record_reader r)
{
    const fer_query *q = rank->query;
    size_t at = 0;
    fer_record_item item;
    while ((item = fer_record_next(&r)) != FER_RECORD_END && r.field <= FER_FIELD_NAMESPACE) {
        if (item != FER_RECORD_TERM || r.field != FER_FIELD_NAMESPACE) continue;
        if (at == q->space_count) return false;
        const fer_query_number *n = &q->space[at++];
        if (number_in_part(rank, n->frozen, n->tail) != r.term) return false;
    }
    return at == q->space_count;
}

/* Whether the document's whole name is the one that the query may be. */
static bool has_name(const fer_rank *rank, const fer_record_reader *r)
{
    if (rank->query->name == SIZE_MAX || r->name == FER_NONE) return false;
    const fer_query_term *name = &rank->query->terms[rank->query->name];
    return r->name == number_in_part(rank, name->frozen, name->tail);
}

double fer_rank_doc(fer_rank *rank, uint32_t number, fer_record record, double worth, bool *named)
{
    struct look l = {.rank = rank, .number = number};
    fer_record_reader r;
    rank->stamp++;
    fer_record_open(&r, record);
    l.against = fer_weigh_length(r.length);
    bool has = has_name(rank, &r);
    *named = has && (!rank->query->space_count || has_space(rank, r));
    if (has) worth -= rank->query->terms[rank->query->name].weight;
    if (!look_quickly(&l, &r)) look_at_head(&l, &r);
    double share = l.name_all > 0 ? l.name_asked / l.name_all : 0;
    return (worth + PAIR_WORTH * l.pairs + l.related) * (1 + rank->name_worth * share);
}
