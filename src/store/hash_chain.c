/* SPDX-License-Identifier: Apache-2.0 */
#include "hash_chain.h"

#include "print.h"

bool fer_hash_chain_init(fer_hash_chain *c)
{
    *c = (fer_hash_chain){.arena = fer_arena_new(0), .digest = fer_digest_new(), .sum_known = true};
    memcpy(c->head, FER_LINE_ZERO, FER_DIGEST_HEX);
    memcpy(c->tenants_sum, FER_LINE_ZERO, FER_DIGEST_HEX);
    if (c->arena) fer_map_init(&c->tenants, c->arena);
    if (c->arena && c->digest) return true;
    fer_hash_chain_deinit(c);
    return false;
}

void fer_hash_chain_deinit(fer_hash_chain *c)
{
    fer_arena_free(c->arena);
    fer_digest_free(c->digest);
    *c = (fer_hash_chain){0};
}

fer_hash_chain_tenant *fer_hash_chain_tenant_of(fer_hash_chain *c, fer_str name)
{
    fer_hash_chain_tenant *t = fer_map_get(&c->tenants, name);
    if (t) return t;
    if (c->tenants.count >= FER_CHAIN_TENANTS) return NULL;
    t = fer_arena_alloc_zero(c->arena, 1, sizeof *t);
    if (!t) return NULL;
    t->name = fer_arena_copy(c->arena, name);
    memcpy(t->head, FER_LINE_ZERO, FER_DIGEST_HEX);
    void **place = t->name.ptr ? fer_map_put(&c->tenants, t->name) : NULL;
    if (!place) return NULL;
    *place = t;
    return t;
}

void fer_hash_chain_add(fer_hash_chain *c, fer_hash_chain_tenant *t, const fer_line *l)
{
    memcpy(t->head, l->hash, FER_DIGEST_HEX);
    memcpy(c->head, l->hash, FER_DIGEST_HEX);
    c->seq = l->seq;
    c->since++;
    if (t->changed) return;
    t->changed = true;
    t->next = c->changed;
    c->changed = t;
}

bool fer_hash_chain_sum(const fer_hash_chain *c, char out[FER_DIGEST_HEX])
{
    unsigned char sum[FER_DIGEST_SIZE];
    char hex[FER_DIGEST_HEX];
    memcpy(hex, c->tenants_sum, sizeof hex);
    for (const fer_hash_chain_tenant *t = c->changed; t; t = t->next) {
        if (!fer_digest_of(c->digest, (fer_str){hex, sizeof hex}, (fer_str){t->head, sizeof hex},
                           t->name, sum))
            return false;
        fer_digest_hex(hex, sum, sizeof sum);
    }
    memcpy(out, hex, sizeof hex);
    return true;
}

void fer_hash_chain_checked(fer_hash_chain *c, const char sum[FER_DIGEST_HEX])
{
    while (c->changed) {
        c->changed->changed = false;
        c->changed = c->changed->next;
    }
    memcpy(c->tenants_sum, sum, FER_DIGEST_HEX);
    c->sum_known = true;
    c->since = 0;
}

/* ---- checkpoints --------------------------------------------------------------------------------
 */

/* What is signed, and with its last brace a body without `sig`. */
static size_t write_signed(char *to, const char *head, const char *key, uint64_t seq,
                           const char *tenants)
{
    char *p = fer_put(to, FER_STR("ledger/v1 checkpoint\n{\"head\":\""));
    p = fer_put(p, (fer_str){head, FER_DIGEST_HEX});
    p = fer_put(fer_put(p, FER_STR("\",\"key\":\"")), (fer_str){key, FER_SIGN_ID});
    p = fer_put(p, FER_STR("\",\"seq\":"));
    p += fer_print_u64(p, seq);
    p = fer_put(fer_put(p, FER_STR(",\"tenants\":\"")), (fer_str){tenants, FER_DIGEST_HEX});
    return (size_t)(fer_put(p, FER_STR("\"}")) - to);
}

bool fer_checkpoint_write(const fer_hash_chain *c, const fer_sign_key *key, const char *sum,
                          char out[FER_CHECKPOINT_BODY], size_t *len)
{
    char text[FER_CHECKPOINT_BODY], hex[2 * FER_SIGN_SIZE];
    unsigned char signature[FER_SIGN_SIZE];
    size_t n = write_signed(text, c->head, fer_sign_key_id(key), c->seq, sum);
    if (!fer_sign(key, (fer_str){text, n}, signature)) return false;
    fer_digest_hex(hex, signature, sizeof signature);
    char *p = fer_put(fer_put(out, FER_STR("{\"head\":\"")), (fer_str){c->head, FER_DIGEST_HEX});
    p = fer_put(fer_put(p, FER_STR("\",\"key\":\"")), (fer_str){fer_sign_key_id(key), FER_SIGN_ID});
    p = fer_put(p, FER_STR("\",\"seq\":"));
    p += fer_print_u64(p, c->seq);
    p = fer_put(fer_put(p, FER_STR(",\"sig\":\"")), (fer_str){hex, sizeof hex});
    p = fer_put(fer_put(p, FER_STR("\",\"tenants\":\"")), (fer_str){sum, FER_DIGEST_HEX});
    *len = (size_t)(fer_put(p, FER_STR("\"}")) - out);
    return true;
}

/* Takes `size` bytes behind a word from the front of a text. */
static bool take(fer_str *s, const char *word, size_t size, fer_str *out)
{
    size_t skip = strlen(word);
    if (!fer_str_starts(*s, word) || s->len - skip < size) return false;
    *out = fer_str_slice(*s, skip, skip + size);
    *s = fer_str_slice(*s, skip + size, s->len);
    return true;
}

bool fer_checkpoint_read(fer_str body, fer_checkpoint *out)
{
    fer_str head, key, digits, sig, tenants, none;
    size_t n = 0;
    unsigned char sum[FER_DIGEST_SIZE];
    if (!take(&body, "{\"head\":\"", FER_DIGEST_HEX, &head)) return false;
    if (!take(&body, "\",\"key\":\"", FER_SIGN_ID, &key)) return false;
    if (!take(&body, "\",\"seq\":", 0, &none)) return false;
    while (n < body.len && fer_is_digit(body.ptr[n])) n++;
    if (!take(&body, "", n, &digits) || !fer_parse_u64(digits, &out->seq)) return false;
    if (!take(&body, ",\"sig\":\"", (size_t)2 * FER_SIGN_SIZE, &sig)) return false;
    if (!take(&body, "\",\"tenants\":\"", FER_DIGEST_HEX, &tenants)) return false;
    if (!fer_str_is(body, "\"}") || !fer_digest_unhex(sig, out->signature, FER_SIGN_SIZE))
        return false;
    if (!fer_digest_unhex(head, sum, sizeof sum) || !fer_digest_unhex(tenants, sum, sizeof sum))
        return false;
    if (!fer_digest_unhex(key, sum, FER_SIGN_ID / 2)) return false;
    memcpy(out->head, head.ptr, FER_DIGEST_HEX);
    memcpy(out->tenants, tenants.ptr, FER_DIGEST_HEX);
    memcpy(out->key, key.ptr, FER_SIGN_ID);
    return true;
}

bool fer_checkpoint_is_signed(const fer_checkpoint *p, const fer_sign_key *key)
{
    char text[FER_CHECKPOINT_BODY];
    size_t n = write_signed(text, p->head, p->key, p->seq, p->tenants);
    return memcmp(p->key, fer_sign_key_id(key), FER_SIGN_ID) == 0 &&
           fer_sign_holds(key, (fer_str){text, n}, p->signature);
}

/* ---- following ----------------------------------------------------------------------------------
 */

static fer_hash_chain_verdict check_checkpoint(fer_hash_chain *c, const fer_line *l,
                                               const fer_sign_key *key, fer_checkpoint *p)
{
    char sum[FER_DIGEST_HEX];
    if (!fer_checkpoint_read(l->body, p)) return FER_CHAIN_CHECKPOINT;
    if (p->seq != c->seq || memcmp(p->head, c->head, FER_DIGEST_HEX) != 0)
        return FER_CHAIN_CHECKPOINT;
    if (!fer_hash_chain_sum(c, sum)) return FER_CHAIN_NO_MEMORY;
    if (c->sum_known && memcmp(p->tenants, sum, sizeof sum) != 0) return FER_CHAIN_CHECKPOINT;
    return key && !fer_checkpoint_is_signed(p, key) ? FER_CHAIN_SIGNATURE : FER_CHAIN_OK;
}

fer_hash_chain_verdict fer_hash_chain_follow(fer_hash_chain *c, fer_str text, const fer_line *l,
                                             const fer_sign_key *key)
{
    fer_checkpoint p;
    if (!fer_line_holds(text, l, c->digest)) return FER_HASH_CHAIN_HASH;
    if (l->seq != c->seq + 1) return FER_CHAIN_GAP;
    if (memcmp(l->prev.ptr, c->head, FER_DIGEST_HEX) != 0) return FER_CHAIN_PREV;
    fer_hash_chain_tenant *t = fer_hash_chain_tenant_of(c, l->tenant);
    if (!t) return FER_CHAIN_NO_MEMORY;
    bool first = memcmp(t->head, FER_LINE_ZERO, FER_DIGEST_HEX) == 0;
    if (memcmp(l->tprev.ptr, t->head, FER_DIGEST_HEX) != 0 && !(first && c->pruned))
        return FER_CHAIN_TENANT;
    bool check = l->type == FER_LEDGER_CHECKPOINT;
    fer_hash_chain_verdict v = check ? check_checkpoint(c, l, key, &p) : FER_CHAIN_OK;
    if (v) return v;
    if (check) fer_hash_chain_checked(c, p.tenants);
    fer_hash_chain_add(c, t, l);
    return FER_CHAIN_OK;
}

void fer_hash_chain_force(fer_hash_chain *c, const fer_line *l)
{
    fer_hash_chain_tenant *t = fer_hash_chain_tenant_of(c, l->tenant);
    if (t) fer_hash_chain_add(c, t, l);
    /* What a checkpoint behind a break says of tenants cannot be held against anything. */
    c->sum_known = false;
}
