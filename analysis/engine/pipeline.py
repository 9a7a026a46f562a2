"""A file from text to findings: what all its nests share, then one nest after the other (`report_nest.py`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.argument_values import argument_values
from warplens.analysis.engine.called_elsewhere import called_elsewhere, companions_in
from warplens.analysis.engine.directive_scope import code_only
from warplens.analysis.engine.kernel_names import unused_kernel_names, with_kernel_names
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.met_parameters import MetParameters
from warplens.analysis.engine.offered_fixes import outside_of_functions
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.pinned_mappings import PinnedMappings
from warplens.analysis.engine.program_sizes import ProgramSizes
from warplens.analysis.engine.progress import Progress
from warplens.analysis.engine.promises_in_force import PromisesInFile
from warplens.analysis.engine.report import (
    CPP_REPORT,
    SKIPPED,
    FunctionReport,
    Hidden,
    NestReport,
    Recomputed,
    Report,
)
from warplens.analysis.engine.report_nest import (
    FileRun,
    SourceFile,
    has_one_nest,
    report_nest,
    same_for_all_nests,
)
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.engine.shown import as_wanted
from warplens.analysis.engine.stale_counts import stale_problems
from warplens.analysis.engine.switched_off import off_regions, unknown_codes
from warplens.analysis.engine.unused_sizes import unused_size
from warplens.analysis.frontend.comments.comment_parts import read_offs
from warplens.analysis.frontend.comments.translation_unit import (
    LoweredNest,
    Opaque,
    Problem,
    TranslationUnit,
)
from warplens.analysis.frontend.comments.warplens_comments import read_kernels, read_mappings, read_promises
from warplens.analysis.frontend.declarations.read_file import read_file
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.cpp_header import is_cpp_header
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.size_name import by_size_key, size_key
from warplens.analysis.measured.measured_counts import MeasuredFile, measured_file
from warplens.analysis.program.program import Program


def run_pipeline(
    source: str,
    preprocessed: Preprocessed,
    gpu: Gpu,
    cpu: Cpu,
    options: AnalysisOptions,
    memo: Memo,
    progress: Progress,
    program: Program | None = None,
) -> Report:
    """Everything from text to findings."""
    if is_cpp_header(preprocessed):
        return CPP_REPORT
    memo.begin_run(preprocessed.main_path)
    before = dict(memo.computed)
    file_scopes = FileScopes()  # types are laid out once, for loops and for sizes
    joined = companions_in(program, preprocessed.main_path, memo)
    read = read_file(preprocessed, memo)
    unit = parse_unit(source, preprocessed, memo, joined, file_scopes, read)
    measured = _measured(source, options, memo)
    promises = read_promises(source)
    offs = read_offs(source)
    kernels = read_kernels(source)
    pins = read_mappings(source)
    code = code_only(source) if unit.directives or promises or offs or kernels or pins else ""
    passed = argument_values(unit.functions, unit.handed_out)
    program_sizes = ProgramSizes(source, preprocessed, program, options, memo, file_scopes, read)
    machine = memo.get("machine", (gpu, cpu), lambda: SameObject((gpu, cpu)))
    file = SourceFile(
        source,
        outside_of_functions(source, [function.span for function in unit.functions]),
        re.split(r"[/\\]", preprocessed.main_path)[-1],
    )
    around = (gpu, cpu, options, file.outside, file.name, preprocessed.missing)
    surroundings = memo.get("surroundings", around, lambda: SameObject(around))
    met, said = MetParameters(unit.functions, unit.handed_out), PromisesInFile(promises, code, unit.functions)
    mappings = PinnedMappings(pins, code, unit.functions)
    run = FileRun(
        unit, code, gpu, cpu, options, memo, dict(measured.loops), passed, met, said, mappings, machine,
        preprocessed.text, file, surroundings, program_sizes, preprocessed.missing,
    )  # fmt: skip
    off = off_regions(code, unit, offs, len(source))
    nests: list[NestReport] = []
    """Those that are done, in the order of the text."""

    def report() -> Report:
        functions = with_kernel_names(_functions(unit, nests), unit, code, kernels)
        opaque = unit.opaque + tuple(o for function in unit.functions for o in function.opaque)
        found = Report(
            functions=functions,
            opaque=opaque,
            problems=(
                *unit.problems,
                *_without_effect(run, functions, opaque),
                *stale_problems(source, measured, unit.functions, options.counts),
                *unknown_codes(offs),
                *unused_kernel_names(unit, code, kernels),
                *mappings.problems(unit, functions),
            ),
            directives=unit.directives,
            loops_in_text=unit.loops_in_text,
            loops_found=unit.loops_found,
            recomputed=Recomputed(
                declarations_parsed=unit.declarations_parsed,
                nests_analysed=memo.computed.get("facts", 0) - before.get("facts", 0),
                nests_evaluated=memo.computed.get("evaluation", 0) - before.get("evaluation", 0),
            ),
            said_sizes=frozenset(program_sizes.values.used),
        )
        return as_wanted(found, off, options)

    for function in unit.functions:
        same = same_for_all_nests(run, function) if function.nests else None
        for lowered in function.nests:
            if lowered.id in options.skipped:
                nests.append(NestReport(lowered.id, lowered.spans, None, None, (), SKIPPED, lowered.macros))
                continue
            progress.nest_begins(lowered.id)
            done = report_nest(run, function, lowered, same)
            nests.append(replace(done, elsewhere=called_elsewhere(lowered.nest, unit.elsewhere, memo)))
            progress.nest_ended(report)
    return report()


def _functions(unit: TranslationUnit, done: Sequence[NestReport]) -> tuple[FunctionReport, ...]:
    """The functions with what is done of their nests; the others are pending."""
    ready = iter(done)
    return tuple(
        FunctionReport(
            function.name,
            function.span,
            tuple(next(ready, None) or _pending(lowered) for lowered in function.nests),
            has_one_nest(function),
        )
        for function in unit.functions
    )


def _pending(lowered: LoweredNest) -> NestReport:
    return NestReport(lowered.id, lowered.spans, None, None, (), macros=lowered.macros, hidden=Hidden("pending"))


def _measured(source: str, options: AnalysisOptions, memo: Memo) -> MeasuredFile:
    counts = options.counts
    if counts is None:
        return MeasuredFile(())
    return memo.get("counts", (source, counts), lambda: measured_file(source, counts))


def _without_effect(run: FileRun, functions: Sequence[FunctionReport], opaque: Sequence[Opaque]) -> tuple[Problem, ...]:
    """A note per directive that names nothing of any loop, unless a loop that was not understood may have it."""
    nests = [nest for function in functions for nest in function.nests]
    if opaque or any(nest.facts is None for nest in nests):
        return ()
    known = {name for nest in nests if nest.facts is not None for name in nest.facts.parameters}
    keys = by_size_key(known)
    sizes = (
        Problem(unused_size(d.name, known, "this comment"), d.span, "note")
        for d in run.unit.directives
        if size_key(d.name) not in keys
    )
    return (*run.promises.without_target(), *sizes)
