"""The suggestion to read an array from a copy made before the loop, where nothing else orders its iterations.

A loop that overwrites what other iterations read before (`x[i] = x[i + 1] + b[i]`) is parallel into a copy. No edit is
offered: who owns the copy's memory, and whether it may be kept from call to call, is for the program to say.

Cost: each byte is read and written once at the bandwidth of the GPU's memory.
Assumes: the array is on the GPU already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from warplens.analysis.advice.naming import accesses_of
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.dependence.transforms.old_values import OldValues, old_values
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of
from warplens.analysis.ir.rewrite_accesses import rewrite_accesses
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import added
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix
from warplens.analysis.ports.restructure.predicted_gain import LEAST_GAIN, gain_of, predicted_s
from warplens.analysis.ports.restructure.proof import is_small
from warplens.analysis.text.quantities import bytes_text, ratio_text

CODE = "copy"
_FINDINGS = ("WL101",)


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One suggestion: for the outermost loop that copies make parallel, with the numbers."""
    facts = context.evaluation.facts
    has_ground = grounds_of(context.evaluation).carry_numbers
    for loop, copies in _candidates(context):
        after = analyse_nest(_read_from_copies(facts.nest, copies))
        if not after.verdict(loop.id).can_run_in_parallel:
            continue
        names = ", ".join(f"`{c_name(copy.array)}`" for copy in copies)
        source = "copies" if len(copies) > 1 else "a copy"
        size_bytes = sum(_size_bytes(context, copy.array) for copy in copies)
        after_s = predicted_s(context.evaluation, (after,))
        if after_s is not None:
            after_s += 2 * size_bytes / context.evaluation.gpu.dram.bandwidth_bytes_per_s
        gain = 1.0 if after_s is None else gain_of(context.evaluation, after_s)
        speed = f", predicted to be {ratio_text(gain)} faster" if gain >= LEAST_GAIN and has_ground else ""
        said = (
            f"with {_listed(facts.nest, copies)} read from {source} of {names} made before the loop over "
            f"`{c_name(loop.iterator)}` ({bytes_text(size_bytes)}), its iterations are parallel{speed}"
        )
        title = f"Read {names} from {source} made before the loop"
        return (OfferedFix(CODE, title, loop.id, refusal=said, findings=_FINDINGS, is_suggestion=True),)
    return ()


def edit(_context: FixContext, offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """Nothing: where the copy lives is for the user to decide."""
    return FixEdits(refusal=offer.refusal)


FIX = FixRule(CODE, offer, edit).of_source_order


def _candidates(context: FixContext) -> Iterator[tuple[Loop, tuple[OldValues, ...]]]:
    """Carried loops that no kernel has, with the copies that make them parallel, outermost first."""
    facts = context.evaluation.facts
    carried = [v.loop for v in facts.verdicts if v.kind == "carried" and all(d.kind == "anti" for d in v.dependences)]
    if not carried or facts.kernels or not is_small(facts.nest):
        return
    graph = legality_of(facts.nest, facts.verdicts).graph
    for loop in loops_of(facts.nest):
        copies = old_values(graph, loop.id) if loop.id in carried else ()
        if copies:
            yield loop, copies


def _read_from_copies(nest: LoopNest, copies: Sequence[OldValues]) -> LoopNest:
    """The nest with those reads of arrays that nothing writes."""
    names = {copy.array: added(copy.array, "before") for copy in copies}
    reads = frozenset[int]().union(*(copy.reads for copy in copies))

    def change(access: Access) -> Access:
        return replace(access, array=names[access.array]) if access.id in reads else access

    made = tuple(
        replace(nest.array(old), name=new, scope="local", is_pointer=False, may_point_into=(), used_after=False)
        for old, new in names.items()
    )
    return replace(rewrite_accesses(nest, change), arrays=(*nest.arrays, *made))


def _listed(nest: LoopNest, copies: Sequence[OldValues]) -> str:
    accesses = accesses_of(nest)
    texts = dict.fromkeys(accesses[node].written for copy in copies for node in sorted(copy.reads) if node in accesses)
    return ", ".join(f"`{text}`" for text in texts)


def _size_bytes(context: FixContext, name: str) -> float:
    """What the nest touches of the array at the sizes in force."""
    facts = context.evaluation.facts
    values = context.evaluation.known_sizes
    moved = (t for t in facts.transfers if t.array == name)
    return max((float(f.evaluate(values)) for t in moved for f in (t.in_bytes, t.out_bytes)), default=0.0)
