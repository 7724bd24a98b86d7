# SPDX-License-Identifier: Apache-2.0
"""Finds which rules of the triage list explain a disagreement, by experiment.

A rule rewrites a pair. One that *emulates* tells Ferrule in plain terms what the peer understands: it explains
when Ferrule then says what the peer said. One that *removes* takes away only what the peer cannot do: it explains
when both then say the same, and, unless the rule changes meaning, Ferrule says what it said before. A rule that
says *limit* has no rewriting: the peer itself said, in words the rule names, that it does not do this.
One that is *confirmed* is about a schema that Ferrule alone refuses: another command of the peer refuses it too. Some rules
want a witness besides: the other peer, asked about the pair as it is, says what Ferrule says (or differs for a
reason that is known)."""

import itertools
import re

from pairs import Group
from triage import RULES

DEPTH = 4  # rules, one behind the other


def single(pair, schema, instance):
    return Group(pair.number, pair.source, pair.dialect, schema, [instance])


class Judge:
    def __init__(self, ours, peer):
        self.ours, self.peer, self.witness = ours, peer, None
        self.rules = [rule for rule in RULES if rule.peer == peer.name]

    def usable(self, pair, answer, was):
        """The rules that may explain an answer, each with the pair as it rewrites it (None: it does not)."""
        for rule in self.rules:
            if rule.said is None and answer.verdicts == "r" and rule.kind != "emulates":
                continue
            if rule.said is not None and not re.search(rule.said, answer.refused) or rule.when and not rule.when(pair):
                continue
            changed = rule.change and rule.change(pair)
            if rule.kind == "confirmed" and was == "r" and self.peer.refuses_form(pair):
                yield rule, None
            elif (changed or rule.kind == "limit") and (not rule.witness or self.sided(pair, was)):
                yield rule, changed

    def explain(self, pair, answer, depth=DEPTH):
        """Names of the rules that explain why the peer's answer is not Ferrule's; none: nothing does."""
        was = self.ours.ask(pair).verdicts
        emulating, removing = [], []
        for rule, changed in self.usable(pair, answer, was):
            if not changed:
                return [rule.name]
            now = self.ours.ask(changed).verdicts
            if rule.kind == "emulates":
                emulating.append(rule)
                if now == answer.verdicts:
                    return [rule.name]
            elif now == was or not rule.keeps:
                told = self.peer.ask(changed)
                if told.verdicts == now and (now in "vi" or now == was == "r"):
                    return [rule.name]
                removing.append((rule, changed, told))
        return self.several(pair, answer, emulating) or self.chained(removing, depth)

    def several(self, pair, answer, rules):
        """Rules that explain it when Ferrule is told of them together."""
        for count in range(2, len(rules) + 1):
            for some in itertools.combinations(rules, count):
                changed = pair
                for rule in some:
                    changed = rule.change(changed) or changed
                if self.ours.ask(changed).verdicts == answer.verdicts:
                    return [rule.name for rule in some]
        return []

    def chained(self, removing, depth):
        """A rule after which there is still a difference, and what explains that one."""
        for rule, changed, told in removing if depth > 1 else []:
            more = self.explain(changed, told, depth - 1)
            if more:
                return [rule.name, *more]
        return []

    def sided(self, pair, was):
        """Whether the witness says what Ferrule says, or what it says is explained without a witness of its own."""
        told = self.witness.peer.ask(pair)
        alone = Judge(self.ours, self.witness.peer)
        alone.rules = [rule for rule in alone.rules if not rule.witness]
        return told.verdicts == was or bool(alone.explain(pair, told))
