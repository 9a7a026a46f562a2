"""Arrays of the function that an iteration uses as scratch paper: one copy each, if it reads only what it wrote itself.

A loop that shares such an array is carried only with a witness that copies would not take away: a read that surely
runs, of what earlier iterations write, without a write before it in its own iteration that surely runs too.

Source: Tu, Padua, Automatic array privatization, LCPC 1993.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.dependence.conflicts.dense_ranges import is_written_as_range
from warplens.analysis.dependence.conflicts.dependence import Finding
from warplens.analysis.dependence.conflicts.whole_array import whole_array
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver, TooComplexError
from warplens.analysis.dependence.integer_sets.quick_tests import members_differ
from warplens.analysis.dependence.scalars.privatization import are_elements_read_before_written
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.subscripts.quasi_affine import as_written
from warplens.analysis.dependence.subscripts.settled_branches import Sides, settled_sides
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import ArrayOf, CType, StructOf

_MOST_PARTS = 32
"""Numbers in a struct that is read as a whole; of one with more it has to be set as a whole."""


def may_be_set_first(group: Iterable[Reference]) -> bool:
    """Whether each read of a scalar stands behind a write that may have set it, and no write goes on from what it held.

    Then data decides whether an iteration reads only what it wrote: `if (k[i]) last = x[i]; y[i] = last;`.
    """
    reads = {r.statement for r in group if not r.is_write}
    writes = {r.statement for r in group if r.is_write}
    return bool(writes) and reads.isdisjoint(writes) and all(min(writes) < read for read in reads)


def may_have_copies(array: ArrayObject) -> bool:
    """Whether an array is the function's own, declared or allocated there: nobody else may want to read it later."""
    return array.scope in {"local", "body"} and (not array.is_pointer or array.is_allocated)


def with_own_copies(
    finding: Finding,
    group: list[Reference],
    solver: ConflictSolver,
    level: int,
    *,
    is_said: bool,
    fillers: Collection[NodeId] = (),
    is_lent: bool = False,
    inside: tuple[LoopNest, Loop] | None = None,
) -> Finding:
    """What an array that iterations share comes to if each of them has its own copy.

    `is_said` if somebody says that copies would do; that is not taken against a witness. `fillers` are statements
    that hand the array to calls which may fill it: what is read after one is no witness. `is_lent` of a parameter: what
    the loop itself wrote in an earlier iteration is then taken to be meant by the read. The nest and the loop that it
    is `inside` tell which branches all iterations take.
    """
    name = finding.variable
    writes = [r for r in group if r.is_write]
    surely = [r for r in writes if r.place.is_exact_for(level)]
    try:
        reads = [part for r in group if not r.is_write for part in _parts(r)]
        missing = [r for r in reads if not solver.is_written_before(r, surely, level) and not _is_set(r, inside)]
        unsure = [r for r in missing if not _is_all_set(r, writes, solver, level, inside)]
        if not unsure:
            return Finding(name, "private")
        sides = {} if inside is None or not unsure or fillers or is_lent else settled_sides(*inside)
        kept = [] if fillers or is_lent else [r for r in unsure if _is_kept(r, writes, sides, solver, level)]
        if len(kept) == len(unsure):
            reason = f"copies of `{c_name(name)}` start with what it holds before the loop"
            return Finding(name, "private", reason=reason, is_copied_in=True)
        filled = [r for r in unsure if _may_be_filled(r, fillers, level)]
        if is_lent:
            filled = [r for r in filled if all(solver.conflict(write, r, level) is None for write in writes)]
        certain = [r for r in unsure if _is_certain(r, level) and r not in filled and r not in kept]
        filled_for = [solver.sizes_that_fill(read, surely, level) for read in certain]
        never = [read for read, sizes in zip(certain, filled_for, strict=True) if sizes is None]
        if finding.kind == "unknown":
            never = [r for r in never if all(_is_certain(w, level) or not _may_come_first(w, r, level) for w in writes)]
        elif any(solver.conflict(write, read, level) is not None for read in never for write in writes):
            return finding
    except TooComplexError:
        reason = f"whether each iteration fills what it reads of `{c_name(name)}` takes too many operations to decide"
        undecided = finding if finding.kind == "unknown" else replace(finding, kind="unknown", reason=reason)
        return Finding(name, "private") if is_said else replace(undecided, may_be_private=True)
    if is_said and not never:
        return Finding(name, "private", is_copied_in=bool(kept))
    if finding.kind == "unknown":
        return replace(finding, may_be_private=not never)
    deciding = dict.fromkeys(f"`{as_written(n)}`" for names in filled_for for n in names or ())
    shown = c_name(name)
    reason = f"iterations share `{shown}`, and whether each reads only what it wrote itself is not known"
    if never:
        reason = f"iterations share `{shown}`, and their copies would have to start with what it holds before the loop"
    elif deciding and len(certain) == len(unsure):
        reason = f"whether an iteration fills what it reads of `{shown}` depends on {', '.join(deciding)}"
    nodes = tuple(dict.fromkeys(read.id for read in never or unsure))
    return replace(finding, kind="unknown", reason=reason, blockers=nodes, may_be_private=not never)


def _is_set(read: Reference, inside: tuple[LoopNest, Loop] | None) -> bool:
    """Whether each path through an iteration sets an element with constant subscripts before it gets to a read."""
    if inside is None or read.access is None:
        return False
    return not are_elements_read_before_written(inside[1].body, (read.access,))


def _is_all_set(
    read: Reference,
    writes: list[Reference],
    solver: ConflictSolver,
    level: int,
    inside: tuple[LoopNest, Loop] | None,
) -> bool:
    """Whether a read finds what its iteration wrote since that set all elements there are, or all in a range."""
    if inside is None:
        return False
    surely = [r for r in writes if r.place.is_exact_for(level)]
    is_decided = None in read.positions or read.is_decided_by_data(level)
    whole = whole_array(read, inside[0]) if is_decided else None
    if whole is not None and solver.is_written_before(whole, surely, level):
        return True
    return is_written_as_range(read, writes, solver, level, inside[0])


def _is_kept(
    read: Reference, writes: list[Reference], sides: dict[NodeId, Sides], solver: ConflictSolver, level: int
) -> bool:
    """Whether a read finds what its own iteration wrote or what stood there before, whichever branches are taken."""
    for write in (w for w in writes if not members_differ(w, read)):
        around = sides.get(write.statement)
        if around is None:
            return False
        taken = [w for w in writes if w.place.is_exact_for(level) or sides.get(w.statement, around) < around]
        taken += [w for w in writes if sides.get(w.statement) == around]
        exact = [replace(w, place=replace(w.place, uncertain_depth=level)) for w in taken]
        if not solver.is_written_before(read, exact, level):
            return False
    return True


def _parts(read: Reference) -> tuple[Reference, ...]:
    """The reads of each number that a read of a whole struct is: an iteration may have set them one by one."""
    access = read.access
    if access is None or access.member or not isinstance(access.type, StructOf):
        return (read,)
    numbers = list(islice(_numbers(access.type, read.first_byte), _MOST_PARTS + 1))
    if len(numbers) > _MOST_PARTS or any(not size for _, size in numbers):
        return (read,)
    return tuple(replace(read, first_byte=first, size_bytes=size) for first, size in numbers)


def _numbers(ctype: CType, first_byte: int) -> Iterator[tuple[int, int]]:
    """First byte and size of what a type is made of, size 0 where that is not known; padding is left out."""
    match ctype:
        case StructOf(fields=fields, is_union=False):
            for field in fields:
                yield from _numbers(field.type, first_byte + field.offset_bytes)
        case ArrayOf(element, extent) if extent is not None and extent.is_constant and (size := size_bytes(element)):
            for k in range(extent.constant_term):
                yield from _numbers(element, first_byte + k * size)
        case _:
            yield first_byte, size_bytes(ctype) or 0


def _is_certain(reference: Reference, level: int) -> bool:
    """Whether no data decides if it runs and what it touches."""
    is_known = None not in reference.positions and not reference.is_decided_by_data(level)
    return is_known and reference.place.is_exact_for(level)


def _may_be_filled(read: Reference, fillers: Collection[NodeId], level: int) -> bool:
    """Whether one of these statements may run before the read in one iteration."""
    around = {s.id for loop in read.place.loops[level + 1 :] for s in walk_statements(loop.body)} if fillers else set()
    return any(filler < read.statement or filler in around for filler in fillers)


def _may_come_first(write: Reference, read: Reference, level: int) -> bool:
    """Whether the write may run before the read in one iteration: earlier in the text, or in an inner loop of both."""
    loops = {loop.id for loop in write.place.loops[level + 1 :]}
    return write.statement < read.statement or any(loop.id in loops for loop in read.place.loops)
