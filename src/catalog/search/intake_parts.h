/* SPDX-License-Identifier: Apache-2.0 */
/* How words become numbers of terms (intake_words.c), for who takes documents in (intake.c). */
#ifndef FER_INTAKE_PARTS_H
#define FER_INTAKE_PARTS_H

#include "intake.h"

/* The number of the term of a text, which has zeros behind it. False: no memory. */
bool fer_intake_number(fer_intake *in, fer_str text, uint32_t *out);
/* The term of a word that is new, or (number 0) too long to be remembered; FER_NONE: a stop word.
 * False: no memory. */
bool fer_intake_make_term(fer_intake *in, fer_token *token, uint32_t number, uint32_t *out);
/* Before the first document, where terms are numbered here: stop words are no terms, unless they
 * are the stem of another word. False: no memory. */
bool fer_intake_meet_stopwords(fer_intake *in);
/* The words that wait in the lot become terms, for a document that has room for so many. False: no
 * memory. */
bool fer_intake_look_up(fer_intake *in, size_t room);

#endif
