/* SPDX-License-Identifier: Apache-2.0 */
/* enum, const */
#include <ferrule/json.h>
#include <stdlib.h>

#include "explain.h"
#include "families.h"
#include "json_number.h"

#define FEW 8 /* values that are compared one by one */

static fer_step equal(fer_vm *vm, const yyjson_val *x, const yyjson_val *y)
{
    bool same;
    if (fer_is_str(x) && fer_is_str(y)) {
        return fer_str_eq(fer_val_str(x), fer_val_str(y)) ? FER_STEP_PASS : FER_STEP_FAIL;
    }
    bool num = fer_is_num(x) && fer_is_num(y);
    if (!num && (fer_val_type(x) != fer_val_type(y) || fer_val_len(x) != fer_val_len(y))) {
        return FER_STEP_FAIL;
    }
    size_t cost = num ? 2 + fer_vm_number_cost(x) + fer_vm_number_cost(y) : fer_vm_value_cost(x);
    if (!fer_vm_spend(vm, cost)) return FER_STEP_ERROR;
    fer_arena *brief = fer_is_ctn(x) ? fer_vm_brief(vm) : vm->arena;
    if (!brief) return FER_STEP_ERROR;
    vm->code = fer_json_equal(brief, x, y, &same, vm->err);
    if (vm->code) return FER_STEP_ERROR;
    return same ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step check_const(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    return equal(vm, v, i->source);
}

/* Scalars of a long list by their text: strings as they are, others by their canonical form. */
static bool scalar_key(const yyjson_val *v, char *out, fer_str *key)
{
    if (fer_is_str(v)) {
        *key = fer_val_str(v);
        return true;
    }
    if (!fer_is_num(v)) return false;
    *key = (fer_str){out, fer_number_canonical(v, out)};
    return true;
}

struct lookup {
    fer_map strings; /* -> the value */
    fer_map numbers;
    const yyjson_val **others; /* compared one by one */
    size_t other_count;
};

static fer_step check_few(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    FER_EACH_ITEM (i->source, item) {
        fer_step s = equal(vm, v, item);
        if (s != FER_STEP_FAIL) return s;
    }
    return FER_STEP_FAIL;
}

static fer_step check_many(fer_vm *vm, const fer_inst *i, const yyjson_val *v)
{
    const struct lookup *l = i->data;
    char number[FER_NUMBER_TEXT];
    fer_str key;
    if (!fer_vm_spend(vm, fer_vm_number_cost(v) * 2)) return FER_STEP_ERROR;
    if (scalar_key(v, number, &key)) {
        bool found = fer_map_get(fer_is_str(v) ? &l->strings : &l->numbers, key);
        return found ? FER_STEP_PASS : FER_STEP_FAIL;
    }
    for (size_t n = 0; n < l->other_count; n++) {
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        fer_step s = equal(vm, v, l->others[n]);
        if (s != FER_STEP_FAIL) return s;
    }
    return FER_STEP_FAIL;
}

/* ---- telling ------------------------------------------------------------------------------- */

/* A string where the schema has the value that it spells, or the other way round. */
static bool same_spelling(fer_teller *t, const yyjson_val *value, const yyjson_val *wanted)
{
    if (fer_is_str(value) == fer_is_str(wanted) || fer_is_ctn(value) || fer_is_ctn(wanted)) {
        return false;
    }
    const yyjson_val *text = fer_is_str(value) ? value : wanted;
    const yyjson_val *other = fer_is_str(value) ? wanted : value;
    return fer_str_eq(fer_val_str(text), fer_say_json(t, other, 1000));
}

/* The value that was most likely meant: spelt the same, or nearly so. */
static void hint_near(fer_teller *t, fer_violation *v, const yyjson_val *list,
                      const yyjson_val *value)
{
    fer_near near;
    fer_near_init(&near, fer_is_str(value) ? fer_val_str(value) : FER_STR(""));
    FER_EACH_ITEM (list, item) {
        if (!fer_tell_look(t, 1)) break;
        if (same_spelling(t, value, item)) {
            fer_str json = fer_say_json(t, item, 200);
            v->did_you_mean = fer_is_str(item) ? fer_val_str(item) : json;
            v->hint =
                FER_JOIN(t, FER_STR("Send "), json,
                         fer_is_str(item) ? FER_STR(", in quotes.") : FER_STR(", without quotes."));
            return;
        }
        if (fer_is_str(item) && !fer_tell_near(t, &near, fer_val_str(item))) break;
    }
    if (!near.best.ptr) return;
    v->did_you_mean = FER_JOIN(t, near.best);
    v->hint = FER_JOIN(t, FER_STR("Did you mean \""), near.best, FER_STR("\"?"));
}

static void explain_enum(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_INVALID_ENUM_VALUE, u->value);
    if (!v) return;
    fer_say_allowed(t, v, i->source);
    v->actual = fer_say_value(t, v, u->value);
    fer_str list = fer_say_json(t, i->source, 600);
    v->expected = FER_JOIN(t, FER_STR("one of "), list);
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" must be one of "), list,
                          FER_STR(", but is "), v->actual, FER_STR("."));
    v->hint = FER_STR("Use one of the allowed values exactly as it is written.");
    /* What is near to a value says something of the value. */
    if (!fer_is_hidden(t, v)) hint_near(t, v, i->source, u->value);
}

static void explain_const(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    fer_violation *v = fer_tell(t, u, i->source, FER_INVALID_ENUM_VALUE, u->value);
    if (!v) return;
    fer_str json = fer_say_json(t, i->source, 200);
    fer_str *allowed = fer_arena_alloc(t->arena, sizeof *allowed);
    if (allowed) {
        *allowed = json;
        v->allowed = allowed;
        v->allowed_count = 1;
    }
    t->no_memory |= !allowed;
    v->expected = json;
    v->actual = fer_say_value(t, v, u->value);
    v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" must be "), json, FER_STR(", but is "),
                          v->actual, FER_STR("."));
    bool quotes = !fer_is_hidden(t, v) && same_spelling(t, u->value, i->source);
    fer_str how = !quotes                 ? FER_STR(".")
                  : fer_is_str(i->source) ? FER_STR(", in quotes.")
                                          : FER_STR(", without quotes.");
    v->hint = FER_JOIN(t, FER_STR("Set it to "), json, how);
}

/* ---- the quick form -------------------------------------------------------------------------- */

/* An integer of 64 bits with a sign, as the quick form compares them. */
static bool is_integer(const yyjson_val *v)
{
    unsigned tag = fer_val_tag(v);
    return tag == FER_TAG_SINT || (tag == FER_TAG_UINT && v->uni.u64 <= INT64_MAX);
}

/* Notes one value; false: no memory. */
static bool lower_value(fer_rows *l, fer_quick_enum *e, int64_t *integers, const yyjson_val *v,
                        const fer_inst *i)
{
    uint8_t type = FER_TYPE_BIT(fer_val_type(v));
    l->types |= type;
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_STR:
        if (fer_names_put(&e->strings, l->c->arena, fer_val_str(v))) return true;
        return fer_compile_no_memory(l->c);
    case YYJSON_TYPE_NULL: e->null = true; return true;
    case YYJSON_TYPE_BOOL: *(fer_is_true(v) ? &e->yes : &e->no) = true; return true;
    default: break;
    }
    if (fer_is_num(v)) l->types |= FER_ON_NUMBER;
    /* 1.0 is 1, too: a number that is not written as one is asked about as it is. */
    e->inst = i;
    if (is_integer(v)) integers[e->integer_count++] = v->uni.i64;
    return true;
}

static int by_size(const void *x, const void *y)
{
    int64_t i = *(const int64_t *)x, k = *(const int64_t *)y;
    return i < k ? -1 : i > k;
}

static void lower_list(fer_rows *l, const fer_inst *i, const yyjson_val *first, size_t count)
{
    fer_quick_enum *e = fer_lower_alloc(l, sizeof *e);
    int64_t *integers = fer_lower_alloc(l, (count + 1) * sizeof *integers);
    if (!e || !integers) return;
    if (!fer_names_init(&e->strings, l->c->arena, count, sizeof(fer_name))) {
        fer_compile_no_memory(l->c);
        return;
    }
    uint8_t types = l->types;
    l->types = 0;
    e->integers = integers;
    for (const yyjson_val *v = first; count--; v = fer_val_next(v)) {
        if (!lower_value(l, e, integers, v, i)) return;
    }
    if (!fer_names_settle(&e->strings, l->c->arena)) fer_compile_no_memory(l->c);
    if (e->integer_count > 1) qsort(integers, e->integer_count, sizeof *integers, by_size);
    if (l->types == FER_ON_STRING)
        fer_lower_add(l, FER_Q_STRINGS, FER_ON_STRING)->data = &e->strings;
    else fer_lower_add(l, FER_Q_ENUM, l->types)->data = e;
    l->types &= types;
}

static void lower_enum(fer_rows *l, const fer_inst *i)
{
    lower_list(l, i, i->source + 1, fer_val_len(i->source));
}

static void lower_const(fer_rows *l, const fer_inst *i)
{
    if (!fer_is_str(i->source)) {
        lower_list(l, i, i->source, 1);
        return;
    }
    fer_name *name = fer_lower_alloc(l, sizeof *name);
    if (!name) return;
    *name = fer_name_of(fer_val_str(i->source));
    fer_lower_add(l, FER_Q_TEXT, FER_ON_STRING)->name = name;
    l->types &= FER_ON_STRING;
}

static const fer_op few_op = {.name = "enum",
                              .on = FER_ON_ALL,
                              .check = check_few,
                              .explain = explain_enum,
                              .lower = lower_enum};
static const fer_op many_op = {.name = "enum",
                               .on = FER_ON_ALL,
                               .check = check_many,
                               .explain = explain_enum,
                               .lower = lower_enum};
static const fer_op const_op = {.name = "const",
                                .on = FER_ON_ALL,
                                .check = check_const,
                                .explain = explain_const,
                                .lower = lower_const};

static bool add_value(fer_build *b, struct lookup *l, const yyjson_val *item)
{
    char number[FER_NUMBER_TEXT];
    fer_str key;
    if (!scalar_key(item, number, &key)) {
        l->others[l->other_count++] = item;
        return true;
    }
    if (!fer_is_str(item)) key = fer_arena_copy(b->c->arena, key);
    void **place = key.ptr ? fer_map_put(fer_is_str(item) ? &l->strings : &l->numbers, key) : NULL;
    if (!place) return fer_compile_no_memory(b->c);
    *place = l;
    return true;
}

void fer_compile_enum(fer_build *b)
{
    const yyjson_val *list = fer_build_value(b, KW_ENUM);
    if (list && fer_val_len(list) <= FEW) {
        fer_build_add(b, &few_op, KW_ENUM);
    } else if (list) {
        struct lookup *l = fer_build_alloc(b, 1, sizeof *l);
        if (!l) return;
        fer_map_init(&l->strings, b->c->arena);
        fer_map_init(&l->numbers, b->c->arena);
        l->others = fer_build_alloc(b, fer_val_len(list), sizeof *l->others);
        if (!l->others) return;
        FER_EACH_ITEM (list, item) {
            if (!add_value(b, l, item)) return;
        }
        fer_build_add(b, &many_op, KW_ENUM)->data = l;
    }
    if (fer_build_value(b, KW_CONST)) fer_build_add(b, &const_op, KW_CONST);
}
