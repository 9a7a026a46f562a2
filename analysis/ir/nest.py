"""A loop nest: loops, statements and the objects they touch, as one frozen value without positions.

Equal source text gives equal nests wherever it stands; spans live beside it, by node id (`NestSpans`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.bound_reason import BoundReason, reasons_text
from warplens.analysis.ir.expression import Access, Expression, ScalarRef
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.promises.named import TablePromise
from warplens.analysis.ir.types import CType
from warplens.analysis.ir.undeclared import Undeclared
from warplens.analysis.text.span import Span


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`, or `target op= value` when `operator` is set; `a[i]++` is `a[i] += 1`.

    A compound assignment reads its target (the same access id) before it writes it. `declares` marks a declaration with
    initialiser inside the nest.
    """

    id: NodeId
    target: ScalarRef | Access
    operator: Literal["", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
    value: Expression
    declares: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """A branch; a `continue` guard has become an `If` around the rest of the body."""

    id: NodeId
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression for its effect: a call that is not known to be pure."""

    id: NodeId
    expression: Expression


@dataclass(frozen=True, slots=True)
class Exit:
    """Control that leaves early: `break`, `return`, `goto`; `leaves` is the loop it ends (the root for return)."""

    id: NodeId
    kind: Literal["break", "return", "goto"]
    leaves: NodeId


@dataclass(frozen=True, slots=True)
class OpaqueStatement:
    """A statement that was not understood (a `while`, inline assembly): anything may be read or written."""

    id: NodeId
    reason: str


@dataclass(frozen=True, slots=True)
class Induction:
    """A variable that moved by `step` in each iteration and that closed forms replace: `k += 2`, `p++`.

    The source still counts it, so a rewrite that runs the loop's iterations in another order must count it anew.
    `is_only_counted`: nothing in the loop reads it, so that it is a sum.
    """

    name: str
    step: str
    is_only_counted: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How a variable goes through a loop whose count no polynomial gives: `for (k = 1; k < n; k *= 2)`, `j += i`.

    It starts as `first`, each iteration ends with `variable = variable operator amount`, and the loop goes on while
    `variable relation limit`. What is divided is rounded towards zero. `is_tested_first` is False for a loop that runs
    once before the test. Nothing in the loop changes what `amount` and `limit` are made of. With `is_square` it is the
    variable's square that is compared: `i * i <= n`.
    """

    variable: str
    first: Expression
    operator: Literal["+", "-", "*", "/"]
    amount: Expression
    relation: Literal["<", "<=", ">", ">=", "!="]
    limit: Expression
    is_tested_first: bool = True
    is_square: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """`for (iterator = start; iterator < limit; iterator += step)`, whatever its spelling was.

    `limits` are exclusive in the direction of `step`, all of them must hold (`i <= n` is `(n + 1,)`, `i < n && i < m`
    is `(n, m)`, a descending `i >= 0` is `(-1,)`); empty when no bound was understood. `start` is None when unknown.
    `exact_end` marks `!=`: the step must divide the distance. `bound_reads` are the expressions that the header
    evaluates and that are not polynomials (`rowptr[i + 1]`), `bound_reasons` say what was not understood. `inductions`
    are the variables besides the iterator that it moves along. Where all that is not understood are expressions,
    `start_read` is the start and `limit_reads` are exclusive limits, each an expression and what is added to it.
    `directive` is by what the source says that the iterations may run at the same time.
    `said_calls` are calls in those, each function with how the source calls it.
    `progress` says how often a loop runs whose bounds are not understood; its iterator then counts from 0.
    """

    id: NodeId
    iterator: str
    iterator_type: CType
    start: Polynomial | None
    limits: tuple[Polynomial, ...]
    step: int
    body: tuple[Statement, ...]
    exact_end: bool = False
    declares_iterator: bool = False
    bound_reads: tuple[Expression, ...] = ()
    bound_reasons: tuple[BoundReason, ...] = ()
    pragmas: tuple[str, ...] = ()
    inductions: tuple[Induction, ...] = ()
    start_read: Expression | None = None
    limit_reads: tuple[tuple[Expression, Polynomial], ...] = ()
    directive: LoopDirective | None = None
    progress: Progress | None = None
    said_calls: tuple[tuple[str, str], ...] = ()

    @property
    def bound_reason(self) -> str:
        """What was not understood of the header, in one clause."""
        return reasons_text(self.bound_reasons)


Statement = Assign | If | Evaluate | Exit | OpaqueStatement | Loop


@dataclass(frozen=True, slots=True)
class ArrayObject:
    """A memory object of the nest: array, or what a pointer points to; `extents` are outer to inner, None if unknown.

    `scope`: a parameter, a global, a local of the function outside the nest, or declared inside (`body`, private to
    an iteration of the loop `declared_in`). `is_allocated` marks a pointer of this function that only ever holds
    what an allocation in this function gave: nothing else reaches its object unless the pointer was handed on.
    `chosen_in` is the innermost loop around the point where a pointer got a value that is not followed (`q = c ? a :
    b`, `q++` under a condition): it may point elsewhere in each of that loop's iterations, but not in one of them.
    `may_point_into` are other objects of the nest that a pointer was set from, or that were set from what it was.
    `holds` is what the initialiser of a constant table says of its values as subscripts. `reached_by` is the variable
    whose value decides what an object is that was chosen or that a call gave, `set_in` a loop in each iteration of
    which that variable, or the structure that holds the pointer, is set anew before. `is_of_called` marks an object
    whose name is one of a called function, whose body stands in the nest: at the loop it means nothing, or something
    else. `used_after` marks an array of the function of which the file shows that what the nest leaves in it is read or
    kept. `lies_in` is the one array of the nest's `scratch` that all pointers to the object lead into. `unstored` says
    what the elements are whose initialiser is not among the statements: "zeros" or other "values". `elements` is how
    many the one allocation of a pointer has, where that is known.
    """

    name: str
    element: CType
    element_bytes: int
    extents: tuple[Polynomial | None, ...]
    scope: Literal["parameter", "global", "local", "body"]
    is_pointer: bool
    restrict: bool = False
    is_const: bool = False
    declared_in: NodeId | None = None
    is_allocated: bool = False
    chosen_in: NodeId | None = None
    may_point_into: tuple[str, ...] = ()
    holds: tuple[type[TablePromise], ...] = ()
    rows_from: str = ""
    reached_by: str = ""
    set_in: NodeId | None = None
    is_of_called: bool = False
    used_after: bool = False
    lies_in: str = ""
    unstored: Literal["", "zeros", "values"] = ""
    elements: Polynomial | None = None


@dataclass(frozen=True, slots=True)
class ScalarObject:
    """A scalar of the nest. `used_after` tells whether its value may be read after the nest (True when in doubt).

    `is_exposed` marks a variable of the file, not `const`: pointers that come from elsewhere may lead to it; `is_unset`
    one of the function's in which nothing is before the nest, where this calls functions of other files.
    `is_of_called` marks a variable whose name is one of a called function, as in ArrayObject.
    """

    name: str
    type: CType
    scope: Literal["parameter", "global", "local", "body"]
    used_after: bool
    address_taken: bool = False
    declared_in: NodeId | None = None
    is_exposed: bool = False
    is_unset: bool = False
    is_of_called: bool = False


@dataclass(frozen=True, slots=True)
class DerivedSymbol:
    """A symbol that stands for a value the polynomials can't hold, constant in the nest (`n/2` -> floor(n/2)).

    `formula` is None when it can't be computed from parameters either (then the symbol is itself a parameter).
    `read_from` are the objects that its value is loaded from, each with the type of what is read as its element.
    """

    name: str
    formula: Formula | None
    text: str
    read_from: tuple[ArrayObject, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownRange:
    """`value >= 0` for parameters of the nest, as a guard or an assertion before it makes sure; `text` is that in C."""

    value: Polynomial
    text: str


@dataclass(frozen=True, slots=True)
class MetPair:
    """Two arrays, by their names in C, that a call of the file leads into one object.

    `said` says so as a clause: "`main` passes `x` and `x + 1`". `distance` is how many elements the second starts
    behind the first, a polynomial over the parameters of the caller, None where that is not known; `arguments` are
    what the call passes for numbers, over the same.
    """

    left: str
    right: str
    said: str
    distance: Polynomial | None
    arguments: tuple[tuple[str, Polynomial], ...] = ()


@dataclass(frozen=True, slots=True)
class LoopNest:
    """An outermost loop with everything it uses. `parameters` are the symbols constant in the nest, sorted.

    `inexact` lists rewrites that may have lost meaning (`typeof` replaced), shown to the user. `inlined` are the
    functions of the file whose bodies stand in the nest in place of their calls, `inlined_globals` the variables of
    the file that those bodies name themselves, `other_pointers` what such calls hand on that stands for another array's
    elements. `known` is what holds for the parameters whenever the nest runs. `scratch` are arrays, and what pointers
    lead to, of the function itself that it uses in this nest only: nothing is in them before, nobody looks after.
    `met` are pairs of arrays that calls in the file lead into one object. `work` are those of `scratch`, whether
    functions of other files are called or not, that the function holds itself and in which nothing is whenever the nest
    starts, also where the function runs it again. `values` are scalars that the nest leaves alone and what they hold,
    in its parameters. `older_pointers` are variables set before the nest and never in it, each with the array that
    stands in the nest for what it leads into. `exchanged` are loops with the pointers into `scratch` that each
    iteration exchanges once and sets in no other way. `lent` is as `scratch`, of pointers to what functions of other
    files gave, which the function frees: only somebody who knows these can say that nobody else has it. `too_large`
    says of which expressions the values are not followed, as they would be too long to compute with. `exclusive` are
    nodes below a directive that says which threads run them and when, each with its first word: "critical", "atomic",
    "ordered", "single". `elsewhere` are those of `inlined` that other files of the program define, each with that
    file's name. `undeclared` are names that it uses and no file in sight declares.
    """

    root: Loop
    arrays: tuple[ArrayObject, ...]
    scalars: tuple[ScalarObject, ...]
    parameters: tuple[str, ...]
    derived: tuple[DerivedSymbol, ...] = ()
    inexact: tuple[str, ...] = ()
    inlined: tuple[str, ...] = ()
    inlined_globals: tuple[str, ...] = ()
    other_pointers: tuple[str, ...] = ()
    known: tuple[KnownRange, ...] = ()
    scratch: frozenset[str] = frozenset()
    values: tuple[tuple[str, Polynomial], ...] = ()
    older_pointers: tuple[tuple[str, str], ...] = ()
    exchanged: tuple[tuple[NodeId, frozenset[str]], ...] = ()
    lent: frozenset[str] = frozenset()
    too_large: tuple[str, ...] = ()
    met: tuple[MetPair, ...] = ()
    work: frozenset[str] = frozenset()
    exclusive: tuple[tuple[NodeId, str], ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()
    undeclared: tuple[Undeclared, ...] = ()

    def array(self, name: str) -> ArrayObject:
        """Object by name; raises KeyError."""
        for array in self.arrays:
            if array.name == name:
                return array
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class NestSpans:
    """Where the nodes of one nest stand in the user's file, by node id.

    `header` of a loop is `for (...)`, `whole` ends with its body; `nodes` has statements and accesses. A node from a
    macro has the span of the macro's use and is listed in `in_macro`, with the macro's name in `macros` where that is
    known. Offsets are relative to `base`, the start of the enclosing top-level declaration, so that an edit above
    changes only `base`.
    """

    base: int
    header: tuple[tuple[NodeId, Span], ...]
    whole: tuple[tuple[NodeId, Span], ...]
    nodes: tuple[tuple[NodeId, Span], ...]
    in_macro: frozenset[NodeId] = frozenset()
    macros: tuple[tuple[NodeId, str], ...] = ()


def walk_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements and loops of a body, in source order, outer before inner."""
    todo = [*reversed(body)]
    found: list[Statement] = []
    while todo:
        statement = todo.pop()
        found.append(statement)
        if isinstance(statement, Loop):
            todo += reversed(statement.body)
        elif isinstance(statement, If):
            todo += reversed(statement.otherwise)
            todo += reversed(statement.then)
    return iter(found)


def loops_of(nest: LoopNest) -> tuple[Loop, ...]:
    """All loops of a nest, outer before inner, in source order."""
    return tuple(s for s in walk_statements((nest.root,)) if isinstance(s, Loop))
