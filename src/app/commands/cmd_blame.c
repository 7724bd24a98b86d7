/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule blame: a provider's error message, and the tool, place and rule that it means. */
#include "blame.h"

#include <unistd.h>

#include "errors.h"
#include "file.h"
#include "inputs.h"
#include "report.h"
#include "toolset.h"

#define MESSAGE_RULE "unknown"

struct guilty {
    fer_str source;
    fer_str tool;
    fer_str pointer;
    fer_place place;
    size_t number;
    fer_blame_match match;
};

struct search {
    fer_app *app;
    fer_arena *arena; /* what is kept of tools */
    fer_blame blame;
    fer_reader reader;
    fer_str source;
    struct guilty *list;
    size_t count, cap;
    bool sure; /* one of them is meant for certain */
};

static fer_code note(struct search *s, const fer_visited *v, const yyjson_val *at,
                     fer_blame_match match, fer_err *err)
{
    fer_buf inside;
    struct guilty *list = fer_arena_room(s->arena, s->list, s->count, &s->cap, sizeof *list);
    fer_buf_init(&inside, s->arena, (size_t)64 << 10);
    fer_pointer_of(&inside, v->item->record, at);
    fer_str pointer =
        fer_arena_printf(s->arena, "%.*s%.*s%.*s", FER_PRI(v->item->prefix),
                         FER_PRI(v->item->inside), (int)inside.len, inside.ptr ? inside.ptr : "");
    fer_str tool = fer_arena_copy(s->arena, fer_tool_id(v->tool));
    if (!list || inside.failure || !pointer.ptr || !tool.ptr)
        return fer_arena_failed(s->arena, err);
    fer_code code = fer_json_index(fer_reader_arena(&s->reader), v->item->doc, err);
    if (code) return code;
    size_t offset = v->item->base + fer_json_offset(v->item->doc, at);
    s->list = list;
    s->list[s->count++] =
        (struct guilty){s->source,       tool, pointer, fer_lines_place(&s->reader.lines, offset),
                        v->item->number, match};
    s->sure = s->sure || match == FER_BLAME_YES;
    return FER_OK;
}

static fer_code visit(void *context, const fer_visited *v, fer_err *err)
{
    struct search *s = context;
    const yyjson_val *at = NULL;
    if (!v->tool) return FER_OK; /* what cannot be read, ferrule check tells */
    fer_blame_match match = fer_blame_tool(&s->blame, v->tool, v->item->number, &at);
    return match == FER_BLAME_NO ? FER_OK : note(s, v, at, match, err);
}

static fer_code search_inputs(struct search *s, fer_inputs *in, fer_err *err)
{
    for (size_t i = 0; i < in->count; i++) {
        fer_str text;
        fer_code code = fer_inputs_read(in, s->app, i, &s->source, &text, err);
        if (!code) code = fer_reader_init(&s->reader, NULL, s->source, text, in->format, err);
        if (code) return code;
        code = fer_visit(&s->reader, s->source, NULL, visit, s, err);
        fer_reader_deinit(&s->reader);
        if (code) {
            fer_fail_in(err, s->source);
            return code;
        }
    }
    return FER_OK;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void write_json(struct search *s)
{
    fer_out *o = &s->app->out;
    fer_out_printf(o, "{\"provider\":\"%s\",\"rule\":", s->blame.family);
    if (s->blame.rule) fer_out_json(o, fer_str_of(s->blame.rule->id));
    else fer_out_text(o, "null");
    fer_out_text(o, ",\"tools\":[");
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct guilty *g = &s->list[i];
        if (s->sure && g->match != FER_BLAME_YES) continue;
        fer_out_printf(o, "%s\n{\"toolNumber\":%zu,\"tool\":", any ? "," : "", g->number);
        any = true;
        fer_out_json(o, g->tool);
        fer_out_text(o, ",\"file\":");
        fer_out_json(o, g->source);
        fer_out_printf(o, ",\"line\":%u,\"column\":%u,\"certain\":%s,\"pointer\":", g->place.line,
                       g->place.column, g->match == FER_BLAME_YES ? "true" : "false");
        fer_out_json(o, g->pointer);
        fer_out_text(o, "}");
    }
    fer_out_text(o, "]}\n");
}

static void write_text(struct search *s)
{
    fer_out *o = &s->app->out;
    const fer_rule *rule = s->blame.rule;
    for (size_t i = 0; i < s->count; i++) {
        const struct guilty *g = &s->list[i];
        if (s->sure && g->match != FER_BLAME_YES) continue;
        fer_out_style(o, FER_STYLE_BOLD);
        fer_out_clean(o, g->source);
        fer_out_printf(o, ":%u:%u", g->place.line, g->place.column);
        fer_out_style(o, FER_STYLE_NONE);
        fer_out_printf(o, ": tool %zu (", g->number);
        fer_out_clean(o, g->tool);
        fer_out_text(o, ")");
        if (g->pointer.len) fer_out_text(o, ", at ");
        fer_out_clean(o, g->pointer);
        fer_out_printf(o, "%s\n", g->match == FER_BLAME_YES ? "" : " (perhaps)");
    }
    if (!s->count) fer_out_text(o, "the message names no tool of these files\n");
    fer_out_printf(o, "rule: %s (a message of %s)\n", rule ? rule->id : MESSAGE_RULE,
                   s->blame.family);
    if (rule) fer_out_printf(o, "%s\nfix: %s\n", rule->text, rule->fix);
}

static int blame(fer_app *app, fer_inputs *in, fer_arena *a, fer_str message)
{
    fer_err err;
    struct search s = {.app = app, .arena = a};
    fer_code code = fer_blame_read(message, &s.blame, &err);
    if (!code) code = search_inputs(&s, in, &err);
    if (code) return fer_app_fail(app, &err);
    if (fer_app_option(app, "json")) write_json(&s);
    else write_text(&s);
    return s.count ? FER_EXIT_OK : FER_EXIT_FINDINGS;
}

static fer_code read_message(fer_arena *a, fer_str *message, fer_err *err)
{
    fer_code code =
        fer_file_read_fd(a, STDIN_FILENO, "standard input", FER_BLAME_TEXT, message, err);
    if (code == FER_LIMIT_EXCEEDED)
        fer_fail(err, code, "blame.size: a message has at most %zu bytes", FER_BLAME_TEXT);
    return code;
}

int fer_run_blame(fer_app *app)
{
    fer_inputs in = {0};
    fer_err err;
    fer_str message = fer_str_of(fer_app_option(app, "message"));
    if (!app->arg_count)
        return fer_app_usage(app,
                             "blame needs a file with tools; the message comes on standard input");
    if (!message.ptr && isatty(STDIN_FILENO))
        return fer_app_usage(
            app, "blame reads the provider's message from standard input, or from --message");
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? FER_OK : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code && !message.ptr) code = read_message(a, &message, &err);
    int result = code ? fer_app_fail(app, &err) : fer_inputs_init(&in, app, 0);
    if (!result) {
        result = blame(app, &in, a, message);
        fer_inputs_deinit(&in);
    }
    fer_arena_free(a);
    return result;
}
