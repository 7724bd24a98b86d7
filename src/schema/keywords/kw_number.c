/* SPDX-License-Identifier: Apache-2.0 */
/* multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum: exact, whatever the size */
#include "explain.h"
#include "families.h"
#include "json_number.h"

/* Long numbers cost more, and so do exponents, which stand for many digits: what a division of
 * two is worth. */
static size_t cost(const yyjson_val *v)
{
    if (fer_val_type(v) != YYJSON_TYPE_RAW) return 0;
    fer_str text = fer_val_str(v);
    bool exponent = memchr(text.ptr, 'e', text.len) || memchr(text.ptr, 'E', text.len);
    return 1 + text.len * 4 + (exponent ? 500 : 0);
}

static fer_step check_multiple(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    if (!fer_vm_spend(vm, cost(v) + cost(i->source))) return FER_STEP_ERROR;
    return fer_number_multiple(v, i->source) ? FER_STEP_PASS : FER_STEP_FAIL;
}

static bool pay(fer_vm *vm, const yyjson_val *v, const yyjson_val *bound)
{
    return fer_vm_spend(vm, fer_vm_number_cost(v) + fer_vm_number_cost(bound));
}

static fer_step check_minimum(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    if (!pay(vm, v, i->source)) return FER_STEP_ERROR;
    return fer_number_cmp(v, i->source) >= 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_above(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    if (!pay(vm, v, i->source)) return FER_STEP_ERROR;
    return fer_number_cmp(v, i->source) > 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_maximum(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    if (!pay(vm, v, i->source)) return FER_STEP_ERROR;
    return fer_number_cmp(v, i->source) <= 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_below(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    if (!pay(vm, v, i->source)) return FER_STEP_ERROR;
    return fer_number_cmp(v, i->source) < 0 ? FER_STEP_PASS : FER_STEP_FAIL;
}

/* Multiples on both sides, where they are easily had. */
static fer_str hint_multiple(fer_teller *t, const fer_violation *v, const fer_inst *i)
{
    const yyjson_val *x = v->value, *m = i->source;
    bool whole = fer_val_tag(x) == FER_TAG_UINT && fer_val_tag(m) == FER_TAG_UINT;
    if (!whole || fer_is_hidden(t, v) || x->uni.u64 > UINT64_MAX / 2 ||
        m->uni.u64 > UINT64_MAX / 2) {
        return fer_say(t, "Send a number that is %.*s.", FER_PRI(v->expected));
    }
    uint64_t below = x->uni.u64 - x->uni.u64 % m->uni.u64;
    unsigned long long under = below, over = under + m->uni.u64;
    return fer_say(t, "Send a number that is %.*s, such as %llu or %llu.", FER_PRI(v->expected),
                   under, over);
}

/* Both bounds where there are two, so that the next try is not past the other one. */
static fer_str hint_range(fer_teller *t, const fer_unit *u, const fer_violation *v)
{
    const yyjson_val *schema = u->node->schema;
    const yyjson_val *min = fer_val_get(schema, "minimum"), *max = fer_val_get(schema, "maximum");
    bool open = fer_val_get(schema, "exclusiveMinimum") || fer_val_get(schema, "exclusiveMaximum");
    if (!min || !max || open)
        return fer_say(t, "Send a number that is %.*s.", FER_PRI(v->expected));
    return fer_say(t, "Send a number from %.*s to %.*s.", FER_PRI(fer_say_json(t, min, 120)),
                   FER_PRI(fer_say_json(t, max, 120)));
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
    v->hint = multiple ? hint_multiple(t, v, i) : hint_range(t, u, v);
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
