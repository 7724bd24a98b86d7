/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading text/event-stream (WHATWG HTML 9.2.6): bytes in, events out. However the bytes are cut
 * into pieces, the events are the same. Bytes that are no UTF-8 pass as they came: the standard
 * would decode them to U+FFFD, and who reads the data will refuse them.
 *
 * The life of a reader: init -> feed ... -> (the stream ends; an event that is not closed by an
 * empty line is dropped, as the standard asks) -> reset for the next connection, which keeps the
 * last ID and the time to wait -> deinit. One thread at a time.
 */
#ifndef FER_SSE_H
#define FER_SSE_H

#include "str.h"

#define FER_SSE_EVENT_MAX ((size_t)4 << 20) /* bytes of an event: its data, name and a line */
#define FER_SSE_ID_MAX    1024              /* bytes of an event's ID */
#define FER_SSE_RETRY_MAX 3600000u          /* milliseconds that a server may ask to wait */

/* Good until the visitor returns. */
typedef struct fer_sse_event {
    fer_str name; /* "message" where the stream names none */
    fer_str data;
    fer_str id; /* the last that was told, by this event or an earlier one; "" none */
} fer_sse_event;

/* What is called for each event. Not FER_OK: reading stops, and fer_sse_feed returns that. */
typedef fer_code fer_sse_visitor(void *context, const fer_sse_event *event, fer_err *err);

typedef struct fer_sse_part {
    char *ptr;
    size_t len, cap;
} fer_sse_part;

/* Filled by fer_sse_init; read `retry_ms`, leave the rest alone. */
typedef struct fer_sse {
    fer_sse_visitor *visit;
    void *context;
    size_t event_max;
    uint32_t retry_ms; /* what the server last asked for; 0: nothing yet */
    fer_sse_part line; /* that is not complete yet */
    fer_sse_part name, data;
    fer_sse_part id, last_id; /* as read; as of the last event, which is where to resume */
    uint8_t bom;              /* bytes of it seen; BOM_DONE past the start */
    bool after_cr;            /* a line feed now is the second half of a line's end */
    bool has_data;
    fer_code failure;
} fer_sse;

/* `event_max` 0: FER_SSE_EVENT_MAX. */
void fer_sse_init(fer_sse *s, size_t event_max, fer_sse_visitor *visit, void *context);
void fer_sse_deinit(fer_sse *s);
/*
 * FER_LIMIT_EXCEEDED past sse.event, FER_OUT_OF_MEMORY, or what the visitor said. After a failure
 * all further bytes fail the same way, until a reset.
 */
fer_code fer_sse_feed(fer_sse *s, fer_str bytes, fer_err *err);
/* A new connection begins: only the ID and the time to wait are kept. */
void fer_sse_reset(fer_sse *s);
/* For Last-Event-ID; "" none. Borrowed until the next feed. */
fer_str fer_sse_last_id(const fer_sse *s);

#endif
