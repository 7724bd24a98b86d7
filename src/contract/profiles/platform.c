/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of the platform that tools_json is for: the findings of that profile as a list
 * of sentences, each with the number of its tool.
 */
#include "errors.h"
#include "json_skim.h"
#include "profile.h"
#include "toolset.h"
#include "unicode.h"

#define ANSWER_MAX ((size_t)4 << 20) /* bytes of an answer */
#define NAME_TEXT  "Tool #%zu name must match ^[a-zA-Z0-9_-]{1,64}$"

struct answer {
    fer_arena *arena;
    fer_str profile;
    fer_str *errors;
    size_t count;
    size_t cap;
    fer_reader reader;
    bool no_memory;
};

static void add(struct answer *n, fer_str text)
{
    for (size_t i = 0; i < n->count; i++) {
        if (fer_str_eq(n->errors[i], text)) return; /* a name may break two rules */
    }
    fer_str *list = fer_arena_room(n->arena, n->errors, n->count, &n->cap, sizeof *list);
    if (!list || !text.ptr) {
        n->no_memory = true;
        return;
    }
    n->errors = list;
    n->errors[n->count++] = text;
}

static void add_finding(struct answer *n, const fer_finding *f)
{
    bool name = strcmp(f->rule->id, "name.charset") == 0 || strcmp(f->rule->id, "name.length") == 0;
    bool set =
        strncmp(f->rule->id, "toolset.", 8) == 0 || strcmp(f->rule->id, "limit.optional") == 0;
    fer_str at = f->tool_pointer;
    if (name) add(n, fer_arena_printf(n->arena, NAME_TEXT, f->number));
    else if (set && f->limit.len)
        add(n, fer_arena_printf(n->arena, "tools_json: %.*s", FER_PRI(f->message)));
    else
        add(n, fer_arena_printf(n->arena, "Tool #%zu%s%.*s: %.*s", f->number, at.len ? " " : "",
                                FER_PRI(at), FER_PRI(f->message)));
}

/* Entries that are no tools of this shape have nothing that could be checked. */
static bool is_of_shape(const fer_item *item)
{
    return item->shape == FER_SHAPE_ANTHROPIC || item->shape == FER_SHAPE_FUNCTION ||
           (item->shape == FER_SHAPE_MCP && !fer_val_get(item->record, "inputSchema"));
}

static fer_code visit(void *context, const fer_visited *v, fer_err *err)
{
    struct answer *n = context;
    const fer_finding *findings = NULL;
    if (v->failure) {
        add(n, fer_arena_printf(n->arena, "Tool #%zu: %s", n->reader.number, v->failure->message));
    } else if (v->item && !is_of_shape(v->item)) {
        add(n, fer_arena_printf(n->arena,
                                "Tool #%zu must have the keys name, description (optional) and "
                                "input_schema or parameters, and no others",
                                v->item->number));
    } else {
        fer_code code = fer_visited_findings(v, &findings, err);
        if (code) return code;
        for (size_t i = 0; i < v->finding_count; i++) {
            const fer_finding *f = &findings[i];
            if (f->severity == FER_SEVERITY_ERROR && f->profile.len) add_finding(n, f);
        }
    }
    return n->no_memory ? fer_arena_failed(n->arena, err) : FER_OK;
}

static fer_code look_at_tools(struct answer *n, fer_str text, const fer_checks *checks,
                              fer_err *err)
{
    fer_check_run run;
    fer_err why;
    if (!fer_check_run_init(&run, n->arena, checks))
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code =
        fer_reader_init(&n->reader, NULL, FER_STR("tools_json"), text, FER_FORMAT_JSON, &why);
    if (!code) {
        code = fer_visit(&n->reader, FER_STR("tools_json"), &run, visit, n, &why);
        if (!code) code = fer_visit_end(&run, visit, n, &why);
        fer_reader_deinit(&n->reader);
    }
    fer_check_run_deinit(&run);
    if (code == FER_OUT_OF_MEMORY) return fer_fail(err, code, "%s", why.message);
    if (code)
        add(n,
            fer_arena_printf(n->arena, "tools_json is not a JSON list of tools: %s", why.message));
    return n->no_memory ? fer_arena_failed(n->arena, err) : FER_OK;
}

static fer_code write_answer(const struct answer *n, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, n->arena, ANSWER_MAX);
    fer_buf_add_text(&b, "{\"message\":");
    if (n->count == 0) fer_buf_add_quoted(&b, FER_STR("The tools are valid."));
    else if (n->count == 1) fer_buf_add_quoted(&b, n->errors[0]);
    else {
        fer_str first =
            fer_arena_printf(n->arena, "%.*s (and %zu more error%s)", FER_PRI(n->errors[0]),
                             n->count - 1, n->count == 2 ? "" : "s");
        if (!first.ptr) return fer_arena_failed(n->arena, err);
        fer_buf_add_quoted(&b, first);
    }
    fer_buf_add_text(&b, ",\"errors\":{");
    for (size_t i = 0; i < n->count; i++) {
        fer_buf_add_text(&b, i ? "," : "\"tools_json\":[");
        fer_buf_add_quoted(&b, n->errors[i]);
    }
    fer_buf_add_text(&b, n->count ? "]}}" : "}}");
    fer_code code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

fer_code fer_tools_json_answer(fer_arena *a, fer_str text, bool *ok, fer_str *answer, fer_err *err)
{
    const fer_profile *profile = NULL;
    struct answer n = {.arena = a};
    size_t start = fer_skim_space(text, 0);
    fer_checks *checks = fer_checks_new();
    fer_code code = checks ? fer_profile_find(a, FER_STR("tools_json"), &profile, err)
                           : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_checks_profile(checks, profile, err);
    if (!code && (start >= text.len || text.ptr[start] != '['))
        add(&n, FER_STR("tools_json is not a JSON list of tools"));
    else if (!code) code = look_at_tools(&n, text, checks, err);
    fer_checks_free(checks);
    if (!code) code = write_answer(&n, answer, err);
    if (!code) *ok = n.count == 0;
    return code;
}
