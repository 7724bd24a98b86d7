/* SPDX-License-Identifier: Apache-2.0 */
#include "result_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "file.h"
#include "sys.h"

#define HANDLE_DIGITS 20

/* Makes the folders of a path, those that only the user may read. */
static fer_code make_folders(fer_arena *a, fer_str path, fer_err *err)
{
    for (size_t at = 1; at <= path.len; at++) {
        if (at < path.len && path.ptr[at] != '/') continue;
        fer_str part = fer_arena_copy(a, fer_str_slice(path, 0, at));
        if (!part.ptr) return fer_arena_failed(a, err);
        if (fer_sys_mkdir(part.ptr, 0700) && errno != EEXIST)
            return fer_fail(err, FER_IO_ERROR, "%s: %s", part.ptr, strerror(errno));
    }
    return FER_OK;
}

static fer_code folder_of(fer_arena *a, fer_str state, fer_str *out, fer_err *err)
{
    const char *own = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state.len) *out = fer_arena_printf(a, "%.*s/results", FER_PRI(state));
    else if (own && own[0] == '/') *out = fer_arena_printf(a, "%s/ferrule/results", own);
    else if (home && home[0] == '/')
        *out = fer_arena_printf(a, "%s/.local/state/ferrule/results", home);
    else
        return fer_fail(err, FER_BAD_USAGE,
                        "there is no folder for stored results: name one as `state` in the "
                        "configuration");
    return out->ptr ? FER_OK : fer_arena_failed(a, err);
}

static bool is_handle(fer_str s)
{
    if (s.len != HANDLE_DIGITS + 2 || !fer_str_starts(s, "v-")) return false;
    for (size_t i = 2; i < s.len; i++)
        if (!fer_is_digit(s.ptr[i]) && !(s.ptr[i] >= 'a' && s.ptr[i] <= 'z')) return false;
    return true;
}

static bool make_handle(char out[HANDLE_DIGITS + 3])
{
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
    unsigned char random[HANDLE_DIGITS];
    if (fer_sys_random(random, sizeof random)) return false;
    out[0] = 'v';
    out[1] = '-';
    for (size_t i = 0; i < HANDLE_DIGITS; i++) out[2 + i] = letters[random[i] & 31];
    out[HANDLE_DIGITS + 2] = '\0';
    return true;
}

/* The oldest goes, where there are too many. */
static void make_room(fer_arena *a, const char *folder)
{
    const char *oldest = NULL;
    int64_t when = INT64_MAX;
    size_t count = 0;
    DIR *dir = fer_sys_opendir(folder);
    struct dirent *one;
    while (dir && (one = fer_sys_readdir(dir))) {
        fer_str path = fer_arena_printf(a, "%s/%s", folder, one->d_name);
        struct stat s;
        if (!is_handle(fer_str_of(one->d_name)) || !path.ptr || fer_sys_stat(path.ptr, &s))
            continue;
        count++;
        if (s.st_mtime >= when) continue;
        when = s.st_mtime;
        oldest = path.ptr;
    }
    if (dir) fer_sys_closedir(dir);
    if (oldest && count >= FER_RESULT_FILES) fer_sys_unlink(oldest);
}

fer_code fer_result_file_put(fer_app *app, fer_arena *a, fer_str state, fer_str json, fer_err *err)
{
    char handle[HANDLE_DIGITS + 3];
    fer_str folder = FER_STR("");
    fer_code code = folder_of(a, state, &folder, err);
    if (!code) code = make_folders(a, folder, err);
    if (code) return code;
    make_room(a, folder.ptr);
    if (!make_handle(handle)) return fer_fail(err, FER_IO_ERROR, "the system has no randomness");
    fer_str path = fer_arena_printf(a, "%.*s/%s", FER_PRI(folder), handle);
    if (!path.ptr) return fer_arena_failed(a, err);
    code = fer_file_replace(path.ptr, json, err);
    if (!code) fer_out_printf(&app->out, "{\"handle\":\"%s\",\"bytes\":%zu}\n", handle, json.len);
    return code;
}

fer_code fer_result_file_get(fer_arena *a, fer_str state, fer_str handle, fer_str *out,
                             fer_err *err)
{
    fer_str folder = FER_STR("");
    if (!is_handle(handle))
        return fer_fail(err, FER_BAD_USAGE, "\"%.*s\" is no handle of a stored result",
                        FER_PRI(fer_str_head(handle, 64)));
    fer_code code = folder_of(a, state, &folder, err);
    if (code) return code;
    fer_str path = fer_arena_printf(a, "%.*s/%.*s", FER_PRI(folder), FER_PRI(handle));
    if (!path.ptr) return fer_arena_failed(a, err);
    if (!fer_file_exists(path.ptr))
        return fer_fail(err, FER_INVALID_PAGE_TOKEN,
                        "no result is stored under this handle (any more)");
    return fer_file_read(a, path.ptr, FER_RESULT_SIZE, out, err);
}
