/* SPDX-License-Identifier: Apache-2.0 */
/* minItems, maxItems, minProperties, maxProperties; uniqueItems */
#include "errors.h"
#include "explain.h"
#include "families.h"
#include "json_hash.h"

static fer_step check_min(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    (void)vm;
    return fer_val_len(v) >= i->count ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_max(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    (void)vm;
    return fer_val_len(v) <= i->count ? FER_STEP_PASS : FER_STEP_FAIL;
}

static void explain_count(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_OUT_OF_RANGE, u->value);
    if (!v) return;
    bool at_least = i->op->check == check_min;
    bool array = fer_is_arr(u->value);
    char digits[FER_DIGITS], had[FER_DIGITS], wrong[FER_DIGITS];
    fer_str bound = fer_say_number(digits, i->count);
    fer_str has = fer_say_number(had, fer_val_len(u->value));
    fer_str one = array ? FER_STR("item") : FER_STR("property");
    fer_str many = array ? FER_STR("items") : FER_STR("properties");
    v->expected = FER_JOIN(t, at_least ? FER_STR("at least ") : FER_STR("at most "), bound,
                           FER_STR(" "), i->count == 1 ? one : many);
    v->actual = FER_JOIN(t, has);
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" must have "), v->expected,
                          FER_STR(", but has "), has, FER_STR("."));
    uint64_t off = at_least ? i->count - fer_val_len(u->value) : fer_val_len(u->value) - i->count;
    bool more = at_least && fer_val_len(u->value);
    v->hint =
        FER_JOIN(t, at_least ? FER_STR("Add ") : FER_STR("Take out "), fer_say_number(wrong, off),
                 more ? FER_STR(" more ") : FER_STR(" "), off == 1 ? one : many, FER_STR("."));
}

static void lower_min(fer_rows *l, const fer_inst *i)
{
    fer_lower_row(l, FER_Q_SIZE, i->op->on)->min = i->count;
}

static void lower_max(fer_rows *l, const fer_inst *i)
{
    fer_lower_row(l, FER_Q_SIZE, i->op->on)->max = i->count;
}

#define MIN_OP(types)                                                                              \
    {                                                                                              \
        .name = "min", .on = (types), .check = check_min, .explain = explain_count,                \
        .lower = lower_min                                                                         \
    }
#define MAX_OP(types)                                                                              \
    {                                                                                              \
        .name = "max", .on = (types), .check = check_max, .explain = explain_count,                \
        .lower = lower_max                                                                         \
    }
static const fer_op min_items_op = MIN_OP(FER_ON_ARRAY);
static const fer_op max_items_op = MAX_OP(FER_ON_ARRAY);
static const fer_op min_properties_op = MIN_OP(FER_ON_OBJECT);
static const fer_op max_properties_op = MAX_OP(FER_ON_OBJECT);

void fer_compile_counts(fer_build *b)
{
    static const struct {
        const fer_op *op;
        enum fer_slot slot;
    } rows[] = {
        {&min_items_op, KW_MIN_ITEMS},
        {&max_items_op, KW_MAX_ITEMS},
        {&min_properties_op, KW_MIN_PROPERTIES},
        {&max_properties_op, KW_MAX_PROPERTIES},
    };
    for (size_t n = 0; n < FER_COUNT(rows); n++) {
        const yyjson_val *value = fer_build_value(b, rows[n].slot);
        if (!value) continue;
        fer_build_add(b, rows[n].op, rows[n].slot)->count = fer_build_count(value);
    }
}

/* ---- uniqueItems ----------------------------------------------------------------------- */

static fer_step check_unique(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    (void)i;
    bool twice;
    if (fer_val_len(v) < 2) return FER_STEP_PASS;
    if (!fer_vm_spend(vm, fer_vm_value_cost(v) * 3)) return FER_STEP_ERROR;
    fer_arena *brief = fer_vm_brief(vm);
    if (!brief) return FER_STEP_ERROR;
    vm->code = fer_items_unique(brief, v, &twice, NULL);
    if (vm->code) vm->code = fer_arena_failed(brief, vm->err);
    if (vm->code) return FER_STEP_ERROR;
    return twice ? FER_STEP_FAIL : FER_STEP_PASS;
}

static void explain_unique(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    size_t pair[2] = {0, 0}, index = 0;
    bool twice = false;
    if (fer_items_unique(t->arena, u->value, &twice, pair) || !twice) return;
    const yyjson_val *second = u->value;
    FER_EACH_ITEM (u->value, item) {
        if (index++ == pair[1]) second = item;
    }
    fer_violation *v = fer_tell(t, u, i->source, FER_CONSTRAINT_VIOLATION, u->value);
    if (!v) return;
    v->expected = FER_STR("items that all differ");
    v->actual = fer_say(t, "items %zu and %zu are equal", pair[0], pair[1]);
    fer_str same = fer_is_hidden(t, v)
                       ? FER_STR("equal")
                       : fer_say(t, "both %.*s", FER_PRI(fer_say_value(t, v, second)));
    v->message = fer_say(t, "%.*s must not hold a value twice, but items %zu and %zu are %.*s.",
                         FER_PRI(fer_say_field(t, v)), pair[0], pair[1], FER_PRI(same));
    v->hint = fer_say(t, "Take out item %zu.", pair[1]);
}

static void lower_unique(fer_rows *l, const fer_inst *i)
{
    fer_lower_add(l, FER_Q_UNIQUE, FER_ON_ARRAY)->inst = i;
}

static const fer_op unique_op = {.name = "uniqueItems",
                                 .on = FER_ON_ARRAY,
                                 .check = check_unique,
                                 .explain = explain_unique,
                                 .lower = lower_unique};

void fer_compile_unique(fer_build *b)
{
    if (fer_is_true(fer_build_value(b, KW_UNIQUE_ITEMS))) {
        fer_build_add(b, &unique_op, KW_UNIQUE_ITEMS);
    }
}
