"""What the threads of a kernel add up together: reductions of scalars and small arrays, atomic updates of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.advice.naming import access_text
from warplens.analysis.dependence.scalars.reduction import accumulations
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.facts.verdict import Reduction, ReductionOperator
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.ports.directives.map_section import map_section
from warplens.analysis.ports.sections.size_order import SizeOrder
from warplens.analysis.ports.sections.touched_elements import TouchedElement

MOST_COPIES = 256
"""Elements of an array of which each thread gets its own copy. Assumed: larger ones cost more than atomic updates."""

_ATOMIC = frozenset(("+", "-", "*", "&", "|", "^"))


@dataclass(frozen=True, slots=True)
class PlannedReduction:
    """`text` is C for the clause: a variable, or the section of an array. `variable` is its name in the nest."""

    operator: ReductionOperator
    text: str
    variable: str
    is_array: bool = False


@dataclass(frozen=True, slots=True)
class SharedUpdates:
    """Reductions by operator and name, and updates and stores that must be atomic; or why neither will do."""

    reductions: tuple[PlannedReduction, ...] = ()
    atomic: tuple[NodeId, ...] = ()
    stores: tuple[NodeId, ...] = ()
    refusal: str = ""


def shared_updates(
    facts: NestFacts, kernel: Kernel, touched: Mapping[str, Sequence[TouchedElement]], order: SizeOrder
) -> SharedUpdates:
    """How the kernel's reductions can be said.

    An array of at most `MOST_COPIES` elements is reduced as a whole, unless the loop reads elements of it besides: the
    copies start with the operator's neutral value. Another one, or one behind a pointer of the file, is updated
    atomically.
    Raises SectionRefusedError.
    """
    nest = facts.nest
    types = {scalar.name: scalar.type for scalar in nest.scalars}
    found: dict[PlannedReduction, None] = {}
    atomic: dict[NodeId, None] = {}
    stores: dict[NodeId, None] = {}
    for reduction in kernel.reductions:
        name = c_name(reduction.variable)
        if reduction.operator in {"argmin", "argmax"}:
            reason = f"`{name}` goes with the {reduction.operator[3:]}imum of a loop, for which there is no reduction"
            return SharedUpdates(refusal=reason)
        if reduction.operator == "store":
            if reduction.variable in types or not _is_number(nest.array(reduction.variable).element):
                rewrite = f"an element of an array, or a reduction such as `{name} |= ...`, could be ported"
                return SharedUpdates(refusal=f"several iterations may set `{name}`, to one value: {rewrite}")
            stores.update(dict.fromkeys((reduction.statement, *reduction.others)))
            continue
        if not reduction.is_array_element and reduction.variable in types:
            if not _is_number(types[reduction.variable]) or not name.isidentifier():
                return SharedUpdates(refusal=f"`{name}` is no plain number, for which there is a reduction")
            found[PlannedReduction(reduction.operator, name, reduction.variable)] = None
            continue
        array = nest.array(reduction.variable)
        section = map_section(nest, array, touched[array.name], order)
        if section is None:
            continue
        is_small = section.elements.is_constant and section.elements.constant_term <= MOST_COPIES
        operators = {each.operator for each in kernel.reductions if each.variable == reduction.variable}
        other = _other_element(facts, kernel, reduction)
        # What a pointer of the file leads to: LLVM 14 makes a program of such a reduction that does not start.
        is_reached = not (array.is_pointer and array.scope == "global")
        if is_small and is_reached and len(operators) == 1 and _is_number(array.element) and other is None:
            text = f"{name}[0:1]" if not array.is_pointer and not array.extents else section.text
            found[PlannedReduction(reduction.operator, text, array.name, is_array=True)] = None
            continue
        reason = _why_not_atomic(array, reduction)
        if reason and other is not None:
            text = access_text(nest, other)
            reason = f"`{text}` is used besides what the loop adds up in `{name}`, of which each thread has a copy"
        if reason:
            return SharedUpdates(refusal=reason)
        atomic.update(dict.fromkeys(_updates(facts, kernel, array.name)))
    ordered = sorted(found, key=lambda each: (each.operator, each.text))
    return SharedUpdates(tuple(ordered), tuple(sorted(atomic.keys() - stores.keys())), tuple(sorted(stores)))


def _is_number(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.kind in {"int", "float"} and ctype.lanes == 1


def _why_not_atomic(array: ArrayObject, reduction: Reduction) -> str:
    name = c_name(array.name)
    element = array.element
    if not isinstance(element, Scalar) or element.lanes != 1:
        return f"`{name}` is updated by several iterations at once, and its elements are no plain numbers"
    if reduction.operator not in _ATOMIC:
        return f"the {reduction.operator} of `{name}` is taken by several iterations at once: that can't be atomic"
    return ""


def _other_element(facts: NestFacts, kernel: Kernel, reduction: Reduction) -> Access | None:
    """An access of the array in the kernel that is none of its updates' own."""
    root, array = next(loop for loop in loops_of(facts.nest) if loop.id == kernel.root), reduction.variable
    folds = accumulations((root,), facts.nest.scalars)
    own = {access for fold in folds if fold.operator == reduction.operator for access in fold.members}
    accesses = (access for statement in walk_statements((root,)) for access in accesses_of(statement))
    return next((access for access in accesses if access.array == array and access.id not in own), None)


def _updates(facts: NestFacts, kernel: Kernel, array: str) -> list[NodeId]:
    """Statements of the kernel that write the array."""
    root = next(loop for loop in loops_of(facts.nest) if loop.id == kernel.root)
    return [s.id for s in walk_statements((root,)) if isinstance(s, Assign) and getattr(s.target, "array", "") == array]
