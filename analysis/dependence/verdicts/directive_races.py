"""Races that a directive makes: what its iterations share and write, with an exact witness.

Only what is sure is told: both accesses happen whatever the data is, in iterations that may run at once, of a variable
or memory that is one for all of them, and nothing in the source takes turns there.

Source: OpenMP 5.2, 1.4.1 (memory model: a data race is unspecified behaviour), 5.1 (data-sharing attributes).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.c.c_library import library_call
from warplens.analysis.dependence.conflicts.dependence import Finding, exact_conflicts, with_partners
from warplens.analysis.dependence.conflicts.obstacles import obstacles
from warplens.analysis.dependence.integer_sets.isl_conflict import Conflict
from warplens.analysis.dependence.pointers.moving_pointers import is_used_after
from warplens.analysis.dependence.scalars.same_value_store import same_value_store
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.verdicts.differing_threads import differs_by_thread
from warplens.analysis.dependence.verdicts.loop_question import Question, references_in
from warplens.analysis.dependence.verdicts.loop_verdict import objects_per_iteration, variable_findings
from warplens.analysis.facts.directive_race import DirectiveRace, MendingClause
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import Evaluate, Induction, Loop, Statement, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import kind_of
from warplens.analysis.ir.thread_number import THREAD_NUMBER
from warplens.analysis.ir.types import PointerTo

_FURTHEST = 16
"""Iterations that two accesses may be apart where nothing says how many there are: a loop need not be as long."""

_OPERATORS = frozenset(("+", "*", "&", "|", "^", "&&", "||", "min", "max"))
_EXTREMES = frozenset(("min", "max"))


@dataclass(frozen=True, slots=True)
class _Ends:
    """Two accesses, in the loop's order."""

    first: NodeId
    second: NodeId
    kind: Literal["flow", "anti", "output"]
    distance: int | None = None

    @staticmethod
    def of(conflict: Conflict, level: int) -> _Ends:
        source, sink = conflict.source, conflict.sink
        kind: Literal["flow", "anti", "output"] = "flow" if source.is_write else "anti"
        if source.is_write and sink.is_write:
            kind = "output"
        return _Ends(source.id, sink.id, kind, conflict.distances[level])


def directive_races(question: Question) -> tuple[DirectiveRace, ...]:
    """What the directive of a loop forgets, by variable; empty where that is not sure."""
    directive, loop = question.loop.directive, question.loop
    if directive is None or directive.sharing == "unclear" or obstacles(question.nest, loop):
        return ()
    if any(_tells_threads_apart(statement) for statement in walk_statements((loop,))):
        return ()
    inside, level = references_in(question.references, loop.id)
    search = _Search(question, directive, inside, level)
    found = [*search.of_findings(), *search.of_iterators(), *search.of_steps()]
    return tuple({race.variable: race for race in reversed(found)}.values())[::-1]


def _tells_threads_apart(statement: Statement) -> bool:
    """Whether a statement may keep threads apart, or asks for their number: a call for its effect may lock."""
    calls = [p for expression in expressions_of(statement) for p in walk(expression) if isinstance(p, Call)]
    known = [library_call(call.function) for call in calls if not call.is_math]
    is_lock = any(one is not None and one.locks for one in known)
    is_unknown = isinstance(statement, Evaluate) and any(one is None for one in known)
    return is_lock or is_unknown or any(call.function == THREAD_NUMBER for call in calls)


class _Search:
    """One loop with its directive, and the references in it."""

    def __init__(self, question: Question, directive: LoopDirective, inside: list[Reference], level: int) -> None:
        self._question = question
        self._nest, self._loop = question.nest, question.loop
        self._directive = directive
        self._inside, self._level = inside, level
        self._within = {loop.id for loop in walk_statements((question.loop,)) if isinstance(loop, Loop)}
        self._exclusive = frozenset(node for node, _ in question.nest.exclusive)
        self._apart = directive.apart | objects_per_iteration(question)
        self._scalars = {scalar.name: scalar for scalar in question.nest.scalars}
        self._arrays = {array.name: array for array in question.nest.arrays}

    def of_findings(self) -> Iterator[DirectiveRace]:
        """Of variables and memory that statements write."""
        findings = variable_findings(self._question, self._inside, self._level)
        for finding in with_partners(findings, self._question.folds):
            group = [r for r in self._inside if r.variable == finding.variable and not self._is_in_turn(r)]
            if not group or not self._is_shared(finding.variable) or any(map(self._differs, group)):
                continue
            race = self._race(finding, group)
            if race is not None:
                yield race

    def of_iterators(self) -> Iterator[DirectiveRace]:
        """Of iterators of inner loops that are declared outside: C leaves them shared."""
        if self._directive.sharing != "variables":
            return
        for inner in _surely_run(self._loop.body):
            name = inner.iterator
            if inner.id in self._exclusive or inner.pragmas or inner.directive is not None or inner.declares_iterator:
                continue
            if kind_of(name) == "source" and name in self._scalars and self._is_shared(name):
                yield self._made(name, _Ends(inner.id, inner.id, "output"), self._own_clause(name))

    def of_steps(self) -> Iterator[DirectiveRace]:
        """Of variables that every iteration moves by as much."""
        sharing = self._directive.sharing
        if sharing not in {"variables", "sums"} or self._nest.exclusive:
            return
        for induction in self._loop.inductions:
            name = induction.name
            if sharing == "sums" and not induction.is_only_counted:
                continue
            if c_name(name) == c_name(self._loop.iterator) or kind_of(name) != "source" or name not in self._scalars:
                continue
            if self._is_shared(name):
                ends = _Ends(self._loop.id, self._loop.id, "flow", 1)
                yield self._made(name, ends, *self._step_clause(induction))

    def _race(self, finding: Finding, group: list[Reference]) -> DirectiveRace | None:
        name, sharing = finding.variable, self._directive.sharing
        is_variable = name in self._scalars
        if finding.kind == "reduction":
            operator = next((r.operator for r in finding.reductions), "")
            is_one = len({r.operator for r in finding.reductions}) == 1 and operator in _OPERATORS
            if not is_one or (is_variable and sharing not in {"variables", "sums"}):
                return None
            ends = self._ends(group) or (self._asked_and_set(group) if operator in _EXTREMES else None)
            is_named = is_variable and "reduction" in self._directive.takes
            clause: MendingClause = "reduction" if is_named else ""
            return None if ends is None else self._made(name, ends, clause, operator)
        is_constant = finding.kind == "private" and same_value_store(self._nest, self._loop, group, frozenset())
        if finding.kind == "private" and sharing == "variables" and not is_constant:
            ends = self._ends(group)
            clause = "" if finding.is_copied_in else self._own_clause(name)
            return None if ends is None else self._made(name, ends, clause)
        if finding.kind in {"carried", "unknown"} and (not is_variable or sharing == "variables"):
            ends = self._ends(group)
            return None if ends is None else self._made(name, ends)
        return None

    def _ends(self, group: list[Reference]) -> _Ends | None:
        """Two accesses that meet for sure in iterations that may run at once, flow first."""
        every = exact_conflicts(group, self._question.solver, self._level)
        met = (c for c in every if self._is_near(c) and self._may_be_at_once(c))
        return next((_Ends.of(conflict, self._level) for conflict in met), None)

    def _asked_and_set(self, group: list[Reference]) -> _Ends | None:
        """An extreme that each iteration compares, and that some set."""
        asked = next((r for r in group if not r.is_write and r.place.is_exact_for(self._level)), None)
        written = next((r for r in group if r.is_write), None)
        return None if asked is None or written is None else _Ends(written.id, asked.id, "flow")

    def _is_near(self, conflict: Conflict) -> bool:
        """Whether loops need not be long for the two to meet; one of known length is as long as it takes."""
        loops = {loop.id: loop for loop in conflict.source.place.loops}
        both = zip(conflict.loops, conflict.distances, strict=True)
        return all(
            distance is None or abs(distance) <= _FURTHEST or _has_known_length(loops[loop]) for loop, distance in both
        )

    def _may_be_at_once(self, conflict: Conflict) -> bool:
        """Lanes run a statement after the other: what one leaves for a later statement of another is there in time."""
        if self._directive.unit == "threads":
            return True
        if not conflict.source.is_write or conflict.source.statement < conflict.sink.statement:
            return False
        lanes, distance = self._directive.lanes, conflict.distances[self._level]
        return not lanes or (distance is not None and distance < lanes) or not conflict.source.indices

    def _step_clause(self, induction: Induction) -> tuple[MendingClause, str]:
        """What counts such a variable in any order; a step that is no number may not stay the same."""
        if induction.is_only_counted and "reduction" in self._directive.takes:
            return "reduction", "+"
        is_number = induction.step.lstrip("-").isdecimal()
        is_named = is_number and "linear" in self._directive.takes
        return ("linear", induction.step) if is_named and not self._is_pointer(induction.name) else ("", "")

    def _is_pointer(self, name: str) -> bool:
        return isinstance(self._scalars[name].type, PointerTo)

    def _own_clause(self, name: str) -> MendingClause:
        """What gives each iteration one of its own; nothing does of what a pointer leads to."""
        if name in self._arrays:
            array = self._arrays[name]
            is_kept = array.used_after or array.scope == "global"
            is_named = not array.is_pointer and "private" in self._directive.takes and kind_of(name) == "source"
            return "" if not is_named or is_kept or MemoryPath.of(name).steps else "private"
        wanted: MendingClause = "lastprivate" if is_used_after(self._nest, self._loop, name) else "private"
        return wanted if wanted in self._directive.takes else ""

    def _is_in_turn(self, reference: Reference) -> bool:
        return reference.id in self._exclusive or reference.statement in self._exclusive

    def _is_shared(self, name: str) -> bool:
        """Whether a variable, or memory, is one and the same for all iterations."""
        base = MemoryPath.of(name).base
        if kind_of(base) != "source" or name in self._apart or base in self._apart:
            return False
        if name in self._arrays:
            array = self._arrays[name]
            is_led_to = array.is_pointer or array.scope == "global"
            is_clear = not array.is_of_called and array.chosen_in is None and not array.reached_by
            is_outside = array.declared_in not in self._within
            return is_clear and is_outside and (is_led_to or self._directive.sharing != "memory")
        scalar = self._scalars.get(name)
        return scalar is not None and not scalar.is_of_called and scalar.declared_in not in self._within

    def _differs(self, reference: Reference) -> bool:
        return differs_by_thread(reference, self._nest, self._directive)

    def _made(self, name: str, ends: _Ends, clause: MendingClause = "", argument: str = "") -> DirectiveRace:
        if c_name(name) in self._nest.inlined_globals:  # a called function means the one of the file, whatever is said
            clause = ""
        return DirectiveRace(
            self._directive.id, self._loop.id, name, ends.first, ends.second, ends.kind, ends.distance, clause, argument
        )


def _has_known_length(loop: Loop) -> bool:
    return all(bound is not None and bound.is_constant for bound in (loop.start, *loop.limits))


def _surely_run(body: tuple[Statement, ...]) -> Iterator[Loop]:
    """Loops that each iteration comes to."""
    for statement in body:
        if isinstance(statement, Loop):
            yield statement
            yield from _surely_run(statement.body)
