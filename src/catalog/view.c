/* SPDX-License-Identifier: Apache-2.0 */
/* Views: their life, and finding a tool in one. */
#include "view.h"

#include <string.h>

#include "arena.h"
#include "buf.h"
#include "catalog_file.h"
#include "checksum.h"
#include "errors.h"
#include "finder.h"
#include "near.h"
#include "own_id.h"
#include "sys.h"

/* ---- life ----------------------------------------------------------------------------------- */

fer_view *fer_view_new(void)
{
    fer_view *v = fer_sys_malloc(sizeof *v);
    if (!v) return NULL;
    memset(v, 0, sizeof *v);
    atomic_init(&v->refs, 1);
    return v;
}

fer_view *fer_view_next(const fer_view *v)
{
    fer_view *next = fer_view_new();
    if (!next) return NULL;
    next->version = v->version;
    next->stamp = v->stamp;
    memcpy(next->key, v->key, sizeof v->key);
    next->tools = fer_table_copy(&v->tools);
    next->pending = fer_table_copy(&v->pending);
    next->past = fer_table_copy(&v->past);
    next->docs = fer_table_copy(&v->docs);
    next->spaces = fer_table_copy(&v->spaces);
    next->file = fer_catalog_file_ref(v->file);
    next->older = fer_catalog_file_ref(v->older);
    next->search = v->search;
    next->keeps = v->keeps;
    next->finder = fer_finder_ref(v->finder);
    next->numbers = fer_table_copy(&v->numbers);
    next->next_number = v->next_number;
    next->own = v->own;
    return next;
}

fer_view *fer_view_ref(fer_view *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    return v;
}

void fer_view_unref(fer_view *v)
{
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1) return;
    fer_table_drop(&v->tools);
    fer_table_drop(&v->pending);
    fer_table_drop(&v->past);
    fer_table_drop(&v->docs);
    fer_table_drop(&v->spaces);
    fer_table_drop(&v->numbers);
    fer_finder_unref(v->finder);
    fer_catalog_file_unref(v->file);
    fer_catalog_file_unref(v->older);
    fer_sys_free(v);
}

uint64_t fer_view_version(const fer_view *v)
{
    return v->version;
}

size_t fer_view_count(const fer_view *v)
{
    return fer_table_count(&v->tools);
}

size_t fer_view_held(const fer_view *v)
{
    return fer_table_count(&v->pending);
}

/* ---- small values -----------------------------------------------------------------------------
 */

static void drop_small(fer_value *v)
{
    fer_sys_free(v);
}

/* A value of `size` bytes with its key, and `more` bytes of text, behind it. */
static void *small_value(size_t size, fer_str key, size_t more)
{
    fer_value *v = fer_sys_malloc(size + key.len + more);
    if (!v) return NULL;
    memset(v, 0, size);
    if (key.len) memcpy((char *)v + size, key.ptr, key.len);
    atomic_init(&v->refs, 1);
    v->key = (fer_str){(char *)v + size, key.len};
    v->drop = drop_small;
    return v;
}

fer_doc *fer_doc_new(fer_str id, fer_str json)
{
    fer_doc *d = small_value(sizeof *d, id, json.len);
    if (!d) return NULL;
    char *text = (char *)d + sizeof *d + id.len;
    memcpy(text, json.ptr, json.len);
    d->json = (fer_str){text, json.len};
    atomic_init(&d->state, FER_BODY_GOOD);
    return d;
}

fer_code fer_doc_json(fer_doc *d, fer_str *out, fer_err *err)
{
    unsigned char state = atomic_load_explicit(&d->state, memory_order_relaxed);
    if (state == FER_BODY_UNSEEN) {
        state = fer_checksum(d->json.ptr, d->json.len) == d->check ? FER_BODY_GOOD : FER_BODY_BAD;
        atomic_store_explicit(&d->state, state, memory_order_relaxed);
    }
    if (state == FER_BODY_BAD)
        return fer_fail(err, FER_INVALID_CATALOG,
                        "the catalogue's file is damaged: the documentation of %.*s is not what "
                        "was written; build it anew",
                        FER_PRI(d->value.key));
    *out = d->json;
    return FER_OK;
}

bool fer_view_count_space(fer_view *v, fer_str ns, int by)
{
    const fer_space *old = (const fer_space *)(const void *)fer_table_get(&v->spaces, ns);
    size_t tools = (old ? old->tools : 0) + (size_t)by;
    if (!tools) return fer_table_remove(&v->spaces, ns);
    fer_space *s = small_value(sizeof *s, ns, 0);
    if (!s) return false;
    s->tools = tools;
    if (fer_table_put(&v->spaces, &s->value)) return true;
    fer_value_unref(&s->value);
    return false;
}

/* ---- finding ------------------------------------------------------------------------------------
 */

static fer_entry *entry_of(fer_value *v)
{
    return (fer_entry *)(void *)v;
}

struct choice {
    fer_entry *entry;
    fer_semver version;
    bool has_version;
    size_t named;             /* versions that were looked at */
    const fer_filter *filter; /* what it refuses is not there; or NULL */
};

/* Releases go before pre-releases, versions before none, then the higher one. */
static bool better(const fer_semver *v, bool has, const struct choice *best)
{
    if (!best->entry) return true;
    if (!has || !best->has_version) return has && !best->has_version;
    bool pre = v->pre.len > 0, best_pre = best->version.pre.len > 0;
    return pre != best_pre ? best_pre : fer_semver_cmp(v, &best->version) > 0;
}

/* The version of an entry: what its ID says, else (without a namespace) its record. */
static fer_str version_of(fer_entry *e)
{
    fer_id id;
    const fer_body *b;
    if (fer_id_parse(e->value.key, &id, NULL)) return FER_STR("");
    if (id.ns.len) return id.version;
    return fer_entry_body(e, &b, NULL) ? FER_STR("") : fer_body_text(b, FER_TEXT_VERSION);
}

static fer_code consider(struct choice *best, fer_entry *e, bool exact, fer_str constraint,
                         fer_err *err)
{
    fer_semver v = {0};
    fer_str text = version_of(e);
    bool has = text.len && fer_semver_parse(text, &v, NULL) == FER_OK;
    bool fits = !v.pre.len || exact;
    const fer_body *b;
    if (best->filter && (fer_entry_body(e, &b, NULL) || !fer_filter_takes(best->filter, b)))
        return FER_OK;
    best->named++;
    if (constraint.len) {
        fer_code code = fer_semver_satisfies(&v, constraint, &fits, err);
        if (code) return code;
        fits = fits && has;
    }
    if (!fits || !better(&v, has, best)) return FER_OK;
    best->entry = e;
    best->version = v;
    best->has_version = has;
    return FER_OK;
}

#define KEY_MAX (2 * FER_NAME_MAX + 3 + 1024) /* a longer version is no ID of ours */

/* The rank behind those that are for one owner alone; the buffer has `ns:name:`. */
static size_t behind_owned(const fer_view *v, fer_buf *b)
{
    if (!v->own) return 0;
    fer_buf_add_text(b, FER_OWN_VERSION "g"); /* no digit of a mark */
    return b->failure ? 0 : fer_table_rank(&v->tools, fer_buf_view(b));
}

/* All versions of a name: `ns:name` itself, then what starts with `ns:name:`. */
static fer_code consider_all(const fer_view *v, const fer_id *id, fer_str constraint,
                             struct choice *best, fer_err *err)
{
    char key[KEY_MAX];
    fer_buf b;
    fer_buf_init_fixed(&b, key, sizeof key);
    if (id->ns.len) fer_buf_printf(&b, "%.*s:", FER_PRI(id->ns));
    fer_buf_add(&b, id->name);
    if (id->version.len) fer_buf_printf(&b, ":%.*s", FER_PRI(id->version));
    if (b.failure) return FER_OK;
    fer_value *exact = fer_table_get(&v->tools, fer_buf_view(&b));
    fer_code code = exact ? consider(best, entry_of(exact), true, constraint, err) : FER_OK;
    if (!id->ns.len || id->version.len) return code;
    fer_buf_add_char(&b, ':');
    if (b.failure) return code;
    size_t len = b.len, owned = behind_owned(v, &b);
    fer_str prefix = {key, len};
    fer_value *const *run;
    size_t count;
    for (size_t at = fer_table_rank(&v->tools, prefix);
         !code && (run = fer_table_run(&v->tools, at, &count)); at += count) {
        for (size_t i = 0; i < count && !code; i++) {
            bool more = run[i]->key.len > prefix.len &&
                        memcmp(run[i]->key.ptr, prefix.ptr, prefix.len) == 0;
            if (!more) return FER_OK;
            if (at + i < owned && fer_id_is_own(run[i]->key)) {
                at = owned; /* thousands may have theirs */
                count = 0;
                break;
            }
            code = consider(best, entry_of(run[i]), false, constraint, err);
        }
    }
    return code;
}

#define NEAR_MAX 200000 /* IDs that are looked at for one that was meant */

/* What was meant, for the one who mistyped: an ID that is near, or one with that name. */
static fer_str nearest(const fer_view *v, fer_str id, const fer_id *parts)
{
    fer_near near;
    fer_value *const *run;
    size_t count;
    fer_str same = FER_STR_NONE;
    fer_near_init(&near, id);
    for (size_t at = 0; at < NEAR_MAX && (run = fer_table_run(&v->tools, at, &count));
         at += count) {
        for (size_t i = 0; i < count; i++) {
            fer_id other;
            fer_str key = run[i]->key;
            if (fer_id_is_own(key) || fer_id_parse(key, &other, NULL)) continue;
            /* Who names no version means none. */
            if (!parts->version.len && other.version.len)
                key.len = other.ns.len + 1 + other.name.len;
            fer_near_try(&near, key);
            if (!same.ptr && fer_str_eq(other.name, parts->name)) same = key;
        }
    }
    return near.best.ptr ? near.best : same;
}

static fer_code not_found(const fer_view *v, fer_str text, const fer_id *id, size_t named,
                          fer_err *err)
{
    if (named)
        return fer_fail(err, FER_TOOL_NOT_FOUND,
                        "of \"%.*s\" there are %zu versions, but none that is asked for (a "
                        "pre-release must be named)",
                        FER_PRI(text), named);
    fer_str near = err ? nearest(v, text, id) : FER_STR_NONE;
    if (near.ptr)
        return fer_fail(err, FER_TOOL_NOT_FOUND,
                        "no tool \"%.*s\" is in the catalogue; did you mean \"%.*s\"?",
                        FER_PRI(text), FER_PRI(near));
    return fer_fail(err, FER_TOOL_NOT_FOUND, "no tool \"%.*s\" is in the catalogue", FER_PRI(text));
}

fer_code fer_view_find(const fer_view *v, fer_str text, fer_str constraint, fer_entry **out,
                       fer_err *err)
{
    return fer_view_find_among(v, text, constraint, NULL, out, err);
}

fer_code fer_view_find_among(const fer_view *v, fer_str text, fer_str constraint,
                             const fer_filter *filter, fer_entry **out, fer_err *err)
{
    fer_id id;
    bool ignored;
    struct choice best = {.filter = filter};
    fer_code code = fer_id_parse(text, &id, err);
    if (!code && constraint.len)
        code = fer_semver_satisfies(&(fer_semver){0}, constraint, &ignored, err);
    if (!code) code = consider_all(v, &id, constraint, &best, err);
    if (code) return code;
    if (!best.entry) return not_found(v, text, &id, best.named, err);
    *out = best.entry;
    return FER_OK;
}

fer_code fer_view_body(const fer_view *v, fer_str id, const fer_body **out, fer_err *err)
{
    fer_entry *e = NULL;
    fer_code code = fer_view_find(v, id, FER_STR(""), &e, err);
    return code || !e ? code : fer_entry_body(e, out, err);
}

fer_doc *fer_view_doc(const fer_view *v, fer_str id)
{
    fer_id parts;
    fer_value *d = fer_table_get(&v->docs, id);
    if (d || fer_id_parse(id, &parts, NULL) || !parts.version.len || fer_id_is_own(id))
        return (fer_doc *)(void *)d;
    size_t bare = parts.ns.len + 1 + parts.name.len;
    return (fer_doc *)(void *)fer_table_get(&v->docs, fer_str_slice(id, 0, bare));
}

/* ---- filters
 * ------------------------------------------------------------------------------------- */

static bool is_one_of(fer_str s, const fer_texts *list, bool (*same)(fer_str, fer_str))
{
    for (size_t i = 0; i < list->count; i++) {
        if (same(s, list->list[i])) return true;
    }
    return list->count == 0;
}

static bool has_tag(const fer_body *b, fer_str wanted)
{
    fer_str list = fer_body_text(b, FER_TEXT_TAGS), tag;
    while (fer_list_next(&list, &tag)) {
        if (fer_str_eq(tag, wanted)) return true;
    }
    return false;
}

bool fer_filter_takes(const fer_filter *f, const fer_body *b)
{
    if (fer_body_is_own(b) && !(f && f->takes)) return false;
    if (!f) return true;
    if (!is_one_of(fer_body_text(b, FER_TEXT_NAMESPACE), &f->namespaces, fer_str_eq)) return false;
    if (!is_one_of(fer_body_text(b, FER_TEXT_CATEGORY), &f->categories, fer_str_eq_nocase))
        return false;
    if (f->effects && !(f->effects & 1u << b->effect)) return false;
    for (size_t i = 0; i < f->tags.count; i++) {
        if (!has_tag(b, f->tags.list[i])) return false;
    }
    return !f->takes || f->takes(f->rule, b);
}

/* ---- what the public sees of it
 * -------------------------------------------------------------------- */

fer_code fer_view_resolve(fer_arena *a, const fer_view *v, fer_str id, fer_str constraint,
                          fer_str *out, fer_err *err)
{
    fer_entry *e = NULL;
    fer_code code = fer_view_find(v, id, constraint, &e, err);
    if (code) return code;
    assert(e); /* or there was a failure */
    fer_str copy = fer_arena_copy(a, e->value.key);
    if (!copy.ptr) return fer_arena_failed(a, err);
    *out = copy;
    return FER_OK;
}

static fer_code verify_entries(const fer_table *t, fer_err *err)
{
    fer_value *const *run;
    size_t count;
    const fer_body *ignored;
    for (size_t at = 0; (run = fer_table_run(t, at, &count)); at += count) {
        for (size_t i = 0; i < count; i++) {
            fer_code code = fer_entry_body(entry_of(run[i]), &ignored, err);
            if (code) return code;
        }
    }
    return FER_OK;
}

fer_code fer_view_verify(const fer_view *v, fer_err *err)
{
    fer_value *const *run;
    size_t count;
    fer_str ignored;
    fer_code code = verify_entries(&v->tools, err);
    if (!code) code = verify_entries(&v->pending, err);
    for (size_t at = 0; !code && (run = fer_table_run(&v->docs, at, &count)); at += count) {
        for (size_t i = 0; i < count && !code; i++)
            code = fer_doc_json((fer_doc *)(void *)run[i], &ignored, err);
    }
    return code ? code : fer_catalog_file_verify(v->file, err);
}
