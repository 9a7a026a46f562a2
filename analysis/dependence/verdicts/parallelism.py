"""One verdict per loop of a nest, and what would have to be promised of those that are not decided."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from warplens.analysis.dependence.conditional.conditions import with_conditions
from warplens.analysis.dependence.conditional.failure_flags import kept_flags
from warplens.analysis.dependence.conditional.promised_sizes import missing_sizes, said_sizes
from warplens.analysis.dependence.conditional.reporting_scalars import reporting_cells, reporting_scalars
from warplens.analysis.dependence.conflicts.lent_work_arrays import handed_scratch
from warplens.analysis.dependence.conflicts.obstacles import obstacles
from warplens.analysis.dependence.conflicts.overlaps import missing_statements
from warplens.analysis.dependence.conflicts.pivots import promised_pivots
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver, TooComplexError
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.pointers.volatile_accesses import names_of_volatile
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.verdicts.directive_races import directive_races
from warplens.analysis.dependence.verdicts.directive_word import on_word
from warplens.analysis.dependence.verdicts.loop_question import Question, references_in
from warplens.analysis.dependence.verdicts.loop_verdict import loop_verdict
from warplens.analysis.dependence.verdicts.mapping_mistakes import mapping_mistakes
from warplens.analysis.dependence.verdicts.nest_views import NestViews
from warplens.analysis.facts.calls.calls import leaving_functions, printing_functions, unseen_functions
from warplens.analysis.facts.promises import promise_assumption
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of, walk_statements
from warplens.analysis.ir.promises.acyclic import Acyclic
from warplens.analysis.ir.promises.in_force import PromisesInForce
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.named import ElementPromise
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.size_holds import SizeHolds
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.source_names import c_name

_OPERATIONS_OF_CONDITIONS = 100_000
"""Coefficients for all questions about what would help one loop, besides those that were answered already."""

_OPERATIONS_OF_ELEMENTS = 300_000
"""The same for what may be said of elements and of scratch memory, which is asked last."""

_MOST_CONDITIONS = 16
"""Undecided loops of a nest for which it is asked what would help: each question is an analysis of its own."""


_LOOK_OPERATIONS = 2
"""What it counts as to look at one reference of the nest when a loop is decided."""

TOO_MUCH = "it takes too many operations to decide"
"""The reason where the budget of the nest leaves nothing to look at a loop with."""

TOO_MUCH_TO_PROMISE = "what would have to be promised takes too many operations to find"


def loop_verdicts(
    nest: LoopNest, promises: tuple[Promise, ...] = (), budget: NestBudget | None = None
) -> tuple[LoopVerdict, ...]:
    """Verdict of each loop, in source order; the nest is delinearised before. Never raises.

    `promises` are what the user says; an undecided loop comes with what would have to be promised. Loops that are not
    decided when the `budget` of the nest is used up, a fresh one unless given, are unknown and say so.
    """
    budget = NestBudget() if budget is None else budget
    judge = _Judge(NestViews(nest, budget), promises, ConflictSolver(budget))
    loops = {loop.id: loop for loop in loops_of(nest)}
    verdicts = tuple(judge.by_directive(loop, judge.own_verdict(loop)) for loop in loops.values())
    undecided = [v for v in verdicts if v.kind == "unknown"]
    helped = [
        v.loop for v in undecided if v.dependences or v.contested or v.maybe_private or judge.may_help(loops[v.loop])
    ]
    around = Counter(inner.id for loop in loops.values() for inner in walk_statements(loop.body))
    outermost = sorted(helped, key=lambda loop: around[loop])[:_MOST_CONDITIONS]
    return tuple(judge.with_conditions(loops[v.loop], v) if v.loop in outermost else v for v in verdicts)


class _Judge:
    """One nest under what is promised."""

    def __init__(
        self, views: NestViews, promises: tuple[Promise, ...], solver: ConflictSolver, *, is_asked: bool = False
    ) -> None:
        """See the nest; what is only asked for a promise to offer has nothing kept for it in the budget."""
        self.views = views
        self.look = solver.budget.use if is_asked else solver.budget.use_kept
        self.nest = views.nest
        self.promises = promises
        self.sizes = said_sizes(self.nest, promises)
        self.references = views.references(promises)
        self.solver = solver
        self.solver_of_conditions = self.solver_of_elements = solver

    def own_verdict(self, loop: Loop) -> LoopVerdict:
        """The loop's verdict, unknown where the budget has nothing left to look at it with."""
        try:
            return self.verdict(loop)
        except TooComplexError:
            return LoopVerdict(loop.id, "unknown", reason=TOO_MUCH)

    def verdict(self, loop: Loop) -> LoopVerdict:
        """The loop's verdict; what is said of sizes is used only where it is needed, and no more of it than that.

        Raises TooComplexError.
        """
        found = self._verdict(loop, self.references)
        if found.kind != "unknown" or not self.sizes:
            return found
        used = tuple(self.sizes)
        found = self._under(loop, used)
        for size in used if found.kind != "unknown" and len(used) > 1 else ():
            fewer = tuple(other for other in used if other != size)
            without = self._under(loop, fewer)
            if without.kind == found.kind:
                used, found = fewer, without
        said = (promise_assumption(size) for size in used if found.kind != "unknown")
        return replace(found, assumptions=(*found.assumptions, *said))

    def by_directive(self, loop: Loop, verdict: LoopVerdict) -> LoopVerdict:
        """The verdict with what the loop's directive forgets, or else on its word."""
        if loop.directive is None:
            return verdict
        question = self._question(loop, self.views.references(self.promises, tuple(self.sizes.values())))
        try:
            self.look(_LOOK_OPERATIONS * len(question.references))
            plain = replace(question, references=self.references)
            races = directive_races(plain)
            found = replace(verdict, races=races) if races else on_word(question, verdict)
        except TooComplexError:
            return verdict
        mismapped = mapping_mistakes(plain)
        return replace(found, mismapped=mismapped) if mismapped else found

    def _under(self, loop: Loop, sizes: tuple[SizeHolds, ...]) -> LoopVerdict:
        return self._verdict(loop, self.views.references(self.promises, tuple(self.sizes[size] for size in sizes)))

    def _verdict(self, loop: Loop, references: tuple[Reference, ...]) -> LoopVerdict:
        self.look(_LOOK_OPERATIONS * len(references))
        return loop_verdict(self._question(loop, references))

    def _question(self, loop: Loop, references: tuple[Reference, ...]) -> Question:
        promises = PromisesInForce.of_loop(loop.id, self.promises)
        return Question(self.nest, loop, references, self.views.folds, self.solver, promises, self.views.tables)

    def may_help(self, loop: Loop) -> bool:
        """Whether promises take all out of the way that keeps a loop from being looked at."""
        private = tuple(map(Private, handed_scratch(self.nest, loop)))
        every = (
            *private,
            *missing_statements(self.nest, loop, PromisesInForce(private)),
            *map(Independent, unseen_functions(loop)),
            *map(Uncalled, leaving_functions(loop)),
            *map(Ordinary, filter(None, names_of_volatile(self.nest, loop))),
            Unordered(),
        )
        return not obstacles(self.nest, loop, PromisesInForce(every))

    def with_conditions(self, loop: Loop, verdict: LoopVerdict) -> LoopVerdict:
        """The verdict of an undecided loop with what would have to be promised."""
        # A share of the budget for each: what would help is asked where the verdicts may have spent theirs.
        budget = self.solver.budget
        self.solver_of_conditions = ConflictSolver(budget, _OPERATIONS_OF_CONDITIONS, beside=self.solver)
        self.solver_of_elements = ConflictSolver(budget, _OPERATIONS_OF_ELEMENTS, beside=self.solver)
        inside, _ = references_in(self.references, loop.id)
        reporting = [
            *reporting_scalars(loop, self.nest.scalars, self.views.folds),
            *(cell.name for cell in reporting_cells(self.nest, loop, self.views.folds)),
        ]
        failing = kept_flags(loop, self.nest.scalars) if unseen_functions(loop) or printing_functions(loop) else ()
        said = PromisesInForce.of_loop(loop.id, self.promises).every
        own = tuple(p for p in map(Private, handed_scratch(self.nest, loop)) if p not in said)
        volatile = (p for p in map(Ordinary, names_of_volatile(self.nest, loop)) if p not in said)
        also = (*own, *missing_statements(self.nest, loop, PromisesInForce((*said, *own))), *volatile)
        graphs = tuple(Acyclic(c_name(name)) for name in promised_pivots(self.nest, loop, inside))
        try:
            return with_conditions(
                loop, verdict, said, inside, reporting, self.verdict_if, self.missing_sizes, also, failing, graphs
            )
        except TooComplexError:
            return replace(verdict, reason="; ".join(filter(None, (verdict.reason, TOO_MUCH_TO_PROMISE))))

    def missing_sizes(
        self, loop: Loop, verdict: LoopVerdict, promises: tuple[Promise, ...]
    ) -> tuple[tuple[Promise, ...], ...]:
        """Promises about sizes, any set of which may decide a verdict found under other promises."""
        every = self.views.references(promises, tuple(self.sizes.values()))
        return missing_sizes(self.nest, verdict, *references_in(every, loop.id), self.solver_of_conditions)

    def verdict_if(self, loop: Loop, promises: tuple[Promise, ...]) -> LoopVerdict:
        """The loop's verdict with other promises."""
        # what is said of elements, or of scratch memory, is asked last and shortens the work
        is_of_elements = any(isinstance(promise, ElementPromise | Private) for promise in promises)
        solver = self.solver_of_elements if is_of_elements else self.solver_of_conditions
        return _Judge(self.views, promises, solver, is_asked=True).verdict(loop)
