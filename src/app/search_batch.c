/* SPDX-License-Identifier: Apache-2.0 */
#include "search_batch.h"

#include "buf.h"
#include "catalog_file.h"
#include "errors.h"
#include "file.h"
#include "retrieval.h"

#define RUN_MAX ((size_t)4 << 30) /* bytes of what is written */

struct batch {
    fer_tool_list tools;
    fer_arena *arena; /* of one query */
    fer_buf run;
};

static fer_code answer(void *context, const yyjson_val *line, fer_err *err)
{
    struct batch *b = context;
    fer_ranked hits;
    const yyjson_val *id = fer_val_get(line, "id"), *query = fer_val_get(line, "query");
    if (!fer_is_str(id) || !fer_is_str(query))
        return fer_fail(err, FER_UNKNOWN_SHAPE, "the query has no id or no text");
    fer_arena_reset(b->arena);
    fer_code code = fer_tool_list_search(b->arena, &b->tools, fer_val_str(query), &hits, err);
    if (code) return code;
    fer_buf_add_text(&b->run, "{\"id\":");
    fer_buf_add_quoted(&b->run, fer_val_str(id));
    fer_buf_add_text(&b->run, ",\"ranked\":[");
    for (size_t i = 0; i < hits.count; i++) {
        if (i) fer_buf_add_char(&b->run, ',');
        fer_buf_add_quoted(&b->run, b->tools.ids[hits.list[i].number]);
    }
    fer_buf_add_text(&b->run, "]}\n");
    return fer_buf_code(&b->run, err);
}

static fer_code run_batch(fer_app *app, struct batch *b, const char *catalog, const char *queries,
                          fer_err *err)
{
    const char *out = fer_app_option(app, "out");
    fer_code code = fer_tool_list_read(&b->tools, catalog, false, err);
    if (!code) code = fer_tool_list_freeze(&b->tools, err);
    if (!code) code = fer_lines_visit(queries, answer, b, err);
    if (code) return code;
    if (out) return fer_file_replace(out, fer_buf_view(&b->run), err);
    fer_out_add(&app->out, fer_buf_view(&b->run));
    return FER_OK;
}

/* What a single query takes and a batch does not: nobody shall believe that it had an effect. */
static const char *const single[] = {"json",     "explain", "namespace",  "tag",
                                     "category", "effect",  "twins",      "page-size",
                                     "usage",    "tenant",  "page-token", "usage-file"};

int fer_search_batch(fer_app *app)
{
    struct batch b = {0};
    fer_err err;
    const char *queries = fer_app_option(app, "batch"), *catalog = fer_app_option(app, "catalog");
    if (!catalog)
        return fer_app_usage(app, "--batch needs --catalog TOOLS, a line of JSON for each tool");
    if (app->arg_count)
        return fer_app_usage(app, "--batch has its queries in a file; '%s' is too much",
                             app->args[0]);
    for (size_t i = 0; i < FER_COUNT(single); i++)
        if (fer_app_option(app, single[i]))
            return fer_app_usage(app, "--%s does not go with --batch", single[i]);
    if (fer_catalog_file_begins(catalog))
        return fer_app_usage(app,
                             "%s is a catalogue of 'ferrule index build'; --batch takes the "
                             "definitions, a line of JSON for each tool",
                             catalog);
    const fer_embedder_choice embedder = fer_embedder_choice_of(app);
    fer_code code = fer_tool_list_init(&b.tools, fer_ranker_asked(app), &embedder, &err);
    if (code) return fer_app_fail(app, &err);
    b.arena = fer_arena_new(0);
    fer_buf_init(&b.run, b.tools.arena, RUN_MAX);
    code = b.arena ? run_batch(app, &b, catalog, queries, &err)
                   : fer_fail(&err, FER_OUT_OF_MEMORY, "no memory for searching");
    fer_arena_free(b.arena);
    fer_tool_list_deinit(&b.tools);
    return code ? fer_app_fail(app, &err) : FER_EXIT_OK;
}
