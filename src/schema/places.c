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
    size_t count = doc->text.len / STRIDE + 2; /* the last is where the text ends */
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

static bool is_marked(const struct fer_schema *s, const fer_json *home)
{
    return home == s->doc && s->marks;
}

/* Between two marks on one line that are as many columns as bytes apart, each byte is a column. */
static bool is_even(const struct fer_lines_at *mark)
{
    return mark[0].line == mark[1].line &&
           mark[1].column - mark[0].column == mark[1].offset - mark[0].offset;
}

static fer_place place_marked(const struct fer_schema *s, const yyjson_val *value)
{
    size_t offset = fer_json_offset(s->doc, value);
    const struct fer_lines_at *mark = &s->marks[offset / STRIDE];
    if (is_even(mark)) {
        uint32_t column = mark->column + (uint32_t)(offset - mark->offset);
        return (fer_place){offset, mark->line, column};
    }
    fer_lines lines = {s->doc->text, *mark, *mark};
    return fer_lines_place(&lines, offset);
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Findings are in the order of the instance's text. */
static void fill_instance(const fer_json *doc, fer_violation *list, size_t count)
{
    fer_placer placer;
    if (count == 1) {
        if (is_in(doc, list->value)) list->place = fer_json_place(doc, list->value);
        return;
    }
    fer_placer_init(&placer, doc);
    for (size_t i = 0; i < count; i++) {
        if (is_in(doc, list[i].value)) list[i].place = fer_placer_to(&placer, list[i].value);
    }
}

/* Places in schemas without marks: in the order of their texts. */
static fer_code fill_unmarked(fer_arena *scratch, const struct fer_schema *s, fer_violation *list,
                              size_t count, fer_err *err)
{
    struct wanted *wanted = fer_arena_alloc(scratch, count * sizeof *wanted);
    if (!wanted) return fer_arena_failed(scratch, err);
    size_t n = 0;
    for (fer_violation *v = list; v < list + count; v++) {
        const fer_json *home = home_of(s, v);
        if (!home || is_marked(s, home)) continue;
        wanted[n++] = (struct wanted){home, v->schema, &v->schema_place};
    }
    qsort(wanted, n, sizeof *wanted, in_order);
    fer_placer placer = {0};
    for (size_t i = 0; i < n; i++) {
        if (placer.doc != wanted[i].doc) fer_placer_init(&placer, wanted[i].doc);
        *wanted[i].out = fer_placer_to(&placer, wanted[i].value);
    }
    return FER_OK;
}

fer_code fer_places_fill(fer_arena *scratch, const struct fer_schema *s, const fer_json *doc,
                         fer_violation *list, size_t count, fer_err *err)
{
    bool unmarked = false;
    if (doc) fill_instance(doc, list, count);
    for (fer_violation *v = list; v < list + count; v++) {
        const fer_json *home = home_of(s, v);
        if (!home) continue;
        if (is_marked(s, home)) v->schema_place = place_marked(s, v->schema);
        else unmarked = true;
    }
    return unmarked ? fill_unmarked(scratch, s, list, count, err) : FER_OK;
}
