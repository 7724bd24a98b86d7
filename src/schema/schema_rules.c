/* SPDX-License-Identifier: Apache-2.0 */
/* What fer_schema_problems looks for: a row for each rule that compiling and linting name. */
#include <ferrule/schema.h>
#include <string.h>

#include "str.h"

static const fer_schema_rule rows[] = {
    {"contradiction", true, "A schema has values that fit it.",
     "A minimum above its maximum, or a required property that is refused, fits nothing.",
     "Take one of the two back."},
    {"dialect", false, "$schema names a dialect that is known.",
     "A schema of an unknown dialect may mean something else.",
     "Name a dialect from draft-04 to 2020-12, or v1; or leave $schema out."},
    {"endless-reference", true, "References look at a part of the value sooner or later.",
     "One that leads back to itself at the same value never ends.",
     "Let the reference stand below properties or items."},
    {"external-ref", false, "References lead into the schema, or to one that is registered.",
     "Nothing is fetched.", "Bundle the schema, or register the other one: --register URI=FILE."},
    {"invalid-value", true, "default and examples fit the schema they stand in.",
     "Who takes them as they are is refused.", "Mend the value, or the schema."},
    {"limit", false, "A schema is within the limits.",
     "Larger ones cost too much to compile or to ask.",
     "Make it smaller; ferrule reference limits has the numbers."},
    {"meta-schema", false, "Keywords have values of the form that their dialect gives them.",
     "Validators differ in what they make of others, or refuse the schema.",
     "Write the value as the message says."},
    {"no-effect", true, "Every keyword changes what is accepted.",
     "One that is shut out by its type, or lacks its partner, only seems to check something.",
     "Remove it, or add what it needs."},
    {"other-dialect", true, "Keywords are of the schema's own dialect.",
     "Those of another are passed over.", "Name the dialect in $schema, or convert the schema."},
    {"pattern", false, "Patterns are regular expressions.", "A broken one matches nothing.",
     "Mend the expression."},
    {"ref-siblings", true, "Beside $ref there is nothing else, up to draft-07.",
     "What stands beside it is passed over there.", "Put both into allOf."},
    {"reference", false, "References lead to something.", "A broken one accepts nothing.",
     "Name a place that is there."},
    {"unknown-format", true, "Formats are known.", "An unknown one is never checked.",
     "Take a known format, or a pattern."},
    {"unknown-keyword", true, "Keywords are known.", "A misspelt one is passed over in silence.",
     "Mend the spelling; keywords of your own begin with x-."},
    {"unused-definition", true, "Definitions are referred to.",
     "One that nobody uses is read and sent for nothing.", "Remove it, or refer to it."},
};

const fer_schema_rule *fer_schema_rules(size_t *count)
{
    *count = FER_COUNT(rows);
    return rows;
}

const fer_schema_rule *fer_schema_rule_find(const char *id)
{
    for (size_t i = 0; i < FER_COUNT(rows); i++) {
        if (strcmp(rows[i].id, id) == 0) return &rows[i];
    }
    return NULL;
}
