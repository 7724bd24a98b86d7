/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of the tools of a set, for the rules that look at all of them. Pure. */
#ifndef FER_QUALITY_SET_H
#define FER_QUALITY_SET_H

#include "quality.h"

#define FER_Q_NAMES    1000 /* names of a set that are compared for likeness */
#define FER_Q_TOKENS   64   /* different words of a description that are kept */
#define FER_Q_GROUP    64   /* tools with the same required parameters that are compared */
#define FER_Q_MENTIONS 16   /* identifiers in one description that may name tools */

typedef struct fer_noted {
    fer_mark at; /* its name */
    fer_str ns, name;
    fer_str server;    /* whose tool it is: its namespace, else the source */
    uint64_t required; /* of the required parameters, in any order */
    uint32_t *words;   /* of the description: hashes, in order, no repeats */
    size_t word_count;
    bool cut;      /* there were more words: only the same text is alike */
    uint64_t text; /* hash of the whole description */
    fer_str *mentions;
    size_t mention_count;
    bool alike; /* was named in a finding about likeness already */
} fer_noted;

typedef struct fer_noted_set {
    fer_noted *list;
    size_t count, cap;
} fer_noted_set;

/* The rules, a file for each subject. */
void fer_q_set_names(fer_pass_set *p, fer_noted_set *s);
void fer_q_set_overlap(fer_pass_set *p, fer_noted_set *s);
void fer_q_set_shadowing(fer_pass_set *p, fer_noted_set *s);

/* The hash of a word in lower case. */
uint32_t fer_q_word_hash(fer_str word);
/* The same with an s behind it. */
uint32_t fer_q_plural_hash(fer_str word);

#endif
