/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors: loops that agree bit for bit, and the nearest found with sketches and without. */
#include "vectors.h"

#include <stdlib.h>

#include "rows.h"
#include "vector_kernels.h"

static uint32_t state = 12345;

static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void random_vector(int8_t *out, size_t dims)
{
    int32_t from[FER_EMBED_DIMS];
    for (size_t i = 0; i < dims; i++) from[i] = (int32_t)(next() % 2001) - 1000;
    fer_embed_unit(from, dims, out);
}

/* ---- every row of kernels gives the numbers of the last, which is plain C ---- */

static const struct sizes {
    const char *name;
    size_t dims, count;
    int fill, ask; /* all bytes of the rows, of the query; 0: random */
    int most;      /* of the query's bytes; 0: 127 */
} sizes[] = {
    {"32", 32, 37, 0, 0, 0},
    {"64", 64, 1, 0, 0, 0},
    {"96", 96, 9, 0, 0, 0},
    {"128", 128, 513, 0, 0, 0},
    {"512", 512, 33, 0, 0, 0},
    {"4096", 4096, 33, 0, 0, 0},
    {"largest 4096", 4096, 9, 127, -127, 0},
    {"none", 128, 0, 0, 0, 0},
    {"largest", 128, 9, 127, -127, 0},
    {"smallest", 128, 9, -127, 127, 0},
    {"largest 512", 512, 3, 127, -127, 0},
    {"sums of 16 bits", 128, 511, 0, 0, 64},
    {"the largest sums of 16 bits", 128, 9, -127, 64, 0},
    {"one beyond them", 128, 9, -127, 65, 0},
};

/* Hits, and nothing behind them. */
static size_t find_within(const fer_vector_kernels *run, const uint8_t *sketches, size_t blocks,
                          const fer_sketch_query *asked, fer_sketch_hit *out)
{
    size_t found = run->within(sketches, blocks, asked, asked->far / 2, out);
    memset(out + found, 0, (600 - found) * sizeof *out);
    return found;
}

/* Of numbers of 32 bits, and of shorter ones. */
static void units_agree(const fer_vector_kernels *plain, const fer_vector_kernels *run, size_t dims,
                        unsigned shift)
{
    int32_t from[FER_EMBED_DIMS];
    int8_t want[FER_EMBED_DIMS], got[FER_EMBED_DIMS];
    for (size_t i = 0; i < dims; i++)
        from[i] = i ? (int32_t)(next() << 16 ^ next()) >> shift : INT32_MIN >> shift;
    plain->unit(from, dims, want);
    run->unit(from, dims, got);
    assert_memory_equal(got, want, dims);
}

static void agree(const struct sizes *s)
{
    const fer_vector_kernels *plain = &fer_vector_kernel_rows[fer_vector_kernel_count - 1];
    size_t blocks = (s->count + FER_SKETCH_BLOCK - 1) / FER_SKETCH_BLOCK;
    int most = s->most ? s->most : 127;
    int8_t *rows = malloc(s->dims * s->count + 1), query[FER_EMBED_DIMS];
    uint8_t *sketches = calloc(fer_sketch_bytes(s->count, s->dims) + 1, 1);
    static fer_sketch_query asked;
    for (size_t i = 0; i < s->dims * s->count; i++)
        rows[i] = (int8_t)(s->fill ? s->fill : (int)(next() % 255) - 127);
    for (size_t i = 0; i < s->dims; i++)
        query[i] = (int8_t)(s->ask ? s->ask : (int)(next() % (unsigned)(2 * most + 1)) - most);
    for (size_t i = 0; i < s->count; i++) fer_sketch_put(sketches, i, rows + i * s->dims, s->dims);
    fer_sketch_ask(&asked, query, s->dims);
    for (size_t k = 0; k < fer_vector_kernel_count; k++) {
        const fer_vector_kernels *run = &fer_vector_kernel_rows[k];
        int32_t want[600] = {0}, got[600] = {0};
        uint32_t numbers[600];
        fer_sketch_hit near[600], got_near[600];
        if (!run->runs_here()) continue;
        plain->products(rows, NULL, s->count, query, s->dims, want);
        run->products(rows, NULL, s->count, query, s->dims, got);
        assert_memory_equal(got, want, sizeof want);
        for (uint32_t i = 0; i < s->count; i++) numbers[i] = (uint32_t)s->count - 1 - i;
        run->products(rows, numbers, s->count, query, s->dims, got);
        for (size_t i = 0; i < s->count; i++) assert_int_equal(got[i], want[numbers[i]]);
        if (s->count) {
            int32_t sum[2][FER_EMBED_DIMS] = {0};
            plain->add(sum[0], rows, -60000, s->dims);
            run->add(sum[1], rows, -60000, s->dims);
            assert_memory_equal(sum[1], sum[0], sizeof sum[0]);
        }
        for (unsigned shift = 0; shift < 32; shift += 7) units_agree(plain, run, s->dims, shift);
        size_t found = find_within(plain, sketches, blocks, &asked, near);
        assert_true(found <= blocks * FER_SKETCH_BLOCK && (found || s->count < 30));
        assert_int_equal(find_within(run, sketches, blocks, &asked, got_near), found);
        assert_memory_equal(got_near, near, sizeof near);
        uint16_t left[608] = {0}, got_left[608] = {0};
        plain->left(sketches, blocks, &asked, left);
        run->left(sketches, blocks, &asked, got_left);
        assert_memory_equal(got_left, left, sizeof left);
        for (size_t i = 0; i < found; i++)
            assert_int_equal(left[near[i].place], asked.far - near[i].cost);
    }
    free(rows);
    free(sketches);
}

/* ---- searching ---- */

static fer_vectors *filled(size_t count)
{
    fer_vectors *v = fer_vectors_new(128);
    int8_t row[128];
    assert_non_null(v);
    for (uint32_t i = 0; i < count; i++) {
        random_vector(row, 128);
        assert_int_equal(fer_vectors_put(v, i, row, NULL), FER_OK);
    }
    return v;
}

static bool even(void *context, uint32_t number)
{
    (void)context;
    return number % 2 == 0;
}

static bool is_before(fer_near a, fer_near b)
{
    return a.product != b.product ? a.product > b.product : a.number < b.number;
}

static const struct search {
    const char *name;
    size_t count, asked, limit, flat;
    bool even;
} searches[] = {
    {"few", 10, 1, 5, 0, false},           {"all", 10, 1, 1000, 0, false},
    {"none there", 0, 1, 10, 0, false},    {"none wanted", 10, 1, 0, 0, false},
    {"nothing asked", 10, 0, 5, 0, false}, {"blocks", 1500, 1, 10, 1500, false},
    {"several", 1500, 4, 10, 1500, false}, {"filtered", 1500, 2, 50, 1500, true},
    {"sketches", 1500, 1, 10, 1, false},   {"sketches of several", 1500, 3, 10, 1, true},
};

/* Where sketches are first, what is found is in order, and there is no more of it. */
static void search(const struct search *row)
{
    fer_arena *a = fer_arena_new(1 << 22);
    fer_vectors *v = filled(row->count);
    int8_t queries[4 * 128];
    for (size_t q = 0; q < row->asked; q++) random_vector(queries + q * 128, 128);
    const fer_near_query query = {
        queries, row->asked, row->limit, row->flat, row->even ? even : NULL, NULL};
    fer_near_hits hits = {0};
    assert_int_equal(fer_vectors_search(a, v, &query, &hits, NULL), FER_OK);
    size_t better = 0, fit = 0;
    for (size_t i = 0; i + 1 < hits.count; i++)
        assert_true(is_before(hits.list[i], hits.list[i + 1]));
    for (uint32_t i = 0; i < row->count; i++) {
        fer_near one = {i, fer_vectors_product(v, &query, i)};
        if (one.product <= 0 || (row->even && !even(NULL, i))) continue;
        fit++;
        better += hits.count && is_before(one, hits.list[hits.count - 1]);
    }
    size_t want = fit < row->limit ? fit : row->limit;
    if (row->flat && row->flat < row->count) {
        assert_true(hits.count && hits.count <= want && better + 1 >= hits.count);
    } else {
        assert_int_equal(hits.count, want);
        assert_int_equal(better, want ? want - 1 : 0);
    }
    fer_vectors_free(v);
    fer_arena_free(a);
}

/* A vector that is a row and half as much of something else: sketches lead to that row. */
static void sketches_lead(void)
{
    enum {
        ROWS = 20000
    };
    fer_arena *a = fer_arena_new(1 << 22);
    fer_vectors *v = filled(ROWS);
    for (uint32_t n = 0; n < ROWS; n += 199) {
        int8_t other[128], near[128];
        int32_t sum[128];
        fer_near_hits hits = {0};
        random_vector(other, 128);
        for (size_t i = 0; i < 128; i++) sum[i] = 2 * fer_vectors_get(v, n)[i] + other[i];
        fer_embed_unit(sum, 128, near);
        const fer_near_query query = {near, 1, 10, 1, NULL, NULL};
        assert_int_equal(fer_vectors_search(a, v, &query, &hits, NULL), FER_OK);
        assert_int_equal(hits.list[0].number, n);
        fer_arena_reset(a);
    }
    fer_vectors_free(v);
    fer_arena_free(a);
}

/* The first block is all that is near, and looked at for a guess: there are others all the same. */
static void wrong_guess(void)
{
    enum {
        ROWS = 10000,
        WANTED = 50
    };
    fer_arena *a = fer_arena_new(1 << 22);
    fer_vectors *v = filled(ROWS);
    int8_t near[128];
    fer_near_hits hits = {0};
    random_vector(near, 128);
    for (uint32_t n = 0; n < FER_SKETCH_BLOCK; n++)
        assert_int_equal(fer_vectors_put(v, n, near, NULL), FER_OK);
    const fer_near_query query = {near, 1, WANTED, 1, NULL, NULL};
    assert_int_equal(fer_vectors_search(a, v, &query, &hits, NULL), FER_OK);
    assert_int_equal(hits.count, WANTED);
    assert_int_equal(hits.list[FER_SKETCH_BLOCK - 1].number, FER_SKETCH_BLOCK - 1);
    assert_true(hits.list[FER_SKETCH_BLOCK].product < hits.list[0].product);
    fer_vectors_free(v);
    fer_arena_free(a);
}

/* Far more alike than there may be candidates: the first by number stand for them. */
static void all_alike(void)
{
    fer_arena *a = fer_arena_new(1 << 22);
    fer_vectors *v = fer_vectors_new(128);
    int8_t row[128], near[128];
    fer_near_hits hits = {0};
    random_vector(row, 128);
    random_vector(near, 128);
    for (uint32_t i = 0; i < 5 * FER_VECTORS_CANDIDATES_MAX; i++)
        assert_int_equal(fer_vectors_put(v, i, row, NULL), FER_OK);
    assert_int_equal(fer_vectors_put(v, 5 * FER_VECTORS_CANDIDATES_MAX, near, NULL), FER_OK);
    for (int mixed = 0; mixed < 2; mixed++) {
        const fer_near_query query = {mixed ? near : row, 1, 10, 1, NULL, NULL};
        assert_int_equal(fer_vectors_search(a, v, &query, &hits, NULL), FER_OK);
        assert_int_equal(hits.list[0].number, mixed ? 5 * FER_VECTORS_CANDIDATES_MAX : 0);
        if (!mixed) assert_int_equal(hits.count, 10);
        if (!mixed) assert_int_equal(hits.list[9].number, 9);
    }
    fer_vectors_free(v);
    fer_arena_free(a);
}

static bool anybody(void *context, uint32_t number)
{
    (void)context, (void)number;
    return true;
}

/* Few sketches are looked at together where all may be hits, else one block after the other: the
 * same comes out. Vectors of few kinds have equal costs and products. */
static void few_are_found_alike(void)
{
    static const size_t counts[] = {513, 1000, 2047, 4096, 4097};
    static const size_t limits[] = {1, 10, 24, 32, 33, 200};
    for (size_t i = 0; i < 2 * FER_COUNT(counts); i++) {
        fer_arena *a = fer_arena_new(0);
        fer_vectors *v = fer_vectors_new(128);
        int8_t rows[40][128], asked[2][128];
        for (size_t k = 0; k < 40; k++) random_vector(rows[k], 128);
        for (uint32_t n = 0; n < counts[i / 2]; n++) {
            if (i % 2) random_vector(rows[0], 128);
            assert_int_equal(fer_vectors_put(v, n, rows[i % 2 ? 0 : next() % 40 % (i + 2)], NULL),
                             FER_OK);
        }
        for (size_t k = 0; k < FER_COUNT(limits) * 5; k++) {
            fer_near_hits few, many, more;
            fer_near_query q = {.vectors = asked[0], .asked = 1 + k % 2};
            q.limit = limits[k % FER_COUNT(limits)];
            random_vector(asked[0], 128);
            random_vector(asked[1], 128);
            assert_int_equal(fer_vectors_search(a, v, &q, &few, NULL), FER_OK);
            q.accept = anybody;
            assert_int_equal(fer_vectors_search(a, v, &q, &many, NULL), FER_OK);
            assert_int_equal(few.count, many.count);
            q.limit = q.limit < 33 ? 33 : q.limit; /* put in order another way, same candidates */
            assert_int_equal(fer_vectors_search(a, v, &q, &more, NULL), FER_OK);
            assert_true(more.count >= few.count);
            if (few.count) assert_memory_equal(more.list, few.list, few.count * sizeof *few.list);
            for (size_t h = 0; h < few.count; h++) {
                assert_int_equal(few.list[h].number, many.list[h].number);
                assert_int_equal(few.list[h].product, many.list[h].product);
                assert_true(!h || few.list[h - 1].product > few.list[h].product ||
                            (few.list[h - 1].product == few.list[h].product &&
                             few.list[h - 1].number < few.list[h].number));
            }
        }
        fer_vectors_free(v);
        fer_arena_free(a);
    }
}

static void put_and_remove(void)
{
    fer_arena *a = fer_arena_new(1 << 20);
    fer_vectors *v = filled(100);
    int8_t row[128];
    fer_near_hits hits = {0};
    random_vector(row, 128);
    row[5] = INT8_MIN; /* is taken as -127 */
    assert_int_equal(fer_vectors_put(v, 1000, row, NULL), FER_OK);
    assert_int_equal(fer_vectors_count(v), 101);
    assert_int_equal(fer_vectors_get(v, 1000)[5], -127);
    assert_null(fer_vectors_get(v, 500));
    row[5] = -127;
    const fer_near_query query = {row, 1, 1, 0, NULL, NULL};
    assert_int_equal(fer_vectors_search(a, v, &query, &hits, NULL), FER_OK);
    assert_int_equal(hits.list[0].number, 1000);
    assert_true(fer_vectors_remove(v, 1000));
    assert_false(fer_vectors_remove(v, 1000));
    assert_false(fer_vectors_remove(v, 500));
    assert_false(fer_vectors_remove(v, UINT32_MAX));
    assert_int_equal(fer_vectors_search(a, v, &query, &hits, NULL), FER_OK);
    assert_int_not_equal(hits.list[0].number, 1000);
    assert_int_equal(fer_vectors_count(v), 100);
    assert_int_equal(fer_vectors_put(v, FER_VECTORS_MAX, row, NULL), FER_LIMIT_EXCEEDED);
    assert_true(fer_vectors_bytes(v) >= 1000 * 145);
    fer_vectors_free(v);
    fer_arena_free(a);
}

static fer_code put_some(fer_arena *a, const void *unused)
{
    (void)a, (void)unused;
    int8_t row[32] = {1};
    fer_vectors *v = fer_vectors_new(32);
    if (!v) return FER_OUT_OF_MEMORY;
    fer_code code = FER_OK;
    for (uint32_t i = 0; !code && i < 100; i++) {
        code = fer_vectors_put(v, i, row, NULL);
        assert_int_equal(fer_vectors_count(v), code ? i : i + 1); /* nothing has changed */
    }
    fer_vectors_free(v);
    return code;
}

static fer_code search_some(fer_arena *a, const void *unused)
{
    (void)unused;
    int8_t row[128];
    fer_vectors *v = filled(100);
    fer_near_hits hits = {0};
    random_vector(row, 128);
    const fer_near_query query = {row, 1, 5, 1, NULL, NULL};
    fer_code code = fer_vectors_search(a, v, &query, &hits, NULL);
    assert_int_equal(hits.count != 0, !code);
    fer_vectors_free(v);
    return code;
}

static void no_memory(void)
{
    assert_true(rows_torture_malloc(put_some, NULL) > 3);
    assert_true(rows_torture_arena(search_some, NULL) > 0);
    fer_vectors_free(NULL);
}

int main(void)
{
    return ROWS_RUN("vectors", sizes, agree) + ROWS_RUN("vectors", searches, search) +
           ROWS_ONE("vectors", sketches_lead) + ROWS_ONE("vectors", wrong_guess) +
           ROWS_ONE("vectors", all_alike) + ROWS_ONE("vectors", few_are_found_alike) +
           ROWS_ONE("vectors", put_and_remove) + ROWS_ONE("vectors", no_memory);
}
