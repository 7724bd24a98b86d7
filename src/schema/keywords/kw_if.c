/* SPDX-License-Identifier: Apache-2.0 */
/* if, then, else */
#include "explain.h"
#include "families.h"

struct condition {
    const fer_node *test;
    const fer_node *then;      /* or NULL */
    const fer_node *otherwise; /* or NULL */
};

enum {
    TEST,
    CONSEQUENCE,
    DONE,
};

static fer_step ask(fer_vm *vm, fer_frame *f, const fer_node *node, enum fer_slot keyword)
{
    fer_vm_call(vm, node, f->value, keyword, 0);
    vm->call.plain = true;
    vm->call.in_place = true;
    return FER_STEP_CALL;
}

/* hits is the answer heard last. */
static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct condition *d = i->data;
    switch (f->state++) {
    case TEST: return ask(vm, f, d->test, KW_IF);
    case CONSEQUENCE: {
        const fer_node *node = f->hits ? d->then : d->otherwise;
        if (!node) return FER_STEP_PASS;
        return ask(vm, f, node, f->hits ? KW_THEN : KW_ELSE);
    }
    default: return f->hits ? FER_STEP_PASS : FER_STEP_FAIL;
    }
}

static fer_step hear(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)vm;
    (void)i;
    f->hits = valid;
    return FER_STEP_CALL;
}

/* The test is no demand: only what follows from it is told. */
static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    for (const fer_unit *b = u->first; b; b = b->next) {
        bool ours = &u->node->insts[b->by] == i;
        if (ours && !b->valid && b->keyword != KW_IF) fer_tell_unit(t, b);
    }
}

static const fer_op if_op = {.name = "if", .next = next, .hear = hear, .explain = explain};

/* Without `then` and `else`, `if` still marks and notes what it looks at. */
void fer_compile_if(fer_build *b)
{
    struct condition *d = fer_build_alloc(b, 1, sizeof *d);
    const yyjson_val *then = fer_build_value(b, KW_THEN);
    const yyjson_val *otherwise = fer_build_value(b, KW_ELSE);
    if (!d) return;
    d->test = fer_build_child(b, fer_build_value(b, KW_IF));
    d->then = then ? fer_build_child(b, then) : NULL;
    d->otherwise = otherwise ? fer_build_child(b, otherwise) : NULL;
    if (d->test) fer_build_add(b, &if_op, KW_IF, FER_ON_ALL)->data = d;
}
