/* SPDX-License-Identifier: Apache-2.0 */
/* What tests with other programs share: badtool, its side file, and that nobody is left. */
#ifndef FER_TEST_CHILDREN_H
#define FER_TEST_CHILDREN_H

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "clock.h"
#include "proc_table.h"
#include "temp_files.h"

static inline const char *badtool(void)
{
    static char path[PATH_MAX];
    const char *given = getenv("BADTOOL");
    if (!path[0]) assert_non_null(realpath(given ? given : "build-test/tests/badtool", path));
    return path;
}

/* No child, alive or a zombie. */
static inline void assert_no_children(void)
{
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* Nobody on this machine carries a mark that this process gave. */
static inline void assert_no_marks(void)
{
    fer_proc_table t = {0};
    char prefix[32];
    size_t found = 0;
    snprintf(prefix, sizeof prefix, "%d.", (int)getpid());
    assert_true(fer_proc_table_read(&t, 0, NULL, NULL));
    for (size_t i = 0; i < t.count; i++) {
        if (strncmp(t.rows[i].mark, prefix, strlen(prefix)) != 0) continue;
        print_error("process %d is left, '%c'\n", (int)t.rows[i].pid, t.rows[i].state);
        found++;
    }
    fer_proc_table_deinit(&t);
    assert_int_equal(found, 0);
}

/* The time of the first line of the side file with this event, by the monotonic clock; 0: none. */
static inline int64_t noted_at(const char *file, const char *event)
{
    char line[8192], name[64];
    long long pid, at = 0;
    FILE *f = fopen(file, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%lld %lld %63s", &pid, &at, name) == 3 && strcmp(name, event) == 0) break;
        at = 0;
    }
    fclose(f);
    return at;
}

/* The pid on that line; 0: none. */
static inline pid_t noted_pid(const char *file, const char *event)
{
    char line[8192], name[64];
    int pid = 0;
    long long at;
    FILE *f = fopen(file, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%d %lld %63s", &pid, &at, name) == 3 && strcmp(name, event) == 0) break;
        pid = 0;
    }
    fclose(f);
    return pid;
}

#endif
