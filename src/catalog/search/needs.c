/* SPDX-License-Identifier: Apache-2.0 */
#include "needs.h"

#define WEIGHT_MIN 15 /* for a need to stand alone: three words that say something, or 15 signs */

static unsigned weight_of(const fer_wording_word *w)
{
    static const uint8_t weights[] = {
        [FER_TOKEN_WORD] = 5, [FER_TOKEN_NUMBER] = 5, [FER_TOKEN_SIGN] = 1, [FER_TOKEN_PAIR] = 0};
    return weights[w->kind] & (0U - (w->use == FER_TOKEN_CONTENT));
}

/* What is too short at the end goes with what comes before it. */
void fer_needs_cut(fer_needs *n, const fer_wording *request)
{
    size_t first = 0;
    unsigned weight = 0;
    n->count = 0;
    for (size_t i = 0; i < request->count; i++) {
        const fer_wording_word *w = &request->words[i];
        if (w->border == FER_BORDER_SENTENCE && weight >= WEIGHT_MIN &&
            n->count + 1 < FER_NEEDS_MAX) {
            n->list[n->count++] = (fer_need){first, i};
            first = i;
            weight = 0;
        }
        weight += weight_of(w);
    }
    if (weight >= WEIGHT_MIN || !n->count) n->list[n->count++] = (fer_need){first, 0};
    n->list[n->count - 1].end = request->count;
    if (!request->count) n->count = 0;
}

fer_str fer_need_text(const fer_wording *request, const fer_need *need)
{
    assert(need->first < need->end && need->end <= request->count);
    return fer_str_slice(request->text, request->words[need->first].start,
                         request->words[need->end - 1].end);
}
