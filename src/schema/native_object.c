/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine code that walks over members and items.
 *
 * Each name of an object has a place in the code, in the order of the schema: there the next
 * member is expected to have that name, its value is looked at, and the code goes on to the place
 * of the next name. A member with another name is looked up, which leads to the place behind the
 * comparison of its own name. Whoever writes an object in the order of the schema pays one or two
 * comparisons a name, which the processor guesses right.
 */
#include "native_code.h"
#include "quick_run.h"

#define FEW_PATTERNS 8  /* patterns that names are held against in machine code */
#define FEW_PLACES   65 /* items of a tuple that have their own place, and the rest */

bool fer_native_is_leaves(const fer_object *o)
{
    if (o->pattern_count || !fer_native_is_plain(o->rest, true)) return false;
    for (size_t i = 0; i < o->names.count; i++) {
        if (!fer_native_is_plain(fer_object_at(o, i)->code, true)) return false;
    }
    return true;
}

bool fer_native_is_walk(const fer_quick *row)
{
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_ITEMS: return true;
    case FER_Q_TUPLE: return ((const fer_quick_codes *)row->data)->count <= FEW_PLACES;
    case FER_Q_PATTERNS: return row->object->pattern_count <= FEW_PATTERNS;
    case FER_Q_FLAT:
    case FER_Q_OBJECT: return !row->object->leaves;
    default: return false;
    }
}

/* ---- the parts of a walk -----------------------------------------------------------------------
 */

#define MEMBER 16 /* bytes of a key, and of a value that is no container */

/* From a value of one of some types to what follows it; `back` bytes before it is the key. */
static void advance(fer_native_code *n, unsigned types, int32_t back)
{
    fer_x86 *x = &n->x;
    const unsigned containers = FER_ON_ARRAY | FER_ON_OBJECT;
    fer_label next = fer_x86_label(x), scalar = fer_x86_label(x);
    if (types & containers) {
        if (types & ~containers) {
            fer_x86_load8(x, RAX, n->key, back);
            fer_x86_and32(x, RAX, YYJSON_TYPE_MASK);
            fer_x86_compare32(x, RAX, YYJSON_TYPE_ARR);
            fer_x86_jump_if(x, IF_BELOW, scalar);
        }
        fer_x86_load64(x, RAX, n->key, back + 8);
        fer_x86_sum(x, n->key, n->key, RAX, back);
        if (types & ~containers) fer_x86_jump(x, next);
    }
    fer_x86_bind(x, scalar);
    if (types & ~containers) fer_x86_add64(x, n->key, back + MEMBER);
    fer_x86_bind(x, next);
}

/* A code about a member or an item, called where it is not plain. */
static void ask(fer_native_code *n, const fer_quick *code, int32_t off)
{
    fer_at at = {n->key, off};
    if (fer_native_is_plain(code, n->kind == FER_FUNCTION_LEAVES)) {
        fer_native_value(n, code, at);
        return;
    }
    fer_x86_address(&n->x, RSI, at.base, at.off);
    fer_native_call(n, code, n->no);
}

/* From the value to its first part. */
static void begin(fer_native_code *n)
{
    fer_x86 *x = &n->x;
    fer_at v = n->value;
    fer_x86_load64(x, n->end, v.base, v.off + 8);
    fer_x86_add_reg64(x, n->end, v.base);
    fer_x86_address(x, n->key, v.base, v.off + MEMBER);
}

void fer_native_enter(fer_native_code *n, bool members)
{
    fer_x86 *x = &n->x;
    const int32_t left = offsetof(struct fer_run, left), depth = offsetof(struct fer_run, depth);
    if (members) {
        fer_x86_load64(x, RAX, n->value.base, n->value.off);
        fer_x86_shift_right64(x, RAX, 8);
        fer_x86_add64(x, RAX, 1);
        fer_x86_sub_reg64_from(x, RBP, left, RAX);
    } else {
        fer_x86_sub64_from(x, RBP, left, 1);
    }
    fer_x86_jump_if(x, IF_NEGATIVE, n->give_up);
    fer_x86_add32_to(x, RBP, depth, 1);
    fer_x86_compare_at(x, 4, RBP, depth, FER_RUN_DEPTH);
    fer_x86_jump_if(x, IF_ABOVE, n->give_up);
}

void fer_native_leave(fer_native_code *n)
{
    fer_x86_add32_to(&n->x, RBP, offsetof(struct fer_run, depth), -1);
}

/* ---- names -------------------------------------------------------------------------------------
 */

/* The labels of a walk. */
struct walk {
    const fer_object *object;
    fer_label *hits; /* a member has this name; the last: a name that is not known */
    fer_label find;  /* the name of a member is looked up */
    fer_label tail;  /* behind a member, when no name is expected */
    fer_label done;
};

/* The number of a name, that of all names where it is not known. */
static uint64_t number_of(const fer_object *o, const yyjson_val *key)
{
    const fer_known *known = fer_object_find(o, fer_val_str(key));
    return known ? (uint64_t)(known - fer_object_at(o, 0)) : o->names.count;
}

/* Many names: by the table of the quick form, and a table of places. */
static void find_in_table(fer_native_code *n, const struct walk *w)
{
    fer_x86 *x = &n->x;
    fer_label table = fer_x86_label(x);
    fer_native_keep(n);
    fer_x86_move(x, RSI, n->key);
    fer_x86_set_address(x, RDI, w->object);
    fer_x86_call_c(x, (uintptr_t)number_of);
    fer_native_kept(n);
    fer_x86_jump_by(x, RAX, RSI, table);
    for (size_t i = 0; i <= w->object->names.count; i++) fer_x86_distance(x, table, w->hits[i]);
}

static void find(fer_native_code *n, const struct walk *w)
{
    const fer_names *names = &w->object->names;
    fer_x86_bind(&n->x, w->find);
    if (!fer_native_can_find(names)) find_in_table(n, w);
    else fer_native_find(n, names, (fer_at){n->key, 0}, w->hits, w->hits[names->count]);
}

/* Whether a pattern is found in a name; steps without end: the name is the schema's own. */
static bool has_pattern(fer_native_code *n, const fer_name_pattern *p, const fer_name *name)
{
    size_t steps = SIZE_MAX;
    fer_match m = fer_regex_search(p->regex, (fer_str){name->ptr, name->len}, &steps, n->arena);
    if (m != FER_MATCH_YES && m != FER_MATCH_NO) n->x.failed = true;
    return m == FER_MATCH_YES;
}

/* What is asked of the value of a known name: by itself, by patterns, else as of any other. */
static void ask_known(fer_native_code *n, const fer_object *o, const fer_known *known)
{
    bool asked = known->node || !o->pattern_count;
    if (asked) ask(n, known->code, MEMBER);
    for (size_t i = 0; i < o->pattern_count; i++) {
        if (!has_pattern(n, &o->patterns[i], &known->name)) continue;
        ask(n, o->patterns[i].code, MEMBER);
        asked = true;
    }
    if (!asked) ask(n, o->rest, MEMBER);
}

/* Types of the values that get past a code, with patterns beside it or not. */
static unsigned types_of(const fer_object *o, const fer_quick *code)
{
    return o->pattern_count ? FER_ON_ALL : fer_native_types(code);
}

/* The value of a name, at its place. */
static void member(fer_native_code *n, const struct walk *w, size_t number)
{
    fer_x86 *x = &n->x;
    const fer_known *known = fer_object_at(w->object, number);
    fer_x86_compare_regs64(x, n->key, n->end);
    fer_x86_jump_if(x, IF_NOT_BELOW, w->done);
    fer_x86_compare_at(x, 4, n->key, 1, (uint32_t)known->name.len);
    fer_x86_jump_if(x, IF_NOT_EQUAL, w->find);
    fer_x86_load64(x, RSI, n->key, 8);
    fer_native_text(n, RSI, (fer_str){known->name.ptr, known->name.len}, w->find);
    fer_x86_bind(x, w->hits[number]);
    ask_known(n, w->object, known);
    if (known->required) fer_x86_add64(x, n->seen, 1);
    advance(n, types_of(w->object, known->code), MEMBER);
}

/* Goes on where a pattern is found in the name of the member. */
static void match(fer_native_code *n, const fer_name_pattern *p, fer_label none)
{
    fer_x86 *x = &n->x;
    fer_x86_move(x, RDX, n->key);
    fer_x86_set_address(x, RSI, p->regex);
    fer_x86_move(x, RDI, RBP);
    fer_x86_call_c(x, (uintptr_t)fer_run_matches);
    fer_x86_test8(x, RAX);
    fer_x86_jump_if(x, IF_EQUAL, none);
}

/*
 * What patterns say of the value of a name that is not known, and, where none is found in it, what
 * is said of the rest. The list of patterns stands there twice: as long as none is found, and
 * behind the first that is.
 */
static void ask_patterns(fer_native_code *n, const fer_object *o)
{
    fer_x86 *x = &n->x;
    fer_label some[FEW_PATTERNS + 1];
    for (size_t i = 0; i < o->pattern_count; i++) {
        fer_label none = fer_x86_label(x);
        some[i + 1] = fer_x86_label(x);
        match(n, &o->patterns[i], none);
        ask(n, o->patterns[i].code, MEMBER);
        fer_x86_jump(x, some[i + 1]);
        fer_x86_bind(x, none);
    }
    ask(n, o->rest, MEMBER);
    fer_x86_jump(x, some[o->pattern_count]);
    for (size_t i = 1; i < o->pattern_count; i++) {
        fer_label none = fer_x86_label(x);
        fer_x86_bind(x, some[i]);
        match(n, &o->patterns[i], none);
        ask(n, o->patterns[i].code, MEMBER);
        fer_x86_bind(x, none);
    }
    fer_x86_bind(x, some[o->pattern_count]);
}

/* A name that is not known. */
static void other(fer_native_code *n, const struct walk *w)
{
    fer_x86 *x = &n->x;
    const fer_object *o = w->object;
    unsigned types = types_of(o, o->rest);
    fer_x86_bind(x, w->hits[o->names.count]);
    if (!types) {
        fer_x86_jump(x, n->no);
        return;
    }
    if (o->pattern_count) ask_patterns(n, o);
    else ask(n, o->rest, MEMBER);
    advance(n, types, MEMBER);
    fer_x86_jump(x, w->tail);
}

static void tail(fer_native_code *n, const struct walk *w)
{
    fer_x86 *x = &n->x;
    bool names = w->object->names.count > 0;
    fer_x86_bind(x, w->tail);
    fer_x86_compare_regs64(x, n->key, n->end);
    if (!names) {
        fer_x86_jump_if(x, IF_BELOW, w->hits[0]);
        fer_x86_jump(x, w->done);
        return;
    }
    fer_x86_jump_if(x, IF_NOT_BELOW, w->done);
    find(n, w);
}

void fer_native_object(fer_native_code *n, const fer_object *o)
{
    fer_x86 *x = &n->x;
    bool run = n->kind != FER_FUNCTION_LEAVES;
    struct walk w = {.object = o, .find = fer_x86_label(x)};
    w.tail = fer_x86_label(x);
    w.done = fer_x86_label(x);
    w.hits = fer_arena_alloc(n->arena, (o->names.count + 1) * sizeof *w.hits);
    if (!w.hits || o->required > INT32_MAX) {
        x->failed = true;
        return;
    }
    for (size_t i = 0; i <= o->names.count; i++) w.hits[i] = fer_x86_label(x);
    if (run) fer_native_enter(n, true);
    begin(n);
    if (o->required) fer_x86_set(x, n->seen, 0);
    for (size_t i = 0; i < o->names.count; i++) member(n, &w, i);
    tail(n, &w);
    other(n, &w);
    fer_x86_bind(x, w.done);
    if (o->required) {
        fer_x86_compare32(x, n->seen, (int32_t)o->required);
        fer_x86_jump_if(x, IF_NOT_EQUAL, n->no);
    }
    if (run) fer_native_leave(n);
}

/* ---- items -------------------------------------------------------------------------------------
 */

void fer_native_items(fer_native_code *n, const fer_quick *code)
{
    fer_x86 *x = &n->x;
    fer_label next = fer_x86_label(x), done = fer_x86_label(x);
    fer_native_enter(n, true);
    begin(n);
    fer_x86_bind(x, next);
    fer_x86_compare_regs64(x, n->key, n->end);
    fer_x86_jump_if(x, IF_NOT_BELOW, done);
    ask(n, code, 0);
    advance(n, fer_native_types(code), 0);
    fer_x86_jump(x, next);
    fer_x86_bind(x, done);
    fer_native_leave(n);
}

/* Each of the first items has its own code; the last is that of all others. */
void fer_native_tuple(fer_native_code *n, const fer_quick_codes *d)
{
    fer_x86 *x = &n->x;
    fer_label done = fer_x86_label(x);
    fer_native_enter(n, true);
    begin(n);
    for (size_t i = 0; i < d->count && d->codes[i]; i++) {
        bool rest = i + 1 == d->count;
        fer_label again = fer_x86_label(x);
        fer_x86_bind(x, again);
        fer_x86_compare_regs64(x, n->key, n->end);
        fer_x86_jump_if(x, IF_NOT_BELOW, done);
        ask(n, d->codes[i], 0);
        advance(n, fer_native_types(d->codes[i]), 0);
        if (rest) fer_x86_jump(x, again);
    }
    fer_x86_bind(x, done);
    fer_native_leave(n);
}
