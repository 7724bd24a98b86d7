/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON Pointer, a newline, a JSON text. What must hold: yyjson's own look-up, written
 * by others, finds the same value; and the pointer that a path writes leads back to the
 * value that the path was taken from.
 */
#include <ferrule/json.h>

#include "fuzz.h"
#include "json_doc.h"
#include "json_pointer.h"

#define MAX_VALUES 200 /* checked in one document */

struct walk {
    fer_arena *arena;
    const yyjson_val *root;
    size_t left;
};

static void check_back(struct walk *w, const yyjson_val *v, const fer_path *path)
{
    fer_str pointer = fer_path_pointer(w->arena, path);
    HOLDS(pointer.ptr);
    HOLDS(fer_json_at(w->root, pointer, NULL) == v);
}

/* At most as deep as the reader allows. */
static void check_below(struct walk *w, const yyjson_val *v, const fer_path *path)
{
    size_t index = 0;
    if (w->left == 0) return;
    w->left--;
    check_back(w, v, path);
    if (fer_is_arr(v)) {
        FER_EACH_ITEM (v, item) {
            fer_path here = FER_PATH_INDEX(path, index++);
            check_below(w, item, &here);
        }
    } else if (fer_is_obj(v)) {
        FER_EACH_MEMBER (v, key) {
            fer_path here = FER_PATH_KEY(path, fer_val_str(key));
            check_below(w, key + 1, &here);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fer_str rest = fuzz_text(data, size);
    fer_str pointer = fuzz_until(&rest, '\n');
    fer_arena *a = fuzz_arena();
    fer_err err = {0};
    fer_json *doc;
    if (fer_json_read(a, rest, NULL, &doc, NULL) == FER_OK) {
        const yyjson_val *root = fer_json_root(doc), *found = fer_json_at(root, pointer, &err);
        const yyjson_val *expected = yyjson_ptr_getn((yyjson_val *)(uintptr_t)root,
                                                     pointer.ptr ? pointer.ptr : "", pointer.len);
        HOLDS(found == expected);
        HOLDS(found || (err.code == FER_INVALID_POINTER && err.message[0]));
        struct walk w = {a, root, MAX_VALUES};
        fer_path top = FER_PATH_ROOT;
        check_below(&w, root, &top);
    }
    fer_arena_free(a);
    return 0;
}
