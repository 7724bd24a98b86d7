/* SPDX-License-Identifier: Apache-2.0 */
#include "backup.h"

#include <errno.h>
#include <fcntl.h>

#include "errors.h"
#include "file.h"
#include "sys.h"

/* Under which name a file is kept, and what of it: its text, or (NULL) all of it. */
typedef struct copying {
    const char *file;
    const fer_str *text;
    mode_t mode;
} copying;

/* The name is taken first, so that nothing is replaced that came meanwhile. */
static fer_code write_copy(const copying *k, const char *path, bool *taken, fer_err *err)
{
    int fd = fer_sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, k->mode & 0600);
    *taken = fd < 0 && errno == EEXIST;
    if (*taken) return FER_OK;
    bool good = fd >= 0 && (!k->text || fer_file_write_all(fd, *k->text)) &&
                fer_sys_fchmod(fd, k->mode & 0777) == 0 &&
                (k->text || fer_sys_rename(k->file, path) == 0);
    int error = errno;
    if (fd >= 0) fer_sys_close(fd);
    if (good) return FER_OK;
    if (fd >= 0) fer_sys_unlink(path);
    return fer_fail(err, FER_IO_ERROR, "%s: %s; nothing was changed", path, strerror(error));
}

static fer_code keep(fer_arena *a, const char *file, const fer_str *text, fer_str *kept,
                     fer_err *err)
{
    struct stat st;
    *kept = FER_STR("");
    if (!fer_file_exists(file)) return FER_OK;
    if (fer_sys_stat(file, &st))
        return fer_fail(err, FER_IO_ERROR, "%s: %s", file, strerror(errno));
    const copying k = {file, text, st.st_mode};
    for (unsigned i = 1; i <= FER_BACKUPS_MAX; i++) {
        bool taken;
        *kept = i == 1 ? fer_arena_printf(a, "%s.bak", file)
                       : fer_arena_printf(a, "%s.bak.%u", file, i);
        if (!kept->ptr) return fer_arena_failed(a, err);
        fer_code code = write_copy(&k, kept->ptr, &taken, err);
        if (code || !taken) return code;
    }
    return fer_fail(err, FER_IO_ERROR, "backup.copies: there are %d copies of %s: delete some",
                    FER_BACKUPS_MAX, file);
}

fer_code fer_backup_keep(fer_arena *a, const char *file, fer_str text, fer_str *kept, fer_err *err)
{
    return keep(a, file, &text, kept, err);
}

fer_code fer_backup_move(fer_arena *a, const char *file, fer_str *kept, fer_err *err)
{
    return keep(a, file, NULL, kept, err);
}
