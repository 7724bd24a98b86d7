/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the file and the environment it is read in. */
#include <stdio.h>
#include <stdlib.h>

#include "config_parts.h"
#include "errors.h"
#include "file.h"
#include "json_doc.h"
#include "sys.h"

static const char *get_variable(void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

static bool has_file(void *context, const char *path)
{
    (void)context;
    return fer_file_exists(path);
}

static fer_str home_of(void)
{
    return fer_str_of(getenv("HOME"));
}

fer_code fer_config_locate(fer_arena *a, const char *asked, fer_str *out, fer_err *err)
{
    static const char *const names[] = {"ferrule.yaml", "ferrule.yml"};
    const char *config = getenv("XDG_CONFIG_HOME");
    *out = FER_STR_NONE;
    if (asked) {
        *out = fer_str_of(asked);
        return FER_OK;
    }
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        *out = fer_str_of(names[i]);
        if (fer_file_exists(names[i])) return FER_OK;
    }
    *out = FER_STR_NONE;
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        bool own = config && config[0] == '/';
        fer_str path = fer_arena_printf(a, "%s%s/ferrule/%s", own ? config : fer_pri_ptr(home_of()),
                                        own ? "" : "/.config", names[i]);
        if (!path.ptr) return fer_arena_failed(a, err);
        if ((own || home_of().len) && fer_file_exists(path.ptr)) {
            *out = path;
            return FER_OK;
        }
    }
    return FER_OK;
}

/* The folder of the file without links; a client's file in .vscode or .cursor means the one above.
 */
static fer_str folder_of(fer_arena *a, const char *file)
{
    char real[4096];
    fer_str path = fer_sys_realpath(file, real) ? fer_str_of(real) : fer_str_of(file);
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/') at--;
    fer_str folder = at > 1 ? fer_str_slice(path, 0, at - 1) : FER_STR("/");
    if (fer_str_ends(folder, "/.vscode")) folder.len -= 8;
    else if (fer_str_ends(folder, "/.cursor")) folder.len -= 8;
    return fer_arena_copy(a, folder);
}

fer_code fer_config_load_placed(fer_arena *a, const char *file, fer_config *out, fer_err *err)
{
    fer_str text;
    fer_code code = fer_file_read(a, file, FER_CONFIG_CLIENT_SIZE, &text, err);
    bool json = !code && text.len && text.ptr[0] == '{';
    /* Clients keep more in their files than servers, as JSON. */
    if (!code && text.len > FER_CONFIG_SIZE && !json) code = FER_LIMIT_EXCEEDED;
    if (code == FER_LIMIT_EXCEEDED)
        fer_fail(err, code, "%s: config.size: the limit is %zu bytes", file,
                 json ? FER_CONFIG_CLIENT_SIZE : FER_CONFIG_SIZE);
    if (code) return code;
    fer_config_world world = {
        .get = get_variable, .exists = has_file, .home = home_of(), .folder = folder_of(a, file)};
    fer_str name = fer_arena_copy(a, fer_str_of(file));
    if (!world.folder.ptr || !name.ptr) return fer_arena_failed(a, err);
    return fer_config_read(a, name, text, &world, out, err);
}

fer_code fer_config_load(fer_arena *a, const char *file, fer_config *out, fer_err *err)
{
    fer_code code = fer_config_load_placed(a, file, out, err);
    if (code && err && err->line) {
        fer_err plain = *err;
        fer_fail(err, code, "%s:%u:%u: %s", file, plain.line, plain.column, plain.message);
    }
    return code;
}

/* ---- in words --------------------------------------------------------------------------------
 */

void fer_config_problem_text(const fer_config *c, const fer_config_problem *p,
                             char out[FER_ERR_TEXT])
{
    const char *between = !p->hint.len ? "" : fer_str_ends(p->message, ".") ? " " : ". ";
    fer_str file = p->file.len ? p->file : c->file;
    char place[32] = "";
    if (p->place.line) snprintf(place, sizeof place, ":%u:%u", p->place.line, p->place.column);
    fer_err cut; /* between characters */
    fer_fail(&cut, FER_BAD_USAGE, "%.*s%s: %s: %.*s%s%.*s", FER_PRI(file), place,
             fer_severity_name(p->severity), FER_PRI(p->message), between, FER_PRI(p->hint));
    memcpy(out, cut.message, FER_ERR_TEXT);
}

fer_code fer_config_refuse(const fer_config *c, fer_str file, bool told, fer_err *err)
{
    const fer_config_problem *first = NULL;
    char more[80] = "";
    if (!c->error_count) return FER_OK;
    for (size_t i = 0; !first && i < c->problem_count; i++)
        if (c->problems[i].severity == FER_SEVERITY_ERROR) first = &c->problems[i];
    if (told || !first) /* there may be more problems than are kept */
        return fer_fail(err, FER_BAD_USAGE, "%.*s has %zu error%s: ferrule config check tells more",
                        FER_PRI(file), c->error_count, fer_s(c->error_count));
    if (first->file.len) file = first->file;
    if (c->error_count > 1)
        snprintf(more, sizeof more, " (the first of %zu errors: ferrule config check has all)",
                 c->error_count);
    return fer_fail(err, FER_BAD_USAGE, "%.*s:%u:%u: %.*s%s", FER_PRI(file), first->place.line,
                    first->place.column, FER_PRI(fer_str_head(first->message, 600)), more);
}
