"""What a hover on an array access or a statement says: its delay, its transactions, its share of idle time."""

from __future__ import annotations

from warplens.analysis.advice.naming import node_text
from warplens.analysis.advice.quantities import bytes_text, count_text, percent_text
from warplens.analysis.facts.program import Instruction, Region, blocks
from warplens.analysis.gpu.access_cost import AccessCost
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.evaluation import KernelEvaluation, NestEvaluation
from warplens.server.render.card import Card, Section
from warplens.server.render.launch_words import block_text
from warplens.server.render.loop_reasons import LEAST_SHARE, access_verb
from warplens.server.render.model_words import model_name

_PATTERNS = {
    "broadcast": "broadcast: the warp reads one address",
    "coalesced": "coalesced: neighbouring threads touch neighbouring elements",
    "misaligned": "misaligned: contiguous, but it starts inside a sector",
    "strided": "strided: neighbouring threads are apart",
    "gathered": "gathered: the addresses depend on data",
    "private": "private to the thread",
}
_PLACES = {"dram": "device memory", "l2": "L2", "l1": "L1", "shared": "shared memory", "register": "a register"}


def node_card(evaluation: NestEvaluation, node: NodeId) -> Card | None:
    """The card of an access or a statement, None for a node that no kernel executes."""
    for kernel in evaluation.kernels:
        for cost in kernel.prediction.costs:
            if cost.access == node:
                return _access_card(evaluation, kernel, cost)
    for kernel in evaluation.kernels:
        if any(instruction.statement == node for instruction in _instructions(kernel.kernel.program)):
            return _statement_card(evaluation, kernel, node)
    return None


def _access_card(evaluation: NestEvaluation, kernel: KernelEvaluation, cost: AccessCost) -> Card:
    nest = evaluation.facts.nest
    hotspot = next((h for h in kernel.prediction.hotspots if h.access == cost.access), None)
    rows = [("pattern", _PATTERNS[cost.pattern])]
    if cost.pattern != "private":
        unit = f"of {evaluation.gpu.l2.sector_bytes} B per warp"
        rows.append(("transactions", f"{_sectors(cost.sectors)} {unit}, ideal {_number(cost.ideal_sectors)}"))
        rows.append(
            ("stride", "not constant" if cost.stride_bytes is None else f"{cost.stride_bytes} B between threads")
        )
        place = _PLACES[cost.served_by]
        rows.append(("served by", f"{place}: {cost.why}" if cost.why else place))
    if cost.conflict_degree > 1:
        rows.append(("bank conflicts", f"{cost.conflict_degree}-way"))
    share = ""
    if hotspot is not None:
        rows.insert(0, ("delay", f"{count_text(round(hotspot.delay_cycles))} cycles per request"))
        if hotspot.idle_share >= LEAST_SHARE:
            idle = percent_text(hotspot.idle_share)
            rows.append(("idle time", f"{idle} of the kernel's time is spent waiting for it"))
            share = f", {idle} of the idle time"
    headline = f"{node_text(nest, cost.access)}: {_sectors(cost.sectors)} per warp{share}"
    staged = [c for c in kernel.prediction.launch.shared if cost.access in c.accesses]
    return Card(
        headline if cost.pattern != "private" else f"{node_text(nest, cost.access)}: private to the thread",
        tuple(rows),
        (
            Section(
                "Shared memory",
                tuple(f"`{c.array}` is staged by the block: {bytes_text(c.size_bytes)}." for c in staged),
            ),
        ),
        _footer(evaluation, kernel),
    )


def _statement_card(evaluation: NestEvaluation, kernel: KernelEvaluation, statement: NodeId) -> Card:
    nest = evaluation.facts.nest
    mine = [i for i in _instructions(kernel.kernel.program) if i.statement == statement]
    memory = [i for i in mine if i.access is not None]
    hotspots = [h for h in kernel.prediction.hotspots if h.statement == statement]
    share = sum(h.idle_share for h in hotspots)
    costs = {cost.access: cost for cost in kernel.prediction.costs}
    items: list[str] = []
    for instruction in memory:
        if instruction.access is None:
            continue
        cost = costs.get(instruction.access)
        detail = ""
        if cost is not None:
            place = _PLACES[cost.served_by]
            detail = f": {_sectors(cost.sectors)} per warp, {cost.pattern}, served by {place}"
        items.append(f"{access_verb(kernel, instruction.access)} {node_text(nest, instruction.access)}{detail}.")
    rows = [
        ("instructions", f"{len(mine)} per execution, {len(memory)} of them memory"),
        ("FLOP", f"{sum(i.flops for i in mine)} per execution"),
    ]
    if hotspots:
        delay = max(h.delay_cycles for h in hotspots)
        rows.insert(0, ("delay", f"{count_text(round(delay))} cycles (its slowest request)"))
        rows.append(("idle time", f"{percent_text(share)} of the kernel's time is spent waiting for it"))
    return Card(
        f"{node_text(nest, statement)}: {percent_text(share)} of the idle time",
        tuple(rows),
        (Section("Accesses", tuple(dict.fromkeys(items))),),
        _footer(evaluation, kernel),
    )


def _instructions(program: tuple[Region, ...]) -> list[Instruction]:
    return [instruction for block, _ in blocks(program) for instruction in block.instructions]


def _footer(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    launch = kernel.prediction.launch
    return f"Model {model_name(kernel.prediction.model)} on {evaluation.gpu.name}, block {block_text(launch.block)}"


def _sectors(count: float) -> str:
    return "1 sector" if count == 1 else f"{_number(count)} sectors"


def _number(value: float) -> str:
    return f"{value:.3g}"
