/* SPDX-License-Identifier: Apache-2.0 */
/* dependencies, dependentRequired, dependentSchemas, propertyDependencies */
#include "explain.h"
#include "families.h"

/* One thing that follows from a property (and, for propertyDependencies, its value). */
struct dependent {
    fer_str name;             /* of the property */
    const yyjson_val *equals; /* a key: the string the property must be; NULL: any value */
    const yyjson_val *names;  /* that must be there too; NULL: */
    const fer_node *node;     /* that must accept the whole object */
    const yyjson_val *key;    /* of the property in the keyword */
};

struct dependents {
    enum fer_slot slot;
    size_t count;
    struct dependent list[];
};

static bool applies(fer_teller *t, const struct dependent *d, const yyjson_val *object)
{
    const yyjson_val *key = fer_tell_key(t, object, d->name);
    if (!key || !d->equals) return key != NULL;
    return fer_is_str(key + 1) && fer_str_eq(fer_val_str(key + 1), fer_val_str(d->equals));
}

/* The same and what follows, with look-ups that are paid for. */
static fer_step now_applies(fer_vm *vm, const struct dependent *d, const yyjson_val *object)
{
    const yyjson_val *key;
    if (fer_vm_key(vm, object, d->name, &key) == FER_STEP_ERROR) return FER_STEP_ERROR;
    bool same = key && (!d->equals || (fer_is_str(key + 1) &&
                                       fer_str_eq(fer_val_str(key + 1), fer_val_str(d->equals))));
    return same ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step has_all(fer_vm *vm, const yyjson_val *object, const yyjson_val *names)
{
    FER_EACH_ITEM (names, item) {
        const yyjson_val *key;
        if (fer_vm_key(vm, object, fer_val_str(item), &key) == FER_STEP_ERROR)
            return FER_STEP_ERROR;
        if (!key) return FER_STEP_FAIL;
    }
    return FER_STEP_PASS;
}

/* hits counts failures */
static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct dependents *d = i->data;
    while (f->index < d->count) {
        const struct dependent *one = &d->list[f->index++];
        fer_step s = now_applies(vm, one, f->value);
        if (s == FER_STEP_ERROR) return s;
        if (s == FER_STEP_FAIL) continue;
        if (one->node) {
            fer_vm_call(vm, one->node, f->value, d->slot, 0);
            vm->call.in_place = true;
            vm->call.key = one->equals ? one->equals : one->key;
            return FER_STEP_CALL;
        }
        s = has_all(vm, f->value, one->names);
        if (s == FER_STEP_ERROR) return s;
        if (s == FER_STEP_PASS) continue;
        f->hits++;
        if (!vm->trace) return FER_STEP_FAIL;
    }
    return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
}

/* Which property a subschema was asked for. */
static fer_str reason(fer_teller *t, const fer_unit *u, const struct dependents *d,
                      const fer_unit *asked)
{
    const struct dependent *one = d->list;
    while ((one->equals ? one->equals : one->key) != asked->key) one++;
    if (one->equals) return fer_say_because(t, u, one->name, fer_say_json(t, one->equals, 120));
    return fer_say(t, "Because `%.*s` is given.", FER_PRI(fer_say_member(t, u, one->name)));
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct dependents *d = i->data;
    for (size_t n = 0; n < d->count; n++) {
        const struct dependent *one = &d->list[n];
        if (one->node || !applies(t, one, u->value)) continue;
        FER_EACH_ITEM (one->names, item) {
            fer_str name = fer_val_str(item);
            if (fer_tell_key(t, u->value, name)) continue;
            fer_violation *v = fer_tell_absent(t, u, i->source, FER_REQUIRED_MISSING, name);
            if (!v) return;
            v->actual = FER_STR("absent");
            v->message = fer_say(t, "%.*s is required when `%.*s` is given, but is missing.",
                                 FER_PRI(fer_say_field(t, v)), FER_PRI(one->name));
            v->hint =
                fer_say(t, "Add `%.*s`, or take out `%.*s`.", FER_PRI(name), FER_PRI(one->name));
        }
    }
    for (const fer_unit *b = u->first; b; b = b->next) {
        if (&u->node->insts[b->by] != i || b->valid) continue;
        size_t before = t->count;
        fer_tell_unit(t, b);
        if (t->count > before) fer_say_reason(t, before, reason(t, u, d, b));
    }
}

static bool lower_one(fer_rows *l, const struct dependent *d, fer_quick_dependent *q)
{
    size_t count = d->names ? fer_val_len(d->names) : 0, n = 0;
    fer_name *names = fer_lower_alloc(l, (count + 1) * sizeof *names);
    if (!names) return false;
    q->name = fer_name_of(d->name);
    q->equals = d->equals;
    q->names = names;
    q->count = count;
    if (d->names) {
        FER_EACH_ITEM (d->names, item) names[n++] = fer_name_of(fer_val_str(item));
    }
    if (d->node) fer_lower_want(l, &q->code, d->node);
    return true;
}

static void lower(fer_rows *l, const fer_inst *i)
{
    const struct dependents *d = i->data;
    fer_quick_dependents *q = fer_lower_alloc(l, sizeof *q + d->count * sizeof q->list[0]);
    if (!q) return;
    q->count = d->count;
    for (size_t n = 0; n < d->count; n++) {
        if (!lower_one(l, &d->list[n], &q->list[n])) return;
        q->names += 1 + q->list[n].count;
    }
    fer_lower_add(l, FER_Q_DEPENDENT, FER_ON_OBJECT)->data = q;
}

static const fer_op dependent_op = {.name = "dependent",
                                    .on = FER_ON_OBJECT,
                                    .next = next,
                                    .hear = fer_hear_failures,
                                    .explain = explain,
                                    .lower = lower};

static bool add(fer_build *b, struct dependents *d, const yyjson_val *key, const yyjson_val *equals,
                const yyjson_val *value)
{
    struct dependent *one = &d->list[d->count++];
    one->name = fer_val_str(key);
    one->key = key;
    one->equals = equals;
    if (fer_is_arr(value)) {
        one->names = value;
        return true;
    }
    one->node = fer_build_child(b, value);
    return one->node != NULL;
}

static size_t entries(const yyjson_val *map, enum fer_slot slot)
{
    if (slot != KW_PROPERTY_DEPENDENCIES) return fer_val_len(map);
    size_t count = 0;
    FER_EACH_MEMBER (map, key) count += fer_val_len(key + 1);
    return count;
}

void fer_compile_dependent(fer_build *b)
{
    static const enum fer_slot slots[] = {KW_DEPENDENCIES, KW_DEPENDENT_REQUIRED,
                                          KW_DEPENDENT_SCHEMAS, KW_PROPERTY_DEPENDENCIES};
    for (size_t n = 0; n < FER_COUNT(slots); n++) {
        const yyjson_val *map = fer_build_value(b, slots[n]);
        if (!map) continue;
        struct dependents *d =
            fer_build_alloc(b, 1, sizeof *d + entries(map, slots[n]) * sizeof d->list[0]);
        if (!d) return;
        d->slot = slots[n];
        FER_EACH_MEMBER (map, key) {
            if (slots[n] != KW_PROPERTY_DEPENDENCIES) {
                if (!add(b, d, key, NULL, key + 1)) return;
                continue;
            }
            FER_EACH_MEMBER (key + 1, equals) {
                if (!add(b, d, key, equals, equals + 1)) return;
            }
        }
        fer_build_add(b, &dependent_op, slots[n])->data = d;
    }
}
