/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of the type multipart/form-data (RFC 7578): a part for each member, for each item of a
 * list one of the same name; objects are JSON. A member that the definition calls a file has a
 * file's name.
 */
#include "errors.h"
#include "http_answer.h"
#include "http_binding.h"
#include "json_doc.h"
#include "json_write.h"

#define TRIES 1000 /* boundaries, until one is in no part */

typedef struct parts {
    fer_arena *arena;
    fer_buf *out;
    char boundary[40];
    bool clash;       /* the boundary is in a part */
    fer_code failure; /* of memory */
} parts;

/* A name inside quotes, as browsers write it. */
static void add_name(fer_buf *b, fer_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '"' || c == '\r' || c == '\n') fer_buf_printf(b, "%%%02X", (unsigned)c);
        else fer_buf_add_char(b, c);
    }
}

static void add_part(parts *p, fer_str name, bool file, const yyjson_val *value)
{
    static const fer_notation plain = {0};
    fer_str text = fer_is_str(value) ? fer_val_str(value) : FER_STR_NONE;
    fer_buf json;
    if (!fer_is_str(value)) {
        fer_buf_init(&json, p->arena, FER_HTTP_SEND_MAX);
        p->failure = fer_write_add(p->arena, &json, value, &plain, NULL);
        text = fer_buf_view(&json);
    }
    fer_buf_printf(p->out, "--%s\r\nContent-Disposition: form-data; name=\"", p->boundary);
    add_name(p->out, name);
    if (file) {
        fer_buf_add_text(p->out, "\"; filename=\"");
        add_name(p->out, name);
    }
    fer_buf_add_char(p->out, '"');
    if (file) fer_buf_add_text(p->out, "\r\nContent-Type: application/octet-stream");
    else if (fer_is_ctn(value)) fer_buf_add_text(p->out, "\r\nContent-Type: application/json");
    fer_buf_add_text(p->out, "\r\n\r\n");
    fer_buf_add(p->out, text);
    fer_buf_add_text(p->out, "\r\n");
    if (text.len && memmem(text.ptr, text.len, p->boundary, strlen(p->boundary))) p->clash = true;
}

static void add_member(parts *p, fer_str name, bool file, const yyjson_val *value)
{
    if (!value || fer_val_is(value, YYJSON_TYPE_NULL)) return;
    if (!fer_is_arr(value)) {
        add_part(p, name, file, value);
        return;
    }
    FER_EACH_ITEM (value, item)
        if (!fer_val_is(item, YYJSON_TYPE_NULL)) add_part(p, name, file, item);
}

static void add_all(parts *p, const fer_http_binding *b, const yyjson_val *args,
                    const yyjson_val *whole)
{
    if (whole)
        FER_EACH_MEMBER (whole, key) add_member(p, fer_val_str(key), false, key + 1);
    for (size_t i = 0; !whole && i < b->member_count; i++) {
        const yyjson_val *key = fer_val_key(args, b->members[i].argument);
        if (key) add_member(p, b->members[i].name, b->members[i].file, key + 1);
    }
    fer_buf_printf(p->out, "--%s--\r\n", p->boundary);
}

fer_code fer_http_multipart(fer_arena *a, const fer_http_binding *b, const yyjson_val *args,
                            const yyjson_val *whole, fer_buf *out, fer_str *type)
{
    parts p = {.arena = a, .out = out};
    if (whole && !fer_is_obj(whole)) return FER_INVALID_TYPE;
    for (unsigned i = 0; i < TRIES; i++) {
        snprintf(p.boundary, sizeof p.boundary, "ferrule-boundary-%u-", i);
        p.clash = false;
        out->len = 0;
        add_all(&p, b, args, whole);
        if (p.failure || out->failure) return p.failure ? p.failure : out->failure;
        if (p.clash) continue;
        *type = fer_arena_printf(a, "multipart/form-data; boundary=%s", p.boundary);
        return type->ptr ? FER_OK : fer_arena_code(a);
    }
    return FER_CONSTRAINT_VIOLATION;
}
