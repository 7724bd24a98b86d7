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
    v->expected =
        FER_JOIN(t, fer_str_of(i->op->name), FER_STR(" "), fer_say_json(t, i->source, 120));
    v->actual = fer_say_value(t, v, u->value);
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" must be "), v->expected,
                          FER_STR(", but is "), v->actual, FER_STR("."));
    v->hint = multiple ? hint_multiple(t, v, i) : hint_range(t, u, v);
}

/* ---- the quick form -------------------------------------------------------------------------- */

/*
 * Bounds as binary64. A number and a bound that 64 bits hold are in the same order as their
 * nearest binary64 are, as long as the bound is below 2^53: it is exact, or the shortest decimal
 * of its binary64 (json_number.h). Numbers that 64 bits do not hold are asked about as they are.
 */
static bool as_double(const yyjson_val *bound, double *out)
{
    const double exact = 9007199254740992.0;
    switch (fer_val_tag(bound)) {
    case FER_TAG_UINT: *out = (double)bound->uni.u64; break;
    case FER_TAG_SINT: *out = (double)bound->uni.i64; break;
    case FER_TAG_REAL: *out = bound->uni.f64; break;
    default: return false;
    }
    return *out<exact && * out> - exact;
}

/* The next binary64 up. */
static double next_up(double d)
{
    int64_t bits;
    if (d == 0) d = 0; /* of -0 and 0 the same */
    memcpy(&bits, &d, sizeof bits);
    bits += bits < 0 ? -1 : 1;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static void lower_low(fer_rows *l, const fer_inst *i)
{
    double bound;
    if (!as_double(i->source, &bound)) {
        fer_lower_check(l, i, FER_ON_NUMBER);
        return;
    }
    fer_quick *row = fer_lower_row(l, FER_Q_RANGE, FER_TYPE_BIT(YYJSON_TYPE_NUM));
    if (i->op->check == check_above) bound = next_up(bound);
    if (bound > row->low)
        row->low = bound; /* with both kinds of low end, the narrower one counts */
    fer_lower_check(l, i, FER_TYPE_BIT(YYJSON_TYPE_RAW));
}

static void lower_multiple(fer_rows *l, const fer_inst *i)
{
    bool whole = fer_val_tag(i->source) == FER_TAG_UINT && i->source->uni.u64 > 0;
    if (!whole) {
        fer_lower_check(l, i, FER_ON_NUMBER);
        return;
    }
    fer_quick *row = fer_lower_add(l, FER_Q_MULTIPLE, FER_ON_NUMBER);
    row->inst = i;
    row->max = i->source->uni.u64;
}

static void lower_high(fer_rows *l, const fer_inst *i)
{
    double bound;
    if (!as_double(i->source, &bound)) {
        fer_lower_check(l, i, FER_ON_NUMBER);
        return;
    }
    fer_quick *row = fer_lower_row(l, FER_Q_RANGE, FER_TYPE_BIT(YYJSON_TYPE_NUM));
    if (i->op->check == check_below) bound = -next_up(-bound);
    if (bound < row->high) row->high = bound;
    fer_lower_check(l, i, FER_TYPE_BIT(YYJSON_TYPE_RAW));
}

static const fer_op multiple_op = {.name = "a multiple of",
                                   .on = FER_ON_NUMBER,
                                   .check = check_multiple,
                                   .explain = explain,
                                   .lower = lower_multiple};
#define BOUND_OP(words, how, where)                                                                \
    {                                                                                              \
        .name = (words), .on = FER_ON_NUMBER, .check = (how), .explain = explain, .lower = (where) \
    }
static const fer_op minimum_op = BOUND_OP("at least", check_minimum, lower_low);
static const fer_op above_op = BOUND_OP("greater than", check_above, lower_low);
static const fer_op maximum_op = BOUND_OP("at most", check_maximum, lower_high);
static const fer_op below_op = BOUND_OP("less than", check_below, lower_high);

void fer_compile_number(fer_build *b)
{
    const yyjson_val *above = fer_build_value(b, KW_EXCLUSIVE_MINIMUM);
    const yyjson_val *below = fer_build_value(b, KW_EXCLUSIVE_MAXIMUM);
    bool old = b->rules->bit == FER_IN_4; /* there, the exclusive ones are flags */
    if (fer_build_value(b, KW_MULTIPLE_OF)) {
        fer_build_add(b, &multiple_op, KW_MULTIPLE_OF);
    }
    if (fer_build_value(b, KW_MINIMUM)) {
        const fer_op *op = old && fer_is_true(above) ? &above_op : &minimum_op;
        fer_build_add(b, op, KW_MINIMUM);
    }
    if (fer_build_value(b, KW_MAXIMUM)) {
        const fer_op *op = old && fer_is_true(below) ? &below_op : &maximum_op;
        fer_build_add(b, op, KW_MAXIMUM);
    }
    if (above && !old) fer_build_add(b, &above_op, KW_EXCLUSIVE_MINIMUM);
    if (below && !old) fer_build_add(b, &below_op, KW_EXCLUSIVE_MAXIMUM);
}
