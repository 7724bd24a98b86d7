/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema that a command works with: a file (JSON or YAML), or the input or output
 * schema of a tool; with the schemas that were registered for it, and its program.
 * Life: init -> open_file | open_tool -> compile -> deinit. Reads files; app only.
 */
#ifndef FER_SOURCE_H
#define FER_SOURCE_H

#include <ferrule/schema.h>

#include "inputs.h"
#include "json_doc.h"
#include "report.h"

typedef struct fer_source {
    fer_app *app;
    fer_arena *arena;
    fer_str name;            /* of the file that is read, or was read last */
    fer_str text;            /* the whole of it; ptr NULL: it could not be read */
    fer_place base;          /* where the document's text starts in it; line 0: at the start */
    fer_json *doc;           /* that holds the schema */
    const yyjson_val *value; /* the schema in it */
    fer_registry *registry;  /* or NULL */
    fer_schema_options options;
    fer_schema *program; /* or NULL */
    int result;          /* of a command that works on it: its exit code when nothing failed */
} fer_source;

/* The options of the command that concern schemas, --register included. */
fer_code fer_source_init(fer_source *s, fer_app *app, fer_err *err);
void fer_source_deinit(fer_source *s);

/* Reads a schema from a file, "-" being standard input. */
fer_code fer_source_open_file(fer_source *s, const char *path, fer_err *err);
/* Finds a tool; its `field` is "inputSchema" or "outputSchema". */
fer_code fer_source_open_tool(fer_source *s, const char *tools, const char *id, const char *field,
                              fer_err *err);
fer_code fer_source_compile(fer_source *s, fer_err *err);

/*
 * The place in the whole file of a value whose place in its document is known; line 0: it is
 * in another document.
 */
fer_place fer_source_place(const fer_source *s, const yyjson_val *value, fer_place place);

/*
 * Reports why the schema cannot be used: everything that is wrong with it where `err` is
 * about its content, else `err` itself. NULL as kind: on standard error. Returns the exit code.
 */
int fer_source_refuse(fer_source *s, const fer_report_kind *kind, fer_report *report,
                      const fer_err *err);

/* Prints JSON text, pretty. */
fer_code fer_source_print(fer_source *s, fer_str text, fer_err *err);

/*
 * Runs a command that works on one schema, its only argument: what fails is shown on
 * standard error. Returns the exit code.
 */
typedef fer_code fer_source_work(fer_source *s, fer_app *app, fer_err *err);
int fer_source_run(fer_app *app, fer_source_work *work);

#endif
