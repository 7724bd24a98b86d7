/* SPDX-License-Identifier: Apache-2.0 */
/* What of the catalogue is shown to whom, by the lists that are there, and why nothing is. */
#include "batch.h"
#include "errors.h"
#include "own_parts.h"

/* ---- a list that has come ----------------------------------------------------------------------
 */

static uint64_t sum_of(const fer_own_tools *all, const fer_body *b)
{
    return fer_hash(all->seed, fer_body_text(b, FER_TEXT_DEFINITION));
}

/* False where there is no memory: such a definition says the same as no other. */
static bool hash_of(const fer_body *b, unsigned char out[FER_DIGEST_SIZE])
{
    fer_json *doc;
    fer_str text;
    fer_arena *a = fer_arena_new(0);
    bool good = a &&
                !fer_json_read(a, fer_body_text(b, FER_TEXT_DEFINITION), fer_json_limits_file(),
                               &doc, NULL) &&
                !fer_json_canonical(a, fer_json_root(doc), &text, NULL);
    if (good) fer_digest_text(text, out);
    fer_arena_free(a);
    return good;
}

static bool is_same_tool(const fer_own_tool *x, const fer_own_tool *y)
{
    return x->sum == y->sum ||
           (x->hashed && y->hashed && memcmp(x->hash, y->hash, sizeof x->hash) == 0);
}

bool fer_own_tools_same(const fer_body *x, const fer_body *y)
{
    unsigned char one[FER_DIGEST_SIZE], other[FER_DIGEST_SIZE];
    if (fer_str_eq(fer_body_text(x, FER_TEXT_DEFINITION), fer_body_text(y, FER_TEXT_DEFINITION)))
        return true;
    return hash_of(x, one) && hash_of(y, other) && memcmp(one, other, sizeof one) == 0;
}

/* Asked for each tool of a search: the sum is quick, and what it led to is remembered. */
static bool says_same(const fer_own_tools *all, fer_own_tool *t, const fer_body *b)
{
    fer_own_tool other = {.sum = sum_of(all, b)};
    if (other.sum == t->sum) return true;
    if (other.sum != t->met) {
        other.hashed = hash_of(b, other.hash);
        if (!other.hashed) return false; /* there may be memory the next time */
        t->met = other.sum;
        t->met_same = is_same_tool(t, &other);
    }
    return t->met_same;
}

static fer_code note_tool(fer_own_list *made, const fer_own_tools *all, const fer_body *b,
                          fer_err *err)
{
    fer_str id = fer_arena_copy(made->good, fer_body_text(b, FER_TEXT_ID));
    fer_own_tool *t = id.ptr ? fer_arena_alloc_zero(made->good, 1, sizeof *t) : NULL;
    void **slot = t ? fer_map_put(&made->tools, id) : NULL;
    if (!slot) return fer_arena_failed(made->good, err);
    if (*slot)
        return FER_OK; /* of two definitions with one ID the first counts, as in the catalogue */
    t->sum = sum_of(all, b);
    t->hashed = hash_of(b, t->hash);
    *slot = t;
    made->bytes += id.len + FER_OWN_EACH;
    return FER_OK;
}

/* As the catalogue would have them: what it would refuse is not there. */
static fer_code read_tools(const fer_own_server *s, fer_str json, fer_own_list *made, fer_err *err)
{
    const fer_runner *r = s->runner;
    fer_backend backend = {r->kind->backend, r->name, FER_STR("")};
    fer_put_options o = {.ns = r->name, .backend = &backend};
    fer_batch *b = fer_batch_new();
    fer_code code = b && made->good ? FER_OK : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (!code) code = fer_batch_add(b, r->name, json, FER_FORMAT_JSON, &o, err);
    for (size_t i = 0; !code && i < b->count; i++)
        if (b->ops[i].kind == FER_OP_PUT)
            code = note_tool(made, s->all, b->ops[i].entry->body, err);
    fer_batch_free(b);
    return code;
}

static bool is_same(const fer_own_list *x, const fer_own_list *y)
{
    if (!x->good || x->tools.count != y->tools.count) return false;
    for (size_t i = 0; i < x->tools.cap; i++) {
        const struct fer_map_entry *e = &x->tools.entries[i];
        const fer_own_tool *other = e->key.ptr ? fer_map_get(&y->tools, e->key) : NULL;
        if (e->key.ptr && (!other || !is_same_tool(e->value, other))) return false;
    }
    return true;
}

fer_code fer_own_list_take(fer_own_list *t, fer_str json, fer_err *err)
{
    fer_own_list made = {.good = fer_arena_new(FER_OWN_BYTES)};
    if (made.good) fer_map_init(&made.tools, made.good);
    fer_code code = read_tools(t->server, json, &made, err);
    if (code) {
        fer_arena_free(made.good);
        return code;
    }
    if (!is_same(t, &made)) t->version = ++t->server->all->versions;
    fer_arena_free(t->good);
    t->good = made.good;
    t->tools = made.tools;
    t->bytes = made.bytes;
    t->late = false;
    t->waited = 0;
    return FER_OK;
}

/* ---- what is shown -----------------------------------------------------------------------------
 */

/* Whether it is what a table has under an ID. */
static bool is_in(const fer_own_server *s, const fer_table *table, fer_str id, fer_own_tool *t)
{
    const fer_body *b;
    fer_entry *e = (fer_entry *)(void *)fer_table_get(table, id);
    return e && !fer_entry_body(e, &b, NULL) && says_same(s->all, t, b);
}

/* What an owner sees of a tool. */
typedef enum sees {
    SEES_NONE,
    SEES_SHARED,
    SEES_OWN
} sees;

/* A definition that is held back has the one before it served in its place until somebody decides.
 */
static sees what_is_seen(const fer_own_list *list, const fer_view *v, fer_str id, fer_own_tool *t,
                         fer_entry **own)
{
    const fer_own_server *s = list->server;
    char text[FER_OWN_ID];
    fer_buf b;
    *own = NULL;
    if (is_in(s, &v->tools, id, t)) return SEES_SHARED;
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_own_id_write(&b, id, fer_own_mark(list));
    if (!b.failure) *own = (fer_entry *)(void *)fer_table_get(&v->tools, fer_buf_view(&b));
    if (*own &&
        (is_in(s, &v->tools, fer_buf_view(&b), t) || is_in(s, &v->pending, fer_buf_view(&b), t)))
        return SEES_OWN;
    return fer_table_get(&v->tools, id) && is_in(s, &v->pending, id, t) ? SEES_SHARED : SEES_NONE;
}

/* Asked for each tool of a search: what says the same needs no look at the catalogue. */
static bool sees_it(const fer_own_list *list, const fer_body *tool)
{
    const fer_own_server *s = list->server;
    fer_str mark = fer_id_mark(fer_body_text(tool, FER_TEXT_ID));
    char text[FER_OWN_ID];
    fer_entry *own;
    fer_buf b;
    if (mark.len && !fer_str_eq(mark, fer_own_mark(list))) return false;
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_body_public_id(&b, tool);
    fer_str id = b.failure ? fer_body_text(tool, FER_TEXT_ID) : fer_buf_view(&b);
    fer_own_tool *t = fer_map_get(&list->tools, id);
    if (!t || (!mark.len && says_same(s->all, t, tool))) return t != NULL;
    fer_view *v = fer_catalog_view(s->all->gateway->options.catalog);
    sees which = what_is_seen(list, v, id, t, &own);
    fer_view_unref(v);
    return which == (mark.len ? SEES_OWN : SEES_SHARED);
}

static bool has(const fer_own_server *s, const fer_caller *who, const fer_body *tool)
{
    fer_str id = fer_body_text(tool, FER_TEXT_ID);
    if (!fer_own_has_owner(who))
        return !fer_id_is_own(id) && (!s->operators_arena || fer_map_get(&s->operators, id));
    const fer_own_list *list = fer_own_list_of(s, who);
    return list && list->good && sees_it(list, tool);
}

/* What runs elsewhere, too, is not the server's to show. */
bool fer_own_tools_shows(const fer_gateway *g, const fer_caller *who, const fer_body *tool)
{
    fer_str list = fer_body_text(tool, FER_TEXT_BACKENDS), kind, name, bare;
    bool own = fer_body_is_own(tool), any = own;
    if (!fer_own_tools_concern(g, who)) return !own;
    while (fer_list_next(&list, &kind) && fer_list_next(&list, &name) &&
           fer_list_next(&list, &bare)) {
        bool mcp = kind.len && kind.ptr[0] - '0' == FER_BACKEND_MCP;
        const fer_own_server *s = mcp ? g->own->servers : NULL;
        while (s && !fer_str_eq(s->runner->name, name)) s = s->next;
        if (s ? has(s, who, tool) : !own) return true;
        any = true;
    }
    return !any;
}

static const fer_own_server *server_named(const fer_gateway *g, fer_str name)
{
    const fer_own_server *s = g->own ? g->own->servers : NULL;
    while (s && !fer_str_eq(s->runner->name, name)) s = s->next;
    return s;
}

fer_entry *fer_own_tools_variant(const fer_gateway *g, const fer_caller *who, const fer_view *v,
                                 fer_str id)
{
    fer_id parts;
    fer_entry *own;
    if (!g->own || !fer_own_has_owner(who) || fer_id_parse(id, &parts, NULL)) return NULL;
    const fer_own_server *s = server_named(g, parts.ns);
    const fer_own_list *list = s ? fer_own_list_of(s, who) : NULL;
    fer_own_tool *t = list && list->good ? fer_map_get(&list->tools, id) : NULL;
    return t && what_is_seen(list, v, id, t, &own) == SEES_OWN ? own : NULL;
}

/* Most lists have the same tools. 0: there is none, or no memory. */
static uint64_t sum_in(const fer_own_tools *all, const fer_view *v, fer_str id, fer_map *sums)
{
    const fer_body *b;
    void **slot = fer_map_put(sums, id);
    if (!slot) return 0;
    if (!*slot) {
        uint64_t *sum = fer_arena_alloc_zero(sums->arena, 1, sizeof *sum);
        fer_entry *e = (fer_entry *)(void *)fer_table_get(&v->tools, id);
        if (sum && e && !fer_entry_body(e, &b, NULL)) *sum = sum_of(all, b);
        *slot = sum;
    }
    return *slot ? *(const uint64_t *)*slot : 0;
}

bool fer_own_list_lacks(const fer_own_list *list, const fer_view *v, fer_map *sums)
{
    fer_entry *own;
    for (size_t i = 0; i < list->tools.cap; i++) {
        const struct fer_map_entry *e = &list->tools.entries[i];
        const fer_own_tool *t = e->value;
        if (!e->key.ptr || sum_in(list->server->all, v, e->key, sums) == t->sum) continue;
        if (what_is_seen(list, v, e->key, e->value, &own) == SEES_NONE) return true;
    }
    return false;
}

/* What only waits for somebody is of use, too, unless it waits for all. A list that has come and
 * that the catalogue has not looked at yet (told: 0) does not say that an entry is of no use: what
 * it has in its place is still to be judged against it. */
bool fer_own_tools_wants(const fer_gateway *g, const fer_runner *r, const fer_view *v, fer_entry *e,
                         bool full)
{
    const fer_own_server *s = fer_own_server_of(g, r);
    fer_str mark = fer_id_mark(e->value.key);
    const fer_own_list *list = s && mark.len ? s->buckets[fer_own_bucket(mark.ptr)] : NULL;
    const fer_body *body;
    char text[FER_OWN_ID];
    fer_entry *own;
    fer_buf b;
    if (!s || fer_entry_body(e, &body, NULL)) return s != NULL;
    while (list && !fer_str_eq(fer_own_mark(list), mark)) list = list->neighbour;
    if (!list || !list->good) return !full;
    fer_buf_init_fixed(&b, text, sizeof text);
    fer_body_public_id(&b, body);
    fer_own_tool *t = b.failure ? NULL : fer_map_get(&list->tools, fer_buf_view(&b));
    sees which = t ? what_is_seen(list, v, fer_buf_view(&b), t, &own) : SEES_SHARED;
    if (which == SEES_OWN || (which == SEES_NONE && is_in(s, &v->pending, e->value.key, t)))
        return true;
    return !list->told && !full;
}

uint64_t fer_own_tools_stamp(const fer_gateway *g, const fer_caller *who)
{
    uint64_t sum = 0;
    if (!fer_own_tools_concern(g, who)) return 0;
    for (const fer_own_server *s = g->own->servers; s; s = s->next) {
        const fer_own_list *t = fer_own_has_owner(who) ? fer_own_list_of(s, who) : NULL;
        uint64_t version =
            fer_own_has_owner(who) ? (t && t->good ? t->version : 0) : s->operators_version;
        sum = sum * UINT64_C(0x9E3779B97F4A7C15) + version;
    }
    return sum;
}

static fer_code why(const fer_own_server *s, const fer_caller *who, fer_err *err)
{
    const fer_own_list *t = fer_own_list_of(s, who);
    if (t && t->good) return FER_OK;
    if (t && t->code)
        return fer_fail(err, t->code, "%.*s shows no tools: %s", FER_PRI(s->runner->name), t->why);
    if (!t && s->count >= s->all->owners_max)
        return fer_fail(err, FER_CONCURRENCY_LIMITED,
                        "gateway.owners: the lists of at most %zu tenants are asked for at once",
                        s->all->owners_max);
    return fer_fail(err, FER_BACKEND_UNAVAILABLE,
                    "%.*s has not said yet which tools it shows: try again",
                    FER_PRI(s->runner->name));
}

fer_code fer_own_tools_why(const fer_gateway *g, const fer_caller *who, fer_str server,
                           fer_err *err)
{
    if (!g->own || !fer_own_has_owner(who)) return FER_OK;
    const fer_own_server *s = server_named(g, server);
    return s ? why(s, who, err) : FER_OK;
}

fer_code fer_own_tools_why_next(const fer_gateway *g, const fer_caller *who, size_t *at,
                                fer_str *server, fer_err *err)
{
    size_t number = 0;
    if (!g->own || !fer_own_has_owner(who)) return FER_OK;
    for (const fer_own_server *s = g->own->servers; s; s = s->next) {
        if (number++ < *at) continue;
        *at = number;
        *server = s->runner->name;
        fer_code code = why(s, who, err);
        if (code) return code;
    }
    return FER_OK;
}

bool fer_own_tools_is_operators(const fer_gateway *g, const fer_runner *r, fer_str id, bool unknown)
{
    const fer_own_server *s = fer_own_server_of(g, r);
    return s && s->operators_arena ? fer_map_get(&s->operators, id) != NULL : unknown;
}

bool fer_own_tools_is_shown(const fer_gateway *g, const fer_runner *r, fer_str id,
                            const fer_body *tool)
{
    const fer_own_server *s = fer_own_server_of(g, r);
    for (const fer_own_list *t = s ? s->lists : NULL; t; t = t->next) {
        fer_own_tool *its = t->good ? fer_map_get(&t->tools, id) : NULL;
        if (its && (!tool || says_same(s->all, its, tool))) return true;
    }
    return false;
}

/* ---- what the operator is shown ----------------------------------------------------------------
 */

static fer_code copy_keys(fer_arena *a, const fer_map *from, fer_map *to, fer_err *err)
{
    fer_map_init(to, a);
    for (size_t i = 0; i < from->cap; i++) {
        if (!from->entries[i].key.ptr) continue;
        fer_str id = fer_arena_copy(a, from->entries[i].key);
        void **slot = id.ptr ? fer_map_put(to, id) : NULL;
        if (!slot) return fer_arena_failed(a, err);
        *slot = a;
    }
    return FER_OK;
}

static bool same_keys(const fer_map *x, const fer_map *y)
{
    if (x->count != y->count) return false;
    for (size_t i = 0; i < x->cap; i++)
        if (x->entries[i].key.ptr && !fer_map_get(y, x->entries[i].key)) return false;
    return true;
}

fer_code fer_own_tools_take_operators(fer_gateway *g, const fer_runner *r, const fer_map *ids,
                                      fer_err *err)
{
    fer_own_server *s = fer_own_server_of(g, r);
    fer_map made;
    if (!s || (s->operators_arena && same_keys(&s->operators, ids))) return FER_OK;
    fer_arena *a = fer_arena_new(0);
    fer_code code =
        a ? copy_keys(a, ids, &made, err) : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) {
        fer_arena_free(a);
        return code;
    }
    fer_arena_free(s->operators_arena);
    s->operators_arena = a;
    s->operators = made;
    s->operators_version = ++g->own->versions;
    g->own->operators = true;
    return FER_OK;
}
