/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold for any program and any value, for the targets that make programs:
 *  - the verdict by machine code, that of the quick form, the machine's without it, and the
 *    findings agree;
 *  - a valid value has no findings, another has some, each about a place in the value or a
 *    member that is not there, in words;
 *  - with annotations the verdict is the same, and each annotation is JSON;
 *  - the output formats are JSON and say the same.
 * A schema that asks itself without end, or work past the budget, may be met on the longer way
 * only: findings look at what the verdict alone can leave out.
 */
#ifndef FER_FUZZ_AGREE_H
#define FER_FUZZ_AGREE_H

#include <ferrule/schema.h>

#include "fuzz.h"
#include "json_doc.h"
#include "quick.h"
#include "vm.h"

enum agreed {
    AGREED_INVALID,
    AGREED_VALID,
    AGREED_NOTHING /* no answer: the budget, or a schema without end */
};

/* A field's value is there, or is a member that an object could have. */
static inline bool agree_place(const yyjson_val *root, fer_str field)
{
    if (field.len > 60000 || fer_json_at(root, field, NULL)) return true;
    size_t slash = field.len;
    while (slash > 0 && field.ptr[slash - 1] != '/') slash--;
    if (!slash) return false;
    return fer_is_obj(fer_json_at(root, fer_str_slice(field, 0, slash - 1), NULL));
}

static inline void agree_outputs(fer_arena *a, const fer_result *r)
{
    for (int format = FER_OUTPUT_FLAG; format <= FER_OUTPUT_HIERARCHICAL; format++) {
        fer_str text;
        fer_json *doc;
        fer_err err = {0};
        fer_code code = fer_result_output(a, r, (fer_output)format, &text, &err);
        if (code == FER_LIMIT_EXCEEDED) continue;
        HOLDS(!code);
        if (text.len > 100000) continue; /* reading it again would take longer than all the rest */
        fer_json_limits limits = *fer_json_limits_file();
        limits.depth = limits.nodes = (size_t)1 << 30;
        HOLDS(!fer_json_read(a, text, &limits, &doc, &err));
        HOLDS(fer_is_true(fer_val_get(fer_json_root(doc), "valid")) == fer_result_valid(r));
    }
}

static inline void agree_findings(const fer_result *r, const yyjson_val *root)
{
    size_t count;
    const fer_violation *v = fer_result_violations(r, &count);
    HOLDS(fer_result_valid(r) ? count == 0 : count > 0);
    for (size_t i = 0; i < count; i++) {
        HOLDS(v[i].message.len > 0);
        HOLDS(v[i].code >= FER_REQUIRED_MISSING && v[i].code <= FER_VALIDATION_BUDGET_EXCEEDED);
        HOLDS(agree_place(root, v[i].field));
        HOLDS(v[i].value && v[i].schema);
    }
}

static inline bool agree_is_budget(const fer_result *r)
{
    size_t count;
    const fer_violation *v = fer_result_violations(r, &count);
    return count == 1 && v->code == FER_VALIDATION_BUDGET_EXCEEDED;
}

static inline void agree_annotations(fer_arena *a, const fer_schema *s, const fer_json *doc,
                                     const yyjson_val *value, bool valid)
{
    fer_validate_options options = {.annotations = true};
    fer_result *r;
    fer_err err = {0};
    size_t count;
    fer_code code = fer_schema_validate(a, s, doc, value, &options, &r, &err);
    if (code == FER_INVALID_SCHEMA) return;
    HOLDS(!code);
    if (agree_is_budget(r)) return;
    HOLDS(fer_result_valid(r) == valid);
    const fer_annotation *notes = fer_result_annotations(r, &count);
    for (size_t i = 0; i < count; i++) {
        fer_json *note;
        HOLDS(!fer_json_read(a, notes[i].json, fer_json_limits_file(), &note, NULL));
        HOLDS(notes[i].field.len > 60000 || fer_json_at(value, notes[i].field, NULL));
    }
    agree_outputs(a, r);
}

static inline enum agreed agree(fer_arena *a, const fer_schema *s, const fer_json *doc,
                                const yyjson_val *value)
{
    bool valid = false, by_machine = false;
    fer_result *r;
    fer_err err = {0};
    fer_code quick = fer_schema_accepts(s, a, value, &valid, &err);
    fer_vm vm = {.program = s, .arena = a, .err = &err};
    fer_code slow = fer_vm_run(&vm, value, &by_machine);
    fer_quick_verdict rows =
        s->quick ? fer_quick_run(s, s->root->code, a, value) : FER_QUICK_UNKNOWN;
    HOLDS(rows == FER_QUICK_UNKNOWN || quick || (rows == FER_QUICK_YES) == valid);
    HOLDS(slow ? slow == FER_INVALID_SCHEMA || slow == FER_VALIDATION_BUDGET_EXCEEDED
               : !quick && by_machine == valid);
    fer_code whole = fer_schema_validate(a, s, doc, value, NULL, &r, &err);
    if (quick == FER_VALIDATION_BUDGET_EXCEEDED) {
        HOLDS(!whole && !fer_result_valid(r) && agree_is_budget(r));
        return AGREED_NOTHING;
    }
    if (quick) {
        HOLDS(quick == FER_INVALID_SCHEMA && whole == quick);
        return AGREED_NOTHING;
    }
    if (whole) {
        HOLDS(whole == FER_INVALID_SCHEMA && !valid);
        return AGREED_INVALID;
    }
    HOLDS(fer_result_valid(r) == valid);
    agree_findings(r, value);
    if (!agree_is_budget(r)) agree_outputs(a, r);
    agree_annotations(a, s, doc, value, valid);
    return valid ? AGREED_VALID : AGREED_INVALID;
}

#endif
