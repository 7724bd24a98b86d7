/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step: every query of the batch should be nearer to its own tool than to those of all other
 * pairs, and every tool to its own query (InfoNCE in both directions). Adagrad on the vectors of
 * the words that took part.
 *
 * The inner loops run over independent elements only, so wider registers do not change a bit.
 */
#include <math.h>

#include "errors.h"
#include "train.h"

#define D ((size_t)TRAIN_DIMS)

/* exp for -80 <= x <= 0 by powers of two and a polynomial, to 2e-7 of its value. */
static inline float exp_of(float x)
{
    float rounded = x * 1.44269504f + 12582912.0f; /* 1.5 * 2^23: the fraction falls off */
    float whole = rounded - 12582912.0f;
    float r = x - whole * 0.693359375f - whole * -2.12194440e-4f;
    float p =
        1 + r * (1 + r * (0.5f + r * (0.16666667f +
                                      r * (0.041666668f + r * (0.0083333f + r * 0.00138888f)))));
    union {
        float f;
        int32_t i;
    } scale = {.i = ((int32_t)whole + 127) * (1 << 23)};
    return p * scale.f;
}

/* ln for x >= 1, for weights of words: not quick. */
static float ln_of(float x)
{
    float whole = 0;
    while (x >= 2) {
        x *= 0.5f;
        whole += 1;
    }
    float z = (x - 1) / (x + 1), z2 = z * z;
    return whole * 0.69314718f +
           2 * z * (1 + z2 * (0.33333333f + z2 * (0.2f + z2 * (0.14285714f + z2 * 0.11111111f))));
}

#define KERNEL __attribute__((always_inline)) static inline

/* near[i][j] = query i . about j, for four i at a time; `turned` is `about` by columns. */
KERNEL void products(const train_vectors *v, size_t n)
{
    for (size_t i = 0; i < n; i += 4) {
        float *restrict s = v->near + i * n;
        memset(s, 0, 4 * n * sizeof *s);
        for (size_t k = 0; k < D; k++) {
            const float *restrict t = v->turned + k * n;
            const float *q = v->query + i * D + k;
            float a = q[0], b = q[D], c = q[2 * D], d = q[3 * D];
            for (size_t j = 0; j < n; j++) {
                s[j] += a * t[j];
                s[n + j] += b * t[j];
                s[2 * n + j] += c * t[j];
                s[3 * n + j] += d * t[j];
            }
        }
    }
}

/* Nearness becomes exp((near - 1) / heat), the same for both directions. */
KERNEL void exponents(const train_vectors *v, size_t n, float heat)
{
    const float scale = 1 / heat;
    memset(v->down, 0, n * sizeof *v->down);
    for (size_t i = 0; i < n; i++) {
        float *restrict s = v->near + i * n;
        double *restrict down = v->down;
        for (size_t j = 0; j < n; j++) s[j] = exp_of((s[j] - 1) * scale);
        for (size_t j = 0; j < n; j++) down[j] += (double)s[j];
    }
}

/* Steps of both sides from the slopes that stand in `near`. */
KERNEL void gather(const train_vectors *v, size_t n)
{
    memset(v->query_step, 0, n * D * sizeof(float));
    memset(v->about_step, 0, n * D * sizeof(float));
    for (size_t i = 0; i < n; i += 4) {
        float *restrict qs = v->query_step + i * D;
        const float *restrict q = v->query + i * D;
        for (size_t j = 0; j < n; j++) {
            const float *g = v->near + i * n + j;
            const float *restrict p = v->about + j * D;
            float *restrict ps = v->about_step + j * D;
            float a = g[0], b = g[n], c = g[2 * n], d = g[3 * n];
            for (size_t k = 0; k < D; k++) {
                qs[k] += a * p[k];
                qs[D + k] += b * p[k];
                qs[2 * D + k] += c * p[k];
                qs[3 * D + k] += d * p[k];
                ps[k] += a * q[k] + b * q[D + k] + c * q[2 * D + k] + d * q[3 * D + k];
            }
        }
    }
}

typedef struct kernels {
    void (*products)(const train_vectors *v, size_t n);
    void (*exponents)(const train_vectors *v, size_t n, float heat);
    void (*gather)(const train_vectors *v, size_t n);
} kernels;

#define KERNELS(suffix, attribute)                                                                 \
    attribute static void products_##suffix(const train_vectors *v, size_t n)                      \
    {                                                                                              \
        products(v, n);                                                                            \
    }                                                                                              \
    attribute static void exponents_##suffix(const train_vectors *v, size_t n, float heat)         \
    {                                                                                              \
        exponents(v, n, heat);                                                                     \
    }                                                                                              \
    attribute static void gather_##suffix(const train_vectors *v, size_t n)                        \
    {                                                                                              \
        gather(v, n);                                                                              \
    }                                                                                              \
    static const kernels kernels_##suffix = {products_##suffix, exponents_##suffix, gather_##suffix}

KERNELS(plain, );
#if defined(__x86_64__)
KERNELS(avx2, __attribute__((target("avx2"))));
#endif

static const kernels *kernels_here(const train_options *o)
{
    (void)o;
#if defined(__x86_64__)
    if (!o->plain && __builtin_cpu_supports("avx2")) return &kernels_avx2;
#endif
    return &kernels_plain;
}

/* ---- bags ---- */

static void bag_vector(const train_vectors *v, train_bag *b, float *out)
{
    float squares = 1e-12f;
    memset(b->sum, 0, sizeof b->sum);
    for (uint32_t i = 0; i < b->count; i++) {
        const float *row = v->rows + (size_t)b->words[i].id * D;
        float w = b->words[i].weight;
        for (size_t k = 0; k < D; k++) b->sum[k] += w * row[k];
    }
    for (size_t k = 0; k < D; k++) squares += b->sum[k] * b->sum[k];
    b->length = sqrtf(squares);
    for (size_t k = 0; k < D; k++) out[k] = b->sum[k] / b->length;
}

/* The step of a unit vector goes back to the sum that it was made of, and on to the words. */
static void bag_step(const train_vectors *v, const train_bag *b, const float *unit,
                     const float *step, float rate)
{
    float along = 0, slope[D];
    for (size_t k = 0; k < D; k++) along += unit[k] * step[k];
    for (size_t k = 0; k < D; k++) slope[k] = (step[k] - along * unit[k]) / b->length;
    for (uint32_t i = 0; i < b->count; i++) {
        float *restrict row = v->rows + (size_t)b->words[i].id * D;
        float *restrict heat = v->heat + (size_t)b->words[i].id * D;
        float w = b->words[i].weight;
        for (size_t k = 0; k < D; k++) {
            float g = w * slope[k];
            heat[k] += g * g;
            row[k] -= rate * g / (sqrtf(heat[k]) + 1e-6f);
        }
    }
}

/* From exponents to slopes of the loss, which is returned. */
static double slopes(const train_vectors *v, size_t n, float heat)
{
    const float scale = 1 / (heat * 2 * (float)n);
    double loss = 0;
    for (size_t i = 0; i < n; i++) {
        float *restrict s = v->near + i * n;
        double across = 0;
        for (size_t j = 0; j < n; j++) across += (double)s[j];
        loss -= log((double)s[i] / across) + log((double)s[i] / v->down[i]);
        float part = (float)(1 / across);
        for (size_t j = 0; j < n; j++) s[j] = s[j] * (part + (float)(1 / v->down[j])) * scale;
        s[i] -= 2 * scale;
    }
    return loss / (2 * (double)n);
}

double train_step(train_vectors *v, const train_options *o, float rate, train_bag *query,
                  train_bag *about)
{
    const kernels *run = kernels_here(o);
    const size_t n = o->batch;
    for (size_t i = 0; i < n; i++) {
        bag_vector(v, &query[i], v->query + i * D);
        bag_vector(v, &about[i], v->about + i * D);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < D; k++) v->turned[k * n + j] = v->about[j * D + k];
    run->products(v, n);
    run->exponents(v, n, o->heat);
    double loss = slopes(v, n, o->heat);
    run->gather(v, n);
    for (size_t i = 0; i < n; i++) {
        bag_step(v, &query[i], v->query + i * D, v->query_step + i * D, rate);
        bag_step(v, &about[i], v->about + i * D, v->about_step + i * D, rate);
    }
    return loss;
}

/* ---- the start ---- */

static void *floats(fer_arena *a, size_t count, size_t of)
{
    return fer_arena_alloc_zero(a, count, of * sizeof(float));
}

/* Next to a direction that was given, to tell words apart that are alike elsewhere. */
#define RANDOM_PART 0.3f

/*
 * Directions that were given, or random ones, as long as the word is rare. The sum of four even
 * parts is near a bell.
 */
static void start_rows(train_vectors *v, const train_corpus *c, train_random *r)
{
    for (size_t w = 0; w < c->words; w++) {
        if (!c->tools[w]) continue;
        float rare = ln_of(1 + (float)c->count / (float)c->tools[w]) / 8;
        bool given = train_given_has(c, w);
        for (size_t k = 0; k < D; k++) {
            float bell = train_part(r) + train_part(r) + train_part(r) + train_part(r) - 2;
            float start = bell * 1.7320508f * 0.08838835f; /* sqrt 3, 1 / sqrt 128 */
            if (given) start *= RANDOM_PART;
            if (given && k < TRAIN_GIVEN) start += c->given[w * TRAIN_GIVEN + k];
            v->rows[w * D + k] = rare * start;
            v->heat[w * D + k] = 1e-5f;
        }
    }
}

fer_code train_vectors_init(train_vectors *v, const train_corpus *c, const train_options *o,
                            train_random *r, fer_err *err)
{
    *v = (train_vectors){.rows = floats(c->arena, c->words, D),
                         .heat = floats(c->arena, c->words, D),
                         .query = floats(c->arena, o->batch, D),
                         .about = floats(c->arena, o->batch, D),
                         .turned = floats(c->arena, o->batch, D),
                         .query_step = floats(c->arena, o->batch, D),
                         .about_step = floats(c->arena, o->batch, D),
                         .near = floats(c->arena, o->batch, o->batch),
                         .down = fer_arena_alloc_zero(c->arena, o->batch, sizeof(double))};
    if (!v->rows || !v->heat || !v->query || !v->about || !v->turned || !v->query_step ||
        !v->about_step || !v->near || !v->down)
        return fer_arena_failed(c->arena, err);
    start_rows(v, c, r);
    return FER_OK;
}
