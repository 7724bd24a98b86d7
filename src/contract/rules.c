/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <stdarg.h>

#include "errors.h"
#include "str.h"

#define ERROR   FER_SEVERITY_ERROR
#define WARNING FER_SEVERITY_WARNING

/* In the order of enum fer_rule_id, which is the order of the ids. */
static const fer_rule rules[] = {
    {"backend.kind", FER_CONSTRAINT_VIOLATION, ERROR,
     "A backend names one kind (local, provider or mcp) and what that kind needs.",
     "Without it nobody knows what to run.",
     "Write {\"kind\": \"mcp\", \"mcp\": {\"serverName\": ...}}, {\"kind\": \"provider\", \"provider\": {\"providerId\": ..., \"toolId\": ...}} or {\"kind\": \"local\", \"local\": {\"name\": ...}}."},
    {"cache.pure", FER_CONSTRAINT_VIOLATION, WARNING, "Only a Pure tool has a cache.",
     "Reusing the result of a write would skip the write, so it is never done.",
     "Remove the cache, or declare the effect Pure if the tool changes nothing."},
    {"effect.annotations", FER_CONSTRAINT_VIOLATION, WARNING,
     "The effect and the MCP annotations say the same.",
     "Clients believe the annotations, Ferrule enforces the effect; where they differ, one of them is wrong.",
     "Pure goes with readOnlyHint true; a write does not."},
    {"example.invalid", FER_CONSTRAINT_VIOLATION, ERROR,
     "The arguments of an example are valid under the input schema.",
     "Models copy examples; one that the schema refuses teaches calls that fail.",
     "Change the arguments as the finding says, or the schema if the example is right."},
    {"example.size", FER_OUT_OF_RANGE, WARNING,
     "The arguments of an example are at most 5 levels deep and hold at most 50 keys and items.",
     "Examples are shown to models; larger ones are cut.", "Shorten the example to what it shows."},
    {"field.conflict", FER_CONSTRAINT_VIOLATION, ERROR,
     "A contract field that stands both in the record and under _meta.ferrule has one value.",
     "Two values mean two contracts.", "Remove one of the two."},
    {"field.empty", FER_OUT_OF_RANGE, ERROR, "A text that names something is not empty.",
     "An empty name matches nothing, or everything.", "Give it a value, or leave the field out."},
    {"field.enum", FER_INVALID_ENUM_VALUE, ERROR,
     "A field with a fixed set of words holds one of them.", "Any other word has no meaning.",
     "Use one of the words that the finding lists; case counts."},
    {"field.null", FER_INVALID_TYPE, WARNING, "An optional field is left out, not null.",
     "MCP allows no null there, and strict clients refuse the whole list.",
     "Leave out fields that have no value."},
    {"field.range", FER_OUT_OF_RANGE, ERROR,
     "A number is whole and within the bounds of its field.",
     "Outside of them the policy could not be enforced.", "Choose a value within the bounds."},
    {"field.required", FER_REQUIRED_MISSING, ERROR, "A required field is there.",
     "Without it the record cannot be used.", "Add the field."},
    {"field.type", FER_INVALID_TYPE, ERROR, "A field holds a value of its type.",
     "A value of another type cannot be read.",
     "Change the value to the type that the finding names."},
    {"field.unknown", FER_UNKNOWN_FIELD, WARNING, "A field is not a misspelling of a known one.",
     "Unknown fields are kept but have no effect; a misspelt one loses what it was meant to say.",
     "Correct the spelling, or rename the field so that it is clearly another."},
    {"idempotency.pure", FER_CONSTRAINT_VIOLATION, WARNING,
     "A Pure tool requires no idempotency key.",
     "Repeating a read is harmless; a required key only makes calls fail.",
     "Drop the requirement, or declare the write that the tool makes."},
    {"mode.media-type", FER_INVALID_FORMAT, ERROR, "Input and output modes are media types.",
     "Callers compare them with the types they can handle.",
     "Write type/subtype, such as application/json."},
    {"name.charset", FER_INVALID_FORMAT, ERROR, "A name consists of A-Z a-z 0-9 _ . - only.",
     "Names are parts of IDs, files and URLs, and MCP allows no others.",
     "Replace the other characters, for example by _."},
    {"name.length", FER_OUT_OF_RANGE, ERROR, "A name has 1 to 128 characters.",
     "MCP's limit; providers' are lower still.", "Shorten the name."},
    {"namespace.charset", FER_INVALID_FORMAT, ERROR,
     "A namespace consists of A-Z a-z 0-9 _ . - only.",
     "It is part of the ID, where ':' separates.",
     "Replace the other characters, for example by _."},
    {"namespace.length", FER_OUT_OF_RANGE, ERROR, "A namespace has 1 to 128 characters.",
     "It is part of the ID.", "Shorten it, or leave it out."},
    {"redact.path", FER_INVALID_FORMAT, ERROR, "A redaction path follows the grammar.",
     "A path that matches nothing leaves the secret in the log.",
     "Write names joined by dots, * for one level, ** for any, [0] or [*] for items; input:token limits it to the input."},
    {"schema.dialect", FER_UNSUPPORTED_DIALECT, ERROR,
     "The $schema of a schema names a dialect that is known.",
     "Nobody can say what a schema of an unknown dialect means.",
     "Name 2020-12, 2019-09, draft-07, draft-06 or draft-04, or leave $schema out for 2020-12."},
    {"schema.external-ref", FER_EXTERNAL_REF, ERROR,
     "A $ref leads to something in the schema itself.",
     "Nothing is fetched: a schema that changes elsewhere is not the one that was approved.",
     "Put what it refers to under $defs (ferrule schema bundle does that)."},
    {"schema.invalid", FER_INVALID_SCHEMA, ERROR,
     "A schema is valid under the meta-schema of its dialect, and its references and patterns are.",
     "What is wrong is ignored by some readers and refused by others.",
     "Correct the keyword that the finding names."},
    {"schema.limit", FER_LIMIT_EXCEEDED, ERROR, "A schema keeps within the limits.",
     "Past them, checking a call could take without end.",
     "Make the schema smaller, or split the tool."},
    {"schema.root", FER_CONSTRAINT_VIOLATION, ERROR,
     "The root of an input schema has the type \"object\".",
     "Arguments of a tool are always an object; MCP and every provider demand it.",
     "Set \"type\": \"object\" and put the value into a property."},
    {"schema.root-missing", FER_CONSTRAINT_VIOLATION, WARNING,
     "The root of an input schema states its type.",
     "MCP and most providers refuse a schema without it.", "Add \"type\": \"object\"."},
    {"schema.suspicious", FER_INVALID_SCHEMA, WARNING,
     "A schema has no unknown keywords, and none that have no effect or contradict each other.",
     "An unknown keyword is ignored, so what it was meant to demand is not demanded.",
     "Correct the spelling, or take the keyword out; names that begin with x- are left alone."},
    {"security.scheme", FER_CONSTRAINT_VIOLATION, ERROR,
     "A security requirement names a declared scheme.",
     "Nobody can satisfy a scheme that is not described.",
     "Declare it under securitySchemes, or correct the name."},
    {"tags.changed", FER_INVALID_FORMAT, WARNING, "Tags are written in their normal form.",
     "Search sees the normal form; writing it avoids surprises.",
     "Use the form that the finding shows."},
    {"tags.count", FER_OUT_OF_RANGE, WARNING, "A tool has at most 20 tags.",
     "Those behind the 20th are ignored.", "Keep the tags that people search for."},
    {"text.cut", FER_OUT_OF_RANGE, WARNING, "A text that is shown to models keeps to its length.",
     "What is longer is cut.", "Shorten it, so that nothing important is lost."},
    {"tool.builtin", FER_UNKNOWN_FIELD, WARNING, "Each entry of the list defines a tool.",
     "A provider's own tool has no contract to check and is passed over.",
     "Nothing, if that is what you meant."},
    {"tool.duplicate", FER_CONSTRAINT_VIOLATION, ERROR,
     "No two tools of one input have the same ID.", "A call by that ID would be ambiguous.",
     "Rename one, or give them namespaces or versions."},
    {"tool.shadowed", FER_CONSTRAINT_VIOLATION, WARNING,
     "Tools of different inputs have different IDs.",
     "Served together, neither could be called by that ID.",
     "Give the tools of each input a namespace of their own."},
    {"version.semver", FER_INVALID_FORMAT, ERROR,
     "A version is SemVer 2.0, with or without a leading v.",
     "Versions are compared and matched by SemVer's rules.",
     "Write major.minor.patch, such as 1.4.0 or 2.0.0-rc.1."},
    {"version.unused", FER_CONSTRAINT_VIOLATION, WARNING, "A version goes with a namespace.",
     "Without a namespace it is no part of the ID, so two versions of the tool cannot be told apart.",
     "Add a namespace."},
};

static_assert(FER_COUNT(rules) == FER_RULE_COUNT, "one row per rule");

const fer_rule *fer_rule_table(size_t *count)
{
    *count = FER_COUNT(rules);
    return rules;
}

void fer_drafts_init(fer_drafts *d, fer_arena *a)
{
    *d = (fer_drafts){.arena = a};
}

static fer_str format_text(fer_arena *a, const char *format, va_list args) FER_PRINTF(2, 0);

static fer_str format_text(fer_arena *a, const char *format, va_list args)
{
    char text[FER_ERR_TEXT] = "";
    return fer_arena_copy(a, (fer_str){text, fer_format_text(text, sizeof text, format, args)});
}

static struct fer_draft *new_draft(fer_drafts *d)
{
    struct fer_draft *list = fer_arena_room(d->arena, d->list, d->count, &d->cap, sizeof *list);
    if (!list) return NULL;
    d->list = list;
    return &d->list[d->count];
}

void fer_drafts_add(fer_drafts *d, enum fer_rule_id rule, const yyjson_val *at,
                    const fer_path *path, const char *format, ...)
{
    va_list args;
    struct fer_draft *draft = d->no_memory ? NULL : new_draft(d);
    if (!draft) {
        d->no_memory = true;
        return;
    }
    va_start(args, format);
    *draft = (struct fer_draft){.at = at};
    draft->finding.rule = &rules[rule];
    draft->finding.tool_pointer = fer_path_pointer(d->arena, path);
    draft->finding.message = format_text(d->arena, format, args);
    va_end(args);
    d->no_memory = !draft->finding.tool_pointer.ptr || !draft->finding.message.ptr;
    if (!d->no_memory) d->count++;
}

void fer_drafts_hint(fer_drafts *d, const char *format, ...)
{
    va_list args;
    if (d->no_memory || d->count == 0) return;
    va_start(args, format);
    fer_str hint = format_text(d->arena, format, args);
    va_end(args);
    d->no_memory = !hint.ptr;
    if (hint.ptr) d->list[d->count - 1].finding.hint = hint;
}
