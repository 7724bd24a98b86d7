/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and objects whose parts are taken from the pools of their own places. */
#include "print.h"
#include "sample.h"

/* ---- arrays -----------------------------------------------------------------------------------
 */

/* Positions that differ: those of prefixes, and one for the rest. */
struct slots {
    const fer_pool **pools;
    size_t count; /* the last one is the rest */
};

static const fer_pool *item_pool(fer_making *k, size_t index)
{
    fer_parts own = {0}, hint = {0};
    fer_gist_item(k->s->m, k->gist, index, &own);
    fer_gist_item(k->s->m, k->aim, index, &hint);
    return fer_sample_place(k->s, &own, &hint);
}

static bool find_slots(fer_making *k, struct slots *out)
{
    size_t count = fer_gist_prefix(k->gist), other = fer_gist_prefix(k->aim);
    if (other > count) count = other;
    if (count >= FER_SAMPLE_ITEMS) count = FER_SAMPLE_ITEMS - 1;
    out->count = count + 1;
    out->pools = fer_arena_alloc(k->s->m->arena, out->count * sizeof(const fer_pool *));
    k->s->m->no_memory |= !out->pools;
    for (size_t i = 0; out->pools && i < out->count; i++) {
        out->pools[i] = item_pool(k, i);
        if (!out->pools[i]) return false;
    }
    return out->pools != NULL;
}

static const fer_pool *pool_at(const struct slots *s, size_t index)
{
    return s->pools[index < s->count ? index : s->count - 1];
}

/* An ordinary item; where all must differ, another one for each position. */
static fer_str item_at(const fer_making *k, const struct slots *s, size_t index)
{
    const fer_pool *p = pool_at(s, index);
    size_t plain = p->valid.count - p->refused;
    bool differ = (k->gist->unique || k->aim->unique) && plain > 1;
    fer_str item = differ ? p->valid.list[p->refused + index % plain] : fer_pool_plain(p);
    return item.ptr ? item : FER_STR("null");
}

/* An array of `count` items, one of them given. */
static void try_array(fer_making *k, const struct slots *s, size_t count, size_t at, fer_str given)
{
    fer_buf b;
    fer_buf_init(&b, k->s->m->arena, FER_SAMPLE_TEXT);
    fer_buf_add_char(&b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) fer_buf_add_char(&b, ',');
        fer_buf_add(&b, i == at && given.ptr ? given : item_at(k, s, i));
    }
    fer_buf_add_char(&b, ']');
    k->s->m->no_memory |= b.arena_failed;
    if (!b.failure) fer_making_try(k, fer_buf_view(&b));
}

static void try_count(fer_making *k, const struct slots *s, uint64_t count)
{
    if (count <= FER_SAMPLE_ITEMS) try_array(k, s, (size_t)count, 0, FER_STR_NONE);
}

static void counts(fer_making *k, const struct slots *s, const fer_gist *g)
{
    if (g->min_items) try_count(k, s, g->min_items - 1);
    try_count(k, s, g->min_items);
    try_count(k, s, g->min_items + 1);
    if (g->max_items == UINT64_MAX) return;
    try_count(k, s, g->max_items);
    try_count(k, s, g->max_items + 1);
}

static void vary_items(fer_making *k, const struct slots *s, size_t at, const fer_texts *values)
{
    size_t count = k->gist->min_items > at ? (size_t)k->gist->min_items : at + 1;
    for (size_t i = 0; i < values->count && fer_making_goes_on(k); i++)
        try_array(k, s, count, at, values->list[i]);
}

/* Twice the same, where that may be refused. */
static void try_twice(fer_making *k, const struct slots *s)
{
    fer_str item = fer_pool_plain(pool_at(s, 0));
    if (item.ptr && (k->gist->unique || k->aim->unique)) {
        fer_str pair =
            fer_arena_printf(k->s->m->arena, "[%.*s,%.*s]", FER_PRI(item), FER_PRI(item));
        k->s->m->no_memory |= !pair.ptr;
        if (pair.ptr) fer_making_try(k, pair);
    }
}

/* Items that `contains` asks for, on either side. */
static void try_contained(fer_making *k, const struct slots *s, const fer_gist *g)
{
    for (size_t n = 0; n < g->inst_count; n++) {
        const fer_gist_inst *i = &g->insts[n];
        if (i->slot != KW_CONTAINS) continue;
        fer_parts own = {0}, none = {0};
        fer_gist_item(k->s->m, k->gist, 0, &own);
        const fer_node *node = fer_program_node(i->part.program, i->inst->source);
        if (node) fer_parts_add(k->s->m, &own, fer_part_of(i, node));
        const fer_pool *p = fer_sample_place(k->s, &own, &none);
        if (p) vary_items(k, s, 0, &p->valid);
        if (p)
            vary_items(k, s, (size_t)(k->gist->min_items ? k->gist->min_items - 1 : 1), &p->valid);
        fer_str one = p ? fer_pool_plain(p) : FER_STR_NONE;
        for (size_t many = 2; one.ptr && many < 5; many++) {
            fer_buf b;
            fer_buf_init(&b, k->s->m->arena, FER_SAMPLE_TEXT);
            for (size_t c = 0; c < many; c++) {
                fer_buf_add_char(&b, c ? ',' : '[');
                fer_buf_add(&b, one);
            }
            fer_buf_add_char(&b, ']');
            k->s->m->no_memory |= b.arena_failed;
            if (!b.failure) fer_making_try(k, fer_buf_view(&b));
        }
    }
}

void fer_sample_arrays(fer_making *k)
{
    struct slots s;
    if (k->gist->min_items > FER_SAMPLE_ITEMS || !find_slots(k, &s)) return;
    try_count(k, &s, k->gist->min_items > 1 ? k->gist->min_items : 1);
    try_count(k, &s, 0);
    counts(k, &s, k->aim);
    counts(k, &s, k->gist);
    for (size_t i = 0; i < s.count; i++) {
        vary_items(k, &s, i, &s.pools[i]->valid);
        if (k->s->invalid) vary_items(k, &s, i, &s.pools[i]->invalid);
    }
    try_contained(k, &s, k->gist);
    try_contained(k, &s, k->aim);
    try_twice(k, &s);
}

/* ---- objects ------------------------------------------------------------------------------------
 */

struct member {
    fer_str name;
    const fer_pool *pool;
    bool required;
};

struct members {
    fer_making *k;
    struct member list[FER_SAMPLE_NAMES];
    size_t count;
    size_t filler; /* further members, so that there are enough */
    const fer_pool *other;
};

static void add_member(struct members *o, fer_str name)
{
    fer_making *k = o->k;
    fer_parts own = {0}, hint = {0};
    bool named;
    for (size_t i = 0; i < o->count; i++)
        if (fer_str_eq(o->list[i].name, name)) return;
    if (o->count == FER_SAMPLE_NAMES || !fer_making_goes_on(k)) return;
    fer_gist_member(k->s->m, k->gist, name, &own, &named);
    fer_gist_member(k->s->m, k->aim, name, &hint, &named);
    const fer_pool *pool = fer_sample_place(k->s, &own, &hint);
    if (pool) o->list[o->count++] = (struct member){name, pool, fer_gist_requires(k->gist, name)};
}

/* A name that a pattern matches. */
static void add_matching(struct members *o, const yyjson_val *pattern)
{
    fer_gister *m = o->k->s->m;
    fer_lang_question q = {.yes_count = 1, .max = UINT64_MAX, .min = 1};
    fer_str name;
    q.yes[0] = fer_gist_lang(m, fer_val_str(pattern));
    if (q.yes[0] && fer_lang_find(m->arena, &q, &name) == FER_LANG_TEXT) add_member(o, name);
}

static void add_dependents(struct members *o, const yyjson_val *map)
{
    FER_EACH_MEMBER (map, key) {
        add_member(o, fer_val_str(key));
        if (!fer_is_arr(key + 1)) continue;
        FER_EACH_ITEM (key + 1, item) add_member(o, fer_val_str(item));
    }
}

static void add_names(struct members *o, const fer_gist *g)
{
    for (size_t n = 0; n < g->inst_count; n++) {
        const fer_gist_inst *i = &g->insts[n];
        switch (i->slot) {
        case KW_PROPERTIES:
        case KW_PATTERN_PROPERTIES:
        case KW_ADDITIONAL_PROPERTIES:
        case KW_REQUIRED: {
            const fer_object *object = i->inst->object;
            for (size_t k = 0; k < object->names.count; k++) {
                const fer_name *name = fer_names_at(&object->names, k);
                add_member(o, (fer_str){name->ptr, name->len});
            }
            for (size_t k = 0; k < object->pattern_count; k++)
                add_matching(o, object->patterns[k].key);
            break;
        }
        case KW_DEPENDENCIES:
        case KW_DEPENDENT_REQUIRED:
        case KW_DEPENDENT_SCHEMAS: add_dependents(o, i->inst->source); break;
        default: break;
        }
    }
}

/* What an object is made of: required members, perhaps all; one given, one left out; fillers. */
struct recipe {
    bool all;
    size_t given; /* SIZE_MAX: none */
    fer_str value;
    size_t without; /* SIZE_MAX: none */
    fer_str extra;  /* name of one more member; ptr NULL: none */
    fer_str extra_value;
    size_t fillers;
};

#define PLAIN ((struct recipe){.given = SIZE_MAX, .without = SIZE_MAX})

static void put_member(fer_buf *b, fer_str name, fer_str value)
{
    if (b->len > 1) fer_buf_add_char(b, ',');
    fer_buf_add_quoted(b, name);
    fer_buf_add_char(b, ':');
    fer_buf_add(b, value.ptr ? value : FER_STR("null"));
}

static bool is_put(const struct members *o, const struct recipe *r, size_t i)
{
    if (i == r->without) return false;
    if (i == r->given || o->list[i].required) return true;
    return r->all && o->list[i].pool->valid.count;
}

static void try_object(struct members *o, const struct recipe *r)
{
    fer_making *k = o->k;
    fer_buf b;
    if (!fer_making_goes_on(k)) return;
    fer_buf_init(&b, k->s->m->arena, FER_SAMPLE_TEXT);
    fer_buf_add_char(&b, '{');
    for (size_t i = 0; i < o->count; i++) {
        if (!is_put(o, r, i)) continue;
        fer_str plain = fer_pool_plain(o->list[i].pool);
        put_member(&b, o->list[i].name, i == r->given ? r->value : plain);
    }
    if (r->extra.ptr) put_member(&b, r->extra, r->extra_value);
    for (size_t i = 0; i < o->filler + r->fillers; i++) {
        char name[32];
        int len = fer_print(name, sizeof name, "further_%zu", i);
        put_member(&b, (fer_str){name, (size_t)len}, fer_pool_plain(o->other));
    }
    fer_buf_add_char(&b, '}');
    k->s->m->no_memory |= b.arena_failed;
    if (!b.failure) fer_making_try(k, fer_buf_view(&b));
}

static void vary_member(struct members *o, size_t at, const fer_texts *values)
{
    for (size_t i = 0; i < values->count; i++) {
        struct recipe r = PLAIN;
        r.given = at;
        r.value = values->list[i];
        try_object(o, &r);
    }
}

/* Names that schemas of names may refuse. */
static void vary_names(struct members *o)
{
    fer_parts own = {0}, hint = {0};
    const fer_gist *both[] = {o->k->gist, o->k->aim};
    for (size_t g = 0; g < 2; g++) {
        for (size_t n = 0; n < both[g]->inst_count; n++) {
            const fer_gist_inst *i = &both[g]->insts[n];
            const fer_node *node = i->slot == KW_PROPERTY_NAMES
                                       ? fer_program_node(i->part.program, i->inst->source)
                                       : NULL;
            if (node) fer_parts_add(o->k->s->m, g ? &hint : &own, fer_part_of(i, node));
        }
    }
    const fer_pool *p = own.count + hint.count ? fer_sample_place(o->k->s, &own, &hint) : NULL;
    for (size_t i = 0; p && i < p->valid.count; i++) {
        fer_str text = p->valid.list[i]; /* a JSON string: the quotes are taken off */
        if (text.len < 2 || text.ptr[0] != '"' || memchr(text.ptr, '\\', text.len)) continue;
        struct recipe r = PLAIN;
        r.extra = fer_str_slice(text, 1, text.len - 1);
        r.extra_value = fer_pool_plain(o->other);
        try_object(o, &r);
    }
}

static void vary_count(struct members *o, uint64_t members)
{
    size_t base = 0;
    for (size_t i = 0; i < o->count; i++) base += o->list[i].required;
    if (members == UINT64_MAX || members < base || members - base > FER_SAMPLE_ITEMS) return;
    struct recipe r = PLAIN;
    r.fillers = (size_t)members - base;
    try_object(o, &r);
}

static void vary_extra(struct members *o)
{
    const fer_texts *lists[] = {&o->other->valid, &o->other->invalid};
    for (size_t n = 0; n < 2; n++) {
        for (size_t i = 0; i < lists[n]->count; i++) {
            struct recipe r = PLAIN;
            r.extra = FER_STR("unknown_member");
            r.extra_value = lists[n]->list[i];
            try_object(o, &r);
        }
    }
}

/* One member missing; an optional one missing among all. */
static void leave_out(struct members *o)
{
    for (size_t i = 0; i < o->count; i++) {
        struct recipe r = PLAIN;
        r.without = i;
        if (o->list[i].required && o->k->s->invalid) try_object(o, &r);
        r.all = true;
        try_object(o, &r);
    }
}

static const fer_pool *other_pool(fer_making *k)
{
    fer_parts own = {0}, hint = {0};
    bool named;
    fer_gist_member(k->s->m, k->gist, FER_STR("further_0"), &own, &named);
    fer_gist_member(k->s->m, k->aim, FER_STR("further_0"), &hint, &named);
    return fer_sample_place(k->s, &own, &hint);
}

static void vary_all(struct members *o)
{
    const fer_gist *g = o->k->gist, *aim = o->k->aim;
    try_object(o, &PLAIN);
    struct recipe all = PLAIN;
    all.all = true;
    try_object(o, &all);
    for (size_t i = 0; i < o->count; i++) vary_member(o, i, &o->list[i].pool->valid);
    for (size_t i = 0; i < o->count && o->k->s->invalid; i++)
        vary_member(o, i, &o->list[i].pool->invalid);
    vary_extra(o);
    vary_names(o);
    vary_count(o, aim->max_members == UINT64_MAX ? UINT64_MAX : aim->max_members + 1);
    vary_count(o, g->max_members == UINT64_MAX ? UINT64_MAX : g->max_members + 1);
    vary_count(o, g->max_members);
    vary_count(o, aim->min_members);
    leave_out(o);
}

void fer_sample_objects(fer_making *k)
{
    struct members *o = fer_arena_alloc_zero(k->s->m->arena, 1, sizeof *o);
    k->s->m->no_memory |= !o;
    if (!o) return;
    o->k = k;
    o->other = other_pool(k);
    if (!o->other) return;
    add_names(o, k->gist);
    add_names(o, k->aim);
    size_t base = k->gist->required_count;
    bool open = o->other->valid.count > 0;
    if (open && k->gist->min_members > base && k->gist->min_members - base <= FER_SAMPLE_ITEMS)
        o->filler = (size_t)k->gist->min_members - base;
    vary_all(o);
}
