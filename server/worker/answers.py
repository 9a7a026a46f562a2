"""What the analysis process does with each kind of job."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from warplens.analysis.ports.fix import FixEdits
from warplens.server.compared_gpus.job import ComparedGpu, CompareJob
from warplens.server.measure.counters.static_job import StaticTimes, StaticTimesJob
from warplens.server.program.connected_units import ConnectedUnits
from warplens.server.program.index_file import FileReader
from warplens.server.program.kept_program import KeptPrograms
from warplens.server.program.packed_file import PackedFile
from warplens.server.program.program_jobs import ConnectJob, IndexedAnswer, IndexJob, KeepProgramJob, LoadProgramJob
from warplens.server.report_page.job import NestPageJob
from warplens.server.what_if.job import WhatIfJob
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.chosen_fix import chosen_edits
from warplens.server.worker.fix_context import fix_context
from warplens.server.worker.job import AnalysisJob, Answer, BreakEvenJob, BreakEvenPortion, FixJob, Job
from warplens.server.worker.run_watch import Listener, WayGiver


@dataclass(frozen=True, slots=True)
class Kept:
    """What stays from one job to the next; `listener` is the server."""

    listener: Listener
    remembered: Remembered = field(default_factory=Remembered)
    programs: KeptPrograms = field(default_factory=KeptPrograms)
    way: WayGiver = field(init=False)
    reader: FileReader = field(init=False)
    units: ConnectedUnits = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "way", WayGiver(self.listener.is_in_the_way))
        object.__setattr__(self, "reader", FileReader(self.listener.is_in_the_way))
        object.__setattr__(self, "units", ConnectedUnits(self.listener.is_in_the_way))


@singledispatch
def result_of(job: Job[object], _kept: Kept) -> object:
    """The result of a job; raises what a defect raises."""
    raise TypeError(f"no answer for {type(job).__name__}")


@result_of.register
def _(job: AnalysisJob, kept: Kept) -> Answer:
    return analyse_document(job, kept.remembered, kept.listener, kept.way)


@result_of.register
def _(job: NestPageJob, _kept: Kept) -> dict[str, Any]:
    from warplens.server.report_page.nest_page import nest_page  # noqa: PLC0415 - not every session asks for it

    return nest_page(job)


@result_of.register
def _(job: FixJob, _kept: Kept) -> FixEdits:
    context = fix_context(job.path, job.text, job.function, job.nest)
    return chosen_edits(context, job.offer)


@result_of.register
def _(job: WhatIfJob, _kept: Kept) -> dict[str, Any]:
    from warplens.server.what_if.answer import answered  # noqa: PLC0415 - not every session asks for it

    return answered(job)


@result_of.register
def _(job: CompareJob, _kept: Kept) -> tuple[ComparedGpu, ...]:
    from warplens.server.compared_gpus.answer import compared  # noqa: PLC0415 - not every session asks for it

    return compared(job)


@result_of.register
def _(job: BreakEvenJob, kept: Kept) -> BreakEvenPortion:
    return kept.remembered.answers.break_evens.go_on(job, kept.listener.is_in_the_way)


@result_of.register
def _(job: StaticTimesJob, _kept: Kept) -> tuple[StaticTimes, ...]:
    from warplens.server.measure.counters.static_times import static_times  # noqa: PLC0415 - not every session asks for it

    return static_times(job)


@result_of.register
def _(job: IndexJob, kept: Kept) -> IndexedAnswer:
    return kept.reader.read(job)


@result_of.register
def _(job: ConnectJob, kept: Kept) -> tuple[str, ...]:
    return kept.units.connected(job.root, job.paths, job.asked)


@result_of.register
def _(job: LoadProgramJob, kept: Kept) -> tuple[PackedFile, ...]:
    return kept.programs.load(job.root)


@result_of.register
def _(job: KeepProgramJob, kept: Kept) -> None:
    kept.programs.keep(job.root, job.files)
