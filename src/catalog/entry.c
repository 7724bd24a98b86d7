/* SPDX-License-Identifier: Apache-2.0 */
/* Entries: what a tool's record says, put into one block. */
#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "buf.h"
#include "definition.h"
#include "errors.h"
#include "json_value.h"
#include "name_mangle.h"
#include "own_id.h"
#include "sys.h"
#include "tool.h"
#include "unicode.h"

static void drop_entry(fer_value *v)
{
    fer_sys_free(v);
}

/* The block that is made: one text behind the other. */
struct parts {
    fer_str texts[FER_TEXT_COUNT];
    fer_effect effect;
    size_t ns_len, name_len; /* the ID holds both */
};

static bool is_in_id(size_t id)
{
    return id == FER_TEXT_NAME || id == FER_TEXT_NAMESPACE;
}

static fer_code size_of(const struct parts *p, size_t *size, fer_err *err)
{
    *size = sizeof(fer_body);
    for (size_t i = 0; i < FER_TEXT_COUNT; i++) {
        if (!is_in_id(i)) *size += p->texts[i].len;
        if (*size <= FER_BODY_MAX) continue;
        return fer_fail(err, FER_LIMIT_EXCEEDED,
                        "catalog.tool: a tool has at most %zu bytes in a catalogue", FER_BODY_MAX);
    }
    *size = (*size + 7) & ~(size_t)7;
    return FER_OK;
}

static void fill(fer_body *b, const struct parts *p, size_t size)
{
    size_t at = sizeof *b;
    memset(b, 0, size);
    b->size = (uint32_t)size;
    b->effect = p->effect;
    for (size_t i = 0; i < FER_TEXT_COUNT; i++) {
        if (is_in_id(i)) continue;
        b->texts[i] = (struct fer_body_text){(uint32_t)at, (uint32_t)p->texts[i].len};
        if (p->texts[i].len) memcpy((char *)b + at, p->texts[i].ptr, p->texts[i].len);
        at += p->texts[i].len;
    }
    uint32_t id = b->texts[FER_TEXT_ID].at;
    size_t skip = p->ns_len ? p->ns_len + 1 : 0;
    b->texts[FER_TEXT_NAMESPACE] = (struct fer_body_text){id, (uint32_t)p->ns_len};
    b->texts[FER_TEXT_NAME] = (struct fer_body_text){id + (uint32_t)skip, (uint32_t)p->name_len};
}

static fer_code make(const struct parts *p, fer_entry **out, fer_err *err)
{
    size_t size = 0, head = (sizeof(fer_entry) + 15) & ~(size_t)15;
    fer_code code = size_of(p, &size, err);
    if (code) return code;
    fer_entry *e = fer_sys_malloc(head + size);
    if (!e) return fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_body *b = (fer_body *)(void *)((char *)e + head);
    fill(b, p, size);
    atomic_init(&e->value.refs, 1);
    atomic_init(&e->state, FER_BODY_GOOD);
    e->value.key = fer_body_text(b, FER_TEXT_ID);
    e->value.drop = drop_entry;
    e->body = b;
    e->check = 0;
    e->size = (uint32_t)size;
    e->number = UINT32_MAX;
    e->content = e->twin = 0;
    *out = e;
    return FER_OK;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void add_item(fer_buf *b, fer_str item)
{
    uint32_t len = (uint32_t)item.len;
    fer_buf_add(b, (fer_str){(const char *)&len, sizeof len});
    fer_buf_add(b, item);
}

static void add_backend(fer_buf *b, const fer_backend *backend)
{
    char kind = (char)('0' + backend->kind);
    add_item(b, (fer_str){&kind, 1});
    add_item(b, backend->name);
    add_item(b, backend->tool);
}

static fer_code done(const fer_buf *b, fer_str *out, fer_err *err)
{
    if (b->failure) return fer_buf_code(b, err);
    *out = b->ptr ? fer_buf_view(b) : FER_STR("");
    return FER_OK;
}

/* The strings of a JSON list. */
static fer_code list_of_values(fer_arena *a, const yyjson_val *list, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_BODY_MAX);
    if (fer_is_arr(list)) {
        FER_EACH_ITEM (list, item) {
            if (fer_is_str(item)) add_item(&b, fer_val_str(item));
        }
    }
    return done(&b, out, err);
}

static fer_code list_of_texts(fer_arena *a, const fer_str *list, size_t count, fer_str *out,
                              fer_err *err)
{
    fer_buf b;
    fer_buf_init(&b, a, FER_BODY_MAX);
    for (size_t i = 0; i < count; i++) add_item(&b, list[i]);
    return done(&b, out, err);
}

static fer_code list_of_backends(fer_arena *a, const fer_backend *list, size_t count,
                                 const fer_backend *more, fer_str *out, fer_err *err)
{
    fer_buf b;
    bool there = false;
    size_t all = count;
    fer_buf_init(&b, a, FER_BODY_MAX);
    for (size_t i = 0; i < count; i++) {
        add_backend(&b, &list[i]);
        there = there || (more && fer_backend_same(&list[i], more));
    }
    if (more && !there) {
        add_backend(&b, more);
        all++;
    }
    if (all > FER_BACKENDS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "catalog.backends: a tool has at most %d backends",
                        FER_BACKENDS_MAX);
    return done(&b, out, err);
}

/* ---- from a record -----------------------------------------------------------------------------
 */

/* A field of the record, or what _meta has under its name, as tools of others do. */
static const yyjson_val *field_or_meta(const fer_tool *t, enum fer_field_id id)
{
    const yyjson_val *value = t->values[id];
    return value ? value : fer_val_get(t->values[FER_FIELD_META], fer_fields[id].key);
}

static fer_str text_or_meta(const fer_tool *t, enum fer_field_id id)
{
    const yyjson_val *value = field_or_meta(t, id);
    return fer_is_str(value) ? fer_val_str(value) : FER_STR("");
}

/* _meta.summary, where somebody wrote one, else the description. */
static fer_str short_of(const fer_tool *t)
{
    const yyjson_val *said = fer_val_get(t->values[FER_FIELD_META], "summary");
    fer_str text =
        fer_is_str(said) && fer_val_len(said) ? fer_val_str(said) : fer_tool_description(t);
    return fer_utf8_cut(text, FER_SUMMARY_SHORT);
}

static int by_text(const void *x, const void *y)
{
    return fer_str_cmp(*(const fer_str *)x, *(const fer_str *)y);
}

/* The names of the schemes that are required, else declared: sorted, each once, with commas. */
static fer_code security_of(fer_arena *a, const fer_tool *t, fer_str *out, fer_err *err)
{
    const yyjson_val *required = field_or_meta(t, FER_FIELD_SECURITY_REQUIREMENTS);
    const yyjson_val *declared = field_or_meta(t, FER_FIELD_SECURITY_SCHEMES);
    fer_str *names = NULL;
    size_t count = 0, cap = 0;
    bool any = fer_is_arr(required) && fer_val_len(required);
    const yyjson_val *from = any ? required + 1 : declared;
    const yyjson_val *end = any ? fer_val_next(required) : from ? from + 1 : NULL;
    for (; from && from < end; from = fer_val_next(from)) {
        if (!fer_is_obj(from)) continue;
        FER_EACH_MEMBER (from, key) {
            names = fer_arena_room(a, names, count, &cap, sizeof *names);
            if (!names) return fer_arena_failed(a, err);
            names[count++] = fer_val_str(key);
        }
    }
    fer_buf b;
    fer_buf_init(&b, a, FER_BODY_MAX);
    if (count) qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; i < count; i++) {
        if (i && fer_str_eq(names[i - 1], names[i])) continue;
        if (b.len) fer_buf_add_char(&b, ',');
        fer_buf_add(&b, names[i]);
    }
    return done(&b, out, err);
}

/* A version that stands for an owner is nobody else's to say. */
static fer_code write_id(fer_arena *a, const fer_id *id, fer_str owner, fer_str *out, fer_err *err)
{
    fer_buf b;
    fer_str plain;
    if (fer_version_mark(id->version).len)
        return fer_fail(err, FER_INVALID_ID, "the version %.*s is kept for definitions of tenants",
                        FER_PRI(id->version));
    if (!owner.len) return fer_id_write(a, id, out, err);
    fer_code code = fer_id_write(a, id, &plain, err);
    if (code) return code;
    fer_buf_init(&b, a, FER_OWN_ID);
    fer_own_id_write(&b, plain, owner);
    return done(&b, out, err);
}

static fer_code id_of(fer_arena *a, const fer_tool *t, const fer_put_options *o, fer_str owner,
                      struct parts *p, fer_err *err)
{
    fer_str own = fer_tool_namespace(t);
    fer_id id = {own.len ? own : o->ns, fer_tool_name(t), fer_tool_version(t)}, again;
    if (o->any_name) {
        id.ns = fer_name_escape(a, id.ns);
        id.name = fer_name_escape(a, id.name);
        if (!id.ns.ptr || !id.name.ptr) return fer_arena_failed(a, err);
    }
    fer_code code = write_id(a, &id, owner, &p->texts[FER_TEXT_ID], err);
    if (!code) code = fer_id_parse(p->texts[FER_TEXT_ID], &again, err);
    p->ns_len = id.ns.len;
    p->name_len = id.name.len;
    p->texts[FER_TEXT_VERSION] = id.version;
    return code;
}

fer_code fer_entry_of_tool(fer_arena *a, const fer_tool *t, const fer_put_options *options,
                           fer_str owner, fer_entry **out, fer_err *err)
{
    static const fer_put_options none = {.ns = {"", 0}};
    const fer_put_options *o = options ? options : &none;
    struct parts p = {.effect = fer_tool_effect(t)};
    fer_str *texts = p.texts;
    fer_code code = id_of(a, t, o, owner, &p, err);
    texts[FER_TEXT_TITLE] = fer_tool_title(t);
    texts[FER_TEXT_SHORT] = short_of(t);
    texts[FER_TEXT_CATEGORY] = text_or_meta(t, FER_FIELD_CATEGORY);
    if (!code) code = security_of(a, t, &texts[FER_TEXT_SECURITY], err);
    if (!code)
        code = list_of_values(a, field_or_meta(t, FER_FIELD_INPUT_MODES),
                              &texts[FER_TEXT_INPUT_MODES], err);
    if (!code)
        code = list_of_values(a, field_or_meta(t, FER_FIELD_OUTPUT_MODES),
                              &texts[FER_TEXT_OUTPUT_MODES], err);
    if (!code) code = list_of_texts(a, t->tags, t->tag_count, &texts[FER_TEXT_TAGS], err);
    if (!code)
        code = list_of_backends(a, t->backends, t->backend_count, o->backend,
                                &texts[FER_TEXT_BACKENDS], err);
    if (!code) code = fer_definition_write(a, t, o->ns, &texts[FER_TEXT_DEFINITION], err);
    return code ? code : make(&p, out, err);
}

fer_code fer_entry_with_backends(fer_arena *a, const fer_body *b, const fer_backend *backends,
                                 size_t count, fer_entry **out, fer_err *err)
{
    struct parts p = {.effect = (fer_effect)b->effect,
                      .ns_len = b->texts[FER_TEXT_NAMESPACE].len,
                      .name_len = b->texts[FER_TEXT_NAME].len};
    for (size_t i = 0; i < FER_TEXT_COUNT; i++) p.texts[i] = fer_body_text(b, (enum fer_text_id)i);
    fer_code code = list_of_backends(a, backends, count, NULL, &p.texts[FER_TEXT_BACKENDS], err);
    return code ? code : make(&p, out, err);
}
