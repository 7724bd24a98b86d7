/* SPDX-License-Identifier: Apache-2.0 */
#include "use_model.h"

#include "errors.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is read as it lies");

#define HEAD      16   /* bytes before the scores */
#define SCORE_MAX 1000 /* that a piece can have, and less */

static const size_t tensor_sizes[FER_USE_TENSORS] = {
    [FER_USE_EMBEDDING] = FER_USE_PIECES * FER_USE_WIDTH,
    [FER_USE_TIMING] = FER_USE_WIDTH / 2,
    [FER_USE_DENSE] = FER_USE_WIDTH * FER_USE_DIMS,
    [FER_USE_DENSE_BIAS] = FER_USE_DIMS,
#define LAYER(first, width)                                                                        \
    [(first) + FER_USE_NORM_SCALE] = (width), [(first) + FER_USE_NORM_BIAS] = (width),             \
               [(first) + FER_USE_QKV] = (width)*3 * (width),                                      \
               [(first) + FER_USE_QKV_BIAS] = 3 * (width),                                         \
               [(first) + FER_USE_OUT] = (width)*FER_USE_DIMS,                                     \
               [(first) + FER_USE_OUT_BIAS] = FER_USE_DIMS,                                        \
               [(first) + FER_USE_FFN_NORM_SCALE] = FER_USE_DIMS,                                  \
               [(first) + FER_USE_FFN_NORM_BIAS] = FER_USE_DIMS,                                   \
               [(first) + FER_USE_FFN_1] = FER_USE_DIMS * FER_USE_INNER,                           \
               [(first) + FER_USE_FFN_1_BIAS] = FER_USE_INNER,                                     \
               [(first) + FER_USE_FFN_2] = FER_USE_INNER * FER_USE_DIMS,                           \
               [(first) + FER_USE_FFN_2_BIAS] = FER_USE_DIMS
    LAYER(FER_USE_LAYER_0, FER_USE_WIDTH),
    LAYER(FER_USE_LAYER_1, FER_USE_DIMS),
#undef LAYER
    [FER_USE_TANH] = FER_USE_DIMS * FER_USE_DIMS,
    [FER_USE_TANH_BIAS] = FER_USE_DIMS,
};

static uint32_t hash(fer_str s)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < s.len; i++) h = (h ^ (unsigned char)s.ptr[i]) * 16777619u;
    return h ^ h >> 15;
}

static fer_str piece_text(const fer_use_model *m, uint32_t piece)
{
    uint32_t from = piece ? m->ends[piece - 1] : 0;
    return (fer_str){m->text + from, m->ends[piece] - from};
}

uint32_t fer_use_piece(const fer_use_model *m, fer_str text)
{
    for (uint32_t at = hash(text) & m->mask; m->slots[at]; at = (at + 1) & m->mask) {
        uint32_t piece = m->slots[at] - 1;
        if (fer_str_eq(piece_text(m, piece), text)) return piece;
    }
    return 0;
}

/* Of two pieces with the same text the last counts. */
static void put_piece(fer_use_model *m, uint32_t piece)
{
    fer_str text = piece_text(m, piece);
    uint32_t at = hash(text) & m->mask;
    while (m->slots[at] && !fer_str_eq(piece_text(m, m->slots[at] - 1), text))
        at = (at + 1) & m->mask;
    m->slots[at] = piece + 1;
    if (text.len > m->longest) m->longest = (uint32_t)text.len;
}

static fer_code damaged(fer_err *err, const char *why)
{
    return fer_fail(err, FER_INVALID_FORMAT, "no model of Universal Sentence Encoder lite: %s",
                    why);
}

static fer_code index_pieces(fer_use_model *m, fer_arena *a, uint32_t text_len, fer_err *err)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < m->pieces; before = m->ends[i++]) {
        if (m->ends[i] < before || m->ends[i] > text_len)
            return damaged(err, "the end of a piece is not behind its start");
        if (!(m->scores[i] < SCORE_MAX && m->scores[i] > -SCORE_MAX))
            return damaged(err, "the score of a piece is out of range");
    }
    for (m->mask = 1023; m->mask < 2 * m->pieces;) m->mask = 2 * m->mask + 1;
    m->slots = fer_arena_alloc_zero(a, (size_t)m->mask + 1, sizeof *m->slots);
    if (!m->slots) return fer_arena_failed(a, err);
    for (uint32_t i = FER_USE_RESERVED; i < m->pieces; i++) put_piece(m, i);
    return FER_OK;
}

fer_code fer_use_model_open(fer_use_model *m, fer_arena *a, fer_str bytes, fer_err *err)
{
    uint32_t sizes[2];
    *m = (fer_use_model){0};
    if (bytes.len < HEAD || memcmp(bytes.ptr, "FERUSE1", 8) != 0)
        return damaged(err, "it does not start as one");
    if ((uintptr_t)bytes.ptr % 8) return damaged(err, "its bytes are not aligned");
    memcpy(sizes, bytes.ptr + 8, sizeof sizes);
    if (sizes[0] <= FER_USE_RESERVED || sizes[0] > FER_USE_PIECES || sizes[1] > 1u << 20)
        return damaged(err, "it has more pieces than it can have, or hardly any");
    size_t at = HEAD + (size_t)sizes[0] * 12 + sizes[1], floats = 0;
    at = (at + 63) / 64 * 64;
    for (size_t i = 0; i < FER_USE_TENSORS; i++) floats += tensor_sizes[i];
    if (bytes.len != at + 4 * floats) return damaged(err, "it has another length");
    m->pieces = sizes[0];
    m->scores = (const double *)(const void *)(bytes.ptr + HEAD);
    m->ends = (const uint32_t *)(const void *)(m->scores + m->pieces);
    m->text = (const char *)(m->ends + m->pieces);
    const float *next = (const float *)(const void *)(bytes.ptr + at);
    for (size_t i = 0; i < FER_USE_TENSORS; next += tensor_sizes[i++]) m->tensors[i] = next;
    return index_pieces(m, a, sizes[1], err);
}
