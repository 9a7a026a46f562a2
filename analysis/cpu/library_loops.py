"""Loops that the compiler replaces by a call of the C library: filling with bytes, copying."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.expression import Access, Constant, Expression, Load, ScalarRef
from warplens.analysis.ir.nest import Assign, Statement
from warplens.analysis.ir.types import Scalar


def is_library_loop(body: tuple[Statement, ...], verdict: LoopVerdict | None, compilation: Compilation) -> bool:
    """Whether a loop is memset or memcpy, given that its accesses move by one element.

    One assignment to elements side by side, of zero or (to bytes) of what does not change, or of elements side by side
    of the same size; its iterations do not depend on each other.
    Source: gcc's -ftree-loop-distribute-patterns, part of -O2.
    """
    if compilation.level < 2 or len(body) != 1 or verdict is None or verdict.kind != "parallel":
        return False
    (only,) = body
    if not isinstance(only, Assign) or only.operator or not isinstance(only.target, Access):
        return False
    kind = only.target.type
    if not isinstance(kind, Scalar):
        return False
    return _is_filled(only.value, kind) or (isinstance(only.value, Load) and only.value.type == kind)


def as_in_library(compilation: Compilation, cpu: Cpu) -> Compilation:
    """How the library is compiled: for the widest vectors of the machine that runs it, whatever the program's flags."""
    return replace(compilation, level=3, instructions="avx2", vector_bytes=cpu.native_vector_bytes)


def _is_filled(value: Expression, kind: Scalar) -> bool:
    if isinstance(value, Constant):
        return value.value == 0 or kind.size_bytes == 1
    return isinstance(value, ScalarRef) and kind.size_bytes == 1
