/* SPDX-License-Identifier: Apache-2.0 */
/* Names of secrets: password, apiKey, accessToken, but not pageToken or primaryKey. Pure. */
#ifndef FER_Q_SECRET_H
#define FER_Q_SECRET_H

#include "words.h"

bool fer_is_secret_name(const fer_name_words *w);

#endif
