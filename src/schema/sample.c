/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <ferrule/json.h>

#include "compile.h"
#include "errors.h"
#include "json_value.h"
#include "json_write.h"

/* ---- keeping ------------------------------------------------------------------------------- */

static void add_text(fer_making *k, fer_texts *t, fer_str text)
{
    fer_str *list = fer_arena_room(k->s->m->arena, t->list, t->count, &t->cap, sizeof *list);
    k->s->m->no_memory |= !list;
    if (!list) return;
    t->list = list;
    list[t->count++] = text;
}

bool fer_making_goes_on(const fer_making *k)
{
    return k->tried.count < FER_SAMPLE_TRIED && !k->s->m->tired && !k->s->m->no_memory;
}

/* Whether this text was tried before; else it is noted. */
static bool is_old(fer_making *k, fer_str json)
{
    if (fer_map_get(&k->seen, json)) return true;
    void **slot = fer_map_put(&k->seen, json);
    k->s->m->no_memory |= !slot;
    if (slot) *slot = k;
    add_text(k, &k->tried, json);
    return !slot;
}

static bool hint_refuses(fer_making *k, const yyjson_val *value)
{
    for (size_t i = 0; i < k->hint->count; i++)
        if (fer_part_accepts(k->s->m, k->hint->list[i], value) == FER_NO) return true;
    return false;
}

static void judge(fer_making *k, fer_str json, const yyjson_val *value)
{
    fer_yes yes = fer_parts_accept(k->s->m, k->own, value);
    if (yes == FER_NO && k->pool.invalid.count < k->keep) add_text(k, &k->pool.invalid, json);
    if (yes != FER_YES) return;
    bool refused = k->hint->count && hint_refuses(k, value);
    unsigned type = fer_gist_type(value);
    if (refused && k->pool.valid.count < k->keep) add_text(k, &k->pool.valid, json);
    /* One of each type, however many there are of the others. */
    if (!refused && (k->plain.count < k->keep || !(k->types & type))) {
        add_text(k, &k->plain, json);
        k->types |= type;
    }
}

void fer_making_try(fer_making *k, fer_str json)
{
    fer_json *doc;
    fer_err err;
    if (!fer_making_goes_on(k) || json.len > FER_SAMPLE_TEXT || is_old(k, json)) return;
    if (!fer_gister_spend(k->s->m, 4 + json.len / 16)) return;
    fer_arena_reset(k->s->m->brief);
    fer_code code = fer_json_read(k->s->m->brief, json, fer_json_limits_file(), &doc, &err);
    k->s->m->no_memory |= code == FER_OUT_OF_MEMORY;
    if (!code) judge(k, json, fer_json_root(doc));
}

void fer_making_try_string(fer_making *k, fer_str text)
{
    fer_buf b;
    fer_buf_init(&b, k->s->m->arena, (size_t)FER_SAMPLE_TEXT * 8);
    fer_buf_add_quoted(&b, text);
    k->s->m->no_memory |= b.arena_failed;
    if (!b.failure) fer_making_try(k, fer_buf_view(&b));
}

/* ---- what schemas say themselves --------------------------------------------------------------
 */

static void try_json(fer_making *k, const yyjson_val *value)
{
    const fer_notation plain = {0};
    fer_buf b;
    fer_err err;
    fer_buf_init(&b, k->s->m->arena, FER_SAMPLE_TEXT);
    fer_code code = fer_write_add(k->s->m->arena, &b, value, &plain, &err);
    k->s->m->no_memory |= code == FER_OUT_OF_MEMORY || b.arena_failed;
    if (!code && !b.failure) fer_making_try(k, fer_buf_view(&b));
}

static void try_list(fer_making *k, const yyjson_val *list)
{
    size_t count = 0;
    FER_EACH_ITEM (list, item)
        if (count++ < FER_SAMPLE_ITEMS) try_json(k, item);
}

/* Values that a schema names: enum, const, default, examples. */
static void try_named(fer_making *k, const fer_gist *g)
{
    if (g->constant) try_json(k, g->constant);
    if (g->values) try_list(k, g->values);
    for (size_t i = 0; i < g->seen_count; i++) {
        const yyjson_val *schema = g->seen[i].node->schema;
        if (!fer_is_obj(schema)) continue;
        const yyjson_val *one = fer_val_get(schema, "default");
        const yyjson_val *more = fer_val_get(schema, "examples");
        if (one) try_json(k, one);
        if (fer_is_arr(more)) try_list(k, more);
    }
}

/* Every type that either side may take, the own ones first. */
static void try_types(fer_making *k)
{
    try_named(k, k->aim);
    try_named(k, k->gist);
    unsigned types = k->gist->types;
    bool misses = k->s->invalid || k->hint->count;
    if (types & FER_G_OBJECT) fer_sample_objects(k);
    if (types & FER_G_ARRAY) fer_sample_arrays(k);
    if (types & FER_G_STRING) fer_sample_strings(k);
    if (types & FER_G_NUMBER) fer_sample_numbers(k);
    if (types & FER_G_NULL || misses) fer_making_try(k, FER_STR("null"));
    if (types & FER_G_BOOL || misses) {
        fer_making_try(k, FER_STR("true"));
        fer_making_try(k, FER_STR("false"));
    }
    if (!misses) return;
    static const char *const others[] = {"0", "-3", "1.5", "\"x\"", "[]", "{}", "[1]", "{\"x\":1}"};
    for (size_t i = 0; i < FER_COUNT(others); i++) fer_making_try(k, fer_str_of(others[i]));
}

/* ---- alternatives
 * ---------------------------------------------------------------------------------- */

struct cases {
    fer_making *k;
    const fer_inst *done[FER_SAMPLE_CASES]; /* choices that were made */
    size_t done_count;
    size_t left; /* combinations */
};

static const fer_gist_inst *next_choice(const struct cases *c, const fer_gist *g)
{
    for (size_t n = 0; n < g->inst_count; n++) {
        const fer_gist_inst *i = &g->insts[n];
        bool made = c->done_count == FER_SAMPLE_CASES;
        if (i->slot != KW_ANY_OF && i->slot != KW_ONE_OF && i->slot != KW_IF) continue;
        for (size_t d = 0; d < c->done_count; d++) made |= c->done[d] == i->inst;
        if (!made) return i;
    }
    return NULL;
}

static void each_case(struct cases *c, const fer_parts *parts);

static void with(struct cases *c, const fer_parts *parts, const fer_gist_inst *i,
                 const yyjson_val *first, const yyjson_val *second)
{
    fer_parts more = {0};
    fer_gister *m = c->k->s->m;
    fer_parts_add_all(m, &more, parts);
    const fer_node *x = first ? fer_program_node(i->part.program, first) : NULL;
    const fer_node *y = second ? fer_program_node(i->part.program, second) : NULL;
    if (x) fer_parts_add(m, &more, fer_part_of(i, x));
    if (y) fer_parts_add(m, &more, fer_part_of(i, y));
    each_case(c, &more);
}

static void each_branch(struct cases *c, const fer_parts *parts, const fer_gist_inst *i)
{
    const yyjson_val *schema = i->part.node->schema;
    if (i->slot == KW_IF) {
        with(c, parts, i, i->inst->source, fer_val_get(schema, "then"));
        with(c, parts, i, NULL, fer_val_get(schema, "else"));
        return;
    }
    FER_EACH_ITEM (i->inst->source, item) with(c, parts, i, item, NULL);
}

/* Takes one alternative of each choice, then makes values. Depth is bounded by the choices. */
static void each_case(struct cases *c, const fer_parts *parts)
{
    fer_making *k = c->k;
    const fer_gist *g = c->left ? fer_gist_make(k->s->m, parts) : NULL;
    if (!g || !fer_making_goes_on(k)) return;
    const fer_gist_inst *choice = next_choice(c, g);
    if (!choice) {
        c->left--;
        k->gist = g;
        try_types(k);
        return;
    }
    c->done[c->done_count++] = choice->inst;
    each_branch(c, parts, choice);
    c->done_count--;
}

/* The schemas of the hint, and what their alternatives say: all of it may be refused. */
static const fer_gist *aim_at(fer_making *k)
{
    fer_parts all = {0};
    fer_parts_add_all(k->s->m, &all, k->hint);
    const fer_gist *g = fer_gist_make(k->s->m, &all);
    for (size_t n = 0; g && n < g->inst_count && all.count < FER_GIST_PARTS; n++) {
        const fer_gist_inst *i = &g->insts[n];
        const yyjson_val *v = i->inst->source, *schema = i->part.node->schema;
        const yyjson_val *more[] = {NULL, NULL, NULL};
        if (i->slot == KW_ANY_OF || i->slot == KW_ONE_OF) {
            FER_EACH_ITEM (v, item) {
                const fer_node *node = fer_program_node(i->part.program, item);
                if (node) fer_parts_add(k->s->m, &all, fer_part_of(i, node));
            }
        }
        if (i->slot == KW_NOT || i->slot == KW_IF) more[0] = v;
        if (i->slot == KW_IF) {
            more[1] = fer_val_get(schema, "then");
            more[2] = fer_val_get(schema, "else");
        }
        for (size_t b = 0; b < FER_COUNT(more); b++) {
            const fer_node *node = more[b] ? fer_program_node(i->part.program, more[b]) : NULL;
            if (node) fer_parts_add(k->s->m, &all, fer_part_of(i, node));
        }
    }
    return g ? fer_gist_make(k->s->m, &all) : NULL;
}

/* ---- places
 * -------------------------------------------------------------------------------------------- */

/* Refused ones first, then the plain ones. */
static void settle(fer_making *k)
{
    k->pool.refused = k->pool.valid.count;
    for (size_t i = 0; i < k->plain.count; i++) add_text(k, &k->pool.valid, k->plain.list[i]);
}

/* The same schemas on both sides have the same pool. */
static fer_str key_of(fer_sampler *s, const fer_parts *own, const fer_parts *hint)
{
    size_t size = (own->count + hint->count + 1) * sizeof(void *);
    const void **key = fer_arena_alloc(s->m->arena, size);
    size_t n = 0;
    s->m->no_memory |= !key;
    if (!key) return FER_STR_NONE;
    for (size_t i = 0; i < own->count; i++) key[n++] = own->list[i].node;
    key[n++] = NULL;
    for (size_t i = 0; i < hint->count; i++) key[n++] = hint->list[i].node;
    return (fer_str){(const char *)(void *)key, size};
}

static void fill(fer_making *k)
{
    struct cases c = {.k = k, .left = FER_SAMPLE_CASES};
    k->aim = aim_at(k);
    if (k->aim) each_case(&c, k->own);
    settle(k);
}

/* A place that is asked for while it is being filled has no values yet: recursion ends there. */
const fer_pool *fer_sample_place(fer_sampler *s, const fer_parts *own, const fer_parts *hint)
{
    fer_str key = key_of(s, own, hint);
    fer_pool *pool = key.ptr ? fer_map_get(&s->pools, key) : NULL;
    if (pool) return pool;
    pool = fer_arena_alloc_zero(s->m->arena, 1, sizeof *pool);
    void **slot = pool && key.ptr ? fer_map_put(&s->pools, key) : NULL;
    s->m->no_memory |= !slot;
    if (!slot) return NULL;
    *slot = pool;
    if (s->depth >= FER_SAMPLE_DEPTH) return pool;
    fer_making k = {.s = s, .own = own, .hint = hint};
    k.keep = s->depth ? FER_SAMPLE_POOL : s->keep;
    fer_map_init(&k.seen, s->m->arena);
    s->depth++;
    fill(&k);
    s->depth--;
    *pool = k.pool;
    return pool;
}

fer_str fer_pool_plain(const fer_pool *p)
{
    if (p->valid.count > p->refused) return p->valid.list[p->refused];
    return p->valid.count ? p->valid.list[0] : FER_STR_NONE;
}

/* ---- the public face
 * ------------------------------------------------------------------------------------- */

/* Shuffles a list, the same way for the same seed. */
static void shuffle(fer_texts *t, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = t->count; seed && i > 1; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t at = (size_t)((state >> 33) % i);
        fer_str kept = t->list[at];
        t->list[at] = t->list[i - 1];
        t->list[i - 1] = kept;
    }
}

static size_t put(fer_specimen *out, size_t max, const fer_texts *t, bool valid)
{
    size_t count = 0;
    for (; count < t->count && count < max; count++)
        out[count] = (fer_specimen){t->list[count], valid};
    return count;
}

fer_code fer_schema_samples(fer_arena *a, const fer_schema *s, const fer_sample_options *options,
                            fer_specimen **out, size_t *count, fer_err *err)
{
    static const fer_sample_options none = {0};
    const fer_sample_options *o = options ? options : &none;
    size_t max = o->max ? o->max : FER_SAMPLES_MAX;
    fer_gister m;
    fer_parts own = {0}, hint = {0};
    fer_code code = FER_OUT_OF_MEMORY;
    if (fer_gister_init(&m, a, o->steps ? o->steps : FER_SAMPLE_STEPS)) {
        fer_sampler sampler = {.m = &m, .seed = o->seed, .keep = max, .invalid = o->near_misses};
        fer_map_init(&sampler.pools, a);
        fer_parts_add(&m, &own, (fer_part){s, s->root});
        if (o->beside) fer_parts_add(&m, &hint, (fer_part){o->beside, o->beside->root});
        const fer_pool *pool = fer_sample_place(&sampler, &own, &hint);
        fer_specimen *list = pool ? fer_arena_alloc_zero(a, 2 * max + 1, sizeof *list) : NULL;
        if (list && !m.no_memory) {
            fer_pool p = *pool;
            shuffle(&p.valid, o->seed);
            shuffle(&p.invalid, o->seed);
            *count = put(list, max, &p.valid, true);
            if (o->near_misses) *count += put(list + *count, max, &p.invalid, false);
            *out = list;
            code = FER_OK;
        }
    }
    fer_gister_deinit(&m);
    return code ? fer_arena_failed(a, err) : FER_OK;
}
