/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth_owners.h"

#include "buf.h"
#include "errors.h"
#include "json_doc.h"

static fer_str text_at(const yyjson_val *pair, size_t at)
{
    FER_EACH_ITEM (pair, item)
        if (!at--) return fer_is_str(item) ? fer_val_str(item) : FER_STR("");
    return FER_STR("");
}

fer_code fer_oauth_owners_list(fer_arena *a, fer_vault *v, fer_str resource, fer_token_owners *out,
                               fer_err *err)
{
    fer_str text;
    fer_json *doc;
    *out = (fer_token_owners){0};
    fer_code code = fer_vault_get(a, v, "owners", resource, &text, err);
    if (code || !text.ptr) return code;
    code = fer_json_read(a, text, NULL, &doc, err);
    if (code) return code;
    const yyjson_val *all = fer_json_root(doc);
    if (!fer_is_arr(all)) return fer_fail(err, FER_INTEGRITY_BROKEN, "the record is no list");
    out->list = fer_arena_alloc_zero(a, fer_val_len(all) + 1, sizeof *out->list);
    if (!out->list) return fer_arena_failed(a, err);
    FER_EACH_ITEM (all, pair)
        if (fer_is_arr(pair))
            out->list[out->count++] = (fer_token_owner){text_at(pair, 0), text_at(pair, 1)};
    return FER_OK;
}

static void write_one(fer_buf *b, const fer_token_owner *o)
{
    fer_buf_add_text(b, b->len > 1 ? ",[" : "[");
    fer_buf_add_quoted(b, o->tenant);
    fer_buf_add_char(b, ',');
    fer_buf_add_quoted(b, o->principal);
    fer_buf_add_char(b, ']');
}

static fer_code change(fer_arena *a, fer_vault *v, fer_str resource, const fer_token_owner *who,
                       bool gone, fer_err *err)
{
    fer_token_owners all;
    fer_buf b;
    fer_code code = fer_oauth_owners_list(a, v, resource, &all, err);
    if (code) return code;
    fer_buf_init(&b, a, FER_VAULT_RECORD);
    fer_buf_add_char(&b, '[');
    for (size_t i = 0; i < all.count; i++)
        if (!fer_token_owner_eq(&all.list[i], who)) write_one(&b, &all.list[i]);
    if (!gone) write_one(&b, who);
    fer_buf_add_char(&b, ']');
    code = fer_buf_code(&b, err);
    return code ? code : fer_vault_put(v, "owners", resource, fer_buf_view(&b), err);
}

fer_code fer_oauth_owners_note(fer_vault *v, fer_str resource, const fer_token_owner *who,
                               bool gone, fer_err *err)
{
    int lock;
    if (fer_token_owner_is_nobody(who)) return FER_OK;
    fer_code code = fer_vault_lock(v, &lock, err);
    if (code) return code;
    fer_arena *a = fer_arena_new(0);
    code = a ? change(a, v, resource, who, gone, err)
             : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    fer_arena_free(a);
    fer_file_unlock(lock);
    return code;
}
