/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions that were pinned. A lock is what `ferrule list --json` prints: a list of tools,
 * each with its id and definitionHash. A tool whose ID is in it, version included, must have
 * that hash; a new version is a new definition and may have another.
 */
#include "errors.h"
#include "json_doc.h"
#include "quality.h"

static fer_str text_of(const yyjson_val *object, const char *key)
{
    const yyjson_val *v = fer_is_obj(object) ? fer_val_get(object, key) : NULL;
    return fer_is_str(v) ? fer_val_str(v) : FER_STR_NONE;
}

fer_code fer_checks_lock(fer_checks *c, fer_str text, fer_err *err)
{
    fer_json *doc;
    fer_str copy = fer_arena_copy(c->arena, text);
    if (!copy.ptr) return fer_arena_failed(c->arena, err);
    fer_code code = fer_json_read(c->arena, copy, fer_json_limits_file(), &doc, err);
    if (code) return code;
    const yyjson_val *list = fer_json_root(doc);
    if (!fer_is_arr(list))
        return fer_fail(err, FER_BAD_USAGE,
                        "a lock is a list of tools, as `ferrule list --json` prints it");
    FER_EACH_ITEM (list, item) {
        fer_str id = text_of(item, "id"), hash = text_of(item, "definitionHash");
        if (!id.ptr || !hash.ptr)
            return fer_fail(err, FER_BAD_USAGE,
                            "a tool of the lock has no id, or no definitionHash");
        void **slot = fer_map_put(&c->pins, id);
        if (!slot) return fer_arena_failed(c->arena, err);
        *slot = (void *)(uintptr_t)fer_val_get(item, "definitionHash");
    }
    return FER_OK;
}

static void look_at_tool(fer_quality *q)
{
    const fer_checks *c = q->pass->run->checks;
    char hash[FER_HASH_TEXT];
    const yyjson_val *pinned = c->pins.count ? fer_map_get(&c->pins, q->tool->id) : NULL;
    if (!pinned) return;
    if (fer_tool_definition_hash(q->pass->scratch, q->tool, hash, NULL)) {
        q->pass->drafts->no_memory = true;
        return;
    }
    fer_str was = fer_val_str(pinned);
    if (fer_str_starts(was, "sha256:")) was = fer_str_slice(was, 7, was.len);
    if (fer_str_is(was, hash)) return;
    fer_q_tool(q, FER_Q_SEC_RUG_PULL, FER_FIELD_NAME,
               "the definition is not the one that was pinned, and the version is the same");
}

const fer_quality_family fer_quality_pins = {.tool = look_at_tool};
