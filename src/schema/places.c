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

/* ---- in the schema that was given -------------------------------------------------------- */

#define STRIDE   256               /* bytes from one mark to the next */
#define MARK_MAX ((size_t)1 << 20) /* bytes of a text that is marked */

/* A schema that is only a part of its document has none: it may be one of very many there. */
void fer_places_mark(struct fer_schema *s)
{
    const fer_json *doc = s->doc;
    if (!doc || s->value != fer_json_root(doc) || doc->text.len > MARK_MAX) return;
    size_t count = doc->text.len / STRIDE + 1;
    struct fer_lines_at *marks = fer_arena_alloc(s->arena, count * sizeof *marks);
    fer_lines lines;
    if (!marks) return; /* then places are counted from the start */
    fer_lines_init(&lines, doc->text);
    for (size_t n = 0; n < count; n++) {
        fer_lines_place(&lines, n * STRIDE);
        marks[n] = lines.last;
    }
    s->marks = marks;
}

static fer_place place_in(const struct fer_schema *s, const fer_json *home, const yyjson_val *value)
{
    size_t offset = fer_json_offset(home, value);
    fer_lines lines;
    fer_lines_init(&lines, home->text);
    if (home == s->doc && s->marks && offset < home->text.len) {
        lines.last = lines.mark = s->marks[offset / STRIDE];
    }
    return fer_lines_place(&lines, offset);
}

/* ---- all of them --------------------------------------------------------------------------- */

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
        if (home) list->schema_place = place_in(s, home, list->schema);
        return FER_OK;
    }
    struct wanted *wanted = fer_arena_alloc(scratch, (count + 1) * sizeof *wanted);
    if (!wanted) return fer_arena_failed(scratch, err);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        fer_violation *v = &list[i];
        const fer_json *home = home_of(s, v);
        if (home == s->doc && s->marks) v->schema_place = place_in(s, home, v->schema);
        else if (home) wanted[n++] = (struct wanted){home, v->schema, &v->schema_place};
    }
    qsort(wanted, n, sizeof *wanted, in_order);
    fer_placer placer = {0};
    for (size_t i = 0; i < n; i++) {
        if (placer.doc != wanted[i].doc) fer_placer_init(&placer, wanted[i].doc);
        *wanted[i].out = fer_placer_to(&placer, wanted[i].value);
    }
    return FER_OK;
}
