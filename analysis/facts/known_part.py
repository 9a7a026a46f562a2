"""A subscript as a polynomial and the rest, which data decides: `row[i] + j` is `j` and a part that only `i` moves.

Only how far threads and iterations are apart is asked here: what may meet is decided on subscripts as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.facts.sites import AccessSite, has_unknown_effects
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    Unknown,
    children,
)
from warplens.analysis.ir.nest import Assign, If, Loop, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import CType, Scalar

_LEAST_BYTES_THAT_HOLD = 4
"""An integer as wide as that is taken to hold what it is given, a narrower one may cut it."""
_MOST_TERMS = 60


@dataclass(frozen=True, slots=True)
class ChangedValues:
    """What a nest changes: `values` of the scalars that one statement sets, whenever it is reached; others by `names`.

    `names` holds the arrays that are written and the iterators too; with `anything` all memory may change.
    """

    values: Mapping[str, Expression]
    names: frozenset[str]
    anything: bool


def changed_values(sites: Sequence[AccessSite]) -> ChangedValues:
    """What the outermost loop around the sites changes."""
    roots = {site.loops[0].id: site.loops[0] for site in sites if site.loops}
    values: dict[str, Expression] = {}
    names: set[str] = set()
    for statement, is_conditional in _statements(tuple(roots.values()), is_conditional=False):
        if isinstance(statement, Loop):
            names.add(statement.iterator)
        elif isinstance(statement, Assign):
            target = statement.target
            name = target.array if isinstance(target, Access) else target.name
            may_keep = is_conditional and not statement.declares
            if name in values or statement.operator or may_keep or isinstance(target, Access):
                names.add(name)
            values[name] = Cast(statement.value, target.type)
    once = {name: value for name, value in values.items() if name not in names}
    return ChangedValues(once, frozenset(names), has_unknown_effects(tuple(roots.values())))


@dataclass(frozen=True, slots=True)
class KnownPart:
    """`polynomial` plus a rest that changes with the iterators in `moved_by`; None where it is all polynomial."""

    polynomial: Polynomial
    moved_by: frozenset[str] | None


def known_part(
    subscript: Expression, iterators: Collection[str], constants: Collection[str], changed: ChangedValues
) -> KnownPart:
    """Split a subscript; `iterators` are those of the loops around it, all of which move what can't be followed.

    `constants` are the parameters, what else stays as it is belongs to the rest, as its value isn't known.

    >>> from warplens.analysis.ir.types import INT
    >>> i, j = ScalarRef("i", INT), ScalarRef("j", INT)
    >>> nothing = ChangedValues({}, frozenset(), False)
    >>> part = known_part(Binary("+", j, Binary("%", i, Constant(7, INT), INT), INT), ("i", "j", "k"), (), nothing)
    >>> str(part.polynomial), sorted(part.moved_by or ())
    ('j', ['i'])
    """
    return _Splitter(frozenset(iterators), frozenset(constants), changed, {}).split(subscript)


@dataclass(frozen=True, slots=True)
class _Splitter:
    """`scalars` are the values that were split before: they may occur over and over in each other."""

    iterators: frozenset[str]
    constants: frozenset[str]
    changed: ChangedValues
    scalars: dict[str, KnownPart]

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
                return KnownPart(-part.polynomial, part.moved_by)
            case Binary("+" | "-" | "*" as operator, left, right, Scalar(kind="int")):
                one, other = self.split(left), self.split(right)
                if operator == "*":
                    return self._product(one, other)
                second = other.polynomial if operator == "+" else -other.polynomial
                return KnownPart(one.polynomial + second, _either(one.moved_by, other.moved_by))
            case Load(access) if self.changed.anything or access.array in self.changed.names:
                return self._unknown(self.iterators)
            case Unknown(is_pure=False):
                return self._unknown(self.iterators)
            case Call(is_math=False, effects=effects) if effects != "none":
                return self._unknown(self.iterators)
            case _:
                return self._unknown(*(self._moving(self.split(part)) for part in children(expression)))

    def _scalar(self, name: str, *, is_integer: bool) -> KnownPart:
        if is_integer and (name in self.iterators or name in self.constants):
            return KnownPart(Polynomial.symbol(name), None)
        if name not in self.changed.values:
            return self._unknown(self.iterators if name in self.changed.names else frozenset())
        if name not in self.scalars:
            self.scalars[name] = self._unknown(self.iterators)  # what it is computed from itself
            self.scalars[name] = self.split(self.changed.values[name])
        return self.scalars[name]

    def _product(self, one: KnownPart, other: KnownPart) -> KnownPart:
        if len(one.polynomial.terms) * len(other.polynomial.terms) > _MOST_TERMS:
            return self._unknown(self._moving(one), self._moving(other))
        moved_by = _either(one.moved_by, other.moved_by)
        if one.moved_by is not None:
            moved_by = _either(moved_by, self._moving(other))
        if other.moved_by is not None:
            moved_by = _either(moved_by, self._moving(one))
        return KnownPart(one.polynomial * other.polynomial, moved_by)

    def _moving(self, part: KnownPart) -> frozenset[str]:
        """Iterators that the value of an expression depends on."""
        return (part.polynomial.symbols & self.iterators) | (part.moved_by or frozenset())

    @staticmethod
    def _unknown(*moved_by: frozenset[str]) -> KnownPart:
        return KnownPart(Polynomial(()), frozenset[str]().union(*moved_by))


def _either(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return other if one is None else one if other is None else one | other


def _holds(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind == "int" and ctype.size_bytes >= _LEAST_BYTES_THAT_HOLD


def _is_integer(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind == "int"


def _statements(body: tuple[Statement, ...], *, is_conditional: bool) -> Iterator[tuple[Statement, bool]]:
    """All statements in source order, and whether an iteration of their loop may leave them out."""
    for statement in body:
        yield statement, is_conditional
        if isinstance(statement, Loop):
            yield from _statements(statement.body, is_conditional=is_conditional)
        elif isinstance(statement, If):
            yield from _statements((*statement.then, *statement.otherwise), is_conditional=True)
