"""Every rule, by code."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rules import (
    assumed_no_alias,
    assumed_trip_count,
    bank_conflict,
    carried_dependence,
    directive_race,
    divergence,
    low_occupancy,
    mapping_mistake,
    memory_hotspot,
    one_team,
    shared_memory_opportunity,
    slow_block,
    spills,
    transfer_bound,
    uncoalesced_access,
    undecided_loop,
)
from warplens.analysis.models.results.evaluation import NestEvaluation

RULES = (
    carried_dependence.RULE,
    undecided_loop.RULE,
    directive_race.RULE,
    mapping_mistake.RULE,
    uncoalesced_access.RULE,
    memory_hotspot.RULE,
    bank_conflict.RULE,
    shared_memory_opportunity.RULE,
    transfer_bound.RULE,
    low_occupancy.RULE,
    slow_block.RULE,
    one_team.RULE,
    spills.RULE,
    divergence.RULE,
    assumed_trip_count.RULE,
    assumed_no_alias.RULE,
)


def findings(evaluation: NestEvaluation, disabled: AbstractSet[str] = frozenset()) -> tuple[Finding, ...]:
    """What all enabled rules say of a nest, in the order of the catalogue, then of the nodes."""
    plain = evaluation.with_one_output
    enabled = (rule for rule in RULES if rule.code not in disabled)
    found = (f for rule in enabled for f in rule.check(evaluation if rule.is_of_recommended else plain))
    return tuple(sorted(found, key=lambda f: (f.code, f.node)))


def rule_page(code: str) -> str | None:
    """The rule's page in markdown, None for a code that does not exist."""
    for rule in RULES:
        if rule.code == code.upper():
            title, _, rest = rule.page.partition("\n")
            return f"# {title.strip().rstrip('.')}\n{rest.rstrip()}\n"
    return None
