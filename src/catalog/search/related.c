/* SPDX-License-Identifier: Apache-2.0 */
#include "related.h"

#include "related_table.h"
#include "tokens.h"

uint32_t fer_related_count(void)
{
    return fer_related_linked;
}

fer_str fer_related_text(uint32_t word)
{
    uint32_t from = fer_related_text_at[word];
    return (fer_str){fer_related_texts + from, (size_t)(fer_related_text_at[word + 1] - from)};
}

/* As in make_related_table.py: the table is fixed, so nobody can fill a slot's chain. */
static uint32_t slot_of(fer_str s)
{
    static const uint64_t seed[2] = {UINT64_C(0xA0761D6478BD642F), UINT64_C(0xE7037ED1A0B428DB)};
    return (uint32_t)fer_token_hash(s, seed) % FER_RELATED_SLOTS;
}

uint32_t fer_related_find(fer_str stem)
{
    /* The name of a tool, which is no word, begins with a control character (intake.h). */
    if (stem.len > FER_TOKEN_KEY || !stem.len || (unsigned char)stem.ptr[0] < ' ')
        return FER_RELATED_NONE;
    for (uint32_t at = slot_of(stem); fer_related_slots[at]; at = (at + 1) % FER_RELATED_SLOTS) {
        uint32_t word = fer_related_slots[at] - 1U;
        if (fer_str_eq(fer_related_text(word), stem)) return word;
    }
    return FER_RELATED_NONE;
}

void fer_related_fetch(uint32_t word)
{
    __builtin_prefetch(&fer_related_link_at[word]);
}

const fer_related_link *fer_related_links(uint32_t word, size_t *count)
{
    *count = (size_t)(fer_related_link_at[word + 1] - fer_related_link_at[word]);
    return fer_related_link_list + fer_related_link_at[word];
}
