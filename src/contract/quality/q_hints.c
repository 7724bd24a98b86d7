/* SPDX-License-Identifier: Apache-2.0 */
/* Behaviour hints, examples, the output as such, and what the definition costs. */
#include "quality.h"

#include "json_value.h"

#define TOKENS_MAX  1000
#define TOKEN_BYTES 4 /* of JSON, on average */

/* ---- hints ------------------------------------------------------------------------------------
 */

static bool is_false(const yyjson_val *v)
{
    return fer_is_bool(v) && !fer_is_true(v);
}

static void check_contradiction(fer_quality *q, const yyjson_val *hints)
{
    if (!fer_is_true(fer_val_get(hints, "readOnlyHint"))) return;
    if (fer_is_true(fer_val_get(hints, "destructiveHint")))
        fer_q_tool(q, FER_Q_ANN_CONTRADICTION, FER_FIELD_ANNOTATIONS,
                   "readOnlyHint is true, and destructiveHint, too");
    else if (is_false(fer_val_get(hints, "idempotentHint")))
        fer_q_tool(q, FER_Q_ANN_CONTRADICTION, FER_FIELD_ANNOTATIONS,
                   "readOnlyHint is true, and idempotentHint false: a read can be repeated");
}

/*
 * Verbs that cannot be a read whatever they are about. create, start and the like are left
 * out where they stand behind another word: get_start_url is no start.
 */
static const char *const write_words[] = {
    "add",       "archive", "assign",  "cancel", "clear",   "create", "delete", "destroy",
    "drop",      "erase",   "execute", "insert", "install", "merge",  "patch",  "post",
    "publish",   "purge",   "push",    "remove", "rename",  "send",   "set",    "truncate",
    "uninstall", "update",  "upload",  "upsert", "wipe",    "write"};
static const fer_word_set writes = FER_WORD_SET(write_words);
static const char *const destroy_words[] = {"delete", "destroy",  "drop", "erase",
                                            "purge",  "truncate", "wipe"};
static const fer_word_set destroys = FER_WORD_SET(destroy_words);

static void check_verb(fer_quality *q, const yyjson_val *hints)
{
    if (q->verb == FER_VERB_NONE) return;
    fer_str verb = q->words.list[q->verb_at];
    if (fer_is_true(fer_val_get(hints, "readOnlyHint")) && fer_word_in(&writes, verb)) {
        fer_q_tool(q, FER_Q_ANN_VERB_MISMATCH, FER_FIELD_ANNOTATIONS,
                   "readOnlyHint is true, but the name says \"%.*s\"", FER_PRI(verb));
    } else if (is_false(fer_val_get(hints, "destructiveHint")) && fer_word_in(&destroys, verb) &&
               !fer_is_true(fer_val_get(hints, "readOnlyHint"))) {
        fer_q_tool(q, FER_Q_ANN_VERB_MISMATCH, FER_FIELD_ANNOTATIONS,
                   "destructiveHint is false, but the name says \"%.*s\"", FER_PRI(verb));
    }
}

static void check_hints(fer_quality *q)
{
    const yyjson_val *hints = q->tool->values[FER_FIELD_ANNOTATIONS];
    if (!hints) {
        fer_q_tool(q, FER_Q_ANN_MISSING, FER_FIELD_NAME, "the tool has no annotations");
        return;
    }
    check_contradiction(q, hints);
    check_verb(q, hints);
}

/* ---- examples and output --------------------------------------------------------------------- */

static bool has_items(const yyjson_val *list)
{
    return fer_is_arr(list) && fer_val_len(list);
}

static void check_examples(fer_quality *q)
{
    const yyjson_val *const *values = q->tool->values;
    const yyjson_val *schema = values[FER_FIELD_INPUT_SCHEMA];
    bool valid = has_items(values[FER_FIELD_EXAMPLES]) ||
                 has_items(fer_is_obj(schema) ? fer_val_get(schema, "examples") : NULL) ||
                 has_items(fer_val_get(q->tool->record, "input_examples"));
    if (!valid)
        fer_q_tool(q, FER_Q_DOC_EXAMPLES, FER_FIELD_NAME, "the tool has no example of a call");
    else if (q->tool->shape == FER_SHAPE_FERRULE && !has_items(values[FER_FIELD_INVALID_EXAMPLES]))
        fer_q_tool(q, FER_Q_DOC_EXAMPLES, FER_FIELD_EXAMPLES,
                   "the tool has no example of a call that is refused (invalidExamples)");
}

/* The only property that is a list, of an object that has no other; else NULL. */
static const yyjson_val *only_list(const yyjson_val *schema)
{
    const yyjson_val *properties = fer_is_obj(schema) ? fer_val_get(schema, "properties") : NULL;
    if (!fer_is_obj(properties) || fer_val_len(properties) != 1) return NULL;
    const yyjson_val *key = properties + 1;
    return fer_q_types(key + 1) == FER_IS_ARRAY ? key : NULL;
}

static void check_output(fer_quality *q)
{
    const yyjson_val *schema = q->tool->values[FER_FIELD_OUTPUT_SCHEMA];
    if (!schema) {
        fer_q_tool(q, FER_Q_OUT_MISSING, FER_FIELD_NAME, "the tool has no outputSchema");
        return;
    }
    if (fer_q_types(schema) == FER_IS_ARRAY) {
        fer_q_tool(q, FER_Q_OUT_ITEMS_WRAPPER, FER_FIELD_OUTPUT_SCHEMA,
                   "the output is a bare list");
        return;
    }
    const yyjson_val *list = only_list(schema);
    bool lists = q->verb == FER_VERB_LIST || q->verb == FER_VERB_SEARCH;
    if (list && lists && !fer_str_is(fer_val_str(list), "items"))
        fer_q_tool(
            q, FER_Q_OUT_ITEMS_WRAPPER, FER_FIELD_OUTPUT_SCHEMA,
            "the list of the output is called \"%.*s\", not items, and there is no nextToken",
            FER_PRI(fer_str_head(fer_val_str(list), 100)));
}

static void look_at_tool(fer_quality *q)
{
    check_hints(q);
    check_examples(q);
    check_output(q);
}

static void when_done(fer_quality *q)
{
    size_t tokens = q->bytes / TOKEN_BYTES;
    if (tokens <= TOKENS_MAX) return;
    fer_q_tool(q, FER_Q_TOOL_TOKEN_COST, FER_FIELD_NAME,
               "the definition costs about %zu tokens in every request", tokens);
    fer_drafts_bounds(q->pass->drafts, TOKENS_MAX, tokens);
}

const fer_quality_family fer_quality_hints = {.tool = look_at_tool, .done = when_done};
