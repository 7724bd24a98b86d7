/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container prints, as Docker's API sends it where there is no terminal: pieces, each after
 * a head of eight bytes that says which stream it is of and how long it is. Pieces are told as
 * their bytes come, whatever they come in; nothing is held. Pure.
 */
#ifndef FER_DOCKER_MUX_H
#define FER_DOCKER_MUX_H

#include <ferrule/common.h>

#include "str.h"

#define FER_MUX_HEAD 8

typedef enum fer_mux_stream {
    FER_MUX_IN, /* what was sent to it, where that is repeated */
    FER_MUX_OUT,
    FER_MUX_ERR
} fer_mux_stream;

typedef struct fer_mux {
    unsigned char head[FER_MUX_HEAD];
    size_t have;   /* bytes of the head */
    uint32_t left; /* bytes of the piece that are to come */
    bool broken;   /* what came is none of this */
} fer_mux;

/* Called with bytes of a stream. False: no more. */
typedef bool fer_mux_taker(void *context, fer_mux_stream stream, fer_str bytes);

/* FER_INVALID_OUTPUT: a head that cannot be; nothing after it is told. */
fer_code fer_mux_feed(fer_mux *m, fer_str bytes, fer_mux_taker *take, void *context, fer_err *err);

#endif
