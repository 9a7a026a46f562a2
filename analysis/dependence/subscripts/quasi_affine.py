"""Values that are no polynomials and yet follow from the iterators: quotients, remainders, choices, table look-ups.

And scalars that stand still where they are used, whatever the loops around do with them.

Each is a symbol of its own in subscripts and conditions; `constraint_rows` adds the constraints that define it. Equal
definitions have equal names, so equal subscripts stay equal polynomials.

Not modelled: wrap-around of unsigned arithmetic below zero, but for masks and shifts that don't see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.promises.increasing import Increasing
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.named import TablePromise
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import added, computed

Disjunction = tuple[tuple[Polynomial, ...], ...]
"""One of the conjunctions of polynomials >= 0 holds (see affine_condition)."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """`numerator / divisor` for a positive constant, rounded towards zero as C does, or down as a shift does."""

    numerator: Polynomial
    divisor: int
    rounds_down: bool
    name: str = field(init=False, repr=False, compare=False)
    """The symbol that stands for it."""

    def __post_init__(self) -> None:
        operation = "floor" if self.rounds_down else "trunc"
        object.__setattr__(self, "name", computed(operation, self.numerator, self.divisor))

    @property
    def symbols(self) -> frozenset[str]:
        """What it is computed from."""
        return self.numerator.symbols


@dataclass(frozen=True, slots=True)
class Remainder:
    """`numerator % modulus` for a modulus that is not a constant: exact while the numerator is under two of it."""

    numerator: Polynomial
    modulus: Polynomial
    name: str = field(init=False, repr=False, compare=False)
    """The symbol that stands for it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", computed("mod", self.numerator, self.modulus))

    @property
    def symbols(self) -> frozenset[str]:
        """What it is computed from."""
        return self.numerator.symbols | self.modulus.symbols


@dataclass(frozen=True, slots=True)
class Leftover:
    """What is known of a remainder at once, where the numerator is not negative and the modulus at least 1."""

    remainder: Remainder

    @property
    def name(self) -> str:
        """The symbol that stands for the remainder."""
        return self.remainder.name

    @property
    def symbols(self) -> frozenset[str]:
        """What it is computed from."""
        return self.remainder.symbols


@dataclass(frozen=True, slots=True)
class Share:
    """`numerator / modulus` for a modulus that is not a constant; with its remainder it names the numerator."""

    remainder: Remainder
    name: str = field(init=False, repr=False, compare=False)
    """The symbol that stands for it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", computed("div", self.remainder.numerator, self.remainder.modulus))

    @property
    def symbols(self) -> frozenset[str]:
        """What it is computed from."""
        return self.remainder.symbols | {self.remainder.name}


@dataclass(frozen=True, slots=True)
class Choice:
    """`condition ? then : otherwise`; `negated` is the condition's opposite."""

    condition: Disjunction
    negated: Disjunction
    then: Polynomial
    otherwise: Polynomial
    name: str = field(init=False, repr=False, compare=False)
    """The symbol that stands for it."""

    def __post_init__(self) -> None:
        condition = " | ".join(" & ".join(map(str, conjunction)) for conjunction in self.condition)
        object.__setattr__(self, "name", computed("choice", condition, self.then, self.otherwise))

    @property
    def symbols(self) -> frozenset[str]:
        """What it is computed from."""
        read = {name for side in (self.condition, self.negated) for part in side for p in part for name in p.symbols}
        return self.then.symbols | self.otherwise.symbols | read

    @property
    def sign(self) -> int:
        """-1 where it is the smaller of the two, 1 where it is the larger, 0 where it is neither."""
        distance = self.otherwise - self.then
        if self.condition in (((distance,),), ((distance - 1,),)):
            return -1
        return 1 if self.condition in (((-distance,),), ((-distance - 1,),)) else 0


@dataclass(frozen=True, slots=True)
class Partner:
    """`value ^ mask`: no two values have one partner, and the partner of the partner is the value itself."""

    value: Polynomial
    mask: Polynomial
    name: str = field(init=False, repr=False, compare=False)
    """The symbol that stands for it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", computed("xor", self.value, self.mask))

    @property
    def symbols(self) -> frozenset[str]:
        """What it is computed from."""
        return self.value.symbols | self.mask.symbols


@dataclass(frozen=True, slots=True)
class Lookup:
    """`array[indices]` of an array that the nest doesn't write, and what the user told of its values.

    `around` are iterators of loops in each iteration of which it may be other memory.
    """

    array: str
    indices: tuple[Polynomial, ...]
    is_injective: bool
    is_increasing: bool
    around: frozenset[str] = frozenset()
    name: str = field(init=False, repr=False, compare=False)
    """The symbol that stands for it."""

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "name", computed("at", f"{self.array}{''.join(f'[{index}]' for index in self.indices)}")
        )

    @property
    def symbols(self) -> frozenset[str]:
        """What it is computed from."""
        return self.around.union(name for index in self.indices for name in index.symbols)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a scalar holds while a loop runs that doesn't set it: one number in each iteration of the loops `around`."""

    scalar: str
    loop: int
    around: frozenset[str]

    @property
    def name(self) -> str:
        """The symbol that stands for it."""
        return added(self.scalar, f"in{self.loop}")

    @property
    def symbols(self) -> frozenset[str]:
        """What it may depend on."""
        return self.around


def same_remainders(definitions: Iterable[Definition]) -> list[tuple[str, str]]:
    """Names of remainders that are equal: `a % (m*n) % n` is `a % n`, as C rounds."""
    remainders = (d.remainder if isinstance(d, Leftover) else d for d in definitions)
    known = {d.name: d for d in remainders if isinstance(d, Remainder)}
    first: dict[tuple[Polynomial, Polynomial], str] = {}
    found = []
    for name, remainder in known.items():
        value = remainder.numerator
        while (inner := _of(value, known)) is not None and not divmod(inner.modulus, remainder.modulus)[1].terms:
            value = inner.numerator
        other = first.setdefault((value, remainder.modulus), name)
        found += [(other, name)] if other != name else []
    return found


def _of(value: Polynomial, known: Mapping[str, Remainder]) -> Remainder | None:
    """The remainder that the value is."""
    return next((remainder for name, remainder in known.items() if value == Polynomial.symbol(name)), None)


Definition = Quotient | Remainder | Leftover | Share | Choice | Partner | Lookup | Standing


@dataclass(slots=True)
class Definitions:
    """Every symbol defined while a nest is walked.

    `tables` is what is known of arrays' values; those in `written` have no value here. `moving` has those that are
    other memory from time to time, each with the iterators of the loops in whose iterations it is.
    """

    tables: Mapping[str, frozenset[type[TablePromise]]] = field(default_factory=dict)
    written: frozenset[str] = frozenset()
    moving: Mapping[str, frozenset[str]] = field(default_factory=dict)
    known: dict[str, Definition] = field(default_factory=dict)
    _bases: dict[Polynomial, frozenset[str]] = field(default_factory=dict)

    def symbol(self, definition: Definition) -> Polynomial:
        """Symbol that stands for the definition."""
        self.known.setdefault(definition.name, definition)
        return Polynomial.symbol(definition.name)

    def folded(self, value: Polynomial) -> Polynomial:
        """The same value with `a % m` for `a - a / m * m`."""
        for name in sorted(value.symbols & self.known.keys()):
            share = self.known[name]
            if not isinstance(share, Share):
                continue
            multiple, rest = divmod(value.coefficient(name), share.remainder.modulus)
            if multiple.is_constant and multiple.terms and not rest.terms:
                below = share.remainder.numerator - self.symbol(share.remainder)
                product = Polynomial.symbol(name) * share.remainder.modulus
                value = value + (below - product) * multiple
        return value

    def needed(self, names: Iterable[str]) -> tuple[Definition, ...]:
        """Definitions behind the names, each after those that it is computed from."""
        found: dict[str, Definition] = {}

        def collect(name: str) -> None:
            definition = self.known.get(name)
            if definition is not None and name not in found:
                for below in sorted(definition.symbols):
                    collect(below)
                found[name] = definition

        for name in sorted(set(names)):
            collect(name)
        return tuple(found.values())

    def bounds(self, value: Polynomial, sign: int) -> tuple[Polynomial, ...]:
        """Values of which this is the smallest (`sign` -1) or largest (1): itself, or the sides of its choices."""
        for name in sorted(value.symbols & self.known.keys()):
            choice, factor = self.known[name], value.coefficient(name)
            if isinstance(choice, Choice) and factor.is_constant and choice.sign * factor.constant_term * sign > 0:
                sides = (value.substitute({name: side}) for side in (choice.then, choice.otherwise))
                return tuple(dict.fromkeys(bound for side in sides for bound in self.bounds(side, sign)))
        return (value,)

    def basis(self, polynomial: Polynomial) -> frozenset[str]:
        """Symbols of the polynomial and of what its symbols are computed from."""
        found = self._bases.get(polynomial)
        if found is None:
            below = (definition.symbols for definition in self.needed(polynomial.symbols))
            found = self._bases[polynomial] = polynomial.symbols.union(*below)
        return found


def lookup(access: Access, indices: tuple[Polynomial, ...], define: Definitions) -> Polynomial | None:
    """The element as a value, None where the nest may write it."""
    if access.member or access.array in define.written:
        return None
    said = define.tables.get(access.array, frozenset())
    is_increasing = Increasing in said and len(indices) == 1
    around = define.moving.get(access.array, frozenset())
    return define.symbol(Lookup(access.array, indices, Injective in said, is_increasing, around))


def low_bits(mask: int) -> int | None:
    """How many bits the mask has, when they are the lowest; else None."""
    return mask.bit_length() if mask > 0 and mask & (mask + 1) == 0 and mask.bit_length() <= 40 else None


def as_written(symbol: str) -> str:
    """The scalar's name in the source."""
    return c_name(symbol)
