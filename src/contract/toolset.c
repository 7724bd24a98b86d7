/* SPDX-License-Identifier: Apache-2.0 */
#include "toolset.h"

#include <string.h>

#include "errors.h"
#include "findings.h"
#include "near.h"

struct first_place {
    fer_str source;
    fer_place place;
};

static fer_code note_id(fer_check_run *run, fer_str id, fer_str source, fer_place at, fer_err *err)
{
    fer_str key = fer_arena_copy(run->arena, id);
    struct first_place *place = fer_arena_alloc(run->arena, sizeof *place);
    void **slot = key.ptr && place ? fer_map_put(&run->ids, key) : NULL;
    if (!slot) return fer_arena_failed(run->arena, err);
    *place = (struct first_place){source, at};
    *slot = place;
    return FER_OK;
}

/* The first tool of an ID is noted; a further one is a finding, graver within one file. */
static fer_code check_duplicate(fer_reader *r, const fer_item *item, const fer_tool *tool,
                                fer_str source, fer_check_run *run, fer_drafts *drafts,
                                fer_err *err)
{
    const struct first_place *before = fer_map_get(&run->ids, tool->id);
    if (!before) {
        size_t offset = item->base + fer_json_offset(item->doc, item->record);
        return note_id(run, tool->id, source, fer_lines_place(&r->lines, offset), err);
    }
    const fer_path root = FER_PATH_ROOT, here = FER_PATH_KEY(&root, FER_STR("name"));
    bool same_source = before->source.ptr == source.ptr;
    fer_drafts_add(drafts, same_source ? FER_RULE_TOOL_DUPLICATE : FER_RULE_TOOL_SHADOWED,
                   tool->values[FER_FIELD_NAME], &here,
                   "the ID \"%.*s\" was given before, at %.*s:%u:%u", FER_PRI(tool->id),
                   FER_PRI(before->source), before->place.line, before->place.column);
    return FER_OK;
}

/* The passes and the rules that look beyond one record. */
static fer_code check_further(fer_reader *r, fer_item *item, fer_str source, fer_check_run *run,
                              const fer_tool *tool, fer_drafts *drafts, fer_err *err)
{
    const fer_path root = FER_PATH_ROOT;
    if (tool->values[FER_FIELD_NAME]) {
        fer_code code = check_duplicate(r, item, tool, source, run, drafts, err);
        if (code) return code;
    }
    fer_check_run_tool(&(fer_pass_tool){.run = run,
                                        .tool = tool,
                                        .path = &root,
                                        .drafts = drafts,
                                        .scratch = fer_reader_arena(r),
                                        .reader = r,
                                        .item = item,
                                        .source = source});
    return FER_OK;
}

static fer_code load_item(fer_reader *r, fer_item *item, fer_str source, fer_check_run *run,
                          fer_tool *tool, fer_drafts *drafts, fer_err *err)
{
    const fer_path root = FER_PATH_ROOT;
    if (item->shape == FER_SHAPE_BUILTIN) {
        fer_drafts_add(
            drafts, FER_RULE_TOOL_BUILTIN, item->record, &root,
            "this entry is a tool of the provider's own; there is no definition to check");
        return drafts->no_memory ? fer_arena_failed(drafts->arena, err) : FER_OK;
    }
    fer_code code = fer_tool_load(fer_reader_arena(r), item->shape, item->entry, item->record,
                                  &root, drafts, tool, err);
    if (!code && run) code = check_further(r, item, source, run, tool, drafts, err);
    return !code && drafts->no_memory ? fer_arena_failed(drafts->arena, err) : code;
}

static fer_code visit_item(fer_reader *r, fer_item *item, fer_str source, fer_check_run *run,
                           fer_visitor *visit, void *context, fer_err *err)
{
    fer_tool *tool = fer_arena_alloc(fer_reader_arena(r), sizeof *tool);
    fer_drafts drafts;
    if (!tool) return fer_arena_failed(fer_reader_arena(r), err);
    fer_drafts_init(&drafts, fer_reader_arena(r));
    drafts.plan = run && run->checks ? run->checks->plan : NULL;
    /* Places of this entry are counted from here, in whatever order. */
    fer_lines_mark(&r->lines, item->base + fer_json_offset(item->doc, item->entry));
    fer_code code = load_item(r, item, source, run, tool, &drafts, err);
    bool builtin = item->shape == FER_SHAPE_BUILTIN;
    if (!code && !builtin) {
        tool->doc = item->doc;
        tool->base = item->base;
        tool->text = r->text;
        tool->source = source;
    }
    if (code) return code;
    fer_visited visited = {.tool = builtin ? NULL : tool,
                           .item = item,
                           .reader = r,
                           .source = source,
                           .drafts = &drafts};
    fer_drafts_count(&drafts, visited.by_severity);
    for (size_t i = 0; i < FER_SEVERITY_OFF; i++) visited.finding_count += visited.by_severity[i];
    return visit(context, &visited, err);
}

fer_code fer_visited_findings(const fer_visited *v, const fer_finding **out, fer_err *err)
{
    *out = v->findings;
    if (v->findings || !v->finding_count) return FER_OK;
    return fer_drafts_finish(v->drafts, v->reader, v->item, v->source,
                             v->tool ? v->tool->id : FER_STR(""), v->finding_count, out, err);
}

/* An entry that could not be read, though those behind it can. */
static fer_code visit_failure(const fer_err *failure, fer_visitor *visit, void *context,
                              fer_err *err)
{
    fer_err kept = *failure;
    fer_visited visited = {.failure = &kept};
    return visit(context, &visited, err);
}

fer_code fer_visit(fer_reader *r, fer_str source, fer_check_run *run, fer_visitor *visit,
                   void *context, fer_err *err)
{
    r->mixed = fer_run_takes_mixed(run);
    for (;;) {
        fer_item item;
        fer_err why;
        fer_code code = fer_reader_next(r, &item, &why);
        if (code && r->resumable) {
            code = visit_failure(&why, visit, context, err);
            if (code) return code;
            continue;
        }
        if (code && err) *err = why;
        if (code || !item.entry) return code;
        code = visit_item(r, &item, source, run, visit, context, err);
        if (code) return code;
    }
}

fer_code fer_visit_end(fer_check_run *run, fer_visitor *visit, void *context, fer_err *err)
{
    fer_finding *findings = NULL;
    size_t count = 0;
    fer_code code = fer_run_end_set(run, &findings, &count, err);
    if (code || !count) return code;
    fer_visited visited = {.findings = findings, .finding_count = count};
    for (size_t i = 0; i < count; i++) visited.by_severity[findings[i].severity]++;
    return visit(context, &visited, err);
}

/* ---- sets
 * -----------------------------------------------------------------------------------------------------
 */

struct fer_toolset {
    fer_arena *arena;
    fer_check_run run;
    const fer_tool **tools;
    size_t count;
    size_t cap;
    fer_finding *findings;
    size_t finding_count;
    size_t finding_cap;
    fer_unreadable *failed; /* told of what cannot be read; NULL: that is a failure */
    void *context;          /* of `failed` */
};

fer_toolset *fer_toolset_new_checked(const fer_checks *checks)
{
    fer_arena *arena = fer_arena_new(0);
    fer_toolset *set = arena ? fer_arena_alloc_zero(arena, 1, sizeof *set) : NULL;
    if (!set) {
        fer_arena_free(arena);
        return NULL;
    }
    set->arena = arena;
    if (!fer_check_run_init(&set->run, arena, checks)) {
        fer_arena_free(arena);
        return NULL;
    }
    return set;
}

fer_toolset *fer_toolset_new(void)
{
    return fer_toolset_new_checked(NULL);
}

void fer_toolset_free(fer_toolset *set)
{
    if (!set) return;
    fer_check_run_deinit(&set->run);
    fer_arena_free(set->arena);
}

size_t fer_toolset_suppressed(const fer_toolset *set)
{
    return set->run.suppressed;
}

static fer_code keep_tool(fer_toolset *set, const fer_tool *tool, fer_err *err)
{
    const fer_tool **tools = fer_arena_room(set->arena, (void *)(uintptr_t)set->tools, set->count,
                                            &set->cap, sizeof *tools);
    if (!tools) return fer_arena_failed(set->arena, err);
    set->tools = tools;
    set->tools[set->count++] = tool;
    return FER_OK;
}

static fer_code keep_finding(fer_toolset *set, const fer_finding *finding, fer_err *err)
{
    fer_finding *list = fer_arena_room(set->arena, set->findings, set->finding_count,
                                       &set->finding_cap, sizeof *list);
    if (!list) return fer_arena_failed(set->arena, err);
    set->findings = list;
    set->findings[set->finding_count++] = *finding;
    return FER_OK;
}

/* Findings about a set are made in memory that the next set uses again. */
static fer_code keep_text(fer_toolset *set, fer_finding *f, fer_err *err)
{
    fer_str *texts[] = {&f->tool, &f->pointer, &f->tool_pointer, &f->message,
                        &f->hint, &f->limit,   &f->actual,       &f->provider_text};
    for (size_t i = 0; i < FER_COUNT(texts); i++) {
        if (!texts[i]->ptr) continue;
        *texts[i] = fer_arena_copy(set->arena, *texts[i]);
        if (!texts[i]->ptr) return fer_arena_failed(set->arena, err);
    }
    return FER_OK;
}

static fer_code keep_visited(void *context, const fer_visited *visited, fer_err *err)
{
    fer_toolset *set = context;
    if (visited->failure) {
        if (set->failed && visited->failure->code != FER_OUT_OF_MEMORY) {
            set->failed(set->context, visited->failure);
            return FER_OK;
        }
        if (err) *err = *visited->failure;
        return visited->failure->code;
    }
    const fer_finding *findings;
    fer_code code = visited->tool ? keep_tool(set, visited->tool, err) : FER_OK;
    if (!code) code = fer_visited_findings(visited, &findings, err);
    for (size_t i = 0; !code && i < visited->finding_count; i++) {
        fer_finding kept = findings[i];
        if (!visited->item) code = keep_text(set, &kept, err);
        if (!code) code = keep_finding(set, &kept, err);
    }
    return code;
}

fer_code fer_toolset_add(fer_toolset *set, fer_str name, fer_str text, fer_format format,
                         fer_err *err)
{
    fer_reader r;
    fer_str source = fer_arena_copy(set->arena, name);
    if (!source.ptr) return fer_arena_failed(set->arena, err);
    fer_code code = fer_reader_init(&r, set->arena, name, text, format, err);
    if (code) return code;
    code = fer_visit(&r, source, &set->run, keep_visited, set, err);
    fer_reader_deinit(&r);
    fer_code ended = fer_visit_end(&set->run, keep_visited, set, code ? NULL : err);
    if (!code) code = ended;
    return code;
}

fer_code fer_toolset_add_readable(fer_toolset *set, fer_str name, fer_str text, fer_format format,
                                  fer_unreadable *failed, void *context, fer_err *err)
{
    fer_err why;
    set->failed = failed;
    set->context = context;
    fer_code code = fer_toolset_add(set, name, text, format, &why);
    set->failed = NULL;
    if (code == FER_OUT_OF_MEMORY) {
        if (err) *err = why;
        return code;
    }
    if (code) failed(context, &why);
    return FER_OK;
}

size_t fer_toolset_count(const fer_toolset *set)
{
    return set->count;
}

const fer_tool *fer_toolset_get(const fer_toolset *set, size_t index)
{
    return index < set->count ? set->tools[index] : NULL;
}

const fer_finding *fer_toolset_findings(const fer_toolset *set, size_t *count)
{
    *count = set->finding_count;
    return set->findings;
}

/* ---- resolving
 * ----------------------------------------------------------------------------------------------------
 */

/* Whether `t` is to be preferred to `best`: releases before pre-releases, then the higher version.
 */
static bool better(const fer_semver *v, bool has, const fer_semver *best, bool best_has, bool any)
{
    if (!any) return true;
    if (!has || !best_has) return has && !best_has;
    bool pre = v->pre.len > 0, best_pre = best->pre.len > 0;
    if (pre != best_pre) return best_pre;
    return fer_semver_cmp(v, best) > 0;
}

static bool same_name(const fer_tool *t, const fer_id *id)
{
    return fer_str_eq(fer_tool_name(t), id->name) && fer_str_eq(fer_tool_namespace(t), id->ns);
}

struct choice {
    const fer_tool *tool;
    fer_semver version;
    bool has_version;
};

/* Considers one tool of the right name. */
static fer_code consider(struct choice *best, const fer_tool *t, const fer_id *id,
                         fer_str constraint, fer_err *err)
{
    fer_semver v = {0};
    bool has = t->version.len && fer_semver_parse(t->version, &v, NULL) == FER_OK;
    if (id->version.len && !fer_str_eq(t->version, id->version)) return FER_OK;
    bool fits = !v.pre.len || id->version.len;
    if (constraint.len) {
        fer_code code = fer_semver_satisfies(&v, constraint, &fits, err);
        if (code) return code;
        fits = fits && has;
    }
    if (fits && better(&v, has, &best->version, best->has_version, best->tool != NULL)) {
        *best = (struct choice){t, v, has};
    }
    return FER_OK;
}

/* Nothing has the ID: perhaps a tool of that name in a namespace is meant, or of a name near it. */
static fer_code not_found(const fer_toolset *set, fer_str text, const fer_id *id, fer_err *err)
{
    const fer_tool *meant = NULL;
    fer_near near;
    fer_near_init(&near, id->name);
    for (size_t i = 0; i < set->count; i++) fer_near_try(&near, fer_tool_name(set->tools[i]));
    for (size_t i = 0; i < set->count && near.best.ptr && !meant; i++)
        if (fer_str_eq(fer_tool_name(set->tools[i]), near.best)) meant = set->tools[i];
    if (!meant) return fer_fail(err, FER_TOOL_NOT_FOUND, "no tool \"%.*s\" is here", FER_PRI(text));
    fer_str ns = fer_tool_namespace(meant);
    return fer_fail(err, FER_TOOL_NOT_FOUND,
                    "no tool \"%.*s\" is here; did you mean \"%.*s%s%.*s\"?", FER_PRI(text),
                    FER_PRI(ns), ns.len ? ":" : "", FER_PRI(fer_tool_name(meant)));
}

fer_code fer_toolset_find(const fer_toolset *set, fer_str text, fer_str constraint,
                          const fer_tool **out, fer_err *err)
{
    fer_id id;
    struct choice best = {0};
    size_t named = 0;
    fer_code code = fer_id_parse(text, &id, err);
    if (!code && constraint.len) {
        bool ignored;
        code = fer_semver_satisfies(&(fer_semver){0}, constraint, &ignored, err);
    }
    if (code) return code;
    for (size_t i = 0; i < set->count && !code; i++) {
        if (!same_name(set->tools[i], &id)) continue;
        named++;
        code = consider(&best, set->tools[i], &id, constraint, err);
    }
    if (code) return code;
    if (!best.tool && !named) return not_found(set, text, &id, err);
    if (!best.tool)
        return fer_fail(
            err, FER_TOOL_NOT_FOUND,
            "of \"%.*s%s%.*s\" there %s %zu version%s, but none that is asked for (a pre-release must be named)",
            FER_PRI(id.ns), id.ns.len ? ":" : "", FER_PRI(id.name), named == 1 ? "is" : "are",
            named, fer_s(named));
    *out = best.tool;
    return FER_OK;
}
