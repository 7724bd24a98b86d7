/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline.h"

#include <stdlib.h>

#include "buf.h"
#include "errors.h"
#include "json_doc.h"
#include "json_number.h"

#define VERSION 1

void fer_baseline_init(fer_baseline *b, fer_arena *a)
{
    *b = (fer_baseline){.arena = a};
    fer_map_init(&b->by_key, a);
}

/* ---- entries -------------------------------------------------------------------------------- */

/* As one text; none of its parts has a byte of 0 but in names that nobody may have. */
static fer_str key_of(fer_arena *a, const fer_baseline_entry *e)
{
    const fer_str parts[] = {e->tool, e->at, e->rule, e->profile};
    size_t len = FER_COUNT(parts), at = 0;
    for (size_t i = 0; i < FER_COUNT(parts); i++) len += parts[i].len;
    char *text = fer_arena_alloc(a, len);
    if (!text) return FER_STR_NONE;
    for (size_t i = 0; i < FER_COUNT(parts); i++) {
        if (parts[i].len) memcpy(text + at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
        text[at++] = '\0';
    }
    return (fer_str){text, len};
}

static fer_baseline_entry entry_of(const fer_finding *f)
{
    return (fer_baseline_entry){f->tool, f->tool_pointer, fer_str_of(f->rule->id), f->profile, 1,
                                0};
}

static bool make_room(fer_baseline *b)
{
    void *entries =
        fer_arena_room(b->arena, b->entries, b->count, &b->cap, sizeof(fer_baseline_entry *));
    if (entries) b->entries = entries;
    return entries != NULL;
}

static bool copy_entry(fer_arena *a, fer_baseline_entry *to, const fer_baseline_entry *from)
{
    fer_str *const texts[] = {&to->tool, &to->at, &to->rule, &to->profile};
    *to = *from;
    for (size_t i = 0; i < FER_COUNT(texts); i++) {
        *texts[i] = fer_arena_copy(a, *texts[i]);
        if (!texts[i]->ptr) return false;
    }
    return true;
}

/* One more, or more of one that is there. */
static fer_code add(fer_baseline *b, const fer_baseline_entry *entry, fer_err *err)
{
    fer_str key = key_of(b->arena, entry);
    void **slot = key.ptr ? fer_map_put(&b->by_key, key) : NULL;
    if (!slot) return fer_arena_failed(b->arena, err);
    fer_baseline_entry *e = *slot;
    if (e) {
        e->count += entry->count;
        return FER_OK;
    }
    if (b->count == FER_BASELINE_ENTRIES)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "a baseline has at most %d entries",
                        FER_BASELINE_ENTRIES);
    e = fer_arena_alloc(b->arena, sizeof *e);
    if (!e || !copy_entry(b->arena, e, entry) || !make_room(b))
        return fer_arena_failed(b->arena, err);
    *slot = b->entries[b->count++] = e;
    return FER_OK;
}

fer_code fer_baseline_add(fer_baseline *b, const fer_finding *f, fer_err *err)
{
    const fer_baseline_entry e = entry_of(f);
    return add(b, &e, err);
}

fer_code fer_baseline_take(fer_baseline *b, const fer_finding *f, bool *taken, fer_err *err)
{
    const fer_baseline_entry asked = entry_of(f);
    fer_str key = key_of(b->arena, &asked);
    if (!key.ptr) return fer_arena_failed(b->arena, err);
    fer_baseline_entry *e = fer_map_get(&b->by_key, key);
    fer_arena_trim(b->arena, key.ptr);
    *taken = e && e->met < e->count;
    if (*taken) e->met++;
    return FER_OK;
}

size_t fer_baseline_gone(const fer_baseline *b)
{
    size_t gone = 0;
    for (size_t i = 0; i < b->count; i++) gone += b->entries[i]->count - b->entries[i]->met;
    return gone;
}

/* ---- reading -------------------------------------------------------------------------------- */

static fer_code wrong(const fer_json *doc, const yyjson_val *at, const char *what, fer_err *err)
{
    fer_place place = fer_json_place(doc, at);
    fer_code code = fer_fail(err, FER_INVALID_TOOL, "%s", what);
    if (err) {
        err->line = place.line;
        err->column = place.column;
        err->offset = place.offset;
    }
    return code;
}

/* A text, or nothing where the member is not there. False: it is no text. */
static bool text_of(const yyjson_val *object, const char *name, fer_str *out)
{
    const yyjson_val *v = fer_val_get(object, name);
    *out = fer_is_str(v) ? fer_val_str(v) : FER_STR("");
    return !v || fer_is_str(v);
}

static fer_code read_entry(fer_baseline *b, const fer_json *doc, const yyjson_val *v, fer_err *err)
{
    fer_baseline_entry e = {.count = 1};
    uint64_t count = 1;
    if (!fer_is_obj(v)) return wrong(doc, v, "an entry of \"findings\" must be an object", err);
    const yyjson_val *times = fer_val_get(v, "count");
    if (!text_of(v, "tool", &e.tool) || !text_of(v, "at", &e.at) || !text_of(v, "rule", &e.rule) ||
        !text_of(v, "profile", &e.profile))
        return wrong(doc, v, "\"tool\", \"at\", \"rule\" and \"profile\" must be strings", err);
    if (!e.rule.len) return wrong(doc, v, "an entry must have a \"rule\"", err);
    if (times && (!fer_is_num(times) || !fer_number_u64(times, &count) || !count ||
                  count > FER_BASELINE_ENTRIES))
        return wrong(doc, times, "\"count\" must be a whole number from 1 on", err);
    e.count = (size_t)count;
    return add(b, &e, err);
}

fer_code fer_baseline_read(fer_baseline *b, fer_str text, fer_err *err)
{
    fer_json *doc;
    uint64_t version = 0;
    fer_code code = fer_json_read(b->arena, text, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *root = fer_json_root(doc);
    const yyjson_val *said = fer_is_obj(root) ? fer_val_get(root, "baselineVersion") : NULL;
    if (!fer_is_num(said) || !fer_number_u64(said, &version))
        return wrong(doc, root,
                     "this is no baseline: \"baselineVersion\" is missing; --write-baseline "
                     "writes one",
                     err);
    if (version != VERSION)
        return wrong(doc, said, "another \"baselineVersion\" than 1 is not understood", err);
    const yyjson_val *list = fer_val_get(root, "findings");
    if (!fer_is_arr(list)) return wrong(doc, root, "\"findings\" must be a list", err);
    FER_EACH_ITEM (list, item) {
        code = read_entry(b, doc, item, err);
        if (code) return code;
    }
    return FER_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static int by_text(const void *one, const void *other)
{
    const fer_baseline_entry *x = *(fer_baseline_entry *const *)one;
    const fer_baseline_entry *y = *(fer_baseline_entry *const *)other;
    int order = fer_str_cmp(x->tool, y->tool);
    if (!order) order = fer_str_cmp(x->at, y->at);
    if (!order) order = fer_str_cmp(x->rule, y->rule);
    return order ? order : fer_str_cmp(x->profile, y->profile);
}

static void member(fer_buf *b, const char *before, fer_str value)
{
    fer_buf_add_text(b, before);
    fer_buf_add_quoted(b, value);
}

fer_code fer_baseline_write(fer_baseline *b, fer_str *out, fer_err *err)
{
    fer_buf text;
    fer_buf_init(&text, b->arena, fer_json_limits_file()->size);
    if (b->count) qsort(b->entries, b->count, sizeof *b->entries, by_text);
    fer_buf_printf(&text, "{\"baselineVersion\": %d, \"findings\": [", VERSION);
    for (size_t i = 0; i < b->count; i++) {
        const fer_baseline_entry *e = b->entries[i];
        member(&text, i ? ",\n{\"tool\": " : "\n{\"tool\": ", e->tool);
        member(&text, ", \"at\": ", e->at);
        member(&text, ", \"rule\": ", e->rule);
        if (e->profile.len) member(&text, ", \"profile\": ", e->profile);
        fer_buf_printf(&text, ", \"count\": %zu}", e->count);
    }
    fer_buf_add_text(&text, b->count ? "\n]}\n" : "]}\n");
    if (text.failure) return fer_buf_code(&text, err);
    *out = fer_buf_view(&text);
    return FER_OK;
}
