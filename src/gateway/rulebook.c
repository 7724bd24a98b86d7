/* SPDX-License-Identifier: Apache-2.0 */
#include "rulebook.h"

#include "errors.h"

fer_code fer_rulebook_new(fer_str json, fer_rulebook **out, fer_err *err)
{
    fer_arena *a = fer_arena_new(0);
    fer_rulebook *b = a ? fer_arena_alloc_zero(a, 1, sizeof *b) : NULL;
    fer_code code = b ? fer_policy_read(a, json, &b->set, err)
                      : fer_fail(err, FER_OUT_OF_MEMORY, "out of memory");
    if (code) {
        fer_arena_free(a);
        return code;
    }
    b->arena = a;
    b->refs = 1;
    *out = b;
    return FER_OK;
}

fer_rulebook *fer_rulebook_ref(fer_rulebook *b)
{
    b->refs++;
    return b;
}

void fer_rulebook_unref(fer_rulebook *b)
{
    if (b && --b->refs == 0) fer_arena_free(b->arena);
}
