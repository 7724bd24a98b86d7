/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog_limits.h"

#include "body.h"

const struct fer_catalog_limit_row fer_catalog_limit_rows[] = {
    {"catalog.tools", FER_CATALOG_MAX, false, "tools of one catalogue"},
    {"catalog.tool", FER_BODY_MAX, false, "bytes of one tool in a catalogue"},
    {"catalog.batch", FER_BATCH_MAX, false, "changes of one batch"},
    {"catalog.backends", FER_BACKENDS_MAX, false, "backends of one tool"},
    {"catalog.listeners", FER_LISTENERS_MAX, false, "listeners of one catalogue"},
    {"search.query", FER_QUERY_MAX, false, "bytes of a query"},
    {"uses.tenants", FER_TENANTS_MAX, false, "tenants whose uses are remembered"},
    {"uses.tenant", FER_TENANT_NAME, false, "bytes of a tenant's name"},
    {"uses.query", FER_USE_QUERY, false, "bytes of a query that is remembered"},
    {"uses.file", FER_USES_FILE, false, "bytes of the file of uses"},
    {"example.depth", FER_EXAMPLE_DEPTH, false,
     "objects and arrays inside each other in the arguments of an example"},
    {"example.size", FER_EXAMPLE_SIZE, false, "keys and items in the arguments of an example"},
    {"catalog.problems", FER_PROBLEMS_MAX, true,
     "problems of one batch that are told; all are counted"},
    {"search.hits", FER_HITS_MAX, true,
     "tools that are found for one query, on all pages; half of it where pages hold at most 25, a quarter at most 10"},
    {"search.twins", FER_TWINS_MAX, true,
     "tools with the same definition that are named beside one that was found; all are counted"},
    {"uses.kept", FER_USES_MAX, true,
     "uses that are remembered of one tenant; the oldest make room"},
    {"catalog.past", FER_PAST_MAX, true,
     "definitions that a catalogue with a quarantine remembers of tools that are gone, and of those that were rejected; past it new tools are held back"},
    {"catalog.events", FER_EVENTS_KEPT, true, "latest events that a catalogue keeps"},
    {"page.size", FER_PAGE_MAX, true, "things on a page"},
    {"page.default", FER_PAGE_SIZE, true, "things on a page where nobody says how many"},
    {"summary.short", FER_SUMMARY_SHORT, true, "characters of shortDescription and summary"},
    {"doc.summary", FER_DOC_SUMMARY, true, "characters of the summary of a ToolDoc"},
    {"doc.notes", FER_DOC_NOTES, true, "characters of its notes"},
    {"doc.examples", FER_EXAMPLES_MAX, true, "examples that are shown of one tool"},
    {"doc.refs", FER_REFS_MAX, true, "external references that are shown of one tool"},
    {"example.description", FER_EXAMPLE_DESCRIPTION, true,
     "characters of an example's description"},
    {"example.hint", FER_EXAMPLE_HINT, true, "characters of its resultHint"},
};
const size_t fer_catalog_limit_row_count = FER_COUNT(fer_catalog_limit_rows);
