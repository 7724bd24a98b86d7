/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files: reading at the edge of the limit and under faults, and writing to a
 * descriptor. Replacing is in test_file_replace.c, listing in test_file_walk.c.
 */
#include "temp_files.h"

#include <sys/mman.h>

#include "file.h"

/* ---- read ----------------------------------------------------------------------------- */

static const struct read_row {
    const char *name;
    size_t size; /* of the file */
    size_t max;
    const char *plan;
    fer_code code;
} read_rows[] = {
    {"empty", 0, 100, "", FER_OK},
    {"empty, nothing allowed", 0, 0, "", FER_OK},
    {"one byte, nothing allowed", 1, 0, "", FER_LIMIT_EXCEEDED},
    {"one less than allowed", 99, 100, "", FER_OK},
    {"as much as allowed", 100, 100, "", FER_OK},
    {"one more than allowed", 101, 100, "", FER_LIMIT_EXCEEDED},
    {"no limit", 300000, SIZE_MAX, "", FER_OK},
    {"size unknown, one less", 99, 100, "stat@1", FER_OK},
    {"size unknown, as much", 100, 100, "stat@1", FER_OK},
    {"size unknown, one more", 101, 100, "stat@1", FER_LIMIT_EXCEEDED},
    {"size unknown, grows", 300000, 300000, "stat@1", FER_OK},
    {"size unknown, grows too far", 300000, 299999, "stat@1", FER_LIMIT_EXCEEDED},
    {"size unknown, the first chunk", 65536, 65536, "stat@1", FER_OK},
    {"size unknown, one more than it", 65537, 65537, "stat@1", FER_OK},
    {"size unknown, two more", 65538, 65538, "stat@1", FER_OK},
    {"size unknown, no limit", 1000, SIZE_MAX, "stat@1", FER_OK},
    {"one byte at a time", 1000, 1000, "read:short=1@1+", FER_OK},
    {"one byte at a time, too many", 1000, 999, "read:short=1@1+;stat@1", FER_LIMIT_EXCEEDED},
    {"interrupted at once", 1000, 1000, "read:EINTR@1", FER_OK},
    {"interrupted at the end", 1000, 1000, "read:EINTR@2", FER_OK},
    {"interrupted in the middle", 1000, 1000, "read:short=10@1;read:EINTR@2;read:EINTR@3", FER_OK},
    {"EIO at once", 1000, 1000, "read:EIO@1", FER_IO_ERROR},
    {"EIO in the middle", 1000, 1000, "read:short=10@1;read:EIO@2", FER_IO_ERROR},
    {"EIO at the end", 1000, 1000, "read:EIO@2", FER_IO_ERROR},
    {"EAGAIN", 1000, 1000, "read:EAGAIN@1", FER_IO_ERROR},
    {"may not open", 1000, 1000, "open:EACCES@1", FER_IO_ERROR},
    {"too many open files", 1000, 1000, "open:EMFILE@1", FER_IO_ERROR},
    {"open is interrupted", 1000, 1000, "open:EINTR@1", FER_OK},
    {"close fails", 1000, 1000, "close@1", FER_OK},
    {"no memory", 10000, 10000, "malloc@1", FER_OUT_OF_MEMORY},
    {"no memory to grow", 300000, 300000, "stat@1;malloc@2", FER_OUT_OF_MEMORY},
};

static char *pattern(size_t size)
{
    static char bytes[300001];
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i % 251);
    return bytes;
}

static void run_read(const struct read_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    fer_str out = {"untouched", 9};
    assert_non_null(a);
    make_file("read", pattern(row->size), row->size, 0600);
    size_t held = open_descriptors();
    assert_true(fer_faults_begin(row->plan));
    fer_code code = fer_file_read(a, path_of("read"), row->max, &out, &err);
    fer_faults_begin(NULL);
    assert_int_equal(open_descriptors(), held);
    assert_int_equal(code, row->code);
    assert_int_equal(err.code, code);
    if (code) {
        assert_str(out, "untouched");
        if (code != FER_OUT_OF_MEMORY) assert_non_null(strstr(err.message, path_of("read")));
    } else {
        assert_int_equal(out.len, row->size);
        assert_memory_equal(out.ptr, pattern(row->size), row->size);
        assert_int_equal(out.ptr[out.len], '\0');
    }
    fer_arena_free(a);
}

static fer_code attempt_read(fer_arena *a, const void *row)
{
    fer_str out = FER_STR_NONE;
    (void)row;
    fer_code code = fer_file_read(a, path_of("small"), 100, &out, NULL);
    if (!code) assert_str(out, "content");
    else assert_null(out.ptr);
    return code;
}

static void read_torture(void)
{
    make_file("small", "content", 7, 0600);
    size_t held = open_descriptors();
    assert_true(rows_torture_arena(attempt_read, NULL) == 0); /* 16 bytes are enough */
    assert_true(fer_faults_begin("stat@1+"));
    assert_true(rows_torture_arena(attempt_read, NULL) > 0);
    fer_faults_begin(NULL);
    assert_int_equal(open_descriptors(), held);
}

static const struct refuse_row {
    const char *name;
    const char *path; /* below the folder of this test */
    const char *says;
} refuse_rows[] = {
    {"a missing file", "missing", "No such file"},
    {"a file in a missing folder", "missing/file", "No such file"},
    {"a folder", ".", "Is a directory"},
    {"a file used as a folder", "plain/file", "Not a directory"},
};

static void run_refuse(const struct refuse_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    fer_str out = FER_STR_NONE;
    assert_non_null(a);
    make_file("plain", "", 0, 0600);
    size_t held = open_descriptors();
    assert_int_equal(fer_file_read(a, path_of(row->path), 100, &out, &err), FER_IO_ERROR);
    assert_non_null(strstr(err.message, row->says));
    assert_int_equal(fer_file_read(a, path_of(row->path), 100, &out, NULL), FER_IO_ERROR);
    assert_null(out.ptr);
    assert_int_equal(open_descriptors(), held);
    fer_arena_free(a);
}

static const struct pipe_row {
    const char *name;
    size_t size;
    size_t max;
    fer_code code;
} pipe_rows[] = {
    {"nothing", 0, 0, FER_OK},
    {"one less than allowed", 9, 10, FER_OK},
    {"as much as allowed", 10, 10, FER_OK},
    {"one more than allowed", 11, 10, FER_LIMIT_EXCEEDED},
    {"a full pipe", 65536, 65536, FER_OK},
};

static void run_pipe(const struct pipe_row *row)
{
    int ends[2];
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    fer_str out = FER_STR_NONE;
    assert_non_null(a);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], pattern(row->size), row->size), row->size);
    close(ends[1]);
    fer_code code = fer_file_read_fd(a, ends[0], "<stdin>", row->max, &out, &err);
    assert_int_equal(close(ends[0]), 0); /* it stays the caller's */
    assert_int_equal(code, row->code);
    if (code) assert_non_null(strstr(err.message, "<stdin>"));
    else assert_int_equal(out.len, row->size);
    if (!code) assert_memory_equal(out.ptr, pattern(row->size), row->size);
    fer_arena_free(a);
}

/* ---- write ------------------------------------------------------------------------------- */

static const struct write_row {
    const char *name;
    const char *text;
    const char *plan;
    bool good;
    const char *written;
} write_rows[] = {
    {"nothing", "", "write:EIO@1+", true, ""},
    {"at once", "0123456789", "", true, "0123456789"},
    {"one byte at a time", "0123456789", "write:short=1@1+", true, "0123456789"},
    {"in threes", "0123456789", "write:short=3@1+", true, "0123456789"},
    {"interrupted at once", "0123456789", "write:EINTR@1", true, "0123456789"},
    {"interrupted often", "0123456789", "write:EINTR@1;write:short=1@2;write:EINTR@3;write:EINTR@4",
     true, "0123456789"},
    {"refused at once", "0123456789", "write:EIO@1", false, ""},
    {"refused in the middle", "0123456789", "write:short=4@1;write:ENOSPC@2", false, "0123"},
    {"not ready", "0123456789", "write:EAGAIN@1", false, ""},
    {"nobody reads", "0123456789", "write:EPIPE@1", false, ""},
};

static void run_write(const struct write_row *row)
{
    char got[64] = "";
    int fd = memfd_create("write", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(fer_faults_begin(row->plan));
    bool good = fer_file_write_all(fd, fer_str_of(row->text));
    fer_faults_begin(NULL);
    assert_true(pread(fd, got, sizeof got - 1, 0) >= 0);
    close(fd);
    assert_int_equal(good, row->good);
    assert_string_equal(got, row->written);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-file-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_RUN("file read", read_rows, run_read) +
                 ROWS_RUN("file refuse", refuse_rows, run_refuse) +
                 ROWS_RUN("file pipe", pipe_rows, run_pipe) +
                 ROWS_RUN("file write", write_rows, run_write) + ROWS_ONE("file", read_torture);
    drop(root);
    return failed;
}
