"""A kernel distributed over its statements first, and then some of the kernels that come of it rewritten again.

A head of attention is a score per step, a softmax over the steps, and a sum per element: as one kernel it has a block
per head, which leaves most of a GPU idle; as four it has a warp per score, a block per softmax, a warp per element.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.ir.formula import ONE
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of, walk_statements
from warplens.analysis.mapping.candidate_mappings import points_spelled
from warplens.analysis.mapping.held_elements import held_elements
from warplens.analysis.mapping.mapped_nest import Rewritten, mapped_nest, with_parts
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest

Again = Callable[[SourceNest, Kernel, int], Rewritten | None]
"""How one of the kernels is rewritten again: of the nest as it is then, the kernel, and its number from 1."""


def distributed(source: SourceNest, names: NewNames, kernel: Kernel, again: Again) -> Rewritten | None:
    """The kernel with a thread per innermost iteration, and some of what comes of it as `again` says; None if none."""
    spelled = points_spelled(source, names, kernel, holds=False)
    if spelled is None:
        return None
    first, pulled = spelled
    mapped = mapped_nest(source, names, (first,))
    nest = SourceNest(mapped.facts)
    every = {one.root: again(nest, one, number) for number, one in enumerate(parts_of(mapped, kernel.root), 1)}
    seconds = [one for one in every.values() if one is not None]
    if not seconds:
        return None
    others = {root for root, found in every.items() if found is None}
    return after(first, [*seconds, *_holding(nest, names, others, pulled)])


def distributed_nest(source: SourceNest, kernel: Kernel) -> MappedNest | None:
    """The nest as it is when its kernels are rewritten again: no element is held in a variable yet."""
    names = NewNames(source.nest)
    spelled = points_spelled(source, names, kernel, holds=False)
    return None if spelled is None else mapped_nest(source, names, (spelled[0],))


def _holding(
    source: SourceNest, names: NewNames, roots: Collection[NodeId], pulled: Collection[NodeId]
) -> Iterator[Rewritten]:
    """The loops in order of kernels that stay as they are, with what they accumulate in a variable."""
    for loop in loops_of(source.nest):
        for one in walk_statements((loop,)) if loop.id in roots else ():
            if isinstance(one, Loop) and one.id in pulled:
                held = held_elements(source.nest, one, names)
                if held.scalars:
                    yield Rewritten(one.id, held.statements, scalars=held.scalars)


def parts_of(mapped: MappedNest, root: NodeId) -> tuple[Kernel, ...]:
    """The kernels that stand for one of the source's, in order, but for those of one thread."""
    kernels = (one for one in mapped.facts.kernels if mapped.region(one.root) == root)
    return tuple(one for one in kernels if any(loop.trip_count != ONE for loop in one.grid))


def after(first: Rewritten, seconds: Sequence[Rewritten]) -> Rewritten:
    """What two rewritings make of a loop: `seconds` are of loops that `first` wrote."""
    of_first = dict(first.copies)
    copies = dict(first.copies) | {new: of_first.get(old, old) for one in seconds for new, old in one.copies}
    return replace(
        first,
        statements=with_parts(first.statements, {one.root: one for one in seconds}),
        teams=(*first.teams, *(team for one in seconds for team in one.teams)),
        copies=tuple(copies.items()),
        scalars=(*first.scalars, *(scalar for one in seconds for scalar in one.scalars)),
        arrays=(*first.arrays, *(array for one in seconds for array in one.arrays)),
        split=(*first.split, *(part for one in seconds for part in one.split)),
        parallel=(*first.parallel, *(loop for one in seconds for loop in one.parallel)),
        reordered=(*first.reordered, *(sum_ for one in seconds for sum_ in one.reordered)),
        steps=(*first.steps, *(loop for one in seconds for loop in one.steps)),
        bounded=(*first.bounded, *(loop for one in seconds for loop in one.bounded)),
        levels=(*first.levels, *((of_first.get(loop, loop), level) for one in seconds for loop, level in one.levels)),
        atomic=(*first.atomic, *(loop for one in seconds for loop in one.atomic)),
    )
