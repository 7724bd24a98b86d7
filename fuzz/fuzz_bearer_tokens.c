/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of bearer tokens. What must hold: bytes are tokens or are refused with a reason; tokens
 * that were read are written so that they are read again, the same; no token is found by its own ID
 * or name, and every scope that was let in is one.
 */
#include "bearer_tokens.h"

#include "access.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_bearers one, two;
    fer_err err = {0};
    fer_str text;
    fer_code code = fer_bearers_read(a, fuzz_text(data, size), &one, &err);
    HOLDS(!code || err.message[0]);
    if (!code) {
        HOLDS(fer_bearers_write(a, &one, &text, &err) == FER_OK);
        HOLDS(fer_bearers_read(a, text, &two, &err) == FER_OK && one.count == two.count);
        for (size_t i = 0; i < one.count; i++) {
            const fer_bearer *k = &one.list[i], *l = &two.list[i];
            HOLDS(fer_str_eq(k->name, l->name) && memcmp(k->hash, l->hash, sizeof k->hash) == 0);
            HOLDS(k->scope_count == l->scope_count && k->scope_count > 0);
            HOLDS(fer_str_eq(k->tenant, l->tenant) && fer_str_eq(k->mode, l->mode));
            HOLDS(k->expose_count == l->expose_count);
            HOLDS(k->created == l->created && k->expires == l->expires);
            HOLDS(!fer_bearers_find(&one, k->name, 0));
            HOLDS(!fer_bearers_find(&one, fer_str_of(k->id), 0));
            for (size_t s = 0; s < k->scope_count; s++)
                HOLDS(fer_access_check(k->scopes[s], NULL) == FER_OK);
        }
    }
    fer_arena_free(a);
    return 0;
}
