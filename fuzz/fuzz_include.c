/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two schemas, one per line. What must hold: a witness is accepted by the smaller and refused
 * by the larger; what is called included is contradicted by no instance that is sampled from
 * either; and instances are what they are called.
 */
#include <ferrule/schema.h>

#include "fuzz.h"

/* Whether a schema accepts a text; -1: the engine has no answer. */
static int accepts(fer_arena *a, const fer_schema *s, fer_str json)
{
    fer_json *doc;
    fer_err err;
    bool valid;
    HOLDS(!fer_json_read(a, json, fer_json_limits_file(), &doc, &err));
    return fer_schema_accepts(s, a, fer_json_root(doc), &valid, &err) ? -1 : valid;
}

static void sample(fer_arena *a, const fer_schema *from, const fer_schema *smaller,
                   const fer_schema *larger)
{
    fer_sample_options o = {.max = 20, .steps = 20000, .near_misses = true};
    fer_specimen *list;
    size_t count;
    fer_err err;
    HOLDS(!fer_schema_samples(a, from, &o, &list, &count, &err));
    for (size_t i = 0; i < count; i++) {
        HOLDS(accepts(a, from, list[i].json) == (list[i].valid ? 1 : 0));
        HOLDS(!(accepts(a, smaller, list[i].json) == 1 && accepts(a, larger, list[i].json) == 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str text = fuzz_text(data, size);
    size_t line = fer_str_find(text, 0, '\n');
    fer_schema *x = NULL, *y = NULL;
    fer_included got;
    fer_err err;
    if (line == SIZE_MAX || size > 4096) return 0;
    fer_arena *a = fer_arena_new((size_t)256 << 20);
    fer_str second = fer_str_slice(text, line + 1, text.len);
    bool both = a && !fer_schema_compile(fer_str_slice(text, 0, line), NULL, &x, &err) &&
                !fer_schema_compile(second, NULL, &y, &err);
    if (both && !fer_schema_includes(a, y, x, 20000, &got, &err)) {
        if (got.verdict == FER_NOT_INCLUDED)
            HOLDS(accepts(a, x, got.witness) == 1 && accepts(a, y, got.witness) == 0);
        if (got.verdict == FER_INCLUDED) {
            sample(a, x, x, y);
            sample(a, y, x, y);
        }
    }
    fer_schema_unref(x);
    fer_schema_unref(y);
    fer_arena_free(a);
    return 0;
}
