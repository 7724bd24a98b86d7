/* SPDX-License-Identifier: Apache-2.0 */
/* Machine code of a schema: its functions, their frames, and the pages that it lies in. */
#include "native.h"

#include "native_code.h"
#include "program.h"
#include "quick_run.h"
#include "sys.h"

#define CODE_MAX ((size_t)1 << 20) /* bytes of code; a schema that needs more goes without */

/* ---- functions ---------------------------------------------------------------------------------
 */

static fer_label function(fer_native_code *n, const void *what, bool leaves)
{
    fer_str address = {(const char *)&what, sizeof what};
    struct fer_function *f = fer_map_get(&n->functions, address);
    if (f) return f->label;
    f = fer_arena_alloc_zero(n->arena, 1, sizeof *f);
    address = fer_arena_copy(n->arena, address);
    void **place = f && address.ptr ? fer_map_put(&n->functions, address) : NULL;
    if (!place) {
        n->x.failed = true;
        return 0;
    }
    *f = (struct fer_function){.leaves = leaves, .what = what, .label = fer_x86_label(&n->x)};
    *place = f;
    *n->last = f;
    n->last = &f->next;
    return f->label;
}

void fer_native_call(fer_native_code *n, const fer_quick *code, fer_label no)
{
    fer_x86_call(&n->x, function(n, code, false));
    fer_x86_jump_if(&n->x, IF_BELOW, no);
}

fer_label fer_native_leaves(fer_native_code *n, const fer_object *o)
{
    return function(n, o, true);
}

/* A value that is walked over, or asked about otherwise, before the last row needs a register. */
static enum fer_function_kind kind_of(const fer_quick *code)
{
    fer_looks l;
    for (unsigned type = YYJSON_TYPE_RAW; type <= YYJSON_TYPE_OBJ; type++) {
        fer_native_looks(code, type, &l);
        if (l.no || l.whole) continue;
        for (unsigned i = 0; i < l.count; i++) {
            if (fer_native_is_branch(l.rows[i])) return FER_FUNCTION_FULL;
            if (fer_native_is_walk(l.rows[i]) && i + 1 < l.count) return FER_FUNCTION_FULL;
        }
    }
    return FER_FUNCTION_WALK;
}

static void write_asides(fer_native_code *n)
{
    for (size_t i = 0; i < n->aside_count && !n->x.failed; i++) {
        struct fer_aside aside = n->asides[i];
        fer_x86_bind(&n->x, aside.start);
        n->no = aside.no;
        fer_native_row(n, aside.row, aside.at);
        fer_x86_jump(&n->x, aside.back);
    }
    n->aside_count = 0;
}

static void give(fer_native_code *n, fer_quick_verdict verdict)
{
    fer_x86_set(&n->x, RAX, verdict);
    fer_x86_return(&n->x);
}

static void write_leaves(fer_native_code *n, const fer_object *o)
{
    n->kind = FER_FUNCTION_LEAVES;
    n->value = (fer_at){RDI, 0};
    n->key = RDI;
    n->end = RDX;
    n->seen = R8;
    n->no = fer_x86_label(&n->x);
    n->unknown = fer_x86_label(&n->x);
    fer_native_object(n, o);
    give(n, FER_QUICK_YES);
    fer_x86_bind(&n->x, n->no);
    give(n, FER_QUICK_NO);
    fer_x86_bind(&n->x, n->unknown);
    give(n, FER_QUICK_UNKNOWN);
    write_asides(n);
}

/* Gives back the registers, and returns with the answer in the carry flag. */
static void answer(fer_native_code *n, const fer_reg *kept, size_t count, bool yes)
{
    for (size_t i = count; i-- > 0;) fer_x86_pop(&n->x, kept[i]);
    fer_x86_set_carry(&n->x, !yes);
    fer_x86_return(&n->x);
}

static void write_function(fer_native_code *n, const fer_quick *code)
{
    static const fer_reg kept[] = {R12, R13, R14, R15, RBX}; /* an odd number: calls are aligned */
    fer_x86 *x = &n->x;
    n->kind = kind_of(code);
    bool full = n->kind == FER_FUNCTION_FULL;
    size_t count = full ? FER_COUNT(kept) : 3;
    fer_label no = fer_x86_label(x);
    n->value = (fer_at){full ? RBX : R12, 0};
    n->key = R12;
    n->end = R13;
    n->seen = R14;
    n->no = no;
    n->give_up = fer_x86_label(x);
    for (size_t i = 0; i < count; i++) fer_x86_push(x, kept[i]);
    fer_x86_move(x, n->value.base, RSI);
    fer_native_value(n, code, n->value);
    answer(n, kept, count, true);
    fer_x86_bind(x, n->give_up);
    fer_x86_set(x, RAX, UINT64_MAX);
    fer_x86_store64(x, RAX, RBP, offsetof(struct fer_run, left));
    fer_x86_bind(x, no);
    answer(n, kept, count, false);
    write_asides(n);
}

/* ---- the way in --------------------------------------------------------------------------------
 */

/* bool value(struct fer_run *r, const yyjson_val *v) */
static void write_entry(fer_native_code *n, const fer_quick *code)
{
    fer_x86 *x = &n->x;
    fer_label no = fer_x86_label(x);
    fer_x86_entry(x);
    fer_x86_push(x, RBP);
    fer_x86_move(x, RBP, RDI);
    fer_native_call(n, code, no);
    fer_x86_set(x, RAX, 1);
    fer_x86_pop(x, RBP);
    fer_x86_return(x);
    fer_x86_bind(x, no);
    fer_x86_set(x, RAX, 0);
    fer_x86_pop(x, RBP);
    fer_x86_return(x);
}

/* The object of leaves that is all a code asks of objects; NULL: it is something else. */
static const fer_object *only_leaves(const fer_quick *code)
{
    fer_looks l;
    fer_native_looks(code, YYJSON_TYPE_OBJ, &l);
    if (l.no || l.whole || l.count != 1) return NULL;
    bool object = l.rows[0]->op == FER_Q_OBJECT || l.rows[0]->op == FER_Q_FLAT;
    return object && l.rows[0]->object->leaves ? l.rows[0]->object : NULL;
}

/*
 * unsigned object(const yyjson_val *v), before the function of its leaves: other values, and
 * objects with more members than there may be steps, are for the other way in.
 */
static void write_object_entry(fer_native_code *n, fer_label entry, size_t steps)
{
    fer_x86 *x = &n->x;
    fer_label other = fer_x86_label(x);
    fer_x86_bind(x, other);
    give(n, FER_QUICK_UNKNOWN);
    fer_x86_bind(x, entry);
    fer_x86_entry(x);
    fer_x86_load8(x, RAX, RDI, 0);
    fer_x86_and32(x, RAX, YYJSON_TYPE_MASK);
    fer_x86_compare32(x, RAX, YYJSON_TYPE_OBJ);
    fer_x86_jump_if(x, IF_NOT_EQUAL, other);
    if (steps > UINT32_MAX) return;
    fer_x86_compare_at(x, 4, RDI, 1, (uint32_t)steps);
    fer_x86_jump_if(x, IF_ABOVE, other);
}

/* All functions; where the one about objects of leaves is, is told. False: it cannot be done. */
static bool write_all(fer_native_code *n, const struct fer_schema *s, size_t *object)
{
    const fer_quick *code = s->root->code;
    const fer_object *leaves = only_leaves(code);
    fer_label entry = fer_x86_label(&n->x);
    if (leaves) fer_native_leaves(n, leaves); /* the first function */
    write_entry(n, code);
    if (leaves) write_object_entry(n, entry, s->steps);
    for (const struct fer_function *f = n->first; f && !n->x.failed; f = f->next) {
        fer_x86_bind(&n->x, f->label);
        if (f->leaves) write_leaves(n, f->what);
        else write_function(n, f->what);
    }
    if (!fer_x86_finish(&n->x)) return false;
    *object = leaves ? n->x.labels[entry] : SIZE_MAX;
    return true;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* A function at an address. */
union entry {
    void *at;
    unsigned (*object)(const yyjson_val *object);
    bool (*value)(struct fer_run *r, const yyjson_val *value);
};

static void settle(struct fer_native *out, const fer_x86 *x, size_t object)
{
    uint8_t *pages = fer_sys_pages(x->len);
    if (!pages) return;
    memcpy(pages, x->code, x->len);
    if (fer_sys_pages_execute(pages, x->len) != 0) {
        fer_sys_pages_free(pages, x->len);
        return;
    }
    out->pages = pages;
    out->size = x->len;
    out->value = (union entry){.at = pages}.value;
    if (object != SIZE_MAX) out->object = (union entry){.at = pages + object}.object;
}

/* Which objects have leaves only is asked often: it is found out once. */
static void find_leaves(const struct fer_lowering *l)
{
    for (size_t i = 0; i < l->object_count; i++) {
        union {
            const fer_object *from;
            fer_object *to;
        } unconst = {l->objects[i]->object};
        unconst.to->leaves = fer_native_is_leaves(unconst.from);
    }
}

void fer_native_make(struct fer_schema *s, const struct fer_lowering *l, fer_arena *scratch)
{
#if defined(__x86_64__) && defined(__LP64__)
    fer_native_code n = {.arena = scratch};
    size_t object;
    if (!s->quick) return;
    find_leaves(l);
    n.last = &n.first;
    fer_map_init(&n.functions, scratch);
    fer_x86_init(&n.x, scratch, CODE_MAX);
    if (write_all(&n, s, &object)) settle(&s->native, &n.x, object);
#else
    (void)s;
    (void)l;
    (void)scratch;
#endif
}

void fer_native_free(struct fer_native *n)
{
    if (n->pages) fer_sys_pages_free(n->pages, n->size);
}
