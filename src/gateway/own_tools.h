/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tools of a server single tenants are shown, where each has a token for it (oauth.tokens).
 * The catalogue has one definition for each tool. What a tenant sees of it, and may call, is what
 * its own token is shown by `tools/list`: tools of that name whose definition says the
 * same, however it is written, or is the one that is held back in favour of it. A tool that it is
 * shown otherwise is in the catalogue once more, for this tenant alone (catalog/own_id.h), and that
 * is what it sees then, under the name that everybody knows. The stages `resolve` and `authorize`
 * and all that lists or searches ask this by sight.h.
 *
 * Which of them an owner sees, by what its list says of the tool: the catalogue's, where that says
 * the same; its own, where that does, or is served while what the list says is held back; the
 * catalogue's, where what the list says is held back there; else none.
 *
 * The life of a list: asked for in the tenant's own session when one of its clients first comes
 * (fer_own_tools_wake) -> good: kept in memory, asked for again when the server says that it has
 * changed, and by who comes when it is older than FER_OWN_GOOD_MS -> let go, where there are too
 * many. One that cannot be had shows nothing, and a sentence says why: that nobody has logged in,
 * for one. What was good stays good where the server is away; it does not where the server refuses
 * the token.
 *
 * A tool that only tenants are shown is in the catalogue, too (station/station_own.c): whoever
 * calls with the operator's token does not see it, once it is known what that is shown.
 *
 * One list is under way for an owner and a server at a time; the MCP client has its deadline.
 * Nothing of it is kept beyond the process. Belongs to the thread of the loop.
 */
#ifndef FER_OWN_TOOLS_H
#define FER_OWN_TOOLS_H

#include <ferrule/gateway.h>

#include "map.h"
#include "runner.h"

#define FER_OWN_OWNERS   1000               /* owners of whom the list of one server is kept */
#define FER_OWN_BYTES    ((size_t)64 << 20) /* bytes of those */
#define FER_OWN_EACH     256                /* bytes that a tool counts for, beside its ID */
#define FER_OWN_GOOD_MS  600000             /* after which a list is asked for again */
#define FER_OWN_AGAIN_MS 1000               /* between two lists of one owner */

struct fer_body;
struct fer_entry;
typedef struct fer_own_tools fer_own_tools;

/* A list has come that is not as the last one, or has failed otherwise than the last one. */
typedef struct fer_own_news {
    fer_runner *runner;
    const fer_token_owner *owner;
    fer_str mark;    /* that stands for the owner in IDs (own_id.h) */
    fer_code code;   /* FER_OK: it has come */
    fer_str json;    /* the list */
    const char *why; /* of a failure */
} fer_own_news;

/* A server is served, or is not any more; nothing where all share one token. */
fer_code fer_own_tools_add(fer_gateway *g, fer_runner *r, fer_err *err);
void fer_own_tools_remove(fer_gateway *g, const fer_runner *r);
/* The gateway ends: no list counts any more, before runners are stopped; its timer, after. */
void fer_own_tools_stop(fer_gateway *g);
void fer_own_tools_close(fer_gateway *g);
/* A server has told an owner that its tools have changed. */
void fer_own_tools_changed(fer_gateway *g, const fer_runner *r, const fer_token_owner *owner);
/* Lists are asked for and told once more that nobody took, and those with a tool of which a view
 * (or NULL) has nothing that its owner sees. */
void fer_own_tools_ask_again(fer_gateway *g, const fer_runner *r, const fer_view *v);
/* It has refused the token of a caller: what it shows to it is asked for again. */
void fer_own_tools_refused(fer_gateway *g, const fer_runner *r, const fer_caller *who);

/* Who is told of lists: one who keeps the catalogue in step, before they count, and says whether he
 * took it, and one who serves clients, after. NULL: nobody. */
void fer_gateway_on_own_tools(fer_gateway *g, bool (*tell)(void *context, const fer_own_news *n),
                              void *context);
void fer_gateway_on_own_known(fer_gateway *g, void (*tell)(void *context), void *context);

/* What the operator's token is shown of a server: the IDs are the keys of a map. */
fer_code fer_own_tools_take_operators(fer_gateway *g, const fer_runner *r, const fer_map *ids,
                                      fer_err *err);
/* Whether the operator is shown a tool; `unknown`: where nobody knows yet. */
bool fer_own_tools_is_operators(const fer_gateway *g, const fer_runner *r, fer_str id,
                                bool unknown);
/* Whether any tenant is shown a tool by what is kept: of this definition, or (NULL) of any. */
bool fer_own_tools_is_shown(const fer_gateway *g, const fer_runner *r, fer_str id,
                            const struct fer_body *tool);

/* Whether there is a server that may show this caller (NULL: the operator) less than there is. */
bool fer_own_tools_concern(const fer_gateway *g, const fer_caller *who);
/* Asks for the lists of a caller that are not there, or old; whether somebody who wants to know has
 * to wait. */
bool fer_own_tools_wake(fer_gateway *g, const fer_caller *who);
bool fer_own_tools_awaits(const fer_gateway *g, const fer_caller *who);
/* Whether anybody has to; nobody does any more who has waited for `wait_ms`. */
bool fer_own_tools_pending(const fer_gateway *g);
void fer_own_tools_give_up(fer_gateway *g, int64_t now, int64_t wait_ms);

/* Whether a caller is shown a tool of the catalogue. */
bool fer_own_tools_shows(const fer_gateway *g, const fer_caller *who, const struct fer_body *tool);
/* The entry of a view that a caller, of a tool that a server shows to him otherwise than the
 * catalogue has it, sees in place of that; NULL: there is none, and the catalogue's counts. `id` is
 * the tool's, as everybody says it. */
struct fer_entry *fer_own_tools_variant(const fer_gateway *g, const fer_caller *who,
                                        const fer_view *v, fer_str id);
/* Whether an entry of a view that is for one owner alone is of use still: to the owner, or, unless
 * there is no room (`full`), when he comes again. */
bool fer_own_tools_wants(const fer_gateway *g, const fer_runner *r, const fer_view *v,
                         struct fer_entry *e, bool full);
/* Another number for each state of what a caller is shown; 0 where that is all there is. */
uint64_t fer_own_tools_stamp(const fer_gateway *g, const fer_caller *who);
/* Whether two definitions say the same. */
bool fer_own_tools_same(const struct fer_body *x, const struct fer_body *y);
/* Why nothing of a server is shown to a caller; FER_OK: it is. */
fer_code fer_own_tools_why(const fer_gateway *g, const fer_caller *who, fer_str server,
                           fer_err *err);
/* The same for the next server of which nothing is shown, from `*at` = 0 on; `*server` is its name.
 * FER_OK: there are no more. */
fer_code fer_own_tools_why_next(const fer_gateway *g, const fer_caller *who, size_t *at,
                                fer_str *server, fer_err *err);
/* How many owners a server has of whom something is kept. */
size_t fer_own_tools_owners(const fer_gateway *g, const fer_runner *r);
/* Other limits than FER_OWN_OWNERS and FER_OWN_BYTES. */
void fer_own_tools_limit(fer_gateway *g, size_t owners, size_t bytes);

#endif
