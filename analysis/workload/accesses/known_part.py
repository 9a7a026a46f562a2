"""A subscript as a polynomial and the rest, which data decides: `row[i] + j` is `j` and a part that only `i` moves.

Only how far threads and iterations are apart is asked here: what may meet is decided on subscripts as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    Unknown,
    children,
    walk,
)
from warplens.analysis.ir.nest import Assign, If, Loop, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.workload.accesses.quotients import Quotients
from warplens.analysis.workload.accesses.sites import AccessSite, has_unknown_effects
from warplens.analysis.workload.loops.condition_share import condition_share

_LEAST_BYTES_THAT_HOLD = 4
"""An integer as wide as that is assumed to hold what it is given, a narrower one may cut it."""
_MOSTLY = Fraction(3, 4)
"""Share of the iterations from which on the others are left out of account."""
_NEAR = 8
"""Elements: that near, a choice between two changes little of what a warp touches."""
_LARGEST_SHIFT = 62
_OF_INTEGERS = frozenset({"+", "-", "*", "/", "%", ">>", "&", "^", "|"})


@dataclass(frozen=True, slots=True)
class ChangedValues:
    """What a nest changes: `values` are those of the scalars that one statement sets, whenever it is reached.

    `inside` holds all scalars, iterators and arrays that change, each with the iterators of the loops in which they do:
    another loop leaves them as they are. With `anything` all memory may change.
    """

    values: Mapping[str, Expression]
    inside: Mapping[str, frozenset[str]]
    anything: bool


def changed_values(sites: Sequence[AccessSite]) -> ChangedValues:
    """What the outermost loop around the sites changes."""
    return changes_in(tuple({site.loops[0].id: site.loops[0] for site in sites if site.loops}.values()))


def changes_in(roots: tuple[Loop, ...]) -> ChangedValues:
    """What loops change."""
    values: dict[str, Expression] = {}
    unsteady: set[str] = set()
    inside: dict[str, frozenset[str]] = {}
    for statement, around, is_conditional in _statements(roots, frozenset(), is_conditional=False):
        if isinstance(statement, Loop):
            name = statement.iterator
            unsteady.add(name)
        elif isinstance(statement, Assign):
            target = statement.target
            name = target.array if isinstance(target, Access) else target.name
            may_keep = is_conditional and not statement.declares
            if name in values or statement.operator or may_keep or isinstance(target, Access):
                unsteady.add(name)
            values[name] = Cast(statement.value, target.type)
        else:
            continue
        inside[name] = inside.get(name, around) | around
    once = {name: value for name, value in values.items() if name not in unsteady}
    return ChangedValues(once, inside, has_unknown_effects(roots))


def iterators_behind(
    indices: Sequence[Polynomial | None], loops: Sequence[Loop], changed: ChangedValues
) -> frozenset[str]:
    """Iterators that lead subscripts to other elements, those that decide where inner loops start and end included.

    Those of loops in which what such a bound reads stays as it is are none: rows that are gone through again are the
    same rows.
    """
    by_name = {loop.iterator: loop for loop in loops}
    found: set[str] = set()
    todo = {name for index in indices if index is not None for name in index.symbols} & by_name.keys()
    while todo:
        name = todo.pop()
        found.add(name)
        loop = by_name[name]
        bounds = frozenset(s for bound in (loop.start, *loop.limits) if bound is not None for s in bound.symbols)
        moving = {*bounds, *_moving_reads(loop.bound_reads, frozenset(by_name), changed)}
        if loop.start is None and not loop.bound_reads:
            moving |= by_name.keys()
        todo |= (moving & by_name.keys()) - found
    return frozenset(found)


def _moving_reads(reads: Sequence[Expression], iterators: frozenset[str], changed: ChangedValues) -> set[str]:
    """Iterators of the loops around in which what is read changes."""
    found: set[str] = set()
    for part in (part for read in reads for part in walk(read)):
        match part:
            case ScalarRef(name):
                found |= {name} if name in iterators else changed.inside.get(name, frozenset())
            case Load(access):
                found |= iterators if changed.anything else changed.inside.get(access.array, frozenset())
            case Constant() | Unary() | Binary() | Cast():
                pass
            case _:
                found |= iterators
    return found


def lasting_scalars(sites: Sequence[AccessSite]) -> frozenset[str]:
    """Integers whose value is the same all along in subscripts that are no polynomials: parameters, as the others.

    Also those from which variables in such subscripts are computed.
    """
    changed = changed_values(sites)
    if changed.anything:
        return frozenset()
    set_to: dict[str, list[Expression]] = {}
    roots = {site.loops[0].id: site.loops[0] for site in sites if site.loops}
    todo = [
        subscript
        for site in sites
        for subscript, index in zip(site.access.subscripts, site.access.indices, strict=True)
        if index is None
    ]
    if todo:
        for statement, _, _ in _statements(tuple(roots.values()), frozenset(), is_conditional=False):
            if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
                set_to.setdefault(statement.target.name, []).append(statement.value)
    used: set[str] = set()
    while todo:
        for part in walk(todo.pop()):
            if isinstance(part, ScalarRef):
                todo += set_to.pop(part.name, [])
                used |= {part.name} if _holds(part.type) else set()
    return frozenset(used - changed.inside.keys())


@dataclass(frozen=True, slots=True)
class KnownPart:
    """`polynomial` plus a rest that changes with the iterators in `moved_by`; None where it is all polynomial.

    Along those in `moved_by` and not in `uneven` each iteration adds as much to the rest as the one before, but for
    rounding: `(int)(i * x[k])` along i.
    """

    polynomial: Polynomial
    moved_by: frozenset[str] | None
    uneven: frozenset[str] = frozenset()


def known_part(
    subscript: Expression,
    iterators: Collection[str],
    constants: Collection[str],
    changed: ChangedValues,
    loops: Sequence[Loop] = (),
) -> KnownPart:
    """Split a subscript; `iterators` are those of the loops around it, all of which move what can't be followed.

    `constants` are the parameters, what else stays as it is belongs to the rest, as its value isn't known. With the
    `loops`, outer first, a choice that nearly always falls on one side is that side: `x == 0 ? c : c - 1`.

    >>> from warplens.analysis.ir.types import INT
    >>> i, j = ScalarRef("i", INT), ScalarRef("j", INT)
    >>> nothing = ChangedValues({}, {}, False)
    >>> rows = Binary("*", Constant(100, INT), Binary("%", i, Constant(7, INT), INT), INT)
    >>> part = known_part(Binary("+", j, rows, INT), ("i", "j", "k"), (), nothing)
    >>> str(part.polynomial), sorted(part.moved_by or ())
    ('j', ['i'])
    """
    names = frozenset(iterators)
    splitter = _Splitter(names, frozenset(constants), changed, {}, Quotients(names), tuple(loops))
    return splitter.folded(splitter.split(subscript))


@dataclass(frozen=True, slots=True)
class _Splitter:
    """`scalars` are the values that were split before: they may occur over and over in each other."""

    iterators: frozenset[str]
    constants: frozenset[str]
    changed: ChangedValues
    scalars: dict[str, KnownPart]
    quotients: Quotients
    loops: tuple[Loop, ...]

    def folded(self, part: KnownPart) -> KnownPart:
        """The part without quotients."""
        known, scattered = self.quotients.folded(part.polynomial)
        if scattered is None:
            return part
        return KnownPart(known, scattered | (part.moved_by or frozenset()), part.uneven | scattered)

    def split(self, expression: Expression) -> KnownPart:
        match expression:
            case Constant(int() as value):
                return KnownPart(Polynomial.constant(value), None)
            case ScalarRef(name, Scalar(kind=kind)):
                return self._scalar(name, is_integer=kind == "int")
            case Cast(operand, ctype) if _holds(ctype) and _is_integer(operand.type):
                return self.split(operand)
            case Unary("-", operand, Scalar(kind="int")):
                part = self.split(operand)
                return replace(part, polynomial=-part.polynomial)
            case Binary(operator, left, right, Scalar(kind="int")) if operator in _OF_INTEGERS:
                return self._combined(operator, self.split(left), self.split(right))
            case Conditional(condition, then, otherwise, Scalar(kind="int")):
                return self._chosen(condition, self.split(then), self.split(otherwise))
            case Cast(operand, Scalar(kind="int" | "float") as ctype) if _holds(ctype) or ctype.kind == "float":
                return self._rest(self.split(operand))
            case Binary("+" | "-", left, right, Scalar(kind="float")):
                one, other = self._rest(self.split(left)), self._rest(self.split(right))
                return self._unknown(one.moved_by, other.moved_by, uneven=one.uneven | other.uneven)
            case Binary("*", left, right, Scalar(kind="float")):
                return self._product(self._rest(self.split(left)), self._rest(self.split(right)))
            case Load() if self.changed.anything:
                return self._unknown(self.iterators)
            case Unknown(is_pure=False):
                return self._unknown(self.iterators)
            case Call(is_math=False, effects=effects) if effects != "none":
                return self._unknown(self.iterators)
            case _:
                changed = self._changing(expression.access.array) if isinstance(expression, Load) else frozenset[str]()
                return self._unknown(changed, *(self._moving(self.split(part)) for part in children(expression)))

    def _scalar(self, name: str, *, is_integer: bool) -> KnownPart:
        if is_integer and (name in self.iterators or name in self.constants):
            return KnownPart(Polynomial.symbol(name), None)
        if name not in self.changed.values:
            return self._unknown(self._changing(name))
        if name not in self.scalars:
            self.scalars[name] = self._unknown(self._changing(name))  # what it is computed from itself
            self.scalars[name] = self.split(self.changed.values[name])
        return self.scalars[name]

    def _changing(self, name: str) -> frozenset[str]:
        """Iterators of the loops around in which a variable or an array changes."""
        return self.iterators & self.changed.inside.get(name, frozenset())

    def _product(self, one: KnownPart, other: KnownPart) -> KnownPart:
        try:
            product = one.polynomial * other.polynomial
        except TooLargeError:
            return self._unknown(self._moving(one), self._moving(other))
        moved_by = _either(one.moved_by, other.moved_by)
        uneven = self._uneven(one) | self._uneven(other) | (self._moving(one) & self._moving(other))
        if one.moved_by is not None:
            moved_by = _either(moved_by, self._moving(other))
        if other.moved_by is not None:
            moved_by = _either(moved_by, self._moving(one))
        return KnownPart(product, moved_by, uneven if moved_by is not None else frozenset())

    def _combined(self, operator: str, one: KnownPart, other: KnownPart) -> KnownPart:
        if operator == "*":
            return self._product(one, other)
        if operator in {"^", "|"}:
            return self._mixed(operator, one, other)
        if operator not in {"+", "-"}:
            return self._rounded(operator, one, other)
        second = other.polynomial if operator == "+" else -other.polynomial
        moved_by = _either(one.moved_by, other.moved_by)
        return KnownPart(one.polynomial + second, moved_by, one.uneven | other.uneven)

    def _rounded(self, operator: str, one: KnownPart, other: KnownPart) -> KnownPart:
        """What is divided or left over, with a quotient's symbol in it."""
        divisor: Polynomial | None = other.polynomial
        number = other.polynomial.constant_term
        if operator == ">>":
            divisor = Polynomial.constant(1 << number) if 0 <= number <= _LARGEST_SHIFT else None
        elif operator == "&":
            divisor = Polynomial.constant(number + 1) if number > 0 and not number & (number + 1) else None
        is_known = one.moved_by is None and other.moved_by is None
        if operator in {">>", "&"} and not other.polynomial.is_constant:
            is_known = False
        quotient = self.quotients.of(one.polynomial, divisor) if is_known and divisor is not None else None
        if quotient is None or divisor is None:
            return self._unknown(self._moving(one), self._moving(other))
        if operator in {"/", ">>"}:
            return KnownPart(quotient, None)
        try:
            return KnownPart(one.polynomial - quotient * divisor, None)
        except TooLargeError:
            return self._unknown(self._moving(one))

    def _mixed(self, operator: str, one: KnownPart, other: KnownPart) -> KnownPart:
        """Bits of one value turned by another that iterators of their own move: neighbours stay in one place.

        `i ^ j` leads the threads of an aligned group to the same group in another order, or to another group.
        """
        moving, turning = self._moving(one), self._moving(other)
        is_known = one.moved_by is None and not self.quotients.is_in(one.polynomial)
        if is_known and moving.isdisjoint(turning) and (operator == "^" or other.polynomial.is_constant):
            return KnownPart(one.polynomial, turning, turning)
        return self._unknown(moving, turning)

    def _chosen(self, condition: Expression, one: KnownPart, other: KnownPart) -> KnownPart:
        """A choice that nearly always falls on one side, or whose sides lie near each other."""
        if one == other:
            return one
        share = None
        if self.loops:
            share = condition_share(condition, self.loops, {}, self.changed.values, self.changed.inside.keys())
        if share is not None and not share.unknown and (share.share >= _MOSTLY or share.share <= 1 - _MOSTLY):
            return one if share.share >= _MOSTLY else other
        apart = one.polynomial - other.polynomial
        if one.moved_by is None and other.moved_by is None and apart.is_constant and abs(apart.constant_term) <= _NEAR:
            return KnownPart(one.polynomial, frozenset())
        return self._unknown(self._moving(self.split(condition)), self._moving(one), self._moving(other))

    def _rest(self, part: KnownPart) -> KnownPart:
        """A value that is no integer, or was none: all of it is a rest."""
        return self._unknown(self._moving(part), uneven=self._uneven(part))

    def _uneven(self, part: KnownPart) -> frozenset[str]:
        """Iterators that do not add as much to a value in each iteration."""
        known = part.polynomial
        if self.quotients.is_in(known):
            return part.uneven | self.quotients.moving(known)
        return part.uneven | {n for n in known.symbols & self.iterators if n in known.coefficient(n).symbols}

    def _moving(self, part: KnownPart) -> frozenset[str]:
        """Iterators that the value of an expression depends on."""
        return self.quotients.moving(part.polynomial) | (part.moved_by or frozenset())

    @staticmethod
    def _unknown(*movers: frozenset[str] | None, uneven: frozenset[str] | None = None) -> KnownPart:
        moved_by = frozenset[str]().union(*(moved for moved in movers if moved is not None))
        return KnownPart(Polynomial(()), moved_by, moved_by if uneven is None else uneven)


def _either(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return other if one is None else one if other is None else one | other


def _holds(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind == "int" and ctype.size_bytes >= _LEAST_BYTES_THAT_HOLD


def _is_integer(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind == "int"


def _statements(
    body: tuple[Statement, ...], around: frozenset[str], *, is_conditional: bool
) -> Iterator[tuple[Statement, frozenset[str], bool]]:
    """All statements in source order, the iterators of the loops around them, and whether an iteration may skip them.

    A loop is inside of itself.
    """
    for statement in body:
        if isinstance(statement, Loop):
            inside = around | {statement.iterator}
            yield statement, inside, is_conditional
            yield from _statements(statement.body, inside, is_conditional=is_conditional)
        else:
            yield statement, around, is_conditional
            if isinstance(statement, If):
                yield from _statements((*statement.then, *statement.otherwise), around, is_conditional=True)
