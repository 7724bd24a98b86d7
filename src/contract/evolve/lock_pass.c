/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass of `ferrule check --lock`: each tool is held against the lock as it comes. What is
 * only in the lock is no finding here, as it has no place in the tools; `ferrule lock --verify`
 * tells of it.
 */
#include <string.h>

#include "buf.h"
#include "checks.h"
#include "errors.h"
#include "lock.h"
#include "quality.h"

fer_code fer_checks_lock(fer_checks *c, fer_str text, fer_err *err)
{
    fer_str copy = fer_arena_copy(c->arena, text);
    return copy.ptr ? fer_lock_read(c->arena, copy, &c->lock, err)
                    : fer_arena_failed(c->arena, err);
}

static bool is_wanted(const fer_checks *checks)
{
    return checks && checks->lock;
}

/* The lines that were met, over all inputs of the run. */
static bool *met_of(fer_check_run *run)
{
    void **place = &run->kept[FER_PASS_LOCK];
    if (!*place)
        *place =
            fer_arena_alloc_zero(run->arena, fer_lock_count(run->checks->lock) + 1, sizeof(bool));
    return *place;
}

/* Where a finding points: at the one field that changed, else at the name. */
static enum fer_field_id place_of(const fer_lock_entry *e)
{
    for (size_t i = 0; e->part_count == 1 && i < FER_FIELD_COUNT; i++) {
        if (strcmp(fer_fields[i].key, e->parts[0]) == 0) return (enum fer_field_id)i;
    }
    return FER_FIELD_NAME;
}

static void tell(const fer_pass_tool *p, const fer_lock_entry *e)
{
    fer_quality q = {.pass = p, .tool = p->tool};
    char storage[256];
    fer_buf changed;
    fer_buf_init_fixed(&changed, storage, sizeof storage);
    for (size_t i = 0; i < e->part_count; i++)
        fer_buf_printf(&changed, "%s%s", i ? ", " : ": ", e->parts[i]);
    if (e->state == FER_LOCK_NEW)
        fer_q_tool(&q, FER_Q_SEC_RUG_PULL, FER_FIELD_NAME, "the tool is not in the lock");
    else if (e->state == FER_LOCK_CHANGED)
        fer_q_tool(&q, FER_Q_SEC_RUG_PULL, place_of(e),
                   "the definition is not the one in the lock, and the version is the same%.*s",
                   FER_PRI(fer_buf_view(&changed)));
}

static void look_at_tool(fer_pass_tool *p)
{
    fer_lock_entry entry;
    bool differs = false;
    bool *met = met_of(p->run);
    fer_code code = met ? fer_lock_compare(p->run->checks->lock, met, p->scratch, p->tool, &entry,
                                           &differs, NULL)
                        : FER_OUT_OF_MEMORY;
    if (code) p->drafts->no_memory = true;
    else if (differs) tell(p, &entry);
}

const fer_pass fer_pass_lock = {.name = "lock", .wanted = is_wanted, .tool = look_at_tool};
