/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the reading of a configuration: config_read.c reads the text and holds it against the
 * schema, then has each section taken by its own file. A section that the schema refuses is still
 * taken as far as it goes, so takers believe no type.
 */
#ifndef FER_CONFIG_PARTS_H
#define FER_CONFIG_PARTS_H

#include "buf.h"
#include "config.h"
#include "json_value.h"
#include "map.h"

#define FER_CONFIG_PROBLEMS 1000 /* that are told */

typedef struct fer_configure {
    fer_arena *a;
    const fer_json *doc;
    const fer_config_world *world;
    fer_config *out;
    fer_config_problem *problems;
    size_t problem_cap;
    fer_config_server *servers;
    size_t server_cap;
    fer_map namespaces; /* of servers and APIs: where each was first */
    fer_map commands;   /* the same of commands, by namespace and name, and of their namespaces */
    fer_code failure;   /* of memory */
} fer_configure;

void fer_configure_tell(fer_configure *c, fer_severity severity, const yyjson_val *at, fer_str hint,
                        const char *format, ...) FER_PRINTF(5, 6);
#define FER_CONFIG_ERROR(c, at, ...)                                                               \
    fer_configure_tell((c), FER_SEVERITY_ERROR, (at), FER_STR_NONE, __VA_ARGS__)
/* Remembers that memory was refused. */
void fer_configure_no_memory(fer_configure *c);

/* A member that is a string, number or flag; else what stands for none. */
fer_str fer_configure_text(const yyjson_val *object, const char *key);
int64_t fer_configure_number(const yyjson_val *object, const char *key);
bool fer_configure_flag(const yyjson_val *object, const char *key);
/* A path of the file, as seen from its folder. */
fer_str fer_configure_path(fer_configure *c, fer_str path);
/* Tells of secrets on a command line, which everybody on the machine can see: a reference is an
 * error, what looks like a secret a warning. `hint`: where it belongs. */
void fer_configure_args(fer_configure *c, const yyjson_val *list, fer_str hint);
/* Pairs of names and texts; `expand`: with ${...} filled in. */
fer_config_pairs fer_configure_pairs(fer_configure *c, const yyjson_val *object, bool expand,
                                     bool headers);
/* A list of texts. */
const fer_str *fer_configure_texts(fer_configure *c, const yyjson_val *list, bool expand,
                                   size_t *count);
/* Whether the URL is one that can be asked; else it is told. */
bool fer_configure_url(fer_configure *c, const yyjson_val *at, fer_str url);
/* Claims a namespace; told where it is taken. */
void fer_configure_claim(fer_configure *c, const yyjson_val *key, fer_str ns);
/* Gives the buffer's text, or empty and a failure. */
fer_str fer_configure_done(fer_configure *c, const fer_buf *b);
void fer_configure_add_pairs(fer_buf *b, const char *key, fer_config_pairs pairs);
void fer_configure_add(fer_buf *b, const char *key, fer_str text);
/* A value as JSON. */
fer_str fer_configure_json(fer_configure *c, const yyjson_val *value, const char *skip);

/*
 * Fills in ${...}: ${VAR}, ${VAR:-default}, ${env:VAR}, ${userHome}, ${workspaceFolder},
 * ${workspaceFolderBasename}, ${pathSeparator} and ${/}. What cannot be filled in is told.
 */
fer_str fer_configure_expand(fer_configure *c, const yyjson_val *at, fer_str text);

/* Sections. */
void fer_configure_oauth(fer_configure *c, const yyjson_val *v, fer_config_oauth *out);
/* Where calls have tokens by `oauth`, nothing else may stand in their place. */
void fer_configure_share(fer_configure *c, const yyjson_val *oauth, fer_str url,
                         const fer_config_pairs *headers);
void fer_configure_servers(fer_configure *c, const yyjson_val *servers);
/* After servers and APIs, whose namespaces are known then. */
void fer_configure_commands(fer_configure *c, const yyjson_val *commands);
void fer_configure_apis(fer_configure *c, const yyjson_val *apis);
void fer_configure_routes(fer_configure *c, const yyjson_val *tools);
void fer_configure_add_routes(fer_buf *b, const fer_config *c);
void fer_configure_issuers(fer_configure *c, const yyjson_val *serve, fer_config_serve *out);
void fer_configure_serve(fer_configure *c, const yyjson_val *serve);
void fer_configure_code(fer_configure *c, const yyjson_val *code);
void fer_configure_scalars(fer_configure *c, const yyjson_val *root);
/* Whether tools that every gateway has are of this namespace. */
bool fer_configure_is_built_in(fer_str ns);
/* After all of them: what cannot have an effect. */
void fer_configure_idle(fer_configure *c, const yyjson_val *root);

/* As fer_config_load, but a failure has its place beside its message, not in it. */
fer_code fer_config_load_placed(fer_arena *a, const char *file, fer_config *out, fer_err *err);

/* JSON as editors have it: comments and commas behind the last member become blanks. */
fer_str fer_jsonc_clean(fer_arena *a, fer_str text);
/* The byte behind the comment that starts at `at`; `at` itself where none does. */
size_t fer_jsonc_comment_end(fer_str s, size_t at);

/* The schema's text (made from docs/schemas/config.schema.json). */
extern const char fer_text_config_schema[];

#endif
