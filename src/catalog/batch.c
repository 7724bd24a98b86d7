/* SPDX-License-Identifier: Apache-2.0 */
#include "batch.h"

#include "arena.h"
#include "errors.h"
#include "fields.h"
#include "sys.h"
#include "tool.h"
#include "tool_doc.h"
#include "toolset.h"

fer_batch *fer_batch_new(void)
{
    fer_arena *arena = fer_arena_new(0), *scratch = fer_arena_new(0);
    fer_batch *b = arena && scratch ? fer_arena_alloc_zero(arena, 1, sizeof *b) : NULL;
    if (!b) {
        fer_arena_free(arena);
        fer_arena_free(scratch);
        return NULL;
    }
    b->arena = arena;
    b->scratch = scratch;
    return b;
}

/* Takes back the changes from the `keep`-th on. */
static void cut(fer_batch *b, size_t keep)
{
    while (b->count > keep) {
        struct fer_op *op = &b->ops[--b->count];
        if (op->entry) fer_value_unref(&op->entry->value);
        if (op->doc) fer_value_unref(&op->doc->value);
    }
}

void fer_batch_free(fer_batch *b)
{
    if (!b) return;
    cut(b, 0);
    fer_arena_free(b->scratch);
    fer_arena_free(b->arena);
}

/* ---- problems ---------------------------------------------------------------------------------
 */

static bool note_at(fer_batch *b, const fer_problem *p)
{
    b->problems_in_all++;
    if (b->problem_count == FER_PROBLEMS_MAX) return true;
    fer_problem *list =
        fer_arena_room(b->arena, b->problems, b->problem_count, &b->problem_cap, sizeof *list);
    if (!list) return false;
    b->problems = list;
    fer_problem *kept = &list[b->problem_count];
    *kept = *p;
    kept->id = fer_arena_copy(b->arena, p->id);
    kept->message = fer_arena_copy(b->arena, p->message);
    if (!kept->id.ptr || !kept->message.ptr) return false;
    b->problem_count++;
    return true;
}

bool fer_batch_note(fer_batch *b, size_t number, fer_code code, fer_str id, fer_str message)
{
    const struct fer_op *op = number && number <= b->count ? &b->ops[number - 1] : NULL;
    fer_problem p = {.number = number, .code = code, .id = id, .message = message};
    if (op) {
        p.source = op->source;
        p.place = op->place;
    }
    return note_at(b, &p);
}

const fer_problem *fer_batch_problems(const fer_batch *b, size_t *count)
{
    *count = b->problem_count;
    return b->problems;
}

size_t fer_batch_problem_count(const fer_batch *b)
{
    return b->problems_in_all;
}

const fer_event *fer_batch_outcomes(const fer_batch *b, size_t *count)
{
    *count = b->outcomes ? b->count : 0;
    return b->outcomes;
}

/* ---- changes -----------------------------------------------------------------------------------
 */

/* Adds a change; the batch takes its counts only where it worked. */
static fer_code add_op(fer_batch *b, const struct fer_op *op, fer_err *err)
{
    if (b->applied) return fer_fail(err, FER_BAD_USAGE, "a batch is applied once");
    if (b->count == FER_BATCH_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "catalog.batch: a batch has at most %d changes",
                        FER_BATCH_MAX);
    struct fer_op *ops = fer_arena_room(b->arena, b->ops, b->count, &b->cap, sizeof *ops);
    if (!ops) return fer_arena_failed(b->arena, err);
    b->ops = ops;
    ops[b->count++] = *op;
    return FER_OK;
}

static fer_code add_id_op(fer_batch *b, enum fer_op_kind kind, fer_str id,
                          const fer_backend *backend, fer_err *err)
{
    struct fer_op op = {.kind = kind, .id = fer_arena_copy(b->arena, id)};
    if (!op.id.ptr) return fer_arena_failed(b->arena, err);
    if (backend) {
        op.backend = (fer_backend){backend->kind, fer_arena_copy(b->arena, backend->name),
                                   fer_arena_copy(b->arena, backend->tool)};
        if (!op.backend.name.ptr || !op.backend.tool.ptr) return fer_arena_failed(b->arena, err);
    }
    return add_op(b, &op, err);
}

fer_code fer_batch_remove(fer_batch *b, fer_str id, fer_err *err)
{
    return add_id_op(b, FER_OP_REMOVE, id, NULL, err);
}

fer_code fer_batch_remove_backend(fer_batch *b, fer_str id, const fer_backend *backend,
                                  fer_err *err)
{
    return add_id_op(b, FER_OP_REMOVE_BACKEND, id, backend, err);
}

fer_code fer_batch_approve(fer_batch *b, fer_str id, fer_err *err)
{
    return add_id_op(b, FER_OP_APPROVE, id, NULL, err);
}

fer_code fer_batch_reject(fer_batch *b, fer_str id, fer_err *err)
{
    return add_id_op(b, FER_OP_REJECT, id, NULL, err);
}

static bool is_memory(fer_code code)
{
    return code == FER_OUT_OF_MEMORY;
}

/* A change of which nothing but a problem came. */
static fer_code add_broken(fer_batch *b, const fer_problem *problem, bool hard, fer_err *err)
{
    struct fer_op op = {.kind = FER_OP_BROKEN, .source = problem->source, .place = problem->place};
    fer_problem p = *problem;
    fer_code code = add_op(b, &op, err);
    if (code) return code;
    p.number = b->count;
    b->hard += hard;
    return note_at(b, &p) ? FER_OK : fer_arena_failed(b->arena, err);
}

fer_code fer_batch_document(fer_batch *b, fer_str id, fer_str json, fer_err *err)
{
    fer_id parts;
    fer_str canonical, text;
    fer_err why = {0};
    fer_arena_reset(b->scratch);
    fer_code code = fer_id_parse(id, &parts, &why);
    if (!code) code = fer_id_write(b->scratch, &parts, &canonical, &why);
    if (!code) code = fer_tool_doc_normalise(b->scratch, json, &text, &why);
    if (is_memory(code)) {
        if (err) *err = why;
        return code;
    }
    if (code) {
        fer_problem p = {.code = code, .id = id, .message = fer_str_of(why.message)};
        return add_broken(b, &p, true, err);
    }
    struct fer_op op = {.kind = FER_OP_DOCUMENT, .doc = fer_doc_new(canonical, text)};
    if (!op.doc) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    op.id = op.doc->value.key;
    code = add_op(b, &op, err);
    if (code) fer_value_unref(&op.doc->value);
    return code;
}

void fer_batch_for_owner(fer_batch *b, fer_str mark)
{
    b->owned = mark.len == FER_OWN_MARK;
    if (b->owned) memcpy(b->owner, mark.ptr, FER_OWN_MARK);
}

/* ---- tools
 * ---------------------------------------------------------------------------------------- */

struct adding {
    fer_batch *batch;
    const fer_put_options *options;
    fer_str source;
};

static fer_code put_entry(struct adding *ad, const fer_tool *t, fer_place place, fer_err *err)
{
    fer_batch *b = ad->batch;
    fer_err why = {0};
    struct fer_op op = {.kind = FER_OP_PUT, .source = ad->source, .place = place};
    fer_str owner = {b->owner, b->owned ? FER_OWN_MARK : 0};
    fer_arena_reset(b->scratch);
    fer_code code = fer_entry_of_tool(b->scratch, t, ad->options, owner, &op.entry, &why);
    if (is_memory(code)) {
        if (err) *err = why;
        return code;
    }
    if (code) {
        fer_problem p = {.code = code == FER_INVALID_ID ? FER_INVALID_TOOL : code,
                         .id = fer_tool_name(t),
                         .source = ad->source,
                         .place = place,
                         .message = fer_str_of(why.message)};
        return add_broken(b, &p, false, err);
    }
    op.id = op.entry->value.key;
    code = add_op(b, &op, err);
    if (code) fer_value_unref(&op.entry->value);
    return code;
}

static fer_code note_finding(struct adding *ad, size_t number, const fer_finding *f, fer_err *err)
{
    fer_batch *b = ad->batch;
    bool size = f->rule == &fer_record_rules[FER_RULE_EXAMPLE_SIZE];
    /* Quality is for `check` to judge: what is refused here breaks the record's own rules. */
    bool broken =
        f->severity == FER_SEVERITY_ERROR && fer_rule_table_of(f->rule) == FER_RULES_OF_RECORD;
    if (!broken && !size) return FER_OK;
    fer_problem p = {.number = number,
                     .code = size ? FER_ARGS_TOO_LARGE : f->rule->code,
                     .id = f->tool,
                     .source = ad->source,
                     .place = f->place,
                     .message = f->message};
    return note_at(b, &p) ? FER_OK : fer_arena_failed(b->arena, err);
}

static fer_code visit(void *context, const fer_visited *visited, fer_err *err)
{
    struct adding *ad = context;
    if (visited->failure) {
        const fer_err *why = visited->failure;
        fer_problem p = {.code = why->code,
                         .source = ad->source,
                         .place = {why->offset, why->line, why->column},
                         .message = fer_str_of(why->message)};
        return add_broken(ad->batch, &p, false, err);
    }
    if (!visited->tool) return FER_OK; /* a provider's own tool has no definition to keep */
    const fer_finding *findings = NULL;
    fer_code code = visited->finding_count ? fer_visited_findings(visited, &findings, err) : FER_OK;
    if (!code)
        code = put_entry(ad, visited->tool, findings ? findings[0].place : (fer_place){0}, err);
    for (size_t i = 0; i < visited->finding_count && !code; i++)
        code = note_finding(ad, ad->batch->count, &findings[i], err);
    return code;
}

fer_code fer_batch_add(fer_batch *b, fer_str name, fer_str text, fer_format format,
                       const fer_put_options *options, fer_err *err)
{
    fer_reader r;
    size_t count = b->count, problems = b->problem_count, in_all = b->problems_in_all;
    struct adding ad = {b, options, fer_arena_copy(b->arena, name)};
    if (!ad.source.ptr) return fer_arena_failed(b->arena, err);
    fer_code code = fer_reader_init(&r, NULL, name, text, format, err);
    if (code) return code;
    code = fer_visit(&r, ad.source, NULL, visit, &ad, err);
    fer_reader_deinit(&r);
    if (!code) return FER_OK;
    cut(b, count);
    b->problem_count = problems;
    b->problems_in_all = in_all;
    return code;
}

fer_code fer_batch_put(fer_batch *b, const fer_tool *tool, const fer_put_options *options,
                       fer_err *err)
{
    struct adding ad = {b, options, FER_STR("")};
    size_t before = b->count;
    fer_code code = put_entry(&ad, tool, (fer_place){0}, err);
    if (code || b->ops[before].kind != FER_OP_PUT) return code;
    /* What the record breaks is asked once more: the tool does not carry its findings. */
    const fer_path root = FER_PATH_ROOT;
    fer_drafts drafts;
    fer_tool again;
    fer_arena_reset(b->scratch);
    fer_drafts_init(&drafts, b->scratch);
    code = fer_tool_load(b->scratch, tool->shape, tool->entry, tool->record, &root, &drafts, &again,
                         err);
    for (size_t i = 0; i < drafts.count && !code; i++) {
        fer_finding f = drafts.list[i].finding;
        f.severity = f.rule->severity;
        f.tool = tool->id;
        code = note_finding(&ad, b->count, &f, err);
    }
    if (code) cut(b, before);
    return code;
}
