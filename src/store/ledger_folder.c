/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include <uv.h>

#include "digest.h"
#include "errors.h"
#include "file.h"
#include "sys.h"

static fer_code failed(fer_err *err, const char *what, const char *name)
{
    return fer_fail(err, FER_IO_ERROR, "cannot %s %s: %s", what, name, strerror(errno));
}

static int open_at(int folder, const char *name, int flags)
{
    int fd;
    do fd = fer_sys_openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (fd < 0 && errno == EINTR);
    return fd;
}

bool fer_write_at(int fd, fer_str s, uint64_t at)
{
    while (s.len) {
        ssize_t n = fer_sys_pwrite(fd, s.ptr, s.len, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        s = fer_str_slice(s, (size_t)n, s.len);
        at += (uint64_t)n;
    }
    return true;
}

/* Not taken up again after a failure: what is in doubt then stays so (fsync, EIO). */
bool fer_sync_data(int fd)
{
    int bad;
    do bad = fer_sys_fdatasync(fd);
    while (bad && errno == EINTR);
    return !bad;
}

bool fer_sync_folder(int folder)
{
    int bad;
    do bad = fer_sys_fsync(folder);
    while (bad && errno == EINTR);
    return !bad;
}

/* The name of a new file or folder lasts when the folder above it is synced. One that may be
 * written and not read cannot be, and is left to the system. */
static bool sync_above(const char *path)
{
    char above[PATH_MAX];
    fer_str whole = fer_str_of(path);
    while (whole.len > 1 && whole.ptr[whole.len - 1] == '/') whole.len--;
    while (whole.len && whole.ptr[whole.len - 1] != '/') whole.len--;
    while (whole.len > 1 && whole.ptr[whole.len - 1] == '/') whole.len--;
    int n = snprintf(above, sizeof above, "%.*s", FER_PRI(whole.len ? whole : FER_STR(".")));
    if (n < 0 || (size_t)n >= sizeof above) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = fer_sys_open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) return errno == EACCES;
    bool ok = fer_sync_folder(fd);
    int error = errno;
    fer_sys_close(fd);
    errno = error;
    return ok;
}

/* ---- the folder ---------------------------------------------------------------------------------
 */

fer_code fer_folder_make(const char *path, const char *first, fer_err *err)
{
    char inside[PATH_MAX];
    struct stat st;
    int n = snprintf(inside, sizeof inside, "%s/%s", path, first);
    if (fer_sys_mkdir(path, 0700) != 0 && errno != EEXIST)
        return failed(err, "make the folder", path);
    bool used = n > 0 && (size_t)n < sizeof inside && fer_sys_stat(inside, &st) == 0;
    return used || sync_above(path) ? FER_OK : failed(err, "sync the folder above", path);
}

fer_code fer_folder_open(const char *path, bool make, int *out, fer_err *err)
{
    struct stat st;
    fer_code code = make ? fer_folder_make(path, "epoch", err) : FER_OK;
    if (code) return code;
    int fd = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return fer_fail(err, FER_IO_ERROR, "%s is a link or no folder; name the folder itself",
                        path);
    if (fd < 0) return failed(err, "open the folder", path);
    if (fer_sys_fstat(fd, &st) != 0) code = failed(err, "look at", path);
    else if (make && (st.st_mode & 022 || st.st_uid != geteuid()))
        code = fer_fail(err, FER_IO_ERROR,
                        "others may write %s: a ledger's folder belongs to who writes it alone "
                        "(chmod 0700)",
                        path);
    if (code) fer_sys_close(fd);
    else *out = fd;
    return code;
}

void fer_segment_name(char out[FER_SEGMENT_NAME], uint64_t epoch, uint64_t first)
{
    snprintf(out, FER_SEGMENT_NAME, "%010llu-%020llu.jsonl", (unsigned long long)epoch,
             (unsigned long long)first);
}

bool fer_segment_parse(fer_str name, fer_segment *out)
{
    if (name.len != 37 || name.ptr[10] != '-' || !fer_str_ends(name, ".jsonl")) return false;
    if (!fer_parse_u64(fer_str_slice(name, 0, 10), &out->epoch)) return false;
    if (!fer_parse_u64(fer_str_slice(name, 11, 31), &out->first)) return false;
    memcpy(out->name, name.ptr, name.len);
    out->name[name.len] = '\0';
    return true;
}

/* Two of the same first record: the later epoch's holds it, the other never got a record. */
static int by_first(const void *a, const void *b)
{
    const fer_segment *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

static fer_code list_into(fer_arena *a, DIR *dir, fer_segment_list *out, fer_err *err)
{
    size_t cap = 0;
    for (;;) {
        fer_segment s;
        errno = 0;
        const struct dirent *entry = fer_sys_readdir(dir);
        if (!entry) return errno ? failed(err, "read", "the ledger's folder") : FER_OK;
        if (!fer_segment_parse(fer_str_of(entry->d_name), &s)) continue;
        fer_segment *list = fer_arena_room(a, out->list, out->count, &cap, sizeof *list);
        if (!list) return fer_arena_failed(a, err);
        out->list = list;
        list[out->count++] = s;
    }
}

fer_code fer_folder_list(fer_arena *a, int folder, fer_segment_list *out, fer_err *err)
{
    fer_segment_list list = {0};
    int fd = open_at(folder, ".", O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fer_sys_fdopendir(fd);
    if (!dir) {
        fer_code code = failed(err, "read", "the ledger's folder");
        if (fd >= 0) fer_sys_close(fd);
        return code;
    }
    fer_code code = list_into(a, dir, &list, err);
    fer_sys_closedir(dir);
    if (code) return code;
    if (list.count > 1) qsort(list.list, list.count, sizeof *list.list, by_first);
    *out = list;
    return FER_OK;
}

/* ---- small files --------------------------------------------------------------------------------
 */

fer_code fer_folder_read(fer_arena *a, int folder, const char *name, size_t max, fer_str *out,
                         fer_err *err)
{
    int fd = open_at(folder, name, O_RDONLY);
    if (fd < 0) return failed(err, "open", name);
    fer_code code = fer_file_read_fd(a, fd, name, max, out, err);
    int error = errno;
    fer_sys_close(fd);
    errno = error;
    return code;
}

fer_code fer_folder_write(int folder, const char *name, fer_str content, fer_err *err)
{
    char beside[PATH_MAX];
    int len = snprintf(beside, sizeof beside, "%s.new", name);
    if (len < 0 || (size_t)len >= sizeof beside) {
        errno = ENAMETOOLONG;
        return failed(err, "create", name);
    }
    int fd = open_at(folder, beside, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0) return failed(err, "create", beside);
    fer_code code = FER_OK;
    if (!fer_write_at(fd, content, 0)) code = failed(err, "write", beside);
    else if (!fer_sync_data(fd)) code = failed(err, "sync", beside);
    if (fer_sys_close(fd) != 0 && !code) code = failed(err, "close", beside);
    if (!code && fer_sys_renameat(folder, beside, name) != 0) code = failed(err, "replace", name);
    if (!code && !(folder == AT_FDCWD ? sync_above(name) : fer_sync_folder(folder)))
        code = failed(err, "sync the folder of", name);
    if (code) fer_sys_unlinkat(folder, beside);
    return code;
}

static bool lock_now(int fd)
{
    int bad;
    do bad = fer_sys_flock(fd, LOCK_EX | LOCK_NB);
    while (bad && errno == EINTR);
    return !bad;
}

/* Who has it, as a text; whether there is such a process. */
static bool holder_lives(int fd, char text[32], ssize_t *n)
{
    uint64_t pid;
    *n = fer_sys_pread(fd, text, 31, 0);
    text[*n > 0 ? *n : 0] = '\0';
    fer_str digits = {text, strspn(text, "0123456789")};
    if (!fer_parse_u64(digits, &pid) || pid == 0 || pid > INT32_MAX) return true;
    return fer_sys_kill((pid_t)pid, -1, 0) == 0 || errno != ESRCH;
}

/* A process that was killed while it started a program has left its lock to that program until it
 * is executed: whoever is started right after it waits a little. */
#define LOCK_TRIES    100
#define LOCK_PAUSE_MS 10

fer_code fer_folder_lock(int folder, int *out, fer_err *err)
{
    char text[32];
    ssize_t known = 0;
    int fd = open_at(folder, "lock", O_RDWR | O_CREAT);
    if (fd < 0) return failed(err, "open", "lock");
    bool mine = lock_now(fd);
    for (int i = 0; !mine && i < LOCK_TRIES && !holder_lives(fd, text, &known); i++) {
        uv_sleep(LOCK_PAUSE_MS);
        mine = lock_now(fd);
    }
    if (!mine) {
        fer_sys_close(fd);
        return fer_fail(err, FER_LEDGER_UNAVAILABLE,
                        "the ledger is written by another process%s%.*s: one at a time",
                        known > 0 ? ", number " : "", (int)strspn(text, "0123456789"), text);
    }
    /* For the message above; the lock is what counts. */
    int n = snprintf(text, sizeof text, "%-10ld\n", (long)getpid());
    if (n > 0) (void)fer_write_at(fd, (fer_str){text, (size_t)n}, 0);
    *out = fd;
    return FER_OK;
}

bool fer_folder_is_written(int folder)
{
    int fd = open_at(folder, "lock", O_RDONLY);
    if (fd < 0) return false;
    bool held = fer_sys_flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    fer_sys_close(fd);
    return held;
}

fer_code fer_folder_epoch(int folder, uint64_t *out, fer_err *err)
{
    char text[32];
    uint64_t n = 0;
    int fd = open_at(folder, "epoch", O_RDONLY);
    if (fd < 0 && errno == ENOENT) {
        *out = 0;
        return FER_OK;
    }
    if (fd < 0) return failed(err, "open", "epoch");
    ssize_t got;
    do got = fer_sys_pread(fd, text, sizeof text, 0);
    while (got < 0 && errno == EINTR);
    fer_code code = got < 0 ? failed(err, "read", "epoch") : FER_OK;
    fer_sys_close(fd);
    if (code) return code;
    fer_str s = {text, got > 0 && text[got - 1] == '\n' ? (size_t)got - 1 : (size_t)got};
    if (!fer_parse_u64(s, &n))
        return fer_fail(err, FER_INTEGRITY_BROKEN, "the ledger's file 'epoch' holds no number");
    *out = n;
    return FER_OK;
}

fer_code fer_folder_set_epoch(int folder, uint64_t epoch, fer_err *err)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)epoch);
    return fer_folder_write(folder, "epoch", (fer_str){text, n > 0 ? (size_t)n : 0}, err);
}

/* ---- keys ---------------------------------------------------------------------------------------
 */

static fer_code make_secret(int folder, const char *name, unsigned char out[32], fer_err *err)
{
    char text[65];
    if (fer_sys_random(out, 32) != 0)
        return fer_fail(err, FER_IO_ERROR, "the system gives no random bytes: no key is made");
    fer_digest_hex(text, out, 32);
    text[64] = '\n';
    fer_code code = fer_folder_write(folder, name, (fer_str){text, sizeof text}, err);
    OPENSSL_cleanse(text, sizeof text);
    return code;
}

static fer_code check_secret(int fd, const char *name, fer_err *err)
{
    struct stat st;
    if (fer_sys_fstat(fd, &st) != 0) return failed(err, "look at", name);
    if (!S_ISREG(st.st_mode) || st.st_mode & 077 || st.st_uid != geteuid())
        return fer_fail(err, FER_IO_ERROR,
                        "%s holds a key: it must be a file of yours that nobody else reads (chmod "
                        "0600)",
                        name);
    return FER_OK;
}

fer_code fer_folder_secret(int folder, const char *name, bool make, unsigned char out[32],
                           fer_err *err)
{
    char text[66];
    int fd = open_at(folder, name, O_RDONLY);
    if (fd < 0 && errno == ENOENT && make) return make_secret(folder, name, out, err);
    if (fd < 0 && errno == ELOOP)
        return fer_fail(err, FER_IO_ERROR, "%s is a link; name the key file itself", name);
    if (fd < 0) return failed(err, "open", name);
    fer_code code = check_secret(fd, name, err);
    size_t len = 0;
    while (!code && len < sizeof text) {
        ssize_t n = fer_sys_pread(fd, text + len, sizeof text - len, (off_t)len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) code = failed(err, "read", name);
        if (n <= 0) break;
        len += (size_t)n;
    }
    fer_sys_close(fd);
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r')) len--;
    if (!code && !fer_digest_unhex((fer_str){text, len}, out, 32))
        code = fer_fail(err, FER_INVALID_FORMAT,
                        "%s does not hold 64 hexadecimal digits (openssl rand -hex 32)", name);
    OPENSSL_cleanse(text, sizeof text);
    return code;
}

/* The public half beside the key, for who verifies; it can be made again at any time. */
static void publish(int folder, const fer_sign_key *k)
{
    unsigned char half[32];
    char text[65];
    fer_sign_key_half(k, half);
    fer_digest_hex(text, half, sizeof half);
    text[64] = '\n';
    (void)fer_folder_write(folder, "checkpoint.pub", (fer_str){text, sizeof text}, NULL);
}

fer_code fer_folder_key(int folder, const char *path, bool make, fer_sign_key **out, fer_err *err)
{
    unsigned char secret[32];
    struct stat st;
    fer_code code = fer_folder_secret(path ? AT_FDCWD : folder, path ? path : "checkpoint.key",
                                      make, secret, err);
    if (code) return code;
    fer_sign_key *k = fer_sign_key_new(secret);
    OPENSSL_cleanse(secret, sizeof secret);
    if (!k) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    int fd = make ? open_at(folder, "checkpoint.pub", O_RDONLY) : -1;
    if (make && (fd < 0 || fer_sys_fstat(fd, &st) != 0 || st.st_size != 65)) publish(folder, k);
    if (fd >= 0) fer_sys_close(fd);
    *out = k;
    return FER_OK;
}

fer_code fer_folder_public(int folder, const char *path, fer_sign_key **out, fer_err *err)
{
    unsigned char half[32];
    fer_str text;
    const char *name = path ? path : "checkpoint.pub";
    fer_arena *a = fer_arena_new(4096);
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_code code = fer_folder_read(a, path ? AT_FDCWD : folder, name, 256, &text, err);
    while (!code && text.len && text.ptr[text.len - 1] == '\n') text.len--;
    if (!code && !fer_digest_unhex(text, half, sizeof half))
        code = fer_fail(err, FER_INVALID_FORMAT, "%s does not hold 64 hexadecimal digits", name);
    fer_arena_free(a);
    if (code) return code;
    *out = fer_sign_key_public(half);
    return *out ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}
