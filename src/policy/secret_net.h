/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second net of redaction (RELIABILITY 5.13), over bytes that are about to be written: secret
 * values that the process knows, in the forms that values are written in (as they are, escaped for
 * JSON, also to ASCII and twice, percent-encoded, base64 at each of three alignments, base64url,
 * hex), and texts that look like the keys of well-known services. Both are replaced by [REDACTED],
 * however the bytes are cut into pieces.
 *
 * A net is filled, woven, and immutable then; it may be shared by threads. It holds secrets in
 * clear: never write it anywhere. Pure.
 */
#ifndef FER_SECRET_NET_H
#define FER_SECRET_NET_H

#include "buf.h"

#define FER_NET_SHORTEST 8                 /* bytes of a secret that is looked for */
#define FER_NET_LONGEST  4096              /* of a longer one so many */
#define FER_NET_SECRETS  10000             /* of one net */
#define FER_NET_NODES    ((size_t)8 << 20) /* of its automaton */
#define FER_NET_HELD     64                /* bytes that patterns hold back at most */

typedef struct fer_net fer_net;

/* An empty net, in the arena. NULL: no memory. */
fer_net *fer_net_new(fer_arena *a);
/*
 * Puts in a secret value, in all forms. What is shorter than FER_NET_SHORTEST is passed over: it
 * would hide words. FER_LIMIT_EXCEEDED, FER_OUT_OF_MEMORY.
 */
fer_code fer_net_add(fer_net *n, fer_str secret, fer_err *err);
/* Makes it ready. */
fer_code fer_net_weave(fer_net *n, fer_err *err);

/* One stream of bytes. Belongs to one thread. */
typedef struct fer_net_stream {
    const fer_net *net;
    uint32_t state;  /* of the automaton */
    fer_buf waiting; /* from `from` on: bytes that may yet be part of a secret */
    size_t from;
    bool redacted; /* the bytes right before those were a secret */
    /* Patterns, over what the automaton lets pass. */
    char held[FER_NET_HELD];
    size_t held_count;
    char last[2];          /* the two bytes before those held */
    int swallowing;        /* the row of a text that is being passed over; -1: none */
    unsigned dashes, bars; /* of a PEM block */
    size_t hits;           /* that were redacted */
} fer_net_stream;

/* `a` holds what waits. NULL for `net`: only patterns are looked for. */
void fer_net_begin(fer_net_stream *s, const fer_net *net, fer_arena *a);
/* Appends what of the bytes is sure to be no secret. */
void fer_net_feed(fer_net_stream *s, fer_str bytes, fer_buf *out);
/* And what is left. Failures are those of the buffers. */
fer_code fer_net_end(fer_net_stream *s, fer_buf *out, fer_err *err);

/* All of it: a text without secrets is given back as it is. */
fer_code fer_net_clean(fer_arena *a, const fer_net *net, fer_str text, fer_str *out, fer_err *err);
/* The same into `size` bytes that a NUL ends; what is too long is cut after that. `cut`: the text
 * is the head of another, and four bytes or more at its end that a secret begins with are hidden,
 * too. Without memory a sentence in its place says so. */
void fer_net_show(const fer_net *net, fer_str text, bool cut, char *out, size_t size);

#endif
