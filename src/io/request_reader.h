/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of HTTP/1.1, read from bytes that come in any pieces, on llhttp in its strict mode. What
 * two readers on the way might understand differently is refused (request smuggling), and more than
 * llhttp refuses: empty lines before a request, chunk extensions and trailers, any coding but one
 * `chunked`, a Content-Length that is not digits alone, targets that are no path, upgrades.
 *
 * The life of a reader: init -> for each request: begin, with the memory it is gathered in -> feed
 * until WHOLE or REFUSED. Cut in whatever way, the same bytes give the same. After REFUSED no byte
 * is read any more: what follows is not known to be a request.
 *
 * Pure: no sockets, no clock. One thread at a time.
 */
#ifndef FER_REQUEST_READER_H
#define FER_REQUEST_READER_H

#include <llhttp.h>

#include "arena.h"
#include "http_client.h"

/* Why a request is refused, by whatever part of the server. */
typedef enum fer_refusal {
    FER_REFUSE_NONE,
    FER_REFUSE_SYNTAX,
    FER_REFUSE_METHOD,
    FER_REFUSE_VERSION,
    FER_REFUSE_TARGET,
    FER_REFUSE_URI,
    FER_REFUSE_HEAD,
    FER_REFUSE_FIELDS,
    FER_REFUSE_VALUE,
    FER_REFUSE_HOST,
    FER_REFUSE_LENGTH,
    FER_REFUSE_FRAMING,
    FER_REFUSE_CODING,
    FER_REFUSE_CHUNK,
    FER_REFUSE_BODY,
    FER_REFUSE_EXPECT,
    FER_REFUSE_UPGRADE,
    FER_REFUSE_OTHER_HOST,
    FER_REFUSE_ORIGIN,
    FER_REFUSE_SLOW,
    FER_REFUSE_MEMORY,
    FER_REFUSE_BUSY,
    FER_REFUSALS
} fer_refusal;

/* By refusal: a name for logs and tests, the status, and what the client is told. */
extern const struct fer_refusal_row {
    const char *name;
    unsigned status;
    const char *text;
} fer_refusal_rows[FER_REFUSALS];

typedef struct fer_reader_limits {
    size_t head_max;   /* bytes until the empty line, it included */
    size_t fields_max; /* fields */
    size_t uri_max;    /* bytes of the target */
    size_t body_max;   /* bytes of the body, chunks put together */
} fer_reader_limits;

/* What is gathered of one request. Texts live in the arena, the body on the heap. */
typedef struct fer_request {
    fer_str method, target;
    fer_http_field *fields;
    size_t field_count;
    char *body;
    size_t body_len, body_cap;
    bool one_one;    /* HTTP/1.1, not 1.0 */
    bool keep_alive; /* the client would use the connection again */
    bool continues;  /* it waits for 100 Continue before it sends the body */

    /* while the head is read */
    fer_arena *arena;
    char *text; /* target, names and values, one behind the other */
    size_t text_len, text_cap;
    struct fer_field_span *spans;
    size_t span_count, span_cap;
    size_t target_len;
} fer_request;

void fer_request_init(fer_request *q, fer_arena *a);
/* Frees the body; the rest is the arena's. */
void fer_request_deinit(fer_request *q);
/* As after init, with the place of a small body: another request can be gathered in it. */
void fer_request_empty(fer_request *q);

enum fer_reader_phase {
    FER_READER_REST, /* between requests */
    FER_READER_IN_HEAD,
    FER_READER_IN_BODY,
    FER_READER_DONE, /* all of a request is there; begin is next */
    FER_READER_REFUSED
};

typedef struct fer_request_reader {
    llhttp_t parser;
    const fer_reader_limits *limits; /* borrowed */
    fer_request *request;            /* where to; NULL: nobody wants the body any more */
    enum fer_reader_phase phase;
    fer_refusal refusal;
    size_t head_len;   /* bytes of the head so far, without the piece that is read now */
    const char *piece; /* which starts here */
    bool version_seen, misplaced;
    size_t body_len; /* bytes of the body so far, wanted or not */
} fer_request_reader;

typedef enum fer_read_step {
    FER_READ_MORE,   /* all bytes are used up */
    FER_READ_HEAD,   /* the head is there and is as it should be; the body, if any, comes next */
    FER_READ_WHOLE,  /* so is the body */
    FER_READ_REFUSED /* see `refusal` */
} fer_read_step;

void fer_request_reader_init(fer_request_reader *r, const fer_reader_limits *limits);
/* The next request is gathered in `q`. */
void fer_reader_begin(fer_request_reader *r, fer_request *q);
/* Takes bytes off the front, up to the next step. */
fer_read_step fer_reader_feed(fer_request_reader *r, fer_str *bytes);
/* Whether the head that is there announces a body. */
bool fer_reader_expects_body(const fer_request_reader *r);

#endif
