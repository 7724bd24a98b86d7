/* SPDX-License-Identifier: Apache-2.0 */
#include "usage.h"

#include <math.h>

#include "embed.h"
#include "sys.h"
#include "vector_kernels.h"

#define VECTOR_SHARE 0.2 /* of likeness; the rest are shared words */
#define JUDGED_FIRST 8   /* judgements that what is believed at first is worth */
#define JUDGED_MAX   256 /* from here on the older ones fade */

enum {
    WORDS = 1 << 16,
    WEIGHTS = 10,
    NOBODY = UINT32_MAX
};

/* What votes may weigh, and what each was worth in the mean of 14 sets before anything is known
 * about the one at hand, heavy ones held a little lower. */
static const double weights[WEIGHTS] = {0, 0.25, 0.5, 1,  FER_USAGE_WEIGHT,
                                        3, 5,    8,   12, FER_USAGE_WEIGHT_MAX};
static const double worth_first[WEIGHTS] = {0.62, 0.66, 0.68, 0.72, 0.74,
                                            0.73, 0.72, 0.70, 0.67, 0.62};

typedef struct entry {
    uint64_t hash; /* of the query's words */
    uint32_t tools[FER_USAGE_TOOLS];
    uint16_t words[FER_USAGE_WORDS];
    uint8_t word_count, tool_count; /* no tools: the entry is free */
} entry;

struct fer_usage {
    entry *entries;
    int8_t *vectors;
    float *rare; /* by how many entries have a word: how much it counts */
    size_t cap, dims;
    size_t next; /* the place to be used next: the oldest entry's, when all are used */
    size_t count;
    size_t rare_for;       /* the count that `rare` was made for */
    double worth[WEIGHTS]; /* by weight: mean gain of what was called next */
    size_t judged;
    uint16_t holders[WORDS]; /* by word: entries that have it */
};

typedef struct asked {
    uint16_t words[FER_USAGE_WORDS];
    size_t count;
    uint64_t hash;
    const int8_t *vector;
} asked;

fer_usage *fer_usage_new(size_t queries, size_t dims)
{
    size_t cap = queries ? queries : FER_USAGE_QUERIES;
    assert(cap <= FER_USAGE_QUERIES_MAX && dims <= FER_EMBED_DIMS && dims % 32 == 0);
    fer_usage *u = fer_sys_malloc(sizeof *u);
    if (!u) return NULL;
    memset(u, 0, sizeof *u);
    u->cap = cap;
    u->dims = dims;
    u->rare_for = SIZE_MAX;
    u->judged = JUDGED_FIRST;
    memcpy(u->worth, worth_first, sizeof u->worth);
    u->entries = fer_sys_malloc(cap * sizeof *u->entries);
    u->rare = fer_sys_malloc((cap + 1) * sizeof *u->rare);
    u->vectors = fer_sys_malloc(cap * dims + 1);
    if (!u->entries || !u->rare || !u->vectors) {
        fer_usage_free(u);
        return NULL;
    }
    memset(u->entries, 0, cap * sizeof *u->entries);
    memset(u->vectors, 0, cap * dims);
    return u;
}

void fer_usage_free(fer_usage *u)
{
    if (!u) return;
    fer_sys_free(u->entries);
    fer_sys_free(u->rare);
    fer_sys_free(u->vectors);
    fer_sys_free(u);
}

size_t fer_usage_count(const fer_usage *u)
{
    return u->count;
}

double fer_usage_weight(const fer_usage *u)
{
    size_t best = 0;
    for (size_t i = 1; i < WEIGHTS; i++)
        if (u->worth[i] > u->worth[best]) best = i;
    return weights[best];
}

/* ---- words ------------------------------------------------------------------------- */

static uint64_t hash_of(fer_str s)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < s.len; i++) h = (h ^ (uint8_t)s.ptr[i]) * UINT64_C(0x100000001B3);
    return h ^ h >> 32;
}

static void ask(asked *q, fer_tokeniser *t, const fer_usage_query *query)
{
    fer_token_reader r;
    fer_token token;
    *q = (asked){.hash = 1, .vector = query->vector};
    fer_token_reader_init(&r, t, query->text);
    while (q->count < FER_USAGE_WORDS && fer_token_next(&r, &token)) {
        if (token.use != FER_TOKEN_CONTENT) continue;
        uint64_t h = hash_of(token.text);
        uint16_t word = (uint16_t)(h ^ h >> 16);
        size_t i = 0;
        while (i < q->count && q->words[i] != word) i++;
        if (i < q->count) continue;
        q->words[q->count++] = word;
        q->hash = (q->hash ^ h) * UINT64_C(0x9E3779B97F4A7C15);
    }
}

static void weigh_words(fer_usage *u)
{
    if (u->rare_for == u->count) return;
    for (size_t with = 0; with <= u->count; with++) {
        double rare = log(1 + ((double)(u->count - with) + 0.5) / ((double)with + 0.5));
        u->rare[with] = (float)(rare * rare);
    }
    u->rare_for = u->count;
}

static float weight_of(const fer_usage *u, uint16_t word)
{
    return u->rare[u->holders[word]];
}

/* ---- likeness ------------------------------------------------------------------------ */

typedef struct neighbour {
    uint32_t entry;
    double likeness;
} neighbour;

typedef struct nearest {
    neighbour list[FER_USAGE_NEIGHBOURS];
    size_t count;
} nearest;

static void keep_nearest(nearest *n, uint32_t at, double likeness)
{
    size_t i = n->count;
    if (i == FER_USAGE_NEIGHBOURS) {
        if (likeness <= n->list[i - 1].likeness) return;
        i--;
    } else {
        n->count++;
    }
    for (; i && n->list[i - 1].likeness < likeness; i--) n->list[i] = n->list[i - 1];
    n->list[i] = (neighbour){at, likeness};
}

typedef struct marks {
    uint8_t word[WORDS / 8]; /* a bit for each word of the query */
    double weight;           /* of all of them */
} marks;

static void mark(const fer_usage *u, const asked *q, marks *m)
{
    memset(m, 0, sizeof *m);
    for (size_t i = 0; i < q->count; i++) {
        m->word[q->words[i] / 8] |= (uint8_t)(1u << q->words[i] % 8);
        m->weight += (double)weight_of(u, q->words[i]);
    }
}

/* The cosine of the two queries' words, the rare ones counting more. */
static double shared_words(const fer_usage *u, const marks *m, const entry *e)
{
    float all = 0, both = 0;
    for (size_t i = 0; i < e->word_count; i++) {
        float w = weight_of(u, e->words[i]);
        all += w;
        if (m->word[e->words[i] / 8] >> e->words[i] % 8 & 1) both += w;
    }
    return both > 0 ? (double)both / sqrt((double)all * m->weight) : 0;
}

static double likeness_of(double words, int32_t product)
{
    double cosine = product > 0 ? product / (double)(FER_EMBED_UNIT * FER_EMBED_UNIT) : 0;
    return (1 - VECTOR_SHARE) * words + VECTOR_SHARE * cosine;
}

/* `but`: an entry that is left out, or NOBODY. */
static void find_nearest(fer_usage *u, const asked *q, uint32_t but, nearest *out)
{
    enum {
        BLOCK = 256
    };
    const fer_vector_kernels *run = fer_vector_kernels_here();
    const bool vectors = q->vector && u->dims;
    int32_t products[BLOCK] = {0};
    marks m;
    weigh_words(u);
    mark(u, q, &m);
    out->count = 0;
    for (size_t at = 0; at < u->cap && u->count; at += BLOCK) {
        size_t n = u->cap - at < BLOCK ? u->cap - at : BLOCK;
        if (vectors)
            run->products(u->vectors + at * u->dims, NULL, n, q->vector, u->dims, products);
        for (size_t i = 0; i < n; i++) {
            const entry *e = &u->entries[at + i];
            if (!e->tool_count || at + i == but) continue;
            double words = shared_words(u, &m, e);
            double likeness = vectors ? likeness_of(words, products[i]) : words;
            if (likeness > 0) keep_nearest(out, (uint32_t)(at + i), likeness);
        }
    }
}

/* ---- votes ----------------------------------------------------------------------------- */

static void add_vote(fer_votes *v, uint32_t number, double share)
{
    size_t i = 0;
    while (i < v->count && v->list[i].number != number) i++;
    if (i == v->count) v->list[v->count++] = (fer_vote){number, 0};
    v->list[i].share += share;
}

static bool before(fer_vote a, fer_vote b)
{
    return a.share != b.share ? a.share > b.share : a.number < b.number;
}

static void sort_votes(fer_votes *v)
{
    for (size_t i = 1; i < v->count; i++) {
        fer_vote held = v->list[i];
        size_t at = i;
        for (; at && before(held, v->list[at - 1]); at--) v->list[at] = v->list[at - 1];
        v->list[at] = held;
    }
}

/* A neighbour's vote is the square of its likeness: many that are a little like it say nothing. */
static void vote(fer_usage *u, const asked *q, uint32_t but, fer_votes *out)
{
    nearest n;
    find_nearest(u, q, but, &n);
    out->count = 0;
    out->weight = fer_usage_weight(u);
    for (size_t i = 0; i < n.count; i++) {
        const entry *e = &u->entries[n.list[i].entry];
        for (size_t k = 0; k < e->tool_count; k++)
            add_vote(out, e->tools[k], n.list[i].likeness * n.list[i].likeness);
    }
    sort_votes(out);
    for (size_t i = 0; i < out->count; i++)
        if (out->list[i].share > 1) out->list[i].share = 1;
}

void fer_usage_votes(fer_usage *u, fer_tokeniser *t, const fer_usage_query *query, fer_votes *out)
{
    asked q;
    ask(&q, t, query);
    vote(u, &q, NOBODY, out);
}

/* ---- noting ------------------------------------------------------------------------------ */

/* A tool with what was found otherwise, and its share of the votes. */
typedef struct rival {
    double score, share;
} rival;

typedef struct contest {
    rival list[FER_USAGE_FOUND + FER_USAGE_NEIGHBOURS * FER_USAGE_TOOLS];
    size_t count;
    rival called;
} contest;

static double share_of(const fer_votes *v, uint32_t number)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->list[i].number == number) return v->list[i].share;
    return 0;
}

static bool is_found(const fer_usage_found *found, size_t count, uint32_t number)
{
    size_t i = 0;
    while (i < count && found[i].number != number) i++;
    return i < count;
}

static void enter(contest *c, rival one, bool called)
{
    if (called) c->called = one;
    else c->list[c->count++] = one;
}

static void bring_together(contest *c, const fer_votes *v, const fer_usage_found *found,
                           size_t count, uint32_t called)
{
    *c = (contest){.count = 0};
    for (size_t i = 0; i < count; i++)
        enter(c, (rival){found[i].score, share_of(v, found[i].number)}, found[i].number == called);
    for (size_t i = 0; i < v->count; i++)
        if (!is_found(found, count, v->list[i].number))
            enter(c, (rival){0, v->list[i].share}, v->list[i].number == called);
}

/* What the place of the called tool would be worth: as in nDCG@10. */
static double gain_of(const contest *c, double weight)
{
    const double score = c->called.score + weight * c->called.share;
    size_t rank = 1;
    for (size_t i = 0; i < c->count; i++)
        rank += c->list[i].score + weight * c->list[i].share > score;
    return score > 0 && rank <= 10 ? 1 / log2((double)rank + 1) : 0;
}

static void judge(fer_usage *u, const contest *c)
{
    if (!(c->called.score > 0) && !(c->called.share > 0)) return; /* all weights miss it */
    if (u->judged < JUDGED_MAX) u->judged++;
    for (size_t i = 0; i < WEIGHTS; i++)
        u->worth[i] += (gain_of(c, weights[i]) - u->worth[i]) / (double)u->judged;
}

static void release(fer_usage *u, entry *e)
{
    for (size_t i = 0; i < e->word_count; i++) u->holders[e->words[i]]--;
    u->count--;
    u->rare_for = SIZE_MAX;
    memset(e, 0, sizeof *e);
}

static entry *entry_of(fer_usage *u, const asked *q)
{
    for (size_t i = 0; i < u->cap; i++)
        if (u->entries[i].tool_count && u->entries[i].hash == q->hash) return &u->entries[i];
    return NULL;
}

static entry *new_entry(fer_usage *u, const asked *q)
{
    size_t at = u->next;
    entry *e = &u->entries[at];
    u->next = (at + 1) % u->cap;
    if (e->tool_count) release(u, e);
    *e = (entry){.hash = q->hash, .word_count = (uint8_t)q->count};
    for (size_t i = 0; i < q->count; i++) u->holders[e->words[i] = q->words[i]]++;
    if (u->dims && q->vector) memcpy(u->vectors + at * u->dims, q->vector, u->dims);
    else memset(u->vectors + at * u->dims, 0, u->dims);
    u->count++;
    u->rare_for = SIZE_MAX;
    return e;
}

/* The entry that was made last: one request may lead to several tools, and is no witness for
 * itself.
 */
static uint32_t newest(const fer_usage *u)
{
    return (uint32_t)(u->next ? u->next : u->cap) - 1;
}

void fer_usage_note(fer_usage *u, fer_tokeniser *t, const fer_usage_query *query,
                    const fer_usage_found *found, size_t count, uint32_t number)
{
    asked q;
    fer_votes v;
    contest c;
    assert(count <= FER_USAGE_FOUND);
    ask(&q, t, query);
    if (!q.count) return; /* nothing could be like it */
    entry *e = entry_of(u, &q);
    vote(u, &q, e == &u->entries[newest(u)] ? newest(u) : NOBODY, &v);
    bring_together(&c, &v, found, count, number);
    judge(u, &c);
    if (!e) e = new_entry(u, &q);
    for (size_t i = 0; i < e->tool_count; i++)
        if (e->tools[i] == number) return;
    if (e->tool_count < FER_USAGE_TOOLS) e->tools[e->tool_count++] = number;
}

void fer_usage_forget(fer_usage *u, uint32_t number)
{
    for (size_t i = 0; i < u->cap; i++) {
        entry *e = &u->entries[i];
        size_t kept = 0;
        if (!e->tool_count) continue;
        for (size_t k = 0; k < e->tool_count; k++)
            if (e->tools[k] != number) e->tools[kept++] = e->tools[k];
        if (kept) e->tool_count = (uint8_t)kept;
        else release(u, e);
    }
}
