/* SPDX-License-Identifier: Apache-2.0 */
#include "access.h"

#include "effect.h"
#include "errors.h"
#include "str.h"

enum scope_kind {
    SCOPE_ALL,
    SCOPE_TOOL,
    SCOPE_NAMESPACE,
    SCOPE_EFFECT,
    SCOPE_NAMED,
    SCOPE_OTHER
};

static const char *const prefixes[] = {[SCOPE_TOOL] = "tool:",
                                       [SCOPE_NAMESPACE] = "namespace:",
                                       [SCOPE_EFFECT] = "effect:",
                                       [SCOPE_NAMED] = "scope:"};

/* The kind of a scope, and what is behind its colon. */
static enum scope_kind take_apart(fer_str scope, fer_str *rest)
{
    *rest = scope;
    if (fer_str_is(scope, "*")) return SCOPE_ALL;
    for (int kind = SCOPE_TOOL; kind <= SCOPE_NAMED; kind++) {
        if (!fer_str_starts(scope, prefixes[kind])) continue;
        *rest = fer_str_slice(scope, strlen(prefixes[kind]), scope.len);
        return (enum scope_kind)kind;
    }
    return SCOPE_OTHER;
}

/* ---- as they are written ----------------------------------------------------------------------
 */

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

static bool is_printable(fer_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] >= 0x7F) return false;
    return s.len > 0;
}

fer_code fer_access_check(fer_str scope, fer_err *err)
{
    fer_str rest;
    fer_effect effect;
    bool good = false;
    switch (take_apart(scope, &rest)) {
    case SCOPE_ALL: good = true; break;
    case SCOPE_TOOL: good = is_name(rest, 1); break;
    case SCOPE_NAMESPACE: good = is_name(rest, 0); break;
    case SCOPE_EFFECT: good = fer_effect_parse(rest, &effect); break;
    case SCOPE_NAMED: good = is_printable(rest); break;
    case SCOPE_OTHER: break;
    }
    if (good && scope.len <= FER_ACCESS_SCOPE_MAX) return FER_OK;
    return fer_fail(err, FER_BAD_USAGE,
                    "'%.*s' is not a scope; write *, tool:ID, namespace:NAME, effect:EFFECT (Pure, "
                    "IdempotentWrite, NonIdempotentWrite, ExternalSideEffects) or scope:NAME",
                    FER_PRI(fer_str_head(scope, 100)));
}

/* ---- as they are asked ------------------------------------------------------------------------
 */

/* "namespace:name", or "name" of a tool without namespace. */
static bool is_tool(fer_str id, fer_str ns, fer_str name)
{
    if (!ns.len) return fer_str_eq(id, name);
    return id.len == ns.len + 1 + name.len && id.ptr[ns.len] == ':' &&
           fer_str_eq(fer_str_slice(id, 0, ns.len), ns) &&
           fer_str_eq(fer_str_slice(id, ns.len + 1, id.len), name);
}

static bool has_kind(const fer_texts *scopes, enum scope_kind from, enum scope_kind to)
{
    fer_str rest;
    for (size_t i = 0; i < scopes->count; i++) {
        enum scope_kind kind = take_apart(scopes->list[i], &rest);
        if (kind >= from && kind <= to) return true;
    }
    return false;
}

bool fer_access_by_effect(const fer_texts *scopes)
{
    return has_kind(scopes, SCOPE_EFFECT, SCOPE_EFFECT);
}

bool fer_access_opens(const fer_texts *scopes)
{
    return has_kind(scopes, SCOPE_ALL, SCOPE_NAMESPACE);
}

bool fer_access_narrows(const fer_texts *scopes)
{
    if (fer_access_by_effect(scopes)) return true;
    return !has_kind(scopes, SCOPE_ALL, SCOPE_ALL) && has_kind(scopes, SCOPE_TOOL, SCOPE_NAMESPACE);
}

static bool fits_effect(const fer_texts *scopes, fer_effect effect)
{
    bool named = false, fits = false;
    fer_str rest;
    for (size_t i = 0; i < scopes->count; i++) {
        if (take_apart(scopes->list[i], &rest) != SCOPE_EFFECT) continue;
        named = true;
        fits = fits || fer_str_is(rest, fer_effect_name(effect));
    }
    return fits || !named;
}

/* `name` NULL: nothing but the namespace is asked about. */
static bool fits_place(const fer_texts *scopes, fer_str ns, const fer_str *name)
{
    bool named = false, fits = false;
    fer_str rest;
    for (size_t i = 0; i < scopes->count; i++) {
        enum scope_kind kind = take_apart(scopes->list[i], &rest);
        if (kind > SCOPE_NAMESPACE) continue;
        named = true;
        fits = fits || kind == SCOPE_ALL ||
               (kind == SCOPE_TOOL && name && is_tool(rest, ns, *name)) ||
               (kind == SCOPE_NAMESPACE && ns.len && fer_str_eq(rest, ns));
    }
    return fits || !named;
}

bool fer_access_allows(const fer_texts *scopes, fer_str ns, fer_str name, fer_effect effect)
{
    return fits_place(scopes, ns, &name) && fits_effect(scopes, effect);
}

bool fer_access_reads(const fer_texts *scopes, fer_str ns)
{
    return fits_place(scopes, ns, NULL) && fits_effect(scopes, FER_EFFECT_PURE);
}

bool fer_access_names(const fer_texts *scopes, fer_str name)
{
    fer_str rest;
    for (size_t i = 0; i < scopes->count; i++) {
        bool named = take_apart(scopes->list[i], &rest) == SCOPE_NAMED;
        if ((named && fer_str_eq(rest, name)) || fer_str_eq(scopes->list[i], name)) return true;
    }
    return false;
}

bool fer_access_has(const fer_texts *scopes, fer_str wanted)
{
    return has_kind(scopes, SCOPE_ALL, SCOPE_ALL) || fer_access_names(scopes, wanted);
}
