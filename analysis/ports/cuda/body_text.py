"""Statements of a thread as CUDA C++, variables declared where they are first set.

A variable is declared in the innermost block that has all its uses. Inside a loop that is only where no iteration reads
what an earlier one left in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from warplens.analysis.dependence.scalars.privatization import is_read_before_written
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import (
    ArrayObject,
    Assign,
    Evaluate,
    Exit,
    If,
    Loop,
    OpaqueStatement,
    ScalarObject,
    Statement,
    walk_statements,
)
from warplens.analysis.ir.types import CType
from warplens.analysis.ir.unread_scalars import own_scalars, scalars_in
from warplens.analysis.ports.cuda.constant_text import is_plain_one
from warplens.analysis.ports.cuda.expression_text import ExpressionText
from warplens.analysis.ports.cuda.loop_text import LoopText
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.types_text import is_boolean

INDENT = "    "
_LONGEST_UNROLLED = 16
"""Iterations up to which a loop of constant length is unrolled whole."""

Special = Callable[[Statement], tuple[str, ...] | None]
"""Lines of a statement that is printed in a way of its own (an atomic update), None of any other."""


Together = Callable[[Statement, list[str]], list[str]]
"""The lines of a statement with those before and behind it by which threads work together."""


def _alone(_statement: Statement, lines: list[str]) -> list[str]:
    return lines


@dataclass(frozen=True, slots=True)
class BodyText:
    """Prints lists of statements, not indented. `scalars` are those that each thread has of its own."""

    expressions: ExpressionText
    loops: LoopText
    scalars: Mapping[str, ScalarObject]
    arrays: Mapping[str, ArrayObject]
    type_text: Callable[[CType], str]
    special: Special
    together: Together = _alone

    def lines(self, body: tuple[Statement, ...], undeclared: frozenset[str], inside: NodeId | None = None) -> list[str]:
        """Lines of a list; `undeclared` are variables and arrays that it has all uses of, `inside` the loop around."""
        found: list[str] = []
        uses = {name: [n for n, one in enumerate(body) if name in names_in(one)] for name in sorted(undeclared)}
        below = {name for name, at in uses.items() if at and self._declared_below(name, [body[n] for n in at])}
        for number, statement in enumerate(body):
            inner = frozenset(name for name in below if number in uses[name])
            first = [name for name, at in uses.items() if name not in below and at and at[0] == number]
            merged = self._merged(statement, first)
            found += [self.declaration(name) for name in first if name != merged]
            word = ""
            if merged and isinstance(statement, Assign):
                is_only = sum(_sets(one, merged) for one in walk_statements(body)) == 1
                word = f"{'const ' if is_only else ''}{self._type(merged)}"
            found += self.together(statement, self.statement(statement, inner, inside, word))
        return found

    def declaration(self, name: str, copies: str = "") -> str:
        """`float t;`, `float w[4];`; `copies` are dimensions of one copy per output."""
        if name in self.arrays:
            array = self.arrays[name]
            dimensions = "".join(f"[{_extent(array, d)}]" for d in range(len(array.extents)))
            start = " = {}" if array.unstored else ""  # what a list leaves out is zero
            return f"{_before(self.type_text(array.element))}{self.loops.name(name)}{copies}{dimensions}{start};"
        return f"{self._type(name)}{self.loops.name(name)}{copies};"

    def statement(
        self, statement: Statement, undeclared: frozenset[str], inside: NodeId | None, word: str = ""
    ) -> list[str]:
        """Lines of one statement; `word` declares its target."""
        special = self.special(statement)
        if special is not None:
            return [*special]
        match statement:
            case Assign():
                return [self._assignment(statement, word)]
            case If():
                return self._branch(statement, undeclared, inside)
            case Loop():
                return self._loop(statement, undeclared)
            case Exit(kind=kind, leaves=leaves):
                if kind != "break" or leaves != inside:
                    raise PortRefusedError(f"a `{kind}` leaves more than the innermost loop")
                return ["break;"]
            case Evaluate(expression=expression):
                self.expressions.text(expression)  # says which call it is
                raise PortRefusedError("a call is made for its effect alone")
            case OpaqueStatement(reason=reason):
                raise PortRefusedError(f"a statement is not understood: {reason}")

    def _assignment(self, statement: Assign, word: str) -> str:
        target, operator, value = statement.target, statement.operator, statement.value
        if isinstance(target, Access):
            left = self.expressions.element(target).text
        else:
            left = word + self.expressions.scalar(target.name)
        if not operator:
            return f"{left} = {self.expressions.assigned(value, target.type)};"
        if operator in {"+", "-"} and is_plain_one(value, target.type) and not is_boolean(target.type):
            return f"{left}{operator * 2};"
        return f"{left} {operator}= {self.expressions.added(value, target.type)};"

    def _branch(self, statement: If, undeclared: frozenset[str], inside: NodeId | None) -> list[str]:
        if not statement.then and statement.otherwise:
            rest = self.lines(statement.otherwise, undeclared, inside)
            return [f"if ({self.expressions.negated(statement.condition)}) {{", *indented(rest), "}"]
        then_names = frozenset().union(*(names_in(one) for one in statement.then)) & undeclared
        found = [f"if ({self.expressions.text(statement.condition)}) {{"]
        found += indented(self.lines(statement.then, then_names, inside))
        if statement.otherwise:
            rest = self.lines(statement.otherwise, undeclared - then_names, inside)
            is_chain = len(statement.otherwise) == 1 and isinstance(statement.otherwise[0], If)
            if is_chain and rest and rest[0].startswith("if ("):
                return [*found, f"}} else {rest[0]}", *rest[1:]]
            found += ["} else {", *indented(rest)]
        return [*found, "}"]

    def _loop(self, loop: Loop, undeclared: frozenset[str]) -> list[str]:
        declares = loop.iterator in undeclared
        header = self.loops.header(loop, declares=declares)
        body = self.lines(loop.body, undeclared - {loop.iterator}, loop.id)
        return [*unroll_pragma(loop), f"{header} {{", *indented(body), "}"]

    def _declared_below(self, name: str, users: list[Statement]) -> bool:
        """Whether the statements of a list that use a variable can declare it inside, each its own."""
        if len(users) == 1:
            return self._fits_below(name, users[0])
        return all(isinstance(one, Loop) and one.iterator == name for one in users)

    def _fits_below(self, name: str, statement: Statement) -> bool:
        """Whether the one statement of a list that uses a variable can declare it inside."""
        if isinstance(statement, If):
            if name in own_names(statement):
                return False
            sides = [side for side in (statement.then, statement.otherwise) if any(name in names_in(s) for s in side)]
            return len(sides) == 1
        if not isinstance(statement, Loop):
            return False
        if name == statement.iterator:
            return True
        if name in own_names(statement):
            return False
        if name in self.arrays:
            return self.arrays[name].declared_in in {s.id for s in walk_statements((statement,))}
        declared_in = self.scalars[name].declared_in
        is_own = declared_in is not None and declared_in in {s.id for s in walk_statements((statement,))}
        return is_own or not is_read_before_written(statement.body, name)

    def _merged(self, statement: Statement, first: list[str]) -> str:
        """The variable that the statement sets for the first time, so that it declares it too; empty if none."""
        if not isinstance(statement, Assign) or statement.operator or not isinstance(statement.target, ScalarRef):
            return ""
        name = statement.target.name
        reads_itself = any(isinstance(node, ScalarRef) and node.name == name for node in walk(statement.value))
        return name if name in first and not reads_itself and self.special(statement) is None else ""

    def _type(self, name: str) -> str:
        return _before(self.type_text(self.scalars[name].type))


def names_in(statement: Statement) -> frozenset[str]:
    """Variables and arrays of a statement and of what is inside of it."""
    return scalars_in(statement) | frozenset(name for one in walk_statements((statement,)) for name in own_arrays(one))


def own_names(statement: Statement) -> frozenset[str]:
    """Variables and arrays of a statement itself."""
    return own_scalars(statement) | own_arrays(statement)


def own_arrays(statement: Statement) -> frozenset[str]:
    """Arrays of a statement itself."""
    return frozenset(access.array for access in accesses_of(statement))


def indented(lines: list[str] | tuple[str, ...]) -> list[str]:
    """The lines one level deeper; directives of the compiler go along."""
    return [INDENT + line if line else line for line in lines]


def unroll_pragma(loop: Loop) -> list[str]:
    """`#pragma unroll` for a short loop of constant length that nothing leaves."""
    if loop.start is None or len(loop.limits) != 1 or loop.limit_reads:
        return []
    distance = (loop.limits[0] - loop.start) * (1 if loop.step > 0 else -1)
    if not distance.is_constant or not 1 < -(-distance.constant_term // abs(loop.step)) <= _LONGEST_UNROLLED:
        return []
    return [] if any(isinstance(one, Exit | Loop) for one in walk_statements(loop.body)) else ["#pragma unroll"]


def _sets(statement: Statement, name: str) -> bool:
    match statement:
        case Assign(target=ScalarRef(target)):
            return target == name
        case Loop(iterator=iterator):
            return iterator == name
        case _:
            return False


def _extent(array: ArrayObject, dimension: int) -> int:
    extent = array.extents[dimension]
    if extent is None or not extent.is_constant:
        raise PortRefusedError(f"each thread would need an array `{array.name}` whose size is not a constant")
    return extent.constant_term


def _before(text: str) -> str:
    """The type with what stands between it and a name."""
    return text if text.endswith("*") else f"{text} "
