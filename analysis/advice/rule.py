"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from warplens.analysis.advice.finding import Finding
from warplens.analysis.models.results.evaluation import NestEvaluation


@dataclass(frozen=True, slots=True)
class Rule:
    """`page` is markdown: what, why, example, fix, fix safety, what it does not report, source.

    A rule that speaks of the nest as recommended has the launches that only CUDA writes, the others those with one
    output per thread: what shared memory would mend is said, though CUDA mends it.
    """

    code: str
    title: str
    page: str
    check: Callable[[NestEvaluation], Iterator[Finding]]
    is_of_recommended: bool = False
