/* SPDX-License-Identifier: Apache-2.0 */
/* contains, minContains, maxContains */
#include "explain.h"
#include "families.h"

struct contains {
    const fer_node *node;
    uint64_t min, max;
    bool marks; /* from 2020-12 on, items that it found count as evaluated */
    const yyjson_val *min_source, *max_source;
};

static fer_step verdict(const struct contains *d, const fer_frame *f)
{
    return f->hits >= d->min && f->hits <= d->max ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct contains *d = i->data;
    f->cursor = f->cursor ? fer_val_next(f->cursor) : f->value + 1;
    if (f->cursor >= fer_val_next(f->value)) return verdict(d, f);
    f->index++;
    fer_vm_call(vm, d->node, f->cursor, KW_CONTAINS, 0);
    vm->call.plain = true;
    return FER_STEP_CALL;
}

static fer_step hear(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    const struct contains *d = i->data;
    if (!valid) return FER_STEP_CALL;
    f->hits++;
    if (d->marks && !fer_vm_mark(vm, f, f->index - 1)) return FER_STEP_ERROR;
    if (fer_vm_all(vm, f)) return FER_STEP_CALL;
    if (f->hits > d->max) return FER_STEP_FAIL;
    return f->hits >= d->min && d->max == UINT64_MAX ? FER_STEP_PASS : FER_STEP_CALL;
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct contains *d = i->data;
    size_t failed = 0;
    for (const fer_unit *b = u->first; b; b = b->next) {
        failed += &u->node->insts[b->by] == i && !b->valid;
    }
    size_t hits = fer_val_len(u->value) - failed;
    bool few = hits < d->min;
    const yyjson_val *source = few ? d->min_source : d->max_source;
    fer_violation *v =
        fer_tell(t, u, source ? source : i->source, FER_CONSTRAINT_VIOLATION, u->value);
    if (!v) return;
    uint64_t limit = few ? d->min : d->max;
    fer_str simple = fer_say_simply(t, i->source);
    fer_str kind = simple.len ? simple : fer_say_json(t, i->source, 300);
    const char *verb = simple.len ? (limit == 1 ? "is" : "are") : limit == 1 ? "fits" : "fit";
    v->expected = fer_say(t, "%s %llu item%s that %s %.*s", few ? "at least" : "at most",
                          (unsigned long long)limit, limit == 1 ? "" : "s", verb, FER_PRI(kind));
    v->actual = fer_say(t, "%zu", hits);
    v->message = fer_say(t, "%.*s must have %.*s, but has %zu.", FER_PRI(fer_say_field(t, v)),
                         FER_PRI(v->expected), hits);
    uint64_t off = few ? d->min - hits : hits - d->max;
    v->hint = fer_say(t, "%s %llu such item%s.", few ? "Add" : "Take out", (unsigned long long)off,
                      off == 1 ? "" : "s");
}

static void lower(fer_rows *l, const fer_inst *i)
{
    const struct contains *d = i->data;
    fer_quick_contains *q = fer_lower_alloc(l, sizeof *q);
    if (!q) return;
    *q = (fer_quick_contains){.min = d->min, .max = d->max, .marks = d->marks};
    fer_lower_want(l, &q->code, d->node);
    fer_lower_add(l, FER_Q_CONTAINS, FER_ON_ARRAY)->data = q;
}

static const fer_op contains_op = {.name = "contains",
                                   .on = FER_ON_ARRAY,
                                   .next = next,
                                   .hear = hear,
                                   .explain = explain,
                                   .lower = lower};

void fer_compile_contains(fer_build *b)
{
    struct contains *d = fer_build_alloc(b, 1, sizeof *d);
    if (!d) return;
    d->node = fer_build_child(b, fer_build_value(b, KW_CONTAINS));
    d->min_source = fer_build_value(b, KW_MIN_CONTAINS);
    d->max_source = fer_build_value(b, KW_MAX_CONTAINS);
    d->min = d->min_source ? fer_build_count(d->min_source) : 1;
    d->max = d->max_source ? fer_build_count(d->max_source) : UINT64_MAX;
    d->marks = !fer_build_before(b, FER_DIALECT_2020_12);
    if (d->node) fer_build_add(b, &contains_op, KW_CONTAINS)->data = d;
}
