/* SPDX-License-Identifier: Apache-2.0 */
#include "schema_check.h"

#include <ferrule/schema.h>

#include "json_pointer.h"
#include "json_value.h"
#include "quality.h"

/* The finding's place in the tool: the path of the record, and the value's in it. */
static void point_at(fer_drafts *d, const fer_tool *t, const fer_path *path,
                     const yyjson_val *value)
{
    fer_buf b;
    if (d->no_memory || d->count == 0) return;
    fer_buf_init(&b, d->arena, (size_t)64 << 10);
    fer_path_write(&b, path);
    fer_pointer_of(&b, t->record, value);
    if (b.failure) d->no_memory = true;
    else if (b.ptr) d->list[d->count - 1].finding.tool_pointer = fer_buf_view(&b);
}

/* What `schema lint` calls a thing, and the rule that it breaks in a tool. */
static const struct {
    const char *name;
    enum fer_quality_id rule;
} lint_rules[] = {
    {"unknown-keyword", FER_Q_SCHEMA_UNKNOWN_KEYWORD},
    {"other-dialect", FER_Q_SCHEMA_UNKNOWN_KEYWORD},
    {"no-effect", FER_Q_SCHEMA_DEAD},
    {"contradiction", FER_Q_SCHEMA_DEAD},
    {"ref-siblings", FER_Q_SCHEMA_DEAD},
    {"unused-definition", FER_Q_SCHEMA_DEAD},
    {"invalid-value", FER_Q_SCHEMA_DEFAULT_INVALID},
};

static const fer_rule *rule_of(const fer_schema_problem *p)
{
    for (size_t i = 0; p->warning && i < FER_COUNT(lint_rules); i++) {
        if (strcmp(p->rule, lint_rules[i].name) == 0) return &fer_quality_rules[lint_rules[i].rule];
    }
    if (p->warning) return &fer_record_rules[FER_RULE_SCHEMA_SUSPICIOUS];
    switch (p->code) {
    case FER_UNSUPPORTED_DIALECT: return &fer_record_rules[FER_RULE_SCHEMA_DIALECT];
    case FER_EXTERNAL_REF: return &fer_record_rules[FER_RULE_SCHEMA_EXTERNAL_REF];
    case FER_LIMIT_EXCEEDED: return &fer_record_rules[FER_RULE_SCHEMA_LIMIT];
    default: return &fer_record_rules[FER_RULE_SCHEMA_INVALID];
    }
}

/* Gemini's API writes types in upper case, which JSON Schema does not know. */
static bool is_upper_type(const fer_drafts *d, const yyjson_val *v)
{
    static const char *const names[] = {"STRING", "NUMBER", "INTEGER", "BOOLEAN",
                                        "ARRAY",  "OBJECT", "NULL"};
    if (!d->upper_types || !fer_is_str(v)) return false;
    for (size_t i = 0; i < FER_COUNT(names); i++) {
        if (fer_str_is(fer_val_str(v), names[i])) return true;
    }
    return false;
}

/* Whether a finding about that very value is there already: one is enough. */
static bool is_noted(const fer_drafts *d, const yyjson_val *v)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->list[i].at == v) return true;
    }
    return false;
}

/* Whether the schema can be used. */
static bool check_schema(fer_drafts *d, const fer_tool *t, const fer_path *path,
                         const yyjson_val *schema, fer_arena *scratch)
{
    fer_schema_problem *list;
    size_t count;
    bool usable = true;
    if (fer_schema_problems(scratch, NULL, schema, NULL, true, &list, &count, NULL)) {
        d->no_memory = true;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        usable = usable && list[i].warning;
        if (is_upper_type(d, list[i].value) || is_noted(d, list[i].value)) continue;
        fer_drafts_report(d, rule_of(&list[i]), list[i].value, path, "%.*s",
                          FER_PRI(list[i].message));
        point_at(d, t, path, list[i].value);
    }
    return usable;
}

static void check_example(fer_drafts *d, const fer_tool *t, const fer_path *path,
                          const fer_schema *schema, const yyjson_val *args, fer_arena *scratch)
{
    fer_result *result;
    fer_err err;
    fer_code code = fer_schema_validate(scratch, schema, NULL, args, NULL, &result, &err);
    if (code == FER_OUT_OF_MEMORY) {
        d->no_memory = true;
        return;
    }
    if (code) {
        fer_drafts_add(d, FER_RULE_EXAMPLE_INVALID, args, path, "%s", err.message);
        point_at(d, t, path, args);
        return;
    }
    size_t count;
    const fer_violation *list = fer_result_violations(result, &count);
    for (size_t i = 0; i < count; i++) {
        const fer_violation *v = &list[i];
        fer_drafts_add(d, FER_RULE_EXAMPLE_INVALID, v->value, path, "%.*s", FER_PRI(v->message));
        if (v->hint.len) fer_drafts_hint(d, "%.*s", FER_PRI(v->hint));
        point_at(d, t, path, v->value);
    }
}

/* What is shown as refused must be. */
static void check_refused(fer_drafts *d, const fer_tool *t, const fer_path *path,
                          const fer_schema *schema, const yyjson_val *args, fer_arena *scratch)
{
    bool valid = false;
    fer_code code = fer_schema_accepts(schema, scratch, args, &valid, NULL);
    if (code == FER_OUT_OF_MEMORY) d->no_memory = true;
    if (code || !valid) return;
    fer_drafts_add(d, FER_RULE_EXAMPLE_ACCEPTED, args, path,
                   "the input schema accepts these arguments");
    point_at(d, t, path, args);
}

static const yyjson_val *list_of(const fer_tool *t, enum fer_field_id field)
{
    const yyjson_val *list = t->values[field];
    return fer_is_arr(list) && fer_val_len(list) ? list : NULL;
}

static void check_examples(fer_drafts *d, const fer_tool *t, const fer_path *path,
                           const yyjson_val *schema, fer_arena *scratch)
{
    const yyjson_val *examples = list_of(t, FER_FIELD_EXAMPLES),
                     *invalid = list_of(t, FER_FIELD_INVALID_EXAMPLES);
    fer_schema *program;
    if (!examples && !invalid) return;
    if (fer_schema_compile_value(NULL, schema, NULL, &program, NULL)) {
        d->no_memory = true; /* it has no problems, so this is all that can be */
        return;
    }
    for (const yyjson_val *e = examples ? examples + 1 : NULL; e && e < fer_val_next(examples);
         e = fer_val_next(e)) {
        const yyjson_val *args = fer_is_obj(e) ? fer_val_get(e, "args") : NULL;
        if (fer_is_obj(args)) check_example(d, t, path, program, args, scratch);
    }
    for (const yyjson_val *e = invalid ? invalid + 1 : NULL; e && e < fer_val_next(invalid);
         e = fer_val_next(e)) {
        const yyjson_val *args = fer_is_obj(e) ? fer_val_get(e, "args") : NULL;
        if (fer_is_obj(args)) check_refused(d, t, path, program, args, scratch);
    }
    fer_schema_unref(program);
}

void fer_check_schemas(fer_drafts *d, const fer_tool *t, const fer_path *path)
{
    const yyjson_val *input = t->values[FER_FIELD_INPUT_SCHEMA];
    const yyjson_val *output = t->values[FER_FIELD_OUTPUT_SCHEMA];
    fer_arena *scratch = fer_arena_new(0);
    if (!scratch) {
        d->no_memory = true;
        return;
    }
    if (fer_is_obj(input) && check_schema(d, t, path, input, scratch))
        check_examples(d, t, path, input, scratch);
    if (fer_is_obj(output)) check_schema(d, t, path, output, scratch);
    fer_arena_free(scratch);
}
