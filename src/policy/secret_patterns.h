/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the net: what looks like the keys of well-known services. */
#ifndef FER_SECRET_PATTERNS_H
#define FER_SECRET_PATTERNS_H

#include "secret_net.h"

/* Passes bytes on, without what fits a pattern. */
void fer_patterns_feed(fer_net_stream *s, fer_str bytes, fer_buf *out);
/* Passes on what was held back: it was no key. */
void fer_patterns_end(fer_net_stream *s, fer_buf *out);

#endif
