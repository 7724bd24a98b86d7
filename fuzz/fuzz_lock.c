/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lock files. What must hold: a text is a lock or is refused with a reason; every tool at
 * hand and every line of the lock is told of at most once; and verifying twice says the same.
 */
#include <ferrule/evolve.h>

#include "fuzz.h"

static const char tools[] =
    "[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"namespace\":\"n\",\"name\":\"b\",\"version\":\"1.0.0\",\"inputSchema\":{\"type\":\"object\"}}]";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    fer_arena *a = fuzz_arena();
    fer_toolset *set = fer_toolset_new();
    fer_err err = {0};
    fer_lock_entry *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    bool broken = false, again = false;
    HOLDS(set && !fer_toolset_add(set, FER_STR("t"), fer_str_of(tools), FER_FORMAT_JSON, &err));
    fer_code code = fer_lock_verify(a, text, set, &x, &nx, &broken, &err);
    if (code) {
        HOLDS(err.code == code && err.message[0]);
    } else {
        HOLDS(fer_lock_verify(a, text, set, &y, &ny, &again, &err) == FER_OK);
        HOLDS(nx == ny && broken == again && nx <= size + 2);
        for (size_t i = 0; i < nx; i++)
            HOLDS(x[i].state == y[i].state && fer_str_eq(x[i].id, y[i].id) && x[i].id.len);
    }
    fer_toolset_free(set);
    fer_arena_free(a);
    return 0;
}
