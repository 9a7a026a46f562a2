"""Whether dependence analysis proves a change of the user's text: no assumption may be left, no sum be rounded anew."""

from __future__ import annotations

from collections import Counter

from warplens.analysis.advice.naming import node_text, pair_text
from warplens.analysis.dependence.transforms.dependence_graph import StatementDependence
from warplens.analysis.dependence.transforms.legality import Legality
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.workload.accesses.sites import access_sites

MOST_PAIRS = 300
"""Pairs of accesses of one array, one of them a write, that are compared for an offer: each takes up to 0.5 ms."""

TOO_LARGE = "the loops have too many accesses to compare each with the others"


def is_small(nest: LoopNest) -> bool:
    """Whether all dependences of a nest can be found while an editor waits."""
    accesses: Counter[str] = Counter(site.access.array for site in access_sites(nest))
    reads: Counter[str] = Counter(site.access.array for site in access_sites(nest) if not site.is_write)
    return sum(n * (n + 1) // 2 - reads[name] * (reads[name] + 1) // 2 for name, n in accesses.items()) <= MOST_PAIRS


def unproved(facts: NestFacts, legality: Legality) -> str:
    """Why a change is not proved to compute the same, in the source's terms; empty if it is."""
    nest = facts.nest
    if not legality.is_legal:
        return legality.reason or _because(nest, legality.because[0])
    if legality.reordered:
        return f"`{c_name(legality.reordered[0])}` would be added up in another order, which rounds differently"
    scratch = {array.name for array in nest.arrays if array.name not in nest.scratch}
    shared = next((name for name in legality.private if name in scratch), "")
    if shared:
        return f"`{c_name(shared)}` would need a copy for each iteration"
    promised = {a.promise.subject for verdict in facts.verdicts for a in verdict.assumptions if a.promise is not None}
    said = next((name for name in legality.private if name in promised), "")
    if said:
        return f"that each iteration has a `{c_name(said)}` of its own is promised by a comment, not proved"
    return next((missing(one) for one in legality.assumptions if one.kind != "context"), "")


def missing(assumption: Assumption) -> str:
    """What an assumption leaves unproved, and what the user can do."""
    if assumption.kind != "alias":
        text = assumption.text.rstrip(".")
        return f"{text[:1].lower()}{text[1:]}, which is not proved"
    hint = ": declare them `restrict` first" if len(assumption.names) > 1 else ""
    return f"{pair_text(assumption)} may overlap in memory{hint}"


def _because(nest: LoopNest, dependence: StatementDependence) -> str:
    source, sink = node_text(nest, dependence.source), node_text(nest, dependence.sink)
    if dependence.source == dependence.source_statement:  # a scalar
        source = sink = f"`{c_name(dependence.variable)}`"
    when = "in the same iteration"
    if dependence.carrier is not None:
        loop = next(loop for loop in loops_of(nest) if loop.id == dependence.carrier)
        when = f"in an earlier iteration of the loop over `{c_name(loop.iterator)}`"
    may = "" if dependence.vector.is_exact else "may "
    match dependence.kind:
        case "flow":
            verb, was = ("read" if may else "reads"), "was written"
        case "anti":
            verb, was = ("overwrite" if may else "overwrites"), "is read"
        case _:
            verb, was = ("overwrite" if may else "overwrites"), "was written"
    return f"{sink} {may}{verb} what {was} by {source} {when}, which must stay first"
