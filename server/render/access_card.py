"""What a hover on an array access or a statement says: its delay, its transactions, how long it is waited for."""

from __future__ import annotations

from warplens.analysis.advice.naming import node_text
from warplens.analysis.facts.program import Instruction, Region, blocks
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.text.quantities import bytes_text, count_text, extent_text, percent_text
from warplens.server.render.card import Card, Section
from warplens.server.render.loop_reasons import LEAST_SHARE, access_verb
from warplens.server.render.model_names import model_name

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
    hotspot = next((h for h in kernel.prediction.hotspots if h.access == cost.access), None)
    rows: list[tuple[str, str]] = []
    if hotspot is not None:
        rows.append(("delay", f"{count_text(round(hotspot.delay_cycles))} cycles per request"))
    if cost.served_by == "shared":
        staged = (c for c in kernel.prediction.launch.shared if cost.access in c.accesses)
        rows += [
            ("served by", f"shared memory: the block stages `{c_name(c.array)}`, {bytes_text(c.size_bytes)}")
            for c in staged
        ]
    elif cost.pattern != "private":
        unit = f"of {evaluation.gpu.l2.sector_bytes} B per warp"
        place = _PLACES[cost.served_by]
        rows += [
            ("transactions", f"{_sectors(cost.sectors)} {unit}, ideal {_number(cost.ideal_sectors)}"),
            ("served by", f"{place}: {cost.why}" if cost.why else place),
        ]
    if cost.conflict_degree > 1:
        rows.append(("bank conflicts", f"{cost.conflict_degree}-way"))
    what = node_text(evaluation.facts.nest, cost.access)
    headline = (
        f"{_waiting(what, hotspot.idle_share if hotspot else 0.0)}: {_pattern(cost, evaluation.gpu.warp_size_threads)}."
    )
    return Card(headline, tuple(rows), footer=_footer(evaluation, kernel))


def _pattern(cost: AccessCost, warp_threads: int) -> str:
    """How the threads of a warp touch it, and what that costs."""
    if cost.pattern != "strided" or cost.stride_bytes is None:
        return _PATTERNS[cost.pattern]
    fetched = (
        f"{warp_threads} threads fetch {_sectors(cost.sectors)} of memory where {_number(cost.ideal_sectors)} would do"
    )
    return f"strided: neighbouring threads are {bytes_text(abs(cost.stride_bytes))} apart, so {fetched}"


def _statement_card(evaluation: NestEvaluation, kernel: KernelEvaluation, statement: NodeId) -> Card:
    nest = evaluation.facts.nest
    mine = [i for i in _instructions(kernel.kernel.program) if i.statement == statement]
    memory = [i.access for i in mine if i.access is not None]
    hotspots = [h for h in kernel.prediction.hotspots if h.statement == statement]
    costs = {cost.access: cost for cost in kernel.prediction.costs}
    items: list[str] = []
    for access in memory:
        cost = costs.get(access)
        detail = ""
        if cost is not None:
            from_where = "" if cost.served_by == "shared" else f", {cost.pattern}, served by {_PLACES[cost.served_by]}"
            detail = f": {_moved(cost)}{from_where}"
        items.append(f"{access_verb(kernel, access)} {node_text(nest, access)}{detail}.")
    rows = [
        ("instructions", f"{len(mine)} per execution, {len(memory)} of them memory"),
        ("FLOP", f"{sum(i.flops for i in mine)} per execution"),
    ]
    if hotspots:
        delay = max(h.delay_cycles for h in hotspots)
        rows.insert(0, ("delay", f"{count_text(round(delay))} cycles (its slowest request)"))
    return Card(
        f"{_waiting(node_text(nest, statement), sum(h.idle_share for h in hotspots))}.",
        tuple(rows),
        (Section("Accesses", tuple(dict.fromkeys(items))),),
        _footer(evaluation, kernel),
    )


def _waiting(what: str, share: float) -> str:
    """How much of the kernel's time is lost."""
    if share < LEAST_SHARE:
        return f"The kernel hardly waits for {what}"
    return f"The kernel waits for {what} for {percent_text(min(1.0, share))} of its time"


def _moved(cost: AccessCost) -> str:
    if cost.served_by == "shared":
        return "from shared memory"
    return "private to the thread" if cost.pattern == "private" else f"{_sectors(cost.sectors)} per warp"


def _instructions(program: tuple[Region, ...]) -> list[Instruction]:
    return [instruction for block, _ in blocks(program) for instruction in block.instructions]


def _footer(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    launch = kernel.prediction.launch
    return f"Model {model_name(kernel.prediction.model)} on {evaluation.gpu.name}, block {extent_text(launch.block)}"


def _sectors(count: float) -> str:
    return "1 sector" if count == 1 else f"{_number(count)} sectors"


def _number(value: float) -> str:
    return f"{value:.3g}"
