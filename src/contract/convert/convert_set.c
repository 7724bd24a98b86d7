/* SPDX-License-Identifier: Apache-2.0 */
/* All tools of a set for one provider: names first, then each tool, then what the set exceeds. */
#include "errors.h"
#include "rewrite.h"

struct set {
    fer_arena *arena;
    const fer_profile *profile;
    const fer_convert_options *options;
    fer_checks *checks;
    fer_plan plan;
    fer_err *err;
};

static fer_code setup(struct set *s)
{
    if (!fer_plan_add(&s->plan, s->profile))
        return fer_fail(s->err, FER_INTERNAL, "no room for a profile");
    s->checks = fer_checks_new();
    if (!s->checks) return fer_fail(s->err, FER_OUT_OF_MEMORY, "out of memory");
    fer_checks_quality(s->checks, false);
    return fer_checks_profile(s->checks, s->profile, s->err);
}

/* What a tool's conversion leaves behind is copied; all else it took goes with its arena. */
static fer_code keep(fer_arena *a, fer_converted *t, fer_err *err)
{
    fer_str *texts[] = {&t->entry, &t->refused, &t->back};
    fer_rewritten *changes = fer_arena_alloc(a, t->change_count * sizeof *changes + 1);
    if (!changes) return fer_arena_failed(a, err);
    for (size_t i = 0; i < FER_COUNT(texts); i++) {
        if (texts[i]->len) *texts[i] = fer_arena_copy(a, *texts[i]);
        if (texts[i]->len && !texts[i]->ptr) return fer_arena_failed(a, err);
    }
    for (size_t i = 0; i < t->change_count; i++) {
        changes[i] = t->changes[i];
        fer_str *parts[] = {&changes[i].pointer, &changes[i].before, &changes[i].after,
                            &changes[i].reason};
        for (size_t p = 0; p < FER_COUNT(parts); p++) {
            *parts[p] = fer_arena_copy(a, parts[p]->ptr ? *parts[p] : FER_STR(""));
            if (!parts[p]->ptr) return fer_arena_failed(a, err);
        }
    }
    t->changes = changes;
    return FER_OK;
}

static fer_code convert_one(struct set *s, fer_arena *scratch, const fer_tool *tool, fer_str name,
                            fer_converted *out)
{
    fer_rw *c = fer_arena_alloc_zero(scratch, 1, sizeof *c);
    if (!c) return fer_arena_failed(scratch, s->err);
    c->arena = scratch;
    c->tool = tool;
    c->profile = s->profile;
    c->plan = &s->plan;
    c->checks = s->checks;
    c->wire = fer_wire_of(s->profile);
    c->options = s->options;
    c->name = name;
    fer_code code = fer_rw_run(c, out, s->err);
    if (!code) code = keep(s->arena, out, s->err);
    return code;
}

static fer_code convert_all(struct set *s, const fer_toolset *set, fer_converted *tools,
                            size_t count)
{
    fer_str *names = fer_arena_alloc_zero(s->arena, count + 1, sizeof *names);
    fer_arena *scratch = fer_arena_new(0);
    fer_code code = names && scratch ? fer_wire_names(s->arena, set, s->profile, names, s->err)
                                     : fer_fail(s->err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; names && i < count && !code; i++) {
        fer_arena_reset(scratch);
        code = convert_one(s, scratch, fer_toolset_get(set, i), names[i], &tools[i]);
    }
    fer_arena_free(scratch);
    return code;
}

/* ---- the whole text --------------------------------------------------------------------- */

static fer_code write_list(struct set *s, const fer_converted *tools, size_t count, fer_str *out)
{
    const fer_wire *w = fer_wire_of(s->profile);
    const char *before = "\n";
    fer_buf b;
    fer_buf_init(&b, s->arena, SIZE_MAX / 4);
    fer_buf_add_char(&b, '[');
    if (w->list) fer_buf_printf(&b, "{\"%s\":[", w->list);
    for (size_t i = 0; i < count; i++) {
        if (!tools[i].entry.len) continue;
        fer_buf_add_text(&b, before);
        fer_buf_add(&b, tools[i].entry);
        before = ",\n";
    }
    fer_buf_add_text(&b, w->list ? "\n]}]\n" : "\n]\n");
    *out = fer_buf_view(&b);
    return fer_buf_code(&b, s->err);
}

static void unref_set(void *set)
{
    fer_toolset_free(set);
}

/* What the set as a whole exceeds; the findings live with the arena. */
static fer_code find_budgets(struct set *s, fer_conversion *out)
{
    fer_toolset *set = fer_toolset_new_checked(s->checks);
    size_t count = 0;
    if (!set) return fer_fail(s->err, FER_OUT_OF_MEMORY, "out of memory");
    if (!fer_arena_defer(s->arena, unref_set, set)) {
        fer_toolset_free(set);
        return fer_arena_failed(s->arena, s->err);
    }
    fer_code code = fer_toolset_add(set, FER_STR("converted"), out->text, FER_FORMAT_JSON, s->err);
    if (code) return code;
    const fer_finding *list = fer_toolset_findings(set, &count);
    fer_finding *kept = fer_arena_alloc(s->arena, count * sizeof *kept + 1);
    if (!kept) return fer_arena_failed(s->arena, s->err);
    for (size_t i = 0; i < count; i++) {
        if (list[i].profile.len && list[i].severity == FER_SEVERITY_ERROR)
            kept[out->budget_count++] = list[i];
    }
    out->budgets = kept;
    return FER_OK;
}

fer_code fer_toolset_convert(fer_arena *a, const fer_toolset *set, const fer_profile *profile,
                             const fer_convert_options *options, fer_conversion *out, fer_err *err)
{
    static const fer_convert_options none;
    struct set s = {
        .arena = a, .profile = profile, .options = options ? options : &none, .err = err};
    size_t count = fer_toolset_count(set);
    fer_conversion made = {.count = count};
    fer_converted *tools = fer_arena_alloc_zero(a, count + 1, sizeof *tools);
    if (!tools) return fer_arena_failed(a, err);
    fer_code code = setup(&s);
    if (!code) code = convert_all(&s, set, tools, count);
    for (size_t i = 0; i < count; i++) made.refused += tools[i].refused.len > 0;
    made.tools = tools;
    if (!code) code = write_list(&s, tools, count, &made.text);
    if (!code && made.refused < count) code = find_budgets(&s, &made);
    if (!code) code = fer_map_write(a, profile, tools, count, &made.map, err);
    fer_checks_free(s.checks);
    if (!code) *out = made;
    return code;
}
