/* SPDX-License-Identifier: Apache-2.0 */
/* One tool: hold it against the profile, rewrite, and again. */
#include "errors.h"
#include "look.h"
#include "rewrite.h"

/* What is counted over a set is no matter of one tool. */
static bool is_about_sets(const fer_rule *rule)
{
    static const enum fer_profile_rule_id rules[] = {
        FER_PR_TOOLSET_COUNT,      FER_PR_TOOLSET_SIZE,       FER_PR_TOOLSET_DUPLICATE,
        FER_PR_TOOLSET_MIXED_KEYS, FER_PR_LIMIT_STRICT_TOOLS, FER_PR_LIMIT_OPTIONAL,
        FER_PR_LIMIT_UNION,        FER_PR_LIMIT_FIELDS,       FER_PR_REWRITE_NAME_COLLISION,
        FER_PR_LIMIT_GRAMMAR};
    for (size_t i = 0; i < FER_COUNT(rules); i++) {
        if (fer_profile_rule_of(rules[i]) == rule) return true;
    }
    return false;
}

/* ---- what the profile finds ------------------------------------------------------------- */

static fer_code look(fer_rw *c, fer_toolset **out, fer_err *err)
{
    fer_str entry;
    fer_code code = fer_wire_write(c, &entry, err);
    if (!code && c->wire->list) {
        entry = fer_arena_printf(c->arena, "{\"%s\":[%.*s]}", c->wire->list, FER_PRI(entry));
        if (!entry.ptr) code = fer_arena_failed(c->arena, err);
    }
    fer_toolset *set = code ? NULL : fer_toolset_new_checked(c->checks);
    if (!code && !set) code = fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_toolset_add(set, FER_STR("converted"), entry, FER_FORMAT_JSON, err);
    if (code) fer_toolset_free(set);
    else *out = set;
    return code;
}

/* Takes a key off the front of a pointer. */
static bool strip(fer_str *pointer, const char *key)
{
    size_t len = key ? strlen(key) : 0;
    if (!key || pointer->len < len + 1 || memcmp(pointer->ptr + 1, key, len) != 0) return false;
    if (pointer->len > len + 1 && pointer->ptr[len + 1] != '/') return false;
    *pointer = fer_str_slice(*pointer, len + 1, pointer->len);
    return true;
}

/* The pointer of a finding, in the schema; false: it is about something else. */
static bool in_schema(const fer_rw *c, const fer_finding *f, fer_str *out)
{
    *out = f->tool_pointer;
    strip(out, c->wire->around);
    if (!strip(out, c->wire->schema)) return false;
    if (c->wire->inside) strip(out, c->wire->inside);
    return true;
}

/* Whether something is to be done about a finding. */
static const struct fer_fix_row *row_for(const fer_finding *f)
{
    const struct fer_fix_row *row = NULL;
    if (!f->profile.len || is_about_sets(f->rule)) return NULL;
    row = fer_fix_find(f->rule);
    if (!row || f->severity == FER_SEVERITY_ERROR) return row;
    return row->even_warned && f->severity == FER_SEVERITY_WARNING ? row : NULL;
}

/* ---- a round ---------------------------------------------------------------------------- */

struct round {
    const fer_finding *list;
    size_t count;
    bool errors; /* some finding is an error */
    const fer_finding *first;
};

static fer_str shown(fer_rw *c, const yyjson_mut_val *node)
{
    fer_str text = fer_mut_write(&c->tree, node);
    if (text.len <= FER_CONVERT_SHOWN) return text;
    return fer_arena_printf(c->arena, "%.*s...", FER_PRI(fer_str_head(text, FER_CONVERT_SHOWN)));
}

/* A finding about a keyword that holds a schema leads into that schema: one step back. */
static void step_back(const fer_finding *f, fer_spot *s)
{
    const fer_step *last = fer_spot_last(s);
    fer_str rule = fer_str_of(f->rule->id);
    bool keyword = fer_str_starts(rule, "keyword.") || fer_str_is(rule, "root.composition") ||
                   fer_str_is(rule, "array.items-anyOf");
    bool closed =
        fer_str_is(rule, "object.closed") && fer_str_is(last->via, "additionalProperties");
    if (s->count < 2 || last->name.ptr || s->keyword.ptr || (!keyword && !closed)) return;
    s->keyword = last->via;
    s->count--;
}

/* Whether anything is lost by what was noted from a number on, or it could not be done. */
static bool loses(const fer_rw *c, size_t from)
{
    for (size_t i = from; i < c->note_count; i++) {
        if (c->notes[i].loss != FER_LOSS_SAME) return true;
    }
    return c->refused.ptr != NULL;
}

/*
 * Whether a root that was one plain object is one no longer. Clients and providers ask for that of
 * every tool, so what one profile gains by it, all others lose.
 */
static bool spoils_root(const yyjson_mut_val *was, const yyjson_mut_val *now)
{
    static const char *const words[] = {"anyOf", "oneOf", "allOf"};
    for (size_t i = 0; i < FER_COUNT(words); i++) {
        if (fer_mut_get(now, words[i]) && !fer_mut_get(was, words[i])) return true;
    }
    return fer_mut_is_text(fer_mut_get(was, "type"), "object") &&
           !fer_mut_is_text(fer_mut_get(now, "type"), "object");
}

/* Gives back the schema as it was. */
static bool undo(fer_rw *c, yyjson_mut_val *saved, size_t from)
{
    c->root = saved;
    c->note_count = from;
    c->refused = FER_STR_NONE;
    return false;
}

/*
 * The outermost keyword around a spot under which less may mean more: where something inside
 * oneOf is made wider, two branches may fit; inside not and if, everything is the other way
 * round. 0: there is none.
 */
static size_t crooked(const fer_spot *s)
{
    static const char *const words[] = {"oneOf", "not", "if", "contains"};
    for (size_t i = 1; i < s->count; i++) {
        for (size_t w = 0; w < FER_COUNT(words); w++) {
            if (fer_str_is(s->steps[i].via, words[w])) return i;
        }
    }
    return 0;
}

static bool is_lossy(const fer_rw *c, size_t from)
{
    for (size_t i = from; i < c->note_count; i++) {
        if (c->notes[i].loss != FER_LOSS_SAME && c->notes[i].loss != FER_LOSS_DOCS) return true;
    }
    return false;
}

/* Takes back what was done, and does away with the keyword that stands around it. */
static bool straighten(fer_rw *c, fer_spot *s, size_t at, yyjson_mut_val *saved, size_t notes)
{
    fer_str via = s->steps[at].via;
    fer_mut_become(c->root, saved);
    c->note_count = notes;
    c->refused = FER_STR_NONE;
    c->moved = true; /* whatever was found is to be found again */
    fer_spot_find(c->arena, c->root, s->pointer, s);
    if (s->count <= at) return true;
    s->count = at;
    s->keyword = via;
    return fer_str_is(via, "oneOf") ? fer_fix_one_of(c, s) : fer_fix_text(c, s);
}

static bool fix_at(fer_rw *c, const struct fer_fix_row *row, fer_spot *s)
{
    size_t at = crooked(s), from = c->note_count;
    yyjson_mut_val *saved = at ? fer_mut_copy(&c->tree, c->root) : NULL;
    bool done = row->fix(c, s);
    if (!at || !saved || c->tree.failed || row->fix == fer_fix_one_of) return done;
    return is_lossy(c, from) ? straighten(c, s, at, saved, from) : done;
}

static bool fix(fer_rw *c, const struct fer_fix_row *row, const fer_finding *f)
{
    fer_spot *s = fer_arena_alloc(c->arena, sizeof *s);
    size_t from = c->note_count;
    fer_str pointer;
    bool schema = in_schema(c, f, &pointer);
    if (!s || c->tree.failed) return false;
    if (!schema) pointer = FER_STR("");
    c->finding = f;
    c->pointer = fer_arena_copy(c->arena, f->tool_pointer);
    if (!fer_spot_find(c->arena, c->root, fer_arena_copy(c->arena, pointer), s)) return false;
    step_back(f, s);
    yyjson_mut_val *node = fer_spot_node(s);
    yyjson_mut_val *saved = c->only_same ? fer_mut_copy(&c->tree, c->root) : NULL;
    fer_str before = shown(c, node);
    bool done = fix_at(c, row, s);
    if (saved && (loses(c, from) || spoils_root(saved, c->root))) return undo(c, saved, from);
    fer_str after = c->note_count > from ? shown(c, c->moved ? c->root : node) : FER_STR_NONE;
    for (size_t i = from; i < c->note_count; i++) {
        c->notes[i].before = before;
        c->notes[i].after = after;
    }
    return done && !c->tree.failed;
}

/* Applies the earliest fixes that there are; says whether anything was done. */
static bool work(fer_rw *c, const struct round *r)
{
    unsigned done_with = 0;
    for (;;) {
        unsigned order = UINT32_MAX;
        bool changed = false;
        for (size_t i = 0; i < r->count; i++) {
            const struct fer_fix_row *row = row_for(&r->list[i]);
            if (row && row->order > done_with && row->order < order) order = row->order;
        }
        if (order == UINT32_MAX) return false;
        c->moved = false;
        for (size_t i = 0; i < r->count && !c->refused.ptr && !c->moved; i++) {
            const struct fer_fix_row *row = row_for(&r->list[i]);
            if (row && row->order == order) changed |= fix(c, row, &r->list[i]);
        }
        if (changed || c->refused.ptr || c->tree.failed) return true;
        done_with = order;
    }
}

static void survey(struct round *r, const fer_toolset *set)
{
    *r = (struct round){0};
    r->list = fer_toolset_findings(set, &r->count);
    for (size_t i = 0; i < r->count; i++) {
        const fer_finding *f = &r->list[i];
        if (!f->profile.len || f->severity != FER_SEVERITY_ERROR || is_about_sets(f->rule))
            continue;
        if (!r->first) r->first = f;
        r->errors = true;
    }
}

static bool has_work(const struct round *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (row_for(&r->list[i])) return true;
    }
    return false;
}

static void normalise(fer_rw *c, const struct round *r)
{
    yyjson_mut_val *saved = fer_mut_copy(&c->tree, c->root);
    size_t notes = c->note_count;
    c->pointer = fer_arena_printf(c->arena, "/%s", c->wire->schema);
    c->finding = r->list;
    bool done = fer_rw_normalise(c);
    bool kept = c->only_same ? done && !loses(c, notes) : done || r->errors;
    if (kept || !saved) {
        if (!c->refused.ptr) fer_rw_fold_nulls(c);
        return;
    }
    /* Only words were to be added, or nothing lost: what cannot be read better stays as it is. */
    undo(c, saved, notes);
}

static fer_str text_now(fer_rw *c)
{
    fer_str text = FER_STR_NONE;
    if (!c->options->no_witness && fer_tree_write(&c->tree, c->root, &text, NULL))
        c->tree.failed = true;
    return text;
}

/* Remembers a round for the witnesses, unless values look different behind it. */
static void remember(fer_rw *c, fer_str before, size_t from)
{
    struct fer_stage stage = {.before = before, .after = text_now(c)};
    if (c->tree.failed || c->refused.ptr || from == c->note_count || !stage.after.ptr) return;
    for (size_t i = from; i < c->note_count; i++) {
        if (c->notes[i].adapter) return;
        stage.wider |= c->notes[i].loss == FER_LOSS_WIDER;
        stage.narrower |= c->notes[i].loss == FER_LOSS_NARROWER;
    }
    void *room =
        fer_arena_room(c->arena, c->stages, c->stage_count, &c->stage_cap, sizeof *c->stages);
    if (!room) {
        c->tree.failed = true;
        return;
    }
    c->stages = room;
    c->stages[c->stage_count++] = stage;
}

static fer_code rounds(fer_rw *c, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < FER_CONVERT_ROUNDS && !code; i++) {
        fer_toolset *set = NULL;
        struct round r;
        code = look(c, &set, err);
        if (code) break;
        survey(&r, set);
        bool more = has_work(&r);
        size_t from = c->note_count;
        fer_str before = more ? text_now(c) : FER_STR_NONE;
        if (more && i == 0) normalise(c, &r);
        else if (more) more = work(c, &r);
        if (i && more && !c->refused.ptr) fer_rw_fold_nulls(c);
        if (more && before.ptr) remember(c, before, from);
        if (!more && r.errors)
            fer_rw_refuse(c, "%.*s: %.*s", FER_PRI(r.first->tool_pointer),
                          FER_PRI(r.first->message));
        fer_toolset_free(set);
        if (c->tree.failed) code = fer_arena_failed(c->arena, err);
        if (!more || c->refused.ptr) return code;
    }
    if (!code) fer_rw_refuse(c, "no end was found in %d rounds of rewriting", FER_CONVERT_ROUNDS);
    return code;
}

/* ---- the result ------------------------------------------------------------------------- */

static fer_code finish(fer_rw *c, fer_str original, fer_converted *out, fer_err *err)
{
    fer_str marked = FER_STR("");
    fer_code code = fer_wire_write(c, &out->entry, err);
    if (code) return code;
    bool marks = fer_mut_marked(c->root);
    /* Definitions may be marked, and used in a branch. */
    if (marks) fer_rw_mark_branches(c, c->root);
    code = fer_tree_write(&c->tree, c->root, &marked, err);
    if (code) return code;
    if (marks) out->back = marked;
    if (c->rewritten && !c->options->no_witness)
        code = fer_rw_witness(c, original, marked, out, err);
    return code;
}

static void tell(const fer_rw *c, fer_converted *out)
{
    out->changes = c->notes;
    out->change_count = c->note_count;
    for (size_t i = 0; i < c->note_count; i++) out->losses |= 1u << c->notes[i].loss;
}

/* Whether there is something in the place of the schema that was not taken for one. */
static bool has_other_schema(const fer_tool *t)
{
    FER_EACH_MEMBER (t->record, key) {
        bool here = fer_shape_field(t->shape, fer_val_str(key)) == FER_FIELD_INPUT_SCHEMA;
        if (here && !fer_val_is(key + 1, YYJSON_TYPE_NULL)) return true;
    }
    return false;
}

/* The schema to begin with; a tool without one takes no arguments. */
static bool begin(fer_rw *c, fer_str *original)
{
    const yyjson_val *schema = c->tool->values[FER_FIELD_INPUT_SCHEMA];
    fer_tree_init(&c->tree, c->arena);
    if (c->tree.failed) return false;
    if (schema ? !fer_is_obj(schema) : has_other_schema(c->tool))
        return fer_rw_refuse(c, "the input schema is no object");
    c->root = schema ? fer_tree_copy(&c->tree, schema) : fer_tree_object(&c->tree);
    if (!c->root) return false;
    if (!schema) {
        fer_mut_set_text(&c->tree, c->root, "type", "object");
        fer_mut_set(&c->tree, c->root, "properties", fer_tree_object(&c->tree));
    }
    fer_rw_read_openapi(c);
    *original = fer_mut_write(&c->tree, c->root);
    const yyjson_val *text = c->tool->values[FER_FIELD_DESCRIPTION];
    c->description = text && fer_is_str(text) ? fer_val_str(text) : FER_STR_NONE;
    const struct fer_profile_row *listed = &c->profile->rows[FER_PR_KEYWORD_UNLISTED];
    c->nullable = fer_rw_refuses(c, FER_PR_TYPE_ARRAY) && listed->on &&
                  fer_words_have(&listed->except_names, FER_STR("nullable"));
    return original->ptr != NULL;
}

fer_code fer_rw_run_same(fer_rw *c, fer_err *err)
{
    fer_str original = FER_STR_NONE, schema = FER_STR_NONE;
    fer_converted said = {0};
    c->only_same = true;
    bool begun = begin(c, &original);
    if (!begun) return c->refused.ptr ? FER_OK : fer_arena_failed(c->arena, err);
    c->nullable = false; /* the file stays JSON Schema */
    fer_code code = rounds(c, err);
    /* What could not be done without loss is no reason to refuse the rest. */
    c->refused = FER_STR_NONE;
    if (!code) code = fer_tree_write(&c->tree, c->root, &schema, err);
    return code || !c->note_count ? code : fer_rw_witness(c, original, schema, &said, err);
}

fer_code fer_rw_run(fer_rw *c, fer_converted *out, fer_err *err)
{
    fer_str original = FER_STR_NONE;
    fer_code code = FER_OK;
    *out = (fer_converted){.tool = c->tool, .name = c->name};
    bool begun = begin(c, &original);
    if (!begun && !c->refused.ptr) return fer_arena_failed(c->arena, err);
    if (begun) fer_rw_note_name(c);
    if (begun) code = rounds(c, err);
    if (!code && !c->refused.ptr) code = fer_wire_note_lost(c, err);
    tell(c, out);
    if (!code && !c->refused.ptr && out->losses >> FER_LOSS_DESTRUCTIVE & 1 && !c->options->force) {
        for (size_t i = 0; i < c->note_count; i++) {
            if (c->notes[i].loss == FER_LOSS_DESTRUCTIVE)
                fer_rw_refuse(c, "%s is destructive: %.*s", c->notes[i].rule->id,
                              FER_PRI(c->notes[i].reason));
        }
    }
    if (!code && !c->refused.ptr) code = finish(c, original, out, err);
    if (c->refused.ptr) {
        out->refused = c->refused;
        out->entry = out->back = FER_STR("");
    }
    return code;
}
