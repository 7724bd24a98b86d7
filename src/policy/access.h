/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a caller may use, by its scopes. A scope is one of
 *     *               every tool, and whatever scopes a tool asks for
 *     tool:ID         one tool, named "name" or "namespace:name"
 *     namespace:NAME  the tools of a namespace, and what else its server has
 *     effect:EFFECT   only tools of this effect, or of another that is also named: Pure,
 *                     IdempotentWrite, NonIdempotentWrite, ExternalSideEffects
 *     scope:NAME      a scope that tools ask for by name (requiredScopes)
 * A call is allowed if one of the first three fits, or none of them is given, and one of the
 * effects fits, or none is given. Any other text is a scope that tools may ask for, and no more.
 * Texts are compared whole. Pure.
 */
#ifndef FER_ACCESS_H
#define FER_ACCESS_H

#include <ferrule/catalog.h>

#define FER_ACCESS_SCOPE_MAX 300 /* bytes of a scope that is written down */

/* FER_BAD_USAGE: it is none of the five. */
fer_code fer_access_check(fer_str scope, fer_err *err);

/* Whether some tool could be out of reach: where not, nothing needs to be asked. */
bool fer_access_narrows(const fer_texts *scopes);
/* Whether the effect of a tool matters. */
bool fer_access_by_effect(const fer_texts *scopes);
/* Whether a tool may be called. */
bool fer_access_allows(const fer_texts *scopes, fer_str ns, fer_str name, fer_effect effect);
/* Whether what a server has beside tools (resources, prompts) may be read. */
bool fer_access_reads(const fer_texts *scopes, fer_str ns);
/* Whether one of them opens a place at all: *, a tool or a namespace. */
bool fer_access_opens(const fer_texts *scopes);
/* Whether a scope is there by its name, with or without "scope:" before it. */
bool fer_access_names(const fer_texts *scopes, fer_str name);
/* Whether it has a scope that a tool asks for. */
bool fer_access_has(const fer_texts *scopes, fer_str wanted);

#endif
