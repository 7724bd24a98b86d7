/* SPDX-License-Identifier: Apache-2.0 */
/* ferrule lock: writes the hashes of definitions, or holds definitions against them. */
#include <ferrule/evolve.h>
#include <string.h>

#include "errors.h"
#include "file.h"
#include "inputs.h"

struct lock {
    fer_app *app;
    fer_arena *arena;
    fer_toolset *set;
    const char *file;
};

static fer_code read_all(struct lock *l, fer_inputs *in, fer_err *err)
{
    fer_code code = FER_OK;
    for (size_t i = 0; i < in->count && !code; i++) {
        fer_str name, text;
        code = fer_inputs_read(in, l->app, i, &name, &text, err);
        fer_str copy = code ? FER_STR("") : fer_arena_copy(l->arena, text);
        if (!code && !copy.ptr) code = fer_arena_failed(l->arena, err);
        if (!code) code = fer_toolset_add(l->set, name, copy, in->format, err);
        if (code) fer_fail_in(err, name);
    }
    return code;
}

/* ---- telling ----------------------------------------------------------------------------------
 */

static void tell_parts(fer_out *o, const fer_lock_entry *e)
{
    for (size_t i = 0; i < e->part_count; i++)
        fer_out_printf(o, "%s%s", i ? ", " : ": ", e->parts[i]);
    fer_out_text(o, "\n");
}

static void tell(fer_out *o, const fer_lock_entry *e)
{
    bool fine = e->state == FER_LOCK_BUMPED;
    fer_out_style(o, fine ? FER_STYLE_BLUE : FER_STYLE_RED);
    fer_out_printf(o, "%-8s", fer_lock_state_name(e->state));
    fer_out_style(o, FER_STYLE_NONE);
    fer_out_clean(o, e->id);
    if (fine) {
        fer_out_text(o, " ");
        fer_out_clean(o, e->old_version.len ? e->old_version : FER_STR("(none)"));
        fer_out_text(o, " -> ");
        fer_out_clean(o, e->new_version.len ? e->new_version : FER_STR("(none)"));
    } else if (e->state == FER_LOCK_CHANGED) {
        fer_out_text(o, e->new_version.len ? " without a new version" : " (it has no version)");
    } else {
        fer_out_text(o, e->state == FER_LOCK_NEW ? " is not in the lock" : " is only in the lock");
    }
    tell_parts(o, e);
}

static void member(fer_out *o, const char *key, fer_str value)
{
    if (!value.len) return;
    fer_out_printf(o, ",\"%s\":", key);
    fer_out_json(o, value);
}

static void tell_json(fer_out *o, const fer_lock_entry *list, size_t count, bool broken)
{
    fer_out_printf(o, "{\"broken\":%s,\"tools\":[", broken ? "true" : "false");
    for (size_t i = 0; i < count; i++) {
        const fer_lock_entry *e = &list[i];
        fer_out_printf(o, "%s\n{\"state\":\"%s\",\"id\":", i ? "," : "",
                       fer_lock_state_name(e->state));
        fer_out_json(o, e->id);
        member(o, "oldVersion", e->old_version);
        member(o, "newVersion", e->new_version);
        member(o, "oldHash", e->old_hash);
        member(o, "newHash", e->new_hash);
        fer_out_text(o, ",\"changed\":[");
        for (size_t p = 0; p < e->part_count; p++)
            fer_out_printf(o, "%s\"%s\"", p ? "," : "", e->parts[p]);
        fer_out_text(o, "]}");
    }
    fer_out_text(o, count ? "\n]}\n" : "]}\n");
}

/* ---- both ways
 * ----------------------------------------------------------------------------------- */

static fer_code verify(struct lock *l, bool *broken, fer_err *err)
{
    fer_str text;
    fer_lock_entry *list = NULL;
    size_t count = 0;
    fer_code code = fer_file_read(l->arena, l->file, fer_json_limits_file()->size, &text, err);
    if (code) return code;
    code = fer_lock_verify(l->arena, text, l->set, &list, &count, broken, err);
    if (code) {
        fer_fail_in(err, fer_str_of(l->file));
        return code;
    }
    fer_out *o = &l->app->out;
    if (fer_app_option(l->app, "json")) {
        tell_json(o, list, count, *broken);
        return FER_OK;
    }
    for (size_t i = 0; i < count; i++) tell(o, &list[i]);
    size_t tools = fer_toolset_count(l->set);
    fer_out_printf(o, "%zu tool%s held against %s: %s\n", tools, fer_s(tools), l->file,
                   *broken ? "they differ" : "as they should be");
    return FER_OK;
}

static fer_code write_lock(struct lock *l, fer_err *err)
{
    fer_str text;
    fer_code code = fer_lock_write(l->arena, l->set, &text, err);
    if (!code && strcmp(l->file, "-") == 0) fer_out_add(&l->app->out, text);
    else if (!code) code = fer_file_replace(l->file, text, err);
    return code;
}

int fer_run_lock(fer_app *app)
{
    const char *file = fer_app_option(app, "lock-file");
    struct lock l = {.app = app, .file = file ? file : "ferrule.lock"};
    fer_inputs in;
    fer_err err;
    bool broken = false;
    int bad = fer_inputs_init(&in, app, 0);
    if (bad) return bad;
    l.arena = fer_arena_new(0);
    l.set = fer_toolset_new();
    fer_code code = l.arena && l.set ? read_all(&l, &in, &err)
                                     : fer_fail(&err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code)
        code = fer_app_option(app, "verify") ? verify(&l, &broken, &err) : write_lock(&l, &err);
    int exit = code ? fer_app_fail(app, &err) : broken ? FER_EXIT_FINDINGS : FER_EXIT_OK;
    fer_toolset_free(l.set);
    fer_arena_free(l.arena);
    fer_inputs_deinit(&in);
    return code && exit == FER_EXIT_FINDINGS ? FER_EXIT_USAGE : exit;
}
