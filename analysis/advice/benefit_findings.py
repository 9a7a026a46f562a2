"""Which finding speaks of a bottleneck, what it gains, and whether a quick fix gets its benefit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from warplens.analysis.advice.finding import Finding
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.benefit import Benefit, BenefitCause
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.rounded import round_ratio, times_text

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


def with_gains(
    evaluation: NestEvaluation, found: Iterable[Finding], *, is_recommended: bool = True
) -> tuple[Finding, ...]:
    """The findings with what the kernel gains where the bottleneck that they speak of is gone, where that is known.

    `evaluation` has linked benefits; where it is not the recommended one, whose launches directives can't ask for, that
    is said. What a finding gains by itself stays; numbers without a ground are none.
    """
    if not grounds_of(evaluation).carry_numbers:
        return tuple(found)
    gains: dict[tuple[str, NodeId], float] = {}
    for kernel in evaluation.kernels:
        by_code = {each.finding: each.gain for each in sorted(kernel.benefits, key=lambda each: each.share)}
        for code, gain in by_code.items():  # of two that one rule speaks of the larger
            gains.update(((code, node), gain) for node in _nodes(kernel.kernel))
    kernel_text = "the kernel" if is_recommended else "the kernel that directives ask for"
    return tuple(_with_gain(finding, gains.get((finding.code, finding.node)), kernel_text) for finding in found)


def _with_gain(finding: Finding, gain: float | None, kernel: str) -> Finding:
    if gain is None or finding.gain is not None:
        return finding
    if round_ratio(gain) <= 1:
        return replace(finding, gain=gain)
    return replace(
        finding,
        gain=gain,
        message=f"{finding.message} Without that, {kernel} would be up to {times_text(gain)} faster.",
    )


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
