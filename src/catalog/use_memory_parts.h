/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FERRULE_USE_MEMORY_PARTS_H
#define FERRULE_USE_MEMORY_PARTS_H

#include <pthread.h>

#include "file.h"
#include "use_memory.h"

/* One use: a query and a tool, in one piece of memory. */
struct note {
    fer_str query, tool;
    uint32_t number; /* of the tool, where `usage` knows it; FER_NO_NUMBER: it does not */
    uint64_t round;  /* of its tenant, when it was noted; 0: it was read from the file */
    char text[];
};

/* What was forgotten since the file was written: of a tenant everything, or one tool. */
struct gone {
    struct gone *next;
    fer_str tenant, tool;
    char text[];
};

struct fer_tenant {
    pthread_mutex_t lock; /* of everything below */
    char name[FER_TENANT_NAME];
    size_t name_len;
    struct note **notes; /* the oldest first */
    size_t count, cap;
    fer_usage *usage; /* NULL: nobody has searched yet */
    uint64_t version; /* of the view that the numbers are of */
    uint64_t state;
    /* Notes of this round are new, as those of all after the one that the file has. A save begins
     * another one, and says in the end which it has kept. */
    uint64_t round, saving, kept;
};

struct fer_use_memory {
    pthread_mutex_t lock;   /* of the lists; a tenant's lock is never held while it is taken */
    pthread_mutex_t saving; /* one at a time, of this program; taken before all others */
    struct fer_tenant *tenants[FER_TENANTS_MAX];
    size_t count;
    char *path;
    fer_file_mark mark; /* of the file when it was read or written here last */
    bool behind;        /* others have written to it since: what is in it counts */
    struct gone *gone;  /* the newest first */
    bool gone_lost;     /* there was no memory for one of them */
    char problem[FER_ERR_TEXT];
};

/* Tenants stay where they are, so that the list need not be held while one is waited for. NULL:
 * there are no more. */
struct fer_tenant *fer_use_tenant_at(fer_use_memory *m, size_t at);
/* A use as a file has it; the context is the memory. */
fer_code fer_use_memory_put(void *context, const fer_use *use, fer_err *err);
/* Others may have written uses of it to the file that are not here. */
void fer_use_note_gone(fer_use_memory *m, fer_str tenant, fer_str tool);
void fer_use_free_gone(struct gone *list);

#endif
