/* SPDX-License-Identifier: Apache-2.0 */
#include "vm.h"

#include "errors.h"
#include "json_hash.h"
#include "memo.h"
#include "quick.h"

#define BLOCK_FRAMES 64
#define SAME_BEFORE  32 /* frames on one value before anybody looks for a circle */
#define NO_SCOPE     UINT32_MAX

struct fer_frame_block {
    struct fer_frame_block *before, *after;
    fer_frame frames[BLOCK_FRAMES];
};

/* ---- dynamic scope --------------------------------------------------------------------- */

static bool scope_add(fer_vm *vm, uint32_t outer, uint32_t home, uint32_t *out)
{
    fer_scope *scopes =
        fer_arena_room(vm->arena, vm->scopes, vm->scope_count, &vm->scope_cap, sizeof *scopes);
    if (!scopes) {
        fer_vm_no_memory(vm);
        return false;
    }
    vm->scopes = scopes;
    *out = (uint32_t)vm->scope_count++;
    scopes[*out] = (fer_scope){outer, home, NO_SCOPE, NO_SCOPE};
    if (outer != NO_SCOPE) {
        scopes[*out].next = scopes[outer].first;
        scopes[outer].first = *out;
    }
    return true;
}

/*
 * The scope after entering a resource. A resource that is in it already changes nothing,
 * because the outermost counts; so there are no more scopes than ways through resources.
 */
static bool scope_enter(fer_vm *vm, uint32_t scope, uint32_t home, uint32_t *out)
{
    *out = scope;
    size_t seen = 0;
    for (uint32_t s = scope; s != NO_SCOPE; s = vm->scopes[s].outer, seen++) {
        if (vm->scopes[s].home == home) return fer_vm_spend(vm, seen);
    }
    for (uint32_t s = vm->scopes[scope].first; s != NO_SCOPE; s = vm->scopes[s].next, seen++) {
        if (vm->scopes[s].home != home) continue;
        *out = s;
        return fer_vm_spend(vm, seen);
    }
    return fer_vm_spend(vm, seen) && scope_add(vm, scope, home, out);
}

fer_step fer_vm_scope_find(fer_vm *vm, const fer_frame *f,
                           const fer_node *(*found)(const fer_home *home, fer_str name),
                           fer_str name, const fer_node **out)
{
    size_t seen = 0;
    *out = NULL;
    for (uint32_t s = f->scope; s != NO_SCOPE; s = vm->scopes[s].outer) {
        const fer_home *home = vm->program->homes[vm->scopes[s].home];
        const fer_node *n = found(home, name);
        if (n) *out = n;
        seen += 1 + home->dynamic_count;
    }
    return fer_vm_spend(vm, seen) ? FER_STEP_PASS : FER_STEP_ERROR;
}

/* ---- memory of its own ------------------------------------------------------------------------
 */

static fer_arena *open_arena(fer_vm *vm, fer_arena **a)
{
    if (!*a) *a = fer_arena_new(0);
    if (!*a) vm->code = fer_fail(vm->err, FER_OUT_OF_MEMORY, "There is no more memory.");
    return *a;
}

fer_arena *fer_vm_brief(fer_vm *vm)
{
    if (vm->brief) fer_arena_reset(vm->brief);
    return open_arena(vm, &vm->brief);
}

/* ---- marks -------------------------------------------------------------------------------- */

static fer_marks *marks_of(fer_vm *vm, fer_frame *f)
{
    if (f->marks) return f->marks;
    size_t words = fer_val_len(f->value) / 64 + 1;
    fer_marks *m = fer_arena_alloc_zero(vm->arena, 1, sizeof *m + words * sizeof m->words[0]);
    if (!m) {
        fer_vm_no_memory(vm);
        return NULL;
    }
    if (!fer_vm_spend(vm, words)) return NULL;
    m->count = words;
    f->marks = m;
    return m;
}

bool fer_vm_mark(fer_vm *vm, fer_frame *f, size_t index)
{
    if (!f->tracks) return true;
    fer_marks *m = marks_of(vm, f);
    if (!m) return false;
    m->words[index / 64] |= (uint64_t)1 << (index % 64);
    return true;
}

static bool marks_take(fer_vm *vm, fer_frame *f, fer_marks *from)
{
    if (!from) return true;
    if (!f->marks) {
        f->marks = from;
        /* Shared with an answer that is remembered, it may not be written to. */
        if (!vm->memo) return true;
        f->marks = NULL;
    }
    fer_marks *m = marks_of(vm, f);
    if (!m || !fer_vm_spend(vm, m->count)) return false;
    for (size_t i = 0; i < m->count; i++) m->words[i] |= from->words[i];
    return true;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* One by one in small objects; large ones get a table each. */
#define FEW_KEYS 32

static const fer_map *keys_of(fer_vm *vm, const yyjson_val *object)
{
    if (vm->keys_of == object) return vm->keys;
    if (!vm->own && !open_arena(vm, &vm->own)) return NULL;
    if (!vm->tables.arena) fer_map_init(&vm->tables, vm->own);
    fer_map *keys = fer_map_get(&vm->tables, (fer_str){(const char *)&object, sizeof object});
    if (!keys) {
        if (!fer_vm_spend(vm, fer_val_len(object) * 4)) return NULL;
        fer_str name = fer_arena_copy(vm->own, (fer_str){(const char *)&object, sizeof object});
        void **place = name.ptr ? fer_map_put(&vm->tables, name) : NULL;
        keys = fer_arena_alloc(vm->own, sizeof *keys);
        if (keys) fer_map_init(keys, vm->own);
        bool full = place && keys && fer_json_keys(keys, object);
        if (!full) {
            vm->code = fer_arena_failed(vm->own, vm->err);
            return NULL;
        }
        *place = keys;
    }
    vm->keys = keys;
    vm->keys_of = object;
    return keys;
}

fer_step fer_vm_key(fer_vm *vm, const yyjson_val *object, fer_str name, const yyjson_val **out)
{
    size_t count = fer_val_len(object);
    if (count <= FEW_KEYS) {
        if (!fer_vm_spend(vm, 1 + count / 8)) return FER_STEP_ERROR;
        *out = fer_val_key(object, name);
        return FER_STEP_PASS;
    }
    const fer_map *keys = keys_of(vm, object);
    if (!keys || !fer_vm_spend(vm, 2)) return FER_STEP_ERROR;
    *out = fer_map_get(keys, name);
    return FER_STEP_PASS;
}

/* ---- frames --------------------------------------------------------------------------------- */

static fer_frame *frame_push(fer_vm *vm)
{
    struct fer_frame_block *b = vm->block;
    size_t at = vm->depth % BLOCK_FRAMES;
    if (vm->depth == FER_VM_FRAMES) {
        vm->code = FER_VALIDATION_BUDGET_EXCEEDED;
        return NULL;
    }
    if (!at && !(b && !vm->depth)) {
        struct fer_frame_block *next = b ? b->after : NULL;
        if (!next) {
            next = fer_arena_alloc(vm->arena, sizeof *next);
            if (!next) {
                fer_vm_no_memory(vm);
                return NULL;
            }
            next->before = b;
            next->after = NULL;
            if (b) b->after = next;
        }
        vm->block = next;
    }
    vm->depth++;
    return &vm->block->frames[at];
}

static void frame_pop(fer_vm *vm)
{
    vm->top = vm->top->below;
    vm->depth--;
    if (vm->depth % BLOCK_FRAMES == 0 && vm->block->before) vm->block = vm->block->before;
}

/*
 * Whether a frame asks what a frame below on the same value is asking already. Only
 * looked for at depths that double: a circle stays a circle, and is found a little later.
 * That is a failure, but not in a trace: it goes where the verdict did not have to, and what
 * cannot be told is left out.
 */
static bool circles(fer_vm *vm, const fer_frame *f)
{
    if (f->same < SAME_BEFORE || (f->same & (f->same - 1))) return false;
    const fer_frame *b = f->below;
    for (uint32_t i = 0; i < f->same && b; i++, b = b->below) {
        if (b->node != f->node || b->scope != f->scope) continue;
        if (vm->trace) return true;
        vm->code =
            fer_fail(vm->err, FER_INVALID_SCHEMA,
                     "The schema refers to itself without end: a subschema of \"%.*s\" asks itself "
                     "about the same value.",
                     FER_PRI(fer_node_resource(vm->program, f->node)->uri));
        return true;
    }
    return false;
}

/* A unit of vm->call below another, whose instruction number `by` asks; NULL: too many. */
static bool open_below(fer_vm *vm, fer_unit *up, size_t by, fer_unit **out)
{
    const struct fer_call *call = &vm->call;
    if (!fer_trace_open(vm->trace, up, out)) {
        fer_vm_no_memory(vm);
        return false;
    }
    fer_unit *u = *out;
    if (!u) return true;
    u->node = call->node;
    u->value = call->value;
    u->key = call->key;
    u->branch = call->branch;
    u->keyword = (uint8_t)call->keyword;
    u->plain = call->plain;
    u->dropped = call->drop;
    u->by = (uint8_t)by;
    return true;
}

/* Of the instruction that a frame is at. */
static size_t number_of(const fer_frame *f)
{
    return (size_t)(f->at - f->node->insts);
}

static bool open_unit(fer_vm *vm, const fer_frame *below, fer_unit **out)
{
    *out = NULL;
    if (!vm->trace) return true;
    if (!below) return open_below(vm, vm->over, vm->over_by, out);
    return open_below(vm, below->unit, number_of(below), out);
}

/* An answer that was given before. */
static fer_step recall(fer_vm *vm, fer_frame *f, const struct fer_answer *a)
{
    fer_unit *u;
    if (!open_unit(vm, f, &u)) return FER_STEP_ERROR;
    if (u) {
        u->valid = a->valid;
        u->same = a->unit && a->unit->same ? a->unit->same : a->unit;
        if (u->valid && !vm->trace->keep_valid) {
            fer_trace_drop(vm->trace, u);
        } else if (u->valid && u->same) {
            /* What is valid speaks for itself, wherever it was asked. */
            if (!fer_trace_copy(vm->trace, u->same, u)) return fer_vm_no_memory(vm);
            u->same = NULL;
        }
    }
    bool takes = a->valid && vm->call.in_place && !vm->call.drop && f->tracks;
    if (takes && !marks_take(vm, f, a->marks)) return FER_STEP_ERROR;
    return a->valid ? FER_STEP_PASS : FER_STEP_FAIL;
}

static bool remembers(const fer_vm *vm, const fer_node *node)
{
    return node->edges > 1 && vm->program->steps - vm->steps > FER_MEMO_AFTER;
}

/* The frame of vm->call on top, or the answer where it is known. */
static fer_step ask(fer_vm *vm)
{
    fer_frame *below = vm->top;
    const struct fer_call *call = &vm->call;
    uint32_t scope = below ? below->scope : 0;
    if (vm->program->scoped && below && call->node->resource != below->node->resource &&
        !scope_enter(vm, scope, call->node->resource, &scope)) {
        return FER_STEP_ERROR;
    }
    bool tracks = call->node->tracks || (below && below->tracks && call->in_place);
    if (below && remembers(vm, call->node)) {
        const struct fer_answer *a = fer_memo_get(vm, call->node, call->value, scope, tracks);
        if (a) return recall(vm, below, a);
    }
    fer_frame *f = fer_vm_spend(vm, 1) ? frame_push(vm) : NULL;
    if (!f) return FER_STEP_ERROR;
    *f = (fer_frame){.below = below,
                     .node = call->node,
                     .value = call->value,
                     .at = call->node->insts,
                     .scope = scope,
                     .same = below && call->in_place ? below->same + 1 : 0,
                     .valid = call->node->verdict != FER_NEVER,
                     .tracks = tracks,
                     .gives = below && below->tracks && call->in_place && !call->drop};
    if (!open_unit(vm, below, &f->unit)) return FER_STEP_ERROR;
    if (circles(vm, f)) {
        if (vm->code) return FER_STEP_ERROR;
        f->at += f->node->count;
        f->valid = false;
    }
    if (below) below->busy = true;
    vm->top = f;
    return FER_STEP_CALL;
}

bool fer_vm_sifts(fer_vm *vm, const struct fer_quick *code, const yyjson_val *value)
{
    if (fer_quick_refuses(code, value)) return false;
    fer_quick_verdict verdict = fer_quick_leaf(code, value);
    if (verdict != FER_QUICK_UNKNOWN) return verdict == FER_QUICK_YES;
    verdict = fer_quick_run(vm->program, code, vm->arena, value);
    vm->sift = verdict != FER_QUICK_UNKNOWN;
    return verdict == FER_QUICK_YES;
}

/*
 * Whether the quick form says yes to what is to be traced: then there is nothing to tell about
 * it. Not where its marks count, and not any more once it had to give up.
 */
static bool is_plainly_valid(fer_vm *vm, const fer_frame *f)
{
    const struct fer_call *call = &vm->call;
    if (!vm->sift || (f->tracks && call->in_place)) return false;
    if (vm->doubted == call->value) {
        vm->doubted = NULL;
        return false;
    }
    size_t values = (size_t)(fer_val_next(call->value) - call->value);
    if (vm->steps < values) return false;
    vm->steps -= values;
    return fer_vm_sifts(vm, call->node->code, call->value);
}

/* The answer of a node that needs no frame. */
static fer_step leaf(fer_vm *vm, const fer_node *node, const yyjson_val *value)
{
    if (node->verdict != FER_ASK) {
        return node->verdict == FER_ALWAYS ? FER_STEP_PASS : FER_STEP_FAIL;
    }
    unsigned bit = FER_TYPE_BIT(fer_val_type(value));
    if (!fer_vm_spend(vm, node->count)) return FER_STEP_ERROR;
    for (uint32_t i = 0; i < node->count; i++) {
        const fer_inst *inst = &node->insts[i];
        if (!(inst->op->on & bit)) continue;
        fer_step s = inst->op->check(vm, inst, value);
        if (s != FER_STEP_PASS) return s;
    }
    return FER_STEP_PASS;
}

/* Whether a node needs no frame, not even to be traced. */
static bool is_simple(const fer_vm *vm, const fer_node *node)
{
    return (node->leaf || node->verdict != FER_ASK) && !vm->program->scoped &&
           vm->depth < FER_VM_FRAMES && !remembers(vm, node);
}

/* All assertions of vm->call. It needs a unit only where there is something to note. */
static fer_step trace_leaf(fer_vm *vm, fer_unit *up, size_t by)
{
    const fer_node *node = vm->call.node;
    const yyjson_val *value = vm->call.value;
    unsigned bit = FER_TYPE_BIT(fer_val_type(value));
    uint64_t failed = 0;
    fer_unit *u;
    if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
    for (uint32_t n = 0; n < node->count; n++) {
        const fer_inst *inst = &node->insts[n];
        if (!(inst->op->on & bit)) continue;
        fer_step s = fer_vm_spend(vm, 1) ? inst->op->check(vm, inst, value) : FER_STEP_ERROR;
        if (s == FER_STEP_ERROR) return s;
        failed |= (uint64_t)(s == FER_STEP_FAIL) << n;
    }
    bool valid = !failed && node->verdict != FER_NEVER;
    if (valid && !vm->trace->keep_valid) return FER_STEP_PASS;
    if (!open_below(vm, up, by, &u)) return FER_STEP_ERROR;
    if (u) u->failed = failed;
    if (u) u->valid = valid;
    return valid ? FER_STEP_PASS : FER_STEP_FAIL;
}

/* Lets an applicator ask until it has its verdict, or a frame has to be run first. */
static fer_step drive(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    for (;;) {
        fer_step s = i->op->next(vm, f, i);
        if (s != FER_STEP_CALL) return s;
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        const fer_node *node = vm->call.node;
        bool quick = !vm->trace && (node->leaf || node->verdict != FER_ASK);
        if (quick) s = leaf(vm, node, vm->call.value);
        else if (is_plainly_valid(vm, f)) s = FER_STEP_PASS;
        else if (vm->trace && is_simple(vm, node)) s = trace_leaf(vm, f->unit, number_of(f));
        else s = ask(vm);
        if (s == FER_STEP_CALL || s == FER_STEP_ERROR) return s;
        s = i->op->hear(vm, f, i, s == FER_STEP_PASS);
        if (s != FER_STEP_CALL) return s;
    }
}

static fer_step start(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
    if (i->op->check) return i->op->check(vm, i, f->value);
    f->cursor = NULL;
    f->index = 0;
    f->state = 0;
    f->hits = 0;
    f->unit_mark = f->unit ? f->unit->last : NULL;
    return drive(vm, f, i);
}

static fer_step resume(fer_vm *vm, fer_frame *f, const fer_inst *i)
{
    f->busy = false;
    fer_step s = i->op->hear(vm, f, i, vm->answer);
    return s == FER_STEP_CALL ? drive(vm, f, i) : s;
}

/* The verdict of one instruction is in. False: the frame's is, too. */
static bool settle(fer_vm *vm, fer_frame *f, fer_step s)
{
    const fer_inst *i = f->at++;
    if (s == FER_STEP_PASS) {
        if (f->unit && i->op->next) fer_trace_drop_failed(vm->trace, f->unit, f->unit_mark);
        return true;
    }
    f->valid = false;
    if (f->unit) f->unit->failed |= (uint64_t)1 << (i - f->node->insts);
    return vm->trace != NULL;
}

/* The top frame has its verdict: hands it down. */
static bool leave(fer_vm *vm)
{
    fer_frame *f = vm->top;
    vm->answer = f->valid;
    if (remembers(vm, f->node) && !fer_memo_put(vm, f)) {
        vm->code = fer_fail(vm->err, FER_OUT_OF_MEMORY, "There is no more memory.");
        return false;
    }
    if (f->unit) {
        f->unit->valid = f->valid;
        if (f->valid && !vm->trace->keep_valid && f->below) fer_trace_drop(vm->trace, f->unit);
    }
    if (f->gives && f->valid && !marks_take(vm, f->below, f->marks)) return false;
    frame_pop(vm);
    return true;
}

static fer_code run(fer_vm *vm)
{
    while (vm->top) {
        fer_frame *f = vm->top;
        const fer_inst *end = f->node->insts + f->node->count;
        fer_step s;
        if (f->busy) {
            s = resume(vm, f, f->at);
        } else if (f->at == end) {
            if (!leave(vm)) return vm->code;
            continue;
        } else if (!(f->at->op->on & FER_TYPE_BIT(fer_val_type(f->value)))) {
            f->at++;
            continue;
        } else {
            s = start(vm, f, f->at);
        }
        if (s == FER_STEP_ERROR) return vm->code;
        if (s != FER_STEP_CALL && !settle(vm, f, s)) f->at = end;
    }
    return FER_OK;
}

#define NESTING_MAX 64 /* calls inside each other; what is deeper gets frames */

/*
 * Runs all instructions of vm->call, a straight node, without a frame: those that apply others
 * ask by fer_vm_trace. What passes leaves no unit.
 */
static fer_step trace_straight(fer_vm *vm, fer_unit *up, size_t by)
{
    const fer_node *node = vm->call.node;
    const yyjson_val *value = vm->call.value;
    unsigned bit = FER_TYPE_BIT(fer_val_type(value));
    uint64_t failed = 0;
    fer_unit *u;
    if (!fer_vm_spend(vm, 1) || !open_below(vm, up, by, &u)) return FER_STEP_ERROR;
    for (uint32_t n = 0; n < node->count; n++) {
        const fer_inst *inst = &node->insts[n];
        if (!(inst->op->on & bit)) continue;
        if (!fer_vm_spend(vm, 1)) return FER_STEP_ERROR;
        fer_step s = inst->op->check ? inst->op->check(vm, inst, value)
                                     : inst->op->trace(vm, inst, value, u);
        if (s == FER_STEP_ERROR) return s;
        failed |= (uint64_t)(s == FER_STEP_FAIL) << n;
    }
    bool valid = !failed && node->verdict != FER_NEVER;
    if (u) {
        u->failed = failed;
        u->valid = valid;
        if (valid && up) fer_trace_drop(vm->trace, u);
    }
    return valid ? FER_STEP_PASS : FER_STEP_FAIL;
}

/* The same where frames are needed. */
static fer_step trace_framed(fer_vm *vm, fer_unit *up, size_t by)
{
    vm->over = up;
    vm->over_by = (uint8_t)by;
    if (ask(vm) == FER_STEP_ERROR) return FER_STEP_ERROR;
    fer_unit *u = vm->top->unit;
    if (run(vm)) return FER_STEP_ERROR;
    if (vm->answer && u) fer_trace_drop(vm->trace, u);
    return vm->answer ? FER_STEP_PASS : FER_STEP_FAIL;
}

fer_step fer_vm_trace(fer_vm *vm, const fer_inst *i, fer_unit *u)
{
    const fer_node *node = vm->call.node;
    size_t by = u ? (size_t)(i - u->node->insts) : 0;
    if (node->leaf) return trace_leaf(vm, u, by);
    if (!node->straight || vm->nesting == NESTING_MAX) return trace_framed(vm, u, by);
    vm->nesting++;
    fer_step s = trace_straight(vm, u, by);
    vm->nesting--;
    return s;
}

/* All of it without a frame for the root. */
static fer_code run_straight(fer_vm *vm)
{
    fer_step s = trace_straight(vm, NULL, 0);
    vm->answer = s == FER_STEP_PASS;
    return s == FER_STEP_ERROR ? vm->code : FER_OK;
}

static fer_code run_framed(fer_vm *vm)
{
    return ask(vm) == FER_STEP_ERROR ? vm->code : run(vm);
}

static fer_code run_all(fer_vm *vm, const yyjson_val *value, bool *valid)
{
    const fer_node *root = vm->program->root;
    vm->steps = vm->program->steps;
    vm->sift = vm->program->quick && vm->trace && !vm->trace->keep_valid;
    uint32_t scope;
    if (vm->program->scoped && !scope_add(vm, NO_SCOPE, root->resource, &scope)) return vm->code;
    vm->call = (struct fer_call){.node = root, .value = value};
    bool straight = vm->sift && !vm->program->scoped && root->straight;
    if (straight ? run_straight(vm) : run_framed(vm)) {
        if (vm->code != FER_VALIDATION_BUDGET_EXCEEDED) return vm->code;
        return fer_fail(vm->err, vm->code,
                        "Validating the value takes more than %zu steps (limit schema.steps).",
                        vm->program->steps);
    }
    *valid = vm->answer;
    return FER_OK;
}

void fer_vm_close(fer_vm *vm)
{
    if (vm->memo) fer_memo_free(vm);
    if (vm->brief) fer_arena_free(vm->brief);
    if (vm->own) fer_arena_free(vm->own);
}

fer_code fer_vm_run(fer_vm *vm, const yyjson_val *value, bool *valid)
{
    fer_code code = run_all(vm, value, valid);
    fer_vm_close(vm);
    return code;
}
