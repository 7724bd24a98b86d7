/* SPDX-License-Identifier: Apache-2.0 */
/*
 * properties, patternProperties, additionalProperties and required, as one instruction that
 * walks the members once: a hashed look-up finds what a name stands for; `required` is a count.
 */
#include "explain.h"
#include "families.h"
#include "object.h"

enum {
    SOURCE_PROPERTIES,
    SOURCE_PATTERNS,
    SOURCE_ADDITIONAL,
    SOURCE_REQUIRED,
};

/* ---- running --------------------------------------------------------------------------- */

/*
 * The frame's state: cursor is the key of the member in hand; state counts what was asked
 * about it (0: its property, then the patterns, then additionalProperties); hits counts the
 * required names that were seen; the lowest bit of index says whether anybody knew the name,
 * the rest is the member's number.
 */
static fer_step call(fer_vm *vm, fer_frame *f, const fer_node *node, enum fer_slot keyword,
                     const yyjson_val *key)
{
    if (!fer_vm_mark(vm, f, f->index >> 1)) return FER_STEP_ERROR;
    fer_vm_call(vm, node, f->cursor + 1, keyword, 0);
    vm->call.key = key;
    vm->call.plain = !key;
    return FER_STEP_CALL;
}

/* The next one to ask about the member in hand; FER_STEP_PASS: nobody. */
static fer_step next_of_member(fer_vm *vm, fer_frame *f, const fer_object *o)
{
    if (f->state == 0) {
        f->state = 1;
        const fer_known *p = fer_object_find(o, fer_val_str(f->cursor));
        if (p) f->hits += p->required;
        if (p && p->node) {
            f->index |= 1;
            return call(vm, f, p->node, KW_PROPERTIES, p->key);
        }
    }
    while (f->state <= o->pattern_count) {
        const fer_name_pattern *p = &o->patterns[f->state++ - 1];
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        fer_step s = fer_vm_match(vm, p->regex, f->cursor);
        if (s == FER_STEP_ERROR) return s;
        if (s == FER_STEP_FAIL) continue;
        f->index |= 1;
        return call(vm, f, p->node, KW_PATTERN_PROPERTIES, p->key);
    }
    if (f->state++ == o->pattern_count + 1 && !(f->index & 1) && o->additional) {
        return call(vm, f, o->additional, KW_ADDITIONAL_PROPERTIES, NULL);
    }
    return FER_STEP_PASS;
}

/* The top bit of hits remembers a member that failed. */
#define FAILED UINT32_C(0x80000000)

/* What a name stands for: most objects are in the order of their schema. */
static const fer_known *find(const fer_object *o, const fer_known **guess, const yyjson_val *key)
{
    fer_str name = fer_val_str(key);
    const fer_known *end = fer_object_at(o, o->names.count), *known = *guess;
    /* Behind the last there is one that no text equals. */
    if (!fer_name_is(&known->name, name)) {
        bool next = known < end && fer_name_is(&known[1].name, name);
        known = next ? known + 1 : fer_object_find(o, name);
    }
    if (known) *guess = known + 1;
    return known;
}

/*
 * While only what fails is of interest: passes by the members that are plainly valid, up to
 * one that is not, or that there are no more steps for. Costs as many as asking about each.
 */
static void pass_by(fer_vm *vm, fer_frame *f, const fer_object *o, const yyjson_val *end)
{
    size_t number = f->index >> 1;
    const fer_known *guess = fer_object_at(o, number < o->names.count ? number : o->names.count);
    const yyjson_val *key = f->cursor;
    while (key < end) {
        const yyjson_val *value = key + 1, *after = fer_val_next(value);
        const fer_known *p = find(o, &guess, key);
        const fer_node *node = p && p->node ? p->node : o->additional;
        size_t cost = node ? (size_t)(after - value) + 2 : 1;
        if (vm->steps < cost) break;
        bool plain = !node || (p && p->plain >> fer_val_type(value) & 1);
        if (!plain && !fer_vm_sifts(vm, node->code, value)) {
            if (!vm->sift) break;
            vm->steps -= cost - 2;
            vm->doubted = value;
            break;
        }
        vm->steps -= cost;
        if (p) f->hits += p->required;
        key = after;
        number++;
    }
    f->cursor = key;
    f->index = number << 1;
}

static fer_step next(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    const fer_object *o = i->object;
    const yyjson_val *end = fer_val_next(f->value);
    if (!f->cursor) f->cursor = f->value + 1;
    while (f->cursor < end) {
        if (vm->sift && f->state == 0 && !f->tracks && !o->pattern_count) {
            pass_by(vm, f, o, end);
            if (f->cursor == end) break;
        }
        fer_step s = next_of_member(vm, f, o);
        if (s != FER_STEP_PASS) return s;
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        f->cursor = fer_val_next(f->cursor + 1);
        f->index = ((f->index >> 1) + 1) << 1;
        f->state = 0;
    }
    if (f->unit && (f->hits & ~FAILED) != o->required) f->unit->lacks = true;
    return f->hits == o->required ? FER_STEP_PASS : FER_STEP_FAIL;
}

/* The same without a frame. */
static fer_step trace(fer_vm *vm, const fer_inst *i, const yyjson_val *v, fer_unit *u)
{
    const fer_object *o = i->object;
    const yyjson_val *reached = fer_vm_reached(vm, v);
    const fer_known *guess = o->names.list;
    size_t hits = 0;
    bool failed = false;
    FER_EACH_MEMBER (v, key) {
        const yyjson_val *value = key + 1;
        const fer_known *p = find(o, &guess, key);
        const fer_node *node = p && p->node ? p->node : o->additional;
        if (p) hits += p->required;
        if (!fer_vm_spend(vm, node ? (size_t)(fer_val_next(value) - value) + 2 : 1)) {
            return FER_STEP_ERROR;
        }
        if (!node || (p && p->plain >> fer_val_type(value) & 1)) continue;
        if (vm->sift && fer_vm_passes(vm, node->code, value, reached)) continue;
        bool known = p && p->node;
        fer_vm_call(vm, node, value, known ? KW_PROPERTIES : KW_ADDITIONAL_PROPERTIES, 0);
        vm->call.key = known ? p->key : NULL;
        vm->call.plain = !known;
        fer_step s = fer_vm_trace(vm, i, u);
        if (s == FER_STEP_ERROR) return s;
        failed |= s == FER_STEP_FAIL;
    }
    if (u) u->lacks = hits != o->required;
    return failed || hits != o->required ? FER_STEP_FAIL : FER_STEP_PASS;
}

static fer_step hear(fer_vm *vm, fer_frame *f, const fer_inst *i, bool valid)
{
    (void)i;
    if (valid) return FER_STEP_CALL;
    f->hits |= FAILED;
    return vm->trace ? FER_STEP_CALL : FER_STEP_FAIL;
}

/* ---- telling ----------------------------------------------------------------------------- */

static fer_str name_of(const fer_object *o, size_t n)
{
    const fer_name *name = fer_names_at(&o->names, n);
    return (fer_str){name->ptr, name->len};
}

static const fer_str *list_names(fer_teller *t, const fer_object *o, size_t *count)
{
    size_t most = o->names.count < FER_ALLOWED_MAX ? o->names.count : FER_ALLOWED_MAX;
    fer_str *names = fer_arena_alloc(t->arena, most ? most * sizeof *names : 1);
    *count = 0;
    if (!names) {
        t->no_memory = true;
        return NULL;
    }
    for (size_t n = 0; n < o->names.count && *count < most; n++) {
        if (fer_object_at(o, n)->node) names[(*count)++] = name_of(o, n);
    }
    return names;
}

/* Names may also be told by their patterns. */
static void hint_patterns(fer_teller *t, const fer_object *o, fer_violation *v)
{
    fer_buf b;
    if (!o->pattern_count || v->did_you_mean.len) return;
    fer_buf_init(&b, t->arena, 600);
    for (size_t n = 0; n < o->pattern_count && n < 5; n++) {
        fer_buf_printf(&b, "%s`%.*s`", n ? ", " : "",
                       FER_PRI(fer_str_head(fer_val_str(o->patterns[n].key), 100)));
    }
    fer_str patterns = b.ptr ? fer_buf_view(&b) : FER_STR("...");
    v->hint = v->allowed_count
                  ? fer_say(t, "%.*s Names that match %.*s are allowed, too.", FER_PRI(v->hint),
                            FER_PRI(patterns))
                  : fer_say(t, "Take it out, or rename it: names that match %.*s are allowed.",
                            FER_PRI(patterns));
}

/* A member that additionalProperties refuses altogether. */
static void tell_unknown(fer_teller *t, const fer_unit *u, const fer_object *o,
                         const yyjson_val *key)
{
    fer_violation *v = fer_tell(t, u, o->sources[SOURCE_ADDITIONAL], FER_UNKNOWN_FIELD, key);
    if (!v) return;
    size_t count;
    const fer_str *names = list_names(t, o, &count);
    fer_meant meant;
    fer_meant_init(&meant, fer_val_str(key));
    for (size_t n = 0; n < o->names.count; n++) {
        if (!fer_meant_try(t, &meant, u->value, name_of(o, n))) break;
    }
    fer_tell_unknown(t, v, fer_val_str(key), &meant, names, count);
    hint_patterns(t, o, v);
}

/* A member under a name that nobody knows and that is near to the one that is missing. */
static fer_str misspelt(fer_teller *t, const fer_unit *u, const fer_object *o, fer_str missing)
{
    const fer_known *guess = o->names.list;
    FER_EACH_MEMBER (u->value, key) {
        fer_str name = fer_val_str(key);
        const fer_known *p = find(o, &guess, key);
        if (p && p->node) {
            if (!fer_tell_pass(t)) break;
            continue;
        }
        fer_meant meant;
        fer_meant_init(&meant, name);
        if (!fer_meant_try(t, &meant, u->value, missing)) break;
        if (fer_meant_best(&meant).len && !fer_property_schema(t, u, name)) return name;
    }
    return FER_STR("");
}

/* What a schema says of a property that is to be added. */
struct sayings {
    const yyjson_val *constant, *list, *type, *about;
};

static struct sayings sayings_of(const yyjson_val *schema)
{
    struct sayings s = {0};
    if (!fer_is_obj(schema)) return s;
    FER_EACH_MEMBER (schema, key) {
        const char *name = key->uni.str;
        switch (fer_val_len(key)) {
        case 4:
            if (memcmp(name, "type", 4) == 0) s.type = key + 1;
            else if (memcmp(name, "enum", 4) == 0) s.list = key + 1;
            break;
        case 5:
            if (memcmp(name, "const", 5) == 0) s.constant = key + 1;
            break;
        case 11:
            if (memcmp(name, "description", 11) == 0) s.about = key + 1;
            break;
        default: break;
        }
    }
    return s;
}

/* Its value, its values, or its type. */
static fer_str wanted(fer_teller *t, const struct sayings *s)
{
    if (s->constant) return FER_JOIN(t, fer_say_json(t, s->constant, 300));
    if (fer_is_arr(s->list)) return FER_JOIN(t, FER_STR("one of "), fer_say_json(t, s->list, 300));
    return fer_is_str(s->type) ? fer_val_str(s->type) : FER_STR("");
}

static void hint_missing(fer_teller *t, const fer_unit *u, const fer_object *o, fer_violation *v,
                         fer_str name)
{
    const fer_known *p = fer_object_find(o, name);
    const yyjson_val *schema = p && p->node && fer_is_obj(p->node->schema)
                                   ? p->node->schema
                                   : fer_property_schema(t, u, name);
    struct sayings says = sayings_of(schema);
    fer_str instead = misspelt(t, u, o, name);
    v->expected = wanted(t, &says);
    if (instead.len) {
        v->hint = FER_JOIN(t, FER_STR("Rename `"), fer_str_head(instead, 80), FER_STR("` to `"),
                           name, FER_STR("`."));
        return;
    }
    bool more = v->expected.len, described = fer_is_str(says.about);
    v->hint = FER_JOIN(t, FER_STR("Add `"), name, more ? FER_STR("` (") : FER_STR("`."),
                       more ? v->expected : FER_STR(""), more ? FER_STR(").") : FER_STR(""),
                       described ? FER_STR(" Its description: ") : FER_STR(""),
                       described ? fer_str_head(fer_val_str(says.about), 160) : FER_STR(""));
}

static void tell_missing(fer_teller *t, const fer_unit *u, const fer_object *o)
{
    FER_EACH_ITEM (o->sources[SOURCE_REQUIRED], item) {
        fer_str name = fer_val_str(item);
        if (fer_tell_key(t, u->value, name)) continue;
        fer_violation *v =
            fer_tell_absent(t, u, o->sources[SOURCE_REQUIRED], FER_REQUIRED_MISSING, name);
        if (!v) return;
        v->actual = FER_STR("absent");
        v->message = FER_JOIN(t, fer_say_field(t, v), FER_STR(" is required, but is missing."));
        hint_missing(t, u, o, v, name);
    }
}

static void explain(fer_teller *t, const fer_unit *u, const fer_inst *i)
{
    const fer_object *o = i->object;
    if (u->lacks) tell_missing(t, u, o);
    for (const fer_unit *below = u->first; below; below = below->next) {
        if (below->valid || &u->node->insts[below->by] != i) continue;
        bool refused =
            below->keyword == KW_ADDITIONAL_PROPERTIES && below->node->verdict == FER_NEVER;
        if (refused) {
            tell_unknown(t, u, o, below->value - 1);
        } else {
            fer_tell_unit(t, below);
        }
    }
}

/* ---- the quick form ------------------------------------------------------------------------- */

/* The two forms share the table. */
static void lower(fer_rows *l, const fer_inst *i)
{
    fer_object *o = i->object;
    fer_known *known = o->names.list;
    for (size_t n = 0; n < o->names.count; n++) {
        const fer_node *node = known[n].node ? known[n].node : o->additional;
        fer_lower_want(l, &known[n].code, node);
    }
    for (size_t n = 0; n < o->pattern_count; n++) {
        fer_lower_want(l, &o->patterns[n].code, o->patterns[n].node);
    }
    fer_lower_want(l, &o->rest, o->additional);
    enum fer_quick_op op = o->pattern_count ? FER_Q_PATTERNS : FER_Q_OBJECT;
    fer_lower_add(l, op, FER_ON_OBJECT)->object = o;
}

/* Patterns need a frame: a name may match several. */
static const fer_op object_op = {.name = "object",
                                 .on = FER_ON_OBJECT,
                                 .next = next,
                                 .hear = hear,
                                 .trace = trace,
                                 .explain = explain,
                                 .lower = lower};
static const fer_op patterns_op = {.name = "object",
                                   .on = FER_ON_OBJECT,
                                   .next = next,
                                   .hear = hear,
                                   .explain = explain,
                                   .lower = lower};

/* ---- compiling ------------------------------------------------------------------------------ */

static bool add_patterns(fer_build *b, fer_object *o, const yyjson_val *map)
{
    o->patterns = fer_build_alloc(b, fer_val_len(map), sizeof *o->patterns);
    if (!o->patterns) return false;
    FER_EACH_MEMBER (map, key) {
        fer_name_pattern *p = &o->patterns[o->pattern_count];
        p->regex = fer_build_regex(b, key);
        p->node = fer_build_child(b, key + 1);
        p->key = key;
        if (!p->node) return false;
        if (p->regex) o->pattern_count++;
    }
    return true;
}

/* What a name stands for, new or not; NULL: no memory. */
static fer_known *add_name(fer_build *b, fer_object *o, const yyjson_val *name)
{
    fer_known *known = fer_names_put(&o->names, b->c->arena, fer_val_str(name));
    return known ? known : fer_compile_no_memory(b->c);
}

static bool add_names(fer_build *b, fer_object *o)
{
    const yyjson_val *properties = o->sources[SOURCE_PROPERTIES];
    const yyjson_val *required = o->sources[SOURCE_REQUIRED];
    size_t most =
        (properties ? fer_val_len(properties) : 0) + (required ? fer_val_len(required) : 0);
    if (!fer_names_init(&o->names, b->c->arena, most, sizeof(fer_known))) {
        return fer_compile_no_memory(b->c);
    }
    if (properties) {
        FER_EACH_MEMBER (properties, key) {
            fer_known *p = add_name(b, o, key);
            if (!p) return false;
            p->key = key;
            p->node = fer_build_child(b, key + 1);
            if (!p->node) return false;
        }
    }
    if (required) {
        FER_EACH_ITEM (required, item) {
            fer_known *p = add_name(b, o, item);
            if (!p) return false;
            o->required += !p->required;
            p->required = 1;
        }
    }
    return fer_names_settle(&o->names, b->c->arena) || fer_compile_no_memory(b->c);
}

void fer_compile_object(fer_build *b)
{
    fer_object *o = fer_build_alloc(b, 1, sizeof *o);
    if (!o) return;
    o->sources[SOURCE_PROPERTIES] = fer_build_value(b, KW_PROPERTIES);
    o->sources[SOURCE_PATTERNS] = fer_build_value(b, KW_PATTERN_PROPERTIES);
    o->sources[SOURCE_ADDITIONAL] = fer_build_value(b, KW_ADDITIONAL_PROPERTIES);
    o->sources[SOURCE_REQUIRED] = fer_build_value(b, KW_REQUIRED);
    if (!add_names(b, o)) return;
    if (o->sources[SOURCE_PATTERNS] && !add_patterns(b, o, o->sources[SOURCE_PATTERNS])) return;
    if (o->sources[SOURCE_ADDITIONAL]) {
        o->additional = fer_build_child(b, o->sources[SOURCE_ADDITIONAL]);
    }
    static const enum fer_slot slots[] = {KW_PROPERTIES, KW_PATTERN_PROPERTIES,
                                          KW_ADDITIONAL_PROPERTIES, KW_REQUIRED};
    size_t first = 0;
    while (!o->sources[first]) first++;
    const fer_op *op = o->sources[SOURCE_PATTERNS] ? &patterns_op : &object_op;
    fer_build_add(b, op, slots[first])->object = o;
}
