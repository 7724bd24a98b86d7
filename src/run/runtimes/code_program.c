/* SPDX-License-Identifier: Apache-2.0 */
#include "code_program.h"

#include <stdio.h>

#include "process.h"

/* What every program finds of the system it is of. */
static const char *const system_paths[] = {"/usr",
                                           "/bin",
                                           "/sbin",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/libx32",
                                           "/etc/alternatives",
                                           "/etc/ld.so.cache",
                                           "/etc/ssl/certs",
                                           "/etc/localtime"};

const char fer_program_path[] = "PATH=" FER_PROGRAM_PATH;

void fer_program_deadline(char out[FER_PROGRAM_DEADLINE], int64_t ms)
{
    snprintf(out, FER_PROGRAM_DEADLINE, "TOOL_DEADLINE_MS=%lld", (long long)ms);
}

void fer_program_find(fer_arena *a, fer_str named, fer_str *path, fer_err *missing)
{
    *path = FER_STR("");
    *missing = (fer_err){0};
    if (fer_process_find(a, named, FER_STR(FER_PROGRAM_PATH), path, missing)) *path = FER_STR("");
}

bool fer_program_binds(fer_arena *a, const fer_str *added, size_t added_count,
                       fer_sandbox_bind **binds, size_t *count)
{
    size_t own = FER_COUNT(system_paths);
    fer_sandbox_bind *list = fer_arena_alloc_zero(a, own + added_count, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < own; i++)
        list[i] = (fer_sandbox_bind){.from = system_paths[i], .optional = true};
    for (size_t i = 0; i < added_count; i++) {
        list[own + i].from = fer_arena_copy(a, added[i]).ptr;
        if (!list[own + i].from) return false;
    }
    *binds = list;
    *count = own + added_count;
    return true;
}

const char **fer_program_argv(fer_arena *a, const fer_str *command, size_t count, size_t spare)
{
    const char **argv = fer_arena_alloc_zero(a, count + spare + 1, sizeof *argv);
    for (size_t i = 0; argv && i < count; i++) {
        argv[i] = fer_arena_copy(a, command[i]).ptr;
        if (!argv[i]) return NULL;
    }
    return argv;
}
