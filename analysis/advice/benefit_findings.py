"""Which finding speaks of a bottleneck, and whether a quick fix gets its benefit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from warplens.analysis.advice.finding import Finding
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.benefit import Benefit, BenefitCause
from warplens.analysis.models.results.evaluation import KernelEvaluation

RULES_OF: Mapping[BenefitCause, tuple[str, ...]] = {
    "uncoalesced": ("WL201", "WL202"),
    "fetched again": ("WL204", "WL202"),
    "spills": ("WL401",),
    "memory latency": ("WL302", "WL202"),
    "divergence": ("WL402",),
    "bank conflicts": ("WL203",),
    "few warps": ("WL302",),
}
"""Codes of the rules that speak of a cause, the one that says most about it first; no rule speaks of the others."""


def linked_benefits(
    kernel: KernelEvaluation, findings: Iterable[Finding], fixes: AbstractSet[str]
) -> tuple[Benefit, ...]:
    """Benefits of a kernel with the code of the finding on one of its nodes that speaks of the bottleneck.

    `findings` are those of the nest, `fixes` the codes that the editor has a quick fix for in this nest. A benefit
    whose cause nothing was found about has no code: disabled rules stay silent here too.
    """
    nodes = frozenset(_nodes(kernel.kernel))
    found = {finding.code for finding in findings if finding.node in nodes}
    return tuple(_linked(benefit, found, fixes) for benefit in kernel.benefits)


def _linked(benefit: Benefit, found: AbstractSet[str], fixes: AbstractSet[str]) -> Benefit:
    codes = () if benefit.cause is None else RULES_OF.get(benefit.cause, ())
    code = next((code for code in codes if code in found), "")
    return replace(benefit, finding=code, has_fix=code in fixes)


def _nodes(kernel: Kernel) -> Iterator[NodeId]:
    """What a finding about the kernel may be on: its loop, its accesses, the branches and statements of its body."""
    yield kernel.root
    yield from (facts.access.id for facts in kernel.accesses)
    yield from _statements(kernel.program)


def _statements(program: tuple[Region, ...]) -> Iterator[NodeId]:
    for region in program:
        match region:
            case BasicBlock(instructions=instructions):
                yield from (instruction.statement for instruction in instructions)
            case ThreadLoop(loop=loop, body=body):
                yield loop
                yield from _statements(body)
            case Branch(statement=statement, then=then, otherwise=otherwise):
                yield statement
                yield from _statements(then)
                yield from _statements(otherwise)
