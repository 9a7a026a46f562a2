"""One job from configuration files to an answer: the only place where the server's worlds and the analysis meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.ir.size_name import size_name
from warplens.hwprofiles.validation import model_errors
from warplens.server.measure.counters.kernel_links import counters_for
from warplens.server.measure.kernel_times.measured_file import measured_for
from warplens.server.measure.loop_counts.profile_file import counts_for
from warplens.server.preprocess.preprocessor_runs import PreprocessorRuns
from warplens.server.program.linked_programs import LinkedPrograms
from warplens.server.program.packed_program import ProgramChange
from warplens.server.result_cache.code_version import code_version
from warplens.server.result_cache.content_key import content_key
from warplens.server.settings.folder_config import FolderConfig, fewer, load_config, nearest_config
from warplens.server.settings.settings import Settings
from warplens.server.worker.answer_of_report import answer_of
from warplens.server.worker.code_flags import code_flags_of
from warplens.server.worker.file_flags import flags_of
from warplens.server.worker.job import AnalysisJob, Answer
from warplens.server.worker.kept_answers import KeptAnswers
from warplens.server.worker.machines import machines_for
from warplens.server.worker.run_watch import Listener, RunWatch, WayGiver

_NOBODY = Listener()
_READING_SHARE = 0.9
"""Of the limit: reading ends by itself before it is ended with the process, and all that is remembered."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What stays from one analysis to the next, and, in `answers`, from one session to the next."""

    memo: Memo = field(default_factory=Memo)
    runs: PreprocessorRuns = field(default_factory=PreprocessorRuns)
    answers: KeptAnswers = field(default_factory=KeptAnswers)
    programs: LinkedPrograms = field(default_factory=LinkedPrograms)


def analyse_document(
    job: AnalysisJob, remembered: Remembered, listener: Listener = _NOBODY, way: WayGiver | None = None
) -> Answer:
    """Read the folder's configuration, preprocess, analyse, pack; or find what an earlier session made of the same.

    What the preprocessor will give is analysed while it runs, where that can be told, and shown if that was quicker;
    what it gives decides.
    """
    # First of all: the server takes it for known to this process from now on.
    linked = remembered.programs.after(job.program) if isinstance(job.program, ProgramChange) else None
    root = "" if job.program is None else job.program.root
    way = way or WayGiver(listener.is_in_the_way)
    way.begin(job.path)
    began_s = monotonic()
    path = Path(job.path)
    roots = tuple(Path(root) for root in job.roots)
    config_path = nearest_config(path.parent, roots)
    config, problems = load_config(config_path) if config_path else (FolderConfig(), ())
    machines = machines_for(job, config, str(config_path or ""), roots)
    machines = machines.compiled_with(code_flags_of(path, job.settings, config, roots, trusted=job.trusted))
    limit_s = job.settings.analysis_time_limit_s / 2
    flags = flags_of(path, job.settings, config, roots, trusted=job.trusted)
    run = remembered.runs.begin(path, job.text, flags, roots, limit_s, trusted=job.trusted)
    counts, unread = counts_for(path, roots)
    timings, unread_timings = measured_for(path, roots)
    kernels, unread_models = counters_for(path, roots)
    options = replace(analysis_options(job.settings, config, job.skipped), counts=counts)
    said = fewer((*problems, *unread, *unread_timings, *unread_models, *machines.problems))

    def analysed(preprocessed: Preprocessed, *, shows_parts: bool) -> Answer:
        def answer(report: Report) -> Answer:
            preprocessor = preprocessed.preprocessor
            memo = remembered.memo
            return answer_of(report, machines, said, preprocessor, memo, timings, kernels, way.give_way, root)

        def at_part(report: Callable[[], Report]) -> None:
            listener.at_part(answer(report()))

        left_s = began_s + _READING_SHARE * job.limit_s - monotonic()
        watch = RunWatch(remembered.memo, listener, way, at_part if shows_parts else None, left_s)
        with watch as progress:
            program = None if linked is None else linked.program
            report = analyse(
                job.text, preprocessed, machines.gpu, machines.cpu, options, remembered.memo, progress, program
            )
            watch.nests_are_done()
            return answer(report)

    def key() -> str:
        # The preprocessed text has all that headers gave it, so that they need no watching.
        names = (job.path, machines.gpu_name, machines.cpu_name)
        around = "" if linked is None else linked.key(job.path)
        return content_key(
            code_version(),
            names,
            job.text,
            run.result(),
            machines.gpu,
            machines.cpu,
            options,
            (timings, kernels),
            around,
        )

    if run.predicted is None:
        run.wait(way.give_way)
    if job.keeps_result and (run.predicted is None or job.shows_parts):  # the user waits for a first answer
        kept = remembered.answers.load(key())
        if kept is not None:
            return replace(kept, config_problems=said)
    answer = None
    if run.predicted is not None:
        answer = analysed(run.predicted, shows_parts=job.shows_parts)
        if not run.has_ended:
            listener.at_part(answer)
            run.wait(way.give_way)
        if run.result() != run.predicted:
            answer = None
    if answer is None:
        answer = analysed(run.result(), shows_parts=job.shows_parts)
    if job.keeps_result:
        remembered.answers.keep(job.path, key, answer)
    way.ended()
    return answer


def analysis_options(
    settings: Settings, config: FolderConfig, skipped: frozenset[LoopId] = frozenset()
) -> AnalysisOptions:
    """The folder's file counts before the setting; the source's comments, before both, are the analysis' own."""
    chosen = (SizeChoice(size_name(name) or name, value, "setting") for name, value in settings.sizes)
    return AnalysisOptions(
        default_size=config.default_size or settings.default_size,
        sizes=(*config.sizes, *chosen),
        disabled_rules=config.disabled_rules | settings.disabled_rules,
        noise=config.noise or settings.noise,
        worthwhile_s=settings.worthwhile_s if config.worthwhile_s is None else config.worthwhile_s,
        skipped=skipped,
        arguments=settings.arguments if config.arguments is None else config.arguments,
        model_errors=model_errors(),
    )
