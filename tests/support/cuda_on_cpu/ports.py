"""The CUDA ports of a case's function, as an editor writes them, and the function that calls them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.programs import Port
from support.cuda_on_cpu.wishes import some_wishes
from warplens.analysis.engine.report import FunctionReport, NestReport, Report
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.port import cuda_port
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, LaunchWish
from warplens.analysis.text.span import Span


@dataclass(frozen=True)
class Refused:
    """Why a nest has no port."""

    case: str
    wish: LaunchWish
    reason: str


def contexts(case: Case, report: Report) -> Iterator[tuple[NestReport, FixContext]]:
    """What a fix is asked with, for every nest of the function that was evaluated."""
    function = function_of(case.function, report)
    for nest in function.nests:
        if nest.evaluation is not None:
            yield (
                nest,
                FixContext(
                    nest.evaluation,
                    nest.spans,
                    case.source,
                    f"{case.name}.c",
                    nest.id,
                    function.span,
                    function.has_one_nest,
                ),
            )


def function_of(name: str, report: Report) -> FunctionReport:
    """A function of a report; raises StopIteration where there is none."""
    return next(function for function in report.functions if function.name == name)


def ports(case: Case, report: Report, seed: int, most: int = 99) -> tuple[list[Port], list[Refused]]:
    """The function's ports for several launches, and those that are refused; `most` of them, which `seed` chooses."""
    found: list[Port] = []
    refused: list[Refused] = []
    nests = [(nest, context) for nest, context in contexts(case, report) if context.evaluation.kernels]
    if not nests:
        return [], [Refused(case.name, AS_PREDICTED, "no loop of it runs in parallel")]
    wishes = [some_wishes(context.evaluation, seed) for _, context in nests]
    count = max(map(len, wishes))
    for number in sorted((seed + k) % count for k in range(min(most, count))):
        chosen = [some[number % len(some)] for some in wishes]
        port = ported(case, report, nests, chosen)
        if isinstance(port, Port):
            if port not in found:
                found.append(port)
        else:
            refused.append(port)
    return found, refused


def ported(
    case: Case, report: Report, nests: Sequence[tuple[NestReport, FixContext]], wishes: Sequence[LaunchWish]
) -> Port | Refused:
    """Every nest that has a kernel on the GPU, the others as they are; refused where one of them is."""
    edits, files, wrappers, prototypes = [], [], [], []
    for (nest, context), wish in zip(nests, wishes, strict=True):
        try:
            cuda = cuda_port(context, wish)
        except PortRefusedError as refusal:
            return Refused(case.name, wish, str(refusal))
        root = context.evaluation.facts.nest.root.id
        span = dict(nest.spans.whole)[root].shifted(nest.spans.base)
        edits.append((span, cuda.call))
        files.append(cuda.text)
        wrappers.append(cuda.symbol)
        prototypes.append(cuda.prototype)
    is_mapped = any(context.evaluation.mapped is not None for _, context in nests)
    return Port(tuple(files), _function(case, report, edits), tuple(wrappers), tuple(prototypes), is_mapped)


def _function(case: Case, report: Report, edits: list[tuple[Span, str]]) -> str:
    """The function with calls in the place of its nests, and the one that calls it."""
    names = (case.function,) if case.called == case.function else (case.function, case.called)
    text = case.source
    definitions = []
    for name in names:
        span = function_of(name, report).span
        definition = text[span.start : span.end]
        if name == case.function:
            for at, call in sorted(edits, key=lambda edit: -edit[0].start):
                definition = definition[: at.start - span.start] + call + definition[at.end - span.start :]
        definitions.append(definition)
    return "\n".join(definitions)
