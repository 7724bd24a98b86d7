/* SPDX-License-Identifier: Apache-2.0 */
/* The section `code`: what runs the programs that agents write, and within which limits. */
#include <stdio.h>
#include <string.h>

#include "config_parts.h"

/* Members that mean something to runtimes of some kinds only. */
static const struct {
    const char *member;
    const char *kinds; /* each between spaces */
} member_rows[] = {
    {"binds", " process unsafe wasm "}, {"helper", " process unsafe container "},
    {"jit", " process unsafe "},        {"engine", " wasm "},
    {"image", " container "},           {"socket", " container "},
};

static void check_members(fer_configure *c, const yyjson_val *key, fer_str kind)
{
    char word[32];
    snprintf(word, sizeof word, " %.*s ", FER_PRI(kind));
    for (size_t i = 0; i < FER_COUNT(member_rows); i++)
        if (fer_val_get(key + 1, member_rows[i].member) && !strstr(member_rows[i].kinds, word))
            FER_CONFIG_ERROR(c, key, "a runtime of the kind %.*s has no \"%s\"", FER_PRI(kind),
                             member_rows[i].member);
}

/* A path of this machine that can be seen in the sandbox. */
static void check_bind(fer_configure *c, const yyjson_val *place, fer_str path)
{
    static const char *const own[] = {"/work", "/tmp", "/dev", "/proc", "/code"};
    if (!path.len || path.ptr[0] != '/')
        FER_CONFIG_ERROR(c, place, "\"%.*s\" is not an absolute path",
                         FER_PRI(fer_str_head(path, 200)));
    for (size_t i = 0; i < FER_COUNT(own); i++) {
        size_t len = strlen(own[i]);
        if (fer_str_starts(path, own[i]) && (path.len == len || path.ptr[len] == '/'))
            FER_CONFIG_ERROR(c, place, "\"%.*s\" cannot be seen: the sandbox has a %s of its own",
                             FER_PRI(fer_str_head(path, 200)), own[i]);
    }
}

static void take_runtime(fer_configure *c, const yyjson_val *key, fer_config_runtime *out)
{
    const yyjson_val *object = key + 1;
    *out = (fer_config_runtime){.name = fer_val_str(key),
                                .kind = fer_configure_text(object, "kind"),
                                .helper = fer_configure_text(object, "helper"),
                                .jit = fer_configure_flag(object, "jit"),
                                .engine = fer_configure_text(object, "engine"),
                                .image = fer_configure_text(object, "image"),
                                .socket = fer_configure_text(object, "socket"),
                                .place = fer_json_place(c->doc, key)};
    out->command =
        fer_configure_texts(c, fer_val_get(object, "command"), true, &out->command_count);
    out->binds = fer_configure_texts(c, fer_val_get(object, "binds"), true, &out->bind_count);
    out->json = fer_configure_json(c, object, NULL);
    check_members(c, key, out->kind);
    if (fer_str_is(out->kind, "container") && !out->image.len)
        FER_CONFIG_ERROR(c, key, "a runtime of the kind container has an \"image\"%s", "");
    if (!out->command_count && !fer_str_is(out->kind, "wasm"))
        FER_CONFIG_ERROR(c, key, "a runtime of the kind %.*s has a \"command\": the interpreter",
                         FER_PRI(out->kind));
    for (size_t i = 0; i < out->bind_count; i++)
        check_bind(c, fer_val_get(object, "binds"), out->binds[i]);
}

static void take_runtimes(fer_configure *c, const yyjson_val *runtimes, fer_config_code *out)
{
    size_t most = fer_is_obj(runtimes) ? fer_val_len(runtimes) : 0;
    fer_config_runtime *list = most ? fer_arena_alloc_zero(c->a, most, sizeof *list) : NULL;
    if (most && !list) fer_configure_no_memory(c);
    if (!list) return;
    FER_EACH_MEMBER (runtimes, key) {
        if (!fer_is_obj(key + 1)) continue; /* the schema has told */
        take_runtime(c, key, &list[out->runtime_count++]);
        if (c->failure) return;
    }
    out->runtimes = list;
}

void fer_configure_code(fer_configure *c, const yyjson_val *code)
{
    fer_config_code *out = &c->out->code;
    *out = (fer_config_code){.profile = FER_STR(""), .json = FER_STR("")};
    if (!fer_is_obj(code)) return;
    const yyjson_val *limits = fer_val_get(code, "limits"), *enabled = fer_val_get(code, "enabled"),
                     *warm = fer_val_get(code, "warm");
    out->enabled = !enabled || fer_is_true(enabled);
    out->profile = fer_configure_text(code, "profile");
    out->allow_degraded = fer_configure_flag(code, "allowDegraded");
    out->reentrant = fer_configure_flag(code, "reentrant");
    out->has_warm = warm != NULL;
    out->warm = (size_t)fer_configure_number(code, "warm");
    for (int i = 0; i < FER_BOUNDS; i++)
        out->limits[i] = fer_configure_number(limits, fer_bounds[i].name);
    take_runtimes(c, fer_val_get(code, "runtimes"), out);
    out->json = fer_configure_json(c, code, NULL);
}
