/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a static embedding model: a dictionary of stems, and a row of signed bytes and a
 * weight for each. docs/MODEL.md describes the bytes. Opening checks all that a look-up follows,
 * so a file may come from anywhere; the bytes are borrowed. An open model is never changed and
 * shared by any number of threads.
 */
#ifndef FER_STATIC_MODEL_H
#define FER_STATIC_MODEL_H

#include "arena.h"

#define FER_MODEL_VERSION   1
#define FER_MODEL_WORDS_MAX (1u << 20)
#define FER_MODEL_DIMS_MAX  512
#define FER_MODEL_BYTES_MAX (64u << 20)
#define FER_MODEL_WEIGHT_MAX                                                                       \
    4095 /* of a word: the length of its vector, in parts of the longest                           \
          */
#define FER_MODEL_NONE UINT32_MAX

typedef struct fer_static_model {
    char name[24];
    uint32_t dims;
    uint32_t words;
    uint32_t mask;                         /* slots less one */
    uint64_t sum;                          /* of all its bytes: what the file says */
    const uint8_t *slots, *ends, *weights; /* little-endian; read by the functions below */
    const int8_t *rows;
    const char *text;
} fer_static_model;

/* FER_INVALID_FORMAT: no model, one of another version, or a damaged one; the message says where.
 */
fer_code fer_static_model_open(fer_static_model *m, fer_str bytes, fer_err *err);
/*
 * The same for bytes that are part of the program, and were checked when it was tested: only the
 * header is looked at, so that no page of them is read before it is needed.
 */
fer_code fer_static_model_open_own(fer_static_model *m, fer_str bytes, fer_err *err);
/* The model that is part of the library, and its bytes. */
fer_code fer_static_model_builtin(fer_static_model *m, fer_err *err);
fer_str fer_static_model_builtin_bytes(void);

/* The number of a stem, or FER_MODEL_NONE. */
uint32_t fer_static_model_find(const fer_static_model *m, fer_str stem);
/* The weight of a word's row, up to FER_MODEL_WEIGHT_MAX. */
uint32_t fer_static_model_weight(const fer_static_model *m, uint32_t word);
static inline void fer_static_model_fetch_weight(const fer_static_model *m, uint32_t word)
{
    __builtin_prefetch(m->weights + 2 * (size_t)word);
}
static inline const int8_t *fer_static_model_row(const fer_static_model *m, uint32_t word)
{
    return m->rows + (size_t)word * m->dims;
}

/* What the training program has. */
typedef struct fer_static_draft {
    const char *name;
    uint32_t dims, words;
    const fer_str *stems; /* distinct, in ascending order, none empty */
    const float *rows;    /* words x dims, finite */
} fer_static_draft;

/* The bytes of a model; the same draft gives the same bytes. */
fer_code fer_static_model_write(fer_arena *a, const fer_static_draft *draft, fer_str *out,
                                fer_err *err);

#endif
