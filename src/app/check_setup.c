/* SPDX-License-Identifier: Apache-2.0 */
#include "check_setup.h"

#include <string.h>

#include "config.h"
#include "errors.h"
#include "file.h"
#include "inputs.h"
#include "json_doc.h"
#include "near.h"
#include "reader.h"

struct setup {
    fer_app *app;
    fer_setup *out;
    fer_checks *checks;
    fer_arena *arena;
    const char *file; /* the configuration at hand */
    const fer_json *doc;
    const yyjson_val *known; /* all keys that a configuration may have; NULL: not asked yet */
    fer_err *err;
};

/* A failure at a value of the configuration. */
static fer_code wrong(struct setup *s, const yyjson_val *at, const char *what, fer_str word)
{
    fer_place place = fer_json_place(s->doc, at);
    return fer_fail(s->err, FER_BAD_USAGE, "%s:%u:%u: %s%s%.*s%s", s->file, place.line,
                    place.column, what, word.ptr ? " '" : "", FER_PRI(fer_str_head(word, 100)),
                    word.ptr ? "'" : "");
}

static void name_near_rule(fer_err *err, fer_str rule)
{
    fer_near near;
    fer_err plain = *err;
    fer_near_init(&near, rule);
    for (const fer_rule *r = fer_rule_next(NULL); r; r = fer_rule_next(r))
        fer_near_try(&near, fer_str_of(r->id));
    if (near.best.ptr && plain.code == FER_BAD_USAGE)
        fer_fail(err, plain.code, "%s; did you mean '%.*s'?", plain.message, FER_PRI(near.best));
}

/* ---- the file ------------------------------------------------------------------- */

static fer_code take_rules(struct setup *s, const yyjson_val *value)
{
    if (!fer_is_obj(value))
        return wrong(s, value, "rules is an object of severities", FER_STR_NONE);
    FER_EACH_MEMBER (value, key) {
        fer_severity severity;
        if (!fer_is_str(key + 1) || !fer_severity_parse(fer_val_str(key + 1), &severity))
            return wrong(s, key + 1, "a severity is error, warning, info or off", FER_STR_NONE);
        fer_code code = fer_checks_severity(s->checks, fer_val_str(key), severity, s->err);
        if (code == FER_BAD_USAGE) {
            wrong(s, key, "there is no rule", fer_val_str(key));
            name_near_rule(s->err, fer_val_str(key));
        }
        if (code) return code;
    }
    return FER_OK;
}

/* ---- profiles ------------------------------------------------------------------------ */

static bool is_file(fer_str name)
{
    return fer_str_find(name, 0, '/') != SIZE_MAX || fer_str_ends(name, ".json") ||
           fer_str_ends(name, ".yaml") || fer_str_ends(name, ".yml");
}

/* A configuration's text, or a profile's. */
static fer_code read_small(fer_arena *a, const char *path, fer_str *text, fer_err *err)
{
    fer_code code = fer_file_read(a, path, FER_CONFIG_SIZE, text, err);
    if (code == FER_LIMIT_EXCEEDED)
        fer_fail(err, code, "%s: config.size: the limit is %zu bytes", path, FER_CONFIG_SIZE);
    return code;
}

fer_code fer_setup_profile(fer_arena *a, const char *name, const fer_profile **out, fer_err *err)
{
    fer_str text, path = fer_str_of(name);
    if (!is_file(path)) return fer_profile_find(a, path, out, err);
    fer_code code = read_small(a, name, &text, err);
    if (code) return code;
    code = fer_profile_load(a, text, fer_format_of_name(path), out, err);
    if (code) fer_fail_in(err, path);
    return code;
}

static fer_code add_profile(struct setup *s, fer_str name)
{
    const fer_profile *profile = NULL;
    fer_str kept = fer_arena_copy(s->arena, name); /* NUL-terminated */
    if (!kept.ptr) return fer_arena_failed(s->arena, s->err);
    fer_code code = fer_setup_profile(s->arena, kept.ptr, &profile, s->err);
    if (!code) code = fer_checks_profile(s->checks, profile, s->err);
    if (code) return code;
    fer_setup *out = s->out;
    const fer_profile **list = fer_arena_room(s->arena, (void *)(uintptr_t)out->profiles,
                                              out->profile_count, &out->profile_cap, sizeof *list);
    if (!list) return fer_arena_failed(s->arena, s->err);
    out->profiles = list;
    list[out->profile_count++] = profile;
    return FER_OK;
}

static fer_code add_all_profiles(struct setup *s)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < fer_profile_count() && !code; i++)
        code = add_profile(s, fer_str_of(fer_profile_name_at(i)));
    return code;
}

/* "a,b,./c.json" or "all". */
static fer_code add_profiles(struct setup *s, fer_str names)
{
    fer_code code = FER_OK;
    if (fer_str_is(names, "all")) return add_all_profiles(s);
    for (size_t from = 0; from <= names.len && !code;) {
        size_t comma = fer_str_find(names, from, ',');
        size_t to = comma == SIZE_MAX ? names.len : comma;
        if (to > from) code = add_profile(s, fer_str_slice(names, from, to));
        from = to + 1;
    }
    return code;
}

/* A file's name counts from the folder of the configuration. */
static fer_code add_beside(struct setup *s, fer_str name)
{
    const char *slash = strrchr(s->file, '/');
    if (!is_file(name) || name.ptr[0] == '/' || !slash) return add_profiles(s, name);
    fer_str path =
        fer_arena_printf(s->arena, "%.*s/%.*s", (int)(slash - s->file), s->file, FER_PRI(name));
    return path.ptr ? add_profile(s, path) : fer_arena_failed(s->arena, s->err);
}

static fer_code take_profiles(struct setup *s, const yyjson_val *value)
{
    if (fer_app_values(s->app, "profile", 0)) return FER_OK; /* the command line goes first */
    if (!fer_is_arr(value)) return wrong(s, value, "profiles is a list of names", FER_STR_NONE);
    FER_EACH_ITEM (value, item) {
        if (!fer_is_str(item)) return wrong(s, item, "a profile is a name", FER_STR_NONE);
        fer_code code = add_beside(s, fer_val_str(item));
        if (code) {
            fer_err plain = *s->err;
            fer_place place = fer_json_place(s->doc, item);
            return fer_fail(s->err, code, "%s:%u:%u: %s", s->file, place.line, place.column,
                            plain.message);
        }
    }
    return FER_OK;
}

static fer_code read_profiles(struct setup *s)
{
    const char *value;
    fer_code code = FER_OK;
    for (size_t i = 0; !code && (value = fer_app_values(s->app, "profile", i)); i++)
        code = add_profiles(s, fer_str_of(value));
    return code;
}

static const struct key {
    const char *name;
    fer_code (*take)(struct setup *s, const yyjson_val *value);
} keys[] = {
    {"profiles", take_profiles},
    {"rules", take_rules},
};

static const struct key *key_find(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        if (fer_str_is(name, keys[i].name)) return &keys[i];
    }
    return NULL;
}

/* What is in the same file for other commands is passed over: the file's schema knows it. */
static fer_code pass_over(struct setup *s, const yyjson_val *key)
{
    if (!s->known) {
        fer_code code = fer_config_keys(s->arena, &s->known, s->err);
        if (code) return code;
    }
    FER_EACH_MEMBER (s->known, row)
        if (fer_str_eq(fer_val_str(row), fer_val_str(key))) return FER_OK;
    return wrong(s, key, "a configuration has no key", fer_val_str(key));
}

static fer_code take_file(struct setup *s, fer_str text)
{
    fer_json *doc;
    fer_format format = fer_format_detect(fer_str_of(s->file), text, FER_FORMAT_AUTO);
    fer_code code = format == FER_FORMAT_YAML
                        ? fer_yaml_read(s->arena, text, fer_json_limits_file(), &doc, s->err)
                        : fer_json_read(s->arena, text, fer_json_limits_file(), &doc, s->err);
    if (code) {
        fer_fail_in(s->err, fer_str_of(s->file));
        return code;
    }
    const yyjson_val *root = fer_json_root(doc);
    s->doc = doc;
    if (!fer_is_obj(root)) return wrong(s, root, "a configuration is an object", FER_STR_NONE);
    FER_EACH_MEMBER (root, key) {
        const struct key *row = key_find(fer_val_str(key));
        code = row ? row->take(s, key + 1) : pass_over(s, key);
        if (code) return code;
    }
    return FER_OK;
}

static const char *config_name(const fer_app *app)
{
    static const char *const names[] = {".ferrule.yaml", ".ferrule.yml", ".ferrule.json",
                                        "ferrule.json",  "ferrule.yaml", "ferrule.yml"};
    const char *asked = fer_app_option(app, "config");
    if (asked) return asked;
    if (fer_app_option(app, "no-config")) return NULL;
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        if (fer_file_exists(names[i])) return names[i];
    }
    return NULL;
}

static fer_code read_config(struct setup *s)
{
    fer_str text;
    s->file = config_name(s->app);
    if (!s->file) return FER_OK;
    fer_code code = read_small(s->arena, s->file, &text, s->err);
    return code ? code : take_file(s, text);
}

/* ---- the options ------------------------------------------------------------------ */

static fer_code read_severities(struct setup *s)
{
    const char *value;
    for (size_t i = 0; (value = fer_app_values(s->app, "severity", i)); i++) {
        fer_str text = fer_str_of(value);
        size_t equals = fer_str_find(text, 0, '=');
        fer_severity severity;
        if (equals == SIZE_MAX ||
            !fer_severity_parse(fer_str_slice(text, equals + 1, text.len), &severity))
            return fer_fail(
                s->err, FER_BAD_USAGE,
                "--severity is RULE=error, RULE=warning, RULE=info or RULE=off, not '%s'", value);
        fer_str rule = fer_str_slice(text, 0, equals);
        fer_code code = fer_checks_severity(s->checks, rule, severity, s->err);
        if (code) {
            name_near_rule(s->err, rule);
            return code;
        }
    }
    return FER_OK;
}

static fer_code read_lock(struct setup *s)
{
    fer_str text;
    const char *path = fer_app_option(s->app, "lock");
    if (!path) return FER_OK;
    fer_code code = fer_file_read(s->arena, path, fer_json_limits_file()->size, &text, s->err);
    if (!code) code = fer_checks_lock(s->checks, text, s->err);
    if (code) fer_fail_in(s->err, fer_str_of(path));
    return code;
}

static fer_code set_up(struct setup *s)
{
    fer_code code = read_config(s);
    if (!code) code = read_lock(s);
    if (fer_app_option(s->app, "no-quality")) fer_checks_quality(s->checks, false);
    if (!code) code = read_profiles(s);
    return code ? code : read_severities(s);
}

int fer_setup_init(fer_setup *out, fer_app *app)
{
    fer_err err;
    *out = (fer_setup){.checks = fer_checks_new(), .arena = fer_arena_new(0)};
    struct setup s = {
        .app = app, .out = out, .checks = out->checks, .arena = out->arena, .err = &err};
    fer_code code =
        s.checks && s.arena ? set_up(&s) : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) return 0;
    fer_setup_deinit(out);
    int exit = fer_app_fail(app, &err);
    return exit == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit; /* nothing was looked at */
}

void fer_setup_deinit(fer_setup *s)
{
    fer_checks_free(s->checks);
    fer_arena_free(s->arena);
}
