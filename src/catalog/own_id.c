/* SPDX-License-Identifier: Apache-2.0 */
#include "own_id.h"

#include "arena.h"
#include "errors.h"

void fer_own_id_write(fer_buf *b, fer_str id, fer_str mark)
{
    fer_id parts = {0};
    if (fer_id_parse(id, &parts, NULL)) parts.name = id;
    fer_buf_printf(b, "%.*s:%.*s:" FER_OWN_VERSION "%.*s", FER_PRI(parts.ns), FER_PRI(parts.name),
                   FER_PRI(mark));
    if (!parts.version.len) return;
    fer_buf_add_char(b, '+');
    /* What follows a + has none itself. */
    for (size_t i = 0; i < parts.version.len; i++)
        fer_buf_add_char(b, (char)(parts.version.ptr[i] == '+' ? '.' : parts.version.ptr[i]));
}

/* What stands before the version of an ID. */
static fer_str bare_id(const fer_body *body)
{
    fer_str id = fer_body_text(body, FER_TEXT_ID), ns = fer_body_text(body, FER_TEXT_NAMESPACE);
    size_t len = (ns.len ? ns.len + 1 : 0) + fer_body_text(body, FER_TEXT_NAME).len;
    return fer_str_slice(id, 0, len < id.len ? len : id.len);
}

void fer_body_public_id(fer_buf *b, const fer_body *body)
{
    fer_str version = fer_body_text(body, FER_TEXT_VERSION);
    if (!fer_body_is_own(body)) {
        fer_buf_add(b, fer_body_text(body, FER_TEXT_ID));
        return;
    }
    fer_buf_add(b, bare_id(body));
    if (version.len) fer_buf_add_char(b, ':');
    fer_buf_add(b, version);
}

fer_code fer_body_shown_id(fer_arena *a, const fer_body *body, fer_str *out, fer_err *err)
{
    fer_buf b;
    bool own = fer_body_is_own(body);
    if (!own || !fer_body_text(body, FER_TEXT_VERSION).len) {
        *out = own ? bare_id(body) : fer_body_text(body, FER_TEXT_ID);
        return FER_OK;
    }
    fer_buf_init(&b, a, SIZE_MAX / 4);
    fer_body_public_id(&b, body);
    if (b.failure) return fer_buf_code(&b, err);
    *out = fer_buf_view(&b);
    return FER_OK;
}
