/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deterministic automaton as it lies in memory, for those who walk it rather than search
 * with it: regex_dfa.c makes it, regex_lang.c asks what texts it takes. Immutable. Pure.
 */
#ifndef FER_REGEX_DFA_H
#define FER_REGEX_DFA_H

#include "str.h"

enum {
    FER_DFA_DEAD,  /* no match will come */
    FER_DFA_FOUND, /* there was a match */
    FER_DFA_FIRST  /* the state at the start of a text */
};

struct fer_re_dfa {
    uint8_t ascii[128];        /* the class of a character */
    const uint32_t *wide_from; /* where ranges past ASCII begin, in order, from 0x80 on */
    const uint8_t *wide_class;
    size_t wide_count;
    size_t classes;
    const uint8_t *moves;     /* of state FIRST + n: moves[n * classes + class] */
    const uint8_t *match_end; /* of state FIRST + n: whether it matches at the end of the text */
};

/* The class of a code point past ASCII. */
uint8_t fer_re_dfa_wide(const struct fer_re_dfa *d, uint32_t c);

#endif
