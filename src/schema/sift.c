/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which alternatives can be right for a value: by its type, and by a tag. A tag is a member
 * that several alternatives want to be one of some strings, as `kind` in {"kind": "card", ...}.
 */
#include "compile.h"
#include "object.h"

#define LOOK_DEPTH  4    /* calls that are looked through */
#define TAGS_TRIED  8    /* names of the first alternative that are tried as tags */
#define LOOKS_FIXED 1000 /* rows that are looked at for a list of alternatives, */
#define LOOKS_EACH  100  /* and for each of them */

/* Alternatives that are being looked at. */
struct sieve {
    fer_compile *c;
    fer_quick_branches *d;
    uint8_t *types;  /* of each alternative */
    uint32_t *order; /* lists of them, one behind the other */
    size_t used, cap;
    size_t looks; /* at rows that may still be taken; without, anything is held possible */
};

static bool is_last(const fer_quick *i)
{
    return (i->end & FER_END_ON) && (i->end & FER_END_PASS);
}

static bool is_object(const fer_quick *i)
{
    return i->op == FER_Q_OBJECT || i->op == FER_Q_PATTERNS || i->op == FER_Q_FLAT;
}

/* What else a row asks about the same value, NULL for nothing. */
static const fer_quick *called(const fer_quick *i)
{
    return i->op == FER_Q_CALL || i->op == FER_Q_TRACKED ? i->code : NULL;
}

static bool may_look(struct sieve *s)
{
    if (s->looks) s->looks--;
    return s->looks;
}

/* The types of value that a code does not refuse at once. */
static unsigned types_of(struct sieve *s, const fer_quick *code, unsigned depth)
{
    unsigned types = FER_ON_ALL;
    for (const fer_quick *i = code; may_look(s); i++) {
        types &= i->on | (unsigned)i->pass;
        if (called(i) && depth) types &= types_of(s, called(i), depth - 1) | (uint8_t)~i->on;
        if (is_last(i)) break;
    }
    return types;
}

/* The strings that a code demands: none but these are right, and nothing but strings. */
struct demand {
    const fer_names *names; /* NULL: a single one */
    const fer_name *only;
    size_t count;
};

static fer_str string_at(const struct demand *d, size_t number)
{
    const fer_name *name = d->names ? fer_names_at(d->names, number) : d->only;
    return (fer_str){name->ptr, name->len};
}

static bool strings_of(const fer_quick *code, struct demand *out)
{
    if (code->on != FER_ON_STRING || code->pass) return false;
    if (code->op == FER_Q_TEXT) {
        *out = (struct demand){NULL, code->name, 1};
        return true;
    }
    if (code->op != FER_Q_STRINGS) return false;
    const fer_names *names = code->data;
    *out = (struct demand){names, NULL, names->count};
    return true;
}

/* What an alternative wants of the tag. */
struct wish {
    struct demand strings; /* none: anything is right */
    bool required;
};

static void wish_of(struct sieve *s, const fer_quick *code, const fer_name *tag, unsigned depth,
                    struct wish *out)
{
    for (const fer_quick *i = code; may_look(s); i++) {
        bool asks = i->on & FER_ON_OBJECT;
        if (asks && called(i) && depth) wish_of(s, called(i), tag, depth - 1, out);
        if (asks && is_object(i)) {
            const fer_known *p = fer_object_find(i->object, (fer_str){tag->ptr, tag->len});
            if (p && p->required) out->required = true;
            if (p && p->node && !out->strings.count) strings_of(p->code, &out->strings);
        }
        if (is_last(i)) return;
    }
}

/* The first object that an alternative describes. */
static const fer_object *object_of(struct sieve *s, const fer_quick *code, unsigned depth)
{
    for (const fer_quick *i = code; may_look(s); i++) {
        if (is_object(i)) return i->object;
        const fer_object *o = called(i) && depth ? object_of(s, called(i), depth - 1) : NULL;
        if (o || is_last(i)) return o;
    }
    return NULL;
}

/* ---- by type ------------------------------------------------------------------------------------
 */

/* Room for so many more. */
static bool make_room(struct sieve *s, size_t more)
{
    while (s->cap < s->used + more) {
        uint32_t *order =
            fer_arena_room(s->c->scratch, s->order, s->cap, &s->cap, sizeof *s->order);
        if (!order) return fer_compile_no_memory(s->c);
        s->order = order;
    }
    return true;
}

static bool sift_types(struct sieve *s)
{
    fer_quick_branches *d = s->d;
    for (unsigned type = 0; type < 8; type++) {
        unsigned same = type;
        for (unsigned t = 0; t < type && same == type; t++) {
            size_t n = 0;
            while (n < d->count && (s->types[n] >> t & 1) == (s->types[n] >> type & 1)) n++;
            if (n == d->count) same = t;
        }
        if (same != type) {
            d->by_type[type] = d->by_type[same];
            continue;
        }
        if (!make_room(s, d->count)) return false;
        fer_quick_some some = {(uint32_t)s->used, 0};
        for (uint32_t n = 0; n < d->count; n++) {
            if (s->types[n] >> type & 1) s->order[some.first + some.count++] = n;
        }
        d->by_type[type] = some;
        s->used += some.count;
    }
    return true;
}

/* ---- by tag
 * --------------------------------------------------------------------------------------- */

/* How many alternatives want certain strings of a tag, and how many strings these are. */
static size_t tell_apart(struct sieve *s, const fer_name *tag, struct wish *wishes, size_t *strings)
{
    size_t found = 0;
    *strings = 0;
    for (size_t n = 0; n < s->d->count; n++) {
        wishes[n] = (struct wish){{NULL, NULL, 0}, false};
        if (!(s->types[n] & FER_ON_OBJECT)) continue;
        wish_of(s, s->d->codes[n], tag, LOOK_DEPTH, &wishes[n]);
        found += wishes[n].strings.count > 0;
        *strings += wishes[n].strings.count;
    }
    return found;
}

/* The tag that tells most of them apart; false: there is none. */
static bool choose_tag(struct sieve *s, struct wish *wishes, fer_name *tag, size_t *strings)
{
    size_t objects = 0, best = 1, tried = 0;
    const fer_object *first = NULL;
    for (size_t n = 0; n < s->d->count; n++) {
        if (!(s->types[n] & FER_ON_OBJECT)) continue;
        objects++;
        if (!first) first = object_of(s, s->d->codes[n], LOOK_DEPTH);
    }
    if (!first || objects < 2) return false;
    for (size_t n = 0; n < first->names.count && tried < TAGS_TRIED && best < objects; n++) {
        struct demand some;
        const fer_known *known = fer_object_at(first, n);
        if (!known->node || !strings_of(known->code, &some)) continue;
        tried++;
        size_t found = tell_apart(s, &known->name, wishes, strings);
        if (found <= best) continue;
        best = found;
        *tag = known->name;
    }
    return best > 1 && tell_apart(s, tag, wishes, strings) == best;
}

/* A list of those that fit, of which `fits` tells. */
static fer_quick_some list_where(struct sieve *s, const struct wish *wishes, bool absent)
{
    fer_quick_some some = {(uint32_t)s->used, 0};
    for (uint32_t n = 0; n < s->d->count; n++) {
        if (!(s->types[n] & FER_ON_OBJECT)) continue;
        bool fits = absent ? !wishes[n].required : !wishes[n].strings.count;
        if (fits) s->order[some.first + some.count++] = n;
    }
    s->used += some.count;
    return some;
}

/* For each string the alternatives that want it, then those that want nothing. */
static bool list_values(struct sieve *s, const struct wish *wishes, size_t strings)
{
    fer_quick_branches *d = s->d;
    fer_arena *a = s->c->arena;
    if (!fer_names_init(&d->values, a, strings, sizeof(fer_quick_tag))) {
        return fer_compile_no_memory(s->c);
    }
    for (size_t n = 0; n < d->count; n++) {
        for (size_t k = 0; k < wishes[n].strings.count; k++) {
            fer_quick_tag *tag = fer_names_put(&d->values, a, string_at(&wishes[n].strings, k));
            if (!tag) return fer_compile_no_memory(s->c);
            tag->some.count++;
        }
    }
    if (!fer_names_settle(&d->values, a)) return fer_compile_no_memory(s->c);
    fer_quick_tag *tags = d->values.list;
    size_t total = strings + d->values.count * (size_t)d->other.count;
    if (!make_room(s, total)) return false;
    for (size_t v = 0; v < d->values.count; v++) {
        uint32_t own = tags[v].some.count;
        tags[v].some = (fer_quick_some){(uint32_t)s->used, 0};
        s->used += own + d->other.count;
    }
    for (uint32_t n = 0; n < d->count; n++) {
        for (size_t k = 0; k < wishes[n].strings.count; k++) {
            fer_quick_tag *tag = fer_names_put(&d->values, a, string_at(&wishes[n].strings, k));
            if (!tag) return fer_compile_no_memory(s->c);
            s->order[tag->some.first + tag->some.count++] = n;
        }
    }
    for (size_t v = 0; v < d->values.count; v++) {
        fer_quick_some *some = &tags[v].some;
        for (uint32_t k = 0; k < d->other.count; k++) {
            s->order[some->first + some->count++] = s->order[d->other.first + k];
        }
    }
    return true;
}

#define WILD_MAX    8  /* alternatives that want nothing of the tag: more make the lists too long */
#define VALUES_EACH 16 /* strings for each alternative, and */
#define VALUES_ANY  256 /* so many more: beyond, too */

static bool sift_tags(struct sieve *s)
{
    fer_quick_branches *d = s->d;
    size_t strings = 0;
    struct wish *wishes = fer_arena_alloc_zero(s->c->scratch, d->count, sizeof *wishes);
    if (!wishes) return fer_compile_no_memory(s->c);
    if (!choose_tag(s, wishes, &d->tag, &strings)) return true;
    if (!make_room(s, d->count * 2)) return false;
    d->other = list_where(s, wishes, false);
    d->absent = list_where(s, wishes, true);
    d->tagged = d->other.count <= WILD_MAX && strings <= d->count * VALUES_EACH + VALUES_ANY;
    return !d->tagged || list_values(s, wishes, strings);
}

void fer_lower_sift(fer_compile *c, fer_quick_branches *d)
{
    struct sieve s = {.c = c, .d = d, .looks = LOOKS_FIXED + d->count * LOOKS_EACH};
    s.types = fer_arena_alloc(c->scratch, d->count + 1);
    if (!s.types) {
        fer_compile_no_memory(c);
        return;
    }
    for (size_t n = 0; n < d->count; n++) {
        s.types[n] = (uint8_t)types_of(&s, d->codes[n], LOOK_DEPTH);
    }
    if (!sift_types(&s) || !sift_tags(&s)) return;
    uint32_t *order = fer_arena_alloc(c->arena, (s.used + 1) * sizeof *order);
    if (!order) {
        fer_compile_no_memory(c);
        return;
    }
    if (s.used) memcpy(order, s.order, s.used * sizeof *order);
    d->order = order;
}
