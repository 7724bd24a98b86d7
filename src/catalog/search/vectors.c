/* SPDX-License-Identifier: Apache-2.0 */
#include "vectors.h"

#include "checked.h"
#include "errors.h"
#include "sys.h"
#include "vector_kernels.h"

enum {
    BLOCK = 512,
    FIRST_CAP = 64,
    SKETCH_WORDS = FER_EMBED_DIMS / 64,
    AHEAD = 8,
    LIST = 3 * FER_VECTORS_CANDIDATES_MAX /* candidates before the cut is lowered */
};

static_assert(LIST >= 2 * FER_VECTORS_CANDIDATES_MAX + BLOCK, "a lowered cut leaves room");

struct fer_vectors {
    size_t dims, words; /* words: of a sketch */
    int8_t *rows;
    uint64_t *sketches;
    uint8_t *there; /* by number: 1, or 0 and the row and sketch are zero */
    size_t cap, end, count;
};

fer_vectors *fer_vectors_new(size_t dims)
{
    assert(dims && dims % 32 == 0 && dims <= FER_EMBED_DIMS);
    fer_vectors *v = fer_sys_malloc(sizeof *v);
    if (v) *v = (fer_vectors){.dims = dims, .words = (dims + 63) / 64};
    return v;
}

void fer_vectors_free(fer_vectors *v)
{
    if (!v) return;
    fer_sys_free(v->rows);
    fer_sys_free(v->sketches);
    fer_sys_free(v->there);
    fer_sys_free(v);
}

size_t fer_vectors_count(const fer_vectors *v)
{
    return v->count;
}

size_t fer_vectors_bytes(const fer_vectors *v)
{
    return sizeof *v + v->cap * (v->dims + 8 * v->words + 1);
}

const int8_t *fer_vectors_get(const fer_vectors *v, uint32_t number)
{
    return number < v->end && v->there[number] ? v->rows + number * v->dims : NULL;
}

/* ---- putting ------------------------------------------------------------------- */

static void *moved(const void *old, size_t used, size_t size)
{
    char *p = fer_sys_malloc(size);
    if (!p) return NULL;
    if (used) memcpy(p, old, used);
    memset(p + used, 0, size - used);
    return p;
}

static bool grow(fer_vectors *v, size_t cap)
{
    int8_t *rows = moved(v->rows, v->end * v->dims, cap * v->dims);
    uint64_t *sketches = moved(v->sketches, v->end * v->words * 8, cap * v->words * 8);
    uint8_t *there = moved(v->there, v->end, cap);
    if (!rows || !sketches || !there) {
        fer_sys_free(rows);
        fer_sys_free(sketches);
        fer_sys_free(there);
        return false;
    }
    fer_sys_free(v->rows);
    fer_sys_free(v->sketches);
    fer_sys_free(v->there);
    v->rows = rows;
    v->sketches = sketches;
    v->there = there;
    v->cap = cap;
    return true;
}

/* Which of 16 bytes are above 0. */
#if defined(__SSE2__)
#include <emmintrin.h>
static inline unsigned signs(const int8_t *vector)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)vector);
    return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_setzero_si128()));
}
#else
static inline unsigned signs(const int8_t *vector)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 16; i++) bits |= (unsigned)(vector[i] > 0) << i;
    return bits;
}
#endif

static void sketch(const int8_t *vector, size_t dims, uint64_t *out)
{
    for (size_t i = 0; i < dims; i += 16) out[i / 64] |= (uint64_t)signs(vector + i) << i % 64;
}

fer_code fer_vectors_put(fer_vectors *v, uint32_t number, const int8_t *vector, fer_err *err)
{
    size_t cap = v->cap ? v->cap : FIRST_CAP;
    if (number >= FER_VECTORS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "vector %u of at most %u", number,
                        FER_VECTORS_MAX);
    while (cap <= number) cap *= 2;
    if (cap > v->cap && !grow(v, cap)) return fer_fail(err, FER_OUT_OF_MEMORY, "no memory");
    int8_t *row = v->rows + number * v->dims;
    for (size_t i = 0; i < v->dims; i++) row[i] = vector[i] == INT8_MIN ? -INT8_MAX : vector[i];
    memset(v->sketches + number * v->words, 0, 8 * v->words);
    sketch(row, v->dims, v->sketches + number * v->words);
    v->count += !v->there[number];
    v->there[number] = 1;
    if (number >= v->end) v->end = (size_t)number + 1;
    return FER_OK;
}

bool fer_vectors_remove(fer_vectors *v, uint32_t number)
{
    if (!fer_vectors_get(v, number)) return false;
    memset(v->rows + number * v->dims, 0, v->dims);
    memset(v->sketches + number * v->words, 0, 8 * v->words);
    v->there[number] = 0;
    v->count--;
    return true;
}

/* ---- the best so far: a heap with the worst on top --------------------------------- */

typedef struct best {
    fer_near *list;
    size_t count, limit;
} best;

static bool worse(fer_near a, fer_near b)
{
    return a.product != b.product ? a.product < b.product : a.number > b.number;
}

static void sift_down(best *b, fer_near held)
{
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < b->count; at = child) {
        if (child + 1 < b->count && worse(b->list[child + 1], b->list[child])) child++;
        if (!worse(b->list[child], held)) break;
        b->list[at] = b->list[child];
    }
    b->list[at] = held;
}

static void best_add(best *b, fer_near one)
{
    if (b->count == b->limit) {
        if (worse(b->list[0], one)) sift_down(b, one);
        return;
    }
    size_t at = b->count++;
    for (; at && worse(one, b->list[(at - 1) / 2]); at = (at - 1) / 2)
        b->list[at] = b->list[(at - 1) / 2];
    b->list[at] = one;
}

/* What a product must be above to be worth a look. */
static int32_t best_bar(const best *b)
{
    return b->count == b->limit ? b->list[0].product - 1 : 0;
}

static void best_sort(best *b)
{
    size_t all = b->count;
    while (b->count > 1) {
        fer_near worst = b->list[0], last = b->list[--b->count];
        sift_down(b, last);
        b->list[b->count] = worst;
    }
    b->count = all;
}

/* ---- comparing ---------------------------------------------------------------------- */

typedef struct scan {
    const fer_vectors *v;
    const fer_near_query *query;
    const fer_vector_kernels *run;
    best best;
} scan;

static bool accepted(const scan *s, uint32_t number)
{
    return !s->query->accept || s->query->accept(s->query->context, number);
}

/* The largest product of one row with any of the query's vectors: the row is asked of these. */
static int32_t nearest_product(const scan *s, uint32_t number)
{
    int32_t products[FER_VECTORS_ASKED_MAX], largest = INT32_MIN;
    s->run->products(s->query->vectors, s->query->asked, s->v->rows + number * s->v->dims,
                     s->v->dims, products);
    for (size_t q = 0; q < s->query->asked; q++)
        if (products[q] > largest) largest = products[q];
    return largest;
}

/* The same for `count` rows one behind the other. */
static void best_products(const scan *s, const int8_t *rows, size_t count, int32_t *out)
{
    const size_t dims = s->v->dims;
    int32_t more[BLOCK];
    s->run->products(rows, count, s->query->vectors, dims, out);
    for (size_t q = 1; q < s->query->asked; q++) {
        s->run->products(rows, count, s->query->vectors + q * dims, dims, more);
        for (size_t i = 0; i < count; i++) out[i] = more[i] > out[i] ? more[i] : out[i];
    }
}

static void scan_flat(scan *s)
{
    int32_t products[BLOCK];
    for (size_t at = 0; at < s->v->end; at += BLOCK) {
        size_t count = s->v->end - at < BLOCK ? s->v->end - at : BLOCK;
        best_products(s, s->v->rows + at * s->v->dims, count, products);
        int32_t bar = best_bar(&s->best);
        for (size_t i = 0; i < count; i++) {
            if (products[i] <= bar || !accepted(s, (uint32_t)(at + i))) continue;
            best_add(&s->best, (fer_near){(uint32_t)(at + i), products[i]});
            bar = best_bar(&s->best);
        }
    }
}

/*
 * Candidates are those that differ in at most `cut` bits: at first in 7 of 16, which is a cosine of
 * about 0.2, beyond which nothing is near. The cut only falls: whenever the list is
 * full, to the least that leaves as many as are wanted. Of those at the cut itself the first by
 * number are kept where they alone would fill the list, and no more are taken.
 */
typedef struct candidate {
    uint32_t number;
    uint16_t distance;
} candidate;

typedef struct candidates {
    candidate list[LIST];
    size_t count, wanted, dims;
    int cut;
} candidates;

static int wanted_cut(const candidates *c, size_t *at_cut)
{
    uint16_t by_distance[FER_EMBED_DIMS + 1];
    size_t sum = 0;
    int cut = 0;
    memset(by_distance, 0, (c->dims + 1) * sizeof *by_distance);
    for (size_t i = 0; i < c->count; i++) by_distance[c->list[i].distance]++;
    while ((size_t)cut < c->dims && (sum += by_distance[cut]) < c->wanted) cut++;
    *at_cut = by_distance[cut];
    return cut;
}

static void lower_cut(candidates *c)
{
    size_t at_cut = 0, kept = 0, left = c->wanted;
    int cut = wanted_cut(c, &at_cut);
    bool many = at_cut > c->wanted;
    for (size_t i = 0; i < c->count; i++) {
        int distance = c->list[i].distance;
        if (distance > cut || (distance == cut && many && !left)) continue;
        left -= distance == cut && many;
        c->list[kept++] = c->list[i];
    }
    c->count = kept;
    if (c->cut > cut - many) c->cut = cut - many;
}

static void gather(const scan *s, const uint64_t *asked, candidates *c)
{
    fer_sketch_hit hits[BLOCK];
    for (size_t at = 0; at < s->v->end && c->cut >= 0; at += BLOCK) {
        size_t count = s->v->end - at < BLOCK ? s->v->end - at : BLOCK;
        size_t found = s->run->within(s->v->sketches + at * s->v->words, count, asked, s->v->words,
                                      (unsigned)c->cut, hits);
        if (c->count + found > 2 * c->wanted + BLOCK) lower_cut(c);
        for (size_t i = 0; i < found; i++) {
            uint32_t number = (uint32_t)(at + hits[i].place);
            if (!s->v->there[number] || !accepted(s, number)) continue;
            c->list[c->count++] = (candidate){number, hits[i].distance};
        }
    }
    lower_cut(c);
}

static size_t wanted_of(const scan *s)
{
    size_t wanted = s->v->end / FER_VECTORS_ONE_OF;
    if (wanted < FER_VECTORS_CANDIDATES) wanted = FER_VECTORS_CANDIDATES;
    if (wanted < 2 * s->best.limit) wanted = 2 * s->best.limit;
    return wanted < FER_VECTORS_CANDIDATES_MAX ? wanted : FER_VECTORS_CANDIDATES_MAX;
}

/* Rows of candidates lie anywhere: they are asked for a few turns before they are looked at. */
static void fetch_row(const fer_vectors *v, uint32_t number)
{
    const int8_t *row = v->rows + number * v->dims;
    for (size_t at = 0; at < v->dims; at += 64) __builtin_prefetch(row + at);
}

static void scan_sketches(scan *s)
{
    uint64_t asked[SKETCH_WORDS] = {0};
    candidates c;
    c.count = 0;
    c.wanted = wanted_of(s);
    c.dims = s->v->dims;
    c.cut = (int)(s->v->dims * 7 / 16);
    sketch(s->query->vectors, s->v->dims, asked);
    gather(s, asked, &c);
    for (size_t i = 0; i < c.count; i++) {
        if (i + AHEAD < c.count) fetch_row(s->v, c.list[i + AHEAD].number);
        int32_t product = nearest_product(s, c.list[i].number);
        if (product > best_bar(&s->best)) best_add(&s->best, (fer_near){c.list[i].number, product});
    }
}

fer_code fer_vectors_search(fer_arena *a, const fer_vectors *v, const fer_near_query *query,
                            fer_near_hits *out, fer_err *err)
{
    assert(query->asked <= FER_VECTORS_ASKED_MAX && query->limit <= FER_VECTORS_HITS_MAX);
    scan s = {.v = v, .query = query, .run = fer_vector_kernels_here()};
    size_t flat = query->flat ? query->flat : FER_VECTORS_FLAT;
    s.best.limit = query->limit < v->end ? query->limit : v->end;
    s.best.list = fer_arena_alloc(a, (s.best.limit + 1) * sizeof *s.best.list);
    if (!s.best.list) return fer_arena_failed(a, err);
    if (query->asked && s.best.limit && v->end <= flat) scan_flat(&s);
    else if (query->asked && s.best.limit) scan_sketches(&s);
    best_sort(&s.best);
    *out = (fer_near_hits){s.best.list, s.best.count};
    return FER_OK;
}

int32_t fer_vectors_product(const fer_vectors *v, const fer_near_query *query, uint32_t number)
{
    scan s = {.v = v, .query = query, .run = fer_vector_kernels_here()};
    const int8_t *row = fer_vectors_get(v, number);
    return row && query->asked ? nearest_product(&s, number) : 0;
}
