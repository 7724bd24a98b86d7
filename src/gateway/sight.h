/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a caller may use, and so sees: by its scopes (policy/access.h), by the effect that a call of
 * the tool would have, wherever it may run, and of servers for which each tenant has a token by
 * what the tenant's own is shown (own_tools.h). The stage `authorize` asks, and so does whatever
 * lists or searches: who may not use a tool cannot tell it from one that is not there.
 *
 * A caller of NULL is the operator, who sees everything but what servers show to tenants alone.
 * Belongs to the thread of the loop.
 */
#ifndef FER_SIGHT_H
#define FER_SIGHT_H

#include <ferrule/gateway.h>

#include "runner.h"

struct fer_body;
struct fer_entry;

/* A rule for catalogue's filters: `sight` must outlive the filter, and the gateway and the caller
 * both. `scratch` holds the filter's mark. */
typedef struct fer_sight {
    const fer_gateway *gateway;
    const fer_caller *who;
} fer_sight;
/* Whether anything may be left out for the caller. */
bool fer_sight_is_narrow(const fer_sight *sight);
/* Has a filter take what the caller may use; untouched for one who may use everything. */
fer_code fer_sight_filter(const fer_sight *sight, fer_arena *scratch, fer_filter *out,
                          fer_err *err);
/* One tool. */
bool fer_sight_takes(const void *sight, const struct fer_body *tool);
/* The entry that an ID or alias stands for to the caller: of a tool that a server shows to him
 * alone in this way, that. Whether he may use it is not looked at. */
fer_code fer_sight_find(const fer_sight *sight, const fer_view *v, fer_str id, fer_str constraint,
                        struct fer_entry **out, fer_err *err);
/* The same, if he may use it: the ID that it has in the view, and the one that is shown. What he
 * may not use is not there, in the very words of what is not. */
fer_code fer_sight_look_up(const fer_sight *sight, fer_arena *a, const fer_view *v, fer_str id,
                           fer_str *key, fer_str *shown, fer_err *err);
/* The effect that a call of a tool would have, by its ID in the view; false: there is none. */
bool fer_sight_effect(const fer_gateway *g, const fer_view *v, fer_str id, fer_effect *out);
/* A tool by its ID or alias; false also where there is none. */
bool fer_sight_has(const fer_sight *sight, const fer_view *v, fer_str id);
/* Whether a caller may read what the server of a namespace has beside its tools: resources,
 * prompts, completion. Effects that are named must include Pure. */
bool fer_sight_reads(const fer_caller *who, fer_str ns);

/* Another number for each state of what servers show the caller; 0: to him as to everybody. */
uint64_t fer_sight_stamp(const fer_sight *sight);

/* The server or API of the namespace that an ID names, where the caller's scopes are for such a
 * tool; or NULL. */
fer_runner *fer_sight_runner(const fer_sight *sight, fer_str id);

/* Whether a server or API has not said yet which tools it has: FER_BACKEND_UNAVAILABLE, and a
 * sentence for clients, which has nothing of what ails it. */
fer_code fer_sight_silence(const fer_runner *r, fer_str name, fer_err *err);
/* The next one that is silent, from `*at` = 0 on; `*name` is its namespace. FER_OK: there are no
 * more. What the caller may see of it is not looked at. */
fer_code fer_sight_silent(const fer_gateway *g, size_t *at, fer_str *name, fer_err *err);

/* What is said of a tool that was looked for in vain; `err` has what the catalogue says of it. */
fer_code fer_sight_missing(const fer_sight *sight, fer_str id, fer_err *err);
/* What is said of a tool that is not there, or not for this caller: one text for both. Where the
 * server of its namespace shows the caller nothing at all, whatever is asked for, it is why. */
fer_code fer_sight_not_found(const fer_sight *sight, fer_str id, fer_err *err);

#endif
