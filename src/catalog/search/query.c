/* SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include "related.h"
#include "typo.h"

#define NUMBER_COUNT  0.3F /* numbers in a query are mostly values, not what is looked for */
#define MENDED_WORDS  4    /* words of a query in which mistakes are mended */
#define MENDED_COUNT  0.8F /* and what the query only nearly says */
#define QUOTED_COUNT  0.7F /* so is what stands in quotes */
#define STAND_INS     3    /* for a word that nobody has */
#define COMPOUND_PART 2    /* letters of each half of a compound, at least */
#define COMPOUND_MIN  5    /* and of all of it */

/* What the tail has of a term whose number in the frozen part is known. */
static void look_behind(fer_query_term *t, const fer_lexical *ix)
{
    t->tail = t->frozen == FER_NONE ? fer_terms_find(&ix->terms, t->text)
                                    : fer_terms_of_frozen(&ix->terms, t->frozen);
    t->df = fer_lexical_df(ix, t->frozen, t->tail);
}

static void look_up(fer_query_term *t, const fer_lexical *ix)
{
    t->frozen = fer_frozen_find(&ix->frozen, t->text);
    look_behind(t, ix);
}

/* ---- words that were met before --------------------------------------------------- */

/*
 * What is known of a word's stem, its numbers in the frozen part and among related words, and how
 * rare it is in the former, is noted where the tokeniser remembers it: to find it takes six lines
 * of the cache or more.
 */
static void note_about(fer_tokeniser *t, const fer_lexical *ix)
{
    fer_token_subject subject = {ix, {ix->frozen.bytes, ix->id[0], ix->id[1]}};
    fer_tokeniser_note_about(t, &subject);
}

/* Whether nothing was put or removed since it was frozen. */
static bool is_steady(const fer_lexical *ix, size_t docs)
{
    return docs == ix->frozen.docs && !atomic_load_explicit(&ix->terms.count, memory_order_acquire);
}

static fer_token_note know(const fer_frozen *f, fer_str stem)
{
    uint32_t number = fer_frozen_find(f, stem), related = fer_related_find(stem);
    uint32_t df = number == FER_NONE ? 0 : fer_frozen_df(f, number);
    return (fer_token_note){.number = number,
                            .count = df,
                            .worth = fer_weigh_rarity(f->docs, df),
                            .related = (uint16_t)related};
}

static void number_word(fer_query_term *t, const fer_frozen *f, fer_tokeniser *tokeniser,
                        const fer_wording_word *w)
{
    fer_token_note *note = fer_tokeniser_note(tokeniser, w->place, w->word), known;
    if (!note || !fer_tokeniser_noted(tokeniser, note)) {
        known = know(f, w->text);
        if (note) fer_tokeniser_write(tokeniser, note, known);
        note = &known;
    }
    t->frozen = note->number;
    t->related = note->related == UINT16_MAX ? FER_RELATED_NONE : note->related;
    t->df = note->count;
    t->rarity = note->worth;
    fer_frozen_fetch(f, t->frozen);
    fer_related_fetch(t->related == FER_RELATED_NONE ? 0 : t->related);
}

/* One of so many numbers for a stem: those of few words are hardly ever the same. */
#define SUMS 512
static inline unsigned sum_of(fer_str text)
{
    fer_token_key key = fer_token_key_of(text);
    return (unsigned)((key.part[0] ^ key.part[1]) * UINT64_C(0x9E3779B97F4A7C15) >> 55);
}

/* The place of a word's stem among the terms, made where it is new; SIZE_MAX: there is no room.
 * `seen` has the bits of sums of those that are there. */
static size_t place_term(fer_query *q, const fer_lexical *ix, fer_tokeniser *t,
                         const fer_wording_word *w, uint64_t seen[SUMS / 64])
{
    unsigned sum = sum_of(w->text);
    for (size_t i = 0; seen[sum / 64] >> sum % 64 & 1 && i < q->count; i++) {
        if (fer_token_same(q->terms[i].text, w->text)) return i;
    }
    seen[sum / 64] |= UINT64_C(1) << sum % 64;
    if (q->count == FER_QUERY_TERMS) return SIZE_MAX;
    q->terms[q->count] = (fer_query_term){.text = w->text, .word = w->word};
    number_word(&q->terms[q->count], &ix->frozen, t, w);
    return q->count++;
}

static void add_pair(fer_query *q, size_t first, size_t second)
{
    if (q->pair_count == FER_QUERY_PAIRS) return;
    q->pairs[q->pair_count].first = (uint8_t)first;
    q->pairs[q->pair_count++].second = (uint8_t)second;
}

/* ---- reading ------------------------------------------------------------------ */

static float count_of(const fer_wording_word *w)
{
    static const float counts[2][2] = {{1, QUOTED_COUNT},
                                       {NUMBER_COUNT, NUMBER_COUNT * QUOTED_COUNT}};
    return counts[w->kind == FER_TOKEN_NUMBER][w->quoted];
}

/* Words are counted, and neighbours noted, in the order of the request. */
struct reading {
    fer_query *query;
    size_t before; /* the term of the word before, or SIZE_MAX */
};

static void count_word(struct reading *r, size_t term, const fer_wording_word *w)
{
    r->query->terms[term].count += count_of(w);
    if (w->kind != FER_TOKEN_WORD) return;
    if (r->before != SIZE_MAX) add_pair(r->query, r->before, term);
    r->before = term;
}

/* The places of words that say something; how many. */
static size_t content_of(const fer_wording *request, uint16_t places[FER_WORDING_WORDS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < request->count; i++) {
        places[count] = (uint16_t)i;
        count += request->words[i].use == FER_TOKEN_CONTENT;
    }
    return count;
}

static void read_words(fer_query *q, const fer_lexical *ix, fer_tokeniser *t,
                       const fer_wording *request)
{
    struct reading r = {q, SIZE_MAX};
    uint16_t places[FER_WORDING_WORDS + 1];
    uint64_t seen[SUMS / 64] = {0};
    size_t count = content_of(request, places);
    memset(q->of_word, 0, request->count);
    for (size_t i = 0; i < count; i++) {
        const fer_wording_word *w = &request->words[places[i]];
        size_t at = place_term(q, ix, t, w, seen);
        if (at == SIZE_MAX) return;
        q->of_word[places[i]] = (uint8_t)(at + 1);
        count_word(&r, at, w);
    }
}

static void fetch_links(const fer_query_term *t)
{
    size_t count;
    __builtin_prefetch(fer_related_links(t->related == FER_RELATED_NONE ? 0 : t->related, &count));
}

/* What the tail has of a term, and how rare it is with that. */
static void look_again(fer_query_term *t, const fer_lexical *ix, size_t docs)
{
    look_behind(t, ix);
    t->rarity = fer_weigh_rarity(docs, t->df);
}

static void read_terms(fer_query *q, const fer_lexical *ix, fer_tokeniser *t,
                       const fer_wording *request, size_t docs)
{
    note_about(t, ix);
    read_words(q, ix, t, request);
    for (size_t i = 0; i < q->count; i++) fetch_links(&q->terms[i]);
    for (size_t i = 0; i < q->count && !is_steady(ix, docs); i++)
        look_again(&q->terms[i], ix, docs);
}

/* ---- worth -------------------------------------------------------------------- */

/* A word said twice counts a third more, and never twice as much as one said once. */
double fer_query_saturate(float count)
{
    return count > 1 ? 2.0 * (double)count / ((double)count + 1) : (double)count;
}

/* ---- mistakes ------------------------------------------------------------------ */

static bool is_plain(fer_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < 'a' || s.ptr[i] > 'z') return false;
    }
    return true;
}

/* With zeros behind it, as words of a request have them. */
static fer_str keep(fer_query *q, fer_str s)
{
    char *to = q->text + q->text_len;
    size_t room = s.len < FER_TOKEN_KEY ? FER_TOKEN_KEY : s.len;
    if (room > sizeof q->text - q->text_len) return FER_STR_NONE;
    memset(to, 0, room);
    memcpy(to, s.ptr, s.len);
    q->text_len += room;
    return (fer_str){to, s.len};
}

/* The term becomes what it may have meant; the second half of a compound is one more. */
static void mend(fer_query *q, const fer_lexical *ix, fer_tokeniser *tokeniser, size_t at,
                 bool last, size_t docs)
{
    fer_typo typo = {.count = 0};
    fer_typo_mend(&typo, ix, tokeniser, q->terms[at].word, q->terms[at].text, last);
    for (size_t i = 0; i < typo.count; i++) {
        fer_query_term t = q->terms[at];
        if (i && q->count == FER_QUERY_TERMS) return;
        t.text = keep(q, (fer_str){typo.texts[i], typo.lens[i]});
        if (!t.text.ptr) return;
        t.count *= MENDED_COUNT;
        t.forgiven = true;
        t.related = fer_related_find(t.text);
        look_up(&t, ix);
        t.rarity = fer_weigh_rarity(docs, t.df);
        q->terms[i ? q->count++ : at] = t;
    }
}

/* Only in short queries: in long ones the other words say enough. */
static void mend_all(fer_query *q, const fer_lexical *ix, fer_tokeniser *tokeniser, size_t docs)
{
    size_t count = q->count;
    if (count > MENDED_WORDS) return;
    for (size_t i = 0; i < count; i++) {
        if (!q->terms[i].df && is_plain(q->terms[i].word))
            mend(q, ix, tokeniser, i, i + 1 == count, docs);
    }
}

/* ---- words that nobody has ----------------------------------------------------------- */

static bool has_term(const fer_query *q, const fer_query_term *t)
{
    for (size_t i = 0; i < q->count; i++) {
        if (q->terms[i].frozen == t->frozen && q->terms[i].tail == t->tail) return true;
    }
    return false;
}

/* As look_up, of a word that others are related to. */
static void look_up_related(fer_query_term *t, const fer_lexical *ix, uint32_t word, size_t docs)
{
    t->text = fer_related_text(word);
    t->related = word;
    t->frozen = ix->related ? ix->related[word].number : FER_NONE;
    t->tail = t->frozen == FER_NONE ? fer_terms_related(&ix->terms, word)
                                    : fer_terms_of_frozen(&ix->terms, t->frozen);
    t->df = fer_lexical_df(ix, t->frozen, t->tail);
    t->rarity = fer_weigh_rarity(docs, t->df);
}

/* The same where nothing was put or removed. False: nobody has it, as nobody has most. */
static inline bool look_up_steady(fer_query_term *t, const fer_lexical *ix, uint32_t word)
{
    const struct fer_lexical_related *known = &ix->related[word];
    if (!known->df) return false;
    t->text = fer_related_text(word);
    t->related = word;
    t->frozen = known->number;
    t->df = known->df;
    t->rarity = known->rarity;
    return true;
}

/*
 * The nearest words that some document has, each as far as it is alike. Where a word of the query
 * is there itself, those related to it are looked for in the second round alone (rank.c): they
 * bring in little that it has not, and cost as much as more words of the query.
 */
static void add_stand_ins(fer_query *q, const fer_lexical *ix, size_t at, size_t docs)
{
    const fer_query_term *missing = &q->terms[at];
    const bool steady = ix->related && is_steady(ix, docs);
    size_t count = 0, added = 0;
    if (missing->related == FER_RELATED_NONE) return;
    const fer_related_link *links = fer_related_links(missing->related, &count);
    for (size_t i = 0; i < count && added < STAND_INS && q->count < FER_QUERY_TERMS; i++) {
        fer_query_term *t = &q->terms[q->count]; /* behind the last one, until it is counted */
        *t = (fer_query_term){.word = missing->word, .forgiven = true, .stand_in = true};
        if (!steady) look_up_related(t, ix, links[i].word, docs);
        else if (!look_up_steady(t, ix, links[i].word)) continue;
        if (!t->df || has_term(q, t)) continue;
        t->count = missing->count * (float)links[i].likeness / 100;
        q->count++;
        added++;
    }
}

/* ---- compounds --------------------------------------------------------------------- */

/* What a word of the request is worth, 0 where it says nothing. */
static double rarity_of(const fer_query *q, size_t word)
{
    return q->of_word[word] ? q->terms[q->of_word[word] - 1].rarity : 0;
}

/* Two short words as one: their bytes one behind the other. */
static inline fer_token_key join(fer_str one, fer_str other)
{
    fer_token_key x = fer_token_key_of(one), y = fer_token_key_of(other);
    unsigned __int128 both = (unsigned __int128)y.part[1] << 64 | y.part[0];
    both <<= 8 * (one.len % FER_TOKEN_KEY);
    return (fer_token_key){{x.part[0] | (uint64_t)both, x.part[1] | (uint64_t)(both >> 64)}};
}

/*
 * Two words that some tool writes as one: a zip code, to log in. What stands between them, and
 * whether one is a stop word, does not matter. The stem of the whole has that of the second, but
 * for an e that a longer word loses (code, zipcod): asking the stemmer would take longer than all
 * else. It is worth no more than the rarer of the two, as among many tools somebody has every
 * mistake.
 */
static void add_compound(fer_query *q, const fer_lexical *ix, const fer_wording *request,
                         size_t second, size_t docs)
{
    char text[2 * FER_TOKEN_MAX];
    fer_str one = request->words[second - 1].word, other = request->words[second].text;
    size_t len = one.len + other.len;
    if (q->count == FER_QUERY_TERMS) return;
    memcpy(text, one.ptr, one.len);
    memcpy(text + one.len, other.ptr, other.len);
    fer_query_term t = {.text = {text, len}, .count = 1, .forgiven = true};
    look_up(&t, ix);
    if (!t.df && text[len - 1] == 'e') {
        t.text.len--;
        look_up(&t, ix);
    }
    if (!t.df || has_term(q, &t)) return;
    double x = rarity_of(q, second - 1), y = rarity_of(q, second), most = x > y ? x : y;
    t.rarity = fer_weigh_rarity(docs, t.df);
    if (t.rarity > most) t.rarity = most;
    t.text = t.word = keep(q, t.text);
    if (!t.text.ptr) return;
    t.related = fer_related_find(t.text);
    q->terms[q->count++] = t;
}

/* Neighbours of a request that may be one word. */
#define LOT 64 /* of words that are looked at together */
struct neighbours {
    size_t count;
    uint16_t second[2 * LOT + 2];   /* place of the second word */
    fer_token_key key[2 * LOT + 2]; /* of both as one, with its last e and without */
    size_t long_count;              /* and of those that are too long for a key */
    uint16_t long_second[LOT + 1];
};

static bool can_be_one(const fer_wording_word *one, const fer_wording_word *other)
{
    size_t len = one->word.len + other->text.len;
    return (one->kind == FER_TOKEN_WORD) & (other->kind == FER_TOKEN_WORD) &
           (other->border == FER_BORDER_NONE) & (one->word.len >= COMPOUND_PART) &
           (other->word.len >= COMPOUND_PART) & (len >= COMPOUND_MIN) & (len <= FER_TOKEN_MAX);
}

/* Which of them can, and which end with an e, is not for a branch to foresee. */
static inline void note_neighbours(struct neighbours *n, const fer_wording *request, size_t second)
{
    const fer_wording_word *one = &request->words[second - 1], *other = &request->words[second];
    size_t last = one->word.len + other->text.len - 1, byte = 8 * (last % 8);
    bool can = can_be_one(one, other);
    if (last >= FER_TOKEN_KEY) {
        n->long_second[n->long_count] = (uint16_t)second;
        n->long_count += can;
        return;
    }
    fer_token_key key = join(one->word, other->text);
    n->key[n->count] = key;
    n->second[n->count] = (uint16_t)second;
    n->count += can;
    bool high = last >= 8, e = ((high ? key.part[1] : key.part[0]) >> byte & 0xFF) == 'e';
    n->key[n->count] = (fer_token_key){{key.part[0] ^ (high ? 0 : (uint64_t)'e' << byte),
                                        key.part[1] ^ (high ? (uint64_t)'e' << byte : 0)}};
    n->second[n->count] = (uint16_t)second;
    n->count += can & e;
}

/* By the places of their second words, those that were found in the frozen part, or that the tail
 * may have. */
static size_t find_in_both(const struct neighbours *n, const fer_terms *tail,
                           const uint16_t *frozen, size_t count, uint16_t *found)
{
    size_t all = 0;
    for (size_t i = 0, k = 0; i < n->count; i++) {
        bool there = k < count && frozen[k] == i;
        k += there;
        found[all] = n->second[i];
        all += there || fer_terms_may_have(tail, &n->key[i]);
    }
    return all;
}

/* Those that some document may have as one: hardly any. */
static size_t sift_neighbours(const struct neighbours *n, const fer_lexical *ix, uint16_t *found)
{
    uint16_t frozen[2 * LOT + 2];
    size_t count = fer_frozen_sift(&ix->frozen, n->key, n->count, frozen);
    if (atomic_load_explicit(&ix->terms.count, memory_order_acquire))
        return find_in_both(n, &ix->terms, frozen, count, found);
    for (size_t i = 0; i < count; i++) found[i] = n->second[frozen[i]];
    return count;
}

/* In their order, each once. */
static void add_found(fer_query *q, const fer_lexical *ix, const fer_wording *request, size_t docs,
                      const struct neighbours *n, const uint16_t *found, size_t count)
{
    for (size_t i = 0, k = 0; i < count || k < n->long_count;) {
        bool is_long = i == count || (k < n->long_count && n->long_second[k] < found[i]);
        size_t second = is_long ? n->long_second[k++] : found[i++];
        if (!is_long && i > 1 && found[i - 2] == second) continue;
        add_compound(q, ix, request, second, docs);
    }
}

static void add_compounds(fer_query *q, const fer_lexical *ix, const fer_wording *request,
                          size_t docs)
{
    struct neighbours n;
    uint16_t found[2 * LOT + 2];
    for (size_t at = 1; at < request->count; at += LOT) {
        size_t end = request->count - at < LOT ? request->count : at + LOT;
        n.count = n.long_count = 0;
        for (size_t i = at; i < end; i++) note_neighbours(&n, request, i);
        add_found(q, ix, request, docs, &n, found, sift_neighbours(&n, ix, found));
    }
}

static void stand_in_all(fer_query *q, const fer_lexical *ix, size_t docs)
{
    for (size_t i = 0, count = q->count; i < count; i++) {
        if (!q->terms[i].df) add_stand_ins(q, ix, i, docs);
    }
}

static void weigh(fer_query *q)
{
    for (size_t i = 0; i < q->count; i++) {
        fer_query_term *t = &q->terms[i];
        double weight = fer_query_saturate(t->count) * t->rarity;
        t->weight = weight * (t->df > 0); /* which are there is not for a branch to foresee */
        q->known += t->weight;
        q->mass += weight * !t->stand_in; /* the missing word has its own */
    }
}

/* ---- names ---------------------------------------------------------------------- */

/* Whether a word from `first` on is in no document, and so in no name. */
static bool lacks_word(const fer_query *q, const fer_wording *request, size_t first)
{
    bool lacks = false;
    for (size_t i = first; i < request->count && !lacks; i++) {
        const fer_query_term *t = &q->terms[q->of_word[i] ? q->of_word[i] - 1 : 0];
        lacks = q->of_word[i] && (!t->df || t->forgiven); /* what was mended was not there */
    }
    return lacks;
}

/* The words from `first` on as the name of a tool; false: none has it. */
static bool find_name(fer_query_term *t, const fer_query *q, const fer_lexical *ix,
                      const fer_wording *request, size_t first)
{
    char text[FER_NAME_BYTES];
    fer_name name = {0, 0};
    if (request->count - first > (size_t)2 * FER_NAME_WORDS || lacks_word(q, request, first))
        return false;
    for (size_t i = first; i < request->count; i++) {
        if (request->words[i].kind != FER_TOKEN_PAIR) fer_name_add(&name, request->words[i].word);
    }
    *t = (fer_query_term){.text = fer_name_term(&name, text), .count = 1, .name = true};
    if (t->text.len) look_up(t, ix);
    t->text = FER_STR_NONE;
    return t->df > 0;
}

/* Where a request is `namespace:name`, the first word of the name; 0: it is not. */
static size_t name_behind(const fer_wording *request)
{
    size_t colon = fer_str_find(request->text, 0, ':'), at = 0;
    if (colon == SIZE_MAX) return 0;
    for (size_t i = 0; i < request->text.len; i++) {
        if (request->text.ptr[i] == ' ' || request->text.ptr[i] == '\n') return 0;
    }
    while (at < request->count && request->words[at].start < colon) at++;
    return at < request->count ? at : 0;
}

/* The words of the namespace as documents have them; false: nobody has such a one. */
static bool find_space(fer_query *q, const fer_lexical *ix, const fer_wording *request, size_t end)
{
    q->space_count = 0;
    for (size_t i = 0; i < end; i++) {
        if (request->words[i].use == FER_TOKEN_STOP) continue;
        fer_query_term t = {.text = request->words[i].text};
        look_up(&t, ix);
        if (!t.df || q->space_count == FER_QUERY_SPACE) return false;
        q->space[q->space_count++] = (fer_query_number){t.frozen, t.tail};
    }
    return q->space_count > 0;
}

/*
 * The whole query as the name of a tool, or as its namespace and name. Where there is such a tool,
 * having that name is worth as much as all words together, which brings it into the second round
 * whatever else there is.
 */
static void add_name(fer_query *q, const fer_lexical *ix, const fer_wording *request)
{
    fer_query_term t;
    size_t behind;
    q->space_count = 0;
    if (!find_name(&t, q, ix, request, 0)) {
        behind = name_behind(request);
        if (!behind || !find_name(&t, q, ix, request, behind) ||
            !find_space(q, ix, request, behind))
            return;
    }
    t.weight = q->known > 0 ? q->known : 1;
    q->known += t.weight;
    q->name = q->count;
    q->terms[q->count++] = t;
}

/* ---- all of it -------------------------------------------------------------------- */

static void start(fer_query *q)
{
    q->count = q->pair_count = q->space_count = q->text_len = 0;
    q->mass = q->known = 0;
    q->name = SIZE_MAX;
}

void fer_query_read(fer_query *q, const fer_lexical *ix, fer_tokeniser *t,
                    const fer_wording *request)
{
    size_t docs = atomic_load_explicit(&ix->docs, memory_order_relaxed);
    start(q);
    read_terms(q, ix, t, request, docs);
    mend_all(q, ix, t, docs);
    stand_in_all(q, ix, docs);
    add_compounds(q, ix, request, docs);
    weigh(q);
    add_name(q, ix, request);
}

void fer_query_read_need(fer_query *q, const fer_query *whole, const fer_wording *request,
                         const fer_need *need)
{
    struct reading r = {q, SIZE_MAX};
    uint8_t places[FER_QUERY_TERMS + 1] = {0}; /* of the whole's terms in this one, + 1 */
    start(q);
    for (size_t i = need->first; i < need->end; i++) {
        uint8_t term = whole->of_word[i];
        if (!term) continue;
        if (!places[term]) {
            q->terms[q->count] = whole->terms[term - 1];
            q->terms[q->count].count = 0;
            places[term] = (uint8_t)++q->count;
        }
        count_word(&r, places[term] - 1U, &request->words[i]);
    }
    weigh(q);
}
