/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles by name or alias, profiles of files, and what the public header shows of them. */
#include "checks.h"
#include "errors.h"
#include "json_doc.h"
#include "near.h"
#include "profile.h"
#include "profile_pass.h"

/* Whether the document goes by that name. */
static bool is_called(const yyjson_val *root, fer_str name)
{
    const yyjson_val *aliases = fer_val_get(root, "aliases");
    if (fer_str_eq(fer_val_str(fer_val_get(root, "name")), name)) return true;
    if (!aliases) return false;
    FER_EACH_ITEM (aliases, alias) {
        if (fer_str_eq(fer_val_str(alias), name)) return true;
    }
    return false;
}

static fer_code unknown_profile(fer_arena *a, fer_str name, fer_err *err)
{
    size_t count;
    fer_near near;
    const fer_profile_text *texts = fer_profile_texts(&count);
    fer_near_init(&near, name);
    for (size_t i = 0; i < count; i++) {
        fer_json *doc;
        fer_near_try(&near, fer_str_of(texts[i].name));
        fer_code code = fer_json_read(a, texts[i].text, fer_json_limits_file(), &doc, err);
        if (code) return code;
        const yyjson_val *aliases = fer_val_get(fer_json_root(doc), "aliases");
        if (!aliases) continue;
        FER_EACH_ITEM (aliases, alias) {
            fer_near_try(&near, fer_val_str(alias));
        }
    }
    if (near.best.ptr)
        return fer_fail(err, FER_BAD_USAGE, "there is no profile '%.*s'; did you mean '%.*s'?",
                        FER_PRI(fer_str_head(name, 100)), FER_PRI(near.best));
    return fer_fail(
        err, FER_BAD_USAGE,
        "there is no profile '%.*s'; ferrule profiles lists them, and a file of your own "
        "has a '/' or ends in .json or .yaml",
        FER_PRI(fer_str_head(name, 100)));
}

static fer_code read_text(fer_arena *a, fer_str text, unsigned depth, fer_str name,
                          fer_profile **out, fer_err *err)
{
    fer_json *doc;
    fer_code code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (!code) code = fer_profile_read(a, doc, depth, out, err);
    if (!code && name.len) (*out)->name = name;
    return code;
}

fer_code fer_profile_builtin(fer_arena *a, fer_str name, unsigned depth, fer_profile **out,
                             fer_err *err)
{
    size_t count;
    const fer_profile_text *texts = fer_profile_texts(&count);
    for (size_t i = 0; i < count; i++) {
        if (fer_str_is(name, texts[i].name))
            return read_text(a, texts[i].text, depth, FER_STR(""), out, err);
    }
    fer_str kept = fer_arena_copy(a, name);
    if (!kept.ptr) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count; i++) {
        fer_json *doc;
        if (!memmem(texts[i].text.ptr, texts[i].text.len, name.ptr, name.len)) continue;
        fer_code code = fer_json_read(a, texts[i].text, fer_json_limits_file(), &doc, err);
        if (code) return code;
        if (is_called(fer_json_root(doc), name))
            return read_text(a, texts[i].text, depth, kept, out, err);
    }
    return unknown_profile(a, name, err);
}

/* ---- the public face ------------------------------------------------------------- */

size_t fer_profile_count(void)
{
    size_t count;
    fer_profile_texts(&count);
    return count;
}

const char *fer_profile_name_at(size_t index)
{
    size_t count;
    const fer_profile_text *texts = fer_profile_texts(&count);
    return index < count ? texts[index].name : NULL;
}

fer_code fer_profile_find(fer_arena *a, fer_str name, const fer_profile **out, fer_err *err)
{
    fer_profile *profile = NULL;
    fer_code code = fer_profile_builtin(a, name, 0, &profile, err);
    if (!code) *out = profile;
    return code;
}

/* The form is checked by the engine itself, against the schema of profiles. */
static fer_code check_form(fer_arena *a, const fer_json *doc, fer_err *err)
{
    fer_schema *schema;
    fer_result *result;
    fer_code code = fer_schema_compile(fer_profile_schema_text, NULL, &schema, err);
    if (code) return code;
    code = fer_schema_validate(a, schema, doc, fer_json_root(doc), NULL, &result, err);
    if (!code && !fer_result_valid(result)) {
        size_t count;
        const fer_violation *v = fer_result_violations(result, &count);
        fer_place place = fer_json_place(doc, v->value);
        code = fer_fail(err, FER_BAD_USAGE, "%u:%u: %.*s", place.line, place.column,
                        FER_PRI(fer_str_head(v->message, 600)));
    }
    fer_schema_unref(schema);
    return code;
}

fer_code fer_profile_load(fer_arena *a, fer_str text, fer_format format, const fer_profile **out,
                          fer_err *err)
{
    fer_json *doc;
    fer_profile *profile = NULL;
    format = fer_format_detect(FER_STR(""), text, format);
    fer_code code = format == FER_FORMAT_YAML
                        ? fer_yaml_read(a, text, fer_json_limits_file(), &doc, err)
                        : fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (!code) code = check_form(a, doc, err);
    if (!code) code = fer_profile_read(a, doc, 0, &profile, err);
    if (!code) *out = profile;
    return code;
}

fer_profile_info fer_profile_about(const fer_profile *p)
{
    return (fer_profile_info){.name = p->name,
                              .canonical = p->canonical,
                              .title = p->title,
                              .provider = p->provider,
                              .mode = p->mode,
                              .date = p->date,
                              .confidence = p->confidence,
                              .extends = p->extends,
                              .aliases = p->aliases.list,
                              .alias_count = p->aliases.count,
                              .sources = p->sources.list,
                              .source_count = p->sources.count,
                              .notes = p->notes.list,
                              .note_count = p->notes.count};
}

fer_code fer_checks_profile(fer_checks *c, const fer_profile *profile, fer_err *err)
{
    if (!c->plan) {
        c->plan = fer_arena_alloc_zero(c->arena, 1, sizeof *c->plan);
        if (!c->plan) return fer_arena_failed(c->arena, err);
    }
    if (fer_plan_add(c->plan, profile)) return FER_OK;
    return fer_fail(err, FER_LIMIT_EXCEEDED, "profiles: at most %d at once", FER_PROFILES_MAX);
}
