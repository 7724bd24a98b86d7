/* SPDX-License-Identifier: Apache-2.0 */
#include "retrieval.h"

#include <ferrule/json.h>
#include <stdio.h>

#include "errors.h"
#include "json_doc.h"
#include "json_skim.h"
#include "stream.h"
#include "tool_text.h"

/* ---- lines ---------------------------------------------------------------------- */

/* Says where: "tools.jsonl:7: ..." */
static fer_code at_line(fer_err *err, fer_code code, const char *path, uint32_t line)
{
    char message[FER_ERR_TEXT];
    if (!err) return code;
    memcpy(message, err->message, sizeof message);
    return fer_fail(err, code, "%s:%u: %s", path, line, message);
}

static fer_code visit_line(fer_arena *a, fer_str text, fer_line_visitor *visit, void *context,
                           fer_err *err)
{
    fer_json *doc;
    if (fer_skim_space(text, 0) == text.len) return FER_OK;
    fer_arena_reset(a);
    fer_code code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    if (!fer_is_obj(fer_json_root(doc)))
        return fer_fail(err, FER_UNKNOWN_SHAPE, "the line is not an object");
    return visit(context, fer_json_root(doc), err);
}

static fer_code visit_stream(fer_arena *a, fer_stream *s, fer_line_visitor *visit, void *context,
                             fer_err *err)
{
    for (;;) {
        fer_str text;
        fer_code code = fer_stream_line(s, &text, err);
        if (code || !text.ptr) return code;
        code = visit_line(a, text, visit, context, err);
        if (code) return at_line(err, code, s->path, s->line);
    }
}

fer_code fer_lines_visit(const char *path, fer_line_visitor *visit, void *context, fer_err *err)
{
    fer_stream s;
    fer_arena *a = fer_arena_new(0);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for reading %s", path);
    fer_code code = fer_stream_open(&s, path, FER_RETRIEVAL_LINE, err);
    if (!code) {
        code = visit_stream(a, &s, visit, context, err);
        fer_stream_close(&s);
    }
    fer_arena_free(a);
    return code;
}

/* ---- tools ---------------------------------------------------------------------- */

fer_ranker fer_ranker_of(const char *name)
{
    fer_ranker r = FER_RANKER_BM25;
    while (strcmp(fer_ranker_names[r], name) != 0) r++;
    return r;
}

fer_ranker fer_ranker_asked(const fer_app *app)
{
    const char *name = fer_app_option(app, "ranker");
    if (name) return fer_ranker_of(name);
    bool both = fer_embedder_is_named(app) || fer_app_option(app, "usage");
    return both ? FER_RANKER_HYBRID : FER_RANKER_BM25;
}

static fer_code init_vectors(fer_tool_list *t, const fer_embedder_choice *embedder, fer_err *err)
{
    fer_code code = fer_chosen_embedder_open(&t->embedding, embedder, err);
    if (code) return code;
    t->tokeniser = fer_tokeniser_new();
    t->vectors = fer_vectors_new(t->embedding.embedder->dims);
    if (t->tokeniser && t->vectors) return FER_OK;
    return fer_fail(err, FER_OUT_OF_MEMORY, "no memory for vectors");
}

fer_code fer_tool_list_init(fer_tool_list *t, fer_ranker ranker,
                            const fer_embedder_choice *embedder, fer_err *err)
{
    *t = (fer_tool_list){.arena = fer_arena_new(0),
                         .builder = fer_lexical_builder_new(0),
                         .searcher = fer_searcher_new(),
                         .ranker = ranker};
    fer_code code = t->arena && t->builder && t->searcher
                        ? FER_OK
                        : fer_fail(err, FER_OUT_OF_MEMORY, "no memory for a list of tools");
    if (!code && ranker != FER_RANKER_BM25) code = init_vectors(t, embedder, err);
    if (code) fer_tool_list_deinit(t);
    else fer_map_init(&t->numbers, t->arena);
    return code;
}

void fer_tool_list_deinit(fer_tool_list *t)
{
    fer_lexical_builder_free(t->builder);
    fer_lexical_free(t->index);
    fer_searcher_free(t->searcher);
    fer_chosen_embedder_close(&t->embedding);
    fer_tokeniser_free(t->tokeniser);
    fer_vectors_free(t->vectors);
    fer_usage_free(t->usage);
    fer_arena_free(t->arena);
    *t = (fer_tool_list){0};
}

static fer_str text_of(const yyjson_val *tool, const char *key)
{
    const yyjson_val *v = fer_val_get(tool, key);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
}

/* Gives an ID its number. */
static fer_code add_id(fer_tool_list *t, bool crowd, fer_str id, fer_err *err)
{
    fer_str whole = crowd ? fer_arena_printf(t->arena, "crowd/%zu/%.*s", t->count, FER_PRI(id))
                          : fer_arena_copy(t->arena, id);
    fer_str *ids = fer_arena_room(t->arena, t->ids, t->count, &t->cap, sizeof *ids);
    void **place = whole.ptr && ids ? fer_map_put(&t->numbers, whole) : NULL;
    if (!place) return fer_arena_failed(t->arena, err);
    if (*place)
        return fer_fail(err, FER_UNKNOWN_SHAPE, "the id '%.*s' is there twice", FER_PRI(whole));
    t->ids = ids;
    t->ids[t->count++] = whole;
    *place = (void *)(uintptr_t)t->count;
    return FER_OK;
}

struct reading {
    fer_tool_list *tools;
    bool crowd;
    fer_arena *scratch;
    fer_arena *waiting_arena; /* of the tools that were added last and have no vectors yet */
    fer_search_doc waiting[FER_RETRIEVAL_SOME];
    size_t waiting_count;
};

/* Of the tools that wait. */
static fer_code make_vectors(struct reading *r, fer_err *err)
{
    fer_tool_list *t = r->tools;
    fer_embedder *e = t->embedding.embedder;
    size_t count = r->waiting_count, first = t->count - count;
    if (!count) return FER_OK;
    int8_t *vectors = fer_arena_alloc(r->waiting_arena, count * e->dims);
    if (!vectors) return fer_arena_failed(r->waiting_arena, err);
    fer_code code = e->embed(e, r->waiting, count, FER_EMBED_DOC, vectors, err);
    for (size_t i = 0; i < count && !code; i++)
        code = fer_vectors_put(t->vectors, (uint32_t)(first + i), vectors + i * e->dims, err);
    r->waiting_count = 0;
    fer_arena_reset(r->waiting_arena);
    return code;
}

static bool copy_doc(fer_arena *a, const fer_search_doc *from, fer_search_doc *to)
{
    fer_search_text *texts = fer_arena_alloc(a, (from->count + 1) * sizeof *texts);
    if (!texts) return false;
    for (size_t i = 0; i < from->count; i++) {
        texts[i] = (fer_search_text){from->texts[i].field, fer_arena_copy(a, from->texts[i].text)};
        if (!texts[i].text.ptr) return false;
    }
    *to = (fer_search_doc){texts, from->count};
    return true;
}

/* Of the tool that was added last; an embedder may be far away, so some are asked for together. */
static fer_code add_vector(struct reading *r, const fer_search_doc *doc, fer_err *err)
{
    if (!r->tools->vectors) return FER_OK;
    if (!copy_doc(r->waiting_arena, doc, &r->waiting[r->waiting_count]))
        return fer_arena_failed(r->waiting_arena, err);
    return ++r->waiting_count == FER_RETRIEVAL_SOME ? make_vectors(r, err) : FER_OK;
}

static fer_code add_tool(void *context, const yyjson_val *tool, fer_err *err)
{
    struct reading *r = context;
    fer_search_doc doc;
    fer_str id = text_of(tool, "id");
    fer_tool_head head = {text_of(tool, "namespace"),   text_of(tool, "name"),
                          text_of(tool, "title"),       text_of(tool, "category"),
                          text_of(tool, "description"), fer_val_get(tool, "tags")};
    if (!id.len) return fer_fail(err, FER_UNKNOWN_SHAPE, "the tool has no id");
    fer_arena_reset(r->scratch);
    fer_code code = fer_tool_text(r->scratch, &head, fer_val_get(tool, "inputSchema"), &doc, err);
    if (!code) code = add_id(r->tools, r->crowd, id, err);
    if (!code)
        code =
            fer_lexical_builder_add(r->tools->builder, (uint32_t)(r->tools->count - 1), &doc, err);
    return code ? code : add_vector(r, &doc, err);
}

fer_code fer_tool_list_read(fer_tool_list *t, const char *path, bool crowd, fer_err *err)
{
    struct reading r = {
        .tools = t, .crowd = crowd, .scratch = fer_arena_new(0), .waiting_arena = fer_arena_new(0)};
    fer_code code = r.scratch && r.waiting_arena
                        ? fer_lines_visit(path, add_tool, &r, err)
                        : fer_fail(err, FER_OUT_OF_MEMORY, "no memory for reading %s", path);
    if (!code) code = make_vectors(&r, err);
    fer_arena_free(r.scratch);
    fer_arena_free(r.waiting_arena);
    return code;
}

fer_code fer_tool_list_freeze(fer_tool_list *t, fer_err *err)
{
    fer_str frozen;
    fer_code code = fer_lexical_builder_finish(t->arena, t->builder, &frozen, err);
    fer_lexical_builder_free(t->builder);
    t->builder = NULL;
    return code ? code : fer_lexical_open(frozen, &t->index, err);
}

static bool by_id(void *context, uint32_t one, uint32_t other)
{
    const fer_tool_list *t = context;
    return fer_str_cmp(t->ids[one], t->ids[other]) < 0;
}

static fer_hybrid parts_of(const fer_tool_list *t)
{
    return (fer_hybrid){t->index,     t->vectors, t->searcher, t->embedding.embedder,
                        t->tokeniser, t->usage};
}

fer_code fer_tool_list_search(fer_arena *a, fer_tool_list *t, fer_str query, fer_ranked *out,
                              fer_err *err)
{
    const fer_hybrid parts = parts_of(t);
    const fer_hybrid_query q = {
        .base = {.text = query, .limit = FER_RETRIEVAL_DEEP, .before = by_id, .context = t},
        .ranker = t->ranker};
    fer_hybrid_hits hits;
    fer_code code = fer_hybrid_search(a, &parts, &q, &hits, err);
    if (code) return code;
    *out = (fer_ranked){hits.fused.list, hits.fused.count,
                        t->ranker == FER_RANKER_EMBEDDING || hits.lexical.fits};
    return FER_OK;
}

fer_code fer_tool_list_remember(fer_tool_list *t, fer_err *err)
{
    fer_usage_free(t->usage);
    t->usage = fer_usage_new(0, t->vectors ? t->embedding.embedder->dims : 0);
    return t->usage ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "no memory to remember queries");
}

fer_code fer_tool_list_note(fer_arena *a, fer_tool_list *t, fer_str query, size_t number,
                            fer_err *err)
{
    const fer_hybrid parts = parts_of(t);
    return fer_hybrid_note(a, &parts, query, (uint32_t)number, err);
}

size_t fer_ranked_tool_find(const fer_tool_list *t, fer_str id)
{
    uintptr_t number = (uintptr_t)fer_map_get(&t->numbers, id);
    return number ? number - 1 : SIZE_MAX;
}
