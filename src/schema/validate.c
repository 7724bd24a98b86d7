/* SPDX-License-Identifier: Apache-2.0 */
/* Validating: the verdict alone, or everything about it. */
#include <stdlib.h>

#include "errors.h"
#include "json_pointer.h"
#include "result.h"
#include "vm.h"

#define NEAR_MAX 10000 /* names that are compared for "did you mean" in one validation */
#define LOOK_MAX 50000 /* looks at alternatives to find which was meant */

#define NOTES_MAX ((size_t)16 << 20) /* bytes of the places of all annotations */

fer_code fer_schema_accepts(const fer_schema *s, fer_arena *scratch, const yyjson_val *value,
                            bool *valid, fer_err *err)
{
    fer_vm vm = {.program = s, .arena = scratch, .err = err};
    return fer_vm_run(&vm, value, valid);
}

/* ---- findings --------------------------------------------------------------------------- */

fer_teller fer_result_teller(fer_arena *a, const fer_result *r)
{
    return (fer_teller){.arena = a,
                        .program = r->program,
                        .root = r->root,
                        .options = &r->options,
                        .near_left = NEAR_MAX,
                        .look_left = LOOK_MAX,
                        .max = r->options.max_violations};
}

struct numbered {
    fer_violation violation;
    size_t number; /* in the order they were told */
};

/* In the order of the instance's text; findings about one value keep the schema's order. */
static int order(const fer_violation *v, const fer_violation *w)
{
    if (v->value != w->value) return v->value < w->value ? -1 : 1;
    if (v->schema != w->schema) return v->schema < w->schema ? -1 : 1;
    return 0;
}

static int by_place(const void *x, const void *y)
{
    const struct numbered *n = x, *m = y;
    int by = order(&n->violation, &m->violation);
    return by ? by : n->number < m->number ? -1 : n->number > m->number;
}

static bool sort(fer_arena *a, fer_violation *list, size_t count)
{
    size_t right = 1; /* most are told in their order */
    while (right < count && order(&list[right - 1], &list[right]) <= 0) right++;
    if (right >= count) return true;
    struct numbered *sorted = fer_arena_alloc(a, count * sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < count; i++) sorted[i] = (struct numbered){list[i], i};
    qsort(sorted, count, sizeof *sorted, by_place);
    for (size_t i = 0; i < count; i++) list[i] = sorted[i].violation;
    return true;
}

static fer_code tell_all(fer_result *r, const fer_json *doc, fer_err *err)
{
    fer_teller t = fer_result_teller(r->arena, r);
    fer_tell_unit(&t, r->trace);
    if (t.no_memory) return fer_arena_failed(r->arena, err);
    if (!t.count) {
        /* The trace was cut before anything that can be told. */
        fer_violation *v =
            fer_tell(&t, r->trace, r->program->value, FER_CONSTRAINT_VIOLATION, r->root);
        if (!v || t.no_memory) return fer_arena_failed(r->arena, err);
        v->message = FER_STR("The value does not fit the schema.");
    }
    if (t.count > 1 && !sort(r->arena, t.list, t.count)) return fer_arena_failed(r->arena, err);
    r->violations = t.list;
    r->violation_count = t.count;
    r->cut |= t.cut;
    return fer_places_fill(r->arena, r->program, doc, t.list, t.count, err);
}

/* The one finding of a validation that took too long. */
static fer_code tell_budget(fer_result *r, const fer_json *doc, fer_err *err)
{
    fer_violation *v = fer_arena_alloc_zero(r->arena, 1, sizeof *v);
    fer_str message = fer_arena_printf(
        r->arena,
        "The value is too large or too entangled for this schema: checking it takes more "
        "than %zu steps.",
        r->program->steps);
    if (!v || !message.ptr) return fer_arena_failed(r->arena, err);
    *v = (fer_violation){.code = FER_VALIDATION_BUDGET_EXCEEDED,
                         .message = message,
                         .hint = FER_STR("Send less at once."),
                         .value = r->root,
                         .keyword_location = FER_STR(""),
                         .absolute_location = FER_STR("#"),
                         .schema = r->program->value};
    if (doc) v->place = fer_json_place(doc, r->root);
    r->violations = v;
    r->violation_count = 1;
    return FER_OK;
}

/* ---- annotations ------------------------------------------------------------------------------
 */

const fer_unit *fer_unit_next(const fer_unit *top, const fer_unit *u, bool into)
{
    if (into && u->first) return u->first;
    while (u != top && !u->next) u = u->up;
    return u == top ? NULL : u->next;
}

static bool add_note(void *context, const fer_unit *u, fer_str keyword, const yyjson_val *source,
                     fer_str json)
{
    fer_result *r = context;
    fer_annotation *list = fer_arena_room(r->arena, r->annotations, r->annotation_count,
                                          &r->annotation_cap, sizeof *list);
    if (!list) return false;
    r->annotations = list;
    fer_buf field;
    fer_buf_init(&field, r->arena, NOTES_MAX);
    fer_pointer_of(&field, r->root, u->value);
    fer_annotation n = {.keyword = keyword, .json = json};
    n.field = field.ptr ? fer_buf_view(&field) : FER_STR("");
    n.keyword_location = fer_evaluation_path(r->arena, u, keyword);
    n.absolute_location = fer_schema_location(r->arena, r->program, u->node, source);
    if (field.arena_failed || !n.keyword_location.ptr || !n.absolute_location.ptr) return false;
    r->annotation_bytes += n.field.len + n.keyword_location.len + n.absolute_location.len;
    r->cut |= field.failure || r->annotation_bytes > NOTES_MAX;
    if (!r->cut) list[r->annotation_count++] = n;
    return true;
}

static fer_code note_all(fer_result *r, fer_err *err)
{
    const fer_unit *u = r->trace;
    while (u && !r->cut) {
        bool counts = fer_unit_notes_count(u);
        if (counts && !fer_unit_notes(r->arena, r->program, u, add_note, r)) {
            return fer_arena_failed(r->arena, err);
        }
        u = fer_unit_next(r->trace, u, counts);
    }
    return FER_OK;
}

/* ---- all of it
 * ------------------------------------------------------------------------------------ */

static fer_result *new_result(fer_arena *a, const fer_schema *s, const yyjson_val *value,
                              const fer_validate_options *options)
{
    fer_result *r = fer_arena_alloc_zero(a, 1, sizeof *r);
    if (!r) return NULL;
    r->arena = a;
    r->program = s;
    r->root = value;
    if (options) r->options = *options;
    if (!r->options.max_violations) r->options.max_violations = FER_VIOLATIONS_MAX;
    r->annotated = r->options.annotations;
    return r;
}

fer_code fer_validate_traced(fer_arena *a, const fer_schema *s, const fer_json *doc,
                             const yyjson_val *value, const fer_validate_options *options,
                             bool keep_valid, fer_result **out, fer_err *err)
{
    fer_result *r = new_result(a, s, value, options);
    if (!r) return fer_arena_failed(a, err);
    /* The verdict first: most values are valid, and then there is nothing to tell. */
    fer_code code = fer_schema_accepts(s, a, value, &r->valid, err);
    if (!code && (!r->valid || keep_valid)) {
        bool traced;
        fer_trace trace = {.arena = a, .keep_valid = keep_valid};
        fer_vm vm = {.program = s, .arena = a, .err = err, .trace = &trace};
        code = fer_vm_run(&vm, value, &traced);
        r->trace = trace.root;
        r->cut = trace.cut;
        if (!code && !r->valid) code = tell_all(r, doc, err);
    }
    if (code == FER_VALIDATION_BUDGET_EXCEEDED) {
        r->valid = false;
        r->trace = NULL;
        code = tell_budget(r, doc, err);
    }
    if (!code) *out = r;
    return code;
}

fer_code fer_schema_validate(fer_arena *a, const fer_schema *s, const fer_json *doc,
                             const yyjson_val *value, const fer_validate_options *options,
                             fer_result **out, fer_err *err)
{
    if (!value && !doc) return fer_fail(err, FER_BAD_USAGE, "There is no value to validate.");
    if (!value) value = fer_json_root(doc);
    fer_result *r;
    bool annotations = options && options->annotations;
    fer_code code = fer_validate_traced(a, s, doc, value, options, annotations, &r, err);
    if (!code && annotations && r->valid) code = note_all(r, err);
    if (!code) *out = r;
    return code;
}

bool fer_result_valid(const fer_result *r)
{
    return r->valid;
}

const fer_violation *fer_result_violations(const fer_result *r, size_t *count)
{
    *count = r->violation_count;
    return r->violations;
}

bool fer_result_cut(const fer_result *r)
{
    return r->cut;
}

const fer_annotation *fer_result_annotations(const fer_result *r, size_t *count)
{
    *count = r->annotation_count;
    return r->annotations;
}
