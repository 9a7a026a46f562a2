"""What a positive verdict takes for granted, and what the source's own tables gave to it."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.dependence.array_rows.mixed_radix import modulus_assumptions
from warplens.analysis.dependence.conflicts.lent_work_arrays import handed_scratch
from warplens.analysis.dependence.conflicts.overlaps import names_met_twice, used_separations
from warplens.analysis.dependence.conflicts.own_elements import objects_said
from warplens.analysis.dependence.conflicts.pivots import promised_pivots
from warplens.analysis.dependence.pointers.memory_assumptions import copy_assumptions, memory_assumptions
from warplens.analysis.dependence.pointers.memory_cells import memory_cells
from warplens.analysis.dependence.pointers.moving_pointers import exchanged_pointers, is_used_after, known_as, own_rows
from warplens.analysis.dependence.pointers.thread_parts import has_part_per_thread, number_assumption, part_assumption
from warplens.analysis.dependence.pointers.volatile_accesses import names_of_volatile
from warplens.analysis.dependence.scalars.nan_order import nan_assumptions
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.verdicts.loop_question import Question
from warplens.analysis.facts.calls.calls import leaving_functions, printing_functions, unseen_functions
from warplens.analysis.facts.promises import promise_assumption, table_reason
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.promises.acyclic import Acyclic
from warplens.analysis.ir.promises.agreeing import Agreeing
from warplens.analysis.ir.promises.catalogue import TABLE_KINDS
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.kept import Kept
from warplens.analysis.ir.promises.named import ElementPromise, TablePromise
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.promises.unshared import Unshared
from warplens.analysis.ir.source_names import c_name, stated_name


def table_reasons(question: Question, inside: list[Reference]) -> list[str]:
    """What constant tables say of the places that are written."""
    read = {lookup.array for r in inside if r.is_write for lookup in r.lookups}
    return [table_reason(t) for t in question.tables if t.name in read and isinstance(t, Injective)]


def verdict_assumptions(
    question: Question, inside: list[Reference], private: tuple[str, ...], reductions: tuple[Reduction, ...]
) -> tuple[Assumption, ...]:
    """Assumptions, each once, of a loop whose private names and reductions are known."""
    nest, loop = question.nest, question.loop
    tables = {lookup.array for r in inside for lookup in r.lookups}
    tables &= question.promises.names(TablePromise) | {table.name for table in question.tables}
    found, apart = used_separations(nest, loop, question.promises, memory_assumptions(nest, loop, inside, tables))
    found += modulus_assumptions(loop.id, question.solver)
    called = unseen_functions(loop)
    used = {*apart, *_used(question, inside, private, reductions)} if question.promises.every else set()
    found += [promise_assumption(promise, called) for promise in question.promises.every if promise in used]
    scalars = {s.name for s in nest.scalars}
    for name in private:
        if name in scalars and is_used_after(nest, loop, name):
            text = f"`{c_name(name)}` is used after the loop: the value of the last iteration must be kept."
            found.append(Assumption("context", name, text))
    if changing := sorted(exchanged_pointers(nest, loop, question.promises.names(Private)) & frozenset(private)):
        named = ", ".join(f"`{name}`" for name in changing)
        text = f"{named} change places in each iteration: its number says where its copies start."
        found.append(Assumption("context", ", ".join(changing), text))
    found += copy_assumptions(nest, private)
    found += nan_assumptions(loop, reductions)
    for name in private:
        if has_part_per_thread(r for r in inside if r.variable == name):
            found.append(part_assumption(name))
    found += number_assumption(loop)
    return tuple(dict.fromkeys(found))


def _used(
    question: Question, inside: list[Reference], private: tuple[str, ...], reductions: tuple[Reduction, ...]
) -> Iterator[Promise]:
    """All that could be promised of what a verdict rests on, but that names don't overlap, and sizes."""
    nest, loop = question.nest, question.loop
    for lookup in (lookup for r in inside for lookup in r.lookups):
        yield from (kind(lookup.array) for kind in TABLE_KINDS)
    yield from map(Independent, (*unseen_functions(loop), *(r.variable for r in reductions)))
    shared = {r.variable for r in reductions if r.is_array_element}
    yield from (Independent(c.name) for c in (memory_cells(nest, loop) if shared else ()) if c.array in shared)
    yield from (Kept(stated_name(r.variable)) for r in reductions if not r.is_array_element)
    yield from (Private(stated_name(name)) for name in (*private, *handed_scratch(nest, loop)))
    yield from map(Uncalled, leaving_functions(loop))
    if printing_functions(loop):
        yield Unordered()
    yield from map(Ordinary, names_of_volatile(nest, loop))
    of_elements: tuple[tuple[type[ElementPromise], set[str]], ...] = (
        (Unshared, {r.variable for r in inside if r.is_write and r.variable not in private}),
        (Agreeing, {r.variable for r in reductions if r.operator == "store"}),
        (Acyclic, set(promised_pivots(nest, loop, inside))),
    )
    for kind, written in of_elements:
        said = written & objects_said(nest, question.promises.names(kind))
        yield from (kind(name) for one in said for name in (one, c_name(one)))
    own = own_rows(nest, loop, question.promises.names(Unshared))
    yield from (Unshared(known_as(array)) for array in nest.arrays if array.name in own)
    yield from map(Unshared, names_met_twice(nest, loop))
