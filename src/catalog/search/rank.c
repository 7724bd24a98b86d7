/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

#include "rank_marks.h"
#include "weigh.h"

#define PAIR_WORTH 0.35 /* of neighbours, measured in the mean worth of the two words */

/* ---- a document ----------------------------------------------------------------- */

struct look {
    fer_rank *rank;
    uint32_t number;
    double name_all, name_asked; /* rarity of the words of its name; of those that the query has */
    double pairs, related;
    float against;               /* see fer_weigh_length */
    const uint16_t *units, *end; /* its head */
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

static inline void look_at_name(struct look *l, uint32_t number, size_t mark)
{
    bool own = mark && fer_rank_is_own(l->rank, mark);
    double rarity = own ? l->rank->own[mark].rarity : rarity_of(l->rank, number);
    l->name_all += rarity;
    if (own) l->name_asked += rarity;
}

static bool are_asked(const fer_rank *r, size_t first, size_t second)
{
    const fer_query *q = r->query;
    unsigned x = r->marks[first].term, y = r->marks[second].term;
    if (y < FER_RANK_NEAR) return r->own[first].behind >> y & 1;
    for (size_t i = 0; i < q->pair_count; i++) {
        if (q->pairs[i].first == x && q->pairs[i].second == y) return true;
    }
    return false;
}

/* Two of the query's own that are neighbours there too. */
static inline void look_at_pair(struct look *l, size_t first, size_t second, unsigned field)
{
    const fer_rank *r = l->rank;
    const fer_query_term *terms = r->query->terms;
    double worth = (terms[r->marks[first].term].weight + terms[r->marks[second].term].weight) / 2;
    l->pairs += worth * (double)fer_weigh_share(fer_weigh_field(field), l->against);
}

/* The value, or 0; which of them is not for a branch to foresee. */
static inline double only_if(double value, bool yes)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= 0 - (uint64_t)yes;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* What it had so far is taken away, which is nothing where it is met for the first time. */
static inline void look_at_related(struct look *l, size_t mark, unsigned field, uint64_t stamp)
{
    fer_rank *r = l->rank;
    fer_rank_other *o = &r->others[mark];
    const fer_rank_mark *m = &r->marks[mark];
    if (o->worth < 0)
        o->worth = fer_rank_related_worth(r, fer_rank_beside_of(&r->query->terms[m->term]),
                                          m->likeness, rarity_of(r, m->number));
    double worth = (double)o->worth;
    float had = (float)only_if((double)o->count, o->stamp == stamp);
    o->stamp = stamp;
    o->count = had + fer_weigh_field(field);
    l->related -= worth * (double)fer_weigh_share(had, l->against);
    l->related += worth * (double)fer_weigh_share(o->count, l->against);
}

/* One word of the head that is marked; `before` is the mark of the word before it, if there was. */
static inline void look_at_marked(struct look *l, size_t mark, unsigned field, size_t before)
{
    fer_rank *r = l->rank;
    if (!fer_rank_is_own(r, mark)) look_at_related(l, mark, field, r->stamp);
    else if (before && fer_rank_is_own(r, before) && are_asked(r, before, mark))
        look_at_pair(l, before, mark, field);
}

/* A head that is being read. */
struct head {
    const uint16_t *at, *end;
    unsigned field; /* FER_FIELD_COUNT: none yet */
    size_t before;  /* the mark of the word that ends at `behind`, or 0 */
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
    h->before = 0;
    while (h->at < h->end && (*h->at < FER_RECORD_MARK || *h->at >= FER_RECORD_WIDE)) {
        if (!take_number(h, &number)) return false;
        size_t m = fer_rank_find_mark(l->rank, number);
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
        h->before = 0;
        if (h->field == FER_FIELD_NAME) return look_at_names(l, h);
        return h->field < FER_FIELD_COUNT;
    }
    if (!take_number(h, &number)) return false;
    if (h->field >= FER_FIELD_COUNT) return true;
    size_t m = fer_rank_find_mark(l->rank, number);
    if (m) look_at_marked(l, m, h->field, h->behind == from ? h->before : 0);
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
static void look_at_head(struct look *l)
{
    struct head h = {.at = l->units, .end = l->end, .field = FER_FIELD_COUNT};
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

/* ---- several documents at once ---- */

/*
 * How many words of a head are asked for, which they are and whether they are the query's own is
 * nothing that a processor could foresee, and each surprise costs as much as looking at three
 * words. So all heads of a lot are looked through first, and words noted one behind the other; then
 * each kind of word has a loop of its own.
 */
struct lot {
    fer_rank *rank;
    size_t words, pairs, related; /* that were noted */
    fer_rank_head heads[FER_RANK_LOT];
    struct look looks[FER_RANK_LOT];
    double asked[FER_RANK_LOT];      /* of words of names that the query has */
    uint16_t name_end[FER_RANK_LOT]; /* the place where its name ends */
};

/* A head and as many units behind it as are read. */
static inline const uint16_t *readable(fer_rank *rank, const struct look *l, unsigned at)
{
    const fer_frozen *f = &rank->ix->frozen;
    if (!rank->tail && (size_t)(f->records + f->record_units - l->units) >= FER_RANK_UNITS)
        return l->units;
    memset(rank->room[at], 0, sizeof rank->room[at]);
    memcpy(rank->room[at], l->units, (size_t)(l->end - l->units) * sizeof *l->units);
    return rank->room[at];
}

/* Of up to FER_RANK_UNITS units, and begins with a name: nearly all do. Others are no heads here.
 */
static inline void add_head(struct lot *l, unsigned at)
{
    const struct look *look = &l->looks[at];
    size_t count = (size_t)(look->end - look->units);
    bool fits = l->rank->narrow && count && count <= FER_RANK_UNITS &&
                look->units[0] == FER_RECORD_MARK + FER_FIELD_NAME;
    l->heads[at].count = fits ? (unsigned)count : 0;
    if (fits) l->heads[at].units = readable(l->rank, look, at);
}

static inline bool is_sorted(const struct lot *l, unsigned at)
{
    return l->heads[at].count && !l->heads[at].odd;
}

static void find_name_ends(struct lot *l, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const fer_rank_head *h = &l->heads[i];
        uint64_t others = is_sorted(l, i) ? h->starts[0] & ~UINT64_C(1) : 0;
        unsigned end = others ? (unsigned)__builtin_ctzll(others) : h->count;
        l->name_end[i] = (uint16_t)((i << FER_RANK_PLACE) + end);
        l->asked[i] = 0;
    }
}

/* Rarities of words that are in names are added up; neighbours and related ones are noted. Words
 * that are not marked after all are nobody's. */
static void sort_words(struct lot *l)
{
    fer_rank *r = l->rank;
    const size_t own_count = r->own_count;
    unsigned next = UINT16_MAX + 1;
    uint64_t behind = 0;
    size_t pairs = 0, related = 0;
    for (size_t i = 0; i < l->words; i++) {
        unsigned place = r->words[i].place, at = place >> FER_RANK_PLACE;
        size_t mark = r->map[r->words[i].what] & ~(unsigned)FER_RANK_MARKED;
        const fer_rank_own *own = &r->own[mark <= own_count ? mark : 0];
        r->words[i].what = (uint16_t)mark;
        l->asked[at] += only_if(own->rarity, place < l->name_end[at]);
        r->pairs[pairs] = r->related[related] = (uint16_t)i;
        pairs += (place == next) & ((behind & own->bit) != 0);
        related += mark > own_count;
        next = place + 1;
        behind = own->behind;
    }
    l->pairs = pairs;
    l->related = related;
}

/* The field of a word: that of the last start before it, and the first unit is one. */
static inline unsigned field_at(const fer_rank_head *h, unsigned place)
{
    unsigned at = place % (1U << FER_RANK_PLACE), base = 0;
    uint64_t starts = h->starts[0];
    if (at < 64) starts &= (UINT64_C(1) << at) - 1;
    else if (h->starts[1] & ((UINT64_C(1) << (at - 64)) - 1)) {
        starts = h->starts[1] & ((UINT64_C(1) << (at - 64)) - 1);
        base = 64;
    }
    return h->units[base + 63U - (unsigned)__builtin_clzll(starts)] - FER_RECORD_MARK;
}

static void look_at_pairs(struct lot *l)
{
    fer_rank *r = l->rank;
    for (size_t i = 0; i < l->pairs; i++) {
        const fer_rank_word *second = &r->words[r->pairs[i]], *first = second - 1;
        unsigned at = second->place >> FER_RANK_PLACE;
        unsigned field = field_at(&l->heads[at], second->place);
        if (field < FER_FIELD_COUNT) /* bytes may be hostile */
            look_at_pair(&l->looks[at], first->what, second->what, field);
    }
}

static void look_at_others(struct lot *l)
{
    fer_rank *r = l->rank;
    for (size_t i = 0; i < l->related; i++) {
        fer_rank_word word = r->words[r->related[i]];
        unsigned at = word.place >> FER_RANK_PLACE;
        unsigned field = field_at(&l->heads[at], word.place);
        if (field < FER_FIELD_COUNT)
            look_at_related(&l->looks[at], word.what, field, r->stamp + at);
    }
    r->stamp += FER_RANK_LOT;
}

/* How rare the words of a name are together. */
static double weigh_name(const struct lot *l, unsigned at)
{
    fer_rank *r = l->rank;
    const struct look *look = &l->looks[at];
    double all = 0;
    if (r->names && look->number < r->ix->frozen.numbers) {
        double known = r->ix->frozen.names[look->number];
        return known >= l->asked[at] ? known : l->asked[at];
    }
    unsigned end = l->name_end[at] % (1U << FER_RANK_PLACE);
    for (unsigned i = 1; i < end; i++) {
        size_t mark = r->map[look->units[i]] & ~(unsigned)FER_RANK_MARKED;
        bool own = mark && fer_rank_is_own(r, mark);
        all += own ? r->own[mark].rarity : rarity_of(r, look->units[i]);
    }
    return all;
}

/* The name of a head that was sorted; any other is looked at by itself. */
static inline void look_at_rest(struct lot *l, unsigned at)
{
    struct look *look = &l->looks[at];
    if (is_sorted(l, at)) {
        look->name_asked = l->asked[at];
        look->name_all = weigh_name(l, at);
        return;
    }
    l->rank->stamp++;
    look_at_head(look);
}

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
        if (fer_rank_number_in_part(rank, n->frozen, n->tail) != r.term) return false;
    }
    return at == q->space_count;
}

/* Opens a document's record; whether its name is the one that the query may be. */
static void open_doc(struct lot *l, unsigned at, fer_rank_doc *doc)
{
    fer_rank *rank = l->rank;
    fer_record_reader r;
    fer_record_open(&r, doc->record);
    l->looks[at] = (struct look){.rank = rank,
                                 .number = doc->number,
                                 .against = fer_weigh_length(r.length),
                                 .units = r.at,
                                 .end = r.head_end};
    bool has = rank->name != FER_NONE && r.name == rank->name;
    doc->named = has && (!rank->query->space_count || has_space(rank, r));
    if (has) doc->worth -= rank->query->terms[rank->query->name].weight;
    add_head(l, at);
}

static void rank_lot(fer_rank *rank, fer_rank_doc *docs, unsigned count)
{
    struct lot l; /* large, and written where it is read */
    l.rank = rank;
    for (unsigned i = 0; i < count; i++) open_doc(&l, i, &docs[i]);
    l.words = rank->narrow ? rank->run->sort(&rank->net, l.heads, count, rank->words) : 0;
    find_name_ends(&l, count);
    rank->stamp++;
    sort_words(&l);
    look_at_pairs(&l);
    look_at_others(&l);
    for (unsigned i = 0; i < count; i++) {
        const struct look *look = &l.looks[i];
        look_at_rest(&l, i);
        double share = look->name_all > 0 ? look->name_asked / look->name_all : 0;
        docs[i].worth = (docs[i].worth + PAIR_WORTH * look->pairs + look->related) *
                        (1 + rank->name_worth * share);
    }
}

void fer_rank_docs(fer_rank *r, fer_rank_doc *docs, size_t count)
{
    for (size_t at = 0; at < count; at += FER_RANK_LOT)
        rank_lot(r, docs + at, count - at < FER_RANK_LOT ? (unsigned)(count - at) : FER_RANK_LOT);
}
