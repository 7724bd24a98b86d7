/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite_seam.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "faults.h"

/* A file of ours; that of the system lies behind it. */
struct wrapped {
    sqlite3_file base;
    int fd;         /* a number for the watcher */
    bool new_names; /* the folder is synced with its first sync, as the system's VFS does */
};

static sqlite3_vfs *below;
static sqlite3_vfs seam;
static _Atomic int opened;

static sqlite3_file *real(sqlite3_file *f)
{
    return (sqlite3_file *)(void *)((struct wrapped *)(void *)f + 1);
}

/* What a failure is called by SQLite; FULL is what a full disk is. */
static int code_of(int error, int otherwise)
{
    return error == ENOSPC || error == EDQUOT ? SQLITE_FULL : otherwise;
}

static int f_close(sqlite3_file *f)
{
    sqlite3_file *r = real(f);
    return r->pMethods ? r->pMethods->xClose(r) : SQLITE_OK;
}
static int f_read(sqlite3_file *f, void *to, int size, sqlite3_int64 at)
{
    return real(f)->pMethods->xRead(real(f), to, size, at);
}
static int f_write(sqlite3_file *f, const void *from, int size, sqlite3_int64 at)
{
    size_t cut = (size_t)size;
    bool dies = false;
    int error = fer_faults_pass("write", &cut, &dies);
    if (error) return code_of(error, SQLITE_IOERR_WRITE);
    int code = real(f)->pMethods->xWrite(real(f), from, (int)cut, at);
    if (dies) kill(getpid(), SIGKILL);
    if (code) return code;
    fer_faults_tell(&(struct fer_faults_op){.kind = FER_OP_WRITE,
                                            .fd = ((struct wrapped *)(void *)f)->fd,
                                            .bytes = from,
                                            .size = cut,
                                            .at = (uint64_t)at});
    return cut == (size_t)size ? SQLITE_OK : SQLITE_FULL; /* a short write means a full disk */
}
static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    int error = fer_faults_pass("truncate", NULL, NULL);
    int code = error ? SQLITE_IOERR_TRUNCATE : real(f)->pMethods->xTruncate(real(f), size);
    if (!code)
        fer_faults_tell(&(struct fer_faults_op){
            .kind = FER_OP_SIZE, .fd = ((struct wrapped *)(void *)f)->fd, .size = (size_t)size});
    return code;
}
static int f_sync(sqlite3_file *f, int flags)
{
    struct wrapped *w = (struct wrapped *)(void *)f;
    int error = fer_faults_pass("fsync", NULL, NULL);
    int code = error ? SQLITE_IOERR_FSYNC : real(f)->pMethods->xSync(real(f), flags);
    if (code) return code;
    fer_faults_tell(&(struct fer_faults_op){.kind = FER_OP_SYNC, .fd = w->fd});
    if (w->new_names) /* of the folder that holds it */
        fer_faults_tell(&(struct fer_faults_op){.kind = FER_OP_SYNC, .fd = -w->fd});
    w->new_names = false;
    return code;
}
static int f_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real(f)->pMethods->xFileSize(real(f), size);
}
static int f_lock(sqlite3_file *f, int how)
{
    return real(f)->pMethods->xLock(real(f), how);
}
static int f_unlock(sqlite3_file *f, int how)
{
    return real(f)->pMethods->xUnlock(real(f), how);
}
static int f_reserved(sqlite3_file *f, int *out)
{
    return real(f)->pMethods->xCheckReservedLock(real(f), out);
}
static int f_control(sqlite3_file *f, int op, void *arg)
{
    return real(f)->pMethods->xFileControl(real(f), op, arg);
}
static int f_sector(sqlite3_file *f)
{
    return real(f)->pMethods->xSectorSize(real(f));
}
static int f_characteristics(sqlite3_file *f)
{
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}
static int f_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
    return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
static void f_shm_barrier(sqlite3_file *f)
{
    real(f)->pMethods->xShmBarrier(real(f));
}
static int f_shm_unmap(sqlite3_file *f, int remove)
{
    return real(f)->pMethods->xShmUnmap(real(f), remove);
}

static const sqlite3_io_methods methods = {.iVersion = 2, /* no mapped files: all is written */
                                           .xClose = f_close,
                                           .xRead = f_read,
                                           .xWrite = f_write,
                                           .xTruncate = f_truncate,
                                           .xSync = f_sync,
                                           .xFileSize = f_size,
                                           .xLock = f_lock,
                                           .xUnlock = f_unlock,
                                           .xCheckReservedLock = f_reserved,
                                           .xFileControl = f_control,
                                           .xSectorSize = f_sector,
                                           .xDeviceCharacteristics = f_characteristics,
                                           .xShmMap = f_shm_map,
                                           .xShmLock = f_shm_lock,
                                           .xShmBarrier = f_shm_barrier,
                                           .xShmUnmap = f_shm_unmap};

static int v_open(sqlite3_vfs *v, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
    struct wrapped *w = (struct wrapped *)(void *)f;
    (void)v;
    f->pMethods = NULL;
    if (fer_faults_pass("open", NULL, NULL)) return SQLITE_CANTOPEN;
    int code = below->xOpen(below, name, real(f), flags, out);
    if (code) return code;
    w->fd = SQLITE_SEAM_FD + opened++ % SQLITE_SEAM_FD;
    w->new_names = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
    f->pMethods = &methods;
    if (name)
        fer_faults_tell(&(struct fer_faults_op){.kind = FER_OP_OPEN, .fd = w->fd, .name = name});
    return SQLITE_OK;
}
static int v_delete(sqlite3_vfs *v, const char *name, int sync)
{
    (void)v;
    if (fer_faults_pass("unlink", NULL, NULL)) return SQLITE_IOERR_DELETE;
    int code = below->xDelete(below, name, sync);
    if (!code) fer_faults_tell(&(struct fer_faults_op){.kind = FER_OP_UNLINK, .name = name});
    return code;
}

void sqlite_seam_begin(void)
{
    if (below) return;
    if (sqlite3_initialize() != SQLITE_OK) abort();
    below = sqlite3_vfs_find(NULL);
    seam = *below;
    seam.zName = "seam";
    seam.szOsFile = (int)sizeof(struct wrapped) + below->szOsFile;
    seam.xOpen = v_open;
    seam.xDelete = v_delete;
    if (sqlite3_vfs_register(&seam, 1) != SQLITE_OK) abort();
}
