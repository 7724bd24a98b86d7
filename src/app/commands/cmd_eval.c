/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule eval: how well search finds the tools that were meant. */
#include <math.h>

#include "command.h"
#include "errors.h"
#include "retrieval.h"

enum measure {
    RECALL_1,
    RECALL_3,
    RECALL_5,
    RECALL_10,
    NDCG_10,
    MRR,
    MEASURES
};
static const char *const measure_names[MEASURES] = {"recall@1",  "recall@3", "recall@5",
                                                    "recall@10", "ndcg@10",  "mrr"};
#define PARTS 10 /* of the queries: each is asked of a memory that has seen all others */
static const size_t recall_at[] = {1, 3, 5, 10};

struct score {
    double sums[MEASURES];
    size_t queries, fitting;
    size_t unknown; /* relevant IDs that no tool has */
};

struct eval {
    fer_app *app;
    fer_arena *arena;
    fer_tool_list tools;
    struct score score;
    unsigned part; /* of the queries that is asked, where the others are remembered */
};

/* ---- one query ------------------------------------------------------------------ */

static bool is_relevant(const struct eval *e, const yyjson_val *relevant, uint32_t number)
{
    fer_str id = e->tools.ids[number];
    FER_EACH_ITEM (relevant, v) {
        if (fer_is_str(v) && fer_str_eq(fer_val_str(v), id)) return true;
    }
    return false;
}

static void score_hits(struct eval *e, const yyjson_val *relevant, const fer_ranked *hits)
{
    double *sums = e->score.sums, gain = 0, ideal = 0;
    size_t wanted = fer_val_len(relevant), found = 0;
    for (size_t i = 0; i < hits->count; i++) {
        if (!is_relevant(e, relevant, hits->list[i].number)) continue;
        if (!found++) sums[MRR] += 1 / (double)(i + 1);
        if (i < 10) gain += 1 / log2((double)(i + 2));
        for (size_t k = 0; k < FER_COUNT(recall_at); k++) {
            if (i < recall_at[k]) sums[RECALL_1 + k] += 1 / (double)wanted;
        }
    }
    for (size_t i = 0; i < wanted && i < 10; i++) ideal += 1 / log2((double)(i + 2));
    sums[NDCG_10] += gain / ideal;
}

/* One of ten parts of the queries, by their IDs. */
static unsigned part_of(const yyjson_val *line)
{
    const yyjson_val *id = fer_val_get(line, "id");
    fer_str text = fer_is_str(id) ? fer_val_str(id) : FER_STR("");
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < text.len; i++) h = (h ^ (uint8_t)text.ptr[i]) * 16777619u;
    return ((h ^ h >> 15) >> 7) % PARTS;
}

static fer_code note_query(void *context, const yyjson_val *line, fer_err *err)
{
    struct eval *e = context;
    const yyjson_val *query = fer_val_get(line, "query"), *relevant = fer_val_get(line, "relevant");
    fer_code code = FER_OK;
    if (part_of(line) == e->part || !fer_is_str(query) || !fer_is_arr(relevant)) return FER_OK;
    FER_EACH_ITEM (relevant, v) {
        size_t number = fer_is_str(v) ? fer_ranked_tool_find(&e->tools, fer_val_str(v)) : SIZE_MAX;
        if (code || number == SIZE_MAX) continue;
        fer_arena_reset(e->arena);
        code = fer_tool_list_note(e->arena, &e->tools, fer_val_str(query), number, err);
    }
    return code;
}

static size_t count_unknown(const struct eval *e, const yyjson_val *relevant)
{
    size_t unknown = 0;
    FER_EACH_ITEM (relevant, v) {
        size_t number = fer_is_str(v) ? fer_ranked_tool_find(&e->tools, fer_val_str(v)) : SIZE_MAX;
        unknown += number == SIZE_MAX;
    }
    return unknown;
}

static fer_code eval_query(void *context, const yyjson_val *line, fer_err *err)
{
    struct eval *e = context;
    fer_ranked hits;
    const yyjson_val *query = fer_val_get(line, "query"), *relevant = fer_val_get(line, "relevant");
    if (!fer_is_str(query) || !fer_is_arr(relevant) || !fer_val_len(relevant))
        return fer_fail(err, FER_UNKNOWN_SHAPE, "the query has no text or nothing relevant");
    if (e->tools.usage && part_of(line) != e->part) return FER_OK;
    fer_arena_reset(e->arena);
    fer_code code = fer_tool_list_search(e->arena, &e->tools, fer_val_str(query), &hits, err);
    if (code) return code;
    score_hits(e, relevant, &hits);
    e->score.queries++;
    e->score.fitting += hits.fits;
    e->score.unknown += count_unknown(e, relevant);
    return FER_OK;
}

/* ---- one set -------------------------------------------------------------------- */

static fer_code read_crowd(struct eval *e, fer_err *err)
{
    const char *path;
    for (size_t i = 0; (path = fer_app_values(e->app, "crowd", i)); i++) {
        fer_code code = fer_tool_list_read(&e->tools, path, true, err);
        if (code) return code;
    }
    return FER_OK;
}

/* Each tenth of the queries is asked after all others were noted. */
static fer_code eval_parts(struct eval *e, const char *queries, fer_err *err)
{
    fer_code code = FER_OK;
    for (e->part = 0; !code && e->part < PARTS; e->part++) {
        code = fer_tool_list_remember(&e->tools, err);
        if (!code) code = fer_lines_visit(queries, note_query, e, err);
        if (!code) code = fer_lines_visit(queries, eval_query, e, err);
    }
    return code;
}

static fer_code eval_set(struct eval *e, const char *folder, fer_err *err)
{
    fer_str tools = fer_arena_printf(e->tools.arena, "%s/tools.jsonl", folder);
    fer_str queries = fer_arena_printf(e->tools.arena, "%s/queries.jsonl", folder);
    if (!tools.ptr || !queries.ptr) return fer_arena_failed(e->tools.arena, err);
    e->score = (struct score){0};
    fer_code code = fer_tool_list_read(&e->tools, tools.ptr, false, err);
    if (!code) code = read_crowd(e, err);
    if (!code) code = fer_tool_list_freeze(&e->tools, err);
    bool usage = fer_app_option(e->app, "usage");
    if (!code && usage) code = eval_parts(e, queries.ptr, err);
    else if (!code) code = fer_lines_visit(queries.ptr, eval_query, e, err);
    if (!code && !e->score.queries)
        code = fer_fail(err, FER_UNKNOWN_SHAPE, "%s: no queries", queries.ptr);
    for (size_t m = 0; !code && m < MEASURES; m++) e->score.sums[m] /= (double)e->score.queries;
    return code;
}

/* ---- rows ----------------------------------------------------------------------- */

static fer_str last_part(const char *folder)
{
    fer_str s = fer_str_of(folder);
    while (s.len > 1 && s.ptr[s.len - 1] == '/') s.len--;
    for (size_t i = s.len; i-- > 0;) {
        if (s.ptr[i] == '/') return fer_str_slice(s, i + 1, s.len);
    }
    return s;
}

static void write_head(fer_app *app)
{
    if (fer_app_option(app, "json")) return;
    fer_out_printf(&app->out, "%-18s", "set");
    for (size_t m = 0; m < MEASURES; m++) fer_out_printf(&app->out, "%10s", measure_names[m]);
    fer_out_printf(&app->out, "%9s%9s%9s\n", "tools", "queries", "fits");
}

static void write_row(fer_app *app, fer_str name, const struct score *s, size_t tools)
{
    fer_out *o = &app->out;
    double fits = s->queries ? 100 * (double)s->fitting / (double)s->queries : 0;
    if (fer_app_option(app, "json")) {
        fer_out_text(o, "{\"set\":");
        fer_out_json(o, name);
        for (size_t m = 0; m < MEASURES; m++)
            fer_out_printf(o, ",\"%s\":%.6f", measure_names[m], s->sums[m]);
        fer_out_printf(o, ",\"tools\":%zu,\"queries\":%zu,\"fits\":%.4f,\"unknown\":%zu}\n", tools,
                       s->queries, fits / 100, s->unknown);
        return;
    }
    fer_out_clean(o, name);
    for (size_t pad = name.len; pad < 18; pad++) fer_out_text(o, " ");
    for (size_t m = 0; m < MEASURES; m++) fer_out_printf(o, "%10.2f", 100 * s->sums[m]);
    fer_out_printf(o, "%9zu%9zu%9.1f\n", tools, s->queries, fits);
}

/* What cannot be found lowers all figures, whoever ranks. */
static void tell_unknown(const struct eval *e, const char *folder)
{
    if (!e->score.unknown) return;
    fer_app_say(e->app, "%s: %zu relevant %s of no tool there, and count as not found", folder,
                e->score.unknown, e->score.unknown == 1 ? "ID is that" : "IDs are those");
}

static int eval_folder(struct eval *e, const char *folder, struct score *macro)
{
    fer_err err;
    const fer_embedder_choice embedder = fer_embedder_choice_of(e->app);
    fer_code code = fer_tool_list_init(&e->tools, fer_ranker_asked(e->app), &embedder, &err);
    if (!code) code = eval_set(e, folder, &err);
    if (!code) {
        write_row(e->app, last_part(folder), &e->score, e->tools.count);
        tell_unknown(e, folder);
        for (size_t m = 0; m < MEASURES; m++)
            macro->sums[m] += e->score.sums[m] / (double)e->app->arg_count;
        macro->queries += e->score.queries;
        macro->fitting += e->score.fitting;
        macro->unknown += e->score.unknown;
    }
    fer_tool_list_deinit(&e->tools);
    return code ? fer_app_fail(e->app, &err) : FER_EXIT_OK;
}

int fer_run_eval(fer_app *app)
{
    struct eval e = {.app = app};
    struct score macro = {0};
    int exit_code = FER_EXIT_OK;
    if (!app->arg_count) return fer_app_usage(app, "eval needs at least one folder");
    if (fer_app_option(app, "usage") && fer_ranker_asked(app) != FER_RANKER_HYBRID)
        return fer_app_usage(app, "past calls have a say in the hybrid ranker only");
    e.arena = fer_arena_new(0);
    if (!e.arena)
        return fer_app_fail(app, &(fer_err){.code = FER_OUT_OF_MEMORY, .message = "no memory"});
    write_head(app);
    for (size_t i = 0; i < app->arg_count && !exit_code; i++)
        exit_code = eval_folder(&e, app->args[i], &macro);
    if (!exit_code && app->arg_count > 1) write_row(app, FER_STR("macro"), &macro, 0);
    fer_arena_free(e.arena);
    return exit_code;
}
