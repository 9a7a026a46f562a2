"""What the functions of a file pass to each other, as far as it is known where they are called."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class PassedObject:
    """A variable of the caller or of the file by its name, or other memory (that a call gave, of another function)."""

    name: str
    is_variable: bool


@dataclass(frozen=True, slots=True)
class PassedAddress:
    """`text` is the argument as written. `base` is what it is counted from, `offset` elements behind that if known.

    `objects` are those that it may lead into, empty where that can't be told. `is_one_of_many` if the base is a row, an
    element or a member, which are told apart by their text alone. `is_of_file` if the base is a variable of the file.
    `ways` are the addresses that it is one of, where a condition chooses.
    """

    text: str
    base: str
    offset: Polynomial | None
    is_one_of_many: bool
    objects: frozenset[PassedObject]
    is_of_file: bool = False
    ways: tuple[Way, ...] = ()

    def member(self, path: MemoryPath) -> PassedAddress | None:
        """A member of the structure that is passed, or whose address is: `g.data` for `p->data` where that is `&g`.

        None where it is not known which structure it is one of.
        """
        if self.ways or self.offset is None or self.offset.terms:
            return None
        base, steps = self.base, "".join(path.steps)
        if steps.startswith("->") and base.startswith("&"):
            base, steps = base[1:], f".{steps[2:]}"
        elif steps.startswith(".") and base.startswith("*"):
            base, steps = base[1:], f"->{steps[1:]}"
        text = f"{base}{steps}"
        return PassedAddress(text, text, Polynomial(()), True, frozenset(), self.is_of_file)


@dataclass(frozen=True, slots=True)
class Way:
    """An address that is passed where each of some conditions, by their texts, is true or false."""

    conditions: frozenset[tuple[str, bool]]
    address: PassedAddress

    def excludes(self, other: Way) -> bool:
        """Whether no call passes both."""
        return any((condition, not is_true) in other.conditions for condition, is_true in self.conditions)


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of a function of the same file. An argument is a polynomial over the caller's parameters, or None.

    `addresses` has the arguments that are pointers, None for others. `callee` is empty where a pointer says which
    function it is.
    """

    callee: str
    arguments: tuple[Polynomial | None, ...]
    addresses: tuple[PassedAddress | None, ...] = ()


@dataclass(frozen=True, slots=True)
class PointerSetting:
    """What a function sets a pointer to: a variable of the file, or the `member` of a structure (`p->data`).

    `holder` is what is written before the member, empty for a variable.
    """

    variable: str
    address: PassedAddress
    holder: str = ""
    member: str = ""


def call_sites(
    node: c_ast.Node | None,
    callees: Container[str],
    variables: Container[str],
    value: Callable[[c_ast.Node], Polynomial | None],
    address: Callable[[c_ast.Node], PassedAddress | None],
) -> Iterator[CallSite]:
    """Calls of `callees` in a tree, and those through pointers, which may be in some `variables`.

    `value` and `address` say what an argument is known to be there.
    """
    for item in nodes_of_kinds(node, (c_ast.FuncCall,)):
        name = item.name.name if isinstance(item.name, c_ast.ID) else ""
        is_direct = name in callees and name not in variables
        if is_direct or not name or name in variables:
            arguments = item.args.exprs if item.args else ()
            callee = name if is_direct else ""
            yield CallSite(callee, tuple(map(value, arguments)), tuple(map(address, arguments)))
