/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that names of tools begin with, and what a tool of that name does. Pure data. */
#ifndef FER_VERBS_H
#define FER_VERBS_H

#include "words.h"

enum fer_verb {
    FER_VERB_NONE,
    FER_VERB_READ,
    FER_VERB_LIST,
    FER_VERB_SEARCH,
    FER_VERB_CREATE,
    FER_VERB_CHANGE,
    FER_VERB_DELETE,
    FER_VERB_SEND,
    FER_VERB_RUN
};

enum fer_verb fer_verb_find(fer_str word);
/* The first verb of a name, which may stand behind the name of a server (github_create_issue). */
enum fer_verb fer_verb_of(const fer_name_words *name, size_t *at);
/* The words, in order; NULL behind the last. */
const char *fer_verb_at(size_t index);

#endif
