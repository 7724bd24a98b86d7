/* SPDX-License-Identifier: Apache-2.0 */
/* Where the gateway of a configuration is. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "attach.h"
#include "buf.h"
#include "digest.h"
#include "errors.h"
#include "serve_local.h"
#include "sys.h"
#include "trace_context.h"

#define NAME_BYTES 8 /* of the digest, in the name of the socket */

/* Makes the folders of a path that are missing, for this user alone. */
static fer_code make_folders(fer_arena *a, fer_str path, fer_err *err)
{
    for (size_t i = 1; i <= path.len; i++) {
        if (i < path.len && path.ptr[i] != '/') continue;
        fer_str part = fer_arena_copy(a, fer_str_slice(path, 0, i));
        if (!part.ptr) return fer_arena_failed(a, err);
        if (fer_sys_mkdir(part.ptr, 0700) && errno != EEXIST)
            return fer_fail(err, FER_IO_ERROR, "%s: %s", part.ptr, strerror(errno));
    }
    return FER_OK;
}

fer_code fer_attach_folder(fer_arena *a, fer_str *out, fer_err *err)
{
    const char *run = getenv("XDG_RUNTIME_DIR"), *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (run && run[0] == '/') *out = fer_arena_printf(a, "%s/ferrule", run);
    else if (state && state[0] == '/') *out = fer_arena_printf(a, "%s/ferrule/run", state);
    else if (home && home[0] == '/')
        *out = fer_arena_printf(a, "%s/.local/state/ferrule/run", home);
    else return fer_fail(err, FER_BAD_USAGE, "there is no home and no XDG_RUNTIME_DIR");
    if (!out->ptr) return fer_arena_failed(a, err);
    fer_code code = make_folders(a, *out, err);
    if (!code && !fer_local_is_own(out->ptr))
        return fer_fail(err, FER_FORBIDDEN,
                        "%s must be a folder that only you may use (chmod 700), and no link",
                        out->ptr);
    return code;
}

static void add_part(fer_buf *b, const char *name, const char *value)
{
    fer_buf_printf(b, "%s=", name);
    fer_buf_add_text(b, value ? value : "");
    fer_buf_add_char(b, '\0');
}

static fer_code add_file(fer_arena *a, fer_buf *b, const char *file, const char **whole,
                         fer_err *err)
{
    char path[PATH_MAX];
    if (!fer_sys_realpath(file, path))
        return fer_fail(err, FER_IO_ERROR, "%s: %s", file, strerror(errno));
    add_part(b, "file", path);
    *whole = fer_arena_copy(a, fer_str_of(path)).ptr;
    return *whole ? FER_OK : fer_arena_failed(a, err);
}

/* All that makes another gateway of it. */
static fer_code write_identity(fer_arena *a, fer_app *app, const char *const *files, size_t count,
                               fer_attach *out, fer_buf *b, fer_err *err)
{
    const char *value, *ignored;
    fer_str config = FER_STR("");
    fer_code code = FER_OK;
    add_part(b, "version", fer_version());
    add_part(b, "home", getenv("HOME"));
    add_part(b, "mode", fer_app_option(app, "mode"));
    for (size_t i = 0; (value = fer_app_values(app, "expose", i)); i++)
        add_part(b, "expose", value);
    for (size_t i = 0; !code && i < count; i++) code = add_file(a, b, files[i], &ignored, err);
    if (!code && !count) code = fer_config_locate(a, fer_app_option(app, "config"), &config, err);
    if (!code && config.len) code = add_file(a, b, config.ptr, &out->config, err);
    return code ? code : fer_buf_code(b, err);
}

fer_code fer_attach_find(fer_arena *a, fer_app *app, const char *const *files, size_t count,
                         fer_attach *out, fer_err *err)
{
    unsigned char digest[FER_DIGEST_SIZE];
    char name[2 * NAME_BYTES + 1];
    fer_str folder;
    fer_buf b;
    *out = (fer_attach){0};
    fer_buf_init(&b, a, FER_CONFIG_SIZE);
    fer_code code = write_identity(a, app, files, count, out, &b, err);
    if (!code) code = fer_attach_folder(a, &folder, err);
    if (code) return code;
    fer_digest_text(fer_buf_view(&b), digest);
    fer_trace_hex(digest, NAME_BYTES, name);
    out->folder = folder.ptr;
    out->path = fer_arena_printf(a, "%s/%s", folder.ptr, name).ptr;
    out->turn = fer_arena_printf(a, "%s/%s.turn", folder.ptr, name).ptr;
    out->log = fer_arena_printf(a, "%s/%s.log", folder.ptr, name).ptr;
    return out->path && out->turn && out->log ? FER_OK : fer_arena_failed(a, err);
}
