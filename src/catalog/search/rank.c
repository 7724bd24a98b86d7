/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

#include "weigh.h"

#define PAIR_WORTH    0.35 /* of neighbours, measured in the mean worth of the two words */
#define RELATED_WORTH 0.6  /* of a related word, measured in that of the query's */
#define NAME_WORTH    0.35 /* what is added for a name that the query holds all of ... */
#define NAME_LEAST    0.05 /* ... and where there are very many tools: more have it by chance */
#define NAME_HALF     5000 /* tools among which it is worth half of what lies between */

/* ---- marks ---------------------------------------------------------------------- */

#define MAPPED (FER_RANK_ELSEWHERE & ~FER_RANK_MARKED) /* marks below it fit into the map */

/* A term of two units has no place in the map, nor has a mark that its bytes cannot hold. */
static inline void place_mark(fer_rank *r, size_t place)
{
    fer_rank_mark *m = &r->marks[place];
    if (m->number < FER_RECORD_MARK && place < MAPPED) {
        r->map[m->number] = (uint8_t)(FER_RANK_MARKED | place);
        return;
    }
    uint16_t *bucket = &r->buckets[m->number % FER_COUNT(r->buckets)];
    if (m->number < FER_RECORD_MARK) r->map[m->number] = FER_RANK_ELSEWHERE;
    m->next = *bucket;
    *bucket = (uint16_t)place;
    r->narrow = false;
    r->scattered = true;
}

/* The mark, or 0. */
static inline size_t mark(fer_rank *r, uint32_t number, size_t term, unsigned likeness)
{
    if (number == FER_NONE || r->count == FER_RANK_MARKS) return 0;
    r->marks[++r->count] = (fer_rank_mark){number, 0, (uint8_t)term, (uint8_t)likeness};
    place_mark(r, r->count);
    return r->count;
}

static inline bool is_own(const fer_rank *r, size_t mark)
{
    return mark <= r->own_count;
}

void fer_rank_init(fer_rank *r)
{
    memset(r->map + FER_RECORD_MARK, FER_RANK_ELSEWHERE, sizeof r->map - FER_RECORD_MARK);
}

static void clear_marks(fer_rank *r)
{
    for (size_t i = 1; i <= r->count; i++) {
        uint32_t number = r->marks[i].number;
        if (number < FER_RECORD_MARK) r->map[number] = 0;
    }
    if (r->scattered) memset(r->buckets, 0, sizeof r->buckets);
    r->count = 0;
    r->scattered = false;
}

static size_t find_elsewhere(const fer_rank *r, uint32_t number)
{
    size_t at = r->buckets[number % FER_COUNT(r->buckets)];
    while (at && r->marks[at].number != number) at = r->marks[at].next;
    return at;
}

static inline size_t find_mark(const fer_rank *r, uint32_t number)
{
    unsigned at = number < FER_RECORD_MARK ? r->map[number] : FER_RANK_ELSEWHERE;
    return at == FER_RANK_ELSEWHERE ? find_elsewhere(r, number) : at & ~(unsigned)FER_RANK_MARKED;
}

static uint32_t number_in_part(const fer_rank *r, uint32_t frozen, const fer_term *tail)
{
    if (!r->tail) return frozen;
    return tail ? tail->number : FER_NONE;
}

/* A word that is related to a term, unless it is marked already. */
static void mark_other(fer_rank *r, uint32_t number, size_t term, unsigned likeness)
{
    if (number != FER_NONE && !find_mark(r, number)) mark(r, number, term, likeness);
}

/*
 * The same of many words of the frozen part at once: about a third are nowhere in it or marked
 * already, which nobody can foresee, so that all are written, and only what is to stay is counted.
 */
static void mark_frozen(fer_rank *r, size_t term, const fer_related_link *links, size_t count)
{
    const uint32_t *numbers = r->ix->related;
    size_t last = r->count;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = numbers[links[i].word];
        if (number + 1 > FER_RECORD_MARK) { /* there, and of two units */
            r->count = last;
            mark_other(r, number, term, links[i].likeness);
            last = r->count;
            continue;
        }
        uint8_t *place = &r->map[number & UINT16_MAX]; /* of nobody's number, none of a term */
        bool in = !*place;
        r->marks[last + 1] = (fer_rank_mark){number, 0, (uint8_t)term, links[i].likeness};
        last += in;
        *place = in ? (uint8_t)(FER_RANK_MARKED | last) : *place;
    }
    r->count = last;
}

static void mark_related(fer_rank *r, size_t term)
{
    uint32_t word = r->query->terms[term].related;
    if (word == FER_RELATED_NONE) return;
    size_t count;
    const fer_related_link *links = fer_related_links(word, &count);
    if (!r->tail && r->ix->related && r->count + count < MAPPED) {
        mark_frozen(r, term, links, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t number = r->ix->related ? r->ix->related[links[i].word] : FER_NONE;
        if (r->tail)
            number = number_in_part(r, FER_NONE, fer_terms_related(&r->ix->terms, links[i].word));
        mark_other(r, number, term, links[i].likeness);
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
    uint8_t of_term[FER_QUERY_TERMS + 1] = {0}; /* marks */
    for (size_t i = 0; i < q->count; i++) {
        const fer_query_term *t = &q->terms[i];
        size_t m = mark(r, number_in_part(r, t->frozen, t->tail), i, 0);
        of_term[i] = (uint8_t)m;
        if (m) r->own[m] = (fer_rank_own){t->rarity, i < NEAR_TERMS ? UINT64_C(1) << i : 0, 0};
    }
    r->own_count = r->count;
    for (size_t i = 0; i < q->pair_count; i++) {
        size_t first = of_term[q->pairs[i].first], second = q->pairs[i].second;
        if (first && second < NEAR_TERMS) r->own[first].behind |= UINT64_C(1) << second;
    }
}

static void make_net(fer_rank *r)
{
    fer_rank_net net = {{0}, {0}};
    for (size_t i = 1; i <= r->count; i++) fer_rank_net_add(&net, r->marks[i].number);
    r->net = net;
}

static uint32_t name_of(const fer_rank *r, const fer_query *q)
{
    if (q->name == SIZE_MAX) return FER_NONE;
    return number_in_part(r, q->terms[q->name].frozen, q->terms[q->name].tail);
}

void fer_rank_mark_part(fer_rank *r, const fer_lexical *ix, const fer_query *q, bool tail)
{
    clear_marks(r);
    r->ix = ix;
    r->query = q;
    r->tail = tail;
    r->steady = !tail && !atomic_load_explicit(&ix->terms.of_frozen, memory_order_acquire);
    r->narrow = true;
    r->run = fer_rank_kernels_here();
    r->round++;
    r->name = name_of(r, q);
    count_docs(r);
    r->names = r->steady && r->docs == ix->frozen.docs;
    mark_own(r, q);
    for (size_t i = 0; i < q->count; i++) {
        if (i != q->name) mark_related(r, i);
    }
    if (q->count > NEAR_TERMS) r->narrow = false;
    if (r->narrow) make_net(r);
}

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
    bool own = mark && is_own(l->rank, mark);
    double rarity = own ? l->rank->own[mark].rarity : rarity_of(l->rank, number);
    l->name_all += rarity;
    if (own) l->name_asked += rarity;
}

static bool are_asked(const fer_rank *r, size_t first, size_t second)
{
    const fer_query *q = r->query;
    unsigned x = r->marks[first].term, y = r->marks[second].term;
    if (y < NEAR_TERMS) return r->own[first].behind >> y & 1;
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

/* A related word is worth no more than it is itself, nor more than the query's would be. */
static float worth_of_related(fer_rank *r, const fer_rank_mark *m)
{
    const fer_query_term *t = &r->query->terms[m->term];
    double worth = rarity_of(r, m->number);
    if (t->df && t->rarity < worth) worth = t->rarity;
    return (float)(RELATED_WORTH * m->likeness / 100 * worth * fer_query_saturate(t->count));
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
    if (o->round != r->round)
        *o = (fer_rank_other){r->round, 0, worth_of_related(r, &r->marks[mark]), 0};
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
    if (!is_own(r, mark)) look_at_related(l, mark, field, r->stamp);
    else if (before && is_own(r, before) && are_asked(r, before, mark))
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
        size_t m = find_mark(l->rank, number);
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
    size_t m = find_mark(l->rank, number);
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
        bool own = mark && is_own(r, mark);
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
        if (number_in_part(rank, n->frozen, n->tail) != r.term) return false;
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
