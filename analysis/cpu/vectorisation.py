"""Whether the compiler turns an innermost loop into SIMD code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.library_calls import vector_cycles
from warplens.analysis.cpu.loop_tree import CoreLoop
from warplens.analysis.cpu.strides import Strides, access_bytes
from warplens.analysis.cpu.vector_accesses import times_side_by_side, way_of
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.facts.verdict import LoopVerdict, Reduction
from warplens.analysis.ir.expression import Access, Binary, Call, Constant, Expression, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import (
    Assign,
    Evaluate,
    Exit,
    If,
    LoopNest,
    OpaqueStatement,
    Statement,
    walk_statements,
)
from warplens.analysis.ir.reinterpretation import BITS
from warplens.analysis.ir.types import Scalar
from warplens.analysis.ir.vector_parts import VECTOR_PARTS

VECTOR_CALLS = frozenset(("fabs", "fabsf", "abs", "copysign", "copysignf", BITS))
"""What gcc has in vector form without -fno-math-errno and without a vector math library."""
_HALF = 4
"""Bytes of elements of which four fit into the shortest vector."""
_ROUNDING = frozenset(
    ("floor", "ceil", "trunc", "rint", "nearbyint", "floorf", "ceilf", "truncf", "rintf", "nearbyintf")
)
_EXTREMES = frozenset(("fmin", "fmax", "fminf", "fmaxf"))
_ROOTS = frozenset(("sqrt", "sqrtf"))


@dataclass(frozen=True, slots=True)
class Vectorisation:
    """The decision; `reason` says why not, in terms of the source.

    `is_in_order`: all but the sum is done in lanes, whose terms are then added one after the other.
    """

    is_vectorised: bool
    reason: str = ""
    is_in_order: bool = False


def vectorisation(
    loop: CoreLoop,
    body: tuple[Statement, ...],
    verdict: LoopVerdict | None,
    accesses: tuple[AccessFacts, ...],
    strides_of: Mapping[NodeId, Strides | None],
    nest: LoopNest,
    compilation: Compilation,
    lanes: int,
    copies: Mapping[NodeId, float],
) -> Vectorisation:
    """Decide for a loop without inner loops (small ones of fixed trip count are unrolled before).

    Vectorised are parallel loops and reductions whose order may change, with conditions that become masks, and calls
    that have a vector form, as the flags have it. -O2 does so only where SIMD code replaces all of the scalar code:
    where the trip count is known to be a multiple of the `lanes`.

    Source: GCC manual, -O2 (-fvect-cost-model=very-cheap since gcc 12), -O3 (dynamic), -ffast-math, -fno-math-errno;
    checked with -fopt-info-vec of gcc 12.
    Not modelled: outer-loop vectorisation, straight-line (SLP) vectorisation.
    """
    if loop.children or loop.loop is None:
        return Vectorisation(False, "it has loops inside")
    if compilation.level < 2:
        return Vectorisation(False, f"-O{compilation.level} does not vectorise")
    if verdict is None or not verdict.can_run_in_parallel:
        return Vectorisation(False, "its iterations depend on each other")
    if compilation.level == 2 and (not loop.fixed_trips or loop.trips % lanes):
        return Vectorisation(False, f"-O2 asks for a trip count that is known to be a multiple of {lanes}")
    obstacle = _obstacle(body, compilation)
    if any(not _may_reorder(reduction, nest, compilation) for reduction in verdict.reductions):
        reason = "the order of floating-point additions must be kept (no -ffast-math)"
        return Vectorisation(False, reason, not obstacle and all(one.operator == "+" for one in verdict.reductions))
    if obstacle:
        return Vectorisation(False, obstacle)
    if any(_may_be_another(reduction, nest) for reduction in verdict.reductions):
        return Vectorisation(False, "the sum in memory may be an element that is read (no restrict)")
    for access in accesses:
        way = way_of(access, loop.loop, strides_of[access.access.id])
        if way == "group" and access.is_write and not _fills_its_group(access, accesses, loop.loop, strides_of, copies):
            return Vectorisation(False, f"`{access.access.written}` is stored with gaps")
        if way != "element":
            continue
        written = access.access.written
        if strides_of[access.access.id] is not None:
            is_small = compilation.reassociates and access_bytes(access) <= _HALF
            is_cheap = is_small or _has_vector(accesses, loop.loop, strides_of)
            if verdict.reductions and not access.is_write and is_cheap:
                continue
            return Vectorisation(False, f"`{written}` does not move by one element")
        if access.is_read and access.is_write:
            return Vectorisation(False, f"iterations may meet in `{written}`")
        if not compilation.has("avx512" if access.is_write else "avx2"):
            return Vectorisation(False, f"`{written}` is gathered")
    return Vectorisation(True)


def _may_be_another(reduction: Reduction, nest: LoopNest) -> bool:
    """Whether a sum in memory may be read through another pointer, so that each step of it has to be stored."""
    if not reduction.is_array_element:
        return False
    of = {array.name: array for array in nest.arrays}
    own = of.get(reduction.variable.partition("[")[0])
    return own is not None and own.is_pointer and not own.restrict and len(of) > 1


def _has_vector(accesses: tuple[AccessFacts, ...], loop: NodeId, strides_of: Mapping[NodeId, Strides | None]) -> bool:
    """Whether something is loaded as a vector, so that it may pay to put another one together from its elements."""
    return any(way_of(access, loop, strides_of[access.access.id]) == "vector" for access in accesses)


def _fills_its_group(
    access: AccessFacts,
    accesses: tuple[AccessFacts, ...],
    loop: NodeId,
    strides_of: Mapping[NodeId, Strides | None],
    copies: Mapping[NodeId, float],
) -> bool:
    """Whether the stores of an iteration leave nothing between them and the next iteration's."""
    alike = [one for one in accesses if one.is_write and one.access.array == access.access.array]
    strides = strides_of[access.access.id] or {}
    together = len({one.access.id for one in alike}) * times_side_by_side(strides, copies)
    return together * access_bytes(access) >= abs(strides.get(loop) or 0.0)


def _may_reorder(reduction: Reduction, nest: LoopNest, compilation: Compilation) -> bool:
    """Whether a reduction may be done in parts; of an extreme's place gcc makes no vectors."""
    if reduction.operator in {"argmin", "argmax"}:
        return False
    if reduction.operator == "store" or compilation.reassociates:
        return True
    variable = reduction.variable
    kinds = [scalar.type for scalar in nest.scalars if scalar.name == variable]
    kinds += [array.element for array in nest.arrays if array.name == variable.partition("[")[0]]
    return bool(kinds) and all(isinstance(kind, Scalar) and kind.kind == "int" for kind in kinds)


def _obstacle(body: tuple[Statement, ...], compilation: Compilation) -> str:
    for statement in walk_statements(body):
        match statement:
            case If(condition=condition, then=then, otherwise=otherwise):
                stores = any(
                    isinstance(inner, Assign) and isinstance(inner.target, Access)
                    for inner in walk_statements((*then, *otherwise))
                )
                if stores and not compilation.has("avx2"):
                    return "a statement is conditional"
                found = _in_expression(condition, compilation)
            case Exit() | OpaqueStatement() | Evaluate():
                return "it has a statement that can't be run in lanes"
            case Assign(value=value):
                found = _in_expression(value, compilation)
                if not found and statement.operator in {"/", "%"} and _is_divided(statement.target.type, value):
                    found = "whole numbers are divided"
            case _:
                found = ""
        if found:
            return found
    return ""


def _in_expression(expression: Expression, compilation: Compilation) -> str:
    for node in walk(expression):
        if isinstance(node, Call) and not _has_vector_form(node.function, compilation):
            return "it is written with vectors" if node.function in VECTOR_PARTS else f"it calls `{node.function}`"
        if isinstance(node, Binary) and node.operator in {"/", "%"} and _is_divided(node.type, node.right):
            return "whole numbers are divided"
    return ""


def _has_vector_form(function: str, compilation: Compilation) -> bool:
    if function in VECTOR_CALLS:
        return True
    if function in _ROOTS:
        return not compilation.sets_errno
    if function in _ROUNDING:
        return compilation.has("sse4")
    if function in _EXTREMES:
        return compilation.reassociates
    return compilation.reassociates and vector_cycles(function) is not None


def _is_divided(kind: object, divisor: Expression) -> bool:
    """Whether whole numbers are divided by what is no constant: no instruction does that in lanes."""
    return isinstance(kind, Scalar) and kind.kind == "int" and not isinstance(divisor, Constant)
