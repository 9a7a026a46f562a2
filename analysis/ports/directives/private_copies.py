"""Variables declared outside of a kernel of which each of its iterations needs its own, and what is left in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from warplens.analysis.dependence.scalars.privatization import is_live_after, is_surely_written
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.loop_bounds import certainly_runs
from warplens.analysis.ports.directives.refusal import is_inside


@dataclass(frozen=True, slots=True)
class PrivateCopies:
    """C names, sorted. `last` are scalars whose value of the last iteration is wanted after the loop.

    `arrays` (whole structures too) are by their names in the nest. `refusal` says why there are no such copies.
    """

    scalars: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    refusal: str = ""


def private_copies(
    facts: NestFacts, kernel: Kernel, distributed: Sequence[Loop], own: Collection[str]
) -> PrivateCopies:
    """What a directive at the kernel's outermost loop has to privatise; iterators of its loops have a copy anyway.

    `own` are arrays that nothing else in the function uses. Only an array of known size gets copies.
    """
    nest = facts.nest
    iterators = {loop.iterator for loop in distributed}
    private: set[str] = set()
    last: set[str] = set()
    for name in sorted(_changed(nest, kernel)):
        if is_live_after(nest, kernel.root, name):
            reason = _why_lost(nest, name, distributed, is_iterator=name in iterators)
            if reason:
                return PrivateCopies(refusal=reason)
            last.add(name)
        elif name not in iterators:
            private.add(name)
    for name in sorted(private | last):
        if not c_name(name).isidentifier():
            return PrivateCopies(refusal=f"each iteration sets `{c_name(name)}`: copy it to a variable of the loop")
    arrays = [a for a in nest.arrays if a.name in kernel.private and not is_inside(nest, kernel, a.declared_in)]
    for array in arrays:
        if array.name not in own or not _has_known_size(array):
            return PrivateCopies(
                refusal=f"`{c_name(array.name)}` is one array for all iterations: declare it in the loop's body"
            )
    names = [tuple(sorted(c_name(name) for name in each)) for each in (private, last)]
    return PrivateCopies(names[0], names[1], tuple(sorted(array.name for array in arrays)))


def _changed(nest: LoopNest, kernel: Kernel) -> set[str]:
    """Scalars declared outside of the kernel that its iterations set for themselves."""
    scalars = {scalar.name: scalar for scalar in nest.scalars}
    loops = [s for s in walk_statements((_root(nest, kernel),)) if isinstance(s, Loop)]
    # Headers that declare a name each share one object: where the first of them stands says nothing of the others.
    iterators = {loop.iterator for loop in loops if not loop.declares_iterator}
    names = scalars.keys() & ({*kernel.private, *iterators} - {one.iterator for one in loops if one.declares_iterator})
    return {name for name in names if not is_inside(nest, kernel, scalars[name].declared_in)}


def _why_lost(nest: LoopNest, name: str, distributed: Sequence[Loop], *, is_iterator: bool) -> str:
    """Why the last iteration doesn't leave in a scalar what the loop would; empty if it does.

    Where there is none, a `lastprivate` variable holds nothing, not what it held before.
    """
    lost = f"the value of `{c_name(name)}` after the loop may be used: it would be lost where"
    unsure = next((loop for loop in distributed if not certainly_runs(loop, nest.known)), None)
    if unsure is not None:
        return f"{lost} the loop over `{c_name(unsure.iterator)}` has no iteration"
    if not is_iterator and not is_surely_written(distributed[-1].body, name):
        return f"{lost} the last iteration sets none"
    return ""


def _has_known_size(array: ArrayObject) -> bool:
    return not array.is_pointer and all(extent is not None and extent.is_constant for extent in array.extents)


def _root(nest: LoopNest, kernel: Kernel) -> Loop:
    return next(loop for loop in loops_of(nest) if loop.id == kernel.root)
