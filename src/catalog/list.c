/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, page by page: tools, namespaces, what is held back. */
#include "arena.h"
#include "errors.h"
#include "page.h"

/* The ranks that a filter leaves to look at: those of one namespace lie side by side. */
static void range_of(const fer_view *v, const fer_filter *f, size_t *from, size_t *to)
{
    char key[FER_NAME_MAX + 2];
    *from = 0;
    *to = fer_view_count(v);
    if (!f || f->namespaces.count != 1) return;
    fer_str ns = f->namespaces.list[0];
    if (!ns.len || ns.len > FER_NAME_MAX) return;
    memcpy(key, ns.ptr, ns.len);
    key[ns.len] = ':';
    *from = fer_table_rank(&v->tools, (fer_str){key, ns.len + 1});
    key[ns.len] = ':' + 1;
    *to = fer_table_rank(&v->tools, (fer_str){key, ns.len + 1});
}

struct listing {
    fer_arena *arena;
    const fer_filter *filter;
    fer_summary *list;
    size_t count, max;
};

/* Takes a tool that fits; `*full`: it fits, but is for the next page. */
static fer_code take(struct listing *l, fer_entry *e, bool *full, fer_err *err)
{
    const fer_body *b;
    fer_code code = fer_entry_body(e, &b, err);
    if (code || !fer_filter_takes(l->filter, b)) return code;
    *full = l->count == l->max;
    return *full ? FER_OK : fer_body_summary(l->arena, b, &l->list[l->count++], err);
}

fer_code fer_view_list(fer_arena *a, const fer_view *v, const fer_filter *filter,
                       const fer_page *page, fer_summary **out, size_t *count, fer_str *next,
                       fer_err *err)
{
    fer_pager p;
    fer_request request = {.what = "list", .filter = filter};
    size_t from, to, n;
    fer_value *const *run;
    fer_str token = FER_STR("");
    fer_code code = fer_pager_init(&p, a, v, &request, page, err);
    if (code) return code;
    struct listing l = {.arena = a, .filter = filter, .max = p.size};
    l.list = fer_arena_alloc_zero(a, l.max, sizeof *l.list);
    if (!l.list) return fer_arena_failed(a, err);
    range_of(v, filter, &from, &to);
    bool full = false;
    for (size_t at = p.offset > from ? p.offset : from;
         !full && at < to && (run = fer_table_run(&v->tools, at, &n)); at += n) {
        for (size_t i = 0; i < n && at + i < to && !full; i++) {
            code = take(&l, (fer_entry *)(void *)run[i], &full, err);
            if (!code && full) code = fer_pager_token(&p, a, at + i, &token, err);
            if (code) return code;
        }
    }
    *out = l.list;
    *count = l.count;
    *next = token;
    return FER_OK;
}

/* The values of one page of a whole table. */
static fer_code page_of(fer_arena *a, const fer_view *v, const fer_table *t, const char *what,
                        const fer_page *page, fer_value ***out, size_t *count, fer_str *next,
                        fer_err *err)
{
    fer_pager p;
    fer_request request = {.what = what};
    fer_value *const *run;
    size_t n, taken = 0;
    fer_str token = FER_STR("");
    fer_code code = fer_pager_init(&p, a, v, &request, page, err);
    if (code) return code;
    fer_value **list = fer_arena_alloc_zero(a, p.size, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t at = p.offset; taken < p.size && (run = fer_table_run(t, at, &n)); at += n) {
        for (size_t i = 0; i < n && taken < p.size; i++) list[taken++] = run[i];
    }
    if (p.offset + taken < fer_table_count(t) && taken)
        code = fer_pager_token(&p, a, p.offset + taken, &token, err);
    if (code) return code;
    *out = list;
    *count = taken;
    *next = token;
    return FER_OK;
}

/* How many tools of a namespace a filter takes. */
static fer_code count_tools(const fer_view *v, const fer_filter *filter, const fer_space *space,
                            size_t *out, fer_err *err)
{
    fer_str ns = space->value.key;
    fer_filter one = filter ? *filter : (fer_filter){0};
    size_t from, to, n;
    fer_value *const *run;
    *out = space->tools;
    if (!filter && !v->own) return FER_OK;
    one.namespaces = (fer_texts){&ns, 1};
    range_of(v, &one, &from, &to);
    *out = 0;
    for (size_t at = from; at < to && (run = fer_table_run(&v->tools, at, &n)); at += n) {
        for (size_t i = 0; i < n && at + i < to; i++) {
            const fer_body *b;
            fer_code code = fer_entry_body((fer_entry *)(void *)run[i], &b, err);
            if (code) return code;
            *out += fer_filter_takes(&one, b);
        }
    }
    return FER_OK;
}

/* Namespaces of which a filter leaves nothing are not there. */
fer_code fer_view_namespaces(fer_arena *a, const fer_view *v, const fer_filter *filter,
                             const fer_page *page, fer_namespace **out, size_t *count,
                             fer_str *next, fer_err *err)
{
    fer_pager p;
    fer_request request = {.what = "namespaces", .filter = filter};
    fer_value *const *run;
    size_t n, taken = 0;
    fer_str token = FER_STR("");
    fer_code code = fer_pager_init(&p, a, v, &request, page, err);
    if (code) return code;
    fer_namespace *list = fer_arena_alloc_zero(a, p.size, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t at = p.offset; !token.len && (run = fer_table_run(&v->spaces, at, &n)); at += n) {
        for (size_t i = 0; i < n && !token.len; i++) {
            const fer_space *space = (const fer_space *)(const void *)run[i];
            size_t tools;
            code = count_tools(v, filter, space, &tools, err);
            if (!code && tools && taken == p.size)
                code = fer_pager_token(&p, a, at + i, &token, err);
            if (code) return code;
            if (tools && !token.len) list[taken++] = (fer_namespace){run[i]->key, tools};
        }
    }
    *out = list;
    *count = taken;
    *next = token;
    return FER_OK;
}

fer_code fer_view_quarantined(fer_arena *a, const fer_view *v, const fer_page *page, fer_str **out,
                              size_t *count, fer_str *next, fer_err *err)
{
    fer_value **values = NULL;
    fer_str token = FER_STR("");
    size_t n = 0;
    fer_code code = page_of(a, v, &v->pending, "quarantined", page, &values, &n, &token, err);
    if (code) return code;
    fer_str *list = fer_arena_alloc_zero(a, n ? n : 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < n; i++) list[i] = values[i]->key;
    *out = list;
    *count = n;
    *next = token;
    return FER_OK;
}
