"""Promises about sizes that the sizes in force deny: nobody is asked to make one of those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.size_holds import SizeHolds
from warplens.analysis.ir.size_relation import SizeRelation


def without_denied(facts: NestFacts, said: Mapping[str, int]) -> NestFacts:
    """The facts without conditions of verdicts that can't hold: `n == 2` where somebody says that n is 2000."""
    verdicts = tuple(_without_denied(verdict, said) for verdict in facts.verdicts)
    return facts if verdicts == facts.verdicts else replace(facts, verdicts=verdicts)


def _without_denied(verdict: LoopVerdict, said: Mapping[str, int]) -> LoopVerdict:
    relations = (promise.relation for promise in verdict.conditions if isinstance(promise, SizeHolds))
    if not any(_is_denied(relation, said) for relation in relations):
        return verdict
    return replace(verdict, conditions=(), under_conditions="")


def _is_denied(relation: SizeRelation, said: Mapping[str, int]) -> bool:
    if not relation.value.symbols <= said.keys():
        return False
    value = relation.value.evaluate(said)
    return not {">=": value >= 0, "==": value == 0, "!=": value != 0}[relation.sign]
