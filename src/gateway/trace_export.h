/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the spans of calls to a collector, as OTLP over HTTP with JSON. Spans are gathered and sent
 * once a second, or once there are FER_TRACE_BATCH of them, one request at a time. What waits is
 * bounded: spans past FER_TRACE_QUEUE are dropped and counted, and no call ever waits for them. A
 * collector that is not there or busy is asked FER_TRACE_TRIES times. What is left when the gateway
 * stops has FER_TRACE_FLUSH_MS.
 *
 * Belongs to the thread of its gateway, and to the gateway itself, which closes and frees it.
 */
#ifndef FER_TRACE_EXPORT_H
#define FER_TRACE_EXPORT_H

#include <ferrule/gateway.h>

typedef struct fer_trace_export fer_trace_export;

/* Sends what is left, as far as time allows, and ends. */
void fer_gateway_close_traces(fer_gateway *g);
/* After its loop has run once more. */
void fer_gateway_free_traces(fer_gateway *g);

#endif
