/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags, one per line. What must hold: normalised tags are few, short, not empty, of the
 * tags' alphabet and all different; and normalising them again changes nothing.
 */
#include <ferrule/contract.h>

#include "fuzz.h"

#define MAX_LINES 64

static void check_tag(fer_str tag)
{
    HOLDS(tag.len > 0 && tag.len <= FER_TAG_MAX);
    for (size_t i = 0; i < tag.len; i++) {
        char c = tag.ptr[i];
        HOLDS((c >= 'a' && c <= 'z') || fer_is_digit(c) || c == '-' || c == '_' || c == '.');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str rest = fuzz_text(data, size), lines[MAX_LINES], *tags, *again;
    size_t count = 0, kept, kept_again;
    fer_arena *a = fuzz_arena();
    while (rest.ptr && count < MAX_LINES) lines[count++] = fuzz_until(&rest, '\n');
    HOLDS(fer_tags_normalise(a, lines, count, &tags, &kept, NULL) == FER_OK);
    HOLDS(kept <= FER_TAGS_MAX && kept <= count);
    for (size_t i = 0; i < kept; i++) {
        check_tag(tags[i]);
        for (size_t k = 0; k < i; k++) HOLDS(!fer_str_eq(tags[i], tags[k]));
    }
    HOLDS(fer_tags_normalise(a, tags, kept, &again, &kept_again, NULL) == FER_OK);
    HOLDS(kept == kept_again);
    for (size_t i = 0; i < kept; i++) HOLDS(fer_str_eq(tags[i], again[i]));
    fer_arena_free(a);
    return 0;
}
