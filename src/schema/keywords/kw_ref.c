/* SPDX-License-Identifier: Apache-2.0 */
/* $ref, $dynamicRef, $recursiveRef: edges of the program, never copies */
#include "errors.h"
#include "explain.h"
#include "families.h"

struct dynamic {
    fer_str name;
    const fer_node *otherwise; /* the static target; NULL: there is none (v1) */
    enum fer_slot slot;
};

static fer_step ask(fer_vm *vm, fer_frame *f, const fer_node *node, enum fer_slot keyword)
{
    fer_vm_call(vm, node, f->value, keyword, 0);
    vm->call.plain = true;
    vm->call.in_place = true;
    f->index++;
    return FER_STEP_CALL;
}

static fer_step next_ref(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    return f->index ? (f->hits ? FER_STEP_PASS : FER_STEP_FAIL) : ask(vm, f, i->node, KW_REF);
}

static const fer_node *dynamic_of(const fer_home *home, fer_str name)
{
    for (const struct fer_dynamic *d = home->dynamic; d; d = d->next) {
        if (fer_str_eq(d->name, name)) return d->node;
    }
    return NULL;
}

static const fer_node *recursive_of(const fer_home *home, fer_str name)
{
    (void)name;
    return home->root;
}

static fer_step next_dynamic(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct dynamic *d = i->data;
    if (f->index) return f->hits ? FER_STEP_PASS : FER_STEP_FAIL;
    bool recursive = d->slot == KW_RECURSIVE_REF;
    const fer_node *node;
    if (fer_vm_scope_find(vm, f, recursive ? recursive_of : dynamic_of, d->name, &node) ==
        FER_STEP_ERROR) {
        return FER_STEP_ERROR;
    }
    if (!node) node = d->otherwise;
    if (!node) {
        vm->code =
            fer_fail(vm->err, FER_INVALID_SCHEMA,
                     "Nothing in scope has the `$dynamicAnchor` \"%.*s\".", FER_PRI(d->name));
        return FER_STEP_ERROR;
    }
    return ask(vm, f, node, d->slot);
}

static void lower_ref(fer_rows *l, const fer_inst *i)
{
    fer_lower_add(l, FER_Q_CALL, FER_ON_ALL)->node = i->node;
}

static void lower_dynamic(fer_rows *l, const fer_inst *i)
{
    const struct dynamic *d = i->data;
    if (!d->otherwise) {
        l->c->lowering.refused = true;
        return;
    }
    fer_lower_dynamic(l, d->name, d->slot == KW_RECURSIVE_REF);
    fer_lower_add(l, FER_Q_CALL, FER_ON_ALL)->node = d->otherwise;
}

static const fer_op ref_op = {.name = "$ref",
                              .on = FER_ON_ALL,
                              .next = next_ref,
                              .hear = fer_hear_answer,
                              .explain = fer_tell_below,
                              .lower = lower_ref};
static const fer_op dynamic_op = {.name = "$dynamicRef",
                                  .on = FER_ON_ALL,
                                  .lower = lower_dynamic,
                                  .next = next_dynamic,
                                  .hear = fer_hear_answer,
                                  .explain = fer_tell_below};

const fer_node *fer_inst_target(const fer_inst *i)
{
    if (i->op == &ref_op) return i->node;
    return i->op == &dynamic_op ? ((const struct dynamic *)i->data)->otherwise : NULL;
}

/* ---- compiling ------------------------------------------------------------------------------ */

static const fer_node *target_node(fer_build *b, const yyjson_val *reference,
                                   struct fer_target *target)
{
    if (!fer_resolve(b->c, b->resource, reference, target)) return NULL;
    return fer_compile_node(b->c, target->value, target->resource);
}

static void add_plain(fer_build *b, enum fer_slot slot, const fer_node *node)
{
    if (node) fer_build_add(b, &ref_op, slot)->node = node;
}

static bool ask_for(fer_build *b, fer_str name)
{
    fer_compile *c = b->c;
    c->program->scoped = true;
    for (size_t n = 0; n < c->dynamic_count; n++) {
        if (fer_str_eq(c->dynamic_names[n], name)) return true;
    }
    fer_str *names = fer_arena_room(c->scratch, c->dynamic_names, c->dynamic_count, &c->dynamic_cap,
                                    sizeof *names);
    if (!names) return fer_compile_no_memory(c);
    c->dynamic_names = names;
    names[c->dynamic_count++] = name;
    return true;
}

static void add_dynamic(fer_build *b, enum fer_slot slot, fer_str name, const fer_node *otherwise)
{
    struct dynamic *d = fer_build_alloc(b, 1, sizeof *d);
    if (!d) return;
    *d = (struct dynamic){name, otherwise, slot};
    fer_build_add(b, &dynamic_op, slot)->data = d;
}

/*
 * 2020-12: dynamic only where the reference leads, statically, to a dynamic anchor. v1: a
 * name (the test suite writes '#' before it) that somebody in scope has.
 */
static void compile_dynamic(fer_build *b, const yyjson_val *reference)
{
    if (b->rules->dialect == FER_DIALECT_V1) {
        fer_str name = fer_val_str(reference);
        if (fer_str_starts(name, "#")) name = fer_str_slice(name, 1, name.len);
        if (ask_for(b, name)) add_dynamic(b, KW_DYNAMIC_REF, name, NULL);
        return;
    }
    struct fer_target target;
    const fer_node *node = target_node(b, reference, &target);
    if (!node) return;
    for (const fer_anchor *a = target.resource->dynamic; target.anchor && a; a = a->next) {
        if (a->value != target.value || !fer_str_eq(a->name, target.anchor->name)) continue;
        if (ask_for(b, a->name)) add_dynamic(b, KW_DYNAMIC_REF, a->name, node);
        return;
    }
    add_plain(b, KW_DYNAMIC_REF, node);
}

/* 2019-09: dynamic where the root that it leads to has `$recursiveAnchor: true`. */
static void compile_recursive(fer_build *b, const yyjson_val *reference)
{
    struct fer_target target;
    const fer_node *node = target_node(b, reference, &target);
    if (!node) return;
    if (!target.resource->recursive || target.value != target.resource->root) {
        add_plain(b, KW_RECURSIVE_REF, node);
        return;
    }
    b->c->recursive = true;
    b->c->program->scoped = true;
    add_dynamic(b, KW_RECURSIVE_REF, FER_STR(""), node);
}

void fer_compile_ref(fer_build *b)
{
    const yyjson_val *ref = fer_build_value(b, KW_REF);
    const yyjson_val *dynamic = fer_build_value(b, KW_DYNAMIC_REF);
    const yyjson_val *recursive = fer_build_value(b, KW_RECURSIVE_REF);
    struct fer_target target;
    if (ref) add_plain(b, KW_REF, target_node(b, ref, &target));
    if (dynamic) compile_dynamic(b, dynamic);
    if (recursive) compile_recursive(b, recursive);
}
