/* SPDX-License-Identifier: Apache-2.0 */
/* The plan as the cell gets it. The host is trusted, yet nothing is read past the end. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "cell.h"

struct reader {
    const char *at, *end;
    bool failed;
};

static const char *take(struct reader *r, uint64_t size)
{
    const char *from = r->at;
    if (r->failed || size > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        return "";
    }
    r->at += size;
    return from;
}

static const char *take_text(struct reader *r)
{
    const char *nul = r->failed ? NULL : memchr(r->at, '\0', (size_t)(r->end - r->at));
    if (!nul) r->failed = true;
    return nul ? take(r, (uint64_t)(nul - r->at) + 1) : "";
}

static char **take_texts(struct reader *r, uint32_t count)
{
    char **list = calloc((size_t)count + 1, sizeof *list);
    if (!list) r->failed = true;
    for (uint32_t i = 0; list && i < count; i++) list[i] = (char *)(uintptr_t)take_text(r);
    return list;
}

static void take_binds(struct reader *r, struct cell *c)
{
    c->binds = calloc((size_t)c->plan.bindc + 1, sizeof *c->binds);
    if (!c->binds) r->failed = true;
    for (uint32_t i = 0; c->binds && i < c->plan.bindc; i++) {
        c->binds[i].optional = *take(r, 1) != 0;
        c->binds[i].from = take_text(r);
        c->binds[i].to = take_text(r);
    }
}

static void take_files(struct reader *r, struct cell *c)
{
    c->files = calloc((size_t)c->plan.filec + 1, sizeof *c->files);
    if (!c->files) r->failed = true;
    for (uint32_t i = 0; c->files && i < c->plan.filec; i++) {
        struct cell_file *f = &c->files[i];
        f->path = take_text(r);
        const char *size = take(r, sizeof f->size);
        if (!r->failed) memcpy(&f->size, size, sizeof f->size);
        f->bytes = take(r, f->size);
    }
}

bool cell_read(struct cell *c, int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof c->plan) return false;
    const char *block = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (block == MAP_FAILED) return false;
    memcpy(&c->plan, block, sizeof c->plan);
    struct reader r = {block + sizeof c->plan, block + st.st_size, false};
    if (c->plan.magic != CELL_MAGIC || c->plan.size != (uint64_t)st.st_size) return false;
    c->program = take_text(&r);
    c->argv = take_texts(&r, c->plan.argc);
    c->env = take_texts(&r, c->plan.envc);
    take_binds(&r, c);
    take_files(&r, c);
    for (uint32_t i = 0; i < c->plan.handedc && i < CELL_HANDED_MAX; i++) {
        const char *number = take(&r, sizeof(uint32_t));
        if (!r.failed) memcpy(&c->handed[i], number, sizeof(uint32_t));
    }
    return !r.failed && c->plan.handedc <= CELL_HANDED_MAX;
}
