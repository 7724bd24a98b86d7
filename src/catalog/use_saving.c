/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever writes holds the lock of the file. Where another program has written since it was read
 * here, what is in it counts: what was forgotten here is taken out of it, and what was noted here
 * is put behind it. What others have noted comes into this memory when it is opened anew.
 */
#include <fcntl.h>
#include <string.h>

#include "arena.h"
#include "errors.h"
#include "sys.h"
#include "use_memory_parts.h"

void fer_use_note_gone(fer_use_memory *m, fer_str tenant, fer_str tool)
{
    struct gone *g = fer_sys_malloc(sizeof *g + tenant.len + tool.len);
    pthread_mutex_lock(&m->lock);
    if (g) {
        memcpy(g->text, tenant.ptr, tenant.len);
        if (tool.len) memcpy(g->text + tenant.len, tool.ptr, tool.len);
        g->tenant = (fer_str){g->text, tenant.len};
        g->tool = (fer_str){g->text + tenant.len, tool.len};
        g->next = m->gone;
        m->gone = g;
    } else {
        m->gone_lost = true;
    }
    pthread_mutex_unlock(&m->lock);
}

void fer_use_free_gone(struct gone *list)
{
    while (list) {
        struct gone *next = list->next;
        fer_sys_free(list);
        list = next;
    }
}

static void begin_rounds(fer_use_memory *m)
{
    struct fer_tenant *t;
    for (size_t i = 0; (t = fer_use_tenant_at(m, i)); i++) {
        pthread_mutex_lock(&t->lock);
        t->saving = t->round++;
        pthread_mutex_unlock(&t->lock);
    }
}

static void keep_rounds(fer_use_memory *m)
{
    struct fer_tenant *t;
    for (size_t i = 0; (t = fer_use_tenant_at(m, i)); i++) {
        pthread_mutex_lock(&t->lock);
        t->kept = t->saving;
        pthread_mutex_unlock(&t->lock);
    }
    m->mark = fer_file_mark_of(m->path);
}

/* What was noted here since the last save goes behind what `file` has. */
static fer_code add_new(fer_use_memory *m, fer_use_memory *file, fer_err *err)
{
    struct fer_tenant *t;
    fer_code code = FER_OK;
    for (size_t i = 0; !code && (t = fer_use_tenant_at(m, i)); i++) {
        pthread_mutex_lock(&t->lock);
        for (size_t k = 0; !code && k < t->count; k++) {
            const struct note *n = t->notes[k];
            const fer_use use = {{t->name, t->name_len}, n->query, n->tool};
            if (n->round > t->kept && n->round <= t->saving)
                code = fer_use_memory_put(file, &use, err);
        }
        pthread_mutex_unlock(&t->lock);
    }
    return code;
}

/* The uses of the file and those of here, in one memory. */
static fer_code merge(fer_use_memory *m, const struct gone *gone, fer_use_memory **out,
                      fer_err *err)
{
    fer_use_memory *file = NULL;
    fer_code code = m->gone_lost ? fer_fail(err, FER_OUT_OF_MEMORY, "out of memory")
                                 : fer_use_memory_open(m->path, &file, err);
    for (; !code && gone; gone = gone->next) fer_use_memory_forget(file, gone->tenant, gone->tool);
    if (!code) code = add_new(m, file, err);
    if (code) fer_use_memory_free(file);
    else *out = file;
    return code;
}

/* What people asked for is nobody else's to read; a file that is there keeps its mode. */
static fer_code replace_private(const char *path, fer_str bytes, fer_err *err)
{
    int fd = fer_sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) fer_sys_close(fd);
    fer_code code = fer_file_replace(path, bytes, err);
    if (code && fd >= 0) fer_sys_unlink(path); /* an empty file is none of uses */
    return code;
}

static fer_code write_uses(fer_use_memory *m, const char *path, fer_err *err)
{
    fer_use *list = NULL;
    size_t count = 0;
    fer_str bytes = FER_STR("");
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? fer_use_memory_list(a, m, FER_STR(""), &list, &count, err)
                      : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_uses_write(a, list, count, &bytes, err);
    if (!code) code = replace_private(path, bytes, err);
    fer_arena_free(a);
    return code;
}

/* What was forgotten is taken off the list ... */
static struct gone *take_gone(fer_use_memory *m)
{
    pthread_mutex_lock(&m->lock);
    struct gone *taken = m->gone;
    m->gone = NULL;
    pthread_mutex_unlock(&m->lock);
    return taken;
}

/* ... and given back where the file was not written, behind what was forgotten meanwhile. */
static void give_back(fer_use_memory *m, struct gone *list)
{
    pthread_mutex_lock(&m->lock);
    struct gone **end = &m->gone;
    while (*end) end = &(*end)->next;
    *end = list;
    pthread_mutex_unlock(&m->lock);
}

static fer_code save_locked(fer_use_memory *m, fer_err *err)
{
    const fer_file_mark now = fer_file_mark_of(m->path);
    fer_use_memory *both = NULL;
    struct gone *gone = take_gone(m);
    if (!fer_file_mark_eq(&now, &m->mark)) m->behind = true;
    begin_rounds(m);
    fer_code code = m->behind ? merge(m, gone, &both, err) : FER_OK;
    if (!code) code = write_uses(both ? both : m, m->path, err);
    fer_use_memory_free(both);
    if (code) {
        give_back(m, gone);
        return code;
    }
    keep_rounds(m);
    fer_use_free_gone(gone);
    return FER_OK;
}

fer_code fer_use_memory_save(fer_use_memory *m, fer_err *err)
{
    int lock;
    if (!m->path[0]) return FER_OK;
    pthread_mutex_lock(&m->saving);
    fer_code code = fer_file_lock(m->path, &lock, err);
    if (!code) {
        code = save_locked(m, err);
        fer_file_unlock(lock);
    }
    pthread_mutex_unlock(&m->saving);
    return code;
}
