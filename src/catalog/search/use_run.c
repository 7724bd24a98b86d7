/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transformer: two layers of attention and feed-forward over the pieces of one text, the mean
 * of what comes out, one more layer, and the unit vector of that. Rows are pieces.
 */
#include <math.h>

#include "use_model.h"

struct run {
    const fer_use_model *m;
    size_t rows;
    float *x;      /* what flows through */
    float *norm;   /* of it */
    float *qkv;    /* queries, keys and values; then the inside of the feed-forward layer */
    float *mixed;  /* values by attention */
    float *weight; /* of one row's attention */
};

/* y = x W + bias, W being `in` x `out`. */
static void multiply(const float *restrict x, size_t rows, size_t in, const float *restrict w,
                     const float *restrict bias, size_t out, float *restrict y)
{
    for (size_t r = 0; r < rows; r++) memcpy(y + r * out, bias, out * sizeof *y);
    for (size_t i = 0; i < in; i++) {
        for (size_t r = 0; r < rows; r++) {
            const float factor = x[r * in + i], *row = w + i * out;
            float *to = y + r * out;
            for (size_t o = 0; o < out; o++) to[o] += factor * row[o];
        }
    }
}

static void normalise(const struct run *r, const float *x, size_t width, const float *scale,
                      const float *bias)
{
    for (size_t row = 0; row < r->rows; row++) {
        const float *in = x + row * width;
        float *out = r->norm + row * width;
        double sum = 0, squares = 0;
        for (size_t i = 0; i < width; i++) sum += (double)in[i];
        double mean = sum / (double)width;
        for (size_t i = 0; i < width; i++)
            squares += ((double)in[i] - mean) * ((double)in[i] - mean);
        float factor = (float)(1 / sqrt(squares / (double)width + 1e-6));
        for (size_t i = 0; i < width; i++)
            out[i] = (in[i] - (float)mean) * factor * scale[i] + bias[i];
    }
}

/* How much each row is worth to one row, for one head. */
static void attend(const struct run *r, size_t width, size_t head, size_t row)
{
    const size_t part = width / FER_USE_HEADS;
    const float *query = r->qkv + row * 3 * width + head * part, scale = 1 / sqrtf((float)part);
    float most = -INFINITY, sum = 0;
    for (size_t other = 0; other < r->rows; other++) {
        const float *key = r->qkv + other * 3 * width + width + head * part;
        float dot = 0;
        for (size_t i = 0; i < part; i++) dot += query[i] * scale * key[i];
        r->weight[other] = dot;
        if (dot > most) most = dot;
    }
    for (size_t other = 0; other < r->rows; other++) {
        r->weight[other] = expf(r->weight[other] - most);
        sum += r->weight[other];
    }
    for (size_t other = 0; other < r->rows; other++) r->weight[other] /= sum;
}

static void mix(const struct run *r, size_t width, size_t head, size_t row)
{
    const size_t part = width / FER_USE_HEADS;
    float *to = r->mixed + row * width + head * part;
    memset(to, 0, part * sizeof *to);
    for (size_t other = 0; other < r->rows; other++) {
        const float *value = r->qkv + other * 3 * width + 2 * width + head * part;
        for (size_t i = 0; i < part; i++) to[i] += r->weight[other] * value[i];
    }
}

static void add(float *restrict to, const float *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] += from[i];
}

/* Attention; what comes out goes into `norm`, `width` wide in and FER_USE_DIMS out. */
static void attention(const struct run *r, const float *const *t, size_t width)
{
    normalise(r, r->x, width, t[FER_USE_NORM_SCALE], t[FER_USE_NORM_BIAS]);
    multiply(r->norm, r->rows, width, t[FER_USE_QKV], t[FER_USE_QKV_BIAS], 3 * width, r->qkv);
    for (size_t head = 0; head < FER_USE_HEADS; head++) {
        for (size_t row = 0; row < r->rows; row++) {
            attend(r, width, head, row);
            mix(r, width, head, row);
        }
    }
    multiply(r->mixed, r->rows, width, t[FER_USE_OUT], t[FER_USE_OUT_BIAS], FER_USE_DIMS, r->norm);
}

static void feed_forward(const struct run *r, const float *const *t)
{
    const size_t count = r->rows * FER_USE_DIMS, inner = r->rows * FER_USE_INNER;
    normalise(r, r->x, FER_USE_DIMS, t[FER_USE_FFN_NORM_SCALE], t[FER_USE_FFN_NORM_BIAS]);
    multiply(r->norm, r->rows, FER_USE_DIMS, t[FER_USE_FFN_1], t[FER_USE_FFN_1_BIAS], FER_USE_INNER,
             r->qkv);
    for (size_t i = 0; i < inner; i++) r->qkv[i] = r->qkv[i] > 0 ? r->qkv[i] : 0;
    multiply(r->qkv, r->rows, FER_USE_INNER, t[FER_USE_FFN_2], t[FER_USE_FFN_2_BIAS], FER_USE_DIMS,
             r->norm);
    add(r->x, r->norm, count);
}

/* Rows of the embedding, doubled, with a signal of where they stand. */
static void begin(const struct run *r, const uint16_t *pieces)
{
    const float *timing = r->m->tensors[FER_USE_TIMING];
    const size_t half = FER_USE_WIDTH / 2;
    for (size_t row = 0; row < r->rows; row++) {
        const float *from = r->m->tensors[FER_USE_EMBEDDING] + (size_t)pieces[row] * FER_USE_WIDTH;
        float *to = r->x + row * FER_USE_WIDTH;
        for (size_t i = 0; i < half; i++) {
            to[i] = 2 * from[i] + sinf((float)row * timing[i]);
            to[half + i] = 2 * from[half + i] + cosf((float)row * timing[i]);
        }
    }
}

static void finish(const struct run *r, float out[FER_USE_DIMS])
{
    float mean[FER_USE_DIMS] = {0};
    double squares = 0;
    for (size_t row = 0; row < r->rows; row++) add(mean, r->x + row * FER_USE_DIMS, FER_USE_DIMS);
    for (size_t i = 0; i < FER_USE_DIMS; i++) mean[i] /= (float)r->rows;
    multiply(mean, 1, FER_USE_DIMS, r->m->tensors[FER_USE_TANH], r->m->tensors[FER_USE_TANH_BIAS],
             FER_USE_DIMS, out);
    for (size_t i = 0; i < FER_USE_DIMS; i++) {
        out[i] = tanhf(out[i]);
        squares += (double)out[i] * (double)out[i];
    }
    float factor = (float)(1 / sqrt(squares > 1e-12 ? squares : 1e-12));
    for (size_t i = 0; i < FER_USE_DIMS; i++) out[i] *= factor;
}

void fer_use_run(const fer_use_model *m, const uint16_t *pieces, size_t count, float *work,
                 float out[FER_USE_DIMS])
{
    const size_t wide = FER_USE_TOKENS_MAX * FER_USE_DIMS;
    struct run r = {m, count, work, work + wide, work + 2 * wide, NULL, NULL};
    r.mixed = r.qkv + FER_USE_TOKENS_MAX * FER_USE_INNER;
    r.weight = r.mixed + wide;
    assert(count && count <= FER_USE_TOKENS_MAX);
    begin(&r, pieces);
    attention(&r, m->tensors + FER_USE_LAYER_0, FER_USE_WIDTH);
    /* The first layer is wider than what comes in, so that is made as wide. */
    multiply(r.x, count, FER_USE_WIDTH, m->tensors[FER_USE_DENSE], m->tensors[FER_USE_DENSE_BIAS],
             FER_USE_DIMS, r.mixed);
    memcpy(r.x, r.mixed, count * FER_USE_DIMS * sizeof *r.x);
    add(r.x, r.norm, count * FER_USE_DIMS);
    feed_forward(&r, m->tensors + FER_USE_LAYER_0);
    attention(&r, m->tensors + FER_USE_LAYER_1, FER_USE_DIMS);
    add(r.x, r.norm, count * FER_USE_DIMS);
    feed_forward(&r, m->tensors + FER_USE_LAYER_1);
    finish(&r, out);
}
