"""What one file says of sizes, as a value: what it stores where, what its calls pass, what its types hold."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.program.sizes.places import Place
from warplens.analysis.program.sizes.size_expression import SizeExpression


@dataclass(frozen=True, slots=True)
class TypeShape:
    """A type as far as ways through it go: the structure at its end, and how many steps `*` or `[]` lead there.

    `structure` is empty for numbers; `is_integer` tells an integer from other numbers.
    """

    structure: str
    steps: int = 0
    is_integer: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of the source: on which line of its function, counted from 0, and its text."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Store:
    """A value that a statement stores. `is_conditional` where it is under an `if`.

    `options` are those of the program that it stands under, each in all its spellings: without them it does not happen.
    """

    place: Place
    value: SizeExpression
    at: Statement
    is_conditional: bool
    options: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function by its name. `loops` is how many loops are around it.

    `targets` are the places whose addresses are passed, by the argument's position.
    """

    function: str
    arguments: tuple[SizeExpression, ...]
    targets: tuple[tuple[int, Place], ...]
    at: Statement
    loops: int
    is_conditional: bool
    options: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Allocation:
    """Memory of so many `bytes_` that a pointer is set to, or that an array has."""

    place: Place
    bytes_: SizeExpression
    at: Statement


@dataclass(frozen=True, slots=True)
class FunctionSizes:
    """What a function does with sizes; the same for the same text of it, wherever it stands in its file.

    `header` is the path of the included file that it stands in, empty for the file's own.
    """

    name: str
    is_static: bool
    parameters: tuple[str, ...]
    variables: tuple[tuple[str, TypeShape], ...]
    stores: tuple[Store, ...]
    calls: tuple[Call, ...]
    allocations: tuple[Allocation, ...]
    header: str = ""


@dataclass(frozen=True, slots=True)
class FileSizes:
    """What a file says of sizes, wherever in it that stands: an edit that moves a function changes nothing here.

    `functions` are its own and those that it calls of the program's headers, which are its own as `static` ones are.
    `initial` are what its own variables start as, `extents` those of its arrays; the lines of their statements count
    the file's declarations. `statics` are names of functions and variables that other files do not mean by the same
    name. `structures` are the members of its types, `globals_` the variables of the file with their types.
    """

    path: str
    functions: tuple[FunctionSizes, ...]
    initial: tuple[Store, ...]
    extents: tuple[Allocation, ...]
    statics: frozenset[str]
    structures: tuple[tuple[str, tuple[tuple[str, TypeShape], ...]], ...]
    globals_: tuple[tuple[str, TypeShape], ...]


@dataclass(frozen=True, slots=True)
class FileLines:
    """On which line of a file, from 1, its functions begin, by name, and its declarations stand, in their order.

    `headers` are, by the names of functions that stand in an included file, its path.
    """

    functions: tuple[tuple[str, int], ...]
    declarations: tuple[int, ...]
    headers: tuple[tuple[str, str], ...] = ()
