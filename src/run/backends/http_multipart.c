/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of the type multipart/form-data (RFC 7578): a part for each member, for each item of a
 * list one of the same name; objects are JSON. A member that the definition calls a file has a
 * file's name. Its bytes are those of the text; where the definition says that the argument has
 * them in base64, or the text is a data URI in base64 (RFC 2397), those that it stands for.
 */
#include "content.h"
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
    fer_str bad;      /* the member that is no base64 */
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

/* ---- files ----------------------------------------------------------------------------------- */

/* What a header may hold as a media type. */
static bool is_media_type(fer_str s)
{
    size_t slashes = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        slashes += c == '/';
        if (!fer_is_alpha(c) && !fer_is_digit(c) && !strchr("/+-.;=_", c)) return false;
    }
    return slashes == 1 && s.len < 128;
}

/* "data:TYPE;base64,BYTES": what is in it, and its type. False: the text is none. */
static bool is_data_uri(fer_str text, fer_str *type, fer_str *bytes)
{
    size_t comma = fer_str_starts(text, "data:") ? fer_str_find(text, 0, ',') : SIZE_MAX;
    if (comma == SIZE_MAX) return false;
    fer_str head = fer_str_slice(text, 5, comma);
    if (head.len < 7 || !fer_str_is(fer_str_slice(head, head.len - 7, head.len), ";base64"))
        return false;
    *type = fer_str_slice(head, 0, head.len - 7);
    *bytes = fer_str_slice(text, comma + 1, text.len);
    return true;
}

static fer_str file_bytes(parts *p, const fer_http_member *m, fer_str text, fer_str *type)
{
    fer_str given = FER_STR_NONE, bytes = FER_STR_NONE;
    bool uri = is_data_uri(text, &given, &bytes);
    if (uri && is_media_type(given)) *type = given;
    if (!uri && !m->encoded) return text;
    fer_code code = fer_content_find(FER_STR("base64"))(p->arena, uri ? bytes : text, &bytes);
    if (!code) return bytes;
    p->failure = code;
    p->bad = m->argument;
    return FER_STR_NONE;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void add_part(parts *p, const fer_http_member *m, const yyjson_val *value)
{
    static const fer_notation plain = {0};
    bool file = m->file;
    fer_str name = m->name, type = FER_STR("application/octet-stream");
    fer_str text = fer_is_str(value) ? fer_val_str(value) : FER_STR_NONE;
    fer_buf json;
    if (fer_is_str(value) && file) text = file_bytes(p, m, text, &type);
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
    if (file) fer_buf_printf(p->out, "\r\nContent-Type: %.*s", FER_PRI(type));
    else if (fer_is_ctn(value)) fer_buf_add_text(p->out, "\r\nContent-Type: application/json");
    fer_buf_add_text(p->out, "\r\n\r\n");
    fer_buf_add(p->out, text);
    fer_buf_add_text(p->out, "\r\n");
    if (text.len && memmem(text.ptr, text.len, p->boundary, strlen(p->boundary))) p->clash = true;
}

static void add_member(parts *p, const fer_http_member *m, const yyjson_val *value)
{
    if (!value || fer_val_is(value, YYJSON_TYPE_NULL)) return;
    if (!fer_is_arr(value)) {
        add_part(p, m, value);
        return;
    }
    FER_EACH_ITEM (value, item)
        if (!fer_val_is(item, YYJSON_TYPE_NULL)) add_part(p, m, item);
}

static void add_all(parts *p, const fer_http_binding *b, const yyjson_val *args,
                    const yyjson_val *whole)
{
    if (whole)
        FER_EACH_MEMBER (whole, key)
            add_member(p, &(fer_http_member){.name = fer_val_str(key)}, key + 1);
    for (size_t i = 0; !whole && i < b->member_count; i++) {
        const yyjson_val *key = fer_val_key(args, b->members[i].argument);
        if (key) add_member(p, &b->members[i], key + 1);
    }
    fer_buf_printf(p->out, "--%s--\r\n", p->boundary);
}

fer_code fer_http_multipart(fer_arena *a, const fer_http_binding *b, const yyjson_val *args,
                            const yyjson_val *whole, fer_buf *out, fer_str *type, fer_str *bad)
{
    parts p = {.arena = a, .out = out};
    if (whole && !fer_is_obj(whole)) return FER_INVALID_TYPE;
    for (unsigned i = 0; i < TRIES; i++) {
        snprintf(p.boundary, sizeof p.boundary, "ferrule-boundary-%u-", i);
        p.clash = false;
        out->len = 0;
        add_all(&p, b, args, whole);
        *bad = p.bad;
        if (p.failure || out->failure) return p.failure ? p.failure : out->failure;
        if (p.clash) continue;
        *type = fer_arena_printf(a, "multipart/form-data; boundary=%s", p.boundary);
        return type->ptr ? FER_OK : fer_arena_code(a);
    }
    return FER_CONSTRAINT_VIOLATION;
}
