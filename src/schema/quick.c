/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot loop: a verdict on a value that is read already. How it gets its speed:
 *
 *  - A leaf costs a look at its type and, mostly, one instruction: `type`, the bounds and the
 *    lengths beside it were melted into one by lower.c. A row of instructions tells where it
 *    ends for the type in hand, so a string never passes by what is said about numbers.
 *  - An object is walked once, in its own order. The next name is guessed: whoever writes an
 *    object tends to keep to the order of the schema, so the name behind the last one that was
 *    found is compared first (one word and a length, in most cases), then the one behind that, and
 *    only then is it looked up. `required` is a count of the names that were seen, because a
 *    document has no name twice. Each name knows the types that are right without a look, and
 *    an object whose members are all leaves (FER_Q_FLAT) is walked without anything else to mind.
 *  - Of alternatives, only those are asked that can be right for a value of its type and, where
 *    each demands certain strings for one member, with the tag that it has.
 *  - What is rare is left to the machine's own checks (FER_Q_CHECK), and what is hard to the
 *    machine as a whole: it gives up when it is called too deep, when the work goes beyond some
 *    steps for each value (alternatives inside alternatives), or when an object with more than
 *    64 members has to be marked for `unevaluatedProperties`.
 *
 * Giving up is a count of steps below zero. Whoever sees it says no, so that everything ends
 * at once, and fer_quick_run() turns that no into "unknown". Nothing is taken from the heap here.
 *
 * Calls follow the nesting of the instance and of subschemas in place, FER_RUN_DEPTH at most.
 */
#include "quick.h"

#include "json_number.h"
#include "quick_run.h"
#include "unicode.h"

/* Clang's check of function types looks before a function for what only compilers put there. */
#if defined(__clang__) && __clang_major__ >= 17
#define MACHINE_CODE __attribute__((no_sanitize("function")))
#else
#define MACHINE_CODE
#endif

#define STEPS_FIXED 4096 /* what any value may cost, */
#define STEPS_EACH  64   /* and what each value in it adds */
#define FEW_NAMES   8    /* strings that are compared one after the other */
#define FEW_ITEMS   16   /* that are compared with each other to find one twice */

FER_OUTLINE bool object(struct fer_run *r, const fer_object *o, const yyjson_val *v);
FER_OUTLINE bool flat(struct fer_run *r, const fer_object *o, const yyjson_val *v);
FER_OUTLINE bool items(struct fer_run *r, const fer_quick *code, const yyjson_val *v);
FER_OUTLINE bool any(struct fer_run *r, const fer_quick_branches *d, const yyjson_val *v);
FER_OUTLINE bool one(struct fer_run *r, const fer_quick_branches *d, const yyjson_val *v);

/* ---- leaves ------------------------------------------------------------------------------ */

FER_OUTLINE bool check(struct fer_run *r, const fer_inst *inst, const yyjson_val *v)
{
    if (!r->vm) {
        r->vm = fer_arena_alloc(r->arena, sizeof *r->vm);
        if (!r->vm) return fer_run_give_up(r);
        *r->vm = (fer_vm){.program = r->program, .arena = r->arena, .steps = r->program->steps};
    }
    fer_step s = inst->op->check(r->vm, inst, v);
    return s == FER_STEP_ERROR ? fer_run_give_up(r) : s == FER_STEP_PASS;
}

bool fer_run_matches(struct fer_run *r, const fer_regex *regex, const yyjson_val *v)
{
    fer_match m = fer_regex_search(regex, fer_val_str(v), &r->bytes, r->arena);
    return m == FER_MATCH_YES || (m != FER_MATCH_NO && fer_run_give_up(r));
}

FER_INLINE bool is_integer(const yyjson_val *v)
{
    unsigned tag = fer_val_tag(v);
    return FER_LIKELY(tag == FER_TAG_UINT || tag == FER_TAG_SINT) || fer_number_is_integer(v);
}

FER_INLINE bool in_range(const fer_quick *i, const yyjson_val *v)
{
    double d = v->uni.f64;
    unsigned tag = fer_val_tag(v);
    if (FER_LIKELY(tag != FER_TAG_REAL)) {
        bool whole = tag == FER_TAG_SINT || FER_LIKELY(v->uni.i64 >= 0);
        d = whole ? (double)v->uni.i64 : (double)v->uni.u64;
    } else if (i->n & FER_RANGE_INTEGER) {
        if (!fer_number_is_integer(v)) return false;
    }
    return d >= i->low && d <= i->high;
}

FER_INLINE bool is_multiple(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    switch (fer_val_tag(v)) {
    case FER_TAG_UINT: return v->uni.u64 % i->max == 0;
    case FER_TAG_SINT: return -(uint64_t)v->uni.i64 % i->max == 0;
    default: return check(r, i->inst, v);
    }
}

FER_OUTLINE bool has_code_points(const fer_quick *i, const yyjson_val *v)
{
    size_t count = fer_utf8_count_valid(fer_val_str(v));
    return count >= i->min && count <= i->max;
}

/* Bytes settle most cases: a code point has one to four. */
FER_INLINE bool has_length(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    size_t bytes = fer_val_len(v);
    if (FER_LIKELY(bytes >= i->n && bytes <= i->max)) return true;
    if (bytes < i->min) return false;
    if (r) r->left -= (int64_t)(bytes / 8);
    return has_code_points(i, v);
}

FER_INLINE bool is_string_in(const fer_names *names, const yyjson_val *v)
{
    const fer_name *list = names->list;
    if (names->count > FEW_NAMES) return fer_names_find(names, fer_val_str(v));
    for (const fer_name *n = list; n < list + names->count; n++) {
        if (fer_run_is_text(n, v)) return true;
    }
    return false;
}

/* Integers are kept unsigned from zero on. */
static unsigned tag_of(int64_t integer)
{
    return integer < 0 ? FER_TAG_SINT : FER_TAG_UINT;
}

static bool has_integer(const fer_quick_enum *e, int64_t integer)
{
    uint32_t low = 0, high = e->integer_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->integers[middle] == integer) return true;
        if (e->integers[middle] < integer) low = middle + 1;
        else high = middle;
    }
    return false;
}

FER_OUTLINE bool in_enum(struct fer_run *r, const fer_quick_enum *e, const yyjson_val *v)
{
    if (fer_is_str(v)) return is_string_in(&e->strings, v);
    switch (fer_val_tag(v)) {
    case YYJSON_TYPE_NULL: return e->null;
    case YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE: return e->yes;
    case YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_FALSE: return e->no;
    case FER_TAG_UINT:
    case FER_TAG_SINT:
        if (has_integer(e, v->uni.i64)) return fer_val_tag(v) == tag_of(v->uni.i64);
        break;
    default: break;
    }
    return e->inst && check(r, e->inst, v);
}

/* Whether two values are seen to differ: their strings, or something that both have in front. */
FER_OUTLINE bool differ(const yyjson_val *x, const yyjson_val *y)
{
    for (unsigned depth = 0; depth < 4; depth++) {
        unsigned type = fer_val_type(x);
        if (type != fer_val_type(y)) return !fer_is_num(x) || !fer_is_num(y);
        if (type < YYJSON_TYPE_STR) return false;
        if (fer_val_len(x) != fer_val_len(y)) return true;
        if (type == YYJSON_TYPE_STR) return !fer_str_eq(fer_val_str(x), fer_val_str(y));
        if (!fer_val_len(x)) return false;
        bool object = type == YYJSON_TYPE_OBJ;
        if (object && !fer_str_eq(fer_val_str(x + 1), fer_val_str(y + 1))) return false;
        x += 1 + object;
        y += 1 + object;
    }
    return false;
}

/* Short lists are mostly settled by a look at each pair. */
FER_OUTLINE bool is_unique(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    const yyjson_val *list[FEW_ITEMS];
    size_t count = 0;
    if (fer_val_len(v) < 2) return true;
    if (fer_val_len(v) > FEW_ITEMS) return check(r, i->inst, v);
    FER_EACH_ITEM (v, item) {
        for (size_t n = 0; n < count; n++) {
            if (differ(item, list[n])) continue;
            return !fer_is_str(item) && check(r, i->inst, v);
        }
        list[count++] = item;
    }
    return true;
}

/* ---- the loop ---------------------------------------------------------------------------------
 */

/* A row that looks at the value alone, `r` being NULL where nothing has to be counted. */
FER_INLINE bool leaf(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    switch ((enum fer_quick_op)i->op) {
    case FER_Q_LENGTH: return has_length(r, i, v);
    case FER_Q_RANGE: return in_range(i, v);
    case FER_Q_INTEGER: return is_integer(v);
    case FER_Q_TEXT: return fer_run_is_text(i->name, v);
    case FER_Q_STRINGS: return is_string_in(i->data, v);
    case FER_Q_SIZE: return fer_val_len(v) >= i->min && fer_val_len(v) <= i->max;
    case FER_Q_INTEGER_TEXT: return fer_number_is_integer_text(v);
    default: __builtin_unreachable();
    }
}

/* One row about a value of a type that it has something to say of. */
FER_INLINE bool look(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    switch ((enum fer_quick_op)i->op) {
    case FER_Q_LENGTH:
    case FER_Q_RANGE:
    case FER_Q_INTEGER:
    case FER_Q_TEXT:
    case FER_Q_STRINGS:
    case FER_Q_SIZE:
    case FER_Q_INTEGER_TEXT: return leaf(r, i, v);
    case FER_Q_ENUM: return in_enum(r, i->data, v);
    case FER_Q_PATTERN: return fer_run_matches(r, i->data, v);
    case FER_Q_UNIQUE: return is_unique(r, i, v);
    case FER_Q_MULTIPLE: return is_multiple(r, i, v);
    case FER_Q_CHECK: return check(r, i->inst, v);
    case FER_Q_FLAT: return flat(r, i->object, v);
    case FER_Q_OBJECT: return object(r, i->object, v);
    case FER_Q_ITEMS: return items(r, i->code, v);
    case FER_Q_ANY: return any(r, i->data, v);
    case FER_Q_ONE: return one(r, i->data, v);
    case FER_Q_NONE: __builtin_unreachable(); /* it is on nothing */
    default: return fer_run_apply(r, i, v);
    }
}

/* All rows. It stands in the loops over members and items, so that a leaf costs no call. */
FER_INLINE bool inside(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    const unsigned bit = 1u << fer_val_type(v);
    for (;; i++) {
        if (i->on & bit) {
            if (!look(r, i, v)) return false;
            if (FER_LIKELY(i->end & FER_END_ON)) return true;
        } else {
            if (!(i->pass & bit)) return false;
            if (FER_LIKELY(i->end & FER_END_PASS)) return true;
        }
    }
}

bool fer_run_ask(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    return inside(r, i, v);
}

bool fer_run_row(struct fer_run *r, const fer_quick *i, const yyjson_val *v)
{
    return look(r, i, v);
}

bool fer_run_leaf(const fer_quick *i, const yyjson_val *v)
{
    return leaf(NULL, i, v);
}

/* ---- members and items --------------------------------------------------------------------- */

const fer_known *fer_run_look_up(const fer_object *o, const fer_known *guess, const yyjson_val *key)
{
    /* Behind the last there is one that no text equals. */
    bool next = guess < fer_object_at(o, o->names.count) && fer_run_is_text(&guess[1].name, key);
    return next ? guess + 1 : fer_object_find(o, fer_val_str(key));
}

bool fer_run_attempt(struct fer_run *r, const fer_quick *code, const yyjson_val *v)
{
    uint64_t marks = r->marks;
    unsigned depth = r->depth;
    bool tracking = r->tracking;
    if (fer_run_ask(r, code, v)) return true;
    r->marks = marks;
    r->depth = depth;
    r->tracking = tracking;
    return false;
}

const yyjson_val *fer_run_key(struct fer_run *r, const yyjson_val *v, const fer_name *name)
{
    size_t looks = 0;
    const yyjson_val *found = NULL;
    FER_EACH_MEMBER (v, key) {
        looks++;
        if (!fer_run_is_text(name, key)) continue;
        found = key;
        break;
    }
    r->left -= (int64_t)looks;
    return found;
}

/*
 * A no from inside a member or item: notes the innermost, which may have been noted inside. What
 * was noted elsewhere is of a no that did not count.
 */
FER_OUTLINE fer_quick_verdict refuse(struct fer_run *r, const yyjson_val *part)
{
    bool noted = r->reached && r->reached >= part && r->reached < fer_val_next(part);
    if (!noted) r->reached = part;
    return FER_QUICK_NO;
}

/* One walk over the members. Without `r`, all of them are leaves: unknown is only a long number. */
FER_INLINE fer_quick_verdict members(struct fer_run *r, const fer_object *o, const yyjson_val *v)
{
    const fer_known *guess = o->names.list;
    const yyjson_val *end = fer_run_end(v);
    size_t seen = 0;
    for (const yyjson_val *key = v + 1; key < end; key = fer_val_next(key + 1)) {
        const fer_known *known = fer_run_name(o, guess, key);
        const fer_quick *code = o->rest;
        unsigned plain = o->plain, type = fer_val_type(key + 1);
        if (FER_LIKELY(known)) {
            code = known->code;
            plain = known->plain;
            seen += known->required;
            guess = known + 1;
        }
        if (plain >> type & 1) continue;
        if (r) {
            if (!inside(r, code, key + 1)) return refuse(r, key + 1);
        } else if (code->on >> type & 1) {
            if (!leaf(NULL, code, key + 1)) return FER_QUICK_NO;
        } else {
            return code->pass >> type & 1 ? FER_QUICK_UNKNOWN : FER_QUICK_NO;
        }
    }
    return seen == o->required ? FER_QUICK_YES : FER_QUICK_NO;
}

FER_OUTLINE bool object(struct fer_run *r, const fer_object *o, const yyjson_val *v)
{
    if (!fer_run_enter(r, fer_val_len(v))) return false;
    if (r->tracking) return fer_run_members(r, o, v) && fer_run_leave(r);
    return members(r, o, v) == FER_QUICK_YES && fer_run_leave(r);
}

FER_OUTLINE fer_quick_verdict leaves(const fer_object *o, const yyjson_val *v)
{
    return members(NULL, o, v);
}

FER_OUTLINE bool flat(struct fer_run *r, const fer_object *o, const yyjson_val *v)
{
    fer_quick_verdict verdict = r->tracking ? FER_QUICK_UNKNOWN : leaves(o, v);
    r->left -= (int64_t)fer_val_len(v) + 1;
    return verdict == FER_QUICK_UNKNOWN ? object(r, o, v) : verdict == FER_QUICK_YES;
}

/* Whatever is inside, the marks of this value are not its business. */
FER_OUTLINE bool items(struct fer_run *r, const fer_quick *code, const yyjson_val *v)
{
    bool tracking = r->tracking;
    if (!fer_run_enter(r, fer_val_len(v))) return false;
    r->tracking = false;
    FER_EACH_ITEM (v, item) {
        if (!inside(r, code, item)) return refuse(r, item) == FER_QUICK_YES;
    }
    r->tracking = tracking;
    r->marks = UINT64_MAX;
    return fer_run_leave(r);
}

/* ---- alternatives -----------------------------------------------------------------------------
 */

/* The alternatives that an object can be. */
FER_OUTLINE const fer_quick_some *by_tag(struct fer_run *r, const fer_quick_branches *d,
                                         const yyjson_val *v)
{
    /* A tag tends to be the first member. */
    bool first = fer_val_len(v) && fer_run_is_text(&d->tag, v + 1);
    const yyjson_val *key = first ? v + 1 : fer_run_key(r, v, &d->tag);
    const fer_quick_tag *tags = d->values.list, *found = NULL;
    if (!key) return &d->absent;
    if (!fer_is_str(key + 1)) return &d->other;
    if (d->values.count > FEW_NAMES) {
        found = fer_names_find(&d->values, fer_val_str(key + 1));
    } else {
        for (const fer_quick_tag *t = tags; t < tags + d->values.count && !found; t++) {
            if (fer_run_is_text(&t->name, key + 1)) found = t;
        }
    }
    return found ? &found->some : &d->other;
}

/* The alternatives that can be right. */
FER_INLINE const fer_quick_some *candidates(struct fer_run *r, const fer_quick_branches *d,
                                            const yyjson_val *v)
{
    if (d->tagged && fer_is_obj(v)) return by_tag(r, d, v);
    return &d->by_type[fer_val_type(v)];
}

FER_OUTLINE bool any(struct fer_run *r, const fer_quick_branches *d, const yyjson_val *v)
{
    const fer_quick_some *some = candidates(r, d, v);
    const uint32_t *order = d->order + some->first;
    bool hit = false;
    if (!some->count || !fer_run_enter(r, 0)) return false;
    if (some->count == 1) return inside(r, d->codes[*order], v) && fer_run_leave(r);
    for (uint32_t n = 0; n < some->count && (!hit || r->tracking); n++) {
        hit |= fer_run_attempt(r, d->codes[order[n]], v);
    }
    return hit && fer_run_leave(r);
}

FER_OUTLINE bool one(struct fer_run *r, const fer_quick_branches *d, const yyjson_val *v)
{
    const fer_quick_some *some = candidates(r, d, v);
    const uint32_t *order = d->order + some->first;
    unsigned hits = 0;
    if (!some->count || !fer_run_enter(r, 0)) return false;
    if (some->count == 1) return inside(r, d->codes[*order], v) && fer_run_leave(r);
    for (uint32_t n = 0; n < some->count && hits < 2; n++) {
        hits += fer_run_attempt(r, d->codes[order[n]], v);
    }
    return hits == 1 && fer_run_leave(r);
}

/* How a run begins. */
enum start {
    AT_ROWS,
    AT_OBJECT, /* the one row is about objects */
    AT_NATIVE, /* machine code of the root */
};

MACHINE_CODE static bool start(struct fer_run *r, const fer_quick *code, const yyjson_val *value,
                               enum start how)
{
    switch (how) {
    case AT_NATIVE: return r->program->native.value(r, value);
    case AT_OBJECT: return object(r, code->object, value);
    default: return fer_run_ask(r, code, value);
    }
}

__attribute__((no_stack_protector)) FER_OUTLINE fer_quick_verdict
run_all(const struct fer_schema *s, const fer_quick *code, fer_arena *scratch,
        const yyjson_val *value, enum start how, const yyjson_val **reached)
{
    size_t values = (size_t)(fer_val_next(value) - value);
    size_t steps = STEPS_FIXED + values * STEPS_EACH;
    struct fer_run r = {.left = (int64_t)(steps < s->steps ? steps : s->steps),
                        .bytes = s->steps,
                        .program = s,
                        .arena = scratch};
    bool yes = start(&r, code, value, how);
    if (r.vm) fer_vm_close(r.vm);
    if (r.left < 0) return FER_QUICK_UNKNOWN;
    if (reached) *reached = r.reached;
    return yes ? FER_QUICK_YES : FER_QUICK_NO;
}

fer_quick_verdict fer_quick_reach(const struct fer_schema *s, const fer_quick *code,
                                  fer_arena *scratch, const yyjson_val *value,
                                  const yyjson_val **reached)
{
    bool last = (code->end & FER_END_ON) && fer_is_obj(value);
    /* Most tools take an object of strings and numbers: no need of a run. */
    if (last && code->op == FER_Q_FLAT && fer_val_len(value) <= s->steps) {
        fer_quick_verdict verdict = leaves(code->object, value);
        if (FER_LIKELY(verdict != FER_QUICK_UNKNOWN)) return verdict;
    }
    return run_all(s, code, scratch, value, last && code->op == FER_Q_OBJECT ? AT_OBJECT : AT_ROWS,
                   reached);
}

fer_quick_verdict fer_quick_leaf(const fer_quick *code, const yyjson_val *value)
{
    if (!(code->on >> fer_val_type(value) & 1) || !(code->end & FER_END_ON))
        return FER_QUICK_UNKNOWN;
    switch ((enum fer_quick_op)code->op) {
    case FER_Q_LENGTH:
    case FER_Q_RANGE:
    case FER_Q_INTEGER:
    case FER_Q_TEXT:
    case FER_Q_STRINGS:
    case FER_Q_SIZE:
    case FER_Q_INTEGER_TEXT: return leaf(NULL, code, value) ? FER_QUICK_YES : FER_QUICK_NO;
    default: return FER_QUICK_UNKNOWN;
    }
}

fer_quick_verdict fer_quick_run(const struct fer_schema *s, const fer_quick *code,
                                fer_arena *scratch, const yyjson_val *value)
{
    return fer_quick_reach(s, code, scratch, value, NULL);
}

MACHINE_CODE fer_quick_verdict fer_quick_ask(const struct fer_schema *s, fer_arena *scratch,
                                             const yyjson_val *value)
{
    if (s->native.object) {
        fer_quick_verdict verdict = s->native.object(value);
        if (FER_LIKELY(verdict != FER_QUICK_UNKNOWN)) return verdict;
    }
    if (s->native.value) return run_all(s, NULL, scratch, value, AT_NATIVE, NULL);
    return s->quick ? fer_quick_run(s, s->root->code, scratch, value) : FER_QUICK_UNKNOWN;
}
