/* SPDX-License-Identifier: Apache-2.0 */
/* What a result depends on, as one digest: each part with its length, so that none can pass for
 * another. */
#include <ferrule/json.h>

#include "buf.h"
#include "digest.h"
#include "errors.h"
#include "result_cache.h"

static void part(fer_buf *b, fer_str s)
{
    uint64_t len = s.len;
    fer_buf_add(b, (fer_str){(const char *)&len, sizeof len});
    fer_buf_add(b, s);
}

fer_code fer_result_key_of(fer_arena *scratch, const fer_result_of *r, fer_result_key *out,
                           fer_err *err)
{
    fer_str input;
    fer_buf b;
    fer_code code = fer_json_canonical(scratch, r->input, &input, err);
    if (code) return code;
    fer_buf_init(&b, scratch, SIZE_MAX / 4);
    part(&b, r->is_public ? FER_STR("v1 public") : FER_STR("v1 private"));
    part(&b, r->is_public ? FER_STR("") : r->tenant);
    part(&b, r->is_public ? FER_STR("") : r->principal);
    for (size_t i = 0; !r->is_public && i < r->scopes.count; i++) part(&b, r->scopes.list[i]);
    part(&b, FER_STR("of"));
    part(&b, r->tool);
    part(&b, r->version);
    part(&b, r->definition_hash);
    part(&b, r->backend);
    part(&b, input);
    code = fer_buf_code(&b, err);
    unsigned char whole[FER_DIGEST_SIZE];
    if (code) return code;
    fer_digest_text(fer_buf_view(&b), whole);
    memcpy(out->bytes, whole, sizeof out->bytes);
    return FER_OK;
}
