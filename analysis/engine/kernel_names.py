"""Which nest a `// warplens: kernel = matMul` comment calls by the name of a measured kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.engine.directive_scope import said_of_nest, without_nest
from warplens.analysis.engine.report import FunctionReport
from warplens.analysis.frontend.comments.translation_unit import Problem, TranslationUnit
from warplens.analysis.frontend.comments.warplens_comments import KernelDirective


def with_kernel_names(
    functions: Sequence[FunctionReport], unit: TranslationUnit, code: str, directives: Sequence[KernelDirective]
) -> tuple[FunctionReport, ...]:
    """The reports with `kernel` set of the nests that a comment names; `code` is `code_only(source)`.

    A comment at a function that has several nests, or outside of all, names none.
    """
    if not directives:
        return tuple(functions)
    named = []
    for function, report in zip(unit.functions, functions, strict=True):
        nests = []
        for lowered, nest in zip(function.nests, report.nests, strict=True):
            mine = said_of_nest(
                code, unit.functions, function, lowered.spans, directives, is_only_nest=report.has_one_nest
            )
            nests.append(replace(nest, kernel=mine[-1]) if mine else nest)
        named.append(replace(report, nests=tuple(nests)))
    return tuple(named)


def unused_kernel_names(unit: TranslationUnit, code: str, directives: Sequence[KernelDirective]) -> tuple[Problem, ...]:
    """A note for each comment that names no nest, unless code that was not understood may have it."""
    if not directives or unit.opaque or any(function.opaque for function in unit.functions):
        return ()
    return tuple(
        Problem(
            "this comment stands at no loop: put it directly above the one that the kernel is of", each.span, "note"
        )
        for each in without_nest(code, unit.functions, directives)
    )
