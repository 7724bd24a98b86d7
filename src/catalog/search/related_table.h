/* SPDX-License-Identifier: Apache-2.0 */
/* The words of related.tsv as tables, written by make_related_table.py. */
#ifndef FER_RELATED_TABLE_H
#define FER_RELATED_TABLE_H

#include "related.h"

#define FER_RELATED_SLOTS 65536 /* of the hash table, a power of two */

extern const uint32_t fer_related_linked; /* words that links lead to, which come first */
extern const char fer_related_texts[];
extern const uint32_t fer_related_text_at[]; /* one more than words */
extern const uint16_t fer_related_link_at[]; /* one more than words */
extern const fer_related_link fer_related_link_list[];
extern const uint16_t fer_related_slots[FER_RELATED_SLOTS]; /* word + 1; 0: empty */

#endif
