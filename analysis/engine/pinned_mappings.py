"""Which nest a `// warplens: mapping = warp:j` comment speaks of, and what is wrong with what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.engine.directive_scope import code_only, in_or_above, nest_span, said_of_nest, without_nest
from warplens.analysis.engine.report import FunctionReport
from warplens.analysis.frontend.comments.translation_unit import (
    LoweredFunction,
    LoweredNest,
    Problem,
    TranslationUnit,
)
from warplens.analysis.frontend.comments.warplens_comments import MappingDirective, read_mappings
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.mapping_time import no_such_mapping


@dataclass(frozen=True, slots=True)
class PinnedMappings:
    """Those of all comments of a file; `code` is the file without comments, `functions` are all of it."""

    said: tuple[MappingDirective, ...]
    code: str
    functions: Sequence[LoweredFunction]

    def of(self, function: LoweredFunction, lowered: LoweredNest) -> str:
        """Name of the mapping that is wanted of a nest, empty where no comment says one."""
        directive = self._directive(function, lowered)
        return "" if directive is None else directive.mapping

    def problems(self, unit: TranslationUnit, reports: Sequence[FunctionReport]) -> tuple[Problem, ...]:
        """A warning for each name that its nest does not have, a note for each comment that stands at no nest.

        `reports` are those of `functions`. Code that was not understood may have the nest that is meant.
        """
        if not self.said:
            return ()
        wrong: list[Problem] = []
        for function, report in zip(self.functions, reports, strict=True):
            for lowered, nest in zip(function.nests, report.nests, strict=True):
                directive = self._directive(function, lowered)
                message = "" if directive is None else _mistake(directive.mapping, nest.evaluation)
                if directive is not None and message:
                    wrong.append(Problem(message, directive.span, "warning"))
        if unit.opaque or any(function.opaque for function in self.functions):
            return tuple(wrong)
        said = "this comment stands at no loop: put it directly above the one whose mapping it pins"
        nowhere = without_nest(self.code, self.functions, self.said)
        return (*wrong, *(Problem(said, each.span, "note") for each in nowhere))

    def _directive(self, function: LoweredFunction, lowered: LoweredNest) -> MappingDirective | None:
        """The innermost comment that speaks of a nest."""
        if not self.said:
            return None
        is_only = len(function.nests) == 1 and not function.opaque
        found = said_of_nest(self.code, self.functions, function, lowered.spans, self.said, is_only_nest=is_only)
        return found[-1] if found else None


def pin_at(source: str, spans: NestSpans) -> MappingDirective | None:
    """The comment in a nest or directly above it that decides which mapping it is in; None where none stands there."""
    said = read_mappings(source)
    code = code_only(source) if said else ""
    return next((each for each in reversed(said) if in_or_above(code, each.span, nest_span(spans))), None)


def _mistake(name: str, evaluation: NestEvaluation | None) -> str:
    if evaluation is None or evaluation.pinned is not None:
        return ""
    if not evaluation.kernels:
        return f"no loop here is known to be parallel, so there is no mapping `{name[:60]}`"
    return no_such_mapping(name, evaluation.mappings)
