"""What `warplens measure` does: a loop's port is built, timed and checked, and what was measured is stored."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import product
from pathlib import Path

from warplens.analysis.ir.size_name import by_size_key, size_key
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import FixContext, LaunchWish
from warplens.hwprofiles.validation import model_errors
from warplens.server.cli.analyse_files import FileResult, analyse_file
from warplens.server.cli.arguments import settings_of
from warplens.server.cli.commands import failed
from warplens.server.cli.find_loop import NoLoopError, loop_at_line
from warplens.server.cli.measure_report import measured_as_json, print_measured
from warplens.server.cli.terminal import console_for
from warplens.server.cli.write_json import print_json
from warplens.server.files.project import worked_on
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.measure.kernel_times.build_folder import build_folder
from warplens.server.measure.kernel_times.harness_run import Machine, Plan
from warplens.server.measure.kernel_times.measure_nest import Outcome, Subject, measure_nest
from warplens.server.measure.kernel_times.measured_file import MeasuredFileError, add_measured, save_measured
from warplens.server.measure.kernel_times.memory_plan import NoMemoryPlanError
from warplens.server.measure.kernel_times.signature import SignatureError
from warplens.server.measure.kernel_times.toolchain import BuildError, find_tool, version_of
from warplens.server.preprocess.compile_commands import flags_for_file
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.programs.programs import Programs
from warplens.server.settings.settings import Settings
from warplens.server.worker.fix_context import fix_context


def measure(arguments: argparse.Namespace) -> int:
    """Measure, print and store; 2 for a line without a loop, 1 for what could not be measured or differs."""
    path, line = arguments.place
    where = f"{path}:{line}"
    if not Path(path).is_file():
        return failed(path, "name a C file")
    outcomes: list[Outcome] = []
    programs = Programs.outside_of(worked_on(path))
    try:
        versions = _versions(arguments, programs)
        with build_folder(arguments.keep, "measure", programs) as folder:
            settings = settings_of(arguments)
            result = asyncio.run(analyse_file(path, settings))
            if result.answer is None:
                return failed(path, result.failure)
            found = loop_at_line(result.answer, result.text, line)
            context = fix_context(path, result.text, found.function, found.nest)
            subject = _subject(path, result, context, versions)
            machine = _machine(arguments, path, settings, programs)
            plan = Plan(arguments.runs, arguments.seconds, arguments.run_limit)
            if arguments.on_cpu:
                plan = replace(plan, runs=1, seconds=0.0)
            for evaluation in _evaluations(arguments, context.evaluation):
                at_sizes = replace(subject, context=replace(context, evaluation=evaluation))
                outcomes += measure_nest(at_sizes, _wishes(arguments), machine, plan, folder)
    except NoLoopError as error:
        return failed(where, str(error), 2 if error.is_usage else 1)
    except (NoMemoryPlanError, SignatureError) as error:
        return failed(where, f"no program can be written that measures it: {error}")
    except (BuildError, OSError) as error:
        return failed(where, str(error))
    return _deliver(arguments, where, outcomes)


def _deliver(arguments: argparse.Namespace, where: str, outcomes: Sequence[Outcome]) -> int:
    measured = [outcome.measured for outcome in outcomes if outcome.measured is not None]
    if arguments.json:
        print_json(measured_as_json(outcomes))
    else:
        print_measured(console_for(arguments.color), where, outcomes)
    try:
        if arguments.output is not None:
            save_measured(arguments.output, measured)
        timed = [one for one in measured if one.timing is not None and not one.check.differing]
        if timed and not arguments.no_store:
            add_measured(_root(arguments.place[0]), timed)
    except (OSError, MeasuredFileError) as error:
        return failed(where, f"not stored: {error}")
    is_right = all(one.check.differing == 0 for one in measured)
    return 0 if is_right and len(measured) == len(outcomes) else 1


def _evaluations(arguments: argparse.Namespace, evaluation: NestEvaluation) -> Iterator[NestEvaluation]:
    """The nest at each combination of the sizes that are asked for here, which count before what the source says.

    Raises NoLoopError: the nest has no such size.
    """
    names = by_size_key(dict(evaluation.sizes))
    unknown = sorted(name for name, _ in (*arguments.sizes, *arguments.sweep) if size_key(name) not in names)
    if unknown:
        known = ", ".join(f"`{name}`" for name, _ in evaluation.sizes) or "none"
        raise NoLoopError(f"`{unknown[0]}` is no size of this nest; it has {known}", is_usage=True)
    said = {names[size_key(name)]: size for name, size in arguments.sizes}
    swept = [[(names[size_key(name)], size) for size in sizes] for name, sizes in arguments.sweep]
    for chosen in product(*swept):
        sizes = dict(evaluation.sizes) | said | dict(chosen)
        if sizes == dict(evaluation.sizes):
            yield evaluation
        else:
            mapping = "" if evaluation.pin is None else evaluation.pin.name
            yield evaluate_nest(evaluation.facts, sizes, evaluation.gpu, evaluation.cpu, model_errors(), mapping)


def _wishes(arguments: argparse.Namespace) -> list[LaunchWish]:
    choices = (arguments.block or [None], arguments.outputs or [None], arguments.shared or [None])
    return [LaunchWish(block, outputs, shared) for block, outputs, shared in product(*choices)]


def _subject(path: str, result: FileResult, context: FixContext, versions: tuple[tuple[str, str], ...]) -> Subject:
    root = context.evaluation.facts.nest.root.id
    line = line_in(Lines(result.text), context.spans, root)
    today = datetime.now(UTC).date().isoformat()
    absolute = str(Path(os.path.normpath(Path.cwd() / path)))
    return Subject(context, absolute, line, result.answer.gpu if result.answer else "", today, versions)


def _machine(arguments: argparse.Namespace, path: str, settings: Settings, programs: Programs) -> Machine:
    absolute = Path(os.path.normpath(Path.cwd() / path))
    own = PreprocessorFlags(include_dirs=settings.include_paths, defines=settings.defines)
    flags = own.joined(flags_for_file(absolute, (_root(path),), trusted=True))
    on_cpu = arguments.on_cpu.resolve() if arguments.on_cpu else None
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Machine(programs, (f"-iquote{absolute.parent}", *flags.arguments()), on_cpu, arguments.warm_l2, jobs)


def _versions(arguments: argparse.Namespace, programs: Programs) -> tuple[tuple[str, str], ...]:
    """Of what made the program; raises BuildError where a compiler is missing."""
    device = ("g++",) if arguments.on_cpu else ("nvcc",)
    tools = [(name, find_tool(programs, name)) for name in ("gcc", *device)]
    return ("warplens", version("warplens")), *((name, version_of(tool, Path.cwd(), programs)) for name, tool in tools)


def _root(path: str) -> Path:
    """The folder that the stored file speaks of: where the command runs, or the file's own outside of it."""
    absolute = Path(os.path.normpath(Path.cwd() / path))
    return Path.cwd() if absolute.is_relative_to(Path.cwd()) else absolute.parent
