/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens as values: made, found, asked. The file is in bearer_file.c. */
#include "bearer_parts.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>

#include "errors.h"
#include "sys.h"

#define PREFIX "fer_"

/* ---- scopes --------------------------------------------------------------------------------- */

enum scope_kind {
    SCOPE_ALL,
    SCOPE_TOOL,
    SCOPE_NAMESPACE,
    SCOPE_EFFECT,
    SCOPE_NONE
};

static const char *const prefixes[] = {
    [SCOPE_TOOL] = "tool:", [SCOPE_NAMESPACE] = "namespace:", [SCOPE_EFFECT] = "effect:"};

/* The kind of a scope, and what is behind its colon. */
static enum scope_kind take_apart(fer_str scope, fer_str *rest)
{
    *rest = FER_STR_NONE;
    if (fer_str_is(scope, "*")) return SCOPE_ALL;
    for (int kind = SCOPE_TOOL; kind <= SCOPE_EFFECT; kind++) {
        if (!fer_str_starts(scope, prefixes[kind])) continue;
        *rest = fer_str_slice(scope, strlen(prefixes[kind]), scope.len);
        return (enum scope_kind)kind;
    }
    return SCOPE_NONE;
}

/* Names of tools and namespaces; `colons` says how many may part them. */
static bool is_name(fer_str s, size_t colons)
{
    size_t part = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == ':') {
            if (!part || !colons--) return false;
            part = 0;
        } else {
            if (c <= ' ' || c >= 0x7F || c == '*') return false;
            part++;
        }
    }
    return part > 0;
}

static bool is_effect(fer_str s)
{
    for (int e = FER_EFFECT_PURE; e <= FER_EFFECT_EXTERNAL_SIDE_EFFECTS; e++)
        if (fer_str_is(s, fer_effect_name((fer_effect)e))) return true;
    return false;
}

fer_code fer_bearer_scope_check(fer_str scope, fer_err *err)
{
    fer_str rest;
    bool good = false;
    switch (take_apart(scope, &rest)) {
    case SCOPE_ALL: good = true; break;
    case SCOPE_TOOL: good = is_name(rest, 1); break;
    case SCOPE_NAMESPACE: good = is_name(rest, 0); break;
    case SCOPE_EFFECT: good = is_effect(rest); break;
    case SCOPE_NONE: break;
    }
    if (good && scope.len <= FER_BEARER_SCOPE_MAX) return FER_OK;
    return fer_fail(
        err, FER_BAD_USAGE,
        "'%.*s' is not a scope; write *, tool:ID, namespace:NAME or effect:EFFECT (Pure, "
        "IdempotentWrite, NonIdempotentWrite, ExternalSideEffects)",
        FER_PRI(fer_str_head(scope, 100)));
}

/* "namespace:name", or "name" of a tool without namespace. */
static bool is_tool(fer_str id, fer_str namespace, fer_str name)
{
    if (!namespace.len) return fer_str_eq(id, name);
    return id.len == namespace.len + 1 + name.len && id.ptr[namespace.len] == ':' &&
           fer_str_eq(fer_str_slice(id, 0, namespace.len), namespace) &&
           fer_str_eq(fer_str_slice(id, namespace.len + 1, id.len), name);
}

bool fer_bearer_allows(const fer_bearer *token, fer_str namespace, fer_str name, fer_effect effect)
{
    bool tools_named = false, tool = false, effects_named = false, fits = false;
    for (size_t i = 0; i < token->scope_count; i++) {
        fer_str rest;
        enum scope_kind kind = take_apart(token->scopes[i], &rest);
        if (kind == SCOPE_EFFECT) {
            effects_named = true;
            fits = fits || fer_str_is(rest, fer_effect_name(effect));
            continue;
        }
        tools_named = true;
        tool = tool || kind == SCOPE_ALL ||
               (kind == SCOPE_TOOL && is_tool(rest, namespace, name)) ||
               (kind == SCOPE_NAMESPACE && namespace.len && fer_str_eq(rest, namespace));
    }
    return token->scope_count && (tool || !tools_named) && (fits || !effects_named);
}

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

static bool hash_of(fer_str token, uint8_t out[FER_BEARER_BYTES])
{
    unsigned len = 0;
    return EVP_Digest(token.ptr, token.len, out, &len, EVP_sha256(), NULL) == 1 &&
           len == FER_BEARER_BYTES;
}

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
        fer_code code = fer_bearer_scope_check(k->scopes[i], err);
        if (code) return code;
    }
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

static fer_code copy_scopes(fer_arena *a, const fer_bearer_wish *wish, fer_bearer *k, fer_err *err)
{
    static const fer_str all = {"*", 1};
    const fer_str *from = wish->scope_count ? wish->scopes : &all;
    k->scope_count = wish->scope_count ? wish->scope_count : 1;
    fer_str *to = fer_arena_alloc_zero(a, k->scope_count, sizeof *to);
    for (size_t i = 0; to && i < k->scope_count; i++) {
        to[i] = fer_arena_copy(a, from[i]);
        if (!to[i].ptr) return fer_arena_failed(a, err);
    }
    k->scopes = to;
    return to ? FER_OK : fer_arena_failed(a, err);
}

/* The number of a token is random like itself, and no part of it. */
static bool make_secret(fer_bearer *k, char text[FER_BEARER_TEXT])
{
    uint8_t random[FER_BEARER_BYTES + (FER_BEARER_ID - 1) / 2];
    if (fer_sys_random(random, sizeof random)) return false;
    memcpy(text, PREFIX, sizeof PREFIX);
    write_base64url(random, FER_BEARER_BYTES, text + sizeof PREFIX - 1);
    for (size_t i = 0; i < FER_BEARER_ID - 1; i++)
        k->id[i] = "0123456789abcdef"[random[FER_BEARER_BYTES + i / 2] >> (i % 2 ? 0 : 4) & 15];
    k->id[FER_BEARER_ID - 1] = '\0';
    OPENSSL_cleanse(random, sizeof random);
    return hash_of(fer_str_of(text), k->hash);
}

fer_code fer_bearers_add(fer_bearers *t, const fer_bearer_wish *wish, int64_t now,
                         char text[FER_BEARER_TEXT], fer_err *err)
{
    fer_bearer k = {.created = now, .expires = wish->expires};
    if (wish->expires && wish->expires <= now)
        return fer_fail(err, FER_BAD_USAGE, "the token would be over before it begins");
    if (!make_secret(&k, text))
        return fer_fail(err, FER_INTERNAL, "the system has no random bytes");
    k.name = fer_arena_copy(t->arena, wish->name);
    if (!k.name.ptr) return fer_arena_failed(t->arena, err);
    fer_code code = copy_scopes(t->arena, wish, &k, err);
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

const fer_bearer *fer_bearers_find(const fer_bearers *t, fer_str token, int64_t now)
{
    uint8_t hash[FER_BEARER_BYTES];
    const fer_bearer *found = NULL;
    if (!token.len || !hash_of(token, hash)) return NULL;
    for (size_t i = 0; i < t->count; i++)
        if (CRYPTO_memcmp(hash, t->list[i].hash, sizeof hash) == 0) found = &t->list[i];
    return found && (!found->expires || now < found->expires) ? found : NULL;
}
