"""What the server gets of a report."""

from __future__ import annotations

from collections.abc import Callable

from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.report import FunctionReport, NestReport, Report
from warplens.server.measure.counters.kernel_links import linked_kernels, nest_names, unknown_kernels
from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.measure.kernel_times.measured_nest import MeasuredNest, timings_of
from warplens.server.settings.folder_config import ConfigProblem
from warplens.server.worker.job import Answer, FunctionAnswer, NestAnswer
from warplens.server.worker.machines import Machines
from warplens.server.worker.packing import pack


def answer_of(
    report: Report,
    machines: Machines,
    problems: tuple[ConfigProblem, ...],
    preprocessor: str,
    memo: Memo,
    timings: tuple[MeasuredNest, ...],
    kernels: tuple[LinkedKernel, ...],
    give_way: Callable[[], None],
    program_root: str = "",
) -> Answer:
    """The report as the event loop keeps it, each nest's evaluation packed; `give_way` may end it at any nest."""

    def nest_answer(function: FunctionReport, nest: NestReport) -> NestAnswer:
        give_way()
        if nest.evaluation is None:
            return NestAnswer(
                nest.id, nest.spans, nest.findings, nest.failure, "", b"", nest.macros, hidden=nest.hidden
            )
        try:
            packed = pack(nest.evaluation, machines.gpu_name, machines.cpu_name, memo)
        except RecursionError:
            failure = "an expression is too deep to be shown"
            return NestAnswer(nest.id, nest.spans, nest.findings, failure, "", b"", nest.macros)
        lens, hints = (packed.lens, packed.hints) if nest.hidden is None else ("", ())
        found = timings_of(nest.evaluation.facts.nest, timings)
        return NestAnswer(
            nest.id, nest.spans, nest.findings, nest.failure, lens, packed.content, nest.macros, nest.fixes, found,
            hints, nest.hidden, linked(function, nest), nest.elsewhere, nest.size_sources, nest.size_roots,
            nest.other_calls,
        )  # fmt: skip

    def linked(function: FunctionReport, nest: NestReport) -> tuple[LinkedKernel, ...]:
        names = nest_names(function.name, nest.id.ordinal, has_one_nest=function.has_one_nest)
        return linked_kernels(kernels, nest.kernel.kernel if nest.kernel else "", names)

    def function_answer(function: FunctionReport) -> FunctionAnswer:
        nests = tuple(nest_answer(function, n) for n in function.nests)
        return FunctionAnswer(function.name, function.span, nests, function.has_one_nest)

    said = [nest.kernel for function in report.functions for nest in function.nests if nest.kernel is not None]
    return Answer(
        functions=tuple(function_answer(f) for f in report.functions),
        opaque=report.opaque,
        problems=(*report.problems, *unknown_kernels(kernels, said)),
        directives=report.directives,
        config_problems=problems,
        gpu=machines.gpu_name,
        cpu=machines.cpu_name,
        preprocessor=preprocessor,
        loops_in_text=report.loops_in_text,
        loops_found=report.loops_found,
        recomputed=report.recomputed,
        program_root=program_root,
        said_sizes=report.said_sizes,
        is_cpp=report.is_cpp,
    )
