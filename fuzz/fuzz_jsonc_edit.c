/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One member of a text with comments. What must hold: what was set is there and read again, doing
 * it twice changes nothing, taking it out leaves a text that is read and has it no more; all other
 * members of the root are what they were.
 */
#include "jsonc_edit.h"

#include "config_parts.h"
#include "fuzz.h"

static const fer_str path[] = {{"servers", 7}, {"x", 1}};

static bool apply(fer_arena *a, fer_str text, bool set, fer_str *out)
{
    fer_splices s = {0};
    fer_err err = {0};
    fer_code code = set ? fer_jsonc_set(a, text, path, 2, FER_STR("{\"c\":[1,{}]}"), &s, &err)
                        : fer_jsonc_remove(a, text, path, 2, &s, &err);
    HOLDS(!code || err.message[0]);
    return !code && !fer_splices_apply(a, text, &s, out, &err);
}

static const yyjson_val *read_text(fer_arena *a, fer_str text)
{
    fer_json *doc;
    if (fer_json_read(a, text, fer_json_limits_file(), &doc, NULL) &&
        fer_json_read(a, fer_jsonc_clean(a, text), fer_json_limits_file(), &doc, NULL))
        return NULL;
    return fer_json_root(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_str text = fuzz_text(data, size), first, again, last;
    if (apply(a, text, true, &first)) {
        const yyjson_val *before = read_text(a, text), *after = read_text(a, first);
        HOLDS(after);
        HOLDS(fer_val_get(fer_val_get(after, "servers"), "x"));
        HOLDS(apply(a, first, true, &again) && fer_str_eq(first, again));
        if (before) {
            FER_EACH_MEMBER (before, key) {
                const yyjson_val *kept = fer_val_key(after, fer_val_str(key));
                bool same = false;
                HOLDS(kept);
                if (fer_str_is(fer_val_str(key), "servers")) continue;
                HOLDS(!fer_json_equal(a, key + 1, kept + 1, &same, NULL) && same);
            }
        }
        HOLDS(apply(a, first, false, &last));
        const yyjson_val *left = read_text(a, last);
        HOLDS(left && !fer_val_get(fer_val_get(left, "servers"), "x"));
    }
    fer_arena_free(a);
    return 0;
}
