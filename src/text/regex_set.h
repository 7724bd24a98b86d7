/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of code points, the letters of the regular-expression engine (regex.h). A set is
 * plain data: ASCII as bits, the rest as sorted ranges that do not touch. The sets that
 * ECMA-262 names (\d, \w, \s, the dot) are constants. Pure.
 */
#ifndef FER_REGEX_SET_H
#define FER_REGEX_SET_H

#include "arena.h"
#include "str.h"

#define FER_CODE_POINT_LAST 0x10FFFFu

typedef struct fer_range {
    uint32_t from;
    uint32_t to; /* inclusive */
} fer_range;

typedef struct fer_set {
    uint64_t ascii[2];
    const fer_range *ranges; /* from 0x80 on */
    size_t count;
} fer_set;

extern const fer_set fer_set_digit; /* [0-9] */
extern const fer_set fer_set_word;  /* [A-Za-z0-9_] */
extern const fer_set fer_set_space; /* WhiteSpace and LineTerminator */
extern const fer_set fer_set_dot;   /* all but LineTerminator */

/* Whether a code point past ASCII is in the set. */
bool fer_set_has_wide(const fer_set *s, uint32_t c);
static inline bool fer_set_has(const fer_set *s, uint32_t c)
{
    if (c < 0x80) return s->ascii[c >> 6] >> (c & 63) & 1;
    return s->count > 0 && fer_set_has_wide(s, c);
}
bool fer_set_equal(const fer_set *x, const fer_set *y);
bool fer_set_disjoint(const fer_set *x, const fer_set *y);
/* The only code point of a set, or UINT32_MAX where it has none or several. */
uint32_t fer_set_only(const fer_set *s);

/*
 * A set that is being made. The life of one: zeroed, with its arena -> adds -> done. The
 * first failed allocation is remembered.
 */
typedef struct fer_set_maker {
    fer_arena *arena;
    uint64_t ascii[2];
    fer_range *ranges;
    size_t count;
    size_t cap;
    bool mixed; /* the ranges are not in order, or touch */
    bool failed;
} fer_set_maker;

void fer_set_add_range(fer_set_maker *m, uint32_t from, uint32_t to);
/* Adds a set, or everything that is not in it. */
void fer_set_add(fer_set_maker *m, const fer_set *s, bool negated);
/*
 * Adds what has a Unicode property: `name` alone is a general category or a binary property,
 * `name` and `value` are as in \p{Script=Greek}. False: there is no such property.
 */
bool fer_set_add_property(fer_set_maker *m, fer_str name, fer_str value, bool negated);
/* Gives back the memory of the ranges where nothing was allocated since. */
void fer_set_forget(fer_set_maker *m);
/* The set, or what is not in it; false without memory. */
FER_MUST_USE bool fer_set_done(fer_set_maker *m, bool negated, fer_set *out);

/* Whether a code point may begin or continue the name of a group. */
bool fer_set_names(uint32_t c, bool first);

#endif
