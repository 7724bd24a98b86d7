/* SPDX-License-Identifier: Apache-2.0 */
/* The section `code`: what runs the programs that agents write, and within which limits. */
#include "config_parts.h"

/* Members that would mean nothing to a runtime of its kind. */
static void check_members(fer_configure *c, const yyjson_val *key, fer_str kind)
{
    static const char *const of_containers[] = {"image", "socket"}, *const of_others[] = {"binds"};
    bool container = fer_str_is(kind, "container");
    const char *const *strange = container ? of_others : of_containers;
    size_t count = container ? FER_COUNT(of_others) : FER_COUNT(of_containers);
    for (size_t i = 0; i < count; i++)
        if (fer_val_get(key + 1, strange[i]))
            FER_CONFIG_ERROR(c, key, "a runtime of the kind %.*s has no \"%s\"", FER_PRI(kind),
                             strange[i]);
}

static void take_runtime(fer_configure *c, const yyjson_val *key, fer_config_runtime *out)
{
    const yyjson_val *object = key + 1;
    *out = (fer_config_runtime){.name = fer_val_str(key),
                                .kind = fer_configure_text(object, "kind"),
                                .helper = fer_configure_text(object, "helper"),
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
    if (!out->command_count)
        FER_CONFIG_ERROR(c, key, "a runtime of the kind %.*s has a \"command\": the interpreter",
                         FER_PRI(out->kind));
    for (size_t i = 0; i < out->bind_count; i++)
        if (!out->binds[i].len || out->binds[i].ptr[0] != '/')
            FER_CONFIG_ERROR(c, fer_val_get(object, "binds"), "\"%.*s\" is not an absolute path",
                             FER_PRI(fer_str_head(out->binds[i], 200)));
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
