/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tools of the catalogue are served under their own names, and what these are. A tool that is
 * the only one of its name has that name; where several share one, or a meta tool has it, it is
 * NAMESPACE__NAME. Where even that is not unique, or longer than a name may be, the tool is not
 * served, and counted. Of several versions of a tool the highest release is served.
 *
 * Made from a view of the catalogue and made anew when that has changed. One thread.
 */
#ifndef FER_EXPORTS_H
#define FER_EXPORTS_H

#include "map.h"
#include "serve.h"
#include "sight.h"

typedef struct fer_export {
    fer_str name; /* that clients see */
    fer_str id;   /* without version */
    fer_str key;  /* the ID that the definition has in the view, which nobody is shown */
    bool mirrors; /* arguments may be said in headers, too (x-mcp-header) */
} fer_export;

typedef struct fer_exports {
    fer_arena *arena;           /* NULL: never made */
    const fer_catalog *catalog; /* that the view is of */
    fer_view *view;             /* that it is of */
    uint64_t stamp;             /* of the filter that was asked */
    fer_export *list;           /* by name */
    size_t count;
    size_t left_out; /* tools that have no name of their own here */
    fer_map names;   /* fer_export by name */
    uint64_t digest; /* of all that is shown */
} fer_exports;

/* What is wanted of it. */
typedef struct fer_exports_wish {
    fer_catalog *catalog;
    bool meta; /* meta tools stand beside them */
    const fer_str *expose;
    size_t expose_count;
    const fer_filter *filter; /* what may be used at all; or NULL */
    const fer_sight *sight;   /* which definition a name stands for; NULL: the catalogue's */
    uint64_t stamp;           /* another one for each state of what the filter takes */
} fer_exports_wish;

/* Whether it shows this catalogue as it is now, by a filter of this stamp. */
bool fer_exports_are_current(const fer_exports *e, fer_catalog *catalog, uint64_t stamp);
/* Makes it anew; `*news` (or NULL): what is shown has changed since the last time. */
fer_code fer_exports_refresh(fer_exports *e, const fer_exports_wish *o, bool *news, fer_err *err);
void fer_exports_deinit(fer_exports *e);
const fer_export *fer_exports_find(const fer_exports *e, fer_str name);
/* Whether an ID without version is one of those that may be served under its name. */
bool fer_exports_takes(const fer_exports_wish *o, fer_arena *scratch, fer_str id);

/* Adds the definition of a tool as MCP has it in this version. */
fer_code fer_export_write(fer_arena *a, const fer_exports *e, const fer_export *x,
                          const fer_mcp_version *v, fer_buf *b, fer_err *err);

#endif
