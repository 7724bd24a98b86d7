/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that keep the same company: "movie" and "tv", "delete" and "remove". Those that are near
 * each other in the built-in model (tools/make-related), as a table of their own. Any word of the
 * model may have some; those that it is led to are common ones of tools. All words are stems, as
 * tokens are. Pure.
 */
#ifndef FER_RELATED_H
#define FER_RELATED_H

#include "str.h"

#define FER_RELATED_NONE UINT32_MAX
#define FER_RELATED_MOST 10 /* words that are like one */

typedef struct fer_related_link {
    uint16_t word;
    uint8_t likeness; /* of 100 */
} fer_related_link;

/* How many words are linked to by others: they are numbered from 0, those that none leads to
 * behind them. */
uint32_t fer_related_count(void);
/* The number of a stem, or FER_RELATED_NONE. */
uint32_t fer_related_find(fer_str stem);
fer_str fer_related_text(uint32_t word);
/* Asks for what the next one needs, where it is going to be asked. */
void fer_related_fetch(uint32_t word);
/* The words that are like it, the most alike first. FER_RELATED_MOST can be read, whatever their
 * count: those behind it are not its own. */
const fer_related_link *fer_related_links(uint32_t word, size_t *count);

#endif
