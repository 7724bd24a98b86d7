/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth_vault.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "errors.h"
#include "sys.h"

struct fer_vault {
    fer_seal *seal;
    char folder[1];
};

#define PATH_BYTES 4096

/* ---- life -------------------------------------------------------------------------------------
 */

/* All folders on the way that are not there, for this user alone. */
static fer_code make_folders(const char *folder, fer_err *err)
{
    char path[PATH_BYTES];
    struct stat st;
    size_t len = strlen(folder);
    if (len >= sizeof path) return fer_fail(err, FER_LIMIT_EXCEEDED, "the path is too long");
    memcpy(path, folder, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        path[i] = '\0';
        if (fer_sys_mkdir(path, 0700) && errno != EEXIST)
            return fer_fail(err, FER_IO_ERROR, "%s cannot be made: %s", path, strerror(errno));
        if (i < len) path[i] = '/';
    }
    if (fer_sys_stat(folder, &st) || !S_ISDIR(st.st_mode) || (st.st_mode & 022))
        return fer_fail(err, FER_FORBIDDEN, "%s is no folder that its owner alone may write to",
                        folder);
    return FER_OK;
}

fer_vault *fer_vault_new(const char *folder)
{
    fer_vault *v = fer_sys_malloc(sizeof *v + strlen(folder));
    if (!v) return NULL;
    v->seal = NULL;
    memcpy(v->folder, folder, strlen(folder) + 1);
    return v;
}

/* The key, made where `make` is set. FER_OK and no seal: there is none. */
static fer_code find_key(fer_vault *v, bool make, fer_err *err)
{
    char key[PATH_BYTES];
    if (v->seal) return FER_OK;
    if (snprintf(key, sizeof key, "%s/vault.key", v->folder) >= PATH_BYTES)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "the path is too long");
    if (!make && !fer_file_exists(key)) return FER_OK;
    fer_code code = make_folders(v->folder, err);
    return code ? code : fer_seal_new(key, make, &v->seal, err);
}

void fer_vault_free(fer_vault *v)
{
    if (!v) return;
    fer_seal_free(v->seal);
    fer_sys_free(v);
}

/* ---- records ----------------------------------------------------------------------------------
 */

static bool path_ending(const fer_vault *v, const char *kind, fer_str name, const char *ending,
                        char out[PATH_BYTES])
{
    unsigned char hash[32];
    char hex[33];
    if (fer_seal_name(v->seal, FER_STR(""), kind, name, hash, NULL)) return false;
    for (size_t i = 0; i < 16; i++) snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    return snprintf(out, PATH_BYTES, "%s/%s-%s%s", v->folder, kind, hex, ending) < PATH_BYTES;
}

static bool path_of(const fer_vault *v, const char *kind, fer_str name, char out[PATH_BYTES])
{
    return path_ending(v, kind, name, ".sealed", out);
}

static fer_str about(fer_arena *a, const char *kind, fer_str name)
{
    return fer_arena_printf(a, "%s\n%.*s", kind, FER_PRI(name));
}

fer_code fer_vault_get(fer_arena *a, fer_vault *v, const char *kind, fer_str name, fer_str *out,
                       fer_err *err)
{
    char path[PATH_BYTES];
    fer_str sealed, what = about(a, kind, name);
    *out = FER_STR_NONE;
    fer_code found = find_key(v, false, err);
    if (found || !v->seal) return found;
    if (!what.ptr || !path_of(v, kind, name, path))
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!fer_file_exists(path)) return FER_OK;
    fer_code code = fer_file_read(a, path, FER_VAULT_RECORD + FER_SEAL_EXTRA, &sealed, err);
    return code ? code : fer_seal_open(a, v->seal, FER_STR(""), what, sealed, out, err);
}

/* An empty one for its owner alone, whose mode stays when it is replaced. */
static fer_code make_file(const char *path, fer_err *err)
{
    int fd = fer_sys_open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "%s cannot be made: %s", path, strerror(errno));
    int bad = fer_sys_fchmod(fd, 0600);
    fer_sys_close(fd);
    return bad ? fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno)) : FER_OK;
}

fer_code fer_vault_put(fer_vault *v, const char *kind, fer_str name, fer_str value, fer_err *err)
{
    char path[PATH_BYTES];
    fer_str sealed;
    fer_code found = find_key(v, true, err);
    if (found) return found;
    fer_arena *a = fer_arena_new(0);
    if (!a || !path_of(v, kind, name, path)) {
        fer_arena_free(a);
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    }
    fer_str what = about(a, kind, name);
    fer_code code =
        value.len > FER_VAULT_RECORD
            ? fer_fail(err, FER_LIMIT_EXCEEDED, "the record is too large (vault.record)")
        : what.ptr ? fer_seal_close(a, v->seal, FER_STR(""), what, value, &sealed, err)
                   : fer_arena_failed(a, err);
    if (!code) code = make_file(path, err);
    if (!code) code = fer_file_replace(path, sealed, err);
    fer_arena_free(a);
    return code;
}

fer_code fer_vault_remove(fer_vault *v, const char *kind, fer_str name, fer_err *err)
{
    char path[PATH_BYTES];
    fer_code found = find_key(v, false, err);
    if (found || !v->seal) return found;
    if (!path_of(v, kind, name, path)) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (fer_sys_unlink(path) && errno != ENOENT)
        return fer_fail(err, FER_IO_ERROR, "%s cannot be removed: %s", path, strerror(errno));
    return FER_OK;
}

fer_code fer_vault_lock(fer_vault *v, int *out, fer_err *err)
{
    char key[PATH_BYTES];
    fer_code code = find_key(v, true, err);
    if (code) return code;
    snprintf(key, sizeof key, "%s/vault.key", v->folder); /* it fits: the key was found there */
    return fer_file_lock(key, out, err);
}

fer_code fer_vault_try_turn(fer_vault *v, const char *kind, fer_str name, int *out, fer_err *err)
{
    char path[PATH_BYTES];
    int bad;
    fer_code code = find_key(v, true, err);
    if (code) return code;
    if (!path_ending(v, kind, name, ".lock", path))
        return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    int fd = fer_sys_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return fer_fail(err, FER_IO_ERROR, "%s cannot be made: %s", path, strerror(errno));
    do bad = fer_sys_flock(fd, LOCK_EX | LOCK_NB);
    while (bad && errno == EINTR);
    bool taken = bad && errno == EWOULDBLOCK;
    if (bad && !taken) code = fer_fail(err, FER_IO_ERROR, "%s: %s", path, strerror(errno));
    if (bad) fer_sys_close(fd);
    *out = bad ? -1 : fd;
    return code;
}

fer_file_mark fer_vault_mark(fer_vault *v, const char *kind, fer_str name)
{
    char path[PATH_BYTES];
    bool there = !find_key(v, false, NULL) && v->seal;
    return there && path_of(v, kind, name, path) ? fer_file_mark_of(path) : (fer_file_mark){0};
}
