/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of other programs, made fit to be shown. */
#ifndef FER_PLAIN_TEXT_H
#define FER_PLAIN_TEXT_H

#include "buf.h"

/* Adds bytes as UTF-8: each one that is not becomes U+FFFD. */
void fer_text_mend(fer_buf *b, fer_str bytes);
/*
 * The same, without what acts on a terminal or hides from a reader: escape sequences, control
 * characters but tab and newline, zero-width and direction marks, tags.
 */
void fer_text_clean(fer_buf *b, fer_str bytes);
/* The last `max` bytes or a little less, so that no character is cut. */
fer_str fer_text_tail(fer_str s, size_t max);

#endif
