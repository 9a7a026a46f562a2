"""A loop on the word of its directive: what the analysis can't tell is as the author says, a witness stays one.

The author of `#pragma omp parallel for` says that no two iterations are in each other's way but where a clause,
`atomic` or `critical` says otherwise. That decides what nothing in the file decides, as promises in comments do. A
dependence with an exact witness is not said away: only clauses do that, and nodes that iterations run in turn. A
variable that the author shares and data sets now and then (`if (failed) status = 1;`) stays one for all. Work memory
that the function allocates itself is one for all only where the threads start in the function.

Source: OpenMP 5.2, 5.1 (data-sharing), 15.2 (critical), 15.8.4 (atomic); OpenACC 3.3, 2.9.9 (independent).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from warplens.analysis.dependence.conflicts.array_privatization import may_have_copies
from warplens.analysis.dependence.conflicts.dependence import Finding, exact_conflicts, with_partners
from warplens.analysis.dependence.conflicts.lent_work_arrays import handed_scratch
from warplens.analysis.dependence.conflicts.obstacles import obstacles
from warplens.analysis.dependence.conflicts.overlaps import missing_statements
from warplens.analysis.dependence.pointers.moving_pointers import (
    is_used_after,
    known_as,
    moving_objects,
    without_moving_tables,
)
from warplens.analysis.dependence.pointers.volatile_accesses import names_of_volatile
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.verdicts.differing_threads import differs_by_thread
from warplens.analysis.dependence.verdicts.loop_question import Question, references_in
from warplens.analysis.dependence.verdicts.loop_verdict import variable_findings
from warplens.analysis.dependence.verdicts.verdict_assumptions import verdict_assumptions
from warplens.analysis.facts.calls.calls import leaving_functions, unseen_functions
from warplens.analysis.facts.verdict import LoopVerdict, Reduction, ReductionOperator
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.promises.in_force import PromisesInForce
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.promises.unshared import Unshared
from warplens.analysis.ir.source_names import c_name

_IN_TURN = frozenset(("critical", "atomic"))
_OPERATORS: dict[str, ReductionOperator] = {
    "+": "+", "*": "*", "min": "min", "max": "max", "&": "&", "|": "|", "^": "^", "&&": "&&", "||": "||",
}  # fmt: skip


def on_word(question: Question, plain: LoopVerdict) -> LoopVerdict:
    """The verdict of a loop with a directive, by what its author says; the `plain` one where that changes nothing."""
    directive, loop = question.loop.directive, question.loop
    if directive is None or not directive.is_word or plain.kind == "parallel":
        return plain
    said = replace(question, promises=PromisesInForce(tuple(_implied(question))))
    if obstacles(question.nest, loop, said.promises):
        return plain
    every, level = references_in(said.references, loop.id)
    inside = without_moving_tables(every, {array.name for array in moving_objects(question.nest, loop)})
    findings = with_partners(variable_findings(said, inside, level), said.folds)
    groups = {f.variable: [r for r in inside if r.variable == f.variable] for f in findings}
    told = [_told(finding, question, directive, groups[finding.variable], level) for finding in findings]
    if any(finding.kind in {"carried", "unknown"} for finding in told):
        return plain
    private = tuple(sorted(f.variable for f in told if f.kind == "private"))
    reductions = tuple(r for f in told for r in f.reductions)
    if plain.kind == "reduction" and reductions == plain.reductions:
        return plain
    assumptions = verdict_assumptions(said, inside, private, reductions)
    return LoopVerdict(
        loop.id,
        "reduction" if reductions else "parallel",
        private=private,
        reductions=reductions,
        assumptions=(_assumption(loop, directive), *(a for a in assumptions if a.kind != "promise")),
        copied_in=tuple(sorted(f.variable for f in told if f.is_copied_in)),
        word=directive.id,
        left_shared=tuple(dict.fromkeys(node for f in told if f.kind == "independent" for node in f.blockers)),
    )


def _implied(question: Question) -> Iterator[Promise]:
    """What is promised in comments, and all that could be, of what the file can't tell."""
    nest, loop = question.nest, question.loop
    own = tuple(map(Private, handed_scratch(nest, loop)))
    yield from question.promises.every
    yield from own
    yield from missing_statements(nest, loop, PromisesInForce(own))
    yield from map(Independent, unseen_functions(loop))
    yield from map(Uncalled, leaving_functions(loop))
    yield from map(Ordinary, filter(None, names_of_volatile(nest, loop)))
    yield from (
        Unshared(name) for array in moving_objects(nest, loop) for name in dict.fromkeys((array.name, known_as(array)))
    )
    yield Unordered()


def _told(
    finding: Finding, question: Question, directive: LoopDirective, inside: list[Reference], level: int
) -> Finding:
    """What a variable is to the loop by the directive."""
    name = finding.variable
    group = [reference for reference in inside if reference.variable == name]
    if finding.kind == "reduction":
        is_said = any(_is_named(name, said) for said, _ in directive.reduced) or bool(_in_turn(group, question.nest))
        return finding if is_said or not _moves(group, level) else Finding(name, "independent")
    if finding.kind not in {"carried", "unknown"}:
        return finding
    if any(_is_named(name, own) for own in directive.own):
        return Finding(name, "private")
    operator = next((_OPERATORS.get(operator) for said, operator in directive.reduced if _is_named(name, said)), None)
    if operator is not None and (node := next((r for r in group if r.is_write), None)) is not None:
        return Finding(name, "reduction", (Reduction(name, operator, node.statement, node.access is not None),))
    if finding.may_be_private and directive.sharing == "unclear" and _is_work_array(question.nest, name):
        return Finding(name, "private")  # each thread has its own where threads call the function
    turns = _in_turn(group, question.nest)
    others = [reference for reference in group if reference.id not in turns and reference.statement not in turns]
    if turns and not any(reference.is_write for reference in others):
        return Finding(name, "independent", blockers=tuple(sorted(turns)))
    alike = [reference for reference in others if not differs_by_thread(reference, question.nest, directive)]
    if exact_conflicts(alike, question.solver, level):
        return finding
    if finding.kind == "carried":
        return finding
    is_variable = all(reference.access is None for reference in group)
    if is_variable and not is_used_after(question.nest, question.loop, name):
        return Finding(name, "private")
    nodes = dict.fromkeys(reference.id for reference in group if reference.is_write)
    return Finding(name, "independent", blockers=tuple(nodes) if is_variable else ())


def _is_work_array(nest: LoopNest, name: str) -> bool:
    """Whether an array is the function's own, in which nobody wants what the nest leaves there."""
    return any(array.name == name and may_have_copies(array) and not array.used_after for array in nest.arrays)


def _moves(group: list[Reference], level: int) -> bool:
    """Whether iterations may touch other elements of an array than each other."""
    moving = {loop.iterator for reference in group for loop in reference.place.loops[level:]}
    return any(index is None or not moving.isdisjoint(index.symbols) for r in group for index in r.indices)


def _is_named(name: str, said: str) -> bool:
    """Whether a variable that a clause names is, or holds, an object of the nest."""
    path = MemoryPath.of(name)
    return name == said or (path.base == said and not path.has_arrow)


def _in_turn(group: list[Reference], nest: LoopNest) -> frozenset[NodeId]:
    """Nodes of the references that iterations run one at a time."""
    nodes = {node for node, word in nest.exclusive if word in _IN_TURN}
    return frozenset(r.id for r in group if r.id in nodes or r.statement in nodes)


def _assumption(loop: Loop, directive: LoopDirective) -> Assumption:
    text = (
        f"The iterations of the loop over `{c_name(loop.iterator)}` are assumed not to be in each other's way: "
        f"the directive above it, `{directive.construct}`, says so."
    )
    return Assumption("promise", c_name(loop.iterator), text, origin="directive")
