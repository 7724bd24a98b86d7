/* SPDX-License-Identifier: Apache-2.0 */
/* multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum: exact, whatever the size */
#include "explain.h"
#include "families.h"
#include "json_number.h"

/* Long numbers cost more: what a division or comparison of two is worth. */
static size_t cost(const yyjson_val *v)
{
    return fer_val_type(v) == YYJSON_TYPE_RAW ? 1 + fer_val_len(v) * 4 : 0;
}

static fer_step check_multiple(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    if (!fer_vm_spend(vm, cost(v) + cost(i->source))) return FER_STEP_ERROR;
    return fer_number_multiple(v, i->source) ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_minimum(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    (void)vm;
    return fer_number_cmp(v, i->source) >= 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_above(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    (void)vm;
    return fer_number_cmp(v, i->source) > 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_maximum(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    (void)vm;
    return fer_number_cmp(v, i->source) <= 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_below(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    (void)vm;
    return fer_number_cmp(v, i->source) < 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    bool multiple = i->op->check == check_multiple;
    fer_violation *v =
        fer_tell(t, u, i->source, multiple ? FER_CONSTRAINT_VIOLATION : FER_OUT_OF_RANGE, u->value);
    if (!v) return;
    v->expected = fer_say(t, "%s %.*s", i->op->name, FER_PRI(fer_say_json(t, i->source, 120)));
    v->actual = fer_say_value(t, v, u->value);
    v->message = fer_say(t, "%.*s must be %.*s, but is %.*s.", FER_PRI(fer_say_field(t, v)),
                         FER_PRI(v->expected), FER_PRI(v->actual));
    v->hint = fer_say(t, "Send a number that is %.*s.", FER_PRI(v->expected));
}

static const fer_op multiple_op = {
    .name = "a multiple of", .check = check_multiple, .explain = explain};
static const fer_op minimum_op = {.name = "at least", .check = check_minimum, .explain = explain};
static const fer_op above_op = {.name = "greater than", .check = check_above, .explain = explain};
static const fer_op maximum_op = {.name = "at most", .check = check_maximum, .explain = explain};
static const fer_op below_op = {.name = "less than", .check = check_below, .explain = explain};

void fer_compile_number(fer_build *b)
{
    const yyjson_val *above = fer_build_value(b, KW_EXCLUSIVE_MINIMUM);
    const yyjson_val *below = fer_build_value(b, KW_EXCLUSIVE_MAXIMUM);
    bool old = b->rules->bit == FER_IN_4; /* there, the exclusive ones are flags */
    if (fer_build_value(b, KW_MULTIPLE_OF)) {
        fer_build_add(b, &multiple_op, KW_MULTIPLE_OF, FER_ON_NUMBER);
    }
    if (fer_build_value(b, KW_MINIMUM)) {
        const fer_op *op = old && fer_is_true(above) ? &above_op : &minimum_op;
        fer_build_add(b, op, KW_MINIMUM, FER_ON_NUMBER);
    }
    if (fer_build_value(b, KW_MAXIMUM)) {
        const fer_op *op = old && fer_is_true(below) ? &below_op : &maximum_op;
        fer_build_add(b, op, KW_MAXIMUM, FER_ON_NUMBER);
    }
    if (above && !old) fer_build_add(b, &above_op, KW_EXCLUSIVE_MINIMUM, FER_ON_NUMBER);
    if (below && !old) fer_build_add(b, &below_op, KW_EXCLUSIVE_MAXIMUM, FER_ON_NUMBER);
}
