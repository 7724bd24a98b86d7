# SPDX-License-Identifier: Apache-2.0
"""Why other validators differ from Ferrule: one row per reason, each with the experiment that shows it.

    name, peer   which validator differs
    kind         what `change`, the rewriting of a pair, has to show (judge.py): emulates, removes, limit, confirmed
    why          what the peer does
    reference    what the standard says of it, and so who is right
    example      (dialect, schema, instance): a pair that the row explains; a test asks about it
    said         what the peer has to have said, where it refused the schema or gave no answer
    when         what has to hold of the pair, besides that the rewriting changes it
    witness      the other peer has to side with Ferrule on the pair as it is
    keeps        the rewriting does not change the meaning: Ferrule has to say what it said before

A row without a rewriting (a limit) explains refusals and missing answers only, never a verdict."""

import rewrite
from schema_places import OLD, uses


class Rule:
    def __init__(self, name, kind, change, why, reference, example, said=None, when=None, witness=False, keeps=True):
        self.name, self.kind, self.change, self.why, self.reference, self.example = name, kind, change, why, reference, example
        self.said, self.when, self.witness, self.keeps = said, when, witness, keeps
        self.peer = name.split("-")[0]


def old(pair):
    return pair.dialect in OLD


def new(pair):
    return pair.dialect not in OLD


def has(*keywords):
    return lambda pair: uses(pair.schema, set(keywords))


RULES = [
    Rule("ajv-binary64", "emulates", rewrite.binary64,
         "JSON.parse rounds every number to binary64: digits past 2^53 and exponents past 308 are lost before Ajv sees them",
         "RFC 8259 6 allows it; core 6.3 knows no such limit. Ferrule is exact",
         ("2020-12", '{"const":9007199254740992}', "9007199254740993")),
    Rule("ajv-integer-draft-04", "emulates", rewrite.integral_as_integer,
         "JSON.parse does not tell 1.0 from 1; in draft-04 only the second is an integer",
         "draft-04 core 3.5 and optional/zeroTerminatedFloats.json. Ferrule is right",
         ("draft-04", '{"type":"integer"}', "1.0"), when=lambda p: p.dialect == "draft-04"),
    Rule("ajv-multiple", "emulates", rewrite.multiple_by_division,
         "multipleOf is one binary64 division and parseInt of its result, which rounds, overflows, and ends at 1e21",
         "validation 6.2.1: division results in an integer. Ferrule is right",
         ("2020-12", '{"multipleOf":0.01}', "0.07"), when=has("multipleOf")),
    Rule("ajv-ref-siblings", "emulates", rewrite.siblings_of_references_kept,
         "Ajv 8 applies the keywords beside $ref, an $id too, in every draft",
         "draft-07 core 8.3, and draft-04 and draft-06 alike: they are ignored. Ferrule is right",
         ("draft-07", '{"properties":{"a":{"$ref":"#/definitions/x","type":"string"}},"definitions":{"x":{}}}', '{"a":1}'), when=old),
    Rule("ajv-inherited-names", "removes", rewrite.inherited_names_renamed,
         "members are looked up as data.name: names that every JavaScript object inherits seem to be there, and __proto__ is passed over",
         "core 4.2.1 and the suite's 'Javascript object property names'. Ferrule is right",
         ("2020-12", '{"required":["constructor"]}', "{}")),
    Rule("ajv-if-alone", "emulates", rewrite.if_without_branches_out,
         "an if without then and else is dropped, and with it what it evaluated",
         "2020-12 core 10.2.2.1: annotations are collected in the usual way. Ferrule is right",
         ("2020-12", '{"if":{"properties":{"a":true}},"unevaluatedProperties":false}', '{"a":1}'), when=new),
    Rule("ajv-enum-form", "removes", rewrite.enum_as_plain,
         "an enum that is empty or repeats a value is refused",
         "validation 6.1.2 says SHOULD; draft-07's meta-schema says more. Both may; Ferrule takes it, since real tools have such lists",
         ("2020-12", '{"enum":[]}', "1"),
         said="enum must have non-empty array|enum must NOT have (duplicate|fewer than 1) items"),
    Rule("ajv-own-ref", "removes", rewrite.own_reference_wrapped,
         "a $ref into the resource whose $id stands beside it makes the compiler call itself without end",
         "2020-12 core 8.2.3.1. Ferrule is right",
         ("2020-12", '{"properties":{"a":{"$id":"x","$ref":"#/$defs/y","$defs":{"y":{"type":"null"}}}}}', '{"a":1}'),
         said="Maximum call stack"),
    Rule("ajv-target-form", "removes", rewrite.defined,
         "a schema in a keyword that the dialect does not know, such as $defs in draft-07, is not looked at by the meta-schema, even "
         "where a reference leads to it",
         "core 8.1.1: a schema has to be valid by its meta-schema. Ferrule is right",
         ("draft-07", '{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"title":3}}}', "1")),
    Rule("ajv-embedded-ref", "limit", None,
         "a reference within an embedded resource is looked for from the root, or not by its URI",
         "2020-12 core 9.2.1. Ferrule is right", None,
         said="can't resolve reference .* from id", when=rewrite.embeds, witness=True),
    Rule("ajv-unevaluated", "removes", rewrite.unevaluated_out,
         "what branches evaluated is kept as one count or true, and contains counts as all items: behind anyOf, oneOf, if, contains "
         "or a reference it is taken for more or less than it is",
         "2020-12 core 11.2, 11.3. Ferrule is right",
         ("2020-12", '{"anyOf":[{"items":true}],"unevaluatedItems":false}', "[1,2]"),
         when=has("unevaluatedItems", "unevaluatedProperties"), witness=True, keeps=False),
    Rule("ajv-dynamic-ref", "removes", rewrite.dynamic_references_out,
         "the dynamic scope is a table of anchor names, not of schema resources, and plain anchors are not in it",
         "2020-12 core 8.2.3.2, 2019-09 core 8.2.4.2. Ferrule is right",
         ("2020-12", '{"$ref":"l","$defs":{"l":{"$id":"l","type":"array","items":{"$dynamicRef":"#i"},"$defs":{"i":{"$dynamicAnchor":"i"}}}}}',
          "[1]"), when=has("$dynamicRef", "$recursiveRef"), witness=True, keeps=False),
    Rule("ajv-dynamic-ref-uri", "limit", None,
         "a $dynamicRef that is more than a fragment is refused",
         "2020-12 core 8.2.3.2: a URI-reference. Ferrule is right",
         ("2020-12", '{"$id":"http://x/","$defs":{"y":{"$anchor":"y"}},"properties":{"a":{"$dynamicRef":"http://x/#y"}}}', "1"),
         said='"\\$dynamicRef" only supports hash fragment reference'),
    Rule("blaze-root-ref", "removes", rewrite.root_reference_wrapped,
         "the command refuses a schema of draft-07 or older whose root has a $ref beside other keywords",
         "draft-07 core 8.3: they are ignored. Ferrule is right",
         ("draft-07", '{"$ref":"#/definitions/x","definitions":{"x":{}}}', "1"),
         said="A schema with a top-level `\\$ref`", when=old),
    Rule("blaze-ref-target", "removes", rewrite.defined,
         "a reference into a keyword that the dialect does not know, such as $defs in draft-07, is refused",
         "2020-12 core 9.4.2 leaves it open; optional/refOfUnknownKeyword.json expects it. Both may",
         ("draft-07", '{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"null"}}}', '{"a":1}'),
         said="not considered to be a valid subschema"),
    Rule("blaze-dangling", "removes", rewrite.dangling_out,
         "a reference that leads nowhere is refused, also in a definition that nothing reaches",
         "2020-12 core 9.4 leaves it open. Both may",
         ("2020-12", '{"$defs":{"x":{"$ref":"#/nowhere"}}}', "1"), said="Could not resolve schema reference"),
    Rule("blaze-forms", "confirmed", None,
         "`validate` looks at the form of those keywords only that it compiles: not at what stands beside a $ref up to draft-07, in "
         "contentSchema, in definitions that nothing reaches; `metaschema` refuses the schema",
         "core 8.1.1: a schema has to be valid by its meta-schema. Ferrule is right",
         ("2020-12", '{"contentSchema":{"minLength":3.5}}', '"a"')),
    Rule("blaze-enum-form", "removes", rewrite.enum_as_plain,
         "as ajv-enum-form, up to draft-07", "as ajv-enum-form",
         ("draft-07", '{"enum":[1,1]}', "1"), said="non-empty array of unique values", when=old),
    Rule("blaze-multiple", "emulates", rewrite.multiple_by_plain_division,
         "multipleOf is a binary64 division where either is not small, which rounds past 2^52",
         "validation 6.2.1: division results in an integer. Ferrule is right",
         ("2020-12", '{"multipleOf":1.5}', "9007199254740992"), when=has("multipleOf")),
    Rule("blaze-dot", "emulates", rewrite.dots_match_all,
         "in a pattern, . matches line ends too",
         "2020-12 core 6.4: ECMA-262, where . is anything but a line terminator. Ferrule is right",
         ("2020-12", '{"pattern":"^.+$"}', '"a\\nb"'), when=has("pattern", "patternProperties")),
    Rule("blaze-integer-range", "limit", None,
         "a whole number past 64 bits ends the command, where it is compared as an integer, and is refused as a length",
         "core 6.3 knows no such limit. Ferrule is right",
         ("draft-06", '{"oneOf":[true,{"$ref":"http://json-schema.org/draft-06/schema#"}]}', '{"minLength":2E+22}'),
         said="does not fit in a 64-bit integer", when=rewrite.past_64_bits),
    Rule("blaze-covered", "removes", rewrite.unevaluated_beside_covering_out,
         "an unevaluatedItems beside items (unevaluatedProperties beside additionalProperties) has nothing left to apply to, but takes "
         "away what the other evaluated for an unevaluated keyword further out",
         "2020-12 core 11.2, 11.3. Ferrule is right",
         ("2020-12", '{"anyOf":[{"items":true,"unevaluatedItems":false}],"unevaluatedItems":false}', "[1]"), when=new),
    Rule("blaze-dependencies", "removes", rewrite.dependencies_split,
         "an unevaluated keyword below dependencies, which 2019-09 and later keep for compatibility, ends the compiler: map::at",
         "2020-12 validation appendix A and optional/dependencies-compatibility.json. Ferrule is right",
         ("2020-12", '{"dependencies":{"a":{"properties":{"b":{"unevaluatedProperties":true}}}}}', "1"), said="map::at", when=new),
    Rule("blaze-exponential", "limit", None,
         "alternatives that refer to themselves are tried again on every level, so time doubles with depth; no answer in 10 s",
         "nothing in the standard", None, said="no answer", when=rewrite.loops_through_alternatives),
]


def table():
    """The rows as Markdown."""
    lines = ["| rule | what the peer does | what the standard says; who is right | example |", "|---|---|---|---|"]
    for rule in RULES:
        # A bar would end the cell.
        shown = "{}: `{}` on `{}`".format(*rule.example).replace("|", "\\|") if rule.example else ""
        lines.append(f"| `{rule.name}` ({rule.kind}{', witness' if rule.witness else ''}) | {rule.why} | {rule.reference} | {shown} |")
    return "\n".join(lines) + "\n"
