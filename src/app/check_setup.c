/* SPDX-License-Identifier: Apache-2.0 */
#include "check_setup.h"

#include "errors.h"
#include "file.h"
#include "inputs.h"
#include "json_doc.h"
#include "near.h"
#include "reader.h"

struct setup {
    fer_app *app;
    fer_checks *checks;
    fer_arena *arena;
    const char *file; /* the configuration at hand */
    const fer_json *doc;
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

static const struct key {
    const char *name;
    fer_code (*take)(struct setup *s, const yyjson_val *value);
} keys[] = {
    {"rules", take_rules},
};

static const struct key *key_find(fer_str name)
{
    for (size_t i = 0; i < FER_COUNT(keys); i++) {
        if (fer_str_is(name, keys[i].name)) return &keys[i];
    }
    return NULL;
}

static fer_code take_file(struct setup *s, fer_str text)
{
    fer_json *doc;
    fer_format format = fer_format_detect(fer_str_of(s->file), text, FER_FORMAT_AUTO);
    fer_code code = format == FER_FORMAT_YAML
                        ? fer_yaml_read(s->arena, text, fer_json_limits_file(), &doc, s->err)
                        : fer_json_read(s->arena, text, fer_json_limits_file(), &doc, s->err);
    if (code) {
        fer_inputs_name_error(s->err, fer_str_of(s->file));
        return code;
    }
    const yyjson_val *root = fer_json_root(doc);
    s->doc = doc;
    if (!fer_is_obj(root)) return wrong(s, root, "a configuration is an object", FER_STR_NONE);
    FER_EACH_MEMBER (root, key) {
        const struct key *row = key_find(fer_val_str(key));
        if (!row) return wrong(s, key, "a configuration has no key", fer_val_str(key));
        code = row->take(s, key + 1);
        if (code) return code;
    }
    return FER_OK;
}

static const char *config_name(const fer_app *app)
{
    static const char *const names[] = {".ferrule.yaml", ".ferrule.yml", ".ferrule.json",
                                        "ferrule.json"};
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
    fer_code code = fer_file_read(s->arena, s->file, FER_CONFIG_SIZE, &text, s->err);
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
    if (code) fer_inputs_name_error(s->err, fer_str_of(path));
    return code;
}

static fer_code set_up(struct setup *s)
{
    fer_code code = read_config(s);
    if (!code) code = read_lock(s);
    if (fer_app_option(s->app, "no-quality")) fer_checks_quality(s->checks, false);
    return code ? code : read_severities(s);
}

int fer_check_setup(fer_app *app, fer_checks **out)
{
    fer_err err;
    struct setup s = {
        .app = app, .checks = fer_checks_new(), .arena = fer_arena_new(0), .err = &err};
    fer_code code =
        s.checks && s.arena ? set_up(&s) : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    fer_arena_free(s.arena);
    if (!code) {
        *out = s.checks;
        return 0;
    }
    fer_checks_free(s.checks);
    return fer_app_fail(app, &err);
}
