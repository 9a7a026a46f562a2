"""The suggestion to store an array transposed, with what the nest would gain and what the transposition costs.

Neighbouring threads that read neighbouring rows of one column touch a sector each. Stored transposed they would read
one row. No edit is offered: an array's layout is a matter of all code that uses it, which no edit of one nest can
follow.

Cost: each byte is read and written once at the bandwidth of the GPU's memory, which no transposition beats.
Assumes: the array is on the GPU already. Not modelled: what other nests lose or gain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from warplens.analysis.advice.naming import accesses_of
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.rewrite_accesses import rewrite_accesses
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix
from warplens.analysis.ports.restructure.predicted_gain import LEAST_GAIN, gain_of, predicted_s
from warplens.analysis.text.quantities import ratio_text, time_text

CODE = "transpose"
_FINDINGS = ("WL201",)
_MOST_TRIED = 1
"""Arrays, and kernels of the nest: each array costs the search of a launch for each kernel."""


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One suggestion per array of which a kernel reads columns, with the numbers."""
    facts = context.evaluation.facts
    if len(facts.kernels) > _MOST_TRIED:
        return ()
    columns = dict.fromkeys(name for kernel in facts.kernels for name in _read_by_column(facts.nest, kernel))
    found = []
    for array in [*columns][:_MOST_TRIED]:
        after_s = predicted_s(context.evaluation, (analyse_nest(_transposed(facts.nest, array)),))
        gain = 1.0 if after_s is None else gain_of(context.evaluation, after_s)
        if gain >= LEAST_GAIN:
            found.append(
                OfferedFix(
                    CODE,
                    f"Store `{c_name(array)}` transposed",
                    facts.nest.root.id,
                    variant=c_name(array),
                    refusal=_suggestion(context, array, gain),
                    findings=_FINDINGS,
                    is_suggestion=True,
                )
            )
    return tuple(found)


def edit(_context: FixContext, offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """Nothing: what to do is for the user to decide."""
    return FixEdits(refusal=offer.refusal)


FIX = FixRule(CODE, offer, edit).of_source_order


def _read_by_column(nest: LoopNest, kernel: Kernel) -> Iterator[str]:
    """Arrays of which neighbouring threads touch neighbouring rows, and all of whose accesses could be turned."""
    x = next(loop.iterator for loop in kernel.grid if loop.loop == kernel.thread_order[0])
    by_array: dict[str, list[Access]] = {}
    for access in accesses_of(nest).values():
        by_array.setdefault(access.array, []).append(access)
    for name, accesses in by_array.items():
        array = nest.array(name)
        if array.scope == "body" or not _can_be_turned(array, accesses):
            continue
        inside = [facts.access for facts in kernel.accesses if facts.access.array == name]
        if any(_moves(access, -2, x) and not _moves(access, -1, x) for access in inside):
            yield name


def _can_be_turned(array: ArrayObject, accesses: list[Access]) -> bool:
    """Whether the last two dimensions are known, and each access has all of them."""
    if len(array.extents) < 2 or None in array.extents[-2:]:
        return False
    return all(
        not access.member and len(access.indices) == len(array.extents) and None not in access.indices
        for access in accesses
    )


def _moves(access: Access, dimension: int, iterator: str) -> bool:
    index = access.indices[dimension]
    return index is not None and iterator in index.symbols


def _transposed(nest: LoopNest, name: str) -> LoopNest:
    """The nest with the last two dimensions of an array in each other's place."""
    last, before = nest.array(name).extents[-1], nest.array(name).extents[-2]

    def change(access: Access) -> Access:
        if access.array != name:
            return access
        return replace(
            access,
            subscripts=(*access.subscripts[:-2], access.subscripts[-1], access.subscripts[-2]),
            indices=(*access.indices[:-2], access.indices[-1], access.indices[-2]),
            extents=(*access.extents[:-2], last, before),
        )

    arrays = tuple(
        replace(array, extents=(*array.extents[:-2], last, before)) if array.name == name else array
        for array in nest.arrays
    )
    return replace(rewrite_accesses(nest, change), arrays=arrays)


def _suggestion(context: FixContext, name: str, gain: float) -> str:
    evaluation = context.evaluation
    array = evaluation.facts.nest.array(name)
    follows = f"all other code that uses `{c_name(name)}` has to follow"
    if not grounds_of(evaluation).carry_numbers:
        return f"with `{c_name(name)}` stored transposed this nest is predicted to be faster; {follows}"
    values = evaluation.known_sizes
    size_bytes = float(array.element_bytes)
    for extent in array.extents:
        size_bytes *= 1.0 if extent is None else extent.evaluate(values)
    cost = time_text(2 * size_bytes / evaluation.gpu.dram.bandwidth_bytes_per_s)
    return (
        f"with `{c_name(name)}` stored transposed this nest is predicted to be {ratio_text(gain)} "
        f"faster, to transpose it once takes the GPU {cost}; {follows}"
    )
