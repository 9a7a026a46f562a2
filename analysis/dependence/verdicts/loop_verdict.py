"""Whether the iterations of one loop may run at the same time, under what is promised.

A loop is parallel if no two of its iterations, equal in the iterators outside, touch one element that one of them
writes, once reductions and private variables are taken out. The quick tests come first, integer programming the rest.

Source: Allen, Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapters 2 and 5.
Assumes: what each verdict's `assumptions` lists. Not modelled: integer wrap-around, aliases of scalars.
"""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.dependence.conditional.early_end import sparing_flag
from warplens.analysis.dependence.conditional.failure_flags import kept_flags
from warplens.analysis.dependence.conditional.reporting_scalars import reporting_cells, reporting_scalars
from warplens.analysis.dependence.conflicts.array_privatization import (
    may_be_set_first,
    may_have_copies,
    with_own_copies,
)
from warplens.analysis.dependence.conflicts.dependence import (
    Finding,
    array_finding,
    every_conflict,
    scalar_finding,
    with_partners,
)
from warplens.analysis.dependence.conflicts.kept_copies import is_read_behind, is_wanted_after, with_last_copy
from warplens.analysis.dependence.conflicts.lent_work_arrays import filling_calls, if_unwanted, may_be_lent
from warplens.analysis.dependence.conflicts.obstacles import obstacles
from warplens.analysis.dependence.conflicts.own_elements import (
    are_told_apart,
    data_decides_writes,
    objects_said,
    same_values,
    sizes_divide_writes,
    without_data,
    without_divisions,
)
from warplens.analysis.dependence.conflicts.pivots import pivots_of, set_while_read, without_pivots
from warplens.analysis.dependence.conflicts.waiting import WAITS, waits
from warplens.analysis.dependence.pointers.moving_pointers import (
    exchanged_pointers,
    is_used_after,
    kept_memory,
    moving_objects,
    own_rows,
    scratch_rows,
    used_after,
    without_moving_tables,
)
from warplens.analysis.dependence.pointers.row_slots import kinds_of_memory
from warplens.analysis.dependence.pointers.stored_pointers import stored_pointers
from warplens.analysis.dependence.pointers.thread_parts import has_part_per_thread
from warplens.analysis.dependence.scalars.privatization import (
    are_elements_read_before_written,
    is_written_on_every_path,
)
from warplens.analysis.dependence.scalars.recurrence_pattern import WAVEFRONT, chunk_pattern, recurrence_pattern
from warplens.analysis.dependence.scalars.same_value_store import same_value_store, same_value_stores
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars
from warplens.analysis.dependence.verdicts.loop_question import Question, references_in
from warplens.analysis.dependence.verdicts.verdict_assumptions import table_reasons, verdict_assumptions
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import Loop, walk_statements
from warplens.analysis.ir.promises.acyclic import Acyclic
from warplens.analysis.ir.promises.agreeing import Agreeing
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.kept import Kept
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.unshared import Unshared
from warplens.analysis.ir.source_names import c_name, stated_name

_DEPENDENCES_SHOWN = 5


def loop_verdict(question: Question) -> LoopVerdict:
    """The verdict, without what would have to be promised. Never raises."""
    nest, loop = question.nest, question.loop
    found_obstacles = obstacles(nest, loop, question.promises)
    if found_obstacles:
        reasons = dict.fromkeys(obstacle.reason for obstacle in found_obstacles)
        nodes = dict.fromkeys(obstacle.node for obstacle in found_obstacles)
        return LoopVerdict(loop.id, "unknown", reason="; ".join(reasons), blockers=tuple(nodes))
    every, level = references_in(question.references, loop.id)
    moving = {array.name for array in moving_objects(nest, loop)}
    inside = without_moving_tables(every, moving)
    findings = with_partners(variable_findings(question, inside, level), question.folds)
    private = tuple(sorted(f.variable for f in findings if f.kind == "private"))
    reductions = tuple(r for f in findings for r in f.reductions)
    for kind in ("carried", "unknown"):
        decisive = [f for f in findings if f.kind == kind]
        if decisive:
            dependences = sorted(
                (d for f in decisive for d in f.dependences),
                key=lambda d: (("flow", "anti", "output").index(d.kind), d.source, d.sink),
            )
            return LoopVerdict(
                loop.id,
                "carried" if kind == "carried" else "unknown",
                private=private,
                dependences=tuple(dict.fromkeys(dependences))[:_DEPENDENCES_SHOWN],
                reason="; ".join(dict.fromkeys(f.reason for f in decisive if f.reason)),
                blockers=tuple(dict.fromkeys(b for f in decisive for b in f.blockers)),
                pattern=_pattern(question, inside, level, decisive, findings),
                maybe_private=tuple(f.variable for f in decisive if f.may_be_private),
                contested=tuple(f.variable for f in decisive if _is_contested(f, inside, level)),
            )
    set_again = tuple(stored_pointers(nest, loop))
    if set_again:
        named = dict.fromkeys(f"the pointer `{c_name(name)}` itself changes in the loop" for name, _ in set_again)
        blockers = tuple(dict.fromkeys(node for _, node in set_again))
        return LoopVerdict(loop.id, "unknown", reason="; ".join(named), blockers=blockers)
    if waits(loop):
        return LoopVerdict(loop.id, "unknown", reason=WAITS, blockers=(loop.id,))
    return LoopVerdict(
        loop.id,
        "reduction" if reductions else "parallel",
        private=private,
        reductions=reductions,
        reason="; ".join(dict.fromkeys((*(f.reason for f in findings if f.reason), *table_reasons(question, inside)))),
        assumptions=verdict_assumptions(question, inside, private, reductions),
        copied_in=tuple(sorted(f.variable for f in findings if f.is_copied_in)),
    )


def _is_contested(finding: Finding, inside: list[Reference], level: int) -> bool:
    """Whether data, or sizes, decide if iterations write the same elements of an array.

    What they read may be a second matter.
    """
    meets = not finding.dependences or any(d.kind == "output" for d in finding.dependences)
    by_data = meets and (finding.by_strides or data_decides_writes(finding.variable, inside, level))
    by_sizes = finding.is_too_complex and sizes_divide_writes(finding.variable, inside, level)
    return finding.kind == "unknown" and (by_data or by_sizes or are_told_apart(finding.variable, inside))


def _pattern(
    question: Question, inside: list[Reference], level: int, decisive: list[Finding], findings: list[Finding]
) -> str:
    """What the carried loop computes, where it has a name."""
    if decisive[0].kind != "carried" or any(f.kind == "unknown" for f in findings):
        return ""
    loop = question.loop
    if len(decisive) == 1 and (name := recurrence_pattern(loop, decisive[0].variable, question.folds)):
        return name
    groups = [[r for r in inside if r.variable == f.variable] for f in decisive]
    found = [every_conflict(group, question.solver, level) for group in groups]
    conflicts = [c for carried in found if carried is not None for c in carried]
    if None in found or any(r.access is None for group in groups for r in group):
        return ""
    inner = loop.body[0] if len(loop.body) == 1 else None
    if isinstance(inner, Loop):
        below = [every_conflict(group, question.solver, level + 1) for group in groups]
        deeper = [c for carried in below if carried is not None for c in carried]
        both = [distance for c in (*conflicts, *deeper) for distance in c.distances[level : level + 2]]
        if deeper and None not in below and None not in both and _only_written(question, inner, decisive):
            return WAVEFRONT
    return chunk_pattern(conflicts, level)


def _only_written(question: Question, inner: Loop, decisive: list[Finding]) -> bool:
    """Whether the inner loop carries nothing but what the outer one does."""
    inside, level = references_in(question.references, inner.id)
    below = variable_findings(replace(question, loop=inner), inside, level)
    return all(f.kind not in {"carried", "unknown"} or f.variable in {d.variable for d in decisive} for f in below)


def objects_per_iteration(question: Question) -> set[str]:
    """Objects declared in the body: one per iteration, unless something outside this loop uses it."""
    loop = question.loop
    within = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    shared = {r.variable for r in question.references if all(around.id != loop.id for around in r.place.loops)}
    per_iteration = {array.name for array in question.nest.arrays if array.declared_in in within}
    per_iteration |= {scalar.name for scalar in question.nest.scalars if scalar.declared_in in within}
    return per_iteration - shared


def variable_findings(question: Question, inside: list[Reference], level: int) -> list[Finding]:
    """What each variable that the loop writes means for it; `inside` are the references in it, `level` is its depth."""
    loop = question.loop
    per_iteration = objects_per_iteration(question)
    groups: dict[str, list[Reference]] = {}
    for reference in inside:
        groups.setdefault(reference.variable, []).append(reference)
    iterators = {s.iterator for s in walk_statements(loop.body) if isinstance(s, Loop) and not s.declares_iterator}
    scalars = sorted(assigned_scalars(loop.body) | iterators)
    found = []
    vouched = question.promises.names(Independent)
    reporting = reporting_scalars(loop, question.nest.scalars, question.folds) if vouched else {}
    cells = reporting_cells(question.nest, loop, question.folds) if vouched else {}
    kept = question.promises.names(Kept)
    flags = kept_flags(loop, question.nest.scalars) if kept else {}
    for name in scalars:
        if name in reporting and name in vouched:
            found.append(Finding(name, "reduction", reporting[name]))
        elif name in flags and stated_name(name) in kept:
            found.append(Finding(name, "reduction", (flags[name],)))
        elif name in per_iteration:
            found.append(Finding(name, "private"))
        else:
            found.append(_scalar_finding(question, name, groups.get(name, []), level))
    for name, group in sorted(groups.items()):
        if group[0].access is None or not any(r.is_write for r in group):
            continue
        if name in per_iteration:
            found.append(Finding(name, "private"))
            continue
        said = [cell for cell in cells if cell.array == name and cell.name in vouched]
        found += [Finding(name, "reduction", (cells[cell],)) for cell in said]
        others = [r for r in group if all(r.id not in cell.accesses for cell in said)] if said else group
        if any(r.is_write for r in others):
            found += [_array_finding(question, name, part, level) for part in kinds_of_memory(loop, others)]
    return found


def _scalar_finding(question: Question, name: str, group: list[Reference], level: int) -> Finding:
    nest, loop = question.nest, question.loop
    if name in exchanged_pointers(nest, loop, question.promises.names(Private)):
        return Finding(name, "private")
    finding = scalar_finding(loop, name, group, question.folds, question.solver, level)
    if finding.kind in {"carried", "unknown"} and (flag := sparing_flag(loop, name, lambda: _kept(question))):
        return Finding(name, "reduction", flag)
    may_be_private = True
    if group and (finding.kind == "carried" or (finding.kind == "unknown" and may_be_set_first(group))):
        own = with_own_copies(finding, group, question.solver, level, is_said=False)
        if own.kind == "private" or finding.kind == "carried":
            finding, may_be_private = replace(own, may_be_private=False), own.may_be_private
    is_scratch = stated_name(name) in nest.scratch
    is_set_first = is_scratch or (may_be_set_first(group) and not is_used_after(nest, loop, name))
    if finding.kind == "unknown" and is_set_first and may_be_private:
        is_said = stated_name(name) in question.promises.names(Private)
        return Finding(name, "private") if is_said else replace(finding, may_be_private=True)
    if finding.kind != "private" or is_written_on_every_path(loop, name) or not is_used_after(nest, loop, name):
        return finding
    stored = same_value_store(nest, loop, group, kept_memory(nest, loop))
    if stored:
        return Finding(name, "reduction", stored)
    # One copy each would lose which iteration wrote last.
    nodes = tuple(dict.fromkeys(r.id for r in group if r.is_write))
    return Finding(
        name, "unknown", reason=f"`{c_name(name)}` is set under a condition and used after the loop", blockers=nodes
    )


def _kept(question: Question) -> frozenset[str]:
    """Scalars and arrays that are not an iteration's own, or are looked at behind the loop."""
    nest, loop = question.nest, question.loop
    within = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    outer = [scalar.name for scalar in nest.scalars if scalar.declared_in not in within]
    scalars = used_after(nest, loop, outer)
    return frozenset(scalars | {array.name for array in nest.arrays if array.declared_in not in within})


def _array_finding(question: Question, name: str, group: list[Reference], level: int) -> Finding:
    finding = _with_copies(question, name, group, level)
    return with_last_copy(finding, group, level) if is_wanted_after(question.nest, name) else finding


def _with_copies(question: Question, name: str, group: list[Reference], level: int) -> Finding:
    """An array of the function itself, allocated or declared, may have one copy per iteration, as a scalar may."""
    said = question.promises.names(Unshared)
    own = own_rows(question.nest, question.loop, said)
    if name in own | scratch_rows(question.nest, question.loop, question.promises.names(Private)):
        return Finding(name, "independent")
    stored = same_value_stores(question.nest, question.loop, group, kept_memory(question.nest, question.loop))
    if name in objects_said(question.nest, question.promises.names(Agreeing)):
        stored = same_values(name, group)
    if name in objects_said(question.nest, said):
        # What data or sizes decide is as promised; a witness in the rest says otherwise.
        told = without_data(group, level)
        finding = array_finding(name, told, question.folds, question.solver, level)
        if finding.is_too_complex:
            plain = without_divisions(told, level)
            finding = array_finding(name, plain, question.folds, question.solver, level)
        return finding if finding.kind == "carried" else Finding(name, "independent")
    finding = array_finding(name, group, question.folds, question.solver, level, stored)
    if finding.kind in {"carried", "unknown"} and (pivots := pivots_of(question.nest, question.loop, name, group)):
        fewer = without_pivots(group, pivots)
        apart = array_finding(name, fewer, question.folds, question.solver, level)
        if not pivots.is_promised or name in objects_said(question.nest, question.promises.names(Acyclic)):
            finding, group = apart, fewer
        elif apart.kind not in {"carried", "unknown"}:
            return replace(finding, kind="unknown", reason=finding.reason or set_while_read(name, pivots))
    # what a pointer was set to in the nest is not what its name stands for before
    scratch = {
        a.name for a in question.nest.arrays if stated_name(a.name) in question.nest.scratch and not a.reached_by
    }
    owned = {a.name for a in question.nest.arrays if may_have_copies(a)} | scratch
    is_lent = name not in owned and may_be_lent(question.nest, question.loop, finding, group)
    if finding.kind not in {"carried", "unknown"} or not (name in owned or is_lent or has_part_per_thread(group)):
        return finding
    if is_read_behind(question.nest, question.loop, name, question.references):
        return finding
    reads = [r.access for r in group if r.access is not None and not r.is_write]
    if not is_lent and not are_elements_read_before_written(question.loop.body, reads):
        return Finding(name, "private")
    is_said = stated_name(name) in question.promises.names(Private)
    fillers = filling_calls(question.loop, name) if name in scratch or is_lent else ()
    is_callers = is_lent and stated_name(name) not in question.nest.lent
    copies = with_own_copies(
        finding, group, question.solver, level, is_said=is_said, fillers=fillers, is_lent=is_callers,
        inside=(question.nest, question.loop),
    )  # fmt: skip
    return if_unwanted(finding, copies, question.nest.lent) if is_lent and not is_said else copies
