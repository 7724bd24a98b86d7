/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools and queries as lists in JSON Lines, for searching in batches and for measuring how
 * good a search is. A tool is {"id", "namespace", "name", "title", "category", "description",
 * "tags", "inputSchema"}, of which the id must be there; a query {"id", "query",
 * "relevant": [IDs of tools]}, of which the last is for measuring only.
 */
#ifndef FER_RETRIEVAL_H
#define FER_RETRIEVAL_H

#include "embedder_choice.h"
#include "hybrid.h"
#include "json_value.h"
#include "map.h"

#define FER_RETRIEVAL_LINE ((size_t)16 << 20)   /* bytes of a line */
#define FER_RETRIEVAL_DEEP 100                  /* hits of a query in a batch */
#define FER_RETRIEVAL_SOME FER_EMBED_HTTP_BATCH /* tools that are embedded together */

/* The tools that are searched, numbered as they came. */
typedef struct fer_tool_list {
    fer_arena *arena;
    fer_lexical_builder *builder; /* until all tools are there ... */
    fer_lexical *index;           /* ... and from then on */
    fer_searcher *searcher;
    fer_ranker ranker;
    fer_chosen_embedder embedding; /* and what follows: for rankers that have vectors */
    fer_vectors *vectors;
    fer_tokeniser *tokeniser;
    fer_usage *usage; /* NULL: nothing is remembered */
    fer_map numbers;  /* by ID, + 1 */
    fer_str *ids;
    size_t count, cap;
} fer_tool_list;

typedef struct fer_ranked {
    const fer_fused *list; /* best first */
    size_t count;
    bool fits; /* see fer_lexical_hits; true where no words were looked at */
} fer_ranked;

/* The ranker of that name. */
fer_ranker fer_ranker_of(const char *name);
/* The one of --ranker; else hybrid where an embedder is named or past queries have a say, which
 * have their part by it alone, and bm25 where neither is. */
fer_ranker fer_ranker_asked(const fer_app *app);

/* What is called for each line: its value, until the next one. */
typedef fer_code fer_line_visitor(void *context, const yyjson_val *line, fer_err *err);
/* Failures say the file and the line. */
fer_code fer_lines_visit(const char *path, fer_line_visitor *visit, void *context, fer_err *err);

fer_code fer_tool_list_init(fer_tool_list *t, fer_ranker ranker,
                            const fer_embedder_choice *embedder, fer_err *err);
void fer_tool_list_deinit(fer_tool_list *t);
/* Adds the tools of a file. A crowd's tools answer no query: their IDs are made different. */
fer_code fer_tool_list_read(fer_tool_list *t, const char *path, bool crowd, fer_err *err);
/* Freezes what was added, to be searched as it would be from a file; once, behind the last. */
fer_code fer_tool_list_freeze(fer_tool_list *t, fer_err *err);
/* The best tools for a query, equal ones by ID. */
fer_code fer_tool_list_search(fer_arena *a, fer_tool_list *t, fer_str query, fer_ranked *out,
                              fer_err *err);
/* From now on what fer_tool_list_note is told has a say; what it was told before has none. */
fer_code fer_tool_list_remember(fer_tool_list *t, fer_err *err);
/* The query led to the tool of that number. */
fer_code fer_tool_list_note(fer_arena *a, fer_tool_list *t, fer_str query, size_t number,
                            fer_err *err);
/* The number of a tool, or SIZE_MAX. */
size_t fer_ranked_tool_find(const fer_tool_list *t, fer_str id);

#endif
