/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked for, checked and written down for the cell. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "errors.h"
#include "sandbox_parts.h"
#include "sys.h"

#define NOBODY   65534u
#define PLAN_MAX ((size_t)64 << 20) /* bytes of a plan, with the files in it */

const char *const fer_sandbox_profile_names[FER_SANDBOX_HARDENED + 1] = {"standard", "dev",
                                                                         "hardened"};

/* ---- checking ------------------------------------------------------------------------------- */

static fer_code check_limit(int which, uint64_t asked, uint64_t *out, fer_err *err)
{
    const fer_box_limit_row *row = &fer_box_limit_rows[which];
    *out = asked ? asked : row->usual;
    if (which == FER_BOX_WALL && asked == UINT64_MAX) return FER_OK;
    if (*out >= row->least && *out <= row->max) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE, "the limit %s is %llu; it must be from %llu to %llu%s%s",
                    row->name, (unsigned long long)asked, (unsigned long long)row->least,
                    (unsigned long long)row->max, row->unit[0] ? " " : "", row->unit);
}

/* Absolute, and without a way up or out. */
static bool is_plain_path(const char *path)
{
    fer_str s = fer_str_of(path);
    if (s.len < 2 || s.ptr[0] != '/' || s.len > 1024) return false;
    return !strstr(path, "/../") && !strstr(path, "//") &&
           !(s.len >= 3 && !strcmp(path + s.len - 3, "/.."));
}

static fer_code check_paths(const fer_sandbox_spec *spec, fer_err *err)
{
    if (spec->bind_count > CELL_BINDS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "sandbox.binds: %zu, and %d are allowed",
                        spec->bind_count, CELL_BINDS_MAX);
    for (size_t i = 0; i < spec->bind_count; i++) {
        const fer_sandbox_bind *b = &spec->binds[i];
        if (!is_plain_path(b->from) || (b->to && !is_plain_path(b->to)))
            return fer_fail(err, FER_BAD_USAGE, "'%s' is not an absolute path of a file or folder",
                            is_plain_path(b->from) ? b->to : b->from);
    }
    for (size_t i = 0; i < spec->file_count; i++) {
        if (!is_plain_path(spec->files[i].path))
            return fer_fail(err, FER_BAD_USAGE, "'%s' is not an absolute path of a file",
                            spec->files[i].path);
    }
    return FER_OK;
}

static fer_code check_handed(const fer_sandbox_spec *spec, fer_err *err)
{
    if (spec->handed_count > FER_SANDBOX_HANDED_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "sandbox.handed: %zu descriptors, and %d are allowed", spec->handed_count,
                        FER_SANDBOX_HANDED_MAX);
    for (size_t i = 0; i < spec->handed_count; i++) {
        if (spec->handed[i].to < 3 ||
            spec->handed[i].to >= (int)fer_box_limit_rows[FER_BOX_FILES].least)
            return fer_fail(err, FER_BAD_USAGE,
                            "a descriptor is to be number %d; it must be from 3 to %llu",
                            spec->handed[i].to,
                            (unsigned long long)fer_box_limit_rows[FER_BOX_FILES].least - 1);
    }
    return FER_OK;
}

fer_code fer_spec_check(const fer_sandbox_spec *spec, uint64_t *limits, fer_err *err)
{
    fer_code code = FER_OK;
    for (int i = 0; !code && i < FER_BOX_LIMIT_COUNT; i++)
        code = check_limit(i, spec->limits[i], &limits[i], err);
    if (!code) code = check_paths(spec, err);
    if (!code) code = check_handed(spec, err);
    if (!code && spec->removed && !spec->allow_degraded)
        code = fer_fail(err, FER_BAD_USAGE,
                        "layers are removed only where a degraded sandbox is allowed");
    if (!code && !spec->by_descriptor && spec->program && spec->program[0] != '/')
        code = fer_fail(err, FER_BAD_USAGE, "%s is not an absolute path", spec->program);
    return code;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void add_text(fer_buf *b, const char *text)
{
    fer_buf_add(b, (fer_str){text, strlen(text) + 1});
}

static uint32_t add_texts(fer_buf *b, const char *const *texts)
{
    uint32_t count = 0;
    for (; texts && texts[count]; count++) add_text(b, texts[count]);
    return count;
}

static bool has_variable(const char *const *env, const char *variable)
{
    size_t name = strcspn(variable, "=") + 1;
    for (; env && *env; env++) {
        if (strncmp(*env, variable, name) == 0) return true;
    }
    return false;
}

static uint32_t add_env(fer_buf *b, const char *const *env)
{
    static const char *const own[] = {"HOME=/work", "TMPDIR=/work", "PWD=/work"};
    uint32_t count = add_texts(b, env);
    for (size_t i = 0; i < FER_COUNT(own); i++) {
        if (has_variable(env, own[i])) continue;
        add_text(b, own[i]);
        count++;
    }
    return count;
}

static uint32_t flags_of(const fer_sandbox_spec *spec, const fer_cgroup *g, bool probe)
{
    bool dev = spec->profile == FER_SANDBOX_DEV, hardened = spec->profile == FER_SANDBOX_HARDENED;
    bool wx = spec->jit || dev;
    uint32_t flags = 0;
    if (spec->allow_degraded) flags |= CELL_DEGRADED;
    if (spec->by_descriptor) flags |= CELL_BY_DESCRIPTOR;
    if (spec->proc && !hardened) flags |= CELL_PROC;
    if (wx) flags |= CELL_WX;
    if (dev) flags |= CELL_EXEC_WORK | CELL_SOCKETS;
    /* Files of memory that are mapped nowhere are seen by no watcher. */
    if (wx && g->memory && !hardened) flags |= CELL_MEMFD;
    if (probe) flags |= CELL_PROBE;
    return flags;
}

static void add_rest(fer_buf *b, const fer_sandbox_spec *spec)
{
    for (size_t i = 0; i < spec->bind_count; i++) {
        const fer_sandbox_bind *bind = &spec->binds[i];
        fer_buf_add_char(b, bind->optional ? 1 : 0);
        add_text(b, bind->from);
        add_text(b, bind->to ? bind->to : bind->from);
    }
    for (size_t i = 0; i < spec->file_count; i++) {
        uint64_t size = spec->files[i].content.len;
        add_text(b, spec->files[i].path);
        fer_buf_add(b, (fer_str){(const char *)&size, sizeof size});
        fer_buf_add(b, spec->files[i].content);
    }
    for (size_t i = 0; i < spec->handed_count; i++) {
        uint32_t number = (uint32_t)spec->handed[i].to;
        fer_buf_add(b, (fer_str){(const char *)&number, sizeof number});
    }
}

fer_code fer_plan_write(const fer_sandbox_spec *spec, const uint64_t *limits, const fer_cgroup *g,
                        bool probe, int *fd, fer_err *err)
{
    bool root = geteuid() == 0;
    struct cell_plan head = {.magic = CELL_MAGIC,
                             .flags = flags_of(spec, g, probe),
                             .removed = spec->removed,
                             .uid = root ? NOBODY : 0,
                             .gid = root ? NOBODY : 0,
                             .cgroups = g->count,
                             .cpu_ms = limits[FER_BOX_CPU],
                             .memory = limits[FER_BOX_MEMORY],
                             .processes = limits[FER_BOX_PROCESSES],
                             .disk = limits[FER_BOX_DISK],
                             .inodes = limits[FER_BOX_INODES],
                             .files = limits[FER_BOX_FILES],
                             .bindc = (uint32_t)spec->bind_count,
                             .filec = (uint32_t)spec->file_count,
                             .handedc = (uint32_t)spec->handed_count};
    fer_arena *a = fer_arena_new(PLAN_MAX * 2);
    fer_buf b;
    if (!a) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_buf_init(&b, a, PLAN_MAX);
    fer_buf_add(&b, (fer_str){(const char *)&head, sizeof head});
    add_text(&b, spec->program ? spec->program : "");
    head.argc = add_texts(&b, spec->argv);
    head.envc = add_env(&b, spec->env);
    add_rest(&b, spec);
    fer_code code = fer_buf_code(&b, err);
    head.size = (uint32_t)b.len;
    if (!code) {
        memcpy(b.ptr, &head, sizeof head);
        *fd = fer_sys_sealed("ferrule-plan", b.ptr, b.len);
        if (*fd < 0) code = fer_fail(err, FER_RESOURCE_LIMIT, "the system gives no file of memory");
    }
    fer_arena_free(a);
    return code;
}
