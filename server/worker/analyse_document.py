"""One job from configuration files to an answer: the only place where the server's worlds and the analysis meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from warplens.analysis.api import analyse
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import FunctionReport, NestReport, Recomputed, Report
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.ir.ids import LoopId
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.profile import ProfileError
from warplens.hwprofiles.validation import model_errors
from warplens.server.folder_config import ConfigProblem, FolderConfig, load_config, nearest_config
from warplens.server.gpu_measurement.measured_file import measured_for
from warplens.server.gpu_measurement.measured_nest import MeasuredNest, timings_of
from warplens.server.measured.profile_file import counts_for
from warplens.server.preprocess.compile_commands import flags_for_file
from warplens.server.preprocess.confinement import confinement_of
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.result_cache.code_version import code_version
from warplens.server.result_cache.content_key import content_key
from warplens.server.result_cache.result_cache import ResultCache
from warplens.server.settings import Settings
from warplens.server.worker.job import AnalysisJob, Answer, FunctionAnswer, NestAnswer
from warplens.server.worker.packing import Packer
from warplens.server.worker.run_watch import Listener, RunWatch

Machine = TypeVar("Machine")
_NO_WORK = Recomputed(0, 0, 0)
_NOBODY = Listener()


@dataclass(frozen=True, slots=True)
class Machines:
    """The profiles in force and the names they were loaded by, with what was wrong with the names asked for."""

    gpu: Gpu
    cpu: Cpu
    gpu_name: str
    cpu_name: str
    problems: tuple[ConfigProblem, ...] = ()


def analyse_document(
    job: AnalysisJob,
    memo: Memo,
    packer: Packer,
    listener: Listener = _NOBODY,
    results: ResultCache | None = None,
) -> Answer:
    """Read the folder's configuration, preprocess, analyse, pack; or find what an earlier session made of the same.

    `results` are asked and filled where the job wants its result kept.
    """
    path = Path(job.path)
    roots = tuple(Path(root) for root in job.roots)
    config_path = nearest_config(path.parent, roots)
    config, problems = load_config(config_path) if config_path else (FolderConfig(), ())
    machines = _machines(job, config, str(config_path or ""), roots)
    preprocessed = preprocess(
        path, job.text, _flags(job, config, roots), roots, job.settings.analysis_time_limit_s / 2, trusted=job.trusted
    )
    counts, unread = counts_for(path, roots)
    timings, unread_timings = measured_for(path, roots)
    options = replace(analysis_options(job.settings, config, job.skipped), counts=counts)
    said = (*problems, *unread, *unread_timings, *machines.problems)

    def analysed() -> Answer:
        def answer(report: Report) -> Answer:
            return _answer(report, machines, said, preprocessed.preprocessor, packer, timings)

        def at_part(report: Callable[[], Report]) -> None:
            listener.at_part(answer(report()))

        with RunWatch(memo, listener, at_part if job.shows_parts else None) as progress:
            return answer(analyse(job.text, preprocessed, machines.gpu, machines.cpu, options, memo, progress))

    if results is None or not job.keeps_result:
        return analysed()
    # The preprocessed text has all that headers gave it, so that they need no watching.
    names = (job.path, machines.gpu_name, machines.cpu_name)
    key = content_key(code_version(), names, job.text, preprocessed, machines.gpu, machines.cpu, options, timings)
    kept = results.load(key, Answer)
    if kept is not None:
        return replace(kept, config_problems=said, recomputed=_NO_WORK)
    answer = analysed()
    if not any(nest.failure for function in answer.functions for nest in function.nests):  # it may be a matter of time
        results.keep(key, answer)
    return answer


def analysis_options(
    settings: Settings, config: FolderConfig, skipped: frozenset[LoopId] = frozenset()
) -> AnalysisOptions:
    """The folder's file counts before the setting; the source's comments, before both, are the analysis' own."""
    return AnalysisOptions(
        default_size=config.default_size or settings.default_size,
        sizes=(*config.sizes, *(SizeChoice(name, value, "setting") for name, value in settings.sizes)),
        disabled_rules=config.disabled_rules | settings.disabled_rules,
        noise=config.noise or settings.noise,
        worthwhile_s=settings.worthwhile_s if config.worthwhile_s is None else config.worthwhile_s,
        skipped=skipped,
        model_errors=model_errors(),
    )


def choose_machines(settings: Settings, config: FolderConfig, config_path: str) -> Machines:
    """Load the profiles that file or setting name; a name that can't be used is said and the next one tried."""
    problems: list[ConfigProblem] = []
    lines = dict(config.lines)

    def named(key: str, in_file: str | None, in_settings: str, default: str) -> tuple[_Named, ...]:
        file = _Named(in_file, config_path, f"`{key}`", lines.get(key, 0))
        return file, _Named(in_settings, "", f"setting `warplens.{key}`"), _Named(default)

    gpu, gpu_name = _first_loadable(load_gpu, named("gpu", config.gpu, settings.gpu, Settings().gpu), problems)
    cpu, cpu_name = _first_loadable(load_cpu, named("cpu", config.cpu, settings.cpu, Settings().cpu), problems)
    return Machines(gpu, cpu, gpu_name, cpu_name, tuple(problems))


def _machines(job: AnalysisJob, config: FolderConfig, config_path: str, roots: tuple[Path, ...]) -> Machines:
    """As `choose_machines`, without the profiles outside of a workspace that is not trusted."""
    if job.trusted:
        return choose_machines(job.settings, config, config_path)
    confinement = confinement_of(Path(job.path), roots, (), (), trusted=False)
    named = ((config.gpu, config_path), (config.cpu, config_path), (job.settings.gpu, ""), (job.settings.cpu, ""))
    outside = {
        name: ConfigProblem(origin, f"`{name}` lies outside of the workspace, which is not trusted: it is not read")
        for name, origin in named
        if name and name.endswith(".toml") and not confinement.allows(name)
    }
    allowed = replace(
        config,
        gpu=None if config.gpu in outside else config.gpu,
        cpu=None if config.cpu in outside else config.cpu,
    )
    settings = replace(
        job.settings,
        gpu=Settings().gpu if job.settings.gpu in outside else job.settings.gpu,
        cpu=Settings().cpu if job.settings.cpu in outside else job.settings.cpu,
    )
    machines = choose_machines(settings, allowed, config_path)
    return replace(machines, problems=(*outside.values(), *machines.problems))


@dataclass(frozen=True, slots=True)
class _Named:
    """A profile's name, and who named it: `key` in the configuration file `path` or, without one, in the settings."""

    name: str | None
    path: str = ""
    key: str = ""
    line: int = 0


def _first_loadable(
    load: Callable[[str], Machine], names: tuple[_Named, ...], problems: list[ConfigProblem]
) -> tuple[Machine, str]:
    for each in names[:-1]:
        if not each.name:
            continue
        try:
            return load(each.name), each.name
        except ProfileError as error:
            problems.append(ConfigProblem(each.path, f"{each.key}: {error}", each.line))
    default = names[-1].name or ""
    return load(default), default


def _flags(job: AnalysisJob, config: FolderConfig, roots: tuple[Path, ...]) -> PreprocessorFlags:
    around = [root for root in roots if Path(job.path).is_relative_to(root)]
    base = max(around, key=lambda root: len(root.parts), default=Path(job.path).parent)
    own = PreprocessorFlags(
        include_dirs=(*config.include_paths, *(str(base / Path(p).expanduser()) for p in job.settings.include_paths)),
        defines=(*config.defines, *job.settings.defines),
    )
    return own.joined(flags_for_file(Path(job.path), roots, trusted=job.trusted))


def _answer(
    report: Report,
    machines: Machines,
    problems: tuple[ConfigProblem, ...],
    preprocessor: str,
    packer: Packer,
    timings: tuple[MeasuredNest, ...],
) -> Answer:
    def nest_answer(nest: NestReport) -> NestAnswer:
        if nest.evaluation is None:
            return NestAnswer(
                nest.id, nest.spans, nest.findings, nest.failure, "", b"", nest.macros, hidden=nest.hidden
            )
        try:
            packed = packer.pack(nest.evaluation, machines.gpu_name, machines.cpu_name)
        except RecursionError:
            failure = "an expression is too deep to be shown"
            return NestAnswer(nest.id, nest.spans, nest.findings, failure, "", b"", nest.macros)
        lens, hints = (packed.lens, packed.hints) if nest.hidden is None else ("", ())
        found = timings_of(nest.evaluation.facts.nest, timings)
        return NestAnswer(
            nest.id, nest.spans, nest.findings, nest.failure, lens, packed.content, nest.macros, nest.fixes, found,
            hints, nest.hidden,
        )  # fmt: skip

    def function_answer(function: FunctionReport) -> FunctionAnswer:
        nests = tuple(nest_answer(n) for n in function.nests)
        return FunctionAnswer(function.name, function.span, nests, function.has_one_nest)

    return Answer(
        functions=tuple(function_answer(f) for f in report.functions),
        opaque=report.opaque,
        problems=report.problems,
        directives=report.directives,
        config_problems=problems,
        gpu=machines.gpu_name,
        cpu=machines.cpu_name,
        preprocessor=preprocessor,
        loops_in_text=report.loops_in_text,
        loops_found=report.loops_found,
        recomputed=report.recomputed,
    )
