/* SPDX-License-Identifier: Apache-2.0 */
/* prefixItems and items; before 2020-12, items and additionalItems */
#include "explain.h"
#include "families.h"

struct items {
    const fer_node **prefix; /* behind the last, the rest once more */
    size_t count;
    const fer_node *rest; /* NULL: anything goes */
    enum fer_slot prefix_slot, rest_slot;
};

static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct items *d = i->data;
    f->cursor = f->cursor ? fer_val_next(f->cursor) : f->value + 1;
    if (f->cursor >= fer_val_next(f->value)) return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
    size_t index = f->index++;
    const fer_node *node = index < d->count ? d->prefix[index] : d->rest;
    if (!node) return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
    if (!fer_vm_mark(vm, f, index)) return FER_STEP_ERROR;
    bool prefix = index < d->count;
    fer_vm_call(vm, node, f->cursor, prefix ? d->prefix_slot : d->rest_slot, index);
    vm->call.plain = !prefix;
    return FER_STEP_CALL;
}

/* The same without a frame. */
static fer_step trace(fer_vm *vm, const fer_inst *i, const yyjson_val *v, fer_unit *u)
{
    const struct items *d = i->data;
    const yyjson_val *reached = fer_vm_reached(vm, v);
    size_t index = 0;
    bool failed = false;
    FER_EACH_ITEM (v, item) {
        bool prefix = index < d->count;
        const fer_node *node = prefix ? d->prefix[index] : d->rest;
        if (!node) break;
        if (!fer_vm_spend(vm, (size_t)(fer_val_next(item) - item) + 1)) return FER_STEP_ERROR;
        if (!vm->sift || !fer_vm_passes(vm, node->code, item, reached)) {
            fer_vm_call(vm, node, item, prefix ? d->prefix_slot : d->rest_slot, index);
            vm->call.plain = !prefix;
            fer_step s = fer_vm_trace(vm, i, u);
            if (s == FER_STEP_ERROR) return s;
            failed |= s == FER_STEP_FAIL;
        }
        index++;
    }
    return failed ? FER_STEP_FAIL : FER_STEP_PASS;
}

/* Items that no schema may describe: one finding for all of them. */
static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct items *d = i->data;
    bool refused = false;
    for (const fer_unit *below = u->first; below; below = below->next) {
        if (below->valid || &u->node->insts[below->by] != i) continue;
        if (below->node->verdict != FER_NEVER || below->node != d->rest) {
            fer_tell_unit(t, below);
            continue;
        }
        if (refused) continue;
        refused = true;
        fer_violation *v = fer_tell(t, u, below->node->schema, FER_OUT_OF_RANGE, u->value);
        if (!v) return;
        size_t over = fer_val_len(u->value) - d->count;
        v->expected = fer_say(t, "at most %zu item%s", d->count, d->count == 1 ? "" : "s");
        v->actual = fer_say(t, "%zu", fer_val_len(u->value));
        v->message = fer_say(t, "%.*s must have %.*s, but has %zu.", FER_PRI(fer_say_field(t, v)),
                             FER_PRI(v->expected), fer_val_len(u->value));
        v->hint = over == 1 ? FER_STR("Take out the last item.")
                            : fer_say(t, "Take out the last %zu items.", over);
    }
}

static void lower(fer_rows *l, const fer_inst *i)
{
    const struct items *d = i->data;
    if (!d->count) {
        if (d->rest) fer_lower_add(l, FER_Q_ITEMS, FER_ON_ARRAY)->node = d->rest;
        return;
    }
    fer_quick_codes *q = fer_lower_codes(l, d->prefix, d->count + 1);
    if (!q) return;
    fer_lower_add(l, FER_Q_TUPLE, FER_ON_ARRAY)->data = q;
}

static const fer_op items_op = {.name = "items",
                                .on = FER_ON_ARRAY,
                                .next = next,
                                .hear = fer_hear_failures,
                                .trace = trace,
                                .explain = explain,
                                .lower = lower};

static bool add_prefix(fer_build *b, struct items *d, const yyjson_val *list)
{
    d->prefix = fer_build_alloc(b, fer_val_len(list) + 1, sizeof *d->prefix);
    if (!d->prefix) return false;
    FER_EACH_ITEM (list, item) {
        const fer_node *node = fer_build_child(b, item);
        if (!node) return false;
        d->prefix[d->count++] = node;
    }
    return true;
}

void fer_compile_items(fer_build *b)
{
    const yyjson_val *prefix = fer_build_value(b, KW_PREFIX_ITEMS);
    const yyjson_val *rest = fer_build_value(b, KW_ITEMS);
    enum fer_slot prefix_slot = KW_PREFIX_ITEMS, rest_slot = KW_ITEMS;
    if (fer_is_arr(rest)) {
        prefix = rest;
        prefix_slot = KW_ITEMS;
        rest = fer_build_value(b, KW_ADDITIONAL_ITEMS);
        rest_slot = KW_ADDITIONAL_ITEMS;
    }
    if (!prefix && !rest) return; /* additionalItems alone says nothing */
    struct items *d = fer_build_alloc(b, 1, sizeof *d);
    if (!d || (prefix && !add_prefix(b, d, prefix))) return;
    d->prefix_slot = prefix_slot;
    d->rest_slot = rest_slot;
    if (rest) d->rest = fer_build_child(b, rest);
    if (prefix) d->prefix[d->count] = d->rest;
    fer_build_add(b, &items_op, prefix ? prefix_slot : rest_slot)->data = d;
}
