/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets are never written into a configuration, only where they are: secretref:env:NAME, a
 * variable of this process, or secretref:file:PATH, a file of one line that only its owner and
 * group may read. A reference may stand behind other text and a blank: "Bearer
 * secretref:env:TOKEN".
 *
 * No message holds a secret, or anything else of what was read. Results live in the arena.
 */
#ifndef FER_SECRET_H
#define FER_SECRET_H

#include "arena.h"

#define FER_SECRET_MAX 65536 /* bytes of a secret */

/* Where the reference in a text begins; SIZE_MAX: there is none. */
size_t fer_secret_find(fer_str text);
/* Whether a text names a secret anywhere, also where it would not be resolved. */
bool fer_secret_named(fer_str text);
/* FER_BAD_USAGE: the text has a reference that is none, or where none is resolved. */
fer_code fer_secret_check(fer_str text, fer_err *err);
/*
 * The text with its reference replaced by the secret; a text without one is given as it is. A
 * relative path counts from `folder`. FER_FORBIDDEN: the file may be read by anybody, or is no
 * file; FER_BAD_USAGE: there is no such variable, or what there is has more than one line.
 */
fer_code fer_secret_resolve(fer_arena *a, fer_str text, fer_str folder, fer_str *out, fer_err *err);

/* What is to be done about a reference that leads nowhere. */
const char *fer_secret_advice(fer_str text);

/* Whether a value that somebody wrote as it is looks like a secret, by its name or by itself. */
bool fer_secret_looks(fer_str name, fer_str value);
/* The same by the value alone. */
bool fer_secret_shows(fer_str value);
/* The same of an argument: by itself, behind its option's `=`, or behind the option `before` it. */
bool fer_secret_in_argument(fer_str before, fer_str argument);
/* The same of the query of a URL. */
bool fer_secret_in_url(fer_str url);

#endif
