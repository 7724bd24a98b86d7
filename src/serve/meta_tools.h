/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meta tools: a handful of tools by which all others are found, read and run, so that a client
 * carries these and not hundreds. A row of the table and a file in meta/ each. Their input and
 * output schemas are closed, and compiled once; arguments are checked against them like those of
 * any tool. What the table costs a context is bounded (FER_META_TOKENS).
 */
#ifndef FER_META_TOOLS_H
#define FER_META_TOOLS_H

#include <ferrule/schema.h>

#include "near.h"
#include "serve_parts.h"

#define FER_META_TOKENS    900   /* of the whole table, as fer_tokens_of counts */
#define FER_META_RESULT    24576 /* bytes of a result that are shown at once */
#define FER_META_PAGE      10    /* tools that search_tools shows, unless told otherwise */
#define FER_META_LIST_PAGE 50    /* tools or namespaces of a list, unless told otherwise */

/* How many tokens a text costs, estimated: four bytes are one. */
static inline size_t fer_tokens_of(size_t bytes)
{
    return (bytes + 3) / 4;
}

typedef struct fer_meta_tool {
    const char *name;
    const char *description;
    const char *input, *output; /* JSON Schemas */
    bool reads_only;
    /* Answers, now or later; `args` is valid. */
    void (*run)(fer_ask *q, const fer_json *doc, const yyjson_val *args);
    bool code; /* only for who may run code */
} fer_meta_tool;
extern const fer_meta_tool fer_meta_tools[];
extern const size_t fer_meta_tool_count;

typedef struct fer_meta fer_meta;
/* Compiles the schemas. */
fer_code fer_meta_new(fer_arena *a, fer_meta **out, fer_err *err);
void fer_meta_free(fer_meta *m);

bool fer_meta_has(fer_str name);
/* Whether there is one of that name for this guest. */
bool fer_meta_offers(const fer_guest *g, fer_str name);
/* Whether it may run code, and there is something to run it with. */
bool fer_guest_runs_code(const fer_guest *g);
/* Shows the names to somebody who looks for one. */
void fer_meta_near(const fer_guest *g, fer_near *near);
/* The definitions, with commas between, as a version has them; how many they are. `code`: with
 * those that run code. */
size_t fer_meta_list(fer_buf *b, const fer_mcp_version *v, bool code);
/* What a client is told when it connects; empty: nothing. */
fer_str fer_meta_instructions(fer_serve_mode mode);
/* Runs one for a tools/call; `args` NULL: none were given. */
void fer_meta_run(fer_ask *q, fer_str name, const yyjson_val *args);

/* ---- for the tools -----------------------------------------------------------------------------
 */

/* A text among the arguments; empty: it is not there. */
fer_str fer_meta_text(const yyjson_val *args, const char *key);
/* A whole number among them. */
size_t fer_meta_number(const yyjson_val *args, const char *key, size_t otherwise);
void fer_meta_page(const yyjson_val *args, size_t size, fer_page *out);
/* Adds ,"nextToken":"..." where there is one. */
void fer_meta_add_next(fer_buf *b, fer_str next);
/* {"id", "summary"} */
void fer_meta_add_brief(fer_buf *b, const fer_summary *s);
/* Answers with what the buffer holds, or with its failure. */
void fer_meta_reply(fer_ask *q, const fer_buf *b);
/*
 * Adds "result": a value, cut where it is larger than FER_META_RESULT; then "cut", what was left
 * out, and "handle", which the rest can be asked for with. `handle` may name one that is kept.
 */
fer_code fer_meta_add_result(fer_ask *q, fer_buf *b, fer_str json, fer_str at, size_t from,
                             fer_str handle, fer_err *err);

/* Adds an object as it is; where it is larger, cut in the same way, with `cut` and `handle` as
 * members of its own. */
fer_code fer_meta_add_whole(fer_ask *q, fer_buf *b, fer_str json, fer_err *err);

void fer_meta_search(fer_ask *q, const fer_json *doc, const yyjson_val *args);
void fer_meta_list_tools(fer_ask *q, const fer_json *doc, const yyjson_val *args);
void fer_meta_list_namespaces(fer_ask *q, const fer_json *doc, const yyjson_val *args);
void fer_meta_describe(fer_ask *q, const fer_json *doc, const yyjson_val *args);
void fer_meta_examples(fer_ask *q, const fer_json *doc, const yyjson_val *args);
void fer_meta_run_tool(fer_ask *q, const fer_json *doc, const yyjson_val *args);
void fer_meta_run_chain(fer_ask *q, const fer_json *doc, const yyjson_val *args);
void fer_meta_execute(fer_ask *q, const fer_json *doc, const yyjson_val *args);

#endif
