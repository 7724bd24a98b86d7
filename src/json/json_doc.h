/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a document, for the rooms that build on it: how it is laid out,
 * and how values get back to their bytes.
 *
 * yyjson lays values (keys included) out in one array in the order of the text,
 * so the index of a value is also its number among the tokens of the source. A
 * document therefore needs no positions until somebody asks for one; then they
 * are found by counting tokens from the last string before, whose byte is known, or
 * looked up in the index where one was made.
 */
#ifndef FER_JSON_DOC_H
#define FER_JSON_DOC_H

#include <ferrule/json.h>
#include <yyjson.h>

#include "arena.h"
#include "json_value.h"
#include "str.h"

struct fer_json {
    yyjson_val *vals; /* the first is the root */
    size_t count;     /* values and keys */
    fer_str text;     /* what it was read from, borrowed */
    size_t *offsets;  /* by value, or NULL: count tokens */
    const char *pool; /* the copy of the text, in which each string stands where it was */
};

/* yyjson's memory taken from an arena; what yyjson frees stays until the arena goes. */
yyjson_alc fer_json_alc(fer_arena *a);

struct fer_lines;

/*
 * Reads the part of the lines' text from `from` to `to` as a document of its own; failures
 * are placed in the whole text. A byte order mark is an error unless the part is the start.
 */
fer_code fer_json_read_part(fer_arena *a, struct fer_lines *lines, size_t from, size_t to,
                            const fer_json_limits *limits, fer_json **out, fer_err *err);

/* Makes the index of offsets, so that each look-up is constant. Harmless to repeat. */
fer_code fer_json_index(fer_arena *a, fer_json *doc, fer_err *err);

/* The byte at which a value or key of the document starts. */
size_t fer_json_offset(const fer_json *doc, const yyjson_val *value);

/* How many tokens of a JSON text start before `offset`: the index of the value there. */
size_t fer_json_token_at(const fer_json *doc, size_t offset);

/* Length in bytes of the token at `offset`: a string, number or word; 1 for a bracket. */
size_t fer_json_token_len(fer_str text, size_t offset);
/* Where the first token starts, and the one behind the token at `offset`; or the text's length. */
size_t fer_json_token_first(fer_str text);
size_t fer_json_token_next(fer_str text, size_t offset);

/* Fills line and column of a failure that has an offset into `text`. */
void fer_err_locate(fer_err *err, fer_str text);
/* The same for many failures of one text, each behind the last, in linear time. */
void fer_err_locate_in(fer_err *err, struct fer_lines *lines);

/*
 * Lines and columns of bytes. Offsets that only grow, or step back no further than
 * the mark, are found in linear time overall.
 */
struct fer_lines_at {
    size_t offset;
    uint32_t line;
    uint32_t column;
};
typedef struct fer_lines {
    fer_str text;
    struct fer_lines_at last; /* answer */
    struct fer_lines_at mark;
} fer_lines;
void fer_lines_init(fer_lines *l, fer_str text);
fer_place fer_lines_place(fer_lines *l, size_t offset);
/* Says that offsets before this one will hardly be asked for again. */
void fer_lines_mark(fer_lines *l, size_t offset);
/* The bytes of the line that `offset` is in, without its end. */
fer_str fer_lines_line(fer_str text, size_t offset);

/*
 * Places of many values of one document: goes on from the last one, so that values in the
 * order of the text cost one way through it.
 */
typedef struct fer_placer {
    const fer_json *doc;
    fer_lines lines;
    size_t index; /* of the last value */
    size_t offset;
} fer_placer;
void fer_placer_init(fer_placer *p, const fer_json *doc);
fer_place fer_placer_to(fer_placer *p, const yyjson_val *value);

/* Limits of YAML beyond those of JSON. */
#define FER_YAML_ANCHORS  1000              /* anchors in one document */
#define FER_YAML_EXPANDED ((size_t)4 << 20) /* bytes of JSON that aliases add */

/* One row per limit, for the documentation. */
struct fer_json_limit_row {
    const char *name;
    size_t offset; /* in fer_json_limits */
    const char *text;
};
extern const struct fer_json_limit_row fer_json_limit_rows[];
extern const size_t fer_json_limit_row_count;

#endif
