/* SPDX-License-Identifier: Apache-2.0 */
/* The forms in which a secret may be written. Pure. */
#ifndef FER_SECRET_FORMS_H
#define FER_SECRET_FORMS_H

#include "arena.h"

#define FER_SECRET_FORMS 20 /* at most */

/* All of them, each once, in the arena; false: no memory. */
bool fer_secret_forms(fer_arena *a, fer_str secret, fer_str out[FER_SECRET_FORMS], size_t *count);

#endif
