/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `check --fix` does to a schema: the rewrites of a conversion, of which only those are kept
 * that lose nothing. The schema stays the author's, so it is never written for a wire. A conversion
 * may go through schemas that are worse on its way to one that is good; here the way may end in
 * the middle, so what comes out is weighed, and taken where less is wrong with it than before.
 */
#include "errors.h"
#include "rewrite.h"

#define ROUNDS 3 /* through all profiles: what one asks for may wake another */

/* What is wrong with a schema, under all profiles. */
struct weight {
    size_t errors, warnings;
};

struct fixing {
    fer_arena *arena;
    const fer_checks *all; /* with all profiles */
    fer_tool tool;         /* with the schema as far as it is fixed */
    fer_rewritten *changes;
    size_t count, cap;
    bool changed; /* in this round */
    fer_err *err;
};

static fer_code take_notes(struct fixing *f, const fer_rw *c)
{
    for (size_t i = 0; i < c->note_count; i++) {
        fer_rewritten *list = fer_arena_room(f->arena, f->changes, f->count, &f->cap, sizeof *list);
        if (!list) return fer_arena_failed(f->arena, f->err);
        f->changes = list;
        list[f->count++] = c->notes[i];
    }
    return FER_OK;
}

static fer_code weigh(const struct fixing *f, const yyjson_val *schema, struct weight *out)
{
    size_t count;
    fer_str text, tool;
    fer_code code = fer_json_write(f->arena, schema, false, &text, f->err);
    if (code) return code;
    tool = fer_arena_printf(f->arena, "{\"name\":\"fixed\",\"inputSchema\":%.*s}", FER_PRI(text));
    if (!tool.ptr) return fer_arena_failed(f->arena, f->err);
    fer_toolset *set = fer_toolset_new_checked(f->all);
    if (!set) return fer_fail(f->err, FER_OUT_OF_MEMORY, "out of memory");
    code = fer_toolset_add(set, FER_STR("fixed"), tool, FER_FORMAT_JSON, f->err);
    const fer_finding *list = fer_toolset_findings(set, &count);
    *out = (struct weight){0};
    for (size_t i = 0; i < count; i++) {
        out->errors += list[i].severity == FER_SEVERITY_ERROR;
        out->warnings += list[i].severity == FER_SEVERITY_WARNING;
    }
    fer_toolset_free(set);
    return code;
}

static fer_code is_better(const struct fixing *f, const yyjson_val *was, const yyjson_val *now,
                          bool *out)
{
    struct weight x, y;
    fer_code code = weigh(f, was, &x);
    if (!code) code = weigh(f, now, &y);
    if (code) return code;
    *out = y.errors < x.errors || (y.errors == x.errors && y.warnings < x.warnings);
    return FER_OK;
}

static fer_code take_schema(struct fixing *f, fer_rw *c)
{
    fer_str text;
    fer_json *doc;
    bool equal = false, better = false;
    const yyjson_val **schema = &f->tool.values[FER_FIELD_INPUT_SCHEMA];
    if (!c->note_count || c->refused.ptr) return FER_OK;
    fer_code code = fer_tree_write(&c->tree, c->root, &text, f->err);
    if (!code) code = fer_json_read(f->arena, text, fer_json_limits_file(), &doc, f->err);
    if (!code) code = fer_json_equal(f->arena, *schema, fer_json_root(doc), &equal, f->err);
    if (code || equal) return code;
    code = is_better(f, *schema, fer_json_root(doc), &better);
    if (code || !better) return code;
    *schema = fer_json_root(doc);
    f->changed = true;
    return take_notes(f, c);
}

static fer_code fix_for(struct fixing *f, const fer_profile *profile)
{
    fer_plan plan = {0};
    static const fer_convert_options none;
    fer_rw *c = fer_arena_alloc_zero(f->arena, 1, sizeof *c);
    if (!c) return fer_arena_failed(f->arena, f->err);
    if (!fer_plan_add(&plan, profile))
        return fer_fail(f->err, FER_INTERNAL, "no room for a profile");
    fer_checks *checks = fer_checks_new();
    if (!checks) return fer_fail(f->err, FER_OUT_OF_MEMORY, "out of memory");
    fer_checks_quality(checks, false);
    *c = (fer_rw){.arena = f->arena,
                  .tool = &f->tool,
                  .profile = profile,
                  .plan = &plan,
                  .checks = checks,
                  .wire = fer_wire_of(profile),
                  .options = &none,
                  .name = fer_tool_name(&f->tool)};
    fer_code code = fer_checks_profile(checks, profile, f->err);
    if (!code) code = fer_rw_run_same(c, f->err);
    if (!code) code = take_schema(f, c);
    fer_checks_free(checks);
    return code;
}

fer_code fer_tool_fix(fer_arena *a, const fer_tool *tool, const fer_profile *const *profiles,
                      size_t count, fer_fixed *out, fer_err *err)
{
    struct fixing f = {.arena = a, .tool = *tool, .changed = true, .err = err};
    fer_code code = FER_OK;
    *out = (fer_fixed){.schema = FER_STR("")};
    if (!fer_is_obj(tool->values[FER_FIELD_INPUT_SCHEMA])) return FER_OK;
    fer_checks *all = fer_checks_new();
    if (!all) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_checks_quality(all, false);
    f.all = all;
    for (size_t i = 0; i < count && !code; i++) code = fer_checks_profile(all, profiles[i], err);
    for (int round = 0; round < ROUNDS && f.changed && !code; round++) {
        f.changed = false;
        for (size_t i = 0; i < count && !code; i++) code = fix_for(&f, profiles[i]);
    }
    fer_checks_free(all);
    if (code || !f.count) return code;
    out->changes = f.changes;
    out->change_count = f.count;
    return fer_json_write(a, f.tool.values[FER_FIELD_INPUT_SCHEMA], false, &out->schema, err);
}
