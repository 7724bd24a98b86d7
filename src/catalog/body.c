/* SPDX-License-Identifier: Apache-2.0 */
#include "body.h"

#include <string.h>

#include "arena.h"
#include "checksum.h"
#include "errors.h"
#include "own_id.h"

/* ---- reading ----------------------------------------------------------------------------- */

bool fer_list_next(fer_str *list, fer_str *item)
{
    uint32_t len;
    if (list->len < sizeof len) return false;
    memcpy(&len, list->ptr, sizeof len);
    if (len > list->len - sizeof len) return false;
    *item = (fer_str){list->ptr + sizeof len, len};
    *list = fer_str_slice(*list, sizeof len + len, list->len);
    return true;
}

static size_t list_count(fer_str list)
{
    size_t count = 0;
    for (fer_str item; fer_list_next(&list, &item);) count++;
    return count;
}

fer_code fer_body_list(fer_arena *a, const fer_body *b, enum fer_text_id id, fer_texts *out,
                       fer_err *err)
{
    fer_str rest = fer_body_text(b, id);
    size_t count = list_count(rest), n = 0;
    *out = (fer_texts){0};
    if (!count) return FER_OK;
    fer_str *list = fer_arena_alloc_zero(a, count, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    while (n < count && fer_list_next(&rest, &list[n])) n++;
    *out = (fer_texts){list, n};
    return FER_OK;
}

fer_code fer_body_backends(fer_arena *a, const fer_body *b, fer_backend **out, size_t *count,
                           fer_err *err)
{
    fer_texts parts;
    fer_code code = fer_body_list(a, b, FER_TEXT_BACKENDS, &parts, err);
    if (code) return code;
    size_t n = parts.count / 3;
    fer_backend *list = fer_arena_alloc_zero(a, n ? n : 1, sizeof *list);
    if (!list) return fer_arena_failed(a, err);
    for (size_t i = 0; i < n; i++) {
        const fer_str *p = parts.list + 3 * i;
        list[i] = (fer_backend){(fer_backend_kind)(p[0].ptr[0] - '0'), p[1], p[2]};
    }
    *out = list;
    *count = n;
    return FER_OK;
}

fer_code fer_body_summary(fer_arena *a, const fer_body *b, fer_summary *out, fer_err *err)
{
    fer_summary s = {.name = fer_body_text(b, FER_TEXT_NAME),
                     .ns = fer_body_text(b, FER_TEXT_NAMESPACE),
                     .short_description = fer_body_text(b, FER_TEXT_SHORT),
                     .summary = fer_body_text(b, FER_TEXT_SHORT),
                     .category = fer_body_text(b, FER_TEXT_CATEGORY),
                     .security_summary = fer_body_text(b, FER_TEXT_SECURITY)};
    fer_code code = fer_body_shown_id(a, b, &s.id, err);
    if (!code) code = fer_body_list(a, b, FER_TEXT_INPUT_MODES, &s.input_modes, err);
    if (!code) code = fer_body_list(a, b, FER_TEXT_OUTPUT_MODES, &s.output_modes, err);
    if (!code) code = fer_body_list(a, b, FER_TEXT_TAGS, &s.tags, err);
    if (!code) *out = s;
    return code;
}

bool fer_backend_same(const fer_backend *x, const fer_backend *y)
{
    return x->kind == y->kind && fer_str_eq(x->name, y->name) && fer_str_eq(x->tool, y->tool);
}

/* ---- checking ------------------------------------------------------------------------------ */

static bool is_utf8(fer_str s)
{
    for (size_t at = 0, len; at < s.len; at += len) {
        len = (unsigned char)s.ptr[at] < 0x80 ? 1 : fer_utf8_len(s, at);
        if (!len) return false;
    }
    return true;
}

/* A list ends where its last item does. */
static bool check_list(fer_str list)
{
    for (fer_str item; fer_list_next(&list, &item);) {
        if (!is_utf8(item)) return false;
    }
    return list.len == 0;
}

static bool check_backends(fer_str list)
{
    fer_str kind, name, tool;
    while (list.len) {
        if (!fer_list_next(&list, &kind) || !fer_list_next(&list, &name) ||
            !fer_list_next(&list, &tool))
            return false;
        if (kind.len != 1 || kind.ptr[0] < '0' || kind.ptr[0] > '0' + FER_BACKEND_MCP) return false;
    }
    return true;
}

bool fer_body_check(const void *block, size_t size)
{
    const fer_body *b = block;
    if (size < sizeof *b || b->size != size || b->effect > FER_EFFECT_EXTERNAL_SIDE_EFFECTS)
        return false;
    for (size_t i = 0; i < FER_TEXT_COUNT; i++) {
        if (b->texts[i].at > size || b->texts[i].len > size - b->texts[i].at) return false;
        if (b->texts[i].at < sizeof *b) return false;
        bool list = i >= FER_TEXT_INPUT_MODES && i <= FER_TEXT_BACKENDS;
        fer_str text = fer_body_text(b, (enum fer_text_id)i);
        if (list ? !check_list(text) : !is_utf8(text)) return false;
    }
    return fer_body_text(b, FER_TEXT_ID).len && check_backends(fer_body_text(b, FER_TEXT_BACKENDS));
}

static bool check_entry(const fer_entry *e)
{
    return fer_checksum(e->body, e->size) == e->check && fer_body_check(e->body, e->size) &&
           fer_str_eq(fer_body_text(e->body, FER_TEXT_ID), e->value.key);
}

/* Two threads may look at one body at once: they find the same. */
fer_code fer_entry_body(fer_entry *e, const fer_body **out, fer_err *err)
{
    unsigned char state = atomic_load_explicit(&e->state, memory_order_relaxed);
    if (state == FER_BODY_UNSEEN) {
        state = check_entry(e) ? FER_BODY_GOOD : FER_BODY_BAD;
        atomic_store_explicit(&e->state, state, memory_order_relaxed);
    }
    if (state == FER_BODY_BAD) {
        return fer_fail(err, FER_INVALID_CATALOG,
                        "the catalogue's file is damaged: the definition of %.*s is not what was "
                        "written; build it anew",
                        FER_PRI(e->value.key));
    }
    *out = e->body;
    return FER_OK;
}
