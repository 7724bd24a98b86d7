/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls as spans, in the JSON form of OTLP (ExportTraceServiceRequest of opentelemetry-proto 1.x):
 * names in camelCase, IDs in hex, 64-bit numbers as texts, kinds as numbers. A call is one span,
 * each stage that it passed a child of it. Spans say what logs say, and nothing that a tool was
 * given or gave. Pure.
 *
 * A request is fer_otlp_begin, fer_otlp_call for each call, fer_otlp_end.
 */
#ifndef FER_OTLP_H
#define FER_OTLP_H

#include <ferrule/gateway.h>

#include "buf.h"

#define FER_OTLP_TEXT 256 /* bytes of one attribute, at most */

void fer_otlp_begin(fer_buf *b);
/* `first`: there is no call before it. */
void fer_otlp_call(fer_buf *b, const fer_call_report *r, bool first);
void fer_otlp_end(fer_buf *b);

/* How many spans a call is. */
size_t fer_otlp_spans(const fer_call_report *r);

/* How many spans a collector refused, of its answer {"partialSuccess": {"rejectedSpans"}}; 0 where
 * it says nothing of the kind. */
uint64_t fer_otlp_rejected(fer_arena *scratch, fer_str answer);

#endif
