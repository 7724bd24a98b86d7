/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ferrule new: a tool file to start from. What was not said with options is asked for at a
 * terminal and taken from the name in scripts. What was written is checked at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "errors.h"
#include "file.h"
#include "report.h"
#include "sketch.h"
#include "sys.h"

struct plan {
    fer_app *app;
    fer_arena *arena;
    fer_sketch sketch;
    bool ask;
    bool yaml;
    char path[PATH_MAX]; /* "-": standard output */
};

static const char *const effects[] = {"Pure", "IdempotentWrite", "NonIdempotentWrite",
                                      "ExternalSideEffects", NULL};
static const char *const pattern_names[] = {"none", "string", "enum", "objects", "one-of", NULL};

/* The value of an option, an answer, or what goes without saying; ptr NULL: the input ended. */
static fer_str value(struct plan *p, const char *option, const char *question,
                     const char *const *choices, const char *otherwise)
{
    char answer[FER_ANSWER_MAX];
    const char *given = fer_app_option(p->app, option);
    if (given) return fer_str_of(given);
    if (!p->ask) return fer_str_of(otherwise);
    if (!fer_ask(question, choices, otherwise, answer)) return FER_STR_NONE;
    return fer_arena_copy(p->arena, fer_str_of(answer));
}

static bool take_choices(struct plan *p)
{
    fer_sketch *s = &p->sketch;
    const char *effect = fer_effect_name(fer_sketch_effect(s->name));
    const char *pattern = fer_pattern_name(fer_sketch_pattern(s->name));
    fer_str named = value(p, "pattern", "Parameters", pattern_names, pattern);
    fer_str changes =
        named.ptr ? value(p, "effect", "What a call changes", effects, effect) : named;
    if (!changes.ptr) return false;
    fer_pattern_find(named, &s->pattern);
    for (unsigned i = 0; effects[i]; i++) {
        if (fer_str_is(changes, effects[i])) s->effect = (fer_effect)i;
    }
    return true;
}

static bool take_texts(struct plan *p)
{
    fer_sketch *s = &p->sketch;
    if (!s->ns.len) s->ns = value(p, "namespace", "Namespace", NULL, "local");
    if (!s->ns.ptr) return false;
    s->description = value(p, "description", "What it does, in a sentence", NULL, "");
    return s->description.ptr != NULL;
}

/* The name may be a whole ID. */
static int take_name(struct plan *p)
{
    fer_err err;
    fer_id id;
    fer_str text = fer_str_of(p->app->arg_count ? p->app->args[0] : "");
    const char *ns = fer_app_option(p->app, "namespace");
    const char *version = fer_app_option(p->app, "version");
    if (p->app->arg_count > 1) return fer_app_usage(p->app, "new makes one tool at a time");
    if (!p->app->arg_count && !p->ask)
        return fer_app_usage(p->app, "new needs the name of the tool, such as list_invoices");
    if (!p->app->arg_count) {
        char answer[FER_ANSWER_MAX];
        if (!fer_ask("Name, such as list_invoices", NULL, NULL, answer))
            return fer_app_usage(p->app, "new needs the name of the tool");
        text = fer_arena_copy(p->arena, fer_str_of(answer));
    }
    fer_code code = fer_id_parse(text, &id, &err);
    if (!code && ns && id.ns.len)
        return fer_app_usage(p->app, "the namespace is given twice, by the ID and by --namespace");
    if (!code && ns) id.ns = fer_str_of(ns);
    if (!code && version) id.version = fer_str_of(version);
    if (code) return fer_app_fail(p->app, &err);
    p->sketch.name = id.name;
    p->sketch.ns = id.ns;
    p->sketch.version = id.version.len ? id.version : FER_STR("0.1.0");
    return 0;
}

/* Namespace and version as any reader of the file would take them. */
static fer_code check_id(const struct plan *p, fer_err *err)
{
    fer_id id;
    const fer_sketch *s = &p->sketch;
    fer_str text = fer_arena_printf(p->arena, "%.*s:%.*s:%.*s", FER_PRI(s->ns), FER_PRI(s->name),
                                    FER_PRI(s->version));
    return text.ptr ? fer_id_parse(text, &id, err) : fer_arena_failed(p->arena, err);
}

/* Where it goes: as told, or the tool's name with the ending of its format. */
static int take_path(struct plan *p)
{
    const char *format = fer_app_option(p->app, "format"), *path = fer_app_option(p->app, "output");
    fer_str named = fer_str_of(path);
    p->yaml = format ? strcmp(format, "yaml") == 0
                     : fer_str_ends(named, ".yaml") || fer_str_ends(named, ".yml");
    int len = path ? snprintf(p->path, sizeof p->path, "%s", path)
                   : snprintf(p->path, sizeof p->path, "%.*s.%s", FER_PRI(p->sketch.name),
                              p->yaml ? "yaml" : "json");
    if (len < 0 || (size_t)len >= sizeof p->path)
        return fer_app_usage(p->app, "the name of the file is too long");
    return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A file that is there is left alone: it is made anew or not at all. */
static fer_code write_new(const char *path, fer_str text, fer_err *err)
{
    int fd;
    do {
        fd = fer_sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno == EEXIST)
        return fer_fail(err, FER_BAD_USAGE, "%s is there already; --force replaces it", path);
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "cannot create %s: %s", path, strerror(errno));
    bool ok = fer_file_write_all(fd, text);
    int error = errno;
    if (fer_sys_close(fd) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (ok) return FER_OK;
    fer_sys_unlink(path);
    return fer_fail(err, FER_IO_ERROR, "cannot write %s: %s", path, strerror(error));
}

static fer_code write_out(struct plan *p, fer_str text, fer_err *err)
{
    if (strcmp(p->path, "-") == 0) {
        fer_out_add(&p->app->out, text);
        return FER_OK;
    }
    return fer_app_option(p->app, "force") ? fer_file_replace(p->path, text, err)
                                           : write_new(p->path, text, err);
}

static fer_code make_text(const struct plan *p, fer_str *text, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_sketch_write(p->arena, &p->sketch, text, err);
    if (code || !p->yaml) return code;
    code = fer_json_read(p->arena, *text, NULL, &doc, err);
    return code ? code : fer_yaml_write(p->arena, fer_json_root(doc), text, err);
}

/* What the name, or a text that was given, has brought in. Returns whether there is an error. */
static fer_code check_text(struct plan *p, fer_str text, bool *wrong, fer_err *err)
{
    fer_out errors;
    size_t count;
    fer_report report = {.out = &errors, .about = FER_ABOUT_TOOLS};
    fer_checks *checks = fer_checks_new();
    fer_toolset *set = checks ? fer_toolset_new_checked(checks) : NULL;
    if (!set) {
        fer_checks_free(checks);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    fer_code code = fer_toolset_add(set, fer_str_of(p->path), text,
                                    p->yaml ? FER_FORMAT_YAML : FER_FORMAT_JSON, err);
    fer_out_init(&errors, STDERR_FILENO, p->app->log.colour, false);
    const fer_finding *list = fer_toolset_findings(set, &count);
    for (size_t i = 0; i < count && !code; i++) {
        fer_remark m = fer_remark_of_finding(&list[i]);
        *wrong = *wrong || m.severity == FER_SEVERITY_ERROR;
        fer_report_text.remark(&report, &m, text);
    }
    fer_out_close(&errors);
    fer_toolset_free(set);
    fer_checks_free(checks);
    return code;
}

static int make(struct plan *p)
{
    fer_err err;
    fer_str text = FER_STR_NONE;
    bool wrong = false;
    int bad = take_name(p);
    if (bad) return bad;
    if (!take_texts(p) || !take_choices(p)) return fer_app_usage(p->app, "the input has ended");
    bad = take_path(p);
    if (bad) return bad;
    fer_code code = check_id(p, &err);
    if (!code) code = make_text(p, &text, &err);
    if (!code) code = write_out(p, text, &err);
    if (!code) code = check_text(p, text, &wrong, &err);
    if (code) return fer_app_fail(p->app, &err);
    if (strcmp(p->path, "-") != 0) fer_out_printf(&p->app->out, "%s\n", p->path);
    return wrong ? FER_EXIT_FINDINGS : FER_EXIT_OK;
}

int fer_run_new(fer_app *app)
{
    struct plan p = {.app = app, .arena = fer_arena_new(0)};
    fer_err err;
    p.ask = fer_ask_possible();
    if (!p.arena) {
        fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
        return fer_app_fail(app, &err);
    }
    int result = make(&p);
    fer_arena_free(p.arena);
    return result;
}
