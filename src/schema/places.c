/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of many values in their texts: document by document, each gone through once, in
 * order.
 */
#include <stdlib.h>

#include "json_doc.h"
#include "result.h"

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

/* The document of a finding's keyword, where that is in it. */
static const fer_json *home_of(const struct fer_schema *s, const fer_violation *v)
{
    const fer_json *home = v->unit ? fer_node_resource(s, v->unit->node)->doc : NULL;
    return is_in(home, v->schema) ? home : NULL;
}

/* Findings are in the order of the instance's text. */
static void fill_instance(const fer_json *doc, fer_violation *list, size_t count)
{
    fer_placer placer;
    fer_placer_init(&placer, doc);
    for (size_t i = 0; i < count; i++) {
        if (is_in(doc, list[i].value)) list[i].place = fer_placer_to(&placer, list[i].value);
    }
}

fer_code fer_places_fill(fer_arena *scratch, const struct fer_schema *s, const fer_json *doc,
                         fer_violation *list, size_t count, fer_err *err)
{
    if (doc) fill_instance(doc, list, count);
    if (count == 1) {
        const fer_json *home = home_of(s, list);
        if (home) list->schema_place = fer_json_place(home, list->schema);
        return FER_OK;
    }
    struct wanted *wanted = fer_arena_alloc(scratch, (count + 1) * sizeof *wanted);
    if (!wanted) return fer_arena_failed(scratch, err);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        fer_violation *v = &list[i];
        const fer_json *home = home_of(s, v);
        if (home) wanted[n++] = (struct wanted){home, v->schema, &v->schema_place};
    }
    qsort(wanted, n, sizeof *wanted, in_order);
    fer_placer placer = {0};
    for (size_t i = 0; i < n; i++) {
        if (placer.doc != wanted[i].doc) fer_placer_init(&placer, wanted[i].doc);
        *wanted[i].out = fer_placer_to(&placer, wanted[i].value);
    }
    return FER_OK;
}
