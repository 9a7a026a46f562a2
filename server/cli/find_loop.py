"""From a line of a file to the loop there and its kernel, or to a sentence that says why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from warplens.analysis.engine.stand_in_code import stand_in_code
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans, loops_of, walk_statements
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.render.loop_card import kernel_of
from warplens.server.render.loop_reasons import verdict_sentences
from warplens.server.worker.job import Answer, FunctionAnswer, NestAnswer
from warplens.server.worker.packing import unpack

_NEAREST = 2


class NoLoopError(Exception):
    """There is no such loop or kernel at the line; the message says why. `is_usage`: the line names no loop."""

    def __init__(self, message: str, *, is_usage: bool = False) -> None:
        super().__init__(message)
        self.is_usage = is_usage


@dataclass(frozen=True, slots=True)
class FoundLoop:
    """The loop that a line speaks of, in its nest, which was analysed."""

    function: FunctionAnswer
    nest: NestAnswer
    loop: NodeId


@dataclass(frozen=True, slots=True)
class FoundKernel:
    """The kernel that the loop at a line is part of, or that runs inside it; lines count from 1."""

    function: str
    line: int
    evaluation: NestEvaluation
    kernel: KernelEvaluation
    other_lines: tuple[int, ...]
    """Of the nest's other kernels, when the loop is around several: the longest one is meant."""


def loop_at_line(answer: Answer, text: str, line: int) -> FoundLoop:
    """The loop at a line, which counts from 1: one whose header stands there, else the innermost around it.

    Raises NoLoopError: no loop there, or one that was not analysed.
    """
    positions = Lines(text)
    if not 1 <= line <= positions.line_count:
        raise NoLoopError(f"there is no line {line}, the last one is {positions.line_count}", is_usage=True)
    for function in answer.functions:
        for nest in function.nests:
            loop = _loop_at(positions, nest, line)
            if loop is not None and not nest.packed:
                raise NoLoopError(f"the loop was not analysed: {nest.failure}")
            if loop is not None:
                return FoundLoop(function, nest, loop)
    raise _no_loop(answer, positions, line)


def kernel_at_line(answer: Answer, text: str, line: int) -> FoundKernel:
    """The kernel at a line, which counts from 1: of a loop whose header stands there, else of the innermost around it.

    Raises NoLoopError: no loop there, or one that was not analysed or can't run in parallel.
    """
    found = loop_at_line(answer, text, line)
    nest, loop = found.nest, found.loop
    evaluation = unpack(nest.packed)
    line_of = partial(line_in, Lines(text), nest.spans)
    kernel = kernel_of(evaluation, loop)
    loops = {each.id: each for each in loops_of(evaluation.facts.nest)}
    inside = {each.id for each in walk_statements((loops[loop],))}
    at = None if kernel is None else evaluation.place(kernel.kernel)
    if kernel is None or (at not in inside and loop not in evaluation.loops_of_kernel(kernel.kernel)):
        why = " ".join(verdict_sentences(evaluation.facts.nest, evaluation.facts.verdict(loop), line_of))
        raise NoLoopError(f"the loop is not parallel. {why}")
    places = (evaluation.place(k.kernel) for k in evaluation.kernels if k is not kernel)
    others = tuple(line_of(place) for place in places if place in inside)
    return FoundKernel(nest.id.function, line_of(evaluation.place(kernel.kernel)), evaluation, kernel, others)


def _loop_at(positions: Lines, nest: NestAnswer, line: int) -> NodeId | None:
    """The outermost loop with a header on the line, else the innermost that holds it."""
    headers = [
        (_size(nest.spans, loop), loop) for loop, first, last in _headers(positions, nest) if first <= line <= last
    ]
    if headers:
        return max(headers)[1]
    known = {loop for loop, _, _ in _headers(positions, nest)}
    around = [
        (span.end - span.start, loop)
        for loop, span in nest.spans.whole
        if loop in known
        and _line_at(positions, nest.spans.base + span.start) <= line <= _line_at(positions, nest.spans.base + span.end)
    ]
    return min(around)[1] if around else None


def _headers(positions: Lines, nest: NestAnswer) -> Iterator[tuple[NodeId, int, int]]:
    """The user's own loops with the first and last line of their headers."""
    hidden = stand_in_code(unpack(nest.packed).facts.nest, nest.spans) if nest.packed else frozenset()
    for loop, span in nest.spans.header:
        if loop not in hidden:
            base = nest.spans.base
            yield loop, _line_at(positions, base + span.start), _line_at(positions, base + span.end)


def _no_loop(answer: Answer, positions: Lines, line: int) -> NoLoopError:
    for opaque in answer.opaque:
        if _line_at(positions, opaque.span.start) <= line <= _line_at(positions, opaque.span.end):
            return NoLoopError(f"what stands there was not analysed: {opaque.reason}")
    nests = (nest for function in answer.functions for nest in function.nests)
    lines = {first: nest.id.function for nest in nests for _, first, _ in _headers(positions, nest)}
    nearest = sorted(sorted(lines, key=lambda each: abs(each - line))[:_NEAREST])
    if nearest:
        named = " and ".join(f"line {each} in {lines[each]}()" for each in nearest)
        where = f"; the nearest {'are' if nearest[1:] else 'is'} in {named}"
    else:
        reasons = "; ".join(dict.fromkeys(opaque.reason for opaque in answer.opaque))
        where = f", and no other line has one{f' that was analysed: {reasons}' if reasons else ''}"
    return NoLoopError(f"no loop stands there{where}", is_usage=True)


def _size(spans: NestSpans, loop: NodeId) -> int:
    return next((span.end - span.start for each, span in spans.whole if each == loop), 0)


def _line_at(positions: Lines, offset: int) -> int:
    return positions.line_of(offset) + 1
