/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `check --fix` does to a schema: the rewrites of a conversion, of which only those are kept
 * that lose nothing. The schema stays the author's, so it is never written for a wire.
 */
#include "errors.h"
#include "rewrite.h"

#define ROUNDS 3 /* through all profiles: what one asks for may wake another */

struct fixing {
    fer_arena *arena;
    fer_tool tool; /* with the schema as far as it is fixed */
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

static fer_code take_schema(struct fixing *f, fer_rw *c)
{
    fer_str text;
    fer_json *doc;
    bool equal = false;
    const yyjson_val **schema = &f->tool.values[FER_FIELD_INPUT_SCHEMA];
    if (!c->note_count || c->refused.ptr) return FER_OK;
    fer_code code = fer_tree_write(&c->tree, c->root, &text, f->err);
    if (!code) code = fer_json_read(f->arena, text, fer_json_limits_file(), &doc, f->err);
    if (!code) code = fer_json_equal(f->arena, *schema, fer_json_root(doc), &equal, f->err);
    if (code || equal) return code;
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
    for (int round = 0; round < ROUNDS && f.changed && !code; round++) {
        f.changed = false;
        for (size_t i = 0; i < count && !code; i++) code = fix_for(&f, profiles[i]);
    }
    if (code || !f.count) return code;
    out->changes = f.changes;
    out->change_count = f.count;
    return fer_json_write(a, f.tool.values[FER_FIELD_INPUT_SCHEMA], false, &out->schema, err);
}
