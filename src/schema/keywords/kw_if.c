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

/* A test that looks at one property's value is said in words, others as they are. */
static fer_str reason(fer_teller *t, const fer_unit *u, const struct condition *d, bool then)
{
    const yyjson_val *schema = d->test->schema;
    const yyjson_val *map = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    const yyjson_val *required = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    size_t other = (size_t)(map != NULL) + (size_t)(required != NULL);
    bool plain = fer_is_obj(schema) && fer_val_len(schema) == other;
    if (plain && fer_is_obj(map) && fer_val_len(map) == 1) {
        fer_str simple = fer_say_simply(t, map + 2), name = fer_val_str(map + 1);
        if (simple.len && (then || fer_val_key(u->value, name))) {
            return fer_say_because(t, u, name,
                                   fer_say(t, "%s%.*s", then ? "" : "not ", FER_PRI(simple)));
        }
    }
    if (plain && !map && fer_is_arr(required) && fer_val_len(required) == 1) {
        return fer_say(t, "Because `%.*s` is %sgiven.",
                       FER_PRI(fer_say_member(t, u, fer_val_str(required + 1))),
                       then ? "" : "not ");
    }
    /* What the condition compares with may be what must not be shown. */
    bool hidden = t->options->hide_values || t->options->redact_count;
    return fer_say(t, "Because %s%.*s %s.", hidden ? "a condition of the schema" : "the condition ",
                   FER_PRI(hidden ? FER_STR("") : fer_say_json(t, schema, 200)),
                   then ? "holds" : "does not hold");
}

/* The test is no demand: only what follows from it is told. */
static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    size_t before = t->count;
    for (const fer_unit *b = u->first; b; b = b->next) {
        bool ours = &u->node->insts[b->by] == i;
        if (!ours || b->valid || b->keyword == KW_IF) continue;
        fer_tell_unit(t, b);
        if (t->count > before)
            fer_say_reason(t, before, reason(t, u, i->data, b->keyword == KW_THEN));
    }
}

static void lower(fer_rows *l, const fer_inst *i)
{
    const struct condition *d = i->data;
    const fer_node *nodes[] = {d->test, d->then, d->otherwise};
    fer_lower_add(l, FER_Q_IF, FER_ON_ALL)->data = fer_lower_codes(l, nodes, FER_COUNT(nodes));
}

static const fer_op if_op = {.name = "if",
                             .on = FER_ON_ALL,
                             .next = next,
                             .hear = fer_hear_answer,
                             .explain = explain,
                             .lower = lower};

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
    if (d->test) fer_build_add(b, &if_op, KW_IF)->data = d;
}
