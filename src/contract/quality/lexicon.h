/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a description speaks of, found in one way over its text: each word that some rule
 * cares about has a row in lexicon.c with the subjects it hints at. A rule asks for a subject
 * first and looks closer only where there is one, so that most texts are read once. Pure.
 */
#ifndef FER_LEXICON_H
#define FER_LEXICON_H

#include "words.h"

enum fer_subject {
    FER_ABOUT_RETURN = 1 << 0,       /* what comes back */
    FER_ABOUT_NULL = 1 << 1,         /* nothing: null, none, absent, omitted */
    FER_ABOUT_EXAMPLE = 1 << 2,      /* e.g., example, such as */
    FER_ABOUT_CHOICE = 1 << 3,       /* one of, either, allowed values */
    FER_ABOUT_JSON = 1 << 4,         /* JSON in a string */
    FER_ABOUT_ID = 1 << 5,           /* an identifier */
    FER_ABOUT_DEFAULT = 1 << 6,      /* a default */
    FER_ABOUT_MOST = 1 << 7,         /* an upper bound */
    FER_ABOUT_LEAST = 1 << 8,        /* a lower bound */
    FER_ABOUT_UNIT = 1 << 9,         /* a unit of measure */
    FER_ABOUT_ORDERS = 1 << 10,      /* words of somebody who gives orders */
    FER_ABOUT_ALL = 1 << 11,         /* all, every */
    FER_ABOUT_CALLER = 1 << 12,      /* who is calling */
    FER_ABOUT_QUERY = 1 << 13,       /* a query language */
    FER_ABOUT_COIN = 1 << 14,        /* tokens that are no secrets: coins, words, syntax */
    FER_ABOUT_PLACEHOLDER = 1 << 15, /* todo, tbd */
    FER_ABOUT_BEFORE = 1 << 16,      /* what is to be done first */
};

typedef struct fer_prose {
    fer_str text;       /* ptr NULL: there is none */
    unsigned subjects;  /* FER_ABOUT_* */
    unsigned words;     /* of letters and digits */
    unsigned sentences; /* that end in . ! ? or a line, the last one included */
    uint64_t starts[4]; /* a bit, by hash, for each two letters that words begin with */
} fer_prose;

void fer_prose_read(fer_prose *p, fer_str text);

/*
 * Where a phrase, in lower case, stands in a text from `from` on: whole words, whatever their
 * case; a blank stands for any run of blanks. SIZE_MAX: nowhere. Of most phrases the starts of
 * the words tell that they are not there.
 */
size_t fer_prose_find(const fer_prose *p, size_t from, const char *phrase);
/* Whether one of the phrases (ended by NULL) is in it; `*which` says which. */
bool fer_prose_has(const fer_prose *p, const char *const *phrases, size_t *which);

/* The same in a part of a text, which is read each time. */
bool fer_text_has(fer_str text, const char *const *phrases, size_t *which);
/* Whether the phrase begins at that very place. */
bool fer_text_has_at(fer_str text, size_t at, const char *phrase);

#endif
