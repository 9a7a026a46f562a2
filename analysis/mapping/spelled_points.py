"""A nest with a thread per innermost parallel iteration: loops distributed, pulled outwards, or launched in steps.

Parallel loops carry no dependence. So they may be distributed over the statements inside of them, and moved inside a
loop that runs in order, without changing a result; what stands in the way are variables that iterations keep.
A parallel loop that stands inside of one that runs in order is pulled out of it where each of its iterations only ever
meets itself there; else the loop in order launches a kernel per iteration.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, sections 5.2 (interchange), 6.2 (fission).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.dependence.scalars.privatization import is_read_before_written
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, ScalarObject, Statement
from warplens.analysis.mapping.held_elements import held_elements
from warplens.analysis.mapping.moved_values import assigned, header_names, is_understood, used_arrays
from warplens.analysis.mapping.nested_rows import only_loop, split_heads, without_start
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.parted_loops import kept_heads, parted
from warplens.analysis.mapping.pulled_loops import keeps_values, pulled_out
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.untiled_loops import Merged, untiled_band, untiled_inside

Statements = tuple[Statement, ...]
Loops = tuple[Loop, ...]


class SpelledPoints:
    """Writes statements for parallel loops around a body.

    `copies` says of each copied loop which it is one of; `steps` are loops whose iterations are launches, `scalars`
    variables that the nest has not. `merged` are loops that stand for two of the source, over tiles and their points.
    `pulled` are loops in order that parallel ones were pulled out of: what they accumulate is held in a variable
    (`held_elements`), unless that is left to whoever asks (`holds`).
    """

    def __init__(self, source: SourceNest, names: NewNames, *, holds: bool = True) -> None:
        self._source = source
        self._names = names
        self._holds = holds
        self._used: set[NodeId] = set()
        self.pulled: set[NodeId] = set()
        self.copies: dict[NodeId, NodeId] = {}
        self.scalars: list[ScalarObject] = []
        self.steps: list[NodeId] = []
        self.merged: list[Merged] = []

    def spelled(self, loops: Loops, heads: Statements, body: Statements) -> Statements:
        """Statements that do what the body, after its heads, does in all iterations of the loops, outermost first."""
        own, rest = split_heads(body)
        heads = (*heads, *own)
        only = rest[0] if len(rest) == 1 and isinstance(rest[0], Loop) else None
        if only is None and loops:
            only = only_loop(self._source, loops[0], heads, rest)
        if only is not None:
            inside = without_start(heads, only)
            return self._of_loop(loops, inside, only) or self._around(loops, (*heads, *rest))
        groups = self._groups(loops, rest)
        bodies = [kept_heads(heads, group) for group in groups]
        are_free = (self._may_come_later(loops, own, groups[:at]) for at, (own, _) in enumerate(bodies))
        if len(groups) > 1 and any(self._source.holds_parallel(group) for group in groups) and all(are_free):
            return tuple(one for own, group in bodies if group for one in self.spelled(loops, own, group))
        return self._around(loops, (*heads, *rest))

    def _may_come_later(self, loops: Loops, heads: Statements, before: Sequence[Statements]) -> bool:
        """Whether heads set the same values behind parts of a body that stood behind them."""
        behind = tuple(one for part in before for one in part)
        return not heads or not behind or not self._source.conflicts(loops[0], heads, behind)

    def _of_loop(self, loops: Loops, heads: Statements, loop: Loop) -> Statements:
        """The only statement of a body besides its heads; empty where it is nothing but the thread's."""
        source = self._source
        if source.is_parallel(loop):
            is_free = not loops or source.can_stand_inside(loops[0], heads, loop)
            return self.spelled((*loops, loop), heads, loop.body) if is_free else ()
        if not source.holds_parallel(loop.body) or not is_understood((loop,)) or keeps_values(loop.body):
            return ()
        pulled = pulled_out(source, heads, loop)
        if pulled is not None:
            outer, inner = pulled
            self.pulled.add(inner.id)
            is_free = not loops or source.can_stand_inside(loops[0], heads, loop)
            return self.spelled((*loops, outer), heads, (inner,)) if is_free else ()
        parts = parted(source, loop, lambda one, body: self._groups((*loops, one), body))
        if parts:
            return self.spelled(loops, heads, parts)
        if not loops or not self._may_be_steps(loops, heads, loop):
            return ()
        step = self._new_id(loop)
        self.steps.append(step)
        return (replace(loop, id=step, body=self.spelled(loops, heads, loop.body)),)

    def _may_be_steps(self, loops: Loops, heads: Statements, loop: Loop) -> bool:
        """Whether a loop in order may stand around the parallel ones: each of its iterations is then a launch."""
        source = self._source
        if header_names(loop) & ({each.iterator for each in loops} | assigned(heads)):
            return False
        if source.own_arrays(loops) & used_arrays((loop,)):
            return False
        return not source.conflicts(loops[0], heads, (loop,))

    def _groups(self, loops: Loops, body: Statements) -> list[Statements]:
        """The body in as many parts as can be kernels of their own, in order: none uses what another leaves."""
        own = self._source.own_arrays(loops)
        last = list(range(len(body)))
        for first, one in enumerate(body):
            values, arrays = assigned((one,)), used_arrays((one,)) & own
            for second in range(first + 1, len(body)):
                other = (body[second],)
                if arrays & used_arrays(other) or any(is_read_before_written(other, name) for name in values):
                    last[first] = second
        groups: list[Statements] = []
        at = 0
        while at < len(body):
            end = last[at]
            inside = at
            while inside <= end:
                end, inside = max(end, last[inside]), inside + 1
            groups.append(body[at : end + 1])
            at = end + 1
        return groups

    def _untiled(self, statement: Statement) -> Statement:
        """A loop of the thread without tiles; what is pulled out of one of two loops is out of both."""
        statement, found = untiled_inside(self._source, self._names, statement)
        for each in found:
            own = [self.copies.get(one, one) for one in (each.tiles, each.points)]  # tiles of tiles: one is a new loop
            in_order = (one for one in own if self._source.verdicts[one].kind != "parallel")
            self._merge(each, next(in_order, own[-1]))
        return statement

    def _merge(self, new: Merged, verdict: NodeId) -> None:
        """Take in a loop for two, one of which has its verdict."""
        self.merged.append(new)
        self.copies[new.loop.id] = self.copies.get(verdict, verdict)
        if self.pulled & {new.tiles, new.points}:
            self.pulled.add(new.loop.id)

    def _held(self, statement: Statement) -> Statements:
        """A loop of the thread with what it accumulates in a variable."""
        if not self._holds or not isinstance(statement, Loop) or statement.id not in self.pulled:
            return (statement,)
        held = held_elements(self._source.nest, statement, self._names)
        self.scalars += held.scalars
        return held.statements

    def _around(self, loops: Loops, body: Statements) -> Statements:
        """The body inside the loops, which get new ids where they were used before."""
        loops, found = untiled_band(self._source, self._names, loops, body)
        for each in found:
            self._merge(each, each.points)
        body = tuple(each for one in body for each in self._held(self._with_new_ids(self._untiled(one))))
        for loop in reversed(loops):
            body = (replace(loop, id=self._new_id(loop), body=body),)
        return body

    def _with_new_ids(self, statement: Statement) -> Statement:
        """The statement with new ids for loops in it that stand elsewhere too, as of one that is parted."""
        match statement:
            case Loop():
                body = tuple(map(self._with_new_ids, statement.body))
                return replace(statement, id=self._new_id(statement), body=body)
            case If():
                then, otherwise = (tuple(map(self._with_new_ids, s)) for s in (statement.then, statement.otherwise))
                return replace(statement, then=then, otherwise=otherwise)
            case _:
                return statement

    def _new_id(self, loop: Loop) -> NodeId:
        """The loop's id where it stands for the first time, else one of its own."""
        kept = loop.id
        if kept in self._used:
            kept = self._names.id()
            self.copies[kept] = self.copies.get(loop.id, loop.id)
            self.pulled |= {kept} if loop.id in self.pulled else set()
        self._used.add(kept)
        return kept
