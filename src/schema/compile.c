/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "errors.h"
#include "json_doc.h"
#include "json_number.h"
#include "json_pointer.h"
#include "registry.h"
#include "result.h"
#include "schema_limits.h"

/* ---- subschemas in the order of the text ---------------------------------------------- */

static int by_address(const void *x, const void *y)
{
    const struct fer_spot *const *s = x, *const *t = y;
    return (*s)->value < (*t)->value ? -1 : (*s)->value > (*t)->value;
}

const struct fer_spot **fer_spots_in_order(fer_compile *c, size_t *count)
{
    const struct fer_spot **list =
        fer_arena_alloc(c->scratch, (c->library.spot_count + 1) * sizeof(struct fer_spot *));
    *count = 0;
    if (!list) return fer_compile_no_memory(c);
    for (size_t i = 0; i < c->library.spot_cap; i++) {
        const struct fer_spot *s = &c->library.spots[i];
        if (s->value && s->resource->doc == c->doc) list[(*count)++] = s;
    }
    qsort(list, *count, sizeof(struct fer_spot *), by_address);
    return list;
}

/* ---- nodes ----------------------------------------------------------------------------- */

static fer_home *home_of(fer_compile *c, const fer_resource *resource)
{
    struct fer_schema *p = c->program;
    /* Schemas stay in one resource for long: the last one first. */
    for (size_t i = p->home_count; i-- > 0;) {
        if (p->homes[i]->resource == resource) return p->homes[i];
    }
    fer_home *home = fer_arena_alloc_zero(c->arena, 1, sizeof *home);
    fer_home **homes =
        fer_arena_room(c->arena, p->homes, p->home_count, &c->home_cap, sizeof *homes);
    if (!home || !homes) return fer_compile_no_memory(c);
    home->resource = resource;
    home->id = (uint32_t)p->home_count;
    p->homes = homes;
    homes[p->home_count++] = home;
    return home;
}

static fer_node *new_node(fer_compile *c, const yyjson_val *schema, const fer_resource *resource)
{
    fer_node *node = fer_arena_alloc_zero(c->arena, 1, sizeof *node);
    fer_node **todo =
        fer_arena_room(c->scratch, c->todo, c->todo_count, &c->todo_cap, sizeof *todo);
    if (!node || !todo) return fer_compile_no_memory(c);
    c->todo = todo;
    const fer_home *home = home_of(c, resource);
    if (!home) return NULL;
    node->schema = schema;
    node->id = (uint32_t)c->program->node_count++;
    node->resource = home->id;
    todo[c->todo_count++] = node;
    return node;
}

/* A part that no survey has seen, reached by a pointer through unknown keywords. */
static bool survey_part(fer_compile *c, const yyjson_val *schema, fer_resource *resource)
{
    fer_resource *same;
    fer_code code = fer_library_survey(&c->library, resource->doc, schema, resource, FER_STR(""),
                                       NULL, &same, c->err);
    if (code && !c->code) c->code = code;
    return !code;
}

fer_node *fer_compile_node(fer_compile *c, const yyjson_val *schema, fer_resource *resource)
{
    if (c->code) return NULL;
    struct fer_spot *spot = fer_library_spot(&c->library, schema);
    if (!spot) {
        if (!survey_part(c, schema, resource)) return NULL;
        spot = fer_library_spot(&c->library, schema);
    }
    fer_resource *home = spot->resource;
    /* What the registry knows is noted here too: its own notes are not ours to write. */
    c->code = fer_library_put(&c->library, schema, home, &spot, c->err);
    if (c->code) return NULL;
    if (!spot->node) spot->node = new_node(c, schema, home);
    if (spot->node) spot->node->edges++;
    return spot->node;
}

/* ---- one node --------------------------------------------------------------------------- */

uint64_t fer_build_count(const yyjson_val *value)
{
    uint64_t count;
    return fer_number_u64(value, &count) ? count : UINT64_MAX;
}

fer_inst *fer_build_add(fer_build *b, const fer_op *op, enum fer_slot slot)
{
    assert(b->count < FER_COUNT(b->insts));
    fer_inst *i = &b->insts[b->count++];
    *i = (fer_inst){.op = op, .source = b->values[slot]};
    return i;
}

const fer_node *fer_build_child(fer_build *b, const yyjson_val *subschema)
{
    return fer_compile_node(b->c, subschema, b->resource);
}

void *fer_build_alloc(fer_build *b, size_t count, size_t size)
{
    void *p = fer_arena_alloc_zero(b->c->arena, count ? count : 1, size);
    return p ? p : fer_compile_no_memory(b->c);
}

/* Which limit a regular expression is over. */
static const char *regex_limit(const fer_compile *c, const yyjson_val *pattern, const fer_err *why)
{
    if (fer_val_len(pattern) > c->limits->pattern) return " (limit schema.pattern)";
    bool count = strstr(why->message, "a count over") != NULL;
    return count ? " (limit schema.repeat)" : " (limit schema.states)";
}

#define STATE_BYTES 1024 /* that all regular expressions may take, for each state of one */

const fer_regex *fer_build_regex(fer_build *b, const yyjson_val *pattern)
{
    fer_compile *c = b->c;
    fer_err why;
    const fer_regex *regex;
    const fer_regex_limits limits = {c->limits->pattern, c->limits->repeat, c->limits->states};
    void **place = fer_map_put(&c->patterns, fer_val_str(pattern));
    if (!place) return fer_compile_no_memory(c);
    const fer_regex *known = *place;
    if (known) return known;
    size_t before = fer_arena_used(c->arena);
    fer_code code = fer_regex_compile(c->arena, fer_val_str(pattern), &limits, &regex, &why);
    c->pattern_bytes += fer_arena_used(c->arena) - before;
    if (!code && c->pattern_bytes / STATE_BYTES > c->limits->states) {
        c->code = fer_fail(c->err, FER_LIMIT_EXCEEDED,
                           "The schema has regular expressions that take more than %zu bytes "
                           "together (limit schema.states).",
                           c->limits->states * STATE_BYTES);
        return NULL;
    }
    if (code == FER_OUT_OF_MEMORY) return fer_compile_no_memory(c);
    if (code) {
        const char *limit = code == FER_LIMIT_EXCEEDED ? regex_limit(c, pattern, &why) : "";
        fer_problem(c, code == FER_LIMIT_EXCEEDED ? code : FER_INVALID_SCHEMA, "pattern", pattern,
                    "\"%.*s\" cannot be used as a regular expression: %s%s",
                    FER_PRI(fer_str_head(fer_val_str(pattern), 80)), why.message, limit);
        return NULL;
    }
    union {
        const fer_regex *from;
        void *to;
    } unconst = {regex};
    *place = unconst.to;
    return regex;
}

/* Whether a value has its keyword's form; nothing is said about it again. */
static bool has_form(fer_compile *c, const struct fer_rules *rules, const fer_keyword *k,
                     const yyjson_val *value)
{
    size_t before = c->noticed;
    c->mute = true;
    fer_form_check(c, rules, k, value);
    c->mute = false;
    return c->noticed == before;
}

/*
 * Fills the slots. Before 2019-09, `$ref` hides everything beside it. Where something is wrong
 * already, compiling goes on to find the rest, without the keywords that are wrong.
 */
static void gather(fer_build *b)
{
    fer_compile *c = b->c;
    FER_EACH_MEMBER (b->schema, key) {
        const fer_keyword *k = fer_keyword_find(b->rules, fer_val_str(key));
        if (!k || (c->failed && !has_form(c, b->rules, k, key + 1))) continue;
        b->present |= FER_SLOT(k->slot);
        b->values[k->slot] = key + 1;
    }
    if ((b->present & FER_SLOT(KW_REF)) && fer_build_before(b, FER_DIALECT_2019_09)) {
        b->present = FER_SLOT(KW_REF);
    }
}

static bool finish(fer_build *b)
{
    fer_node *node = b->node;
    fer_inst *insts = fer_arena_alloc(b->c->arena, b->count ? b->count * sizeof *insts : 1);
    if (!insts) return fer_compile_no_memory(b->c);
    memcpy(insts, b->insts, b->count * sizeof *insts);
    node->insts = insts;
    b->c->program->inst_count += b->count;
    node->count = b->count;
    node->leaf = true;
    node->straight = !node->tracks;
    for (uint32_t i = 0; i < b->count; i++) {
        const fer_op *op = insts[i].op;
        node->leaf = node->leaf && op->check;
        node->straight = node->straight && (op->check || op->trace);
    }
    if (!b->count) node->verdict = FER_ALWAYS;
    fer_lower_node(b->c, node);
    return !b->c->code;
}

static bool compile_one(fer_compile *c, fer_node *node)
{
    const fer_resource *home = fer_node_resource(c->program, node);
    const yyjson_val *schema = node->schema;
    struct fer_spot *spot = fer_library_spot(&c->library, schema);
    /* Of another document, or in a part that only a reference leads to: not looked at so far. */
    if (!spot->checked) fer_schema_forms(c, home->rules, schema);
    spot->checked = true;
    static const fer_inst none;
    node->insts = &none;
    if (!fer_is_obj(schema)) {
        node->verdict = fer_is_true(schema) ? FER_ALWAYS : FER_NEVER;
        node->leaf = node->straight = true;
        fer_lower_node(c, node);
        return true;
    }
    fer_build b;
    b.c = c;
    b.node = node;
    b.resource = spot->resource;
    b.rules = home->rules;
    b.schema = schema;
    b.present = 0;
    b.count = 0;
    gather(&b);
    for (size_t i = 0; i < fer_family_count && !c->code; i++) {
        if (fer_families[i].slots & b.present) fer_families[i].compile(&b);
    }
    return !c->code && finish(&b);
}

/* ---- dynamic references --------------------------------------------------------------------- */

static bool add_dynamic(fer_compile *c, fer_home *home, fer_str name)
{
    for (const struct fer_dynamic *d = home->dynamic; d; d = d->next) {
        if (fer_str_eq(d->name, name)) return true;
    }
    for (const fer_anchor *a = home->resource->dynamic; a; a = a->next) {
        if (!fer_str_eq(a->name, name)) continue;
        fer_resource *resource = fer_library_find(&c->library, home->resource->uri);
        struct fer_dynamic *d = fer_arena_alloc(c->arena, sizeof *d);
        if (!d) return fer_compile_no_memory(c);
        fer_node *node = fer_compile_node(c, a->value, resource);
        if (!node) return false;
        node->edges = 2; /* asked by anybody in scope */
        *d = (struct fer_dynamic){name, node, home->dynamic};
        home->dynamic = d;
        home->dynamic_count++;
    }
    return true;
}

/* Whatever a resource in scope may be asked for has to be compiled, too. */
static bool add_dynamics(fer_compile *c)
{
    struct fer_schema *p = c->program;
    for (size_t i = 0; i < p->home_count; i++) {
        fer_home *home = p->homes[i];
        for (size_t n = 0; n < c->dynamic_count; n++) {
            if (!add_dynamic(c, home, c->dynamic_names[n])) return false;
        }
        if (!c->recursive || !home->resource->recursive || home->root) continue;
        fer_node *root = fer_compile_node(
            c, home->resource->root, fer_library_spot(&c->library, home->resource->root)->resource);
        if (!root) return false;
        root->edges = 2;
        home->root = root;
    }
    return true;
}

static bool compile_all(fer_compile *c)
{
    while (c->todo_count) {
        while (c->todo_count) {
            if (!compile_one(c, c->todo[--c->todo_count])) return false;
        }
        if (!add_dynamics(c)) return false;
    }
    return true;
}

/* ---- depth ----------------------------------------------------------------------------------- */

/*
 * Whether arrays and objects are nested no deeper than the limit. Values lie in the order of
 * the text, so one walk with the ends of what is open tells.
 */
static bool within_depth(fer_compile *c, const yyjson_val *root)
{
    size_t limit = c->limits->depth, depth = 0, cap = 0;
    const yyjson_val **ends = NULL, *end = fer_val_next(root);
    for (const yyjson_val *v = root; v < end; v++) {
        while (depth && v >= ends[depth - 1]) depth--;
        if (!fer_is_ctn(v)) continue;
        if (depth == limit) {
            c->code =
                fer_fail(c->err, FER_LIMIT_EXCEEDED,
                         "The schema is more than %zu levels deep (limit schema.depth).", limit);
            return false;
        }
        ends = fer_arena_room(c->scratch, ends, depth, &cap, sizeof(yyjson_val *));
        if (!ends) return fer_compile_no_memory(c);
        ends[depth++] = fer_val_next(v);
    }
    return true;
}

/* ---- whole schemas -----------------------------------------------------------------------------
 */

/* Checks the form of every subschema of the document, reached or not. */
static void check_forms(fer_compile *c)
{
    for (size_t i = 0; i < c->library.spot_cap; i++) {
        struct fer_spot *s = &c->library.spots[i];
        if (s->value && s->resource->doc == c->doc) {
            s->checked = true;
            fer_schema_forms(c, s->resource->rules, s->value);
        }
    }
    if (c->noticed <= FER_PROBLEMS_MAX) return;
    /* Too many to note them all: the first ones are, whatever the addresses. */
    size_t count;
    const struct fer_spot **spots = fer_spots_in_order(c, &count);
    c->problem_count = c->noticed = 0;
    for (size_t i = 0; i < count && c->problem_count < FER_PROBLEMS_MAX; i++) {
        fer_schema_forms(c, spots[i]->resource->rules, spots[i]->value);
    }
}

/* A schema whose meta-schema is the caller's own is checked against that. */
static bool check_custom_meta(fer_compile *c, const yyjson_val *value)
{
    const yyjson_val *named = fer_is_obj(value) ? fer_val_get(value, "$schema") : NULL;
    fer_dialect standard;
    if (!fer_is_str(named) || fer_dialect_find(fer_val_str(named), &standard)) return true;
    fer_str uri = fer_val_str(named);
    size_t hash = fer_str_find(uri, 0, '#');
    fer_resource *meta =
        fer_library_find(&c->library, hash == SIZE_MAX ? uri : fer_str_slice(uri, 0, hash));
    if (!meta || meta->root == value) return true;
    struct fer_schema *program = NULL;
    fer_schema_options options = *c->options;
    options.assert_formats = options.assert_content = false;
    options.base_uri = meta->uri;
    options.limits = fer_schema_limits_file();
    c->code = fer_schema_compile_value(meta->doc, meta->root, &options, &program, c->err);
    if (c->code || !program) return false;
    fer_result *result = NULL;
    c->code = fer_schema_validate(c->scratch, program, NULL, value, NULL, &result, c->err);
    if (!c->code && result && !fer_result_valid(result)) {
        size_t count;
        const fer_violation *v = fer_result_violations(result, &count);
        for (size_t i = 0; i < count; i++) {
            fer_problem(c, FER_INVALID_SCHEMA, "meta-schema", v[i].value,
                        "The schema is not valid against its meta-schema %.*s: %.*s", FER_PRI(uri),
                        FER_PRI(v[i].message));
        }
    }
    fer_schema_unref(program);
    return !c->code;
}

void fer_compile_build(fer_compile *c, const fer_json *doc, const yyjson_val *value)
{
    fer_resource *root;
    c->doc = doc;
    const struct fer_rules *rules = fer_rules_of(c->options->dialect);
    if (!rules) {
        c->code =
            fer_fail(c->err, FER_BAD_USAGE, "There is no dialect %d.", (int)c->options->dialect);
        return;
    }
    fer_str base = fer_arena_copy(c->arena, c->options->base_uri); /* the program may live longer */
    if (!base.ptr) {
        fer_compile_no_memory(c);
        return;
    }
    c->root = value;
    if (!within_depth(c, value)) return;
    c->code = fer_library_survey(&c->library, doc, value, NULL, base, rules, &root, c->err);
    if (c->code) return;
    fer_root_form(c, root->rules, value);
    check_forms(c);
    if (c->code || (c->failed && !fer_is_obj(value) && !fer_is_bool(value))) return;
    if (!check_custom_meta(c, value)) return;
    fer_node *node = fer_compile_node(c, value, root);
    if (!node || !compile_all(c)) return;
    fer_lower_finish(c);
    c->program->root = node;
    c->program->dialect = root->rules->dialect;
    c->program->steps = c->limits->steps;
}

static const fer_schema_options no_options;

fer_code fer_compile_open(fer_compile *c, const fer_schema_options *options, fer_arena *arena,
                          fer_arena *scratch, fer_err *err)
{
    *c = (fer_compile){
        .arena = arena, .scratch = scratch, .options = options ? options : &no_options, .err = err};
    c->limits = c->options->limits ? c->options->limits : fer_schema_limits_message();
    c->program = fer_arena_alloc_zero(arena, 1, sizeof *c->program);
    if (!c->program) return fer_arena_failed(arena, err);
    c->program->arena = arena;
    atomic_init(&c->program->refs, 1);
    const fer_registry *registry = c->options->registry;
    fer_library_init(&c->library, arena, registry ? &registry->library : NULL,
                     c->limits->subschemas);
    fer_map_init(&c->patterns, c->scratch);
    fer_map_init(&c->tables, c->scratch);
    return FER_OK;
}

static void locate(const fer_json *doc, const yyjson_val *value, fer_err *err)
{
    bool inside = doc && value >= doc->vals && value < doc->vals + doc->count;
    if (!err || !inside) return;
    fer_place place = fer_json_place(doc, value);
    err->offset = place.offset;
    err->line = place.line;
    err->column = place.column;
}

/* The failure that the problems amount to: the first of them. */
static fer_code first_problem(fer_compile *c, const fer_json *doc, const yyjson_val *root)
{
    if (!fer_problems_sort(c)) return fer_arena_failed(c->scratch, c->err);
    const fer_schema_problem *p = c->problems;
    while (p->warning) p++;
    char pointer[256];
    fer_buf b;
    fer_buf_init_fixed(&b, pointer, sizeof pointer);
    bool inside = fer_pointer_of(&b, root, p->value);
    fer_fail(c->err, p->code, "%s%.*s%s%.*s", inside && b.len ? "At " : "",
             FER_PRI(fer_buf_view(&b)), inside && b.len ? ": " : "", FER_PRI(p->message));
    locate(doc, p->value, c->err);
    return p->code;
}

static fer_code compile_into(fer_arena *arena, const fer_json *doc, const yyjson_val *value,
                             const fer_schema_options *options, fer_schema **out, fer_err *err)
{
    fer_compile c;
    fer_arena *scratch = fer_arena_new(0);
    if (!scratch) return fer_fail(err, FER_OUT_OF_MEMORY, "There is no more memory.");
    fer_code code = fer_compile_open(&c, options, arena, scratch, err);
    if (!code) fer_compile_build(&c, doc, value);
    if (!code) code = c.code;
    if (!code && c.failed) code = first_problem(&c, doc, value);
    if (!code) {
        c.program->library = c.library;
        c.program->doc = doc;
        c.program->value = value;
        fer_places_mark(c.program);
        if (c.options->native) fer_native_make(c.program, &c.lowering, scratch);
        c.program->registry = fer_registry_ref(c.options->registry);
        *out = c.program;
    }
    fer_arena_free(scratch);
    return code;
}

fer_code fer_schema_compile_value(const fer_json *doc, const yyjson_val *value,
                                  const fer_schema_options *options, fer_schema **out, fer_err *err)
{
    if (!value && !doc) return fer_fail(err, FER_INVALID_SCHEMA, "There is no schema.");
    fer_arena *arena = fer_arena_new(0);
    if (!arena) return fer_fail(err, FER_OUT_OF_MEMORY, "There is no more memory.");
    fer_code code = compile_into(arena, doc, value ? value : fer_json_root(doc), options, out, err);
    if (code) fer_arena_free(arena);
    return code;
}

fer_code fer_schema_compile(fer_str text, const fer_schema_options *options, fer_schema **out,
                            fer_err *err)
{
    fer_arena *arena = fer_arena_new(0);
    if (!arena) return fer_fail(err, FER_OUT_OF_MEMORY, "There is no more memory.");
    const fer_schema_limits *limits =
        options && options->limits ? options->limits : fer_schema_limits_message();
    fer_json_limits json = *fer_json_limits_file();
    json.size = limits->size;
    json.depth = limits->depth;
    fer_str copy = fer_arena_copy(arena, text);
    fer_json *doc = NULL;
    fer_code code =
        copy.ptr ? fer_json_read(arena, copy, &json, &doc, err) : fer_arena_failed(arena, err);
    if (!code && doc) code = compile_into(arena, doc, fer_json_root(doc), options, out, err);
    if (code) fer_arena_free(arena);
    return code;
}

fer_schema *fer_schema_ref(fer_schema *s)
{
    if (s) atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void fer_schema_unref(fer_schema *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) > 1) return;
    fer_registry_unref(s->registry);
    fer_native_free(&s->native);
    fer_arena_free(s->arena);
}

fer_dialect fer_schema_dialect(const fer_schema *s)
{
    return s->dialect;
}

bool fer_schema_is_native(const fer_schema *s)
{
    return s->native.value != NULL;
}
