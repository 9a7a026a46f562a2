"""What integer variables are known to hold, as polynomials in iterators and parameters (forward substitution)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from warplens.analysis.frontend.values.known_values import KnownValues
from warplens.analysis.frontend.values.smaller_values import minimum_or_maximum, smaller_of
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
    condition_text,
    walk,
)
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import DerivedSymbol
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.size_name import size_name
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import numbered
from warplens.analysis.ir.thread_number import THREAD_NUMBER
from warplens.analysis.ir.types import CType, Scalar, is_hashed, is_volatile, may_cut

_LARGEST_EXACT = 1 << 24
"""Whole numbers up to this are held as they are by every floating type."""
_MOST_PRODUCTS = 60
"""Of terms, in one value."""
_HIGHEST_DEGREE = 16
_LARGEST_FACTOR = 1 << 128
"""Constant factors from here on are what no type holds."""
_LONGEST_FORMULA_PARTS = 400
"""`a = max(a + 1, a)` doubles what it takes to write `a` out: nobody reads a formula that long."""
_LONGEST_NAME = 1000
"""Characters: a symbol is named by what it stands for, and `t = t / 2 + t % 3` over and over doubles that each time."""
_CONSTANT_CALLS = frozenset((THREAD_NUMBER, "omp_get_num_threads", "omp_get_max_threads", "omp_get_num_procs"))
"""Calls whose value doesn't change for the iterations that one thread runs."""


class Values(KnownValues):
    """Known values at one point of a function, and what expressions are with them."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: dict[str, Access] = {}
        """Derived symbols that stand for a load, which was constant in the nest."""
        self.spelled: dict[str, str] = {}
        """What values that are alike, however they were written, are called: in the words of the first of them."""
        self.words: Callable[[Access], str] = _no_words
        """What the source says for an access, empty where that is not known."""
        self.iterators: set[str] = set()
        self.closed: frozenset[str] = frozenset()
        """Variables that a loop around moves: their value is always known, and stands in place of every read."""
        self.kept: frozenset[str] = frozenset()
        """Those whose steps stay statements, as their value after the loop is not known."""
        self.too_large: dict[str, frozenset[str]] = {}
        """What is said of expressions whose values are too long to compute with, and the variables in them."""
        self.tables: dict[str, tuple[CType, tuple[int, ...]]] = {}
        """Constant arrays by name: the type of their elements and what they hold."""

    def copy(self) -> Values:
        """Independent copy for a branch; derived symbols stay shared."""
        other = Values()
        other.take_known(self)
        other.loaded = self.loaded
        other.spelled = self.spelled
        other.words = self.words
        other.iterators = set(self.iterators)
        other.closed = self.closed
        other.kept = self.kept
        other.tables = self.tables
        other.too_large = self.too_large
        return other

    def note_table(self, name: str, element: CType, values: tuple[int, ...]) -> None:
        """Say what an array holds for good; without values it is none that is known."""
        if values:
            self.tables[name] = element, values
        else:
            self.tables.pop(name, None)

    def polynomial(self, expression: Expression) -> Polynomial | None:
        """The expression's value as a polynomial, None when it is none."""
        match expression:
            case Constant(value):
                return Polynomial.constant(value) if isinstance(value, int) else None
            case ScalarRef(name, ctype):
                if not _is_integer(ctype) or is_volatile(ctype):
                    return None
                # a read of a variable that a loop moves became its closed form: what is left is what that names
                return Polynomial.symbol(name) if name in self.closed else self.value(name)
            case Cast(operand, ctype):
                return self.stored(operand, ctype)
            case Unary("-", operand):
                inner = self.polynomial(operand)
                return None if inner is None else -inner
            case Binary():
                return self._binary(expression)
            case Conditional():
                return self._extreme(expression)
            case Load(access):
                return self._constant_load(access)
            case Call(function) if function in _CONSTANT_CALLS:
                return self.derive(f"{function}()", None)
            case _:
                return None

    def number(self, expression: Expression) -> int | None:
        """The whole number that an expression is known to be, one that no conversion to floating point changes."""
        match expression:
            case Constant(value):
                number = int(value) if isinstance(value, int) or value.is_integer() else None
            case ScalarRef(name, Scalar(kind="float" | "complex") as ctype):
                number = None if is_volatile(ctype) else self.numbers.get(name)
            case Cast(operand, Scalar(kind="float" | "complex")):
                number = self.number(operand)
            case _:
                known = self.polynomial(expression)
                number = known.constant_term if known is not None and known.is_constant else None
        return number if number is not None and abs(number) <= _LARGEST_EXACT else None

    def declare(self, name: str, known: Polynomial | None, value: Expression | None) -> None:
        """A variable starts with a value, None where that is not to be followed."""
        self.assign(name, known)
        number = None if value is None or _is_integer(value.type) else self.number(value)
        if number is not None:
            self.numbers[name] = number
        held = None if value is None else smaller_of(value, self.settled)
        if held is not None:
            self.smaller[name] = held
        self.note_set(name)

    def settled(self, expression: Expression) -> Polynomial | None:
        """The expression's value as a polynomial in iterators and constants alone."""
        return self.without_quotients(self.polynomial(expression))

    def without_quotients(self, polynomial: Polynomial | None) -> Polynomial | None:
        """The polynomial, None when a quotient did not cancel."""
        return None if polynomial is None or not polynomial.symbols.isdisjoint(self.quotients) else polynomial

    def parted(self, polynomial: Polynomial) -> tuple[Polynomial, Polynomial]:
        """The part in iterators and constants alone, and the rest, which is rounded or what data decides."""
        rest, settled = polynomial.partition(self.quotients)
        return settled, rest

    def stored(self, expression: Expression, ctype: CType) -> Polynomial | None:
        """What an integer object of a type holds after the expression's value was converted to it.

        None where a `char` or `short` may cut the value; wider integers are assumed to hold what they are given.
        """
        source = expression.type
        if (
            not isinstance(ctype, Scalar)
            or not isinstance(source, Scalar)
            or (ctype.kind, source.kind) != ("int", "int")
        ):
            return None
        value = self.polynomial(expression)
        return None if value is None or may_cut(ctype, source, value) else value

    def _binary(self, expression: Binary) -> Polynomial | None:
        if expression.operator not in {"+", "-", "*", "/", "%", "<<", ">>", "&"} or not _is_integer(expression.type):
            return None
        left, right = self.polynomial(expression.left), self.polynomial(expression.right)
        if left is None or right is None:
            return None
        found, excess = None, ""
        if len(left.terms) * len(right.terms) > _MOST_PRODUCTS:
            excess = f"more than {_MOST_PRODUCTS} terms"
        elif expression.operator == "*" and left.degree + right.degree > _HIGHEST_DEGREE:
            excess = f"more than {_HIGHEST_DEGREE} factors"
        else:
            found = self._combined(expression, left, right)
            if found is not None and any(not -_LARGEST_FACTOR < c < _LARGEST_FACTOR for _, c in found.terms):
                found, excess = None, "a number that no type holds"
        if excess:
            names = frozenset(part.name for part in walk(expression) if isinstance(part, ScalarRef))
            self.too_large[f"`{condition_text(expression)}` grows to {excess}: its value is not followed"] = names
        return found

    def _combined(self, expression: Binary, left: Polynomial, right: Polynomial) -> Polynomial | None:
        match expression.operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "<<":
                return left * (1 << right.constant_term) if _is_small_shift(right) else None
            case operator:
                if operator != "&" and is_hashed(expression.type, left) and not self.is_parameter(left):
                    return None
                return self._rounded(operator, left, right, expression.type)

    def _rounded(self, operator: str, left: Polynomial, right: Polynomial, ctype: CType) -> Polynomial | None:
        """Divisions of values that are constant in the nest become symbols of their own, others quotients.

        C rounds towards zero: `-n/2` is `-(n/2)`. Where nothing is taken away the formula rounds down.
        """
        divisor = right
        if operator == ">>":
            divisor = Polynomial.constant(1 << right.constant_term if _is_small_shift(right) else 0)
        elif operator == "&":
            mask = right.constant_term + 1
            is_mask = right.is_constant and mask > 1 and not mask & (mask - 1)
            divisor = Polynomial.constant(mask if is_mask else 0)
        if not divisor.terms:
            return None
        whole = left.exact_div(divisor)
        if whole is not None:
            return Polynomial(()) if operator in {"%", "&"} else whole
        if len(_operand(left)) + len(_operand(divisor)) > _LONGEST_NAME:
            return None
        if not self.is_parameter(left) or not self.is_parameter(divisor):
            return self._quotient(operator, left, divisor, ctype)
        if operator == "&":
            return None
        if operator in {"/", "%"} and isinstance(ctype, Scalar) and ctype.signed and _is_below_zero(left):
            positive = self._rounded(operator, -left, right, ctype)
            return None if positive is None else -positive
        share = self.formula(left) / self.formula(divisor)
        may_be_negative = -1 in left.signs and operator != ">>" and isinstance(ctype, Scalar) and ctype.signed
        quotient = share.truncated() if may_be_negative else share.floor()
        formula = self.formula(left) - quotient * self.formula(divisor) if operator == "%" else quotient
        return self.derive(f"{_operand(left)}{operator}{_operand(right)}", formula)

    def _quotient(self, operator: str, left: Polynomial, divisor: Polynomial, ctype: CType) -> Polynomial | None:
        """`i / c` and what `i % c` leaves of `i`; exact for any sign, as C has `i == i / c * c + i % c`."""
        rounds_down = operator in {">>", "&"} and isinstance(ctype, Scalar) and ctype.signed
        name = f"{_operand(left)}{'>>' if rounds_down else '/'}{_operand(divisor)}"
        self.quotients[name] = left + divisor * Polynomial.symbol("'divisor")
        bits = Polynomial.constant(divisor.constant_term.bit_length() - 1)
        self.rounded[name] = (">>", left, bits) if rounds_down else ("/", left, divisor)
        quotient = Polynomial.symbol(name)
        return left - quotient * divisor if operator in {"%", "&"} else quotient

    def _extreme(self, expression: Conditional) -> Polynomial | None:
        """`a < b ? a : b` of parameters."""
        pair = minimum_or_maximum(expression)
        if pair is None:
            return None
        left, right = self.polynomial(pair[1]), self.polynomial(pair[2])
        if left is None or right is None or not self.is_parameter(left) or not self.is_parameter(right):
            return None
        one, other = self.formula(left), self.formula(right)
        formula = one.at_most(other) if pair[0] == "min" else one.at_least(other)
        return self._named(f"{pair[0]}({left}, {right})", formula)

    def _constant_load(self, access: Access) -> Polynomial | None:
        element, values = self.tables.get(access.array, (None, ()))
        if element == access.type and not access.member and len(access.indices) == 1:
            at = access.indices[0]
            if at is not None and at.is_constant and 0 <= at.constant_term < len(values):
                return Polynomial.constant(values[at.constant_term])
        if self.written_memory is None or access.array in self.written_memory or not _is_integer(access.type):
            return None
        if is_volatile(access.type):
            return None
        base = MemoryPath.of(access.array).base
        if base in self.written_memory or base in self.changing:
            return None
        for index in access.indices:
            if index is None or not self.is_parameter(index):
                return None
        text = source_text(access)
        if len(text) > _LONGEST_NAME:
            return None
        self.constants.add(access.array)
        name = self.spelled_as(text, size_name(self.words(access)) or as_c(access))
        self.loaded[name] = access
        return self.derive(name, None, text)

    def spelled_as(self, meant: str, said: str) -> str:
        """The name for what is `meant`, as the source says it first; what others are called gets a number."""
        if meant not in self.spelled:
            self.spelled[meant] = numbered(said, frozenset(self.spelled.values()))
        return self.spelled[meant]

    def _named(self, name: str, formula: Formula) -> Polynomial | None:
        return self.derive(name, formula) if len(name) <= _LONGEST_NAME else None

    def derive(self, name: str, formula: Formula | None, text: str = "") -> Polynomial:
        """Symbol for a value that polynomials can't hold; it is a parameter where its formula is endless.

        `text` is how C says it, where that is not the name.
        """
        if formula is not None and formula.is_longer_than(_LONGEST_FORMULA_PARTS):
            formula = None
        self.derived.setdefault(name, DerivedSymbol(name, formula, text or name))
        return Polynomial.symbol(name)

    def is_parameter(self, polynomial: Polynomial) -> bool:
        """Whether the value is constant in the nest."""
        return polynomial.symbols.isdisjoint(self.iterators) and polynomial.symbols.isdisjoint(self.quotients)

    def divided_up(self, left: Polynomial, right: Polynomial) -> Polynomial | None:
        """`ceil(left / right)` for a positive `right`: a derived symbol unless it comes out even."""
        whole = left.exact_div(right)
        if whole is not None or not self.is_parameter(left) or not self.is_parameter(right):
            return whole
        divisor = self.formula(right)
        formula = (self.formula(left) / (divisor if right.is_constant else divisor.at_least(1))).ceil()
        return self._named(f"ceil({_operand(left)}/{_operand(right)})", formula)

    def at_least(self, left: Polynomial, right: Polynomial) -> Polynomial | None:
        """The larger of two values, None when that is no polynomial in iterators and constants."""
        distance = left - right
        if distance.is_constant:
            return left if distance.constant_term >= 0 else right
        if not self.is_parameter(left) or not self.is_parameter(right):
            return None
        return self._named(f"max({left}, {right})", self.formula(left).at_least(self.formula(right)))

    def formula(self, polynomial: Polynomial) -> Formula:
        """A polynomial of parameters as a formula."""
        named = (self.derived[name] for name in polynomial.symbols & self.derived.keys())
        return Formula.from_polynomial(polynomial, {s.name: s.formula for s in named if s.formula is not None})


def _no_words(_: Access) -> str:
    return ""


def as_c(access: Access) -> str:
    """C syntax of a load for who reads it: `p->child[0]->n` where that is what the source would say.

    >>> from warplens.analysis.ir.ids import NodeId
    >>> from warplens.analysis.ir.types import INT
    >>> zero, start = Constant(0, INT), Polynomial(())
    >>> as_c(Access(NodeId(0), "p'", INT, (zero, zero), (start, start), (None, None), 8, "n"))
    'p[0]->n'
    """
    last = access.indices[-1] if access.indices else None
    if not access.member or last is None or last.terms:
        return c_name("(*" + access.array + ")" if _is_target(access) else source_text(access))
    holder = replace(access, member="", subscripts=access.subscripts[:-1], indices=access.indices[:-1])
    return c_name(f"{holder.element}->{access.member}")


def _is_target(access: Access) -> bool:
    """Whether it is what a pointer leads to, said as the first of its elements."""
    return not access.member and access.indices == (Polynomial(()),) and access.extents == (None,)


def source_text(access: Access) -> str:
    """C syntax of a constant load; the member of what a pointer points to is written with an arrow."""
    if access.member and access.indices == (Polynomial(()),):
        return str(MemoryPath.of(access.array).member(access.member, is_arrow=True))
    return access.element


def _is_integer(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind == "int"


def _is_below_zero(polynomial: Polynomial) -> bool:
    """Whether all terms but a constant are negative, for sizes that are not: `-n`, `1 - n`."""
    moving = polynomial.without_constant or polynomial.terms
    return bool(moving) and all(coefficient < 0 for _, coefficient in moving)


def _is_small_shift(polynomial: Polynomial) -> bool:
    return polynomial.is_constant and 0 <= polynomial.constant_term < 40


def _operand(polynomial: Polynomial) -> str:
    return str(polynomial) if len(polynomial.terms) <= 1 else f"({polynomial})"
