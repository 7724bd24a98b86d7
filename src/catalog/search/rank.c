/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

#include "weigh.h"

#define PAIR_WORTH    0.35 /* of neighbours, measured in the mean worth of the two words */
#define RELATED_WORTH 0.6  /* of a related word, measured in that of the query's */
#define NAME_WORTH    0.35 /* what is added for a name that the query holds all of */

/* ---- marks ---------------------------------------------------------------------- */

/* A term of two units has no place in the map, nor has a mark that its bytes cannot hold. */
static void set_map(fer_rank *r, uint32_t number, size_t mark)
{
    if (number < FER_RECORD_MARK)
        r->map[number] = (uint8_t)(mark < FER_RANK_ELSEWHERE ? mark : FER_RANK_ELSEWHERE);
}

static void mark(fer_rank *r, uint32_t number, size_t term, unsigned likeness)
{
    if (number == FER_NONE || r->count == FER_RANK_MARKS) return;
    uint16_t *bucket = &r->buckets[number % FER_COUNT(r->buckets)];
    r->marks[r->count] = (fer_rank_mark){.number = number,
                                         .next = *bucket,
                                         .term = (uint16_t)term,
                                         .own = likeness == 0,
                                         .likeness = (uint8_t)likeness,
                                         .worth = -1};
    *bucket = (uint16_t)++r->count;
    set_map(r, number, r->count);
}

void fer_rank_init(fer_rank *r)
{
    memset(r->map + FER_RECORD_MARK, FER_RANK_ELSEWHERE, sizeof r->map - FER_RECORD_MARK);
}

static void clear_marks(fer_rank *r)
{
    for (size_t i = 0; i < r->count; i++) {
        uint32_t number = r->marks[i].number;
        set_map(r, number, 0);
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
    return at ? &r->marks[at - 1] : NULL;
}

static uint32_t number_in_part(const fer_rank *r, uint32_t frozen, const fer_term *tail)
{
    if (!r->tail) return frozen;
    return tail ? tail->number : FER_NONE;
}

static void mark_related(fer_rank *r, size_t term)
{
    uint32_t word = fer_related_find(r->query->terms[term].text);
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

void fer_rank_mark_part(fer_rank *r, const fer_lexical *ix, const fer_query *q, bool tail)
{
    clear_marks(r);
    r->ix = ix;
    r->query = q;
    r->docs = atomic_load_explicit(&ix->docs, memory_order_relaxed);
    r->tail = tail;
    r->stamp = 0;
    for (size_t i = 0; i < q->count; i++)
        mark(r, number_in_part(r, q->terms[i].frozen, q->terms[i].tail), i, 0);
    for (size_t i = 0; i < q->count; i++) {
        if (i != q->name) mark_related(r, i);
    }
}

/* ---- a document ----------------------------------------------------------------- */

struct look {
    fer_rank *rank;
    double name_all, name_asked; /* rarity of the words of its name; of those that the query has */
    double pairs, related;
    float against; /* see fer_weigh_length */
};

/* Asked of words of names, which are much the same in all searches. */
static inline double rarity_of_df(fer_rank *r, size_t df)
{
    fer_rank_rarity *known = &r->rarities[df % FER_RANK_RARITIES];
    if (known->df != df || known->docs != r->docs)
        *known = (fer_rank_rarity){df, r->docs, fer_weigh_rarity(r->docs, df)};
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
    return rarity_of_df(r, fer_lexical_df(ix, number, fer_terms_of_frozen(&ix->terms, number)));
}

static void look_at_name(struct look *l, uint32_t number, const fer_rank_mark *m)
{
    bool own = m && m->own;
    double rarity = own ? l->rank->query->terms[m->term].rarity : rarity_of(l->rank, number);
    l->name_all += rarity;
    if (own) l->name_asked += rarity;
}

static bool are_asked(const fer_query *q, size_t first, size_t second)
{
    for (size_t i = 0; i < q->pair_count; i++) {
        if (q->pairs[i].first == first && q->pairs[i].second == second) return true;
    }
    return false;
}

static void look_at_pair(struct look *l, const fer_rank_mark *x, const fer_rank_mark *y,
                         unsigned field)
{
    const fer_query *q = l->rank->query;
    if (!x || !x->own || !y->own || !are_asked(q, x->term, y->term)) return;
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
    if (m->own) return;
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

/* One word of the head; `before` is the mark of the word before it, if there was one. */
static const fer_rank_mark *look_at_word(struct look *l, uint32_t number, unsigned field,
                                         const fer_rank_mark *before)
{
    fer_rank_mark *m = find_mark(l->rank, number);
    if (field == FER_FIELD_NAME) look_at_name(l, number, m);
    if (m) look_at_pair(l, before, m, field);
    if (m) look_at_related(l, m, field);
    return m;
}

/* A head that is being read. */
struct head {
    const uint16_t *at, *end;
    unsigned field;              /* FER_FIELD_COUNT: none yet */
    const fer_rank_mark *before; /* of the word that ends at `behind` */
    const uint16_t *behind;
};

/* One unit that says something, or a word of the name. False: the head is broken here. */
static bool look_at_unit(struct look *l, struct head *h)
{
    const uint16_t *from = h->at;
    uint32_t number = *h->at++;
    if (number >= FER_RECORD_WIDE) {
        if (h->at == h->end) return false;
        number = (number - FER_RECORD_WIDE) << 16 | *h->at++;
    } else if (number >= FER_RECORD_MARK) {
        h->field = number - FER_RECORD_MARK;
        h->before = NULL;
        return h->field < FER_FIELD_COUNT;
    }
    if (h->field >= FER_FIELD_COUNT) return true;
    h->before = look_at_word(l, number, h->field, h->behind == from ? h->before : NULL);
    h->behind = h->at;
    return true;
}

#define STRETCH 64 /* units that are sifted at once */

/*
 * Where the units are that are marked, or no terms, in ascending order. Most words of most
 * documents are not asked for, and which are nobody can foresee: there is no branch on it.
 */
static size_t find_marked(const uint8_t *map, const uint16_t *units, size_t count,
                          uint8_t places[STRETCH])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        places[found] = (uint8_t)i;
        found += map[units[i]] != 0;
    }
    return found;
}

/* The next units, up to where the name begins. False: the head is broken, or at its end. */
static bool look_at_stretch(struct look *l, struct head *h)
{
    uint8_t places[STRETCH];
    const uint16_t *from = h->at;
    size_t left = (size_t)(h->end - from), count = left < STRETCH ? left : STRETCH;
    size_t found = find_marked(l->rank->map, from, count, places);
    for (size_t i = 0; i < found; i++) {
        if (from + places[i] < h->at) continue; /* the second half of a term */
        h->at = from + places[i];
        if (!look_at_unit(l, h)) return false;
        if (h->field == FER_FIELD_NAME) return true;
    }
    if (h->at < from + count) h->at = from + count;
    return true;
}

/* All words of the name are looked at, of other fields those that are asked for. */
static void look_at_head(struct look *l, fer_record_reader *r)
{
    struct head h = {.at = r->at, .end = r->head_end, .field = FER_FIELD_COUNT};
    while (h.at < h.end) {
        bool name = h.field == FER_FIELD_NAME || h.at == r->at; /* which is what comes first */
        if (name ? !look_at_unit(l, &h) : !look_at_stretch(l, &h)) return;
    }
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

double fer_rank_doc(fer_rank *rank, fer_record record, double worth, bool *named)
{
    struct look l = {.rank = rank};
    fer_record_reader r;
    rank->stamp++;
    fer_record_open(&r, record);
    l.against = fer_weigh_length(r.length);
    bool has = has_name(rank, &r);
    *named = has && (!rank->query->space_count || has_space(rank, r));
    if (has) worth -= rank->query->terms[rank->query->name].weight;
    look_at_head(&l, &r);
    double share = l.name_all > 0 ? l.name_asked / l.name_all : 0;
    return (worth + PAIR_WORTH * l.pairs + l.related) * (1 + NAME_WORTH * share);
}
