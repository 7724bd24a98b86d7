/* SPDX-License-Identifier: Apache-2.0 */
/* Listing the files below a folder: order, what is passed over, limits, and faults. */
#include "rows.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

static char root[64]; /* of all files of this test */

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static void make_file(const char *name)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(path_of(name), 0700), 0);
}

static int drop_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

/* Not in order, and with one of each kind of thing a folder can hold. */
static void make_tree(void)
{
    static const char *const folders[] = {"t",      "t/sub",   "t/sub-2", "t/empty",
                                          "t/.git", "t/sub/x", "t/x.json"};
    static const char *const files[] = {"t/b.json",        "t/a.json",       "t/.hidden.json",
                                        "t/.git/g.json",   "t/sub/c.json",   "t/sub/d.txt",
                                        "t/sub-2/e.json",  "t/sub/x/f.json", "t/B.json",
                                        "t/x.json/y.json", "t/\xC3\xA9.json"};
    for (size_t i = 0; i < FER_COUNT(folders); i++) make_folder(folders[i]);
    for (size_t i = 0; i < FER_COUNT(files); i++) make_file(files[i]);
    assert_int_equal(symlink("sub", path_of("t/link-to-folder")), 0);
    assert_int_equal(symlink(".", path_of("t/loop.json")), 0);
    assert_int_equal(symlink("a.json", path_of("t/link.json")), 0);
    assert_int_equal(mkfifo(path_of("t/fifo.json"), 0600), 0);
    make_folder("none");
}

static bool want_json(fer_str name)
{
    assert_int_equal(fer_str_find(name, 0, '/'), SIZE_MAX); /* a name, not a path */
    return fer_str_ends(name, ".json");
}
static bool want_text(fer_str name)
{
    return fer_str_ends(name, ".txt");
}
static bool want_all(fer_str name)
{
    return name.len > 0;
}
static bool want_none(fer_str name)
{
    return name.len == 0;
}

/* ---- what is found ----------------------------------------------------------------------- */

#define JSON                                                                                       \
    "B.json a.json b.json link.json sub-2/e.json sub/c.json sub/x/f.json x.json/y.json "           \
    "\xC3\xA9.json"
#define ALL                                                                                        \
    "B.json a.json b.json link.json sub-2/e.json sub/c.json sub/d.txt sub/x/f.json "               \
    "x.json/y.json \xC3\xA9.json"

static const struct walk_row {
    const char *name;
    const char *folder;
    bool (*wanted)(fer_str name);
    size_t max;
    fer_code code;
    const char *found; /* below the folder */
} walk_rows[] = {
    {"all", "t", want_all, 1000, FER_OK, ALL},
    {"JSON", "t", want_json, 1000, FER_OK, JSON},
    {"text", "t", want_text, 1000, FER_OK, "sub/d.txt"},
    {"none wanted", "t", want_none, 1000, FER_OK, ""},
    {"none wanted, none allowed", "t", want_none, 0, FER_OK, ""},
    {"one allowed, one there", "t", want_text, 1, FER_OK, "sub/d.txt"},
    {"none allowed, one there", "t", want_text, 0, FER_LIMIT_EXCEEDED, NULL},
    {"one more allowed than there are", "t", want_json, 10, FER_OK, JSON},
    {"as many allowed as there are", "t", want_json, 9, FER_OK, JSON},
    {"one less allowed", "t", want_json, 8, FER_LIMIT_EXCEEDED, NULL},
    {"no limit", "t", want_json, SIZE_MAX, FER_OK, JSON},
    {"a folder below", "t/sub", want_all, 1000, FER_OK, "c.json d.txt x/f.json"},
    {"an empty folder", "t/empty", want_all, 1000, FER_OK, ""},
    {"a hidden folder that is named", "t/.git", want_all, 1000, FER_OK, "g.json"},
    {"a link to a folder that is named", "t/link-to-folder", want_text, 1000, FER_OK, "d.txt"},
    {"a missing folder", "missing", want_all, 1000, FER_IO_ERROR, NULL},
    {"a file", "t/a.json", want_all, 1000, FER_IO_ERROR, NULL},
};

static void run_walk(const struct walk_row *row)
{
    fer_arena *a = fer_arena_new(0);
    fer_err err = {0};
    struct fer_file_list list = {NULL, 77};
    assert_non_null(a);
    size_t held = open_descriptors();
    const char *folder = path_of(row->folder);
    fer_code code = fer_file_walk(a, folder, row->max, row->wanted, &list, &err);
    assert_int_equal(open_descriptors(), held);
    assert_int_equal(code, row->code);
    assert_int_equal(err.code, code);
    if (code) {
        assert_int_equal(list.count, 77);
        fer_arena_free(a);
        return;
    }
    char found[512] = "";
    size_t len = 0, skip = strlen(folder) + 1;
    for (size_t i = 0; i < list.count; i++) {
        fer_str path = list.paths[i];
        assert_true(fer_str_starts(path, folder));
        assert_int_equal(path.ptr[path.len], '\0');
        assert_int_equal(access(path.ptr, F_OK), 0);
        if (i > 0) assert_true(fer_str_cmp(list.paths[i - 1], path) < 0);
        len += (size_t)snprintf(found + len, sizeof found - len, "%s%s", i ? " " : "",
                                path.ptr + skip);
    }
    assert_string_equal(found, row->found);
    fer_arena_free(a);
}

/* ---- faults -------------------------------------------------------------------------------- */

static const struct fault_row {
    const char *name;
    const char *kind; /* every call of which fails in turn */
    const char *error;
} fault_rows[] = {
    {"folders that may not be opened", "opendir", "EACCES"},
    {"too many open folders", "opendir", "EMFILE"},
    {"folders that cannot be read", "readdir", "EIO"},
    {"entries that cannot be looked at", "stat", "EIO"},
    {"no memory", "malloc", "ENOMEM"},
};

static void run_fault(const struct fault_row *row)
{
    for (size_t n = 1;; n++) {
        char plan[64];
        fer_err err = {0};
        struct fer_file_list list = {NULL, 77};
        fer_arena *a = fer_arena_new(0);
        assert_non_null(a);
        size_t held = open_descriptors();
        snprintf(plan, sizeof plan, "%s:%s@%zu", row->kind, row->error, n);
        assert_true(fer_faults_begin(plan));
        fer_code code = fer_file_walk(a, path_of("t"), 1000, want_json, &list, &err);
        bool met = fer_faults_injected() > 0;
        fer_faults_begin(NULL);
        assert_int_equal(open_descriptors(), held);
        fer_arena_free(a);
        if (!met) {
            assert_int_equal(code, FER_OK);
            assert_true(n > 1);
            return;
        }
        /* A folder inside that may not be opened is in the list, for its reader to complain. */
        if (n > 1 && strcmp(row->error, "EACCES") == 0 && strcmp(row->kind, "opendir") == 0) {
            assert_int_equal(code, FER_OK);
            continue;
        }
        fer_code expected = strcmp(row->kind, "malloc") ? FER_IO_ERROR : FER_OUT_OF_MEMORY;
        assert_int_equal(code, expected);
        assert_int_equal(err.code, expected);
        assert_int_equal(list.count, 77); /* untouched */
        if (expected == FER_IO_ERROR) assert_non_null(strstr(err.message, root));
    }
}

static fer_code attempt_walk(fer_arena *a, const void *row)
{
    struct fer_file_list list = {NULL, 77};
    (void)row;
    fer_code code = fer_file_walk(a, path_of("t"), 1000, want_json, &list, NULL);
    assert_int_equal(list.count, code ? 77 : 9);
    return code;
}

static void arena_torture(void)
{
    size_t held = open_descriptors();
    assert_true(rows_torture_arena(attempt_walk, NULL) > 10);
    assert_int_equal(open_descriptors(), held);
}

/* ---- depth, number, links ---------------------------------------------------------------------
 */

static const struct depth_row {
    const char *name;
    int depth;
    fer_code code;
} depth_rows[] = {
    {"31 folders deep", 31, FER_OK},
    {"32 folders deep", 32, FER_OK},
    {"33 folders deep", 33, FER_LIMIT_EXCEEDED},
};

static void run_depth(const struct depth_row *row)
{
    fer_arena *a = fer_arena_new(0);
    struct fer_file_list list;
    char name[256];
    assert_non_null(a);
    int len = snprintf(name, sizeof name, "deep%d", row->depth);
    make_folder(name);
    for (int i = 0; i < row->depth; i++) {
        len += snprintf(name + len, sizeof name - (size_t)len, "/d");
        make_folder(name);
    }
    snprintf(name + len, sizeof name - (size_t)len, "/f");
    make_file(name);
    snprintf(name, sizeof name, "deep%d", row->depth);
    size_t held = open_descriptors();
    fer_code code = fer_file_walk(a, path_of(name), 1000, want_all, &list, NULL);
    assert_int_equal(open_descriptors(), held);
    assert_int_equal(code, row->code);
    if (!code) assert_int_equal(list.count, 1);
    fer_arena_free(a);
}

static void many_files(void)
{
    fer_arena *a = fer_arena_new(0);
    struct fer_file_list list;
    assert_non_null(a);
    make_folder("many");
    for (unsigned i = 0; i < 500; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%03u", i * 7 % 500);
        make_file(name);
    }
    assert_int_equal(fer_file_walk(a, path_of("many"), 500, want_all, &list, NULL), FER_OK);
    assert_int_equal(list.count, 500);
    for (unsigned i = 0; i < 500; i++) {
        char name[32];
        snprintf(name, sizeof name, "/%03u", i);
        assert_true(fer_str_ends(list.paths[i], name));
    }
    fer_arena_free(a);
}

static const struct link_row {
    const char *name;
    const char *link; /* that points to nothing */
    size_t found;
} link_rows[] = {
    {"a hidden one", ".#lock.json", 0},
    {"one that nobody wants", "gone.txt", 0},
    {"one that is wanted: reading it will fail", "gone.json", 1},
};

static void run_link(const struct link_row *row)
{
    fer_arena *a = fer_arena_new(0);
    struct fer_file_list list = {NULL, 77};
    char name[64];
    assert_non_null(a);
    snprintf(name, sizeof name, "none/%s", row->link);
    assert_int_equal(symlink("nowhere", path_of(name)), 0);
    fer_code code = fer_file_walk(a, path_of("none"), 1000, want_json, &list, NULL);
    unlink(path_of(name));
    assert_int_equal(code, FER_OK);
    assert_int_equal(list.count, row->found);
    fer_arena_free(a);
}

static const struct folder_row {
    const char *name; /* the path */
    bool is;
} folder_rows[] = {
    {"t", true},
    {"t/", true},
    {"t/.git", true},
    {"t/link-to-folder", true},
    {"t/a.json", false},
    {"t/link.json", false},
    {"t/fifo.json", false},
    {"missing", false},
    {"t/a.json/x", false},
};

static void run_folder(const struct folder_row *row)
{
    assert_int_equal(fer_file_is_folder(path_of(row->name)), row->is);
    assert_true(fer_faults_begin("stat@1"));
    assert_false(fer_file_is_folder(path_of(row->name)));
    fer_faults_begin(NULL);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/ferrule-walk-XXXXXX");
    if (!mkdtemp(root)) return 1;
    int failed = ROWS_ONE("walk", make_tree) + ROWS_RUN("walk", walk_rows, run_walk) +
                 ROWS_RUN("walk faults", fault_rows, run_fault) +
                 ROWS_RUN("walk depth", depth_rows, run_depth) +
                 ROWS_RUN("walk dangling links", link_rows, run_link) +
                 ROWS_RUN("walk is folder", folder_rows, run_folder) +
                 ROWS_ONE("walk", arena_torture) + ROWS_ONE("walk", many_files);
    nftw(root, drop_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed;
}
