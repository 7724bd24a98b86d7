/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML. What must hold:
 *  - a failure says something, at a place within the text;
 *  - what is accepted is a document whose values all have places within the text, in which every
 *    key stands once;
 *  - a table that is set is there, setting it twice changes nothing, and all else is what it was.
 */
#include "toml.h"

#include "fuzz.h"
#include "json_doc.h"

static void hold_error(fer_str text, const fer_err *err)
{
    unsigned lines = 1;
    for (size_t i = 0; i < text.len; i++) lines += text.ptr[i] == '\n';
    HOLDS(err->message[0]);
    HOLDS(err->line <= lines && err->column <= text.len + 1);
}

static const yyjson_val *read_text(fer_arena *a, fer_str text)
{
    fer_json *doc;
    fer_err err = {0};
    if (fer_toml_read(a, text, &doc, &err)) {
        hold_error(text, &err);
        return NULL;
    }
    for (size_t i = 0; i < doc->count; i++) HOLDS(fer_json_offset(doc, &doc->vals[i]) <= text.len);
    HOLDS(fer_is_obj(fer_json_root(doc)));
    return fer_json_root(doc);
}

static void set_twice(fer_arena *a, fer_str text, const yyjson_val *before)
{
    fer_str once, twice;
    fer_err err = {0};
    if (fer_toml_set_table(a, text, FER_STR("s"), FER_STR("n"), FER_STR("c = 1\n"), &once, &err)) {
        HOLDS(err.message[0]);
        return;
    }
    const yyjson_val *after = read_text(a, once);
    HOLDS(after);
    const yyjson_val *set = fer_val_get(fer_val_get(after, "s"), "n");
    HOLDS(set && fer_val_get(set, "c"));
    HOLDS(
        !fer_toml_set_table(a, once, FER_STR("s"), FER_STR("n"), FER_STR("c = 1\n"), &twice, &err));
    HOLDS(fer_str_eq(once, twice));
    FER_EACH_MEMBER (before, key) {
        const yyjson_val *kept = fer_val_key(after, fer_val_str(key));
        bool same = false;
        HOLDS(kept);
        if (fer_str_is(fer_val_str(key), "s")) continue;
        HOLDS(!fer_json_equal(a, key + 1, kept + 1, &same, NULL) && same);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_arena *a = fuzz_arena();
    fer_str text = fuzz_text(data, size);
    const yyjson_val *root = read_text(a, text);
    if (root) set_twice(a, text, root);
    fer_arena_free(a);
    return 0;
}
