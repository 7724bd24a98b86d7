/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Universal Sentence Encoder lite: a small transformer over word pieces, English, 512 numbers.
 * Its weights are not part of Ferrule; tools/make-use-model brings them and writes the file:
 *
 *     "FERUSE1" NUL, pieces (u32), bytes of their texts (u32), a score per piece (f64), the
 *     end of each piece's text (u32), the texts, zeros up to a multiple of 64, then the
 *     tensors of fer_use_tensor in that order (f32). All little-endian.
 *
 * Opening checks sizes and ends, so a file may come from anywhere; the bytes are borrowed and
 * aligned to 8. An open model is never changed and shared by any number of threads.
 */
#ifndef FER_USE_MODEL_H
#define FER_USE_MODEL_H

#include "arena.h"

#define FER_USE_DIMS       ((size_t)512)
#define FER_USE_WIDTH      ((size_t)256)  /* of a piece's row */
#define FER_USE_INNER      ((size_t)1536) /* of the feed-forward layers */
#define FER_USE_PIECES     ((size_t)8002) /* rows of the embedding */
#define FER_USE_HEADS      4
#define FER_USE_TOKENS_MAX ((size_t)128) /* pieces of a text that count */
#define FER_USE_TEXT_MAX   16384         /* bytes of a text that are looked at */
#define FER_USE_RESERVED   6             /* first pieces, which no text is made of */

/* Tensors of a layer, which come twice. */
enum fer_use_layer_tensor {
    FER_USE_NORM_SCALE,
    FER_USE_NORM_BIAS,
    FER_USE_QKV,
    FER_USE_QKV_BIAS,
    FER_USE_OUT,
    FER_USE_OUT_BIAS,
    FER_USE_FFN_NORM_SCALE,
    FER_USE_FFN_NORM_BIAS,
    FER_USE_FFN_1,
    FER_USE_FFN_1_BIAS,
    FER_USE_FFN_2,
    FER_USE_FFN_2_BIAS,
    FER_USE_LAYER_TENSORS
};

enum fer_use_tensor {
    FER_USE_EMBEDDING,
    FER_USE_TIMING,
    FER_USE_DENSE,
    FER_USE_DENSE_BIAS,
    FER_USE_LAYER_0,
    FER_USE_LAYER_1 = FER_USE_LAYER_0 + FER_USE_LAYER_TENSORS,
    FER_USE_TANH = FER_USE_LAYER_1 + FER_USE_LAYER_TENSORS,
    FER_USE_TANH_BIAS,
    FER_USE_TENSORS
};

typedef struct fer_use_model {
    uint32_t pieces;
    uint32_t longest; /* bytes of a piece */
    const double *scores;
    const uint32_t *ends;
    const char *text;
    uint32_t *slots; /* by the hash of a piece: its number + 1; in the arena */
    uint32_t mask;
    const float *tensors[FER_USE_TENSORS];
} fer_use_model;

/* FER_INVALID_FORMAT: no such model, or a damaged one. The table of pieces goes into the arena. */
fer_code fer_use_model_open(fer_use_model *m, fer_arena *a, fer_str bytes, fer_err *err);

/* The piece with this text, or 0. */
uint32_t fer_use_piece(const fer_use_model *m, fer_str text);

/*
 * A text as pieces: those that score best together, runs of what is unknown as one. Room for
 * FER_USE_TOKENS_MAX; `scratch` is used on the way. Gives how many.
 */
fer_code fer_use_pieces(const fer_use_model *m, fer_arena *scratch, fer_str text, uint16_t *out,
                        size_t *count, fer_err *err);

/* Floats that a run needs. */
#define FER_USE_WORK (FER_USE_TOKENS_MAX * (4 * FER_USE_DIMS + FER_USE_INNER + 128))
/* The unit vector of at least one piece. */
void fer_use_run(const fer_use_model *m, const uint16_t *pieces, size_t count, float *work,
                 float out[FER_USE_DIMS]);

#endif
