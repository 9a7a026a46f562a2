"""Pointers that a loop moves by amounts that are not the same in each iteration: a variable says how far they are.

`if (a[i] > 0) *p++ = a[i];` is `if (a[i] > 0) x[at++] = a[i];` for a `p` that starts in `x`: the object is known, and
where in it is for the analysis of values to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.forms.loop_form import LoopForm
from warplens.analysis.frontend.forms.movements import write_counts
from warplens.analysis.frontend.scopes.places import Dimension, Place
from warplens.analysis.frontend.statements.lower_motion import Motion, Value
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.frontend.values.closed_form import computed_from, expression_of
from warplens.analysis.ir.expression import Expression, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Statement
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import added
from warplens.analysis.ir.types import LONG, PointerTo, is_volatile

_INCREMENTS = frozenset({"++", "--", "p++", "p--"})


@dataclass(frozen=True, slots=True)
class Walk:
    """A pointer by its source name, where it points before the loop, and an id for what then says so.

    `is_outer` marks one that a loop around moves so too.
    """

    name: str
    start: Place
    node: NodeId
    is_outer: bool


class Walks(Motion):
    """Follows such pointers; methods raise UnsupportedError."""

    def walks(
        self, loop: c_ast.Node, form: LoopForm, totals: Collection[str], written: frozenset[str],
        addressed: frozenset[str],
    ) -> list[Walk]:  # fmt: skip
        """Pointers that the loop only steps, in an object that is known, and not by an amount that is known."""
        context, values = self.context, self.context.values
        nodes = [*form.tests, *form.body, *form.after, *((form.test_step,) if form.test_step is not None else ())]
        every, steps = write_counts(nodes), _steps(nodes)
        names = frozenset(map(self.unique, written))
        found = []
        for name in sorted(steps):
            symbol = context.lookup(name) if every[name] == steps[name] and self.is_declared(name) else None
            if symbol is None or not isinstance(symbol.type, PointerTo) or is_volatile(symbol.type):
                continue
            is_outer = symbol.name in context.walking
            is_free = not symbol.is_array_parameter and symbol.scope != "global" and name not in addressed
            place = values.pointers.get(symbol.name)
            if not is_free or symbol.name in values.closed or (name in totals and not is_outer) or place is None:
                continue
            indices = [d.index for d in place.dimensions if d.index is not None]
            is_known = len(indices) == len(place.dimensions) > 0 and place.variable is None and place.narrow is None
            read = {symbol for index in indices for symbol in computed_from(context, index)}
            if is_known and not place.member and read.isdisjoint(names):
                found.append(Walk(name, place, context.new_id(self.span(loop)), is_outer))
        return found

    def start_walks(self, walks: list[Walk], forms: Collection[str], after: Collection[str]) -> list[Statement]:
        """What says at the start of the loop where they are."""
        context = self.context
        before: list[Statement] = []
        for walk in walks:
            pointer = self.unique(walk.name)
            if walk.name in forms:
                if walk.is_outer and walk.name not in after:
                    before.append(self._distance_of(walk, context.kept_walks))
            elif walk.is_outer:
                context.values.pointers[pointer] = walk.start
            else:
                before.append(self._distance_of(walk, context.walking))
                context.values.pointers[pointer] = self._walked(walk, context.walking[pointer])
        return before

    def end_walks(
        self, loop: c_ast.Node, walks: list[Walk], forms: Collection[str], after: dict[str, Value]
    ) -> list[Statement]:
        """What says behind the loop where they are."""
        context = self.context
        late: list[Statement] = []
        for walk in walks:
            pointer = self.unique(walk.name)
            if walk.is_outer and walk.name in forms:
                value = after.get(walk.name)
                now: Expression | None = context.kept_walks.get(pointer)
                if isinstance(value, Place) and (index := value.dimensions[-1].index) is not None:
                    now = expression_of(context, index, LONG)
                if now is None:
                    raise UnsupportedError(f"`{walk.name}` moves by an amount that is not known")
                late.append(Assign(context.new_id(self.span(loop)), context.walking[pointer], "", now))
            if walk.name not in forms or walk.is_outer:
                context.values.pointers[pointer] = self._walked(walk, context.walking[pointer])
        return late

    def _distance_of(self, walk: Walk, holders: dict[str, ScalarRef]) -> Assign:
        context = self.context
        symbol = context.declare(added(walk.name, "at"), LONG, "body")
        holder = holders[self.unique(walk.name)] = context.scalar(symbol, symbol.name)
        context.values.known[symbol.name] = None
        start = walk.start.dimensions[-1].index or Polynomial(())  # it is known
        return Assign(walk.node, holder, "", expression_of(context, start, LONG), declares=True)

    def _walked(self, walk: Walk, holder: ScalarRef) -> Place:
        last = walk.start.dimensions[-1]
        moved = Dimension(holder, self.context.values.data(holder.name), last.extent)
        return replace(walk.start, dimensions=(*walk.start.dimensions[:-1], moved))


def _steps(nodes: list[c_ast.Node]) -> Counter[str]:
    """How often variables are stepped by `p++` or `p += n`, in any spelling but `p = p + n`."""
    found: Counter[str] = Counter()
    for node in nodes:
        for item in nodes_of_kinds(node, (c_ast.Assignment, c_ast.UnaryOp)):
            target = item.lvalue if isinstance(item, c_ast.Assignment) else item.expr
            is_step = item.op in {"+=", "-="} if isinstance(item, c_ast.Assignment) else item.op in _INCREMENTS
            if is_step and isinstance(target, c_ast.ID):
                found[target.name] += 1
    return found
