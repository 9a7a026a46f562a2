"""Pairs of names that a loop may reach the same memory by, and what would have to be said so that it doesn't.

The function's own assignments say that a pointer may lead into what another name stands for, but not where to: whether
the loop's elements are the same ones is the user's to know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

from warplens.analysis.dependence.pointers.aliasing import scalars_in_memory, shared_pairs
from warplens.analysis.dependence.pointers.moving_pointers import known_as, possible_rows, scratch_objects
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, Loop, LoopNest, walk_statements
from warplens.analysis.ir.promises.in_force import PromisesInForce
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.separate import Separate
from warplens.analysis.ir.promises.unshared import Unshared
from warplens.analysis.ir.separation import Separation, star
from warplens.analysis.ir.source_names import c_name

Pair = frozenset[str]

_MOST_NAMES = 40
"""Names of one loop that sentences are made for."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """A reason, the statement it is about, and the names as the source has them: one for a pointer at two places.

    `objects` are the two as the nest has them. Where a called function was handed one array that both are in, its name
    stands for both.

    `is_plain` where the names mean the same to the user at the loop as in it.
    """

    reason: str
    node: NodeId
    names: Pair
    objects: Pair
    is_plain: bool

    @property
    def can_be_denied(self) -> bool:
        """Whether the user can say of these names that they don't overlap."""
        return self.is_plain and len(self.names) == 2

    def is_denied(self, apart: Collection[Pair], unshared: AbstractSet[str]) -> bool:
        """Whether somebody says so, or that what one iteration writes by a name no other one reaches by it."""
        return self.is_plain and (self.names in apart or (len(self.names) == 1 and self.names <= unshared))


def overlaps(nest: LoopNest, loop: Loop) -> tuple[Overlap, ...]:
    """Every pair of which the loop writes one, or is not known not to."""
    objects = {array.name: array for array in nest.arrays}
    accessed: dict[str, NodeId] = {}
    assigned: dict[str, NodeId] = {}
    written: set[str] = set()
    inside = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    for statement in walk_statements((loop,)):
        for access in accesses_of(statement):
            accessed.setdefault(access.array, statement.id)
        match statement:
            case Assign(id, ScalarRef(name)):
                assigned.setdefault(name, id)
            case Assign(_, Access() as target):
                written.add(target.array)
            case _:
                pass
    own = {s.name for s in nest.scalars if s.scope == "body"} if nest.inlined else set()
    fresh = {s.name for s in nest.scalars if s.declared_in in inside}
    found = []
    for scalar, array in scalars_in_memory(nest, assigned, accessed, written):
        if scalar in fresh and array != scalar and array not in written:
            continue  # what an iteration reads of its own variables meets no other one
        names = frozenset((c_name(scalar), c_name(array)))
        is_plain = len(names) == 2 and scalar not in own and not objects[array].is_of_called
        reason = (
            f"`{scalar}` is reached through a pointer too" if array == scalar else f"`{array}` may point to `{scalar}`"
        )
        found.append(Overlap(reason, accessed[array], names, frozenset((scalar, array)), is_plain))
    for left, right in shared_pairs([objects[name] for name in accessed if name in objects], written):
        if left.declared_in not in inside or right.declared_in not in inside:
            names = frozenset((c_name(left.name), c_name(right.name)))
            is_plain = not (left.is_of_called or right.is_of_called)
            if not is_plain and known_as(left) == known_as(right) != "":
                names, is_plain = frozenset((known_as(left),)), True
            pair = frozenset((left.name, right.name))
            found.append(Overlap(_meeting(left, right), accessed[left.name], names, pair, is_plain))
    return tuple(found)


def _meeting(left: ArrayObject, right: ArrayObject) -> str:
    one, other = c_name(left.name), c_name(right.name)
    if one == other:
        return f"`{one}` may point into the same memory at different places of the loop"
    if not right.is_pointer or (left.is_pointer and left.scope in {"local", "body"}):
        return f"`{one}` may point into `{other}`"
    return f"`{other}` may point into `{one}`"


def are_about(nest: LoopNest, pairs: Iterable[Pair]) -> bool:
    """Whether a nest has both names of a pair."""
    names = {c_name(array.name) for array in nest.arrays if not array.is_of_called}
    names |= {c_name(scalar.name) for scalar in nest.scalars if scalar.address_taken}
    return any(pair <= names for pair in pairs)


def deniable_pairs(nest: LoopNest, loop: Loop, copied: Collection[str] = ()) -> frozenset[Pair]:
    """Pairs of a loop of which the user can say that they don't overlap; not those of objects that have copies."""
    met = (one for one in overlaps(nest, loop) if not one.objects <= set(copied))
    return frozenset(one.names for one in met if one.can_be_denied)


def names_met_twice(nest: LoopNest, loop: Loop, copied: Collection[str] = ()) -> frozenset[str]:
    """Pointers of a loop that may lead to one memory at different places of it; not those to what has copies."""
    met = (one for one in overlaps(nest, loop) if not one.objects <= set(copied))
    return frozenset(name for one in met if one.is_plain and len(one.names) == 1 for name in one.names)


def missing_statements(nest: LoopNest, loop: Loop, promises: PromisesInForce) -> tuple[Promise, ...]:
    """What would have to be said of the names of a loop, besides what is; each name in it is in the way.

    Of a pointer that each iteration sets, or that leads to one memory at different places: that it has no shared
    elements; of two names: that they don't overlap.
    """
    private = promises.names(Private)
    copied = scratch_objects(nest, loop, private)
    unshared = possible_rows(nest, loop, private) | names_met_twice(nest, loop, copied)
    unshared -= promises.names(Unshared)
    pairs = deniable_pairs(nest, loop, copied) - promises.apart
    if len(frozenset[str]().union(*pairs)) > _MOST_NAMES:
        return ()
    return (*map(Unshared, sorted(unshared)), *map(Separate, _separations(pairs)))


def used_separations(
    nest: LoopNest, loop: Loop, promises: PromisesInForce, assumed: Iterable[Assumption]
) -> tuple[list[Assumption], list[Separate]]:
    """What is assumed of a loop without what was promised, and the promises about names that it needs."""
    apart = promises.apart
    of_called = {c_name(array.name) for array in nest.arrays if array.is_of_called}
    needed = deniable_pairs(nest, loop) & apart if apart else set()
    left: list[Assumption] = []
    unshared = promises.names(Unshared)
    for assumption in assumed:
        pair = frozenset(assumption.names) if assumption.kind == "alias" else frozenset()
        if pair in apart and pair.isdisjoint(of_called):
            needed |= {pair}
        elif assumption.kind != "alias" or assumption.subject not in unshared:  # of one name at two places
            left.append(assumption)
    return left, [promise for promise in promises.separations if not promise.pairs.isdisjoint(needed)]


def _separations(pairs: Collection[Pair]) -> list[Separation]:
    """Few statements that say these pairs and no other, found greedily: cliques, and stars around one name."""
    names = sorted(frozenset[str]().union(*pairs))
    left = set(pairs)
    found: list[Separation] = []
    while left:
        cliques = (_clique(name, names, pairs, left) for name in names)
        stars = (_star(name, left) for name in names)
        best = max((one for one in (*cliques, *stars) if one is not None), key=lambda one: len(one.pairs & left))
        found.append(best)
        left -= best.pairs
    return found


def _clique(name: str, names: list[str], pairs: Collection[Pair], left: Collection[Pair]) -> Separation | None:
    """Names around one of which all pairs are in the way, those first with which most is still to be said."""
    members = [name]
    for other in sorted(names, key=lambda n: frozenset((name, n)) not in left):
        if other != name and all(frozenset((other, member)) in pairs for member in members):
            members.append(other)
    if len(members) < 3 or not any(frozenset(pair) in left for pair in combinations(members, 2)):
        return None
    return Separation(tuple(sorted(members)))


def _star(name: str, left: Collection[Pair]) -> Separation | None:
    others = {other for pair in left if name in pair for other in pair if other != name}
    return star(name, others) if others else None
