/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <math.h>

#include "compile.h"
#include "object.h"

static const fer_quick always = {.pass = FER_ON_ALL, .end = FER_END_ON | FER_END_PASS};
static const fer_quick never = {.end = FER_END_ON | FER_END_PASS};

/* ---- rows ---------------------------------------------------------------------------------- */

fer_quick *fer_lower_add(fer_rows *l, enum fer_quick_op op, uint8_t on)
{
    assert(l->count < FER_LOWER_ROWS);
    fer_quick *row = &l->rows[l->count++];
    *row = (fer_quick){.op = (uint8_t)op, .on = on, .pass = (uint8_t)~on};
    if (op == FER_Q_RANGE) {
        row->low = -HUGE_VAL;
        row->high = HUGE_VAL;
    }
    if (op == FER_Q_LENGTH || op == FER_Q_SIZE) row->max = UINT64_MAX;
    return row;
}

fer_quick *fer_lower_row(fer_rows *l, enum fer_quick_op op, uint8_t on)
{
    for (uint32_t n = 0; n < l->count; n++) {
        if (l->rows[n].op == op && l->rows[n].on == on) return &l->rows[n];
    }
    return fer_lower_add(l, op, on);
}

void fer_lower_check(fer_rows *l, const fer_inst *i, uint8_t on)
{
    fer_lower_add(l, FER_Q_CHECK, on)->inst = i;
}

void *fer_lower_alloc(fer_rows *l, size_t size)
{
    void *p = fer_arena_alloc_zero(l->c->arena, 1, size);
    return p ? p : fer_compile_no_memory(l->c);
}

void fer_lower_want(fer_rows *l, const fer_quick **place, const fer_node *node)
{
    fer_compile *c = l->c;
    fer_lowering *all = &c->lowering;
    struct fer_wanted *wanted = fer_arena_room(c->scratch, all->wanted, all->wanted_count,
                                               &all->wanted_cap, sizeof *wanted);
    if (!wanted) {
        fer_compile_no_memory(c);
        return;
    }
    all->wanted = wanted;
    wanted[all->wanted_count++] = (struct fer_wanted){place, node};
}

fer_quick_codes *fer_lower_codes(fer_rows *l, const fer_node *const *nodes, size_t count)
{
    fer_quick_codes *d = fer_lower_alloc(l, sizeof *d + count * sizeof d->codes[0]);
    if (!d) return NULL;
    d->count = count;
    for (size_t n = 0; n < count; n++) {
        if (nodes[n]) fer_lower_want(l, &d->codes[n], nodes[n]);
    }
    return d;
}

fer_quick_branches *fer_lower_branches(fer_rows *l, const fer_node *const *nodes, size_t count)
{
    fer_compile *c = l->c;
    fer_lowering *all = &c->lowering;
    fer_quick_branches **list = fer_arena_room(c->scratch, all->branches, all->branches_count,
                                               &all->branches_cap, sizeof *list);
    fer_quick_branches *d = fer_lower_alloc(l, sizeof *d + count * sizeof d->codes[0]);
    if (!list || !d) return fer_compile_no_memory(c);
    all->branches = list;
    list[all->branches_count++] = d;
    d->count = count;
    for (size_t n = 0; n < count; n++) fer_lower_want(l, &d->codes[n], nodes[n]);
    return d;
}

void fer_lower_dynamic(fer_rows *l, fer_str name, bool recursive)
{
    fer_compile *c = l->c;
    fer_lowering *all = &c->lowering;
    struct fer_wanted_name *names =
        fer_arena_room(c->scratch, all->names, all->name_count, &all->name_cap, sizeof *names);
    if (!names) {
        fer_compile_no_memory(c);
        return;
    }
    all->names = names;
    names[all->name_count++] = (struct fer_wanted_name){name, recursive};
}

/* ---- one node -----------------------------------------------------------------------------------
 */

/* Whole numbers, where `type` asks for them. */
static void add_integer(fer_rows *l)
{
    fer_quick *range = NULL;
    for (uint32_t n = 0; n < l->count; n++) {
        if (l->rows[n].op == FER_Q_RANGE) range = &l->rows[n];
    }
    if (l->text) {
        fer_lower_add(l, FER_Q_INTEGER_TEXT, FER_ON_NUMBER);
    } else if (range) {
        range->n |= FER_RANGE_INTEGER;
        fer_lower_check(l, l->type, FER_TYPE_BIT(YYJSON_TYPE_RAW));
    } else {
        fer_lower_add(l, FER_Q_INTEGER, FER_ON_NUMBER);
    }
}

/* Takes out what no value of the right types gets to see, and lets the first row judge types. */
static void melt(fer_rows *l)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < l->count; n++) {
        fer_quick row = l->rows[n];
        row.on &= l->types;
        if (row.on) l->rows[count++] = row;
    }
    if (!count) {
        l->rows[count] = (fer_quick){.pass = l->types};
        count++;
    }
    for (uint32_t n = 0; n < count; n++) {
        fer_quick *row = &l->rows[n];
        row->pass = (uint8_t)(~row->on & (n ? FER_ON_ALL : l->types));
    }
    unsigned behind = 0;
    for (uint32_t n = count; n-- > 0;) {
        fer_quick *row = &l->rows[n];
        row->end = 0;
        if (!(row->on & behind)) row->end |= FER_END_ON;
        if (!(row->pass & behind)) row->end |= FER_END_PASS;
        behind |= row->on;
    }
    l->count = count;
}

static bool has_code(const fer_quick *row)
{
    switch ((enum fer_quick_op)row->op) {
    case FER_Q_ITEMS:
    case FER_Q_NAMES:
    case FER_Q_CALL:
    case FER_Q_NOT:
    case FER_Q_UNEVALUATED: return true;
    default: return false;
    }
}

/* Its members will be looked at when the codes are there. */
static void note_object(fer_compile *c, fer_quick *row)
{
    fer_lowering *all = &c->lowering;
    fer_quick **list =
        fer_arena_room(c->scratch, all->objects, all->object_count, &all->object_cap, sizeof *list);
    if (!list) {
        fer_compile_no_memory(c);
        return;
    }
    all->objects = list;
    list[all->object_count++] = row;
}

/* The rows in the memory of the program. */
static const fer_quick *keep(fer_rows *l, bool tracks)
{
    fer_quick *code = fer_lower_alloc(l, (l->count + tracks) * sizeof *code);
    if (!code) return NULL;
    fer_quick *rows = code + tracks;
    memcpy(rows, l->rows, l->count * sizeof *rows);
    for (uint32_t n = 0; n < l->count; n++) {
        if (has_code(&rows[n])) fer_lower_want(l, &rows[n].code, rows[n].node);
        if (rows[n].op == FER_Q_OBJECT || rows[n].op == FER_Q_PATTERNS) note_object(l->c, &rows[n]);
    }
    if (tracks) {
        *code = (fer_quick){
            .op = FER_Q_TRACKED, .on = FER_ON_ALL, .end = FER_END_ON | FER_END_PASS, .code = rows};
    }
    l->c->program->row_count += l->count + tracks;
    return code;
}

void fer_lower_node(fer_compile *c, fer_node *node)
{
    if (c->lowering.refused) return;
    if (node->verdict != FER_ASK) {
        node->code = node->verdict == FER_ALWAYS ? &always : &never;
        return;
    }
    fer_rows l;
    l.c = c;
    l.node = node;
    l.types = FER_ON_ALL;
    l.integer = l.text = false;
    l.type = NULL;
    l.count = 0;
    for (uint32_t n = 0; n < node->count && !c->code; n++) {
        const fer_inst *i = &node->insts[n];
        if (i->op->lower) {
            i->op->lower(&l, i);
        } else if (i->op->check) {
            fer_lower_check(&l, i, i->op->on);
        } else {
            c->lowering.refused = true;
        }
    }
    if (c->code || c->lowering.refused) return;
    if (l.integer) add_integer(&l);
    melt(&l);
    node->code = keep(&l, node->tracks);
}

/* ---- all of them -------------------------------------------------------------------------------
 */

#define ALIASES 64 /* references to references that are followed */

/* A node that only refers to another is that other one. */
static const fer_quick *behind(const fer_quick *code)
{
    for (unsigned n = 0; n < ALIASES; n++) {
        bool only = code->op == FER_Q_CALL && code->on == FER_ON_ALL && (code->end & FER_END_ON);
        if (!only) break;
        code = code->code;
    }
    return code;
}

/* Whether a name in scope can stand for one thing only. */
static bool is_settled(const struct fer_schema *p, const struct fer_wanted_name *wanted)
{
    size_t found = 0;
    for (size_t n = 0; n < p->home_count; n++) {
        const fer_home *home = p->homes[n];
        found += wanted->recursive && home->root;
        for (const struct fer_dynamic *d = home->dynamic; d && !wanted->recursive; d = d->next) {
            found += fer_str_eq(d->name, wanted->name);
        }
    }
    return found <= 1;
}

/* Types of value that the rows behind the first one look at. */
static unsigned types_behind(const fer_quick *code)
{
    unsigned types = 0;
    for (const fer_quick *i = code; !(i->end & FER_END_ON) || !(i->end & FER_END_PASS);) {
        types |= (++i)->on;
    }
    return types;
}

/* Types of value that are right without a look. */
static uint8_t plain_types(const fer_quick *code)
{
    return (uint8_t)(code->pass & ~types_behind(code));
}

/* One row that looks at the value alone. What others say of numbers as text does not count here. */
static bool is_leaf(const fer_quick *code)
{
    if (types_behind(code) & ~(unsigned)FER_TYPE_BIT(YYJSON_TYPE_RAW)) return false;
    switch ((enum fer_quick_op)code->op) {
    case FER_Q_NONE:
    case FER_Q_INTEGER:
    case FER_Q_INTEGER_TEXT:
    case FER_Q_RANGE:
    case FER_Q_LENGTH:
    case FER_Q_TEXT:
    case FER_Q_STRINGS:
    case FER_Q_SIZE: return true;
    default: return false;
    }
}

static void finish_object(fer_quick *row)
{
    union {
        const fer_object *from;
        fer_object *to;
    } unconst = {row->object};
    fer_object *o = unconst.to;
    fer_known *known = o->names.list;
    bool flat = row->op == FER_Q_OBJECT && is_leaf(o->rest);
    for (size_t n = 0; n < o->names.count; n++) {
        known[n].plain = plain_types(known[n].code);
        flat = flat && is_leaf(known[n].code);
    }
    o->plain = plain_types(o->rest);
    if (flat) row->op = FER_Q_FLAT;
}

void fer_lower_finish(fer_compile *c)
{
    fer_lowering *all = &c->lowering;
    for (size_t n = 0; n < all->name_count && !all->refused; n++) {
        all->refused = !is_settled(c->program, &all->names[n]);
    }
    if (all->refused || c->failed) return;
    for (size_t n = 0; n < all->wanted_count; n++) {
        const fer_node *node = all->wanted[n].node;
        *all->wanted[n].place = node ? node->code : &always;
    }
    for (size_t n = 0; n < all->wanted_count; n++)
        *all->wanted[n].place = behind(*all->wanted[n].place);
    for (size_t n = 0; n < all->object_count; n++) finish_object(all->objects[n]);
    for (size_t n = 0; n < all->branches_count; n++) fer_lower_sift(c, all->branches[n]);
    c->program->quick = !c->code;
}
