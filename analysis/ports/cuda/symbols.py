"""What the names of a nest stand for in one kernel: variables of the thread, parameters, values of the block."""

from __future__ import annotations

from dataclasses import dataclass, field

from warplens.analysis.ir.nest import DerivedSymbol, LoopNest
from warplens.analysis.ir.types import INT, LONG, UNSIGNED, CType, Scalar
from warplens.analysis.ports.cuda.loop_text import counting_type
from warplens.analysis.ports.cuda.names import Names
from warplens.analysis.ports.cuda.polynomial_text import no_symbol

THREAD_INDICES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")


@dataclass(slots=True)
class Symbols:
    """Gives names of the nest their text and notes which parameters the text uses.

    `own` are variables that each thread has, `copies` what stands behind those that it has once per output. `iterators`
    are loops inside of the kernel, with their types.
    """

    nest: LoopNest
    own: frozenset[str]
    iterators: dict[str, CType]
    names: Names = field(default_factory=Names)
    types: dict[str, CType] = field(default_factory=dict)
    derived: dict[str, DerivedSymbol] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)
    used_arrays: dict[str, None] = field(default_factory=dict)
    _made: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep the user's names for the user's variables, in the order in which the nest has them."""
        for array in self.nest.arrays:
            self.names.of(array.name)
        for scalar in self.nest.scalars:
            self.names.of(scalar.name)
            self.types[scalar.name] = scalar.type
        for name, ctype in self.iterators.items():
            self.types[name] = counting_type(ctype)
        self.derived = {symbol.name: symbol for symbol in self.nest.derived}
        for symbol in self.nest.derived:
            if symbol.formula is None and symbol.name not in self.types:
                self.types[symbol.name] = _read_type(symbol)
        for name in THREAD_INDICES:
            self.types[name] = UNSIGNED

    def value(self, name: str) -> str:
        """Text of a variable, a parameter or a symbol of polynomials; raises PortRefusedError."""
        if name in THREAD_INDICES:
            return name
        if name not in self.types:
            raise no_symbol(name)
        if name not in self.own and name not in self.iterators:
            self.used[name] = None
        return self.names.of(name) + self.copies.get(name, "")

    def array(self, name: str) -> str:
        """Text of an array's name."""
        if name not in self.own:
            self.used_arrays[name] = None
        return self.names.of(name) + self.copies.get(name, "")

    def plain(self, name: str) -> str:
        """Identifier alone, for declarations."""
        return self.names.of(name)

    def local(self, symbol: str, ctype: CType) -> str:
        """Make a symbol that the kernel itself computes (a block's first value); its identifier."""
        self.own = self.own | {symbol}
        self.types[symbol] = ctype
        return self.names.of(symbol)

    def made(self, wanted: str) -> str:
        """An identifier of the text's own, the same one for the same wish, which is no name of the nest."""
        if wanted not in self._made:
            self._made[wanted] = self.names.fresh(wanted)
        return self._made[wanted]

    def counter(self, wanted: str) -> str:
        """A loop counter of the text's own, as a symbol and identifier in one."""
        name = self.names.fresh(wanted)
        self.names.given[name] = name
        self.own = self.own | {name}
        self.types[name] = INT
        return name


def _read_type(symbol: DerivedSymbol) -> CType:
    """Type of a value that the host reads once for the kernel."""
    types = [array.element for array in symbol.read_from if isinstance(array.element, Scalar)]
    return types[0] if len(types) == 1 and types[0].kind == "int" else LONG
