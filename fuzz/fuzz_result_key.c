/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of results: two JSON texts, a line each. What must hold: the keys are the same exactly where
 * the values are equal (fer_json_equal compares numbers exactly), and the canonical text of a value
 * has the value's key.
 */
#include "fuzz.h"
#include "json_doc.h"
#include "result_cache.h"

static fer_result_key key_of(fer_arena *a, const fer_json *doc)
{
    fer_result_key k;
    fer_result_of of = {.tool = FER_STR("t"), .input = fer_json_root(doc)};
    HOLDS(!fer_result_key_of(a, &of, &k, NULL));
    return k;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str rest = fuzz_text(data, size), first = fuzz_until(&rest, '\n');
    fer_arena *a = fuzz_arena();
    fer_json *x, *y;
    bool equal;
    if (!fer_json_read(a, first, NULL, &x, NULL) && !fer_json_read(a, rest, NULL, &y, NULL)) {
        fer_result_key kx = key_of(a, x), ky = key_of(a, y);
        HOLDS(!fer_json_equal(a, fer_json_root(x), fer_json_root(y), &equal, NULL));
        HOLDS(equal == (memcmp(&kx, &ky, sizeof kx) == 0));
    }
    fer_arena_free(a);
    return 0;
}
