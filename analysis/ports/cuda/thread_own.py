"""What each thread of a kernel has of its own: variables that it sets, arrays of the iteration."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.dependence.scalars.privatization import is_live_after, is_read_before_written
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.ir.nest import Loop, Statement, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.unread_scalars import scalars_in
from warplens.analysis.ports.cuda.body_text import names_in
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.thread_body import written_in


def own_of_thread(
    facts: NestFacts, kernel: Kernel, body: tuple[Statement, ...], grid: Sequence[Loop], combined: frozenset[str]
) -> frozenset[str]:
    """Variables and arrays that each thread has of its own; raises PortRefusedError for shared ones."""
    nest = facts.nest
    scalars = {scalar.name: scalar for scalar in nest.scalars}
    inside = {loop.id for loop in (*grid, *walk_statements(body)) if isinstance(loop, Loop)}
    loops = {one.iterator for one in walk_statements(body) if isinstance(one, Loop)}
    written = (written_in(body) | loops) - combined
    used = frozenset().union(*map(names_in, body))
    found: set[str] = set()
    for name in sorted(written & frozenset().union(*map(scalars_in, body))):
        if name in scalars and scalars[name].declared_in not in inside:
            if name not in loops and is_read_before_written(body, name):
                raise PortRefusedError(f"`{c_name(name)}` goes from one iteration to the next")
            if is_live_after(nest, kernel.root, name):
                raise PortRefusedError(f"the value of `{c_name(name)}` after the loop may be used: it would be lost")
        found.add(name)
    copied = {name for loop in grid for name in facts.verdict(loop.id).copied_in}
    for array in nest.arrays:
        if array.name not in used or (array.declared_in not in inside and array.name not in kernel.private):
            continue
        if array.name in copied:
            raise PortRefusedError(
                f"`{c_name(array.name)}` would have to be copied for each iteration, as it was before"
            )
        if array.unstored == "values":
            raise PortRefusedError(f"the initialiser of `{c_name(array.name)}` is a string or a long table")
        if any(extent is None or not extent.is_constant for extent in array.extents) or array.is_pointer:
            raise PortRefusedError(f"each iteration has a `{c_name(array.name)}` of its own, whose size is no constant")
        found.add(array.name)
    return frozenset(found)
