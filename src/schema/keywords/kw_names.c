/* SPDX-License-Identifier: Apache-2.0 */
/* propertyNames: each name of an object is asked as a value, the key itself */
#include "explain.h"
#include "families.h"

static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    f->cursor = f->cursor ? fer_val_next(f->cursor + 1) : f->value + 1;
    if (f->cursor >= fer_val_next(f->value)) return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
    fer_vm_call(vm, i->node, f->cursor, KW_PROPERTY_NAMES, 0);
    vm->call.plain = true;
    return FER_STEP_CALL;
}

static void lower(fer_rows *l, const fer_inst *i)
{
    fer_lower_add(l, FER_Q_NAMES, FER_ON_OBJECT)->node = i->node;
}

static const fer_op names_op = {.name = "propertyNames",
                                .on = FER_ON_OBJECT,
                                .next = next,
                                .hear = fer_hear_failures,
                                .explain = fer_tell_below,
                                .lower = lower};

void fer_compile_names(fer_build *b)
{
    const fer_node *node = fer_build_child(b, fer_build_value(b, KW_PROPERTY_NAMES));
    if (node) fer_build_add(b, &names_op, KW_PROPERTY_NAMES)->node = node;
}
