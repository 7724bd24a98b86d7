/* SPDX-License-Identifier: Apache-2.0 */
#include "key_policy.h"

#include <ferrule/json.h>
#include <openssl/evp.h>

#include "buf.h"
#include "digest.h"
#include "errors.h"

bool fer_key_valid(fer_str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (key.ptr[i] < 0x21 || key.ptr[i] > 0x7E) return false;
    return key.len >= 1 && key.len <= FER_KEY_MAX;
}

/* Each part with its length. */
static void part(fer_buf *b, fer_str s)
{
    uint64_t len = s.len;
    fer_buf_add(b, (fer_str){(const char *)&len, sizeof len});
    fer_buf_add(b, s);
}

static fer_code digest(const fer_buf *b, unsigned char out[FER_KEY_HASH], fer_err *err)
{
    unsigned char whole[FER_DIGEST_SIZE];
    fer_code code = fer_buf_code(b, err);
    if (code) return code;
    fer_digest_text(fer_buf_view(b), whole);
    memcpy(out, whole, FER_KEY_HASH);
    return FER_OK;
}

fer_code fer_key_hashes(fer_arena *scratch, const fer_key_of *k, unsigned char scope[FER_KEY_HASH],
                        unsigned char fingerprint[FER_KEY_HASH], fer_err *err)
{
    fer_str input;
    fer_buf b;
    fer_code code = fer_json_canonical(scratch, k->input, &input, err);
    if (code) return code;
    fer_buf_init(&b, scratch, SIZE_MAX / 4);
    part(&b, k->by_tenant ? FER_STR("v1 tenant") : FER_STR("v1 principal"));
    part(&b, k->tenant);
    part(&b, k->by_tenant ? FER_STR("") : k->principal);
    part(&b, k->tool);
    part(&b, k->key);
    code = digest(&b, scope, err);
    if (code) return code;
    b.len = 0;
    part(&b, FER_STR("v1"));
    part(&b, k->tool);
    fer_buf_printf(&b, "%u.", k->major);
    part(&b, input);
    return digest(&b, fingerprint, err);
}

fer_code fer_key_step(fer_str chain_key, size_t step, char out[FER_KEY_STEP], fer_err *err)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char text[48];
    unsigned char whole[EVP_MAX_MD_SIZE] = {0};
    size_t size, at = 0;
    int len = snprintf(text, sizeof text, "ferrule/chain-step/%zu", step);
    if (!EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, chain_key.ptr, chain_key.len,
                   (const unsigned char *)text, (size_t)len, whole, sizeof whole, &size))
        return fer_fail(err, FER_OUT_OF_MEMORY, "HMAC-SHA-256 could not be computed");
    for (size_t bit = 0; bit < 256; bit += 6) { /* base64url without padding */
        unsigned value = 0;
        for (size_t k = bit; k < bit + 6; k++)
            value = value << 1 | (k < 256 ? whole[k / 8] >> (7 - k % 8) & 1u : 0);
        out[at++] = letters[value];
    }
    out[at] = '\0';
    return FER_OK;
}

fer_str fer_key_tool(fer_str id, fer_str version)
{
    size_t tail = version.len + 1;
    bool has = version.len && id.len > tail && id.ptr[id.len - tail] == ':' &&
               memcmp(id.ptr + id.len - version.len, version.ptr, version.len) == 0;
    return has ? fer_str_slice(id, 0, id.len - tail) : id;
}

fer_key_act fer_key_decide(fer_key_state state, bool same, bool reject)
{
    static const fer_key_act acts[] = {
        [FER_KEY_NONE] = FER_KEY_RUN,      [FER_KEY_HERE] = FER_KEY_JOIN,
        [FER_KEY_PENDING] = FER_KEY_BUSY,  [FER_KEY_DONE] = FER_KEY_REPLAY,
        [FER_KEY_UNKNOWN] = FER_KEY_DOUBT,
    };
    if (state == FER_KEY_NONE) return FER_KEY_RUN;
    if (!same) return FER_KEY_CONFLICT;
    if (state == FER_KEY_HERE && reject) return FER_KEY_BUSY;
    return acts[state];
}
