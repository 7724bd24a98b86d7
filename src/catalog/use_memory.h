/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which queries led to which tools, tenant by tenant. What is remembered is what was said (query
 * and ID), so that it can be kept in a file and tools may come, change and go; for searching, a
 * memory of numbers (search/usage.h) is made of it when a tenant first searches, and kept in step
 * with the newest view.
 *
 * Any thread. A tenant's searches come one at a time, as its memory is one.
 */
#ifndef FER_USE_MEMORY_H
#define FER_USE_MEMORY_H

#include "finder_parts.h"

typedef struct fer_use_memory fer_use_memory;

/* Reads the file, where there is one; `path` may be empty. A damaged one gets another name. */
fer_code fer_use_memory_open(const char *path, fer_use_memory **out, fer_err *err);
void fer_use_memory_free(fer_use_memory *m);
fer_code fer_use_memory_save(fer_use_memory *m, fer_err *err);
fer_str fer_use_memory_problem(const fer_use_memory *m);

/* `v` says which tool is meant, and is what the number is of. */
fer_code fer_use_memory_note(fer_use_memory *m, const fer_view *v, const fer_use *use,
                             fer_err *err);
fer_code fer_use_memory_list(fer_arena *a, fer_use_memory *m, fer_str tenant, fer_use **out,
                             size_t *count, fer_err *err);
size_t fer_use_memory_forget(fer_use_memory *m, fer_str tenant, fer_str tool);

/*
 * The memory of a tenant as it is for a view, which is the caller's alone until _release;
 * `usage` is NULL where nothing is remembered, or what is has foreseen nothing yet. `*state` is
 * another number after each change.
 */
struct fer_tenant;
typedef struct fer_use_loan {
    struct fer_tenant *tenant;
    fer_usage *usage;
    uint64_t state;
} fer_use_loan;
fer_code fer_use_memory_borrow(fer_use_memory *m, const fer_view *v, fer_str tenant, fer_kit *kit,
                               fer_use_loan *out, fer_err *err);
void fer_use_memory_release(fer_use_loan *loan);

/* ---- use_file.c ---- */

/* Calls `add` for each use in the bytes. FER_INVALID_FORMAT: they are not what was written. */
typedef fer_code fer_use_adder(void *context, const fer_use *use, fer_err *err);
fer_code fer_uses_read(fer_str bytes, fer_use_adder *add, void *context, fer_err *err);
fer_code fer_uses_write(fer_arena *a, const fer_use *list, size_t count, fer_str *out,
                        fer_err *err);

#endif
