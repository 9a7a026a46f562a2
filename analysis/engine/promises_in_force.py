"""Which promises of a file's comments hold for a nest, and which hold for none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.engine.directive_scope import directives_for, loop_of
from warplens.analysis.engine.promise_targets import is_about
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction, LoweredNest, Problem
from warplens.analysis.frontend.comments.warplens_comments import PromiseDirective
from warplens.analysis.ir.promises.promise import Promise


@dataclass(frozen=True, slots=True)
class PromisesInFile:
    """Those of all comments of a file; `code` is the file without comments, `functions` are all of it."""

    said: tuple[PromiseDirective, ...]
    code: str
    functions: Sequence[LoweredFunction]

    def of(self, function: LoweredFunction, lowered: LoweredNest) -> tuple[Promise, ...]:
        """What comments say of the arrays, functions and variables of a nest."""
        found = {promise for _, promise in self._in_force(function, lowered)}
        return tuple(sorted(found, key=lambda p: (p.subject, p.kind, -1 if p.loop is None else p.loop)))

    def without_target(self) -> tuple[Problem, ...]:
        """A note for each that says nothing of any loop."""
        met = {
            directive
            for function in (self.functions if self.said else ())
            for lowered in function.nests
            for directive, _ in self._in_force(function, lowered)
        }
        return tuple(Problem(_no_effect(one.promise), one.span, "note") for one in self.said if one not in met)

    def _in_force(self, function: LoweredFunction, lowered: LoweredNest) -> Iterator[tuple[PromiseDirective, Promise]]:
        """The comments that say something of a nest. What is independent is so for the loop that one stands at."""
        if not self.said:
            return
        for directive in directives_for(self.code, self.functions, function, lowered.spans, self.said):
            promise = directive.promise
            if promise.is_of_one_loop:
                promise = replace(promise, loop=loop_of(self.code, directive.span, lowered.spans))
            if is_about(promise, lowered.nest):
                yield directive, promise


def _no_effect(promise: Promise) -> str:
    return f"no loop that this comment speaks of {promise.unused.format(promise.subject)}: it has no effect"
