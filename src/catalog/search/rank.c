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
static inline void place_mark(fer_rank *r, fer_rank_mark *m, size_t place)
{
    if (m->number < FER_RECORD_MARK && place < (FER_RANK_ELSEWHERE & ~FER_RANK_MARKED)) {
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

static inline fer_rank_mark *mark(fer_rank *r, uint32_t number, size_t term, unsigned likeness)
{
    if (number == FER_NONE || r->count == FER_RANK_MARKS) return NULL;
    fer_rank_mark *m = &r->marks[r->count++];
    *m = (fer_rank_mark){.number = number,
                         .term = (uint16_t)term,
                         .own = likeness == 0,
                         .likeness = (uint8_t)likeness,
                         .worth = -1};
    place_mark(r, m, r->count);
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
        if (r->scattered) r->buckets[number % FER_COUNT(r->buckets)] = 0;
    }
    r->count = 0;
    r->scattered = false;
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
    for (size_t i = 0; i < count; i++) {
        uint32_t number = numbers[links[i].word];
        uint8_t *place = &r->map[number & UINT16_MAX]; /* of nobody's number, none of a term */
        bool in = (number < FER_RECORD_MARK) & !*place;
        if (number >= FER_RECORD_MARK && number != FER_NONE) {
            mark_other(r, number, term, links[i].likeness);
            continue;
        }
        r->marks[r->count] = (fer_rank_mark){
            .number = number, .term = (uint16_t)term, .likeness = links[i].likeness, .worth = -1};
        r->count += in;
        *place = in ? (uint8_t)(FER_RANK_MARKED | r->count) : *place;
    }
}

static void mark_related(fer_rank *r, size_t term)
{
    uint32_t word = r->query->terms[term].related;
    if (word == FER_RELATED_NONE) return;
    size_t count;
    const fer_related_link *links = fer_related_links(word, &count);
    if (!r->tail && r->ix->related && r->count + count < (FER_RANK_ELSEWHERE & ~FER_RANK_MARKED)) {
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
    uint16_t of_term[FER_QUERY_TERMS + 1] = {0}; /* marks, + 1 */
    for (size_t i = 0; i < q->count; i++) {
        fer_rank_mark *m = mark(r, number_in_part(r, q->terms[i].frozen, q->terms[i].tail), i, 0);
        of_term[i] = m ? (uint16_t)r->count : 0;
        if (!m) continue;
        m->rarity = q->terms[i].rarity;
        m->bit = i < NEAR_TERMS ? UINT64_C(1) << i : 0;
    }
    for (size_t i = 0; i < q->pair_count; i++) {
        size_t first = of_term[q->pairs[i].first], second = q->pairs[i].second;
        if (first && second < NEAR_TERMS) r->marks[first - 1].behind |= UINT64_C(1) << second;
    }
}

static void make_net(fer_rank *r)
{
    memset(&r->net, 0, sizeof r->net);
    for (size_t i = 0; i < r->count; i++) fer_rank_net_add(&r->net, r->marks[i].number);
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
    r->stamp = 0;
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
    float against; /* see fer_weigh_length */
    /* Of a head that is looked at with others: */
    const uint16_t *units;
    uint64_t starts[2]; /* of texts */
    unsigned name;      /* where its name ends; 0: it is not */
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
static void look_at_related(struct look *l, fer_rank_mark *m, unsigned field)
{
    double worth = (double)related_worth(l->rank, m);
    float had = (float)only_if((double)m->count, m->stamp == l->rank->stamp);
    m->stamp = l->rank->stamp;
    m->count = had + fer_weigh_field(field);
    l->related -= worth * (double)fer_weigh_share(had, l->against);
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

/* ---- several documents at once ---- */

/*
 * How many words of a head are asked for, which they are and whether they are the query's own is
 * nothing that a processor could foresee, and each surprise costs as much as looking at three
 * words. So all heads of a lot are looked through first, and words noted one behind the other; then
 * each kind of word has a loop of its own.
 */
struct lot {
    fer_rank *rank;
    struct look looks[FER_RANK_LOT];
    size_t words, pairs, others; /* that were noted */
};

#define PLACE_BITS 8 /* of a word in its head: two heads have no neighbours */
static_assert(FER_RANK_UNITS < 1 << PLACE_BITS && FER_RANK_LOT << PLACE_BITS <= UINT16_MAX,
              "places are 16 bits");

static inline fer_rank_mark *mark_of(fer_rank *r, unsigned mark)
{
    return &r->marks[mark - FER_RANK_MARKED - 1];
}

#define STEP 5 /* words that most heads have at most */

/* The words of 64 units that may be marked. Some more steps cost less than to guess how many. */
static inline void note_words(struct lot *l, const uint16_t *units, unsigned place, uint64_t caught)
{
    const uint8_t *map = l->rank->map;
    fer_rank_word *words = l->rank->words;
    size_t count = l->words;
    while (caught) {
        for (unsigned i = 0; i < STEP; i++) {
            unsigned at = (unsigned)__builtin_ctzll(caught | UINT64_C(1) << 63);
            unsigned mark = map[units[at]];
            words[count] = (fer_rank_word){(uint16_t)(place + at), (uint16_t)mark};
            count += mark >> 7 & (caught != 0);
            caught &= caught - 1;
        }
    }
    l->words = count;
}

/* A head and as many units behind it as may be read; `room` where there are not so many. */
static inline const uint16_t *readable(const fer_rank *rank, const uint16_t *units, size_t count,
                                       uint16_t room[FER_RANK_UNITS])
{
    const fer_frozen *f = &rank->ix->frozen;
    if (!rank->tail && (size_t)(f->records + f->record_units - units) >= FER_RANK_UNITS)
        return units;
    memset(room, 0, FER_RANK_UNITS * sizeof *room);
    memcpy(room, units, count * sizeof *room);
    return room;
}

/*
 * Notes the words of a head of up to FER_RANK_UNITS units that begins with a name, all of whose
 * terms are one unit: nearly all are so. False: it is not, and nothing has happened.
 */
static inline bool note_head(struct lot *l, unsigned at, const fer_record_reader *r)
{
    fer_rank *rank = l->rank;
    struct look *look = &l->looks[at];
    uint16_t room[FER_RANK_UNITS];
    fer_rank_units is;
    size_t count = (size_t)(r->head_end - r->at);
    if (!count || count > FER_RANK_UNITS || !rank->narrow ||
        r->at[0] != FER_RECORD_MARK + FER_FIELD_NAME)
        return false;
    const uint16_t *units = readable(rank, r->at, count, room);
    rank->run->sort(&rank->net, units, (unsigned)count, &is);
    uint64_t others = is.starts[0] & ~UINT64_C(1);
    if (is.wide || (count > 64 && !others)) return false;
    look->units = r->at;
    look->starts[0] = is.starts[0];
    look->starts[1] = is.starts[1];
    look->name = others ? (unsigned)__builtin_ctzll(others) : (unsigned)count;
    note_words(l, units, at << PLACE_BITS, is.caught[0]);
    if (count > 64) note_words(l, units + 64, (at << PLACE_BITS) + 64, is.caught[1]);
    return true;
}

/* Rarities of words that are in names are added up, those of related ones being 0; neighbours and
 * related ones are noted. */
static void sort_words(struct lot *l)
{
    fer_rank *r = l->rank;
    unsigned next = UINT16_MAX + 1;
    uint64_t behind = 0;
    for (size_t i = 0; i < l->words; i++) {
        unsigned place = r->words[i].place;
        const fer_rank_mark *m = mark_of(r, r->words[i].mark);
        struct look *look = &l->looks[place >> PLACE_BITS];
        look->name_asked += only_if(m->rarity, place % (1U << PLACE_BITS) < look->name);
        r->pairs[l->pairs] = r->others[l->others] = (uint16_t)i;
        l->pairs += (place == next) & ((behind & m->bit) != 0);
        l->others += !m->own;
        next = place + 1;
        behind = m->behind;
    }
}

/* The field of a word: that of the last start before it, and the first unit is one. */
static inline unsigned field_at(const struct look *l, unsigned place)
{
    unsigned at = place % (1U << PLACE_BITS), base = 0;
    uint64_t starts = l->starts[0];
    if (at < 64) starts &= (UINT64_C(1) << at) - 1;
    else if (l->starts[1] & ((UINT64_C(1) << (at - 64)) - 1)) {
        starts = l->starts[1] & ((UINT64_C(1) << (at - 64)) - 1);
        base = 64;
    }
    return l->units[base + 63U - (unsigned)__builtin_clzll(starts)] - FER_RECORD_MARK;
}

static void look_at_pairs(struct lot *l)
{
    fer_rank *r = l->rank;
    for (size_t i = 0; i < l->pairs; i++) {
        const fer_rank_word *second = &r->words[r->pairs[i]], *first = second - 1;
        struct look *look = &l->looks[second->place >> PLACE_BITS];
        unsigned field = field_at(look, second->place);
        if (field < FER_FIELD_COUNT) /* bytes may be hostile */
            look_at_pair(look, mark_of(r, first->mark), mark_of(r, second->mark), field);
    }
}

static void look_at_others(struct lot *l)
{
    fer_rank *r = l->rank;
    uint32_t stamp = r->stamp;
    for (size_t i = 0; i < l->others; i++) {
        fer_rank_word word = r->words[r->others[i]];
        struct look *look = &l->looks[word.place >> PLACE_BITS];
        unsigned field = field_at(look, word.place);
        r->stamp = stamp + (word.place >> PLACE_BITS);
        if (field < FER_FIELD_COUNT) look_at_related(look, mark_of(r, word.mark), field);
    }
    r->stamp = stamp + FER_RANK_LOT;
}

/* How rare the words of a name are together. */
static double weigh_name(const struct look *l)
{
    fer_rank *r = l->rank;
    double all = 0;
    if (r->names && l->number < r->ix->frozen.numbers) {
        double known = r->ix->frozen.names[l->number];
        return known >= l->name_asked ? known : l->name_asked;
    }
    for (unsigned i = 1; i < l->name; i++) {
        uint8_t mark = r->map[l->units[i]];
        bool own = mark && mark_of(r, mark)->own;
        all += own ? mark_of(r, mark)->rarity : rarity_of(r, l->units[i]);
    }
    return all;
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

/* Whether the document's whole name is the one that the query may be. */
static bool has_name(const fer_rank *rank, const fer_record_reader *r)
{
    if (rank->query->name == SIZE_MAX || r->name == FER_NONE) return false;
    const fer_query_term *name = &rank->query->terms[rank->query->name];
    return r->name == number_in_part(rank, name->frozen, name->tail);
}

/* Opens a document's record and looks at what cannot be looked at with others. */
static void open_doc(struct lot *l, unsigned at, fer_rank_doc *doc)
{
    fer_rank *rank = l->rank;
    struct look *look = &l->looks[at];
    fer_record_reader r;
    fer_record_open(&r, doc->record);
    look->rank = rank;
    look->number = doc->number;
    look->name_all = look->name_asked = look->pairs = look->related = 0;
    look->against = fer_weigh_length(r.length);
    look->name = 0;
    bool has = has_name(rank, &r);
    doc->named = has && (!rank->query->space_count || has_space(rank, r));
    if (has) doc->worth -= rank->query->terms[rank->query->name].weight;
    if (note_head(l, at, &r)) return;
    rank->stamp++;
    look_at_head(look, &r);
}

static void rank_lot(fer_rank *rank, fer_rank_doc *docs, unsigned count)
{
    struct lot l;
    l.rank = rank;
    l.words = l.pairs = l.others = 0;
    for (unsigned i = 0; i < count; i++) open_doc(&l, i, &docs[i]);
    rank->stamp++;
    sort_words(&l);
    look_at_pairs(&l);
    look_at_others(&l);
    for (unsigned i = 0; i < count; i++) {
        struct look *look = &l.looks[i];
        if (look->name) look->name_all = weigh_name(look);
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
