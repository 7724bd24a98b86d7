/* SPDX-License-Identifier: Apache-2.0 */
/* allOf, anyOf, oneOf, not */
#include "explain.h"
#include "families.h"

struct branches {
    enum fer_slot slot;
    size_t count;
    const fer_node *nodes[];
};

static fer_step ask(fer_vm *vm, fer_frame *f, const struct branches *d)
{
    fer_vm_call(vm, d->nodes[f->index], f->value, d->slot, f->index);
    vm->call.in_place = true;
    f->index++;
    return FER_STEP_CALL;
}

/* hits counts failures */
static fer_step next_all(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct branches *d = i->data;
    if (f->index < d->count) return ask(vm, f, d);
    return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
}

static fer_step hear_all(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (valid) return FER_STEP_CALL;
    f->hits++;
    return vm->trace ? FER_STEP_CALL : FER_STEP_FAIL;
}

/* hits counts successes */
static fer_step next_any(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct branches *d = i->data;
    if (f->index < d->count) return ask(vm, f, d);
    return f->hits ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step hear_any(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (!valid) return FER_STEP_CALL;
    f->hits++;
    return fer_vm_all(vm, f) ? FER_STEP_CALL : FER_STEP_PASS;
}

static fer_step next_one(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct branches *d = i->data;
    if (f->index < d->count) return ask(vm, f, d);
    return f->hits == 1 ? FER_STEP_PASS : FER_STEP_FAIL;
}

/* In a trace, state and the upper half of state remember the first two that matched. */
static fer_step hear_one(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (!valid) return FER_STEP_CALL;
    f->hits++;
    return f->hits > 1 && !vm->trace ? FER_STEP_FAIL : FER_STEP_CALL;
}

static fer_step next_not(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    if (f->index++) return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
    fer_vm_call(vm, i->node, f->value, KW_NOT, 0);
    vm->call.plain = true;
    vm->call.in_place = true;
    vm->call.drop = true;
    return FER_STEP_CALL;
}

static fer_step hear_not(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)vm;
    (void)i;
    f->hits = valid;
    return FER_STEP_CALL;
}

/* ---- telling ----------------------------------------------------------------------------- */

/* What a branch is called: its title, or its number. */
static fer_str branch_name(fer_teller *t, const struct branches *d, size_t n)
{
    const yyjson_val *schema = d->nodes[n]->schema;
    const yyjson_val *title = fer_is_obj(schema) ? fer_val_get(schema, "title") : NULL;
    if (fer_is_str(title))
        return fer_say(t, "\"%.*s\"", FER_PRI(fer_str_head(fer_val_str(title), 60)));
    return fer_say(t, "%zu", n);
}

static void list_branches(fer_teller *t, fer_violation *v, const struct branches *d)
{
    size_t shown = d->count < 50 ? d->count : 50;
    fer_str *names = fer_arena_alloc(t->arena, shown ? shown * sizeof *names : 1);
    if (!names) return;
    for (size_t n = 0; n < shown; n++) names[n] = branch_name(t, d, n);
    v->allowed = names;
    v->allowed_count = shown;
}

/* No branch stands out: says so, and what each of them is. */
static void tell_none(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct branches *d = i->data;
    fer_violation *v = fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, u->value);
    if (!v) return;
    list_branches(t, v, d);
    v->actual = fer_say_actual(t, v, u->value);
    v->expected = fer_say(t, "%s of %zu alternatives", i->op->name, d->count);
    v->message = fer_say(t, "%.*s fits none of %zu alternatives; it is %.*s.",
                         FER_PRI(fer_say_field(t, v)), d->count, FER_PRI(v->actual));
    v->hint =
        fer_say(t, "Choose one of: %.*s", FER_PRI(fer_branches_in_words(t, d->nodes, d->count)));
}

/* The branch that was meant speaks for itself, and says why it was chosen. */
static void tell_branch(fer_teller *t, const fer_inst *i, const fer_unit *meant, const char *why)
{
    const struct branches *d = i->data;
    size_t before = t->count;
    fer_tell_unit(t, meant);
    for (size_t n = before; n < t->count; n++) {
        fer_violation *v = &t->list[n];
        if (v->code != FER_DISCRIMINATOR_MISMATCH) {
            v->message = fer_say(t, "%.*s (Alternative %.*s of `%.*s`, %s.)", FER_PRI(v->message),
                                 FER_PRI(branch_name(t, d, meant->branch)),
                                 FER_PRI(fer_val_str(i->source - 1)), why);
        }
    }
}

static void explain_any(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const char *why = "";
    const fer_unit *meant = fer_branch_meant(t, u, i, &why);
    size_t before = t->count;
    const struct branches *d = i->data;
    if (meant) tell_branch(t, i, meant, why);
    else if (fer_tell_tag(t, u, i, d->nodes, d->count)) return;
    if (t->count == before) tell_none(t, u, i);
}

static void explain_one(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct branches *d = i->data;
    uint64_t failed = 0;
    size_t failures = 0;
    for (const fer_unit *b = u->first; b; b = b->next) {
        if (&u->node->insts[b->by] != i || b->valid) continue;
        failures++;
        if (b->branch < 64) failed |= (uint64_t)1 << b->branch;
    }
    if (failures == d->count) {
        explain_any(t, u, i);
        return;
    }
    fer_violation *v = fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, u->value);
    if (!v) return;
    fer_buf b;
    fer_buf_init(&b, t->arena, 512);
    for (size_t n = 0, said = 0; n < d->count && n < 64 && said < 5; n++) {
        if (failed >> n & 1) continue;
        fer_buf_printf(&b, "%s%.*s", said++ ? " and " : "", FER_PRI(branch_name(t, d, n)));
    }
    list_branches(t, v, d);
    v->expected = FER_STR("exactly one alternative");
    v->actual = fer_say(t, "%zu fit", d->count - failures);
    v->message = fer_say(t, "%.*s must fit exactly one of %zu alternatives, but fits %zu: %.*s.",
                         FER_PRI(fer_say_field(t, v)), d->count, d->count - failures,
                         FER_PRI(fer_buf_view(&b)));
    v->hint = FER_STR("Change or take out what makes it fit the others.");
}

static void explain_not(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_CONSTRAINT_VIOLATION, u->value);
    if (!v) return;
    fer_str json = fer_say_json(t, i->source, 200);
    v->expected = fer_say(t, "a value that does not fit %.*s", FER_PRI(json));
    v->actual = fer_say_actual(t, v, u->value);
    v->message = fer_say(t, "%.*s must not fit %.*s, but does.", FER_PRI(fer_say_field(t, v)),
                         FER_PRI(json));
    v->hint = FER_STR("Change it so that it no longer fits that schema.");
}

static const fer_op all_op = {
    .name = "all", .next = next_all, .hear = hear_all, .explain = fer_tell_below};
static const fer_op any_op = {
    .name = "any", .next = next_any, .hear = hear_any, .explain = explain_any};
static const fer_op one_op = {
    .name = "one", .next = next_one, .hear = hear_one, .explain = explain_one};
static const fer_op not_op = {
    .name = "not", .next = next_not, .hear = hear_not, .explain = explain_not};

static void add_branches(fer_build *b, enum fer_slot slot, const fer_op *op)
{
    const yyjson_val *list = fer_build_value(b, slot);
    if (!list) return;
    struct branches *d = fer_build_alloc(b, 1, sizeof *d + fer_val_len(list) * sizeof d->nodes[0]);
    if (!d) return;
    d->slot = slot;
    FER_EACH_ITEM (list, item) {
        const fer_node *node = fer_build_child(b, item);
        if (!node) return;
        d->nodes[d->count++] = node;
    }
    fer_build_add(b, op, slot, FER_ON_ALL)->data = d;
}

void fer_compile_logic(fer_build *b)
{
    add_branches(b, KW_ALL_OF, &all_op);
    add_branches(b, KW_ANY_OF, &any_op);
    add_branches(b, KW_ONE_OF, &one_op);
    const yyjson_val *not = fer_build_value(b, KW_NOT);
    const fer_node *node = not ? fer_build_child(b, not ) : NULL;
    if (node) fer_build_add(b, &not_op, KW_NOT, FER_ON_ALL)->node = node;
}
