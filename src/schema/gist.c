/* SPDX-License-Identifier: Apache-2.0 */
#include "gist.h"

#include "compile.h"
#include "json_number.h"
#include "keyword.h"
#include "quick.h"
#include "vm.h"

#define MATCH_STEPS 100000 /* of one search for a pattern */

bool fer_gister_init(fer_gister *m, fer_arena *a, size_t steps)
{
    *m = (fer_gister){.arena = a, .brief = fer_arena_new(0), .steps = steps};
    fer_map_init(&m->langs, a);
    return m->brief != NULL;
}

void fer_gister_deinit(fer_gister *m)
{
    fer_arena_free(m->brief);
    m->brief = NULL;
}

bool fer_gister_spend(fer_gister *m, size_t steps)
{
    m->tired |= m->steps < steps;
    m->steps = m->tired ? 0 : m->steps - steps;
    return !m->tired && !m->no_memory;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static bool same_part(fer_part x, fer_part y)
{
    return x.node == y.node && x.program == y.program;
}

static bool add_part(fer_gister *m, fer_part **list, size_t *count, size_t *cap, fer_part part)
{
    for (size_t i = 0; i < *count; i++)
        if (same_part((*list)[i], part)) return false;
    fer_part *more = fer_arena_room(m->arena, *list, *count, cap, sizeof *more);
    m->no_memory |= !more;
    if (!more) return false;
    *list = more;
    more[(*count)++] = part;
    return true;
}

void fer_parts_add(fer_gister *m, fer_parts *p, fer_part part)
{
    if (part.node->verdict == FER_ALWAYS) return;
    add_part(m, &p->list, &p->count, &p->cap, part);
}

void fer_parts_add_all(fer_gister *m, fer_parts *p, const fer_parts *more)
{
    for (size_t i = 0; i < more->count; i++) fer_parts_add(m, p, more->list[i]);
}

/* ---- reading a program ------------------------------------------------------------------------
 */

enum fer_slot fer_inst_slot(const fer_schema *s, const fer_node *n, const fer_inst *i)
{
    const struct fer_rules *rules = fer_node_resource(s, n)->rules;
    const fer_keyword *k = fer_keyword_find(rules, fer_val_str(i->source - 1));
    return k ? k->slot : KW_COUNT;
}

const fer_node *fer_program_node(const fer_schema *s, const yyjson_val *schema)
{
    const struct fer_spot *spot = fer_library_spot(&s->library, schema);
    return spot ? spot->node : NULL;
}

static unsigned type_bit(fer_str name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } rows[] = {{"null", FER_G_NULL},     {"boolean", FER_G_BOOL},  {"integer", FER_G_WHOLE},
                {"number", FER_G_NUMBER}, {"string", FER_G_STRING}, {"array", FER_G_ARRAY},
                {"object", FER_G_OBJECT}};
    for (size_t i = 0; i < FER_COUNT(rows); i++)
        if (fer_str_is(name, rows[i].name)) return rows[i].bits;
    return 0;
}

unsigned fer_gist_types_of(const yyjson_val *type)
{
    unsigned bits = 0;
    if (fer_is_str(type)) return type_bit(fer_val_str(type));
    FER_EACH_ITEM (type, item) bits |= type_bit(fer_val_str(item));
    return bits;
}

unsigned fer_gist_type(const yyjson_val *v)
{
    switch (fer_val_type(v)) {
    case YYJSON_TYPE_NULL: return FER_G_NULL;
    case YYJSON_TYPE_BOOL: return FER_G_BOOL;
    case YYJSON_TYPE_STR: return FER_G_STRING;
    case YYJSON_TYPE_ARR: return FER_G_ARRAY;
    case YYJSON_TYPE_OBJ: return FER_G_OBJECT;
    default: return fer_number_is_integer(v) ? FER_G_WHOLE : FER_G_REAL;
    }
}

/* ---- gathering ----------------------------------------------------------------------------------
 */

static void take_type(fer_gist *g, const fer_gist_inst *i)
{
    const struct fer_rules *rules = fer_node_resource(i->part.program, i->part.node)->rules;
    unsigned types = fer_gist_types_of(i->inst->source);
    g->types &= types;
    g->whole_text |= rules->bit == FER_IN_4 && !(types & FER_G_REAL);
}

static void take_enum(fer_gist *g, const yyjson_val *list)
{
    unsigned types = 0;
    FER_EACH_ITEM (list, item) types |= fer_gist_type(item);
    g->types &= types;
    if (!g->values || fer_val_len(list) < fer_val_len(g->values)) g->values = list;
}

static void take_low(fer_gist *g, const yyjson_val *v, bool open)
{
    int order = g->low.value ? fer_number_cmp(v, g->low.value) : 1;
    if (order > 0) g->low = (fer_gist_bound){v, open};
    else if (order == 0) g->low.open |= open;
}

static void take_high(fer_gist *g, const yyjson_val *v, bool open)
{
    int order = g->high.value ? fer_number_cmp(v, g->high.value) : -1;
    if (order < 0) g->high = (fer_gist_bound){v, open};
    else if (order == 0) g->high.open |= open;
}

/* In draft-04 the exclusive bounds are flags beside the others. */
static bool is_open(const fer_gist_inst *i, const char *flag)
{
    const struct fer_rules *rules = fer_node_resource(i->part.program, i->part.node)->rules;
    return rules->bit == FER_IN_4 && fer_is_true(fer_val_get(i->part.node->schema, flag));
}

static void raise(uint64_t *min, uint64_t to)
{
    if (to > *min) *min = to;
}

static void lower(uint64_t *max, uint64_t to)
{
    if (to < *max) *max = to;
}

static void take_object(fer_gister *m, fer_gist *g, const fer_object *o)
{
    for (size_t n = 0; n < o->names.count && !m->no_memory; n++) {
        const fer_known *k = fer_object_at(o, n);
        fer_str name = {k->name.ptr, k->name.len};
        if (!k->required || fer_gist_requires(g, name)) continue;
        fer_str *list = fer_arena_room(m->arena, g->required, g->required_count, &g->required_cap,
                                       sizeof *list);
        m->no_memory |= !list;
        if (!list) return;
        g->required = list;
        list[g->required_count++] = name;
    }
    raise(&g->min_members, g->required_count);
}

static void add_value(const yyjson_val **list, size_t *count, const yyjson_val *v)
{
    if (*count < FER_GIST_PATTERNS) list[(*count)++] = v;
}

/* What one instruction says of bounds. */
static void take(fer_gister *m, fer_gist *g, const fer_gist_inst *i)
{
    const yyjson_val *v = i->inst->source;
    switch (i->slot) {
    case KW_TYPE: take_type(g, i); break;
    case KW_ENUM: take_enum(g, v); break;
    case KW_CONST:
        g->types &= fer_gist_type(v);
        g->constant = v;
        break;
    case KW_MINIMUM: take_low(g, v, is_open(i, "exclusiveMinimum")); break;
    case KW_MAXIMUM: take_high(g, v, is_open(i, "exclusiveMaximum")); break;
    case KW_EXCLUSIVE_MINIMUM: take_low(g, v, true); break;
    case KW_EXCLUSIVE_MAXIMUM: take_high(g, v, true); break;
    case KW_MULTIPLE_OF: add_value(g->multiples, &g->multiple_count, v); break;
    case KW_MIN_LENGTH: raise(&g->min_length, fer_build_count(v)); break;
    case KW_MAX_LENGTH: lower(&g->max_length, fer_build_count(v)); break;
    case KW_PATTERN: add_value(g->patterns, &g->pattern_count, v); break;
    case KW_MIN_ITEMS: raise(&g->min_items, fer_build_count(v)); break;
    case KW_MAX_ITEMS: lower(&g->max_items, fer_build_count(v)); break;
    case KW_UNIQUE_ITEMS: g->unique = true; break;
    case KW_MIN_PROPERTIES: raise(&g->min_members, fer_build_count(v)); break;
    case KW_MAX_PROPERTIES: lower(&g->max_members, fer_build_count(v)); break;
    case KW_PROPERTIES:
    case KW_PATTERN_PROPERTIES:
    case KW_ADDITIONAL_PROPERTIES:
    case KW_REQUIRED: take_object(m, g, i->inst->object); break;
    default: break;
    }
}

static void see(fer_gister *m, fer_gist *g, fer_part part)
{
    if (part.node->verdict == FER_ALWAYS) return;
    if (part.node->verdict == FER_NEVER) g->types = 0;
    if (g->seen_count >= FER_GIST_PARTS) g->cut = true;
    else add_part(m, &g->seen, &g->seen_count, &g->seen_cap, part);
}

static void note(fer_gister *m, fer_gist *g, fer_gist_inst i)
{
    fer_gist_inst *list =
        fer_arena_room(m->arena, g->insts, g->inst_count, &g->inst_cap, sizeof *list);
    m->no_memory |= !list;
    if (!list) return;
    g->insts = list;
    list[g->inst_count++] = i;
    take(m, g, &i);
}

/* The instructions of a schema; what it refers to is seen next. */
static void open_part(fer_gister *m, fer_gist *g, fer_part part)
{
    for (uint32_t n = 0; n < part.node->count && !m->no_memory; n++) {
        const fer_inst *inst = &part.node->insts[n];
        fer_gist_inst i = {part, inst, fer_inst_slot(part.program, part.node, inst)};
        bool plain = !part.program->scoped; /* then nothing dynamic is left in it */
        bool dynamic = i.slot == KW_DYNAMIC_REF || i.slot == KW_RECURSIVE_REF;
        if (i.slot == KW_REF || (dynamic && plain)) {
            see(m, g, (fer_part){part.program, fer_inst_target(inst)});
        } else if (i.slot == KW_ALL_OF) {
            FER_EACH_ITEM (inst->source, item) {
                const fer_node *node = fer_program_node(part.program, item);
                if (node) see(m, g, (fer_part){part.program, node});
            }
        } else {
            note(m, g, i);
        }
    }
}

fer_gist *fer_gist_make(fer_gister *m, const fer_parts *parts)
{
    fer_gist *g = fer_arena_alloc_zero(m->arena, 1, sizeof *g);
    m->no_memory |= !g;
    if (!g || !fer_gister_spend(m, 1 + parts->count)) return NULL;
    g->types = FER_G_ALL;
    g->max_length = g->max_items = g->max_members = UINT64_MAX;
    for (size_t i = 0; i < parts->count; i++) see(m, g, parts->list[i]);
    for (size_t i = 0; i < g->seen_count && !m->no_memory; i++) {
        if (!fer_gister_spend(m, 1 + g->seen[i].node->count)) return NULL;
        open_part(m, g, g->seen[i]);
    }
    return m->no_memory ? NULL : g;
}

bool fer_gist_requires(const fer_gist *g, fer_str name)
{
    for (size_t i = 0; i < g->required_count; i++)
        if (fer_str_eq(g->required[i], name)) return true;
    return false;
}

/* ---- members and items
 * ---------------------------------------------------------------------------- */

static bool is_object_inst(const fer_gist_inst *i)
{
    return i->slot == KW_PROPERTIES || i->slot == KW_PATTERN_PROPERTIES ||
           i->slot == KW_ADDITIONAL_PROPERTIES || i->slot == KW_REQUIRED;
}

static void member_of(fer_gister *m, const fer_gist_inst *i, fer_str name, fer_parts *out,
                      bool *named)
{
    const fer_object *o = i->inst->object;
    const fer_known *k = fer_object_find(o, name);
    bool known = k && k->node, doubt = false;
    if (known) fer_parts_add(m, out, fer_part_of(i, k->node));
    for (size_t n = 0; n < o->pattern_count; n++) {
        int hit = fer_gist_matches(m, o->patterns[n].regex, name);
        if (hit == 1) fer_parts_add(m, out, fer_part_of(i, o->patterns[n].node));
        known |= hit == 1;
        doubt |= hit < 0;
    }
    if (!known && !doubt && o->additional) fer_parts_add(m, out, fer_part_of(i, o->additional));
    *named |= known;
}

void fer_gist_member(fer_gister *m, const fer_gist *g, fer_str name, fer_parts *out, bool *named)
{
    *named = false;
    /* The engine's tables look at words of eight bytes: a name of one's own may be shorter. */
    fer_str copy = fer_arena_copy(m->arena, name);
    m->no_memory |= !copy.ptr;
    if (!copy.ptr) return;
    for (size_t n = 0; n < g->inst_count && fer_gister_spend(m, 1); n++)
        if (is_object_inst(&g->insts[n])) member_of(m, &g->insts[n], copy, out, named);
}

/* The subschema lists of an array instruction: one for each position, and one for the rest. */
static const yyjson_val *item_schema(const fer_gist_inst *i, size_t index)
{
    const yyjson_val *schema = i->part.node->schema;
    const struct fer_rules *rules = fer_node_resource(i->part.program, i->part.node)->rules;
    bool lists = rules->dialect < FER_DIALECT_2020_12;
    const yyjson_val *prefix = fer_val_get(schema, lists ? "items" : "prefixItems");
    const yyjson_val *rest = fer_val_get(schema, "items");
    if (lists && !fer_is_arr(prefix)) prefix = NULL;
    if (lists && prefix) rest = fer_val_get(schema, "additionalItems");
    if (prefix && index < fer_val_len(prefix)) {
        FER_EACH_ITEM (prefix, item)
            if (index-- == 0) return item;
    }
    return rest;
}

static bool is_items_inst(const fer_gist_inst *i)
{
    return i->slot == KW_ITEMS || i->slot == KW_PREFIX_ITEMS;
}

void fer_gist_item(fer_gister *m, const fer_gist *g, size_t index, fer_parts *out)
{
    for (size_t n = 0; n < g->inst_count && fer_gister_spend(m, 1); n++) {
        const fer_gist_inst *i = &g->insts[n];
        const yyjson_val *schema = is_items_inst(i) ? item_schema(i, index) : NULL;
        const fer_node *node = schema ? fer_program_node(i->part.program, schema) : NULL;
        if (node) fer_parts_add(m, out, fer_part_of(i, node));
    }
}

size_t fer_gist_prefix(const fer_gist *g)
{
    size_t most = 0;
    for (size_t n = 0; n < g->inst_count; n++) {
        const fer_gist_inst *i = &g->insts[n];
        if (!is_items_inst(i) || !fer_is_arr(i->inst->source)) continue;
        if (fer_val_len(i->inst->source) > most) most = fer_val_len(i->inst->source);
    }
    return most;
}

/* ---- asking
 * ------------------------------------------------------------------------------------------ */

int fer_gist_matches(fer_gister *m, const fer_regex *re, fer_str name)
{
    size_t steps = MATCH_STEPS;
    switch (fer_regex_search(re, name, &steps, m->brief)) {
    case FER_MATCH_YES: return 1;
    case FER_MATCH_NO: return 0;
    case FER_MATCH_NO_MEMORY: m->no_memory = true; break;
    case FER_MATCH_BUDGET: break;
    }
    return -1;
}

const fer_lang *fer_gist_lang(fer_gister *m, fer_str pattern)
{
    static const char none = 0;
    const void *known = fer_map_get(&m->langs, pattern);
    if (known) return known == &none ? NULL : known;
    const fer_lang *lang = NULL;
    fer_err err;
    fer_code code = fer_lang_make(m->arena, pattern, &lang, &err);
    void **slot = code ? NULL : fer_map_put(&m->langs, pattern);
    m->no_memory |= !slot;
    if (!slot) return NULL;
    *slot = (void *)(uintptr_t)(lang ? (const void *)lang : &none);
    return lang;
}

/* The program with another node for its root: what the engine is asked then. */
static fer_yes ask_node(fer_gister *m, fer_part part, const yyjson_val *value)
{
    const fer_schema *s = part.program;
    fer_quick_verdict verdict = FER_QUICK_UNKNOWN;
    if (s->quick && part.node->code && !s->scoped)
        verdict = fer_quick_run(s, part.node->code, m->brief, value);
    if (verdict != FER_QUICK_UNKNOWN) return verdict == FER_QUICK_YES ? FER_YES : FER_NO;
    struct fer_schema other = {.arena = s->arena,
                               .registry = s->registry,
                               .library = s->library,
                               .doc = s->doc,
                               .value = s->value,
                               .root = part.node,
                               .homes = s->homes,
                               .home_count = s->home_count,
                               .node_count = s->node_count,
                               .inst_count = s->inst_count,
                               .scoped = s->scoped,
                               .memo = s->memo,
                               .steps = s->steps,
                               .dialect = s->dialect};
    bool valid;
    fer_err err;
    fer_vm vm = {.program = &other, .arena = m->brief, .err = &err};
    fer_code code = fer_vm_run(&vm, value, &valid);
    m->no_memory |= code == FER_OUT_OF_MEMORY;
    return code ? FER_PERHAPS : valid ? FER_YES : FER_NO;
}

fer_yes fer_part_accepts(fer_gister *m, fer_part part, const yyjson_val *value)
{
    if (part.node->verdict != FER_ASK) return part.node->verdict == FER_ALWAYS ? FER_YES : FER_NO;
    if (!fer_gister_spend(m, 4)) return FER_PERHAPS;
    /* A part of a schema may lean on the scope above it; the whole does not. */
    if (part.program->scoped && part.node != part.program->root) return FER_PERHAPS;
    return ask_node(m, part, value);
}

fer_yes fer_parts_accept(fer_gister *m, const fer_parts *p, const yyjson_val *value)
{
    fer_yes all = FER_YES;
    for (size_t i = 0; i < p->count; i++) {
        fer_yes one = fer_part_accepts(m, p->list[i], value);
        if (one == FER_NO) return FER_NO;
        if (one == FER_PERHAPS) all = FER_PERHAPS;
    }
    return all;
}
