/* SPDX-License-Identifier: Apache-2.0 */
#include "stored_tokens.h"

#include <sys/stat.h>

#include "clock.h"
#include "sys.h"

void fer_stored_tokens_init(fer_stored_tokens *t, fer_arena *a)
{
    fer_str path = FER_STR_NONE;
    *t = (fer_stored_tokens){.arena = fer_arena_new(0)};
    if (t->arena && fer_bearers_path(a, &path, NULL) == FER_OK) t->path = path.ptr;
}

void fer_stored_tokens_deinit(fer_stored_tokens *t)
{
    fer_arena_free(t->arena);
    *t = (fer_stored_tokens){0};
}

/* A file that cannot be used has no tokens. */
static void refresh(fer_stored_tokens *t)
{
    struct stat st;
    if (fer_sys_stat(t->path, &st) != 0) {
        t->list.count = 0;
        t->read = false;
        return;
    }
    if (t->read && st.st_ino == t->file && st.st_mtim.tv_sec == t->changed.tv_sec &&
        st.st_mtim.tv_nsec == t->changed.tv_nsec)
        return;
    fer_arena_reset(t->arena);
    t->list = (fer_bearers){0};
    t->read = fer_bearers_load(t->arena, t->path, &t->list, NULL) == FER_OK;
    if (!t->read) t->list.count = 0;
    t->file = st.st_ino;
    t->changed = st.st_mtim;
}

bool fer_stored_tokens_know(void *context, fer_str token)
{
    fer_stored_tokens *t = context;
    if (!t->path) return false;
    refresh(t);
    const fer_bearer *one = fer_bearers_find(&t->list, token, fer_clock_wall() / 1000);
    return one && one->scope_count == 1 && fer_str_is(one->scopes[0], "*");
}
