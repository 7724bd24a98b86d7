/* SPDX-License-Identifier: Apache-2.0 */
/* The rewrites: one row each, and looking them up. */
#include "rewrite.h"

const fer_rewrite fer_rewrite_rows[FER_REWRITE_COUNT] = {
    {"R01", "drop what only people or tools read", "same, docs-only",
     "keyword.$comment, keyword.$id, keyword.$schema, keyword.anchors, keyword.annotations, "
     "keyword.examples, keyword.unlisted",
     "$comment, $schema, $id, anchors, deprecated, readOnly, x-* and their like change no verdict. Examples are text that a "
     "model could have read: docs-only."},
    {"R02", "write the schema in 2020-12", "same",
     "schema.metaschema, array.items-list, keyword.definitions, keyword.additionalItems",
     "Older dialects and OpenAPI 3.0 (nullable, types in capitals): definitions, items as a list, additionalItems, "
     "dependencies, boolean exclusive bounds. Siblings of $ref count for nothing in draft-07 and are dropped. References "
     "to other places than $defs are moved there."},
    {"R03", "put the schema in the place of a $ref", "same",
     "ref.any, ref.siblings, ref.in-allOf, keyword.$defs, keyword.ignored",
     "Keywords beside $ref must hold as well (2020-12), so both are merged, never overridden. A $ref with nothing but "
     "texts beside it becomes the only branch of anyOf. Past FER_CONVERT_VALUES values the tool is refused."},
    {"R04", "unroll recursion", "narrower, wider", "ref.recursive",
     "A schema stands FER_CONVERT_UNROLL times inside itself; then an optional property or a branch is left out (narrower), "
     "the items of a list become JSON in a string (wider). A required link that leads straight back is refused."},
    {"R05", "const as enum", "same", "keyword.const, keyword.ignored", "An enum of one value."},
    {"R06", "oneOf as anyOf", "same, wider", "keyword.oneOf, keyword.ignored",
     "The same where no value fits two branches: other types, a required property with other values, or a proof by the "
     "engine. An optional discriminator admits {}, and every integer is a number: then it is wider."},
    {"R07", "null as one more type", "same", "type.array, anyOf.siblings",
     "anyOf with a null branch becomes a type list, or nullable where the provider knows only that; an enum gains the null "
     "in JSON Schema, and loses it on the wire of OpenAPI 3.0."},
    {"R08", "a list of types as anyOf", "same", "type.array, anyOf.siblings, anyOf.parent-type",
     "Each branch takes the keywords that belong to its type; what stands beside anyOf moves into its branches."},
    {"R09", "optional as required and nullable", "adapter, narrower",
     "object.all-required, object.required-min",
     "On the way back, null is taken out. Where null was a legal value before, nothing is taken out: the parameter is just "
     "required, and cannot be left out any more (narrower)."},
    {"R10", "close objects", "narrower", "object.closed",
     "additionalProperties: false, once allOf and anyOf beside it are merged: inside a branch it would make the whole "
     "unsatisfiable."},
    {"R11", "a map as a list of {key, value}", "adapter, wider",
     "object.closed, keyword.additionalProperties, keyword.patternProperties, object.properties-empty",
     "The way back makes the map again; of a key that comes twice, the last counts. With properties beside it, the map is a "
     "further property."},
    {"R12", "a tuple as an object", "adapter, narrower", "keyword.prefixItems",
     "Items become properties item_0, item_1 ... that are all required (narrower where fewer were legal); what may follow "
     "them is a list."},
    {"R13", "merge allOf", "same, wider", "keyword.allOf, object.closed, ref.in-allOf",
     "Types and enums intersect, bounds tighten, required adds up, properties merge one by one, a closed branch limits the "
     "names to its own. What cannot be written as one (two patterns) is moved to the description (wider)."},
    {"R14", "alternatives away from the root", "adapter, wider", "root.composition, root.type",
     "Branches that only list required names are told in words (wider). Else the schema moves into one parameter, which is "
     "unwrapped on the way back."},
    {"R15", "bounds in other words", "same, wider",
     "keyword.numeric-bounds, keyword.exclusive-bounds, keyword.multipleOf, keyword.length-bounds, keyword.minItems, "
     "keyword.combination, keyword.unevaluated",
     "Exclusive bounds of integers become inclusive ones, a range of few integers an enum, lengths a pattern: all the same. "
     "What remains is told in the description (R27)."},
    {"R16", "format to the description", "docs-only", "format.unsupported, keyword.format",
     "format is an annotation; a text says as much."},
    {"R17", "default to the description", "docs-only", "keyword.default, keyword.ignored",
     "With R09, null means the default."},
    {"R18", "schemas that are true or false", "same", "schema.boolean, required.unknown",
     "true is {}; a property that is false is left out of a closed object."},
    {"R19", "say the type", "same, narrower", "type.missing, root.type",
     "From the values of enum or const: the same. From keywords that one type alone has: narrower. Never by guess: a schema "
     "that takes anything becomes anyOf of all types, or JSON in a string (R21)."},
    {"R20", "write out what an absence means", "same",
     "array.items-missing, object.properties-missing, object.required-missing",
     "items: {}, properties: {} and required: [] are what their absence means. No type is invented; a provider that demands "
     "one gets R21."},
    {"R21", "anything as JSON in a string", "wider",
     "object.closed, object.properties-empty, type.missing, limit.depth",
     "A free-form object or value travels as JSON text and is parsed on the way back. Text that is no JSON, or another "
     "value, is refused then: the tool's own schema counts."},
    {"R22", "values of an enum as strings", "adapter",
     "enum.non-string, enum.mixed, enum.complex, enum.empty-string",
     "Each value gets a text, and the way back looks it up."},
    {"R23", "rename properties", "adapter", "property.key, property.reserved",
     "required and the way back follow. Names that would collide get a hash."},
    {"R24", "make the name fit", "adapter", "name.charset, name.first-char, name.length",
     "Bad characters become _, a first character gets t_ before it, a long name is cut and ends in 8 hex digits of its "
     "SHA-256. Every name of a group that would collide gets the hash, so the order of tools does not matter."},
    {"R25", "namespace and name as one", "adapter", "",
     "namespace__name, for providers whose definitions have no namespace. With __ inside a part, or _ at its ends, a hash "
     "follows."},
    {"R26", "cut a description", "docs-only", "description.length, description.empty",
     "After a whole sentence where there is one; only where a longer one is an error."},
    {"R27", "keywords to the description", "wider, docs-only",
     "keyword.if, keyword.not, keyword.dependent, keyword.contains, keyword.uniqueItems, keyword.ignored, "
     "keyword.unenforced, keyword.bound-cap and others",
     "One tail that a machine can read: [constraints: minimum=1, maximum=5]. Docs-only where the keyword stays and the "
     "provider only ignores it."},
    {"R28", "a large enum as text and a list", "wider", "limit.enum, limit.enum-chars",
     "The values are told in the description as far as there is room."},
    {"R29", "leave out the output schema", "docs-only, destructive", "output.root, tool.keys",
     "Few providers take one. The map keeps it; without a map it is lost."},
    {"R30", "leave out other fields", "docs-only, destructive", "tool.keys",
     "Annotations, icons, tags, version and others. On MCP's wire Ferrule's own fields are in _meta.ferrule; elsewhere the "
     "map keeps them, and without a map they are lost."},
};

const fer_rewrite *fer_rewrites(size_t *count)
{
    *count = FER_REWRITE_COUNT;
    return fer_rewrite_rows;
}

const fer_rewrite *fer_rewrite_find(fer_str id)
{
    for (size_t i = 0; i < FER_REWRITE_COUNT; i++) {
        if (fer_str_eq_nocase(id, fer_str_of(fer_rewrite_rows[i].id))) return &fer_rewrite_rows[i];
    }
    return NULL;
}

const char *fer_loss_name(fer_loss loss)
{
    static const char *const names[FER_LOSS_COUNT] = {"same",     "docs-only", "adapter",
                                                      "narrower", "wider",     "destructive"};
    return names[loss];
}
