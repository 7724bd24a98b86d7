/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of many values in their texts. A document counts its tokens to find one value; for
 * many it makes an index once and goes through the text once, in order.
 */
#include <stdlib.h>

#include "json_doc.h"
#include "result.h"

#define FEW 3 /* values that are looked up one by one */

/* A place that is wanted. */
struct wanted {
    const fer_json *doc;
    const yyjson_val *value;
    fer_place *out;
};

static int in_order(const void *x, const void *y)
{
    const struct wanted *v = x, *w = y;
    if (v->doc != w->doc) return v->doc < w->doc ? -1 : 1;
    return v->value < w->value ? -1 : v->value > w->value;
}

static bool is_in(const fer_json *doc, const yyjson_val *v)
{
    return doc && v >= doc->vals && v < doc->vals + doc->count;
}

/* All from one document, in the order of its text. */
static fer_code fill(fer_arena *scratch, const struct wanted *list, size_t count, fer_err *err)
{
    if (count <= FEW) {
        for (size_t i = 0; i < count; i++)
            *list[i].out = fer_json_place(list[i].doc, list[i].value);
        return FER_OK;
    }
    fer_json doc = *list[0].doc; /* the index is for here only: the document is shared */
    fer_code code = fer_json_index(scratch, &doc, err);
    if (code) return code;
    fer_lines lines;
    fer_lines_init(&lines, doc.text);
    for (size_t i = 0; i < count; i++) {
        *list[i].out = fer_lines_place(&lines, fer_json_offset(&doc, list[i].value));
    }
    return FER_OK;
}

fer_code fer_places_fill(fer_arena *scratch, const struct fer_schema *s, const fer_json *doc,
                         fer_violation *list, size_t count, fer_err *err)
{
    struct wanted *wanted = fer_arena_alloc(scratch, (count * 2 + 1) * sizeof *wanted);
    if (!wanted) return fer_arena_failed(scratch, err);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        fer_violation *v = &list[i];
        const fer_json *home = v->unit ? fer_node_resource(s, v->unit->node)->doc : NULL;
        if (is_in(doc, v->value)) wanted[n++] = (struct wanted){doc, v->value, &v->place};
        if (is_in(home, v->schema))
            wanted[n++] = (struct wanted){home, v->schema, &v->schema_place};
    }
    qsort(wanted, n, sizeof *wanted, in_order);
    fer_code code = FER_OK;
    for (size_t from = 0, to; from < n && !code; from = to) {
        for (to = from; to < n && wanted[to].doc == wanted[from].doc;) to++;
        code = fill(scratch, wanted + from, to - from, err);
    }
    return code;
}
