/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of tokens: what bearer_tokens.c and bearer_file.c share. */
#ifndef FER_BEARER_PARTS_H
#define FER_BEARER_PARTS_H

#include "bearer_tokens.h"

/* Whether a token is as it should be and can stand beside those that are there. */
fer_code fer_bearer_check(const fer_bearers *t, const fer_bearer *k, fer_err *err);
/* Adds it as it is. */
fer_code fer_bearer_put(fer_bearers *t, const fer_bearer *k, fer_err *err);

#endif
