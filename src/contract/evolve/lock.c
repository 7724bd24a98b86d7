/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock file: {"lockVersion":1,"tools":[...]}, one tool per line, ordered by ID, so that
 * it is read well in a review. A tool's line has its definition hash and a hash of each field
 * that goes into it, so that verifying can name what changed without the old definition.
 */
#include "lock.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "digest.h"
#include "errors.h"
#include "json_number.h"
#include "json_value.h"
#include "json_write.h"
#include "map.h"
#include "tool.h"

#define PART_DIGITS 16 /* hex digits of a field's hash: to name it, not to trust it */

/* The fields that the definition hash is made of. */
static const enum fer_field_id parts[] = {
    FER_FIELD_NAME,         FER_FIELD_TITLE,         FER_FIELD_DESCRIPTION,
    FER_FIELD_INPUT_SCHEMA, FER_FIELD_OUTPUT_SCHEMA, FER_FIELD_ANNOTATIONS,
    FER_FIELD_EXECUTION,    FER_FIELD_ICONS,         FER_FIELD_META};
_Static_assert(FER_COUNT(parts) == FER_COUNT(((fer_lock_entry *)0)->parts), "room for all parts");

const char *fer_lock_state_name(fer_lock_state state)
{
    static const char *const names[] = {"changed", "bumped", "new", "gone"};
    return names[state];
}

/* The hash of one field, cut; the contract under _meta.ferrule is no part of it. */
static fer_code part_hash(fer_arena *a, const yyjson_val *value, bool meta,
                          char out[PART_DIGITS + 1], fer_err *err)
{
    const fer_notation canonical = {.canonical = true, .skip = meta ? "ferrule" : NULL};
    unsigned char digest[FER_DIGEST_SIZE];
    fer_buf b;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_code code = fer_write_add(a, &b, value, &canonical, err);
    if (!code) code = fer_buf_code(&b, err);
    if (code) return code;
    fer_digest_text(fer_buf_view(&b), digest);
    fer_digest_hex(out, digest, PART_DIGITS / 2);
    out[PART_DIGITS] = '\0';
    return FER_OK;
}

/* ---- writing
 * ------------------------------------------------------------------------------------- */

struct hashed {
    const fer_tool *tool;
    fer_str key; /* ID without version, a NUL, version: the order of lines */
    char hash[FER_HASH_TEXT];
    char part[FER_COUNT(parts)][PART_DIGITS + 1]; /* empty: not there */
};

static fer_str plain_id(fer_arena *a, fer_str ns, fer_str name)
{
    if (!ns.len) return fer_arena_copy(a, name);
    return fer_arena_printf(a, "%.*s:%.*s", FER_PRI(ns), FER_PRI(name));
}

static fer_code hash_tool(fer_arena *a, const fer_tool *t, struct hashed *out, fer_err *err)
{
    *out = (struct hashed){.tool = t};
    out->key = plain_id(a, fer_tool_namespace(t), fer_tool_name(t));
    if (!out->key.ptr) return fer_arena_failed(a, err);
    fer_arena *scratch = fer_arena_new(0);
    fer_code code = scratch ? fer_tool_definition_hash(scratch, t, out->hash, err)
                            : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < FER_COUNT(parts) && !code; i++) {
        const yyjson_val *value = t->values[parts[i]];
        bool meta = value && parts[i] == FER_FIELD_META;
        /* The contract alone is no part of the definition. */
        if (meta && fer_val_len(value) == (fer_val_get(value, "ferrule") != NULL)) continue;
        if (value) code = part_hash(scratch, value, meta, out->part[i], err);
    }
    fer_arena_free(scratch);
    return code;
}

static int by_id(const void *x, const void *y)
{
    const struct hashed *a = x, *b = y;
    int order = fer_str_cmp(a->key, b->key);
    if (!order) order = fer_str_cmp(a->tool->version, b->tool->version);
    return order ? order : strcmp(a->hash, b->hash);
}

static fer_code hash_all(fer_arena *a, const fer_toolset *set, struct hashed **out, fer_err *err)
{
    size_t count = fer_toolset_count(set);
    struct hashed *list = fer_arena_alloc_zero(a, count + 1, sizeof *list);
    fer_code code = FER_OK;
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < count && !code; i++)
        code = hash_tool(a, fer_toolset_get(set, i), &list[i], err);
    if (!code && count) qsort(list, count, sizeof *list, by_id);
    if (!code) *out = list;
    return code;
}

static void write_tool(fer_buf *b, const struct hashed *h)
{
    bool first = true;
    fer_buf_add_text(b, "{\"id\":");
    fer_buf_add_quoted(b, h->key);
    if (h->tool->version.len) {
        fer_buf_add_text(b, ",\"version\":");
        fer_buf_add_quoted(b, h->tool->version);
    }
    fer_buf_printf(b, ",\"hash\":\"sha256:%s\",\"parts\":{", h->hash);
    for (size_t i = 0; i < FER_COUNT(parts); i++) {
        if (!h->part[i][0]) continue;
        fer_buf_printf(b, "%s\"%s\":\"%s\"", first ? "" : ",", fer_fields[parts[i]].key,
                       h->part[i]);
        first = false;
    }
    fer_buf_add_text(b, "}}");
}

fer_code fer_lock_write(fer_arena *a, const fer_toolset *set, fer_str *out, fer_err *err)
{
    struct hashed *list = NULL;
    size_t count = fer_toolset_count(set);
    fer_buf b;
    fer_code code = hash_all(a, set, &list, err);
    if (code) return code;
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_buf_printf(&b, "{\"lockVersion\":%d,\"tools\":[", FER_LOCK_VERSION);
    for (size_t i = 0; i < count; i++) {
        fer_buf_add_text(&b, i ? ",\n" : "\n");
        write_tool(&b, &list[i]);
    }
    fer_buf_add_text(&b, count ? "\n]}\n" : "]}\n");
    code = fer_buf_code(&b, err);
    if (!code) *out = fer_buf_view(&b);
    return code;
}

/* ---- reading
 * ---------------------------------------------------------------------------------------- */

struct locked {
    fer_str id, version, hash;
    const yyjson_val *parts; /* an object, or NULL */
    size_t next;             /* the number + 1 of the next line of that ID; 0: there is none */
};

struct fer_lock {
    struct locked *lines;
    size_t count;
    fer_map by_id; /* the number + 1 of the first line of that ID */
};

static fer_code wrong(const fer_json *doc, const yyjson_val *at, const char *what, fer_err *err)
{
    fer_place place = fer_json_place(doc, at);
    return fer_fail(err, FER_INVALID_TOOL, "line %u, column %u of the lock: %s", place.line,
                    place.column, what);
}

static fer_str text_of(const yyjson_val *object, const char *name)
{
    const yyjson_val *v = fer_val_get(object, name);
    return fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
}

static bool is_hash(fer_str s)
{
    if (s.len != 71 || !fer_str_starts(s, "sha256:")) return false;
    for (size_t i = 7; i < s.len; i++)
        if (!fer_is_digit(s.ptr[i]) && !(s.ptr[i] >= 'a' && s.ptr[i] <= 'f')) return false;
    return true;
}

static fer_code read_tool(const fer_json *doc, const yyjson_val *v, struct locked *out,
                          fer_err *err)
{
    if (!fer_is_obj(v)) return wrong(doc, v, "a tool must be an object", err);
    const yyjson_val *version = fer_val_get(v, "version"), *list = fer_val_get(v, "parts");
    *out = (struct locked){.id = text_of(v, "id"), .hash = text_of(v, "hash"), .parts = list};
    if (!out->id.len) return wrong(doc, v, "a tool must have an \"id\"", err);
    if (!is_hash(out->hash))
        return wrong(doc, v, "\"hash\" must be \"sha256:\" and 64 hex digits", err);
    if (version && !fer_is_str(version))
        return wrong(doc, version, "\"version\" must be a string", err);
    if (list && !fer_is_obj(list)) return wrong(doc, list, "\"parts\" must be an object", err);
    out->version = version ? fer_val_str(version) : FER_STR("");
    return FER_OK;
}

/* The list of tools of a document that says it is a lock. */
static fer_code find_tools(const fer_json *doc, const yyjson_val **out, fer_err *err)
{
    uint64_t number = 0;
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *version = fer_is_obj(root) ? fer_val_get(root, "lockVersion") : NULL;
    if (!fer_is_num(version) || !fer_number_u64(version, &number))
        return wrong(doc, root, "this is no lock: \"lockVersion\" is missing", err);
    if (number != FER_LOCK_VERSION)
        return wrong(doc, version, "another \"lockVersion\" than 1 is not understood", err);
    *out = fer_val_get(root, "tools");
    if (!fer_is_arr(*out)) return wrong(doc, root, "\"tools\" must be a list", err);
    if (fer_val_len(*out) > FER_LOCK_TOOLS)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a lock has at most %d tools", FER_LOCK_TOOLS);
    return FER_OK;
}

/* From the last to the first, so that each line knows the next of its ID. */
static bool index_lock(fer_lock *lock)
{
    for (size_t i = lock->count; i-- > 0;) {
        void **slot = fer_map_put(&lock->by_id, lock->lines[i].id);
        if (!slot) return false;
        lock->lines[i].next = (size_t)(uintptr_t)*slot;
        *slot = (void *)(uintptr_t)(i + 1);
    }
    return true;
}

fer_code fer_lock_read(fer_arena *a, fer_str text, const fer_lock **out, fer_err *err)
{
    fer_json *doc;
    const yyjson_val *tools = NULL;
    fer_code code = fer_json_read(a, text, fer_json_limits_file(), &doc, err);
    if (!code) code = find_tools(doc, &tools, err);
    if (code) return code;
    assert(tools); /* or there was a failure */
    fer_lock *lock = fer_arena_alloc_zero(a, 1, sizeof *lock);
    if (lock) lock->lines = fer_arena_alloc_zero(a, fer_val_len(tools) + 1, sizeof *lock->lines);
    if (!lock || !lock->lines) return fer_arena_failed(a, err);
    FER_EACH_ITEM (tools, item) {
        code = read_tool(doc, item, &lock->lines[lock->count++], err);
        if (code) return code;
    }
    fer_map_init(&lock->by_id, a);
    if (!index_lock(lock)) return fer_arena_failed(a, err);
    *out = lock;
    return FER_OK;
}

size_t fer_lock_count(const fer_lock *lock)
{
    assert(lock);
    return lock->count;
}

/* ---- comparing
 * ---------------------------------------------------------------------------------------- */

static void name_parts(const struct locked *l, const struct hashed *h, fer_lock_entry *e)
{
    for (size_t i = 0; l->parts && i < FER_COUNT(parts); i++) {
        const char *key = fer_fields[parts[i]].key;
        if (!fer_str_is(text_of(l->parts, key), h->part[i])) e->parts[e->part_count++] = key;
    }
}

static bool has_hash(const struct locked *l, const struct hashed *h)
{
    return fer_str_is(fer_str_slice(l->hash, sizeof "sha256:" - 1, l->hash.len), h->hash);
}

static bool is_same(const struct locked *l, const struct hashed *h)
{
    return has_hash(l, h) && fer_str_eq(l->version, h->tool->version);
}

/* How well a line fits a tool of its ID: the version goes before the definition, as two tools may
 * share both an ID and a version. What another tool has met fits only one that is the same. */
static unsigned fit(const struct locked *l, bool met, const struct hashed *h)
{
    bool same = is_same(l, h);
    if (met && !same) return 0;
    return 1U + (fer_str_eq(l->version, h->tool->version) ? 4U : 0U) + (same ? 2U : 0U) +
           (met ? 0U : 1U);
}

/* The line for a tool: of its version, else one of its ID that is left. */
static const struct locked *find(const fer_lock *lock, const bool *met, const struct hashed *h)
{
    const struct locked *best = NULL;
    unsigned most = 0;
    for (size_t i = (size_t)(uintptr_t)fer_map_get(&lock->by_id, h->key); i;
         i = lock->lines[i - 1].next) {
        unsigned fits = fit(&lock->lines[i - 1], met[i - 1], h);
        if (fits > most) best = &lock->lines[i - 1];
        if (fits > most) most = fits;
    }
    return best;
}

static fer_code compare(const fer_lock *lock, bool *met, fer_arena *a, const struct hashed *h,
                        fer_lock_entry *out, bool *differs, fer_err *err)
{
    const struct locked *l = find(lock, met, h);
    fer_str hash = fer_arena_printf(a, "sha256:%s", h->hash);
    if (!hash.ptr) return fer_arena_failed(a, err);
    if (l) met[l - lock->lines] = true;
    bool same_version = l && fer_str_eq(l->version, h->tool->version);
    *differs = !same_version || !fer_str_eq(l->hash, hash);
    if (!*differs) return FER_OK;
    *out = (fer_lock_entry){.id = h->key, .new_version = h->tool->version, .new_hash = hash};
    out->old_version = l ? l->version : FER_STR("");
    out->old_hash = l ? l->hash : FER_STR("");
    out->state = !l ? FER_LOCK_NEW : same_version ? FER_LOCK_CHANGED : FER_LOCK_BUMPED;
    if (l) name_parts(l, h, out);
    return FER_OK;
}

fer_code fer_lock_compare(const fer_lock *lock, bool *met, fer_arena *a, const fer_tool *tool,
                          fer_lock_entry *out, bool *differs, fer_err *err)
{
    struct hashed hashed;
    fer_code code = hash_tool(a, tool, &hashed, err);
    return code ? code : compare(lock, met, a, &hashed, out, differs, err);
}

/* ---- a set ------------------------------------------------------------------------------- */

struct verifier {
    fer_arena *arena;
    const fer_lock *lock;
    bool *met;
    fer_lock_entry *list;
    size_t count, cap;
    bool broken;
    fer_err *err;
};

static fer_code report(struct verifier *v, const fer_lock_entry *entry)
{
    fer_lock_entry *list = fer_arena_room(v->arena, v->list, v->count, &v->cap, sizeof *list);
    if (!list) return fer_arena_failed(v->arena, v->err);
    v->list = list;
    v->broken |= entry->state != FER_LOCK_BUMPED;
    list[v->count++] = *entry;
    return FER_OK;
}

static fer_code report_gone(struct verifier *v, const struct locked *l)
{
    const fer_lock_entry gone = {.state = FER_LOCK_GONE,
                                 .id = l->id,
                                 .old_version = l->version,
                                 .old_hash = l->hash,
                                 .new_version = FER_STR(""),
                                 .new_hash = FER_STR("")};
    return report(v, &gone);
}

static fer_code verify_all(struct verifier *v, const struct hashed *list, size_t count)
{
    fer_code code = FER_OK;
    /* Those that are as they were have their lines before one that has changed takes any. */
    for (size_t i = 0; i < count; i++) {
        const struct locked *l = find(v->lock, v->met, &list[i]);
        if (l && is_same(l, &list[i])) v->met[l - v->lock->lines] = true;
    }
    for (size_t i = 0; !code && i < count; i++) {
        fer_lock_entry entry;
        bool differs = false;
        code = compare(v->lock, v->met, v->arena, &list[i], &entry, &differs, v->err);
        if (!code && differs) code = report(v, &entry);
    }
    for (size_t i = 0; !code && i < v->lock->count; i++)
        if (!v->met[i]) code = report_gone(v, &v->lock->lines[i]);
    return code;
}

fer_code fer_lock_verify(fer_arena *a, fer_str lock, const fer_toolset *set, fer_lock_entry **out,
                         size_t *count, bool *broken, fer_err *err)
{
    struct verifier v = {.arena = a, .err = err};
    struct hashed *list = NULL;
    fer_code code = fer_lock_read(a, lock, &v.lock, err);
    if (!code) code = hash_all(a, set, &list, err);
    if (code || !list) return code;
    v.met = fer_arena_alloc_zero(a, fer_lock_count(v.lock) + 1, sizeof *v.met);
    if (!v.met) return fer_arena_failed(a, err);
    code = verify_all(&v, list, fer_toolset_count(set));
    if (code) return code;
    *out = v.list;
    *count = v.count;
    *broken = v.broken;
    return FER_OK;
}
