/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call of a tool may change, by whoever may say so: the operator first, then the tool's own
 * record, then the annotations; of an MCP server record and annotations count only where the
 * operator trusts it. Whoever says nothing is taken for the worst. Pure.
 */
#ifndef FER_POLICY_EFFECT_H
#define FER_POLICY_EFFECT_H

#include <ferrule/contract.h>

typedef enum fer_effect_source {
    FER_EFFECT_BY_OPERATOR,
    FER_EFFECT_BY_RECORD,
    FER_EFFECT_BY_ANNOTATIONS,
    FER_EFFECT_BY_DEFAULT
} fer_effect_source;
extern const char *const fer_effect_sources[FER_EFFECT_BY_DEFAULT + 1]; /* "operator" ... */

/* What was said. */
typedef struct fer_effect_said {
    bool has_operator, has_record;
    fer_effect by_operator, by_record;
    bool foreign; /* the record comes from a server, not from a file of the operator's */
    bool trusted; /* and the operator trusts that server */
    bool read_only, idempotent, destructive, open_world; /* hints that are true */
} fer_effect_said;

/* `*source`, where it is asked for, is who decided. */
fer_effect fer_effect_settle(const fer_effect_said *s, fer_effect_source *source);
/* The stricter of two: an invocation, or a second opinion, may only tighten. */
fer_effect fer_effect_stricter(fer_effect one, fer_effect other);
/* The effect of a name such as "Pure"; false: there is none. */
bool fer_effect_parse(fer_str name, fer_effect *out);
/* Takes what a tool's record says: all but the operator's word and the trust. */
void fer_effect_read(const fer_tool *t, fer_effect_said *s);

#endif
