/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of tools that break a rule of quality, or just hold it. Inputs are JSON with ' in the
 * place of ", so that they can be read.
 */
#ifndef FER_QUALITY_ROWS_H
#define FER_QUALITY_ROWS_H

#include "quality.h"
#include "rows.h"

/* A tool that breaks no rule but those of its row. */
#define TOOL(name, more) "{'name':'" name "'," more "}"
#define TEXT                                                                                       \
    "'description':'Reads one thing and says what is known of it. Returns its name and state.'"
#define EMPTY "'inputSchema':{'type':'object'}"
/* One with these properties. */
#define INPUT(properties)                                                                          \
    TOOL("get_thing", TEXT ",'inputSchema':{'type':'object','properties':{" properties "}}")
#define OUTPUT(name, schema) TOOL(name, TEXT "," EMPTY ",'outputSchema':" schema)
#define SAYS                 "'description':'What it is about.'"

struct quality_row {
    const char *name;
    enum fer_quality_id rule;
    unsigned times; /* how often it is broken */
    const char *input;
    const char *before;  /* an input of another server, or NULL */
    const char *pointer; /* of the finding; NULL: any */
    const char *says;    /* in its message or hint; NULL: anything */
};

/* Runs the rows, each again while memory fails; returns how many failed. */
int quality_rows_run(const char *group, const struct quality_row *rows, size_t count);
/* Whether each rule of the group (ids that begin so) has three rows that break it, three that hold.
 */
int quality_rows_cover(const char *group, const struct quality_row *rows, size_t count);

#endif
