/* SPDX-License-Identifier: Apache-2.0 */
/* Validating: the verdict alone, or everything about it. */
#include <stdlib.h>

#include "errors.h"
#include "json_pointer.h"
#include "quick.h"
#include "result.h"
#include "vm.h"

#define NEAR_MAX 10000 /* names that are compared for "did you mean" in one validation */
#define LOOK_MAX 50000 /* looks at alternatives to find which was meant */

/* Not inlined: its frame is large, and most verdicts do not need it. */
__attribute__((noinline)) static fer_code ask_machine(const fer_schema *s, fer_arena *scratch,
                                                      const yyjson_val *value, bool *valid,
                                                      fer_err *err)
{
    fer_vm vm = {.program = s, .arena = scratch, .err = err};
    return fer_vm_run(&vm, value, valid);
}

fer_code fer_schema_accepts(const fer_schema *s, fer_arena *scratch, const yyjson_val *value,
                            bool *valid, fer_err *err)
{
    fer_quick_verdict verdict = fer_quick_ask(s, scratch, value);
    if (verdict == FER_QUICK_UNKNOWN) return ask_machine(s, scratch, value, valid, err);
    *valid = verdict == FER_QUICK_YES;
    return FER_OK;
}

/* The same, and how far the quick form came: the reasons are found sooner then. Machine code does
 * not tell, so it is asked for the many values that are valid. */
static fer_code judge(const fer_schema *s, fer_arena *scratch, const yyjson_val *value, bool *valid,
                      const yyjson_val **reached, fer_err *err)
{
    fer_quick_verdict verdict = FER_QUICK_UNKNOWN;
    if (s->native.value) verdict = fer_quick_ask(s, scratch, value);
    if (s->quick && verdict != FER_QUICK_YES)
        verdict = fer_quick_reach(s, s->root->code, scratch, value, reached);
    if (verdict == FER_QUICK_UNKNOWN) return ask_machine(s, scratch, value, valid, err);
    *valid = verdict == FER_QUICK_YES;
    return FER_OK;
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
    size_t home;   /* the first resource of the schema's document: addresses tell nothing of two */
};

/* In the order of the instance's text; findings about one value keep the schema's order. */
static int by_place(const void *x, const void *y)
{
    const struct numbered *n = x, *m = y;
    const fer_violation *v = &n->violation, *w = &m->violation;
    if (v->value != w->value) return v->value < w->value ? -1 : 1;
    if (n->home != m->home) return n->home < m->home ? -1 : 1;
    if (v->schema != w->schema) return v->schema < w->schema ? -1 : 1;
    return n->number < m->number ? -1 : n->number > m->number;
}

/* Whether they are told in their order, as most are. */
static bool is_sorted(const fer_violation *list, size_t count)
{
    size_t right = 1;
    while (right < count && list[right - 1].value < list[right].value) right++;
    return right >= count;
}

static size_t home_of(const fer_schema *s, const fer_unit *u)
{
    const fer_json *doc = u ? fer_node_resource(s, u->node)->doc : NULL;
    size_t home = 0;
    while (home < s->home_count && s->homes[home]->resource->doc != doc) home++;
    return home;
}

static bool sort(fer_arena *a, const fer_schema *s, fer_violation *list, size_t count)
{
    if (is_sorted(list, count)) return true;
    struct numbered *sorted = fer_arena_alloc(a, count * sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct numbered){list[i], i, home_of(s, list[i].unit)};
    }
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
    if (t.count > 1 && !sort(r->arena, r->program, t.list, t.count))
        return fer_arena_failed(r->arena, err);
    r->violations = t.list;
    r->violation_count = t.count;
    r->cut |= t.cut;
    return fer_places_fill(r->arena, r->program, doc, t.list, t.count, err);
}

/* The one finding of a validation that took too long, or of one whose reasons did. */
static fer_code tell_budget(fer_result *r, const fer_json *doc, bool judged, fer_err *err)
{
    fer_violation *v = fer_arena_alloc_zero(r->arena, 1, sizeof *v);
    const char *what = judged ? "The value does not fit the schema; finding out where takes"
                              : "The value is too large or too entangled for this schema: "
                                "checking it takes";
    fer_str message =
        fer_arena_printf(r->arena, "%s more than %zu steps.", what, r->program->steps);
    if (!v || !message.ptr) return fer_arena_failed(r->arena, err);
    *v = (fer_violation){.code = judged ? FER_CONSTRAINT_VIOLATION : FER_VALIDATION_BUDGET_EXCEEDED,
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

#define NOTES_MAX ((size_t)8 << 20) /* bytes of all annotations' texts; what is beyond is cut */

/* Annotations that are being made. */
struct notes {
    fer_result *result;
    fer_finder walk;   /* over the fields */
    fer_map locations; /* of keywords, by their address in the schema */
    size_t bytes;      /* so far */
    bool full;
};

/* The location of a keyword, which many values may share. */
static fer_str location_of(struct notes *notes, const fer_unit *u, const yyjson_val *source)
{
    fer_arena *a = notes->result->arena;
    fer_str address = {(const char *)&source, sizeof source};
    fer_str *known = fer_map_get(&notes->locations, address);
    if (known) return *known;
    known = fer_arena_alloc(a, sizeof *known);
    address = fer_arena_copy(a, address);
    void **place = known && address.ptr ? fer_map_put(&notes->locations, address) : NULL;
    if (!place) return FER_STR_NONE;
    *known = fer_schema_location(a, notes->result->program, u->node, source);
    *place = known->ptr ? known : NULL;
    return *known;
}

static bool add_note(void *context, const fer_unit *u, fer_str keyword, const yyjson_val *source,
                     fer_str json)
{
    struct notes *notes = context;
    fer_result *r = notes->result;
    fer_annotation *list = fer_arena_room(r->arena, r->annotations, r->annotation_count,
                                          &r->annotation_cap, sizeof *list);
    if (!list) return false;
    r->annotations = list;
    fer_annotation n = {.keyword = keyword, .json = json};
    fer_str field = fer_finder_to(&notes->walk, u->value);
    n.field = field.ptr ? fer_arena_copy(r->arena, field) : field;
    n.keyword_location = fer_evaluation_path(r->arena, u, keyword);
    n.absolute_location = location_of(notes, u, source);
    if (!n.field.ptr || !n.keyword_location.ptr || !n.absolute_location.ptr) return false;
    notes->bytes += n.field.len + n.keyword_location.len + json.len;
    notes->full = notes->bytes > NOTES_MAX;
    if (!notes->full) list[r->annotation_count++] = n;
    return !notes->full;
}

static fer_code note_all(fer_result *r, fer_err *err)
{
    struct notes notes = {.result = r};
    fer_finder_init(&notes.walk, r->arena, r->root);
    fer_map_init(&notes.locations, r->arena);
    for (const fer_unit *u = r->trace; u && !notes.full;) {
        bool counts = fer_unit_notes_count(u);
        bool all = !counts || fer_unit_notes(r->arena, r->program, u, add_note, &notes);
        if (!all && !notes.full) return fer_arena_failed(r->arena, err);
        u = fer_unit_next(r->trace, u, counts);
    }
    r->cut |= notes.full;
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
    const yyjson_val *reached = NULL;
    fer_code code = judge(s, a, value, &r->valid, &reached, err);
    bool judged = !code;
    if (!code && (!r->valid || keep_valid)) {
        bool traced;
        fer_trace trace = {.arena = a, .keep_valid = keep_valid};
        fer_vm vm = {.program = s, .arena = a, .err = err, .trace = &trace, .reached = reached};
        code = fer_vm_run(&vm, value, &traced);
        r->trace = trace.root;
        r->cut = trace.cut;
        if (!code && !r->valid) code = tell_all(r, doc, err);
    }
    if (code == FER_VALIDATION_BUDGET_EXCEEDED) {
        /* What is known of a value stays so, even where it takes too long to say why. */
        r->trace = NULL;
        r->cut = judged;
        code = judged && r->valid ? FER_OK : tell_budget(r, doc, judged, err);
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
    fer_result *r = NULL;
    bool annotations = options && options->annotations;
    fer_code code = fer_validate_traced(a, s, doc, value, options, annotations, &r, err);
    if (code || !r) return code;
    if (annotations && r->valid) code = note_all(r, err);
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
