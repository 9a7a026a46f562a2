"""Whether gcc -O3 turns an innermost loop into SIMD code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.cpu.loop_tree import CoreLoop
from warplens.analysis.cpu.strides import Strides, access_bytes
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.expression import Call, Expression, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, Exit, If, LoopNest, OpaqueStatement, Statement, walk_statements
from warplens.analysis.ir.reinterpretation import BITS
from warplens.analysis.ir.types import Scalar
from warplens.analysis.ir.vector_parts import VECTOR_PARTS

VECTOR_CALLS = frozenset(("fabs", "fabsf", "abs", "copysign", "copysignf", BITS))
"""What gcc has in vector form without -fno-math-errno and without a vector math library."""


@dataclass(frozen=True, slots=True)
class Vectorisation:
    """The decision; `reason` says why not, in terms of the source."""

    is_vectorised: bool
    reason: str = ""


def vectorisation(
    loop: CoreLoop,
    body: tuple[Statement, ...],
    verdict: LoopVerdict | None,
    accesses: tuple[AccessFacts, ...],
    strides_of: Mapping[NodeId, Strides | None],
    nest: LoopNest,
) -> Vectorisation:
    """Decide for a loop without inner loops (small ones of fixed trip count are unrolled before).

    Vectorised are parallel loops and reductions on integers whose accesses move by one element (or stand still), with
    straight-line control and no calls but those in `VECTOR_CALLS`.

    Source: GCC manual, -O3 (-ftree-vectorize with the dynamic cost model) and -ffast-math (off: the order of
    floating-point additions is kept; sqrt may set errno); checked with -fopt-info-vec of gcc 12.
    Not modelled: strided and interleaved groups put together by shuffles, vectorised epilogues, outer-loop
    vectorisation, straight-line (SLP) vectorisation.
    """
    if loop.children or loop.loop is None:
        return Vectorisation(False, "it has loops inside")
    if verdict is None or not verdict.can_run_in_parallel:
        return Vectorisation(False, "its iterations depend on each other")
    if any(not _is_integer_reduction(reduction.variable, nest) for reduction in verdict.reductions):
        return Vectorisation(False, "the order of floating-point additions must be kept (no -ffast-math)")
    obstacle = _obstacle(body)
    if obstacle:
        return Vectorisation(False, obstacle)
    for access in accesses:
        strides = strides_of[access.access.id]
        if strides is None:
            return Vectorisation(False, f"`{access.access.written}` is gathered")
        if abs(strides.get(loop.loop, 0.0) or 0.0) not in {0.0, float(access_bytes(access))}:
            return Vectorisation(False, f"`{access.access.written}` does not move by one element")
    return Vectorisation(True)


def _is_integer_reduction(variable: str, nest: LoopNest) -> bool:
    kinds = [scalar.type for scalar in nest.scalars if scalar.name == variable]
    kinds += [array.element for array in nest.arrays if array.name == variable.partition("[")[0]]
    return bool(kinds) and all(isinstance(kind, Scalar) and kind.kind == "int" for kind in kinds)


def _obstacle(body: tuple[Statement, ...]) -> str:
    for statement in walk_statements(body):
        match statement:
            case If():
                return "a statement is conditional"
            case Exit() | OpaqueStatement() | Evaluate():
                return "it has a statement that can't be run in lanes"
            case Assign(value=value):
                name = _call(value)
                if name:
                    return "it is written with vectors" if name in VECTOR_PARTS else f"it calls `{name}`"
            case _:
                pass
    return ""


def _call(expression: Expression) -> str:
    calls = (node.function for node in walk(expression) if isinstance(node, Call))
    return next((name for name in calls if name not in VECTOR_CALLS), "")
