/* SPDX-License-Identifier: Apache-2.0 */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "errors.h"
#include "sys.h"

static fer_code failed(fer_err *err, const char *what, const char *path, int error)
{
    return fer_fail(err, FER_IO_ERROR, "cannot %s %s: %s", what, path, strerror(error));
}

/* Pipes and devices are written to; files, and links to files, are replaced. */
static fer_code open_path(fer_sink *s, fer_err *err)
{
    struct stat st;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
    bool there = fer_sys_stat(s->path, &st) == 0;
    bool direct = there && !S_ISREG(st.st_mode);
    const char *path = direct ? s->path : s->beside;
    if (!direct) snprintf(s->beside, sizeof s->beside, "%s.%ld.new", s->path, (long)getpid());
    do {
        s->file.fd = fer_sys_open(path, direct ? O_WRONLY | O_CLOEXEC : flags | O_EXCL, 0666);
    } while (s->file.fd < 0 && errno == EINTR);
    if (s->file.fd < 0) {
        s->beside[0] = '\0'; /* nothing is there to be taken away */
        return failed(err, direct ? "open" : "create", s->path, errno);
    }
    if (there && !direct && fer_sys_fchmod(s->file.fd, st.st_mode & 07777) != 0)
        return failed(err, "set the mode of", path, errno);
    return FER_OK;
}

fer_code fer_sink_open(fer_sink *s, fer_app *app, const char *path, fer_err *err)
{
    s->out = &app->out;
    s->path[0] = s->beside[0] = '\0';
    if (!path || strcmp(path, "-") == 0) return FER_OK;
    if (!path[0]) return fer_fail(err, FER_BAD_USAGE, "the name of the file to write is empty");
    fer_out_init(&s->file, -1, false, false);
    if (!fer_sys_realpath(path, s->path)) {
        if (errno != ENOENT || strlen(path) >= sizeof s->path)
            return failed(err, "find", path, errno);
        memcpy(s->path, path, strlen(path) + 1);
    }
    fer_code code = open_path(s, err);
    if (code) fer_sink_close(s, false, NULL);
    else s->out = &s->file;
    return code;
}

fer_code fer_sink_close(fer_sink *s, bool keep, fer_err *err)
{
    fer_code code = FER_OK;
    if (!s->path[0]) return FER_OK;
    if (keep && !fer_out_close(&s->file)) code = failed(err, "write", s->path, s->file.error);
    if (keep && !code && s->beside[0] && fer_sys_fsync(s->file.fd) != 0)
        code = failed(err, "sync", s->beside, errno);
    if (s->file.fd >= 0 && fer_sys_close(s->file.fd) != 0 && keep && !code)
        code = failed(err, "close", s->path, errno);
    bool replace = keep && !code && s->beside[0];
    if (replace && fer_sys_rename(s->beside, s->path) != 0)
        code = failed(err, "replace", s->path, errno);
    if (s->beside[0] && (!keep || code)) fer_sys_unlink(s->beside);
    s->path[0] = s->beside[0] = '\0';
    return code;
}
