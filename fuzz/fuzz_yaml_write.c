/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing YAML: a JSON text in. What must hold: what is read can be written as YAML; reading
 * that gives an equal value, with its keys in the same order; and writing it again gives the
 * same text.
 */
#include <ferrule/json.h>

#include "fuzz.h"
#include "json_doc.h"

/* Past what the input may hold: indents and quotes make a text longer. */
static const fer_json_limits roomy = {.size = 64 << 20,
                                      .depth = 1000,
                                      .nodes = 1 << 20,
                                      .string = 1 << 20,
                                      .number = 1 << 20,
                                      .exponent = 18,
                                      .members = 1 << 20,
                                      .key = 1 << 20};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_json *doc, *back;
    fer_str yaml, again, x, y;
    fer_err err = {0};
    bool same = false;
    if (fer_json_read(a, fuzz_text(data, size), NULL, &doc, NULL) == FER_OK) {
        HOLDS(fer_yaml_write(a, fer_json_root(doc), &yaml, &err) == FER_OK);
        HOLDS(fer_yaml_read(a, yaml, &roomy, &back, &err) == FER_OK);
        HOLDS(fer_json_equal(a, fer_json_root(doc), fer_json_root(back), &same, &err) == FER_OK);
        HOLDS(same);
        HOLDS(fer_json_write(a, fer_json_root(doc), false, &x, &err) == FER_OK);
        HOLDS(fer_json_write(a, fer_json_root(back), false, &y, &err) == FER_OK);
        HOLDS(fer_str_eq(x, y));
        HOLDS(fer_yaml_write(a, fer_json_root(back), &again, &err) == FER_OK);
        HOLDS(fer_str_eq(yaml, again));
    }
    fer_arena_free(a);
    return 0;
}
