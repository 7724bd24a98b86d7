/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens as values: made, found, asked. The file is in bearer_file.c. */
#include "bearer_parts.h"

#include <openssl/crypto.h>
#include <stdio.h>

#include "access.h"
#include "digest.h"
#include "errors.h"
#include "sys.h"

#define PREFIX "fer_"

/* ---- making --------------------------------------------------------------------------------- */

static void write_base64url(const uint8_t *from, size_t len, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | from[i];
        for (have += 8; have >= 6; have -= 6) *to++ = digits[bits >> (have - 6) & 63];
    }
    if (have) *to++ = digits[bits << (6 - have) & 63];
    *to = '\0';
}

static_assert(FER_BEARER_BYTES == FER_DIGEST_SIZE, "tokens are kept as their SHA-256");

static const fer_bearer *find_named(const fer_bearers *t, fer_str word)
{
    for (size_t i = 0; i < t->count; i++)
        if (fer_str_eq(t->list[i].name, word) || fer_str_is(word, t->list[i].id))
            return &t->list[i];
    return NULL;
}

/* Printable ASCII, so that logs and tables can show it. */
static bool is_label(fer_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] < ' ' || name.ptr[i] >= 0x7F) return false;
    return name.len && name.len <= FER_BEARER_NAME_MAX && name.ptr[0] != ' ' &&
           name.ptr[name.len - 1] != ' ';
}

static bool is_mode(fer_str word)
{
    static const char *const modes[] = {"meta", "tools", "both", "transparent"};
    for (size_t i = 0; i < FER_COUNT(modes); i++)
        if (fer_str_is(word, modes[i])) return true;
    return false;
}

fer_code fer_bearer_check(const fer_bearers *t, const fer_bearer *k, fer_err *err)
{
    if (!is_label(k->name))
        return fer_fail(err, FER_BAD_USAGE,
                        "a token needs a name of 1 to %d printable characters of ASCII, with no "
                        "blank around it",
                        FER_BEARER_NAME_MAX);
    if (find_named(t, k->name) || find_named(t, fer_str_of(k->id)))
        return fer_fail(err, FER_BAD_USAGE, "there is a token '%.*s' already", FER_PRI(k->name));
    if (!k->scope_count || k->scope_count > FER_BEARER_SCOPES_MAX)
        return fer_fail(err, FER_BAD_USAGE, "a token has 1 to %d scopes", FER_BEARER_SCOPES_MAX);
    for (size_t i = 0; i < k->scope_count; i++) {
        fer_code code = fer_access_check(k->scopes[i], err);
        if (code) return code;
    }
    if (k->tenant.len && !is_label(k->tenant))
        return fer_fail(err, FER_BAD_USAGE, "a tenant is 1 to %d printable characters of ASCII",
                        FER_BEARER_NAME_MAX);
    if (k->mode.len && !is_mode(k->mode))
        return fer_fail(err, FER_BAD_USAGE, "a mode is meta, tools, both or transparent");
    if (k->expose_count > FER_BEARER_EXPOSE_MAX)
        return fer_fail(err, FER_BAD_USAGE, "a token exposes at most %d patterns",
                        FER_BEARER_EXPOSE_MAX);
    for (size_t i = 0; i < k->expose_count; i++)
        if (!is_label(k->expose[i]))
            return fer_fail(err, FER_BAD_USAGE, "'%.*s' is no pattern of tools",
                            FER_PRI(fer_str_head(k->expose[i], 100)));
    for (size_t i = 0; i < t->count; i++)
        if (memcmp(t->list[i].hash, k->hash, FER_BEARER_BYTES) == 0)
            return fer_fail(err, FER_BAD_USAGE, "two tokens have the same hash");
    return FER_OK;
}

fer_code fer_bearer_put(fer_bearers *t, const fer_bearer *k, fer_err *err)
{
    if (t->count == FER_BEARERS_MAX)
        return fer_fail(err, FER_LIMIT_EXCEEDED, "tokens.count: there are %d tokens already",
                        FER_BEARERS_MAX);
    fer_bearer *list = fer_arena_room(t->arena, t->list, t->count, &t->cap, sizeof *list);
    if (!list) return fer_arena_failed(t->arena, err);
    t->list = list;
    list[t->count++] = *k;
    return FER_OK;
}

static fer_code copy_texts(fer_arena *a, const fer_str *from, size_t count, const fer_str **out,
                           fer_err *err)
{
    fer_str *to = fer_arena_alloc_zero(a, count + 1, sizeof *to);
    for (size_t i = 0; to && i < count; i++) {
        to[i] = fer_arena_copy(a, from[i]);
        if (!to[i].ptr) return fer_arena_failed(a, err);
    }
    *out = to;
    return to ? FER_OK : fer_arena_failed(a, err);
}

static fer_code copy_wish(fer_arena *a, const fer_bearer_wish *wish, fer_bearer *k, fer_err *err)
{
    static const fer_str all = {"*", 1};
    k->scope_count = wish->scope_count ? wish->scope_count : 1;
    k->expose_count = wish->expose_count;
    k->name = fer_arena_copy(a, wish->name);
    k->tenant = fer_arena_copy(a, wish->tenant);
    k->mode = fer_arena_copy(a, wish->mode);
    if (!k->name.ptr || !k->tenant.ptr || !k->mode.ptr) return fer_arena_failed(a, err);
    fer_code code =
        copy_texts(a, wish->scope_count ? wish->scopes : &all, k->scope_count, &k->scopes, err);
    return code ? code : copy_texts(a, wish->expose, k->expose_count, &k->expose, err);
}

bool fer_bearer_make(char text[FER_BEARER_TEXT])
{
    uint8_t random[FER_BEARER_BYTES];
    if (fer_sys_random(random, sizeof random)) return false;
    memcpy(text, PREFIX, sizeof PREFIX);
    write_base64url(random, FER_BEARER_BYTES, text + sizeof PREFIX - 1);
    OPENSSL_cleanse(random, sizeof random);
    return true;
}

/* The number of a token is random like itself, and no part of it. */
static bool make_secret(fer_bearer *k, char text[FER_BEARER_TEXT])
{
    uint8_t random[(FER_BEARER_ID - 1) / 2];
    if (fer_sys_random(random, sizeof random) || !fer_bearer_make(text)) return false;
    for (size_t i = 0; i < FER_BEARER_ID - 1; i++)
        k->id[i] = "0123456789abcdef"[random[i / 2] >> (i % 2 ? 0 : 4) & 15];
    k->id[FER_BEARER_ID - 1] = '\0';
    fer_digest_text(fer_str_of(text), k->hash);
    return true;
}

fer_code fer_bearers_add(fer_bearers *t, const fer_bearer_wish *wish, int64_t now,
                         char text[FER_BEARER_TEXT], fer_err *err)
{
    fer_bearer k = {.created = now, .expires = wish->expires};
    if (wish->expires && wish->expires <= now)
        return fer_fail(err, FER_BAD_USAGE, "the token would be over before it begins");
    if (!make_secret(&k, text))
        return fer_fail(err, FER_INTERNAL, "the system has no random bytes");
    fer_code code = copy_wish(t->arena, wish, &k, err);
    if (!code) code = fer_bearer_check(t, &k, err);
    if (!code) code = fer_bearer_put(t, &k, err);
    if (code) OPENSSL_cleanse(text, FER_BEARER_TEXT);
    return code;
}

bool fer_bearers_remove(fer_bearers *t, fer_str id_or_name)
{
    const fer_bearer *k = find_named(t, id_or_name);
    if (!k) return false;
    size_t at = (size_t)(k - t->list);
    memmove(&t->list[at], &t->list[at + 1], (t->count - at - 1) * sizeof *t->list);
    t->count--;
    return true;
}

/* ---- finding -------------------------------------------------------------------------------- */

const fer_bearer *fer_bearers_find_hash(const fer_bearers *t, const uint8_t hash[FER_BEARER_BYTES],
                                        int64_t now)
{
    const fer_bearer *found = NULL;
    for (size_t i = 0; i < t->count; i++)
        if (CRYPTO_memcmp(hash, t->list[i].hash, FER_BEARER_BYTES) == 0) found = &t->list[i];
    return found && (!found->expires || now < found->expires) ? found : NULL;
}

const fer_bearer *fer_bearers_find(const fer_bearers *t, fer_str token, int64_t now)
{
    uint8_t hash[FER_BEARER_BYTES];
    fer_digest_text(token, hash);
    return token.len ? fer_bearers_find_hash(t, hash, now) : NULL;
}
