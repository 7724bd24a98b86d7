/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacing a file: whatever fails, the old content or the new one is there whole,
 * with its mode, and nothing is left beside it.
 */
#include "temp_files.h"

#include <fcntl.h>
#include <sys/file.h>

#include "file.h"

static char *pattern(size_t size)
{
    static char bytes[300001];
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i % 251);
    return bytes;
}

enum result {
    NEW,
    OLD,
    EITHER
};

static const struct replace_row {
    const char *name;
    const char *plan;
    enum result result;
} replace_rows[] = {
    {"no fault", "", NEW},
    {"one byte at a time", "write:short=1@1+", NEW},
    {"write is interrupted", "write:EINTR@1", NEW},
    {"write is interrupted in the middle", "write:short=2@1;write:EINTR@2", NEW},
    {"open is interrupted", "open:EINTR@1", NEW},
    {"sync is interrupted", "fsync:EINTR@1", NEW},
    {"may not create", "open:EACCES@1", OLD},
    {"too many open files", "open:EMFILE@1", OLD},
    {"no space", "write:ENOSPC@1", OLD},
    {"no space in the middle", "write:short=2@1;write:ENOSPC@2", OLD},
    {"EIO at the last byte", "write:short=10@1;write:EIO@2", OLD},
    {"sync fails", "fsync:EIO@1", OLD},
    {"close fails", "close:EIO@1", OLD},
    {"close finds no space", "close:ENOSPC@1", OLD},
    {"sync and close fail", "fsync@1;close@1", OLD},
    {"rename fails", "rename:EIO@1", OLD},
    {"may not rename", "rename:EACCES@1", OLD},
    {"may not set the mode", "fchmod:EACCES@1", OLD},
    {"mode and close fail", "fchmod@1;close@1", OLD},
    {"the mode cannot be known", "stat:EIO@1", EITHER},
    {"the mode may not be known", "stat:EACCES@1", EITHER},
};

#define OLD_TEXT "the old content"
#define NEW_TEXT "new content"

/* Whole, old or new as the code says; the mode kept; nothing beside it. */
static void check_replaced(fer_code code)
{
    char got[64] = "";
    struct stat st;
    int fd = open(path_of("box/f"), O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, got, sizeof got - 1) >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    close(fd);
    assert_string_equal(got, code ? OLD_TEXT : NEW_TEXT);
    assert_int_equal(count_entries(path_of("box")), 1);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static fer_code replace_under(const char *plan, fer_err *err)
{
    mkdir(path_of("box"), 0700);
    make_file("box/f", OLD_TEXT, strlen(OLD_TEXT), 0600);
    size_t held = open_descriptors();
    assert_true(fer_faults_begin(plan));
    fer_code code = fer_file_replace(path_of("box/f"), FER_STR(NEW_TEXT), err);
    assert_int_equal(open_descriptors(), held);
    return code;
}

static void run_replace(const struct replace_row *row)
{
    fer_err err = {0};
    fer_code code = replace_under(row->plan, &err);
    fer_faults_begin(NULL);
    check_replaced(code);
    if (row->result != EITHER) assert_int_equal(code, row->result == NEW ? FER_OK : FER_IO_ERROR);
    assert_int_equal(err.code, code);
    if (code) assert_non_null(strstr(err.message, path_of("box/f")));
}

/* Every call of a kind fails in turn, until a run meets no fault. */
static const struct kind_row {
    const char *name;
    const char *plan; /* for the n-th call */
    uint64_t least;   /* faults that must be met */
} kind_rows[] = {
    {"open", "open:EIO@%zu", 1},
    {"write", "write:EIO@%zu", 1},
    {"every byte", "write:ENOSPC@%zu;write:short=1@1+", 11},
    {"fsync", "fsync:EIO@%zu", 1},
    {"close", "close:EIO@%zu", 1},
    {"rename", "rename:EIO@%zu", 1},
    {"fchmod", "fchmod:EIO@%zu", 1},
    {"stat", "stat:EIO@%zu", 1},
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void plan_for(char out[64], const char *format, size_t n)
{
    snprintf(out, 64, format, n);
}
#pragma GCC diagnostic pop

static void run_kind(const struct kind_row *row)
{
    size_t n = 1;
    for (;; n++) {
        char plan[64];
        plan_for(plan, row->plan, n);
        fer_code code = replace_under(plan, NULL);
        /* With short writes every write is a fault; only the failing one counts here. */
        bool met = fer_faults_calls(row->least > 1 ? "write" : row->name) >= n;
        fer_faults_begin(NULL);
        check_replaced(code);
        if (!met) break;
    }
    assert_true(n > row->least);
}

static const struct target_row {
    const char *name;
    const char *path;
    fer_code code;
} target_rows[] = {
    {"a new file", "box2/new", FER_OK},
    {"a file", "box2/plain", FER_OK},
    {"a folder", "box2/folder", FER_IO_ERROR},
    {"in a missing folder", "box2/missing/f", FER_IO_ERROR},
    {"a file used as a folder", "box2/plain/f", FER_IO_ERROR},
};

static void run_target(const struct target_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_str out;
    assert_non_null(a);
    drop(path_of("box2"));
    assert_int_equal(mkdir(path_of("box2"), 0700), 0);
    assert_int_equal(mkdir(path_of("box2/folder"), 0700), 0);
    make_file("box2/plain", "x", 1, 0644);
    char *text = pattern(200000);
    fer_str contents[] = {{text, 200000}, {"", 0}, {"a\0b", 3}, {NULL, 0}};
    for (size_t i = 0; i < FER_COUNT(contents); i++) {
        fer_code code = fer_file_replace(path_of(row->path), contents[i], NULL);
        assert_int_equal(code, row->code);
        assert_int_equal(count_entries(path_of("box2")), 2 + (strcmp(row->path, "box2/new") == 0));
        if (code) continue;
        assert_int_equal(fer_file_read(a, path_of(row->path), SIZE_MAX, &out, NULL), FER_OK);
        assert_true(fer_str_eq(out, contents[i]));
    }
    fer_arena_free(a);
}

static void replace_a_long_path(void)
{
    static char path[8192];
    fer_err err = {0};
    memset(path, 'a', sizeof path - 1);
    assert_int_equal(fer_file_replace(path, FER_STR("x"), &err), FER_IO_ERROR);
    assert_int_equal(err.code, FER_IO_ERROR);
    path[4090] = '\0';
    assert_int_equal(fer_file_replace(path, FER_STR("x"), NULL), FER_IO_ERROR);
}

static void modes_are_kept(void)
{
    static const mode_t modes[] = {0600, 0640, 0644, 0666, 0755, 0400, 0777, 02755, 01644};
    for (size_t i = 0; i < FER_COUNT(modes); i++) {
        struct stat st;
        make_file("mode", "old", 3, modes[i]);
        assert_int_equal(fer_file_replace(path_of("mode"), FER_STR("new"), NULL), FER_OK);
        assert_int_equal(stat(path_of("mode"), &st), 0);
        assert_int_equal(st.st_mode & 07777, modes[i]);
        assert_int_equal(st.st_size, 3);
        unlink(path_of("mode"));
    }
}

/* What is no file is written to, and is still there. */
static void streams_stay(void)
{
    struct stat st;
    char got[8] = "", link[64];
    int fds[2];
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    int reader = open(path_of("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(fer_file_replace(path_of("pipe"), FER_STR("new"), NULL), FER_OK);
    assert_int_equal(read(reader, got, sizeof got), 3);
    assert_memory_equal(got, "new", 3);
    assert_int_equal(stat(path_of("pipe"), &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    close(reader);
    unlink(path_of("pipe"));
    /* As /dev/stdout is, where a pipe is behind it: the link leads to no path. */
    assert_int_equal(pipe(fds), 0);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fds[1]);
    assert_int_equal(fer_file_replace(link, FER_STR("there"), NULL), FER_OK);
    assert_int_equal(read(fds[0], got, sizeof got), 5);
    assert_memory_equal(got, "there", 5);
    close(fds[0]);
    close(fds[1]);
}

/* A new file is no more open than its folder. */
static void new_in_a_folder(void)
{
    static const struct {
        mode_t folder, file;
    } rows[] = {{0700, 0600}, {0710, 0644}, {0755, 0644}};
    mode_t before = umask(022);
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        struct stat st;
        assert_int_equal(mkdir(path_of("folder"), 0700), 0);
        assert_int_equal(chmod(path_of("folder"), rows[i].folder), 0);
        assert_int_equal(fer_file_replace(path_of("folder/new"), FER_STR("new"), NULL), FER_OK);
        assert_int_equal(stat(path_of("folder/new"), &st), 0);
        assert_int_equal(st.st_mode & 07777, rows[i].file);
        unlink(path_of("folder/new"));
        rmdir(path_of("folder"));
    }
    umask(before);
}

/* A process of our number was killed while it wrote, or writes now. */
static void what_others_left(void)
{
    char beside[32];
    snprintf(beside, sizeof beside, "kept.%ld.new", (long)getpid());
    make_file("kept", "old", 3, 0600);
    make_file(beside, "half", 4, 0600);
    size_t open_before = open_descriptors();
    int fd = open(path_of(beside), O_WRONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(fer_file_replace(path_of("kept"), FER_STR("new"), NULL), FER_IO_ERROR);
    assert_int_equal(access(path_of(beside), F_OK), 0);
    close(fd);
    assert_int_equal(fer_file_replace(path_of("kept"), FER_STR("new"), NULL), FER_OK);
    assert_int_equal(access(path_of(beside), F_OK), -1);
    assert_int_equal(open_descriptors(), open_before);
    unlink(path_of("kept"));
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-replace-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_RUN("replace", replace_rows, run_replace) +
                 ROWS_RUN("replace, each call", kind_rows, run_kind) +
                 ROWS_RUN("replace, target", target_rows, run_target) +
                 ROWS_ONE("replace", replace_a_long_path) + ROWS_ONE("replace", modes_are_kept) +
                 ROWS_ONE("replace", new_in_a_folder) + ROWS_ONE("replace", streams_stay) +
                 ROWS_ONE("replace", what_others_left);
    drop(root);
    return failed;
}
