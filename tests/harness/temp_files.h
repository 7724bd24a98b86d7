/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a test's own, below one temporary folder. */
#ifndef FER_TEMP_FILES_H
#define FER_TEMP_FILES_H

#include "rows.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64]; /* of all files of this test */

static inline const char *path_of(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static inline void make_file(const char *name, const char *content, size_t len, mode_t mode)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, len), len);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static inline int drop_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static inline void drop(const char *path)
{
    nftw(path, drop_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir)) count++;
    closedir(dir);
    return count - 2;
}

static inline size_t open_descriptors(void)
{
    return count_entries("/proc/self/fd");
}

#endif
