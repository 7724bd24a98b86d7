/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code for what is asked of a value: by its type, and then row by row. */
#include "native_code.h"

#include <math.h>

#include "quick_run.h"

#define EXPAND_DEPTH 4   /* codes inside codes that are put in their place */
#define LOOKS_WORK   256 /* rows that are looked at on the way */

/* The types of value in documents, the likelier ones first. */
static const uint8_t types[] = {YYJSON_TYPE_STR, YYJSON_TYPE_NUM,  YYJSON_TYPE_OBJ,
                                YYJSON_TYPE_ARR, YYJSON_TYPE_BOOL, YYJSON_TYPE_NULL,
                                YYJSON_TYPE_RAW};

/* ---- rows that concern a type -----------------------------------------------------------------
 */

static void add_looks(const fer_quick *code, unsigned type, unsigned depth, fer_looks *out);

/* Alternatives of which the type leaves one, or none. */
static bool expand_branches(const fer_quick_branches *d, unsigned type, unsigned depth,
                            fer_looks *out)
{
    const fer_quick_some *some = &d->by_type[type];
    bool by_tag = d->tagged && type == YYJSON_TYPE_OBJ;
    if (by_tag || some->count > 1) return false;
    if (some->count) add_looks(d->codes[d->order[some->first]], type, depth, out);
    else out->no = true;
    return true;
}

/* `not`, where the type alone tells. */
static bool expand_not(const fer_quick *code, unsigned type, unsigned depth, fer_looks *out)
{
    fer_looks inner = {.work = out->work};
    add_looks(code, type, depth, &inner);
    out->work = inner.work;
    if (inner.whole || (inner.count && !inner.no)) return false;
    out->no = !inner.no;
    return true;
}

/* Puts what a row refers to into its place, where that can be told by the type alone. */
static bool expand(const fer_quick *row, unsigned type, unsigned depth, fer_looks *out)
{
    const fer_quick_codes *d = row->data;
    if (!depth) return false;
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_CALL: add_looks(row->code, type, depth - 1, out); return true;
    case FER_Q_ALL:
        for (size_t n = 0; n < d->count; n++) add_looks(d->codes[n], type, depth - 1, out);
        return true;
    case FER_Q_ANY:
    case FER_Q_ONE: return expand_branches(row->data, type, depth - 1, out);
    case FER_Q_NOT: return expand_not(row->code, type, depth - 1, out);
    default: return false;
    }
}

static void add_looks(const fer_quick *code, unsigned type, unsigned depth, fer_looks *out)
{
    const unsigned bit = 1u << type;
    for (const fer_quick *i = code; !out->no && !out->whole; i++) {
        out->whole = ++out->work > LOOKS_WORK;
        if (i->on & bit) {
            bool expanded = expand(i, type, depth, out);
            if (!expanded && out->count == FER_LOOKS) out->whole = true;
            else if (!expanded) out->rows[out->count++] = i;
            if (i->end & FER_END_ON) return;
        } else {
            out->no = !(i->pass & bit);
            if (i->end & FER_END_PASS) return;
        }
    }
}

void fer_native_looks(const fer_quick *code, unsigned type, fer_looks *out)
{
    out->no = out->whole = false;
    out->count = out->work = 0;
    add_looks(code, type, EXPAND_DEPTH, out);
}

static bool same_looks(const fer_looks *x, const fer_looks *y)
{
    if (x->no != y->no || x->whole != y->whole) return false;
    if (x->no || x->whole) return true;
    return x->count == y->count && !memcmp(x->rows, y->rows, x->count * sizeof x->rows[0]);
}

/* Whether a row about strings of an enum needs nothing but these. */
static bool is_plain_enum(const fer_quick_enum *e, unsigned type)
{
    if (type == YYJSON_TYPE_STR) return fer_native_can_find(&e->strings);
    return type == YYJSON_TYPE_NULL || type == YYJSON_TYPE_BOOL;
}

static bool is_plain_row(const fer_quick *row, unsigned type, bool leaves)
{
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_INTEGER:
    case FER_Q_INTEGER_TEXT:
    case FER_Q_RANGE:
    case FER_Q_LENGTH:
    case FER_Q_TEXT:
    case FER_Q_STRINGS:
    case FER_Q_SIZE: return true;
    case FER_Q_ENUM: return !leaves || is_plain_enum(row->data, type);
    default: return !leaves && !fer_native_is_walk(row) && !fer_native_is_branch(row);
    }
}

bool fer_native_is_plain(const fer_quick *code, bool leaves)
{
    fer_looks l;
    for (size_t t = 0; t < FER_COUNT(types); t++) {
        /* Numbers too long for a word are left to the quick form. */
        if (leaves && types[t] == YYJSON_TYPE_RAW) continue;
        fer_native_looks(code, types[t], &l);
        if (l.no) continue;
        if (l.whole && leaves) return false;
        for (unsigned n = 0; n < l.count && !l.whole; n++) {
            if (!is_plain_row(l.rows[n], types[t], leaves)) return false;
        }
    }
    return true;
}

unsigned fer_native_types(const fer_quick *code)
{
    unsigned found = 0;
    fer_looks l;
    for (size_t t = 0; t < FER_COUNT(types); t++) {
        fer_native_looks(code, types[t], &l);
        if (!l.no) found |= 1u << types[t];
    }
    return found;
}

/* ---- asking the quick form ----------------------------------------------------------------------
 */

/* A row of an object of leaves, or a code, asked in C. */
static bool ask_leaf(const fer_quick *row, const yyjson_val *v)
{
    return fer_run_leaf(row, v);
}

static void call_row(fer_native_code *n, uintptr_t function, const void *what, fer_at at)
{
    fer_x86 *x = &n->x;
    fer_x86_address(x, RDX, at.base, at.off);
    fer_x86_set_address(x, RSI, what);
    fer_x86_move(x, RDI, RBP);
    fer_x86_call_c(x, function);
    fer_x86_test8(x, RAX);
    fer_x86_jump_if(x, IF_EQUAL, n->no);
}

void fer_native_keep(fer_native_code *n)
{
    if (n->kind != FER_FUNCTION_LEAVES) return;
    fer_x86_push(&n->x, n->key);
    fer_x86_push(&n->x, n->end);
    fer_x86_push(&n->x, n->seen);
}

void fer_native_kept(fer_native_code *n)
{
    if (n->kind != FER_FUNCTION_LEAVES) return;
    fer_x86_pop(&n->x, n->seen);
    fer_x86_pop(&n->x, n->end);
    fer_x86_pop(&n->x, n->key);
}

/* Without a run. */
static void call_leaf(fer_native_code *n, const fer_quick *row, fer_at at)
{
    fer_x86 *x = &n->x;
    fer_native_keep(n);
    fer_x86_address(x, RSI, at.base, at.off);
    fer_x86_set_address(x, RDI, row);
    fer_x86_call_c(x, (uintptr_t)ask_leaf);
    fer_native_kept(n);
    fer_x86_test8(x, RAX);
    fer_x86_jump_if(x, IF_EQUAL, n->no);
}

void fer_native_row(fer_native_code *n, const fer_quick *row, fer_at at)
{
    if (n->kind == FER_FUNCTION_LEAVES) call_leaf(n, row, at);
    else call_row(n, (uintptr_t)fer_run_row, row, at);
}

fer_label fer_native_aside(fer_native_code *n, const fer_quick *row, fer_at at)
{
    struct fer_aside *list =
        fer_arena_room(n->arena, n->asides, n->aside_count, &n->aside_cap, sizeof *list);
    if (!list) {
        n->x.failed = true;
        return 0;
    }
    n->asides = list;
    struct fer_aside *aside = &list[n->aside_count++];
    *aside = (struct fer_aside){row, at, fer_x86_label(&n->x), fer_x86_label(&n->x), n->no};
    return aside->start;
}

void fer_native_back(fer_native_code *n)
{
    if (!n->x.failed) fer_x86_bind(&n->x, n->asides[n->aside_count - 1].back);
}

/* ---- leaves -------------------------------------------------------------------------------------
 */

static void one_of(fer_native_code *n, const fer_names *names, fer_at at)
{
    fer_label found = fer_x86_label(&n->x);
    fer_label *labels = fer_arena_alloc(n->arena, (names->count + 1) * sizeof *labels);
    if (!labels) {
        n->x.failed = true;
        return;
    }
    for (size_t i = 0; i < names->count; i++) labels[i] = found;
    fer_native_find(n, names, at, labels, n->no);
    fer_x86_bind(&n->x, found);
}

/* Bytes settle most cases, as in the quick form. */
static void length(fer_native_code *n, const fer_quick *row, fer_at at)
{
    fer_x86 *x = &n->x;
    bool low = row->n > 0, high = row->max <= UINT32_MAX;
    if (!low && !high) return;
    fer_label aside = fer_native_aside(n, row, at);
    fer_x86_load32(x, RAX, at.base, at.off + 1);
    if (low) {
        fer_x86_compare32(x, RAX, (int32_t)row->n);
        fer_x86_jump_if(x, IF_BELOW, aside);
    }
    if (high) {
        fer_x86_compare32(x, RAX, (int32_t)row->max);
        fer_x86_jump_if(x, IF_ABOVE, aside);
    }
    fer_native_back(n);
}

static void size(fer_native_code *n, const fer_quick *row, fer_at at)
{
    fer_x86 *x = &n->x;
    if (row->min > UINT32_MAX) {
        fer_x86_jump(x, n->no);
        return;
    }
    fer_x86_load32(x, RAX, at.base, at.off + 1);
    if (row->min) {
        fer_x86_compare32(x, RAX, (int32_t)row->min);
        fer_x86_jump_if(x, IF_BELOW, n->no);
    }
    if (row->max <= UINT32_MAX) {
        fer_x86_compare32(x, RAX, (int32_t)row->max);
        fer_x86_jump_if(x, IF_ABOVE, n->no);
    }
}

#define TAG_NO_SIGN (-9) /* takes FER_TAG_SINT for FER_TAG_UINT */

static void integer(fer_native_code *n, const fer_quick *row, fer_at at)
{
    fer_x86 *x = &n->x;
    fer_label aside = fer_native_aside(n, row, at);
    fer_x86_load8(x, RAX, at.base, at.off);
    fer_x86_and32(x, RAX, TAG_NO_SIGN);
    fer_x86_compare32(x, RAX, FER_TAG_UINT);
    fer_x86_jump_if(x, IF_NOT_EQUAL, aside);
    fer_native_back(n);
}

/* A bound that whole numbers can be compared with as such, or none. */
static bool is_small(double bound)
{
    return isinf(bound) || fabs(bound) < 1 << 30;
}

/* The least whole number from a bound on, and the greatest up to it. */
static int32_t whole_from(double bound)
{
    int32_t whole = (int32_t)bound;
    return whole + (whole < bound);
}

static int32_t whole_to(double bound)
{
    int32_t whole = (int32_t)bound;
    return whole - (whole > bound);
}

/* The whole number in RAX. */
static void integer_range(fer_native_code *n, const fer_quick *row)
{
    fer_x86 *x = &n->x;
    if (!isinf(row->low)) {
        fer_x86_compare64(x, RAX, whole_from(row->low));
        fer_x86_jump_if(x, IF_LESS, n->no);
    }
    if (!isinf(row->high)) {
        fer_x86_compare64(x, RAX, whole_to(row->high));
        fer_x86_jump_if(x, IF_GREATER, n->no);
    }
}

/* The number in XMM0. */
static void double_range(fer_native_code *n, const fer_quick *row)
{
    fer_x86 *x = &n->x;
    if (!isinf(row->low)) {
        fer_x86_compare_double(x, row->low);
        fer_x86_jump_if(x, IF_BELOW, n->no);
    }
    if (!isinf(row->high)) {
        fer_x86_compare_double(x, row->high);
        fer_x86_jump_if(x, IF_ABOVE, n->no);
    }
}

/* Whole numbers past 63 bits are asked aside, and so are others where they have to be whole. */
static void range(fer_native_code *n, const fer_quick *row, fer_at at)
{
    fer_x86 *x = &n->x;
    bool small = is_small(row->low) && is_small(row->high);
    fer_label aside = fer_native_aside(n, row, at), done = fer_x86_label(x);
    fer_label whole = fer_x86_label(x), real = fer_x86_label(x);
    fer_x86_load8(x, RCX, at.base, at.off);
    fer_x86_load64(x, RAX, at.base, at.off + 8);
    fer_x86_compare32(x, RCX, FER_TAG_SINT);
    fer_x86_jump_if(x, IF_EQUAL, whole);
    fer_x86_jump_if(x, IF_ABOVE, row->n & FER_RANGE_INTEGER ? aside : real);
    fer_x86_test64(x, RAX);
    fer_x86_jump_if(x, IF_NEGATIVE, aside);
    fer_x86_bind(x, whole);
    if (small) {
        integer_range(n, row);
    } else {
        fer_x86_load_integer(x, RAX);
        double_range(n, row);
    }
    fer_x86_jump(x, done);
    fer_x86_bind(x, real);
    fer_x86_load_double(x, at.base, at.off + 8);
    double_range(n, row);
    fer_x86_bind(x, done);
    fer_native_back(n);
}

static void bool_enum(fer_native_code *n, const fer_quick_enum *e, fer_at at)
{
    fer_x86 *x = &n->x;
    unsigned tag = YYJSON_TYPE_BOOL | (e->yes ? YYJSON_SUBTYPE_TRUE : YYJSON_SUBTYPE_FALSE);
    if (e->yes && e->no) return;
    if (!e->yes && !e->no) {
        fer_x86_jump(x, n->no);
        return;
    }
    fer_x86_compare_at(x, 1, at.base, at.off, tag);
    fer_x86_jump_if(x, IF_NOT_EQUAL, n->no);
}

static void enumeration(fer_native_code *n, const fer_quick *row, fer_at at, unsigned type)
{
    const fer_quick_enum *e = row->data;
    bool none = type == YYJSON_TYPE_NULL ? !e->null : !e->integer_count && !e->inst;
    if (type == YYJSON_TYPE_STR && is_plain_enum(e, type)) one_of(n, &e->strings, at);
    else if (type == YYJSON_TYPE_BOOL) bool_enum(n, e, at);
    else if (type != YYJSON_TYPE_STR && none) fer_x86_jump(&n->x, n->no);
    else if (type != YYJSON_TYPE_NULL) fer_native_row(n, row, at);
}

static void text(fer_native_code *n, const fer_name *name, fer_at at)
{
    fer_x86 *x = &n->x;
    fer_x86_compare_at(x, 4, at.base, at.off + 1, (uint32_t)name->len);
    fer_x86_jump_if(x, IF_NOT_EQUAL, n->no);
    fer_x86_load64(x, RSI, at.base, at.off + 8);
    fer_native_text(n, RSI, (fer_str){name->ptr, name->len}, n->no);
}

/* ---- rows and types -----------------------------------------------------------------------------
 */

/* An object of leaves; what its function does not know is asked of the quick form. */
static void leaves(fer_native_code *n, const fer_quick *row, fer_at at)
{
    fer_x86 *x = &n->x;
    fer_label aside = fer_native_aside(n, row, at);
    fer_x86_load64(x, RAX, at.base, at.off);
    fer_x86_shift_right64(x, RAX, 8);
    fer_x86_sub_reg64_from(x, RBP, offsetof(struct fer_run, left), RAX);
    fer_x86_jump_if(x, IF_NEGATIVE, n->give_up);
    fer_x86_address(x, RDI, at.base, at.off);
    fer_x86_call(x, fer_native_leaves(n, row->object));
    fer_x86_compare32(x, RAX, FER_QUICK_YES);
    fer_x86_jump_if(x, IF_BELOW, n->no);
    fer_x86_jump_if(x, IF_ABOVE, aside);
    fer_native_back(n);
}

/* What goes into the value that the function is about. */
static void walk(fer_native_code *n, const fer_quick *row)
{
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_ITEMS: fer_native_items(n, row->code); break;
    case FER_Q_TUPLE: fer_native_tuple(n, row->data); break;
    default: fer_native_object(n, row->object); break;
    }
}

static void look(fer_native_code *n, const fer_quick *row, fer_at at, unsigned type)
{
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_LENGTH: length(n, row, at); break;
    case FER_Q_SIZE: size(n, row, at); break;
    case FER_Q_INTEGER: integer(n, row, at); break;
    case FER_Q_RANGE: range(n, row, at); break;
    case FER_Q_TEXT: text(n, row->name, at); break;
    case FER_Q_STRINGS:
        if (fer_native_can_find(row->data)) one_of(n, row->data, at);
        else fer_native_row(n, row, at);
        break;
    case FER_Q_ENUM: enumeration(n, row, at, type); break;
    case FER_Q_PATTERN: call_row(n, (uintptr_t)fer_run_matches, row->data, at); break;
    default:
        if (fer_native_is_walk(row)) walk(n, row);
        else if (fer_native_is_branch(row)) fer_native_branch(n, row, type);
        else if (row->op == FER_Q_OBJECT || row->op == FER_Q_FLAT) leaves(n, row, at);
        else fer_native_row(n, row, at);
        break;
    }
}

/* What is asked of some types alike. */
struct group {
    unsigned types;
    unsigned first; /* one of them */
    fer_looks looks;
};

/* Those that are not wrong at once; how many. */
static size_t groups_of(const fer_quick *code, bool leaves, struct group *groups)
{
    size_t count = 0;
    for (size_t t = 0; t < FER_COUNT(types); t++) {
        struct group g = {1u << types[t], types[t], {0}};
        fer_native_looks(code, types[t], &g.looks);
        if (g.looks.no) continue;
        /* Long numbers are not for leaves, but where nothing is asked of them. */
        if (leaves && types[t] == YYJSON_TYPE_RAW && g.looks.count) g.looks.whole = true;
        size_t same = 0;
        bool branch = g.looks.count && !g.looks.whole;
        while (same < count && !same_looks(&groups[same].looks, &g.looks)) same++;
        /* Rows whose code depends on the type stay apart. */
        for (unsigned n = 0; branch && n < g.looks.count; n++) {
            const fer_quick *row = g.looks.rows[n];
            if (row->op == FER_Q_ENUM || fer_native_is_branch(row)) same = count;
        }
        if (same < count) groups[same].types |= g.types;
        else groups[count++] = g;
    }
    return count;
}

/* Goes on where the type in RAX is one of some. */
static void check_type(fer_native_code *n, unsigned among, fer_label other)
{
    fer_x86 *x = &n->x;
    if (!(among & (among - 1))) {
        fer_x86_compare32(x, RAX, __builtin_ctz(among));
        fer_x86_jump_if(x, IF_NOT_EQUAL, other);
        return;
    }
    fer_x86_set(x, RSI, among);
    fer_x86_test_bit(x, RSI, RAX);
    fer_x86_jump_if(x, IF_NOT_BELOW, other);
}

static void ask_group(fer_native_code *n, const fer_quick *code, const struct group *g, fer_at at)
{
    if (g->looks.whole && n->kind == FER_FUNCTION_LEAVES) {
        fer_x86_jump(&n->x, n->unknown);
    } else if (g->looks.whole) {
        call_row(n, (uintptr_t)fer_run_ask, code, at);
    } else {
        for (unsigned i = 0; i < g->looks.count; i++) look(n, g->looks.rows[i], at, g->first);
    }
}

static unsigned all_types(void)
{
    unsigned all = 0;
    for (size_t t = 0; t < FER_COUNT(types); t++) all |= 1u << types[t];
    return all;
}

void fer_native_value(fer_native_code *n, const fer_quick *code, fer_at at)
{
    fer_x86 *x = &n->x;
    struct group groups[FER_COUNT(types)];
    size_t count = groups_of(code, n->kind == FER_FUNCTION_LEAVES, groups);
    unsigned rest = all_types();
    if (!count) {
        fer_x86_jump(x, n->no);
        return;
    }
    if (count == 1 && groups[0].types == rest && !groups[0].looks.count && !groups[0].looks.whole)
        return;
    fer_label done = fer_x86_label(x);
    fer_x86_load8(x, RAX, at.base, at.off);
    fer_x86_and32(x, RAX, YYJSON_TYPE_MASK);
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        fer_label next = last ? n->no : fer_x86_label(x);
        /* Where the others were asked for, no look is needed. */
        if (!last || groups[i].types != rest) check_type(n, groups[i].types, next);
        rest &= ~groups[i].types;
        ask_group(n, code, &groups[i], at);
        if (last) break;
        fer_x86_jump(x, done);
        fer_x86_bind(x, next);
    }
    fer_x86_bind(x, done);
}
