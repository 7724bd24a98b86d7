/* SPDX-License-Identifier: Apache-2.0 */
#include "apply.h"

#include "arena.h"
#include "definition.h"
#include "errors.h"
#include "finder.h"
#include "tool_doc.h"

static fer_code no_memory(const struct fer_applying *p)
{
    return fer_fail(p->err, FER_OUT_OF_MEMORY, "out of memory");
}

static fer_entry *entry_in(const fer_table *t, fer_str id)
{
    return (fer_entry *)(void *)fer_table_get(t, id);
}

/* Puts an entry, of which the caller keeps his count. */
static fer_code put_in(const struct fer_applying *p, fer_table *t, fer_entry *e)
{
    fer_value_ref(&e->value);
    if (fer_table_put(t, &e->value)) return FER_OK;
    fer_value_unref(&e->value);
    return no_memory(p);
}

static fer_code remove_from(const struct fer_applying *p, fer_table *t, fer_str id)
{
    return fer_table_remove(t, id) ? FER_OK : no_memory(p);
}

/* A definition is served no more. The index keeps it until nobody is given the old view. */
static fer_code retire(struct fer_applying *p, const fer_entry *old)
{
    if (old->number == FER_NO_NUMBER) return FER_OK;
    uint32_t *list =
        fer_arena_room(p->batch->arena, p->gone, p->gone_count, &p->gone_cap, sizeof *list);
    if (!list) return fer_arena_failed(p->batch->arena, p->err);
    p->gone = list;
    list[p->gone_count++] = old->number;
    return fer_view_unindex(p->next, old) ? FER_OK : no_memory(p);
}

/* A definition is served, in place of an older one where there is one. */
static fer_code serve(struct fer_applying *p, fer_entry *e)
{
    const fer_entry *old = entry_in(&p->next->tools, e->value.key);
    fer_code code = old ? retire(p, old) : FER_OK;
    if (!code) code = fer_view_index(p->next, p->scratch, e, p->err);
    return code ? code : put_in(p, &p->next->tools, e);
}

static fer_code unknown(const struct fer_applying *p, fer_str id)
{
    return fer_fail(p->err, FER_TOOL_NOT_FOUND, "no tool \"%.*s\" is in the catalogue",
                    FER_PRI(id));
}

/* Examples that were written for another schema and do not fit this one are not shown. */
static fer_code refit_doc(struct fer_applying *p, const fer_body *b)
{
    fer_str json, fitted;
    bool changed = false;
    fer_doc *doc = (fer_doc *)(void *)fer_table_get(&p->next->docs, fer_body_text(b, FER_TEXT_ID));
    if (!doc) return FER_OK;
    fer_code code = fer_doc_json(doc, &json, p->err);
    if (!code)
        code = fer_tool_doc_fit(p->scratch, json, fer_body_text(b, FER_TEXT_DEFINITION), false,
                                &fitted, &changed, p->err);
    if (code || !changed) return code;
    doc = fer_doc_new(doc->value.key, fitted);
    if (!doc) return no_memory(p);
    if (fer_table_put(&p->next->docs, &doc->value)) return FER_OK;
    fer_value_unref(&doc->value);
    return no_memory(p);
}

/* A tool is served that was not. */
static fer_code serve_new(struct fer_applying *p, fer_entry *e)
{
    if (fer_view_count(p->next) == FER_CATALOG_MAX)
        return fer_fail(p->err, FER_LIMIT_EXCEEDED,
                        "catalog.tools: a catalogue has at most %d tools", FER_CATALOG_MAX);
    fer_code code = serve(p, e);
    if (!code && !fer_view_count_space(p->next, fer_body_text(e->body, FER_TEXT_NAMESPACE), 1))
        code = no_memory(p);
    p->next->own += !code && fer_body_is_own(e->body);
    return code ? code : refit_doc(p, e->body);
}

/* ---- updates ---- */

/* The new definition with the backends of both: where a tool runs is not forgotten. */
static fer_code merge_backends(struct fer_applying *p, const fer_body *old, fer_entry *e,
                               fer_entry **out, bool *more)
{
    fer_backend *have, *add, *all;
    size_t n = 0, m = 0, count;
    fer_code code = fer_body_backends(p->scratch, old, &have, &n, p->err);
    if (!code) code = fer_body_backends(p->scratch, e->body, &add, &m, p->err);
    if (code) return code;
    all = fer_arena_alloc_zero(p->scratch, n + m + 1, sizeof *all);
    if (!all) return fer_arena_failed(p->scratch, p->err);
    for (count = 0; count < n; count++) all[count] = have[count];
    for (size_t i = 0; i < m; i++) {
        size_t k = 0;
        while (k < count && !fer_backend_same(&all[k], &add[i])) k++;
        if (k == count) all[count++] = add[i];
    }
    *more = count > n;
    return fer_entry_with_backends(p->scratch, e->body, all, count, out, p->err);
}

static fer_verdict verdict_of(const fer_tool_diff *d)
{
    fer_impact worst = d->callers > d->readers ? d->callers : d->readers;
    return worst == FER_IMPACT_BREAKING  ? FER_VERDICT_BREAKING
           : worst == FER_IMPACT_UNKNOWN ? FER_VERDICT_UNKNOWN
                                         : FER_VERDICT_COMPATIBLE;
}

static fer_code judge(struct fer_applying *p, const fer_body *old, const fer_body *now,
                      fer_verdict *out)
{
    fer_tool *was, *is;
    fer_tool_diff diff;
    fer_diff_options options = {0};
    fer_code code =
        fer_definition_read(p->scratch, fer_body_text(old, FER_TEXT_DEFINITION), &was, p->err);
    if (!code)
        code =
            fer_definition_read(p->scratch, fer_body_text(now, FER_TEXT_DEFINITION), &is, p->err);
    if (!code) code = fer_tool_compare(p->scratch, was, is, &options, &diff, p->err);
    if (!code) *out = verdict_of(&diff);
    return code;
}

/* ---- what a tool was ---- */

/* What is remembered under an ID; tools that are for one owner alone have nothing of it. */
static fer_code past_of(const struct fer_applying *p, fer_str id, const fer_body **out)
{
    fer_entry *e = fer_id_is_own(id) ? NULL : entry_in(&p->next->past, id);
    *out = NULL;
    return e ? fer_entry_body(e, out, p->err) : FER_OK;
}

/* An entry of its own: the one that is served has its number in the index. */
static fer_code copy_entry(struct fer_applying *p, const fer_body *b, fer_entry **out)
{
    fer_backend *list;
    size_t count;
    fer_code code = fer_body_backends(p->scratch, b, &list, &count, p->err);
    return code ? code : fer_entry_with_backends(p->scratch, b, list, count, out, p->err);
}

static bool is_memory_full(const struct fer_applying *p)
{
    return fer_table_count(&p->next->past) >= FER_PAST_MAX;
}

static fer_code remember(struct fer_applying *p, fer_entry *e)
{
    if (!entry_in(&p->next->past, e->value.key) && is_memory_full(p)) return FER_OK;
    return put_in(p, &p->next->past, e);
}

/* Where changes are held back, a tool that is gone leaves what it was: it is held against that if
 * it comes again. */
static fer_code remember_gone(struct fer_applying *p, fer_entry *there)
{
    const fer_body *b;
    fer_entry *copy = NULL;
    fer_str id = there->value.key;
    bool held = entry_in(&p->next->pending, id) != NULL;
    if (fer_id_is_own(id) || (p->quarantine == FER_QUARANTINE_NONE && !held))
        return remove_from(p, &p->next->past, id);
    fer_code code = fer_entry_body(there, &b, p->err);
    if (!code) code = copy_entry(p, b, &copy);
    if (code) return code;
    assert(copy);
    code = remember(p, copy);
    fer_value_unref(&copy->value);
    return code;
}

static bool is_held_back(const struct fer_applying *c, fer_verdict verdict)
{
    return c->quarantine == FER_QUARANTINE_CHANGED ||
           (c->quarantine == FER_QUARANTINE_BREAKING && verdict >= FER_VERDICT_UNKNOWN);
}

static bool same_definition(const fer_body *x, const fer_body *y)
{
    return fer_str_eq(fer_body_text(x, FER_TEXT_DEFINITION), fer_body_text(y, FER_TEXT_DEFINITION));
}

static fer_code hold_back(struct fer_applying *p, fer_entry *e)
{
    const fer_body *held;
    fer_entry *before = entry_in(&p->next->pending, e->value.key);
    fer_code code = before ? fer_entry_body(before, &held, p->err) : FER_OK;
    if (code) return code;
    bool again = before && same_definition(held, e->body);
    p->outcome->kind = again ? FER_EVENT_UNCHANGED : FER_EVENT_QUARANTINED;
    return again ? FER_OK : put_in(p, &p->next->pending, e);
}

/* The served definition once more: what was held back under its ID is of no use any longer. */
static fer_code put_same(struct fer_applying *p, fer_entry *e, bool more)
{
    bool held = entry_in(&p->next->pending, e->value.key) != NULL;
    p->outcome->kind = more ? FER_EVENT_UPDATED : held ? FER_EVENT_REJECTED : FER_EVENT_UNCHANGED;
    fer_code code = more ? serve(p, e) : FER_OK;
    return !code && held ? remove_from(p, &p->next->pending, e->value.key) : code;
}

/* Whether it waits for somebody to decide: the very definition that does already, and any other one
 * of that tool where nothing is held back by itself, or one more change would serve it. */
static bool is_waiting(const struct fer_applying *p, const fer_entry *e)
{
    const fer_body *held;
    fer_entry *before = entry_in(&p->next->pending, e->value.key);
    if (!before) return false;
    return p->quarantine == FER_QUARANTINE_NONE ||
           (!fer_entry_body(before, &held, NULL) && same_definition(held, e->body));
}

static fer_code put_changed(struct fer_applying *p, const fer_body *old, fer_entry *e)
{
    const fer_body *rejected;
    fer_code code = past_of(p, e->value.key, &rejected);
    if (code) return code;
    if (rejected && same_definition(rejected, e->body)) {
        p->outcome->kind = FER_EVENT_UNCHANGED; /* somebody has decided that already */
        return FER_OK;
    }
    code = judge(p, old, e->body, &p->outcome->verdict);
    if (code) return code;
    if (is_held_back(p, p->outcome->verdict) || is_waiting(p, e)) return hold_back(p, e);
    p->outcome->kind = FER_EVENT_UPDATED;
    code = serve(p, e);
    if (!code) code = remove_from(p, &p->next->pending, e->value.key);
    if (!code) code = remove_from(p, &p->next->past, e->value.key);
    return code ? code : refit_doc(p, e->body);
}

/* Whether the batch has put this tool before, changed or not. */
static fer_code look_for_first(struct fer_applying *p, const fer_entry *there, bool *twice)
{
    *twice = true;
    if (there != entry_in(&p->before->tools, there->value.key)) return FER_OK;
    void **place = fer_map_put(&p->met, there->value.key);
    if (!place) return fer_arena_failed(p->batch->arena, p->err);
    *twice = *place != NULL;
    *place = p;
    return FER_OK;
}

/* Of two definitions with one ID the first counts; a lenient catalogue goes on without the other.
 */
static fer_code shadow(struct fer_applying *p, fer_str id)
{
    fer_batch *b = p->batch;
    size_t number = (size_t)(p->outcome - b->outcomes) + 1;
    fer_code code = fer_fail(p->err, FER_INVALID_TOOL,
                             "\"%.*s\" is given twice, with different definitions", FER_PRI(id));
    if (!p->lenient) return code;
    p->outcome->kind = FER_EVENT_SHADOWED;
    return fer_batch_note(b, number, code, id, fer_str_of(p->why.message))
               ? FER_OK
               : fer_arena_failed(b->arena, p->err);
}

/* The first definition that is for one owner alone is another than all are shown: a server that
 * changes a tool for one of them passes no other way than one that changes it for all. */
static fer_code judge_first(struct fer_applying *p, const fer_entry *e, bool *hold)
{
    char id[FER_OWN_ID];
    const fer_body *old;
    fer_buf b;
    fer_buf_init_fixed(&b, id, sizeof id);
    fer_body_public_id(&b, e->body);
    fer_entry *shown = b.failure ? NULL : entry_in(&p->next->tools, fer_buf_view(&b));
    if (!shown) return FER_OK;
    fer_code code = fer_entry_body(shown, &old, p->err);
    if (!code) code = judge(p, old, e->body, &p->outcome->verdict);
    *hold = !code && is_held_back(p, p->outcome->verdict);
    return code;
}

/* A tool that was gone comes as another one, which has to wait: it is served as it was. */
static fer_code put_as_it_was(struct fer_applying *p, const fer_body *was, fer_entry *e)
{
    fer_entry *copy = NULL;
    fer_code code = copy_entry(p, was, &copy);
    if (code) return code;
    assert(copy);
    code = serve_new(p, copy);
    fer_value_unref(&copy->value);
    if (!code) code = hold_back(p, e);
    if (!code && p->outcome->kind == FER_EVENT_UNCHANGED) p->outcome->kind = FER_EVENT_REGISTERED;
    return code ? code : remove_from(p, &p->next->past, e->value.key);
}

static fer_code put_again(struct fer_applying *p, const fer_body *was, fer_entry *e)
{
    bool same = same_definition(was, e->body), judged = p->quarantine != FER_QUARANTINE_NONE;
    fer_code code = same || !judged ? FER_OK : judge(p, was, e->body, &p->outcome->verdict);
    if (code) return code;
    if (!same && ((judged && is_held_back(p, p->outcome->verdict)) || is_waiting(p, e)))
        return put_as_it_was(p, was, e);
    p->outcome->kind = FER_EVENT_REGISTERED;
    code = serve_new(p, e);
    if (!code) code = remove_from(p, &p->next->past, e->value.key);
    return code ? code : remove_from(p, &p->next->pending, e->value.key);
}

static fer_code put_new(struct fer_applying *p, fer_entry *e)
{
    const fer_body *was;
    fer_code code = past_of(p, e->value.key, &was);
    if (code || was) return code ? code : put_again(p, was, e);
    /* Past the limit nobody knows whether it is new: a server that fills the memory gains nothing.
     */
    bool lost = p->quarantine != FER_QUARANTINE_NONE && is_memory_full(p);
    bool hold = is_waiting(p, e) || (lost && !fer_body_is_own(e->body));
    p->outcome->kind = FER_EVENT_REGISTERED;
    code = !hold && fer_body_is_own(e->body) && p->quarantine != FER_QUARANTINE_NONE
               ? judge_first(p, e, &hold)
               : FER_OK;
    if (code || hold) return code ? code : hold_back(p, e);
    code = serve_new(p, e);
    return code ? code : remove_from(p, &p->next->pending, e->value.key);
}

static fer_code update(struct fer_applying *p, fer_entry *there, fer_entry *given)
{
    const fer_body *old;
    fer_entry *e = NULL;
    bool more = false, twice = false;
    fer_code code = fer_entry_body(there, &old, p->err);
    if (!code) code = look_for_first(p, there, &twice);
    if (code) return code;
    bool same = same_definition(old, given->body);
    if (!same && twice) return shadow(p, there->value.key);
    code = merge_backends(p, old, given, &e, &more);
    if (code) return code;
    assert(e);
    code = same ? put_same(p, e, more) : put_changed(p, old, e);
    fer_value_unref(&e->value);
    return code;
}

static fer_code apply_put(struct fer_applying *p, const struct fer_op *op)
{
    fer_entry *there = entry_in(&p->next->tools, op->id);
    return there ? update(p, there, op->entry) : put_new(p, op->entry);
}

/* ---- the others ---- */

/* What is held back of a tool stays so: one that goes and comes again is no new one. A definition
 * of one owner's own that comes again is held against what all are shown, and needs no memory. */
static fer_code forget_held(struct fer_applying *p, fer_str id)
{
    return fer_id_is_own(id) ? remove_from(p, &p->next->pending, id) : FER_OK;
}

static fer_code remove_tool(struct fer_applying *p, fer_str id)
{
    fer_id parts;
    p->outcome->kind = FER_EVENT_REMOVED;
    fer_code code = fer_id_parse(id, &parts, p->err);
    if (!code) code = remember_gone(p, entry_in(&p->next->tools, id));
    if (!code) code = retire(p, entry_in(&p->next->tools, id));
    if (!code) code = remove_from(p, &p->next->tools, id);
    if (!code) code = forget_held(p, id);
    if (!code) code = remove_from(p, &p->next->docs, id);
    if (!code && !fer_view_count_space(p->next, parts.ns, -1)) code = no_memory(p);
    p->next->own -= !code && fer_id_is_own(id);
    return code;
}

static fer_code apply_remove(struct fer_applying *p, const struct fer_op *op)
{
    if (entry_in(&p->next->tools, op->id)) return remove_tool(p, op->id);
    bool own = fer_id_is_own(op->id) && entry_in(&p->next->pending, op->id);
    if (!own && !fer_table_get(&p->next->docs, op->id)) return unknown(p, op->id);
    p->outcome->kind = FER_EVENT_REMOVED;
    fer_code code = forget_held(p, op->id);
    return code ? code : remove_from(p, &p->next->docs, op->id);
}

static fer_code apply_remove_backend(struct fer_applying *p, const struct fer_op *op)
{
    const fer_body *body;
    fer_backend *list;
    size_t count, kept = 0;
    fer_entry *there = entry_in(&p->next->tools, op->id), *e = NULL;
    if (!there) return unknown(p, op->id);
    fer_code code = fer_entry_body(there, &body, p->err);
    if (!code) code = fer_body_backends(p->scratch, body, &list, &count, p->err);
    if (code) return code;
    for (size_t i = 0; i < count; i++) {
        if (!fer_backend_same(&list[i], &op->backend)) list[kept++] = list[i];
    }
    if (kept == count)
        return fer_fail(p->err, FER_TOOL_NOT_FOUND, "\"%.*s\" has no such backend",
                        FER_PRI(op->id));
    if (!kept) return remove_tool(p, op->id);
    p->outcome->kind = FER_EVENT_BACKEND_REMOVED;
    code = fer_entry_with_backends(p->scratch, body, list, kept, &e, p->err);
    if (code) return code;
    assert(e);
    code = serve(p, e);
    fer_value_unref(&e->value);
    return code;
}

static fer_code apply_document(struct fer_applying *p, const struct fer_op *op)
{
    const fer_body *body;
    fer_str json, fitted;
    bool changed = false;
    fer_entry *e = entry_in(&p->next->tools, op->id);
    fer_code code = fer_doc_json(op->doc, &json, p->err);
    if (!code && e) code = fer_entry_body(e, &body, p->err);
    if (!code && e)
        code = fer_tool_doc_fit(p->scratch, json, fer_body_text(body, FER_TEXT_DEFINITION), true,
                                &fitted, &changed, p->err);
    if (code) return code;
    p->outcome->kind = FER_EVENT_DOCUMENTED;
    fer_value_ref(&op->doc->value);
    if (fer_table_put(&p->next->docs, &op->doc->value)) return FER_OK;
    fer_value_unref(&op->doc->value);
    return no_memory(p);
}

static fer_code not_held(const struct fer_applying *p, fer_str id)
{
    return fer_fail(p->err, FER_TOOL_NOT_FOUND, "no definition of \"%.*s\" is held back",
                    FER_PRI(id));
}

static fer_code apply_approve(struct fer_applying *p, const struct fer_op *op)
{
    const fer_body *body;
    fer_entry *e = entry_in(&p->next->pending, op->id);
    bool first = !entry_in(&p->next->tools, op->id);
    if (!e && !first) e = entry_in(&p->next->past, op->id); /* it was rejected */
    if (!e) return not_held(p, op->id);
    p->outcome->kind = FER_EVENT_APPROVED;
    fer_code code = fer_entry_body(e, &body, p->err);
    if (!code) code = first ? serve_new(p, e) : serve(p, e);
    if (!code && !first) code = refit_doc(p, body);
    if (!code) code = remove_from(p, &p->next->past, op->id);
    return code ? code : remove_from(p, &p->next->pending, op->id);
}

static fer_code apply_reject(struct fer_applying *p, const struct fer_op *op)
{
    fer_entry *e = entry_in(&p->next->pending, op->id);
    bool keeps = !fer_id_is_own(op->id) && entry_in(&p->next->tools, op->id);
    if (!e) return not_held(p, op->id);
    p->outcome->kind = FER_EVENT_REJECTED;
    fer_code code = keeps ? remember(p, e) : FER_OK;
    return code ? code : remove_from(p, &p->next->pending, op->id);
}

/* What is broken was told when it was added. */
static fer_code apply_broken(struct fer_applying *p, const struct fer_op *op)
{
    (void)op;
    p->outcome->kind = FER_EVENT_UNCHANGED;
    return FER_OK;
}

static fer_code (*const appliers[])(struct fer_applying *p, const struct fer_op *op) = {
    [FER_OP_PUT] = apply_put,
    [FER_OP_REMOVE] = apply_remove,
    [FER_OP_REMOVE_BACKEND] = apply_remove_backend,
    [FER_OP_DOCUMENT] = apply_document,
    [FER_OP_APPROVE] = apply_approve,
    [FER_OP_REJECT] = apply_reject,
    [FER_OP_BROKEN] = apply_broken,
};

/* ---- all of them ---- */

fer_code fer_apply_all(struct fer_applying *p, fer_err *err)
{
    fer_batch *b = p->batch;
    fer_map_init(&p->met, b->arena);
    for (size_t i = 0; i < b->count; i++) {
        p->why = (fer_err){0};
        p->err = &p->why;
        p->outcome = &b->outcomes[i];
        *p->outcome = (fer_event){.id = b->ops[i].id, .version = p->next->version};
        fer_arena_reset(p->scratch);
        fer_code code = appliers[b->ops[i].kind](p, &b->ops[i]);
        if (code == FER_OUT_OF_MEMORY) {
            if (err) *err = p->why;
            return code;
        }
        if (!code) continue;
        b->hard++;
        if (!fer_batch_note(b, i + 1, code, b->ops[i].id, fer_str_of(p->why.message)))
            return fer_arena_failed(b->arena, err);
    }
    return FER_OK;
}
