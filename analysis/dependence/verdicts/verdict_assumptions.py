"""What a positive verdict takes for granted, and what the source's own tables gave to it."""

from __future__ import annotations

from warplens.analysis.dependence.array_rows.mixed_radix import modulus_assumptions
from warplens.analysis.dependence.conflicts.array_privatization import private_names
from warplens.analysis.dependence.conflicts.lent_work_arrays import handed_scratch
from warplens.analysis.dependence.conflicts.overlaps import names_met_twice, used_separations
from warplens.analysis.dependence.conflicts.own_elements import (
    arrays_said,
    objects_said,
)
from warplens.analysis.dependence.pointers.memory_assumptions import copy_assumptions, memory_assumptions
from warplens.analysis.dependence.pointers.memory_cells import memory_cells
from warplens.analysis.dependence.pointers.moving_pointers import exchanged_pointers, is_used_after, known_as, own_rows
from warplens.analysis.dependence.pointers.thread_parts import has_part_per_thread, number_assumption, part_assumption
from warplens.analysis.dependence.pointers.volatile_accesses import names_of_volatile
from warplens.analysis.dependence.scalars.nan_order import nan_assumptions
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.dependence.verdicts.loop_question import Question
from warplens.analysis.facts.calls.calls import leaving_functions, printing_functions, unseen_functions
from warplens.analysis.facts.promises import (
    promise_assumption,
    table_reason,
)
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.promise import ELEMENT_KINDS, OUTPUT, TABLE_KINDS
from warplens.analysis.ir.source_names import c_name, stated_name


def table_reasons(question: Question, inside: list[Reference]) -> list[str]:
    """What constant tables say of the places that are written."""
    read = {lookup.array for r in inside if r.is_write for lookup in r.lookups}
    return [table_reason(t) for t in question.tables if t.name in read and t.kind == "injective"]


def verdict_assumptions(
    question: Question, inside: list[Reference], private: tuple[str, ...], reductions: tuple[Reduction, ...]
) -> tuple[Assumption, ...]:
    """Assumptions, each once, of a loop whose private names and reductions are known."""
    nest, loop = question.nest, question.loop
    tables = {lookup.array for r in inside for lookup in r.lookups}
    tables &= {one.name for one in (*question.promises, *question.tables) if one.kind in TABLE_KINDS}
    found, apart = used_separations(nest, loop, question.promises, memory_assumptions(nest, loop, inside, tables))
    found += modulus_assumptions(loop.id, question.solver)
    used = {(lookup.array, kind) for r in inside for lookup in r.lookups for kind in TABLE_KINDS}
    called = unseen_functions(loop)
    used |= {(name, "independent") for name in (*called, *(r.variable for r in reductions))}
    shared = {r.variable for r in reductions if r.is_array_element}
    used |= {
        (cell.name, "independent") for cell in (memory_cells(nest, loop) if shared else ()) if cell.array in shared
    }
    used |= {(stated_name(r.variable), "kept") for r in reductions if not r.is_array_element}
    used |= {(stated_name(name), "private") for name in (*private, *handed_scratch(nest, loop))}
    used |= {(name, "uncalled") for name in leaving_functions(loop)}
    used |= {(OUTPUT.name, OUTPUT.kind)} if printing_functions(loop) else set()
    used |= {(name, "ordinary") for name in names_of_volatile(nest, loop)}
    of_elements = {
        "unshared": {r.variable for r in inside if r.is_write and r.variable not in private},
        "agreeing": {r.variable for r in reductions if r.operator == "store"},
    }
    for kind in ELEMENT_KINDS:
        names = of_elements[kind] & objects_said(nest, question.promises, kind)
        used |= {(name, kind) for one in names for name in (one, c_name(one))}
    own = own_rows(nest, loop, arrays_said(question.promises, "unshared"))
    used |= {
        (name, "unshared")
        for name in (*(known_as(a) for a in nest.arrays if a.name in own), *names_met_twice(nest, loop))
    }
    said = [promise for promise in question.promises if (promise.name, promise.kind) in used or promise in apart]
    found += [promise_assumption(promise, is_function=promise.name in called) for promise in said]
    scalars = {s.name for s in nest.scalars}
    for name in private:
        if name in scalars and is_used_after(nest, loop, name):
            text = f"`{c_name(name)}` is used after the loop: the value of the last iteration must be kept."
            found.append(Assumption("context", name, text))
    if changing := sorted(exchanged_pointers(nest, loop, private_names(question.promises)) & frozenset(private)):
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
