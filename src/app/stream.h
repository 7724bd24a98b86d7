/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input that is read as it is needed: line by line, in memory as long as the
 * longest line however many there are, or what is left of it as a whole.
 * Life: open -> format -> line ... or rest -> close.
 */
#ifndef FER_STREAM_H
#define FER_STREAM_H

#include <ferrule/contract.h>

#include "arena.h"

typedef struct fer_stream {
    int fd;
    const char *path; /* "-": standard input */
    fer_arena *arena;
    char *bytes;
    size_t cap;
    size_t from, to; /* what was read and not given out yet */
    bool ended;
    size_t offset; /* of `from` in the input */
    size_t size;   /* of a regular file; 0: not known */
    size_t max;    /* bytes of a line, and of the rest */
    uint32_t line; /* number of the line given last */
} fer_stream;

fer_code fer_stream_open(fer_stream *s, const char *path, size_t max, fer_err *err);
/* Harmless to repeat. */
void fer_stream_close(fer_stream *s);

/*
 * What the input is written in: as asked, by its name, else JSON Lines where its first
 * line is one whole array or object and more follows. FER_FORMAT_AUTO: look at all of it.
 */
fer_code fer_stream_format(fer_stream *s, fer_format asked, fer_format *out, fer_err *err);

/* The next line, without its end, until the next call; `ptr` is NULL behind the last. */
fer_code fer_stream_line(fer_stream *s, fer_str *out, fer_err *err);
/* Everything that was not given out yet, until the stream is closed. */
fer_code fer_stream_rest(fer_stream *s, fer_str *out, fer_err *err);

#endif
