/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target as an ordinary program: replay_<target> FILE|FOLDER... calls it
 * with the content of each file. It also sees that no input leaves memory behind;
 * for that it is linked over the seam of the tests.
 */
#include <string.h>

#include "errors.h"
#include "faults.h"
#include "file.h"
#include "fuzz.h"

#define MAX_FILES 100000
#define MAX_SIZE  ((size_t)1 << 20)

static bool any_name(fer_str name)
{
    (void)name;
    return true;
}

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "replay: %s: %s\n", path, why);
    exit(1);
}

/* The target gets a copy of exactly its size, so that a read past the end is seen. */
static void replay_file(const char *path)
{
    fer_err err;
    fer_str text;
    fer_arena *a = fer_arena_new(0);
    if (!a) fail(path, "out of memory");
    if (fer_file_read(a, path, MAX_SIZE, &text, &err) != FER_OK) fail(path, err.message);
    uint8_t *copy = malloc(text.len ? text.len : 1);
    if (!copy) fail(path, "out of memory");
    if (text.len) memcpy(copy, text.ptr, text.len);
    size_t size = text.len;
    fer_arena_free(a);
    int64_t before = fer_faults_live();
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    if (fer_faults_live() != before) fail(path, "memory is still held");
}

static size_t replay(const char *path)
{
    fer_err err;
    struct fer_file_list list;
    if (!fer_file_is_folder(path)) {
        replay_file(path);
        return 1;
    }
    fer_arena *a = fer_arena_new(0);
    if (!a) fail(path, "out of memory");
    if (fer_file_walk(a, path, MAX_FILES, any_name, &list, &err) != FER_OK) fail(path, err.message);
    for (size_t i = 0; i < list.count; i++) replay_file(list.paths[i].ptr);
    size_t count = list.count;
    fer_arena_free(a);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++) count += replay(argv[i]);
    printf("%zu inputs\n", count);
    return count ? 0 : 1;
}
