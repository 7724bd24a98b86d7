/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A changed value put back into the text it came from. What did not change keeps its bytes:
 * the order of members, blanks, the notation of numbers and strings. What is new is written as
 * the text writes such things: its indent, its blanks behind colons and commas.
 *
 * Members that both values have stay where they are, whatever their order in the new value.
 */
#ifndef FER_JSON_MEND_H
#define FER_JSON_MEND_H

#include "json_doc.h"

/* Bytes of a text that others take the place of. */
typedef struct fer_splice {
    size_t from, to;
    fer_str text;
} fer_splice;

typedef struct fer_splices {
    fer_splice *list;
    size_t count, cap;
} fer_splices;

/* A text, and the document that was read from a part of it. */
typedef struct fer_mended {
    fer_str text;
    const fer_json *doc;
    size_t base; /* where the document's own text starts */
} fer_mended;

/* Notes what turns the value `from` of the document into `to`. The text is JSON. */
fer_code fer_json_mend(fer_arena *a, const fer_mended *in, const yyjson_val *from,
                       const yyjson_val *to, fer_splices *out, fer_err *err);

/* The text with all of them made; they are put in order and must not overlap. */
fer_code fer_splices_apply(fer_arena *a, fer_str text, fer_splices *splices, fer_str *out,
                           fer_err *err);

#endif
