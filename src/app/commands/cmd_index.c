/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule index build, ferrule index stats: a catalogue in a file, for searches that start at once.
 */
#include <sys/stat.h>

#include "catalog_file.h"
#include "clock.h"
#include "errors.h"
#include "shelf.h"
#include "sys.h"

static const char *output_of(const fer_app *app)
{
    const char *path = fer_app_option(app, "output");
    return path ? path : FER_SHELF_FILE;
}

static const char *embedder_of(const fer_app *app)
{
    const char *name = fer_app_option(app, "embedder");
    return name ? name : "builtin";
}

static void write_built(fer_shelf *s, const char *path, int64_t before)
{
    fer_out *o = &s->app->out;
    struct stat st = {0};
    fer_vector_stats vectors;
    size_t count = fer_view_count(s->view);
    fer_catalog_vectors(s->catalog, &vectors);
    if (fer_sys_stat(path, &st) != 0) st.st_size = 0;
    fer_out_printf(o, "%zu tool%s, ", count, fer_s(count));
    if (vectors.used)
        fer_out_printf(o, "%zu with vectors, ",
                       vectors.stay ? vectors.file_vectors : vectors.vectors);
    fer_out_printf(o, "%.1f MB, in %.2f s: ", (double)st.st_size / 1e6,
                   (double)(fer_clock_mono() - before) / 1e9);
    fer_out_clean(o, fer_str_of(path));
    fer_out_text(o, "\n");
}

/* Definitions that wait for somebody in a catalogue; 0 where it cannot be opened any more. */
static size_t waiting_in(const char *path)
{
    const fer_catalog_options options = {.lenient = true};
    fer_catalog *c;
    if (fer_catalog_open(path, &options, &c, NULL)) return 0;
    fer_view *v = fer_catalog_view(c);
    size_t held = fer_view_held(v);
    fer_view_unref(v);
    fer_catalog_free(c);
    return held;
}

/* A catalogue is replaced, and an empty file; nothing else, and no decision is taken that way. */
static int check_target(fer_app *app, const char *path)
{
    struct stat st;
    if (fer_sys_stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !st.st_size) return 0;
    if (!fer_catalog_file_begins(path))
        return fer_app_usage(app, "%s is no catalogue and is not replaced: name another --output",
                             path);
    size_t held = waiting_in(path);
    if (!held) return 0;
    return fer_app_usage(app,
                         "%s holds back %zu definition%s, which a new one would serve; 'ferrule "
                         "catalog update' keeps %s, 'ferrule catalog approve' and 'reject' decide",
                         path, held, fer_s(held), held == 1 ? "it" : "them");
}

/* Vectors of the older file that another embedder made stay where nobody has named one. */
static fer_code make_vectors(fer_shelf *s, fer_err *err)
{
    fer_vector_stats vectors;
    fer_catalog_vectors(s->catalog, &vectors);
    return vectors.stay ? FER_OK : fer_shelf_embed(s, err);
}

int fer_run_index_build(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    int64_t before = fer_clock_mono();
    const char *path = output_of(app);
    bool bare = fer_app_option(app, "no-vectors") != NULL;
    if (app->arg_count == 0) return fer_app_usage(app, "index build needs files or folders");
    if (strcmp(path, "-") == 0)
        return fer_app_usage(app, "a catalogue is kept in a file: --output needs its name");
    if (bare && fer_app_option(app, "embedder"))
        return fer_app_usage(app, "--embedder and --no-vectors exclude each other");
    int bad = check_target(app, path);
    if (bad) return bad;
    bad = fer_shelf_init(&s, app,
                         &(fer_shelf_options){.search = true,
                                              .kept = true,
                                              .files_embedder = bare ? NULL : embedder_of(app),
                                              .vectors_from = bare ? NULL : path,
                                              .replace_vectors = fer_embedder_is_named(app)});
    if (bad) return bad;
    fer_code code = make_vectors(&s, &err);
    if (!code) code = fer_catalog_save(s.catalog, path, &err);
    if (code) bad = fer_shelf_failed(app, &err);
    else if (!fer_app_option(app, "quiet")) write_built(&s, path, before);
    if (!code) fer_shelf_tell_vectors(&s);
    if (!code) fer_shelf_remark(&s);
    fer_shelf_deinit(&s);
    return bad;
}

/* How many things a list of pages has in all. */
static fer_code count_namespaces(fer_shelf *s, size_t *out, fer_err *err)
{
    fer_page page = {.size = FER_PAGE_MAX};
    fer_namespace *list;
    size_t count;
    *out = 0;
    do {
        fer_code code =
            fer_view_namespaces(s->arena, s->view, NULL, &page, &list, &count, &page.token, err);
        if (code) return code;
        *out += count;
    } while (page.token.len);
    return FER_OK;
}

static fer_code count_held(fer_shelf *s, size_t *out, fer_err *err)
{
    fer_page page = {.size = FER_PAGE_MAX};
    fer_str *list;
    size_t count;
    *out = 0;
    do {
        fer_code code =
            fer_view_quarantined(s->arena, s->view, &page, &list, &count, &page.token, err);
        if (code) return code;
        *out += count;
    } while (page.token.len);
    return FER_OK;
}

static void write_text(fer_out *o, bool json, const char *name, const char *text)
{
    fer_out_printf(o, json ? "\"%s\":" : "%s\t", name);
    if (json) fer_out_json(o, fer_str_of(text));
    else fer_out_clean(o, fer_str_of(text));
    fer_out_text(o, json ? "," : "\n");
}

/* Who searches without the embedder of the vectors goes by words, whatever there is. */
static void tell_others(const fer_shelf *s, const fer_vector_stats *v)
{
    char who[FER_EMBEDDER_WORDS], how[FER_EMBEDDER_WORDS];
    if (!v->others) return;
    fer_embedder_who(v, who);
    fer_embedder_how(s->app, v, how);
    if (v->stay)
        fer_app_say(s->app,
                    "the vectors of this file are of %s: searches use them where they are asked "
                    "with %s, and go by words elsewhere",
                    who, how);
    else
        fer_app_say(s->app,
                    "the vectors of this file are of an earlier version of %s and are not "
                    "used; 'ferrule index build' makes new ones",
                    who);
}

/* Those that a named embedder could use; where none is named, those that the file has. */
static size_t count_vectors(const fer_shelf *s, const fer_vector_stats *v)
{
    return v->stay && !fer_embedder_is_named(s->app) ? v->file_vectors : v->vectors;
}

static fer_code write_stats(fer_shelf *s, double opened_ms, fer_err *err)
{
    fer_out *o = &s->app->out;
    size_t spaces, held;
    fer_vector_stats vectors;
    fer_catalog_vectors(s->catalog, &vectors);
    size_t have = count_vectors(s, &vectors);
    fer_code code = fer_app_option(s->app, "verify") ? fer_view_verify(s->view, err) : FER_OK;
    if (!code) code = count_namespaces(s, &spaces, err);
    if (!code) code = count_held(s, &held, err);
    if (code) return code;
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {{"tools", fer_view_count(s->view)},
                {"namespaces", spaces},
                {"quarantined", held},
                {"version", fer_view_version(s->view)},
                {"vectors", have},
                {"vectorsMissing", fer_view_count(s->view) - have}};
    bool json = fer_app_option(s->app, "json") != NULL;
    if (json) fer_out_text(o, "{");
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        fer_out_printf(o, json ? "\"%s\":%llu," : "%s\t%llu\n", rows[i].name,
                       (unsigned long long)rows[i].value);
    }
    write_text(o, json, "embedder", vectors.file_embedder);
    write_text(o, json, "model", vectors.file_model);
    tell_others(s, &vectors);
    fer_out_printf(o, json ? "\"openMs\":%.3f}\n" : "open-ms\t%.3f\n", opened_ms);
    return FER_OK;
}

int fer_run_index_stats(fer_app *app)
{
    fer_shelf s;
    fer_err err;
    int64_t before = fer_clock_mono();
    const char *embedder = embedder_of(app);
    int bad = fer_shelf_init(&s, app, &(fer_shelf_options){.search = true, .embedder = embedder});
    if (bad) return bad;
    double ms = (double)(fer_clock_mono() - before) / 1e6;
    if (write_stats(&s, ms, &err)) bad = fer_app_fail(app, &err);
    else fer_shelf_remark(&s);
    fer_shelf_deinit(&s);
    return bad;
}
