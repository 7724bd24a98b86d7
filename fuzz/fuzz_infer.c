/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema from examples: the first byte has the options, then a line is an example. What must
 * hold: a schema comes out, or a reason why not; it is text that compiles; it accepts every
 * example, formats included; and the same examples give the same text.
 */
#include <ferrule/json.h>
#include <ferrule/schema.h>

#include "fuzz.h"
#include "json_doc.h"

#define EXAMPLES 64

static size_t read_examples(fer_arena *a, fer_str rest, const yyjson_val *list[EXAMPLES])
{
    size_t count = 0;
    while (rest.len && count < EXAMPLES) {
        fer_json *doc;
        fer_str line = fuzz_until(&rest, '\n');
        if (fer_json_read(a, line, NULL, &doc, NULL) == FER_OK) list[count++] = fer_json_root(doc);
    }
    return count;
}

static void check_schema(fer_arena *a, fer_str text, const yyjson_val *const *list, size_t count)
{
    const fer_schema_options options = {.assert_formats = true, .limits = fer_schema_limits_file()};
    fer_schema *schema;
    HOLDS(fer_schema_compile(text, &options, &schema, NULL) == FER_OK);
    for (size_t i = 0; i < count; i++) {
        bool valid = false;
        HOLDS(fer_schema_accepts(schema, a, list[i], &valid, NULL) == FER_OK);
        HOLDS(valid);
    }
    fer_schema_unref(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const yyjson_val *list[EXAMPLES];
    if (!size) return 0;
    const fer_infer_options options = {
        .no_enums = data[0] & 1, .no_formats = data[0] & 2, .open = data[0] & 4};
    fer_arena *a = fuzz_arena();
    fer_str out, again;
    fer_err err = {0};
    size_t count = read_examples(a, fuzz_text(data + 1, size - 1), list);
    fer_code code = fer_schema_infer(a, list, count, &options, &out, &err);
    if (code) {
        HOLDS(err.code == code && err.message[0]);
    } else {
        HOLDS(fer_schema_infer(a, list, count, &options, &again, &err) == FER_OK);
        HOLDS(fer_str_eq(out, again));
        check_schema(a, out, list, count);
    }
    fer_arena_free(a);
    return 0;
}
