/* SPDX-License-Identifier: Apache-2.0 */
#include "use_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "errors.h"
#include "file.h"
#include "print.h"
#include "sys.h"
#include "unicode.h"
#include "use_memory_parts.h"

#define HELD                                                                                       \
    200 /* of the notes of a file, the last so many are held against what is found otherwise */

static fer_code no_memory(fer_err *err)
{
    return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
}

/* ---- tenants -----------------------------------------------------------------------------------
 */

static bool is_named(const struct fer_tenant *t, fer_str name)
{
    return fer_str_eq((fer_str){t->name, t->name_len}, name);
}

static void drop_notes(struct fer_tenant *t)
{
    for (size_t i = 0; i < t->count; i++) fer_sys_free(t->notes[i]);
    t->count = 0;
    fer_usage_free(t->usage);
    t->usage = NULL;
    t->state++;
}

static struct fer_tenant *new_tenant(void)
{
    struct fer_tenant *t = fer_sys_malloc(sizeof *t);
    if (!t) return NULL;
    memset(t, 0, sizeof *t);
    t->round = 1;
    if (pthread_mutex_init(&t->lock, NULL) == 0) return t;
    fer_sys_free(t);
    return NULL;
}

/* One of whom nothing is remembered makes room; locked. */
static struct fer_tenant *find_empty(fer_use_memory *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (pthread_mutex_trylock(&m->tenants[i]->lock) != 0) continue;
        if (!m->tenants[i]->count) return m->tenants[i];
        pthread_mutex_unlock(&m->tenants[i]->lock);
    }
    return NULL;
}

static fer_code add_tenant(fer_use_memory *m, fer_str name, struct fer_tenant **out, fer_err *err)
{
    struct fer_tenant *t;
    if (m->count < FER_TENANTS_MAX) {
        t = new_tenant();
        if (!t) return no_memory(err);
        pthread_mutex_lock(&t->lock);
        m->tenants[m->count++] = t;
    } else {
        t = find_empty(m);
        if (!t)
            return fer_fail(err, FER_LIMIT_EXCEEDED,
                            "uses.tenants: the uses of at most %d tenants are remembered; forget "
                            "those of one",
                            FER_TENANTS_MAX);
    }
    memcpy(t->name, name.ptr, name.len);
    t->name_len = name.len;
    *out = t;
    return FER_OK;
}

/* The tenant of that name, locked; NULL: there is none. */
static struct fer_tenant *lock_tenant(fer_use_memory *m, fer_str name)
{
    struct fer_tenant *t = NULL;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->count && !t; i++)
        if (is_named(m->tenants[i], name)) t = m->tenants[i];
    pthread_mutex_unlock(&m->lock);
    if (!t) return NULL;
    pthread_mutex_lock(&t->lock);
    if (is_named(t, name)) return t;
    pthread_mutex_unlock(&t->lock); /* it was forgotten, and another has its place */
    return NULL;
}

static fer_code lock_or_add(fer_use_memory *m, fer_str name, struct fer_tenant **out, fer_err *err)
{
    fer_code code = FER_OK;
    struct fer_tenant *t = lock_tenant(m, name);
    if (!t) {
        pthread_mutex_lock(&m->lock);
        code = add_tenant(m, name, &t, err);
        pthread_mutex_unlock(&m->lock);
    }
    *out = t;
    return code;
}

/* ---- notes -------------------------------------------------------------------------------------
 */

static struct note *new_note(const fer_use *use)
{
    struct note *n = fer_sys_malloc(sizeof *n + use->query.len + use->tool.len);
    if (!n) return NULL;
    memcpy(n->text, use->query.ptr, use->query.len);
    memcpy(n->text + use->query.len, use->tool.ptr, use->tool.len);
    n->query = (fer_str){n->text, use->query.len};
    n->tool = (fer_str){n->text + use->query.len, use->tool.len};
    n->number = FER_NO_NUMBER;
    n->round = 0;
    return n;
}

static void remove_note(struct fer_tenant *t, size_t at)
{
    fer_sys_free(t->notes[at]);
    t->count--;
    memmove(t->notes + at, t->notes + at + 1, (t->count - at) * sizeof *t->notes);
}

static bool make_room(struct fer_tenant *t)
{
    if (t->count < t->cap) return true;
    size_t cap = t->cap ? 2 * t->cap : 16;
    struct note **list = fer_sys_malloc(cap * sizeof(struct note *));
    if (!list) return false;
    if (t->count) memcpy(list, t->notes, t->count * sizeof *list);
    fer_sys_free(t->notes);
    t->notes = list;
    t->cap = cap;
    return true;
}

/* The newest stands last; one that is there already moves there. */
static fer_code add_note(struct fer_tenant *t, const fer_use *use, struct note **out, fer_err *err)
{
    struct note *n = make_room(t) ? new_note(use) : NULL;
    if (!n) return no_memory(err);
    for (size_t i = 0; i < t->count; i++) {
        const struct note *old = t->notes[i];
        if (!fer_str_eq(old->query, use->query) || !fer_str_eq(old->tool, use->tool)) continue;
        n->number = old->number;
        remove_note(t, i);
        break;
    }
    if (t->count == FER_USES_MAX) remove_note(t, 0);
    n->round = t->round;
    t->notes[t->count++] = n;
    t->state++;
    if (out) *out = n;
    return FER_OK;
}

static bool is_text(fer_str s)
{
    for (size_t at = 0, len; at < s.len; at += len) {
        len = (unsigned char)s.ptr[at] < 0x80 ? 1 : fer_utf8_len(s, at);
        if (!len) return false;
    }
    return s.len > 0;
}

static fer_code check_use(const fer_use *use, fer_err *err)
{
    if (use->tenant.len > FER_TENANT_NAME)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "uses.tenant: the name of a tenant has at most %d bytes", FER_TENANT_NAME);
    if (use->query.len > FER_USE_QUERY)
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "uses.query: a query that is remembered has at most %d bytes",
                        FER_USE_QUERY);
    if (!is_text(use->tenant) || !is_text(use->query))
        return fer_fail(err, FER_BAD_USAGE, "a use has a tenant and a query, in UTF-8");
    return FER_OK;
}

/* ---- in numbers --------------------------------------------------------------------------------
 */

static uint32_t number_of(const fer_view *v, fer_str tool)
{
    fer_entry *e = NULL;
    return fer_view_find(v, tool, FER_STR(""), &e, NULL) ? FER_NO_NUMBER : e->number;
}

/* `held`: what would be found without the memory is looked at too, so that it learns what its votes
 * are worth. */
static fer_code learn(struct fer_tenant *t, const fer_view *v, const fer_kit *k,
                      const struct note *n, bool held, fer_err *err)
{
    fer_vector_store *store = v->finder->store;
    fer_arena *a = fer_arena_new(0);
    if (!a) return no_memory(err);
    const fer_hybrid parts = {.lexical = v->finder->lexical,
                              .vectors = store ? fer_vector_store_read(store) : NULL,
                              .searcher = k->searcher,
                              .embedder = k->embedder,
                              .tokeniser = k->tokeniser,
                              .usage = t->usage};
    fer_code code = held ? fer_hybrid_note(a, &parts, n->query, n->number, err)
                         : fer_hybrid_remember(&parts, n->query, n->number, err);
    if (store) fer_vector_store_done(store);
    fer_arena_free(a);
    return code;
}

/* Tools that have another number than before are forgotten under the old one first: one number
 * is in many notes. */
static fer_code sync(struct fer_tenant *t, const fer_view *v, const fer_kit *k, fer_err *err)
{
    fer_code code = FER_OK;
    bool *changed = fer_sys_malloc(t->count * sizeof *changed);
    if (!changed) return no_memory(err);
    for (size_t i = 0; i < t->count; i++) {
        struct note *n = t->notes[i];
        uint32_t now = number_of(v, n->tool);
        changed[i] = now != n->number;
        if (changed[i] && n->number != FER_NO_NUMBER) fer_usage_forget(t->usage, n->number);
        n->number = now;
    }
    for (size_t i = 0; i < t->count && !code; i++)
        if (changed[i] && t->notes[i]->number != FER_NO_NUMBER)
            code = learn(t, v, k, t->notes[i], i + HELD >= t->count, err);
    fer_sys_free(changed);
    t->version = v->version;
    return code;
}

/* Made anew where that fails half way: what it knows is not known then. */
static void unlearn(struct fer_tenant *t)
{
    fer_usage_free(t->usage);
    t->usage = NULL;
    for (size_t i = 0; i < t->count; i++) t->notes[i]->number = FER_NO_NUMBER;
}

fer_code fer_use_memory_borrow(fer_use_memory *m, const fer_view *v, fer_str tenant, fer_kit *kit,
                               fer_use_loan *out, fer_err *err)
{
    fer_code code = FER_OK;
    struct fer_tenant *t = lock_tenant(m, tenant);
    if (t && !t->count) pthread_mutex_unlock(&t->lock);
    if (!t || !t->count) return FER_OK;
    bool made = !t->usage;
    if (made) t->usage = fer_usage_new(FER_USES_MAX, kit->embedder ? kit->embedder->dims : 0);
    if (!t->usage) code = no_memory(err);
    else if (made || t->version != v->version) code = sync(t, v, kit, err);
    if (code) {
        unlearn(t);
        pthread_mutex_unlock(&t->lock);
        return code;
    }
    /* What has foreseen nothing so far has no say. */
    if (fer_usage_weight(t->usage) > 0) *out = (fer_use_loan){t, t->usage, t->state};
    else pthread_mutex_unlock(&t->lock);
    return FER_OK;
}

void fer_use_memory_release(fer_use_loan *loan)
{
    if (loan->tenant) pthread_mutex_unlock(&loan->tenant->lock);
    *loan = (fer_use_loan){0};
}

/* ---- what is said of it ------------------------------------------------------------------------
 */

static fer_code note_locked(struct fer_tenant *t, const fer_view *v, const fer_use *use,
                            fer_err *err)
{
    struct note *n = NULL;
    fer_code code = add_note(t, use, &n, err);
    if (code || !t->usage) return code;
    fer_kit *k = fer_kit_take(v->finder); /* somebody has searched: there is a finder */
    n->number = number_of(v, n->tool);
    if (!k) code = no_memory(err);
    else if (n->number != FER_NO_NUMBER) code = learn(t, v, k, n, true, err);
    if (k) fer_kit_give_back(v->finder, k);
    if (code) unlearn(t); /* it is remembered; searching makes the rest of it */
    return FER_OK;
}

/* All versions of a tool count as one. */
static fer_code without_version(fer_arena *a, const fer_view *v, fer_str tool, fer_str *out,
                                fer_err *err)
{
    fer_entry *e = NULL;
    fer_id id;
    fer_code code = fer_view_find(v, tool, FER_STR(""), &e, err);
    if (!code) code = fer_id_parse(e->value.key, &id, err);
    if (code) return code;
    id.version = FER_STR("");
    return fer_id_write(a, &id, out, err);
}

fer_code fer_use_memory_note(fer_use_memory *m, const fer_view *v, const fer_use *use, fer_err *err)
{
    fer_use kept = *use;
    struct fer_tenant *t;
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? check_use(use, err) : no_memory(err);
    if (!code) code = without_version(a, v, use->tool, &kept.tool, err);
    if (!code) code = lock_or_add(m, use->tenant, &t, err);
    if (!code) {
        code = note_locked(t, v, &kept, err);
        pthread_mutex_unlock(&t->lock);
    }
    fer_arena_free(a);
    return code;
}

struct listing {
    fer_arena *arena;
    fer_use *list;
    size_t count, cap;
};

static fer_code list_tenant(struct listing *l, const struct fer_tenant *t, fer_err *err)
{
    fer_str name = fer_arena_copy(l->arena, (fer_str){t->name, t->name_len});
    if (!name.ptr) return fer_arena_failed(l->arena, err);
    for (size_t i = 0; i < t->count; i++) {
        fer_use *list = fer_arena_room(l->arena, l->list, l->count, &l->cap, sizeof *list);
        if (!list) return fer_arena_failed(l->arena, err);
        l->list = list;
        fer_use *u = &list[l->count];
        *u = (fer_use){name, fer_arena_copy(l->arena, t->notes[i]->query),
                       fer_arena_copy(l->arena, t->notes[i]->tool)};
        if (!u->query.ptr || !u->tool.ptr) return fer_arena_failed(l->arena, err);
        l->count++;
    }
    return FER_OK;
}

struct fer_tenant *fer_use_tenant_at(fer_use_memory *m, size_t at)
{
    pthread_mutex_lock(&m->lock);
    struct fer_tenant *t = at < m->count ? m->tenants[at] : NULL;
    pthread_mutex_unlock(&m->lock);
    return t;
}

fer_code fer_use_memory_list(fer_arena *a, fer_use_memory *m, fer_str tenant, fer_use **out,
                             size_t *count, fer_err *err)
{
    struct listing l = {.arena = a};
    fer_code code = FER_OK;
    struct fer_tenant *t;
    for (size_t i = 0; !code && (t = fer_use_tenant_at(m, i)); i++) {
        pthread_mutex_lock(&t->lock);
        if (!tenant.len || is_named(t, tenant)) code = list_tenant(&l, t, err);
        pthread_mutex_unlock(&t->lock);
    }
    if (code) return code;
    *out = l.list;
    *count = l.count;
    return FER_OK;
}

static size_t forget_tool(struct fer_tenant *t, fer_str tool)
{
    size_t before = t->count;
    for (size_t i = t->count; i-- > 0;)
        if (fer_str_eq(t->notes[i]->tool, tool)) remove_note(t, i);
    if (t->count == before) return 0;
    unlearn(t);
    t->state++;
    return before - t->count;
}

size_t fer_use_memory_forget(fer_use_memory *m, fer_str tenant, fer_str tool)
{
    if (m->path[0]) fer_use_note_gone(m, tenant, tool);
    struct fer_tenant *t = lock_tenant(m, tenant);
    if (!t) return 0;
    size_t gone = tool.len ? forget_tool(t, tool) : t->count;
    if (!tool.len) drop_notes(t);
    pthread_mutex_unlock(&t->lock);
    return gone;
}

/* ---- life and file ------------------------------------------------------------------------------
 */

fer_code fer_use_memory_put(void *context, const fer_use *use, fer_err *err)
{
    fer_id id;
    struct fer_tenant *t;
    fer_err why = {0};
    fer_code code = check_use(use, &why);
    if (!code) code = fer_id_parse(use->tool, &id, &why);
    if (code) return fer_fail(err, FER_INVALID_FORMAT, "%s", why.message);
    code = lock_or_add(context, use->tenant, &t, err);
    if (code) return code;
    struct note *n = NULL;
    code = add_note(t, use, &n, err);
    if (n) n->round = 0;
    pthread_mutex_unlock(&t->lock);
    return code;
}

static void forget_all(fer_use_memory *m)
{
    for (size_t i = 0; i < m->count; i++) {
        drop_notes(m->tenants[i]);
        fer_sys_free(m->tenants[i]->notes);
        pthread_mutex_destroy(&m->tenants[i]->lock);
        fer_sys_free(m->tenants[i]);
    }
    m->count = 0;
}

/* A damaged file is out of the way, and somebody may look at it. */
static fer_code set_aside(fer_use_memory *m, const char *why, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_str name = a ? fer_arena_printf(a, "%s.damaged", m->path) : FER_STR_NONE;
    fer_code code = name.ptr ? FER_OK : no_memory(err);
    if (!code && fer_sys_rename(m->path, name.ptr) != 0)
        code = fer_fail(err, FER_IO_ERROR, "%s is damaged and cannot be renamed: %s", m->path,
                        strerror(errno));
    if (!code)
        fer_print(m->problem, sizeof m->problem,
                  "%s is damaged (%s); it is %s now, and nothing is remembered", m->path, why,
                  name.ptr);
    fer_arena_free(a);
    return code;
}

static fer_code read_file(fer_use_memory *m, fer_err *err)
{
    fer_str bytes = FER_STR("");
    fer_err why = {0};
    fer_arena *a = fer_arena_new(0);
    fer_code code = a ? fer_file_read(a, m->path, FER_USES_FILE, &bytes, err) : no_memory(err);
    if (!code) {
        code = fer_uses_read(bytes, fer_use_memory_put, m, &why);
        if (code && err) *err = why;
        if (code && code != FER_OUT_OF_MEMORY) {
            forget_all(m);
            code = set_aside(m, why.message, err);
        }
    }
    fer_arena_free(a);
    return code;
}

fer_code fer_use_memory_open(const char *path, fer_use_memory **out, fer_err *err)
{
    size_t len = strlen(path);
    fer_use_memory *m = fer_sys_malloc(sizeof *m + len + 1);
    bool locked = m && pthread_mutex_init(&m->lock, NULL) == 0;
    if (!locked || pthread_mutex_init(&m->saving, NULL) != 0) {
        if (locked) pthread_mutex_destroy(&m->lock);
        fer_sys_free(m);
        return no_memory(err);
    }
    m->count = 0;
    m->problem[0] = '\0';
    m->path = (char *)(m + 1);
    memcpy(m->path, path, len + 1);
    m->behind = m->gone_lost = false;
    m->gone = NULL;
    m->mark = len ? fer_file_mark_of(path) : (fer_file_mark){0};
    fer_code code = len && fer_file_exists(path) ? read_file(m, err) : FER_OK;
    if (code) fer_use_memory_free(m);
    else *out = m;
    return code;
}

void fer_use_memory_free(fer_use_memory *m)
{
    if (!m) return;
    forget_all(m);
    fer_use_free_gone(m->gone);
    pthread_mutex_destroy(&m->saving);
    pthread_mutex_destroy(&m->lock);
    fer_sys_free(m);
}

fer_str fer_use_memory_problem(const fer_use_memory *m)
{
    return fer_str_of(m->problem);
}
