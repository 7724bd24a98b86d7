/* SPDX-License-Identifier: Apache-2.0 */
/* One row per kind of change. To add one: a row here, a number in kinds.h, and who notes it. */
#include "kinds.h"

#include "str.h"

#define OK     FER_IMPACT_COMPATIBLE
#define LOOK   FER_IMPACT_NOTICE
#define BREAKS FER_IMPACT_BREAKING
#define NONE   FER_IMPACT_NONE

/* The schemas decide; the words say what that mostly comes to. */
#define DECIDED(id, text, callers, readers, least)                                                 \
    {                                                                                              \
        (id), (text), (callers), (readers), (least), true, NONE, NONE, "contract"                  \
    }
#define FIXED(id, text, callers, readers, least, to_callers, to_readers, level)                    \
    {                                                                                              \
        (id), (text), (callers), (readers), (least), false, (to_callers), (to_readers), (level)    \
    }

static const fer_change_kind kinds[] = {
    DECIDED("additional.changed", "what further members may be has changed", "decided", "decided",
            FER_BUMP_MINOR),
    DECIDED("additional.closed", "further members are refused", "breaking", "compatible",
            FER_BUMP_MINOR),
    DECIDED("additional.opened", "further members are accepted", "compatible",
            "compatible to a tolerant reader, breaking to a strict one", FER_BUMP_MINOR),
    DECIDED("alternative.added", "an anyOf or oneOf has one more alternative",
            "compatible, unless it overlaps another one of a oneOf", "breaking", FER_BUMP_MINOR),
    DECIDED("alternative.removed", "an anyOf or oneOf has one alternative less", "breaking",
            "compatible", FER_BUMP_MINOR),
    DECIDED("bound.relaxed", "a bound is wider or gone", "compatible", "breaking", FER_BUMP_MINOR),
    DECIDED("bound.tightened", "a bound is narrower or new", "breaking", "compatible",
            FER_BUMP_MINOR),
    DECIDED("constraint.added",
            "a demand is new: allOf, not, if, uniqueItems, contains, items, dependencies",
            "breaking", "compatible", FER_BUMP_MINOR),
    DECIDED("constraint.changed", "a demand has changed", "decided", "decided", FER_BUMP_MINOR),
    DECIDED("constraint.removed", "a demand is gone", "compatible", "breaking", FER_BUMP_MINOR),
    FIXED("default.added", "a default is new", "behaves otherwise where the argument is left out",
          "-", FER_BUMP_MINOR, LOOK, NONE, "contract"),
    FIXED("default.changed", "a default has changed",
          "an argument that is left out means something else: consider a major version", "-",
          FER_BUMP_MINOR, LOOK, NONE, "contract"),
    FIXED("default.removed", "a default is gone",
          "an argument that is left out means something else: consider a major version", "-",
          FER_BUMP_MINOR, LOOK, NONE, "contract"),
    FIXED("deprecated", "it is deprecated, or no longer", "compatible: removal may follow",
          "compatible", FER_BUMP_MINOR, OK, OK, "source"),
    DECIDED("dialect", "$schema names another dialect", "decided under both dialects",
            "decided under both dialects", FER_BUMP_MINOR),
    FIXED("effect.lowered", "a call changes less than before", "compatible: verify, never trust",
          "-", FER_BUMP_MINOR, OK, NONE, "safety"),
    FIXED("effect.raised", "a call changes more than before",
          "breaking: clients approve and retry by it", "-", FER_BUMP_MAJOR, BREAKS, NONE, "safety"),
    DECIDED("enum.added", "a value is new in an enum", "compatible",
            "breaking, unless x-extensible-enum was set", FER_BUMP_MINOR),
    DECIDED("enum.dropped", "an enum or const is gone", "compatible", "breaking", FER_BUMP_MINOR),
    DECIDED("enum.introduced", "an enum or const is new", "breaking", "compatible", FER_BUMP_MINOR),
    DECIDED("enum.removed", "a value is gone from an enum", "breaking", "compatible",
            FER_BUMP_MINOR),
    DECIDED("format", "a format is new, another, or gone",
            "worth a look; decided where formats are checked",
            "worth a look; decided where formats are checked", FER_BUMP_MINOR),
    FIXED("header", "x-mcp-header is new, another, or gone",
          "compatible, but requests are routed otherwise", "-", FER_BUMP_MINOR, LOOK, NONE,
          "source"),
    FIXED("hint.open-world", "openWorldHint says that the tool now reaches outside",
          "worth a look (safety)", "-", FER_BUMP_MINOR, LOOK, NONE, "safety"),
    FIXED("hint.safer", "a hint promises more safety", "compatible: verify, never trust", "-",
          FER_BUMP_MINOR, OK, NONE, "safety"),
    FIXED("hint.unsafe",
          "readOnlyHint or idempotentHint is no longer true, or destructiveHint no longer false",
          "breaking: clients approve and retry by it", "-", FER_BUMP_MAJOR, BREAKS, NONE, "safety"),
    FIXED("idempotency.relaxed", "a call no longer needs an idempotency key", "compatible", "-",
          FER_BUMP_MINOR, OK, NONE, "contract"),
    FIXED("idempotency.required", "a call needs an idempotency key now",
          "breaking: calls without one are refused", "-", FER_BUMP_MAJOR, BREAKS, NONE, "contract"),
    FIXED("meta", "another field of the record has changed", "worth a look", "worth a look",
          FER_BUMP_PATCH, LOOK, LOOK, "source"),
    DECIDED("multiple.relaxed", "multipleOf divides the old one, or is gone", "compatible",
            "breaking", FER_BUMP_MINOR),
    DECIDED("multiple.tightened", "multipleOf is new, or does not divide the old one", "breaking",
            "compatible where it is a multiple of the old one", FER_BUMP_MINOR),
    FIXED("output.added", "an outputSchema is new", "-", "compatible: results must conform now",
          FER_BUMP_MINOR, NONE, OK, "contract"),
    FIXED("output.removed", "the outputSchema is gone", "-", "breaking", FER_BUMP_MAJOR, NONE,
          BREAKS, "contract"),
    DECIDED("pattern.added", "a pattern is new", "breaking", "compatible", FER_BUMP_MINOR),
    DECIDED("pattern.changed", "a pattern has changed",
            "breaking, unless it is proved to match all that the old one matches",
            "decided by the patterns, else unknown", FER_BUMP_MINOR),
    DECIDED("pattern.removed", "a pattern is gone", "compatible", "breaking", FER_BUMP_MINOR),
    DECIDED("prefix.added", "prefixItems has one more position",
            "compatible where the list was closed", "breaking where the list was closed",
            FER_BUMP_MINOR),
    DECIDED("prefix.removed", "prefixItems has one position less",
            "breaking where the list is closed", "decided", FER_BUMP_MINOR),
    DECIDED("property.added.default", "a property is new, required, and has a default",
            "breaking: a default is only an annotation", "compatible", FER_BUMP_MINOR),
    DECIDED("property.added.optional", "a property is new and optional",
            "compatible; worth a look where the object was open, for a caller may have sent it",
            "compatible to a tolerant reader, breaking to a strict one of a closed object",
            FER_BUMP_MINOR),
    DECIDED("property.added.required", "a property is new and required", "breaking", "compatible",
            FER_BUMP_MINOR),
    DECIDED("property.optional", "a property is no longer required", "compatible", "breaking",
            FER_BUMP_MINOR),
    DECIDED("property.removed", "a property is gone",
            "breaking where the object is closed; else it is ignored without a word",
            "breaking where it was required; else worth a look", FER_BUMP_MAJOR),
    DECIDED("property.renamed", "a property has another name and the same schema", "breaking",
            "breaking", FER_BUMP_MAJOR),
    DECIDED("property.required", "a property is required now", "breaking", "compatible",
            FER_BUMP_MINOR),
    DECIDED("schema.changed", "several changes together", "decided", "decided", FER_BUMP_MINOR),
    FIXED("scope.added", "one more scope is required", "breaking: callers who lack it are refused",
          "-", FER_BUMP_MAJOR, BREAKS, NONE, "safety"),
    FIXED("scope.removed", "a scope is no longer required", "compatible: verify, never trust", "-",
          FER_BUMP_MINOR, OK, NONE, "safety"),
    FIXED("text", "a description, title or example has changed",
          "compatible, but a model may choose otherwise", "compatible", FER_BUMP_PATCH, LOOK, OK,
          "source"),
    FIXED("tool.added", "a tool is new", "compatible", "compatible", FER_BUMP_MINOR, OK, OK,
          "source"),
    FIXED("tool.removed", "a tool is gone", "breaking", "breaking", FER_BUMP_MAJOR, BREAKS, BREAKS,
          "source"),
    FIXED("tool.renamed", "a tool has another name and the same schema", "breaking", "breaking",
          FER_BUMP_MAJOR, BREAKS, BREAKS, "source"),
    DECIDED("type.changed", "a type is another one", "breaking", "breaking", FER_BUMP_MINOR),
    DECIDED("type.narrowed", "fewer types are accepted", "breaking", "compatible", FER_BUMP_MINOR),
    DECIDED("type.widened", "more types are accepted", "compatible", "breaking", FER_BUMP_MINOR),
};
_Static_assert(FER_COUNT(kinds) == FER_KIND_COUNT, "a row for each kind");

const fer_change_kind *fer_kind(enum fer_kind_id id)
{
    return &kinds[id];
}

const fer_change_kind *fer_change_kinds(size_t *count)
{
    *count = FER_COUNT(kinds);
    return kinds;
}

const char *fer_bump_name(fer_bump bump)
{
    static const char *const names[] = {"none", "patch", "minor", "major"};
    return names[bump];
}

const char *fer_impact_name(fer_impact impact)
{
    static const char *const names[] = {"-", "compatible", "notice", "unknown", "breaking"};
    return names[impact];
}
