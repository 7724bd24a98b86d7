/* SPDX-License-Identifier: Apache-2.0 */
#include "vectors.h"

#include "checked.h"
#include "errors.h"
#include "sum_kernels.h"
#include "sys.h"
#include "vector_kernels.h"

enum {
    BLOCK = 512,
    FIRST_CAP = 64,
    MANY = 4096,
    LOT = 32,          /* candidates that are compared at once */
    SAMPLED_OF = 64,   /* blocks of sketches, one of which is looked at for a guess ... */
    SAMPLE_LEAST = 16, /* ... and so many at least */
    LIST = 4 * FER_VECTORS_CANDIDATES_MAX, /* candidates before the cut is lowered */
    COSTS = 512,                           /* that are told apart */
    FEW = 4096,                            /* sketches that are all looked at together */
    FEW_HITS = 32                          /* that are put in order by counting */
};

static_assert(BLOCK % FER_SKETCH_BLOCK == 0, "blocks of sketches are looked at whole");

struct fer_vectors {
    size_t dims;
    int8_t *rows;
    uint8_t *sketches;
    uint8_t *there; /* by number: 1, or 0 and the row is zero */
    size_t cap, end, count;
};

fer_vectors *fer_vectors_new(size_t dims)
{
    assert(dims && dims % 32 == 0 && dims <= FER_EMBED_DIMS);
    fer_vectors *v = fer_sys_malloc(sizeof *v);
    if (v) *v = (fer_vectors){.dims = dims};
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
    return sizeof *v + v->cap * (v->dims + 1) + fer_sketch_bytes(v->cap, v->dims);
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
    uint8_t *sketches =
        moved(v->sketches, fer_sketch_bytes(v->end, v->dims), fer_sketch_bytes(cap, v->dims));
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

/* Twice as many, or an eighth more where they are many: rows that nobody fills are memory too. A
 * multiple of FER_SKETCH_BLOCK. */
static size_t next_cap(size_t cap)
{
    if (cap < MANY) return cap ? 2 * cap : FIRST_CAP;
    return cap + cap / 8 / FER_SKETCH_BLOCK * FER_SKETCH_BLOCK;
}

fer_code fer_vectors_put(fer_vectors *v, uint32_t number, const int8_t *vector, fer_err *err)
{
    size_t cap = v->cap;
    if (number >= FER_VECTORS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "vector %u of at most %u", number,
                        FER_VECTORS_MAX);
    while (cap <= number) cap = next_cap(cap);
    if (cap > v->cap && !grow(v, cap)) return fer_fail(err, FER_OUT_OF_MEMORY, "no memory");
    int8_t *row = v->rows + number * v->dims;
    for (size_t i = 0; i < v->dims; i++) row[i] = vector[i] == INT8_MIN ? -INT8_MAX : vector[i];
    fer_sketch_put(v->sketches, number, row, v->dims);
    v->count += !v->there[number];
    v->there[number] = 1;
    if (number >= v->end) v->end = (size_t)number + 1;
    return FER_OK;
}

bool fer_vectors_remove(fer_vectors *v, uint32_t number)
{
    if (!fer_vectors_get(v, number)) return false;
    memset(v->rows + number * v->dims, 0, v->dims);
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
    s->run->products(s->query->vectors, NULL, s->query->asked, s->v->rows + number * s->v->dims,
                     s->v->dims, products);
    for (size_t q = 0; q < s->query->asked; q++)
        if (products[q] > largest) largest = products[q];
    return largest;
}

/* The same for `count` rows, one behind the other or of these numbers. */
static void best_products(const scan *s, const int8_t *rows, const uint32_t *numbers, size_t count,
                          int32_t *out)
{
    const size_t dims = s->v->dims;
    int32_t more[BLOCK];
    s->run->products(rows, numbers, count, s->query->vectors, dims, out);
    for (size_t q = 1; q < s->query->asked; q++) {
        s->run->products(rows, numbers, count, s->query->vectors + q * dims, dims, more);
        for (size_t i = 0; i < count; i++) out[i] = more[i] > out[i] ? more[i] : out[i];
    }
}

static void scan_flat(scan *s)
{
    int32_t products[BLOCK];
    for (size_t at = 0; at < s->v->end; at += BLOCK) {
        size_t count = s->v->end - at < BLOCK ? s->v->end - at : BLOCK;
        best_products(s, s->v->rows + at * s->v->dims, NULL, count, products);
        int32_t bar = best_bar(&s->best);
        for (size_t i = 0; i < count; i++) {
            if (products[i] <= bar || !accepted(s, (uint32_t)(at + i))) continue;
            best_add(&s->best, (fer_near){(uint32_t)(at + i), products[i]});
            bar = best_bar(&s->best);
        }
    }
    best_sort(&s->best);
}

/*
 * Candidates are those whose sketches cost the query at most `cut`: at first 7 of 16 of what all
 * bits together would, beyond which nothing is near. The cut only falls: whenever the list is full,
 * to the least that leaves as many as are wanted. Of those at the cut itself the first by number
 * are kept where they alone would fill the list, and no more are taken.
 */
typedef struct candidate {
    uint32_t number;
    uint16_t cost; /* without its `shift` lowest bits, as the cut */
} candidate;

typedef struct candidates {
    candidate list[LIST];
    size_t count, wanted;
    unsigned shift; /* so that no cost is above COSTS */
    int cut;
} candidates;

static int wanted_cut(const candidates *c, size_t *at_cut)
{
    uint16_t by_cost[COSTS] = {0};
    size_t sum = 0;
    int cut = 0;
    for (size_t i = 0; i < c->count; i++) by_cost[c->list[i].cost]++;
    while (cut < COSTS - 1 && (sum += by_cost[cut]) < c->wanted) cut++;
    *at_cut = by_cost[cut];
    return cut;
}

static void lower_cut(candidates *c)
{
    size_t at_cut = 0, kept = 0, left = c->wanted;
    int cut = wanted_cut(c, &at_cut);
    bool many = at_cut > c->wanted;
    for (size_t i = 0; i < c->count; i++) {
        int cost = c->list[i].cost;
        if (cost > cut || (cost == cut && many && !left)) continue;
        left -= cost == cut && many;
        c->list[kept++] = c->list[i];
    }
    c->count = kept;
    if (c->cut > cut - many) c->cut = cut - many;
}

/* The sketches within the cut among those of so many blocks from a number on, which may be hits. */
static size_t look_at(const scan *s, const fer_sketch_query *asked, const candidates *c, size_t at,
                      size_t blocks, fer_sketch_hit *out)
{
    const fer_vectors *v = s->v;
    unsigned most = (((unsigned)c->cut + 1) << c->shift) - 1;
    size_t found =
        s->run->within(v->sketches + fer_sketch_bytes(at, v->dims), blocks, asked, most, out);
    size_t kept = 0;
    for (size_t i = 0; i < found; i++) {
        uint32_t number = (uint32_t)(at + out[i].place);
        out[kept] = out[i];
        kept += v->there[number] && accepted(s, number);
    }
    return kept;
}

static void gather(const scan *s, const fer_sketch_query *asked, candidates *c)
{
    const size_t end = s->v->end;
    fer_sketch_hit hits[BLOCK];
    for (size_t at = 0; at < end && c->cut >= 0; at += BLOCK) {
        size_t count = end - at < BLOCK ? end - at : BLOCK;
        size_t blocks = (count + FER_SKETCH_BLOCK - 1) / FER_SKETCH_BLOCK;
        size_t found = look_at(s, asked, c, at, blocks, hits);
        if (c->count + found > 2 * c->wanted + BLOCK) lower_cut(c);
        for (size_t i = 0; i < found; i++)
            c->list[c->count++] =
                (candidate){(uint32_t)(at + hits[i].place), (uint16_t)(hits[i].cost >> c->shift)};
    }
    lower_cut(c);
}

/*
 * A cut that leaves about twice as many as are wanted, and some more, guessed from blocks here and
 * there: without it most of the first are taken and thrown away again. The loose one where there
 * are too few to guess from.
 */
static int hoped_cut(const scan *s, const fer_sketch_query *asked, const candidates *c)
{
    fer_sketch_hit hits[FER_SKETCH_BLOCK];
    uint32_t by_cost[COSTS] = {0};
    size_t blocks = s->v->end / FER_SKETCH_BLOCK, sample = blocks / SAMPLED_OF;
    if (sample < SAMPLE_LEAST) sample = SAMPLE_LEAST;
    if (blocks / SAMPLE_LEAST < SAMPLE_LEAST) return c->cut;
    for (size_t i = 0; i < sample; i++) {
        size_t at = i * (blocks / sample) * FER_SKETCH_BLOCK;
        size_t found = look_at(s, asked, c, at, 1, hits);
        for (size_t k = 0; k < found; k++) by_cost[hits[k].cost >> c->shift]++;
    }
    size_t place = 4 + 2 * c->wanted * sample / blocks, sum = by_cost[0];
    int cut = 0;
    while (cut < c->cut && sum < place) sum += by_cost[++cut];
    return cut;
}

/* Where the guess was wrong, all is looked at again: what comes out does not depend on it. */
static void gather_hopefully(const scan *s, const fer_sketch_query *asked, candidates *c)
{
    int loose = c->cut;
    c->cut = hoped_cut(s, asked, c);
    bool hoped = c->cut < loose;
    gather(s, asked, c);
    if (!hoped || c->count >= c->wanted) return;
    c->count = 0;
    c->cut = loose;
    gather(s, asked, c);
}

/* ---- few sketches ---- */

/* What each of few sketches leaves to the query, behind the last up to FER_SUMS_LOT zeros. */
struct few {
    _Alignas(FER_SUMS_ALIGN) uint16_t left[FEW];
    uint16_t places[FEW + FER_SUMS_STEP], values[FEW + FER_SUMS_STEP];
    const fer_sum_kernels *run;
    uint32_t size;
};

static uint16_t floor_of(const fer_sketch_query *asked, const candidates *c, int cut)
{
    return (uint16_t)(asked->far + 1 - (((unsigned)cut + 1) << c->shift));
}

static size_t count_within(const struct few *f, const fer_sketch_query *asked, const candidates *c,
                           int cut)
{
    return cut < 0 ? 0 : f->run->count(f->left, f->size, floor_of(asked, c, cut));
}

/*
 * Where all sketches are asked for and few, each is looked at once, and the cut found by halving.
 * False: so many are at the cut that not all of them stay, and nothing has happened.
 */
static bool gather_few(const scan *s, const fer_sketch_query *asked, candidates *c)
{
    const fer_vectors *v = s->v;
    struct few f; /* large, and written where it is read */
    size_t end = (v->end + FER_SUMS_LOT - 1) / FER_SUMS_LOT * FER_SUMS_LOT;
    int low = -1, high = c->cut;
    f.run = fer_sum_kernels_here();
    f.size = (uint32_t)v->end;
    s->run->left(v->sketches, (v->end + FER_SKETCH_BLOCK - 1) / FER_SKETCH_BLOCK, asked, f.left);
    memset(f.left + v->end, 0, (end - v->end) * sizeof f.left[0]);
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (count_within(&f, asked, c, middle) >= c->wanted) high = middle;
        else low = middle;
    }
    if (count_within(&f, asked, c, high) - count_within(&f, asked, c, high - 1) > c->wanted)
        return false;
    c->count = f.run->take(f.left, f.size, floor_of(asked, c, high), f.places, f.values);
    for (size_t i = 0; i < c->count; i++) c->list[i].number = f.places[i];
    return true;
}

/* Costs that the sums of a sweep can hold, and nobody who may not be a hit. */
static bool are_few(const scan *s, const fer_sketch_query *asked)
{
    return s->v->end <= FEW && s->v->count == s->v->end && !s->query->accept &&
           asked->far < INT16_MAX;
}

static size_t wanted_of(const scan *s)
{
    size_t wanted = s->v->end / FER_VECTORS_ONE_OF;
    if (wanted < FER_VECTORS_CANDIDATES) wanted = FER_VECTORS_CANDIDATES;
    if (wanted > FER_VECTORS_CANDIDATES_MANY) wanted = FER_VECTORS_CANDIDATES_MANY;
    if (wanted < 2 * s->best.limit) wanted = 2 * s->best.limit;
    return wanted < FER_VECTORS_CANDIDATES_MAX ? wanted : FER_VECTORS_CANDIDATES_MAX;
}

/* The numbers of up to LOT candidates. Their rows lie anywhere, and are asked for before others are
 * compared. */
static size_t take_lot(const fer_vectors *v, const candidates *c, size_t from, uint32_t *out)
{
    size_t count = c->count - from < LOT ? c->count - from : LOT;
    for (size_t i = 0; i < count; i++) {
        out[i] = c->list[from + i].number;
        const int8_t *row = v->rows + out[i] * v->dims;
        for (size_t at = 0; at < v->dims; at += 64) __builtin_prefetch(row + at);
    }
    return count;
}

/* ---- the best of many ---- */

/* Numbers in ascending order, and their products. */
struct compared {
    uint32_t numbers[LIST];
    int32_t products[LIST];
    size_t count;
};

/* Loops that compilers make wide. */
static size_t count_from(const struct compared *c, int32_t least)
{
    uint32_t count = 0;
    for (size_t i = 0; i < c->count; i++) count += c->products[i] >= least;
    return count;
}

/* The highest product that `limit` have at least; 1 where there are not so many. */
static int32_t least_of_best(const struct compared *c, size_t limit)
{
    int32_t low = 1, high = 1;
    for (size_t i = 0; i < c->count; i++) high = c->products[i] >= high ? c->products[i] + 1 : high;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        size_t count = count_from(c, middle);
        if (count >= limit) low = middle;
        else high = middle;
        if (count == limit) break;
    }
    return low;
}

/* The best to the front, in the order of their numbers; of equal ones the first. How many. */
static size_t keep_best(struct compared *c, size_t limit)
{
    int32_t least = least_of_best(c, limit);
    size_t above = count_from(c, least + 1), ties = limit > above ? limit - above : 0, kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        int32_t product = c->products[i];
        bool tied = (product == least) & (ties > 0), in = (product > least) | tied;
        c->numbers[kept] = c->numbers[i];
        c->products[kept] = product;
        ties -= tied;
        kept += in;
    }
    return kept;
}

/* Each is put behind as many as are better. Products are below 2^26. */
static void order_best(best *b, const struct compared *c, size_t count)
{
    static_assert((int64_t)FER_EMBED_DIMS * INT8_MAX * INT8_MAX < INT64_C(1) << 26 &&
                      FEW_HITS == 32,
                  "a product and a place fit into a number");
    int32_t keys[FEW_HITS];
    for (size_t i = 0; i < count; i++) keys[i] = c->products[i] * FEW_HITS + (int32_t)(31 - i);
    for (size_t i = 0; i < count; i++) {
        uint32_t place = 0;
        for (size_t k = 0; k < count; k++) place += keys[k] > keys[i];
        b->list[place] = (fer_near){c->numbers[i], c->products[i]};
    }
    b->count = count;
}

static void compare_all(scan *s, const candidates *c)
{
    struct compared all;
    all.count = c->count;
    size_t count = take_lot(s->v, c, 0, all.numbers), more;
    for (size_t at = 0; count; at += count, count = more) {
        more = take_lot(s->v, c, at + count, all.numbers + at + count);
        best_products(s, s->v->rows, all.numbers + at, count, all.products + at);
    }
    if (s->best.limit <= FEW_HITS) {
        order_best(&s->best, &all, keep_best(&all, s->best.limit));
        return;
    }
    for (size_t i = 0; i < all.count; i++)
        if (all.products[i] > best_bar(&s->best))
            best_add(&s->best, (fer_near){all.numbers[i], all.products[i]});
    best_sort(&s->best);
}

static void scan_sketches(scan *s)
{
    fer_sketch_query asked;
    candidates c;
    fer_sketch_ask(&asked, s->query->vectors, s->v->dims);
    c.count = 0;
    c.wanted = wanted_of(s);
    c.shift = 0;
    while (asked.far >> c.shift >= COSTS) c.shift++;
    c.cut = (int)((asked.far * 7 / 16) >> c.shift);
    if (!are_few(s, &asked) || !gather_few(s, &asked, &c)) gather_hopefully(s, &asked, &c);
    compare_all(s, &c);
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
    *out = (fer_near_hits){s.best.list, s.best.count};
    return FER_OK;
}

int32_t fer_vectors_product(const fer_vectors *v, const fer_near_query *query, uint32_t number)
{
    scan s = {.v = v, .query = query, .run = fer_vector_kernels_here()};
    const int8_t *row = fer_vectors_get(v, number);
    return row && query->asked ? nearest_product(&s, number) : 0;
}
