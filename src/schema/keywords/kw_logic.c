/* SPDX-License-Identifier: Apache-2.0 */
/* allOf, anyOf, oneOf, not */
#include "explain.h"
#include "families.h"

struct branches {
    enum fer_slot slot;
    size_t count;
    const fer_node *nodes[];
};

static fer_step ask(fer_vm *vm, fer_frame *f, const struct branches *d)
{
    fer_vm_call(vm, d->nodes[f->index], f->value, d->slot, f->index);
    vm->call.in_place = true;
    f->index++;
    return FER_STEP_CALL;
}

/* hits counts failures */
static fer_step next_all(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct branches *d = i->data;
    if (f->index < d->count) return ask(vm, f, d);
    return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
}

/* hits counts successes */
static fer_step next_any(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct branches *d = i->data;
    if (f->index < d->count) return ask(vm, f, d);
    return f->hits ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step hear_any(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (!valid) return FER_STEP_CALL;
    f->hits++;
    return fer_vm_all(vm, f) ? FER_STEP_CALL : FER_STEP_PASS;
}

static fer_step next_one(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const struct branches *d = i->data;
    if (f->index < d->count) return ask(vm, f, d);
    return f->hits == 1 ? FER_STEP_PASS : FER_STEP_FAIL;
}

static fer_step hear_one(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (!valid) return FER_STEP_CALL;
    f->hits++;
    return f->hits > 1 && !vm->trace ? FER_STEP_FAIL : FER_STEP_CALL;
}

static fer_step next_not(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    if (f->index++) return f->hits ? FER_STEP_FAIL : FER_STEP_PASS;
    fer_vm_call(vm, i->node, f->value, KW_NOT, 0);
    vm->call.plain = true;
    vm->call.in_place = true;
    vm->call.drop = true;
    return FER_STEP_CALL;
}

/* ---- telling ----------------------------------------------------------------------------- */

static void list_branches(fer_teller *t, fer_violation *v, const struct branches *d)
{
    size_t shown = d->count < 50 ? d->count : 50;
    fer_str *names = fer_arena_alloc(t->arena, shown ? shown * sizeof *names : 1);
    if (!names) {
        t->no_memory = true;
        return;
    }
    for (size_t n = 0; n < shown; n++) names[n] = fer_branch_in_words(t, d->nodes[n]);
    v->allowed = names;
    v->allowed_count = shown;
}

/* ---- alternatives that only differ in the property that they demand ----------------------------
 */

#define DEMANDS_MAX 12

/* The one property that an alternative demands, where it says nothing else. */
static const yyjson_val *demand_of(const fer_node *node)
{
    const yyjson_val *schema = node->schema;
    const yyjson_val *required = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    if (!fer_is_arr(required) || fer_val_len(required) != 1) return NULL;
    size_t others = fer_val_len(schema) - 1;
    return others == (fer_val_get(schema, "type") != NULL) ? required + 1 : NULL;
}

static bool tell_demands(fer_teller *t, const fer_unit *u, const fer_inst *i, size_t fit)
{
    const struct branches *d = i->data;
    fer_str names[DEMANDS_MAX], given[DEMANDS_MAX];
    size_t there = 0;
    if (d->count < 2 || d->count > DEMANDS_MAX || !fer_is_obj(u->value)) return false;
    for (size_t n = 0; n < d->count; n++) {
        const yyjson_val *name = demand_of(d->nodes[n]);
        if (!name) return false;
        names[n] = fer_val_str(name);
        if (fer_val_key(u->value, names[n])) given[there++] = names[n];
    }
    fer_violation *v = fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, u->value);
    if (!v) return true;
    list_branches(t, v, d);
    fer_str all = fer_say_names(t, names, d->count);
    const char *place = v->dotted.len ? " in " : "";
    fer_str object = v->dotted.len ? fer_say_field(t, v) : FER_STR("");
    const char *how = d->slot == KW_ONE_OF ? "Exactly one" : "At least one";
    v->expected = fer_say(t, "%s of %.*s", how, FER_PRI(all));
    v->actual = fer_say(t, "%zu given", there);
    v->message =
        fit ? fer_say(t, "%.*s%s%.*s must be given, but %zu are: %.*s.", FER_PRI(v->expected),
                      place, FER_PRI(object), there, FER_PRI(fer_say_names(t, given, there)))
            : fer_say(t, "%.*s%s%.*s must be given, but none is.", FER_PRI(v->expected), place,
                      FER_PRI(object));
    v->hint = fer_say(t, "%s one of %.*s.", fit ? "Keep" : "Add",
                      FER_PRI(fit ? fer_say_names(t, given, there) : all));
    return true;
}

/* ---- alternatives that only differ in their types
 * ------------------------------------------------ */

static bool add_type(const yyjson_val *type, fer_str *names, size_t *count, size_t max)
{
    if (!type || !fer_is_str(type)) return false;
    for (size_t n = 0; n < *count; n++) {
        if (fer_str_eq(names[n], fer_val_str(type))) return true;
    }
    if (*count == max) return false;
    names[(*count)++] = fer_val_str(type);
    return true;
}

/* The types of all alternatives; 0 where one of them takes any. */
static size_t types_of(fer_teller *t, const struct branches *d, fer_str *names, size_t max)
{
    size_t count = 0;
    for (size_t n = 0; n < d->count; n++) {
        if (!fer_tell_look(t, 1)) return 0;
        const yyjson_val *schema = fer_behind_refs(d->nodes[n])->schema;
        const yyjson_val *type = fer_is_obj(schema) ? fer_val_get(schema, "type") : NULL;
        if (!fer_is_arr(type)) {
            if (!add_type(type, names, &count, max)) return 0;
            continue;
        }
        FER_EACH_ITEM (type, item) {
            if (!add_type(item, names, &count, max)) return 0;
        }
    }
    return count;
}

static bool has_type(const yyjson_val *v, const fer_str *names, size_t count)
{
    fer_str is = fer_str_of(fer_val_type_name(v));
    for (size_t n = 0; n < count; n++) {
        size_t len = names[n].len;
        bool same = is.len >= len && fer_str_eq(fer_str_slice(is, is.len - len, is.len), names[n]);
        if (same || (fer_is_num(v) && fer_str_is(names[n], "integer"))) return true;
    }
    return false;
}

/* The value is of none of the types: what it looks like inside does not matter yet. */
static bool tell_types(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct branches *d = i->data;
    fer_str names[7];
    size_t count = types_of(t, d, names, FER_COUNT(names));
    if (!count || has_type(u->value, names, count)) return false;
    fer_violation *v = fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, u->value);
    if (!v) return true;
    list_branches(t, v, d);
    v->expected = fer_say_types(t, names, count);
    v->actual = fer_say_actual(t, v, u->value);
    v->message = fer_say(t, "%.*s must be %.*s, but is %.*s.", FER_PRI(fer_say_field(t, v)),
                         FER_PRI(v->expected), FER_PRI(v->actual));
    bool objects = count == 1 && fer_str_is(names[0], "object");
    v->hint = objects ? fer_say(t, "Send one of: %.*s",
                                FER_PRI(fer_branches_in_words(t, d->nodes, d->count)))
                      : fer_type_hint(t, u, v, names, count);
    return true;
}

/* ---- alternatives that each list values --------------------------------------------------------
 */

#define VALUES_MAX 100

/* The values of all alternatives, as JSON; 0 where one of them does not list its values. */
static size_t values_of(fer_teller *t, const struct branches *d, fer_str *out)
{
    size_t count = 0;
    for (size_t n = 0; n < d->count; n++) {
        const yyjson_val *schema = fer_behind_refs(d->nodes[n])->schema;
        if (!fer_is_obj(schema)) return 0;
        const yyjson_val *one = fer_val_get(schema, "const"), *list = fer_val_get(schema, "enum");
        if (one && count < VALUES_MAX) {
            out[count++] = fer_say_json(t, one, 200);
            continue;
        }
        if (!fer_is_arr(list) || count + fer_val_len(list) > VALUES_MAX) return 0;
        FER_EACH_ITEM (list, item) out[count++] = fer_say_json(t, item, 200);
    }
    return count;
}

static bool tell_values(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct branches *d = i->data;
    fer_str *values = fer_arena_alloc(t->arena, VALUES_MAX * sizeof *values);
    t->no_memory |= !values;
    size_t count = values ? values_of(t, d, values) : 0;
    if (!count) return false;
    fer_violation *v = fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, u->value);
    if (v) fer_tell_values(t, v, u->value, values, count, "must be");
    return true;
}

/* ---- anyOf, oneOf
 * ----------------------------------------------------------------------------------- */

/* No branch stands out: says so, and what each of them is. */
static void tell_none(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct branches *d = i->data;
    fer_violation *v = fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, u->value);
    if (!v) return;
    list_branches(t, v, d);
    v->actual = fer_say_actual(t, v, u->value);
    v->expected = fer_say(t, "%s of %zu alternatives", i->op->name, d->count);
    v->message = d->count == 1
                     ? fer_say(t, "%.*s does not fit the one alternative; it is %.*s.",
                               FER_PRI(fer_say_field(t, v)), FER_PRI(v->actual))
                     : fer_say(t, "%.*s fits none of %zu alternatives; it is %.*s.",
                               FER_PRI(fer_say_field(t, v)), d->count, FER_PRI(v->actual));
    v->hint =
        fer_say(t, "Send one of: %.*s", FER_PRI(fer_branches_in_words(t, d->nodes, d->count)));
}

static void explain_any(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct branches *d = i->data;
    size_t before = t->count;
    fer_str why;
    if (tell_demands(t, u, i, 0) || tell_values(t, u, i) || tell_types(t, u, i)) return;
    /* Where only this keyword is to speak, nobody has to be found who could. */
    const fer_unit *meant = t->shallow ? NULL : fer_branch_meant(t, u, i, d->nodes, d->count, &why);
    if (meant) {
        fer_tell_unit(t, meant);
        if (why.len) fer_say_reason(t, before, why);
    } else if (fer_tell_tag(t, u, i, d->nodes, d->count)) {
        return;
    }
    if (t->count == before) tell_none(t, u, i);
}

/* More than one fits: which, and how to tell them apart where a property does. */
static void explain_one(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const struct branches *d = i->data;
    uint64_t failed = 0;
    size_t failures = 0;
    for (const fer_unit *b = u->first; b; b = b->next) {
        if (&u->node->insts[b->by] != i || b->valid) continue;
        failures++;
        if (b->branch < 64) failed |= (uint64_t)1 << b->branch;
    }
    if (failures == d->count) {
        explain_any(t, u, i);
        return;
    }
    if (tell_demands(t, u, i, d->count - failures)) return;
    fer_violation *v = fer_tell(t, u, i->source, FER_DISCRIMINATOR_MISMATCH, u->value);
    if (!v) return;
    fer_buf b;
    fer_buf_init(&b, t->arena, 1024);
    for (size_t n = 0, said = 0; n < d->count && n < 64 && said < 5; n++) {
        if (failed >> n & 1) continue;
        fer_buf_printf(&b, "%s%.*s", said++ ? " and " : "",
                       FER_PRI(fer_branch_in_words(t, d->nodes[n])));
    }
    list_branches(t, v, d);
    v->expected = FER_STR("exactly one alternative");
    v->actual = fer_say(t, "%zu fit", d->count - failures);
    v->message = fer_say(t, "%.*s must fit exactly one of %zu alternatives, but fits %zu: %.*s.",
                         FER_PRI(fer_say_field(t, v)), d->count, d->count - failures,
                         FER_PRI(b.ptr ? fer_buf_view(&b) : FER_STR("...")));
    v->hint = FER_STR("Change it so that it fits only one of them.");
}

/* ---- not
 * -------------------------------------------------------------------------------------------- */

/* Properties that must not be there, alone or together. */
static bool tell_forbidden(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const yyjson_val *schema = i->source;
    const yyjson_val *required = fer_is_obj(schema) ? fer_val_get(schema, "required") : NULL;
    fer_str names[DEMANDS_MAX] = {{NULL, 0}};
    size_t count = 0;
    bool plain = fer_is_arr(required) && fer_val_len(schema) == 1 && fer_is_obj(u->value);
    if (!plain || !fer_val_len(required) || fer_val_len(required) > DEMANDS_MAX) return false;
    FER_EACH_ITEM (required, item) names[count++] = fer_val_str(item);
    const yyjson_val *key = fer_val_key(u->value, names[0]);
    fer_violation *v =
        fer_tell(t, u, i->source, FER_CONSTRAINT_VIOLATION, count == 1 ? key : u->value);
    if (!v) return true;
    fer_str all = fer_say_names(t, names, count);
    v->expected = fer_say(t, "an object without %.*s", FER_PRI(all));
    v->actual = FER_STR("an object");
    v->message = count == 1 ? fer_say(t, "%.*s is not allowed here.", FER_PRI(fer_say_field(t, v)))
                            : fer_say(t, "%.*s must not have %.*s together, but has.",
                                      FER_PRI(fer_say_field(t, v)), FER_PRI(all));
    v->hint = count == 1 ? FER_STR("Take it out.") : FER_STR("Take one of them out.");
    return true;
}

static void explain_not(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    if (tell_forbidden(t, u, i)) return;
    fer_violation *v = fer_tell(t, u, i->source, FER_CONSTRAINT_VIOLATION, u->value);
    if (!v) return;
    const yyjson_val *schema = i->source;
    const yyjson_val *pattern = fer_is_obj(schema) ? fer_val_get(schema, "pattern") : NULL;
    fer_str simple = fer_say_simply(t, schema), json = fer_say_json(t, schema, 300);
    fer_str field = fer_say_field(t, v);
    v->actual = fer_say_actual(t, v, u->value);
    if (simple.len) {
        v->expected = fer_say(t, "not %.*s", FER_PRI(simple));
        v->message = fer_say(t, "%.*s must not be %.*s, but is %.*s.", FER_PRI(field),
                             FER_PRI(simple), FER_PRI(v->actual));
        v->hint = FER_STR("Send another value.");
    } else if (fer_is_str(u->value) && fer_is_str(pattern) && fer_val_len(schema) == 1) {
        v->expected = fer_say(t, "text that does not match the pattern %.*s",
                              FER_PRI(fer_str_head(fer_val_str(pattern), 300)));
        v->message = fer_say(t, "%.*s must not match the pattern `%.*s`, but is %.*s.",
                             FER_PRI(field), FER_PRI(fer_str_head(fer_val_str(pattern), 300)),
                             FER_PRI(fer_say_value(t, v, u->value)));
        v->hint = FER_STR("Rewrite it so that the pattern does not match.");
    } else {
        v->expected = fer_say(t, "a value that does not fit %.*s", FER_PRI(json));
        v->message = fer_say(t, "%.*s must not fit %.*s, but does.", FER_PRI(field), FER_PRI(json));
        v->hint = FER_STR("Change it so that it no longer fits that schema.");
    }
}

/* ---- the quick form ---------------------------------------------------------------------------
 */

#define FEW_BRANCHES 8 /* of allOf that become rows of their own */

static void lower_all(fer_rows *l, const fer_inst *i)
{
    const struct branches *d = i->data;
    if (d->count > FEW_BRANCHES) {
        fer_lower_add(l, FER_Q_ALL, FER_ON_ALL)->data = fer_lower_codes(l, d->nodes, d->count);
        return;
    }
    for (size_t n = 0; n < d->count; n++) {
        fer_lower_add(l, FER_Q_CALL, FER_ON_ALL)->node = d->nodes[n];
    }
}

static void lower_any(fer_rows *l, const fer_inst *i)
{
    const struct branches *d = i->data;
    fer_lower_add(l, FER_Q_ANY, FER_ON_ALL)->data = fer_lower_branches(l, d->nodes, d->count);
}

static void lower_one(fer_rows *l, const fer_inst *i)
{
    const struct branches *d = i->data;
    fer_lower_add(l, FER_Q_ONE, FER_ON_ALL)->data = fer_lower_branches(l, d->nodes, d->count);
}

static void lower_not(fer_rows *l, const fer_inst *i)
{
    fer_lower_add(l, FER_Q_NOT, FER_ON_ALL)->node = i->node;
}

static const fer_op all_op = {.name = "all",
                              .on = FER_ON_ALL,
                              .next = next_all,
                              .hear = fer_hear_failures,
                              .explain = fer_tell_below,
                              .lower = lower_all};
static const fer_op any_op = {.name = "any",
                              .on = FER_ON_ALL,
                              .next = next_any,
                              .hear = hear_any,
                              .explain = explain_any,
                              .lower = lower_any};
static const fer_op one_op = {.name = "one",
                              .on = FER_ON_ALL,
                              .next = next_one,
                              .hear = hear_one,
                              .explain = explain_one,
                              .lower = lower_one};
static const fer_op not_op = {.name = "not",
                              .on = FER_ON_ALL,
                              .next = next_not,
                              .hear = fer_hear_answer,
                              .explain = explain_not,
                              .lower = lower_not};

const fer_node *const *fer_branches(const fer_inst *i, size_t *count)
{
    *count = 0;
    if (i->op != &all_op && i->op != &any_op && i->op != &one_op) return NULL;
    const struct branches *d = i->data;
    *count = d->count;
    return d->nodes;
}

static void add_branches(fer_build *b, enum fer_slot slot, const fer_op *op)
{
    const yyjson_val *list = fer_build_value(b, slot);
    if (!list) return;
    struct branches *d = fer_build_alloc(b, 1, sizeof *d + fer_val_len(list) * sizeof d->nodes[0]);
    if (!d) return;
    d->slot = slot;
    FER_EACH_ITEM (list, item) {
        const fer_node *node = fer_build_child(b, item);
        if (!node) return;
        d->nodes[d->count++] = node;
    }
    fer_build_add(b, op, slot)->data = d;
}

void fer_compile_logic(fer_build *b)
{
    add_branches(b, KW_ALL_OF, &all_op);
    add_branches(b, KW_ANY_OF, &any_op);
    add_branches(b, KW_ONE_OF, &one_op);
    const yyjson_val *negated = fer_build_value(b, KW_NOT);
    const fer_node *node = negated ? fer_build_child(b, negated) : NULL;
    if (node) fer_build_add(b, &not_op, KW_NOT)->node = node;
}
