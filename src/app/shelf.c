/* SPDX-License-Identifier: Apache-2.0 */
#include "shelf.h"

#include "catalog_file.h"
#include <string.h>
#include <unistd.h>

#include "asked_tools.h"
#include "buf.h"
#include "checksum.h"
#include "errors.h"
#include "file.h"
#include "inputs.h"
#include "near.h"
#include "progress.h"
#include "state_folder.h"
#include "sys.h"
#include "tags.h"
#include "tool_id.h"

int fer_shelf_failed(fer_app *app, const fer_err *err)
{
    int bad = fer_app_fail(app, err);
    return bad == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : bad;
}

/* ---- from definitions -------------------------------------------------------------------------
 */

/* The name of a file without folder and ending, as a namespace; empty: nothing is left of it. */
static fer_str namespace_of(fer_str path, char out[FER_NAME_MAX])
{
    size_t from = 0, len = 0;
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '/') from = i + 1;
    }
    fer_str name = fer_str_slice(path, from, path.len);
    for (size_t i = name.len; i-- > 1;) {
        if (name.ptr[i] != '.') continue;
        name.len = i;
        break;
    }
    for (size_t i = 0; i < name.len && len < FER_NAME_MAX; i++) {
        bool fits = fer_name_bad_byte((fer_str){name.ptr + i, 1}) == SIZE_MAX;
        if (fits) out[len++] = name.ptr[i];
        else if (len && out[len - 1] != '-') out[len++] = '-';
    }
    return (fer_str){out, len};
}

struct loading {
    fer_shelf *shelf;
    fer_inputs in;
    fer_batch *batch;
    uint64_t sum; /* over all texts: tells one content from another */
    fer_progress progress;
};

/* The namespace of tools that name none. */
static fer_str space_of(const struct loading *l, fer_str file, char room[FER_NAME_MAX])
{
    const char *said = l->shelf->options.kept ? fer_app_option(l->shelf->app, "namespace") : NULL;
    bool named = l->in.count > 1 || (l->shelf->options.kept && !fer_str_is(file, "<stdin>"));
    if (said) return fer_str_of(said);
    return named ? namespace_of(file, room) : FER_STR("");
}

static fer_code load_one(struct loading *l, size_t index, fer_err *err)
{
    fer_str name, text;
    char ns[FER_NAME_MAX];
    fer_put_options options = {.ns = FER_STR("")};
    fer_code code = FER_OK;
    if (l->shelf->piped.len) { /* it was read to see whether there is anything */
        name = FER_STR("<stdin>");
        text = l->shelf->piped;
    } else {
        code = fer_inputs_read(&l->in, l->shelf->app, index, &name, &text, err);
    }
    if (code) return code;
    options.any_name = fer_app_option(l->shelf->app, "any-name") != NULL;
    options.ns = space_of(l, name, ns);
    l->sum = fer_checksum_mix(l->sum, fer_checksum(text.ptr, text.len));
    code = fer_batch_add(l->batch, name, text, l->in.format, &options, err);
    if (code) fer_fail_in(err, name);
    fer_progress_show(&l->progress, index + 1, index + 1, l->in.count);
    return code;
}

/* What makes the vectors of a catalogue: a server, or something at hand. NULL: nothing does. */
static fer_code choose_embedder(fer_shelf *s, const char *name, fer_catalog_options *out,
                                fer_err *err)
{
    fer_embedder_choice choice = fer_embedder_choice_of(s->app);
    if (!name) return FER_OK;
    choice.name = name;
    fer_code code = fer_embedder_choice_server(&choice, &s->server, err);
    if (s->server) out->plugin = fer_embed_http_plugin(s->server);
    else out->embedder = name;
    return code;
}

/* Everybody who can read the files can page through them: the key is no secret here, and what
 * makes an old token stale is the content. */
static fer_code new_catalog(struct loading *l, fer_err *err)
{
    static const unsigned char key[FER_CATALOG_KEY] = "pages of the command line";
    const fer_shelf_options *o = &l->shelf->options;
    fer_catalog_options options = {.search = o->search,
                                   .lenient = true,
                                   .key = key,
                                   .stamp = l->sum,
                                   .vectors_from = o->vectors_from,
                                   .keep_vectors = !o->replace_vectors};
    if (l->shelf->catalog) return FER_OK;
    fer_code code = choose_embedder(l->shelf, o->files_embedder, &options, err);
    return code ? code : fer_catalog_new(&options, &l->shelf->catalog, err);
}

/* Of a lenient catalogue every problem leaves the definition, or (it has no ID then, or one that is
 * taken) nothing of it. */
static void count_problems(struct loading *l)
{
    size_t count;
    const fer_event *list = fer_batch_outcomes(l->batch, &count);
    for (size_t i = 0; i < count; i++) {
        l->shelf->lost += list[i].id.len == 0;
        l->shelf->shadowed += list[i].kind == FER_EVENT_SHADOWED;
    }
    l->shelf->problems = fer_batch_problem_count(l->batch) - l->shelf->lost - l->shelf->shadowed;
}

#define LOSSES 5 /* definitions that are left out and named */

/* What is wrong with it beside was no reason to leave it out: that another has its ID is said
 * last. */
static bool is_reason(const fer_problem *p, size_t i, size_t count, const fer_event *e)
{
    size_t k = i + 1;
    while (k < count && p[k].number != p[i].number) k++;
    return e->id.len == 0 || (e->kind == FER_EVENT_SHADOWED && k == count);
}

/* Where the first of those are that were left out, and why. */
static void name_losses(struct loading *l)
{
    fer_buf b;
    size_t events, problems, named = 0, last = 0;
    const fer_event *list = fer_batch_outcomes(l->batch, &events);
    const fer_problem *p = fer_batch_problems(l->batch, &problems);
    fer_buf_init(&b, l->shelf->arena, 1 << 16);
    for (size_t i = 0; i < problems && named < LOSSES; i++) {
        const fer_event *e = p[i].number <= events ? &list[p[i].number - 1] : NULL;
        if (p[i].number == last || !e || !is_reason(p, i, problems, e)) continue;
        last = p[i].number; /* one reason is enough */
        l->shelf->unnamed |= !e->id.len && p[i].code == FER_INVALID_TOOL && p[i].id.len;
        fer_buf_printf(&b, "%s%.*s", named++ ? "\n" : "", FER_PRI(p[i].source));
        if (p[i].place.line) fer_buf_printf(&b, ":%u:%u", p[i].place.line, p[i].place.column);
        fer_buf_printf(&b, ": %.*s", FER_PRI(p[i].message));
    }
    l->shelf->losses = b.failure || !b.ptr ? FER_STR("") : fer_buf_view(&b);
}

static fer_code load_asked(struct loading *l, const fer_asked_tools *asked, fer_err *err)
{
    fer_put_options options = {.ns = FER_STR(""), .any_name = true};
    fer_code code = FER_OK;
    for (size_t i = 0; i < asked->count && !code; i++) {
        fer_str text = asked->list[i];
        l->sum = fer_checksum_mix(l->sum, fer_checksum(text.ptr, text.len));
        code = fer_batch_add(l->batch, asked->file, text, FER_FORMAT_JSON, &options, err);
    }
    return code;
}

/* What was asked for, where something was; else the files. */
static fer_code load_all(struct loading *l, const fer_asked_tools *asked, fer_err *err)
{
    fer_code code = asked ? load_asked(l, asked, err) : FER_OK;
    for (size_t i = 0; i < l->in.count && !code; i++) code = load_one(l, i, err);
    fer_progress_clear(&l->progress);
    if (!code) code = new_catalog(l, err);
    if (!code) code = fer_catalog_apply(l->shelf->catalog, l->batch, err);
    if (code) return code;
    count_problems(l);
    if (l->shelf->lost + l->shelf->shadowed) name_losses(l);
    return FER_OK;
}

/* Tools of a namespace that no tool can have would all be left out. */
static int check_namespace(const fer_shelf *s)
{
    const char *said = s->options.kept ? fer_app_option(s->app, "namespace") : NULL;
    fer_str ns = fer_str_of(said);
    if (!said || (ns.len && ns.len <= FER_NAME_MAX && fer_name_bad_byte(ns) == SIZE_MAX)) return 0;
    return fer_app_usage(s->app, "--namespace takes 1 to %d of A-Z a-z 0-9 _ - and ., not \"%s\"",
                         FER_NAME_MAX, said);
}

/* The batch is the caller's, where it is asked for. */
static int load(fer_shelf *s, const fer_asked_tools *asked, fer_batch **out)
{
    fer_err err;
    struct loading l = {.shelf = s};
    int bad = check_namespace(s);
    if (!bad && !asked) bad = fer_inputs_init(&l.in, s->app, s->options.skip);
    if (bad) return bad;
    fer_progress_init(&l.progress, "files");
    l.progress.every = 1; /* a file may hold thousands of tools */
    l.batch = fer_batch_new();
    fer_code code =
        l.batch ? load_all(&l, asked, &err) : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (out && !code) *out = l.batch;
    else fer_batch_free(l.batch);
    if (!asked) fer_inputs_deinit(&l.in);
    return code ? fer_shelf_failed(s->app, &err) : 0;
}

int fer_shelf_update(fer_shelf *s, fer_batch **out)
{
    int bad = load(s, NULL, out);
    if (!bad) fer_shelf_renew(s);
    return bad;
}

void fer_shelf_renew(fer_shelf *s)
{
    fer_view_unref(s->view);
    s->view = fer_catalog_view(s->catalog);
}

fer_code fer_shelf_embed(fer_shelf *s, fer_err *err)
{
    size_t left = 1, all = fer_view_count(s->view);
    fer_progress p;
    fer_code code = FER_OK;
    fer_progress_init(&p, "vectors");
    p.every = 1;
    while (!code && left) {
        code = fer_catalog_embed(s->catalog, 256, &left, err);
        if (!code && left) fer_progress_show(&p, all - left, all - left, all);
    }
    fer_progress_clear(&p);
    return code;
}

void fer_shelf_tell_vectors(const fer_shelf *s)
{
    char who[FER_EMBEDDER_WORDS], how[FER_EMBEDDER_WORDS];
    fer_vector_stats v;
    fer_catalog_vectors(s->catalog, &v);
    if (!v.stay) return;
    size_t all = fer_view_count(s->view), lacking = all - v.file_vectors;
    fer_embedder_who(&v, who);
    fer_embedder_how(s->app, &v, how);
    if (lacking)
        fer_app_say(s->app,
                    "%zu of %zu tools %s no vector: those of this catalogue are of %s, and stay; "
                    "'ferrule catalog update' with %s makes what is missing",
                    lacking, all, lacking == 1 ? "has" : "have", who, how);
    else if (fer_embedder_is_named(s->app))
        fer_app_say(s->app,
                    "the vectors of this catalogue stay: they are of %s; 'ferrule index build' "
                    "with another embedder replaces them",
                    who);
}

/* ---- from a file --------------------------------------------------------------------------------
 */

/* The file of uses: as it is said, else beside the catalogue. NULL: none is wanted. */
static fer_code uses_of(fer_shelf *s, const char *path, const char **out, fer_err *err)
{
    *out = s->options.uses ? fer_app_option(s->app, "usage-file") : NULL;
    if (!s->options.uses || *out) return FER_OK;
    fer_str name = fer_arena_printf(s->arena, "%s" FER_CATALOG_USES, path);
    *out = name.ptr;
    return name.ptr ? FER_OK : fer_arena_failed(s->arena, err);
}

static int open_file(fer_shelf *s, const char *path)
{
    fer_err err;
    fer_catalog_options options = {.search = s->options.search,
                                   .lenient = true,
                                   .quarantine = s->options.quarantine,
                                   .keep_vectors = true};
    s->path = path;
    fer_code code = uses_of(s, path, &options.uses, &err);
    if (!code) code = choose_embedder(s, s->options.embedder, &options, &err);
    if (!code) code = fer_catalog_open(path, &options, &s->catalog, &err);
    return code ? fer_shelf_failed(s->app, &err) : 0;
}

/* A file or a pipe; nobody writes tools into a terminal, and /dev/null has none. */
static bool may_be_read(int fd)
{
    struct stat st;
    return fer_sys_fstat(fd, &st) == 0 && !S_ISCHR(st.st_mode);
}

/* Whether tools are piped. Under CI, cron or an agent standard input is often a pipe that nobody
 * writes to: to know that, it has to be read to its end. */
static int look_at_pipe(fer_shelf *s, bool *piped)
{
    fer_err err;
    size_t max = fer_json_limits_file()->size, i = 0;
    fer_str text = FER_STR("");
    *piped = false;
    if (!may_be_read(STDIN_FILENO)) return 0;
    fer_code code = fer_file_read_fd(s->arena, STDIN_FILENO, "standard input", max, &text, &err);
    if (code == FER_LIMIT_EXCEEDED) fer_fail(&err, code, "json.size: the limit is %zu bytes", max);
    if (code) return fer_shelf_failed(s->app, &err);
    while (i < text.len && text.ptr[i] && strchr(" \t\r\n", text.ptr[i])) i++;
    *piped = i < text.len;
    if (*piped) s->piped = text;
    return 0;
}

/* The catalogue of the configuration, or what its servers say where it keeps none. `*done` stays
 * false where there is no configuration. */
static int open_configured(fer_shelf *s, bool *done)
{
    const char *path = NULL;
    fer_asked_tools asked;
    int bad = fer_catalog_configured(s->app, s->arena, &path);
    *done = bad || path;
    if (*done) return bad ? bad : open_file(s, path);
    if (s->options.uses)
        return fer_app_usage(s->app, "what is remembered is kept with a catalogue: --catalog FILE");
    bad = fer_asked_tools_get(s->app, s->arena, s->options.about, &asked);
    *done = bad || asked.file.len;
    return bad || !*done ? bad : load(s, &asked, NULL);
}

static int nothing_there(fer_shelf *s)
{
    return fer_app_usage(s->app,
                         s->options.file
                             ? "%s needs a catalogue: --catalog FILE, or a %s here, which 'ferrule "
                               "index build' makes"
                             : "%s needs tools: a file, a folder, --catalog FILE, a %s here, which "
                               "'ferrule index build' makes, or a configuration (ferrule.yaml)",
                         s->app->command->name, FER_SHELF_FILE);
}

static int open_shelf(fer_shelf *s)
{
    const char *path = fer_app_option(s->app, "catalog");
    bool files = s->app->arg_count > s->options.skip && !s->options.file, piped = true,
         done = false;
    int bad = path || !s->options.find ? 0 : s->options.find(s->app, s->arena, &path);
    if (bad) return bad;
    if (path && files)
        return fer_app_usage(s->app, "tools come from --catalog or from files, not from both");
    if (path) return open_file(s, path);
    if (!files && s->options.configured && fer_app_option(s->app, "config"))
        return open_configured(s, &done);
    /* A catalogue that is here goes before standard input, which is never empty-handed in CI or
     * under an agent; '-' asks for the latter. */
    if (!files && fer_file_exists(FER_SHELF_FILE)) return open_file(s, FER_SHELF_FILE);
    if (!files && s->options.configured) {
        bad = look_at_pipe(s, &piped);
        if (!bad && !piped) bad = open_configured(s, &done);
        if (bad || done) return bad;
    }
    if (s->options.file || (!files && (!piped || !may_be_read(STDIN_FILENO))))
        return nothing_there(s);
    if (s->options.uses)
        return fer_app_usage(s->app, "what is remembered is kept with a catalogue: --catalog FILE");
    return load(s, NULL, NULL);
}

int fer_shelf_init(fer_shelf *s, fer_app *app, const fer_shelf_options *options)
{
    *s = (fer_shelf){.app = app, .arena = fer_arena_new(0), .options = *options};
    int bad =
        s->arena
            ? open_shelf(s)
            : fer_app_fail(app, &(fer_err){.code = FER_OUT_OF_MEMORY, .message = "out of memory"});
    if (bad) fer_shelf_deinit(s);
    else s->view = fer_catalog_view(s->catalog);
    return bad;
}

void fer_shelf_deinit(fer_shelf *s)
{
    fer_view_unref(s->view);
    fer_catalog_free(s->catalog);
    fer_embed_http_free(s->server);
    fer_arena_free(s->arena);
    *s = (fer_shelf){0};
}

/* Whether the command has --any-name, and it was not given. */
static bool can_take_any(const fer_app *app)
{
    return fer_command_has(app->command, "any-name") && !fer_app_option(app, "any-name");
}

void fer_shelf_remark(const fer_shelf *s)
{
    fer_str rest = s->losses, uses = fer_catalog_uses_problem(s->catalog);
    if (uses.len) fer_app_say(s->app, "%.*s", FER_PRI(uses));
    if (s->lost)
        fer_app_say(s->app, "%zu %s left out; 'ferrule check' tells more%s", s->lost,
                    s->lost == 1 ? "definition was" : "definitions were",
                    s->unnamed && can_take_any(s->app) ? ", --any-name takes names as they are"
                                                       : "");
    if (s->shadowed)
        fer_app_say(s->app, "%zu %s the ID of another one and %s left out: the first counts",
                    s->shadowed, s->shadowed == 1 ? "definition has" : "definitions have",
                    s->shadowed == 1 ? "was" : "were");
    while (rest.len) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.ptr) : rest.len;
        fer_app_say(s->app, "  %.*s", (int)len, rest.ptr);
        rest = fer_str_slice(rest, end ? len + 1 : len, rest.len);
    }
    if (s->lost + s->shadowed > LOSSES)
        fer_app_say(s->app, "  ... and %zu more", s->lost + s->shadowed - LOSSES);
    if (s->problems)
        fer_log_event(&s->app->log, FER_LOG_INFO, "catalog.lenient",
                      FER_LOG_I("problems", s->problems));
}

/* ---- options
 * -------------------------------------------------------------------------------------- */

static bool values_of(fer_shelf *s, const char *option, fer_texts *out)
{
    size_t count = 0;
    while (fer_app_values(s->app, option, count)) count++;
    fer_str *list = fer_arena_alloc_zero(s->arena, count + 1, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < count; i++) list[i] = fer_str_of(fer_app_values(s->app, option, i));
    *out = (fer_texts){list, count};
    return true;
}

/* Tags are looked for as they are kept. */
static bool tags_of(fer_shelf *s, fer_texts *out)
{
    if (!values_of(s, "tag", out)) return false;
    fer_str *list = fer_arena_alloc_zero(s->arena, out->count + 1, sizeof *list);
    for (size_t i = 0; list && i < out->count; i++) {
        char text[FER_TAG_MAX];
        size_t len = fer_tag_normalise(out->list[i], text);
        list[i] = fer_arena_copy(s->arena, (fer_str){text, len});
        if (!list[i].ptr) return false;
    }
    out->list = list;
    return list != NULL;
}

int fer_shelf_filter(fer_shelf *s, fer_filter *out)
{
    *out = (fer_filter){0};
    for (size_t i = 0; fer_app_values(s->app, "effect", i); i++) {
        fer_str name = fer_str_of(fer_app_values(s->app, "effect", i));
        for (unsigned e = 0; e <= FER_EFFECT_EXTERNAL_SIDE_EFFECTS; e++) {
            if (fer_str_is(name, fer_effect_name((fer_effect)e))) out->effects |= 1u << e;
        }
    }
    bool ok = values_of(s, "namespace", &out->namespaces) && tags_of(s, &out->tags) &&
              values_of(s, "category", &out->categories);
    fer_err err;
    return ok ? 0 : (fer_arena_failed(s->arena, &err), fer_app_fail(s->app, &err));
}

void fer_shelf_tell_unknown(fer_shelf *s, const fer_filter *filter)
{
    const fer_texts *asked = &filter->namespaces;
    fer_namespace *list;
    fer_page page = {.size = FER_PAGE_MAX};
    for (size_t i = 0; i < asked->count; i++) {
        fer_near near;
        size_t count = 0;
        bool there = false;
        fer_near_init(&near, asked->list[i]);
        page.token = FER_STR("");
        do {
            if (fer_view_namespaces(s->arena, s->view, NULL, &page, &list, &count, &page.token,
                                    NULL))
                return;
            for (size_t k = 0; k < count; k++) {
                there = there || fer_str_eq(list[k].name, asked->list[i]);
                if (fer_str_eq(fer_str_head(list[k].name, asked->list[i].len), asked->list[i]))
                    near.best = list[k].name;
                else fer_near_try(&near, list[k].name);
            }
        } while (page.token.len && !there);
        if (there) continue;
        fer_app_say(s->app, "there is no namespace \"%.*s\"%s%.*s%s", FER_PRI(asked->list[i]),
                    near.best.ptr ? "; did you mean \"" : "", FER_PRI(near.best),
                    near.best.ptr ? "\"?" : "");
    }
}

int fer_shelf_page(fer_shelf *s, fer_page *out)
{
    const char *size = fer_app_option(s->app, "page-size");
    uint64_t n = 0;
    *out = (fer_page){.token = fer_str_of(fer_app_option(s->app, "page-token"))};
    if (size && (!fer_parse_u64(fer_str_of(size), &n) || n == 0 || n > FER_PAGE_MAX))
        return fer_app_usage(s->app, "--page-size is a number from 1 to %d, not '%s'", FER_PAGE_MAX,
                             size);
    out->size = (size_t)n;
    return 0;
}
