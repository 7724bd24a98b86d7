/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule search: the tools that fit a request in plain words. */
#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "errors.h"
#include "file.h"
#include "retrieval.h"
#include "search_batch.h"
#include "shelf.h"
#include "unicode.h"

#define ROWS    10 /* on a page of the command line */
#define NEAREST 3  /* that are shown where nothing fits */
#define WORDS   4  /* of a reason in the table */

struct search {
    fer_shelf shelf;
    fer_str query;
    fer_str tenant; /* whose past calls have a say; empty: nobody's */
    fer_rank rank;
    fer_found found;
    fer_vector_stats vectors;
    bool json, explain;
};

_Static_assert((int)FER_RANK_BM25 + (int)FER_RANKER_HYBRID == (int)FER_RANK_HYBRID,
               "both name the rankers in the same order");

/* ---- why ------------------------------------------------------------------------------------- */

/* Where a word stands in the query, case ignored; its end, where it is nowhere as it is. */
static size_t place_in(fer_str query, fer_str word)
{
    for (size_t at = 0; word.len <= query.len && at <= query.len - word.len; at++) {
        if (fer_str_eq_nocase(fer_str_slice(query, at, at + word.len), word)) return at;
    }
    return query.len;
}

/* The words that count most, in short, in the order of the query. */
static fer_str why_text(const struct search *s, const fer_match *m)
{
    fer_buf b;
    size_t count = m->why_count < WORDS ? m->why_count : WORDS, order[WORDS];
    fer_buf_init(&b, s->shelf.arena, 4096);
    if (m->named) fer_buf_add_text(&b, "its name");
    for (size_t i = 0; i < count; i++) {
        size_t k = i, place = place_in(s->query, m->why[i].word);
        for (; k && place_in(s->query, m->why[order[k - 1]].word) > place; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (size_t i = 0; !m->named && i < count; i++) {
        if (i) fer_buf_add_text(&b, ", ");
        fer_buf_add(&b, m->why[order[i]].word);
    }
    return b.failure || !b.ptr ? FER_STR("") : fer_buf_view(&b);
}

/* Whether another word was taken for it: its stem is none. */
static bool is_other(const fer_why *w)
{
    size_t same = 0, least = w->word.len < w->matched.len ? w->word.len : w->matched.len;
    while (same < least && w->word.ptr[same] == w->matched.ptr[same]) same++;
    return w->matched.len && same + 1 < least;
}

/* What each ranker gave, where there was more than one; and who else has the tool. */
static void write_parts(fer_out *o, const fer_match *m)
{
    fer_out_style(o, FER_STYLE_DIM);
    if (m->meaning > 0 || m->uses > 0)
        fer_out_printf(o, "    words %.2f, meaning %.2f, past calls %.2f of the best\n", m->words,
                       m->meaning, m->uses);
    if (m->also_count) fer_out_text(o, "    also in:");
    for (size_t i = 0; i < m->also_in.count; i++) {
        fer_out_text(o, i ? ", " : " ");
        fer_out_clean(o, m->also_in.list[i]);
    }
    if (m->also_count > m->also_in.count)
        fer_out_printf(o, " and %zu more", m->also_count - m->also_in.count);
    if (m->also_count) fer_out_text(o, "\n");
    fer_out_style(o, FER_STYLE_NONE);
}

/* What no single word has given: without it the shares would not add up. */
static void write_rest(fer_out *o, const fer_match *m)
{
    double rest = 1;
    for (size_t i = 0; i < m->why_count; i++) rest -= m->why[i].share;
    if (!m->why_count || rest < 0.005) return;
    fer_out_style(o, FER_STYLE_DIM);
    fer_out_printf(o, "   %3.0f %%  pairs of words, words near to these, how much of the name\n",
                   100 * rest);
    fer_out_style(o, FER_STYLE_NONE);
}

static void write_why(fer_out *o, const fer_match *m)
{
    for (size_t i = 0; i < m->why_count; i++) {
        const fer_why *w = &m->why[i];
        fer_out_printf(o, "   %3.0f %%  ", 100 * w->share);
        fer_out_clean(o, w->word);
        if (is_other(w)) {
            fer_out_text(o, " -> ");
            fer_out_clean(o, w->matched);
        }
        fer_out_style(o, FER_STYLE_DIM);
        fer_out_text(o, "  ");
        fer_out_clean(o, w->fields);
        fer_out_style(o, FER_STYLE_NONE);
        fer_out_text(o, "\n");
    }
}

/* ---- the forms of an answer --------------------------------------------------------------------
 */

static void write_explained(struct search *s, size_t count)
{
    fer_out *o = &s->shelf.app->out;
    for (size_t i = 0; i < count; i++) {
        const fer_match *m = &s->found.matches[i];
        fer_out_printf(o, "%s%2zu. ", i ? "\n" : "", i + 1);
        fer_out_style(o, FER_STYLE_BOLD);
        fer_out_clean(o, m->hit.summary.id);
        fer_out_style(o, FER_STYLE_NONE);
        fer_out_printf(o, "  %.2f %s%s\n    ", m->hit.score, m->hit.score_type,
                       m->named ? ", named" : "");
        fer_out_clean(o, m->hit.summary.short_description);
        fer_out_text(o, "\n");
        write_parts(o, m);
        write_why(o, m);
        write_rest(o, m);
    }
}

/* Lines of words separated by tabs, for other programs. */
static void write_lines(struct search *s)
{
    fer_out *o = &s->shelf.app->out;
    for (size_t i = 0; i < s->found.count; i++) {
        const fer_match *m = &s->found.matches[i];
        const fer_str cells[] = {m->hit.summary.id, m->hit.summary.ns, why_text(s, m),
                                 m->hit.summary.short_description};
        fer_out_printf(o, "%.2f", m->hit.score);
        for (size_t c = 0; c < FER_COUNT(cells); c++) {
            fer_out_text(o, "\t");
            fer_out_clean(o, cells[c]);
        }
        fer_out_text(o, "\n");
    }
}

/* A text on one line that no terminal obeys. */
static fer_str cleaned(fer_arena *a, fer_str text)
{
    fer_buf b;
    fer_buf_init(&b, a, 4096);
    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        uint32_t c = fer_utf8_next(text, &at);
        bool plain = c >= 0x20 && !(c >= 0x7F && c < 0xA0) && c != 0xFFFD &&
                     !(c >= 0x202A && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069);
        if (plain) fer_buf_add(&b, fer_str_slice(text, from, at));
        else fer_buf_add_char(&b, ' ');
    }
    fer_buf_add_char(&b, '\0');
    return b.failure ? FER_STR("") : fer_buf_view(&b);
}

static bool add_row(struct libscols_table *t, struct search *s, const fer_match *m)
{
    fer_arena *a = s->shelf.arena;
    char score[32];
    snprintf(score, sizeof score, "%.2f", m->hit.score);
    const fer_str cells[] = {fer_str_of(score), m->hit.summary.id, m->hit.summary.ns,
                             why_text(s, m), m->hit.summary.short_description};
    struct libscols_line *line = scols_table_new_line(t, NULL);
    for (size_t i = 0; line && i < FER_COUNT(cells); i++) {
        fer_str text = cleaned(a, cells[i]);
        if (scols_line_set_data(line, i, text.ptr) != 0) return false;
    }
    return line != NULL;
}

static fer_code write_table(struct search *s, size_t count, fer_err *err)
{
    fer_out *o = &s->shelf.app->out;
    struct libscols_table *t = scols_new_table();
    bool ok = t && scols_table_new_column(t, "SCORE", 0, SCOLS_FL_RIGHT) &&
              scols_table_new_column(t, "TOOL", 0, 0) &&
              scols_table_new_column(t, "NAMESPACE", 0.1, SCOLS_FL_TRUNC) &&
              scols_table_new_column(t, "WHY", 0.2, SCOLS_FL_TRUNC) &&
              scols_table_new_column(t, "DESCRIPTION", 0.4, SCOLS_FL_TRUNC);
    for (size_t i = 0; ok && i < count; i++) ok = add_row(t, s, &s->found.matches[i]);
    if (ok) {
        fer_out_flush(o);
        if (scols_print_table(t) != 0 || fflush(stdout) != 0) {
            o->failed = true;
            o->error = errno;
        }
    }
    scols_unref_table(t);
    return ok ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

static void write_why_json(fer_out *o, const fer_match *m)
{
    fer_out_text(o, "{\"id\":");
    fer_out_json(o, m->hit.summary.id);
    fer_out_printf(o, ",\"named\":%s,\"parts\":{\"words\":%.3f,\"meaning\":%.3f,\"uses\":%.3f}",
                   m->named ? "true" : "false", m->words, m->meaning, m->uses);
    fer_out_text(o, ",\"why\":[");
    for (size_t i = 0; i < m->why_count; i++) {
        fer_out_text(o, i ? ",{\"word\":" : "{\"word\":");
        fer_out_json(o, m->why[i].word);
        fer_out_text(o, ",\"matched\":");
        fer_out_json(o, m->why[i].matched);
        fer_out_text(o, ",\"fields\":");
        fer_out_json(o, m->why[i].fields);
        fer_out_printf(o, ",\"share\":%.3f}", m->why[i].share);
    }
    fer_out_text(o, "]}");
}

/* Who else has which tool: beside the results, whose form is not ours to change. */
static void write_also_in(const struct search *s)
{
    fer_out *o = &s->shelf.app->out;
    bool any = false;
    for (size_t i = 0; i < s->found.count; i++) {
        const fer_match *m = &s->found.matches[i];
        if (!m->also_in.count) continue;
        fer_out_text(o, any ? "," : ",\"alsoIn\":{");
        any = true;
        fer_out_json(o, m->hit.summary.id);
        for (size_t k = 0; k < m->also_in.count; k++) {
            fer_out_text(o, k ? "," : ":[");
            fer_out_json(o, m->also_in.list[k]);
        }
        fer_out_text(o, "]");
    }
    if (any) fer_out_text(o, "}");
}

/* Whose vectors the catalogue has, where they could not be used. */
static void write_others(const struct search *s)
{
    fer_out *o = &s->shelf.app->out;
    if (!s->vectors.others) return;
    fer_out_text(o, ",\"otherVectors\":{\"embedder\":");
    fer_out_json(o, fer_str_of(s->vectors.file_embedder));
    fer_out_text(o, ",\"model\":");
    fer_out_json(o, fer_str_of(s->vectors.file_model));
    fer_out_printf(o, ",\"dims\":%zu}", s->vectors.file_dims);
}

static fer_code write_json(struct search *s, fer_err *err)
{
    fer_out *o = &s->shelf.app->out;
    fer_out_text(o, "{\"query\":");
    fer_out_json(o, s->query);
    fer_out_printf(o, ",\"fits\":%s,\"ranker\":\"%s\"", s->found.fits ? "true" : "false",
                   s->found.ranker);
    write_others(s);
    fer_out_printf(o, ",\"version\":%llu,\"results\":[", (unsigned long long)s->found.version);
    for (size_t i = 0; i < s->found.count; i++) {
        fer_str json;
        fer_code code = fer_hit_write(s->shelf.arena, &s->found.matches[i].hit, &json, err);
        if (code) return code;
        fer_out_text(o, i ? ",\n" : "\n");
        fer_out_add(o, json);
    }
    fer_out_text(o, s->found.count ? "\n]" : "]");
    for (size_t i = 0; s->explain && i < s->found.count; i++) {
        fer_out_text(o, i ? ",\n" : ",\"explanations\":[\n");
        write_why_json(o, &s->found.matches[i]);
    }
    if (s->explain && s->found.count) fer_out_text(o, "\n]");
    write_also_in(s);
    if (s->found.next.len) {
        fer_out_text(o, ",\"nextToken\":");
        fer_out_json(o, s->found.next);
    }
    fer_out_text(o, "}\n");
    return FER_OK;
}

/* ---- the command -------------------------------------------------------------------------------
 */

static void write_nothing(struct search *s)
{
    fer_out *o = &s->shelf.app->out;
    fer_out_style(o, FER_STYLE_BOLD);
    fer_out_text(o, "Nothing fits");
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_text(o, " \"");
    fer_out_clean(o, s->query);
    fer_out_printf(o, "\" among %zu tool%s.%s\n", fer_view_count(s->shelf.view),
                   fer_s(fer_view_count(s->shelf.view)),
                   s->found.count ? " What comes nearest:" : "");
}

static fer_code write_people(struct search *s, fer_err *err)
{
    size_t count = s->found.count;
    if (!s->found.fits) {
        write_nothing(s);
        if (count > NEAREST) count = NEAREST;
    }
    if (s->explain) write_explained(s, count);
    else if (count) return write_table(s, count, err);
    return FER_OK;
}

/* Who pages gets the token; others are told that there is more. */
static void write_more(struct search *s)
{
    fer_app *app = s->shelf.app;
    if (fer_app_option(app, "page-size") || fer_app_option(app, "page-token")) {
        fer_app_say(app, "more: --page-token %.*s", FER_PRI(s->found.next));
    } else if (app->out.terminal) {
        fer_out_style(&app->out, FER_STYLE_DIM);
        fer_out_printf(&app->out,
                       "the best %zu; --page-size shows more, 'ferrule describe TOOL' all of one\n",
                       s->found.count);
        fer_out_style(&app->out, FER_STYLE_NONE);
    }
}

static fer_code write_answer(struct search *s, fer_err *err)
{
    fer_app *app = s->shelf.app;
    if (s->json) return write_json(s, err);
    fer_code code = FER_OK;
    if (app->out.terminal || s->explain) code = write_people(s, err);
    else if (s->found.fits) write_lines(s);
    else fer_app_say(app, "nothing fits \"%.*s\"", FER_PRI(s->query));
    if (!code && s->found.next.len && s->found.fits) write_more(s);
    return code;
}

static bool is_by_words(const struct search *s)
{
    return strcmp(s->found.ranker, "bm25") == 0;
}

/* Nobody shall take it for a ranking by meaning, which the catalogue's vectors are there for. */
static void tell_others(const struct search *s)
{
    char who[FER_EMBEDDER_WORDS], how[FER_EMBEDDER_WORDS];
    fer_app *app = s->shelf.app;
    fer_embedder_who(&s->vectors, who);
    fer_embedder_how(app, &s->vectors, how);
    const char *by = is_by_words(s) ? "words" : "words and past calls";
    if (s->vectors.stay)
        fer_app_say(app,
                    "ranked by %s: the vectors of this catalogue are of %s, and are used with %s",
                    by, who, how);
    else
        fer_app_say(app,
                    "ranked by %s: the vectors of this catalogue are of an earlier version of %s; "
                    "'ferrule index build' makes new ones",
                    by, who);
}

/* Who asked for vectors, or has some, is told where they had no part or a smaller one. */
static void tell_lacking(const struct search *s)
{
    fer_app *app = s->shelf.app;
    bool asked = s->rank > FER_RANK_BM25 || fer_embedder_is_named(app) || s->vectors.vectors;
    if (s->rank == FER_RANK_BM25) return;
    if (s->vectors.others) {
        tell_others(s);
        return;
    }
    if (!asked || !s->found.lacking || (s->rank == FER_RANK_DEFAULT && !is_by_words(s))) return;
    fer_app_say(app, "%zu of %zu tools %s no vector: %s; 'ferrule %s' %smakes them",
                s->found.lacking, fer_view_count(s->shelf.view),
                s->found.lacking == 1 ? "has" : "have",
                is_by_words(s) ? "ranked by words" : "they rank lower",
                s->vectors.file_embedder[0] ? "catalog update" : "index build",
                fer_embedder_is_named(app) ? "with this embedder " : "");
}

static int run_search(struct search *s)
{
    fer_filter filter;
    fer_page page;
    fer_err err;
    fer_app *app = s->shelf.app;
    fer_search_options options = {.filter = &filter,
                                  .explain = true,
                                  .rank = s->rank,
                                  .tenant = s->tenant,
                                  .twins = fer_app_option(app, "twins") != NULL};
    int bad = fer_shelf_filter(&s->shelf, &filter);
    if (!bad) bad = fer_shelf_page(&s->shelf, &page);
    if (bad) return bad;
    if (!page.size) page.size = ROWS;
    fer_code code = s->shelf.path ? FER_OK : fer_shelf_embed(&s->shelf, &err);
    if (!code)
        code = fer_catalog_search(s->shelf.arena, s->shelf.catalog, s->query, &options, &page,
                                  &s->found, &err);
    fer_catalog_vectors(s->shelf.catalog, &s->vectors);
    if (!code) code = write_answer(s, &err);
    if (code) return fer_shelf_failed(app, &err);
    if (!s->found.fits) fer_shelf_tell_unknown(&s->shelf, &filter);
    tell_lacking(s);
    fer_shelf_remark(&s->shelf);
    return s->found.fits ? FER_EXIT_OK : FER_EXIT_FINDINGS;
}

/* Vectors cost time where tools come from files, so they are made there for who asks for a ranker
 * that has them, or names an embedder and no ranker. */
static int open_shelf(struct search *s, fer_app *app)
{
    const char *ranker = fer_app_option(app, "ranker"), *embedder = fer_app_option(app, "embedder");
    fer_shelf_options options = {.skip = 1, .search = true, .configured = true};
    if (!embedder) embedder = "builtin";
    s->rank = ranker ? (fer_rank)(FER_RANK_BM25 + fer_ranker_of(ranker)) : FER_RANK_DEFAULT;
    if (s->rank != FER_RANK_BM25) options.embedder = embedder;
    if (s->rank > FER_RANK_BM25 || (!ranker && fer_embedder_is_named(app)))
        options.files_embedder = embedder;
    options.uses = fer_app_option(app, "usage") != NULL;
    const char *tenant = fer_app_option(app, "tenant");
    if (tenant && !options.uses) return fer_app_usage(app, "--tenant goes with --usage");
    if (options.uses && s->rank != FER_RANK_DEFAULT && s->rank != FER_RANK_HYBRID)
        return fer_app_usage(app, "past calls have a say in the hybrid ranker only");
    if (options.uses) s->tenant = fer_str_of(tenant ? tenant : FER_TENANT_DEFAULT);
    return fer_shelf_init(&s->shelf, app, &options);
}

/* Nothing about it says that it is a file. */
static bool is_word(const char *arg)
{
    return !strpbrk(arg, "./") && strcmp(arg, "-") != 0;
}

int fer_run_search(fer_app *app)
{
    struct search s = {.json = fer_app_option(app, "json") != NULL,
                       .explain = fer_app_option(app, "explain") != NULL};
    if (fer_app_option(app, "batch")) return fer_search_batch(app);
    if (fer_app_option(app, "out"))
        return fer_app_usage(app, "--out goes with --batch; what is found goes to standard output");
    if (app->arg_count == 0)
        return fer_app_usage(app, "search needs a query, such as \"create an issue\"");
    if (app->arg_count > 1 && is_word(app->args[1]) && !fer_file_exists(app->args[1]))
        return fer_app_usage(app,
                             "cannot find %s; a query of several words is one argument: ferrule "
                             "search \"%s %s\"",
                             app->args[1], app->args[0], app->args[1]);
    s.query = fer_str_of(app->args[0]);
    int bad = open_shelf(&s, app);
    if (bad) return bad;
    bad = run_search(&s);
    fer_shelf_deinit(&s.shelf);
    return bad;
}
