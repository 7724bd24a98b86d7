/* SPDX-License-Identifier: Apache-2.0 */
/* unevaluatedItems, unevaluatedProperties: asks about what nobody has marked */
#include "explain.h"
#include "families.h"

static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const yyjson_val *end = fer_val_next(f->value);
    bool object = fer_is_obj(f->value);
    for (;;) {
        if (!f->cursor) {
            f->cursor = f->value + 1;
        } else {
            f->cursor = fer_val_next(f->cursor + object);
            f->index++;
        }
        if (f->cursor >= end) return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        if (!fer_vm_marked(f, f->index)) break;
    }
    if (!fer_vm_mark(vm, f, f->index)) return FER_STEP_ERROR;
    fer_vm_call(vm, i->node, f->cursor + object,
                object ? KW_UNEVALUATED_PROPERTIES : KW_UNEVALUATED_ITEMS, 0);
    vm->call.plain = true;
    return FER_STEP_CALL;
}

/* A member or item that nobody describes. */
static void tell_refused(fer_teller *t, const fer_unit *u, const fer_inst *i,
                         const yyjson_val *value)
{
    bool object = fer_is_obj(u->value);
    fer_violation *v =
        fer_tell(t, u, i->source, object ? FER_UNKNOWN_FIELD : FER_CONSTRAINT_VIOLATION,
                 object ? value - 1 : value);
    if (!v) return;
    if (!object) {
        v->expected = FER_STR("no further items");
        v->actual = fer_say_value(t, v, value);
        v->message = fer_say(t, "%.*s is an item that no part of the schema describes.",
                             FER_PRI(fer_say_field(t, v)));
        v->hint = FER_STR("Take it out.");
        return;
    }
    size_t count;
    const fer_str *names = fer_known_names(t, u, &count);
    fer_meant meant;
    fer_meant_init(&meant, fer_val_str(value - 1));
    for (size_t n = 0; n < count && fer_meant_try(t, &meant, u->value, names[n]); n++) continue;
    fer_tell_unknown(t, v, fer_val_str(value - 1), &meant, names, count);
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    for (const fer_unit *b = u->first; b; b = b->next) {
        if (b->valid || &u->node->insts[b->by] != i) continue;
        if (b->node->verdict == FER_NEVER) {
            tell_refused(t, u, i, b->value);
        } else {
            fer_tell_unit(t, b);
        }
    }
}

static void lower(fer_rows *l, const fer_inst *i)
{
    fer_lower_add(l, FER_Q_UNEVALUATED, i->op->on)->node = i->node;
}

#define UNEVALUATED_OP(types)                                                                      \
    {                                                                                              \
        .name = "unevaluated", .on = (types), .next = next, .hear = fer_hear_failures,             \
        .explain = explain, .lower = lower                                                         \
    }
static const fer_op items_op = UNEVALUATED_OP(FER_ON_ARRAY);
static const fer_op properties_op = UNEVALUATED_OP(FER_ON_OBJECT);

void fer_compile_unevaluated(fer_build *b)
{
    static const struct {
        enum fer_slot slot;
        const fer_op *op;
    } rows[] = {{KW_UNEVALUATED_ITEMS, &items_op}, {KW_UNEVALUATED_PROPERTIES, &properties_op}};
    for (size_t n = 0; n < FER_COUNT(rows); n++) {
        const yyjson_val *value = fer_build_value(b, rows[n].slot);
        const fer_node *node = value ? fer_build_child(b, value) : NULL;
        if (!node) continue;
        fer_build_add(b, rows[n].op, rows[n].slot)->node = node;
        b->node->tracks = true;
    }
}
