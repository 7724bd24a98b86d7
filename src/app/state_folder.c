/* SPDX-License-Identifier: Apache-2.0 */
#include "state_folder.h"

#include <stdlib.h>

#include "errors.h"
#include "file.h"
#include "ledger_folder.h"
#include "shelf.h"
#include "sys.h"

static fer_code read_config(fer_app *app, fer_arena *a, fer_config *out, fer_err *err)
{
    fer_str file = FER_STR("");
    *out = (fer_config){0};
    fer_code code = fer_config_locate(a, fer_app_option(app, "config"), &file, err);
    if (!code && file.len) {
        file = fer_arena_copy(a, file);
        code = file.ptr ? fer_config_load(a, file.ptr, out, err) : fer_arena_failed(a, err);
    }
    return code ? code : fer_config_refuse(out, file, false, err);
}

/* A path that the configuration may have left out. */
static bool copy_path(fer_arena *a, fer_str path, const char **out)
{
    *out = path.len ? fer_arena_copy(a, path).ptr : NULL;
    return !path.len || *out;
}

static int place_of(fer_app *app, fer_arena *a, const fer_config *c, fer_ledger_place *out)
{
    fer_err err;
    out->segment_bytes = c->ledger.segment_bytes;
    out->folder = fer_arena_printf(a, "%.*s/ledger", FER_PRI(c->state)).ptr;
    if (out->folder && copy_path(a, c->ledger.anchor, &out->anchor) &&
        copy_path(a, c->ledger.key, &out->key))
        return 0;
    fer_arena_failed(a, &err);
    return fer_app_fail(app, &err);
}

static fer_code count_segments(fer_arena *a, const char *path, size_t *out, fer_err *err)
{
    fer_segment_list list = {0};
    int folder;
    *out = 0;
    if (!fer_file_is_folder(path)) return FER_OK;
    fer_code code = fer_folder_open(path, false, &folder, err);
    if (code) return code;
    code = fer_folder_list(a, folder, &list, err);
    fer_sys_close(folder);
    *out = list.count;
    return code;
}

/* Who opens another folder to write makes a ledger of it, and who reads it finds nothing. */
static int must_be_there(fer_app *app, fer_arena *a, const char *folder)
{
    fer_err err;
    size_t count;
    if (count_segments(a, folder, &count, &err)) return fer_app_fail(app, &err);
    if (count) return 0;
    const char *below = fer_arena_printf(a, "%s/ledger", folder).ptr;
    if (below && !count_segments(a, below, &count, &err) && count)
        return fer_app_usage(app, "there is no ledger in %s: it is in %s", folder, below);
    return fer_app_usage(app,
                         "there is no ledger in %s; a gateway that has run with state: FOLDER "
                         "keeps one in FOLDER/ledger",
                         folder);
}

static int locate_ledger(fer_app *app, fer_arena *a, fer_ledger_place *out)
{
    fer_err err;
    fer_config c;
    const char *named = fer_app_option(app, "ledger"), *config = fer_app_option(app, "config"),
               *variable = getenv("FERRULE_LEDGER");
    if (!named && !config && variable && variable[0]) named = variable;
    *out = (fer_ledger_place){.folder = named ? named : "ferrule.ledger"};
    if (named) return 0;
    if (read_config(app, a, &c, &err)) return fer_app_fail(app, &err);
    if (c.state.len) return place_of(app, a, &c, out);
    if (config)
        return fer_app_usage(
            app, "%s names no state, so that there is no ledger: add state: FOLDER", config);
    return 0;
}

int fer_ledger_find(fer_app *app, fer_arena *a, fer_ledger_place *out)
{
    int bad = locate_ledger(app, a, out);
    return bad ? bad : must_be_there(app, a, out->folder);
}

int fer_state_find(fer_app *app, fer_arena *a, fer_config *config, fer_str *out)
{
    fer_err err;
    const char *named = fer_app_option(app, "state");
    *config = (fer_config){0};
    *out = fer_str_of(named);
    if (named && !fer_app_option(app, "config")) return 0;
    if (read_config(app, a, config, &err)) return fer_app_fail(app, &err);
    if (!named) *out = config->state;
    if (out->len) return 0;
    return fer_app_usage(app, "name the folder with --state, or a configuration that has one "
                              "(state: FOLDER) with --config");
}

/* ---- the catalogue ------------------------------------------------------------------------------
 */

static int no_catalog(fer_app *app, const fer_config *c)
{
    if (c->file.len)
        return fer_app_usage(app,
                             "%.*s names no catalogue: add state: FOLDER or catalog: FILE, or name "
                             "one with --catalog FILE",
                             FER_PRI(c->file));
    return fer_app_usage(app,
                         "%s needs a catalogue: --catalog FILE, a %s here, which 'ferrule index "
                         "build' makes, or a configuration with state or catalog (--config FILE)",
                         app->command->name, FER_SHELF_FILE);
}

/* Whoever has both is told which one it is about. */
static void say_catalog(fer_app *app, bool here, const fer_config *c)
{
    if (here)
        fer_app_say(app, "the catalogue is %s; --config %.*s is about that of the configuration",
                    FER_SHELF_FILE, FER_PRI(c->file));
    else fer_app_say(app, "the catalogue is %.*s, of %.*s", FER_PRI(c->catalog), FER_PRI(c->file));
}

/* The configuration's, which is said; it has one. */
static int name_catalog(fer_app *app, fer_arena *a, const fer_config *c, const char **out)
{
    fer_err err;
    say_catalog(app, false, c);
    *out = fer_arena_copy(a, c->catalog).ptr;
    if (!*out) return fer_app_fail(app, (fer_arena_failed(a, &err), &err));
    if (fer_file_exists(*out)) return 0;
    fer_fail(&err, FER_IO_ERROR,
             "there is no %s yet: 'ferrule serve' or 'ferrule servers --refresh' makes it", *out);
    return fer_app_fail(app, &err);
}

int fer_catalog_configured(fer_app *app, fer_arena *a, const char **out)
{
    fer_err err;
    fer_config c;
    bool asked = fer_app_option(app, "config") != NULL;
    fer_code code = read_config(app, a, &c, &err);
    *out = NULL;
    if (code) return asked ? fer_app_fail(app, &err) : 0;
    return c.catalog.len ? name_catalog(app, a, &c, out) : 0;
}

int fer_catalog_find(fer_app *app, fer_arena *a, const char **out)
{
    fer_err err;
    fer_config c;
    bool here = !fer_app_option(app, "config") && fer_file_exists(FER_SHELF_FILE);
    fer_code code = read_config(app, a, &c, &err);
    *out = here ? FER_SHELF_FILE : NULL;
    if (here && (code || !c.catalog.len)) return 0;
    if (code) return fer_app_fail(app, &err);
    if (!c.catalog.len) return no_catalog(app, &c);
    if (!here) return name_catalog(app, a, &c, out);
    say_catalog(app, true, &c);
    return 0;
}
