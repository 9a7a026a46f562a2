"""Which nest a `// warplens: kernel = matMul` comment calls by the name of a measured kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.engine.directive_scope import attached_to, directives_for, in_or_above, nest_span
from warplens.analysis.engine.report import FunctionReport
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction, Problem, TranslationUnit
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
            said = directives_for(code, unit.functions, function, lowered.spans, directives)
            mine = [
                each for each in said
                if in_or_above(code, each.span, nest_span(lowered.spans))
                or (report.has_one_nest and attached_to(code, each.span, function.span))
            ]  # fmt: skip
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
        for each in directives
        if not any(_is_at(code, each, function) for function in unit.functions)
    )


def _is_at(code: str, directive: KernelDirective, function: LoweredFunction) -> bool:
    if any(in_or_above(code, directive.span, nest_span(lowered.spans)) for lowered in function.nests):
        return True
    return len(function.nests) == 1 and attached_to(code, directive.span, function.span)
